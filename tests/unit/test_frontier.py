"""Settings are compared by one attack and one loss; the report and the workbench take the rule from one place."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import sequester as sq
from sequester.pages import frontier
from sequester.pages.attacks import attack_section, frontier_section, success, verdict
from sequester.workbench import frontier as bench
from tests.accessibility import tree


def row(name, success, *, low=None, high=None, control=0.1, baseline=0.1, **more):
    return {
        "attack": name, "test": "linkability", "success": success, "low": success - 0.05 if low is None else low,
        "high": success + 0.05 if high is None else high, "control": control, "baseline": baseline, "bound": None,
        "covered": None, "says": "It is found", **more,
    }  # fmt: skip


def figure(name, value, better="lower", yardstick=0):
    return {"name": name, "value": value, "better": better, "says": "", "yardstick": yardstick}


def test_the_first_yardstick_is_taken_though_another_attack_is_stronger():
    tables = [[row("membership by own moments", 0.2, yardstick=1), row("linkage", s, yardstick=2), row("best", 0.95)]
              for s in (0.9, 0.1)]  # fmt: skip
    assert frontier.one_attack(tables) == "membership by own moments"
    assert frontier.one_attack([tables[0], tables[1][1:]]) == "linkage", "not all settings have the first"


def test_of_a_membership_attack_one_outcome_may_stand_for_risk():
    from sequester.attacks.membership import membership

    inside, outside = np.arange(100.0), np.arange(100.0) - 20
    promise = SimpleNamespace(guarantee=sq.Kapra(k=4, p=2).guarantee)
    found = membership("membership", inside, outside, promise, oddness=(inside, outside), yardstick=1)
    assert [(o.name, o.yardstick) for o in found if o.yardstick] == [("membership at 10% false alarms", 1)]
    assert len(found) == 3 and {o.row()["yardstick"] for o in found} == {0, 1}


def test_without_it_the_shared_attack_that_surely_gains_most_is_taken():
    tables = [[row("a", 0.3), row("b", 0.6), row("only here", 0.99)], [row("a", 0.9), row("b", 0.5)]]
    assert frontier.one_attack(tables) == "a"
    assert frontier.one_attack([]) == "" and frontier.one_attack([[]]) == ""


def test_the_loss_moves_with_the_parameters():
    """`records suppressed` was 0 at every setting of kapra, and was the axis all the same."""
    tables = [[figure("records suppressed", 0, yardstick=1), figure("kept", v, "higher"),
               figure("value loss per record", v, yardstick=2)] for v in (1.0, 2.0)]  # fmt: skip
    assert list(frontier.measures(tables)) == ["value loss per record", "kept", "records suppressed"]
    assert list(frontier.measures([[figure("a", 1)], [figure("b", 1)]])) == []


def test_the_workbench_and_the_report_choose_the_same():
    name = "membership by envelopes, whole series"
    settings = [{"k": k, "attacks": [row("linkage by 4 values", 1 / k, yardstick=2), row(name, s, yardstick=1)],
                 "figures": [figure("records suppressed", 0), figure("value loss per record", float(k), yardstick=1)]}
                for k, s in ((4, 0.8), (8, 0.4))]  # fmt: skip
    trials = [{"job": i, "settings": {"method": "kapra", "parameters": {"k": s["k"]}},
               "result": {"layout": "boxes", "holds": True, **s}} for i, s in enumerate(settings)]  # fmt: skip
    from sequester.tuning import _comparable

    told = _comparable([{"promise": "", "holds": True, "bounds_kept": True, **s} for s in settings])
    attack, use = bench.attack_of(trials), next(iter(bench.measures(trials)))
    assert {r["attack"] for r in told} == {attack} == {"membership by envelopes, whole series"}
    assert {r["loss_is"] for r in told} == {use} == {"value loss per record"}
    points = bench.points(trials, use, attack, pins=(1,))
    assert [(p["x"], p["y"], p["low"], p["high"]) for p in points] == [
        (r["loss"], r["risk"], r["low"], r["high"]) for r in told
    ]
    assert told[0]["strongest_attack"] == "membership by envelopes, whole series"
    drawn = str(bench.drawing(points, bench.measures(trials)[use]))
    assert drawn.count('class="point"') == 2 and 'href="/job/0"' in drawn and "40% (35% to 45%)" in drawn


def test_the_picture_has_an_interval_per_point_and_five_columns_first():
    rows = [{"k": k, "promise": f"{k}-anonymity", "attack": "linkage", "risk": 1 / k, "low": 0.5 / k, "high": 1.5 / k,
             "loss": 0.1 * k, "loss_is": "value loss", "holds": True, "bounds_kept": True, "seconds": 1.0,
             "verdict": "The promise is confirmed.", "more": 1} for k in (2, 5)]  # fmt: skip
    (section,) = frontier_section(rows, [{"k": 900, "refused": "too few people"}])
    bars = re.findall(r'd="M([\d.]+),([\d.]+)V([\d.]+)" stroke="#0b5cad"', section.svg)
    assert len(bars) == 2 and all(float(low) > float(high) for _, low, high in bars)
    assert len(section.columns) == 5 and [len(r) for r in section.rows] == [5, 5]
    assert (
        section.rows[0][2] == "50\xa0%\xa0[25\u2060–\u206075\xa0%]"
        and section.rows[0][4] == "The promise is confirmed."
    )
    assert section.more[0].columns[:2] == ("k", "promise") and "refused" in section.more[1].columns
    assert "“linkage”" in section.says and "k=5" in section.svg and "further left is better" in section.svg
    assert frontier_section([]) == [] and frontier_section([{"k": 2}]) == []


def test_one_row_per_attack_names_the_test_and_says_what_it_means():
    rows = [
        row("linkage by 4 values", 0.31, low=0.21, high=0.44, control=0.01, baseline=0.004, bound=1 / 3, covered=True),
        row("inference of stay_days", 0.6, low=0.47, high=0.71, control=0.25, baseline=0.29, test="inference"),
        row("membership", 0.08, low=0.0, high=0.3, control=0.1, baseline=0.1, test="singling out"),
        row("broken", 0.9, low=0.8, bound=0.5, covered=True),
        row("yardstick", 0.4, low=0.35, bound=0.3, covered=False),
        row("inference of a proved release", 0.6, low=0.47, control=0.25, baseline=0.29, epsilon=4.0),
    ]
    (section,) = attack_section(rows, "The strongest of 5.")
    assert section.columns == (
        "Attack", "Test", "Success [95 % interval]", "Control", "Guess", "Bound", "What it means")  # fmt: skip
    assert [r[1] for r in section.rows] == ["linking", "inference", "singling out", "linking", "linking", "linking"]
    assert section.rows[0][2:6] == ("31\xa0%\xa0[21\u2060–\u206044\xa0%]", "1\xa0%", "0.4\xa0%", "33\xa0%")
    assert [r[5] for r in section.rows[1:]] == ["none", "none", "50\xa0%", "30\xa0% (not promised)", "none"]
    means = [r[6] for r in section.rows]
    assert means[0].endswith("and within what the promise allows.")
    assert means[1].endswith("the release gives this away.")
    assert means[2].endswith("No better than on strangers or by guessing.")
    assert means[3].endswith("This beats the bound: the promise does not hold.")
    assert means[4].endswith("the release gives this away.")
    assert means[5].endswith(
        "Epsilon = 4 allows an attacker for whom it is even odds that a person is in the data to become 98.3 % sure of "
        "it; this attack is right for 60\xa0%, beside 29\xa0% among strangers or by guessing, and both hold, because "
        "epsilon bounds what one person's own data adds and not what everybody's data teaches about them."
    )
    assert "linking (is a person's record found" in section.after and "singling out (" in section.after
    assert attack_section([]) == [] and verdict({"success": 0.5}) == "" and success({"success": None}) == "–"


@pytest.mark.parametrize("n", [1, 3, 30])
def test_labels_stay_inside_the_picture_and_apart(n):
    points = [{"x": float(i % 7), "y": 0.5, "low": 0.4, "high": 0.6, "label": f"k={i}"} for i in range(n)]
    svg = frontier.picture(points, x_title="x", y_title="y")
    texts = [(float(t.attributes["x"]), float(t.attributes["y"]), t.text()) for t in tree(svg).all("text")]
    labels = [(x, y, w) for x, y, w in texts if w.startswith("k=")]
    assert labels and all(x > 0 and x + 6.6 * len(w) < 521 for x, _, w in labels)
    for i, (x, y, w) in enumerate(labels):
        assert not any(abs(y - b) < 12 and abs(x - a) < 6 * len(w) for a, b, _ in labels[i + 1 :])
