"""`sequester methods [METHOD]`."""

from __future__ import annotations

import click

import sequester as sq
from sequester.cli.options import field_docs, flag
from sequester.cli.screen import json_option, show_json

SAYS = {
    "text": "free text: notes, letters, reports",
    "series": "regular time series: the same times for everyone",
    "activity": "minutes of activity: a state per person and interval",
    "events": "event logs: who was in which state, and when",
    "symbols": "symbolized series: n-gram tables of signals",
}


@click.command()
@click.argument("method", required=False)
@json_option
def command(method: str | None, as_json: bool) -> None:
    """Which methods there are and what each promises; with METHOD, everything about one."""
    chosen = [method] if method else list(sq.METHODS)
    told = [_describe(m) for m in chosen]
    if as_json:
        show_json(told)
    elif method:
        _one(told[0])
    else:
        for kind, says in SAYS.items():
            mine = [t for t in told if t["kind"] == kind]
            if mine:
                click.echo(f"{kind}: {says}")
                for t in mine:
                    click.echo(f"  {t['id']:<16} {t['promise']}{'  [baseline]' if t['baseline'] else ''}")
        click.echo("\n`sequester methods METHOD` explains one; `sequester publish METHOD --help` shows its options.")


def _describe(method_id: str) -> dict:
    cls = sq.method_class(method_id)
    example = cls(**cls.example)
    return {
        "id": method_id,
        "kind": cls.accepts.kind,
        "says": " ".join((cls.__doc__ or "").split("\n\n")[0].split()),
        "paper": cls.paper,
        "baseline": cls.baseline,
        "example": dict(cls.example),
        "promise": str(example.guarantee),
        "statement": example.guarantee.statement,
        "not_covered": list(example.guarantee.not_covered),
        "parameters": {flag(n): says for n, says in field_docs(cls).items() if n in cls.__dataclass_fields__},
    }


def _one(told: dict) -> None:
    options = " ".join(f"{flag(n)} {v}" for n, v in told["example"].items())
    click.echo(f"{told['id']}: {told['says']}\nWorks on {told['kind']} data. Source: {told['paper']}.")
    click.echo(f"\nWith {options}: {told['promise']}\n{told['statement']}\nNot covered:")
    for line in told["not_covered"]:
        click.echo(f"  - {line}")
    click.echo("\nParameters:")
    for name, says in told["parameters"].items():
        click.echo(f"  {name}: {says}")
    click.echo(f"\n  sequester publish {told['id']} SOURCE --out NAME.bundle {options}")
