"""Attacks on released envelopes and patterns: linkage by values, by pattern, by both; rank matching; inference."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from sequester.attacks.outcome import INFERENCE, LINKABILITY, Outcome, Scene, by_knowledge
from sequester.layouts.boxes import Boxes
from sequester.layouts.drawn import Drawn
from sequester.model import Series
from sequester.release import Claim

TOLERANCE = 0.05
"""A number counts as guessed when it is off by at most this share of the column's range."""


@dataclass(frozen=True)
class Shown:
    """The released table as arrays, and whose rows they are."""

    lo: np.ndarray
    hi: np.ndarray
    """Records x published times."""
    columns: np.ndarray
    """Which times of the source are published."""
    pattern: np.ndarray
    level: np.ndarray
    told: Boxes | Drawn
    """What the layout reads."""
    place: dict[int, int]
    """Row of the source → row of the release, where it was released; empty without the custodian's map."""


def read_shown(claim: Claim, source: Series) -> Shown | None:
    """The rows of boxes or drawn values, or None if the release has neither."""
    if "records" not in claim.tables:
        return None
    boxes = any(c.endswith("_lo") for c in claim.tables["records"].column_names)
    if not boxes and "times" not in claim.tables:
        return None
    released: Boxes | Drawn = Boxes.read(claim) if boxes else Drawn.read(claim)
    columns = [j for j, t in enumerate(source.times) if t in released.times]
    if not columns:
        return None
    at = [released.times.index(source.times[j]) for j in columns]
    n = len(released.record)
    pattern = level = None
    if isinstance(released, Boxes):
        lo, hi = released.lo[:, at], released.hi[:, at]
        pattern, level = released.pattern, released.level
    else:  # rows that show one value per time instead of an envelope
        lo = hi = released.values[:, at]
    number = {int(r): i for i, r in enumerate(released.record.tolist())}
    place: dict[int, int] = {}
    origin = claim.private.get("origin")
    if origin is not None and {"record", "row"} <= set(origin.column_names):
        for record, row in zip(origin.column("record").to_pylist(), origin.column("row").to_pylist(), strict=True):
            if record in number:
                place[int(row) - 1] = number[record]
    return Shown(
        lo, hi, np.array(columns),
        np.array([""] * n, dtype=object) if pattern is None else pattern,
        np.zeros(n, np.int64) if level is None else level,
        released, place,
    )  # fmt: skip


@by_knowledge
def attack_linkage(scene: Scene) -> list[Outcome]:
    """Find a target's released record from values at known times, from the shape of the series, and from both."""
    source = scene.source
    assert isinstance(source, Series)
    shown = read_shown(scene.claim, source)
    if shown is None or not shown.place:
        return []
    rng = scene.rng("series linkage")
    k = scene.claim.guarantee.parameters.get("k")
    p = scene.claim.guarantee.parameters.get("p")
    rows = np.array(sorted(shown.place))
    targets = rows[scene.targets(len(rows), rng)]
    goals = np.array([shown.place[int(r)] for r in targets])
    known = [_known(source.values[r], shown.columns, scene.knowledge, rng) for r in targets]
    outcomes = []
    strangers = _strangers(scene, shown, goals, rng)
    for name, uses, bound in (
        ("linkage by {}values", (True, False), 1 / k if k else None),
        ("linkage by pattern", (False, True), 1 / p if p else None),
        ("linkage by pattern and {}values", (True, True), 1 / p if p else None),
    ):
        if uses[1] and not (shown.level > 0).any():
            continue
        won = sum(
            _score(_fitting(shown, source.values[r], at, uses, scene), goal)
            for r, at, goal in zip(targets, known, goals, strict=True)
        )
        lost = None
        if strangers:
            lost = sum(_score(_fitting(there, values, at, uses, scene), goal) for there, values, at, goal in strangers)
        outcomes.append(
            Outcome(
                name=name.format(f"{scene.knowledge} "), curve=name.format("known "),
                knowledge=scene.knowledge if uses[0] else None, test=LINKABILITY,
                successes=won, trials=len(targets), control_successes=lost,
                control_trials=len(strangers), baseline=1 / max(1, len(shown.lo)), bound=bound,
                says="The released record picked among those that fit what is known is the target's own.",
            )
        )  # fmt: skip
    return outcomes


def _strangers(scene: Scene, shown: Shown, goals: np.ndarray, rng: np.random.Generator) -> list[Any]:
    """Control people, each set on a random record of the release they were held out of."""
    if scene.control is None or scene.control_claim is None or not len(goals):
        return []
    control = scene.control
    assert isinstance(control, Series)
    there = shown if scene.control_claim is scene.claim else read_shown(scene.control_claim, control)
    if there is None:
        return []
    out = []
    for row in scene.targets(control.n_records, rng):
        at = _known(control.values[row], there.columns, scene.knowledge, rng)
        out.append((there, control.values[row], at, int(rng.integers(len(there.lo)))))
    return out


def _known(values: np.ndarray, columns: np.ndarray, points: int, rng: np.random.Generator) -> np.ndarray:
    """Positions among the published times whose values the attacker knows."""
    seen = np.flatnonzero(~np.isnan(values[columns]))
    return rng.permutation(seen)[:points]


