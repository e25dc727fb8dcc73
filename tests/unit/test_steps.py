"""Experiments and benchmarks: resumable, one broken step does not hide the others, pages come from rows."""

import ast
import re
import sys
import types
from importlib import import_module

import pytest
from experiments import mutants, pages, steps
from experiments import stamps as stamps_module
from experiments.stamps import Stamps, library_sources


def module(tmp_path, monkeypatch, name, body):
    folder = tmp_path / "trial"
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").write_text("")
    (folder / f"{name}.py").write_text(body)
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    monkeypatch.setattr(steps, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(steps, "PAGES", tmp_path / "pages")
    monkeypatch.setattr(pages, "PAGES", tmp_path / "pages")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "trial", raising=False)


def test_a_step_runs_once_and_again_when_it_changed(tmp_path, monkeypatch, capsys):
    body = "TITLE = 'T'\nran = []\ndef run():\n    ran.append(1)\n    yield {'n': 1, 'x': 0.123456}\n"
    module(tmp_path, monkeypatch, "alpha", body)
    assert steps.steps("trial") == ["alpha"]
    assert steps.main("trial", [], again=False) == 0
    assert steps.main("trial", [], again=False) == 0
    assert capsys.readouterr().out.count('"n": 1') == 1
    assert steps.main("trial", [], again=True) == 0
    assert steps.end_of("trial", "alpha")["seconds"] >= 0
    (tmp_path / "trial" / "alpha.py").write_text(body.replace("'n': 1", "'n': 2"))
    assert steps.finished_rows("trial", "alpha") is None


def test_what_only_dresses_the_page_runs_nothing_again(tmp_path, monkeypatch):
    body = "TITLE = 'T'\nNOTE = ''\ndef tables(rows):\n    return {}\ndef run():\n    yield {'n': 1}\n"
    module(tmp_path, monkeypatch, "alpha", body)
    before = steps.checksum("trial", "alpha")
    for old, new in (("'T'", "'U'"), ("''", "'why'"), ("{}", "{'all': rows}"), ("yield", "yield  ")):
        (tmp_path / "trial" / "alpha.py").write_text(body.replace(old, new) + "# a word\n")
        assert steps.checksum("trial", "alpha") == before


def test_a_step_runs_again_when_a_module_changed_that_it_imports_through_another(tmp_path, monkeypatch):
    module(tmp_path, monkeypatch, "deep", "SIZE = 1\n")
    module(tmp_path, monkeypatch, "near", "def size():\n    from trial.deep import SIZE\n    return SIZE\n")
    module(tmp_path, monkeypatch, "other", "SIZE = 1\n")
    module(tmp_path, monkeypatch, "alpha", "from trial import near\ndef run():\n    yield {'n': near.size()}\n")
    before = steps.checksum("trial", "alpha")
    (tmp_path / "trial" / "other.py").write_text("SIZE = 2\n")
    assert steps.checksum("trial", "alpha") == before
    (tmp_path / "trial" / "deep.py").write_text("SIZE = 2\n")
    assert steps.checksum("trial", "alpha") != before


def test_two_steps_run_beside_each_other_and_timed_ones_afterwards(tmp_path, monkeypatch, capsys):
    meet = """
import pathlib, time
def run():
    here = pathlib.Path(__file__)
    here.with_suffix(".here").touch()
    for _ in range(300):
        if here.with_name("{other}.here").exists():
            break
        time.sleep(0.1)
    yield {{"met": here.with_name("{other}.here").exists(), "late": here.with_name("aaa.here").exists()}}
"""
    module(tmp_path, monkeypatch, "one", meet.format(other="two"))
    module(tmp_path, monkeypatch, "two", meet.format(other="one"))
    module(tmp_path, monkeypatch, "aaa", "ALONE = True\n" + meet.format(other="one"))
    assert steps.main("trial", [], again=False, at_once=2) == 0
    told = capsys.readouterr()
    assert told.out.count('"met": true, "late": false') == 2
    assert told.out.splitlines()[-1] == '{"step": "aaa", "met": true, "late": true}'
    first, *seconds = told.err.splitlines()
    assert first == "trial: 3 of 3 steps to run, about 2 minutes"
    assert [line.split(":")[0] for line in seconds] == ["trial aaa", "trial one", "trial two"]


