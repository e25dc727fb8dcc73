"""Attacks on released text: a private span left visible, linkage by known substrings, membership."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sequester.attacks.membership import membership
from sequester.attacks.outcome import LINKABILITY, SINGLING_OUT, Outcome, Scene, by_knowledge
from sequester.errors import counted
from sequester.layouts.documents import Documents
from sequester.model import Corpus
from sequester.primitives.intervals import percent
from sequester.release import Claim

LENGTH = 12
"""Characters in a known substring."""
SHORTEST = 4
"""Private spans shorter than this are met by chance."""


def released_texts(claim: Claim) -> dict[str, str] | None:
    """Released document → text, or None if there is none."""
    documents = Documents.read(claim)
    return None if documents is None else documents.by_name


def own_document(claim: Claim) -> Mapping[str, str]:
    """Original document → released document, from the custodian's map."""
    documents = Documents.read(claim)
    return {} if documents is None or documents.original is None else documents.original


class Sought(NamedTuple):
    """The released texts an attacker looks through, and where each original went."""

    source: Corpus
    texts: dict[str, str]
    goals: list[int]
    """Of each original, the place of its released text; -1 where it has none."""
    k: int | None
    runs_covered: bool
    """Whether the promise speaks of every visible run, counted in the release itself."""


def sought(scene: Scene) -> Sought | None:
    """What to look through, or None where nothing was released or nobody knows whose it is."""
    source, promise = scene.source, scene.claim.guarantee
    assert isinstance(source, Corpus)
    texts, own = released_texts(scene.claim), own_document(scene.claim)
    if not texts or not own:
        return None
    place = {name: j for j, name in enumerate(texts)}
    return Sought(
        source,
        texts,
        [place.get(own.get(str(name), ""), -1) for name in source.documents],
        promise.parameters.get("k"),
        _covers_runs(scene.claim) and not promise.needs_original and not promise.parameters.get("background"),
    )


def control_texts(scene: Scene) -> tuple[Corpus, list[str]] | None:
    """People who are not in the data, and what was released of others without them."""
    if not isinstance(scene.control, Corpus) or scene.control_claim is None:
        return None
    there = list((released_texts(scene.control_claim) or {}).values())
    return (scene.control, there) if there else None


def attack_names(scene: Scene) -> list[Outcome]:
    """Private spans (names, numbers, places) that can be read in the released document."""
    source = scene.source
    assert isinstance(source, Corpus)
    texts, own = released_texts(scene.claim), own_document(scene.claim)
    if not texts or not own or not scene.labels:
        return []
    rng = scene.rng("text names")
    k = scene.claim.guarantee.parameters.get("k")
    unit = scene.claim.guarantee.unit
    spans, words = [], []
    for i, name in enumerate(source.documents):
        original = source.text(i)
        for start, end, *_ in scene.labels.get(str(name), []):
            if end - start >= SHORTEST and own.get(str(name)) in texts:
                spans.append((i, original[start:end]))
                at = int(rng.integers(0, max(1, len(original) - (end - start))))
                words.append((i, original[at : at + end - start]))
    if not spans:
        return []
    whole = source.texts
    read = np.array([word in texts[own[str(source.documents[i])]] for i, word in spans])
    blind = np.mean([word in texts[own[str(source.documents[i])]] for i, word in words])
    lost, trials = None, 0
    if control := control_texts(scene):
        strangers, there = control
        strange = [
            strangers.text(i)[start:end]
            for i, name in enumerate(strangers.documents)
            for start, end, *_ in scene.labels.get(str(name), [])
            if end - start >= SHORTEST
        ]
        if strange:
            strange = [strange[i] for i in scene.targets(len(strange), rng)]
            lost = float(sum(word in there[int(rng.integers(len(there)))] for word in strange))
            trials = len(strange)
    outcomes = [
        *_half_visible(scene),
        Outcome(
            name="private spans readable", test=SINGLING_OUT, successes=float(read.sum()), trials=len(read),
            control_successes=lost, control_trials=trials, baseline=float(blind),
            says=f"A labelled private span of {SHORTEST} characters or more can be read in its released document.",
        )
    ]  # fmt: skip
    # A promise by document or person must hide what fewer than k of them have; only what was read needs counting.
    owner = np.unique(source.persons.astype(str), return_inverse=True)[1] if unit == "person" else None
    enough: dict[str, bool] = {}
    rare = 0
    for (_, word), seen in zip(spans, read, strict=True):
        if seen:
            if word not in enough:
                enough[word] = _held_by(word, whole, owner, k or 2)
            rare += not enough[word]
    outcomes.append(
        Outcome(
            name="rare private spans readable", test=SINGLING_OUT, successes=float(rare), trials=len(spans),
            control_successes=lost, control_trials=trials, baseline=float(blind), bound=0.0 if k else None,
            covered=_covers_runs(scene.claim) and not scene.claim.guarantee.parameters.get("background"),
            says=f"A private span can be read that fewer than {k or 2} "
            f"{'people' if unit == 'person' else 'documents'} have.",
        )
    )  # fmt: skip
    return outcomes


