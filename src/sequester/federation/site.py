"""A site: accepts a study, answers its questions once each, and looks whether a release is the one it answered for."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sequester.accounts import open_account
from sequester.bundle.lock import locked
from sequester.charging import people_of
from sequester.dp.noise import Noise, SecureNoise
from sequester.dp.sites import share_scale, with_share
from sequester.errors import InputError, counted
from sequester.federation.identity import Home, open_home
from sequester.federation.masks import mask_of
from sequester.federation.rounds import (
    ANSWER,
    accepted_file,
    answer_file,
    end_of,
    follow,
    missing_acceptances,
    read_questions,
    require_derived,
    require_sum,
    waiting,
)
from sequester.federation.signed_files import body_of, come, digest, opened, packed, put, read_file, send, signed
from sequester.federation.study import Study, home_of, read_study
from sequester.guarantees.differential_privacy import EXPERIMENTAL
from sequester.method import Method
from sequester.model import Data

PAUSE_SECONDS = 0.2
Reader = Callable[[str, Mapping[str, Any]], Data]
"""Reads a source in the roles of its columns."""


@dataclass(frozen=True)
class Acceptance:
    """What a custodian must know before a study counts."""

    study: Study
    lines: tuple[str, ...]
    accepted: bool


def the_home(folder: str | Path | None) -> Home:
    """The site's keys: the folder that is named, or the only `*.site` here."""
    if folder is not None:
        return open_home(Path(folder))
    found = sorted(Path().glob("*.site"))
    if len(found) != 1:
        raise InputError(
            f"federation: there are {len(found)} folders NAME.site here. Say which keys are yours: ‹site=NAME.site›."
        )
    return open_home(found[0])


def accept(
    folder: str | Path,
    source: str | Path,
    roles: Mapping[str, Any],
    *,
    read: Reader,
    words: str | None = None,
    site: str | Path | None = None,
    population: str = "",
) -> Acceptance:
    """Look at a study, and with the twelve words of another custodian take part: then it is charged, and counts.

    Parameters
    ----------
    folder
        The folder of the study.
    source
        The site's own data; it is read here and never leaves.
    roles
        Of its columns; what all sites read alike comes from the study.
    read
        Reads the source.
    words
        The twelve words as another custodian read them out. Without them nothing is charged and nothing counts.
    site
        The folder of the site's keys.
    population
        Whose account is charged.
    """
    study, home = read_study(folder), the_home(site)
    name = home_of(study, home)
    private = home.study_folder(study.digest)
    method = study.method(private)
    roles = _roles(study, method.roles(roles))
    method.require_told(roles)
    data = read(str(source), roles)
    method.require_declared(data)
    answers = method.site_answers(data, study.sites, study.body["reading"])
    mask_of(name, home.mask, study.members, study.digest, "", 0)  # all keys can be used
    _rehearse(study, method, answers)
    promise, cost = study.promise(method), study.cost(method)
    before = _earlier(home, study)
    lines = (
        f"{promise.level} by {method.id}. {promise.statement}",
        EXPERIMENTAL[0],
        f"The roll: {', '.join(study.names)}.",
        *before,
        f"Your account will be charged for {counted(data.n_people, 'person', 'people')}, the whole promise at once.",
        f"Compare the words with {', '.join(_others(study, name))}.",
        f"The words: {study.words}",
    )
    if words is None:
        return Acceptance(study, lines, accepted=False)
    if (heard := len(words.split())) != 12:
        raise InputError(
            "federation: ‹words=› takes the 12 words that another custodian read out, or a file with them; found "
            f"{counted(heard, 'word')}. Nothing was charged."
        )
    if words.lower().split() != study.words.split():
        raise InputError(
            "federation: these are not the twelve words of this study. Somebody has another study than you: compare "
            "them again by telephone. Nothing was charged."
        )
    with locked(home.folder):
        about = {"source": str(Path(source).absolute()), "roles": roles, "data": _fingerprint(source, data)}
        account = open_account(home.folder.absolute().parent, create=True)
        entry = f"study {study.digest[:32]} of {name}"
        account.settle()
        if any(e.bundle == entry for e in account.entries()):
            if json.loads(read_file(private / "source.json") or b"{}").get("data") != about["data"]:
                raise InputError("federation: you accepted this study with other data. Take part with that.")
        else:
            send(private / "source.json", json.dumps(about, sort_keys=True).encode(), private=True)
            kept = account.reserve(
                entry, people_of(data), promise, kind=method.accepts.kind, method=method.id, cost=cost,
                population=population,
            )  # fmt: skip
            try:
                kept.about_to_publish(study.digest)
                kept.published()
            except BaseException:
                kept.given_back()
                raise
        put(private / "roll.json", json.dumps({"sites": study.names, "method": method.id}).encode(), private=True)
        said = signed({"study": study.digest, "site": name, "words": study.words}, home.key)
        send(Path(folder) / accepted_file(name), put(private / "accepted.json", said, private=True))
    return Acceptance(study, lines, accepted=True)


