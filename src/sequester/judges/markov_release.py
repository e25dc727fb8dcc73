"""What a release of `markov-dp` shows about its noise: the number of cells, the clips, and known zeros.

The rules are written here anew from the method's page. Releases of the first edition have no table `measurements`; of
those the ledger and the shape of the log are all there is to check.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.release import Check, Claim

UNITS = 1 << 20
DAY = 86400
COLUMNS = ("family", "cell", "value")
GAP_BINS, DAY_GAP_BINS, GAP_PARTS, DAY_GAP_PARTS = 24, 13, 6, 30
GAP_CLASSES, DAY_GAP_CLASSES = 8, 5


class Clipped(NamedTuple):
    """How a table of the time model is clipped: so many times the clip of another one."""

    times: float
    clip: str


FEW = {
    "seen": Clipped(1.25, "pairs"), "place": Clipped(1.25, "pairs"), "before": Clipped(1.0, "pairs"),
    "gap before": Clipped(1.0, "gaps"), "gap place": Clipped(1.5, "gaps"),
}  # fmt: skip
PART = {"gap part": Clipped(1.0, "gaps")}
MORE = {"hour": Clipped(1.0, "pairs"), "gap hour": Clipped(1.0, "gaps"), **PART}
"""Tables of the time model."""
RARE = 1e-9
"""Probability below which noise is not believed."""


class Public(NamedTuple):
    """What everything follows from."""

    names: tuple[str, ...]
    people: float
    rich: bool
    clips: Mapping[str, float]
    unit: str
    timed: Mapping[str, Clipped]
    """Tables of the time model."""
    by_length: bool
    attributes: Mapping[str, int]
    values: Mapping[str, int]
    """Declared columns with their number of values."""

    @property
    def merged(self) -> bool:
        """Whether a log of days has no bins inside a day."""
        return self.unit == "day" and bool(self.timed)


def public_numbers(claim: Claim) -> Public | None:
    """The numbers of the model beside the events, or None for a release of the first edition."""
    model = claim.tables["model"]
    rows = list(zip(*(model[c].to_pylist() for c in ("statistic", "from", "to", "length_from", "length_to", "value"))))
    clips = {str(a): float(v) for s, a, _, _, _, v in rows if s == "clip"}
    if not clips:
        return None
    names = tuple(str(b) for s, _, b, _, _, _ in rows if s == "state")
    value = {s: float(v) for s, _, _, _, _, v in rows if s in ("people", "order")}
    kind = claim.tables["events"].schema.field("time").type
    unit = "order" if pa.types.is_integer(kind) else "second" if pa.types.is_timestamp(kind) else "day"
    assert claim.ledger is not None
    index = float(claim.parameters["people_at_least"]) * math.sqrt(claim.ledger.total) / len(names)
    timed: dict[str, Clipped] = {}
    if unit == "second" and index >= 15:
        timed = FEW | MORE if index >= 60 else FEW
    elif unit == "day" and index >= 60:
        timed = FEW | PART
    lengths = [(low + high, v) for s, _, _, low, high, v in rows if s == "length"]
    mean = sum(both / 2 * v for both, v in lengths) / max(sum(v for _, v in lengths), 1e-300)
    able = int(claim.parameters["max_events"]) >= 200 and unit != "order"
    able = able and index >= 10 and index * len(names) >= 600
    return Public(
        names=names, people=value["people"], rich=value["order"] == 2.0, clips=clips, unit=unit, timed=timed,
        by_length=able and mean >= 50, attributes=declared(claim),
        values=declared(claim, "event_values", "event value"),
    )  # fmt: skip


def declared(claim: Claim, parameter: str = "attributes", statistic: str = "attribute") -> dict[str, int]:
    """Columns of the parameters with their number of values, those that are missing counted as one of a case."""
    model = claim.tables["model"]
    rows = zip(model["statistic"].to_pylist(), model["from"].to_pylist())
    out = {str(text).partition(":")[0]: 0 for text in claim.parameters.get(parameter) or ()}
    for kind, name in rows:
        if kind == statistic:
            out[str(name)] += 1
    return out


def paired(claim: Claim) -> bool:
    """Whether attributes are counted two by two."""
    assert claim.ledger is not None
    strength = float(claim.parameters["people_at_least"]) * math.sqrt(claim.ledger.total)
    several = len(claim.parameters.get("attributes") or ()) > 1
    return several and float(claim.parameters["epsilon"]) >= 8 and strength >= 400


def by_value_before(claim: Claim, public: Public, noisy: Mapping[str, np.ndarray]) -> int:
    """Cells of the table of values by the value before; 0 where it is not measured."""
    carried = noisy["value states"].reshape(len(public.names), len(public.values)) > 3 * _scale(claim, "value states")
    bins = np.array(list(public.values.values()))
    cells = int((carried * ((bins + 1) * bins)).sum())
    assert claim.ledger is not None
    name = "values before" if any(e.mechanism == "values before" for e in claim.ledger.entries) else "values again"
    enough = int(claim.parameters["people_at_least"]) >= 2.5 * _scale(claim, name) * cells
    return cells if enough else 0


def linked(claim: Claim) -> bool:
    """Whether attributes are counted with length and states: a rule on public numbers."""
    assert claim.ledger is not None
    strength = float(claim.parameters["people_at_least"]) * math.sqrt(claim.ledger.total)
    return float(claim.parameters["epsilon"]) >= 4 and strength >= 200


def checks(claim: Claim) -> list[Check]:
    """Cells, clips, the number of objects, and noise where the truth is known."""
    try:
        public = public_numbers(claim)
        if public is None:
            return []
        return _checks(claim, public)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, AssertionError):
        return [Check(name="measurements can be read", passed=False, detail="a number the checks need is missing")]


def _checks(claim: Claim, public: Public) -> list[Check]:
    table = claim.tables.get("measurements")
    right = table is not None and tuple(table.column_names) == COLUMNS
    if table is None or not right:
        return [Check(name="table measurements", passed=False, detail="missing, or not the expected columns")]
    family = np.array(table["family"].to_pylist(), dtype=object)
    cell, value = table["cell"].to_numpy(), table["value"].to_numpy()
    have = {name: np.flatnonzero(family == name) for name in dict.fromkeys(family.tolist())}
    noisy = {name: value[rows] for name, rows in have.items()}
    wanted = _sizes(claim, public, noisy)
    wrong = [name for name in wanted.keys() | have.keys() if len(have.get(name, ())) != wanted.get(name, -1)]
    listed = all(np.array_equal(cell[rows], np.arange(len(rows))) for rows in have.values())
    grid = np.concatenate([v for name, v in noisy.items() if name != "people"] or [np.zeros(0)]) * UNITS
    whole = bool(np.all(np.isfinite(value)) and np.array_equal(grid, np.rint(grid)) and public.people % 1 == 0)
    numbers = claim.tables["events"].select(["object"]).to_batches()
    objects = max(int(batch[0].to_numpy()[-1]) for batch in numbers if len(batch))
    want = max(1, round(public.people))
    out = [
        Check(
            name="cells follow from states and calendar",
            passed=not wrong and listed,
            detail=f"{counted(len(wanted), 'table')} expected, {len(wrong)} with another number of cells",
        ),
        Check(
            name="noisy numbers are whole on their grid",
            passed=whole and noisy.get("people", np.zeros(1))[0] == public.people,
            detail=f"{counted(len(value), 'number')}",
        ),
        Check(
            name="objects are as many as the noisy count",
            passed=objects == want,
            detail=f"{counted(objects, 'object')}, the noisy count gives {want}",
        ),
    ]
    return [*out, _residuals(claim, public, noisy)] if all(c.passed for c in out) else out


def _scale(claim: Claim, name: str) -> float:
    assert claim.ledger is not None
    scale = {e.mechanism: e.scale for e in claim.ledger.entries}[name]
    return scale if name == "people" else scale / UNITS


def _sizes(claim: Claim, public: Public, noisy: Mapping[str, np.ndarray]) -> dict[str, int]:
    """Cells of every table."""
    s = len(public.names)
    side = s + 1
    bins = DAY_GAP_BINS if public.merged else GAP_BINS
    classes = DAY_GAP_CLASSES if public.merged else GAP_CLASSES
    parts = DAY_GAP_PARTS if public.merged else GAP_PARTS
    out = {"people": 1, "lengths": _length_bins(claim, public), "pairs": side * side}
    strong = (noisy["pairs"] > 2 * _scale(claim, "pairs")).reshape(side, side)[:, :-1]
    if public.rich:
        out["triples"] = min(int(strong.sum()), 2_000_000 // side) * side
    if public.unit != "order":
        hours = 24 if public.unit == "second" else 0
        out |= {"gaps to": s * bins, "gaps between": int(strong[:-1].sum()) * bins}
        out |= {"starts": hours + 7 + _seasons(claim), "clock": hours + 7}
        if hours:
            out["state hours"] = 24 * s
    timed = {
        "seen": 4 * s, "place": 10 * s, "before": 8 * s * s, "gap before": 16 * s * classes, "gap place": 10 * classes,
        "hour": 8 * s * s, "gap hour": 8 * s * classes, "gap part": s * bins * parts,
    }  # fmt: skip
    out |= {name: timed[name] for name in public.timed}
    if public.by_length:
        out["length"] = 4 * side * s
    if public.attributes:
        every = sum(public.attributes.values())
        out["attributes"] = every
        if linked(claim):
            out |= {"attribute lengths": 6 * every, "attribute states": s * every}
        if linked(claim) and paired(claim):
            out["attribute pairs"] = sum(a * b for a, b in combinations(public.attributes.values(), 2))
    if public.values:
        out |= {"value states": s * len(public.values), "values": s * sum(public.values.values())}
        before = by_value_before(claim, public, noisy)
        out |= {"values before": before} if before else {"values again": out["values"]}
    return out


def _length_bins(claim: Claim, public: Public) -> int:
    """Bins of one length up to eight, then a fifth wider each; two by two merged while noise would drown them."""
    longest = int(claim.parameters["max_events"])
    edges = list(range(1, 9))
    while edges[-1] < longest:
        edges.append(max(edges[-1] + 1, round(edges[-1] * 1.21)))
    n = len([e for e in edges if e <= longest])
    sd = _scale(claim, "lengths")
    while n > 2 and max(public.people, 1.0) / (4 * sd) < n:
        n = -(-n // 2)
    return n


def _seasons(claim: Claim) -> int:
    first, last = (np.datetime64(x.strip(), "D") for x in str(claim.parameters["dates"]).split(".."))
    kind = "datetime64[M]" if (last - first).astype(int) + 1 <= 3660 else "datetime64[Y]"
    return int((last.astype(kind) - first.astype(kind)).astype(int)) + 1


def _residuals(claim: Claim, public: Public, noisy: Mapping[str, np.ndarray]) -> Check:
    """Where the truth is zero, or two sums must agree, what is left is noise alone: it must be as large as told."""
    z: list[np.ndarray] = []

    def zero(name: str, values: np.ndarray) -> None:
        z.append(np.ravel(values) / _scale(claim, name))

    side = len(public.names) + 1
    zero("pairs", noisy["pairs"][-1:])  # nobody starts and ends without an event
    if public.unit != "order":
        sd = _scale(claim, "starts")
        at = 24 if public.unit == "second" else 0
        blocks = [noisy["starts"][:at]] if at else []
        blocks += [noisy["starts"][at : at + 7], noisy["starts"][at + 7 :]]
        for one, other in pairwise(blocks):  # everybody starts once by every calendar
            z.append(np.array([(one.sum() - other.sum()) / (sd * math.sqrt(len(one) + len(other)))]))
        spread = math.hypot(_scale(claim, "people"), sd * math.sqrt(7))
        z.append(np.array([(noisy["people"][0] - blocks[-2].sum()) / spread]))
    if not public.rich:
        spread = math.hypot(_scale(claim, "people"), _scale(claim, "lengths") * math.sqrt(len(noisy["lengths"])))
        z.append(np.array([(noisy["people"][0] - noisy["lengths"].sum()) / spread]))
    if "gap place" in public.timed:
        zero("gap place", noisy["gap place"].reshape(10, -1)[0])  # the first event of an object follows no gap
    if "gap part" in public.timed:
        parts = DAY_GAP_PARTS if public.merged else GAP_PARTS
        zero("gap part", noisy["gap part"].reshape(side - 1, -1, parts)[:, 0, 1:])  # none has no parts
    every = np.concatenate(z)
    low = lower_tail(len(every), float(every @ every))
    return Check(
        name="noise is as large as declared",
        passed=low > RARE and 1 - low > RARE,
        detail=f"{counted(len(every), 'number')} that are noise alone; so small or smaller with probability {low:.2g}",
    )


def lower_tail(freedom: int, total: float) -> float:
    """Probability that a sum of squares of so many standard normals is at most `total`."""
    a, x = freedom / 2, total / 2
    if x <= 0:
        return 0.0
    if x > a + 40 * math.sqrt(a) + 100:
        return 1.0
    term = math.exp(a * math.log(x) - x - math.lgamma(a + 1))
    out, n = 0.0, 0
    while term > 1e-18 * max(out, 1e-300) or n < x:
        out += term
        n += 1
        term *= x / (a + n)
        if n > 100_000:
            break
    return min(out, 1.0)


def copies(claim: Claim, source: Any) -> list[Check]:
    """With the original: released traces that repeat a person's states and times exactly, beyond what chance gives."""
    table = claim.tables["events"].slice(0)  # in memory, as the original is
    kind = table["time"].type
    order = pa.types.is_integer(kind)
    times = table["time"].to_numpy() if order else table["time"].cast(pa.timestamp("s")).cast(pa.int64()).to_numpy()
    states, objects = table["state"].to_pylist(), table["object"].to_numpy()
    least = 3 if not order and pa.types.is_timestamp(kind) else 10

    def traces(names: list[str], t: np.ndarray, bounds: list[int]) -> list[tuple[Any, ...]]:
        steps = [0] * len(names) if order else np.diff(t, prepend=t[:1]).tolist()
        spans = pairwise(bounds)
        return [(*names[a:b], *steps[a + 1 : b]) for a, b in spans if b - a >= least]

    begins = np.flatnonzero(np.r_[True, objects[1:] != objects[:-1]]).tolist()
    shown = traces(states, times, [*begins, len(objects)])
    book, model = claim.tables.get("codebook"), claim.tables.get("model")
    named = set(states)
    named |= set(
        book["state"].to_pylist() if book is not None else model["to"].to_pylist() if model is not None else ()
    )
    folded = [name if name in named else "OTHER" for name in source.state_names]
    own = np.array(folded, dtype=object)[source.states].tolist()
    held: dict[tuple[Any, ...], int] = {}
    for trace in traces(own, source.times, source.offsets.tolist()):
        held[trace] = held.get(trace, 0) + 1
    near = 0 if order else _nearly(shown, list(held), NEARLY_LEAST)
    drawn = Counter(shown)  # what is drawn again and again is common in the law, and no copy
    found = sum(held.get(trace) == 1 and drawn[trace] == 1 for trace in shown)
    most = max(5, math.ceil((0.02 if least == 3 else 0.25) * len(shown)))
    what = "states and gaps" if not order else "states"
    return [
        Check(
            name="no copies of people",
            passed=found <= most,
            detail=f"{found} of {counted(len(shown), 'object')} with {least} or more events repeat {what} that "
            f"one person of the "
            f"original alone has; independent draws give at most {most}",
        ),
        *([] if order else [_no_shifted(near, len(shown))]),
    ]


