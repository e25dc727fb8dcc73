"""The people of a log: cut into sections, clustered, counted. In memory; `split` does the same with parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from sequester.methods.events.markov_ratio.measured import measured_asks
from sequester.methods.events.markov_ratio.outline import Outline, outline_of
from sequester.methods.events.markov_ratio.sections import Sections, sections_of
from sequester.methods.events.markov_ratio.tallies import Ask, Statistics, Threshold, statistics
from sequester.methods.events.shared import minhash
from sequester.methods.events.shared.attributes import Attribute, case_tables, case_values
from sequester.model import EventLog

WHO = "markov-ratio"


class Counting(NamedTuple):
    """What is counted, the same for everybody."""

    split_gap: float
    shingle: int
    factors: tuple[str, ...]
    section_factors: tuple[str, ...]
    declared: tuple[Attribute, ...]
    n_clusters: int
    year0: int


class Hashing(NamedTuple):
    """How sections are clustered."""

    seeds: np.ndarray
    """One per hash function."""
    shingle: int
    share: float
    """Clusters as a share of the sections."""


class Crowd(Protocol):
    """What is asked of a log, in this order."""

    earliest: int
    """The first time, in seconds; known once there are clusters."""

    def cut(self, split_gap: float) -> None:
        """From now on there are sections."""
        ...

    def cluster(self, hashing: Hashing, secret: np.random.Generator) -> int:
        """From now on they have clusters; how many. Their numbers are random: they tell nothing about the order."""
        ...

    def count(self, counting: Counting, test: Threshold) -> tuple[dict[str, Statistics], Outline]:
        """What passes of everything that is counted, and what else drawing needs."""
        ...

    def private(self, declared: tuple[Attribute, ...]) -> dict[str, pa.Table]:
        """For the custodian: sections and their clusters, and the declared values of cases."""
        ...


class Whole:
    """A log in memory."""

    def __init__(self, log: EventLog, declared: tuple[Attribute, ...]) -> None:
        self._log, self._cases = log, case_values(log, declared, WHO)
        self._sections: Sections | None = None
        self._cluster = np.zeros(0, np.int64)
        self.earliest = 0

    @property
    def _cut(self) -> Sections:
        assert self._sections is not None
        return self._sections

    def cut(self, split_gap: float) -> None:
        """Cut it."""
        self._sections = sections_of(self._log, split_gap)
        self.earliest = int(self._cut.times.min())

    def cluster(self, hashing: Hashing, secret: np.random.Generator) -> int:
        """Cluster the different sets of states, each by its first section."""
        states, bounds = self._log.states, self._cut.bounds
        member, size, of = minhash.distinct_sets(states, bounds, hashing.shingle)
        signs = minhash.signatures(*minhash.sub_sequences(states, bounds, member), hashing.seeds, hashing.shingle)
        label = minhash.by_first_member(minhash.centre_clusters(signs, size, wanted(hashing, len(of)))[of])
        self._cluster = secret.permutation(int(label.max()) + 1)[label]
        return int(label.max()) + 1

    def count(self, counting: Counting, test: Threshold) -> tuple[dict[str, Statistics], Outline]:
        """One question after the other."""
        found = {}
        for ask in asks(self._log, self._cut, self._cluster, self._cases, counting):
            found[ask.key] = statistics(ask, test)
            del ask  # a large log has no room for two
        return found, outline_of(self._log, self._cut)

    def private(self, declared: tuple[Attribute, ...]) -> dict[str, pa.Table]:
        """The sections in their order."""
        s = self._cut
        owner = np.repeat(np.arange(self._log.n_records), np.diff(s.of_object))
        out = {"sections": section_table(self._log.persons[owner], np.diff(s.bounds), self._cluster)}
        return out | (case_tables(self._log.persons, declared, self._cases) if declared else {})


def wanted(hashing: Hashing, n_sections: int) -> int:
    """How many clusters there may be."""
    return max(1, round(hashing.share * n_sections))


def asks(log: EventLog, s: Sections, cluster: np.ndarray, cases: np.ndarray, counting: Counting) -> Iterator[Ask]:
    """Everything that is counted of a log or a part of one."""
    c = counting
    by_name: Mapping[str, np.ndarray] = {a.name: cases[:, j] for j, a in enumerate(c.declared)}
    return measured_asks(log, s, cluster, c.n_clusters, c.factors, c.section_factors, c.year0, by_name)


def section_table(persons: np.ndarray, sizes: np.ndarray, cluster: np.ndarray) -> pa.Table:
    """Who owns which section, and the cluster it is in; first events count from 0 over the whole log."""
    return pa.table(
        {
            "person": pa.array(persons.tolist(), pa.string()),
            "first_event": pa.array(np.cumsum(sizes) - sizes, pa.int64()),
            "events": pa.array(sizes, pa.int64()),
            "cluster": pa.array(cluster, pa.int64()),
        }
    )
