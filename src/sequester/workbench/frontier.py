"""Risk against use: one picture whose every point is a link to *original beside release*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from markupsafe import Markup

from sequester.workbench.bench import number

WIDE, HIGH, LEFT, TOP, RIGHT, BOTTOM = 720, 400, 64, 40, 24, 52
WIDE_KEY = 130


def measures(trials: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Figures of use with a better side that every finished trial has; those that tell trials apart come first."""
    common: dict[str, dict[str, Any]] = {}
    for at, trial in enumerate(trials):
        here = {f["name"]: f for f in trial["result"].get("figures", ()) if f["better"] in ("lower", "higher")
                and isinstance(f["value"], (int, float))}  # fmt: skip
        common = here if at == 0 else {name: f for name, f in common.items() if name in here}
    values: dict[str, set[float]] = {name: set() for name in common}
    for trial in trials:
        for f in trial["result"].get("figures", ()):
            if f["name"] in values:
                values[f["name"]].add(f["value"])
    return dict(sorted(common.items(), key=lambda item: len(values[item[0]]) == 1))


def points(trials: Sequence[Mapping[str, Any]], measure: str) -> list[dict[str, Any]]:
    """Where each trial stands: what an attacker gains, with its interval, against one figure of use."""
    out = []
    for trial in trials:
        result = trial["result"]
        risk = result.get("risk")
        use = next((f for f in result.get("figures", ()) if f["name"] == measure), None)
        if risk is None or use is None or not isinstance(use["value"], (int, float)):
            continue
        out.append({"job": trial["job"], "x": float(use["value"]), "y": risk["success"], "low": risk["low"],
                    "high": risk["high"], "label": label(trial), "method": trial["settings"]["method"],
                    "holds": bool(result.get("holds"))})  # fmt: skip
    return out


def label(trial: Mapping[str, Any]) -> str:
    """A setting in a few words: the method and what was chosen."""
    told = trial["settings"]
    chosen = ", ".join(f"{n.rstrip('_').replace('_', ' ')} {_short(v)}" for n, v in told["parameters"].items())
    return f"{told['method']}: {chosen}" if chosen else told["method"]


def _short(value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else number(value)
    return text if len(text) <= 24 else text[:23] + "…"


def drawing(told: Sequence[Mapping[str, Any]], measure: Mapping[str, Any], pins: Sequence[int] = ()) -> Markup:
    """The picture as SVG; shapes tell methods apart, colours only help."""
    if not told:
        return Markup("")
    xs = [p["x"] for p in told]
    low, high = min(xs), max(xs)
    pad = (high - low) * 0.08 or abs(high) * 0.1 or 0.5
    low, high = (0.0 if 0 < low <= (high - low) * 2 else low - pad), high + pad
    top = max(0.05, min(1.0, max(p["high"] for p in told) * 1.1))
    methods = list(dict.fromkeys(p["method"] for p in told))

    def across(x: float) -> float:
        return LEFT + (x - low) / (high - low) * (WIDE - LEFT - RIGHT)

    def down(y: float) -> float:
        return TOP + (1 - min(y, top) / top) * (HIGH - TOP - BOTTOM)

    body = []
    for i in range(5):
        y, x = top * i / 4, low + (high - low) * i / 4
        at = number(float(f"{x:.3g}"))
        body.append(f'<line class="grid" x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{down(y):.1f}" y2="{down(y):.1f}"/>')
        body.append(f'<text x="{LEFT - 8}" y="{down(y) + 4:.1f}" text-anchor="end">{y:.0%}</text>')
        body.append(f'<text x="{across(x):.1f}" y="{HIGH - BOTTOM + 18}" text-anchor="middle">{at}</text>')
    better = "further left is better" if measure["better"] == "lower" else "further right is better"
    axis = escape(f"{measure['name']} ({better})")
    body.append(f'<text class="axis" x="{(LEFT + WIDE - RIGHT) / 2}" y="{HIGH - 8}" text-anchor="middle">{axis}</text>')
    body.append(
        f'<text class="axis" transform="translate(14 {(TOP + HIGH - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
        "success of the strongest attack</text>"
    )
    for p in told:
        x, y = across(p["x"]), down(p["y"])
        words = escape(
            f"{p['label']}. Attack succeeds for {p['y']:.0%} ({p['low']:.0%} to {p['high']:.0%}); "
            f"{measure['name']} {number(p['x'])}."
        )
        shape = _mark(methods.index(p["method"]), x, y)
        ring = f'<circle class="pinned" cx="{x:.1f}" cy="{y:.1f}" r="13"/>' if p["job"] in pins else ""
        look = f"m{methods.index(p['method']) % 4}" + ("" if p["holds"] else " broken")
        body.append(
            f'<a href="/job/{p["job"]}" class="point {look}" aria-label="{words}"><title>{words}</title>'
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{down(p["low"]):.1f}" y2="{down(p["high"]):.1f}"/>{ring}{shape}</a>'
        )
    keys = []
    for i, name in enumerate(methods[:6]):
        x = LEFT + 12 + i * WIDE_KEY
        keys.append(f'<g class="point m{i % 4}">{_mark(i, x, 14)}</g><text x="{x + 12}" y="18">{escape(name)}</text>')
    return Markup(
        f'<svg class="frontier" viewBox="0 0 {WIDE} {HIGH}" role="group" '
        f'aria-label="Risk against use, {len(told)} settings">{"".join(body)}{"".join(keys)}</svg>'
    )


def _mark(which: int, x: float, y: float) -> str:
    """A shape per method."""
    if which % 4 == 1:
        return f'<rect x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12"/>'
    if which % 4 == 2:
        return f'<polygon points="{x:.1f},{y - 8:.1f} {x + 8:.1f},{y + 6:.1f} {x - 8:.1f},{y + 6:.1f}"/>'
    if which % 4 == 3:
        return f'<polygon points="{x:.1f},{y - 8:.1f} {x + 8:.1f},{y:.1f} {x:.1f},{y + 8:.1f} {x - 8:.1f},{y:.1f}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7"/>'
