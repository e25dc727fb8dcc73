"""The verdict of a report: rules that are written down, each with its fact; and the figures beside halves of people."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

import sequester as sq
from sequester.pages.custodian import custodian_page, five_section
from sequester.pages.decide import CANDIDATES, CIRCLES, EPSILONS, FEW, HOUSE, OPEN, PARTNERS, found_rules
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


def rules_of_the_page():
    """(rule, fact) → circle, as the table in docs says it."""
    out, rule = {}, ""
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 3 and cells[2] in WRITTEN:
            rule = cells[0] or rule
            out[rule.split(" (")[0], cells[1]] = WRITTEN.index(cells[2])
    return out


WRITTEN = ("nobody", "inside the house", "partners", "open data")
BETTER = {"low": 0.2, "high": 0.3, "control": 0.1}
LIKE_STRANGERS = {"low": 0.1, "high": 0.3, "control": 0.1, "baseline": 0.05}


def account(spends="", figures=(), outcome=None):
    rows = {"in_the_account": [{"release": "x", "spends": spends}]}
    if outcome:
        rows["earlier_releases"] = [{"release": "x", "outcome": outcome}]
    return [{"about": "account", "rows": rows, "figures": [{"value": v} for v in figures]}]


def original_of(people):
    return [{"about": "reading", "rows": {"lines": [{"line": f"Person = 2 people: {people} people, 4,077 events"}]}}]


def manifest(name, **changed):
    found = bundle(name)
    found.manifest.update(changed)
    return found


def dp(epsilon, delta=1e-9):
    return lambda: promising("markov-dp", parameters={"epsilon": epsilon, "delta": delta})


def k(k, p=None):
    return lambda: promising("kapra", parameters={"k": k, "p": p or k})


def made(name):
    return lambda: bundle(name)


SITES = {"sites": 3, "collude": 0, "trusted_combiner": True, "study": "0" * 64, "people": "disjoint"}
CASES = {
    ("seed", "the noise was drawn"): [(lambda: manifest("markov-dp", teaching_only=True), None)],
    ("grade", "proved or verified"): [(made("markov-dp"), None), (made("kapra"), None)],
    ("grade", "as published"): [(lambda: promising("kapra", status="as-published"), None), (made("mcka"), None)],
    ("grade", "not yet checked"): [(lambda: promising("kapra", status="verifiable"), None)],
    ("unit", "a whole person"): [(made("kapra"), None)],
    ("unit", "one record"): [(lambda unit=u: promising("kapra", unit=unit), None)
                             for u in ("record", "document", "occurrence")],
    ("bound, differential privacy", "ε of at most 10"): [(dp(1), None), (dp(10), None)],
    ("bound, differential privacy", "ε above 10"): [(dp(10.5), None)],
    ("bound, differential privacy", "δ of more"): [(dp(1, 0.5), None), (dp(1, 0.02), original_of(60))],
    ("bound, k", "one among at least 11"): [(k(11), None), (k(11, 1), None)],
    ("bound, k", "one among at least 5"): [(k(11, 5), None), (k(5), None)],
    ("bound, k", "fewer"): [(k(20, 4), None), (k(4, 1), None)],
    ("sites", "several sites"): [(lambda: manifest("markov-dp", federation=SITES), None)],
    ("free text", "words are counted"): [(made("k-words"), None), (made("word-frequency"), None)],
    ("people", "at least 100"): [(made("ngram-k"), None), (made("kapra"), original_of(100))],
    ("people", "fewer"): [(made("kapra"), None), (made("ngram-dp"), original_of(99))],
    ("attacks", "none is surely better"): [
        (made("kapra"), attack(**LIKE_STRANGERS)), (made("kapra"), attack(**BETTER, bound=0.25)),
        (made("markov-dp"), []), (made("markov-dp"), attack(**BETTER, epsilon=4.0)),
    ],
    ("attacks", "one is; or none was made"): [
        (made("kapra"), []), (made("kapra"), attack(**BETTER)),
        (made("kapra"), attack(low=0.3, high=0.4, control=0.1, bound=0.25, covered=False)),
    ],
    ("attacks", "one is, and the release is as published"): [(made("mcka"), attack(**BETTER))],
    ("attacks", "one surely beats"): [(made("kapra"), attack(low=0.3, high=0.4, control=0.1, bound=0.25))],
    ("earlier releases", "none;"): [
        (made("kapra"), []), (made("kapra"), account(outcome="fine")), (made("markov-dp"), account(figures=[8.0])),
    ],
    ("earlier releases", "otherwise"): [
        (made("kapra"), account()), (made("kapra"), account(outcome="narrows people down")),
        (made("markov-dp"), account(figures=[11.0])), (made("markov-dp"), account(figures=[None])),
        (made("markov-dp"), account("unbounded", [1.0])),
    ],
}  # fmt: skip
"""Rule and how its fact begins on the page → releases of which that is true."""


@pytest.mark.parametrize("row", rules_of_the_page(), ids=" · ".join)
def test_the_code_decides_as_the_page_is_written(row):
    """Every line of the table in docs, and nothing that the table lacks."""
    written, (name, fact) = rules_of_the_page()[row], row
    cases = [case for (rule_, start), case in CASES.items() if rule_ == name and fact.startswith(start)]
    assert len(cases) == 1, "a line of the page that nobody tries, or two that begin alike"
    for make, evidence in cases[0]:
        found = rule(make(), name.split(",")[0], evidence)
        assert found.allows == written and (found.change or written == OPEN), found


def test_the_page_has_every_rule_and_its_numbers():
    assert len(CASES) == len(rules_of_the_page())
    named = {name.split(",")[0] for name, _ in rules_of_the_page()}
    assert {r.name for n in MADE for r in found_rules(bundle(n), []) if r} <= named
    assert f"ε of at most {EPSILONS[1]:g} |" in PAGE and f"ε ≤ {EPSILONS[0]:g} strong" in PAGE
    assert all(f"one among at least {k} |" in PAGE for k in CANDIDATES) and f"| people | at least {FEW}, " in PAGE


@pytest.mark.parametrize("name", ["kapra", "markov-dp"])
def test_the_public_verdict_says_what_it_does_not_count(name):
    assert "Attacks and earlier releases are not counted here" in section(bundle(name)).says
    assert "not counted" not in section(bundle(name), []).says
    assert ("taking part is a secret" in section(bundle(name)).after) == (name != "markov-dp")
    assert section(manifest(name, teaching_only=True)).says.startswith("Fit for nobody")


def test_declared_people_are_not_said_to_be_seen():
    assert re.fullmatch(r"at least \d+ people, as declared", rule(bundle("markov-dp"), "people").fact)
    assert rule(bundle("markov-dp"), "people", original_of("1,050")).fact == "1,050 people in the original"
    nobody = "Nobody knows whose records these are: no column of people was named: 40 notes"
    unknown = [{"about": "reading", "rows": {"lines": [{"line": nobody}]}}]
    assert rule(bundle("kapra"), "people", unknown).fact == rule(bundle("kapra"), "people").fact


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
