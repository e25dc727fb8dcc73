"""The reports: escaped, self-contained, accessible, and the public one blind to the original."""

import inspect
import re
from html import unescape
from importlib import resources

import pyarrow as pa
import pytest

import sequester as sq
from sequester.layouts import LAYOUTS
from sequester.pages import board, charts, custodian, frontier, graph, heat, panels, pictures, svg
from sequester.pages.custodian import custodian_page
from sequester.pages.page import Section, _environment, render
from sequester.pages.public import public_page
from sequester.pages.tour import tour_page
from sequester.release import Evidence, Figure, shown
from tests import pages
from tests.accessibility import contrast, faults, tree

EVIL, EVIL_ATTRIBUTE = pages.EVIL, pages.EVIL_ATTRIBUTE


def hostile():
    """A bundle of every kind in which every label that comes from data tries to become markup."""
    return {
        "series": pages.series(label=EVIL),
        "activity": pages.activity(names=(EVIL, EVIL_ATTRIBUTE, "a&b", "]]>")),
        "events": pages.events(states=(EVIL, EVIL_ATTRIBUTE, "<b>c", "d\x00\x0b", "e&amp;", "'f", "g]]>")),
        "symbols": pages.symbols(alphabet=("<", "&", '"', "'")),
        "text": pages.text(texts=[f"{EVIL} ★★★ {EVIL_ATTRIBUTE}", EVIL, ""]),
    }


HOSTILE = hostile()


def both(kind, bundle):
    evidence = pages.evidence(kind)
    evidence[0]["figures"][0]["name"] = EVIL
    evidence[0]["rows"]["more"] = [{EVIL: EVIL_ATTRIBUTE}]
    return {
        "public": public_page(bundle, f"a {EVIL}"),
        "custodian": custodian_page(bundle, f"a {EVIL_ATTRIBUTE}", evidence),
    }


@pytest.mark.parametrize("kind", pages.ALL)
def test_pages_are_accessible_and_self_contained(kind):
    for name, page in both(kind, pages.ALL[kind]()).items():
        assert faults(page) == [], name


@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_from_the_data_becomes_markup(kind):
    for name, page in both(kind, HOSTILE[kind]).items():
        assert faults(page) == [], name
        assert page.count("<script") == (name == "custodian") and "<img" not in page, name
    text = tree(public_page(HOSTILE["text"], "x")).text()
    assert EVIL in text and EVIL_ATTRIBUTE in text, "hostile text is shown as it is"


def test_the_faults_are_found():
    """The checker itself has teeth."""
    good = public_page(pages.series(), "x")
    for spoil, fault in (
        (lambda p: p.replace('lang="en"', ""), "the page has no language"),
        (lambda p: p.replace("<main", "<div").replace("</main", "</div"), "the page needs exactly one main"),
        (lambda p: p.replace("<h3>", "<h5>").replace("</h3>", "</h5>"), "skips a level"),
        (
            lambda p: re.sub(r'(<figure role="img" tabindex="0" aria-label=)"[^"]*"', r'\1""', p),
            "does not say what it shows",
        ),
        (lambda p: re.sub("<caption>.*?</caption>", "", p), "a table without a caption"),
        (lambda p: p.replace("<footer>", "<script>1</script><footer>"), "a script element"),
        (lambda p: p.replace("<footer>", '<footer><a href="https://example.org">x</a>'), "leaves the page"),
        (lambda p: p.replace("<footer>", '<footer onclick="1">'), "an event handler"),
        (lambda p: p.replace("* {", "@import 'x'; * {"), "a style sheet that loads something"),
    ):
        assert any(fault in f for f in faults(spoil(good))), fault


def test_the_public_page_receives_only_a_bundle():
    assert list(inspect.signature(public_page).parameters) == ["bundle", "name"]
    for where in {layout.pictures for layout in LAYOUTS.values() if layout.pictures}:
        module = __import__(where, fromlist=["_"])
        assert list(inspect.signature(module.public).parameters) == ["bundle"], where


