"""The runner plays what is missing, each game once, whatever becomes of its workers."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from itertools import count
from pathlib import Path
from typing import Any, Final

import bad_bots
import pytest
from arena_runs import (
    PATIENCE_S,
    Range,
    command,
    environment,
    exported,
    flags,
    kill_a_worker,
    numbers,
    sequence,
    wait_until_it_plays,
)
from desks import Desk, Inline, Watcher, all_won
from processes import alive_of, gone, new_tree, still_running
from results import a_config, a_result, finished

from lath.arena.errors import ArenaError, Cause, MachineError, StoreError
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.schedule.budget import Budget
from lath.arena.schedule.sprt import Sprt
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.run.open_games import OpenGames
from lath.arena.tournament.run.runner import MAX_BREAKS, Runner
from lath.arena.tournament.run.slots import FEWEST, MOST
from lath.arena.tournament.store.jobs import PairJob, PairResult
from lath.arena.tournament.store.store import Store
from lath.notation.protocol import TimeControl

EIGHT: Final = ("A", "B", "C", "D", "E", "F", "G", "H")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """Give a new store and count what is played."""
    desk = Desk(tmp_path, monkeypatch)
    yield desk
    desk.store.close()


def once(*played: int) -> Counter[int]:
    return Counter(dict.fromkeys(played, 1))


def better_wins(job: PairJob) -> str:
    """Let the bot win whose name comes first in the alphabet."""
    games = [
        a_result(plan.number, plan.names, result="1-0" if plan.names[0] < plan.names[1] else "0-1")
        for plan in job.games
    ]
    return PairResult(pair=job.pair, games=tuple(games)).as_text()


def without(name: str, play: Callable[[PairJob], str] = better_wins) -> Callable[[PairJob], str]:
    """Let one bot be unable to start."""

    def attempt(job: PairJob) -> str:
        if name not in job.pairing:
            return play(job)
        void = Cause("cannot be started", name)
        return PairResult(pair=job.pair, games=(), void=void, void_bot=name).as_text()

    return attempt


def void_for_cat(job: PairJob) -> str:
    """Let pairs of cat be void, of which nobody says that it is cat's fault."""
    if "cat" not in job.pairing:
        return all_won(job)
    return PairResult(pair=job.pair, games=(), void=Cause("cannot be started", "cat")).as_text()


def deadly_for(*pairing: str) -> Callable[[PairJob], str]:
    """Let the pairs of two bots end every worker."""

    def play(job: PairJob) -> str:
        if job.pairing == {*pairing}:
            raise BrokenProcessPool
        return better_wins(job)

    return play


# What is played


def test_every_game_is_played_once_and_each_pair_is_told_of_once(desk: Desk) -> None:
    summary = desk.run(rounds=20, jobs=3)
    assert desk.played == once(*sequence(2 * 20 * 3))
    assert finished(desk.store) == set(desk.played)
    assert (summary.done, summary.total, summary.is_complete) == (120, 120, True)
    assert (summary.stopped, summary.interrupted) == ({}, False)
    assert desk.watcher.starts == [(0, 120)]
    assert exported(desk.store.folder) == sequence(120)
    assert sorted(pair for pair, _ in desk.watcher.running) == sequence(60)
    assert {slot for _, slot in desk.watcher.running} == {1, 2, 3}


def test_a_resumed_run_plays_only_what_is_missing(desk: Desk) -> None:
    desk.store.add([a_result(number) for number in (1, 2, 5, 8)])
    for _ in range(2):
        assert desk.run(rounds=2).is_complete
        assert desk.played == once(3, 4, 6, 7, 9, 10, 11, 12)
    assert desk.watcher.starts == [(4, 12), (12, 12)]


def test_no_more_jobs_are_handed_out_than_the_window_holds(desk: Desk) -> None:
    planned = count()

    def stop_at_once(job: PairJob) -> str:
        next(planned)
        os.kill(os.getpid(), signal.SIGINT)
        return all_won(job)

    summary = desk.run(stop_at_once, rounds=10**9, jobs=1)
    assert summary.interrupted
    assert next(planned) <= FEWEST
    assert summary.total == 6 * 10**9


def test_what_is_odd_about_bots_is_told_once_and_counted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[str] = []

    def odd(job: PairJob) -> str:
        left.append(process_trees.new_scratch(f"{job.tree}{job.pair}"))
        games = (
            a_result(plan.number, names=plan.names, notes=("ann is odd",)) for plan in job.games
        )
        return PairResult(pair=job.pair, games=tuple(games), notes=("bob, too",)).as_text()

    with monkeypatch.context() as patch:
        patch.setattr(
            process_trees, "remove", lambda _folder: None
        )  # as of files that cannot be removed
        summary = desk.run(odd, rounds=2, jobs=1)
    assert summary.notes == {"ann is odd": 12, "bob, too": 6}
    stay = {f"{folder}: left by a bot, cannot be removed" for folder in left}
    assert Counter(desk.watcher.warnings) == Counter(["ann is odd", "bob, too", *stay])
    assert len(left) == 6
    for folder in left:
        Path(folder).rmdir()


