"""The talk with one bot, against scripts and a clock of their own: no process, no waiting."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace

import bad_bots
import pytest
from bad_bots import Good
from scripted import Clock, ScriptedWatch, scripted

from lath import games
from lath.arena.errors import ConfigError, HeldUpError
from lath.arena.referee import process, process_trees, watch
from lath.arena.referee.bots import INFO_KEPT, Asides, BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot, NoAnswerError
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record.tags import Termination

TIME = TimeControl(move_ms=1000)
LIMITS = Limits(time=TIME)
ALLOWED_S = 1.05
START = games.get("yavalath").start()


@dataclass
class Table:
    """Where bots sit; each is asked in its own game, after so many plies as it has answered."""

    clock: Clock
    watch: watch.Watch
    bots: list[Bot] = field(default_factory=list)

    def sit(self, kind: type[Good], *, forgives: bool = False, **options: object) -> Bot:
        """Return a bot that was started and is ready for a game."""
        spec = BotSpec(name=kind.__name__, command=(sys.executable, kind.__name__), options=options)
        bot = Bot(spec, self.watch, tree="scripted", forgives_hold_ups=forgives)
        self.bots.append(bot)
        bot.start(LIMITS)
        new = wire.NewGame(number=7, game="yavalath", side="first", time=TIME, seed=1)
        bot.begin(new, LIMITS)
        return bot

    def again(self, bot: Bot, time: TimeControl = TIME) -> None:
        """Begin a game with a fresh process."""
        bot.start(LIMITS)
        new = wire.NewGame(number=8, game="yavalath", side="first", time=time, seed=1)
        bot.begin(new, LIMITS)

    def ask(self, bot: Bot, ply: int, other: Bot | None = None) -> tuple[str, float]:
        return bot.ask(START, ply, (0, 0), ALLOWED_S, other)

    def ask_twice(self, bot: Bot, other: Bot | None = None) -> tuple[str, float]:
        """Return the answer of its second turn, in which bad bots misbehave."""
        self.ask(bot, 1)
        return self.ask(bot, 3, other)


@pytest.fixture
def table() -> Iterator[Table]:
    with scripted() as clock:
        table = Table(clock, watch.Watch())
        yield table
        for bot in table.bots:
            bot.kill()


# Its greeting


def test_a_greeting_is_read_whatever_stands_before_and_between(table: Table) -> None:
    greeting = table.sit(bad_bots.HasABanner).greeting
    assert (greeting.name, greeting.wants) == ("Bad", ["legal"])
    assert greeting.games == ["yavalath", "surikata", "mammalath"]
    assert greeting.banner == ["Bad 1.0 (c) me", "ready?", "bestmove 1 a1", "\x00\x07"]


def test_a_bot_is_refused_that_does_not_name_the_games_or_options(table: Table) -> None:
    bot = table.sit(Good)
    bot.refuse_unless_it_plays(["yavalath", "surikata"])
    with pytest.raises(ConfigError, match="does not play chess, go: it plays mamm"):
        bot.refuse_unless_it_plays(["yavalath", "chess", "go"])
    assert table.sit(Good, depth=3).wrong_options() == ["unknown option 'depth' (it has none)"]


# Its answers


def test_who_hangs_is_waited_for_until_the_deadline(table: Table) -> None:
    bot = table.sit(bad_bots.HangsInItsMove)
    table.ask(bot, 1)
    asked_s = table.clock.now_s
    with pytest.raises(NoAnswerError) as caught:
        table.ask(bot, 3)
    assert (caught.value.bot, caught.value.why) == (bot, Termination.TIME)
    assert (caught.value.awaited, caught.value.within_s) == ("bestmove 3", ALLOWED_S)
    assert table.clock.now_s - asked_s == pytest.approx(ALLOWED_S)
    assert bot.is_thinking


def test_the_other_bot_is_watched_while_one_thinks(table: Table) -> None:
    thinker, flooder = table.sit(bad_bots.HangsInItsMove), table.sit(bad_bots.WritesForEver)
    table.ask(thinker, 1)
    table.ask(flooder, 1)
    flooder.news += b"go 3\n"
    flooder.say("go 3")
    with pytest.raises(NoAnswerError) as caught:
        table.ask(thinker, 3, flooder)
    assert (caught.value.bot, caught.value.why) == (flooder, Termination.FLOOD)


# A machine that stands still


def freeze(table: Table, after_s: float, seconds: float, *, arena_only: bool = False) -> None:
    """Let the machine stand still once, so long after now; bots that it stops go on after it."""
    watch, begins_s = table.watch, table.clock.now_s + after_s
    assert isinstance(watch, ScriptedWatch)
    wait, is_over = watch.wait, False

    def frozen(until_s: float) -> None:
        nonlocal is_over
        if is_over or until_s <= begins_s:
            return wait(until_s)
        first = min([until_s, *(child.next_s() or until_s for child in watch.children)])
        if first < begins_s:
            return wait(until_s)
        is_over = True
        table.clock.now_s = begins_s + seconds
        for child in watch.children:
            child.put_off(0.0 if arena_only else seconds)
        return wait(min(until_s, table.clock.now_s))

    watch.wait = frozen  # type: ignore[method-assign]


STALLS = [0.05, 0.06, 0.1, 0.4, 0.6, 3.0, 20.0]
MOMENTS = [*range(0, 300, 7), 295, 299]
"""Milliseconds of a turn of 300."""


def play_frozen(
    table: Table, bot: Bot, move_ms: int, at_ms: int, seconds: float, **how: bool
) -> tuple[str, float]:
    table.ask(bot, 1)
    freeze(table, at_ms / 1000, seconds, **how)
    return bot.ask(START, 3, (0, 0), move_ms / 1000 + 0.05)


@pytest.mark.parametrize("arena_only", [False, True])
def test_no_stall_makes_an_answer_late_that_took_the_time_there_was(
    arena_only: bool, table: Table
) -> None:
    bot, wrong = table.sit(bad_bots.ThinksABit), []
    for seconds in STALLS:
        held_s = []
        for at_ms in MOMENTS:
            table.again(bot)
            try:
                used_s = play_frozen(table, bot, 301, at_ms, seconds, arena_only=arena_only)[1]
                wrong += [(seconds, at_ms)] if used_s > 0.351 else []
            except HeldUpError as error:
                held_s.append(error.held_s)
        wrong += [(seconds, each_s) for each_s in held_s if abs(seconds - 0.02 - each_s) >= 0.03]
        assert len(held_s) == len(MOMENTS) or seconds < 0.4
    assert wrong == []


@pytest.mark.parametrize("kind", [bad_bots.ThinksABit, bad_bots.HangsInItsMove])
def test_no_stall_excuses_a_bot_that_takes_too_long(kind: type[Good], table: Table) -> None:
    bot = table.sit(kind)
    for seconds in STALLS:
        for at_ms in MOMENTS:
            table.again(bot)
            with pytest.raises(NoAnswerError) as caught:
                play_frozen(table, bot, 200, at_ms, seconds)
            assert caught.value.why is Termination.TIME


def test_a_stall_that_takes_little_of_a_clock_is_charged_and_a_long_one_is_not(
    table: Table,
) -> None:
    clock = TimeControl(initial_ms=10_000)
    bot = table.sit(bad_bots.ThinksABit)
    table.again(bot, clock)
    assert play_frozen(table, bot, 10_000, 100, 0.4)[1] == pytest.approx(0.7, abs=0.01)
    table.again(bot, clock)
    with pytest.raises(HeldUpError):
        play_frozen(table, bot, 10_000, 100, 0.6)
    table.again(bot)
    assert play_frozen(table, bot, 10_000, 100, 0.6)[1] == pytest.approx(0.9, abs=0.01)


def test_where_it_is_forgiven_the_time_is_taken_off(table: Table) -> None:
    bot = table.sit(bad_bots.ThinksABit, forgives=True)
    assert play_frozen(table, bot, 301, 100, 3.0)[1] <= 0.351


def test_who_waits_for_a_core_is_waited_for_but_not_for_ever(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    began_s = table.clock.now_s
    monkeypatch.setattr(process.Child, "waited_s", property(lambda _: table.clock.now_s - began_s))
    thinks, hangs = table.sit(bad_bots.ThinksABit), table.sit(bad_bots.HangsInItsMove)
    for bot, error in ((thinks, HeldUpError), (hangs, NoAnswerError)):
        table.ask(bot, 1)
        asked_s = table.clock.now_s
        with pytest.raises(error):
            bot.ask(START, 3, (0, 0), 0.2)
        assert table.clock.now_s - asked_s == pytest.approx(0.3 if bot is thinks else 0.4, abs=0.03)


@pytest.mark.parametrize(
    ("own_s", "others_s", "verdict"),
    [(0.0, 0.0, "again"), (0.1, 0.0, "again"), (0.4, 0.0, "late"), (0.0, 0.4, "in time")],
)
def test_who_keeps_the_machine_busy_gains_nothing(
    own_s: float, others_s: float, verdict: str, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, other = table.sit(bad_bots.ThinksABit), table.sit(Good)
    table.ask(bot, 1, other)
    bot.is_watched = other.is_watched = True
    began_s = table.clock.now_s
    monkeypatch.setattr(process_trees, "cores", lambda: 2)

    def used_s(child: process.Child) -> float:
        in_all_s = own_s if child is bot.child else 2 * others_s
        return in_all_s if table.clock.now_s > began_s + 0.2 else 0.0

    monkeypatch.setattr(process.Child, "tree_cpu_s", property(used_s))
    freeze(table, 0.1, 0.4)
    if verdict == "in time":
        assert bot.ask(START, 3, (0, 0), 0.351, other) == ("a1", 0.351)
        return
    with pytest.raises(HeldUpError if verdict == "again" else NoAnswerError):
        bot.ask(START, 3, (0, 0), 0.351, other)
    assert table.clock.now_s - began_s == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize("stall_s", [0.0, 0.4])
@pytest.mark.parametrize("own_s", [0.02, 0.18])
def test_who_computes_and_is_late_time_and_again_is_late(
    own_s: float, stall_s: float, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = table.sit(bad_bots.ThinksABit)
    began_s = table.clock.now_s
    monkeypatch.setattr(process.Child, "waited_s", property(lambda _: table.clock.now_s - began_s))
    ends: list[Exception] = []

    def used_since(at_s: float) -> Callable[[process.Child], float]:
        return lambda _: own_s if table.clock.now_s > at_s + 0.19 else 0.0

    for times in range(3):
        table.again(bot)
        table.ask(bot, 1)
        bot.is_watched, bot.times_late = True, times
        monkeypatch.setattr(process.Child, "tree_cpu_s", property(used_since(table.clock.now_s)))
        if stall_s:  # of the arena itself
            freeze(table, 0.1, stall_s)
        with pytest.raises((HeldUpError, NoAnswerError)) as caught:
            bot.ask(START, 3, (0, 0), 0.351 if stall_s else 0.2)
        ends.append(caught.value)
    slow, last = own_s > 0.1 and not stall_s, ends[-1]
    assert [isinstance(end, HeldUpError) and end.late for end in ends[:2]] == 2 * [
        bot.name if slow else ""
    ]
    assert isinstance(last, NoAnswerError) == slow
    if isinstance(last, NoAnswerError):
        words = bot.lateness(last)
        assert re.fullmatch(
            r"; it came 0\.\d+ s later, for the 3rd time in this game: it computes too long", words
        )


@pytest.mark.parametrize("is_robbed", [True, False])
def test_a_bot_is_in_time_where_the_other_has_computed_in_its_turn(
    is_robbed: bool, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, other = table.sit(bad_bots.ThinksABit), table.sit(Good)
    table.ask(bot, 1, other)
    other._free_since_s = None  # its game has begun
    began_s = table.clock.now_s

    def used_s(child: process.Child) -> float:
        return table.clock.now_s - began_s if is_robbed and child is other.child else 0.0

    monkeypatch.setattr(process.Child, "tree_cpu_s", property(used_s))
    monkeypatch.setattr(process_trees, "cores", lambda: 1)
    if is_robbed:
        assert bot.ask(START, 3, (0, 0), 0.2, other) == ("a1", 0.2)
    else:
        with pytest.raises(NoAnswerError):
            bot.ask(START, 3, (0, 0), 0.2, other)
    assert table.watch.suspects == ({other.child} if is_robbed else set())


# What answers nothing


def test_asides_are_sorted_counted_and_bounded() -> None:
    asides = Asides(forgiven=[b"bestmove", b"4"])
    for line in (b"", b" \r", b"error I am\r", b"bestmove 4 a1", b"bestmove 5 a1", b"who?"):
        asides.take(line)
    for _ in range(5 * INFO_KEPT):
        asides.take(b"info depth 1")
    assert (asides.complaints.number, asides.complaints.first) == (1, ["error I am"])
    assert (asides.strays.number, asides.strays.first) == (2, ["bestmove 5 a1", "who?"])
    assert asides.wrong_answer == "bestmove 5 a1"
    assert asides.info_lines == 5 * INFO_KEPT
    assert INFO_KEPT <= len(asides.infos) <= 2 * INFO_KEPT


# Its end


def test_a_bot_has_a_second_to_end(table: Table) -> None:
    bot = table.sit(bad_bots.IgnoresQuit)
    began_s = table.clock.now_s
    assert not bot.leave(bot.ask_to_leave())
    assert not bot.is_running
    assert table.clock.now_s - began_s <= 1.01


def test_what_a_bot_says_is_kept_without_what_commands_a_terminal() -> None:
    asides = Asides()
    asides.take("info depth 3 text red \x1b[31m and \x9b2J, \u202eback".encode())
    assert asides.comments() == {"depth": "3", "text": "red ·[31m and ·2J, ·back"}
    assert asides.comments() == {}
    asides.take(b"error \x1b[31mno such thing\r")
    asides.take(b"perhaps\xc2\x9b2J")
    assert asides.complaints.first == ["error ·[31mno such thing"]
    assert asides.strays.first == ["perhaps·2J"]


def test_the_marks_below_the_lines_of_a_traceback_are_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = "  return 1 / 0\n         ~~^~~\nZeroDivisionError: division by zero\n"
    monkeypatch.setattr(Bot, "child", SimpleNamespace(stderr_text=lambda: said))
    bot = Bot(BotSpec(name="ann", command=("ann",)), watch.Watch(), tree="")
    told = "return 1 / 0 ZeroDivisionError: division by zero"
    assert bot.cause("exited").reason == f"exited; standard error: {told}"
