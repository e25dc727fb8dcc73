"""How long cases last, from their first event to their last: public bins, the law behind a noisy histogram, targets.

Gaps are drawn one by one, so the sum of many of them says little about how long a case lasts: on logs nobody had tuned
it was wrong by factors. Spans are therefore counted by themselves, and drawn cases are fitted to them (`span_fit`).
Nothing here sees a log but `span_bins` and `length_class`, which look at one case at a time.

Bins that several methods count gaps and lengths in; fixed, so that they tell nothing about any log.
"""

from __future__ import annotations

import numpy as np

DAY, HOUR = 86400, 3600
_D = float(DAY)
GAP_EDGES = np.array(
    [0, 1, 10, 60, 300, 900, 1800, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 16 * HOUR, _D, 1.5 * _D, 2 * _D, 3 * _D,
     5 * _D, 7 * _D, 14 * _D, 30 * _D, 60 * _D, 90 * _D, 180 * _D, 365 * _D, 1095 * _D]
)  # fmt: skip
"""Seconds; a longer gap counts as one of the last bin."""
GAP_BINS = len(GAP_EDGES) - 1


def gap_bin(gaps: np.ndarray) -> np.ndarray:
    """Bin of every gap."""
    return np.clip(np.searchsorted(GAP_EDGES, gaps, side="right") - 1, 0, GAP_BINS - 1)


def length_edges(longest: int) -> np.ndarray:
    """Left edges of length bins, 1..8 then growing by a fifth, and one past the longest."""
    edges = list(range(1, 9))
    while edges[-1] < longest:
        edges.append(max(edges[-1] + 1, round(edges[-1] * 1.21)))
    return np.array([e for e in edges if e <= longest] + [longest + 1])


CLASS_ENDS = np.array([1, 2, 4, 8, 16, 32, 64])
"""Public classes of the number of events: 1, 2, 3 and 4, ..., 33 to 64, more."""
CLASSES = len(CLASS_ENDS) + 1
COUNTS_FROM, DETACHED_FROM, REACH = 3.0, 3.5, 2
"""Deviations by which a run of bins stands out of the noise to count; more where empty bins lie before it. A far bin
that noise alone has filled is the dearest mistake: ten people of five years among cases of an hour."""
RUN = 6
SMOOTH = np.geomspace(1e-3, 1e4, 11)
CLOSE, RUN_CLOSE = 0.85, 2.7
"""The smoothest law is taken whose squared distance, per bin, is at most this part of what noise alone makes, and that
no run of bins contradicts by so many deviations: a small group of far longer cases does not show in the whole."""
TAIL_SHARE = 0.2
"""Part of the cases, the longest ones, by which `law_error` guesses at what lies beyond the last bin that counts."""
CLASS_SPREAD = 0.25
"""How far means of classes are thought to lie from those that ranks alone give, on the scale of `place`."""
ALTERNATIONS = 60


def span_edges(unit: str, n_days: int) -> np.ndarray:
    """Edges of bins in seconds, from the public range alone: none, then growing by 1.41 (in a log of days by 1.3)."""
    top = max(n_days, 2) * float(DAY)
    edges = [0.0, float(DAY) if unit == "day" else 60.0]
    while edges[-1] < top:
        days = round(edges[-1] / DAY)
        edges.append(max(days + 1, round(days * 1.3)) * float(DAY) if unit == "day" else edges[-1] * 2**0.5)
    edges[-1] = top
    if len(edges) > 3 and edges[-1] < 1.15 * edges[-2]:
        del edges[-2]
    return np.array(edges)


