"""Compile a kernel with numba, or load what an earlier process compiled for the sake of a kernel that calls it.

Imported only when something has to be compiled: it is this file that needs all of numba.
"""

# mypy: disable-error-code="attr-defined,misc,assignment,has-type,arg-type,no-any-return,call-overload"
from __future__ import annotations

import contextlib
import functools
import gc
import importlib.util
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from numba import types
from numba.core import typing
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from sequester.primitives.kernel_cache import KernelFile, Stored
from sequester.primitives.kernel_loading import described
from sequester.primitives.kernel_types import Array, Fields, Scalar

COLLECT_AFTER = 100_000
"""Objects made between two rounds of Python's memory management while a kernel is compiled."""


class Compiler(CPUDispatcher):
    """A numba function that knows one signature and refuses to learn another."""

    def declare(self, declared: tuple[Any, ...], file: KernelFile, heard: Callable[[float], None]) -> None:
        """Name its one signature, its place on disk, and who hears how many seconds it took to compile."""
        self.declared = tuple(map(numba_type, declared))
        self._cache = _OneFile(file)
        self._heard = heard

    def compile(self, sig: Any = None) -> Any:
        """Load or compile the declared signature, whatever is asked for; returns the function of Python's objects."""
        found = self.overloads.get(self.declared)
        if found is not None:
            return found.entry_point
        _load_numba_lean()
        started, known = time.perf_counter(), self.n_compiled
        with _rarely_collecting():
            entry = super().compile(self.declared)
        if self.n_compiled > known:
            self._heard(time.perf_counter() - started)
        return entry

    @property
    def n_compiled(self) -> int:
        """How often it was compiled in this process: once, or not at all."""
        return sum(self._cache_misses.values())

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What another kernel may call: the declared signature, reached by conversions that lose nothing."""
        pysig, args = self._compiler.fold_argument_types(args, kws)
        self.compile()
        name = self.py_func.__name__
        template = typing.make_concrete_template(f"Kernel({name})", key=name, signatures=self.nopython_signatures)
        template.unsafe_casting = False
        return template, pysig, args, {}


def numba_type(declared: Any) -> Any:
    """A declared type in numba's own words."""
    if isinstance(declared, Scalar):
        return getattr(types, declared.name)
    if isinstance(declared, Array):
        return types.Array(getattr(types, declared.name), declared.ndim, declared.layout, readonly=not declared.written)
    assert isinstance(declared, Fields)
    fields = tuple(map(numba_type, declared.types))
    if len(set(fields)) == 1:  # numba tells a NamedTuple whose fields are all of one type apart from others
        return types.NamedUniTuple(fields[0], len(fields), declared.kind)
    return types.NamedTuple(fields, declared.kind)


class _OneFile(_Cache):
    """Numba's cache of one function, in our folder and with our way of naming files."""

    def __init__(self, file: KernelFile) -> None:
        self._file = file

    @property
    def cache_path(self) -> str:
        return str(self._file.folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        stored = self._file.load()
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(stored.whole)) if stored else None
        except Exception:  # written by another making of numba: compile again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if data.lifted or data.objectmode or data.library.has_dynamic_globals:  # it holds addresses of this process
            return
        reduced = data._reduce()
        object_code = reduced[0][2][0]
        own, inner = data.environment, data._find_referenced_environments()
        places = {e.env_name: list(e.consts) for e in (own, *inner)}
        light = None
        if not data.reload_init:
            light = described(object_code, data.fndesc.llvm_cpython_wrapper_name, places)
        self._file.save(Stored(light, dumps(reduced)))

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None:
        self._file.path.unlink(missing_ok=True)


@functools.cache
def _load_numba_lean() -> None:
    """Load numba's functions of arrays without what no kernel needs.

    - `scipy.linalg`, which they import only to see that it is there: a kernel that multiplies matrices imports it then.
    - The entry for callers in C that numba writes for each of its own functions a kernel uses. Nobody calls those from
      C, and all entries together were a seventh of the time a kernel takes to compile.
    """
    if "numba.np.arraymath" in sys.modules:  # somebody else loaded them
        return
    from numba.core import extending
    from numba.core.registry import cpu_target
    from numba.np import linalg

    usual = getattr(extending, "_overload_default_jit_options", {})
    asks = getattr(linalg, "ensure_blas", None)
    unasked = asks is not None and "scipy.linalg" not in sys.modules and importlib.util.find_spec("scipy") is not None
    known = dict(usual)
    usual["no_cfunc_wrapper"] = True
    if unasked:
        linalg.ensure_blas = lambda: None
    try:
        from numba.np import arraymath

        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()
    finally:
        usual.clear()
        usual.update(known)
        if unasked:
            linalg.ensure_blas = asks
    if unasked:
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
