"""Plain-loop twins of `primitives.markov`."""


def transitions(traces, n_states):
    """Per trace, the list of (from, to) with START = END = n_states."""
    return [list(zip([n_states, *t], [*t, n_states])) for t in traces]


def tally(cells):
    out = {}
    for c in cells:
        if c >= 0:
            out[c] = out.get(c, 0) + 1
    return dict(sorted(out.items()))


def arrivals(chain, longest):
    """Unscaled: probability to visit exactly k more states and then end, by recursion over the definition."""
    n = len(chain) - 1
    rows = [[chain[a][n] for a in range(n)]]
    for _ in range(longest):
        last = rows[-1]
        rows.append([sum(chain[a][b] * last[b] for b in range(n)) for a in range(n)])
    return rows
