"""The choosing picture: one unit of risk, use in halves, the promise as a dashed line, and nothing smoothed."""

import re

import pytest

import sequester as sq
from sequester.attacks.bounds import certain
from sequester.pages import frontier
from sequester.pages.attacks import attack_section, success, verdict
from tests.accessibility import tree


def setting(method="kapra", grade="verified", *, right=0.8, within=0.02, ratio=1.5, promise=None, coin=0.5, **chosen):
    """A row of a sweep."""
    line = certain(promise or sq.Kapra(k=5, p=2).guarantee).to_json()
    use = {name: {"distance": 0.1, "halves": 0.1 / ratio, "ratio": ratio} for name in ("values", "spread of a person")}
    return {
        "method": method, "setting": chosen, "promise": "a promise", "unit": "person", "grade": grade, "certain": line,
        "seconds": 0.5, "holds": True, "verdict": "The promise is confirmed.", "use": use, "figures": list(use),
        "axis": "values", "pairs": right, "within": within, "coin": coin, "people": 400, "runs": 8,
    }  # fmt: skip


PRIVATE = sq.NgramDP(epsilon=2.0, n_max=3, people_at_least=50).guarantee


def test_methods_stand_by_how_sure_their_promise_is_and_settings_by_their_numbers():
    rows = [
        setting("mcka", "as-published", k=5),
        setting(k=8),
        setting(k=2),
        setting("ngram-dp", "proved", epsilon=1.0),
    ]
    told = frontier.in_order(rows)
    assert [(r["method"], *r["setting"].values()) for r in told] == [
        ("ngram-dp", 1.0), ("kapra", 2), ("kapra", 8), ("mcka", 5)]  # fmt: skip
    assert frontier.plain_name("mcka") == "mix groups of similar people · mcka"
    assert frontier.plain_name("of-a-package") == "of-a-package"
    assert set(frontier.NAMES) == {m for m in sq.METHODS if sq.method_class(m).__module__.startswith("sequester.")}


def test_a_setting_is_named_by_what_tells_it_from_the_others():
    rows = [setting(k=4, p=3, max_level=20), setting(k=8, p=3, max_level=20), setting("tga", k=5)]
    assert frontier.labels(rows) == ["k 4", "k 8", "k 5"]
    assert frontier.labels(rows[:1]) == ["k 4, p 3"]


def test_words_of_a_setting():
    one = setting(k=5, p=2, right=0.861, within=0.0174) | {"named": 0.118, "named_is": "chance to name a row"}
    assert frontier.pairs(one) == "86 (±\xa02)" and frontier.line(one) == "naming: 1 in 5 (1 in 2 with its shape)"
    said = frontier.sentence(one)
    assert "right in 86 (±\xa02) of 100 pairs, on halves of 400 people; a coin is right in 50." in said
    assert "Chance to name a row: 12\xa0%." in said and "“values” differs 1.5 times as much" in said
    assert frontier.line(setting(promise=PRIVATE)) == "at most 89 of 100 pairs"
    assert frontier.line(setting(promise=sq.MCKA(k=5).guarantee)) == "no bound"
    assert frontier.halves({"distance": 0.4, "halves": 0.001, "ratio": 400.0}) == "> 20"
    assert frontier.halves({"distance": 0.4, "halves": 0.0, "ratio": None}) == "0.4 apart"
    assert frontier.halves(None) == frontier.pairs({"pairs": None}) == "–"


def test_what_cannot_be_told_apart_is_said_and_not_smoothed():
    flat = [setting("mcka", "as-published", right=r, within=0.016, promise=sq.MCKA(k=5).guarantee, k=k)
            for k, r in ((2, 0.626), (5, 0.627), (13, 0.633))]  # fmt: skip
    told = " ".join(frontier.remarks(flat))
    assert "mcka: these settings cannot be told apart by risk (63 of 100, intervals overlap)." in told
    assert "k is no dial of risk" in told and "Equal rows (exact) or activity-dp are such dials." in told
    apart = " ".join(frontier.remarks([setting(k=2, right=0.95), setting(k=8, right=0.6)]))
    assert "cannot be told apart" not in apart and "Who took part is not bounded" in apart
    few = " ".join(frontier.remarks([setting(k=2) | {"people": 60}]))
    assert "With 60 people, differences of fewer than 5 points mean nothing." in few
    off = " ".join(frontier.remarks([setting(k=2, coin=0.57)]))
    assert "give 57 of 100 here. With 400 people, differences of fewer than 7 points mean nothing." in off


