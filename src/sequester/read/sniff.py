"""How a text file is written: its encoding, what sets cells apart, where the names stand, units, decimal commas.

Everything here is a guess on the first bytes of a file. Readers use none of it: they do what was declared.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from sequester.read.encodings import CONTROL, NO_TEXT, guessed
from sequester.read.headers import counts_up, reads_as_number, unique_names

BLANKS = "blanks"
RAGGED = 0.4
"""Share of rows as wide as a first line of names that is enough."""
LONGEST_HEADING = 40
"""Letters of a name in such a line."""
LOOK_AHEAD = 20
"""Lines behind a first line that must have its width."""
LONGEST_NAME = 80
"""A longer first cell is a text of somebody, not a name."""
LEAST_SYMBOLS, MOST_SYMBOLS, LONGEST_SYMBOL = 60, 30, 12
"""Lines of one short word each, of so few kinds, are symbols and no prose."""
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
DECIMAL_POINT = re.compile(r"[-+]?\d+\.\d+")
CELL = re.compile(
    r"[-+]?(\d+([.,]\d+)?|\.\d+)([eE][-+]?\d+)?"
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}.*|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*|\d{1,3}:\d\d(:\d\d)?( ?[AaPp][Mm])?"
    r"|NaN|nan|NA|null|NULL|true|false|TRUE|FALSE"
    r"|[A-Za-z]*\d{9,}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}"
)
"""A number, a date, a clock, or somebody's long number."""
TIME_NAME = re.compile(r"\d{1,2}:\d\d(:\d\d)?|\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,6}")


@dataclass(frozen=True)
class Written:
    """A text table as it is written, and its cells."""

    encoding: str
    delimiter: str
    skip_lines: int
    """Lines before the names of the columns."""
    header: bool
    units: tuple[str, ...]
    """The row of units below the names; empty where there is none."""
    decimal_comma: bool
    names: tuple[str, ...]
    rows: list[list[str]]
    before: tuple[str, ...] = ()
    """The lines that are skipped: what a device says about itself."""
    odd_rows: int = 0
    """Rows of another width: summaries, and what was cut off."""


