"""Attacks by what somebody knows of a note: a sentence, five words, a rare combination of common words.

And two without any knowledge: which two notes are of one person, and which word stood in a gap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from sequester.attacks.outcome import INFERENCE, LINKABILITY, SINGLING_OUT, Outcome, Scene
from sequester.attacks.text import control_texts, own_document, released_texts, sought
from sequester.layouts.documents import Documents
from sequester.model import Corpus

WORD = re.compile(r"\w+")
SENTENCE = re.compile(r"[^.!?\n。]+")
WORDS = 5
"""Words of a known row, and the fewest of a known sentence."""
COMBINED = 3
"""Words of a known combination."""
TRIES = 30
"""Combinations drawn in search of a rare one."""
GAP = re.compile(r"\[…\]|\[[A-Z_]+\]|★+")
Known = Callable[[int, Corpus, np.random.Generator], "Sequence[str] | None"]


def attack_known_words(scene: Scene) -> list[Outcome]:
    """Find the note of somebody of whom a sentence, five words in a row, or three common words are known."""
    if (here := sought(scene)) is None:
        return []
    source, texts, k = here.source, here.texts, here.k
    common = _Common(source, k or 2)
    ways: list[tuple[str, Known, bool, bool, str]] = [
        ("a known sentence", _sentence, False, False,
         "The note that shows most rows of three words of a known sentence is the target's own."),
        ("five known words in a row", _row, True, here.runs_covered,
         "The note picked among those that show five known words in a row is the target's own."),
        ("three common words known", common.rare, False, False,
         f"Three words that {k or 2} notes or more have each, and one note together: the note that shows most is it."),
    ]  # fmt: skip
    released = _Released(list(texts.values()))
    outcomes = []
    for name, known, whole, covered, says in ways:
        rng = scene.rng(f"text {name}")
        won, trials = _found(scene, source, known, released, rng, whole, here.goals)
        lost, control_trials = None, 0
        if control := control_texts(scene):
            strangers, there = control
            theirs = _Common(strangers, k or 2).rare if known == common.rare else known
            goals = rng.integers(len(there), size=strangers.n_records).tolist()
            lost, control_trials = _found(scene, strangers, theirs, _Released(there), rng, whole, goals)
        if trials:
            outcomes.append(
                Outcome(
                    name=f"found by {name}", test=SINGLING_OUT, successes=won, trials=trials, control_successes=lost,
                    control_trials=control_trials, baseline=1 / len(texts), bound=1 / k if k else None, covered=covered,
                    says=says,
                )
            )  # fmt: skip
    return outcomes


def _found(
    scene: Scene, source: Corpus, known: Known, released: _Released, rng: np.random.Generator, whole: bool,
    goals: Sequence[int],
) -> tuple[float, int]:  # fmt: skip
    won, trials = 0.0, 0
    for i in scene.targets(source.n_records, rng):
        words = known(int(i), source, rng)
        goal = goals[int(i)]
        if words is None or goal < 0:
            continue
        trials += 1
        hits = released.with_run(words[0]) if whole else released.best(words)
        if goal in hits:
            won += 1 / len(hits)
    return won, trials


class _Released:
    """What released texts show, by word and by three words in a row."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.where: dict[tuple[str, ...], set[int]] = {}
        for i, text in enumerate(texts):
            for piece in GAP.split(text):
                words = [word.lower() for word in WORD.findall(piece)]
                for j, word in enumerate(words):
                    self.where.setdefault((word,), set()).add(i)
                    if j + 3 <= len(words):
                        self.where.setdefault(tuple(words[j : j + 3]), set()).add(i)

    def with_run(self, run: str) -> set[int]:
        """Texts that show a run as it stands."""
        return {i for i, text in enumerate(self.texts) if run in text}

    def best(self, keys: Iterable[str]) -> set[int]:
        """Texts that show most of some words or rows (joined by a blank)."""
        seen = Counter(i for key in keys for i in self.where.get(tuple(key.split(" ")), ()))
        most = max(seen.values(), default=0)
        return {i for i, n in seen.items() if n == most}


def _sentence(i: int, source: Corpus, rng: np.random.Generator) -> Sequence[str] | None:
    sentences = [WORD.findall(s.lower()) for s in SENTENCE.findall(source.text(i))]
    sentences = [s for s in sentences if len(s) >= WORDS]
    if not sentences:
        return None
    words = sentences[int(rng.integers(len(sentences)))]
    return [" ".join(words[j : j + 3]) for j in range(len(words) - 2)]


def _row(i: int, source: Corpus, rng: np.random.Generator) -> Sequence[str] | None:
    text = source.text(i)
    found = [m.span() for m in WORD.finditer(text)]
    if len(found) < WORDS:
        return None
    at = int(rng.integers(len(found) - WORDS + 1))
    return [text[found[at][0] : found[at + WORDS - 1][1]]]


