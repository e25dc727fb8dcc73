"""Reading a publication plan: every problem is found, and said, before anything is published."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from sequester import flow
from sequester.bundle.atomic import private_folder, require_free, require_writable
from sequester.bundle.card import Publication, read_descriptions, read_toml
from sequester.charging import planned_problems
from sequester.engines import Engine
from sequester.errors import BundleError, InputError, SequesterError, as_key, nearest, spelled
from sequester.in_parts import too_large
from sequester.layouts import LOG, copies_of
from sequester.method import Method
from sequester.methods import method_class
from sequester.options import FORMER
from sequester.plan import Plan, Source, Step, Within
from sequester.read.memory_needed import memory_needed
from sequester.release import to_json_text
from sequester.request import EVIDENCE, FORMATS, Request
from sequester.stable_groups import bundle_beside

PLAN_KEYS = ("title", "note", "release")
RELEASE_KEYS = (
    "name", "source", "method", "parameters", "roles", "promise", "out", "formats", "evidence", "publication",
    "population", "grouping", "force", "sign", "mapping",
)  # fmt: skip
PROMISE_KEYS = ("level", "unit", "grade")
CARD_KEYS = ("title", "licence", "contact", "issued", "version", "expires", "describe", "describes")


def read_plan(
    path: str | Path, *, overwrite: bool = False, engine: Engine | None = None, folder: str | Path | None = None
) -> Plan:
    """Read and check a plan: every problem is found before anything is published.

    Parameters
    ----------
    path
        A TOML file with one `[[release]]` per bundle; its paths are relative to its folder.
    overwrite
        Accept that bundles exist already.
    engine
        With a limit of memory (`Engine(memory=...)`), sources that would take more are read in parts.
    folder
        Where those parts are written; it is yours to remove, after the plan was run.

    Raises
    ------
    InputError
        With all problems, one line each.
    """
    path = Path(path)
    stated = _toml(path)
    within = Within(engine, Path(folder)) if engine is not None and folder is not None else None
    problems = _unknown(stated, PLAN_KEYS, "the plan")
    releases = stated.get("release", [])
    if not isinstance(releases, list) or not releases or not all(isinstance(r, dict) for r in releases):
        raise InputError(f"run: '{path.name}' has no [[release]]. Each release starts with that line.")
    steps: list[Step] = []
    targets: list[tuple[str, Path]] = []
    sources: dict[str, Source] = {}
    for i, release in enumerate(releases):
        name = str(release.get("name") or release.get("out") or f"release {i + 1}").removesuffix(".bundle")
        target: Path | None = None
        try:
            step, wrong = _step(name, release, path.parent, overwrite, sources, steps, within)
            if isinstance(release.get("out"), str):
                target = (path.parent / release["out"]).resolve()
        except (OSError, ValueError) as error:  # a name too long, or with a character no file can have
            step, wrong = None, [f"a path in it cannot be used ({getattr(error, 'strerror', None) or 'no file name'})."]
        problems += [f"{name}: {w}" for w in wrong]
        if step:
            steps.append(step)
        if target is not None:
            targets.append((name, target))
    problems += _collisions(targets, [step.origin.path.resolve() for step in steps])
    over, spends = _account_problems(steps, overwrite)
    problems += over
    if problems:
        noun = "problem" if len(problems) == 1 else "problems"
        listed = "\n".join(f"  - {p}" for p in problems)
        raise InputError(f"run: '{path.name}' has {len(problems)} {noun}; nothing was published.\n{listed}")
    return Plan(title=str(stated.get("title") or path.stem), steps=tuple(steps), spends=tuple(spends))


def _account_problems(steps: list[Step], overwrite: bool) -> tuple[list[str], list[str]]:
    """What all releases that will be made spend on the same people, with what was spent before."""
    try:
        new = [s for s in steps if overwrite or s.finished() is None]
        return planned_problems((s.out, s.origin.data(), s.request.method, s.request.population) for s in new)
    except SequesterError as error:
        return [spelled(error, as_key)], []


def _toml(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path.read_text("utf-8"), path.name, "run")
    except FileNotFoundError:
        raise InputError(f"run: '{path.name}' does not exist. Check the path.") from None
    except IsADirectoryError:
        raise InputError(f"run: '{path.name}' is a folder; a plan is a TOML file.") from None
    except UnicodeDecodeError as error:
        raise InputError(f"run: '{path.name}' is not UTF-8 at byte {error.start}. Save it as UTF-8.") from error


def _step(
    name: str,
    entry: dict[str, Any],
    folder: Path,
    overwrite: bool,
    sources: dict[str, Source],
    earlier: list[Step],
    within: Within | None,
) -> tuple[Step | None, list[str]]:
    """A release, or everything that is wrong with it: each part is looked at as far as the others allow."""
    problems = _unknown(entry, RELEASE_KEYS, "a release")
    problems += [f"'{key}' is missing." for key in ("source", "method", "out") if not isinstance(entry.get(key), str)]
    tables = {key: entry.get(key, {}) for key in ("parameters", "roles", "promise", "publication")}
    problems += [f"'{key}' must be a table, [release.{key}]." for key, t in tables.items() if not isinstance(t, dict)]
    for key, words in (("sign", "your private key"), ("mapping", "what states are called")):
        if key in entry and not (isinstance(entry[key], str) and (folder / entry[key]).is_file()):
            problems.append(f"'{key}' must be the file of {words}.")
    for key, known in (("formats", FORMATS), ("evidence", EVIDENCE)):
        problems += _list_problems(key, entry.get(key, []), known)
    given = {key: t for key, t in tables.items() if isinstance(t, dict)}
    cls, method, wrong = _method(entry.get("method"), given.get("parameters"))
    problems += wrong
    if isinstance(entry.get("out"), str):
        problems += _out_problems(folder / entry["out"], entry.get("source") and folder / str(entry["source"]))
    problems += _promise_problems(method, given.get("promise", {}))
    card, wrong = _card(given.get("publication", {}), folder)
    problems += wrong
    roles: dict[str, Any] = {}
    origin: Source | None = None
    if cls is not None and "roles" in given:
        kind = cls.accepts.kind
        problems += _copies_problems(cls, entry.get("formats", []))
        roles, wrong = _roles(kind, given["roles"])
        if not wrong and method is not None:
            try:
                roles = method.roles(roles)
                method.require_told(roles)
            except SequesterError as error:
                wrong = [spelled(error, as_key)]
        if not wrong and isinstance(entry.get("source"), str):
            place = folder / entry["source"]
            large = within is not None and within.too_large(place, kind)
            origin = _shared(sources, kind, place, roles, within if large else None)
            wrong = _source_problems(origin, method)
        problems += wrong
    if problems or method is None or origin is None:
        taken = _exists(folder / entry["out"], None, overwrite) if isinstance(entry.get("out"), str) else []
        return None, [*problems, *taken]
    grouping, wrong = _grouping(entry.get("grouping"), folder, method, origin, [s.out for s in earlier])
    if wrong:
        return None, wrong
    asked = Request(
        method=method, target=folder / entry["out"], source=folder / entry["source"], roles=roles, publication=card,
        grouping=grouping, population=str(entry.get("population", "")), force=entry.get("force") is True,
        **{key: folder / entry[key] for key in ("sign", "mapping") if key in entry},
        **{key: entry[key] for key in ("formats", "evidence") if key in entry},
    )  # fmt: skip
    step = Step(name=name, request=asked, origin=origin)
    origin.users += 1
    return step, _exists(step.out, step, overwrite)


def _grouping(
    entry: Any, folder: Path, method: Method, origin: Source, written: list[Path]
) -> tuple[Path | None, list[str]]:
    """The private folder of an earlier release, one that is there or that this plan writes before."""
    if entry is None:
        return None, []
    if not isinstance(entry, str):
        return None, ["'grouping' must name the private folder of an earlier release."]
    place = folder / entry
    bundle = bundle_beside(place)
    if not bundle.exists() and bundle.resolve() not in [out.resolve() for out in written]:
        return None, [f"'grouping' names '{bundle.name}', which is not there and which no earlier release writes."]
    try:
        method.require_groups_kept(origin.data())
    except SequesterError as error:
        return None, [str(error)]
    return place, []


def _shared(sources: dict[str, Source], kind: str, path: Path, roles: dict[str, Any], within: Within | None) -> Source:
    """The same source, if it is read in the same way, once."""
    key = to_json_text([kind, str(path.resolve()), roles, within is None])
    return sources.setdefault(key, Source(kind, path, roles, within))


def _exists(out: Path, step: Step | None, overwrite: bool) -> list[str]:
    """A place that is taken is a problem, unless an earlier run of this very step took it."""
    if step is not None and not overwrite and step.finished() is not None:
        return []
    try:
        require_free(out, overwrite=overwrite)
    except BundleError as error:
        return [error.sentence()]
    return []


def _collisions(targets: list[tuple[str, Path]], sources: list[Path]) -> list[str]:
    """Releases that would write over each other, inside each other, or over a source."""
    out: list[str] = []
    written = [target for _, target in targets]
    beside = [private_folder(target) for target in written]
    for name, target in targets:
        if written.count(target) > 1:
            out.append(f"{name}: another release writes '{target.name}' too.")
        elif beside.count(private_folder(target)) > 1:
            out.append(f"{name}: another release writes '{private_folder(target).name}' too.")
        if any(other in target.parents for other in (*written, *beside)):
            out.append(f"{name}: '{target.name}' would lie inside another release.")
        if any(target == source or target in source.parents for source in sources):
            out.append(f"{name}: '{target.name}' is a source or holds one.")
    return out


def _card(entry: dict[str, Any], folder: Path) -> tuple[Publication | None, list[str]]:
    """What `[release.publication]` says; `describe` names a file of descriptions."""
    problems = _unknown(entry, CARD_KEYS, "a publication")
    if problems or not entry:
        return None, problems
    given = {key: value for key, value in entry.items() if key != "describe"}
    try:
        if "describe" in entry:
            if not isinstance(entry["describe"], str) or "describes" in entry:
                return None, ["'describe' must name one file; leave 'describes' out then."]
            given["describes"] = read_descriptions(folder / entry["describe"])
        return Publication(**given), []
    except SequesterError as error:
        return None, [error.sentence()]


def _method(method_id: Any, entry: dict[str, Any] | None) -> tuple[type[Method] | None, Method | None, list[str]]:
    """The class of a method, the method if its parameters are right, and what is wrong."""
    if not isinstance(method_id, str):
        return None, None, []  # that it is missing has been said
    try:
        cls = method_class(method_id)
    except SequesterError as error:
        return None, None, [spelled(error, as_key)]
    if entry is None:
        return cls, None, []  # that it is no table has been said
    known = {f.name: f for f in fields(cls)}
    problems = _unknown(entry, tuple(known), f"the parameters of {method_id}")
    needed = [n for n, f in known.items() if f.default is MISSING and f.default_factory is MISSING]
    problems += [
        f"the parameter '{n}' of {method_id} is missing; a custodian chooses it." for n in needed if n not in entry
    ]
    if problems:
        return cls, None, problems
    try:
        method = cls(**{n: tuple(v) if isinstance(v, list) else v for n, v in entry.items()})
        method.require_used()
    except SequesterError as error:
        return cls, None, [spelled(error, as_key)]
    return cls, method, []


def _copies_problems(cls: type[Method], entry: Any) -> list[str]:
    """Formats that others know and this method's tables cannot be copied to."""
    can, kind = copies_of(cls), cls.accepts.kind
    odd = [form for form in entry if form in FORMATS and form not in can] if isinstance(entry, list) else []
    if log := next((form for form in odd if form in LOG.copies and form != "csv"), None):
        return [f"'formats' has {log}, which is for event logs; {cls.id} publishes {kind} data."]
    return [f"'formats' has {form}; tables of {cls.id} can be copied as {', '.join(can)}." for form in odd]


