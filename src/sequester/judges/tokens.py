"""The judge's own tokeniser: what the promise calls a token, written down a second time.

Characters become letters that stand for what they are, words become letters in turn, and two regular expressions over
those letters say what belongs together. The rule is the one in `docs` and on the method's page; no code is shared with
the method. A run of whole tokens is cut the same way when it stands alone: that is what makes a release countable.
"""

from __future__ import annotations

import re
from functools import cache

from sequester.guarantees import characters

_HAN = re.compile(
    "[々〆ヶーｰ\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9f\u2e80-\u2fdf\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_HIRAGANA = re.compile("[\u3041-\u309f]")
_RUN = re.compile("[dUxw]+")
_PIECE = re.compile("[dUxw]+|H+|h+|.")
_IN_A_ROW = re.compile(r"[CcNn](?:(?:,|(?<=[cn])\.)?b(?:[CcNn]|(?:pb){1,2}[Cc]))*|H(?:[bk]H)*|.")


@cache
def letter(character: str) -> str:
    """What a character is: d digit, U capital, x small letter, w other letter or mark, H Han or Katakana, h Hiragana,
    b blank, s other space; t . , / z k are signs that can join, o is anything else, M a mark."""
    if character in " \u3000\u00a0":
        return "b"
    facts = characters.facts_of(character)
    if facts & characters.SPACE:
        return "s"
    if facts & characters.MARK:
        return "M"
    if _HAN.match(character):
        return "H"
    if _HIRAGANA.match(character):
        return "h"
    if facts & characters.DECIMAL:
        return "d"
    if character == "_" or facts & characters.LETTER:
        return "U" if facts & characters.UPPER else "x" if facts & characters.LOWER else "w"
    for signs, name in (("-'’@·", "t"), (".", "."), (",", ","), ("/", "/"), (":+&()", "z"), ("・･＝", "k")):
        if character in signs:
            return name
    return "o"


def letters(text: str) -> str:
    """One letter per character; a mark is what stands before it, or a letter of its own."""
    out: list[str] = []
    for character in text:
        is_ = letter(character)
        if is_ == "M":
            is_ = out[-1] if out and out[-1] in "Hh" else "w"
        out.append(is_)
    return "".join(out)


def _end_of_code(words: str, begin: int) -> int:
    """Where the word that begins here ends, with everything that is joined to it."""
    run, end = begin, _RUN.match(words, begin).end()  # type: ignore[union-attr]
    while end + 1 < len(words) and (more := _RUN.match(words, end + 1)):
        link, digits = words[end], words[end - 1] == words[end + 1] == "d"
        either = "d" in words[run:end] or "d" in more.group()
        if not (link in "t." or (digits and link in ",z/H") or (link == "/" and either)):
            break
        run, end = end + 1, more.end()
    alone = words[end : end + 1] == "H" and words[end + 1 : end + 2] != "H"
    return end + 1 if words[end - 1] == "d" and alone else end


def _words(words: str) -> list[tuple[str, int]]:
    """Letter of every word and where it ends: C c capital, N n with a digit, p small (c n p: short), the rest as is."""
    out: list[tuple[str, int]] = []
    at = 0
    while at < len(words):
        if words[at] not in "dUxw":
            piece = _PIECE.match(words, at)
            assert piece is not None
            out.append((piece.group()[0], piece.end()))
            at = piece.end()
            continue
        end, begin = _end_of_code(words, at), at
        if out and out[-1][0] == "H" and len(re.findall("d+", words[at:end])) > 1:
            out.pop()
            begin = out[-1][1] if out else 0
        code = words[begin:end]
        if code[0] == "U":
            name = "c" if len(code) <= 3 else "C"
        elif "d" in code:
            name = "n" if len(code) <= 3 else "N"
        else:
            name = "p" if len(code) <= 3 and set(code) == {"x"} else "w"
        out.append((name, end))
        at = end
    return out


def token_ends(text: str) -> list[int]:
    """Where every token of a text ends."""
    words = _words(letters(text))
    row = "".join(name for name, _ in words)
    return [words[found.end() - 1][1] for found in _IN_A_ROW.finditer(row)]
