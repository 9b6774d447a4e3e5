"""The steps of a check, each with the bot's task and a test; `CHAPTERS` contains all of them.

A step may raise FaultFoundError and NoAnswerError. Steps that play use `lab.game`.
"""

from __future__ import annotations

import contextlib
import math
import random
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Final

from lath import DOCUMENTATION, games
from lath.arena.botcheck.lab import FLUSH, Bout, Lab
from lath.arena.botcheck.points import (
    CheckFinding,
    FaultFoundError,
    Verdict,
    duration,
    fault,
    note,
    ok,
    untested,
    warning,
)
from lath.arena.errors import TYPED
from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.referee.bots import Lines
from lath.arena.referee.clock import MARGIN_S
from lath.arena.referee.conversation import CLEAN, NoAnswerError
from lath.arena.referee.recognition import looks_like, recognised
from lath.games.core import SIDES, Move, Result, Side
from lath.games.errors import count_of
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record.tags import Termination
from lath.notation.text.suggestions import is_game

_Run = Callable[[Lab], CheckFinding | None]

_WARNING: Final = Verdict.WARNING


@dataclass(frozen=True, slots=True)
class CheckStep:
    """The test of one point of the protocol."""

    id: str
    """Name of the point in docs/how-to/check-a-bot.md."""

    asks: str
    """The bot's task, as a sentence without its subject."""

    run: _Run
    """Runs the test; returns None if it does not apply to the game."""

    at_worst: Verdict = Verdict.FAULT
    """Verdict if the bot breaks off the session."""

    is_asked: Callable[[TimeControl], object] | None = None
    """Tells whether a time control needs this point. If it does not, a failure is only a note.
    Default: each one does."""

    def worst_at(self, asked: TimeControl | None) -> Verdict:
        """Return the worst verdict for a bot that must be fit for a time control."""
        if asked is None or self.is_asked is None or self.is_asked(asked):
            return self.at_worst
        return Verdict.NOTE


HELLO: Final[list[CheckStep]] = []
"""Steps about the handshake; the later ones depend on it."""

READY: Final[list[CheckStep]] = []
EACH_GAME: Final[list[CheckStep]] = []
TIMES: Final[list[CheckStep]] = []
"""Steps that run in one game type, because a bot's use of time does not depend on the rules."""

BESIDE: Final[list[CheckStep]] = []
"""More steps that run in one game type."""

HEARD: Final[list[CheckStep]] = []
"""Steps about the output in all sessions, which come after the games."""

ENDINGS: Final[list[CheckStep]] = []


def _step(
    steps: list[CheckStep],
    id_: str,
    asks: str,
    at_worst: Verdict = Verdict.FAULT,
    is_asked: Callable[[TimeControl], object] | None = None,
) -> Callable[[_Run], _Run]:
    """Return a decorator that adds a function to `steps` as a step."""

    def added(run: _Run) -> _Run:
        steps.append(CheckStep(id_, asks, run, at_worst, is_asked))
        return run

    return added


# The handshake


@_step(HELLO, "starts", "can be started")
def _starts(lab: Lab) -> CheckFinding:
    lab.open()
    return ok("process started")


@_step(HELLO, "hello", "answers `arena 1` with `ok`")
def _says_ok(lab: Lab) -> CheckFinding:
    within_s = lab.limits.startup_s
    try:
        lab.bot.greet(within_s)
    except NoAnswerError as error:
        found = lab.fault_of(error)
        if contest := recognised(lab.bot, lab.limits, lab.games, beside=True):
            options = ("--protocol", contest)
            _, _, *typed = TYPED.get() or ("", "", "--", *lab.bot.spec.command)
            command = shlex.join(("arena", "bot", "check", *options, *typed))
            mend = f"{looks_like(contest, ' '.join(options))}: {command}"
            raise FaultFoundError(
                replace(found.finding, mend=mend), is_costly=found.is_costly
            ) from error
        raise found from error
    seen = f"after {duration(lab.bot.greeting.after_s)}"
    if lab.bot.greeting.after_s > within_s / 2:
        return warning(
            f"{seen}, of {duration(within_s)} allowed",
            "write `ok` first, and load large data before `ready`, which has its own limit",
        )
    return ok(seen)