def _half_visible(scene: Scene) -> list[Outcome]:
    """Characters and spans first: half a name is often enough, and whole spans alone look harmless."""
    source = scene.source
    assert isinstance(source, Corpus) and scene.labels
    documents = Documents.read(scene.claim)
    if documents is None or documents.original is None or not (documents.per_character or documents.hidden is not None):
        return []
    texts = documents.by_name
    seen = size = half = n_spans = ordinary = others = 0
    for i, name in enumerate(source.documents):
        spans = scene.labels.get(str(name), [])
        new = documents.original.get(str(name))
        if new not in texts:
            continue
        original = source.text(i)
        kept = np.ones(len(original), dtype=bool)
        if documents.per_character:
            if len(texts[new]) != len(original):
                return []
            kept = np.array([c != documents.mark for c in texts[new]], dtype=bool)
        else:
            for start, end in (documents.hidden or {}).get(new, ()):
                kept[start:end] = False
        ink = np.array([not c.isspace() for c in original], dtype=bool)
        private = np.zeros(len(original), dtype=bool)
        for start, end, *_ in spans:
            private[start:end] = True
            visible, all_ = int((kept & ink)[start:end].sum()), int(ink[start:end].sum())
            if all_:
                n_spans += 1
                half += 2 * visible >= all_
        seen += int((kept & ink & private).sum())
        size += int((ink & private).sum())
        ordinary += int((kept & ink & ~private).sum())
        others += int((ink & ~private).sum())
    if not n_spans:
        return []
    blind = ordinary / others if others else 0.0
    lead = (
        f"Of the labelled private characters {percent(seen / max(1, size))} can be read (ordinary text: "
        f"{percent(blind)}), and {percent(half / n_spans)} of the {counted(n_spans, 'span')} at least by half."
    )
    return [
        Outcome(
            name="private characters visible", test=SINGLING_OUT, successes=float(seen), trials=size,
            baseline=float(blind), lead=lead,
            says="A character of a labelled private span can be read; beside it the share for ordinary text.",
        ),
        Outcome(
            name="private spans half visible", test=SINGLING_OUT, successes=float(half), trials=n_spans,
            baseline=float(blind),
            says="At least half the characters of a labelled private span can be read.",
        ),
    ]  # fmt: skip


def _covers_runs(claim: Claim) -> bool:
    """Whether the promise speaks of whole visible runs by document or person; one about words leaves runs open."""
    promise = claim.guarantee
    return promise.unit in ("document", "person") and promise.model == "substring-k-anonymity"


def _held_by(word: str, texts: Sequence[str], owner: np.ndarray | None, k: int) -> bool:
    """Whether at least `k` documents, or people where owners are given, contain the word."""
    units: set[int] = set()
    for i, text in enumerate(texts):
        if word in text:
            units.add(i if owner is None else int(owner[i]))
            if len(units) >= k:
                return True
    return False


