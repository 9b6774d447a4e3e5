"""Who may ask the site what: by which name, with which keys, and from which page.

A browser sends cookies to every port of a host, so the cookie alone opens nothing: it goes only to
addresses below a folder that nobody can guess, and it lets its owner read. What changes something
needs a secret as well, which only the browser's storage for this port has.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from lath.arena.site.rendering import TEMPLATES, environment
from lath.notation.files.bounds import whole_number

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""Of the site's pages: nothing is fetched from elsewhere, and no other script runs."""

HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every answer that has no others."""

SAFE: Final = ("GET", "HEAD")

ONCE: Final = (
    *("host", "origin", "content-length", "content-type", "transfer-encoding"),
    *("sec-fetch-site", "sec-fetch-mode"),
)
"""Headers of which a request has one at most: with two, others might go by the other one."""

WIDEST: Final = 1 << 20
"""Bytes of the longest body: a record with all its variations."""

COOKIE: Final = "lath-arena"

SECRET: Final = "lath-secret"  # noqa: S105 - the name of a header
"""The header of requests that change something."""


def names_of(port: int) -> frozenset[str]:
    """Return what a site on this machine is called in the header `Host`."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


@dataclass(frozen=True, slots=True)
class SiteKeys:
    """What somebody must have who uses a site that is not public: all follows from the token."""

    token: str
    """In the address that is printed: it gives the others."""

    root: str = field(init=False)
    """The folder of all addresses, such as `/Vt3…`; the cookie goes nowhere else."""

    cookie: str = field(init=False)
    """Lets a browser read."""

    secret: str = field(init=False)
    """Lets a page change something, with the cookie."""

    def __post_init__(self) -> None:
        """Derive the others."""
        for name in ("root", "cookie", "secret"):
            made = hmac.digest(self.token.encode(), name.encode(), hashlib.sha256)
            text = base64.urlsafe_b64encode(made[:18]).decode()
            object.__setattr__(self, name, f"/{text}" if name == "root" else text)


class Guard:
    """Every request goes through this."""

    def __init__(self, app: ASGIApp, *, keys: SiteKeys | None, hosts: frozenset[str]) -> None:
        """Take what answers, the keys and the names that lead here.

        Without keys anybody may read, and nobody change anything; without `hosts` any name is good.
        """
        self._app: Final = app
        self._keys: Final = keys
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
            root = self._keys.root if self._keys else ""
            await self._app({**scope, "root_path": root}, receive, _headed(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """Return why this may not be asked, whoever asks."""
        headers, hosts = Headers(scope=scope), self._hosts
        if twice := [name for name in ONCE if len(headers.getlist(name)) > 1]:
            return _refused(f"more than one header {twice[0]}", 400, is_last=True)
        host = headers.get("host", "")
        if hosts and host not in hosts:
            return _refused(f"this site is not called {host[:200]!r}", 421)
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}", f"https://{host}"}:
            return _refused("request from another site", 403)
        # Another port of this machine is another site, if not to cookies.
        asker = headers.get("sec-fetch-site", "none")
        # Somebody may have followed a link to a page of the site, which has no cookie then.
        is_visit = scope["method"] in SAFE and headers.get("sec-fetch-mode") == "navigate"
        if asker not in ("none", "same-origin") and not is_visit:
            return _refused("request from another site", 403)
        return self._body_refusal(scope, headers)

    def _body_refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Return why nothing may be changed by this, or read with this body."""
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or whole_number(length) is None:
            return _refused("expected a body of known length", 411, is_last=True)
        if scope["method"] in SAFE:
            return _refused("expected no body", 400, is_last=True) if int(length) else None
        if not self._keys:
            return _refused("this site is read-only", 403)
        if "origin" not in headers:
            return _refused("request not sent by a page of this site", 403)
        if headers.get("content-type", "").partition(";")[0] != "application/json":
            return _refused("expected JSON", 415)
        if int(length) > WIDEST:
            return _refused(f"expected at most {WIDEST} bytes", 413)
        return None

    def _entry(self, scope: Scope) -> Response | None:
        """Return what a visitor without the keys gets: the keys for the token, or the reason."""
        if not (keys := self._keys):
            return None
        headers = Headers(scope=scope)
        is_inside = scope["path"].startswith(f"{keys.root}/")
        if is_inside and any(_is_equal(one, keys.cookie) for one in _cookies(headers)):
            if scope["method"] in SAFE or _is_equal(headers.get(SECRET, ""), keys.secret):
                return None
            return _refused(
                "this page has lost its key. Open the address from `arena serve` again", 403
            )
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["method"] == "GET" and _is_equal(dict(query).get("token", ""), keys.token):
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            path = "/" + scope["raw_path"].decode("latin-1").removeprefix(keys.root).lstrip("/")
            response = _door(
                200, root=keys.root, secret=keys.secret, to=f"{path}?{rest}" if rest else path
            )
            response.set_cookie(
                COOKIE, keys.cookie, path=f"{keys.root}/", httponly=True, samesite="strict"
            )
            return response
        if "text/html" in headers.get("accept", "") and scope["method"] == "GET":
            return _door(403)
        return _refused(SHUT, 403)


SHUT: Final = (
    "Open the address that `arena serve` printed. It contains the token that gives you access to "
    "this site."
)


def _door(status: int, **values: str) -> Response:
    """Return the page that keeps the keys in the browser, or finds them there."""
    script = (TEMPLATES / "door.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    made = environment().get_template("door.html.j2")
    html = made.render(script=script, words=SHUT, **{"root": "", "secret": "", "to": "", **values})
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(html, status, {"content-security-policy": policy})


def _refused(words: str, status: int, *, is_last: bool = False) -> Response:
    """Return an answer in words; after the last one the connection ends: who knows what follows."""
    return PlainTextResponse(words, status, {"connection": "close"} if is_last else None)


def _is_equal(text: str, key: str) -> bool:
    return hmac.compare_digest(text.encode(), key.encode())


def _cookies(headers: Headers) -> list[str]:
    """Return the values of all cookies of the site's name: another port may have set one, too."""
    pairs = (one.strip().partition("=") for one in headers.get("cookie", "").split(";"))
    return [value for name, _, value in pairs if name == COOKIE]


def _headed(send: Send) -> Send:
    """Return what sends answers with these headers, if they have no others."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