def test_a_killed_step_is_told(tmp_path, monkeypatch, capsys):
    module(tmp_path, monkeypatch, "gone", "import os\ndef run():\n    yield {'a': 1}\n    os.kill(os.getpid(), 9)\n")
    assert steps.main("trial", [], again=False) == 1
    assert '{"step": "gone", "failed": "ended by signal 9"}' in capsys.readouterr().out
    assert steps.finished_rows("trial", "gone") is None


def test_a_broken_step_is_told_and_the_next_one_runs(tmp_path, monkeypatch, capsys):
    module(tmp_path, monkeypatch, "bad", "def run():\n    yield {'a': 1}\n    raise RuntimeError('no')\n")
    module(tmp_path, monkeypatch, "good", "def run():\n    yield {'b': 2}\n")
    assert steps.main("trial", [], again=False) == 1
    out = capsys.readouterr().out
    assert "RuntimeError: no" in out and '"b": 2' in out


def test_help_lists_the_steps_and_runs_none(tmp_path, monkeypatch, capsys):
    module(tmp_path, monkeypatch, "alpha", "TITLE = 'What alpha shows'\ndef run():\n    raise RuntimeError\n")
    module(tmp_path, monkeypatch, "alphabet", "def run():\n    raise RuntimeError\n")
    module(tmp_path, monkeypatch, "helper", "TITLE = 'no step'\n")
    for words in (["--help"], ["alpha", "-h"]):
        assert steps.command("trial", words) == 0
        told = capsys.readouterr().out
        assert told.startswith("python -m trial [STEP…] [--again | --stale [--mark] | --index]\n")
        assert told.splitlines()[-2:] == ["  alpha     What alpha shows", "  alphabet"]
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(("word", "hint"), [("alfa", " Did you mean alpha?"), ("--agian", " Did you mean --again?"),
                                            ("qqq", "")])  # fmt: skip
def test_an_unknown_step_is_one_sentence_with_the_nearest_name(tmp_path, monkeypatch, capsys, word, hint):
    module(tmp_path, monkeypatch, "alpha", "def run():\n    raise RuntimeError\n")
    assert steps.command("trial", ["alpha", word]) == 2
    said = f"trial: there is no step {word}.{hint} python -m trial --help lists all.\n"
    assert capsys.readouterr().err == said
    assert not (tmp_path / "results").exists()


