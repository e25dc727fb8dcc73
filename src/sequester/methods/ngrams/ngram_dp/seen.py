"""What the method sees of people: shares of their time, or their first symbols."""

from __future__ import annotations

from functools import partial

import numpy as np

from sequester.engines import Engine
from sequester.engines.gram_rounds import GramRounds
from sequester.methods.ngrams.ngram_dp.time_share import time_shares
from sequester.methods.ngrams.shared.demands import owners
from sequester.model import SymbolSeries
from sequester.primitives.ngram_tree import Counts, Walkers


def shares_of(data: SymbolSeries, order: int, engine: Engine) -> np.ndarray:
    """Everybody's shares of the grams of one order, in millionths, added up."""
    return engine.fold(partial(_shares, order), data, np.add, "counting")


def _shares(order: int, data: SymbolSeries) -> np.ndarray:
    return time_shares(data.symbols, data.offsets, owners(data), order, len(data.alphabet))


def followers_of(data: SymbolSeries, l_max: int, engine: Engine) -> Counts:
    """What counts the symbols behind grams, in at most `l_max` symbols of every person."""
    return GramRounds(partial(_walkers, l_max), data, engine)


def _walkers(l_max: int, data: SymbolSeries) -> Walkers:
    return Walkers(*bounded(data, l_max), len(data.alphabet))


def bounded(data: SymbolSeries, l_max: int) -> tuple[list[np.ndarray], list[bool]]:
    """At most `l_max` symbols of every person: their series in order, the last one cut; and which series are whole."""
    used: dict[int, int] = {}
    sequences, complete = [], []
    for i, owner in enumerate(owners(data).tolist()):
        room = l_max - used.get(owner, 0)
        series = data.symbols[data.offsets[i] : data.offsets[i + 1]]
        if room > 0 and len(series):
            sequences.append(series[:room])
            complete.append(len(series) <= room)
            used[owner] = used.get(owner, 0) + min(room, len(series))
    return sequences, complete
