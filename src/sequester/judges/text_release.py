"""What the judges of text read from a release: documents, visible runs, owners, and which original each one was."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.model import Corpus
from sequester.release import Check, Claim

TYPED = re.compile(r"\[[A-Z][A-Z_]*\]")
"""A typed marker."""


@dataclass
class ReleasedText:
    """The documents of a release and where something was suppressed in them."""

    names: list[str]
    texts: list[str]
    owners: list[Any]
    """Whose each document is: its own number, or the released owner."""
    mark: str
    per_character: bool
    typed: bool = False
    """Whether markers such as [DATE] stand in place of text; they are part of a run."""
    beside_marked: bool = False
    """Whether originals are given with their markers; otherwise only the letters between markers can be compared."""

    def bare(self, i: int) -> str:
        """Document i to be laid beside its original; a plain mark for every marker, unless that has them as well."""
        return TYPED.sub(self.mark, self.texts[i]) if self.typed and not self.beside_marked else self.texts[i]

    def runs(self, i: int) -> list[str]:
        """Visible runs of document i."""
        return [run for run in self.texts[i].split(self.mark) if run]

    def spans(self, i: int) -> list[tuple[int, int]]:
        """Suppressed stretches of document i, in characters."""
        text, size = self.texts[i], len(self.mark)
        out: list[tuple[int, int]] = []
        at = text.find(self.mark)
        while at >= 0:
            if self.per_character and out and out[-1][1] == at:
                out[-1] = (out[-1][0], at + size)
            else:
                out.append((at, at + size))
            at = text.find(self.mark, at + size)
        return out


def read_release(
    claim: Claim,
    *,
    mark: str,
    per_character: bool,
    with_owners: bool,
    kept: Sequence[str] = (),
    typed: bool = False,
) -> tuple[Any, list[Check]]:
    """The release, or None with the check that says what is malformed; `kept` columns may have empty cells."""
    columns = {"document": "string", **dict.fromkeys(kept, "string"), "text": "string"}
    expected = {"documents": columns,
                "spans": {"document": "string", "start": "int64", "end": "int64"}}  # fmt: skip
    if with_owners:
        expected["owners"] = {"document": "string", "owner": "int64"}
    problem = _malformed(claim, expected, set(kept))
    if problem:
        return None, [Check(name="tables", passed=False, detail=problem)]
    documents = claim.tables["documents"]
    names, texts = documents.column("document").to_pylist(), documents.column("text").to_pylist()
    owners: list[Any] = list(names)
    if with_owners:
        table = claim.tables["owners"]
        owner_of = dict(zip(table.column("document").to_pylist(), table.column("owner").to_pylist(), strict=True))
        if table.num_rows != len(names) or set(owner_of) != set(names):
            detail = f"{counted(table.num_rows, 'owner')} for {counted(len(names), 'document')}, one each is needed"
            return None, [Check(name="tables", passed=False, detail=detail)]
        owners = [owner_of[name] for name in names]
    release = ReleasedText(names, texts, owners, mark, per_character, typed)
    return release, [
        Check(name="tables", passed=True, detail=f"{counted(len(names), 'document')}"),
        _check_spans(claim, release),
        *_misnumbered(names, owners if with_owners else None),
    ]


def _malformed(claim: Claim, expected: dict[str, dict[str, str]], may_be_empty: set[str]) -> str:
    if set(claim.tables) != set(expected):
        return f"the release must hold the tables {', '.join(expected)}; it holds {', '.join(claim.tables)}"
    for name, columns in expected.items():
        table = claim.tables[name]
        found = {f.name: str(f.type).removeprefix("large_") for f in table.schema}
        if found != columns:
            return f"table {name} must have {columns}, it has {found}"
        nulls = sum(table.column(c).null_count for c in columns if c not in may_be_empty)
        if nulls:
            return f"table {name} has {nulls} empty cells"
    names = claim.tables["documents"].column("document")
    if len(names.unique()) != len(names):
        return f"{len(names) - len(names.unique())} document numbers occur twice"
    return ""


def _misnumbered(names: list[str], owners: list[Any] | None) -> list[Check]:
    """A check that fails where documents or owners have other names than numbers; nothing where all is well."""
    n, people = len(names), len(set(owners or ()))
    odd = ""
    if set(names) != {str(i).zfill(len(str(n))) for i in range(1, n + 1)}:
        odd = f"documents are not numbered 1 to {n}, all equally wide"
    elif owners is not None and set(owners) != set(range(1, people + 1)):
        odd = f"owners are not numbered 1 to {people}"
    return [Check(name="numbers", passed=False, detail=odd)] if odd else []


def _check_spans(claim: Claim, release: ReleasedText) -> Check:
    table = claim.tables["spans"]
    stated = set(zip(*(table.column(c).to_pylist() for c in ("document", "start", "end")), strict=True))
    found = {(name, s, e) for i, name in enumerate(release.names) for s, e in release.spans(i)}
    wrong = len(stated ^ found) + table.num_rows - len(stated)
    return Check(name="spans", passed=wrong == 0, detail=f"{wrong} of {len(found)} suppressed spans differ")


def points(text: str) -> np.ndarray:
    """Code points."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def agrees(released: str, original: str, mark: str) -> bool:
    """Every visible character is the original one, nothing was added or lost."""
    if len(released) != len(original):
        return False
    shown, true = points(released), points(original)
    return bool(np.all((shown == true) | (shown == ord(mark))))


