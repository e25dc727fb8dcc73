"""Judge of substring k-anonymity.

From the release alone: tables and spans are well formed, no run is too short, and (published counts) every run is
visible in k documents, people or places of the release. Original counts cannot be seen in a release: without the
original the judge says so and the promise stands unconfirmed. With the original: every document is an original with
characters suppressed and nothing else changed, original counts, edges of words and tokens, a letter or digit in every
gap, kept columns, and how documents are grouped by owner.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from sequester.errors import counted, verb_for
from sequester.judges.shared_runs import edges_of, is_solid, rare_runs
from sequester.judges.text_release import ReleasedText, fit, grouping, match_originals, read_release
from sequester.judges.typed_markers import originals_with_markers
from sequester.model import Corpus
from sequester.release import Check, Claim, from_release

NEEDED = {"k", "count_in", "min_length", "granularity", "mark", "per_character", "background"}


def judge(claim: Claim, source: Corpus | None) -> list[Check]:
    """Recompute the promise."""
    parameters, unit = claim.guarantee.parameters, claim.guarantee.unit
    if not set(parameters) >= NEEDED or not parameters["mark"]:
        return [Check(name="promise", passed=False, detail="the promise lacks parameters the judge needs")]
    published = parameters["count_in"] == "published"
    release, checks = read_release(
        claim,
        mark=parameters["mark"],
        per_character=parameters["per_character"],
        with_owners=published and unit == "person",
        kept=parameters.get("kept", ()),
        typed=bool(parameters.get("markers")),
    )
    if release is None:
        return checks
    runs = [release.runs(i) for i in range(len(release.texts))]
    short = sum(len(run) < parameters["min_length"] for row in runs for run in row)
    n_runs = sum(map(len, runs))
    checks.append(
        Check(
            name="run length",
            passed=short == 0,
            detail=f"{short} of {counted(n_runs, 'run')} {verb_for(short, 'is', 'are')} shorter than "
            f"{counted(parameters['min_length'], 'character')}",
        )
    )
    if parameters.get("solid"):
        bare = sum(not any(map(is_solid, run)) for row in runs for run in row)
        checks.append(
            Check(
                name="bare runs",
                passed=bare == 0,
                detail=f"{bare} of {counted(n_runs, 'run')} {verb_for(bare, 'has', 'have')} no letter or digit",
            )
        )
    if published:
        pieces = [run for row in runs for run in row]
        owners = [owner for owner, row in zip(release.owners, runs) for _ in row]
        checks.append(_shared(claim, runs, pieces, owners, "released"))
    elif source is None:
        detail = "runs are counted in the original, which a release does not show"
        checks.append(Check(name="shared runs", passed=False, undecided=True, detail=detail))
    checks = from_release(checks)
    if source is not None:
        checks += _beside_the_original(claim, release, runs, source)
    return checks


def _shared(claim: Claim, runs: list[list[str]], pieces: list[str], owners: list[Any], where: str) -> Check:
    parameters, unit = claim.guarantee.parameters, claim.guarantee.unit
    distinct = {run for row in runs for run in row}
    grain = parameters["granularity"]
    rare = rare_runs(distinct, pieces, owners, parameters["k"], unit=unit, granularity=grain)
    for name, enough in (("background", parameters["k"]), ("show", 1)):
        if not rare or not parameters.get(name):
            continue
        try:
            public = list(_background(claim, name))
        except (OSError, UnicodeError, ValueError, KeyError, TypeError):
            what = "background" if name == "background" else "word list"
            detail = f"{counted(len(rare), 'run rests', 'runs rest')} on the {what}, whose files were not found here"
            return Check(name="shared runs", passed=False, undecided=True, detail=detail)
        rare = rare_runs(rare, public, range(len(public)), enough, unit="document", granularity=grain)
    n_rare = sum(run in rare for row in runs for run in row)
    whom = {"occurrence": "occurrences", "document": "documents", "person": "people"}[unit]
    detail = (
        f"{n_rare} of {counted(sum(map(len, runs)), 'run')} {verb_for(n_rare, 'is', 'are')} shared by fewer "
        f"than {parameters['k']} {where} {whom}"
    )
    return Check(name="shared runs", passed=n_rare == 0, detail=detail)


def _background(claim: Claim, name: str) -> Iterator[str]:
    """Public documents or words: at the custodian's paths, else files of the published names in the working folder."""
    table = claim.private.get(name)
    paths = table.column("path").to_pylist() if table is not None else claim.parameters[name]
    for path in map(Path, paths):
        if name == "show":
            yield from (line.strip() for line in path.read_bytes().decode("utf-8").splitlines() if line.strip())
        elif path.is_dir():
            yield from (p.read_bytes().decode("utf-8") for p in path.rglob("*.txt"))
        elif ".jsonl" in path.suffixes:
            raw = path.read_bytes()
            lines = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8").split("\n")
            yield from (json.loads(line)["text"] for line in lines if line)
        else:
            yield path.read_bytes().decode("utf-8")