@_step(HELLO, "banner", "writes nothing else before `ok`")
def _has_no_banner(lab: Lab) -> CheckFinding:
    if not (banner := lab.bot.greeting.banner):
        return ok("nothing else")
    return note(f"{len(banner)} other lines (ignored), such as {banner[0][:60]!r}")


@_step(HELLO, "name", "gives its name: `id name …`")
def _has_a_name(lab: Lab) -> CheckFinding:
    if name := lab.bot.greeting.name:
        return ok(name)
    return warning("no name", "write `id name NAME` before `ok`")


@_step(HELLO, "games", "names the games that it plays: `game …`")
def _names_games(lab: Lab) -> CheckFinding:
    named, known = lab.bot.greeting.games, games.ids()
    if not named:
        return fault(
            "no `game` line", f"write `game ID …` before `ok`, with any of {', '.join(known)}"
        )
    if unasked := [game for game in lab.games if not lab.bot.greeting.plays(game)]:
        return fault(
            f"it does not name {', '.join(unasked)}, only {', '.join(named)}",
            f"write `game {' '.join(unasked)}`, too, or check other games",
        )
    unknown = [game for game in named if not is_game(game)]
    mend = f"name games that are installed here: {', '.join(known)}"
    if len(unknown) == len(named):
        return fault(f"it plays only {', '.join(unknown)}, which are not installed", mend)
    if unknown:
        return warning(f"{', '.join(unknown)} are not installed", mend)
    return ok(", ".join(named))


@_step(HELLO, "options", "names its options so that they can be set")
def _names_options(lab: Lab) -> CheckFinding:
    options = lab.bot.greeting.options.values()
    wrong = [*lab.bot.greeting.bad_options, *filter(None, map(odd_option, options))]
    if wrong:
        return warning(
            "; ".join(wrong)[:300],
            "write `option name N type T default V`, for `spin` with `min` and `max`, for `combo` "
            "with `var` for each choice",
        )
    return ok(", ".join(option.name for option in options) or "no options")


def odd_option(option: wire.Option) -> str:
    """Return the error in an option that could be read, or an empty text.

    >>> odd_option(wire.Option("depth", "spin", "9", 1, 8))
    "option depth: default '9' is not a whole number from 1 to 8"
    """
    if option.type == "combo" and not option.choices:
        return f"option {option.name}: a combo without a `var` for each choice"
    if option.default is not None and (expected := option.wrong_with(option.default)):
        return f"option {option.name}: default {option.default!r} is not {expected}"
    return ""


@_step(HELLO, "wants", "wants only what exists: `legal`, `position`, `ponder`")
def _wants_what_there_is(lab: Lab) -> CheckFinding:
    wants = lab.bot.greeting.wants
    if unknown := [what for what in wants if what not in wire.WANTS]:
        return warning(
            f"wants {', '.join(unknown)}, which does not exist",
            f"`want` takes {', '.join(wire.WANTS)}",
        )
    return ok(", ".join(wants) or "wants nothing")


# Ready for games


@_step(READY, "ready", "answers `new ID …` with `ready ID`")
def _is_ready(lab: Lab) -> CheckFinding:
    lab.running()  # one process for both games must survive the first
    slowest_s = max(map(lab.ready_s, SIDES))
    return ok(f"after {duration(slowest_s)}, also after an unfinished game")


@_step(READY, "setoption", "accepts the defaults of its options")
def _takes_defaults(lab: Lab) -> CheckFinding:
    if wrong := lab.bot.wrong_options():
        return fault(
            "; ".join(wrong), "set only options that the bot names, to values that they accept"
        )
    options = lab.bot.greeting.options.values()
    bot = lab.running()
    plain = [o for o in options if o.default is not None and o.type != "button"]
    for option in plain:
        if option.name not in bot.spec.options:
            bot.say(wire.setoption_line(option.name, option.default))
    if not plain:
        return ok("nothing to set")
    lab.ready_s()
    return ok(f"{len(plain)} set, then `ready`")


