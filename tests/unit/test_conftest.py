"""The suite may run in the background of a shell or under `nohup`, and draws the same in every run."""

import signal
import subprocess
import sys

import numpy as np
import pytest
from conftest import SENT, pytest_configure
from opendp.mod import OpenDPException

from sequester.dp.randomness import Randomness
from tests.draws import DRAWS, SteadyNoise, steadily

SENDS_ITSELF = "import os, signal, sys; os.kill(os.getpid(), int(sys.argv[1])); print('ignored')"


@pytest.mark.parametrize("name", SENT)
def test_children_of_a_suite_in_the_background_hear_signals(name):
    number = getattr(signal, name)
    before = signal.signal(number, signal.SIG_IGN)
    try:
        pytest_configure()
        child = subprocess.run([sys.executable, "-c", SENDS_ITSELF, str(int(number))], capture_output=True, text=True)
    finally:
        signal.signal(number, before)
    assert (child.returncode, child.stdout) == (-number, "")


def drawn(who, n=2):
    """What the first `n` values of `Randomness` draw for a test of that name."""
    with DRAWS.of(who):
        found = [Randomness() for _ in range(n)]
    return [(r.secret.integers(1 << 30), r.key, r.noise.gaussian("x", np.zeros(3), 1e6).tolist()) for r in found]


@pytest.mark.skipif(Randomness.__post_init__ is not steadily, reason="--draws fresh")
def test_a_test_draws_the_same_in_every_run_and_never_twice_the_same():
    assert drawn("a") == drawn("a") != drawn("b")
    once, again = drawn("a")
    assert once != again
    with DRAWS.of("outer"):
        Randomness()
        drawn("a fixture")
        after = Randomness().secret.integers(1 << 30)
    assert after == drawn("outer")[1][0]  # what a fixture draws does not change what its test draws


@pytest.mark.parametrize("mechanism", ["gaussian", "laplace", "noisy_max"])
def test_what_the_vetted_samplers_refuse_is_refused(mechanism):
    steady = SteadyNoise(np.random.default_rng(0))
    assert steady.secure
    with pytest.raises(OpenDPException):
        getattr(steady, mechanism)("x", np.zeros(2), -1.0)
