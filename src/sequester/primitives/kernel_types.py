"""The types a kernel declares, and how an argument is made to fit one without losing anything.

A signature is text in numba's words (`"uint8[:, ::1], int64"`); here it is read without numba, because a kernel whose
machine code lies on disk needs no compiler to be called, only arguments that surely are what it was compiled for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

SIZES = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (32, 64)}

SCALARS = {f"{kind}{bits}": np.dtype(f"{kind}{bits}") for kind, sizes in SIZES.items() for bits in sizes}
SCALARS["boolean"] = np.dtype(bool)

C_CONTIGUOUS, F_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x2, 0x100, 0x400
"""Bits of `flags.num`, as NumPy's header numbers them."""

BUILT_IN = {"boolean": bool, "int64": int, "float64": float}
"""Python's own numbers that are passed as they are."""


class Record(NamedTuple):
    """A NamedTuple of arrays as one argument of a kernel: the class, and the types of its fields as text."""

    kind: type
    fields: str


@dataclass(frozen=True)
class Scalar:
    """A number."""

    name: str

    def __getitem__(self, axes: Any) -> Array:
        """`int64[:, ::1]`: an array, contiguous where the last (or, as in Fortran, the first) step is 1."""
        steps = [axis.step for axis in (axes if isinstance(axes, tuple) else (axes,))]
        layout = "C" if steps[-1] == 1 else "F" if steps[0] == 1 else "A"
        return Array(self.name, len(steps), layout)

    @property
    def dtype(self) -> np.dtype:
        """The same in NumPy's words."""
        return SCALARS[self.name]

    def check(self) -> Callable[[Any], bool]:
        """Whether a value can be passed as it is."""
        allowed = {self.dtype.type, BUILT_IN.get(self.name, self.dtype.type)}
        return lambda value: type(value) in allowed

    def fit(self, value: Any, name: str, place: int) -> Any:
        """The value as this type, if nothing is lost by it."""
        fitted = self.dtype.type(value)
        if fitted != value and value == value:
            raise TypeError(f"argument {place} of {name} does not fit {self.name}")
        return fitted


@dataclass(frozen=True)
class Array:
    """An array of numbers."""

    name: str
    ndim: int
    layout: str
    written: bool = True
    """False where the kernel promises not to write, so that the array may be one that nobody can write."""

    def check(self) -> Callable[[Any], bool]:
        """Whether a value can be passed as it is."""
        dtype, ndim = SCALARS[self.name], self.ndim
        need = (
            ALIGNED | {"C": C_CONTIGUOUS, "F": F_CONTIGUOUS, "A": 0}[self.layout] | (WRITEABLE if self.written else 0)
        )
        kinds = {np.ndarray, np.memmap}

        def fits(value: Any) -> bool:
            if type(value) not in kinds or value.ndim != ndim or value.flags.num & need != need:
                return False
            found = value.dtype
            return found is dtype or found == dtype

        return fits

    def fit(self, value: Any, name: str, place: int) -> Any:
        """The value as an array of this type, if nothing is lost by it."""
        array, wanted = np.asarray(value), SCALARS[self.name]
        if array.ndim != self.ndim or not np.can_cast(array.dtype, wanted, "safe"):
            raise TypeError(
                f"argument {place} of {name} is an array of {array.dtype} with {array.ndim} dimensions, "
                f"not one of {wanted} with {self.ndim}"
            )
        array = np.require(array, wanted, ["ALIGNED", *{"C": "C", "F": "F"}.get(self.layout, "")])
        return array if array.flags.writeable or not self.written else array.copy("K")


@dataclass(frozen=True)
class Fields:
    """A NamedTuple."""

    kind: Any
    types: tuple[Any, ...]

    def check(self) -> Callable[[Any], bool]:
        """Whether a value can be passed as it is."""
        checks: list[Callable[[Any], bool]] = [t.check() for t in self.types]
        kind = self.kind
        return lambda value: (
            type(value) is kind and all(check(field) for check, field in zip(checks, value, strict=True))
        )

    def fit(self, value: Any, name: str, place: int) -> Any:
        """The value as this record, if nothing is lost by it."""
        return self.kind(*(t.fit(v, name, place) for v, t in zip(value, self.types, strict=True)))


def read_only(array: Array) -> Array:
    """`const(int64[::1])`."""
    return Array(array.name, array.ndim, array.layout, written=False)


def declared(signature: str, records: dict[str, Record]) -> tuple[Any, ...]:
    """The types a signature lists."""
    names: dict[str, Any] = {name: Scalar(name) for name in SCALARS} | {"const": read_only}
    for name, record in records.items():
        names[name] = Fields(record.kind, _read(record.fields, names))
    return _read(signature, names)


def _read(text: str, names: dict[str, Any]) -> tuple[Any, ...]:
    found = eval(f"({text},)", {"__builtins__": {}}, names)
    return tuple(found)


def hand_back(before: Any, after: Any) -> None:
    """What a kernel wrote into a converted copy, back into the array it was called with."""
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        if before is not after and before.flags.writeable and not np.shares_memory(before, after):
            before[...] = after
    elif isinstance(before, tuple) and isinstance(after, tuple):
        for b, a in zip(before, after, strict=True):
            hand_back(b, a)
