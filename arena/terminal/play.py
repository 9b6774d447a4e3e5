"""A game at the keyboard: the board after each ply, questions to the person, the bot's answers.

Input comes from standard input, which can be a pipe. Failures have the penalties of
docs/reference/protocol.md. If the machine was suspended, the game continues without a penalty.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from functools import partial
from itertools import repeat
from textwrap import fill
from types import MappingProxyType
from typing import Final, NamedTuple

from lath.arena.engine.engine import Engine, EngineError
from lath.arena.engine.solving import solve
from lath.arena.errors import GameVoidError
from lath.arena.machine import signals
from lath.arena.referee.answers import Limit
from lath.arena.referee.clock import Clock, Limits
from lath.arena.referee.conversation import Bot, NoAnswerError, play_line
from lath.arena.referee.match import (
    GameEnding,
    MishapError,
    new_game,
    priced,
    read_answer,
    start_of,
)
from lath.arena.referee.record import GamePlan, Scorebook
from lath.arena.referee.watch import Watch
from lath.arena.terminal.boards import drawing
from lath.arena.terminal.streams import fitted, unfiltered
from lath.games import overlays
from lath.games.cards import credit_told, named_card
from lath.games.core import (
    SIDES,
    Game,
    Move,
    Position,
    Result,
    Side,
    plain_move,
    read_typed_move,
)
from lath.games.drawing.changes import changed_cells, worded
from lath.games.errors import GameError, MoveSyntaxError, count_of
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record.tags import Termination
from lath.notation.text.suggestions import meant_move


class Typed(StrEnum):
    """The commands that can be typed instead of a move."""

    MOVES = "?"
    HELP = "help"
    RULES = "rules"
    HINT = "hint"
    EVAL = "eval"
    UNDO = "undo"
    BOARD = "board"
    RESIGN = "resign"
    QUIT = "quit"


def read_typed(position: Position, text: str) -> Move | Typed:
    """Return the legal move or the command in a text; raises MoveSyntaxError, IllegalMoveError.

    Upper case and spaces do not matter if only one move is possible.

    >>> from lath import games
    >>> read_typed(games.get("surikata").start(), " m C3 "), str(read_typed(..., "Undo"))
    ('Mc3', 'undo')
    """
    word = "".join(text.split()).lower()
    return Typed(word) if word in set(Typed) else read_meant(position, text)


def read_meant(position: Position, text: str) -> Move:
    """Return the legal move that a text means; raises MoveSyntaxError, IllegalMoveError."""
    words = text.split()
    with suppress(GameError):  # a move of another library can have spaces
        return read_typed_move(position, " ".join(words))
    word = "".join(words)[:60]  # longer text is not a move either
    try:
        position.game.canonical(word)
    except MoveSyntaxError:
        word = meant_move(position.game, word) or word
    return read_typed_move(position, word)


def columns(words: list[str], width: int) -> str:
    """Return words in aligned columns, in lines of at most `width` characters.

    >>> print(columns(["a1", "b12", "c3"], 9))
    a1   b12
    c3
    """
    unit = max(map(len, words), default=0) + 2
    number = max(1, (width + 2) // unit)
    rows = [words[at : at + number] for at in range(0, len(words), number)]
    return "\n".join("".join(word.ljust(unit) for word in row).rstrip() for row in rows)


def aligned(rows: list[list[str]]) -> str:
    """Return rows as text with aligned columns.

    >>> print(aligned([["game", "right"], ["yavalath", "3/5"]]))
    game      right
    yavalath  3/5
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


HELP: Final = """\
a move   play it, such as {move} (in any case, with or without spaces)
?        list the legal moves
rules    explain the goal and the moves
hint     suggest a good move
eval     evaluate your position: a proven result, or a score from -1 (loss) to 1 (win)
undo     take back your last move and the reply
board    show the board again
resign   give up
quit     leave the game; with -o FILE, its record is saved"""

