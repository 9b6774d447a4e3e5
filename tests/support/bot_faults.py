"""Cases 1 to 36 of the fault catalogue: a bot that misbehaves, and what it comes to.

Each meets a good bot, which meets good ones, too: their games must be what they always are. Those
that need the same limits can be tried in one tournament.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Final

import bad_bots
from bad_bots import Good
from fault_stand import (
    HASTY,
    HASTY_S,
    IMPATIENT,
    IMPATIENT_S,
    RELAXED,
    Events,
    Peaks,
    Stand,
    assert_sound,
    good,
)
from processes import gone, still_running

from lath.arena.referee.bridges import CONTESTS
from lath.notation.scanner import parse

CHALLENGER: Final = "ann"
"""The good bot that meets all the others."""

GOOD: Final = "bob"

BADS_BETWEEN: Final = 8
"""Bad bots between two good ones, whose games must be what they always are."""

BADS_GAMES: Final = 2
"""One from each seat."""


@dataclass(frozen=True)
class Plain:
    """The same tournament between good bots: what others are measured by."""

    seconds: float
    peaks: Peaks
    moves: tuple[str, ...]
    """Of each game: good bots play the first move that there is."""


@dataclass(frozen=True, kw_only=True)
class BotFault:
    """A kind of bot, and how its games end."""

    kind: type[Good] | None
    """None: a program that is not there."""

    ending: str = "rules"
    """Of all its games; a bot that loses by a mishap loses them all. Empty: none is played."""

    status: int = 0
    starts: int = 2
    """To be greeted, and to play; more for one that is killed and started again."""

    said: str = ""
    """By the run, of the bot {name}."""

    noted: str = ""
    """In the record of each of its games."""

    stray_lines: int | None = 0
    """In each of its games; None: any number."""

    time: Mapping[str, str] = field(default_factory=lambda: RELAXED)
    """The tournament's, which is also that of the other bots."""

    more: Mapping[str, object] = field(default_factory=dict)
    """Further keys of the bot's table."""

    against: type[Good] = Good

    limit_s: float = 0.0
    """All the limits that it hits, together."""

    also: Callable[[Stand, str], None] = lambda _stand, _name: None
    """What else is to be checked of the bot of this name."""

    @property
    def name(self) -> str:
        return self.kind.__name__ if self.kind else "Missing"

    @property
    def tournament(self) -> Hashable:
        """Return what the faults have in common that can be met in one tournament."""
        return self.status, tuple(self.time.items()), self.against

    def play(self, stand: Stand, plain: Plain) -> float:
        """Try it out alone; return the seconds that it took longer than good bots take."""
        gauntlet = Gauntlet(stand, [self])
        gauntlet.check(plain)
        self.check(gauntlet)
        return gauntlet.seconds_of(self, plain)

    def check(self, gauntlet: Gauntlet) -> None:
        """Check what came of it in a tournament, whoever else was there."""
        stand, said = gauntlet.stand, gauntlet.ended.said
        assert self.said.format(name=self.name) in said
        games = [game for game in gauntlet.games if self.name in game.names]
        assert len(games) == (BADS_GAMES if self.ending else 0)
        for game in games:
            assert game.termination == self.ending, game.text
            assert self.ending == "rules" or game.lost_by(self.name)
            assert self.noted in game.text
            assert self.stray_lines in (None, game.stray_lines)
        starts = stand.notes / f"{self.name}.starts"
        assert len(starts.read_text().split() if starts.exists() else ()) == self.starts
        self.also(stand, self.name)

    def table(self, stand: Stand) -> dict[str, object]:
        """Return the bot's table in the configuration."""
        variables = {
            "STARTS": str(stand.notes / f"{self.name}.starts"),
            "LATH_BOT_PIDS": str(stand.notes / f"{self.name}.pids"),
        }
        command = list(bad_bots.command(self.kind)) if self.kind else ["/nowhere/bot"]
        return {"command": command, "env": variables, **self.more}


