"""The first command people type stays small and quick; grids are measured before they are laid."""

from __future__ import annotations

import gzip
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester.errors import InputError
from sequester.read import memory_needed
from sequester.read.packed import unpacked
from sequester.workbench import child

MOST_MB, MOST_SECONDS = 500, 10
"""What `inspect` may take, in resident memory and in processor time."""


def fifty_six_years(folder):
    rows = ["PATIENT,START,STOP,CODE,DESCRIPTION"]
    for i in range(604):
        p, year = i % 30, 1960 + i // 11
        rows.append(f"p{p:02d},{year}-0{1 + i % 9}-11T08:00:00Z,{year}-0{1 + i % 9}-11T09:15:00Z,{i % 7},visit {i % 7}")
    (folder / "encounters.csv").write_text("\n".join(rows))
    return folder / "encounters.csv"


def five_hundred_texts(folder):
    (folder / "sets").mkdir()
    rng = random.Random(1)
    for i in range(500):
        lines = "\n".join(str(rng.randint(-150, 150)) for _ in range(1200))
        (folder / "sets" / f"Z{i:03d}.txt").write_text(lines + "\n")
    return folder / "sets"


def watched(*words: str) -> tuple[int, float, int]:
    """Exit code, processor seconds and the most resident megabytes of a command, looked at from outside."""
    python = [sys.executable, "-m", "sequester", "--quiet", *words]
    process = subprocess.Popen(python, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = [0]

    def look():
        status = Path(f"/proc/{process.pid}/status")
        while process.returncode is None:
            try:
                found = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmRSS:")]
            except (FileNotFoundError, ProcessLookupError):
                return
            most[0] = max(most[0], *(int(kb) // 1024 for kb in found), 0)
            time.sleep(0.01)

    watch = threading.Thread(target=look)
    watch.start()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    watch.join()
    return process.returncode, used.ru_utime + used.ru_stime, most[0]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is looked at in /proc")
@pytest.mark.parametrize("make", [fifty_six_years, five_hundred_texts])
def test_inspect_is_small_and_quick_on_what_once_ended_the_machine(make, tmp_path):
    code, seconds, megabytes = watched("inspect", str(make(tmp_path)))
    assert code == 0 and 0 < megabytes <= MOST_MB and seconds <= MOST_SECONDS, (code, seconds, megabytes)


def test_a_grid_is_measured_before_it_is_laid(tmp_path, monkeypatch):
    monkeypatch.setattr(memory_needed, "available_memory", lambda: 500_000_000)
    source = fifty_six_years(tmp_path)
    with pytest.raises(
        InputError, match=r"30 people x [\d,]+ intervals would take 1\.\d GB of memory, and 0\.5 GB are"
    ):
        sq.read_activities(source, person="PATIENT", start="START", end="STOP", state="DESCRIPTION", time_format="iso",
                           dates="1960-01-01..2015-12-31")  # fmt: skip
    wide = tmp_path / "long.csv"
    wide.write_text("p,t,v\n" + "\n".join(f"p{i},{i},1" for i in range(7000)))
    with pytest.raises(InputError, match=r"7,000 people x 7,000 times would take 0\.8 GB of memory"):
        sq.read_series(wide, person="p", time="t", value="v")


def test_a_job_of_the_workbench_says_its_limit():
    words = (
        "import resource, sys; from sequester.workbench import child; most = child.limit_memory(1 << 20);"
        "print(most == resource.getrlimit(resource.RLIMIT_DATA)[0] == child.LEAST_MEMORY)\n"
        "try:\n    bytearray(2 << 30)\nexcept MemoryError:\n    print('refused')"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "refused"]
    assert child.limit_memory(None) is None


@pytest.mark.parametrize("engine", ["memory", "parts"])
def test_a_header_inside_a_file_is_left_out_and_counted(engine, tmp_path):
    source = tmp_path / "joined.csv"
    rows = [f"p{i % 4},2024-01-0{1 + i % 9},{'ab'[i % 2]}" for i in range(12)]
    source.write_text("\n".join(["person,time,state", *rows[:5], "person,time,state", *rows[5:], "Total,,12"]) + "\n")
    roles = {"person": "person", "time": "time", "state": "state", "time_format": "iso", "time_unit": "day"}
    if engine == "memory":
        data = sq.read_events(source, **roles)
    else:
        from sequester.engines import Engine

        folder = tmp_path / "parts"
        folder.mkdir()
        data = sq.read_parts("events", source, folder, engine=Engine(memory=1 << 28), **roles)
    assert data.n_people == 4 and data.n_items == 12
    assert {
        "1 row that repeats the header was left out",
        "1 row that sums up others (called Total, Mean and so on) was left out",
    } <= set(map(str, data.notes))


@pytest.mark.parametrize("form", ["csv.zip", "csv.gz", "xlsx", "parquet", "sqlite"])
def test_of_what_is_packed_or_has_no_front_a_part_is_tried(form, tmp_path, monkeypatch):
    """However much a packed file holds, `inspect` unpacks a share, and a book is tried by the rows that were seen."""
    monkeypatch.setattr("sequester.read.sample.BYTES", 1 << 16)
    monkeypatch.setattr("sequester.read.inspect.BYTES", 1 << 10)
    monkeypatch.setattr("sequester.read.sample_tables.ROWS", 900)
    rows = [
        (f"p{i % 30:02d}", f"2024-03-{1 + i // 900:02d} 10:{i % 60:02d}:00", "abcd"[i * i % 7 % 4]) for i in range(9000)
    ]
    text = "person,time,state\n" + "\n".join(map(",".join, rows)) + "\n"
    path = tmp_path / f"log.{form}"
    if form == "csv.zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("log.csv", text)
        with unpacked(path, "inspect", 1000) as inside:
            assert inside.stat().st_size == 1000
    elif form == "csv.gz":
        path.write_bytes(gzip.compress(text.encode()))
    elif form == "xlsx":
        book = pytest.importorskip("openpyxl").Workbook(write_only=True)
        sheet = book.create_sheet()
        for row in [("person", "time", "state"), *rows]:
            sheet.append(row)
        book.save(path)
    elif form == "parquet":
        pq.write_table(pa.table(dict(zip(("person", "time", "state"), zip(*rows, strict=True), strict=True))), path)
    else:
        with sqlite3.connect(path) as connection:
            connection.execute("create table log (person text, time text, state text)")
            connection.executemany("insert into log values (?, ?, ?)", rows)
        connection.close()
    found = sq.inspect(path)
    assert found.kind == "events" and found.roles["person"] == "person" and found.lines[0].startswith("in a sample")
    assert found.command and not found.in_the_way


def test_a_folder_of_unknown_files_names_their_ending(tmp_path):
    for i in range(3):
        (tmp_path / f"w{i}.awd").write_text("1\n2\n")
    with pytest.raises(InputError, match=r"If its files called \*\.awd are text, rename them to \*\.txt"):
        sq.inspect(tmp_path)
