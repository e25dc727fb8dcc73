"""Documents with gaps: what a release of text looks like.

Tables: `documents` (`document`, a new number; columns kept by name; `text` with a mark for what is hidden), `spans`
(where the marks stand in the released text, in characters) and, where people are counted in the release, `owners`
(which documents belong to one unnamed person).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.release import Claim

Span = tuple[int, int]


@dataclass(frozen=True)
class Documents:
    """The documents of a release, read back."""

    names: list[str]
    """New numbers, in the order of the release."""
    texts: list[str]
    owners: list[int] | None
    """Whose each document is, as a new number; None where the release does not say."""
    mark: str
    """What stands in place of hidden text."""
    per_character: bool
    """One mark for every hidden character, or one for every hidden run."""
    kinds: tuple[str, ...] = ()
    """Kinds of typed markers that may stand in the text: `[DATE]` for DATE."""
    original: Mapping[str, str] | None = None
    """Original document → new number, from the custodian's map; None without it."""
    hidden: Mapping[str, list[Span]] | None = None
    """New number → hidden stretches in characters of the original; None where the custodian's map does not tell."""

    @classmethod
    def read(cls, claim: Claim) -> Documents | None:
        """The documents of a claim, or None if it has none."""
        table = claim.tables.get("documents")
        if table is None or not {"document", "text"} <= set(table.column_names):
            return None
        names = table.column("document").to_pylist()
        parameters = claim.guarantee.parameters
        return cls(
            names=names,
            texts=[text or "" for text in table.column("text").to_pylist()],
            owners=_owners(claim, names),
            mark=parameters.get("mark", "★"),
            per_character=parameters.get("per_character", True),
            kinds=tuple(parameters.get("markers", ())),
            original=_original(claim),
            hidden=_hidden(claim),
        )

    @property
    def by_name(self) -> dict[str, str]:
        """New number → text."""
        return dict(zip(self.names, self.texts, strict=True))

    def runs(self, text: str) -> Iterator[str]:
        """The visible runs of a released text; a typed marker is part of one."""
        return (run for run in text.split(self.mark) if run)


def write_documents(
    *,
    texts: pa.Array,
    spans: np.ndarray,
    owners: np.ndarray | None,
    kept: Mapping[str, Sequence[Any]],
) -> dict[str, pa.Table]:
    """The tables of a release: texts in their new order, marks as rows of document, start and end."""
    number = numbers(len(texts))
    columns = {"document": pa.array(number, pa.string())}
    columns |= {name: pa.array(values, pa.string()) for name, values in kept.items()}
    tables = {"documents": pa.table({**columns, "text": texts}), "spans": span_table(number, spans)}
    if owners is not None:
        tables["owners"] = pa.table({"document": columns["document"], "owner": pa.array(owners, pa.int64())})
    return tables


def numbers(n: int) -> list[str]:
    """New document numbers, all equally wide."""
    width = len(str(n))
    return [str(j + 1).zfill(width) for j in range(n)]


def span_table(number: list[str], spans: np.ndarray) -> pa.Table:
    """Rows of document (as an index), start and end, as a table with the documents' numbers."""
    names = pa.array(number, pa.string()).take(pa.array(spans[:, 0]))
    start, end = (pa.array(np.ascontiguousarray(spans[:, i])) for i in (1, 2))
    return pa.table({"document": names, "start": start, "end": end})


def _owners(claim: Claim, names: list[str]) -> list[int] | None:
    table = claim.tables.get("owners")
    if table is None:
        return None
    fields = dict(zip(table.column("document").to_pylist(), table.column("owner").to_pylist(), strict=True))
    return [fields[name] for name in names] if set(names) <= set(fields) else None


def _original(claim: Claim) -> dict[str, str] | None:
    table = claim.private.get("documents")
    if table is None:
        return None
    return dict(zip(table.column("original").to_pylist(), table.column("document").to_pylist(), strict=True))


def _hidden(claim: Claim) -> dict[str, list[Span]] | None:
    table = claim.private.get("spans")
    if table is None:
        return None
    out: dict[str, list[Span]] = {}
    for name, start, end in zip(*(table.column(c).to_pylist() for c in ("document", "start", "end")), strict=True):
        out.setdefault(name, []).append((start, end))
    return out
