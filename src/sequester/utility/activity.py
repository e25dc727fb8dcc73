"""How much of activity data is left: daily durations, bouts, the shape of the day, changes, and what was copied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.errors import InputError, counted
from sequester.layouts.states import UNOBSERVED, States
from sequester.methods.activity.shared.grouped import OTHER, group_labels
from sequester.model import Activities
from sequester.release import Claim, Evidence, Figure
from sequester.utility.activity_rhythm import day_to_day, groups_compared, rhythm_compared
from sequester.utility.activity_shape import bouts_compared, flows_compared, minutes_per_day, profile_compared
from sequester.utility.bouts import longest_shared_runs
from sequester.utility.two_samples import cohens_d, distribution_distance, pearson, relative_difference, welch

ROWS_COMPARED_FOR_COPIES = 400


@dataclass(frozen=True, kw_only=True)
class Published:
    """The released rows and, where the custodian's map is at hand, whose place each took."""

    states: np.ndarray
    minutes: np.ndarray
    """Rows x states x days."""
    partner: np.ndarray | None
    """Row of the original that is paired with each released row."""
    group: np.ndarray | None
    """Cluster of each released row."""
    by: np.ndarray | None = None
    """Group of each released row, where the method ran in groups."""


def measure_activity(
    original: Activities,
    claim: Claim,
    *,
    versus: Claim | None = None,
    scores: tuple[str, ...] = (),
    seed: int = 0,
) -> Evidence:
    """Compare released minutes with the original.

    First come the measures that users of accelerometers compute, as distributions over people beside a yardstick: one
    half of the original people against the other. No row is paired with a person there. The paper's relative
    difference, which needs pairs, comes last: where the custodian's map is at hand the i-th row of a cluster is paired
    with its i-th member, otherwise daily durations are paired by rank. It rewards rows that collapse to the mean.

    Parameters
    ----------
    original
        The original.
    claim
        The release or bundle.
    versus
        A second release of the same original: Welch's t and Cohen's d compare the relative differences.
    scores
        Scores of states for IS, IV, L5, M10 and RA, such as walking=3; by default 0, 1, 2 … in the states' order.
    seed
        Chooses the rows that are searched for copied stretches.
    """
    release = _published(original, claim)
    told_scores = _scores(original, scores)
    people, rhythm_figures = rhythm_compared(original, release.states, scores=told_scores, seed=seed)
    before, after = minutes_per_day(original, original.states), release.minutes
    names = original.state_names
    paired, pairing = _relative_differences(before, after, release)
    w1 = np.array([distribution_distance(before[:, a].ravel(), after[:, a].ravel()) for a in range(len(names))])
    bouts, bout_figures = bouts_compared(original, release.states)
    profile, tv, lost = profile_compared(original, release.states)
    flow_rows, flow_figures = flows_compared(original, release.states)
    figures = [
        *rhythm_figures,
        Figure(
            name="daily minutes Wasserstein",
            value=float(w1.mean()),
            better="lower",
            says="Mean over states of the distance between the distributions of daily minutes; no pairing.",
        ),
        *bout_figures,
        Figure(
            name="time-of-day profile distance",
            value=tv,
            better="lower",
            says="Total variation between the mixes of observed states, mean over 24 hours of weekdays and weekends.",
        ),
        *_unobserved(original, lost),
        *flow_figures,
        _spread(before, after),
        *_correlations(original, before, after, release),
        *_copies(original, release, seed),
        *(
            Figure(
                name=f"daily relative difference: {name}",
                value=float(paired[:, a].mean()),
                better="lower",
                says=f"The paper's figure: mean of |x-y|/max(x,y) over days; {pairing}.",
            )
            for a, name in enumerate(names)
        ),
    ]
    rows: dict[str, list[dict[str, Any]]] = {
        "people": people,
        "daily": _daily_rows(names, before, after, w1, paired),
        "bouts": bouts,
        "profile": profile,
        "flows": flow_rows,
    }
    groups = _groups(original, claim, release)
    if groups is not None:
        rows["groups"] = groups_compared(original, release.states, groups, scores=told_scores, seed=seed)
    if versus is not None:
        other = _published(original, versus)
        more, _ = _relative_differences(before, other.minutes, other)
        rows["versus"] = [
            {"state": name, **welch(paired[:, a], more[:, a]), "cohens_d": cohens_d(paired[:, a], more[:, a])}
            for a, name in enumerate(names)
        ]
    return Evidence(
        about="measure",
        saw_original=True,
        figures=tuple(figures),
        rows=rows,
        summary=_summary(people, names, float(w1.mean())),
    )


