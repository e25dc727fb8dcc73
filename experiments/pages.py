"""From JSON rows to `docs/results/`: a page per step with its note, a chart and its tables; a page of seconds."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from experiments.stamps import Stamps
from experiments.steps import PAGES, end_of, finished_rows, runs_alone, steps

Rows = list[dict[str, Any]]
FIRST = ("what", "data", "corpus", "n", "k", "p", "seconds", "cpu_seconds", "ratio", "exponent", "peak")
LAST = ("limit", "met")
"""Columns of benchmarks: the same ones in the same place on every page."""
TIMING = (
    "From the stamps that finished steps leave: seconds of the last run, many of them on cores that other work wanted. "
    "Two experiments run beside each other, except those that measure time themselves (`alone`); benchmarks never do."
)


def write_pages(package: str) -> list[str]:
    """Write a page for every finished step, and the page of seconds; returns the steps' names."""
    PAGES.mkdir(parents=True, exist_ok=True)
    stamps, written = Stamps(PAGES / "stamps.json"), []
    for name in steps(package):
        rows = finished_rows(package, name)
        if rows:
            module = import_module(f"{package}.{name}")
            text = page(name, module, rows, package)
            (PAGES / f"{name}.md").write_text(text, "utf-8")
            stamps.put(name, end_of(package, name), text)
            written.append(name)
    stamps.pages = {name: stamp for name, stamp in stamps.pages.items() if (PAGES / f"{name}.md").exists()}
    stamps.save()
    (PAGES / "timing.md").write_text(timing(), "utf-8")
    return written


def page(name: str, module: Any, rows: Rows, package: str) -> str:
    """One page in Markdown."""
    title = getattr(module, "TITLE", name.replace("_", " "))
    told = f"`python -m {package} {name}` prints these rows."
    if hasattr(module, "tables"):
        told = f"`python -m {package} {name}` prints {len(rows)} rows, from which these tables are made."
    parts = [f"# {title}", told]
    if getattr(module, "PAPER", ""):
        parts.append(f"Paper: {module.PAPER}.")
    if getattr(module, "NOTE", ""):
        parts.append(" ".join(module.NOTE.split()))
    if limits(rows):
        parts.append(limits(rows))
    if getattr(module, "CHART", None):
        chart(name, module.CHART, rows)
        parts.append(f"![{title}]({name}.svg)")
    else:
        (PAGES / f"{name}.svg").unlink(missing_ok=True)  # of a chart it had before
    if hasattr(module, "tables"):
        for heading, shown in module.tables(rows).items():
            parts += [f"## {heading}", table(shown)]
    else:
        parts.append(table(in_order(rows) if package == "benchmarks" else rows))
    return "\n\n".join(parts) + "\n"


def limits(rows: Rows) -> str:
    """How many of the limits that rows carry were met, and which were not."""
    limited = [r for r in rows if r.get("met") is not None]
    missed = [str(r.get("what", "?")) for r in limited if not r["met"]]
    if not limited:
        return ""
    return f"Limits met: {len(limited) - len(missed)} of {len(limited)}." + (
        f" Missed: {'; '.join(missed)}." if missed else ""
    )


def in_order(rows: Rows) -> Rows:
    """Rows of a benchmark: its name left out, well-known columns in their places."""
    columns = list(dict.fromkeys(c for row in rows for c in row if c != "bench"))
    columns.sort(key=lambda c: (FIRST.index(c) if c in FIRST else len(FIRST), c in LAST and LAST.index(c) + 1))
    return [{c: row.get(c) for c in columns} for row in rows]


