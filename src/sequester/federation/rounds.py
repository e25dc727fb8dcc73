"""Rounds of a study, followed from its files: what was asked, what was released, and what must come next.

Everything that is asked follows from the study and from what was released before. So a site does not look at what a
question says: it works the question out by itself, with its sizes, clips and noise, and compares. Whoever verifies a
bundle does the same with the transcript.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import length_hint
from typing import Any

import numpy as np

from sequester.dp.noise import ReplayNoise
from sequester.dp.sites import MOST_NUMBERS, Item, Noised, OverSites
from sequester.errors import MALFORMED, InputError, ReplayError, counted
from sequester.federation.signed_files import body_of, canonical, digest, opened, packed, unpacked
from sequester.federation.study import COORDINATOR, Study
from sequester.method import Method

MOST_ROUNDS = 100
END = "end.json"
ANSWER = {"study", "round", "question", "site", "numbers"}
"""What an answer holds."""

Read = Callable[[str], bytes | None]
"""The file of that name in the shared folder, or in a transcript."""


def question_file(number: int) -> str:
    """Name of the file of a question."""
    return f"{number:04d}.question.json"


def answer_file(number: int, site: str) -> str:
    """Name of the file of an answer."""
    return f"{number:04d}.{site}.answer.json"


def accepted_file(site: str) -> str:
    """Name of the file with which a site takes part."""
    return f"accepted-{site}.json"


class Open(Exception):
    """A round that was not answered yet."""

    def __init__(self, items: Sequence[Item]) -> None:
        super().__init__()
        self.items = items


@dataclass
class Followed:
    """How far a study has come by its files."""

    asked: list[Sequence[Item]] = field(default_factory=list)
    """Items of every round, the open one last."""
    done: OverSites | None = None
    """What was measured, once nothing is open."""


def follow(study: Study, method: Method, released: Sequence[Any]) -> Followed:
    """Run the method on what was released after each round; stops where nothing more was."""
    out = Followed()
    shares = not study.sites.trusted
    drawn = [] if shares else [_drawn(steps) for steps in released]
    to_come: Any = iter([step for steps in drawn for step in steps])
    noise: Any = Noised() if shares else ReplayNoise(to_come)

    def require_used_up(at: int) -> None:
        """Nothing was released by then but what the method drew: a step more could say anything."""
        if length_hint(to_come) != sum(map(len, drawn[at:])):
            raise InputError("federation: more was released than was asked for. Nothing was sent; ask the coordinator.")

    def ask(items: Sequence[Item]) -> list[np.ndarray]:
        out.asked.append(items)
        at = len(out.asked) - 1
        require_used_up(at)
        if at >= MOST_ROUNDS or sum(item.size for item in items) > MOST_NUMBERS:
            raise InputError("federation: the study asks for more numbers than a study may. Nothing was sent.")
        if at == len(released):
            raise Open(items)
        if not shares:
            return [np.zeros(item.size, np.int64) for item in items]
        whole = unpacked(released[at], sum(item.size for item in items), "what was released")
        return split(whole.view(np.int64), items)

    try:
        out.done = method.over_sites(study.sites, study.body["reading"], ask, noise)
        require_used_up(len(drawn))
    except Open:
        pass
    except (ReplayError, *MALFORMED):
        if not released:  # nobody can have said anything yet
            raise
        raise InputError("federation: what was released is not what was asked for. Nothing was sent.") from None
    return out


def split(whole: np.ndarray, items: Sequence[Item]) -> list[np.ndarray]:
    """The numbers of a round, item by item."""
    return np.split(whole, np.cumsum([item.size for item in items])[:-1])


def _drawn(steps: Any) -> list[dict[str, Any]]:
    """What a trusted coordinator's noise gave after a round, step by step: spelled as it is sent, nothing beside."""
    out: list[dict[str, Any]] = []
    try:
        for step in steps:
            found = step["out"]
            if type(found) is not int:
                found = unpacked(found["of"], int(found["n"]), "what was released").view(np.int64)
            out.append({"kind": step["kind"], "name": step["name"], "out": found})
        fine = canonical(steps_to_send(out)) == canonical(steps)
    except (KeyError, TypeError, ValueError):
        fine = False
    if not fine:
        raise InputError("federation: what was released cannot be read. Get the files again.")
    return out


