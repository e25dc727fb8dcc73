"""Forged bundles of every method: right checksums, right pages, and something in them that breaks the promise.

Each is written by the program itself while a bribed judge confirms everything, or resealed after the manifest was
changed; then `verify` looks at it, first alone and then beside the original.
"""

from __future__ import annotations

import copy
import json
import os
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"

import pyarrow as pa
import pyarrow.parquet as pq
from tests.golden.make_bundles import MADE, original

import sequester as sq
from sequester.bundle.companions import protected_by
from sequester.bundle.contents import as_copied
from sequester.bundle.formats import sha256
from sequester.bundle_checks import opened, page_makers
from sequester.judges import JUDGES
from sequester.release import Check, Release, to_json_text
from sequester.stored_tables import LABEL, labelled, write_parquet

METHODS = tuple(MADE)
SECRET = "Maria Muster, HIV positive"
Rows = list[dict[str, Any]]
Change = Callable[[Rows], Rows | None]
MAIN = {"boxes": "records", "drawn": "records", "letters": "sequences", "states": "sequences", "log": "events",
        "grams": "ngrams", "documents": "documents"}  # fmt: skip
HARMLESS = {("bfp2ka", "a letter for another value"): "the promise is about who shares a sequence, and still holds"}
"""Method and forgery → why it breaks no promise."""
LIMITS = {
    ("markov-dp", "a row twice"): "whether the drawn events follow from them",
    ("markov-ratio", "a row twice"): "an event or an object more passes",
    ("markov-ratio", "an object more"): "an event or an object more passes",
    ("ngram-copy", "a gram of one person"): "a raised count elsewhere passes",
    ("ngram-copy", "a count below k"): "a raised count elsewhere passes",
    ("ngram-copy", "every count multiplied"): "a raised count elsewhere passes",
    ("mcdp", "a stronger promise (epsilon)"): "That the noise was really drawn at that scale cannot be seen",
    ("mcdp", "rows are people's own"): "the row of somebody from another cluster passes",
    ("mdav-dp", "a stronger promise (epsilon)"): "That the noise was really drawn at that scale cannot be seen",
    ("mdav-dp", "rows are people's own"): "the row of somebody from another cluster passes",
    ("ngram-dp", "a count below k"): "a single changed count passes",
}
"""Method and forgery → the words of `docs/limits.md` that say why nobody sees it."""


def confirm(_claim: Any, _source: Any) -> list[Check]:
    """A judge that was bribed."""
    return [Check(name="bribed", passed=True, detail="whatever it is")]


@contextmanager
def bribed() -> Iterator[None]:
    """Every judge confirms everything."""
    right = dict(JUDGES)
    for name in right:
        JUDGES[name] = "experiments.fault_forgeries:confirm"
    try:
        yield
    finally:
        for name, judge in right.items():
            JUDGES[name] = judge


# -- forged tables -----------------------------------------------------------------------------------------------------


def with_rows(release: Release, table: str, change: Change) -> Release:
    """A release with other rows in a table."""
    old = release.tables[table]
    rows = old.to_pylist()
    rows = change(rows) or rows
    return replace(release, tables={**release.tables, table: pa.Table.from_pylist(rows, schema=old.schema)})


def last(**cells: Any) -> Change:
    """The last row has other cells; a function is given the old one."""

    def change(rows: Rows) -> None:
        for name, value in cells.items():
            rows[-1][name] = value(rows[-1][name]) if callable(value) else value

    return change


def every(**cells: Any) -> Change:
    """So has every row."""

    def change(rows: Rows) -> None:
        for row in rows:
            for name, value in cells.items():
                row[name] = value(row[name]) if callable(value) else value

    return change


def _twice(rows: Rows) -> Rows:
    return [*rows, dict(rows[-1])]


def _most_left_out(rows: Rows) -> Rows:
    return rows[:1]


def _points(rows: Rows) -> None:
    for name in list(rows[-1]):
        if name.endswith("_lo"):
            rows[-1][f"{name[:-3]}_hi"] = rows[-1][name]


def _own_states(data: Any, n: int) -> Change:
    """The first rows are people's own."""

    def change(rows: Rows) -> None:
        for i, row in enumerate(rows[:n]):
            row["states"] = data.states[i % len(data.states)].tolist()

    return change


def _own_values(data: Any) -> Change:
    def change(rows: Rows) -> None:
        for i, row in enumerate(rows):
            for j, time in enumerate(data.times):
                row[str(time)] = float(data.values[i % len(data.values), j])

    return change


