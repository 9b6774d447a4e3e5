"""The catalogue of bad bots: each has one entry with its expected behaviour.

An entry has the endings of its two games against a good bot, one per side, the messages, the fate
of its process, and the findings of `arena bot check`. Numbers are cases 1 to 36 of the fault
catalogue. A bot is a script (scripted.py) if that shows everything, otherwise a process; `make
faults` starts a process of each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import bad_bots as bad
import odd_bots as odd
from bad_bots import Good
from bot_checks import AROUND, HASTE, Check, Found
from fault_stand import (
    HASTY,
    HASTY_S,
    IMPATIENT,
    IMPATIENT_S,
    RELAXED,
    SPARE_S,
    Events,
    Peaks,
    Stand,
    Stored,
    assert_sound,
    good,
)
from processes import gone, still_running
from scripted import a_team, scripted

from lath import games
from lath.arena.botcheck.points import Verdict
from lath.arena.referee.bridges import CONTESTS
from lath.arena.referee.record import GamePlan
from lath.arena.tournament.configuration.config import build
from lath.arena.tournament.run.worker import play_pair
from lath.arena.tournament.store.jobs import PairJob, read_result
from lath.notation.record.tags import Termination
from lath.notation.text.scanner import parse

CHALLENGER: Final = "ann"
"""The good bot that plays all others."""

GOOD: Final = "bob"

BADS_BETWEEN: Final = 8
"""Bad bots between two good ones, whose games must be the usual ones."""

BADS_GAMES: Final = 2
"""One game per side."""

KEPT: Final = ("rules", Termination.ILLEGAL_MOVE, Termination.RESIGNATION)
"""The endings of games after which the process continues with the next game."""


@cache
def good_moves() -> tuple[str, ...]:
    """Return the game of two good bots, which play the first legal move."""
    position, moves = games.get("yavalath").start(), list[str]()
    while not position.is_over:
        moves.append(position.legal_moves()[0])
        position = position.play(position.legal_moves()[0])
    return tuple(moves)


@dataclass(frozen=True, kw_only=True)
class BotFault:
    """A kind of bot with its expected behaviour."""

    kind: type[Good] | None
    """The class of the bot; None for a program that does not exist."""

    case: int = 0
    """Its number in the fault catalogue, or 0."""

    is_real: bool = False
    """True if only a process shows its behaviour."""

    # Its games

    ending: str = "rules"
    """The ending of its games; after a failure it loses all of them. Empty without games."""

    told: str = ""
    """A pattern in the records of its games; without games, the text of the reason."""

    noted: str = ""
    """The note on its exit."""

    voids: int = 0
    """The number of void games before it loses."""

    stray_lines: int | None = 0
    """Stray lines in each of its games; None for any number."""

    time: Mapping[str, str] = field(default_factory=lambda: RELAXED)
    """The time control of the tournament, also for the other bots."""

    more: Mapping[str, object] = field(default_factory=dict)
    """Further keys of the bot's table."""

    against: type[Good] = Good

    limit_s: float = 0.0
    """The sum of the limits that it reaches, in seconds."""

    also: Callable[[Stand, str], None] = lambda _stand, _name: None
    """A further check of the bot with this name as a process."""

    unplayed: str = ""
    """The reason why its games are not tested here."""

    # The findings of `arena bot check`, as ids of checks

    faults: str = ""
    warnings: str = ""
    remarks: str = ""
    finds_more: bool = False
    """True if further checks may fail, as after a wrong turn."""

    whole: bool = False
    """True if its process runs all checks; otherwise only these and `AROUND`."""

    unchecked: str = ""
    """The reason why no check of it is tested."""

    @property
    def name(self) -> str:
        return self.kind.__name__ if self.kind else "Missing"

    @property
    def tournament(self) -> Hashable:
        """Return what faults must share to be in the same tournament."""
        return not self.ending, tuple(self.time.items()), self.against

    @property
    def table(self) -> dict[str, Any]:
        """Return the bot's table in the configuration without its name."""
        module = odd if self.kind and self.kind.__module__ == odd.__name__ else bad
        command = module.command(self.kind) if self.kind else ["/nowhere/bot"]
        return {"command": list(command), **self.more}

    @property
    def starts(self) -> int:
        """Return how often it is started for its games."""
        if not self.ending:
            return 0
        return 1 if self.ending in KEPT else BADS_GAMES + self.voids

    def wrong_games(self, played: Sequence[Stored]) -> Iterator[str]:
        """Yield the errors in its games."""
        if len(played) != (BADS_GAMES if self.ending else 0):
            yield f"{len(played)} games"
        assert_sound(played)
        for game in played:
            is_lost = self.ending != "rules"
            told = " ".join(str(parse(game.text).story).split()) if is_lost else game.text
            seat = "first" if game.first == self.name else "second"
            begins = f"{self.name} ({seat}): {'again ' if self.voids else ''}" if is_lost else ""
            wanted = {
                "its end": game.termination == self.ending,
                "who has lost": not is_lost or game.lost_by(self.name),
                "who is named": told.startswith(begins),
                "what is told": re.search(self.told, told),
                "its stray lines": self.stray_lines in (None, game.stray_lines),
                "its moves": is_lost or game.moves == good_moves(),
                "its length": len(game.text) < 60_000,
            }
            yield from (f"{what}: {game}" for what, is_so in wanted.items() if not is_so)

    # As a script

    def as_script(self) -> tuple[list[str], str]:
        """Play its games without a process; return the errors and the messages."""
        rows = [{"name": self.name, **self.table}, {"name": CHALLENGER, **good(self.against)}]
        config = build({"games": ["yavalath"], "time": dict(self.time), "bot": rows}, Path())
        plans = tuple(
            GamePlan(number=number, round=1, game="yavalath", setup=None, names=names, seeds=(1, 2))
            for number, names in enumerate(((self.name, CHALLENGER), (CHALLENGER, self.name)), 1)
        )
        one, other = config.bots
        job = PairJob(
            pair=1,
            games=plans,
            bots=(one, other),
            limits=config.limits,
            tree="script.",
            keeps_logs=True,
        )
        with scripted() as clock, a_team() as left:
            began_s = clock.now_s
            result = read_result(play_pair(job))
            seconds, notes = clock.now_s - began_s, (*result.notes, *left())
        rows_of = ("number", "first", "second", "result", "termination", "stray_lines", "record")
        played = [Stored(*(getattr(game, row) for row in rows_of)) for game in result.games]
        wanted = {
            "void": bool(result.void) == (not self.ending)
            and self.told in str(result.void or self.told),
            "voids": not self.ending or result.voided == self.voids,
            "spent": result.spent == ((self.name,) if self.voids else ()),
            "notes": notes == ((f"{self.name} {self.noted}",) if self.noted else ()),
            "starts": not self.ending
            or clock.starts[self.name] == self.starts + (self.kind is self.against),
            "seconds": seconds <= self.limit_s + SPARE_S,
            "the games' notes": not any(game.notes for game in result.games),
            "logs": all(game.log and is_plain(game.log) for game in result.games),
        }
        wrong = [f"{what}: {result} {notes}" for what, is_so in wanted.items() if not is_so]
        stories = [parse(game.text).story for game in played]
        told = "\n".join(filter(None, (str(result.void or ""), *stories, *notes)))
        return [*self.wrong_games(played), *wrong], told

    # As a process, in one tournament with others

    def play(self, stand: Stand, _plain: Plain) -> float:
        """Test it alone; return the seconds beyond those of good bots."""
        gauntlet = Gauntlet(stand, [self])
        gauntlet.check()
        self.check(gauntlet)
        return gauntlet.seconds_of(self, _plain)

    def check(self, gauntlet: Gauntlet) -> None:
        """Assert its results in a tournament, whichever bots also played."""
        stand, said = gauntlet.stand, gauntlet.ended.said
        games_of_it = [game for game in gauntlet.games if self.name in game.names]
        assert [*self.wrong_games(games_of_it)] == []
        told = [f"{self.name} left a game before its first turn"] if self.voids else []
        if self.noted and len(gauntlet.faults) > 1:  # alone, it exits when this is no longer noted
            told.append(f"{self.name} {self.noted}")
        told += [] if self.ending else [f"{self.name} is benched: {self.told}"]
        assert [words for words in told if words not in said] == [], said
        starts = stand.notes / f"{self.name}.starts"
        found = len(starts.read_text().split() if starts.exists() else ())
        is_tried_by_contests = not self.ending and "does not play" not in self.told
        greetings = 1 + len(CONTESTS) * is_tried_by_contests if self.kind else 0
        assert found == greetings + self.starts
        self.also(stand, self.name)

    # The findings of a check

    @property
    def check_of_it(self) -> Check:
        """Return the settings of its check."""
        named = f"{self.faults} {self.warnings} {self.remarks}".split()
        around = frozenset() if self.finds_more else AROUND  # further findings are not compared
        return Check(
            command=tuple(self.table["command"]),
            only=frozenset() if self.whole or not self.is_real else around | {*named},
            game=GAMES_OF_CHECKS.get(self.name, "yavalath"),
            is_patient=self.is_real and not self.finds_more,
            is_hasty=self.kind is bad.ComputesTooLong,
        )

    @property
    def promised(self) -> dict[str, Verdict]:
        """Return the expected findings by check."""
        return {
            **dict.fromkeys(self.faults.split(), Verdict.FAULT),
            **dict.fromkeys(self.warnings.split(), Verdict.WARNING),
            **dict.fromkeys(self.remarks.split(), Verdict.NOTE),
        }

    def told_of_check(self, found: Found) -> str:
        """Return the messages to its author in these checks."""
        points = [point for point in found.points if point.id in self.promised]
        return "".join(f"{p.verdict} `{p.id}`: {p.seen}\n  {p.mend}\n" for p in points)

    def wrong_check(self, found: Found) -> list[str]:
        """Return the errors in the findings."""
        promised = self.promised
        seen = found.verdicts(Verdict.FAULT, Verdict.WARNING, Verdict.NOTE)
        knows_ping = self.kind is not None and issubclass(self.kind, odd.Pongs)
        may_be = {Verdict.NOTE, *([] if not self.finds_more else [Verdict.FAULT, Verdict.WARNING])}
        more = {
            id_: verdict
            for id_, verdict in seen.items()
            if id_ not in promised and verdict not in may_be
            if not (id_ in HASTE if self.is_real else id_ == "ping" and not knows_ping)
        }
        lacking = {id_: seen.get(id_) for id_ in promised if seen.get(id_) is not promised[id_]}
        wanted = {
            f"not found: {lacking}": not lacking,
            f"found besides: {more}": not more,
            "a fault, or none": (Verdict.FAULT in seen.values()) == bool(self.faults),
            f"{found.took_s:.1f} s": found.took_s < LONGEST_CHECK_S,
        }
        return [what for what, is_so in wanted.items() if not is_so] + found.odd_points()


