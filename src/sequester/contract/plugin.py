"""The pytest plugin of the contract suite: every test with an argument `method_id` runs once per method."""

from __future__ import annotations

from typing import Any

import pytest

PARTS = ("test_bundle", "test_noise", "test_promise", "test_words")
pytest.register_assert_rewrite(*(f"sequester.contract.{part}" for part in PARTS))


def pytest_addoption(parser: Any) -> None:
    """`--method ID`, as often as you like."""
    parser.addoption("--method", action="append", default=[], help="Run the contract suite on this method only.")


def pytest_generate_tests(metafunc: Any) -> None:
    """Without `--method`: all methods there are."""
    if "method_id" in metafunc.fixturenames and "sequester.contract" in metafunc.function.__module__:
        from sequester.methods import METHODS

        metafunc.parametrize("method_id", metafunc.config.getoption("--method") or list(METHODS))
