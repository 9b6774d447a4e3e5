"""When a game is ended before its rules end it, and what the record then says."""

from __future__ import annotations

import pytest

from lath.arena.referee.match import Adjudication, Arbiter, Ending
from lath.games.core import Seat
from lath.notation.record import Termination

FIRST, SECOND = Seat.FIRST, Seat.SECOND

WINS = Adjudication(win_eval=0.9, win_after=4)
DRAWS = Adjudication(draw_eval=0.05, draw_after=3)


def told(rules: Adjudication, *plies: tuple[Seat, float | None]) -> Ending | None:
    """Return what an arbiter says after these plies; it must say nothing before the last."""
    arbiter = Arbiter(rules)
    for number, (seat, evaluation) in enumerate(plies, 1):
        verdict = arbiter.judge(number, seat, evaluation)
        if number < len(plies):
            assert verdict is None, f"ended at ply {number}"
    return verdict


def test_a_game_is_won_when_both_have_seen_it_for_long_enough() -> None:
    assert told(WINS, (FIRST, 0.95), (SECOND, -0.9), (FIRST, 1.0), (SECOND, -0.99)) == Ending(
        "1-0",
        Termination.ADJUDICATION,
        "both bots saw at least 0.9 for first for 4 plies",
    )


def test_second_can_win_too() -> None:
    verdict = told(WINS, (FIRST, -0.95), (SECOND, 0.9), (FIRST, -1.0), (SECOND, 0.99))
    assert verdict is not None
    assert verdict.result == "0-1"


@pytest.mark.parametrize("doubt", [None, 0.5, -0.89, 1.0])
def test_one_ply_of_doubt_begins_the_row_again(doubt: float | None) -> None:
    before = ((FIRST, 0.95), (SECOND, -0.95), (FIRST, 0.95))
    again = ((FIRST, 0.95), (SECOND, -0.95), (FIRST, 0.95), (SECOND, -0.95))
    assert told(WINS, *before, (SECOND, doubt), *again) is not None


def test_one_bot_alone_decides_nothing_however_long_it_plays() -> None:
    assert told(WINS, *[(FIRST, 1.0)] * 20) is None
    assert told(WINS, *[(FIRST, 1.0)] * 20, (SECOND, -1.0)) is not None


def test_both_bots_hoping_to_win_decides_nothing() -> None:
    assert told(WINS, *[(FIRST, 1.0), (SECOND, 1.0)] * 10) is None


def test_a_game_is_a_draw_when_both_have_seen_nothing_in_it() -> None:
    verdict = told(DRAWS, (FIRST, 0.0), (SECOND, -0.05), (FIRST, 0.05))
    assert verdict is not None
    assert (verdict.result, verdict.why) == ("1/2-1/2", Termination.ADJUDICATION)


def test_a_bot_that_says_nothing_is_never_adjudicated_against() -> None:
    assert told(DRAWS, *[(FIRST, None), (SECOND, None)] * 20) is None
    assert told(WINS, *[(FIRST, 1.0), (SECOND, None)] * 20) is None


def test_the_ply_limit_ends_a_game_as_a_draw() -> None:
    rules = Adjudication(plies=3)
    assert told(rules, (FIRST, None), (SECOND, None), (FIRST, None)) == Ending(
        "1/2-1/2", Termination.PLY_LIMIT, "no end by ply 3"
    )


def test_an_opening_longer_than_the_limit_ends_at_the_first_ply() -> None:
    verdict = Arbiter(Adjudication(plies=3)).judge(9, FIRST, None)
    assert verdict is not None
    assert verdict.words == "no end by ply 9"


def test_without_rules_nothing_ends() -> None:
    assert told(Adjudication(), *[(FIRST, 1.0), (SECOND, -1.0)] * 50) is None
