"""Compile the kernels a method is known to use before it runs, on all cores at once.

A kernel names its types, so any process can compile it without data, and every process reads what another one left in
the cache. The work is shared without a master: each process takes the next kernel whose inner kernels are compiled,
marks it by a lock the system lets go of when the process ends, and goes on until none is left. Whoever dies leaves
nothing behind but work for the others.

Whoever will run several methods one after the other (the demo) starts one process that compiles for the later methods
while the earlier ones run (`compiling_beside`): what numba itself compiles per process is then compiled once less.

Which kernels: see `first_use`.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from importlib import import_module

from sequester.primitives.compiled import KERNELS, Kernel
from sequester.primitives.first_use import first_used, seconds_of
from sequester.primitives.kernel_cache import fcntl
from sequester.primitives.notice import TITLE

WORTH_A_PROCESS = 3.0
"""Seconds of compiling from which a second process pays for its own start."""

AT_MOST = 4
"""Processes at once: beyond that the longest kernel decides."""

PATIENCE = 30.0
"""Seconds to wait for a kernel another process has taken and does not finish."""

_beside = 0
"""Processes that help this one already."""

Progress = Callable[[str, float | None], AbstractContextManager[Callable[[float], None]]]


def compile_ahead(names: tuple[str, ...], progress: Progress | None = None, processes: int | None = None) -> int:
    """Compile those of the named kernels that the cache lacks; returns how many there were.

    Parameters
    ----------
    names
        Module and name, as `compiled.KERNELS` has them.
    progress
        Told seconds of work, if there is enough to be worth telling.
    processes
        How many to share the work among; without it one per core this process may use.
    """
    missing = {name: made for name, made in _kernels(names).items() if not made.kept}
    cost = {name: seconds_of(name) for name in missing}
    if not missing:
        return 0
    wanted = min(processes or len(_cores()), AT_MOST, len(missing)) - _beside
    if sum(cost.values()) < WORTH_A_PROCESS or fcntl is None:
        wanted = 1
    with contextlib.ExitStack() as stack:
        tick = stack.enter_context(progress(TITLE, sum(cost.values()))) if progress else lambda _done: None
        for _ in range(wanted - 1):
            stack.enter_context(_helper([tuple(missing)]))
        _share(missing, cost, tick)
    return len(missing)


@contextlib.contextmanager
def compiling_beside(methods: Iterable[str]) -> Iterator[None]:
    """While methods are run in this order, let another process compile what the cache lacks for them, in this order."""
    global _beside
    groups, seen = [], set[str]()
    for method in methods:
        names = [name for name in first_used(method) if name not in seen]
        groups.append(tuple(name for name, made in _kernels(tuple(names)).items() if not made.kept))
        seen.update(names)
    cost = sum(seconds_of(name) for group in groups for name in group)
    if cost < WORTH_A_PROCESS or fcntl is None or len(_cores()) < 2:
        yield
        return
    with _helper(groups):
        _beside += 1
        try:
            yield
        finally:
            _beside -= 1


def _cores() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))


def _kernels(names: tuple[str, ...]) -> dict[str, Kernel]:
    """The kernels behind the names, their modules imported."""
    for name in names:
        with contextlib.suppress(ImportError):
            import_module(name.rpartition(".")[0])
    return {name: KERNELS[name] for name in names if name in KERNELS}


@contextlib.contextmanager
def _helper(groups: list[tuple[str, ...]]) -> Iterator[None]:
    """Another interpreter that shares the work; whatever befalls it, the work is done here then."""
    code = "from sequester.primitives.ahead import help_out; help_out()"
    other = None
    with contextlib.suppress(OSError):
        other = subprocess.Popen(
            [sys.executable, "-P", "-c", code],  # -P: nothing is imported from the folder we happen to stand in
            env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert other.stdin is not None
        with other.stdin as pipe:
            pipe.write(json.dumps(groups).encode())
    try:
        yield
    finally:
        if other is not None:
            other.kill()
            other.wait()


def help_out() -> None:
    """What a helping process does: kernels whose names stand on standard input, in groups, one after the other."""
    groups = json.load(sys.stdin)
    for at, names in enumerate(groups):
        kernels = _kernels(tuple(names))
        last = at == len(groups) - 1
        _share(kernels, {name: seconds_of(name) for name in kernels}, lambda _done: None, wait=last)


def _share(
    kernels: dict[str, Kernel], cost: dict[str, float], tick: Callable[[float], None], *, wait: bool = True
) -> None:
    """Take kernels until none is left: inner ones before those that call them, long chains first.

    Without `wait`, only until none is left to take: the others have the rest.
    """
    inner = {name: [n for n in _called(made) if n in kernels] for name, made in kernels.items()}
    ahead = _behind(inner, cost)
    todo = sorted(kernels, key=lambda name: -ahead[name])
    heard = time.monotonic()
    while todo and time.monotonic() - heard < PATIENCE:
        for name in [n for n in todo if kernels[n].kept]:
            todo.remove(name)
            tick(cost[name])
            heard = time.monotonic()
        ready = [n for n in todo if not any(i in todo for i in inner[n] if i != n)]
        if any(_made_here(kernels[name]) for name in ready):
            heard = time.monotonic()
        elif not wait:
            return
        elif todo:
            time.sleep(0.02)  # the others have what is left


def _made_here(made: Kernel) -> bool:
    with made.claimed() as mine:
        if mine and not made.kept:
            made.compile()
    return mine


def _called(made: Kernel) -> list[str]:
    """The kernels a kernel calls by name."""
    around = made.py_func.__globals__
    found = (around.get(name) for name in made.py_func.__code__.co_names)
    return [k.name for k in found if isinstance(k, Kernel)]


def _behind(inner: dict[str, list[str]], cost: dict[str, float]) -> dict[str, float]:
    """Seconds of the longest chain of kernels that waits for each one, itself included."""
    outer: dict[str, list[str]] = {name: [] for name in inner}
    for name, called in inner.items():
        for other in called:
            outer[other].append(name)

    @functools.cache
    def chain(name: str) -> float:
        return float(cost[name] + max((chain(n) for n in outer[name] if n != name), default=0.0))

    return {name: chain(name) for name in inner}