@by_knowledge
def attack_linkage(scene: Scene) -> list[Outcome]:
    """Find the released document of a target from substrings known from elsewhere."""
    if (here := sought(scene)) is None:
        return []
    source, rng = here.source, scene.rng("text linkage")
    bodies = list(here.texts.values())
    long = [i for i in range(source.n_records) if len(source.text(i)) >= LENGTH]
    picked = [long[i] for i in scene.targets(len(long), rng)]
    outcomes = []
    for points in dict.fromkeys((1, scene.knowledge)):
        won = sum(_linked(source.text(i), bodies, here.goals[i], points, rng) for i in picked)
        lost, trials = None, 0
        if control := control_texts(scene):
            strangers, there = control
            theirs = [i for i in range(strangers.n_records) if len(strangers.text(i)) >= LENGTH]
            theirs = [theirs[i] for i in scene.targets(len(theirs), rng)]
            lost = sum(_linked(strangers.text(i), there, int(rng.integers(len(there))), points, rng) for i in theirs)
            trials = len(theirs)
        plural = "s" if points > 1 else ""
        outcomes.append(
            Outcome(
                name=f"linkage by {points} substring{plural}", knowledge=points,
                curve=f"linkage by known substring{plural}", test=LINKABILITY, successes=won,
                trials=len(picked), control_successes=lost, control_trials=trials, baseline=1 / len(bodies),
                bound=1 / here.k if here.k else None, covered=points == 1 and here.runs_covered,
                says=f"The document picked among those with most of the known substrings of {LENGTH} characters is "
                "the target's own.",
            )
        )  # fmt: skip
    return outcomes


def _linked(original: str, bodies: list[str], goal: int, points: int, rng: np.random.Generator) -> float:
    starts = rng.permutation(len(original) - LENGTH + 1)[:points]
    hits = np.zeros(len(bodies), dtype=np.int64)
    for start in starts:
        word = original[start : start + LENGTH]
        hits += np.fromiter((word in body for body in bodies), dtype=bool, count=len(bodies))
    best = hits.max()
    if best == 0 or goal < 0 or hits[goal] < best:
        return 0.0
    return 1 / int((hits == best).sum())


def attack_membership(scene: Scene) -> list[Outcome]:
    """Membership by how much of a document the release shows somewhere."""
    people, control = scene.inside, scene.control
    if not isinstance(people, Corpus) or not isinstance(control, Corpus) or scene.control_claim is None:
        return []
    texts = released_texts(scene.control_claim)
    if not texts:
        return []
    rng = scene.rng("text membership")
    members, strangers = scene.targets(people.n_records, rng), scene.targets(control.n_records, rng)
    shown = windows_of(texts.values())
    inside = np.array([share_shown(people.text(i), shown) for i in members])
    outside = np.array([share_shown(control.text(i), shown) for i in strangers])
    return membership(
        "membership by visible text", inside, outside, scene.claim, oddness=(-inside, -outside),
        says=f"More of a member's substrings of {LENGTH} characters are visible in the release than of a stranger's.",
    )  # fmt: skip


def windows_of(texts: Iterable[str]) -> set[str]:
    """All substrings of `LENGTH` characters."""
    return {t[i : i + LENGTH] for t in texts for i in range(len(t) - LENGTH + 1)}


def share_shown(text: str, shown: set[str]) -> float:
    """Share of a document's substrings of `LENGTH` characters that are visible somewhere."""
    n = len(text) - LENGTH + 1
    return sum(text[i : i + LENGTH] in shown for i in range(n)) / n if n > 0 else 0.0


def points(data: Corpus) -> Iterator[set[Hashable]]:
    """Every document's known substrings."""
    for row in range(data.n_records):
        yield set(windows_of([data.text(row)]))


def shown(claim: Claim, _original: Corpus) -> set[Hashable]:
    """Every substring of the released texts, as `points` cuts them."""
    return set(windows_of((released_texts(claim) or {}).values()))
