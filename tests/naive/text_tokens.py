"""Plain-loop twins of the kernels on tokens: documents are lists of strings."""

from __future__ import annotations

import itertools

from tests.naive.text_repeats import runs_of

END = None


def solid(token):
    return any(c.isalnum() for c in token)


def owners_of(docs, owners, run):
    """Distinct owners whose documents contain the run of tokens (places, where nobody owns anything)."""
    n = len(run)
    found = set()
    for d, tokens in enumerate(docs):
        for i in range(len(tokens) - n + 1):
            if tokens[i : i + n] == run:
                found.add((d, i) if owners is None else owners[d])
    return found


def numbers(docs):
    """Tokens by falling frequency, then by first appearance: the order suffixes are sorted in; the end comes last."""
    count = {}
    for token in itertools.chain(*docs):
        count[token] = count.get(token, 0) + 1
    order = sorted(count, key=lambda t: -count[t])
    return {**{t: i for i, t in enumerate(order)}, END: len(order)}


def _guard(text, p, step):
    """The next position in that direction that a hidden word, or a document's end, must hold."""
    p += step
    while text[p] is not END and not solid(text[p]):
        p += step
    return p


def place_classes(docs, owners, k, min_length=1, turn=48):
    """Runs of more than `turn` tokens by tokens, then the others by characters, most first; a run's footprint
    includes the separators around it."""
    text, document = [END], [-1]
    for d, tokens in enumerate(docs):
        text += [*tokens, END]
        document += [d] * (len(tokens) + 1)
    number = numbers(docs)
    run = [0] * len(text)
    fresh = 1
    inner = [i for i in range(len(text)) if text[i] is not END]
    place = {p: r for r, p in enumerate(sorted(inner, key=lambda i: [number[t] for t in text[i:]]))}
    classes = {}
    for p in inner:
        for e in range(p + 1, len(text)):
            if END in text[p:e]:
                break
            classes.setdefault((e - p, tuple(text[p:e])), []).append(p)

    def owner(p):
        return p if owners is None else owners[document[p]]

    def fits(p, n):
        inside = any(run[p : p + n]) or run[_guard(text, p, -1)] or run[_guard(text, p + n - 1, 1)]
        return not inside

    def turn_of(item):
        (n, w), members = item
        size = (0, -n) if n > turn else (1, -sum(map(len, w)))
        return (*size, min(place[p] for p in members))

    for (n, w), members in sorted(classes.items(), key=turn_of):
        if sum(map(len, w)) < min_length or not any(map(solid, w)):
            continue
        at = sorted(members, key=place.get)
        visible = [p for p in at if run[p] and run[p + n - 1] == run[p]]
        free = [p for p in at if not run[p] and fits(p, n)]
        if len({owner(p) for p in visible + free}) < k:
            continue
        placed = []
        for p in free:
            if fits(p, n):
                run[p : p + n] = [fresh] * n
                fresh += 1
                placed.append(p)
        if len({owner(p) for p in visible + placed}) < k:
            again = [p for p in at if run[p] and run[p + n - 1] == run[p]]
            if len({owner(p) for p in again}) < k:
                for p in placed:
                    run[p : p + n] = [0] * n
    shown = [t if t is END or run[i] else "*" * len(t) for i, t in enumerate(text)]
    out, row = [], ""
    for t in shown[1:]:
        if t is END:
            out.append(row)
            row = ""
        else:
            row += t
    return out


def allowed(tokens, keep, docs, owners, k, min_length):
    """Whether a choice of tokens keeps the promise by original counts, with solid gaps and no bare run."""
    places = list(runs_of(keep))
    for s, e in places:
        run = tokens[s:e]
        if sum(map(len, run)) < min_length or not any(map(solid, run)) or len(owners_of(docs, owners, run)) < k:
            return False
    return all(any(map(solid, tokens[a[1] : b[0]])) for a, b in itertools.pairwise(places))


def exponential_optimum(tokens, docs, owners, k, min_length=1):
    """Most characters any such choice can keep: tries all of them."""
    best = 0
    for keep in itertools.product((True, False), repeat=len(tokens)):
        size = sum(len(t) for t, kept in zip(tokens, keep) if kept)
        if size > best and allowed(tokens, list(keep), docs, owners, k, min_length):
            best = size
    return best


def promise_of(shown, cut, owners, k):
    """Runs of released texts (stars for what is hidden) that fewer than k owners see, cut anew."""
    runs, whose = [], []
    for d, text in enumerate(shown):
        for run in text.split("*"):
            if run:
                runs.append(cut(run))
                whose.append(d if owners is None else owners[d])
    return [run for run in runs if len(owners_of(runs, None if owners is None else whose, run)) < k]
