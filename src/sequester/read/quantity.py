"""What was measured and in which unit: guessed from a column's name, its row of units and its range, or declared."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from sequester.errors import InputError, nearest
from sequester.model import Fact
from sequester.read.column_facts import Column


@dataclass(frozen=True)
class Quantity:
    """One quantity: how it is called, its usual unit, where its states begin, and whether its values add up."""

    name: str
    unit: str
    named: str
    """How columns of it are called."""
    low: float
    high: float
    """Where nearly all of its values lie."""
    bins: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    adds_up: bool = False
    """Whether values of a longer interval are summed; those of a level are averaged."""


SUGAR = r"gluc|glyc|glic|\bgl\b|sgv|\b[cs]?m?bg\b|cgm|glukose|\begv\b|sensor reading|血糖"
QUANTITIES = {
    q.name: q
    for q in (
        Quantity("glucose", "mg/dL", SUGAR, 20, 600,
                 (54, 70, 181, 251), ("very-low", "low", "in-range", "high", "very-high")),
        Quantity("glucose-mmol", "mmol/L", SUGAR, 1, 34,
                 (3.0, 3.9, 10.1, 14.0), ("very-low", "low", "in-range", "high", "very-high")),
        Quantity("heart-rate", "1/min", r"heart|puls|\bhr\b|\bbpm\b|beats|herz|\bhrt|cardia|cardía|心拍|脈拍", 25, 240,
                 (60, 80, 100, 120), ("below-60", "60-79", "80-99", "100-119", "from-120")),
        Quantity("spo2", "%", r"spo2|sao2|oxygen sat|o2sat|sättigung", 50, 100,
                 (88, 92, 95), ("below-88", "88-91", "92-94", "from-95")),
        Quantity("temperature", "°C", r"temp|\bbt\b", 30, 43, (36, 37.5, 38.5), ("low", "normal", "raised", "fever")),
        Quantity("blood-pressure", "mmHg", r"\bsbp\b|systol|sysabp|blood pressure|\bbp\b|\bnibp|\bmap\b", 40, 260,
                 (90, 120, 140), ("below-90", "90-119", "120-139", "from-140")),
        Quantity("steps", "steps", r"steps?\b|step count|schritte|pasos|歩数", 0, 1e5, (), (), True),
        Quantity("counts", "counts", r"counts?\b|activity|\bvm\b|vector ?magn|axis ?1|axis ?y|\bpim\b|\bzcm\b|\btat\b"
                 r"|mims|enmo|paxinten|intensity|aktiv|\bsvm|accel", 0, 1e6, (), (), True),
        Quantity("calories", "kcal", r"calor|kcal|\bmets?\b", 0, 1e5, (), (), True),
    )
}  # fmt: skip
"""Name → quantity. Limits of glucose: International Consensus on Time in Range, Battelino et al. 2019."""
ONE_STATE = 0.9
"""Share of one state above which the usual limits tell nothing apart."""
LEVELS = frozenset(q.name for q in QUANTITIES.values() if not q.adds_up)
BESIDE = re.compile(
    r"rate of change|carb|insulin|duration|battery|volt|\blux|\blight|serial|epoch|index|transmitter|calibr"
    r"|\b(lat|lon|alt)(itude|gitude)?\b"
    r"|humid|button|marker|off.?wrist|inclin|version|record type|basal|bolus|x\b|z\b|axis ?[23]|ketone|strip|target"
    r"|confidence|quality|accuracy|red\b|green|blue|weekday|day\b|hour\b|minute\b|month\b|year\b|\bage\b|score",
    re.I,
)
"""What stands beside a measurement and is not it."""


def spaced(name: str) -> str:
    """The words of a name, set apart; of what is counted per minute, only what is counted; activity in English."""
    words = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).replace("_", " ")
    return re.sub(r"\ba[ct]?t?ivi[dt]\w+", "activity", re.sub(r" per \w+", "", words, flags=re.I), flags=re.I)


def quantity_of(column: Column) -> Quantity | None:
    """The quantity a column holds, by its name and its unit, if its numbers lie where such numbers lie."""
    words = spaced(column.name).lower()
    said = f"{words} {column.unit}".lower()
    for q in QUANTITIES.values():
        if not re.search(q.named, words, re.I) or BESIDE.search(words) or not len(column.numbers):
            continue
        inside = np.mean((column.numbers >= q.low) & (column.numbers <= q.high))
        if (q.name == "glucose" and "mmol" in said) or (q.name == "glucose-mmol" and "mg/d" in said):
            continue
        if inside > 0.8:
            return q
    return None


def unit_of(column: Column, quantity: Quantity | None) -> str:
    """The unit, as a row of units or brackets behind the name say, else the usual one of the quantity."""
    found = re.search(r"[(\[]([^)\]]{1,16})[)\]]|\b(mg/d[lL]|mmol/[lL])\b", column.name)
    return column.unit or (found[1] or found[2] if found else "") or (quantity.unit if quantity else "")


def bins_for(column: Column, quantity: Quantity | None, sums: np.ndarray) -> tuple[str, str, bool]:
    """Ends and names of states for a column whose values per interval are `sums`; and whether they are an example."""
    usual = quantity.bins if quantity is not None else ()
    if usual and len(sums) and np.bincount(np.searchsorted(usual, sums, side="right")).max() > ONE_STATE * len(sums):
        usual = ()  # hardly anybody ever leaves one of the usual states
    if quantity is not None and usual:
        return ",".join(f"{b:g}" for b in quantity.bins), ",".join(quantity.names), False
    positive = sums[sums > 0]
    moves = quantity is not None and quantity.adds_up
    zeros = float(np.mean(sums == 0)) if len(sums) else 0.0
    if zeros > 0.2 and len(positive):
        whole = bool(np.all(positive == np.floor(positive)))
        least = 1.0 if whole else float(f"{float(np.quantile(positive, 0.02)):.3g}")
        ends = [least, *(float(f"{q:.3g}") for q in np.quantile(positive, (0.5, 0.85)))]
        names = ["still", "light", "moderate", "vigorous"] if moves else ["none", "low", "middle", "high"]
    else:
        ends = [float(f"{q:.3g}") for q in np.quantile(sums, (0.25, 0.5, 0.75))] if len(sums) else [1.0]
        names = ["lowest", "low", "high", "highest"]
    kept = sorted(set(ends))
    return ",".join(f"{b:.10g}" for b in kept), ",".join(names[: len(kept) + 1]), True


def declared_facts(quantity: str | None, unit: str | None, who: str) -> tuple[Fact, ...]:
    """What was declared about the measurement, for the manifest."""
    if quantity is not None and quantity not in QUANTITIES and not re.fullmatch(r"[\w \-./%()]{1,40}", quantity):
        close = nearest(quantity, QUANTITIES)
        hint = f" Did you mean '{close}'?" if close else ""
        raise InputError(f"{who}: ‹quantity=› takes a name such as {', '.join(list(QUANTITIES)[:3])}.{hint}")
    usual = QUANTITIES[quantity].unit if quantity in QUANTITIES else None
    facts = (Fact("quantity", quantity, "declared"),) if quantity else ()
    said = unit or usual
    return (*facts, Fact("unit", said, "declared" if unit else "default")) if said else facts


def is_level(quantity: str | None) -> bool:
    """Whether several values of one interval are averaged, not summed."""
    return quantity in LEVELS
