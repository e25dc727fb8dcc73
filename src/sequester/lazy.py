"""Names of things that are imported only when they are used, so that `sequester --help` stays quick."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from sequester.errors import ParameterError, nearest


def load(where: str) -> Any:
    """The object behind `package.module:name`."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def choose(registry: Mapping[str, str], name: str, noun: str) -> Any:
    """The registered object of that name, or an error with the nearest name."""
    if name not in registry:
        close = nearest(name, registry)
        hint = f" Did you mean '{close}'?" if close else ""
        raise ParameterError(f"no {noun} '{name}'; there are {', '.join(registry)}.{hint}")
    return load(registry[name])
