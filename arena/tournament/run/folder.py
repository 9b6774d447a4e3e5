"""A run in a tournament's directory: how it begins or resumes, and what it leaves there."""

from __future__ import annotations

import datetime as dt
import shlex
import time
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import disk_usage
from typing import Final

from lath.arena.directory import (
    CONFIG,
    DATABASE,
    OUTCOME,
    RECORDS,
    REPORT,
    STANDINGS,
    STANDINGS_CSV,
)
from lath.arena.entrants.builds import BuildError, built
from lath.arena.entrants.compiling import compile_first
from lath.arena.entrants.confinement import confined
from lath.arena.errors import (
    ArenaError,
    ConfigError,
    DamagedError,
    DiskError,
    MovedError,
    StoreError,
)
from lath.arena.machine import signals
from lath.arena.machine import system as descriptors
from lath.arena.machine.system import (
    PATIENCE_S,
    ROOM,
    HeldFolder,
    reading_database,
)
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.process_trees import scratches, sweep
from lath.arena.schedule.budget import UNLIMITED, Budget
from lath.arena.schedule.core import Openings
from lath.arena.schedule.random_openings import RandomOpenings
from lath.arena.tournament.configuration import tempo
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.outcome.directories import is_over
from lath.arena.tournament.outcome.notes import (
    begun_in,
    names_of_pool,
    outcome_in,
    snapshot_in,
    write_outcome,
)
from lath.arena.tournament.outcome.page_files import mark_stale
from lath.arena.tournament.outcome.seasons import close
from lath.arena.tournament.outcome.versions import POOL, entered
from lath.arena.tournament.run.beginning import (
    Said,
    begin_in,
    greet_bots,
    seated,
    tree_of,
    when_granted,
)
from lath.arena.tournament.run.benches import Benches, digests_of, resting
from lath.arena.tournament.run.events import Listener, Waiting, Warned, warner
from lath.arena.tournament.run.live import shown
from lath.arena.tournament.run.open_games import OpenGames, book_of, schedule_of
from lath.arena.tournament.run.places import Elsewhere
from lath.arena.tournament.run.progress import RunSummary
from lath.arena.tournament.run.results import published
from lath.arena.tournament.run.resuming import (
    GAMES,
    Files,
    as_begun,
    fingerprints,
    fingerprints_of_games,
    note_provenance,
    refuse_changed,
    resumed,
    watched,
)
from lath.arena.tournament.run.runner import Runner
from lath.arena.tournament.store.anchors import refuse_strangers
from lath.arena.tournament.store.database import (
    CLOSED,
    EVENTS,
    EXPORTED,
    FILES,
    OPENINGS,
    OUTCOME_STATE,
)
from lath.arena.tournament.store.exports import write_whole
from lath.arena.tournament.store.rulings import Orders, given, in_force, keep, rulings_of
from lath.arena.tournament.store.store import LOGS, Store, prepare_folder
from lath.notation.files.files import remove_halves
from lath.reports.notes.notes import Bench, Ruling
from lath.reports.notes.outcome import EventOutcome

STOP_S: Final = 60.0
"""Seconds for standings and report after a signal. Service managers wait for 90 s.

Ten thousand games take some 15 s on one core, nearly all for the report.
"""


