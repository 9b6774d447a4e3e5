"""Where puzzles come from: positions of hasty games, in which one move alone is right by proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from lath.arena.engine.engine import Engine
from lath.arena.engine.puzzle_book import Puzzle, Task
from lath.arena.engine.solving import Solved, solve, solve_move
from lath.arena.referee.answers import Limit
from lath.games.core import Game, Move, Position, least
from lath.games.fast import fast_board

FEWEST: Final = 3
"""Plies of a win: what wins at once is no puzzle."""

FEWEST_TEMPTING: Final = 3
"""Moves that neither lose at once nor let the opponent win: with fewer there is little to find."""

MOST_LOOKED_AT: Final = 9
"""Plies of a win within which no other move may win: more take too long to be looked at."""

NODES_TO_LOOK: Final = 20
"""As many times the nodes of a proof are used to look at all moves, which takes less for each."""

UNSEEN: Final = 6
"""Positions of a game that are looked at without a proof, from its end on, before it is left."""

OPENING: Final = 4
"""Plies at random with which games begin."""

AT_RANDOM: Final = 0.15
"""How likely any later one is."""

NODES_TO_MEASURE: Final = 1000
"""As many times are used to find out exactly how long the right move of a puzzle takes."""

HASH: Final = 30_000
"""States that are remembered of a question; to make room for more takes longer than to look."""

MEASURES: Final = 1_000_000
"""States that are remembered to find out how long a move takes."""

MOST_TEMPTING: Final = 14
"""More of such moves in a game at random take too long to be looked at."""

PLAYER: Final = "alphabeta"
"""Who plays the games in which puzzles are found, every other one."""

HASTY: Final = Limit(nodes=300)
"""For any of its other moves."""


@dataclass(frozen=True, slots=True)
class Bots:
    """Who proves puzzles."""

    prover: Engine
    """What each move comes to."""

    looker: Engine
    """That no other move wins as soon, by looking at all of them."""

    measurer: Engine
    """How many plies the right move takes exactly: the same bot with more room."""


@contextmanager
def bots(prover: str = "solver") -> Iterator[Bots]:
    """Start the bots; `prover` is what the first one is."""
    with (
        Engine.open(prover) as first,
        Engine.open("alphabeta", options={"blind": True, "hash": HASH}) as second,
        Engine.open("alphabeta", options={"blind": True, "hash": MEASURES}) as third,
    ):
        yield Bots(first, second, third)


@dataclass
class Maker:
    """Makes puzzles of a game, each another one, turned or not."""

    game: Game
    bots: Bots

    player: Engine
    """Plays the games in which puzzles are found."""

    limit: Limit
    """For each question to one of them."""

    seed: int
    most: int
    """Puzzles of one grade."""

    known: set[str] = field(default_factory=set)
    """Positions that are puzzles already, by the texts of their least images."""

    graded: Counter[int] = field(default_factory=Counter)
    """How many there are of each grade."""

    def puzzles(self, tell: Callable[[int], object]) -> Iterator[Puzzle]:
        """Yield puzzles for ever; `tell` hears of each game that was gone through."""
        number = 0
        while True:
            number += 1
            chance = Random(f"{self.seed} puzzles {self.game.id} {number}")
            found = self._of_game(self._played(chance) if number % 2 else self._careful(chance))
            tell(number)
            if found is not None and self.graded[found.grade] < self.most:
                self.graded[found.grade] += 1
                self.known.add(least(found.position).text())
                yield found

    def _of_game(self, positions: list[Position]) -> Puzzle | None:
        """Return the deepest puzzle of a game, going from its end to its beginning.

        One whose other moves do not win at all comes before one whose other moves win later.
        """
        best: Puzzle | None = None
        unseen = 0
        for position in reversed(positions):
            found = solve(self.bots.looker, position, _wider(self.limit))
            if found.value == "unknown":
                found = solve(self.bots.prover, position, self.limit)
            if found.value == "unknown":
                unseen += 1
                if unseen == UNSEEN:
                    break
                continue
            if least(position).text() in self.known:
                continue
            puzzle = self._of_position(position, found)
            if puzzle and (best is None or _rank(puzzle) >= _rank(best)):
                best = puzzle
        return best

    def _played(self, chance: Random) -> list[Position]:
        """Return the positions of a game of hasty moves, some of them at random."""
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
        """Return those positions of a game at random in which few moves tempt.

        Nobody loses in it at once, lets the opponent win with the next move, or wins: so it goes on
        until there is little left to do, as in Manalath, where hasty games have no such positions.
        """
        position = self.game.start(self.game.draw_setup(chance.randrange(2**31)))
        positions: list[Position] = []
        while not position.is_over and (moves := tempting(position)):
            if FEWEST_TEMPTING <= len(moves) <= MOST_TEMPTING:
                positions.append(position)
            position = position.play(chance.choice(moves))
        return positions

    def _of_position(self, position: Position, found: Solved) -> Puzzle | None:
        """Return the puzzle of a position whose value is known, if it is one."""
        is_short = found.plies is not None and found.plies < FEWEST
        if found.value == "loss" or (found.value == "win" and is_short):
            return None
        tempts = len(tempting(position))
        if tempts < FEWEST_TEMPTING:
            return None
        task: Task = "win" if found.value == "win" else "hold"
        guess = Puzzle(position, task, found.plies or found.at_most or 0, tempts, found.line)
        if self.graded[guess.grade] >= self.most:
            return None  # to prove it takes long
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
        """Return the puzzle where one move alone wins within so many plies, if it is one."""
        found = solve(self.bots.looker, position, _wider(self.limit))
        plies = found.plies
        if found.value != "win" or plies is None or not FEWEST <= plies <= MOST_LOOKED_AT:
            return None
        puzzle = self._measured(position, "win-in", tempts, found.line[0])
        return None if puzzle is None or wrong_with(puzzle, self.bots, self.limit) else puzzle

    def _measured(self, position: Position, task: Task, tempts: int, right: Move) -> Puzzle | None:
        """Return the puzzle with its exact length and a line to the end; None: not within reach."""
        exact = _exactly(self.bots, position, right, self.limit)
        if exact.plies is None or exact.plies < FEWEST or len(exact.line) != exact.plies:
            return None
        return Puzzle(position, task, exact.plies, tempts, exact.line)


def _rank(puzzle: Puzzle) -> tuple[bool, int]:
    return puzzle.task != "win-in", puzzle.grade


def tempting(position: Position) -> list[Move]:
    """Return the moves that neither lose at once nor let the opponent win with the next."""
    board = fast_board(position)
    me = board.to_move
    found: list[Move] = []
    for code in board.legal():
        board.play(code)
        tempts = (
            (board.to_move == me or not board.threats()[0])
            if board.winner is None
            else board.winner != 1 - me
        )
        board.undo()
        if tempts:
            found.append(board.moves[code])
    return found


def wrong_with(puzzle: Puzzle, bots: Bots, limit: Limit) -> str:
    """Return what a proof finds wrong with a puzzle; empty where it holds.

    Its length must be exact, and the line keep to it.
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
    """Return what is known of a move: by who proves, else by who looks at all."""
    one = solve_move(bots.prover, position, move, limit)
    if one.value == "unknown":
        one = solve_move(bots.looker, position, move, _wider(limit))
    return one


