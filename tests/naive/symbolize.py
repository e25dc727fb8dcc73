"""Plain twin of symbolization: lists and loops."""

import math
from statistics import NormalDist


def symbolize(signal, window, n_symbols, way):
    """Codes of a signal's windows; -1 where all is missing."""
    present = [x for x in signal if not math.isnan(x)]
    if way == "sax" and present:
        mean = math.fsum(present) / len(present)
        sd = math.sqrt(math.fsum((x - mean) ** 2 for x in present) / len(present))
        signal = [(x - mean) / sd if sd > 1e-9 else (math.nan if math.isnan(x) else 0.0) for x in signal]
    means = []
    for start in range(0, len(signal) - window + 1, window):
        inside = [x for x in signal[start : start + window] if not math.isnan(x)]
        means.append(math.fsum(inside) / len(inside) if inside else math.nan)
    known = sorted(x for x in means if not math.isnan(x))
    breaks = []
    for i in range(1, n_symbols):
        if way == "sax":
            breaks.append(NormalDist().inv_cdf(i / n_symbols))
        elif not known:
            breaks.append(i / n_symbols)
        elif way == "equal-width":
            breaks.append(known[0] + (i / n_symbols) * (known[-1] - known[0]))
        else:
            at = (i / n_symbols) * (len(known) - 1)
            low = math.floor(at)
            high = min(low + 1, len(known) - 1)
            breaks.append(known[low] + (at - low) * (known[high] - known[low]))
    return [-1 if math.isnan(x) else sum(x >= b - 1e-12 for b in breaks) for x in means]
