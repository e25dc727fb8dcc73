"""What a release of `markov-dp` shows about its noise: the number of cells, the clips, and known zeros.

The rules are written here anew from the method's page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.release import Check, Claim

UNITS, ELSE, MISSING = 1 << 20, "other", "missing"
DAY = 86400
COLUMNS, MODEL = ("family", "cell", "value"), ("statistic", "from", "to", "length_from", "length_to", "value")
GAP_BINS, DAY_GAP_BINS, GAP_PARTS, GAP_CLASSES = 24, 13, 6, 8
SPAN_CLASSES = 8


class Clipped(NamedTuple):
    """How a table of the time model is clipped: so many times the clip of another one."""

    times: float
    clip: str


FEW = {
    "seen": Clipped(1.25, "pairs"), "place": Clipped(1.25, "pairs"), "before": Clipped(1.0, "pairs"),
    "gap before": Clipped(1.0, "gaps"), "gap place": Clipped(1.5, "gaps"),
}  # fmt: skip
MORE = {"hour": Clipped(1.0, "pairs"), "gap hour": Clipped(1.0, "gaps"), "gap part": Clipped(1.0, "gaps")}
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


def public_numbers(claim: Claim) -> Public:
    """The numbers of the model beside the events."""
    model = claim.tables["model"]
    rows = list(zip(*(model[c].to_pylist() for c in MODEL)))
    clips = {str(a): float(v) for s, a, _, _, _, v in rows if s == "clip"}
    names = tuple(str(b) for s, _, b, _, _, _ in rows if s == "state")
    value = {s: float(v) for s, _, _, _, _, v in rows if s == "people"}
    kind = claim.tables["events"].schema.field("time").type
    unit = "order" if pa.types.is_integer(kind) else "second" if pa.types.is_timestamp(kind) else "day"
    assert claim.ledger is not None
    strength = float(claim.parameters["people_at_least"]) * math.sqrt(claim.ledger.total)
    # Which tables there are follows from what was declared, and never from how many states survived their noise.
    at_most = claim.parameters.get("states_at_most")
    listed = sum(s == "code" for s, *_ in rows)
    codes = len(names) if claim.parameters["codebook"] is not None else math.inf if at_most is None else at_most + 1
    codes = listed + 1 if listed else codes
    rich = strength >= 60 * codes and claim.federation is None  # whole traces do not leave a site
    timed = {} if unit != "second" or strength < 15 * codes else FEW | MORE if rich else FEW
    able = int(claim.parameters["max_events"]) >= 200 and unit != "order"
    return Public(
        names=names, people=value["people"], rich=rich, clips=clips, unit=unit, timed=timed,
        by_length=able and strength >= max(600, 10 * codes), attributes=declared(claim),
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


def published_as(claim: Claim, shown: Iterable[str]) -> Callable[[str], str]:
    """What a state of the original is called in a release: by its list of codes, by prefixes, or as it is."""
    book, model = claim.tables.get("codebook"), claim.tables.get("model")
    named, listed = {*shown}, {}
    if book is not None:
        named |= set(book["state"].to_pylist())
    elif model is not None:
        named |= set(model["to"].to_pylist())
        rows = zip(model["statistic"].to_pylist(), model["from"].to_pylist(), model["to"].to_pylist())
        listed = {code: to for kind, code, to in rows if kind == "code"}
    levels = claim.parameters.get("code_levels")
    prefixes = [int(x) for x in str(levels).split(",")] if levels else []

    def name(state: str) -> str:
        if listed:
            return str(listed.get(state, "OTHER"))
        return next((n for n in (state, *(f"{state[:k]}*" for k in prefixes)) if n in named), "OTHER")

    return name


def values_of(declaration: str) -> list[str] | None:
    """The values of a declared column; None where they stand in a file."""
    listed = declaration.partition(":")[2]
    if listed.startswith("@"):
        return None
    words = [word.strip() for word in listed.split(",") if word.strip()]
    try:
        cuts = [f"{float(word):g}" for word in words]
    except ValueError:
        return [*dict.fromkeys(w for w in words if w not in (ELSE, MISSING)), ELSE, MISSING]
    return [f"below {cuts[0]}", *(f"{a} to {b}" for a, b in pairwise(cuts)), f"{cuts[-1]} or more", MISSING]


def _told_by_nobody(claim: Claim, public: Public) -> Check:
    """What stands in the model beside what was measured follows from declarations: states and values are numbered."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for kind, *row in zip(*(claim.tables["model"][c].to_pylist() for c in MODEL)):
        found.setdefault(kind, []).append(tuple(row))
    assert claim.ledger is not None
    strength = float(claim.parameters["people_at_least"]) * math.sqrt(claim.ledger.total)
    odd = int([row[4] for row in found["state"]] != [float(i) for i in range(len(public.names))])
    for parameter, statistic, left_out in (("attributes", "attribute", 0), ("event_values", "event value", 1)):
        for text in map(str, claim.parameters.get(parameter) or ()):
            mine = [row for row in found.get(statistic, []) if row[0] == text.partition(":")[0]]
            values = values_of(text)
            names = [row[1] for row in mine] if values is None else values[: len(values) - left_out]
            odd += [(row[1], row[4]) for row in mine] != [(name, float(i)) for i, name in enumerate(names)]
    index, order = found["index"][0][4], found["order"][0][4]
    odd += order != 1.0 + public.rich or not math.isclose(index, strength / len(public.names), rel_tol=1e-9)
    bins = {(a, b - 1) for a, b in pairwise(_length_edges(claim))}
    lengths = [row[2:4] for row in found.get("length", [])]
    odd += len({*lengths}) < len(lengths) or not {*lengths} <= bins
    return Check(name="the model says what was declared", passed=not odd, detail=f"{counted(odd, 'part')} of it do not")


