"""Attacks on released event logs: copied people, linkage by known events, membership, inference of the next event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import pairwise

import numpy as np

from sequester.attacks.membership import membership
from sequester.attacks.outcome import INFERENCE, LINKABILITY, SINGLING_OUT, Outcome, Scene, by_knowledge
from sequester.errors import InputError, counted
from sequester.layouts.log import Log
from sequester.model import EventLog
from sequester.release import Claim, Figure

Trace = tuple[str, ...]


def traces_of(data: EventLog) -> list[Trace]:
    """The states of every person in order."""
    names = np.array(data.state_names, dtype=object)
    return [tuple(names[data.states[a:b]]) for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)]


def released_traces(claim: Claim) -> list[Trace] | None:
    """The states of every released object in order of time, or None if no events are released."""
    try:
        return Log.read(claim).traces
    except InputError:
        return None


def _sides(scene: Scene) -> tuple[list[Trace], list[Trace], list[Trace] | None, list[Trace] | None] | None:
    """Traces of the source, of its release, of the strangers, and of the release they were held out of."""
    assert isinstance(scene.source, EventLog)
    released = released_traces(scene.claim)
    if not released:
        return None
    strangers = traces_of(scene.control) if isinstance(scene.control, EventLog) else None
    same = scene.control_claim is scene.claim or scene.control_claim is None
    there = released if same or scene.control_claim is None else released_traces(scene.control_claim)
    return traces_of(scene.source), released, strangers, there


def attack_copies(scene: Scene) -> list[Outcome]:
    """Traces that one person alone has: are they in the release as they stand?"""
    sides = _sides(scene)
    if sides is None:
        return []
    originals, released, strangers, there = sides
    rng = scene.rng("events copies")
    count = Counter(originals)
    alone = [t for t in originals if count[t] == 1]
    shown = Counter(released)
    picked = [alone[i] for i in scene.targets(len(alone), rng)]
    lost, trials = None, 0
    if strangers is not None and there is not None:
        # Strangers of a twin are part of the source: theirs alone is what the source has once.
        part = scene.control_claim is not scene.claim
        theirs = [t for t in strangers if count[t] == (1 if part else 0)]
        theirs = [theirs[i] for i in scene.targets(len(theirs), rng)]
        seen = Counter(there)
        lost, trials = float(sum(t in seen for t in theirs)), len(theirs)
    return [
        Outcome(
            name="unique traces copied", test=SINGLING_OUT, successes=float(sum(t in shown for t in picked)),
            trials=len(picked), control_successes=lost, control_trials=trials,
            baseline=sum(shown[t] for t in picked) / max(1, len(released) * len(picked)),
            says="A sequence of states that one person alone has appears whole in the release.",
        )
    ]  # fmt: skip


@by_knowledge
def attack_linkage(scene: Scene) -> list[Outcome]:
    """Knowing a few events of a person in their order, read the rest of the record from a released object."""
    sides = _sides(scene)
    if sides is None:
        return []
    originals, released, strangers, there = sides
    rng = scene.rng("events linkage")
    long = [t for t in originals if len(t) > scene.knowledge]
    picked = [long[i] for i in scene.targets(len(long), rng)]
    if not picked:
        return []
    won = sum(_read_rest(t, released, scene.knowledge, rng) for t in picked)
    lost, trials = None, 0
    if strangers is not None and there is not None:
        theirs = [t for t in strangers if len(t) > scene.knowledge]
        theirs = [theirs[i] for i in scene.targets(len(theirs), rng)]
        lost, trials = sum(_read_rest(t, there, scene.knowledge, rng) for t in theirs), len(theirs)
    shown = Counter(released)
    return [
        Outcome(
            name=f"linkage by {counted(scene.knowledge, 'event')}", knowledge=scene.knowledge,
            curve="linkage by known events", test=LINKABILITY, successes=won, trials=len(picked),
            control_successes=lost, control_trials=trials,
            baseline=sum(shown[t] for t in picked) / (len(released) * len(picked)),
            says="A released object that contains the known events in their order is, whole, the target's trace.",
        )
    ]  # fmt: skip


def _read_rest(trace: Trace, released: list[Trace], points: int, rng: np.random.Generator) -> float:
    at = np.sort(rng.permutation(len(trace))[:points])
    known = [trace[i] for i in at]
    fits = [t for t in released if contains(t, known)]
    return sum(t == trace for t in fits) / len(fits) if fits else 0.0


def contains(trace: Trace, known: list[str]) -> bool:
    """Whether a trace contains the known states in their order."""
    rest = iter(trace)
    return all(state in rest for state in known)


def attack_membership(scene: Scene) -> list[Outcome]:
    """Membership by the nearest released object, and by transitions nobody else has."""
    sides = _same_release(scene)
    if sides is None:
        return []
    people, released, strangers = sides
    if strangers is None:
        return []
    rng = scene.rng("events membership")
    members = [grams(people[i]) for i in scene.targets(len(people), rng)]
    outside = [grams(strangers[i]) for i in scene.targets(len(strangers), rng)]
    holders = Counter(g for t in people for g in grams(t))
    rarity = (
        np.array([sum(1 / holders[g] for g in s) for s in members]),
        np.array([sum(1 / (1 + holders[g]) for g in s) for s in outside]),
    )
    shown = {g for t in released for g in grams(t)}
    own = np.array([sum(g in shown for g in s if holders[g] == 1) for s in members], dtype=float)
    theirs = np.array([sum(g in shown for g in s if holders[g] == 0) for s in outside], dtype=float)
    return [
        *membership(
            "membership by nearest object", _nearest(members, released), _nearest(outside, released), scene.claim,
            oddness=rarity, says="A member's nearest released object is nearer than a stranger's.",
        ),
        *membership(
            "membership by own transitions", own, theirs, scene.claim, oddness=rarity,
            says="The release shows transitions only this person has.",
        ),
    ]  # fmt: skip


def _same_release(scene: Scene) -> tuple[list[Trace], list[Trace], list[Trace] | None] | None:
    """Members, one release, and the strangers who were held out of that very release."""
    if isinstance(scene.control, EventLog) and isinstance(scene.inside, EventLog) and scene.control_claim is not None:
        released = released_traces(scene.control_claim)
        return (traces_of(scene.inside), released, traces_of(scene.control)) if released else None
    assert isinstance(scene.source, EventLog)
    released = released_traces(scene.claim)
    return (traces_of(scene.source), released, None) if released else None


def grams(trace: Trace) -> frozenset[tuple[str, str]]:
    """Transitions of a trace, entry and exit included."""
    steps = ("", *trace, "")
    return frozenset(pairwise(steps))


def _nearest(sets: list[frozenset[tuple[str, str]]], released: list[Trace]) -> np.ndarray:
    """Jaccard similarity of transitions with the nearest released object, less the mean one."""
    other = list({grams(t): None for t in released})
    holders: dict[tuple[str, str], list[int]] = {}
    for j, s in enumerate(other):
        for g in s:
            holders.setdefault(g, []).append(j)
    sizes = np.array([len(s) for s in other])
    out = np.zeros(len(sets))
    for i, mine in enumerate(sets):
        common = np.zeros(len(other))
        for g in mine:
            common[holders.get(g, [])] += 1
        likeness = common / (len(mine) + sizes - common)
        out[i] = likeness.max() - likeness.mean()
    return out


def attack_inference(scene: Scene) -> list[Outcome]:
    """Guess the next event from the released objects that agree on the events before it."""
    sides = _same_release(scene)
    if sides is None:
        return []
    people, released, strangers = sides
    rng = scene.rng("events inference")
    after = _continuations(released)
    usual = Counter(s for t in released for s in t).most_common(1)[0][0]
    picked = [(people[i], p) for i, p in _prefixes(people, scene, rng)]
    if not picked:
        return []
    won = float(sum(_next(after, t, p, usual) == t[p] for t, p in picked))
    lost, trials = None, 0
    if strangers is not None:
        theirs = [(strangers[i], p) for i, p in _prefixes(strangers, scene, rng)]
        lost, trials = float(sum(_next(after, t, p, usual) == t[p] for t, p in theirs)), len(theirs)
    return [
        Outcome(
            name=f"inference of the event after {scene.knowledge} known ones", test=INFERENCE, successes=won,
            trials=len(picked), control_successes=lost, control_trials=trials,
            baseline=sum(t[p] == usual for t, p in picked) / len(picked),
            says="The most frequent continuation in the release is the target's next event.",
        )
    ]  # fmt: skip


def _prefixes(traces: list[Trace], scene: Scene, rng: np.random.Generator) -> list[tuple[int, int]]:
    long = [i for i, t in enumerate(traces) if len(t) > 1]
    chosen = [long[i] for i in scene.targets(len(long), rng)]
    return [(i, min(scene.knowledge, len(traces[i]) - 1)) for i in chosen]


def _continuations(released: list[Trace]) -> dict[Trace, Counter[str]]:
    out: dict[Trace, Counter[str]] = {}
    for t in released:
        for end in range(1, len(t)):
            for start in range(max(0, end - 6), end):
                out.setdefault(t[start:end], Counter())[t[end]] += 1
    return out


def _next(after: dict[Trace, Counter[str]], trace: Trace, p: int, usual: str) -> str:
    """The continuation of the longest known suffix that the release contains."""
    for start in range(max(0, p - 6), p):
        if trace[start:p] in after:
            counts = after[trace[start:p]]
            return min(counts, key=lambda s: (-counts[s], s))
    return usual


def closest_records(scene: Scene) -> list[Figure]:
    """Smoke test: share of released traces that equal an original one."""
    sides = _sides(scene)
    if sides is None:
        return []
    originals, released, _, _ = sides
    known = set(originals)
    return [
        Figure(name="released_traces_equal_to_an_original", value=sum(t in known for t in released) / len(released),
               says="Smoke test only: short traces coincide without any leak, and passing it proves nothing.")
    ]  # fmt: skip


def points(data: EventLog) -> Iterator[set[Hashable]]:
    """Every trace's short runs of states."""
    for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        yield set(grams(tuple(data.state_names[s] for s in data.states[a:b])))


def shown(claim: Claim, _original: EventLog) -> set[Hashable]:
    return {g for t in released_traces(claim) or [] for g in grams(t)}
