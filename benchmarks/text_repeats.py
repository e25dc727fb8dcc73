"""Is original counting by document within 2 × of the suffix array and LCP alone? What do memory and Japanese cost?

Each measurement runs in a process of its own: warm up on a small text, load the bytes, run, report CPU seconds (all of
it runs on one thread, and other work on the machine disturbs the clock on the wall more) and the peak of resident
memory above what was resident before the bytes were loaded. Ours and pydivsufsort's alternate on the same bytes, best
of a few. `python -m benchmarks.text_repeats`.
"""

from __future__ import annotations

import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

K = 4


def run() -> Iterator[dict]:
    """The rows: one per corpus and question, then the ratios that were promised."""
    from experiments import s002_text as text_data

    english, ja = text_data.medline(), text_data.japanese()
    rng = np.random.default_rng(0)
    mixed = [(english + ja)[i] for i in rng.permutation(len(english) + len(ja))]
    corpora = {
        "medline 8 MB": english,
        "mix 50 MB": text_data.resampled(mixed, 50_000_000),
        "english 5 MB": text_data.resampled(english, 5_000_000),
        "japanese 5 MB": text_data.resampled(ja, 5_000_000),
    }
    seen: dict[tuple[str, str], dict] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, texts in corpora.items():
            path = Path(folder) / "corpus"
            docs = text_data.documents(texts)
            np.save(f"{path}.utf8.npy", docs.utf8)
            np.save(f"{path}.offsets.npy", docs.offsets)
            whats = ["original"] + (["published"] if name == "medline 8 MB" else [])
            for what in whats:
                row = _apart(what, path, repeats=1 if name == "mix 50 MB" else 3)
                row |= {"bench": "text_repeats", "corpus": name, "what": what, "n": len(docs.utf8), "k": K}
                row["mb_per_s"] = round(len(docs.utf8) / row["seconds"] / 1e6, 2)
                seen[name, what] = row
                yield row
    small, large = seen["medline 8 MB", "original"], seen["mix 50 MB", "original"]
    for what, value, limit in (
        ("8 MB: times suffix array + LCP", small["ratio"], 2.0),
        ("50 MB: times suffix array + LCP", large["ratio"], 2.0),
        ("50 MB / 8 MB seconds", large["seconds"] / small["seconds"], 8.0),
        ("8 MB: bytes of memory per byte", small["bytes_per_byte"], 30.0),
        ("50 MB: bytes of memory per byte", large["bytes_per_byte"], 30.0),
        ("8 MB published: bytes of memory per byte", seen["medline 8 MB", "published"]["bytes_per_byte"], 30.0),
        ("8 MB published: seconds", seen["medline 8 MB", "published"]["seconds"], 10.0),
        ("Japanese / English, seconds per byte",
         seen["japanese 5 MB", "original"]["seconds"] / seen["english 5 MB", "original"]["seconds"], 1.0),
    ):  # fmt: skip
        yield {"bench": "text_repeats", "what": what, "value": round(value, 2), "limit": limit, "met": value <= limit}


def _apart(what: str, path: Path, repeats: int) -> dict:
    command = [sys.executable, "-m", "benchmarks.text_repeats", what, str(path), str(repeats)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def _measure(what: str, path: str, repeats: int) -> dict:
    from pydivsufsort import divsufsort, kasai

    from sequester.primitives.text_index import Documents

    tiny = np.frombuffer(b"warm up the kernels, warm up the kernels" * 20, dtype=np.uint8)
    _ours(what, Documents(tiny, np.array([0, 200, 400, 600, 700, len(tiny)])))
    before = _resident("VmRSS")
    docs = Documents(np.load(f"{path}.utf8.npy"), np.load(f"{path}.offsets.npy"))
    ours, theirs, memory = [], [], 0.0
    for _ in range(repeats):
        _forget_peak()
        ours.append(_ours(what, docs))
        memory = max(memory, (_resident("VmHWM") - before) / len(docs.utf8))
        joined = np.zeros(len(docs.utf8) + len(docs.offsets), dtype=np.uint8)
        for d, (a, b) in enumerate(zip(docs.offsets, docs.offsets[1:])):
            joined[a + d + 1 : b + d + 1] = docs.utf8[a:b]
        start = time.process_time()
        kasai(joined, divsufsort(joined))
        theirs.append(time.process_time() - start)
        del joined  # not part of what the next turn needs
    return {
        "seconds": round(min(ours), 3),
        "suffix_array_and_lcp": round(min(theirs), 3),
        "ratio": round(min(ours) / min(theirs), 3),
        "bytes_per_byte": round(memory, 1),
    }


def _ours(what: str, docs) -> float:
    from sequester.primitives.text_index import TextIndex

    owners = np.arange(len(docs.offsets) - 1)
    start = time.process_time()
    index = TextIndex.build(docs)
    (index.keep_by_original if what == "original" else index.keep_by_published)(owners, K)
    return time.process_time() - start


def _resident(what: str) -> int:
    """Resident memory of this process in bytes, now (`VmRSS`) or at its peak (`VmHWM`)."""
    try:
        told = Path("/proc/self/status").read_text("utf-8")
        return next(int(line.split()[1]) for line in told.splitlines() if line.startswith(what)) * 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _forget_peak() -> None:
    """Importing and compiling have peaks of their own; start from what is resident now."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", "utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(_measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
    else:
        for line in run():
            print(json.dumps(line, ensure_ascii=False))