def run(
    config: Config,
    folder: Path,
    tell: Listener,
    *,
    force: bool = False,
    with_report: bool = True,
    patience_s: float = PATIENCE_S,
    budget: Budget = UNLIMITED,
    elsewhere: Elsewhere | None = None,
    unbench: Sequence[str] = (),
) -> RunSummary:
    """Play the games that are left of the tournament in `folder`, and write all files there.

    Games are played on this machine, or `elsewhere`. Bots in `unbench` play again even if unchanged
    since they were benched.

    A `budget` limits this run; all files are written then too. Without `with_report` the run writes
    no HTML page. With `force` bots whose files have changed play on.

    If the disk is full, the run waits `patience_s` seconds for room, and then raises DiskError. If
    the machine lacks something else, it waits equally long and raises MachineError.

    Raises StoreError. Raises ConfigError if the folder holds another tournament, if a bot does not
    play one of the games, or if a bot's files have changed without `force`.
    """
    with signals.heeded():
        refuse_snapshot(folder)
        descriptors.ensure(config.jobs)
        with signals.interruptible():
            config = as_begun(config, begun_in(folder))
            if config.format == POOL:  # other formats check it with the configuration
                refuse_strangers(config.anchors, names_of_pool(config.names, folder), CONFIG)
            is_warned = not is_over(folder)  # random openings of slow games may take minutes
            _warn_of_slow_games(config, tell, is_warned=not is_warned)
            book = book_of(config, warner(tell))
        _refuse_files_of_others(folder)
        when_granted(partial(prepare_folder, folder), tell, patience_s)
        machines = closing(elsewhere) if elsewhere else nullcontext()
        with closing(HeldFolder(folder)) as home, pointing_out(folder), machines:
            summary = _played(
                config,
                home,
                book,
                tell,
                force=force,
                patience_s=patience_s,
                budget=budget,
                elsewhere=elsewhere,
                unbench=unbench,
                is_warned=is_warned,
            )
            try:
                if not summary.interrupted:
                    with signals.interruptible():
                        return published(home, summary, with_report=with_report)
                if summary.bots:
                    return _published_at_stop(home, summary, tell, with_report=with_report)
            except KeyboardInterrupt:
                _tell_of_stale(home, tell, "they were not written anew")
            return replace(summary, interrupted=True)


def rule(
    config: Config, folder: Path, orders: Orders, *, with_report: bool = True
) -> tuple[list[Ruling], RunSummary]:
    """Store an organiser's rulings and write standings and report again.

    Return the new rulings and a summary; no game is played. Raises ConfigError and StoreError.
    """
    refuse_snapshot(folder)
    with closing(HeldFolder(folder)) as home, pointing_out(folder):
        with closing(Store(folder)) as store:
            new, rulings = given(store, orders)
            summary = standing(config, store, rulings)  # it may refuse, so it comes first
            mark_stale(folder)
            keep(store, rulings)
        try:
            with closing(Store(folder)) as store:
                _settle_outcome(store, summary.outcome)
            return new, published(home, summary, with_report=with_report)
        except DiskError as error:
            command = f"arena run {shlex.quote(str(folder))}"
            error.more += "; the ruling is kept"
            error.hint = f"when the disk has recovered, write the files with: {command}"
            raise


def standing(config: Config, store: Store, rulings: Sequence[Ruling]) -> RunSummary:
    """Return a summary of a tournament under these rulings; raises ConfigError and StoreError."""
    if config.format == POOL:  # a pool has nothing beyond its crosstable
        known = outcome_in([store.folder]) or EventOutcome(format=POOL)
        return RunSummary(
            done=known.done, total=known.total, stopped={}, interrupted=False, outcome=known
        )
    config = replace(resumed(store, config, store.folder), ruled=in_force(rulings))
    outcome = OpenGames(config, store, tree="", openings=book_of(config, lambda _: None)).outcome()
    return RunSummary(
        done=outcome.done, total=outcome.total, stopped={}, interrupted=False, outcome=outcome
    )


def refuse_snapshot(folder: Path) -> None:
    """Raise ConfigError if a tournament is a snapshot, which must never change."""
    if snapshot := snapshot_in([folder]):
        raise ConfigError(
            f"{folder}: the snapshot {snapshot.name!r} of {snapshot.date[:10]} cannot be changed; "
            "name its tournament"
        )


def _refuse_files_of_others(folder: Path) -> None:
    """Raise ConfigError if files would be lost that no run has written.

    Later checks protect `tournament.toml` and `games.lath`, when more is known about them.
    """
    if (folder / DATABASE).exists() or (folder / RECORDS).exists():
        return
    names = OUTCOME, STANDINGS, STANDINGS_CSV, REPORT
    for path in (*(folder / name for name in names), *(folder / LOGS).glob("game-*.log")):
        if path.exists():
            raise ConfigError(
                f"{path}: was not written by a run and would be lost", hint="--output OTHER"
            )


@contextmanager
def pointing_out(folder: Path) -> Iterator[None]:
    """Add to errors of damage how to resume with the valid games."""
    try:
        yield
    except DamagedError as error:
        check = f"arena check {shlex.quote(str(folder))}"
        raise DamagedError(
            f"{error}; `{check}` counts the valid games; `{check} --sound OUT` copies them to OUT, "
            "and `arena run --output OUT` resumes there"
        ) from error


