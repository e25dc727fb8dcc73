"""What a release of `activity-dp` can show about its own noise, read with plain numpy.

That noise was added cannot be proved from one release. But some sums of what was measured are 0 for everybody, whatever
people did: in every hour the deviations from a mix of states add up to nothing. What is published there is noise alone,
and it must be as large as declared. Elsewhere a measurement is a signal plus noise, and its jagged part is at least as
large as the noise's. So exact figures under a ledger that claims noise are caught, unless somebody added the noise
exactly where it is looked for and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sequester.errors import counted, verb_for
from sequester.judges.activity_tables import blocks, same_calendar
from sequester.judges.copied_rows import BITS, bits_at_rates, leaving
from sequester.model import Activities, Data
from sequester.release import Check, Claim

ALPHA = 1e-9
"""Chance that honest noise is called too small."""
PARTS, LENGTHS = 8, 10
EDGES = (
    0, 0.5, 2.5, 5, 10, 15, 22.5, 30, 45, 60, 90, 120, 150, 180, 240, 300, 390, 480, 600, 720, 840, 960, 1080, 1200,
    1290, 1350, 1395, 1420, 1435, 1440,
)  # fmt: skip
"""Edges of the bins of daily minutes, as the method's page tells them."""


def evident(claim: Claim) -> list[Check]:
    """Checks of a release alone."""
    table = claim.tables["measurements"]
    calendar = claim.tables["calendar"].to_pylist()
    n_states = claim.tables["states"].num_rows
    if len(calendar) != 1 or n_states < 2:
        return [Check(name="cells of every family", passed=False, detail="the calendar has not one row")]
    seconds, intervals = int(calendar[0]["interval_seconds"]), int(calendar[0]["intervals"])
    wanted = cells_of(n_states, seconds, intervals)
    family, cell = table["family"].to_pylist(), table["cell"].to_pylist()
    have: dict[str, list[int]] = {}
    for name, number in zip(family, cell):
        have.setdefault(name, []).append(number)
    odd = [name for name in wanted if have.get(name) != list(range(wanted[name]))]
    odd += [name for name in have if name not in wanted]
    checks = [
        Check(
            name="cells of every family",
            passed=not odd and list(have) == list(wanted),
            detail=f"{len(odd)} of {counted(len(wanted), 'family', 'families')} "
            f"{verb_for(len(odd), 'has', 'have')} other cells than states and calendar give",
        )
    ]
    if not checks[0].passed:
        return checks
    value, names = table["value"].to_numpy(), np.array(family, dtype=object)
    noise = dict(zip(family, table["noise_sd"].to_pylist()))
    found = {name: value[names == name] for name in wanted}
    if not all(np.isfinite(v).all() for v in found.values()):
        return [*checks, Check(name="measurements are numbers", passed=False, detail="some are not finite")]
    return [*checks, _rows(claim, float(found["people"][0])), *_noise(found, noise, n_states)]


