"""Random requests to the site: it must answer each, and never with a server error.

The application is called in this process, as its server would call it.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, Final

from any_commands import LONG
from sample_records import random_game
from strangers import FoundError

from lath import notation
from lath.arena.cli.outputs import append_record
from lath.arena.entrants.programs import bundled
from lath.arena.referee.bots import BotSpec
from lath.arena.site.app import Site, application
from lath.arena.site.guard import COOKIE, SECRET, SiteKeys
from lath.arena.site.playing import Desk
from lath.arena.site.shelf import Shelf
from lath.arena.site.thinking import Thinkers

HOST: Final = "h:1"

VALUES: Final = (
    "NaN", "Infinity", "-Infinity", LONG, f"-{LONG}", "1e400", "-1", "0", "1.5", "null", "true",
    '""', '"\\ud800"', '"x\\u0000y"', "[]", "{}", "[" * 3000, "[" * 200 + "]" * 200, '{"a":' * 200,
    '"' + "x" * 100_000 + '"', "1" + "0" * 400, f'"yavalath:size={LONG}"', '"../games"',
)  # fmt: skip
"""Pieces of JSON."""

ASKED: Final[Mapping[str, Mapping[str, Any]]] = {
    "start": {"game": "yavalath", "setup": "", "position": "", "seed": 3},
    "position": {"game": "yavalath", "moves": ["e5", "d4"], "threats": True},
    "think": {
        "game": "yavalath", "moves": ["e5"], "bot": "random", "nodes": 5, "level": None,
        "seconds": None, "left_s": None, "increment_s": 0.0,
    },
    "keep": {
        "game": "yavalath", "kind": "game", "names": ["a", "b"], "times": ["none", "none"],
        "tags": {"Event": "x"}, "comments": ["c"], "line": [{"move": "e5", "comments": ["y"]}],
        "result": "*", "termination": "",
    },
    "read": {"text": '[Game "yavalath"]\n\n1. e5 *\n'},
    "explore": {"key": "", "game": "yavalath", "moves": [], "where": ""},
}  # fmt: skip

PATHS: Final = (
    "/report/KEY", f"/api/records/KEY/{LONG}", "/api/records/KEY/1", "/api/records/KEY/-1",
    f"/api/boards/yavalath:size={LONG}", "/api/boards/\ud800", f"/api/puzzles/{LONG}",
    "/api/puzzles/../../x", f"/api/bots/{LONG}", "/api/bots/\x00", "/static/..", f"/t/{LONG}",
)  # fmt: skip
QUERIES: Final = (
    b"plies%20%3E%203", LONG.encode(), b"%FF", b"%00", b"(" * 3000, b"not%20" * 500,
    b"position%20%22" + b"9" * 5000 + b"%22",
)  # fmt: skip
HEADERS: Final = (
    (b"content-length", LONG.encode()), (b"content-length", b"-1"), (b"cookie", b"\xff\x00=;;"),
    (b"host", b"\xff" * 3000), (b"content-type", b"\xff"), (b"origin", b"\xff"),
    (b"accept", b"text/html"), (b"content-length", "\u0663".encode()),
)  # fmt: skip

Header = tuple[bytes, bytes]


class Asking:
    """A site of some records, and its client."""

    def __init__(self, folder: Path) -> None:
        records = [random_game("yavalath", number) for number in range(3)]
        (folder / "games.lath").write_text("\n".join(notation.format_records(records)))
        specs = {name: BotSpec(name=name, command=command) for name, command in bundled().items()}
        self.desk = Desk(folder, Thinkers(specs), append_record)
        site = Site(Shelf([folder]), self.desk)
        self._keys = SiteKeys("t")
        self._app = application(site, keys=self._keys, hosts=frozenset({HOST}))
        self._root = site.root
        self._key = next(iter(site.shelf.items())).key

    def many(self, first: int, count: int) -> Counter[int]:
        """Send several cases; return the number of answers by status. Raises FoundError.

        In a thread of its own, because another test may have left a running event loop in this one.
        """
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self._many(first, count)).result()

    async def _many(self, first: int, count: int) -> Counter[int]:
        found = Counter[int]()
        for number in range(first, first + count):
            asked = self.case(Random(f"request {number}"))
            try:
                status = await self.status_of(*asked)
            except Exception as error:
                raise FoundError(f"case {number}: {str(asked)[:500]}") from error
            if status >= 500:
                raise FoundError(f"case {number}: {str(asked)[:500]}: {status}")
            found[status] += 1
        return found

    def case(self, chance: Random) -> tuple[str, str, bytes, bytes, Sequence[Header]]:
        """Return method, path, query, body and headers."""
        name, usual = chance.choice(list(ASKED.items()))
        value = {**usual, **({"key": self._key} if "key" in usual else {})}
        body, headers = json.dumps(value), []
        kind = chance.random()
        if kind < 0.15:
            path = chance.choice(PATHS).replace("KEY", self._key)
            return "GET", path, b"where=" + chance.choice(QUERIES), b"", []
        if kind < 0.25:
            headers = [chance.choice(HEADERS)]
        elif kind < 0.7:
            key = chance.choice(list(value))
            value[key] = ["@"] if isinstance(value[key], list) and chance.random() < 0.5 else "@"
            body = json.dumps(value).replace('"@"', chance.choice(VALUES))
        else:
            at = chance.randrange(len(body))
            some = chance.choice([*VALUES, '"', ",", "{", "}"])
            body = body[:at] + some + body[at + chance.randrange(3) :]
        return "POST", f"/api/{name}", b"", body.encode("utf-8", "surrogatepass"), headers

    async def status_of(
        self, method: str, path: str, query: bytes, body: bytes, headers: Sequence[Header]
    ) -> int:
        """Return the status of an answer."""
        usual = {
            b"host": HOST.encode(),
            b"cookie": f"{COOKIE}={self._keys.cookie}".encode(),
            SECRET.lower().encode(): self._keys.secret.encode(),
            b"origin": f"http://{HOST}".encode(),
            b"content-type": b"application/json",
            b"content-length": str(len(body)).encode(),
        }
        if method == "GET":
            del usual[b"content-length"]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "path": self._root + path,
            "query_string": query,
            "headers": list({**usual, **dict(headers)}.items()),
            "scheme": "http",
            "root_path": "",
        }
        parts = [{"type": "http.request", "body": body, "more_body": False}]
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not parts:
                await asyncio.Event().wait()  # the client sends nothing more
            return parts.pop()

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self._app(scope, receive, send)  # type: ignore[arg-type]  # its messages are mappings
        return int(sent[0]["status"])
