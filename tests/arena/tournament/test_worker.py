"""What a worker makes of a pair: void games played again, bots kept, results as text."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final
from unittest.mock import patch

import bad_bots
import pytest
from bad_bots import Good
from processes import alive_of, gone, new_tree
from results import a_result
from scripted import a_team, scripted
from workers import a_job

from lath.arena.errors import LACKS, Cause, HeldUpError
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import STOP_S, Limits
from lath.arena.referee.conversation import Bot
from lath.arena.referee.record import GamePlan, GameResult
from lath.arena.tournament.run import worker
from lath.arena.tournament.run.worker import play_pair
from lath.arena.tournament.store.jobs import PairResult, read_result
from lath.notation.protocol import TimeControl

RELAXED = Limits(time=TimeControl(move_ms=10_000), startup_s=10.0)


class Shop:
    """This process as a worker."""

    def __init__(self, folder: Path) -> None:
        self.team = worker._own_team()  # that of a worker is nobody else's
        self.tree = new_tree()
        self.folder = folder
        self.pairs = 0

    def spec(self, name: str, kind: type[Good] = Good) -> BotSpec:
        return BotSpec(
            name=name, command=bad_bots.command(kind), env={"LOG": str(self.folder / name)}
        )

    def play(self, one: BotSpec, other: BotSpec) -> PairResult:
        self.pairs += 1
        job = a_job(one, other, RELAXED, pair=self.pairs, tree=self.tree)
        return read_result(play_pair(job))

    def attempt(self, one: BotSpec, other: BotSpec) -> PairResult:
        """Try whether two bots can be started."""
        job = a_job(one, other, RELAXED, pair=self.pairs, tree=self.tree)
        return read_result(play_pair(replace(job, games=())))

    def running(self) -> set[int]:
        return alive_of(self.tree)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """Make this process a worker without bots, and see that it has none in the end."""
    shop = Shop(tmp_path)
    yield shop
    shop.team.trim(0)
    for known in (shop.team.voids, shop.team.spent, shop.team.watched):
        known.clear()
    assert gone(shop.running)


def test_a_pair_is_two_games_with_the_sides_changed_by_bots_that_go_on(shop: Shop) -> None:
    ann, bob = shop.spec("ann"), shop.spec("bob")
    played = shop.play(ann, bob)
    assert [(game.number, game.first, game.second) for game in played.games] == [
        (1, "ann", "bob"),
        (2, "bob", "ann"),
    ]
    assert [game.result for game in played.games] == ["1-0", "1-0"]
    assert played.games[0].plies == 36
    assert (played.void, played.voided) == (None, 0)
    before = shop.running()
    shop.play(bob, ann)
    assert shop.running() == before
    assert len(before) == 2
    shop.play(ann, shop.spec("bob", bad_bots.Swaps))
    assert len(shop.running() & before) == 1, "a changed bot is started again"


@pytest.fixture
def scripts(shop: Shop) -> Iterator[Shop]:
    """Give a shop whose bots are scripts."""
    with scripted(), a_team():
        yield shop


@pytest.fixture
def kept_bots(monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many bots a worker keeps: fewer than else."""
    monkeypatch.setattr(worker, "KEPT_BOTS", 3)
    return worker.KEPT_BOTS


def test_the_bots_that_were_not_used_for_longest_are_ended(shop: Shop, kept_bots: int) -> None:
    for number in range(kept_bots):
        shop.play(shop.spec(f"bot {number}"), shop.spec(f"bot {number + 1}"))
    assert gone(lambda: len(shop.running()) != kept_bots)


