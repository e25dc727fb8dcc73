"""Every code block and every command in README, docs and method pages runs."""

import os
import shutil
import subprocess
import sys
from importlib import invalidate_caches

import pytest

import sequester as sq
from sequester.cli import main
from sequester.judges import JUDGES
from sequester.judges.dp_mechanisms import RULES
from sequester.kinds import KINDS
from sequester.layouts import LAYOUTS
from tests.docs.blocks import ROOT, arguments, missing_line, pages, steps

SOURCES = {
    "text": "notes",
    "series": "vitals.csv",
    "activity": "minutes.csv",
    "events": "wards.csv",
    "symbols": "ecg.csv",
}
"""Files that pages beside methods take as given; other pages make their own with `sequester sample`."""
RSCRIPT = shutil.which("Rscript")
RUN = [p for p in pages() if any(s.kind != "not run" for s in steps(p))]


@pytest.fixture(scope="session")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    for kind, name in SOURCES.items():
        if kind in KINDS:
            sq.write_sample(kind, folder / name)
    header, first = (folder / "vitals.csv").read_text("utf-8").splitlines()[:2]
    times = [i for i, name in enumerate(header.split(",")) if name[0] == "h"]
    rows = (header.split(","), first.split(","))
    (folder / "patient.csv").write_text("".join(",".join(r[i] for i in times) + "\n" for r in rows))
    return folder


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder to be in; what a page registers is gone after it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    forget_packages()


def forget_packages():
    """Look for installed packages again."""
    invalidate_caches()
    for registry in (sq.METHODS, JUDGES, LAYOUTS, RULES):
        registry.forget()


def run_other(words, place, monkeypatch):
    """`pip install` into a folder of the page's own, without a network; the contract suite in a process of its own."""
    target = place / "installed"
    if words[0] == "pip":
        offline = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
        words = [sys.executable, "-m", *words, *offline, "--target", str(target)]
    else:
        words = [sys.executable, *words[1:], "-p", "no:cacheprovider"]
    path = os.pathsep.join([str(target), str(ROOT / "src")])
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    if words[2] == "pip":
        monkeypatch.syspath_prepend(str(target))
        forget_packages()
    return done.returncode, done.stdout + done.stderr


def run_ours(words, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", words)
    capsys.readouterr()
    code = 0
    try:
        main()
    except SystemExit as stopped:
        code = stopped.code or 0
    out = capsys.readouterr()
    return code, out.out + out.err


def run_command(step, place, capsys, monkeypatch):
    words = arguments(step.body)
    if words[0] == "sequester":
        code, told = run_ours(words, capsys, monkeypatch)
    else:
        code, told = run_other(words, place, monkeypatch)
    assert code == step.exit_code, f"line {step.line}: exit code {code}\n{step.body}\n{told}"
    lost = missing_line(step.expected, told)
    assert lost is None, f"line {step.line}: '{lost}' was not printed by\n{step.body}\n{told}"


@pytest.mark.parametrize("page", RUN, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_what_a_page_shows_runs(page, place, sources, capsys, monkeypatch):
    if "methods" in page.parts:
        for source in sources.iterdir():
            if source.is_dir():
                shutil.copytree(source, place / source.name)
            else:
                os.link(source, place / source.name)
    session = {"__name__": "__page__"}
    for step in steps(page):
        if step.kind.startswith("file "):
            file = place / step.kind[5:]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.body, "utf-8")
        elif step.kind == "command":
            run_command(step, place, capsys, monkeypatch)
        elif step.kind == "python":
            exec(compile("\n" * step.line + step.body, str(page), "exec"), session)
        elif step.kind == "r":
            done = RSCRIPT and subprocess.run([RSCRIPT, "--vanilla", "-e", step.body], capture_output=True, text=True)
            assert not done or done.returncode == 0, f"{page.name} line {step.line}: {done.stderr}"
        else:
            assert step.kind in ("not run", "absent"), f"{page.name} line {step.line}: {step.kind}"


def test_few_blocks_are_not_run():
    skipped = [(p.name, s.line) for p in pages() for s in steps(p) if s.kind == "not run"]
    assert len(skipped) <= 16, (
        skipped
    )  # installations, the demo, a page that waits, R packages, Java, what needs your own files


def test_a_block_that_needs_a_package_runs_only_with_it(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("".join(f"<!-- needs: {x} -->\n```python\n1\n```\n\n" for x in ("json", "no_such_package")))
    assert [s.kind for s in steps(page)] == ["python", "absent"]


def test_expected_output_is_really_compared():
    assert missing_line(("a …", "c"), "a b\nx\nc\n") is None
    assert missing_line(("a", "c"), "a b\nc\n") == "a"
    assert missing_line(("c", "a"), "a\nc\n") == "a"
    assert missing_line(("… b", "…"), "a b\n") is None
