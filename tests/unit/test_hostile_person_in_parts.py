"""One more person, however odd and wherever they stand: others are read as before, in memory and in parts.

Nothing that one person writes decides a name, a type, a length or a refusal where the custodian declared it.
"""

import json

import pytest

import sequester as sq
from sequester.engines import Engine
from sequester.read import dealing, streams
from tests.unit.test_hostile_person import ODD, STATES, activity_rows, event_rows, long_rows, stored, symbol_rows

MANY = (*ODD, *(f"state {i}" for i in range(600)))
"""Odd cells, and more different ones than there are codes for states."""
HOURS = {"interval": 3600, "dates": "2024-03-04..2024-03-09", "time_format": "iso"}
LONG = ("person", "time", "state")


def steps():
    return [(f"p{i}", f"2024-03-04 {j:02d}:00", str(j * (i + 3) % 7)) for i in range(5) for j in range(24)]


def spans():
    return [
        (f"p{i}", f"2024-03-04 {j:02d}:00", f"2024-03-04 {j:02d}:40", STATES[j % 4]) for i in range(5) for j in range(9)
    ]


def weeks():
    return [(f"p{i}", *(STATES[(i + j) % 4] for j in range(4))) for i in range(9)]


def lists():
    return [(row[0], json.dumps(row[1:])) for row in weeks()]


CASES = {
    "events": ("events", event_rows, LONG, long_rows(),
               {"time": "time", "state": "state", "time_format": "iso", "time_unit": "second"}),
    "observations": ("activity", activity_rows, LONG, long_rows(),
                     {"time": "time", "state": "state", "states": STATES, **HOURS}),
    "own days": ("activity", activity_rows, LONG, long_rows(),
                 {"time": "time", "state": "state", "states": STATES, "interval": 3600, "align": "start", "days": 5,
                  "time_format": "iso"}),
    "spans": ("activity", activity_rows, ("person", "from", "to", "state"), spans(),
              {"start": "from", "end": "to", "state": "state", "states": STATES, **HOURS}),
    "counts": ("activity", activity_rows, ("person", "time", "steps"), steps(),
               {"time": "time", "value": "steps", "bins": ("1", "4"), "names": ("still", "light", "brisk"),
                "nonwear": "3", **HOURS}),
    "a column per interval": ("activity", activity_rows, ("person", "t1", "t2", "t3", "t4"), weeks(),
                              {"states": STATES, "days": 1, "interval": 21600}),
    "lists": ("activity", activity_rows, ("person", "day"), lists(),
              {"state": "day", "states": STATES, "days": 1, "interval": 21600}),
    "symbols": ("symbols", symbol_rows, LONG, long_rows(),
                {"value": ("state",), "time": "time", "symbolize": "none", "symbols": ("1.0", "true", "A", "b_c"),
                 "time_format": "iso"}),
    "signals": ("symbols", symbol_rows, ("person", "time", "steps"), steps(),
                {"value": ("steps",), "time": "time", "window": 2, "alphabet": 3, "time_format": "iso"}),
}  # fmt: skip


@pytest.mark.parametrize("at", ["first", "middle", "last"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("case", CASES)
def test_others_are_read_as_before_in_memory_and_in_parts(case, form, at, tmp_path, monkeypatch):
    kind, told, names, rows, roles = CASES[case]
    monkeypatch.setattr(streams, "ROWS_AT_ONCE", 50)
    monkeypatch.setattr(dealing, "BYTES_PER_ROW", 1 << 20)
    odd = [("odd", *(MANY[(7 * i + j * j) % len(MANY)] for j in range(len(names) - 1))) for i in range(len(MANY))]
    odd = odd[:3] if case in ("a column per interval", "lists") else odd  # of people who have several rows, one is kept
    here = {"first": 0, "middle": len(rows) // 2, "last": len(rows)}[at]

    def read(some, folder):
        source = stored(tmp_path, form, names, some)
        whole = getattr(sq, {"events": "read_events", "symbols": "read_symbols"}.get(kind, "read_activities"))
        engine = Engine(threads=1, memory=300 << 20)
        parts = sq.read_parts(kind, source, tmp_path / folder, engine=engine, person="person", **roles)
        assert len(parts.paths) > 1
        return whole(source, person="person", **roles), parts

    alone, _ = read(rows, "alone")
    beside, parts = read([*rows[:here], *odd, *rows[here:]], "beside")
    want = told(alone)
    assert parts.whole().fingerprint() == beside.fingerprint() and parts.notes == beside.notes
    for data in (beside, parts.whole()):
        found = told(data)
        assert {p: found[p] for p in want} == want and set(found) - set(want) <= {"odd"}
        assert data.reading == alone.reading
        if kind != "events":  # the names of events are the method's matter: it brings a code book
            field = "alphabet" if kind == "symbols" else "state_names"
            assert getattr(data, field) == getattr(alone, field) == getattr(parts, field)