def _own_log(release: Release, data: Any) -> Release:
    """The events of the release are those of the original's people."""
    table = release.tables["events"]
    ends = data.offsets
    n = min(len(set(table["object"].to_pylist())), len(ends) - 1)
    rows = []
    moments = (
        data.times.astype("datetime64[s]").tolist() if pa.types.is_timestamp(table.schema.field("time").type) else None
    )
    for i in range(n):
        for place, at in enumerate(range(ends[i], ends[i + 1])):
            rows.append({"object": i + 1, "time": moments[at] if moments else place,
                         "state": data.state_names[data.states[at]]})  # fmt: skip
    return replace(release, tables={**release.tables, "events": pa.Table.from_pylist(rows, schema=table.schema)})


def _rare(rows: Rows) -> Rows:
    """A gram that one person has, with its true count."""
    row = max(rows, key=lambda r: r["order"])
    symbols = row["gram"].split(" ")
    seen = {r["gram"] for r in rows}
    other = next((g for a in sorted({s for r in rows for s in r["gram"].split(" ")})
                  if (g := " ".join([*symbols[:-1], a])) not in seen), " ".join([*symbols[:-1], "zz"]))  # fmt: skip
    return [*rows, {**row, "gram": other, "count": 1}]


def _revealed(data: Any) -> Change:
    """The first document is shown as it was."""

    def change(rows: Rows) -> None:
        hidden = next(r for r in rows if "★" in r["text"] or "[" in r["text"])
        hidden["text"] = str(max(data.texts, key=len))

    return change


def of_layout(release: Release, data: Any) -> Iterator[tuple[str, Release]]:
    """Forgeries that hang on what a release looks like."""
    layout = release.layout
    main = MAIN[layout]
    some = lambda name, change, table=main: (name, with_rows(release, table, change))  # noqa: E731
    yield some("a row twice", _twice)
    if layout not in ("log", "grams", "documents"):
        yield some("all rows but one left out", _most_left_out)
    if layout == "boxes":
        yield some("a group of one", last(group=10**6))
        yield some("ranges of one record are points", _points)
        yield some("all patterns are a", every(pattern=lambda p: "a" * len(p)))
        yield some("a pattern of one", last(pattern=lambda p: p[::-1] if p != p[::-1] else "z" + p[1:]))
        yield some("another sensitive value", last(outcome="HIV positive"))
    if layout == "drawn":
        yield some("values are people's own", _own_values(data))
        yield some("another sensitive value", last(outcome="HIV positive"))
    if layout == "letters":
        yield some("a sequence of one", last(sequence=lambda s: " ".join(reversed(s.split(" "))) + " a"))
        yield some("a letter for another value", last(value=lambda v: v + 1), "alphabet")
    if layout == "states":
        n = len(data.states)
        yield some("rows are people's own", _own_states(data, n))
        yield some("a cluster of one", last(cluster=10**6)) if "cluster" in release.tables[main].column_names else some(
            "one row is a person's own five times", _own_states(data, 5))  # fmt: skip
        yield some("a code without a name", last(states=lambda s: [99, *s[1:]]))
        yield some("a renamed state", last(name=SECRET), "states")
        yield some("another calendar", last(interval_seconds=lambda s: s * 2), "calendar")
    if layout == "log":
        yield "events are people's own", _own_log(release, data)
        yield some("a state nobody has", last(state=SECRET))
        yield some("an object more", lambda rows: [*rows, {**rows[-1], "object": rows[-1]["object"] + 1}])
    if layout == "grams":
        yield some("a gram of one person", _rare)
        yield some("a count below k", last(count=1))
        yield some("a symbol that is no symbol", last(gram=SECRET))
        yield some("every count multiplied", every(count=lambda c: c * 3 + 1))
    if layout == "documents":
        yield some("a document as it was", _revealed(data))
        yield some("a word of one person", last(text=lambda t: f"{t} {SECRET}"))
        yield some("no gaps are told", lambda rows: rows[:1], "spans")
        yield some("one owner for all", every(owner=1), "owners")


