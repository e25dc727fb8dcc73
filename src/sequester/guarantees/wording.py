"""Sentences that several promises share."""

SEVERAL = (
    "Several releases of the same people: each keeps this promise by itself. Together they can tell more, unless they "
    "were made with the same groups."
)
"""For promises of k."""
OWN_ROW = "That every row is another person's: a reader has the custodian's word for it."
OWNERS = (
    "The table `owners` shows which documents belong to one (unnamed) person. That two owners are two people: a reader "
    "has the custodian's word for it."
)
SEVERAL_NOISY = "Several releases of the same people: what they may tell adds up, epsilon by epsilon."
