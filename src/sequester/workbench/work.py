"""The jobs: what a child process does for the workbench. Everything goes through the public names of the library.

A job takes settings (plain JSON), tells how far it is, and returns plain JSON. Markup under the key `pictures` was
made by the library's own pages, where everything from the data is escaped.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sequester as sq
from sequester import _shell
from sequester.workbench.forms import method_fields, reader_fields, ready, refusal
from sequester.workbench.inspected import inspected

Say = Callable[[float, str], None]
Settings = Mapping[str, Any]
TARGETS = 300
"""People an attack is tried on after publishing, as on the command line."""
TRIAL_SEED = 0
"""Trials are repeatable; what is published is drawn afresh."""
ATTACKERS = {
    "prosecutor_highest": "Knows that the person is in the data",
    "journalist_highest": "Does not know who is in the data",
    "marketer": "Wants as many people as possible",
}
"""Figure of `assess` → the attacker it stands for: prosecutor, journalist and marketer."""
MOST_ROWS = 200
"""Rows of an answer that are shown."""


def run(what: str, settings: Settings, say: Say) -> dict[str, Any]:
    """Do a job by its name; every step of the library is reported as it begins."""
    reached = 0.0
    os.chdir(settings["root"])  # a side table, named in a field, lies in the folder of the workbench

    def tell(share: float, said: str) -> None:
        nonlocal reached
        reached = max(reached, share)
        say(reached, said)

    @contextmanager
    def named(title: str, _total: float | None) -> Iterator[Callable[[float], None]]:
        tell(reached, title)
        yield lambda _done: None

    with _shell.showing(named), _shell.speaking(settings.get("spoken", "en")):
        return JOBS[what](settings, tell)


def _path(settings: Settings) -> Path:
    return Path(settings["root"]) / settings["path"]


def _roles(settings: Settings, method: sq.Method | None = None) -> dict[str, Any]:
    """The roles of the source's columns, completed by those the method needs."""
    roles = ready(reader_fields(settings["kind"]), settings["roles"])
    return method.roles(roles) if method else roles


def source_data(settings: Settings, method: sq.Method | None = None) -> Any:
    """The source, read with its roles."""
    return sq.reader(settings["kind"])(str(_path(settings)), **_roles(settings, method))


def _method(settings: Settings) -> Any:
    return sq.method_class(settings["method"])(**ready(method_fields(settings["method"]), settings["parameters"]))


def _engine(say: Say, begin: float, end: float) -> sq.Engine:
    """An engine whose progress moves the bar between two places."""

    @contextmanager
    def progress(title: str, total: float | None) -> Iterator[Callable[[float], None]]:
        done = 0.0
        say(begin, title)

        def tick(more: float) -> None:
            nonlocal done
            done += more
            share = min(1.0, done / total) if total else 0.0
            say(begin + (end - begin) * share, title)

        yield tick

    return sq.Engine(progress=progress)


def inspect(settings: Settings, say: Say) -> dict[str, Any]:
    """Look at a source."""
    say(0.1, "Looking at the source")
    return inspected(_path(settings), settings.get("kind"), dict(settings.get("roles") or {}))


def assess(settings: Settings, say: Say) -> dict[str, Any]:
    """How identifying is the original?"""
    say(0.1, "Reading the source")
    data = source_data(settings)
    say(0.4, "Counting who is alone")
    found = sq.assess(data, **settings.get("options", {}))
    say(0.85, "Drawing")
    figures = {f.name: f for f in found.figures}
    attackers = [
        {"who": who, "value": figures[name].value, "says": figures[name].says}
        for name, who in ATTACKERS.items()
        if name in figures and isinstance(figures[name].value, (int, float))
    ]
    return {"summary": found.summary, "attackers": attackers, "pictures": _shell.findings([_plain(found)])}


