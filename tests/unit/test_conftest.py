"""The suite may run in the background of a shell or under `nohup`, where signals are ignored, and still send them."""

import signal
import subprocess
import sys

import pytest
from conftest import SENT, pytest_configure

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
