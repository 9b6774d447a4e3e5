"""A bot controlled from Python: start it, ask it about positions, follow its search, end it.

It uses the referee's conversation with a bot (`referee/conversation.py`), with the same deadlines,
sandboxes and cleanup.
"""

from __future__ import annotations

import math
import secrets
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from numbers import Integral
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final, NamedTuple, Self

from lath import games
from lath.arena.errors import ArenaError, ConfigError, GameVoidError
from lath.arena.machine import signals
from lath.arena.referee.answers import UNLIMITED, Answer, Info, Limit
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.bridges import bot_of
from lath.arena.referee.clock import HARD_LIMIT_S, Limits
from lath.arena.referee.conversation import Bot, NoAnswerError, play_line
from lath.arena.referee.match import MishapError, priced, read_answer
from lath.arena.referee.watch import Watch
from lath.games.core import Move, Position, Result, Side, read_move
from lath.games.errors import GameError
from lath.notation import protocol as wire
from lath.notation.protocol import Option, TimeControl
from lath.notation.record.tags import Termination

MARGIN_S: Final = 1.0
"""The accepted overrun of an answer, in seconds; more than in tournaments, to get an answer."""

STOP_S: Final = 2.0
"""The time limit for an answer after `stop`, in seconds."""

UNTIL_STOPPED_MS: Final = 86_400_000
"""The time control sent for a search without a limit, in milliseconds: a day."""


class EngineError(ArenaError):
    """A bot failed to answer a request; the subclass gives the kind of failure."""

    def __init__(self, bot: str, words: str, why: Termination | None = None) -> None:
        super().__init__(words)
        self.bot = bot
        """The bot's name."""
        self.why = why
        """The termination that a game would have had; None before a game."""


class NotABotError(EngineError):
    """The program does not start, or does not answer `ok`."""


class BotDiedError(EngineError):
    """The process ended, closed its input or output, or exceeded its output limit."""


class DeadlineError(EngineError):
    """The answer did not come in time, so the process was ended."""


class IllegalAnswerError(EngineError):
    """The answer is not a legal move in the position."""


_NO_MOVE: Final = ""
"""A text that marks a game that cannot continue."""


class _Told(NamedTuple):
    """A game as the bot knows it, so that the next question can continue it."""

    game: str
    start: str
    side: Side
    time: TimeControl
    seed: int


