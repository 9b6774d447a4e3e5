"""Start of a run in a directory: its files, its bots' handshakes, its notes."""

from __future__ import annotations

import hashlib
import shlex
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from lath.arena.directory import CONFIG, DATABASE
from lath.arena.entrants.compiling import uncompiled
from lath.arena.errors import (
    ArenaError,
    BotError,
    ConfigError,
    DiskError,
    GameVoidError,
    MachineError,
    UnfitBotError,
)
from lath.arena.machine import signals
from lath.arena.machine.system import ENOUGH, Patience, reading_database
from lath.arena.referee.bots import Greeting
from lath.arena.referee.bridges import bot_of
from lath.arena.referee.conversation import Bot
from lath.arena.referee.process_trees import refuse_if_lacking
from lath.arena.referee.recognition import introduce
from lath.arena.referee.watch import Watch
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.configuration.typed import advised
from lath.arena.tournament.outcome.versions import POOL
from lath.arena.tournament.run.events import Listener, Warned, warner
from lath.arena.tournament.run.open_games import schedule_of
from lath.arena.tournament.run.resuming import Files, NotedChange, note_changes
from lath.arena.tournament.run.runner import WAKE_S, Runner
from lath.arena.tournament.store.database import EXPORTED, OUTCOME_STATE, ROUNDS, WRITTEN
from lath.arena.tournament.store.exports import write_whole
from lath.arena.tournament.store.store import Store


def tree_of(folder: Path) -> str:
    """Return the prefix of the marks of all processes of this tournament, the same in every run.

    It identifies the present directory: another directory at its path has other processes.
    """
    found = folder.stat()
    return hashlib.sha256(b"%d:%d" % (found.st_dev, found.st_ino)).hexdigest()[:16] + "."


def begin_in(
    store: Store, config: Config, files: Files, more: Mapping[str, object]
) -> list[NotedChange]:
    """Store what is played with `more` notes; return the settings that have changed.

    Raises ConfigError if a file of the user would be lost.
    """
    import tomlkit  # start-up time

    path = store.folder / CONFIG
    text = (config.text or tomlkit.dumps(config.as_written)).encode()
    before = path.read_bytes() if path.is_file() else b""
    if before != text:
        if before and before != config.read.encode():
            _refuse_to_lose(path, before, store, config)
        write_whole(path, [text])
    with reading_database(path.with_name(DATABASE)):
        notes, new = note_changes(store, config, files)
    notes |= {ROUNDS: config.rounds, OUTCOME_STATE: False, EXPORTED: None, **more}
    notes[WRITTEN] = hashlib.sha256(text).hexdigest()
    store.begin(config.identity(), notes)
    return new


def _refuse_to_lose(path: Path, text: bytes, store: Store, config: Config) -> None:
    """Raise ConfigError if a configuration is the user's own work."""
    if config.read:
        raise ConfigError(
            f"{path}: was edited after this run had read it", hint="start the run again"
        )
    if store.tournament() is None:
        raise ConfigError(
            f"{path}: was not written by a run and would be lost", hint="--output OTHER"
        )
    written = store.note(WRITTEN)
    if config.format == POOL and written not in (None, hashlib.sha256(text).hexdigest()):
        raise ConfigError(
            f"{path}: was edited since a run wrote it and would be lost",
            hint=f"arena run {shlex.quote(str(path.parent))}",
        )


Said = Mapping[str, Greeting | BotError]
"""Handshakes by bot, or the errors why bots cannot play."""


def greet_bots(
    config: Config, names: Iterable[str], tell: Listener, tree: str, patience_s: float
) -> Said:
    """Start each bot once; return the handshakes, and errors for bots that cannot play.

    If the machine lacks something, this waits, and raises MachineError after too long.
    """
    watch = Watch()
    said: dict[str, Greeting | BotError] = {}
    for spec in (bot for bot in config.bots if bot.name in names):
        signals.look()
        bot = bot_of(spec, watch, tree=tree)
        wrong = when_granted(partial(_greet, bot, config, tree), tell, patience_s, well=ENOUGH)
        said[spec.name] = wrong or bot.greeting
    return said


def _greet(bot: Bot, config: Config, tree: str) -> BotError | None:
    """Start a bot and end it; return why it cannot play, or None. Raises MachineError."""
    try:
        introduce(bot, config.limits, config.games)
    except GameVoidError as error:
        bot.kill()
        refuse_if_lacking(tree)
        return error
    except UnfitBotError as error:
        return error
    finally:
        if signals.requests():  # a stopping run does not wait for the bot
            bot.kill()
        bot.quit()
    return None


def seated(
    config: Config,
    runner: Runner,
    said: Said,
    tell: Listener,
    *,
    unfit: Mapping[str, str],
) -> dict[str, Greeting]:
    """Bench bots that cannot play and unbench those that can; return the handshakes of the latter.

    `unfit` has the reasons why bots cannot even be started. If benching leaves too few bots, it
    raises ArenaError for faults that need a fix, and warns of others.
    """
    greetings = {name: one for name, one in said.items() if isinstance(one, Greeting)}
    wrong = {name: advised(one) for name, one in said.items() if not isinstance(one, Greeting)}
    for name in runner.benched:
        if name in greetings:
            runner.unbench(name)
            again = "again" if runner.has_games(name) else "now"
            tell(Warned(text=f"{name} was benched and plays {again}"))
    out = {name: error.reason for name, error in wrong.items()} | dict(unfit)
    if out and not runner.may_bench(out):
        _refuse_unfit(config, wrong, unfit, tell)
    else:
        for name, why in out.items():
            runner.bench(name, why)
            if name in wrong and wrong[name].hint:
                tell(Warned(text=f"{name}: {wrong[name].hint}"))
    if slow := uncompiled(greetings, config.bots):
        tell(Warned(text=slow))
    return greetings


def _refuse_unfit(
    config: Config, wrong: Mapping[str, BotError], unfit: Mapping[str, str], tell: Listener
) -> None:
    """Warn of bots that do not start; raises ArenaError for faults that need a fix."""
    lines = [
        *(f"bot {name!r}: {why}" for name, why in unfit.items()),
        *(str(error) for error in wrong.values() if isinstance(error, UnfitBotError)),
    ]
    if lines:
        raise ConfigError("\n".join(lines))
    for error in wrong.values():
        assert isinstance(error, GameVoidError)
        if schedule_of(config).keeps_walkovers:
            raise ArenaError(
                f"{error.message}; in a {config.format}, this bot would lose all its games",
                hint=error.hint or "fix the bot, or remove it from the tournament",
            ) from error
        text = f"{error.message}; hint: {error.hint}" if error.hint else error.message
        tell(Warned(text=text, bot=error.cause.bot, what=error.cause.event))


def when_granted(
    do: Callable[[], Done], tell: Listener, patience_s: float, *, well: str = "the disk has room"
) -> Done:
    """Call `do` until disk and machine have what it needs, and return its result.

    `well` is the message when they have it again. Raises DiskError and MachineError.
    """
    patience = Patience(warner(tell), patience_s, well=well)
    while True:
        try:
            done = do()
        except DiskError as error:
            if not error.is_full or not patience.refused(f"{error}; waiting for room"):
                raise
        except MachineError as error:
            patience.lacks(error)
        else:
            patience.granted()
            return done
        while not patience.is_due:
            signals.look()
            time.sleep(WAKE_S)


Done = TypeVar("Done")