def test_who_voids_a_game_is_known_to_all_workers_and_later_runs(desk: Desk) -> None:
    known: list[tuple[frozenset[str], frozenset[str]]] = []

    def leaves_once(job: PairJob) -> str:
        known.append((job.spent, job.started))
        games = tuple(a_result(plan.number, names=plan.names) for plan in job.games)
        return PairResult(pair=job.pair, games=games, voided=1, spent=("B",)).as_text()

    told = "B left a game before its first turn; next time it loses the game"
    for rounds, is_told in ((1, True), (2, False)):
        desk.watcher.warnings.clear()
        desk.run(leaves_once, names=("A", "B"), rounds=rounds)
        assert (told in desk.watcher.warnings) is is_told
    assert known == [(frozenset(), frozenset()), (frozenset({"B"}), frozenset({"A", "B"}))]


def test_a_pairing_that_is_void_stops_and_the_rest_is_played(desk: Desk) -> None:
    summary = desk.run(void_for_cat, rounds=30)
    assert finished(desk.store) == {n for n in range(1, 181) if (n - 1) // 2 % 3 == 0}
    assert (summary.is_complete, summary.interrupted) == (False, False)
    why = Cause("cannot be started", "cat")
    assert summary.stopped == {frozenset({other, "cat"}): why for other in ("ann", "bob")}
    assert desk.played.total() <= 60 + 2 * 2 * MOST, "a stopped pairing is not tried for ever"
    assert len(desk.watcher.warnings) == 2


def test_a_game_of_a_void_pair_that_was_played_is_kept(desk: Desk) -> None:
    def second_game_void(job: PairJob) -> str:
        games = (a_result(job.games[0].number),)
        return PairResult(pair=job.pair, games=games, void=Cause("gone")).as_text()

    desk.run(second_game_void, rounds=1)
    assert finished(desk.store) == {1, 3, 5}


def test_too_few_cores_are_told_of_with_how_many_it_takes(desk: Desk) -> None:
    bots = tuple(BotSpec(name=name, command=("/nowhere",), threads=4000) for name in ("ann", "bob"))
    desk.run(rounds=1, jobs=1, pin="auto", bots=bots)
    desk.run(rounds=2, jobs=2, pin="auto", bots=bots)
    assert desk.watcher.warnings == [
        "1 game needs 4000 cores: nothing is pinned",
        "2 games at a time need 8000 cores: nothing is pinned",
    ]


# What becomes of workers


def test_jobs_of_a_worker_that_died_are_played_again(desk: Desk) -> None:
    deaths = [1, 7, 8]

    def die_sometimes(job: PairJob) -> str:
        if deaths and job.pair == deaths[0]:
            deaths.pop(0)
            raise BrokenProcessPool
        return all_won(job)

    assert desk.run(die_sometimes, rounds=10, jobs=2).is_complete
    assert finished(desk.store) == set(sequence(60))
    assert desk.played == once(*sequence(60))
    assert len(desk.watcher.warnings) == 3


@pytest.mark.parametrize(
    ("first_fate", "died_in"),
    [("dies", 1), ("waits", 2)],
    ids=["both jobs of a dead worker", "who plays in any order dies of the second"],
)
def test_of_two_jobs_in_hand_what_was_not_played_is_played_again(
    first_fate: str, died_in: int, desk: Desk
) -> None:
    fates = iter([first_fate, "dies"])

    class Dying(Inline):
        """Accepts two jobs, then turns out to be dead."""

        def submit(self, play: Callable[..., Any], /, *jobs: Any, **_: Any) -> Future[Any]:
            if (fate := next(fates, None)) is None:
                return super().submit(play, *jobs)
            future: Future[Any] = Future()
            if fate == "dies":
                future.set_exception(BrokenProcessPool())
            return future

    desk.worker = Dying
    assert desk.run(rounds=3, jobs=1).is_complete
    assert desk.played == once(*sequence(18))
    told = f"a worker died in pair {died_in}; the arena plays this pair again"
    assert desk.watcher.warnings == [told]


def test_a_pair_that_ends_every_worker_stops_its_pairing(desk: Desk) -> None:
    summary = desk.run(deadly_for("ann", "bob"), rounds=5)
    assert list(summary.stopped) == [frozenset({"ann", "bob"})]
    assert f"killed its worker {MAX_BREAKS} times" in str(
        summary.stopped[frozenset({"ann", "bob"})]
    )
    assert summary.done == 20


def test_a_bug_in_a_worker_is_raised_and_what_was_stored_is_exported(desk: Desk) -> None:
    def buggy(job: PairJob) -> str:
        if job.pair == 9:
            raise ValueError("a bug")
        return all_won(job)

    with pytest.raises(ValueError, match="a bug"):
        desk.run(buggy, rounds=5, jobs=1)
    assert exported(desk.store.folder) == sorted(finished(desk.store))
    assert finished(desk.store)


def test_an_error_of_the_store_or_of_a_start_ends_the_run(desk: Desk) -> None:
    class Refused(Inline):
        def submit(self, _play: object, /, *_jobs: object, **_: object) -> Future[Any]:
            raise FileNotFoundError(2, "No such file or directory")

    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    desk.worker = Refused
    with pytest.raises(ArenaError, match="no worker can be started: No such file"):
        desk.run()
    desk.worker = Inline
    desk.patch.setattr(desk.store, "add", full)
    with pytest.raises(StoreError, match="full"):
        desk.run(rounds=5)


# What ends a run

every_signal = pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name
)


