"""Sentences that several promises share."""

SEVERAL = (
    "Several releases of the same people: each keeps this promise by itself. Together they can tell more, unless they "
    "were made with the same groups."
)
"""For promises of k."""
SEVERAL_NOISY = "Several releases of the same people: what they may tell adds up, epsilon by epsilon."