class Gauntlet:
    """A tournament in which bad bots and good ones meet one that is good, one after the other."""

    def __init__(self, stand: Stand, faults: Sequence[BotFault]) -> None:
        """Play it. The faults have the same `tournament`."""
        self.stand = stand
        self.faults = tuple(faults)
        first = self.faults[0]
        bots = {CHALLENGER: good(first.against)}
        for number, fault in enumerate(self.faults):
            if number % BADS_BETWEEN == 0 and first.against is Good:
                bots[f"{GOOD}-{number}"] = good()
            bots[fault.name] = fault.table(stand)
        if first.against is Good:
            bots[GOOD] = good()
        stand.configure(bots, first.time, log="all", format="gauntlet")
        pipe = stand.notes / "events"
        events = Events(pipe)
        self.ended = stand.play(*stand.run_words("--json-events-to", pipe))
        events.join()
        self.events = events.told
        self.games = stand.games()

    def seconds_of(self, fault: BotFault, plain: Plain) -> float:
        """Return how much longer its games took than good bots take, on the calm clock.

        Of a bad bot alone it is the whole tournament's time, of many that between the games of the
        bot before it and its own.
        """
        if len(self.faults) == 1:
            return max(0.0, self.ended.seconds - plain.seconds)
        last_s: dict[str, float] = {}  # in the order of the schedule
        for event_s, event in self.events:
            if event["type"] in {"game", "benched"}:
                is_game = event["type"] == "game"
                names = (event["first"], event["second"]) if is_game else (event["bot"],)
                last_s.update({name: event_s for name in names if name != CHALLENGER})
        before = list(last_s)[list(last_s).index(fault.name) - 1]
        return last_s[fault.name] - last_s[before]

    def check(self, plain: Plain) -> None:
        """Check the run as a whole: its status, its logs, and the games of good bots."""
        (status,) = {fault.status for fault in self.faults}
        assert self.ended.status == status, self.ended.said
        assert "Traceback" not in self.ended.said
        assert_sound(self.games)
        assert_plain_text(self.stand.out / "logs")
        if self.faults[0].against is Good:
            bad = {fault.name for fault in self.faults}
            others = [game for game in self.games if not game.names & bad]
            assert others
            assert {game.termination for game in others} == {"rules"}
            assert {game.moves for game in others} == {plain.moves}


def tournaments() -> list[list[BotFault]]:
    """Return the faults that are tried in one tournament, by tournament."""
    every = [fault for faults in BY_NUMBER.values() for fault in faults]
    ordered = sorted(every, key=lambda fault: str(fault.tournament))
    return [list(faults) for _, faults in groupby(ordered, key=lambda fault: fault.tournament)]


def measure(stand: Stand) -> Plain:
    """Play the tournament with good bots only."""
    stand.configure(
        {name: good() for name in (CHALLENGER, "bad", GOOD)}, log="all", format="gauntlet"
    )
    ended = stand.play(*stand.run_words())
    assert ended.status == 0, ended.said
    (moves,) = {game.moves for game in stand.games()}
    return Plain(ended.seconds, stand.peaks, moves)


def assert_plain_text(folder: Path) -> None:
    """Check that a terminal could be shown the logs: no bot speaks to it through them."""
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        odd = [letter for letter in text if not letter.isprintable() and letter not in "\n\t"]
        assert not odd, (path.name, set(odd))


def lost(kind: type[Good], ending: str, noted: str = "", **more: object) -> BotFault:
    """Return a fault that ends the process each time."""
    values = {"kind": kind, "ending": ending, "noted": noted, "starts": 1 + BADS_GAMES}
    return BotFault(**{"stray_lines": None, **values, **more})  # type: ignore[arg-type]


def crash(kind: type[Good], noted: str, **more: object) -> BotFault:
    return lost(kind, "crash", noted, **more)


def late(kind: type[Good], limit_s: float = 0.0, **more: object) -> BotFault:
    """Return a fault that takes its time; the others have more of it, however busy the machine."""
    noted = "no answer within 0.450 s at ply"
    more = {"time": HASTY, **more}
    return lost(kind, "time", noted, limit_s=limit_s + BADS_GAMES * HASTY_S, more=more)


def flood(kind: type[Good]) -> BotFault:
    return lost(kind, "flood", "64 KiB")


def illegal(kind: type[Good], noted: str) -> BotFault:
    return BotFault(kind=kind, ending="illegal move", noted=noted)


def void(kind: type[Good] | None, said: str, **more: object) -> BotFault:
    """Return a fault by which a bot is benched when it is greeted, and tried by each contest."""
    starts = GREETED + len(CONTESTS) if kind else 0
    values = {"kind": kind, "ending": "", "status": 1, "said": said, "starts": starts, **more}
    return BotFault(**values)  # type: ignore[arg-type]


def slow_void(kind: type[Good], said: str, times: int) -> BotFault:
    """Return one of a bot that is silent, so often: the contests take as long again."""
    return void(kind, said, time=IMPATIENT, limit_s=2 * times * IMPATIENT_S)


def fine(kind: type[Good], **more: object) -> BotFault:
    return BotFault(kind=kind, **more)  # type: ignore[arg-type]


def has_an_empty_clock(stand: Stand, name: str) -> None:
    for game in stand.games():
        if name in game.names:
            slow = parse(game.text).plies[2 if game.first == name else 3]
            assert (slow.used_s or 0.0) >= 0.3
            clock = slow.annotation("clk")
            assert clock is not None
            assert clock.value == "0.000"


def children_are_gone(stand: Stand, name: str) -> None:
    pids = (stand.notes / f"{name}.pids").read_text().split()
    assert pids
    assert gone(lambda: still_running(pids))


def nothing_is_written_elsewhere(stand: Stand, _name: str) -> None:
    assert {path.name for path in stand.folder.iterdir()} == {"cup.toml", "out", "scratch", "notes"}


