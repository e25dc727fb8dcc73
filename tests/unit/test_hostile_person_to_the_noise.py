"""A hostile person followed from the file to the noise: every proved method, in three formats.

The rows of all others are read alike, and no mechanism is given more change than its ledger paid for.
"""

import csv
import json
import math
import pkgutil
import warnings
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester.audits import real_path as room
from sequester.audits.neighbours import neighbours
from sequester.audits.run import for_audit
from sequester.dp.noise import RecordingNoise, ReplayNoise, SecureNoise, TeachingNoise, _opendp
from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.samples.files import write_source
from tests.unit.test_hostile_person import ODD

PROVED = [m for m in sq.METHODS if sq.method_class(m)(**sq.method_class(m).example).guarantee.status == "proved"]
FORMS = ("csv", "jsonl", "parquet")
CASES = {
    **{method_id: (method_id, {}) for method_id in PROVED},
    "ngram-dp counted by symbol": ("ngram-dp", {"average": "symbol"}),
    "ngram-dp with delta": ("ngram-dp", {"average": "symbol", "delta": 1e-6}),
    "ngram-dp with cells of several symbols": ("ngram-dp", {}),
    "markov-dp without a code book": ("markov-dp", {}),
}
OVERLAP = "overlap an earlier span in another state"
"""The only thing the custodian is told about the hostile person: activity that claims two states at once."""
CLOSE = 1 + 1e-9


def source(data, folder, form, hostile, *, blanks=True):
    """The file of a data set; the last person has every odd cell in every column, and odd names where there are."""
    plain = folder / f"plain-{hostile}.csv"
    write_source(data, plain)
    with plain.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    if hostile:
        mine = next(row for row in rows if row[0] == str(data.persons[-1]))
        odd = [cell for cell in ODD if blanks or not len(cell.split()) > 1]
        if data.kind == "symbols" and blanks:
            # One cell of several symbols makes every cell of its person a series of its own, and one symbol alone has
            # no pairs: the series as a whole must stand in a cell too, or the person would change nothing.
            odd.append(" ".join(row[1] for row in rows if row[0] == mine[0]))
        rows += [[*mine[:c], cell, *mine[c + 1 :]] for c in range(1, len(names)) for cell in odd]
    path = folder / f"{'with' if hostile else 'without'}.{form}"
    if form == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([names, *rows])
    elif form == "jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
        odd = {n.upper(): "odd" for n in names} | {"": "odd", "more": [1, {"a": 2}]}
        path.write_text("\n".join([*([json.dumps(odd)] if hostile else []), *lines]) + "\n", "utf-8")
    else:
        pq.write_table(pa.table({n: pa.array([r[i] for r in rows], pa.string()) for i, n in enumerate(names)}), path)
    return path


def charge(kind, change, scale):
    """What a change costs at a scale: (pure epsilon, rho), as opendp's privacy maps say.

    Gaussian noise has no pure epsilon. Gumbel noise of the exponential mechanism costs twice the largest change in
    pure epsilon e, but as little as e * e / 8 of rho, because its privacy loss has a bounded range.
    """
    if kind in ("gaussian", "threshold"):
        return math.inf if change.any() else 0.0, float((change**2).sum()) / (2 * scale**2)
    if kind == "noisy-max":
        epsilon = 2 * float(np.abs(change).max(initial=0)) / scale
        return epsilon, epsilon**2 / 8
    epsilon = float(np.abs(change).sum()) / scale
    return epsilon, epsilon**2 / 2


def changed(a, b):
    """What differs between a step of two transcripts."""
    assert (a["kind"], a["name"], a["scale"]) == (b["kind"], b["name"], b["scale"])
    if a["kind"] != "threshold":
        return np.asarray(a["given"], dtype=float) - np.asarray(b["given"], dtype=float)
    here, there = sides(a, b)
    return np.array([here[k] - there[k] for k in here.keys() & there.keys()], dtype=float)


