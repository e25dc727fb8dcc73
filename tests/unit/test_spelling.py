"""An option that a message names is a value; Python, the command line and plans spell it each in their own way."""

import ast
import re
import sys
import warnings

import pytest

import sequester as sq
from sequester.cli import VERBS, Verbs, cli, main
from sequester.errors import (
    InputError,
    Option,
    SequesterWarning,
    as_argument,
    as_flag,
    as_key,
    parts_of,
    spelled,
    with_markers,
)
from sequester.options import options_of
from tests.compiled_kernels import SRC

SPELLINGS = [
    ("‹missing='drop'›", "missing='drop'", "--missing drop", "missing = 'drop'"),
    ("‹quasi=›", "quasi=", "--quasi", "quasi"),
    ("‹dates=FROM..TO›", "dates=FROM..TO", "--dates FROM..TO", "dates = FROM..TO"),
    ("‹merge_small=True›", "merge_small=True", "--merge-small", "merge_small = true"),
    ("‹header=False›", "header=False", "--no-header", "header = false"),
    ("‹person='the id'›", "person='the id'", "--person 'the id'", "person = 'the id'"),
    ("‹from_=3›", "from_=3", "--from 3", "from_ = 3"),
]


@pytest.mark.parametrize("marked, python, shell, plan", SPELLINGS)
def test_one_option_in_three_spellings(marked, python, shell, plan):
    error = InputError(f"read_x: it is so. Pass {marked}, or not.")
    assert str(error) == f"read_x: it is so. Pass {python}, or not."
    assert spelled(error, as_flag) == f"read_x: it is so. Pass {shell}, or not."
    assert spelled(error, as_key) == f"read_x: it is so. Pass {plan}, or not."
    assert spelled(error, as_argument) == str(error) and len(error.options) == 1


def test_what_was_given_is_not_an_option():
    error = InputError("Kapra: p must lie in 2..k, got p=5 with k=3.")
    assert error.options == () and spelled(error, as_flag) == str(error)


def test_an_error_is_retold_without_losing_its_options():
    first = InputError("a: Pass ‹start=› and ‹end='x'›.")
    assert with_markers(first) == "a: Pass ‹start=› and ‹end='x'›."
    second = InputError(f"b failed ({with_markers(first)})")
    assert second.options == (Option("start"), Option("end", "'x'")) == first.options
    assert str(second) == "b failed (a: Pass start= and end='x'.)"
    assert parts_of("no option") == ("no option",)


def test_who_speaks_can_be_left_out():
    assert InputError("publish: 'a' exists.").sentence() == "'a' exists."
    assert InputError("the column: it is not there.").sentence() == "the column: it is not there."


def test_a_warning_is_spelled_like_an_error():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("pass ‹force=True›.", SequesterWarning, stacklevel=1)
    assert str(caught[0].message) == "pass force=True." and spelled(caught[0].message, as_flag) == "pass --force."


def test_python_and_the_command_line_say_the_same_words(tmp_path, monkeypatch, capsys):
    sq.write_sample("series", tmp_path / "walk.csv", n_people=30)
    people = sq.read_series(tmp_path / "walk.csv", person="person", sensitive=("stay_days", "outcome"))
    out = tmp_path / "walk.bundle"
    sq.publish(sq.anonymize(people, sq.Kapra(k=5, p=2), seed=1), out, source=people)
    with pytest.raises(sq.BundleError) as told:
        sq.publish(sq.anonymize(people, sq.Kapra(k=5, p=2), seed=1), out, source=people)
    assert str(told.value) == "publish: 'walk.bundle' exists. Pass overwrite=True to replace it."
    line = "publish kapra walk.csv --person person --sensitive stay_days,outcome --k 5 --p 2 --out walk.bundle"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["sequester", *line.split()])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert "sequester: publish: 'walk.bundle' exists. Pass --overwrite to replace it." in capsys.readouterr().err


def texts(sought=re.compile("‹")):
    """Every text of the house in which something stands, by default an option, and the call it stands in."""
    for path in sorted(SRC.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and sought.search(inner.value):
                        yield path.relative_to(SRC).as_posix(), name, inner.value


def test_notes_and_checks_name_no_options():
    """They are shown as they are; only errors and warnings are spelled."""
    assert [(path, text) for path, name, text in texts() if name in ("Note", "Check", "Evidence", "echo")] == []


def test_errors_mark_the_options_they_name():
    """Write ‹name=value› in the message of an error or a warning: whoever shows it spells it."""
    plain = re.compile(r"\b[Pp]ass (--[a-z]|[a-z_]+=)|\b(leave|Check|without|lower) --[a-z]")
    told = ("InputError", "ParameterError", "BundleError", "BudgetError", "PromiseBroken", "refuse", "warn")
    wrong = [
        (path, text)
        for path, name, text in texts(plain)
        if name in told and not path.startswith(("cli/", "workbench/"))
    ]
    assert wrong == []


def flags():
    """Every flag of the command line."""
    from sequester.methods import METHODS

    assert isinstance(cli, Verbs)
    for verb in VERBS:
        command = cli.get_command(None, verb)
        commands = [command]
        if hasattr(command, "get_command"):
            names = list(METHODS) if verb in ("publish", "tune", "audit") else command.list_commands(None)
            commands += [command.get_command(None, name) for name in names]
            below = [one for one in commands[1:] if hasattr(one, "get_command")]  # `federation study METHOD`
            commands += [one.get_command(None, name) for one in below for name in one.list_commands(None)]
        for one in filter(None, commands):
            for parameter in one.params:
                yield from (*parameter.opts, *parameter.secondary_opts)


PYTHON_ONLY = {"--by-file", "--memory-limit", "--scratch"}
"""Of reading in parts: a message may name them although the command line may not have them."""


def for_papers():
    """Set in plans and in Python alone, where the messages about them are read."""
    every = [(name, o) for m in sq.METHODS for name, o in options_of(sq.method_class(m)).items()]
    return {f"--{name.replace('_', '-')}" for name, o in every if o.level == "paper"}


def test_every_option_that_a_message_names_is_one_of_the_command_line():
    known = set(flags())
    named = {
        as_flag(part).split()[0]
        for _, _, text in texts()
        for part in parts_of(text + ("›" if text.count("‹") > text.count("›") else ""))
        if isinstance(part, Option)
    }
    assert len(named) > 20 and named - known <= PYTHON_ONLY | for_papers()