LONGEST_CHECK_S: Final = 30.0
"""The longest check of any bot, in seconds."""

GAMES_OF_CHECKS: Final = dict.fromkeys(("DiesOfSetups", "WritesLinesBackwards"), "mammalath")


@dataclass(frozen=True)
class Plain:
    """The same tournament between good bots, for comparison."""

    seconds: float
    peaks: Peaks


class Gauntlet:
    """A tournament in which bad and good bots play one good bot, one after another."""

    def __init__(self, stand: Stand, faults: Sequence[BotFault]) -> None:
        """Play it. All faults have the same `tournament`."""
        self.stand = stand
        self.faults = tuple(faults)
        first = self.faults[0]
        bots = {CHALLENGER: good(first.against)}
        for number, fault in enumerate(self.faults):
            if number % BADS_BETWEEN == 0 and first.against is Good:
                bots[f"{GOOD}-{number}"] = good()
            variables = {
                "STARTS": str(stand.notes / f"{fault.name}.starts"),
                "LATH_BOT_PIDS": str(stand.notes / f"{fault.name}.pids"),
            }
            bots[fault.name] = {**fault.table, "env": variables}
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
        """Return how much longer its games took than those of good bots, on the calm clock.

        For a single bad bot this is the time of the tournament; for several, the time from the
        games of the bot before it to the end of its own.
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

    def check(self) -> None:
        """Assert the results of the whole run: its status, its logs and the games of good bots."""
        is_void = not self.faults[0].ending
        assert self.ended.status == is_void, self.ended.said
        assert "Traceback" not in self.ended.said
        assert_sound(self.games)
        logs = {path.name: path.read_text("utf-8") for path in (self.stand.out / "logs").iterdir()}
        assert [name for name, text in logs.items() if not is_plain(text)] == []
        if self.faults[0].against is Good:
            bad_ones = {fault.name for fault in self.faults}
            others = [game for game in self.games if not game.names & bad_ones]
            assert {(game.termination, game.moves) for game in others} == {("rules", good_moves())}


def is_plain(text: str) -> bool:
    """Return whether a log is safe to print on a terminal."""
    return text.replace("\n", "").replace("\t", "").isprintable()


def measure(stand: Stand) -> Plain:
    """Play the tournament with good bots only."""
    bots = {name: good() for name in (CHALLENGER, "bad", GOOD)}
    stand.configure(bots, log="all", format="gauntlet")
    ended = stand.play(*stand.run_words())
    assert ended.status == 0, ended.said
    assert {game.moves for game in stand.games()} == {good_moves()}
    return Plain(ended.seconds, stand.peaks)


# Entries


def lost(kind: type[Good], ending: str, told: str, case: int = 0, **more: Any) -> BotFault:
    """Return a fault that always ends the process."""
    values = {"ending": ending, "told": told, "stray_lines": None, "finds_more": True}
    return BotFault(kind=kind, case=case, **{**values, "faults": "first second", **more})


def crash(kind: type[Good], told: str, case: int = 0, **more: Any) -> BotFault:
    return lost(kind, "crash", told, case, **more)


def late(kind: type[Good], besides: str = "", case: int = 0, **more: Any) -> BotFault:
    """Return a slow bot; the others have more time, however busy the machine is."""
    told = rf"no answer within 0\.450 s at ply \d+{besides}"
    limit_s = BADS_GAMES * HASTY_S + more.pop("limit_s", 0.0)
    own = {"time": HASTY, **more.pop("more", {})}
    return lost(kind, "time", told, case, limit_s=limit_s, more=own, **more)


def flood(kind: type[Good], told: str, case: int = 0, **more: Any) -> BotFault:
    return lost(kind, "flood", told, case, **more)


def illegal(kind: type[Good], told: str, case: int = 0, **more: Any) -> BotFault:
    return lost(kind, "illegal move", told, case, stray_lines=0, **more)


def void(kind: type[Good] | None, told: str, case: int = 0, **more: Any) -> BotFault:
    """Return a bot that is benched at the handshake and tried in each contest's protocol."""
    values = {"faults": "hello", "finds_more": True, **more}
    return BotFault(kind=kind, case=case, ending="", told=told, **values)


