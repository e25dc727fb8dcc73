"""Open text corpora for the text experiments and benchmarks, read from the data folder."""

from __future__ import annotations

import gzip
import json
import re
from typing import NamedTuple

import numpy as np

from experiments.steps import DATA
from sequester.methods.text.shared.kernels.text_index import Documents
from sequester.model import Corpus
from sequester.utility.text import View
from sequester.utility.text_alignment import precision_recall, token_shares


class Labelled(NamedTuple):
    """Documents with the spans of private text in each."""

    texts: list[str]
    spans: list[list[list[int]]]


def _rows(name: str) -> list[dict]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def medline() -> list[str]:
    """6,061 English abstracts."""
    return [r["text"] for r in _rows("medline_abstracts_en/abstracts.jsonl.gz")]


def japanese() -> list[str]:
    """Wikipedia leads and novels."""
    names = ("text_ja/wikipedia_leads.jsonl.gz", "text_ja/aozora_novels.jsonl.gz")
    return [r["text"] for name in names for r in _rows(name)]


def _labelled(name: str) -> Labelled:
    rows = _rows(name)
    return Labelled([r["text"] for r in rows], [[s[:2] for s in r["spans"]] for r in rows])


def meddocan() -> Labelled:
    """1,000 Spanish clinical cases."""
    return _labelled("deid_meddocan_es/meddocan.jsonl.gz")


def presidio() -> Labelled:
    """1,500 English sentences made from templates."""
    return _labelled("deid_presidio_en/synth_v2.jsonl.gz")


def japanese_names() -> Labelled:
    """5,343 sentences of the Japanese Wikipedia."""
    return _labelled("deid_ner_wikipedia_ja/ner_ja.jsonl.gz")


def wikigold() -> Labelled:
    """145 English articles, tokens joined by a space, sentences by a line end."""
    texts, spans = [], []
    with gzip.open(DATA / "deid_wikigold_en/wikigold.conll.txt.gz", "rt", encoding="utf-8") as file:
        whole = file.read()
    for part in re.split(r"(?m)^-DOCSTART-.*$", whole):
        text, marked = "", []
        for line in part.strip("\n").split("\n"):
            if not line.strip():
                text = text.rstrip(" ") + "\n" if text else text
                continue
            token, tag = line.rsplit(" ", 1)
            if tag != "O":
                marked.append([len(text), len(text) + len(token)])
            text += token + " "
        if text.strip():
            texts.append(text.rstrip())
            spans.append(marked)
    return Labelled(texts, spans)


def documents(texts: list[str]) -> Documents:
    """Texts as bytes and offsets."""
    raw = [t.encode("utf-8") for t in texts]
    return Documents(np.frombuffer(b"".join(raw), dtype=np.uint8), np.cumsum([0] + [len(r) for r in raw]))


def resampled(texts: list[str], n_bytes: int, seed: int = 0) -> list[str]:
    """Sentences drawn again and again until `n_bytes` are there, one character in 40 changed: for timing only.

    Plain copies would make every document one long repeat, which no real corpus of that size is.
    """
    rng = np.random.default_rng(seed)
    sentences = [s for t in texts for s in re.split(r"(?<=[.。])", t) if s.strip()]
    letters = np.array(sorted(set("".join(texts[:2000]))))
    out: list[str] = []
    total = 0
    while total < n_bytes:
        note = "".join(sentences[i] for i in rng.integers(0, len(sentences), 8))
        characters = np.array(list(note))
        changed = rng.random(len(characters)) < 1 / 40
        characters[changed] = letters[rng.integers(0, len(letters), int(changed.sum()))]
        out.append("".join(characters.tolist()))
        total += len(out[-1].encode("utf-8"))
    return out


class Scored:
    """A labelled corpus with the figures of one suppression of it."""

    def __init__(self, data: Labelled, unit: str = "document") -> None:
        self.documents = documents(data.texts)
        corpus = Corpus.from_texts(data.texts)
        labels = {str(i + 1): [(s, e, "PRIVATE") for s, e in spans] for i, spans in enumerate(data.spans)}
        self.view = View(corpus, unit, 20.0, labels)
        self.lead = (self.documents.utf8 & 0xC0) != 0x80
        base = np.cumsum([0] + [len(t) for t in data.texts])
        spans = [(base[i] + s, base[i] + e) for i, rows in enumerate(data.spans) for s, e in rows if e > s]
        self.span_starts, self.span_ends = (np.array(side) for side in zip(*spans))
        self.owners = np.arange(len(data.texts))

    def figures(self, keep: np.ndarray) -> dict:
        """Kept characters, token precision and recall at 20 %, whole words, and what became of the private spans."""
        kept = keep[self.lead] == 1
        view = self.view
        precision, recall = precision_recall(view.protected(kept), view.private)
        hidden = 1 - token_shares(self.span_starts, self.span_ends, kept)
        return {
            "kept": float(kept.mean()),
            "precision": precision,
            "recall": recall,
            "words_whole": float(np.mean(token_shares(view.starts, view.ends, kept) == 1)),
            "spans_visible": float(np.mean(hidden == 0)),
            "spans_protected": float(np.mean(hidden > 0.2)),
        }