@_step(READY, "option-edges", "accepts the limits of its options", _WARNING)
def _takes_edges(lab: Lab) -> CheckFinding:
    options = lab.bot.greeting.options.values()
    tried = [(option.name, value) for option in options for value in edges_of(option)][:40]
    if not tried:
        return ok("nothing to set")
    lab.open(memory_bytes=4 << 30)  # keeps the largest table from exhausting the machine
    lab.bot.greet(lab.limits.startup_s)
    for name, value in tried:
        lab.bot.say(wire.setoption_line(name, value))
        lab.ready_s()
    lab.drop()
    return ok(f"{len(tried)} values set, then `ready`")


def edges_of(option: wire.Option) -> list[str]:
    """Return the extreme values of an option; empty if it has none.

    >>> edges_of(wire.Option("depth", "spin", "3", 1, 8))
    ['1', '8']
    """
    if option.type == "check":
        return ["true", "false"]
    if option.type == "combo":
        return list(option.choices)
    return [str(bound) for bound in (option.minimum, option.maximum) if bound is not None]


# Games with the time control of the check


SHORT: Final = 2
"""Turns of the bot in each of several short games."""

SWAP: Final = Move("swap")


def _whole(lab: Lab, side: Side) -> CheckFinding:
    bout = Bout(lab, side).play_out()
    if bout.resigned and len(bout.moves) == 1:
        return warning(
            bout.words(),
            "does the bot know this game and its own turn? It resigned before its first move",
        )
    return note(bout.words()) if bout.resigned else ok(bout.words())


for _side in SIDES:
    _step(EACH_GAME, _side.word, f"plays a whole game as {_side.word}")(partial(_whole, side=_side))


@_step(EACH_GAME, "setup", "begins with any setup")
def _knows_setups(lab: Lab) -> CheckFinding | None:
    if not lab.game.has_setups:
        return None
    drawn = Bout(lab, seed=lab.seed + 1).play_out(turns=SHORT)
    Bout(lab, is_plain=True).play_out(turns=SHORT)
    return ok(f"began with the setup {drawn.setup} and without one")


@_step(EACH_GAME, "position", "begins in any position")
def _knows_positions(lab: Lab) -> CheckFinding:
    chance = random.Random(f"{lab.game.id} {lab.seed}")
    walk = [lab.game.start(lab.game.draw_setup(lab.seed))]
    for _ in range(5):
        after = walk[-1].play(chance.choice(walk[-1].legal_moves()))
        walk.append(walk[0] if after.is_over else after)
    for position, is_bots_turn in ((walk[4], True), (walk[5], False), (walk[5], True)):
        side = position.to_move if is_bots_turn else position.to_move.other
        Bout(lab, side, position=position.text()).play_out(turns=SHORT)
    return ok("began in three positions, on its own turn and on the opponent's")


@_step(EACH_GAME, "book", "continues after book moves of both sides")
def _follows_a_book(lab: Lab) -> CheckFinding:
    for side, plies in ((Side.FIRST, 4), (Side.SECOND, 5)):
        bout = Bout(lab, side)
        for _ in range(plies):
            if not bout.is_over:
                bout.reply()
        bout.play_out(turns=SHORT)
    return ok("continued after 4 and 5 book plies")


@_step(EACH_GAME, "swap-offered", "decides whether to swap")
def _answers_an_offer(lab: Lab) -> CheckFinding | None:
    swapped = 0
    for index in range(3):
        bout = Bout(lab, Side.SECOND, seed=index)
        bout.reply()
        if SWAP not in bout.position.legal_moves():
            bout.finish()
            return None
        swapped += bout.ask() == SWAP
        bout.play_out(turns=SHORT + 1)
    return ok(f"swapped in {swapped} of 3 games and continued")


@_step(EACH_GAME, "swap-suffered", "continues when the opponent swaps")
def _bears_a_swap(lab: Lab) -> CheckFinding | None:
    bout = Bout(lab)
    bout.ask()
    if bout.is_over or SWAP not in bout.position.legal_moves():
        bout.finish()
        return None
    bout.play(SWAP)
    bout.play_out(turns=SHORT + 1)
    return ok("continued after `play 2 swap`")


