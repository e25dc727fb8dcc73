"""Nothing but sums of whole numbers leaves a part: proved methods, with every answer behind a mask.

The engine adds a random number modulo 2^64 to every number a part hands back; the masks of all parts add up to zero.
Whatever is not added up, or is no int64, comes out as garbage. So does whatever looks at one part alone.
"""

from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pytest

import sequester as sq
from sequester.engines import Engine
from sequester.engines.questions import ANSWERS, Asked
from sequester.methods import loadable, method_class
from sequester.model.parts import StoredPart, split

DATES = "2024-01-01..2025-12-31"


@dataclass(frozen=True, kw_only=True)
class Masking(Engine):
    """What a part says is told to nobody; what all say together is."""

    threads: int = 1
    seen: list = field(default_factory=list)

    def each(self, task, parts, title="parts"):
        todo = list(getattr(parts, "parts", parts))
        answers = list(super().each(task, parts, title))
        if not isinstance(todo[0], StoredPart):
            return iter(answers)  # blocks of a synthetic log, drawn from released numbers
        assert isinstance(task, Asked), f"{title}: a question is asked by its name"
        self.seen.append(title)
        random, masks = np.random.default_rng(len(self.seen)), [None] * len(answers)
        for i, answer in enumerate(answers):
            arrays = answer if isinstance(answer, list) else [answer]
            assert all(type(a) is np.ndarray and a.dtype == np.int64 for a in arrays), f"{title}: no int64 array"
            drawn = [random.integers(-(2**63), 2**63 - 1, a.shape) for a in arrays]
            if i == len(answers) - 1:
                drawn = [-sum((m[k] for m in masks[:-1]), np.zeros(a.shape, np.int64)) for k, a in enumerate(arrays)]
            masks[i] = drawn
            hidden = [a + m for a, m in zip(arrays, drawn, strict=True)]
            answers[i] = hidden if isinstance(answer, list) else hidden[0]
        return iter(answers)


@cache
def events(attributes=False):
    log = sq.sample("events", n_people=150, seed=3)
    if not attributes:
        return replace(log, names_public=True)
    mine = np.repeat(np.arange(log.n_records), np.diff(log.offsets))
    crp = np.random.default_rng(0).uniform(0, 100, log.n_events)
    return replace(log, attributes={"sex": np.array(["f", "m"], dtype=object)[mine % 2], "crp": crp})


@cache
def sample(kind, **more):
    return replace(sq.sample(kind, seed=3, **more), names_public=True)


STRONG = {"epsilon": 50.0, "delta": 1e-6, "people_at_least": 3000, "dates": DATES}
CASES = {
    "markov-dp": [
        ({"epsilon": 4.0, "delta": 1e-6, "people_at_least": 400, "dates": DATES}, events),
        (STRONG | {"states_at_most": 10}, events),
        (STRONG | {"code_levels": "3,1"}, events),
        (STRONG | {"attributes": ("sex:f,m",), "event_values": ("crp:0,10,50",)}, lambda: events(attributes=True)),
    ],
    "events-ngram-dp": [({"epsilon": 4.0, "n_max": 3, "l_max": 10, "objects": 50}, events)],
    "ngram-dp": [
        ({"epsilon": 4.0, "n_max": 3, "people_at_least": 90}, lambda: sample("symbols", n_people=100)),
        ({"epsilon": 4.0, "n_max": 3, "average": "symbol"}, lambda: sample("symbols", n_people=100)),
    ],
    "activity-dp": [
        ({"epsilon": 4.0, "delta": 1e-6, "force": True, "calibration_people": 64, "rounds": 0},
         lambda: sample("activity", n_people=20, days=2)),
    ],
}  # fmt: skip


def test_every_method_that_proves_its_promise_in_parts_is_tried():
    classes = {m: method_class(m) for m in loadable()}
    proved = {m for m, c in classes.items() if not c.needs_everybody and c(**c.example).guarantee.status == "proved"}
    assert proved == set(CASES)


@pytest.mark.parametrize(("name", "i"), [(name, i) for name, cases in CASES.items() for i in range(len(cases))])
def test_the_release_is_the_same_behind_masks(name, i, tmp_path):
    parameters, made = CASES[name][i]
    data, method = made(), method_class(name)(**parameters)
    of = np.random.default_rng(1).integers(0, 3, data.n_people)
    parts = split(data, tmp_path, [np.flatnonzero(of == p) for p in range(3)])
    engine = Masking()
    here, there = sq.anonymize(data, method, seed=7), sq.anonymize(parts, method, seed=7, engine=engine)
    assert engine.seen, "the parts were asked"
    assert all(here.tables[n].equals(there.tables[n]) for n in here.tables) and len(here.tables) == len(there.tables)
    assert here.ledger.to_json() == there.ledger.to_json()


def test_a_part_that_hands_out_people_is_caught(tmp_path, monkeypatch):
    data = events()
    parts = split(data, tmp_path, [np.arange(0, 70), np.arange(70, 150)])
    monkeypatch.setitem(ANSWERS, "lengths", f"{__name__}:_lengths")
    monkeypatch.setitem(ANSWERS, "people", f"{__name__}:_people")
    with pytest.raises(AssertionError, match="no int64 array"):
        Masking().map(Asked("lengths", {}), parts)
    total = Masking().fold(Asked("people", {}), parts, np.add)
    assert total.tolist() == [150] and Masking().map(Asked("people", {}), parts)[0].tolist() != [70]


def test_a_question_that_is_not_on_the_list_is_refused(tmp_path):
    parts = split(events(), tmp_path, [np.arange(0, 70), np.arange(70, 150)])
    with pytest.raises(AssertionError, match="asked by its name"):
        Masking().map(_people, parts)
    for asked in (Asked("os:system", {}), Asked("ngram symbols", {}, version="0.0")):
        with pytest.raises(sq.InputError, match="Use one version everywhere"):
            sq.Engine(threads=1).map(asked, parts)


def _lengths(part):
    return np.diff(part.offsets) / 2


def _people(part):
    return np.array([part.n_records])
