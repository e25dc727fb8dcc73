"""The noise of a differentially private method: a ledger the judge can contradict, and an audit with teeth.

Only a promise that is graded `proved` is asked; other methods have nothing to answer here.
"""

import re
from dataclasses import replace

import sequester as sq
from sequester.audits.run import for_audit
from sequester.contract.data import method, released, sample

RUNS = 48


def is_proved(method_id):
    return method(method_id).guarantee.status == "proved"


def test_every_cost_is_in_the_ledger(method_id):
    if not is_proved(method_id):
        return
    ledger = released(method_id).ledger
    assert ledger is not None and ledger.entries, "a differentially private release needs a ledger"
    assert all(e.sensitivity > 0 and e.scale > 0 for e in ledger.entries)


def test_the_judge_denies_a_forged_ledger(method_id):
    """An entry left out, noise halved, a sensitivity halved with its noise: each must be noticed, for each entry."""
    if not is_proved(method_id):
        return
    release, data = released(method_id), sample(method(method_id).accepts.kind)
    entries = release.ledger.entries
    for i, entry in enumerate(entries):
        forged = {
            "left out": [],
            "half the noise": [replace(entry, scale=entry.scale / 2)],
            "half of both": [replace(entry, scale=entry.scale / 2, sensitivity=entry.sensitivity / 2)],
            "another name": [replace(entry, mechanism="something else")],
        }
        if _is_last_of_a_row(entries, i):
            del forged["left out"]
        for what, instead in forged.items():
            ledger = replace(release.ledger, entries=[*entries[:i], *instead, *entries[i + 1 :]])
            verdict = sq.verify(replace(release, ledger=ledger), data)
            assert verdict.result == "broken", f"{entry.mechanism}, {what}: {verdict}"


def _is_last_of_a_row(entries, i):
    """The deepest level of a tree, say: how many levels there are was drawn, so the judge cannot miss the last."""
    same = [re.sub(r"\d+", "#", e.mechanism) for e in entries]
    return i == len(entries) - 1 and same.count(same[i]) > 1


def test_an_audit_finds_no_violation_and_finds_a_planted_one(method_id):
    if not is_proved(method_id):
        return
    cls = sq.method_class(method_id)
    chosen = cls(**for_audit(cls))
    honest = sq.audit(chosen, runs=RUNS, seed=1)
    assert honest.holds, str(honest)
    weak = sq.audit(chosen, runs=3 * RUNS, seed=1, noise_factor=0.02)  # with few runs the bound itself is uncertain
    assert not weak.holds, f"noise 50 times too small was not noticed: {weak}"
