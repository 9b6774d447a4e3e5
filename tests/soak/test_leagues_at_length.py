"""Leagues by chance, forty of them: one number of a thing on every page."""

from __future__ import annotations

from pathlib import Path

import pytest
from quick_runs import play_nothing
from tests.arena.cli import test_leagues as leagues


@pytest.mark.parametrize("seed", range(1, 41))
def test_every_number_of_games_and_bots_is_one_number(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)
    leagues.test_every_number_of_games_and_bots_is_one_number(seed)
