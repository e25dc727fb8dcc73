"""A new kind of data is its own files and one value: this file is those files, and the value is added in a fixture."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli
from sequester.judges import JUDGES
from sequester.kinds import KINDS, Kind
from sequester.method import Method
from sequester.methods import METHODS
from sequester.model.kind import Data, frozen, identifiers
from sequester.release import Check, Evidence, Guarantee, Release


@dataclass(frozen=True)
class Steps(Data):
    """Steps per person: one number each."""

    counts: np.ndarray
    persons: np.ndarray

    kind = "steps"

    def __post_init__(self):
        object.__setattr__(self, "counts", frozen(self.counts, np.int64))
        object.__setattr__(self, "persons", identifiers(self.persons, len(self.counts), "Steps"))

    def take(self, rows):
        return replace(self, counts=self.counts[rows], persons=self.persons[rows])


def read_steps(source: str, *, person: str = "person") -> Steps:
    """Steps from a table.

    Parameters
    ----------
    source
        A CSV file with a column `steps`.
    person
        Column that names the person.
    """
    with Path(source).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return Steps(np.array([int(r["steps"]) for r in rows]), np.array([r[person] for r in rows], dtype=object))


def assess_steps(data: Steps) -> Evidence:
    """How many people are alone with their number."""
    alone = int((np.unique(data.counts, return_counts=True)[1] == 1).sum())
    return Evidence(about="assess", saw_original=True, summary=f"{alone} numbers belong to one person.")


def steps(*, n_people: int = 30, seed: int = 0) -> Steps:
    rng = np.random.default_rng(seed)
    return Steps(rng.integers(0, 20_000, n_people), np.array([f"p{i}" for i in range(n_people)], dtype=object))


def write_steps(data: Steps, path: Path) -> None:
    lines = [f"{p},{c}" for p, c in zip(data.persons, data.counts)]
    path.write_text("\n".join(["person,steps", *lines]) + "\n")


def points(data: Steps) -> Iterator[set]:
    for count in data.counts.tolist():
        yield {count}


@dataclass(frozen=True, kw_only=True)
class Total(Method):
    """Publish the sum of all."""

    k: int
    """Fewest people."""

    id, accepts, paper, example = "steps-total", Steps, "none", MappingProxyType({"k": 3})

    def __post_init__(self):
        self.require("k", 2)

    @property
    def guarantee(self):
        return Guarantee(model="steps-total", level=f"a sum of {self.k}", parameters={"k": self.k}, unit="person",
                         status="verifiable", statement="One sum.", not_covered=("All else.",))  # fmt: skip

    def apply(self, data, *, rng, engine):
        self.require_people(data, self.k)
        table = pa.table({"people": [data.n_people], "steps": [int(data.counts.sum())]})
        return Release(tables={"total": table}, guarantee=self.guarantee, method=self)


def judge(claim, source):
    people = claim.tables["total"]["people"].to_pylist()
    return [Check(name="people", passed=people[0] >= claim.guarantee.parameters["k"], detail=f"{people[0]} people")]


HERE = __name__
STEPS = Kind(
    name="steps", called="step counts", holds="a number per person", model=f"{HERE}:Steps", reader=f"{HERE}:read_steps",
    assessor=f"{HERE}:assess_steps", sample=f"{HERE}:steps", write_sample=f"{HERE}:write_steps",
    points=f"{HERE}:points",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _one_line(monkeypatch):
    monkeypatch.setitem(KINDS, "steps", STEPS)
    monkeypatch.setitem(METHODS, "steps-total", f"{HERE}:Total")
    monkeypatch.setitem(JUDGES, "steps-total", f"{HERE}:judge")


def run(*words):
    out = CliRunner().invoke(cli, [str(w) for w in words])
    assert out.exit_code == 0, (words, out.output, out.exception)
    return out.output


def test_a_kind_is_one_value_and_everything_has_it(tmp_path):
    source, target = tmp_path / "steps.csv", tmp_path / "x.bundle"
    assert sq.write_sample("steps", source, seed=1).exists()
    assert sq.read_steps(source).fingerprint() == sq.sample("steps", seed=1).fingerprint()
    assert "numbers belong to one person" in run("assess", source, "--kind", "steps")
    assert "steps: a number per person" in run("methods")
    assert "status: verified" in run("publish", "steps-total", source, "--person", "person", "--k", 3, "--out", target)
    assert "confirmed" in run("verify", target, "--source", source)
    assert "30" in run("query", target, "select people from total")
    assert sq.open_bundle(target).kind == "steps" and (target / "report.html").exists()
    assert sq.attack(target, sq.read_steps(source)).about == "attack"
