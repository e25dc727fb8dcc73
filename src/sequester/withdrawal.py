"""Somebody withdraws: which releases hold them, and what publishing again without them would show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sequester.accounts import open_account
from sequester.accounts.account import DEFAULT_DELTA, Entry
from sequester.accounts.budget import composed
from sequester.accounts.overlap import grouping, texts
from sequester.errors import SequesterError, counted
from sequester.flow import open_bundle
from sequester.query.bundle import Bundle


@dataclass(frozen=True)
class Withdrawn:
    """One release that holds people who withdraw."""

    entry: Entry
    people: int
    """How many of them it holds."""
    says: str
    """What a reader of it and of a new release without them could learn, and what the new one would cost."""


def withdraw(folder: str | Path, people: Iterable[str], *, population: str = "") -> list[Withdrawn]:
    """Note that people have withdrawn: later releases must leave them out.

    Parameters
    ----------
    folder
        Where the bundles and the account lie.
    people
        Who withdraws, as the source names them.
    population
        Which people, where the folder holds releases of several populations.

    Returns
    -------
    list of Withdrawn
        The releases that hold them, and what publishing each again without them would show.
    """
    lines = list(dict.fromkeys(people))
    account = open_account(folder)
    return [
        Withdrawn(entry, count, _would_show(Path(folder) / entry.bundle, entry, set(lines)))
        for entry, count in account.withdraw(lines, population)
    ]


def _would_show(place: Path, entry: Entry, people: set[str]) -> str:
    if entry.cost is not None:
        pure = entry.cost.rho == 0 and entry.cost.delta == 0
        spent = f"epsilon = {composed([entry.cost], 0.0 if pure else DEFAULT_DELTA):.3g}"
        spent += "" if pure else f" (at delta = {DEFAULT_DELTA:g})"
        return (
            f"Publishing it again without them spends {spent} once more on everybody else. The noise of both releases "
            "covers the difference: a reader of both learns about them no more than the two promises allow together."
        )
    try:
        bundle = open_bundle(place, check=False, private=True)
    except (SequesterError, OSError):
        return "Its bundle is not here any more, so nobody can say what publishing it again would show."
    return _in_groups(bundle, people) or _in_documents(bundle, people) or _in_counts(bundle)


def _in_groups(bundle: Bundle, people: set[str]) -> str:
    groups = grouping(bundle.tables, bundle.private)
    if not groups:
        return ""
    size = Counter(g for of in groups.values() for g in of)
    lost = Counter(g for p in people & groups.keys() for g in groups[p])
    if not lost:
        return "They were in the source, but no group of the release shows them: it can stay as it is."
    k = bundle.guarantee.parameters.get("k")
    below = sum(size[g] - n < k for g, n in lost.items()) if isinstance(k, int) else 0
    whole = sum(size[g] - n for g, n in lost.items() if isinstance(k, int) and size[g] - n < k)
    held = " and ".join(f"{size[g]} → {size[g] - n}" for g, n in sorted(lost.items(), key=str)[:3])
    more = f" (and {len(lost) - 3} more)" if len(lost) > 3 else ""
    many = f"{counted(len(lost), 'group')}" if len(lost) > 1 else "one group"
    said = (
        f"Publishing it again with the same groups changes {many} of people ({held}{more}). A reader of both sees "
        "which groups became smaller, and what only the people who left them had."
    )
    if below:
        fall = f"{below} of these groups" if len(lost) > 1 else "It"
        said += (
            f" {fall} would fall below k={k}: with --grouping the {counted(whole, 'person', 'people')} left "
            "there stay out as well."
        )
    return said + " New groups instead would let both releases together single people out; `publish` tells how many."


def _in_documents(bundle: Bundle, people: set[str]) -> str:
    shown = texts(bundle.tables, bundle.private)
    known = bundle.private.get("documents")
    if not shown or known is None:
        return ""
    if "person" not in known.column_names:
        return "Nobody noted whose document each is: what a reader of both would see cannot be told."
    theirs = sum(
        p in people and d in shown
        for p, d in zip(known["person"].to_pylist(), known["original"].to_pylist(), strict=True)
    )
    return (
        f"Publishing it again without them leaves {theirs} of {counted(len(shown), 'document')} out. A reader of both "
        "sees which documents are gone, and reads in the old release what they showed. Words that fewer than k others "
        "share without them are masked elsewhere too."
    )


def _in_counts(bundle: Bundle) -> str:
    return (
        f"Publishing it again without them lowers the counts of {bundle.manifest['method']['id']} by what was theirs. "
        "A reader who subtracts one release from the other sees it. Wait until many people have joined or left, or "
        "publish with differential privacy."
    )