@pytest.mark.parametrize("kind", pages.ALL)
def test_the_promise_stands_on_top(kind):
    page = public_page(pages.ALL[kind](), "release")
    main = page[page.index("<main") :]
    first = main[: main.index("</section>")]
    for words in ("Every released group is shared by at least 5 people.", "Unit of protection", "person", "Grade",
                  "What it does not cover", "Several releases of the same people."):  # fmt: skip
        assert words in first, words


@pytest.mark.parametrize("kind", pages.ALL)
def test_every_picture_answers_a_question(kind):
    bundle = pages.ALL[kind]()
    drawn = pictures.public_pictures(bundle) + pictures.custodian_pictures(bundle, pages.evidence(kind))
    assert any(s.svg for s in drawn)
    for section in drawn:
        assert section.title.endswith("?"), section.title
        assert section.svg or section.excerpts
        assert not section.svg or len(section.alt) > 15, section.title


@pytest.mark.parametrize("kind", pages.ALL)
def test_pictures_are_left_out_where_their_tables_are_not(kind):
    bare = pages.bundle(kind, {"other": pa.table({"x": [1]})})
    assert pictures.public_pictures(bare) == []
    assert pictures.custodian_pictures(bare, []) == []
    empty = {n: t.slice(0, 0) for n, t in pages.ALL[kind]().tables.items()}
    assert pictures.public_pictures(pages.bundle(kind, empty)) == []
    assert faults(public_page(pages.bundle(kind, empty), "x")) == []


def test_evidence_is_on_the_custodians_page_only():
    bundle = pages.symbols()
    public, custodian = public_page(bundle, "x"), custodian_page(bundle, "x", pages.evidence("symbols"))
    assert "4 points single out 91 % of people." in custodian and "PRIVATE" in custodian
    assert "single" not in public and "PRIVATE" not in public
    assert "How many known points single out a person?" in custodian
    assert "What does less risk cost?" in custodian
    assert "What does an adversary achieve?" in custodian


def test_the_ledger_is_a_bar_whose_shares_are_in_words():
    page = public_page(pages.events(), "x")
    assert "Where did the privacy budget go?" in page
    assert "transitions 50.0%, how many events a history has 10.0%" in page
    assert "95.0% of it was spent." in page and "not spent" in page


def test_a_seeded_release_says_so():
    bundle = pages.events()
    bundle.manifest["teaching_only"] = True
    assert "this release protects nobody" in public_page(bundle, "x")


def test_long_tables_are_cut_and_say_so():
    page = render(
        "page.html", title="x", subtitle="", private=False, guarantee=pages.text().guarantee, grade="", sign="",
        teaching=False, made_with="", footer="",
        sections=[Section(title="Long", columns=("n",), rows=tuple((i,) for i in range(250)))],
    )  # fmt: skip
    assert "The first 200 of 250 rows are shown." in page and page.count('<th scope="row">') == 200


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (float("nan"), "–"), (True, "yes"), (12345, "12,345"), (0.123456, "0.1235"), (1e-9, "1e-09"),
     (12345.6, "12,346"), ("a", "a")],
)  # fmt: skip
def test_numbers_are_shown_as_people_read_them(value, text):
    assert shown(value) == text


def test_svg_keeps_drawings_and_drops_the_rest():
    dirty = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1 1" '
        'onload="x()"><script>x()</script><foreignObject><p/></foreignObject><image href="http://x/y.png"/>'
        '<a href="javascript:x()"><text>in a link</text></a><g id="a" clip-path="url(#a)" style="fill:url(http://x)">'
        '<rect fill="url(http://x/y)" width="1"/><text onclick="x()">&lt;b&gt;</text></g></svg>'
    )
    out = svg.clean(dirty)
    for bad in ("script", "foreignObject", "image", "href", "onload", "onclick", "http://x", "javascript", "style"):
        assert bad not in out, bad
    assert "&lt;b&gt;" in out and '<rect width="1"' in out
    assert re.search(r'id="(f[0-9a-f]{8}-a)" clip-path="url\(#\1\)"', out), "names are made unique to the drawing"


