"""k-words: 1,000 notes of 2.9 M characters within 30 s for rules, tagger and floor, 50 labelled notes learnt in 2 s."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sequester as sq
from benchmarks.growth import exponent
from benchmarks.memory import apart, cost_of, resident
from sequester.model import Corpus

TITLE = "Speed of k-words"
NOTE = """MEDDOCAN's notes, every note a person, k = 4, one thread, each row in a process of its own after a warm-up.
CPU seconds: other work on the machine disturbs the clock on the wall more. With labels the tagger is trained six times,
five of them to measure its recall. `peak` is memory beyond the idle process per byte of text. `learn` is one training
on notes that were cut before, as in a round of `sequester label`. `exponent` is fitted over all sizes by least squares:
1 is linear."""
ALONE = True
SIZES = (250, 500, 1000)
LABELS = 25


def run() -> Iterator[dict[str, Any]]:
    """A row per size without and with labels, how both grow, and what learning costs."""
    for labels in (0, LABELS):
        rows = [apart("benchmarks.words_speed", "publish", n=n, labels=labels) for n in SIZES]
        yield from rows
        what, sizes = rows[0]["what"], [row["characters"] for row in rows]
        yield {
            "bench": "words_speed",
            "what": f"growth: {what}",
            "exponent": exponent(sizes, [row["cpu_seconds"] for row in rows]),
            "memory": exponent(sizes, [row["peak_mib"] for row in rows]),
        }
    yield from apart("benchmarks.words_speed", "learn")


def publish(n: int, labels: int) -> dict[str, Any]:
    """Anonymise so many notes; called in a process of its own."""
    from experiments import s002_text as corpora

    notes = corpora.meddocan()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.jsonl"
        chosen = random.Random(0).sample(range(n), labels)
        lines = [json.dumps({"document": str(i + 1), "spans": notes.spans[i]}) for i in chosen]
        path.write_text("\n".join(lines), "utf-8")
        method = sq.KWords(k=4, unit="document", language="es", labels=str(path) if labels else None)
        sq.anonymize(Corpus.from_texts(notes.texts[:8]), sq.KWords(k=4, unit="document", language="es"), seed=1)
        before = resident()
        data = Corpus.from_texts(notes.texts[:n])
        cost, _ = cost_of(lambda: sq.anonymize(data, method, seed=1), before)
    what = f"{labels} labels" if labels else "no labels"
    row = {"bench": "words_speed", "what": what, "n": n, "characters": sum(map(len, data.texts))}
    return row | cost.columns(len(data.utf8))


def learn() -> list[dict[str, Any]]:
    """Train on 25 and 50 labelled notes; called in a process of its own."""
    from experiments import s002_text as corpora

    from sequester.methods.text.k_words.search import Search

    notes = corpora.meddocan()
    search = Search(Corpus.from_texts(notes.texts[:300]), "es", nouns=False, soft=True)
    out = []
    for n in (25, 50):
        known = [
            (search.pages[i], [tuple(s[:2]) for s in notes.spans[i]]) for i in random.Random(0).sample(range(300), n)
        ]
        search.train(known)
        cost, _ = cost_of(lambda known=known: search.train(known))
        out.append({"bench": "words_speed", "what": "learn", "n": n, "cpu_seconds": round(cost.cpu_seconds, 2)})
    return out
