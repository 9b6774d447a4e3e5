"""Games with parameters: one id each, what is refused, and a family of somebody's own."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from pathlib import Path

import plain_rules
import pytest
from families import FAMILIES
from game_files import EXAMPLES, write_game
from hypothesis import given
from hypothesis import strategies as st

from lath import games
from lath.games.core import Game, perft
from lath.games.errors import GameFileError, UnknownGameError
from lath.games.parameters import Parameter, Value, family, id_with, of, read, written

TORUS = """
from lath.games.parameters import Parameter
from lath.games.yavalath import Yavalath


class Mine(Yavalath):
    id = "mine-with-parameters"
    title = "Mine"
    parameters = (
        Parameter("size", 5, range(4, 7), "cells on a side of the board"),
        Parameter("pie", True, (False, True), "whether second may swap"),
        Parameter("first", "white", ("white", "black"), "who begins"),
    )

    def __init__(self, size=5, pie=True, first="white"):
        super().__init__(size)
        self.said = size, pie, first


GAME = Mine()
"""


@st.composite
def said(draw: st.DrawFn) -> tuple[Game, dict[str, Value]]:
    """Draw a family and values of some of its parameters, in any order."""
    game = draw(st.sampled_from(FAMILIES))
    some = draw(st.permutations(of(game)))[: draw(st.integers(1, len(of(game))))]
    return game, {each.name: draw(st.sampled_from(each.values)) for each in some}


@given(said())
def test_however_parameters_are_said_a_game_has_one_id(
    drawn: tuple[Game, dict[str, Value]],
) -> None:
    game, values = drawn
    text = f"{game.id}:{','.join(f'{name}={written(value)}' for name, value in values.items())}"
    assert read(game, text.partition(":")[2]) == values
    game_id = games.canonical_id(text)
    assert games.canonical_id(game_id) == game_id == games.named(text) == id_with(game, values)
    try:
        found = games.get(game_id)
    except UnknownGameError:  # values that clash: what is said then stands below
        return
    assert found.id == game_id
    assert found is games.get(game_id) is pickle.loads(pickle.dumps(found))
    assert (found is game) == all(
        values.get(each.name) in (None, each.default) for each in of(game)
    )
    if text != game_id:
        with pytest.raises(
            UnknownGameError, match="the parameters are not in canonical form, expected"
        ):
            games.get(text)


def test_numbers_that_are_not_one_after_the_other_are_told_as_they_are() -> None:
    konane = games.add(EXAMPLES / "konane.py")
    with pytest.raises(UnknownGameError, match="size is '5', expected 4, 6, 8 or 10"):
        games.get(f"{konane.id}:size=5")
    hundreds = Parameter("stones", 100, range(0, 5001, 100), "stones at the start")
    assert hundreds.expected == "a number from 0 to 5000 in steps of 100"


def test_a_family_has_every_game_that_its_parameters_make_once() -> None:
    ids = [game.id for game in family(games.get("surikata"))]
    assert ids == ["surikata", "surikata:lose=4", "surikata:lose=5"]


WRONG = {
    "yavalath:": "found '', expected a parameter and its value such as size=5",
    "yavalath:4": "found '4', expected a parameter and its value such as size=5",
    "yavalath:size=4,": "found '', expected a parameter and its value such as size=5",
    "yavalath:size=99": "size is '99', expected a number from 3 to 9",
    "yavalath:size=4.0": "size is '4.0', expected a number from 3 to 9",
    "yavalath:size=": "size is '', expected a number from 3 to 9",
    "yavalath:size=٤": "size is '٤', expected a number from 3 to 9",
    "yavalath:size=" + "9" * 5000: "expected a number from 3 to 9",
    "yavalath:Size=4": "no parameter 'Size', expected one of size, win, lose",
    "yavalath:size=4,size=4": "size appears twice, expected each parameter once",
    "yavalath:win=3": "greater than lose and less than 2 × lose",
    "yavalath:size=3,win=7,lose=4": "win is 7, expected at most 5, the longest row",
    "mammalath:size=4,line=5": "line is 5, expected at most the size, 4",
    "yavalath:size=04": "the parameters are not in canonical form, expected 'yavalath:size=4'",
    "yavalath:lose=3": "the parameters are not in canonical form, expected 'yavalath'",
    "yavalath: size=4": "no parameter ' size', expected one of size, win, lose",
    "manalath-61:size=4": "no parameter 'size', expected one of win",
}


def test_what_is_wrong_with_parameters_is_told_in_one_sentence() -> None:
    for game_id, why in WRONG.items():
        with pytest.raises(UnknownGameError) as refusal:
            games.get(game_id)
        assert str(refusal.value).startswith(f"game {game_id!r}: ")
        assert str(refusal.value).endswith(why)


def plain_perft(game: plain_rules.PlainGame, depth: int) -> int:
    """Return the count of paths by the plain rules."""
    if depth == 1:
        return len(game.legal())
    count = 0
    for move in game.legal():
        after = copy.deepcopy(game)
        after.play(move)
        count += plain_perft(after, depth - 1)
    return count


def test_paths_with_parameters_are_as_many_as_by_the_plain_rules() -> None:
    for game_id in (
        "yavalath:size=3,win=3,lose=2",
        "manalath:size=3,win=3",
        "mammalath:size=4,line=4",
    ):
        game = games.get(game_id)
        setup = game.draw_setup(1)
        plain = plain_rules.start(game_id, setup)
        assert perft(game.start(setup), 2) == plain_perft(plain, 2), game_id


def test_a_game_of_a_file_has_numbers_words_and_yes_or_no(tmp_path: Path) -> None:
    path = write_game(tmp_path, TORUS)
    game_id = "mine-with-parameters:pie=no,first=black"
    assert games.named(f"{path}:first=black,pie=no,size=5") == game_id
    game = games.get(game_id)
    assert vars(game)["said"] == (5, False, "black")
    assert game.title == "Mine (pie no, first black)"
    for wrong, why in (("pie=maybe", "no or yes"), ("first=red", "white or black")):
        with pytest.raises(UnknownGameError, match=f"expected {why}"):
            games.get(f"mine-with-parameters:{wrong}")


def test_a_file_that_is_refused_leaves_the_games_that_there_are(tmp_path: Path) -> None:
    before = games.get("yavalath:size=4")
    for slip, why in (
        ("variant = None", "but does not define variant"),
        ("start = lambda self, setup=None: 1 / 0", "division by zero"),
    ):
        with pytest.raises(GameFileError, match=why):
            games.add(write_game(tmp_path, f"{TORUS}\nMine.{slip}\n"))
    assert games.get("yavalath:size=4") is before


def test_what_ids_cannot_hold_is_no_parameter() -> None:
    cases: tuple[tuple[str, Value, Sequence[Value]], ...] = (
        ("Size", 4, range(3, 5)),
        ("board size", 4, range(3, 5)),
        ("goal", "a,b", ("a,b",)),
        ("goal", "=", ("=",)),
        ("size", 5, range(3, 5)),
        ("size", 5, ()),
    )
    for name, default, values in cases:
        with pytest.raises(ValueError, match=r"^parameter "):
            Parameter(name, default, values, "What it is.")
    assert Parameter("lines", "row", ("row",), "What counts.").expected == "row"
    assert Parameter("pie", True, (False, True), "Whether to swap.").expected == "no or yes"
