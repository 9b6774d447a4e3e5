"""What came of each line that games begin with."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator

import pytest
from sample_records import bare, random_game

from lath.notation import parse
from lath.notation.record import Record
from lath.reports.openings import OPEN as MOST_OPEN
from lath.reports.openings import LineCounts, Openings, line_of


def a_game(moves: str, result: str = "1-0", **tags: str) -> Record:
    words = "".join(f'[{name} "{value}"]' for name, value in {"Game": "yavalath", **tags}.items())
    return parse(f"{words}\n\n{moves} {result}")


def counted(records: list[Record], plies: int = 2) -> list[dict[str, object]]:
    openings = Openings(plies)
    for record in records:
        openings.add(record)
    return openings.rows()


def a_pair(number: int, line: str, results: tuple[str, str]) -> list[Record]:
    names = ("ann", f"bob {number}"), (f"bob {number}", "ann")
    return [
        a_game(line, result, First=first, Second=second, Number=f"{2 * number - 1 + game}")
        for game, ((first, second), result) in enumerate(zip(names, results, strict=True))
    ]


def test_lines_that_are_turned_or_mirrored_are_one() -> None:
    games = [
        a_game("i5 b3"),
        a_game("a1 h4", "0-1"),
        a_game("e5 swap", "1/2-1/2"),
        a_game("a5", "*"),
    ]
    rows = [
        (row["moves"], row["games"], row["first_wins"], row["draws"], row["first_score"])
        for row in counted(games)
    ]
    assert rows == [("a1 g6", 2, 1, 0, 0.5), ("a1", 1, 0, 0, None), ("e5 swap", 1, 0, 1, 0.5)]


def test_of_a_setup_only_what_keeps_it_folds() -> None:
    setup = {"Game": "manalath", "Setup": "c3"}
    lines = {line_of(a_game(move, "*", **setup), 1) for move in ("Oa1", "Oa6", "Pa1")}
    assert len(lines) == 3
    turned = a_game("Oi6", "*", Game="manalath", Setup="g6")  # the other way round
    assert line_of(turned, 1) in lines
    assert len({line_of(a_game(move, "*", Game="manalath"), 1) for move in ("Oa1", "Oa6")}) == 1


def test_a_game_that_comes_again_is_left_out_and_told() -> None:
    openings = Openings(1)
    for _ in range(3):
        openings.add(a_game("e5 a1", First="ann", Second="bob"))
    openings.add(a_game("e5 a1", First="bob", Second="ann"))
    assert (openings.games, openings.repeats) == (2, 2)
    (row,) = openings.rows()
    assert (row["games"], row["pairs"]) == (2, 1)


def test_games_of_a_pair_are_one_piece_of_evidence_where_they_are_alike() -> None:
    """Where the opening alone decides, eight games tell as much as four: the interval says so."""
    alike, opposite = (
        [game for number in range(1, 5) for game in a_pair(number, "e5 a1", results[number % 2])]
        for results in (
            (("1-0", "1-0"), ("0-1", "0-1")),
            (("1-0", "0-1"), ("0-1", "1-0")),
        )
    )
    widths = []
    for games in (alike, opposite):
        (row,) = counted(games)
        assert (row["games"], row["pairs"], row["first_score"]) == (8, 4, 0.5)
        assert isinstance(row["high"], float)
        assert isinstance(row["low"], float)
        widths.append(row["high"] - row["low"])
    assert widths[0] > 1.4 * widths[1]


def test_a_pair_that_goes_apart_within_the_line_is_two() -> None:
    one, other = a_pair(1, "e5 a1", ("1-0", "1-0"))[0], a_pair(1, "e5 b1", ("1-0", "0-1"))[1]
    assert [(row["games"], row["pairs"]) for row in counted([one, other])] == [(1, 1), (1, 1)]


def pairs_of(chance: random.Random, bias: float, strength: float, count: int) -> LineCounts:
    """Return what pairs come to in which the better bot wins more, and so does first."""
    line = LineCounts()
    for _ in range(count):
        ahead = chance.choice((-strength, strength))
        points = [float(chance.random() < 0.5 + bias + seat * ahead) for seat in (1, -1)]
        for each in points:
            line.add(each, 1)
        line.add_pair(sum(points), 2)
    return line


@pytest.mark.parametrize("count", [4, 20])
@pytest.mark.parametrize(("bias", "strength"), [(0.0, 0.0), (0.2, 0.0), (0.1, 0.3)])
def test_intervals_hold_the_truth(count: int, bias: float, strength: float) -> None:
    chance = random.Random(f"{count} {bias} {strength}")
    held = 0
    for _ in range(400):
        interval = pairs_of(chance, bias, strength, count).interval
        assert interval is not None
        held += interval[0] <= 0.5 + bias <= interval[1]
    assert held >= 0.92 * 400


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of pairs whose second game never comes, and of lines that came once."""
    monkeypatch.setattr("lath.reports.openings.OPEN", 50)
    monkeypatch.setattr("lath.reports.figures.Ways.__init__.__defaults__", (40,))
    openings = Openings(3)

    def many() -> Iterator[Record]:
        for number in range(1, 301):
            yield random_game("yavalath", number, Number=str(2 * number))

    for record in many():
        openings.add(record)
    assert len(openings._open) <= 50
    told = openings.to_json()
    assert 0 < len(told["lines"]) <= 40
    assert told["missed"]["yavalath"] > 0
    assert MOST_OPEN > 50


def test_a_sheet_has_every_line_and_runs_nothing() -> None:
    openings = Openings(1)
    for game in (a_game("e5"), bare("ann", "bob", "1-0", game_id="=1+1")):
        openings.add(game)
    header, *rows = csv.reader(io.StringIO(openings.to_csv()))
    assert header[:4] == ["game", "start", "moves", "games"]
    assert sorted(row[0] for row in rows) == ["'=1+1", "yavalath"]
    assert Openings(2).to_csv() == "game\n"
