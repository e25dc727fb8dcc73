"""`attack`: what an adversary with dialled knowledge achieves on a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sequester import flow
from sequester.attacks import dial as turn
from sequester.attacks import perform
from sequester.attacks.ends import own_points, shown_points
from sequester.attacks.membership import bound_on_hits
from sequester.attacks.outcome import SINGLING_OUT, Outcome, Scene, as_evidence
from sequester.engines import Engine, step
from sequester.errors import InputError, ParameterError, SequesterError, counted
from sequester.in_parts import some_people
from sequester.method import Method
from sequester.methods import METHODS, method_class
from sequester.model import Data
from sequester.model.kind import rows_of_people, take
from sequester.primitives.labels import read_labels
from sequester.release import Claim, Evidence

HELD_OUT = 0.2
"""Share of the people held out of a twin release when no control group is given."""
MOST_HELD_OUT = 1000
FEWEST_PEOPLE = 10
"""With fewer people nobody can be held out."""


def attack(
    claim: Claim | str | Path,
    source: Data,
    *,
    knowledge: int = 4,
    control: Data | None = None,
    labels: str | Path | Iterable[Mapping[str, Any]] | None = None,
    sample: int = 300,
    dial: Sequence[int] = (),
    shadows: int = 0,
    outliers: int = 3,
    seed: int = 0,
    engine: Engine | None = None,
) -> Evidence:
    """Attack a release beside its original: private evidence.

    Every success rate comes with the rate of the same attack on people who never were in the data, the rate of a
    blind guess, an interval, and the bound the promise states, if it states one.

    Parameters
    ----------
    claim
        A release, or the path of a bundle whose custodian's folder lies beside it.
    source
        The original it was made from.
    knowledge
        How many points of a target are known: values, intervals, events or substrings.
    control
        People who never were in the data. Without them a fifth of the people is held out and the method run again
        without them. Linkage and copying are tried on the release itself; membership and inference compare members
        with strangers, so both are tried on the run without the strangers.
    labels
        Text only: a JSON lines file, or rows, with `document` and `spans` ([[start, end], …]) of private text.
    sample
        At most so many targets, and so many strangers.
    dial
        Further amounts of knowledge at which the linkage attacks are tried, for a curve: 1, 2, 4, 8.
    shadows
        Runs with and without each of the most exposed people, for the leave-one-out membership attack; 0 for none.
    outliers
        How many of the most exposed people are tried by leave-one-out.
    seed
        Seed of the draws and of the twin and shadow runs: the same seed gives the same figures.
    engine
        Threads and progress display.
    """
    for name, value, low in (
        ("knowledge", knowledge, 1),
        ("sample", sample, 1),
        ("shadows", shadows, 0),
        ("outliers", outliers, 1),
        *(("dial", points, 1) for points in dial),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise ParameterError(f"attack: {name} must be a whole number of at least {low}, got {name}={value!r}.")
    release: Claim = flow.open_bundle(claim, private=True) if isinstance(claim, (str, Path)) else claim
    if source.n_records == 0:
        raise InputError("attack: the data is empty. Check the source and the column roles.")
    if control is not None and control.kind != source.kind:
        raise InputError(f"attack: the control group is {control.kind} data, the source is {source.kind} data.")
    source, share = some_people(source)
    source = flow.in_codes_of(release, source)
    control = control and flow.in_codes_of(release, some_people(control)[0])
    notes: list[str] = [f"The original is represented by {share}."] if share else []
    twin: Claim | None = release
    inside: Data | None = source
    method = _method_of(release)
    if control is None:
        with step("Making a second release without the control group"):
            control, inside, twin, note = _twin(source, method, seed, engine)
        notes.append(note)
    scene = Scene(
        claim=release,
        source=source,
        control=control,
        control_claim=twin,
        inside=inside,
        knowledge=knowledge,
        sample=sample,
        seed=seed,
        labels=None if labels is None else read_labels(labels, "attack"),
    )
    found = perform(scene, tuple(notes))
    if dial:
        found = replace(found, rows={**found.rows, "dial": turn(scene, dial)})
    if not shadows:
        return found
    if method is None:
        raise InputError("attack: the method of this bundle cannot be run again here, so there are no shadow runs.")
    alone = leave_one_out(source, method, runs=shadows, outliers=outliers, seed=seed, engine=engine)
    more = as_evidence([alone]) if alone is not None else None
    if more is None:
        return found
    rows = {**found.rows, "attacks": [*found.rows.get("attacks", []), *more.rows["attacks"]]}
    return replace(
        found,
        summary=f"{found.summary} Leave-one-out: {more.summary}",
        checks=(*found.checks, *more.checks),
        figures=(*found.figures, *more.figures),
        rows=rows,
    )


def _method_of(claim: Claim) -> Method | None:
    """The method that made a release, to run it again; None if its manifest does not carry all it needs."""
    method = getattr(claim, "method", None)
    if method is not None:
        return method
    name = getattr(claim, "method_id", "")
    if name not in METHODS:
        return None
    try:
        return method_class(name).from_parameters(claim.parameters)
    except (SequesterError, TypeError):
        return None


def _twin(
    source: Data, method: Method | None, seed: int, engine: Engine | None
) -> tuple[Data | None, Data | None, Claim | None, str]:
    """People held out, the others, the release made from those, and a sentence about it."""
    if method is None or source.n_people < FEWEST_PEOPLE:
        why = (
            "the method cannot be run again here"
            if method is None
            else f"fewer than {counted(FEWEST_PEOPLE, 'person', 'people')}"
        )
        return None, None, None, f"No control group: {why}."
    rng = np.random.default_rng([seed, 1])
    n_out = max(2, min(MOST_HELD_OUT, round(HELD_OUT * source.n_people)))
    outside, others = rows_of_people(source, rng.permutation(source.n_people)[:n_out])
    inside = take(source, others)
    try:
        twin = flow.anonymize(inside, method, seed=int(rng.integers(2**31)), engine=engine)
    except SequesterError:
        return None, None, None, f"No control group: {method.id} cannot do without {n_out} of the people."
    sentence = f"The control group are {counted(n_out, 'person', 'people')} held out of a second run."
    return take(source, outside), inside, twin, sentence


def leave_one_out(
    data: Data, method: Method, *, runs: int, outliers: int, seed: int, engine: Engine | None = None
) -> Outcome | None:
    """Membership of the most exposed people: runs with all against runs without one, by what only that one has.

    Half of the runs without a person set the threshold (no false alarm among them), the other half count the false
    alarms it gives.
    """
    own = own_points(data)
    order = sorted(range(len(own)), key=lambda i: -len(own[i]))[:outliers]
    if not order or not own[order[0]] or data.n_people < 3:
        return None
    seeds = np.random.default_rng([seed, 2]).integers(2**31, size=(len(order) + 1, 2 * runs))

    def trace(part: Data, points: set[Any], at: int) -> int:
        released = flow.anonymize(part, method, seed=at, engine=engine)
        return len(points & shown_points(released, part))

    inside: dict[int, list[int]] = {i: [] for i in order}
    shown_by = engine or Engine()
    for r in shown_by.track(range(runs), "Runs with everybody"):
        released = flow.anonymize(data, method, seed=int(seeds[0, r]), engine=engine)
        shown = shown_points(released, data)
        for i in order:
            inside[i].append(len(own[i] & shown))
    caught = alarms = 0
    for at, i in enumerate(shown_by.track(order, "Runs without one of the most exposed")):
        _, others = rows_of_people(data, np.array([i]))
        without = take(data, others)
        scores = [trace(without, own[i], int(s)) for s in seeds[at + 1]]
        limit = max(scores[:runs])
        caught += sum(s > limit for s in inside[i])
        alarms += sum(s > limit for s in scores[runs:])
    trials = runs * len(order)
    return Outcome(
        name="membership by leave-one-out, outliers first",
        test=SINGLING_OUT,
        successes=float(caught),
        trials=trials,
        control_successes=float(alarms),
        control_trials=trials,
        baseline=1 / (runs + 1),
        bound=bound_on_hits(released, alarms, trials),
        says=f"A run with one of the {len(order)} most exposed people shows more of what only they have than any of "
        f"{counted(runs, 'run')} without.",
    )
