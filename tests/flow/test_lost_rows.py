"""A writer that loses a row and writes another twice is caught by the judge, in every table of every method."""

from dataclasses import replace

import pyarrow as pa
import pytest

import sequester as sq
from sequester.contract.data import method, released, sample
from sequester.methods import METHODS

DRAWN = {("markov-dp", "events"), ("markov-ratio", "events")}
"""Logs drawn at random: one event more or less is as likely as another, and the promise does not depend on it."""


def tables_of(release):
    return [name for name, table in release.tables.items() if table.num_rows > 1]


@pytest.mark.parametrize("method_id", list(METHODS))
def test_a_lost_row_and_one_written_twice_are_noticed(method_id):
    release, data = released(method_id), sample(method(method_id).accepts.kind)
    for name in tables_of(release):
        if (method_id, name) in DRAWN:
            continue
        table = release.tables[name]
        forged = pa.concat_tables([table.slice(0, 1), table.slice(0, table.num_rows - 1)])
        if forged.equals(table):
            continue  # all rows are equal
        verdict = sq.verify(replace(release, tables={**release.tables, name: forged}), data)
        assert verdict.result == "broken", f"{method_id}.{name}: {verdict}"


def test_the_exceptions_are_tables_that_exist():
    for method_id, name in DRAWN:
        assert name in released(method_id).tables