def sweep(settings: Settings, say: Say) -> dict[str, Any]:
    """Many settings of one or several methods: each source is read once, every setting is a row."""
    grid = settings["grid"]
    trials: dict[str, Any] = {}
    rows = []
    say(0.02, "Reading the source")
    for i, one in enumerate(grid):
        label = f"{one['method']}, setting {i + 1} of {len(grid)}"
        begin, each = 0.05 + 0.95 * i / len(grid), 0.95 / len(grid)
        say(begin, label)
        row: dict[str, Any] = {"method": one["method"], "setting": one["parameters"]}
        try:
            method = _method(one)
            roles = _roles(settings, method)
            key = repr(sorted(roles.items()))  # a method may need more roles of the source
            if key not in trials:
                trials[key] = _shell.Sweep(source_data(settings, method), seed=TRIAL_SEED)
            row |= trials[key].row(method, lambda share, at=begin, of=each, what=label: say(at + of * share, what))
            for name in ("refused", "no_pairs"):
                if name in row:
                    row[name] = _shell.in_words(row[name], _shell.as_field)
        except sq.SequesterError as error:
            row["refused"] = refusal(error)
        rows.append(row)
    return {"rows": rows}


def look(settings: Settings, say: Say) -> dict[str, Any]:
    """One setting, looked at: a release with a fixed seed, its verdict, its use, and original beside release."""
    method = _method(settings)
    promise = method.guarantee
    out: dict[str, Any] = {"promise": promise.level, "unit": promise.unit, "statement": promise.statement}
    say(0.05, "Reading the source")
    data = source_data(settings, method)
    say(0.2, "Protecting")
    begun = time.perf_counter()
    try:
        release = sq.anonymize(data, method, seed=TRIAL_SEED, engine=_engine(say, 0.2, 0.6))
    except sq.SequesterError as error:
        return out | {"refused": refusal(error)}
    out["seconds"] = time.perf_counter() - begun
    out["notes"] = [str(note) for note in release.notes]
    say(0.6, "Checking the promise")
    verdict = sq.verify(release, data)
    assert verdict.verdict is not None
    out |= {"holds": verdict.holds, "verdict": verdict.verdict.to_json(), "grade": promise.confirmed().status}
    say(0.7, "Measuring what is left")
    measured = sq.measure(data, release)
    out["figures"] = _plain(measured)["figures"]
    say(0.85, "Drawing original beside release")
    evidence = [_plain(e) for e in (*_shell.portraits(data, release), measured)]
    return out | {"pictures": _shell.side_by_side(release, evidence)}


def publish(settings: Settings, say: Say) -> dict[str, Any]:
    """Publish through the one way there is, then attack what was published."""
    notes: list[str] = []
    method = _method(settings)
    target = Path(settings["root"]) / settings["out"]
    request = sq.Request(
        method=method, target=target, source=_path(settings), roles=_roles(settings, method),
        publication=sq.Publication(**settings.get("card", {})), engine=_engine(say, 0.15, 0.6),
        **{name: settings[name] for name in ("overwrite", "formats", "evidence", "force") if name in settings},
    )  # fmt: skip
    say(0.05, "Reading the source")
    data = source_data(settings, method)
    say(0.15, "Protecting, checking and writing")
    made = sq.publish_data(data, request, say=notes.append)
    out = {
        "bundle": settings["out"],
        "promise": made.bundle.guarantee.to_json(),
        "verdict": made.bundle.verdict.to_json(),
        "notes": notes,
    }
    say(0.7, "Attacking what was published")
    try:
        attacked = sq.attack(target, data, sample=TARGETS, seed=TRIAL_SEED, engine=_engine(say, 0.7, 0.9))
        sq.keep(target, attacked)
        shown = [
            {k: v for k, v in _plain(attacked).items() if k != "figures"}
        ]  # all figures: in the custodian's report
        out["attacked"] = attacked.summary
    except sq.SequesterError as error:  # the bundle stands: what could not be tried is said
        shown, out["attacked"] = [], f"The attacks could not be tried: {error}"
    say(0.95, "Drawing")
    out["measured"] = [e.summary for e in made.evidence if e.about == "measure"]
    return out | {"pictures": _shell.findings(shown, tables=False)}


