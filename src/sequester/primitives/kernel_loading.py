"""Call machine code that lies in the cache, without numba's compiler.

Importing numba and telling it every function it knows takes most of a second; the machine code of a kernel needs only
its three small libraries (how arrays come in and go out, how memory is counted, how a function object is made) and
LLVM's linker. They are the same libraries, loaded once per process: numba finds them loaded if it is imported later.

What keeps it safe:

- Only machine code whose open symbols are all known is linked: LLVM ends the process at an unknown one.
- Every kernel is linked on its own, so that two kernels cannot share a function that only looks the same.
- Only object files in the format read here (ELF, 64 bit: Linux) and constants that can be read without numba are
  stored for it. Everything else is loaded by numba, as if this file did not exist.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import functools
import importlib.machinery
import importlib.util
import os
import pickle
import pickletools
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from sequester.primitives.kernel_cache import numba_folder

SYMBOL_TABLE, UNDEFINED = 2, 0
"""Kind of a section, and number of the section that stands for elsewhere, in ELF."""

_lock = threading.RLock()
_linked: list[Any] = []  # what the machine code lives in: never let go


def _new_lock() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):  # the child of a fork has no thread that could let go of it
    os.register_at_fork(after_in_child=_new_lock)


class NotLoadable(Exception):
    """A kernel has to be loaded by numba."""


class _Libraries(NamedTuple):
    functions: ModuleType
    helpers: ModuleType
    memory: ModuleType


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Threads that need the same kernel at once link it once."""
    with _lock:
        yield


def described(object_code: bytes, entry: str, environments: dict[str, list[Any]]) -> dict[str, Any] | None:
    """What to store of a compiled kernel so that `linked` can call it; nothing if it could not.

    Parameters
    ----------
    object_code
        What the linker reads.
    entry
        Symbol of the function that takes Python's objects.
    environments
        Symbols of the places where machine code looks for Python's objects, and those objects; the kernel's own first.
    """
    symbols = symbols_of(object_code)
    if symbols is None or entry not in symbols.defined:
        return None
    try:
        constants = pickle.dumps(list(environments.values()), protocol=5)
    except Exception:  # numba has its own ways of storing functions and classes
        return None
    if any(name.startswith("numba") for name in _strings_in(constants)):
        return None
    places = [name if name in symbols.defined else "" for name in environments]
    return {"object": object_code, "entry": entry, "needs": symbols.open, "places": places, "constants": constants}


def linked(light: dict[str, Any], function: FunctionType) -> Callable[..., Any]:
    """The machine code as a function of Python's objects; it does not check them."""
    with _lock:
        libraries, known = _libraries(), _symbols()
        engine = _engine()  # before symbols are sought: with the first one LLVM opens those of this process
        if not all(_resolved(name, known) for name in light["needs"]):
            raise NotLoadable(f"{function.__qualname__} needs a symbol that is not there")
        engine.add_object_file(llvm.ObjectFileRef.from_data(light["object"]))
        engine.finalize_object()
        address = engine.get_function_address(light["entry"])
        kept = []
        for place, constants in zip(light["places"], pickle.loads(light["constants"]), strict=True):
            held = libraries.functions.Environment(function.__globals__)
            held.consts[:] = constants
            kept.append(held)
            if place:
                ctypes.c_void_p.from_address(engine.get_global_value_address(place)).value = id(held)
        _linked.append((engine, kept))
        return libraries.functions.make_function(
            sys.modules.get(function.__module__), function.__name__, function.__doc__ or "", address, kept[0], (engine,)
        )


class Symbols(NamedTuple):
    """The names an object file defines, and those it expects from elsewhere."""

    defined: frozenset[str]
    open: tuple[str, ...]


def symbols_of(data: bytes) -> Symbols | None:
    """The symbols of an ELF object file of 64 bits; nothing if it is another kind of file."""
    if data[:6] != b"\x7fELF\x02\x01":
        return None
    (sections,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, sections + i * size) for i in range(count)]
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for _, kind, _, _, offset, length, link, _, _, entry in headers:
        if kind != SYMBOL_TABLE:
            continue
        names = headers[link][4]
        for at in range(offset, offset + length, entry):
            name, _, _, section = struct.unpack_from("<IBBH", data, at)
            if name:
                begin = names + name
                found[section != UNDEFINED].add(data[begin : data.index(b"\0", begin)].decode())
    return Symbols(frozenset(found[True]), tuple(sorted(found[False])))


def _strings_in(pickled: bytes) -> set[str]:
    """All strings of a pickle, among them the modules it would import."""
    return {told for _, told, _ in pickletools.genops(pickled) if isinstance(told, str)}


_unpickled: dict[tuple[int, bytes], Any] = {}


@ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
def _unpickle(data: int, length: int, digest: int) -> Any:
    """An object that machine code carries inside itself (a class, an exception), as numba's function of that name.

    numba's own would import numba to do it; once numba is there, it is the one that is used.
    """
    key = (data, ctypes.string_at(digest, 20))
    if key not in _unpickled:
        _unpickled[key] = pickle.loads(ctypes.string_at(data, length))
    return _unpickled[key]


def _resolved(name: str, known: dict[str, int]) -> bool:
    if name == "numba_unpickle" and "numba.core.serialize" not in sys.modules:
        llvm.add_symbol(name, ctypes.cast(_unpickle, ctypes.c_void_p).value)
        return True
    if name in known:
        llvm.add_symbol(name, known[name])
        return True
    return bool(llvm.address_of_symbol(name))


@functools.cache
def _symbols() -> dict[str, int]:
    """What numba would tell the linker: its helpers, Python's exceptions, the mathematics of Python's C library."""
    libraries = _libraries()
    helpers = dict(libraries.helpers.c_helpers)
    known = {f"numba_{name}": address for name, address in (helpers | libraries.functions.c_helpers).items()}
    known |= {
        name if name.startswith("_") else f"NRT_{name}": address for name, address in libraries.memory.c_helpers.items()
    }
    known |= {
        f"PyExc_{value.__name__}": id(value)
        for value in vars(builtins).values()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    return helpers | known | {"_Py_NoneStruct": id(None)}


@functools.cache
def _libraries() -> _Libraries:
    """numba's small libraries, ready for use; imported by their files, since their package would import it all."""
    found = _Libraries(*map(_library, ("numba._dynfunc", "numba._helperlib", "numba.core.runtime._nrt_python")))
    found.memory.memsys_use_cpython_allocator()
    return found


def _library(name: str) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    folder = numba_folder()
    parts = name.split(".")
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        file = folder.joinpath(*parts[1:-1], parts[-1] + suffix) if folder else None
        spec = importlib.util.spec_from_file_location(name, file) if file and file.exists() else None
        if spec and spec.loader:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            # numba imports it again, finds it initialized, and hangs it into its package as it expects to
            sys.modules.pop(name, None)
            return module
    raise NotLoadable(f"{name} is not there")


def _engine() -> Any:
    """A linker with nothing in it."""
    empty = llvm.parse_assembly(f'target triple = "{llvm.get_process_triple()}"')
    return llvm.create_mcjit_compiler(empty, _target_machine())


def _target_machine() -> Any:
    _started()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(codemodel="jitdefault", jit=True)


@functools.cache
def _started() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
