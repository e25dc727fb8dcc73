"""Rules a synthetic log must keep, one per line: `A never before B`, `nothing after DISCHARGE`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sequester.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What may not follow what, by state name."""

    bars: tuple[tuple[str, str], ...] = ()
    """(a, b): once a has occurred, b may not."""
    finals: tuple[str, ...] = ()
    """Nothing follows these."""

    @property
    def states(self) -> frozenset[str]:
        """Every state a rule speaks of."""
        return frozenset(self.finals) | {name for pair in self.bars for name in pair}

    def masks(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """`bars[a, b]` (0 x 0 when nothing is barred) and `finals[a]` over state codes; unknown names do not matter."""
        code = {name: i for i, name in enumerate(names)}
        finals = np.zeros(len(names), bool)
        finals[[code[f] for f in self.finals if f in code]] = True
        pairs = [(code[a], code[b]) for a, b in self.bars if a in code and b in code]
        if not pairs:
            return np.zeros((0, 0), bool), finals
        bars = np.zeros((len(names), len(names)), bool)
        bars[tuple(zip(*pairs))] = True
        return bars, finals


def read_rules(path: str | None, who: str) -> Rules:
    """Parse a rules file; blank lines and lines that begin with `#` are skipped."""
    if path is None:
        return Rules()
    file = Path(path)
    if not file.is_file():
        raise InputError(f"{who}: rules file '{file.name}' does not exist. Check the path.")
    bars, finals = [], []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if text.lower().startswith("nothing after "):
            finals.append(text[len("nothing after ") :].strip())
        elif " never before " in text:
            a, _, b = text.partition(" never before ")
            bars.append((a.strip(), b.strip()))
        else:
            raise InputError(
                f"{who}: line {number} of '{file.name}' is not a rule. "
                "Write 'A never before B' or 'nothing after C', one per line."
            )
    return Rules(bars=tuple(bars), finals=tuple(finals))
