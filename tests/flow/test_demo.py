"""The demo: every command it shows was run, every page it links to is there and keeps the rules of a page."""

import json
import re
import shlex
import shutil
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli
from sequester.cli.demo import STOPS
from tests.accessibility import faults
from tests.browser import ABSENT, CONTRASTS, Browser


@pytest.fixture
def folder(tour):
    return tour


def test_it_publishes_every_kind_and_leaves_a_tour(folder):
    told = json.loads((folder / "sequester-demo.json").read_text("utf-8"))
    assert [s["method"] for s in told] == [s.method for s in STOPS if s.method in sq.METHODS]
    for kind in ("text", "series", "activity", "events", "symbols"):
        assert any(s.kind == kind and s.method in sq.METHODS for s in STOPS), kind
    for stop in told:
        checked = [says for name, says in stop["findings"] if name == "Checked"]
        words = ("confirmed from the release and original", "the ledger adds up", "shape check of the release")
        assert len(checked) == 1 and any(w in checked[0] for w in words) and "NOT" not in checked[0], stop["title"]


def test_every_page_is_there_and_keeps_the_rules(folder):
    index = (folder / "index.html").read_text("utf-8")
    links = [unescape(h) for h in re.findall(r'href="([^"#][^"]*)"', index)]
    assert links and all((folder / link).exists() for link in links)
    assert faults(index) == []
    for page in [folder / link for link in links if link.endswith(".html")]:
        text = page.read_text("utf-8")
        assert faults(text) == [], page
        assert "<svg" in text or "<del" in text, f"{page} has no picture"
        assert ("PRIVATE" in text) == (page.parent.suffix == ".private")


@pytest.mark.skipif(bool(ABSENT), reason=ABSENT or "never")
def test_every_page_is_readable_and_silent_in_a_browser(folder):
    with Browser() as browser:
        browser.requests()
        for scheme in ("light", "dark"):
            browser.scheme(scheme)
            for page in [folder / "index.html", *sorted(folder.glob("*/report.html"))]:
                browser.open(page)
                assert browser.run("return performance.getEntriesByType('resource').length") == 0, page
                assert browser.run(CONTRASTS) == [], page
        browser.size(360, 800)
        for page in [folder / "index.html", *sorted(folder.glob("*/report.html"))]:
            browser.open(page)
            assert browser.run("return document.documentElement.scrollWidth") <= 360, page
        assert browser.requests() == []


def test_the_commands_shown_are_whole(folder):
    for stop in json.loads((folder / "sequester-demo.json").read_text("utf-8")):
        verbs = [shlex.split(c)[1] for c in stop["commands"]]
        assert verbs[0] == "sample" and "publish" in verbs and "verify" in verbs
        for command in stop["commands"]:
            assert command.startswith("sequester ") and "{" not in command


def test_risk_before_after_and_over_the_parameters_is_drawn_for_the_custodian(folder):
    page = (folder / "vitals-kapra.private" / "report.html").read_text("utf-8")
    for question in ("How many known points single out a person?", "What does an adversary achieve?",
                     "What does less risk cost?"):  # fmt: skip
        assert f">{question}</h2>" in page, question


def test_the_originals_stay_out_of_the_public_pages(folder):
    for source in folder.glob("*.csv"):
        people = {line.split(",")[0] for line in source.read_text("utf-8").splitlines()[1:]}
        for page in folder.glob("*.bundle/report.html"):
            text = page.read_text("utf-8")
            found = {p for p in people if len(p) > 5 and p in text}
            assert not found, page


def test_an_earlier_demo_is_replaced_only_when_told(folder, tmp_path):
    out = CliRunner().invoke(cli, ["demo", "--out", str(folder)])
    assert isinstance(out.exception, sq.InputError)
    assert str(out.exception) == "demo: 'demo' exists. Pass --overwrite to make it anew."
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    out = CliRunner().invoke(cli, ["demo", "--out", str(mine)])
    assert "is not an earlier demo" in str(out.exception) and Path(mine, "thesis.txt").exists()


def test_findings_can_be_kept_for_the_custodian(folder, tmp_path):
    for end in ("bundle", "private"):
        shutil.copytree(folder / f"notes-k-repeats.{end}", tmp_path / f"notes-k-repeats.{end}")
    bundle = tmp_path / "notes-k-repeats.bundle"
    found = sq.Evidence(about="assess", saw_original=True, summary="Four words single out 12 % of people.")
    page = sq.keep(bundle, found)
    assert "Four words single out 12 % of people." in page.read_text("utf-8")
    assert "Four words" not in (bundle / "report.html").read_text("utf-8")
    assert sq.verify(bundle).holds
