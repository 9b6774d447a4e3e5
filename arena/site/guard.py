"""Who may ask the site what: the address that he came by, his token, and where his page is from.

Other sites that the same browser has open must not be able to read or to start anything: what they
send has another `Origin` or `Sec-Fetch-Site`, no cookie (it is `SameSite=Strict`), and, where a
name of theirs was made to lead here, another `Host`. Must not know what the site serves.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Of our pages: nothing is fetched from elsewhere, and no script but ours runs."""

HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Of every answer that has no other ones."""

SAFE: Final = ("GET", "HEAD")

WIDEST: Final = 1 << 20
"""Bytes that may be sent to us at once: a record with all its variations, at most."""


def names_of(port: int) -> frozenset[str]:
    """Return what a site on this machine is called in the header `Host`."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


class Guard:
    """What every request goes through."""

    def __init__(self, app: ASGIApp, *, token: str, hosts: frozenset[str]) -> None:
        """Take what answers, the token (empty: anybody may read) and the names that lead here.

        With an empty token nothing but reading is let through; with no `hosts` any name is.
        """
        self._app: Final = app
        self._token: Final = token
        self._hosts: Final = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or say why not."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # there are no websockets here
        answer = self._refusal(scope) or self._entry(scope)
        if answer is not None:
            await answer(scope, receive, _headed(send))
        else:
            await self._app(scope, receive, _headed(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """Return why this may not be asked, whoever asks."""
        headers, hosts = Headers(scope=scope), self._hosts
        host = headers.get("host", "")
        if hosts and host not in hosts:
            return PlainTextResponse(f"this site is not called {host[:200]!r}", 421)
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}", f"https://{host}"}:
            return PlainTextResponse("a page of another site asks", 403)
        # Another port of this machine is another site to us, if not to cookies.
        asker = headers.get("sec-fetch-site", "none")
        if asker not in ("none", "same-origin") and not _is_visit(scope, headers):
            return PlainTextResponse("a page of another site asks", 403)
        if scope["method"] not in SAFE:
            if not self._token:
                return PlainTextResponse("this site is only for reading", 403)
            if origin is None:
                return PlainTextResponse("no page of this site asks", 403)
            if headers.get("content-type", "").partition(";")[0] != "application/json":
                return PlainTextResponse("expected JSON", 415)
            length = headers.get("content-length", "")
            if not (length.isascii() and length.isdecimal()) or int(length) > WIDEST:
                return PlainTextResponse(f"expected at most {WIDEST} bytes of known length", 413)
        return None

    def _entry(self, scope: Scope) -> Response | None:
        """Return what whoever comes in is told: the door for a token, or that he has none."""
        if not self._token:
            return None
        headers = Headers(scope=scope)
        if _is_equal(_cookie(headers, self._name(headers)), self._token):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["method"] == "GET" and _is_equal(dict(query).get("token", ""), self._token):
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            path = "/" + scope["path"].lstrip("/")  # two of them would lead to another site
            response = RedirectResponse(f"{path}{'?' if rest else ''}{rest}", 303)
            response.set_cookie(
                self._name(headers), self._token, path="/", httponly=True, samesite="strict"
            )
            return response
        words = (
            "Open the address that `arena serve` printed when it began: it has a token, by which "
            "this site knows that you are who has started it.\n"
        )
        return PlainTextResponse(words, 403)

    @staticmethod
    def _name(headers: Headers) -> str:
        """Return what the cookie is called: those of two ports do not get in each other's way."""
        return f"lath-{headers.get('host', '').rpartition(':')[2]}"


def _is_visit(scope: Scope, headers: Headers) -> bool:
    """Return whether somebody followed a link to a page of ours, which then has his cookie not."""
    return scope["method"] in SAFE and headers.get("sec-fetch-mode") == "navigate"


def _is_equal(text: str, token: str) -> bool:
    return secrets.compare_digest(text.encode(), token.encode())


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def _headed(send: Send) -> Send:
    """Return what sends answers with our headers, where they have no others."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