def decoded(raw: bytes) -> tuple[str, str] | None:
    """The text of some bytes and the encoding: by its mark, as UTF-8, else a national one; None for what is no text."""
    for mark, name in (
        (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"),
    ):  # fmt: skip
        if raw.startswith(mark):
            text = raw[: len(raw) // 2 * 2].decode("utf-16", "ignore") if name == "utf-16" else raw[3:].decode(
                "utf-8", "ignore"
            )  # fmt: skip
            return text, name
    head = raw[:20_000]
    zeros = [i for i, byte in enumerate(head) if not byte]
    if 3 * len(zeros) >= len(head) > 3:
        name = "utf-16-le" if zeros[0] % 2 else "utf-16-be"
        return raw[: len(raw) // 2 * 2].decode(name, "ignore"), name
    if 100 * sum(byte in CONTROL for byte in head) > len(head):
        return None
    for cut in range(4):  # the sample may end inside a letter
        try:
            return raw[: len(raw) - cut].decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            pass
    lines = raw[: raw.rfind(b"\n") + 1 or len(raw)]
    name = guessed(lines) or "utf-8"
    return None if name == NO_TEXT else (lines.decode(name, "replace"), name)


def table_of(text: str, encoding: str, *, rows: int, whole: bool) -> Written | None:
    """The table in a text, or None where it is prose; `whole`: the last line is not cut off."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not whole and len(lines) > 1:
        lines = lines[:-1]
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return None
    found = _split(lines[: rows + 400])
    if found is None:
        return None
    delimiter, records, usual = found
    first = 0 if usual == 1 else _after_blanks(records, _first_row(records, usual))
    start = _numbers_begin(records) if usual == 1 else _second_header(records, first, usual)
    start = max(start, _device_says(records))
    body = [cells for _, cells in records[start:] if len(cells) == usual]
    header = has_header(body)
    data = body[1:] if header else body
    names = unique_names(body[0]) if header else tuple(str(i + 1) for i in range(usual))
    units: tuple[str, ...] = ()
    if header and _are_units(data):
        units, data = tuple(c.strip() for c in data[0]), data[1:]
    if header:
        data = [row for row in data if row != body[0]]
    skipped = records[start][0]
    return Written(
        encoding=encoding, delimiter=delimiter, skip_lines=skipped, header=header, units=units,
        decimal_comma=_decimal_comma(data, delimiter), names=names, rows=data[:rows],
        before=tuple(lines[:skipped]), odd_rows=len(records) - start - len(body),
    )  # fmt: skip


def _split(lines: list[str]) -> tuple[str, list[tuple[int, list[str]]], int] | None:
    """What sets cells apart, the records with the number of lines before each, and their usual width."""
    best: tuple[float, str, list[tuple[int, list[str]]], int] | None = None
    for delimiter in ",;\t|":
        if not any(delimiter in line for line in lines[:500]):
            continue
        records = _records(lines, delimiter)
        widths = Counter(len(cells) for _, cells in records if cells != [""])
        usual, n = max(widths.items(), key=lambda w: (w[1] * (w[0] > 1), w[0]), default=(1, 0))
        share = n / max(1, len(records))
        named = len(records[0][1]) == usual > 2 and all(0 < len(c) < LONGEST_HEADING for c in records[0][1])
        if (
            usual > 1
            and share > (RAGGED if named else 0.5)
            and (best is None or share * min(usual, 12) > best[0])
            and _is_table(records, usual)
        ):
            best = (share * min(usual, 12), delimiter, records, usual)
    if best is not None:
        return best[1], best[2], best[3]
    cells = [(i, line.split()) for i, line in enumerate(lines) if line.strip()]
    widths = Counter(len(c) for _, c in cells)
    usual, n = widths.most_common(1)[0] if widths else (0, 0)
    numeric = sum(reads_as_number(c) or CELL.fullmatch(c) is not None for _, row in cells[-200:] for c in row)
    if usual == 1 and n > 0.95 * len(cells) > LEAST_SYMBOLS:  # a symbol per line, such as the stages of a night
        kinds = {row[0] for _, row in cells}
        if len(kinds) <= MOST_SYMBOLS and max(map(len, kinds)) <= LONGEST_SYMBOL:
            return ",", cells, 1
    if n > 0.8 * len(cells) and numeric >= 0.5 * sum(len(row) for _, row in cells[-200:]) and (usual == 1 or n > 2):
        return (BLANKS if usual > 1 else ","), cells, usual
    return None


def _records(lines: list[str], delimiter: str) -> list[tuple[int, list[str]]]:
    out: list[tuple[int, list[str]]] = []
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    before = 0
    try:
        for cells in reader:
            if cells:
                out.append((before, [c.strip() for c in cells]))
            before = reader.line_num
    except csv.Error:
        pass
    return out


def _is_table(records: list[tuple[int, list[str]]], usual: int) -> bool:
    """Whether rows of this width are a table, not sentences with as many commas."""
    rows = [cells for _, cells in records if len(cells) == usual][:200]
    if usual > 2 or len(rows) > 30:
        long = sum(len(c) > 200 for row in rows for c in row) if usual < 3 else 0
        return long < len(rows) or any(c.startswith('"') for c in rows[0])
    prose = sum(c.count(" ") > 2 for row in rows for c in row)
    return prose < 0.5 * usual * len(rows) or len(rows) < 3


def _first_row(records: list[tuple[int, list[str]]], usual: int) -> int:
    """The first record of the usual width behind which most others have it too."""
    if 2 * sum(len(cells) == usual for _, cells in records) <= len(records):
        return 0  # rows of many widths below a line of names, which decides
    for i, (_, cells) in enumerate(records):
        ahead = records[i + 1 : i + 1 + LOOK_AHEAD]
        if len(cells) == usual and sum(len(c) == usual for _, c in ahead) >= 0.8 * len(ahead):
            filled = sum(bool(c) for c in cells)
            if 2 * filled >= min(usual, 6) or i > 30:  # a title with trailing separators is no row of names
                return i
    return next(i for i, (_, cells) in enumerate(records) if len(cells) == usual)


def _numbers_begin(records: list[tuple[int, list[str]]]) -> int:
    """Where a column of numbers begins: several lines of words before it say whose it is, one is its name."""
    words = [i for i, (_, cells) in enumerate(records) if not reads_as_number(cells[0])]
    return words[-1] + 1 if 1 < len(words) < LOOK_AHEAD and words[-1] < 2 * LOOK_AHEAD < len(records) else 0


def _device_says(records: list[tuple[int, list[str]]]) -> int:
    """The first record behind what a device says about itself: `Sample rate:` or `Range=` is no name of a column."""
    says = (re.fullmatch(r"\w.*[a-zäöüß)] ?[:=]", cells[0]) for _, cells in records[: 2 * LOOK_AHEAD])
    return max((i + 1 for i, found in enumerate(says) if found), default=0)


def _after_blanks(records: list[tuple[int, list[str]]], start: int) -> int:
    """Where the names stand if rows of empty cells part tables, as a spreadsheet saves them: above the longest."""
    ends = [start - 1, *(i for i, (_, cells) in enumerate(records) if i >= start and not any(cells)), len(records)]
    begin, end = max(pairwise(ends), key=lambda e: e[1] - e[0])
    if 2 * (end - begin) <= len(records) or begin < start:
        return start
    above = [i for i in range(start, begin) if any(records[i][1])][-1:]
    names = [i for i in (begin + 1, *above) if not any(CELL.fullmatch(c) for c in records[i][1])]
    return names[0] if names else start


def _second_header(records: list[tuple[int, list[str]]], start: int, usual: int) -> int:
    """Where the names stand if what comes first is a small table about the recording, as wide as the data by chance."""
    near = [i for i in range(start, min(start + LOOK_AHEAD, len(records))) if len(records[i][1]) == usual]
    for i in near[2:]:
        names, below = records[i][1], [c for _, c in records[i + 1 : i + 1 + LOOK_AHEAD] if len(c) == usual]
        said = [c for c in names if c]
        if len(below) < 10 or 3 * len(said) < 2 * usual or len(set(said)) < len(said) or names == records[start][1]:
            continue
        full = [[c for c in column if c] for column in zip(*below, strict=True)]
        numeric = [bool(c) and sum(CELL.fullmatch(x) is not None for x in c) > 0.9 * len(c) for c in full]
        if 2 * sum(numeric) >= sum(map(bool, full)) and not any(CELL.fullmatch(c) for c in said):
            return i
    return start


def has_header(body: list[list[str]]) -> bool:
    """Whether the first row names the columns: it is unlike the rows below it."""
    first, below = body[0], body[1:200]
    if len({c for c in first if c}) > 2 and not any(CELL.fullmatch(c) for c in first):
        below = [row for row in below if row != first]  # tables put below each other repeat their names
    if any(len(c) > LONGEST_NAME and " " in c for c in first):
        return False
    cell_like = [c for i, c in enumerate(first) if CELL.fullmatch(c) and _like_below(c, [r[i] for r in below if r[i]])]
    named_by_time = [c for c in cell_like if TIME_NAME.fullmatch(c)]
    if cell_like and 4 * len(cell_like) >= len(first):
        clocks = all(re.fullmatch(r"\d{1,2}:\d\d(:\d\d)?", c) for c in cell_like)
        rising = len(named_by_time) == len(cell_like) > 1 and (clocks or counts_up(cell_like) or _dates_rise(cell_like))
        own = len(set(cell_like)) == len(cell_like)
        if not (rising and own):
            return False
    if not below:
        return not cell_like
    if len(first) == 1:
        return not CELL.fullmatch(first[0]) and not any(row[0] == first[0] for row in below)
    again = sum(bool(c) and any(row[i] == c for row in below) for i, c in enumerate(first))
    words = sum(bool(c) for c in first)
    return 2 * again < max(words, 1) or (len({*first}) == len(first) and again <= 1)


def _like_below(cell: str, below: list[str]) -> bool:
    """Whether cells of a column are written as its first one; `4080-0.0` above numbers is a name."""
    plain = reads_as_number(cell)
    return plain or not below or sum(reads_as_number(c) for c in below) < 0.9 * len(below)


def _dates_rise(names: list[str]) -> bool:
    """Dates as names, a column per day, in whatever order of day and month."""
    return all(re.fullmatch(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}", n) for n in names) and len(names) > 3


def _are_units(data: list[list[str]]) -> bool:
    """Whether the row below the names holds units: words where all others have numbers."""
    if len(data) < 4:
        return False
    first, others = data[0], data[1:30]
    numeric = [
        i for i in range(len(first))
        if sum(CELL.fullmatch(r[i]) is not None for r in others if r[i]) > 0.8 * sum(bool(r[i]) for r in others) > 0
    ]  # fmt: skip
    words = [i for i in numeric if first[i] and not CELL.fullmatch(first[i]) and len(first[i]) < 24]
    return bool(numeric) and 2 * len(words) >= len(numeric) and len(words) > 0 and not any(
        CELL.fullmatch(first[i]) for i in numeric if first[i]
    )  # fmt: skip


def _decimal_comma(data: list[list[str]], delimiter: str) -> bool:
    commas = points = 0
    for row in data[:400]:
        for cell in row:
            commas += DECIMAL_COMMA.fullmatch(cell) is not None
            points += DECIMAL_POINT.fullmatch(cell) is not None
    return commas > 5 * points and commas > 3