def cells_of(n_states: int, seconds: int, intervals: int) -> dict[str, int]:
    """Family → number of cells, in the order in which they are measured."""
    bins = 48 if seconds * intervals >= 7 * 86400 else 24
    others = n_states - 1
    day = max(1, min(86400 // seconds if seconds <= 86400 else 1, intervals))
    scaled = (1.0 if i == 1 else float(math.ceil(e * day / 1440)) for i, e in enumerate(EDGES[:-1]))
    edges = {min(float(day), e) for e in scaled}
    return {
        "people": 1,
        "first profile": bins * n_states,
        "profile norm": 1,
        "profile": bins * n_states,
        "durations": len(edges) * others,
        "scores": others * n_states,
        "spread norm": 1,
        "spread": others,
        "rate norm": 1,
        "rates": n_states,
        "flow norm": 1,
        "flows": PARTS * n_states * others,
        "bout norm": 1,
        "bouts": n_states * LENGTHS,
    }


def _rows(claim: Claim, people: float) -> Check:
    n, wanted = claim.tables["sequences"].num_rows, round(max(1.0, people))
    return Check(
        name="as many rows as the noisy count of people",
        passed=n == wanted,
        detail=f"{counted(n, 'row')}, the released count is {wanted}",
    )


def _noise(found: dict[str, np.ndarray], noise: dict[str, float], n_states: int) -> list[Check]:
    """Sums that are 0 for everybody, and jagged parts, against the declared noise: too small is a broken promise."""
    zero, jagged = [], []
    for name in ("first profile", "profile"):
        by_bin = found[name].reshape(-1, n_states) / noise[name]
        zero.append(by_bin.sum(axis=1) / math.sqrt(n_states))
        for day in by_bin.reshape(-1, 24, n_states):
            jagged.append(_high(day, 12).ravel())
    jagged.append(_high((found["flows"] / noise["flows"]).reshape(PARTS, -1), PARTS // 2).ravel())
    jagged.append(_high((found["bouts"] / noise["bouts"]).reshape(n_states, LENGTHS).T, LENGTHS // 2).ravel())
    return [
        _large_enough("noise where everybody shows 0 is as large as declared", np.concatenate(zero)),
        *(
            _large_enough(f"what is jagged is as large as the noise declared: {name}", part)
            for name, part in zip(("first profile", "profile", "flows and bouts"), _three(jagged), strict=True)
        ),
    ]


def _three(jagged: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    half = (len(jagged) - 2) // 2
    return np.concatenate(jagged[:half]), np.concatenate(jagged[half:-2]), np.concatenate(jagged[-2:])


def _high(values: np.ndarray, keep: int) -> np.ndarray:
    """The quickest `keep` cosine waves along the first axis, in orthonormal coordinates."""
    n = len(values)
    at = (np.arange(n) + 0.5) * np.pi / n
    waves = np.cos(np.outer(np.arange(n - keep, n), at)) * math.sqrt(2 / n)
    return np.asarray(waves @ values)


def _large_enough(name: str, z: np.ndarray) -> Check:
    """Squares of normal numbers with variance 1 and any mean: their sum is at least that of chance (Chernoff)."""
    m = len(z)
    mean = float((z**2).mean())
    chance = 0.5 * m * (math.log(mean) + 1 - mean) if 0 < mean < 1 else 0.0 if mean >= 1 else -math.inf
    return Check(
        name=name,
        passed=chance > math.log(ALPHA),
        detail=f"mean square {mean:.3g} of the declared one over {m} sums",
    )


def beside(claim: Claim, source: Data) -> list[Check]:
    """No released row or day is somebody's, unless independent draws would repeat it by chance."""
    name = "no row or day is a person's own"
    if not isinstance(source, Activities):
        return [Check(name="original", passed=False, detail=f"the original is {source.kind} data")]
    names = tuple(claim.tables["states"]["name"].to_pylist())
    unnamed = len(set(source.state_names) - set(names))
    if unnamed:
        detail = (
            f"{counted(unnamed, 'state')} of the original {verb_for(unnamed, 'is', 'are')} not named in the release"
        )
        return [Check(name="states are those of the original", passed=False, detail=detail)]
    states = source.recoded(names).states if names != source.state_names else source.states
    intervals = int(claim.tables["calendar"]["intervals"][0].as_py())
    if states.shape[1] != intervals:
        detail = f"{counted(intervals, 'interval')} published, {states.shape[1]} held"
        return [Check(name="as many intervals as the original", passed=False, detail=detail)]
    if not same_calendar(claim, source):
        detail = "the release begins at another time, or in other steps"
        return [Check(name="the calendar of the original", passed=False, detail=detail)]
    candidates = claim.parameters.get("candidates", 1)
    choices = math.log2(candidates) if isinstance(candidates, int) and candidates > 1 else 0.0
    day = max(1, min(86400 // source.interval_seconds, intervals))
    n_rows = claim.tables["sequences"].num_rows
    slack = BITS + choices + math.log2(max(1, n_rows * len(states)))
    rates = leaving(states, len(names))
    found = _Copies(n_rows, slack)
    for first in range(0, intervals, day):
        found.look(states[:, first : first + day], _days_of(claim, first, day), rates)
    return found.checks(name)


def _days_of(claim: Claim, first: int, day: int) -> Iterator[np.ndarray]:
    for block in blocks(claim.tables["sequences"]):
        yield from block[:, first : first + day]


LOOKED_AT = 400
"""Days of the original whose chance is reckoned to tell how many repeats chance explains; evenly spaced."""
COMMON = 1.0
"""A day with fewer bits is everybody's: no change of state, or only changes that nearly all make together."""


class _Copies:
    """Days of rows that equal somebody's day, one by one, together per person, and by their number."""

    def __init__(self, n_rows: int, slack: float) -> None:
        self.n_rows, self.slack = n_rows, slack
        self.bits: dict[tuple[int, int], float] = {}
        """Released row and person → bits of all days they share."""
        self.own = self.plain = 0
        self.explained = 0.0
        self.vacuous = False

    def look(self, part: np.ndarray, shown: Iterator[np.ndarray], rates: np.ndarray) -> None:
        """One day of everybody, and the same day of every released row."""
        held: dict[bytes, list[int]] = {}
        for person, row in enumerate(part):
            held.setdefault(row.tobytes(), []).append(person)
        rates = np.maximum(rates, leaving(part, len(rates)))
        chosen = np.linspace(0, len(part) - 1, min(LOOKED_AT, len(part))).astype(int)
        reckoned = [b for i in chosen if (b := bits_at_rates(part[i], part, rates)) >= COMMON]
        # Each person's day is repeated by a draw with a chance of at most 2**-bits.
        chance = sum(2.0**-b for b in reckoned) * len(part) / max(1, len(chosen))
        self.vacuous |= chance > 0.5
        self.explained += self.n_rows * min(1.0, chance)
        known: dict[bytes, float] = {}
        for number, row in enumerate(shown):
            raw = row.tobytes()
            if raw not in held:
                continue
            bits = known.get(raw)
            if bits is None:
                bits = known[raw] = bits_at_rates(row, part, rates)
            if bits < COMMON:
                continue
            self.own += bits > self.slack
            self.plain += bits <= self.slack
            for person in held[raw][:LOOKED_AT]:
                self.bits[number, person] = self.bits.get((number, person), 0.0) + bits

    def checks(self, name: str) -> list[Check]:
        """Broken where chance explains it with less than 2**-30, undecided where chance cannot be bounded."""
        whole = len({row for (row, _), bits in self.bits.items() if bits > self.slack})
        most = math.ceil(self.explained + 7 * math.sqrt(self.explained) + 20)
        many = self.plain > most
        detail = (
            f"{counted(self.own, 'day')} of rows {verb_for(self.own, 'is', 'are')} a person's, interval by interval; "
            f"{counted(whole, 'row repeats', 'rows repeat')} days of one person that are together no chance; "
            f"{self.plain} plainer days are repeated, chance explains {most}"
        )
        broken = bool(self.own or whole or many)
        open_ = not broken and self.plain > 0 and self.vacuous
        detail += ", but of so plain days any number" if open_ else ""
        return [Check(name=name, passed=not broken and not open_, undecided=open_, detail=detail)]
