"""Parts of whole people: written, read back, put together again; and the engine that works on them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.engines import Engine
from sequester.engines.scratch import PREFIX, sweep, workspace
from sequester.errors import InputError
from sequester.model.part_files import read_part, write_part
from sequester.model.parts import Parts, split
from sequester.platform import STOPPING

KINDS = ("events", "symbols", "activity", "series", "text")


def parted(data, folder: Path, n_parts: int, seed: int = 0) -> Parts:
    """The people of a data set, dealt out at random."""
    of = np.random.default_rng(seed).integers(0, n_parts, data.n_people)
    return split(data, folder, [np.flatnonzero(of == p) for p in range(n_parts)])


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, deadline=None)
@given(n_parts=st.integers(1, 40), seed=st.integers(0, 99))
def test_parts_put_together_are_what_was_split(kind, n_parts, seed, tmp_path_factory):
    data = sq.sample(kind, n_people=30, seed=seed)
    parts = parted(data, tmp_path_factory.mktemp("parts"), n_parts, seed)
    assert parts.whole().fingerprint() == data.fingerprint()
    assert (parts.n_people, parts.n_records) == (data.n_people, data.n_records)
    seen = [set(part.persons.tolist()) for part in parts]
    assert sum(map(len, seen)) == len(set().union(*seen)) == data.n_people


def test_a_part_with_names_of_its_own_is_brought_to_the_shared_codes(tmp_path):
    data = sq.sample("events", n_people=5, seed=1)
    used = np.unique(data.states)
    few = data.take(np.arange(2))
    own = sq.EventLog(
        offsets=few.offsets,
        states=np.searchsorted(used, few.states),
        state_names=tuple(data.state_names[i] for i in used),
        times=few.times,
        persons=few.persons,
    )
    path = write_part(own, tmp_path / "part.parquet", np.arange(2))
    back = read_part(path, "events", {"state_names": ("aaa", *data.state_names)})
    assert back.state_names == ("aaa", *data.state_names)
    assert [back.state_names[s] for s in back.states] == [data.state_names[s] for s in few.states]


def test_names_that_the_other_parts_lack_are_refused(tmp_path):
    data = sq.sample("events", n_people=5, seed=1)
    path = write_part(data, tmp_path / "part.parquet", np.arange(5))
    with pytest.raises(InputError) as error:
        read_part(path, "events", {"state_names": ("one",)})
    assert str(error.value) == (
        "parts: 'part.parquet' has names that the other parts do not know. Write the parts again."
    )


def test_a_part_that_is_no_parquet_is_refused(tmp_path):
    path = tmp_path / "part.parquet"
    path.write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match=r"^parts: 'part.parquet' cannot be read. Write the parts again.$"):
        read_part(path, "events", {})


def test_a_part_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    data = sq.sample("events", n_people=5, seed=1)

    def full(table, where, **_):
        Path(where).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError):
        write_part(data, tmp_path / "part.parquet", np.arange(5))
    assert list(tmp_path.iterdir()) == []


def test_no_part_and_no_such_kind_are_refused():
    with pytest.raises(InputError, match=r"^Parts: there is no part. At least one file is needed.$"):
        Parts(kind="events", paths=(), n_people=0, n_records=0)
    with pytest.raises(InputError, match=r"^Parts: genes data cannot be split into parts. Available: events"):
        Parts(kind="genes", paths=(Path("x"),), n_people=0, n_records=0)


def test_a_description_tells_sizes_and_no_names(tmp_path):
    data = sq.sample("events", n_people=12, seed=1)
    parts = parted(data, tmp_path, 3)
    assert repr(parts).startswith("Parts(12 events records of 12 people in 3 parts")
    assert not any(p in repr(parts) for p in data.persons if len(p) > 3)


def _count(parts: Parts, path: Path) -> np.ndarray:
    data = parts.load(path)
    return np.bincount(data.states, minlength=len(data.state_names))


def _place(numbers: list[int], i: int) -> int:
    time.sleep(0.002 * (3 - i % 4))
    return numbers[i]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_fold_adds_and_map_keeps_the_order_of_the_parts(threads, tmp_path):
    data = sq.sample("events", n_people=40, seed=2)
    parts = parted(data, tmp_path, 7)
    engine = Engine(threads=threads)
    total = engine.fold(partial(_count, parts), parts.paths, np.add)
    assert np.array_equal(total, np.bincount(data.states, minlength=len(data.state_names)))
    assert engine.map(partial(_place, list(range(20))), range(20)) == list(range(20))


def test_no_more_results_wait_than_there_are_threads():
    begun = []
    done = Engine(threads=2).each(lambda i: begun.append(i) or i, range(100))
    assert next(done) == 0
    time.sleep(0.05)
    assert len(begun) <= 3
    done.close()


def test_after_an_error_nothing_more_is_begun():
    begun = []

    def task(i):
        begun.append(i)
        if i == 3:
            raise InputError("one sentence.")
        return i

    with pytest.raises(InputError, match=r"^one sentence\.$"):
        Engine(threads=2).map(task, range(1000))
    assert len(begun) < 10


def test_scratch_is_the_owners_alone_and_gone_at_the_end(tmp_path):
    with pytest.raises(ZeroDivisionError), Engine(scratch=tmp_path).workspace() as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "part").write_text("somebody")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


WORKS = """
import sys, time
from pathlib import Path
from sequester.engines.scratch import workspace
with workspace(Path(sys.argv[1])) as folder:
    (folder / "part").write_text("somebody")
    print("ready", flush=True)
    time.sleep(60)
"""


def _working(place: Path) -> subprocess.Popen:
    path = os.pathsep.join(p for p in sys.path if p)
    process = subprocess.Popen(
        [sys.executable, "-c", WORKS, str(place)], stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": path}
    )
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.parametrize("number", STOPPING)
def test_a_request_to_end_removes_scratch(number, tmp_path):
    with _working(tmp_path) as process:
        process.send_signal(number)
        process.wait(20)
    assert list(tmp_path.iterdir()) == []


def test_what_a_kill_left_is_swept_and_what_is_in_use_is_not(tmp_path):
    with _working(tmp_path) as killed:
        killed.kill()
        killed.wait(20)
    assert len(list(tmp_path.glob(f"{PREFIX}*"))) == 1
    with workspace(tmp_path) as mine:
        assert list(tmp_path.iterdir()) == [mine]
        assert sweep(tmp_path) == 0
        assert mine.is_dir()


def test_a_scratch_that_cannot_be_written_is_one_sentence(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputError) as error, workspace(file):
        pass
    assert str(error.value) == (
        "scratch: 'file' cannot be written (File exists). Pass scratch= with a folder on a disk that has room."
    )
