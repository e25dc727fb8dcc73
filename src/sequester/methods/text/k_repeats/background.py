"""Public documents whose phrases need no protection. They are read, counted, and never published."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sequester.errors import InputError, counted
from sequester.methods.text.shared.kernels.text_index import Documents


def load_background(paths: tuple[str, ...]) -> Documents:
    """Documents of text files (one each), folders of text files, and JSON lines with `text` (also .gz)."""
    encoded = [text.encode("utf-8") for path in paths for text in _texts(Path(path))]
    offsets = np.cumsum([0] + [len(e) for e in encoded], dtype=np.int64)
    return Documents(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)


def load_words(paths: tuple[str, ...], k: int, beside: Documents | None) -> Documents:
    """Public words, one a line, as k documents each, behind other public documents."""
    words = [word.encode("utf-8") for path in paths for word in _words(Path(path))] * k
    utf8 = np.frombuffer(b"".join(words), dtype=np.uint8)
    ends = np.cumsum([len(w) for w in words], dtype=np.int64)
    if beside is None:
        return Documents(utf8, np.concatenate([[0], ends]))
    return Documents(np.concatenate([beside.utf8, utf8]), np.concatenate([beside.offsets, beside.offsets[-1] + ends]))


def _words(path: Path) -> list[str]:
    """The words of a list; only small letters of scripts that have capitals, because names look different there."""
    try:
        words = [line.strip() for line in path.read_bytes().decode("utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeError) as error:
        raise InputError(f"k-repeats: the word list '{path.name}' cannot be read as UTF-8 text. Check it.") from error
    odd = [i for i, word in enumerate(words, start=1) if not all(c.islower() or c in " -'’" for c in word)]
    if odd:
        raise InputError(
            f"k-repeats: {counted(len(odd), 'entry', 'entries')} of the word list '{path.name}' are not in small "
            "letters (first: entry "
            f"{odd[0]}). A name in a script without capitals, or a number, could hide among them; leave them out."
        )
    return words


def _texts(path: Path) -> Iterator[str]:
    name = path.name
    try:
        if path.is_dir():
            for file in sorted(path.rglob("*.txt")):
                yield file.read_bytes().decode("utf-8")
        elif name.endswith((".jsonl", ".jsonl.gz")):
            with gzip.open(path, "rt", encoding="utf-8") if name.endswith(".gz") else path.open(encoding="utf-8") as f:
                for line in f:
                    yield json.loads(line)["text"]
        else:
            yield path.read_bytes().decode("utf-8")
    except (OSError, UnicodeError) as error:
        raise InputError(f"k-repeats: the background '{name}' cannot be read as UTF-8 text. Check the path.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"k-repeats: the background '{name}' must hold JSON lines with a `text`.") from error