def of_noise(release: Release) -> Iterator[tuple[str, Release]]:
    """Forgeries of measurements and ledgers."""
    ledger = release.ledger
    if ledger is None:
        return
    yield "an entry left out of the ledger", replace(release, ledger=replace(ledger, entries=ledger.entries[:-1]))
    half = [replace(e, sensitivity=e.sensitivity / 2, scale=e.scale / 2) for e in ledger.entries]
    yield "half the sensitivity", replace(release, ledger=replace(ledger, entries=half))
    if "measurements" in release.tables:
        values = {"value": lambda v: float(round(v))}
        yield "measurements rounded", with_rows(release, "measurements", every(**values))
        yield "measurements without noise", with_rows(release, "measurements", every(value=0.0))
        yield "a measurement left out", with_rows(release, "measurements", lambda rows: rows[:-1])


def of_any(release: Release, data: Any) -> Iterator[tuple[str, Release]]:
    """Forgeries that every method can be tried with."""
    main = MAIN[release.layout]
    yield "a table nobody asked for", replace(
        release, tables={**release.tables, "names": pa.table({"who": [SECRET]})})  # fmt: skip
    table = release.tables[main]
    more = table.append_column("name", pa.array([SECRET] * len(table)))
    yield "a column nobody asked for", replace(release, tables={**release.tables, main: more})
    for name, value in (("k", 100_000), ("epsilon", getattr(release.method, "epsilon", 1.0) / 100)):
        if hasattr(release.method, name):
            try:
                method = replace(release.method, **{name: value})
            except sq.SequesterError:
                continue
            yield f"a stronger promise ({name})", replace(release, method=method, guarantee=method.guarantee)
    for words, other in (*of_layout(release, data), *of_noise(release)):
        if other.ledger != release.ledger or any(not t.equals(release.tables[n]) for n, t in other.tables.items()):
            yield words, other  # what changes nothing is no forgery


# -- forged manifests -------------------------------------------------------------------------------------------------


def _line(manifest: dict[str, Any]) -> None:
    manifest["verification"]["checked"].append({"name": "hand", "passed": True, "detail": "Checked by the ministry"})


def _nothing_stated(manifest: dict[str, Any]) -> None:
    """The lines of the bribed judge go: they are not what is to be noticed."""
    manifest["verification"]["checked"] = []


def _found(manifest: dict[str, Any]) -> None:
    for fact in manifest["reading"]:
        fact["how"] = "found"


def _unread(manifest: dict[str, Any]) -> None:
    manifest["reading"] = []


def _unit(manifest: dict[str, Any]) -> None:
    manifest["guarantee"]["unit"] = "person" if manifest["guarantee"]["unit"] != "person" else "record"


def _level(manifest: dict[str, Any]) -> None:
    manifest["guarantee"]["level"] = "nobody can be found"


def _covered(manifest: dict[str, Any]) -> None:
    manifest["guarantee"]["not_covered"] = ["Nothing."]


def _grade(manifest: dict[str, Any]) -> None:
    manifest["guarantee"]["status"] = "proved" if manifest["guarantee"]["status"] != "proved" else "as-published"


def _budget(manifest: dict[str, Any]) -> None:
    manifest["ledger"]["spent"] /= 2


MANIFESTS: dict[str, Callable[[dict[str, Any]], None]] = {
    "a line invented in verification": _line, "another unit": _unit, "another level": _level,
    "nothing is left uncovered": _covered, "another grade": _grade,
}  # fmt: skip
NOISY = {"reading was found, not declared": _found, "reading is missing": _unread, "half the budget": _budget}


def written_again(path: Path, manifest: dict[str, Any]) -> None:
    """Tables that say of themselves what the manifest now says, and copies for people that follow from them."""
    tables: dict[str, Any] = {}
    for file in sorted(manifest["files"], key=lambda file: file["format"] == "long"):
        place = path / file["path"]
        with suppress(Exception):  # what cannot be read, and a manifest without words, stays as it is
            label = protected_by(manifest)
            if file["format"] == "parquet":
                tables[file["table"]] = pq.read_table(place, partitioning=None)
                if pq.read_metadata(place).metadata[LABEL] != label.encode():
                    write_parquet(labelled(tables[file["table"]], label), place)
            elif file["format"] == "long":
                write_parquet(labelled(as_copied(tables, file["table"], "long"), label), place)
        if place.is_file():
            file |= {"bytes": place.stat().st_size, "sha256": sha256(place)}


