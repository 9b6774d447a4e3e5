"""The first start of a bot, which recognises bots of contests whose protocol was not stated.

A bot that fails the handshake is started again and asked for two moves in the protocol of each
contest. A bot that answers both is one of that contest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from lath import games
from lath.arena.errors import ArenaError, ContestBotError, GameVoidError, UnfitBotError
from lath.arena.machine import signals
from lath.arena.referee import watch as watching
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.bridges import CONTESTS, BridgedBot, bot_of
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot, NoAnswerError, play_line
from lath.arena.referee.match import MishapError, read_answer
from lath.games.core import Game, Move, Position, Side
from lath.games.errors import GameError, LathError
from lath.notation.protocol import NewGame, TimeControl
from lath.notation.record.tags import Termination

TURNS: Final = 2
"""The number of moves that a bot is asked for: one correct answer may be luck."""

_PATIENCE_S: Final = 2.0
"""The time to wait for a bot's first move if only its start matters, in seconds."""

_SETTLED_S: Final = 0.1
"""The time to check that a bot writes nothing after its answer, in seconds."""


def meet(bot: Bot, limits: Limits, game_ids: Iterable[str] = ()) -> None:
    """Start a bot for the first time, as `Bot.start` does, for these games (none for any).

    Raises ContestBotError if the bot speaks a contest's protocol, and the errors of `Bot.start`.
    """
    try:
        bot.start(limits)
    except GameVoidError as error:
        if error.bot != bot.name:
            raise
        if contest := recognised(bot, limits, tuple(game_ids)):
            raise ContestBotError(bot.name, looks_like(contest), contest) from error
        raise


def refuse_if_broken(bot: Bot, limits: Limits, game_ids: Sequence[str]) -> None:
    """Ask a contest's bot for a move, because contests have no handshake that would start it.

    Does not wait for a slow bot or check the move. Raises GameVoidError if the bot ends before its
    first answer.
    """
    if not isinstance(bot, BridgedBot):
        return
    watch = watching.Watch()
    trial = bot_of(bot.spec, watch, tree=bot.tree, forgives_hold_ups=True)
    id_ = next(iter(bot.contest.games or tuple(game_ids) or games.ids()))
    try:
        _play(trial, watch, games.get(id_), limits, signals.awake_s() + _PATIENCE_S)
    except (NoAnswerError, GameVoidError) as error:
        is_first = isinstance(error, GameVoidError) or error.awaited == "bestmove 1"
        if error.why is Termination.CRASH and is_first:
            raise GameVoidError(
                trial.cause(f"{trial.end_words()} before its first move")
            ) from error
    except (_NotOneError, MishapError, GameError):
        pass
    finally:
        trial.kill()


def introduce(bot: Bot, limits: Limits, game_ids: Sequence[str]) -> None:
    """Start a bot, and check that it plays these games with its options.

    Raises ConfigError if it does not, and GameVoidError if it does not start.
    """
    meet(bot, limits, game_ids)
    bot.refuse_unless_it_plays(game_ids)
    for wrong in bot.wrong_options():
        raise UnfitBotError(bot.name, wrong, f"bot {bot.name!r}: {wrong}")


def looks_like(contest: str, how: str = "") -> str:
    """Return a message that a bot is of a contest; `how` is the text to add. Default: `added`.

    >>> looks_like("botzone")
    'this looks like a Botzone bot; add `; protocol=botzone`'
    """
    return f"this looks like a {CONTESTS[contest].title} bot; add `{how or added(contest)}`"


def added(contest: str) -> str:
    """Return the part of a bot's text that sets its protocol.

    >>> added("botzone")
    '; protocol=botzone'
    """
    return f"; protocol={contest}"


def recognised(
    bot: Bot, limits: Limits, game_ids: Sequence[str] = (), *, beside: bool = False
) -> str:
    """Return the contest whose protocol a bot speaks after a failed handshake; empty for none.

    Takes at most the startup limit. Skips bots that began to answer the handshake, that have
    options or whose protocol is stated. Ends the bot's process first, unless tried `beside` it.
    """
    spec = bot.spec
    if not spec.may_be_of_contest or spec.options or not bot.has_process or _is_ours(bot):
        return ""
    limits = spec.own(limits)
    if not beside:
        bot.kill()
    began_s = signals.awake_s()
    for number, contest in enumerate(CONTESTS, 1):
        by_s = began_s + limits.startup_s * number / len(CONTESTS)
        one = replace(spec, protocol=contest, startup_s=None)
        if _speaks(one, bot.tree, limits, game_ids, by_s):
            return contest
    return ""


def _is_ours(bot: Bot) -> bool:
    """Return True if a bot has begun to answer the arena's handshake."""
    begun = bot.begun
    return bool(begun.name or begun.author or begun.games or begun.options or begun.wants)


def _speaks(spec: BotSpec, tree: str, limits: Limits, game_ids: Sequence[str], by_s: float) -> bool:
    """Return True if a bot plays one of the games by the protocol in `spec`."""
    known = CONTESTS[spec.protocol].games or tuple(game_ids) or games.ids()
    watch = watching.Watch()
    bot = bot_of(spec, watch, tree=tree, forgives_hold_ups=True)
    try:
        for id_ in known:
            if signals.awake_s() >= by_s:
                break
            try:
                _play(bot, watch, games.get(id_), limits, by_s)
            except NoAnswerError as error:
                if error.why is not Termination.CRASH:  # trying again after silence takes too long
                    break
            except (_NotOneError, MishapError, GameError, ArenaError):
                continue
            else:
                return True
            finally:
                bot.kill()
    finally:
        bot.kill()
    return False


class _NotOneError(LathError):
    """The bot does not speak the contest's protocol."""


def _play(bot: Bot, watch: watching.Watch, game: Game, limits: Limits, by_s: float) -> None:
    """Ask a bot for its first moves of a game; raises an error if it does not play it."""

    def left_s() -> float:
        return max(0.0, by_s - signals.awake_s())

    setup = game.draw_setup(1)
    position = game.start(setup)
    new = NewGame(
        number=1, game=game.id, side="first", time=TimeControl(move_ms=1000), seed=1, setup=setup
    )
    bot.start(limits)
    bot.begin(new, replace(limits, startup_s=left_s()))
    ply = turns = 0
    while turns < TURNS and not position.is_over:
        ply += 1
        if position.to_move is Side.FIRST:
            turns += 1
            text, _ = bot.ask(position, ply, (0, 0), left_s())
            _, position = read_answer(position, Side.FIRST, text, ply)
            if not CONTESTS[bot.spec.protocol].may_end:
                _refuse_more(bot, watch)
        else:
            move = next(filter(partial(_goes_on, position), position.legal_moves()), None)
            if move is None:
                return
            position = position.play(move)
            bot.news += play_line(ply, move)


def _goes_on(position: Position, move: Move) -> bool:
    """Return True if the first player is to move after a move that is not a swap."""
    after = position.play(move)
    return move != "swap" and not after.is_over and after.to_move is Side.FIRST


def _refuse_more(bot: Bot, watch: watching.Watch) -> None:
    """Raise _NotOneError if a bot writes more than its answer, or answers unread input."""
    until_s = signals.awake_s() + _SETTLED_S
    while signals.awake_s() < until_s and not bot.child.is_gone:
        signals.look()
        watch.wait(until_s)
    if bot.child.lines or bot.child.unfinished or bot.child.has_unread_input:
        raise _NotOneError
