"""A notebook per kind of data, run cell by cell as a reader would, without Jupyter."""

import ast
import json

import pytest

from sequester.kinds import KINDS
from tests.docs.blocks import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_there_is_one_per_kind():
    assert {path.stem for path in NOTEBOOKS} == {"text", "series", "activity", "events", "symbols"} <= set(KINDS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scope, shown = {"__name__": "__notebook__"}, []
    book = json.loads(path.read_text("utf-8"))
    assert book["nbformat"] == 4
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] for cell in cells), "what a run showed is not committed"
    for cell in cells:
        body = ast.parse("".join(cell["source"]), str(path)).body
        last = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None  # a notebook shows it
        exec(compile(ast.Module(body, []), str(path), "exec"), scope)
        shown.append(eval(compile(last, str(path), "eval"), scope) if last else None)
    assert "not covered:" in capsys.readouterr().out
    bundle = scope["bundle"]
    assert bundle.guarantee.level in bundle._repr_html_() and scope["verdict"].result != "broken"
    assert shown[-2] is not None and len(shown[-2]) > 0
