"""A game at the keyboard: the board after each ply, questions to the person, the bot's answers.

Must not know files, nor what becomes of the game. What is typed comes from standard input, which
may be a pipe.
"""

from __future__ import annotations

import shutil
import sys
import time
from enum import StrEnum
from typing import Final

from lath.arena.errors import GameVoidError
from lath.arena.referee.conversation import play_line
from lath.arena.referee.friendly import Friendly, Partner, Ply
from lath.arena.referee.match import WON_BY, Ending, Mishap
from lath.arena.terminal.boards import changed_cells, drawing
from lath.games.core import Move, Position, Seat, read_move
from lath.games.errors import GameError, MoveSyntaxError
from lath.notation.errors import printable
from lath.notation.record import Termination
from lath.notation.suggestions import meant_move

_LONGEST: Final = 60
"""Characters of a text that are looked at; the rest is no move either."""


class Word(StrEnum):
    """What may be said besides a move."""

    MOVES = "?"
    UNDO = "undo"
    BOARD = "board"
    RESIGN = "resign"
    QUIT = "quit"


def read_typed(position: Position, text: str) -> Move | Word:
    """Return the legal move or the word that `text` is; raises MoveSyntaxError, IllegalMoveError.

    Capitals and blanks do not matter where only one move can be meant.

    >>> from lath import games
    >>> read_typed(games.get("surikata").start(), " m C3 "), str(read_typed(..., "Undo"))
    ('Mc3', 'undo')
    """
    joined = "".join(text.split())[:_LONGEST]
    if joined.lower() in set(Word):
        return Word(joined.lower())
    try:
        position.game.canonical(joined)
    except MoveSyntaxError:
        joined = meant_move(position.game, joined) or joined
    return read_move(position, joined)


