"""The data behind the risk table: one set of people per kind, from the files in SEQUESTER_DATA."""

from __future__ import annotations

import gzip
import json
from typing import Any

import numpy as np

from experiments.steps import DATA
from sequester.model import Activities, Corpus, EventLog, Series, SymbolSeries


def meddocan(notes: int = 1000) -> tuple[Corpus, list[dict[str, Any]]]:
    """Spanish clinical cases with labelled private spans."""
    with gzip.open(DATA / "deid_meddocan_es" / "meddocan.jsonl.gz", "rt", encoding="utf8") as file:
        rows = [json.loads(line) for line in file][:notes]
    labels = [{"document": r["id"], "spans": [s[:2] for s in r["spans"]]} for r in rows]
    return Corpus.from_texts([r["text"] for r in rows], documents=[r["id"] for r in rows]), labels


def walk(records: int = 2000) -> Series:
    """Pieces of a random walk; the sensitive value is the next one, as income of the next year is in the paper."""
    x = np.cumsum(np.random.default_rng(0).standard_normal(65536))
    x = (x - x.min()) / (x.max() - x.min())
    pieces = np.lib.stride_tricks.sliding_window_view(x, 11)[::10][:records]
    return Series(values=pieces[:, :10], sensitive={"next": pieces[:, 10]})


def motion(records: int = 2000) -> Series:
    """Frames of motion capture, ten channels; the sensitive value is another channel."""
    import pandas as pd

    table = pd.read_csv(DATA / "cmu_mocap" / "motion_frames.csv.gz").iloc[:20352]
    values = table.drop(columns=["clip", "frame"])
    values = (values - values.min()) / (values.max() - values.min())
    rng = np.random.default_rng(0)
    chosen = rng.permutation(values.shape[1])[:11]
    rows = np.sort(rng.permutation(len(values))[:records])
    part = values.to_numpy()[np.ix_(rows, chosen)]
    return Series(values=part[:, :10], sensitive={"channel": part[:, 10]})


def fitbit_weeks() -> Activities:
    """Minute intensities: every whole week (Monday to Sunday) of a person counts as a person here."""
    import pandas as pd

    table = pd.read_csv(DATA / "fitbit_minutes" / "minuteIntensitiesWide_merged.csv.gz")
    table["t"] = pd.to_datetime(table.ActivityHour, format="%m/%d/%Y %H:%M")
    table = table.sort_values(["Id", "t"])
    minutes = table.filter(like="Intensity").to_numpy().astype(np.uint8)
    week = (table.t.dt.normalize() - pd.to_timedelta(table.t.dt.weekday, unit="D")).to_numpy()
    hour = ((table.t.to_numpy() - week) / np.timedelta64(1, "h")).astype(int)
    rows, names = [], []
    for (person, start), at in table.reset_index(drop=True).groupby([table.Id.to_numpy(), week]).groups.items():
        if len(at) >= 160:
            states = np.full((168, 60), 4, dtype=np.uint8)
            states[hour[at]] = minutes[at]
            rows.append(states.reshape(-1))
            names.append(f"{person}-{start}")
    state_names = ("sedentary", "light", "fair", "very", "missing")
    return Activities(names_public=True, states=np.array(rows), state_names=state_names, persons=names)


def sepsis() -> EventLog:
    """Hospital cases of sepsis, times in seconds."""
    import pandas as pd

    table = pd.read_csv(DATA / "hospital_event_logs" / "sepsis.csv.gz", dtype={"case_id": str}, low_memory=False)
    state = "activity" if "activity" in table.columns else table.columns[1]
    return _log(table, "case_id", state, pd.to_datetime(table["timestamp"]), "second")


def bpic() -> EventLog:
    """Cases of a hospital, days only; the order of rows is the order of events."""
    import pandas as pd

    table = pd.read_csv(DATA / "hospital_event_logs" / "hospital_bpic2011.csv.gz", dtype={"case_id": str})
    state = next(c for c in table.columns if c.lower() in ("activity", "event", "concept_name", "concept:name"))
    return _log(table, "case_id", state, pd.to_datetime(table["date"]), "day")


def _log(table: Any, person: str, state: str, times: Any, unit: str) -> EventLog:
    names, codes = np.unique(table[state].astype(str).to_numpy(), return_inverse=True)
    people, owner = np.unique(table[person].astype(str).to_numpy(), return_inverse=True)
    seconds = times.dt.tz_localize(None).to_numpy().astype("datetime64[s]").astype(np.int64)
    order = np.lexsort((np.arange(len(owner)), seconds, owner))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner))])
    return EventLog(
        names_public=True,
        offsets=offsets, states=codes[order], state_names=tuple(names), times=seconds[order], time_unit=unit,
        persons=people,
    )  # fmt: skip


def ecg(seconds: int = 15) -> SymbolSeries:
    """Record 106 cut into pieces, each symbolized by itself and counted as a person."""
    import wfdb

    signal = wfdb.rdrecord(str(DATA / "mitbih" / "106")).p_signal[:, 0]
    size = seconds * 360
    pieces = signal[: len(signal) // size * size].reshape(-1, size)
    means = pieces.reshape(len(pieces), -1, 10).mean(axis=2)
    z = (means - means.mean(axis=1, keepdims=True)) / means.std(axis=1, keepdims=True)
    codes = np.searchsorted([-0.6744897501960817, 0.0, 0.6744897501960817], z, side="right")
    return SymbolSeries(
        names_public=True,
        symbols=codes.reshape(-1),
        offsets=np.arange(len(codes) + 1) * codes.shape[1],
        alphabet=("1", "2", "3", "4"),
    )
