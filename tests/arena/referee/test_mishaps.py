"""What each mishap costs, in real games of bots that misbehave against one that does not.

The prices are those of the table in docs/protocol.md.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import bad_bots
import pytest
from bad_bots import Good
from one_game import record_of
from processes import alive_of, calm_s, gone, new_tree, still_running
from tools import needs
from workers import play_in_worker

from lath import games
from lath.arena.errors import GameVoidError
from lath.arena.referee import conversation, process, watchdog
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot
from lath.arena.referee.match import play_game
from lath.arena.referee.process import Child, Watch
from lath.arena.referee.record import GamePlan, GameResult
from lath.games.core import SEATS, Seat
from lath.notation.protocol import TimeControl
from lath.notation.record import Annotation, Termination
from lath.notation.scanner import parse
from lath.notation.validation import check
from lath.notation.writer import format_record

RELAXED = Limits(time=TimeControl(move_ms=10_000), startup_s=10.0)
"""No bot that answers loses on time here, however busy the machine is."""

IMPATIENT = Limits(time=TimeControl(move_ms=10_000), startup_s=0.7)

BLITZ = Limits(time=TimeControl(initial_ms=200), margin_s=5.0)
"""A clock shorter than the bot thinks, and a margin that is longer."""

SPARE_S = 2.0
"""By how much a mishap may outlast the limit that it hits, on the calm clock."""


@dataclass(frozen=True)
class Mishap:
    """A kind of bot and what its game comes to."""

    kind: type[Good]
    why: Termination
    told: str = ""
    """What the record says of it."""
    besides: str = ""
    """What else it says."""
    is_kept: bool = False
    """Whether the process goes on with the next game."""
    longest_s: float = 0.0
    """The limit that it hits, in seconds."""
    spec: Mapping[str, object] = field(default_factory=dict)
    """What else is told of the bot."""


def late(kind: type[Good], besides: str = "", move_ms: int = 400) -> Mishap:
    limit_s = move_ms / 1000 + 0.05
    told = f"no answer within {limit_s:.3f} s at ply"
    time = TimeControl(move_ms=move_ms)
    return Mishap(kind, Termination.TIME, told, besides, longest_s=limit_s, spec={"time": time})


def illegal(kind: type[Good], told: str) -> Mishap:
    return Mishap(kind, Termination.ILLEGAL_MOVE, told, is_kept=True)


LOSSES = [
    Mishap(bad_bots.DiesInItsMove, Termination.CRASH, "was ended by signal SIGSEGV"),
    Mishap(bad_bots.DiesAfterItsMove, Termination.CRASH, "exited with status 5"),
    Mishap(bad_bots.ExitsZeroInAGame, Termination.CRASH, "exited with status 0"),
    Mishap(bad_bots.ClosesItsOutput, Termination.CRASH, "closed its standard output"),
    Mishap(bad_bots.ClosesItsInput, Termination.CRASH, "closed its standard input"),
    Mishap(bad_bots.LeavesChildren, Termination.CRASH, "exited with status 1"),
    Mishap(bad_bots.LeavesAChildAtItsOutput, Termination.CRASH, "exited with status 1"),
    Mishap(
        bad_bots.NeedsTooMuchMemory,
        Termination.CRASH,
        "MemoryError",
        spec={"memory_bytes": 1 << 26},
    ),
    late(bad_bots.HangsInItsMove, "; it waited: is its output flushed?"),
    late(bad_bots.StopsItself),
    late(bad_bots.AnswersTooLate),
    late(bad_bots.AnswersAnotherNumber, "; it wrote 'bestmove "),
    late(bad_bots.SaysHalfALine, ", without the end of the line"),
    late(bad_bots.ComputesTooLong, move_ms=100),  # for it computes for so long
    illegal(bad_bots.PlaysAnIllegalMove, "; it was played at ply "),
    illegal(bad_bots.PlaysNoMove, "''"),
    illegal(bad_bots.PlaysGarbage, r"\x1b[31m"),
    illegal(bad_bots.PlaysAVeryLongMove, "aaaa"),
    Mishap(bad_bots.WritesALongLine, Termination.FLOOD, "64 KiB"),
    Mishap(bad_bots.WritesForEver, Termination.FLOOD, "8 MiB"),
    Mishap(bad_bots.ComplainsForEver, Termination.FLOOD, "standard error counts"),
    Mishap(bad_bots.WritesAndComplainsForEver, Termination.FLOOD, "8 MiB"),
    Mishap(bad_bots.WritesForEverOnTheOthersTurn, Termination.FLOOD, "8 MiB"),
    Mishap(bad_bots.Resigns, Termination.RESIGNATION, "resigned at ply", is_kept=True),
]

VOIDS = [
    Mishap(
        bad_bots.ExitsAtStart,
        Termination.CRASH,
        "exited with status 7 before ok; standard error: I cannot find my ·[",
    ),
    Mishap(bad_bots.HangsInHandshake, Termination.TIME, "did not say ok within 0.7 s"),
    Mishap(bad_bots.FloodsInHandshake, Termination.FLOOD, "flooded its output before ok"),
    Mishap(bad_bots.HangsAtReady, Termination.TIME, "did not say ready 1 within 0.7 s"),
    Mishap(
        bad_bots.NeverReads,
        Termination.TIME,
        "did not say ready 1 within 0.7 s",
        spec={"options": {"padding": "x" * 200_000}},
    ),
    Mishap(bad_bots.ExitsBeforeItsFirstGo, Termination.CRASH, "exited with status 3 before"),
]
"""What loses a game only for a bot that has had its void."""

HARMLESS = [
    bad_bots.Good,
    bad_bots.HasABanner,
    bad_bots.AnswersUnasked,
    bad_bots.AnswersTwice,
    bad_bots.WritesByteByByte,
    bad_bots.LikesBlanks,
    bad_bots.WritesBinary,
    bad_bots.WritesALineOfExactly64KiB,
    bad_bots.SaysInsaneInfo,
    bad_bots.Complains,
    bad_bots.FloodsStderr,
    bad_bots.HasChildrenAndPlays,
    bad_bots.IgnoresQuit,
    bad_bots.ExitsOneOnQuit,
    bad_bots.LeavesHalfALine,
    bad_bots.WritesALotOnQuit,
    bad_bots.TalksALot,
]

in_each_seat = pytest.mark.parametrize("seat", SEATS, ids=lambda seat: seat.word)


class Table:
    """Two bots, started for each test and gone after it."""

    def __init__(self, watch: Watch | None = None) -> None:
        self.tree = new_tree()
        self.watch = watch or Watch()
        self.bots: list[Bot] = []

    def sit(self, kind: type[Good], **spec: object) -> Bot:
        """Return a bot that has not been started."""
        made = BotSpec(name=kind.__name__, command=bad_bots.command(kind), **spec)  # type: ignore[arg-type]
        bot = Bot(made, self.watch, tree=self.tree)
        self.bots.append(bot)
        return bot

    def play(
        self,
        bad: Bot,
        good: Bot,
        seat: Seat,
        limits: Limits,
        number: int = 1,
        *,
        spent: Collection[str] = (),
        opening: tuple[str, ...] = (),
    ) -> GameResult:
        bots = (bad, good) if seat is Seat.FIRST else (good, bad)
        plan = GamePlan(
            number=number,
            round=1,
            game="yavalath",
            setup=None,
            names=(bots[0].name, bots[1].name),
            seeds=(1, 2),
            opening=opening,
        )
        return play_game(plan, bots, limits, self.watch, spent=spent)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no game be begun again because this process had to wait for a core."""
    monkeypatch.setattr(conversation, "NOISE", math.inf)


