"""Walks through an ensemble of laws as plain loops: rows in a dictionary, the same random numbers as the kernels."""

import datetime

DAY, HOUR = 86400, 3600
TRIES = 100


def key(family, cluster, value, row):
    """Family, cluster (24 bits, from -1), value (10 bits, -1 as 0) and row (24 bits) side by side."""
    return (((family << 24) + cluster + 1) * 1024 + max(value, 0)) * 2**24 + row


class Table:
    """Laws with their rows in a dictionary."""

    def __init__(self, laws):
        self.rows = {int(k): int(r) for k, r in laws.slots if k != -1}
        self.bounds, self.items, self.totals = laws.bounds.tolist(), laws.items.tolist(), laws.totals.tolist()
        self.shares = laws.shares.tolist()

    def find(self, *parts):
        return self.rows.get(key(*parts))

    def entries(self, row):
        return range(self.bounds[row], self.bounds[row + 1])

    def count(self, e, row):
        return self.totals[e] - (self.totals[e - 1] if e > self.bounds[row] else 0)

    def total(self, row):
        return self.totals[self.bounds[row + 1] - 1]

    def fitting(self, families, cluster, values, row):
        """Rows of all families that know cluster and value."""
        found = []
        for f, (by_cluster, factor) in enumerate(zip(families.by_cluster, families.factor, strict=True)):
            value = int(values[factor]) if factor >= 0 else -1
            if (factor >= 0 and value < 0) or (by_cluster and cluster < 0):
                continue
            r = self.find(f, cluster if by_cluster else -1, value, row)
            if r is not None:
                found.append(r)
        return found

    def entry(self, stream, row):
        u = stream.random() * self.total(row)
        return next(e for e in self.entries(row) if self.totals[e] > u)

    def pick(self, stream, rows):
        return self.entry(stream, rows[int(stream.random() * len(rows))])

    def draw(self, stream, families, cluster, values, row, lossy=False):
        """An entry, or None."""
        rows = self.fitting(families, cluster, values, row)
        if not rows or (lossy and stream.random() >= max(self.shares[r] for r in rows)):
            return None
        return self.pick(stream, rows)


def set_moment(values, t, clocked):
    if clocked:
        values[1], values[2] = (t // DAY + 3) % 7, t % DAY // HOUR


def set_season(values, t, clocked, year0):
    set_moment(values, t, clocked)
    if clocked:
        date = datetime.date(1970, 1, 1) + datetime.timedelta(days=t // DAY)
        values[3], values[4] = date.month - 1, min(max(date.year - year0, 0), 1023)
