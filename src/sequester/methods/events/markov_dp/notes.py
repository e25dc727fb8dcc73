"""What `markov-dp` tells the custodian of a run: what to expect, what ran, whether the public parameters fit."""

from __future__ import annotations

from sequester.dp.ledger import Ledger
from sequester.errors import counted
from sequester.methods.events.markov_dp import design as d
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.markov_dp.people import People
from sequester.methods.events.shared.codebook import OTHER
from sequester.methods.events.shared.notes import Rules, on_dates, on_people, on_rules
from sequester.release import Note


def notes(
    people_at_least: int, people: People, plan: Design, measured: Measured, ledger: Ledger, rules: Rules
) -> tuple[Note, ...]:
    """For the custodian: what to expect, what ran, and whether the public parameters fit the log."""
    index = plan.strength / len(measured.names)
    outlook = (
        "only frequent transitions can be trusted" if index < d.FEW_BELOW
        else "usable for transitions and lengths" if index < d.GOOD_FROM
        else "usable for all measured statistics"
    )  # fmt: skip
    sd = next(e.scale for e in ledger.entries if e.mechanism == "people")
    return (
        Note(
            "states",
            f"{counted(len(measured.names) - 1, 'state is', 'states are')} named{_broader(plan, measured)}; about "
            f"{measured.other_share():.0%} of the events are '{OTHER}'.",
        ),
        Note(
            "outlook",
            "For the named states alone, signal against noise (people times sqrt(rho), per state, "
            f"{len(measured.names)} with '{OTHER}') is {index:.0f}: {outlook}.",
        ),
        Note("tables", _what_ran(plan)),
        *on_people(measured.people, sd, people_at_least),
        *on_dates(*people.outside_dates()),
        *on_rules(rules.states, measured.names, people.state_names),
    )


def _broader(plan: Design, measured: Measured) -> str:
    """How many of the names stand for several codes."""
    codes = plan.codes
    if codes is None:
        return ""
    n = sum(codes.is_broader(name) for name in measured.names[:-1])
    return f", {n} of them broader codes for codes that are too rare"


def _what_ran(plan: Design) -> str:
    """Which tables were measured, and what decided it: declarations alone."""
    what = "the plain tables" + (" with pairs of states as context" if plan.rich else "")
    timed = [name for name in plan.tables if name != "length"]
    what += f" and {counted(len(timed), 'table')} of the time model" if timed else ""
    what += ", transitions also by class of length" if "length" in plan.tables else ""
    if plan.n_codes is not None:
        return f"Measured: {what}. Decided by {plan.strength:.0f} / {plan.n_codes} declared states."
    most = int(plan.strength / d.TIMED_FROM) - 1
    more = (
        f" If at most {counted(most, 'state')} can occur, declare it (states_at_most, or a codebook): the time "
        "model is measured then."
        if plan.unit == "second" and most >= 2
        else ""
    )
    return f"Measured: {what}, because the number of states was not declared.{more}"