def answer(
    folder: str | Path,
    *,
    read: Reader,
    site: str | Path | None = None,
    wait: bool = False,
    say: Callable[[str], None] = lambda _line: None,
    noise: Noise | None = None,
) -> str:
    """Answer what was asked, each question once; returns how the study stands.

    Parameters
    ----------
    folder
        The folder of the study.
    read
        Reads the source that was accepted.
    site
        The folder of the site's keys.
    wait
        Go on until the study ends.
    say
        Gets a line for every answer.
    noise
        Of the site; from the operating system if nothing is said.
    """
    study, home = read_study(folder), the_home(site)
    here = _Site(study, home, Path(folder), read, noise or SecureNoise(), say, wait)
    home_of(study, home)
    accepted = read_file(here.private / "accepted.json")
    if accepted is None:
        raise InputError("federation: you have not accepted this study. `sequester federation accept` shows it first.")
    send(here.folder / accepted_file(home.name), accepted)
    while True:
        lacking = missing_acceptances(study, here.shared)
        state = waiting(lacking, "to accept") if lacking else here.answer_all()
        if not wait or state == ENDED:
            return state
        time.sleep(PAUSE_SECONDS)


ENDED = "The study has ended; every question was answered."


@dataclass
class _Site:
    """A site at work."""

    study: Study
    home: Home
    folder: Path
    read: Reader
    noise: Noise
    say: Callable[[str], None]
    wait: bool
    answers: Any = None
    """What answers questions from the site's data, once it was read."""

    @property
    def private(self) -> Path:
        """Where answers are kept before they are sent."""
        return self.home.study_folder(self.study.digest)

    def shared(self, name: str) -> bytes | None:
        """A file in the folder of the study."""
        return come(self.folder / name, wait=self.wait)

    def answer_all(self) -> str:
        """Answer every question that is there; what was answered before is sent again as it was."""
        questions, released = read_questions(self.study, self.shared)
        for number in range(len(questions)):
            name = answer_file(number, self.home.name)
            if (kept := read_file(self.private / name)) is None:
                with locked(self.home.folder):  # of two processes one answers
                    kept = read_file(self.private / name) or self._sent_before(number)
                    kept = kept or self._answered(questions[: number + 1], released[:number])
                self.say(f"Question {number} is answered.")
            body, _ = opened(kept, name, self.study.signer(self.home.name))
            if body["question"] != digest(body_of(questions[number])):
                raise InputError(
                    f"federation: question {number} was answered already, and this is another one. Nothing was sent; "
                    "ask the coordinator."
                )
            send(self.folder / name, kept)
        if end_of(self.study, self.shared) is not None:
            return ENDED
        return f"{counted(len(questions), 'question')} answered; waiting for the coordinator."

    def _sent_before(self, number: int) -> bytes | None:
        """An answer of ours that is in the folder and no longer here: other noise would tell more than was paid for."""
        name = answer_file(number, self.home.name)
        try:
            sent = self.shared(name)
            body, _ = opened(sent or b"", name, self.study.signer(self.home.name))
        except InputError:  # somebody else put it there
            return None
        if sent is None or body.keys() != ANSWER or (body["study"], body["round"]) != (self.study.digest, number):
            return None  # ours, and put in the place of another file
        return put(self.private / name, sent, private=True)

    def _answered(self, questions: list[bytes], released: list[Any]) -> bytes:
        """Work the question out, compare, answer, and keep the answer before it is sent."""
        study, number = self.study, len(questions) - 1
        method = study.method(self.private)
        asked = follow(study, method, released).asked
        if len(asked) <= number:
            raise InputError(f"federation: nothing follows after round {number - 1}. Nothing was sent.")
        digests = [require_derived(q, i, asked[i]) for i, q in enumerate(questions)]
        for i in range(number):
            require_sum(study, self.shared, i, digests[i], asked[i], released[i])
        items = asked[number]
        true = self._answers_of(method)(items)
        if [(a.shape, a.dtype) for a in true] != [((item.size,), np.int64) for item in items]:
            raise InputError("federation: the answer does not have the size of its question. Nothing was sent.")
        noised = [with_share(item, a, study.sites, self.noise) for item, a in zip(items, true, strict=True)]
        whole = np.concatenate(noised).view(np.uint64)
        me = self.home.name
        hidden = whole + mask_of(me, self.home.mask, study.members, study.digest, digests[number], len(whole))
        body = {
            "study": study.digest, "round": number, "question": digests[number], "site": me, "numbers": packed(hidden),
        }  # fmt: skip
        return put(self.private / answer_file(number, me), signed(body, self.home.key), private=True)

    def _answers_of(self, method: Method) -> Any:
        if self.answers is None:
            about = json.loads(read_file(self.private / "source.json") or b"{}")
            data = self.read(about["source"], _roles(self.study, about["roles"]))
            if _fingerprint(about["source"], data) != about["data"]:
                raise InputError(
                    "federation: the source has changed since you accepted. Nothing was sent; put the old one back."
                )
            self.answers = method.site_answers(data, self.study.sites, self.study.body["reading"])
        return self.answers


