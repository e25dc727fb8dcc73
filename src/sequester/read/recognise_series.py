"""Is it a series per person? A row each, and columns that are one quantity at several times: one family, one scale."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from sequester.errors import counted
from sequester.read.column_facts import Column
from sequester.read.headers import shown_names
from sequester.read.people import PLACES, means_person, perhaps_person
from sequester.read.quantity import Quantity, quantity_of, unit_of
from sequester.read.view import Candidate, View, is_elapsed

LEAST_TIMES = 3
SCALES = 5.0
"""Largest factor between the scales of columns that are one quantity."""
ANSWERS = 11
"""Whole numbers of at most so many kinds are rather answers to questions than measurements."""
LEAST_TOGETHER, MOST_TIMES, MOST_VALUES = 0.8, 60, 9
"""Share of numbered times that people must have, how many, and quantities beside each other; more rows are a signal."""
SHARED_TIMES = re.compile(r"ages?|alter|years?|jahr|année|año|anno|periods?|occasions?|rounds?", re.I)
"""Names of columns that are times only where all people have the same: an age elsewhere is a person's."""
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
TIMELY_STEM = re.compile(
    r"(^|[^a-z])(t|time|h|hr|hour|d|day|w|wk|week|m|mo|month|v|visit|wave|min|minute|s|sec|y|yr|year|tp|baseline|x|att|q"
    r"|tag|woche|monat|jahr|besuch|messung|jour|semaine|mois|année|visite|día|dia|semana|mes|visita|giorno|mese|dag"
    r"|uke|maand|vecka)[^a-z]*#$",
    re.I,
)
QUESTION = re.compile(
    r"(^|[^a-z])(q|item|question|phq|gad|sf|eq|bdi|answer|likert|score|v|var|vari?able)[^a-z]*#", re.I
)


ACCESSION = re.compile(r"[A-Za-z_.-](?!(19|20)\d{6}\b)\d{5,}")
"""Numbers in names that tell samples or people, not times."""


def family_of(name: str) -> str | None:
    """What columns of one quantity over time have in common in their names: `hr_#`, `clock`, `date`, `number`."""
    plain = name.strip()
    if re.fullmatch(r"\d{1,2}:\d\d(:\d\d)?|\d{1,2} ?[hH]", plain):
        return "clock"
    if re.fullmatch(r"\d+(\.\d+)?", plain):
        return "number"
    if re.fullmatch(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}", plain):
        return "date"
    if plain[:3].lower() in DAYS and (len(plain) == 3 or plain.lower().endswith("day")):
        return "weekday"
    if plain[:3].lower() in MONTHS and (len(plain) == 3 or len(plain) > 4):
        return "month"
    found = re.fullmatch(r"(.*?)(\d+)(\D{0,4})", plain)
    return f"{found[1]}#{found[3]}" if found and (found[1] or found[3]) else None


def _stems(name: str) -> list[str]:
    """`family_of` a name, and what it is if another number in it counts: `4080-#.0` of `4080-0.0`."""
    last = family_of(name)
    if last is None or "#" not in last:
        return [last] if last else []
    return [last, *(f"{name[: m.start()]}#{name[m.end() :]}" for m in re.finditer(r"\d+", name.strip()))]


def families(columns: Sequence[Column]) -> list[tuple[str, list[Column]]]:
    """Columns of numbers that are one quantity by name and scale, the largest family first."""
    groups: dict[str, list[Column]] = {}
    numeric = [c for c in columns if c.is_number]
    often = Counter(s for c in numeric for s in _stems(c.name))
    for c in numeric:
        if stems := _stems(c.name):  # of several numbers in a name, the one that counts
            groups.setdefault(max(stems, key=lambda s: often[s]), []).append(c)
    found = [
        (s, cs) for s, cs in groups.items()
        if len(cs) >= LEAST_TIMES and not all(c.constant for c in cs)
        and one_scale([c.numbers for c in cs]) and not _answers(s, cs)
    ]  # fmt: skip
    return sorted(found, key=lambda f: -len(f[1]))


