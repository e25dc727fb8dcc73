"""Figure 4: how much of a text stays visible, against its length."""

from collections.abc import Iterator

import numpy as np
from benchmarks.growth import exponent

from experiments import s002_text as corpora
from sequester.methods.text.shared.kernels.text_index import TextIndex

TITLE = "k-repeats: kept text against input size, k = 4 (Figure 4)"
PAPER = "Matsubara, Hasida 2014, Figure 4"
NOTE = """Curve only: the paper's claim is that the kept share rises with the input, and its figure prints no numbers.
Here the share rises steadily on English abstracts and on Japanese (real text in a fixed random order; the twelve
novels are cut into documents of 2,000 characters, because a novel is no document whose readers could be counted). The
last row of a corpus is the exponent of the hidden share against the size, fitted over all sizes: below 0, text
becomes more visible. `literal` is the greedy cover by occurrence; `best` is the optimal cover by occurrence;
`by_document` counts documents; `published` counts documents in what is shown, so that the release alone can be
verified."""
CHART = {"x": "megabytes", "y": ["literal", "best", "by_document", "published"], "facet": "corpus"}

SHARES = (0.01, 0.03, 0.1, 0.3, 1.0)


def run() -> Iterator[dict]:
    """Rows by corpus and share of it."""
    for name, texts in (("medline (English)", corpora.medline()), ("Japanese", _pieces(corpora.japanese()))):
        order = np.random.default_rng(4).permutation(len(texts))
        shuffled = [texts[i] for i in order]
        ends = np.cumsum([len(t.encode("utf-8")) for t in shuffled])
        rows: list[dict] = []
        for share in SHARES:
            part = shuffled[: int(np.searchsorted(ends, share * ends[-1])) + 1]
            docs = corpora.documents(part)
            lead = (docs.utf8 & 0xC0) != 0x80
            owners = np.arange(len(part))
            index = TextIndex.build(docs)
            row = {
                "corpus": name,
                "megabytes": round(len(docs.utf8) / 1e6, 3),
                "characters": int(lead.sum()),
                "literal": float(index.keep_by_original(None, 4, 1, "greedy")[lead].mean()),
                "best": float(index.keep_by_original(None, 4)[lead].mean()),
                "by_document": float(index.keep_by_original(owners, 4)[lead].mean()),
                "published": float(index.keep_by_published(owners, 4)[lead].mean()),
            }
            rows.append(row)
            yield row
        sizes = [r["megabytes"] for r in rows]
        fitted = {c: exponent(sizes, [1 - r[c] for r in rows]) for c in ("literal", "best", "by_document", "published")}
        yield {"corpus": name, "megabytes": f"exponent of what is hidden, {sizes[0]} to {sizes[-1]}", **fitted}


def _pieces(texts: list[str], size: int = 2000) -> list[str]:
    return [text[at : at + size] for text in texts for at in range(0, len(text), size)]
