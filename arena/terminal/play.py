"""A game at the keyboard: the board after each ply, questions to the person, the bot's answers.

Must not know files, nor what becomes of the game. What is typed comes from standard input, which
may be a pipe. Mishaps cost what docs/protocol.md says, but a machine that stood still costs nobody
anything here, and the game goes on.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

from lath.arena.errors import GameVoidError
from lath.arena.referee.clock import Clock, Limits
from lath.arena.referee.conversation import Bot, NoAnswer, play_line
from lath.arena.referee.match import (
    WON_BY,
    Ending,
    Mishap,
    new_game,
    priced,
    read_answer,
    start_of,
)
from lath.arena.referee.process import Watch
from lath.arena.referee.record import GamePlan, Scorebook
from lath.arena.terminal.boards import changed_cells, drawing
from lath.games.core import Move, Position, Seat, read_move
from lath.games.errors import GameError, MoveSyntaxError
from lath.notation import protocol as wire
from lath.notation.errors import printable
from lath.notation.protocol import TimeControl
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
"""How a game ends that a person leaves, and one that is begun again."""

_WIDEST: Final = 100
"""Columns of the list of moves."""

_tell: Final = partial(print, flush=True)


class Ply(NamedTuple):
    """Who played what, in what time; as `Scorebook.add` takes it."""

    move: Move
    seat: Seat
    used_s: float
    left_s: float | None = None
    """What the clock shows after it, in seconds; None without a clock."""

    comments: Mapping[str, str] = MappingProxyType({})
    """What a bot said of it with `info`."""


class Partner:
    """A bot in one seat of one game, which may be begun again from any of its plies."""

    def __init__(self, bot: Bot, seat: Seat, limits: Limits, watch: Watch) -> None:
        self.bot: Final = bot
        self.seat: Final = seat
        own, other = limits.time, TimeControl()
        self.times: Final = (own, other) if seat is Seat.FIRST else (other, own)
        """First's and second's time control; nothing limits the other."""
        self._limits: Final = limits
        self._watch: Final = watch
        self._clock = Clock(limits, self.times)
        self._number = 0
        """How often a game was begun."""

    def begin(self, plan: GamePlan) -> None:
        """Begin the game with a bot that was started; raises GameVoidError."""
        self._number += 1
        new = new_game(replace(plan, number=self._number), self.seat, self._limits.time)
        self.bot.begin(new, self._limits)
        self._clock = Clock(self._limits, self.times)

    def begin_again(self, plan: GamePlan, plies: Sequence[Ply]) -> None:
        """Begin the game after these plies, with the time that was left; raises GameVoidError.

        A bot that has gone, or goes now, is started afresh.
        """
        self._watch.wait(0.0)  # it may have left
        self.end(LEFT)
        try:
            if not self.bot.is_running:
                self.bot.start(self._limits)
            self.begin(plan)
        except GameVoidError:
            self.bot.start(self._limits)
            self.begin(plan)
        for number, ply in enumerate(plies, 1):
            self.bot.news += play_line(number, ply.move)
            if ply.seat is self.seat:
                self._clock.charge(ply.seat, ply.used_s)

    def answer(self, position: Position, ply: int) -> Ply:
        """Return what the bot plays in `position`; raises Mishap.

        Raises GameVoidError where it left before it was asked for the first time.
        """
        self._watch.wait(0.0)  # what it said, and whether it left, while the other thought
        allowed_s = self._clock.allowed_s[self.seat]
        try:
            text, used_s = self.bot.ask(position, ply, self._clock.left_ms, allowed_s)
        except NoAnswer as error:
            raise priced(error, self.seat, ply) from error
        move, _ = read_answer(position, self.seat, text, ply)
        left_s = self._clock.charge(self.seat, used_s)
        return Ply(move, self.seat, used_s, left_s, self.bot.asides.comments())

    def end(self, ending: Ending) -> None:
        """Tell the bot how the game ended, if it has begun and the bot can hear."""
        if self._number and self.bot.is_running:
            self.bot.say(wire.result_line(self._number, ending.result, ending.why))


class Sitting:
    """One game, with a bot or between two people."""

    def __init__(self, plan: GamePlan, partner: Partner | None) -> None:
        """Set up the board; `partner` is a bot whose game has begun; None: both seats are people's.

        Raises GameError.
        """
        self.plies: Final[list[Ply]] = []
        """What was played and not taken back."""
        self._plan: Final = plan
        self._partner: Final = partner
        self._positions: Final = [start_of(plan)]
        """The start, and the position after each ply."""
        self._shown_s = 0.0
        """When the board was shown last: thinking time counts from there."""

    @property
    def position(self) -> Position:
        """Return the position now."""
        return self._positions[-1]

    def record(self, ending: Ending) -> str:
        """Return the record in canonical text."""
        times = (TimeControl(), TimeControl()) if self._partner is None else self._partner.times
        book = Scorebook(self._plan, times)
        for ply in self.plies:
            book.add(*ply)
        return book.close(ending.result, ending.why, ending.words).record

    def play(self) -> Ending:
        """Play until the game has ended or is left, and tell how."""
        plan = self._plan
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
        outcome = self.position.outcome()
        why = outcome.ending if outcome else str(ending.why)
        if ending == LEFT:
            _tell("not finished")
        elif ending.result in WON_BY:
            winner = self._name(Seat(WON_BY.index(ending.result)))
            _tell(f"{ending.result}, {winner} won: {why}")
        else:
            _tell(f"{ending.result}, {'a draw' if ending.is_decided else 'no result'}: {why}")
        return ending

    def _rally(self) -> Ending:
        while True:
            if outcome := self.position.outcome():
                return Ending(outcome.result, Termination.RULES)
            seat, number, partner = self.position.to_move, len(self.plies) + 1, self._partner
            if partner is None or partner.seat is not seat:
                if ending := self._persons_turn(seat):
                    return ending
                continue
            _tell(f"{number}. {self._name(seat)}: ", end="")
            ply = partner.answer(self.position, number)
            _tell(f"{ply.move} ({ply.used_s:.2f} s)")
            self._play(ply)

    def _persons_turn(self, seat: Seat) -> Ending | None:
        """Take one line of what is typed; return how that ends the game, None where it does not."""
        text = _typed(f"{len(self.plies) + 1}. {self._name(seat)}: ")
        if text is None:
            return LEFT
        if not text.strip():
            return None
        try:
            meant = read_typed(self.position, text)
        except GameError as error:
            _tell(f"{error}; ? lists the legal moves")
            return None
        if isinstance(meant, Word):
            return self._obey(meant, seat)
        self._play(Ply(meant, seat, time.monotonic() - self._shown_s))
        if self._partner is not None:
            self._partner.bot.news += play_line(len(self.plies), meant)
        return None

    def _play(self, ply: Ply) -> None:
        """Play a legal move, and show the board."""
        self._positions.append(self.position.play(ply.move))
        self.plies.append(ply)
        self._draw()

    def _obey(self, word: Word, seat: Seat) -> Ending | None:
        match word:
            case Word.MOVES:
                moves = self.position.legal_moves()
                width = min(_WIDEST, shutil.get_terminal_size().columns)
                _tell(f"{len(moves)} legal moves:\n{columns(list(moves), width)}")
            case Word.BOARD:
                self._draw()
            case Word.UNDO:
                self._take_back(seat)
            case Word.QUIT:
                return LEFT
            case Word.RESIGN:
                ply = len(self.plies) + 1
                who = self._plan.names[seat]
                words = f"{who} ({seat.word}): resigned at ply {ply}"
                return Ending(WON_BY[seat.other], Termination.RESIGNATION, words)
        return None

    def _take_back(self, seat: Seat) -> None:
        """Take back the person's last ply with the bot's answer; of two people, the last ply."""
        own = [at for at, ply in enumerate(self.plies) if not self._partner or ply.seat is seat]
        if not own:
            _tell("there is no move of yours to take back")
            return
        count = len(self.plies) - own[-1]
        del self.plies[-count:]
        del self._positions[-count:]
        if self._partner is not None:
            self._partner.begin_again(self._plan, self.plies)
        _tell(f"taken back: {count} {'ply' if count == 1 else 'plies'}")
        self._draw()

    def _draw(self) -> None:
        last = changed_cells(*self._positions[-2:]) if self.plies else []
        outcome = self.position.outcome()
        decided = outcome.cells if outcome else ()
        _tell(f"\n{drawing(self.position, last=last, decided=decided)}\n")
        self._shown_s = time.monotonic()

    def _name(self, seat: Seat) -> str:
        """Return a seat's colour with who has it: `white (you)`."""
        colour = self.position.game.colours[seat]
        if self._partner is None:
            return colour
        return f"{colour} ({self._partner.bot.name if seat is self._partner.seat else 'you'})"


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