def pivot(rows: Rows, index: Sequence[str], column: str, values: Sequence[str], order: Sequence[str] = ()) -> Rows:
    """One row per combination of `index`; what stands in `column` becomes columns, those of `order` first.

    Of several `values` each gets a row of its own, named in `measure`.
    """
    seen = dict.fromkeys(str(r[column]) for r in rows)
    names = [n for n in order if n in seen] + [n for n in seen if n not in order]
    out: dict[tuple[Any, ...], dict[str, Any]] = {}
    for value in values:
        for row in rows:
            if row.get(value) is None:
                continue
            key = tuple(row.get(c) for c in index)
            head = dict(zip(index, key, strict=True)) | ({"measure": value} if len(values) > 1 else {})
            line = out.setdefault((value, *key), head | dict.fromkeys(names))
            line[str(row[column])] = row[value]
    return list(out.values())


def timing() -> str:
    """Seconds of every step whose page carries a stamp."""
    parts = ["# How long the steps take", TIMING]
    stamps = Stamps(PAGES / "stamps.json").pages
    for package in ("experiments", "benchmarks"):
        names = steps(package)
        rows = [
            {"step": n, "seconds": stamps[n]["seconds"], "alone": runs_alone(package, n)} for n in names if n in stamps
        ]
        if rows:
            rows.sort(key=lambda r: -r["seconds"])
            alone = sum(r["seconds"] for r in rows if r["alone"])
            beside = sum(r["seconds"] for r in rows if not r["alone"])
            told = f"{len(rows)} of {len(names)} {package}: {alone + beside:.0f} s of steps"
            told += f", {alone:.0f} s of them alone; two at a time about {alone + beside / 2:.0f} s." if beside else "."
            parts += [f"## make {'bench' if package == 'benchmarks' else package}", told, table(rows)]
    return "\n\n".join(parts) + "\n"


def table(rows: list[dict[str, Any]]) -> str:
    """Rows as a Markdown table; columns in order of first appearance."""
    columns = list(dict.fromkeys(c for row in rows for c in row))
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(cell(row.get(c)) for c in columns) + " |" for row in rows]
    return "\n".join(lines)


def cell(value: Any) -> str:
    """A value as it is shown: four significant digits, more where they are whole numbers; nothing for nothing."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
    return str(value).replace("|", "\\|").replace("\n", " ")


def chart(name: str, told: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """A line chart as told by the module."""
    import altair as alt
    import vl_convert

    wanted = told.get("rows", {})
    kept = [r for r in rows if all(r.get(c) == v for c, v in wanted.items())]
    if any(not isinstance(r.get(told["x"]), str) for r in kept):
        kept = [r for r in kept if not isinstance(r.get(told["x"]), str)]  # a row of exponents is no point
    y = told["y"] if isinstance(told["y"], list) else [told["y"]]
    long = [
        {"x": r.get(told["x"]), "y": r.get(c), "what": str(r.get(told["color"])) if told.get("color") else c,
         "facet": str(r.get(told["facet"], "")) if told.get("facet") else ""}
        for r in kept for c in y if r.get(c) is not None
    ]  # fmt: skip
    # names have no scale and, unless they are ordered, no line between them
    words = any(isinstance(r["x"], str) for r in long)
    x = alt.X("x:N", title=told["x"], sort=None)
    if not words:
        x = alt.X("x:Q", title=told["x"], scale=alt.Scale(type=told.get("scale", "linear")))
    bare = alt.Chart(alt.Data(values=long))
    drawn = (
        (bare.mark_point(filled=True) if words and not told.get("ordered") else bare.mark_line(point=True))
        .encode(
            x=x,
            y=alt.Y(
                "y:Q", title=told.get("y_title", " / ".join(y)), scale=alt.Scale(type=told.get("y_scale", "linear"))
            ),
            color=alt.Color("what:N", title=told.get("color", "")),
        )
        .properties(width=320, height=220)
    )
    if told.get("facet"):
        drawn = drawn.facet(facet=alt.Facet("facet:N", title=told["facet"]), columns=2)
        drawn = drawn.resolve_scale(y="independent") if told.get("y_free") else drawn
    (PAGES / f"{name}.svg").write_text(vl_convert.vegalite_to_svg(drawn.to_json()), "utf-8")
