"""Result pages: what is quoted stands on a page, and a page that the present program did not print says so."""

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest
from experiments import quoting, stamps, steps

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "results"
QUOTING = [ROOT / "README.md", PAGES / "index.md", *sorted((ROOT / "docs").glob("*.md")),
           *sorted((ROOT / "src").rglob("page.md"))]  # fmt: skip
NAMES = {path.stem for path in PAGES.glob("*.md")}
PACKAGES = {name: package for package in ("experiments", "benchmarks") for name in steps.steps(package)}


def quoted(text: str) -> set[str]:
    """Pages that a text names: `s001_table4`, results/s001_table4, or the step that prints it."""
    named = re.findall(r"(?:[`/]|python -m \w+ )([a-z0-9_]+)(?:`|\.md|\.html|\.py)", text)
    return {n for n in named if n in NAMES and n in PACKAGES}


def test_the_summary_has_the_numbers_of_its_pages():
    assert quoting.index(PAGES) == (PAGES / "index.md").read_text("utf-8"), "run python -m experiments --index"


def test_every_page_quoted_anywhere_is_there():
    assert sum(len(quoted(path.read_text("utf-8"))) for path in QUOTING) > 60
    named = set(re.findall(r"`((?:s00\d|ngram|activity|series|kapra|markov|event|text|risk)_[a-z0-9_]+)`",
                           (PAGES / "index.md").read_text("utf-8")))  # fmt: skip
    assert not named - NAMES


def silent(pages: set[str], old: Mapping[str, object], folder: Path) -> list[str]:
    """Those of some pages that are stale and do not say so."""
    return sorted(p for p in pages & set(old) if not stamps.marked((folder / f"{p}.md").read_text("utf-8")))


def test_no_page_that_is_quoted_or_is_evidence_is_stale_in_silence():
    pages = set().union(*(quoted(path.read_text("utf-8")) for path in QUOTING)) | set(evidence())
    old = steps.stale("experiments") | steps.stale("benchmarks")
    again = "run python -m experiments --mark and python -m benchmarks --mark, or print them anew"
    assert len(pages) > 60 and silent(pages, old, PAGES) == [], again


def test_a_stale_page_must_say_so_and_another_need_not(tmp_path):
    names = ("ngram_balance", "ngram_flow", "s000_fig7")
    for name, says_so in zip(names, (False, True, False), strict=True):
        text = stamps.without_mark((PAGES / f"{name}.md").read_text("utf-8"))
        (tmp_path / f"{name}.md").write_text(stamps.with_mark(text, "x") if says_so else text)
    assert silent(set(names), {"ngram_balance": [], "ngram_flow": [], "elsewhere": []}, tmp_path) == ["ngram_balance"]


NUMBER = re.compile(r"(?<![\w.,−-])[−-]?\d*\.\d+(?![\w.])|(?<![\w.,−-])\d+(?= %| to \d+ %| and \d+ %)")


def numbers_of(page: str) -> list[float]:
    text = (PAGES / f"{page}.md").read_text("utf-8")
    return [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)]


def stands(number: str, known: list[float]) -> bool:
    """Whether a number of a sentence is one of a page, rounded as the sentence has it, as a share or in percent."""
    value, places = float(number.replace("−", "-")), len(number.partition(".")[2])
    near = 0.5001 * 10.0**-places
    return any(abs(abs(x) * scale - abs(value)) <= near for x in known for scale in (1, 100))


def passages(text: str) -> list[tuple[str, set[str]]]:
    """Paragraphs and the pages they name; a table rests on the pages of the paragraph above it."""
    out: list[tuple[str, set[str]]] = []
    for paragraph in re.split(r"\n\s*\n|\n(?=- )", text):
        table = paragraph.lstrip().startswith("|") and not quoted(paragraph)
        out.append((paragraph, out[-1][1] if table and out else quoted(paragraph)))
    return [(paragraph, pages) for paragraph, pages in out if "```" not in paragraph]


def strangers(text: str) -> list[str]:
    """Decimals and percentages beside a named page that do not stand on it."""
    out = []
    for paragraph, pages in passages(text):
        known = [x for page in pages for x in numbers_of(page)]
        flat = " ".join(paragraph.split())
        out += [f"{n} in: {flat[:60]}" for n in NUMBER.findall(flat) if pages and not stands(n, known)]
    return out


@pytest.mark.parametrize("path", QUOTING, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_numbers_beside_a_quoted_page_stand_on_it(path):
    assert strangers(path.read_text("utf-8")) == []


def test_numbers_are_looked_for_on_the_named_page_and_in_tables_below_it(tmp_path, monkeypatch):
    (tmp_path / "ngram_flow.md").write_text("| a | b |\n| - | - |\n| 0.1234 | -61 |\n")
    monkeypatch.setattr("tests.docs.test_results.PAGES", tmp_path)
    for fine in ("`ngram_flow` has .12 and 61 %", "(`experiments/ngram_flow.py`): 12.3 %", "no page: .99, 99 %",
                 "See `ngram_flow`:\n\n| x |\n|---|\n| .123 |", "from 12 to 61 % (`ngram_flow`)"):  # fmt: skip
        assert strangers(fine) == [], fine
    for wrong in ("`ngram_flow` has .13", "`ngram_flow`: 62 %", "`python -m experiments ngram_flow` prints .13",
                  "See `ngram_flow`:\n\n| x |\n|---|\n| .13 |", "from 13 to 61 % (`ngram_flow`)"):  # fmt: skip
        assert len(strangers(wrong)) == 1, wrong


def test_a_page_that_is_not_marked_has_the_title_and_the_note_of_its_step():
    for name, package in PACKAGES.items():
        path = PAGES / f"{name}.md"
        if path.exists() and not stamps.marked(text := path.read_text("utf-8")):
            step = import_module(f"{package}.{name}")
            assert text.startswith(f"# {step.TITLE}\n") and " ".join(step.NOTE.split()) in text, name


def evidence() -> list[str]:
    """Pages that the rows of the papers point to."""
    return re.findall(r"\((\w+)\.md\)", (PAGES / "rows.md").read_text("utf-8"))


def test_every_row_of_the_papers_names_code_and_evidence_that_exist():
    tests = {p.name: p.read_text("utf-8") for p in (ROOT / "tests").rglob("test_*.py")}
    rows = quoting.rows_of((PAGES / "rows.md").read_text("utf-8"))
    assert len(rows) > 55
    for row in rows:
        module = re.fullmatch(r"`(sequester[\w.]+)`", row["in the program"])[1]
        path = ROOT / "src" / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__init__.py").exists(), module
        named, pages = re.findall(r"`(\w+\.py)::(\w+)`", row["shown by"]), re.findall(r"\((\w+)\.md\)", row["shown by"])
        assert named or pages, row
        for file, test in named:
            body = re.search(rf"^def {test}\(.*?(?=^\S|\Z)", tests.get(file, ""), re.M | re.S)
            assert body and re.search(r"\b(?:assert|raises)", body[0]), f"{file}::{test}"
        assert all((PAGES / f"{page}.md").exists() for page in pages), row


def test_every_page_of_a_paper_is_evidence_of_a_row():
    assert {name for name in NAMES if re.match(r"s00\d_", name)} <= set(evidence())
