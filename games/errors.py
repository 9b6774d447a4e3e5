"""The exceptions of games: invalid ids, moves, setups and positions, and faulty rules."""

from __future__ import annotations

from collections.abc import Sequence


class LathError(Exception):
    """The root of all exceptions of the project."""


def hinted(words: str, hint: str) -> str:
    """Return a message, then each line of a hint as a line `hint: …`."""
    return "\n".join((words, *(f"hint: {line}" for line in hint.splitlines())))


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural.

    >>> count_of(1, "ply"), count_of(2, "ply"), count_of(1200, "first move")
    ('1 ply', '2 plies', '1,200 first moves')
    """
    if number == 1:
        return f"1 {noun}"
    if noun[-1] == "y" and noun[-2] not in "aeiou":
        noun = f"{noun[:-1]}ie"
    elif noun.endswith(("s", "x", "ch")):
        noun += "e"
    return f"{number:,} {noun}s"


def error_words(error: BaseException, text: str | None = None) -> str:
    """Return the type and the text of an exception, on one line. Default for `text`: its own.

    A plain GameError has only its text, which says what is wrong without the type.

    >>> error_words(KeyError("d4")), error_words(GameError("stuck is 'loss'"))
    ("KeyError: 'd4'", "stuck is 'loss'")
    """
    words = " ".join((str(error) if text is None else text).split())
    if type(error) is GameError:
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


class GameError(LathError, ValueError):
    """A violation of a game's rules; the message says what is wrong and where."""

    def __init__(self, what: str, expected: str = "") -> None:
        """Take what is wrong, and what is expected instead, if that is known."""
        super().__init__(f"{what}, expected {expected}" if expected else what)
        self.what = what
        self.expected = expected


class UnknownGameError(GameError):
    """The game is not built in, installed or added."""


class GameFileError(UnknownGameError):
    """The file does not define a game."""


class RulesVersionError(UnknownGameError):
    """The game exists, but not under this version of its rules."""


class MoveSyntaxError(GameError):
    """The text is not a move of this game in any position."""

    def __init__(self, text: str, expected: str) -> None:
        super().__init__(f"{text!r} is not a move: {expected}")
        self.text = text
        self.expected = expected.removeprefix("expected ")


class IllegalMoveError(GameError):
    """The move exists, but is not legal in this position."""

    def __init__(self, move: str, reason: str) -> None:
        shown = move if move.isprintable() else ascii(move)
        super().__init__(f"illegal move {shown}: {reason}")
        self.move = move
        self.reason = reason


class SetupError(GameError):
    """The text is not a setup of this game."""


class PositionError(GameError):
    """The text is not a position of this game, or the position cannot be reached."""


class RulesError(LathError):
    """The rules of a game fail through their own fault; see `lath.games.faults`.

    This is not a GameError, because no player has broken a rule.
    """

    def __init__(
        self,
        before: str,
        behind: str = "",
        moves: Sequence[str] = (),
        start: str = "",
        next_: int = 0,
    ) -> None:
        """Take the words before and after the ply number, and the moves that lead to the failure.

        The moves begin at the position `start`, or at the game's start if that is empty. The ply
        number is the number of moves plus `next_`.
        """
        self.parts = before, behind
        self.moves = tuple(moves)
        self.start = start
        self.next = next_
        words = f"; moves so far: {' '.join(moves)}" if moves else "; no move was played yet"
        words += f", starting from the position {start!r}" if start else ""
        super().__init__(f"{before}ply {len(moves) + next_}{behind}{words}")

    def behind(self, moves: Sequence[str], start: str = "") -> RulesError:
        """Return the error with `moves` from `start` put before the moves of this error."""
        return RulesError(*self.parts, [*moves, *self.moves], start, self.next)
