"""Is the default (tokens, first pass, published counts) within 2.5 × of the suffix array and LCP alone, and within 25
bytes of memory per byte? Is original counting by character within 2 ×? What does Japanese cost?

Each measurement runs in a process of its own: warm up on a small text, load the bytes, run, report CPU seconds (all
of it runs on one thread, and other work on the machine disturbs the clock on the wall more). The peak of resident
memory above what was resident before the bytes were loaded is sampled from outside the process. Ours and
pydivsufsort's alternate on the same bytes, best of a few. `python -m benchmarks.text_repeats`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.growth import exponent
from benchmarks.memory import apart, forget_peak, peak_bytes, resident

TITLE = "k-repeats: time and memory against the suffix array alone"
NOTE = """CPU seconds of one thread, each row in a process of its own. `ratio` is to building the suffix array and the
LCP array of the same bytes with pydivsufsort, alternating in the same process; `peak` is memory per byte of input
beyond the idle process. `exponent` is fitted over 6.25 to 50 MB of mixed English and Japanese text by least squares,
beside that of the suffix array, which leaves the caches just so. Rows of 8 MB are the best of five turns. The limits
stand in the last rows."""
CHART = {"x": "n", "y": ["seconds", "suffix_array_and_lcp"], "rows": {"corpus": "mix"}}
K = 4
MIX_MB = (6.25, 12.5, 25, 50)


def run() -> Iterator[dict]:
    """The rows: one per corpus and question, then the ratios that were promised."""
    from experiments import s002_text as text_data

    english, ja = text_data.medline(), text_data.japanese()
    rng = np.random.default_rng(0)
    mixed = [(english + ja)[i] for i in rng.permutation(len(english) + len(ja))]
    corpora: list[tuple[str, list[str], int]] = [("medline 8 MB", english, 5)]
    largest = text_data.resampled(mixed, int(MIX_MB[-1] * 1e6))
    ends = np.cumsum([len(t.encode("utf-8")) for t in largest])
    corpora += [("mix", largest[: int(np.searchsorted(ends, mb * 1e6)) + 1], 1) for mb in MIX_MB]
    corpora += [("english 5 MB", text_data.resampled(english, 5_000_000), 2)]
    corpora += [("japanese 5 MB", text_data.resampled(ja, 5_000_000), 2)]
    seen: dict[tuple[str, str], list[dict]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, texts, repeats in corpora:
            path = Path(folder) / "corpus"
            docs = text_data.documents(texts)
            np.save(f"{path}.utf8.npy", docs.utf8)
            np.save(f"{path}.offsets.npy", docs.offsets)
            questions = ["original"] + (["published"] if name == "medline 8 MB" else [])
            questions += ["default"] if name == "medline 8 MB" or len(docs.utf8) > 40e6 else []
            for what in questions:
                row = {"bench": "text_repeats", "what": what, "corpus": name, "n": len(docs.utf8), "k": K}
                row |= apart("benchmarks.text_repeats", "measured", what=what, path=str(path), repeats=repeats)
                if what == "default":
                    row["peak"] = round(watched(what, path) / len(docs.utf8), 1)
                row["mb_per_s"] = round(len(docs.utf8) / row["seconds"] / 1e6, 2)
                seen.setdefault((name, what), []).append(row)
                yield row
    yield from _limits(seen)


def _limits(seen: dict[tuple[str, str], list[dict]]) -> Iterator[dict]:
    small, mix = seen["medline 8 MB", "original"][0], seen["mix", "original"]
    published = seen["medline 8 MB", "published"][0]
    default = [seen["medline 8 MB", "default"][0], seen["mix", "default"][0]]
    per_byte = [seen[f"{language} 5 MB", "original"][0] for language in ("japanese", "english")]
    for name, column in (("growth, 6.25 to 50 MB", "seconds"), ("growth: suffix array + LCP", "suffix_array_and_lcp")):
        grown = exponent([r["n"] for r in mix], [r[column] for r in mix])
        yield {"bench": "text_repeats", "what": name, "exponent": grown}

    for what, column, value, limit in (
        ("8 MB, default: times suffix array + LCP", "ratio", default[0]["ratio"], 2.5),
        ("50 MB, default: times suffix array + LCP", "ratio", default[1]["ratio"], 2.5),
        ("8 MB, default: bytes of memory per byte", "peak", default[0]["peak"], 25.0),
        ("50 MB, default: bytes of memory per byte", "peak", default[1]["peak"], 25.0),
        ("8 MB, default: share of tokenising", "ratio", default[0]["tokenising"], 0.15),
        ("8 MB: times suffix array + LCP", "ratio", small["ratio"], 2.0),
        ("50 MB: times suffix array + LCP", "ratio", mix[-1]["ratio"], 2.0),
        ("50 MB / 8 MB seconds", "ratio", mix[-1]["seconds"] / small["seconds"], 8.0),
        ("8 MB: bytes of memory per byte", "peak", small["peak"], 30.0),
        ("50 MB: bytes of memory per byte", "peak", mix[-1]["peak"], 30.0),
        ("8 MB published: bytes of memory per byte", "peak", published["peak"], 30.0),
        ("8 MB published: seconds", "seconds", published["seconds"], 10.0),
        ("Japanese / English, seconds per byte", "ratio",
         per_byte[0]["seconds"] / per_byte[0]["n"] / (per_byte[1]["seconds"] / per_byte[1]["n"]), 1.0),
    ):  # fmt: skip
        yield {"bench": "text_repeats", "what": what, column: round(value, 2), "limit": limit, "met": value <= limit}


def measured(what: str, path: str, repeats: int) -> dict:
    """Ours and the suffix array's; called in a process of its own."""
    from pydivsufsort import divsufsort, kasai

    from sequester.methods.text.shared.kernels.text_index import Documents

    tiny = np.frombuffer(b"warm up the kernels, warm up the kernels" * 20, dtype=np.uint8)
    _ours(what, Documents(tiny, np.array([0, 200, 400, 600, 700, len(tiny)])))
    before = resident()
    docs = Documents(np.load(f"{path}.utf8.npy"), np.load(f"{path}.offsets.npy"))
    ours, theirs, memory = [], [], 0.0
    for _ in range(repeats):
        forget_peak()
        ours.append(_ours(what, docs))
        memory = max(memory, (peak_bytes() - before) / len(docs.utf8))
        joined = np.zeros(len(docs.utf8) + len(docs.offsets), dtype=np.uint8)
        for d, (a, b) in enumerate(zip(docs.offsets, docs.offsets[1:])):
            joined[a + d + 1 : b + d + 1] = docs.utf8[a:b]
        start = time.process_time()
        kasai(joined, divsufsort(joined))
        theirs.append(time.process_time() - start)
        del joined  # not part of what the next turn needs
    share = {"tokenising": round(_tokenising(docs) / min(ours), 3)} if what == "default" else {}
    return {
        **share,
        "seconds": round(min(ours), 3),
        "ratio": round(min(ours) / min(theirs), 3),
        "peak": round(memory, 1),
        "suffix_array_and_lcp": round(min(theirs), 3),
    }


