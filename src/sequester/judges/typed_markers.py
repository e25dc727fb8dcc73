"""What typed markers such as [DATE] stand for, from the custodian's folder: the originals as they were counted.

Markers are written before anything is counted, so a release with markers can be laid beside its original exactly only
where it is known which stretches they replaced. Without that, only the letters between the markers can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from sequester.judges.text_release import TYPED
from sequester.model import Corpus
from sequester.release import Check, Claim

COLUMNS = {"original": "string", "start": "int64", "end": "int64", "marker": "string"}
NOBODY = "\U0001e900"
"""A capital of a rare script for each letter of what looks like a marker in an original: no marker has it."""


def originals_with_markers(claim: Claim, source: Corpus) -> tuple[Sequence[str] | None, Check]:
    """The originals with their markers, or None where the custodian's folder does not tell; and what was found."""
    table = claim.private.get("markers")
    if table is None:
        detail = "what the markers replaced is only known from the custodian's folder, which was not found here"
        return None, Check(name="markers", passed=False, undecided=True, detail=detail)
    found = {f.name: str(f.type).removeprefix("large_") for f in table.schema}
    if found != COLUMNS or any(table.column(c).null_count for c in COLUMNS):
        return None, Check(name="markers", passed=False, detail=f"the custodian's table of markers must have {COLUMNS}")
    spans = _by_document(table)
    names = [str(name) for name in source.documents]
    wrong = sum(len(rows) for name, rows in spans.items() if name not in set(names))
    out = []
    for name, text in zip(names, source.texts):
        rows = sorted(spans.get(name, ()))
        parts, at = [], 0
        for start, end, marker in rows:
            if not at <= start < end <= len(text) or TYPED.fullmatch(marker) is None:
                wrong += 1
                continue
            parts += [_without_markers(text[at:start]), marker]
            at = end
        out.append("".join([*parts, _without_markers(text[at:])]))
    check = Check(
        name="markers",
        passed=wrong == 0,
        detail=f"{wrong} of {table.num_rows} markers do not stand for text of their original",
    )
    return (out if wrong == 0 else None), check


def _by_document(table: pa.Table) -> dict[str, list[tuple[int, int, str]]]:
    out: dict[str, list[tuple[int, int, str]]] = {}
    for name, *row in zip(*(table.column(c).to_pylist() for c in COLUMNS), strict=True):
        out.setdefault(name, []).append((row[0], row[1], row[2]))
    return out


def _without_markers(text: str) -> str:
    """Text in which what looks like a marker cannot pass for one; as long as before, and cut into tokens alike."""
    return TYPED.sub(lambda found: re.sub("[A-Z]", NOBODY, found.group()), text)
