"""The animals of Mammalath and Mammalath Plus, as pieces with heads of their own.

Must not know any rules.

The heads, drawn for this file, are symmetrical and differ in their outlines, for that is what one
recognises at thirty pixels. The colours of the six are the rulebook's, in shades that stay apart
for eyes that see no red, no green or no blue: `tests/test_board_colours.py` measures it.
"""

from __future__ import annotations

from typing import Final

from lath.games.core import Piece

ANIMALS: Final = (
    Piece(
        "A",
        "armadillo",
        "tile",
        "#dd383e",
        "M0-27Q5-29 9-29C5-46 13-50 20-47C28-43 27-33 24-26L35-20L31-14L37-7L32 0L35 7L28 13"
        "C18 24 10 32 9 43Q7 48 0 48Q-7 48-9 43C-10 32-18 24-28 13L-35 7L-32 0L-37-7L-31-14"
        "L-35-20L-24-26C-27-33-28-43-20-47C-13-50-5-46-9-29Q-5-29 0-27z",
    ),
    Piece(
        "B",
        "badger",
        "tile",
        "#ed7d21",
        "M0-42C14-42 24-38 29-34C34-43 48-34 43-24C41-18 38-17 37-14C39 4 28 18 18 30"
        "C16 43 8 46 0 46C-8 46-16 43-18 30C-28 18-39 4-37-14C-38-17-41-18-43-24"
        "C-48-34-34-43-29-34C-24-38-14-42 0-42zM8-42L19-40L17-27L12-28zM-8-42L-19-40L-17-27"
        "L-12-28z",
    ),
    Piece(
        "C",
        "cougar",
        "tile",
        "#fddf2f",
        "M0-34Q10-34 16-31C18-47 38-48 41-33C42-25 39-20 39-16C47 0 45 14 37 22"
        "C32 35 20 42 0 42C-20 42-32 35-37 22C-45 14-47 0-39-16C-39-20-42-25-41-33"
        "C-38-48-18-47-16-31Q-10-34 0-34z",
    ),
    Piece(
        "D",
        "deer",
        "tile",
        "#44d485",
        "M0-29L7-30L15-36L12-48L18-49L22-38L28-38L32-49L38-47L33-32L18-28L21-23"
        "C32-30 42-27 47-22C43-10 34-7 27-9C28 6 16 22 15 36C13 47 6 47 0 47"
        "C-6 47-13 47-15 36C-16 22-28 6-27-9C-34-7-43-10-47-22C-42-27-32-30-21-23L-18-28"
        "L-33-32L-38-47L-32-49L-28-38L-22-38L-18-49L-12-48L-15-36L-7-30L0-29z",
    ),
    Piece(
        "E",
        "elephant",
        "tile",
        "#90c0e3",
        "M0-36C10-36 16-32 18-28C26-42 48-38 48-12C48 8 36 22 25 16L22 26L26 37L15 31L10 34"
        "L10 44Q9 48 0 48Q-9 48-10 44L-10 34L-15 31L-26 37L-22 26L-25 16C-36 22-48 8-48-12"
        "C-48-38-26-42-18-28C-16-32-10-36 0-36z",
    ),
    Piece(
        "F",
        "fox",
        "tile",
        "#b65ce1",
        "M0-26Q10-28 14-27L35-47Q43-24 39-6L47 9Q34 24 20 32Q8 46 0 47Q-8 46-20 32"
        "Q-34 24-47 9L-39-6Q-43-24-35-47L-14-27Q-10-28 0-26z",
    ),
)
"""The six of both games."""

MORE_ANIMALS: Final = (
    Piece(
        "G",
        "giraffe",
        "tile",
        "#f8f6f1",
        "M0-30L7-30L8-37C1-48 21-48 15-37L15-29L20-25C28-36 40-36 47-31C45-18 35-13 27-13"
        "C29 2 26 12 19 22C16 30 23 36 19 42C15 48 6 48 0 48C-6 48-15 48-19 42"
        "C-23 36-16 30-19 22C-26 12-29 2-27-13C-35-13-45-18-47-31C-40-36-28-36-20-25L-15-29"
        "L-15-37C-21-48-1-48-8-37L-7-30L0-30z",
    ),
    Piece(
        "H",
        "hippopotamus",
        "tile",
        "#737886",
        "M0-36Q8-36 12-34C11-47 29-47 28-32C33-26 31-16 32-8C47-4 48 10 47 22"
        "C46 38 34 42 25 42L25 35L16 35L16 43Q8 44 0 44Q-8 44-16 43L-16 35L-25 35L-25 42"
        "C-34 42-46 38-47 22C-48 10-47-4-32-8C-31-16-33-26-28-32C-29-47-11-47-12-34"
        "Q-8-36 0-36z",
    ),
)
"""The two that the expansion adds."""
