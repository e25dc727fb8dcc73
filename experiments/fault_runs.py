"""Publications of all five kinds that are killed, that race, and whose disk fails."""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import sequester as sq
from experiments.fault_publications import (
    AtStep,
    Child,
    charged,
    folder,
    foreign,
    hidden,
    note_state,
    state,
    steps_on_disk,
    timed,
    words,
)


def killed(kind: str, n: int, seed: int) -> Counter[str]:
    """Kill `n` publications: at random moments, most of them late, where names change, or at a step on the disk."""
    rng, found = random.Random(f"{kind} {seed}"), Counter[str]()
    usual = {False: timed(kind), True: timed(kind, alone=True)}
    steps = steps_on_disk(kind)
    outer = Path(tempfile.mkdtemp(prefix="faults-"))
    place = outer / "x"
    place.mkdir()
    target = place / "a.bundle"
    published: set[str] = set()
    turn = -1
    while found["done"] < n:
        turn += 1
        if turn % 10 == 0:
            shutil.rmtree(place)
            place.mkdir()
            published.clear()
        before, had = state(target), set(hidden(place))
        sent = rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        alone = turn % 50 == 9
        if turn % 2 == 0:
            how = "at a step on the disk"
            stop = AtStep(place, rng.randint(1, steps), lambda sent=sent: os.kill(os.getpid(), sent))  # type: ignore[misc]
            child = Child(words(kind, target), before=stop)
        else:
            how = "whole commands" if alone else "at a moment"
            child = Child(words(kind, target), alone=alone)
            first = 0.5 if alone else 0.0  # before it, a whole command loads libraries
            time.sleep(usual[alone] * (rng.uniform(first, 1) if rng.random() < 0.5 else rng.uniform(0.7, 1.0)))
            os.kill(child.pid, sent)
        code, said = child.end()
        now = state(target)
        if code == 0:
            found["too late and not counted"] += 1
            usual[alone] *= 0.95
        else:
            found.update(["done", how, f"by {signal.Signals(sent).name}"])
        note_state(found, before, now, place, published)
        found["hung"] += code == 98
        found["foreign_errors"] += foreign(said)
        if code > 0:  # it ended in its own words: nothing lies about, and they are true
            left = set(hidden(place)) - had  # an earlier kill that nobody could clean up after does not count here
            if left:
                print("left:", code, left, said, file=sys.stderr)
            found["leftovers"] += bool(left)
            changed = now != before
            untrue = changed and "Finished before" not in said and "Public:" not in said
            if untrue:
                print("untrue:", code, said, file=sys.stderr)
            found["untrue_words"] += untrue
        if turn % 5 == 4:
            found["next runs"] += 1
            code, said = Child(words(kind, target)).end()
            if code:
                print("next run:", code, said, file=sys.stderr)
            found["next_run_refused"] += code != 0
            then = state(target)
            found["untrue_words"] += (code == 0) != (then != now)
            note_state(found, now, then, place, published)
            found["leftovers"] += bool(hidden(place))
    shutil.rmtree(outer)
    return found


def raced(kind: str, n: int, seed: int) -> Counter[str]:
    """Three writers at once: for one name with and without leave to replace, or for three names of a new folder."""
    found = Counter[str]()
    timed(kind)
    for turn in range(n):
        with folder() as place:
            one_name, overwrite = turn % 3 != 2, turn % 3 == 1
            if (turn // 3 + seed) % 3 == 2:  # the account is there already
                Child(words(kind, place / "before.bundle")).end()
            else:
                found["first births"] += 1
            already = len(sq.open_account(place).entries()) if (place / "sequester.account").exists() else 0
            reading, writing = os.pipe()
            targets = [place / ("a.bundle" if one_name else f"{i}.bundle") for i in range(3)]
            racers = [Child(words(kind, t, overwrite=overwrite), wait=reading) for t in targets]
            os.write(writing, b"xxx")
            ends = [r.end() for r in racers]
            os.close(reading)
            os.close(writing)
            wrote = sum(code == 0 for code, _ in ends)
            expected = 1 if one_name and not overwrite else 3
            found["done"] += 1
            found["hung"] += any(code == 98 for code, _ in ends)
            found["wrong_number_written"] += wrote != expected
            found["foreign_errors"] += any(foreign(said) or code not in (0, 2, 98) for code, said in ends)
            found["untrue_words"] += any(code == 2 and "exists." not in said for code, said in ends)
            for target in set(targets):
                now = state(target)
                if now in ("nothing", "half_bundles", "lost_private"):
                    found["half_bundles" if now == "nothing" else now] += 1
                else:
                    found["not_charged"] += not charged(place, now)
            found["not_charged"] += len(sq.open_account(place).entries()) - already != wrote
            found["leftovers"] += bool(hidden(place))
    return found


NUMBERS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES, errno.EROFS)


def _fails(number: int) -> Callable[[], None]:
    def fail() -> None:
        raise OSError(number, os.strerror(number))

    return fail


def _small_files(size: int) -> Callable[[], None]:
    """No file may grow beyond so many bytes: also inside libraries, which ask nobody."""

    def begin() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return begin


def failed(kind: str, n: int, seed: int) -> Counter[str]:
    """One operation on the disk fails, once or from then on, in publications that begin and that replace."""
    rng, found = random.Random(f"{kind} faults {seed}"), Counter[str]()
    timed(kind)
    steps = steps_on_disk(kind)
    for turn in range(n):
        with folder() as outer:
            place = outer / "x"
            place.mkdir()
            target = place / "a.bundle"
            if turn % 2:
                assert Child(words(kind, target)).end()[0] == 0
            before = state(target)
            published = {before} - {"nothing"}
            number = NUMBERS[turn % len(NUMBERS)]
            deed: Callable[[], None]
            if turn % 6 == 5:
                deed = _small_files(int(2 ** rng.uniform(0, 17)))
            else:
                deed = AtStep(place, rng.randint(1, steps), _fails(number), rng.random() < 0.3)
            code, said = Child(words(kind, target), before=deed).end()
            now = state(target)
            found["done"] += 1
            found["refused in a sentence" if code else "went on"] += 1
            found["hung"] += code == 98
            found["foreign_errors"] += foreign(said) or code not in (0, 2, 98)
            note_state(found, before, now, place, published)
            denied = any(w in said for w in ("was not written", "was not published", "nothing was lost"))
            found["untrue_words"] += code != 0 and ((now != before) == denied) and now != before
            blamed = "Restore" in said
            found["untrue_words"] += blamed
            code, said = Child(words(kind, target)).end()  # the disk works again
            found["next_run_refused"] += code != 0
            found["leftovers"] += bool(hidden(place))
            note_state(found, now, state(target), place, published)
    return found


DEEDS = {"kills": killed, "races": raced, "disk faults": failed}

if __name__ == "__main__":  # python -m experiments.fault_runs kills series 20 0
    deed, kind, n, seed = sys.argv[1:]
    print(json.dumps(DEEDS[deed](kind, int(n), int(seed))))
