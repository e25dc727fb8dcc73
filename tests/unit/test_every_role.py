"""Every role and option of every reader changes what is read, or is refused: none is taken and then ignored.

What is read is the data and its notes, and which facts were found instead of told. That an option is written down does
not count.
"""

import inspect
import warnings

import pytest

import sequester as sq
from sequester.kinds import KINDS
from tests.role_sources import write_sources

SPANS = {"person": "rec", "start": "from", "end": "until", "state": "did"}
MINUTES = {"person": "rec", "time": "at", "state": "did"}
STEPS = {"person": "rec", "time": "at", "value": "steps", "bins": ("5", "20"), "names": ("a", "b", "c")}
LOG = {"person": "rec", "time": "at", "state": "did"}
SIGNAL = {"person": "rec", "value": ("mv",)}
WORDS = {"person": "each", "symbolize": "none"}
WIDE = {"person": "rec", "sensitive": ("outcome",)}
LONG = {"person": "who", "time": "at", "value": "mmol"}
MAP = "@people.csv"
BARE_LOG = {"person": "1", "time": "2", "state": "3"}

TRIES = {
    "text": [
        ("notes.csv", {}, "text", "ward"), ("notes.csv", {}, "document", "nr"), ("notes.csv", {}, "document", "ward"),
        ("notes.csv", {}, "person", "ward"),
        ("notes.csv", {}, "person", "each"), ("notes", {}, "person", "folder"), ("notes", {}, "person", "each"),
        ("notes-latin.csv", {}, "encoding", "latin-1"), ("note.txt", {}, "encoding", "latin-1"),
        ("notes.parquet", {}, "encoding", "latin-1"), ("notes.sqlite", {"table": "a"}, "table", "b"),
        ("notes.csv", {}, "table", "b"), ("notes", {}, "text", "ward"), ("notes", {}, "document", "ward"),
        ("notes", {}, "table", "b"), ("note.txt", {"encoding": "latin-1"}, "text", "ward"),
        ("note.txt", {"encoding": "latin-1"}, "document", "ward"), ("notes", {}, "person", "ward"),
        ("note.txt", {"encoding": "latin-1"}, "person", "ward"),
        ("note.txt", {"encoding": "latin-1"}, "person", "each"),
    ],
    "series": [
        ("wide.csv", {"sensitive": ("outcome",)}, "person", "rec"), ("wide.csv", WIDE, "person", "each"),
        ("long.csv", LONG, "time", "mmol"), ("wide.csv", WIDE, "time", "h1"), ("wide.csv", WIDE, "value", "h1"),
        ("long.csv", LONG, "value", "at"), ("long.csv", LONG, "sensitive", ("outcome",)),
        ("wide.csv", {"person": "rec"}, "sensitive", ("outcome",)), ("wide.csv", WIDE, "quasi", ("h2", "h1")),
        ("long.csv", LONG, "quasi", ("0", "2")), ("letters.csv", {}, "letters", "xyz"),
        ("wide.csv", WIDE, "people", MAP),
        ("wide.csv", {"sensitive": ("outcome",)}, "people", MAP), ("panel", {"person": "file"}, "files", "*.csv"),
        ("wide.csv", WIDE, "files", "*.csv"), ("bare.csv", {"person": "1", "sensitive": ("5",)}, "header", False),
        ("wide.parquet", WIDE, "header", False), ("wide.sqlite", {"table": "a"}, "table", "b"),
        ("wide.csv", WIDE, "table", "b"), ("panel", {"person": "file"}, "table", "b"),
        ("wide-latin.csv", {"person": "rec"}, "encoding", "latin-1"), ("wide.parquet", WIDE, "encoding", "latin-1"),
        ("wide.sqlite", {"table": "a"}, "encoding", "latin-1"), ("wide.sqlite", {"table": "a"}, "header", False),
        ("wide-block.csv", {"person": "rec"}, "skip_lines", 1),
        ("wide-block.csv", {"person": "rec", "skip_lines": 1}, "units_row", True),
        ("wide-comma.csv", {"person": "rec", "quasi": ("h1", "h2")}, "decimal", ","),
        *[("wide.parquet", WIDE, n, v) for n, v in {"skip_lines": 1, "units_row": True, "decimal": ","}.items()],
        ("wide.csv", WIDE, "quantity", "glucose"), ("wide.csv", WIDE, "unit_of", "mmol/L"),
    ],
    "activity": [
        ("minutes.csv", MINUTES, "person", "did"), ("minutes.csv", MINUTES, "time", "later"),
        ("minutes.csv", MINUTES, "time", "rec"),
        ("minutes.csv", MINUTES, "state", "rec"), ("minutes.csv", STEPS, "value", "more"),
        ("minutes.csv", STEPS, "value", "at"),
        ("minutes.csv", STEPS, "bins", ("5", "10")), ("minutes.csv", STEPS, "names", ("a", "b", "x")),
        ("minutes.csv", MINUTES, "bins", ("5",)), ("minutes.csv", MINUTES, "names", ("a",)),
        ("minutes.csv", STEPS, "unknown", ("?",)), ("spans.csv", SPANS, "start", "until"),
        ("spans.csv", SPANS, "end", "from"), ("spans2.csv", SPANS, "end", "late"),
        ("spans2.csv", {**SPANS, "end": "late"}, "start", "until"), ("spans.csv", SPANS, "time", "from"),
        ("minutes.csv", MINUTES, "start", "at"),
        ("minutes.csv", MINUTES, "interval", 3600), ("minutes.csv", MINUTES, "time_format", "iso"),
        ("days.csv", {}, "time_format", "iso"), ("days.csv", {}, "zone", "Europe/Berlin"),
        ("days.csv", {}, "align", "monday"),
        ("spans.csv", SPANS, "zone", "Europe/Berlin"), ("minutes.csv", {**MINUTES, "days": 2}, "align", "start"),
        ("minutes.csv", MINUTES, "align", "monday"), ("minutes.csv", MINUTES, "dates", "2024-03-04..2024-03-05"),
        ("days.csv", {}, "dates", "2024-03-04..2024-03-05"), ("minutes.csv", MINUTES, "first", "2024-03-03T00:00"),
        ("days.csv", {}, "first", "2024-03-03T00:00"), ("minutes.csv", MINUTES, "days", 3), ("days.csv", {}, "days", 3),
        ("minutes.csv", {**MINUTES, "dates": "2024-03-04..2024-03-05"}, "days", 3),
        ("minutes.csv", {**MINUTES, "dates": "2024-03-04..2024-03-05"}, "first", "2024-03-03T00:00"),
        ("minutes.csv", {**MINUTES, "dates": "2024-03-04..2024-03-05"}, "align", "monday"),
        ("minutes.csv", {**MINUTES, "align": "monday", "days": 2}, "first", "2024-03-03T00:00"),
        ("minutes.csv", STEPS, "valid", "1..30"), ("minutes.csv", STEPS, "nonwear", "3"),
        ("minutes.csv", {**STEPS, "days": 1, "valid_days": 1}, "valid_day", 5), ("minutes.csv", STEPS, "valid_day", 5),
        ("minutes.csv", {**STEPS, "days": 1}, "valid_days", 1),
        ("minutes.csv", {**STEPS, "days": 1, "valid_days": 2, "valid_day": 19}, "valid_days", 1),
        *[("minutes.csv", MINUTES, n, v) for n, v in
          {"valid": "1..30", "nonwear": "3", "valid_day": 5, "valid_days": 1, "states": ("a", "b"), "unknown": ("?",),
           "covariates": ("steps",), "least_observed": 0.0, "people": MAP}.items()],
        ("minutes.csv", STEPS, "states", ("a", "b")), ("minutes.csv", {**MINUTES, "person": None}, "people", MAP),
        ("counts", {**STEPS, "person": "file"}, "files", "*.csv"), ("minutes.csv", MINUTES, "files", "*.csv"),
        ("minutes-bare.csv", BARE_LOG, "header", False), ("minutes.parquet", MINUTES, "header", False),
        ("minutes.sqlite", {**MINUTES, "table": "a"}, "table", "b"), ("minutes.csv", MINUTES, "table", "b"),
        ("minutes-latin.csv", {**MINUTES, "time": "ät"}, "encoding", "latin-1"),
        ("minutes.parquet", MINUTES, "encoding", "latin-1"),
        ("block.csv", STEPS, "skip_lines", 2), ("block.csv", {**STEPS, "skip_lines": 2}, "units_row", True),
        ("apart.csv", {**STEPS, "time": "day", "decimal": ","}, "clock", "hour"),
        ("apart.csv", {**STEPS, "time": "day"}, "decimal", ","),
        ("minutes.csv", STEPS, "quantity", "glucose"), ("minutes.csv", STEPS, "unit_of", "mg/dL"),
        ("minutes.csv", {**STEPS, "interval": 3600}, "quantity", "glucose"), ("minutes.csv", MINUTES, "unit_of", "x"),
        ("days.csv", {}, "clock", "m1"), ("spans.csv", SPANS, "clock", "did"),
        ("days.csv", {}, "quasi", ("m1", "m2")), ("minutes.csv", MINUTES, "quasi", ("did",)),
    ],
    "events": [
        ("log.csv", LOG, "person", "ward"), ("log.csv", LOG, "time", "later"), ("log.csv", LOG, "time", "ward"),
        ("log.csv", LOG, "state", "ward"),
        ("log.csv", {"person": "rec", "time": "at"}, "states", ("did", "ward")),
        ("log.csv", LOG, "states", ("did", "ward")),
        ("log.csv", LOG, "attributes", ("ward",)), ("log.csv", LOG, "time_unit", "day"),
        ("log.csv", LOG, "time_unit", "order"),
        ("log.csv", LOG, "time_format", "iso"), ("log.csv", LOG, "zone", "Europe/Berlin"),
        *[("log.csv", {"person": "rec", "state": "did"}, n, v) for n, v in
          {"time_format": "iso", "zone": "Europe/Berlin", "time_unit": "day"}.items()],
        ("omop", {}, "layout", "omop"), ("meds", {}, "layout", "meds"), ("fhir", {}, "layout", "fhir"),
        ("log.csv", LOG, "people", MAP), ("log.csv", {**LOG, "person": None}, "people", MAP),
        ("logs", {"person": "file"}, "files", "*.csv"), ("log.csv", LOG, "files", "*.csv"),
        ("log-bare.csv", BARE_LOG, "header", False), ("log.parquet", LOG, "header", False),
        ("log.sqlite", {**LOG, "table": "a"}, "table", "b"), ("log.csv", LOG, "table", "b"),
        ("log-latin.csv", {**LOG, "time": "ät"}, "encoding", "latin-1"), ("log.parquet", LOG, "encoding", "latin-1"),
        *[("log.xes", {"person": "patient"}, n, v) for n, v in
          {"people": MAP, "files": "*.xes", "header": False, "table": "b", "encoding": "latin-1"}.items()],
        *[(form, {"layout": form}, n, v) for form in ("omop", "meds", "fhir") for n, v in
          {"people": MAP, "files": "*.csv", "header": False, "table": "b", "encoding": "latin-1"}.items()],
        ("log-block.csv", LOG, "skip_lines", 1), ("log-block.csv", {**LOG, "skip_lines": 1}, "units_row", True),
        ("log-apart.csv", {**LOG, "time_format": "%d.%m.%Y %H:%M"}, "clock", "hour"),
        ("log-apart.csv", {**LOG, "time_format": "%d.%m.%Y"}, "decimal", ","),
        ("log.xes", {"person": "patient"}, "skip_lines", 1), ("log.parquet", LOG, "decimal", ","),
    ],
    "symbols": [
        ("signal.csv", {"value": ("mv",)}, "person", "rec"), ("signal.csv", {"value": ("mv", "ohm")}, "person", "each"),
        ("signal.csv", {"person": "rec"}, "value", ("mv",)), ("signal.csv", SIGNAL, "time", "ohm"),
        *[("signal.csv", SIGNAL, n, v) for n, v in
          {"symbolize": "quantile", "window": 3, "alphabet": 5, "symbols": ("1", "2"), "from_": 2.0, "rate": 2.0,
           "lead": "V5", "time_format": "number", "people": MAP, "files": "*.csv", "table": "b"}.items()],
        ("signal.csv", {**SIGNAL, "window": 1, "alphabet": 40}, "std", "sample"),
        ("signal.csv", {**SIGNAL, "symbolize": "quantile"}, "std", "sample"),
        ("signal.csv", {**SIGNAL, "symbolize": "quantile"}, "symbolize", "equal-width"),
        ("signal.csv", {**SIGNAL, "rate": 1.0}, "from_", 12.0), ("signal.csv", {**SIGNAL, "rate": 1.0}, "to", 22.0),
        ("signal.csv", {**SIGNAL, "to": 20.0}, "rate", 1.0), ("signal.csv", {**SIGNAL, "time": "at"}, "from_", 12.0),
        ("signal.csv", {**SIGNAL, "time": "at"}, "to", 20.0),
        ("signal.csv", {**SIGNAL, "time": "at", "to": 20.0}, "rate", 1.0),
        ("signal.csv", {**SIGNAL, "time": "at"}, "time_format", "number"),
        ("signal.csv", {"value": ("mv",)}, "people", MAP),
        ("signals", {"person": "file"}, "files", "*.csv"),
        ("signal-bare.csv", {"person": "1", "value": ("3",)}, "header", False),
        ("signal.parquet", SIGNAL, "header", False), ("signal.sqlite", {**SIGNAL, "table": "a"}, "table", "b"),
        ("signal-latin.csv", {**SIGNAL, "time": "ät"}, "encoding", "latin-1"),
        ("signal.parquet", SIGNAL, "encoding", "latin-1"),
        ("columns-latin.txt", WORDS, "encoding", "latin-1"), ("columns.txt", {"value": ("1",)}, "value", ("2",)),
        *[("words.txt", WORDS, n, v) for n, v in
          {"window": 3, "alphabet": 5, "std": "sample", "symbols": ("a", "b"), "table": "b", "header": False,
           "files": "*.txt", "people": MAP, "lead": "V5", "rate": 2.0, "time_format": "iso"}.items()],
        *[("ecg", {"person": "file"}, n, v) for n, v in
          {"lead": "V5", "from_": 1.0, "to": 2.0, "rate": 100.0, "people": MAP, "value": ("1",), "time": "at",
           "time_format": "iso", "table": "b", "header": False, "files": "r0*", "encoding": "latin-1", "decimal": ",",
           "skip_lines": 1}.items()],
        ("signal-block.csv", SIGNAL, "skip_lines", 1),
        ("signal-block.csv", {**SIGNAL, "skip_lines": 1}, "units_row", True),
        ("signal-comma.csv", SIGNAL, "decimal", ","),
        ("signal-comma.csv", {**SIGNAL, "decimal": ",", "time": "at", "time_format": "%d.%m.%Y %H:%M"},
         "clock", "hour"),
        ("signal.csv", SIGNAL, "quantity", "ecg"), ("signal.csv", SIGNAL, "unit_of", "mV"),
    ],
}  # fmt: skip
WRITTEN_DOWN = {
    **dict.fromkeys(
        [(k, n) for k in ("series", "activity", "symbols") for n in ("quantity", "unit_of")],
        "what was measured, published with the reading",
    ),
    ("symbols", "rate"): "kept as metadata of a signal that is not resampled, published with the reading",
    ("activity", "least_observed"): "a limit that `anonymize` holds the data against, published with the reading",
}
"""Kind, role: options that act later, by the fact they write down."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return write_sources(tmp_path_factory.mktemp("sources"))


def read(kind, place, source, roles):
    """What was read, or the sentence with which it was refused."""
    told = {n: str(place / v[1:]) if isinstance(v, str) and v.startswith("@") else v for n, v in roles.items()}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sq.SequesterWarning)
            data = sq.reader(kind)(place / source, **told)
    except sq.InputError as error:
        return False, str(error)
    return True, (data.fingerprint(), data.notes, sorted(f.name for f in data.reading if f.how == "found"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_role_changes_something_or_is_refused(kind, place):
    if kind == "symbols":
        pytest.importorskip("wfdb")
    changes, quiet = set(), []
    for source, beside, role, value in TRIES[kind]:
        without, with_it = (read(kind, place, source, roles) for roles in (beside, {**beside, role: value}))
        if with_it[0] and with_it != without:
            changes.add(role)
        elif with_it[0] and (kind, role) not in WRITTEN_DOWN:
            quiet.append((source, beside, role, value))
        elif not with_it[0]:
            assert with_it[1].endswith((".", "?")) and "\n" not in with_it[1], with_it[1]
    assert quiet == []
    known = {p.name for p in inspect.signature(sq.reader(kind)).parameters.values() if p.kind is p.KEYWORD_ONLY}
    assert changes | {role for of, role in WRITTEN_DOWN if of == kind} == known, "each in at least one of its tries"
