"""What a reader of an n-gram table must know about how signals became symbols."""

from __future__ import annotations

from typing import Any

from sequester.errors import InputError, agreed, counted
from sequester.model import Fact
from sequester.primitives.normal import breakpoints
from sequester.read.signals import WHO, Signal


def rate_fact(found: list[Signal], declared: float | None) -> Fact:
    """Samples per second of recordings: as told, if all agree with it; else what they say themselves."""
    rates = sorted({s.rate_hz for s in found})
    if declared is None:
        return Fact("samples per second", rates[0] if len(rates) == 1 else rates, "found")
    odd = sum(s.rate_hz != declared for s in found)
    if odd:
        raise InputError(
            f"{WHO}: {odd} of {counted(len(found), 'recording')} {agreed(odd, 'does', 'do')} not have "
            f"rate={declared:g}. Leave it out, or them."
        )
    return Fact("samples per second", declared, "declared")


def _breaks(symbolize: str, alphabet: int) -> Any:
    """Where one symbol ends and the next begins, as far as it is the same for everybody."""
    if symbolize != "sax":
        return {"quantile": "quantiles of each series", "equal-width": "equal parts of each series' range"}[symbolize]
    return [round(float(x), 6) for x in breakpoints(alphabet)]


def symbol_facts(symbolize: str, window: int, alphabet: int, symbols: tuple[str, ...], std: str) -> tuple[Fact, ...]:
    """How values became symbols."""
    if symbolize == "none":
        found = bool(symbols)
        return (Fact("states", "as declared" if found else "the symbols found", "declared" if found else "found"),)
    return (
        Fact("symbols", symbolize, "default" if symbolize == "sax" else "declared"),
        Fact("window", window, "default" if window == 10 else "declared"),
        Fact("alphabet", alphabet, "default" if alphabet == 4 else "declared"),
        Fact("break points", _breaks(symbolize, alphabet), "declared"),
        *((Fact("standard deviation", std, "default" if std == "population" else "declared"),) * (symbolize == "sax")),
    )


def second_facts(start: float | None, end: float | None) -> tuple[Fact, ...]:
    """Between which seconds signals were read."""
    found = (("from second", start), ("to second", end))
    return tuple(Fact(name, second, "declared") for name, second in found if second is not None)


def check_symbolizing(symbolize: str, window: int, alphabet: int) -> None:
    """What can be said before the file is read."""
    if symbolize != "none" and (window < 1 or not 2 <= alphabet <= 65535):
        raise InputError(
            f"{WHO}: window must be at least 1 and alphabet in 2..65535, got window={window}, alphabet={alphabet}."
        )
