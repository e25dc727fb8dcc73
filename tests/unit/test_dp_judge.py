"""The judge of differential privacy adds up again, and says no where it should."""

import datetime
import math
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pyarrow as pa
import pytest

import sequester as sq
from sequester.dp.ledger import Ledger, Spend, epsilon_of, gaussian_scale
from sequester.guarantees.differential_privacy import differential_privacy
from sequester.judges.dp import epsilon_of_rho, judge
from sequester.judges.dp_mechanisms import MECHANISMS, Wanted

PROMISE = differential_privacy(1.0, 1e-6, "person", ("population facts",))


def tables():
    states = pa.FixedSizeListArray.from_arrays(pa.array([0, 1, 1, 0, 0, 1], pa.uint8()), 3)
    return {
        "sequences": pa.table({"record": pa.array([0, 1], pa.int32()), "states": states}),
        "states": pa.table({"code": pa.array([0, 1], pa.uint8()), "name": ["rest", "walk"]}),
        "calendar": pa.table({"start": [datetime.datetime(2000, 1, 3)], "interval_seconds": [60], "intervals": [3]}),
    }


def honest():
    ledger = Ledger.zcdp(epsilon=1.0, delta=1e-6)
    for name, share, sensitivity in (("count", 0.1, 1.0), ("profile", 0.8, 6.0)):
        rho = share * ledger.total
        ledger.spend(name, rho, sensitivity=sensitivity, scale=gaussian_scale(sensitivity, rho))
    rho = 0.1 * ledger.total
    ledger.spend("median", rho, kind="noisy-max", sensitivity=1.0, scale=2 / math.sqrt(8 * rho))
    return ledger


def claim(ledger, guarantee=PROMISE, given=None):
    return SimpleNamespace(
        tables=given or tables(),
        guarantee=guarantee,
        method_id="any",
        parameters={},
        ledger=ledger,
        federation=None,
        private={},
    )


@pytest.fixture(autouse=True)
def _any_mechanism(monkeypatch):
    """A method whose ledger may hold whatever it does hold: these tests are about adding up."""
    monkeypatch.setitem(
        MECHANISMS, "any", lambda c: {e.mechanism: Wanted(e.kind, (e.sensitivity,)) for e in c.ledger.entries}
    )


def verdict(*args, **kwargs):
    return {c.name: c.passed for c in judge(claim(*args, **kwargs), None)}


def test_an_honest_ledger_is_confirmed():
    assert all(verdict(honest()).values())


@pytest.mark.parametrize("rho", [1e-4, 0.0066, 0.02436, 0.3, 1.05, 20.0])
def test_own_conversion_agrees_with_the_house(rho):
    assert epsilon_of_rho(rho, 1e-6) == pytest.approx(epsilon_of(rho, 1e-6), rel=1e-9)


def test_conversion_meets_its_reference_figures():
    assert [round(epsilon_of_rho(r, 1e-6), 3) for r in (0.00664, 0.02436, 0.08815, 0.31106, 1.05236)] == [
        0.5,
        1,
        2,
        4,
        8,
    ]


def test_noise_one_percent_too_small_is_caught():
    ledger = honest()
    ledger.entries[1] = replace(ledger.entries[1], scale=ledger.entries[1].scale * 0.99)
    said = verdict(ledger)
    assert not said["noise pays for profile"] and not said["the sum keeps the promise"]


def test_an_amount_one_percent_too_large_is_caught():
    ledger = honest()
    ledger.entries[1] = replace(ledger.entries[1], amount=ledger.entries[1].amount * 1.01)
    said = verdict(ledger)
    assert not said["the entries add up"] and not said["the sum keeps the promise"]


def test_a_budget_larger_than_promised_is_caught():
    ledger = honest()
    ledger.total *= 1.01
    ledger.entries = [replace(e, amount=e.amount * 1.01, scale=e.scale / math.sqrt(1.01)) for e in ledger.entries]
    assert not verdict(ledger)["the sum keeps the promise"]


def test_a_promise_other_than_the_ledgers_is_caught():
    assert not verdict(honest(), differential_privacy(0.5, 1e-6, "person", ("x",)))["ledger and promise agree"]
    assert not verdict(honest(), differential_privacy(1.0, 1e-6, "record", ("x",)))["ledger and promise agree"]


def test_failure_probability_not_reserved_is_caught():
    ledger = honest()
    ledger.entries[0] = replace(ledger.entries[0], kind="threshold", delta=1e-7)
    assert not verdict(ledger)["failure probabilities add up"]


