"""Risk: unicity curves, what an adversary achieves, and the frontier of risk and loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sequester.pages.charts import bars, cloud, lines
from sequester.pages.page import Section


def risk_pictures(evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Pictures of whatever risk evidence there is, of any kind of data."""
    out: list[Section] = []
    for item in evidence:
        for name, rows in item.get("rows", {}).items():
            if not rows:
                continue
            if item["about"] == "assess":
                out += _unicity(name, rows)
            elif item["about"] == "attack":
                out += _attack(rows)
            elif item["about"] == "tune":
                out += _frontier(rows)
    return out


def _unicity(name: str, rows: list[dict[str, Any]]) -> list[Section]:
    known = _first(rows, "points", "p", "known", "n_points", "known_points")
    share = _first(rows, "unique", "unicity", "share", "unique_share")
    if not known or not share or ("unic" not in name and "unique" not in share and share != "unicity"):
        return []
    series = _first(rows, "knowledge", "precision", "what", "kind", "series")
    last = rows[-1]
    return [
        Section(
            title="How many known points single out a person?",
            says="Share of people who are the only ones with what an attacker knows about them, in the original.",
            svg=lines(
                rows, known, share, x_title="points the attacker knows", y_title="people singled out",
                series=series, low=_first(rows, "low", "lower"), high=_first(rows, "high", "upper"), percent=True,
            ),
            alt=f"Rising curve; with {last[known]} known points {last[share]:.0%} of people are unique.",
        )
    ]  # fmt: skip


def _attack(rows: list[dict[str, Any]]) -> list[Section]:
    success = _first(rows, "success", "rate", "attack")
    if not success:
        return []
    named = _first(rows, "attack", "name", "what") if success != "attack" else _first(rows, "name", "what")
    long = []
    for i, row in enumerate(rows):
        label = str(row.get(named or "", f"attack {i + 1}"))
        if "knowledge" in row:
            label += f" ({row['knowledge']})"
        for column in (success, "control", "baseline", "bound"):
            if column == "bound" and row.get("covered") is False:
                continue  # a yardstick, not a promise
            if isinstance(row.get(column), (int, float)):
                long.append({"label": label, "rate": row[column], "who": "attack" if column == success else column})
    return [
        Section(
            title="Does an attack do better than guessing?",
            says="Success of each attack beside the same attack on people who are not in the data (control) "
            "and beside guessing (baseline); where the promise states a bound, it stands beside them.",
            svg=bars(long, "label", "rate", value_title="success rate", series="who", percent=True),
            alt=f"Bar chart of {len(rows)} attacks with control and baseline.",
        )
    ]


def _frontier(rows: list[dict[str, Any]]) -> list[Section]:
    risk, loss = _first(rows, "risk"), _first(rows, "loss")
    if not risk or not loss:
        return []
    settings = [c for c in ("k", "p", "l", "epsilon", "setting") if c in rows[0]]
    long = [{**r, "label": ", ".join(f"{c}={r[c]}" for c in settings if r.get(c) is not None)} for r in rows]
    return [
        Section(
            title="What does less risk cost?",
            says="Each point is one setting: further down is less risk, further left is less loss.",
            svg=cloud(
                long, loss, risk, x_title=f"loss ({rows[0].get('loss_is', 'measured')})", y_title="risk", label="label"
            ),
            alt=f"Risk against loss for {len(rows)} settings.",
        )
    ]


def _first(rows: list[dict[str, Any]], *names: str) -> str | None:
    return next((n for n in names if n in rows[0]), None)
