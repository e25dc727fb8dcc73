"""What the custodian should know about a run of events and nobody else may, and the rules a synthetic log must keep.

Notes never enter a bundle. Rules stand one per line: `A never before B`, `nothing after DISCHARGE`; from them follows
how likely a walk through a chain still ends after a given number of states.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sequester.errors import InputError, counted, verb_for
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
            f"{outside} of {counted(events, 'event')} {verb_for(outside, 'lies', 'lie')} outside dates and count on "
            "its first or last day. "
            "Check the range, which must be known in public and not be read off the log.",
        )
    ]


def arrivals(chain: np.ndarray, longest: int) -> np.ndarray:
    """`out[k, a]`: how likely a walk now in `a` visits exactly `k` more states and then ends, up to a factor per k.

    `chain` has rows that sum to 1 or are all zero, START is its last row and END its last column. Each row of the
    result is scaled to a largest value of 1, so that long walks do not underflow.
    """
    inner, end = chain[:-1, :-1], chain[:-1, -1]
    out = np.zeros((longest + 1, len(inner)))
    now = end.copy()
    for k in range(longest + 1):
        top = now.max(initial=0.0)
        if top <= 0:
            break
        now = now / top
        out[k] = now
        now = inner @ now
    return out


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What may not follow what, by state name."""

    bars: tuple[tuple[str, str], ...] = ()
    """(a, b): once a has occurred, b may not."""
    finals: tuple[str, ...] = ()
    """Nothing follows these."""

    @property
    def states(self) -> frozenset[str]:
        """Every state a rule speaks of."""
        return frozenset(self.finals) | {name for pair in self.bars for name in pair}

    def masks(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """`bars[a, b]` (0 x 0 when nothing is barred) and `finals[a]` over state codes; unknown names do not matter."""
        code = {name: i for i, name in enumerate(names)}
        finals = np.zeros(len(names), bool)
        finals[[code[f] for f in self.finals if f in code]] = True
        pairs = [(code[a], code[b]) for a, b in self.bars if a in code and b in code]
        if not pairs:
            return np.zeros((0, 0), bool), finals
        bars = np.zeros((len(names), len(names)), bool)
        bars[tuple(zip(*pairs))] = True
        return bars, finals


def read_rules(path: str | None, who: str) -> Rules:
    """Parse a rules file; blank lines and lines that begin with `#` are skipped."""
    if path is None:
        return Rules()
    file = Path(path)
    if not file.is_file():
        raise InputError(f"{who}: rules file '{file.name}' does not exist. Check the path.")
    bars, finals = [], []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if text.lower().startswith("nothing after "):
            finals.append(text[len("nothing after ") :].strip())
        elif " never before " in text:
            a, _, b = text.partition(" never before ")
            bars.append((a.strip(), b.strip()))
        else:
            raise InputError(
                f"{who}: line {number} of '{file.name}' is not a rule. "
                "Write 'A never before B' or 'nothing after C', one per line."
            )
    return Rules(bars=tuple(bars), finals=tuple(finals))