def test_charts_of_nothing_are_nothing():
    assert charts.lines([], "x", "y", x_title="", y_title="") == ""
    assert charts.lines([{"x": None, "y": 1}], "x", "y", x_title="", y_title="") == ""
    assert charts.bars([], "a", "b", value_title="") == ""
    assert charts.columns([{"x": float("nan"), "y": 1}], "x", "y", x_title="", y_title="") == ""
    assert charts.cloud([], "x", "y", x_title="", y_title="") == ""
    assert heat.heat([], [], every=1) == ""
    assert board.shares([], 0) == ""
    assert panels.envelopes([]) == ""
    assert graph.follows([("none", {})]) == ""


def test_odd_numbers_do_not_stop_a_chart():
    assert "<svg" in charts.columns([{"x": 5, "y": 1}], "x", "y", x_title="", y_title="", promised=5)
    assert "<svg" in charts.lines([{"k.[0]": 1, "y": 2}], "k.[0]", "y", x_title="", y_title="", log_x=True)
    assert "<svg" in heat.heat([heat.Block("a", [heat.Line("b", [float("nan"), 1.0])])], ["0", "1"], every=1)
    assert "<svg" in graph.follows([("one", {("a", "a"): 100.0})])
    flat = {"title": "flat", "low": [1.0, None, 1.0], "high": [1.0, 2.0, 1.0], "curves": [[1.0, None, 1.0]]}
    assert "<svg" in panels.envelopes([flat])
    assert panels.envelopes([{"title": "gaps", "low": [None], "high": [None], "curves": []}]) == ""


def palettes():
    """Light, dark and print values of the page's colours."""
    css = (resources.files("sequester.pages") / "templates" / "style.css").read_text("utf-8")
    found = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block)) for block in re.findall(r":root \{([^}]*)\}", css)]
    assert len(found) == 3
    light = found[0]
    return {"light": light, "dark": light | found[1], "print": light | found[2]}


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_colours_contrast_enough(scheme):
    colour = palettes()[scheme]
    for words, ground in (
        ("ink", "paper"), ("ink", "soft"), ("quiet", "paper"), ("quiet", "soft"), ("mark", "paper"), ("mark", "soft"),
        ("good", "soft"), ("proof", "soft"), ("warn", "soft"), ("gone-ink", "gone"), ("alarm-ink", "alarm"),
    ):  # fmt: skip
        assert contrast(colour[words], colour[ground]) >= 4.5, (scheme, words, ground)


def test_chart_colours_contrast_enough_on_white():
    for colour in (*charts.COLOURS, charts.INK, charts.SOFT):
        assert contrast(colour, "#ffffff") >= 4.5, colour
    for colour in (*svg.COLOURS, svg.INK, svg.SOFT):
        assert contrast(svg.NIGHT[colour], svg.NIGHT_GROUND) >= 4.5, colour
    for ramp in (svg.SHADES, [svg.NIGHT[c] for c in svg.SHADES]):
        assert contrast(ramp[0], ramp[-1]) > 7


def test_the_tour_is_accessible_and_escaped():
    stop = {
        "title": f"Notes {EVIL}",
        "story": EVIL_ATTRIBUTE,
        "method": "made-up",
        "guarantee": pages.text().guarantee.to_json(),
        "commands": ["sequester sample text --out notes", EVIL],
        "links": [["Public report", "a.bundle/report.html"]],
        "findings": [["Checked", EVIL]],
    }
    page = tour_page([stop], seconds=3.2)
    assert faults(page) == []
    assert "<script" not in page and EVIL in tree(page).text()
    assert "in 3 seconds" in page


def test_an_arrow_that_hangs_below_the_last_row_is_inside_the_picture():
    steps = {("a", "b"): 40.0, ("b", "c"): 30.0, ("c", "a"): 20.0, ("a", "c"): 10.0}
    for edges in (steps, {("a", "b"): 50.0, ("b", "a"): 50.0}):
        picture = graph.follows([("Original", edges), ("Release", edges)])
        high = float(re.search(r'viewBox="0 0 \S+ (\S+)"', picture)[1])
        # The middle of a quadratic curve: a quarter of each end and half of its control.
        middles = [
            float(y0) / 4 + float(yc) / 2 + float(y1) / 4
            for y0, yc, y1 in re.findall(r'd="M\S+?,(\S+?)Q\S+?,(\S+?) \S+?,(\S+?)"', picture)
        ]
        assert len(middles) == 2 * len(edges) and max(middles) + 7 < high
        heading = float(re.search(r'y="([\d.]+)"[^>]*>Release<', picture)[1])  # of the second graph: below the first
        assert max(middles[: len(edges)]) + 7 < heading - 10


