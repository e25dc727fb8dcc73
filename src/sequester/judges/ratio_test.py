"""Judge of the ratio test: recount every statistic the model may hold, and test each with its own arithmetic.

From the release alone it checks the log and, where the model is published, that each kept count passes. With the
original and the custodian's map of sections it recounts everything: what is kept must be equal and pass, and what
passes must be kept.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import counted, verb_for
from sequester.judges import ratio_cases, ratio_lengths
from sequester.judges.copied_traces import copies
from sequester.judges.events import EVENTS, log_checks, states_of
from sequester.judges.ratio_model import COLUMNS, model_checks
from sequester.model import Data, EventLog
from sequester.release import Check, Claim, from_release

DAY, HOUR = 86400, 3600
END = "(end)"
GAP_ENDS = (
    1, 10, 60, 300, 900, 1800, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 16 * HOUR, DAY, 36 * HOUR, 2 * DAY, 3 * DAY,
    5 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 60 * DAY, 90 * DAY, 180 * DAY, 365 * DAY,
)  # fmt: skip
"""Where bins of gaps end, in seconds; the last one is open."""
Key = tuple[Any, ...]
Tally = Counter[Key]


def judge(claim: Claim, source: Data | None) -> list[Check]:
    """Check a log made from an ensemble of tested statistics."""
    columns = (*EVENTS, *ratio_cases.carried(claim))
    checks = log_checks(claim, tables=("events", "model"), columns=columns)
    try:
        epsilon = float(claim.guarantee.parameters["epsilon"])
        mode = str(claim.guarantee.parameters["test"])
    except (KeyError, TypeError, ValueError):
        return [*checks, Check(name="promise", passed=False, detail="the promise states no epsilon and test")]
    if all(c.passed for c in checks):
        checks += ratio_cases.shape(claim)
    model = claim.tables.get("model")
    if model is not None:
        checks += model_checks(model, epsilon, mode)
    checks = from_release(checks)
    if not all(c.passed for c in checks) or not isinstance(source, EventLog):
        return checks
    names = set(source.state_names)
    new = len(states_of(claim.tables["events"]) - names)
    checks.append(Check(name="states are those of the original", passed=new == 0, detail=f"{new} unknown states"))
    checks += copies(claim, source)
    kept = model if model is not None else claim.private.get("model")
    sections = claim.private.get("sections")
    if kept is not None and sections is not None:
        kept, sections = kept.slice(0), sections.slice(0)  # in memory, wherever they lie
        if model is None:
            checks += model_checks(kept, epsilon, mode)
        if all(c.passed for c in checks):
            checks += _recount(claim, source, kept, sections, epsilon, mode)
    return checks


def passes(count: int, out_of: int, epsilon: float) -> bool:
    """count/out_of over (count-1)/(out_of-1) is at most e^epsilon; a count of 1 never passes."""
    if count < 2:
        return False
    return math.log(count) + math.log(max(out_of - 1, 1)) - math.log(out_of) - math.log(count - 1) <= epsilon + 1e-12


def _rows(model: pa.Table) -> list[tuple[Key, dict[str, Any]]]:
    return [(tuple(r[c] for c in COLUMNS[:8]), r) for r in model.to_pylist()]


def _recount(
    claim: Claim, log: EventLog, model: pa.Table, sections: pa.Table, epsilon: float, mode: str
) -> list[Check]:
    try:
        owner, first, size, cluster = (sections[c].to_pylist() for c in ("person", "first_event", "events", "cluster"))
    except KeyError:
        return [Check(name="map of sections", passed=False, detail="a column of the custodian's map is missing")]
    whose = np.repeat(log.persons, np.diff(log.offsets)).tolist()
    tiles = sum(size) == len(log.states) and first == [0, *np.cumsum(size)[:-1].tolist()]
    tiles = tiles and all(whose[f] == whose[f + s - 1] == p for p, f, s in zip(owner, first, size))
    if not tiles:
        return [Check(name="map of sections", passed=False, detail="sections do not cover the log person by person")]
    tally: Tally = Counter()
    cases, checks = ratio_cases.recoded(claim, log)
    if not all(c.passed for c in checks):
        return checks
    _count_states(tally, claim, log, first, size, cluster, [cases.get(p, ()) for p in owner])
    _count_sections(tally, claim, log, owner, first, size, cluster)
    for name in ratio_lengths.groups(size, lambda c: mode == "off" or passes(c, len(size), epsilon)):
        tally[("states", "lengths", "all", None, None, None, None, name)] += 1
    _count_cases(tally, owner, cluster, cases)
    return [*checks, *_compare(tally, _rows(model), epsilon, mode)]


def _clock(log: EventLog) -> list[int]:
    """Times as the method works with them: events known by their day alone are a minute apart."""
    times: list[int] = log.times.tolist()
    if log.time_unit != "day":
        return times
    ends = set(log.offsets.tolist())
    at = 0
    while at < len(times):
        stop = at + 1
        while stop < len(times) and stop not in ends and times[stop] == times[at]:
            stop += 1
        step = min(60, (DAY - 1) // (stop - at))
        day = times[at] // DAY * DAY
        for i in range(at, stop):
            times[i] = day + (i - at) * step
        at = stop
    return times


def _moments(times: Sequence[int], year0: int, unit: str) -> dict[str, list[int]]:
    """Weekday, hour, month and year of every moment."""
    t = np.array(times, np.int64)
    if unit == "order":
        return dict.fromkeys(("weekday", "hour", "month", "year"), [0] * len(t))
    month = (t // DAY).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return {
        "weekday": ((t // DAY + 3) % 7).tolist(),
        "hour": (t % DAY // HOUR).tolist(),
        "month": (month % 12).tolist(),
        "year": np.clip(month // 12 + 1970 - year0, 0, 1023).tolist(),
    }


def _known(factors: Sequence[str], unit: str) -> list[str]:
    knows = {
        "second": {"duration", "weekday", "hour", "month", "year"},
        "day": {"duration", "weekday", "month", "year"},
    }
    return [f for f in factors if f in knows.get(unit, {"duration"})]


def _year0(times: Sequence[int], unit: str) -> int:
    return (
        1970
        if unit == "order"
        else int(np.datetime64(min(times) // DAY, "D").astype("datetime64[Y]").astype(int)) + 1970
    )


Level = tuple[str, str | None, Any, Any]


def _levels(cluster: int | None, values: Sequence[tuple[str, int]]) -> list[Level]:
    """Every model a record belongs to: level, factor, cluster, value; without a cluster the two outer levels."""
    out: list[Level] = [("all", None, None, None)] + [("factor", f, None, v) for f, v in values]
    if cluster is not None:
        out += [("cluster", None, cluster, None)] + [("cluster&factor", f, cluster, v) for f, v in values]
    return out


def _count_states(
    tally: Tally,
    claim: Claim,
    log: EventLog,
    first: list[int],
    size: list[int],
    cluster: list[int],
    cases: list[ratio_cases.Codes],
) -> None:
    times, states, unit = _clock(log), log.states.tolist(), log.time_unit
    found = log.times.tolist()
    names = log.state_names
    moments = _moments(times, _year0(times, unit), unit)
    factors = _known(claim.parameters.get("factors", ()), unit)
    hour = HOUR if unit != "order" else 1
    for f, s, c, case in zip(first, size, cluster, cases, strict=True):
        of_case = [(f"attribute {column}", code) for column, code, _ in case]
        length = times[f + s - 1] - times[f]
        bin_of_section = (length // hour).bit_length()
        values = [[bin_of_section] * s if k == "duration" else moments[k][f : f + s] for k in factors]
        for level in _levels(c, [*((k, v[0]) for k, v in zip(factors, values, strict=True)), *of_case]):
            tally[("states", "start", *level, None, names[states[f]])] += 1
        for p in range(f, f + s):
            last_one = p == f + s - 1
            a, b = names[states[p]], END if last_one else names[states[p + 1]]
            here = [*((k, v[p - f]) for k, v in zip(factors, values, strict=True)), *of_case]
            for level in _levels(c, here):
                tally[("states", "move", *level, a, b)] += 1
            if not last_one and unit != "order":
                before = found[p] - found[p - 1] if p > f else -1
                previous = 4 if p == f else 0 if before < 1 else 1 if before < HOUR else 2 if before < DAY else 3
                bin_ = str(_gap_bin(found[p + 1] - found[p]))
                for level in _levels(c, [*here, ("previous gap", previous)]):
                    tally[("states", "gap", *level, f"{a} > {b}", bin_)] += 1
            if unit == "second":
                tally[("states", "clock", "all", None, None, None, a, str(moments["hour"][p]))] += 1
        tally[("states", "length", "cluster", None, c, None, None, str(ratio_lengths.bin_of(s)))] += 1
        for level in (("all", None, None, None), ("cluster", None, c, None)):
            tally[("states", "duration", *level, None, str(bin_of_section))] += 1


def _count_sections(
    tally: Tally,
    claim: Claim,
    log: EventLog,
    owner: list[str],
    first: list[int],
    size: list[int],
    cluster: list[int],
) -> None:
    found = log.times.tolist()
    times, unit = _clock(log), log.time_unit
    begin = [times[f] for f in first]
    moments = _moments(begin, _year0(times, unit), unit)
    factors = _known(claim.parameters.get("section_factors", ()), unit) if unit != "order" else []
    at = 0
    while at < len(owner):
        stop = at
        while stop < len(owner) and owner[stop] == owner[at]:
            stop += 1
        for level in _levels(None, [(k, moments[k][at]) for k in factors]):
            tally[("sections", "start", *level, None, str(cluster[at]))] += 1
        for i in range(at, stop):
            follows = str(cluster[i + 1]) if i + 1 < stop else END
            for level in _levels(None, [(k, moments[k][i]) for k in factors]):
                tally[("sections", "move", *level, str(cluster[i]), follows)] += 1
            if i + 1 < stop:
                rest = found[first[i + 1]] - found[first[i] + size[i] - 1]
                for level in (("all", None, None, None), ("cluster", None, cluster[i], None)):
                    tally[("states", "pause", *level, None, str(_gap_bin(rest)))] += 1
        if unit != "order":
            last = first[stop - 1] + size[stop - 1] - 1
            span = ratio_lengths.span_bin(found[last] - found[first[at]], unit)
            own = ratio_lengths.length_class(last - first[at] + 1)
            tally[("states", "span", "all", None, None, None, own, span)] += 1
            for level in _levels(None, [(k, moments[k][at]) for k in factors if k == "year"]):
                tally[("states", "spans", *level, None, span)] += 1
        at = stop


def _count_cases(tally: Tally, owner: list[str], cluster: list[int], cases: dict[str, ratio_cases.Codes]) -> None:
    """Values of declared columns, over all people and by the cluster of their first section."""
    for person, c in dict(zip(reversed(owner), reversed(cluster))).items():
        for column, _, value in cases.get(person, ()):
            for level in (("all", None, None, None), ("cluster", None, c, None)):
                tally[("states", "attribute", *level, column, value)] += 1


def _gap_bin(gap: int) -> int:
    return sum(gap >= end for end in GAP_ENDS)


def _compare(tally: Tally, rows: list[tuple[Key, dict[str, Any]]], epsilon: float, mode: str) -> list[Check]:
    totals: dict[Key, list[int]] = {}
    for key, count in tally.items():
        totals.setdefault(key[:7], []).append(count)
    differ = sum(key not in tally or r["count"] != tally[key] or r["out_of"] != sum(totals[key[:7]]) for key, r in rows)
    found: dict[Key, list[int]] = {}
    for key, _ in rows:
        if key in tally:
            found.setdefault(key[:7], []).append(tally[key])
    lost = small = 0
    for key, counts in totals.items():
        # Where equal counts meet the threshold one by one, which of them stay is a matter of names; how many is not.
        want, have = _kept(counts, epsilon, mode), sorted(found.get(key, []))
        lost += max(len(want) - len(have), 0)
        small += sum(c not in want for c in have) + max(len(have) - len(want), 0)
    return [
        Check(
            name="counts equal a recount",
            passed=differ == 0,
            detail=f"{differ} of {counted(len(rows), 'count')} {verb_for(differ, 'differs', 'differ')}",
        ),
        Check(
            name="suppressed statistics fail the test",
            passed=lost == 0 and small == 0,
            detail=f"{lost} that pass are missing, {small} that fail are kept, of {len(tally)} counted",
        ),
    ]


def _kept(counts: list[int], epsilon: float, mode: str) -> list[int]:
    """Counts of a row that stay, in rising order; larger counts pass more easily."""
    rising, n = sorted(counts), sum(counts)
    if mode == "off":
        return rising
    for i, c in enumerate(rising):
        if passes(c, n, epsilon):
            return rising[i:]
        if mode == "sequential":
            n -= c
    return []
