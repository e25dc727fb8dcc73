"""Which mechanisms a differentially private method must have written down, and how much one person can change each.

A ledger that leaves a measurement out, or divides sensitivities and noise by the same number, adds up all the same.
So the judge knows every method's list, and derives the sensitivities from what is public: parameters, the sizes of
tables, and numbers released before. The lists are written here anew from the methods' pages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.judges.activity_dp import evident as evident_in_activity
from sequester.judges.markov_release import Public, linked, more_noise, paired, public_numbers
from sequester.lazy import Registry, load
from sequester.release import Check, Claim

UNITS = 1 << 20
"""Whole numbers per unit of a measured quantity."""
TOLERANCE = 1e-6
MEDIANS = {"profile norm", "spread norm", "rate norm", "flow norm", "bout norm"}


class Wanted(NamedTuple):
    """One entry that must be there; `sensitivities` are the only ones it may have."""

    kind: str
    sensitivities: tuple[float, ...]
    delta: float = 0.0
    """Probability with which the mechanism itself may fail."""


Rule = Callable[[Claim], dict[str, Wanted]]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What the judge must know of a differentially private method that a package brings."""

    mechanisms: Rule
    """`mechanisms(claim)`: every entry its ledger must hold, with the sensitivities that follow from public numbers."""
    shape: Callable[[Claim], list[Check]]
    """`shape(claim)`: how its tables must look, all of them and nothing beside."""
    evident: Callable[[Claim], list[Check]] | None = None
    """`evident(claim)`: what its published numbers betray of the noise in them, where they betray anything."""


RULES: Registry[Rules] = Registry("sequester.dp_rules", {}, made=load)
"""Method id → its `Rules`, from installed packages."""


def mechanism_checks(claim: Claim) -> list[Check]:
    """Every mechanism of the method stands in the ledger with its own sensitivity; published noise agrees with it."""
    name = claim.method_id
    rule = MECHANISMS.get(name) or (RULES[name].mechanisms if name in RULES else None)
    if rule is None:
        detail = f"no list of mechanisms is known for a method named '{claim.method_id}'"
        return [Check(name="every mechanism is in the ledger", passed=False, detail=detail)]
    try:
        wanted = rule(claim)
        checks = [_listed(claim, wanted), _bounds(claim, wanted), _failures(claim, wanted)]
        evident = EVIDENT.get(name) or (RULES[name].evident if name in RULES else None)
        checks += evident(claim) if evident else []
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, NotImplementedError):
        # A forged bundle may hold anything anywhere: whatever cannot be read is a promise not kept, never a crash.
        detail = "the tables or parameters lack what the list of mechanisms follows from"
        return [Check(name="every mechanism is in the ledger", passed=False, detail=detail)]
    return checks


def _entries(claim: Claim) -> dict[str, Any]:
    return {e.mechanism: e for e in claim.ledger.entries} if claim.ledger else {}


def _listed(claim: Claim, wanted: dict[str, Wanted]) -> Check:
    have = _entries(claim)
    absent, more = len(set(wanted) - set(have)), len(set(have) - set(wanted))
    odd = sum(have[name].kind != w.kind for name, w in wanted.items() if name in have)
    return Check(
        name="every mechanism is in the ledger",
        passed=absent == more == odd == 0,
        detail=f"{len(wanted)} expected: {absent} missing, {more} unexpected, {odd} of another kind",
    )


def _bounds(claim: Claim, wanted: dict[str, Wanted]) -> Check:
    wrong = _wrong(claim, wanted, lambda e, w: any(_same(e.sensitivity, s) for s in w.sensitivities))
    return Check(
        name="sensitivities are the method's",
        passed=not wrong,
        detail=f"{len(wrong)} of {len(wanted)} differ from the bound on one person{_named(wrong)}",
    )


def _failures(claim: Claim, wanted: dict[str, Wanted]) -> Check:
    wrong = _wrong(claim, wanted, lambda e, w: _same(e.delta, w.delta))
    return Check(
        name="failure probabilities are the method's",
        passed=not wrong,
        detail=f"{len(wrong)} of {len(wanted)} differ from the method's share of delta{_named(wrong)}",
    )


def _wrong(claim: Claim, wanted: dict[str, Wanted], right: Callable[[Any, Wanted], bool]) -> list[str]:
    """Entries that are there and not as they should be; those that are not there are counted elsewhere."""
    have = _entries(claim)
    return [name for name, w in wanted.items() if name in have and not right(have[name], w)]


def _same(declared: float, true: float) -> bool:
    return math.isclose(declared, true, rel_tol=TOLERANCE)


def _held(clip: float) -> float:
    return float(math.floor(clip * UNITS))


# Activity ---------------------------------------------------------------------------------------------------------


def _released(claim: Claim) -> dict[str, np.ndarray]:
    table = claim.tables["measurements"]
    family, value = np.array(table["family"].to_pylist(), dtype=object), table["value"].to_numpy()
    return {name: value[family == name] for name in dict.fromkeys(family.tolist())}


