"""The driver is killed while it measures in parts, and the run is resumed: nothing is drawn or charged twice."""

from __future__ import annotations

import json
import random

import sequester as sq
from sequester.accounts import open_account
from tests.scale_killing import publish, watched, write_files


def test_a_killed_driver_is_resumed_without_drawing_again(tmp_path):
    source, scratch = write_files(tmp_path / "log", 60, 3), tmp_path / "scratch"
    target = tmp_path / "out" / "log.bundle"
    target.parent.mkdir()
    chance = random.Random()
    drawn: list[str] = []
    for resume in ((), ("--resume",)):
        at = chance.randrange(len(drawn) + 1, len(drawn) + 8)
        running = publish(source, target, scratch, "--by-file", *resume)
        ended = watched(running, target, kill="driver", at=at)
        assert ended.code == -9 and ended.killed == 1 and not target.exists()
        assert len(ended.noise) > at and ended.noise[: len(drawn)] == drawn
        drawn = target.with_name(".log.bundle.noise").read_text("ascii").split("\n")[:-1]
    ended = watched(publish(source, target, scratch, "--by-file", "--resume"), target)
    assert ended.code == 0, ended.said
    assert ended.noise[: len(drawn)] == drawn, "a step was drawn again"
    steps = [json.loads(line)["name"] for line in ended.noise[1:]]
    ledger = json.loads((target / "manifest.json").read_text("utf-8"))["ledger"]
    assert sorted(steps) == sorted(entry["mechanism"] for entry in ledger["entries"])
    assert len(open_account(target.parent).entries()) == 1
    assert sq.verify(target).holds
    assert list(scratch.iterdir()) == []
    assert sorted(p.name for p in target.parent.iterdir() if p.name.startswith(".")) == []
