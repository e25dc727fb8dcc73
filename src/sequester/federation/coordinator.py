"""The coordinator: asks round after round, adds up what comes back, and publishes. It needs no data."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.bundle.lock import locked
from sequester.dp.checkpoint import CheckpointNoise
from sequester.dp.noise import RecordingNoise, SecureNoise
from sequester.dp.randomness import Randomness
from sequester.dp.sites import Item, Noised, OverSites
from sequester.engines import Engine
from sequester.errors import MALFORMED, InputError
from sequester.federation.identity import Home, open_home
from sequester.federation.masks import mask_of
from sequester.federation.rounds import (
    END,
    Read,
    accepted_file,
    answer_file,
    end_of,
    missing_acceptances,
    question_file,
    read_questions,
    require_derived,
    split,
    steps_to_send,
    summed,
    waiting,
)
from sequester.federation.signed_files import canonical, come, digest, opened, packed, put, read_file, send, signed
from sequester.federation.study import COORDINATOR, STUDY, Study, private_home, read_study
from sequester.publication import publish
from sequester.query.bundle import Bundle
from sequester.release import Release

PAUSE_SECONDS = 0.2


class Waiting(Exception):
    """The study cannot go on yet; the sentence says for whom it waits."""


@dataclass
class _Rounds:
    """The coordinator at work: every question is kept before it is sent, and is never asked in another way."""

    study: Study
    home: Home
    folder: Path
    wait: bool
    noise: Any
    number: int = 0
    drawn: int = 0
    """Steps of noise that earlier questions were given."""
    released: Any = None
    """What was released after the round before, as the next question tells it."""

    def shared(self, name: str) -> bytes | None:
        """A file in the folder of the study."""
        return come(self.folder / name, wait=self.wait)

    def keep(self, name: str, body: dict[str, Any]) -> bytes:
        """Keep a file in the private folder, then send it."""
        path, raw = self.home.study_folder(self.study.digest) / name, signed(body, self.home.key)
        if read_file(path) is None and self.sent_before(name, body) not in (None, raw):
            raise InputError(
                f"federation: '{name}' was sent already with other numbers, and '{self.home.folder.name}' does not "
                "know it any more. Nothing was sent; restore that folder: noise is never drawn twice."
            )
        kept = put(path, raw, private=True)
        send(self.folder / name, kept)
        return kept

    def sent_before(self, name: str, body: dict[str, Any]) -> bytes | None:
        """What we sent of this round, if it is still there; not what somebody else put in its place."""
        try:
            sent = self.shared(name)
            found, _ = opened(sent or b"", name, self.study.signer(COORDINATOR))
        except InputError:
            return None
        return sent if [found.get(key) for key in ("study", "round")] == [body["study"], body.get("round")] else None

    def ask(self, items: Sequence[Item]) -> list[np.ndarray]:
        """One round: the question, then the sum of the answers."""
        number, study = self.number, self.study
        body = {
            "study": study.digest, "round": number, "released": self.after(),
            "items": [item.about for item in items],
        }  # fmt: skip
        question = require_derived(self.keep(question_file(number), body), number, items)
        while True:
            read = cache(self.shared)  # what is added up is what is kept
            total, lacking = summed(study, read, number, question, items)
            if total is not None:
                break
            self.pause(f"Round {number}: {waiting(lacking, 'to answer')}.")
        self.require_unchanged(number, read)
        if study.sites.trusted:
            total = total + mask_of(COORDINATOR, self.home.mask, study.members, study.digest, question, len(total))
        self.released, self.number = packed(total), number + 1
        return split(total.view(np.int64), items)

    def require_unchanged(self, number: int, read: Read) -> None:
        """Refuse answers that are others than those which were added up before: noise is never drawn for both."""
        now = {site: digest(read(answer_file(number, site)) or b"") for site in self.study.names}
        path = self.home.study_folder(self.study.digest) / f"{number:04d}.answers.json"
        before = json.loads(put(path, canonical(now), private=True))
        if odd := [site for site in now if before.get(site) != now[site]]:
            raise InputError(
                f"federation: the answer to question {number} of {', '.join(odd)} was replaced after it was used. "
                "Nothing was published; have the first one put back."
            )

    def after(self) -> Any:
        """What was released since the last question."""
        if not self.study.sites.trusted:
            return self.released
        steps = self.noise.transcript[self.drawn :]
        self.drawn = len(self.noise.transcript)
        return steps_to_send(steps)

    def pause(self, why: str) -> None:
        """Wait a little, or say for whom."""
        if not self.wait:
            raise Waiting(why)
        time.sleep(PAUSE_SECONDS)


def coordinator_home(folder: str | Path, private: str | Path = ".") -> Home:
    """The coordinator's keys of a study."""
    home = private_home(folder, private)
    if not home.is_dir():
        raise InputError(
            f"federation: there is no '{home.name}' here, the coordinator's keys. Publish in the folder in which the "
            "study was written."
        )
    return open_home(home)


