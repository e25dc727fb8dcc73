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
from pathlib import Path
from typing import Any

import numpy as np

from sequester.dp.noise import Call, EachCall, Noise
from sequester.errors import InputError


class CheckpointNoise(EachCall):
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
        if self._past:  # a file without a line is what a kill left that came before the first draw
            if self._past.pop(0).get("about") != _digest(about.encode()):
                raise InputError(
                    f"resume: '{path.name}' is of a run with another method, other parameters or other data. Remove it "
                    "and publish without ‹resume=True›."
                )
            return
        path.unlink(missing_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        self._append({"about": _digest(about.encode())})

    def answer(self, call: Call) -> Any:
        """The answer of the file, or a new one that is written before it is given."""
        array = np.ascontiguousarray(call.given, dtype=np.int64)
        step = {"kind": call.kind, "name": call.name, "scale": float(call.scale), "given": _digest(array.tobytes())}
        if self._past:
            return _read_back(call, self._known(step))
        out = call.to(self._inner)
        self._append(step | {"out": _written(call, out)})
        return out

    def _known(self, step: dict[str, Any]) -> Any:
        """What was drawn at this step before; it must have been the same step."""
        past = self._past.pop(0)
        if {k: past.get(k) for k in step} != step:
            raise InputError(
                f"resume: step '{step['name']}' is given other numbers than in the run that was interrupted; the data, "
                f"the parameters or the program have changed. Remove '{self._path.name}' and publish without "
                "‹resume=True›."
            )
        self.replayed += 1
        return past["out"]

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


def _written(call: Call, out: Any) -> Any:
    """An answer as JSON: numbers, an index, or keys (text or bytes) with their numbers."""
    if call.kind == "threshold":
        keys = [["bytes", key.hex()] if isinstance(key, bytes) else ["text", str(key)] for key in out[0]]
        return [keys, out[1].tolist()]
    return int(out) if call.kind == "noisy-max" else np.asarray(out).ravel().tolist()


def _read_back(call: Call, out: Any) -> Any:
    if call.kind == "threshold":
        keys = [bytes.fromhex(key) if sort == "bytes" else key for sort, key in out[0]]
        return keys, np.array(out[1], dtype=np.int64)
    return out if call.kind == "noisy-max" else np.asarray(out, dtype=np.int64).reshape(np.shape(call.given))
