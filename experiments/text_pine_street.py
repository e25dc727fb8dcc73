"""Rare private phrases made of common words ("Pine street"): which method leaves them whole?"""

import json
import random
import re
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

import sequester as sq
from experiments import s002_text as corpora
from sequester.model import Corpus
from sequester.utility.text_alignment import kept_characters

TITLE = "Pine street: rare private phrases made of common words"
PAPER = "beyond Matsubara, Hasida 2014"
NOTE = """MEDDOCAN, all 1,000 notes, every note a person, k = 4. A phrase is a labelled private span of two words or
more; at least k notes have each of its words, and fewer than k have the phrase. `whole` counts phrases of which
every letter and digit can be read, `half` those of which at least half can. Counting words one by one
(`word-frequency`) cannot see such phrases; `k-repeats` counts whole stretches and leaves none. `k-words` promises
nothing about combinations of common words: what hides them there is the search, and the tagger where there are
labels. The 25 labelled notes are left out of the last row; their labels are hidden as they are."""

K = 4
LABELS = 25


def run() -> Iterator[dict]:
    """A row per method."""
    notes = corpora.meddocan()
    data = Corpus.from_texts(notes.texts)
    phrases = rare_phrases(notes)
    words = {"k": K, "unit": "document", "language": "es"}
    yield {"method": "word-frequency", **_left(data, phrases, sq.WordFrequency(k=K, unit="document"))}
    yield {"method": "k-repeats", **_left(data, phrases, sq.KRepeats(k=K, unit="document"))}
    yield {"method": "k-words", **_left(data, phrases, sq.KWords(**words))}
    chosen = random.Random(0).sample(range(data.n_records), LABELS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.jsonl"
        rows = [{"document": str(i + 1), "spans": [list(span) for span in notes.spans[i]]} for i in chosen]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        others = [phrase for phrase in phrases if phrase[0] not in set(chosen)]
        method = sq.KWords(**words, labels=str(path))
        yield {"method": f"k-words, {LABELS} labelled notes", **_left(data, others, method)}


def rare_phrases(notes: corpora.Labelled) -> list[tuple[int, int, int]]:
    """Note, start and end of each."""
    users: dict[str, set[int]] = {}
    for i, text in enumerate(notes.texts):
        for word in set(re.findall(r"\w+", text)):
            users.setdefault(word, set()).add(i)
    out, held = [], dict[str, int]()
    for i, spans in enumerate(notes.spans):
        for start, end, *_ in spans:
            phrase = notes.texts[i][start:end]
            words = re.findall(r"\w+", phrase)
            if len(words) < 2 or any(len(users.get(word, ())) < K for word in words):
                continue
            if phrase not in held:
                held[phrase] = sum(phrase in text for text in notes.texts)
            if held[phrase] < K:
                out.append((i, start, end))
    return out


def _left(data: Corpus, phrases: list[tuple[int, int, int]], method: sq.Method) -> dict:
    kept = kept_characters(data, sq.anonymize(data, method, seed=1))
    texts = data.texts
    shown = [kept[a:b] for a, b in pairwise(np.cumsum([0, *map(len, texts)]).tolist())]
    whole = half = 0
    for i, start, end in phrases:
        ink = np.array([c.isalnum() for c in texts[i][start:end]], dtype=bool)
        visible = int(shown[i][start:end][ink].sum())
        whole += visible == ink.sum()
        half += 2 * visible >= ink.sum()
    return {"phrases": len(phrases), "whole": whole, "half": half, "kept": float(kept.mean())}
