"""A hostile person followed from the file to the noise: every proved method, in three formats.

The rows of all others are read alike, and no mechanism is given more change than its ledger paid for.
"""

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester.audits import real_path as room
from sequester.audits.neighbours import neighbours
from sequester.audits.run import for_audit
from sequester.dp.noise import RecordingNoise, ReplayNoise, SecureNoise
from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.samples.files import write_source
from tests.unit.test_hostile_person import ODD

PROVED = [m for m in sq.METHODS if sq.method_class(m)(**sq.method_class(m).example).guarantee.status == "proved"]
FORMS = ("csv", "jsonl", "parquet")


def source(data, folder, form, hostile):
    """The file of a data set; the last person has every odd cell in every column, and odd names where there are."""
    plain = folder / f"plain-{hostile}.csv"
    write_source(data, plain)
    with plain.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    if hostile:
        mine = next(row for row in rows if row[0] == str(data.persons[-1]))
        # One cell of several symbols would make every cell of that person a series of its own, too short to count.
        odd = [cell for cell in ODD if data.kind != "symbols" or not len(cell.split()) > 1]
        rows += [[*mine[:c], cell, *mine[c + 1 :]] for c in range(1, len(names)) for cell in odd]
    path = folder / f"{'with' if hostile else 'without'}.{form}"
    if form == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([names, *rows])
    elif form == "jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
        odd = {n.upper(): "odd" for n in names} | {"": "odd", "more": [1, {"a": 2}]}
        path.write_text("\n".join([*([json.dumps(odd)] if hostile else []), *lines]) + "\n", "utf-8")
    else:
        pq.write_table(pa.table({n: pa.array([r[i] for r in rows], pa.string()) for i, n in enumerate(names)}), path)
    return path


def paid(a, b):
    """What a step's change between two transcripts costs at its scale: (pure epsilon, rho)."""
    assert (a["kind"], a["name"], a["scale"]) == (b["kind"], b["name"], b["scale"])
    if a["kind"] == "threshold":
        here, there = (dict(zip(s["keys"], s["given"].tolist(), strict=True)) for s in (a, b))
        change = np.array([here.get(k, 0) - there.get(k, 0) for k in here.keys() | there.keys()], dtype=float)
    else:
        change = np.asarray(a["given"], dtype=float) - np.asarray(b["given"], dtype=float)
    if a["kind"] == "gaussian":
        return 0.0, float((change**2).sum()) / (2 * a["scale"] ** 2)
    size = float(np.abs(change).max(initial=0)) if a["kind"] == "noisy-max" else float(np.abs(change).sum())
    return size / a["scale"], (size / a["scale"]) ** 2 / 2


@pytest.mark.filterwarnings("ignore::sequester.SequesterWarning")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("method_id", PROVED)
def test_no_mechanism_is_given_more_change_than_was_paid(method_id, form, tmp_path):
    cls = sq.method_class(method_id)
    method = cls(**for_audit(cls))
    kind = sq.KINDS[method.accepts.kind]
    without, with_ = method.worst_case_neighbours(None) or neighbours(
        kind.name, people=kind.audit_people, method=method
    )
    method = room._with_codebook(method, with_, tmp_path / "codebook.csv")
    read, declared = kind.load("reader"), kind.load("declared")
    here, there = (
        read(source(data, tmp_path, form, hostile), person="person", **declared(data))
        for data, hostile in ((without, False), (with_, True))
    )
    assert room._reading(here, there).passed
    drawn = RecordingNoise(SecureNoise())
    made = method.apply(there, rng=Randomness(noise=drawn), engine=Engine(threads=1))
    again = RecordingNoise(ReplayNoise(drawn.transcript))
    method.apply(here, rng=Randomness(noise=again), engine=Engine(threads=1))
    costs = np.array([paid(a, b) for a, b in zip(drawn.transcript, again.transcript, strict=True)])
    assert len(costs) and costs.any(), "the hostile person changes something: else nothing was tested"
    spent = costs[:, 1].sum() if made.ledger.measure == "rho" else costs[:, 0].sum()
    assert spent <= made.ledger.total * (1 + 1e-9)
