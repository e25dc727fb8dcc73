"""Kapra and KPNaive on any panel: the promise holds, ranges are tight, words are true, few are suppressed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.methods.series.kapra import Kapra
from sequester.methods.series.kp_naive import KPNaive
from sequester.model import Series

FEW = settings(max_examples=20, deadline=None)
PATTERNS = ("prototype", "literal", "printed")


def panel(n, width, seed, kind):
    rng = np.random.default_rng(seed)
    if kind == "ties":
        values = rng.integers(0, 3, (n, width)).astype(float)
    elif kind == "constants":
        values = np.repeat(rng.integers(0, 4, (n, 1)).astype(float), width, axis=1)
    elif kind == "equal":
        values = np.tile(rng.normal(size=width), (n, 1))
    elif kind == "huge":
        values = rng.normal(size=(n, width)) * 1e12 + 1e13
    else:
        values = rng.normal(size=(n, width)).cumsum(axis=1)
    outcome = rng.choice(["a", "b", "c", "d", None], n).tolist()
    return Series(values=values, sensitive={"amount": rng.integers(0, 6, n).astype(float), "outcome": outcome})


panels = st.builds(
    panel, st.integers(4, 45), st.integers(1, 12), st.integers(0, 10**6),
    st.sampled_from(["walk", "ties", "constants", "equal", "huge"]),
)  # fmt: skip


@FEW
@given(
    panels, st.integers(2, 6), st.integers(2, 6), st.sampled_from(PATTERNS), st.sampled_from(["population", "sample"])
)
def test_any_panel_is_released_as_promised(data, k, p, pattern, std):
    own = {} if pattern == "prototype" else {"std": std}  # an average shape is normalised again
    method = Kapra(k=max(k, p), p=p, pattern=pattern, max_level=9, **own)
    if data.n_records < method.k:
        with pytest.raises(sq.InputError, match="Lower k or add data"):
            sq.anonymize(data, method, seed=1)
        return
    release = sq.anonymize(data, method, seed=1)
    verdict = sq.verify(release, data)
    assert verdict.holds, str(verdict)
    assert data.n_records - release.tables["records"].num_rows < p


@FEW
@given(panels, st.integers(2, 6))
def test_naive_keeps_the_counts_and_everybody(data, k):
    if data.n_records < k:
        return
    release = sq.anonymize(data, KPNaive(k=k, p=2, max_level=9), seed=1)
    verdict = sq.verify(release, data)
    assert verdict.holds, str(verdict)
    assert release.tables["records"].num_rows == data.n_records


@FEW
@given(panels, st.sampled_from(["drop", "fill"]), st.integers(0, 100))
def test_missing_values_follow_the_stated_rule(data, rule, seed):
    values = data.values.copy()
    values[np.random.default_rng(seed).random(values.shape) < 0.05] = np.nan
    holes = Series(values=values, sensitive=data.sensitive)
    method = Kapra(k=3, p=2, missing=rule, max_level=6)
    try:
        release = sq.anonymize(holes, method, seed=1)
    except sq.InputError as error:
        assert "left out" in str(error) or "Lower k" in str(error)
        return
    verdict = sq.verify(release, holes)
    assert verdict.holds, str(verdict)


def test_prototypes_lose_less_than_the_paper():
    steps = np.cumsum(np.random.default_rng(5).standard_normal(12001))
    data = Series(values=np.lib.stride_tricks.sliding_window_view(steps, 10)[::10])
    told = {}
    for pattern in PATTERNS:
        release = sq.anonymize(data, Kapra(k=10, p=5, pattern=pattern), seed=1)
        told[pattern] = sq.measure(data, release, n_queries=0, n_targets=0)
    assert told["prototype"]["value loss"] < told["literal"]["value loss"] * 0.3
    assert told["prototype"]["pattern loss"] < told["literal"]["pattern loss"] * 0.7
    default = sq.anonymize(data, Kapra(k=10, p=5), seed=1)
    assert default.tables["records"].equals(
        sq.anonymize(data, Kapra(k=10, p=5, pattern="prototype"), seed=1).tables["records"]
    )


def test_weight_trades_value_for_pattern():
    data = panel(600, 10, 4, "walk")
    told = [
        sq.measure(data, sq.anonymize(data, Kapra(k=8, p=4, weight=w), seed=1), n_queries=0, n_targets=0)
        for w in (0.05, 10.0)
    ]
    assert told[0]["value loss"] < told[1]["value loss"] and told[0]["pattern loss"] > told[1]["pattern loss"]


def test_scale_changes_nothing_but_the_ranges():
    data = panel(120, 8, 6, "walk")
    scaled = Series(values=np.asarray(data.values) * 64.0, sensitive=data.sensitive)
    one, two = (sq.anonymize(d, Kapra(k=6, p=3), seed=1).tables["records"] for d in (data, scaled))
    assert one["pattern"].equals(two["pattern"]) and one["group"].equals(two["group"])


def test_fewer_than_k_after_suppression_fall_back_to_one_group_without_patterns():
    data = Series(values=[[0, 1, 2], [0, 1, 2], [2, 1, 0]])
    table = sq.anonymize(data, Kapra(k=3, p=2, pattern="literal"), seed=1).tables["records"]
    assert table.num_rows == 3 and set(table["level"].to_pylist()) == {1}


def test_letters_travel_with_their_alphabet():
    values = np.random.default_rng(0).integers(0, 5, (40, 6))
    data = Series(values=values, letters=tuple("ABCDE"))
    release = sq.anonymize(data, Kapra(k=4, p=2), seed=1)
    assert sq.verify(release, data).holds
    assert release.tables["alphabet"].to_pydict() == {"value": [0, 1, 2, 3, 4], "letter": list("ABCDE")}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"k": 3, "p": 5},
            "Kapra: p must lie in 1..k, got p=5 with k=3. "
            "A pattern cannot be shared by more people than the group holds.",
        ),
        (
            {"k": 5, "p": 3, "l": 4},
            "Kapra: l must lie in 2..p, got l=4 with p=3. "
            "Those who share a pattern can hold at most 3 different values.",
        ),
        ({"k": 5, "p": 3, "harmless": ("x",)}, "Kapra: harmless needs l, got harmless=('x',) without l."),
        (
            {"k": 5, "p": 3, "l": 2, "near": ("days=wide",)},
            "Kapra: near must be a number of at least 0, or COLUMN=NUMBER, got near='days=wide'.",
        ),
        (
            {"k": 5, "p": 1, "pattern": "literal"},
            "Kapra: p=1 releases ranges without patterns, got pattern='literal'. "
            "A pattern that only one person shows would be that person's own; pass p of at least 2.",
        ),
        ({"k": 5, "p": 3, "ends_step": -1.0}, "Kapra: ends_step must be a number in 0.0..1e+100, got ends_step=-1.0."),
        (
            {"k": 5, "p": 3, "features": "slopes"},
            "Kapra: no package registers features named 'slopes' (entry point sequester.features). Available: none.",
        ),
        (
            {"k": 5, "p": 3, "features": "slopes", "pattern": "literal"},
            "Kapra: features needs pattern='prototype', got pattern='literal'.",
        ),
        (
            {"k": 5, "p": 3, "pattern": "word"},
            "Kapra: pattern must be one of prototype, literal, printed, got pattern='word'.",
        ),
        ({"k": 5, "p": 3, "max_level": 27}, "Kapra: max_level must be a whole number in 2..26, got max_level=27."),
        (
            {"k": 5, "p": 3, "publish_values": ("t1",), "publish_patterns": ("t2",)},
            "Kapra: publish_values and publish_patterns share no time; missing ranges and letters could not be "
            "estimated from each other. Publish at least one time in both.",
        ),
        (
            {"k": 5, "p": 3, "publish_values": ("t1",), "pattern": "prototype"},
            "Kapra: pattern='prototype' cannot be combined with publish_values or publish_patterns: bounds on "
            "unpublished values hold only for a record's own letters. Pass pattern='literal'.",
        ),
        ({"k": 5, "p": 3, "publish_values": ("t1", "t1")}, "Kapra: publish_values names a time twice."),
    ],
)
def test_parameters_are_refused_in_a_sentence(parameters, message):
    with pytest.raises(sq.ParameterError) as caught:
        Kapra(**parameters)
    assert str(caught.value) == message


def refusal(data, **parameters):
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(data, Kapra(**{"k": 3, "p": 2, **parameters}), seed=1)
    return str(caught.value)


def test_data_is_refused_in_a_sentence():
    data = Series(values=np.zeros((4, 2)), sensitive={"amount": [1, 1, 1, 1]})
    assert refusal(data, k=5) == "anonymize: k=5 needs 5 people, the data has 4. Lower k or add data."
    assert refusal(data, l=2) == (
        "Kapra: the most frequent number of the sensitive column 'amount' is held by 100% of those with a value; with "
        "l=2 at most 50% may, so no grouping can hide it. Lower l, or leave the column out."
    )
    home = Series(values=np.zeros((4, 2)), sensitive={"outcome": ["home", "home", "home", "died"]})
    way = "Name that value as harmless (harmless=), lower l, or leave the column out."
    assert refusal(home, k=4, l=2).endswith(way)
    assert refusal(data, publish_values=("t9",)) == (
        "Kapra: publish_values names 't9', which is not a time of the data. Did you mean 't2'?"
    )
    three = Series(values=np.zeros((4, 3)))
    assert refusal(three, publish_values=("t1",), publish_patterns=("t1", "t2")) == (
        "Kapra: 't3' would be released neither as a range nor as a letter, yet shape the patterns. "
        "Leave it out when reading (quasi=), or add it to publish_values or publish_patterns."
    )
    twice = Series(values=np.zeros((4, 2)), persons=["a", "a", "b", "c"])
    assert refusal(twice) == (
        "Kapra: 4 records belong to 3 people, and a promise per person needs one record each. "
        "Keep one record per person, or pass unit='record' for a promise that counts records."
    )
    release = sq.anonymize(twice, Kapra(k=3, p=2, unit="record"), seed=1)
    assert release.guarantee.unit == "record" and sq.verify(release, twice).holds
    holes = Series(values=[[1, np.nan], [1, 2], [2, 3], [3, 4]])
    assert refusal(holes) == (
        "Kapra: 1 value is missing in 1 of 4 records (first at row 1). Pass missing='drop' to leave those records "
        "out or missing='fill' to interpolate."
    )
    assert refusal(holes, k=4, missing="drop") == (
        "anonymize: k=4 needs 4 people, the data has 3 after 1 with missing values were left out. Lower k or add data."
    )
    clash = Series(values=np.zeros((4, 2)), sensitive={"group": [1, 2, 3, 4]})
    assert refusal(clash) == "Kapra: the sensitive column 'group' has the name of a released column. Rename it."


def test_records_leave_in_random_order_under_new_numbers():
    data = panel(60, 5, 1, "walk")
    release = sq.anonymize(data, Kapra(k=5, p=2), seed=3)
    assert release.tables["records"]["record"].to_pylist() == list(range(1, 61))
    rows = release.private["origin"]["row"].to_pylist()
    assert rows != sorted(rows) and sorted(rows) == list(range(1, 61))
