"""Attributes beside the states: what a custodian declares about them, and what cannot be carried."""

from __future__ import annotations

from sequester.errors import InputError
from sequester.model import EventLog


def refuse_attributes(data: EventLog, who: str) -> None:
    """Stop where a method would silently drop columns the custodian asked for."""
    if data.attributes:
        raise InputError(
            f"{who}: attributes ({len(data.attributes)} columns) are not carried by this method. Leave attributes out, "
            "or use markov-dp and declare their values."
        )
