"""Work that will be large says so first, and how to make it smaller."""

import numpy as np
import pytest

import sequester as sq
from sequester import in_parts


class Panel:
    """As much of a data set as the estimate looks at, without its memory."""

    def __init__(self, records, width, dtype=float):
        self.n_records = records
        self.values = np.broadcast_to(np.zeros(1, dtype), (records, width))


def test_small_work_begins_without_a_word():
    assert in_parts.expected("kapra", Panel(20_352, 10)) is None
    assert in_parts.expected("assess text", sq.sample("text", seed=1)) is None
    assert in_parts.expected("mdav-ka", sq.sample("activity", n_people=6, seed=1)) is None


def test_a_long_run_is_told_with_records_time_memory_and_a_way_out():
    assert in_parts.expected("kapra", Panel(1_000_000, 10)) == (
        "kapra on 1,000,000 records will take about 4 min of computing and 1.6 GB of memory, judging by a measurement "
        "on another machine. Publish part of the people, or each hospital or year by itself. Fewer time columns "
        "(--quasi) help in proportion; --pattern literal is ten times faster."
    )


def test_time_grows_as_it_was_measured():
    told = in_parts.MEASURED["mdav-ka"]
    assert "about 21 min of" in in_parts.expected("mdav-ka", Panel(70 * 9_800, told.width, np.uint8))
    assert "about 11 min of" in in_parts.expected("mdav-ka", Panel(70 * 9_800, told.width // 2, np.uint8))


def test_much_memory_alone_is_enough():
    assert "4.5 GB of memory" in in_parts.expected("assess activity", Panel(80_000, 20_160, np.uint8))


def test_nothing_is_invented_for_what_was_never_measured():
    assert in_parts.expected("of-another-house", Panel(10**6, 100)) is None


def test_the_custodian_is_told_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(in_parts, "LONG_SECONDS", 0.0)
    said = []
    data = sq.sample("series", n_people=20, seed=1)
    sq.publish_data(
        data, sq.Request(method=sq.method_class("kapra")(k=5, p=3), target=tmp_path / "a.bundle"), say=said.append
    )
    assert any(s.startswith("kapra on 20 records will take about 1 s of computing") for s in said)


@pytest.mark.parametrize("seconds, words", [(0.2, "1 s"), (40, "40 s"), (89, "89 s"), (300, "5 min"), (9000, "2.5 h")])
def test_a_duration_as_one_would_say_it(seconds, words):
    assert in_parts.spoken(seconds) == words