def _ours(what: str, docs) -> float:
    from sequester.methods.text.shared.kernels.text_index import TextIndex

    owners = np.arange(len(docs.offsets) - 1)
    start = time.process_time()
    if what == "default":
        from sequester.methods.text.shared import first_pass
        from sequester.model import Corpus

        found = first_pass.find(
            Corpus(utf8=docs.utf8, offsets=docs.offsets), ("patterns",), owners=owners, k=K, language="en", hide=()
        )
        hidden = first_pass.per_byte(Corpus(utf8=docs.utf8, offsets=docs.offsets), found)
        TextIndex.build(docs, granularity="token", forbidden="[…]", hidden=hidden).keep_by_published(owners, K)
    else:
        index = TextIndex.build(docs)
        (index.keep_by_original if what == "original" else index.keep_by_published)(owners, K)
    return time.process_time() - start


def _tokenising(docs) -> float:
    """Seconds to cut the text into tokens and number them."""
    from sequester.methods.text.shared.kernels.cut_text import cut_text
    from sequester.methods.text.shared.kernels.repeats import document_ends, join_documents
    from sequester.primitives.row_file import Room

    text = join_documents(docs.utf8, docs.offsets)
    start = time.process_time()
    cut_text(text, document_ends(docs.offsets), None, "token", Room())
    return time.process_time() - start


CHILD = """
import sys, numpy as np
from benchmarks import text_repeats as here
from sequester.methods.text.shared.kernels.text_index import Documents
what, path = sys.argv[1:]
tiny = np.frombuffer(b"warm up the kernels, warm up the kernels" * 20, dtype=np.uint8)
here._ours(what, Documents(tiny, np.array([0, 200, 400, 600, 700, len(tiny)])))
print("ready", flush=True)
sys.stdin.readline()
here._ours(what, Documents(np.load(f"{path}.utf8.npy"), np.load(f"{path}.offsets.npy")))
"""


def watched(what: str, path: Path) -> int:
    """Most bytes resident in a process that does the work, beyond those after warming up, as seen from outside."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, what, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin is not None and child.stdout is not None
    child.stdout.readline()
    before = most = _resident(child.pid)
    child.stdin.write("go\n")
    child.stdin.flush()
    while child.poll() is None:
        most = max(most, _resident(child.pid))
        time.sleep(0.01)
    return most - before


def _resident(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line, ensure_ascii=False), flush=True)