def unready(kind: type[Good], ending: str, told: str, case: int = 0, **more: Any) -> BotFault:
    """Return a bot that voids one game, and loses from then on."""
    return lost(kind, ending, told, case, voids=1, faults="ready", **more)


def fine(kind: type[Good], case: int = 0, **more: Any) -> BotFault:
    return BotFault(kind=kind, case=case, **more)


def checked(kind: type[Good], **found: Any) -> BotFault:
    """Return a bot with good games, or games tested elsewhere, and its check's findings."""
    return BotFault(kind=kind, unplayed="a check alone shows what is wrong with it", **found)


OTHERS: Final = "other tests have it"


def elsewhere(kind: type[Good]) -> BotFault:
    """Return a bot that is good with enough resources, or takes those of others."""
    return BotFault(kind=kind, unplayed=OTHERS, unchecked=OTHERS)


def children_are_gone(stand: Stand, name: str) -> None:
    pids = (stand.notes / f"{name}.pids").read_text().split()
    assert pids
    assert gone(lambda: still_running(pids))


def nothing_is_written_elsewhere(stand: Stand, _name: str) -> None:
    assert {path.name for path in stand.folder.iterdir()} == {"cup.toml", "out", "scratch", "notes"}


CLOCKED: Final = {"initial": "200ms", "margin": "8s"}
"""A clock shorter than the bot's thinking time, and a longer margin."""

