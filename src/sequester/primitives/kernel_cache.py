"""Where compiled kernels lie on disk, and why two processes cannot spoil each other's.

One file per kernel, named after a hash of everything its machine code depends on: so nothing is ever overwritten by
something else, and no index has to be kept in step. The folders say the rest:

    <cache>/sequester-kernels/py311-numba0.68.1-<cpu>/<module>-<hash of the sources>/<kernel>-<hash of the key>.kernel

- The hash of the sources covers the module, the modules of the kernels it calls and the constants it froze; an upgrade
  that leaves them alone keeps what is compiled, an upgrade that touches one compiles it anew.
- The name of the CPU folder covers switches that change machine code (`NUMBA_BOUNDSCHECK`, `NUMBA_OPT`).
- Files are written aside and renamed, under a lock, and begin with a hash of the rest. A file that cannot be read, or
  is not what its hash says, counts as missing.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import sys
import tempfile
import uuid
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import llvmlite
import llvmlite.binding as llvm
import numpy as np
from numba.core import config

from sequester.platform import is_mine, lock

BEGINS = b"sequester kernel 3\n"

USUAL = {
    "BOUNDSCHECK": "None",
    "CPU_FEATURES": "None",
    "CPU_NAME": "None",
    "DEBUGINFO_DEFAULT": "0",
    "LOOP_VECTORIZE": "1",
    "OPT": "_OptLevel(3)",
    "SLP_VECTORIZE": "0",
}
"""Switches of numba that change machine code, and what they are when nobody sets them."""


class KernelFile:
    """The place of one kernel in the cache."""

    def __init__(self, function: FunctionType, signature: str) -> None:
        self.folder = cache_root() / machine() / f"{function.__module__}-{source_hash(function.__module__)[:16]}"
        self.key = f"{signature} {_code(function.__code__)} {[c.cell_contents for c in function.__closure__ or ()]!r}"
        digest = hashlib.sha256(self.key.encode()).hexdigest()[:16]
        self.path = self.folder / f"{function.__qualname__}-{digest}.kernel"

    def load(self) -> bytes | None:
        """What was saved, or nothing if it is missing, cut short, damaged or of another making."""
        try:
            begins, digest, rest = self.path.read_bytes().split(b"\n", 2)
            if begins + b"\n" != BEGINS or hashlib.sha256(rest).hexdigest().encode() != digest:
                return None
            key, saved = pickle.loads(rest)
        except Exception:  # whatever is wrong with it: compile again
            return None
        return saved if key == self.key else None

    def save(self, compiled: bytes) -> None:
        """Write it aside and rename it; a folder that cannot be written is passed over."""
        rest = pickle.dumps((self.key, compiled), protocol=5)
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with _locked(self.folder):
                aside = self.path.with_suffix(f".{uuid.uuid4().hex[:12]}.tmp")
                try:
                    aside.write_bytes(BEGINS + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest)
                    aside.replace(self.path)
                finally:
                    aside.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / ".lock").open("w") as held:
        lock(held.fileno(), wait=True)
        yield


def _code(code: CodeType) -> str:
    """What a function does, as far as its byte code tells: for kernels whose source no file holds."""
    consts = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return hashlib.sha256(repr((code.co_code, code.co_names, consts)).encode()).hexdigest()


@functools.cache
def machine() -> str:
    """The name of the folder for this Python, numba, CPU and the switches that change machine code."""
    values = {name: str(getattr(config, name, usual)) for name, usual in USUAL.items()}
    switches = {name: value for name, value in values.items() if value != USUAL[name]}
    if avx := os.environ.get("NUMBA_ENABLE_AVX"):  # what is usual depends on the CPU
        switches["ENABLE_AVX"] = avx
    cpu = f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    text = f"{cpu} {switches} {llvmlite.__version__} {np.__version__}"
    checked = "-boundscheck" if "BOUNDSCHECK" in switches else ""
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    return f"py{sys.version_info[0]}{sys.version_info[1]}-numba{metadata.version('numba')}-{digest}{checked}"


@functools.cache
def cache_root() -> Path:
    """The first folder that can be written: NUMBA_CACHE_DIR or the user's cache folder, else a temporary one."""
    with contextlib.suppress(OSError, RuntimeError):
        base = getattr(config, "CACHE_DIR", "") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return _writable(Path(base) / "sequester-kernels")
    shared = Path(tempfile.gettempdir()) / f"sequester-kernels-{getattr(os, 'getuid', lambda: 0)()}"
    with contextlib.suppress(OSError):
        return _writable(shared)
    return Path(tempfile.mkdtemp(prefix="sequester-kernels-"))


def _writable(folder: Path) -> Path:
    """The folder, if it is ours alone to write: what lies in it is executed."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not folder.is_dir() or not is_mine(folder):
        raise PermissionError(f"{folder} belongs to somebody else")
    tempfile.TemporaryFile(dir=folder).close()
    return folder


@functools.cache
def source_hash(module: str) -> str:
    """A hash of all a kernel of this module is made of: sources of the modules it calls kernels of, and constants."""
    digest = hashlib.sha256()
    for name in sorted(_modules_behind(module)):
        digest.update(name.encode() + b"\0")
        digest.update(_source(sys.modules[name]) + b"\0")
        digest.update("\n".join(_constants(sys.modules[name])).encode() + b"\0")
    return digest.hexdigest()


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The kernels a module names, as plain functions."""
    for value in vars(module).values():
        if not isinstance(value, type | ModuleType) and hasattr(value, "is_kernel"):
            yield value.py_func


def _modules_behind(module: str) -> set[str]:
    seen: set[str] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        if name in seen or name not in sys.modules:
            continue
        seen.add(name)
        todo += [function.__module__ for function in _functions(sys.modules[name])]
        for value in vars(sys.modules[name]).values():
            if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
                todo.append(value.__module__)
    return {name for name in seen if getattr(sys.modules[name], "__file__", None)}


def _source(module: ModuleType) -> bytes:
    try:
        return Path(str(module.__file__)).read_bytes()
    except OSError:
        return b""


def _constants(module: ModuleType) -> Iterator[str]:
    """Numbers the kernels of a module freeze, also those that another module defines."""
    used = {name for function in _functions(module) for name in function.__code__.co_names}
    for name, value in sorted(vars(module).items()):
        if name not in used:
            continue
        if isinstance(value, np.ndarray):
            yield f"{name}={value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        elif isinstance(value, int | float | str | tuple | np.generic):
            yield f"{name}={value!r}"
