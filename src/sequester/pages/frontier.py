"""The choosing picture: what a setting allows for certain, what an attacker achieves, and what is left to use.

One unit for every kind of data. Upwards: shown one person who was in the data and one who was not, the attacker picks
the right one in X of 100 pairs; a coin picks 50. Across: how far the release is from the original, in halves of the
real people. The dashed line is the promise, a formula; the dots are computed on the original and are private. Nothing
is smoothed: where two settings cannot be told apart, that is said.

Reports (`tune`) and the workbench draw from the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from sequester.languages import said
from sequester.pages.axes import Axis, frame
from sequester.pages.page import Section, folded
from sequester.pages.svg import COLOURS, GRID, INK, SIZE, SOFT, WIDE, broken, drawing, printable, short, text
from sequester.pages.words import count, percent

Row = Mapping[str, Any]
SETTINGS = "What does less risk cost?"
UPWARDS = "right in 100 pairs"
TOP, HIGH, LEFT, FOOT = 44.0, 260.0, 56.0, 62.0
LEAST, MOST = 0.1, 20.0
"""Ends of the axis of use: a ratio to halves that hardly differ explodes, and nobody needs to see how far."""
MARKS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
GRADES = ("proved", "verified", "as-published")
"""In the order in which methods are listed."""
NAMES = {
    "k-repeats": "hide text that few people share",
    "k-words": "show public words, hide rare ones",
    "word-frequency": "hide words that few people use",
    "kapra": "give groups of similar people one range",
    "kp-naive": "give neighbours of a pattern one range",
    "tga": "draw series from the range of a group",
    "bfp2ka": "keep beginnings that many people share",
    "mcka": "mix groups of similar people",
    "mcdp": "add noise to groups of similar people",
    "activity-dp": "simulate days from noisy counts",
    "mdav-ka": "mix groups of equal size",
    "mdav-dp": "add noise to groups of equal size",
    "markov-dp": "simulate paths from noisy counts",
    "markov-ratio": "simulate paths from tested steps",
    "events-ngram-dp": "simulate paths from noisy patterns",
    "ngram-k": "count patterns that many people share",
    "ngram-dp": "count patterns with noise",
    "ngram-copy": "count the patterns of one window",
}
"""What a method does, in plain words beside its id."""


def plain_name(method: str) -> str:
    """What a method does and its id: mix groups of similar people · mcka."""
    return f"{NAMES[method]} · {method}" if method in NAMES else method


def in_order(rows: Sequence[Row]) -> list[Row]:
    """Proved, verified, as published; the settings of a method side by side, in the order they were given."""
    methods = list(dict.fromkeys(r["method"] for r in rows))
    grade = {r["method"]: GRADES.index(r["grade"]) if r.get("grade") in GRADES else len(GRADES) for r in rows}
    return sorted(rows, key=lambda r: (grade[r["method"]], methods.index(r["method"]), _number(r)))


def _number(row: Row) -> tuple[float, ...]:
    return tuple(float(v) for v in row["setting"].values() if isinstance(v, (int, float)))


def labels(rows: Sequence[Row]) -> list[str]:
    """Each setting by what differs among the settings of its method; by all of it where nothing differs."""
    out = []
    for row in rows:
        same = [r["setting"] for r in rows if r["method"] == row["method"]]
        names = [n for n in row["setting"] if len({str(s.get(n)) for s in same}) > 1] or list(row["setting"])[:2]
        out.append(", ".join(f"{n.rstrip('_').replace('_', ' ')} {cell(row['setting'].get(n))}" for n in names))
    return out


def figures_of(rows: Sequence[Row]) -> list[str]:
    """Names of the figures of use, in their order."""
    return list(dict.fromkeys(name for r in rows for name in r.get("figures", ())))


def cell(value: Any) -> str:
    """A parameter as it is written."""
    if isinstance(value, (list, tuple)):
        return short(",".join(map(str, value)), 24)
    return short(f"{value:g}" if isinstance(value, float) else value, 24)


# -- in words -------------------------------------------------------------------------------------------------------


def pairs(row: Row) -> str:
    """Of 100 pairs, with the interval: 86 (± 2)."""
    if row.get("pairs") is None:
        return "–"
    return f"{100 * row['pairs']:.0f} (±\N{NO-BREAK SPACE}{max(1, math.ceil(100 * row['within'] - 0.05))})"


def line(row: Row) -> str:
    """What the promise allows, in a few words."""
    found = row["certain"]
    if found["pairs"] is not None:
        return f"at most {_up(found['pairs'])} of 100 pairs"
    if found["one_in"]:
        more = f" (1 in {found['one_in_pattern']} with its shape)" if found["one_in_pattern"] else ""
        return f"naming: 1 in {found['one_in']}{more}"
    return "no bound"


def _up(share: float) -> int:
    return min(100, -int(-100 * share // 1))


def halves(figure: Row | None) -> str:
    """A figure of use in halves of the real people."""
    if figure is None:
        return "–"
    if figure["ratio"] is None:
        return f"{figure['distance']:.2g} apart"
    if figure["ratio"] > MOST:
        return f"> {MOST:.0f}"
    return f"< {LEAST:g}" if figure["ratio"] < LEAST else f"{figure['ratio']:.2g}"


def sentence(row: Row) -> str:
    """One setting for a board: certain, computed, named, left to use."""
    said = [row["certain"]["says"]]
    if row.get("pairs") is not None:
        said.append(
            f"The strongest attack on everybody that we know was right in {pairs(row)} of 100 pairs, on halves of "
            f"{count(row['people'], 'person', 'people')}; a coin is right in 50."
        )
    else:
        said.append(row.get("no_pairs", ""))
    if row.get("named") is not None:
        said.append(f"{row['named_is'][:1].upper()}{row['named_is'][1:]}: {percent(row['named'])}.")
    if row.get("kept") is not None:
        said.append(f"{percent(row['kept'])} of the words can be read.")
    figure = row.get("use", {}).get(row.get("axis", ""))
    if figure is not None and figure["ratio"] is not None:
        said.append(f"“{row['axis']}” differs {halves(figure)} times as much as two halves of the real people would.")
    return " ".join(s for s in said if s)


def remarks(rows: Sequence[Row]) -> list[str]:
    """What the picture cannot show: what chance gives here, settings that cannot be told apart, lines that are none."""
    out = []
    coins = {round(100 * r["coin"]) for r in rows if r.get("coin") is not None}
    people = max((r["people"] for r in rows if r.get("people")), default=0)
    if coins:
        off = max(5 if people < 100 else 0, *(abs(c - 50) for c in coins))
        points = " and ".join(map(str, sorted(coins)))
        out.append(
            f"Control: releases that have nothing to do with who was in give {points} of 100 here."
            + (f" With {count(people, 'person', 'people')}, differences of fewer than {off} points mean nothing."
               if off > 1 else "")
        )  # fmt: skip
    for method in dict.fromkeys(r["method"] for r in rows):
        mine = [r for r in rows if r["method"] == method and r.get("pairs") is not None]
        low = max((r["pairs"] - r["within"] for r in mine), default=0.0)
        if len(mine) > 1 and low <= min(r["pairs"] + r["within"] for r in mine):
            ends = sorted({f"{100 * pick(r['pairs'] for r in mine):.0f}" for pick in (min, max)}, key=float)
            out.append(
                f"{method}: these settings cannot be told apart by risk ({'–'.join(ends)} of 100, intervals overlap)."
            )
        if mine and mine[0]["grade"] == "as-published":
            out.append(f"{method}: {mine[0]['certain']['says']}")
    counted = [r["method"] for r in rows if r["grade"] == "verified" and r["certain"]["pairs"] is None]
    if counted:
        out.append(
            f"{', '.join(dict.fromkeys(counted))}: the promise counts people behind what is shown. Who took part is "
            "not bounded, so no line is drawn. An attacker who knows everybody else, beyond what the promise covers, "
            "may be right far more often than 1 in k."
        )
    return out


# -- the picture ----------------------------------------------------------------------------------------------------


def picture(rows: Sequence[Row], *, link: Callable[[int], str] | None = None) -> str:
    """The picture as SVG. Shapes tell methods apart, colours only help.

    Parameters
    ----------
    rows
        Settings of a sweep, in order; those without a dot or a figure of use are left out.
    link
        Number of a row → where its point leads, for a page on which points can be opened; without it the drawing is
        cleaned like every other.
    """
    points = [(i, r, x) for i, r in enumerate(rows) if r.get("pairs") is not None and (x := _across(r)) is not None]
    if not points:
        return ""
    xs = [x for _, _, x in points]
    low, high = min(0.5, *xs), max(2.0, *xs)
    marks = [m for m in MARKS if low / 1.1 <= m <= high * 1.2]
    across = Axis(low / 1.15, high * 1.25, LEFT, WIDE - 24, marks, log=True)
    ends = [r["pairs"] - r["within"] for _, r, _ in points]
    least = 50 if min(ends) >= 0.48 else 40
    up = Axis(least / 100 - 0.02, 1.0, TOP + HIGH, TOP, [v / 100 for v in range(least, 101, 10)])
    axis = points[0][1]["axis"]
    body = frame(across, up, x_title=axis, y_title=UPWARDS, label=lambda v: f"{100 * v:.0f}", above=24,
                 number=_on_the_axis)  # fmt: skip
    yardstick = said("1 = two halves of the real people; further left is nearer")
    body.append(text((across.start + across.end) / 2, up.start + 52, yardstick, anchor="middle", size=12, colour=SOFT))
    coin = up.at(0.5)
    body.append(f'<path d="M{across.start:.1f},{coin:.1f}H{across.end:.1f}" stroke="{SOFT}" stroke-width="2"/>')
    tossed = said("a coin")
    wide, near = 7.0 * len(tossed), [across.at(x) for _, r, x in points if r["pairs"] < 0.6]
    places = [across.end - wide - step for step in range(0, int(across.end - across.start - wide), 20)]
    toss = next((p for p in places if not any(p - 12 < at < p + wide + 12 for at in near)), places[0])
    body.append(text(toss, coin - 5, tossed, size=12, colour=SOFT))
    methods = list(dict.fromkeys(r["method"] for _, r, _ in points))
    words = dict(zip(range(len(rows)), labels(rows), strict=True))
    for which, method in enumerate(methods):
        body += _promise([(x, r) for _, r, x in points if r["method"] == method], which, across, up)
    taken = [(4.0, up.end - 24, 7.5 * len(said(UPWARDS)))]  # where no label may stand: the title, and every point
    taken.append((toss, coin - 5, wide))
    taken += [(across.at(x) - 8, up.at(r["pairs"]) + 4, 16.0) for _, r, x in points]
    for i, r, x in points:
        mark = [*_point(r, x, methods.index(r["method"]), across, up),
                *_label(words[i], across.at(x), up.at(r["pairs"]), taken)]  # fmt: skip
        if link is None:
            body += mark
        else:
            name = said(f"{r['method']}, {words[i]}. Right in {pairs(r)} of 100 pairs; {line(r)}; "
                        f"{axis} {halves(r['use'][axis])}.")  # fmt: skip
            name = escape(printable(name))
            body.append(
                f'<a href="{escape(link(i))}" class="point" data-point="{i}" aria-label="{name}"><title>{name}</title>'
                f"{''.join(mark)}</a>"
            )
    tall = TOP + HIGH + FOOT
    for which, method in enumerate(methods[:8]):
        bound = any(r["certain"]["pairs"] is not None for _, r, _ in points if r["method"] == method)
        drawn = "dashed: the most its promise allows" if bound else "no bound on who took part"
        tall += 20
        body += [_mark(which, LEFT, tall - 10), text(LEFT + 14, tall - 6, f"{method} ({said(drawn)})")]
    tall += 8
    seen = f"Risk against use for {count(len(points), 'setting')}:"
    if link is None:
        return drawing(WIDE, tall, body)
    return (
        f'<svg class="frontier" viewBox="0 0 {WIDE:.0f} {tall:.0f}" role="group" '
        f'aria-label="{escape(said(seen))}">{"".join(body)}</svg>'
    )


def _on_the_axis(ratio: float) -> str:
    """A number on the axis of use; its ends stand for all beyond them."""
    return f"≤ {ratio:g}" if ratio == LEAST else f"> {ratio:g}" if ratio == MOST else f"{ratio:g}"


def _across(row: Row) -> float | None:
    figure = row.get("use", {}).get(row.get("axis", ""))
    return None if figure is None or figure["ratio"] is None else min(MOST, max(LEAST, figure["ratio"]))


def _promise(points: list[tuple[float, Row]], which: int, across: Axis, up: Axis) -> list[str]:
    """The certain line through the settings of one method, dashed."""
    at = sorted((across.at(x), up.at(r["certain"]["pairs"])) for x, r in points if r["certain"]["pairs"] is not None)
    if not at:
        return []
    colour = COLOURS[which % len(COLOURS)]
    ends = at if len(at) > 1 else [(at[0][0] - 14, at[0][1]), (at[0][0] + 14, at[0][1])]
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in ends)
    ticks = [f'<path d="M{x - 7:.1f},{y:.1f}h14" stroke="{colour}" stroke-width="2"/>' for x, y in at]
    return [f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="5 4"/>', *ticks]


def _point(r: Row, at: float, which: int, across: Axis, up: Axis) -> list[str]:
    x, y = across.at(at), up.at(r["pairs"])
    colour = COLOURS[which % len(COLOURS)]
    low, high = (up.at(max(up.low, min(1.0, r["pairs"] + way * r["within"]))) for way in (-1, 1))
    return [
        f'<path d="M{x:.1f},{low:.1f}V{high:.1f}" stroke="{colour}" stroke-width="7" stroke-opacity="0.3"/>',
        f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="12" fill="none" stroke="{INK}" stroke-width="0"/>',
        _mark(which, x, y),
    ]


def _mark(which: int, x: float, y: float) -> str:
    """A shape per method."""
    colour = COLOURS[which % len(COLOURS)]
    if which % 4 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{colour}"/>'
    corners = {1: "-5,-5 5,-5 5,5 -5,5", 2: "0,-7 7,5 -7,5", 3: "0,-7 7,0 0,7 -7,0"}[which % 4]
    moved = [c.split(",") for c in corners.split()]
    place = " ".join(f"{x + float(a):.1f},{y + float(b):.1f}" for a, b in moved)
    return f'<polygon points="{place}" fill="{colour}"/>'


def _label(words: str, x: float, y: float, taken: list[tuple[float, float, float]]) -> list[str]:
    """The setting beside its point, where no other label stands."""
    words = short(words, 26)
    wide, away = 6.6 * len(words), 10
    beside = ((x + away, y - 6), (x - away - wide, y - 6), (x + away, y + 15), (x - away - wide, y + 15))
    for left, at in (*beside, (x - wide / 2, y - 14), (x - wide / 2, y + 24)):
        inside = left > LEFT and left + wide < WIDE
        if words and inside and not any(abs(at - b) < 13 and left < a + w and a < left + wide for a, b, w in taken):
            taken.append((left, at, wide))
            return [text(left, at, words, size=12)]
    return []


def strips(rows: Sequence[Row]) -> str:
    """Every figure of use as a strip on which each setting stands; 1 is what two halves of the people differ by."""
    names = figures_of(rows)
    methods = list(dict.fromkeys(r["method"] for r in rows))
    across = Axis(LEAST / 1.1, MOST * 1.1, 150.0, WIDE - 12, MARKS, log=True)
    body = []
    foot = 22.0 + 30 * len(names)
    for mark in MARKS:
        x, colour = across.at(mark), SOFT if mark == 1.0 else GRID
        body.append(f'<line x1="{x:.1f}" y1="8" x2="{x:.1f}" y2="{foot - 8:.1f}" stroke="{colour}"/>')
        body.append(text(x, foot + 8, _on_the_axis(mark), anchor="middle", size=12))
    for j, name in enumerate(names):
        y = 22.0 + 30 * j
        lines = broken(said(name), 22)
        for n, part in enumerate(lines):
            body.append(text(0, y + 4 + 13 * n - 6.5 * (len(lines) - 1), part, size=12 if len(lines) > 1 else SIZE))
        for r in rows:
            ratio = (r.get("use", {}).get(name) or {}).get("ratio")
            if ratio is not None:
                body.append(_mark(methods.index(r["method"]), across.at(min(MOST, max(LEAST, ratio))), y))
    body.append(text(across.at(1.0), foot + 26, said("1 = two halves of the real people"), anchor="middle", size=12))
    return drawing(WIDE, foot + 34, body)


# -- in the custodian's report --------------------------------------------------------------------------------------


def frontier_section(rows: Sequence[Row], refused: Sequence[Row] = ()) -> list[Section]:
    """The picture, and a line per setting: what is certain, what was computed, and the figures of use."""
    rows = in_order([r for r in rows if "certain" in r])
    if not rows:
        return []
    figures = figures_of(rows)
    lines = tuple(
        (words, str(r["promise"]), line(r), pairs(r), *(halves(r.get("use", {}).get(f)) for f in figures), r["verdict"])
        for r, words in zip(rows, labels(rows), strict=True)
    )
    more = [folded(f"{count(len(refused), 'setting')} the method refused, and why",
                   [{**r["setting"], "refused": r["refused"]} for r in refused])] if refused else []  # fmt: skip
    return [
        Section(
            title=SETTINGS,
            says="Upwards: shown one person who was in the data and one who was not, an attacker picks the right one "
            "in so many of 100 pairs; a coin picks 50. Across: how far the release is from the original, where 1 is "
            "what two halves of the real people differ by. " + " ".join(remarks(rows)),
            svg=picture(rows),
            alt=f"Risk against use for {count(len(rows), 'setting')}: "
            + "; ".join(f"{words}: {pairs(r)} of 100" for r, words in zip(rows[:8], labels(rows), strict=False)) + ".",
            caption="Settings that were tried",
            columns=("Setting", "Promise", "Allowed for certain", "Right in 100 pairs [95 %]",
                     *(f"{f} (halves)" for f in figures), "Checked"),
            rows=lines,
            after="Runs have half of the people, so for the same setting they show more than the release of all does.",
            more=tuple(more),
        )
    ]  # fmt: skip
