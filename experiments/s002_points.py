"""Figure 2, point by point: what the authors published, and what the same procedure gives on an open corpus."""

from collections.abc import Iterator

import numpy as np

from experiments import s002_text as corpora
from sequester.methods.text.shared.kernels.text_index import TextIndex
from sequester.methods.text.shared.words import word_counts
from sequester.model import Corpus
from sequester.utility.text import View
from sequester.utility.text_alignment import precision_recall

TITLE = "k-repeats: the authors' 52 points beside ours, lift and base rates (Figure 2, section 7.1)"
PAPER = "Matsubara, Hasida 2014, Figure 2 and section 7.1; result files of the authors' public repository"
NOTE = """The authors' repository holds the 52 points of Figure 2 (17 of MR, 17 of MR+Word, 18 of Word, which begins at
k = 1), scored on 170,200 tokens of which 11,648 are private (6.84 %). `lift` is precision over that base rate. Beside
them stands the same procedure on MEDDOCAN (greedy cover, counted by occurrence, l = 6, R = 20 %, 16 separators shown as
in the paper's evaluation), whose base rate is its own. Their files record other thresholds than the paper: R = 0.2 for
MR, 0.3 for Word, 0.5 for MR+Word. At k = 1 their Word already hides 32.9 % of the tokens (precision .037), so something
is always hidden there whatever its count; beyond that floor Word is *more* precise than MR at every k (last column).
"MR
more precise than Word" (section 7.1) does therefore not reproduce here: on open corpora, where no such floor exists,
Word is at least as precise. That the hybrid is more precise than either does reproduce. l and R chosen on a development
half of MEDDOCAN and scored on the other half stand in the last table."""
CHART = {"x": "recall", "y": "precision", "color": "method", "facet": "source", "rows": {"question": "points"}}

BASE = 11648 / 170200
MR = (".1465/.6757 .1489/.7454 .1501/.7909 .1499/.8179 .1481/.8322 .1470/.8508 .1458/.8636 .1454/.8801 .1446/.8917 "
      ".1448/.9043 .1444/.9160 .1434/.9219 .1421/.9263 .1419/.9347 .1409/.9383 .1407/.9463 .1393/.9504")  # fmt: skip
BOTH = (".1847/.3486 .2027/.4784 .2071/.5563 .2070/.6070 .2052/.6429 .2022/.6737 .1988/.6934 .1974/.7156 .1950/.7351 "
        ".1937/.7547 .1912/.7653 .1889/.7748 .1867/.7859 .1850/.7969 .1828/.8058 .1819/.8160 .1795/.8199")  # fmt: skip
WORD = (".0370/.1776 .0865/.4791 .1014/.6026 .1088/.6763 .1130/.7284 .1154/.7651 .1177/.8019 .1183/.8227 .1194/.8454 "
        ".1201/.8666 .1201/.8808 .1203/.8944 .1204/.9054 .1208/.9178 .1206/.9266 .1201/.9302 .1192/.9313 "
        ".1187/.9358")  # fmt: skip
FLOOR = 2069, 53902
"""Private and other tokens that Word hides at k = 1."""
KS = tuple(range(2, 19))


def authors() -> Iterator[dict]:
    """Their points, facts from their result files."""
    for method, told, first in (("MR", MR, 2), ("MR+Word", BOTH, 2), ("Word", WORD, 1)):
        for k, point in enumerate(told.split(), start=first):
            precision, recall = map(float, point.split("/"))
            row = {"question": "points", "source": "authors, i2b2", "method": method, "k": k}
            row |= {"precision": precision, "recall": recall, "lift": precision / BASE}
            if method == "Word" and k > 1:
                found = recall * 11648
                hidden = found / precision
                row["precision_beyond_k1"] = (found - FLOOR[0]) / (hidden - sum(FLOOR))
            yield row


def run() -> Iterator[dict]:
    """Rows: their points, ours, and the choice of l and R."""
    yield from authors()
    data = corpora.meddocan()
    half = np.random.default_rng(0).permutation(len(data.texts))
    view, scored = _view(data, range(len(data.texts)))
    index = TextIndex.build(scored)
    lead = (scored.utf8 & 0xC0) != 0x80
    base = float(view.private.mean())
    for k in (1, *KS):
        rare = (word_counts(view.words, None) < k)[view.words.code]
        found = {"Word": rare}
        if k > 1:
            shown = view.protected(index.keep_by_original(None, k, 6, "greedy")[lead] == 1)
            found |= {"MR": shown, "MR+Word": shown & rare}
        for method, hidden in found.items():
            precision, recall = precision_recall(hidden, view.private)
            row = {"question": "points", "source": "MEDDOCAN", "method": method, "k": k, "recall": recall}
            yield row | {"precision": None if precision != precision else precision, "lift": precision / base}
    yield from _chosen(data, half[: len(half) // 2], half[len(half) // 2 :])


def _view(data: corpora.Labelled, rows, percent: float = 20.0):
    texts = [data.texts[i] for i in rows]
    labels = {str(n + 1): [(s, e, "") for s, e in data.spans[i]] for n, i in enumerate(rows)}
    return View(Corpus.from_texts(texts), "occurrence", percent, labels, unhide=True), corpora.documents(texts)


def _chosen(data: corpora.Labelled, develop, held_out) -> Iterator[dict]:
    """The pair of l and R with the best F-measure at k = 4 on one half, and what it gives on the other."""
    best: tuple[float, int, float] = (-1.0, 1, 20.0)
    for part, rows in (("development", develop), ("held out", held_out)):
        view, docs = _view(data, rows)
        index = TextIndex.build(docs)
        lead = (docs.utf8 & 0xC0) != 0x80
        for least in (1, 3, 6, 10):
            kept = index.keep_by_original(None, 4, least, "greedy")[lead] == 1
            for percent in (0.0, 20.0, 50.0):
                if part == "held out" and (least, percent) not in (best[1:], (6, 20.0)):
                    continue
                view.percent = percent
                precision, recall = precision_recall(view.protected(kept), view.private)
                score = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
                if part == "development" and score > best[0]:
                    best = (score, least, percent)
                yield {"question": "l and R", "part": part, "l": least, "R": percent, "precision": precision,
                       "recall": recall, "f_measure": score, "chosen": (least, percent) == best[1:]}  # fmt: skip


def tables(rows: list[dict]) -> dict[str, list[dict]]:
    """The points side by side; the choice of l and R."""
    points: dict[tuple[str, int], dict] = {}
    for row in rows:
        if row["question"] == "points":
            line = points.setdefault((row["method"], row["k"]), {"method": row["method"], "k": row["k"]})
            for name in ("precision", "recall", "lift"):
                line[f"{row['source']}: {name}"] = row[name]
            if row.get("precision_beyond_k1") is not None:
                line["authors: precision beyond k = 1"] = row["precision_beyond_k1"]
    chosen = [{c: v for c, v in r.items() if c != "question"} for r in rows if r["question"] == "l and R"]
    return {"The points of Figure 2": list(points.values()), "l and R chosen on a development half": chosen}