def _exactly(bots: Bots, position: Position, move: Move, limit: Limit) -> Solved:
    """Return what a move comes to, with its exact length as far as that is within reach."""
    one = solve_move(bots.looker, position, move, _wider(limit))
    if one.plies is None or len(one.line) != one.plies:
        one = solve_move(bots.measurer, position, move, _wider(limit, NODES_TO_MEASURE))
    return one


def _wider(limit: Limit, times: int = NODES_TO_LOOK) -> Limit:
    return limit if limit.nodes is None else replace(limit, nodes=times * limit.nodes)


def _wrong_length(puzzle: Puzzle, bots: Bots, limit: Limit) -> str:
    """Return what is wrong with how long a puzzle is said to take, or with its line."""
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
    """Return what is wrong with a puzzle in which one move alone wins within so many plies.

    Of each other move all answers are looked at so deep, whatever it comes to later.
    """
    for move in (move for move in puzzle.position.legal_moves() if move != puzzle.answer):
        one = solve_move(looker, puzzle.position, move, limit)
        if _wins_within(one, puzzle.plies) is None:
            one = solve_move(looker, puzzle.position, move, _wider(limit))
        if (wins := _wins_within(one, puzzle.plies)) is None:
            return f"{move} is unknown after {one.depth or 0} plies"
        if wins:
            return f"{move} is {one.words}, too"
    return ""


def _wins_within(one: Solved, plies: int) -> bool | None:
    """Return whether a move wins within so many plies; None where too few were looked at."""
    if one.value in ("loss", "draw"):
        return False
    if one.plies is not None:
        return one.plies <= plies
    if one.at_most is not None and one.at_most <= plies:
        return True
    return False if (one.depth or 0) >= plies else None
