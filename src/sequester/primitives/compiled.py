"""How every kernel of the house is compiled: one signature, one cache that cannot be poisoned.

Write a kernel as a plain function at the top of a module and name the types of its arguments once:

    @kernel("int64[::1], float64")
    def scaled(values, by):
        ...

What it does and does not do, and why:

- *One signature.* The types are declared, so a kernel is compiled once, and its machine code does not depend on who
  called it first. Arguments that fit the declared types exactly go straight to the machine code; others are converted
  when nothing can be lost (an int32 array where int64 is declared), and refused when something could.
- *No sorting of numba's inside.* numba names its closures (`np.sort`, `np.searchsorted`, `np.unique`, ...) by a counter
  of the compiling process; kernels cached by two processes can carry the same name for different code, and the first
  one loaded serves both. Sort in NumPy outside, or use `primitives.sorting`; `tests/unit/test_compiled.py` scans.
- *Lazy.* numba is imported, and a kernel loaded or compiled, at the kernel's first call. One thread at a time does it;
  the others wait.
- *An own cache*, below the user's cache folder or `NUMBA_CACHE_DIR`, see `kernel_cache`.

With `NUMBA_DISABLE_JIT=1` a kernel is the plain function (with the same silent 64-bit arithmetic).
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from sequester.primitives.kernel_types import Record, declared, hand_back

F = TypeVar("F", bound=Callable[..., Any])

KERNELS: dict[str, Kernel] = {}
"""Every kernel of the modules imported so far, by module and name."""

one_at_a_time = threading.RLock()
"""Held while a kernel is loaded or compiled: numba's tables of functions are not made for two threads at once."""

if hasattr(os, "register_at_fork"):  # a fork waits for it: its child has no thread that could let go
    os.register_at_fork(
        before=one_at_a_time.acquire,
        after_in_parent=one_at_a_time.release,
        after_in_child=one_at_a_time.release,
    )


def kernel(signature: str, **options: Any) -> Callable[[F], F]:
    """Compile a function for exactly one list of argument types, on its first call.

    `signature` lists types in numba's words: `"uint8[:, ::1], int64"`, and `const(uint8[::1])` where the array may be
    one that nobody can write (what is read from a file usually is). A NamedTuple in it is named among the options:
    `kernel("Laws, int64", Laws=Record(Laws, "int64[::1], float64[::1]"))`. Other options go to numba.
    """
    records = {name: value for name, value in options.items() if isinstance(value, Record)}
    others = {name: value for name, value in options.items() if name not in records}

    def decorate(function: F) -> F:
        plain = cast(FunctionType, function)
        if _without_compiler():
            return cast(F, _plain(plain))
        made = Kernel(plain, signature, records, others)
        KERNELS[made.name] = made
        return cast(F, made)

    return decorate


def _without_compiler() -> bool:
    """Whether kernels are to stay plain functions (`NUMBA_DISABLE_JIT`); known before numba is needed."""
    if "numba" in sys.modules or Path(".numba_config.yaml").exists():
        return bool(importlib.import_module("numba.core.config").DISABLE_JIT)
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


class Kernel:
    """A function with one signature, whose machine code is found on disk or compiled when it is first called."""

    is_kernel = True
    __name__: str

    def __init__(
        self, function: FunctionType, signature: str, records: dict[str, Record], options: dict[str, Any]
    ) -> None:
        functools.update_wrapper(cast(Callable[..., Any], self), function)
        self.py_func = function
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.declared = declared(signature, records)
        self._text = f"{signature} {sorted((n, r.kind.__qualname__, r.fields) for n, r in records.items())} {options}"
        self._options = options
        self._checks = tuple(each.check() for each in self.declared)
        self._entry: Callable[..., Any] | None = None
        self._compiler: Any = None

    def __call__(self, *args: Any) -> Any:
        entry = self._entry or self.compile()
        checks = self._checks
        if len(args) != len(checks):
            raise TypeError(f"{self.__name__} takes {len(checks)} arguments by position")
        for check, value in zip(checks, args):
            if not check(value):
                return self._converted(entry, args)
        return entry(*args)

    def _converted(self, entry: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Called with arguments that are not exactly the declared ones."""
        fitted = [each.fit(a, self.__name__, i) for i, (a, each) in enumerate(zip(args, self.declared, strict=True))]
        if not all(check(a) for check, a in zip(self._checks, fitted, strict=True)):
            raise TypeError(f"{self.__name__} is compiled for {self.declared}")
        result = entry(*fitted)
        for before, after in zip(args, fitted, strict=True):
            hand_back(before, after)
        return result

    def compile(self) -> Callable[..., Any]:
        """Load the machine code, or compile it; returns the function that takes exactly the declared types."""
        with one_at_a_time:
            if self._entry is None:
                self._entry = self.compiler.compile()
        return cast(Callable[..., Any], self._entry)

    @property
    def file(self) -> Any:
        return self.compiler.file

    @property
    def compiler(self) -> Any:
        """The kernel as numba knows it; imports numba."""
        with one_at_a_time:
            if self._compiler is None:
                made = importlib.import_module("sequester.primitives.kernel_compiling").Compiler
                options = {"nopython": True, "nogil": True, "boundscheck": None, "no_cfunc_wrapper": True}
                options |= self._options
                self._compiler = made(self.py_func, targetoptions=options)
                self._compiler.declare(self.declared, self._text)
            return self._compiler

    @property
    def _numba_type_(self) -> Any:
        """What numba asks for where another kernel calls this one."""
        return self.compiler._numba_type_

    @property
    def was_compiled(self) -> bool:
        """Whether this process had to compile it."""
        return self._compiler is not None and self._compiler.n_compiled > 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _found_again, (self.py_func.__module__, self.py_func.__qualname__)


def _found_again(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _plain(function: FunctionType) -> Callable[..., Any]:
    """The kernel without a compiler; whole numbers wrap around as silently as in machine code."""

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            return function(*args)

    return call
