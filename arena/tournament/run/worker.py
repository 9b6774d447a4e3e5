"""What happens in a worker process: a pair of games in, its result as text out.

These and the text of `PairResult` are the seam between a tournament and its workers: any
`concurrent.futures.Executor` that carries them will do.

`slots.py` starts it and holds the other ends of its pipes.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import json
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Final
from zlib import crc32

from lath import games
from lath.arena.errors import (
    Cause,
    GameVoidError,
    HeldUpError,
    MachineError,
    RulesVoidError,
    UnfitBotError,
)
from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.bridges import bot_of
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot
from lath.arena.referee.match import play_game
from lath.arena.referee.process import may_start, start_no_more
from lath.arena.referee.recognition import introduce
from lath.arena.referee.record import GamePlan, GameResult, Scorebook
from lath.arena.referee.watch import Watch
from lath.arena.sandbox.limits import close_to_others
from lath.arena.tournament.store.jobs import PairJob, PairResult
from lath.games.core import Result
from lath.games.errors import UnknownGameError
from lath.notation.record.tags import Termination

KEPT_BOTS: Final = 4
"""Bots that a worker keeps running between pairs."""

MOST_HOLD_UPS: Final = 20
"""Times that a game is begun again because the machine stood still, before it counts as void."""

_PR_SET_PDEATHSIG: Final = 1

NO_THREAD: Final = 75
"""What a worker exits with that may not have its second thread."""

Job = tuple[Callable[[object], str], object] | None
"""A function and its argument; None: the worker shall end its bots politely, and itself."""


HELD_UP: Final = "the machine stood still for a while"

BOARDS_A_S: Final = 10
"""Boards that a worker shows a second, when it plays fast for long."""

BURST: Final = 20
"""Boards in a row that are shown however fast they come: who has stopped to think shows where."""


class LiveBoard:
    """Shows the game that this process plays, in a file that is written over again and again.

    A whole file each time took fifteen times as long.
    """

    def __init__(self, folder: str) -> None:
        """Take the folder `live`; nothing is shown before the first ply."""
        self._path: Final = f"{folder}/{os.getpid()}.json"
        self._file = -1
        self._credit = float(BURST)
        self._at_s = signals.awake_s()
        self.due_s = 0.0
        """When a game is shown again, on the monotonic clock."""

    def __call__(self, book: Scorebook) -> None:
        """Show the game that is taken down there, unless it was just shown too often."""
        now_s = signals.awake_s()
        self._credit = min(BURST, self._credit + (now_s - self._at_s) * BOARDS_A_S)
        self._at_s = now_s
        if self._credit >= 1:
            self._credit -= 1
            self._write(json.dumps(book.glimpse(), ensure_ascii=False).encode())
        self.due_s = now_s + max(0.0, 1 - self._credit) / BOARDS_A_S

    def _write(self, data: bytes) -> None:
        """Write a line, or leave it: a full disk is the run's trouble, not this one's."""
        with contextlib.suppress(OSError):
            if self._file >= 0 and not os.fstat(self._file).st_nlink:  # of a run before this one
                os.close(self._file)
                self._file = -1
            if self._file < 0:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o666)
            os.pwrite(self._file, line_of_a_board(data), 0)


def line_of_a_board(data: bytes) -> bytes:
    """Return a line of JSON and before it its CRC-32 in eight hexadecimal digits.

    That tells who reads it whether he met the middle of a write. What follows is of earlier games.
    """
    return b"%08x %b\n" % (crc32(data), data)


class _Team:
    """The bots that this process keeps running."""

    def __init__(self) -> None:
        self.watch = Watch()
        self.notes: list[str] = []
        """What is odd about bots, in no result yet."""
        self.voids: dict[frozenset[str], GameVoidError] = {}
        """Pairings that were stopped here, and why; what waits of them is not tried."""
        self.spent: set[str] = set()
        """Bots that a game was void for, here or elsewhere, though they can be started."""
        self.watched: set[str] = set()
        """Bots of games in which the machine stood still, or somebody lost by time."""
        self.boards: dict[str, LiveBoard] = {}
        """What shows games, by folder."""
        self._bots: dict[str, Bot] = {}
        self._stubborn: set[str] = set()
        """Names of bots that did not end when asked to; they are not waited for again."""

    def get(self, spec: BotSpec, tree: str) -> Bot:
        """Return the bot, which may not run yet."""
        if (bot := self._bots.pop(spec.name, None)) is None or bot.spec != spec:
            if bot is not None:
                self._end([bot])
            bot = bot_of(spec, self.watch, tree=tree)
        self._bots[spec.name] = bot
        return bot

    def board(self, folder: str) -> LiveBoard | None:
        """Return what shows games in a folder, if there is one."""
        if folder and folder not in self.boards:
            self.boards[folder] = LiveBoard(folder)
        return self.boards.get(folder)

    def trim(self, most: int) -> bool:
        """Keep so many bots at most; end those that were not used for longest, politely.

        Return whether there were more.
        """
        spare = list(self._bots)[: max(0, len(self._bots) - most)]
        self._end([self._bots.pop(name) for name in spare])
        return bool(spare)

    def take_notes(self) -> tuple[str, ...]:
        """Return what was noted since the last time."""
        notes, self.notes = tuple(self.notes), []
        return notes

    def _end(self, bots: list[Bot]) -> None:
        """Tell bots to end, all at once, so that they have the same second for it."""
        for bot, until_s in zip(bots, [bot.ask_to_leave() for bot in bots], strict=True):
            if not bot.leave(0.0 if bot.name in self._stubborn else until_s):
                self._stubborn.add(bot.name)
            if bot.parting_note:
                self.notes.append(f"{bot.name} {bot.parting_note}")


@functools.cache
def _own_team() -> _Team:
    """Return the one team of this process: bots outlive a job."""
    return _Team()


def _own_tree(tree: str) -> str:
    """Return the mark of what this process starts for the run that is marked `tree`."""
    return f"{tree}{os.getpid()}."


def play_pair(job: PairJob) -> str:
    """Play the games of a job and return a PairResult as text.

    A void game is played again with fresh processes. A bot that can be started has one in a
    tournament, then it loses; one that cannot ends the pair by its second, and all pairs of these
    bots that wait here. What the machine lacks is a void of nobody.
    """
    team = _own_team()
    team.spent |= job.spent
    results: list[GameResult] = []
    voided, lack = 0, ""
    cause: Cause | None = None
    void = team.voids.get(job.pairing) or _without_rules(job.games)
    if void is None:
        one, other = (team.get(spec, _own_tree(job.tree)) for spec in job.bots)
        try:
            if not job.games:
                _try_to_start((one, other), job)
            for plan in job.games:
                bots = (one, other) if one.name == plan.names[0] else (other, one)
                played, voids = _play_out(plan, bots, job, team)
                results.append(played)
                voided += voids
        except MachineError as error:
            lack, cause = str(error), error.spoilt
        except GameVoidError as error:
            void = error
            if error.bot:
                team.voids[job.pairing] = error
        team.trim(0 if lack else KEPT_BOTS)
        process_trees.reap_orphans()
    team.watch.rest()
    return PairResult(
        pair=job.pair,
        games=tuple(results),
        void=cause if void is None else void.cause,
        void_bot="" if void is None else void.bot,
        lack=lack,
        voided=voided,
        spent=tuple(sorted((team.spent & job.pairing) - job.spent)),
        notes=team.take_notes(),
    ).as_text()


@dataclass(frozen=True, slots=True, kw_only=True)
class GreetJob:
    """A bot that is started once, so that it says what it is."""

    bot: BotSpec
    limits: Limits
    games: tuple[str, ...]
    """Those that it has to play."""

    tree: str


def greet_bot(job: GreetJob) -> str:
    """Start a bot and end it; return as JSON what it says of itself, and what is wrong with it.

    `void` is why it could not be started, `wrong` why it cannot play, both without the name in
    `bot`, and `lack` what the machine lacks; else they are empty. `words` says the second in a
    sentence.
    """
    bot = bot_of(job.bot, Watch(), tree=_own_tree(job.tree))
    said = dict.fromkeys(("void", "wrong", "words", "bot", "hint", "lack"), "")
    try:
        introduce(bot, job.limits, job.games)
    except UnfitBotError as error:
        said |= {"wrong": error.reason, "words": str(error), "bot": error.bot}
    except GameVoidError as error:
        bot.kill()
        said |= {"void": error.reason, "bot": error.cause.bot, "hint": error.hint}
        try:
            process_trees.refuse_if_lacking(_own_tree(job.tree))
        except MachineError as lack:
            said["lack"] = str(lack)
    except MachineError as error:
        said["lack"] = str(error)
    finally:
        bot.quit()
    greeting = bot.greeting
    said |= {"name": greeting.name, "author": greeting.author, "version": greeting.version}
    return json.dumps(said)


def _without_rules(plans: Iterable[GamePlan]) -> GameVoidError | None:
    """Return why a game cannot be played here, such as one of a file that has changed; else None.

    Files are read when they are needed: this worker may be a later one.
    """
    try:
        for plan in plans:
            games.get(plan.game)
    except UnknownGameError as error:
        return GameVoidError(Cause(str(error)))
    return None


def _play_out(
    plan: GamePlan, bots: tuple[Bot, Bot], job: PairJob, team: _Team
) -> tuple[GameResult, int]:
    """Play a game, again where it is void; return how often it was.

    Raises GameVoidError where it is void a second time for the same bot, or the machine.
    """
    voids: list[str] = []
    while True:
        try:
            return _play_through(plan, bots, job, team), len(voids)
        except GameVoidError as error:
            if error.bot in voids or isinstance(error, RulesVoidError):
                raise
            voids.append(error.bot)
            for bot in bots:
                if bot.name == error.bot and (bot.has_been_greeted or bot.name in job.started):
                    team.spent.add(bot.name)


def _play_through(plan: GamePlan, bots: tuple[Bot, Bot], job: PairJob, team: _Team) -> GameResult:
    """Play a game, from its start again where the machine stood still.

    Raises GameVoidError, and MachineError where the machine lacks something: both leave no process
    of the bots.
    """
    late: list[str] = []
    for _ in range(MOST_HOLD_UPS):
        for bot in bots:
            bot.is_watched = bot.name in team.watched
            bot.times_late = late.count(bot.name)
        try:
            played = _play_once(plan, bots, job, team)
        except HeldUpError as error:
            team.watched.update(plan.names)
            late.append(error.late)
            why = f"{error.late} was late, and computed" if error.late else HELD_UP
            team.notes.append(f"{why}; a game was begun again")
        except MachineError as error:
            if error.spoilt or not team.trim(len(bots)):  # who is only kept may have what they lack
                raise
        else:
            if played.termination == Termination.TIME:
                team.watched.update(plan.names)
            return played
    raise GameVoidError(Cause(f"this machine paused the arena {MOST_HOLD_UPS} times in a game"))


def _play_once(plan: GamePlan, bots: tuple[Bot, Bot], job: PairJob, team: _Team) -> GameResult:
    """Play a game.

    Raises MachineError also where bots have broken it off, and may have met what is lacking.
    """
    try:
        played = play_game(
            plan,
            bots,
            job.limits,
            team.watch,
            adjudication=job.adjudication,
            keep_log=job.keeps_logs,
            spent=team.spent,
            show=team.board(job.live),
        )
    except Exception as error:  # it may be a slip of ours
        for bot in bots:
            bot.kill()
        if isinstance(error, GameVoidError):
            _excuse(error.cause, job)
        raise
    if played.termination == Termination.CRASH:
        loser = plan.names[played.result is Result.FIRST_WON]
        _excuse(Cause(f"{loser} crashed in game {plan.number}"), job)
    return played


def _excuse(mishap: Cause, job: PairJob) -> None:
    """Raise MachineError for what a bot did where the machine lacks something.

    The bot has ended, and its scratch folder is gone: what that held was its own.
    """
    try:
        with may_start:
            process_trees.refuse_if_lacking(_own_tree(job.tree))
    except MachineError as error:
        error.spoilt = mishap
        raise


def _try_to_start(bots: tuple[Bot, Bot], job: PairJob) -> None:
    """Start bots that do not run, as far as that is the machine's to grant; raises MachineError."""
    with may_start:
        process_trees.refuse_if_lacking(_own_tree(job.tree))
    for bot in bots:
        if not bot.is_running:
            try:
                bot.start(job.limits)
            except GameVoidError:  # the game will tell
                bot.kill()