def test_a_page_shows_note_chart_and_table(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PAGES", tmp_path)
    told = types.SimpleNamespace(TITLE="Loss", PAPER="P", NOTE="Why\n it differs.", CHART={"x": "k", "y": "loss"})
    text = pages.page("loss", told, [{"k": 2, "loss": 0.5}, {"k": 3, "loss": 0.123456, "a|b": None}], "trial")
    assert "Why it differs." in text and "| 3 | 0.1235 |" in text and "![Loss](loss.svg)" in text
    assert (tmp_path / "loss.svg").read_text().startswith("<svg")


def test_a_page_condenses_rows_as_its_module_says(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PAGES", tmp_path)
    rows = [
        {"k": k, "method": m, "loss": k * f, "error": None if m == "naive" else f}
        for k in (2, 3)
        for m, f in (("naive", 1), ("best", 2), ("literal", 3))
    ]
    told = types.SimpleNamespace(
        tables=lambda rows: {
            "Loss": pages.pivot(rows, ["k"], "method", ["loss"], ["literal", "best"]),
            "Both": pages.pivot(rows, ["k"], "method", ["loss", "error"], ["paper", "literal", "best"]),
        }
    )
    text = pages.page("loss", told, rows, "trial")
    assert "prints 6 rows, from which these tables are made." in text
    assert "## Loss\n\n| k | literal | best | naive |\n| --- | --- | --- | --- |\n| 2 | 6 | 4 | 2 |" in text
    assert "| 3 | error | 3 | 2 |  |" in text


def test_cells_are_short_and_never_hide_a_large_number_behind_an_exponent():
    assert [pages.cell(v) for v in (None, 0.123456, 17651.0, 123456.7, 1e-9, "a|b")] == [
        "", "0.1235", "17651", "123457", "1e-09", "a\\|b"
    ]  # fmt: skip


def test_a_page_of_benchmarks_says_which_limits_were_met(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PAGES", tmp_path)
    rows = [
        {"bench": "b", "odd": 1, "limit": 2, "met": True, "what": "quick", "seconds": 1.5},
        {"bench": "b", "what": "small", "exponent": 1.1, "limit": 1.0, "met": False},
        {"bench": "b", "what": "free"},
    ]
    text = pages.page("b", types.SimpleNamespace(), rows, "benchmarks")
    assert "Limits met: 1 of 2. Missed: small." in text
    assert "| what | seconds | exponent | odd | limit | met |" in text


def test_the_page_of_seconds_adds_up_stamped_steps(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PAGES", tmp_path)
    known = {"experiments": ["slow", "timed", "not run"], "benchmarks": ["b"]}
    monkeypatch.setattr(pages, "steps", lambda package: known[package])
    monkeypatch.setattr(pages, "runs_alone", lambda package, name: name in ("timed", "b"))
    stamps = Stamps(tmp_path / "stamps.json")
    for name, seconds in (("slow", 30.0), ("timed", 10.0), ("b", 5.0)):
        stamps.put(name, {"source": "", "modules": {}, "data": {}, "version": "0", "seconds": seconds}, "")
    stamps.save()
    text = pages.timing()
    assert "2 of 3 experiments: 40 s of steps, 10 s of them alone; two at a time about 25 s." in text
    assert "| slow | 30 | False |\n| timed | 10 | True |" in text and "not run" not in text
    assert "1 of 1 benchmarks: 5 s of steps." in text and "| b | 5 | True |" in text


LOADS = """
def run():
    import sequester.kinds
    from sequester.primitives.ngrams import bits_for
    yield {"n": bits_for(5), "data": "walks"}
"""


def printed(tmp_path, monkeypatch, capsys):
    """A step that loads a module of the library and names a data set, with its page."""
    module(tmp_path, monkeypatch, "alpha", "TITLE = 'T'\n" + LOADS)
    (tmp_path / "data" / "walks").mkdir(parents=True)
    (tmp_path / "data" / "walks" / "a.csv").write_text("1\n")
    monkeypatch.setattr(steps, "DATA", tmp_path / "data")
    monkeypatch.setenv("SEQUESTER_DATA", str(tmp_path / "data"))
    assert steps.command("trial", []) == 0
    capsys.readouterr()
    return tmp_path / "pages" / "alpha.md"


def test_a_page_fits_until_a_module_its_step_loaded_changes(tmp_path, monkeypatch, capsys):
    page = printed(tmp_path, monkeypatch, capsys)
    stamp = Stamps(tmp_path / "pages" / "stamps.json").pages["alpha"]
    assert {"sequester.kinds", "sequester.primitives.ngrams"} <= set(stamp["modules"])
    assert "sequester.cli" not in stamp["modules"] and list(stamp["data"]) == ["walks"]
    assert steps.command("trial", ["--stale"]) == 0 and capsys.readouterr().out == ""
    (tmp_path / "results" / "trial" / "alpha.jsonl").unlink()  # the page's stamp is enough
    assert steps.command("trial", ["--stale"]) == 0
    sources = library_sources()
    ngrams = sources["sequester.primitives.ngrams"]
    for new, why in ((ngrams.replace("WIDEST = 62", "WIDEST = 61"), "1 of"), (ngrams + "# a word\n", "")):
        changed = sources | {"sequester.primitives.ngrams": new}
        monkeypatch.setattr(steps, "library_sources", lambda changed=changed: changed)
        assert steps.command("trial", ["--stale"]) == bool(why)
        said = capsys.readouterr().out
        assert said.startswith(f"alpha: {why}") if why else said == ""
        assert ("(sequester.primitives.ngrams)" in said) == bool(why)
    assert stamps_module.marked(page.read_text("utf-8")) is False


def test_a_page_is_stale_until_it_is_written_although_its_rows_are_there(tmp_path, monkeypatch, capsys):
    page = printed(tmp_path, monkeypatch, capsys)
    before = page.read_text("utf-8")
    page.write_text("# T\n\nof another branch\n")
    assert steps.command("trial", ["--stale"]) == 1
    assert capsys.readouterr().out == f"alpha: its tables are not the printed ones; {steps.ROWS_KEPT}\n"
    stamps = Stamps(tmp_path / "pages" / "stamps.json")
    stamps.pages["alpha"]["source"] = "another"
    stamps.save()
    assert steps.command("trial", ["--stale"]) == 1
    assert capsys.readouterr().out == f"alpha: its own code has changed; {steps.ROWS_KEPT}\n"
    stamps.pages["gone"] = stamps.pages["alpha"]  # of a step that was taken out
    stamps.save()
    assert steps.command("trial", []) == 0 and '"n"' not in capsys.readouterr().out  # nothing ran
    assert list(Stamps(tmp_path / "pages" / "stamps.json").pages) == ["alpha"]
    assert page.read_text("utf-8") == before and steps.command("trial", ["--stale"]) == 0


def test_a_stale_page_is_marked_and_printed_anew_without_the_mark(tmp_path, monkeypatch, capsys):
    page = printed(tmp_path, monkeypatch, capsys)
    before = page.read_text("utf-8")
    (tmp_path / "results" / "trial" / "alpha.jsonl").unlink()
    (tmp_path / "data" / "walks" / "a.csv").write_text("2\n")
    stamps_module._folder_digest.cache_clear()
    assert steps.command("trial", ["--stale", "--mark"]) == 1
    assert capsys.readouterr().out == "alpha: the data set walks has changed (marked)\n"
    assert (
        "\n\n*Printed by an earlier version of the program: `python -m trial alpha` prints it anew.*\n\n"
        in page.read_text("utf-8")
    )
    assert steps.command("trial", ["--mark"]) == 1 and page.read_text("utf-8").count("earlier version") == 1
    assert steps.command("trial", []) == 0 and page.read_text("utf-8") == before
    assert steps.command("trial", ["--stale"]) == 0


@pytest.mark.parametrize("package", ["experiments", "benchmarks"])
def test_every_step_has_a_title_and_a_note(package):
    for name in steps.steps(package):
        step = import_module(f"{package}.{name}")
        assert step.TITLE and len(step.NOTE.split()) > 8, f"{package}.{name}"


COSTS = ("startup", "activity_command", "checker", "least_cost_flow", "drawing", "federation",
         "federation_kills", "first_run", "hops", "kernel_order", "publish_kills", "scale_events",
         "scale_kills", "scale_mcka", "scale_ngrams", "scale_text", "workbench")  # fmt: skip
"""Benchmarks of a fixed cost, of a ratio or of counts: nothing grows there."""


def test_every_benchmark_of_growth_fits_an_exponent_and_tells_memory():
    for name in steps.steps("benchmarks"):
        if name not in COSTS:
            source = steps._source(f"benchmarks.{name}")
            assert "exponent(" in source and "benchmarks.memory" in source, name


def test_pages_of_papers_have_the_same_columns():
    for name in steps.steps("experiments"):
        if re.match(r"s00[0124]_(table|fig)", name) and name != "s002_table2":  # sizes of corpora: nothing to compare
            text = "".join(steps._source(f"experiments.{n}") for n in (name, *shared(name)))
            assert '"literal"' in text and '"best"' in text, name
            assert '"paper"' in text or "curve only" in text.lower(), name


def shared(name):
    """Modules of a paper that hold the rows of several pages."""
    return {"s000": ("s000_series", "s000_chen"), "s004": ("series_data",)}.get(name[:4], ())


def test_mutants_change_one_place_each_and_a_test_that_sees_one_fails(monkeypatch):
    source = "def f(a, b):\n    return a + b if a < 3 else 0\n\ndef g(a):\n    return a - 1\n"
    found = list(mutants.mutants(source, "f"))
    assert sorted(said for _, said, _ in found) == ["0 to 1", "3 to 4", "Add to Sub", "Lt to LtE"]
    for _, _, text in found:
        known: dict = {}
        exec(text, known)
        assert [known["f"](a, 2) for a in (1, 3, 4)] != [3, 0, 0] and known["g"](5) == 4
    calls = []
    monkeypatch.setattr(
        mutants.subprocess, "run", lambda *a, **k: calls.append(k["env"]) or types.SimpleNamespace(returncode=1)
    )
    assert mutants.run_one("sequester.kinds", source, ["tests/unit/x.py"]) is True
    assert calls[0][mutants.MODULE] == "sequester.kinds" and calls[0]["NUMBA_DISABLE_JIT"] == "1"


def test_every_kernel_of_a_file_with_a_twin_has_tests_that_answer_and_an_unknown_name_is_a_sentence(capsys):
    known = mutants.answering()
    joint = "methods.series.shared.kernels.joint"
    assert {f"{joint}._best", f"{joint}._swap", f"{joint}._carry_out"} <= set(known)
    assert set(known[f"{joint}._best"]) == {*known[f"{joint}._improve"], *known[f"{joint}._begin"]}
    assert mutants.main(["no such kernel"]) == 2
    assert capsys.readouterr().err.startswith("mutants: no kernel has no such kernel in its name. One such name is ")


SOURCE = '''"""Words."""
SIZE = 1
def used():
    return helper()
def helper():
    return SIZE
def unused():
    return 2
class Thing:
    width: int = 3
    def area(self):
        return self.width
    def unused(self):
        return 4
'''


RAN = {"used", "helper", "Thing.area"}


def old_entry(source, functions, rule=""):
    """What stamps kept by an earlier rule."""
    inside = sorted(functions)
    return f"{rule}{stamps_module.digest(source, tuple(inside), rule)} {','.join(inside)}"


def with_names(keep):
    return lambda source, functions: keep(source, functions | {"SIZE", "Thing"})


@pytest.mark.parametrize(
    "keep",
    [old_entry, with_names(lambda s, names: old_entry(s, names, "~")), with_names(stamps_module.entry)],
    ids=["first", "second", "present"],
)
@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("return 2", "return 3", True),
        ("def unused():\n    return 2\n", "", True),
        ("return 4", "return 5", True),
        ("Words", "Other words", True),
        ("return SIZE", "return SIZE + 1", False),
        ("SIZE = 1", "SIZE = 2", False),
        ("width: int = 3", "width: int = 4", False),
        ("return self.width", "return -self.width", False),
        ("    def unused(self)", "    def __len__(self)", False),
    ],
)
def test_a_page_rests_on_the_functions_that_ran_and_on_what_stands_outside(keep, old, new, same):
    kept = keep(SOURCE, RAN)
    assert stamps_module.fits(kept, SOURCE) and SOURCE.replace(old, new) != SOURCE
    assert stamps_module.fits(kept, SOURCE.replace(old, new)) == same


WITHIN = """
from sequester.a import solve, idle as lazy
from sequester.samples import other
import numpy as np
def run():
    def inner(x):
        return x + 1
    class Box:
        def width(self):
            return 3
    return solve(inner(1), Box(), np)
def unused():
    def inner(x):
        return x - 1
    return lazy(inner)
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("x + 1", "x + 2", False),
        ("return 3", "return 4", False),
        ("x - 1", "x - 2", True),
        ("sequester.a import solve,", "sequester.b import solve\nfrom sequester.a import", False),
        ("import solve,", "import dissolve as solve,", False),
        ("idle as lazy", "lazy", True),
        ("sequester.samples", "sequester.kinds", True),
    ],
)
def test_functions_inside_of_those_that_ran_count_and_where_their_names_are_taken_from(old, new, same):
    changed = WITHIN.replace(old, new)
    assert changed != WITHIN
    assert stamps_module.fits(stamps_module.entry(WITHIN, {"run"}), changed) == same
    assert not stamps_module.fits(stamps_module.entry(WITHIN, None), changed.replace("x - 1", "x - 3"))


def test_lists_beside_modules_count_where_something_ran(tmp_path, monkeypatch):
    folder = tmp_path / "sequester" / "words"
    folder.mkdir(parents=True)
    (folder / "names.json").write_text("[1]")
    monkeypatch.setattr(stamps_module, "LIBRARY", tmp_path / "sequester")
    used = {"sequester.words.names": 'PATH = Path(__file__).with_name("names.json")\n'}
    told = stamps_module.data_sets(["print(1)"], used, tmp_path)
    assert list(told) == ["sequester/words/names.json"]
    assert stamps_module.data_sets(["print(1)"], {}, tmp_path) == {}
    end = {"modules": {}, "data": told, "source": "x"}
    assert stamps_module.misfits(end, "x", {}, tmp_path) == []
    (folder / "names.json").write_text("[2]")
    assert stamps_module.misfits(end, "x", {}, tmp_path) == ["the data set sequester/words/names.json has changed"]


def test_what_tests_lend_to_a_step_counts_and_whether_it_starts_processes(monkeypatch):
    sources = library_sources()
    assert {"tests.killing", "tests.golden.make_bundles"} <= set(sources) and "tests.unit.test_steps" not in sources
    for lent, all_of_it in (("tests.killing", True), ("tests.golden.make_bundles", False)):
        monkeypatch.setattr(sys, "modules", {lent: None, "sequester.kinds": None})
        kept = stamps_module.loaded_modules(["print(1)"], sources)
        assert lent in kept and ("sequester.cli" in kept) == all_of_it
        assert len(kept) == 2 or all_of_it


def test_rows_that_steps_share_are_computed_anew_when_the_library_changed_and_count_what_ran_for_them(
    tmp_path, monkeypatch
):
    from experiments import ran, s003_runs

    computed = []
    monkeypatch.setattr(s003_runs, "STORE", tmp_path / "rows.json")
    monkeypatch.setattr(s003_runs, "_computed", lambda: computed.append(1) or iter([{"n": 1}]))
    monkeypatch.setattr(ran, "FUNCTIONS", {"sequester.kinds": {"named"}})
    monkeypatch.setattr(stamps_module, "PROCESSES", ())  # other tests loaded helpers that start some
    sources = library_sources()
    for change, times in ((None, 1), (None, 1), ("sequester.kinds", 1), ("sequester.model", 2)):
        known = sources | ({change: sources[change] + "\ndef added(x):\n    return x\n"} if change else {})
        monkeypatch.setattr(s003_runs, "library_sources", lambda known=known: known)
        s003_runs.runs.cache_clear()
        assert s003_runs.runs() == ({"n": 1},) and len(computed) == times
    ran.FUNCTIONS["sequester.kinds"] = set()
    stamps_module.rest_on({"sequester.kinds": "=0123456789 named", "sequester.samples": "=0123456789"})
    assert {"sequester.kinds": {"named"}} == ran.FUNCTIONS and "sequester.samples" in sys.modules
    s003_runs.runs.cache_clear()


def test_benchmarks_are_measured_as_they_are():
    assert all(steps.runs_alone("benchmarks", name) for name in steps.steps("benchmarks"))
    assert not steps.runs_alone("experiments", "s000_fig7")


NAMING = {
    "sequester.a": """
from sequester.b import SIZE as WIDE, Box
LIMIT = 3
IDLE = 4
HALF = FULL = 6
def run(value):
    if value > LIMIT:
        raise InputError(f"{value} is above the limit.")
    return WIDE, Box, getattr(sequester.b, "ROOM"), Note("It went well", HALF)
def idle():
    return IDLE
""",
    "sequester.b": """
BASE = 1
SIZE = BASE + 1
ROOM = 5
class Box:
    side = DEEP = 2
class Unused:
    side = 3
""",
}
RAN_THERE = {"sequester.a": {"run"}, "sequester.b": set()}


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("IDLE = 4", "IDLE = 5", True),
        ("return IDLE", "return 0", True),
        ("is above the limit", "is too much", True),
        ("It went well", "It went rather well", True),
        ("side = 3", "side = 4", True),
        ("class Unused", "class Idle", True),
        ("LIMIT = 3", "LIMIT = 4", False),
        ("FULL = 6", "FULL = 7", False),
        ("value > LIMIT", "value >= LIMIT", False),
        ("raise InputError", "raise DataError", False),
        ("BASE = 1", "BASE = 2", False),
        ("BASE + 1", "BASE + 2", False),
        ("ROOM = 5", "ROOM = 6", False),
        ("DEEP = 2", "DEEP = 3", False),
    ],
)
def test_a_constant_counts_if_something_that_ran_has_a_name_for_it_and_words_do_not(tmp_path, old, new, same):
    named = stamps_module.names_in_use(["print(1)"], NAMING, RAN_THERE)
    end = {"modules": {m: stamps_module.entry(s, named[m]) for m, s in NAMING.items()}, "data": {}, "source": "x"}
    assert stamps_module.misfits(end, "x", NAMING, tmp_path) == []
    changed = {m: source.replace(old, new) for m, source in NAMING.items()}
    assert changed != NAMING
    assert (stamps_module.misfits(end, "x", changed, tmp_path) == []) == same


def test_the_step_itself_takes_constants_and_a_module_that_was_not_watched_counts_whole():
    for step, count in (
        ("print(1)", set()),
        ("from sequester.b import Unused", {"Unused"}),
        ("from sequester import b\nb.ROOM", {"ROOM"}),
    ):
        assert stamps_module.names_in_use([step], {"sequester.b": NAMING["sequester.b"]}, RAN_THERE) == {
            "sequester.b": count
        }
    whole = stamps_module.entry(SOURCE, None)
    assert stamps_module.fits(whole, SOURCE) and not stamps_module.fits(whole, SOURCE.replace("return 2", "return 3"))


REACHING = {
    "sequester": """
_PUBLIC = {"Wanted": "sequester.wanted:Wanted", "Other": "sequester.other:Other"}
def __getattr__(name):
    return load(_PUBLIC[name])
""",
    "sequester.wanted": "class Wanted:\n    size = 1\n",
    "sequester.other": "class Other:\n    size = 1\nTABLE = 1\n",
    "sequester.runs": """
from sequester.package import SIZE
from sequester import whole
def run():
    return SIZE, whole.LIMIT, pa.TABLE, load("sequester.loaded:Late")
def idle():
    from sequester.idly import Far
    return Far
""",
    "sequester.package": "from sequester.package.inner import WIDTH as SIZE, SPARE\n",
    "sequester.package.inner": "WIDTH = 1\nSPARE = 1\n",
    "sequester.whole": "LIMIT = 1\nTABLE = 1\n",
    "sequester.loaded": "class Late:\n    size = 1\n",
    "sequester.idly": "class Far:\n    size = 1\n",
    "sequester.platform": """
def read_at(handle):
    return PLACE
def lock(handle):
    return 1
PLACE = 1
""",
}


@pytest.mark.parametrize("rule", ["present", "wide"])
@pytest.mark.parametrize(
    ("changed", "stale"),
    [
        ("sequester.wanted", True),
        ("sequester.other", False),  # its TABLE is another than that of `pa`, and the step has no word for the class
        ("sequester.package.inner", True),  # handed on under another name
        ("sequester.whole", True),
        ("sequester.loaded", True),
        ("sequester.idly", False),
    ],
)
def test_a_name_counts_where_something_that_ran_reaches_it(tmp_path, rule, changed, stale):
    step = ["import sequester as sq\nsq.Wanted"]
    ran_in = {m: {"run"} if m == "sequester.runs" else set() for m in REACHING if m != "sequester"}
    named = stamps_module.names_in_use(step, REACHING, ran_in)
    assert named["sequester.package.inner"] == {"WIDTH"} and bool(named[changed]) == stale
    if rule == "wide":  # stamps hold names that were compared whoever owns them
        named = {m: names | stamps_module._constants(REACHING[m]) for m, names in named.items()}
    end = {"modules": {m: stamps_module.entry(s, named.get(m)) for m, s in REACHING.items()}, "data": {}, "source": "x"}
    assert stamps_module.misfits(end, "x", REACHING, tmp_path, step) == []
    now = REACHING | {changed: REACHING[changed].replace("= 1", "= 2")}
    assert bool(stamps_module.misfits(end, "x", now, tmp_path, step)) == stale
    assert stamps_module.misfits(end, "another", now, tmp_path, step)


@pytest.mark.parametrize(
    ("functions", "old", "stale"),
    [
        ({"lock"}, "return 1", False),
        ({"lock"}, "PLACE = 1", False),
        ({"lock", "read_at"}, "return PLACE", True),
        ({"lock", "read_at"}, "PLACE = 1", True),
    ],
)
def test_of_the_platform_only_what_moves_data_counts(tmp_path, monkeypatch, functions, old, stale):
    from experiments import ran

    known = {m: REACHING[m] for m in ("sequester.whole", "sequester.platform")}
    monkeypatch.setattr(ran, "FUNCTIONS", {"sequester.whole": set(), "sequester.platform": functions})
    monkeypatch.setattr(sys, "modules", dict.fromkeys(known))
    step = ["from sequester.platform import PLACE"]
    kept = stamps_module.loaded_modules(step, known)
    changed = known | {"sequester.platform": known["sequester.platform"].replace(old, old.replace("1", "3") + " + 2")}
    earlier = kept | {"sequester.platform": stamps_module.entry(known["sequester.platform"], functions | {"PLACE"})}
    for modules in (kept, earlier):
        end = {"modules": modules, "data": {}, "source": "x"}
        assert stamps_module.misfits(end, "x", known, tmp_path, step) == []
        assert bool(stamps_module.misfits(end, "x", changed, tmp_path, step)) == stale


def test_the_platform_computes_nothing_and_moves_data_where_it_is_said():
    """What stamps leave out holds no figures: it sees handles, paths and processes, and imports nothing that counts."""
    tree = ast.parse(library_sources()[stamps_module.PLATFORM])
    imported = {a.name.partition(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    imported |= {str(n.module).partition(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert imported <= {
        "__future__", "collections", "contextlib", "ctypes", "errno", "fcntl", "getpass", "msvcrt", "os", "pathlib",
        "resource", "signal", "subprocess", "sys", "threading", "time", "typing",
    }  # fmt: skip
    carry = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            told = [a.annotation for a in (*node.args.args, *node.args.kwonlyargs)] + [node.returns]
            said = " ".join(ast.unparse(one) for one in told if one).replace("Popen[bytes]", "Popen")
            words = set(re.findall(r"\w+", said))
            if words - {
                "int",
                "bool",
                "float",
                "Path",
                "subprocess",
                "Popen",
                "dict",
                "str",
                "Any",
                "Iterator",
                "None",
            }:
                carry.add(node.name)
    assert carry == set(stamps_module.MOVED)


def test_functions_that_run_are_seen_and_kernels_count_whole(tmp_path, monkeypatch, capsys):
    body = """
def run():
    import sequester as sq
    from sequester.primitives import sorting
    from sequester.samples import wards
    yield {"people": sq.sample("series").n_people}
"""
    module(tmp_path, monkeypatch, "alpha", body)
    assert steps.main("trial", [], again=False) == 0, capsys.readouterr().out
    kept = steps.end_of("trial", "alpha")["modules"]
    assert "vitals" in kept["sequester.samples.vitals"].split(" ")[1]
    assert kept["sequester.samples.wards"].split(" ")[1] == kept["sequester.samples.wards"].split(" ")[1].upper()
    assert " " not in kept["sequester.primitives.sorting"]


def test_a_module_of_which_nothing_ran_counts_only_if_one_that_ran_takes_a_name_from_it_in_old_stamps(tmp_path):
    sources = {
        "sequester.a": "from sequester.b import SIZE\ndef run():\n    return SIZE\n",
        "sequester.b": "SIZE = 1\n",
        "sequester.c": "SIZE = 1\ndef idle():\n    return 2\n",
    }
    ran = {"sequester.a": {"run"}, "sequester.b": set(), "sequester.c": set()}
    end = {"modules": {m: old_entry(s, ran[m]) for m, s in sources.items()}, "data": {}, "source": "x"}
    assert stamps_module.misfits(end, "x", sources, tmp_path) == []
    other = {**sources, "sequester.c": sources["sequester.c"].replace("1", "3")}
    assert stamps_module.misfits(end, "x", other, tmp_path) == []
    taken = {**sources, "sequester.b": "SIZE = 2\n"}
    assert stamps_module.misfits(end, "x", taken, tmp_path) == ["1 of 3 modules changed (sequester.b)"]
