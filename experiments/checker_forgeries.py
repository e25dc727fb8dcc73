"""Every forged bundle of the suite and of `faults`, judged by `verify` and by the page that needs no install.

The tests are run with this module as a plugin of pytest: whatever folder they give to `verify` is kept, with what
`verify` says of it from the release alone. Then one browser looks at all of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.checker import Checker, said_by

from experiments import fault_forgeries
from sequester import flow
from sequester.model import Data
from sequester.release import Evidence

TITLE = "Forged bundles on the page that needs no install"
NOTE = """*forgeries* are different bundles that `verify` refuses or does not confirm; *honest* are those that it
confirms or leaves undecided. *refused here* were refused by `verify.html` as well. *left out, and said* were not, and
the page lists every failing check under what it did not look at. *disagree* must be 0 in every row."""
KEEP = "SEQUESTER_KEEP_BUNDLES"
"""The folder in which a run of tests keeps what it verifies."""
FILES = (
    "flow/test_forgeries.py", "flow/test_twelve_forgeries.py", "flow/test_checker.py", "flow/test_sign.py",
    "golden/test_companions.py", "golden/test_bundles.py", "unit/test_more_forgeries.py", "unit/test_kp_judge.py",
    "unit/test_text_judge.py", "unit/test_dp_judge.py", "unit/test_activity_dp_forgeries.py",
    "unit/test_activity_groups.py", "unit/test_event_forgeries.py", "unit/test_event_attributes.py",
    "unit/test_event_values.py", "unit/test_ngram_methods.py", "unit/test_code_hierarchy.py",
    "unit/test_stored_tables.py", "unit/test_hostile_bundles.py", "unit/test_edited_bundles.py",
    "unit/test_opened_tables.py", "unit/test_parquet_footers.py", "unit/test_judged_from_release.py",
    "unit/test_k_words.py", "unit/test_k_repeats.py", "unit/test_signatures.py", "unit/test_verdicts.py",
)  # fmt: skip


def keeping(folder: Path) -> None:
    """From now on, keep every bundle that this process verifies."""
    examine = flow.examine

    def kept(path: Path, source: Data | None = None, **more: Any) -> Evidence:
        target = folder / _digest(path)
        if not target.exists():
            shutil.copytree(path, target / "bundle", symlinks=True)
            by = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
            (target / "verdict.json").write_text(json.dumps([by, *said_by(lambda: examine(path))]))
        return examine(path, source, **more)

    flow.examine = kept


def _digest(path: Path) -> str:
    """Of names and contents, links as links."""
    found = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        held = str(file.readlink()).encode() if file.is_symlink() else file.read_bytes() if file.is_file() else b""
        found.update(f"{file.relative_to(path)}\0{file.is_symlink()}\0{len(held)}\0".encode("utf-8", "surrogateescape"))
        found.update(held)
    return found.hexdigest()[:20]


def pytest_configure() -> None:
    """As a plugin."""
    if KEEP in os.environ:
        keeping(Path(os.environ[KEEP]))


def collected(folder: Path) -> None:
    """Run the tests, and make the forgeries of every method.

    Tests of a failing disk are left out: `verify` gives no verdict there, and a copy of the bundle is an honest one.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "experiments.checker_forgeries", "-p",
               "no:cacheprovider", "-k", "not disk", *(f"tests/{file}" for file in FILES)]  # fmt: skip
    subprocess.run(command, env=os.environ | {KEEP: str(folder)}, stdout=sys.stderr, check=True)
    examine = flow.examine
    keeping(folder)
    try:
        for name in fault_forgeries.METHODS:
            os.environ["PYTEST_CURRENT_TEST"] = f"faults: {name}"
            fault_forgeries.forged(name)
    finally:
        flow.examine = examine
        os.environ.pop("PYTEST_CURRENT_TEST", None)


def run() -> Iterator[dict[str, Any]]:
    """A row per file of tests, one for the forgeries of all methods, and the sum."""
    rows: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(os.environ.get(KEEP, temporary))
        if not any(folder.glob("*/verdict.json")):
            collected(folder)
        with Checker(Path(temporary)) as checker:
            for told in sorted(folder.glob("*/verdict.json")):
                by, result, broken = json.loads(told.read_text())
                page = checker.examine(told.parent / "bundle")
                why = checker.disagreement(page, result, broken)
                if why:
                    print(told.parent.name, by, why, file=sys.stderr, flush=True)
                where = Path(by.partition("::")[0]).name
                for key in (where, "all"):
                    rows.setdefault(key, Counter()).update([_met(page["result"], result, why)])
    for where, found in sorted(rows.items(), key=lambda r: (r[0] != "all", r[0])):
        forged = found["refused here"] + found["left out, and said"]
        yield {"bundles of": where, "forgeries": forged, "refused here": found["refused here"],
               "left out, and said": found["left out, and said"], "honest": found["honest"],
               "disagree": found["disagree"]}  # fmt: skip


def _met(page: str, result: str, why: str) -> str:
    if why:
        return "disagree"
    if result not in ("broken", "refused"):
        return "honest"
    return "refused here" if page in ("broken", "refused") else "left out, and said"