def paired(claim: Claim) -> bool:
    """Whether attributes are counted two by two."""
    return len(claim.parameters.get("attributes") or ()) > 1


def by_value_before(claim: Claim, public: Public, noisy: Mapping[str, np.ndarray]) -> int:
    """Cells of the table of values by the value before; 0 where it is not measured."""
    carried = noisy["value states"].reshape(len(public.names), len(public.values)) > 3 * _scale(claim, "value states")
    bins = np.array(list(public.values.values()))
    cells = int((carried * ((bins + 1) * bins)).sum())
    assert claim.ledger is not None
    rho = {e.mechanism: e.amount for e in claim.ledger.entries if e.mechanism in ("values before", "values again")}
    sd = 2.0 / math.sqrt(2 * sum(rho.values()))
    enough = int(claim.parameters["people_at_least"]) >= 2.5 * sd * float(((bins + 1) * bins).sum())
    return max(cells, 1) if enough else 0


def linked(claim: Claim) -> bool:
    """Whether attributes are counted with length and states: a rule on public numbers."""
    assert claim.ledger is not None
    strength = float(claim.parameters["people_at_least"]) * math.sqrt(claim.ledger.total)
    return strength >= 200


def checks(claim: Claim) -> list[Check]:
    """Cells, clips, the number of objects, and noise where the truth is known."""
    try:
        return _checks(claim, public_numbers(claim))
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
    if not all(c.passed for c in out):
        return out
    last = [] if public.unit == "order" else [_durations(claim, public, noisy)]
    return [*out, _told_by_nobody(claim, public), _residuals(claim, public, noisy), *last]


def _durations(claim: Claim, public: Public, noisy: Mapping[str, np.ndarray]) -> Check:
    """Cases last as the noisy spans say: shares up to every bin differ by no more than noise and fitting explain."""
    begin: dict[int, int] = {}
    end: dict[int, int] = {}
    for batch in claim.tables["events"].select(["object", "time"]).to_batches():
        if len(batch):
            objects = batch[0].to_numpy()
            times = batch[1].cast(pa.timestamp("s")).cast(pa.int64()).to_numpy()
            at = np.flatnonzero(np.r_[True, objects[1:] != objects[:-1]])
            for o, first, last in zip(objects[at].tolist(), times[at].tolist(), times[np.r_[at[1:] - 1, -1]].tolist()):
                begin.setdefault(o, first)
                end[o] = last
    spans = np.array([end[o] - begin[o] for o in begin])
    edges = _span_edges(claim, public)
    shown = np.cumsum(np.histogram(np.minimum(spans, edges[-1] - 1), edges)[0]) / len(spans)
    said = np.cumsum(noisy["spans"])
    off = float(np.abs(shown - said / max(public.people, 1.0)).max())
    noise = math.hypot(*(_scale(claim, name) * math.sqrt(len(noisy[name])) for name in ("spans", "lengths")))
    most = 0.2 + 2.5 * noise / max(public.people, 1.0)
    return Check(
        name="durations follow the noisy spans",
        passed=off <= most,
        detail=f"shares of cases up to any duration differ by at most {off:.2f}; noise and fitting explain {most:.2f}",
    )


def _scale(claim: Claim, name: str) -> float:
    assert claim.ledger is not None
    scale = {e.mechanism: e.scale for e in claim.ledger.entries}[name] * more_noise(claim)
    return scale if name == "people" else scale / UNITS


def more_noise(claim: Claim) -> float:
    """By how much all sites together add more noise than those must that keep their word: sqrt(n / (n - t))."""
    about = claim.federation
    if about is None or about["trusted_combiner"]:
        return 1.0
    return math.sqrt(about["sites"] / (about["sites"] - about["collude"]))


