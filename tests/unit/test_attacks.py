"""Attacks find what is planted, find nothing where nothing is, and always tell control, baseline and interval."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.attacks import series as series_attacks
from sequester.attacks.membership import area, membership, threshold_at
from sequester.attacks.outcome import Outcome, as_evidence
from sequester.attacks.trial import leave_one_out
from sequester.methods import METHODS
from sequester.model import Activities, Corpus
from sequester.model.kind import take
from tests import planted


def outcome(found, name):
    return next(row for row in found.rows["attacks"] if row["attack"] == name)


def names(found):
    return [row["attack"] for row in found.rows["attacks"]]


# Series ---------------------------------------------------------------------------------------------------------


def test_rank_matching_finds_eight_of_eight_on_the_papers_table_3():
    found = sq.attack(planted.table_3(), planted.table_1())
    ranks = outcome(found, "rank matching of 2011")
    assert ranks["success"] == 1 and ranks["targets"] == 8
    assert ranks["baseline"] == 0.5 and ranks["bound"] == 0.5 and ranks["covered"] is False
    assert not any("rank" in c.name for c in found.checks), "the promise excludes it, so it is no check"


@pytest.mark.parametrize("seed", range(3))
def test_rank_matching_does_not_depend_on_the_order_of_rows(seed):
    shuffled = planted.table_3(np.random.default_rng(seed).permutation(8))
    assert outcome(sq.attack(shuffled, planted.table_1()), "rank matching of 2011")["success"] == 1


def test_rank_matching_uses_the_released_sign():
    data, told = planted.table_1(), planted.table_3(np.arange(8))
    flipped = take(data, np.arange(8))
    object.__setattr__(flipped, "sensitive", {"2011": -data.sensitive["2011"]})
    table = told.tables["records"]
    at = table.column_names.index("2011")
    turned = table.set_column(at, "2011", pa.array(-planted.NEXT_INCOME))
    release = planted.release({"records": turned}, told.private, k=4, p=2, pattern_of="record")
    assert outcome(sq.attack(release, flipped), "rank matching of 2011")["success"] == 1


def test_linkage_by_all_values_meets_its_bound_on_table_3():
    found = sq.attack(planted.table_3(), planted.table_1(), knowledge=6)
    linked = outcome(found, "linkage by 6 values")
    assert linked["success"] == 0.25 and linked["bound"] == 0.25 and linked["baseline"] == 1 / 8
    assert found.holds


def test_linkage_grows_with_what_is_known():
    rows = sq.attack(planted.table_3(), planted.table_1(), dial=(1, 3, 6)).rows["dial"]
    by_values = {r["knowledge"]: r["success"] for r in rows if r["attack"] == "linkage by known values"}
    assert list(by_values) == [1, 3, 6] and by_values[1] <= by_values[3] <= by_values[6] == 0.25
    data, _ = planted.corpus()
    told = sq.attack(planted.masked(data, lambda i: (0, 0)), data, dial=(1, 5)).rows["dial"]
    assert [r["knowledge"] for r in told] == [1, 5] and told[-1]["success"] > told[0]["success"]


def test_linkage_finds_an_envelope_of_one():
    data = planted.table_1()
    table = planted.table_3(np.arange(8)).tables["records"].to_pydict()
    for j, year in enumerate(range(2005, 2011)):
        table[f"{year}_lo"] = table[f"{year}_hi"] = planted.INCOMES[:, j].tolist()
    origin = pa.table({"record": np.arange(1, 9), "row": np.arange(1, 9)})
    bare = planted.release({"records": pa.table(table)}, {"origin": origin}, k=4, p=2)
    found = sq.attack(bare, data)
    assert outcome(found, "linkage by 4 values")["success"] == 1
    assert not found.holds and "of them beat the promised bound" in found.summary


@pytest.mark.parametrize("level, word", [(2, "aaabbb"), (3, "aabbcc")])
def test_words_of_the_worked_example(level, word):
    ddof = 1 if level == 3 else 0
    assert series_attacks.word(planted.INCOMES[0], level, 6, ddof) == word
    assert series_attacks.word(np.ones(6), 3, 6) == "bbbbbb"


def test_inference_tells_the_most_common_value_of_the_fitting_records():
    n = 40
    rng = np.random.default_rng(0)
    ill = rng.random(n) < 0.5
    values = np.where(ill, 10.0, 0.0)[:, None] + rng.random((n, 4))
    data = sq.Series(values=values, sensitive={"ill": np.where(ill, "yes", "no").tolist()})
    lo, hi = np.where(ill, 10.0, 0.0), np.where(ill, 11.0, 1.0)
    columns = {"record": np.arange(n), "group": ill.astype(int)}
    for j in range(4):
        columns |= {f"t{j + 1}_lo": lo, f"t{j + 1}_hi": hi}
    columns["ill"] = np.where(ill, "yes", "no").tolist()
    told = planted.release({"records": pa.table(columns)}, k=10)
    strangers = take(data, np.arange(20))
    found = outcome(sq.attack(told, data, control=strangers), "inference of ill")
    assert found["success"] == 1 and found["control"] == 1 and found["excess"] == 0
    assert 0.5 <= found["baseline"] < 0.7


# Activity -------------------------------------------------------------------------------------------------------


def test_a_unique_outlier_shows_through_a_mixture_of_k_people():
    data, method = planted.crowd(), planted.ToyMixture(k=5)
    shown = sq.attack(
        sq.anonymize(data, method, seed=1), data, control=planted.crowd(seed=3, outlier=(5, 20, 50)), sample=1000
    )
    moments = outcome(shown, "own moments shown")
    assert moments["success"] >= 1 / 3 and moments["control"] == 0
    alone = leave_one_out(data, method, runs=12, outliers=1, seed=0)
    # Each moment appears with probability 1 - (4/5)^5 = 0.67, one of three with 0.96; it never appears without them.
    assert alone.rate >= 0.75 and alone.control == 0


def test_a_release_that_ignores_the_data_gives_nobody_away():
    data, method = planted.crowd(outlier=()), planted.ToyConstant(k=5)
    release = sq.anonymize(data, method, seed=1)
    found = sq.attack(release, data, control=planted.crowd(seed=9, outlier=()))
    for row in found.rows["attacks"]:
        if row["attack"].startswith("membership"):
            assert row["low"] <= row["baseline"] + 0.05, row
    assert found.holds, str(found)
    assert leave_one_out(planted.crowd(), method, runs=6, outliers=2, seed=0).rate == 0


def test_the_twin_run_provides_a_control_group():
    data, method = planted.crowd(n=60), planted.ToyMixture(k=5)
    found = sq.attack(sq.anonymize(data, method, seed=1), data, knowledge=3)
    assert "The control group are 12 people held out of a second run." in found.summary
    linked = outcome(found, "linkage by 3 intervals")
    assert linked["controls"] == 12 and linked["bound"] == 0.2 and linked["success"] <= 0.2
    assert all(row["control"] is not None for row in found.rows["attacks"] if row["attack"] != "own moments shown")


def test_copied_rows_are_recognised_as_members():
    rng = np.random.default_rng(0)
    people = Activities(states=rng.integers(0, 3, (60, 200)), state_names=("a", "b", "c"))
    strangers = Activities(states=rng.integers(0, 3, (60, 200)), state_names=("a", "b", "c"))
    flat = pa.ListArray.from_arrays(np.arange(61, dtype=np.int32) * 200, pa.array(people.states.ravel()))
    rows = pa.table({"record": np.arange(60), "states": flat})
    copied = planted.release({"sequences": rows, **planted.activity_facts(people)})
    found = sq.attack(copied, people, control=strangers)
    assert outcome(found, "membership by nearest row at 10% false alarms")["success"] == 1
    assert found["closest_record_is_an_original"] == 1


# Events ---------------------------------------------------------------------------------------------------------


def test_a_copied_patient_in_a_synthetic_log_is_found():
    originals, strangers = planted.random_traces(60, 0), planted.random_traces(60, 1)
    synthetic = planted.random_traces(60, 2)
    clean = sq.attack(planted.released_log(synthetic), planted.log_of(originals), control=planted.log_of(strangers))
    assert outcome(clean, "unique traces copied")["success"] == 0
    synthetic[5] = originals[17]
    found = sq.attack(planted.released_log(synthetic), planted.log_of(originals), control=planted.log_of(strangers))
    copied = outcome(found, "unique traces copied")
    assert copied["success"] == pytest.approx(1 / 60) and copied["control"] == 0
    assert found["released_traces_equal_to_an_original"] == pytest.approx(1 / 60)
    one = sq.attack(
        planted.released_log(synthetic),
        take(planted.log_of(originals), np.array([17])),
        control=planted.log_of(strangers),
    )
    assert outcome(one, "linkage by 4 events")["success"] >= 0.5


def test_a_copied_log_gives_every_member_away_and_a_fresh_one_nobody():
    originals, strangers = planted.random_traces(80, 0), planted.random_traces(80, 1)
    log, control = planted.log_of(originals), planted.log_of(strangers)
    copied = outcome(
        sq.attack(planted.released_log(originals), log, control=control),
        "membership by nearest object at 10% false alarms",
    )
    fresh = outcome(
        sq.attack(planted.released_log(planted.random_traces(80, 2)), log, control=control),
        "membership by nearest object at 10% false alarms",
    )
    assert copied["success"] > 0.95 and copied["area_under_curve"] > 0.95
    assert fresh["low"] < 0.12 and abs(fresh["area_under_curve"] - 0.5) < 0.12


# Text -----------------------------------------------------------------------------------------------------------


def test_a_name_left_visible_is_found():
    data, labels = planted.corpus()
    hidden = planted.masked(data, lambda i: (8, 17))
    found = sq.attack(hidden, data, labels=labels)
    assert outcome(found, "private spans readable")["success"] == 0
    assert outcome(found, "rare private spans readable")["bound"] == 0 and found.holds
    left = planted.masked(data, lambda i: (8, 17) if i != 4 else (0, 0))
    found = sq.attack(left, data, labels=labels)
    read = outcome(found, "rare private spans readable")
    assert read["success"] == pytest.approx(1 / 30)
    assert not found.holds, "a name only one person has must not be readable under a promise by person"
    by_occurrence = sq.attack(planted.masked(data, lambda i: (0, 0), unit="occurrence"), data, labels=labels)
    assert outcome(by_occurrence, "rare private spans readable")["covered"] is False


def test_half_a_name_is_told_before_whole_ones():
    data, labels = planted.corpus()
    cut = sq.attack(planted.masked(data, lambda i: (8, 10)), data, labels=labels)  # two letters of each name
    assert outcome(cut, "private spans readable")["success"] == 0
    assert outcome(cut, "private spans half visible")["success"] == 1
    assert outcome(cut, "private characters visible")["success"] > 0.7
    assert cut.summary.startswith("Of the labelled private characters ")
    gone = sq.attack(planted.masked(data, lambda i: (8, 17)), data, labels=labels)
    assert outcome(gone, "private spans half visible")["success"] == 0


def test_substrings_link_a_document_that_shows_its_name():
    data, _ = planted.corpus()
    bare = sq.attack(planted.masked(data, lambda i: (0, 0)), data, knowledge=4)
    hidden = sq.attack(planted.masked(data, lambda i: (8, 17)), data, knowledge=4)
    assert outcome(bare, "linkage by 4 substrings")["success"] > 0.5
    assert outcome(hidden, "linkage by 4 substrings")["success"] < 0.1


def test_labels_are_read_from_a_file_or_refused(tmp_path):
    data, labels = planted.corpus()
    good = tmp_path / "labels.jsonl"
    good.write_text("\n".join(json.dumps(row) for row in labels), "utf-8")
    found = sq.attack(planted.masked(data, lambda i: (8, 17)), data, labels=good)
    assert outcome(found, "private spans readable")["targets"] == 30
    with pytest.raises(sq.InputError) as caught:
        sq.attack(planted.masked(data, lambda i: (8, 17)), data, labels=tmp_path / "no.jsonl")
    assert str(caught.value) == ("attack: the labels 'no.jsonl' do not exist. Check the path.")
    with pytest.raises(sq.InputError) as caught:
        sq.attack(planted.masked(data, lambda i: (8, 17)), data, labels=[{"doc": 1}])
    assert str(caught.value) == "attack: line 1 of the labels lacks `document` or `spans` ([[start, end], …])."


# Symbols --------------------------------------------------------------------------------------------------------


def test_a_guess_at_a_gram_counts_those_at_the_ends_of_a_series_too():
    data = sq.sample("symbols", n_people=40, seed=1)
    release = sq.anonymize(data, sq.NgramK(k=3, n=3), seed=1)
    row = outcome(sq.attack(release, data, seed=1), "rare 3-grams listed")
    possible = sum((outside + 1) * len(data.alphabet) ** (3 - outside) for outside in range(3))
    listed = sum(order == 3 for order in release.tables["ngrams"]["order"].to_pylist())
    assert row["baseline"] == listed / possible <= 1


def test_rare_grams_listed_told_by_k_and_subtracted():
    data = planted.symbol_people(["abababab", "abababab", "abababac"])
    lifted = {"a b": 11, "b a": 9, "a c": 3, "a": 12, "b": 11, "c": 3}
    table = planted.release({"ngrams": planted.Grams(lifted).table()}, k=3, unit="occurrence")
    found = sq.attack(table, data)
    assert outcome(found, "rare 2-grams listed")["success"] == 1
    assert outcome(found, "rare 2-grams listed")["covered"] is False
    told = outcome(found, "rare grams told by a count of k")
    assert told["success"] == 1 and told["control"] == 0
    suppressed = {"a b": 11, "b a": 9, "a": 12, "b": 11, "c": 1}  # f(a) - f(ab) = 1 is the suppressed `a c`
    person = planted.release({"ngrams": planted.Grams(suppressed).table()}, k=3, unit="person")
    broken = sq.attack(person, data)
    assert outcome(broken, "suppressed grams found by subtraction")["success"] == 1
    assert not broken.holds
    assert outcome(broken, "suppressed grams found by flow")["covered"] is True
    derived = {"a b": 11, "b a": 9, "a": 11, "b": 11}
    sound = sq.attack(planted.release({"ngrams": planted.Grams(derived).table()}, k=3, unit="person"), data)
    assert outcome(sound, "suppressed grams found by subtraction")["success"] == 0 and sound.holds


def balanced_release(counts, k):
    return planted.release({"ngrams": planted.Grams(counts).table()}, k=k, unit="person")


def cohort(seed):
    """Ten people who walk the same circle of four symbols; one of them takes two short cuts of their own."""
    rng = np.random.default_rng(seed)
    usual = ["".join("abcd"[(i + j) % 4] for j in range(41)) for i in range(9)]  # closed: they end where they began
    cuts = sorted(rng.choice(np.arange(4, 36, 4), 2, replace=False))
    own = "abcd" * 10 + "a"
    for at in reversed(cuts):
        own = own[:at] + "ca" + own[at:]  # `d c`, `c a`, `a a`: nobody else has them
    return planted.symbol_people([*usual, own])


@pytest.mark.parametrize("seed", range(5))
def test_the_flow_attack_finds_what_an_unbalanced_table_leaves_out_and_nothing_in_a_balanced_one(seed):
    data = cohort(seed)
    true = Counter(
        "".join(data.alphabet[s] for s in data.symbols[a:b])[i : i + 2]
        for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)
        for i in range(b - a - 1)
    )
    shared = {g: c for g, c in true.items() if g in ("ab", "bc", "cd", "da")}
    assert len(true) > len(shared)
    unbalanced = {" ".join(g): c for g, c in shared.items()}
    lower = Counter()
    for g, c in shared.items():
        lower[g[0]] += c
    naive = sq.attack(balanced_release(unbalanced | dict(lower), 3), data)
    row = outcome(naive, "suppressed grams found by flow")
    assert row["covered"] is True and row["success"] > 0 and not naive.holds
    release = sq.anonymize(data, sq.NgramK(k=3, n=2))
    sound = sq.attack(release, data)
    row = outcome(sound, "suppressed grams found by flow")
    assert row["covered"] is True and row["success"] == 0 and row["contexts_claimed"] == 0


# What they share --------------------------------------------------------------------------------------------------


def test_membership_threshold_and_area():
    strangers = np.arange(100.0)
    assert threshold_at(strangers, 0.1) == 89 and int((strangers > 89).sum()) == 10
    assert threshold_at(strangers, 0.01) == 98
    assert area(np.array([1.0]), np.array([0.0, 1.0, 2.0])) == 0.5 and area(np.array([]), strangers) is None
    none = planted.release({})
    assert [o.rate for o in membership("m", strangers, strangers, none)] == [0.1, 0.01]
    assert membership("m", strangers, strangers[:5], none) == []


def test_membership_bound_follows_the_proved_epsilon():
    dp = planted.release({}, status="proved", epsilon=1.0, delta=1e-6)
    strangers = np.arange(1000.0)
    caught = membership("m", strangers + 1e6, strangers, dp)
    assert caught[0].rate == 1 and 0.27 < caught[0].bound < 0.36 and caught[0].beats_bound
    assert not membership("m", strangers, strangers, dp)[0].beats_bound
    as_published = planted.release({}, status="as-published", epsilon=1.0)
    assert membership("m", strangers, strangers, as_published)[0].bound is None


def test_excess_is_what_is_left_after_the_control():
    one = Outcome(name="x", test="inference", successes=80, trials=100, control_successes=60, control_trials=100)
    assert one.excess == pytest.approx(0.5)
    below = Outcome(name="x", test="inference", successes=10, trials=100, control_successes=60, control_trials=100)
    assert below.excess == 0
    assert as_evidence([]).summary == "No attack applies to this release."


def test_a_seed_repeats_the_attack():
    data, method = planted.crowd(n=60), planted.ToyMixture(k=5)
    release = sq.anonymize(data, method, seed=1)
    first, again = (sq.attack(release, data, seed=4, shadows=2, outliers=1, sample=20).to_json() for _ in range(2))
    assert first == again and first["saw_original"] is True
    assert first != sq.attack(release, data, seed=5, shadows=2, outliers=1, sample=20).to_json()
    assert "membership by leave-one-out, outliers first" in [r["attack"] for r in first["rows"]["attacks"]]


@pytest.mark.parametrize("bad", [{"knowledge": 0}, {"sample": 0}, {"shadows": -1}, {"outliers": 0}, {"dial": (0,)}])
def test_bad_numbers_are_refused(bad):
    ((name, value),) = bad.items()
    low = 0 if name == "shadows" else 1
    value = value[0] if name == "dial" else value
    with pytest.raises(sq.ParameterError) as caught:
        sq.attack(planted.table_3(), planted.table_1(), **bad)
    assert str(caught.value) == f"attack: {name} must be a whole number of at least {low}, got {name}={value}."


def test_another_kind_of_control_is_refused():
    with pytest.raises(sq.InputError) as caught:
        sq.attack(planted.table_3(), planted.table_1(), control=planted.crowd())
    assert str(caught.value) == "attack: the control group is activity data, the source is series data."


def test_few_people_have_no_control_group():
    assert "No control group: fewer than 10 people." in sq.attack(planted.table_3(), planted.table_1()).summary


def test_selection_keeps_records_whole():
    log = planted.log_of(planted.random_traces(6, 0))
    part = take(log, np.array([4, 1]))
    assert part.states.tolist() == [*log.states[32:40], *log.states[8:16]] and part.persons.tolist() == ["5", "2"]
    data, _ = planted.corpus()
    assert take(data, np.array([3, 0])).texts == [data.text(3), data.text(0)]
    assert take(planted.table_1(), np.array([2])).sensitive["2011"].tolist() == [160]


@pytest.mark.parametrize("method_id", list(METHODS))
def test_every_method_can_be_attacked_on_its_sample_and_keeps_its_bounds(method_id):
    cls = sq.method_class(method_id)
    data = sq.sample(cls.accepts.kind, seed=1)
    found = sq.attack(sq.anonymize(data, cls(**cls.example), seed=7), data, sample=60)
    assert found.about == "attack" and found.saw_original
    assert found.rows["attacks"], "no attack applies"
    broken = [c for c in found.checks if not c.passed]
    assert not broken, broken
    for row in found.rows["attacks"]:
        assert row["low"] <= row["success"] <= row["high"] and row["baseline"] is not None


@pytest.mark.skipif("mcka" not in METHODS, reason="mcka is not registered")
def test_a_unique_outlier_in_mcka_as_printed_is_found_and_the_exact_option_hides_it():
    data = planted.crowd()
    printed = leave_one_out(data, sq.method_class("mcka")(k=5, literal=True), runs=10, outliers=1, seed=0)
    assert printed.rate >= 0.7 and printed.control == 0
    exact = leave_one_out(data, sq.method_class("mcka")(k=5, exact=True), runs=10, outliers=1, seed=0)
    assert exact.rate == 0


def _notes(n=24):
    """Two notes a person; common words throughout, and a combination of them that each note has alone."""
    common = [f"{a}{b}" for a in ("fever", "cough", "pain", "rash") for b in ("early", "late", "mild", "severe", "new")]
    rng = np.random.default_rng(3)
    texts = []
    for i in range(n):
        drawn = rng.choice(len(common), 9, replace=False)
        own = f"keyword{i // 2}"
        texts.append(f"The patient had {' '.join(common[j] for j in drawn)} and {own} was seen here today again.")
    return Corpus.from_texts(texts, persons=[f"p{i // 2}" for i in range(n)])


def test_what_is_known_of_a_note_finds_it_where_it_is_shown_and_not_where_it_is_hidden():
    data = _notes()
    bare = sq.attack(planted.masked(data, lambda i: (0, 0), unit="occurrence"), data)
    for name in (
        "found by a known sentence",
        "found by five known words in a row",
        "found by three common words known",
    ):
        assert outcome(bare, name)["success"] > 0.6, name
        assert outcome(bare, name)["baseline"] == 1 / 24 and outcome(bare, name)["covered"] is False
    gone = sq.attack(planted.masked(data, lambda i: (0, len(data.text(i))), unit="occurrence"), data)
    for row in gone.rows["attacks"]:
        if row["attack"].startswith("found by"):
            assert row["success"] == 0, row


def test_five_words_in_a_row_break_a_promise_by_person_that_shows_them():
    data = _notes()
    told = sq.attack(planted.masked(data, lambda i: (0, 0)), data)
    row = outcome(told, "found by five known words in a row")
    assert row["covered"] is True and row["bound"] == 0.5 and row["success"] > 0.5 and not told.holds


def test_two_notes_of_one_person_are_found_by_a_word_they_share():
    data = _notes()
    shown = sq.attack(planted.masked(data, lambda i: (0, 0), unit="occurrence"), data)
    assert outcome(shown, "two notes of one person")["success"] > 0.6
    assert outcome(shown, "two notes of one person")["baseline"] == pytest.approx(1 / 23)

    def own_word(i):
        at = data.text(i).index("keyword")
        return at, data.text(i).index(" was")

    hidden = sq.attack(planted.masked(data, own_word, unit="occurrence"), data)
    assert outcome(hidden, "two notes of one person")["success"] < 0.4


def test_a_hidden_word_is_restored_where_its_neighbours_tell_it():
    """Nine of ten notes show the word, one hides it between the same neighbours."""
    texts = ["Seen with mild fever today.", *["Seen with mild fever today."] * 9, "Seen with grave Zettbruch today."]
    data = Corpus.from_texts(texts)
    release = sq.anonymize(data, sq.KWords(k=3, unit="document", language="en"), seed=1)
    assert outcome(sq.attack(release, data), "hidden words restored")["success"] == 0, "a rare word cannot be told"
    old = {row["original"]: row["document"] for row in release.private["documents"].to_pylist()}["1"]
    rows = release.tables["documents"].to_pylist()
    for row in rows:
        row["text"] = row["text"].replace("mild", "[…]") if row["document"] == old else row["text"]
    documents = pa.Table.from_pylist(rows, schema=release.tables["documents"].schema)
    spans = pa.table({"document": [old], "start": [10], "end": [14]})
    planted_gap = replace(
        release, tables={**release.tables, "documents": documents}, private={**release.private, "spans": spans}
    )
    assert outcome(sq.attack(planted_gap, data), "hidden words restored")["success"] == 1
