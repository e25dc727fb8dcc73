"""Five sources as people really have them, made up from a seed."""

from __future__ import annotations

import csv
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np


def activity_counts(place: Path, seed: int = 0, n_people: int = 12) -> Path:
    """A folder of one CSV per person: a count a minute, each person in another year, 15 to 17 days."""
    rng = np.random.default_rng(seed)
    folder = place / "cohort"
    folder.mkdir(parents=True)
    for i in range(n_people):
        start = datetime(2012 + i % 6, 1 + i % 12, 3 + i, 14, 37)
        n = int(rng.integers(15, 18)) * 1440
        hours = (np.arange(n) + 14 * 60 + 37) // 60 % 24
        awake = (hours >= 7) & (hours < 23)
        counts = np.where(awake & (rng.random(n) < 0.5), rng.gamma(1.2, 300, n).astype(int), rng.poisson(0.2, n))
        with (folder / f"subject_{i:02d}.csv").open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["timestamp", "date", "activity"])
            for j, c in enumerate(counts.tolist()):
                t = start + timedelta(minutes=j)
                out.writerow([t.strftime("%Y-%m-%d %H:%M:%S"), t.strftime("%Y-%m-%d"), c])
    return folder


def visits(place: Path, seed: int = 0, n_people: int = 40) -> Path:
    """Events with a case number per visit and a patient number: 40 patients, some 30 visits each."""
    rng = np.random.default_rng(seed)
    path = place / "visits.csv"
    place.mkdir(parents=True, exist_ok=True)
    steps = ("REGISTRATION", "TRIAGE", "LAB", "IMAGING", "WARD", "DISCHARGE")
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["case_id", "patient_id", "timestamp", "activity"])
        case = 0
        for p in range(n_people):
            at = datetime(2023, 1, 1) + timedelta(days=float(rng.uniform(0, 60)))
            for _ in range(int(rng.integers(20, 40))):
                case += 1
                for step in steps[: int(rng.integers(3, 7))]:
                    out.writerow([f"C{case:05d}", f"P{p:03d}", at.strftime("%Y-%m-%d %H:%M:%S"), step])
                    at += timedelta(minutes=float(rng.exponential(90)))
                at += timedelta(days=float(rng.exponential(10)))
    return path


def japanese_reports(place: Path, seed: int = 0, n_people: int = 15) -> Path:
    """Reports in Japanese as a CSV in the encoding of an older hospital system."""
    rng = np.random.default_rng(seed)
    path = place / "reports.csv"
    place.mkdir(parents=True, exist_ok=True)
    parts = (
        "胸部X線では明らかな異常を認めない。",
        "右下肺野に浸潤影を認める。",
        "心拡大なし。",
        "経過観察を推奨する。",
        "前回と比較して著変なし。",
    )
    with path.open("w", newline="", encoding="shift_jis") as file:
        out = csv.writer(file)
        out.writerow(["患者番号", "patient", "report"])
        for i in range(n_people * 3):
            words = "".join(parts[int(k)] for k in rng.integers(0, len(parts), 4))
            out.writerow([f"症例{i}", f"J{i % n_people:02d}", words])
    return path


def headerless_matrix(place: Path, seed: int = 0, n_people: int = 40) -> Path:
    """A matrix of numbers apart by blanks, a row per person, no header: as old analysis programs write."""
    rng = np.random.default_rng(seed)
    path = place / "matrix.dat"
    place.mkdir(parents=True, exist_ok=True)
    values = 80 + np.cumsum(rng.normal(0, 3, (n_people, 12)), axis=1)
    path.write_text("".join("  ".join(f"{v:.2f}" for v in row) + "\n" for row in values), "utf-8")
    return path


def recordings(place: Path, seed: int = 0, n_people: int = 8) -> Path:
    """A folder of WFDB records with two leads."""
    rng = np.random.default_rng(seed)
    folder = place / "ecg"
    folder.mkdir(parents=True)
    for i in range(n_people):
        name, n = f"rec{i}", 1500
        beat = 400 * (np.arange(n) % 90 < 6) + rng.integers(-40, 40, n)
        signal = np.stack([beat, np.roll(beat, 3) // 2], axis=1)
        signal.astype("<i2").tofile(folder / f"{name}.dat")
        leads = "".join(f"{name}.dat 16 200(0)/mV 16 0 {signal[0, j]} 0 0 {x}\n" for j, x in enumerate(("MLII", "V5")))
        (folder / f"{name}.hea").write_text(f"{name} 2 100 {n}\n{leads}", "utf-8")
    return folder
