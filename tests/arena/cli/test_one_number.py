"""Commands that print one measure of one collection print one value, over the same games."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from commands import arena
from sample_records import random_game, with_tags

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


SKIPPED: Final = '{"id": "%d", "header": {"game": {"name": "Hex"}, "players": []}, "moves": []}'
BAD: Final = f"{_TAGS}\n1. e5 2. e5 *\n"


@pytest.mark.parametrize(("bad", "others"), [(0, 0), (2, 0), (0, 3), (2, 3)])
def test_what_was_left_out_is_counted_where_the_games_are(
    bad: int, others: int, tmp_path: Path
) -> None:
    """Not on standard error alone: in the JSON, and below the table."""
    path, data = collection(tmp_path, ""), tmp_path / "page.json"
    path.write_text("\n".join([path.read_text(), *[BAD] * bad]))
    hex_games = tmp_path / "hex.json"
    hex_games.write_text(f"[{','.join(SKIPPED % number for number in range(others))}]")
    sources = [path, hex_games] if others else [path]
    for command in ("stats", "stats --openings", "stats --measures", "explore"):
        found = told(*command.split(), *sources)["left_out"]
        assert (found["bad"], sum(found["skipped"].values())) == (bad, others), command
        if command != "explore":
            last = arena(*command.split(), *sources).out.splitlines()[-1]
            assert (f"{bad} bad records" in last) == bool(bad)
            assert (f"{others} of other games" in last) == bool(others)
    assert arena("report", *sources, "--data", data).status == int(bool(bad))
    rated, page = told("rate", *sources), json.loads(data.read_text())["standings"]
    for standings in (rated, page):
        assert sum(each["records"] for each in standings["unsound"]) == bad
        assert standings["left_out"].get("other games", 0) == others
    table = arena("rate", *sources).out
    assert ("not sound 2" in table, "other games 3" in table) == (bool(bad), bool(others))


ALONE: Final = WITHOUT_MOVES["results of others alone"]


@pytest.mark.parametrize(
    "flags",
    [["--endings"], ["--endings", "--distinct"], ["--where", 'not position "5/6/7/8/9/8/7/6/5 w"']],
)
def test_results_of_games_that_are_not_here_are_sound_in_every_question(
    flags: list[str], tmp_path: Path
) -> None:
    path = collection(tmp_path, ALONE)
    checked, ran = arena("check", path), arena("stats", path, *flags)
    assert " 0 bad " in checked.out + checked.err
    assert (ran.status, "bad" in ran.out + ran.err) == (0, False)
    assert re.search(r"^chess +2 ", ran.out, re.MULTILINE)


@pytest.mark.parametrize("titled", [0, 1, 2])
def test_a_title_is_that_of_all_games_or_of_none(titled: int, tmp_path: Path) -> None:
    games = [random_game("yavalath", seed) for seed in range(2)]
    games = [
        replace(game, tags=tuple(tag for tag in game.tags if tag[0] != "Event")) for game in games
    ]
    games[:titled] = [with_tags(game, Event="Club evening") for game in games[:titled]]
    path, data = tmp_path / "games.lath", tmp_path / "page.json"
    path.write_text("\n".join(format_records(games)))
    arena("report", path, "--data", data)
    titles = arena("rate", path).out.splitlines()[0], json.loads(data.read_text())["title"]
    assert ["Club evening" in title for title in titles] == [titled == 2] * 2