def laid(table: Table) -> Iterator[Table]:
    """Yield the table, and see to it that nothing is left of the bots that sat there."""
    yield table
    for bot in table.bots:
        bot.kill()
    assert gone(lambda: alive_of(table.tree)), "processes are left"


@pytest.fixture
def table() -> Iterator[Table]:
    """Give a table of its own."""
    yield from laid(Table())


class Regular:
    """A good bot that sits at one table after the other, as bots do; its games are counted."""

    def __init__(self, home: Table) -> None:
        self.watch = home.watch
        self.bot = home.sit(Good)
        self.bot.start(RELAXED)
        self.pid = self.bot.child.pid
        self.numbers = itertools.count(1)


@pytest.fixture(scope="session")
def regular() -> Iterator[Regular]:
    """Give a good bot that is one process for all tests."""
    yield from map(Regular, laid(Table()))


@pytest.fixture
def regulars_table(regular: Regular) -> Iterator[Table]:
    """Give a table for a game against the regular."""
    yield from laid(Table(regular.watch))


def assert_sound(played: GameResult) -> None:
    """Check that the record keeps the syntax and the rules, and that nobody's time is negative."""
    text = format_record(record_of(played))
    assert len(text) < 60_000
    assert check(parse(text)) == []
    assert min(played.first_used_s, played.second_used_s) >= 0
    assert min(played.first_worst_s, played.second_worst_s) >= 0
    assert all((ply.used_s or 0.0) >= 0 for ply in record_of(played).plies)


