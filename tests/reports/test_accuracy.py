"""Accuracy is what an analysis wrote: shares by proof, losses of expected score, an interval."""

from __future__ import annotations

import pytest

from lath.notation.text.scanner import parse
from lath.reports.counting.accuracy import Accuracy, AccuracyCounter, accuracy_of
from lath.reports.counting.facts import entry

ANALYSED = '[Game "yavalath"]\n[First "ann"]\n[Second "bob"]\n[Analysis "solver nodes 5000"]\n\n'


def counted(*texts: str, is_playable: bool = True) -> dict[str, Accuracy]:
    counter = AccuracyCounter()
    for number, text in enumerate(texts, 1):
        counter.add(entry(number, parse(text), is_playable=is_playable))
    return {line["name"]: line for line in counter.accuracies(["ann", "bob", "cat"])}


def game(*values: float) -> str:
    """Return an analysed game of moves with these evaluations."""
    cells = ("e5", "d4", "f6", "c3", "g7", "a1")
    moves = (f"{i}. {cells[i - 1]} {{[%eval {value}]}}" for i, value in enumerate(values, 1))
    return f"{ANALYSED}{' '.join(moves)} 1-0\n"


def test_a_move_that_loses_nothing_is_accurate_and_one_that_loses_all_is_not() -> None:
    # https://lichess.org/page/accuracy draws the curve: 10 points lost are about 64%.
    curve = [accuracy_of(lost) for lost in (-3, 0, 1, 5, 10, 50, 100)]
    assert curve[:2] == [100, 100]
    assert curve == sorted(curve, reverse=True)
    assert curve[4] == pytest.approx(63.58, abs=0.01)
    assert curve[-1] == 0


def test_what_a_move_lost_is_seen_from_its_own_side() -> None:
    # ann is at 0.5; then bob, who was at -0.5, is at -0.7: he lost 10 points, ann (0.7) nothing.
    told = counted(game(0.5, -0.7, 0.7))
    assert told["bob"]["loss"] == pytest.approx(10)
    assert told["bob"]["accuracy"] == pytest.approx(accuracy_of(10), abs=1e-4)
    assert (told["ann"]["loss"], told["ann"]["accuracy"]) == (0, 100)
    assert counted(game(0.2, 0.4))["bob"]["loss"] == 0, "better than before"
    told = counted(game(0.5, -0.7, 0.7).replace("bob", "ann"))  # against itself
    assert list(told) == ["ann"]
    assert (told["ann"]["games"], told["ann"]["moves"], told["ann"]["weighed"]) == (1, 3, 2)
    assert told["ann"]["loss"] == pytest.approx(5)


def test_moves_without_an_evaluation_before_them_are_counted_and_not_weighed() -> None:
    one = counted(game(0.5))["ann"]
    assert (one["moves"], one["weighed"], one["accuracy"], one["low"]) == (1, 0, None, None)
    told = counted(f"{ANALYSED}1. e5 {{[%eval 0.5]}} 2. d4 3. f6 {{[%eval 0.1]}} 1-0\n")
    assert list(told) == ["ann"]
    assert (told["ann"]["moves"], told["ann"]["weighed"]) == (2, 0)
    unanalysed = game(0.5, -0.7).replace("Analysis", "Remark")
    assert counted(unanalysed) == counted() == counted(game(0.5, -0.7), is_playable=False) == {}


def test_marks_by_proof_are_counted_and_those_of_people_are_not() -> None:
    text = (
        f"{ANALYSED}1. e5?? {{[%eval -1.000] [%by x]}} 2. d4? {{[%eval 0.5]}} "
        "3. f6? {[%eval -1.000] [%by x]} 4. c3! {[%eval 1.000] [%by x]} "
        "5. g7 {[%eval -1.000]} 0-1\n"
    )
    told = counted(text)
    assert told["ann"]["sound"] == pytest.approx(1 / 3, abs=1e-6)
    assert told["ann"]["thrown_per_100"] == pytest.approx(100 / 3, abs=1e-4)
    assert (told["bob"]["sound"], told["bob"]["thrown_per_100"]) == (1, 0)


def test_the_interval_is_that_of_the_games_not_of_their_moves() -> None:
    for texts in ([game(0.5, -0.7)], [game(0.5, -0.7)] * 3):
        told = counted(*texts)["bob"]
        assert (told["low"], told["high"]) == (None, None), "one game, or games that are alike"
    # Two games of two moves of bob's each: all 100, and all accuracy_of(10). The standard error of
    # the mean of two equal games is half their difference; Student's t widens it.
    good, bad = game(0.5, -0.5, 0.5, -0.5), game(0.5, -0.7, 0.5, -0.7)
    one, many = counted(good, bad)["bob"], counted(*[good, bad] * 50)["bob"]
    mean = (100 + accuracy_of(10)) / 2
    assert one["accuracy"] == pytest.approx(mean, abs=1e-4)
    # 100 games with a standard deviation of 18.3 (n - 1): ± 1.98 of 1.83.
    half = 1.984 * (100 - accuracy_of(10)) / 2 / 99**0.5
    assert many["low"] == pytest.approx(mean - half, abs=0.01)
    assert many["high"] == pytest.approx(mean + half, abs=0.01)
    assert one["low"] is not None
    assert one["low"] < mean - half
