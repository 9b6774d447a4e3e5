"""`arena explore` as its users meet it: the page's examples, JSON, filters, refusals."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from commands import arena, refusals
from doc_pages import DocPage
from game_files import FIVE_IN_LINE, forget_games, write_game
from sample_records import random_game

from lath.arena.terminal.explorer import SHOWN
from lath.notation import format_record

if TYPE_CHECKING:
    from golden import Golden

PAGE = DocPage("explore-positions")


@pytest.fixture(autouse=True)
def files_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the page's files and go where they are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")
    PAGE.make_files(tmp_path)


def explored(*arguments: str) -> Any:
    return json.loads(arena("explore", "games.lath", "--json", *arguments).out)


def moves_of(told: Any) -> dict[str, int]:
    return {each["move"]: each["played"]["games"] for each in told["continuations"]}


def test_json_has_the_keys_that_the_page_names() -> None:
    named = set(re.findall(r"`(\w+)`", DocPage("json-output").text))
    told = explored("--after", "e5 d4")
    one = told["continuations"][0]
    for part in (told, told["left_out"], one, one["played"], one["played"]["mover_score"]):
        assert set(part) <= named
    assert set(one["newest"]) <= named
    assert told["to_move"] == "first"
    assert (one["played"]["games"], one["reached"]["games"]) == (1, 2)
    assert one["newest"]["source"] == "games.lath"


def test_a_query_filters_the_games_and_a_position_is_asked_about_by_its_text() -> None:
    assert moves_of(explored("--where", "loser = ann")) == {"e5": 2}
    assert moves_of(explored("--where", "date >= 2026-11-05")) == {"e5": 1, "a1": 1}
    turned = explored("--position", "w4/6/7/8/9/8/7/6/5 b")
    assert turned["here"]["games"] == 1
    Path("games.lath").write_text(format_record(random_game("mammalath", 1)))
    begins = explored()
    assert (begins["games"], begins["here"]["games"]) == (1, 0)
    assert explored("--position", begins["begins"])["here"]["games"] == 1
    assert (
        "the first game begins from another position: --position"
        in arena("explore", "games.lath").err
    )


def test_games_of_another_id_are_told_of() -> None:
    with Path("games.lath").open("a") as file:
        file.write(f"\n{format_record(random_game('surikata', 1))}")
    ran = arena("explore", "games.lath")
    assert "5 of 6 records counted; other games: 1 of surikata (--game)" in ran.err
    assert explored("--game", "surikata")["left_out"]["other_games"] == {"yavalath": 5}


def test_no_move_is_left_out_unless_that_is_said() -> None:
    cells = [f"{row}{number}" for row in "abcdefghi" for number in range(1, 6)]
    games = (f'[Game "yavalath"]\n\n1. e5 2. a1 3. {cell} *\n' for cell in cells if cell != "a1")
    Path("games.lath").write_text("\n".join(games).replace("3. e5 *", "*"))
    shown = arena("explore", "games.lath", "--after", "e5 a1").out
    moves = moves_of(explored("--after", "e5 a1"))
    left = len(moves) - SHOWN
    games_left = sum(sorted(moves.values())[:left])
    assert f"and {left} more moves, {games_left} games: --all shows them" in shown
    rows = arena("explore", "games.lath", "--after", "e5 a1", "--all").out.partition("\nmove ")[2]
    assert len(rows.splitlines()) == 1 + len(moves)


WRONG: Final = (
    *("games.lath --after 'e5 e5'", "games.lath --after e55", "games.lath --position '5 b'"),
    *(
        "games.lath --game chess",
        "games.lath --where 'plies > 99'",
        "games.lath --where 'plis > 9'",
    ),
    *("games.lath --position '5 b' --setup x", "games.duckdb --where 'plis > 9'"),
    *("games.duckdb --where 'plies > 99'", "nowhere.duckdb", "text.duckdb"),
)
IMPOSSIBLE: Final = WRONG[:3]


def test_what_cannot_be_explored_is_refused_in_a_line(golden: Golden) -> None:
    arena("convert", "games.lath", "games.duckdb")
    Path("text.duckdb").write_text("no database")
    golden(refusals(f"explore {words}" for words in WRONG[3:]))
    golden(refusals((f"explore {words}" for words in IMPOSSIBLE), 1), case="input")


def test_the_command_that_shows_a_game_of_a_file_names_the_file(tmp_path: Path) -> None:
    write_game(tmp_path)
    Path("mine.lath").write_text(f'[Game "order-and-chaos"]\n\n{FIVE_IN_LINE} 1-0\n')
    forget_games()
    told = arena("explore", "mine.lath", "--game", "./mygame.py").err
    (command,) = re.findall(r"newest game of .*: arena (.*)", told)
    forget_games()
    shown = arena(*shlex.split(command))
    forget_games()
    assert (shown.status, "order-and-chaos, after 1." in shown.out) == (0, True)


def test_no_line_ends_in_a_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (40, 60, 72, 80):
        monkeypatch.setenv("COLUMNS", f"{columns}")
        lines = arena("explore", "games.lath").out.splitlines()
        assert [line for line in lines if line != line.rstrip() or len(line) > columns] == []


def test_a_bad_record_is_told_of_and_left_out() -> None:
    with Path("games.lath").open("a") as file:
        file.write('\n[Game "yavalath"]\n\n1. e5 2. e5 *\n')
    ran = arena("explore", "games.lath")
    assert ran.status == 1
    assert "illegal move e5" in ran.err
    assert "5 of 5 records counted; 1 invalid record left out" in ran.err


def test_a_database_is_asked_in_the_place_of_files() -> None:
    with Path("games.lath").open("a") as file:
        file.write(f"\n{format_record(random_game('surikata', 1))}")
    arena("convert", "games.lath", "games.duckdb")
    for options in ("", "--after e5", "--game surikata", "--where 'loser = ann'"):
        in_files, in_database = (
            arena("explore", source, "--json", *shlex.split(options))
            for source in ("games.lath", "games.duckdb")
        )
        assert in_files.out.replace("games.lath", "games.duckdb") == in_database.out
        assert (in_files.status, in_files.err) == (in_database.status, in_database.err)
    for source in ("games.lath", "games.duckdb"):
        (command,) = re.findall(r"newest game of e5: arena (.*)", arena("explore", source).err)
        assert "record 4: ann - cora, yavalath, after 1. e5" in arena(*shlex.split(command)).out
    beyond = arena("show", "games.duckdb", "--record", "9")
    assert (
        beyond.status,
        "games.duckdb: has 6 records; record 9 does not exist" in beyond.err,
    ) == (2, True)
    assert explored("games.duckdb")["here"]["games"] == 10
    assert explored("games.duckdb", "--distinct")["left_out"]["duplicates"] == 6
