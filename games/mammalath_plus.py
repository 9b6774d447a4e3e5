"""Mammalath Plus, by Grant Fikes (nestorgames): the expansion of Mammalath.

As `mammalath.py`, with eight each of eight animals on 8x8, 32 tokens each, and lines of four. A
2x2 block counts like a line of four, both for the end of the game and for a release.

Source: rulebook of Mammalath by nestorgames; rulings in docs/explanation/rules.md.
"""

from __future__ import annotations

from typing import Final

from lath.games.mammalath import SIZE, SIZES, Mammalath
from lath.games.parameters import Parameter


class MammalathPlus(Mammalath):
    """The rules with blocks, which have four cells as lines have."""

    id = "mammalath-plus"
    title = "Mammalath Plus"
    parameters = (Parameter("size", 8, SIZES, SIZE),)
    has_blocks = True

    def __init__(self, size: int = 8) -> None:
        super().__init__(size, 4)


GAME: Final = MammalathPlus()
