"""Result pages: what is quoted stands on a page, and a page that the present program did not print says so."""

import json
import re
from pathlib import Path

import pytest
from experiments import quoting, stamps, steps

from sequester.version import VERSION

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "results"
QUOTING = [ROOT / "README.md", PAGES / "index.md", *sorted((ROOT / "docs").glob("*.md")),
           *sorted((ROOT / "src").rglob("page.md"))]  # fmt: skip
NAMES = {path.stem for path in PAGES.glob("*.md")}
PACKAGES = {name: package for package in ("experiments", "benchmarks") for name in steps.steps(package)}


def quoted(text: str) -> set[str]:
    """Pages that a text names: `s001_table4`, or results/s001_table4."""
    return {n for n in re.findall(r"[`/]([a-z0-9_]+)(?:`|\.md|\.html)", text) if n in NAMES and n in PACKAGES}


def test_the_summary_has_the_numbers_of_its_pages():
    assert quoting.index(PAGES) == (PAGES / "index.md").read_text("utf-8"), "run python -m experiments --index"


def test_every_page_quoted_anywhere_is_there():
    assert sum(len(quoted(path.read_text("utf-8"))) for path in QUOTING) > 60
    named = set(re.findall(r"`((?:s00\d|ngram|activity|series|kapra|markov|event|text|risk)_[a-z0-9_]+)`",
                           (PAGES / "index.md").read_text("utf-8")))  # fmt: skip
    assert not named - NAMES


def silent(page: str) -> bool:
    """Whether a page was printed by another version, does not fit the sources any more, and does not say so.

    Within a version the library changes daily; there `python -m experiments --stale` lists what to print anew.
    """
    if stamps.marked((PAGES / f"{page}.md").read_text("utf-8")):
        return False
    stamp = stamps.Stamps(PAGES / "stamps.json").pages.get(page)
    if stamp and stamp["version"] == VERSION:
        return False
    return bool(stamps.misfits(stamp, steps.checksum(PACKAGES[page], page), stamps.library_sources(), Path("nowhere")))


def test_no_quoted_page_is_from_an_earlier_version_in_silence():
    pages = set().union(*(quoted(path.read_text("utf-8")) for path in QUOTING))
    assert [p for p in sorted(pages) if silent(p)] == [], "run python -m experiments --mark, or print them anew"


def test_a_page_without_a_stamp_or_of_another_version_must_say_so(tmp_path, monkeypatch):
    name = "ngram_balance"
    text = stamps.without_mark((PAGES / f"{name}.md").read_text("utf-8"))
    known = json.loads((PAGES / "stamps.json").read_text("utf-8"))
    monkeypatch.setattr("tests.docs.test_results.PAGES", tmp_path)
    for old, says_so in ((None, False), ("0.0.1", False), ("0.0.1", True), (VERSION, False)):
        page = known["pages"][name] | {"version": old, "source": "another"}
        pages = {name: page} if old else {}
        (tmp_path / "stamps.json").write_text(json.dumps({"modules": known["modules"], "pages": pages}))
        (tmp_path / f"{name}.md").write_text(stamps.with_mark(text, "x") if says_so else text)
        assert silent(name) == (old != VERSION and not says_so)


NUMBER = re.compile(r"(?<![\w.,−-])[−-]?\d*\.\d+(?![\w.])")


def numbers_of(page: str) -> list[float]:
    text = (PAGES / f"{page}.md").read_text("utf-8")
    return [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)]


def stands(number: str, known: list[float]) -> bool:
    """Whether a number of a sentence is one of a page, rounded as the sentence has it, as a share or in percent."""
    value, places = float(number.replace("−", "-")), len(number.split(".")[1])
    near = 0.5001 * 10.0**-places
    return any(abs(abs(x) * scale - abs(value)) <= near for x in known for scale in (1, 100))


@pytest.mark.parametrize("path", [PAGES / "index.md", *sorted((ROOT / "src").rglob("page.md"))],
                         ids=lambda p: f"{p.parent.name}/{p.name}")  # fmt: skip
def test_decimals_beside_a_quoted_page_stand_on_it(path):
    strange = []
    for paragraph in re.split(r"\n\s*\n|\n(?=- )", path.read_text("utf-8")):
        pages = quoted(paragraph)
        known = [x for page in pages for x in numbers_of(page)]
        if pages and "```" not in paragraph:
            strange += [f"{n} in: {paragraph[:60]}" for n in NUMBER.findall(paragraph) if not stands(n, known)]
    assert strange == []


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
        assert all(f"def {test}(" in tests.get(file, "") for file, test in named), row
        assert all((PAGES / f"{page}.md").exists() for page in pages), row
