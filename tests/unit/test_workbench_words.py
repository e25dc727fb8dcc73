"""Words of the workbench: commands that can be copied by hand, questions for people with fields, names of settings."""

import pytest

pytest.importorskip("starlette", reason="the extra 'workbench' is not installed")

from sequester.pages.page import coded, unbroken
from sequester.workbench.forms import clickable, clicked, reader_fields
from sequester.workbench.frontier import label, points, varied
from sequester.workbench.inspected import inspected


def test_a_command_is_broken_between_its_words_only():
    told = unbroken("sequester publish kapra a.csv --title '<b>'\nsequester verify a.bundle")
    assert told.count('<span class="word">') == 9
    assert '<span class="word">--title</span>' in told and "<b>" not in told and "&lt;b&gt;" in told
    assert told.striptags().replace("\n", " ").count("  ") == 0


def test_backticks_become_code_and_nothing_else_becomes_markup():
    assert coded("run `a <b>` & go") == "run <code>a &lt;b&gt;</code> &amp; go"
    whole = '<span class="word">--by-file</span>'
    assert coded("say `x --by-file 3` or --by-file") == f"say <code>x {whole} 3</code> or {whole}"
    assert coded("a--b, k -- p, <b--c>") == "a--b, k -- p, &lt;b--c&gt;"
    assert coded("a lonely ` stays") == "a lonely ` stays"


def test_a_question_names_fields_instead_of_options(tmp_path):
    path = tmp_path / "panel.csv"
    path.write_text("id,h1,h2,h3\n" + "\n".join(f"p{i},{i},2,{i % 4}" for i in range(9)))
    (asked,) = inspected(path, None, {})["choose"]
    assert asked == "Is 'id' a person, or only a visit, a case or a row? “person” names people."
    path.write_text("h1,h2,h3\n" + "\n".join(f"{i},2,{i}" for i in range(9)))
    assert inspected(path, None, {})["choose"] == [
        "Whose row is it? Name the column with “person”; “person” 'each' says that every row is another person."
    ]


def test_whose_the_parts_of_a_folder_are_is_clicked():
    whose = next(f for f in clickable("text", reader_fields("text"), ()) if f.name == "person")
    assert whose.looks == "preset" and whose.choices == ("folder", "each")
    assert clicked([("person", "each"), ("person-own", "")]) == {"person": "each"}
    assert clicked([("person", "own"), ("person-own", "patient")]) == {"person": "patient"}


def trial(job, method, **parameters):
    attack = {"attack": "linkage", "success": 0.2, "low": 0.1, "high": 0.3, "control": 0.0, "baseline": 0.0}
    figures = [{"name": "loss", "value": 0.5 * job, "better": "lower", "says": ""}]
    result = {"attacks": [attack], "figures": figures, "holds": True, "layout": "boxes"}
    return {"job": job, "settings": {"method": method, "parameters": parameters}, "result": result}


def test_a_point_is_named_by_what_tells_it_from_the_others():
    trials = [trial(1, "kapra", k=4, p=3), trial(2, "kapra", k=8, p=3), trial(3, "tga", k=5)]
    assert varied(trials) == {"k"}
    told = points(trials, "loss", "linkage")
    assert [p["short"] for p in told] == ["k 4", "k 8", "k 5"]
    assert label(trials[0]) == "kapra: k 4, p 3"
    assert [p["short"] for p in points(trials[:1], "loss", "linkage")] == [""]