def _published_at_stop(
    home: HeldFolder, summary: RunSummary, tell: Listener, *, with_report: bool
) -> RunSummary:
    """Publish the stored games after a signal; return the summary with what was published.

    A file that cannot be written then does not change the exit status. Raises MovedError, and
    KeyboardInterrupt at a second signal.
    """
    if signals.requests() > 1:
        raise KeyboardInterrupt
    what = "standings and report" if with_report else "standings"
    words = f"stopping: writing {what} of the games so far; press Ctrl-C again to skip that"
    tell(Waiting(summary.total, lambda: summary.outcome, words))
    until_s = time.monotonic() + STOP_S
    try:
        with signals.raising(2), signals.within(STOP_S):
            now = published(home, summary, with_report=with_report)
        if now.unreported is None:
            return replace(now, interrupted=True)
        wrong = str(now.unreported)
    except KeyboardInterrupt:
        if time.monotonic() < until_s:
            raise
        wrong = f"writing takes longer than {STOP_S:g} s"
    except MovedError:
        raise
    except ArenaError as error:
        wrong = str(error)
    _tell_of_stale(home, tell, wrong)
    if with_report and not (home.path / REPORT).is_file():
        command = shlex.join(["arena", "report", str(home.path), "-o", str(home.path / REPORT)])
        tell(Warned(text=f"no report was written: {wrong}; write one with: {command}"))
    return replace(summary, interrupted=True)


def _tell_of_stale(home: HeldFolder, tell: Listener, why: str) -> None:
    """Warn of files that may lack games."""
    names = (STANDINGS, STANDINGS_CSV, REPORT)
    if found := [name for name in names if (home.path / name).is_file()]:
        tell(Warned(text=f"{', '.join(found)} may lack games: {why}"))


def _played(
    config: Config,
    home: HeldFolder,
    book: Openings | None,
    tell: Listener,
    *,
    force: bool,
    patience_s: float,
    budget: Budget,
    elsewhere: Elsewhere | None,
    unbench: Sequence[str],
    is_warned: bool,
) -> RunSummary:
    """Play the games that are left, and write games and logs."""
    folder = home.path
    if (free := disk_usage(folder).free) < ROOM:
        room = f"{free / 1e6:.1f} MB of free space; a tournament needs {ROOM / 1e6:.0f} MB"
        tell(Warned(text=f"{folder} has only {room}"))
    with closing(when_granted(partial(Store, folder), tell, patience_s)) as store:
        tree = tree_of(folder)
        _tidy(folder, tree, tell)
        with reading_database(folder / DATABASE):  # an old version noted no checksum of it
            config = resumed(store, config, folder)
            config = replace(config, ruled=in_force(rulings_of(store)))
            known = Benches(store).now
        _refuse_unbenching(unbench, known)
        unfit = dict(config.unfit)
        if config.format == POOL:  # the games of a bot that is left out belong to its last version
            config = _of_able_ones(config)
        with signals.interruptible():
            files = fingerprints(bot for bot in config.bots if bot.name not in unfit)
            files |= fingerprints_of_games(config.games)
        with reading_database(folder / DATABASE):
            files |= _files_of_missing(config, store, unfit)
            pool = entered(store, config, files) if config.format == POOL else None
            rules = {GAMES: files[GAMES]} if GAMES in files else {}
            changed = refuse_changed(store, rules if pool else files, force=force, mended=known)
        if pool:
            config, files = pool.config, pool.files
        for new in when_granted(
            partial(begin_in, store, config, files, pool.notes if pool else {}), tell, patience_s
        ):
            if new.setting in config.noted.get(new.bot, ()):  # `changed` reports changed files
                tell(Warned(text=new.words))
        for words in (*(pool.news if pool else ()), *changed):
            tell(Warned(text=words))
        digests = digests_of(config.bots, files)
        rest = resting(known, digests, unbench)
        config, failed = _bots_ready(config, store, tell, elsewhere, {*unfit, *rest})
        unfit |= failed
        if elsewhere is None:  # elsewhere, the bots play as they were sent
            with signals.interruptible():
                seen = [bot for bot in config.bots if bot.name not in {*unfit, *rest}]
                config = _with(config, watched(seen, files))
        today = dt.datetime.now().astimezone().date()  # local time of the organiser
        make = partial(
            Runner,
            config,
            store,
            tell,
            tree=tree,
            tags=(("Event", config.event), ("Date", today.isoformat())),
            openings=book,
            patience_s=patience_s,
            budget=budget,
            places=elsewhere.open if elsewhere else None,
            digests=digests,
        )
        with _remembered(book, store), shown(folder, tell):
            summary = _play(
                make,
                config,
                store,
                tell,
                files=files,
                tree=tree,
                patience_s=patience_s,
                elsewhere=elsewhere,
                rest=rest,
                unfit=unfit,
                is_warned=is_warned,
            )
        return replace(summary, bots=tuple(store.bots()))


