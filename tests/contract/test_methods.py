"""The contract suite that we ship, over every method we ship; and what readers of all kinds owe."""

import pytest

import sequester as sq
from sequester.cli.options import parameter_docs, reader_options
from sequester.contract.test_bundle import *  # noqa: F403
from sequester.contract.test_noise import *  # noqa: F403
from sequester.contract.test_promise import *  # noqa: F403
from sequester.contract.test_words import *  # noqa: F403


@pytest.mark.parametrize("kind", list(sq.KINDS))
def test_readers_explain_every_role(kind):
    function = sq.reader(kind)
    told = parameter_docs(function)
    for option in reader_options(function):
        assert told.get(option.name), f"{function.__name__}: {option.name} is not explained"
