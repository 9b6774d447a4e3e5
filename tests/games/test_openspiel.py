"""The example plugin of OpenSpiel: its games keep the contract, and its bot plays them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from lath.games.core import Result, escaped, plain_move, result_of
from lath.games.trial import wrong_with

if TYPE_CHECKING:
    from lath_openspiel.rules import OpenSpielGame

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: make openspiel")

PLUGIN = ROOT / "examples" / "plugins" / "openspiel"
sys.path.append(str(PLUGIN))

from lath_openspiel import games  # noqa: E402 - of the folder above
from lath_openspiel.rules import candidates, id_of  # noqa: E402

IDS = [*games()]


@cache
def made(game_id: str) -> OpenSpielGame:
    """Return a game, whose board is found only once."""
    return games()[game_id]()


def test_the_page_has_each_game_of_openspiel_that_fits() -> None:
    page = (PLUGIN / "GAMES.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\S+)` .*\| (.*) \|$", page, re.MULTILINE)
    assert [game_id for game_id, _ in rows] == [id_of(kind) for kind in candidates()]
    assert [game_id for game_id, said in rows if said == "passes"] == IDS


@pytest.mark.parametrize("game_id", IDS)
def test_a_game_keeps_the_contract(game_id: str) -> None:
    assert wrong_with(made(game_id), games=2, seconds=0.2) == ""


@pytest.mark.parametrize("game_id", IDS)
def test_a_variant_has_the_value_of_a_parameter_or_is_refused(game_id: str) -> None:
    game = made(game_id)
    for parameter in game.parameters:
        for value in (parameter.values[0], parameter.values[-1]):
            named = f"{game_id}:{parameter.name}={value}"
            try:
                variant = game.variant(named, **{parameter.name: value})
            except ValueError as error:
                assert "OpenSpiel" in str(error)  # noqa: PT017 - most values are accepted
                continue
            assert variant.native.get_parameters()[parameter.name] == value
            assert variant.start().legal_moves()


@pytest.mark.parametrize(
    ("moves", "result"),
    [
        ("x(0,0) o(1,0) x(0,1) o(1,1) x(0,2)", Result.FIRST_WON),
        ("x(0,0) o(1,0) x(0,1) o(1,1) x(2,2) o(1,2)", Result.SECOND_WON),
        ("x(0,0) o(1,1) x(2,2) o(0,1) x(2,1) o(2,0) x(0,2) o(1,2) x(1,0)", Result.DRAWN),
    ],
)
def test_the_winner_has_the_higher_return(moves: str, result: Result) -> None:
    position = made("openspiel-tic-tac-toe").start()
    for text in moves.split():
        assert result_of(position) == Result.UNFINISHED
        position = position.play(escaped(text))
    assert result_of(position) == result


def test_who_begins_is_first_whatever_number_openspiel_gives() -> None:
    position = made("openspiel-chess").start()
    assert position.game.first == 1
    for move in ("f3", "e5", "g4", "Qh4#"):
        assert move in map(plain_move, position.legal_moves())
        position = position.play(escaped(move))
    assert result_of(position) == Result.SECOND_WON


def test_a_board_is_where_openspiel_prints_pieces() -> None:
    position = made("openspiel-connect-four").start()
    for column in "3342":
        position = position.play(position.legal_moves()[int(column)])
    on = dict(zip(position.game.board.names, position.contents(), strict=True))
    assert {cell: code for cell, code in on.items() if code} == {
        "d1": "x", "d2": "o", "e1": "x", "c1": "o"
    }  # fmt: skip
    assert len(made("openspiel-havannah").board.names) == 169
    assert made("openspiel-hive").start().contents() == ("b",)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of a process that has the plugin installed."""
    place = tmp_path_factory.mktemp("site")
    info = place / "lath_openspiel-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lath-openspiel\nVersion: 0.1.0\n")
    points = "[lath_arena.game_packs]\nopenspiel = lath_openspiel:games\n"
    assert points.splitlines()[1].replace(" = ", ' = "') in (PLUGIN / "pyproject.toml").read_text()
    (info / "entry_points.txt").write_text(points)
    path = (str(PLUGIN), str(place), *filter(None, [os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": os.pathsep.join(path)}


def talk(installed: dict[str, str], *lines: str) -> subprocess.CompletedProcess[str]:
    """Return what the bot says to these lines."""
    return subprocess.run(
        [sys.executable, "-m", "lath_openspiel.bot"],
        input="\n".join(["arena 1", *lines, ""]),
        env=installed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_bot_wins_where_it_can(installed: dict[str, str]) -> None:
    new = "new 1 openspiel-tic-tac-toe side first tc nodes 300 seed 1 position 0 3 1 4"
    said = talk(installed, new, "go 5 nodes 300").stdout.splitlines()
    assert said[-1] == f"bestmove 5 {escaped('x(0,2)')}"


def test_the_bot_refuses_other_games_clearly(installed: dict[str, str]) -> None:
    done = talk(installed, "new 1 yavalath side first tc none seed 1")
    (games_line,) = (line for line in done.stdout.splitlines() if line.startswith("game "))
    assert games_line.split()[1:] == [f"{game_id}:*" for game_id in IDS]
    assert "plays only games whose ids begin with openspiel-, not yavalath" in done.stdout
