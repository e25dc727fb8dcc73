"""The methods, one folder each with its page and kernels. Registering one is one line here.

Installed packages bring theirs through the entry point group `sequester.methods` (id = class).
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from sequester.errors import ParameterError, SequesterWarning, with_markers
from sequester.lazy import Registry, choose

if TYPE_CHECKING:
    from sequester.method import Method

_OWN: dict[str, str] = {
    "k-repeats": "sequester.methods.text.k_repeats:KRepeats",
    "k-words": "sequester.methods.text.k_words:KWords",
    "word-frequency": "sequester.methods.text.word_frequency:WordFrequency",
    "kapra": "sequester.methods.series.kapra:Kapra",
    "kp-naive": "sequester.methods.series.kp_naive:KPNaive",
    "tga": "sequester.methods.series.tga:TGA",
    "bfp2ka": "sequester.methods.series.bfp2ka:BFP2KA",
    "mcka": "sequester.methods.activity.mcka:MCKA",
    "mcdp": "sequester.methods.activity.mcdp:MCDP",
    "activity-dp": "sequester.methods.activity.activity_dp:ActivityDP",
    "mdav-ka": "sequester.methods.activity.mdav_ka:MDAVKA",
    "mdav-dp": "sequester.methods.activity.mdav_dp:MDAVDP",
    "markov-ratio": "sequester.methods.events.markov_ratio:MarkovRatio",
    "markov-dp": "sequester.methods.events.markov_dp:MarkovDP",
    "events-ngram-dp": "sequester.methods.events.events_ngram_dp:EventsNgramDP",
    "ngram-k": "sequester.methods.ngrams.ngram_k:NgramK",
    "ngram-dp": "sequester.methods.ngrams.ngram_dp:NgramDP",
    "ngram-copy": "sequester.methods.ngrams.ngram_copy:NgramCopy",
}
METHODS = Registry("sequester.methods", _OWN)
"""Method id → where its class is: ours, and those of installed packages."""


def method_class(method_id: str) -> type[Method]:
    """The class of a method, or an error that names the nearest one."""
    return choose(METHODS, method_id, "method")


def loadable() -> dict[str, type[Method]]:
    """All methods by id; one whose package is broken is told of and left out."""
    found = {}
    for method_id in METHODS:
        try:
            found[method_id] = method_class(method_id)
        except ParameterError as error:
            warnings.warn(with_markers(error), SequesterWarning, stacklevel=2)
    return found


def methods_for(kind: str) -> list[str]:
    """Ids of the methods that work on a kind of data."""
    return [m for m, cls in loadable().items() if cls.accepts.kind == kind]
