"""Questions to a bundle of activity: how long, when, and from what to what. Never the original."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa

from sequester.errors import InputError, nearest
from sequester.layouts.states import UNOBSERVED, States
from sequester.primitives.rhythm import ONSETS, Recording, daily_minutes, rhythm, scores_of, spreads
from sequester.primitives.two_means import circular, circular_difference, difference
from sequester.query.bundle import Bundle


class ActivityBundle(Bundle):
    """A bundle of activity sequences with durations, the shape of the day, and changes between states."""

    @cached_property
    def released(self) -> States:
        """The tables as arrays."""
        return States.read(self)

    @property
    def state_names(self) -> tuple[str, ...]:
        """What the codes mean."""
        return self.released.names

    @property
    def states(self) -> np.ndarray:
        """Released rows x intervals, codes of states."""
        return self.released.states

    def code(self, state: str) -> int:
        """Code of a state by name."""
        names = self.state_names
        if state not in names:
            close = nearest(state, names)
            hint = f" Did you mean '{close}'?" if close else ""
            raise InputError(f"query: no state '{state}'; there are {', '.join(names)}.{hint}")
        return names.index(state)

    def daily_minutes(self, state: str) -> pa.Table:
        """Minutes per record and day in a state: `record`, `day`, `minutes`; with `exact` means of the cluster."""
        code, record = self.code(state), self.released.record
        minutes = self._minutes([code])[:, code]
        days = np.unique(self.released.times.astype("datetime64[D]"))
        return pa.table(
            {
                "record": np.repeat(record, len(days)),
                "day": np.tile(days, len(record)),
                "minutes": minutes.ravel(),
            }
        )

    def _minutes(self, codes: Sequence[int]) -> np.ndarray:
        """Rows x states x days: minutes in some states, of the row or of its cluster."""
        days, firsts = np.unique(self.released.times.astype("datetime64[D]"), return_index=True)
        out = np.zeros((len(self.states), len(self.state_names), len(days)))
        for code in codes:
            out[:, code] = np.add.reduceat(self.states == code, firsts, axis=1, dtype=np.int64)
        return self.released.with_means(out * self.released.minutes_per_interval, self)

    def profile(self, state: str) -> pa.Table:
        """Share of people in a state by hour of the day: `hour`, `weekday`, `weekend` (null where no such day is).

        Where everybody's days were aligned to their own first one (`align=start`), weekdays mean nothing: there the
        columns are `hour` and `all_days`.
        """
        code = self.code(state)
        hours = self.released.times.astype("datetime64[h]").astype(np.int64)
        weekend = (hours // 24 + 3) % 7 >= 5
        share = (self.states == code).mean(axis=0)
        manifest = {f["name"]: f["value"] for f in self.manifest.get("reading", ())}.get("calendar")
        if isinstance(manifest, dict) and not manifest.get("weekdays", True):
            all_days = [float(share[hours % 24 == h].mean()) if (hours % 24 == h).any() else None for h in range(24)]
            return pa.table({"hour": list(range(24)), "all_days": pa.array(all_days, pa.float64())})

        def mean(where: np.ndarray) -> float | None:
            return float(share[where].mean()) if where.any() else None

        return pa.table(
            {
                "hour": list(range(24)),
                "weekday": pa.array([mean((hours % 24 == h) & ~weekend) for h in range(24)], pa.float64()),
                "weekend": pa.array([mean((hours % 24 == h) & weekend) for h in range(24)], pa.float64()),
            }
        )

    def rhythm(self) -> pa.Table:
        """The usual measures of rest and activity: `measure`, and its `mean` and `sd` over the released rows.

        IS, IV, RA, L5, M10, their onsets, the longest rest, minutes per state and their day-to-day spread, on observed
        time only; states are scored 0, 1, 2 … in their order. Onsets are times of day: their mean and SD are circular.
        """
        found = self._per_row()
        means, sds = zip(*(_mean_and_sd(name, x) for name, x in found.items()), strict=True)
        return pa.table(
            {"measure": list(found), "mean": pa.array(means, pa.float64()), "sd": pa.array(sds, pa.float64())}
        )

    def by_group(self) -> pa.Table:
        """The same measures in every group, and how far each is from the first, with a 95 % interval.

        The interval is Welch's, and a bootstrap for times of day.
        """
        group = self.released.group
        if group is None:
            raise InputError(
                f"query: '{self.path.name}' was not published in groups. Publish it with ‹by=›, or ask without."
            )
        names = sorted(set(group.tolist()))
        rows: dict[str, list] = {c: [] for c in ("measure", "group", "rows", "mean", "sd", "difference", "low", "high")}
        for measure, x in self._per_row().items():
            for name in names:
                own = x[group == name]
                mean, sd = _mean_and_sd(measure, own)
                way = circular_difference if measure in ONSETS else difference
                apart = way(own, x[group == names[0]]) if name != names[0] else None
                for column, value in (
                    ("measure", measure),
                    ("group", name),
                    ("rows", int((~np.isnan(own)).sum())),
                    ("mean", mean),
                    ("sd", sd),
                    ("difference", apart.value if apart else None),
                    ("low", apart.low if apart else None),
                    ("high", apart.high if apart else None),
                ):
                    rows[column].append(value)
        kinds = [pa.string(), pa.string(), pa.int64(), *[pa.float64()] * 5]
        return pa.table({c: pa.array(v, kind) for (c, v), kind in zip(rows.items(), kinds, strict=True)})

    def _per_row(self) -> dict[str, np.ndarray]:
        released = self.released
        recording = Recording(
            states=released.states,
            start=released.start,
            interval_seconds=released.interval_seconds,
            scores=scores_of(released.names, UNOBSERVED),
        )
        out = rhythm(recording)
        mean, within, _ = spreads(daily_minutes(recording))
        if "centroids" in self.tables:  # of rows that are all the same, the means say more about minutes
            observed = list(recording.observed)
            spent = self._minutes(observed)[:, observed].transpose(0, 2, 1) / released.minutes_per_interval
            mean, _, _ = spreads(daily_minutes(recording, spent))
        for i, a in enumerate(recording.observed):
            out[f"minutes of {released.names[a]}"] = mean[:, i]
            out[f"day-to-day SD of {released.names[a]}"] = within[:, i]
        return out

    def transitions(self) -> pa.Table:
        """How often one state follows another from interval to interval: `from`, `to`, `share` (of the from-state)."""
        names = self.state_names
        n = len(names)
        counts = np.zeros((n, n))
        for row in self.states:
            counts += np.bincount(row[:-1].astype(np.int64) * n + row[1:], minlength=n * n).reshape(n, n)
        share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        return pa.table(
            {
                "from": [a for a in names for _ in names],
                "to": [b for _ in names for b in names],
                "share": share.ravel(),
            }
        )


def _mean_and_sd(measure: str, x: np.ndarray) -> tuple[float | None, float | None]:
    """Over the rows that have the measure; None where there are too few, or where times of day have no mean."""
    known = x[~np.isnan(x)]
    if measure in ONSETS:
        mean, sd = circular(known)
        return (None, None) if np.isnan(mean) else (mean, sd if len(known) > 1 else None)
    return float(known.mean()) if len(known) else None, float(known.std(ddof=1)) if len(known) > 1 else None
