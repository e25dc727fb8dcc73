"""Suffixes in order by plain sorting."""

from __future__ import annotations

SEPARATOR = 0xFF


def sorted_suffixes(text: bytes, unit: list[int]) -> tuple[list[int], list[int]]:
    """Suffixes that begin a unit, up to the next separator, equal ones in text order; what each shares with the one
    before."""
    places = [p for p in range(len(unit)) if unit[p] and text[p] != SEPARATOR]

    def upto(p: int) -> bytes:
        return text[p : text.index(SEPARATOR, p)]

    # a separator is larger than any byte, so a suffix that ends stands behind those that go on
    order = sorted(places, key=lambda p: (upto(p) + b"\xff", p))
    shared = [0] * len(order)
    for r in range(1, len(order)):
        a, b = upto(order[r - 1]), upto(order[r])
        while shared[r] < min(len(a), len(b)) and a[shared[r]] == b[shared[r]]:
            shared[r] += 1
    return order, shared


def shared_tokens(ids: list[int], separator: int) -> tuple[list[int], list[int]]:
    """The same for numbers."""
    places = [t for t, number in enumerate(ids) if number != separator]

    def upto(t: int) -> list[int]:
        return ids[t : ids.index(separator, t)]

    order = sorted(places, key=lambda t: ([*upto(t), separator], t))
    shared = [0] * len(order)
    for r in range(1, len(order)):
        for a, b in zip(upto(order[r - 1]), upto(order[r])):
            if a != b:
                break
            shared[r] += 1
    return order, shared


def codes_of(number: int, one: int, two: int, three: int, base: int) -> bytes:
    """The code of a number: first bytes tell its size, the other digits follow."""
    for size, n_first, first in ((1, one, 0), (2, two, one), (3, three, one + two), (4, 1, one + two + three)):
        n = n_first * base ** (size - 1)
        if number < n:
            digits = []
            for _ in range(size):
                digits.append(number % base)
                number //= base
            return bytes([first + digits[-1], *digits[-2::-1]])
        number -= n
    raise ValueError("too large")