def first_legal_moves() -> tuple[str, ...]:
    """Return the game that two good bots play."""
    position = games.get("yavalath").start()
    moves = []
    while not position.is_over:
        moves.append(position.legal_moves()[0])
        position = position.play(moves[-1])
    return tuple(moves)


@in_each_seat
@pytest.mark.parametrize("mishap", LOSSES, ids=lambda mishap: mishap.kind.__name__)
def test_a_mishap_in_a_game_loses_it(
    mishap: Mishap, seat: Seat, regulars_table: Table, regular: Regular
) -> None:
    table, good = regulars_table, regular.bot
    bad = table.sit(mishap.kind, **mishap.spec)
    bad.start(RELAXED)
    began_s = calm_s()
    played = table.play(bad, good, seat, RELAXED, next(regular.numbers))
    assert calm_s() - began_s < mishap.longest_s + SPARE_S
    assert (record_of(played).result, record_of(played).termination) == (
        ("0-1", "1-0")[seat],
        mishap.why.value,
    )
    (words,) = record_of(played).comments[0]
    assert isinstance(words, str)
    assert words.startswith(f"{bad.name} ({seat.word}): ")
    assert mishap.told in words
    assert mishap.besides in words
    assert_sound(played)
    assert played.notes == (), "no bot is charged with what it did in its own turn"
    assert good.is_running
    assert good.child.pid == regular.pid
    assert bad.is_running == mishap.is_kept
    assert mishap.is_kept or gone(lambda: alive_of(table.tree))


OWN_MIB = -1
"""Stands for three times of what this process holds, which a child has at first."""


@pytest.mark.parametrize(
    ("kind", "grows_mib", "allowed_mib", "is_near"),
    [
        (bad_bots.GrowsAndDies, 150, 256, True),
        (bad_bots.GrowsAndDies, 1, 256, False),
        (bad_bots.GrowsAndDies, 150, None, False),
        (bad_bots.GrowsInItsMoveAndDies, OWN_MIB, None, True),
    ],
)
def test_a_crash_near_the_memory_limit_is_called_that(
    kind: type[Good], grows_mib: int, allowed_mib: int | None, is_near: bool, table: Table
) -> None:
    if grows_mib == OWN_MIB:
        own_mib = process._held_bytes() >> 20
        grows_mib, allowed_mib = 3 * own_mib, 4 * own_mib
    spec = {"env": {"MEGABYTES": str(grows_mib)}}
    memory_bytes = allowed_mib and allowed_mib << 20
    bad, good = table.sit(kind, memory_bytes=memory_bytes, **spec), table.sit(Good)
    (words,) = record_of(table.play(bad, good, Seat.FIRST, RELAXED)).comments[0]
    assert "was ended by signal SIGSEGV" in str(words)
    found = re.search(
        r" near its memory limit: it held (\d+) MiB \((\d+) MiB allowed\)", str(words)
    )
    assert bool(found) is is_near
    if found:
        assert int(found[1]) >= grows_mib
        assert int(found[2]) == allowed_mib


