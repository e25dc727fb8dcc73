"""Two streams: a public one that may be seeded and shown, a secret one that may not."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sequester.dp.noise import Noise, SecureNoise, TeachingNoise


@dataclass(frozen=True, kw_only=True)
class Randomness:
    """Random numbers for one run. Without a seed everything comes from the operating system."""

    seed: int | None = field(default=None, repr=False)
    public: np.random.Generator = field(init=False, repr=False)
    """Hash functions, tie shuffles, centre initialisation: may be known."""
    secret: np.random.Generator = field(init=False, repr=False)
    """Sampling, new record numbers and their order: must not be known."""
    key: bytes = field(init=False, repr=False)
    """Of hashes whose inputs nobody shall guess."""
    noise: Noise = field(default=None, repr=False)  # type: ignore[assignment]
    """The mechanisms of differential privacy; may be handed in (an audit records it)."""

    def __post_init__(self) -> None:
        public, secret, noise, key = np.random.SeedSequence(self.seed).spawn(4)
        object.__setattr__(self, "key", key.generate_state(4).tobytes())
        object.__setattr__(self, "public", np.random.default_rng(public))
        object.__setattr__(self, "secret", np.random.default_rng(secret))
        if self.noise is None:
            drawn = SecureNoise() if self.seed is None else TeachingNoise(np.random.default_rng(noise))
            object.__setattr__(self, "noise", drawn)

    @property
    def seeded(self) -> bool:
        """Whether someone who knows the seed can repeat the run."""
        return self.seed is not None
