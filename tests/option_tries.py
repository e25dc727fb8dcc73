"""Tries of every option of every method: an option, what stands beside it, and the data it meets."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import sequester as sq
from sequester.samples.minutes import minutes


class Try(NamedTuple):
    """One option with a value that is not its default."""

    option: str
    value: Any
    beside: Mapping[str, Any] = MappingProxyType({})
    data: str = ""


def _vitals(**changed):
    return replace(sq.sample("series", n_people=60, seed=3), **changed)


def _with_gaps():
    values = sq.sample("series", n_people=60, seed=3).values.copy()
    values[4, 2] = values[9, 1:3] = np.nan
    return _vitals(values=values)


def _skewless():
    """A short panel with an outcome that nobody shares with most others."""
    whole = sq.sample("series", n_people=60, seed=3)
    outcome = np.array([f"d{i % 7}" for i in range(60)], dtype=object)
    return replace(
        whole,
        values=whole.values[:, :4],
        times=whole.times[:4],
        sensitive={"stay": np.arange(60.0) % 20, "outcome": outcome},
    )


def _letters():
    values = np.clip((sq.sample("series", n_people=60, seed=3).values - 60) // 12, 0, 5)
    return _vitals(values=values, letters=tuple("abcdef"))


def _minutes(n=43, **changed):
    return replace(minutes(n_people=n, days=2, seed=2), **changed)


def _in_wards():
    ward = np.array(["a"] * 22 + ["b"] * 21, dtype=object)
    return _minutes(covariates={"ward": ward, "score": np.arange(43) ** 1.5})


def _small_wards():
    ward = np.array(["a"] * 17 + ["b"] * 16 + ["c"] * 5 + ["d"] * 5, dtype=object)
    return _minutes(covariates={"ward": ward})


def _log(**changed):
    return replace(sq.sample("events", n_people=120, seed=4), **changed)


def _with_sex():
    log = _log()
    mine = np.repeat(np.arange(log.n_records), np.diff(log.offsets))
    return replace(log, attributes={"sex": np.array(["f", "m"], dtype=object)[mine % 2]})


def _with_crp():
    log = _log()
    return replace(log, attributes={"crp": np.random.default_rng(0).uniform(0, 100, log.n_events)})


def _order_only():
    log = _log()
    return replace(log, times=np.arange(log.n_events), time_unit="order")


def _notes_in_wards():
    notes = sq.sample("text", n_people=30, seed=6)
    return replace(notes, columns={"ward": np.array(["A", "B"], dtype=object)[np.arange(notes.n_records) % 2]})


def _twice_each():
    data = sq.sample("symbols", n_people=24, seed=5)
    return replace(data, persons=np.array([f"p{i // 2}" for i in range(data.n_records)], dtype=object))


DATA = {
    "series": _vitals,
    "gaps": _with_gaps,
    "repeated": lambda: _vitals(persons=np.array([f"p{i % 45}" for i in range(60)], dtype=object)),
    "short": _skewless,
    "letters": _letters,
    "activity": _minutes,
    "many": lambda: _minutes(n=160),
    "in wards": _in_wards,
    "small wards": _small_wards,
    "names found": lambda: _minutes(names_public=False),
    "events": _log,
    "log names found": lambda: _log(names_public=False),
    "with sex": _with_sex,
    "with crp": _with_crp,
    "order only": _order_only,
    "symbols": lambda: sq.sample("symbols", n_people=24, seed=5),
    "twice each": _twice_each,
    "notes in wards": _notes_in_wards,
    "cards": lambda: sq.Corpus.from_texts(["Paid with 4111 1111 1111 1111, thank you."] * 6),
    "text": lambda: sq.sample("text", n_people=30, seed=6),
}


@cache
def data_named(name):
    return DATA[name]()


BASES = {
    "k-repeats": {"k": 3},
    "k-words": {"k": 3, "language": "en"},
    "word-frequency": {"k": 3},
    "kapra": {"k": 4, "p": 2},
    "kp-naive": {"k": 4, "p": 2},
    "tga": {"k": 4},
    "bfp2ka": {"k": 3, "level": 3},
    "mcka": {"k": 4},
    "mcdp": {"k": 4, "epsilon": 1.0},
    "activity-dp": {"epsilon": 4.0, "delta": 1e-6, "force": True, "calibration_people": 32, "rounds": 1},
    "mdav-ka": {"k": 4},
    "mdav-dp": {"k": 4, "epsilon": 1.0},
    "markov-ratio": {"epsilon": 0.65},
    "markov-dp": {
        "epsilon": 4.0, "delta": 1e-6, "people_at_least": 300, "dates": "2024-01-01..2025-12-31",
        "max_events": 20,
    },
    "events-ngram-dp": {"epsilon": 4.0, "n_max": 3, "l_max": 15, "objects": 50, "codebook": "@states"},
    "ngram-k": {"k": 3, "n": 3},
    "ngram-dp": {"epsilon": 4.0, "n_max": 3, "people_at_least": 50},
    "ngram-copy": {"k": 4, "n": 3},
}  # fmt: skip
WARD = {"by": ("ward",)}
LABELLED = {"labels": "@labelled"}
ORIGINAL = {"count_in": "original"}
L = {"l": 3, "p": 3, "withhold_up_to": 1.0}
OCCURRENCE = {"unit": "occurrence"}
MARGINS = {"unit": "occurrence", "mode": "repaired"}
ORDER = {"factors": ("hour",), "section_factors": ("year",), "starts": "poisson", "split_gap": 24.0}
CLUSTERED = [
    Try("k", 5), Try("weights", ("walking=50",)),
    Try("by", ("ward",), {}, "in wards"), Try("by", ("ward",)),
    Try("merge_small", True, WARD, "small wards"), Try("merge_small", True),
]  # fmt: skip
MULTILEVEL = [
    *CLUSTERED, Try("levels", ("day", "hour")), Try("fan_out", 2), Try("literal", True),
]  # fmt: skip
NOISY = [Try("epsilon", 2.0), Try("terms", 5), Try("terms", 5, {"mechanism": "lpa"}), Try("mechanism", "lpa")]
PEOPLE = [
    Try("missing", "drop", {}, "gaps"), Try("missing", "fill", {}, "gaps"), Try("unit", "record", {}, "repeated"),
    Try("gap", 1), Try("gap", 1, {"missing": "fill"}, "gaps"),
]  # fmt: skip

TRIES = {
    "k-repeats": [
        Try("k", 4), Try("unit", "document"), Try("unit", "occurrence"), Try("count_in", "original"),
        Try("granularity", "word"), Try("granularity", "character"), Try("min_length", 12),
        Try("first_pass", ("none",)), Try("first_pass", ("patterns", "fields")), Try("hide", ("@spans",)),
        Try("show", ("@words",)), Try("markers", "typed"), Try("markers", "typed", {"first_pass": ("none",)}),
        Try("markers", "typed", {"spans": "none"}), Try("language", "de"),
        Try("language", "de", {"first_pass": ("presidio",)}, "cards"), Try("cover", "optimal"),
        Try("cover", "optimal", ORIGINAL),
        Try("gaps", "any"), Try("gaps", "any", {"granularity": "character"}), Try("spans", "<gap>"),
        Try("spans", "none"), Try("mask", "#"), Try("mask", "#", {"spans": "none"}), Try("background", ("@public",)),
        Try("keep", ("ward",)), Try("keep", ("ward",), {}, "notes in wards"),
    ],
    "k-words": [
        Try("k", 12), Try("language", "de"), Try("unit", "document"), Try("labels", "@labelled"), Try("nouns", "on"),
        Try("nouns", "on", {"language": "de"}), Try("markers", "typed"), Try("markers", "invented"),
        Try("tell_recall", True), Try("tell_recall", True, LABELLED),
        Try("keep", ("ward",)), Try("keep", ("ward",), {}, "notes in wards"),
    ],
    "word-frequency": [Try("k", 4), Try("unit", "document"), Try("unit", "occurrence"), Try("mask", "#")],
    "kapra": [
        Try("k", 6), Try("p", 3), Try("p", 1), Try("ends_step", 0.0), Try("ends_step", 25.0), Try("max_level", 3),
        Try("max_level", 3, {"p": 1}), Try("std", "sample", {"p": 1}),
        Try("std", "sample"),
        Try("std", "sample", {"pattern": "literal"}, "short"),
        *PEOPLE, *[Try("pattern", p) for p in ("literal", "printed")],
        Try("weight", 0.1), Try("weight", 0.1, {"p": 1}), Try("weight", 0.1, {"pattern": "literal"}),
        Try("features", "nobody"), Try("features", "steps"),
        Try("l", 2, {"p": 2}, "short"), Try("l", 2, {}, "repeated"), Try("harmless", ("home",)),
        Try("harmless", ("d1", "d2", "d3"), L, "short"), Try("near", ("2",)), Try("near", ("stay=4",), L, "short"),
        Try("withhold_up_to", 0.5), Try("withhold_up_to", 1.0, {"l": 2, "pattern": "literal"}, "short"),
        Try("publish_values", ("h04", "h08")), Try("publish_patterns", ("h04", "h08")),
        Try("publish_patterns", ("h04", "h08"), {"p": 1}),
    ],
    "kp-naive": [
        Try("k", 6), Try("p", 3), Try("ends_step", 0.0), Try("ends_step", 25.0), Try("max_level", 2, {}, "short"),
        Try("std", "sample", {}, "short"), *PEOPLE,
    ],
    "tga": [
        Try("k", 5), Try("variant", "fast"), Try("reconstruct", False),
        *PEOPLE,
    ],
    "bfp2ka": [Try("k", 4), Try("level", 4), Try("level", 4, {}, "letters"), *PEOPLE],
    "mcka": [
        *MULTILEVEL, Try("exact", True), Try("sampler", "independent"), Try("sampler", "independent", {"exact": True}),
        Try("centroids", True), Try("centroids", True, {"exact": True}), Try("covariate_means", True),
        Try("covariate_means", True, {}, "in wards"),
    ],
    "mcdp": [*MULTILEVEL, *NOISY],
    "activity-dp": [
        Try("epsilon", 2.0), Try("delta", 1e-5), Try("people_at_least", 5000), Try("people_at_least", 5),
        Try("people_at_least", 5, {"force": False}), Try("force", True, {"people_at_least": 5, "force": False}),
        Try("codebook", ("stationary", "walking")), Try("codebook", ("stationary", "walking"), {}, "names found"),
        Try("candidates", 1), Try("rounds", 0), Try("rounds", 2), Try("calibration_people", 64),
        Try("calibration_people", 64, {"rounds": 0}),
    ],
    "mdav-ka": [
        *CLUSTERED, Try("level", "hour"), Try("sampler", "independent"), Try("sampler", "independent", {"exact": True}),
        Try("exact", True),
    ],
    "mdav-dp": [*CLUSTERED, *NOISY, Try("literal", True), Try("level", "hour")],
    "markov-ratio": [
        Try("epsilon", 0.2), Try("epsilon", 0.2, {"test": "off"}), Try("test", "sequential"), Try("test", "off"),
        Try("split_gap", 24.0),
        Try("hashes", 10), Try("shingle", 2), Try("cluster_share", 0.5), Try("hashes", 10, {"cluster_share": 0.0}),
        Try("factors", ("hour",)), Try("section_factors", ("weekday",)),
        *[Try(n, v, {}, "order only") for n, v in ORDER.items()],
        Try("starts", "poisson"), Try("max_events", 3),
        Try("rules", "@rules"), Try("attributes", ("sex:f,m",), {}, "with sex"), Try("attributes", ("sex:f,m",)),
        Try("publish_model", True),
    ],
    "markov-dp": [
        Try("epsilon", 3.0), Try("delta", 1e-5), Try("people_at_least", 1000), Try("dates", "2024-03-01..2024-06-30"),
        Try("dates", "2024-03-01..2024-06-30", {}, "order only"), Try("codebook", "@states"), Try("max_events", 3),
        Try("states_at_most", 10), Try("codes", "@codes"), Try("code_levels", "3,1"),
        Try("rules", "@rules"), Try("attributes", ("sex:f,m",), {}, "with sex"),
        Try("event_values", ("crp:0,10,50,100",), {}, "with crp"), Try("attributes", ("sex:f,m",)),
        Try("event_values", ("crp:0,10,50,100",)),
        Try("force", True, {"people_at_least": 10}), Try("force", True),
    ],
    "events-ngram-dp": [
        Try("epsilon", 2.0), Try("n_max", 2), Try("l_max", 5), Try("objects", 20), Try("codebook", "@fewer"),
        Try("codebook", "@fewer", {}, "log names found"),
    ],
    "ngram-k": [
        Try("k", 5), Try("n", 2), Try("unit", "occurrence"), Try("unit", "occurrence", {}, "twice each"),
        *[Try("mode", m, OCCURRENCE) for m in ("repaired", "literal", "ignore", "chain")],
        *[Try("mode", m) for m in ("repaired", "literal", "ignore", "chain")],
        Try("strings", 0), Try("strings", 0, OCCURRENCE), Try("strings", 0, MARGINS), Try("frequencies", "original"),
        Try("frequencies", "original", MARGINS | {"k": 60}), Try("apportion", "fraction"),
        Try("apportion", "fraction", MARGINS),
        Try("cap", 2), Try("cap", 2, OCCURRENCE),
    ],
    "ngram-dp": [
        Try("epsilon", 2.0), Try("n_max", 2), Try("average", "symbol"), Try("l_max", 5),
        Try("l_max", 5, {"average": "symbol"}), Try("delta", 1e-5), Try("delta", 1e-5, {"average": "symbol"}),
        Try("l_max", 5, {"average": "symbol", "delta": 1e-5}),
        Try("estimate", "rescale", {"average": "symbol", "delta": 1e-5}),
        Try("sequences", 10), Try("sequences", 10, {"average": "symbol"}),
        Try("people_at_least", 500), Try("people_at_least", 1, {"average": "symbol"}),
        Try("force", True, {"people_at_least": 1}), Try("force", True), Try("estimate", "rescale"),
        Try("estimate", "rescale", {"average": "symbol"}),
    ],
    "ngram-copy": [
        Try("k", 400), Try("n", 2), Try("length", 8), Try("anomaly", ("2", "1", "2")), Try("copies", 2),
        Try("length", 8, {"anomaly": ("2", "1", "2")}), Try("k", 400, {"copies": 2}),
    ],
}  # fmt: skip
