"""Risk: unicity curves, what an adversary achieves, and the frontier of risk and loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sequester.pages.attacks import attack_section
from sequester.pages.charts import lines
from sequester.pages.frontier import frontier_section
from sequester.pages.page import Section, folded


def risk_pictures(evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Whatever risk evidence there is, of any kind of data: what to choose, what attacks achieve, who is alone."""
    out: list[Section] = []
    for about in ("attack", "tune", "assess"):
        for item in evidence:
            rows = item.get("rows", {})
            if item["about"] != about:
                continue
            if about == "assess":
                out += _unicity(rows.get("unicity", []))
            elif about == "tune":
                out += frontier_section(rows.get("settings", []), rows.get("refused", []))
            else:
                table = rows.get("attacks", [])
                more = [folded("Every figure of the attacks", table)] if table else []
                out += attack_section(table, item.get("summary", ""), more) + _dial(rows.get("dial", []))
    return out


def _unicity(rows: list[dict[str, Any]]) -> list[Section]:
    if not rows:
        return []
    last = rows[-1]
    return [
        Section(
            title="How many known points single out a person?",
            says="Share of people who are the only ones with what an attacker knows about them, in the original.",
            svg=lines(
                rows, "points", "unique", x_title="points the attacker knows", y_title="people singled out",
                low="low", high="high", percent=True,
            ),
            alt=f"Rising curve; with {last['points']} known points {last['unique']:.0%} of people are unique.",
        )
    ]  # fmt: skip


def _dial(rows: list[dict[str, Any]]) -> list[Section]:
    if not rows:
        return []
    return [
        Section(
            title="How does an attack gain by knowing more?",
            says="Success of the linking attacks against how much is known of a target, with 95 % intervals.",
            svg=lines(
                rows, "knowledge", "success", x_title="points the attacker knows", y_title="the attack succeeds",
                series="attack", low="low", high="high", percent=True,
            ),
            alt=f"Curves of success over {len(rows)} amounts of knowledge.",
        )
    ]  # fmt: skip
