"""Plain loops over lists for the kernels on texts: joining documents, longest repeats, covers, masks."""

from __future__ import annotations

import itertools

SEPARATOR = 0xFF


def joined(documents: list[bytes]) -> bytes:
    """Documents with a separator before, between and after them."""
    return b"\xff" + b"".join(d + b"\xff" for d in documents)


def begins_character(text: bytes) -> list[int]:
    """1 where a character, or a separator, begins."""
    out = []
    for part in text.split(b"\xff"):
        for character in part.decode("utf-8"):
            out += [1] + [0] * (len(character.encode("utf-8")) - 1)
        out.append(1)
    return out[:-1]


def shared(text, p: int, q: int, separator: int = SEPARATOR) -> int:
    """How many values two places of a text have in common, up to a separator."""
    n = 0
    while text[p + n] == text[q + n] != separator:
        n += 1
    return n


def selected(lcp: list[int], wanted: list[bool]) -> list[int]:
    """`lcp` of the ranks that are wanted: the least since the last wanted one; nothing stands before the first."""
    out, last = [], None
    for r in range(len(lcp)):
        if wanted[r]:
            out.append(0 if last is None else min(lcp[last + 1 : r + 1]))
            last = r
    return out


def window_of_k(lcp: list[int], k: int) -> list[int]:
    """Per rank what the k ranks that end there share."""
    return [min(lcp[r - k + 2 : r + 1]) if r >= k - 1 else 0 for r in range(len(lcp))]


def window_of_owners(lcp: list[int], owner: list[int], k: int) -> list[int]:
    """Per rank what the smallest window that ends there and holds k owners shares; 0 for a window of one rank."""
    out = []
    for r in range(len(lcp)):
        value = 0
        for left in range(r, -1, -1):
            if len({o for o in owner[left : r + 1] if o >= 0}) >= k:
                value = min(lcp[left + 1 : r + 1], default=0)
                break
        out.append(value)
    return out


def propagated(longest: list[int], lcp: list[int]) -> list[int]:
    """Per rank the most of what any rank has and shares with it."""
    n = len(lcp)
    return [
        max(min([longest[q], *lcp[min(q, r) + 1 : max(q, r) + 1]]) for q in range(n))
        for r in range(n)
    ]  # fmt: skip


def units(unit, weight, begin, end):
    """Boundaries of the units of one document, and the characters before each."""
    place = [p for p in range(begin, end) if unit[p]] + [end]
    return place, [sum(weight[begin:p]) for p in place]


def documents_of(ends):
    """Where each document begins and ends in a joined text."""
    return list(zip([1, *(e + 1 for e in ends[:-1])], ends))


def maximal_repeats(unit, weight, longest, ends, min_length):
    """Repeats that no longer one contains, with enough characters."""
    found = []
    for begin, end in documents_of(ends):
        place, before = units(unit, weight, begin, end)
        all_of_them = set()
        for s, p in enumerate(place[:-1]):
            e = max(j for j in range(s, len(place)) if j == s or place[j] <= p + longest[p])
            if e > s:
                all_of_them.add((s, e))
        for s, e in sorted(all_of_them):
            contained = any((a, b) != (s, e) and a <= s and e <= b for a, b in all_of_them)
            if not contained and before[e] - before[s] >= min_length:
                found.append([place[s], place[e]])
    return found


def accepted(regions, order, solid, n):
    """Regions taken in an order, each unless it touches one taken before or shows no letter or digit."""
    kept = set()
    for i in order:
        s, e = regions[i]
        left, right = s - 1, e
        while solid and not solid[left]:
            left -= 1
        while solid and not solid[right]:
            right += 1
        bare = solid and not any(solid[s:e])
        if not bare and not kept & {left, right, *range(s, e)}:
            kept |= set(range(s, e))
    return [int(p in kept) for p in range(n)]


def covers(unit, weight, solid, longest, begin, end, min_length):
    """Every allowed choice of runs of one document, as the characters it keeps and its runs in places."""
    place, before = units(unit, weight, begin, end)
    m = len(place) - 1
    for keep in itertools.product((0, 1), repeat=m):
        runs, at = [], 0
        for kept, group in itertools.groupby(keep):
            n = len(list(group))
            runs += [(at, at + n)] if kept else []
            at += n
        fine = all(
            place[e] <= place[s] + longest[place[s]]
            and before[e] - before[s] >= min_length
            and (not solid or any(solid[place[j]] for j in range(s, e)))
            for s, e in runs
        )
        parted = all(not solid or any(solid[place[j]] for j in range(a[1], b[0])) for a, b in itertools.pairwise(runs))
        if fine and parted:
            yield sum(before[e] - before[s] for s, e in runs), [(place[s], place[e]) for s, e in runs]


def weighed(text, starts, closed):
    """Per token its characters, at most 255, and whether it is a separator or holds a closed byte."""
    weight, shut = [], []
    for a, b in itertools.pairwise(starts):
        token = bytes(text[a:b])
        weight.append(min(255, len(token.replace(b"\xff", b"").decode("utf-8"))))
        shut.append(int(SEPARATOR in token or (bool(closed) and any(closed[a:b]))))
    return weight, shut
