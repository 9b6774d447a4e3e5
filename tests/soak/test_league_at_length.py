"""A league behind walls of forty bots, of which ten attack whatever they can think of."""

from __future__ import annotations

from pathlib import Path

from tests.arena.sandbox import test_league as league

pytestmark = league.pytestmark


def test_honest_bots_play_on_and_nothing_is_lost_read_or_left(tmp_path: Path) -> None:
    league.test_honest_bots_play_on_and_nothing_is_lost_read_or_left(30, 10, 6, tmp_path)
