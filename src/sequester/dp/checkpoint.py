"""Noise that survives its process: every draw is on disk before it is used, and is never drawn again.

A run that was killed is resumed with the same draws: the steps that were drawn are answered from the file, whatever the
machine did in between, and only what comes after them is drawn. So a step is released once, and the ledger is spent
once. The file holds what was released and digests of what went in; it lies beside the bundle, for its owner alone, and
is removed when the bundle is published.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sequester.dp.noise import Noise
from sequester.errors import InputError


class CheckpointNoise:
    """Passes every call on, once, and keeps the answer."""

    def __init__(self, inner: Noise, path: Path, about: str, *, resume: bool = False) -> None:
        """Begin a file, or go on with one.

        Parameters
        ----------
        inner
            Where new noise comes from.
        path
            The file.
        about
            What the run is: method, parameters and size of the data, in words. Another run cannot go on with it.
        resume
            Go on with the file if it is there; otherwise it is begun anew.
        """
        self._inner, self._path = inner, path
        self.secure = inner.secure
        self.replayed = 0
        """Steps that were answered from the file."""
        self._past: list[dict[str, Any]] = []
        if resume and path.exists():
            self._past = _read(path)
            if not self._past or self._past.pop(0).get("about") != _digest(about.encode()):
                raise InputError(
                    f"resume: '{path.name}' is of a run with another method, other parameters or other data. Remove it "
                    "and publish without ‹resume=True›."
                )
            return
        path.unlink(missing_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        self._append({"about": _digest(about.encode())})

    def gaussian(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """Discrete Gaussian noise, once."""
        return self._numbers("gaussian", name, values, scale)

    def laplace(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """Discrete Laplace noise, once."""
        return self._numbers("laplace", name, values, scale)

    def _numbers(self, kind: str, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        step, known = self._step(kind, name, values, scale)
        if known is None:
            known = np.asarray(getattr(self._inner, kind)(name, values, scale))
            self._append(step | {"out": known.ravel().tolist()})
        return np.asarray(known, dtype=np.int64).reshape(np.shape(values))

    def noisy_max(self, name: str, utilities: np.ndarray, scale: float) -> int:
        """Report-noisy-max, once."""
        step, known = self._step("noisy-max", name, utilities, scale)
        if known is None:
            known = self._inner.noisy_max(name, utilities, scale)
            self._append(step | {"out": int(known)})
        return int(known)

    def threshold(
        self, name: str, keys: Sequence[Hashable], values: np.ndarray, scale: float, tau: float
    ) -> tuple[list[Hashable], np.ndarray]:
        """A sparse histogram, once."""
        step, known = self._step("threshold", name, values, scale)
        if known is None:
            shown, noisy = self._inner.threshold(name, keys, values, scale, tau)
            self._append(step | {"out": [[_told(k) for k in shown], noisy.tolist()]})
            return shown, noisy
        return [_meant(k) for k in known[0]], np.array(known[1], dtype=np.int64)

    def _step(self, kind: str, name: str, given: np.ndarray, scale: float) -> tuple[dict[str, Any], Any]:
        """The step as it is written down, and its answer if it was drawn before."""
        array = np.ascontiguousarray(given, dtype=np.int64)
        step = {"kind": kind, "name": name, "scale": float(scale), "given": _digest(array.tobytes())}
        if not self._past:
            return step, None
        past = self._past.pop(0)
        if {k: past.get(k) for k in step} != step:
            raise InputError(
                f"resume: step '{name}' is given other numbers than in the run that was interrupted; the data, the "
                f"parameters or the program have changed. Remove '{self._path.name}' and publish without ‹resume=True›."
            )
        self.replayed += 1
        return step, past["out"]

    def _append(self, line: dict[str, Any]) -> None:
        with self._path.open("a", encoding="ascii") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def published(self) -> None:
        """The release is out: nobody needs the file again."""
        self._path.unlink(missing_ok=True)


def _read(path: Path) -> list[dict[str, Any]]:
    """Whole lines; one that a kill cut off was never used."""
    lines = path.read_text("ascii").split("\n")
    found = []
    try:
        found = [json.loads(line) for line in lines[:-1]]
    except ValueError as error:
        raise InputError(
            f"resume: '{path.name}' cannot be read. Remove it and publish without ‹resume=True›."
        ) from error
    if lines[-1]:
        path.write_text("".join(line + "\n" for line in lines[:-1]), "ascii")
    return found


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _told(key: Hashable) -> list[str]:
    return ["bytes", key.hex()] if isinstance(key, bytes) else ["text", str(key)]


def _meant(key: list[str]) -> Hashable:
    return bytes.fromhex(key[1]) if key[0] == "bytes" else key[1]
