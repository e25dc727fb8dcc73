"""Where the work runs: this machine now, something larger later."""

from sequester.engines.local import Engine, showing, step

__all__ = ["Engine", "showing", "step"]
