"""ngram-k, ngram-copy and ngram-dp: parameters, refusals, the subtraction attack, and judges with teeth."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.dp.ledger import Ledger
from sequester.dp.noise import RecordingNoise, TeachingNoise
from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.errors import InputError, ParameterError
from sequester.judges import verify
from sequester.judges.ngram_rows import count_anew, people_anew
from sequester.methods.ngrams.ngram_copy import NgramCopy
from sequester.methods.ngrams.ngram_dp import NgramDP, bounded
from sequester.methods.ngrams.ngram_k import NgramK
from sequester.model import Corpus, SymbolSeries
from sequester.release import Note
from sequester.samples.ecg import ecg, ecg_signals
from tests.naive import ngrams as naive


def series(*texts, alphabet="abcd", persons=None):
    letters = {x: i for i, x in enumerate(alphabet)}
    return SymbolSeries(
        names_public=True,
        symbols=[letters[x] for t in texts for x in t],
        offsets=np.cumsum([0] + [len(t) for t in texts]),
        alphabet=tuple(alphabet),
        persons=persons,
    )


def run(data, method, seed=1):
    return method.apply(data, rng=Randomness(seed=seed), engine=Engine(threads=1))


def order(release, m):
    rows = release.tables["ngrams"].to_pylist()
    return {r["gram"].replace(" ", ""): r["count"] for r in rows if r["order"] == m}


def failures(release, source=None):
    return [c.name for c in verify(release, source).checks if not c.passed]


SAMPLE = ecg(n_people=20)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NgramK(k=1), "NgramK: k must be a whole number of at least 2, got k=1. A count of 1 hides nothing."),
        (lambda: NgramK(k=3, n=0), "NgramK: n must be a whole number of at least 1, got n=0."),
        (lambda: NgramK(k=3, unit="day"), "NgramK: unit must be one of occurrence, person, got unit='day'."),
        (lambda: NgramK(k=3, mode="fast"), "NgramK: mode must be one of repaired, literal, got mode='fast'."),
        (lambda: NgramK(k=3, cap=2), "NgramK: cap=2 limits what one person adds; it needs unit=person."),
        (
            lambda: NgramK(k=3, unit="person", cap=0),
            "NgramK: cap must be a whole number of at least 1, got cap=0.",
        ),
        (
            lambda: NgramK(k=3, unit="person", mode="literal"),
            "NgramK: mode=literal tells how counts are lifted, but unit=person lifts none. Drop it.",
        ),
        (lambda: NgramDP(epsilon=0.0), "NgramDP: epsilon must be a number of at least 0.001, got epsilon=0.0."),
        (lambda: NgramDP(epsilon=1, l_max=0), "NgramDP: l_max must be a whole number of at least 1, got l_max=0."),
        (lambda: NgramCopy(k=2, copies=-1), "NgramCopy: copies must be a whole number of at least 0, got copies=-1."),
    ],
)
def test_bad_parameters_get_one_sentence(make, message):
    with pytest.raises(ParameterError) as error:
        make()
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("data", "method", "message"),
    [
        (
            series("ab"),
            NgramK(k=2, n=3),
            "anonymize: n=3 needs a series of 3 symbols, the longest of 1 has 2. "
            "Lower n, shorten the window or add data.",
        ),
        (
            series(),
            NgramK(k=2, n=1),
            "anonymize: n=1 needs a series of 1 symbols, the longest of 0 has 0. "
            "Lower n, shorten the window or add data.",
        ),
        (
            series("abc", "abd"),
            NgramK(k=3, n=2, unit="person"),
            "anonymize: k=3 needs 3 people, the data has 2. Lower k or add data.",
        ),
        (
            series("abc", "bda"),
            NgramK(k=2, n=2, unit="person"),
            "anonymize: none of 4 2-grams occurs in the series of k=2 people. Lower k or n, or use fewer symbols.",
        ),
        (
            series("abc"),
            NgramCopy(k=2, n=2, anomaly=("a", "x")),
            "anonymize: 1 of 2 symbols of the anomaly are not in the alphabet of 4 symbols. Check --anomaly.",
        ),
        (
            series("abc"),
            NgramCopy(k=2, n=2, anomaly=("c", "a")),
            "anonymize: the anomaly occurs in no series. Check --anomaly.",
        ),
        (
            series("abc"),
            NgramCopy(k=2, n=2, length=9),
            "anonymize: no series is as long as the window of 9 symbols. Shorten it.",
        ),
        (
            series("ab&", alphabet="ab&"),
            NgramDP(epsilon=1.0),
            "anonymize: '&' marks the end of a series here; rename that symbol of the alphabet.",
        ),
    ],
)
def test_unusable_data_gets_one_sentence(data, method, message):
    with pytest.raises(InputError) as error:
        run(data, method)
    assert str(error.value) == message


def test_one_constant_series_and_one_person_owning_everything():
    constant = run(series("aaaaaa"), NgramK(k=9, n=3))
    assert order(constant, 3) == {"aaa": 4 + 5 + 5 + 5}, "the gram is its own margin on both sides"
    assert verify(constant, series("aaaaaa")).holds
    with pytest.raises(InputError, match="k=2 needs 2 people"):
        run(series("abab", "abab", persons=["one", "one"]), NgramK(k=2, n=2, unit="person"))


def test_occurrences_of_one_person_are_not_people():
    data = series("ababababab", "cdcd", "cdc", persons=["one", "two", "three"])
    assert order(run(data, NgramK(k=2, n=2, unit="person")), 2) == {"cd": 3, "dc": 2}


def test_a_cap_bounds_what_one_person_adds():
    data = series("abababab", "ab", persons=["one", "two"])
    assert order(run(data, NgramK(k=2, n=2, unit="person")), 2) == {"ab": 5}
    assert order(run(data, NgramK(k=2, n=2, unit="person", cap=1)), 2) == {"ab": 2}


def hidden_by_subtraction(full_lower, top):
    """The attack: what a context's continuations lack of the context's own count."""
    known = {}
    for gram, count in top.items():
        known[gram[:-1]] = known.get(gram[:-1], 0) + count
    return {h: c - known.get(h, 0) for h, c in full_lower.items() if c != known.get(h, 0)}


def test_subtraction_attack_finds_the_suppressed_gram_unless_lower_orders_are_derived():
    people = ["abcabcabcabc"] * 5 + ["abcabdbcabca"]  # one person has abd, bdb, dbc
    data = series(*people)
    release = run(data, NgramK(k=3, n=3, unit="person"))
    top = order(release, 3)
    assert "abd" not in top
    true_pairs = {"ab": sum(p.count("ab") for p in people)}
    ends = {"ab": sum(p.endswith("ab") for p in people)}
    attack = hidden_by_subtraction(true_pairs, {g: c for g, c in top.items() if g.startswith("ab")})
    assert attack == {"ab": 1} and ends == {"ab": 0}, "with true pair counts the rare occurrence is found"
    assert verify(release, data).holds
    # a table whose second order is the true one is rejected from the table alone
    rows = release.tables["ngrams"].to_pylist()
    leaky = [r | {"count": r["count"] + 2} if r["gram"] == "b c" else r for r in rows]
    assert "lower orders follow from the highest" in failures(
        replace(release, tables={"ngrams": pa.Table.from_pylist(leaky)})
    )
    assert failures(release) == ["people behind every gram"], "only the custodian can count people"


def test_an_original_that_knows_no_people_confirms_nothing_about_people():
    data = series(*["abcabc"] * 5)
    release = run(data, NgramK(k=3, n=2, unit="person"))
    assert verify(release, data).holds
    unknown = [c.name for c in verify(release, replace(data, people_known=False)).checks if not c.passed]
    assert unknown == ["people of the original"]


def cut_at(data, hidden, n):
    """The same people with every series cut inside each suppressed gram: none of them occurs any more."""
    texts, persons = [], []
    for i in range(data.n_records):
        text = "".join(data.alphabet[x] for x in data.symbols[data.offsets[i] : data.offsets[i + 1]])
        start = 0
        for j in range(len(text) - n + 1):
            if text[j : j + n] in hidden:
                texts.append(text[start : j + n - 1])
                persons.append(data.persons[i])
                start = j + 1
        texts.append(text[start:])
        persons.append(data.persons[i])
    return series(*texts, persons=persons)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.lists(st.text("abcd", min_size=3, max_size=15), min_size=3, max_size=8),
    st.integers(2, 3),
    st.integers(2, 4),
    st.sampled_from([None, 1, 2]),
)
def test_the_person_table_is_the_same_when_no_suppressed_gram_exists(texts, k, n, cap):
    """The proof of the page, run: a world without any suppressed gram gives the very same table."""
    data = series(*texts, persons=[f"p{i // 2}" for i in range(len(texts))])
    method = NgramK(k=k, n=n, unit="person", cap=cap)
    try:
        release = run(data, method)
    except InputError:
        return
    hidden = {g.replace(" ", "") for g in release.private["suppressed"]["gram"].to_pylist()}
    other = cut_at(data, hidden, n)
    again = run(other, method)
    assert again.tables["ngrams"].equals(release.tables["ngrams"])
    assert again.private["suppressed"].num_rows == 0
    assert verify(release, data).holds


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(st.text("abcd", max_size=15), max_size=5),
    st.integers(2, 6),
    st.integers(1, 4),
    st.sampled_from(["integer", "fraction"]),
)
def test_the_promise_holds_for_any_series(texts, k, n, apportion):
    data = series(*texts)
    try:
        release = run(data, NgramK(k=k, n=n, apportion=apportion))
    except InputError:
        return
    assert verify(release).holds and verify(release, data).holds


def altered(release, change):
    rows = change(release.tables["ngrams"].to_pylist())
    return replace(release, tables={"ngrams": pa.Table.from_pylist(rows, schema=release.tables["ngrams"].schema)})


def set_count(gram, count):
    return lambda rows: [r | {"count": count} if r["gram"] == gram else r for r in rows]


def test_the_judge_catches_every_planted_defect():
    release = run(SAMPLE, NgramK(k=5, n=3))
    rows = release.tables["ngrams"].to_pylist()
    least = min((r for r in rows if r["order"] == 3), key=lambda r: r["count"])
    common = max((r for r in rows if r["order"] == 3), key=lambda r: r["count"])
    assert failures(altered(release, set_count(least["gram"], 4))) == ["counts reach k"], "lowered to k-1"
    assert failures(altered(release, set_count("1", 5))) == ["no gram outnumbers a gram inside it"]
    drop_pair = lambda rows: [r for r in rows if r["gram"] != common["gram"][:3]]  # noqa: E731
    assert failures(altered(release, drop_pair)) == ["no gram outnumbers a gram inside it"]
    assert failures(altered(release, lambda rows: rows + rows[:1])) == ["rows are grams"]
    assert failures(altered(release, lambda rows: [r for r in rows if r["order"] < 3])) == ["orders"]
    lowered = altered(release, set_count(common["gram"], common["count"] - 60))
    assert failures(lowered) == []
    assert failures(lowered, SAMPLE) == ["no count below the original", "growth is accounted for"]
    gone = altered(release, lambda rows: [r for r in rows if r["gram"] != least["gram"]])
    assert "same grams as the original" in failures(gone, SAMPLE)


def test_the_judge_rejects_malformed_tables_without_a_traceback():
    release = run(SAMPLE, NgramK(k=5, n=3))
    table = release.tables["ngrams"]
    for tables, check in [
        ({}, "tables are the expected ones"),
        ({"ngrams": table, "series": table}, "tables are the expected ones"),
        ({"ngrams": table.drop_columns("count")}, "columns of ngrams"),
        ({"ngrams": table.append_column("people", [[1] * table.num_rows])}, "columns of ngrams"),
        ({"ngrams": table.set_column(2, "count", table["count"].cast(pa.float64()))}, "columns of ngrams"),
        ({"ngrams": table.slice(0, 0)}, "rows are grams"),
    ]:
        assert failures(replace(release, tables=tables)) == [check]
    for parameters in ({}, {"k": 5}, {"k": "5", "n": 3}, {"k": True, "n": 3}):
        broken = replace(release, guarantee=replace(release.guarantee, parameters=parameters))
        assert failures(broken) == ["promise"]
    assert failures(release, Corpus.from_texts(["x"])) == ["original"]


def test_the_people_judge_catches_planted_defects():
    release = run(SAMPLE, NgramK(k=5, n=3, unit="person"))
    assert failures(release, SAMPLE) == []
    weaker = run(SAMPLE, NgramK(k=2, n=3, unit="person"))
    claimed = replace(weaker, guarantee=release.guarantee)
    assert "every gram is shared by k people" in failures(claimed, SAMPLE)
    stronger = run(SAMPLE, NgramK(k=9, n=3, unit="person"))
    assert "every shared gram is published" in failures(replace(stronger, guarantee=release.guarantee), SAMPLE)
    capped = run(SAMPLE, NgramK(k=5, n=3, unit="person", cap=1))
    assert failures(replace(capped, guarantee=release.guarantee), SAMPLE) == ["counts are the original's"]


def test_dp_bounds_a_person_with_several_series():
    data = series("abcab", "abc", "dd", persons=["one", "one", "two"])
    sequences, complete = bounded(data, 6)
    assert [len(s) for s in sequences] == [5, 1, 2]
    assert complete == [True, False, True]


def test_dp_release_adds_up_and_its_judge_has_teeth():
    method = NgramDP(epsilon=4.0, n_max=3, l_max=30, sequences=7)
    release = run(SAMPLE, method)
    assert failures(release) == []
    assert release.teaching_only
    assert release.tables["synthetic"].num_rows == 7
    cheaper = Ledger.from_json(release.ledger.to_json())
    cheaper.entries[0] = replace(cheaper.entries[0], scale=cheaper.entries[0].scale * 0.99)
    assert failures(replace(release, ledger=cheaper)) != [], "a ledger off by one percent"
    short = Ledger.from_json(release.ledger.to_json())
    short.entries.pop()
    assert "the ledger holds the costliest path" in failures(replace(release, ledger=short))
    budget = release.tables["budget"].to_pylist()
    budget[-1]["epsilon"] *= 1.01
    paid = replace(release, tables=release.tables | {"budget": pa.Table.from_pylist(budget)})
    assert "no path spends more than the budget" in failures(paid)
    unpaid = release.tables["budget"].filter(pa.compute.not_equal(release.tables["budget"]["context"], "2"))
    assert "continuations add up to their gram" in failures(
        replace(release, tables=release.tables | {"budget": unpaid})
    )


def test_dp_noise_has_the_scale_the_ledger_states():
    noise = RecordingNoise(TeachingNoise(np.random.default_rng(0)))
    release = NgramDP(epsilon=6.0, n_max=3, l_max=20).apply(
        SAMPLE, rng=Randomness(seed=3, noise=noise), engine=Engine()
    )
    scales = {round(20 / e, 9) for e in release.tables["budget"]["epsilon"].to_pylist()}
    assert {round(call["scale"], 9) for call in noise.transcript} == scales
    assert len(noise.transcript) == release.tables["budget"].num_rows


def test_sample_is_seeded_and_has_extra_beats():
    assert ecg(n_people=3, seed=5).fingerprint() == ecg(n_people=3, seed=5).fingerprint()
    assert ecg(n_people=3, seed=5).fingerprint() != ecg(n_people=3, seed=6).fingerprint()
    signals = ecg_signals(n_people=30)
    assert 2 <= sum(bool(places) for _, places in signals) <= 15
    assert all(len(s) == 4000 and np.isfinite(s).all() for s, _ in signals)
    assert ecg(n_people=0).n_records == 0


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.text("abcd", max_size=12), min_size=1, max_size=6),
    st.sampled_from([1, 2, 3, 13, 30, 40]),
    st.sampled_from([None, 1, 2]),
)
def test_the_judge_counts_as_plainly_as_can_be(texts, n, cap):
    """Short grams are numbers inside the judge, long ones rows; both equal counting by hand."""
    texts = [t * (4 if n > 3 else 1) for t in texts]
    data = series(*texts, persons=[f"p{i // 2}" for i in range(len(texts))])
    by_hand = naive.owners_of(texts, [i // 2 for i in range(len(texts))], n, cap)
    expected = {" ".join(g): (people, count) for g, (count, people) in by_hand.items()}
    assert people_anew(data, n, cap) == expected
    assert count_anew(data, n) == {" ".join(g): c for g, c in naive.grams_of(texts, n).items()}


def test_dp_tells_what_to_expect_and_refuses_by_public_numbers_alone():
    few = series(*["abca"] * 5)
    release = NgramDP(epsilon=1.0, n_max=2).apply(few, rng=Randomness(seed=1), engine=Engine())
    told = (
        "With 5 people and 4 symbols the index people * epsilon / (n_max * symbols) is 0.6, below 2: the counts are "
        "noise."
    )
    assert release.notes == (Note("outlook", told),)
    with pytest.raises(InputError) as caught:
        NgramDP(epsilon=1.0, n_max=2, people_at_least=5).apply(few, rng=Randomness(seed=1), engine=Engine())
    assert str(caught.value) == (
        f"ngram-dp: {told[0].lower()}{told[1:]} No budget was spent. Raise epsilon, lower n_max, gather 16 people, or "
        "pass --force."
    )
    forced = NgramDP(epsilon=1.0, n_max=2, people_at_least=5, force=True)
    assert verify(forced.apply(few, rng=Randomness(seed=1), engine=Engine())).holds
    # The data has too few people, but that is nobody's business: only the public number decides.
    NgramDP(epsilon=1.0, n_max=2, people_at_least=16).apply(few, rng=Randomness(seed=1), engine=Engine())


@pytest.mark.parametrize(
    ("people", "words"),
    [
        (16, "below 8: only single symbols"),
        (64, "below 20: single symbols and pairs"),
        (160, "at least 20: grams of three"),
    ],
)
def test_dp_outlook_follows_the_index(people, words):
    assert words in NgramDP(epsilon=1.0, n_max=2).outlook(people, 4)
