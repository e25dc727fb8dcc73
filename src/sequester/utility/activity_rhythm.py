"""What users of accelerometers compute, in the original and in the release, as distributions over people.

No row is paired with a person. Beside every distance stands a yardstick: the same distance between one half of the
original people and the other half.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sequester.layouts.states import UNOBSERVED
from sequester.model import Activities
from sequester.primitives.rhythm import ONSETS, Recording, daily_minutes, rhythm, scores_of, spreads
from sequester.primitives.two_means import around, circular, circular_difference, difference
from sequester.release import Figure
from sequester.utility.two_samples import distribution_distance, ks_distance

PEOPLE = 2000
"""People looked at per side; more would not move a distribution that a reader could see."""
SAYS = {
    "IS": "interdaily stability: how alike a person's days are (1: all alike)",
    "IV": "intradaily variability: how often rest and activity alternate",
    "RA": "relative amplitude: how far the most active 10 hours stand above the least active 5",
    "L5": "mean score of the least active 5 hours",
    "M10": "mean score of the most active 10 hours",
    "L5 onset": "hour at which the least active 5 hours begin",
    "M10 onset": "hour at which the most active 10 hours begin",
    "longest rest": "longest rest from noon to noon in minutes",
    "same as yesterday": "share of intervals like the same time the day before",
}


def recordings(
    original: Activities, states: np.ndarray, scores: Mapping[str, float] | None, seed: int
) -> tuple[Recording, Recording, np.ndarray, np.ndarray]:
    """Both sides, at most so many people each, and which rows they are."""
    rng = np.random.default_rng(seed)
    kept = [_some(len(rows), rng) for rows in (original.states, states)]
    one = Recording(
        states=original.states[kept[0]],
        start=original.start,
        interval_seconds=original.interval_seconds,
        scores=scores_of(original.state_names, UNOBSERVED, scores),
    )
    return one, replace(one, states=states[kept[1]]), kept[0], kept[1]


def _some(n: int, rng: np.random.Generator) -> np.ndarray:
    return np.arange(n) if n <= PEOPLE else np.sort(rng.choice(n, PEOPLE, replace=False))


def minutes_of(state: str) -> str:
    """The measure of a person's minutes per day in a state."""
    return f"minutes of {state}"


def day_to_day(state: str) -> str:
    """The measure of how much these minutes change from one day to the next."""
    return f"day-to-day SD of {state}"


