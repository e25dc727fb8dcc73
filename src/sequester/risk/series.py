"""How identifying are regular time series? Points are values at times."""

from __future__ import annotations

import numpy as np

from sequester.errors import InputError, ParameterError
from sequester.model import Series
from sequester.release import Evidence
from sequester.risk import rarity, unicity
from sequester.risk.finding import by_person, explained, finding, first_rows
from sequester.risk.known_points import agree_on_columns


@explained
def assess_series(
    data: Series,
    *,
    knowledge: int = 4,
    precision: int | None = None,
    population: int | None = None,
    threshold: float = 0.09,
    sample: int = 1000,
    seed: int = 0,
) -> Evidence:
    """Unicity of values at times, the risks of the three attackers, and whole records that are alone.

    Parameters
    ----------
    knowledge
        Known points for the headline and the three attackers; the curve always runs from 1 to 10.
    precision
        Significant digits the observer knows of a value; by default the value as it stands.
    """
    unicity.require_knowledge(knowledge, sample)
    if precision is not None and (isinstance(precision, bool) or precision < 1):
        raise ParameterError(f"assess: precision must be a whole number of at least 1, got precision={precision!r}.")
    if data.n_records == 0:
        raise InputError("assess: the data is empty. Check the source and the column roles.")
    rng = np.random.default_rng(seed)
    order, owner, n_people = by_person(data.persons)
    values = significant(data.values[order], precision)
    codes = ranked(values)
    row_starts = np.concatenate([first_rows(owner), [len(owner)]])
    people = unicity.sampled_people(n_people, sample, rng)
    targets = np.array([rng.integers(row_starts[p], row_starts[p + 1]) for p in people])
    known = np.full((len(targets), unicity.DEPTH), -1, dtype=np.int64)
    for a, row in enumerate(targets):
        seen = np.flatnonzero(~np.isnan(values[row]))
        drawn = unicity.draw_points(len(seen), rng)
        known[a] = np.where(drawn >= 0, seen[drawn] if len(seen) else -1, -1)
    matches = agree_on_columns(codes, owner, targets, known)
    digits = f" of {precision} digits" if precision else ""
    whole = rarity.whole_record_figure(rarity.classes_of_rows(codes), owner, f"values{digits} at all times")
    who_fits = unicity.Knowledge(
        matches=matches,
        n_people=n_people,
        noun=f"values{digits} at known times",
        short=int((known[:, -1] < 0).sum()),
    )
    return finding(who_fits, points=knowledge, population=population, threshold=threshold, more=[whole])


def significant(values: np.ndarray, digits: int | None) -> np.ndarray:
    """Values as someone remembers them who keeps `digits` significant digits."""
    if digits is None:
        return values
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.floor(np.log10(np.abs(values)))
    unit = 10.0 ** (np.where(np.isfinite(size), size, 0) - (digits - 1))
    return np.rint(values / unit) * unit


def ranked(values: np.ndarray) -> np.ndarray:
    """Integers that are equal inside a column exactly when the values are; missing is a value of its own."""
    out = np.empty(values.shape, dtype=np.int32)
    for j in range(values.shape[1]):
        out[:, j] = np.unique(values[:, j], return_inverse=True)[1]
    return out
