"""Grams in arrays, built by plain loops: what the kernels of n-grams take."""

from __future__ import annotations

import itertools


def ends_of_grams(symbols, offsets, n):
    """(place of the last symbol, gram) of every gram inside a series."""
    for a, b in itertools.pairwise(offsets):
        for end in range(a + n - 1, b):
            yield end, tuple(symbols[end - n + 1 : end + 1])


def code(gram, bits):
    value = 0
    for symbol in gram:
        value = value * 2**bits + symbol
    return value


class Linked:
    """Grams of orders 1..n one after the other, with their counts, links and margins."""

    def __init__(self, tables):
        self.n = n = max(tables)
        self.grams = [g for m in range(1, n + 1) for g in sorted(tables[m])]
        self.counts = [tables[len(g)][g] for g in self.grams]
        place = {g: i for i, g in enumerate(self.grams)}
        self.heads = [place.get(g[:-1], -1) for g in self.grams]
        self.tails = [place.get(g[1:], -1) for g in self.grams]
        self.top = sum(len(g) < n for g in self.grams)
        self.end = len(self.grams)
        longest = range(self.top, self.end)
        if n == 1:
            self.right = self.left = self.by_tail = [0]
        else:
            self.right = [self.top + sum(self.heads[g] < h for g in longest) for h in range(self.top + 1)]
            self.left = [sum(self.tails[g] < h for g in longest) for h in range(self.top + 1)]
            self.by_tail = sorted(longest, key=lambda g: (self.tails[g], g))

    def flat(self, tables):
        """Counts of other tables of the same grams, in this order."""
        return [tables[len(g)][g] for g in self.grams]