NEARLY_LEAST = 5
"""Events of a trace whose gaps are compared with a tolerance: four gaps or more."""


def _no_shifted(near: int, n: int) -> Check:
    most = max(5, math.ceil(0.02 * n))
    return Check(
        name="no copies of people with shifted times",
        passed=near <= most,
        detail=f"{near} of {counted(n, 'object')} repeat the states of one person and every gap to within 2 seconds or "
        f"1 %, where gaps differ; independent draws give at most {most}",
    )


def _nearly(shown: list[tuple[Any, ...]], held: list[tuple[Any, ...]], least: int) -> int:
    """Traces with the states of a trace of the original, and all gaps nearly its gaps."""
    by_states: dict[tuple[Any, ...], list[np.ndarray]] = {}

    def split(trace: tuple[Any, ...]) -> tuple[tuple[Any, ...], np.ndarray]:
        n = (len(trace) + 1) // 2
        return trace[:n], np.array(trace[n:], dtype=float)

    for trace in held:
        states, gaps = split(trace)
        if len(states) >= least and len(set(gaps.tolist())) > 2:
            by_states.setdefault(states, []).append(gaps)
    found = 0
    for trace in shown:
        states, gaps = split(trace)
        rows = by_states.get(states, ())
        found += any((np.abs(gaps - own) <= 2 + 0.01 * own).all() for own in rows)
    return found
