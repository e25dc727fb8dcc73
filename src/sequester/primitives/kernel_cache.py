"""Where compiled kernels lie on disk, and why two processes cannot spoil each other's.

One file per kernel, named after a hash of everything its machine code depends on: so nothing is ever overwritten by
something else, and no index has to be kept in step. The folders say the rest:

    <cache>/sequester-kernels/py311-numba0.68.1-<cpu>/<module>-<hash of the sources>/<kernel>-<hash of the key>.kernel

- The hash of the sources covers the module, the modules of the kernels it calls and the constants it froze; an upgrade
  that leaves them alone keeps what is compiled, an upgrade that touches one compiles it anew.
- The name of the CPU folder covers switches that change machine code (`NUMBA_BOUNDSCHECK`, `NUMBA_OPT`).
- Files are written aside and renamed, under a lock. A file that cannot be read counts as missing.
"""

# mypy: disable-error-code="attr-defined,misc,assignment,has-type,arg-type"
from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import stat
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

try:
    import fcntl
except ImportError:  # Windows: renaming is the whole protection there
    fcntl = None


class _Locator(_CacheLocator):
    """Tells numba the folder of a kernel; numba asks for it by this class."""

    def __init__(self, function: FunctionType, file: str) -> None:
        self._py_file = file
        module = function.__module__
        self._stamp = source_hash(module)
        self._folder = cache_root() / machine() / f"{module}-{self._stamp[:16]}"

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> _Locator:
        return cls(function, file)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return ""


class _Impl(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 (numba reads it so)


class _OneFilePerKey:
    """Numba's index and numbered data files, without the index and the numbers."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def _file(self, key: Any) -> Path:
        return self._folder / f"{self._name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.kernel"

    def load(self, key: Any) -> Any:
        try:
            kept, data = pickle.loads(self._file(key).read_bytes())
        except Exception:  # missing, cut short or of another making: compile again
            return None
        return data if kept == repr(key) else None

    def save(self, key: Any, data: Any) -> None:
        file = self._file(key)
        with contextlib.suppress(OSError), _locked(self._folder):
            aside = file.with_suffix(f".{uuid.uuid4().hex[:12]}.tmp")
            try:
                aside.write_bytes(dumps((repr(key), data)))
                aside.replace(file)
            finally:
                aside.unlink(missing_ok=True)

    def flush(self) -> None:
        for file in self._folder.glob(f"{self._name}-*.kernel"):
            file.unlink(missing_ok=True)


class KernelCache(FunctionCache):
    """Numba's cache of one function, with our folder and our way of naming files."""

    _impl_class = _Impl

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)
        self._called = function.__qualname__
        self._cache_file = _OneFilePerKey(Path(self._cache_path), function.__qualname__)

    def kept(self, signature: Any, codegen: Any) -> bool:
        """Whether the disk has this kernel."""
        return self._cache_file._file(self._index_key(signature, codegen)).exists()

    @contextlib.contextmanager
    def claimed(self) -> Iterator[bool]:
        """A mark that this process compiles the kernel, gone when the process is; false where another one has it."""
        with contextlib.ExitStack() as stack:
            mine = True
            with contextlib.suppress(OSError):  # a folder that cannot be written: everybody for themselves
                folder = Path(self._cache_path)
                folder.mkdir(parents=True, exist_ok=True)
                mark = stack.enter_context((folder / f".{self._called}.busy").open("w"))
                try:
                    if fcntl is not None:
                        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    mine = False
            yield mine


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / ".lock").open("w") as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@functools.cache
def machine() -> str:
    """The name of the folder for this Python, numba, CPU and the switches that change machine code."""
    cpu = f"{llvm.get_host_cpu_name()} {config.CPU_NAME} {llvm.get_host_cpu_features().flatten()} {config.CPU_FEATURES}"
    switches = f"{config.OPT} {config.BOUNDSCHECK} {config.DEBUGINFO_DEFAULT} {config.LOOP_VECTORIZE}"
    told = hashlib.sha256(f"{cpu} {switches} {np.__version__}".encode()).hexdigest()[:10]
    checked = "-boundscheck" if config.BOUNDSCHECK else ""
    return f"py{sys.version_info[0]}{sys.version_info[1]}-numba{numba.__version__}-{told}{checked}"


@functools.cache
def cache_root() -> Path:
    """The first folder that can be written: NUMBA_CACHE_DIR or the user's cache folder, else a temporary one."""
    with contextlib.suppress(OSError, RuntimeError):
        base = config.CACHE_DIR or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return _writable(Path(base) / "sequester-kernels")
    shared = Path(tempfile.gettempdir()) / f"sequester-kernels-{getattr(os, 'getuid', lambda: 0)()}"
    with contextlib.suppress(OSError):
        return _writable(shared)
    return Path(tempfile.mkdtemp(prefix="sequester-kernels-"))


def _writable(folder: Path) -> Path:
    """The folder, if it is ours alone to write: what lies in it is executed."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "getuid") and found.st_uid != os.getuid()):
        raise PermissionError(f"{folder} belongs to somebody else")
    tempfile.TemporaryFile(dir=folder).close()
    return folder


@functools.cache
def source_hash(module: str) -> str:
    """A hash of all a kernel of this module is made of: sources of the modules it calls kernels of, and constants."""
    told = hashlib.sha256()
    for name in sorted(_modules_behind(module)):
        told.update(name.encode() + b"\0")
        told.update(_source(sys.modules[name]) + b"\0")
        told.update("\n".join(_constants(sys.modules[name])).encode() + b"\0")
    return told.hexdigest()


def _modules_behind(module: str) -> set[str]:
    seen: set[str] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        if name in seen or name not in sys.modules:
            continue
        seen.add(name)
        for value in vars(sys.modules[name]).values():
            if isinstance(value, Dispatcher):
                todo.append(value.py_func.__module__)
            elif isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
                todo.append(value.__module__)
    return {name for name in seen if getattr(sys.modules[name], "__file__", None)}


def _source(module: ModuleType) -> bytes:
    try:
        return Path(str(module.__file__)).read_bytes()
    except OSError:
        return b""


def _constants(module: ModuleType) -> Iterator[str]:
    """Numbers the kernels of a module freeze, also those that another module defines."""
    called = [value.py_func for value in vars(module).values() if isinstance(value, Dispatcher)]
    used = {name for function in called for name in function.__code__.co_names}
    for name, value in sorted(vars(module).items()):
        if name not in used:
            continue
        if isinstance(value, np.ndarray):
            yield f"{name}={value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        elif isinstance(value, int | float | str | tuple | np.generic):
            yield f"{name}={value!r}"
