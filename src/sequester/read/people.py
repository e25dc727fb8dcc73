"""Who is a person: columns that say so by their names, in several languages, and those that may mean a visit or a case.

A name decides what is offered, never what is taken for true: `inspect` asks wherever it could be otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from sequester.errors import counted
from sequester.read.column_facts import BORN, NUMBERED, Column
from sequester.read.gather import FILE, FOLDER
from sequester.read.sample import Sample
from sequester.read.sample_tables import Table, read_table

STEMS = (
    "patient", "person", "subject", "particip", "proband", "member", "respondent", "beneficiar", "volunteer", "client",
    "resident", "student", "employee", "paziente", "paciente", "patiënt", "patientin", "versichert", "sujet", "sujeto",
    "soggetto", "deelnemer", "teilnehmer", "pseudonym", "user", "donor", "löpnr", "lopnr", "lopenr", "løbenr",
    "patnr", "patnum", "pasient", "pacjent", "potilas", "utente", "usuario", "assistit", "asegurad", "afiliad",
    "assuré", "bénéficiair", "beneficiár", "cliënt", "klient", "borger", "henkilö", "historia", "prontu",
)  # fmt: skip
"""How words begin that mean a person."""
INSIDE = re.compile(
    r"patient|proband|visit_?link|^id_?pac$|person(?!al|nel)|teilnehmer|versichert|患者|被験者|対象者|受診者|症例|受试者|病人|환자",
    re.I,
)
"""What means a person also within a longer word."""
STAFF = re.compile(
    r"entry|entered|staff|nurse|doctor|physician|provider|operator|perform|modif|creat|record(ed)? ?by|attending"
    r"|prescri|prscrbr|(?<![a-z])npi(?![a-z])|surgeon|erfass|pflege|arzt|login",
    re.I,
)
"""Words beside a person's that mean who wrote a row, not whom it is about."""
THING = re.compile(
    r"item|code|product|drug|concept|test|ward|event|order|bed|room|device|line|row|seq|lfd|station|site|sensor|store"
    r"|school|clinic|machine|vehicle|msg|message|error|alarm|log|\brun|\bjob|experiment|^geo|period|month|quarter|batch|lot\b|plate|article|artikel|artículo",
    re.I,
)
"""Names of what is nobody."""
PERIOD = re.compile(r"(19|20)\d\d([-/. ]?(Q[1-4]|[WKM]?\d{1,2}))?|(Q[1-4]|[A-Z][a-z]{2})[-/. ]?(19|20)?\d\d"
                    r"|\d{1,2}[-/.](19|20)\d\d", re.I)  # fmt: skip
"""A year, a quarter, a month or a week: such cells are times of nobody."""
DATED = re.compile(r"(19|20)\d\d([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])")
"""A date in the name of a file."""
NAME = re.compile(r"[ _]?name$", re.I)
FEW = 8
"""Fewer different cells are hardly the people of a table if another column has more."""
LONGEST_NAME = 5
"""Words of a name; a longer one is a question of a form."""
WEAK = re.compile(r"\buser|\buid|\bsid|member|client|player|account", re.I)
"""Words that mean a person only where no other column says patient."""
WORDS = frozenset((
    "pid", "mrn", "pat", "patid", "patno", "ptid", "pt", "subj", "subjid", "usubjid", "sid", "studyid", "uid", "seqn",
    "desynpuf", "bene", "nhs", "ssn", "rid", "eid", "hhidpn", "mergeid", "ppt", "vp", "vpn", "child", "mother", "twin",
    "upid", "uniquepid", "aufnr", "nric", "cpr", "chi", "player", "wearer", "nhc", "ipp", "nir", "bsn", "pesel",
    "pseudo", "enrolid", "enrolee", "enrollee", "hkid", "runner", "athlete", "rider", "swimmer", "driver", "worker",
    "pnr", "indi", "ikn", "phn", "nhi", "alf", "mbi", "hicno", "recip", "uhid", "cpf", "cip", "hetu", "shnro", "ppn",
))  # fmt: skip
"""Short words that mean a person."""
PERHAPS = {
    "id": 0, "object": 1, "case": 1, "caseid": 1, "fall": 1, "fallnummer": 1, "fallnr": 1, "fallid": 1, "trace": 1,
    "record": 2, "recordid": 2, "incident": 2, "episode": 3, "hadm": 3, "admission": 3, "admissionid": 3, "visit": 3,
    "visitid": 3, "encounter": 3, "stay": 4, "icustay": 4, "stayid": 4, "icustayid": 4, "hospitalization": 3,
    "session": 4, "sample": 5, "recording": 3, "series": 5, "account": 2, "claim": 4, "key": 4, "code": 6, "name": 5,
    "device": 5, "serial": 5, "sensor": 6, "ident": 1, "number": 6, "kennzeichen": 2, "falnr": 1, "author": 4,
}  # fmt: skip
"""Words that may mean a person or something a person has several of → how far from a person."""
NOT_WHO = re.compile(
    r"\bage\b|\bname|names?\b|initials|info|alter\b|insur|depart|class|type|status|sex\b|gender|zip|city|address|race|ethnic"
    r"|weight|height|education|count\b|group|unit\b|satisf|note|text|comment|birth|dob|language|marital|category|days"
    r"|score|portion|resp\b|bmi|disease|phone|mail|flag|position|location|ward|service|inpatient|outpatient|date|time"
    r"|\bcd\b|county",
    re.I,
)
VISIT = re.compile(r"stay|visit|encounter|admission|episode|hadm|sample|session|specimen", re.I)
PLACES = re.compile(
    r"gene|probe|protein|transcript|countr(y|ies)|region|province|county|\bcity|\bstate\b|district|species|variable|feature"
    r"|metabolite|\bfips\b|\biso|continent|symbol|\bsnp|taxon|\botu\b|field|question|hospital|provider|facility|year"
    r"|model|metric|parameter|location|measure",
    re.I,
)
"""What rows may be about where they are nobody's."""


