"""Attack on released sequences of letters: find a target's own by the letters its series would give."""

from __future__ import annotations

import numpy as np

from sequester.attacks.outcome import LINKABILITY, Outcome, Scene, by_knowledge
from sequester.attacks.series import word
from sequester.layouts.letters import Letters
from sequester.model import Series
from sequester.release import Claim


def released_sequences(claim: Claim) -> Letters | None:
    """The released sequences, or None if there are none."""
    return Letters.read(claim) if {"sequences", "alphabet"} <= set(claim.tables) else None


@by_knowledge
def attack_linkage(scene: Scene) -> list[Outcome]:
    """Pick among the released sequences that have most in common with the target's word."""
    source = scene.source
    assert isinstance(source, Series)
    found, origin = released_sequences(scene.claim), scene.claim.private.get("origin")
    if found is None or origin is None:
        return []
    sequences, letters = found.sequences, list(found.letters)
    rng = scene.rng("series sequences")
    number = {r: i for i, r in enumerate(found.record.tolist())}
    pairs = zip(origin.column("row").to_pylist(), origin.column("record").to_pylist(), strict=True)
    place = {row - 1: number[record] for row, record in pairs if record in number}
    rows = np.array(sorted(place))
    targets = rows[scene.targets(len(rows), rng)]
    won = sum(_found(_word(source, int(r), letters), sequences, place[int(r)]) for r in targets)
    lost, trials = None, 0
    if isinstance(scene.control, Series) and scene.control_claim is not None:
        there = released_sequences(scene.control_claim)
        if there is not None and there.sequences:
            strangers = scene.targets(scene.control.n_records, rng)
            goals = rng.integers(len(there.sequences), size=len(strangers))
            lost = sum(
                _found(_word(scene.control, int(r), list(there.letters)), there.sequences, int(goal))
                for r, goal in zip(strangers, goals, strict=True)
            )
            trials = len(strangers)
    k = scene.claim.guarantee.parameters.get("k")
    return [
        Outcome(
            name="linkage by word", yardstick=2, test=LINKABILITY, successes=won, trials=len(targets),
            control_successes=lost, control_trials=trials, baseline=1 / max(1, len(sequences)),
            bound=1 / k if k else None,
            says="The sequence picked among those nearest to the target's word is the target's own.",
        )
    ]  # fmt: skip


def _word(data: Series, row: int, letters: list[str]) -> tuple[str, ...]:
    values = data.values[row]
    if data.letters:
        return tuple(data.letters[int(v)] for v in values if v == v)
    if np.isnan(values).any():
        return ()
    return tuple(letters[ord(c) - ord("a")] for c in word(values, len(letters), len(values)))


def _found(mine: tuple[str, ...], sequences: list[tuple[str, ...]], goal: int) -> float:
    common = {s: common_letters(mine, s) for s in set(sequences)}
    best = max(common.values())
    if common[sequences[goal]] < best:
        return 0.0
    return 1 / sum(common[s] == best for s in sequences)


def common_letters(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b):
            above = row[j + 1]
            row[j + 1] = before + 1 if x == y else max(above, row[j])
            before = above
    return row[-1]
