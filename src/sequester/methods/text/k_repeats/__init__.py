"""k-repeating substrings: show only stretches of text that enough others share (Matsubara and Hasida)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.guarantees.substrings import substring_anonymity
from sequester.method import Method
from sequester.methods.text.k_repeats.background import load_background, load_words
from sequester.methods.text.shared import first_pass, markers
from sequester.methods.text.shared.first_pass import FINDERS
from sequester.methods.text.shared.kernels.text_index import Documents, TextIndex, Within
from sequester.methods.text.shared.suppression import check_mask, check_utf8, masked_release, owners_of
from sequester.model import Corpus, Data
from sequester.options import option
from sequester.papers import TEXT
from sequester.release import Guarantee, Release

BYTES_PER_BYTE = {"token": 20, "word": 20, "character": 30}
"""Memory per byte of text (`text_repeats` measures it); where a limit allows less, the work goes through files."""


@dataclass(frozen=True, kw_only=True)
class KRepeats(Method):
    """Suppress text until every visible run is shared by k people, documents or occurrences.

    *Guarantee*: substring k-anonymity, counted in the release itself (`count_in="published"`, the default: anyone can
    verify it from the release alone) or in the original (`"original"`, the paper's definition: shows more text, and
    only the holder of the original can verify it).

    *Reference*: Matsubara and Hasida, "K-repeating Substrings", Definition 4.1 and Algorithms 1-3.

    *Departures*: runs are made of whole tokens by default, and a gap always hides one; the printed Algorithm 1 is
    repaired; documents and people can be counted; published counting is an addition. See the page beside this file.

    >>> KRepeats(k=4, unit="document").guarantee.level
    'substring 4-anonymity by document (published counts)'
    """

    k: int = option(low=2)
    """How many must share every visible run, at least 2."""
    unit: Literal["person", "document", "occurrence"] = option("person", level="everyday")
    """Who is counted: people, documents, or plain occurrences (the paper; protects nobody's repeated name)."""
    count_in: Literal["published", "original"] = option("published", level="paper")
    """Where runs are counted: in the release (anyone can verify it) or in the original (the paper)."""
    granularity: Literal["token", "word", "character"] = option("token", level="paper")
    """What runs are made of: tokens (words, numbers, codes, names in a row), words, or characters (the paper)."""
    min_length: int = option(1, low=1, level="paper")
    """Shortest run to show, in characters; the paper used 6 for clinical text, by character."""
    first_pass: tuple[str, ...] = option(("patterns",), level="everyday")
    """Searches that hide what they find before anything is counted: patterns, fields, presidio, or none."""
    hide: tuple[str, ...] = option((), path=True, level="everyday")
    """Files of spans to hide: JSON lines with `document` and `spans`, i2b2, brat, Presidio."""
    show: tuple[str, ...] = option((), path=True, level="everyday")
    """Files of public words, one a line, in small letters: these may be shown whoever uses them."""
    markers: Literal["plain", "typed"] = option("plain", level="everyday")
    """With `typed`, what the first pass found reads [DATE] or [PHONE] where k people have such a place."""
    language: str = "en"
    """For the first pass with Presidio: which of its recognisers."""
    cover: Literal["greedy", "optimal"] | None = option(None, level="paper")
    """For original counts: the paper's longest-first choice (default), or keep the most text possible."""
    gaps: Literal["solid", "any"] = option("solid", needs={"granularity": ("token", "word")}, level="paper")
    """What parts two runs of words or tokens: a hidden word or number, or anything."""
    spans: str | None = "[…]"
    """Written for every suppressed run; hides how long it was. `none`: one mask per character instead."""
    mask: str = option("★", level="paper")
    """Written for every suppressed character with spans=none; where the text itself has it, it is suppressed."""
    background: tuple[str, ...] = option((), path=True, level="paper")
    """Public text files, folders or JSON lines: what k of their documents contain may also be shown."""
    keep: tuple[str, ...] = option((), level="everyday")
    """Columns of the source to publish beside the text as they are; you declare that they are public."""

    id, accepts, paper = "k-repeats", Corpus, TEXT
    layout = "documents"
    example = {"k": 4}  # noqa: RUF012

    def __post_init__(self) -> None:
        if self.spans == "none":
            object.__setattr__(self, "spans", None)
        if self.first_pass in (("none",), "none"):
            object.__setattr__(self, "first_pass", ())
        super().__post_init__()
        self._check_finders()
        if self.cover is not None:
            if self.count_in == "published":
                raise self.refuse(
                    f"‹cover={self.cover!r}› works on original counts. Pass ‹count_in='original'› with it."
                )
            if self.cover == "optimal" and self.granularity != "character" and self.gaps == "any":
                raise self.refuse(
                    "‹cover='optimal'› needs ‹gaps='solid'›: otherwise up to 73 % of the gaps hide only a blank, and a "
                    "reader joins the runs again."
                )
        check_mask(self, "mask")
        if self.spans is not None:
            self._check_marker(self.spans)
        for name in ("background", "hide", "show"):
            found = getattr(self, name)
            if isinstance(found, str) or not all(isinstance(p, (str, Path)) for p in found):
                raise self.refuse(f"{name} must be a tuple of paths, got {name}={found!r}.")
        if isinstance(self.keep, str) or {"document", "text"} & set(self.keep):
            raise self.refuse(f"keep must be a tuple of columns beside the text, got keep={self.keep!r}.")

    def _check_finders(self) -> None:
        unknown = [name for name in self.first_pass if name not in FINDERS]
        if isinstance(self.first_pass, str) or unknown:
            raise self.refuse(f"first_pass must be among {', '.join(FINDERS)}, got first_pass={self.first_pass!r}.")
        if self.markers == "typed" and not (self.first_pass or self.hide):
            raise self.refuse("markers='typed' names what a first pass found. Pass first_pass or hide with it.")
        if self.markers == "typed" and self.spans is None:
            raise self.refuse("markers='typed' needs a marker for runs, such as spans='[…]'; lengths change with it.")

    def _check_marker(self, marker: Any) -> None:
        if not isinstance(marker, str) or not marker.strip() or not marker.isprintable():
            raise self.refuse(f"spans must be a visible marker such as '[…]', got spans={marker!r}.")
        if any(marker.startswith(marker[-n:]) for n in range(1, len(marker))):
            raise self.refuse(
                f"spans must not end as it begins, got spans={marker!r}. Beside visible text a reader could not tell "
                "where it starts; take a marker such as '[…]'."
            )

    def idle(self, data: Data | None = None) -> Mapping[str, str]:
        """A language without Presidio, gaps between characters, a mask beside a marker."""
        out = dict(super().idle(data))
        if "presidio" not in self.first_pass:
            out["language"] = "‹first_pass='presidio'›"
        if self.spans is not None:
            out["mask"] = "‹spans='none'›"
        return out

    @property
    def mark(self) -> str:
        """What is written in place of suppressed text."""
        return self.mask if self.spans is None else self.spans

    @property
    def solid(self) -> bool:
        """Whether a gap always hides a word or number."""
        return self.granularity != "character" and self.gaps == "solid"

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
            solid=self.solid,
            first_pass=self.first_pass,
            hide=len(self.hide),
            show=len(self.show),
            markers=("typed",) if self.markers == "typed" else (),
            kept=self.keep,
        )

    def apply(self, data: Corpus, *, rng: Randomness, engine: Engine) -> Release:
        """Search, find repeats, choose what to keep, suppress the rest."""
        owners = owners_of(data, self.unit, self.k)
        check_utf8(data)
        data.columns_named(self.keep)
        public = load_background(self.background) if self.background else None
        if self.show:
            public = load_words(self.show, self.k, public)
        found: dict[str, list[first_pass.Span]] = {}
        if self.first_pass or self.hide:
            with engine.progress("Searching for what looks private", None):
                found = first_pass.found_by(
                    data, self.first_pass, owners=owners, k=self.k, language=self.language, hide=self.hide
                )
        spans = first_pass.merged([span for some in found.values() for span in some])
        typed = markers.write(data, spans) if self.markers == "typed" else None
        text = data if typed is None else typed.data
        hidden = first_pass.per_byte(data, spans) if typed is None else typed.hidden
        with ExitStack() as work:
            within = None
            if engine.memory is not None and text.utf8.size * BYTES_PER_BYTE[self.granularity] > engine.memory:
                within = Within(work.enter_context(engine.workspace()), engine.memory // 2, engine.threads)
            with engine.progress("Sorting suffixes", None):
                index = TextIndex.build(
                    Documents(text.utf8, text.offsets),
                    granularity=self.granularity,
                    forbidden=self.mark,
                    background=public,
                    hidden=hidden,
                    hollow_gaps=not self.solid,
                    within=within,
                )
            with engine.progress("Choosing what stays", None):
                if self.count_in == "published":
                    keep = index.keep_by_published(owners, self.k, self.min_length)
                else:
                    keep = index.keep_by_original(owners, self.k, self.min_length, self.cover or "greedy")
            del index
        private = {
            name: pa.table({"path": [str(Path(p).absolute()) for p in getattr(self, name)]})
            for name in ("background", "show")
            if getattr(self, name)
        }
        if found:
            private["found"] = first_pass.table_of(data, found)
        return masked_release(
            self,
            data,
            keep,
            rng=rng,
            owners=owners,
            mark=self.mark,
            per_character=self.spans is None,
            private=private,
            typed=typed,
            columns=self.keep,
        )
