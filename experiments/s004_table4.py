"""Table 4: suppressed series with and without recycling of bad leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.series_data import motion, walk
from sequester.methods.series.shared.kernels import tree as kp_tree
from sequester.primitives import sax

TITLE = "(k,P)-anonymity, Table 4: suppressed series"
PAPER = "Shou et al. 2013, Table 4"
NOTE = """Only one of the paper's four motion clips is at hand and its random walk was never published, so single
numbers differ. `printed` follows the listing: a node of at least 2P records whose only child holds everything is a good
leaf. `literal` lets it go on with a finer word, which makes more bad leaves. Walk is the median over 30 seeds, with the
smallest and largest in brackets; `seeds as the paper` counts those that suppress as many as the paper after recycling.
Fewer than P are suppressed, as proved. `best` is the default of kapra, which suppresses nobody."""
PRINTED = {
    "Motion": {2: (0, 697), 5: (0, 577), 10: (0, 608), 20: (0, 459), 30: (0, 383), 40: (38, 525), 50: (0, 414),
               100: (56, 566)},
    "Walk": {2: (0, 12), 5: (4, 4), 10: (0, 0), 20: (0, 0), 30: (0, 0), 40: (0, 0), 50: (0, 0), 100: (0, 0)},
}  # fmt: skip


def run() -> Iterator[dict[str, Any]]:
    for name, sets in (("Motion", [motion()]), ("Walk", [walk(seed) for seed in range(30)])):
        keys = [sax.word_keys(sax.z_normalize(np.asarray(data.values)), 20) for data in sets]
        for p, (paper, paper_without) in PRINTED[name].items():
            row: dict[str, Any] = {"data": name, "P": p, "paper": paper}
            for way in ("printed", "literal"):
                found = [suppressed(k, p, way == "printed") for k in keys]
                row |= {way: _told([r for r, _ in found]), f"{way} without recycling": _told([b for _, b in found])}
                if len(sets) > 1:
                    row[f"{way}: seeds as the paper"] = sum(r == paper for r, _ in found)
            yield row | {"best": 0, "paper without recycling": paper_without}


def suppressed(keys: np.ndarray, p: int, printed: bool) -> tuple[int, int]:
    """Records left after recycling, and before."""
    leaf, level, good = kp_tree.split_by_word(keys, p, printed=printed)
    bad = np.flatnonzero(~good[leaf])
    return len(kp_tree.recycle(keys, bad, level[leaf[bad]], p)[2]), len(bad)


def _told(counts: list[int]) -> int | str:
    return counts[0] if len(counts) == 1 else f"{int(np.median(counts))} ({min(counts)}-{max(counts)})"


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row))
