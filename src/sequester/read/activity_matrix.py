"""From table columns to a person x interval matrix of state codes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import InputError, counted
from sequester.model import MISSING
from sequester.read.memory_needed import require_room

COLUMNS_AT_ONCE = 512


class Codes:
    """States and their codes, given or in the order found; `missing` is added when something is missing."""

    def __init__(self, declared: Sequence[str], unknown: Sequence[str], who: str) -> None:
        self._names = [str(n) for n in declared]
        self._declared = bool(declared)
        self._unknown = {str(u) for u in unknown}
        self._who = who
        self.strange = 0
        """Cells whose state is none of the declared ones: they became `missing`."""
        self.seen: set[Any] = set()
        """Different cells so far."""
        if len(set(self._names)) != len(self._names):
            raise InputError(f"{who}: states must be distinct, got {counted(len(self._names), 'name')}.")
        if self._declared and MISSING not in self._names:
            self._names.append(MISSING)  # always or never: whether anybody has a gap must not show in the names
        if len(self._names) > 255:
            raise InputError(f"{who}: at most 254 states can be declared, got {len(self._names) - 1}.")

    @property
    def names(self) -> tuple[str, ...]:
        """What the codes mean."""
        return tuple(self._names)

    def copy(self) -> Codes:
        """The same states; what is added to one is not added to the other."""
        out = Codes((), self._unknown, self._who)  # type: ignore[arg-type]
        out._names, out._declared = list(self._names), self._declared
        return out

    def settled(self, empty: Codes) -> np.ndarray:
        """Give states that were found in pieces the codes that one look at all of them gives; old → new code."""
        empty._sorted(self.seen)
        new = [empty.code(name, may_add=True) for name in self._names]
        self._names = list(empty.names)
        return np.array(new or [0], dtype=np.uint8)

    def missing(self) -> int:
        """Code of the state `missing`; adds it if need be."""
        return self.code(MISSING, may_add=True)

    def code(self, name: str, *, may_add: bool) -> int:
        """Code of a state; a new one only where the states were not declared."""
        if name not in self._names:
            if not may_add:
                raise KeyError(name)
            self._names.append(name)
            if len(self._names) > 256:
                raise InputError(f"{self._who}: more than 256 states were found. Check the state column.")
        return self._names.index(name)

    def of_values(self, values: Sequence[Any]) -> np.ndarray:
        """Code of each distinct value; -1 for one not declared. Numbers may also be codes of declared states."""
        out = np.empty(len(values), dtype=np.int64)
        for i, value in enumerate(values):
            if value is None or value != value or str(value).strip() in ("", *self._unknown):
                out[i] = self.missing()
                continue
            name = (
                str(int(value)) if isinstance(value, (bool, int, float)) and float(value).is_integer() else str(value)
            )
            try:
                out[i] = self.code(name, may_add=not self._declared or name == MISSING)
            except KeyError:
                out[i] = int(name) if name.isdecimal() and name.isascii() and int(name) < len(self._names) else -1
        return out

    def encode(self, column: pa.ChunkedArray | pa.Array) -> np.ndarray:
        """Codes of a column, one `uint8` per row."""
        parts = self.encode_all(column.chunks if isinstance(column, pa.ChunkedArray) else [column])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def encode_all(self, arrays: Sequence[pa.Array]) -> list[np.ndarray]:
        """Codes of several arrays; new states get their codes in sorted order over all of them."""
        if all(pa.types.is_integer(x.type) and x.null_count == 0 for x in arrays):
            return self.encode_numbers([x.to_numpy(zero_copy_only=False) for x in arrays])
        encoded = [x if pa.types.is_dictionary(x.type) else x.dictionary_encode("encode") for x in arrays]
        words = [x.dictionary.to_pylist() for x in encoded]
        known = self._sorted({w for some in words for w in some})
        if any(x.indices.null_count for x in encoded):
            self.missing()
        out = []
        for x, some in zip(encoded, words):
            codes = np.array([known[w] for w in some] + [0], dtype=np.int64)
            table = np.where(codes < 0, self.missing() if (codes < 0).any() else 0, codes).astype(np.uint8)
            indices = x.indices
            if indices.null_count:
                table[-1] = self.missing()
                indices = indices.fill_null(len(some))
            at = indices.to_numpy()
            if (codes < 0).any():
                self.strange += int((codes < 0)[at].sum())
            out.append(table[at])
        return out

    def encode_numbers(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Codes of whole numbers; bytes that already are the codes come back as they are."""
        if all(x.dtype == np.uint8 or (x.min(initial=0) >= 0 and x.max(initial=0) < 256) for x in arrays):
            known = self._sorted({int(v) for x in arrays for v in _seen(x)})
            if all(v == code for v, code in known.items()):
                return [x.astype(np.uint8, copy=False) for x in arrays]
            table = np.zeros(256, dtype=np.int64)
            table[list(known)] = list(known.values())
            return [self._settled(table[x]) for x in arrays]
        found = [np.unique(x) for x in arrays]
        known = self._sorted({int(v) for some in found for v in some})
        return [
            self._settled(np.array([known[int(v)] for v in some], dtype=np.int64)[np.searchsorted(some, x)])
            for some, x in zip(found, arrays)
        ]

    def _settled(self, codes: np.ndarray) -> np.ndarray:
        """Bytes; what was not declared is missing, and counted."""
        strange = codes < 0
        if strange.any():
            self.strange += int(strange.sum())
            codes = np.where(strange, self.missing(), codes)
        return codes.astype(np.uint8)

    def _sorted(self, found: set[Any]) -> dict[Any, int]:
        """Codes of distinct values, new ones in sorted order."""
        if len(found) > 512 and not self._declared:  # declared states stay, whatever one person writes
            raise InputError(f"{self._who}: more than 256 states were found. Check the state column.")
        if not self._declared:
            self.seen |= found
        numbers = all(isinstance(v, (int, float)) for v in found)
        order = sorted(found) if numbers else sorted(found, key=lambda v: (v is None, str(v)))
        return dict(zip(order, self.of_values(order).tolist()))