def _out_problems(out: Path, source: Any) -> list[str]:
    problems = []
    if out.suffix != ".bundle":
        problems.append(f"'out' must be a name that ends in .bundle, got '{out.name}'.")
    try:
        require_writable(out)
        flow.require_outside(source, out)
    except BundleError as error:
        problems.append(error.sentence())
    return problems


def _roles(kind: str, entry: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    parameters = inspect.signature(flow.reader(kind)).parameters.values()
    known = {p.name.rstrip("_"): p for p in parameters if p.kind is p.KEYWORD_ONLY}
    problems = _unknown(entry, tuple(known), f"the roles of {kind} data")
    roles = {}
    for name, value in entry.items():
        if name in known:
            several = isinstance(value, list) or isinstance(known[name].default, tuple)
            roles[known[name].name] = tuple(value if isinstance(value, list) else [value]) if several else value
    return roles, problems


def _promise_problems(method: Method | None, agreed: dict[str, Any]) -> list[str]:
    """What was agreed on must be what the method states."""
    problems = _unknown(agreed, PROMISE_KEYS, "a promise")
    if method is None:
        return problems
    stated = {
        "level": method.guarantee.level,
        "unit": method.guarantee.unit,
        "grade": method.guarantee.confirmed().status,
    }
    for key, value in agreed.items():
        if key in stated and value != stated[key]:
            problems.append(
                f"the agreed {key} is '{value}', but {method.id} with these parameters gives '{stated[key]}'."
            )
    return problems


def _source_problems(origin: Source, method: Method | None) -> list[str]:
    try:
        if method and method.needs_everybody and origin.within is not None:
            raise too_large(method, memory_needed(origin.path, origin.kind), origin.within.engine.memory or 0)
        data = origin.data()
        if method:
            method.require_declared(data)
        k = method.parameters.get("k") if method else None
        if method and isinstance(k, int) and method.guarantee.unit == "person":
            method.require_people(data, k)
    except SequesterError as error:
        return [spelled(error, as_key)]
    return []


def _list_problems(key: str, entry: Any, known: tuple[str, ...]) -> list[str]:
    if not isinstance(entry, list) or not all(isinstance(v, str) for v in entry):
        return [f"'{key}' must be a list of names, such as {key} = [\"{known[0]}\"]."]
    return [f"'{key}' knows {', '.join(known)}, not '{v}'." for v in entry if v not in known]


def _unknown(entry: Mapping[str, Any], known: tuple[str, ...], where: str) -> list[str]:
    out = []
    for key in entry:
        if key not in known:
            close = nearest(key, known)
            hint = f" Did you mean '{close}'?" if close else f" Available: {', '.join(known)}."
            if key in FORMER:
                hint = f" {spelled(InputError(FORMER[key]), as_key)}"
            out.append(f"no '{key}' in {where}.{hint}")
    return out
