"""Words of the workbench: commands that can be copied by hand, questions for people with fields, names of settings."""

import pytest

import sequester as sq

pytest.importorskip("starlette", reason="the extra 'workbench' is not installed")

from sequester.pages.page import coded, unbroken
from sequester.workbench.choosing import grids
from sequester.workbench.forms import clickable, clicked, grid, method_fields, named, reader_fields
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
        "Whose row is it? Name the column with “person”; “person” = each says that every row is another person."
    ]


def test_whose_the_parts_of_a_folder_are_is_clicked():
    whose = next(f for f in clickable("text", reader_fields("text"), ()) if f.name == "person")
    assert whose.looks == "preset" and whose.choices == ("folder", "each")
    assert clicked([("person", "each"), ("person-own", "")]) == {"person": "each"}
    assert clicked([("person", "own"), ("person-own", "patient")]) == {"person": "patient"}


def test_the_usual_grid_begins_with_what_can_be_computed_and_leaves_public_facts_to_the_custodian():
    found = {g.choice.id: g for g in grids("events", 400)}
    assert next(iter(found)) == "markov-dp" and found["markov-dp"].choice.grade == "proved"
    assert found["markov-dp"].filled["epsilon"] == "1,2,4,8" and found["markov-dp"].needs == (
        "people at least",
        "dates",
    )
    assert found["markov-dp"].filled["people_at_least"] == found["markov-dp"].filled["dates"] == ""
    assert found["markov-ratio"].filled == {"epsilon": "0.05,0.2,0.35,0.65,1"} and not found["markov-ratio"].needs
    assert {g.choice.id: g.filled["k"] for g in grids("series", 30) if "k" in g.filled}["kapra"] == "3,5"


def test_a_wrong_value_names_its_field():
    fields = method_fields("kapra")
    with pytest.raises(sq.ParameterError) as caught:
        grid(fields, {"kapra.k": "two", "kapra.p": "2"}, prefix="kapra.")
    assert named(caught.value) == ["k"]
    with pytest.raises(sq.ParameterError) as caught:
        grid(fields, {"kapra.k": "4"}, prefix="kapra.")
    assert named(caught.value) == ["p"]


def test_columns_are_described_and_who_was_recorded_when_is_drawn(tmp_path):
    path = tmp_path / "log.csv"
    rows = [f"p{i // 2},2024-01-{1 + i:02d}T08:00:00,{'a' if i % 3 else 'b'},{i if i % 4 else ''}" for i in range(20)]
    path.write_text("person,time,state,\n" + "\n".join(rows))
    told = inspected(path, "events", {"person": "person", "time": "time", "state": "state"})
    assert [(c["name"], c["sort"], c["missing"], c["distinct"]) for c in told["profile"]] == [
        ("person", "text", 0, 10), ("time", "time", 0, 20), ("state", "text", 0, 2),
        ("column 4", "number", 5, 15)]  # fmt: skip
    assert told["profile"][3]["range"] == "1 to 19" and len(told["profile"][3]["bars"]) == 8
    assert told["pictures"].count("<path") == 10 and "2024-01-01" in told["pictures"] and "p0" not in told["pictures"]
    wrong = inspected(path, "events", {"person": "who", "time": "time", "state": "state"})
    assert wrong["trouble"] and set(wrong["wrong"].values()) <= {wrong["trouble"]}
