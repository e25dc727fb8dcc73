"""Pages made from the code: one per method, the command line, the Python interface. Never committed, never stale."""

from __future__ import annotations

import inspect
import os
import tempfile
from dataclasses import fields, is_dataclass
from pathlib import Path

import sequester as sq
from sequester.cli import VERBS, cli
from sequester.cli.options import field_docs, flag, options_of, ordered_fields, parameter_docs
from sequester.pages.pictures import public_pictures


def write_all(docs: Path) -> None:
    """Everything that is generated."""
    write_methods(docs / "methods")
    reference = docs / "reference"
    reference.mkdir(exist_ok=True)
    _write(reference / "cli.md", cli_page())
    _write(reference / "api.md", api_page())


def write_methods(folder: Path) -> None:
    """A page per method: its promise in numbers, a picture, and the page that stands beside its code."""
    folder.mkdir(exist_ok=True)
    pictures = folder / "pictures"
    pictures.mkdir(exist_ok=True)
    written = []
    for method_id in sq.METHODS:
        _write(folder / f"{method_id}.md", method_page(method_id, pictures))
        written.append(method_id)
    for old in folder.glob("*.md"):
        if old.stem not in (*written, "index"):
            old.unlink()
    _write(folder / "index.md", methods_index(written))


def methods_index(method_ids: list[str]) -> str:
    """The table of all methods."""
    lines = [
        "# Methods",
        "",
        "Every method with the promise of its example's parameters. Baselines are there to compare with.",
        "",
        "| method | data | promise | unit | grade |",
        "|---|---|---|---|---|",
    ]
    for method_id in method_ids:
        cls = sq.method_class(method_id)
        promise = cls(**cls.example).guarantee.confirmed()
        base = " (baseline)" if cls.baseline else ""
        row = (f"[`{method_id}`]({method_id}.md){base}", cls.accepts.kind, promise.level, promise.unit, promise.status)
        lines.append("| " + " | ".join(_cell(c) for c in row) + " |")
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *method_ids, "```", ""])


def method_page(method_id: str, pictures: Path) -> str:
    """The page beside the code, with what the code itself says on top."""
    cls = sq.method_class(method_id)
    method = cls(**cls.example)
    promise = method.guarantee.confirmed()
    source = Path(inspect.getfile(cls)).with_name("page.md").read_text("utf-8")
    title, _, rest = source.partition("\n")
    options = " ".join(f"{flag(n)} {v}" for n, v in cls.example.items())
    top = [
        title,
        "",
        ":::{admonition} In short",
        f"`sequester publish {method_id} SOURCE --out NAME.bundle {options}`",
        "",
        f"{promise.statement}",
        "",
        f"Promise: {promise.level}. Unit of protection: {promise.unit}. Grade: **{promise.status}**.",
        ":::",
        "",
        *_pictures(method_id, method, pictures),
    ]
    return "\n".join([*top, rest.strip(), "", *_fields(cls), ""])


def _pictures(method_id: str, method: sq.Method, folder: Path) -> list[str]:
    """What the released sample looks like; skipped when only the words are to be checked."""
    if os.environ.get("SEQUESTER_DOCS_PICTURES") == "no":
        return []
    with tempfile.TemporaryDirectory() as place:
        data = sq.sample(method.accepts.kind, seed=1)
        release = sq.anonymize(data, method, seed=1)
        bundle = sq.publish(release, Path(place) / "sample.bundle", source=data, teaching_only=True)
        sections = public_pictures(bundle)
    excerpt = [_excerpt(s.excerpts[0][1]) for s in sections if s.excerpts]
    if excerpt:
        return [f"A released note of the sample (`sequester sample {method.accepts.kind}`):", "", *excerpt[0], ""]
    section = next((s for s in sections if s.svg), None)
    if section is None:
        return []
    # These pages can be dark, a drawing's ink is not: give it paper.
    paper = section.svg.replace(">", '><rect width="100%" height="100%" fill="#ffffff"/>', 1)
    (folder / f"{method_id}.svg").write_text(paper, "utf-8")
    return [
        f"```{{figure}} pictures/{method_id}.svg",
        f":alt: {' '.join(section.alt.split())[:300]}",
        "",
        f"{section.title} Drawn from the released sample (`sequester sample {method.accepts.kind}`).",
        "```",
        "",
    ]


def _excerpt(pieces: tuple[tuple[str, str], ...]) -> list[str]:
    return ["```text", *"".join(text for text, _ in pieces)[:600].splitlines(), "```"]