def _beside_the_original(claim: Claim, release: ReleasedText, runs: list[list[str]], source: Corpus) -> Iterator[Check]:
    parameters, unit = claim.guarantee.parameters, claim.guarantee.unit
    grain, solid = parameters["granularity"], bool(parameters.get("solid"))
    originals: Sequence[str] | None = source.texts
    if release.typed:
        originals, check = originals_with_markers(claim, source)
        yield check
        release.beside_marked = originals is not None
    exact = grain != "character" and originals is not None

    def strict(i: int, original: str) -> bool:
        return _laid_beside(release, i, original, grain, solid=solid) == (True, True)

    pairs, detail = match_originals(claim, release, source, strict=strict if exact else None, originals=originals)
    yield Check(name="unchanged characters", passed=pairs is not None, detail=detail)
    if unit == "person" and not source.people_known:
        detail = (
            "the promise counts people, and the original does not say whose each document is: name its column of people"
        )
        yield Check(name="people of the original", passed=False, detail=detail)
    elif parameters["count_in"] == "original" and originals is not None:
        owners = source.persons.tolist() if unit == "person" else list(range(source.n_records))
        yield _shared(claim, runs, list(originals), owners, "original")
    elif parameters["count_in"] == "original":
        detail = "runs with markers are counted in the original with its markers"
        yield Check(name="shared runs", passed=False, undecided=True, detail=detail)
    elif unit == "person":
        yield grouping(claim, release, pairs, source)
    if pairs is None:
        return
    if exact and originals is not None:
        yield from _edges_and_gaps(release, pairs, originals, grain, solid=solid)
    for name in parameters.get("kept", ()):
        shown = claim.tables["documents"].column(name).to_pylist()
        true = source.columns.get(name)
        wrong = len(shown) if true is None else sum(a != true[j] for a, j in zip(shown, pairs))
        yield Check(
            name=f"column {name}",
            passed=wrong == 0,
            detail=f"{counted(wrong, 'cell differs', 'cells differ')} from the original",
        )


def _laid_beside(release: ReleasedText, i: int, original: str, granularity: str, *, solid: bool) -> tuple[bool, bool]:
    """Whether document i cuts no token of this original, and whether each of its gaps hides a letter or digit."""
    free = edges_of(original, granularity) or set()
    if release.per_character:
        hidden = release.spans(i)
        inner = [(s, e) for s, e in hidden if s > 0 and e < len(original)]
        full = not solid or all(any(map(is_solid, original[s:e])) for s, e in inner)
        return {p for span in hidden for p in span} <= free, full
    if fit(release.texts[i], original, release.mark, free) is None:
        return False, True
    counts = list(accumulate(map(int, map(is_solid, original)), initial=0))
    return True, not solid or fit(release.texts[i], original, release.mark, free, counts) is not None


def _edges_and_gaps(
    release: ReleasedText, pairs: list[int], originals: Sequence[str], granularity: str, *, solid: bool
) -> Iterator[Check]:
    """No run cuts a word or token of its original; where that is promised, every gap hides a letter or digit."""
    cut = hollow = 0
    for i, j in enumerate(pairs):
        whole, full = _laid_beside(release, i, originals[j], granularity, solid=solid)
        cut += not whole
        hollow += not full
    yield Check(
        name=f"{granularity} edges",
        passed=cut == 0,
        detail=f"{counted(cut, 'document shows', 'documents show')} a run that cuts a {granularity}",
    )
    if solid:
        yield Check(
            name="gaps",
            passed=hollow == 0,
            detail=f"{counted(hollow, 'document has', 'documents have')} a gap between two runs that hides no "
            "letter or digit",
        )
