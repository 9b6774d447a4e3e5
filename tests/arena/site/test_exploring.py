"""One walks through games on a page: by the board, by the table and by the browser's Back."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from commands import arena
from sample_records import random_game
from sites import Served, served, until

from lath import games
from lath.arena.site import exploring
from lath.notation import format_record, parse
from lath.reports.exploring.explorer import ExploredGames

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sites import Guest

    from lath.notation.record.record import Record

pytestmark = pytest.mark.slow

TAGS: Final = '[Game "yavalath"]\n[Termination "resignation"]\n'

NAMED: Final = '[Opening "book.lath #3: Corner"]\n'

GAMES: Final = (
    f'{TAGS}{NAMED}[First "ann"]\n[Second "bob"]\n[Date "2026-11-02"]\n\n1. e5 2. d4 3. f6 1-0\n',
    f'{TAGS}[First "bob"]\n[Second "cora"]\n\n1. f6 2. d4 3. e5 0-1\n',
    f'{TAGS}[First "cora"]\n[Second "ann"]\n\n1. e5 2. swap 3. a1 0-1\n',
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "old.lath").write_text("\n".join(GAMES))
    arena("convert", folder / "old.lath", folder / "old.duckdb")
    (folder / "wild.lath").write_text(format_record(random_game("mammalath", 1)))
    both = [format_record(random_game(game, 1)) for game in ("surikata", "manalath", "surikata")]
    (folder / "both.lath").write_text("\n".join([*both[:2], both[2].replace("bob", "cora")]))
    with served(folder) as running:
        yield running


def asked(site: Served, name: str, **more: Any) -> Any:
    return site.post("/api/explore", {"key": site.key(name), **more})


def test_the_page_is_told_the_same_node_as_the_command_line(site: Served) -> None:
    archive = ExploredGames()
    for number, text in enumerate(GAMES, 1):
        archive.add(parse(text), "", number)
    node = archive.node(games.get("yavalath").start())
    told = asked(site, "old.lath").value
    assert {**told, **node.to_json()} == told
    assert (told["of_games"], told["left_out"]) == ({"yavalath": 3}, 0)
    wild = asked(site, "wild.lath").value  # where no game begins plainly
    assert wild["start"]["position"] == wild["position"] == wild["begins"]
    assert wild["here"]["games"] == 1
    assert asked(site, "both.lath").value["game"] == "surikata"  # the first of several games
    told = asked(site, "both.lath", game="manalath").value
    assert (told["game"], told["of_games"]) == ("manalath", {"surikata": 2, "manalath": 1})


def test_what_cannot_be_asked_is_refused(site: Served) -> None:
    for asks, status, words in (
        ({"where": "winner = "}, 409, "the query ends too early"),
        ({"where": "greedy"}, 409, "write winner = greedy, for example"),
        ({"where": "plies > 99"}, 409, "no games found that match"),
        ({"moves": ["e5", "e5"]}, 409, "ply 2: illegal move e5: e5 already has a stone"),
        ({"position": "5 b"}, 409, "1 row, expected 9"),
        ({"key": "no-such"}, 404, "tournament or file not found"),
        ({"ply": 3}, 400, "ply: Extra inputs are not permitted"),
    ):
        answer = site.post("/api/explore", {"key": site.key("old.lath"), **asks})
        assert (answer.status, words in answer.value["error"]) == (status, True), asks


def test_more_games_than_there_is_room_for_are_refused_not_cut(
    site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exploring, "MOST", 2)
    answer = asked(site, "old.lath", where="plies > 0")
    assert (answer.status, "more than 2 games" in answer.value["error"]) == (409, True)
    assert asked(site, "old.lath", where="player = ann").value["games"] == 2


def test_games_that_nobody_asks_about_any_more_are_not_read_on(
    site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []

    def endless(sources: list[Path], _: object) -> Iterator[Record]:
        try:
            while True:
                yield parse(GAMES[0])
        finally:
            ended.append(sources[0].name)

    monkeypatch.setattr(exploring, "records_of", endless)
    monkeypatch.setattr(exploring, "MOST", 10**9)
    line = http.client.HTTPConnection(site.host, timeout=30)
    body = json.dumps({"key": site.key("both.lath"), "where": "plies > 99"})
    sent = {"Content-Type": "application/json", **site.keys}
    line.request("POST", f"{site.site.root}/api/explore", body, sent)
    assert site.ask("/", **site.cookie).status == 200
    line.close()
    assert until(lambda: ended) == ["both.lath"]


def test_a_database_is_walked_through_like_the_file_it_is_made_of(site: Served) -> None:
    for asks in ({}, {"moves": ["e5", "d4"]}, {"where": "player = ann"}):
        in_file, in_database = (asked(site, f"old.{end}", **asks) for end in ("lath", "duckdb"))
        assert in_database.value == in_file.value
    at = f"/api/records/{site.key('old.duckdb')}"
    assert parse(site.get(f"{at}/3")["text"]) == parse(GAMES[2])
    places = ("1?where=loser+=+bob", "3?where=loser+=+bob", "4")
    assert [site.ask(f"{at}/{place}", **site.cookie).status for place in places] == [200, 404, 404]
    assert site.ask(f"/report/{site.key('old.duckdb')}", **site.cookie).status == 404
    home = site.ask("/", **site.cookie).text
    assert f'/explore?key={site.key("old.duckdb")}"' in home


def test_who_may_only_look_cannot_explore(tmp_path: Path) -> None:
    (tmp_path / "old.lath").write_text(GAMES[0])
    with served(tmp_path, is_public=True) as public:
        assert public.ask("/explore").status == 404
        assert public.post("/api/explore", {"key": public.key("old.lath")}).status == 403


def test_one_walks_by_the_board_the_table_and_back(site: Served, guest: Guest) -> None:
    page = (visit := guest(site, f"/explore?key={site.key('old.lath')}")).page

    def at(steps: int) -> None:
        page.wait_for_function(
            "n => document.querySelectorAll('#way button').length === n", arg=steps
        )

    page.wait_for_selector("#ways tbody tr")
    assert "3 of 3 games reach this position" in page.text_content("#told")
    page.click("#ways tbody tr:first-child button")
    at(1)
    assert page.text_content("#way") == "Start › 1. e5"
    assert "first player’s score 50" in page.text_content("#told")
    page.fill("#typed-move", "d4")
    page.press("#typed-move", "Enter")
    at(2)
    row = page.locator("#ways tbody tr", has_text="f6").locator("th, td").all_text_contents()
    assert [row[2], row[6]] == ["1", "2"]  # played from here, reached
    page.go_back()
    at(1)
    page.click("#way button")
    page.wait_for_selector("#way strong:has-text('Start')")
    page.fill("#where", "player = cora")
    page.press("#where", "Enter")
    page.wait_for_selector("#told:has-text('2 of 2 games reach this position')")
    page.fill("#where", "player =")
    page.press("#where", "Enter")
    page.wait_for_selector("#said:has-text('the query ends too early')")
    assert page.is_hidden("#desk"), "its table is not of these games"
    page.fill("#where", "player = cora")
    page.press("#where", "Enter")
    page.wait_for_selector("#told:has-text('2 of 2 games reach this position')")
    discs = page.locator("#board .marks text").all_text_contents()
    assert discs == ["50", "50"]  # of the games that come here, in percent
    visit.complaints[:] = [words for words in visit.complaints if "409" not in words]


def test_a_game_opens_in_the_analysis_at_its_move(site: Served, guest: Guest) -> None:
    page = guest(site, f"/explore?key={site.key('old.lath')}&game=yavalath&moves=e5+d4").page
    page.wait_for_selector("#told:has-text('; the opening is Corner')")
    page.click("#ways tbody a >> nth=0")
    page.wait_for_selector("#tree [aria-current]:has-text('3. f6')")
    assert page.inner_text("#told").endswith("Opening: Corner.")
    page.click("#back")
    page.wait_for_selector("#tree [aria-current]:has-text('2. d4')")
    assert page.inner_text("#told").endswith("Opening: Corner.")
    page.fill("#typed-move", "a1")
    page.press("#typed-move", "Enter")
    page.wait_for_selector("#tree [aria-current]:has-text('3. a1')")
    assert "Corner" not in page.inner_text("#told"), "another line"
    page.click("#back")
    page.wait_for_selector("#told:has-text('White to move')")
    page.click("#forward")
    page.wait_for_selector("#told:has-text('Black to move')")
    page.click("#explored")
    page.wait_for_selector("#told:has-text('2 of 3 games reach this position')")
