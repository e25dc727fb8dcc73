"""l-diversity of sensitive values inside every subgroup, by changing as few of them as the rule needs.

A value may be held by at most floor(size / l) members of a subgroup. Because that holds in every subgroup, it holds in
every union of subgroups, hence in any set of released rows an attacker can narrow a target down to.
"""

from __future__ import annotations

import numpy as np

from sequester.errors import InputError


def diversify(
    column: np.ndarray,
    subgroup: np.ndarray,
    l: int,  # noqa: E741
    tolerance: float | None,
    rng: np.random.Generator,
    name: str,
) -> tuple[np.ndarray, np.ndarray]:
    """The column with surplus values changed, and which places were changed. A missing value discloses none.

    Numbers move to a value within `tolerance` that nobody has; categories become another category of the column,
    or are withheld where no other has room.
    """
    out = column.copy()
    changed = np.zeros(len(column), dtype=bool)
    numeric = column.dtype != object
    known = ~np.isnan(column) if numeric else np.array([v is not None for v in column], dtype=bool)
    values, codes = np.unique(column[known], return_inverse=True)
    surplus = _surplus(np.flatnonzero(known), codes, subgroup, l, rng)
    if not len(surplus):
        return out, changed
    if numeric:
        if tolerance is None:
            raise InputError(
                f"Kapra: l={l} needs {len(surplus)} values of the sensitive column '{name}' changed, and no tolerance "
                "says how far. Pass tolerance= in the column's own unit."
            )
        _move_numbers(out, surplus, float(tolerance), rng)
    else:
        _exchange_categories(out, surplus, values, subgroup, l, rng, name)
    changed[surplus] = True
    return out, changed


def _surplus(places, codes, subgroup, l, rng):  # noqa: E741
    """Random members to change: in every subgroup, of every value, those beyond floor(size / l)."""
    shuffled = rng.permutation(len(places))
    places, codes = places[shuffled], codes[shuffled]
    order = np.lexsort((codes, subgroup[places]))
    places, codes = places[order], codes[order]
    group = subgroup[places]
    new = (
        np.concatenate([[True], (group[1:] != group[:-1]) | (codes[1:] != codes[:-1])])
        if len(places)
        else np.zeros(0, bool)
    )
    first = np.maximum.accumulate(np.where(new, np.arange(len(places)), 0))
    rank = np.arange(len(places)) - first
    allowed = np.bincount(subgroup)[group] // l
    return places[rank >= allowed]


def _move_numbers(out: np.ndarray, places: np.ndarray, tolerance: float, rng: np.random.Generator) -> None:
    used = set(out[~np.isnan(out)].tolist())
    decimals = _decimals(out)
    for place in places:
        value = out[place]
        for places_after_point in range(decimals, 16):
            step = 10.0**-places_after_point
            reach = int(np.floor(tolerance / step + 1e-9))
            near = min(reach, 500)
            options = [round(value + j * step, places_after_point) for j in range(-near, near + 1) if j]
            free = [v for v in options if v not in used and abs(v - value) <= tolerance]
            if free:
                out[place] = free[int(rng.integers(len(free)))]
                break
        else:
            raise InputError(
                "Kapra: no unused value lies within the tolerance of a sensitive value. Pass a larger tolerance."
            )
        used.add(float(out[place]))


def _decimals(column: np.ndarray) -> int:
    """Digits after the point that the column uses, so that a changed value does not stand out."""
    known = column[~np.isnan(column)]
    for digits in range(10):
        if np.array_equal(np.round(known, digits), known):
            return digits
    return 10


def _exchange_categories(out, places, values, subgroup, l, rng, name):  # noqa: E741
    if len(values) < l:
        raise InputError(
            f"Kapra: l={l} needs at least {l} different values of the sensitive column '{name}', it has {len(values)}. "
            "Lower l or leave the column out."
        )
    share = np.array([(out == v).sum() for v in values], dtype=np.float64)
    sizes = np.bincount(subgroup)
    members = {int(s): np.flatnonzero(subgroup == s) for s in np.unique(subgroup[places])}
    going = np.zeros(len(out), dtype=bool)
    going[places] = True
    counts = {}
    for s, rows in members.items():
        stays = rows[~going[rows]]
        counts[s] = np.array([(out[stays] == v).sum() for v in values])
    for place in places:
        s = int(subgroup[place])
        room = (counts[s] < sizes[s] // l) & (values != out[place])
        weights = np.where(room, share, 0.0)
        if not weights.any():  # too few categories for this subgroup: the value is withheld
            out[place] = None
            continue
        chosen = int(rng.choice(len(values), p=weights / weights.sum()))
        counts[s][chosen] += 1
        out[place] = values[chosen]
