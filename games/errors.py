"""What is wrong with a game's id, a move, a setup or a position, told in the game's own words."""

from __future__ import annotations

from collections.abc import Sequence


class LathError(Exception):
    """The root of all exceptions of the project."""


def hinted(words: str, hint: str) -> str:
    """Return what is wrong, then each line of a hint as a line `hint: …`."""
    return "\n".join((words, *(f"hint: {line}" for line in hint.splitlines())))


class GameError(LathError, ValueError):
    """The rules of a game were not kept; the message says what and where."""

    def __init__(self, what: str, expected: str = "") -> None:
        """Take what is wrong, and what would be right where that can be said."""
        super().__init__(f"{what}, expected {expected}" if expected else what)
        self.what = what
        self.expected = expected


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
        self.expected = expected.removeprefix("expected ")


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


class RulesError(LathError):
    """The rules of a game fail by themselves, whoever plays: `lath.games.faults` says how.

    It is no GameError, for nobody has done anything that the rules forbid.
    """

    def __init__(
        self,
        before: str,
        behind: str = "",
        moves: Sequence[str] = (),
        start: str = "",
        next_: int = 0,
    ) -> None:
        """Take the words before and behind the ply where it was, and the moves to it.

        These are from the position of the text `start`, else from the game's start. The ply is the
        last of them, or with `next_` 1 the one after it.
        """
        self.parts = before, behind
        self.moves = tuple(moves)
        self.start = start
        self.next = next_
        words = f"; moves so far: {' '.join(moves)}" if moves else "; no move was played yet"
        words += f", counted from the position {start!r}" if start else ""
        super().__init__(f"{before}ply {len(moves) + next_}{behind}{words}")

    def behind(self, moves: Sequence[str], start: str = "") -> RulesError:
        """Return the same, told from where these moves began that led to its own start."""
        return RulesError(*self.parts, [*moves, *self.moves], start, self.next)
