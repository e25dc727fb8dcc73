"""Charts as cleaned SVG: curves, bars and clouds of points. Nothing from the data can become markup.

The chart is a plain Vega-Lite value built by altair and drawn here, offline, by vl-convert. Both are imported when the
first chart is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sequester.pages.svg import clean

INK, SOFT, LINE = "#1b1f24", "#57606a", "#d0d7de"
COLOURS = ("#0b5cad", "#b34700", "#1a6b3c", "#7a3b8f", "#a61e2a", "#57606a")
"""Each has a contrast of at least 4.5 on white; curves also differ in their dashes."""
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3])
WIDTH, HEIGHT = 590, 230
LABEL = 32
"""Longer labels are cut; the whole label stands in the table below a chart."""

Rows = Iterable[Mapping[str, Any]]


def lines(
    rows: Rows,
    x: str,
    y: str,
    *,
    x_title: str,
    y_title: str,
    series: str | None = None,
    low: str | None = None,
    high: str | None = None,
    log_x: bool = False,
    percent: bool = False,
    rules: Sequence[tuple[float, str]] = (),
) -> str:
    """Curves, one per value of `series`, with a band from `low` to `high` where rows have them."""
    alt = _altair()
    values = _numbers(rows, x=x, y=y, s=series, low=low, high=high, needed="xy")
    if not values:
        return ""
    names = list(dict.fromkeys(v["s"] for v in values))
    scale_x = alt.Scale(type="log") if log_x and min(v["x"] for v in values) > 0 else alt.Scale(zero=False)
    axis_y = alt.Axis(format=".0%" if percent else ",.4~r", tickCount=6)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("x:Q", title=x_title, scale=scale_x, axis=_whole(values)),
        color=alt.Color(
            "s:N", scale=alt.Scale(domain=names, range=_cycle(COLOURS, len(names))), legend=_legend(names, lines=True)
        ),
    )
    top = {"domain": [0, 1]} if percent and max(v["y"] for v in values) > 0.5 else {"zero": True}
    curve = base.mark_line(point=len(values) <= 200, strokeWidth=2).encode(
        y=alt.Y("y:Q", title=y_title, axis=axis_y, scale=alt.Scale(**top)),
        strokeDash=alt.StrokeDash("s:N", scale=alt.Scale(domain=names, range=_cycle(DASHES, len(names))), legend=None),
    )
    layers = [curve]
    if all("low" in v and "high" in v for v in values):
        layers.insert(0, base.mark_area(opacity=0.18).encode(y="low:Q", y2="high:Q"))
    for at, label in rules:
        rule = alt.Chart(alt.Data(values=[{"at": at, "label": label}]))
        layers.append(rule.mark_rule(strokeDash=[3, 3], color=SOFT).encode(x="at:Q"))
        layers.append(rule.mark_text(align="left", dx=4, y=8, color=SOFT).encode(x="at:Q", text="label:N"))
    return _draw(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT))


def bars(
    rows: Rows, label: str, value: str, *, value_title: str, series: str | None = None, percent: bool = False
) -> str:
    """Horizontal bars in the order of the rows; with `series`, side by side."""
    alt = _altair()
    values = _numbers(rows, y=value, s=series, label=label, needed="y")
    if not values:
        return ""
    order = list(dict.fromkeys(v["label"] for v in values))
    names = list(dict.fromkeys(v["s"] for v in values))
    colour = alt.Color("s:N", scale=alt.Scale(domain=names, range=_cycle(COLOURS, len(names))), legend=_legend(names))
    form = ".0%" if percent else ",.4~r"
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_bar()
        .encode(
            y=alt.Y("label:N", sort=order, title=None, axis=alt.Axis(labelLimit=300)),
            x=alt.X("y:Q", title=value_title, axis=alt.Axis(format=form, tickCount=6)),
            color=colour,
        )
    )
    if len(names) > 1:
        chart = chart.encode(yOffset=alt.YOffset("s:N", sort=names))
    step = 18 if len(names) == 1 else 12 * len(names) + 8
    return _draw(chart.properties(width=WIDTH - 190, height=step * len(order)))


def columns(rows: Rows, x: str, y: str, *, x_title: str, y_title: str, promised: int | None = None) -> str:
    """Upright bars over a number, with a dashed line at what was promised."""
    alt = _altair()
    values = _numbers(rows, x=x, y=y, needed="xy")
    if not values:
        return ""
    span = max(v["x"] for v in values) - min(v["x"] for v in values) + 1
    title = x_title if promised is None else f"{x_title} (dashed line: the promised {promised})"
    chart = alt.Chart(alt.Data(values=values)).mark_bar(color=COLOURS[0], width=max(1, min(26, 460 / span)))
    chart = chart.encode(
        x=alt.X(
            "x:Q", title=title, axis=alt.Axis(format=",.4~r", tickMinStep=1), scale=alt.Scale(zero=False, padding=20)
        ),
        y=alt.Y("y:Q", title=y_title, axis=alt.Axis(format="~s")),
    )
    if promised is not None:
        mark = alt.Chart(alt.Data(values=[{"at": promised}])).mark_rule(
            strokeDash=[4, 3], strokeWidth=2, color=COLOURS[1]
        )
        chart = alt.layer(chart, mark.encode(x="at:Q"))
    return _draw(chart.properties(width=WIDTH, height=HEIGHT - 40))


def cloud(
    rows: Rows, x: str, y: str, *, x_title: str, y_title: str, label: str | None = None, series: str | None = None
) -> str:
    """Points with labels, for a frontier."""
    alt = _altair()
    values = _numbers(rows, x=x, y=y, s=series, label=label, needed="xy")
    if not values:
        return ""
    names = list(dict.fromkeys(v["s"] for v in values))
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("x:Q", title=x_title, axis=alt.Axis(format=",.4~r", tickCount=8)),
        y=alt.Y("y:Q", title=y_title, axis=alt.Axis(format=",.4~r", tickCount=6)),
        color=alt.Color("s:N", scale=alt.Scale(domain=names, range=_cycle(COLOURS, len(names))), legend=_legend(names)),
    )
    layers = [base.mark_point(filled=True, size=70, opacity=1)]
    if label:
        layers.append(base.mark_text(align="left", dx=7, dy=-7, fontSize=11).encode(text="label:N"))
    return _draw(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT + 40))


def short(label: Any, limit: int = LABEL) -> str:
    """A label cut to a length that fits."""
    text = " ".join(str(label).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _altair() -> Any:
    import altair

    return altair


def _numbers(rows: Rows, *, needed: str, **fields: str | None) -> list[dict[str, Any]]:
    """Rows under the fixed names a chart uses, so that no column name is read as an expression."""
    out = []
    for row in rows:
        told: dict[str, Any] = {"s": ""}
        for name, key in fields.items():
            value = row.get(key) if key else None
            if value is None or value != value or value in (float("inf"), float("-inf")):
                continue
            told[name] = short(value, 48) if name in ("s", "label") else float(value)
        if all(name in told for name in needed):
            out.append(told)
    return out


def _whole(values: list[dict[str, Any]]) -> Any:
    """An axis without ticks between whole numbers, where all are whole."""
    if all(v["x"] == int(v["x"]) for v in values):
        return _altair().Axis(format="~s", tickMinStep=1, tickCount=10)
    return _altair().Axis(format=",.4~r", tickCount=8)


def _cycle(items: Sequence[Any], n: int) -> list[Any]:
    return [items[i % len(items)] for i in range(max(1, n))]


def _legend(names: list[str], *, lines: bool = False) -> Any:
    """Names of several series; those of lines show their dashes."""
    if len(names) < 2:
        return None
    more = {"symbolType": "stroke", "symbolSize": 400, "symbolStrokeWidth": 2} if lines else {}
    return _altair().Legend(title=None, orient="bottom", labelLimit=300, columns=4, **more)


def _draw(chart: Any) -> str:
    import vl_convert

    told = chart.configure(
        aria=False, background="#ffffff", font="sans-serif", padding=6
    ).configure_axis(
        labelColor=INK, titleColor=INK, gridColor="#e8ecf0", domainColor=SOFT, tickColor=SOFT,
        labelFontSize=12, titleFontSize=12, titleFontWeight="normal",
    ).configure_legend(labelColor=INK, labelFontSize=12).configure_view(stroke=None).to_dict()  # fmt: skip
    return clean(vl_convert.vegalite_to_svg(told))
