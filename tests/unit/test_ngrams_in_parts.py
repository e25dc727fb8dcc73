"""N-grams in parts: tables of counts, and of people, add up to those of all series."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow.compute as pc
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.cli import cli
from sequester.dp.noise import RecordingNoise, TeachingNoise
from sequester.engines import Engine
from sequester.judges import verify as judged
from sequester.model.parts import joined, split
from sequester.read import dealing, memory_needed, symbols
from tests.unit.test_events_in_parts import parted

METHODS = {
    "people": sq.NgramK(k=3, n=2, unit="person"),
    "people, capped": sq.NgramK(k=2, n=3, unit="person", cap=2),
    "occurrences, by flow": sq.NgramK(k=3, n=3, unit="occurrence"),
    "occurrences, repaired": sq.NgramK(k=3, n=2, unit="occurrence", mode="repaired"),
    "shares of time": sq.NgramDP(epsilon=8.0, n_max=3, people_at_least=40),
    "a noisy tree": sq.NgramDP(epsilon=90.0, n_max=4, average="symbol", l_max=12, sequences=5),
    "counts above a threshold": sq.NgramDP(epsilon=8.0, n_max=3, average="symbol", delta=1e-6, sequences=5),
    "the rarest window copied": sq.NgramCopy(k=9, n=3),
    "a short window copied": sq.NgramCopy(k=400, n=3, length=2),
    "a given window copied": sq.NgramCopy(k=700, n=2, anomaly=("4", "3", "2")),
}


def several_each(n_people: int = 40) -> sq.SymbolSeries:
    """Two series of most people, far apart in the file."""
    data = sq.sample("symbols", n_people=n_people, seed=5)
    cut = [data.take(np.arange(data.n_records)), data.take(np.arange(data.n_records)[::3])]
    return joined(cut)


@pytest.mark.parametrize("case", METHODS)
@settings(max_examples=6, deadline=None)
@given(n_parts=st.integers(1, 40), seed=st.integers(0, 999))
def test_the_release_is_the_same_however_people_are_split(case, n_parts, seed, tmp_path_factory):
    data, method = several_each(), METHODS[case]
    whole = sq.anonymize(data, method, seed=1)
    parts = parted(data, tmp_path_factory.mktemp("parts"), n_parts, seed)
    there = sq.anonymize(parts, method, seed=1, engine=Engine(threads=2))
    assert sorted(whole.tables) == sorted(there.tables) and sorted(whole.private) == sorted(there.private)
    assert all(whole.tables[n].equals(there.tables[n]) for n in whole.tables)
    assert all(whole.private[n].equals(there.private[n]) for n in whole.private)
    assert whole.notes == there.notes and whole.reading == there.reading
    assert (whole.ledger is None) == (there.ledger is None)
    if whole.ledger is not None and there.ledger is not None:
        assert whole.ledger.to_json() == there.ledger.to_json()


@pytest.mark.parametrize("case", ["shares of time", "a noisy tree", "counts above a threshold"])
def test_every_noisy_step_is_given_the_same_integers(case, tmp_path):
    data, method = several_each(), METHODS[case]
    heard = []
    for source in (data, parted(data, tmp_path, 9, 4)):
        noise = RecordingNoise(TeachingNoise(np.random.default_rng(2)))
        sq.anonymize(source, method, seed=1, noise=noise)
        heard.append(noise.transcript)
    assert len(heard[0]) == len(heard[1]) >= 1
    for a, b in zip(*heard):
        assert np.array_equal(a["given"], b["given"]) and (a["name"], a["scale"]) == (b["name"], b["scale"])


REFUSED = {
    "an anomaly of other symbols": sq.NgramCopy(k=3, n=2, anomaly=("x",)),
    "an anomaly nobody has": sq.NgramCopy(k=3, n=2, anomaly=("4", "1") * 60),
    "a window longer than all": sq.NgramCopy(k=3, n=2, length=10**5),
    "too few people": sq.NgramDP(epsilon=0.01, n_max=3, people_at_least=40),
    "more people than there are": sq.NgramK(k=500, n=2),
}


@pytest.mark.parametrize("case", REFUSED)
def test_parts_are_refused_in_the_words_of_memory(case, tmp_path):
    data = several_each()
    said = []
    for source in (data, parted(data, tmp_path, 4, 0)):
        with pytest.raises(sq.InputError) as error:
            sq.anonymize(source, REFUSED[case])
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("case", ["people", "shares of time", "a noisy tree"])
def test_people_nobody_named_are_refused_in_parts_too(case, tmp_path):
    data = replace(several_each(), people_known=False)
    for source in (data, parted(data, tmp_path, 4, 0)):
        with pytest.raises(sq.InputError) as error:
            sq.anonymize(source, METHODS[case])
        assert str(error.value).startswith("anonymize: a promise about people needs to know whose series each is")


def test_series_that_are_too_short_are_refused_in_the_same_words(tmp_path):
    data = sq.sample("symbols", n_people=10, seed=5)
    parts = parted(data, tmp_path, 3, 0)
    said = []
    for source in (data, parts):
        with pytest.raises(sq.InputError) as error:
            sq.anonymize(source, sq.NgramK(k=2, n=10**6, unit="occurrence"))
        said.append(str(error.value))
    assert said[0] == said[1]


def test_the_judge_counts_people_part_by_part(tmp_path):
    data = several_each()
    parts = parted(data, tmp_path, 6, 2)
    release = sq.anonymize(data, METHODS["people"])
    assert judged(release, parts).result == judged(release, data).result == "confirmed"
    fewer = data.take(np.flatnonzero(np.isin(data.persons, np.unique(data.persons)[:12])))
    assert judged(release, parted(fewer, tmp_path_of(tmp_path, "few"), 3, 0)).result == "broken"
    for case in ("occurrences, by flow", "the rarest window copied"):
        release = sq.anonymize(data, METHODS[case])
        assert judged(release, parts).result == judged(release, data).result == "confirmed"
        table = release.tables["ngrams"]
        low = pc.max(table["count"]).as_py()
        lowered = pc.if_else(pc.equal(table["count"], low), low - 1, table["count"]).cast(table["count"].type)
        at = table.column_names.index("count")
        broken = replace(release, tables={**release.tables, "ngrams": table.set_column(at, "count", lowered)})
        assert judged(broken, parts).result == "broken"


def test_the_judge_refuses_parts_that_share_a_person(tmp_path):
    data = several_each()
    one = parted(data, tmp_path_of(tmp_path, "one"), 1, 0)
    again = split(data, tmp_path_of(tmp_path, "two"), [np.arange(3)])
    both = replace(one, paths=(*one.paths, *again.paths))
    verdict = judged(sq.anonymize(data, METHODS["people"]), both)
    assert verdict.result == "broken"
    assert verdict.checks[-1].detail == (
        "3 people are in more than one part of the original, so that people cannot be counted"
    )


def tmp_path_of(folder, name):
    (folder / name).mkdir()
    return folder / name


WORDS = {
    "ngram-k": ["--k", 5],
    "ngram-copy": ["--k", 30],
    "ngram-dp": ["--epsilon", 8, "--n-max", 2, "--people-at-least", 60, "--symbols", "1,2,3,4"],
}


@pytest.mark.parametrize("method", WORDS)
def test_the_command_line_publishes_in_parts(method, tmp_path, monkeypatch):
    monkeypatch.setattr(memory_needed, "PER_BYTE", dict.fromkeys(memory_needed.PER_BYTE, 10**6))
    monkeypatch.setattr(dealing, "BYTES_PER_ROW", 1 << 15)
    source = sq.write_sample("symbols", tmp_path / "s.csv", n_people=60)
    out = tmp_path_of(tmp_path, "o") / "a.bundle"
    words = ["publish", method, source, "--out", out, "--person", "person", "--value", "symbol", "--symbolize", "none",
             *WORDS[method], "--memory-limit", "300MB", "--scratch", tmp_path / "s"]  # fmt: skip
    made = []
    real = symbols.together
    monkeypatch.setattr(symbols, "together", lambda *a, **b: made.append(real(*a, **b)) or made[-1])
    done = CliRunner().invoke(cli, list(map(str, words)))
    assert done.exit_code == 0, done.output
    assert len(made[0].paths) > 3 and list((tmp_path / "s").iterdir()) == []
    read = sq.read_symbols(source, person="person", value=("symbol",), symbolize="none")
    assert sq.verify(out, source=read).holds
    if method != "ngram-dp":
        whole = sq.anonymize(read, sq.method_class(method)(k=WORDS[method][1]))
        assert sq.open_bundle(out).tables["ngrams"].equals(whole.tables["ngrams"])