def one_scale(columns: Sequence[np.ndarray]) -> bool:
    """Whether columns of numbers are of one size: what most of them spread over differs by a factor of five at most."""
    sizes = []
    for values in columns:
        if len(values):
            low, mid, high = np.quantile(values, (0.1, 0.5, 0.9))
            sizes.append(max(abs(mid), high - low, 1e-12))
    if len(sizes) < 2:
        return bool(sizes)
    return float(np.quantile(sizes, 0.9)) <= SCALES * float(np.quantile(sizes, 0.1))


def _answers(stem: str, columns: list[Column]) -> bool:
    """Whether a family is rather a questionnaire."""
    kinds = len({c for column in columns for c in column.full})
    few = kinds <= ANSWERS and all(c.whole for c in columns)
    if stem in ("clock", "date", "weekday", "month", "number"):
        return False
    if all(ACCESSION.search(c.name) for c in columns):
        return True
    return (few and not (TIMELY_STEM.search(stem) and not QUESTION.search(stem))) or bool(
        re.search(
            r"(^|[^a-z])(gsm|sample|gene|probe|snp|rs|icd|cpt|pc|dim|feature|var|cluster|topic)[^a-z]*#", stem, re.I
        )
    )


def recognise(view: View) -> Iterable[Candidate]:
    """A wide table of one quantity, a long one of numbered times, or a matrix of numbers without names."""
    table, who = view.table, view.who
    written = table.written
    if view.sample.n_files > 1:
        return
    yield from _long(view)
    if written is not None and not written.header and len(table.columns) >= 6:
        yield from _matrix(view)
        return
    keys = {who.role}
    rest = [c for c in table.columns if c.name not in keys and not (c.unnamed and c.counter)]
    found = families(rest)
    if not found or len(found[0][1]) < LEAST_TIMES:
        return
    columns = found[0][1]
    key = who.column
    words = [c for c in table.columns if not c.is_number and not c.form and c not in columns]
    if key is None or not view.once_each():
        first = table.columns[0]
        nobody = PLACES.search(first.name) or any(PLACES.search(c.name) for c in words)
        if nobody or view.when is not None or view.elapsed is not None or (key is not None and view.rows_each > 1.1):
            return
        named = first not in columns and first.distinct > 0.9 * table.n and not first.unnamed
        if len(columns) < 6 and not named and len(columns) < len(table.columns):
            return
        role = first.name if named else "each"
        asked = "whose row is it? Name the column with ‹person=COLUMN›" + (
            "" if named else "; ‹person='each'› says that every row is another person"
        )
        score = 0.55
    elif PLACES.search(key.name):
        return
    else:
        role, asked = key.name, who.question
        score = 0.8 if len(columns) > 3 else 0.7
    if len(columns) < 4 and len(rest) > 3 * len(columns):
        return  # three columns alike among many others are no series
    q = quantity_of(columns[0]) or _named_elsewhere(view, columns)
    why = (
        f"{counted(len(columns), 'column')} of one quantity, a row per person: {columns[0].name} to {columns[-1].name}."
    )
    out = Candidate("series", score, why, {"person": role, "quasi": ",".join(c.name for c in columns)})
    if any("," in c.name for c in columns):
        del out.roles["quasi"]
    if q is not None:
        out.roles |= {"quantity": q.name}
    unit = unit_of(columns[0], None)
    if unit:
        out.roles["unit-of"] = unit
    out.choose = [asked] if asked else []
    if len(found) > 1:
        stems = ", ".join(s for s, _ in found[:6])
        out.choose.append(f"there are {len(found)} quantities ({stems}): one at a time is a series; ‹quasi=› chooses")
    left = [c.name for c in rest if c not in columns and c.name != role]
    if left:
        shown = ", ".join(left[:6]) + (f" and {len(left) - 6} more" if len(left) > 6 else "")
        out.choose.append(f"left out, because they are no times: {shown}. Is one of them ‹sensitive=›?")
    _gaps(out, _missing(columns))
    yield out


