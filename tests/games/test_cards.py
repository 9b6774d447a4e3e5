"""The rules of a game type in a few lines, as pages and terminals show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from game_files import forget_games
from places import ROOT

from lath import games
from lath.arena.site.boards import board_json
from lath.arena.terminal import play
from lath.games.cards import card_of, credit_told, named_card

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = sorted((ROOT / "examples/games").glob("*.py"))


@pytest.fixture(scope="module")
def shown() -> Iterator[list[Any]]:
    yield [*map(games.get, games.builtin_ids()), *map(games.add, FILES)]
    forget_games()


def test_a_card_names_its_game_once_in_front_and_has_no_marks_of_a_docstring(
    shown: list[Any],
) -> None:
    assert any("`" in (file.read_text("utf-8").split('"""')[1]) for file in FILES)
    for game in shown:
        card, told = named_card(game), board_json(game.id)
        assert told is not None
        assert (told["card"], told["credit"]) == (card, credit_told(game))
        assert play.card_of(game).split() == card.split()
        clause = card.split("\n", maxsplit=1)[0].split(".")[0].split(":")
        assert sum(game.title.split(" (")[0] in part for part in clause[:2]) == 1, card
        assert "`" not in f"{card}{card_of(game)}"


@pytest.mark.parametrize(
    ("title", "text", "is_named"),
    [
        ("Hex 9x9", "Hex on 9x9: red joins top and bottom.", True),
        ("Amazons", "The Game of the Amazons, on 6x6 squares.", True),
        ("Noughts and Crosses", "Noughts and crosses: three in line win.", True),
        ("Yavalath on squares", "Yavalath: four in line win.", True),
        ("Manalath (61 cells)", "Manalath is played on 61 cells.", True),
        ("2048", "2048 is the number of cells.", True),
        ("Capture Go", "Capture three stones to win.", False),
        ("Three Men's Morris", "Three of your men in line win.", False),
        ("Amazons", "The player who cannot move loses. The Amazons move as queens.", False),
        ("Go", "Good shapes win.", False),
    ],
)
def test_the_title_stands_before_a_text_that_does_not_begin_with_the_games_name(
    title: str, text: str, is_named: bool
) -> None:
    game: Any = type("Told", (), {"title": title, "card": text})()
    assert named_card(game) == (text if is_named else f"{title}: {text}")


@pytest.mark.parametrize("credit", ["traditional", "after Yasutoshi Yasuda", "Piet Hein, 1942."])
def test_a_credit_is_a_sentence_whatever_it_says(credit: str) -> None:
    game: Any = type("Told", (), {"credit": credit})()
    assert credit_told(game) == f"Credit: {credit.removesuffix('.')}."
