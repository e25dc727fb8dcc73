"""How much of activity data is left: daily durations, bouts, the shape of the day, changes, and what was copied."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.errors import InputError
from sequester.model import Activities
from sequester.release import Claim, Evidence, Figure

THREADS = 2
BOUT_EDGES = np.array([1, 2, 3, 5, 9, 17, 33, 65, 129, 257])
"""Lengths at which a new bin of bouts begins."""
ROWS_COMPARED_FOR_COPIES = 400


@dataclass(frozen=True, kw_only=True)
class Published:
    """The released rows and, where the custodian's map is at hand, whose place each took."""

    states: np.ndarray
    partner: np.ndarray | None
    """Row of the original that is paired with each released row."""
    group: np.ndarray | None
    """Cluster of each released row."""


def measure_activity(original: Activities, claim: Claim, *, versus: Claim | None = None, seed: int = 0) -> Evidence:
    """Compare released minutes with the original.

    Rows have no natural partner. Where the release has clusters and the custodian's map is at hand, the i-th row of
    a cluster is paired with its i-th member; otherwise daily durations are paired by rank. The distances between
    distributions need no partner at all.

    Parameters
    ----------
    original
        The original.
    claim
        The release or bundle.
    versus
        A second release of the same original: Welch's t and Cohen's d compare the relative differences.
    seed
        Chooses the rows that are searched for copied stretches.
    """
    release = _published(original, claim)
    before, after = _daily(original, original.states), _daily(original, release.states)
    names = original.state_names
    paired, pairing = _relative_differences(before, after, release)
    figures = [
        Figure(
            name=f"daily relative difference: {name}",
            value=float(paired[:, a].mean()),
            better="lower",
            says=f"Mean of |x-y|/max(x,y) over days; {pairing}.",
        )
        for a, name in enumerate(names)
    ]
    per_interval = original.interval_seconds / 60
    w1 = np.array([_wasserstein(before[:, a], after[:, a]) for a in range(len(names))]) * per_interval
    figures.append(
        Figure(
            name="daily minutes Wasserstein",
            value=float(w1.mean()),
            better="lower",
            says="Mean over states of the distance between the distributions of daily minutes; no pairing.",
        )
    )
    bouts, bout_figures = _bouts(original, release.states)
    profile, tv = _profile(original, release.states)
    flow_rows, flow_figures = _flows(original, release.states)
    figures += [
        *bout_figures,
        Figure(
            name="time-of-day profile distance",
            value=tv,
            better="lower",
            says="Total variation between the mixes of states, mean over 24 hours of weekdays and weekends.",
        ),
        *flow_figures,
        _spread(before, after),
        *_correlations(original, before, after, release),
        *_copies(original, release, seed),
    ]
    rows: dict[str, list[dict[str, Any]]] = {
        "daily": _daily_rows(names, before * per_interval, after * per_interval, w1, paired),
        "bouts": bouts,
        "profile": profile,
        "flows": flow_rows,
    }
    if versus is not None:
        other = _published(original, versus)
        more, _ = _relative_differences(before, _daily(original, other.states), other)
        rows["versus"] = [
            {"state": name, **welch(paired[:, a], more[:, a]), "cohens_d": cohens_d(paired[:, a], more[:, a])}
            for a, name in enumerate(names)
        ]
    worst = max(figures[: len(names)], key=lambda f: float(f.value or 0.0))
    return Evidence(
        about="measure",
        saw_original=True,
        figures=tuple(figures),
        rows=rows,
        summary=(
            f"Daily minutes are off by {w1.mean():.1f} in distribution; the largest mean relative difference is "
            f"{worst.value:.2f} ({worst.name.split(': ')[1]}); {pairing}."
        ),
    )


