"""k-words beside k-repeats and word-frequency: text kept, private text hidden, notes found by five words."""

import json
import random
import re
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

import sequester as sq
from experiments import s002_text as corpora
from sequester.model import Corpus
from sequester.utility.text_alignment import kept_characters

TITLE = "k-words: readable text for partners, beside k-repeats and word-frequency"
PAPER = "beyond Matsubara, Hasida 2014"
NOTE = """The last 200 documents of each corpus; every document is a person, k = 4. `hidden` is the share of private
letters and digits that are hidden, `kept` the share of the other letters and digits that stay, `whole` the share of
labelled spans left wholly visible. With labels, the labelled documents are drawn at random and left out of the
scores. `windows` are visible rows of five words, drawn at random; `alone` is the share of them that stand in one
original only: who knows these five words finds the note. A phrase is *rare made of common words* if at least two
words make it, at least k documents use each of them, and fewer than k have the phrase ("Pine street"): `phrases
whole` counts those left whole. The rules were written and tuned on MEDDOCAN's development notes; its headers are
invented and flatter the rule for fields. No German or French text was at hand. `judge` is the verdict from the
release alone, `seconds` CPU time, with other work beside it."""

K = 4
WORDS = 5
WINDOWS = 20
"""Windows looked up per document."""
CORPORA = (
    ("MEDDOCAN", corpora.meddocan, "es", 25),
    ("Presidio", corpora.presidio, "en", 25),
    ("Japanese NER", corpora.japanese_names, "ja", 25),
)
"""Name, loader, language, labelled documents."""
LIMIT = 200
"""Documents of each corpus."""


def run() -> Iterator[dict]:
    """A row per corpus and method."""
    for name, load, language, n_labels in CORPORA:
        told = load()
        told = corpora.Labelled(told.texts[-LIMIT:], told.spans[-LIMIT:])
        data = Corpus.from_texts(told.texts)
        base = {"corpus": name}
        yield {**base, **_row("word-frequency", data, told.spans, sq.WordFrequency(k=K, unit="document"))}
        yield {**base, **_row("k-repeats", data, told.spans, sq.KRepeats(k=K, unit="document"))}
        words = {"k": K, "unit": "document", "language": language}
        yield {**base, **_row("k-words", data, told.spans, sq.KWords(**words))}
        chosen = random.Random(0).sample(range(data.n_records), n_labels)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "labels.jsonl"
            rows = [{"document": str(i + 1), "spans": [list(span) for span in told.spans[i]]} for i in chosen]
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
            method = sq.KWords(**words, labels=str(path))
            yield {**base, **_row(f"k-words, {n_labels} labels", data, told.spans, method, leave_out=set(chosen))}


def _row(setting: str, data: Corpus, spans: list, method: sq.Method, leave_out: frozenset | set = frozenset()) -> dict:
    began = time.process_time()
    release = sq.anonymize(data, method, seed=1)
    seconds = time.process_time() - began
    kept = kept_characters(data, release)
    texts = data.texts
    at = np.cumsum([0] + [len(text) for text in texts])
    shown = [kept[a:b] for a, b in pairwise(at.tolist())]
    scored = [i for i in range(len(texts)) if i not in leave_out]
    return {
        "method": setting,
        **_scores(texts, spans, shown, scored),
        **_windows(texts, shown, scored),
        **_phrases(texts, spans, shown, scored),
        "judge": sq.verify(release).result,
        "seconds": round(seconds, 1),
    }


def _scores(texts: list, spans: list, shown: list, scored: list) -> dict:
    private = visible = others = other_visible = n_spans = whole = 0
    for i in scored:
        ink = np.array([c.isalnum() for c in texts[i]], dtype=bool)
        marked = np.zeros(len(texts[i]), dtype=bool)
        for start, end, *_ in spans[i]:
            marked[start:end] = True
            size = int(ink[start:end].sum())
            n_spans += size > 0
            whole += size > 0 and int((ink & shown[i])[start:end].sum()) == size
        private += int((ink & marked).sum())
        visible += int((ink & marked & shown[i]).sum())
        others += int((ink & ~marked).sum())
        other_visible += int((ink & ~marked & shown[i]).sum())
    return {"hidden": 1 - visible / private, "kept": other_visible / others, "whole": whole / n_spans}


def _windows(texts: list, shown: list, scored: list) -> dict:
    """Visible rows of five words in a row, and how many of them stand in one original only."""
    where: dict[tuple, set] = {}
    cut = [re.findall(r"\w+", text) for text in texts]
    for i, words in enumerate(cut):
        for j in range(len(words) - WORDS + 1):
            where.setdefault(tuple(words[j : j + WORDS]), set()).add(i)
    rng = random.Random(1)
    n = alone = 0
    for i in scored:
        at, visible = 0, []
        for word in cut[i]:
            at = texts[i].find(word, at)
            visible.append(bool(shown[i][at : at + len(word)].all()))
            at += len(word)
        rows = [j for j in range(len(visible) - WORDS + 1) if all(visible[j : j + WORDS])]
        for j in rng.sample(rows, min(WINDOWS, len(rows))):
            n += 1
            alone += len(where[tuple(cut[i][j : j + WORDS])]) == 1
    return {"windows": n, "alone": alone / n if n else None}


def _phrases(texts: list, spans: list, shown: list, scored: list) -> dict:
    """Rare private phrases of common words, and how many are left whole."""
    users: dict[str, set] = {}
    for i, text in enumerate(texts):
        for word in set(text.split()):
            users.setdefault(word, set()).add(i)
    n = whole = 0
    held: dict[str, int] = {}
    for i in scored:
        for start, end, *_ in spans[i]:
            phrase = texts[i][start:end]
            words = phrase.split()
            if len(words) < 2 or any(len(users.get(word, ())) < K for word in words):
                continue
            if phrase not in held:
                held[phrase] = sum(phrase in text for text in texts)
            if held[phrase] < K:
                n += 1
                ink = np.array([c.isalnum() for c in phrase], dtype=bool)
                whole += bool(shown[i][start:end][ink].all())
    return {"phrases": n, "phrases whole": whole}