def test_who_may_not_reserve_addresses_is_told_why_and_others_may(table: Table) -> None:
    table.sit(bad_bots.ReservesAddresses).start(RELAXED)
    bound = table.sit(bad_bots.ReservesAddresses, memory_bytes=1 << 30)
    with pytest.raises(GameVoidError, match=r"out of memory \(1024 MiB allowed\) before ok"):
        bound.start(RELAXED)


FIRST_MOVES = r"""
#include <stdio.h>
#include <string.h>
int main(void) {
    static char line[65536], move[64], word[64];
    setvbuf(stdout, 0, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "arena", 5)) printf("id name c\ngame yavalath\nwant legal\nok\n");
        else if (sscanf(line, "new %63s", word) == 1) printf("ready %s\n", word);
        else if (sscanf(line, "legal %63s", move) == 1) continue;
        else if (sscanf(line, "go %63s", word) == 1) printf("bestmove %s %s\n", word, move);
        else if (!strncmp(line, "quit", 4)) return 0;
    }
}
"""


@needs("cc")
@pytest.mark.parametrize("sanitizer", ["address", "thread"])
def test_a_build_with_a_sanitizer_plays_where_nobody_limits_its_memory(
    sanitizer: str, table: Table, tmp_path: Path
) -> None:
    source, program = tmp_path / "bot.c", tmp_path / "bot"
    source.write_text(FIRST_MOVES)
    built = ["cc", f"-fsanitize={sanitizer}", "-o", str(program), str(source)]
    if subprocess.run(built, capture_output=True, check=False).returncode:
        pytest.skip(f"this compiler has no library for -fsanitize={sanitizer}")

    def seated(memory_bytes: int | None) -> Bot:
        spec = BotSpec(name="c", command=(str(program),), memory_bytes=memory_bytes)
        table.bots.append(bot := Bot(spec, table.watch, tree=table.tree))
        return bot

    played = table.play(seated(None), table.sit(Good), Seat.FIRST, RELAXED)
    assert record_of(played).forfeit is None, played.record
    with pytest.raises(GameVoidError, match="a build with sanitizers starts without `memory`"):
        seated(256 << 20).start(RELAXED)


@in_each_seat
@pytest.mark.parametrize("mishap", VOIDS, ids=lambda mishap: mishap.kind.__name__)
def test_a_bot_that_does_not_begin_voids_a_game_and_loses_the_next(
    mishap: Mishap, seat: Seat, table: Table
) -> None:
    bad, good = table.sit(mishap.kind, **mishap.spec), table.sit(Good)
    good.start(RELAXED)
    if "ready" in mishap.told:
        bad.start(RELAXED)
    limits = IMPATIENT if mishap.why is Termination.TIME else RELAXED
    began_s = calm_s()
    with pytest.raises(GameVoidError) as caught:
        table.play(bad, good, seat, limits, spent=[good.name])
    assert calm_s() - began_s < IMPATIENT.startup_s + SPARE_S
    assert caught.value.bot == bad.name
    assert mishap.told in caught.value.reason
    bad.kill()
    played = table.play(bad, good, seat, limits, spent=[bad.name], opening=("e5",))
    assert (played.result, played.termination) == (("0-1", "1-0")[seat], mishap.why)
    (words,) = record_of(played).comments[0]
    assert str(words).startswith(f"{bad.name} ({seat.word}): again {mishap.told}"[:200])
    assert record_of(played).moves[:1] == ("e5",)
    assert_sound(played)
    assert not bad.is_running


