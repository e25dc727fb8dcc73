"""The door is typed: a type checker finds the mistakes in what a user writes against the public names."""

import subprocess
import sys
from pathlib import Path

import pytest

import sequester as sq

pytest.importorskip("mypy")
ROOT = Path(__file__).parents[2]

GOOD = """
import sequester as sq

people = sq.read_series("walk.csv", person="id", sensitive=("y",))
method = sq.Kapra(k=10, p=3)
release: sq.Release = sq.anonymize(people, method, seed=1)
bundle: sq.Bundle = sq.publish(release, "walk.bundle", source=people)
verdict: sq.Evidence = sq.verify("walk.bundle", people)
holds: bool = verdict.holds and sq.measure(people, release).saw_original
level: str = method.guarantee.level
kind: str = sq.method_class("kapra").accepts.kind
try:
    sq.attack(release, people, knowledge=4)
except sq.SequesterError as error:
    code: int = error.exit_code
"""
BAD = {
    "sq.Kapra(k='ten', p=3)": 'Argument "k" to "Kapra" has incompatible type "str"; expected "int"',
    "sq.Kapra(k=10, p=3, q=1)": 'Unexpected keyword argument "q" for "Kapra"',
    "sq.Kappra": 'Module has no attribute "Kappra"',
    "sq.read_series('x.csv', persn='id')": 'Unexpected keyword argument "persn" for "read_series"',
    "sq.verify(3)": 'Argument 1 to "verify" has incompatible type "int"',
    "sq.require_writable": 'Module has no attribute "require_writable"',
}


def checked(tmp_path, text):
    script = tmp_path / "script.py"
    script.write_text(text)
    # a cache of its own beside the script: the house's is for the house's settings
    told = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--ignore-missing-imports"]
    told += ["--config-file=", f"--cache-dir={tmp_path / 'cache'}", "--no-error-summary", str(script)]
    env = {"PATH": "/usr/bin:/bin", "MYPYPATH": str(ROOT / "src"), "HOME": str(tmp_path)}
    done = subprocess.run(told, capture_output=True, text=True, env=env, cwd=tmp_path)
    return done.returncode, done.stdout + done.stderr


def test_a_users_script_is_checked(tmp_path):
    code, told = checked(tmp_path, GOOD + "".join(f"{line}\n" for line in BAD))
    lines = [line for line in told.splitlines() if "script.py" in line and ": error: " in line]
    first = GOOD.count("\n") + 1
    assert code == 1 and all(int(line.split(":")[1]) >= first for line in lines), told
    for line, says in zip(range(first, first + len(BAD)), BAD.values(), strict=True):
        assert any(f":{line}: error: " in found and says in found for found in lines), f"{says} not in\n{told}"


def test_the_stub_has_the_public_names(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from public_stub import STUB, stub

    assert STUB.read_text("utf-8") == stub(), "the public names have changed: run `python docs/public_stub.py`"
    assert all(hasattr(sq, name) for name in sq.__all__)
    assert (STUB.parent / "py.typed").exists()


def test_plumbing_is_not_public():
    for name in ("require_writable", "to_json_text", "tour_page", "copies_of", "for_audit", "kind_by_ending"):
        with pytest.raises(AttributeError, match=f"module 'sequester' has no attribute '{name}'"):
            getattr(sq, name)
