"""Mammalath Plus, by Grant Fikes (nestorgames): the expansion of Mammalath.

As `mammalath.py`, with eight each of eight animals on 8x8, 32 tokens each, and lines of four. A
2x2 block counts like a line of four, both for the end of the game and for a release.

Source: rulebook of Mammalath by nestorgames; rulings in docs/rules.md.
"""

from __future__ import annotations

from typing import Final

from lath.games.mammalath import ANIMALS, Mammalath

GAME: Final = Mammalath(
    game_id="mammalath-plus",
    title="Mammalath Plus",
    animals=ANIMALS,
    line_length=4,
    supply=32,
    blocks=True,
)
