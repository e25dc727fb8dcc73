"""Plain-loop twins of the text kernels, on Python strings, and the paper's pseudocode as it was printed."""

from __future__ import annotations

import itertools
import unicodedata


def word_character(c: str) -> bool:
    return c.isalnum() or c == "_" or unicodedata.category(c).startswith("M")


def boundary(text: str, i: int) -> bool:
    return i in (0, len(text)) or not (word_character(text[i - 1]) and word_character(text[i]))


def owners_of(docs, owners, w, *, words=False):
    """Distinct owners whose documents contain w; with `words`, beginning and ending on a word boundary."""
    found = set()
    for d, text in enumerate(docs):
        for i in range(len(text) - len(w) + 1):
            aligned = not words or (boundary(text, i) and boundary(text, i + len(w)))
            if aligned and text.startswith(w, i):
                found.add((d, i) if owners is None else owners[d])
    return found


def longest(docs, owners, k, *, words=False, forbidden=""):
    """Per document and position, the longest repeat starting there (0 where a unit does not start)."""
    cache = {}

    def often(w):
        if w not in cache:
            hidden = forbidden and forbidden in w
            cache[w] = not hidden and len(owners_of(docs, owners, w, words=words)) >= k
        return cache[w]

    out = []
    for text in docs:
        row = []
        for i in range(len(text)):
            starts = not words or boundary(text, i)
            ends = [e for e in range(i + 1, len(text) + 1) if not words or boundary(text, e)] if starts else []
            row.append(max((e - i for e in ends if often(text[i:e])), default=0))
        out.append(row)
    return out


def maximal_regions(lengths):
    """Regions (first, last) of one document that no other region contains."""
    regions = {(i, i + n - 1) for i, n in enumerate(lengths) if n}
    return sorted(r for r in regions if not any(o != r and o[0] <= r[0] and r[1] <= o[1] for o in regions))


def greedy(text, lengths, min_length=1):
    keep = [False] * (len(text) + 2)  # one place of room on both sides
    regions = [r for r in maximal_regions(lengths) if r[1] - r[0] + 1 >= min_length]
    for s, e in sorted(regions, key=lambda r: (-(r[1] - r[0]), r[0])):
        if not any(keep[s : e + 3]):
            keep[s + 1 : e + 2] = [True] * (e - s + 1)
    return "".join(c if keep[i + 1] else "*" for i, c in enumerate(text))


def runs_of(keep):
    """(start, end) of the maximal kept runs of a sequence of truth values."""
    at = 0
    for kept, group in itertools.groupby(keep):
        n = len(list(group))
        if kept:
            yield at, at + n
        at += n


def exponential_optimum(text, lengths, min_length=1):
    """Most characters any suppression of the text can keep: tries all 2^n of them."""
    best = 0
    for keep in itertools.product((True, False), repeat=len(text)):
        if sum(keep) > best and all(e - s >= min_length and lengths[s] >= e - s for s, e in runs_of(keep)):
            best = sum(keep)
    return best


def published_optimum(text, k):
    """Most characters a suppression can keep when every run must occur k times in the suppressed text itself."""
    best = 0
    for keep in itertools.product((True, False), repeat=len(text)):
        if sum(keep) <= best:
            continue
        shown = "".join(c if kept else "*" for c, kept in zip(text, keep))
        if all(len(owners_of([shown], None, shown[s:e])) >= k for s, e in runs_of(keep)):
            best = sum(keep)
    return best