def _published(original: Activities, claim: Claim) -> Published:
    table = claim.tables["sequences"]
    column = table["states"]
    states = (
        np.concatenate([c.flatten().to_numpy(zero_copy_only=False) for c in column.chunks])
        if len(column.chunks) != 1
        else column.chunk(0).flatten().to_numpy()
    )
    states = states.reshape(table.num_rows, -1)
    if tuple(claim.tables["states"]["name"].to_pylist()) != original.state_names:
        raise InputError("measure: the release has other states than the original. Read both with the same states.")
    if states.shape[1] != original.states.shape[1]:
        raise InputError(
            f"measure: the release has {states.shape[1]} intervals, the original {original.states.shape[1]}."
        )
    group = table["cluster"].to_numpy() if "cluster" in table.column_names else None
    partner = None
    if "records" in claim.private:
        told = claim.private["records"]
        row_of = {person: i for i, person in enumerate(original.persons)}
        people = told["person"].to_pylist()
        if all(p in row_of for p in people):
            at = {r: i for i, r in enumerate(table["record"].to_pylist())}
            partner = np.empty(table.num_rows, dtype=np.int64)
            partner[[at[r] for r in told["record"].to_pylist()]] = [row_of[p] for p in people]
    return Published(states=states, partner=partner, group=group)


def _clock(data: Activities) -> Any:
    from sequester.primitives.semimarkov import Clock

    return Clock.of(data.states.shape[1], data.interval_seconds, data.start, len(data.state_names))


def _daily(data: Activities, states: np.ndarray) -> np.ndarray:
    """Rows x states x days: intervals per day."""
    from sequester.primitives.aggregate import window_counts

    clock = _clock(data)
    return window_counts(states, len(data.state_names), clock.hour_edges[clock.day_edges], threads=THREADS)


def relative_difference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """|x - y| / max(x, y), and 0 where both are 0."""
    largest = np.maximum(x, y)
    return np.abs(x - y) / np.where(largest > 0, largest, 1)


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


def _wasserstein(x: np.ndarray, y: np.ndarray) -> float:
    """Distance between two samples of small whole numbers: the area between their distribution functions."""
    top = int(max(x.max(initial=0), y.max(initial=0))) + 1
    f = np.bincount(x.ravel(), minlength=top).cumsum() / max(x.size, 1)
    g = np.bincount(y.ravel(), minlength=top).cumsum() / max(y.size, 1)
    return float(np.abs(f - g).sum())


def _bouts(data: Activities, states: np.ndarray) -> tuple[list[dict[str, Any]], list[Figure]]:
    from sequester.primitives.bouts import bout_lengths

    n_states, longest = len(data.state_names), min(data.states.shape[1], 4096)
    h, g = (bout_lengths(s, n_states, longest, threads=THREADS) for s in (data.states, states))
    ks = float(np.abs((h.sum(0) / h.sum()).cumsum() - (g.sum(0) / g.sum()).cumsum()).max())
    starts = BOUT_EDGES[longest >= BOUT_EDGES]
    hb, gb = (np.add.reduceat(x, starts, axis=1) for x in (h, g))
    by_state = []
    for a in range(n_states):
        if hb[a].sum() or gb[a].sum():
            p, q = (x[a] / max(x[a].sum(), 1) for x in (hb, gb))
            by_state.append(0.5 * float(np.abs(p - q).sum()))
    lengths = np.arange(longest + 1)
    means = [float((x.sum(0) * lengths).sum() / x.sum()) for x in (h, g)]
    rows = [
        {
            "state": name,
            "from_length": int(b),
            "original": float(hb[a, i] / max(hb[a].sum(), 1)),
            "released": float(gb[a, i] / max(gb[a].sum(), 1)),
        }
        for a, name in enumerate(data.state_names)
        for i, b in enumerate(starts)
    ]
    figures = [
        Figure(name="bout length KS", value=ks, better="lower", says="Largest gap between the laws of bout lengths."),
        Figure(
            name="bout length total variation",
            value=float(np.mean(by_state)) if by_state else 0.0,
            better="lower",
            says="Total variation over ten length bins, mean over states.",
        ),
        Figure(name="mean bout, original", value=means[0], says="Intervals per bout."),
        Figure(name="mean bout, released", value=means[1], says="Intervals per bout."),
    ]
    return rows, figures