def read(settings: Settings, say: Say) -> dict[str, Any]:
    """Open a bundle that somebody sent: verify it, draw it, and tell what can be asked."""
    say(0.1, "Opening the bundle")
    opened: Any = sq.open_bundle(_path(settings), check=False)
    say(0.2, "Checking the promise")
    verdict = sq.verify(_path(settings))
    say(0.6, "Drawing")
    layout = sq.LAYOUTS[opened.layout]
    manifest = opened.manifest
    return {
        "kind": opened.kind, "layout": opened.layout, "method": opened.method_id, "parameters": dict(opened.parameters),
        "promise": opened.guarantee.to_json(), "verdict": verdict.verdict and verdict.verdict.to_json(),
        "checks": [{"name": c.name, "result": c.result, "detail": c.detail} for c in verdict.checks],
        "signature": [row["says"] for row in verdict.rows.get("signature", ())] or ["The bundle is not signed."],
        "card": manifest["publication"], "teaching": manifest["teaching_only"],
        "tables": {name: table.column_names[:40] for name, table in opened.tables.items()},
        "sql": next((q[0] for q in _shell.examples(opened) if len(q) == 1 and q[0].startswith("select")), ""),
        "times": list(getattr(opened, "times", ())) if hasattr(opened, "count") else [],
        "follows": layout.follows, "states": list(opened.states)[:200] if layout.follows == "state" else [],
        "pictures": _shell.released(opened),
    }  # fmt: skip


def check(settings: Settings, say: Say) -> dict[str, Any]:
    """A bundle of our own beside its original: verified, attacked on more people, or measured again. Private."""
    bundle = Path(settings["root"]) / settings["bundle"]
    say(0.05, "Reading the source")
    data = source_data(settings, sq.method_class(settings["method"]).from_parameters(settings["parameters"]))
    how = settings["how"]
    say(0.3, CHECKS[how])
    if how == "verify":
        found = sq.verify(bundle, data)
    elif how == "attack":
        found = sq.attack(bundle, data, sample=settings["sample"], engine=_engine(say, 0.3, 0.9))
    else:
        found = sq.measure(data, sq.open_bundle(bundle, private=True))
    if how != "verify":
        sq.keep(bundle, found)  # the custodian's report shows it from now on
    said = found.verdict.words if found.verdict else found.summary
    return {
        "says": said,
        "holds": found.result if how == "verify" else "",
        "pictures": _shell.findings([_plain(found)]),
    }


CHECKS = {
    "verify": "Verifying beside the original", "attack": "Attacking with more targets", "measure": "Measuring again",
}  # fmt: skip
"""What can be done with a bundle and its original."""


def query(settings: Settings, say: Say) -> dict[str, Any]:
    """Ask a bundle."""
    say(0.2, "Asking")
    with _shell.limited():
        return _answer(sq.open_bundle(_path(settings)), settings["asked"])


def _answer(opened: Any, asked: Settings) -> dict[str, Any]:
    if asked["how"] == "sql":
        answer = opened.sql(asked["sql"])
        rows = [[_cell(v) for v in row.values()] for row in answer.slice(0, MOST_ROWS).to_pylist()]
        return {"columns": answer.column_names, "rows": rows, "more": max(0, answer.num_rows - MOST_ROWS)}
    if asked["how"] == "next":
        law = opened.next_after(asked["context"])
        rows = [[name, f"{share:.1%}"] for name, share in list(law.items())[:MOST_ROWS]]
        return {"columns": [sq.LAYOUTS[opened.layout].follows, "probability"], "rows": rows, "more": 0}
    count = opened.count({name: (low, high) for name, low, high in asked["where"]})
    if count.at_least is None:
        said = "The values of this release were drawn at random, so nothing is sure."
    else:
        said = f"Surely at least {count.at_least} and at most {count.at_most} records."
    return {"columns": ["expected", "at least", "at most"], "more": 0, "said": said,
            "rows": [[f"{count.estimate:.1f}", _cell(count.at_least), _cell(count.at_most)]]}  # fmt: skip


def _cell(value: Any) -> str:
    return "–" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _plain(evidence: sq.Evidence) -> dict[str, Any]:
    """Evidence as plain JSON: numbers of NumPy become numbers."""
    out: dict[str, Any] = json.loads(_shell.to_json_text(evidence.to_json()))
    return out


JOBS: dict[str, Callable[[Settings, Say], dict[str, Any]]] = {
    "inspect": inspect, "assess": assess, "sweep": sweep, "look": look, "publish": publish, "read": read,
    "check": check, "query": query,
}  # fmt: skip
