"""What the custodian should know about a run and nobody else may: notes that never enter a bundle."""

from __future__ import annotations

import numpy as np

from sequester.errors import agreed, counted
from sequester.release import Note

DAY = 86400


def on_people(noisy: float, sd: float, at_least: int) -> list[Note]:
    """Whether the public number of people is plausible beside the released count."""
    if noisy + 4 * sd >= at_least:
        return []
    return [
        Note(
            "people",
            "The noisy count contradicts people_at_least: the accuracy is lower than n sqrt(rho) says. "
            "Take the number from the study's protocol.",
        )
    ]


def on_rules(named: frozenset[str], shown: tuple[str, ...], held: tuple[str, ...]) -> list[Note]:
    """Whether rules speak of states the synthetic log cannot show: they have no effect then."""
    idle = named - set(shown)
    if not idle:
        return []
    unknown = len(idle - set(held))
    return [
        Note(
            "rules",
            f"{len(idle)} of {counted(len(named), 'state')} named by the rules cannot appear in the synthetic log, "
            f"{unknown} of "
            "them because the data has no such state; rules about them have no effect. Check the spelling.",
        )
    ]


def outside_dates(times: np.ndarray, days: tuple[int, int] | None) -> tuple[int, int]:
    """How many events lie outside the public range, and how many there are."""
    if days is None:
        return 0, len(times)
    day = times // DAY
    return int(((day < days[0]) | (day > days[1])).sum()), len(times)


def on_dates(outside: int, events: int) -> list[Note]:
    """Whether the public range covers the log."""
    if not outside:
        return []
    return [
        Note(
            "dates",
            f"{outside} of {counted(events, 'event')} {agreed(outside, 'lies', 'lie')} outside dates and count on "
            "its first or last day. "
            "Check the range, which must be known in public and not be read off the log.",
        )
    ]
