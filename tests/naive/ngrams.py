"""Plain twins of the n-gram kernels: dictionaries of tuples, exact fractions, no cleverness."""

from collections import Counter, defaultdict
from fractions import Fraction


def grams_of(series, n):
    """How often every n-gram occurs inside the series."""
    return Counter(tuple(s[i : i + n]) for s in series for i in range(len(s) - n + 1))


def tables_of(series, n):
    """Order → its grams."""
    return {m: dict(grams_of(series, m)) for m in range(1, n + 1)}


def owners_of(series, owners, n, cap=None):
    """Gram → (count with at most `cap` per owner, distinct owners)."""
    per_owner = defaultdict(Counter)
    for s, owner in zip(series, owners):
        for i in range(len(s) - n + 1):
            per_owner[tuple(s[i : i + n])][owner] += 1
    return {g: (sum(min(c, cap or c) for c in by.values()), len(by)) for g, by in per_owner.items()}


def derive_lower(top, n):
    """Order → grams, from the grams of order n alone."""
    tables = {n: dict(top)}
    for m in range(n - 1, 0, -1):
        heads, tails = Counter(), Counter()
        for g, c in tables[m + 1].items():
            heads[g[:-1]] += c
            tails[g[1:]] += c
        tables[m] = {h: max(heads[h], tails[h]) for h in heads | tails}
    return tables


def largest_remainder(d, weights):
    """Whole shares of d by weight (symbol → weight); ties to the smallest symbol."""
    total = sum(weights.values())
    shares = {x: d * w // total for x, w in weights.items()}
    rest = d - sum(shares.values())
    for x in sorted(weights, key=lambda x: (-(d * weights[x] % total), x))[:rest]:
        shares[x] += 1
    return shares


def lift(tables, k, literal=False, original_frequencies=False, fractions=False, sweep=True):
    """(lifted tables, grams lifted): the lifting loop written out, with exact numbers."""
    n = max(tables)
    now = {m: {g: (Fraction(c) if fractions else c) for g, c in tables[m].items()} for m in tables}
    lifted = 0
    while True:
        rare = sorted(g for g, c in now[n].items() if c < k)
        if not rare:
            break
        g = rare[0]
        lifted += 1
        d = k - (tables[n][g] if literal else now[n][g])
        source = tables[n] if original_frequencies else now[n]
        shares = []
        if n > 1:
            for margins in (
                {m[0]: c for m, c in source.items() if m[1:] == g[:-1]},
                {m[-1]: c for m, c in source.items() if m[:-1] == g[1:]},
            ):
                total = sum(margins.values())
                if not margins:
                    shares.append({})
                elif fractions:
                    shares.append({x: Fraction(d) * c / total for x, c in margins.items()})
                else:
                    shares.append(largest_remainder(d, margins))
        now[n][g] = k if literal else now[n][g] + d
        for m in range(1, n):
            for i in range(n - m + 1):
                now[m][g[i : i + m]] += d
        for x, share in shares[0].items() if n > 1 else ():
            for m in range(1, n + 1):
                now[m][((x, *g))[:m]] += share
        for y, share in shares[1].items() if n > 1 else ():
            for m in range(1, n + 1):
                now[m][((*g, y))[-m:]] += share
    if sweep:
        sweep_up(now, k)
    return now, lifted


def sweep_up(now, k):
    """Lift what is rare below the longest order, longest first, with all it holds; returns how many there were."""
    swept = 0
    for m in range(max(now) - 1, 0, -1):
        for h in sorted(now[m]):
            if now[m][h] < k:
                d = k - now[m][h]
                for size in range(1, m + 1):
                    for i in range(m - size + 1):
                        now[size][h[i : i + size]] += d
                swept += 1
    return swept


def lift_reaching(tables, k, reach, sweep=True):
    """The lifting whose additions go on, share by share, to the margins' own margins; then lower orders are swept."""
    n = max(tables)
    now = {m: dict(tables[m]) for m in tables}
    lifted = 0
    for g in sorted(now[n]):
        if now[n][g] >= k:
            continue
        lifted += 1
        d = k - now[n][g]
        for m in range(1, n + 1):
            for i in range(n - m + 1):
                now[m][g[i : i + m]] += d
        for forwards in (False, True):
            present = {g: d}
            for _ in range(reach if n > 1 else 0):
                later = {}
                for at, amount in present.items():
                    beside = {
                        other: c
                        for other, c in sorted(now[n].items())
                        if (other[:-1] == at[1:] if forwards else other[1:] == at[:-1])
                    }
                    if beside:
                        for other, share in largest_remainder(amount, beside).items():
                            if share:
                                later[other] = later.get(other, 0) + share
                for other, share in later.items():
                    for m in range(1, n + 1):
                        now[m][other[-m:] if forwards else other[:m]] += share
                present = later
    if sweep:
        sweep_up(now, k)
    return now, lifted
