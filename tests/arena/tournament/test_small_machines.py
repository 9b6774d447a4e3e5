"""Real machines that lack room for scratch folders, or processes: nobody loses a game by that."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import full_disks
import pytest
import small_machines
from arena_runs import Range
from small_machines import GAMES_OF, ended, in_format

needs_mounts = pytest.mark.skipif(
    "not full_disks.may_mount()", reason="this system grants no mount namespace"
)

SWISS: Final = 10 * list(GAMES_OF).index("swiss")
"""What says in sizes in which format a run is."""

HALF_A_SCRATCH: Final = 1
"""Folders that have room where a game needs two."""


def assert_nobody_lost(found: dict[str, Any], games: int) -> None:
    """Check that a run decided nothing that it did not play, and that it could be resumed."""
    for run in (found, found["resumed"]):
        assert not run["walkovers"]
        assert {tuple(game[2:]) for game in run["games"]} <= {("1-0", "rules")}
    if found["status"]:
        assert found["status"] == 5, found
        assert len(found["games"]) < games
        *_, last = found["said"].splitlines()
        assert "no bot has lost a game by it; when the machine is well, go on with: arena" in last
        waits, ends = found["said"].count("trying again"), found["said"].count("has enough")
        assert waits == ends + 1, "each wait is told once"
    assert found["resumed"]["status"] == 0, found
    assert len(found["resumed"]["games"]) == games


@needs_mounts
def test_no_room_for_scratch_folders_costs_nobody_a_game(tmp_path: Path) -> None:
    size = SWISS + HALF_A_SCRATCH
    full, needs, takes = full_disks.happened(tmp_path, "scratch,scratch_room,greed", size)
    assert full["status"] == 5
    assert_nobody_lost(full, GAMES_OF["swiss"])
    assert {tuple(game[2:]) for game in needs["games"]} == {("1-0", "rules")}, "it plays again"
    first, second = needs["said"].splitlines()
    assert "bots have no room for files in " in first
    assert second.endswith("s the machine has enough again; the run goes on")
    assert (takes["status"], takes["said"]) == (0, "")
    for game in takes["games"]:
        assert (winner_of(game), game[3]) == ("bob", "crash"), "who takes all the room loses"


def winner_of(game: tuple[str, ...]) -> str:
    """Return who has won a game."""
    return game[0 if game[2] == "1-0" else 1]


needs_somebody = pytest.mark.skipif(
    "not small_machines.may_be_somebody()", reason="this system grants no other user"
)


# A worker needs two: runner and workers have a second thread.
@needs_somebody
@pytest.mark.parametrize(("form", "most"), [("knockout", 3)])
def test_too_few_processes_cost_nobody_a_game(form: str, most: int, tmp_path: Path) -> None:
    with Range(tmp_path) as place:
        words = in_format(form, place.out)
        run = place.begin(*words, "--disk-patience", "1", under=small_machines.with_processes(most))
        found = ended(place, run)
        found["resumed"] = ended(place, place.begin(*words))
        assert_nobody_lost(found, GAMES_OF[form])
        assert (found["status"] == 5) == (most < 6)
        print(form, most, found["status"], found["said"])
