"""Substring k-anonymity: every stretch of text left visible occurs often enough."""

from __future__ import annotations

from typing import Any

from sequester.guarantees.wording import OWNERS, SEVERAL
from sequester.release import Guarantee

MODEL = "substring-k-anonymity"

COUNTED = {
    "occurrence": "at least {k} times",
    "document": "in at least {k} documents",
    "person": "in documents of at least {k} people",
}
BY = {"occurrence": "occurrence", "document": "document", "person": "person"}
WHAT = {
    "character": "run of visible text",
    "word": "run of visible words, begun and ended at word edges,",
    "token": "run of visible tokens (words, numbers, codes, names in a row), begun and ended at token edges,",
}
FINDERS = {"patterns": "dates, numbers, codes and addresses by their form", "presidio": "what Presidio recognises",
           "fields": "values of `label: value` lines that few share"}  # fmt: skip


def substring_anonymity(
    *, k: int, unit: str, count_in: str, min_length: int, granularity: str, mark: str, per_character: bool,
    background: int, solid: bool = False, first_pass: tuple[str, ...] = (), hide: int = 0, show: int = 0,
    markers: tuple[str, ...] = (), kept: tuple[str, ...] = (),
) -> Guarantee:  # fmt: skip
    """Every visible run is contained in `k` documents (people, or at `k` places) of the release or of the original."""
    place = (
        f"{'in' if unit == 'occurrence' else 'of'} the {'release itself' if count_in == 'published' else 'original'}"
    )
    often = COUNTED[unit].format(k=k)
    public = f", or in at least {k} of the public background documents" if background else ""
    public += ", or consists of words of the public list" if show else ""
    limits = [
        "A run that is common can still say something private about the person who stands behind it.",
        "It covers one run, not two: two runs that many people have can together fit one person alone.",
        "It is not differential privacy: what is suppressed depends on all documents.",
        "It does not replace de-identification: names and dates shared by enough others stay visible.",
    ]
    limits.append(SEVERAL)
    if unit == "occurrence":
        limits.insert(0, "Documents and people: a name repeated in its owner's own note counts every time.")
    elif unit == "document":
        limits.insert(0, "People with several documents: their own documents count as different ones.")
    elif count_in == "published":
        limits.append(OWNERS)
    if count_in == "original":
        limits.insert(0, "The release itself: a run may be unique in it, and only the original's holder can check it.")
    if background:
        limits.append("What the background contains is taken as public, whatever it says about the people here.")
    if show:
        limits.append("Words of the public list may stay although few people here use them.")
    if per_character:
        limits.append("The length of every suppressed run and of every document is visible.")
    if solid:
        limits.append("How many gaps there are, and where, is visible. That every gap hides a word or number can only "
                      "be checked by the holder of the original.")  # fmt: skip
    if first_pass or hide:
        searched = [FINDERS[name] for name in first_pass] + (["a list of spans"] if hide else [])
        limits.append(f"A first pass hid what it found ({'; '.join(searched)}). It is a search, not a proof: nobody "
                      "has verified that it found all, and the promise does not rest on it.")  # fmt: skip
    if markers:
        limits.append("A marker such as [DATE] tells what sort of text the search found there.")
    if kept:
        limits.append(f"The columns {', '.join(kept)} are published as they are: the custodian declared them public.")
    parameters: dict[str, Any] = {
        "k": k,
        "count_in": count_in,
        "min_length": min_length,
        "granularity": granularity,
        "mark": mark,
        "per_character": per_character,
        "background": background,
    }
    more: dict[str, Any] = {"solid": solid, "first_pass": list(first_pass), "hide": hide, "show": show,
                            "markers": list(markers), "kept": list(kept)}  # fmt: skip
    parameters |= {name: value for name, value in more.items() if value}
    return Guarantee(
        model=MODEL,
        level=f"substring {k}-anonymity by {BY[unit]} ({count_in} counts)",
        parameters=parameters,
        unit=unit,
        status="verifiable",
        statement=f"Every {WHAT[granularity]} occurs {often} {place}{public}.",
        not_covered=tuple(limits),
        needs_original=count_in == "original",
    )
