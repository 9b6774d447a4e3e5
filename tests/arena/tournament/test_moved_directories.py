"""A directory that is moved under its run: the run stops, and who took its place gets nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena_runs import exported, numbers, sequence
from quick_runs import play_nothing
from results import a_config

from lath.arena.errors import MovedError
from lath.arena.referee import process_trees
from lath.arena.tournament.run import beginning
from lath.arena.tournament.run import folder as directory
from lath.arena.tournament.run.events import Event, PairEnded, Waiting
from lath.arena.tournament.run.progress import Progress, RunSummary

ROUNDS = 4
GAMES = 6 * ROUNDS


def play(folder: Path, on_pair: Callable[[], object] = lambda: None) -> RunSummary:
    """Play a tournament; once, when a pair is stored, something else happens."""
    config = a_config(rounds=ROUNDS)
    left = [on_pair]

    class Watched(Progress):
        def __call__(self, event: Event | Waiting) -> None:
            super().__call__(event)
            if isinstance(event, PairEnded) and left:
                left.pop()()

    return directory.run(config, folder, Watched(config), with_report=False)


@pytest.fixture(autouse=True)
def _nothing_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    play_nothing(monkeypatch)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return another tournament, which is over."""
    folder = tmp_path_factory.mktemp("other")
    with pytest.MonkeyPatch.context() as patch:
        play_nothing(patch)
        play(folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def rename(out: Path, _other: Path) -> None:
    out.rename(out.with_name("moved"))


def rename_and_put_another_there(out: Path, other: Path) -> None:
    rename(out, other)
    shutil.copytree(other, out)
    (out / "tournament.db-journal").write_bytes(b"of a run that goes on there")


def remove(out: Path, _other: Path) -> None:
    shutil.rmtree(out)


WAYS = (rename, rename_and_put_another_there, remove)
MOMENTS = {"greet_bots": 0, "a pair is stored": None, "published": GAMES}
"""When it happens, and how many games are stored then, where that is known."""


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("way", WAYS)
def test_a_run_whose_directory_is_moved_stops_and_writes_nothing_elsewhere(
    way: Callable[[Path, Path], None], moment: str, other: Path, tmp_path: Path
) -> None:
    out, moved = tmp_path / "out", tmp_path / "moved"
    there: dict[str, bytes] = {}

    def happen(*given: Any, **more: Any) -> Any:
        way(out, other)
        there.update(contents(out))
        return plain(*given, **more)

    plain = getattr(directory, moment, lambda: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directory, moment, happen, raising=False)
        with pytest.raises(MovedError, match="moved, removed or replaced during the run") as caught:
            play(out, happen if moment == "a pair is stored" else lambda: None)
    assert contents(out) == there
    assert out.exists() == (way is rename_and_put_another_there)
    if way is remove:
        assert "resume" not in str(caught.value)
        return
    assert str(caught.value).endswith(f"; resume with: arena run --output {moved}")
    assert MOMENTS[moment] in (None, len(numbers(moved)))
    assert play(moved).is_complete
    assert numbers(moved) == exported(moved) == sequence(GAMES)


def test_a_run_whose_database_is_taken_away_stops(tmp_path: Path) -> None:
    with pytest.raises(MovedError, match=r"tournament\.db: moved, removed or replaced"):
        play(tmp_path / "out", (tmp_path / "out" / "tournament.db").unlink)


def test_a_directory_that_is_moved_and_linked_to_is_the_same(tmp_path: Path) -> None:
    out = tmp_path / "out"

    def link() -> None:
        rename(out, out)
        out.symlink_to(tmp_path / "moved")

    assert play(out, link).is_complete
    assert numbers(out) == exported(tmp_path / "moved") == sequence(GAMES)


def test_who_takes_the_place_of_a_directory_has_nothing_to_do_with_its_bots(tmp_path: Path) -> None:
    out = tmp_path / "out"
    play(out)
    scratch = Path(process_trees.new_scratch(f"{beginning.tree_of(out)}dead.1"))
    rename(out, out)
    play(out)
    assert scratch.exists()
    play(tmp_path / "moved")
    assert not scratch.exists()
