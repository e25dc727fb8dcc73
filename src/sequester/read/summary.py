"""What was read, in a few lines: whose it is, how much, when, and what is missing. Private."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sequester.errors import counted
from sequester.kinds import kind_named
from sequester.model import MISSING
from sequester.release import Evidence

PAIRS = 40
"""People compared with each other: who shares no time with others cannot be hidden among them."""
REGULAR = 0.8
"""Share of gaps of one length that are no gaps but the step of a recording."""


def summarize(data: Any, roles: Mapping[str, Any] | None = None) -> Evidence:
    """How a source was understood, as evidence for the custodian.

    Parameters
    ----------
    data
        Data as a reader made it.
    roles
        The options it was read with.
    """
    rows = [{"line": line, "about": "figures"} for line in figures(data, roles)]
    rows += [{"line": line, "about": "undeclared"} for line in undeclared(data)]
    rows += [{"line": _capital(str(note)), "about": "note"} for note in data.notes]
    sentence = ". ".join(str(row["line"]).rstrip(".") for row in rows) + "."
    return Evidence(about="reading", saw_original=True, summary=sentence, rows={"lines": rows})


def figures(data: Any, roles: Mapping[str, Any] | None = None) -> list[str]:
    """Whose it is and how much, a sentence a line."""
    parts = _figures(data) if data.in_memory else []  # more would take another pass
    return [_capital(line) for line in (whose(data, (roles or {}).get("person")), *parts)]


def undeclared(data: Any) -> list[str]:
    """What nobody declared and the reader therefore took from the data, in one line if there is any."""
    found = [f"{f.name}: {f.value}" for f in data.reading if f.how == "found"]
    return ["Found in the data, not declared: " + "; ".join(found)] if found else []


def _figures(data: Any) -> list[str]:
    kind = kind_named(data.kind)
    return list(kind.load("summary")(data)) if kind.summary else []


def whose(data: Any, person: str | None) -> str:
    """`person = patient_id: 40 people, 1,227 visits`."""
    what = kind_named(data.kind).records
    n = data.n_items if data.kind == "events" else data.n_records
    known = data.people_known
    said = (
        f"person = {person or 'person'}"
        if known
        else "nobody knows whose records these are: no column of people was named"
    )
    people = f"{counted(f'{data.n_people:,}', 'person', 'people')}, " if known else ""
    return f"{said}: {people}{_many(n, what)}"


def _many(n: int, what: str) -> str:
    """`1 event`, `1,227 events`, `1 series`."""
    return counted(f"{n:,}", what if what == "series" else what.removesuffix("s"), what)


def spread(counts: np.ndarray, what: str) -> str:
    """`1 to 90 events per person, median 30`."""
    if not len(counts):
        return f"no {what}"
    low, high = int(counts.min()), int(counts.max())
    if low == high:
        return f"{_many(low, what)} per person"
    return f"{low:,} to {high:,} {what} per person, median {int(np.median(counts)):,}"


def _capital(line: str) -> str:
    return line[:1].upper() + line[1:]


def _per_person(data: Any) -> np.ndarray:
    return np.unique(data.persons.astype(str), return_counts=True)[1] if data.n_records else np.zeros(0, int)


def events(data: Any) -> list[str]:
    """What was read of it, in figures."""
    out = [spread(np.diff(data.offsets), "events"), counted(f"{len(data.state_names):,}", "different state")]
    if data.time_unit != "order" and len(data.times):
        first, last = (np.datetime64(int(t), "s").astype("datetime64[D]") for t in (data.times.min(), data.times.max()))
        out.append(f"from {first} to {last}, to the {data.time_unit}")
        out += _together_in_events(data)
    else:
        out.append("only the order of events is known")
    if MISSING in data.state_names:
        share = float((data.states == data.state_names.index(MISSING)).mean())
        out.append(f"{share:.1%} of the states are missing")
    return out


def activity(data: Any) -> list[str]:
    """What was read of it, in figures."""
    n, width = data.states.shape
    days = width * data.interval_seconds / 86400
    nothing = {name: c for c, name in enumerate(data.state_names) if name in (MISSING, "not worn")}
    out = [
        f"{counted(f'{days:g}', 'day')} from {data.start.astype('datetime64[D]')}, one state every "
        f"{spoken(data.interval_seconds)}"
    ]
    shares = ", ".join(f"{name} {float((data.states == c).mean()):.1%}" for name, c in nothing.items())
    out.append(f"observed {data.observed:.1%}" + (f", {shares}" if shares else ""))
    if nothing and n > 1:
        both = shared_share(~np.isin(data.states[:PAIRS], list(nothing.values())))
        out.append(f"on average, two people were observed together for {both:.0%} of the time of the one observed less")
    seen = ~np.isin(data.states[:PAIRS], list(nothing.values()))
    between = np.concatenate([np.diff(np.flatnonzero(row)) for row in seen]) if len(seen) else np.zeros(0, int)
    if len(between) and (usual := int(np.median(between))) > 1 and np.mean(between == usual) > REGULAR:
        apart, length = spoken(usual * data.interval_seconds), spoken(data.interval_seconds)
        out.append(
            f"most intervals hold no row: there is one every {apart}, and one state every {length} was asked for"
        )
    return out


def spoken(seconds: int) -> str:
    """`minute`, `5 minutes`, `30 seconds`."""
    for length, name in ((3600, "hour"), (60, "minute")):
        if seconds % length == 0:
            n = seconds // length
            return name if n == 1 else f"{n} {name}s"
    return "second" if seconds == 1 else f"{seconds} seconds"


def series(data: Any) -> list[str]:
    """What was read of it, in figures."""
    share = float(np.isnan(data.values).mean()) if data.values.size else 0.0
    gaps = f"{share:.1%} of the values are missing" if share else "no value is missing"
    ends = f": {data.times[0]} to {data.times[-1]}" if len(data.times) > 1 else ""  # shows a column that is no time
    return [
        spread(_per_person(data), "records"),
        f"{counted(len(data.times), 'time')}{ends}",
        gaps,
        *_together_in_series(data),
    ]


def symbols(data: Any) -> list[str]:
    """What was read of it, in figures."""
    return [
        spread(_per_person(data), "series"),
        f"{counted(f'{len(data.symbols):,}', 'symbol')} of {len(data.alphabet)} kinds",
    ]


def text(data: Any) -> list[str]:
    """What was read of it, in figures."""
    whose = [spread(_per_person(data), "documents")] if data.people_known else []
    return [*whose, f"{counted(f'{len(data.utf8):,}', 'byte')} of text"]


def some_people(n: int) -> np.ndarray:
    """People from all of the source: those who stand together in a file were often recorded together."""
    return np.linspace(0, n - 1, min(n, PAIRS)).astype(np.int64)


def _together_in_events(log: Any) -> list[str]:
    """Of a log with times: from everybody's first to last event."""
    if log.n_records < 2:
        return []
    some = some_people(log.n_records)
    share = shared_span(log.times[log.offsets[some]], log.times[log.offsets[some + 1] - 1])
    return [f"people overlap in time by {share:.0%} on average; little overlap makes hiding harder"]