def _refuse_unbenching(names: Iterable[str], known: Mapping[str, Bench]) -> None:
    """Raise ConfigError for a bot that is not benched."""
    for name in names:
        if name not in known:
            benched = ", ".join(known) or "none"
            raise ConfigError(f"--unbench: {name!r} is not benched; benched bots: {benched}")


def _of_able_ones(config: Config) -> Config:
    """Return the tournament without bots that cannot be started now."""
    if not config.unfit:
        return config
    rows = [row for row in config.given["bot"] if row["name"] not in config.unfit]
    able = tuple(bot for bot in config.bots if bot.name not in config.unfit)
    return replace(config, bots=able, given={**config.given, "bot": rows})


def _files_of_missing(config: Config, store: Store, unfit: Container[str]) -> Files:
    """Return the noted files of bots whose program is missing, because they may come back."""
    before: Files = store.note(FILES) or {}
    gone = [bot.name for bot in config.bots if bot.lacks or bot.name in unfit]
    if config.format == POOL or not schedule_of(config).plays_without(gone):
        return {}
    return {name: before.get(name, {}) for name in gone}


def _with(config: Config, bots: Iterable[BotSpec]) -> Config:
    """Return a tournament with bots replaced by those of the same names."""
    new = {bot.name: bot for bot in bots}
    return replace(config, bots=tuple(new.get(bot.name, bot) for bot in config.bots))


def _tidy(folder: Path, tree: str, tell: Listener) -> None:
    """Remove what a killed run has left."""
    sweep(tree)  # left by a killed run
    for scratch in scratches(tree):
        tell(Warned(text=f"{scratch}: left by an earlier run, cannot be removed"))
    shared_memory = folder / f"{DATABASE}-shm"  # left by readers of a killed run of 0.1.0
    for place in (folder, folder / LOGS):
        remove_halves(place)
    halves = (*folder.glob(".*.tmp*"), *(folder / LOGS).glob(".*.tmp*"))
    for leftover in (*halves, shared_memory):
        leftover.unlink(missing_ok=True)


def _bots_ready(
    config: Config,
    store: Store,
    tell: Listener,
    elsewhere: Elsewhere | None,
    out: Collection[str],
) -> tuple[Config, dict[str, str]]:
    """Build and sandbox the bots, and return the tournament with them; `tell` hears how.

    It also returns the bots whose builds fail, with reasons, if the others can play without them.
    Bots in `out` do not play.

    Raises ConfigError if a requested sandbox is not possible, and ArenaError if builds fail. Raises
    MachineError if the cluster has no machines.
    """
    closed = sorted({str(store.folder.resolve()), *config.closed, *(store.note(CLOSED) or ())})
    with reading_database(store.folder / DATABASE):
        if closed != store.note(CLOSED):
            store.keep_notes({CLOSED: closed})
    bots = tuple(bot for bot in config.bots if bot.name not in out)
    if elsewhere:
        entered_ = elsewhere.enter(replace(config, bots=bots), closed, tell)
        return replace(_with(config, entered_.bots), jobs=entered_.jobs), {}
    so_far = EventOutcome(format=config.format, event=config.event)

    def says(words: str) -> None:
        tell(Waiting(0, lambda: so_far, words))

    if wrong := compile_first(bots, says):
        tell(Warned(text=wrong))
    failed: dict[str, str] = {}
    make = partial(built, closed=closed, logs=store.folder / LOGS, tell=says)
    try:
        bots = make(bots)
    except BuildError as error:
        failed = dict(error.failed)
        if not schedule_of(config).plays_without({*out, *failed}):
            raise
        bots = make([bot for bot in bots if bot.name not in failed])
    found = confined(bots, closed=closed, at_once=2 * config.jobs)
    for words in found.warnings:
        tell(Warned(text=words))
    if found.note:
        says(found.note)
    return _with(config, found.bots), failed


