"""Names of things that are imported only when they are used, so that `sequester --help` stays quick."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from importlib.abc import MetaPathFinder
from typing import Any, Generic, TypeVar

from sequester.errors import ParameterError, SequesterWarning, nearest

T = TypeVar("T")


def load(where: str) -> Any:
    """The object behind `package.module:name`."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def pandas_on_demand() -> None:
    """Let pyarrow work without pandas until `wake_pandas`: it imports pandas at its first array, just to know frames.

    For processes of our own only (the command, a job of the workbench): they make no frames, and half a second of
    imports is half of a small publication. A program that uses the library keeps what it has.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    absent = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(absent)


class _Absent(MetaPathFinder):
    """Says that pandas is not there, as on a machine where it is not installed."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        """No such module."""
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not needed yet", name="pandas")


def wake_pandas() -> None:
    """Let pyarrow know frames again: one is about to be read."""
    import pyarrow as pa

    shim = getattr(pa.lib, "_pandas_api", None)
    if shim is not None:
        shim.version  # noqa: B018  # asking for it imports what was left out


class Registry(MutableMapping[str, T], Generic[T]):
    """Our own entries by name, and those that installed packages bring through an entry point group.

    Packages are asked only when a name is not ours, or when all names are wanted: most runs use a method of the house.
    A package cannot replace an entry of the house, nor one of another package.

    Parameters
    ----------
    group
        The entry point group, such as `sequester.methods`.
    own
        The entries of the house.
    made
        Makes an entry from a place `package.module:name`; without it the place itself is the entry.
    """

    def __init__(self, group: str, own: Mapping[str, T], made: Callable[[str], T] | None = None) -> None:
        self.group, self.own = group, dict(own)
        self._made = made
        self._brought: dict[str, T] | None = None

    def _all(self) -> dict[str, T]:
        if self._brought is None:
            self._brought = self._from_packages()
        return self.own | self._brought

    def _from_packages(self) -> dict[str, T]:
        from importlib.metadata import entry_points

        found: dict[str, T] = {}
        for point in sorted(entry_points(group=self.group), key=lambda p: (p.name, p.value)):
            package = point.dist.name if point.dist else "a package"
            if point.name in self.own or point.name in found:
                self._note(f"'{package}' brings '{point.name}' for {self.group}, a name that is taken; it is not used.")
                continue
            try:
                found[point.name] = self._made(point.value) if self._made else point.value  # type: ignore[assignment]
            except Exception as error:  # a package that is not ours may fail in any way when it is imported
                kind = type(error).__name__
                self._note(f"'{point.name}' of '{package}' for {self.group} cannot be loaded ({kind}); it is not used.")
        return found

    @staticmethod
    def _note(says: str) -> None:
        warnings.warn(says, SequesterWarning, stacklevel=5)

    def forget(self) -> None:
        """Ask the packages again: something was installed while this ran."""
        self._brought = None

    def __getitem__(self, name: str) -> T:
        return self.own[name] if name in self.own else self._all()[name]

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __setitem__(self, name: str, value: T) -> None:
        self.own[name] = value

    def __delitem__(self, name: str) -> None:
        del self.own[name]


def choose(registry: Mapping[str, str], name: str, noun: str) -> Any:
    """The registered object of that name, or an error with the nearest name."""
    if name not in registry:
        close = nearest(name, registry)
        hint = f" Did you mean '{close}'?" if close else ""
        raise ParameterError(f"no {noun} '{name}'; there are {', '.join(registry)}.{hint}")
    try:
        return load(registry[name])
    except (ImportError, AttributeError) as error:
        if registry[name].startswith("sequester."):
            raise
        raise ParameterError(
            f"the {noun} '{name}' cannot be loaded from '{registry[name]}' ({type(error).__name__}). "
            "Repair or remove the package that brings it."
        ) from error
