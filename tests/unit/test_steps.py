"""Experiments and benchmarks: resumable, one broken step does not hide the others, pages come from rows."""

import sys
import types

from experiments import pages, steps


def module(tmp_path, monkeypatch, name, body):
    folder = tmp_path / "trial"
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").write_text("")
    (folder / f"{name}.py").write_text(body)
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    monkeypatch.setattr(steps, "RESULTS", tmp_path / "results")
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
    (tmp_path / "trial" / "alpha.py").write_text(body + "# changed\n")
    assert steps.finished_rows("trial", "alpha") is None


def test_a_broken_step_is_told_and_the_next_one_runs(tmp_path, monkeypatch, capsys):
    module(tmp_path, monkeypatch, "bad", "def run():\n    yield {'a': 1}\n    raise RuntimeError('no')\n")
    module(tmp_path, monkeypatch, "good", "def run():\n    yield {'b': 2}\n")
    assert steps.main("trial", [], again=False) == 1
    out = capsys.readouterr().out
    assert "RuntimeError: no" in out and '"b": 2' in out
    assert steps.main("trial", ["worse"], again=False) == 1


def test_a_page_shows_note_chart_and_table(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PAGES", tmp_path)
    told = types.SimpleNamespace(TITLE="Loss", PAPER="P", NOTE="Why\n it differs.", CHART={"x": "k", "y": "loss"})
    text = pages.page("loss", told, [{"k": 2, "loss": 0.5}, {"k": 3, "loss": 0.123456, "a|b": None}], "trial")
    assert "Why it differs." in text and "| 3 | 0.1235 |" in text and "![Loss](loss.svg)" in text
    assert (tmp_path / "loss.svg").read_text().startswith("<svg")
