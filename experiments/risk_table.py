"""Unicity before, attack success after: every family and method on real data, in one table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sequester as sq
from experiments import risk_data

TITLE = "Risk before and after"
PAPER = "none; attacks as in Giomi et al. 2023 (main, control, baseline), unicity as in de Montjoye et al. 2013"
NOTE = """`unicity` is the share of people alone with four known points of the original (text: substrings of twelve
characters, four and one). `success` is an attack's rate on the release with its 95 % interval, `control` the same
attack on people held out of a second run, `baseline` a blind guess, `bound` what the promise allows; where `covered`
is no, the promise names this attack among what it does not cover and the bound is only a yardstick. A Fitbit week and
an ECG piece count as a person here, for want of more people; with so few, differentially private releases at epsilon
1 are mostly noise and stand here for their risk alone. Own moments, membership and inference are tried on the second
run. Membership is told at 10 % and, where at least 100 strangers are there, at 1 % false alarms. `events-ngram-dp` is
given the sixteen activities of the sepsis log as a codebook, as if they were public."""

SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("k-repeats", {"k": 4}),
    ("word-frequency", {"k": 4}),
    ("kapra", {"k": 10, "p": 5}),
    ("kp-naive", {"k": 10, "p": 5}),
    ("tga", {"k": 10}),
    ("bfp2ka", {"k": 10, "level": 3}),
    ("mcka", {"k": 5}),
    ("mcka", {"k": 5, "exact": True}),
    ("mcka", {"k": 5, "literal": True}),
    ("mdav-ka", {"k": 5}),
    ("mcdp", {"k": 10, "epsilon": 1.0}),
    ("mdav-dp", {"k": 10, "epsilon": 1.0}),
    ("activity-dp", {"epsilon": 1.0, "delta": 1e-6, "force": True, "calibration_people": 256}),
    ("markov-ratio", {"epsilon": 0.35}),
    ("markov-dp", {"epsilon": 1.0, "delta": 1e-6, "people_at_least": 1000, "dates": "2013-01-01..2015-12-31",
                   "force": True}),
    ("events-ngram-dp", {"epsilon": 1.0, "n_max": 5, "l_max": 20, "objects": 1050}),
    ("ngram-k", {"k": 5, "n": 5, "unit": "occurrence"}),
    ("ngram-k", {"k": 5, "n": 5, "unit": "person"}),
    ("ngram-copy", {"k": 5, "n": 5}),
    ("ngram-dp", {"epsilon": 1.0, "n_max": 5, "l_max": 100, "average": "symbol"}),
)  # fmt: skip


def run() -> Iterator[dict[str, Any]]:
    """Rows: one per method and attack."""
    corpus, labels = risk_data.meddocan()
    sources: dict[str, list[tuple[str, Any]]] = {
        "text": [("MEDDOCAN", corpus)],
        "series": [("walk", risk_data.walk()), ("motion", risk_data.motion())],
        "activity": [("fitbit weeks", risk_data.fitbit_weeks())],
        "events": [("sepsis", risk_data.sepsis())],
        "symbols": [("ECG pieces", risk_data.ecg())],
    }
    before = {(kind, name): sq.assess(data) for kind, sets in sources.items() for name, data in sets}
    for name, data, more in (
        ("sepsis", sources["events"][0][1], {"precision": "order"}),
        ("sepsis", sources["events"][0][1], {"precision": "second"}),
        ("BPIC 2011", risk_data.bpic(), {}),
        ("MEDDOCAN", corpus, {"knowledge": 4}),
    ):
        yield from _unicity(name, data, sq.assess(data, **more))
    for (kind, name), found in before.items():
        yield from _unicity(name, dict(sources[kind])[name], found)
    with TemporaryDirectory() as folder:
        codebook = Path(folder) / "states.txt"
        codebook.write_text("\n".join(sources["events"][0][1].state_names) + "\n", "utf-8")
        for method_id, parameters in SETTINGS:
            kind = sq.method_class(method_id).accepts.kind  # type: ignore[attr-defined]
            more = {"codebook": str(codebook)} if method_id == "events-ngram-dp" else {}
            for name, data in sources[kind]:
                yield from _attacks(method_id, parameters | more, name, data, before[kind, name], labels)


def tables(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The originals; the strongest attack on each method; all attacks."""
    originals = [{c: r[c] for c in ("data", "people", "unicity", "says")} for r in rows if r["method"] == "original"]
    attacks = [r for r in rows if r.get("attack") not in (None, "refused")]
    strongest = []
    for key in dict.fromkeys((r["data"], r["method"], r["parameters"]) for r in attacks):
        mine = [r for r in attacks if (r["data"], r["method"], r["parameters"]) == key]
        bounded = [r for r in mine if r["covered"] == "yes"]
        told = dict(zip(("data", "method", "parameters"), key, strict=True)) | {"attacks": len(mine)}
        told["covered bounds kept"] = (
            f"{sum(r['within'] == 'yes' for r in bounded)} of {len(bounded)}" if bounded else "none set"
        )
        worst = max(mine, key=lambda r: (r["success"] or 0) - max(r["control"] or 0, r["baseline"] or 0))
        told |= {"furthest above control and baseline": worst["attack"]}
        strongest.append(told | {c: worst[c] for c in ("success", "control", "baseline", "bound", "covered")})
    shown = ("data", "method", "parameters", "attack", "success", "interval", "control", "baseline", "bound", "covered",
             "within")  # fmt: skip
    out = {
        "Originals": originals,
        "The strongest attack on each method": strongest,
        "All attacks": [{c: r.get(c) for c in shown} for r in attacks],
    }
    refused = [{c: r[c] for c in ("data", "method", "says")} for r in rows if r.get("attack") == "refused"]
    return out | ({"Refused": refused} if refused else {})


