"""Plain-loop twin of the rule for a device that is not worn: epoch by epoch."""


def not_worn(counts, epochs, tolerance, spike):
    out = [False] * len(counts)
    i = 0
    while i < len(counts):
        if counts[i] != 0:
            i += 1
            continue
        j = end = i
        small = 0
        while j < len(counts) and (counts[j] == 0 or (0 < counts[j] <= spike and small < tolerance)):
            if counts[j] == 0:
                small, end = 0, j
            else:
                small += 1
            j += 1
        if end - i + 1 >= epochs:
            out[i : end + 1] = [True] * (end - i + 1)
        i = end + 1
    return out


def choi(counts, epochs=90, tolerance=2, beside=30):
    """The rule of Choi et al. 2011, minute by minute: short movement between long stillness is called still first."""
    n = len(counts)
    still = [c == 0 for c in counts]
    for start in range(n):
        for end in range(start + 1, min(start + tolerance, n - beside) + 1):
            moved = all(c > 0 for c in counts[start:end])
            before = start >= beside and all(c == 0 for c in counts[start - beside : start])
            after = all(c == 0 for c in counts[end : end + beside])
            if moved and before and after:
                still[start:end] = [True] * (end - start)
    out = [False] * n
    for start in range(n):
        for end in range(start + epochs, n + 1):
            if not all(still[start:end]):
                break
            out[start:end] = [True] * (end - start)
    return out
