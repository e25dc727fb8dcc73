"""Compile a kernel with numba, or let numba load what an earlier process compiled.

Imported at the first call of a kernel: it is this file that needs numba.
"""

# mypy: disable-error-code="attr-defined,misc,assignment,has-type,arg-type,no-any-return,call-overload"
from __future__ import annotations

import pickle
import time
from typing import Any

from numba import types
from numba.core import typing
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from sequester.primitives import notice
from sequester.primitives.kernel_cache import KernelFile
from sequester.primitives.kernel_types import Array, Fields, Scalar


class Compiler(CPUDispatcher):
    """A numba function that knows one signature and refuses to learn another."""

    def declare(self, declared: tuple[Any, ...], text: str) -> None:
        """Name its one signature, as types and with all options as text: the text tells its file from others."""
        self.declared = tuple(map(numba_type, declared))
        self.file = KernelFile(self.py_func, text)
        self._cache = _OneFile(self.file)

    def compile(self, sig: Any = None) -> Any:
        """Load or compile the declared signature, whatever is asked for; returns the function of Python's objects."""
        started, known = time.perf_counter(), self.n_compiled
        entry = super().compile(self.declared)
        if self.n_compiled > known:
            notice.report(time.perf_counter() - started)
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
        saved = self._file.load()
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(saved)) if saved else None
        except Exception:  # written by another making of numba: compile again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if data.lifted or data.objectmode or data.library.has_dynamic_globals:  # it holds addresses of this process
            return
        self._file.save(dumps(data._reduce()))

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None:
        self._file.path.unlink(missing_ok=True)
