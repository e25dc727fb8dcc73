"""Sites and coordinators in processes of their own, killed at random; `benchmarks.federation_kills` at length."""

import os
import signal
import subprocess
import sys
import time

import pytest

import sequester as sq
from sequester.accounts import open_account
from sequester.federation.study import read_study
from tests.federated import DATES, NAMES, events, under_kills


@pytest.mark.parametrize("trusted", [False, True])
def test_a_study_survives_kills_and_is_paid_for_once(tmp_path, trusted):
    found = under_kills(tmp_path, 4, seed=int(trusted), trusted_combiner=trusted)
    assert found["charged"] == [1, 1, 1] and found["verified"]
    assert sum(found[verb] for verb in ("accept", "answer", "publish")) >= 1


def run(folder, *words, check=True):
    done = subprocess.run(
        [sys.executable, "-m", "sequester", "--quiet", "federation", *words], cwd=folder, capture_output=True, text=True
    )
    assert not check or done.returncode == 0, done.stderr
    return done


def start(folder, *words):
    command = [sys.executable, "-m", "sequester", "--quiet", "federation", *words]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def test_commands_in_processes_of_their_own_wait_for_each_other(tmp_path):
    log = events(120)
    (tmp_path / "states.txt").write_text("\n".join(log.state_names) + "\n", "utf-8")
    for at, name in enumerate(NAMES):
        (tmp_path / name).mkdir()
        sq.write_sample("events", tmp_path / name / "log.csv", n_people=40, seed=at)
        run(tmp_path / name, "join", "--name", name, "--out", f"{name}.card")
    cards = [word for name in NAMES for word in ("--site", f"{name}/{name}.card")]
    asked = {"epsilon": "8", "delta": "1e-6", "people-at-least": "400", "dates": DATES, "codebook": "states.txt",
             "time-unit": "second", "people": "disjoint", "out": "study"}  # fmt: skip
    run(tmp_path, "study", "markov-dp", *cards, *(word for k, v in asked.items() for word in (f"--{k}", v)))
    words = read_study(tmp_path / "study").words
    roles = ("--person", "person", "--time", "time", "--state", "state", "--time-format", "iso")
    for name in NAMES:
        run(tmp_path / name, "accept", "../study", "log.csv", *roles, "--words", words)
    late = run(tmp_path / "north", "accept", "../study", "log.csv", *roles, "--time-unit", "day", check=False)
    assert late.returncode == 2 and "the study says how all sites read time_unit" in late.stderr
    waiting = {name: start(tmp_path / name, "answer", "../study", "--wait") for name in NAMES}
    coordinator = start(tmp_path, "publish", "study", "--out", "log.bundle", "--wait")
    try:
        first = tmp_path / "study" / "0000.north.answer.json"
        while not first.exists():
            assert coordinator.poll() is None, coordinator.stderr.read()
            time.sleep(0.05)
        os.kill(waiting["north"].pid, signal.SIGKILL)
        waiting["north"].wait()
        waiting["north"].stderr.close()
        waiting["north"] = start(tmp_path / "north", "answer", "../study", "--wait")
        for process in (coordinator, *waiting.values()):
            assert process.wait(300) == 0, process.stderr.read()
    finally:
        for process in (coordinator, *waiting.values()):
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stderr.close()
    found = run(tmp_path / "south", "check", "../log.bundle")
    assert "5 of 5 answers are those that 'south' gave" in found.stdout
    assert [len(open_account(tmp_path / name).entries()) for name in NAMES] == [1, 1, 1]