class Engine:
    """A bot and its process, which answers one question after the other.

    A process that dies or is too late is ended, and the next question starts another one. Use an
    engine in one thread at a time; any number of engines can be open.
    """

    def __init__(
        self,
        spec: BotSpec,
        *,
        margin: float = MARGIN_S,
        startup: float = 10.0,
        limit: float = HARD_LIMIT_S,
    ) -> None:
        """Prepare an engine; callers use `Engine.open`."""
        self._limits: Final = spec.own(
            Limits(
                time=TimeControl(),
                margin_s=margin,
                startup_s=startup,
                stop_s=STOP_S,
                hard_limit_s=limit,
            )
        )
        self._watch: Final = Watch()
        self._bot: Final = bot_of(
            spec, self._watch, tree=f"engine-{secrets.token_hex(4)}.", forgives_hold_ups=True
        )
        # The process ends even if the caller never closes the engine.
        self._end: Final = weakref.finalize(self, self._bot.kill)
        self._settings: Final = dict(spec.options)
        self._number = 0
        self._told: _Told | None = None
        self._plies: list[str] = []
        """The moves of that game that the bot knows; `_NO_MOVE` if it cannot continue."""
        self._analysis: Analysis | None = None
        """The last analysis, while it may be unanswered."""

    @classmethod
    def open(
        cls,
        bot: str | Path | Sequence[str] | Mapping[str, Any],
        *,
        options: Mapping[str, object] | None = None,
        sandbox: str | None = None,
        margin: float = MARGIN_S,
        startup: float = 10.0,
        limit: float = HARD_LIMIT_S,
    ) -> Self:
        """Start a bot, do its handshake and return its engine.

        `bot` is a bundled bot's name, the path of a program or folder, a command line or its words.
        All are as in `arena match`. It can also be the table of a `[[bot]]`. The `options` override
        its own. The `sandbox` is `none`, `user`, `bwrap` or `auto`.

        Times are in seconds: `margin` is the accepted overrun, `startup` the limit for `ok` and
        `ready`, and `limit` that for an answer without a time limit.

        Raises ConfigError for an invalid bot, option or sandbox, NotABotError if the program does
        not start or answer `ok`, and MachineError if the machine lacks a resource.
        """
        return cls.of(_spec(bot, options, sandbox), margin=margin, startup=startup, limit=limit)

    @classmethod
    def of(
        cls,
        spec: BotSpec,
        *,
        margin: float = MARGIN_S,
        startup: float = 10.0,
        limit: float = HARD_LIMIT_S,
    ) -> Self:
        """Start the bot of these settings; see `open`."""
        engine = cls(spec, margin=margin, startup=startup, limit=limit)
        try:
            engine._start()
            if wrong := engine._bot.wrong_options():
                raise ConfigError("\n".join(f"bot {engine._bot.name!r}: {one}" for one in wrong))
        except BaseException:
            engine._end()
            raise
        return engine

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._end()

    def close(self) -> None:
        """End the bot and all of its processes; it gets time to end by itself."""
        if self._end.alive:
            if not self._bot.is_thinking:
                self._bot.quit()
            self._end()

    # What the bot reports

    @property
    def name(self) -> str:
        """Return the bot's own name, or by default the name of its file, folder or table."""
        return self._bot.greeting.name or self._bot.name

    @property
    def author(self) -> str:
        """Return the bot's author, as it reports; empty if it does not."""
        return self._bot.greeting.author

    @property
    def version(self) -> str:
        """Return the bot's version, as it reports; empty if it does not."""
        return self._bot.greeting.version

    @property
    def games(self) -> tuple[str, ...]:
        """Return the ids of the games that the bot declares; some may not be installed."""
        return tuple(self._bot.greeting.games)

    def plays(self, game: str) -> bool:
        """Return True if the bot declares this game id, which may have parameters."""
        return self._bot.greeting.plays(game)

    @property
    def options(self) -> Mapping[str, Option]:
        """Return the options that it declares: `type`, `initial`, `minimum`, `choices`, by name."""
        return MappingProxyType(self._bot.greeting.options)

    @property
    def settings(self) -> Mapping[str, object]:
        """Return the values that were set; other options have their defaults."""
        return MappingProxyType(self._settings)

    def configure(self, options: Mapping[str, object]) -> None:
        """Set options from the next question on; raises ConfigError without setting any."""
        for wrong in self._bot.greeting.wrong_options(options):
            raise ConfigError(f"bot {self.name!r}: {wrong}")
        self._settle()
        self._settings.update(options)
        self._plies.append(_NO_MOVE)
        if self._bot.is_running:
            self._bot.say(*(wire.setoption_line(*item) for item in options.items()))

    # Questions

    def play(
        self,
        position: Position,
        limit: Limit = UNLIMITED,
        *,
        moves: Sequence[str] = (),
        seed: int = 1,
    ) -> Answer:
        """Return the bot's move in `position`, or after the `moves` played from there.

        With `moves` the bot knows the game so far, and it can reuse its search if the next question
        continues the game. The same `seed` gives the same answer unless the limit is a time. The
        seed is a whole number from 0 to 2^63 - 1; otherwise ValueError is raised.

        Raises GameError if the moves are not legal or the game is over, and ConfigError if the bot
        does not play the game. Raises EngineError: BotDiedError, DeadlineError, IllegalAnswerError,
        or NotABotError if a fresh process does not start.
        """
        asked = self._begin(position, limit, moves, seed)
        try:
            text, used_s = self._bot.ask(
                asked.position, asked.ply, limit.left_ms, self._allowed_s(asked, limit)
            )
        except NoAnswerError as error:
            raise self._failed(error, asked) from error
        except BaseException:
            self._bot.kill()
            raise
        return self._answer(asked, text, used_s, self._infos())

    def analysis(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        moves: Sequence[str] = (),
        seed: int = 1,
    ) -> Analysis:
        """Ask as `play` does, and return at once an iterator of the bot's messages.

        Without a limit the bot thinks until `stop`, or as long as it likes.
        """
        asked = self._begin(position, limit or Limit(UNTIL_STOPPED_MS / 1000), moves, seed)
        allowed_s = self._allowed_s(asked, limit) if limit else math.inf
        try:
            began_s = self._bot.begin_to_think(
                asked.position, asked.ply, limit.left_ms if limit else (0, 0)
            )
        except NoAnswerError as error:
            raise self._failed(error, asked) from error
        self._analysis = Analysis(
            self._bot,
            asked,
            began_s,
            began_s + allowed_s,
            answered=self._answer,
            failed=self._failed,
        )
        return self._analysis

    # Implementation

    def _start(self) -> None:
        """Start a process and do its handshake; raises NotABotError and MachineError."""
        self._told = None
        self._analysis = None
        if not self._end.alive:
            raise BotDiedError(self._bot.name, f"{self._bot.name}: was closed")
        try:
            self._bot.start(self._limits)
        except GameVoidError as error:
            self._bot.kill()
            raise NotABotError(self._bot.name, str(error), error.why) from error
        except BaseException:
            self._bot.kill()
            raise
        for name, value in self._settings.items():  # options that were not set in the handshake
            if self._bot.spec.options.get(name) != value:
                self._bot.say(wire.setoption_line(name, value))

    def _settle(self) -> None:
        """End the last question, or its process, so that the next one can be asked."""
        if self._analysis is not None:
            self._analysis.close()
            self._analysis = None

    def _begin(
        self, position: Position, limit: Limit, moves: Sequence[str], seed: int
    ) -> _Question:
        """Announce a new game to the bot, or continue its last one; see `play`."""
        if not (isinstance(seed, Integral) and 0 <= seed < 2**63):
            raise ValueError(f"a seed of {seed!r}, expected a whole number from 0 to 2^63 - 1")
        start, plies = position, list[Move]()
        for text in moves:
            plies.append(read_move(position, text))
            position = position.play(plies[-1])
        if outcome := position.outcome():
            raise GameError(f"position: the game is over: {outcome.ending}")
        self._settle()
        bot = self._bot
        self._watch.wait(0.0)  # it may have ended in the meantime
        if not bot.is_running:
            self._start()
        bot.refuse_unless_it_plays([position.game.id])
        asked = _Question(position, position.to_move, len(plies) + 1)
        control = limit.time
        of_kind = replace(control, initial_ms=1) if control.has_clock else control
        told = _Told(position.game.id, start.text(), asked.seat, of_kind, seed)
        if told != self._told or plies[: len(self._plies)] != self._plies:
            self._begin_game(told, control)
        for ply, move in enumerate(plies[len(self._plies) :], len(self._plies) + 1):
            bot.news += play_line(ply, move)
        self._plies = list(plies)
        return asked

    def _begin_game(self, told: _Told, limit: TimeControl) -> None:
        """Announce a new game; if the process ended before, start another one for it."""
        bot = self._bot
        ending = wire.result_line(self._number, Result.UNFINISHED, Termination.UNTERMINATED)
        is_first, self._told, self._plies = self._told is None, None, []
        self._number += 1
        new = wire.NewGame(
            number=self._number,
            game=told.game,
            side=told.side.word,
            time=limit,
            seed=told.seed,
            position=None if told.start == _plainest(told.game) else told.start,
        )
        try:
            bot.begin(new, self._limits, *([] if is_first else [ending]))
        except GameVoidError as error:
            bot.kill()
            if error.why is Termination.CRASH and not is_first:  # a crash counts for one game only
                self._start()
                self._begin_game(told, limit)
                return
            kind = DeadlineError if error.why is Termination.TIME else BotDiedError
            raise kind(bot.name, str(error), error.why) from error
        except BaseException:
            bot.kill()
            raise
        self._told = told

    def _allowed_s(self, asked: _Question, limit: Limit) -> float:
        """Return the time limit for the answer, with the margin, in seconds."""
        clocks = (limit.first_s, limit.second_s)
        given_s = clocks[asked.seat] if limit.seconds is None else limit.seconds
        return self._limits.hard_limit_s if given_s is None else given_s + self._limits.margin_s

    def _infos(self) -> Info:
        """Return the values of the `info` lines of the last answer."""
        info = Info()
        for line in self._bot.asides.infos:
            info = info.updated(line.decode("utf-8", "replace"))
        self._bot.asides.infos.clear()
        return info

    def _answer(self, asked: _Question, text: str, used_s: float, info: Info) -> Answer:
        """Return an answer as a value; raises IllegalAnswerError."""
        try:
            move, _ = read_answer(asked.position, asked.seat, text, asked.ply)
        except MishapError as mishap:
            self._plies.append(_NO_MOVE)
            if mishap.why is Termination.RESIGNATION:
                return Answer(None, used_s, info)
            complaints = self._bot.asides.complaints.first
            said = f"; it says: {complaints[-1].removeprefix('error ')}" if complaints else ""
            words = self._bot.cause(f"{self._bot.name}: {mishap}{said}").reason
            raise IllegalAnswerError(self._bot.name, words, mishap.why) from mishap
        self._plies.append(move)
        return Answer(move, used_s, info)

    def _failed(self, error: NoAnswerError, asked: _Question) -> EngineError:
        """Kill a bot whose answer does not come, and return the error."""
        found = priced(error, asked.seat, asked.ply)
        self._bot.kill()
        words = str(found) if isinstance(found, GameVoidError) else f"{self._bot.name}: {found}"
        kind = DeadlineError if error.why is Termination.TIME else BotDiedError
        return kind(self._bot.name, words, error.why)


