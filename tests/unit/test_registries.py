"""Registries and packages that are not ours: they add, never replace, and never stop the house."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import sequester as sq
from sequester.lazy import Registry, choose

ROOT = Path(__file__).parents[2]


def installed(folder, name, points):
    """A package's metadata as an installer would leave it."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [line for group, given in points.items() for line in (f"[{group}]", *given)]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_package_adds_and_cannot_replace(place):
    installed(place, "good", {"test.things": ["new = good:New", "ours = good:Other"]})
    registry = Registry("test.things", {"ours": "sequester.flow:verify"})
    assert registry["ours"] == "sequester.flow:verify", "no package is asked for what is ours"
    with pytest.warns(sq.SequesterWarning) as caught:
        assert dict(registry) == {"ours": "sequester.flow:verify", "new": "good:New"}
    assert [str(w.message) for w in caught] == [
        "'good' brings 'ours' for test.things, a name that is taken; it is not used."
    ]
    assert "new" in registry and "other" not in registry and len(registry) == 2


def test_two_packages_with_one_name(place):
    installed(place, "first", {"test.things": ["new = first:New"]})
    installed(place, "second", {"test.things": ["new = second:New"]})
    registry = Registry("test.things", {})
    with pytest.warns(sq.SequesterWarning, match="'second' brings 'new' for test.things, a name that is taken"):
        assert registry["new"] == "first:New"


def test_a_layout_that_cannot_be_loaded_is_left_out(place):
    (place / "broken_layouts.py").write_text("raise RuntimeError('no')\n")
    installed(place, "broken", {"test.layouts": ["odd = broken_layouts:ODD"]})
    from sequester.lazy import load

    registry = Registry("test.layouts", {}, made=load)
    with pytest.warns(sq.SequesterWarning) as caught:
        assert "odd" not in registry
    assert (
        str(caught[0].message) == "'odd' of 'broken' for test.layouts cannot be loaded (RuntimeError); it is not used."
    )


def test_a_method_that_cannot_be_loaded_is_one_sentence(place):
    installed(place, "gone", {"test.methods": ["lost = no_such_module:Lost"]})
    with pytest.raises(sq.ParameterError) as caught:
        choose(Registry("test.methods", {}), "lost", "method")
    assert str(caught.value) == (
        "the method 'lost' cannot be loaded from 'no_such_module:Lost' (ModuleNotFoundError). "
        "Repair or remove the package that brings it."
    )


def run(place, *words):
    path = os.pathsep.join([str(place), str(ROOT / "src")])
    env = {**os.environ, "PYTHONPATH": path}
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, env=env, cwd=place)


def test_a_broken_package_does_not_hide_the_other_methods(tmp_path):
    installed(tmp_path, "gone", {"sequester.methods": ["lost = no_such_module:Lost"]})
    listed = run(tmp_path, "sequester", "methods")
    assert listed.returncode == 0 and "kapra" in listed.stdout, listed.stderr
    assert "lost" in listed.stderr and "Repair or remove the package" in listed.stderr
    asked = run(tmp_path, "sequester", "methods", "lost")
    assert asked.returncode == 2 and "Repair or remove the package" in asked.stderr


def test_the_contract_suite_fails_a_method_that_always_refuses(tmp_path):
    (tmp_path / "refusing.py").write_text(
        "from dataclasses import dataclass\n"
        "from types import MappingProxyType\n"
        "from sequester.errors import InputError\n"
        "from sequester.methods.series.tga import TGA\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class Refusing(TGA):\n"
        "    '''Refuses.'''\n"
        "    id = 'refusing'\n"
        "    def apply(self, data, *, rng, engine):\n"
        "        raise InputError('refusing: this data cannot be protected. Bring other data.')\n"
    )
    installed(tmp_path, "refusing", {"sequester.methods": ["refusing = refusing:Refusing"]})
    asked = "half_of_the_people or odd_data or input_is_untouched"
    done = run(tmp_path, "sequester.contract", "refusing", "-q", "-p", "no:cacheprovider", "-k", asked)
    assert done.returncode == 1 and "4 failed" in done.stdout, done.stdout[-2000:]


def test_the_contract_suite_is_called_with_a_known_method(tmp_path):
    nobody = run(tmp_path, "sequester.contract")
    assert nobody.returncode == 2
    assert nobody.stderr == "usage: python -m sequester.contract METHOD [pytest options]\n"
    unknown = run(tmp_path, "sequester.contract", "kapr")
    assert unknown.returncode == 2 and unknown.stderr.endswith("Did you mean 'kapra'?\n")
