"""`sequester methods [METHOD]`."""

from __future__ import annotations

import click

import sequester as sq
from sequester import _shell
from sequester.cli.options import field_docs, flag, ordered_fields
from sequester.cli.screen import json_option, show_json

GRADES = {
    "verified": "independent code recomputes the promise from the release; a few promises need the original too",
    "proved": "differential privacy; the ledger is checked",
    "as-published": "a paper's procedure whose formal claim does not hold; for comparison",
}


@click.command()
@click.argument("method", required=False)
@json_option
def command(method: str | None, as_json: bool) -> None:
    """Which methods there are and what each promises; with METHOD (or a kind of data), more about it."""
    kinds = [method] if method and method in sq.KINDS else list(sq.KINDS)
    one = method if method not in sq.KINDS else None
    lines = [_describe(m) for m in ([one] if one else _shell.loadable())]
    if as_json:
        show_json([t for t in lines if one or t["kind"] in kinds])
    elif one:
        _one(lines[0])
    else:
        _all(lines, kinds)


def _all(methods: list[dict], kinds: list[str]) -> None:
    click.echo("Choose by what your data looks like, then by what the promise must withstand.\n")
    for kind in kinds:
        mine = sorted((t for t in methods if t["kind"] == kind), key=lambda t: t["baseline"])
        if mine:
            click.echo(f"{kind}: {sq.KINDS[kind].holds}")
        for t in mine:
            base = " [baseline]" if t["baseline"] else ""
            click.echo(f"  {t['id']:<15} {t['says']}{base}")
            click.echo(f"  {'':<15} grade: {t['grade']}, protects each {t['unit']}")
    click.echo("\nA baseline is there to compare with. Grades:")
    for grade, says in GRADES.items():
        click.echo(f"  {grade:<13} {says}")
    click.echo("\n`sequester methods METHOD` explains one; `sequester publish METHOD --help` shows its options;")
    click.echo("`sequester sample KIND --out FILE` writes data to try it on.")


def _describe(method_id: str) -> dict:
    cls = sq.method_class(method_id)
    example, declared = cls(**cls.example), _shell.options_of(cls)
    return {
        "id": method_id,
        "kind": cls.accepts.kind,
        "says": " ".join((cls.__doc__ or "").split("\n\n")[0].split()),
        "paper": cls.paper,
        "baseline": cls.baseline,
        "example": dict(cls.example),
        "promise": str(example.guarantee),
        "unit": example.guarantee.unit,
        "grade": example.guarantee.confirmed().status,
        "statement": example.guarantee.statement,
        "not_covered": list(example.guarantee.not_covered),
        "parameters": {
            f.name if declared[f.name].level == "paper" else flag(f.name): field_docs(cls)[f.name]
            for f in ordered_fields(cls)
        },
    }


def _one(method: dict) -> None:
    options = " ".join(flag(n) if v is True else f"{flag(n)} {v}" for n, v in method["example"].items())
    click.echo(f"{method['id']}: {method['says']}\nWorks on {method['kind']} data. Source: {method['paper']}.")
    click.echo(f"\nWith {options}: {method['promise']}\n{method['statement']}\nNot covered:")
    for line in method["not_covered"]:
        click.echo(f"  - {line}")
    click.echo("\nParameters:")
    for name, says in method["parameters"].items():
        click.echo(f"  {name}: {says}")
    click.echo(f"\n  sequester publish {method['id']} SOURCE --out NAME.bundle {options}")