def _parts_of_week(data: Activities) -> np.ndarray:
    """Hour of the day of every interval, plus 24 on weekends."""
    t = data.start + np.arange(data.states.shape[1]) * np.timedelta64(data.interval_seconds, "s")
    hour = t.astype("datetime64[h]").astype(np.int64)
    weekend = (hour // 24 + 3) % 7 >= 5
    return hour % 24 + 24 * weekend


def _profile(data: Activities, states: np.ndarray) -> tuple[list[dict[str, Any]], float]:
    from sequester.primitives.aggregate import window_counts

    clock, part = _clock(data), _parts_of_week(data)
    part = part[clock.hour_edges[:-1]]
    shares = []
    for matrix in (data.states, states):
        totals = np.zeros((len(data.state_names), 48))
        for at in range(0, len(matrix), 2048):
            block = window_counts(matrix[at : at + 2048], len(data.state_names), clock.hour_edges, threads=THREADS)
            np.add.at(totals.T, part, block.sum(axis=0).T)
        shares.append(totals / np.maximum(totals.sum(axis=0), 1))
    used = shares[0].sum(axis=0) > 0
    tv = 0.5 * np.abs(shares[0] - shares[1]).sum(axis=0)[used].mean()
    rows = [
        {"state": name, "hour": h % 24, "day": "weekend" if h >= 24 else "weekday",
         "original": float(shares[0][a, h]), "released": float(shares[1][a, h])}
        for a, name in enumerate(data.state_names) for h in np.flatnonzero(used).tolist()
    ]  # fmt: skip
    return rows, float(tv)


def _flows(data: Activities, states: np.ndarray) -> tuple[list[dict[str, Any]], list[Figure]]:
    from sequester.primitives.bouts import changes

    part = (_parts_of_week(data) % 24) // 3
    n_states = len(data.state_names)
    flows, matrices = [], []
    for matrix in (data.states, states):
        pairs = changes(matrix, n_states, part, 8, threads=THREADS).astype(np.float64)
        pairs /= max(pairs.sum(), 1)
        total = pairs.sum(axis=0)
        matrices.append(total / np.maximum(total.sum(axis=1, keepdims=True), 1e-300))
        off = pairs.copy()
        off[:, range(n_states), range(n_states)] = 0
        flows.append(off)
    l1 = float(np.abs(flows[0] - flows[1]).sum() / max(flows[0].sum(), 1e-300))
    apart = float(np.abs(matrices[0] - matrices[1]).sum(axis=1).mean())
    rows = [
        {"from": data.state_names[a], "to": data.state_names[b],
         "original": float(matrices[0][a, b]), "released": float(matrices[1][a, b])}
        for a in range(n_states) for b in range(n_states)
    ]  # fmt: skip
    return rows, [
        Figure(
            name="flow difference",
            value=l1,
            better="lower",
            says="Changes between states in eight parts of the day: sum of differences relative to all changes.",
        ),
        Figure(
            name="transition matrix difference",
            value=apart,
            better="lower",
            says="L1 distance between rows of the interval-to-interval transition matrix, mean over states.",
        ),
    ]


def _spread(before: np.ndarray, after: np.ndarray) -> Figure:
    """Between-person variance of mean daily durations that is left."""
    v, w = (x.mean(axis=2).var(axis=0) for x in (before, after))
    kept = w[v > 0] / v[v > 0]
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
    from sequester.primitives.bouts import longest_shared_runs

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
            says=f"Most successive changes a released row shares with one member ({len(chosen)} rows searched).",
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


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Correlation over pairs in which both are known; NaN where one of them is constant."""
    known = np.isfinite(x) & np.isfinite(y)
    if known.sum() < 2:
        return math.nan
    u, v = x[known] - x[known].mean(), y[known] - y[known].mean()
    norm = math.sqrt(float(u @ u) * float(v @ v))
    return float(u @ v) / norm if norm > 0 else math.nan


def welch(x: np.ndarray, y: np.ndarray) -> Mapping[str, float]:
    """Welch's t, its degrees of freedom, and the two-sided p (normal tail; exact enough above 50 degrees)."""
    a, b = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    if a + b == 0:
        return {"t": 0.0, "degrees": math.inf, "p": 1.0}
    t = float((x.mean() - y.mean()) / math.sqrt(a + b))
    degrees = float((a + b) ** 2 / (a * a / (len(x) - 1) + b * b / (len(y) - 1)))
    return {"t": t, "degrees": degrees, "p": math.erfc(abs(t) / math.sqrt(2))}


def cohens_d(x: np.ndarray, y: np.ndarray) -> float:
    """Difference of means in pooled standard deviations."""
    pooled = ((len(x) - 1) * x.var(ddof=1) + (len(y) - 1) * y.var(ddof=1)) / (len(x) + len(y) - 2)
    return float((x.mean() - y.mean()) / math.sqrt(pooled)) if pooled > 0 else 0.0
