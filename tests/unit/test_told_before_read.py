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