def resealed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a manifest, and make the pages that follow from it."""
    manifest = json.loads((path / "manifest.json").read_text("utf-8"))
    drawn = {p["path"]: p.get("drawn_with") for p in manifest["pages"]}
    change(manifest)
    written_again(path, manifest)
    bundle = opened(path, copy.deepcopy(manifest))
    for page, make in page_makers(bundle).items():
        (path / page).write_text(make(), "utf-8")
    manifest["pages"] = [{"path": p, "sha256": sha256(path / p)} | ({"drawn_with": drawn[p]} if drawn.get(p) else {})
                         for p in page_makers(bundle)]  # fmt: skip
    (path / "manifest.json").write_text(to_json_text(manifest), "utf-8")
    private = path.with_name(f"{path.name.removesuffix('.bundle')}.private") / "custodian.json"
    if private.exists():  # the custodian's map is taken for this bundle's own
        kept = json.loads(private.read_text("utf-8")) | {"manifest_sha256": sha256(path / "manifest.json")}
        private.write_text(to_json_text(kept), "utf-8")


def _padded(path: Path) -> None:
    """A secret between the columns and the footer of a table, which readers of Parquet skip."""
    manifest = json.loads((path / "manifest.json").read_text("utf-8"))
    entry = next((f for f in manifest["files"] if f["format"] == "parquet"), manifest["files"][0])
    file = path / entry["path"]
    raw = file.read_bytes()
    length = int.from_bytes(raw[-8:-4], "little") if entry["format"] == "parquet" else -8
    file.write_bytes(raw[: len(raw) - 8 - length] + SECRET.encode() + raw[len(raw) - 8 - length :])

    def listed(manifest: dict[str, Any]) -> None:
        for one in manifest["files"]:
            if one["path"] == entry["path"]:
                one |= {"sha256": sha256(file), "bytes": file.stat().st_size}

    try:
        resealed(path, listed)
    except sq.SequesterError:  # the table cannot be read any more: it is met all the same
        listed(manifest)
        (path / "manifest.json").write_text(to_json_text(manifest), "utf-8")


def _spoken(path: Path) -> None:
    """A report that says something else, vouched for by the manifest."""
    manifest = json.loads((path / "manifest.json").read_text("utf-8"))
    (path / "report.html").write_text(f"<p>{SECRET}</p>", "utf-8")
    manifest["pages"][1]["sha256"] = sha256(path / "report.html")
    (path / "manifest.json").write_text(to_json_text(manifest), "utf-8")


def met(path: Path, source: Any) -> str:
    """How a forged bundle is met."""
    for where, beside in (("refused from the release alone", None), ("refused beside the original", source)):
        try:
            found = sq.verify(path, beside)
        except sq.SequesterError:
            return where
        if found.result == "broken":
            return where
    return "confirmed" if found.verdict is not None and found.verdict.complete else "not decided"


def forged(name: str) -> Counter[str]:
    """All forgeries of one method, and how each was met."""
    method_id, _, parameters = MADE[name]
    data = original(name)
    release = sq.anonymize(data, sq.method_class(method_id)(**parameters))
    found: Counter[str] = Counter()

    def count(words: str, path: Path) -> None:
        how = met(path, data)
        if how == "confirmed":
            how = "harmless" if (name, words) in HARMLESS else "named in limits" if (name, words) in LIMITS else how
        print(f"{name}: {words}: {how}", file=sys.stderr)
        found.update(["done", how])

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        honest = sq.publish(release, Path(folder) / "honest.bundle", source=data, force=True).path
        assert sq.verify(honest, data).holds, name
        for i, (words, other) in enumerate(of_any(release, data)):
            try:
                with bribed():
                    path = sq.publish(other, Path(folder) / f"{i}.bundle", force=True).path
            except (sq.SequesterError, pa.ArrowException) as error:
                print(f"{name}: {words}: could not be written: {type(error).__name__}", file=sys.stderr)
                continue
            resealed(path, _nothing_stated)
            count(words, path)
        changes = MANIFESTS | (NOISY if release.ledger is not None else {})
        for i, (words, change) in enumerate(changes.items()):
            path = sq.publish(release, Path(folder) / f"m{i}.bundle", source=data, force=True).path
            resealed(path, change)
            count(words, path)
        for words, deed in (("a secret in a table's footer", _padded), ("a report that says something else", _spoken)):
            path = sq.publish(release, Path(folder) / f"{words}.bundle", source=data, force=True).path
            deed(path)
            count(words, path)
    return found


if __name__ == "__main__":  # python -m experiments.fault_forgeries forgeries kapra 0 0
    print(json.dumps(forged(sys.argv[2])))
