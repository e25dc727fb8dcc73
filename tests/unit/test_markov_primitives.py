import datetime
import itertools

import numpy as np
import pytest

from sequester.methods.events.markov_dp.kernels import moves
from sequester.methods.events.markov_ratio.kernels import law_index, measured
from sequester.methods.events.shared.notes import arrivals
from sequester.primitives.xoshiro import fraction, state_from
from tests.naive import markov as naive
from tests.naive.samplers import Xoshiro

SCRATCH = np.empty(2, np.int64)


def flat(traces):
    return np.array([x for t in traces for x in t], np.int32), np.cumsum([0] + [len(t) for t in traces]).astype(
        np.int64
    )


def random_traces(seed, n=20, states=4, longest=7):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, states, rng.integers(1, longest)).tolist() for _ in range(n)]


@pytest.mark.parametrize("traces", [[], [[0]], [[2, 2, 2]], random_traces(1), random_traces(2, 40, 6, 12)])
def test_transitions_equal_the_plain_loop(traces):
    cells, owners = moves.transitions(*flat(traces), 6)
    got = [[(c // 7, c % 7) for c in cells[a:b].tolist()] for a, b in itertools.pairwise(owners)]
    assert got == naive.transitions(traces, 6)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_tallies_equal_the_plain_loop(seed):
    lists = [[x - 1 for x in t] for t in random_traces(seed)]
    cells, counts, owners = moves.tally_within(np.array([c for x in lists for c in x]), flat(lists)[1])
    got = [dict(zip(cells[a:b].tolist(), counts[a:b].tolist())) for a, b in itertools.pairwise(owners)]
    assert got == [naive.tally(x) for x in lists]


def chain_of(seed, n=4):
    rng = np.random.default_rng(seed)
    chain = rng.random((n + 1, n + 1)) * (rng.random((n + 1, n + 1)) < 0.7)
    chain[:n, n] += 0.1
    chain[n, 0] += 0.1
    chain[n, n] = 0
    return chain / chain.sum(1, keepdims=True)


def test_arrivals_are_the_scaled_recursion():
    chain = chain_of(3)
    got = arrivals(chain, 9)
    for mine, theirs in zip(got, naive.arrivals(chain.tolist(), 9)):
        assert np.allclose(mine, np.array(theirs) / max(theirs))
    assert arrivals(np.zeros((3, 3)), 2).tolist() == [[0.0, 0.0]] * 3


def test_random_numbers_equal_the_plain_ones():
    state = state_from(np.random.default_rng(3))
    plain = Xoshiro(state)
    assert [fraction(state) for _ in range(50)] == [plain.random() for _ in range(50)]


def test_the_calendar_is_the_gregorian_one():
    for day in [*range(-800, 800, 13), *range(10_000, 80_000, 997)]:
        date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
        assert tuple(measured.civil(day)) == (date.month - 1, date.year)


def test_laws_are_found_by_key_and_drawn_by_count():
    keys = np.array([5, 5, 9, 1 << 40])
    table = law_index.laws(keys, [7, 8, 3, 4], [1, 3, 2, 5], [8, 8, 2, 5])
    assert [law_index.find(table, k) for k in (5, 9, 1 << 40, 6)] == [0, 1, 2, -1]
    assert table.totals.tolist() == [1, 4, 2, 5]
    assert table.shares.tolist() == [0.5, 1.0, 1.0]
    assert law_index.find(law_index.laws(*(np.zeros(0, np.int64),) * 4), 3) == -1


def test_a_draw_follows_the_mean_of_the_laws():
    keys = np.array([law_index.key_of(0, -1, -1, 0), law_index.key_of(1, -1, 3, 0)])
    table = law_index.laws(keys, [10, 11], [5, 5], [20, 10])
    families = law_index.Families(by_cluster=np.array([False, False]), factor=np.array([-1, 0]))
    generator = state_from(np.random.default_rng(4))

    def draw(value, row=0, lossy=False):
        return law_index.draw(generator, table, families, -1, np.array([value]), row, SCRATCH, lossy)

    drawn = [table.items[draw(3)] for _ in range(4000)]
    assert abs(drawn.count(10) / 4000 - 0.5) < 4 * np.sqrt(0.25 / 4000)
    assert [table.items[draw(-1)] for _ in range(5)] == [10] * 5
    assert draw(3, row=1) == -1
    # Of what the two rows counted, the better one still has a half: the rest is drawn as nothing.
    lost = [draw(3, lossy=True) for _ in range(2000)].count(-1)
    assert abs(lost / 2000 - 0.5) < 4 * 0.5 / np.sqrt(2000)


@pytest.mark.parametrize(
    "length,unit,expected", [(0, 1, 0), (3599, 3600, 0), (3600, 3600, 1), (7200, 3600, 2), (9, 1, 4)]
)
def test_duration_bins(length, unit, expected):
    from sequester.methods.events.markov_ratio.ensemble import duration_bin

    assert duration_bin(np.array([length]), unit == 3600)[0] == expected
