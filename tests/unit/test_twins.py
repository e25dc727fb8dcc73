"""Every kernel that is called from Python is compared with a plain loop by a test that is named."""

import ast
from pathlib import Path

from tests.compiled_kernels import called_from_python
from tests.twins import answered

ROOT = Path(__file__).parents[2]


def test_every_kernel_called_from_python_has_a_test_with_a_twin():
    called = called_from_python()
    assert len(called) > 130
    assert called - answered().keys() == set(), "write a plain twin, compare, and add both to tests/twins.py"
    assert answered().keys() - called == set(), "these kernels are gone or are called by kernels only"


def test_the_tests_of_twins_exist():
    missing = []
    for test in sorted(set(answered().values())):
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
        missing += [] if any("assert" in ast.unparse(f) for f in found) else [test]
    assert missing == []
