"""Publishing in processes of its own that are killed or race: for the suite in short, for `benchmarks` at length."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import sequester as sq
from tests import toy

ROOT = Path(__file__).parents[1]
CHILD = """
import sys, time, os
sys.path[:0] = [{root!r}, {src!r}]
from tests import toy
toy.register()
import sequester as sq
from sequester.bundle import atomic
if {pause}:
    # Long pauses where a kill would hurt: before the flush, before each swap, before the stage is removed.
    for name in ("flush", "_swap_in", "_remove"):
        def slow(*given, right=getattr(atomic, name)):
            time.sleep({pause})
            return right(*given)
        setattr(atomic, name, slow)
if {exchange}:
    atomic.exchange = lambda a, b: False
if {pid}:
    os.getpid = lambda: {pid}
{also}
n = {people}
release = sq.anonymize(toy.panel(n), toy.ToyGroups(k=3), seed=1)
print("ready", flush=True)
if {wait}:
    sys.stdin.readline()
try:
    sq.publish(release, {target!r}, source=toy.panel(n), overwrite={overwrite}, roles=dict(n=n))
    print("done", flush=True)
except sq.BundleError as error:
    print(error, flush=True)
"""


def child(target: Path, people: int, *, pause=0.0, overwrite=True, wait=False, exchange=True, pid=0, also=""):
    """A process that publishes a toy release of so many people."""
    code = CHILD.format(
        root=str(ROOT), src=str(ROOT / "src"), target=str(target), people=people, pause=pause, overwrite=overwrite,
        wait=wait, exchange=not exchange, pid=pid, also=also,
    )  # fmt: skip
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def state(target: Path) -> str:
    """What a reader finds: `whole` where bundle and custodian's folder belong together."""
    try:
        if not target.exists():
            return "nothing"
        bundle = sq.open_bundle(target, private=True)
        if not sq.verify(target).holds:
            return "broken"
    except sq.BundleError:
        return "broken"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        roles = sq.custodian(target).get("roles")
    if not roles:
        return "private missing or of another bundle"
    rows = bundle.tables["records"].num_rows
    return "whole" if roles["n"] == rows == bundle.private["people"].num_rows else "private of another bundle"


@toy.known()
def kills(rounds: int, *, seed: int = 0, exchange: bool = True, sent: int = signal.SIGKILL) -> Counter:
    """Kill a publication that replaces another, at a random moment; count what is found then and one run later."""
    rng, found = random.Random(seed), Counter()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "a.bundle"
        for turn in range(rounds):
            if turn % 4 == 0:  # every fourth round begins with nothing
                shutil.rmtree(target, ignore_errors=True)
                shutil.rmtree(target.with_name("a.private"), ignore_errors=True)
                shutil.rmtree(target.with_name(".a.bundle.stage"), ignore_errors=True)
            before = state(target)
            one = child(target, 10 + turn % 50, pause=0.02, exchange=exchange)
            one.stdout.readline()
            time.sleep(rng.uniform(0.0, 0.35))
            os.kill(one.pid, sent)
            one.communicate()
            now = state(target)
            # Where names cannot be exchanged at once, there is a moment without a bundle; the next writer ends it.
            found[f"after the kill: {now}"] += 1
            if before == "whole" and now == "nothing":
                found["old bundle aside in the stage"] += 1
            again = child(target, 9)
            said = again.communicate()[0].split("\n")[1]
            found[f"next run: {said if said == 'done' else 'refused'}, {state(target)}"] += 1
            found["leftovers"] += len([p for p in Path(folder).iterdir() if p.name.startswith(".")])
    return found


@toy.known()
def races(rounds: int, *, writers: int = 3, overwrite: bool = False, pid: int = 0) -> Counter:
    """Several writers of one target at once; count how many succeeded and what stands there."""
    found = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds):
            target = Path(folder) / f"{turn}.bundle"
            all_of = [child(target, 10 + i, overwrite=overwrite, wait=True, pid=pid) for i in range(writers)]
            for one in all_of:
                one.stdout.readline()
            for one in all_of:
                one.stdin.write("\n")
                one.stdin.flush()
            said = [one.communicate()[0].strip() for one in all_of]
            found[f"{said.count('done')} of {writers} wrote, {state(target)}"] += 1
            others = {s for s in said if s != "done"}
            found["other sentences"] += len(
                others - {f"publish: '{turn}.bundle' exists. Pass overwrite=True to replace it."}
            )
            found["leftovers"] += len([p for p in Path(folder).iterdir() if p.name.startswith(".")])
    return found
