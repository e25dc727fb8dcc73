"""The workbench in the reader's language: every page is made in English and translated where it is shown.

What comes from the data stands in an element that says `translate="no"`, or in code, and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from sequester import _shell

COOKIE = "sequester_language"
SILENT = ("script", "style", "code", "pre", "svg", "textarea", "output")
"""Elements whose words are not ours, or were translated when they were drawn."""
_TAG = re.compile(r"(<[^>]*>)")
_SAID = re.compile(r'(?<=[ "])(aria-label|alt|title|data-name|data-says|data-done)="([^"]*)"')
"""Attributes that somebody reads."""


class Tongue:
    """ASGI middleware: answers in the language of the cookie, or of the browser."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, spoken to in its language."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with _shell.speaking(language_of(Request(scope))):
            await self.app(scope, receive, send)


def language_of(request: Request) -> str:
    """What the reader chose, or else the first language of the browser that we speak."""
    chosen = request.cookies.get(COOKIE, "")
    asked = re.findall(r"[a-z]{2}(?=[-,;]|$)", request.headers.get("accept-language", "").lower())
    return next((one for one in (chosen, *asked) if one in _shell.TONGUES), "en")


def translated(page: str) -> str:
    """A page in the language that is spoken."""
    return page if _shell.language() == "en" else "".join(_pieces(page))


def _pieces(page: str) -> Iterator[str]:
    silent, depth = "", 0
    for piece in _TAG.split(page):
        if not piece.startswith("<"):
            yield piece if silent else _words(piece)
            continue
        name = re.match(r"</?([a-z0-9]*)", piece)
        called = name[1] if name else ""
        if silent:
            depth += (called == silent) * (-1 if piece.startswith("</") else 1)
            silent = silent if depth else ""
        elif called in SILENT or 'translate="no"' in piece:
            silent, depth = called, 1
            if called not in SILENT:
                piece = _SAID.sub(_attribute, piece)
        else:
            piece = _SAID.sub(_attribute, piece)
        yield piece


def _words(text: str) -> str:
    core = text.strip()
    return text.replace(core, str(escape(_shell.said(Markup(core).unescape())))) if core else text


def _attribute(found: re.Match[str]) -> str:
    return f'{found[1]}="{_words(found[2])}"'