def _activity(claim: Claim) -> dict[str, Wanted]:
    """Clips follow from the number of states and from medians that were released before."""
    value, n_states = _released(claim), claim.tables["states"].num_rows
    if claim.ledger is None:
        return {}
    n_bins = len(value["first profile"]) / n_states
    widest = math.sqrt(n_bins * (n_states - 1) / n_states)
    people = max(1.0, float(value["people"][0]))
    index = people * math.sqrt(claim.ledger.total / (n_states - 1))
    wide = min(3.0, max(1.6, 1.6 * (index / 90.0) ** 0.2))
    middle = {name: float(value[name][0]) for name in MEDIANS}
    longest = max(2.0, 2.5 * math.sqrt((n_states - 1) / 3))
    clips = {
        "first profile": widest,
        "profile": min(2.5 * middle["profile norm"], widest),
        "durations": math.sqrt(n_states - 1),
        "scores": longest**2,
        "spread": 6.0 * middle["spread norm"],
        "rates": wide * middle["rate norm"],
        "flows": wide * middle["flow norm"],
        "bouts": wide * middle["bout norm"],
    }
    out = {"people": Wanted("gaussian", (1.0,))}
    out |= {name: Wanted("gaussian", (_held(clip),)) for name, clip in clips.items()}
    return out | {name: _median(claim) for name in MEDIANS}


def _noise_sd(claim: Claim) -> Check:
    """The noise published beside every number is the noise of the ledger, per person."""
    table, have = claim.tables["measurements"], _entries(claim)
    people = max(1.0, float(_released(claim)["people"][0]))
    more = more_noise(claim)
    scale = {name: e.scale * more / (UNITS * people) for name, e in have.items()}
    scale |= {"people": have["people"].scale * more} | dict.fromkeys(MEDIANS, 0.0)
    pairs = set(zip(table["family"].to_pylist(), table["noise_sd"].to_pylist()))
    wrong = {f for f, sd in pairs if f not in scale or not math.isclose(sd, scale[f], rel_tol=TOLERANCE)}
    unpublished = set(have) - {f for f, _ in pairs}
    return Check(
        name="published noise is the ledger's",
        passed=not wrong and not unpublished,
        detail=f"{counted(len(wrong), 'family', 'families')} with another noise than the ledger's, {len(unpublished)} "
        "that are not published",
    )


# Events -----------------------------------------------------------------------------------------------------------


def _markov(claim: Claim) -> dict[str, Wanted]:
    """Counts change by 1, histograms by one cell each; other clips are points of a public grid."""
    parameters, kind = claim.parameters, claim.tables["events"].schema.field("time").type
    order_only, hours = pa.types.is_integer(kind), pa.types.is_timestamp(kind)
    public = public_numbers(claim)
    largest = float(parameters["max_events"]) + 1.0
    median, unit = _median(claim), float(UNITS)
    gridded = Wanted("gaussian", _grid(largest))
    rare = Wanted("threshold", (unit,), float(parameters["delta"]) / 4)  # shows what one person alone has, that often
    out = {"people": Wanted("gaussian", (1.0,)), "lengths": Wanted("gaussian", (unit,))}
    out |= {"pairs clip": median, "pairs": gridded}
    if parameters["codebook"] is None:
        out |= _state_names(claim)
    if public.rich:
        out |= {"variants": rare, "triples clip": median, "triples": gridded}
    if not order_only:
        out |= {"gaps clip": median, "gaps to": gridded}
        # Both split the same gaps, so one private median gives the clip of both.
        same = [e.sensitivity for name, e in _entries(claim).items() if name == "gaps to"]
        out["gaps between"] = Wanted("gaussian", tuple(same))
        # One bin each; a one and a place between -1 and 1.
        out |= {"spans": Wanted("gaussian", (unit,)), "span moments": Wanted("gaussian", (_held(math.sqrt(2)),))}
        out["starts"] = Wanted("gaussian", (_held(math.sqrt(3 if hours else 2)),))
        out |= {"clock clip": median, "clock": Wanted("gaussian", _grid(min(1.5 * largest, 1024.0)))}
    if hours:
        out |= {"state hours clip": median, "state hours": gridded}
    return out | _of_published_clips(claim, public, out)


def _median(claim: Claim) -> Wanted:
    """A noisy maximum; it cannot be drawn in shares, so that several sites count people along the grid instead."""
    shares = claim.federation is not None and not claim.federation["trusted_combiner"]
    return Wanted("gaussian" if shares else "noisy-max", (1.0,))


def _state_names(claim: Claim) -> dict[str, Wanted]:
    """Names are selected once per level of the hierarchy; what a public list names can be told without failing."""
    levels, codes = claim.parameters.get("code_levels"), claim.parameters.get("codes")
    model = claim.tables["model"]
    chains = [int(v) for s, v in zip(model["statistic"].to_pylist(), model["value"].to_pylist()) if s == "code"]
    n = 1 + len(str(levels).split(",")) if levels else max(chains, default=1)
    delta = 0.0 if codes is not None else float(claim.parameters["delta"]) / 4 / n
    one = Wanted("threshold", (float(UNITS),), delta)
    return {"states": one} | {f"states, level {i}": one for i in range(2, n + 1)}


