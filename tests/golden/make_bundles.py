"""One small bundle per method, made by this edition: `python -m tests.golden.make_bundles` writes them anew.

The noise of differentially private ones comes from the operating system, so every run writes other bundles. From the
first release of sequester on they are never written anew: later versions must open and verify them.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

import sequester as sq

HERE = Path(__file__).parent
BUNDLES, SOURCES = HERE / "bundles", HERE / "sources"
VITALS = ("vitals.csv", {"person": "person", "sensitive": ("stay_days", "outcome")})
NOTES = ("notes.jsonl", {"person": "person", "document": "document", "text": "text"})
WARDS = ("wards.csv", {"person": "person", "state": "state", "time": "time"})
CODED = ("wards.csv", WARDS[1] | {"time_unit": "second", "time_format": "iso"})
ECG = ("ecg.csv", {"person": "person", "symbolize": "sax", "alphabet": 4, "window": 10})
CODEBOOK = SOURCES / "states.txt"
MINUTES = (
    "minutes.csv.gz",
    {"person": "person", "state": "state", "start": "start", "end": "end", "interval": 3600,
     "states": ("stationary", "walking", "running", "missing"),
     "dates": "2024-03-04..2024-03-06", "time_format": "iso"},
)  # fmt: skip
MADE = {
    "activity-dp": ("activity-dp", MINUTES, {"epsilon": 4.0, "delta": 1e-6, "force": True}),
    "bfp2ka": ("bfp2ka", VITALS, {"k": 5, "level": 3}),
    "events-ngram-dp": ("events-ngram-dp", CODED, {"epsilon": 4.0, "l_max": 15, "n_max": 3, "codebook": CODEBOOK}),
    "k-repeats": ("k-repeats", NOTES, {"k": 4}),
    "k-words": ("k-words", NOTES, {"k": 4, "language": "en"}),
    "kapra": ("kapra", VITALS, {"k": 5, "p": 3}),
    "kp-naive": ("kp-naive", VITALS, {"k": 5, "p": 3}),
    "markov-dp": ("markov-dp", CODED, {"epsilon": 4.0, "delta": 1e-6, "people_at_least": 300, "codebook": CODEBOOK,
                                       "dates": "2024-01-01..2025-12-31"}),
    "markov-ratio": ("markov-ratio", WARDS, {"epsilon": 0.35}),
    "mcdp": ("mcdp", MINUTES, {"k": 5, "epsilon": 1.0}),
    "mcka": ("mcka", MINUTES, {"k": 5}),
    "mdav-dp": ("mdav-dp", MINUTES, {"k": 5, "epsilon": 1.0}),
    "mdav-ka": ("mdav-ka", MINUTES, {"k": 5}),
    "ngram-copy": ("ngram-copy", ECG, {"k": 5, "n": 3}),
    "ngram-dp": ("ngram-dp", ECG, {"epsilon": 4.0, "n_max": 3, "l_max": 30, "average": "symbol"}),
    "ngram-k": ("ngram-k", ECG, {"k": 4, "n": 3}),
    "tga": ("tga", VITALS, {"k": 5}),
    "word-frequency": ("word-frequency", NOTES, {"k": 4}),
}  # fmt: skip
"""Name of a bundle → its method, its source with the roles of its columns, and the method's parameters."""


def original(name: str) -> sq.Data:
    """The source of a bundle, read as it was for publishing."""
    method, (file, roles), _ = MADE[name]
    return sq.reader(sq.method_class(method).accepts.kind)(SOURCES / file, **roles)


def answers(bundle: sq.Bundle) -> list:
    """A few questions per kind of data, as plain values."""
    if bundle.kind == "text":
        found = [bundle.count("patient"), bundle.count("Dimitrov"), len(list(bundle.runs()))]
    elif bundle.kind == "series":
        low, high = (80, 95) if "h08" in bundle.times else (-0.5, 0.5)
        inside = bundle.count({bundle.times[1]: (low, high), bundle.times[4]: (low, high)})
        found = [str(inside), bundle.estimated().num_rows]
    elif bundle.kind == "activity":
        minutes = bundle.daily_minutes("walking")
        found = [minutes.num_rows, sum(map(float, minutes.column(minutes.num_columns - 1).to_pylist()))]
    elif bundle.kind == "events":
        found = [bundle.following(), bundle.containing(bundle.states[0]), [[list(v), n] for v, n in bundle.variants(3)]]
    else:
        found = [bundle.next_symbol(next(iter(bundle.grams))), bundle.order, sorted(bundle.grams.items())[:5]]
    return json.loads(json.dumps(found))


def make(names: list[str]) -> None:
    """Publish every bundle anew, and write down what it answers."""
    BUNDLES.mkdir(exist_ok=True)
    answered = BUNDLES / "answers.json"
    told = json.loads(answered.read_text("utf-8")) if answered.exists() and names else {}
    for name in names or MADE:
        method_id, _, parameters = MADE[name]
        data = original(name)
        release = sq.anonymize(data, sq.method_class(method_id)(**parameters))
        place = BUNDLES / f"{name}.bundle"
        with tempfile.TemporaryDirectory() as folder:
            sq.publish(release, Path(folder) / place.name, source=data, force=True)  # a few people, mostly at rest
            kept = [place] + ([BUNDLES / f"{name}.private"] if release.guarantee.needs_original else [])
            for one in kept:  # of the custodian's folder only what `verify` needs beside the original
                shutil.rmtree(one, ignore_errors=True)
                shutil.copytree(Path(folder) / one.name, one)
                for file in one.glob("*.json") if one != place else ():
                    file.unlink() if file.name != "custodian.json" else None
                (one / "report.html").unlink() if one != place else None
        told[name] = answers(sq.open_bundle(place))
        print(name)
    answered.write_text(json.dumps(dict(sorted(told.items())), indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    make(sys.argv[1:])
