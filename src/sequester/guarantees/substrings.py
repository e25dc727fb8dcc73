"""Substring k-anonymity: every stretch of text left visible occurs often enough."""

from __future__ import annotations

from sequester.release import Guarantee

MODEL = "substring-k-anonymity"

COUNTED = {
    "occurrence": "at least {k} times",
    "document": "in at least {k} documents",
    "person": "in documents of at least {k} people",
}
BY = {"occurrence": "occurrence", "document": "document", "person": "person"}


def substring_anonymity(
    *, k: int, unit: str, count_in: str, min_length: int, granularity: str, mark: str, per_character: bool,
    background: int,
) -> Guarantee:  # fmt: skip
    """Every visible run is contained in `k` documents (people, or at `k` places) of the release or of the original."""
    place = "of the release itself" if count_in == "published" else "of the original"
    what = (
        "run of visible text" if granularity == "character" else "run of visible words, begun and ended at word edges,"
    )
    often = COUNTED[unit].format(k=k)
    public = f", or in at least {k} of the public background documents" if background else ""
    limits = [
        "A run that is common can still say something private about the person who stands behind it, and several "
        "common runs together can still single a person out.",
        "It is not differential privacy: what is suppressed depends on all documents.",
        "It does not replace de-identification: names and dates shared by enough others stay visible.",
    ]
    if unit == "occurrence":
        limits.insert(0, "Documents and people: a name repeated in its owner's own note counts every time.")
    elif unit == "document":
        limits.insert(0, "People with several documents: their own documents count as different ones.")
    elif count_in == "published":
        limits.append("The table `owners` shows which documents belong to one (unnamed) person.")
    if count_in == "original":
        limits.insert(0, "The release itself: a run may be unique in it, and only the original's holder can check it.")
    if background:
        limits.append("What the background contains is taken as public, whatever it says about the people here.")
    if per_character:
        limits.append("The length of every suppressed run and of every document is visible.")
    return Guarantee(
        model=MODEL,
        level=f"substring {k}-anonymity by {BY[unit]} ({count_in} counts)",
        parameters={
            "k": k,
            "count_in": count_in,
            "min_length": min_length,
            "granularity": granularity,
            "mark": mark,
            "per_character": per_character,
            "background": background,
        },
        unit=unit,
        status="verifiable",
        statement=f"Every {what} occurs {often} {place}{public}.",
        not_covered=tuple(limits),
        needs_original=count_in == "original",
    )
