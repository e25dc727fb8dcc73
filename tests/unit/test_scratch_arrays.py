"""Arrays in the scratch folder are what was kept there, whoever reads them at once."""

import ast
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import sequester
from sequester.engines.scratch import keep, keep_all, load, load_all, mapped

ARRAYS = {
    "numbers": np.arange(12, dtype=np.int64).reshape(3, 4),
    "turned": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "bits": np.array([True, False]),
    "names": np.array(["a", "bcd"]),
    "times": np.array(["2020-01-01", "NaT"], "datetime64[s]"),
    "empty": np.zeros((0, 4), np.uint8),
    "one": np.array(7),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back_as_numpy_would_read_it(tmp_path, name):
    keep(path := tmp_path / "a.npy", ARRAYS[name])
    for found in (load(path), mapped(path)):
        expected = np.load(path)
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_array_equal(found, expected)
    assert load(path).flags.writeable and not mapped(path).flags.writeable


def test_arrays_of_one_file_come_back_and_nothing_lies_beside(tmp_path):
    keep_all(path := tmp_path / "all.npz", ARRAYS)
    found = load_all(path)
    assert found.keys() == ARRAYS.keys() and list(tmp_path.iterdir()) == [path]
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)
    assert found["turned"].flags.f_contiguous


def test_another_file_is_refused(tmp_path):
    (tmp_path / "a.npy").write_bytes(b"no array of numbers, whatever its name says")
    with pytest.raises(ValueError, match="holds no array"):
        load(tmp_path / "a.npy")


def test_eight_threads_read_at_once_and_parse_no_python(tmp_path, monkeypatch):
    keep(one := tmp_path / "a.npy", ARRAYS["numbers"])
    keep_all(many := tmp_path / "all.npz", ARRAYS)

    def refuse(*_args, **_named):
        raise AssertionError("the header was parsed as Python")

    monkeypatch.setattr(ast, "parse", refuse)
    monkeypatch.setattr(ast, "literal_eval", refuse)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            sums = list(
                pool.map(lambda _: int(mapped(one).sum() + load(one).sum() + load_all(many)["one"]), range(400))
            )
    finally:
        sys.setswitchinterval(before)
    assert sums == [66 + 66 + 7] * 400


def test_nothing_that_may_run_in_threads_parses_headers_as_python():
    """`np.load` and `ast` stand nowhere but in a test that ships and in the declaration of options."""
    found = {
        str(path.relative_to(Path(sequester.__path__[0])))
        for path in Path(sequester.__path__[0]).rglob("*.py")
        if any(word in path.read_text("utf-8") for word in ("np.load(", "ast.parse(", "literal_eval(", "open_memmap("))
    }
    assert found <= {"contract/test_promise.py", "cli/options.py"}