@contextmanager
def _remembered(book: Openings | None, store: Store) -> Iterator[None]:
    """Recall the random openings of earlier runs, and store new ones afterwards."""
    if not isinstance(book, RandomOpenings):
        yield
        return
    with reading_database(store.folder / DATABASE):
        if known := store.note(OPENINGS):
            book.recall(known)
    yield
    if (made := book.as_note()) != known and made["lines"]:
        with suppress(StoreError):  # the next run generates them again
            store.keep_notes({OPENINGS: made})


def _play(
    make: Callable[[], Runner],
    config: Config,
    store: Store,
    tell: Listener,
    *,
    files: Files,
    tree: str,
    patience_s: float,
    elsewhere: Elsewhere | None,
    rest: Collection[str],
    unfit: Mapping[str, str],
    is_warned: bool,
) -> RunSummary:
    """Play until nothing is left or the run is stopped; write the logs and the outcome."""
    with signals.interruptible():
        runner = make()
    when_granted(partial(write_outcome, store.folder, runner.summary().outcome), tell, patience_s)
    try:
        out = {*config.ruled.bots, *rest, *unfit}
        names = [name for name in config.names if name not in out]
        found: Said = (
            elsewhere.greeted(names)
            if elsewhere
            else greet_bots(config, names, tell, tree, patience_s)
        )
        said = seated(config, runner, found, tell, unfit=unfit)
        if not runner.summary().is_complete:
            _warn_of_slow_games(config, tell, is_warned=is_warned)
            when_granted(partial(mark_stale, store.folder), tell, patience_s)
            with reading_database(store.folder / DATABASE):
                hosts = elsewhere.about() if elsewhere else ()
                when_granted(
                    partial(note_provenance, store, config, files, said, hosts), tell, patience_s
                )
        answered = int(runner.run().interrupted)
        for number, text in store.logs():  # the database has them too, so a signal may stop this
            if signals.requests() > answered:
                raise KeyboardInterrupt
            write_whole(store.folder / LOGS / f"game-{number}.log", [text.encode()])
        summary = runner.summary()
        if config.format == POOL and not summary.interrupted:
            _note_event(store, config, summary)
    except KeyboardInterrupt:
        sweep(tree)  # a bot may be in its handshake
        known = runner.summary()  # it may lack games, which are stored before they count
        summary = replace(
            make().summary(), stopped=known.stopped, notes=known.notes, interrupted=True
        )
        summary = replace(summary, benched=known.benched, newly_benched=known.newly_benched)
    except BaseException:
        with suppress(StoreError):  # the first error is the one to report
            _settle_outcome(store, runner.summary().outcome)
        raise
    try:
        _settle_outcome(store, summary.outcome)
    except MovedError:
        raise
    except StoreError as error:  # the next run writes it
        tell(Warned(text=str(error)))
    return summary


def _warn_of_slow_games(config: Config, tell: Listener, *, is_warned: bool) -> None:
    """Warn of games whose rules are too slow for the bots' time, unless that was done."""
    if is_warned:
        return
    with signals.interruptible():
        for words in tempo.warnings(config):
            tell(Warned(text=words))


def _note_event(store: Store, config: Config, summary: RunSummary) -> None:
    """Note the end of match days, and of an event of a pool, if they are over.

    If that fails, the next run does it.
    """
    with suppress(StoreError):
        if config.season and not summary.is_spent:
            close(store, config)
        events, last = store.note(EVENTS) or [], store.last_number()
        if (summary.is_complete or summary.is_spent) and last > max(events, default=0):
            store.keep_notes({EVENTS: [*events, last]})


def _settle_outcome(store: Store, outcome: EventOutcome) -> None:
    """Write the outcome when no game will be added; raises StoreError.

    Programs that follow a run take it for over when the store is closed, so this comes before.
    """
    notes = {OUTCOME_STATE: write_outcome(store.folder, outcome)}
    store.keep_notes(notes | ({EXPORTED: store.exported} if store.exported else {}))
