"""Damaged inputs of twenty groups.

What `fuzz_readers` and `fuzz_others` damage, layouts of records, archives whose inside is damaged, manifests and cells
of sound bundles; `fault_screens` adds command lines and requests.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import signal
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sequester as sq
from experiments.fault_screens import of_commands, of_requests
from experiments.fuzz_others import CORPUS, TARGETS, Target, _docx, _file, _parts, _where
from experiments.fuzz_readers import READERS, ROWS, damaged, outcome, seeds
from sequester.bundle_checks import judge_checks, report_text
from sequester.layouts.shapes import require_shape

BUNDLES = Path(__file__).parents[1] / "tests" / "golden" / "bundles"
TARGETS_OF = {
    "documents": ("text", "text, gzip", "text, JSON lines", "text, CSV", "text, PDF", "text, RTF", "text, docx"),
    "XES": ("XES", "XES, gzip"),
    "WFDB": ("WFDB",),
    "EDF": ("EDF",),
    "FHIR": ("FHIR",),
    "OMOP": ("OMOP",),
    "MEDS": ("MEDS",),
    "plans": ("plan",),
    "descriptions": ("descriptions, CSV", "descriptions, TOML"),
    "bundle files": ("bundle", "bundle, zip"),
    "custodian's folders and accounts": ("custodian's folder",),
}
READERS_OF = {
    "tables of series": ("series", "series, long"),
    "tables of events": ("events", "events, declared"),
    "tables of activity": ("activity", "activity, counts", "activity, wide"),
    "tables of symbols": ("symbols", "symbols, numbers", "inspect"),
}
SCREENS = {"command lines": of_commands, "requests to the workbench": of_requests}
GROUPS = (*READERS_OF, *TARGETS_OF, "archives and workbooks", "manifests", "cells of bundles", *SCREENS)
DEAR = {"inspect", "verify", "keep"}
"""Looks that take several times as long as others: one in ten."""
SECONDS = 20
"""What one case may take."""
ODD: tuple[Any, ...] = (2**62, -(2**62), -1, 0, 1, 10**6, float("nan"), float("inf"), -1e300, "", "x", "a " * 500,
                        "\x00", "1", None, True, "2024-01-01")  # fmt: skip


def _fhir(folder: Path) -> Path:
    lines = []
    for i, (person, time, state) in enumerate(ROWS):
        code, subject = {"coding": [{"code": state}]}, {"reference": f"Patient/{person}"}
        visit = {"resourceType": "Encounter", "type": [code], "period": {"start": time}}
        done = {"resourceType": "Procedure", "code": code, "performedDateTime": time}
        lines.append(json.dumps({**(visit if i % 2 else done), "subject": subject}))
    (folder / "log.ndjson").write_text("\n".join(lines), "utf-8")
    return folder


def _omop(folder: Path) -> Path:
    for name, column, moment in (
        ("visit_occurrence", "visit_concept_id", "visit_start_datetime"),
        ("procedure_occurrence", "procedure_concept_id", "procedure_datetime"),
    ):
        rows = [("person_id", column, moment), *((p, s, t) for p, t, s in ROWS)]
        (folder / f"{name}.csv").write_text("\n".join(map(",".join, rows)), "utf-8")
    return folder


def _meds(folder: Path) -> Path:
    moments = pa.array([datetime.fromisoformat(t) for _, t, _ in ROWS], pa.timestamp("us"))
    people, states = pa.array([int(r[0]) for r in ROWS], pa.int64()), pa.array([r[2] for r in ROWS])
    pq.write_table(pa.table({"subject_id": people, "time": moments, "code": states}), folder / "0.parquet")
    return folder


def _layout(name: str) -> dict[str, Callable[[Path], Any]]:
    return {
        "events": lambda p: sq.read_events(p, layout=name),
        "inspect": lambda p: str(sq.inspect(p)),
    }


_DESCRIBED = {"read_descriptions": sq.read_descriptions}
MORE = (
    Target("FHIR", _fhir, _layout("fhir")),
    Target("OMOP", _omop, _layout("omop")),
    Target("MEDS", _meds, _layout("meds")),
    Target("descriptions, CSV", _file("d.csv", b'column,description\nt1,the first\nt2,"the, second"\n'), _DESCRIBED),
    Target("descriptions, TOML", _file("d.toml", b't1 = "the first"\nt2 = """the\nsecond"""\n'), _DESCRIBED),
)


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
                if name in DEAR and i // len(forms) % 10:
                    continue
                yield looked(partial(READERS[name], path), name == "inspect")


def of_targets(names: tuple[str, ...], rng: np.random.Generator) -> Iterator[str]:
    """Damaged files of other things, one target after the other."""
    with tempfile.TemporaryDirectory() as place:
        made = []
        for at, target in enumerate(t for t in TARGETS + MORE if t.name in names):
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
                if who in DEAR and i // len(made) % 10:
                    continue
                yield looked(partial(look, look_at), who == "inspect")
            if target.name == "custodian's folder":  # `keep` writes
                shutil.rmtree(folder)
                shutil.copytree(whole, folder)
            else:
                shutil.copyfile(whole / part.relative_to(folder), part)
            if i % 20 == 0:
                yield looked(partial(_where, damaged(b"t3 - t1 in [0.5, 2]", rng).decode("utf-8", "replace")))


def _repacked(whole: bytes, form: str, rng: np.random.Generator) -> bytes:
    """An archive with something damaged inside, and right checksums around it."""
    if form.endswith("gz"):
        return gzip.compress(damaged(gzip.decompress(whole), rng), 1)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(out, "w") as new:
        hit = int(rng.integers(len(old.infolist())))
        for i, inside in enumerate(old.infolist()):
            content = old.read(inside)
            new.writestr(inside.filename, damaged(content, rng) if i == hit else content)
    return out.getvalue()


def of_archives(rng: np.random.Generator) -> Iterator[str]:
    """Zip, gzip, workbooks and word processors' files whose inside is damaged; some also outside."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        whole = {form: raw for form, raw in seeds(folder).items() if form in ("zip", "csv.gz", "jsonl.gz", "xlsx")}
        whole |= {"docx": _docx(folder).read_bytes()}
        for i in range(10**9):
            form = list(whole)[i % len(whole)]
            path = folder / f"t{i % 2}.{form}"
            raw = _repacked(whole[form], form, rng)
            path.write_bytes(damaged(raw, rng) if i % 7 == 0 else raw)
            readers = list((CORPUS if form == "docx" else READERS).items())
            for name, read in (readers[i % len(readers)], readers[(3 * i + 1) % len(readers)]):
                yield looked(partial(read, path), name == "inspect")


