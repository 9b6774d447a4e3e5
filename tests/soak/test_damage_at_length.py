"""Tournaments that are damaged in a thousand ways: every command says so, and no game is lost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.arena.cli import test_cli_damage as commands
from tests.arena.tournament import test_damage_to_a_tournament as runs

if TYPE_CHECKING:
    import pytest

nothing_is_played = runs._nothing_is_played
cup = runs.cup
sound = commands.sound

DAMAGES: Final = int(os.environ.get("LATH_SOAK_DAMAGES", "1000"))


def test_whatever_happens_to_its_files_a_run_tells_of_it(cup: Path) -> None:
    runs.test_whatever_happens_to_its_files_a_run_tells_of_it(cup, DAMAGES)


def test_no_page_is_lost_or_there_twice_without_a_word(cup: Path) -> None:
    runs.test_no_page_is_lost_or_there_twice_without_a_word(cup, DAMAGES)


def test_no_damage_is_believed_or_ends_in_a_traceback(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands.test_no_damage_is_believed_or_ends_in_a_traceback(
        DAMAGES, sound, tmp_path, monkeypatch
    )
