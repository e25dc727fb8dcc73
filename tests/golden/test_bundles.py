"""Bundles that the first edition wrote: every later one opens them, verifies them and gives the same answers."""

import json
from pathlib import Path

import pytest

import sequester as sq

BUNDLES = Path(__file__).parent / "bundles"
NAMES = sorted(p.name.removesuffix(".bundle") for p in BUNDLES.glob("*.bundle"))
SOURCES = {"text": "notes.jsonl", "series": "vitals.csv", "events": "wards.csv", "symbols": "ecg.csv"}
ANSWERS = json.loads((BUNDLES / "answers.json").read_text("utf-8"))


def answers(bundle) -> list:
    """A few questions per kind of data, as plain values."""
    if bundle.kind == "text":
        return [bundle.count("patient"), bundle.count("Dimitrov"), len(list(bundle.runs()))]
    if bundle.kind == "series":
        low, high = (80, 95) if "h08" in bundle.times else (-0.5, 0.5)
        found = bundle.count({bundle.times[1]: (low, high), bundle.times[4]: (low, high)})
        return [str(found), bundle.estimated().num_rows]
    if bundle.kind == "activity":
        minutes = bundle.daily_minutes("walking")
        return [minutes.num_rows, sum(map(float, minutes.column(minutes.num_columns - 1).to_pylist()))]
    if bundle.kind == "events":
        return [bundle.following(), bundle.containing(bundle.states[0]), [[list(v), n] for v, n in bundle.variants(3)]]
    return [bundle.next_symbol("2"), bundle.order, sorted(bundle.grams.items())[:5]]


def original(name: str, bundle):
    """The source, read as the custodian's folder remembers it."""
    roles = {k: tuple(v) if isinstance(v, list) else v for k, v in sq.custodian(bundle.path)["roles"].items()}
    return sq.reader(bundle.kind)(BUNDLES / "sources" / SOURCES.get(bundle.kind, "minutes.csv.gz"), **roles)


def test_every_method_of_the_first_edition_is_here():
    assert {sq.open_bundle(BUNDLES / f"{name}.bundle").method_id for name in NAMES} >= {
        "k-repeats", "word-frequency", "kapra", "kp-naive", "tga", "bfp2ka", "mcka", "mcdp", "activity-dp", "mdav-ka",
        "mdav-dp", "markov-ratio", "events-ngram-dp", "ngram-k", "ngram-dp", "ngram-copy",
    }  # fmt: skip
    assert len(NAMES) == len(ANSWERS) == 22


@pytest.mark.parametrize("name", NAMES)
def test_an_old_bundle_verifies_and_answers(name):
    path = BUNDLES / f"{name}.bundle"
    bundle = sq.open_bundle(path)
    verdict = sq.verify(path, original(name, bundle) if bundle.guarantee.needs_original else None)
    assert verdict.holds, str(verdict)
    assert json.loads(json.dumps(answers(bundle))) == ANSWERS[name]
