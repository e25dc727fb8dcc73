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
- *Lazy.* Nothing is compiled or read from disk before the first call.
- *An own cache*, below the user's cache folder or `NUMBA_CACHE_DIR`, see `kernel_cache`.

With `NUMBA_DISABLE_JIT=1` a kernel is the plain function (with the same silent 64-bit arithmetic).
"""

# mypy: disable-error-code="attr-defined,misc,assignment,has-type,arg-type"
from __future__ import annotations

import contextlib
import functools
import gc
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import types
from numba.core import config, typing
from numba.core.registry import CPUDispatcher

from sequester.primitives import notice
from sequester.primitives.kernel_cache import KernelCache

F = TypeVar("F", bound=Callable[..., Any])

COLLECT_AFTER = 100_000
"""Objects made between two rounds of Python's memory management while a kernel is compiled."""

KERNELS: dict[str, Kernel] = {}
"""Every kernel of the modules imported so far, by module and name."""


class Record(NamedTuple):
    """A NamedTuple of arrays as one argument of a kernel: the class, and the types of its fields as text."""

    kind: type
    fields: str


def kernel(signature: str, **options: Any) -> Callable[[F], F]:
    """Compile a function for exactly one list of argument types, on its first call.

    `signature` lists types in numba's words: `"uint8[:, ::1], int64"`, and `const(uint8[::1])` where the array may be
    one that nobody can write (what is read from a file usually is). A NamedTuple in it is told among the options:
    `kernel("Laws, int64", Laws=Record(Laws, "int64[::1], float64[::1]"))`. Other options go to numba.
    """
    records = {name: value for name, value in options.items() if isinstance(value, Record)}
    others = {name: value for name, value in options.items() if name not in records}

    def decorate(function: F) -> F:
        plain = cast(FunctionType, function)
        if config.DISABLE_JIT:
            return cast(F, _plain(plain))
        made = Kernel(plain, targetoptions={"nopython": True, "nogil": True, "boundscheck": None} | others)
        made.declare(signature, records)
        KERNELS[f"{plain.__module__}.{plain.__qualname__}"] = made
        return cast(F, made)

    return decorate


class Kernel(CPUDispatcher):
    """A numba function that knows one signature and refuses to learn another."""

    def declare(self, signature: str, records: dict[str, Record]) -> None:
        self._signature = signature
        self._records = records

    @functools.cached_property
    def declared(self) -> tuple[Any, ...]:
        """The types of the arguments, as numba knows them."""
        names = dict(vars(types)) | {"const": lambda array: array.copy(readonly=True)}
        for name, record in self._records.items():
            names[name] = _record_type(_types_of(record.fields, names), record.kind)
        return _types_of(self._signature, names)

    def compile(self, sig: Any = None) -> Any:
        """Load or compile the declared signature, whatever is asked for: numba converts or refuses the arguments."""
        found = self.overloads.get(self.declared)
        if found is not None:
            return found.entry_point
        self._kernel_cache()
        _load_numba_without_scipy()
        started, known = time.perf_counter(), sum(self._cache_misses.values())
        with _rarely_collecting():
            entry = super().compile(self.declared)
        if sum(self._cache_misses.values()) > known:
            _tell(self, time.perf_counter() - started)
        return entry

    def _kernel_cache(self) -> KernelCache:
        if not isinstance(self._cache, KernelCache):
            self._cache = KernelCache(self.py_func)
        return self._cache

    @property
    def kept(self) -> bool:
        """Whether nothing has to be compiled: the kernel is loaded, or lies on disk."""
        if self.declared in self.overloads:
            return True
        return self._kernel_cache().kept(self.declared, self.targetctx.codegen())

    def claimed(self) -> AbstractContextManager[bool]:
        """Tell other processes that this one compiles the kernel; false if one of them said so before."""
        return self._kernel_cache().claimed()

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What another kernel may call: the declared signature, reached by conversions that lose nothing."""
        pysig, args = self._compiler.fold_argument_types(args, kws)
        self.compile()
        name = self.py_func.__name__
        template = typing.make_concrete_template(f"Kernel({name})", key=name, signatures=self.nopython_signatures)
        template.unsafe_casting = False
        return template, pysig, args, {}

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Called by numba when the arguments of a call from Python are not exactly the declared ones."""
        self.compile()
        if kws or len(args) != len(self.declared):
            raise TypeError(f"{self.py_func.__name__} takes {len(self.declared)} arguments by position")
        if all(_passes(self.typeof_pyval(a), t) for a, t in zip(args, self.declared, strict=True)):
            return self.overloads[self.declared].entry_point
        return self._converted

    def _converted(self, *args: Any) -> Any:
        fitted = [
            _fit(a, t, self.py_func.__name__, i) for i, (a, t) in enumerate(zip(args, self.declared, strict=True))
        ]
        found = tuple(self.typeof_pyval(a) for a in fitted)
        if not all(_passes(f, t) for f, t in zip(found, self.declared, strict=True)):
            raise TypeError(f"{self.py_func.__name__} is compiled for {self.declared}, not for {found}")
        result = self.overloads[self.declared].entry_point(*fitted)
        for before, after in zip(args, fitted, strict=True):
            _hand_back(before, after)
        return result