def columns(words: list[str], width: int) -> str:
    """Return words in lines of at most so many columns, each below another.

    >>> print(columns(["a1", "b12", "c3"], 9))
    a1   b12
    c3
    """
    unit = max(map(len, words), default=0) + 2
    number = max(1, (width + 2) // unit)
    rows = [words[at : at + number] for at in range(0, len(words), number)]
    return "\n".join("".join(word.ljust(unit) for word in row).rstrip() for row in rows)


LEFT: Final = Ending("*", Termination.UNTERMINATED)
"""How a game ends that a person leaves."""

_WIDEST: Final = 100
"""Columns of the list of moves."""


class Sitting:
    """One game, with a bot or between two people."""

    def __init__(self, game: Friendly, partner: Partner | None) -> None:
        """`partner` is a bot whose game has begun; None: both seats are people's."""
        self._game: Final = game
        self._partner: Final = partner
        self._shown_s = 0.0
        """When the board was shown last: thinking time counts from there."""

    def play(self) -> Ending:
        """Play until the game has ended or is left, and tell how."""
        plan = self._game.plan
        players = f"{self._name(Seat.FIRST)} against {self._name(Seat.SECOND)}"
        _tell(f"{plan.game}: {players}, seed {plan.seeds[0]}")
        _tell("Type a move, or: ? for the legal ones, undo, board, resign, quit.")
        self._draw()
        try:
            ending = self._rally()
        except Mishap as mishap:
            assert self._partner is not None
            _tell(printable(mishap.story(self._partner.bot)))
            ending = mishap.ending(self._partner.bot)
        except GameVoidError as error:
            _tell(printable(error.reason))
            ending = Ending("*", Termination.VOID, str(error))
        if self._partner is not None:
            self._partner.end(ending)
        _tell(self._summary(ending))
        return ending

    def _rally(self) -> Ending:
        while True:
            position = self._game.position
            if outcome := position.outcome():
                return Ending(outcome.result, Termination.RULES)
            seat = position.to_move
            if self._partner is not None and self._partner.seat is seat:
                self._bots_turn(self._partner)
            elif ending := self._persons_turn(seat):
                return ending

    def _bots_turn(self, partner: Partner) -> None:
        number = len(self._game.plies) + 1
        _tell(f"{number}. {self._name(partner.seat)}: ", end="")
        ply = partner.answer(self._game.position, number)
        _tell(f"{ply.move} ({ply.used_s:.2f} s)")
        self._game.play(ply)
        self._draw()

    def _persons_turn(self, seat: Seat) -> Ending | None:
        """Take one line of what is typed; return how that ends the game, None where it does not."""
        text = _typed(f"{len(self._game.plies) + 1}. {self._name(seat)}: ")
        if text is None:
            return LEFT
        if not text.strip():
            return None
        try:
            meant = read_typed(self._game.position, text)
        except GameError as error:
            _tell(f"{error}; ? lists the legal moves")
            return None
        if isinstance(meant, Word):
            return self._obey(meant, seat)
        ply = Ply(move=meant, seat=seat, used_s=time.monotonic() - self._shown_s)
        self._game.play(ply)
        if self._partner is not None:
            self._partner.bot.news += play_line(len(self._game.plies), ply.move)
        self._draw()
        return None

    def _obey(self, word: Word, seat: Seat) -> Ending | None:
        match word:
            case Word.MOVES:
                moves = self._game.position.legal_moves()
                width = min(_WIDEST, shutil.get_terminal_size().columns)
                _tell(f"{len(moves)} legal moves:\n{columns(list(moves), width)}")
            case Word.BOARD:
                self._draw()
            case Word.UNDO:
                self._take_back(seat)
            case Word.QUIT:
                return LEFT
            case Word.RESIGN:
                ply = len(self._game.plies) + 1
                who = self._game.plan.names[seat]
                words = f"{who} ({seat.word}): resigned at ply {ply}"
                return Ending(WON_BY[seat.other], Termination.RESIGNATION, words)
        return None

    def _take_back(self, seat: Seat) -> None:
        """Take back the person's last ply with the bot's answer; of two people, the last ply."""
        count = self._game.take_back(None if self._partner is None else seat)
        if not count:
            _tell("there is no move of yours to take back")
            return
        if self._partner is not None:
            self._partner.begin_again(self._game.plan, self._game.plies)
        _tell(f"taken back: {count} {'ply' if count == 1 else 'plies'}")
        self._draw()

    def _draw(self) -> None:
        game = self._game
        last = changed_cells(*game.positions[-2:]) if game.plies else []
        outcome = game.position.outcome()
        decided = outcome.cells if outcome else ()
        _tell(f"\n{drawing(game.position, last=last, decided=decided)}\n")
        self._shown_s = time.monotonic()

    def _name(self, seat: Seat) -> str:
        """Return a seat's colour with who has it: `white (you)`."""
        colour = self._game.position.game.colours[seat]
        if self._partner is None:
            return colour
        return f"{colour} ({self._partner.bot.name if seat is self._partner.seat else 'you'})"

    def _summary(self, ending: Ending) -> str:
        outcome = self._game.position.outcome()
        why = outcome.ending if outcome else str(ending.why)
        if ending == LEFT:
            return "not finished"
        if ending.result in WON_BY:
            winner = self._name(Seat(WON_BY.index(ending.result)))
            return f"{ending.result}, {winner} won: {why}"
        return f"{ending.result}, {'a draw' if ending.is_decided else 'no result'}: {why}"


def _tell(text: str, end: str = "\n") -> None:
    """Write to standard output at once."""
    sys.stdout.write(f"{text}{end}")
    sys.stdout.flush()


def _typed(prompt: str) -> str | None:
    """Return the next line that is typed; None at the end of the input."""
    if sys.stdin.isatty():
        try:
            return input(prompt)
        except EOFError:
            _tell("")
            return None
    # A pipe, which shows nothing itself. Not by `input`: it passes over a Ctrl-C that comes while
    # it writes the prompt.
    _tell(prompt, end="")
    line = sys.stdin.readline()
    text = line.removesuffix("\n")
    _tell(printable(text))
    return text if line else None
