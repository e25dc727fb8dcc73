"""How long objects last: counted by the number of their events, tested, and kept in the synthesis.

Gaps are drawn one by one, each from a tested law, so a long object is the sum of many: hardly one lasts as short or as
long as people do. And the test drops a bin of gaps that few people have in a pair of states, so rare long gaps go
missing. So the times from the first to the last event are counted in bins, by class of length and by year of the start,
and drawn objects take them over.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sequester.methods.events.markov_ratio.drawn import Drawn
from sequester.methods.events.markov_ratio.ensemble import moment_values
from sequester.methods.events.markov_ratio.tallies import Ask, Family, Statistics
from sequester.methods.events.shared.spans import DAY
from sequester.model import EventLog

DAYS = np.array([0, 1, 2, 3, 5, 8, 14, 22, 35, 60, 90, 140, 210, 300, 400, 550, 730, 950, 1200, 1600, 2200, 3660])
SPAN_EDGES = {"day": DAYS * DAY, "second": np.r_[0, np.rint(60 * 1.8 ** np.arange(28))].astype(np.int64)}
"""Seconds, by the precision of the log; a longer span counts as one of the last bin."""
ROUNDS = 20
"""Of bringing the spans of a class and those of a year together."""
YEARLY = [Family(level="all", factor=None), Family(level="factor", factor="year")]


def length_class(events: np.ndarray) -> np.ndarray:
    """Class of a number of events: 1, 2, 3 and 4, 5 to 8, and so on, each twice as wide as the one before."""
    return np.ceil(np.log2(np.maximum(events, 1))).astype(np.int64)


def class_name(number: int) -> str:
    """As it stands in the model."""
    return f"{2 ** (number - 1) + 1}..{2**number}" if number else "1"


def span_asks(log: EventLog, year0: int, *, by_year: bool) -> Iterator[Ask]:
    """Bins of the time from first to last event: by class of length, and over all and by the year of the start.

    Nobody is asked where only the order is known. A log ends on some day, so whoever starts late cannot last long.
    """
    here = log.n_records if log.time_unit != "order" else 0
    edges = SPAN_EDGES["day" if log.time_unit == "day" else "second"]
    first, last = log.offsets[:-1][:here], log.offsets[1:][:here] - 1
    begin = log.times[first]
    item = np.searchsorted(edges[1:-1], log.times[last] - begin, side="right")
    n_bins = len(edges) - 1
    yield Ask("states", "span", YEARLY[:1], row=length_class(last - first + 1), item=item, shape=(64, n_bins))
    kinds = YEARLY if by_year else YEARLY[:1]
    years = moment_values(begin, True, year0)
    yield Ask("states", "spans", kinds, row=np.zeros(here, np.int64), item=item, shape=(1, n_bins), values=years)


def with_spans(
    drawn: Drawn, unit: str, year0: int, by_class: Statistics, by_year: Statistics, generator: np.random.Generator
) -> Drawn:
    """Drawn objects whose gaps are to be fitted to drawn spans.

    Within a class and year the object with the longest sum of gaps gets the longest span, and so on: little has to be
    stretched. No object lasts longer than the longest bin that passed the test; where none did, no longer than the
    time over which objects start.
    """
    size, edges = np.diff(drawn.offsets), SPAN_EDGES[unit]
    some = np.flatnonzero(size > 0)
    begin, end = drawn.first, drawn.last
    spans = np.zeros(len(size), np.int64)
    spans[some] = (end - begin)[some]
    of_class, year = length_class(size[some]), moment_values(begin[some], True, year0)["year"].astype(np.int64)
    objects = np.zeros((int(of_class.max(initial=0)) + 1, int(year.max(initial=0)) + 1))
    np.add.at(objects, (of_class, year), 1.0)
    laws = _laws(objects, by_class, by_year, len(edges) - 1, shared_out=unit == "second")
    for c, y in zip(*np.nonzero((objects > 0) & (laws.sum(2) > 0)), strict=True):
        law = laws[c, y]
        here = generator.permutation(some[(of_class == c) & (year == y)])  # objects with equal sums come in any order
        here = here[np.argsort(spans[here], kind="stable")]
        # Evenly spaced shares: chance adds no error to how often each bin is drawn.
        share = (np.arange(len(here)) + generator.random(len(here))) / len(here) * law.sum()
        item = np.minimum(np.searchsorted(np.cumsum(law), share, side="right"), np.flatnonzero(law)[-1])
        low, high, u = edges[item], edges[item + 1], generator.random(len(here))
        if unit == "day":
            inside = low + (u * (high - low) / DAY).astype(np.int64) * DAY
            spans[here] = np.sort(np.minimum(inside, high - DAY))
        else:
            least = np.maximum(low, 1)
            spans[here] = np.sort(np.where(item > 0, least * (high / least) ** u, 0.0).astype(np.int64))
    passed = by_year.item[by_year.family == 0]
    most = int(edges[passed.max() + 1]) - 1 if len(passed) else max(int(np.ptp(begin[some])), DAY) if len(some) else 0
    spans = np.minimum(spans, most // DAY * DAY if unit == "day" else most)
    spans[size < 2] = 0
    return drawn.spanning(spans, DAY if unit == "day" else 1)


def _laws(objects: np.ndarray, by_class: Statistics, by_year: Statistics, bins: int, *, shared_out: bool) -> np.ndarray:
    """Objects by class, year and bin: sums over years as the classes tell, sums over classes as the years tell.

    Begins with class and year independent at a given span, and scales both sums in turn. A year that the test left
    nothing of follows the classes; a class and year whose laws have no bin in common follow the year; a class that the
    test left nothing of keeps the sums of its gaps. With `shared_out`, what the test dropped in the classes is shared
    out by the law of all, in which it passed.
    """
    in_class, in_year = np.zeros((len(objects), bins)), np.zeros((objects.shape[1], bins))
    own, yearly = by_class.row < len(objects), (by_year.family == 1) & (by_year.value < objects.shape[1])
    in_class[by_class.row[own], by_class.item[own]] = by_class.count[own]
    in_year[by_year.value[yearly], by_year.item[yearly]] = by_year.count[yearly]
    every = np.bincount(by_year.item[by_year.family == 0], by_year.count[by_year.family == 0], minlength=bins)
    if shared_out:
        lost = np.maximum(objects.sum(1) - in_class.sum(1), 0.0)
        left = np.maximum(every - in_class.sum(0), 0.0)
        in_class += np.outer(lost, left / max(left.sum(), 1e-300))
    known_class, known_year = in_class.sum(1) > 0, in_year.sum(1) > 0
    in_year[~known_year] = every
    out = in_class[:, None, :] * _over(in_year, every)[None, :, :]
    of_class, of_year = _over(in_class, in_class.sum(1, keepdims=True)), _over(in_year, in_year.sum(1, keepdims=True))
    for _ in range(ROUNDS):
        out *= _over(objects, out.sum(2))[:, :, None]
        aim = objects.sum(1)[:, None] * of_class
        out *= np.where(known_class[:, None], _over(aim, out.sum(1)), 1.0)[:, None, :]
        aim = objects[known_class].sum(0)[:, None] * of_year
        out *= np.where(known_year[:, None], _over(aim, out.sum(0)), 1.0)[None, :, :]
    lost = (out.sum(2) <= 0) & known_class[:, None]
    return np.where(lost[:, :, None], in_year, out)


def _over(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quotients, 0 where there is nothing to divide by."""
    return np.divide(a, b, out=np.zeros(np.broadcast_shapes(a.shape, b.shape)), where=b > 0)
