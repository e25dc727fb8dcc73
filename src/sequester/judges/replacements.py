"""What may stand in place of a hidden stretch: the mark, a typed marker, or an invented value if the promise says so.

The table `spans` names every such place. The judge puts the mark back there and looks at nothing else differently: no
invented word counts as shared, and none hides a rare one. Invented names and places must come from the named lists, and
a kind that the search does not know itself is shown by k people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from sequester.errors import counted
from sequester.guarantees.public_words import KINDS, MARK, MONTHS
from sequester.guarantees.word_list import WordList
from sequester.judges.text_release import TYPED
from sequester.judges.word_cuts import words_in
from sequester.model import Corpus
from sequester.release import Check, Claim, Guarantee

COLUMNS = ("document", "start", "end")
_NUMBER, _BETWEEN = re.compile(r"[0-9X]+"), re.compile("[-'\u2019.,:/_年月日]+")


class _Bare(NamedTuple):
    """A claim whose texts hold marks only."""

    tables: Mapping[str, pa.Table]
    guarantee: Guarantee
    method_id: str
    parameters: Mapping[str, Any]
    layout: str
    ledger: Any
    federation: Mapping[str, Any] | None
    private: Mapping[str, pa.Table]


def put_back(claim: Claim, lists: WordList | None, *, typed: bool, surrogates: bool) -> tuple[Claim | None, Check]:
    """The claim with the mark at every place of `spans`, or None where the table does not fit the texts."""
    try:
        documents, spans = claim.tables["documents"], claim.tables["spans"]
        names, texts = documents.column("document").to_pylist(), documents.column("text").to_pylist()
        rows: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
        for name, start, end in zip(*(spans.column(c).to_pylist() for c in COLUMNS), strict=True):
            rows[name].append((start, end))
        owner = dict(zip(names, names, strict=True))
        if claim.guarantee.unit == "person":
            table = claim.tables["owners"]
            owner = dict(zip(table.column("document").to_pylist(), table.column("owner").to_pylist(), strict=True))
        fits = names == [*owner] and all(_apart(rows[name], len(text)) for name, text in zip(names, texts, strict=True))
    except (KeyError, TypeError):
        fits = False
    if not fits:
        return None, Check(name="replacements", passed=False, detail="the table spans does not fit the documents")
    out, fresh, invented, odd = [], [], 0, 0
    who: dict[str, set[Any]] = {}
    for name, text in zip(names, texts, strict=True):
        shown, at = "", 0
        for start, end in sorted(rows[name]):
            value = text[start:end]
            plain = value == MARK or (typed and TYPED.fullmatch(value) is not None)
            if plain and value[1:-1] not in {MARK[1:-1], *KINDS}:
                who.setdefault(value, set()).add(owner[name])
            invented += not plain
            odd += not plain and not (surrogates and _may_be_invented(value, lists))
            shown += text[at:start]
            odd += TYPED.search(text[at:start]) is not None and typed
            fresh.append((name, len(shown), len(shown) + len(MARK)))
            shown += MARK
            at = end
        odd += TYPED.search(text[at:]) is not None and typed
        out.append(shown + text[at:])
    odd += sum(len(people) < claim.guarantee.parameters["k"] for people in who.values())
    column = documents.column_names.index("text")
    tables = {
        **claim.tables,
        "documents": documents.set_column(column, "text", pa.array(out, documents.schema.field("text").type)),
        "spans": pa.Table.from_pylist([dict(zip(COLUMNS, row)) for row in fresh], schema=spans.schema),
    }
    check = Check(
        name="replacements",
        passed=odd == 0,
        detail=f"{invented} of {counted(len(fresh), 'hidden stretch', 'hidden stretches')} hold an invented value; "
        f"{odd} hold something else",
    )
    promise = (claim.guarantee, claim.method_id, claim.parameters, claim.layout, claim.ledger, claim.federation)
    bare = _Bare(tables, *promise, claim.private)
    return bare, check


def _apart(spans: list[tuple[int, int]], size: int) -> bool:
    order = sorted(spans)
    inside = all(0 <= start < end <= size for start, end in order)
    return inside and all(a[1] <= b[0] for a, b in pairwise(order))


def _may_be_invented(value: str, lists: WordList | None) -> bool:
    """Words of the named lists of names and places, months, and digits."""
    if lists is None:
        return True  # "lists and rules" says that they are not here
    return all(
        _NUMBER.fullmatch(part) or part.lower() in lists.names or part.lower() in lists.places or part.lower() in MONTHS
        for found in words_in(value)
        for part in _parts(found.word, lists)
    )


def _parts(word: str, lists: WordList) -> Sequence[str]:
    """A word of the lists as it is; any other in parts, so that 12-03-1971 is three numbers."""
    return [word] if word.lower() in lists.names | lists.places else [p for p in _BETWEEN.split(word) if p]


def truly_invented(claim: Claim, source: Corpus) -> Check:
    """No invented value equals what it stands for; the custodian's folder says what that is."""
    hidden, documents = claim.private.get("spans"), claim.private.get("documents")
    if hidden is None or documents is None:
        detail = "what the invented values stand for is only known from the custodian's folder, not found here"
        return Check(name="invented values", passed=False, undecided=True, detail=detail)
    text = dict(zip(*(claim.tables["documents"].column(c).to_pylist() for c in ("document", "text")), strict=True))
    original = dict(zip(*(documents.column(c).to_pylist() for c in ("document", "original")), strict=True))
    true = {str(name): source.text(i) for i, name in enumerate(source.documents)}
    there, here = _by_document(claim.tables["spans"]), _by_document(hidden)
    wrong = 0
    for name, spans in there.items():
        if len(spans) != len(here.get(name, ())):
            wrong += 1
            continue
        for (a, b), (c, d) in zip(spans, here[name], strict=True):
            wrong += text[name][a:b].casefold() == true[original[name]][c:d].casefold()
    detail = f"{counted(wrong, 'invented value equals', 'invented values equal')} what they stand for"
    return Check(name="invented values", passed=wrong == 0, detail=detail)


def _by_document(spans: pa.Table) -> dict[str, list[tuple[int, int]]]:
    out: dict[str, list[tuple[int, int]]] = {}
    for name, start, end in sorted(zip(*(spans.column(c).to_pylist() for c in COLUMNS), strict=True)):
        out.setdefault(name, []).append((start, end))
    return out