def _rehearse(study: Study, method: Method, answers: Any) -> None:
    """Before anything is charged: the first question can be answered, and its noise is covered by the proof."""
    items = follow(study, method, []).asked[0]
    answers(items)
    if not study.sites.trusted:
        for item in items:
            share_scale(item, study.sites)


def _others(study: Study, name: str) -> list[str]:
    """Who must hold the same study: all other sites, and a coordinator who will see exact sums."""
    trusted = ["the coordinator, who will see exact sums"] if study.sites.trusted else []
    return [*(site for site in study.names if site != name), *trusted]


def _roles(study: Study, roles: Mapping[str, Any]) -> dict[str, Any]:
    """A site's own roles, and those that all read alike."""
    alike = {k: tuple(v) if isinstance(v, list) else v for k, v in study.body["reading"].items()}
    given = {k: tuple(v) if isinstance(v, list) else v for k, v in roles.items()}
    for name, value in alike.items():
        if given.get(name, value) not in (value, "auto", (), None):
            raise InputError(f"federation: the study says how all sites read {name}. Leave it out.")
    return {**given, **alike}


def _fingerprint(source: str | Path, data: Data) -> list[Any]:
    """Tells whether a source is still the one that was accepted; kept at the site alone."""
    sizes: list[Any] = [data.n_people, data.n_records, data.n_items]
    for path in sorted(p for p in (Path(source), *Path(source).rglob("*")) if p.is_file()):
        with path.open("rb") as file:
            sizes.append(hashlib.file_digest(file, "sha256").hexdigest())
    return sizes


def _earlier(home: Home, study: Study) -> list[str]:
    """Earlier studies of this site with another roll: what differs between two rolls can be told apart."""
    out = []
    for path in sorted(home.folder.glob("*/roll.json")):
        if path.parent.name == study.digest[:32]:
            continue
        roll = json.loads(read_file(path) or b"{}")
        apart = sorted(set(roll.get("sites", ())) ^ set(study.names))
        if apart:
            out.append(
                f"You took part in an earlier study ({roll['method']}) with another roll: {', '.join(apart)} "
                f"{'is' if len(apart) == 1 else 'are'} in one of the two only. Both are charged in full; together they "
                "tell more about those."
            )
    return out
