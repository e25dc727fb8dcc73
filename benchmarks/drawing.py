"""What does drawing cost? Charts in a fresh process: a short publication must not be spent on its pictures."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

TITLE = "Drawing"
NOTE = """CPU seconds of a fresh process, the import of the room beside it. The first edition drew these charts with
altair and vl-convert, whose first chart alone took about 1.0 s of CPU time on the same machine."""

CODE = """
import time
begun = time.process_time()
from sequester.pages import charts
loaded = time.process_time()
rows = [{"x": i, "y": i * i % 17, "s": str(i % 3)} for i in range(1, 60)]
for _ in range(CHARTS):
    charts.lines(rows, "x", "y", x_title="x", y_title="y", series="s")
    charts.columns(rows, "x", "y", x_title="x", y_title="y", promised=5)
print(loaded - begun, time.process_time() - loaded)
"""


def run() -> Iterator[dict]:
    """Median of five processes each."""
    for charts in (1, 5):
        found = []
        for _ in range(5):
            told = subprocess.run(
                [sys.executable, "-c", CODE.replace("CHARTS", str(charts))], capture_output=True, text=True, check=True
            ).stdout.split()
            found.append((float(told[1]), float(told[0])))
        drawn, loaded = sorted(found)[2]
        yield {"bench": "drawing", "charts": 2 * charts, "import_s": round(loaded, 3), "draw_s": round(drawn, 4)}