def test_a_bot_that_ignores_quit_is_waited_for_once(
    shop: Shop, kept_bots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stubborn = shop.spec("stubborn", bad_bots.IgnoresQuit)
    given_s = []
    leave = Bot.leave

    def timed(bot: Bot, until_s: float) -> bool:
        if bot.name == "stubborn":
            given_s.append(max(0.0, until_s - time.monotonic()))
        return leave(bot, until_s)

    monkeypatch.setattr(Bot, "leave", timed)
    for turn in range(3):
        shop.play(stubborn, shop.spec(f"bot {turn}.0"))
        for number in range(1, kept_bots):
            shop.play(shop.spec(f"bot {turn}.{number}"), shop.spec(f"bot {turn}.{number + 1}"))
    assert given_s[0] <= STOP_S
    assert given_s[1:] == [0.0, 0.0]


def test_a_game_that_is_void_is_played_again_once(shop: Shop) -> None:
    played = shop.play(shop.spec("late", bad_bots.StartsTheSecondTime), shop.spec("cat"))
    assert (len(played.games), played.void, played.voided) == (2, None, 1)
    shop.team.trim(0)
    ill, bob = shop.spec("ill", bad_bots.ExitsAtStart), shop.spec("bob")
    first = shop.play(ill, bob)
    assert first.games == ()
    assert str(first.void).startswith("ill: exited with status 7 before ok")
    assert gone(shop.running), "a void game leaves no bot behind"
    dan = shop.spec("dan", bad_bots.Listens)
    bob = replace(dan, name="bob")
    second = shop.play(ill, bob)  # what waits of a stopped pairing is not tried again
    assert (second.games, second.void, second.void_bot) == ((), first.void, "ill")
    assert not (shop.folder / "dan").exists(), "nobody was started"
    assert len(shop.play(bob, shop.spec("cat")).games) == 2


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (bad_bots.LeavesWhereItIsSecond, "exited with status 4 before its first turn"),
        (bad_bots.StartsUntilAGameIsOver, "exited with status 6 before ok"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_bot_cannot_choose_the_games_that_it_plays(
    kind: type[Good], why: str, scripts: Shop
) -> None:
    picky, bob = scripts.spec("picky", kind), scripts.spec("bob")
    played = scripts.play(picky, bob)
    assert [game.termination for game in played.games] == ["rules", "crash"]
    assert played.games[1].result == "1-0"
    assert f"picky (second): again {why}" in played.games[1].record.replace("\n", " ")
    assert (played.void, played.voided, played.spent) == (None, 1, ("picky",))
    again = scripts.play(bob, picky)
    assert (again.games[0].termination, again.voided) == ("crash", 0), "it has had its void"


def lacks(played: PairResult, words: str) -> bool:
    """Return whether a pair waits for what the machine lacks, and nobody is to blame for that."""
    assert not played.games
    assert (played.void_bot, played.spent, played.voided) == ("", (), 0)
    return words in played.lack


@contextmanager
def refused(code: int) -> Iterator[None]:
    """Let the system start no process."""
    with patch.object(subprocess, "Popen", side_effect=OSError(code, os.strerror(code))):
        yield


def test_a_bot_that_the_system_does_not_start_is_not_to_blame(shop: Shop) -> None:
    ann, bob = shop.spec("ann"), shop.spec("bob")
    for code in LACKS:
        with refused(code):
            played = shop.play(ann, bob)
        assert played.void is None
        assert lacks(played, f"ann cannot be started: {os.strerror(code)} (the machine needs more ")
    with refused(errno.EAGAIN):
        assert lacks(shop.attempt(ann, bob), "ann cannot be started: Resource temporarily")
    assert not shop.attempt(ann, bob).lack, "a trial starts bots and plays nothing"
    before = shop.running()
    assert len(before) == 2
    assert len(shop.play(ann, bob).games) == 2
    assert shop.running() == before


def test_nor_is_one_for_which_there_are_no_descriptors(shop: Shop) -> None:
    ann, bob = shop.spec("ann"), shop.spec("bob")
    shop.play(ann, bob)  # what is loaded with the first pair is there
    shop.team.trim(0)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    spare = [os.dup(0) for _ in range(9)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(spare) + 1, hard))
    for descriptor in spare:
        os.close(descriptor)
    try:
        played = shop.play(ann, bob)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert lacks(played, "bob cannot be started: Too many open files")
    assert gone(shop.running), "what it kept may be what is lacking"
    assert len(shop.play(ann, bob).games) == 2


def test_bots_that_are_only_kept_make_room_for_others(shop: Shop) -> None:
    ann, bob, cat = shop.spec("ann"), shop.spec("bob"), shop.spec("cat")
    shop.play(ann, cat)
    start = subprocess.Popen

    def only_two(*words: object, **more: object) -> object:
        if len(shop.running()) == 2:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return start(*words, **more)  # type: ignore[call-overload]

    with patch.object(subprocess, "Popen", only_two):
        played = shop.play(ann, bob)
    assert (len(played.games), played.lack, played.voided) == (2, "", 0)


def test_nor_is_one_without_a_scratch_folder(shop: Shop) -> None:
    missing, before = shop.folder / "missing", process_trees.scratch_root()
    process_trees.settle(str(missing))
    try:
        played = shop.play(shop.spec("ann"), shop.spec("bob"))
        words = f"no scratch folder can be made in {missing}: No such file or directory"
        assert lacks(played, words)
        missing.mkdir()
        assert len(shop.play(shop.spec("ann"), shop.spec("bob")).games) == 2
    finally:
        shop.team.trim(0)
        process_trees.settle(before)


def test_a_command_that_is_wrong_is_its_bots_fault(shop: Shop) -> None:
    program = shop.folder / "program"
    ill, bob = BotSpec(name="ill", command=(str(program),)), shop.spec("bob")
    for mode, text, error in (
        (0, "", "No such file or directory"),
        (0o644, "#!/bin/sh\n", "Permission denied"),
        (0o755, "no program", "Exec format error"),
    ):
        if mode:
            program.write_text(text)
            program.chmod(mode)
        played = shop.play(ill, bob)
        assert (played.void_bot, played.lack) == ("ill", "")
        assert f"ill: cannot be started: {error}" in str(played.void)
        shop.team.voids.clear()


def no_room(*_: object) -> None:
    raise process_trees.lacking("bots have no room for files", errno.ENOSPC)


def no_thread(*_: object) -> None:
    raise RuntimeError("can't start new thread")


NO_ROOM: Final = "bots have no room for files: No space left on device"
NO_PROCESS: Final = "Resource temporarily unavailable (the machine needs more processes)"
"""Of a bot that cannot start, or of the watchdog, where that has gone to sleep."""

NO_WATCH: Final = "nobody can watch bots: "
"""The watchdog slept, so that no bot was started and there is no mishap to tell of."""

LACKING: Final = {
    NO_ROOM: partial(patch.object, process_trees, "refuse_if_lacking", no_room),
    NO_PROCESS: partial(patch.object, threading.Thread, "start", no_thread),
}
"""What the machine lacks when a game is over, and how to bring that about."""


@pytest.mark.parametrize(
    ("kind", "mishap", "words"),
    [
        (bad_bots.DiesInItsMove, "ill crashed in game 1", NO_ROOM),
        (bad_bots.ExitsAtStart, "ill: exited with status 7 before ok", NO_PROCESS),
        (bad_bots.ExitsBeforeItsFirstGo, "ill: exited with status 3 before its first", NO_ROOM),
    ],
)
def test_a_game_that_breaks_off_while_something_is_lacking_does_not_count(
    kind: type[Good], mishap: str, words: str, shop: Shop
) -> None:
    ill, bob = shop.spec("ill", kind), shop.spec("bob")
    with LACKING[words]():
        played = shop.play(ill, bob)
        assert lacks(played, words)
        assert str(played.void).startswith(mishap) or played.lack.startswith(NO_WATCH)
        assert lacks(shop.attempt(ill, bob), words), "it is still so"
    assert not shop.attempt(ill, bob).lack
    later = shop.play(ill, bob)
    assert later.games or later.void_bot == "ill", "now it is its own fault"


def test_a_machine_that_stands_still_is_no_bots_fault(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stands_still(*_: object, **__: object) -> None:
        raise HeldUpError(3.0)

    with monkeypatch.context() as patch:
        patch.setattr(worker, "play_game", stands_still)
        played = shop.play(shop.spec("ann"), shop.spec("bob"))
    assert (played.games, played.void_bot) == ((), "")
    assert played.void == Cause("this machine paused the arena 20 times in a game")
    assert set(played.notes) == {"the machine paused for a while; the arena plays a game again"}
    assert shop.team.watched == {"ann", "bob"}, "it may be their doing"
    assert len(shop.play(shop.spec("ann"), shop.spec("bob")).games) == 2, "it is tried again"


def test_a_bot_for_which_a_game_is_begun_again_hears_how_often_it_was_late(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = []

    def is_late(plan: GamePlan, bots: tuple[Bot, Bot], *_: object, **__: object) -> GameResult:
        late.append({bot.name: bot.times_late for bot in bots})
        if len(late) < 4:
            raise HeldUpError(0.1, "ann" if len(late) != 2 else "")
        return a_result(plan.number, names=plan.names, termination="time")

    monkeypatch.setattr(worker, "play_game", is_late)
    played = shop.play(shop.spec("ann"), shop.spec("bob"))
    assert [each["ann"] for each in late] == [0, 1, 1, 2, 0], "each game begins from nothing"
    assert {each["bob"] for each in late} == {0}
    assert "ann was late, and computed; the arena plays a game again" in played.notes


def test_bots_of_a_game_that_was_lost_by_time_are_watched(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def loses(plan: GamePlan, bots: tuple[Bot, Bot], *_: object, **__: object) -> GameResult:
        seen.append([bot.is_watched for bot in bots])
        return a_result(plan.number, names=plan.names, termination="time")

    monkeypatch.setattr(worker, "play_game", loses)
    shop.play(shop.spec("ann"), shop.spec("bob"))
    assert seen == [[False, False], [True, True]]


def test_a_bot_that_leaves_after_each_game_costs_nothing(scripts: Shop) -> None:
    for kind in (bad_bots.LeavesAfterEachGame, bad_bots.LeavesWhenTheNextGameBegins):
        one_game = scripts.spec(kind.__name__, kind)
        for _ in range(2):
            played = scripts.play(one_game, scripts.spec("bob"))
            assert [game.termination for game in played.games] == ["rules", "rules"]
            assert (played.void, played.voided, played.spent) == (None, 0, ())


def test_a_result_is_the_same_after_a_trip_as_text() -> None:
    games = (
        a_result(1),
        a_result(2, stderr={"ann": "ünïcödé \0 \x1b"}, first_used_s=0.1, second_used_s=1 / 3),
    )
    result = PairResult(
        pair=7, games=games, void=Cause("why", "ann", "ünïcödé"), voided=1, spent=("ann",)
    )
    assert read_result(result.as_text()) == result
    assert "\n" not in result.as_text()
