"""Books of openings: what is read from them, in which order, and how a wrong entry is named."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from sample_records import random_game, with_tags
from schedules import a_schedule, played

from lath import games
from lath.arena.errors import ConfigError
from lath.arena.schedule.core import Opening
from lath.arena.schedule.openings import Book, BookChoice, digest
from lath.games.core import Move
from lath.notation.files.files import write_atomically
from lath.notation.formats import name_for, writer
from lath.notation.text.scanner import parse
from lath.notation.text.writer import format_record

BOOK = """\
[Game "yavalath"]

1. e5 2. swap 3. d4 *

[Game "manalath"]

1. e5w *

[Game "yavalath"]

a1 b2 *

[Game "yavalath"]

3. c3 *
"""

YAVALATH = ("yavalath",)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.lath"
    path.write_text(BOOK.replace("3. c3", "1. c3"))
    return path


def openings(
    path: Path, turns: int, game_ids: tuple[str, ...] = YAVALATH, **more: Any
) -> list[Opening]:
    read = Book(BookChoice(path=path, **more), game_ids, seed=1)
    return [read.opening(game_ids[0], turn) for turn in range(1, turns + 1)]


def moves(told: list[Opening]) -> list[str]:
    return [" ".join(each.moves) for each in told]


def test_openings_come_in_order_and_then_again_from_the_first_one_that_is_asked_for(
    book: Path,
) -> None:
    told = openings(book, 4)
    assert moves(told) == ["e5 swap d4", "a1 b2", "c3", "e5 swap d4"]
    assert [each.name for each in told[:3]] == ["book.lath #1", "book.lath #3", "book.lath #4"]
    assert moves(openings(book, 3, start=2, plies=1)) == ["a1", "c3", "e5"]
    assert openings(book, 1, plies=0)[0] == Opening(name="book.lath #1")


def test_an_opening_has_the_name_that_its_record_has(tmp_path: Path) -> None:
    path = tmp_path / "book.lath"
    for told, name in (
        ("Corner", ": Corner"),
        ("old.lath #7: Far  corner", ": Far corner"),
        ("old.lath #7", ""),
        ("random:2 e5 d4", ""),
    ):
        path.write_text(
            format_record(with_tags(parse('[Game "yavalath"]\n\n1. e5 2. d4 *'), Opening=told))
        )
        (opening,) = openings(path, 1)
        assert opening.name == f"book.lath #1{name}"


def test_chance_orders_them_by_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    cells = games.get("yavalath").start().legal_moves()
    lines = [f"yavalath {games.get('yavalath').start().play(cell).text()}" for cell in cells]
    path.write_text("\n".join(lines))
    orders = []
    for seed in (1, 1, 2):
        read = Book(BookChoice(path=path, order="random", folded=False), YAVALATH, seed)
        orders.append(
            [read.opening("yavalath", turn).position for turn in range(1, len(lines) + 1)]
        )
    assert orders[0] == orders[1] != orders[2]
    assert sorted(map(str, orders[0])) == sorted(map(str, orders[2]))
    assert len(set(orders[0])) == len(lines)


def test_all_pairings_of_a_round_play_the_same_opening_with_both_sides(book: Path) -> None:
    read = Book(BookChoice(path=book), YAVALATH, seed=1)
    schedule = a_schedule("round-robin", names=("ann", "bob", "cat"), openings=read)
    told = [(game.round, game.opening_name) for pair in played(schedule) for game in pair.games]
    assert told == [
        (turn, f"book.lath #{number}")
        for turn, number in ((1, 1), (2, 3), (3, 4))
        for _ in range(6)
    ]


SAME = """\
[Game "yavalath"]

1. i5 2. b3 *

[Game "yavalath"]

1. a1 2. h4 *

[Game "yavalath"]

1. a1 2. swap 3. e5 *

[Game "yavalath"]

1. e5 2. a1 3. b2 4. i5 *

[Game "yavalath"]

