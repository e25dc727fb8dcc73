"""Figure 2: token precision and recall of k-repeats, the word baseline, and their consensus, over k."""

from collections.abc import Iterator

from experiments import s002_text as corpora
from sequester.primitives.text_index import TextIndex
from sequester.primitives.token_scores import precision_recall
from sequester.primitives.words import word_counts

TITLE = "k-repeats, words and their consensus: precision and recall (Figure 2)"
PAPER = "Matsubara, Hasida 2014, Figure 2"
NOTE = """The paper's i2b2 records may not be redistributed. The rows of i2b2 repeat its anchors, the ends of the curve
of MR and a point of the words alone, whose k is not told; four open corpora stand in for the rest (l = 6, R = 20 %,
tokens split on white space, a token is private if any of its characters is). `literal` is the repaired greedy cover
counted by occurrence, as in the paper; by document and optimal are ours. `reference` repeats, for MEDDOCAN, the figures
measured once with other code. MR+Word protects a token only if both methods do; it is computed for evaluation and
cannot be released. At the same k the optimal cover shows more text, private text included: read rows at equal `kept`.
Where the paper's MR beats its Word, here words by document are often more precise: MEDDOCAN has 46 % of its spans in
fixed headers, where the labels are words beside common phrases."""
CHART = {"x": "recall", "y": "precision", "color": "method", "facet": "corpus"}

ANCHORS = (("MR greedy", 2, 0.147, 0.68), ("MR greedy", 18, 0.139, 0.95), ("Word", None, 0.12, 0.93))
"""The paper's own corpus: method, k, precision, recall."""
KS = (2, 4, 6, 10, 16, 18, 32)
REFERENCE = {
    ("Word", "document", 2): (0.279, 0.225, 0.887),
    ("Word", "document", 6): (0.232, 0.388, 0.773),
    ("Word", "document", 18): (0.201, 0.527, 0.658),
    ("MR greedy", "document", 4): (0.135, 0.512, 0.715),
    ("MR greedy", "document", 16): (0.147, 0.658, 0.665),
    ("MR optimal", "document", 4): (0.176, 0.304, 0.891),
    ("MR optimal", "document", 16): (0.189, 0.513, 0.821),
    ("MR optimal", "document", 32): (0.185, 0.619, 0.765),
}
"""MEDDOCAN: precision, recall, kept characters, from code of other hands."""


def run() -> Iterator[dict]:
    """The paper's anchors, then rows by corpus, method, unit and k."""
    for method, k, precision, recall in ANCHORS:
        yield {"corpus": "i2b2 (paper)", "method": method, "unit": "occurrence", "k": k, "literal": False,
               "paper": True, "precision": precision, "recall": recall}  # fmt: skip
    for name, load in (
        ("MEDDOCAN", corpora.meddocan),
        ("Presidio", corpora.presidio),
        ("WikiGold", corpora.wikigold),
        ("Japanese NER", corpora.japanese_names),
    ):
        scored = corpora.Scored(load())
        index = TextIndex.build(scored.documents)
        for unit, owners in (("document", scored.owners), ("occurrence", None)):
            counts = word_counts(scored.view.words, owners)
            for k in KS:
                yield from _rows(name, unit, k, scored, index, owners, counts)


def _rows(name, unit, k, scored, index, owners, counts) -> Iterator[dict]:
    view = scored.view
    rare = (counts < k)[view.words.code]
    # white space stays visible under the word baseline
    hidden = int((view.ends - view.starts)[rare].sum())
    yield _row(name, "Word", unit, k, precision_recall(rare, view.private), 1 - hidden / view.n_characters)
    for method, cover in (("MR greedy", "greedy"), ("MR optimal", "optimal")):
        keep = index.keep_by_original(owners, k, 6, cover)[scored.lead] == 1
        found = view.protected(keep)
        yield _row(name, method, unit, k, precision_recall(found, view.private), float(keep.mean()))
        both = precision_recall(found & rare, view.private)
        yield _row(name, f"{method}+Word", unit, k, both, None)


def _row(corpus, method, unit, k, both, kept) -> dict:
    literal = unit == "occurrence" and method in ("MR greedy", "Word", "MR greedy+Word")
    row = {"corpus": corpus, "method": method, "unit": unit, "k": k, "literal": literal,
           "precision": both[0], "recall": both[1], "kept": kept}  # fmt: skip
    known = REFERENCE.get((method, unit, k)) if corpus == "MEDDOCAN" else None
    if known:
        row |= dict(zip(("reference_precision", "reference_recall", "reference_kept"), known))
        row["agrees"] = all(abs(a - b) < 0.00051 for a, b in zip((both[0], both[1], kept), known))
    return row
