"""Series of symbols: from signals (tables, number columns, WFDB, EDF) or from symbols as they are."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sequester.errors import InputError
from sequester.model import SymbolSeries
from sequester.read.signals import is_recording, read_recordings, span
from sequester.read.table import check_encoding, first_bad_byte, load_table, not_utf8, pick, reads_as_number

WHO = "read_symbols"
EACH = "each"
"""Said for a person's column when every series is a person of its own."""
Piece = tuple[str, np.ndarray]
"""Person and the values of one series: numbers, or symbols as text with None where one is missing."""


def read_symbols(
    source: Any,
    *,
    person: str | None = None,
    value: tuple[str, ...] = (),
    time: str | None = None,
    symbolize: Literal["sax", "equal-width", "quantile", "none"] = "sax",
    window: int = 10,
    alphabet: int = 4,
    symbols: tuple[str, ...] = (),
    from_: float | None = None,
    to: float | None = None,
    rate: float | None = None,
    lead: str = "1",
    std: Literal["population", "sample"] = "population",
    table: str | None = None,
    encoding: str = "utf-8",
) -> SymbolSeries:
    """Read signals and turn each into symbols of its own, or read symbols as they are.

    Every signal is symbolized by itself: what one person's symbols are never depends on another person. A stretch
    without any value ends a series and begins a new one of the same person.

    Parameters
    ----------
    source
        A CSV, Parquet, JSON or database table; a text file of number columns without a header; a WFDB record
        (`106` or `106.hea`), an EDF file, or a folder of them; with symbolize=none also a text file with one series
        of symbols per line. Or a table in memory.
    person
        Column that tells whose row it is, or `each` when every recording, line or value column is a person of its own.
        Without it nobody knows, and only occurrences can be counted.
    value
        Column or columns that hold the signal or the symbols, by name, or by number from 1 in a text file. Symbols:
        one per row; without --time a cell of several, apart by blanks, is a series of its own.
    time
        Column to sort a person's rows by; with --from and --to it is read as seconds.
    symbolize
        How values become symbols: sax (Gaussian break points), equal-width, quantile, or none: they are symbols.
    window
        Samples averaged into one symbol.
    alphabet
        Number of symbols, named 1, 2, 3 and so on from low to high.
    symbols
        With symbolize=none: all symbols there can be, in order. Without it the symbols found are the alphabet.
    from_
        Second at which to begin.
    to
        Second at which to end.
    rate
        Samples per second of a table or text file, for --from and --to; recordings know their own.
    lead
        Lead of a recording: its name, or its number from 1.
    std
        Standard deviation that sax divides by: population (n) or sample (n - 1).
    table
        Table of a database file.
    encoding
        Of a CSV or text file.
    """
    check_encoding(encoding, WHO)
    if symbolize != "none" and (window < 1 or not 2 <= alphabet <= 65535):
        raise InputError(
            f"{WHO}: window must be at least 1 and alphabet in 2..65535, got window={window}, alphabet={alphabet}."
        )
    path = Path(source) if isinstance(source, (str, Path)) else None
    if path is not None and is_recording(path):
        if person not in (None, EACH):
            raise InputError(f"{WHO}: a recording has no columns; pass person={EACH} if each is a person of its own.")
        if symbolize == "none":
            raise InputError(f"{WHO}: a recording holds numbers; pass symbolize=sax, equal-width or quantile.")
        pieces = [(s.name, s.values) for s in read_recordings(path, lead=lead, start=from_, end=to)]
    else:
        pieces = list(_pieces(source, path, person, value, time, symbolize == "none", from_, to, rate, table, encoding))
    if symbolize == "none":
        return replace(_joined(pieces, symbols), people_known=person is not None, names_public=bool(symbols))
    data = _symbolized(pieces, window, alphabet, symbolize, ddof=int(std == "sample"))
    return replace(data, people_known=person is not None)


