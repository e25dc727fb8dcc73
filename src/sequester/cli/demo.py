"""`sequester demo [--out DIR]`: the commands of a whole release, for every kind of data, run as a user would."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click

import sequester as sq
from sequester import _shell
from sequester._shell import counted
from sequester.cli import cli


@dataclass(frozen=True, kw_only=True)
class Stop:
    """One release of the tour; `{source}` and `{bundle}` stand for its files."""

    kind: str
    method: str
    title: str
    story: str
    source: str
    sample: str = ""
    """Options of `sequester sample`."""
    roles: str = ""
    options: str
    tune: str = ""
    """Parameter lists to sweep, for the frontier of risk and loss in the custodian's report."""
    question: str = ""
    """SQL a researcher might ask of the bundle."""

    @property
    def name(self) -> str:
        """The bundle's name without ending: what the source is called, and the method."""
        return f"{Path(self.source).stem}-{self.method}"


STOPS = (
    Stop(
        kind="text",
        method="k-repeats",
        title="Clinical notes",
        story="Names, dates and rare findings stand in the notes of few people; standing phrases stand in the notes of "
        "many. Only words, numbers and names that at least four people's released notes share stay visible. Where a "
        "date or number was found, a marker says so.",
        source="notes",
        roles="--person folder",
        options="--k 4 --markers typed",
        question="select document, length(text) as characters from documents limit 3",
    ),
    Stop(
        kind="series",
        method="kapra",
        title="Vital signs over time",
        story="Heart rates of two days. Each person hides in a group of eight with one range of values, and in a "
        "subgroup of three with one pattern of ups and downs.",
        source="vitals.csv",
        roles="--person person --sensitive stay_days,outcome",
        options="--k 8 --p 3",
        tune="--k 4,8,16 --p 3",
        question='select "group", count(*) as records from records group by 1 order by 1 limit 5',
    ),
    Stop(
        kind="activity",
        method="mcka",
        title="A week of activity, minute by minute",
        story="Wearables record what people do each minute. Similar people are grouped, and each released week is "
        "drawn from its group's habits.",
        source="minutes.csv",
        roles="--person person --start start --end end --state state",
        options="--k 5",
        question="select cluster, count(*) as records from sequences group by 1 order by 1 limit 5",
    ),
    Stop(
        kind="activity",
        method="activity-dp",
        title="The same study with differential privacy",
        story="The same minutes, but the promise is now a mathematical one: whatever is asked of the release, one "
        "person's presence changes the odds by little. Noise is the price, and it is large for few people.",
        source="study.csv",
        sample="--people 400 --seed 1",
        roles="--person person --start start --end end --state state --time-format iso --dates 2024-03-04..2024-03-10",
        options="--epsilon 4 --delta 0.000001 --people-at-least 400 --codebook stationary,walking,running,missing",
    ),
    Stop(
        kind="events",
        method="markov-dp",
        title="Ward transfers and procedures",
        story="Who was where, and when. The release is a synthetic log drawn from noisy statistics: no row belongs to "
        "anybody, and a ledger shows where the privacy budget went.",
        source="wards.csv",
        roles="--person person --time time --state state --time-format iso --time-unit second",
        options="--epsilon 4 --delta 0.000001 --people-at-least 400 --dates 2024-01-01..2025-12-31",
        question="select state, count(*) as events from events group by 1 order by 2 desc limit 5",
    ),
    Stop(
        kind="symbols",
        method="ngram-k",
        title="Patterns in electrocardiograms",
        story="Each heart trace becomes a string of four symbols; released is a table of how often each pattern "
        "occurs, and only patterns that at least ten people have.",
        source="ecg.csv",
        roles="--person person --value symbol --symbolize none",
        options="--k 10 --n 3 --unit person",
        question='select gram, "count" from ngrams where "order" = 3 order by 2 desc limit 5',
    ),
)
"""The tour. Stops whose method is not installed are left out."""

AT_ONCE = 2
"""Stops visited at the same time, each in a process of its own: on a new machine every one of them compiles kernels."""