def fit(
    released: str, original: str, mark: str, edges: set[int] | None = None, solid: Sequence[int] | None = None
) -> list[tuple[int, int]] | None:
    """Where the visible runs stand in the original when each mark replaced at least one character, or None.

    With `edges`, a run may only begin and end there; with `solid` (letters and digits before each place), a mark
    between two runs replaced at least one of them. Taking each run at the first place it fits leaves most room for the
    rest, so if any placement exists this finds one; only the last run may have to stand at the end.
    """
    pieces = released.split(mark)
    if len(pieces) == 1:
        return [(0, len(original))] if released == original else None
    out: list[tuple[int, int]] = []
    at = 0
    for number, piece in enumerate(pieces):
        first, last = number == 0, number == len(pieces) - 1
        if not piece:
            at += 0 if first or last else 1
            continue
        low = at if first else at + 1
        if last:
            start = len(original) - len(piece)
            fits = start >= low and original.endswith(piece)
            start = start if fits and _edged(start, len(piece), edges, solid, out) else -1
        elif first:
            start = 0 if original.startswith(piece) and _edged(0, len(piece), edges, solid, out) else -1
        else:
            start = original.find(piece, low)
            while start >= 0 and not _edged(start, len(piece), edges, solid, out):
                start = original.find(piece, start + 1)
        if start < 0:
            return None
        out.append((start, start + len(piece)))
        at = start + len(piece)
    if not pieces[-1] and at >= len(original):
        return None
    return out


def _edged(
    start: int, size: int, edges: set[int] | None, solid: Sequence[int] | None, before: list[tuple[int, int]]
) -> bool:
    """Whether a run may stand there: at edges, and with a letter or digit between it and the run before."""
    if edges is not None and not (start in edges and start + size in edges):
        return False
    return solid is None or not before or solid[start] > solid[before[-1][1]]


