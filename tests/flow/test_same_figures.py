"""Every figure shown twice is the same figure: in both reports, on the tour, and on the command line."""

import json
import re
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner

from sequester.cli import cli
from sequester.pages.words import FIGURES
from sequester.release import shown

RELEASES = {
    "vitals-kapra": "vitals.csv", "notes-k-repeats": "notes", "minutes-mcka": "minutes.csv",
    "study-activity-dp": "study.csv", "wards-markov-dp": "wards.csv", "ecg-ngram-k": "ecg.csv",
}  # fmt: skip


class Page(HTMLParser):
    """Tables of a report as {(section, caption, row, column): [text]} and its paragraphs as {section: text}."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.cells, self.words, self.facts = {}, {}, {}
        self._section = self._caption = self._row = self._name = ""
        self._columns, self._column, self._into, self._told = [], 0, "", []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag in ("h2", "caption", "p", "dt", "dd", "th", "td"):
            self._into, self._told = tag, []
        if tag == "table":
            self._columns = []
        if tag == "tr":
            self._column = 0

    def handle_data(self, data):
        self._told.append(data)

    def handle_endtag(self, tag):
        if tag != self._into:
            return
        told = " ".join("".join(self._told).replace("\N{WORD JOINER}", "").split())
        self._into = ""
        if tag == "h2":
            self._section = told
        elif tag == "caption":
            self._caption = told
        elif tag == "p":
            self.words[self._section] = (self.words.get(self._section, "") + " " + told).strip()
        elif tag == "dt":
            self._name = told
        elif tag == "dd":
            self.facts[self._section, self._name] = told
        elif tag == "th" and self._columns is not None and self._column == 0 and self._row_header():
            self._row, self._column = told, 1
        elif tag == "th":
            self._columns.append(told)
        elif tag == "td":
            column = self._columns[self._column] if self._column < len(self._columns) else str(self._column)
            self.cells.setdefault((self._section, self._caption, self._row, column), []).append(told)
            self._column += 1

    def _row_header(self):
        return 'scope="row"' in self.get_starttag_text()


@pytest.fixture
def folder(tour):
    return tour


@pytest.fixture(params=RELEASES)
def release(request, folder):
    return request.param, folder


def pages(name, folder):
    return [Page((folder / f"{name}.{end}" / "report.html").read_text("utf-8")) for end in ("bundle", "private")]


def private(name, folder, what):
    return json.loads((folder / f"{name}.private" / f"{what}.json").read_text("utf-8"))


def again(*words):
    """A command once more, as JSON."""
    out = CliRunner().invoke(cli, [*map(str, words), "--json"], catch_exceptions=False)
    return json.loads(out.stdout)


def test_the_parser_sees_the_tables(release):
    public, custodian = pages(*release)
    assert len(custodian.cells) > 100 and len(public.facts) > 10
    assert ("What changed?", "Original beside release") in {key[:2] for key in custodian.cells}


def test_both_reports_say_the_same_under_the_same_heading(release):
    public, custodian = pages(*release)
    shared = set(public.cells) & set(custodian.cells)
    assert len(shared) > 10
    # the custodian's page may look at the original: what was checked beside it, and how many people were counted there
    beside = {k for k in shared if k[0] == "What was checked?" or k[1:3] == ("The rules, one by one", "people")}
    assert [k for k in shared - beside if public.cells[k] != custodian.cells[k]] == []
    # where nothing was stated, the custodian is told which option adds it, and earlier releases
    told = {k: v.partition(";")[0] for k, v in custodian.facts.items()}
    assert [k for k in set(public.facts) & set(told) if public.facts[k].partition(";")[0] != told[k]] == []


def test_the_tour_says_what_the_reports_say(release):
    name, folder = release
    told = next(s for s in json.loads((folder / "sequester-demo.json").read_text("utf-8"))
                if any(name in to for _, to in s["links"]))  # fmt: skip
    found = dict(told["findings"])
    _, custodian = pages(name, folder)
    plain = custodian.words
    assert " ".join(found["Attacked"].split()) in plain["What does an adversary achieve?"]
    assert " ".join(found["The original"].split()) in plain["How identifying is the original?"]
    assert " ".join(found["Checked"].split()) in plain["Does the promise hold beside the original?"]


def test_what_measure_prints_stands_in_the_report(release):
    name, folder = release
    _, custodian = pages(name, folder)
    now = again("measure", folder / f"{name}.bundle", "--source", folder / RELEASES[name])
    listed = {key[2]: cells[0] for key, cells in custodian.cells.items()
              if key[0] == "How useful is what is left?" and key[3] == "Value"}  # fmt: skip
    assert len(listed) > 3
    said = {FIGURES.get(f["name"], f["name"]): f["value"] for f in now["figures"]}
    for figure, value in said.items():
        if figure in listed:
            assert shown(value) == listed[figure], figure
    assert set(listed) <= set(said)
    assert " ".join(now["summary"].split()) in custodian.words["How useful is what is left?"]


def test_an_attack_has_one_success(release):
    """The sentence, the row, the fold below it and the file name the same numbers."""
    name, folder = release
    _, custodian = pages(name, folder)
    told = private(name, folder, "attack")
    rows = {key[2]: cells[0] for key, cells in custodian.cells.items()
            if key[0] == "What does an adversary achieve?" and key[3].startswith("Success")}  # fmt: skip
    assert set(rows) == {r["attack"] for r in told["rows"]["attacks"]}
    for row in told["rows"]["attacks"]:
        first = float(re.match(r"[\d.]+", rows[row["attack"]])[0])
        assert first == pytest.approx(100 * row["success"], abs=0.51)
        figure = next(f for f in told["figures"] if f["name"].replace("_", " ") == plainly(row["attack"]))
        assert figure["value"] == pytest.approx(row["success"])
    strongest, percent = re.search(r"attacks is (.+?): it succeeds for ([\d.]+) % of", told["summary"]).groups()
    assert float(percent) == float(re.match(r"[\d.]+", rows[strongest])[0])


def plainly(name):
    return " ".join(re.sub("[(),]", "", name).replace("_", " ").split())


def test_the_published_setting_stands_in_the_report_as_tune_found_it(folder):
    """What `tune` says of the setting that was published is what its page and its promise say."""
    name = "vitals-kapra"
    row = next(r for r in private(name, folder, "tune")["rows"]["settings"] if r["setting"]["k"] == 8)
    manifest = json.loads((folder / f"{name}.bundle" / "manifest.json").read_text("utf-8"))
    assert row["promise"] == manifest["guarantee"]["level"] and row["certain"]["one_in"] == 8
    _, custodian = pages(name, folder)
    shown_here = {key[3]: cells[0] for key, cells in custodian.cells.items()
                  if key[0] == "What does less risk cost?" and key[2] == "k 8"}  # fmt: skip
    assert shown_here["Right in 100 pairs [95 %]"].startswith(f"{100 * row['pairs']:.0f} (")
    for figure, found in row["use"].items():
        assert shown_here[f"{figure} (halves)"] == f"{found['ratio']:.2g}"


def test_counts_of_records_agree_everywhere(release):
    """What changed, what is inside and the manifest count the same rows."""
    name, folder = release
    public, custodian = pages(name, folder)
    manifest = json.loads((folder / f"{name}.bundle" / "manifest.json").read_text("utf-8"))
    for file in manifest["files"]:
        for page in (public, custodian):
            cells = page.cells.get(("What is inside?", "Files of the bundle", file["path"], "Rows"), [])
            assert cells in ([], [shown(file["rows"])])
    main = {"vitals-kapra": ("records", "records"), "notes-k-repeats": ("documents", "documents"),
            "minutes-mcka": ("people and released records", "sequences"), "wards-markov-dp": ("events", "events"),
            "study-activity-dp": ("people and released records", "sequences")}  # fmt: skip
    if name in main:
        line, table = main[name]
        rows = sum(f["rows"] for f in manifest["files"] if f["table"] == table and not f.get("copy"))
        assert custodian.cells["What changed?", "Original beside release", line, "Release"] == [shown(rows)]
