"""How identifying are event logs? Points are events: in their order, or with their time at some precision."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sequester.errors import InputError, ParameterError
from sequester.model import EventLog
from sequester.release import Evidence
from sequester.risk import rarity, unicity
from sequester.risk.finding import by_person, explained, finding
from sequester.risk.known_points import agree_on_order, sets_of

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
FINEST = {"second": 1, "day": 86400}


@explained
def assess_events(
    data: EventLog,
    *,
    knowledge: int = 4,
    precision: Literal["set", "order", "week", "day", "hour", "minute", "second"] | None = None,
    rare: int = 5,
    population: int | None = None,
    threshold: float = 0.09,
    sample: int = 1000,
    seed: int = 0,
) -> Evidence:
    """Unicity of events, the risks of the three attackers, rare states and transitions, uniquely long records.

    Parameters
    ----------
    knowledge
        Known events for the headline and the three attackers; the curve always runs from 1 to 10.
    precision
        What is known of an event besides its state: nothing (`set`), its place among the other known ones (`order`),
        or its time to the week, day, hour, minute or second. By default the day, or the order if there is no clock.
    """
    unicity.require_knowledge(knowledge, sample)
    if data.n_records == 0:
        raise InputError("assess: the data is empty. Check the source and the column roles.")
    precision = precision or ("order" if data.time_unit == "order" else "day")
    if precision in SECONDS and (data.time_unit == "order" or SECONDS[precision] < FINEST[data.time_unit]):
        found = "has no clock" if data.time_unit == "order" else f"tells the {data.time_unit} only"
        raise ParameterError(f"assess: precision '{precision}' asks for more than the log knows: it {found}.")
    if precision not in SECONDS and precision not in ("set", "order"):
        raise ParameterError(f"assess: precision must be one of set, order, {', '.join(SECONDS)}, got '{precision}'.")
    rng = np.random.default_rng(seed)
    _, _, n_people = by_person(data.persons)
    lengths = np.diff(data.offsets)
    owner = np.repeat(np.arange(n_people), lengths)
    if precision == "order":
        people = unicity.sampled_people(n_people, sample, rng)
        known = np.array([unicity.draw_points(int(lengths[person]), rng) for person in people])
        who_fits = unicity.Knowledge(
            matches=agree_on_order(data.offsets, data.states, people, known), n_people=n_people,
            noun="events in their order", short=int((known[:, -1] < 0).sum()),
        )  # fmt: skip
    else:
        codes = data.states.astype(np.int64)
        if precision in SECONDS:
            units = data.times // SECONDS[precision]
            codes = (units - units.min()) * len(data.state_names) + codes
        noun = f"events at {precision} precision" if precision in SECONDS else "states without order or time"
        who_fits = unicity.of_members(unicity.Sets(*sets_of(owner, codes, n_people)), sample, rng, noun)
    n_states = len(data.state_names)
    inside = np.ones(max(0, len(data.states) - 1), dtype=bool)
    inside[data.offsets[1:-1] - 1] = False
    moves = (data.states[:-1].astype(np.int64) * n_states + data.states[1:])[inside]
    moves_of, move_codes, n_moves = sets_of(owner[:-1][inside], moves, n_people)
    states_of, state_codes, n_seen = sets_of(owner, data.states, n_people)
    timed = data.time_unit != "order" and precision in SECONDS
    full = np.column_stack([data.states, data.times // SECONDS[precision]]) if timed else data.states[:, None]
    more = [
        rarity.whole_record_figure(
            rarity.classes_of_parts(full.reshape(-1), data.offsets * full.shape[1]),
            np.arange(n_people),
            f"all states in order{', with times at ' + precision + ' precision' if timed else ', without times'}",
        ),
        *rarity.rare_figures(states_of, state_codes, n_seen, rare=rare, noun="states"),
        *rarity.rare_figures(moves_of, move_codes, n_moves, rare=rare, noun="transitions"),
        *rarity.length_figures(lengths, "events"),
    ]
    return finding(who_fits, points=knowledge, population=population, threshold=threshold, more=more)
