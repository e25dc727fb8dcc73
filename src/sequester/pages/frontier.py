"""Risk against use: one attack and one measure for all settings, and the picture of both.

Points of one picture must be comparable. The reports (`tune`) and the workbench (Explore) therefore take the same rule
from here: **one** attack with the same knowledge at every setting, and **one** figure of use that every setting has and
that moves with the parameters. Attacks and figures say themselves whether they may be it (`yardstick`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from sequester.pages.axes import Axis, along, frame
from sequester.pages.ink import COLOURS, INK, WIDE, drawing, printable, short, text

TOP, HIGH, LEFT, FOOT = 30.0, 260.0, 56.0, 46.0
NEVER = 99
"""Rank of what is no yardstick: behind all that are."""
Row = Mapping[str, Any]


def one_attack(tables: Sequence[Sequence[Row]]) -> str:
    """Name of the attack that stands for risk at every setting, from the attack tables of all settings.

    Of the attacks that most settings share it is the first yardstick, or else the one that surely gains most at some
    setting. Empty where no attack was tried.
    """
    seen: dict[str, int] = {}
    rank: dict[str, int] = {}
    gain: dict[str, float] = {}
    for table in tables:
        for row in table:
            name = str(row["attack"])
            seen[name] = seen.get(name, 0) + 1
            rank[name] = row.get("yardstick") or NEVER
            gain[name] = max(gain.get(name, -1.0), row["low"] - max(row["control"] or 0.0, row["baseline"] or 0.0))
    most = max(seen.values(), default=0)
    shared = [name for name, n in seen.items() if n == most]
    return min(shared, key=lambda name: (rank[name], -gain[name] if rank[name] == NEVER else 0.0), default="")


def of_attack(table: Sequence[Row], name: str) -> dict[str, Any] | None:
    """The row of one attack: its success with the interval, beside control and guess."""
    row = next((r for r in table if r["attack"] == name), None)
    kept = ("attack", "test", "success", "low", "high", "control", "baseline", "says")
    return None if row is None else {key: row.get(key) for key in kept}


def measures(tables: Sequence[Sequence[Row]]) -> dict[str, Row]:
    """Figures of use with a better side that every setting has; those that move first, and of them yardsticks."""
    common: dict[str, Row] = {}
    for i, figures in enumerate(tables):
        here = {f["name"]: f for f in figures if f["better"] in ("lower", "higher") and _is_number(f["value"])}
        common = here if i == 0 else {name: f for name, f in common.items() if name in here}
    values: dict[str, set[float]] = {name: set() for name in common}
    for figures in tables:
        for f in figures:
            if f["name"] in values and _is_number(f["value"]):
                values[f["name"]].add(f["value"])

    def rank(name: str) -> tuple[bool, int]:
        return len(values[name]) < 2, common[name].get("yardstick") or NEVER

    return {name: common[name] for name in sorted(common, key=rank)}


def better_side(measure: Row) -> str:
    """How to read the axis of a measure."""
    return "further left is better" if measure["better"] == "lower" else "further right is better"


def picture(
    points: Sequence[Row], *, x_title: str, y_title: str, link: Callable[[Row], tuple[str, str]] | None = None
) -> str:
    """The picture as SVG. Shapes tell methods apart, colours only help.

    Parameters
    ----------
    points
        Each with `x`, `y`, `low`, `high`, `label` (drawn beside the point, unless `short` is given), and where they
        differ `method`, `holds` and `pinned`.
    x_title, y_title
        What the axes show.
    link
        Where a point leads and what it says, for a page on which points can be opened; without it the drawing is
        cleaned like every other.
    """
    if not points:
        return ""
    across = along([p["x"] for p in points], LEFT, WIDE - 24, about=6, padding=18)
    up = along(
        [v for p in points for v in (p["y"], p["high"], 0.05)], TOP + HIGH, TOP, about=6, zero=True, percent=True
    )
    methods = list(dict.fromkeys(p.get("method", "") for p in points))
    body = frame(across, up, x_title=x_title, y_title=y_title)
    taken: list[tuple[float, float, float]] = []
    for p in points:
        which = methods.index(p.get("method", ""))
        mark = [*_point(p, which, across, up), *_label(p, across.at(p["x"]), up.at(p["y"]), taken)]
        if link is None:
            body += mark
        else:
            to, words = link(p)
            said = escape(printable(words))
            body.append(
                f'<a href="{escape(to)}" class="point" aria-label="{said}"><title>{said}</title>{"".join(mark)}</a>'
            )
    high = TOP + HIGH + FOOT
    if len(methods) > 1:
        for i, name in enumerate(methods[:8]):
            x, y = LEFT + (i % 3) * 150, high + 12 + 20 * (i // 3)
            body += [_mark(i, x, y - 4), text(x + 14, y, short(name, 18))]
        high += 24 + 20 * ((min(8, len(methods)) - 1) // 3)
    if link is None:
        return drawing(WIDE, high, body)
    return (
        f'<svg class="frontier" viewBox="0 0 {WIDE:.0f} {high:.0f}" role="group" '
        f'aria-label="Risk against use, {len(points)} settings">{"".join(body)}</svg>'
    )


def _point(p: Row, which: int, across: Axis, up: Axis) -> list[str]:
    x, y = across.at(p["x"]), up.at(p["y"])
    colour = COLOURS[which % len(COLOURS)]
    pale = ' stroke-opacity="0.6"' if p.get("holds", True) else ' stroke-opacity="0.3" stroke-dasharray="3 3"'
    out = [
        f'<path d="M{x:.1f},{up.at(p["low"]):.1f}V{up.at(p["high"]):.1f}" stroke="{colour}" stroke-width="2"{pale}/>',
        *(
            f'<path d="M{x - 4:.1f},{up.at(p[end]):.1f}h8" stroke="{colour}" stroke-width="2"{pale}/>'
            for end in ("low", "high")
        ),
    ]
    if p.get("pinned"):
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="12" fill="none" stroke="{INK}" stroke-width="2"/>')
    return [*out, _mark(which, x, y)]


def _mark(which: int, x: float, y: float) -> str:
    """A shape per method."""
    colour = COLOURS[which % len(COLOURS)]
    if which % 4 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{colour}"/>'
    corners = {1: "-5,-5 5,-5 5,5 -5,5", 2: "0,-7 7,5 -7,5", 3: "0,-7 7,0 0,7 -7,0"}[which % 4]
    moved = [c.split(",") for c in corners.split()]
    place = " ".join(f"{x + float(a):.1f},{y + float(b):.1f}" for a, b in moved)
    return f'<polygon points="{place}" fill="{colour}"/>'


def _label(p: Row, x: float, y: float, taken: list[tuple[float, float, float]]) -> list[str]:
    """The setting beside its point, where no other label stands."""
    words = short(p.get("short", p.get("label", "")), 26)
    if not words:
        return []
    wide, away = 6.6 * len(words), 15 if p.get("pinned") else 9
    for left, at in ((x + away, y - 5), (x - away - wide, y - 5), (x + away, y + 14), (x - away - wide, y + 14)):
        inside = left > LEFT and left + wide < WIDE
        if inside and not any(abs(at - b) < 13 and left < a + w and a < left + wide for a, b, w in taken):
            taken.append((left, at, wide))
            return [text(left, at, words, size=12)]
    return []


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value
