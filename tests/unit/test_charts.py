"""Charts: round numbers on the axes, everything inside the frame, and what is drawn is what was told."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sequester.pages import charts
from sequester.pages.axes import along, decades, tick_label, ticks

FINITE = st.floats(-1e9, 1e9, allow_nan=False).map(lambda v: round(v, 6))


@given(low=FINITE, span=st.floats(1e-3, 1e9), about=st.integers(3, 12))
def test_ticks_are_round_and_inside(low, span, about):
    found = ticks(low, low + span, about)
    assert 1 <= len(found) <= about + 1
    slack = 1e-6 * (span + abs(low))
    assert all(low - slack <= t <= low + span + slack for t in found)
    steps = {f"{b - a:.3g}" for a, b in pairwise(found)}
    if span > 1e-6 * abs(low) and len(found) > 1:
        assert len(steps) == 1 and re.fullmatch(r"[125]0*(\.0*)?|0\.0*[125]|[125](\.0+)?e[+-]\d+", steps.pop())


def test_ticks_of_a_known_span():
    assert ticks(0.0, 1.0, 6) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert ticks(3, 7, 10, whole=True) == [3, 4, 5, 6, 7], "no ticks between whole numbers"
    assert decades(1, 5000) == [1, 10, 100, 1000] and decades(1, 20) == [1, 2, 5, 10, 20]


@given(values=st.lists(FINITE, min_size=1, max_size=20), zero=st.booleans(), padding=st.sampled_from([0.0, 20.0]))
def test_every_value_stands_inside_its_axis(values, zero, padding):
    axis = along(values, 76.0, 680.0, about=9, zero=zero, padding=padding)
    assert all(76.0 - 1e-6 <= axis.at(v) <= 680.0 + 1e-6 for v in (*values, *axis.marks))
    assert all((axis.at(a) <= axis.at(b)) == (a <= b) for a in values for b in values)


@pytest.mark.parametrize(
    ("value", "percent", "shown"),
    [(0.25, True, "25 %"), (1500, False, "1,500"), (2e6, False, "2e6"), (0.0001, False, "0.0001"),
     (1e-5, False, "1e-05"), (0.125, False, "0.125"), (0, False, "0")],
)  # fmt: skip
def test_numbers_on_an_axis(value, percent, shown):
    assert tick_label(value, percent=percent) == shown


def test_bars_are_as_long_as_their_values():
    svg = charts.bars([{"l": "a", "v": 1.0}, {"l": "b", "v": 3.0}], "l", "v", value_title="n")
    widths = [float(w) for w in re.findall(r'<rect [^>]*width="([\d.]+)" height="16', svg)]
    assert widths[1] == pytest.approx(3 * widths[0], abs=0.2)


def test_columns_stand_on_the_ground_and_the_promise_is_marked():
    rows = [{"x": x, "y": y} for x, y in ((5, 10), (6, 20), (9, 5))]
    svg = charts.columns(rows, "x", "y", x_title="size", y_title="groups", promised=5)
    number = r'"([\d.]+)"'
    found = re.findall(rf"<rect x={number} y={number} width={number} height={number}", svg)
    rects = [[float(v) for v in r] for r in found]
    assert len({round(y + h, 1) for _, y, _, h in rects}) == 1
    assert rects[1][3] == pytest.approx(2 * rects[0][3], abs=0.2)
    assert "size (dashed line: the promised 5)" in svg and 'stroke-dasharray="4 3"' in svg


def test_lines_of_several_series_differ_in_colour_and_dash_and_are_named():
    rows = [{"x": x, "y": x * f, "s": name} for x in (1, 2, 3) for name, f in (("<b>one", 1), ("two", 2))]
    svg = charts.lines(rows, "x", "y", x_title="k", y_title="loss", series="s")
    drawn = re.findall(r'<polyline [^>]*stroke="([^"]+)"[^>]*stroke-dasharray="([^"]+)"', svg)
    assert len(drawn) == 2 and len(set(drawn)) == 2
    assert "&lt;b&gt;one" in svg and "<b>" not in svg and "two" in svg
