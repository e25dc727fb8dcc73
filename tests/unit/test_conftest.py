"""The suite may run in the background of a shell, where Ctrl-C is ignored, and still send it to its children."""

import signal
import subprocess
import sys

from conftest import pytest_configure

SENDS_ITSELF = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('ignored')"


def test_children_of_a_suite_in_the_background_hear_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pytest_configure()
        child = subprocess.run([sys.executable, "-c", SENDS_ITSELF], capture_output=True, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (child.returncode, child.stdout) == (-signal.SIGINT, "")