# Time


_LONG_MS: Final = 1000
"""Time of a move that is interrupted."""

_MOVE_MS: Final = 100
_NODES: Final = 50
_CLOCK_MS: Final = 1000
"""Default times."""

LITTLE_MS: Final = 50

IDLE_S: Final = 0.3

TURNS: Final = 5


def _asked(lab: Lab) -> TimeControl:
    """Return the time control that the user named, or one without a limit."""
    return lab.asked or TimeControl()


def _long(lab: Lab) -> TimeControl:
    """Return a time per move that is long enough to interrupt the bot."""
    return TimeControl(move_ms=max(_LONG_MS, _asked(lab).move_ms))


def _short(lab: Lab) -> TimeControl:
    """Return a time per move."""
    return TimeControl(move_ms=_asked(lab).move_ms or _MOVE_MS)


def _nodes(lab: Lab) -> TimeControl:
    return TimeControl(nodes=_asked(lab).nodes or _NODES)


_has_moves, _has_nodes = attrgetter("move_ms"), attrgetter("nodes")


def _slowest(
    lab: Lab, time: TimeControl, *, seconds: float, seats: Sequence[Side] = SIDES, of_ms: int = 0
) -> CheckFinding:
    bouts = [Bout(lab, seat, time=time).play_out(seconds=seconds) for seat in seats]
    had = f" of {duration(of_ms / 1000)}" if of_ms else ""
    return ok(f"slowest move {duration(max(bout.slowest_s for bout in bouts))}{had}")


@_step(TIMES, "move-time", "keeps a fixed time per move: `tc move MS`", is_asked=_has_moves)
def _keeps_move_time(lab: Lab) -> CheckFinding:
    time = _short(lab)
    return _slowest(lab, time, seconds=1.5, of_ms=time.move_ms)


@_step(TIMES, "nodes", "plays with `tc nodes N`", is_asked=_has_nodes)
def _plays_by_nodes(lab: Lab) -> CheckFinding:
    return _slowest(lab, _nodes(lab), seconds=1.0)


@_step(
    TIMES,
    "no-limit",
    "plays with `tc none`",
    is_asked=lambda time: not (time.has_clock or time.move_ms or time.nodes),
)
def _plays_without_limit(lab: Lab) -> CheckFinding:
    return ok(Bout(lab, time=TimeControl()).play_out(seconds=1.5).words())


@_step(
    TIMES,
    "no-increment",
    "keeps a clock without increment",
    is_asked=lambda time: time.has_clock and not time.increment_ms,
)
def _keeps_a_clock(lab: Lab) -> CheckFinding:
    time = TimeControl(initial_ms=_asked(lab).initial_ms or _CLOCK_MS)
    return _slowest(lab, time, seconds=2.0, seats=(Side.SECOND,), of_ms=time.initial_ms)


FIRST_MOVE: Final = TimeControl(initial_ms=10_000, first_ms=150)


@_step(
    TIMES,
    "first-move",
    "keeps the time limit of its first move: `new … first MS tc …`",
    is_asked=lambda time: time.first_ms or time.move_ms,
)
def _keeps_first_move(lab: Lab) -> CheckFinding:
    asked = _asked(lab)
    time = replace(asked, first_ms=asked.first_ms or asked.move_ms)
    time = time if time.first_ms else FIRST_MOVE
    bouts = [Bout(lab, side, time=time).play_out(turns=SHORT) for side in SIDES]
    slowest, then = duration(max(bout.slowest_s for bout in bouts)), replace(time, first_ms=0)
    return ok(f"slowest move {slowest}, the first of {time.first_ms} ms, then `tc {then.words()}`")


