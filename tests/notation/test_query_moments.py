"""What queries ask of single plies: patterns, numbers of annotations, and what comes after what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import inf
from random import Random
from typing import Final

import pytest
from places import OURS
from sample_records import random_game

from lath import games
from lath.games.core import SIDES, Position
from lath.games.errors import IllegalMoveError
from lath.notation import parse
from lath.notation.query import operators as plans
from lath.notation.query.patterns import read_pattern
from lath.notation.query.query import compile_query, plan_of
from lath.notation.record.record import Record
from lath.notation.rules.replay import positions

RECORD = parse("""\
[Game "yavalath"]
[First "ann"]
[Second "bob"]
[Termination "resignation"]
[Result "0-1"]

1. e5 {[%eval 0.5] [%emt 1.5] [%depth 3]} 2. swap {[%eval 0.1] [%nodes 100]}
3. d4 {[%eval -0.9] [%clk 9]} 4. a1 {[%eval 0.8]} 5. b1 6. c5 {[%eval 0.2] [%eval 1]} 0-1
""")


def holds(query: str, record: Record = RECORD) -> bool:
    return compile_query(query)(record)


NUMBERS: Final = (
    "eval = 0.5 and eval = -0.9 and not eval = 1",
    "eval of first = 0.5 and not eval of second = 0.5",
    "eval of loser < -0.8 and not eval of winner < -0.8",
    "eval of winner in 0.1..0.8 at every ply and not eval of loser in 0.1..0.8 at every ply",
    "eval of 'ann' > 0.4 and not eval of 'bob' < 0 and not eval of 'eve' < 2",
    "eval > 0.4 at ply 1 and not eval > 0.4 at ply 2 and not eval < 2 at ply 5",
    "eval = 0.2 at the last ply and eval of first = -0.9 at the last ply",
    "eval of mover = -0.9 at any ply",
    "time = 1.5 and time >= 1.5 at every ply and depth = 3 and nodes > 99 and clock = 9",
    "not time of second > 0 and not time of second > 0 at every ply",
)
PATTERNS: Final = (
    "pattern 'w' on e5 and not pattern 'w' on e5 at the last ply",
    "pattern 'b' on e5 at ply 2 and pattern '.' on e5 at ply 0",
    "not pattern '[^w]' on e5 at every ply and not plain pattern 'w' on a1",
    "plain pattern 'b' on a1 and pattern 'b' on i5",
    "plain pattern 'w' on a1 in either colour",
    "pattern '-' on e5 at ply 1 and pattern '+' on e5 at ply 3",
    # a position may be asked of one ply
    "position '5/6/7/8/4b4/8/7/6/5 w' at ply 2",
    "not position '5/6/7/8/4b4/8/7/6/5 w' at ply 1",
    "not position '5/6/7/8/4b4/8/7/6/5 w' at the last ply",
    "reached 'e5 swap' at ply 2 and not reached 'e5 swap' at ply 3",
)
LATER: Final = (
    "contains move e5 then contains move d4 then within 1 ply contains move a1",
    "pattern 'w' on e5 then pattern 'b' on e5",
    "contains move swap then pattern 'b' on e5",
    "move 1 = e5 then position '5/6/7/8/4b4/8/7/6/5 w'",
    "after 'e5 swap' then within 1 ply eval < -0.5",
    "contains move d4 then contains move a1 and plies = 6",
    # the position after a move is of the same ply
    "contains move e5 then within 1 ply contains move swap",
    "position '5/6/7/8/9/8/7/6/5 w' then within 1 ply contains move e5",
)
NOT_LATER: Final = (
    "contains move a1 then move 2 = swap",
    "contains move swap then pattern 'w' on e5",
    "move 2 = swap then position '5/6/7/8/4b4/8/7/6/5 w'",
    "plies = 7 and contains move d4 then contains move a1",
    "contains move swap then within 1 ply pattern '.' on e5",
)


def test_numbers_patterns_and_what_comes_later_are_asked_of_plies() -> None:
    assert [query for query in (*NUMBERS, *PATTERNS, *LATER) if not holds(query)] == []
    assert [query for query in NOT_LATER if holds(query)] == []


def test_of_a_draw_there_is_no_loser_whose_number_could_be_asked() -> None:
    draw = parse('[Game "yavalath"] e5 {[%eval 1]} 1/2-1/2')
    assert holds("eval = 1", draw)
    assert not holds("eval of loser < 2 or eval of winner < 2", draw)


def test_whose_ply_it_is_the_rules_say() -> None:
    moves = "Ma1 Ma2 Ma3 Ma4 Ma5 {[%eval 0.1]} c3 {[%eval 0.2]} d4 {[%eval 0.3]}"
    surikata = parse(f'[Game "surikata"] {moves} *')
    assert holds("eval of first = 0.1 and eval of first = 0.2 and eval of second = 0.3", surikata)


def test_nobody_is_a_player_without_a_name() -> None:
    record = parse('[Game "yavalath"] [First ""]\n\ne5 {[%eval 0.5]} *')
    assert not compile_query('eval of "" > 0')(record)


def test_a_record_is_played_only_where_the_cheaper_side_holds() -> None:
    broken = parse('[Game "yavalath"] 1. e5 2. e5 *')
    assert not holds("contains move a1 then pattern 'b'", broken)
    for _ in range(2):
        with pytest.raises(IllegalMoveError):
            holds("contains move e5 then pattern 'b'", broken)


def test_patterns_of_another_game_play_nothing() -> None:
    assert not holds("pattern 'oo'", parse('[Game "yavalath"] 1. e5 2. e5 *'))


# The same as a tree: for who answers it without records.


def test_what_is_asked_of_plies_stands_in_the_tree() -> None:
    text = "(move 2 = swap or eval of loser > 0.5) then within 3 plies pattern 'w' at ply 4"
    either = plans.Or((plans.OfMove(("swap",), 2), plans.OfNumber("eval", "loser", ((">", 0.5),))))
    assert plan_of(text) == plans.Then(
        (either, plans.At(plans.OfPattern(read_pattern("w")), 4)), (3,)
    )
    assert plan_of("time of 'ann' in 1..2 at the last ply") == plans.At(
        plans.OfNumber("time_s", "player ann", ((">=", 1.0), ("<=", 2.0))), "last"
    )


def test_a_tree_has_the_parts_that_the_text_joins() -> None:
    tree = plan_of("plies > 3 and (not plies in (4, 6) or plies != 5)")
    several = plans.OfPlies(((4, 4), (6, 6)))
    assert tree == plans.And(
        (
            plans.OfPlies(((4, inf),)),
            plans.Or((plans.Not(several), plans.Not(plans.OfPlies(((5, 5),))))),
        )
    )


def test_moves_lines_and_positions_stand_in_the_tree_as_they_were_written() -> None:
    assert plan_of("comments") == plans.OfNotes("comments")
    assert plan_of("setup = -") == plans.OfSetup(("-",))
    assert plan_of("move 2 in (swap, xb4-b2)") == plans.OfMove(("swap", "xb4-b2"), 2)
    assert plan_of("contains move swap") == plans.OfMove(("swap",), None)
    assert plan_of("after 'e5 swap'") == plans.OfBeginning(("e5", "swap"), is_plain=False)
    assert plan_of("plain reached 'e5'") == plans.OfReached(("e5",), is_plain=True)
    text = "5/6/7/8/9/8/7/6/w4 b"
    assert plan_of(f"plain position '{text}'") == plans.OfPosition((text,), is_plain=True)


def test_tags_results_and_winners_stand_there_with_a_test_of_their_texts() -> None:
    tree = plan_of("player = ann and winner ~ a* and result = 1-0 and loser in (ann, bob)")
    assert isinstance(tree, plans.And)
    player, winner, result, loser = tree.parts
    assert isinstance(player, plans.Or)
    for part, tag in zip(player.parts, ("First", "Second"), strict=True):
        assert isinstance(part, plans.OfText)
        assert (part.name, part.passes("ann"), part.passes("")) == (tag, True, False)
    assert isinstance(winner, plans.OfText)
    assert (winner.name, winner.passes("Ann")) == ("winner", True)
    assert isinstance(result, plans.OfText)
    assert (result.name, result.passes("1-0")) == ("result", True)
    assert isinstance(loser, plans.OfText)
    assert (loser.name, loser.sign, loser.values) == ("loser", "=", ("ann", "bob"))
    dates = plan_of("date in 2026-11..2026-12")
    assert isinstance(dates, plans.OfText)
    assert list(map(dates.passes, ["2026-11-01", "2027-01-01", "?"])) == [True, False, False]


Found = Callable[[Record, Sequence[Position]], set[int]]
"""The plies at which something holds, looked at one by one."""


def drawn_moment(record: Record, chance: Random) -> tuple[str, Found]:
    """Return something that a query can ask of single plies, and the plies where it holds."""
    game, moves = games.get(record.game), record.moves
    kind = chance.choice(["move", "ply", "eval", "pattern", "position", "or", "at", "last"])
    if kind == "move":
        move = chance.choice(moves)
        return f"contains move {move}", lambda record, _: {
            ply for ply, played in enumerate(record.moves, 1) if played == move
        }
    if kind == "ply":
        ply = chance.randint(1, len(moves) + 1)
        move = chance.choice(moves[ply - 1 : ply] or moves)
        return (
            f"move {ply} = {move}",
            lambda record, _: {ply} if record.moves[ply - 1 : ply] == (move,) else set(),
        )
    if kind == "eval":
        bound, seat = round(chance.uniform(-1, 1), 1), chance.choice(SIDES)
        return f"eval of {seat.word} > {bound}", lambda record, positions: {
            ply
            for ply, each in enumerate(record.plies, 1)
            if each.eval is not None and each.eval > bound and positions[ply - 1].to_move is seat
        }
    if kind == "pattern":
        text = chance.choice([".", "+", "#", "+-", "++", ".+.", "-?-"]).replace("#", "+/-")
        compiled = read_pattern(text).on(game)
        assert compiled is not None
        return f"pattern '{text}'", lambda _, positions: {
            ply for ply, position in enumerate(positions) if compiled.is_in(position)
        }
    if kind == "position":
        text = chance.choice(list(positions(record))).text()
        return f"plain position '{text}'", lambda _, positions: {
            ply for ply, position in enumerate(positions) if position.text() == text
        }
    one, found = drawn_moment(record, chance)
    if kind == "or":
        other, found_other = drawn_moment(record, chance)
        return (
            f"({one} or {other})",
            lambda record, positions: found(record, positions) | found_other(record, positions),
        )
    if not one.startswith(("eval", "pattern", "plain")) or " at " in one:
        return one, found
    last = len(moves)
    if kind == "at":
        ply = chance.randint(1, last)
        return f"{one} at ply {ply}", lambda record, positions: found(record, positions) & {ply}
    if one.startswith("eval"):
        return one, found
    return f"{one} at the last ply", lambda record, positions: found(record, positions) & {last}


@pytest.mark.parametrize("game_id", OURS)
def test_then_holds_where_some_choice_of_plies_does_it(game_id: str) -> None:
    chance, answers = Random(game_id), []
    for number in range(40):
        record = random_game(game_id, number % 6, annotated=True)
        played = list(positions(record))
        parts = [drawn_moment(record, chance) for _ in range(chance.randint(2, 3))]
        within = [chance.choice([None, 1, 2, 5]) for _ in parts[1:]]
        query = parts[0][0]
        for most, (text, _) in zip(within, parts[1:], strict=True):
            query += f" then {f'within {most} plies ' if most else ''}{text}"
        expected = any(
            all(
                before < ply and (most is None or ply - before <= most)
                for before, ply, most in zip(plies, plies[1:], within, strict=False)
            )
            for plies in product(*(found(record, played) for _, found in parts))
        )
        assert holds(query, record) is expected, query
        answers.append(expected)
    assert 7 <= sum(answers) <= 33, sum(answers)
