"""`tune`: risk, loss and time of a method over lists of parameters, resumable."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Any

from sequester import flow
from sequester.accounts import open_account
from sequester.accounts.budget import Cost
from sequester.attacks.trial import attack
from sequester.engines import Engine
from sequester.engines import Engine as LocalEngine
from sequester.errors import InputError, ParameterError, SequesterError, counted
from sequester.methods import method_class
from sequester.model import Data
from sequester.pages.frontier import measures, of_attack, one_attack
from sequester.release import Evidence, Figure, to_json_text


def tune(
    method_id: str,
    source: Data,
    *,
    sweep: Mapping[str, Sequence[Any]],
    fixed: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    knowledge: int = 4,
    sample: int = 100,
    seed: int = 0,
    engine: Engine | None = None,
    charge: str | Path | None = None,
) -> Evidence:
    """Run a method at every combination of some parameters: private evidence, a row per setting.

    The figures are computed on the original. For a differentially private method a choice made by them would tell
    about people and no epsilon would cover it, so such a method is tuned on data that looks alike (`sq.sample`, or a
    public data set), or every setting that is tried on the original is charged to the account as if it were published.

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
    knowledge, sample
        As for `attack`.
    seed
        Seed of runs and attacks.
    engine
        Threads and progress display.
    charge
        Folder of the account that pays for looking at the original with a differentially private method.
    """
    settings = list(_settings(method_id, sweep, fixed or {}))
    where = Path(out) if out is not None else None
    key = _key(method_id, source, fixed or {}, knowledge, sample, seed)
    done = _finished(where, key) if where else {}
    shown = engine or LocalEngine()
    rows: list[dict[str, Any]] = []
    fresh = 0
    for setting in shown.track(settings, f"tune {method_id}"):
        name = json.dumps(setting, sort_keys=True)
        if name not in done:
            if charge is not None:
                _pay(Path(charge), method_id, source, {**(fixed or {}), **setting})
            row = _try(method_id, source, {**(fixed or {}), **setting}, setting, knowledge, sample, seed, engine)
            fresh += 1
            done[name] = row
            if where:
                _append(where, {"key": key, "setting": setting, "row": row})
        rows.append(done[name])
    found = _comparable([r for r in rows if "refused" not in r])
    refused = [r for r in rows if "refused" in r]
    broken = sum(not r["bounds_kept"] for r in found)
    return Evidence(
        about="tune",
        saw_original=True,
        summary=(
            f"{method_id} at {counted(len(rows), 'setting')} ({fresh} run now, {len(rows) - fresh} from before): "
            f"{len(refused)} refused, {broken} beaten by an attack."
        ),
        figures=(
            Figure(name="settings", value=len(rows), says="Combinations of the parameters."),
            Figure(name="refused", value=len(refused), better="lower", says="Settings the method refused."),
        ),
        rows={"settings": found, "refused": refused},
    )


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


def _try(
    method_id: str, source: Data, parameters: Mapping[str, Any], setting: Mapping[str, Any], knowledge: int,
    sample: int, seed: int, engine: Engine | None,
) -> dict[str, Any]:  # fmt: skip
    row: dict[str, Any] = dict(setting)
    try:
        method = method_class(method_id)(**parameters)
        begun = time.perf_counter()
        release = flow.anonymize(source, method, seed=seed, engine=engine)
    except SequesterError as error:
        return row | {"refused": str(error)}
    row |= {"promise": release.guarantee.level, "seconds": time.perf_counter() - begun}
    checked = flow.verify(release, source)
    row |= {"holds": checked.holds, "verdict": checked.verdict.title if checked.verdict else ""}
    found = attack(release, source, knowledge=knowledge, sample=sample, seed=seed, engine=engine)
    row["bounds_kept"] = all(c.passed for c in found.checks)
    # The whole tables are kept until all settings are known: only then it is clear by which attack they compare.
    figures = [asdict(f) for f in flow.measure(source, release).figures]
    return row | {"attacks": list(found.rows.get("attacks", [])), "figures": figures}


def _comparable(tried: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Settings beside each other: one attack and one loss for all of them, the strongest attack of each named too."""
    if not tried:
        return []
    name = one_attack([row["attacks"] for row in tried])
    losses = measures([row["figures"] for row in tried])
    loss = _loss(losses)
    out = []
    for row in tried:
        stated = {key: value for key, value in row.items() if key not in ("attacks", "figures")}
        risk = of_attack(row["attacks"], name)
        if risk:
            stated |= {"attack": name, "risk": risk["success"], "low": risk["low"], "high": risk["high"]}
            stated |= {"control": risk["control"], "baseline": risk["baseline"]}
        values = {f["name"]: f["value"] for f in row["figures"]}
        if loss:
            kept = values[loss["name"]]
            stated |= {"loss": kept if loss["better"] == "lower" else 1 - kept}
            stated |= {"loss_is": loss["name"] if loss["better"] == "lower" else f"1 - {loss['name']}"}
        if row["attacks"]:
            worst = max(row["attacks"], key=lambda r: r["low"] - max(r["control"] or 0.0, r["baseline"] or 0.0))
            stated |= {"strongest_attack": worst["attack"], "strongest_success": worst["success"]}
        out.append(stated | {key: value for key, value in values.items() if key in losses and key not in stated})
    return out


def _loss(losses: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The first figure that can be read as a loss: a share that should be high counts by what it lacks."""
    for f in losses.values():
        if f["better"] == "lower" or 0 <= f["value"] <= 1:
            return f
    return None


FORM = 3
"""Form of the rows that `out` keeps; rows of another form are run again."""


def _key(method_id: str, source: Data, fixed: Mapping[str, Any], knowledge: int, sample: int, seed: int) -> str:
    found = json.dumps([FORM, method_id, source.fingerprint(), dict(fixed), knowledge, sample, seed], sort_keys=True)
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
        file.write(json.dumps(json.loads(to_json_text(dict(line))), sort_keys=True, ensure_ascii=False) + "\n")
