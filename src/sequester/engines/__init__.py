"""Where the work runs: this machine now, something larger later."""

from sequester.engines.local import Engine

__all__ = ["Engine"]
