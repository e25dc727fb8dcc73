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


TIED, DEEP = -1, -2


def to_separator(text: bytes, p: int, depth: int) -> bytes:
    """At most `depth` bytes from a place on, up to and with the next separator."""
    return text[p : min(p + depth, text.index(SEPARATOR, p) + 1)]


def bucket(text: bytes, places: list[int], depth: int) -> tuple[list[int], list[int]]:
    """Places by their first bytes, equal ones as they stood, and what each shares with the one before."""
    order = sorted(places, key=lambda p: to_separator(text, p, depth))
    shared = [0] * len(order)
    for r in range(1, len(order)):
        a, b = (to_separator(text, p, depth) for p in order[r - 1 : r + 1])
        n = 0
        while n < min(len(a), len(b)) and a[n] == b[n] != SEPARATOR:
            n += 1
        shared[r] = TIED if n == depth else n
    return order, shared


def groups_of(lcp: list[int]) -> list[tuple[int, int]]:
    """Where each group of tied ranks begins and ends; a rank that is tied with none is a group of one."""
    begins = [r for r in range(len(lcp)) if lcp[r] != TIED]
    return list(zip(begins, [*begins[1:], len(lcp)]))


def doubled(text, unit, sa, lcp, rank, shared):
    """One round: groups one after the other, each sorted by the ranks of what follows; how many are still tied."""
    sa, lcp, rank, left = list(sa), list(lcp), list(rank), 0
    for begin, end in groups_of(lcp):
        if end - begin == 1:
            continue
        step = max(s for s in range(shared + 1) if unit[sa[begin] + s])
        key = {p: len(sa) if text[p + step] == SEPARATOR else rank[p + step] for p in sa[begin:end]}
        sa[begin:end] = sorted(sa[begin:end], key=key.get)
        for r in range(begin, end):
            same = r > begin and key[sa[r]] == key[sa[r - 1]] != len(sa)
            if r > begin:
                lcp[r] = TIED if same else DEEP
                left += same
            rank[sa[r]] = rank[sa[r - 1]] if same else r
    return sa, lcp, rank, left


def interned(tokens, closed, known, n_table, n_letters):
    """Numbers by first appearance, until a new token finds the table half full or no room for its letters."""
    ids = []
    for token, shut in zip(tokens, closed):
        if not shut and token not in known:
            if len(known) >= n_table // 2 or sum(map(len, known)) + len(token) > n_letters:
                break
            known[token] = len(known)
        ids.append(-1 if shut else known[token])
    return ids


def hashed_table(tokens, size):
    """Numbers in an open table, each at the first free place from its hash (FNV-1a, folded) on."""
    table = [-1] * size
    for i, token in enumerate(tokens):
        code = 14695981039346656037
        for letter in token:
            code = (code ^ letter) * 1099511628211 % 2**64
        at = (code ^ (code >> 29)) % size
        while table[at] >= 0:
            at = (at + 1) % size
        table[at] = i
    return table
