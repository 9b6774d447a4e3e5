"""Every game is played on the site to its end by mouse, by keyboard and by touch."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import pytest
from sites import guest
from tests.arena.site import test_playing as playing

if TYPE_CHECKING:
    from sites import Guest, Served

__all__ = ["guest"]

site = playing.site

MORE_HANDS: Final = sorted(
    {*product(("mammalath", "manalath", "surikata", "yavalath"), ("mouse", "keyboard", "touch"))}
    - {*playing.HANDS}
)


@pytest.mark.parametrize(("game_id", "hand"), MORE_HANDS)
def test_two_people_play_a_whole_game(site: Served, guest: Guest, game_id: str, hand: str) -> None:
    playing.test_two_people_play_a_whole_game_by_each_hand(site, guest, game_id, hand)
