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