@click.command()
@click.option("--out", default="demo", show_default=True, help="Folder to write; index.html in it is the tour.")
@click.option("--overwrite", is_flag=True, help="Write into a folder that exists already.")
def command(out: str, overwrite: bool) -> None:
    """Publish sample data of every kind, verify and attack it, and leave a tour to look at: DIR/index.html."""
    folder = Path(out)
    if folder.exists() and any(folder.iterdir()) and not overwrite:
        if not (folder / "index.html").exists() or not (folder / "sequester-demo.json").exists():
            raise sq.InputError(f"demo: '{folder.name}' exists and is not an earlier demo. Choose another --out.")
        raise sq.InputError(f"demo: '{folder.name}' exists. Pass --overwrite to make it anew.")
    folder.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    stops = [stop for stop in STOPS if stop.method in sq.METHODS]
    lines = []
    with ProcessPoolExecutor(AT_ONCE, get_context("spawn"), os.chdir, (folder.absolute(),)) as pool:
        for stop, done in zip(stops, pool.map(_visit, stops), strict=True):
            click.echo(f"{stop.title}: done", err=True)
            lines.append(done)
    with contextlib.chdir(folder):
        page = _shell.tour_page(lines, seconds=time.monotonic() - begun)
        Path("index.html").write_text(page, "utf-8")
        Path("sequester-demo.json").write_text(_shell.to_json_text(lines), "utf-8")
    click.echo(f"To go on by clicking, with these releases loaded: sequester workbench {folder}", err=True)
    click.echo(
        f"{counted(len(lines), 'release')} in {time.monotonic() - begun:.0f} s. Open {folder / 'index.html'} in a "
        "browser."
    )


def _visit(stop: Stop) -> dict[str, Any]:
    """Run the commands of one stop in the demo's folder; returns what its part of the page shows."""
    bundle, source = f"{stop.name}.bundle", stop.source
    commands = []
    findings: list[tuple[str, str]] = []

    def do(line: str, fine: tuple[int, ...] = (0,)) -> str:
        commands.append(f"sequester {line}")
        return _run(shlex.split(line), fine)

    sample = f"sample {stop.kind} --out {source} {stop.sample}".strip()
    if Path(source).exists():
        commands.append(f"sequester {sample}")
    else:
        do(sample)
    do(f"publish {stop.method} {source} {stop.roles} {stop.options} --assess --out {bundle} --overwrite")
    stored = json.loads(Path(f"{stop.name}.private", "assess.json").read_text("utf-8"))
    findings.append(("The original", stored["summary"]))
    stored = json.loads(do(f"verify {bundle} --source {source} --json"))
    findings.append(("Checked", stored["summary"]))
    stored = json.loads(do(f"attack {bundle} --source {source} --sample 60 --keep --json", fine=(0, 1)))
    findings.append(("Attacked", stored["summary"]))
    if stop.tune:
        do(f"tune {stop.method} {source} {stop.roles} {stop.tune} --keep {bundle}")
    if stop.question:
        do(f"query {bundle} {shlex.quote(stop.question)}")
    manifest = json.loads(Path(bundle, "manifest.json").read_text("utf-8"))
    picture, shows = _shell.before_after(bundle)
    shown = [c.removesuffix(" --json").replace(" --overwrite", "") for c in commands]
    return {
        "title": stop.title,
        "story": stop.story,
        "method": stop.method,
        "guarantee": manifest["guarantee"],
        "commands": shown,
        "links": [
            ["Public report", f"{bundle}/report.html"],
            ["Custodian's report", f"{stop.name}.private/report.html"],
            ["Manifest", f"{bundle}/manifest.json"],
        ],
        "findings": findings,
        "picture": picture,
        "shows": shows,
    }


def _run(arguments: list[str], fine: tuple[int, ...]) -> str:
    """A command of ours, in this process; its output as text. An exit code that is not fine ends the demo."""
    out, notes = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(notes):  # of two stops at once, they would mix
        try:
            cli.main(args=["--quiet", *arguments], prog_name="sequester", standalone_mode=False)
        except SystemExit as stopped:
            if (stopped.code or 0) not in fine:
                print(notes.getvalue(), file=sys.__stderr__, end="")
                raise sq.PromiseBroken(f"demo: sequester {shlex.join(arguments)} ended with {stopped.code}.") from None
    return out.getvalue()
