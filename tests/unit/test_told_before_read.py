"""What a differentially private method must be told is asked for before the file is opened."""

import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli

ASKED = {
    "markov-dp": (
        ["--epsilon", "1", "--delta", "1e-6", "--people-at-least", "5000", "--dates", "2024-01-01..2024-12-31",
         "--time", "time", "--state", "state"],
        "markov-dp: differential privacy needs to be told the time format and the time unit: found in the data, one "
        "person could change it for everybody. Pass time_format= and time_unit=. The file was not read.",
    ),
    "activity-dp": (
        ["--epsilon", "1", "--delta", "1e-6", "--people-at-least", "5000", "--time", "time", "--state", "state"],
        "activity-dp: differential privacy needs to be told the time format and the calendar: found in the data, one "
        "person could change it for everybody. Pass time_format= and dates=FROM..TO (or align='monday' and days=D). "
        "The file was not read.",
    ),
}  # fmt: skip


def test_all_that_is_lacking_is_asked_for_at_once():
    told = {name: v for name, v in sq.method_class("markov-dp").example.items() if name != "dates"}
    with pytest.raises(sq.InputError) as caught:
        sq.MarkovDP(**told).require_told({"time": "t"})
    asked = "Pass time_format= and time_unit= and dates=FROM..TO. The file was not read."
    assert str(caught.value).endswith(asked)
    sq.MarkovDP(**told).require_told({"time": "t", "time_format": "number", "time_unit": "order"})  # has no dates


@pytest.mark.parametrize("method", ASKED)
def test_the_file_is_not_read(tmp_path, method, monkeypatch):
    options, says = ASKED[method]
    kind = sq.method_class(method).accepts.kind
    path = tmp_path / "t.csv"
    path.write_text("person,time,state\n")

    def unread(*_args, **_more):
        raise AssertionError("the file was read")

    monkeypatch.setattr("sequester.read.gather.gather", unread)
    monkeypatch.setattr(f"sequester.read.{kind}.gather", unread, raising=False)
    out = str(tmp_path / "x.bundle")
    done = CliRunner().invoke(cli, ["publish", method, str(path), "--person", "person", *options, "--out", out])
    assert isinstance(done.exception, sq.InputError) and str(done.exception) == says


def test_what_is_told_passes():
    sq.MarkovDP(**sq.method_class("markov-dp").example).require_told(
        {"time": "t", "time_format": "iso", "time_unit": "second"}
    )
    sq.Kapra(k=3, p=2).require_told({"time": "t"})  # no noise, nothing to declare


READERS = {
    "read_events": sq.read_events,
    "read_activities": sq.read_activities,
    "read_symbols": sq.read_symbols,
    "read_series": sq.read_series,
    "read_corpus": sq.read_corpus,
}
CHOICES = [
    ("read_events", "time_unit", "days", "auto, second, day, order, got 'days'. Pass time_unit='day'?"),
    ("read_events", "layout", "xml", "table, omop, meds, fhir, got 'xml'."),
    ("read_activities", "align", "weeks", "date, monday, start, got 'weeks'."),
    ("read_symbols", "symbolize", "saxx", "sax, equal-width, quantile, none, got 'saxx'. Pass symbolize='sax'?"),
    ("read_symbols", "std", 3, "population, sample, got a whole number."),
]


@pytest.mark.parametrize(("reader", "option", "value", "says"), CHOICES)
def test_a_choice_that_is_none_is_refused_before_the_file_is_looked_for(reader, option, value, says):
    with pytest.raises(sq.InputError) as caught:
        READERS[reader]("there is no such file.csv", **{option: value})
    assert str(caught.value) == f"{reader}: {option}= must be one of {says}"


TYPES = [
    ("read_events", "person", 5, "person= must be a text, got a whole number."),
    ("read_events", "header", "no", "header= must be true or false, got a text."),
    ("read_events", "attributes", 5, "attributes= must be a text or a list of texts, got a whole number."),
    ("read_events", "time_format", ("iso", "auto"), "time_format= must be a text, got a list."),
    ("read_events", "time_format", "%Q", "no time format '%Q'. Pass one of iso, seconds, milliseconds, "
     "minutes, hours, days, clock, number, "
     "or a pattern such as '%d.%m.%Y %H:%M'."),
    ("read_activities", "zone", "Europe/Berln", "no time zone 'Europe/Berln'. Pass zone='wall' for times as they are "
     "written, or a name such as Europe/Berlin."),
    ("read_series", "encoding", None, "encoding= must be a text, got nothing."),
    ("read_symbols", "window", "10", "window= must be a whole number, got a text."),
    ("read_symbols", "alphabet", True, "alphabet= must be a whole number, got true or false."),
    ("read_symbols", "rate", [1.0], "rate= must be a number, got a list."),
    ("read_corpus", "text", {"a": 1}, "text= must be a text, got a dict."),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "option", "value", "says"), TYPES)
def test_another_type_is_refused_before_the_file_is_looked_for(reader, option, value, says):
    with pytest.raises(sq.InputError) as caught:
        READERS[reader]("there is no such file.csv", **{option: value})
    assert str(caught.value) == f"{reader}: {says}"


@pytest.mark.parametrize("kind", ["events", "symbols", "activity"])
def test_readers_of_parts_refuse_the_same(kind, tmp_path):
    wrong = {"events": "time_unit", "symbols": "symbolize", "activity": "align"}[kind]
    with pytest.raises(sq.InputError, match=f"{wrong}= must be one of .*, got 'odd'"):
        sq.read_parts(kind, tmp_path / "no.csv", tmp_path / "parts", **{wrong: "odd"})


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('symbolize = "nnone"', "symbolize must be one of sax, equal-width, quantile, none, got 'nnone'. Pass "
         "symbolize = 'none'?"),
        ("symbolize = 3", "symbolize must be one of sax, equal-width, quantile, none, got a whole number."),
        ("value = 7", "value must be a text or a list of texts, got a list."),
        ("person = true", "person must be a text, got true or false."),
    ],
)  # fmt: skip
def test_a_plan_with_a_role_that_cannot_be_is_refused_in_a_sentence(line, says, tmp_path):
    (tmp_path / "log.csv").write_text("person,state\na,x\n")
    (tmp_path / "plan.toml").write_text(
        '[[release]]\nname = "one"\nsource = "log.csv"\nmethod = "ngram-k"\nout = "one.bundle"\n[release.parameters]\n'
        f"k = 3\nn = 2\n[release.roles]\n{line}\n"
    )
    with pytest.raises(sq.InputError) as caught:
        sq.read_plan(tmp_path / "plan.toml")
    assert str(caught.value).splitlines()[1] == f"  - one: read_symbols: {says}"