COACH: Final = "solver"
"""The bundled bot for hints."""

THINKS_S: Final = 1.0
"""Seconds that the bot thinks about a hint."""

LEFT: Final = GameEnding(Result.UNFINISHED, Termination.UNTERMINATED)
"""The ending of a game that the person leaves or begins again."""

_tell: Final = partial(print, flush=True)


def _say(words: str) -> None:
    """Print sentences that fit into the terminal."""
    _tell(fitted(words))


def card_of(game: Game) -> str:
    """Return the rules of a game type for terminals of 80 columns: the goal and the turn.

    >>> from lath import games
    >>> print(card_of(games.get("yavalath")).splitlines()[0])
    Yavalath: four or more of your stones in line win; three in line, without four,
    """
    card = named_card(game) or f"{game.title}. {credit_told(game)} ? lists the legal moves."
    return "\n".join(map(fill, card.splitlines(), repeat(79)))


def sights(position: Position) -> list[str]:
    """Return a line per watching piece with the cells that it sees.

    >>> from lath import games
    >>> at = games.get("surikata").position("mm3/2m2/m3m/5/o4 a1 w")
    >>> sights(at)
    ['meerkat on a1 sees a2 b1 c1 d1 e1']
    """
    game, contents = position.game, position.contents()
    names, pieces = game.board.names, {piece.code: piece.name for piece in game.pieces}
    return [
        f"{pieces[overlay.marker]} on {names[cell]} sees "
        + (" ".join(sorted(names[one] for ray in rays for one in ray)) or "nothing")
        for overlay in overlays.of(game)
        if isinstance(overlay, overlays.Sight)
        for cell, rays in overlays.sight(overlay, game.board, contents).items()
    ]


class PlayedPly(NamedTuple):
    """A move with its side and its time; the arguments of `Scorebook.add`."""

    move: Move
    seat: Side
    used_s: float
    left_s: float | None = None
    """Seconds on the player's clock after the move; None without a clock."""

    comments: Mapping[str, str] = MappingProxyType({})
    """The bot's comments from `info` lines."""


