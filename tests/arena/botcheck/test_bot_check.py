"""`arena bot check`: good bots pass, and each kind of bad bot is told what it does wrong."""

from __future__ import annotations

import inspect
import re
import time
from pathlib import Path
from typing import Final

import bad_bots
import odd_bots
import pytest
from bad_bots import Good
from bot_checks import HASTE, TRIES, Found, check_all
from places import ROOT
from processes import gone, pids_with

from lath import games
from lath.arena.botcheck.check import Report, check
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import Point, Verdict
from lath.arena.botcheck.steps import CHAPTERS, HEARD, READY
from lath.arena.errors import ConfigError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot, NoAnswer
from lath.notation.protocol import TimeControl

FAULT, WARNING, NOTE = Verdict.FAULT, Verdict.WARNING, Verdict.NOTE

FOUND: Final[dict[str, dict[str, Verdict]]] = {
    # Good ones; they know no `ping`.
    "Good": {"ping": WARNING},
    "Listens": {"ping": WARNING},
    "Ponders": {"ping": WARNING},
    "Swaps": {"ping": WARNING},
    "LeavesAChildAtItsOutput": {"first": FAULT, "second": FAULT},
    "ComputesTooLong": {"first": FAULT, "second": FAULT},
    "LeavesHalfALine": {"second": FAULT, "position": FAULT, "stray-lines": WARNING},
    "WritesALotOnQuit": {},
    "TalksALot": {"info": WARNING},
    "IsResigned": {"ping": WARNING},
    "IsSure": {"ping": WARNING},
    "SaysInfo": {"ping": WARNING},
    "TakesAMillisecond": {"ping": WARNING},
    "WritesByteByByte": {"ping": WARNING},
    "LikesBlanks": {"ping": WARNING},
    "FloodsStderr": {"ping": WARNING},
    "PlaysBySeed": {"ping": WARNING},
    "Plods": {"ping": WARNING},
    "WritesInItsDirectory": {"ping": WARNING},
    # At the start
    "PlaysAnything": {"name": WARNING, "games": FAULT},
    "ExitsAtStart": {"hello": FAULT},
    "StartsTheSecondTime": {"hello": FAULT},
    "HangsInHandshake": {"hello": FAULT},
    "FloodsInHandshake": {"hello": FAULT},
    "HasABanner": {"banner": NOTE},
    "PlaysAnotherGame": {"games": FAULT},
    "HangsAtReady": {"ready": FAULT},
    "ExitsBeforeItsFirstGo": {"ready": FAULT},
    "NeverReads": {"ready": FAULT},
    # In its move
    "HearsWhileItThinks": {"first": FAULT, "second": FAULT},
    "DiesInItsMove": {"first": FAULT, "second": FAULT, "unknown-lines": FAULT},
    "DiesAfterItsMove": {"first": FAULT, "second": FAULT},
    "ExitsZeroInAGame": {"first": FAULT, "second": FAULT},
    "ThinksOnFromPlyFour": {"first": FAULT, "second": FAULT},
    "StopsReading": {"first": FAULT, "second": FAULT},
    "HangsInItsMove": {"first": FAULT, "second": FAULT},
    "StopsItself": {"first": FAULT, "second": FAULT},
    "ComputesInChildren": {"rest": WARNING},
    "ThinksABit": {"move-time": FAULT, "little-time": WARNING},
    "AnswersTooLate": {"first": FAULT, "second": FAULT},
    "AnswersUnasked": {"stray-lines": WARNING},
    "AnswersAnotherNumberFirst": {"stray-lines": WARNING},
    "AnswersTwice": {"stray-lines": WARNING},
    "AnswersAnotherNumber": {"first": FAULT, "stray-lines": WARNING},
    "PlaysAnIllegalMove": {"first": FAULT, "second": FAULT, "seed": FAULT},
    "PlaysNoMove": {"first": FAULT, "second": FAULT},
    "PlaysGarbage": {"first": FAULT, "second": FAULT},
    "PlaysAVeryLongMove": {"first": FAULT, "second": FAULT},
    "SaysHalfALine": {"first": FAULT, "second": FAULT},
    "WritesBinary": {"stray-lines": WARNING},
    "WritesALongLine": {"first": FAULT, "second": FAULT},
    "WritesALineOfExactly64KiB": {"stray-lines": WARNING},
    "WritesForEver": {"first": FAULT, "second": FAULT},
    "ComplainsForEver": {"first": FAULT, "second": FAULT},
    "WritesAndComplainsForEver": {"first": FAULT, "second": FAULT},
    "WritesForEverOnTheOthersTurn": {"first": FAULT, "second": FAULT},
    "WritesShortLinesForEverOnTheOthersTurn": {"first": FAULT, "second": FAULT},
    "SaysInsaneInfo": {"info": WARNING},
    "Complains": {"errors": NOTE},
    "ClosesItsOutput": {"first": FAULT, "second": FAULT},
    "ClosesItsInput": {"first": FAULT, "second": FAULT},
    "Resigns": {"first": NOTE, "second": NOTE},
    # Children, and the end
    "LeavesChildren": {"first": FAULT, "second": FAULT},
    "HasChildrenAndPlays": {"leaves-nothing": WARNING},
    "ForksAHundredTimes": {"leaves-nothing": WARNING},
    "HidesAChild": {"leaves-nothing": WARNING},
    "HidesAChildWhenItIsGreeted": {"leaves-nothing": WARNING},
    "LeavesAfterEachGame": {"many-games": FAULT},
    "IgnoresQuit": {"quit": WARNING, "end-of-input": WARNING},
    "ExitsOneOnQuit": {"quit": NOTE},
    # Each at one point
    "Pongs": {},
    "HasOptions": {},
    "HasNoName": {"name": WARNING},
    "NamesAnUnknownGame": {"games": WARNING},
    "WantsMore": {"wants": WARNING},
    "HasAnOptionWithoutType": {"options": WARNING},
    "HasADefaultOutOfBounds": {"options": WARNING},
    "DiesOfItsDefault": {"setoption": FAULT, "option-edges": WARNING},
    "DiesAtTheEdge": {"option-edges": WARNING},
    "IsSlowToSayOk": {"hello": WARNING},
    "IsReadyForOneGameOnly": {"ready": FAULT, "stray-lines": WARNING},
    "DiesAsSecond": {"ready": FAULT},
    "DiesOfSetups": {"name": WARNING, "ready": FAULT},
    "DiesOfPositions": {"position": FAULT},
    "DiesOfASwap": {"swap-suffered": FAULT},
    "CountsItsOwnTurns": {"book": FAULT, "stray-lines": WARNING},
    "ResignsAtOnce": {"first": WARNING, "second": WARNING, "resigns": WARNING},
    "ResignsFromItsTwelfthGameOn": {"resigns": WARNING},
    "ComputesWhenItIsGreeted": {"hello": FAULT},
    "TakesALongTime": {"move-time": FAULT, "first-move": FAULT, "no-increment": FAULT},
    "WritesLinesBackwards": {"move-text": WARNING},
    "SaysWrongInfo": {"info": WARNING},
    "SaysAnImpossibleVariation": {"info": WARNING},
    "IgnoresSeeds": {"seed": NOTE},
    "OverstepsMoveTimes": {"move-time": FAULT},
    "OverlooksItsFirstTime": {"first-move": FAULT},
    "IsSlowWithLittleTime": {"little-time": WARNING},
    "IgnoresStop": {"stop": WARNING},
    "DiesOfStop": {"sudden-end": FAULT},
    "ComputesOnTheOthersTurn": {"rest": WARNING},
    "PondersOn": {"ponder": FAULT},
    "DiesOfUnknownLines": {"unknown-lines": FAULT},
    "SplitsAtSingleBlanks": {"blanks": WARNING},
    "LogsToItsOutput": {"stray-lines": WARNING},
    "OutlivesItsInput": {"end-of-input": WARNING},
}
"""What a check must find in each kind of bot, by its name in bad_bots.py or odd_bots.py."""

