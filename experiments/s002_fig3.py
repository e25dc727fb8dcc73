"""Figure 3: time to cover a text with k-repeats, against its size."""

import time
from collections.abc import Iterator

import numpy as np
from benchmarks.growth import exponent

from experiments import s002_text as corpora
from sequester.methods.text.shared.kernels.text_index import TextIndex

TITLE = "k-repeats: time against input size, k = 4 (Figure 3)"
PAPER = "Matsubara, Hasida 2014, Figure 3"
NOTE = """The paper's dictionary dump is not at hand; Japanese and English sentences are drawn again and again with
one character in 40 changed, up to 40 MB (for timing only). CPU seconds, one thread. The paper's figure is a line of
points up to about 60 MB without printed numbers (curve only), taken on a 2.33 GHz Xeon; what is compared is the
shape: the paper calls it linear, and the last row is the exponent fitted over all sizes. Seconds per megabyte grow
slowly (caches, and a suffix array). `literal` counts occurrences and covers greedily as the paper does; `best` counts
documents and covers optimally and is no slower: both spend most of their time on the suffix array, and the greedy
cover sorts its candidates."""
CHART = {"x": "megabytes", "y": ["literal", "best"]}

SIZES_MB = (0.5, 1, 2, 5, 10, 20, 40)


def run() -> Iterator[dict]:
    """Rows by size."""
    texts = corpora.resampled(corpora.japanese() + corpora.medline(), int(SIZES_MB[-1] * 1e6), seed=3)
    ends = np.cumsum([len(t.encode("utf-8")) for t in texts])
    _seconds(corpora.documents(texts[:20]), None, "greedy")
    _seconds(corpora.documents(texts[:20]), np.arange(20), "optimal")
    rows: list[dict] = []
    for size in SIZES_MB:
        part = texts[: int(np.searchsorted(ends, size * 1e6)) + 1]
        docs = corpora.documents(part)
        row = {
            "megabytes": round(len(docs.utf8) / 1e6, 2),
            "documents": len(part),
            "literal": _seconds(docs, None, "greedy"),
            "best": _seconds(docs, np.arange(len(part)), "optimal"),
        }
        row["best_seconds_per_mb"] = row["best"] / row["megabytes"]
        rows.append(row)
        yield row
    sizes = [r["megabytes"] for r in rows]
    fitted = {c: exponent(sizes, [r[c] for r in rows]) for c in ("literal", "best")}
    yield {"megabytes": f"exponent over {sizes[0]} to {sizes[-1]}", **fitted}


def _seconds(docs, owners, cover) -> float:
    start = time.process_time()
    TextIndex.build(docs).keep_by_original(owners, 4, 1, cover)
    return round(time.process_time() - start, 3)
