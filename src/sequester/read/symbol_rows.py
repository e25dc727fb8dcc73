"""Series of symbols from the rows of a table: whose they are, in which order, and what each row holds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sequester.errors import InputError, counted, verb_for
from sequester.model import Fact, SymbolSeries
from sequester.primitives.normal import breakpoints
from sequester.primitives.symbolize import GAP, symbolize
from sequester.read.cells import Times, numbers, texts, times
from sequester.read.dealing import NoRows
from sequester.read.note_counts import Counted, Words, invented, rows_left_out
from sequester.read.roles import owners
from sequester.read.signals import Signal, TooShort, span

WHO = "read_symbols"
NOBODY = f"{WHO}: no row has a person and a time that can be read. Check the roles."
BY_COLUMN = 1 << 48
"""The place of a series is this times the number of its column, and the first row of its person."""


class Piece(NamedTuple):
    """Person and the values of one series: numbers, or symbols as text with None where one is missing."""

    person: str
    values: np.ndarray
    place: int = 0
    """Where it stands among all series."""


class Asked(NamedTuple):
    """What the custodian said about the rows of a table; columns by their names."""

    person: str | None
    value: tuple[str, ...]
    time: str | None
    as_text: bool
    start: float | None
    end: float | None
    rate: float | None
    time_format: str


class How(NamedTuple):
    """How values become symbols."""

    symbolize: str
    window: int
    alphabet: int
    symbols: tuple[str, ...]
    ddof: int

    @property
    def names(self) -> tuple[str, ...]:
        """The alphabet, if it was declared; numbers become symbols that are called 1, 2, 3 and so on."""
        return self.symbols if self.symbolize == "none" else tuple(str(i + 1) for i in range(self.alphabet))


class Found(NamedTuple):
    """What the rows of a part show, beside their series."""

    when: tuple[Fact, ...]
    numeric: tuple[tuple[int, int], ...]
    """Per column of numbers: cells that hold something else, and numbers."""
    anybody: bool
    """Whether a row was left."""


def series_of(table: Any, number: np.ndarray, notes: list[str], *, asked: Asked, how: How) -> Any:
    """The series of every person in some rows, their places, and what was found."""
    pieces, found = _pieces(table, number, notes, asked)
    if not found.anybody:
        raise NoRows(NOBODY, found)
    return *symbols_of(pieces, how, notes), found


def symbols_of(pieces: list[Piece], how: How, notes: list[str]) -> tuple[SymbolSeries, np.ndarray]:
    """Series as symbols, and their places."""
    if how.symbolize == "none":
        return _joined(pieces, how.symbols, notes)
    notes.append(averaged(pieces, how.window))
    return _symbolized(pieces, how)


def _pieces(table: Any, number: np.ndarray, notes: list[str], asked: Asked) -> tuple[list[Piece], Found]:
    when = times(table[asked.time], asked.time, WHO, form=asked.time_format) if asked.time else None
    groups = _groups(table, asked.person, when, notes)
    out: list[Piece] = []
    numeric = []
    for at, column in enumerate(asked.value):
        if asked.as_text:
            values = _texts(table, column)
        else:
            values, bad = numbers(table[column])
            numeric.append((bad, int((~np.isnan(values)).sum())))
            notes.append(
                Counted(
                    bad,
                    Words(
                        f"cell of column '{column}' is not a number and counts as a gap",
                        f"cells of column '{column}' are not numbers and count as gaps",
                    ),
                )
            )
        for owner, rows, first in groups:
            mine = values[rows]
            if when is not None and (asked.start is not None or asked.end is not None):
                seconds = when.seconds[rows]
                late = np.inf if asked.end is None else asked.end
                mine = mine[(seconds >= (asked.start or 0.0)) & (seconds < late)]
            else:
                mine = cut(mine, asked, column)
            name = owner if owner is not None else (column if len(asked.value) > 1 else "1")
            place = at * BY_COLUMN + (int(number[first]) if len(number) else 0)
            parts = [mine] if not asked.as_text else _cells(mine) if asked.time is None else [_one_word(mine)]
            out += [Piece(name, part, place) for part in parts]
    return out, Found((when.fact,) if when is not None else (), tuple(numeric), bool(groups))


def require_rows(found: list[Found], asked: Asked) -> None:
    """Refuse columns of numbers that hold none."""
    for column, *of in zip(asked.value, *(f.numeric for f in found)):
        if sum(bad for bad, _ in of) and not sum(good for _, good in of):
            raise InputError(f"{WHO}: column '{column}' is not numeric. If it holds symbols, pass ‹symbolize=none›.")


def _groups(
    table: Any, person: str | None, when: Times | None, notes: list[str]
) -> list[tuple[str | None, np.ndarray, int]]:
    """Rows of every person in order of time or of appearance, and the first; rows that lack either are left out."""
    rows = np.arange(table.num_rows)
    if when is not None:
        lacking = int((~when.known).sum())
        notes.append(Counted(lacking, rows_left_out("without a time that can be read")))
        rows = np.argsort(when.seconds, kind="stable")  # equal times keep their order
        rows = rows[when.known[rows]]
    if not person:
        return [(None, rows, 0)]
    who = owners(table, person, WHO)
    notes.append(Counted(int((~who.known).sum()), rows_left_out("without a person")))
    rows = rows[who.known[rows]]
    by_owner = rows[np.argsort(who.code[rows], kind="stable")]
    ends = np.cumsum(np.bincount(who.code[rows], minlength=len(who.names)))
    at = np.flatnonzero(who.known)
    first = who.first_of(who.code[at], at, len(who.names))
    parts = np.split(by_owner, ends[:-1]) if len(ends) else []
    return [(name, part, int(f)) for name, part, f in zip(who.names, parts, first) if len(part)]


def _texts(table: Any, column: str) -> np.ndarray:
    """Cells as text; equal ones are one object."""
    coded = texts(table[column]).dictionary_encode()
    words = np.array([*coded.dictionary.to_pylist(), None], dtype=object)
    return words[coded.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)]


def _cells(values: np.ndarray) -> list[np.ndarray]:
    """One series of single symbols, or one series per cell where cells hold several symbols apart by white space."""
    if any(v is not None and len(v.split()) > 1 for v in set(values.tolist())):
        return [np.array(v.split() if v else [], dtype=object) for v in values]
    return [values]


def _one_word(values: np.ndarray) -> np.ndarray:
    """One symbol per row; blanks inside a symbol's name become underscores, because grams are joined by blanks."""
    return np.array([None if v is None else "_".join(v.split()) for v in values], dtype=object)


