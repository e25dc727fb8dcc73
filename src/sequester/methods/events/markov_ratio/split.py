"""A log in parts: each is asked alone, answers are whole numbers or files in scratch, and are brought together here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sequester.engines import Engine
from sequester.engines.scratch import keep, load, mapped
from sequester.errors import InputError, counted
from sequester.methods.events.markov_ratio.crowd import WHO, Counting, Hashing, asks, section_table, wanted
from sequester.methods.events.markov_ratio.ensemble import MOST
from sequester.methods.events.markov_ratio.measured import factor_of
from sequester.methods.events.markov_ratio.outline import Outline, outline_of, together, without_objects
from sequester.methods.events.markov_ratio.sections import sections_of
from sequester.methods.events.markov_ratio.tallies import (
    Ask,
    Family,
    Pairs,
    Statistics,
    Tally,
    Threshold,
    runs,
    tally,
    tested,
)
from sequester.methods.events.shared import minhash
from sequester.methods.events.shared.attributes import Attribute, case_tables, case_values
from sequester.model import EventLog, Parts
from sequester.model.part_files import persons_of, read_placed
from sequester.platform import remove

GROUPS_AT_ONCE = 1 << 18
"""Groups of a family that are brought together at a time, unless one model has more."""
MOST_BITS = 62
"""Of a code that all parts share."""


class Layout(NamedTuple):
    """Where cluster, value and pair stand in the codes of a family; the same for all parts."""

    width: int
    value_from: int
    cluster_from: int

    @classmethod
    def of(cls, ask: Ask, family: Family, counting: Counting) -> Layout:
        """Wide enough for everything that there may be."""
        rows, items = ask.shape
        value_from = max(1, rows * items - 1).bit_length()
        most = MOST | {factor_of(a.name): len(a.values) for a in counting.declared}
        values = (most[family.factor] - 1).bit_length() if family.factor else 0
        out = cls(items, value_from, value_from + values)
        if out.cluster_from + (counting.n_clusters + 1).bit_length() * family.by_cluster > MOST_BITS:
            raise InputError(
                f"{WHO}: {counted(rows, 'row')} of {counted(items, 'item')} in "
                f"{counted(counting.n_clusters, 'cluster')} are too many to count in parts. Lower cluster_share in a "
                "plan or in Python, or leave ‹memory_limit=› out."
            )
        return out

    def shared(self, own: Tally, parts: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """The codes of a part's tally in this layout; their order stays."""
        code = own.code.astype(np.int64)
        row, item = parts(code & ((1 << own.value_from) - 1))
        out = (code >> own.cluster_from) << self.cluster_from
        out |= (code >> own.value_from & ((1 << (own.cluster_from - own.value_from)) - 1)) << self.value_from
        return out | (row * self.width + item)

    def parts(self, pair: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Row and item."""
        return pair // self.width, pair % self.width


class Split:
    """A log in parts."""

    def __init__(self, parts: Parts, engine: Engine, scratch: Path) -> None:
        self._parts, self._engine, self._scratch = parts, engine, scratch
        self._split_gap = 0.0
        self._order = np.zeros(0, np.int64)
        self.earliest = 0

    def cut(self, split_gap: float) -> None:
        """Parts cut themselves, every time they are looked at."""
        self._split_gap = split_gap

    def cluster(self, hashing: Hashing, secret: np.random.Generator) -> int:
        """Different sets of states over all parts; the part that has the first section of a set signs for it."""
        paths = self._parts.paths
        task = partial(_sets, self._parts, self._split_gap, hashing.shingle, self._scratch)
        self.earliest = self._engine.fold(task, paths, min, "sets of states")
        of_parts = [_told(self._scratch, path, "found") for path in paths]
        part = np.repeat(np.arange(len(paths)), [len(own) for own in of_parts])
        code, size, local, place, rank = np.concatenate(of_parts).T
        del of_parts
        order = np.lexsort((rank, place, code))
        first = runs(code[order])[:-1]
        size = np.add.reduceat(size[order], first)
        code, local, place, rank, part = (x[order][first] for x in (code, local, place, rank, part))
        appears = np.empty(len(code), np.int64)
        appears[np.lexsort((rank, place))] = np.arange(len(code))
        falling = np.lexsort((appears, -size))
        signs = self._signatures(part[falling], local[falling], hashing)
        centre = minhash.centre_clusters(signs, size[falling], wanted(hashing, int(size.sum())))
        del signs
        known, own = np.unique(centre, return_inverse=True)
        earliest = np.full(len(known), len(code), np.int64)
        np.minimum.at(earliest, own, appears[falling])
        number = secret.permutation(len(known))[np.argsort(np.argsort(earliest))]
        label = np.empty(len(code), np.int64)
        label[falling] = number[own]
        keep(self._scratch / "sets.npy", code)  # in their order: a part looks its own up
        keep(self._scratch / "labels.npy", label)
        return len(known)

    def _signatures(self, part: np.ndarray, local: np.ndarray, hashing: Hashing) -> np.ndarray:
        for i, path in enumerate(self._parts.paths):
            _tell(self._scratch, path, asked=local[part == i])
        task = partial(_signed, self._parts, self._split_gap, hashing, self._scratch)
        self._engine.map(task, self._parts.paths, "signatures")
        signs = np.empty((len(part), len(hashing.seeds)), np.uint32)
        for i, path in enumerate(self._parts.paths):
            signs[part == i] = _told(self._scratch, path, "signs")
        return signs

    def count(self, counting: Counting, test: Threshold) -> tuple[dict[str, Statistics], Outline]:
        """Tallies go to files; those of a family are brought together and tested some models at a time."""
        paths = self._parts.paths
        task = partial(_counted, self._parts, counting, self._scratch)
        answers = self._engine.map(task, paths, "counting")
        found = {}
        for key, (kinds, layouts, _) in answers[0].sizes.items():
            ends = [np.cumsum([0, *a.sizes[key][2]]) for a in answers]
            stems = [_stem(self._scratch, path, key) for path in paths]
            own = partial(_brought_together, stems, ends, layouts)
            found[key] = tested(key.partition(" ")[2], kinds, own, test)
            for stem in stems:
                for what in ("codes", "sizes"):
                    remove(_file(stem, what))
        self._order = np.argsort(self._every("place"), kind="stable")
        days, sections = self._every("days")[self._order], self._every("sections")[self._order]
        return found, together([a.outline for a in answers], days, sections)

    def _every(self, name: str) -> np.ndarray:
        """What all parts left in files, one after the other."""
        return np.concatenate([_told(self._scratch, path, name) for path in self._parts.paths])

    def private(self, declared: tuple[Attribute, ...]) -> dict[str, pa.Table]:
        """Parts put into the order of the source."""
        every, order = self._every, self._order
        persons = [persons_of(path)[_told(self._scratch, path, "taken")] for path in self._parts.paths]
        owners, n = np.concatenate(persons)[order], every("sections")
        begin = np.cumsum(n) - n
        section = np.repeat(begin[order] - (np.cumsum(n[order]) - n[order]), n[order]) + np.arange(n.sum())
        table = section_table(np.repeat(owners, n[order]), every("events")[section], every("cluster")[section])
        return {"sections": table} | (case_tables(owners, declared, every("cases")[order]) if declared else {})


class Answer(NamedTuple):
    """What a part tells; its tallies are in files."""

    sizes: dict[str, tuple[list[Family], list[Layout], list[int]]]
    """By question: families, the layout of their codes, and how many groups each has."""
    outline: Outline
    """Without its objects."""


def _loaded(parts: Parts, path: Path) -> tuple[EventLog, np.ndarray, np.ndarray]:
    """A part in the order of the source, the place of its objects there, and which of its rows they are."""
    log, place = read_placed(path, parts.kind, parts.facts)
    taken = np.argsort(place, kind="stable")
    if (np.diff(taken) != 1).any():
        log = log.take(taken)
    return log, place[taken], taken  # type: ignore[return-value]


def _sets(parts: Parts, split_gap: float, shingle: int, scratch: Path, path: Path) -> int:
    """The earliest time of a part; its different sets of states go to a file.

    A row is the code of a set, how many sections have it, the first of them by its number in the part, where in the
    source its object stands, and which section of its object it is.
    """
    log, place, _ = _loaded(parts, path)
    s = sections_of(log, split_gap)
    codes = minhash.set_codes(log.states, s.bounds, shingle).view(np.int64)
    code, first, size = np.unique(codes, return_index=True, return_counts=True)
    owner = np.repeat(np.arange(log.n_records), np.diff(s.of_object))[first]
    _tell(scratch, path, sets=codes, found=np.stack([code, size, first, place[owner], first - s.of_object[owner]], 1))
    return int(s.times.min())


def _signed(parts: Parts, split_gap: float, hashing: Hashing, scratch: Path, path: Path) -> None:
    """Signatures of the sections that a part was asked for, in a file."""
    log = _loaded(parts, path)[0]
    own = minhash.sub_sequences(log.states, sections_of(log, split_gap).bounds, _told(scratch, path, "asked"))
    _tell(scratch, path, signs=minhash.signatures(*own, hashing.seeds, hashing.shingle))


def _counted(parts: Parts, counting: Counting, scratch: Path, path: Path) -> Answer:
    log, place, taken = _loaded(parts, path)
    s = sections_of(log, counting.split_gap)
    sets, labels = (mapped(scratch / f"{name}.npy") for name in ("sets", "labels"))
    cluster = np.asarray(labels[np.searchsorted(sets, _told(scratch, path, "sets"))])
    cases = case_values(log, counting.declared, WHO)
    sizes = {}
    for ask in asks(log, s, cluster, cases, counting):
        sizes[ask.key] = _write_tallies(ask, counting, _stem(scratch, path, ask.key))
        del ask
    seen = outline_of(log, s)
    _tell(
        scratch, path, place=place, taken=taken, cases=cases, days=seen.days, sections=seen.sections,
        events=np.diff(s.bounds), cluster=cluster,
    )  # fmt: skip
    return Answer(sizes, without_objects(seen))


def _tell(scratch: Path, path: Path, **arrays: np.ndarray) -> None:
    """Leave arrays of a part in files; rows about people do not travel through a scheduler."""
    for name, array in arrays.items():
        keep(scratch / f"{path.stem}.told.{name}.npy", array)


def _told(scratch: Path, path: Path, name: str) -> np.ndarray:
    return load(scratch / f"{path.stem}.told.{name}.npy")


def _stem(scratch: Path, path: Path, key: str) -> Path:
    return scratch / f"{path.stem}.{key.replace(' ', '-')}"


def _write_tallies(ask: Ask, counting: Counting, stem: Path) -> tuple[list[Family], list[Layout], list[int]]:
    """All families of one question, one after the other: codes and sizes."""
    pairs = Pairs(ask.row, ask.item)
    layouts = [Layout.of(ask, family, counting) for family in ask.kinds]
    codes, sizes = [], []
    for family, layout in zip(ask.kinds, layouts, strict=True):
        own = tally(ask, family, pairs)
        codes.append(layout.shared(own, pairs.parts))
        sizes.append(own.size.astype(np.uint32))
    keep(_file(stem, "codes"), np.concatenate(codes))
    keep(_file(stem, "sizes"), np.concatenate(sizes))
    return ask.kinds, layouts, [len(c) for c in codes]


def _file(stem: Path, what: str) -> Path:
    return stem.with_name(f"{stem.name}.{what}.npy")


def _brought_together(
    stems: list[Path], ends: list[np.ndarray], layouts: list[Layout], number: int, _family: Family
) -> tuple[Iterator[Tally], Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]]:
    return _merged(stems, [slice(e[number], e[number + 1]) for e in ends], layouts[number]), layouts[number].parts


def _merged(stems: list[Path], slices: list[slice], layout: Layout) -> Iterator[Tally]:
    """The groups of one family over all parts, some at a time; no model is cut in two."""
    codes = [mapped(_file(stem, "codes"))[at] for stem, at in zip(stems, slices, strict=True)]
    total, longest = sum(map(len, codes)), max(codes, key=len)
    pieces = -(-total // GROUPS_AT_ONCE)
    inside = longest[np.linspace(0, len(longest), pieces + 1).astype(int)[1:-1]] if pieces > 1 else longest[:0]
    last = np.unique(inside | ((1 << layout.value_from) - 1))
    cuts = [np.r_[0, np.searchsorted(code, last, side="right"), len(code)] for code in codes]
    cuts = [(cut + at.start).tolist() for cut, at in zip(cuts, slices, strict=True)]
    for i in range(len(last) + 1):
        here = [slice(cut[i], cut[i + 1]) for cut in cuts]
        code = _read(stems, "codes", here)
        order = np.argsort(code)  # whole numbers are added: equal codes may come in any order
        code = code[order]
        first = runs(code)[:-1]
        size = _read(stems, "sizes", here)[order].astype(np.int64)
        if len(first):
            size = np.add.reduceat(size, first)
        yield Tally(code=code[first], value_from=layout.value_from, cluster_from=layout.cluster_from, size=size)


def _read(stems: list[Path], what: str, here: list[slice]) -> np.ndarray:
    """Rows of files, one file after the other: read, not mapped, so that nothing else counts as memory."""
    out = []
    for stem, at in zip(stems, here, strict=True):
        whole = mapped(_file(stem, what))
        width = whole[:1].size if whole.ndim > 1 else 1
        skipped = whole.offset + at.start * width * whole.itemsize
        rows = np.fromfile(_file(stem, what), whole.dtype, (at.stop - at.start) * width, offset=skipped)
        out.append(rows.reshape(-1, *whole.shape[1:]))
    return np.concatenate(out)
