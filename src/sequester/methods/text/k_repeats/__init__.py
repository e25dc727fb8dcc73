"""k-repeating substrings: show only stretches of text that enough others share (Matsubara and Hasida)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sequester.guarantees.substrings import substring_anonymity
from sequester.method import PATH, Method
from sequester.methods.text.shared.suppression import check_mask, check_utf8, masked_release, owners_of
from sequester.model import Corpus
from sequester.papers import TEXT

if TYPE_CHECKING:
    from sequester.dp.randomness import Randomness
    from sequester.engines import Engine
    from sequester.release import Guarantee, Release


@dataclass(frozen=True, kw_only=True)
class KRepeats(Method):
    """Suppress text until every visible run is shared by k people, documents or occurrences.

    *Guarantee*: substring k-anonymity, counted in the release itself (`count_in="published"`, the default: anyone can
    verify it from the release alone) or in the original (`"original"`, the paper's definition: shows 1-4 points more
    text, and only the holder of the original can verify it).

    *Reference*: Matsubara and Hasida, "K-repeating Substrings", Definition 4.1 and Algorithms 1-3.

    *Departures*: the printed Algorithm 1 is repaired; documents and people can be counted; the optimal cover replaces
    the greedy one by default; published counting and whole words are additions. See the page beside this file.

    >>> KRepeats(k=4, unit="document").guarantee.level
    'substring 4-anonymity by document (published counts)'
    """

    k: int
    """How many must share every visible run, at least 2."""
    unit: Literal["person", "document", "occurrence"] = "person"
    """Who is counted: people, documents, or plain occurrences (the paper; protects nobody's repeated name)."""
    count_in: Literal["published", "original"] = "published"
    """Where runs are counted: in the release (anyone can verify it) or in the original (the paper)."""
    min_length: int = 1
    """Shortest run to show, in characters; the paper used 6 for clinical text."""
    cover: Literal["optimal", "greedy"] = "optimal"
    """For original counts: keep the most text possible, or the paper's longest-first choice. At the same k the
    optimal cover shows more text, private text included."""
    granularity: Literal["character", "word"] = "character"
    """Whether runs may cut words; with `word`, Ann is never justified by Annual."""
    mask: str = "★"
    """Written for every suppressed character; where the text itself has it, it is always suppressed."""
    spans: str | None = None
    """Written instead for every suppressed run, such as […]; hides how long it was."""
    background: tuple[str, ...] = field(default=(), metadata=PATH)
    """Public text files, folders or JSON lines: what k of their documents contain may also be shown."""

    id, accepts, paper = "k-repeats", Corpus, TEXT
    layout = "documents"
    example = {"k": 4}  # noqa: RUF012

    def __post_init__(self) -> None:
        self.require("k", 2)
        self.require_choice("unit", ("person", "document", "occurrence"))
        self.require_choice("count_in", ("published", "original"))
        self.require("min_length", 1)
        self.require_choice("cover", ("optimal", "greedy"))
        self.require_choice("granularity", ("character", "word"))
        if self.cover == "greedy" and self.count_in == "published":
            raise self.refuse("cover='greedy' works on original counts. Pass count_in='original' with it.")
        check_mask(self, "mask")
        if self.spans is not None:
            self._check_marker(self.spans)
        if isinstance(self.background, str) or not all(isinstance(p, (str, Path)) for p in self.background):
            raise self.refuse(f"background must be a tuple of paths, got background={self.background!r}.")

    def _check_marker(self, marker: Any) -> None:
        if not isinstance(marker, str) or not marker.strip() or not marker.isprintable():
            raise self.refuse(f"spans must be a visible marker such as '[…]', got spans={marker!r}.")
        if any(marker.startswith(marker[-n:]) for n in range(1, len(marker))):
            raise self.refuse(
                f"spans must not end as it begins, got spans={marker!r}. Beside visible text a reader could not tell "
                "where it starts; take a marker such as '[…]'."
            )

    @property
    def mark(self) -> str:
        """What is written in place of suppressed text."""
        return self.mask if self.spans is None else self.spans

    @property
    def guarantee(self) -> Guarantee:
        """Substring k-anonymity, in the words of these parameters."""
        return substring_anonymity(
            k=self.k,
            unit=self.unit,
            count_in=self.count_in,
            min_length=self.min_length,
            granularity=self.granularity,
            mark=self.mark,
            per_character=self.spans is None,
            background=len(self.background),
        )

    def apply(self, data: Corpus, *, rng: Randomness, engine: Engine) -> Release:
        """Find repeats, choose what to keep, suppress the rest."""
        import pyarrow as pa

        from sequester.methods.text.k_repeats.background import load_background
        from sequester.primitives.text_index import Documents, TextIndex

        owners = owners_of(data, self.unit, self.k)
        check_utf8(data)
        background = load_background(self.background) if self.background else None
        with engine.progress("Sorting suffixes", None):
            index = TextIndex.build(
                Documents(data.utf8, data.offsets),
                words=self.granularity == "word",
                forbidden=self.mark,
                background=background,
            )
        with engine.progress("Choosing what stays", None):
            if self.count_in == "published":
                keep = index.keep_by_published(owners, self.k, self.min_length)
            else:
                keep = index.keep_by_original(owners, self.k, self.min_length, self.cover)
        del index
        private = {"background": pa.table({"path": [str(Path(p).absolute()) for p in self.background]})}
        return masked_release(
            self,
            data,
            keep,
            rng=rng,
            owners=owners,
            mark=self.mark,
            per_character=self.spans is None,
            private=private if self.background else None,
        )
