"""The access rules of the site: host names, keys, and origins of requests.

A browser sends cookies to every port of a host, so the cookie alone gives no access. It applies
only below an unguessable path, and it allows reading. Changes need a secret as well, which only the
browser's storage for this port has.
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
"""The policy of the site's pages.

Only its own scripts run, and they load nothing from elsewhere.
"""

HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""The default headers of every answer."""

SAFE: Final = ("GET", "HEAD")

ONCE: Final = (
    *("host", "origin", "content-length", "content-type", "transfer-encoding"),
    *("sec-fetch-site", "sec-fetch-mode"),
)
"""Headers that a request may have only once: other programs might read the second value."""

WIDEST: Final = 1 << 20
"""The longest body in bytes: a record with all its variations."""

COOKIE: Final = "lath-arena"

SECRET: Final = "lath-secret"  # noqa: S105 - the name of a header
"""The header of requests that change something."""


def names_of(port: int) -> frozenset[str]:
    """Return the valid values of the `Host` header for a local site."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


@dataclass(frozen=True, slots=True)
class SiteKeys:
    """The keys to a site that is not public, all derived from the token."""

    token: str
    """The token in the printed address, from which the other keys follow."""

    root: str = field(init=False)
    """The prefix of all addresses, such as `/Vt3…`; the cookie is sent only there."""

    cookie: str = field(init=False)
    """The cookie that lets a browser read."""

    secret: str = field(init=False)
    """The secret that lets a page change something, together with the cookie."""

    def __post_init__(self) -> None:
        """Derive the other keys."""
        for name in ("root", "cookie", "secret"):
            made = hmac.digest(self.token.encode(), name.encode(), hashlib.sha256)
            text = base64.urlsafe_b64encode(made[:18]).decode()
            object.__setattr__(self, name, f"/{text}" if name == "root" else text)


class Guard:
    """The middleware that checks every request."""

    def __init__(self, app: ASGIApp, *, keys: SiteKeys | None, hosts: frozenset[str]) -> None:
        """Set up the checks; `hosts` are the valid host names.

        Without `keys` every visitor can read, and none can change anything; without `hosts` any
        name is valid.
        """
        self._app: Final = app
        self._keys: Final = keys
        self._hosts: Final = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or refuse it with the reason."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # the site has no websockets
        answer = self._refusal(scope) or self._entry(scope)
        if answer is not None:
            await answer(scope, receive, _headed(send))
        else:
            root = self._keys.root if self._keys else ""
            await self._app({**scope, "root_path": root}, receive, _headed(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """Return a refusal for a request that is wrong with any keys, or None."""
        headers, hosts = Headers(scope=scope), self._hosts
        if twice := [name for name in ONCE if len(headers.getlist(name)) > 1]:
            return _refused(f"more than one header {twice[0]}", 400, is_last=True)
        host = headers.get("host", "")
        if hosts and host not in hosts:
            return _refused(f"this site is not called {host[:200]!r}", 421)
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}", f"https://{host}"}:
            return _refused("request from another site", 403)
        # Another port of this machine is another site, although it shares cookies.
        asker = headers.get("sec-fetch-site", "none")
        # A visitor may have followed a link to a page of the site. The browser sends no cookie
        # then.
        is_visit = scope["method"] in SAFE and headers.get("sec-fetch-mode") == "navigate"
        if asker not in ("none", "same-origin") and not is_visit:
            return _refused("request from another site", 403)
        return self._body_refusal(scope, headers)

    def _body_refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Return a refusal if the request must not change anything, or its body is invalid."""
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
        """Return the answer to a visitor without keys: the keys for the token, or a refusal."""
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
            # Lax: a browser takes a report for another site, and its links must open pages at once.
            response.set_cookie(
                COOKIE, keys.cookie, path=f"{keys.root}/", httponly=True, samesite="lax"
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
    """Return the page that stores the keys in the browser, or reads them from there."""
    script, style = ((TEMPLATES / f"door.{kind}").read_text("utf-8") for kind in ("js", "css"))
    made = environment().get_template("door.html.j2")
    given = {"root": "", "secret": "", "to": "", **values}
    html = made.render(script=script, style=style, words=SHUT, **given)
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(html, status, {"content-security-policy": policy})


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _refused(words: str, status: int, *, is_last: bool = False) -> Response:
    """Return a text answer; `is_last` closes the connection, because its next bytes are unclear."""
    return PlainTextResponse(words, status, {"connection": "close"} if is_last else None)


def _is_equal(text: str, key: str) -> bool:
    return hmac.compare_digest(text.encode(), key.encode())


def _cookies(headers: Headers) -> list[str]:
    """Return the values of all cookies of the site's name; another port may have set one, too."""
    pairs = (one.strip().partition("=") for one in headers.get("cookie", "").split(";"))
    return [value for name, _, value in pairs if name == COOKIE]


def _headed(send: Send) -> Send:
    """Return a `send` function that adds the default headers to answers without them."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