def _sizes(claim: Claim, public: Public, noisy: Mapping[str, np.ndarray]) -> dict[str, int]:
    """Cells of every table."""
    s = len(public.names)
    side = s + 1
    bins = DAY_GAP_BINS if public.unit == "day" else GAP_BINS
    out = {"people": 1, "lengths": len(_length_edges(claim)) - 1, "pairs": side * side}
    strong = (noisy["pairs"] > 2 * _scale(claim, "pairs")).reshape(side, side)[:, :-1]
    if public.rich:
        out["triples"] = min(int(strong.sum()), 2_000_000 // side) * side
    if public.unit != "order":
        hours = 24 if public.unit == "second" else 0
        out |= {"gaps to": s * bins, "gaps between": int(strong[:-1].sum()) * bins}
        out |= {"spans": len(_span_edges(claim, public)) - 1, "span moments": 2 * SPAN_CLASSES}
        out |= {"starts": hours + 7 + _seasons(claim), "clock": hours + 7}
        if hours:
            out["state hours"] = 24 * s
    timed = {
        "seen": 4 * s, "place": 10 * s, "before": 8 * s * s, "gap before": 16 * s * GAP_CLASSES,
        "gap place": 10 * GAP_CLASSES,
        "hour": 8 * s * s, "gap hour": 8 * s * GAP_CLASSES,
        "gap part": s * bins * GAP_PARTS,
    }  # fmt: skip
    out |= {name: timed[name] for name in public.timed}
    if public.by_length:
        out["length"] = 4 * side * s
    if public.attributes:
        every = sum(public.attributes.values())
        out["attributes"] = every
        if linked(claim):
            out |= {"attribute lengths": 6 * every, "attribute states": s * every}
        if paired(claim):
            out["attribute pairs"] = sum(a * b for a, b in combinations(public.attributes.values(), 2))
    if public.values:
        out |= {"value states": s * len(public.values), "values": s * sum(public.values.values())}
        before = by_value_before(claim, public, noisy)
        out |= {"values before": before} if before else {"values again": out["values"]}
    return out


def _length_edges(claim: Claim) -> list[int]:
    """Bins of one length up to eight, then a fifth wider each; two by two merged while noise would drown them."""
    longest = int(claim.parameters["max_events"])
    edges = list(range(1, 9))
    while edges[-1] < longest:
        edges.append(max(edges[-1] + 1, round(edges[-1] * 1.21)))
    edges = [e for e in edges if e <= longest]
    sd = _scale(claim, "lengths")
    while len(edges) > 2 and int(claim.parameters["people_at_least"]) / (4 * sd) < len(edges):
        edges = edges[::2]
    return [*edges, longest + 1]


def _days(claim: Claim) -> tuple[np.datetime64, np.datetime64]:
    first, last = (np.datetime64(x.strip(), "D") for x in str(claim.parameters["dates"]).split(".."))
    return first, last


def _span_edges(claim: Claim, public: Public) -> list[float]:
    """Seconds: none, then up to the public range, each bin 1.41 times as wide as the one before (days: 1.3 times)."""
    first, last = _days(claim)
    n_days = max(int((last - first).astype(int)) + 1, 2)
    if public.unit == "day":
        edges = [0, 1]
        while edges[-1] < n_days:
            edges.append(max(edges[-1] + 1, round(1.3 * edges[-1])))
        seconds = [float(DAY * e) for e in edges]
    else:
        seconds = [0.0, 60.0]
        while seconds[-1] < DAY * n_days:
            seconds.append(seconds[-1] * math.sqrt(2))
    seconds[-1] = float(DAY * n_days)
    if len(seconds) > 3 and seconds[-1] < 1.15 * seconds[-2]:
        seconds.pop(-2)
    return seconds


def _seasons(claim: Claim) -> int:
    first, last = _days(claim)
    kind = "datetime64[M]" if (last - first).astype(int) + 1 <= 3660 else "datetime64[Y]"
    return int((last.astype(kind) - first.astype(kind)).astype(int)) + 1


def _residuals(claim: Claim, public: Public, noisy: Mapping[str, np.ndarray]) -> Check:
    """Where the truth is zero, or two sums must agree, what is left is noise alone: it must be as large as stated."""
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
        for name, cells in (("spans", noisy["spans"]), ("span moments", noisy["span moments"][::2])):
            spread = math.hypot(_scale(claim, "people"), _scale(claim, name) * math.sqrt(len(cells)))
            z.append(np.array([(noisy["people"][0] - cells.sum()) / spread]))  # everybody lasts some time, in one class
        # A case of one event lasts nothing: its place is -1 exactly.
        z.append(np.array([noisy["span moments"][:2].sum() / (_scale(claim, "span moments") * math.sqrt(2))]))
    if not public.rich:
        spread = math.hypot(_scale(claim, "people"), _scale(claim, "lengths") * math.sqrt(len(noisy["lengths"])))
        z.append(np.array([(noisy["people"][0] - noisy["lengths"].sum()) / spread]))
    if "gap place" in public.timed:
        zero("gap place", noisy["gap place"].reshape(10, -1)[0])  # the first event of an object follows no gap
    if "gap part" in public.timed:
        zero("gap part", noisy["gap part"].reshape(side - 1, -1, GAP_PARTS)[:, 0, 1:])  # none has no parts
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
