"""Words for what has a short name elsewhere: parts of a budget, tests of an attack, figures of loss."""

from __future__ import annotations

import re

from sequester.primitives.intervals import whole_or_half

MECHANISMS = {
    "people": "how many people",
    "first profile": "a first look at the time of day of each state",
    "profile": "the time of day of each state",
    "durations": "minutes a day in each state",
    "scores": "how people differ from each other",
    "spread": "how days of a person differ",
    "rates": "how often people change state",
    "flows": "which state follows which",
    "bouts": "how long people stay in a state",
    "states": "names of the states that many people have",
    "lengths": "how many events a history has",
    "pairs": "which state follows which",
    "triples": "which state follows which two",
    "gaps to": "time before each state",
    "gaps between": "time between two states",
    "starts": "when histories begin",
    "clock": "hours of the day and days of the week",
    "state hours": "hour of the day of each state",
    "seen": "how many people have each state",
    "place": "where in a history each state stands",
    "before": "which states came before",
    "gap before": "time since earlier states",
    "gap place": "time by place in the history",
    "variants": "whole histories that many people share",
    "spans": "how long histories last",
    "span moments": "how long histories last, means and spreads",
    "gaps": "time between events",
    "kept back": "kept back, not used",
}
"""Part of a budget → what was measured with it."""

TESTS = {
    "singling out": "singling out (is one person's record or presence seen)",
    "linkability": "linking (is a person's record found from what is known of them)",
    "inference": "inference (is something unknown about a person learned)",
}
"""The regulators' three tests (Article 29 Working Party, opinion 05/2014), as attacks name them."""
TEST = {"singling out": "singling out", "linkability": "linking", "inference": "inference"}
FIGURES = {
    "unicity": "people alone with the points that are known",
    "unicity_low": "lower end of the people who are alone",
    "unicity_high": "upper end of the people who are alone",
    "prosecutor_highest": "highest chance where it is known who is in the data",
    "prosecutor_at_risk": "people at risk where it is known who is in the data",
    "journalist_highest": "highest chance where it is unknown who is in the data",
    "journalist_at_risk": "people at risk where it is unknown who is in the data",
    "marketer": "people found by guessing for everybody",
    "unique_whole_record": "people alone with their whole record",
    "text_of_one_person": "text that one person alone has",
    "people_of_unique_length": "people with a length of record of their own",
    "longest_over_next": "longest record over the next one",
    "people_sampled": "people looked for",
    "distance": "distance to the nearest original history",
    "distance_back": "distance of originals to the nearest released history",
    "copy_rate": "histories that equal an original one",
    "unique_copy_rate": "histories that equal one person's alone",
    "top20_2grams": "most frequent steps kept",
    "bigram_l1": "difference of steps",
    "directly_follows": "order of events",
    "directly_follows_folded": "order of events, rare states together",
    "directly_follows_unfolded": "order of events, rare states apart",
    "named_events": "events whose state is named",
    "length": "events in a history",
    "duration_w1": "time from first to last event, mean distance",
    "gap_w1": "time between events, mean distance",
    "zero_gaps": "events at the same moment",
    "duration_by_length": "time from first to last event, by number of events",
    "gap": "time between events, largest gap",
    "duration": "time from first to last event, largest gap",
    "month": "calendar months",
    "weekday": "days of the week",
    "hour": "hours of the day",
    "variants": "whole histories",
    "next_event": "next event named right",
    "next_event_original": "next event named right, by the original",
    "tree": "next event named right, with time",
    "tree_original": "next event named right, with time, by the original",
    "next_gap": "error of the next gap",
    "next_gap_original": "error of the next gap, by the original",
}
"""Figure → its name in words; any other has one already."""


def called(name: str) -> str:
    """A figure's name in words."""
    return FIGURES.get(name) or name.replace("_", " ")


def mechanism(name: str) -> str:
    """A part of the budget in words."""
    base = re.sub(r" (clip|norm)$", "", name)
    found = MECHANISMS.get(base)
    if base != name:
        same = {"rate": "rates", "flow": "flows", "bout": "bouts", "profile": "profile", "spread": "spread"}
        found = MECHANISMS.get(same.get(base, base), found)
        return f"how much one person may add to: {found or base}"
    return found or name


def percent(share: float | None) -> str:
    """A share as a reader sees it: whole percent, a digit more where it is small."""
    if share is None or share != share:
        return "–"
    return f"{_digits(share)}\N{NO-BREAK SPACE}%"


def interval(low: float, high: float) -> str:
    """Two ends of an interval of shares, kept on one line."""
    return f"[{_digits(low)}\N{WORD JOINER}–\N{WORD JOINER}{_digits(high)}\N{NO-BREAK SPACE}%]"


def _digits(share: float) -> str:
    if share in (0, 1) or 0.01 <= share <= 0.99:
        return whole_or_half(100 * share)
    if 0 < share < 0.0005:
        return "under 0.1"  # nobody only when it is nobody, all only when it is all
    return f"{min(100 * share, 99.9):.1f}" if share < 1 else f"{100 * share:.1f}"


def count(n: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 row, 2 rows."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
