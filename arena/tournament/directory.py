"""A tournament's directory: what is in it, how a run begins or resumes there, what it leaves.

Must not know the screen.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import tomli_w

from lath.arena.errors import ArenaError, ConfigError, GameVoidError, StoreError
from lath.arena.referee.bot import Bot
from lath.arena.referee.trees import sweep
from lath.arena.referee.watch import Watch
from lath.arena.tournament import descriptors
from lath.arena.tournament.agenda import book_of, schedule_of
from lath.arena.tournament.config import Config
from lath.arena.tournament.disk import ROOM, free_bytes, writing_error
from lath.arena.tournament.fingerprints import fingerprints
from lath.arena.tournament.keeper import PATIENCE_S
from lath.arena.tournament.observer import Observer, Summary
from lath.arena.tournament.outcomes import keep, outcome_in, outcome_of
from lath.arena.tournament.pages import REPORT, shard_folder, write_page
from lath.arena.tournament.resuming import identity_of, refuse_changed, resumed
from lath.arena.tournament.runner import Runner
from lath.arena.tournament.signals import ignore, on_signals
from lath.arena.tournament.sources import records_of
from lath.arena.tournament.store import Store
from lath.notation.files import sync, write_atomically
from lath.reports.outcome import Outcome

CONFIG: Final = "tournament.toml"
LOGS: Final = "logs"


def run(
    config: Config,
    folder: Path,
    observer: Observer,
    *,
    force: bool = False,
    patience_s: float = PATIENCE_S,
) -> Summary:
    """Play what is left of a tournament in `folder` and write everything there.

    On a full disk it waits `patience_s` for room, and then raises DiskError.

    Raises StoreError, and ConfigError when the folder holds another tournament, a bot does not
    play one of the games or, unless `force` is set, a bot's files have changed since it played.
    """
    with on_signals(_interrupt):
        summary = _played(config, folder, observer, force=force, patience_s=patience_s)
        if summary.interrupted:
            return summary
        try:
            return published(folder, summary)
        except KeyboardInterrupt:
            return replace(summary, interrupted=True)


def _interrupt() -> None:
    raise KeyboardInterrupt


def _played(
    config: Config, folder: Path, observer: Observer, *, force: bool, patience_s: float
) -> Summary:
    """Play what is left, keep the games and the logs."""
    descriptors.ensure(config.jobs)
    openings = book_of(config)
    prepare_folder(folder)
    _warn_of_little_room(folder, observer)
    store = Store(folder)
    try:
        tree = _tree(folder)
        _clear_leftovers(folder, tree)
        config = resumed(store, config, folder)
        files = fingerprints(config.bots)
        changed = refuse_changed(store, files, force=force)
        _begin(store, config, folder)
        store.keep_files(files)
        for words in changed:
            observer.warned(f"{words}; its games so far were played by another program")
        tags = (("Event", config.event), ("Date", _today()))
        make = partial(
            Runner,
            config,
            store,
            observer,
            tree=tree,
            tags=tags,
            openings=openings,
            patience_s=patience_s,
        )
        summary = _play(make, config, store, observer, tree=tree)
        return replace(summary, bots=tuple(store.bots()))
    finally:
        store.close()


def _play(
    make: Callable[[], Runner], config: Config, store: Store, observer: Observer, *, tree: str
) -> Summary:
    """Play until nothing is left or somebody stops it; keep the logs, and how it stands."""
    runner = make()
    keep(store.folder, outcome_of(config, runner.summary()))
    try:
        _greet_bots(config, observer, tree)
        if runner.run().interrupted:
            ignore()  # whoever asks again is answered already
        for number, text in store.logs():
            _write(store.folder / LOGS / f"game-{number}.log", text)
        summary = runner.summary()
    except KeyboardInterrupt:
        ignore()
        summary = _interrupted(runner.summary(), make)
    except BaseException:
        with suppress(StoreError):  # what came first is what people should hear of
            _settle_outcome(store, outcome_of(config, runner.summary()))
        raise
    try:
        _settle_outcome(store, outcome_of(config, summary))
    except StoreError as error:  # the next run does it
        observer.warned(f"{error}")
    return summary


def _interrupted(told: Summary, make: Callable[[], Runner]) -> Summary:
    """Return how a run ended that was ordered to stop, perhaps between storing and counting."""
    stored = make().summary()
    return replace(stored, stopped=told.stopped, notes=told.notes, interrupted=True)


def _tree(folder: Path) -> str:
    """Return how the marks of all processes of this tournament begin, in every run of it."""
    return hashlib.sha256(bytes(folder.resolve())).hexdigest()[:16] + "."


def _clear_leftovers(folder: Path, tree: str) -> None:
    """Remove what runs that were killed have left: files half written, processes, scratch."""
    sweep(tree)
    for leftover in (*folder.glob(".*.tmp*"), *(folder / LOGS).glob(".*.tmp*")):
        leftover.unlink(missing_ok=True)


def _warn_of_little_room(folder: Path, observer: Observer) -> None:
    free = free_bytes(folder)
    if free < ROOM:
        observer.warned(
            f"{folder} has room for {free / 1e6:.1f} MB, a tournament should have {ROOM / 1e6:.0f}"
        )


def _today() -> str:
    """Return the organiser's date."""
    return dt.datetime.now().astimezone().date().isoformat()


