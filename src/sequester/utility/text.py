"""How much of a text is left, and how much of its private part: private evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sequester.errors import InputError, counted
from sequester.methods.text.shared.kernels.text_index import Documents, TextIndex
from sequester.methods.text.shared.words import cut_where_scripts_meet, split_words, word_counts
from sequester.model import Corpus
from sequester.primitives.labels import read_labels, under_names
from sequester.release import Claim, Evidence, Figure
from sequester.utility.text_alignment import kept_characters, precision_recall, protected_tokens, token_shares
from sequester.utility.text_finders import finder_rows
from sequester.utility.text_private import Spans, hollow_gaps, restorable

CURVE = (2, 4, 8, 16, 32, 64)
CURVE_BYTES = 16_000_000
"""Corpora up to this size get their curve over k unasked."""
UNHIDDEN = " \t\n\r.,;:!?()-/'\""
"""Sixteen separators that the paper's evaluation shows whatever was decided (it names two; the others are our guess): a
metric, never a release."""
PUBLISHED_BYTES = 4_000_000
"""Up to this size the curve also has published counts, which take several times as long."""


def measure_text(
    original: Corpus,
    claim: Claim,
    *,
    labels: str | Path | Iterable[Mapping[str, Any]] | None = None,
    percent: float = 20.0,
    unhide: bool = False,
    ks: Iterable[int] = CURVE,
    curve: bool | None = None,
) -> Evidence:
    """Compare a release with its original.

    Parameters
    ----------
    original
        The corpus before suppression.
    claim
        The release or bundle.
    labels
        Private spans: a JSON lines file, or rows, with `document` and `spans` ([[start, end, type], …] in characters);
        i2b2, brat and Presidio are read as well.
    percent
        A token counts as protected when strictly more than this share of it is suppressed (the paper's R).
    unhide
        Count separators as visible for token figures, as the paper's evaluation does.
    ks
        The curve over k.
    curve
        Compute the curve; by default for corpora of up to 16 MB.
    """
    parameters, unit = claim.guarantee.parameters, claim.guarantee.unit
    marked = None if labels is None else under_names(read_labels(labels), set(map(str, original.documents)))
    view = View(original, unit, percent, marked, unhide=unhide)
    kept = kept_characters(original, claim)
    figures = view.figures(kept)
    rows: dict[str, list[dict[str, Any]]] = {}
    if len(original.utf8) <= CURVE_BYTES:
        figures += [restorable(view.texts, view.owners, kept, int(parameters["k"])), hollow_gaps(view.texts, kept)]
    if view.spans is not None and view.marked is not None:
        figures += view.spans.figures(kept, view.marked) + view.scores(kept)
        rows["types"] = view.spans.by_kind(kept)
        rows["baselines"] = view.baselines(int(parameters["k"]), kept)
        if "found" in claim.private:
            place = {str(d): i for i, d in enumerate(original.documents)}
            base = np.cumsum([0] + [len(t) for t in view.texts])
            rows["finders"] = finder_rows(claim.private["found"], view.spans, view.marked, place, base)
    if parameters.get("background"):
        figures += view.exposure(claim, kept)
    if curve if curve is not None else len(original.utf8) <= CURVE_BYTES:
        rows["curve"] = view.curve(sorted(set(ks)), parameters)
        rows["equal_kept"] = equal_kept(rows["curve"])
    share = figures[0].value
    summary = f"{share:.1%} of the characters are still visible."
    shown = next((f.value for f in figures if f.name == "private characters shown"), None)
    if isinstance(shown, float):
        half = next((f.value for f in figures if f.name == "spans half visible"), None) or 0.0
        summary += f" Of the labelled private characters {shown:.1%} are, and {half:.1%} of the spans at least by half."
    return Evidence(about="measure", saw_original=True, summary=summary, figures=tuple(figures), rows=rows)


class View:
    """A corpus as characters and tokens, with its labels if there are any."""

    def __init__(
        self,
        original: Corpus,
        unit: str,
        percent: float,
        labels: dict[str, list[Any]] | None,
        *,
        unhide: bool = False,
    ) -> None:
        self.original, self.unit, self.percent = original, unit, percent
        self.texts = original.texts
        self.words = split_words(self.texts)
        base = np.cumsum([0] + [len(t) for t in self.texts])
        self.n_characters = int(base[-1])
        self.starts = self.words.start + base[self.words.document]
        self.ends = self.words.end + base[self.words.document]
        self.counted = cut_where_scripts_meet("".join(self.texts), self.starts, self.ends)
        self.marked: np.ndarray | None = None
        self.private: np.ndarray | None = None
        self.spans: Spans | None = None
        self.always = np.array([c in UNHIDDEN for t in self.texts for c in t], dtype=bool) if unhide else None
        if labels is not None:
            self.marked = _marked(labels, original, base)
            place = {str(d): i for i, d in enumerate(original.documents)}
            self.spans = Spans(labels, place, base, self.texts)
            self.private = token_shares(self.starts, self.ends, self.marked) > 0
        person: dict[str, int] = {}
        by_person = np.array([person.setdefault(p, len(person)) for p in original.persons], dtype=np.int64)
        self.owners = {"person": by_person, "document": np.arange(original.n_records)}.get(unit)

    def protected(self, kept: np.ndarray) -> np.ndarray:
        """Which tokens the suppression protects."""
        shown = kept if self.always is None else kept | self.always
        return protected_tokens(self.starts, self.ends, ~shown, self.percent)

    def figures(self, kept: np.ndarray) -> list[Figure]:
        whole = token_shares(*self.counted, kept) == 1
        edges = np.diff(np.concatenate([[False], kept]).astype(np.int8)) == 1
        opens = np.zeros(self.n_characters, dtype=bool)
        opens[[i for i in np.cumsum([0] + [len(t) for t in self.texts])[:-1] if i < self.n_characters]] = True
        n_runs = int(np.count_nonzero(edges | (opens & kept)))
        n_kept = int(np.count_nonzero(kept))
        return [
            Figure(name="kept characters", value=n_kept / max(1, self.n_characters), better="higher",
                   says="Share of the original characters that are visible in the release."),
            Figure(name="kept words", value=_mean(whole), better="higher",
                   says="Share of the words that are visible whole. Words are split on white space, and in Japanese "
                   "and Chinese also where Kanji, Katakana and Hiragana meet."),
            Figure(name="runs", value=n_runs, says="Stretches of visible text."),
            Figure(name="run length", value=n_kept / max(1, n_runs), better="higher",
                   says="Mean length of a stretch of visible text, in characters."),
        ]  # fmt: skip

    def scores(self, kept: np.ndarray) -> list[Figure]:
        """Against the labels: which private words are protected, and what of the private text shows."""
        assert self.private is not None and self.marked is not None
        precision, recall = precision_recall(self.protected(kept), self.private)
        return [
            Figure(name="recall", value=_known(recall), better="higher",
                   says=f"Share of the private words of which more than {self.percent:g} % is suppressed."),
            Figure(name="precision", value=_known(precision), better="higher",
                   says="Share of the protected words that are private."),
        ]  # fmt: skip

    def baselines(self, k: int, kept: np.ndarray) -> list[dict[str, Any]]:
        """The release, the word baseline, and the consensus of both (for evaluation only: it promises nothing)."""
        assert self.private is not None
        rare = (word_counts(self.words, self.owners) < k)[self.words.code]
        here = self.protected(kept)
        out = []
        for name, found in (("release", here), ("word-frequency", rare), ("k-repeats+words", here & rare)):
            precision, recall = precision_recall(found, self.private)
            out.append({"method": name, "k": k, "precision": _known(precision), "recall": _known(recall)})
        return out

    def curve(self, ks: Iterable[int], declared: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Kept text (and recall, with labels) over k, without a first pass: both covers, and published counts."""
        index = TextIndex.build(
            Documents(self.original.utf8, self.original.offsets),
            granularity=declared.get("granularity", "character"),
            forbidden=declared.get("mark", ""),
            hollow_gaps=not declared.get("solid"),
        )
        lead = (self.original.utf8 & 0xC0) != 0x80
        n_owners = self.n_characters if self.owners is None else len(set(self.owners.tolist()))
        out = []
        for k in ks:
            if k > n_owners:
                continue
            for cover in ("optimal", "greedy", "published")[: 3 if len(lead) <= PUBLISHED_BYTES else 2]:
                shortest = declared.get("min_length", 1)
                if cover == "published":
                    spent = replace(index, sa=index.sa.copy(), lcp=index.lcp.copy())
                    keep = spent.keep_by_published(self.owners, k, shortest)
                else:
                    keep = index.keep_by_original(self.owners, k, shortest, cover)
                kept = keep[lead] == 1
                row: dict[str, Any] = {"k": k, "cover": cover, "kept": _mean(kept)}
                if self.private is not None:
                    both = precision_recall(self.protected(kept), self.private)
                    row["precision"], row["recall"] = map(_known, both)
                out.append(row)
        return out

    def exposure(self, claim: Claim, kept: np.ndarray) -> list[Figure]:
        """What the background lets through that the corpus alone would not."""
        parameters = claim.guarantee.parameters
        index = TextIndex.build(
            Documents(self.original.utf8, self.original.offsets),
            granularity=parameters["granularity"],
            forbidden=parameters["mark"],
            hollow_gaps=not parameters.get("solid"),
        )
        if parameters["count_in"] == "published":
            alone = index.keep_by_published(self.owners, parameters["k"], parameters["min_length"])
        else:
            cover = claim.parameters.get("cover") or "greedy"
            alone = index.keep_by_original(self.owners, parameters["k"], parameters["min_length"], cover)
        without = alone[(self.original.utf8 & 0xC0) != 0x80] == 1
        out = [
            Figure(name="kept without background", value=_mean(without), better="higher",
                   says="Share of the characters that would be visible without the background."),
        ]  # fmt: skip
        if self.marked is not None:
            extra = _mean(kept[self.marked]) - _mean(without[self.marked])
            out.append(Figure(name="extra private characters shown", value=extra, better="lower",
                              says="Share of the private characters only the background makes visible."))  # fmt: skip
        return out


def equal_kept(curve: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each greedy point beside the optimal cover at the same kept text, read off its curve between two k."""
    optimal = sorted((r for r in curve if r["cover"] == "optimal"), key=lambda r: r["kept"])
    kept = [r["kept"] for r in optimal]
    out = []
    for row in curve:
        if row["cover"] != "greedy" or not kept or not kept[0] <= row["kept"] <= kept[-1]:
            continue
        fields = {"kept": row["kept"], "greedy_k": row["k"]}
        fields["optimal_k"] = float(np.exp(np.interp(row["kept"], kept, np.log([r["k"] for r in optimal]))))
        for name in ("precision", "recall"):
            if name in row:
                fields[f"greedy_{name}"] = row[name]
                heights = [np.nan if r[name] is None else r[name] for r in optimal]
                fields[f"optimal_{name}"] = _known(float(np.interp(row["kept"], kept, heights)))
        out.append(fields)
    return out


def _marked(labels: dict[str, list[Any]], original: Corpus, base: np.ndarray) -> np.ndarray:
    place = {str(d): i for i, d in enumerate(original.documents)}
    unknown = sum(name not in place for name in labels)
    if unknown:
        raise InputError(
            f"measure: {unknown} of {len(labels)} labelled documents are not in the source. "
            "Name documents in the labels as in the source."
        )
    out = np.zeros(int(base[-1]), dtype=bool)
    for name, spans in labels.items():
        i = place[name]
        size = base[i + 1] - base[i]
        for s, e, *_ in spans:
            if not 0 <= s <= e <= size:
                raise InputError(
                    f"measure: a labelled span of document {i + 1} lies outside its {counted(size, 'character')}."
                )
            out[base[i] + s : base[i] + e] = True
    return out


def _known(value: float) -> float | None:
    """JSON has no NaN."""
    return None if value != value else value


def _mean(values: np.ndarray) -> float:
    return float(np.mean(values)) if len(values) else 0.0
