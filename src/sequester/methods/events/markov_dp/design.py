"""What is fixed before any data is touched: shares of the budget, bins, dates, the order of the chain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from sequester.dp.sites import Sites
from sequester.methods.events.markov_dp.tables import ALL, FEW
from sequester.methods.events.shared.attributes import Attribute
from sequester.methods.events.shared.codebook import OTHER, Codes
from sequester.methods.events.shared.spans import length_edges, span_edges

RICH_FROM = 60.0
"""Order 2 (trigrams, variants) from this index on: n sqrt(rho) over the declared number of codes. See the page."""
REFUSE_BELOW, FEW_BELOW, GOOD_FROM = 4.0, 30.0, 60.0
PRIVATE_INDEX = {"second": 8.0, "day": 4.0, "order": 4.0}
"""Without a codebook no more states are kept than leave this index to each of them; with a clock so few that the time
model is near. At ten, a log of sixteen states lost every twentieth event at epsilon 1 and gained nothing for it."""
PRIVATE_STRENGTH = 100.0
"""Least n sqrt(rho) without a codebook: ten states at an index of ten."""
TIMED_FROM, TIMED_SHARE, ALL_TIMED_SHARE = 15.0, 0.20, 0.25
"""Index from which the time model is measured, and its share of rho with few and with all of its tables."""
LENGTH_FROM, LENGTH_INDEX, LENGTH_STRENGTH, LENGTH_SHARE = 200, 10.0, 600.0, 0.20
"""Length classes are measured where objects may have that many events, and where index and n sqrt(rho) are at least so
large; their share of rho."""
SPAN_SHARE, STRONG_SPAN_SHARE, STRONG_FROM = 0.18, 0.08, 2500.0
"""Share of rho for how long cases last, and the smaller one that is enough from this n sqrt(rho) on."""
SPAN_MOMENTS = 0.2
"""Part of it that goes to the means by class of length."""
MOST_OTHER = 0.35
"""Expected share of OTHER from which a declared number of states is refused: 1 - H(kept) / H(declared), harmonic sums,
as if states were used by Zipf's law. It ranks logs rightly and is off by up to .2 (page)."""
UNIVERSE_SHARE, LEVEL_SHARE = 0.10, 0.05
"""Share of rho for selecting the states, and for each further level of a hierarchy of codes."""
STATES_PER_OBJECT = 50
"""Distinct states of one object that count when the states themselves are private."""
MOST_TRIPLES = 2_000_000
"""Cells of the table of triples: each takes some twelve millionths of a second of secure noise."""
PLAIN = {"people": 0.01, "lengths": 0.15, "pairs": 0.53, "gaps": 0.17, "clock": 0.10, "medians": 0.04}
RICH = PLAIN | {"variants": 0.10, "lengths": 0.10, "pairs": 0.31, "triples": 0.17}
MEDIAN_SHARE, SMALL_MEDIAN_SHARE = 0.01, 0.0025