def _fitting(shown: Shown, values: np.ndarray, at: np.ndarray, uses: tuple[bool, bool], scene: Scene) -> np.ndarray:
    """Released records that agree with what is known."""
    fits = np.ones(len(shown.lo), dtype=bool)
    if uses[0] and shown.lo is shown.hi:  # one value per time: the nearest rows, as nothing encloses anything
        gap = np.abs(shown.lo[:, at] - values[shown.columns[at]]).sum(axis=1)
        fits &= gap <= np.nanmin(gap, initial=np.inf) + 1e-12
    elif uses[0]:
        v = values[shown.columns[at]]
        fits &= ((shown.lo[:, at] <= v) & (v <= shown.hi[:, at])).all(axis=1)
    if uses[1]:
        fits &= same_shape(shown, values, fits, scene)
    return np.flatnonzero(fits)


def same_shape(shown: Shown, values: np.ndarray, among: np.ndarray, scene: Scene) -> np.ndarray:
    """Records whose pattern is the one the target's series would show; a prototype's nearest ones by correlation."""
    parameters = scene.claim.parameters
    ddof = int(parameters.get("std") == "sample")
    out = np.zeros(len(shown.lo), dtype=bool)
    if np.isnan(values).any():
        return among.copy()  # no shape can be formed: it excludes nobody
    if scene.claim.guarantee.parameters.get("pattern_of") == "subgroup":
        best, found = -np.inf, {}
        for i in np.flatnonzero(among):
            key = (shown.pattern[i], int(shown.level[i]))
            if key not in found:
                found[key] = _correlation(_centres(*key), _means(values, len(key[0])))
            best = max(best, found[key])
        for i in np.flatnonzero(among):
            out[i] = found[shown.pattern[i], int(shown.level[i])] >= best - 1e-12
        return out
    words: dict[tuple[int, int], str] = {}
    for i in np.flatnonzero(among):
        key = (int(shown.level[i]), len(shown.pattern[i]))
        if key not in words:
            words[key] = word(values, *key, ddof=ddof)
        out[i] = words[key] == shown.pattern[i]
    return out


def word(values: np.ndarray, level: int, letters: int, ddof: int = 0) -> str:
    """SAX word of a series: z-normalised, averaged over stretches if letters are fewer, cut by Gaussian quantiles."""
    centre, spread = values.mean(), values.std(ddof=ddof) if len(values) > ddof else 0.0
    flat = spread <= 1e-12 * max(1.0, abs(centre))
    z = np.zeros(len(values)) if flat else (values - centre) / spread
    z = _means(z, letters)
    breaks = [NormalDist().inv_cdf(j / level) for j in range(1, level)]
    return "".join(chr(ord("a") + int(c)) for c in np.searchsorted(breaks, z, side="right"))


def _means(values: np.ndarray, stretches: int) -> np.ndarray:
    if stretches >= len(values):
        return values
    return np.array([part.mean() for part in np.array_split(values, stretches)])


def _centres(pattern: str, level: int) -> np.ndarray:
    return np.array([NormalDist().inv_cdf((ord(c) - ord("a") + 0.5) / level) for c in pattern])


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale > 0 else 0.0


def _score(candidates: np.ndarray, goal: int) -> float:
    """Chance that a pick among the candidates is the goal."""
    return 1 / len(candidates) if goal in candidates else 0.0


def attack_inference(scene: Scene) -> list[Outcome]:
    """Guess a sensitive value from the records that fit the known values."""
    twin = scene.control is not None and scene.control_claim is not None and scene.inside is not None
    claim, people = (scene.control_claim, scene.inside) if twin else (scene.claim, scene.source)
    assert claim is not None and isinstance(people, Series)
    shown = read_shown(claim, people)
    if shown is None:
        return []
    rng = scene.rng("series inference")
    outcomes = []
    for name, column in people.sensitive.items():
        if name not in shown.told.sensitive:
            continue
        usable = known_rows(column)
        if not len(usable):
            continue
        targets = usable[scene.targets(len(usable), rng)]
        width = TOLERANCE * np.ptp(column[usable].astype(float)) if column.dtype != object else None
        won = _inferred(shown, people.values, column, targets, name, width, scene, rng)
        lost, trials = None, 0
        if isinstance(scene.control, Series) and name in scene.control.sensitive:
            theirs = scene.control.sensitive[name]
            strangers = known_rows(theirs)
            strangers = strangers[scene.targets(len(strangers), rng)]
            lost = _inferred(shown, scene.control.values, theirs, strangers, name, width, scene, rng)
            trials = len(strangers)
        outcomes.append(
            Outcome(
                name=f"inference of {name}", test=INFERENCE, successes=won, trials=len(targets),
                control_successes=lost, control_trials=trials, baseline=_best_constant(column[usable], width),
                says="The guess from the fitting records is the target's sensitive value"
                + (f", to {TOLERANCE:.0%} of its range." if width is not None else "."),
            )
        )  # fmt: skip
    return outcomes