def match_originals(
    claim: Claim,
    release: ReleasedText,
    source: Corpus,
    *,
    strict: Callable[[int, str], bool] | None = None,
    originals: Sequence[str] | None = None,
) -> tuple[list[int] | None, str]:
    """For each released document the original it could be: by the custodian's map, else one by one without repeats.

    Without a map documents are first paired where `strict` (document, original text) agrees as well: a document may
    fit a stranger's original in letters, and only there cut a token. `originals` are the texts of the source, or these
    with their markers.
    """
    originals = source.texts if originals is None else originals
    if len(originals) != len(release.names):
        return None, f"{len(release.names)} released documents, {len(originals)} originals"

    def possible(i: int, j: int) -> bool:
        if release.per_character:
            return agrees(release.texts[i], originals[j], release.mark)
        return fit(release.bare(i), originals[j], release.mark) is not None

    table = claim.private.get("documents")
    if table is not None:
        mapped = _by_map(table, release, source)
        if mapped is None:
            return None, "the custodian's map does not name every document once"
        changed = sum(not possible(i, j) for i, j in enumerate(mapped))
        return (
            None if changed else mapped
        ), f"{counted(changed, 'document shows', 'documents show')} something their original does not"
    if strict is not None:
        check = strict
        found = _pair_up(release, originals, lambda i, j: possible(i, j) and check(i, originals[j]))
        if -1 not in found:
            return found, "0 documents fit no original of their own"
    found = _pair_up(release, originals, possible)
    lost = found.count(-1)
    return (None if lost else found), f"{counted(lost, 'document')} fit no original of their own"


def beside_originals(claim: Claim, release: ReleasedText, source: Corpus) -> tuple[list[int] | None, list[Check]]:
    """The original of every document, and the checks that nothing visible was changed and whose each one is."""
    pairs, detail = match_originals(claim, release, source)
    checks = [Check(name="unchanged characters", passed=pairs is not None, detail=detail)]
    if claim.guarantee.unit == "person" and not source.people_known:
        detail = "the promise counts people, and the original does not say whose each document is"
        checks.append(Check(name="people of the original", passed=False, detail=detail))
    elif claim.guarantee.unit == "person":
        checks.append(grouping(claim, release, pairs, source))
    return pairs, checks


def grouping(claim: Claim, release: ReleasedText, pairs: list[int] | None, source: Corpus) -> Check:
    """Released owners are the people of the original: same sizes, and by the custodian's map the same groups."""
    same = sorted(Counter(release.owners).values()) == sorted(Counter(source.persons.tolist()).values())
    if same and pairs is not None and "documents" in claim.private:
        links = {(owner, source.persons[j]) for owner, j in zip(release.owners, pairs)}
        same = len(links) == len(set(release.owners))
    return Check(
        name="owners", passed=same, detail="released owners " + ("match" if same else "do not match") + " people"
    )


def _by_map(table: pa.Table, release: ReleasedText, source: Corpus) -> list[int] | None:
    place = {str(d): j for j, d in enumerate(source.documents)}
    fields = dict(zip(table.column("document").to_pylist(), table.column("original").to_pylist(), strict=True))
    mapped = [place.get(fields.get(name, ""), -1) for name in release.names]
    return None if -1 in mapped or len(set(mapped)) != len(mapped) else mapped


def _pair_up(release: ReleasedText, originals: Sequence[str], possible: Callable[[int, int], bool]) -> list[int]:
    """A one-to-one pairing of released documents with originals they fit, by augmenting paths."""
    rooms: dict[int, list[int]] = {}
    for j, text in enumerate(originals):
        rooms.setdefault(len(text) if release.per_character else 0, []).append(j)
    pair = [-1] * len(release.texts)
    taken: dict[int, int] = {}
    fits: dict[int, list[int]] = {}

    def choices(i: int) -> list[int]:
        if i not in fits:
            room = rooms.get(len(release.texts[i]) if release.per_character else 0, [])
            fits[i] = [j for j in room if possible(i, j)]
        return fits[i]

    # the documents that show most first: they fit fewest originals, so later ones seldom push them aside
    for start in sorted(range(len(pair)), key=lambda i: -len(release.runs(i))):
        came_from: dict[int, int] = {}
        waiting, end = [start], -1
        while waiting and end < 0:
            i = waiting.pop()
            for j in choices(i):
                if j in came_from:
                    continue
                came_from[j] = i
                if j not in taken:
                    end = j
                    break
                waiting.append(taken[j])
        while end >= 0:
            i = came_from[end]
            before = pair[i]
            pair[i], taken[end] = end, i
            end = before if i != start else -1
    return pair
