"""Damaged inputs of ten groups: what `fuzz_readers` and `fuzz_others` damage, and cells inside sound bundles."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import pyarrow as pa

import sequester as sq
from experiments.fuzz_others import TARGETS, _parts, _where
from experiments.fuzz_readers import READERS, damaged, outcome, seeds
from sequester.bundle_checks import judge_checks, report_text
from sequester.layouts.shapes import require_shape

BUNDLES = Path(__file__).parents[1] / "tests" / "golden" / "bundles"
TARGETS_OF = {
    "documents": ("text", "text, gzip", "text, JSON lines", "text, CSV", "text, PDF", "text, RTF", "text, docx"),
    "logs and recordings": ("XES", "XES, gzip", "WFDB", "EDF"),
    "plans": ("plan",),
    "bundle files": ("bundle", "bundle, zip"),
    "custodian's folders and accounts": ("custodian's folder",),
}
READERS_OF = {
    "tables of series": ("series", "series, long"),
    "tables of events": ("events", "events, declared"),
    "tables of activity": ("activity", "activity, counts", "activity, wide"),
    "tables of symbols": ("symbols", "symbols, numbers", "inspect"),
}
GROUPS = (*READERS_OF, *TARGETS_OF, "cells of bundles")
SECONDS = 20
"""What one case may take."""
ODD: tuple[Any, ...] = (2**62, -(2**62), -1, 0, 1, 10**6, float("nan"), float("inf"), -1e300, "", "x", "a " * 500,
                        "\x00", "1", None, True, "2024-01-01")  # fmt: skip


class TooLong(Exception):
    """A case took longer than it may."""


def _late(_number: int, _frame: Any) -> NoReturn:
    raise TooLong


def looked(look: Callable[[], Any], shown: bool = False) -> str:
    """What came of a look, within its time."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return outcome(look, shown)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def of_readers(names: tuple[str, ...], rng: np.random.Generator) -> Iterator[str]:
    """Damaged tables of every format for some readers."""
    with tempfile.TemporaryDirectory() as place:
        whole = seeds(Path(place))
        forms = list(whole)
        for i in range(10**9):
            form = forms[i % len(forms)]
            path = Path(place) / f"t{i % 2}.{form}"
            path.write_bytes(damaged(whole[form], rng))
            for name in names:
                yield looked(partial(READERS[name], path), name == "inspect")


def of_targets(names: tuple[str, ...], rng: np.random.Generator) -> Iterator[str]:
    """Damaged files of other things, one target after the other."""
    with tempfile.TemporaryDirectory() as place:
        made = []
        for at, target in enumerate(t for t in TARGETS if t.name in names):
            folder, whole = Path(place) / f"{at}", Path(place) / f"{at}-whole"
            folder.mkdir()
            look_at = target.make(folder)
            shutil.copytree(folder, whole)
            made.append((target, folder, whole, look_at, _parts(target, look_at)))
        for i in range(10**9):
            target, folder, whole, look_at, parts = made[i % len(made)]
            part = parts[int(rng.integers(len(parts)))]
            part.write_bytes(damaged((whole / part.relative_to(folder)).read_bytes(), rng))
            for who, look in target.look.items():
                yield looked(partial(look, look_at), who == "inspect")
            if target.name == "custodian's folder":  # `keep` writes
                shutil.rmtree(folder)
                shutil.copytree(whole, folder)
            else:
                shutil.copyfile(whole / part.relative_to(folder), part)
            if i % 20 == 0:
                yield looked(partial(_where, damaged(b"t3 - t1 in [0.5, 2]", rng).decode("utf-8", "replace")))


@cache
def golden() -> list[Any]:
    """The bundles whose cells are changed."""
    return [sq.open_bundle(path) for path in sorted(BUNDLES.glob("*.bundle"))]


def changed(table: pa.Table, rng: np.random.Generator) -> pa.Table:
    """A table with something wrong in a column, or in its rows."""
    way, at = int(rng.integers(6)), int(rng.integers(table.num_columns))
    name, cells = table.column_names[at], table.column(at).to_pylist()
    if way == 0:
        return table.drop_columns([name])
    if way == 1:
        return table.take(pa.array(rng.integers(0, max(1, len(table)), int(rng.integers(0, len(table) + 2)))))
    if way == 2:
        return table.set_column(at, name, pa.array([ODD[int(rng.integers(len(ODD)))]] * len(table)))
    if way == 3:
        return table.set_column(at, name, table.column(int(rng.integers(table.num_columns))))
    for _ in range(int(rng.integers(1, 4))):
        if cells:
            cells[int(rng.integers(len(cells)))] = ODD[int(rng.integers(len(ODD)))]
    try:
        return table.set_column(at, name, pa.array(cells, table.schema.field(at).type if way == 4 else None))
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return table.set_column(at, name, pa.array([str(c) for c in cells]))


def _questions(bundle: Any) -> Any:
    """One question of each sort that its layout answers."""
    if hasattr(bundle, "rhythm"):
        return bundle.rhythm(), bundle.daily_minutes(bundle.states[0])
    if hasattr(bundle, "similar"):
        times = bundle.times
        return bundle.count({times[0]: (80.0, 95.0)}), bundle.similar([float(i) for i in range(len(times))], 0.5)
    if hasattr(bundle, "variants"):
        return bundle.following(), bundle.variants(3), bundle.next_after(bundle.states[0])
    if hasattr(bundle, "grams"):
        return bundle.order, bundle.next_after(next(iter(bundle.grams)))
    return bundle.count("patient"), list(bundle.runs())


def of_cells(rng: np.random.Generator) -> Iterator[str]:
    """Sound bundles with changed tables, as if resealed: checked when read, judged, asked and drawn."""
    for i in range(10**9):
        right = golden()[i % len(golden())]
        tables = dict(right.tables)
        name = sorted(tables)[int(rng.integers(len(tables)))]
        tables[name] = changed(tables[name], rng)
        if rng.random() < 0.1:
            del tables[name]
        bundle = type(right)(right.path, right.manifest)

        def read(bundle: Any = bundle, tables: dict[str, Any] = tables) -> None:
            for name, table in tables.items():
                require_shape(bundle.layout, name, table, bundle.path.name)

        came = looked(read)
        yield came
        if came == "read":
            bundle.__dict__["tables"] = tables
            yield looked(lambda: judge_checks(bundle, None))  # noqa: B023
            yield looked(lambda: _questions(bundle))  # noqa: B023
            if i % 4 == 0:
                yield looked(lambda: report_text(bundle))  # noqa: B023


def fuzzed(group: str, n: int, seed: int) -> Counter[str]:
    """What came of `n` looks at damaged things of a group."""
    rng = np.random.default_rng([seed, GROUPS.index(group)])
    found: Counter[str] = Counter()
    signal.signal(signal.SIGALRM, _late)
    cases = (of_cells(rng) if group == "cells of bundles" else of_readers(READERS_OF[group], rng)
             if group in READERS_OF else of_targets(TARGETS_OF[group], rng))  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for came in cases:
            found["done"] += 1
            if came.startswith("foreign"):
                found["too_long" if "TooLong" in came else "foreign_errors"] += 1
                print(group, seed, found["done"], came, file=sys.stderr)
            else:
                found["cells_let_out" if came == "a cell got out" else came] += 1
            if found["done"] >= n:
                break
    return found


if __name__ == "__main__":  # python -m experiments.fault_fuzz fuzz 'cells of bundles' 500 0
    print(json.dumps(fuzzed(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
