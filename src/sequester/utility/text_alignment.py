"""Which characters of the original a release shows, and how well labelled tokens are hidden.

Token precision and recall come from arrays of characters.
"""

from __future__ import annotations

import numpy as np

from sequester.errors import InputError, counted
from sequester.layouts.documents import Documents
from sequester.model import Corpus
from sequester.release import Claim


def kept_characters(original: Corpus, claim: Claim) -> np.ndarray:
    """One truth value per character of the original, document after document.

    Documents are found by the custodian's map; without it, by length and visible characters (mask) or in turn.
    """
    documents = Documents.read(claim)
    if documents is None:
        raise InputError("measure: the release holds no documents.")
    released = documents.by_name
    if len(released) != original.n_records:
        raise InputError(
            f"measure: the release has {counted(len(released), 'document')}, the source {original.n_records}. Is it "
            "the source?"
        )
    rows = []
    for i, name in enumerate(_names(original, documents)):
        text = original.text(i)
        if documents.per_character:
            kept = _points(released[name]) != ord(documents.mark)
        elif documents.hidden is not None:
            kept = np.ones(len(text), dtype=bool)
            for s, e in documents.hidden.get(name, ()):
                kept[s:e] = False
        else:
            kept = _read_off(released[name], text, documents.mark)
        if len(kept) != len(text):
            raise InputError("measure: the release does not fit the source. Pass the source it was made from.")
        rows.append(kept)
    return np.concatenate([*rows, np.zeros(0, dtype=bool)])


def _names(original: Corpus, declared: Documents) -> list[str]:
    """The released number of every original document."""
    released, mark = declared.by_name, declared.mark
    by_original = declared.original
    if by_original is not None:
        if not all(str(d) in by_original for d in original.documents):
            raise InputError("measure: the custodian's map does not name every document. Pass the right source.")
        return [by_original[str(d)] for d in original.documents]
    if not declared.per_character:
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


def token_shares(starts: np.ndarray, ends: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """Share of marked characters in each token; `marked` has one truth value per character."""
    before = np.concatenate([[0], np.cumsum(marked)])
    return (before[ends] - before[starts]) / (ends - starts)


def protected_tokens(starts: np.ndarray, ends: np.ndarray, suppressed: np.ndarray, percent: float) -> np.ndarray:
    """Tokens of which strictly more than `percent` of the characters are suppressed."""
    return token_shares(starts, ends, suppressed) > percent / 100


def precision_recall(found: np.ndarray, true: np.ndarray) -> tuple[float, float]:
    """Of the found ones, how many are true; of the true ones, how many were found (NaN where there are none)."""
    both = int(np.count_nonzero(found & true))
    n_found, n_true = int(np.count_nonzero(found)), int(np.count_nonzero(true))
    return both / n_found if n_found else float("nan"), both / n_true if n_true else float("nan")
