"""Games that repeat others: what is one, who hears of it, and which runs it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from desks import Desk
from results import a_result, finished
from sample_records import random_game

from lath.arena.schedule.fixed import IDLE_PAIRS
from lath.arena.schedule.sprt import Sprt
from lath.arena.tournament.store.jobs import PairJob, PairResult
from lath.arena.tournament.store.rows import moves_of
from lath.notation.record.record import Record, comment
from lath.notation.record.tags import Termination
from lath.notation.text.writer import format_record
from lath.reports.counting.rated import digest_of

WARNING = "three games have repeated others move by move. Duplicate games add nothing to ratings"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """Give a new store and count what is played."""
    desk = Desk(tmp_path, monkeypatch)
    yield desk
    desk.store.close()


def as_stored(record: Record, why: str) -> int:
    tags = record.first, record.second, record.result, record.game
    return moves_of(tags, why, len(record.plies), format_record(record))


def test_what_repeats_for_a_test_repeats_for_ratings() -> None:
    """Whatever is said in the games, however long a move took; not who wins, plays and begins."""
    plain = random_game("surikata", 1)
    other = random_game("surikata", 2)
    said = [replace(ply, comments=(comment("a } b ; c [%emt 1.5]"),)) for ply in plain.plies]
    lines = [replace(ply, comments=(comment("x" * 90),)) for ply in plain.plies]
    ways = [
        (plain, "rules"),
        (replace(plain, plies=tuple(said)), "rules"),
        (replace(plain, plies=tuple(lines)), "rules"),
        (random_game("surikata", 1, Number="7", Round="3"), "rules"),
        (plain, "crash"),
        (other, "rules"),
        (replace(plain, tags=other.tags), "rules"),
        (replace(plain, plies=plain.plies[:-1]), "rules"),
        (random_game("surikata", 1, first="bob", second="ann"), "rules"),
    ]
    for (one, why), (another, because) in combinations(ways, 2):
        seats = (one.first, one.second), (another.first, another.second)
        is_same = digest_of(one, seats[0], why) == digest_of(another, seats[1], because)
        assert (as_stored(one, why) == as_stored(another, because)) == is_same
    assert len({as_stored(*way) for way in ways[:4]}) == 1
    assert as_stored(plain, Termination.TIME) == 0, "a clock runs by the machine's load, too"
    assert as_stored(replace(plain, plies=()), "crash") == 0


def one_line(job: PairJob) -> str:
    """Play as bots without chance do from one start: the same two games in each pair."""
    games = []
    for plan in job.games:
        known = a_result(2 - plan.number % 2, plan.names, result="1-0")
        record = known.record.replace(f'"{known.number}"', f'"{plan.number}"')
        games.append(replace(known, number=plan.number, record=record))
    return PairResult(pair=job.pair, games=tuple(games)).as_text()


@pytest.mark.parametrize("sprt", [None, Sprt(elo0=0, elo1=20)])
def test_a_match_that_repeats_itself_ends_says_why_and_says_it_again(
    desk: Desk, sprt: Sprt | None
) -> None:
    told: dict[str, Any] = {"names": ("A", "B"), "format": "match", "rounds": 400, "sprt": sprt}
    summary = desk.run(one_line, **told)
    assert not summary.is_complete
    assert summary.done >= 2 * (1 + sum(IDLE_PAIRS))
    (why,) = summary.stopped.values()
    assert "repeats a game, so more pairs add nothing. Use other openings" in str(why)
    first, second = desk.watcher.warnings
    assert first.startswith(WARNING)
    assert second == f"A - B: {why}"
    kept = finished(desk.store)
    desk.played.clear()
    desk.watcher.warnings.clear()
    again = desk.run(one_line, **told)
    assert (again.stopped, again.outcome) == (summary.stopped, summary.outcome)
    assert desk.watcher.warnings == [first, second]
    assert (finished(desk.store), desk.played.total()) == (kept, 0)


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "pool"])
def test_other_formats_are_warned_and_play_on(desk: Desk, form: str) -> None:
    summary = desk.run(one_line, names=("A", "B"), format=form, rounds=40)
    assert summary.is_complete
    assert [text.startswith(WARNING) for text in desk.watcher.warnings] == [True]
