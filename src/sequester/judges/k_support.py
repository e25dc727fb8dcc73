"""The judge of k-support: every released sequence must be the beginning of at least k released sequences.

That is enough for every part of it: whatever is contained in a sequence is contained in everything that begins with it.
"""

from __future__ import annotations

from collections import Counter

from sequester.errors import counted, verb_for
from sequester.judges.released_columns import alphabet_misfit, one_record_each
from sequester.model import Data, Series
from sequester.release import Check, Claim, from_release


def judge(claim: Claim, source: Data | None) -> list[Check]:
    """Recount prefixes from the released sequences alone."""
    k = claim.guarantee.parameters.get("k")
    if not isinstance(k, int) or k < 2:
        return [Check(name="table", passed=False, detail="the promise states no k of at least 2")]
    if "sequences" not in claim.tables or set(claim.tables) - {"sequences", "alphabet"}:
        return [Check(name="table", passed=False, detail="exactly the tables sequences and alphabet may be released")]
    table = claim.tables["sequences"]
    if table.column_names != ["record", "sequence"]:
        return [Check(name="table", passed=False, detail="the columns must be record and sequence")]
    if wrong := alphabet_misfit(claim):
        return [Check(name="table", passed=False, detail=wrong)]
    texts = table.column("sequence").to_pylist()
    numbers = table.column("record").to_pylist()
    if not texts or not all(isinstance(t, str) and t for t in texts):
        return [Check(name="table", passed=False, detail="a sequence is missing, empty or not text")]
    if "alphabet" in claim.tables:
        known = set(claim.tables["alphabet"].column("letter").to_pylist())
        strange = len({letter for text in set(texts) for letter in text.split(" ")} - known)
        if strange:
            detail = f"{counted(strange, 'letter')} of the sequences {verb_for(strange, 'is', 'are')} not in alphabet"
            return [Check(name="table", passed=False, detail=detail)]
    begins: Counter[tuple[str, ...]] = Counter()
    for text, times in Counter(texts).items():
        symbols = tuple(text.split(" "))
        for end in range(1, len(symbols) + 1):
            begins[symbols[:end]] += times
    rarest = min(begins[tuple(text.split(" "))] for text in set(texts))
    checks = [
        Check(
            name="table",
            passed=sorted(n for n in numbers if isinstance(n, int)) == list(range(1, len(texts) + 1)),
            detail=f"{counted(len(texts), 'sequence')}, numbered 1..{len(texts)}",
        ),
        Check(
            name="support",
            passed=rarest >= k,
            detail=f"{len(set(texts))} different sequences, the rarest begins {rarest} of them; promised {k}",
        ),
    ]
    checks = from_release(checks)
    if source is not None:
        over = len(texts) > source.n_records
        checks.append(
            Check(
                name="size",
                passed=not over,
                detail=f"{counted(len(texts), 'sequence')} from {counted(source.n_records, 'record')}",
            )
        )
    if isinstance(source, Series) and claim.guarantee.unit == "person":
        checks.append(one_record_each(source))
    return checks