def test_an_answer_that_comes_too_late_says_by_how_much(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "LATE_S", 60.0)
    spec = {"time": TimeControl(move_ms=50)}
    bad, good = table.sit(bad_bots.AnswersTooLate, **spec), table.sit(Good)
    (words,) = record_of(table.play(bad, good, Seat.FIRST, RELAXED)).comments[0]
    told = r"no answer within 0\.100 s at ply \d+; it came (\d\.\d{3}) s later$"
    found = re.search(told, str(words))
    assert found, words
    assert float(found[1]) > 0.5


def await_output(child: Child) -> None:
    """Wait until the bot has written something that nobody has read."""
    until_s = time.monotonic() + RELAXED.startup_s
    while not child.lines and not child.glance(0):
        assert time.monotonic() < until_s
        time.sleep(0.001)


@in_each_seat
@pytest.mark.parametrize("kind", HARMLESS, ids=lambda kind: kind.__name__)
def test_bad_manners_cost_nothing(kind: type[Good], seat: Seat, table: Table) -> None:
    bad, good = table.sit(kind), table.sit(Good)
    played = table.play(bad, good, seat, RELAXED)
    assert record_of(played).termination == Termination.RULES
    assert record_of(played).moves == first_legal_moves()
    assert_sound(played)
    pid = bad.child.pid
    if kind is bad_bots.LeavesHalfALine:  # what it says after it was told of the next game
        await_output(bad.child)  # would begin the line with which it answers
    again = table.play(bad, good, seat, RELAXED, number=2)
    assert record_of(again).moves == record_of(played).moves
    assert bad.child.pid == pid, "the process lives on between games"
    table.bots.remove(bad)
    began_s = calm_s()
    bad.quit()
    assert calm_s() - began_s < 1 + SPARE_S