GREETED: Final = 1
"""How often a bot is started that never plays."""

CLOCKED: Final = {"initial": "200ms", "margin": "8s"}
"""A clock shorter than a bot thinks, and a margin that is longer."""

MEMORY: Final = {"memory": "128MiB"}
PADDED: Final = {"options": {"padding": "x" * 150_000}}
VOID: Final = 1
"""Games that nobody loses, of each bot."""

QUIT_S: Final = 1.0

BY_NUMBER: Final[dict[int, tuple[BotFault, ...]]] = {
    1: (void(None, "{name} is benched: cannot be started: there is no file /nowhere/bot"),),
    2: (
        void(
            bad_bots.ExitsAtStart,
            "{name} is benched: exited with status 7 before ok; standard error: I cannot find my "
            "·[31mweights",
        ),
    ),
    3: (slow_void(bad_bots.HangsInHandshake, "did not say ok within 1 s", GREETED),),
    4: (fine(bad_bots.HasABanner),),
    5: (
        BotFault(
            kind=bad_bots.PlaysAnotherGame,
            ending="",
            status=1,
            starts=1,
            said="{name} is benched: does not play yavalath: it says that it plays chess",
        ),
    ),
    6: (
        BotFault(
            kind=bad_bots.HangsAtReady,
            ending="time",
            noted="again did not say ready",
            starts=GREETED + VOID + BADS_GAMES,
            said="{name} left a game before its first turn",
            time=IMPATIENT,
            limit_s=(VOID + BADS_GAMES) * IMPATIENT_S,
        ),
        crash(
            bad_bots.ExitsBeforeItsFirstGo,
            "again exited with status 3 before",
            starts=GREETED + VOID + BADS_GAMES,
            said="{name} left a game before its first turn",
        ),
    ),
    7: (
        crash(bad_bots.DiesInItsMove, "was ended by signal SIGSEGV; standard error: segmentation"),
    ),
    8: (
        crash(
            bad_bots.DiesAfterItsMove,
            "exited with status 5",
            against=bad_bots.ThinksOnFromPlyFour,
        ),
    ),
    9: (crash(bad_bots.ExitsZeroInAGame, "exited with status 0"),),
    10: (late(bad_bots.HangsInItsMove),),
    11: (late(bad_bots.StopsItself),),
    12: (
        fine(
            bad_bots.ThinksABit,
            time=CLOCKED,
            limit_s=BADS_GAMES * 0.3,
            also=has_an_empty_clock,
        ),
    ),
    13: (late(bad_bots.AnswersTooLate),),
    14: (fine(bad_bots.AnswersUnasked, stray_lines=1),),
    15: (fine(bad_bots.AnswersTwice, stray_lines=1),),
    16: (fine(bad_bots.AnswersAnotherNumberFirst, stray_lines=1),),
    17: (illegal(bad_bots.PlaysAnIllegalMove, "illegal move a1: a1 already has a stone"),),
    18: (
        illegal(bad_bots.PlaysNoMove, "''"),
        illegal(bad_bots.PlaysGarbage, r"\x1b[31m"),
        illegal(bad_bots.PlaysAVeryLongMove, "aaaa"),
    ),
    19: (late(bad_bots.SaysHalfALine),),
    20: (fine(bad_bots.WritesByteByByte),),
    21: (fine(bad_bots.LikesBlanks),),
    22: (fine(bad_bots.WritesBinary, stray_lines=10),),
    23: (flood(bad_bots.WritesALongLine),),
    24: (
        flood(bad_bots.WritesForEver),
        flood(bad_bots.WritesForEverOnTheOthersTurn),
        flood(bad_bots.WritesShortLinesForEverOnTheOthersTurn),
    ),
    25: (fine(bad_bots.SaysInsaneInfo),),
    26: (fine(bad_bots.FloodsStderr),),
    27: (crash(bad_bots.ClosesItsOutput, "closed its standard output"),),
    28: (crash(bad_bots.ClosesItsInput, "closed its standard input"),),
    29: (late(bad_bots.StopsReading, QUIT_S, **PADDED),),
    30: (fine(bad_bots.IgnoresQuit, limit_s=2 * QUIT_S),),
    31: (fine(bad_bots.ExitsOneOnQuit),),
    32: (
        crash(bad_bots.LeavesChildren, "exited with status 1", also=children_are_gone),
        fine(bad_bots.HasChildrenAndPlays, also=children_are_gone),
        fine(bad_bots.HidesAChild, also=children_are_gone),
    ),
    33: (crash(bad_bots.NeedsTooMuchMemory, "MemoryError", more=MEMORY),),
    34: (fine(bad_bots.ForksAHundredTimes), fine(bad_bots.LeaksDescriptors)),
    35: (fine(bad_bots.WritesInItsDirectory, also=nothing_is_written_elsewhere),),
    36: (fine(bad_bots.ThinksOnTheOthersTurn),),
}
