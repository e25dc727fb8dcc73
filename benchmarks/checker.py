"""How long does the page that needs no install take for large bundles, and how large is it?"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.compute as pc
from tests.checker import Checker
from tests.golden.make_bundles import original

import sequester as sq
from sequester.model import Series, SymbolSeries
from sequester.samples.notes import notes
from sequester.samples.wards import wards

TITLE = "The checker without install: seconds and size"
NOTE = """`page_seconds` is what `verify.html` needs in Chromium to read and check a bundle, by the browser's clock, and
`page_cpu_seconds` the processor time of the whole browser meanwhile, which tells more when the machine is busy;
`verify_seconds` is `sequester verify` in the same process that made it. `rows` are those of the largest table. Releases
of `kapra` and `mcka --exact` are those of fewer people, repeated with other numbers of records and groups; the others
are made as they are. Limits: 5 seconds on an idle machine for 10^5 rows, and 300,000 bytes for the page."""
ALONE = True
ROWS = 100_000
DATES = "2024-01-01..2025-12-31"


def repeated(release: sq.Release, table: str, first: int, group: str) -> sq.Release:
    """The release with its rows as often as it takes, in groups of their own and numbered from `first`."""
    times = -(-ROWS // release.tables[table].num_rows)
    shift = pc.max(release.tables[table][group]).as_py() + 1

    def again(old: pa.Table) -> pa.Table:
        if group not in old.column_names:
            return old
        at = old.column_names.index(group)
        whole = pa.concat_tables([old.set_column(at, group, pc.add(old[group], i * shift)) for i in range(times)])
        if "record" in old.column_names:
            numbers = np.arange(first, first + whole.num_rows)
            whole = whole.set_column(whole.column_names.index("record"), "record", pa.array(numbers))
        return whole.cast(old.schema)

    return replace(release, tables={name: again(old) for name, old in release.tables.items()})


def releases() -> Iterator[tuple[str, sq.Release, sq.Data | None]]:
    """What is checked, and its original where publishing needs one."""
    rng = np.random.default_rng(0)
    walks = Series(values=np.cumsum(rng.normal(size=(2_000, 30)), axis=1), people_known=True)
    yield "kapra, 30 columns", repeated(sq.anonymize(walks, sq.Kapra(k=10, p=3), seed=1), "records", 1, "group"), None
    corpus = notes(n_people=ROWS // 3)
    yield "k-repeats, notes", sq.anonymize(corpus, sq.KRepeats(k=5), seed=1), None
    symbols = SymbolSeries(
        symbols=rng.integers(0, 50, 3_000_000), offsets=np.arange(0, 3_000_001, 3_000), names_public=True,
        alphabet=tuple(f"s{i}" for i in range(50)),
    )  # fmt: skip
    yield "ngram-k", sq.anonymize(symbols, sq.NgramK(k=2, n=3), seed=1), symbols
    exact = sq.MCKA(k=5, exact=True)
    yield "mcka --exact, hours of 3 days", repeated(
        sq.anonymize(original("mcka"), exact, seed=1), "sequences", 0, "cluster"), None  # fmt: skip
    log = wards(n_people=ROWS // 7)
    yield (
        "markov-dp, the ledger",
        sq.anonymize(log, sq.MarkovDP(epsilon=4.0, delta=1e-6, people_at_least=ROWS // 7, dates=DATES)),
        None,
    )


def _browser_seconds() -> float:
    """Processor time of the browser so far, all its processes together."""
    times = [child.cpu_times() for child in psutil.Process().children(recursive=True)]
    return float(sum(t.user + t.system for t in times))


def run() -> Iterator[dict[str, Any]]:
    """A row for the page itself, and one per bundle."""
    with tempfile.TemporaryDirectory() as temporary, Checker(Path(temporary)) as checker:
        yield {"bench": "checker", "bundle": "the page itself", "page_bytes": checker.path.stat().st_size}
        for i, (words, release, source) in enumerate(releases()):
            path = sq.publish(release, Path(temporary) / f"{i}.bundle", source=source, force=True).path
            began = time.perf_counter()
            verdict = sq.verify(path).result
            seconds = time.perf_counter() - began
            before = _browser_seconds()
            found = checker.choose(path)
            cpu = _browser_seconds() - before
            size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
            yield {"bench": "checker", "bundle": words, "rows": max(t.num_rows for t in release.tables.values()),
                   "bundle_bytes": size, "verify": verdict, "verify_seconds": round(seconds, 2),
                   "page": found["result"], "page_seconds": round(found["ms"] / 1000, 2),
                   "page_cpu_seconds": round(cpu, 2)}  # fmt: skip
