"""A board for searches of games without their own fast board, over the positions of the game."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, cast

from lath.games.capabilities import key_of, leaning, playing
from lath.games.contract import Move, Position
from lath.games.fast import DRAW, FastBoard, bounded, plain_with


class _Ply:
    """A position on the way of a `PlainBoard`, with what has been found out about it."""

    __slots__ = ("after", "codes", "key", "position", "to_move", "winner")

    def __init__(self, position: Position) -> None:
        outcome = position.outcome()
        winner = DRAW if outcome is None or outcome.winner is None else int(outcome.winner)
        self.position = position
        self.to_move = int(position.to_move)
        self.winner = None if outcome is None else winner
        self.key: int | None = None
        self.codes: list[int] | None = None
        self.after: dict[int, _Ply] = {}
        """The positions after its moves that were played, until this one is left."""


GUESSED_GAMES: Final = 4
"""The number of random games that estimate a position of a game without its own estimate."""


class PlainBoard(FastBoard):
    """A board over positions, for games without their own fast board.

    The board keeps what the rules compute while the position is on the way to the present one. All
    legal moves are candidates, and random games are not careful, because the rules may be slow.
    """

    def __init__(self, position: Position) -> None:
        self.game = position.game
        self._codes: dict[Move, int] = {}
        self.moves = cast("list[Move]", [])
        self._played: list[int] = []
        self._play = playing(position)
        self._way: list[_Ply] = []
        self._stand(_Ply(position))

    def _stand(self, ply: _Ply) -> None:
        self._way.append(ply)
        self.to_move, self.winner = ply.to_move, ply.winner

    @property
    def key(self) -> int:  # type: ignore[override]  # computed only when needed: random games do not use it
        """Return 64 bits of a hash of the position."""
        ply = self._way[-1]
        if ply.key is None:
            ply.key = key_of(ply.position)
        return ply.key

    def code(self, move: str) -> int:
        """Return the code of a move that is legal in some position; a new move gets a new code."""
        code = self._codes.get(Move(move))
        if code is None:
            code = self._codes[Move(move)] = len(self.moves)
            cast("list[Move]", self.moves).append(Move(move))
        return code

    def legal(self) -> list[int]:
        """Return the codes of all legal moves.

        Raises RulesError if a game that is not over has none.
        """
        ply = self._way[-1]
        if ply.codes is None:
            try:
                ply.codes = [self.code(move) for move in ply.position.legal_moves()]
            except Exception as error:
                raise self._failed(error) from error
            if not ply.codes and self.winner is None:
                raise self._stuck()
        return ply.codes.copy()

    def candidates(self) -> list[int]:
        """Return the codes of all legal moves."""
        return self.legal()

    def play(self, code: int) -> None:
        """Play a legal move. Raises RulesError if the rules fail."""
        ply = self._way[-1]
        self._played.append(code)
        if (after := ply.after.get(code)) is None:
            try:
                after = ply.after[code] = _Ply(self._play(ply.position, self.moves[code]))
            except Exception as error:
                failure = self._failed(error)
                self._played.pop()
                raise failure from error
        self._stand(after)

    def undo(self) -> None:
        """Take back the last move. Raises IndexError if no move was played."""
        if len(self._way) == 1:
            raise IndexError("no move to take back")
        self._way.pop().after.clear()
        self._played.pop()
        ply = self._way[-1]
        self.to_move, self.winner = ply.to_move, ply.winner

    def position(self) -> Position:
        """Return the state as a position."""
        return self._way[-1].position

    def playout(self, chance: Random) -> tuple[int, int]:
        """Return the winner of a game of random legal moves, and its number of plies."""
        position, play, random, check = self.position(), self._play, chance.random, self.check
        line: list[Move] = []
        try:
            while (outcome := position.outcome()) is None:
                check()
                legal = position.legal_moves()
                if not legal:
                    raise self._stuck(line)
                move = legal[int(random() * len(legal))]
                line.append(move)
                position = play(position, move)
        except Exception as error:
            raise self._failed(error, line) from error
        return DRAW if outcome.winner is None else int(outcome.winner), len(line)

    def careful_playout(self, chance: Random) -> tuple[int, int]:
        """Return the winner and plies of a random game."""
        return self.playout(chance)

    def lean(self) -> float:
        """Return the game's own estimate, or else the mean result of a few random games."""
        found = leaning(self.position())
        if found is not None:
            return bounded(found)
        chance, me = Random(self.key), self.to_move
        winners = [self.playout(chance)[0] for _ in range(GUESSED_GAMES)]
        points = sum((winner == me) - (winner == 1 - me) for winner in winners)
        # One more game counts as a draw, because few games prove nothing.
        return points / (GUESSED_GAMES + 1)

    def _stuck(self, line: Sequence[str] = ()) -> Exception:
        from lath.games.faults import stuck  # start-up time

        moves, start = self._from_start()
        return stuck(self.game.id, [*moves, *line], start)

    def _from_start(self) -> tuple[list[str], str]:
        """Return the moves played on this board, and the text of the position before them.

        The text is empty if that position is the start of the game.
        """
        moves, start = [self.moves[code] for code in self._played], self._way[0].position
        is_own = not self.game.has_setups and start == self.game.start()
        return [*moves], "" if is_own else start.text()

    def _failed(self, error: Exception, line: Sequence[str] = ()) -> Exception:
        """Return the exception to raise: a RulesError if a game's file is at fault, or error."""
        try:
            from lath.games.faults import raised  # packed bots do not include it

            moves, start = self._from_start()
            return raised(error, self.game.id, [*moves, *line], start)
        except Exception:  # noqa: BLE001 - the error is not from a game's file, or the position's text fails too
            return error


plain_with(PlainBoard)
