"""The search for puzzles: positions of quick games with a proven only move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import Final

from lath.arena.engine.engine import Engine
from lath.arena.engine.puzzle_book import Puzzle, Task
from lath.arena.engine.solving import Solved, solve, solve_move
from lath.arena.referee.answers import Limit
from lath.games.capabilities import boarded
from lath.games.core import Game, Move, Position, least
from lath.games.fast import FastBoard, fast_board

FEWEST: Final = 3
"""Fewest plies of a win; an immediate win is too easy."""

FEWEST_TEMPTING: Final = 3
"""Fewest tempting moves, which neither lose at once nor allow a win; fewer are too easy."""

MOST_LOOKED_AT: Final = 9
"""Longest win in plies for the task `win-in`; longer ones take too long to check."""

NODES_TO_LOOK: Final = 20
"""Factor on the nodes of a proof for a search of all moves, which costs less per node."""

UNSEEN: Final = 6
UNSEEN_PLAIN: Final = 2
"""Unproven positions after which a game is left; the search goes backwards from its end.

Fewer for games without their own fast board.
"""

OPENING: Final = 4
"""Number of random plies at the beginning of a game."""

AT_RANDOM: Final = 0.15
"""Probability that a later move is random."""

NODES_TO_MEASURE: Final = 1000
"""Factor on the nodes for finding the exact length of a win."""

PLAIN_TO_PROVE: Final = 0.1
PLAIN_TO_LOOK: Final = 1
PLAIN_TO_MEASURE: Final = 20
"""Factors for games without their own fast board: a node of a proof plays every move there."""

LONGEST: Final = 300
"""Most plies of a random game."""

HASH: Final = 30_000
"""Positions that a bot remembers per question; allocating more takes longer than searching."""

MEASURES: Final = 1_000_000
"""Positions that a bot remembers when it finds the exact length of a win."""

MOST_TEMPTING: Final = 14
"""Most tempting moves for a position of a random game; more take too long to check."""

PLAYER: Final = "alphabeta"
"""The bot that plays every second game in which puzzles are found."""

HASTY: Final = Limit(nodes=300)
"""Limit for each of its moves that is not random."""


@dataclass(frozen=True, slots=True)
class Bots:
    """The bots that prove puzzles."""

    prover: Engine
    """Proves the value of each move."""

    looker: Engine
    """Searches all moves to show that no other move wins as quickly."""

    measurer: Engine
    """Finds the exact length of a win: the same bot with more memory."""


@contextmanager
def bots(prover: str = "solver") -> Iterator[Bots]:
    """Start the bots; `prover` names the first one."""
    with (
        Engine.open(prover) as first,
        Engine.open("alphabeta", options={"blind": True, "hash": HASH}) as second,
        Engine.open("alphabeta", options={"blind": True, "hash": MEASURES}) as third,
    ):
        yield Bots(first, second, third)


@dataclass
class Maker:
    """Makes puzzles of one game type, no two of which are symmetric."""

    game: Game
    bots: Bots

    player: Engine
    """Plays the games in which puzzles are found."""

    limit: Limit
    """Limit for each question to a bot."""

    seed: int
    most: int
    """Maximum number of puzzles per difficulty."""

    known: set[str] = field(default_factory=set)
    """Positions of known puzzles, each as the least text of its symmetric positions."""

    graded: Counter[int] = field(default_factory=Counter)
    """Number of puzzles by difficulty."""

    begun: int = 0
    """Number of games whose positions were searched."""

    looked_at: int = 0
    """Number of positions in them that were searched."""

    def puzzles(self, tell: Callable[[], object]) -> Iterator[Puzzle]:
        """Yield puzzles without end; `tell` is called at each position."""
        for number in count(1):
            chance = Random(f"{self.seed} puzzles {self.game.id} {number}")
            tell()
            positions, self.begun = self._game(number, chance), number
            found = self._of_game(positions, tell)
            if found is not None and self.graded[found.grade] < self.most:
                self.graded[found.grade] += 1
                self.known.add(least(found.position).text())
                yield found

    def _game(self, number: int, chance: Random) -> list[Position]:
        """Return positions of a new game."""
        if boarded(self.game) is None:
            return self._wary(chance)
        return self._played(chance) if number % 2 else self._careful(chance)

    def _of_game(self, positions: list[Position], tell: Callable[[], object]) -> Puzzle | None:
        """Return the most difficult puzzle of a game, searched from its end to its beginning.

        The tasks `win` and `hold` come before `win-in`.
        """
        best: Puzzle | None = None
        unseen, most = 0, UNSEEN_PLAIN if boarded(self.game) is None else UNSEEN
        for position in reversed(positions):
            tell()
            self.looked_at += 1
            found = solve(self.bots.looker, position, _to_look(self.limit, position))
            if found.value == "unknown":
                found = solve(self.bots.prover, position, _to_prove(self.limit, position))
            if found.value == "unknown":
                unseen += 1
                if unseen == most:
                    break
                continue
            if least(position).text() in self.known:
                continue
            puzzle = self._of_position(position, found)
            if puzzle and (best is None or _rank(puzzle) >= _rank(best)):
                best = puzzle
        return best

    def _played(self, chance: Random) -> list[Position]:
        """Return the positions of a quick game with some random moves."""
        position = self.game.start(self.game.draw_setup(chance.randrange(2**31)))
        positions: list[Position] = []
        while not position.is_over:
            positions.append(position)
            board = fast_board(position)
            codes = board.candidates()
            if len(positions) <= OPENING or chance.random() < AT_RANDOM:
                move = board.moves[codes[int(chance.random() * len(codes))]]
            else:
                move = self.player.play(position, HASTY).move or position.legal_moves()[0]
            position = position.play(move)
        return positions

    def _careful(self, chance: Random) -> list[Position]:
        """Return the positions with few tempting moves in a random game.

        All moves in it are tempting, so that neither player allows an immediate win. Such a game
        continues until few moves are left. In Manalath, for example, quick games have no such
        positions.
        """
        position = self.game.start(self.game.draw_setup(chance.randrange(2**31)))
        positions: list[Position] = []
        while not position.is_over and (moves := tempting(position)):
            if FEWEST_TEMPTING <= len(moves) <= MOST_TEMPTING:
                positions.append(position)
            position = position.play(chance.choice(moves))
        return positions

    def _wary(self, chance: Random) -> list[Position]:
        """Return the positions of a random game in which no player allows an immediate win.

        Unlike `_careful`, it tries the moves of a position only until one is tempting. A game
        without its own fast board needs too long for all of them, or for the moves of a bot.
        """
        board = fast_board(self.game.start(self.game.draw_setup(chance.randrange(2**31))))
        positions: list[Position] = []
        while board.winner is None and len(positions) < LONGEST:
            positions.append(board.position())
            codes = board.legal()
            chance.shuffle(codes)
            if (code := next((code for code in codes if _tempts(board, code)), None)) is None:
                break
            board.play(code)
        return positions

    def _of_position(self, position: Position, found: Solved) -> Puzzle | None:
        """Return the puzzle of a position with a known value, or None if it is not one."""
        is_short = found.plies is not None and found.plies < FEWEST
        if found.value == "loss" or (found.value == "win" and is_short):
            return None
        tempts = len(tempting(position))
        if tempts < FEWEST_TEMPTING:
            return None
        task: Task = "win" if found.value == "win" else "hold"
        guess = Puzzle(position, task, found.plies or found.at_most or 0, tempts, found.line)
        if self.graded[guess.grade] >= self.most:
            return None  # a proof takes long
        rights: list[Move] = []
        for move in position.legal_moves():
            one = _settled(self.bots, position, move, self.limit)
            if one.value in ("win", found.value):
                rights.append(move)
            if one.value == "unknown" or len(rights) == 2:
                return self._in_plies(position, tempts)
        (right,) = rights
        if task == "hold":
            return Puzzle(
                position, task, 0, tempts, _settled(self.bots, position, right, self.limit).line
            )
        return self._measured(position, task, tempts, right)

    def _in_plies(self, position: Position, tempts: int) -> Puzzle | None:
        """Return the puzzle in which only one move wins within some plies, or None."""
        found = solve(self.bots.looker, position, _to_look(self.limit, position))
        plies = found.plies
        if found.value != "win" or plies is None or not FEWEST <= plies <= MOST_LOOKED_AT:
            return None
        puzzle = self._measured(position, "win-in", tempts, found.line[0])
        return None if puzzle is None or wrong_with(puzzle, self.bots, self.limit) else puzzle

    def _measured(self, position: Position, task: Task, tempts: int, right: Move) -> Puzzle | None:
        """Return the puzzle with its exact length and full line, or None if they are not found."""
        exact = _exactly(self.bots, position, right, self.limit)
        if exact.plies is None or exact.plies < FEWEST or len(exact.line) != exact.plies:
            return None
        return Puzzle(position, task, exact.plies, tempts, exact.line)


def _rank(puzzle: Puzzle) -> tuple[bool, int]:
    return puzzle.task != "win-in", puzzle.grade


def tempting(position: Position) -> list[Move]:
    """Return the moves that neither lose at once nor allow a win with the next move."""
    board = fast_board(position)
    return [board.moves[code] for code in board.legal() if _tempts(board, code)]


def _tempts(board: FastBoard, code: int) -> bool:
    """Return whether a move neither loses at once nor allows a win with the next move."""
    me = board.to_move
    board.play(code)
    if board.winner is None:
        tempts = board.to_move == me or not board.threats()[0]
    else:
        tempts = board.winner != 1 - me
    board.undo()
    return tempts


def wrong_with(puzzle: Puzzle, bots: Bots, limit: Limit) -> str:
    """Return the error that a proof finds in a puzzle, or an empty text.

    The length must be exact, and the line must have that length.
    """
    if puzzle.task != "hold" and (wrong := _wrong_length(puzzle, bots, limit)):
        return wrong
    if puzzle.task == "win-in":
        return _wrong_within(puzzle, bots.looker, limit)
    expected = ("win",) if puzzle.task == "win" else ("win", "draw")
    right = _settled(bots, puzzle.position, puzzle.answer, limit).value
    if right not in expected:
        return f"{puzzle.answer} is {right}, expected {' or '.join(expected)}"
    for move in puzzle.position.legal_moves():
        if move != puzzle.answer:
            value = _settled(bots, puzzle.position, move, limit).value
            if value in expected or value == "unknown":
                return f"{move} is {value}, too" if value in expected else f"{move} is unknown"
    return ""


def _settled(bots: Bots, position: Position, move: Move, limit: Limit) -> Solved:
    """Return the value of a move from either bot; the one with the cheaper nodes goes first."""
    asked = [(bots.prover, _to_prove(limit, position)), (bots.looker, _to_look(limit, position))]
    if boarded(position.game) is None:
        asked.reverse()
    (bot, first), (other, second) = asked
    one = solve_move(bot, position, move, first)
    if one.value == "unknown":
        one = solve_move(other, position, move, second)
    return one


def _exactly(bots: Bots, position: Position, move: Move, limit: Limit) -> Solved:
    """Return the value of a move, with its exact length if that can be found."""
    one = solve_move(bots.looker, position, move, _to_look(limit, position))
    if one.plies is None or len(one.line) != one.plies:
        one = solve_move(bots.measurer, position, move, _to_measure(limit, position))
    return one


def _to_prove(limit: Limit, position: Position) -> Limit:
    """Return the limit for a proof."""
    return _wider(limit, PLAIN_TO_PROVE if boarded(position.game) is None else 1)


def _to_look(limit: Limit, position: Position) -> Limit:
    """Return the limit for a search of all moves."""
    return _wider(limit, PLAIN_TO_LOOK if boarded(position.game) is None else NODES_TO_LOOK)


def _to_measure(limit: Limit, position: Position) -> Limit:
    """Return the limit for finding the exact length of a win."""
    return _wider(limit, PLAIN_TO_MEASURE if boarded(position.game) is None else NODES_TO_MEASURE)


def _wider(limit: Limit, times: float) -> Limit:
    return limit if limit.nodes is None else replace(limit, nodes=max(1, int(times * limit.nodes)))


def _wrong_length(puzzle: Puzzle, bots: Bots, limit: Limit) -> str:
    """Return the error in a puzzle's length or line, or an empty text."""
    right = _exactly(bots, puzzle.position, puzzle.answer, limit)
    if right.value != "win" or right.plies != puzzle.plies:
        return f"{puzzle.answer} is {right.words}, expected win in {puzzle.plies} plies"
    left = puzzle.plies
    position = puzzle.position
    for move in puzzle.line:
        one = _exactly(bots, position, move, limit)
        if one.plies != left:
            return f"{move} ends the game in {one.plies} plies, expected {left}"
        position = position.play(move)
        left -= 1
    return "" if position.is_over else f"the line ends {left} plies before the game"


def _wrong_within(puzzle: Puzzle, looker: Engine, limit: Limit) -> str:
    """Return the error in a puzzle with only one win within some plies, or an empty text.

    All replies to each other move are searched to that depth; longer wins do not matter.
    """
    for move in (move for move in puzzle.position.legal_moves() if move != puzzle.answer):
        one = solve_move(looker, puzzle.position, move, limit)
        if _wins_within(one, puzzle.plies) is None:
            one = solve_move(looker, puzzle.position, move, _to_look(limit, puzzle.position))
        if (wins := _wins_within(one, puzzle.plies)) is None:
            return f"{move} is unknown after {one.depth or 0} plies"
        if wins:
            return f"{move} is {one.words}, too"
    return ""


def _wins_within(one: Solved, plies: int) -> bool | None:
    """Return whether a move wins within so many plies; None if the search was not deep enough."""
    if one.value in ("loss", "draw"):
        return False
    if one.plies is not None:
        return one.plies <= plies
    if one.at_most is not None and one.at_most <= plies:
        return True
    return False if (one.depth or 0) >= plies else None
