"""Words of promises that were mended, and what they were: bundles keep the promise they were published with.

A promise is compared word for word with what its method states. A sentence that was clumsy or could mislead is written
anew here; a manifest that carries the former one still carries the same promise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

SEVERAL = (
    "Several releases of the same people: each keeps this promise by itself. Together they can tell more, unless they "
    "were made with the same groups."
)
"""For promises of k."""
SEVERAL_NOISY = "Several releases of the same people: what they may tell adds up, epsilon by epsilon."
ADDED = (SEVERAL, SEVERAL_NOISY)
"""Sentences that promises of the first edition did not have."""
NUMBER = r"[-+.0-9e]+"
MENDED = (
    (
        r"Adding or removing one (\w+), with all data of that \1, changes the probability of any published outcome by "
        rf"at most a factor of exp\(({NUMBER})\), plus at most ({NUMBER})\.",
        r"Adding or removing one \1 with all its data changes the probability of any published outcome by at most a "
        r"factor of exp(\2), up to a probability of \3.",
    ),
    (
        r"Adding or removing one (\w+), with all data of that \1, changes the probability",
        r"Adding or removing one \1 with all its data changes the probability",
    ),
    (re.escape(SEVERAL), "Several releases of the same people: each is safe alone, not together."),
    (r"occurs at least (\d+) times in the (release itself|original)", r"occurs at least \1 times of the \2"),
    (r"words used by at least (\d+) people", r"words used \1 times by person"),
    (r"words in at least (\d+) documents", r"words used \1 times by document"),
    (r"words used at least (\d+) times", r"words used \1 times by occurrence"),
    (rf"noise at epsilon=({NUMBER}) on clusters of at least (\d+) people, no differential privacy",
     r"noise worth epsilon=\1 on clusters of at least \2 people"),
    (rf"If the clusters had been fixed beforehand, the noise would be worth epsilon=({NUMBER})\.",
     r"Only given fixed clusters is the noise worth epsilon=\1."),
    (r"series drawn from boxes of (\d+)", r"boxes of \1, drawn from"),
    (r"whether times are seconds, days or only an order is assumed to be public",
     r"whether times are seconds, days or an order alone is taken for known"),
)  # fmt: skip
"""Mended sentence → former one, as patterns."""


def same_words(now: str, told: str) -> bool:
    """Whether `told` is a sentence of a promise, or what it was before it was mended."""
    return told == now or told == former(now)


def same_lines(now: Iterable[str], told: Iterable[str]) -> bool:
    """The same for what a promise does not cover: nothing may be missing but what was added since."""
    given, wanted = list(told), list(now)
    if given == wanted:
        return True
    # The first edition had the sentence on several releases in some promises and not in others.
    shapes = ([former(line) for line in wanted], [former(line) for line in wanted if line not in ADDED])
    return given in shapes


def former(text: str) -> str:
    """How the first edition said it."""
    for now, then in MENDED:
        text = re.sub(now, then, text)
    return text