def known_rows(column: np.ndarray) -> np.ndarray:
    """Rows whose value is not missing."""
    return np.array([r for r, v in enumerate(column) if v is not None and v == v], dtype=np.int64)


def _inferred(
    shown: Shown, values: np.ndarray, truth: np.ndarray, targets: np.ndarray, name: str, width: float | None,
    scene: Scene, rng: np.random.Generator,
) -> float:  # fmt: skip
    column = shown.told.sensitive[name]
    released = np.array([None if v is None or v != v else v for v in column.tolist()], dtype=object)
    won = 0
    for r in targets:
        at = _known(values[r], shown.columns, scene.knowledge, rng)
        fits = _fitting(shown, values[r], at, (True, bool((shown.level > 0).any())), scene)
        lines = [v for v in released[fits if len(fits) else slice(None)] if v is not None]
        if not lines:
            continue
        if width is None:
            guess = max(sorted(set(lines)), key=lines.count)
            won += guess == truth[r]
        else:
            won += abs(float(np.median(np.array(lines, dtype=float))) - float(truth[r])) <= width
    return float(won)


def _best_constant(column: np.ndarray, width: float | None) -> float:
    """Success of the best guess that is the same for everybody."""
    if width is None:
        values = column.tolist()
        return max(values.count(v) for v in set(values)) / len(values)
    ordered = np.sort(column.astype(float))
    return float(np.max(np.searchsorted(ordered, ordered + 2 * width, side="right") - np.arange(len(ordered)))) / len(
        ordered
    )


def attack_ranks(scene: Scene) -> list[Outcome]:
    """Match the sensitive numbers of a subgroup to its members by rank.

    The attacker knows the series of a subgroup's members (the prosecutor's knowledge of quasi-identifiers) and
    supposes that a larger last value goes with a larger sensitive one, or with a smaller one where the released
    envelopes and sensitive values are correlated that way.
    """
    source = scene.source
    assert isinstance(source, Series)
    shown = read_shown(scene.claim, source)
    if shown is None or not shown.place:
        return []
    rng = scene.rng("series ranks")
    p = scene.claim.guarantee.parameters.get("p") or scene.claim.guarantee.parameters.get("k")
    group = shown.told.group.tolist() if isinstance(shown.told, Boxes) else [0] * len(shown.lo)
    cells: dict[tuple[Any, ...], list[tuple[int, int]]] = {}
    for row, at in shown.place.items():
        key = (group[at], shown.pattern[at], int(shown.level[at]))
        cells.setdefault(key, []).append((row, at))
    outcomes = []
    for name, column in source.sensitive.items():
        if column.dtype == object or name not in shown.told.sensitive:
            continue
        released = shown.told.sensitive[name]
        last = int(shown.columns[-1])
        middle = (shown.lo[:, -1] + shown.hi[:, -1]) / 2
        there = ~np.isnan(released) & ~np.isnan(middle)
        rising = _correlation(middle[there], released[there]) >= 0 if there.any() else True
        won = lost = blind = 0.0
        trials = 0
        stranger = scene.control.values[:, last] if isinstance(scene.control, Series) else None
        for members in cells.values():
            rows = np.array([r for r, _ in members])
            found = released[[at for _, at in members]]
            if np.isnan(found).any() or np.isnan(column[rows]).any():
                continue
            won += _rank_matches(source.values[rows, last], found, column[rows], rising, rng)
            blind += sum(float((found == v).sum()) for v in column[rows]) / len(rows)
            if stranger is not None and len(stranger):
                lost += _rank_matches(rng.choice(stranger, len(rows)), found, column[rows], rising, rng)
            trials += len(rows)
        outcomes.append(
            Outcome(
                name=f"rank matching of {name}", test=INFERENCE, successes=won, trials=trials,
                control_successes=lost if stranger is not None and len(stranger) else None,
                control_trials=trials if stranger is not None and len(stranger) else 0,
                baseline=blind / trials if trials else None, bound=1 / p if p else None, covered=False,
                says="The sensitive value given to a member by rank inside the subgroup is the member's own.",
            )
        )  # fmt: skip
    return outcomes


def _rank_matches(
    known: np.ndarray, declared: np.ndarray, truth: np.ndarray, rising: bool, rng: np.random.Generator
) -> float:
    shuffled = rng.permutation(len(known))  # ties are guesses
    order = shuffled[np.argsort(known[shuffled], kind="stable")]
    given = np.empty(len(known))
    given[order] = np.sort(declared) if rising else np.sort(declared)[::-1]
    return float((given == truth).sum())


def points(data: Series) -> Iterator[set[Hashable]]:
    """Every series' values with their times."""
    for values in data.values:
        yield {(j, float(v)) for j, v in enumerate(values) if v == v}


def shown(claim: Claim, original: Series) -> set[Hashable]:
    """The ends of all released ranges."""
    seen = read_shown(claim, original)
    if seen is None:
        return set()
    return {
        (int(column), float(v))
        for at, column in enumerate(seen.columns)
        for v in np.unique(np.concatenate([seen.lo[:, at], seen.hi[:, at]]))
    }
