"""Real file systems that are too small: whatever was told to be kept is there, once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import full_disks
import pytest
from arena_runs import sequence
from full_disks import happened

GAMES: Final = 6 * full_disks.ROUNDS

LEVELS: Final = (8, 40, 52, 64, 76, 88, 100, 400)
"""KiB: from a disk that does not hold an empty store to one that holds almost all."""


needs_mounts = pytest.mark.skipif(
    "not full_disks.may_mount()", reason="this system grants no mount namespace"
)


def assert_kept(found: dict[str, Any], games: int = GAMES) -> None:
    """Check that a run on a disk of some size lost nothing, and that it could be resumed."""
    assert set(found["told"]) <= set(found["kept"]), "a game that was stored is lost"
    assert found["full"] == bool(found.get("why")), found
    assert set(found["exported"]) <= set(found["kept"]), "half of games.lath is there"
    assert not [name for name in found["left"] if ".tmp" in name], "a temporary file is left"
    assert found["again"] == sorted(set(sequence(games)) - set(found["kept"]))
    assert found["integrity"] == "ok"
    assert found["complete"]
    assert found["finished"]


@needs_mounts
def test_a_disk_that_fills_up_at_any_level_loses_nothing(tmp_path: Path) -> None:
    levels = happened(tmp_path, "level", *LEVELS)
    for found in levels:
        assert_kept(found)
    print(*((found["size"], found["full"], len(found["kept"])) for found in levels))
    assert [found["full"] for found in levels[:5]] == [True] * 5
    assert len({len(found["kept"]) for found in levels}) > 4


@needs_mounts
@pytest.mark.skipif("not full_disks.may_loop()", reason="this system mounts no file as a disk")
@pytest.mark.parametrize("step", [14])
def test_nor_does_one_of_blocks_that_are_smaller_than_a_page(step: int, tmp_path: Path) -> None:
    levels = happened(tmp_path, "small_blocks", *range(2, 130, step), 400)
    for found in levels:
        assert_kept(found)
    print(*((found["size"], found["full"], len(found["kept"])) for found in levels))
    assert [found["full"] for found in levels[:5]] == [True] * 5
    assert len({len(found["kept"]) for found in levels}) > 4


@needs_mounts
def test_a_run_goes_on_when_somebody_makes_room(tmp_path: Path) -> None:
    (found,) = happened(tmp_path, "mended", 60)
    assert found["complete"]
    assert found["finished"]
    assert found["played"] == GAMES, "a game was played twice"
    first, second = found["warnings"]
    assert "database or disk is full; no game begins until results can be kept" in first
    assert "the disk takes results again; the run goes on" in second


def assert_said_and_resumed(found: dict[str, Any], tmp_path: Path) -> None:
    """Check what a run said of its full disk, and that it went on when there was room."""
    assert found["status"] == 5, found
    *_, last = found["said"].splitlines()
    assert last.startswith(f"arena: {tmp_path}/disk/out/tournament.db: database or disk is full; ")
    assert last.endswith(
        "finished games could not be kept and will be played again; when the disk is well, "
        f"go on with: arena run --out {tmp_path}/disk/out"
    )
    assert "has room for 0.2 MB, a tournament should have 100" in found["said"]
    assert 0 < found["kept"] < 2 * full_disks.COMMAND_ROUNDS
    assert found["resumed"] == {"status": 0, "said": found["resumed"]["said"]}
    assert found["finished"]


@needs_mounts
def test_the_program_ends_with_a_status_of_its_own_and_can_be_resumed(tmp_path: Path) -> None:
    waited, interrupted = happened(tmp_path, "command,interrupted", 150)
    assert_said_and_resumed(waited, tmp_path)
    assert_said_and_resumed(interrupted, tmp_path)


@needs_mounts
@pytest.mark.parametrize("sizes", [(20,)])
def test_a_run_waits_for_room_before_there_is_anything(
    sizes: Sequence[int], tmp_path: Path
) -> None:
    for found in happened(tmp_path, "made", *sizes):
        assert found["status"] == 0, found
        assert found["games"] == [1, 2]
        assert "; waiting for room" in found["said"]
        assert "s the disk has room; the run goes on" in found["said"]


@needs_mounts
def test_where_nothing_has_room_games_lath_serves_and_that_is_said(tmp_path: Path) -> None:
    elsewhere, nowhere = happened(tmp_path, "unread,unread_anywhere", 4)
    assert_read(elsewhere)
    assert nowhere["games"] == full_disks.READ_GAMES
    for ran in (nowhere["rate"], nowhere["report"]):
        assert ran["status"] == 0
        assert "tournament.db: database or disk is full: its games are the 600 of" in ran["said"]


def assert_read(found: dict[str, Any]) -> None:
    """Check that all games were read, and nothing else was to be said."""
    assert found["games"] == full_disks.READ_GAMES, found
    assert found["rate"] == {"status": 0, "said": ""}
    assert found["report"]["status"] == 0
    assert "warning" not in found["report"]["said"]
    assert found["page"] > 100_000
