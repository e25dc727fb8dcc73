"""What a board asks before it signs, answered from the bundle; for the custodian also from the account.

Nothing here is computed on the original. How many people there are is said as far as the release shows it: by its
rows, by a declared lower bound, or by a noisy count.

The privacy budget as one bar, its parts in words, small parts together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sequester.dp.ledger import Ledger
from sequester.languages import Name, said
from sequester.layouts import LAYOUTS
from sequester.lazy import load
from sequester.model import INVENTED
from sequester.pages.attacks import surest
from sequester.pages.page import Section
from sequester.pages.pictures import measured
from sequester.pages.svg import COLOURS, GROUND, INK, LINE, SOFT, WIDE, broken, drawing, rect, text
from sequester.pages.words import count, percent
from sequester.query.bundle import Bundle
from sequester.release import Guarantee

TITLE = "What should a board know?"

SHOWN = 5
"""Earlier releases that are named; the folded table has all."""


def board_section(bundle: Bundle, evidence: Sequence[Mapping[str, Any]] | None = None) -> Section:
    """Whose data, what was done to it, the worst case, what it is good for, who answers for it."""
    where = LAYOUTS[bundle.layout].pictures
    found: Mapping[str, str] = load(f"{where}:board")(bundle) if where else {}
    card = bundle.manifest.get("publication", {})
    facts = [("Whose data", _people(bundle, found)), ("Quantity and unit", Name(measured(bundle)))]
    facts.append(("Period", found.get("period", "")))
    facts.append(("Dropped, merged or invented", _changed(bundle, found.get("changed", ""), evidence or ())))
    attacked = any(item.get("about") == "attack" for item in evidence or ())
    facts.append(("Worst case for one person", worst_case(bundle.guarantee, bundle.ledger, attacked=attacked)))
    facts.append(("May validly be computed", found.get("valid", "")))
    if evidence is not None:
        facts.append(("Earlier releases", _earlier(evidence)))
    for name, key in (("Responsible", "contact"), ("Licence", "licence"), ("Issued", "issued"), ("Expires", "expires")):
        missing = "not stated" if evidence is None else f"not stated; `--{key}` adds it"
        facts.append((name, Name(card[key]) if card.get(key) else missing))
    if card.get("version"):
        facts.append(("Version", Name(card["version"])))
    return Section(title=TITLE, facts=tuple((name, words) for name, words in facts if words))


def _changed(bundle: Bundle, words: str, evidence: Sequence[Mapping[str, Any]]) -> str:
    """What the layout says was done, and in numbers what was filled, merged, moved or rounded before that."""
    rows = [
        (str(f["name"]).removeprefix(INVENTED), f["value"]) for f in bundle.manifest.get("reading", ())
        if str(f["name"]).startswith(INVENTED)
    ]  # fmt: skip
    known = {name for name, _ in rows}
    rows += [(r["name"], r) for item in evidence for r in item.get("rows", {}).get("invented", ())
             if r["name"] not in known]  # fmt: skip
    if not rows:
        return words
    counts = "; ".join(f"{share(value)} {name}" for name, value in rows)
    return f"{words.removesuffix(NOTHING).rstrip()} " + f"In numbers: {counts}."


NOTHING = "Invented: nothing."


def share(value: Mapping[str, Any]) -> str:
    """How many of how many."""
    return f"{value['n']:,} of {value['of']:,} ({percent(value['n'] / max(1, value['of']))})"


def _people(bundle: Bundle, manifest: Mapping[str, str]) -> str:
    least = bundle.parameters.get("people_at_least")
    declared = f" The custodian declared at least {least:,} people." if isinstance(least, int) else ""
    return f"{manifest.get('people', '')}{declared}".strip()


def _earlier(evidence: Sequence[Mapping[str, Any]]) -> str:
    rows: list[dict[str, Any]] = next(
        (i["rows"]["in_the_account"] for i in evidence if i.get("rows", {}).get("in_the_account")), []
    )
    if not rows:
        return "None in this folder's account when this was made."
    shown = rows[-SHOWN:]
    names = ", ".join(f"{r['release']} ({r['published']}, {r['promise']})" for r in shown)
    last = f"; the last {SHOWN}" if len(rows) > SHOWN else ""
    return f"{count(len(rows), 'earlier release')} in this folder's account{last}: {names}."


def worst_case(promise: Guarantee, ledger: Ledger | None = None, *, attacked: bool = False) -> str:
    """The worst that the promise leaves open for one person; `attacked` if attacks stand beside it."""
    parameters = promise.parameters
    k = parameters.get("k")
    if promise.status == "proved" and "epsilon" in parameters:
        epsilon, delta = float(parameters["epsilon"]), float(parameters.get("delta") or 0.0)
        but = f", except in a failure of probability {delta:g}" if delta else ""
        return (
            "Someone who knows everybody else's data, and for whom it is even odds that this person is in it, can "
            f"become at most {surest(epsilon)} sure{but}. "
            + load("sequester.attacks.bounds:certain")(promise, ledger).says
        )
    sentence = WORST.get((promise.model, promise.unit)) or WORST.get((promise.model, ""), "")
    if not sentence or ("{once}" in sentence and "p" not in parameters) or not isinstance(k, int | None):
        return ""
    p = parameters.get("p")
    shared = f" and a subgroup of at least {p} with the same pattern" if p and p > 1 else ""
    attacks = "the attacks on this page show what was learned"
    if not attacked:
        attacks = "only attacks can show how much, and none stands on this page"
    return sentence.format(k=k, others=(k or 0) - 1, shared=shared, once=p if p and p > 1 else k, attacks=attacks)


OWN = "; if this person has several {what}, some of the {k} may be their own"
"""What a promise that does not count people leaves open."""

WORST = {
    ("kp-anonymity", "person"): "Someone who knows all values of this person finds a group of at least {k} "
    "people{shared}, so picks the right one at best once in {once}; values that a whole group shares, and presence in "
    "the data, can be learned.",
    ("kp-anonymity", "record"): "Someone who knows all values of one of this person's records finds a group of at "
    "least {k} records{shared}, so picks the right record at best once in {once}; values that a whole group shares, "
    "and presence in the data, can be learned" + OWN.format(what="records", k="{k}") + ".",
    ("k-boxes", "person"): "Someone who knows all values of this person is left with at least {k} people; presence in "
    "the data can be learned.",
    ("k-boxes", "record"): "Someone who knows all values of one of this person's records is left with at least {k} "
    "records; presence in the data can be learned" + OWN.format(what="records", k="{k}") + ".",
    ("k-support", "person"): "Every released sequence is shared by at least {k} people, so the right record is picked "
    "at best once in {k}; what all of them share can be learned.",
    ("k-support", "record"): "Every released sequence is shared by at least {k} records, so the right record is picked "
    "at best once in {k}; what all of them share can be learned" + OWN.format(what="records", k="{k}") + ".",
    ("k-anonymous-sequences", ""): "This person's row equals those of at least {others} others; what all of them share "
    "can be learned.",
    ("substring-k-anonymity", "person"): "Whatever can be read in this person's documents is also found in those of at "
    "least {others} other people; that the words were written about this person can follow from other knowledge.",
    ("substring-k-anonymity", "document"): "Whatever can be read in one of this person's documents is also found in at "
    "least {others} other documents" + OWN.format(what="documents", k="{k}") + ". That the words were written about "
    "this person can follow from other knowledge.",
    ("substring-k-anonymity", "occurrence"): "Whatever can be read in this person's documents is found in at least {k} "
    "places; all of them may be in this person's own documents, because places are counted, not people.",
    ("public-words", "person"): "Someone who knows a sentence of this person's notes can find the note; rare words are "
    "visible only where at least {others} other people's notes have them, common words and their order are visible.",
    ("public-words", "document"): "Someone who knows a sentence of one of this person's notes can find it; rare words "
    "are visible only where at least {others} other documents have them" + OWN.format(what="documents", k="{k}") + ".",
    ("word-frequency", "person"): "Every visible word is also found in documents of at least {others} other people; "
    "a combination of words can still be this person's alone.",
    ("word-frequency", "document"): "Every visible word is also found in at least {others} other documents"
    + OWN.format(what="documents", k="{k}") + ". A combination of words can still be this person's alone.",
    ("word-frequency", "occurrence"): "Every visible word is found in at least {k} places; all of them may be in this "
    "person's own documents, because places are counted, not people.",
    ("ngram-k-people", ""): "Every released pattern is one that at least {k} people have; that this person has it can "
    "be guessed, not seen.",
    ("ngram-k-anonymity", ""): "Every pattern of this person is listed, also one that nobody else has; only its true "
    "count is hidden when it is below {k}.",
    ("copied-anomaly", ""): "A rare pattern of this person is listed with its true count, unless it lies in the one "
    "window that was copied until its patterns reached {k}.",
    ("cluster-mixture", ""): "This person shaped the habits of a cluster of at least {k} from which rows were drawn; "
    "no formal bound limits what a row tells about them: {attacks}.",
    ("noisy-clusters", ""): "This person shaped noisy habits of a cluster; the published procedure bounds less than "
    "its epsilon says: {attacks}.",
    ("ratio-test", ""): "This person's steps shaped the model the log was drawn from; the test compares frequencies "
    "and bounds no single person's influence: {attacks}.",
}  # fmt: skip
"""Model and unit of a promise → what it leaves open at worst; without a unit where the model has one only."""


SMALL = 0.04
"""Parts below this share of the budget are drawn as one."""
MOST = 5
"""More parts than colours could not be told apart."""
UNSPENT = "not spent"
OTHERS = COLOURS[5]


def shares(parts: Sequence[tuple[str, float]], total: float) -> str:
    """One bar cut into shares of `total`, what is left included; small parts are folded into one."""
    if total <= 0:
        return ""
    order = sorted(parts, key=lambda p: -p[1])
    large = [p for p in order[:MOST] if p[1] >= SMALL * total]
    small = order[len(large) :]
    if len(small) == 1 and len(large) < MOST:
        large, small = order, []
    rest = max(0.0, total - sum(part for _, part in parts))
    shown = [(name, part, COLOURS[i % 5]) for i, (name, part) in enumerate(large)]
    if small:
        shown.append((f"{len(small)} smaller parts, listed in the table", sum(part for _, part in small), OTHERS))
    if rest > 1e-6 * total:
        shown.append((UNSPENT, rest, GROUND))
    body, at, y = [], 4.0, 66.0
    for name, part, fill in shown:
        width = (WIDE - 8) * part / total
        body.append(rect(at, 6, width, 38, fill, f' stroke="{LINE}"'))
        if width > 36:
            ink = INK if fill == GROUND else GROUND
            body.append(text(at + width / 2, 30, f"{part / total:.0%}", anchor="middle", colour=ink))
        at += width
        body.append(rect(6, y - 11, 12, 12, fill, f' stroke="{SOFT}"'))
        for line in broken(f"{part / total:.0%} {said(name)}", 66):
            body.append(text(26, y, line))
            y += 19
    return drawing(WIDE, y - 8, body)