@pytest.mark.parametrize(
    ("kind", "stray_lines"),
    [(Good, 0), (bad_bots.AnswersUnasked, 1), (bad_bots.AnswersTwice, 1)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_answers_to_nothing_are_counted_and_dropped(
    kind: type[Good], stray_lines: int, table: Table
) -> None:
    bad, good = table.sit(kind), table.sit(Good)
    played = table.play(bad, good, Seat.FIRST, RELAXED)
    assert played.stray_lines == stray_lines


def test_an_answer_within_the_margin_counts_and_empties_the_clock(table: Table) -> None:
    bad, good = table.sit(bad_bots.ThinksABit), table.sit(Good)
    played = table.play(bad, good, Seat.FIRST, BLITZ)
    assert record_of(played).termination == Termination.RULES
    slow = record_of(played).plies[2]
    assert (slow.used_s or 0.0) >= 0.3
    assert slow.annotation("clk") == Annotation("clk", "0.000")


def test_a_death_on_the_others_turn_is_noticed_at_once(table: Table) -> None:
    bad, thinker = table.sit(bad_bots.DiesAfterItsMove), table.sit(bad_bots.HangsInItsMove)
    began_s = calm_s()
    played = table.play(bad, thinker, Seat.FIRST, RELAXED)
    assert calm_s() - began_s < SPARE_S
    assert (record_of(played).result, record_of(played).termination) == ("0-1", Termination.CRASH)
    assert len(record_of(played).plies) == 3


def test_what_a_bot_complains_of_and_its_last_words_are_kept(table: Table) -> None:
    bad, good = table.sit(bad_bots.Complains), table.sit(Good)
    played = table.play(bad, good, Seat.FIRST, RELAXED)
    assert played.stderr == {"Complains": "error I do not feel well"}
    dead = table.sit(bad_bots.DiesInItsMove)
    assert table.play(dead, good, Seat.FIRST, RELAXED, 2).stderr == {
        "DiesInItsMove": "segmentation fault, sort of\n"
    }


def test_a_daemon_that_hides_from_the_arena_ends_with_its_worker(
    tmp_path: Path, table: Table
) -> None:
    pids = tmp_path / "pids"
    hider = BotSpec(
        name="hider",
        command=bad_bots.command(bad_bots.HidesAChild),
        env={"LATH_BOT_PIDS": str(pids)},
    )
    play_in_worker(hider, BotSpec(name="good", command=bad_bots.command(Good)), RELAXED)
    daemons = pids.read_text().split()
    assert daemons
    assert gone(lambda: still_running(daemons))


def test_who_forks_and_exits_all_the_time_ends_with_its_worker(tmp_path: Path) -> None:
    token = f"runs-away-from-{tmp_path.name}-{os.getpid()}"
    runner = BotSpec(
        name="runner", command=bad_bots.command(bad_bots.RunsAway), env={"TOKEN": token}
    )
    play_in_worker(runner, BotSpec(name="good", command=bad_bots.command(Good)), RELAXED)
    for _ in range(100):  # each look may miss it
        assert bearing(token) == []


def bearing(token: str) -> list[str]:
    """Return the command lines of processes that have a word among theirs."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += [text] if token in (text := path.read_bytes().decode()) else []
    return found


def test_a_bot_that_thinks_on_the_others_turn_is_named(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "_ODD_CPU_S", 0.03)
    odd_cpu = Bot.odd_cpu
    # Else waiting for a core in its own turns would hide what it computes in the other's.
    monkeypatch.setattr(Bot, "odd_cpu", lambda bot, own_s: odd_cpu(bot, min(0.01, own_s)))
    thinker, slow = table.sit(bad_bots.ThinksOnTheOthersTurn), table.sit(bad_bots.ThinksABit)
    played = table.play(thinker, slow, Seat.FIRST, RELAXED)
    assert played.termination == Termination.RULES
    assert played.notes == (
        "ThinksOnTheOthersTurn thinks on the other's turn, or in more threads than it is said to",
    )
    assert table.play(table.sit(Good), slow, Seat.FIRST, RELAXED).notes == ()


def test_a_bot_whose_processes_compute_on_the_others_turn_is_named_and_stopped(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "TICK_S", 0.05)
    monkeypatch.setattr(watchdog, "ODD_CPU_S", 0.2)
    thief, slow = table.sit(bad_bots.ComputesInChildren), table.sit(bad_bots.ThinksALot)
    played = table.play(thief, slow, Seat.FIRST, RELAXED)
    assert played.termination == Termination.RULES
    (note,) = played.notes
    assert note.startswith("ComputesInChildren thinks on the other's turn")
    assert note.endswith("; it was stopped meanwhile")
    assert re.search(
        r"arena: used \d+\.\d\d s of CPU time beyond its own turns", dict(played.stderr)[thief.name]
    )
    # It stays so while nobody plays, in the next game, and while others play.
    assert thief.child._watched is not None
    table.watch.rest()
    assert thief.child._watched.turns.is_stopped
    table.watch.suspects.clear()
    thief.child.resume()
    table.watch.suspect(thief.child)
    assert thief.child._watched.turns.is_stopped
    assert table.watch.suspects == {thief.child}
    first, second = table.sit(Good), table.sit(bad_bots.ThinksABit)
    assert table.play(first, second, Seat.FIRST, RELAXED).termination == Termination.RULES
    assert thief.child._watched.turns.is_stopped
    again = table.play(thief, slow, Seat.SECOND, RELAXED)
    assert again.termination == Termination.RULES


def test_no_more_than_a_thousand_letters_of_a_comment_go_into_the_record(table: Table) -> None:
    bad, good = table.sit(bad_bots.TalksALot), table.sit(Good)
    played = table.play(bad, good, Seat.FIRST, RELAXED)
    ply = record_of(played).plies[2]
    words = [part for part in ply.comments[0] if isinstance(part, str)]
    assert [len(part) for part in words] == [999]
    pv = ply.annotation("pv")
    assert pv is not None
    assert 900 < len(pv.value) <= 1000
    assert pv.value.endswith(" b1"), "moves are kept whole"


def test_a_bot_that_has_much_to_say_on_quit_is_not_stubborn(table: Table) -> None:
    bad = table.sit(bad_bots.WritesALotOnQuit)
    bad.start(RELAXED)
    assert bad.leave(bad.ask_to_leave())
    assert bad.parting_note == ""