@cache
def _plainest(game: str) -> str:
    """Return the starting position of a game without a setup."""
    return games.get(game).start().text()


class _Question(NamedTuple):
    """The question to a bot."""

    position: Position
    seat: Side
    ply: int


class Analysis(Iterator[Info]):
    """The search of a bot: an iterator of its `info` values, with the answer at the end.

    It is also a context manager, which stops the bot at its end. The engine's next question ends
    it, as `close` does.
    """

    def __init__(
        self,
        bot: Bot,
        asked: _Question,
        began_s: float,
        until_s: float,
        *,
        answered: Callable[[_Question, str, float, Info], Answer],
        failed: Callable[[NoAnswerError, _Question], EngineError],
    ) -> None:
        """Follow a bot that was asked; callers use `Engine.analysis`."""
        self.info = Info()
        """The last value of each kind so far."""
        self._bot: Final = bot
        self._asked: Final = asked
        self._began_s: Final = began_s
        self._until_s = until_s
        self._answered: Final = answered
        self._failed: Final = failed
        self._was_stopped = False
        self._answer: Answer | None = None
        self._error: EngineError | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Info:
        """Return the values after the next `info` line; raises EngineError."""
        if (info := self._hear(math.inf)) is None:
            raise StopIteration
        return info

    def poll(self, seconds: float) -> Info | None:
        """Return the next values, or None after the given time; raises EngineError."""
        return self._hear(signals.awake_s() + seconds)

    def _hear(self, by_s: float) -> Info | None:
        """Return the next values.

        None if there are no more, or none by `by_s` of `signals.awake_s`.

        Raises EngineError.
        """
        while not self.is_over:
            until_s = min(by_s, self._until_s)
            try:
                if (line := self._bot.overhear(self._asked.ply, self._began_s, until_s)) is None:
                    self._take_answer()
                    break
            except NoAnswerError as error:
                if error.why is Termination.TIME and until_s < self._until_s:
                    break
                self._error = self._failed(error, self._asked)
                raise self._error from error
            words = line.decode("utf-8", "replace")
            if words.split(maxsplit=1)[:1] == ["info"]:
                self.info = self.info.updated(words)
                return Info.read(words)
            self._bot.asides.take(line)
        return None

    def _take_answer(self) -> None:
        """Read the answer that has come; raises EngineError."""
        looked_s = signals.awake_s()  # time before this does not count
        text, used_s = self._bot.await_move(
            self._asked.ply, self._began_s, math.inf, looked_s=looked_s
        )
        try:
            self._answer = self._answered(self._asked, text, used_s, self.info)
        except EngineError as error:
            self._error = error
            raise

    @property
    def is_over(self) -> bool:
        """Return True if the bot has answered or failed, as far as was read."""
        return self._answer is not None or self._error is not None

    def stop(self) -> None:
        """Tell the bot to answer within two seconds; does not wait for the answer."""
        if not self.is_over and not self._was_stopped:
            self._was_stopped = True
            self._until_s = min(self._until_s, self._bot.say(wire.STOP) + STOP_S)

    def wait(self) -> Answer:
        """Wait for the bot's answer and return it; raises EngineError."""
        for _ in self:
            pass
        if self._answer is None:
            assert self._error is not None
            raise self._error
        return self._answer

    def close(self) -> None:
        """Stop the bot, or end it without an error if it fails."""
        if not self.is_over:
            self.stop()
            with suppress(EngineError):
                self.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if kind is None or issubclass(kind, Exception):
            self.close()
        elif not self.is_over:  # Ctrl-C does not wait for the bot
            self._bot.kill()
            self._error = BotDiedError(self._bot.name, f"{self._bot.name}: was killed")


