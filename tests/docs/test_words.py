"""Words: phrases that newcomers stumbled on never come back, counts agree with their nouns, printed options exist."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import sequester as sq
from sequester.cli import VERBS, cli
from sequester.cli.options import reader_options
from sequester.errors import counted, left_out, verb_for

ROOT = Path(__file__).parents[2]
STUMBLES = (
    "is met with the nearest", "clock on the wall", "apart by blanks", "is no rule", "no stretch of", "Known are",
    "It is kept in", "Better is", "missing (none)", "(none)", "(person) confirmed", "is no parameter",
    "ends of ranges tell",
    "learns a moved value", "are no numbers", "is no JSON",
)  # fmt: skip
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "src").rglob("page.md"))]
SOURCES = [p for p in sorted((ROOT / "src").rglob("*")) if p.suffix in (".py", ".html") and p.is_file()]


@pytest.mark.parametrize("phrase", STUMBLES)
def test_a_phrase_that_stumbled_is_not_written_again(phrase):
    found = [str(p.relative_to(ROOT)) for p in (*PAGES, *SOURCES) if phrase in p.read_text("utf-8")]
    assert found == []


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (counted(1, "row"), "1 row"),
        (counted(0, "row"), "0 rows"),
        (counted(21, "row was", "rows were"), "21 rows were"),
        (counted(1, "row was", "rows were"), "1 row was"),
        (counted("1,001", "person", "people"), "1,001 people"),
        (counted(np.int64(1), "person", "people"), "1 person"),
        (verb_for(1, "is", "are"), "is"),
        (verb_for(2, "is", "are"), "are"),
        (left_out(1, "row", "without a person"), "1 row without a person was left out"),
        (left_out(2, "row", "without a person"), "2 rows without a person were left out"),
    ],
)
def test_one_thing_is_said_of_one_thing(told, said):
    assert told == said


def test_numbers_stand_before_nouns_only_where_they_are_counted():
    """A sentence that would read `1 rows`: a number in braces before a plural, not through `counted`."""
    nouns = "rows|people|columns|files|cells|records|events|values|documents|groups|tables|recordings|spans|checks"
    plain = re.compile(rf"(?<!of )(?<!least )(?<!than )\{{(?!counted|verb_for)[^{{}}]+\}} ({nouns})\b")
    rooms = ("read", "judges", "bundle", "accounts", "model", "methods", "utility", "risk", "attacks", "query", "cli")
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for room in rooms
        for path in sorted((ROOT / "src" / "sequester" / room).rglob("*.py"))
        for line in path.read_text("utf-8").splitlines()
        if plain.search(line)
    ]
    assert found == []


def commands():
    """Every `sequester …` line that a page prints, joined where it is continued."""
    for page in PAGES:
        text = page.read_text("utf-8").replace("\\\n", " ")
        for line in text.splitlines():
            # a command line begins the line, or stands between backticks
            for found in re.findall(r"^\s*\$?\s*(sequester [a-z].*)$|`(sequester [a-z][^`]*)`", line):
                yield page, next(part for part in found if part)


def assessing(words):
    """Options of `assess`: those of the kind on the line, or of any kind where it is told by the source."""
    told = [w for w in words if w in sq.KINDS] or list(sq.KINDS)
    return [o for k in told for o in (*reader_options(sq.assessor(k)), *reader_options(sq.reader(k)))]


def options_of(verb, words):
    """Options that this command line may carry."""
    command = cli.get_command(None, verb)
    if verb == "assess":
        return {name: o for o in (*command.params, *assessing(words)) for name in o.opts}
    if verb == "federation" and words and command.get_command(None, words[0]):
        # One of its commands, or a study with a method; `accept` takes the roles of a source.
        command = command.get_command(None, words[0])
        roles = every_role() if words[0] == "accept" else {}
        if words[0] == "study":
            command = command.get_command(None, words[1])
        return roles | {name: o for o in command.params for name in o.opts}
    if hasattr(command, "get_command"):
        methods = [w for w in words if w in command.list_commands(None)]
        command = command.get_command(None, methods[0]) if methods else command
        if not methods:
            every = [command.get_command(None, m) for m in command.list_commands(None)]
            return {name: o for c in every for o in c.params for name in (*o.opts, *o.secondary_opts)}
    return {name: o for o in command.params for name in (*o.opts, *o.secondary_opts)}


def every_role():
    return {name: o for kind in sq.KINDS for o in reader_options(sq.reader(kind)) for name in o.opts}


def test_every_option_printed_in_the_docs_exists():
    wrong, seen = [], 0
    for page, line in commands():
        line = line.split(" #")[0]
        try:
            words = shlex.split(line)
        except ValueError:
            continue  # prose with an apostrophe
        if len(words) < 2 or words[1] not in VERBS:
            continue
        named = words[2] if len(words) > 2 and words[1] in ("publish", "tune") else ""
        if re.fullmatch("[a-z-]+", named) and named not in sq.METHODS:
            continue  # a method that the page teaches to write
        known = options_of(words[1], words[2:])
        for i, word in enumerate(words):
            if not re.fullmatch(r"--[a-z][a-z0-9-]*(=.*)?", word) or word == "--help":
                continue
            seen += 1
            name = word.partition("=")[0]
            if name not in known:
                wrong.append(f"{page.name}: {name} in `{line[:70]}`")
            elif getattr(known[name], "is_flag", False) and words[i + 1 : i + 2] in (["True"], ["False"]):
                wrong.append(f"{page.name}: {name} takes no value in `{line[:70]}`")
    assert wrong == []
    assert seen > 100, "the pages print many commands; if none is found, the search is broken"


def test_every_option_named_in_a_sentence_exists():
    every = set()
    for verb in VERBS:
        command = cli.get_command(None, verb)
        parts = [command]
        for part in parts:  # groups in groups too
            if hasattr(part, "list_commands"):
                parts += [part.get_command(None, m) for m in part.list_commands(None)]
        every |= {name for c in parts for o in c.params for name in (*o.opts, *o.secondary_opts)}
    every |= {name for o in assessing([]) for name in o.opts}
    every |= {"--help", "--debug", "--version", "--quiet"}
    wrong = []
    for page in PAGES:
        for name in re.findall(r"`(--[a-z][a-z0-9-]*)", page.read_text("utf-8")):
            if name not in every and name not in ELSEWHERE:
                wrong.append(f"{page.name}: {name}")
    assert wrong == []


ELSEWHERE = {"--cov"}
"""Options of other programs that the pages name."""


def test_the_glossary_explains_the_figures_people_asked_about():
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    for term in ("APIL", "AEIL", "breach", "distance_back", "control", "unicity", "epsilon", "rho", "bundle", "KS"):
        assert re.search(rf"^[^:\n]*\b{re.escape(term)}\b[^:\n]*\n: ", text, re.M), term
    assert set(sq.METHODS)  # the package the words are about
