"""Three hospitals in one process: data, keys, a study, and a reader that hands out what a test made."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

import sequester as sq
from sequester.accounts import open_account
from sequester.federation.coordinator import Waiting, publish_study
from sequester.federation.identity import join
from sequester.federation.site import accept, answer
from sequester.federation.study import new_study

NAMES = ("north", "south", "west")
DATES = "2024-01-01..2025-12-31"
READING = {
    "ngram-dp": {"symbolize": "none", "symbols": tuple("1234")},
    "markov-dp": {"time_unit": "second"},
    "activity-dp": {"states": ("stationary", "walking", "running"), "dates": "2024-03-04..2024-03-05", "interval": 60},
}
ROLES = {"ngram-dp": {}, "markov-dp": {"time_format": "iso"}, "activity-dp": {"time_format": "iso"}}


@cache
def events(n_people=240):
    return sq.sample("events", n_people=n_people, seed=3)


@cache
def symbols(n_people=120):
    return replace(sq.sample("symbols", n_people=n_people, seed=3), names_public=True)


@cache
def activity(n_people=36):
    return replace(sq.sample("activity", n_people=n_people, days=2, seed=3), names_public=True)


NAMED = {"ngram-dp": symbols, "markov-dp": events, "activity-dp": activity}


def method_for(name, folder):
    if name == "activity-dp":
        return sq.ActivityDP(epsilon=4.0, delta=1e-6, force=True, calibration_people=64, rounds=0)
    if name == "ngram-dp":
        return sq.NgramDP(epsilon=4.0, n_max=2, people_at_least=100)
    book = Path(folder) / "states.txt"
    book.write_text("\n".join(events().state_names) + "\n", "utf-8")
    return sq.MarkovDP(epsilon=4.0, delta=1e-6, people_at_least=400, dates=DATES, codebook=str(book), max_events=60)


def dealt(data, n, seed=1):
    of = np.random.default_rng(seed).integers(0, n, data.n_records)
    return [data.take(np.flatnonzero(of == i)) for i in range(n)]


@dataclass
class Hospitals:
    """A study with its sites, each in a folder of its own."""

    root: Path
    method: object
    data: dict[str, object]
    study: object = None

    @property
    def folder(self):
        return self.root / "study"

    def home(self, name):
        return self.root / name / f"{name}.site"

    def reader(self, name):
        return lambda _source, _roles: self.data[name]

    def begin(self, **declared):
        for name in self.data:
            (self.root / name).mkdir()
            join(name, self.root / name / f"{name}.card", self.root / name)
        cards = [self.root / name / f"{name}.card" for name in self.data]
        told = {"people": "disjoint", "reading": READING[self.method.id], "private": self.root, **declared}
        self.study = new_study(self.method, cards, self.folder, **told)
        return self

    def accept(self, name, words=None):
        return accept(
            self.folder, "data", ROLES[self.method.id], read=self.reader(name), site=self.home(name),
            words=self.study.words if words is None else words,
        )  # fmt: skip

    def accept_all(self):
        for name in self.data:
            self.accept(name)
        return self

    def answer(self, name, **more):
        return answer(self.folder, read=self.reader(name), site=self.home(name), **more)

    def answer_all(self):
        for name in self.data:
            self.answer(name)

    def publish(self, out="joint.bundle"):
        return publish_study(self.folder, self.root / out, private=self.root)

    def to_the_end(self):
        """Round after round by hand, until the bundle is there."""
        while True:
            try:
                return self.publish()
            except Waiting:
                self.answer_all()


def hospitals(root, name="ngram-dp", **declared):
    parts = dealt(NAMED[name](), 3)
    return Hospitals(Path(root), method_for(name, root), dict(zip(NAMES, parts, strict=True))).begin(**declared)


def in_a_child(work, kill_after=None):
    """Run `work` in a process of its own; kill it after so many seconds. Whether it had ended before."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except Waiting:
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    until = None if kill_after is None else time.monotonic() + kill_after
    while True:
        done, how = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(how) == 0, "the child failed by itself"
            return True
        if until is not None and time.monotonic() >= until:
            os.kill(child, signal.SIGKILL)
            how = os.waitpid(child, 0)[1]
            return os.waitstatus_to_exitcode(how) == 0
        time.sleep(0.0005)


def under_kills(root, kills, name="ngram-dp", seed=0, **declared):
    """A study whose sites and coordinator are killed again and again, until so many kills hit; then what is found.

    Every step is tried until it ends by itself: accept, answer and publish, as a person would run them again.
    """
    chance = random.Random(seed)
    h = hospitals(root, name, **declared)
    hit = {"accept": 0, "answer": 0, "publish": 0}
    usual = dict.fromkeys(hit, 0.05)
    kept = {}

    def step(verb, work):
        for _ in range(20):
            began = time.monotonic()
            wanted = sum(hit.values()) < kills and chance.random() < 0.8
            ended = in_a_child(work, chance.uniform(0.0, 1.2 * usual[verb]) if wanted else None)
            if ended and not wanted:
                usual[verb] = max(0.02, time.monotonic() - began)
            hit[verb] += not ended
            remember()
            if ended:
                return
        in_a_child(work)

    def remember():
        """What was kept once is never written anew: no noise is drawn twice."""
        for path in (*root.glob("*/*.site/*/*.json"), *h.folder.with_name("study.coordinator").glob("*/*.json")):
            found = path.read_bytes()
            assert kept.setdefault(path, found) == found, f"{path.name} was written twice"

    for site in NAMES:
        step("accept", lambda site=site: h.accept(site))
    there = (root / "joint.bundle" / "manifest.json").exists  # a kill may come when all is done
    while not there():
        step("publish", lambda: there() or h.publish())
        for site in NAMES:
            step("answer", lambda site=site: h.answer(site))
    for site in NAMES:
        sent = sorted(p.name for p in h.folder.glob(f"*.{site}.answer.json"))
        private = h.home(site) / h.study.digest[:32]
        assert sent and all((h.folder / n).read_bytes() == (private / n).read_bytes() for n in sent)
    charged = [len(open_account(root / site).entries()) for site in NAMES]
    found = sq.verify(root / "joint.bundle")
    return {**hit, "charged": charged, "verified": found.verdict.complete}
