"""Who may talk to the workbench: this machine's browser, with the token, from the workbench's own pages.

- The token of the start address becomes an HttpOnly, SameSite=Strict cookie; without it nothing is shown.
- The Host header must name the address that was bound: a foreign name that resolves to this machine (DNS rebinding)
  is refused.
- A request that changes something must say that it comes from our own origin; one that another page makes is refused,
  whatever it asks for.
- No inline script, nothing from elsewhere, nothing kept by the browser.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "sequester_workbench"
"""Its name ends with the port: browsers share cookies between ports, and two workbenches may run."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-src 'self'; frame-ancestors 'self'"
)
SEALED_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox"
)
"""For pages that others made, such as the report in a bundle that was sent: shown, and nothing more."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class Keys:
    """The secret of one run of the workbench."""

    port: int = 0
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """Name of the cookie."""
        return f"{COOKIE}_{self.port}"

    def fits(self, words: str | None) -> bool:
        """Whether a token is the one, compared in constant time."""
        return words is not None and hmac.compare_digest(words.encode(), self.token.encode())


class Guard:
    """ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, *, keys: Keys, hosts: frozenset[str]) -> None:
        self.app, self.keys, self.hosts = app, keys, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it in a sentence."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no other protocol is spoken here
        request = Request(scope, receive)
        refused = self._refusal(request)
        if refused is not None:
            await refused(scope, receive, _sealed(send))
            return
        asked = request.query_params.get("token")
        if asked is not None:  # the start address: keep the token as a cookie and out of the address bar
            answer = RedirectResponse(request.url.path, status_code=303)
            answer.set_cookie(self.keys.cookie, self.keys.token, httponly=True, samesite="strict", path="/")
            await answer(scope, receive, _sealed(send))
            return
        await self.app(scope, receive, _sealed(send))

    def _refusal(self, request: Request) -> PlainTextResponse | None:
        headers: Headers = request.headers
        if headers.get("host", "").lower() not in self.hosts:
            return _no(
                421, "This address is not the workbench's own. Open the address that `sequester workbench` printed."
            )
        asked = request.query_params.get("token")
        if not self.keys.fits(asked if asked is not None else request.cookies.get(self.keys.cookie)):
            return _no(403, "The token is missing or wrong. Open the address that `sequester workbench` printed.")
        origin = headers.get("origin")
        ours = origin is not None and origin.lower() in {f"http://{host}" for host in self.hosts}
        site = headers.get("sec-fetch-site", "none" if request.method in SAFE else "same-origin")
        changes = request.method not in SAFE
        # Another port of this machine is the same *site*, so the cookie comes with its requests: only the origin tells.
        elsewhere = (origin is not None and not ours) or (asked is None and site not in ("same-origin", "none"))
        if elsewhere or (changes and not ours):
            return _no(403, "The request comes from another page. Use the workbench's own pages.")
        return None


def _no(status: int, why: str) -> PlainTextResponse:
    return PlainTextResponse(why + "\n", status_code=status)


def _sealed(send: Send) -> Send:
    """Every answer carries the same seals."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("Content-Security-Policy", POLICY)
            headers["Cache-Control"] = "no-store"
            headers["X-Content-Type-Options"] = "nosniff"
            headers["X-Frame-Options"] = "SAMEORIGIN"
            headers["Referrer-Policy"] = "same-origin"  # without it browsers say "Origin: null" with forms
            headers["Cross-Origin-Opener-Policy"] = "same-origin"
            headers["Cross-Origin-Resource-Policy"] = "same-origin"
        await send(message)

    return sending
