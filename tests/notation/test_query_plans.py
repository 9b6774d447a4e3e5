"""What a query asks, as a tree: for who answers it without records."""

from __future__ import annotations

from math import inf

from lath.notation.plans import (
    And,
    Not,
    OfLine,
    OfMove,
    OfNotes,
    OfPlies,
    OfPosition,
    OfResult,
    OfSetup,
    OfTag,
    OfWinner,
    Or,
)
from lath.notation.query import plan_of


def test_a_tree_has_the_parts_that_the_text_joins() -> None:
    tree = plan_of("plies > 3 and (not plies in (4, 6) or plies != 5)")
    several = OfPlies(((4, 4), (6, 6)))
    assert tree == And((OfPlies(((4, inf),)), Or((Not(several), Not(OfPlies(((5, 5),)))))))


def test_moves_lines_and_positions_stand_in_the_tree_as_they_were_written() -> None:
    assert plan_of("move 2 in (swap, xb4-b2)") == OfMove(("swap", "xb4-b2"), 2)
    assert plan_of("contains move swap") == OfMove(("swap",), None)
    assert plan_of("after 'e5 swap'") == OfLine(("e5", "swap"), is_reached=False, is_plain=False)
    assert plan_of("plain reached 'e5'") == OfLine(("e5",), is_reached=True, is_plain=True)
    text = "5/6/7/8/9/8/7/6/w4 b"
    assert plan_of(f"plain position '{text}'") == OfPosition((text,), is_plain=True)


def test_tags_results_and_winners_stand_there_with_a_test_of_their_texts() -> None:
    tree = plan_of("player = ann and winner ~ a* and result = 1-0 and loser in (ann, bob)")
    assert isinstance(tree, And)
    player, winner, result, loser = tree.parts
    assert isinstance(player, OfTag)
    assert player.tags == ("First", "Second")
    assert (player.passes("ann"), player.passes("")) == (True, False)
    assert isinstance(winner, OfWinner)
    assert (winner.is_loser, winner.passes("Ann")) == (False, True)
    assert isinstance(result, OfResult)
    assert result.passes("1-0")
    assert isinstance(loser, OfWinner)
    assert loser.is_loser
    dates = plan_of("date in 2026-11..2026-12")
    assert isinstance(dates, OfTag)
    assert list(map(dates.passes, ["2026-11-01", "2027-01-01", "?"])) == [True, False, False]


def test_what_has_no_place_in_the_tree_is_a_function() -> None:
    assert plan_of("comments") == OfNotes("comments")
    assert plan_of("setup = -") == OfSetup(("-",))
