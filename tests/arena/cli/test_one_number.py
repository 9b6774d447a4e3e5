"""Commands that print one measure of one collection print one value, over the same games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from commands import arena
from sample_records import random_game

from lath.notation import format_records

_TAGS: Final = '[Game "yavalath"]\n[First "ann"]\n[Second "bob"]\n'

WITHOUT_MOVES: Final = {
    "every game has moves": "",
    "a result alone": f'{_TAGS}[Moves "not recorded"]\n[Result "1-0"]\n\n1-0\n',
    "results of others alone": '[Game "chess"]\n[First "ann"]\n[Second "eve"]\n'
    '[Moves "not recorded"]\n[Result "0-1"]\n\n0-1\n',
    "a game that was not begun": f'{_TAGS}[Event "rain"]\n[Result "*"]\n\n*\n',
    "a crash before the first move": f'{_TAGS}[Termination "crash"]\n[Result "0-1"]\n\n0-1\n',
}
"""Records of which nobody knows how they began."""


def collection(folder: Path, text: str) -> Path:
    """Return a file of games, finished and not, of two kinds, and records without moves."""
    games = [random_game("yavalath", seed) for seed in range(6)]
    games += [random_game("surikata", seed) for seed in range(3)]
    stopped = f"{_TAGS}\n1. e5 2. d4 *\n"
    given_up = f'{_TAGS}[Termination "resignation"]\n\n1. e5 2. swap 3. a1 1-0\n'
    path = folder / "games.lath"
    path.write_text("\n".join([*format_records(games), stopped, given_up, text, text and text]))
    return path


def database_of(path: Path) -> Path:
    """Return a database of the same records; it takes no results alone."""
    found = path.with_suffix(".duckdb")
    assert arena("convert", path, found).status in (0, 1)
    return found


def told(*words: object) -> Any:
    return json.loads(arena(*words, "--json").out)


@pytest.mark.parametrize("kind", WITHOUT_MOVES)
def test_lengths_and_first_moves_are_one_number_in_every_command(kind: str, tmp_path: Path) -> None:
    path, data = collection(tmp_path, WITHOUT_MOVES[kind]), tmp_path / "page.json"
    for source in (path, database_of(path)):
        (survey,) = (
            one
            for one in told("stats", source, "--opening-plies", 1)["by_game"]
            if one["game"] == "yavalath"
        )
        opened = told("stats", source, "--openings", "--opening-plies", 1)["lines"]
        node = told("explore", source, "--game", "yavalath")
        begun = [line["games"] for line in opened if line["game"] == "yavalath"]
        arena("report", source, "--data", data)
        (page,) = (
            one for one in json.loads(data.read_text())["lengths"] if one["game"] == "yavalath"
        )
        many = {
            "stats, openings": survey["openings"]["games"],
            "openings": sum(begun),
            "explore": node["games"],
            "explore, here": node["here"]["games"],
            "explore, moves": sum(one["played"]["games"] for one in node["continuations"]),
        }
        assert set(many.values()) == {8}, str(many)
        assert node["ended"] == 0
        assert survey["games"] == 8 + node["without_moves"]
        here = node["here"]
        assert (
            survey["lengths"]["games"] == page["games"] == here["games"] - here["unfinished"] == 7
        )
        means = {survey["lengths"]["mean"], node["here"]["plies"], page["mean"]}
        assert {round(mean, 2) for mean in means} == {page["mean"]}
        assert survey["lengths"]["shortest"] == page["shortest"] == 3


@pytest.mark.parametrize("kind", WITHOUT_MOVES)
def test_explore_says_how_many_games_have_no_moves(kind: str, tmp_path: Path) -> None:
    path = collection(tmp_path, WITHOUT_MOVES[kind])
    number = told("explore", path, "--game", "yavalath")["without_moves"]
    words = f"; {number} without moves" * bool(number)
    assert (
        f"8 of {11 + (2 if WITHOUT_MOVES[kind] else 0)} records counted{words}; other games: "
        in (arena("explore", path, "--game", "yavalath", "--count-again").err)
    )