ELSEWHERE: Final = {
    "DiesOfWhatItReads",  # there is nothing that it reads
    "NeedsTooMuchMemory",  # a check has no limit of memory, and the machine might
    "GrowsAndDies",  # likewise
    "GrowsInItsMoveAndDies",  # likewise
    "ReservesAddresses",  # it is good
    "ThinksOnTheOthersTurn",  # for so short a time that it is told from nothing
    "ThinksALot",  # it is good
    "ThinksAndResigns",  # it may: Resigns is judged
    "LeavesWhereItIsSecond",  # ExitsBeforeItsFirstGo is judged
    "StartsUntilAGameIsOver",  # LeavesAfterEachGame is judged
    "LeavesWhenTheNextGameBegins",  # likewise
    "EndsSlowly",  # it is good, and soon enough for most
    "KeepsAllCoresBusy",  # as the next one
    "RunsAway",  # it would take a core from the others
    "NeedsRoom",  # where there is room it is good
    "FillsItsDirectory",  # the room is that of others, too
    "HasASkill",  # it is good, and resigns by an option
    "LeaksDescriptors",  # it depends on the machine's limit whether it dies in its games
}

WHOLE: Final = {
    "Good",
    "Pongs",
    "HasOptions",
    "IsReadyForOneGameOnly",
    "HangsInHandshake",
    "HangsInItsMove",
    "DiesInItsMove",
    "PlaysAnIllegalMove",
    "StopsReading",
    "ClosesItsInput",
    "WritesForEver",
    "HasChildrenAndPlays",
    "ResignsFromItsTwelfthGameOn",
}
"""Kinds that the whole check is run with; the others play what they are bad at, and `AROUND` where
nothing else may be found."""