def _seen(values: np.ndarray) -> list[int]:
    """Distinct values below 256."""
    flat = values.ravel()
    top = int(flat.max(initial=0))
    if top < 16:  # a few comparisons, each of which usually ends in the first block
        blocks = [flat[at : at + (1 << 20)] for at in range(0, len(flat), 1 << 20)]
        return [v for v in range(top + 1) if any((block == v).any() for block in blocks)]
    present = np.zeros(256, dtype=bool)
    for at in range(0, len(flat), 1 << 22):
        present[flat[at : at + (1 << 22)]] = True
    return np.flatnonzero(present).tolist()


@dataclass(frozen=True, kw_only=True)
class Observations:
    """Rows of a long table: who and what; when comes beside it."""

    person: np.ndarray
    n_people: int
    state: np.ndarray
    interval: int


def listed(column: Any) -> Any:
    """A text column of JSON lists as a list column; a cell that is none becomes an empty list, whosoever it is."""

    def parsed(cell: str | None) -> list[str | None]:
        try:
            found = json.loads(cell or "[]", parse_int=str, parse_float=str)
        except (ValueError, RecursionError):
            return []
        return [x if isinstance(x, str) else None for x in found] if isinstance(found, list) else []

    return pa.chunked_array([pa.array([parsed(c) for c in column.to_pylist()], pa.list_(pa.string()))])


def from_lists(column: pa.ChunkedArray, codes: Codes) -> np.ndarray:
    """One list of states per person; shorter lists end in `missing`."""
    if column.null_count:
        column = pa.chunked_array([pa.array([x if x is not None else [] for x in column.to_pylist()])])
    chunks = [c for c in column.chunks if len(c)]
    flats = [chunk.flatten() for chunk in chunks]
    fixed = pa.types.is_fixed_size_list(column.type)
    lengths = [
        np.full(len(c), column.type.list_size) if fixed else np.diff(c.offsets.to_numpy()).astype(np.int64)
        for c in chunks
    ]
    length = np.concatenate(lengths)
    parts = codes.encode_all(flats)
    width = int(length.max(initial=0))
    if width and int(length.min()) == width:
        return parts[0].reshape(-1, width) if len(parts) == 1 else _stacked(parts, len(length), width)
    out = np.full((len(length), width), codes.missing(), dtype=np.uint8)
    flat, at = np.concatenate(parts), 0
    for i, n in enumerate(length):
        out[i, :n] = flat[at : at + n]
        at += n
    return out


def _stacked(parts: list[np.ndarray], n: int, width: int) -> np.ndarray:
    """Join the parts and let go of each as soon as it is copied."""
    out = np.empty((n, width), dtype=np.uint8)
    at = 0
    for i in range(len(parts)):
        rows = len(parts[i]) // width
        out[at : at + rows] = parts[i].reshape(rows, width)
        parts[i] = np.empty(0, np.uint8)
        at += rows
    return out


def from_wide(table: pa.Table, columns: list[str], codes: Codes) -> np.ndarray:
    """One column per interval, in the order of the table."""
    whole = [pa.types.is_integer(table.schema.field(c).type) and table[c].null_count == 0 for c in columns]
    out = np.empty((table.num_rows, len(columns)), dtype=np.uint8)
    if all(whole):
        fits = True
        for at in range(0, len(columns), COLUMNS_AT_ONCE):
            block = np.stack([table[c].to_numpy() for c in columns[at : at + COLUMNS_AT_ONCE]])
            fits &= block.dtype == np.uint8 or bool(block.min() >= 0 and block.max() < 256)
            out[:, at : at + len(block)] = block.T.astype(np.uint8)
        if fits:
            return codes.encode_numbers([out])[0]
    chunks = [table[c].combine_chunks() for c in columns]
    for j, column in enumerate(codes.encode_all(chunks)):
        out[:, j] = column
    return out


