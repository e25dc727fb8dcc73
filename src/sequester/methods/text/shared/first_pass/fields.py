"""Values of `label: value` lines that fewer than k people share."""

from __future__ import annotations

import re

import numpy as np

from sequester.methods.text.shared.first_pass import Span
from sequester.model import Corpus

FIELD = re.compile(r"^[ \t\-・*]*([^\n:：]{1,40})[:：][ \t]*(?P<value>[^\n]{1,80})$", re.MULTILINE)


def by_fields(data: Corpus, owners: np.ndarray | None, k: int) -> list[Span]:
    """The values to hide; people are counted where they are known, else documents."""
    who: dict[tuple[str, str], set[int]] = {}
    found: list[tuple[tuple[str, str], Span]] = []
    for i, text in enumerate(data.texts):
        owner = i if owners is None else int(owners[i])
        for match in FIELD.finditer(text):
            said = (match.group(1).strip().casefold(), match.group("value").strip())
            sharers = who.setdefault(said, set())
            if len(sharers) < k:
                sharers.add(owner)
            found.append((said, Span(i, *match.span("value"), "FIELD")))
    return [span for said, span in found if len(who[said]) < k]
