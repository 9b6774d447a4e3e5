"""What came of each line that games begin with."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable
from dataclasses import replace

import pytest
from sample_records import bare, random_game, with_tags

from lath.notation import parse
from lath.notation.record.record import Record
from lath.reports.counting.estimates import wilson
from lath.reports.counting.facts import entry
from lath.reports.counting.openings import LineCounts, OpeningCounter, SetupCounter, line_of
from lath.reports.exploring.trees import TreeCounter, TreeLine

FOUR = (("i5 b3", "1-0"), ("a1 h4", "0-1"), ("e5 swap", "1/2-1/2"), ("a5", "*"))


def a_game(moves: str, result: str = "1-0", **tags: str) -> Record:
    words = "".join(f'[{name} "{value}"]' for name, value in {"Game": "yavalath", **tags}.items())
    return parse(f"{words}\n\n{moves} {result}")


def openings_of(records: Iterable[Record], plies: int = 2) -> OpeningCounter:
    openings = OpeningCounter(plies)
    for record in records:
        openings.add(record)
    return openings


def a_pair(number: int, line: str, *results: str) -> list[Record]:
    names = ("ann", f"bob {number}"), (f"bob {number}", "ann")
    return [
        a_game(line, result, First=first, Second=second, Number=f"{2 * number - 1 + game}")
        for game, ((first, second), result) in enumerate(zip(names, results, strict=True))
    ]


def tree_of(records: Iterable[Record]) -> dict[str, TreeLine]:
    counter = TreeCounter()
    for number, record in enumerate(records, 1):
        counter.add(entry(number, record, is_playable=True))
    return {line["text"]: line for part in counter.trees() for line in part["lines"]}


def test_lines_that_are_turned_or_mirrored_are_one_in_table_and_tree() -> None:
    games = [a_game(*each) for each in FOUR]
    columns = ("moves", "games", "first_wins", "draws", "first_score")
    assert [tuple(row[name] for name in columns) for row in openings_of(games).rows()] == [
        ("a1 g6", 2, 1, 0, 0.5),
        ("a1", 1, 0, 0, None),
        ("e5 swap", 1, 0, 1, 0.5),
    ]
    told = tree_of(games)
    assert list(told) == ["a1", "a1 g6", "e5", "e5 swap"], "each after the one that it goes on"
    counts = [(line["wins"], line["draws"], line["losses"]) for line in told.values()]
    assert counts == [(1, 0, 1)] * 2 + [(0, 1, 0)] * 2
    assert [line["example"] for line in told.values()] == [1, 1, 3, 3]


def test_of_a_setup_only_what_keeps_it_folds() -> None:
    setup = {"Game": "manalath", "Setup": "c3"}
    lines = {line_of(a_game(move, "*", **setup), 1) for move in ("Oa1", "Oa6", "Pa1")}
    assert len(lines) == 3
    turned = a_game("Oi6", "*", Game="manalath", Setup="g6")  # the other way round
    assert line_of(turned, 1) in lines
    assert len({line_of(a_game(move, "*", Game="manalath"), 1) for move in ("Oa1", "Oa6")}) == 1
    counter, trees = SetupCounter(), TreeCounter()
    games = (("Oa1", "c3"), ("Oa2", "c3"), ("Oa1", "-"))
    for number, (move, setup_of) in enumerate(games, 1):
        record = a_game(move, Game="manalath", Setup=setup_of)
        for each in (counter, trees):
            each.add(entry(number, record, is_playable=True))
    assert trees.trees() == [], "games from a setup are counted by that alone"
    (part,) = counter.setups()
    told = [(line["text"], line["wins"], line["example"]) for line in part["lines"]]
    assert told == [("c3", 2, 1), ("-", 1, 3)]


def test_games_that_come_again_or_are_alike_in_pairs_tell_less() -> None:
    pairs = [("e5 a1", "1-0"), ("e5 a2", "0-1"), ("e5 a3", "1-0"), ("e5 b1", "1-0")]
    once = [game for n, (moves, won) in enumerate(pairs, 1) for game in a_pair(n, moves, won, won)]
    worth = []
    for games in (once, once * 3):
        openings = openings_of(games, 1)
        assert (openings.games, openings.repeats) == (len(games), len(games) - 8)
        (row,) = openings.rows()
        assert (row["games"], row["first_score"]) == (len(games), 0.75)
        ((_, _, line),) = [line for *_, lines in openings.by_game() for line in lines]
        worth.append(line.worth)
    assert worth[1] == pytest.approx(worth[0], rel=0.35)
    # Where the opening alone decides, eight games tell as much as four: the interval says so.
    widths = []
    for results in ((("1-0", "1-0"), ("0-1", "0-1")), (("1-0", "0-1"), ("0-1", "1-0"))):
        games = [game for n in range(1, 5) for game in a_pair(n, "e5 a1", *results[n % 2])]
        (row,) = openings_of(games).rows()
        assert (row["games"], row["pairs"], row["first_score"]) == (8, 4, 0.5)
        widths.append(float(str(row["high"])) - float(str(row["low"])))
    assert widths[0] > 1.4 * widths[1]
    one, other = a_pair(1, "e5 a1", "1-0", "1-0")[0], a_pair(1, "e5 b1", "1-0", "0-1")[1]
    apart = openings_of([one, other]).rows()
    assert [(row["games"], row["pairs"]) for row in apart] == [(1, 1), (1, 1)]


def test_what_two_games_of_a_pair_share_is_one_piece_of_evidence_in_a_tree() -> None:
    lines = {n: f"e5 a1 {'b1' if n % 2 else 'b2'}" for n in range(1, 5)}
    told = tree_of(game for n, line in lines.items() for game in a_pair(n, line, "1-0", "1-0"))
    assert told["e5"]["low"] == round(wilson(1.0, 4)[0], 3), "four pairs, and not eight games"
    deeper = [line["low"] for text, line in told.items() if len(text.split()) == 3]
    assert deeper == [round(wilson(1.0, 2)[0], 3)] * 2


def test_a_tree_says_which_moves_the_arena_chose_and_goes_on_behind_them() -> None:
    drawn = [
        a_game(f"e5 a1 b1 {last}", Opening="random:2 e5 a1", Number=f"{number}")
        for number, last in ((1, "b2"), (2, "b3"))
    ]
    timed = "e5 a1 b1 {[%emt 0.1]} b2 {[%emt 0.1]} c1 c2 c3"
    book = [a_game(timed, Number="3", Opening="book.lath #1")]
    for games, plies in ((drawn, 4), (book, 6)):
        chosen = {len(text.split()): line["chosen"] for text, line in tree_of(games).items()}
        assert chosen == {1: len(games), 2: len(games), **dict.fromkeys(range(3, plies + 1), 0)}


@pytest.mark.parametrize("count", [4, 20])
@pytest.mark.parametrize(("bias", "strength"), [(0.0, 0.0), (0.2, 0.0), (0.1, 0.3)])
def test_intervals_hold_the_truth(count: int, bias: float, strength: float) -> None:
    """Of pairs in which the better bot wins more, and so does first."""
    chance, held = random.Random(f"{count} {bias} {strength}"), 0
    for _ in range(400):
        line = LineCounts()
        for _ in range(count):
            ahead = chance.choice((-strength, strength))
            points = [float(chance.random() < 0.5 + bias + seat * ahead) for seat in (1, -1)]
            for each in points:
                line.add(each, 1)
            line.add_pair(sum(points), 2)
        assert line.interval is not None
        held += line.interval[0] <= 0.5 + bias <= line.interval[1]
    assert held >= 0.92 * 400


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of pairs whose second game never comes, and of lines that came once."""
    monkeypatch.setattr("lath.reports.counting.openings.OPEN", 50)
    monkeypatch.setattr("lath.reports.counting.figures.Ways.__init__.__defaults__", (40,))
    openings, setups = OpeningCounter(3), SetupCounter()
    for number in range(1, 301):
        record = random_game("yavalath", number, Number=str(2 * number))
        openings.add(record)
        setups.add(entry(1, with_tags(record, Position="5/6/7/8/w8/8/7/6/5 b")))
    # What is held back of pairs is nowhere else to be seen.
    assert max(len(one._pairs._open) for one in (openings, setups)) <= 50
    told = openings.to_json()
    assert 0 < len(told["lines"]) <= 40
    assert told["missed"]["yavalath"] > 0


def test_a_sheet_has_every_line_and_runs_nothing() -> None:
    of_another = bare("ann", "bob", "1-0", Moves="not recorded", game_id="=1+1")
    games = (a_game("e5"), replace(a_game("e5"), tags=of_another.tags))
    header, *rows = csv.reader(io.StringIO(openings_of(games, 1).to_csv()))
    assert header[:4] == ["game", "start", "moves", "games"]
    assert sorted(row[0] for row in rows) == ["'=1+1", "yavalath"]
    assert OpeningCounter(2).to_csv() == "game\n"