1. b2 2. i5 3. e5 4. a1 *
"""


def test_of_lines_that_are_the_same_game_the_first_counts(tmp_path: Path) -> None:
    """Turned, mirrored, or by another order of moves; where a tournament was begun so, all do."""
    path = tmp_path / "same.lath"
    path.write_text(SAME)
    names = [each.name for each in openings(path, 4)]
    assert names == [f"same.lath #{number}" for number in (1, 3, 4, 1)]
    assert len({each.name for each in openings(path, 5, folded=False)}) == 5
    assert "folded" in BookChoice(path=path).identity()
    assert "folded" not in BookChoice(path=path, folded=False).identity()


def test_the_games_of_any_format_are_a_book_by_depth(tmp_path: Path) -> None:
    """Those that ended before are none."""
    whole = [random_game("yavalath", seed) for seed in range(6)]
    shortest = min(len(record.plies) for record in whole)
    for name in ("b.lath", "b.lath.gz", "b.jsonl", "b.ygn", "b.ygn.xz"):
        path = tmp_path / name
        write_atomically(path, writer(name_for(path))([*whole, *whole], lambda *_: None))
        for depth in (4, shortest):
            left = [record for record in whole if len(record.plies) > depth]
            told = openings(path, 2 * len(left), plies=depth)
            assert [list(each.moves) for each in told] == 2 * [
                [ply.move for ply in record.plies[:depth]] for record in left
            ], name


def test_a_game_that_somebody_lost_before_is_no_opening_but_a_short_line_is(tmp_path: Path) -> None:
    path = tmp_path / "games.lath"
    path.write_text('[Game "yavalath"]\n\n1. e5 1-0\n\n[Game "yavalath"]\n\n1. a1 *\n')
    assert moves(openings(path, 2, plies=4)) == ["a1", "a1"]
    assert moves(openings(path, 2, plies=4, folded=False)) == ["e5", "a1"]


def test_lines_hold_positions_and_setups(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    position = games.get("yavalath").start().play(Move("e5")).text()
    setup = games.get("mammalath").draw_setup(1)
    path.write_text(f"# a comment\n\nyavalath {position}\nmammalath setup {setup}\n")
    assert openings(path, 1) == [Opening(position=position, name="book.txt #3")]
    assert openings(path, 1, ("mammalath",)) == [Opening(setup=setup, name="book.txt #4")]
    path.write_text(f"\ufeffyavalath {position}\n", encoding="utf-8")  # as Windows saves it
    assert openings(path, 1) == [Opening(position=position, name="book.txt #1")]


def test_the_setup_of_a_record_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "book.jsonl.gz"
    record = random_game("mammalath", 3)
    write_atomically(path, writer("jsonlines")([record], lambda *_: None))
    (told,) = openings(path, 1, ("mammalath",), plies=2)
    assert told.setup == record.tag("Setup")
    assert list(told.moves) == [ply.move for ply in record.plies[:2]]


WRONG = (
    ("b.lath", '[Game "yavalath"]\n\n1. e5 2. e5 *', "b.lath:1: record 1: illegal move e5"),
    ("b.lath", '[Game "yavalath"]\n\n1. e5 2. *', "b.lath:3:"),
    ("b.lath", '[Game "yavalath"]\n\n1. zz *', "b.lath:1: record 1: 'zz' is not a move"),
    ("b.lath", '[Game "manalath"]\n\n*', "has no opening for yavalath"),
    ("b.txt", "yavalath nonsense", "b.txt:1: "),
    ("b.txt", "\n\ngo 9x9", "b.txt:3: unknown game 'go'"),
    ("b.txt", "yavalath setup x", "b.txt:1: "),
    ("b.pdn", "1. 11-15", "no format has the suffix .pdn"),
    ("b.sgf", "(;", "sgf can only be written"),
)


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    record, position = random_game("yavalath", 1), games.get("yavalath").start()
    for ply in record.plies:
        position = position.play(Move(ply.move))
    ended = f"record 1: ends after {len(record.plies)} plies"
    for name, text, message in (
        *WRONG,
        ("b.txt", f"yavalath {position.text()}\n", "b.txt:1: the game is over"),
        ("b.lath", format_record(record), ended),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(ConfigError) as error:
            openings(tmp_path / name, 1)
        assert message in str(error.value), text
    assert len(openings(tmp_path / "b.lath", 1, plies=4)[0].moves) == 4
    for look in (digest, lambda path: openings(path, 1)):
        with pytest.raises(ConfigError, match=r"gone\.lath: not found"):
            look(tmp_path / "gone.lath")


def test_an_entry_takes_its_text_and_little_more(tmp_path: Path) -> None:
    """500 entries of 8 plies are held in less than 100 bytes each."""
    path = tmp_path / "book.lath"
    text = format_record(random_game("yavalath", 1))
    path.write_text("\n".join([text] * 500))
    choice = BookChoice(path=path, plies=8, order="random", folded=False)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    read = Book(choice, YAVALATH, seed=1)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (after - before) / 500 < 100
    names = {read.opening("yavalath", turn).name for turn in range(1, 1001)}
    assert len(names) == 500, "after the last comes the first"
