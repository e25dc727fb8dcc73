"""Bundles of every kind made by hand, some with hostile text, so that pages can be tested without any method."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa

from sequester.dp.ledger import Ledger
from sequester.query.bundle import Bundle
from sequester.release import Guarantee

EVIL = "<script>document.title='run'</script>"
EVIL_ATTRIBUTE = '"><img src=x onerror="document.title=1">'


def bundle(kind, tables, *, parameters=None, promise=None, ledger=None, status="verified"):
    """An opened bundle with these tables; nothing is on disk."""
    guarantee = Guarantee(
        model="made-up",
        level="5-anonymity",
        parameters=promise or {"k": 5},
        unit="person",
        status=status,
        statement="Every released group is shared by at least 5 people.",
        not_covered=("Several releases of the same people.", "Differential privacy."),
    )
    manifest = {
        "format": "sequester/1",
        "created_with": "sequester 0",
        "kind": kind,
        "method": {"id": "made-up", "parameters": parameters or {"k": 5}, "paper": "none"},
        "guarantee": guarantee.to_json(),
        "ledger": ledger.to_json() if ledger else None,
        "files": [
            {"path": f"data/{n}.parquet", "rows": t.num_rows, "bytes": t.nbytes, "sha256": "0", "table": n,
             "format": "parquet", "schema": {f.name: str(f.type) for f in t.schema}}
            for n, t in tables.items()
        ],
        "layout": {"series": "boxes", "activity": "states", "events": "log", "symbols": "grams",
                   "text": "documents"}[kind],
        "pages": [],
        "publication": {"title": "made"},
        "reading": [],
        "verification": {
            "beside_original": 0,
            "checked": [{"name": "group sizes", "passed": True, "detail": "0 of 12 groups are too small"}],
            "result": "confirmed",
            "basis": "release alone",
        },
        "teaching_only": False,
    }  # fmt: skip
    made = Bundle(Path("made.bundle"), manifest)
    made.__dict__["tables"] = tables
    return made


def series(label="outcome"):
    rng = np.random.default_rng(0)
    columns = {"record": [], "group": [], "pattern": [], "level": [], label: []}
    times = [f"t{j}" for j in range(12)]
    for t in times:
        columns |= {f"{t}_lo": [], f"{t}_hi": []}
    for g in range(9):
        low = 60 + 10 * np.sin(np.arange(12) / 3 + g) + rng.normal(0, 2, 12)
        for i in range(6 + g % 3):
            columns["record"].append(len(columns["record"]) + 1)
            columns["group"].append(g + 1)
            columns["pattern"].append(("aabbccddccbb", "ddccbbaabbcc")[i % 2])
            columns["level"].append(4)
            columns[label].append("alive")
            for j, t in enumerate(times):
                columns[f"{t}_lo"].append(low[j])
                columns[f"{t}_hi"].append(low[j] + 12)
    return bundle("series", {"records": pa.table(columns)}, promise={"k": 6, "p": 3}, parameters={"k": 6, "p": 3})


def activity(names=("rest", "walk", "run", "missing")):
    rng = np.random.default_rng(0)
    hours = np.arange(1440) / 60
    awake = (hours > 7) & (hours < 23)
    rows = []
    for _ in range(80):
        walk = rng.random(1440) < np.where(awake, 0.4, 0.02)
        run = rng.random(1440) < np.where((hours > 17) & (hours < 19), 0.3, 0.01)
        rows.append(np.where(run, 2, np.where(walk, 1, 0)).astype(np.uint8))
    tables = {
        "sequences": pa.table(
            {"record": np.arange(80), "cluster": np.arange(80) // 8, "states": pa.array(rows, pa.list_(pa.uint8()))}
        ),
        "states": pa.table({"code": np.arange(len(names), dtype=np.uint8), "name": list(names)}),
        "calendar": pa.table({"start": [datetime.datetime(2000, 1, 3)], "interval_seconds": [60], "intervals": [1440]}),
    }
    return bundle("activity", tables)


def events(states=("Admission", "Triage", "Laboratory", "Ward", "Intensive care", "Surgery", "Discharge")):
    rng = np.random.default_rng(0)
    rows = {"object": [], "time": [], "state": []}
    for o in range(200):
        path = [0, 1, *rng.choice([2, 3, 2, 3, 4, 5], rng.integers(1, 7)), 6]
        at = datetime.datetime(2026, 1, 1) + datetime.timedelta(hours=int(rng.integers(0, 5000)))
        for s in path:
            rows["object"].append(o + 1)
            rows["time"].append(at)
            rows["state"].append(states[s])
            at += datetime.timedelta(hours=float(rng.exponential(9)))
    ledger = Ledger.zcdp(epsilon=1.0, delta=1e-6)
    for name, share in (("states", 0.15), ("transitions", 0.5), ("lengths", 0.1), ("gaps", 0.2)):
        ledger.spend(name, ledger.total * share, sensitivity=1, scale=5)
    return bundle("events", {"events": pa.table(rows)}, ledger=ledger, status="proved")


def symbols(alphabet="abcd"):
    rng = np.random.default_rng(0)
    rows = {"order": [], "gram": [], "count": []}
    for order in (1, 2, 3):
        for code in range(len(alphabet) ** order):
            rows["order"].append(order)
            rows["gram"].append(" ".join(alphabet[code // len(alphabet) ** j % len(alphabet)] for j in range(order)))
            rows["count"].append(int(5 + rng.pareto(0.7) * 10))
    return bundle("symbols", {"ngrams": pa.table(rows)})


def text(texts=None):
    texts = texts or [
        f"The patient ★★★★★★★★★ was admitted with chest pain {EVIL} and ★★★★ troponin. No known allergies. "
        f"Discharged on day {i} in ★★★★★★★ condition." * 3
        for i in range(6)
    ]
    documents = pa.table({"document": [str(i) for i in range(len(texts))], "text": texts})
    return bundle("text", {"documents": documents}, parameters={"k": 5, "mask": "★", "spans": None})


ALL = {"series": series, "activity": activity, "events": events, "symbols": symbols, "text": text}

EVIDENCE = {
    "activity": {
        "day": [
            {"state": s, "hour": h / 2, "before": (h % 7) / 7 / 2, "after": (h % 6) / 6 / 2}
            for s in ("rest", "walk") for h in range(48)
        ]
    },
    "events": {
        "directly_follows": [
            {"from": a, "to": b, "before": 100 - 10 * i, "after": 90 - 9 * i}
            for i, (a, b) in enumerate([("Admission", "Triage"), ("Triage", "Ward"), ("Ward", "Ward"),
                                        ("Ward", "Surgery"), ("Surgery", "Ward"), ("Ward", "Discharge")])
        ]
    },
    "symbols": {
        "loss against k": [{"k": k, "apil": 0.001 * k, "aeil": 0.0004 * k} for k in (5, 10, 20, 50)],
        "orders": [{"order": n, "total_variation": 0.01 * n} for n in (1, 2, 3)],
    },
    "series": {},
    "text": {
        "covers": [
            {"k": k, "cover": c, "kept": (0.9 if c == "optimal" else 0.8) - 0.03 * k, "recall": 0.5 + 0.04 * k}
            for c in ("optimal", "greedy") for k in (2, 4, 8, 10)
        ]
    },
}  # fmt: skip
RISK = [
    {"about": "assess", "saw_original": True, "summary": "4 points single out 91 % of people.",
     "rows": {"unicity": [{"points": p, "unique": 1 - 0.5**p, "low": 0.9 - 0.5**p, "high": min(1, 1.05 - 0.5**p)}
                          for p in range(1, 8)]}},
    {"about": "attack", "saw_original": True, "summary": "No attack beats guessing.",
     "rows": {"attacks": [{"attack": "linkage by values", "success": 0.12, "control": 0.1, "baseline": 0.1},
                          {"attack": "membership", "success": 0.52, "control": 0.5, "baseline": 0.5}]}},
    {"about": "tune", "saw_original": True, "summary": "",
     "rows": {"settings": [
         {"method": "kapra", "grade": "verified", "setting": {"k": k}, "promise": f"{k}-anonymity", "verdict": "Fine.",
          "certain": {"pairs": None, "hits": None, "one_in": k, "one_in_pattern": None, "says": f"One in {k}."},
          "pairs": 0.5 + 0.5 / k, "within": 0.02, "coin": 0.5, "people": 400, "axis": "values", "figures": ["values"],
          "use": {"values": {"distance": 0.02 * k, "halves": 0.1, "ratio": 0.2 * k}}} for k in (2, 5, 10, 20)]}},
]  # fmt: skip


def evidence(kind):
    """Private evidence about a made-up bundle."""
    measured = {
        "about": "measure",
        "saw_original": True,
        "summary": "Most of it is left.",
        "figures": [{"name": "loss", "value": 0.123456, "better": "lower", "says": "Share of the range that is lost."}],
        "rows": EVIDENCE[kind],
    }
    return [measured, *RISK]
