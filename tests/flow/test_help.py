"""Help on one screen: the options of every day that can apply to a method, in groups; the others with --help-all."""

from dataclasses import fields

import click
import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli
from sequester.cli.options import reader_options
from sequester.options import FORMER

SCREEN = 45
GROUPS = ["Protection:", "Reading:", "Publication:", "Scale:"]
MOST_NAMES = 159
"""Distinct names of options on the whole command line; a new one is worth a thought here."""
MOST_PARAMETERS = 177
"""Parameters of all methods together."""


def shown(*words):
    out = CliRunner().invoke(cli, list(words), prog_name="sequester", terminal_width=100, env={"COLUMNS": "100"})
    assert out.exit_code == 0, out.output
    return out.output.splitlines()


def names(lines):
    return {line.split()[0].rstrip(",") for line in lines if line.startswith("  -")}


@pytest.mark.parametrize("method_id", sorted(sq.METHODS))
def test_help_of_a_method_is_one_screen_in_groups(method_id):
    lines = shown("publish", method_id, "--help")
    assert len(lines) <= SCREEN and max(map(len, lines)) <= 100
    found = [line for line in lines if line in GROUPS]
    assert found == [group for group in GROUPS if group in found] and found[:3] == GROUPS[:3]
    whole = shown("publish", method_id, "--help-all")
    assert names(lines) < names(whole), "the other options are listed with --help-all"


def test_options_that_a_method_refuses_are_not_listed():
    parts = {"--engine", "--scheduler", "--workers", "--by-file", "--resume", "--memory-limit", "--scratch"}
    kapra, markov = (names(shown("publish", m, "--help-all")) for m in ("kapra", "markov-dp"))
    assert not kapra & {*parts, "--teaching-only"} and "--grouping" in kapra
    assert parts <= markov and "--teaching-only" in markov and "--grouping" not in markov


def every_name():
    def of(command):
        yield from (name for p in command.params if isinstance(p, click.Option) for name in p.opts)
        if isinstance(command, click.Group):
            for name in command.list_commands(click.Context(command)):
                yield from of(command.get_command(click.Context(command), name))

    readers = [function(kind) for kind in sq.KINDS for function in (sq.reader, sq.assessor)]
    asked = {name for function in readers for option in reader_options(function) for name in option.opts}
    return {name for name in {*of(cli), *asked} if name.startswith("--")}


def test_there_are_not_more_options_than_anybody_can_name_a_use_for():
    assert len(every_name()) <= MOST_NAMES
    assert sum(len(fields(sq.method_class(m))) for m in sq.METHODS) <= MOST_PARAMETERS


@pytest.mark.parametrize("word", sorted(FORMER))
def test_a_word_that_went_names_what_to_do_instead(word):
    flag = "--" + word.replace("_", "-")
    assert flag not in every_name()
    out = CliRunner().invoke(cli, ["publish", "kapra", "a.csv", flag, "1"], prog_name="sequester")
    assert out.exit_code == 2 and f"No such option '{flag}'. {FORMER[word].split('‹')[0]}" in " ".join(
        out.output.split()
    )