def sides(a, b):
    return [dict(zip(step["keys"], step["given"].tolist(), strict=True)) for step in (a, b)]


def failure(a, b):
    """With which probability a step shows a key that only one of the two data sets holds."""
    if a["kind"] != "threshold":
        return 0.0
    here, there = sides(a, b)
    alone = [(here | there)[key] for key in here.keys() ^ there.keys()]
    return sum(NormalDist().cdf((value - a["tau"]) / a["scale"]) for value in alone)


class Followed(NamedTuple):
    """A release drawn on the file with the hostile person and replayed on the file without: what was paid, for what."""

    ledger: object
    steps: list


def two_files(case, form, folder):
    method_id, more = CASES[case]
    cls = sq.method_class(method_id)
    method = cls(**{**for_audit(cls), **more})
    kind = sq.KINDS[method.accepts.kind]
    without, with_ = method.worst_case_neighbours(None) or neighbours(
        kind.name, people=kind.audit_people, method=method
    )
    if case != "markov-dp without a code book":
        method = room._with_codebook(method, with_, folder / "codebook.csv")
    read, declared = kind.load("reader"), kind.load("declared")
    blanks = kind.name != "symbols" or "several" in case
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        pair = [
            read(source(data, folder, form, hostile, blanks=blanks), person="person", **declared(data))
            for data, hostile in ((without, False), (with_, True))
        ]
    told = [str(w.message) for w in said]
    assert len(told) == (kind.name == "activity"), told
    assert all(OVERLAP in text and "of 1 person," in text for text in told), told
    return method, *pair


def followed(method, here, there, noise):
    drawn = RecordingNoise(noise)
    made = method.apply(there, rng=Randomness(noise=drawn), engine=Engine(threads=1))
    again = RecordingNoise(ReplayNoise(drawn.transcript))
    method.apply(here, rng=Randomness(noise=again), engine=Engine(threads=1))
    return Followed(made.ledger, list(zip(drawn.transcript, again.transcript, strict=True)))


def overdrawn(run):
    """The mechanisms that were given more change than their line in the ledger paid for; "all" for the sum of all.

    A tree pays for its costliest path, so its lines are not those of its single steps: only their sum is compared.
    """
    which = ["epsilon", "rho"].index(run.ledger.measure)
    costs = [(a["name"], charge(a["kind"], changed(a, b), a["scale"])[which], failure(a, b)) for a, b in run.steps]
    assert any(cost for _, cost, _ in costs), "the hostile person changes something: else nothing was tested"
    lines = {line.mechanism: line for line in run.ledger.entries}
    tree = any("of the costliest path" in name for name in lines)
    names = [name for name, *_ in costs]
    assert tree or (set(names) <= set(lines) and len(names) == len(set(names))), "every step has a line of its own"
    over = [] if tree else [n for n, cost, fails in costs
                            if cost > lines[n].amount * CLOSE or fails > lines[n].delta * CLOSE]  # fmt: skip
    return over + ["all"] * (sum(cost for _, cost, _ in costs) > run.ledger.total * CLOSE)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES)
def test_no_mechanism_is_given_more_change_than_was_paid(case, form, tmp_path):
    method, here, there = two_files(case, form, tmp_path)
    assert room._reading(here, there).passed
    assert overdrawn(followed(method, here, there, SecureNoise())) == []


def weaker(scale):
    """Noise made for half of the sensitivity."""
    return lambda sensitivity, rho: scale(sensitivity / 2, rho)


def more_often(utilities):
    """A person who moves every utility by two where the ledger says one."""
    return lambda *told: 2 * utilities(*told)


