"""Cases 1 to 36 of the fault catalogue: a bot that misbehaves, and what it comes to.

Each plays a tournament with two good bots, whose games must be what they always are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
    Ended,
    Peaks,
    Stand,
    Stored,
    assert_sound,
    good,
)
from processes import gone

from lath.notation.scanner import parse

BAD: Final = "bad"
OTHERS: Final = ("ann", "bob")

BADS_GAMES: Final = 4
"""Two with each good bot."""


@dataclass(frozen=True)
class Plain:
    """The same tournament between three good bots: what others are measured by."""

    seconds: float
    peaks: Peaks
    moves: dict[int, tuple[str, ...]]


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
    """By the run."""

    noted: str = ""
    """In the record of each of its games."""

    stray_lines: int | None = 0
    """In each of its games; None: any number."""

    time: Mapping[str, str] = field(default_factory=lambda: RELAXED)
    more: Mapping[str, object] = field(default_factory=dict)
    """Further keys of the bot's table."""

    against: Mapping[str, type[Good]] = field(default_factory=lambda: dict.fromkeys(OTHERS, Good))

    limit_s: float = 0.0
    """All the limits that it hits, together."""

    also: Callable[[Stand, Ended], None] = lambda _stand, _ended: None
    """What else is to be checked."""

    @property
    def name(self) -> str:
        return self.kind.__name__ if self.kind else "Missing"

    def play(self, stand: Stand, plain: Plain) -> float:
        """Try it out; return the seconds that it took longer than good bots take."""
        stand.configure(self._bots(stand), self.time, log="all")
        ended = stand.play(*stand.run_words())
        assert ended.status == self.status, ended.said
        assert "Traceback" not in ended.said
        assert self.said in ended.said
        games = stand.games()
        assert_sound(games)
        self._check_bad([game for game in games if BAD in game.names])
        self._check_others([game for game in games if BAD not in game.names], plain)
        assert len(stand.starts.read_text().split() if stand.starts.exists() else ()) == self.starts
        assert_plain_text(stand.out / "logs")
        self.also(stand, ended)
        return max(0.0, ended.seconds - plain.seconds)

    def _bots(self, stand: Stand) -> dict[str, dict[str, object]]:
        env = {"STARTS": str(stand.starts), "PIDS": str(stand.folder / "pids")}
        command = list(bad_bots.command(self.kind)) if self.kind else ["/nowhere/bot"]
        bad = {"command": command, "env": env, **self.more}
        return {BAD: bad} | {name: good(kind) for name, kind in self.against.items()}

    def _check_bad(self, games: list[Stored]) -> None:
        assert len(games) == (2 * len(self.against) if self.ending else 0)
        for game in games:
            assert game.termination == self.ending, game.text
            assert self.ending == "rules" or game.lost_by(BAD)
            assert self.noted in game.text
            assert self.stray_lines in (None, game.stray_lines)

    def _check_others(self, games: list[Stored], plain: Plain) -> None:
        if self.status == 2:
            assert games == [], "it is refused before the first game"
        elif len(self.against) == len(OTHERS):
            assert {game.number: game.moves for game in games} == plain.moves
            assert {game.termination for game in games} == {"rules"}


def measure(stand: Stand) -> Plain:
    """Play the tournament with good bots only."""
    stand.configure({name: good() for name in (BAD, *OTHERS)}, log="all")
    ended = stand.play(*stand.run_words())
    assert ended.status == 0, ended.said
    moves = {game.number: game.moves for game in stand.games() if BAD not in game.names}
    assert len(moves) == 2
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
    """Return a fault that stops both pairings, each after two tries."""
    starts = 1 + 2 * 2 if kind else 0
    values = {"kind": kind, "ending": "", "status": 1, "said": said, "starts": starts, **more}
    return BotFault(**values)  # type: ignore[arg-type]


def slow_void(kind: type[Good], said: str, times: int) -> BotFault:
    return void(kind, said, time=IMPATIENT, limit_s=times * IMPATIENT_S)


def fine(kind: type[Good], **more: object) -> BotFault:
    return BotFault(kind=kind, **more)  # type: ignore[arg-type]


def has_an_empty_clock(stand: Stand, _ended: Ended) -> None:
    for game in stand.games():
        if BAD in game.names:
            slow = parse(game.text).plies[2 if game.first == BAD else 3]
            assert (slow.used_s or 0.0) >= 0.3
            clock = slow.annotation("clk")
            assert clock is not None
            assert clock.value == "0.000"


def children_are_gone(stand: Stand, _ended: Ended) -> None:
    pids = (stand.folder / "pids").read_text().split()
    assert pids
    assert gone(lambda: [pid for pid in pids if Path(f"/proc/{pid}").exists()])


def nothing_is_written_elsewhere(stand: Stand, _ended: Ended) -> None:
    assert {path.name for path in stand.folder.iterdir()} == {
        "cup.toml",
        "out",
        "scratch",
        "starts",
    }


GREETED: Final = 1
TRIED: Final = 4
"""How often a bot is started that never plays: by each of two workers' jobs, twice."""

CLOCKED: Final = {"initial": "200ms", "margin": "8s"}
"""A clock shorter than a bot thinks, and a margin that is longer."""

MEMORY: Final = {"memory": "128MiB"}
PADDED: Final = {"options": {"padding": "x" * 150_000}}
QUIT_S: Final = 1.0

BY_NUMBER: Final[dict[int, tuple[BotFault, ...]]] = {
    1: (void(None, "bad: cannot be started: No such file or directory: '/nowhere/bot'"),),
    2: (
        void(
            bad_bots.ExitsAtStart,
            "bad: exited with status 7 before ok; standard error: I cannot find my ?[31mweights",
        ),
    ),
    3: (slow_void(bad_bots.HangsInHandshake, "did not say ok within 1 s", GREETED + TRIED),),
    4: (fine(bad_bots.HasABanner),),
    5: (
        BotFault(
            kind=bad_bots.PlaysAnotherGame,
            ending="",
            status=2,
            starts=1,
            said="bot 'bad' does not play yavalath: it says that it plays chess",
        ),
    ),
    6: (slow_void(bad_bots.HangsAtReady, "did not say ready", TRIED),),
    7: (
        crash(bad_bots.DiesInItsMove, "was ended by signal SIGSEGV; standard error: segmentation"),
    ),
    8: (
        crash(
            bad_bots.DiesAfterItsMove,
            "exited with status 5",
            against={"ann": bad_bots.ThinksOnFromPlyFour},
            starts=1 + 2,
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