def place_classes(docs, owners, k, min_length=1, *, granted=None, words=False):
    """Longest-first class placement with no cleverness; byte order decides where two placements of a class clash.

    `granted` is a function from a string to whether it may be shown whatever its count.
    """
    text = "\x00" + "\x00".join(docs) + "\x00"
    document = [-1]
    for d, words_of in enumerate(docs):
        document += [d] * (len(words_of) + 1)
    run = [0] * len(text)
    fresh = 1
    inner = [i for i in range(len(text)) if text[i] != "\x00"]
    order = sorted(inner, key=lambda i: _sort_key(text, i, words))
    longest_document = max((len(d) for d in docs), default=0)

    def edge(i):
        return (
            not words or "\x00" in text[i - 1 : i + 1] or not (word_character(text[i - 1]) and word_character(text[i]))
        )

    def owner(p):
        return p if owners is None else owners[document[p]]

    sizes = {}
    for p in inner:
        for e in range(p + min_length, p + longest_document + 1):
            if "\x00" in text[p:e] or e > len(text):
                break
            if edge(p) and edge(e):
                sizes.setdefault(_bytes_of(text, p, e, words), []).append((p, e))
    for size in sorted(sizes, reverse=True):
        members = {}
        for p, e in sizes[size]:
            members.setdefault(text[p:e], []).append(p)
        for w in sorted(members, key=lambda w: order.index(min(members[w], key=order.index))):
            n = len(w)
            at = sorted(members[w], key=order.index)
            visible = [p for p in at if run[p] and run[p + n - 1] == run[p]]
            free = [p for p in at if not (run[p - 1] or run[p] or run[p + n - 1] or run[p + n])]
            pardoned = granted is not None and granted(w)
            if not pardoned and len({owner(p) for p in visible + free}) < k:
                continue
            placed = []
            for p in free:
                if not any(run[p - 1 : p + n + 1]):
                    run[p : p + n] = [fresh] * n
                    fresh += 1
                    placed.append(p)
            if not pardoned and len({owner(p) for p in visible + placed}) < k:
                # a placement may also have made other occurrences visible inside itself
                again = [p for p in at if run[p] and run[p + n - 1] == run[p]]
                if len({owner(p) for p in again}) < k:
                    for p in placed:
                        run[p : p + n] = [0] * n
    shown = "".join(c if run[i] or c == "\x00" else "*" for i, c in enumerate(text))
    return shown[1:-1].split("\x00")


def _sort_key(text, i, words):
    return _encoded(text, i, len(text), words)


def _bytes_of(text, p, e, words):
    return len(_encoded(text, p, e, words))


def _encoded(text, p, e, words):
    """UTF-8 with 0xFF for a document's end and, with `words`, 0xFE after a word: the order the kernel sorts in."""
    out = b""
    for i in range(p, e):
        c = text[i]
        out += b"\xff" if c == "\x00" else c.encode("utf-8")
        word = c != "\x00" and word_character(c)
        if words and word and (text[i + 1] == "\x00" or not word_character(text[i + 1])):
            out += b"\xfe"
    return out


def printed_algorithm_1(text, k, *, initial=None):
    """Algorithm 1 letter by letter as printed: the accused. `initial` repairs only what `mr` starts with."""
    n = len(text)
    sa = sorted(range(n), key=lambda i: text[i:])
    lcp = [0] * n
    for i in range(1, n):
        a, b = text[sa[i - 1] :], text[sa[i] :]
        lcp[i] = next((j for j, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    mr = [-1 if initial is None else initial] * n
    glcp = [-1] * n
    for i in range(n):
        glcp[i] = min(lcp[j] for j in range(max(0, i - k + 1), i + 1))
    for i in range(n):
        g = max(glcp[j] for j in range(max(0, i - k + 2), min(n - 1, i + 2) + 1))
        if g >= 1 and sa[i] + g - 1 < n and sa[i] < mr[sa[i] + g - 1]:
            mr[sa[i] + g - 1] = sa[i]
    return [(mr[j], j) for j in range(n) if 0 <= mr[j] < n]


def printed_algorithm_2(regions, n):
    """Algorithm 2 as printed: any order, only the outer tests, the right edge unguarded."""
    flags = [False] * n
    for s, e in regions:
        if (s == 0 or not flags[s - 1]) and not flags[e + 1]:
            for i in range(s, e + 1):
                flags[i] = True
    return flags
