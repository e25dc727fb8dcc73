"""The three passes of the tokeniser on lists of runs that say what they are, instead of bits of a number."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sequester.methods.text.shared.kernels import tokens as t

WORDED = (t.SPACED, t.HAN, t.HIRAGANA)


@dataclass(frozen=True)
class Run:
    """What is known of a run of characters."""

    at: int
    facts: frozenset
    groups: int = 0
    count: int = 0
    kind: int = t.OTHER


NAMED = ("UPPER", "SMALL", "MARK", "SOLID", "TOUCHING", "NUMERIC", "SLASH", "BLANK", "COMMA", "STOP", "DOT")
ALL = ("DIGIT", *NAMED, "HAS_DIGIT", "LAST_DIGIT", "FIRST_DIGIT")


def read(at: int, bits: int) -> Run:
    facts = frozenset(name for name in ALL if bits & getattr(t, name))
    return Run(at, facts, (bits >> t.GROUPS) & 3, bits >> t.COUNT, bits & t.KIND)


def bits(run: Run) -> int:
    value = run.kind | (run.groups << t.GROUPS) | (run.count << t.COUNT)
    for name in run.facts:
        value |= getattr(t, name)
    return value


def runs(characters: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """First pass: (byte, facts) of every character become (byte, facts) of every run of one class."""
    parts: list[list[Run]] = []
    for at, facts in characters:
        here = read(at, facts)
        open_kind = parts[-1][0].kind if parts else None
        if open_kind in WORDED and (here.kind == open_kind or "MARK" in here.facts):
            parts[-1].append(here)
        else:
            parts.append([here])
    out = []
    for part in parts:
        digits = ["DIGIT" in c.facts for c in part]
        facts = set(part[0].facts) - {"DIGIT"}
        if any("SOLID" in c.facts for c in part):
            facts.add("SOLID")
        if not all("SMALL" in c.facts for c in part):
            facts.discard("SMALL")
        facts |= {"HAS_DIGIT"} if any(digits) else set()
        facts |= {"FIRST_DIGIT"} if digits[0] else set()
        facts |= {"LAST_DIGIT"} if digits[-1] else set()
        groups = sum(now and not before for before, now in zip([False, *digits], digits))
        run = Run(part[0].at, frozenset(facts), min(groups, 3), min(len(part), 255), part[0].kind)
        out.append((run.at, bits(run)))
    return out


def _joins(left: Run, between: Run, right: Run) -> bool:
    numbers = "LAST_DIGIT" in left.facts and "FIRST_DIGIT" in right.facts
    if right.kind != t.SPACED:
        return False
    if between.kind == t.OTHER:
        either = "HAS_DIGIT" in left.facts | right.facts
        return (
            "TOUCHING" in between.facts
            or ("NUMERIC" in between.facts and numbers)
            or ("SLASH" in between.facts and either)
        )
    return between.kind == t.HAN and between.count == 1 and numbers


def codes(told: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Second pass: codes, decimals, dates, addresses, hyphened words."""
    left, out = [read(*one) for one in told], []
    while left:
        first = left.pop(0)
        if first.kind != t.SPACED:
            out.append(first)
            continue
        parts = [first]
        while len(left) > 1 and _joins(parts[-1], left[0], left[1]):
            parts += [left.pop(0), left.pop(0)]
        words = parts[::2]  # every second one is what joins them
        if left and "LAST_DIGIT" in parts[-1].facts and left[0].kind == t.HAN and left[0].count == 1:
            parts.append(replace(left.pop(0), facts=frozenset()))
        facts = {"SOLID"} if any("SOLID" in p.facts for p in parts) else set()
        facts |= {"HAS_DIGIT"} if any("HAS_DIGIT" in w.facts for w in words) else set()
        facts |= {"SMALL"} & first.facts if len(words) == 1 and len(parts) == 1 else set()
        at, count = first.at, sum(p.count for p in parts)
        if sum(w.groups for w in words) > 1 and out and out[-1].kind == t.HAN:
            before = out.pop()
            at, count = before.at, count + before.count
            facts |= {"SOLID"} & before.facts
        else:
            facts |= {"UPPER"} & first.facts
        out.append(Run(at, frozenset(facts), 0, min(count, 255), t.SPACED))
    return [(run.at, bits(run)) for run in out]


def _name(run: Run) -> bool:
    return run.kind == t.SPACED and bool(run.facts & {"UPPER", "HAS_DIGIT"})


def _small(run: Run) -> bool:
    return run.kind == t.SPACED and "SMALL" in run.facts and run.count <= 3


def _next_of_name(row: list[Run], j: int) -> int | None:
    """The word or number that goes on with a name, or None."""
    x = j + 1
    if x < len(row) and row[x].kind == t.OTHER:
        short = row[j].count <= 3
        if "COMMA" in row[x].facts or ("STOP" in row[x].facts and short):
            x += 1
    if x >= len(row) or "BLANK" not in row[x].facts:
        return None
    y = x + 1
    if y < len(row) and _name(row[y]):
        return y
    hops = 0
    while hops < 2 and y + 1 < len(row) and _small(row[y]) and "BLANK" in row[y + 1].facts:
        y, hops = y + 2, hops + 1
    if hops and y < len(row) and row[y].kind == t.SPACED and "UPPER" in row[y].facts:
        return y
    return None


def names(told: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Third pass: capitalised words and numbers in a row, Han and Katakana runs in a row."""
    row, out, i = [read(*one) for one in told], [], 0
    while i < len(row):
        j = i
        if _name(row[i]):
            while (further := _next_of_name(row, j)) is not None:
                j = further
        elif row[i].kind == t.HAN:
            while j + 2 < len(row) and row[j + 2].kind == t.HAN and row[j + 1].facts & {"BLANK", "DOT"}:
                j += 2
        solid = frozenset({"SOLID"}) if any("SOLID" in r.facts for r in row[i : j + 1]) else frozenset()
        out.append((row[i].at, bits(Run(row[i].at, solid, 0, 0, row[i].kind))))
        i = j + 1
    return out
