"""Which encoding a file that is not UTF-8 may be in: a proposal for the error message, never a decision.

A file is only ever read in the encoding that was told. What is proposed is tried strictly on a stretch of the file.
"""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

BEFORE, SAMPLE = 1 << 16, 1 << 20
"""Bytes that are looked at before and after the place that is not UTF-8."""
MARKS = ((b"\xff\xfe\x00\x00", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
KANA, HAN, HANGUL = ((0x3041, 0x30FF),), ((0x4E00, 0x9FFF),), ((0xAC00, 0xD7A3),)
SIGNS = ((0x3000, 0x303F), (0xFF01, 0xFF60))
"""Punctuation and wide letters of East Asia; half kana are left out, because any Western letter could be one."""
EASTERN = (
    ("shift_jis", KANA, 0.1), ("cp932", KANA, 0.1), ("euc_jp", KANA, 0.1), ("euc_kr", HANGUL, 0.6),
    ("gb2312", HAN, 0.6), ("big5", HAN, 0.6), ("gb18030", HAN, 0.6),
)  # fmt: skip
"""Encoding, the script that shows it is this one, and the least share of it among letters beyond ASCII."""
MOSTLY = 0.9
"""Share of letters beyond ASCII that must be of East Asia."""


ODD = re.compile(r"(?<=[a-zà-ÿ])[¹³¿¼¾](?=[a-zà-ÿ])")
"""Signs within a word, as letters of Central Europe become in a Western encoding."""
NO_TEXT = "no text"
CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r\x0b\x0c\x1a\x1b")
"""Bytes that no text has, in any encoding with single bytes for ASCII."""


def proposed(path: Path, offset: int) -> str | None:
    """The encoding to try for a file whose byte `offset` is not UTF-8; None where all else of it is UTF-8.

    `NO_TEXT` where no encoding would do: a recording, a picture, something packed.
    """
    sample, at = _sample(path, offset)
    begins = next((name for mark, name in MARKS if at == 0 and sample.startswith(mark)), None)
    return begins or guessed(sample)


def guessed(sample: bytes) -> str | None:
    """The encoding of lines that are not UTF-8; None where all but a letter of them is."""
    if 100 * sum(byte in CONTROL for byte in sample) > len(sample):
        return NO_TEXT
    if _is_utf8_elsewhere(sample):
        return None
    for name, script, least in EASTERN:
        if _fits(sample, name, script, least):
            return name
    if ODD.search(sample.decode("cp1252", "replace")):  # a sign within a word is a letter elsewhere
        central = _decoded(sample, "cp1250")
        if central is not None and not ODD.search(central):
            return "cp1250"
    runs = re.findall(rb"[\x80-\xff]+", sample)
    cyrillic = [c for c in _decoded(sample, "cp1251") or "" if c.isalpha() and c > "\x7f"]
    if 2 * sum(len(run) > 2 for run in runs) > len(runs) and all("\u0400" <= c < "\u0460" for c in cyrillic):
        return "cp1251"  # whole words without a plain letter
    return "cp1252" if any(0x80 <= b <= 0x9F for b in sample) and _decoded(sample, "cp1252") is not None else "latin-1"


def _sample(path: Path, offset: int) -> tuple[bytes, int]:
    """Whole lines around a place, and where they begin."""
    begin = max(0, offset - BEFORE)
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            file.seek(begin)
            raw = file.read(BEFORE + SAMPLE)
            whole = not file.read(1)
    except (OSError, EOFError, zlib.error):
        return b"", begin
    # A line end is one in all encodings that are tried, so that no character is cut.
    first = raw.find(b"\n") + 1 if begin else 0
    last = len(raw) if whole else raw.rfind(b"\n") + 1
    return (raw[first:last] if last > first else raw), begin


def _decoded(sample: bytes, encoding: str) -> str | None:
    try:
        return sample.decode(encoding)
    except UnicodeDecodeError:
        return None


def _is_utf8_elsewhere(sample: bytes) -> bool:
    """Whether more letters beyond ASCII are whole UTF-8 than bytes are not: one cell is damaged, the file is not."""
    whole = sample.decode("utf-8", "ignore")
    n_beyond = sum(c > "\x7f" for c in whole)
    return n_beyond > len(sample) - len(whole.encode())


def _share(letters: list[int], *scripts: tuple[tuple[int, int], ...]) -> float:
    ranges = [r for script in scripts for r in script]
    return sum(any(a <= c <= b for a, b in ranges) for c in letters) / len(letters)


def _fits(sample: bytes, encoding: str, script: tuple[tuple[int, int], ...], least: float) -> bool:
    text = _decoded(sample, encoding)
    runs = set(re.findall(r"[^\x00-\x7f]+", text or ""))  # a word of the data says no more the hundredth time
    letters = [ord(c) for run in runs for c in run]
    # A Western letter swallows the one behind it and stands alone; words of East Asia are longer.
    if not letters or 2 * sum(len(run) for run in runs if len(run) > 1) < len(letters):
        return False
    return _share(letters, script) >= least and _share(letters, KANA, HAN, HANGUL, SIGNS) >= MOSTLY
