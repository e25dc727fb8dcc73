"""What a small publication does not import: pandas and the prelude of opendp are seconds of nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="pandas is not installed: nothing can be left out")

PUBLISH = """
import sys, tempfile
from pathlib import Path
import sequester as sq
from sequester import _shell
_shell.pandas_on_demand()
cls = sq.method_class(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    asked = sq.Request(method=cls(**cls.example), target=Path(folder, "one.bundle"))
    sq.publish_data(sq.sample(cls.accepts.kind, seed=1, n_people=60), asked)
print(sorted({"pandas", "sklearn", "opendp.prelude", "polars", "urllib.request"} & set(sys.modules)))
"""


def run(*words):
    done = subprocess.run([sys.executable, "-c", *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("method", ["ngram-k", "ngram-dp"])
def test_a_publication_imports_no_large_library_it_does_not_use(method):
    assert run(PUBLISH, method).splitlines()[-1] == "[]"


def test_a_frame_wakes_pandas_and_is_read_as_ever():
    told = run("""
import sequester as sq
from sequester import _shell
_shell.pandas_on_demand()
import pyarrow as pa
pa.array([1.0])
import pandas as pd
frame = pd.DataFrame({"person": ["a", "b", "c"], "t1": [1.0, float("nan"), 3.0], "t2": [4, 5, 6]})
read = sq.read_series(frame, person="person", quasi=("t1", "t2"))
print(read.values.tolist(), pa.array(pd.Series([1.0, None])).null_count)
""")
    assert told == "[[1.0, 4.0], [nan, 5.0], [3.0, 6.0]] 1"


def test_a_program_that_has_pandas_keeps_it():
    told = run("""
import pandas as pd
from sequester import _shell
_shell.pandas_on_demand()
import pyarrow as pa
print(pa.array(pd.Series([1.0, None])).null_count)
""")
    assert told == "1"


def test_checksums_are_of_the_pinned_versions():
    """`make install-hashed` and `make install` install the same."""
    root = Path(__file__).parents[2]

    def versions(name):
        lines = (root / name).read_text("utf-8").splitlines()
        return dict(line.split(" ")[0].lower().replace("_", "-").split("==") for line in lines)

    pinned, hashed = versions("constraints.txt"), versions("hashes.txt")
    assert len(hashed) > 100 and {name: pinned.get(name) for name in hashed} == hashed
    lines = (root / "hashes.txt").read_text("utf-8").splitlines()
    assert all(re.fullmatch(r"[\w.-]+==[\w.+!]+ --hash=sha256:[0-9a-f]{64}", line) for line in lines)