@pytest.mark.parametrize("change", [{"scale": 0.0}, {"sensitivity": 0.0}, {"kind": "magic"}, {"scale": math.inf}])
def test_an_entry_whose_cost_cannot_be_told_is_refused(change):
    ledger = honest()
    ledger.entries[0] = replace(ledger.entries[0], **change)
    assert not verdict(ledger)["noise pays for count"]


def test_no_ledger_or_no_numbers():
    assert verdict(None)["ledger"] is False
    ledger = honest()
    ledger.entries.append(Spend(mechanism="x", amount="much"))  # type: ignore[arg-type]
    assert verdict(ledger)["ledger"] is False


def test_gaussian_noise_cannot_keep_a_pure_promise():
    ledger = Ledger.pure(epsilon=1.0)
    ledger.spend("count", 1.0, sensitivity=1.0, scale=1.0)
    said = verdict(ledger, differential_privacy(1.0, 0.0, "person", ("x",)))
    assert not said["ledger is complete"] and not said["noise pays for count"]


def test_pure_laplace_is_confirmed():
    ledger = Ledger.pure(epsilon=1.0)
    ledger.spend("count", 1.0, kind="laplace", sensitivity=20.0, scale=20.0)
    assert all(verdict(ledger, differential_privacy(1.0, 0.0, "person", ("x",))).values())


def test_an_unknown_table_is_refused():
    assert verdict(honest(), given={"surprise": pa.table({"a": [1]})})["tables are known"] is False
    more = tables() | {"surprise": pa.table({"a": [1]})}
    assert verdict(honest(), given=more)["tables are the expected ones"] is False


def test_a_column_nobody_accounted_for_is_refused():
    given = tables()
    given["sequences"] = given["sequences"].append_column("person", pa.array(["a", "b"]))
    assert verdict(honest(), given=given)["columns of sequences"] is False


def test_means_of_clusters_have_no_place_beside_noise():
    means = pa.table({"cluster": [0], "name": ["age"], "mean": [61.0], "people": [2]})
    assert verdict(honest(), given=tables() | {"covariates": means})["tables are the expected ones"] is False


def test_codes_without_a_name_are_refused():
    given = tables()
    given["states"] = given["states"].slice(0, 1)
    assert verdict(honest(), given=given)["every code is a named state"] is False


def test_broken_state_columns_fail_without_a_traceback():
    given = tables()
    for column in (pa.array(["a", "b"]), pa.array([[0, 1, 1], [0]], pa.list_(pa.uint8())), pa.array([None, [0, 1, 1]])):
        given["sequences"] = pa.table({"record": pa.array([0, 1], pa.int32()), "states": column})
        assert verdict(honest(), given=given)["states are bytes"] is False


# The ledgers of the methods ---------------------------------------------------------------------------------------

METHODS = {
    "activity-dp": sq.ActivityDP(**sq.ActivityDP.example),
    "markov-dp": sq.MarkovDP(**sq.MarkovDP.example),
    "markov-dp rich": sq.MarkovDP(**sq.MarkovDP.example | {"people_at_least": 100_000, "states_at_most": 10}),
    "events-ngram-dp": sq.EventsNgramDP(**sq.EventsNgramDP.example),
    "ngram-dp": sq.NgramDP(**sq.NgramDP.example),
    "ngram-dp of symbols": sq.NgramDP(epsilon=4.0, n_max=3, average="symbol"),
    "ngram-dp with delta": sq.NgramDP(epsilon=4.0, n_max=3, average="symbol", delta=1e-6),
}


@cache
def released(name):
    method = METHODS[name]
    return sq.anonymize(sq.sample(method.accepts.kind), method, seed=1)


def rewritten(release, change):
    """The release with every entry of its ledger changed, or dropped where `change` returns None."""
    ledger = replace(release.ledger, entries=[e for e in map(change, release.ledger.entries) if e is not None])
    return replace(release, ledger=ledger)


def failed(release):
    return {c.name for c in sq.verify(release).checks if not c.passed}


@pytest.mark.parametrize("name", METHODS)
def test_a_mechanism_left_out_is_caught(name):
    release = released(name)
    assert not failed(release)
    for entry in release.ledger.entries if name != "events-ngram-dp" else release.ledger.entries[:1]:
        changed = rewritten(release, lambda e, gone=entry: None if e is gone else e)
        noticed = {"every mechanism is in the ledger", "the ledger holds the costliest path"} & failed(changed)
        assert noticed, entry.mechanism


