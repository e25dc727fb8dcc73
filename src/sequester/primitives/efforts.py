"""Names of states from rest to effort, as far as their words tell: an order by the alphabet would call running rest."""

from __future__ import annotations

from collections.abc import Collection, Sequence

EFFORTS = (
    ("sleep", "asleep", "sleeping", "bed"), ("lying", "lie"),
    ("sedentary", "sitting", "sit", "rest", "resting", "still", "stationary", "inactive"), ("standing", "stand"),
    ("light", "lightly"), ("walking", "walk"), ("moderate", "fairly", "cycling", "bike"),
    ("running", "run", "vigorous", "hard"), ("very",),
)  # fmt: skip
UNSURE = len(EFFORTS)
UNSEEN = {"missing", "unknown", "unobserved", "worn"}


def effort(name: str, unobserved: Collection[str]) -> int:
    """Rank of a state; `UNSURE` where its words tell nothing, one more where it was not observed."""
    words = set(name.lower().replace("_", " ").replace("-", " ").split())
    if name in unobserved or words & UNSEEN:
        return UNSURE + 1
    return max((i for i, found in enumerate(EFFORTS) if words & set(found)), default=UNSURE)


def in_order(names: Sequence[str], unobserved: Collection[str]) -> list[int]:
    """Places of the states from rest to effort, others as they stand, what was not observed last."""
    return sorted(range(len(names)), key=lambda i: (effort(names[i], unobserved), i))