def _fields(cls: type[sq.Method]) -> list[str]:
    told = field_docs(cls)
    lines = ["## All parameters", ""]
    for name in (f.name for f in ordered_fields(cls)):
        paper = options_of(cls)[name].level == "paper"
        lines += [f"`{name if paper else flag(name)}`", f": {told[name]}{' In plans and in Python.' * paper}", ""]
    return lines


def cli_page() -> str:
    """The help of every verb, as it is printed."""
    from click.testing import CliRunner

    runner = CliRunner()

    def told(*arguments: str, how: str = "--help") -> str:
        out = runner.invoke(cli, [*arguments, how], prog_name="sequester", terminal_width=100)
        assert out.exit_code == 0, (arguments, out.output, out.exception)
        return out.output.rstrip()

    lines = [
        "# Command line",
        "",
        "Made from `--help`, of methods from `--help-all`, when these pages are built.",
        "",
        "```text",
        told(),
        "```",
    ]
    for verb in VERBS:
        lines += ["", f"## `sequester {verb}`", "", "```text", told(verb), "```"]
        if verb == "publish":
            for method_id in sq.METHODS:
                lines += [
                    "",
                    f"### `sequester publish {method_id}`",
                    "",
                    "```text",
                    told(verb, method_id, how="--help-all"),
                    "```",
                ]
    return "\n".join([*lines, ""])


GROUPS = {
    "The verbs": lambda n, v: inspect.isfunction(v) and not n.startswith("read_"),
    "Reading": lambda n, v: inspect.isfunction(v) and n.startswith("read_"),
    "Methods": lambda n, v: inspect.isclass(v) and issubclass(v, sq.Method) and v is not sq.Method,
    "Models": lambda n, v: inspect.isclass(v) and v.__module__.startswith("sequester.model"),
    "Errors": lambda n, v: inspect.isclass(v) and issubclass(v, Exception),
    "What travels between the stages": lambda n, v: inspect.isclass(v),
    "Registries": lambda n, v: True,
}


def api_page() -> str:
    """Every public name with its signature and docstring."""
    left = {name: getattr(sq, name) for name in sq.__all__}
    lines = [
        "# Python interface",
        "",
        "`import sequester as sq` gives these names. Made when these pages are built.",
        "",
    ]
    for title, belongs in GROUPS.items():
        mine = {n: v for n, v in left.items() if belongs(n, v)}
        left = {n: v for n, v in left.items() if n not in mine}
        if mine:
            lines += [f"## {title}", ""]
        for name, value in mine.items():
            lines += [f"### `{name}`", "", *_entry(name, value), ""]
    return "\n".join(lines)


def _entry(name: str, value: object) -> list[str]:
    if not callable(value):
        return [f"A mapping: {', '.join(f'`{k}`' for k in value)}." if hasattr(value, "keys") else f"`{value!r}`"]
    lines = []
    if not (inspect.isclass(value) and issubclass(value, Exception)):
        lines += ["```python", _signature(name, value), "```", ""]
    text = inspect.getdoc(value) or ""
    body = text.split("Parameters\n----------")[0].split("Raises\n------")[0].strip()
    lines += [*_plain(body), ""]
    told = field_docs(value) if inspect.isclass(value) else parameter_docs(value)
    known = {f.name for f in fields(value)} if is_dataclass(value) else None
    for parameter, says in told.items():
        if says and (known is None or parameter in known):
            lines += [f"`{parameter}`", f": {_escaped(says)}", ""]
    return lines


def _signature(name: str, value: object) -> str:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
    shown = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    return f"{name}{shown}" if len(shown) < 90 else f"{name}(\n    " + ",\n    ".join(_parts(parameters)) + ",\n)"


def _parts(parameters: list[inspect.Parameter]) -> list[str]:
    out, starred = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not starred:
            out.append("*")
            starred = True
        out.append(str(p))
    return out


def _plain(text: str) -> list[str]:
    """Docstring words as Markdown: examples become code, everything else stays as it is."""
    lines, code = [], False
    for line in text.splitlines():
        example = line.lstrip().startswith(">>>") or (code and line.strip() != "")
        if example and not code:
            lines += ["```python"]
        if code and not example:
            lines += ["```"]
        code = example
        lines.append(line if code else _escaped(line))
    return [*lines, "```"] if code else lines


def _escaped(text: str) -> str:
    return text.replace("<", "\\<") if "`" not in text else text


def _cell(text: str) -> str:
    return str(text).replace("|", "\\|")


def _write(path: Path, text: str) -> None:
    """Only when something changed, so that an unchanged page is not built again."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")