@pytest.mark.parametrize("name", METHODS)
def test_sensitivities_and_noise_divided_alike_are_caught(name):
    release = released(name)
    changed = rewritten(release, lambda e: replace(e, sensitivity=e.sensitivity / 10, scale=e.scale / 10))
    assert "sensitivities are the method's" in failed(changed)
    for entry in release.ledger.entries:  # one alone as well
        smaller = replace(entry, sensitivity=entry.sensitivity / 10, scale=entry.scale / 10)
        changed = rewritten(release, lambda e, old=entry, new=smaller: new if e is old else e)
        assert "sensitivities are the method's" in failed(changed), entry.mechanism


def test_a_failure_probability_not_told_is_caught():
    """Without its delta a threshold leaves more for the conversion, and all noise could be smaller."""
    from sequester.dp.ledger import Ledger

    release = released("markov-dp rich")
    fresh = Ledger.zcdp(epsilon=release.ledger.epsilon, delta=release.ledger.delta)
    thrift = math.sqrt(release.ledger.total / fresh.total)
    entries = [
        replace(e, delta=0.0, amount=e.amount / thrift**2, scale=e.scale * thrift) for e in release.ledger.entries
    ]
    changed = replace(release, ledger=replace(fresh, entries=entries))
    assert "failure probabilities are the method's" in failed(changed)
    for name in ("states", "variants"):
        changed = rewritten(release, lambda e, name=name: replace(e, delta=e.delta / 2) if e.mechanism == name else e)
        assert failed(changed) == {"failure probabilities are the method's"}


def test_both_counts_of_gaps_have_one_clip():
    release = released("markov-dp")
    step = (release.parameters["max_events"] + 1.0) ** (1 / 59)  # from one point of the public grid to the next
    to, between = (next(e for e in release.ledger.entries if e.mechanism == n) for n in ("gaps to", "gaps between"))
    assert to.sensitivity == between.sensitivity
    for factor in (step, 1 / step):
        moved = replace(between, sensitivity=math.floor(between.sensitivity * factor), scale=between.scale * factor)
        changed = rewritten(release, lambda e, new=moved: new if e.mechanism == "gaps between" else e)
        assert "sensitivities are the method's" in failed(changed)


def test_a_mechanism_of_another_kind_and_an_unknown_method_are_caught():
    release = released("activity-dp")
    changed = rewritten(release, lambda e: replace(e, kind="gaussian"))
    assert "every mechanism is in the ledger" in failed(changed)
    stranger = SimpleNamespace(
        tables=release.tables,
        guarantee=release.guarantee,
        method_id="new-dp",
        parameters=release.parameters,
        ledger=release.ledger,
        federation=None,
        private={},
    )
    assert [c.detail for c in judge(stranger, None) if not c.passed] == [
        "no list of mechanisms is known for a method named 'new-dp'"
    ]


def test_noise_told_smaller_than_in_the_ledger_is_caught():
    release = released("activity-dp")
    table = release.tables["measurements"]
    half = table.set_column(3, "noise_sd", pa.array(table["noise_sd"].to_numpy() / 2))
    assert failed(replace(release, tables={**release.tables, "measurements": half})) == {
        "published noise is the ledger's"
    }
    gone = {k: t for k, t in release.tables.items() if k != "measurements"}
    assert failed(replace(release, tables=gone)) == {"every mechanism is in the ledger"}


@pytest.mark.parametrize("name", ["markov-dp", "events-ngram-dp"])
def test_a_log_needs_the_table_that_names_its_states(name):
    release = released(name)
    events = release.tables["events"]
    beside = {"markov-dp": "model", "events-ngram-dp": "codebook"}[name]
    assert f"table {beside}" in failed(replace(release, tables={"events": events}))
    states = events["state"].to_pylist()
    states[0] = "somebody's own"
    strange = {**release.tables, "events": events.set_column(2, "state", pa.array(states))}
    assert failed(replace(release, tables=strange)) == {f"states are those of the {beside}"}


def test_dates_outside_the_public_range_are_caught():
    release = released("markov-dp")
    events = release.tables["events"]
    late = pa.array(events["time"].cast(pa.int64()).to_numpy() + 3 * 366 * 86400).cast(pa.timestamp("s"))
    changed = {**release.tables, "events": events.set_column(1, "time", late)}
    assert failed(replace(release, tables=changed)) == {"dates keep the public range"}
