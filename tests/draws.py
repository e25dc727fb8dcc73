"""What a release draws in a test is the same in every run of that test, as generated cases are (conftest.py).

A release without a seed draws from the operating system. Whether a test passes must not hang on it, but a bound that is
too narrow shows itself once in a thousand runs, and then on somebody else's change. So the two streams, the key and the
noise of `Randomness` are drawn here from the name of the test, or of the fixture, that asks for them, and from how many
it asked for before. The vetted samplers are called all the same, so that what they refuse is refused; what they drew is
not used. `SecureNoise` itself, what other processes draw, and federated studies stay with the operating system.

`pytest --draws fresh` leaves everything to the operating system; `make test-random` does.
"""

import zlib
from contextlib import contextmanager

import numpy as np
import pytest

from sequester.dp.noise import SecureNoise, TeachingNoise
from sequester.dp.randomness import Randomness


class SteadyNoise(SecureNoise):
    """The vetted samplers, whose answers are replaced by those of a generator that is known."""

    def __init__(self, generator):
        self._known = TeachingNoise(generator)

    def gaussian(self, name, values, scale):
        super().gaussian(name, values, scale)
        return self._known.gaussian(name, values, scale)

    def laplace(self, name, values, scale):
        super().laplace(name, values, scale)
        return self._known.laplace(name, values, scale)

    def noisy_max(self, name, utilities, scale):
        super().noisy_max(name, utilities, scale)
        return self._known.noisy_max(name, utilities, scale)


class Draws:
    """Who is asking, and how often it asked before."""

    def __init__(self):
        self.who, self.n = "", 0

    @contextmanager
    def of(self, who):
        """Draws for one test or fixture; afterwards those of whoever waited for it go on."""
        before = self.who, self.n
        self.who, self.n = who, 0
        yield
        self.who, self.n = before

    def next(self):
        self.n += 1
        return np.random.SeedSequence([zlib.crc32(self.who.encode()), self.n])


DRAWS = Draws()
AS_IT_IS = Randomness.__post_init__


def steadily(rng):
    """Make a value of `Randomness` as the package does, then let it draw what was drawn last time."""
    handed_in = rng.noise is not None
    AS_IT_IS(rng)
    if rng.seed is None:
        public, secret, noise, key = DRAWS.next().spawn(4)
        found = {"public": np.random.default_rng(public), "secret": np.random.default_rng(secret)}
        found["key"] = key.generate_state(4).tobytes()
        if not handed_in:
            found["noise"] = SteadyNoise(np.random.default_rng(noise))
        for name, value in found.items():
            object.__setattr__(rng, name, value)


def pytest_addoption(parser):
    parser.addoption("--draws", choices=("same", "fresh"), default="same", help="what releases without a seed draw")


def pytest_configure(config):
    if config.getoption("draws") == "same":
        Randomness.__post_init__ = steadily


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    with DRAWS.of(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    with DRAWS.of(f"{request.node.nodeid} {fixturedef.argname} {getattr(request, 'param_index', 0)}"):
        return (yield)
