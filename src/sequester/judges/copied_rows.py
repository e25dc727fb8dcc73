"""Is a published row a member's own row? Chance can repeat a plain day, never a day with many changes of state.

For each copy the judge bounds the chance that an honest draw repeats that member by accident. Intervals drawn alone
repeat a row with the product of the cluster's shares. For rows drawn as bouts, or from noisy profiles, only changes
of state count: one that all members make at that interval costs nothing, any other is as likely as the members who
make it there, or as four times the rate at which the state is left, and never less likely than 1/8.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sequester.errors import counted
from sequester.model import Activities
from sequester.release import Check, Claim

BITS = 30.0
"""A copy counts as one if an honest release shows it with a chance below 2**-30."""
SLACK = 4.0
"""How much oftener than on average a state may be left in some hour or at some age of a bout."""
LEAST = 1 / 8


def own_rows(
    claim: Claim, source: Activities, rows: np.ndarray, groups: np.ndarray, member: np.ndarray, position: np.ndarray
) -> Check:
    """No published row equals a row of a member of its cluster, unless chance explains it."""
    parameters = {**claim.parameters, **claim.guarantee.parameters}
    alone = parameters.get("sampler") == "independent"
    candidates, n_days = parameters.get("candidates", 1), -(-rows.shape[1] * source.interval_seconds // 86400)
    choices = math.log2(candidates) if isinstance(candidates, int) and candidates > 1 else 0.0
    # Whole rows are chosen once among candidates; days one by one.
    choices *= 1 if parameters.get("sampler") == "day-types" else n_days + 1
    copied = plain = 0
    overall: np.ndarray | None = None
    for own, shown in _clusters(source.states, rows, groups, member, position):
        held = {row.tobytes() for row in own}
        for row in shown:
            if row.tobytes() not in held:
                continue
            if alone:
                bits = _bits_alone(row, own)
            else:
                overall = leaving(source.states, len(source.state_names)) if overall is None else overall
                bits = bits_of_changes(row, own, overall) - choices
            if bits > BITS + math.log2(len(rows) * len(own)):
                copied += 1
            else:
                plain += 1
    return Check(
        name="no row is a member's own",
        passed=copied == 0,
        detail=f"{counted(copied, 'row is', 'rows are')} a member's, interval by interval; {plain} more are so "
        "plain that chance explains it",
    )


def _clusters(
    states: np.ndarray, rows: np.ndarray, groups: np.ndarray, member: np.ndarray, position: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    order = np.argsort(groups, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        yield states[member[part]], rows[position[part]]


def _bits_alone(row: np.ndarray, own: np.ndarray) -> float:
    return float(-np.log2((own == row).mean(axis=0)).sum())


def bits_of_changes(row: np.ndarray, own: np.ndarray, overall: np.ndarray) -> float:
    """How surprising it is that an honest draw makes the changes of `row`, one of the rows `own`."""
    return bits_at_rates(row, own, np.maximum(overall, leaving(own, len(overall))))


def bits_at_rates(row: np.ndarray, own: np.ndarray, rates: np.ndarray) -> float:
    """The same where it is known how often the rows `own` leave each state."""
    at = np.flatnonzero(row[1:] != row[:-1])
    together = ((own[:, at] == row[at]) & (own[:, at + 1] == row[at + 1])).mean(axis=0)
    rate = rates[row[at]]
    chance = np.maximum(np.maximum(together, np.minimum(1.0, SLACK * rate)), LEAST)
    return float(-np.log2(chance).sum())


def leaving(states: np.ndarray, n_states: int) -> np.ndarray:
    """Share of intervals of each state after which it is left."""
    stays = np.zeros(n_states)
    leaves = np.zeros(n_states)
    for row in states:
        stays += np.bincount(row[:-1], minlength=n_states)
        leaves += np.bincount(row[:-1][row[1:] != row[:-1]], minlength=n_states)
    return leaves / np.maximum(stays, 1)
