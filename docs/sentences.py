"""Gather every sentence of the pages into the catalogue and compile it: `python docs/sentences.py`.

Babel extracts, merges and compiles. Our part is the reader of Python files: a sentence there is a string or an
f-string, and what an f-string fills in becomes a placeholder. `{n1}` is a number, `{o1}` an option, `{x1}` a name, a
unit or other words.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

import sequester as sq
from sequester.cli.options import method_options, reader_options
from sequester.errors import as_field, in_words
from sequester.languages import LANGUAGES

SRC = Path(sq.__file__).parent
HERE = SRC / "languages"
ROOMS = ("pages", "guarantees", "layouts/dictionary.py", "utility/plain_figures.py", "kinds.py", "workbench",
         *(f"utility/{kind}_portrait.py" for kind in ("activity", "event", "series", "text")),
         "utility/activity_rhythm.py", "attacks", "risk", "read/summary.py", "read/inspect.py", "read/people.py",
         *(f"read/recognise{kind}.py" for kind in ("", "_activity", "_events", "_series", "_symbols", "_text")),
)  # fmt: skip
"""What speaks in the words of a report or of the workbench; checks and most measures are told in English
(docs/limits.md)."""
PROMISES = ("activity/activity_dp", "events/events_ngram_dp", "events/markov_dp", "ngrams/ngram_dp")
"""Methods that say themselves what their promise does not cover, in a property `guarantee`."""
REFUSALS = ("read", "methods", "method.py", "options.py")
"""What refuses a source or a setting: the workbench says why beside the field."""
NOT_CLICKED = {"federation", "grouping", "read_parts"}
"""Who speaks where nobody clicked."""
NO_PAGE = {"get", "removeprefix", "removesuffix", "compile"}
"""Calls whose words are keys, ends of names or patterns."""
LEFT_OUT = ("tour.py", "tour.html", "thumbnail.py", "svg.py", "store.py", "guard.py", "child.py", "commands.py")
"""Pages of the demo in English alone, and files without a sentence for a page."""
WORDS = (
    "person", "people", "record", "records", "document", "documents", "occurrence", "holds", "yes", "no", "lower",
    "higher", "original", "release", "before", "after", "count", "proved", "verified", "verifiable", "as-published",
    "declared", "found", "default", "number", "text", "list", "date", "nobody", "grade", "unit", "bound", "attacks",
    "seed", "events", "histories", "patterns", "groups", "none", "difference", "loss", "percent", "released", "words",
    "prediction", "strong", "lengths", "file", "folder", "bundle", "database", "archive", "values", "order",
    "durations", "hours", "minutes", "rhythm", "bouts", "shapes", "weekdays", "weekends",
    "ends of ranges rounded outward", "values filled along time",
    "times cut to their day", "time", "linking", "inference", "minute", "second", "day", "days", "mean", "times",
    "confirmed", "undecided", "broken",
    "is", "are", "was", "were", "does", "do", "has", "have", "lies", "lie", "hold", "lacks", "lack",
)  # fmt: skip
"""Words without a capital that stand alone; any other single word is a name."""
JOINED = (
    "Invented: every history was drawn from statistics of all people; one can equal a person's by chance.",
    "Dropped: states that few people have (they are called OTHER), and links to other data.",
    "Dropped: states and steps that few records have, and links to other data.",
    "Accuracy: no number of people was given, so nothing can be expected of any figure.",
    "Every run of visible tokens (words, numbers, codes, names in a row), begun and ended at token edges, occurs in "
    "documents of at least {n1} people of the release itself.",
    "Every visible word occurs in documents of at least {n1} people of the release itself.",
    "In numbers: {n1} of {n2} ({n3}) samples averaged, {n4} into a symbol.",
    "order {n1} of the costliest path",
    "{x1}: No line can be drawn: what the paper claims does not bound an attacker.{x2}",
    "People alone by their two rarest visible runs: {n1}.",
    "People alone by their two rarest visible runs",
    "Chance to name a person's row by all its values: {n1}.",
    "Chance to name a person's row by all its values",
    "{x1} · {x2}",
    "{x1} · {x2}, {x3}",
    "The promise is confirmed.",
    "Published.",
    "bound {n1}",
    "The ledger is checked; the noise cannot be seen.",
    "The shape is checked; the claim cannot be.",
    "Only the holder of the original can tell.",
    "{n1} {x2} singles out {n3} of people (95 % interval {n4} to {n5}).",
    "{n1} {x2} single out {n3} of people (95 % interval {n4} to {n5}).",
    "substring of {x1}",
    "substrings of {x1}",
    "linkage by known substring",
    "linkage by known substrings",
    "linkage by {n1} substring",
    "linkage by {n1} substrings",
    "linkage by {n1} values",
    "linkage by values",
    "linkage by pattern and values",
    "linkage by pattern and {n1} values",
    "{n1} records, {n2} patterns",
    "{n1} record, {n2} pattern",
    "{n1} records, {n2} pattern",
    "Whatever somebody knows, they are right in at most {n1} of 100 pairs.",
    "With 10 false alarms in 100, at most {n1} of 100 members can be recognised.",
    "What is published is shared by at least {n1} {x2}: one in {n3}.",
    "Every word that is not on the public list is used by at least {n1} people.",
    "Every visible word is used by at least {n1} people.",
    "A sentence may fit one person alone.",
    "range counts",
    "pattern ranges",
    "range and pattern counts",
    "similar patterns",
    "durations by number of events",
    "numbers of events",
    "loss by order",
    "loss against k",
    "Table: {x1}, {n2} row",
    "Table: {x1}, {n2} rows",
    "person = {x1}: {x2}, {x3}",
    "Found in the data, not declared: {x1}",
    "{n1} bytes of text",
    "observed {n1}, {x2} {n3}",
    "people_at_least={n1} at epsilon={n2} gives n sqrt(rho) = {n3}; {x4} at least {n5} is needed, below that the "
    "result is noise. Enough would be {x6}. “force” publishes it nevertheless, and the release says so.",
    "where states are selected privately",
    "for {x1} that are selected privately",
    "for {x1}",
    "{x1}, or epsilon {n2}",
    "{x1}, or epsilon {n2}, or at most {x3}",
    "{x1}, or at most {x2}",
    "'{x1}' is not UTF-8 at byte {n2}",
    "{x1} and {n2} more",
    "no column has a usual name for it",
    "Pass “{o1}” = {x2}?",
    "Pass “{o1}” one of them.",
    "one of them",
    "a whole number of at least {n1}",
    "a whole number in {x1}",
    "a number of at least {n1}",
    "a number in {x1}",
    "a number above {n1} and below {n2}",
    "{n1} times: {x2} to {x3}",
    "Where rows are drawn, k is no dial of risk: larger groups do not hide people better.",
    "Equal rows (exact) or activity-dp are such dials.",
    "occurrences of patterns of {x1}",
    "count of {x1}",
    "{n1} series",
    "states: the symbols found",
    "naming: 1 in {n1} (1 in {n2} with its shape)",
    "the names found",
    "the symbols found",
    "the names found in the log",
    "the columns named",
    "states: the names found",
    "states: the names found in the log",
    "Control: releases that have nothing to do with who was in give {n1} and {n2} of 100 here.",
)
"""Sentences that the program puts together from parts: as wholes they can be translated well."""
COUNTING = {"count", "counted"}
MARKUP = re.compile(
    r'^[<#@]|^(--|sequester\.|http)|="|\{ |^M\{n1\}|^svg |^aria-|-src |'
    r"^/|\.bundle|^sequester |^(event|data): |\\d|^Sentinel|^· |"
    r"\$\||\|\^|\[:|\\b|\]s\?|^select |^people_with|^Sequence\[|\|\(|\)s\?\$|\|entered\||[^ ]\{\}|\{\}[^ ]|"
    r"single\{x3\}|substring\{x\d\}|^in \{x1\}$|^no \{x1\}$|^: \{x1\} to|^text \{x1\}$|^(Assessor|Scene)$"
)


PLACE = re.compile(r"\{\w+\}")
EXPRESSION, BLOCK = re.compile(r"\{\{(.*?)\}\}", re.S), re.compile(r"\{[%#].*?[%#]\}|<[^>]*>", re.S)
READ_ALOUD = re.compile(r'(?:aria-label|title|data-name|data-done)="([^"]*)"')
ENDS = " \n.,;:()•"


def sentences(fileobj: Any, keywords: Any, comment_tags: Any, options: Any) -> Iterator[tuple]:
    """Every sentence of a Python file, as Babel wants it: line, function, message, comments."""
    tree: ast.AST = ast.parse(fileobj.read())
    silent = set(_silent(tree))
    if options.get("refusals"):
        yield from _refusals(tree)
        return
    if inside := options.get("inside"):
        named = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == inside]
        tree = ast.Module(body=list(named), type_ignores=[])
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        for words in _said(node):
            if _is_sentence(words):
                yield node.lineno, None, words.strip(), []  # type: ignore[attr-defined]


def _refusals(tree: ast.AST) -> Iterator[tuple]:
    """What an error says, without who says it, its options as the fields of the workbench are called."""
    for node in ast.walk(tree):
        called = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
        if called in COUNTING:
            yield from ((node.lineno, None, words, []) for words in _said(node))  # type: ignore[attr-defined]
        if called.endswith(("Error", "refuse")) and node.args:
            for words in _said(node.args[0]):
                who, colon, rest = words.partition(": ")
                words = rest if colon and " " not in who else words
                if _is_sentence(words) and words.endswith((".", "}")) and who not in NOT_CLICKED:
                    named = re.sub(r"‹\{x(\d)\}=\w*›", r"“{o\1}”", words.strip())
                    yield node.lineno, None, in_words(named, as_field), []  # type: ignore[attr-defined]


def of_template(text: str) -> Iterator[str]:
    """Every sentence of a template of the workbench: what stands between tags, is read aloud, or is chosen by an if."""
    for inner in EXPRESSION.findall(text):
        for words in re.findall(r'"([^"]*)"', inner):
            if re.search(r"[a-z] [a-z]|^[A-Z][a-z]+$", words) and "=" not in words:
                yield words.strip()
        counted = re.search(r'count\("([^"]*)"(?:, "([^"]*)")?\)', inner)
        if counted:
            yield from (f"{{n1}} {noun}" for noun in (counted[1], counted[2] or counted[1] + "s"))
    text = re.sub(r"<(script|code|pre|style)\b.*?</\1>", "<x>", text, flags=re.S)
    places = iter(range(1, 10_000))
    plain = EXPRESSION.sub(lambda _: f"{{x{next(places)}}}", text)
    for words in (*READ_ALOUD.findall(BLOCK.sub(_kept_tag, plain)), *re.split(BLOCK, plain)):
        names = dict.fromkeys(PLACE.findall(words))
        for i, name in enumerate(names, 1):
            words = words.replace(name, f"{{x{i}}}", 1)
        core = " ".join(words.split()).lstrip(ENDS)
        if sum(c.isalpha() for c in PLACE.sub("", core)) > 1 and not MARKUP.search(core):
            yield core


def _kept_tag(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("<") else "\n"


def _silent(tree: ast.AST) -> Iterator[int]:
    """Docstrings, refusals, parts of f-strings, format specs and patterns: not sentences of a page."""
    for node in ast.walk(tree):
        hidden: list[ast.AST] = []
        body = getattr(node, "body", None)
        if isinstance(body, list):
            hidden += [n for n in body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)]
        if isinstance(node, ast.Raise):
            hidden.append(node)
        if isinstance(node, ast.JoinedStr):
            yield from (id(part) for part in node.values if isinstance(part, ast.Constant))
        if isinstance(node, ast.FormattedValue) and node.format_spec:
            hidden.append(node.format_spec)
        if isinstance(node, ast.Compare | ast.Subscript | ast.ImportFrom):
            hidden += [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.Constant)]
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in NO_PAGE:
            hidden += node.args
        yield from (id(n) for top in hidden for n in ast.walk(top))


def _said(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value.replace("{{", "{").replace("}}", "}")
    elif isinstance(node, ast.JoinedStr):
        at, parts = 0, []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
            else:
                at += 1
                parts.append(f"{{{'n' if _is_number(part) else 'x'}{at}}}")
        yield "".join(parts)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in COUNTING:
        nouns = [a.value for a in node.args[1:] if isinstance(a, ast.Constant)]
        if nouns:
            yield f"{{n1}} {nouns[0]}"
            yield f"{{n1}} {nouns[1] if len(nouns) > 1 else nouns[0] + 's'}"


def _is_number(part: Any) -> bool:
    spec = ast.unparse(part.format_spec)[2:-1] if part.format_spec else ""
    return spec[-1:] in tuple("gfd%,")


def _is_sentence(words: str) -> bool:
    text = words.strip()
    letters = "".join(c for c in PLACE.sub("", text) if c.isalpha())
    if len(letters) < 2 or letters.isupper() or MARKUP.search(text):
        return False
    if " " not in text:
        return text in WORDS or (text.isalpha() and text.istitle()) or bool(PLACE.search(text) and len(letters) > 5)
    return True


def helps() -> Iterator[str]:
    """What the forms of the workbench say of each field, and the pages of methods of each method."""
    for kind in sq.KINDS:
        yield from (option.help for option in (*reader_options(sq.reader(kind)), *reader_options(sq.assessor(kind))))
        for name in sq.methods_for(kind):
            method = sq.method_class(name)
            yield " ".join((method.__doc__ or "").split("\n\n")[0].split())
            yield from (option.help for option in method_options(method))


def extracted() -> Catalog:
    """All sentences of this edition, without translations."""
    found = Catalog()
    rooms = [SRC / room for room in ROOMS]
    files = {path: {} for room in rooms for path in (room.rglob("*.py") if room.is_dir() else [room])}
    files |= {path: {"inside": "guarantee"} for m in PROMISES for path in (SRC / "methods" / m).glob("*.py")}
    files |= {SRC / "release.py": {"inside": "verdict_on"}}
    for path, options in sorted(files.items()):
        if path.name not in LEFT_OUT:
            for _, message, _, _ in extract_from_file(sentences, path, options=options):
                # questions of `inspect` name options as the fields of the workbench are called
                found.add(in_words(message, as_field) if path.parent.name == "read" else message)
    refusals = [SRC / room for room in REFUSALS]
    for path in sorted(path for room in refusals for path in (room.rglob("*.py") if room.is_dir() else [room])):
        if path.is_file() and not {"kernels", "k_repeats"} & set(path.parts):
            for _, message, _, _ in extract_from_file(sentences, path, options={"refusals": "yes"}):
                found.add(message)
    for path in sorted((SRC / "pages" / "templates").glob("*.html")):
        if path.name not in LEFT_OUT:
            for _, message, _, _ in extract_from_file("jinja2.ext:babel_extract", path):
                found.add(message)
    for path in sorted((SRC / "workbench" / "templates").glob("*.html")):
        for message in of_template(path.read_text("utf-8")):
            found.add(message)
    for word in (*WORDS, *JOINED, *helps()):
        found.add(word)
    return found


def merged(language: str) -> Catalog:
    """The catalogue of a language with all sentences of this edition; those that went are dropped."""
    with (HERE / f"{language}.po").open("rb") as file:
        before = read_po(file, locale=language)
    written = datetime(2026, 11, 18, tzinfo=UTC)  # a date of its own would change the file at every run
    out = Catalog(language, project="sequester", version="", creation_date=written, revision_date=written,
                  header_comment="# Sentences of the reports; `python docs/sentences.py` merges and compiles.",
                  msgid_bugs_address="", last_translator="", language_team="")  # fmt: skip
    for message in extracted():
        if message.id:
            known = before.get(message.id)
            out.add(message.id, known.string if known is not None else "")
    return out


def compiled(catalogue: Catalog) -> tuple[bytes, bytes]:
    """The files of a catalogue, to read and to load."""
    text, binary = BytesIO(), BytesIO()
    write_po(text, catalogue, width=120, no_location=True, sort_output=True)
    write_mo(binary, catalogue)
    return text.getvalue(), binary.getvalue()


def main() -> None:
    """Merge what is new into every catalogue, compile, and say how much is missing."""
    for language in LANGUAGES:
        if language == "en":
            continue
        catalogue = merged(language)
        for suffix, content in zip((".po", ".mo"), compiled(catalogue), strict=True):
            (HERE / language).with_suffix(suffix).write_bytes(content)
        missing = sum(not m.string for m in catalogue if m.id)
        print(f"{language}: {len(catalogue)} sentences, {missing} without a translation")


if __name__ == "__main__":
    main()
