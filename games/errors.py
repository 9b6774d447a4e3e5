"""What is wrong with a game's id, a move, a setup or a position, told in the game's own words."""

from __future__ import annotations


class GameError(ValueError):
    """The rules of a game were not kept; the message says what and where."""


class UnknownGameError(GameError):
    """No game of this id is built in, installed or added."""


class GameFileError(UnknownGameError):
    """A file that somebody named brings no game."""


class RulesVersionError(UnknownGameError):
    """The game is here, but not this version of its rules."""


class MoveSyntaxError(GameError):
    """The text is no move of this game in any position."""

    def __init__(self, text: str, expected: str) -> None:
        super().__init__(f"{text!r} is not a move: {expected}")
        self.text = text
        self.expected = expected


class IllegalMoveError(GameError):
    """The move exists, but not in this position."""

    def __init__(self, move: str, reason: str) -> None:
        shown = move if move.isprintable() else ascii(move)
        super().__init__(f"illegal move {shown}: {reason}")
        self.move = move
        self.reason = reason


class SetupError(GameError):
    """The text is no setup of this game."""


class PositionError(GameError):
    """The text is no position of this game, or one that no game can reach."""