def steps_to_send(transcript: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Steps of a trusted coordinator's noise as they travel; names and results alone, never what went in."""
    return [
        {
            "kind": step["kind"],
            "name": step["name"],
            "out": step["out"] if isinstance(step["out"], int) else {"n": len(step["out"]), "of": packed(step["out"])},
        }
        for step in transcript
    ]


def read_questions(study: Study, read: Read) -> tuple[list[bytes], list[Any]]:
    """The questions that were asked, one after the other, and what was released after each round before."""
    questions: list[bytes] = []
    released: list[Any] = []
    while len(questions) < MOST_ROUNDS and (raw := read(question_file(len(questions)))) is not None:
        name = question_file(len(questions))
        body, _ = opened(raw, name, study.signer(COORDINATOR))
        nothing: Any = [] if study.sites.trusted else None
        early = not questions and body.get("released") != nothing  # before the first answer there is nothing to release
        if body.keys() != {"study", "round", "released", "items"} or not _is_round(body, len(questions)) or early:
            raise InputError(f"federation: '{name}' is not question {len(questions)} of a study. Get the file again.")
        _same_study(study, body, name)
        if questions:
            released.append(body["released"])
        questions.append(raw)
    return questions, released


def end_of(study: Study, read: Read) -> Any:
    """What was released after the last round; None while the study goes on, or its questions have not come yet."""
    raw = read(END)
    if raw is None:
        return None
    body, _ = opened(raw, END, study.signer(COORDINATOR))
    _same_study(study, body, END)
    if body.keys() != {"study", "rounds", "released"}:
        raise InputError(f"federation: '{END}' does not hold what such a file holds. Get the file again.")
    asked, rounds = len(read_questions(study, read)[0]), body["rounds"]
    if type(rounds) is not int or not 0 < rounds >= asked:
        raise InputError(f"federation: '{END}' tells of another number of rounds than {asked}. Ask the coordinator.")
    return body["released"] if rounds == asked else None


def require_derived(question: bytes, number: int, items: Sequence[Item]) -> str:
    """Refuse a question that is not the one which follows; returns its digest."""
    line = body_of(question)
    body, _ = opened(question, question_file(number))
    if canonical(body["items"]) != canonical([item.about for item in items]):
        raise InputError(
            f"federation: question {number} is not the one that follows from the study and from what was released. "
            "Nothing was sent; ask the coordinator."
        )
    return digest(line)


def read_answer(study: Study, read: Read, number: int, question: str, site: str, size: int) -> np.ndarray | None:
    """A site's masked numbers for a question; None where there is no answer yet."""
    name = answer_file(number, site)
    raw = read(name)
    if raw is None:
        return None
    body, _ = opened(raw, name, study.signer(site))
    if body.keys() != ANSWER or body["site"] != site:
        raise InputError(f"federation: '{name}' is not an answer of '{site}'. Get the file again.")
    _same_study(study, body, name)
    if not _is_round(body, number) or body["question"] != question:
        raise InputError(f"federation: '{name}' answers another question. Nothing was published; get the file again.")
    return unpacked(body["numbers"], size, f"'{name}'")


def summed(
    study: Study, read: Read, number: int, question: str, items: Sequence[Item]
) -> tuple[np.ndarray | None, list[str]]:
    """The sum of all sites' masked numbers modulo 2**64, or the sites that have not answered yet."""
    size = sum(item.size for item in items)
    answers = {site: read_answer(study, read, number, question, site, size) for site in study.names}
    lacking = [site for site, found in answers.items() if found is None]
    if lacking:
        return None, lacking
    total = np.zeros(size, np.uint64)
    for found in answers.values():
        assert found is not None
        total = total + found
    return total, []


def require_sum(study: Study, read: Read, number: int, question: str, items: Sequence[Item], released: Any) -> None:
    """What is said to be released is the sum of all answers, wherever all of them are at hand."""
    total, _ = (None, []) if study.sites.trusted else summed(study, read, number, question, items)
    if total is not None and packed(total) != released:
        raise InputError(
            f"federation: what is said to be released after round {number} is not the sum of the answers. Nothing was "
            "sent; ask the coordinator."
        )


def missing_acceptances(study: Study, read: Read) -> list[str]:
    """Sites that have not accepted yet."""
    out = []
    for site in study.names:
        raw = read(accepted_file(site))
        if raw is None:
            out.append(site)
            continue
        body, _ = opened(raw, accepted_file(site), study.signer(site))
        _same_study(study, body, accepted_file(site))
        if body != {"study": study.digest, "site": site, "words": study.words}:
            raise InputError(f"federation: '{accepted_file(site)}' does not hold what such a file holds.")
    return out


def _is_round(body: dict[str, Any], number: int) -> bool:
    """Whether a file is of this round; `true` and `1.0` do not number a round."""
    return type(body["round"]) is int and body["round"] == number


def _same_study(study: Study, body: dict[str, Any], name: str) -> None:
    if body.get("study") != study.digest:
        raise InputError(f"federation: '{name}' belongs to another study. Get the file again.")


def waiting(names: Sequence[str], for_what: str) -> str:
    """Who is still waited for, in words."""
    return f"waiting for {counted(len(names), 'site')} {for_what}: {', '.join(names)}"