def _unicity(name: str, data: Any, found: Any) -> Iterator[dict[str, Any]]:
    yield {"data": name, "people": data.n_people, "method": "original", "unicity": found["unicity"],
           "says": found.summary.split(" (95")[0] + "."}  # fmt: skip


def _attacks(
    method_id: str, parameters: dict[str, Any], name: str, data: Any, before: Any, labels: Any
) -> Iterator[dict[str, Any]]:
    method = sq.method_class(method_id)(**parameters)
    shown = " ".join(
        f"{k}={v}" for k, v in parameters.items() if k in ("k", "p", "epsilon", "exact", "literal", "unit")
    )
    told = {"data": name, "people": data.n_people, "method": method_id, "parameters": shown}
    begun = time.perf_counter()
    try:
        release = sq.anonymize(data, method, seed=1)
    except sq.SequesterError as error:
        yield told | {"attack": "refused", "says": str(error)}
        return
    more: dict[str, Any] = {"labels": labels} if data.kind == "text" else {}
    found = sq.attack(release, data, sample=200, seed=0, **more)
    seconds = time.perf_counter() - begun
    for row in found.rows["attacks"]:
        low, high = row["low"], row["high"]
        yield told | {
            "unicity": before["unicity"],
            "attack": row["attack"],
            "success": row["success"],
            "interval": f"{low:.3f} to {high:.3f}",
            "control": row["control"],
            "baseline": row["baseline"],
            "bound": row["bound"],
            "covered": {True: "yes", False: "no", None: None}[row["covered"]],
            "within": _within(row),
            "seconds": seconds,
        }


def _within(row: dict[str, Any]) -> str | None:
    """Whether a bound was kept; one that the promise excludes by name may be beaten, and then the table says so."""
    if row["bound"] is None:
        return None
    if row["low"] <= row["bound"] + 1e-12:
        return "yes"
    return "BEATEN" if row["covered"] else "no, as `not_covered` says"


if __name__ == "__main__":
    import json

    for each in run():
        print(json.dumps(each, ensure_ascii=False), flush=True)