def _pieces(
    source: Any,
    path: Path | None,
    person: str | None,
    value: tuple[str, ...],
    time: str | None,
    as_text: bool,
    start: float | None,
    end: float | None,
    rate: float | None,
    table: str | None,
    encoding: str,
) -> Iterable[Piece]:
    value = (value,) if isinstance(value, str) else value
    named = person not in (None, EACH) or time or (as_text and value)
    if path is not None and path.is_file() and not named and _is_plain_text(path, as_text, encoding):
        if as_text:
            return [(str(i + 1), np.array(line.split(), dtype=object)) for i, line in enumerate(_lines(path, encoding))]
        return [(name, _cut(x, start, end, rate, name)) for name, x in _number_columns(path, value, encoding)]
    texts = [person, *(value if as_text else ())]
    loaded = load_table(source, who=WHO, table=table, as_text=texts, encoding=encoding)
    if person == EACH and EACH not in loaded.column_names:
        person = None
    person = pick(loaded, person, WHO, "person") if person else None
    time = pick(loaded, time, WHO, "time") if time else None
    columns = [pick(loaded, v, WHO, "value") for v in value] or _only_column(loaded, {person, time})
    groups = _groups(loaded, person, time)
    times = _numbers(loaded, time) if time and (start is not None or end is not None) else None
    out: list[Piece] = []
    for column in columns:
        values = _texts(loaded, column) if as_text else _numbers(loaded, column)
        for owner, rows in groups:
            mine = values[rows]
            if times is not None:
                at = times[rows]
                mine = mine[(at >= (start or 0.0)) & (at < (np.inf if end is None else end))]
            else:
                mine = _cut(mine, start, end, rate, column)
            name = owner if owner is not None else (column if len(columns) > 1 else "1")
            if as_text:
                out += [(name, part) for part in (_cells(mine) if time is None else [_one_word(mine)])]
            else:
                out.append((name, mine))
    return out


def _only_column(table: Any, taken: set[str | None]) -> list[str]:
    left = [c for c in table.column_names if c not in taken]
    if len(left) == 1:
        return left
    raise InputError(
        f"{WHO}: which column holds the series? There are {', '.join(repr(c) for c in left[:8]) or 'none left'}"
        f"{f' and {len(left) - 8} more' if len(left) > 8 else ''}. Pass value= one of them."
    )


def _groups(table: Any, person: str | None, time: str | None) -> list[tuple[str | None, np.ndarray]]:
    """Rows of every person, in order of time or of appearance."""
    rows = np.arange(table.num_rows)
    if time:
        import pyarrow.compute as pc

        if table[time].null_count:
            first = int(np.flatnonzero(table[time].is_null().to_numpy(zero_copy_only=False))[0]) + 1
            raise InputError(f"{WHO}: {table[time].null_count} rows lack a time (first at row {first}).")
        rows = pc.sort_indices(
            table, sort_keys=[(time, "ascending")]
        ).to_numpy()  # stable: equal times keep their order
    if not person:
        return [(None, rows)]
    import pyarrow as pa
    import pyarrow.compute as pc

    owners = pc.utf8_trim_whitespace(table[person].cast(pa.string())).combine_chunks()
    lacking = np.flatnonzero(pc.or_kleene(pc.is_null(owners), pc.equal(owners, "")).to_numpy(zero_copy_only=False))
    if len(lacking):
        raise InputError(
            f"{WHO}: {len(lacking)} rows lack a person (first at row {lacking[0] + 1}). "
            "Fill the person column or leave those rows out."
        )
    coded = owners.dictionary_encode()
    numbers = coded.indices.to_numpy()
    by_owner = rows[np.argsort(numbers[rows], kind="stable")]
    ends = np.cumsum(np.bincount(numbers, minlength=len(coded.dictionary)))
    return list(zip(coded.dictionary.to_pylist(), np.split(by_owner, ends[:-1])))


def _numbers(table: Any, column: str) -> np.ndarray:
    import pyarrow as pa

    try:
        values = table[column].cast(pa.float64()).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # text that is no number, or a type without a cast
        raise InputError(
            f"{WHO}: column '{column}' is not numeric. If it holds symbols, pass symbolize=none."
        ) from None
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0]) + 1
        raise InputError(
            f"{WHO}: column '{column}' has {int(np.isinf(values).sum())} infinite values (first at row {row})."
        )
    return values


def _texts(table: Any, column: str) -> np.ndarray:
    cells = (None if v is None else str(v).strip() for v in table[column].to_pylist())
    return np.array([v or None for v in cells], dtype=object)


def _cells(values: np.ndarray) -> list[np.ndarray]:
    """One series of single symbols, or one series per cell where cells hold several symbols apart by white space."""
    if any(v is not None and len(v.split()) > 1 for v in values):
        return [np.array(v.split() if v else [], dtype=object) for v in values]
    return [values]


def _one_word(values: np.ndarray) -> np.ndarray:
    """One symbol per row; blanks inside a symbol's name become underscores, because grams are joined by blanks."""
    return np.array([None if v is None else "_".join(v.split()) for v in values], dtype=object)


def _cut(values: np.ndarray, start: float | None, end: float | None, rate: float | None, name: str) -> np.ndarray:
    if start is None and end is None:
        return values
    if rate is None or not rate > 0:
        raise InputError(f"{WHO}: --from and --to count seconds; pass rate= samples per second, or time= a column.")
    low, high = span(len(values), rate, start, end, name)
    return values[low:high]


