"""What a user asks an n-gram table: how often, how likely, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from sequester.errors import InputError, counted, verb_for
from sequester.layouts.grams import END, Grams
from sequester.query.bundle import Bundle


class SymbolBundle(Bundle):
    """A published n-gram table. Grams and contexts are text (`"1 2 3"`) or sequences of symbols."""

    @cached_property
    def _read(self) -> Grams:
        return Grams.read(self)

    @property
    def grams(self) -> dict[str, int]:
        """Every published gram (symbols joined by a space) with its count."""
        return self._read.counted

    @property
    def order(self) -> int:
        """Length of the longest published gram."""
        return self._read.longest

    @property
    def alphabet(self) -> tuple[str, ...]:
        """Symbols that occur in published grams."""
        return self._read.alphabet

    @cached_property
    def _laws(self) -> dict[str, dict[str, int]]:
        laws: dict[str, dict[str, int]] = {}
        for gram, count in self.grams.items():
            context, _, last = gram.rpartition(" ")
            laws.setdefault(context, {})[last] = count
        return laws

    @cached_property
    def _begins(self) -> bool:
        """Whether the table tells how series begin."""
        return any(gram.startswith(f"{END} ") for gram in self.grams)

    def count(self, gram: str | Sequence[str]) -> int:
        """Published count of a gram; 0 if it is not published.

        `&` stands for the boundary of a series where the table counts it: `"& a"` begins with a, `"a &"` ends with it.
        """
        return self.grams.get(" ".join(self._symbols(gram)), 0)

    def next_symbol(self, context: str | Sequence[str] = ()) -> dict[str, float]:
        """Probabilities of what follows a context, most likely first; `&` is how series begin, or that one ends.

        The longest end of the context that the table knows decides (at most `order` - 1 symbols); for a context it
        does not know at all, that is how frequent the symbols are.
        """
        symbols = self._symbols(context)
        known = " ".join(symbols[len(symbols) - min(len(symbols), max(0, self.order - 1)) :])
        while known and known not in self._laws:
            known = known.partition(" ")[2]
        law = self._laws.get(known, {})
        if self._begins and (not known or known.rsplit(" ", 1)[-1] == END):  # the boundary is no symbol that follows
            law = {x: c for x, c in law.items() if x != END}
        total = sum(law.values())
        return {x: c / total for x, c in sorted(law.items(), key=lambda item: (-item[1], item[0]))}

    def next_after(self, context: str) -> dict[str, float]:
        """What follows a context, most likely first."""
        return self.next_symbol(context)

    def probability(self, gram: str | Sequence[str]) -> float:
        """Probability of a gram: its count's share of its order where it is that short, chained beyond.

        With a boundary it is the share among grams that have boundaries in the same places: `"& a"` is the share of
        series that begin with a.
        """
        symbols = self._symbols(gram)
        if not symbols:
            return 1.0
        if len(symbols) <= self.order:
            edges = [x == END for x in symbols]
            total = sum(c for g, c in self.grams.items() if [x == END for x in g.split(" ")] == edges)
            return self.count(symbols) / total if total else 0.0
        likely = self.probability(symbols[: self.order])
        for i in range(self.order, len(symbols)):
            likely *= self.next_symbol(symbols[i - self.order + 1 : i]).get(symbols[i], 0.0)
        return likely

    def _symbols(self, gram: str | Sequence[str]) -> list[str]:
        symbols = gram.split() if isinstance(gram, str) else [str(x) for x in gram]
        unknown = sum(x not in self.alphabet and x != END for x in symbols)
        if unknown:
            raise InputError(
                f"query: {unknown} of {counted(len(symbols), 'symbol')} {verb_for(unknown, 'is', 'are')} not in this "
                f"table; it has {', '.join(self.alphabet)}."
            )
        return symbols
