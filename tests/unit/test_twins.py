"""Every kernel that is called from Python is compared with a plain loop by a test that is named."""

import ast

from tests.compiled_kernels import called_from_python
from tests.twins import answered, named_by, written


def test_every_kernel_called_from_python_has_a_test_with_a_twin():
    called = called_from_python()
    assert len(called) > 120
    assert called - answered().keys() == set(), "write a plain twin, compare, and add both to tests/twins.py"
    assert answered().keys() - called == set(), "these kernels are gone or are called by kernels only"


def test_the_tests_of_twins_exist_and_assert_something():
    tests = {test: written(test) for test in answered().values()}
    assert [t for t, found in tests.items() if found is None or "assert" not in ast.unparse(found)] == []


def test_a_test_answers_only_for_kernels_that_it_calls_itself():
    whole = [f"{test} does not name {kernel}" for kernel, test in answered().items() if kernel not in named_by(test)]
    assert whole == [], "a test of a whole algorithm cannot say which of its kernels is wrong"
