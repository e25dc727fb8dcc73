"""Which characters of the original a release shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sequester.errors import InputError

if TYPE_CHECKING:
    from sequester.model import Corpus
    from sequester.release import Claim


def kept_characters(original: Corpus, claim: Claim) -> np.ndarray:
    """One truth value per character of the original, document after document.

    Documents are found by the custodian's map; without it, by length and visible characters (mask) or in turn.
    """
    mark = claim.guarantee.parameters["mark"]
    per_character = claim.guarantee.parameters.get("per_character", True)
    table = claim.tables["documents"]
    released = dict(zip(table.column("document").to_pylist(), table.column("text").to_pylist(), strict=True))
    if len(released) != original.n_records:
        raise InputError(
            f"measure: the release has {len(released)} documents, the source {original.n_records}. Is it the source?"
        )
    name_of = _names(original, claim, released, mark, per_character)
    hidden = _hidden_spans(claim) if not per_character else {}
    rows = []
    for i, name in enumerate(name_of):
        text = original.text(i)
        if per_character:
            kept = _points(released[name]) != ord(mark)
        elif name in hidden or "spans" in claim.private:
            kept = np.ones(len(text), dtype=bool)
            for s, e in hidden.get(name, ()):
                kept[s:e] = False
        else:
            kept = _read_off(released[name], text, mark)
        if len(kept) != len(text):
            raise InputError("measure: the release does not fit the source. Pass the source it was made from.")
        rows.append(kept)
    return np.concatenate([*rows, np.zeros(0, dtype=bool)])


def _names(original: Corpus, claim: Claim, released: dict[str, str], mark: str, per_character: bool) -> list[str]:
    """The released number of every original document."""
    table = claim.private.get("documents")
    if table is not None:
        by_original = dict(zip(table.column("original").to_pylist(), table.column("document").to_pylist(), strict=True))
        if not all(str(d) in by_original for d in original.documents):
            raise InputError("measure: the custodian's map does not name every document. Pass the right source.")
        return [by_original[str(d)] for d in original.documents]
    if not per_character:
        raise InputError(
            "measure: suppressed runs hide their length, so the custodian's map is needed. "
            "Keep NAME.private beside the bundle."
        )
    waiting: dict[int, list[str]] = {}
    for name, text in released.items():
        waiting.setdefault(len(text), []).append(name)
    out = []
    for i in range(original.n_records):
        true = _points(original.text(i))
        best, agreement = "", -1
        for name in waiting.get(len(true), ()):
            shown = _points(released[name])
            visible = shown != ord(mark)
            if np.all(shown[visible] == true[visible]) and int(visible.sum()) > agreement:
                best, agreement = name, int(visible.sum())
        if agreement < 0:
            raise InputError("measure: a document of the source fits no released one. Pass the right source.")
        waiting[len(true)].remove(best)
        out.append(best)
    return out


def _hidden_spans(claim: Claim) -> dict[str, list[tuple[int, int]]]:
    table = claim.private.get("spans")
    out: dict[str, list[tuple[int, int]]] = {}
    if table is not None:
        for name, s, e in zip(*(table.column(c).to_pylist() for c in ("document", "start", "end")), strict=True):
            out.setdefault(name, []).append((s, e))
    return out


def _read_off(released: str, text: str, mark: str) -> np.ndarray:
    """Each visible run at the first place it fits."""
    kept = np.zeros(len(text), dtype=bool)
    at = 0
    for piece in released.split(mark):
        if piece:
            at = text.find(piece, at)
            if at < 0:
                raise InputError("measure: the release does not fit the source. Pass the source it was made from.")
            kept[at : at + len(piece)] = True
            at += len(piece) + 1
    return kept


def _points(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
