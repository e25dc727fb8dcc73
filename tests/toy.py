"""A method small enough to see through, and one that breaks its promise on purpose."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.method import Method
from sequester.model import Series
from sequester.release import Check, Guarantee, Release


@dataclass(frozen=True, kw_only=True)
class ToyGroups(Method):
    """Put records into groups of at least k."""

    k: int
    """Records per group, at least 2."""

    id, accepts, paper, example = "toy-groups", Series, "none", {"k": 3}

    def __post_init__(self):
        self.require("k", 2)

    @property
    def guarantee(self):
        return Guarantee(
            model="toy-groups",
            level=f"groups of {self.k}",
            parameters={"k": self.k},
            unit="record",
            status="verifiable",
            statement=f"Every group has at least {self.k} records.",
            not_covered=("Anything else.",),
        )

    def apply(self, data, *, rng, engine):
        self.require_people(data, self.k)
        n = data.n_records
        group = np.minimum(np.arange(n) // self.k, n // self.k - 1)
        records = pa.table({"record": np.arange(n) + 1, "group": self.spoil(group)})
        people = pa.table({"record": np.arange(n) + 1, "person": list(data.persons)})
        return Release(tables={"records": records}, guarantee=self.guarantee, method=self, private={"people": people})

    def spoil(self, group):
        return group


@dataclass(frozen=True, kw_only=True)
class ToyBroken(ToyGroups):
    """Claims groups of k and leaves one person alone."""

    id = "toy-broken"

    def spoil(self, group):
        group = group.copy()
        group[-1] = group.max() + 1
        return group


def judge(claim, source):
    sizes = np.bincount(claim.tables["records"].column("group").to_numpy())
    small = int(((sizes > 0) & (sizes < claim.guarantee.parameters["k"])).sum())
    checks = [
        Check(name="group sizes", passed=small == 0, detail=f"{counted(small, 'group is', 'groups are')} too small")
    ]
    if source is not None:
        rows = claim.tables["records"].num_rows
        checks.append(Check(name="records", passed=rows == source.n_records, detail=f"{rows} records"))
    return checks


def panel(n=10):
    return Series(values=np.arange(n * 3.0).reshape(n, 3), persons=[f"qxz{i}qxz" for i in range(n)])


def register(monkeypatch=None):
    """Make the toys known to the registries, for good (a process of its own) or until the test ends."""
    from sequester.judges import JUDGES
    from sequester.methods import METHODS

    for registry, key, value in (
        (METHODS, "toy-groups", "tests.toy:ToyGroups"),
        (METHODS, "toy-broken", "tests.toy:ToyBroken"),
        (JUDGES, "toy-groups", "tests.toy:judge"),
    ):
        if monkeypatch is None:
            registry[key] = value
        else:
            monkeypatch.setitem(registry, key, value)


@contextmanager
def known():
    """The toys, known for a while: what stays registered would be met by every later test of the same process."""
    import pytest  # here: the children that publish and race need none of it

    with pytest.MonkeyPatch.context() as patch:
        register(patch)
        yield
