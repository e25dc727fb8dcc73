"""Is it a log of events? Who, when, what happened; also long tables of a parameter and its value."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from sequester.read.column_facts import Column
from sequester.read.people import PERIOD, STAFF, means_person, perhaps_person, words_of
from sequester.read.recognise_series import SCALES
from sequester.read.view import BEGINS, ENDS, Candidate, View, clock_like

HAPPENED = re.compile(r"^activity$|^event$|concept:name$", re.I)
"""Names that say what happened, even where it is one thing per person."""
WHAT = re.compile(
    r"^event$|^(event|task|step)[ _]?name$|^state$|a[ck]tivit\w*[ _]?(name|type)?$|^attivit|^actividad|^evento"
    r"|^événement|ereignis|ma(ß|ss)nahme|verrichting|handeling|leistung|^acto\b|^acte\b|^prestation|^procedim"
    r"|encounter[ _]?class|^item|^param|^variable|^drug|^medic|^vaccin|^médic|spec_type|event[ _]?type|^action|^stage"
    r"|^stade|^test_?name|^analy|^label$|^procedure|^prozedur|^diagn|^description|concept_id$|itemid|icd|cpt|hcpcs"
    r"|^ndc|^atc|_code$|^code$|dgns|^symptom|^status$|^estado$|^statut$|^stato$|検査項目|病名|イベント",
    re.I,
)
"""Names of what was done, found, given or measured."""
WHERE = re.compile(
    r"^ward|^station|^location$|^department|careunit|^service|abteilung|unité|^reparto|^servicio|^afdeling|ubicaci",
    re.I,
)
"""Names of places: where somebody was says less than what was done, if both are known."""
GOOD = re.compile(
    r"activity|event|state|description|item|drug|ward|station|class|type|parameter|concept|code|service|procedure"
    r"|name|route|stage|category|care|unit|diag|treat|action|phase|medic|specimen",
    re.I,
)
NOT_STATE = re.compile(
    r"(^|[_ :])(u?u?id|uuid|guid|resource|provider|organi[sz]ation|payer|uom|units?|lifecycle|flag|error"
    r"|system|sex|gender|race|ethnicity|ethnic|religion|language|marital|insurance|warning|stopped|user|doctor|physician"
    r"|clinician|nurse|staff|producer|group|version|comment|notes?|hour|weekday|address|zip|city|cost|price|amount|dose"
    r"|value|valuenum|result|transition|dbsource|reason)($|[_ :])|valueuom|lifecycle|org:|(?<!e)id$",
    re.I,
)
UNIT = re.compile(r"^((nursing|care|hospital|inpatient|org\w*)[ _]?)?unit$", re.I)
"""Names of a ward, unless something was measured in it."""
COUNTS_OFF = re.compile(r"[ _](no|nr|num|number)\.?$", re.I)
"""Names of numbers of beds, rooms and visits: states only where nothing else is one."""
NUMBERED = r"(item|concept|variable|param\w*|test|measure|observation)_?id$"
CODES = re.compile(
    rf"{NUMBERED}|code|icd|cpt|dgns|hcpcs|ndc|atc|drg|dx\d*$|state|stage|activity|ward|zone|\bcid\d*|\bcie\d*|co?d$",
    re.I,
)
PARAMETER = re.compile(
    r"^param|^lab[ _]?(test|name|item)|^exam|^prueba|^esame|^untersuch|^messgr|^item|^variable|^analy|^label$"
    r"|test_?(name|cd)?$|^measure|^vital|component|^code$|concept|^bezeichnung$|^question|^frage|検査項目",
    re.I,
)
AMOUNT = re.compile(
    r"value|\bval\b|answer|response|antwort|result|amount|wert|ergebnis|valor|valeur|résultat|waarde|uitslag|orres|検査値|結果",
    re.I,
)
"""Names of how much was measured, beside a parameter."""
COUNTED = re.compile(
    r"^(new_?|total_?|cumulative_?|daily_?|weekly_?)?(cases|deaths|tests|hospitali[sz]ations|vaccin\w*|population|confirmed|recovered)"
    r"|^n_|_per_(100k|million|capita)|incidence|^rate_|prevalence",
    re.I,
)
"""Counts of places and weeks, which are nobody's."""
LIFECYCLE = frozenset(
    ("start", "complete", "schedule", "assign", "suspend", "resume", "abort", "withdraw", "end", "finish")
)
"""Words of a column that says how far something is, not what it is."""
MOST_STATES = 2000
CODED = re.compile(r"(id|code|nr|no)$", re.I)
MOST_CODES = 500
SHARED = 3
CODE_WORDS = (["id"], ["code"], ["cd"], ["nr"], ["no"])
"""Names of numbers that stand for a parameter if they decide how large its values are; how many may be, and people who
have one in common."""


