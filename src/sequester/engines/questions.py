"""Questions as data: what parts of data may be asked, by name.

A task on a part is the name of a question on this list and the numbers it needs. No function travels: whoever holds
the part looks the name up in its own list, of its own version. Threads, Dask, Spark and the sites of a federation
answer the same questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sequester.errors import InputError
from sequester.lazy import load
from sequester.version import VERSION

_MARKOV = "sequester.methods.events.markov_dp.people"
_EVENTS = "sequester.methods.events.events_ngram_dp"
_NGRAMS = "sequester.methods.ngrams.ngram_dp.thresholded"
_ACTIVITY = "sequester.methods.activity.activity_dp.people"
ANSWERS = {
    "markov-dp sums": f"{_MARKOV}:answer_sums",
    "markov-dp names": f"{_MARKOV}:answer_names",
    "markov-dp dates": f"{_MARKOV}:answer_dates",
    "markov-dp hashed traces": f"{_MARKOV}:answer_hashed_traces",
    "markov-dp trace sizes": f"{_MARKOV}:answer_trace_sizes",
    "markov-dp trace states": f"{_MARKOV}:answer_trace_states",
    "ngram-dp shares": f"{_NGRAMS}:answer_shares",
    "ngram-dp followers": f"{_NGRAMS}:answer_followers",
    "ngram-dp counts": f"{_NGRAMS}:answer_counts",
    "ngram-dp occurrences": f"{_NGRAMS}:answer_occurrences",
    "ngram symbols": "sequester.methods.ngrams.shared.counting:answer_symbols",
    "events-ngram-dp followers": f"{_EVENTS}:answer_followers",
    "events-ngram-dp states": f"{_EVENTS}:answer_states",
    "activity-dp sums": f"{_ACTIVITY}:answer_sums",
}
"""Name of a question → the function `answer(part, **numbers)` that returns whole numbers which add up."""


@dataclass(frozen=True)
class Asked:
    """A question on its way to a part."""

    name: str
    numbers: dict[str, Any]
    """Sizes, clips and whatever was released before; data, never a function."""
    version: str = VERSION

    def __call__(self, part: Any) -> Any:
        """The part's answer."""
        if self.name not in ANSWERS or self.version != VERSION:
            raise InputError(
                f"a part was asked a question of sequester {self.version} that {VERSION} does not answer. Use one "
                "version everywhere."
            )
        return load(ANSWERS[self.name])(part, **self.numbers)
