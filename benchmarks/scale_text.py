"""k-repeats within a memory limit: the same masks as in memory, and at what cost?

Each run is a process of its own: warm up on a small text, then wait; the parent samples its anonymous memory from
outside (files that are mapped may be dropped by the system and do not count) while it works. Runs within limits stand
under RLIMIT_DATA, which is a hard bound. In memory and within limits alternate; the ratio is of medians of CPU seconds.
`python -m benchmarks.scale_text [MEGABYTES [REPEATS [GRANULARITY]]]`.
"""

from __future__ import annotations

import hashlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

TITLE = "k-repeats beyond memory"
NOTE = """Recombined abstracts and clinical cases (medline, MEDDOCAN), three documents a person, k = 5. `cpu` is CPU
seconds within limits (two threads, 256 MB for sorting, RLIMIT_DATA of 900 MB), `ratio` to the same work in memory;
`anon_mb` the most anonymous memory beyond the warmed-up process, sampled from outside, and `bytes_per_byte` the
same without the allowed 150 MB, beside that in memory. `equal` says that both masks are the same, byte for byte. The
last rows have 1,000 copies of a note of 5 kB in 3 MB of text."""
ALONE = True
K = 5
MEMORY = 256_000_000
LIMIT = 900_000_000
WORK = (("token", "published"), ("token", "original"), ("character", "original"), ("character", "published"))
ALLOWED = {"original": (3.0, 3.0), "published": (1.8, 5.0)}
"""Times CPU, and bytes per byte beyond 150 MB."""


def run(megabytes: float = 110, repeats: int = 3, work: tuple[tuple[str, str], ...] = WORK) -> Iterator[dict]:
    """A row per work and size."""
    from experiments import s002_text as text_data

    some = text_data.medline() + list(text_data.meddocan().texts)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        _write(path / "large", text_data.resampled(some, int(megabytes * 1e6)))
        for granularity, count_in in work:
            yield _row(path, "large", granularity, count_in, repeats)
        small = text_data.resampled(some, 3_000_000)
        note = "".join(text_data.resampled(some, 6_000, seed=1)).encode()[:5_000].decode("utf-8", "ignore")
        _write(path / "copies", small + [note] * 1_000)
        for granularity, count_in in work:
            yield _row(path, "copies", granularity, count_in, repeats)


def _write(path: Path, texts: list[str]) -> None:
    raw = [t.encode("utf-8") for t in texts]
    np.save(f"{path}.utf8.npy", np.frombuffer(b"".join(raw), dtype=np.uint8))
    np.save(f"{path}.offsets.npy", np.cumsum([0] + [len(r) for r in raw], dtype=np.int64))


def _row(folder: Path, corpus: str, granularity: str, count_in: str, repeats: int) -> dict:
    runs: dict[str, list[dict]] = {"memory": [], "limits": []}
    for _ in range(repeats):
        for where in runs:
            runs[where].append(watched(folder, corpus, granularity, count_in, where))
    n = runs["limits"][0]["n"]
    cpu = {where: statistics.median(r["cpu"] for r in found) for where, found in runs.items()}
    anon = {where: max(r["anon"] for r in found) for where, found in runs.items()}
    times, per_byte = ALLOWED[count_in] if corpus == "large" else (5.0, float("inf"))
    ratio, beyond = cpu["limits"] / cpu["memory"], max(0.0, (anon["limits"] - 150e6) / n)
    return {
        "bench": "scale_text",
        "corpus": corpus,
        "granularity": granularity,
        "count_in": count_in,
        "megabytes": round(n / 1e6, 1),
        "cpu": round(cpu["limits"], 2),
        "ratio": round(ratio, 2),
        "anon_mb": round(anon["limits"] / 1e6),
        "bytes_per_byte": round(beyond, 2),
        "in_memory": round(anon["memory"] / n, 1),
        "disk": round(max(r["disk"] for r in runs["limits"]) / n, 1),
        "equal": len({r["mask"] for found in runs.values() for r in found}) == 1,
        "limit": times,
        "met": ratio <= times and beyond <= per_byte,
    }


CHILD = """
import sys
from benchmarks import scale_text
scale_text.child(*sys.argv[1:])
"""


def child(folder: str, corpus: str, granularity: str, count_in: str, where: str) -> None:
    """Warm up, wait for a line, work, and tell the CPU seconds and the mask."""
    tiny = b"warm up the kernels, warm up the kernels" * 20
    raw = np.frombuffer(tiny, dtype=np.uint8)
    _keep(raw, np.array([0, 200, 400, 600, 700, len(raw)]), Path(folder), granularity, count_in, where)
    print("ready", flush=True)
    sys.stdin.readline()
    if where == "limits":
        resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    mode = "r" if where == "limits" else None
    utf8, offsets = (np.load(f"{folder}/{corpus}.{name}.npy", mmap_mode=mode) for name in ("utf8", "offsets"))
    begun = time.process_time()
    keep = _keep(np.asarray(utf8), np.asarray(offsets), Path(folder), granularity, count_in, where)
    used = time.process_time() - begun
    print(json.dumps({"cpu": used, "n": len(utf8), "mask": hashlib.sha256(keep).hexdigest()}), flush=True)


def _keep(
    utf8: np.ndarray, offsets: np.ndarray, folder: Path, granularity: str, count_in: str, where: str
) -> np.ndarray:
    from sequester.methods.text.shared.kernels.text_index import Documents, TextIndex, Within

    owners = np.arange(len(offsets) - 1) // 3
    within = Within(folder, MEMORY, 2) if where == "limits" else None
    index = TextIndex.build(Documents(utf8, offsets), granularity=granularity, forbidden="[…]", within=within)
    if count_in == "published":
        return index.keep_by_published(owners, K)
    return index.keep_by_original(owners, K, 1, "greedy")


def watched(folder: Path, corpus: str, granularity: str, count_in: str, where: str) -> dict:
    """One run, with the most anonymous memory beyond the warmed-up process and the space of its files."""
    command = [sys.executable, "-c", CHILD, str(folder), corpus, granularity, count_in, where]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    process.stdout.readline()
    before = most = _anonymous(process.pid)
    disk, free = 0, _used(folder)
    process.stdin.write("go\n")
    process.stdin.flush()
    while process.poll() is None:
        most = max(most, _anonymous(process.pid))
        disk = max(disk, _used(folder) - free)
        time.sleep(0.02)
    told = json.loads(process.stdout.read())
    return {**told, "anon": most - before, "disk": disk}


def _anonymous(pid: int) -> int:
    try:
        told = Path(f"/proc/{pid}/status").read_text("ascii")
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in told.splitlines() if line.startswith("RssAnon"))


def _used(folder: Path) -> int:
    """Bytes taken on the disk; files without names show only here."""
    import os

    told = os.statvfs(folder)
    return (told.f_blocks - told.f_bfree) * told.f_frsize


if __name__ == "__main__":
    size = float(sys.argv[1]) if len(sys.argv) > 1 else 110
    chosen = tuple(pair for pair in WORK if not sys.argv[3:] or pair[0] in sys.argv[3:])
    for row in run(size, int(sys.argv[2]) if len(sys.argv) > 2 else 3, chosen):
        print(json.dumps(row, ensure_ascii=False), flush=True)
