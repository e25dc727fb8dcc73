"""Plain twin of the n-gram tree's counting: which grams start where, in lists."""


def continuations(sequences, complete, gram, n_symbols):
    """How often every symbol, and the end, follows a gram."""
    counts = [0] * (n_symbols + 1)
    for sequence, whole in zip(sequences, complete):
        marked = list(sequence) + ([n_symbols] if whole else [])
        for start in range(len(sequence)):
            if tuple(marked[start : start + len(gram)]) == tuple(gram) and start + len(gram) < len(marked):
                counts[marked[start + len(gram)]] += 1
    if not gram:
        counts[n_symbols] = 0
    return counts