def main() -> None:
    """Play what comes on standard input until it ends; answer on standard output.

    Arguments: the mark of the run, the folder of scratch folders, the cores to stay on (numbers
    with commas between them; empty: any). Each Job comes pickled, each answer is a line, and the
    last one is what was odd about bots, as JSON.
    """
    tree, scratch, cores = sys.argv[1:4]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process_trees.settle(scratch)
    _stay_on([int(core) for core in cores.split(",") if core])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing else may come between the answers
    process_trees.adopt_orphans()
    close_to_others()
    _go_on_without_runner()
    jobs: SimpleQueue[Job] = SimpleQueue()
    listener = threading.Thread(target=_listen, args=(jobs, tree), daemon=True)
    try:
        listener.start()
    except RuntimeError:  # the system counts threads as it does processes
        sys.exit(NO_THREAD)
    # What was imported stays out of the collector's way; what it was made of is given back.
    gc.collect()
    gc.freeze()
    gc.enable()
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):  # a C library that is not GNU's
            ctypes.CDLL(None).malloc_trim(0)
    try:
        with signals.pausable(has_shell=False):
            while (job := jobs.get()) is not None:
                play, argument = job
                print(play(argument), file=answers, flush=True)
        team = _own_team()
        team.trim(0)
        print(json.dumps(team.take_notes()), file=answers, flush=True)
    except BrokenPipeError:  # the runner is gone: the listener ends everything
        listener.join()
    process_trees.sweep(_own_tree(tree))


def _go_on_without_runner() -> None:
    """Have this process continued when the runner ends while both are stopped.

    It would be left for ever else, with its bots.
    """
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGCONT)


def _stay_on(cores: list[int]) -> None:
    """Keep this process and its bots on these cores, if any; not where they were taken away."""
    if cores and hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, cores)


def _listen(jobs: SimpleQueue[Job], tree: str) -> None:
    """Hand jobs over as they come; where the runner is gone, end all processes of this worker."""
    is_orderly = False
    source = os.fdopen(0, "rb", closefd=False)
    try:
        while job := pickle.load(source):  # noqa: S301 - from the process that started this one
            jobs.put(job)
        jobs.put(None)
        is_orderly = True
    except (EOFError, pickle.UnpicklingError):  # the runner is gone, perhaps amid a job
        start_no_more()  # the other thread would put new bots in the place of dead ones
        process_trees.sweep(_own_tree(tree))
    finally:
        if not is_orderly:
            os._exit(1)


if __name__ == "__main__":
    main()
