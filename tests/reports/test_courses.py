"""How games go, ply by ply: what is counted of each, and of how many."""

from __future__ import annotations

import pytest
from sample_records import random_game

from lath.notation import positions
from lath.reports.courses import STEPS, Course, Courses
from lath.reports.measures import played


def courses_of(*courses: Course) -> Courses:
    found = Courses()
    for course in courses:
        found.add(course)
    return found


def test_a_ply_that_few_games_have_is_left_out() -> None:
    short, long = Course(2, 10, legal=[9, 8]), Course(3, 10, legal=[9, 6, 4])
    found = courses_of(*[short] * 11, long).legal()
    assert [(point.at, point.games) for point in found] == [(1, 12), (2, 12)]
    assert found[1].mean == pytest.approx((11 * 8 + 6) / 12)
    assert [point.at for point in courses_of(*[short] * 9, long).legal()] == [1, 2, 3]


def test_the_middle_half_of_games_is_told() -> None:
    found = courses_of(*(Course(1, 10, legal=[number]) for number in range(1, 9))).legal()
    assert (found[0].low, found[0].high) == (2, 6)


def test_leads_are_those_that_were_told_last() -> None:
    found = courses_of(Course(4, 10, leads=[(1, -0.5), (2, 0.25), (3, 1.0)])).leads()
    by_part = {point.at: point.mean for point in found}
    assert len(found) == STEPS // 2 + 1, "nothing was told before half of the game"
    assert (by_part[50], by_part[70], by_part[75], by_part[100]) == (-0.5, -0.5, 0.25, 1.0)
    assert [point.below for point in found if point.at in (50, 75)] == [1, 0]


def test_a_game_goes_as_its_positions_say() -> None:
    record = random_game("mammalath", 3)
    _, course, _ = played(record)
    *before, last = positions(record)
    assert list(course.legal) == [len(each.legal_moves()) for each in before]
    assert course.cells == len(last.contents())
    assert len(course.changed) == course.plies
    assert list(course.changed) == sorted(course.changed), "what has changed once stays so"
    assert courses_of(course).changed()[-1].mean == course.changed[-1] / course.cells