@every_signal
def test_a_signal_ends_the_run_and_a_second_one_is_an_order(
    number: signal.Signals, desk: Desk
) -> None:
    desk.watcher.signals = [number]
    summary = desk.run(rounds=50, jobs=2)
    assert summary.interrupted
    assert 0 < summary.done < 50
    assert finished(desk.store) == set(desk.played)
    assert exported(desk.store.folder) == sorted(desk.played)
    assert signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL)
    desk.watcher.signals = [number, number]
    with pytest.raises(KeyboardInterrupt):
        desk.run(rounds=50, jobs=2)
    assert exported(desk.store.folder) == sorted(finished(desk.store))


def test_what_ends_bots_that_were_asked_to_stop_with_the_run_costs_them_nothing(desk: Desk) -> None:
    def ended(job: PairJob) -> str:
        first, second = job.games
        os.kill(os.getpid(), signal.SIGTERM)
        games = (
            a_result(first.number, names=first.names),
            a_result(second.number, names=second.names, termination="crash"),
        )
        void = Cause("was ended by signal SIGTERM before ok", "bob")
        return PairResult(pair=job.pair, games=games, void=void, void_bot="bob").as_text()

    summary = desk.run(ended, rounds=2, jobs=1)
    assert (summary.interrupted, summary.done, summary.stopped) == (True, 1, {})
    assert finished(desk.store) == {1}
    assert desk.run(rounds=2, jobs=1).is_complete


def test_a_run_whose_last_game_is_played_was_not_interrupted(desk: Desk) -> None:
    desk.watcher.signals = [signal.SIGINT]
    summary = desk.run(rounds=1, jobs=3)
    assert (summary.done, summary.total, summary.interrupted) == (6, 6, False)


def test_a_budget_of_games_ends_a_run_after_whole_pairs(desk: Desk) -> None:
    summary = desk.run(rounds=50, jobs=2, budget=Budget(games=7))
    assert desk.played == once(*sequence(8))
    assert (summary.is_spent, summary.is_complete, summary.interrupted) == (True, False, False)
    assert exported(desk.store.folder) == sequence(8)
    assert not desk.run(rounds=2, jobs=2, budget=Budget(games=4)).is_spent, "it was the last game"
    assert desk.played == once(*sequence(12))


