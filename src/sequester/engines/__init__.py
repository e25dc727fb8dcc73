"""Where the work runs: this machine now, something larger later."""

from sequester.engines.local import Engine
from sequester.engines.steps import showing, step

__all__ = ["Engine", "showing", "step"]