@dataclass
class Who:
    """Whom rows belong to: a column, a file, a folder or nobody known, and what else it could be."""

    role: str = ""
    """As `--person` takes it; nothing where somebody has to say it."""
    others: list[str] = field(default_factory=list)
    question: str = ""
    sure: bool = False
    """Whether the name says a person, and nothing speaks against it."""
    column: Column | None = None


def words_of(name: str) -> list[str]:
    """The words of a name: `PatientID`, `patient_id` and `Patient ID` alike."""
    split = re.sub(r"([a-zäöü])([A-Z])", r"\1 \2", re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name))
    return [w for w in re.split(r"[^a-zäöüßéëèñç]+", split.lower()) if w]


def means_person(name: str) -> bool:
    """Whether a name says that a column tells people apart."""
    name = name.removeprefix("ocel:type:")  # a log of objects: each type of object has a column
    words = words_of(name)
    joined = "".join(words)
    if len(words) > LONGEST_NAME or name.startswith("ocel:"):
        return False
    found = joined in WORDS or any(w in WORDS or w.startswith(STEMS) for w in words) or bool(INSIDE.search(name))
    found = (
        found or words[:2] == ["study", "id"] or (words[-1:] != [] and words[-1].endswith("pid") and len(joined) < 12)
    )
    spoken = " ".join(words)
    return found and not NOT_WHO.search(spoken) and not BORN.search(spoken) and not STAFF.search(spoken)


def perhaps_person(name: str) -> int | None:
    """How far a name is from a person: a case may be one, a stay seldom; None where it says nothing of that sort."""
    words = words_of(name)
    if "".join(words) in PERHAPS:
        return PERHAPS["".join(words)]
    if words in (["case", "concept", "name"], ["case", "name"]):
        return 1
    rest = [w for w in words if w not in ("id", "no", "nr", "num", "number", "key", "code")]
    if len(rest) == 1 and rest[0] in PERHAPS and len(words) > 1:
        return PERHAPS[rest[0]]
    short = len(words) == 2 and words[1] == "id" and len(words[0]) <= 4 and not THING.search(words[0])
    return 1 if short else None


def in_blocks(column: Column) -> bool:
    """Whether a column is written like numbers of people: codes of one length that stand in blocks of rows each."""
    cells = column.full
    if len(cells) < 20 or column.counter or not 8 <= column.distinct <= 0.8 * len(cells) or NOT_WHO.search(column.name):
        return False
    if all(PERIOD.fullmatch(c) for c in cells[:50]):
        return False
    coded = [c for c in cells if any(ch.isdigit() for ch in c) and " " not in c and "." not in c]
    lengths = {len(c) for c in coded}
    blocks = 1 + sum(a != b for a, b in pairwise(column.cells))
    return len(coded) > 0.95 * len(cells) and max(lengths) - min(lengths) < 3 and blocks < 1.2 * column.distinct


def candidates(table: Table) -> tuple[list[Column], list[Column]]:
    """Columns that say who, and columns that perhaps do, likeliest first."""

    def usable(c: Column) -> bool:
        telling = not c.form and not c.unnamed and c.words < 3 and c.length < 60 and c.filled > 0.5
        return telling and (not len(c.numbers) or c.number < 0.5 or c.whole)

    named = [c for c in table.columns if means_person(c.name) and usable(c)]
    perhaps = [
        c for c in table.columns
        if c not in named and usable(c) and (far := perhaps_person(c.name)) is not None
        and (far < 5 or in_blocks(c) or c.distinct == table.n)
    ]  # fmt: skip
    if not named and not perhaps:  # `Participant name`, where every cell is a code
        perhaps = [c for c in table.columns if usable(c) and _named_by_codes(c)]
    if not named and not perhaps:
        nobody = re.compile(f"{PLACES.pattern}|{STAFF.pattern}|{THING.pattern}", re.I)
        rest = [c for c in table.columns if usable(c) and not nobody.search(c.name)]
        perhaps = [c for c in rest if in_blocks(c)] or [
            c for c in rest if NUMBERED.search(c.name) and not c.counter and 8 <= c.distinct <= 0.8 * table.n
        ]

    def rank(c: Column) -> tuple[bool, bool, bool, bool, int]:
        row_each = c.distinct > 0.95 * table.n > 20
        weak = WEAK.search(" ".join(words_of(c.name))) is not None
        return row_each, c.distinct < FEW, weak, VISIT.search(c.name) is not None, c.distinct

    named.sort(key=rank)
    perhaps.sort(key=lambda c: (c.distinct <= 1, c.distinct > 0.95 * table.n > 20, perhaps_person(c.name), -c.filled))
    return named, perhaps


