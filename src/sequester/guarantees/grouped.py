"""A promise about clusters that is kept in every group by itself, with the group of every row published."""

from __future__ import annotations

from dataclasses import replace

from sequester.release import Guarantee


def grouped(promise: Guarantee, by: tuple[str, ...], merge_small: bool) -> Guarantee:
    """The same promise inside every group of the columns `by`."""
    k, columns = promise.parameters["k"], " and ".join(f"'{name}'" for name in by)
    return replace(
        promise,
        level=f"{promise.level}, in groups",
        parameters={**promise.parameters, "by": list(by), "merge_small": merge_small},
        statement=(
            f"{promise.statement} This holds inside every group of {columns}: no cluster mixes groups, and every group "
            f"has at least {2 * k} people."
        ),
        not_covered=(
            *promise.not_covered,
            f"The group itself: whoever knows which cluster a person is in knows their {columns}.",
            "The number of people in every group: it is exact.",
        ),
    )
