"""The contract suite's plugin, so that its tests find their methods; and signals, so that tests can send them."""

import signal

pytest_plugins = ("sequester.contract.plugin",)

SENT = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
"""What tests send to their children → what a process does that was started from a terminal."""


def pytest_configure() -> None:
    """A shell lets what it starts in the background ignore Ctrl-C, `nohup` a hang-up; children inherit it."""
    for name, usual in SENT.items():
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)
