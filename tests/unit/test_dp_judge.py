"""The judge of differential privacy adds up again, and says no where it should."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pyarrow as pa
import pytest

from sequester.guarantees.differential_privacy import differential_privacy
from sequester.guarantees.ledger import Ledger, Spend
from sequester.guarantees.zcdp import epsilon_of, gaussian_scale
from sequester.verify.dp import epsilon_of_rho, judge

PROMISE = differential_privacy(1.0, 1e-6, "person", ("population facts",))


def tables():
    states = pa.FixedSizeListArray.from_arrays(pa.array([0, 1, 1, 0, 0, 1], pa.uint8()), 3)
    return {
        "sequences": pa.table({"record": pa.array([0, 1], pa.int32()), "states": states}),
        "states": pa.table({"code": pa.array([0, 1], pa.uint8()), "name": ["rest", "walk"]}),
        "calendar": pa.table({"start": ["2000-01-03"], "interval_seconds": [60], "intervals": [3]}),
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
    return SimpleNamespace(tables=given or tables(), guarantee=guarantee, parameters={}, ledger=ledger, private={})


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


def test_codes_without_a_name_are_refused():
    given = tables()
    given["states"] = given["states"].slice(0, 1)
    assert verdict(honest(), given=given)["every code is a named state"] is False


def test_broken_state_columns_fail_without_a_traceback():
    given = tables()
    for column in (pa.array(["a", "b"]), pa.array([[0, 1, 1], [0]], pa.list_(pa.uint8())), pa.array([None, [0, 1, 1]])):
        given["sequences"] = pa.table({"record": pa.array([0, 1], pa.int32()), "states": column})
        assert verdict(honest(), given=given)["states are bytes"] is False
