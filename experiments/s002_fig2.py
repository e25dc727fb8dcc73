"""Figure 2: token precision and recall of k-repeats, the word baseline, and their consensus, over k."""

from collections.abc import Iterator

from experiments import s002_text as corpora
from sequester.methods.text.shared.kernels.text_index import TextIndex
from sequester.methods.text.shared.words import word_counts
from sequester.utility.text import equal_kept
from sequester.utility.text_alignment import precision_recall

TITLE = "k-repeats, words and their consensus: precision and recall (Figure 2)"
PAPER = "Matsubara, Hasida 2014, Figure 2"
NOTE = """The paper's i2b2 records may not be redistributed. `paper`, beside the clinical cases of MEDDOCAN, repeats
its anchors on that corpus, the ends of the curve of MR and a point of the words alone, whose k is not told; the rest
is curve only. Four open corpora stand in (l = 6, R = 20 %, tokens split on white space, a token is private if any of
its characters is). `literal` is the repaired greedy cover counted by occurrence, as in the paper; `best` is the
optimal cover counted by document, a stronger promise. They differ because the optimal cover shows more text at the
same k, private text included: on MEDDOCAN recall falls and precision rises. At equal kept text (second table) it is
ahead on both on MEDDOCAN and, up to k = 18, on WikiGold, even on the Japanese (which has no white space: a sentence
is one token, and token figures say little), and behind at small k on Presidio, whose sentences come from templates.
MR+Word protects a token only if both methods do; it is computed for evaluation and cannot be released. The
paper finds MR more precise than Word; here words by document are often more precise, and so are the authors' own words
beyond what they hide at k = 1, where nothing is rare (`s002_points`). `reference` are, for MEDDOCAN, figures of an
earlier prototype; no script here prints them."""
CHART = {"x": "recall", "y": "precision", "color": "method", "facet": "corpus", "rows": {"unit": "occurrence"}}

ANCHORS = (("MR greedy", 2, 0.147, 0.68), ("MR greedy", 18, 0.139, 0.95), ("Word", None, 0.12, 0.93))
"""The paper's own corpus: method, k, precision, recall."""
KS = (2, 4, 6, 10, 16, 18, 32)
MORE = (64, 128)
"""For the optimal cover alone: only there does it keep as little as the greedy one."""
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
"""MEDDOCAN: precision, recall, kept characters."""


def run() -> Iterator[dict]:
    """The paper's anchors, then rows by corpus, method, unit and k."""
    for method, k, precision, recall in ANCHORS:
        yield {"corpus": "i2b2 (paper)", "method": method, "unit": "occurrence", "k": k, "column": "paper",
               "precision": precision, "recall": recall}  # fmt: skip
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
            for k in KS + MORE:
                yield from _rows(name, unit, k, scored, index, owners, counts)


def _rows(name, unit, k, scored, index, owners, counts) -> Iterator[dict]:
    view = scored.view
    rare = (counts < k)[view.words.code]
    # white space stays visible under the word baseline
    hidden = int((view.ends - view.starts)[rare].sum())
    if k in KS:
        yield _row(name, "Word", unit, k, precision_recall(rare, view.private), 1 - hidden / view.n_characters)
    for method, cover in (("MR greedy", "greedy"), ("MR optimal", "optimal")):
        if cover == "greedy" and k not in KS:
            continue
        keep = index.keep_by_original(owners, k, 6, cover)[scored.lead] == 1
        found = view.protected(keep)
        yield _row(name, method, unit, k, precision_recall(found, view.private), float(keep.mean()))
        both = precision_recall(found & rare, view.private)
        yield _row(name, f"{method}+Word", unit, k, both, None)


def _row(corpus, method, unit, k, both, kept) -> dict:
    literal = unit == "occurrence" and "optimal" not in method
    best = unit == "document" and "greedy" not in method
    row = {"corpus": corpus, "method": method, "unit": unit, "k": k,
           "column": "literal" if literal else "best" if best else None,
           "precision": both[0], "recall": both[1], "kept": kept}  # fmt: skip
    known = REFERENCE.get((method, unit, k)) if corpus == "MEDDOCAN" else None
    if known:
        row |= dict(zip(("reference_precision", "reference_recall", "reference_kept"), known))
        row["agrees"] = all(abs(a - b) < 0.00051 for a, b in zip((both[0], both[1], kept), known))
    return row


def tables(rows: list[dict]) -> dict[str, list[dict]]:
    """The three columns at three k; the covers at equal kept text; the reference figures."""
    shown: dict[tuple, dict] = {}
    anchors = {(_plain(r["method"]), r["k"]): _cell(r) for r in rows if r["column"] == "paper"}
    for row in rows:
        if row["column"] in ("literal", "best") and row["k"] in (2, 6, 18):
            key = _plain(row["method"]), row["k"]
            head = {"corpus": row["corpus"], "method": key[0], "k": row["k"], "paper": None}
            if row["corpus"] == "MEDDOCAN":
                head["paper"] = anchors.get(key)
            line = shown.setdefault((row["corpus"], *key), head | {"literal": None, "best": None})
            line[row["column"]] = _cell(row)
    words = [
        {"corpus": "i2b2 (paper)", "method": m, "k": "not told", "paper": c} for (m, k), c in anchors.items() if not k
    ]
    known = ("method", "unit", "k", "precision", "reference_precision", "recall", "reference_recall", "kept",
             "reference_kept", "agrees")  # fmt: skip
    return {
        "Precision / recall / kept text": list(shown.values()) + words,
        "Precision / recall of MR by occurrence, at equal kept text": _equal_kept(rows),
        "MEDDOCAN beside the reference": [{c: r[c] for c in known} for r in rows if "agrees" in r],
    }


def _plain(method: str) -> str:
    return method.replace(" greedy", "").replace(" optimal", "")


def _cell(row: dict) -> str:
    return " / ".join(f"{row[c]:.3f}" for c in ("precision", "recall", "kept") if row.get(c) is not None)


def _equal_kept(rows: list[dict]) -> list[dict]:
    out = []
    for corpus in dict.fromkeys(r["corpus"] for r in rows if r.get("kept")):
        curve = [
            r | {"cover": r["method"].split()[1]}
            for r in rows
            if r["corpus"] == corpus and r["unit"] == "occurrence" and r["method"] in ("MR greedy", "MR optimal")
        ]
        for row in equal_kept(curve):
            told = {c: {m: row[f"{c}_{m}"] for m in ("precision", "recall")} for c in ("greedy", "optimal")}
            out.append({"corpus": corpus, "kept": row["kept"], "literal k": row["greedy_k"], "best k": row["optimal_k"],
                        "literal": _cell(told["greedy"]), "best": _cell(told["optimal"])})  # fmt: skip
    return out