def span_bins(spans: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Bin of every span; a longer one counts as one of the last bin."""
    return np.clip(np.searchsorted(edges, spans, side="right") - 1, 0, len(edges) - 2)


def place(edges: np.ndarray) -> np.ndarray:
    """Place of every bin between -1 and 1; the first two share the lowest."""
    return np.r_[-1.0, np.linspace(-1.0, 1.0, len(edges) - 2)]


def length_class(events: np.ndarray) -> np.ndarray:
    """Class of a number of events."""
    return np.searchsorted(CLASS_ENDS, events, side="left")


def span_law(noisy: np.ndarray, sd: float, edges: np.ndarray) -> np.ndarray:
    """Share of cases per bin: the smoothest law the noise allows, and nothing beyond the last bin that counts.

    Smooth is the logarithm of the density per logarithm of time: its third differences are kept small, so what cannot
    be told from noise ends like a log-normal law. The first bin (no span) is left out of that.
    """
    last = _last_that_counts(noisy, sd)
    out = np.zeros(len(noisy))
    out[: last + 1] = _smoothest(noisy[: last + 1], max(sd, 1e-9), edges[: last + 2])
    return out


def _last_that_counts(noisy: np.ndarray, sd: float) -> int:
    """From the largest bin upwards, as long as some run of bins stands out of the noise."""
    above, last, before = np.cumsum(np.r_[0.0, noisy]), int(np.argmax(noisy)), -1
    runs = [(end, begin) for end in range(len(noisy) - 1, 0, -1) for begin in range(end, max(end - RUN, -1), -1)]
    while last != before:
        before = last
        for end, begin in runs:
            needed = COUNTS_FROM if begin <= last + REACH else DETACHED_FROM
            if end > last and above[end + 1] - above[begin] > needed * sd * np.sqrt(end + 1 - begin):
                last = end
                break
    return last


def _smoothest(y: np.ndarray, sd: float, edges: np.ndarray) -> np.ndarray:
    """Penalised least squares by Newton steps, from the loosest penalty on as long as the fit is close enough.

    From the stiffest on it would get stuck: a share that is nearly none has nearly no slope.
    """
    k, n = len(y), max(float(y.sum()), 3 * sd)
    start = np.maximum(y, 0.25 * sd)
    p = start / start.sum()
    if k < 3:
        return p
    width = np.diff(np.log(np.maximum(edges, edges[1] / 4)))
    width[0] = 1.0
    rough = np.diff(np.eye(k - 1), n=3, axis=0)
    penalty = np.pad(rough.T @ rough, ((1, 0), (1, 0)))
    theta = np.log(p) - np.log(width)
    for i, stiff in enumerate(SMOOTH):
        theta, found = _newton(theta, y, n, sd, stiff * penalty, width)
        if i and not _is_close(y - n * found, sd):
            break
        p = found
    return p


def _is_close(missed: np.ndarray, sd: float) -> bool:
    """Whether noise alone explains what is missed, over all bins and in every run of them."""
    sums = np.cumsum(np.r_[0.0, missed])
    runs = [r for r in (1, 2, 3, 4, 6, 8) if r <= len(missed)]
    return (missed**2).sum() <= CLOSE * (len(missed) - 1) * sd**2 and all(
        np.abs(sums[r:] - sums[:-r]).max() <= RUN_CLOSE * sd * np.sqrt(r) for r in runs
    )


def _shares(theta: np.ndarray, width: np.ndarray) -> np.ndarray:
    p = np.exp(theta - theta.max()) * width
    return p / p.sum()


def _newton(
    theta: np.ndarray, y: np.ndarray, n: float, sd: float, penalty: np.ndarray, width: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    def loss(at: np.ndarray) -> float:
        return float(((n * _shares(at, width) - y) ** 2).sum() / sd**2 + at @ penalty @ at) / 2

    now = loss(theta)
    for _ in range(40):
        p = _shares(theta, width)
        slope = n * (np.diag(p) - np.outer(p, p))
        gradient = slope @ (n * p - y) / sd**2 + penalty @ theta
        step = np.linalg.solve(slope @ slope / sd**2 + penalty + 1e-6 * np.eye(len(y)), gradient)
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
        pace, moved, after = 1.0, theta - step, loss(theta - step)
        while after > now + 1e-9 and pace > 1e-3:
            pace /= 2
            moved = theta - pace * step
            after = loss(moved)
        if after > now:
            break
        theta, gain, now = moved - moved.mean(), now - after, after
        if gain < 1e-5:
            break
    return theta, _shares(theta, width)


def spans_of(law: np.ndarray, edges: np.ndarray, n: int, grain: int = 1) -> np.ndarray:
    """Rising spans at `n` evenly spaced shares of the law, spread evenly in logarithms inside a bin."""
    share = (np.arange(n) + 0.5) / max(n, 1)
    below = np.r_[0.0, np.cumsum(law) / law.sum()]
    item = np.minimum(np.searchsorted(below[1:], share, side="right"), np.flatnonzero(law > 0)[-1])
    inside = np.clip((share - below[item]) / np.maximum(below[item + 1] - below[item], 1e-12), 0.0, 1.0)
    low, high = np.maximum(edges[item], 1.0), edges[item + 1] - 1.0
    out = np.where(item == 0, 0.0, low * (high / low) ** inside)
    return (out // grain * grain).astype(np.int64)


def span_targets(
    spans: np.ndarray,
    sizes: np.ndarray,
    law: np.ndarray,
    edges: np.ndarray,
    moments: tuple[np.ndarray, float] | None,
    generator: np.random.Generator,
    grain: int = 1,
) -> np.ndarray:
    """How long every drawn case shall last.

    `spans` are those that were drawn, `sizes` the numbers of events. `moments` are noisy counts and sums of `place` by
    class of length, and their deviation. Inside a class the case with the longest drawn span gets the longest one, and
    so on. Ranks come from the classes, values from the law of all cases: whatever the classes say, the durations
    together are that law. Cases of one event last nothing.
    """
    out = np.zeros(len(sizes), np.int64)
    some = np.flatnonzero(sizes > 1)
    law = law * len(sizes)
    law[0] = max(law[0] - (len(sizes) - len(some)), 0.0)
    if not len(some) or law.sum() <= 0:
        return out
    some = generator.permutation(some)  # equal ones come in any order
    some = some[np.argsort(spans[some], kind="stable")]
    values = spans_of(law, edges, len(some), grain)
    out[some] = values
    if moments is None:
        return out
    of_class, bins = length_class(sizes[some]), span_bins(values, edges)
    classes, weight = np.unique(of_class, return_counts=True)
    z = place(edges)
    usual = np.array([z[bins[of_class == c]].mean() for c in classes])
    laws = _class_laws(law / law.sum(), z, _class_means(*moments, classes, usual), weight / weight.sum())
    aim = np.empty(len(some))
    for c, own in zip(classes, laws, strict=True):
        aim[of_class == c] = spans_of(own, edges, int((of_class == c).sum()))
    out[some[np.argsort(aim, kind="stable")]] = values
    return out


def _class_means(noisy: np.ndarray, sd: float, classes: np.ndarray, usual: np.ndarray) -> np.ndarray:
    """Mean place in every class, as far as its noise lets one tell it from what ranks alone give."""
    counts, sums = noisy.reshape(CLASSES, 2)[classes].T
    counts = np.maximum(counts, sd)
    trust = CLASS_SPREAD**2 / (CLASS_SPREAD**2 + 2 * (sd / counts) ** 2)
    return usual + trust * (np.clip(sums / counts, -1, 1) - usual)


def _class_laws(law: np.ndarray, z: np.ndarray, means: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The law tilted for every class to its mean, and steered so that all classes together are the law again."""
    tilt, steer = np.zeros(len(means)), np.ones(len(law))
    out = np.tile(law, (len(means), 1))
    for _ in range(ALTERNATIONS):
        out = law * steer * np.exp(tilt[:, None] * z)
        out /= out.sum(1, keepdims=True)
        mean = out @ z
        spread = np.maximum(out @ (z * z) - mean**2, 1e-3)
        tilt = np.clip(tilt + 0.7 * (means - mean) / spread, -25, 25)
        mixed = weight @ out
        steer *= np.where(mixed > 1e-300, law / np.maximum(mixed, 1e-300), 1.0) ** 0.7
    return out


def law_error(law: np.ndarray, n: float, sd: float, edges: np.ndarray, draws: int = 12) -> float:
    """How far durations are likely to be off, as W1 over the mean: found by drawing noise on the law itself.

    What is drawn on is the law with the tail that may be hidden behind its last bin. It uses released numbers only and
    fixed draws, so it costs nothing and says the same for the same release.
    """
    generator = np.random.default_rng(0)
    whole = _with_hidden_tail(law, n, sd, edges)
    truth = spans_of(whole, edges, 2000)
    errors = [
        np.abs(spans_of(span_law(n * whole + generator.normal(0, sd, len(law)), sd, edges), edges, 2000) - truth).mean()
        for _ in range(draws)
    ]
    return float(np.mean(errors) / max(truth.mean(), 1.0))


def _with_hidden_tail(law: np.ndarray, n: float, sd: float, edges: np.ndarray) -> np.ndarray:
    """The law, and beyond its last bin so many cases as would not count and as a power law of its longest ones expects.

    The power is Hill's: one over the mean logarithm by which the longest cases exceed the shortest of them.
    """
    last = int(np.flatnonzero(law)[-1])
    above = np.cumsum(law[:0:-1])[::-1]  # from bin 1 on: cases of no time are no part of a tail
    begin = 1 + int(np.flatnonzero(above >= TAIL_SHARE * above[0])[-1])
    if last >= len(law) - 2 or last <= begin:
        return law
    middle = np.sqrt(edges[begin:-1] * edges[begin + 1 :])
    excess = float(law[begin:] @ np.log(middle / edges[begin])) / above[begin - 1]
    reach = edges[last + 1 :] / edges[last + 1]
    hidden = min(COUNTS_FROM * sd / n, above[begin - 1] * (edges[last + 1] / edges[begin]) ** (-1 / excess))
    out = law.copy()
    out[last + 1 :] = -np.diff(np.r_[hidden * reach[:-1] ** (-1 / excess), 0.0])
    return out / out.sum()
