"""From JSON rows to `docs/results/`: a page per step with its note, a chart and the table."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from experiments.steps import ROOT, finished_rows, steps

PAGES = ROOT / "docs" / "results"


def write_pages(package: str) -> list[str]:
    """Write a page for every finished step; returns their names."""
    PAGES.mkdir(parents=True, exist_ok=True)
    written = []
    for name in steps(package):
        rows = finished_rows(package, name)
        if rows:
            module = import_module(f"{package}.{name}")
            (PAGES / f"{name}.md").write_text(page(name, module, rows, package), "utf-8")
            written.append(name)
    return written


def page(name: str, module: Any, rows: list[dict[str, Any]], package: str) -> str:
    """One page in Markdown."""
    title = getattr(module, "TITLE", name.replace("_", " "))
    parts = [f"# {title}", f"`python -m {package} {name}` prints these rows."]
    if getattr(module, "PAPER", ""):
        parts.append(f"Paper: {module.PAPER}.")
    if getattr(module, "NOTE", ""):
        parts.append(" ".join(module.NOTE.split()))
    if getattr(module, "CHART", None):
        chart(name, module.CHART, rows)
        parts.append(f"![{title}]({name}.svg)")
    parts.append(table(rows))
    return "\n\n".join(parts) + "\n"


def table(rows: list[dict[str, Any]]) -> str:
    """Rows as a Markdown table; columns in order of first appearance."""
    columns = list(dict.fromkeys(c for row in rows for c in row))
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(cell(row.get(c)) for c in columns) + " |" for row in rows]
    return "\n".join(lines)


def cell(value: Any) -> str:
    """A value as it is shown: four significant digits, nothing for nothing."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value).replace("|", "\\|").replace("\n", " ")


def chart(name: str, told: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """A line chart as told by the module."""
    import altair as alt
    import vl_convert

    wanted = told.get("rows", {})
    kept = [r for r in rows if all(r.get(c) == v for c, v in wanted.items())]
    y = told["y"] if isinstance(told["y"], list) else [told["y"]]
    long = [
        {"x": r.get(told["x"]), "y": r.get(c), "what": str(r.get(told["color"])) if told.get("color") else c,
         "facet": str(r.get(told["facet"], "")) if told.get("facet") else ""}
        for r in kept for c in y if r.get(c) is not None
    ]  # fmt: skip
    if told.get("x_type") == "ordinal":  # in the order of the rows: one of them may be "inf"
        x = alt.X("x:O", title=told["x"], sort=list(dict.fromkeys(r["x"] for r in long)))
    else:
        x = alt.X("x:Q", title=told["x"], scale=alt.Scale(type=told.get("scale", "linear")))
    drawn = (
        alt.Chart(alt.Data(values=long))
        .mark_line(point=True)
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
    (PAGES / f"{name}.svg").write_text(vl_convert.vegalite_to_svg(drawn.to_json()), "utf-8")
