"""No address of the site, and nothing that a page sends, is taken for a path."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import pytest
from sites import served

from lath.arena.engine.puzzle_book import FOLDER
from lath.arena.site.rendering import TEMPLATES
from lath.notation import format_record
from lath.notation.rules.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

CANARY: Final = "zqcanaryqz"

_opened: list[str] | None = None


def _hear(event: str, values: tuple[Any, ...]) -> None:
    if _opened is not None and event in ("open", "os.listdir", "os.scandir"):
        path = values[0]
        if isinstance(path, str | bytes | os.PathLike):
            _opened.append(os.path.realpath(os.fsdecode(path)))


@contextmanager
def opened() -> Iterator[list[str]]:
    """Yield what this process opens in here."""
    global _opened  # noqa: PLW0603 - an audit hook is for ever
    if not _hear.__dict__.setdefault("is_on", False):
        sys.addaudithook(_hear)
        _hear.__dict__["is_on"] = True
    _opened = []
    try:
        yield _opened
    finally:
        _opened = None


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("place").resolve()
    (place / "served").mkdir()
    (place / "served/good.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    puzzle = format_record(next(iter(read(FOLDER / "yavalath.lath"))))
    for name in ("out.lath", "out.js", "out.css", "out", "out.j2"):
        (place / name).write_text(puzzle.replace("[Event", f'[Site "{CANARY}"]\n[Event'))
    (place / "cup").mkdir()
    (place / "cup/games.lath").write_text(puzzle)
    return place


def ways(place: Path) -> Iterator[str]:
    """Yield what leads to something outside from where the site has files."""
    for target in ("out", "out.lath", "out.js", "cup", "cup/games.lath"):
        yield from (f"{place / target}", f"//{place / target}", f"file://{place / target}")
        for base in (place / "served", FOLDER, TEMPLATES, Path.cwd()):
            yield os.path.relpath(place / target, base)
    yield from ("..", ".", "/", "", "~", "\0", "good.lath\0.js", "..\\..\\out", "\udcff")
    yield from ("/dev/zero", "x" * 3_000, "9" * 5_000, "-1", "../" * 40 + "etc/passwd")
    yield "%2e%2e%2f" * 3


def spelt(way: str) -> Iterator[str]:
    """Yield how an address may spell it."""
    raw = way.encode("utf-8", "surrogateescape")
    yield quote(raw, safe="/")
    yield "".join(f"%{byte:02x}" for byte in raw)
    yield quote(quote(raw, safe=""), safe="")


BODIES: Final[dict[str, dict[str, Any]]] = {
    "/api/start": {"game": "yavalath", "setup": "", "position": ""},
    "/api/position": {"game": "yavalath", "setup": "", "position": "", "moves": ["e5"]},
    "/api/think": {"game": "yavalath", "moves": ["e5"], "bot": "random", "nodes": 1},
    "/api/keep": {
        "game": "yavalath",
        "kind": "game",
        "names": ["a", "b"],
        "times": ["1+0", "1+0"],
        "tags": {"Event": "x"},
        "line": [{"move": "e5", "glyph": ""}],
        "result": "*",
    },
    "/api/review": {"game": "yavalath", "kind": "game", "line": [{"move": "e5"}]},
    "/api/read": {"text": '[Game "yavalath"]\n\n1. e5 *\n'},
    "/api/bots/{name:path}": {},
    "/api/arrange": {"game": "yavalath", "contents": ["w"], "to_move": 1},
    "/api/refute": {"game": "yavalath", "puzzle": "1", "move": "e5"},
    "/api/explore": {"key": "x", "where": "", "game": "", "moves": []},
    "/t/{key}/{what}": {},
}
"""What pages send, by route."""


def replaced(value: Any, text: str) -> Iterator[Any]:
    """Yield a body with the text in the place of each text in it."""
    if isinstance(value, str):
        yield text
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            for other in replaced(inner, text):
                yield [*value[:at], other, *value[at + 1 :]]
    elif isinstance(value, dict):
        for name, inner in value.items():
            for other in replaced(inner, text):
                yield {**value, name: other}


@pytest.mark.parametrize("is_public", [True, False])
def test_no_route_leads_out_of_what_is_served(place: Path, *, is_public: bool) -> None:
    with served(place / "served", is_public=is_public) as site, opened() as seen:
        key = site.key("good.lath")
        for route, _ in site.addresses():
            if route.methods != {"POST"}:
                for address in addresses(route.path, key, place):
                    answer = site.ask(address, **site.cookie)
                    assert (answer.status < 500, CANARY in answer.text) == (True, False), address
        assert any(path.startswith(str(place / "served")) for path in seen)
    allowed = str(place / "served")
    assert [
        path for path in seen if path.startswith(str(place)) and not path.startswith(allowed)
    ] == []
    assert not {"/etc/passwd", "/dev/zero"} & set(seen)


def addresses(path: str, key: str, place: Path) -> Iterator[str]:
    """Yield addresses of a route with what leads out in the place of each parameter."""
    known = {"key": key, "name": "report.js", "game": "yavalath", "number": "1"}
    plain = path.replace(":path", "")
    names = [part[1:-1] for part in plain.split("/") if part[:1] == "{"]
    for way in ways(place):
        if names and not path.endswith("/events"):
            yield f"{plain.format_map(known)}?where={quote(way, errors='surrogateescape')}"
        for text in spelt(way):
            yield from (plain.format_map({**known, name: text}) for name in names)
            if path == "/":
                yield f"/no/{text}"


def test_nothing_that_is_sent_leads_out_of_what_is_served(place: Path) -> None:
    before = {path: path.read_text() for path in place.rglob("*") if path.is_file()}
    with served(place / "served") as site, opened() as seen:
        routes = {route.path: path for route, path in site.addresses() if route.methods == {"POST"}}
        assert routes.keys() == BODIES.keys()
        for name, path in routes.items():
            for way in ways(place):
                if "{" in name:
                    for text in spelt(way):
                        address = name.replace("{name:path}", text).replace("{key}", text)
                        answer = site.post(address.replace("{what}", "start"), {})
                        assert answer.status < 500
                for body in replaced(BODIES[name], way.replace("\udcff", "\ufffd")):
                    answer = site.post(path, body)
                    assert answer.status < 500, (path, body)
                    assert CANARY not in answer.text, (path, body)
    outside = [path for path in seen if path.startswith(str(place))]
    assert all(path.startswith(str(place / "served")) for path in outside), outside
    after = {path: path.read_text() for path in place.rglob("*") if path.is_file()}
    assert {path.name for path in after.keys() - before.keys()} <= {"played.lath"}
    assert {path: after[path] for path in before} == before