def prepare_folder(folder: Path) -> None:
    """Make the tournament's directory, which a power cut does not undo; raises StoreError."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        (folder / LOGS).mkdir(parents=True, exist_ok=True)
        for path in new:
            sync(path.parent)
    except OSError as error:
        raise writing_error(folder, error, "made") from error


def _begin(store: Store, config: Config, folder: Path) -> None:
    """Write down what is played; raises ConfigError where a file of the user's would be lost."""
    ours, theirs = identity_of(config), store.tournament()
    text = tomli_w.dumps(config.as_written)
    if theirs is None and (folder / CONFIG).is_file() and (folder / CONFIG).read_text() != text:
        raise ConfigError(
            f"{folder / CONFIG} was not written by a run, and would be lost; choose another --out"
        )
    _write(folder / CONFIG, text)
    if theirs != ours:
        store.begin(ours)
    store.keep_outcome_state(is_current=False)
    if store.rounds() != config.rounds:
        store.keep_rounds(config.rounds)


def _greet_bots(config: Config, observer: Observer, tree: str) -> None:
    """Start each bot once: refuse one that lacks a game, warn of one that does not start."""
    watch = Watch()
    for spec in config.bots:
        bot = Bot(spec, watch, tree=tree)
        try:
            bot.start(config.limits)
            _refuse_misfit(bot, config)
        except GameVoidError as error:
            bot.kill()
            if schedule_of(config).keeps_walkovers:
                raise ArenaError(
                    f"{error}; in a {config.format} all its games would be lost for good: mend it "
                    "or take it out"
                ) from error
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


def _settle_outcome(store: Store, outcome: Outcome) -> None:
    """Write how it stands when no game will be added; raises StoreError.

    Whoever follows the run takes it for over once the store is closed: so it comes before.
    """
    keep(store.folder, outcome)
    store.keep_outcome_state(is_current=True)


def published(folder: Path, summary: Summary) -> Summary:
    """Write standings and report of the games in `folder`; return the summary with both.

    A report that cannot be made costs nothing else. Raises StoreError.
    """
    from lath.reports.standings import standings
    from lath.reports.standings.export import to_csv, to_json

    table = standings.compute(records_of([folder]))
    as_json = json.dumps(to_json(table), indent=2, ensure_ascii=False) + "\n"
    _write(folder / "standings.json", as_json)
    _write(folder / "standings.csv", to_csv(table))
    summary = replace(summary, standings=table)
    try:
        _write_report(folder)
    except ArenaError:
        raise
    except Exception as error:  # noqa: BLE001 - games of plugins have their say in it
        return replace(summary, unreported=error)
    return summary


def _write_report(folder: Path) -> None:
    from lath.reports.page.page import render

    page = render(
        records_of([folder]),
        outcome=outcome_in([folder]),
        shard_folder=shard_folder(folder / REPORT).name,
    )
    try:
        write_page(folder / REPORT, page)
    except OSError as error:
        raise writing_error(folder / REPORT, error) from error


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, [text.encode()])
    except OSError as error:
        raise writing_error(path, error) from error
