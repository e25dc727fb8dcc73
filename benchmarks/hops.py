"""Which functions of ours does one `publish` call? The shorter the list, the easier the walk is to follow.

    python -m benchmarks.hops [METHOD]            counts by room: kapra, or markov-dp
    python -m benchmarks.hops [METHOD] --list     every function with its calls, in the order of the first one

A small release (kapra of 60 people, markov-dp of the sample of wards) is published in this process. Counted are
distinct functions and methods of the package that are called at least once, after everything has been imported (a
first run imports, a second one is counted); kernels count once each, by what calls them from Python.
"""

import contextlib
import io
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

import numpy as np

import sequester as sq

OPTIMIZED = 0x1
"""Flag of code that belongs to a function; modules and class bodies lack it."""


OPTIONS = {
    "kapra": "--person person --k 5 --p 2 --seed 1",
    "markov-dp": "--person person --time time --state state --time-format iso --time-unit second --epsilon 4 "
    "--delta 0.000001 --people-at-least 400 --dates 2024-01-01..2025-12-31",
}


def source(folder: Path) -> Path:
    """Sixty people with eight hourly values each."""
    rng = np.random.default_rng(0)
    lines = ["person," + ",".join(f"h{i:02d}" for i in range(8))]
    lines += [f"{i}," + ",".join(map(str, rng.integers(50, 120, 8))) for i in range(60)]
    path = folder / "vitals.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def called(arguments: list[str]) -> dict[str, int]:
    """How often a command calls each function of the package, as `module.name`, in the order of the first call."""
    from sequester.cli import cli

    root = str(Path(sq.__path__[0]))
    seen: dict[object, str] = {}
    calls: Counter[str] = Counter()

    def note(frame, event, _argument):
        code = frame.f_code
        if event != "call" or not code.co_flags & OPTIMIZED or not code.co_filename.startswith(root):
            return
        if code not in seen:
            place = Path(code.co_filename[len(root) + 1 :]).with_suffix("")
            seen[code] = ".".join((*place.parts, code.co_qualname))
        calls[seen[code]] += 1

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            cli.main(arguments, standalone_mode=False)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {name: calls[name] for name in seen.values() if "<" not in name.rsplit(".", 1)[-1]}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        method = "markov-dp" if "markov-dp" in sys.argv[1:] else "kapra"
        path = source(Path(folder)) if method == "kapra" else sq.write_sample("events", Path(folder, "wards.csv"))
        found: dict[str, int] = {}
        for run in ("first", "second"):
            target = str(Path(folder) / f"{run}.bundle")
            found = called(["publish", method, str(path), *OPTIONS[method].split(), "--out", target])
    if "--list" in sys.argv[1:]:
        print(*(f"{n:6} {name}" for name, n in found.items()), sep="\n")
        return
    rooms = Counter(name.split(".", 1)[0] for name in found)
    for room, n in rooms.most_common():
        print(f"{n:5} {room}")
    print(f"{len(found):5} distinct functions")


if __name__ == "__main__":
    main()