def _is_plain_text(path: Path, as_text: bool, encoding: str) -> bool:
    """A `.txt` file without a header: lines of symbols, or lines of numbers."""
    if not path.name.lower().endswith((".txt", ".txt.gz")):
        return False
    first = next(iter(_lines(path, encoding)), "")
    if "," in first:
        return False
    return as_text or all(reads_as_number(x) for x in first.split())


def _lines(path: Path, encoding: str) -> Iterable[str]:
    """The lines that hold anything."""
    try:
        with gzip.open(path, "rt", encoding=encoding) if path.suffix == ".gz" else path.open(encoding=encoding) as file:
            yield from (line for line in file if line.strip())
    except UnicodeDecodeError as error:
        if codecs.lookup(encoding).name != "utf-8":
            raise InputError(f"{WHO}: '{path.name}' cannot be read in {encoding}. Check both.") from error
        raise not_utf8(WHO, path.name, first_bad_byte(path) or 0) from error
    except (gzip.BadGzipFile, EOFError) as error:
        raise InputError(f"{WHO}: '{path.name}' is not a complete gzip file.") from error


def _number_columns(path: Path, value: tuple[str, ...], encoding: str) -> list[Piece]:
    try:
        table = np.loadtxt(list(_lines(path, encoding)), ndmin=2)
    except ValueError as error:
        raise InputError(
            f"{WHO}: '{path.name}' is not a table of numbers with the same columns in every line. "
            "If it holds symbols, pass symbolize=none."
        ) from error
    width = table.shape[1]
    wanted = value or (("1",) if width == 1 else ())
    if not wanted:
        raise InputError(f"{WHO}: '{path.name}' has {width} columns without names. Pass value= a number in 1..{width}.")
    bad = [v for v in wanted if not (v.isdecimal() and 1 <= int(v) <= width)]
    if bad:
        raise InputError(f"{WHO}: '{path.name}' has no column '{bad[0]}'. Pass value= a number in 1..{width}.")
    return [(v, table[:, int(v) - 1]) for v in wanted]


def _symbolized(pieces: list[Piece], window: int, alphabet: int, way: str, ddof: int) -> SymbolSeries:
    from sequester.primitives.symbolize import GAP, symbolize

    series, persons = [], []
    for person, values in pieces:
        codes = symbolize(values, window=window, n_symbols=alphabet, way=way, ddof=ddof)
        for part in _unbroken(codes, codes == GAP):
            series.append(part)
            persons.append(person)
    return _series(series, persons, tuple(str(i + 1) for i in range(alphabet)))


def _joined(pieces: list[Piece], given: tuple[str, ...]) -> SymbolSeries:
    found = {x for _, values in pieces for x in values if x is not None}
    if given and found - set(given):
        raise InputError(
            f"{WHO}: {len(found - set(given))} of {len(found)} symbols in the data are not among the "
            f"{len(given)} given with --symbols."
        )
    whole = all(x.lstrip("-").isdecimal() for x in found)
    names = given or tuple(sorted(found, key=(lambda x: (int(x), x)) if whole else str))
    if len(names) > 65535:
        raise InputError(f"{WHO}: {len(names)} distinct symbols; at most 65535 fit. Is this really a symbol column?")
    codes = {x: i for i, x in enumerate(names)}
    series, persons = [], []
    for person, values in pieces:
        numbers = np.array([-1 if x is None else codes[x] for x in values], dtype=np.int64)
        for part in _unbroken(numbers, numbers < 0):
            series.append(part)
            persons.append(person)
    return _series(series, persons, names)


def _unbroken(codes: np.ndarray, gap: np.ndarray) -> list[np.ndarray]:
    """Stretches between gaps; an empty series stays one, so that its person is not lost."""
    if not gap.any():
        return [codes]
    edges = np.flatnonzero(np.diff(np.concatenate(([True], gap, [True])).astype(np.int8)))
    return [codes[a:b] for a, b in zip(edges[::2], edges[1::2])] or [codes[:0]]


def _series(series: list[np.ndarray], persons: list[str], alphabet: tuple[str, ...]) -> SymbolSeries:
    return SymbolSeries(
        symbols=np.concatenate(series) if series else np.empty(0, dtype=np.uint16),
        offsets=np.concatenate(([0], np.cumsum([len(s) for s in series]))),
        alphabet=alphabet or ("1",),
        persons=np.array(persons, dtype=object),
    )
