"""In each game: whole games in both seats, setups, positions, book moves, the swap.

Must not know how time is tested: all games here have the time of the terms.
"""

from __future__ import annotations

import random
from typing import Final

from lath.arena.botcheck.bout import Bout
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import Finding, note, ok, warning
from lath.arena.botcheck.probe import GameProbe
from lath.games.core import Game, Move, Position, Seat

GAME_S: Final = 4.0
"""For a whole game; one that takes longer is broken off, as by adjudication."""

SHORT: Final = 2
"""Turns of the bot in a game that tests how it begins."""

BOOK: Final = 4
"""Plies of the book for both sides."""

SWAP: Final = Move("swap")


def plays_first(lab: Lab, game: Game) -> Finding:
    """Play a whole game in which the bot is first."""
    return _whole(lab, game, Seat.FIRST)


def plays_second(lab: Lab, game: Game) -> Finding:
    """Play a whole game in which the bot is second."""
    return _whole(lab, game, Seat.SECOND)


def _whole(lab: Lab, game: Game, side: Seat) -> Finding:
    bout = Bout(lab, game, side, setup=game.draw_setup(lab.terms.seed))
    bout.play_on(seconds=GAME_S)
    bout.finish()
    if bout.resigned and bout.turns == 1:
        return warning(
            bout.words(), "does it know this game and its own turn? It resigned before it played"
        )
    return note(bout.words()) if bout.resigned else ok(bout.words())


def knows_setups(lab: Lab, game: Game) -> Finding | None:
    """Begin with another setup, and with none where the game can: its plainest start."""
    if not game.has_setups:
        return None
    setups = (game.draw_setup(lab.terms.seed + 1), None)
    for setup in setups:
        _short(Bout(lab, game, Seat.FIRST, setup=setup))
    return ok(f"began with the setup {setups[0]} and without any")


def knows_positions(lab: Lab, game: Game) -> Finding:
    """Begin in the middle of a game: with the bot to move, and with the other to move."""
    for plies, is_bots_turn in ((4, True), (5, False), (5, True)):
        position = _in_a_game(game, plies, lab.terms.seed)
        side = position.to_move if is_bots_turn else position.to_move.other
        _short(Bout(lab, game, side, position=position.text()))
    return ok("began in three positions, on its turn and on the other's")


def _in_a_game(game: Game, plies: int, seed: int) -> Position:
    """Return a position that chance has reached; before the end of the game."""
    chance = random.Random(f"{game.id} {seed}")
    start = position = game.start(game.draw_setup(seed))
    for _ in range(plies):
        position = position.play(chance.choice(position.legal_moves()))
        if position.is_over:
            return start
    return position


def _short(bout: Bout, turns: int = SHORT) -> None:
    bout.play_on(seconds=GAME_S, turns=turns)
    bout.finish()


def follows_a_book(lab: Lab, game: Game) -> Finding:
    """Play several plies for both sides before the first `go`."""
    for side, plies in ((Seat.FIRST, BOOK), (Seat.SECOND, BOOK + 1)):
        bout = Bout(lab, game, side, setup=game.draw_setup(lab.terms.seed))
        for _ in range(plies):
            if not bout.is_over:
                bout.reply()
        _short(bout)
    return ok(f"went on after {BOOK} and {BOOK + 1} plies that others played for it")


def answers_an_offer(lab: Lab, game: Game) -> Finding | None:
    """Let the bot choose whether it swaps, in several games."""
    swapped = 0
    for index in range(3):
        bout = Bout(lab, game, Seat.SECOND, setup=game.draw_setup(index), seed=index)
        bout.reply()
        if SWAP not in bout.position.legal_moves():
            bout.finish()
            return None
        swapped += bout.ask() == SWAP
        _short(bout, SHORT + 1)
    return ok(f"swapped in {swapped} of 3 games, and played on")


def bears_a_swap(lab: Lab, game: Game) -> Finding | None:
    """Swap against the bot."""
    bout = Bout(lab, game, Seat.FIRST, setup=game.draw_setup(lab.terms.seed))
    bout.ask()
    can_swap = not bout.is_over and SWAP in bout.position.legal_moves()
    if can_swap:
        bout.tell(SWAP)
        _short(bout, SHORT + 1)
    else:
        bout.finish()
    return ok("played on after `play 2 swap`") if can_swap else None


EACH_GAME: Final = (
    GameProbe("first", "plays a whole game as first", plays_first),
    GameProbe("second", "plays a whole game as second", plays_second),
    GameProbe("setup", "begins with any setup", knows_setups),
    GameProbe("position", "begins in any position", knows_positions),
    GameProbe("book", "plays on after a book's moves for both sides", follows_a_book),
    GameProbe("swap-offered", "decides whether to swap", answers_an_offer),
    GameProbe("swap-suffered", "plays on when the other swaps", bears_a_swap),
)