@functools.cache
def _load_numba_without_scipy() -> None:
    """Load numba's functions of arrays without `scipy.linalg`, which they import only to see that it is there.

    Nothing is lost: a kernel that multiplies matrices makes numba import it then.
    """
    if "numba.np.arraymath" in sys.modules or "scipy.linalg" in sys.modules:
        return
    from numba.np import linalg

    asks = getattr(linalg, "ensure_blas", None)
    if asks is None or importlib.util.find_spec("scipy") is None:
        return
    linalg.ensure_blas = lambda: None
    try:
        from numba.np import arraymath
    finally:
        linalg.ensure_blas = asks
    arraymath.ensure_blas = asks


@contextlib.contextmanager
def _rarely_collecting() -> Iterator[None]:
    """The compiler makes many objects that stay; looking through them again and again is a tenth of its time."""
    before = gc.get_threshold()
    if not gc.isenabled() or before[0] >= COLLECT_AFTER:
        yield
        return
    gc.set_threshold(COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _types_of(text: str, names: dict[str, Any]) -> tuple[Any, ...]:
    return cast("tuple[Any, ...]", eval(f"({text},)", {"__builtins__": {}}, names))


def _passes(found: Any, declared: Any) -> bool:
    """Whether machine code for the declared type can take the found one as it is: an array it promises not to write."""
    if found == declared:
        return True
    if isinstance(found, types.Array) and isinstance(declared, types.Array) and not declared.mutable:
        return bool(found.copy(readonly=True) == declared)
    if isinstance(found, types.NamedTuple) and isinstance(declared, types.BaseNamedTuple):
        return found.instance_class is declared.instance_class and all(map(_passes, found.types, declared.types))
    return False


def _record_type(fields: tuple[Any, ...], kind: type) -> Any:
    """numba tells a NamedTuple whose fields are all of one type apart from others."""
    if len(set(fields)) == 1:
        return types.NamedUniTuple(fields[0], len(fields), kind)
    return types.NamedTuple(fields, kind)


def _fit(value: Any, declared: Any, name: str, place: int) -> Any:
    """A value as the declared type, if nothing is lost by it."""
    if isinstance(declared, types.Array):
        array = np.asarray(value)
        wanted = np.dtype(str(declared.dtype)) if str(declared.dtype) != "bool" else np.dtype(bool)
        if array.ndim != declared.ndim or not np.can_cast(array.dtype, wanted, "safe"):
            raise TypeError(
                f"argument {place} of {name} is an array of {array.dtype} with {array.ndim} dimensions, "
                f"not one of {wanted} with {declared.ndim}"
            )
        if declared.layout == "C":
            array = np.ascontiguousarray(array, dtype=wanted)
        else:
            array = array.astype(wanted, copy=False)
        return array if array.flags.writeable or not declared.mutable else array.copy()
    if isinstance(declared, types.BaseNamedTuple):
        return declared.instance_class(*(_fit(v, t, name, place) for v, t in zip(value, declared.types, strict=True)))
    if isinstance(declared, types.BaseTuple):
        return tuple(_fit(v, t, name, place) for v, t in zip(value, declared.types, strict=True))
    if isinstance(declared, types.Integer | types.Float | types.Boolean):
        wanted = np.dtype(str(declared)) if not isinstance(declared, types.Boolean) else np.dtype(bool)
        fitted = wanted.type(value)
        if fitted != value and value == value:
            raise TypeError(f"argument {place} of {name} does not fit {declared}")
        return fitted
    return value


def _hand_back(before: Any, after: Any) -> None:
    """What a kernel wrote into a converted copy, back into the array it was called with."""
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        if before is not after and before.flags.writeable and not np.shares_memory(before, after):
            before[...] = after
    elif isinstance(before, tuple) and isinstance(after, tuple):
        for b, a in zip(before, after, strict=True):
            _hand_back(b, a)


def _plain(function: FunctionType) -> Callable[..., Any]:
    """The kernel without a compiler; whole numbers wrap around as silently as in machine code."""

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            return function(*args)

    return call


Listener = Callable[["Kernel", float], None]
_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Be told about every kernel that had to be compiled, and the seconds it took (kernels inside it included)."""
    _listeners.append(listener)


def _tell(made: Kernel, seconds: float) -> None:
    notice.tell(seconds)
    for listener in _listeners:
        listener(made, seconds)


def kernels_in(*modules: str) -> Iterator[Kernel]:
    """The kernels of the modules imported so far whose names start with one of these."""
    for name, made in list(KERNELS.items()):
        if name.startswith(modules):
            yield made
