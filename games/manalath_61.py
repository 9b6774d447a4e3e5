"""Manalath on 61 cells, by Dieter Stein and Nestor Romeral Andres, 2012: as online servers play it.

As `manalath.py`, on a hexagon with five cells a side and with no limit to the pieces of a colour.

Source: rulebook of Manalath by nestorgames; rulings in docs/rules.md.
"""

from __future__ import annotations

from typing import Final

from lath.games.manalath import Manalath

GAME: Final = Manalath(
    game_id="manalath-61",
    title="Manalath (61 cells)",
    row_lengths=(5, 6, 7, 8, 9, 8, 7, 6, 5),
    supply=None,
)
