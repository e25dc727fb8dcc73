"""The placement kernels on lists: the same arrays, with runs written down as runs and every class sought anew."""

from __future__ import annotations

SEPARATOR = -1


class Corpus:
    """A text of numbers (a separator before, between and after documents), its sorted suffixes and its repeats."""

    def __init__(self, documents, unit, weight, solid, owners, k):
        self.text, self.document = [SEPARATOR], [-1]
        for d, numbers in enumerate(documents):
            self.text += [*numbers, SEPARATOR]
            self.document += [d] * (len(numbers) + 1)
        self.unit, self.weight, self.solid, self.owners, self.k = unit, weight, solid, owners, k
        ends = [p for p, number in enumerate(self.text) if number == SEPARATOR]
        upto = {p: self.text[p : min(e for e in ends if e >= p)] for p in range(len(self.text))}
        starts = [p for p in range(len(self.text)) if unit[p] and self.text[p] != SEPARATOR]
        # a separator is larger than any number, so a suffix that ends stands behind those that go on
        self.sa = sorted(starts, key=lambda p: ([*upto[p], 1 << 30], p))
        self.lcp = [0] * len(self.sa)
        for r in range(1, len(self.sa)):
            a, b = upto[self.sa[r - 1]], upto[self.sa[r]]
            self.lcp[r] = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        self.longest = []
        for p in self.sa:
            sizes = [n for n in range(1, len(upto[p]) + 1) if unit[p + n]]
            found = [n for n in sizes if len({self.owner(q) for q in starts if upto[q][:n] == upto[p][:n]}) >= k]
            self.longest.append(max(found, default=0))

    def owner(self, p):
        return p if self.owners is None else self.owners[self.document[p]]


class Placed:
    """Runs placed so far; `rest[r]` is what is known of the run at rank r, as the kernel knows it."""

    def __init__(self, corpus, min_length, granted=None):
        self.of, self.min_length, self.granted = corpus, min_length, granted
        self.run = [0] * len(corpus.text)
        """The end of the run that covers a position, 0 where none does."""
        self.rest = [0] * len(corpus.sa)

    def guard(self, p, step):
        """The next position in that direction whose hiding makes a gap."""
        p += step
        while self.of.solid and not self.of.solid[p]:
            p += step
        return p

    def settle(self, r):
        p = self.of.sa[r]
        if self.rest[r] == 0 and self.run[p]:
            self.rest[r] = self.run[p] - p
        elif self.rest[r] == 0 and self.run[self.guard(p, -1)]:
            self.rest[r] = -1

    def fits(self, p, size):
        return not any(self.run[self.guard(p, -1) : self.guard(p + size - 1, 1) + 1])

    def shows(self, p, size):
        enough = self.min_length <= 1 or sum(self.of.weight[p : p + size]) >= self.min_length
        return enough and (not self.of.solid or any(self.of.solid[p : p + size]))

    def alike(self, a, b, size):
        """Whether two ranks share so much."""
        return min(self.of.lcp[min(a, b) + 1 : max(a, b) + 1], default=size) >= size

    def place(self, group, size, pardoned):
        """One class at all ranks of a group where it fits, if enough see it then."""
        sa = self.of.sa
        free = [r for r in group if self.rest[r] == 0 and self.fits(sa[r], size)]
        visible = [q for q in range(len(sa)) if self.rest[q] >= size and self.alike(q, group[0], size)]

        def enough(ranks):
            seen = {self.of.owner(sa[r]) for r in (*ranks, *visible)}
            return pardoned or len({o for o in seen if o >= 0}) >= self.of.k

        if not free or not enough(free):
            return False
        placed = []
        for r in free:
            if self.fits(sa[r], size):
                self.run[sa[r] : sa[r] + size] = [sa[r] + size] * size
                placed.append(r)
        if not enough(placed):
            for r in placed:
                self.run[sa[r] : sa[r] + size] = [0] * size
            return False
        for r in placed:
            self.rest[r] = size
        return True

    def covered(self):
        """1 + the binary logarithm of how far the run goes on."""
        return [(end - p).bit_length() if end else 0 for p, end in enumerate(self.run)]


def place(placed: Placed, lengths, dense):
    """Classes by their length, from the longest down; above `dense` all that a class shares is tried first."""
    of = placed.of
    for length in lengths:
        entered = [r for r in range(len(of.sa)) if of.longest[r] >= length]
        for r in entered:
            placed.settle(r)
        groups = []
        for r in entered:
            if placed.rest[r]:
                continue
            if groups and placed.alike(groups[-1][-1], r, length):
                groups[-1].append(r)
            else:
                groups.append([r])
        for group in groups:
            p = of.sa[group[0]]
            pardoned = placed.granted is not None and placed.granted[group[0]] >= length
            shared = min(of.lcp[group[0] + 1 : group[-1] + 1], default=length)
            for size in [shared, length] if length > dense and not pardoned else [length]:
                while length > dense and not of.unit[p + size]:
                    size -= 1
                if size and of.unit[p + size] and placed.shows(p, size) and placed.place(group, size, pardoned):
                    break


def place_by_weight(placed: Placed, tokens):
    """Classes by their characters, the most first: a rank tries `tokens[r]` tokens, and one less after every try."""
    of, out = placed.of, set()
    tokens = list(tokens)

    def heavy(r):
        return sum(of.weight[of.sa[r] : of.sa[r] + tokens[r]])

    for characters in range(max(map(heavy, range(len(of.sa))), default=0), 0, -1):
        turn = [r for r in range(len(of.sa)) if r not in out and heavy(r) == characters]
        while turn:
            size = tokens[turn[0]]
            group = [r for r in turn if tokens[r] == size and placed.alike(turn[0], r, size)]
            turn = [r for r in turn if r not in group]
            for r in group:
                placed.settle(r)
            out |= {r for r in group if placed.rest[r]}
            group = [r for r in group if r not in out]
            if group and placed.shows(of.sa[group[0]], size):
                pardoned = placed.granted is not None and placed.granted[group[0]] >= size
                placed.place(group, size, pardoned)
            for r in group:
                tokens[r] -= 1
                out |= set() if tokens[r] else {r}
