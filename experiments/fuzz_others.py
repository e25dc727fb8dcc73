"""Damaged documents, logs, recordings, plans, bundles, accounts and conditions: the other half of `fuzz_readers`."""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sequester as sq
from experiments.fuzz_readers import CANARY, ROWS, damaged, outcome

TITLE = "Damaged documents, logs, recordings, plans and bundles"
NOTE = """What `fuzz_readers` does for tables, for everything else a person can hand to the program: text, files of word
processors, XES logs, recordings, publication plans, bundles (every file of one), custodian's folders, accounts and the
conditions of `query --where`. `foreign_errors` and `cells_let_out` must be 0."""
TEXT = f"Patient {CANARY}1 was seen on day {CANARY}2.\nThe pain was {CANARY}3 of ten.\n" * 12
MANY = 40_000
"""Damaged things in the long form."""


class Target(NamedTuple):
    """Something that can be damaged, and who then looks at it."""

    name: str
    make: Callable[[Path], Path]
    """Writes a whole one into a folder and says which file or folder is looked at."""
    look: dict[str, Callable[[Path], Any]]
    costly: int = 1
    """How many times dearer than a file it is to look at; it is damaged that much more seldom."""


def _file(name: str, content: bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return make


def _docx(folder: Path) -> Path:
    from docx import Document

    document = Document()
    for line in TEXT.splitlines():
        document.add_paragraph(line)
    document.save(str(folder / "note.docx"))
    return folder / "note.docx"


def _pdf(folder: Path) -> Path:
    """One page with one line of text, written by hand."""
    drawn = f"BT /F1 12 Tf 20 200 Td (Patient {CANARY}1) Tj ET".encode()
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, at = b"%PDF-1.4\n", []
    for i, part in enumerate(parts):
        at.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (i + 1, part)
    table = b"".join(b"%010d 00000 n \n" % a for a in at)
    out += b"xref\n0 6\n0000000000 65535 f \n" + table + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n"
    return _file("note.pdf", out + b"%d\n%%%%EOF\n" % out.index(b"xref\n0"))(folder)


def _xes() -> bytes:
    traces = []
    for p in range(7):
        events = "".join(
            f'<event><string key="concept:name" value="{s}"/><date key="time:timestamp" value="{t}+01:00"/></event>'
            for _, t, s in ((a, b.replace(" ", "T"), c) for a, b, c in ROWS[p::7])
        )
        traces.append(f'<trace><string key="concept:name" value="{CANARY}{p}"/>{events}</trace>')
    return ('<?xml version="1.0" encoding="UTF-8"?><log xes.version="1.0">' + "".join(traces) + "</log>").encode()


def _recording(folder: Path) -> Path:
    """A WFDB record of one lead, 16-bit."""
    values = (np.sin(np.arange(600) / 5) * 200).astype("<i2")
    (folder / "rec.dat").write_bytes(values.tobytes())
    head = f"rec 1 100 600\nrec.dat 16 200 16 0 {values[0]} {int(values.sum()) % 65536} 0 II\n# {CANARY}1\n"
    (folder / "rec.hea").write_text(head)
    return folder / "rec.hea"


def _edf(folder: Path) -> Path:
    """An EDF file of one lead, two records of a second: header fields have fixed widths."""
    wide = (8, 80, 80, 8, 8, 8, 44, 8, 8, 4)
    whole = ("0", f"X X X {CANARY}1", "Startdate 01-JAN-2024 X X X", "01.01.24", "00.00.00", "512", "", "2", "1", "1")
    lead = (("II", 16), ("", 80), ("mV", 8), ("-1", 8), ("1", 8), ("-32768", 8), ("32767", 8), ("", 80), ("300", 8),
            ("", 32))  # fmt: skip
    head = "".join(v.ljust(w) for v, w in zip(whole, wide)) + "".join(v.ljust(w) for v, w in lead)
    values = (np.sin(np.arange(600) / 5) * 20000).astype("<i2")
    return _file("rec.edf", head.encode() + values.tobytes())(folder)


def _plan(folder: Path) -> Path:
    table = "\n".join(",".join(row) for row in [("person", "time", "state"), *ROWS])
    (folder / "log.csv").write_text(table)
    (folder / "plan.toml").write_text(
        'title = "a plan"\n[[release]]\nname = "one"\nsource = "log.csv"\nmethod = "ngram-k"\nout = "one.bundle"\n'
        'formats = ["csv"]\nevidence = ["measure"]\npopulation = "ward"\n[release.parameters]\nk = 3\nn = 2\n'
        'unit = "person"\n[release.roles]\nperson = "person"\nvalue = ["state"]\nsymbolize = "none"\n'
        '[release.promise]\nunit = "person"\n[release.publication]\ntitle = "x"\nlicence = "CC0-1.0"\n'
    )
    return folder / "plan.toml"


def _bundle(folder: Path) -> Path:
    """A small release with its custodian's folder and account."""
    data = sq.sample("series", n_people=12, seed=1)
    target = folder / "small.bundle"
    sq.publish_data(data, sq.Request(method=sq.Kapra(k=3, p=2), target=target, formats=("csv",)))
    return target


def _zipped(folder: Path) -> Path:
    bundle = _bundle(folder)
    path = folder / "small.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(bundle.rglob("*")):
            if file.is_file():
                archive.write(file, f"small.bundle/{file.relative_to(bundle).as_posix()}")
    shutil.rmtree(bundle)
    return path


def _ask(path: Path) -> Any:
    return sq.open_bundle(path, check=False).sql("select count(*) from records")


def _where(text: str) -> Any:
    import click

    from sequester.cli.query import _conditions

    try:
        return _conditions((text,))
    except click.UsageError as error:
        raise sq.InputError("refused") from error


CORPUS = {
    "text": lambda p: sq.read_corpus(p),
    "text of people": lambda p: sq.read_corpus(p, person="each"),
    "inspect": lambda p: str(sq.inspect(p)),
}
LOG = {
    "events": lambda p: sq.read_events(p, person="case"),
    "events, declared": lambda p: sq.read_events(
        p, person="case", state="concept:name", time="time:timestamp", time_format="iso", time_unit="second"
    ),
    "inspect": lambda p: str(sq.inspect(p)),
}
LEAD = {
    "signals": lambda p: sq.read_symbols(p, person="each", lead="1"),
    "inspect": lambda p: str(sq.inspect(p)),
}
OPENED = {"verify": lambda p: sq.verify(p), "open": lambda p: sq.open_bundle(p), "ask": _ask}
KEPT = {
    "open, private": lambda p: sq.open_bundle(p, private=True),
    "custodian": lambda p: sq.custodian(p),
    "keep": lambda p: sq.keep(p, sq.Evidence(about="measure", saw_original=True, summary="x", rows={})),
    "account": lambda p: [sq.open_account(p.parent).entries(), sq.open_account(p.parent).spent()],
}
LINES = "\n".join(
    json.dumps({"document": f"{CANARY}{i}", "person": f"{CANARY}{i % 3}", "text": TEXT}) for i in range(9)
)
TABLE = f"document,person,text\n{CANARY}1,{CANARY}2,{CANARY}3 words\n{CANARY}4,{CANARY}2,more words\n".encode()
TARGETS = (
    Target("text", _file("note.txt", TEXT.encode()), CORPUS),
    Target("text, gzip", _file("note.txt.gz", gzip.compress(TEXT.encode())), CORPUS),
    Target("text, JSON lines", _file("notes.jsonl", LINES.encode()), CORPUS, 4),
    Target("text, JSON lines, gzip", _file("notes.jsonl.gz", gzip.compress(LINES.encode())), CORPUS, 4),
    Target("text, CSV", _file("notes.csv", TABLE), CORPUS, 4),
    Target("text, CSV, gzip", _file("notes.csv.gz", gzip.compress(TABLE)), CORPUS, 4),
    Target("text, docx", _docx, CORPUS, 20),
    Target("text, PDF", _pdf, CORPUS, 4),
    Target("text, RTF", _file("note.rtf", b"{\\rtf1\\ansi " + TEXT.encode() + b"\\par}"), CORPUS),
    Target("XES", _file("log.xes", _xes()), LOG),
    Target("XES, gzip", _file("log.xes.gz", gzip.compress(_xes())), LOG),
    Target("WFDB", _recording, LEAD, 2),
    Target("EDF", _edf, LEAD, 2),
    Target("plan", _plan, {"read_plan": lambda p: sq.read_plan(p)}, 10),
    Target("bundle", _bundle, OPENED, 10),
    Target("bundle, zip", _zipped, OPENED, 10),
    Target("custodian's folder", _bundle, KEPT, 20),
)


def _parts(target: Target, looked: Path) -> list[Path]:
    """Files of a target that may be damaged."""
    if target.name == "custodian's folder":
        beside = looked.parent
        return sorted(p for p in beside.rglob("*") if p.is_file() and looked not in p.parents)
    if looked.is_dir():
        return sorted(p for p in looked.rglob("*") if p.is_file())
    return sorted(looked.parent.glob(f"{looked.stem.partition('.')[0]}.*")) if target.name == "WFDB" else [looked]


def fuzz(n: int, seed: int, targets: tuple[Target, ...] = TARGETS) -> Iterator[tuple[str, str, str]]:
    """Target, who looked and what happened: `n` damaged ones of each target, fewer of costly ones."""
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for target in targets:
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place) / "now"
                folder.mkdir()
                looked = target.make(folder)
                parts = _parts(target, looked)
                whole = Path(place) / "whole"
                shutil.copytree(folder, whole)
                for _ in range(max(1, n // target.costly)):
                    part = parts[int(rng.integers(len(parts)))]
                    part.write_bytes(damaged((whole / part.relative_to(folder)).read_bytes(), rng))
                    for who, look in target.look.items():
                        yield target.name, who, outcome(lambda: look(looked), who == "inspect")  # noqa: B023
                    if target.name == "custodian's folder":  # `keep` writes
                        shutil.rmtree(folder)
                        shutil.copytree(whole, folder)
                    else:
                        shutil.copyfile(whole / part.relative_to(folder), part)


def conditions(n: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Damaged conditions of `query --where`."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        text = damaged(b"t3 - t1 in [0.5, 2]", rng).decode("utf-8", "replace")
        yield "--where", "query", outcome(lambda: _where(text), False)  # noqa: B023


def run() -> Iterator[dict[str, Any]]:
    """A row per target."""
    dear = sum(len(t.look) / t.costly for t in TARGETS) + 1
    n = int(MANY / dear) + 1
    counts: Counter[tuple[str, str]] = Counter()
    for part in (fuzz(n, seed=0), conditions(n, seed=1)):
        for name, _who, came in part:
            counts[name, came] += 1
    for name in (*(t.name for t in TARGETS), "--where"):
        mine = {o: c for (r, o), c in counts.items() if r == name}
        yield {
            "damaged": name,
            "looks": sum(mine.values()),
            "read": mine.get("read", 0),
            "refused": mine.get("refused", 0),
            "foreign_errors": sum(c for o, c in mine.items() if o.startswith("foreign")),
            "cells_let_out": mine.get("a cell got out", 0),
        }
