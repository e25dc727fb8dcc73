"""What a judge counted from the released tables alone is marked as such: only that may stand in a public manifest."""

from dataclasses import replace

import pytest

import sequester as sq
from sequester.judges import judge
from sequester.methods import METHODS, method_class


def checks_of(method_id, **changed):
    cls = method_class(method_id)
    data = sq.sample(cls.accepts.kind, seed=1)
    release = sq.anonymize(data, cls(**cls.example | changed), seed=7)
    return judge(replace(release, private={}), None)[0], judge(release, data)[0]  # a stranger has no private maps


CASES = [*((m, {}) for m in METHODS), ("tga", {"reconstruct": False}), ("ngram-k", {"unit": "occurrence"})]


@pytest.mark.parametrize("method_id, changed", CASES)
def test_a_check_that_needs_no_original_is_marked(method_id, changed):
    """A check comes out the same without the original exactly if it is marked, and nothing else is published of it."""
    alone, beside = checks_of(method_id, **changed)
    told_alone = {(c.name, c.passed, c.detail) for c in alone}
    marked = {c.name for c in beside if c.of_release}
    assert marked and marked == {c.name for c in beside if (c.name, c.passed, c.detail) in told_alone}


def test_the_manifest_tells_what_was_counted_and_only_that(tmp_path):
    data = sq.sample("events", seed=1)
    cls = method_class("markov-ratio")
    bundle = sq.publish(sq.anonymize(data, cls(**cls.example), seed=7), tmp_path / "a.bundle", source=data)
    told = {c["name"]: c["detail"] for c in bundle.manifest["verification"]["checked"]}
    assert "states are those of the original" not in told and told and all(told.values())
    assert bundle.manifest["verification"]["beside_original"] > 0