def _summary(people: list[dict[str, Any]], states: Sequence[str], w1: float) -> str:
    line = {r["measure"]: r for r in people}
    sentence = ", ".join(
        f"{name} {line[name]['original']:.2f} to {line[name]['released']:.2f}"
        for name in ("IS", "IV", "RA")
        if line[name]["original"] == line[name]["original"]
    )
    days = [(r["original"], r["released"]) for r in (line.get(day_to_day(state)) for state in states) if r is not None]
    known = [pair for pair in days if pair[0] == pair[0] and pair[1] == pair[1]]
    spread = ""
    if known:
        x, y = np.mean(known, axis=0)
        spread = f"; day-to-day spread {x:.0f} to {y:.0f} minutes"
    return (
        f"Daily minutes are off by {w1:.1f} in distribution; original to release: {sentence or 'too few days'}{spread}."
    )


def _scores(original: Activities, declared: tuple[str, ...]) -> dict[str, float]:
    out = {}
    for pair in declared:
        name, _, number = pair.rpartition("=")
        try:
            out[name] = float(number)
        except ValueError:
            name = ""
        if name not in original.state_names or not math.isfinite(out[name]):
            raise InputError(
                f"measure: scores must look like '{original.state_names[0]}=0', with states of the data: "
                f"{', '.join(original.state_names)}."
            )
    return out


def _unobserved(original: Activities, lost: float) -> list[Figure]:
    if not set(original.state_names) & set(UNOBSERVED):
        return []
    says = "Difference of the share of time without observation, mean over 24 hours of weekdays and weekends."
    return [Figure(name="unobserved time profile distance", value=lost, better="lower", says=says)]


def _groups(original: Activities, claim: Claim, release: Published) -> tuple[np.ndarray, np.ndarray] | None:
    """Group of every original person and of every released row, where the method ran in groups."""
    by = claim.parameters.get("by")
    if not by or release.by is None:
        return None
    columns = tuple(by)
    if any(c not in original.covariates for c in columns):
        return None
    labels = group_labels(original, columns)
    known = set(release.by.tolist())
    merged = np.array([label if label in known else OTHER for label in labels], dtype=object)
    return merged, release.by


def _published(original: Activities, claim: Claim) -> Published:
    released = States.read(claim)
    if released.names != original.state_names:
        raise InputError("measure: the release has other states than the original. Read both with the same states.")
    if released.states.shape[1] != original.states.shape[1]:
        raise InputError(
            f"measure: the release has {counted(released.states.shape[1], 'interval')}, the original "
            f"{original.states.shape[1]}."
        )
    return Published(
        states=released.states,
        minutes=released.with_means(minutes_per_day(original, released.states), claim),
        partner=released.members(claim, original),
        group=released.cluster,
        by=released.group,
    )


def _relative_differences(before: np.ndarray, after: np.ndarray, release: Published) -> tuple[np.ndarray, str]:
    """Pairs x states: mean over the days of a pair."""
    if release.partner is not None:
        paired = relative_difference(before[release.partner], after).mean(axis=2)
        return paired, "the i-th row of a cluster is paired with its i-th member"
    n = min(len(before), len(after))
    ranks = (np.arange(n) + 0.5) / n

    def ranked(x: np.ndarray) -> np.ndarray:
        return np.sort(x, axis=0)[np.minimum((ranks * len(x)).astype(np.int64), len(x) - 1)]

    return relative_difference(ranked(before), ranked(after)).mean(axis=2), "rows are paired by rank, day by day"


