"""The runner and games that follow from results: nothing is lost, nothing waits for ever."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from desks import Desk
from results import a_config, a_result, finished

from lath.arena.schedule.sprt import Sprt
from lath.arena.tournament.open_games import OpenGames
from lath.arena.tournament.slots import MOST
from lath.arena.tournament.worker import PairJob, PairResult

EIGHT = ("A", "B", "C", "D", "E", "F", "G", "H")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """Give a new store and count what is played."""
    desk = Desk(tmp_path, monkeypatch)
    yield desk
    desk.store.close()


def better_wins(job: PairJob) -> str:
    """Let the bot win whose name comes first in the alphabet."""
    games = [
        a_result(plan.number, plan.names, result="1-0" if plan.names[0] < plan.names[1] else "0-1")
        for plan in job.games
    ]
    return PairResult(pair=job.pair, games=tuple(games)).as_text()


def without(name: str, job: PairJob) -> str:
    """Let one bot be unable to start."""
    if name not in job.pairing:
        return better_wins(job)
    void = f"{name}: cannot be started"
    return PairResult(pair=job.pair, games=(), void=void, void_bot=name).as_text()


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_swiss_tournament_is_played_round_by_round(desk: Desk, jobs: int) -> None:
    summary = desk.run(better_wins, names=EIGHT, format="swiss", rounds=3, jobs=jobs)
    assert (summary.done, summary.total, summary.is_complete) == (24, 24, True)
    assert summary.outcome.words[0] == "1. A 6 (Buchholz 10, Sonneborn-Berger 10)"
    assert finished(desk.store) == set(range(1, 25))


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_knockout_is_played_to_its_final(desk: Desk, jobs: int) -> None:
    summary = desk.run(better_wins, names=EIGHT[:5], format="knockout", jobs=jobs)
    assert (summary.done, summary.total) == (8, 8)
    assert summary.outcome.words[-1] == "Winner: A"


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_a_match_has_the_same_verdict_however_many_play_at_once(desk: Desk, jobs: int) -> None:
    told: dict[str, Any] = {"names": ("A", "B"), "format": "match", "rounds": 100, "jobs": jobs}
    summary = desk.run(better_wins, sprt=Sprt(elo0=0, elo1=100), **told)
    assert (summary.done, summary.total, summary.is_complete) == (24, 24, True)
    assert "H1 accepted after 12 pairs" in summary.outcome.words[0]
    assert len(finished(desk.store)) <= 24 + 2 * MOST * jobs
    again = desk.run(better_wins, sprt=Sprt(elo0=0, elo1=100), **told)
    assert again == summary
    assert max(desk.played.values()) == 1


@pytest.mark.parametrize("form", ["swiss", "knockout"])
@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_run_that_was_cut_goes_on_to_the_same_end(desk: Desk, form: str, after: int) -> None:
    told: dict[str, Any] = {"names": EIGHT[:7], "format": form, "rounds": 4}
    left = after

    def cut(job: PairJob) -> str:
        nonlocal left
        left -= 1
        if left < 0:
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
    def without_b(job: PairJob) -> str:
        return without("B", job)

    told: dict[str, Any] = {"names": EIGHT[:4], "format": "swiss", "rounds": 3, "pairs": 2}
    summary = desk.run(without_b, jobs=jobs, **told)
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
    def deadly(job: PairJob) -> str:
        if job.pairing == {"A", "B"}:
            raise BrokenProcessPool
        return better_wins(job)

    summary = desk.run(deadly, names=EIGHT[:4], format="knockout")
    assert not summary.is_complete
    assert list(summary.stopped) == [frozenset({"A", "B"})]
    assert desk.store.walkovers() == []
    again = desk.run(better_wins, names=EIGHT[:4], format="knockout")
    assert again.is_complete
    assert again.outcome.words[-1] == "Winner: A"


def test_what_a_bot_has_left_in_a_round_robin_is_played_when_it_plays_again(desk: Desk) -> None:
    def without_b(job: PairJob) -> str:
        return without("B", job)

    assert not desk.run(without_b, names=EIGHT[:3], rounds=2).is_complete
    assert desk.store.walkovers() == []
    assert not desk.run(better_wins, names=EIGHT[:3], rounds=2).is_complete
    assert desk.run(better_wins, unbench=["B"], names=EIGHT[:3], rounds=2).is_complete


def test_a_match_that_is_stopped_ends_at_once(desk: Desk) -> None:
    def without_b(job: PairJob) -> str:
        return without("B", job)

    summary = desk.run(without_b, names=("A", "B"), format="match", rounds=10**9)
    assert not summary.is_complete
    assert desk.played.total() <= 4


def test_what_was_not_reported_of_a_job_comes_again(desk: Desk) -> None:
    open_games = OpenGames(a_config(names=EIGHT[:2], rounds=1), desk.store, tree="")
    job = open_games.next()
    assert job is not None
    assert open_games.next() is None
    open_games.again.append(job)
    assert open_games.next() == job