def _nodes(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside a JSON value: its holder and its key."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [pair for k in keys for pair in [(value, k), *_nodes(value[k])]]


def of_manifests(rng: np.random.Generator) -> Iterator[str]:
    """Sound bundles whose manifest says something else in a place or three."""
    with tempfile.TemporaryDirectory() as place:
        for i in range(10**9):
            right = golden()[i % len(golden())]
            path = Path(place) / right.path.name
            if not path.exists():
                shutil.copytree(right.path, path)
            manifest = json.loads((right.path / "manifest.json").read_text("utf-8"))
            for _ in range(int(rng.integers(1, 4))):
                nodes = _nodes(manifest)
                holder, key = nodes[int(rng.integers(len(nodes)))]
                way = int(rng.integers(4))
                if way == 0:
                    del holder[key]
                elif way == 1:
                    other, at = nodes[int(rng.integers(len(nodes)))]
                    holder[key] = json.loads(json.dumps(other[at] if at in other or isinstance(at, int) else None))
                else:
                    holder[key] = (*ODD, [], {}, [[]], {"": None})[int(rng.integers(len(ODD) + 4))]
            (path / "manifest.json").write_text(json.dumps(manifest), "utf-8")
            yield looked(lambda: sq.open_bundle(path).manifest)  # noqa: B023
            look = (lambda: sq.verify(path), lambda: _questions(sq.open_bundle(path, check=False)),  # noqa: B023
                    lambda: report_text(sq.open_bundle(path, check=False)))[i % 3]  # noqa: B023  # fmt: skip
            yield looked(look)


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


INSIDE = {"archives and workbooks": of_archives, "manifests": of_manifests, "cells of bundles": of_cells}


def fuzzed(group: str, n: int, seed: int) -> Counter[str]:
    """What came of `n` looks at damaged things of a group."""
    rng = np.random.default_rng([seed, GROUPS.index(group)])
    found: Counter[str] = Counter()
    signal.signal(signal.SIGALRM, _late)
    if group in READERS_OF:
        cases = of_readers(READERS_OF[group], rng)
    elif group in TARGETS_OF:
        cases = of_targets(TARGETS_OF[group], rng)
    elif group in SCREENS:
        cases = SCREENS[group](rng, looked)
    else:
        cases = INSIDE[group](rng)
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