def test_the_dashed_line_is_drawn_only_where_the_promise_bounds_who_took_part():
    rows = [setting("ngram-dp", "proved", promise=PRIVATE, ratio=r, right=0.55, epsilon=e) for e, r in ((1, 3), (2, 2))]
    svg = frontier.picture(rows)
    assert svg.count('stroke-dasharray="5 4"') == 1 and "dashed: the most its promise allows" in svg
    assert "stroke-dasharray" not in frontier.picture([setting(k=2)])
    assert "no bound on who took part" in frontier.picture([setting(k=2)])
    assert frontier.picture([setting(k=2) | {"pairs": None}]) == "" == frontier.picture([])
    linked = frontier.picture(rows, link=lambda i: f"#setting-{i}")
    assert linked.count('class="point"') == 2 and 'href="#setting-1"' in linked and 'data-point="0"' in linked
    assert "Right in 55 (± 2) of 100 pairs; at most 89 of 100 pairs; values 3." in linked.replace("\xa0", " ")


def test_use_is_a_strip_per_figure_capped_at_twenty():
    svg = frontier.strips([setting(k=2, ratio=400.0), setting(k=8, ratio=0.001)])
    dots = sorted({float(x) for x in re.findall(r'circle cx="([\d.]+)"', svg)})
    assert len(dots) == 2 and "&gt; 20" in svg and "spread of a person" in svg
    assert 150 < dots[0] < dots[1] < 520


def test_the_report_has_a_line_per_setting_and_the_reasons_of_those_refused():
    rows = [setting(k=8, right=0.6), setting(k=2, right=0.95, ratio=0.5)]
    (section,) = frontier.frontier_section(rows, [{"method": "kapra", "setting": {"k": 900}, "refused": "too few"}])
    assert [r[0] for r in section.rows] == ["k 2", "k 8"] and section.rows[0][3] == "95 (±\xa02)"
    assert section.columns[-3:] == ("values (halves)", "spread of a person (halves)", "Checked")
    assert section.more[0].columns == ("k", "refused") and section.svg
    assert frontier.frontier_section([]) == [] == frontier.frontier_section([{"k": 2, "risk": 0.5}])


def attacked(name, success, *, low=None, high=None, control=0.1, baseline=0.1, **more):
    return {
        "attack": name, "test": "linkability", "success": success, "low": success - 0.05 if low is None else low,
        "high": success + 0.05 if high is None else high, "control": control, "baseline": baseline, "bound": None,
        "covered": None, "says": "It is found", **more,
    }  # fmt: skip


def test_one_row_per_attack_names_the_test_and_says_what_it_means():
    rows = [
        attacked(
            "linkage by 4 values", 0.31, low=0.21, high=0.44, control=0.01, baseline=0.004, bound=1 / 3, covered=True
        ),
        attacked("inference of stay_days", 0.6, low=0.47, high=0.71, control=0.25, baseline=0.29, test="inference"),
        attacked("membership", 0.08, low=0.0, high=0.3, control=0.1, baseline=0.1, test="singling out"),
        attacked("broken", 0.9, low=0.8, bound=0.5, covered=True),
        attacked("yardstick", 0.4, low=0.35, bound=0.3, covered=False),
        attacked("inference of a proved release", 0.6, low=0.47, control=0.25, baseline=0.29, epsilon=4.0),
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
    svg = frontier.picture([setting(k=i, ratio=0.2 + i % 7, right=0.75) for i in range(n)])
    texts = [(float(t.attributes["x"]), float(t.attributes["y"]), t.text()) for t in tree(svg).all("text")]
    labels = [(x, y, w) for x, y, w in texts if w.startswith("k ")]
    assert labels and all(x > 0 and x + 6.6 * len(w) < 521 for x, _, w in labels)
    for i, (x, y, w) in enumerate(labels):
        assert not any(abs(y - b) < 12 and abs(x - a) < 6 * len(w) for a, b, _ in labels[i + 1 :])
