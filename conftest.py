"""The contract suite's plugin, so that its tests find their methods; and Ctrl-C, so that tests can send it."""

import signal

pytest_plugins = ("sequester.contract.plugin",)


def pytest_configure() -> None:
    """A shell lets what it starts in the background ignore Ctrl-C, and all processes below inherit that."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