REAL: Final = {"is_real": True}
MEMORY: Final = {"memory": "128MiB"}
PADDED: Final = {"options": {"padding": "x" * 150_000}}
UNREADY: Final[dict[str, Any]] = {"time": IMPATIENT, "limit_s": (1 + BADS_GAMES) * IMPATIENT_S}
FAMILY: Final[dict[str, Any]] = {
    "is_real": True,
    "also": children_are_gone,
    "warnings": "leaves-nothing",
}
NO_CHECK: Final = "its machine would be short of what it takes"

BAD_BOTS: Final = (
    # At the start
    void(None, "cannot be started: /nowhere/bot does not exist", 1, unchecked="no kind", **REAL),
    void(bad.ExitsAtStart,
        "exited with status 7 before ok; standard error: I cannot find my ·[31mweights", 2, **REAL),
    void(bad.HangsInHandshake, "did not say ok within 1 s", 3, time=IMPATIENT,
        limit_s=2 * IMPATIENT_S),
    void(bad.FloodsInHandshake, "flooded its output before ok"),
    void(bad.PlaysAnotherGame, "does not play yavalath: it plays chess", 5,
        faults="games", **REAL),
    fine(bad.HasABanner, 4, remarks="banner"),
    unready(bad.HangsAtReady, "time", r"did not say ready \d+ within 1 s", 6, **UNREADY),
    unready(bad.ExitsBeforeItsFirstGo, "crash", "exited with status 3 before", 6),
    unready(bad.NeverReads, "time", r"did not say ready \d+ within 1 s", more=PADDED, **UNREADY),
    # In its move
    crash(bad.DiesInItsMove,
        "was ended by signal SIGSEGV; standard error: segmentation fault, sort of", 7,
        faults="first second unknown-lines", **REAL),
    crash(bad.DiesAfterItsMove, "exited with status 5", 8, against=bad.ThinksOnFromPlyFour),
    crash(bad.ExitsZeroInAGame, "exited with status 0", 9),
    late(bad.HangsInItsMove, "; it waits, perhaps because it does not", 10, **REAL),
    late(bad.StopsItself, "", 11, **REAL),
    fine(bad.ThinksABit, 12, told=r"\[%emt 0\.3\d\d\]\s\[%clk 0\.000\]", time=CLOCKED,
        limit_s=BADS_GAMES * 0.3, faults="move-time", warnings="little-time", finds_more=True),
    late(bad.AnswersTooLate, "", 13),
    late(bad.ComputesTooLong, "", faults="first", **REAL),
    fine(bad.AnswersUnasked, 14, stray_lines=1, warnings="stray-lines"),
    fine(bad.AnswersTwice, 15, stray_lines=1, warnings="stray-lines"),
    fine(bad.AnswersAnotherNumberFirst, 16, stray_lines=1, warnings="stray-lines"),
    late(bad.AnswersAnotherNumber, "; it wrote 'bestmove ", faults="first", warnings="stray-lines"),
    illegal(bad.PlaysAnIllegalMove,
        r"illegal move a1: a1 already has a stone at ply \d+; it was played at ply \d+ by ", 17,
        faults="first second seed"),
    illegal(bad.PlaysNoMove, "''", 18),
    illegal(bad.PlaysGarbage, r"\\x1b\[31m", 18),
    illegal(bad.PlaysAVeryLongMove, "aaaa", 18),
    late(bad.SaysHalfALine, "; it wrote 'bestmove . ', without the end of the line", 19),
    fine(bad.WritesByteByByte, 20),
    fine(bad.LikesBlanks, 21),
    fine(bad.WritesBinary, 22, stray_lines=10, warnings="stray-lines"),
    flood(bad.WritesALongLine, "64 KiB", 23),
    fine(bad.WritesALineOfExactly64KiB, stray_lines=1, warnings="stray-lines"),
    flood(bad.WritesForEver, "8 MiB", 24, **REAL),
    flood(bad.WritesForEverOnTheOthersTurn, "8 MiB", 24, **REAL),
    flood(bad.WritesShortLinesForEverOnTheOthersTurn, "8 MiB", 24, **REAL),
    flood(bad.ComplainsForEver, "with standard error", **REAL),
    flood(bad.WritesAndComplainsForEver, "8 MiB", **REAL),
    fine(bad.SaysInsaneInfo, 25, warnings="info"),
    fine(bad.FloodsStderr, 26, **REAL),
    crash(bad.ClosesItsOutput, "closed its standard output", 27),
    crash(bad.ClosesItsInput, "closed its standard input", 28, **REAL),
    late(bad.StopsReading, "", 29, more=PADDED, limit_s=1.0, whole=True, **REAL),
    fine(bad.IgnoresQuit, 30, noted="did not end within 1 s of quit", limit_s=2.0,
        warnings="quit end-of-input", **REAL),
    fine(bad.ExitsOneOnQuit, 31, noted="exited with status 1 on quit", remarks="quit"),
    crash(bad.LeavesChildren, "exited with status 1", 32, also=children_are_gone, **REAL),
    crash(bad.LeavesAChildAtItsOutput, "exited with status 1", also=children_are_gone, **REAL),
    fine(bad.HasChildrenAndPlays, 32, whole=True, **FAMILY),
    fine(bad.HidesAChild, 32, **FAMILY),
    fine(bad.HidesAChildWhenItIsGreeted, **FAMILY),
    crash(bad.NeedsTooMuchMemory, "MemoryError", 33, more=MEMORY, unchecked=NO_CHECK, **REAL),
    fine(bad.ForksAHundredTimes, 34, warnings="leaves-nothing", **REAL),
    fine(bad.LeaksDescriptors, 34, unchecked=NO_CHECK, **REAL),
    fine(bad.WritesInItsDirectory, 35, also=nothing_is_written_elsewhere, **REAL),
    fine(bad.ThinksOnTheOthersTurn, 36, unchecked="that is too short to be seen", **REAL),
    lost(bad.Resigns, "resignation", "resigned at ply", stray_lines=0, faults="",
        remarks="first second"),
    fine(bad.Complains, remarks="errors"),
    fine(bad.LeavesHalfALine, faults="second position", warnings="stray-lines", finds_more=True),
    fine(bad.WritesALotOnQuit),
    fine(bad.TalksALot, warnings="info"),
    # Good ones
    fine(bad.Good),
    fine(bad.TakesAMillisecond),
    fine(bad.Plods, limit_s=5.0),
    *map(checked, (bad.Listens, bad.Ponders, bad.Swaps, bad.IsResigned, bad.IsSure, bad.SaysInfo,
        bad.PlaysBySeed)),
    checked(odd.Pongs),
    checked(odd.HasOptions),
    # Only a check shows these
    checked(bad.PlaysAnything, faults="games", warnings="name", finds_more=True),
    checked(bad.StartsTheSecondTime, faults="hello", finds_more=True),
    checked(bad.HearsWhileItThinks, faults="first second", finds_more=True),
    checked(bad.ThinksOnFromPlyFour, faults="first second", finds_more=True),
    checked(bad.ComputesInChildren, warnings="rest", **REAL),
    checked(bad.LeavesAfterEachGame, faults="many-games", finds_more=True),
    checked(odd.HasNoName, warnings="name"),
    checked(odd.NamesAnUnknownGame, warnings="games"),
    checked(odd.WantsMore, warnings="wants"),
    checked(odd.HasAnOptionWithoutType, warnings="options"),
    checked(odd.HasADefaultOutOfBounds, warnings="options"),
    checked(odd.DiesOfItsDefault, faults="setoption", warnings="option-edges"),
    checked(odd.DiesAtTheEdge, warnings="option-edges"),
    checked(odd.IsSlowToSayOk, warnings="hello"),
    checked(odd.IsReadyForOneGameOnly, faults="ready leaves-nothing", warnings="stray-lines"),
    checked(odd.DiesAsSecond, faults="ready"),
    checked(odd.DiesOfSetups, faults="ready", warnings="name"),
    checked(odd.DiesOfPositions, faults="position"),
    checked(odd.DiesOfASwap, faults="swap-suffered"),
    checked(odd.CountsItsOwnTurns, faults="book", warnings="stray-lines"),
    checked(odd.ResignsAtOnce, warnings="first second resigns", finds_more=True),
    checked(odd.ResignsFromItsTwelfthGameOn, warnings="resigns"),
    checked(odd.ComputesWhenItIsGreeted, faults="hello", finds_more=True),
    checked(odd.TakesALongTime, faults="move-time first-move no-increment",
        warnings="little-time stop"),
    checked(odd.WritesLinesBackwards, warnings="move-text"),
    checked(odd.SaysWrongInfo, warnings="info"),
    checked(odd.SaysAnEmptyVariation, warnings="info"),
    checked(odd.SaysAnImpossibleVariation, warnings="info"),
    checked(odd.IgnoresSeeds, remarks="seed"),
    checked(odd.OverstepsMoveTimes, faults="move-time"),
    checked(bad.OverlooksItsFirstTime, faults="first-move"),
    checked(odd.IsSlowWithLittleTime, warnings="little-time"),
    checked(odd.IgnoresStop, warnings="stop"),
    checked(odd.DiesOfStop, faults="sudden-end"),
    checked(odd.ComputesOnTheOthersTurn, warnings="rest", **REAL),
    checked(odd.PondersOn, faults="ponder"),
    checked(odd.DiesOfUnknownLines, faults="unknown-lines"),
    checked(odd.SplitsAtSingleBlanks, warnings="spaces"),
    checked(odd.LogsToItsOutput, warnings="stray-lines"),
    checked(odd.OutlivesItsInput, warnings="end-of-input"),
    # These have tests of their own
    *map(elsewhere, (odd.DiesOfWhatItReads, bad.ThinksALot, bad.EndsSlowly, bad.HasASkill)),
    *map(elsewhere, (bad.GrowsAndDies, bad.GrowsInItsMoveAndDies, bad.ReservesAddresses)),
    *map(elsewhere, (bad.NeedsRoom, bad.FillsItsDirectory, bad.KeepsAllCoresBusy, bad.RunsAway)),
    *map(elsewhere, (bad.ThinksAndResigns, bad.LeavesWhereItIsSecond)),
    *map(elsewhere, (bad.StartsUntilAGameIsOver, bad.LeavesWhenTheNextGameBegins)),
)  # fmt: skip

BY_NUMBER: Final = {
    number: tuple(fault for fault in BAD_BOTS if fault.case == number) for number in range(1, 37)
}


def tournaments() -> list[list[BotFault]]:
    """Return the faults that are processes, grouped by tournament."""
    every = [fault for fault in BAD_BOTS if fault.is_real and not fault.unplayed]
    ordered = sorted(every, key=lambda fault: str(fault.tournament))
    return [list(faults) for _, faults in groupby(ordered, key=lambda fault: fault.tournament)]
