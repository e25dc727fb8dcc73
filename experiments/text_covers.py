"""What each choice of k-repeats costs and buys: cover, unit, where to count, words, background."""

from collections.abc import Iterator

import numpy as np

from experiments import s002_text as corpora
from sequester.methods.text.shared.kernels.text_index import TextIndex
from sequester.utility.text import equal_kept

TITLE = "k-repeats beyond the paper: covers at equal kept text, documents, published counts, words, background"
PAPER = "Matsubara, Hasida 2014; every comparison here is beyond it"
NOTE = """`question` names the comparison. Covers: at equal kept text the optimal cover protects more private words
and is more precise than the greedy one, although at equal k it shows more of them. Documents: by occurrence, some
optimal runs occur in one note only (`runs_in_one_note`). Published counts cost kept text (1-4 points by character; by
word up to 15), are the only ones a third party can check (`runs_rare_in_release`: runs of the original counting that
are shared by fewer than k released notes), and protect more private words. Words, with published counts: about as
many whole words, less text, more spans protected; with original counts more whole words and more whole private spans
(not in Japanese, where hardly any text is left). Background: 1 to 3 points of text by character, up to 11 by word,
and always more private text. No setting replaces de-identification: `spans_visible` never reaches 0. The page shows
the last run, made before gaps were solid: its rows by word are those of the first edition; `text_tokens` has the
present ones."""

K = 4


def run() -> Iterator[dict]:
    """Rows by question."""
    data = corpora.meddocan()
    scored = corpora.Scored(data)
    yield from _covers(scored)
    yield from _units(scored, data)
    for name, load in (
        ("MEDDOCAN", lambda: data),
        ("Presidio", corpora.presidio),
        ("WikiGold", corpora.wikigold),
        ("Japanese NER", corpora.japanese_names),
    ):
        yield from _settings(name, corpora.Scored(load()))
    abstracts = corpora.documents(corpora.medline())
    for name, load in (("Presidio", corpora.presidio), ("WikiGold", corpora.wikigold)):
        yield from _background(name, corpora.Scored(load()), abstracts)


def tables(rows: list[dict]) -> dict[str, list[dict]]:
    """One table per question: each has columns of its own."""
    questions = dict.fromkeys(r["question"] for r in rows)
    return {
        q.capitalize(): [{c: v for c, v in r.items() if c != "question"} for r in rows if r["question"] == q]
        for q in questions
    }


def _covers(scored: corpora.Scored) -> Iterator[dict]:
    index = TextIndex.build(scored.documents)
    curve = []
    for k in (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128):
        for cover in ("optimal", "greedy"):
            if cover == "greedy" and k > 32:
                continue
            told = scored.figures(index.keep_by_original(scored.owners, k, 6, cover))
            curve.append({"k": k, "cover": cover, **told})
    for row in curve:
        yield {"question": "cover over k", "corpus": "MEDDOCAN", "min_length": 6, **row}
    for row in equal_kept(curve):
        better = row["optimal_recall"] > row["greedy_recall"] and row["optimal_precision"] > row["greedy_precision"]
        yield {"question": "covers at equal kept text", "corpus": "MEDDOCAN", **row, "optimal_better_on_both": better}


def _units(scored: corpora.Scored, data: corpora.Labelled) -> Iterator[dict]:
    index = TextIndex.build(scored.documents)
    lead = scored.lead
    for min_length in (1, 6):
        for k in (2, 4):
            for unit, owners in (("occurrence", None), ("document", scored.owners)):
                keep = index.keep_by_original(owners, k, min_length)[lead] == 1
                row = {"question": "documents", "corpus": "MEDDOCAN", "min_length": min_length, "unit": unit, "k": k}
                row["kept"] = float(keep.mean())
                yield row | _run_census(data.texts, keep, scored.view.marked, k)


def _run_census(texts: list[str], keep: np.ndarray, marked: np.ndarray, k: int) -> dict:
    """Runs that occur in one original note only, and runs too rare in the release itself."""
    from sequester.judges.shared_runs import rare_runs

    base = np.cumsum([0] + [len(t) for t in texts])
    runs, where, owner = [], [], []
    for d, text in enumerate(texts):
        kept = np.concatenate([[False], keep[base[d] : base[d + 1]], [False]])
        edges = np.flatnonzero(np.diff(kept.astype(np.int8)))
        for s, e in zip(edges[::2], edges[1::2]):
            runs.append(text[s:e])
            where.append((base[d] + s, base[d] + e))
            owner.append(d)
    alone = rare_runs(runs, texts, range(len(texts)), 2, unit="document", granularity="character")
    rare = rare_runs(runs, runs, owner, k, unit="document", granularity="character")
    exposed = sum(int(marked[s:e].sum()) for run, (s, e) in zip(runs, where) if run in alone)
    return {
        "runs": len(runs),
        "runs_in_one_note": sum(run in alone for run in runs) / len(runs),
        "private_characters_in_them": exposed,
        "runs_rare_in_release": sum(run in rare for run in runs) / len(runs),
    }


def _settings(name: str, scored: corpora.Scored) -> Iterator[dict]:
    for words in (False, True):
        for count_in in ("original", "published"):
            index = TextIndex.build(scored.documents, granularity="word" if words else "character")
            choose = index.keep_by_original if count_in == "original" else index.keep_by_published
            yield {
                "question": "words and published counts",
                "corpus": name,
                "granularity": "word" if words else "character",
                "count_in": count_in,
                "k": K,
                **scored.figures(choose(scored.owners, K)),
            }


def _background(name: str, scored: corpora.Scored, public) -> Iterator[dict]:
    for words in (False, True):
        for told, behind in (("none", None), ("medline", public)):
            index = TextIndex.build(scored.documents, granularity="word" if words else "character", background=behind)
            yield {
                "question": "background",
                "corpus": name,
                "granularity": "word" if words else "character",
                "background": told,
                "k": K,
                **scored.figures(index.keep_by_original(scored.owners, K)),
            }
