"""A tournament's directory: what is in it, how a run begins or resumes there, what it leaves.

Must not know the screen.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tomli_w

from arena.bot import Bot
from arena.config import Config
from arena.errors import ConfigError, GameVoidError, StoreError
from arena.runner import Observer, Runner, Summary
from arena.signals import on_signals
from arena.sources import records_of
from arena.store import Store
from arena.trees import sweep
from arena.watch import Watch
from notation.files import write_atomically

if TYPE_CHECKING:
    from reports.standings import Standings

CONFIG: Final = "tournament.toml"
LOGS: Final = "logs"


def run(config: Config, folder: Path, observer: Observer) -> Summary:
    """Play what is left of a tournament in `folder` and write everything there.

    Raises StoreError, and ConfigError when the folder holds another tournament or a bot does not
    play one of the games.
    """
    with on_signals(_interrupt):
        summary = _played(config, folder, observer)
        if not summary.interrupted:
            try:
                return replace(summary, standings=publish(folder))
            except KeyboardInterrupt:
                return replace(summary, interrupted=True)
    return summary


def _interrupt() -> None:
    raise KeyboardInterrupt


def _played(config: Config, folder: Path, observer: Observer) -> Summary:
    """Play what is left, keep the games and the logs."""
    prepare_folder(folder)
    store = Store(folder)
    try:
        tree = _tree(folder)
        _clear_leftovers(folder, tree)
        _begin(store, config, folder)
        runner = Runner(config, store, observer, tree=tree)
        try:
            _greet_bots(config, observer, tree)
            runner.run((("Event", config.event), ("Date", _today())))
        except KeyboardInterrupt:
            return replace(runner.summary(), interrupted=True)
        for number, text in store.logs():
            _write(folder / LOGS / f"game-{number}.log", text)
        return runner.summary()
    finally:
        store.close()


def _tree(folder: Path) -> str:
    """Return how the marks of all processes of this tournament begin, in every run of it."""
    return hashlib.sha256(bytes(folder.resolve())).hexdigest()[:16] + "."


def _clear_leftovers(folder: Path, tree: str) -> None:
    """Remove what runs that were killed have left: files half written, processes, scratch."""
    sweep(tree)
    for leftover in (*folder.glob(".*.tmp*"), *(folder / LOGS).glob(".*.tmp*")):
        leftover.unlink(missing_ok=True)


def _today() -> str:
    """Return the organiser's date."""
    return dt.datetime.now().astimezone().date().isoformat()


def prepare_folder(folder: Path) -> None:
    """Make the tournament's directory; raises StoreError."""
    try:
        (folder / LOGS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made: {error.strerror}") from error


def _begin(store: Store, config: Config, folder: Path) -> None:
    """Write the configuration into a directory without games, or compare it with that there."""
    ours = json.loads(json.dumps(config.identity()))
    theirs = store.tournament()
    if theirs is not None and theirs != ours and store.finished():
        different = [key for key in ours if ours[key] != theirs.get(key)]
        raise ConfigError(
            f"{folder} holds a tournament with another configuration ({', '.join(different)}); "
            "choose another --out, or leave these flags out to resume it"
        )
    text = tomli_w.dumps(config.as_written)
    if theirs is None and (folder / CONFIG).is_file() and (folder / CONFIG).read_text() != text:
        raise ConfigError(
            f"{folder / CONFIG} was not written by a run, and would be lost; choose another --out"
        )
    _write(folder / CONFIG, text)
    if theirs != ours:
        store.begin(ours)


def _greet_bots(config: Config, observer: Observer, tree: str) -> None:
    """Start each bot once: refuse one that lacks a game, warn of one that does not start."""
    watch = Watch()
    for spec in config.bots:
        bot = Bot(spec, watch, tree=tree)
        try:
            bot.start(config.limits)
            _refuse_misfit(bot, config)
        except GameVoidError as error:
            observer.warned(f"{error}")
        finally:
            bot.quit()


def _refuse_misfit(bot: Bot, config: Config) -> None:
    missing = [game for game in config.games if game not in bot.games]
    if missing:
        known = ", ".join(sorted(bot.games)) or "no game"
        raise ConfigError(
            f"bot {bot.name!r} does not play {', '.join(missing)}: it says that it plays {known}"
        )
    for wrong in bot.wrong_options():
        raise ConfigError(f"bot {bot.name!r}: {wrong}")


def publish(folder: Path) -> Standings:
    """Write standings and report of the games in `folder`, return the standings.

    Raises StoreError.
    """
    from reports import page, standings

    records = list(records_of([folder]))
    table = standings.compute(records)
    as_json = json.dumps(standings.to_json(table), indent=2, ensure_ascii=False) + "\n"
    _write(folder / "standings.json", as_json)
    _write(folder / "standings.csv", standings.to_csv(table))
    _write(folder / "report.html", page.render(records))
    return table


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, [text.encode()])
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


def stored_config(folder: Path) -> dict[str, Any] | None:
    """Return the configuration of a tournament that was begun in `folder`; None if none was."""
    from arena.config import read_toml

    path = folder / CONFIG
    return read_toml(path) if path.is_file() else None