def _named_by_codes(column: Column) -> bool:
    """Whether a column is called a person's name but holds numbers of people, as programs of laboratories write."""
    bare = NAME.sub("", column.name)
    return bare != column.name and means_person(bare) and all(any(ch.isdigit() for ch in c) for c in column.full)


def who_is_it(sample: Sample) -> Who:
    """Whom the rows of a sample belong to."""
    assert sample.table is not None
    table = sample.table
    named, perhaps = candidates(table)
    several = [c for c in named if c.distinct > 1]
    if sample.n_files > 1 and not several:
        return _by_place(sample, [c for c in perhaps if c.distinct > 1])
    if not named and not [c for c in perhaps if c.distinct > 1 and (not c.counter or _once_each(c, table))]:
        return Who(question="whose row is it? Name the column with ‹person=COLUMN›")
    pool = several or named or [c for c in perhaps if c.distinct > 1]
    best = pool[0]
    others = [c.name for c in (*several, *perhaps) if c is not best and c.distinct > 1]
    weak = WEAK.search(" ".join(words_of(best.name))) and _once_each(best, table)
    sure = best in named and not VISIT.search(best.name) and not weak
    asked = "" if sure and not others else (
        f"is '{best.name}' a person, or only a visit, a case or a row? ‹person=› names people"
    )  # fmt: skip
    return Who(best.name, others, asked, sure, best)


def _once_each(column: Column, table: Table) -> bool:
    return column.distinct == table.n and not column.unnamed


def _by_place(sample: Sample, perhaps: list[Column]) -> Who:
    """Files or folders as people: the custodian has to say so."""
    n, folders = sample.n_files, sample.folders
    per_folder = n / max(1, len(folders))
    stems = {p.name for p in sample.main}
    alike = len(folders) > 1 and len(stems) <= per_folder + 1  # every folder has files of the same names
    dated = _called_by_dates([p.stem for p in sample.main])
    by_folder = len(folders) > 1 and (alike or dated or (len(folders) >= 8 and per_folder > 1.2 and all(
        any(ch.isdigit() for ch in f) for f in folders
    )))  # fmt: skip
    inside = f" in {counted(len(folders), 'folder')}" if folders else ""
    what = f"{counted(n, 'file')}{inside}"
    others = [FILE if by_folder else FOLDER] if folders else []
    role = FOLDER if by_folder else FILE
    asked = (
        f"is each {role} a person? There are {what}. ‹person=› may name {' or '.join(['a column', *others])} instead"
    )
    if not by_folder:
        asked += "; files of one person need ‹people='MAP.csv'›, a table of file and person"
    return Who(role, [*others, *(c.name for c in perhaps)], asked)


def days_of_one(sample: Sample) -> str:
    """Why files are not people: they are days; nothing where they may be people."""
    return (
        "the files are called by dates, as the days of one person are, and one person alone cannot be hidden: put each "
        "person's files into a folder of their own"
    ) if _called_by_dates([p.stem for p in sample.main]) else ""  # fmt: skip


def _called_by_dates(stems: list[str]) -> bool:
    """Whether files differ in their dates alone: they are days, not people."""
    rest = {DATED.sub("", s) for s in stems}
    return len(stems) > 1 and len(rest) == 1 and all(DATED.search(s) for s in stems)


def side_tables(sample: Sample, who: Who) -> tuple[list[tuple[Path, list[str]]], list[Path]]:
    """Tables beside the data with one row per person and the columns they offer, and files that are neither."""
    found: list[tuple[Path, list[str]]] = []
    rest: list[Path] = []
    assert sample.table is not None
    known = set(who.column.full) if who.column is not None else set()
    if who.role == FILE:
        known = {p.stem for p in sample.main}
    elif who.role == FOLDER:
        known = set(sample.folders)
    for group in sample.others[:20]:
        table = None
        if len(group) == 1 and group[0].suffix.lower() in (".csv", ".tsv", ".txt", ".xlsx"):
            table = read_table(group[0], None, None, 1 << 20)
        keys = [c for c in (table.columns if table else []) if c.distinct == len(c.full) == table.n]  # type: ignore[union-attr]
        key = next((c for c in keys if known and len(known & set(c.full)) >= 0.5 * min(len(known), c.distinct)), None)
        if table is not None and key is not None:
            found.append((group[0], [c.name for c in table.columns if c is not key and not c.ruled_out]))
        else:
            rest += group
    return found, rest