def _together_in_series(data: Any) -> list[str]:
    """Of series with missing values: the times at which both have one."""
    if data.n_records < 2 or not np.isnan(data.values).any():
        return []
    seen = ~np.isnan(data.values[some_people(data.n_records)])
    return [f"on average, two records share {shared_share(seen):.0%} of the times of the one that has fewer"]


def shared_share(observed: np.ndarray) -> float:
    """Mean over pairs: what both have, in what the one with less has; a pair of which one has nothing is left out."""
    both = np.stack([np.count_nonzero(observed & row, axis=1) for row in observed])  # BLAS would wake its threads
    own = np.diag(both)
    a, b = np.triu_indices(len(observed), 1)
    least = np.minimum(own[a], own[b])
    known = least > 0
    return float((both[a, b][known] / least[known]).mean()) if known.any() else 0.0


def shared_span(first: np.ndarray, last: np.ndarray) -> float:
    """Mean over pairs of people: how much of the shorter time, from first to last event, lies inside the other's."""
    a, b = np.triu_indices(len(first), 1)
    least = np.minimum((last - first)[a], (last - first)[b]).astype(np.float64)
    both = np.minimum(last[a], last[b]) - np.maximum(first[a], first[b])
    # Somebody with one event has no time of their own: it lies inside the other's, or not.
    inside = np.where(least > 0, np.clip(both, 0, None) / np.maximum(least, 1.0), both >= 0)
    return float(inside.mean())