def test_a_page_says_when_the_original_was_needed_and_leaves_no_empty_column(tmp_path):
    data = sq.sample("symbols", n_people=12)
    release = sq.anonymize(data, sq.NgramK(k=3, unit="person"))
    page = (sq.publish(release, tmp_path / "a.bundle", source=data).path / "report.html").read_text("utf-8")
    assert "recomputed it from the released files beside the original" in page
    told = sq.open_bundle(tmp_path / "a.bundle").manifest["verification"]
    assert told["beside_original"] > 0 and all(c["detail"] for c in told["checked"])
    assert "looked at the original; what was counted there stays private." in page


@pytest.mark.parametrize(
    ("method", "says"),
    [
        (sq.Kapra(k=5, p=2), ": confirmed from the release and original."),
        (
            sq.MCKA(k=5),
            ": shape check of the release and original passed; the published claim itself cannot be checked.",
        ),
        (
            sq.NgramDP(epsilon=4.0, n_max=2, people_at_least=12),
            ": the ledger adds up and the tables have the method's shape; the noise itself cannot be seen.",
        ),
    ],
)
def test_the_page_confirms_no_more_than_was_checked(method, says, tmp_path):
    data = sq.sample(type(method).accepts.kind, n_people=12, seed=1)
    release = sq.anonymize(data, method)
    # by chance twelve people may be one state or symbol nearly everywhere: that look is not asked here
    path = sq.publish(release, tmp_path / "a.bundle", source=data, force=True).path
    page = (path / "report.html").read_text("utf-8")
    assert says in unescape(page)
    assert page.count(": confirmed from") == (1 if "confirmed" in says else 0)


def test_what_a_method_notes_is_in_the_custodians_report_alone(tmp_path):
    data = sq.sample("symbols", n_people=12)
    release = sq.anonymize(data, sq.NgramDP(epsilon=4.0, n_max=2, average="symbol"))
    sq.publish(release, tmp_path / "a.bundle", source=data, force=True)  # whatever twelve people and noise look like
    title, note = "What should you know about this release?", "With 12 people and 4 symbols the index"
    private = (tmp_path / "a.private" / "report.html").read_text("utf-8")
    public = (tmp_path / "a.bundle" / "report.html").read_text("utf-8")
    assert title in private and note in private and title not in public and note not in public


def test_an_option_in_a_note_is_spelled_as_it_is_typed():
    noted = [{"about": "account", "summary": "Pass ‹population=›, or not."}]
    page = custodian_page(pages.events(), "log", noted)
    assert "--population" in page and "‹" not in page


def test_pictures_turn_dark_with_the_page_and_with_the_workbench():
    """Every colour a picture may use has one for the night; the workbench's style sheet carries the same rules."""
    night = svg.night_style()
    page = public_page(pages.series(), "x")
    assert night in page and night.startswith("@media screen and (prefers-color-scheme: dark)")
    css = (resources.files("sequester.workbench") / "static" / "workbench.css").read_text("utf-8")
    assert night in css, "put night_style() at the end of workbench.css again"
    for kind in pages.ALL:
        bundle = pages.ALL[kind]()
        for section in (*pictures.public_pictures(bundle), *pictures.custodian_pictures(bundle, pages.evidence(kind))):
            used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', section.svg))
            assert used <= set(svg.NIGHT), (kind, section.title)


def test_a_long_list_of_checks_is_folded_and_what_failed_is_not():
    from sequester.pages.public import check_tables

    checks = [{"name": f"c{i}", "passed": i != 3, "detail": "counted", "undecided": False} for i in range(20)]
    columns, rows, folds = check_tables(checks)
    assert columns == ("Check", "Result", "Counted") and rows == (("c3", "does not hold", "counted"),)
    assert folds[0].summary == "All 20 checks" and len(folds[0].rows) == 20
    assert check_tables(checks[:3])[1:] == (tuple((f"c{i}", "holds", "counted") for i in range(3)), [])


