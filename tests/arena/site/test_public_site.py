"""A public site tells what `arena report --public` tells of the same tournaments, and no more."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from commands import arena
from odd_files import either
from planted import PLACES, pool, record, secret, secrets_in
from sites import Served, served
from unpacking import data_in

from lath.arena.tournament.run.live import LIVE
from lath.arena.tournament.run.worker import line_of_a_board
from lath.notation import format_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

RECORDS: Final = "\n".join(format_record(record(number, "ann", "bob")) for number in (1, 2, 3))

BROKEN: Final = (
    '[Game "yavalath"]\n[Site "zqsiteqz"]\n[Result "1-0"]\n\n1. zqlineqz {zqcommentqz} 1-0\n'
)


def damaged(folder: Path) -> None:
    """Write over a part of a tournament's database."""
    data = bytearray((folder / "tournament.db").read_bytes())
    at = data.index(secret("site").encode())
    data[at : at + 4] = b"xxxx"
    (folder / "tournament.db").write_bytes(data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all kinds of sources, each with secrets."""
    folder = tmp_path_factory.mktemp("zqpathqz")
    pool(folder / "pool")
    damaged(pool(folder / "damaged"))
    pool(folder / "no-database")
    (folder / "no-database/tournament.db").write_bytes(secret("path").encode() * 1_000)
    (folder / "no-database/games.lath").unlink()
    (folder / "copied").mkdir()
    (folder / "copied/games.lath").write_text(RECORDS + "\n" + BROKEN)
    (folder / "no-outcome").mkdir()
    (folder / "no-outcome/games.lath").write_text(RECORDS)
    (folder / "no-outcome/outcome.json").write_text(f"{{{secret('path')}")
    (folder / "begun").mkdir()
    (folder / "begun/games.lath").touch()
    (folder / "begun/tournament.toml").write_text(
        f'event = "The cup"\n[[bot]]\nname = "x"\ncommand = "{secret("command")}"\n'
    )
    (folder / "old.lath").write_text(RECORDS)
    (folder / "old.lath.gz").write_bytes(gzip.compress((BROKEN + "\n" + RECORDS).encode()))
    (folder / "next.toml").write_text(f'[[bot]]\ncommand = "{secret("command")}"\n')
    twice = f"{secret('configuration')} = 1"
    (folder / "wrong.toml").write_text(f"a = {{{twice}, {twice}}}")
    return folder


SOURCES: Final = ("pool", "damaged", "copied", "begun", "old.lath", "old.lath.gz")


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Served]:
    with served(folder, is_public=True) as running:
        yield running


OF_THE_SITE: Final = re.compile(
    r'(?s)<nav class="bar".*?</nav>\n|(?<=<style>).*?(?=</style>)|(?<=<script>).*?(?=</script>)'
    r'|default-src [^>]*|<label class="theme".*?</label>'
)
"""The bar of the site in its reports, with what it needs; its switch of the theme is elsewhere."""


def test_a_report_is_byte_by_byte_that_of_the_command_line_but_for_its_links(
    site: Served, folder: Path, tmp_path: Path
) -> None:
    for name in SOURCES:
        out = tmp_path / f"{name}.html"
        ran = arena("report", folder / name, "--public", "-o", out)
        page = site.ask(f"/report/{site.key(name)}")
        if ": damaged: " in ran.err:  # nobody sees a table without the games that are lost
            assert (name, page.status) == ("damaged", 409)
            assert page.value == {"error": "this file could not be read"}
        else:
            assert page.status == 200
            texts = page.text, out.read_text(encoding="utf-8")
            assert len({OF_THE_SITE.sub("", text) for text in texts}) == 1, name


def live(folder: Path) -> None:
    """Write what the run in a directory tells, with secrets."""
    place = folder / LIVE
    place.mkdir(exist_ok=True)
    game = {"number": 1, "game": "yavalath", "first": "ann", "second": "mine", "plies": 9}
    status = {
        "done": 1,
        "total": 2,
        "event": "The cup",
        "tournament": "pool",
        "words": ["ann leads"],
        "warned": [f"mine: {secret('stderr')}"],
        "running": [{"pair": 1, "host": secret("host"), "bots": ["ann", "mine"]}],
        "recent": [{**game, "result": "1-0", "termination": f"crash {secret('crash')}"}],
        "standings": [{"name": "ann", "games": 1, "points": 1, "command": secret("command")}],
        "configuration": secret("configuration"),
    }
    (place / "status.json").write_text(json.dumps(status))
    board = {
        "number": 7,
        "game": "yavalath",
        "names": ["ann", "mine"],
        "moves": ["e5", "d4"],
        "evals": [f"0.1 {secret('annotation')}", "0.25"],
        "left_s": [1.5, secret("line")],
        "info": secret("info"),
    }
    (place / "1.json").write_bytes(line_of_a_board(json.dumps(board).encode()))


@pytest.mark.parametrize("is_played", [False, True])
def test_no_route_tells_a_secret(site: Served, folder: Path, *, is_played: bool) -> None:
    live(folder / "pool")
    told: dict[str, str] = {}
    with either(folder / "pool", is_played=is_played):
        site.site.shelf.found_s = None  # so that it looks again
        for line in site.ask("/api/items").value:
            for route, path in site.addresses(key=line["key"]):
                if route.path == "/report/{key}/events":
                    told[path] = json.dumps([*site.news(path)])
                elif route.path.endswith("/events"):
                    if line["kind"] == "tournament":
                        news, parts = site.news(path), list[Any]()
                        is_now = is_played and line["name"] == "pool"
                        while not any(part.get("is_playing") == is_now for part in parts):
                            parts.append(next(news))
                        while line["name"] == "pool" and "board" not in {p["part"] for p in parts}:
                            parts.append(next(news))
                        told[path] = json.dumps(parts)
                        news.close()
                else:
                    for accept in ("text/html", "application/json"):
                        told[f"{path} {accept}"] = site.ask(path, Accept=accept).text
    assert len(told) > 40
    assert {path: found for path, text in told.items() if (found := secrets_in(text))} == {}
    assert all(str(folder) not in text for text in told.values())
    assert ("ann leads" in told[f"/t/{site.key('pool')}/events"]) == is_played


def test_a_query_finds_nothing_by_what_is_not_told(site: Served, folder: Path) -> None:
    """Else whoever asks often enough reads what is hidden, letter by letter.

    The private site finds all that, and tells why something cannot be read, and most secrets.
    """
    hidden = ("tag.Note", secret("tag")), ("Site", secret("site")), ("tag.Host", secret("host"))
    queries = [f'{name} = "{value}"'.replace(" ", "+") for name, value in hidden]
    with served(folder) as private:

        def found(one: Served, name: str, where: str) -> int:
            path = f"/report/{site.key(name)}?where={where}"
            text = one.ask(path, **one.cookie).text
            return 0 if "no games found" in text else int(data_in(text)["games"])

        for name in ("pool", "old.lath"):
            assert found(private, name, "+and+".join(queries)) > 0
            assert found(site, name, "+or+".join(queries)) == 0
        path = f"/report/{site.key('no-database')}"
        answers = site.ask(path), private.ask(path, **private.cookie)
        assert (answers[0].status, answers[0].value) == (
            409,
            {"error": "this file could not be read"},
        )
        assert "no-database/tournament.db: not a tournament" in answers[1].text
        text = private.ask(f"/report/{private.key('pool')}", **private.cookie).text
    assert len(secrets_in(text)) > len(PLACES) / 2
    wrong = site.ask(f"/report/{site.key('old.lath')}?where=winner+=")
    assert (wrong.status, "the query ends too early" in wrong.text) == (409, True)
