"""Sweeps: what a method's settings allow for certain, what an attacker achieves, and what is left to use.

One source is read once and tried at many settings, of one method or of several. `tune` and the workbench take the same
rows from here.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from sequester import flow
from sequester.accounts import open_account
from sequester.accounts.budget import Cost
from sequester.attacks.bounds import certain
from sequester.attacks.in_and_out import FEWEST_PEOPLE, InAndOut
from sequester.engines import Engine
from sequester.engines import Engine as LocalEngine
from sequester.errors import InputError, ParameterError, SequesterError, counted
from sequester.in_parts import some_people
from sequester.layouts import LAYOUTS
from sequester.method import Method
from sequester.methods import method_class
from sequester.model import Data
from sequester.release import Evidence, Figure, as_json
from sequester.utility.plain_figures import Yardstick

Row = dict[str, Any]


class Sweep:
    """One source, tried at any number of settings. The figures are private."""

    def __init__(self, data: Data, *, seed: int = 0, engine: Engine | None = None) -> None:
        if data.n_records == 0:
            raise InputError("tune: the data is empty. Check the source and the column roles.")
        self.data, self.seed, self.engine = some_people(data)[0], seed, engine
        self.halves = InAndOut(self.data, seed=seed) if self.data.n_people >= FEWEST_PEOPLE else None
        self._yardsticks: dict[str, Yardstick] = {}
        self._coins: dict[str, float | None] = {}

    def row(self, method: Method, tick: Callable[[float], None] = lambda _share: None) -> Row:
        """One setting: the certain line, the computed dot, use in halves, and the verdict; or why it was refused."""
        promise = method.guarantee.confirmed()
        out: Row = {
            "method": method.id, "promise": promise.level, "unit": promise.unit, "grade": promise.status,
            "certain": certain(promise, method.budget()).to_json(),
        }  # fmt: skip
        begun = time.perf_counter()
        try:
            release = flow.anonymize(self.data, method, seed=self.seed, engine=self.engine)
        except SequesterError as error:
            return out | {"refused": error.sentence()}
        out["seconds"] = time.perf_counter() - begun
        checked = flow.verify(release, self.data)
        out |= {"holds": checked.holds, "verdict": checked.verdict.title if checked.verdict else ""}
        tick(0.2)
        layout = LAYOUTS[release.layout]
        if release.layout not in self._yardsticks:
            self._yardsticks[release.layout] = Yardstick(self.data, release.layout, seed=self.seed)
        used = self._yardsticks[release.layout]
        use = used.figures(release)
        out |= {"use": use, "figures": list(use), "axis": used.plain.axis if used.plain else ""}
        if used.plain and used.plain.kept:
            out["kept"] = used.plain.kept(release, self.data)
        if layout.named and (named := layout.load("named")(self.data, release)):
            out |= {"named": named[0], "named_is": named[1]}
        tick(0.3)
        return out | self._dot(method, tick)

    def _dot(self, method: Method, tick: Callable[[float], None]) -> Row:
        """What an attacker achieves over everybody; the control is computed once for each method."""
        if self.halves is None:
            return {"no_pairs": f"With fewer than {FEWEST_PEOPLE} people halves cannot be compared."}
        done = 0

        def step() -> None:
            nonlocal done
            done += 1
            tick(0.3 + 0.7 * done / self.halves.runs)  # type: ignore[union-attr]

        try:
            new = method.id not in self._coins
            found = self.halves.pairs(method, engine=self.engine, control=new, tick=step)
        except SequesterError as error:
            return {"no_pairs": f"Half of the people are too few for it: {error.sentence()}"}
        if found is None:
            return {"no_pairs": "No attack of this sort is known for what it releases."}
        if new:
            self._coins[method.id] = found.coin
        return {"pairs": found.right, "within": found.within, "coin": self._coins[method.id], "people": found.people,
                "runs": found.runs}  # fmt: skip


def tune(
    method_id: str,
    source: Data,
    *,
    sweep: Mapping[str, Sequence[Any]],
    fixed: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    seed: int = 0,
    engine: Engine | None = None,
    charge: str | Path | None = None,
) -> Evidence:
    """Run a method at every combination of some parameters: private evidence, a row per setting.

    The figures are computed on the original. For a differentially private method a choice made by them would tell
    about people and no epsilon would cover it, so such a method is tuned on data that looks alike (`sq.sample`, or a
    public data set), or every setting that is tried on the original is charged to the account as if it were published.
    What the promise allows for certain depends on no data and may be shown to anybody.

    Parameters
    ----------
    method_id
        Which method.
    source
        The original.
    sweep
        Parameter → values to try, for example `{"k": [5, 10], "p": [2, 3]}`.
    fixed
        Parameters that stay the same.
    out
        A file of JSON lines that keeps finished settings: those already there, of the same source, are not run again.
    seed
        Seed of all runs.
    engine
        Threads and progress display.
    charge
        Folder of the account that pays for looking at the original with a differentially private method.
    """
    settings = list(_settings(method_id, sweep, fixed or {}))
    where = Path(out) if out is not None else None
    key = _key(method_id, source, fixed or {}, seed)
    done = _finished(where, key) if where else {}
    shown = engine or LocalEngine()
    trial = Sweep(source, seed=seed, engine=engine)
    rows: list[Row] = []
    fresh = 0
    for setting in shown.track(settings, f"tune {method_id}"):
        name = json.dumps(setting, sort_keys=True)
        if name not in done:
            if charge is not None:
                _pay(Path(charge), method_id, source, {**(fixed or {}), **setting})
            row = {"setting": dict(setting)} | _tried(trial, method_id, {**(fixed or {}), **setting})
            fresh += 1
            done[name] = row
            if where:
                _append(where, {"key": key, "setting": setting, "row": row})
        rows.append(done[name])
    refused = [r for r in rows if "refused" in r]
    beaten = sum(beats_the_line(r) for r in rows)
    return Evidence(
        about="tune",
        saw_original=True,
        summary=(
            f"{method_id} at {counted(len(rows), 'setting')} ({fresh} run now, {len(rows) - fresh} from before): "
            f"{len(refused)} refused, {beaten} beaten by the attack."
        ),
        figures=(
            Figure(name="settings", value=len(rows), says="Combinations of the parameters."),
            Figure(name="refused", value=len(refused), better="lower", says="Settings the method refused."),
        ),
        rows={"settings": [r for r in rows if "refused" not in r], "refused": refused},
    )


def _tried(trial: Sweep, method_id: str, parameters: Mapping[str, Any]) -> Row:
    try:
        method = method_class(method_id)(**parameters)
    except SequesterError as error:
        return {"method": method_id, "refused": error.sentence()}
    return trial.row(method)


def beats_the_line(row: Mapping[str, Any]) -> bool:
    """Whether the attack surely achieves more than the promise allows: then the promise does not hold."""
    line = (row.get("certain") or {}).get("pairs")
    return line is not None and row.get("pairs") is not None and row["pairs"] - 2 * row["within"] > line


def _pay(folder: Path, method_id: str, source: Data, parameters: Mapping[str, Any]) -> None:
    """Charge one look at the original to the account; refused beyond its limit."""
    method = method_class(method_id)(**parameters)
    ledger = method.budget()
    cost = Cost.of(ledger.to_json()) if ledger else None
    if cost is None:
        return
    account = open_account(folder, create=True)
    people = set(source.persons.tolist())
    place = account.reserve(
        "(a look while tuning)", people, method.guarantee, kind=source.kind, method=method_id, cost=cost
    )
    place.published()


def _settings(method_id: str, sweep: Mapping[str, Sequence[Any]], fixed: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    known = {f.name: f for f in fields(method_class(method_id))}
    given = {**fixed, **sweep}
    needed = [n for n, f in known.items() if f.default is MISSING and f.default_factory is MISSING and n not in given]
    if needed:
        raise ParameterError(f"tune: {method_id} needs {', '.join(needed)} too; a single value will do.")
    unknown = [name for name in given if name not in known]
    if unknown or not sweep or any(not list(values) for values in sweep.values()):
        what = f"'{unknown[0]}' is not a parameter of {method_id}" if unknown else "give at least one parameter a value"
        raise ParameterError(f"tune: {what}; there are {', '.join(sorted(known))}.")
    for values in itertools.product(*sweep.values()):
        yield dict(zip(sweep, values, strict=True))


FORM = 4
"""Form of the rows that `out` keeps; rows of another form are run again."""


def _key(method_id: str, source: Data, fixed: Mapping[str, Any], seed: int) -> str:
    found = json.dumps([FORM, method_id, source.fingerprint(), dict(fixed), seed], sort_keys=True)
    return hashlib.sha256(found.encode()).hexdigest()[:16]


def _finished(where: Path, key: str) -> dict[str, dict[str, Any]]:
    if not where.exists():
        return {}
    out = {}
    lines = where.read_text("utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            stored = json.loads(line)
            if stored["key"] == key:
                out[json.dumps(stored["setting"], sort_keys=True)] = stored["row"]
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):
                break  # the last line was cut off when a run was stopped: it is run again
            raise InputError(
                f"tune: line {number} of '{where.name}' is not one of its results. Pass another file."
            ) from error
    return out


def _append(where: Path, line: Mapping[str, Any]) -> None:
    where.parent.mkdir(parents=True, exist_ok=True)
    text = where.read_text("utf-8") if where.exists() else ""
    whole = text if not text or text.endswith("\n") else text[: text.rfind("\n") + 1]
    if whole != text:
        where.write_text(whole, "utf-8")
    with where.open("a", encoding="utf-8") as file:
        file.write(json.dumps(as_json(dict(line)), sort_keys=True, ensure_ascii=False) + "\n")
