"""A power cut at any moment costs no game that was promised, whatever the disk made of the rest."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import pytest
from power_cuts import cuts, put
from recorded_disk import Disk, Fault, failing
from results import a_result, finished

from lath.arena.errors import DiskError, StoreError
from lath.arena.referee.record import GameResult
from lath.arena.tournament import database, store
from lath.arena.tournament import folder as directory
from lath.arena.tournament.database import Games
from lath.arena.tournament.store import Store

pytestmark = pytest.mark.slow

Value = TypeVar("Value")

CUTS: Final = 75
RUNS: Final = 3
TOURNAMENT: Final[dict[str, object]] = {"rounds": 7}

WEAKER: Final = {"synchronous = FULL": "synchronous = OFF"}


class Recorded(NamedTuple):
    """A tournament as it was stored, and all that its disk was told."""

    disk: Disk
    rows: dict[int, Any]
    """Each game as it must be found."""

    groups: list[frozenset[int]]
    """The games that were added together."""


def rows_of(store: Store) -> dict[int, Any]:
    """Return each stored game, by its number."""
    rows = store._database.execute("SELECT number, * FROM game").fetchall()
    return {number: row for number, *row in rows}


def groups_of_results(chance: random.Random) -> list[list[GameResult]]:
    """Return some games, one to eight at once, some of them large."""
    groups = []
    number = 0
    for _ in range(chance.randint(60, 90)):
        numbers = range(number + 1, number + 1 + chance.randint(1, 8))
        said = {"ann": "oops " * chance.choice([0, 0, 0, 1000])}
        groups.append([a_result(number, stderr=said) for number in numbers])
        number = numbers[-1]
    return groups


def again(do: Callable[[], Value]) -> Value:
    """Do something until the disk takes it."""
    while True:
        with suppress(DiskError):
            return do()


def record(
    folder: Path,
    seed: int,
    fault: Fault = lambda _step: None,
    instead: Mapping[str, str] | None = None,
) -> Recorded:
    """Store some hundred games in three runs."""
    groups = groups_of_results(random.Random(seed))
    folder.mkdir()
    with Disk(fault, instead=instead) as disk:
        for run in range(RUNS):
            store = again(lambda: Store(folder, connect=disk.connect))
            again(lambda: store.begin(TOURNAMENT))  # noqa: B023 - called at once
            for group in groups[run::RUNS]:
                again(lambda: store.add(group))  # noqa: B023 - called at once
                disk.keep(result.number for result in group)
            store.close()
    with closing(Store(folder)) as written:
        rows = rows_of(written)
    return Recorded(disk, rows, [frozenset(game.number for game in group) for group in groups])


def opened_after_cut(recorded: Recorded, folder: Path, promised: set[int]) -> bool:
    """Open what a cut has left with the real store; return whether something promised is missing.

    What is there must be right, whatever was promised.
    """
    with closing(Store(folder)) as store:
        found = finished(store)
        whole = store._database.execute("PRAGMA integrity_check").fetchall()
        rows = rows_of(store)
        about = store.tournament()
    assert whole == [("ok",)]
    assert rows == {number: recorded.rows[number] for number in found}
    halves = [group for group in recorded.groups if group & found and not group <= found]
    assert halves == [], "games that were added together are there in part"
    return not promised <= found or bool(promised and about != TOURNAMENT)


def lost_in_cuts(recorded: Recorded, folder: Path, number: int, seed: int) -> int:
    """Cut the power so many times; return how many times a promised game was lost."""
    chance = random.Random(seed)
    losses = 0
    for remembered, _ in cuts(recorded.disk.steps, number, seed):
        put(remembered.after_cut(chance), folder)
        try:
            losses += opened_after_cut(recorded, folder, remembered.promised)
        except (StoreError, sqlite3.Error, AssertionError):  # it cannot be read, or is wrong
            losses += 1
        shutil.rmtree(folder)
    return losses


def test_no_power_cut_loses_a_game_that_was_kept(tmp_path: Path) -> None:
    recorded = record(tmp_path / "a", 1)
    assert len(recorded.rows) > 200
    assert lost_in_cuts(recorded, tmp_path / "b", CUTS, 2) == 0


def test_nor_after_syncs_that_failed_and_were_tried_again(tmp_path: Path) -> None:
    chance = random.Random(3)

    recorded = record(
        tmp_path / "a",
        1,
        lambda step: failing(step) if step.kind == "sync" and chance.random() < 0.1 else None,
    )
    assert recorded.disk.count("failed sync") > 10
    assert lost_in_cuts(recorded, tmp_path / "b", CUTS, 2) == 0


def test_without_syncs_power_cuts_lose_games(tmp_path: Path) -> None:
    """The control: this is how we know that the test above bites."""
    recorded = record(tmp_path / "a", 1, instead=WEAKER)
    losses = lost_in_cuts(recorded, tmp_path / "b", CUTS, 2)
    print(f"{losses} of {CUTS} power cuts lost a game")
    assert losses > CUTS // 3


def test_without_a_write_in_every_transaction_failed_syncs_lose_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another control: what is added again, and is there, is not kept for that."""
    monkeypatch.setattr(Games, "total", lambda _: 0)  # it is what is written
    for module in (database, store):
        monkeypatch.setattr(module, "total_of", lambda _: 0)
    chance = random.Random(9)
    recorded = record(
        tmp_path / "a",
        1,
        lambda step: failing(step) if step.kind == "sync" and chance.random() < 0.1 else None,
        instead={"PRAGMA user_version = ": "SELECT "},
    )
    assert lost_in_cuts(recorded, tmp_path / "b", CUTS, 2) > 0


def test_a_game_that_is_told_of_before_its_transaction_ends_is_lost(tmp_path: Path) -> None:
    """Another control: `add` that returns too early is found out."""
    recorded = record(tmp_path / "a", 1)
    steps = recorded.disk.steps
    early = [place for place, step in enumerate(steps) if step.kind == "kept"]
    for place in early:  # as if the store had promised before the journal is known to be whole
        syncs = [at for at in range(place) if steps[at].kind == "sync"]
        steps.insert(syncs[-3], steps.pop(place))
    assert lost_in_cuts(recorded, tmp_path / "b", CUTS, 2) > 0


def test_the_names_of_new_folders_are_synced_in_those_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(directory, "sync", synced.append)
    directory.prepare_folder(tmp_path / "a" / "b")
    assert set(synced) == {tmp_path, tmp_path / "a"}
    synced.clear()
    directory.prepare_folder(tmp_path / "a" / "b")
    assert synced == []