def require_cells(n_people: int, n: int) -> None:
    """Refuse a grid of states that does not fit into memory."""
    what = f"{counted(f'{n_people:,}', 'person', 'people')} x {counted(f'{n:,}', 'interval')}"
    require_room(2 * n * n_people, "read_activities", what)  # the grid, and a copy of it while it is checked


def _intervals(latest: int, n_people: int) -> int:
    require_cells(n_people, latest + 1)
    return latest + 1


def from_observations(rows: Observations, at: np.ndarray, codes: Codes, n: int | None = None) -> np.ndarray:
    """The dominant state of every interval among a person's observations; ties to the smaller code.

    With `n` intervals declared, what lies outside has been cut off before; otherwise the last observation ends them.
    """
    slot = at // rows.interval
    if n is None and not len(slot):
        raise InputError("read_activities: no observation is left. Check the columns of times and the days to keep.")
    n = _intervals((int(slot.max()) if n is None else n - 1), rows.n_people)
    order = np.argsort(rows.person, kind="stable")
    cuts = np.searchsorted(rows.person[order], np.arange(rows.n_people + 1))
    n_codes = len(codes.names)
    out = np.empty((rows.n_people, n), dtype=np.uint8)
    lacking = np.zeros((), dtype=bool)
    empty = 255
    for p in range(rows.n_people):
        mine = order[cuts[p] : cuts[p + 1]]
        counts = np.bincount(slot[mine] * n_codes + rows.state[mine], minlength=n * n_codes).reshape(n, n_codes)
        out[p] = np.where(counts.any(axis=1), counts.argmax(axis=1), empty)
        lacking = lacking | ~counts.any(axis=1).all()
    return _filled(out, bool(lacking), codes, empty)


def from_spans(
    rows: Observations, begins: np.ndarray, ends: np.ndarray, codes: Codes, n: int | None = None
) -> np.ndarray:
    """The state that covers most of every interval; ties to the smaller code. A span ends before its `end`."""
    width = rows.interval
    if n is not None:
        begins, ends = np.clip(begins, 0, n * width), np.clip(ends, 0, n * width)
    keep = ends > begins
    person, state = rows.person[keep], rows.state[keep].astype(np.int64)
    begins, ends = begins[keep], ends[keep]
    if not len(begins) and n is None:
        raise InputError("read_activities: every span ends when it starts. Check the columns start and end.")
    n = _intervals(int((ends.max() - 1) // width) if n is None else n - 1, rows.n_people)
    order = np.argsort(person, kind="stable")
    cuts = np.searchsorted(person[order], np.arange(rows.n_people + 1))
    n_codes = len(codes.names)
    out = np.empty((rows.n_people, n), dtype=np.uint8)
    lacking = False
    empty = 255
    for p in range(rows.n_people):
        mine = order[cuts[p] : cuts[p + 1]]
        b, e, a = begins[mine], ends[mine], state[mine]
        # Seconds covered up to an interval's end, as a difference of two ramps, kept as changes and summed once.
        covered = np.zeros((n + 2, n_codes), dtype=np.int64)
        for edge, sign in ((b, 1), (e, -1)):
            slot = edge // width
            rest = width - edge % width
            np.add.at(covered, (slot, a), sign * rest)
            np.add.at(covered, (slot + 1, a), sign * (width - rest))
        share = np.cumsum(covered, axis=0)[:n]
        any_ = share.any(axis=1)
        out[p] = np.where(any_, share.argmax(axis=1), empty)
        lacking |= not any_.all()
    return _filled(out, lacking, codes, empty)


def contradictions(person: np.ndarray, begins: np.ndarray, ends: np.ndarray, state: np.ndarray) -> np.ndarray:
    """Rows of spans that overlap an earlier span of the same person in another state, in the order of the rows."""
    low = int(begins.min(initial=0))  # a span may begin before the days that are kept
    far = int(ends.max(initial=0)) - low + 1
    order = np.lexsort((begins, person))
    a, b, s = (begins - low + person * far)[order], (ends - low + person * far)[order], state[order]
    found = np.zeros(len(order), dtype=bool)
    for code in np.unique(state):
        # The latest end of any span in this state so far; those of earlier people lie before every later person.
        latest = np.maximum.accumulate(np.where(s == code, b, -1))
        found[1:] |= (s[1:] != code) & (latest[:-1] > a[1:]) & (b[1:] > a[1:])
    return np.sort(order[found])


def _filled(out: np.ndarray, lacking: bool, codes: Codes, empty: int) -> np.ndarray:
    """Unobserved intervals become the state `missing`."""
    if len(codes.names) > empty:
        raise InputError("read_activities: more than 255 states leave no code for missing time.")
    if lacking:
        out[out == empty] = codes.missing()
    return out
