"""Runs what a page shows: its commands, its Python, its files, in an empty folder with the sample data in it.

- A fence `console` holds commands after `$ `, and below each what it prints: every line must appear, in order, `…`
  standing for anything. `[exit 2]` names an exit code that is not 0.
- A fence `python` runs in one session per page. With `# file: NAME` as its first line it is written to that file;
  so are fences `toml` and `markdown` (`<!-- file: NAME -->`).
- A fence `r` runs in a process of its own, where R is installed.
- `pip install ./NAME` installs a package that the page wrote, and `python -m sequester.contract` runs as it stands.
- An indented line that begins with `sequester ` (a page beside a method) runs too.
- A fence after `<!-- needs: PACKAGE -->` runs where that package is installed.
- A fence after `<!-- not run: why -->` does not; there are few.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\{?[\w-]*\}?)[^\n]*\n(.*?)^```\s*$", re.M | re.S)
OTHERS = (["python", "-m", "sequester.contract"],)
RUNNABLE = {"console", "python", "toml", "markdown", "r"}
PROSE = {"text", "{toctree}", "{figure}", "{image}", "{admonition}"}
"""Fences that show something else than code."""


@dataclass
class Step:
    kind: str
    body: str
    line: int
    expected: tuple[str, ...] = ()
    exit_code: int = 0


def pages():
    """Every page a reader may follow: README, docs, and the pages beside the methods."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return found + sorted((ROOT / "src" / "sequester" / "methods").glob("*/*/page.md"))


def steps(path):
    """What to run, in the order of the page."""
    text = path.read_text("utf-8")
    out = []
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        before = text[: match.start()].rstrip().splitlines()
        not_run = bool(before) and before[-1].startswith("<!-- not run:")
        needs = re.fullmatch(r"<!-- needs: (\w+) -->", before[-1]) if before else None
        name, body = match.group(1), match.group(2)
        if needs and find_spec(needs.group(1)) is None:
            out.append(Step("absent", body, line))
        elif not_run:
            out.append(Step("not run", body, line))
        elif name == "console":
            out += _commands(body, line)
        elif name in RUNNABLE:
            file = re.match(r"(?:# file: (\S+)|<!-- file: (\S+) -->)\n", body)
            out.append(Step(f"file {file.group(1) or file.group(2)}" if file else name, body, line))
        elif name not in PROSE:
            out.append(Step(f"unknown fence '{name}'", body, line))
    for match in re.finditer(r"^    (sequester (?:\\\n|[^\n])*)", FENCE.sub(_blank, text), re.M):
        command = re.sub(r"\\\n\s*", " ", match.group(1))
        out.append(Step("command", command, text.count("\n", 0, match.start()) + 1, expected=("…",)))
    return sorted(out, key=lambda s: s.line)


def _blank(match):
    return "\n" * match.group(0).count("\n")


def _commands(body, line):
    out = []
    for i, text in enumerate(body.replace("\\\n", "\\ ").splitlines()):
        if text.startswith("$ "):
            out.append(Step("command", text[2:].replace("\\ ", " "), line + i + 1))
        elif re.fullmatch(r"\[exit \d+\]", text):
            out[-1].exit_code = int(text[6:-1])
        elif text.strip():
            out[-1].expected += (text,)
    return out


def arguments(command):
    """The words after `sequester`, or an error: only our own commands are shown."""
    words = shlex.split(command)
    assert words[0] == "sequester" or words[:3] in OTHERS or words[:2] == ["pip", "install"], f"not ours: {command}"
    return words


def missing_line(expected, printed):
    """The first expected line that was not printed in its place, or None."""
    lines = [" ".join(x.split()) for x in printed.splitlines()]
    at = 0
    for wanted in expected:
        if wanted.strip() == "…":
            continue
        pattern = ".*".join(re.escape(" ".join(part.split())) for part in wanted.split("…"))
        for i in range(at, len(lines)):
            if re.fullmatch(rf"\s*{pattern}\s*" if "…" not in wanted else pattern + r".*", lines[i]):
                at = i + 1
                break
        else:
            return wanted
    return None