class _Common:
    """Words that k documents or more have, and combinations of them that one document alone has."""

    def __init__(self, source: Corpus, k: int) -> None:
        self.words = [{word.lower() for word in WORD.findall(text)} for text in source.texts]
        count = Counter(word for words in self.words for word in words)
        self.common = {word for word, n in count.items() if n >= k and not word.isdecimal()}
        self.where: dict[str, set[int]] = {word: set() for word in self.common}
        for i, words in enumerate(self.words):
            for word in words & self.common:
                self.where[word].add(i)

    def rare(self, i: int, _source: Corpus, rng: np.random.Generator) -> Sequence[str] | None:
        """Three common words that only document `i` has together, if some draws find them."""
        mine = sorted(self.words[i] & self.common)
        for _ in range(TRIES if len(mine) >= COMBINED else 0):
            drawn = [mine[j] for j in rng.choice(len(mine), COMBINED, replace=False)]
            if len(set.intersection(*(self.where[word] for word in drawn))) == 1:
                return drawn
        return None


def attack_two_notes(scene: Scene) -> list[Outcome]:
    """Given one released note, the most similar other one is of the same person."""
    source = scene.source
    assert isinstance(source, Corpus)
    texts, own = released_texts(scene.claim), own_document(scene.claim)
    if not texts or not own or not source.people_known or source.n_people == source.n_records:
        return []
    person = {own[str(d)]: str(p) for d, p in zip(source.documents, source.persons) if str(d) in own}
    names = list(texts)
    n_notes = Counter(person[name] for name in names if name in person)
    cut = [Counter(word.lower() for piece in GAP.split(texts[name]) for word in WORD.findall(piece)) for name in names]
    documents = Counter(word for words in cut for word in words)
    weight = {word: float(np.log(len(names) / n)) for word, n in documents.items()}
    vectors = [{word: n * weight[word] for word, n in words.items() if weight[word]} for words in cut]
    length = [float(np.sqrt(sum(v * v for v in vector.values()))) or 1.0 for vector in vectors]
    where: dict[str, list[tuple[int, float]]] = {}
    for j, vector in enumerate(vectors):
        for word, value in vector.items():
            where.setdefault(word, []).append((j, value / length[j]))
    rng = scene.rng("text two notes")
    several = [j for j, name in enumerate(names) if n_notes[person.get(name, "")] > 1]
    won, blind, trials = 0.0, 0.0, 0
    for at in scene.targets(len(several), rng):
        j = several[int(at)]
        score = np.zeros(len(names))
        for word, value in vectors[j].items():
            for other, theirs in where[word]:
                score[other] += value * theirs
        score[j] = -1.0
        best = np.flatnonzero(score == score.max())
        mine = person[names[j]]
        won += sum(person.get(names[b]) == mine for b in best) / len(best)
        blind += (n_notes[mine] - 1) / (len(names) - 1)
        trials += 1
    if not trials:
        return []
    told = " The release names the notes of one person itself (table owners)." if "owners" in scene.claim.tables else ""
    return [
        Outcome(
            name="two notes of one person", test=LINKABILITY, successes=won, trials=trials, baseline=blind / trials,
            covered=False, says="The released note most similar to a given one is of the same person." + told,
        )
    ]  # fmt: skip


def attack_gaps(scene: Scene) -> list[Outcome]:
    """Guess the word in a gap from the visible words on both sides of it."""
    source = scene.source
    assert isinstance(source, Corpus)
    documents = Documents.read(scene.claim)
    if documents is None or documents.original is None or documents.hidden is None:
        return []
    seen: dict[tuple[str, str], Counter[str]] = {}
    common: Counter[str] = Counter()
    for text in documents.texts:
        for piece in GAP.split(text):
            words = WORD.findall(piece)
            common.update(words)
            for before, word, after in zip(words, words[1:], words[2:]):
                seen.setdefault((before, after), Counter())[word] += 1
    often = common.most_common(1)[0][0] if common else ""
    won = blind = trials = 0
    rng = scene.rng("text gaps")
    for i in scene.targets(source.n_records, rng):
        text = source.text(int(i))
        hidden = documents.hidden.get(documents.original.get(str(source.documents[int(i)]), ""), [])
        for start, end in hidden:
            words = WORD.findall(text[start:end])
            before, after = WORD.findall(text[max(0, start - 40) : start]), WORD.findall(text[end : end + 40])
            if len(words) != 1 or not before or not after:
                continue
            trials += 1
            there = seen.get((before[-1], after[0]))
            guess = there.most_common(1)[0][0] if there else often
            won += guess == words[0]
            blind += often == words[0]
    if not trials:
        return []
    return [
        Outcome(
            name="hidden words restored", test=INFERENCE, successes=float(won), trials=trials, baseline=blind / trials,
            covered=False,
            says="A hidden word is the one most often seen between its two visible neighbours elsewhere.",
        )
    ]  # fmt: skip