@_step(
    TIMES,
    "little-time",
    f"answers in time with {LITTLE_MS} ms left",
    _WARNING,
    is_asked=lambda time: time.has_clock,
)
def _answers_in_a_hurry(lab: Lab) -> CheckFinding:
    bout = Bout(lab, time=TimeControl(initial_ms=2000)).play_out(turns=TURNS, left_ms=LITTLE_MS)
    seen = f"slowest move {duration(bout.slowest_s)} with {LITTLE_MS} ms left"
    if bout.slowest_s > LITTLE_MS / 1000 + MARGIN_S:
        return warning(
            seen, "keep some time in reserve, and answer at once when little time is left"
        )
    return ok(seen)


@_step(TIMES, "stop", "answers soon after `stop`", _WARNING)
def _stops(lab: Lab) -> CheckFinding:
    time = _long(lab)
    bout = Bout(lab, time=time)
    if not bout.begin_to_think():
        bout.finish()
        return ok("answers before the arena can stop it")
    after_s = bout.stop(time.move_ms / 1000 + MARGIN_S + 1.0)
    bout.finish()
    seen = f"answered {duration(after_s)} after `stop`"
    if after_s <= 0.3:  # a bot that listens while it thinks is that fast
        return ok(seen)
    return warning(
        seen,
        "read lines while you think and answer `stop` at once; a bot that cannot read while it "
        "thinks may ignore this: games only end later",
    )


@_step(TIMES, "sudden-end", "accepts a `result` while it thinks")
def _bears_a_sudden_end(lab: Lab) -> CheckFinding:
    bout = Bout(lab, time=_long(lab))
    if bout.begin_to_think():  # a late answer is allowed
        lab.bot.asides.forgiven = [b"bestmove", b"%d" % bout.ply]
    bout.end(Result.FIRST_WON, Termination.CRASH, wire.STOP)
    try:
        after = Bout(lab, time=_long(lab), is_next=True)
    except NoAnswerError as error:
        found = lab.fault_of(error)
        found.finding = replace(
            found.finding,
            seen=f"{found.finding.seen}, after `{lab.go}`, `stop` and `result`",
            mend="a game can end while you think: keep reading, and answer the next `new`",
        )
        raise found from error
    finally:
        lab.bot.asides.forgiven = []
    after.ask()
    after.finish()
    return ok("ready for the next game, and playing it")


@_step(
    TIMES,
    "ponder",
    "answers in time when it may think on the opponent's turn",
    is_asked=_has_moves,
)
def _ponders(lab: Lab) -> CheckFinding | None:
    bot = lab.running()
    if wire.PONDER not in bot.greeting.wants:
        return None
    time = _short(lab)
    bout = Bout(lab, time=time)
    for _ in range(TURNS):
        if bout.is_over:
            break
        if bout.position.to_move is bout.side:
            bout.ask()
        else:
            bot.let_ponder(bout.ply)
            lab.listen(0.05)
            bout.reply()
    bout.finish()
    return ok(f"slowest move {duration(bout.slowest_s)} of {duration(time.move_ms / 1000)}")


@_step(TIMES, "seed", "plays the same with the same seed and nodes", is_asked=_has_nodes)
def _repeats_itself(lab: Lab) -> CheckFinding:
    played = []
    for _ in range(2):
        lab.drop()
        played.append(Bout(lab, time=_nodes(lab)).play_out(seconds=math.inf, turns=TURNS).moves)
    if played[0] == played[1]:
        return ok(f"the same {count_of(len(played[0]), 'move')} twice")
    return note(
        f"{' '.join(played[0])}, then {' '.join(played[1])}",
        "derive all random numbers from the seed of `new` to make games repeatable",
    )


@_step(TIMES, "rest", "does not compute on the opponent's turn", _WARNING)
def _rests(lab: Lab) -> CheckFinding:
    if sys.platform != "linux":
        return untested("only Linux reports how much a process computes")
    bout = Bout(lab)
    bout.ask()
    if bout.is_over:
        bout.finish()
        return untested("the game was over after its first move")
    pid = lab.bot.child.pid
    lab.listen(0.05)
    before_s = _computed_s(pid)
    lab.listen(IDLE_S)
    busy_s = _computed_s(pid) - before_s
    bout.finish()
    if busy_s <= IDLE_S / 3:  # more would not be cleanup
        return ok(f"computed {duration(busy_s)} of {duration(IDLE_S)}")
    return warning(
        f"computed {duration(busy_s)} in {duration(IDLE_S)} of the opponent's turn",
        "wait for input with a blocking read: computing on the opponent's turn takes the "
        "opponent's processor",
    )


