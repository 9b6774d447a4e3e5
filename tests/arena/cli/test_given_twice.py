"""A game that is given twice counts once, in every command that counts games, and that is said.

It is the same where event, date, round, number, players and moves are; moves alone tell nothing.
Games of two tournaments are never the same.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest
from commands import Ran, arena
from quick_runs import play_nothing
from wrong_bits import copy_to

from lath.notation import parse
from lath.notation.given import AGAIN, game_key

GAMES: Final = 4


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    """A folder with a tournament, its records elsewhere, annotated, and a database of them."""
    before = Path.cwd()
    copy_to(tmp_path / "here")
    shutil.copyfile("cup/games.lath", "copied.lath")
    text = Path("copied.lath").read_text()
    Path("halves.lath").write_text(f"{text}\n{text}")
    assert arena("edit", "copied.lath", "--set", "Annotator=me", "-o", "noted.lath").status == 0
    assert arena("convert", "copied.lath", "games.duckdb").status == 0
    yield tmp_path / "here"
    os.chdir(before)


COUNTS: Final[Mapping[str, Callable[[Ran], int]]] = {
    "rate --json": lambda ran: json.loads(ran.out)["overall"]["games"],
    "report --data -": lambda ran: json.loads(ran.out)["facts"]["records"],
    "stats --json": lambda ran: json.loads(ran.out)["games"],
    "explore --json": lambda ran: json.loads(ran.out)["games"],
    "explain greedy --json": lambda ran: json.loads(ran.out)["games"],
    "select --count": lambda ran: int(ran.out),
}
"""By a command that counts games, how many it counts."""

ARE_FILES: Final = ("stats", "explore", "select")
"""Commands that take files alone."""

TWICE: Final[Sequence[Sequence[str]]] = (
    ("cup/games.lath", "cup/games.lath"),
    ("cup", "cup/games.lath"),
    ("cup", "cup/../cup"),
    ("cup/games.lath", "copied.lath"),
    ("copied.lath", "noted.lath"),
    ("games.duckdb", "copied.lath"),
    ("halves.lath",),
)


@pytest.mark.parametrize("name", COUNTS)
def test_games_that_are_given_twice_count_once_and_that_is_said(name: str, here: Path) -> None:
    command, *words = name.split()
    for sources in TWICE:
        if command in ARE_FILES and "cup" in sources:
            continue
        counted = []
        for more in ((),) if command == "explain" else ((), (AGAIN,)):
            given = ["--data", "-"] if words[-1:] == ["-"] else [w for w in words if w[0] == "-"]
            ran = arena(command, *[w for w in words if w[0] != "-"], *sources, *given, *more)
            assert ran.status == 0, ran.err
            assert f"{GAMES} games were given before" in ran.err, (sources, ran.err)
            counted.append(COUNTS[name](ran))
        assert counted[0]
        assert counted[0] < counted[-1] or command == "explain", sources
        first = "copied.lath" if sources[0] == "halves.lath" else sources[0]
        once = arena(command, *[w for w in words if w[0] != "-"], first, *given)
        assert COUNTS[name](once) == counted[0], sources
        assert "given before" not in once.err


def test_a_copied_event_counts_once_in_its_league(here: Path) -> None:
    shutil.copytree("cup", "copy")
    for more, games in ((), GAMES), ((AGAIN,), 2 * GAMES):
        ran = arena("report", ".", "--no-reports", "--data", "-", *more)
        data = json.loads(ran.out)
        assert "4 games were given before: 4 in cup" in ran.err
        assert data["facts"]["records"] == games
        assert [one["facts"]["records"] for one in data["tournaments"]] == [GAMES, GAMES]
        ran = arena("report", ".", "--site", "site", *more)
        void = 1 if games == GAMES else 2
        assert f"2 events, 3 bots, {games - void} games" in ran.err
        assert "4 games were given before: 4 in cup" in ran.err


def test_games_of_other_tournaments_are_others_and_those_of_copies_are_the_same(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    names = ("one", "two", "three")
    for name in names:
        words = ("--bot", "ann=random", "--bot", "bob=random", "--rounds", 2, "--seed", 1, "-q")
        ran = arena("run", "--out", name, "--game", "yavalath", "--tc", "move 1", *words)
        assert ran.status == 0, ran.err
    assert Path("one/games.lath").read_text() == Path("two/games.lath").read_text()
    shutil.copytree("two", "copy")
    (here / "alone").mkdir()
    shutil.copy("three/games.lath", "alone/games.lath")
    of_all = ("one", "copy", "two", "alone", "three")
    for sources, games in (of_all, 12), (of_all[::-1], 12), (("two", "copy"), 4), (names, 12):
        ran = arena("rate", *sources, "--json")
        assert json.loads(ran.out)["overall"]["games"] == games, sources
        folder = here / f"league-{'-'.join(sources)}"
        for name in sources:
            shutil.copytree(name, folder / name)
        told = json.loads(arena("report", folder, "--no-reports", "--data", "-").out)
        assert told["facts"]["records"] == games
        assert f", {games} games" in arena("report", folder, "--site", f"{folder}-site").err
        assert f", {games} games" in arena("report", *sources, "--site", f"{folder}-site").err
    ran = arena("stats", *(f"{name}/games.lath" for name in ("two", "copy", "one")), "--json")
    assert json.loads(ran.out)["games"] == 8


ONE: Final = """[Game "yavalath"]
[Event "Cup"]
[Date "2026-11-20"]
[Round "1"]
[Number "1"]
[First "ann"]
[Second "bob"]
[Termination "resignation"]
[Result "1-0"]

1. e5 2. d4 1-0
"""

OTHERS: Final = {
    "another event": ('"Cup"', '"Club"'),
    "another day": ("2026-11-20", "2026-11-21"),
    "another round": ('[Round "1"]', '[Round "2"]'),
    "another number": ('[Number "1"]', '[Number "2"]'),
    "other players": ('"ann"', '"ada"'),
    "another move": ("2. d4", "2. d5"),
}


@pytest.mark.parametrize("how", OTHERS)
def test_games_of_the_same_moves_are_not_one_for_that(how: str, tmp_path: Path) -> None:
    old, new = OTHERS[how]
    assert old in ONE
    files = tmp_path / "a.lath", tmp_path / "b.lath"
    files[0].write_text(ONE)
    files[1].write_text(ONE.replace(old, new))
    ran = arena("stats", *files, "--json")
    assert (json.loads(ran.out)["games"], ran.err) == (2, "")


def test_of_games_without_number_and_round_nobody_knows(tmp_path: Path) -> None:
    bare = '[Game "yavalath"]\n[First "a"]\n[Termination "resignation"]\n\n1. e5 2. d4 1-0\n'
    assert game_key(parse(bare)) is None
    (tmp_path / "a.lath").write_text(bare + "\n" + bare)
    ran = arena("rate", tmp_path / "a.lath", "--json")
    assert json.loads(ran.out)["overall"]["games"] == 2
    ran = arena("rate", tmp_path / "a.lath", tmp_path / "a.lath", "--json")
    assert json.loads(ran.out)["overall"]["games"] == 2, "the file is the same"
