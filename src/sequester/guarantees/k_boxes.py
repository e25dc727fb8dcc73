"""k-anonymity of boxes: every series lies in a box shared by k, released as the box or as a random draw from it."""

from __future__ import annotations

from sequester.guarantees.wording import SEVERAL
from sequester.release import Guarantee

MODEL = "k-boxes"


def k_boxes(*, k: int, unit: str, drawn: bool) -> Guarantee:
    """The promise of `tga`."""
    noun = {"person": "people", "record": "records"}[unit]
    left_out = [
        "Sensitive values: members of a box may all have the same one.",
        "Differential privacy: the presence of a person may show in a box's ends.",
        SEVERAL,
    ]
    if drawn:
        left_out.insert(
            0,
            "Indistinguishable rows: released series are random draws, no two alike, so the release alone does not "
            "show which rows share a box, nor that boxes hold k.",
        )
    if unit == "record":
        left_out.append("People with several records: they count once per record.")
    how = "is a uniform draw from a box that covers" if drawn else "shows a box that covers"
    return Guarantee(
        model=MODEL,
        level=("series drawn from " if drawn else "") + f"boxes of {k}",
        parameters={"k": k, "drawn": drawn},
        unit=unit,
        status="as-published" if drawn else "verifiable",
        statement=f"Every released series {how} the series of at least {k} {noun}.",
        not_covered=tuple(left_out),
        needs_original=drawn,
    )