AROUND: Final = frozenset({"banner", "name", "games", "options", "wants", "first", "quit"})

MORE_IS_WRONG: Final = {
    # Where a turn goes wrong, every point with two turns in it does.
    *(name for name, found in FOUND.items() if "first" in found),
    "PlaysAnything",
    "PlaysAnotherGame",
    "LeavesAfterEachGame",
    "ThinksABit",
    "NeverReads",
}


LONGEST_S: Final = 20.0
"""A check, whatever the bot does."""


def surprises(kind: str, of_it: Found) -> set[str]:
    """Return the points at which something else was found than must be, or may be."""
    found = of_it.verdicts(FAULT, WARNING, NOTE)
    lacking = {id_ for id_, verdict in FOUND[kind].items() if found.get(id_) is not verdict}
    more = of_it.verdicts(FAULT, WARNING).keys() - FOUND[kind].keys() - HASTE
    return lacking if kind in MORE_IS_WRONG else lacking | more


def was_late(kind: str, of_it: Found) -> bool:
    """Return whether a bot surprised by being slow, as bots are where the machine is busy."""
    points = [point for point in of_it.points if point.verdict.is_bad]
    is_slow = any(re.search(r"\b(took|within|runs on)\b", point.seen) for point in points)
    odd = surprises(kind, of_it)
    return of_it.took_s >= LONGEST_S or (is_slow and bool(odd)) or bool(odd & HASTE)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the folders in which the bots keep their logs."""
    return tmp_path_factory.mktemp("logs")


def points_of(kind: str) -> frozenset[str]:
    """Return the points at which a kind of bot is tested; none: at all of them."""
    if kind in WHOLE:
        return frozenset()
    around = frozenset() if kind in MORE_IS_WRONG else AROUND  # nobody asks what else is found
    return around | FOUND[kind].keys()


@pytest.fixture(scope="module")
def found(logs: Path) -> dict[str, Found]:
    """Return what is found in each kind of bot; in those that were late, when they were not."""
    found = check_all({kind: points_of(kind) for kind in FOUND}, logs / "0")
    for number in range(1, TRIES):
        late = {kind: points_of(kind) for kind, of_it in found.items() if was_late(kind, of_it)}
        if late:
            found |= check_all(late, logs / str(number), at_the_same_time=2)
    return found


every_kind = pytest.mark.parametrize("kind", FOUND)


def test_every_kind_of_bad_bot_has_been_judged() -> None:
    kinds = {
        name
        for module in (bad_bots, odd_bots)
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, Good) and not name.startswith("_")
    }
    assert kinds - ELSEWHERE == set(FOUND)


@every_kind
def test_what_is_wrong_is_found_soon_explained_and_nothing_else_is(
    kind: str, found: dict[str, Found]
) -> None:
    of_it, heard = found[kind], {step.id for step in HEARD}
    verdicts = of_it.verdicts(FAULT, WARNING, NOTE)
    assert FOUND[kind].items() <= verdicts.items()
    assert (FAULT in verdicts.values()) == (FAULT in FOUND[kind].values())
    if kind not in MORE_IS_WRONG:
        assert of_it.verdicts(FAULT, WARNING).keys() - FOUND[kind].keys() <= HASTE
    assert of_it.took_s < LONGEST_S
    for point in of_it.points:
        is_bad = point.verdict.is_bad
        assert point.seen
        assert bool(point.mend) == is_bad or point.verdict is NOTE
        assert bool(point.exchange) == (is_bad and point.id not in heard and point.id != "starts")


def test_no_process_is_left_of_any_of_them(found: dict[str, Found], logs: Path) -> None:
    assert gone(lambda: pids_with("LOG", f"{logs}/"))


def test_a_bot_that_never_says_ok_is_not_asked_for_more(found: dict[str, Found]) -> None:
    of_it = found["HangsInHandshake"]
    assert set(of_it.verdicts(Verdict.OK, FAULT)) == {"starts", "hello"}
    rest = {point.seen for point in of_it.points if point.verdict is Verdict.UNTESTED}
    assert rest == {"it failed at 'hello'"}


def test_a_bot_that_hangs_is_given_up_but_its_end_is_tested(
    found: dict[str, Found],
) -> None:
    of_it = found["HangsInItsMove"]
    assert of_it.verdicts(FAULT) == {"first": FAULT, "second": FAULT}
    assert "many-games" in of_it.verdicts(Verdict.UNTESTED)
    assert "quit" in of_it.verdicts(Verdict.OK)


def test_the_manual_tells_of_every_point() -> None:
    page = (ROOT / "docs" / "bot-check.md").read_text(encoding="utf-8")
    tables = page.split("## The points")[1]
    cells = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|", tables, re.MULTILINE)
    named = re.findall("[a-z-]+", " ".join(cells))
    assert named == [step.id for steps in CHAPTERS.values() for step in steps]


# The library


def test_points_come_in_the_same_order_and_with_the_same_verdicts() -> None:
    spec = BotSpec(name="pongs", command=odd_bots.command(odd_bots.Pongs))
    limits = Limits(time=TimeControl(move_ms=2000))
    only = ("wants", "first", "swap-offered", "ping", "move-text", "quit")
    both = first, again = [[*check(Lab(spec, ("surikata",), limits=limits), only)] for _ in "ab"]
    assert [p.id for p in first] == ["wants", "first", "ping", "move-text", "quit"]
    assert [p.id for p in first] == [p.id for p in again]
    one, other = ([(p.id, p.verdict) for p in points if p.id not in HASTE] for points in both)
    assert one == other


def test_a_time_that_somebody_names_is_what_is_tested() -> None:
    spec = BotSpec(name="slow", command=odd_bots.command(odd_bots.TakesALongTime))
    only = ("move-time", "first-move", "no-increment", "sudden-end", "blanks")

    def found(asked: TimeControl | None) -> dict[str, Point]:
        limits = Limits(time=asked or TimeControl(move_ms=2000))
        lab = Lab(spec, ("yavalath",), limits=limits, asked=asked)
        return {point.id: point for point in check(lab, only)}

    unnamed = found(None)
    assert unnamed["move-time"].verdict is unnamed["first-move"].verdict is FAULT
    named = found(TimeControl(move_ms=20_000))
    assert "of 20.0 s" in named["move-time"].seen
    assert "the first of 20000 ms, then `tc move 20000`" in named["first-move"].seen
    noted = {id_ for id_, point in named.items() if point.verdict is NOTE}
    assert noted == {"no-increment"}
    assert named["no-increment"].seen.endswith(" ms; `--tc` does not ask for that")
    assert {point.verdict for id_, point in named.items() if id_ not in noted} == {Verdict.OK}
    clock = found(TimeControl(initial_ms=60_000, first_ms=30_000))
    assert clock["move-time"].verdict is NOTE
    assert "of 60.0 s" in clock["no-increment"].seen
    assert "the first of 30000 ms, then `tc 60000+0`" in clock["first-move"].seen


def test_who_computes_in_place_of_an_answer_is_told_so_and_not_to_flush() -> None:
    spec = BotSpec(name="busy", command=odd_bots.command(odd_bots.ComputesWhenItIsGreeted))
    limits = Limits(time=TimeControl(move_ms=2000), startup_s=0.5)
    *_, point = check(Lab(spec, ("yavalath",), limits=limits), ("hello",))
    assert re.fullmatch(r"no `ok` within 500 ms; it computed for 0\.\d+ s of that", point.seen)
    assert "flush" not in point.mend
    quiet = BotSpec(name="idle", command=bad_bots.command(bad_bots.HangsInHandshake))
    *_, point = check(Lab(quiet, ("yavalath",), limits=limits), ("hello",))
    assert point.seen == "no `ok` within 500 ms; it waited: is its output flushed?"
    assert "flush" in point.mend


def test_what_must_hold_before_a_point_is_among_the_points_where_it_does_not() -> None:
    spec = BotSpec(name="exits", command=bad_bots.command(bad_bots.ExitsAtStart))
    points = list(check(Lab(spec, ("yavalath",)), only={"ping"}))
    assert [(p.id, p.verdict) for p in points] == [
        ("hello", Verdict.FAULT),
        ("ping", Verdict.UNTESTED),
    ]


def test_a_point_that_there_is_not_is_refused_before_the_bot_starts() -> None:
    spec = BotSpec(name="pongs", command=odd_bots.command(odd_bots.Pongs))
    with pytest.raises(ConfigError, match=r"no point of a check is called 'pong' \(starts, "):
        next(check(Lab(spec), only={"pong"}))


def test_points_that_were_not_tested_for_the_same_reason_are_told_together() -> None:
    report = Report()
    lines: list[str] = []
    for id_ in ("first", "second"):
        point = Point(
            id=id_, asks="plays", chapter="games", verdict=Verdict.UNTESTED, seen="it is too late"
        )
        lines += report.add(point)
    assert [*lines, *report.rest()] == ["  untested first, second: it is too late"]


def test_a_bot_that_leaves_before_its_first_turn_is_not_started_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = bad_bots.command(bad_bots.ExitsBeforeItsFirstGo)
    lab = Lab(BotSpec(name="leaves", command=command))
    lab.game = games.get("yavalath")
    lab.running()
    asked: list[Bot] = []
    plain = Lab.running

    def after_its_end(self: Lab) -> Bot:
        if asked:
            assert self.bot.ends_by(time.monotonic() + 60.0)
        asked.append(plain(self))
        return asked[-1]

    monkeypatch.setattr(Lab, "running", after_its_end)
    try:
        with pytest.raises(NoAnswer) as caught:
            READY[0].run(lab)
        assert lab.fault_of(caught.value).finding.seen.startswith("exited with status 3 before")
    finally:
        lab.drop()
