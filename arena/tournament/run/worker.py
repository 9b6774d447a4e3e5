"""A worker process: it gets pairs of games and returns their results as text.

Any `concurrent.futures.Executor` that carries jobs and texts of `PairResult` can replace it.

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
"""The most bots that a worker keeps running between pairs."""

MOST_HOLD_UPS: Final = 20
"""The most restarts of a game because the machine was paused, before the game is void."""

_PR_SET_PDEATHSIG: Final = 1

NO_THREAD: Final = 75
"""The exit status of a worker that cannot start its second thread."""

Job = tuple[Callable[[object], str], object] | None
"""A function and its argument; None asks the worker to end its bots and itself."""


HELD_UP: Final = "the machine paused for a while"

BOARDS_A_S: Final = 10
"""Boards per second that a worker shows at most over a long time."""

BURST: Final = 20
"""Boards that a worker can show at once, so that the last one before a long think is seen."""


class LiveBoard:
    """Shows the game that this process plays, in a file that is overwritten in place.

    Replacing the file each time took fifteen times as long.
    """

    def __init__(self, folder: str) -> None:
        """Show in the folder `live`, from the first ply on."""
        self._path: Final = f"{folder}/{os.getpid()}.json"
        self._file = -1
        self._credit = float(BURST)
        self._at_s = signals.awake_s()
        self.due_s = 0.0
        """When a game can be shown again, on the monotonic clock."""
        self.is_blank = True
        """True before the first game. Later games wait for their first answer: until then the file
        has the end of the game before."""

    def __call__(self, book: Scorebook) -> None:
        """Show the current game, if not too many boards were shown recently."""
        now_s = signals.awake_s()
        self._credit = min(BURST, self._credit + (now_s - self._at_s) * BOARDS_A_S)
        self._at_s = now_s
        if self._credit >= 1:
            self._credit -= 1
            self.is_blank = False
            self._write(json.dumps(book.glimpse(), ensure_ascii=False).encode())
        self.due_s = now_s + max(0.0, 1 - self._credit) / BOARDS_A_S

    def _write(self, data: bytes) -> None:
        """Write a line if possible: the run itself deals with a full disk."""
        with contextlib.suppress(OSError):
            if self._file >= 0 and not os.fstat(self._file).st_nlink:  # deleted by another run
                os.close(self._file)
                self._file = -1
            if self._file < 0:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o666)
            os.pwrite(self._file, line_of_a_board(data), 0)


def line_of_a_board(data: bytes) -> bytes:
    """Return a line of JSON, prefixed by its CRC-32 in eight hexadecimal digits.

    A reader that meets the middle of a write sees a wrong sum. Bytes after the line are from
    earlier games.
    """
    return b"%08x %b\n" % (crc32(data), data)


class _Team:
    """The bots that this process keeps running."""

    def __init__(self) -> None:
        self.watch = Watch()
        self.notes: list[str] = []
        """Remarks on bots that are in no result yet."""
        self.voids: dict[frozenset[str], GameVoidError] = {}
        """Pairings that failed here, with errors; their waiting jobs are not tried."""
        self.spent: set[str] = set()
        """Bots for which a game was void, here or elsewhere, although they can be started."""
        self.watched: set[str] = set()
        """Bots of games in which the machine was paused or a bot lost on time."""
        self.boards: dict[str, LiveBoard] = {}
        """Live boards by folder."""
        self._bots: dict[str, Bot] = {}
        self._stubborn: set[str] = set()
        """Names of bots that did not end when asked; they get no more time."""

    def get(self, spec: BotSpec, tree: str) -> Bot:
        """Return the bot, which may not be running yet."""
        if (bot := self._bots.pop(spec.name, None)) is None or bot.spec != spec:
            if bot is not None:
                self._end([bot])
            bot = bot_of(spec, self.watch, tree=tree)
        self._bots[spec.name] = bot
        return bot

    def board(self, folder: str) -> LiveBoard | None:
        """Return the live board for a folder; None for an empty name."""
        if folder and folder not in self.boards:
            self.boards[folder] = LiveBoard(folder)
        return self.boards.get(folder)

    def trim(self, most: int) -> bool:
        """End the bots unused for longest, until at most `most` are left.

        Return whether there were more.
        """
        spare = list(self._bots)[: max(0, len(self._bots) - most)]
        self._end([self._bots.pop(name) for name in spare])
        return bool(spare)

    def take_notes(self) -> tuple[str, ...]:
        """Return and clear the remarks."""
        notes, self.notes = tuple(self.notes), []
        return notes

    def _end(self, bots: list[Bot]) -> None:
        """Ask bots to end, all at once, so that they share the same second."""
        for bot, until_s in zip(bots, [bot.ask_to_leave() for bot in bots], strict=True):
            if not bot.leave(0.0 if bot.name in self._stubborn else until_s):
                self._stubborn.add(bot.name)
            if bot.parting_note:
                self.notes.append(f"{bot.name} {bot.parting_note}")


@functools.cache
def _own_team() -> _Team:
    """Return the team of this process; bots outlive jobs."""
    return _Team()


def _own_tree(tree: str) -> str:
    """Return the mark of processes that this one starts for the run marked `tree`."""
    return f"{tree}{os.getpid()}."


def play_pair(job: PairJob) -> str:
    """Play the games of a job and return a PairResult as text.

    A void game is played again with new processes. A bot that can be started may cause one void
    game per tournament; then it loses. A bot that cannot be started ends the pair with its second
    void game, and with it all waiting pairs of these bots. If the machine lacks something, that
    counts against no bot.
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
    """A bot to start once for its handshake."""

    bot: BotSpec
    limits: Limits
    games: tuple[str, ...]
    """Game types that it must play."""

    tree: str


