"""The contract suite's plugin, so that its tests find their methods; signals, so that tests can send them; and cases.

Generated cases are the same ones in every run: a change is judged by its own merits, not by the luck of a draw. New
cases are looked for on purpose: `make test-random`.
"""

import os
import shutil
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

from sequester.bundle.lock import locked
from sequester.cli import cli

pytest_plugins = ("sequester.contract.plugin", "tests.draws")

SLOW_MACHINES = [HealthCheck.too_slow]
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=SLOW_MACHINES)
settings.register_profile("random", deadline=None, suppress_health_check=SLOW_MACHINES)
settings.load_profile("same")  # `--hypothesis-profile random` is loaded after this

SENT = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
"""What tests send to their children → what a process does that was started from a terminal."""


MEMORY = Path("/dev/shm")
"""Where files lie in memory: what is published in a test is flushed to a disk that nobody will ever read."""
ROOM = 4 * 10**9


def pytest_configure() -> None:
    """Files of tests lie in memory where there is room; and signals as from a terminal.

    A shell lets what it starts in the background ignore Ctrl-C, `nohup` a hang-up; children inherit it.
    """
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM and "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = str(MEMORY)
    for name, usual in SENT.items():
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.fixture(autouse=True)
def signals_as_before():
    """What one test does to the handlers of signals is not left to the next."""
    before = {number: signal.getsignal(number) for name in SENT if (number := getattr(signal, name, None)) is not None}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def tour(tmp_path_factory):
    """The demo, to be read: one for all tests, and for all processes of a run."""
    place = tmp_path_factory.getbasetemp()
    place = (place.parent if "PYTEST_XDIST_WORKER" in os.environ else place) / "demo"
    with locked(place):
        if not place.with_name("demo is whole").exists():
            out = CliRunner().invoke(cli, ["demo", "--out", str(place), "--overwrite"], catch_exceptions=False)
            assert out.exit_code == 0, out.output
            place.with_name("demo is whole").touch()
    return place