def per_person(recording: Recording, names: tuple[str, ...]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Every measure per person, and the spread between people of minutes per observed state."""
    out = rhythm(recording)
    mean, within, between = spreads(daily_minutes(recording))
    for i, a in enumerate(recording.observed):
        out[minutes_of(names[a])] = mean[:, i]
    for i, a in enumerate(recording.observed):
        out[day_to_day(names[a])] = within[:, i]
    return out, between


def rhythm_compared(
    original: Activities, states: np.ndarray, *, scores: Mapping[str, float] | None = None, seed: int = 0
) -> tuple[list[dict[str, Any]], list[Figure]]:
    """One line per measure: means and spreads over people, distances, and what halves of the people differ by."""
    one, two, _, _ = recordings(original, states, scores, seed)
    before, between = per_person(one, original.state_names)
    after, between_after = per_person(two, original.state_names)
    halves = np.random.default_rng(seed + 1).permutation(len(one.states))
    half = len(halves) // 2
    rows = []
    for name, x in before.items():
        y = after[name]
        line: dict[str, Any] = {"measure": name, "original": _mean(x, name), "released": _mean(y, name)}
        line |= {"sd_original": _sd(x, name), "sd_released": _sd(y, name)}
        if name not in ONSETS:
            line |= {"ks": ks_distance(x, y), "ks_halves": ks_distance(x[halves[:half]], x[halves[half:]])}
            line |= {
                "w1": distribution_distance(x, y),
                "w1_halves": distribution_distance(x[halves[:half]], x[halves[half:]]),
            }
        rows.append(line | {"says": SAYS.get(name, "")})
    for a, x, y in zip(one.observed, between, between_after, strict=True):
        name = f"between-person SD of {original.state_names[a]}"
        rows.append({"measure": name, "original": float(x), "released": float(y)})
    observed = [original.state_names[a] for a in one.observed]
    return rows, _figures(rows, observed, between, between_after)


def _figures(
    rows: list[dict[str, Any]],
    observed: list[str],
    between: np.ndarray,
    between_after: np.ndarray,
) -> list[Figure]:
    by_name = {r["measure"]: r for r in rows}
    out = []
    for name in ("IS", "IV", "RA", "L5", "M10", "longest rest"):
        line = by_name[name]
        beside = f"KS over people {line['ks']:.2f}, halves of the original {line['ks_halves']:.2f}"
        out.append(Figure(name=f"{name}, original", value=line["original"], says=SAYS[name].capitalize() + "."))
        out.append(Figure(name=f"{name}, released", value=line["released"], says=beside + "."))
    days = [
        _average(np.array([by_name[day_to_day(state)][when] for state in observed]))
        for when in ("original", "released")
    ]
    for name, pair in (("day-to-day SD", days), ("between-person SD", [_average(between), _average(between_after)])):
        for when, value in zip(("original", "released"), pair, strict=True):
            out.append(Figure(name=f"{name}, {when}", value=value, says="Minutes per day, mean over states."))
    kept = [by_name[minutes_of(state)]["w1"] for state in observed]
    halves = [by_name[minutes_of(state)]["w1_halves"] for state in observed]
    out.append(
        Figure(
            name="minutes per person, distance",
            value=_average(np.array(kept)),
            better="lower",
            says=f"Between the distributions over people, mean over states; halves of the original differ by "
            f"{_average(np.array(halves)):.1f}.",
        )
    )
    return out


def groups_compared(
    original: Activities,
    states: np.ndarray,
    groups: tuple[np.ndarray, np.ndarray],
    *,
    scores: Mapping[str, float] | None = None,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Difference of every group from the first in every measure, with intervals, before and after.

    `off` is the change of the difference in standard errors of the original; `width_ratio` below 1 is false certainty.
    """
    one, two, rows_before, rows_after = recordings(original, states, scores, seed)
    before, _ = per_person(one, original.state_names)
    after, _ = per_person(two, original.state_names)
    of_before, of_after = groups[0][rows_before], groups[1][rows_after]
    names = sorted(set(of_before.tolist()))
    out = []
    for other in names[1:]:
        for measure, x in before.items():
            y = after[measure]
            apart = circular_difference if measure in ONSETS else difference
            real = apart(x[of_before == other], x[of_before == names[0]])
            shown = apart(y[of_after == other], y[of_after == names[0]])
            change = shown.value - real.value
            change = around(change) if measure in ONSETS else change
            out.append(
                {
                    "measure": measure,
                    "group": other,
                    "minus": names[0],
                    "original": real.value,
                    "original_low": real.low,
                    "original_high": real.high,
                    "released": shown.value,
                    "released_low": shown.low,
                    "released_high": shown.high,
                    "off": change / real.error if real.error > 0 else None,
                    "width_ratio": shown.width / real.width if real.width > 0 else None,
                }
            )
    return out


def _mean(x: np.ndarray, name: str) -> float:
    known = x[~np.isnan(x)]
    if not len(known):
        return float("nan")
    return circular(known)[0] if name in ONSETS else float(known.mean())


def _sd(x: np.ndarray, name: str) -> float:
    known = x[~np.isnan(x)]
    if len(known) < 2:
        return float("nan")
    return circular(known)[1] if name in ONSETS else float(known.std(ddof=1))


def _average(x: np.ndarray) -> float:
    known = x[np.isfinite(x)]
    return float(known.mean()) if len(known) else float("nan")