def fewer_positions(grow):
    """So few that the first order alone, a third of the budget, is more than the whole."""
    return lambda *given, positions, **told: grow(*given, positions=positions // 4, **told)


FAULTS = {
    "a family gated at twice its clip": (
        "activity-dp", "sequester.methods.activity.activity_dp.people.gate",
        lambda real: lambda values, clip: real(values, 2 * clip), {"profile"},
    ),
    "half of the sensitivity, days": (
        "activity-dp", "sequester.methods.activity.activity_dp.measure.gaussian_scale", weaker,
        {"people", "first profile", "durations", "scores"},
    ),
    "a median moved twice, days": (
        "activity-dp", "sequester.methods.activity.activity_dp.measure.counted_utilities", more_often,
        {"profile norm", "spread norm", "rate norm", "flow norm", "bout norm"},
    ),
    "half of the sensitivity, events": (
        "markov-dp", "sequester.methods.events.markov_dp.noisy_queries.gaussian_scale", weaker,
        {"people", "lengths", "spans"},
    ),
    "a median moved twice, events": (
        "markov-dp", "sequester.methods.events.markov_dp.noisy_queries.counted_utilities", more_often,
        {"pairs clip", "gaps clip", "clock clip", "state hours clip"},
    ),
    "half of the threshold for names": (
        "markov-dp without a code book", "sequester.methods.events.markov_dp.design.universe_threshold",
        lambda real: lambda *told: real(*told) / 2, {"states"},
    ),
    "a quarter of the positions, events": (
        "events-ngram-dp", "sequester.methods.events.events_ngram_dp.grow_counted", fewer_positions, {"all"},
    ),
    "a quarter of the positions, symbols": (
        "ngram-dp counted by symbol", "sequester.methods.ngrams.ngram_dp.grow_counted", fewer_positions, {"all"},
    ),
    "nobody's counts scaled down": (
        "ngram-dp with delta", "sequester.methods.ngrams.ngram_dp.thresholded.clipped_sums",
        lambda real: lambda owner, gram, n, clip: real(owner, gram, n, 100 * clip),
        {"counts of order 1", "all"},
    ),
    "everybody's time counted twice": (
        "ngram-dp", "sequester.methods.ngrams.ngram_dp.shares_of",
        lambda real: lambda *told: 2 * real(*told), {"shares of order 2", "all"},
    ),
}  # fmt: skip
"""Faults as a programmer could make them: which method, which function, what it becomes, which steps must be seen."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_seen(fault, tmp_path, monkeypatch):
    """With seeded noise, so that the same steps are seen everywhere."""
    case, where, wrong, seen = FAULTS[fault]
    method, here, there = two_files(case, "csv", tmp_path)
    noise = [TeachingNoise(np.random.default_rng(1)) for _ in range(2)]
    assert overdrawn(followed(method, here, there, noise[0])) == []
    monkeypatch.setattr(where, wrong(pkgutil.resolve_name(where)))
    assert seen <= set(overdrawn(followed(method, here, there, noise[1])))


def test_every_proved_method_has_a_planted_fault():
    assert {CASES[case][0] for case, *_ in FAULTS.values()} == set(PROVED)


@pytest.mark.parametrize("change", [[1], [3, -1], [2, 2, 2]])
def test_charges_are_those_of_the_library(change):
    from opendp import measures

    dp, scale, change = _opendp(), 7.0, np.array(change)
    integers = dp.vector_domain(dp.atom_domain(T="i64"))
    pure, rho = measures.max_divergence(), measures.zero_concentrated_divergence()
    far = int(np.abs(change).max())
    best = [dp.m.make_noisy_max(integers, dp.linf_distance(T="i64"), to, scale=scale).map(far) for to in (pure, rho)]
    assert charge("noisy-max", change, scale) == pytest.approx(best)
    normal = dp.m.make_gaussian(integers, dp.l2_distance(T=float), scale=scale)
    assert charge("gaussian", change, scale)[1] == pytest.approx(normal.map(float(np.sqrt((change**2).sum()))))
    double = dp.m.make_laplace(integers, dp.l1_distance(T=float), scale=scale)
    assert charge("laplace", change, scale)[0] == pytest.approx(double.map(float(np.abs(change).sum())))
