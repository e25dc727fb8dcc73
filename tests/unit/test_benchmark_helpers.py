"""What benchmarks share: fitted exponents, and costs that one run does not hide from another."""

import sys

import numpy as np
import pytest
from benchmarks.growth import exponent
from benchmarks.memory import Cost, apart, cost_of, resident

linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
BIG = 64 * 2**20


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0])
def test_an_exponent_is_that_of_the_power_law(power):
    sizes = [1000, 2000, 4000, 8000]
    assert exponent(sizes, [3e-6 * n**power for n in sizes]) == power


def test_an_exponent_uses_all_sizes():
    ends_agree = exponent([1, 2, 4, 8], [1, 2, 4, 8])
    assert ends_agree == 1.0
    assert exponent([1, 2, 4, 8], [1, 2, 4, 16]) > 1.2
    assert exponent([1, 2, 4, 8], [1, 9, 9, 8]) != 1.0


@pytest.mark.parametrize(
    ("sizes", "costs"), [([5], [1.0]), ([5, 5], [1.0, 2.0]), ([1, 2], [0.0, 1.0]), ([1, 2], [1.0])]
)
def test_an_exponent_needs_two_sizes_and_costs(sizes, costs):
    with pytest.raises(ValueError, match=r"positive costs at two different sizes at least\."):
        exponent(sizes, costs)


def touched(size):
    return len(np.ones(size, dtype=np.uint8))


@linux
def test_the_cost_of_a_small_run_does_not_show_the_peak_of_a_larger_one_before():
    large, result = cost_of(lambda: touched(BIG))
    small, _ = cost_of(lambda: touched(BIG // 64))
    assert result == BIG and large.peak >= 0.9 * BIG
    assert small.peak < 0.2 * BIG


@linux
def test_memory_of_the_input_counts_when_told_what_was_there_before():
    before = resident()
    data = np.ones(BIG, dtype=np.uint8)
    assert cost_of(data.max)[0].peak < 0.5 * BIG
    assert cost_of(data.max, before)[0].peak >= 0.9 * BIG


@linux
def test_work_apart_runs_in_another_process():
    import os

    assert apart("tests.unit.test_benchmark_helpers", "touched", size=10) == 10
    assert apart("os", "getpid") != os.getpid()


def test_a_cost_tells_its_peak_in_units_of_the_input():
    told = Cost(1.23456, 2.0, 3 * 2**20).columns(2**20)
    assert told == {"seconds": 1.235, "cpu_seconds": 2.0, "peak": 3.0, "peak_mib": 3.0}