def _of_published_clips(claim: Claim, public: Public, wanted: dict[str, Wanted]) -> dict[str, Wanted]:
    """Sensitivities that follow from clips which are published and are points of the grid of their median."""
    out = {}
    for name, clip in public.clips.items():
        for table in {"gaps": ("gaps to", "gaps between")}.get(name, (name,)):
            if table in wanted and any(_same(_held(clip), s) for s in wanted[table].sensitivities or (_held(clip),)):
                out[table] = Wanted("gaussian", (_held(clip),))
            elif table in wanted:
                out[table] = Wanted("gaussian", ())  # no point of the grid: no sensitivity is right
    for name, clipped in public.timed.items():
        clip = clipped.times * public.clips[clipped.clip]
        out[name] = Wanted("gaussian", (_held(min(clip, 1024.0)),))
        if not _same(public.clips[name], min(clip, 1024.0)):
            out[name] = Wanted("gaussian", ())
    if public.by_length:
        out["length"] = Wanted("gaussian", (_held(0.35),))
    if public.attributes:
        root = math.sqrt(len(public.attributes))
        out["attributes"] = Wanted("gaussian", (_held(root),))
        if linked(claim):
            largest = float(claim.parameters["max_events"]) + 1.0
            clip = public.clips["attribute states"]
            on_grid = any(_same(clip, min(root * x, 1024.0)) for x in np.geomspace(1.0, largest, 60).tolist())
            out["attribute states clip"] = _median(claim)
            out["attribute lengths"] = Wanted("gaussian", (_held(root),))
            out["attribute states"] = Wanted("gaussian", (_held(clip),) if on_grid else ())
        if paired(claim):
            n = len(public.attributes)
            out["attribute pairs"] = Wanted("gaussian", (_held(math.sqrt(n * (n - 1) / 2)),))
    if public.values:
        grid = np.geomspace(1.0, float(claim.parameters["max_events"]) + 1, 60).tolist()
        for name in ("value states", "values"):
            clip = public.clips[name]
            right = (_held(clip),) if any(_same(clip, x) for x in grid) else ()
            out |= {f"{name} clip": _median(claim), name: Wanted("gaussian", right)}
        again = "values before" if "values before" in _entries(claim) else "values again"
        out[again] = out["values"]  # the same events, split more finely or once more
    return out


def _grid(largest: float) -> tuple[float, ...]:
    return tuple(_held(x) for x in np.geomspace(1.0, max(largest, 1.0 + 1e-9), 60).tolist())


# Trees of n-grams -------------------------------------------------------------------------------------------------


def order_of_path(order: int) -> str:
    """The mechanism that the ledger names for one order of a tree."""
    return f"order {order} of the costliest path"


def _whole_tree(claim: Claim) -> dict[str, Wanted]:
    """The same, and the path spends all there is: an order that was left out would leave something over."""
    wanted = _tree(claim)
    if claim.ledger is not None and not _same(claim.ledger.spent, float(claim.guarantee.parameters["epsilon"])):
        wanted[order_of_path(len(wanted) + 1)] = next(iter(wanted.values()))
    if "kept back" in _entries(claim):
        orders = max(1, len(_entries(claim)) - 1)
        wanted = dict(list(wanted.items())[:orders]) | {"kept back": next(iter(wanted.values()))}
    return wanted


def _tree(claim: Claim) -> dict[str, Wanted]:
    """One entry per order of the costliest path; a person has at most l_max positions."""
    orders = max(1, min(len(_entries(claim)), int(claim.parameters["n_max"])))
    positions = Wanted("laplace", (float(claim.parameters["l_max"]),))
    return {order_of_path(i): positions for i in range(1, orders + 1)}


MILLION = 1_000_000.0


def _grams(claim: Claim) -> dict[str, Wanted]:
    """Counts above a threshold, a tree over the first symbols, or one table of shares of time."""
    if claim.parameters.get("average") == "symbol" and claim.parameters.get("delta") is not None:
        clip = math.sqrt(float(claim.parameters["l_max"]))
        orders = range(1, int(claim.parameters["n_max"]) + 1)
        return {f"counts of order {i}": Wanted("gaussian", (clip * UNITS,)) for i in orders}
    if claim.parameters.get("average") == "symbol":
        return _whole_tree(claim)
    order = len(claim.tables["measurements"]["gram"][0].as_py().split(" "))
    return {f"shares of order {order}": Wanted("laplace", (MILLION,))}


MECHANISMS: dict[str, Rule] = {
    "activity-dp": _activity,
    "markov-dp": _markov,
    "events-ngram-dp": _whole_tree,
    "ngram-dp": _grams,
}
"""Method → what its ledger must hold."""
EVIDENT: dict[str, Callable[[Claim], list[Check]]] = {
    "activity-dp": lambda claim: [_noise_sd(claim), *evident_in_activity(claim)],
}
"""Method → what its numbers betray of their noise. A private log is looked at with its shape (`judges/events.py`)."""


def _named(names: Iterable[str]) -> str:
    """Names in brackets; nothing where there are none."""
    sentence = ", ".join(names)
    return f" ({sentence})" if sentence else ""
