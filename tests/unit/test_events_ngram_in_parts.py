"""`events-ngram-dp` in parts: every noisy step is given the same counts, and the release is the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.dp.noise import RecordingNoise, TeachingNoise
from sequester.engines import Engine
from sequester.primitives.ngram_tree import Walkers, grow_counted
from tests.unit.test_events_in_parts import log_of, parted

METHOD = {"epsilon": 400.0, "n_max": 4, "l_max": 6, "objects": 60}


@pytest.fixture(scope="module")
def codebook(tmp_path_factory):
    path = tmp_path_factory.mktemp("book") / "states.txt"
    path.write_text("\n".join([*log_of().state_names[:-1], "never seen"]), "utf-8")
    return str(path)


def transcript(data, codebook):
    noise = RecordingNoise(TeachingNoise(np.random.default_rng(5)))
    release = sq.anonymize(data, sq.EventsNgramDP(**METHOD, codebook=codebook), seed=7, noise=noise)
    return noise.transcript, release


@settings(max_examples=10, deadline=None)
@given(n_parts=st.integers(1, 40), seed=st.integers(0, 999))
def test_every_step_is_given_the_same_integers(n_parts, seed, codebook, tmp_path_factory):
    log = log_of(n_people=150)
    here, a = transcript(log, codebook)
    there, b = transcript(parted(log, tmp_path_factory.mktemp("parts"), n_parts, seed), codebook)
    assert [s["name"] for s in here] == [s["name"] for s in there]
    assert {s["name"] for s in here} == {f"order {k}" for k in range(1, 5)}  # it went down to the last level
    for x, y in zip(here, there, strict=True):
        assert np.array_equal(x["given"], y["given"]) and x["scale"] == y["scale"]
    assert all(a.tables[n].equals(b.tables[n]) for n in a.tables) and a.ledger.to_json() == b.ledger.to_json()


def test_a_bundle_from_parts_is_that_of_the_whole_log(codebook, tmp_path):
    log, made = log_of(n_people=150), {}
    (tmp_path / "parts").mkdir()
    parts = parted(log, tmp_path / "parts", 5, 1)
    for name, data, engine in (("here", log, None), ("there", parts, Engine(threads=2, memory=10**9))):
        place = tmp_path / name / "log.bundle"
        place.parent.mkdir()
        method = sq.EventsNgramDP(**METHOD, codebook=codebook)
        sq.publish_data(data, sq.Request(method=method, target=place, seed=3, engine=engine, teaching_only=True))
        made[name] = {p.name: p.read_bytes() for p in place.rglob("*") if p.is_file()}
    assert made["here"] == made["there"]


def test_names_that_were_found_and_columns_that_were_read_are_refused_of_parts_too(codebook, tmp_path):
    found = replace(log_of(), names_public=False)
    with pytest.raises(sq.InputError, match="state names that do not depend on the people"):
        sq.anonymize(parted(found, tmp_path, 2, 0), sq.EventsNgramDP(**METHOD))
    with pytest.raises(sq.InputError, match="attributes \\(1 column\\) are not carried"):
        parts = parted(log_of(attributes=True), tmp_path, 2, 0)
        sq.anonymize(parts, sq.EventsNgramDP(**METHOD, codebook=codebook))


SEQUENCES = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=7), min_size=1, max_size=8)


@settings(max_examples=80, deadline=None)
@given(sequences=SEQUENCES, cut=st.lists(st.booleans(), min_size=8, max_size=8), seed=st.integers(0, 99))
def test_walkers_count_what_follows_grams(sequences, cut, seed):
    rng = np.random.default_rng(seed)
    complete = cut[: len(sequences)]
    walkers = Walkers([np.array(s) for s in sequences], complete, 3)
    grams = [()]
    for _ in range(4):
        counts = walkers.after(grams)
        for gram, got in zip(grams, counts.tolist(), strict=True):
            want = [0, 0, 0, 0]
            for sequence, whole in zip(sequences, complete, strict=True):
                marked = [*sequence, 3] if whole else sequence
                for at in range(len(sequence)):
                    if tuple(marked[at : at + len(gram)]) == gram and at + len(gram) < len(marked):
                        want[marked[at + len(gram)]] += 1
            assert got == want, gram
        longer = [(*gram, x) for gram in grams for x in range(3)]
        grams = [longer[i] for i in rng.permutation(len(longer))[:5]]


def test_nothing_worth_extending_asks_for_nothing_more():
    asked = []

    def noise(name, counts, scale):
        asked.append(name)
        return np.zeros(len(counts), np.int64)

    after = Walkers([np.array([0, 1])], [True], 2).after
    tree = grow_counted(after, n_symbols=2, budget=1.0, n_max=3, positions=2, noise=noise)
    assert asked == ["order 1"] and tree.counts == {}