def _spread(before: np.ndarray, after: np.ndarray) -> Figure:
    """Between-person variance of mean daily durations that is left."""
    v, w = (x.mean(axis=2).var(axis=0) for x in (before, after))
    varied = v > 1e-9 * np.square(before.mean(axis=(0, 2)) + 1)  # a state nobody varies in has no share to keep
    kept = w[varied] / v[varied]
    return Figure(
        name="between-person variance kept",
        value=float(kept.mean()) if len(kept) else math.nan,
        says="Variance between rows of mean daily durations, released over original, mean over states; 1 is best.",
    )


def _correlations(original: Activities, before: np.ndarray, after: np.ndarray, release: Published) -> list[Figure]:
    """Correlation of time spent active with every numeric covariate, before and after."""
    if release.partner is None:
        return []
    active = _active(original)
    out = []
    for name, column in original.covariates.items():
        if column.dtype.kind != "f":
            continue
        for label, totals, values in (
            ("before", before[:, active].sum(axis=(1, 2)), column),
            ("after", after[:, active].sum(axis=(1, 2)), column[release.partner]),
        ):
            out.append(
                Figure(
                    name=f"correlation of activity with {name}, {label}",
                    value=pearson(totals, values),
                    says="Pearson's r of time in active states; released rows take the covariate of their partner.",
                )
            )
    return out


def _active(data: Activities) -> list[int]:
    """States that count as being active: all but missing and the most frequent observed one."""
    share = [(data.states[:: max(1, len(data.states) // 500)] == a).mean() for a in range(len(data.state_names))]
    seen = [a for a in range(len(share)) if a != data.missing]
    rest = max(seen, key=lambda a: share[a]) if seen else None
    return [a for a in seen if a != rest]


def _copies(original: Activities, release: Published, seed: int) -> list[Figure]:
    """Longest run of changes a row shares with a member of its own cluster, against people of other clusters."""
    if release.partner is None or release.group is None:
        return []
    rng = np.random.default_rng(seed)
    n = len(release.states)
    chosen = rng.choice(n, size=min(n, ROWS_COMPARED_FOR_COPIES), replace=False)
    members: dict[int, np.ndarray] = {
        c: release.partner[release.group == c] for c in np.unique(release.group[chosen]).tolist()
    }
    widest = max(len(m) for m in members.values())
    own = np.full((len(chosen), widest), -1, dtype=np.int64)
    strangers = np.full_like(own, -1)
    for i, r in enumerate(chosen):
        mine = members[int(release.group[r])]
        own[i, : len(mine)] = mine
        others = rng.integers(0, len(original.states), size=4 * widest)
        others = others[~np.isin(others, mine)][: len(mine)]
        strangers[i, : len(others)] = others
    rows = np.ascontiguousarray(release.states[chosen])
    own_run, chance = (int(longest_shared_runs(rows, original.states, w).max()) for w in (own, strangers))
    return [
        Figure(
            name="longest copied stretch, own cluster",
            value=own_run,
            better="lower",
            says=f"Most successive changes a released row shares with one member ({counted(len(chosen), 'row')} "
            "searched).",
        ),
        Figure(
            name="longest copied stretch, by chance",
            value=chance,
            says="The same with as many people of other clusters: what coincidence explains.",
        ),
    ]


def _daily_rows(
    names: tuple[str, ...], before: np.ndarray, after: np.ndarray, w1: np.ndarray, paired: np.ndarray
) -> list[dict[str, Any]]:
    return [
        {
            "state": name,
            "mean_minutes_original": float(before[:, a].mean()),
            "mean_minutes_released": float(after[:, a].mean()),
            "wasserstein_minutes": float(w1[a]),
            "relative_difference": float(paired[:, a].mean()),
        }
        for a, name in enumerate(names)
    ]