class Sitting:
    """A game with a bot or between two people, which can be continued from any earlier ply."""

    def __init__(
        self, plan: GamePlan, limits: Limits, watch: Watch, bot: Bot | None, bots_seat: Side
    ) -> None:
        """Set up the board; without a bot, people play both sides. Raises GameError."""
        self.plies: Final[list[PlayedPly]] = []
        """The moves played and not taken back."""
        self._plan: Final = plan
        self._limits: Final = limits
        self._watch: Final = watch
        self._bot: Final = bot
        self._bots_seat: Final = bots_seat
        times = [TimeControl(), TimeControl()]  # a person has no limit
        if bot is not None:
            times[bots_seat] = limits.time
        self._times: Final = (times[0], times[1])
        self._clock = Clock(limits, self._times)
        self._number = 0
        """The number of times that the bot was sent `new`."""
        self._positions: Final = [start_of(plan)]
        """The first position, and the position after each ply."""
        self._coach: Engine | None = None
        """The bot for hints; started for the first hint."""
        self._shown_s = 0.0
        """The time at which the board was last shown; a person's thinking time begins there."""

    @property
    def position(self) -> Position:
        """The current position."""
        return self._positions[-1]

    def record(self, ending: GameEnding) -> str:
        """Return the record in canonical text."""
        book = Scorebook(self._plan, self._times)
        for ply in self.plies:
            book.add(*ply)
        return book.close(ending.result, ending.why, ending.words).record

    def begin(self) -> None:
        """Send the bot, if there is one, the `new` line. Raises GameVoidError."""
        if self._bot is not None:
            self._number += 1
            plan = replace(self._plan, number=self._number)
            self._bot.begin(new_game(plan, self._bots_seat, self._limits.time), self._limits)
            self._clock = Clock(self._limits, self._times)

    def play(self) -> GameEnding:
        """Play until the game ends or is left; print and return the ending."""
        plan = self._plan
        players = f"{self._name(Side.FIRST)} against {self._name(Side.SECOND)}"
        _say(f"{plan.game}: {players}, seed {plan.seeds[0]}")
        _say("Type a move, ? for the legal moves, or: help, rules, hint, undo, quit.")
        if not self._is_bots_turn:
            self._draw()
        try:
            ending = self._rally()
        except MishapError as mishap:
            assert self._bot is not None
            _say(str(mishap))
            ending = mishap.ending(self._bot)
        except GameVoidError as error:
            _say(error.reason)
            ending = GameEnding(Result.UNFINISHED, Termination.VOID, str(error))
        finally:
            if self._coach is not None:
                self._coach.close()
        self._tell_the_bot(ending)
        outcome = self.position.outcome()
        why = str(ending.why)
        if ending == LEFT:
            _tell("not finished")
        elif outcome:
            _say(f"{ending.result}, {outcome.told(*map(self._name, SIDES))}")
        elif (winner := ending.result.winner) is not None:
            _say(f"{ending.result}, {self._name(winner)} won: {why}")
        else:
            _say(
                f"{ending.result}, {'a draw' if ending.result.is_finished else 'no result'}: {why}"
            )
        return ending

    def _tell_the_bot(self, ending: GameEnding) -> None:
        """Send the bot the result, if its game has begun and it still runs."""
        if self._bot is not None and self._number and self._bot.is_running:
            self._bot.say(wire.result_line(self._number, ending.result, ending.why))

    def _rally(self) -> GameEnding:
        """Play until the game ends; raises MishapError.

        Raises GameVoidError if the bot left before its first turn.
        """
        while True:
            if outcome := self.position.outcome():
                return GameEnding(outcome.result, Termination.RULES)
            seat, number, bot = self.position.to_move, len(self.plies) + 1, self._bot
            if bot is None or seat is not self._bots_seat:
                if ending := self._persons_turn(seat):
                    return ending
                continue
            _tell(f"{number}. {self._name(seat)}: ", end="")
            self._watch.wait(0.0)  # reads the bot's output and exit during the person's turn
            left_ms, allowed_s = self._clock.left_ms, self._clock.allowed_s[seat]
            try:
                text, used_s = bot.ask(self.position, number, left_ms, allowed_s)
            except NoAnswerError as error:
                raise priced(error, seat, number) from error
            move, _ = read_answer(self.position, seat, text, number)
            left_s = self._clock.charge(seat, used_s)
            _tell(f"{plain_move(move)} ({used_s:.2f} s)")
            self._play(PlayedPly(move, seat, used_s, left_s, bot.asides.comments()))

    def _persons_turn(self, seat: Side) -> GameEnding | None:
        """Read one line of input; return the ending if it ends the game, else None."""
        if (text := typed(f"{len(self.plies) + 1}. {self._name(seat)}: ")) is None:
            return LEFT
        if not text.strip():
            return None
        try:
            meant = read_typed(self.position, text)
        except GameError as error:
            _say(f"{error}; ? lists the legal moves")
            return None
        if isinstance(meant, Typed):
            return self._obey(meant, seat)
        self._play(PlayedPly(meant, seat, signals.awake_s() - self._shown_s))
        if self._bot is not None:
            self._bot.news += play_line(len(self.plies), meant)
        return None

    def _play(self, ply: PlayedPly) -> None:
        """Play a legal move, and draw the board."""
        self._positions.append(self.position.play(ply.move))
        self.plies.append(ply)
        if not self._is_bots_turn:  # otherwise the bot's answer follows at once
            self._draw()

    def _obey(self, word: Typed, seat: Side) -> GameEnding | None:
        match word:
            case Typed.MOVES:
                moves = self.position.legal_moves()
                width = min(100, shutil.get_terminal_size().columns)
                listed = columns([*map(plain_move, moves)], width)
                _tell(f"{count_of(len(moves), 'legal move')}:\n{listed}")
            case Typed.HELP:
                _say(HELP.format(move=plain_move(self.position.legal_moves()[0])))
            case Typed.RULES:
                _say(card_of(self.position.game))
            case Typed.HINT | Typed.EVAL:
                self._advise(word)
            case Typed.BOARD:
                self._draw()
            case Typed.UNDO:
                self._take_back(seat)
            case Typed.QUIT:
                return LEFT
            case Typed.RESIGN:
                who = f"{self._plan.names[seat]} ({seat.word})"
                words = f"{who}: resigned at ply {len(self.plies) + 1}"
                return GameEnding(Result.won_by(seat.other), Termination.RESIGNATION, words)
        return None

    def _advise(self, word: Typed) -> None:
        """Print the hint bot's opinion on the position, for the side to move."""
        try:
            if self._coach is None:
                self._coach = Engine.open(COACH)
            found = solve(self._coach, self.position, Limit(seconds=THINKS_S))
        except EngineError as error:
            _say(f"no {word}: {error}")
            return
        words = (found.value == "unknown" and found.guess) or found.words
        _say(
            f"{plain_move(found.line[0])}: {words}" if word is Typed.HINT and found.line else words
        )

    def _take_back(self, seat: Side) -> None:
        """Take back the person's last ply and the bot's answer; for two people, the last ply."""
        own = [at for at, ply in enumerate(self.plies) if not self._bot or ply.seat is seat]
        if not own:
            _say("you have not moved yet")
            return
        count = len(self.plies) - own[-1]
        del self.plies[-count:]
        del self._positions[-count:]
        if self._bot is not None:
            self._begin_again(self._bot)
        _tell(f"taken back: {count} {'ply' if count == 1 else 'plies'}")
        self._draw()

    def _begin_again(self, bot: Bot) -> None:
        """Let the bot continue after the remaining plies, with the time that it had there.

        A bot that has exited or fails now is started again; raises GameVoidError.
        """
        self._watch.wait(0.0)  # the bot may have exited
        self._tell_the_bot(LEFT)
        try:
            if not bot.is_running:
                bot.start(self._limits)
            self.begin()
        except GameVoidError:
            bot.start(self._limits)
            self.begin()
        for number, ply in enumerate(self.plies, 1):
            bot.news += play_line(number, ply.move)
            if ply.left_s is not None:
                self._clock.resume(ply.seat, ply.left_s)

    def _draw(self) -> None:
        last = changed_cells(*self._positions[-2:]) if self.plies else []
        _tell(f"\n{drawing(self.position, last=last)}\n", file=unfiltered(sys.stdout))
        for words in sights(self.position):
            _tell(words)
        for move, words in worded(self.position).items():
            _say(f"You can play {plain_move(move)}, which {words}.")
        self._shown_s = signals.awake_s()

    @property
    def _is_bots_turn(self) -> bool:
        is_its_own = self._bot is not None and self.position.to_move is self._bots_seat
        return is_its_own and not self.position.is_over

    def _name(self, seat: Side) -> str:
        """Return a side's colour with its player, such as `white (you)`."""
        colour = self.position.game.colours[seat]
        if self._bot is None:
            return colour
        return f"{colour} ({self._bot.name if seat is self._bots_seat else 'you'})"


def typed(prompt: str) -> str | None:
    """Return the next line of input; None at the end of the input."""
    if sys.stdin.isatty():
        try:
            return input(prompt)
        except EOFError:
            _tell("")
            return None
    # A pipe does not echo the prompt. `input` would ignore a Ctrl-C while it writes the prompt.
    _tell(prompt, end="")
    line = sys.stdin.readline()
    text = line.removesuffix("\n")
    _tell(text)
    return text if line else None