def _spec(
    bot: str | Path | Sequence[str] | Mapping[str, Any],
    options: Mapping[str, object] | None,
    sandbox: str | None,
) -> BotSpec:
    """Return the settings to start a bot; see `Engine.open`. Raises ConfigError."""
    from lath.arena.entrants.origins import sandbox_of  # start-up time
    from lath.arena.entrants.programs import bundled

    sandbox_of(sandbox)
    spec = (
        BotSpec(name=bot, command=bundled()[bot], sandbox=sandbox or "auto")
        if isinstance(bot, str) and bot in bundled()  # saves reading a configuration
        else _described(bot, sandbox)
    )
    spec = replace(spec, options={**spec.options, **(options or {})})
    if spec.build or spec.sandbox != "auto" or spec.memory_bytes or spec.cache_bytes:
        from lath.arena.entrants.builds import ready  # start-up time

        spec = ready(spec)
    return spec


def _described(bot: str | Path | Sequence[str] | Mapping[str, Any], sandbox: str | None) -> BotSpec:
    """Return the settings of a bot described by a text for `arena match`, or by a table."""
    from lath.arena.entrants.origins import in_words, origin_of, spec_in, spec_of  # start-up time

    if isinstance(bot, Mapping):
        asked = {"sandbox": sandbox} if sandbox else {}
        return spec_of({"name": "bot", **bot, **asked})
    return spec_in(origin_of(in_words(bot), "bot", sandbox))
