"""Question: how likely is a re-identification, for each of the three customary attackers?

* The **prosecutor** knows that the target is in the data: the chance is one over the people who fit.
* The **journalist** does not know it; the fitting people must be counted in the population the data was drawn from.
  Without a table of that population they are estimated: given *f* fitting people in a sample of share *s*, their
  number F in the population is taken as negative binomial, and the chance is the mean of 1/F (Benedetti and Franconi).
* The **marketer** wants as many as possible and does not care who: the mean over all people.
"""

from __future__ import annotations

import numpy as np

from sequester.errors import ParameterError, counted
from sequester.release import Figure


def population_risk(fits: np.ndarray, share: float) -> np.ndarray:
    """Mean of 1/F for every number of fitting people in the sample, when the sample is `share` of the population."""
    fits = np.asarray(fits, dtype=np.int64)
    if share >= 1:
        return 1 / fits
    values, back = np.unique(fits, return_inverse=True)
    # E[1/F] = s^f * integral over 0..1 of t^(f-1) (1 - (1-s) t)^(-f). With w = s t / (1 - (1-s) t), which also runs
    # from 0 to 1, the integrand is w^(f-1) s / (s + (1-s) w); w = u^8 spreads its peak near 0 for a small share.
    nodes, weights = np.polynomial.legendre.leggauss(200)
    u = (nodes + 1) / 2
    w, dw = u**8, 4 * u**7 * weights
    risks = np.array([np.sum(dw * w ** (f - 1) * share / (share + (1 - share) * w)) for f in values])
    return risks[back]


def figures(
    fits: np.ndarray, n_people: int, *, points: int, noun: str, population: int | None, threshold: float
) -> list[Figure]:
    """Prosecutor, journalist and marketer risk at `points` known points."""
    if population is not None and (isinstance(population, bool) or population < n_people):
        raise ParameterError(
            f"assess: population must be at least the {counted(n_people, 'person', 'people')} of the data, got "
            f"population={population!r}."
        )
    if not 0 < threshold < 1:
        raise ParameterError(f"assess: threshold must lie between 0 and 1, got threshold={threshold!r}.")
    if not len(fits):
        return []
    known = f"{points} known {noun}"
    prosecutor = 1 / fits
    journalist = population_risk(fits, n_people / population) if population else prosecutor
    basis = f"a population of {population}" if population else "no population size given, so the same as prosecutor"
    return [
        Figure(name="prosecutor_highest", value=float(prosecutor.max()), better="lower",
               says=f"Chance for the most exposed person, by someone who knows they are in the data and {known}."),
        Figure(name="prosecutor_at_risk", value=float((prosecutor > threshold).mean()), better="lower",
               says=f"Share of people whose chance exceeds {threshold:g}."),
        Figure(name="journalist_highest", value=float(journalist.max()), better="lower",
               says=f"Chance for the most exposed person when it is unknown who is in the data ({basis})."),
        Figure(name="journalist_at_risk", value=float((journalist > threshold).mean()), better="lower",
               says=f"Share of people whose chance, by the journalist's reckoning, exceeds {threshold:g}."),
        Figure(name="marketer", value=float(prosecutor.mean()), better="lower",
               says=f"Share of people re-identified by guessing for everybody with {known}."),
    ]  # fmt: skip