def _long(view: View) -> Iterable[Candidate]:
    """A row per person and time: the same numbered times, such as weeks or visits, for nearly everybody."""
    who = view.who.column
    if who is None or view.whens or view.rows_each < LEAST_TIMES:
        return
    n_people = len(np.unique(view.owner))
    numbered = [
        c for c in view.table.columns
        if c is not who and len(c.numbers) == view.table.n and (is_elapsed(c) or SHARED_TIMES.fullmatch(c.name))
    ]  # fmt: skip
    for time in numbered:
        moments = len(np.unique(np.c_[view.owner, time.values], axis=0))
        if moments < view.table.n or not LEAST_TIMES <= time.distinct <= min(
            MOST_TIMES, moments / n_people / LEAST_TOGETHER
        ):
            continue
        values = [
            c for c in view.free
            if c is not time and c.is_number and c.distinct > LEAST_TIMES and not c.ruled_out and view.changes(c) > 0.5
        ]  # fmt: skip
        if not 1 <= len(values) <= MOST_VALUES:
            return
        value = next((c for c in values if quantity_of(c) is not None), values[0])
        q = quantity_of(value)
        out = Candidate(
            "series", 0.8, f"A row per person and '{time.name}': {counted(time.distinct, 'time')} that people share.",
            {"person": who.name, "time": time.name, "value": value.name, **({"quantity": q.name} if q else {})},
            {"value": [c.name for c in values if c is not value]}, [view.who.question] * bool(view.who.question),
        )  # fmt: skip
        _gaps(out, 1 - len(value.numbers) / (n_people * time.distinct))
        yield out
        return


def _named_elsewhere(view: View, columns: list[Column]) -> Quantity | None:
    """The quantity that the name of the file gives away."""
    path = view.sample.path
    if path is None:
        return None
    return quantity_of(Column(path.stem, columns[0].cells, unit=columns[0].unit, comma=columns[0].comma))


def _gaps(out: Candidate, share: float) -> None:
    """Say that a share of the values is missing, if any is, and what becomes of it."""
    if share > 0:
        out.roles["missing"] = "drop"
        out.lines.append(f"{share:.1%} of the values are missing; records with gaps are left out unless filled")


def _missing(columns: list[Column]) -> float:
    cells = sum(len(c.cells) for c in columns)
    return 1 - sum(len(c.numbers) for c in columns) / max(1, cells)


def _matrix(view: View) -> Iterable[Candidate]:
    columns = view.table.columns
    numeric = [c for c in columns if c.is_number]
    if len(numeric) < len(columns) - 1 or view.table.n < 4:
        return
    first = columns[0]
    label = first.distinct <= 20 < columns[1].distinct or not first.is_number
    if not one_scale([c.numbers for c in numeric[int(label) :]]):
        return
    out = Candidate(
        "series", 0.7, f"{counted(len(columns), 'column')} of numbers without names, a row each.",
        {"person": "each", "no-header": ""},
        choose=["whose row is it? ‹person='each'› says that every row is another person"],
    )  # fmt: skip
    if label:
        out.roles["sensitive"] = "1"
        out.choose.append("column 1 has few values: a class, not a time")
    yield out


def unlike(names: Sequence[str], columns: Sequence[np.ndarray]) -> str:
    """Why columns of numbers are not one quantity at several times; nothing where they may be."""
    stems = {family_of(n) for n in names}
    if len(names) < 4 or (len(stems) == 1 and None not in stems):
        return ""
    who = [n for n in names if means_person(n) or perhaps_person(n) in (0, 1, 2, 3)]
    if who:
        return f"'{who[0]}' identifies somebody"
    common = Counter(stem for n in names for stem in _stems(n)).most_common(1)
    alike = [n for n in names if common and common[0][0] in _stems(n)]
    if 2 * len(alike) > len(names) > len(alike):
        other = next(n for n in names if n not in alike)
        return f"{shown_names([other])} is named unlike {shown_names(alike[:1])} and those like it"
    return "" if one_scale(columns) else "their scales differ, so they are different quantities"