def cut(values: np.ndarray, asked: Asked, name: str) -> np.ndarray:
    """The samples between two seconds."""
    if asked.start is None and asked.end is None:
        return values
    if asked.rate is None or not asked.rate > 0:
        sentence = "‹from_=› and ‹to=› count seconds; pass ‹rate=› samples per second, or ‹time=› a column."
        raise InputError(f"{WHO}: {sentence}")
    try:
        low, high = span(len(values), asked.rate, asked.start, asked.end, name)
    except TooShort:
        return values[:0]  # nothing of this one, whatever the others have
    return values[low:high]


def _symbolized(pieces: list[Piece], how: How) -> tuple[SymbolSeries, np.ndarray]:
    """Numbers as symbols, every series by itself; and the places of the series."""
    series, of = [], []
    for i, piece in enumerate(pieces):
        codes = symbolize(piece.values, window=how.window, n_symbols=how.alphabet, way=how.symbolize, ddof=how.ddof)
        parts = _unbroken(codes, codes == GAP)
        series += parts
        of += [i] * len(parts)
    return _series(series, pieces, of, how.names)


def averaged(pieces: list[Piece], window: int) -> Counted:
    """How many samples became part of a mean."""
    n = sum(len(p.values) for p in pieces) if window > 1 else 0
    return invented("samples", f"averaged, {window} into a symbol", n, n)


def _joined(pieces: list[Piece], given: tuple[str, ...], notes: list[str]) -> tuple[SymbolSeries, np.ndarray]:
    """Symbols as they are, in codes of the told alphabet or of the symbols found; and the places of the series."""
    if given:
        found = set(given)
        strange = sum(x is not None and x not in found for p in pieces for x in p.values)
        notes.append(
            Counted(
                strange,
                Words(
                    "cell holds a symbol that was not told; it ends a series as a gap does",
                    "cells hold a symbol that was not told; they end a series as a gap does",
                ),
            )
        )
        if strange:
            known = [np.array([x if x in found else None for x in p.values], dtype=object) for p in pieces]
            pieces = [p._replace(values=v) for p, v in zip(pieces, known)]
    names = given or in_order({x for p in pieces for x in set(p.values.tolist()) if x is not None})
    codes: dict[str | None, int] = {x: i for i, x in enumerate(names)} | {None: -1}
    series, of = [], []
    for i, piece in enumerate(pieces):
        numbered = np.fromiter((codes[x] for x in piece.values), np.int64, len(piece.values))
        parts = _unbroken(numbered, numbered < 0)
        series += parts
        of += [i] * len(parts)
    return _series(series, pieces, of, names)