def test_the_budget_bar_names_its_parts_in_words_and_folds_small_ones():
    parts = [("pairs", 0.5), ("lengths", 0.3), ("clock clip", 0.02), ("gaps clip", 0.02), ("seen", 0.02)]
    from sequester.pages.words import mechanism

    drawn = board.shares([(mechanism(n), p) for n, p in parts], 1.0)
    words = tree(drawn).text()
    assert "50% which state follows which" in words and "3 smaller parts, listed in the table" in words
    assert "14% not spent" in words and "clip" not in words
    assert mechanism("clock clip") == "how much one person may add to: hours of the day and days of the week"


def test_a_state_without_a_step_is_no_box():
    steps = {("a", "b"): 50.0, ("alone", "alone"): 5.0}
    svg = graph.follows([("Original", {**steps, ("b", "c"): 40.0}), ("Release", steps)])
    words = [t.text() for t in tree(svg).all("text")]
    assert "alone" not in words and words.count("a") == 2 and words.count("c") == 1


def test_the_same_even_scale_before_and_after_and_a_difference_row():
    blocks = [heat.Block("walking", [heat.Line("original", [0.0, 0.1, 0.2]), heat.Line("release", [0.2, 0.1, 0.0]),
                                     heat.Line("difference", [0.2, 0.0, -0.2], difference=True)])]  # fmt: skip
    drawn = heat.heat(blocks, ["00:00", "08:00", "16:00"], every=1)
    used = re.findall(r'<rect [^>]*height="15.00" fill="(#[0-9a-f]{6})"', drawn)
    middle = svg.SHADES[svg.STEPS // 2]
    assert used[:6] == [svg.SHADES[0], middle, svg.SHADES[-1], svg.SHADES[-1], middle, svg.SHADES[0]]
    assert used[6:] == [svg.MORE[-1], svg.SAME, svg.LESS[-1]]
    assert "largest share: 20 %; largest difference: 20 points" in drawn


def test_states_stand_from_rest_to_effort_and_what_was_not_observed_last():
    from sequester.primitives.efforts import in_order

    names = ("missing", "running", "very active", "asleep", "walking", "sedentary", "other")
    assert [names[i] for i in in_order(names, ())] == [
        "asleep", "sedentary", "walking", "running", "very active", "other", "missing"]  # fmt: skip


def test_a_long_series_is_drawn_at_representative_points_with_a_time_axis():
    low, high = [float(i % 7) for i in range(140)], [float(i % 7 + 3) for i in range(140)]
    curve = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    times = tuple(f"t{i}" for i in range(140))
    svg = panels.envelopes([{"title": "g", "low": low, "high": high, "curves": [curve]}], times)
    line = re.search(r'<polyline points="([^"]+)"', svg)[1].split()
    assert len(line) == panels.POINTS < 140
    words = [t.text() for t in tree(svg).all("text")]
    assert "t0" in words and "t70" in words and "t139" in words


def test_a_histogram_starts_at_zero():
    svg = charts.columns([{"x": 8, "y": 3}, {"x": 9, "y": 1}], "x", "y", x_title="size", y_title="groups", promised=8)
    words = [t.text() for t in tree(svg).all("text")]
    assert words.count("0") == 2, "both axes show a zero"


def test_a_curve_of_many_points_marks_few_of_them():
    rows = [{"x": x, "y": x} for x in range(140)]
    svg = charts.lines(rows, "x", "y", x_title="", y_title="")
    assert svg.count("<circle") <= charts.DOTS


@pytest.mark.parametrize(
    "value, words",
    [(0.000123456, "0.0001235"), (0.0009996, "0.0009996"), (0.12346, "0.1235"), (12345.6, "12,346"), (7, "7"),
     (1234567, "1,234,567"), (2.5e7, "2.5e+07"), (None, "–"), (float("nan"), "–"), (0.0, "0"), (True, "yes")],
)  # fmt: skip
def test_a_figure_is_the_same_on_the_screen_and_on_a_page(value, words):
    evidence = Evidence(about="measure", saw_original=True, figures=(Figure(name="x", value=value),))
    assert str(evidence).split()[-1] == words
    assert _environment().from_string("{{ value|shown }}").render(value=value) == words


def test_shares_are_nobody_or_everybody_only_where_they_are():
    from sequester.pages.words import interval, percent

    shares = (0, 0.0001, 0.003, 0.125, 0.5, 0.9917, 0.9999, 1, None)
    assert [percent(x).replace("\N{NO-BREAK SPACE}", " ") for x in shares] == [
        "0 %", "under 0.1 %", "0.3 %", "12.5 %", "50 %", "99.2 %", "99.9 %", "100 %", "–",
    ]  # fmt: skip
    assert interval(0.0001, 0.9999).replace("\N{WORD JOINER}", "").startswith("[under 0.1–99.9")


def test_a_report_of_few_histories_by_the_ratio_test_calls_durations_not_valid(tmp_path):
    for n, told in ((27, "Durations are not valid: so few histories"), (200, "From first to last event: mean")):
        log, out = sq.sample("events", n_people=n, seed=1), tmp_path / f"{n}.bundle"
        sq.publish(sq.anonymize(log, sq.MarkovRatio(epsilon=0.35), seed=1), out, source=log)
        page = tree(public_page(sq.open_bundle(out), "x")).text()
        assert told in page and "called OTHER" not in page


def test_what_changed_stands_beside_its_difference():
    rows = [{"what": "events", "original": 400, "release": 390}, {"what": "first", "original": "a", "release": "a"}]
    (section,) = custodian.changed_section([{"rows": {"changed": rows}}])
    assert section.columns[:4] == ("What", "Original", "Release", "Difference")
    assert [row[3] for row in section.rows] == [-10, ""]


def test_a_step_back_to_the_same_state_has_its_number_also_beside_a_full_row():
    edges = {("a", "b"): 30.0, ("b", "a"): 20.0, ("a", "c"): 10.0, ("c", "b"): 10.0, ("a", "a"): 13.0, ("b", "b"): 17.0}
    drawn = graph.follows([("one", edges)])
    assert all(f">{percent}%<" in drawn for percent in (30, 20, 13, 17))


def test_titles_of_the_choosing_picture_are_whole_and_no_label_covers_a_point():
    rows = [
        {**row, "pairs": pairs, "use": {"values": {"distance": 0.1, "halves": 0.1, "ratio": ratio}}}
        for row, pairs, ratio in zip(
            pages.RISK[2]["rows"]["settings"], (1.0, 0.7, 0.71, 0.5), (0.3, 1.0, 1.05, 1.1), strict=True
        )
    ]
    drawn = frontier.picture(rows)
    words = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*font-size="12"[^>]*>(k \d+)<', drawn)
    points = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)]
    assert len(words) == 4 and points
    for x, y, label in words:
        for px, py in points:
            inside = float(x) - 5 < px < float(x) + 6.6 * len(label) + 5 and float(y) - 12 < py < float(y) + 3
            assert not inside, (label, x, y, px, py)
    assert "further left is nearer" in drawn
    rows[0]["use"]["values"]["ratio"] = 0.01
    assert ">≤ 0.1<" in frontier.picture(rows), "a point at the end of the axis stands for all beyond it"


@pytest.mark.parametrize(("name", "beside"), [("sleep", True), ("lowest (below 95 mg/dL), weekdays", False)])
def test_the_name_of_a_heat_map_and_its_figures_do_not_run_into_each_other(name, beside):
    lines = [heat.Line("original", [0.4, 0.8]), heat.Line("difference", [0.2, -0.2], difference=True)]
    drawn = heat.heat([heat.Block(name, lines)], ["00:00", "12:00"], every=1)
    height = re.compile('<text x="[0-9.]+" y="([0-9.]+)"[^>]*>(?:' + re.escape(name) + "|largest share[^<]*)<")
    assert (len(set(height.findall(drawn))) == 1) is beside
