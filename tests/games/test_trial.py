"""A game that somebody brings is tried out: what is wrong is said in its own words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from game_files import EXAMPLE, write_game

from lath import games
from lath.games.errors import GameFileError
from lath.games.trial import wrong_with

TEXT = EXAMPLE.read_text(encoding="utf-8")


@pytest.mark.parametrize("game", games.installed(), ids=lambda game: game.id)
def test_nothing_is_wrong_with_the_games_there_are(game: object) -> None:
    assert wrong_with(game) == ""


@pytest.mark.parametrize(
    ("right", "wrong", "why"),
    [
        ('title: Final = "Order and Chaos"', "title = None", "title is None, expected a text"),
        ('("order", "chaos")', '"oc"', "colours are 'oc', expected two words"),
        ('Piece("o",', 'Piece("x",', "pieces have the codes ['x', 'x'], expected a letter of its"),
        (
            "return State(self, (0, 0), 0, OPEN)",
            "return 0",
            "start() returned 0, which has no game",
        ),
        ('Move(f"{kind}{name}") for', 'Move(f"{kind} {name}") for', "'x a1' is no move that a rec"),
        ("return tuple(Move", "return list(Move", "legal_moves() is ['xa1', 'oa1', "),
        ("1 - self.mover, verdict", "2, verdict", "IndexError: tuple index out of range"),
        (
            'return Outcome(Seat.FIRST, "five in line", board.names_of(lines))',
            "return 7",
            "xb6 xe4: outcome() is 7, expected an Outcome or None",
        ),
        (
            "return self.game.board.contents(zip(KINDS, self.kinds, strict=True))",
            "return ('?',) * 36",
            "contents() has '?', expected codes of pieces: o, x",
        ),
        (
            "return self.game.board.format_rows(dict(zip(KINDS, self.kinds, strict=True)))",
            "return '6/6/6/6/6/6'",
            "position('6/6/6/6/6/6'), its own text, is another position",
        ),
        ("require_legal(self, move)", "1 / 0", ":111: ZeroDivisionError: division by zero"),
        (
            "if self.verdict != OPEN:\n            return ()",
            "return ()",
            "not over, but no legal move",
        ),
    ],
)
def test_a_slip_is_told_of_when_the_file_is_named(
    tmp_path: Path, right: str, wrong: str, why: str
) -> None:
    path = write_game(tmp_path, TEXT.replace(right, wrong))
    with pytest.raises(GameFileError, match=re.escape(why)) as refusal:
        games.add(path)
    assert str(refusal.value).startswith(f"{path}:")
    assert "order-and-chaos" not in games.ids()
