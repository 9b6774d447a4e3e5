"""Position texts that no game can reach are refused with the reason.

That nothing else is refused is shown in `test_games_reach` and in the contract tests.
"""

from __future__ import annotations

import re

import pytest
from places import OURS

from lath import games
from lath.games.errors import PositionError

ANIMALS = "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE"
EIGHT_BY_SEVEN = "ABCDEFGH/BCDEFGHA/CDEFGHAB/DEFGHABC/EFGHABCD/FGHABCDE/GHABCDEF"
EMPTY = "6/6/6/6/6/6"

FULL_OF_TOKENS = "bbwwbb/wwbbww/bbwwbb/wwbbww/bbwwbb"

REFUSED = {
    "mammalath": [
        # What is there is too much.
        (f"FBCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE {EMPTY} w", "7 animals of type F"),
        (f"{ANIMALS} wwbwwb/wwbwwb/bbwbbw/wwbwwb/wwbww1/w5 b", "19 white tokens"),
        (f"{ANIMALS} {FULL_OF_TOKENS}/wwbbww w", "all 18 tokens"),
        # Lines that must have ended the game before.
        (f"{ANIMALS} www3/bb4/6/6/6/6 w", "white is to move, but has a finished line"),
        (f"{ANIMALS} www3/bbb3/6/6/6/6 w", "white is to move, but has a finished line"),
        (f"{ANIMALS} www3/bbb3/6/6/6/6 b", "black is to move, but has a finished line"),
        (f"{ANIMALS} www3/2bb2/bb4/5b/6/www3 b", "no single token completed"),
        # Turns that do not add up.
        (f"{ANIMALS} {EMPTY} b", "black cannot be to move"),
        (f"{ANIMALS} w5/6/6/6/6/6 w", "white cannot be to move"),
        (f"{ANIMALS} wwb3/6/6/6/6/6 w", "white cannot be to move"),
        (f"{ANIMALS} ww4/6/6/6/6/6 w", "white cannot be to move"),
        (f"{ANIMALS} bb4/6/6/6/6/6 w", "white cannot be to move"),
        (f"{ANIMALS} bb4/w5/6/6/6/6 b", "black cannot be to move"),
        # Animals that no release took.
        (f"3DEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE {EMPTY} b", "black cannot be to move"),
        ("1BCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE w5/6/6/6/6/6 w", "35 animals"),
        ("1B1D1F/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE w5/6/6/6/6/6 w", "33 animals"),
        # No positions at all.
        ("", "three fields"),
        (f"{ANIMALS} {EMPTY}", "three fields"),
        (f"{ANIMALS} {EMPTY} o", "three fields"),
        (f"{ANIMALS}/6 {EMPTY} w", "7 rows, expected 6"),
        (f"ABCDEFA/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE {EMPTY} w", "7 cells, expected 6"),
        (f"GBCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE {EMPTY} w", "'G', expected one of A B C"),
        (f"{ANIMALS} o5/6/6/6/6/6 b", "'o', expected one of w b"),
        (f"{ANIMALS} 99999999999999999999/6/6/6/6/6 w", "cells, expected 6"),
    ],
    "mammalath-plus": [
        (
            f"{EIGHT_BY_SEVEN}/HABCDEFG ww6/ww6/bbb5/8/8/8/8/8 w",
            "white is to move, but has a finished",
        ),
        (f"{EIGHT_BY_SEVEN}/1ABCDEFG w7/8/8/8/8/8/8/8 w", "63 animals"),
    ],
    "manalath": [
        ("gggg2/7/8/9/10/9/8/7/6 o", "4 green blockers, expected at most 3"),
        (
            "ooo1oo/7/ooo1ooo1/9/ooo1ooo1oo/9/ooo1ooo1/7/oo4 p",
            "27 orange pieces, expected at most 25",
        ),
        ("oooooo/7/8/9/10/9/8/7/6 o", "a group of 6 orange pieces at i1"),
        (
            "6/7/8/9/4o5/9/8/7/6 o",
            "orange cannot be to move with an odd number of pieces on the board, 1",
        ),
        (
            "6/7/8/9/10/9/8/7/6 p",
            "purple cannot be to move with an even number of pieces on the board, 0",
        ),
        # Orange to move has two fours, of which purple's last turn made one at most.
        ("oooo2/7/8/9/10/9/8/7/oooo2 o", "the game was over before"),
        # A four each that was there a turn before, beside a third one.
        ("oooo2/7/8/9/pppp6/9/8/7/oooo2 o", "the game was over before"),
        ("ooooo1/7/8/9/oooo2oooo/9/8/7/p5 o", "the game was over before"),
        # Who moved last has three fours, of which the last two turns made two at most.
        ("pppp2/7/8/9/pppp6/9/8/7/pppp2 o", "the game was over before"),
        ("oooo2/7/8/9/oooo6/9/8/7/oooop1 p", "the game was over before"),
        ("6/7/8/9/4x5/9/8/7/6 o", "'x', expected one of o p g"),
        ("6/7/8/9/10/9/8/7/6", "two fields"),
        ("6/7/8/9/10/9/8/7/6 g", "two fields"),
        ("5/6/7/8/9/8/7/6/5 o", "5 cells, expected 6"),
    ],
    "manalath-61": [
        ("gggg1/6/7/8/9/8/7/6/5 o", "4 green blockers"),
        ("6/7/8/9/10/9/8/7/6 o", "6 cells, expected 5"),
    ],
    "surikata": [
        ("mmmmm/m4/5/5/5 - o", "6 mounds, expected at most 5"),
        ("mmmm1/o4/5/5/5 a4 w", "pieces before the fifth mound"),
        ("m4/5/5/5/5 - o", "orange cannot be to move, white is"),
        ("mmmmm/5/5/5/5 - w", "white cannot be to move, orange is"),
        ("mmmmm/o4/5/5/5 a4 o", "orange cannot be to move, white is"),
        ("mmmmm/o1o2/5/5/5 a4 o", "turns alternate"),
        ("mmmmm/ow3/5/5/1w2o a4 o", "is on a4, expected the cell of a piece of white"),
        ("mmmmm/o4/1w3/5/5 a4 o", "is on a4, expected the cell of a piece of white"),
        ("mmmmm/o4/5/5/5 b3 w", "is on b3, expected the cell of a piece of orange"),
        ("mmmmm/o4/5/5/5 - w", "is on no cell, expected the cell of"),
        ("mmmmm/5/5/5/5 a1 o", "expected - before any piece"),
        ("mmmmm/ooo2/4w/3w1/w4 a1 o", "orange is to move, but has three in line"),
        ("mmmmm/ooo2/3w1/4w/o1w2 a1 w", "without the piece placed last"),
        ("mmmmm/ow3/5/5/5 b4 o", "out of the meerkat's sight"),
        ("mmmmm/5/5/5/5 f1 o", "'f1' must be - or a1 to e5"),
        ("mmmmm/5/5/5/5 o", "three fields"),
    ],
    "yavalath": [
        ("0w4/6/7/8/9/8/7/6/5 b", "'0', expected one of w b or a number"),
        ("05/6/7/8/9/8/7/6/5 w", "'05', expected one of w b or a number"),
        ("5/6/7/8/9/8/7/6/5 b", "black cannot be to move with 0 white and 0 black"),
        ("w4/6/7/8/9/8/7/6/5 w", "white cannot be to move"),
        ("w4/b5/b6/b7/9/8/7/6/5 w", "white cannot be to move with 1 white and 3 black"),
        ("5/b5/b6/8/9/8/7/6/5 w", "white cannot be to move"),
        ("www2/bb4/b6/8/9/8/7/6/5 w", "white is to move, but has a finished line"),
        ("www2/bbb3/7/8/9/8/7/6/5 w", "white is to move, but has a finished line"),
        ("www2/6/7/8/b1b1b1b1b/b7/7/6/www2 b", "no single stone completed"),
        ("5/wwwwww/7/8/b1b1b1b1b/8/7/6/5 b", "no single stone completed"),
        ("5/6/7/8/4o4/8/7/6/5 b", "'o', expected one of w b"),
        ("5/6/7/8/9/8/7/6/5", "two fields"),
    ],
}
"""For each game texts and a pattern of the reason."""


@pytest.mark.parametrize(
    ("game_id", "text", "reason"),
    [(game_id, text, reason) for game_id, rows in REFUSED.items() for text, reason in rows],
)
def test_a_text_that_no_game_reaches_is_refused_with_the_reason(
    game_id: str, text: str, reason: str
) -> None:
    with pytest.raises(PositionError) as refusal:
        games.get(game_id).position(text)
    assert re.search(reason, str(refusal.value)), str(refusal.value)


def test_every_game_of_ours_has_texts_to_refuse() -> None:
    assert set(REFUSED) == set(OURS)


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("pppp2/7/8/9/10/9/8/7/pppp2 o", "group of four"),  # one handed over, one made
        ("oooo2/7/8/9/10/9/8/7/pppp2 o", "group of four"),  # one each, handed over by the other
        ("ppppp1/7/8/9/10/9/8/7/p4p p", None),
        ("ppppp1/7/8/9/10/9/8/7/p5 o", "group of five"),
    ],
)
def test_groups_that_the_last_two_turns_can_have_made_are_read(
    text: str, ending: str | None
) -> None:
    outcome = games.get("manalath").position(text).outcome()
    assert (outcome.ending if outcome else None) == ending
