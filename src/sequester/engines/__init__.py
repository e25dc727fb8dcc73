"""Where the work runs: this machine now, something larger later."""

from sequester.engines.local import Engine
from sequester.engines.stages import showing, stage

__all__ = ["Engine", "showing", "stage"]