LINKED_STRENGTH, LINKED_SHARE, ALONE_SHARE = 200.0, 0.25, 0.10
"""Attributes are linked with length and states from this n sqrt(rho) on; shares of rho with and without these links."""
VALUES_SHARE = 0.12
"""Share of rho of values of events."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """Public choices of one run; nothing here depends on the data."""

    rho: float
    """All there is."""
    delta: float
    """The whole promise's; thresholds take a quarter each."""
    people_at_least: int
    max_events: int
    unit: str
    dates: tuple[int, int] | None
    """First and last day of the log, counted from 1970-01-01."""
    codebook: tuple[str, ...] | None
    states_at_most: int | None = None
    """Publicly known number of different states where there is no codebook."""
    codes: Codes | None = None
    """Public hierarchy: what a code is called that too few people have."""
    force: bool = False
    attributes: tuple[Attribute, ...] = ()
    """Declared columns of cases."""
    event_values: tuple[Attribute, ...] = ()
    """Declared columns of events."""
    sites: Sites | None = None
    """Where the people are, if at several sites: whole traces are then left out."""

    @property
    def noise_in_shares(self) -> bool:
        """Whether every site draws noise of its own."""
        return self.sites is not None and not self.sites.trusted

    @property
    def noise_factor(self) -> float:
        """Standard deviation of the noise, in units of what the ledger states."""
        return 1.0 if self.sites is None else self.sites.factor()

    @property
    def attribute_share(self) -> float:
        """Part of rho that goes to declared attributes."""
        return 0.0 if not self.attributes else LINKED_SHARE if self.links else ALONE_SHARE

    @property
    def links(self) -> bool:
        """Whether attributes are counted with length and states."""
        return self.strength >= LINKED_STRENGTH

    @property
    def pairs(self) -> bool:
        """Whether attributes are counted two by two."""
        return len(self.attributes) > 1

    @property
    def value_share(self) -> float:
        """Part of rho that goes to declared values of events."""
        return VALUES_SHARE if self.event_values else 0.0

    @property
    def strength(self) -> float:
        """n sqrt(rho): how much signal there is to share among the states."""
        return self.people_at_least * math.sqrt(self.rho)

    @property
    def low_clips(self) -> bool:
        """Whether counts are clipped below the median norm: less noise, at the cost of the longer half of the objects.

        That pays for traces of events with a clock; in logs of days a few objects have hundreds of events, and what
        follows what is mostly told by them.
        """
        return self.unit == "second"

    @property
    def n_codes(self) -> int | None:
        """How many states there can be by declaration, OTHER included; None where nobody declared it.

        Which tables are measured follows from this number and never from how many states survive their noise.
        """
        if self.codebook is not None:
            return len({*self.codebook, OTHER})
        if self.codes is not None and self.codes.public:
            return len(self.codes.broader) + 1
        return None if self.states_at_most is None else self.states_at_most + 1

    @property
    def least_strength(self) -> float:
        """The n sqrt(rho) below which a release is refused: four per code of a codebook; else ten states at an index of
        ten, and so much that of the declared states no more than `MOST_OTHER` of the events are expected to be OTHER.
        """
        if self.codebook is not None:
            return REFUSE_BELOW * (self.n_codes or 1)
        kept = 1
        n = self.n_codes
        if self.codes is not None:  # what is rare is published as a broader code: these must be carried
            n = len(self.codes.names_at(self.levels - 1)) + 1 if self.codes.public else None
        if n is not None:
            needed = (1 - MOST_OTHER) * _harmonic(n)
            while _harmonic(kept) < needed:
                kept += 1
        return max(PRIVATE_STRENGTH, kept * PRIVATE_INDEX[self.unit])

    @property
    def most_codes(self) -> int:
        """How many declared states this strength can carry."""
        if self.codebook is not None:
            return int(self.strength / REFUSE_BELOW)
        if self.strength < PRIVATE_STRENGTH:
            return 0
        reach = _harmonic(max(int(self.strength / PRIVATE_INDEX[self.unit]), 1)) / (1 - MOST_OTHER)
        return int(np.searchsorted(np.cumsum(1 / np.arange(1, 10_000)), reach))

    @property
    def levels(self) -> int:
        """How many names a code may have."""
        return 1 if self.codes is None else self.codes.levels

    def reaches(self, index: float) -> bool:
        """Whether there is so much signal for every declared state."""
        return self.n_codes is not None and self.strength >= index * self.n_codes

    def most_states(self) -> int:
        """Largest universe, OTHER included, that the strength can carry."""
        least = 1 << 24 if self.force else max(2, math.floor(self.strength / PRIVATE_INDEX[self.unit]))
        return least if self.n_codes is None else min(least, self.n_codes)

    @property
    def rich(self) -> bool:
        """Whether trigrams and whole variants are worth their budget."""
        return self.sites is None and self.reaches(RICH_FROM)

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables of the time model, and transitions by length class, that are worth their budget.

        In a log of days gaps of none are most of all gaps, and tables of them put too much into what is empty.
        """
        out = () if self.unit != "second" or not self.reaches(TIMED_FROM) else ALL if self.rich else FEW
        able = self.max_events >= LENGTH_FROM and self.unit != "order" and self.strength >= LENGTH_STRENGTH
        return (*out, "length") if able and self.reaches(LENGTH_INDEX) else out

    @property
    def span_share(self) -> float:
        """Part of rho that goes to how long cases last."""
        if self.unit == "order":
            return 0.0
        return SPAN_SHARE if self.strength < STRONG_FROM else STRONG_SPAN_SHARE

    @property
    def universe_rho(self) -> float:
        """What selecting the states costs."""
        share = UNIVERSE_SHARE + LEVEL_SHARE * (self.levels - 1)
        return 0.0 if self.codebook is not None else share * (1.0 - self.span_share) * self.rho

    def shares(self) -> dict[str, float]:
        """Parts of rho by family of measurements; what a log without a clock does not need goes to the pairs.

        Tables of the time model and length classes take their share from transitions, gaps and the clock, which they
        refine; people, lengths, variants and medians keep theirs. Spans take theirs from everything else.
        """
        out = dict(RICH if self.rich else PLAIN)
        medians = MEDIAN_SHARE * (1 + self.rich + (self.unit != "order"))
        medians += SMALL_MEDIAN_SHARE * {"second": 2, "day": 1, "order": 0}[self.unit]
        out["pairs"] += out.pop("medians") - medians
        if self.unit == "order":
            out["pairs"] += out.pop("gaps") + out.pop("clock")
        n_timed = len([name for name in self.tables if name != "length"])
        timing = 0.0 if not n_timed else TIMED_SHARE if n_timed <= len(FEW) else ALL_TIMED_SHARE
        by_classes = LENGTH_SHARE * (1.0 - timing) if "length" in self.tables else 0.0
        refined = [name for name in ("pairs", "triples", "gaps", "clock") if name in out]
        scale = 1.0 - (timing + by_classes) / sum(out[name] for name in refined)
        out |= {name: out[name] * scale for name in refined}
        out |= {"timed": timing / max(n_timed, 1), "length": by_classes}
        out |= {"median": MEDIAN_SHARE, "small median": SMALL_MEDIAN_SHARE}  # each
        spans = self.span_share * self.rho
        whole = self.rho - spans - self.universe_rho
        kept = whole * (1.0 - self.attribute_share - self.value_share)
        out = {name: kept * share for name, share in out.items()}
        out |= {"attributes": self.attribute_share * whole, "values": self.value_share * whole}
        return out | {"spans": spans * (1.0 - SPAN_MOMENTS), "span moments": spans * SPAN_MOMENTS}

    @cached_property
    def span_edges(self) -> np.ndarray:
        """Public bins of how long cases last."""
        return span_edges(self.unit, len(self.days))

    @cached_property
    def length_edges(self) -> np.ndarray:
        """Left edges of length bins, 1..8 then growing by a fifth, and one past the longest."""
        return length_edges(self.max_events)

    @cached_property
    def days(self) -> np.ndarray:
        """Every day of the public range."""
        first, last = self.dates or (0, 0)
        return np.arange(first, last + 1)

    @cached_property
    def season_of_day(self) -> np.ndarray:
        """Season (month, or year in a range of more than ten) of every day, counted from the first."""
        kind = "datetime64[M]" if len(self.days) <= 3660 else "datetime64[Y]"
        season = self.days.astype("datetime64[D]").astype(kind).astype(np.int64)
        return season - season[0]


def expected_other(strength: float, unit: str, n_states: int) -> float:
    """Share of the events that `MOST_OTHER`'s rule expects to be OTHER, of so many states by declaration."""
    kept = max(1, math.floor(strength / PRIVATE_INDEX[unit]) - 1)
    return max(0.0, 1 - _harmonic(kept) / _harmonic(max(1, n_states)))


def _harmonic(n: int) -> float:
    return float((1 / np.arange(1, n + 1)).sum())


def widened(edges: np.ndarray, n_people: float, sd: float) -> np.ndarray:
    """Length edges merged two by two until an average bin stands four deviations out of the noise."""
    merged = edges
    while len(merged) > 3 and n_people / (4 * sd) < len(merged) - 1:
        merged = np.r_[merged[:-1][::2], edges[-1]]
    return merged


def universe_threshold(sigma: float, delta: float) -> float:
    """Smallest weight that only the data's own people could not have made alone, up to probability `delta`."""
    return max(
        1 / math.sqrt(t) + sigma * tail(-math.expm1(math.log1p(-delta) / t)) for t in range(1, STATES_PER_OBJECT + 1)
    )


def tail(probability: float) -> float:
    """How many deviations a normal variable exceeds with that small probability."""
    return -NormalDist().inv_cdf(probability)
