"""A release that nobody would want is refused before it appears, from its own tables; `force` publishes it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.errors import BundleError
from sequester.release_look import LOOKS, refuse_nonsense
from tests.exits import exit_of


def looked(layout, parameters=None, **tables):
    return SimpleNamespace(layout=layout, tables=tables, parameters=parameters or {})


def states(cells, names=("rest", "walk", "missing")):
    book = pa.table({"code": pa.array(range(len(names)), pa.uint8()), "name": list(names)})
    return looked("states", states=book, sequences=pa.table({"states": pa.array(cells, pa.list_(pa.uint8()))}))


def log(named, times=None, parameters=None, **more):
    n = len(named)
    at = pa.array(times if times is not None else ["2024-01-05"] * n).cast(pa.timestamp("s"))
    return looked(
        "log", parameters, events=pa.table({"object": pa.array(range(1, n + 1)), "time": at, "state": named, **more})
    )


N = 400
NONSENSE = [
    (states([[0] * N]), "100% of the time would be one and the same"),
    (states([[2] * (N // 2 + 9) + [0, 1] * 80]), "57% of the time would be 'missing'"),
    (log(["a"] * 390 + ["b"] * 10), "98% of the events would be one and the same"),
    (log(["OTHER"] * 300 + ["a", "b"] * 50), "75% of the events would be 'OTHER'"),
    (log([f"case {i}" for i in range(N)]), "most states would stand there once, as identifiers do"),
    (
        log(["a", "b"] * 200, visit=[f"v{i}" for i in range(N)]),
        "the attribute 'visit' would be another one for most events, as an identifier is",
    ),
    (
        log(["a", "b"] * 200, parameters={"dates": "2024-01-01..2024-01-04"}),
        "events would lie outside the declared dates",
    ),
    (looked("letters", sequences=pa.table({"sequence": ["a" * 300]})), "100% of the letters would be one and the same"),
    (
        looked("grams", ngrams=pa.table({"order": [1, 1, 2], "gram": ["x", "y", "x y"], "count": [990, 10, 9]})),
        "99% of the symbols would be one and the same",
    ),
    (
        looked(
            "boxes", records=pa.table({"record": [1], "group": [1], "patient_id_lo": [1.0], "patient_id_hi": [2.0]})
        ),
        "'patient_id' would be published as a time, and its name says that it identifies somebody",
    ),
]


@pytest.mark.parametrize(("bundle", "why"), NONSENSE)
def test_nonsense_is_refused_with_a_reason(bundle, why):
    with pytest.raises(BundleError) as error:
        refuse_nonsense(bundle, None)
    assert str(error.value) == (
        f"publish: nothing was published: {why}. Change how the source is read or protected; force=True publishes it "
        "all the same."
    )


@pytest.mark.parametrize(
    "bundle",
    [
        states([[0, 1, 2, 0] * 100]),
        states([[0] * 20]),
        log(["a", "b", "OTHER"] * 100),
        log([f"case {i}" for i in range(9)]),
        log(["a", "b"] * 200, parameters={"dates": "2024-01-01..2024-01-05"}),
        looked("unknown"),
    ],
)
def test_sense_and_what_is_too_little_to_tell_pass(bundle):
    refuse_nonsense(bundle, None)


def test_ranges_wider_than_the_data_are_seen_beside_it():
    original = sq.Series(values=np.array([[1.0, 2.0], [3.0, 4.0]]), times=("a", "b"), persons=["p", "q"])
    wide = looked("boxes", records=pa.table({"record": [1], "group": [1], "a_lo": [1.0], "a_hi": [680.0]}))
    refuse_nonsense(wide, None)
    with pytest.raises(BundleError, match="the ranges at 'a' would be wider than all data"):
        refuse_nonsense(wide, original)


def test_values_drawn_beyond_the_data_are_seen_beside_it():
    original = sq.Series(values=np.array([[1.0, 2.0], [3.0, 4.0]]), times=("a", "b"), persons=["p", "q"])
    tables = {"records": pa.table({"record": [1], "a": [680.0], "b": [2.0]}), "times": pa.table({"time": ["a", "b"]})}
    refuse_nonsense(looked("drawn", **tables), None)
    with pytest.raises(BundleError, match="what is drawn at 'a' would be wider than all data"):
        refuse_nonsense(looked("drawn", **tables), original)
    tables["times"] = pa.table({"time": ["patient_id"]})
    tables["records"] = pa.table({"record": [1], "patient_id": [2.0]})
    with pytest.raises(BundleError, match="'patient_id' would be published as a time"):
        refuse_nonsense(looked("drawn", **tables), None)


def test_every_layout_of_ours_is_looked_at():
    assert set(sq.LAYOUTS) - set(LOOKS) == {"plain"}  # tables of others' methods, of which we know nothing


@pytest.mark.parametrize("form", ["python", "shell"])
def test_one_state_everywhere_is_not_published_unless_forced(form, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = ["person,time,value"]
    rows += [f"p{p},2024-03-01T{m // 60:02d}:{m % 60:02d},{5000 + m}" for p in range(8) for m in range(0, 1440, 10)]
    (tmp_path / "row_numbers.csv").write_text("\n".join(rows))
    roles = {
        "person": "person",
        "time": "time",
        "value": "value",
        "bins": ("1", "200", "1000"),
        "interval": 600,
        "names": ("still", "light", "moderate", "vigorous"),
        "time_format": "iso",
        "dates": "2024-03-01..2024-03-01",
    }
    out = tmp_path / "r.bundle"
    if form == "python":
        request = sq.Request(method=sq.method_class("mcka")(k=4), target=out)
        data = sq.read_activities("row_numbers.csv", **roles)
        with pytest.raises(BundleError, match="100% of the time would be one and the same"):
            sq.publish_data(data, request)
        assert not out.exists()
        sq.publish_data(data, sq.Request(method=sq.method_class("mcka")(k=4), target=out, force=True))
    else:
        words = [
            w
            for n, v in roles.items()
            for w in (f"--{n.replace('_', '-')}", ",".join(v) if isinstance(v, tuple) else str(v))
        ]
        line = ["publish", "mcka", "row_numbers.csv", *words, "--k", "4", "--out", "r.bundle"]
        assert exit_of(monkeypatch, *line) == 2 and not out.exists()
        assert "--force publishes it all the same." in capsys.readouterr().err
        assert exit_of(monkeypatch, *line, "--force") == 0
    assert out.exists()