def test_neither_games_that_nobody_came_to_play_nor_dead_workers_cost_budget(desk: Desk) -> None:
    deaths = iter([True, True])

    def die_twice(job: PairJob) -> str:
        if job.pair == 4 and next(deaths, False):
            raise BrokenProcessPool
        return void_for_cat(job)

    summary = desk.run(die_twice, rounds=30, jobs=1, budget=Budget(games=10))
    assert (summary.done, summary.is_spent) == (10, True)
    assert finished(desk.store) == {n for n in range(1, 27) if (n - 1) // 2 % 3 == 0}


def test_after_the_deadline_no_pair_begins_and_what_runs_is_finished(desk: Desk) -> None:
    now_s = 1000.0

    def takes_a_minute(job: PairJob) -> str:
        nonlocal now_s
        now_s += 60
        return all_won(job)

    class Lacking(Inline):
        def submit(self, _play: object, /, *_jobs: object, **_: object) -> Future[Any]:
            nonlocal now_s
            now_s += 100
            raise MachineError("no worker can be started")

    told: dict[str, Any] = {"rounds": 50, "jobs": 1, "clock": lambda: now_s}
    summary = desk.run(takes_a_minute, budget=Budget(seconds=250), **told)
    assert desk.played == once(*sequence(10)), "the fifth pair began within the time"
    assert (summary.is_spent, summary.interrupted) == (True, False)
    desk.worker = Lacking
    summary = desk.run(budget=Budget(seconds=10), **told)
    assert (summary.done, summary.is_spent) == (10, True), "nor is waited for beyond it"


def test_a_pool_with_a_budget_goes_on_where_games_tell_most(desk: Desk) -> None:
    assert desk.run(format="pool", rounds=2, names=("ann", "bob")).is_complete
    pool: dict[str, Any] = {"format": "pool", "rounds": 2, "jobs": 2}
    summary = desk.run(**pool, budget=Budget(games=40))
    assert (summary.done, summary.is_spent, summary.interrupted) == (44, True, False)
    assert desk.played == once(*sequence(44))
    rows = desk.store.results()
    assert sum("cat" in game[1:3] for game in rows) > 20, "of whom least is known"
    assert desk.run(**pool).is_complete, "it had all that is wanted of it, and more"


# Formats whose games follow from results

PLAYED: Final[dict[str, tuple[dict[str, Any], int, int, str]]] = {
    "swiss": (
        {"names": EIGHT, "rounds": 3},
        *(24, 0, "1. A 6 (Buchholz 10, Sonneborn-Berger 10)"),
    ),
    "knockout": ({"names": EIGHT[:5]}, 8, -1, "Winner: A"),
    "match": (
        {"names": ("A", "B"), "rounds": 100, "sprt": Sprt(elo0=0, elo1=100)},
        *(24, 0, "H1 accepted after 12 pairs"),
    ),
}
"""Of each format a tournament, its games, and which line of the outcome begins with what."""


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("form", PLAYED)
def test_a_format_is_played_to_its_end_however_many_play_at_once(
    form: str, jobs: int, desk: Desk
) -> None:
    told, games, line, words = PLAYED[form]
    summary = desk.run(better_wins, format=form, jobs=jobs, **told)
    assert (summary.done, summary.total, summary.is_complete) == (games, games, True)
    assert words in summary.outcome.words[line]
    beyond = 2 * MOST * jobs if form == "match" else 0
    assert games <= len(finished(desk.store)) <= games + beyond
    assert desk.run(better_wins, format=form, jobs=jobs, **told) == summary
    assert max(desk.played.values()) == 1


@pytest.mark.parametrize("form", ["swiss", "knockout"])
@pytest.mark.parametrize("after", [1, 5])
def test_a_run_that_was_cut_goes_on_to_the_same_end(desk: Desk, form: str, after: int) -> None:
    told: dict[str, Any] = {"names": EIGHT[:7], "format": form, "rounds": 4}
    pairs = count()

    def cut(job: PairJob) -> str:
        if next(pairs) >= after:
            raise ValueError("cut")
        return better_wins(job)

    with pytest.raises(ValueError, match="cut"):
        desk.run(cut, **told)
    kept = finished(desk.store)
    desk.played.clear()
    summary = desk.run(better_wins, **told)
    assert summary.is_complete
    assert not kept & set(desk.played)
    assert summary.outcome.words[0 if form == "swiss" else -1].split()[1] == "A"


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_bot_that_cannot_start_loses_its_games_and_holds_nobody_up(desk: Desk, jobs: int) -> None:
    told: dict[str, Any] = {"names": EIGHT[:4], "format": "swiss", "rounds": 3, "pairs": 2}
    summary = desk.run(without("B"), jobs=jobs, **told)
    assert (set(summary.benched), summary.stopped) == ({"B"}, {})
    assert len(desk.watcher.warnings) == 1, desk.watcher.warnings
    assert summary.outcome.words[-1].startswith("4. B 0 ")
    assert (summary.done, summary.total) == (12, 12), "the games without B"
    played = desk.played.copy()
    again = desk.run(better_wins, jobs=jobs, **told)
    assert again.outcome == summary.outcome
    assert ({*again.benched}, {*again.newly_benched}) == ({"B"}, set())
    assert desk.played == played, "what is lost stays lost"


def test_a_pair_that_ends_every_worker_stays_open_and_so_does_what_waits_for_it(
    desk: Desk,
) -> None:
    summary = desk.run(deadly_for("A", "B"), names=EIGHT[:4], format="knockout")
    assert not summary.is_complete
    assert list(summary.stopped) == [frozenset({"A", "B"})]
    assert desk.store.walkovers() == []
    again = desk.run(better_wins, names=EIGHT[:4], format="knockout")
    assert again.is_complete
    assert again.outcome.words[-1] == "Winner: A"


def test_what_a_bot_has_left_in_a_round_robin_is_played_when_it_plays_again(desk: Desk) -> None:
    told: dict[str, Any] = {"names": EIGHT[:3], "rounds": 2}
    assert not desk.run(without("B"), **told).is_complete
    assert desk.store.walkovers() == []
    assert not desk.run(better_wins, **told).is_complete
    assert desk.run(better_wins, unbench=["B"], **told).is_complete


def test_a_match_that_is_stopped_ends_at_once(desk: Desk) -> None:
    summary = desk.run(without("B"), names=("A", "B"), format="match", rounds=10**9)
    assert not summary.is_complete
    assert desk.played.total() <= 4


def test_what_was_not_reported_of_a_job_comes_again(desk: Desk) -> None:
    open_games = OpenGames(a_config(names=EIGHT[:2], rounds=1), desk.store, tree="")
    job = open_games.next()
    assert job is not None
    assert open_games.next() is None
    open_games.again.append(job)
    assert open_games.next() == job


# With workers and bots that are processes


def spec(name: str, kind: type[bad_bots.Good]) -> BotSpec:
    return BotSpec(name=name, command=bad_bots.command(kind))


def test_worker_processes_play_and_leave_nothing(tmp_path: Path) -> None:
    config = Config(
        games=("yavalath",),
        rounds=3,
        jobs=2,
        limits=Limits(time=TimeControl(move_ms=10_000)),
        bots=(spec("good", bad_bots.Good), spec("bad", bad_bots.IgnoresQuit)),
    )
    store, watcher, tree = Store(tmp_path), Watcher(), new_tree()
    assert Runner(config, store, watcher, tree=tree).run().is_complete
    assert finished(store) == set(sequence(6))
    store.close()
    said, repeats = sorted(watcher.warnings, key=lambda words: "repeat" in words)
    assert said == "bad did not end within 1 s of quit"
    assert repeats.startswith("three games have repeated others move by move")
    assert gone(lambda: alive_of(tree))


@pytest.mark.parametrize("kills", [0, 1])
def test_what_bots_started_when_they_were_greeted_ends_with_the_run(
    tmp_path: Path, kills: int
) -> None:
    pids = tmp_path / "pids"
    with Range(tmp_path) as place:
        place.variables |= {"LATH_BOT_PIDS": str(pids)}
        bots = {"ann": bad_bots.HidesAChildWhenItIsGreeted, "bob": bad_bots.TakesAMillisecond}
        run = place.begin(*flags(bots, rounds=60 + 90 * kills, out=place.out))
        wait_until_it_plays(place, run)
        for _ in range(kills):
            kill_a_worker(place, run)
        _, said = run.communicate(timeout=PATIENCE_S)
        assert run.returncode == 0, said
        daemons = pids.read_text().split()
        assert len(daemons) >= 2 + kills
        assert still_running(daemons) == []


def test_what_ran_before_the_run_in_its_process_lives_on(tmp_path: Path) -> None:
    with Range(tmp_path) as place:
        words = flags({"ann": bad_bots.Good, "bob": bad_bots.Good}, rounds=1, out=place.out)
        script = 'sleep 600 >/dev/null 2>&1 & echo $!; exec "$@" >/dev/null'
        ran = subprocess.run(
            ["sh", "-c", script, "sh", *command(*words)],
            env={**environment(), **place.variables},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert still_running([ran.stdout]) == [int(ran.stdout)]
        os.kill(int(ran.stdout), signal.SIGKILL)


@pytest.mark.parametrize(("kills", "rounds"), [(2, 60)])
def test_a_killed_worker_costs_no_game_and_doubles_none(
    kills: int, rounds: int, tmp_path: Path
) -> None:
    with Range(tmp_path) as place:
        place.variables["LATH_BOT_PACE_S"] = "0.002"
        bots = {"ann": bad_bots.TakesAMillisecond, "bob": bad_bots.TakesAMillisecond}
        run = place.begin(*flags(bots, rounds=rounds, out=place.out))
        wait_until_it_plays(place, run, 3)
        for _ in range(kills):
            kill_a_worker(place, run)
        _, said = run.communicate(timeout=PATIENCE_S)
        assert run.returncode == 0, said
        # One that had played all it had when it was killed has lost no pair.
        assert 0 < said.count("a worker died in pair") <= kills
        assert numbers(place.out) == sequence(2 * rounds)
        assert exported(place.out) == sequence(2 * rounds)