def greet_bot(job: GreetJob) -> str:
    """Start a bot and end it; return its handshake and its problems as JSON.

    The key `void` is why it could not be started, `wrong` why it cannot play, both without the name
    in `bot`. The key `words` is the latter as a sentence, and `lack` is what the machine lacks.
    They are empty without a problem.
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
    """Return why a game cannot be played here, such as a changed game file, or None.

    Files are read only now, because this worker may have started later than the run.
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
    """Play a game, again after a void one; return the result and the number of void games.

    Raises GameVoidError if it is void a second time for the same bot or for the machine.
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
    """Play a game, and restart it if the machine was paused.

    Raises GameVoidError, and MachineError if the machine lacks something. Both end all processes of
    the bots.
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
            team.notes.append(f"{why}; the arena plays a game again")
        except MachineError as error:
            if error.spoilt or not team.trim(len(bots)):  # idle bots may hold what is lacking
                raise
        else:
            if played.termination == Termination.TIME:
                team.watched.update(plan.names)
            return played
    raise GameVoidError(Cause(f"this machine paused the arena {MOST_HOLD_UPS} times in a game"))


def _play_once(plan: GamePlan, bots: tuple[Bot, Bot], job: PairJob, team: _Team) -> GameResult:
    """Play a game once.

    Raises MachineError if the machine lacks something, also if that may have made bots break off.
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
    except Exception as error:  # it may be a bug in the arena
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
    """Raise MachineError for a bot's failure if the machine lacks something.

    The bot has ended and its scratch folder is removed, so the bot does not cause the shortage.
    """
    try:
        with may_start:
            process_trees.refuse_if_lacking(_own_tree(job.tree))
    except MachineError as error:
        error.spoilt = mishap
        raise


def _try_to_start(bots: tuple[Bot, Bot], job: PairJob) -> None:
    """Start bots that do not run, if the machine can; raises MachineError."""
    with may_start:
        process_trees.refuse_if_lacking(_own_tree(job.tree))
    for bot in bots:
        if not bot.is_running:
            try:
                bot.start(job.limits)
            except GameVoidError:  # playing the game reports it
                bot.kill()


def main() -> None:
    """Play jobs from standard input until it ends; answer on standard output.

    Arguments: the mark of the run, the folder of scratch folders, and the cores to stay on. The
    cores are numbers separated by commas, empty for any. Each Job is pickled. Each answer is a
    line, and the last line has remarks on bots as JSON.
    """
    tree, scratch, cores = sys.argv[1:4]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process_trees.settle(scratch)
    _stay_on([int(core) for core in cores.split(",") if core])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # keep other output out of the answers
    process_trees.adopt_orphans()
    close_to_others()
    _go_on_without_runner()
    jobs: SimpleQueue[Job] = SimpleQueue()
    listener = threading.Thread(target=_listen, args=(jobs, tree), daemon=True)
    try:
        listener.start()
    except RuntimeError:  # the system limits threads like processes
        sys.exit(NO_THREAD)
    # Exempt imported objects from collection, and return the memory of their import.
    gc.collect()
    gc.freeze()
    gc.enable()
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):  # a C library other than GNU's
            ctypes.CDLL(None).malloc_trim(0)
    try:
        with signals.pausable(has_shell=False):
            while (job := jobs.get()) is not None:
                play, argument = job
                print(play(argument), file=answers, flush=True)
        team = _own_team()
        team.trim(0)
        print(json.dumps(team.take_notes()), file=answers, flush=True)
    except BrokenPipeError:  # the runner has died: the listener ends everything
        listener.join()
    process_trees.sweep(_own_tree(tree))


def _go_on_without_runner() -> None:
    """Let the kernel continue this process if the runner dies while both are stopped.

    Otherwise it would stay for ever, with its bots.
    """
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGCONT)


def _stay_on(cores: list[int]) -> None:
    """Keep this process and its bots on these cores, if any and if still allowed."""
    if cores and hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, cores)


def _listen(jobs: SimpleQueue[Job], tree: str) -> None:
    """Queue jobs as they come; if the runner dies, end all processes of this worker."""
    is_orderly = False
    source = os.fdopen(0, "rb", closefd=False)
    try:
        while job := pickle.load(source):  # noqa: S301 - from the process that started this one
            jobs.put(job)
        jobs.put(None)
        is_orderly = True
    except (EOFError, pickle.UnpicklingError):  # the runner has died, perhaps while sending a job
        start_no_more()  # otherwise the other thread would replace dead bots
        process_trees.sweep(_own_tree(tree))
    finally:
        if not is_orderly:
            os._exit(1)


if __name__ == "__main__":
    main()
