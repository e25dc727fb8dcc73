"""Risk against use: one picture whose every point is a link to *original beside release*.

Which attack and which figure of use the points share is decided in one place for the reports and for this page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sequester import _shell

Trial = Mapping[str, Any]


def attack_of(trials: Sequence[Trial]) -> str:
    """The attack by which all trials are compared."""
    return _shell.one_attack([t["result"].get("attacks", ()) for t in trials])


def risk(trial: Trial, attack: str) -> dict[str, Any] | None:
    """What that attack achieved at one setting."""
    return _shell.of_attack((trial["result"] or {}).get("attacks", ()), attack)


def measures(trials: Sequence[Trial]) -> dict[str, Mapping[str, Any]]:
    """Figures of use that every trial has; those that tell trials apart come first."""
    return _shell.measures([t["result"].get("figures", ()) for t in trials])


def points(trials: Sequence[Trial], measure: str, attack: str, pins: Sequence[int] = ()) -> list[dict[str, Any]]:
    """Where each trial stands: what the attacker gains, with its interval, against one figure of use."""
    out = []
    told_apart = varied(trials)
    for trial in trials:
        found = risk(trial, attack)
        use = next((f for f in trial["result"].get("figures", ()) if f["name"] == measure), None)
        if found is None or use is None or not isinstance(use["value"], (int, float)):
            continue
        out.append({"job": trial["job"], "x": float(use["value"]), "y": found["success"], "low": found["low"],
                    "high": found["high"], "label": label(trial), "short": _words(trial, told_apart),
                    "method": trial["settings"]["method"], "holds": bool(trial["result"].get("holds")),
                    "pinned": trial["job"] in pins})  # fmt: skip
    return out


def varied(trials: Sequence[Trial]) -> set[str]:
    """Parameters by which settings of a method differ: what has to be written beside a point."""
    seen: dict[tuple[str, str], set[str]] = {}
    for trial in trials:
        settings = trial["settings"]
        for name in settings["parameters"]:
            seen.setdefault((settings["method"], name), set())
    for (method, name), values in seen.items():
        values.update(
            _short(t["settings"]["parameters"].get(name)) for t in trials if t["settings"]["method"] == method
        )
    return {name for (_, name), values in seen.items() if len(values) > 1}


def _words(trial: Trial, names: set[str]) -> str:
    parameters = trial["settings"]["parameters"]
    return ", ".join(f"{n.rstrip('_').replace('_', ' ')} {_short(v)}" for n, v in parameters.items() if n in names)


def label(trial: Mapping[str, Any]) -> str:
    """A setting in a few words: the method and what was chosen."""
    settings = trial["settings"]
    chosen = _words(trial, set(settings["parameters"]))
    return f"{settings['method']}: {chosen}" if chosen else settings["method"]


def _short(value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else _shell.shown(value)
    return text if len(text) <= 24 else text[:23] + "…"


def drawing(form: Sequence[Mapping[str, Any]], measure: Mapping[str, Any]) -> Markup:
    """The picture as SVG."""

    def link(p: Mapping[str, Any]) -> tuple[str, str]:
        succeeds = f"Attack succeeds for {p['y']:.0%} ({p['low']:.0%} to {p['high']:.0%})"
        return f"/job/{p['job']}", f"{p['label']}. {succeeds}; {measure['name']} {_shell.shown(p['x'])}."

    axis = f"{measure['name']} ({_shell.better_side(measure)})"
    return Markup(_shell.frontier_picture(form, x_title=axis, y_title="the attack succeeds", link=link))
