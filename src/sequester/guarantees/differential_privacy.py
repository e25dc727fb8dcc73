"""Differential privacy, kept by a ledger: the promise of every method whose noise was calibrated and added up."""

from __future__ import annotations

from sequester.errors import ParameterError
from sequester.guarantees.wording import SEVERAL_NOISY
from sequester.release import Guarantee

MODEL = "differential-privacy"


def differential_privacy(epsilon: float, delta: float, unit: str, not_covered: tuple[str, ...]) -> Guarantee:
    """(epsilon, delta)-differential privacy when one `unit` is added or removed with everything it has in the data.

    The status is `proved`: the proof is the ledger (each mechanism's sensitivity and noise scale, and their sum),
    which the judge adds up again. It is not something a reader can see in the published rows.
    """
    if not epsilon > 0 or not 0 <= delta < 1:
        raise ParameterError(
            f"differential privacy: epsilon must be positive and delta in [0, 1), got {epsilon!r}, {delta!r}."
        )
    level = f"({epsilon:g}, {delta:g})-differential privacy" if delta else f"{epsilon:g}-differential privacy"
    failure = f", plus at most {delta:g}" if delta else ""
    return Guarantee(
        model=MODEL,
        level=level,
        parameters={"epsilon": epsilon, "delta": delta},
        unit=unit,
        status="proved",
        statement=(
            f"Adding or removing one {unit}, with all data of that {unit}, changes the probability of any published "
            f"outcome by at most a factor of exp({epsilon:g}){failure}."
        ),
        not_covered=(*not_covered, SEVERAL_NOISY),
    )
