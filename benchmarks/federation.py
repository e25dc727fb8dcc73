"""What noise at several sites costs, beside noise drawn in one place.

By hand, with another number of draws: `python -m benchmarks.federation 2` prints JSON lines.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import sequester as sq
from sequester.dp.noise import SecureNoise
from sequester.dp.randomness import Randomness
from sequester.dp.sites import Item, Noised, Sites, with_share
from sequester.engines import Engine

TITLE = "Noise at several sites beside noise in one place"
NOTE = """Sample data, secure noise, medians over the draws. *off by*: for `markov-dp` the total variation distance of
the transitions of release and original, averaged over states by how often they occur; for `ngram-dp` that of the shares
of pairs of symbols. *sd* is the standard deviation of the noise, in units of noise drawn in one place."""
ALONE = False
PEOPLE = 3000
CASES = ((3, 1), (3, 2), (5, 2), (10, 1), (10, 4), (10, 9))


def run(draws: int = 7) -> Iterator[dict[str, Any]]:
    """One row per method and way to draw noise."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("ngram-dp", "markov-dp"):
            method, data, reading, off = CASES_OF[name](Path(place))
            kind = "laplace" if name == "ngram-dp" else "gaussian"
            central = Sites(n=3, collude=0, trusted=True)
            for sites in (central, *(Sites(n=n, collude=t) for n, t in CASES)):
                found = [off(_release(method, data, reading, sites)) for _ in range(draws)]
                yield {
                    "method": name, "noise": "in one place" if sites.trusted else "at the sites",
                    "sites": "" if sites.trusted else sites.n, "may collude": "" if sites.trusted else sites.collude,
                    "sd": round(sites.factor(kind), 2), "off by": round(float(np.median(found)), 4),
                    "least": round(min(found), 4), "most": round(max(found), 4),
                }  # fmt: skip


def _release(method: sq.Method, data: Any, reading: dict[str, Any], sites: Sites) -> sq.Release:
    of = np.arange(data.n_records) % sites.n
    answers = [method.site_answers(data.take(np.flatnonzero(of == i)), sites, reading) for i in range(sites.n)]
    noise = SecureNoise()

    def ask(items: Sequence[Item]) -> list[np.ndarray]:
        said = [answer(items) for answer in answers]
        return [
            np.sum([with_share(item, own[i], sites, noise) for own in said], axis=0) for i, item in enumerate(items)
        ]

    done = method.over_sites(sites, reading, ask, noise if sites.trusted else Noised())
    made: sq.Release = done.release(Randomness(), Engine())
    return made


def _symbols(_place: Path) -> tuple[Any, ...]:
    from dataclasses import replace

    data = replace(sq.sample("symbols", n_people=PEOPLE, seed=3), names_public=True)
    alphabet = tuple(data.alphabet)
    method = sq.NgramDP(epsilon=1.0, n_max=2, people_at_least=PEOPLE // 2)
    pairs = [f"{a} {b}" for a in alphabet for b in alphabet]
    quiet = sq.NgramDP(epsilon=1e6, n_max=2, people_at_least=PEOPLE)
    true = _shares(sq.anonymize(data, quiet), pairs)
    return method, data, {"symbolize": "none", "symbols": alphabet}, lambda r: _apart(_shares(r, pairs), true)


def _shares(release: sq.Release, pairs: list[str]) -> np.ndarray:
    table = release.tables["ngrams"]
    known = dict(zip(table["gram"].to_pylist(), table["count"].to_pylist()))
    cells = np.array([known.get(pair, 0) for pair in pairs], float)
    return cells / cells.sum()


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).sum() / 2)


def _events(place: Path) -> tuple[Any, ...]:
    log = sq.sample("events", n_people=PEOPLE, seed=3)
    book = place / "states.txt"
    book.write_text("\n".join(log.state_names) + "\n", "utf-8")
    method = sq.MarkovDP(
        epsilon=1.0, delta=1e-6, people_at_least=PEOPLE // 2, dates="2024-01-01..2025-12-31", codebook=str(book)
    )
    names = [*log.state_names, "OTHER"]
    owner = np.repeat(np.arange(log.n_records), np.diff(log.offsets))
    true = _moves(owner, np.asarray(log.states), len(names))

    def off(release: sq.Release) -> float:
        table, code = release.tables["events"], {name: i for i, name in enumerate(names)}
        states = np.array([code[s] for s in table["state"].to_pylist()])
        shown = _moves(table["object"].to_numpy(), states, len(names))
        weight = true.sum(1) / true.sum()
        rows = [_apart(t / max(t.sum(), 1), s / max(s.sum(), 1)) for t, s in zip(true, shown)]
        return float(weight @ np.array(rows))

    return method, log, {"time_unit": "second"}, off


def _moves(owner: np.ndarray, states: np.ndarray, n: int) -> np.ndarray:
    """How often which state follows which."""
    same = owner[1:] == owner[:-1]
    return np.bincount(states[:-1][same] * n + states[1:][same], minlength=n * n).reshape(n, n).astype(float)


CASES_OF = {"ngram-dp": _symbols, "markov-dp": _events}


if __name__ == "__main__":
    for row in run(int(sys.argv[1])):
        print(json.dumps(row), flush=True)
