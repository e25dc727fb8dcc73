"""Do this again: the command line, and the plan file, of what was clicked."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import sequester as sq
from sequester.workbench.forms import assessor_fields, method_fields, reader_fields, shown, words

Source = Mapping[str, Any]


def _line(*parts: str) -> str:
    return "sequester " + " ".join(shlex.quote(p) if p else "''" for p in parts)


def roles_of(source: Source) -> list[str]:
    """The roles of a source as words of the command line."""
    return words(reader_fields(source["kind"]), source["roles"])


def inspect_line(source: Source) -> str:
    """Look at a source again."""
    return _line("inspect", source["path"], "--kind", source["kind"])


def assess_line(source: Source, options: Mapping[str, Any]) -> str:
    """Assess a source again."""
    more = words(assessor_fields(source["kind"]), options)
    return _line("assess", source["path"], "--kind", source["kind"], *roles_of(source), *more)


def label_line(source: Source) -> str:
    """Label notes again."""
    return _line("label", source["path"], *roles_of(source))


def tune_line(source: Source, method: str, settings: Sequence[Mapping[str, Any]]) -> str:
    """Try a grid of settings again."""
    lists: dict[str, list[Any]] = {}
    for one in settings:
        for name, value in one.items():
            lists.setdefault(name, [])
            if value not in lists[name]:
                lists[name].append(value)
    lines: list[str] = []
    for name, values in lists.items():
        if len(values) == 1:
            lines += words(method_fields(method), {name: values[0]})
        else:
            lines += words(method_fields(method), {name: tuple(values)})
    cls = sq.method_class(method)  # figures of the data may not choose epsilon for free: see `tune --help`
    proved = cls(**cls.example).guarantee.status == "proved"
    on = ["--on", "data", "--charge", "."] if proved else []
    return _line("tune", method, source["path"], *roles_of(source), *lines, *on)


def publish_line(source: Source, settings: Mapping[str, Any]) -> str:
    """Publish again."""
    card = {k: v for k, v in settings.get("card", {}).items() if isinstance(v, str) and v}
    more: list[str] = []
    for name, value in card.items():
        more += [f"--{name}", value]
    if settings.get("card", {}).get("describes"):
        more += ["--describe", "columns.csv"]
    for name in settings.get("formats", ()):
        more += ["--format", name]
    if "assess" in settings.get("evidence", ()):
        more.append("--assess")
    more += [f"--{name}" for name in ("overwrite", "force") if settings.get(name)]
    return _line(
        "publish", settings["method"], source["path"], *roles_of(source),
        *words(method_fields(settings["method"]), settings["parameters"]), "--out", settings["out"], *more,
    )  # fmt: skip


def verify_line(bundle: str) -> str:
    """Verify a bundle again."""
    return _line("verify", bundle)


def run_line(plan: str) -> str:
    """Carry out a plan."""
    return _line("run", plan)


def query_line(bundle: str, asked: Mapping[str, Any]) -> str:
    """Ask a bundle again."""
    if asked["how"] == "sql":
        return _line("query", bundle, asked["sql"])
    if asked["how"] == "next":
        return _line("query", bundle, "--next", asked["context"])
    where = [p for w in asked["where"] for p in ("--where", f"{w[0]} in [{w[1]:g},{w[2]:g}]")]
    return _line("query", bundle, *where)


def plan_text(title: str, releases: Sequence[tuple[Source, Mapping[str, Any]]]) -> str:
    """A plan file that carries out every release again; `sequester run` checks it whole first."""
    lines = [f"title = {_toml(title)}", ""]
    for source, found in releases:
        method = sq.method_class(found["method"])(
            **{n: tuple(v) if isinstance(v, list) else v for n, v in found["parameters"].items()}
        )
        promise = method.guarantee.confirmed()
        lines += ["[[release]]", f"name = {_toml(found['out'].removesuffix('.bundle'))}"]
        lines += [f"source = {_toml(source['path'])}", f"method = {_toml(found['method'])}"]
        lines += [f"out = {_toml(found['out'])}"]
        if found.get("formats"):
            lines.append(f"formats = {_toml(list(found['formats']))}")
        lines.append(f"evidence = {_toml(list(found.get('evidence', ('measure',))))}")
        tables = {
            "parameters": found["parameters"],
            "roles": {name.rstrip("_"): value for name, value in source["roles"].items()},
            "promise": {"level": promise.level, "unit": promise.unit, "grade": promise.status},
            "publication": {k: v for k, v in found.get("card", {}).items() if v},
        }
        for name, table in tables.items():
            if table:
                lines += ["", f"[release.{name}]"]
                lines += [f"{key} = {_toml(value)}" for key, value in table.items()]
        lines.append("")
    return "\n".join(lines)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    # JSON strings are TOML strings, but for the character 127
    return json.dumps(shown(value), ensure_ascii=False).replace("\x7f", "\\u007f")