def in_order(found: set[str]) -> tuple[str, ...]:
    """Symbols that were found, as an alphabet: numbers by their size."""
    whole = all(x.lstrip("-").isdecimal() and x.isascii() for x in found)
    return tuple(sorted(found, key=(lambda x: (int(x), x)) if whole else str))


def require_codes(names: tuple[str, ...]) -> None:
    """Refuse more symbols than there are codes."""
    if len(names) > 65535:
        raise InputError(f"{WHO}: {len(names)} distinct symbols; at most 65535 fit. Is this really a symbol column?")


def _unbroken(codes: np.ndarray, gap: np.ndarray) -> list[np.ndarray]:
    """Stretches between gaps; an empty series stays one, so that its person is not lost."""
    if not gap.any():
        return [codes]
    edges = np.flatnonzero(np.diff(np.concatenate(([True], gap, [True])).astype(np.int8)))
    return [codes[a:b] for a, b in zip(edges[::2], edges[1::2])] or [codes[:0]]


def _series(
    series: list[np.ndarray], pieces: list[Piece], of: list[int], alphabet: tuple[str, ...]
) -> tuple[SymbolSeries, np.ndarray]:
    require_codes(alphabet)
    data = SymbolSeries(
        symbols=np.concatenate(series) if series else np.empty(0, dtype=np.uint16),
        offsets=np.concatenate(([0], np.cumsum([len(s) for s in series]))),
        alphabet=alphabet,
        persons=np.array([pieces[i].person for i in of], dtype=object),
    )
    return data, np.array([pieces[i].place for i in of], dtype=np.int64)


def rate_fact(found: list[Signal], declared: float | None) -> Fact:
    """Samples per second of recordings: as told, if all agree with it; else what they say themselves."""
    rates = sorted({s.rate_hz for s in found})
    if declared is None:
        return Fact("samples per second", rates[0] if len(rates) == 1 else rates, "found")
    odd = sum(s.rate_hz != declared for s in found)
    if odd:
        raise InputError(
            f"{WHO}: {odd} of {counted(len(found), 'recording')} {verb_for(odd, 'does', 'do')} not have "
            f"rate={declared:g}. Leave it out, or them."
        )
    return Fact("samples per second", declared, "declared")


def _breaks(symbolize: str, alphabet: int) -> Any:
    """Where one symbol ends and the next begins, as far as it is the same for everybody."""
    if symbolize != "sax":
        return {"quantile": "quantiles of each series", "equal-width": "equal parts of each series' range"}[symbolize]
    return [round(float(x), 6) for x in breakpoints(alphabet)]


def symbol_facts(symbolize: str, window: int, alphabet: int, symbols: tuple[str, ...], std: str) -> tuple[Fact, ...]:
    """How values became symbols."""
    if symbolize == "none":
        found = bool(symbols)
        return (Fact("states", "as declared" if found else "the symbols found", "declared" if found else "found"),)
    return (
        Fact("symbols", symbolize, "default" if symbolize == "sax" else "declared"),
        Fact("window", window, "default" if window == 10 else "declared"),
        Fact("alphabet", alphabet, "default" if alphabet == 4 else "declared"),
        Fact("break points", _breaks(symbolize, alphabet), "declared"),
        *((Fact("standard deviation", std, "default" if std == "population" else "declared"),) * (symbolize == "sax")),
    )


def second_facts(start: float | None, end: float | None) -> tuple[Fact, ...]:
    """Between which seconds signals were read."""
    found = (("from second", start), ("to second", end))
    return tuple(Fact(name, second, "declared") for name, second in found if second is not None)


def check_symbolizing(symbolize: str, window: int, alphabet: int) -> None:
    """What can be said before the file is read."""
    if symbolize != "none" and (window < 1 or not 2 <= alphabet <= 65535):
        raise InputError(
            f"{WHO}: window must be at least 1 and alphabet in 2..65535, got window={window}, alphabet={alphabet}."
        )