def measured(folder: str | Path, *, private: str | Path = ".", wait: bool = False) -> tuple[Study, OverSites]:
    """Ask all rounds of a study; what is kept from an earlier run is not asked again."""
    folder = Path(folder)
    study, home = read_study(folder), coordinator_home(folder, private)
    with locked(home.folder):  # of two processes one draws the noise
        return study, _measured(study, home, folder, wait)


def _measured(study: Study, home: Home, folder: Path, wait: bool) -> OverSites:
    private = home.study_folder(study.digest)
    drawing: Any = Noised()
    if study.sites.trusted:
        kept = CheckpointNoise(SecureNoise(), private / "noise", study.digest, resume=True)
        drawing = RecordingNoise(kept)
    rounds = _Rounds(study, home, folder, wait, drawing)
    while lacking := missing_acceptances(study, rounds.shared):
        rounds.pause(f"{waiting(lacking, 'to accept').capitalize()}.")
    method = study.method(private)
    done = method.over_sites(study.sites, study.body["reading"], rounds.ask, drawing)
    rounds.keep(END, {"study": study.digest, "rounds": rounds.number, "released": rounds.after()})
    return done


def publish_study(
    folder: str | Path,
    out: str | Path,
    *,
    private: str | Path = ".",
    wait: bool = False,
    overwrite: bool = False,
    say: Callable[[str], None] = lambda _line: None,
) -> Bundle:
    """Ask what is still to be asked, then draw and publish the release with its transcript: all of it, or nothing.

    Parameters
    ----------
    folder
        The folder of the study.
    out
        The bundle to write.
    private
        Where the coordinator's keys lie; here if nothing is said.
    wait
        Wait for the sites; otherwise `Waiting` says for whom.
    overwrite
        Replace a bundle of that name.
    say
        Gets what to expect of the release.
    """
    try:
        study, done = measured(folder, private=private, wait=wait)
        release: Release = done.release(Randomness(), Engine())
    except (*MALFORMED, MemoryError) as error:
        raise InputError(
            "federation: no release follows from these sums; a site may have sent wrong numbers. Nothing was published."
        ) from error
    for note in release.notes:
        say(str(note))
    release = replace(
        release,
        guarantee=study.promise(release.method),
        federation=study.about,
        reading=study.reading,
        tables={**release.tables, "transcript": transcript_of(study, Path(folder))},
    )
    return publish(release, out, overwrite=overwrite)


def transcript_of(study: Study, folder: Path) -> pa.Table:
    """Every file of a study that has ended, as it was signed."""
    questions, _ = read_questions(study, lambda name: read_file(folder / name))
    names = [STUDY, *map(accepted_file, study.names), END]
    for number in range(len(questions)):
        names += [question_file(number), *(answer_file(number, site) for site in study.names)]
    texts = [(read_file(folder / name) or b"").decode("ascii") for name in names]
    return pa.table({"file": pa.array(names, pa.string()), "text": pa.array(texts, pa.string())})


def status(folder: str | Path) -> tuple[str, ...]:
    """How a study stands, from what lies in its folder."""
    folder = Path(folder)
    study = read_study(folder)

    def shared(name: str) -> bytes | None:
        return read_file(folder / name)

    lines = (f"A study of {len(study.names)} sites with {study.body['method']}.", f"The words: {study.words}")
    if lacking := missing_acceptances(study, shared):
        return (*lines, f"{waiting(lacking, 'to accept').capitalize()}.")
    questions, _ = read_questions(study, shared)
    if end_of(study, shared) is not None:
        return (*lines, f"It has ended after {len(questions)} rounds.")
    last = len(questions) - 1
    lacking = [site for site in study.names if last >= 0 and shared(answer_file(last, site)) is None]
    if not questions or not lacking:
        return (*lines, f"Round {len(questions)}: waiting for the coordinator.")
    return (*lines, f"Round {last}: {waiting(lacking, 'to answer')}.")
