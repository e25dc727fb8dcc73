"""The verdict of a report: rules that are written down, each with its fact; and the figures beside halves of people."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

import sequester as sq
from sequester.pages.custodian import custodian_page, five_section
from sequester.pages.decide import CANDIDATES, CIRCLES, EPSILONS, FEW, HOUSE, NOBODY, OPEN, PARTNERS, found_rules
from sequester.pages.decide import verdict_section as section
from sequester.pages.in_figures import figures_section
from sequester.utility import portraits
from sequester.utility.plain_figures import five_figures
from tests.golden.make_bundles import BUNDLES, MADE, original

PAGE = (Path(__file__).parents[2] / "docs" / "decide.md").read_text("utf-8")
PUBLIC = {
    "activity-dp": OPEN, "bfp2ka": PARTNERS, "events-ngram-dp": OPEN, "k-repeats": HOUSE, "k-words": HOUSE,
    "kapra": HOUSE, "kp-naive": HOUSE, "markov-dp": OPEN, "markov-ratio": PARTNERS, "mcdp": PARTNERS,
    "mcka": PARTNERS, "mdav-dp": PARTNERS, "mdav-ka": PARTNERS, "ngram-copy": PARTNERS, "ngram-dp": OPEN,
    "ngram-k": HOUSE, "tga": PARTNERS, "word-frequency": HOUSE,
}  # fmt: skip


def bundle(name):
    return sq.open_bundle(BUNDLES / f"{name}.bundle")


def promising(name, **changed):
    """A bundle with another promise: what a rule says must hang on its own fact alone."""
    found = bundle(name)
    parameters = {**found.guarantee.parameters, **changed.pop("parameters", {})}
    promise = dataclasses.replace(found.guarantee, parameters=parameters, **changed)
    vars(found)["guarantee"] = promise
    return found


def rule(found, name, evidence=None):
    return next((r for r in found_rules(found, evidence) if r and r.name == name), None)


def attack(**row):
    return [{"about": "attack", "rows": {"attacks": [{"attack": "a", "success": row["low"], **row}]}}]


@pytest.mark.parametrize("name", MADE)
def test_every_method_has_a_verdict_and_every_rule_says_what_would_change_it(name):
    found = [r for r in found_rules(bundle(name), None) if r]
    assert min(r.allows for r in found) == PUBLIC[name], [(r.name, r.allows) for r in found]
    assert all(r.fact and (r.change or r.allows == OPEN) for r in found)
    told = section(bundle(name))
    narrow = [r.name for r in found if r.allows == PUBLIC[name]]
    assert told.says.startswith("Fit for") and (PUBLIC[name] == OPEN or all(n in told.says for n in narrow))
    assert [row[2] for row in told.rows] == [CIRCLES[r.allows] for r in found]


def test_the_numbers_of_the_rules_stand_on_the_page():
    assert f"ε of at most {EPSILONS[1]:g} |" in PAGE and f"ε ≤ {EPSILONS[0]:g} strong" in PAGE
    assert all(f"one among at least {k} |" in PAGE for k in CANDIDATES) and f"at least {FEW}, or not told" in PAGE
    named = {row.split("|")[1].split(",")[0].split("(")[0].strip() for row in PAGE.splitlines() if row.startswith("| ")}
    found = {r.name for n in MADE for r in found_rules(bundle(n), []) if r} | {"seed"}
    assert found <= named


@pytest.mark.parametrize(
    "k, p, allows", [(11, 11, OPEN), (11, 5, PARTNERS), (5, 5, PARTNERS), (20, 4, HOUSE), (4, 1, HOUSE)]
)
def test_the_smaller_of_k_and_p_counts(k, p, allows):
    assert rule(promising("kapra", parameters={"k": k, "p": p}), "bound").allows == allows


@pytest.mark.parametrize(
    "epsilon, delta, allows", [(1, 1e-9, OPEN), (10, 1e-9, OPEN), (10.5, 1e-9, PARTNERS), (1, 0.5, HOUSE)]
)
def test_epsilon_and_delta(epsilon, delta, allows):
    assert rule(promising("markov-dp", parameters={"epsilon": epsilon, "delta": delta}), "bound").allows == allows


@pytest.mark.parametrize("changed, name, allows", [
    ({"unit": "record"}, "unit", PARTNERS), ({"status": "verifiable"}, "grade", HOUSE),
    ({"status": "as-published"}, "grade", PARTNERS),
])  # fmt: skip
def test_unit_and_grade(changed, name, allows):
    assert rule(promising("kapra", **changed), name).allows == allows


def test_a_seed_is_for_nobody():
    found = bundle("markov-dp")
    found.manifest["teaching_only"] = True
    assert section(found).says.startswith("Fit for nobody")


@pytest.mark.parametrize("name, evidence, allows", [
    ("kapra", [], PARTNERS),
    ("markov-dp", [], OPEN),
    ("kapra", attack(low=0.1, high=0.3, control=0.1, baseline=0.05), OPEN),
    ("kapra", attack(low=0.2, high=0.3, control=0.1, baseline=0.05), PARTNERS),
    ("kapra", attack(low=0.2, high=0.3, control=0.1, bound=0.25), OPEN),
    ("kapra", attack(low=0.3, high=0.4, control=0.1, bound=0.25), NOBODY),
    ("kapra", attack(low=0.3, high=0.4, control=0.1, bound=0.25, covered=False), PARTNERS),
    ("mcka", attack(low=0.2, high=0.3, control=0.1), HOUSE),
    ("markov-dp", attack(low=0.2, high=0.3, control=0.1, epsilon=4.0), OPEN),
])  # fmt: skip
def test_attacks_count_beside_strangers_guesses_and_the_bound(name, evidence, allows):
    assert rule(bundle(name), "attacks", evidence).allows == allows


def account(spends="", figures=(), outcome=None):
    rows = {"in_the_account": [{"release": "x", "spends": spends}]}
    if outcome:
        rows["earlier_releases"] = [{"release": "x", "outcome": outcome}]
    return [{"about": "account", "rows": rows, "figures": [{"value": v} for v in figures]}]


@pytest.mark.parametrize("name, evidence, allows", [
    ("kapra", [], OPEN), ("kapra", account(outcome="fine"), OPEN), ("kapra", account(), PARTNERS),
    ("kapra", account(outcome="narrows people down"), PARTNERS), ("markov-dp", account(figures=[8.0]), OPEN),
    ("markov-dp", account(figures=[11.0]), PARTNERS), ("markov-dp", account(figures=[None]), PARTNERS),
    ("markov-dp", account("unbounded", [1.0]), PARTNERS),
])  # fmt: skip
def test_earlier_releases_count(name, evidence, allows):
    assert rule(bundle(name), "earlier releases", evidence).allows == allows


@pytest.mark.parametrize("name", MADE)
def test_some_figures_stand_beside_what_halves_of_the_people_differ_by(name):
    rows = five_figures(original(name), bundle(name))
    if name == "bfp2ka":  # letters have no values that could be compared
        assert rows == []
        return
    assert 3 <= len(rows) <= 5
    for row in rows:
        assert row["says"] and 0 <= row["distance"] <= 1 and 0 <= row["halves"] <= 1
        assert row["times"] is None or np.isclose(row["times"], row["distance"] / row["halves"])


def test_a_release_that_is_the_original_is_at_no_distance_and_noise_is_far():
    data = sq.sample("activity", n_people=40, days=2, seed=1)
    release = sq.anonymize(data, sq.MCKA(k=4), seed=1)
    states = np.asarray(data.states)
    same = _with_states(release, states)
    assert all(row["distance"] == 0 for row in five_figures(data, same))
    worse = five_figures(data, _with_states(release, np.random.default_rng(1).permuted(states, axis=1)))
    assert max(row["times"] for row in worse) > 5


def _with_states(release, states):
    import pyarrow as pa

    table = release.tables["sequences"]
    at = table.column_names.index("states")
    column = pa.array([row.tolist() for row in states[: table.num_rows]], table.schema.field("states").type)
    return dataclasses.replace(release, tables={**release.tables, "sequences": table.set_column(at, "states", column)})


def test_the_worst_figures_come_first_and_no_figure_is_called_by_a_code():
    data, found = original("markov-dp"), bundle("markov-dp")
    evidence = [e.to_json() for e in (*portraits(data, found), sq.measure(data, found))]
    told = five_section(evidence)[0]
    order = [float(row[1].lstrip("> ")) for row in told.rows]
    assert order == sorted(order, reverse=True) and all(row[0] in told.says for row in told.rows[:3])
    heads = re.findall(r'<th scope="row">([^<]*)</th>', custodian_page(found, "x", evidence))
    codes = {f["name"] for f in evidence[-1]["figures"] if "_" in f["name"]}
    assert "time between events, mean distance" in heads and codes and not codes & set(heads)


@pytest.mark.parametrize("name", MADE)
def test_the_public_report_tells_figures_that_anybody_can_compute(name):
    told = figures_section(bundle(name))
    if name in ("bfp2ka", "tga"):
        return
    assert 3 <= len(told[0].facts) <= 8
    assert ("was not paid" in told[0].after) == (bundle(name).guarantee.status == "proved")