def _computed_s(pid: int) -> float:
    """Return the processor time of a process and its descendants, in seconds.

    It includes the time of waiting for a processor if the system reports that, since on a busy
    machine most of the time may be waiting.
    """
    pids, waited_ns = process_trees.descendants(pid), 0
    for each in pids:
        with contextlib.suppress(OSError):  # the process has ended
            waited_ns += int(Path(f"/proc/{each}/schedstat").read_bytes().split()[1])
    return process_trees.used_s(pids) + waited_ns / 1e9


# Robustness


UNKNOWN: Final = ("weather fine", "go*", "pingpong 3", "x" * 1000)


@_step(BESIDE, "unknown-lines", "ignores unknown lines")
def _ignores_unknown_lines(lab: Lab) -> CheckFinding:
    lab.running().say(*UNKNOWN)
    Bout(lab).play_out(seconds=math.inf, turns=SHORT, before_go=UNKNOWN)
    return ok(f"continued after {' and '.join(map(repr, UNKNOWN[:2]))}")


@_step(BESIDE, "spaces", "reads lines with CRLF and extra spaces", _WARNING)
def _bears_blanks(lab: Lab) -> CheckFinding:
    bot, start = lab.running(), lab.game.start()
    new = lab.new_game(time=_long(lab))
    within_s = min(2.0, lab.limits.startup_s)
    wanted = [f"position {start.text()}", f"legal {' '.join(start.legal_moves())}"]
    lines = [line for line in wanted if line.split()[0] in bot.greeting.wants]
    lab.go = wire.go_line(1, new.time, 0, 0)
    try:
        bot.call(f"ready {new.number}", within_s, "", _wide(new.line()), "  ", end="\r\n")
        asked_s = bot.say("", *map(_wide, [*lines, lab.go]), end="\r\n")
        bot.await_move(1, asked_s, 2 * new.time.move_ms / 1000)
    except NoAnswerError as error:
        return warning(
            lab.fault_of(error).finding.seen,
            "split lines at any number of spaces, ignore a CR at the end and skip empty lines; a "
            "person who tests the bot by hand types these",
        )
    bot.say(wire.result_line(new.number, Result.DRAWN, "adjudication"))
    return ok("read the first lines of a game correctly")


def _wide(line: str) -> str:
    return f" {line.replace(' ', '  ')} "


@_step(BESIDE, "ping", "answers `ping K` with `pong K` between games")
def _answers_pings(lab: Lab) -> CheckFinding:
    Bout(lab).play_out(seconds=2.0, turns=1)
    bot = lab.running()
    try:
        after_s = bot.call("pong 4711", 0.5, "ping 4711")
    except NoAnswerError as error:
        return warning(
            lab.fault_of(error).finding.seen,
            f"answer `ping K` with `pong K` between games; {FLUSH}",
        )
    return ok(f"after {duration(after_s)}")


@_step(BESIDE, "many-games", "plays several games in a row")
def _plays_several_games(lab: Lab) -> CheckFinding:
    child = lab.running().child
    for index in range(4):
        Bout(lab, SIDES[index % 2], seed=index).play_out(seconds=2.0, turns=SHORT)
        lab.listen(0.05)
        if lab.running().child is not child:
            return fault(
                "ends after a game",
                "wait for the next `new` after `result`; a process plays many games until `quit`",
            )
    return ok("4 games in one process")


# Output in all sessions


def _counted(lines: Lines, mend: str, fine: str) -> CheckFinding:
    if not lines.number:
        return ok(fine)
    examples = ", ".join(repr(line[:80]) for line in lines.first[:3])
    seen = f"{count_of(lines.number, 'line')}, such as {examples}"
    return warning(seen, mend) if mend else note(seen)


