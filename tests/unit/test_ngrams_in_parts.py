"""N-grams in parts: tables of counts, and of people, add up to those of all series."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.engines import Engine
from tests.unit.test_events_in_parts import parted

METHODS = {
    "people": {"k": 3, "n": 2, "unit": "person"},
    "people, capped": {"k": 2, "n": 3, "unit": "person", "cap": 2},
    "occurrences, by flow": {"k": 3, "n": 3, "unit": "occurrence"},
    "occurrences, repaired": {"k": 3, "n": 2, "unit": "occurrence", "mode": "repaired"},
}


@pytest.mark.parametrize("case", METHODS)
@settings(max_examples=6, deadline=None)
@given(n_parts=st.integers(1, 40), seed=st.integers(0, 999))
def test_the_release_is_the_same_however_people_are_split(case, n_parts, seed, tmp_path_factory):
    data = sq.sample("symbols", n_people=40, seed=5)
    method = sq.NgramK(**METHODS[case])
    whole = sq.anonymize(data, method, seed=1)
    parts = parted(data, tmp_path_factory.mktemp("parts"), n_parts, seed)
    there = sq.anonymize(parts, method, seed=1, engine=Engine(threads=2))
    assert sorted(whole.tables) == sorted(there.tables) and sorted(whole.private) == sorted(there.private)
    assert all(whole.tables[n].equals(there.tables[n]) for n in whole.tables)
    assert all(whole.private[n].equals(there.private[n]) for n in whole.private)


def test_series_that_are_too_short_are_refused_in_the_same_words(tmp_path):
    data = sq.sample("symbols", n_people=10, seed=5)
    parts = parted(data, tmp_path, 3, 0)
    said = []
    for source in (data, parts):
        with pytest.raises(sq.InputError) as error:
            sq.anonymize(source, sq.NgramK(k=2, n=10**6, unit="occurrence"))
        said.append(str(error.value))
    assert said[0] == said[1]
