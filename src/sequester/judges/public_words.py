"""Judge of public words: cut the released texts again, and count who shows every stretch that is not public.

From the release, the named list and the rules alone: tables and spans are well formed, list and rules are those the
promise names, nothing visible has a forbidden form, and every stretch of words that are not public is shown in
documents of k people. Sharers are counted over all visible words. With the original: nothing but suppression happened,
documents are grouped by the right people, and kept columns are unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sequester.errors import InputError, counted, verb_for
from sequester.guarantees import public_words as rule
from sequester.guarantees.word_list import CHECKSUMS, WordList, gazetteer_checksum, word_list
from sequester.judges.replacements import put_back, truly_invented
from sequester.judges.text_release import ReleasedText, beside_originals, read_release
from sequester.judges.word_cuts import reader_for
from sequester.model import Corpus
from sequester.release import Check, Claim, from_release

NEEDED = {"k", "language", "nouns", "mark", "list", "gazetteers", "rules"}
Row = list[tuple[str, bool]]


def judge(claim: Claim, source: Corpus | None) -> list[Check]:
    """Recompute the promise."""
    promised = claim.guarantee.parameters
    if not set(promised) >= NEEDED or promised["mark"] != rule.MARK or promised["language"] not in CHECKSUMS:
        return [Check(name="promise", passed=False, detail="the promise lacks parameters the judge needs")]
    lists, named = _lists(promised)
    typed, surrogates = bool(promised.get("markers")), bool(promised.get("surrogates"))
    written = claim
    replaced: list[Check] = []
    if typed or surrogates:
        bare, check = put_back(claim, lists, typed=typed, surrogates=surrogates)
        if bare is None:
            return [check]
        claim, replaced = bare, [check]
    release, checks = read_release(
        claim,
        mark=promised["mark"],
        per_character=False,
        with_owners=claim.guarantee.unit == "person",
        kept=promised.get("kept", ()),
    )
    if release is None:
        return checks
    checks += [*replaced, named]
    pieces = [_pieces(text, promised["mark"]) for text in release.texts]
    checks.append(_forms(pieces))
    if lists is not None:
        reader = reader_for(lists, nouns=bool(promised["nouns"]))
        rows = [[reader.read(piece, opens=a, closes=b) for piece, a, b in document] for document in pieces]
        checks.append(_shared(rows, release.owners, promised["k"], claim.guarantee.unit))
    checks = from_release(checks)
    if source is not None:
        checks += _beside_the_original(claim, release, source)
        checks += [truly_invented(written, source)] if surrogates else []
    return checks


def _lists(promised: Any) -> tuple[WordList | None, Check]:
    """The list that the promise names, and whether it and the rules are the ones at hand."""
    known = {
        "list": CHECKSUMS[promised["language"]],
        "gazetteers": gazetteer_checksum(),
        "rules": rule.rules_checksum(),
    }
    other = [name for name, checksum in known.items() if dict(promised[name]).get("sha256") != checksum]
    if other:
        detail = f"this version has another checksum of: {', '.join(other)}"
        return None, Check(name="lists and rules", passed=False, detail=detail)
    try:
        lists = word_list(promised["language"])
    except InputError:
        detail = "the word list is not on this machine; install sequester[words] to build it"
        return None, Check(name="lists and rules", passed=False, undecided=True, detail=detail)
    detail = f"{rule.NAME} {rule.VERSION} '{promised['language']}', names, places and rules have the named checksums"
    return lists, Check(name="lists and rules", passed=True, detail=detail)


def _pieces(text: str, mark: str) -> list[tuple[str, bool, bool]]:
    """Stretches between marks, and whether the document begins or ends there."""
    parts = text.split(mark)
    last = len(parts) - 1
    return [(part, i == 0, i == last) for i, part in enumerate(parts) if part]


def _forms(pieces: Sequence[list[tuple[str, bool, bool]]]) -> Check:
    looks = [re.compile(pattern) for pattern in rule.FORMS.values()]
    found = sum(len(look.findall(piece)) for document in pieces for piece, _, _ in document for look in looks)
    return Check(
        name="forms",
        passed=found == 0,
        detail=f"{counted(found, 'visible stretch has', 'visible stretches have')} the form of a date, code or address",
    )


def _stretches(piece: Row) -> Iterator[tuple[str, ...]]:
    row: list[str] = []
    for word, public in [*piece, ("", True)]:
        if not public:
            row.append(word)
        elif row:
            yield tuple(row)
            row = []


def _shared(rows: Sequence[Sequence[Row]], owners: Sequence[Any], k: int, unit: str) -> Check:
    stretches = [stretch for document in rows for piece in document for stretch in _stretches(piece)]
    who: dict[tuple[str, ...], set[Any]] = {stretch: set() for stretch in stretches}
    lengths: dict[str, set[int]] = {}
    for stretch in who:
        lengths.setdefault(stretch[0], set()).add(len(stretch))
    for document, owner in zip(rows, owners):
        for piece in document:
            words = [word for word, _ in piece]
            for i, word in enumerate(words):
                for n in lengths.get(word, ()):
                    seen = who.get(tuple(words[i : i + n]))
                    if seen is not None and len(seen) < k:
                        seen.add(owner)
    rare = sum(len(who[stretch]) < k for stretch in stretches)
    whom = "people" if unit == "person" else "documents"
    return Check(
        name="shared stretches",
        passed=rare == 0,
        detail=f"{rare} of {counted(len(stretches), 'stretch', 'stretches')} of words that are not public "
        f"{verb_for(rare, 'is', 'are')} shown by fewer than {k} {whom}",
    )


def _beside_the_original(claim: Claim, release: ReleasedText, source: Corpus) -> Iterator[Check]:
    pairs, checks = beside_originals(claim, release, source)
    yield from checks
    for name in claim.guarantee.parameters.get("kept", ()) if pairs is not None else ():
        shown = claim.tables["documents"].column(name).to_pylist()
        true = source.columns.get(name)
        wrong = len(shown) if true is None else sum(a != true[j] for a, j in zip(shown, pairs or ()))
        yield Check(
            name=f"column {name}",
            passed=wrong == 0,
            detail=f"{counted(wrong, 'cell differs', 'cells differ')} from the original",
        )