@_step(HEARD, "stray-lines", "writes nothing unasked")
def _says_nothing_else(lab: Lab) -> CheckFinding:
    return _counted(
        lab.bot.asides.strays,
        "write to standard output only lines of the protocol and one `bestmove` for each `go`; "
        "write everything else to standard error or as `info text …`",
        "nothing else",
    )


@_step(HEARD, "info", "writes valid comments: `info …`")
def _comments_well(lab: Lab) -> CheckFinding:
    mend = (
        "`info` takes `depth N`, `eval X` from -1 (lost) to 1 (won), `nodes N`, then `pv MOVE …` "
        "from the position it thinks about, or `text …`"
    )
    number = lab.bot.asides.info_lines
    return _counted(lab.bad_infos, mend, count_of(number, "line") if number else "no `info`")


@_step(HEARD, "move-text", "writes moves in canonical notation")
def _writes_moves_plainly(lab: Lab) -> CheckFinding:
    return _counted(
        lab.odd_moves, f"write moves as in {DOCUMENTATION}explanation/rules/", "all moves"
    )


@_step(HEARD, "resigns", "plays before it resigns", _WARNING)
def _resigns_late(lab: Lab) -> CheckFinding:
    if not lab.resigned_at_once:
        return ok(f"{count_of(lab.bouts, 'game')}, none resigned at its first turn")
    return warning(
        f"resigned at its first turn in {lab.resigned_at_once} of "
        f"{count_of(lab.bouts, 'game')}, from an "
        "untouched board",
        "clear the board at each `new`; check that the bot knows this game and its own turns",
    )


@_step(HEARD, "errors", "reports no errors of its own")
def _complains(lab: Lab) -> CheckFinding:
    return _counted(lab.bot.asides.complaints, "", "no `error`")


# The end


@_step(ENDINGS, "quit", "ends on `quit`")
def _quits(lab: Lab) -> CheckFinding:
    lab.running().say(wire.QUIT)
    return _ending(lab, "`quit`", "end on `quit`; otherwise the arena kills the bot")


@_step(ENDINGS, "end-of-input", "ends when its input ends")
def _leaves_with_its_parent(lab: Lab) -> CheckFinding:
    lab.drop()
    lab.running().child.close_input()
    return _ending(lab, "the end of its input", "end when reading a line finds the end of the file")


def _ending(lab: Lab, event: str, mend: str) -> CheckFinding:
    """Return the finding about the end of the bot's process."""
    within_s = lab.limits.stop_s
    if not lab.bot.ends_by(signals.awake_s() + within_s):
        return warning(f"still runs {duration(within_s)} after {event}", mend)
    ended = lab.bot.child.end_words()
    return ok(ended) if ended == CLEAN else note(ended, f"exit with status 0 after {event}")


@_step(ENDINGS, "leaves-nothing", "leaves no process behind")
def _leaves_nothing(lab: Lab) -> CheckFinding:
    lab.drop()
    lab.running()
    if lab.has_been_ready:
        lab.ready_s()
    lab.bot.say(wire.QUIT)
    if not lab.bot.ends_by(signals.awake_s() + lab.limits.stop_s):
        return untested("does not end by itself")
    lab.listen(0.2)  # child processes may end a little later
    if left := process_trees.sweep(lab.tree):
        ran = "1 process still ran" if left == 1 else f"{left} processes still ran"
        return warning(
            f"{ran} 200 ms after the bot",
            "end every process that you start; the arena kills the others",
        )
    return ok("no process is left")


CHAPTERS: Final[dict[str, Sequence[CheckStep]]] = {
    "handshake": (*HELLO, *READY),
    "games": EACH_GAME,
    "time": TIMES,
    "robustness": (*BESIDE, *HEARD),
    "end": ENDINGS,
}
"""All steps in the order of a check; those of `games` run for each game type."""

_ASKED: Final = ("starts", "ready", "first", "second", "swap-offered", "swap-suffered", "rest")

OF_CONTESTS: Final = {
    **dict.fromkeys(_ASKED, True),
    "setup": True,
    "position": False,
    "book": False,
}
"""Ids of the steps for bots that speak a contest's protocol, and True if the contest asks for the
same. If not, a failure is only a warning, because the bot may still be correct for the contest."""
