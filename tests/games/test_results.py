"""Results: one value says who won, what that is worth, and what it is from the other side."""

from __future__ import annotations

import json
import pickle

import pytest

from lath.games.core import SIDES, Outcome, Result, Side


@pytest.mark.parametrize("result", Result)
def test_winner_points_and_reverse_agree(result: Result) -> None:
    first, second = result.points
    assert first + second == result.is_finished
    assert result.winner == {1.0: Side.FIRST, -1.0: Side.SECOND}.get(first - second)
    assert result.loser == {1.0: Side.SECOND, -1.0: Side.FIRST}.get(first - second)
    assert result.reversed.points == (second, first)
    assert result.reversed.reversed is result


@pytest.mark.parametrize("side", SIDES)
def test_the_result_of_a_side_that_won_has_it_as_winner(side: Side) -> None:
    (result,) = (each for each in Result if each.winner is side)
    assert result is Result.won_by(side)
    assert Outcome(side, "four in line").result is result


def test_nobody_has_won_a_draw() -> None:
    assert Result.won_by(None) is Result.DRAWN


@pytest.mark.parametrize("result", Result)
def test_a_result_is_its_text_wherever_it_is_written(result: Result) -> None:
    assert (str(result), f"{result}", json.loads(json.dumps(result))) == (result.value,) * 3
    assert Result(result.value) is result
    assert pickle.loads(pickle.dumps(result)) is result