def state_columns(view: View) -> list[Column]:
    """Columns that could say what happened, likeliest first: not who, not one thing per person, not an identifier."""
    out = []
    place = {c.name: i for i, c in enumerate(view.table.columns)}
    measured = any(c.is_number and AMOUNT.search(c.name) for c in view.free)
    for c in view.free:
        coded = CODES.search(c.name) is not None and c.whole
        code_like = CODES.search(c.name) is not None
        what = WHAT.search(c.name) is not None or WHERE.search(c.name) is not None
        most = max(40, (0.4 if code_like or what else 0.3) * view.table.n)
        if (
            (c.is_number and not coded) or c.form or not 2 <= c.distinct <= min(most, MOST_STATES) or c.filled < 0.4
            or c.unnamed or c.counter or (c.identifier and not code_like) or c.words > 12 or c.length > 120
            or clock_like(c)
            or means_person(c.name) or (perhaps_person(c.name) is not None and not what and c.name.lower() != "name")
            or (NOT_STATE.search(c.name) and not re.search(rf"concept:name|^state$|{NUMBERED}", c.name, re.I)
                and not (UNIT.search(c.name) and not measured))
            or any(t[:1] in "[{" for t in c.full[:5])
            or {t.lower() for t in c.full} <= LIFECYCLE
            or all(PERIOD.fullmatch(t) and not t.isdigit() for t in c.full[:50])
        ):  # fmt: skip
            continue
        if view.rows_each > 1.5 and view.changes(c) < 0.05 and not HAPPENED.search(c.name):
            continue  # said once about a person: beside the events, not one of them
        out.append(c)
    return sorted(out, key=lambda c: (
        next((i for i, names in enumerate((HAPPENED, WHAT, WHERE, GOOD)) if names.search(c.name)), 4),
        COUNTS_OFF.search(c.name) is not None, c.filled < 0.8, c.is_number, c.distinct > 500, place[c.name],
    ))  # fmt: skip


def parameters(view: View) -> list[Column]:
    """Columns that say what was measured where another says how much: by name, or because it decides the scale."""
    amounts = [c for c in view.free if AMOUNT.search(c.name)]
    found = [c for c in state_columns(view) if not c.identifier and not c.constant] if amounts else []
    found = [c for c in found if c.distinct > 3 or PARAMETER.search(c.name)]
    named = [c for c in found if PARAMETER.search(c.name)]
    numbered = [
        c for c in view.free if c not in found and c.whole and CODED.search(c.name) and 1 < c.distinct <= MOST_CODES
    ]
    return named or [
        c for c in (*found, *numbered)
        if any(v is not c and v.is_number and _scales(c, v) > SCALES**2 for v in amounts)
        or (c in numbered and _tells_moments_apart(view, c))
    ]  # fmt: skip


def shared_codes(view: View) -> list[Column]:
    """Numbers of things that most people share, such as products, where nothing else says what happened."""
    out = []
    for c in view.free:
        coded = words_of(c.name)[-1:] in CODE_WORDS and not c.form and not STAFF.search(c.name)
        if coded and c.filled > 0.9 and 2 <= c.distinct <= 0.2 * view.table.n and view.changes(c) > 0.5:
            pairs = len({*zip(view.owner.tolist(), c.cells, strict=True)})
            out += [c] * (pairs >= SHARED * c.distinct)
    return out


def _tells_moments_apart(view: View, code: Column) -> bool:
    """Whether most rows share person and time with others and only a code tells them apart."""
    if view.at is None:
        return False
    moments = np.unique(np.c_[view.owner, np.nan_to_num(view.at)], axis=0, return_inverse=True)[1].ravel()
    rows = len(np.unique(np.c_[moments, np.nan_to_num(code.values)], axis=0))
    return 2 * (moments.max() + 1) < len(moments) and rows > 0.95 * len(moments)


def _scales(what: Column, value: Column) -> float:
    """How many times larger the values of one word are than those of another."""
    words, there = np.array(what.cells), ~np.isnan(value.values)
    sizes = [np.abs(value.values[(words == w) & there]) for w in {*what.full[:200]}]
    known = [m for s in sizes if len(s) and (m := np.median(s)) > 0]
    return float(max(known) / min(known)) if known else 0.0


def recognise(view: View) -> Iterable[Candidate]:
    """Rows of who, when and what."""
    if not view.who.role or view.once_each():
        return
    said = parameters(view)
    states = [*said, *(c for c in state_columns(view) if c not in said)] or shared_codes(view)
    if not states or view.rows_each < 1.05 or any(c.is_number and COUNTED.search(c.name) for c in view.free):
        return
    state = states[0]
    roles = {"person": view.who.role, **view.time_roles, "state": state.name}
    if view.at is None:
        if (len(states) > 3 and not WHAT.search(state.name)) or view.rows_each < 2:
            return
        roles["time-unit"] = "order"
        score, why = 0.4, "Who and what, in the order of the rows."
    else:
        form = roles.get("time-format", "")
        whole_days = bool(view.when and view.clock is None and view.when.date_only)
        roles["time-unit"] = "order" if form == "number" else "day" if whole_days or form == "days" else "second"
        score, why = 0.7, "Who, when, what: a column of times and one of names."
    out = Candidate("events", score, why, roles, {"state": [c.name for c in states if c is not state][:40]})
    out.alternatives["time"] = [c.name for c in view.whens if c.name not in (roles.get("time"), roles.get("clock"))]
    out.choose = [q for q in (view.who.question, *view.asked_about_times) if q]
    ends = [c for c in view.whens if ENDS.search(c.name)]
    if ends and view.when is not None and BEGINS.search(view.when.name):
        gap = ends[0].seconds - view.when.seconds
        if len(gap) and np.nanmedian(gap) > 0:
            out.lines.append(f"'{ends[0].name}' says when each ended; an event is its beginning")
    if view.who.role and view.spans.size and np.max(view.spans[:, 1] - view.spans[:, 0]) == 0:
        out.score = 0.3
    yield out
