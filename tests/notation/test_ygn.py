"""YGN: where its cells are, the pie as the first move once more, results that only moves tell."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable
from typing import Final

import pytest
from drawn import pieces
from hypothesis import given
from hypothesis import strategies as st
from record_strategies import RECORDS
from walks import play_all, playout

from lath import games
from lath.notation import Entry, Ply, Record, check, parse, positions, reader
from lath.notation.formats import WHOLE, ygn

YAVALATH: Final = games.get("yavalath")

EMPTY: Final = "[5/6/7/8/9/8/7/6/5 w]"

PIE: Final = f"{EMPTY}\r\n1. E5 E5 2. D4 E6 3. B2 E8 4. G3 E7 ".encode()
"""As the program writes it: a blank behind every move, and no end of the last line."""


def entries(content: bytes) -> list[Entry]:
    return list(ygn.read(io.BytesIO(content), "f.ygn"))


def record_in(content: bytes) -> Record:
    """Return the only record of a file in which nothing is wrong."""
    (entry,) = entries(content)
    assert entry.problems == ()
    assert entry.record is not None
    return entry.record


def written(records: Iterable[Record]) -> tuple[bytes, list[tuple[int, str]]]:
    """Return the file and what was told of as lost."""
    lost: list[tuple[int, str]] = []
    content = b"".join(ygn.write(records, lambda *what: lost.append(what)))
    return content, lost


def bare_game(seed: int, position: str = "") -> Record:
    """Return a random game of which only what YGN holds is known."""
    start = YAVALATH.position(position) if position else YAVALATH.start()
    moves = playout(start, random.Random(seed))
    outcome = play_all(start, moves).outcome()
    assert outcome is not None
    tags = {"Game": "yavalath", **({"Position": position} if position else {})}
    tags |= {"Termination": "rules", "Result": outcome.result}
    return Record(tuple(tags.items()), tuple(Ply(move) for move in moves), outcome.result)


# Cells


def test_every_cell_has_a_name_on_the_slanting_grid() -> None:
    ours = {name: f"{name}:{theirs}" for theirs, name in ygn.cells().items()}
    board = YAVALATH.board
    drawing = [" ".join(ours[board.name[bit]] for bit in row) for row in board.rows]
    assert drawing == [
        "i1:A1 i2:A2 i3:A3 i4:A4 i5:A5",
        "h1:B1 h2:B2 h3:B3 h4:B4 h5:B5 h6:B6",
        "g1:C1 g2:C2 g3:C3 g4:C4 g5:C5 g6:C6 g7:C7",
        "f1:D1 f2:D2 f3:D3 f4:D4 f5:D5 f6:D6 f7:D7 f8:D8",
        "e1:E1 e2:E2 e3:E3 e4:E4 e5:E5 e6:E6 e7:E7 e8:E8 e9:E9",
        "d1:F2 d2:F3 d3:F4 d4:F5 d5:F6 d6:F7 d7:F8 d8:F9",
        "c1:G3 c2:G4 c3:G5 c4:G6 c5:G7 c6:G8 c7:G9",
        "b1:H4 b2:H5 b3:H6 b4:H7 b5:H8 b6:H9",
        "a1:I5 a2:I6 a3:I7 a4:I8 a5:I9",
    ]


def test_a_number_runs_along_a_column_that_slants_to_the_right() -> None:
    """White plays column 5 from A5 down to I5, black stays in row A and out of the way."""
    position = record_in(f"{EMPTY}\r\n1. A5 A1 2. B5 A2 3. D5 A4 4. E5 I9 5. G5 I8 6. I5".encode())
    *_, end = positions(position)
    assert end.text() == pieces(
        """
            b b . b w
           . . . . w .
          . . . . . . .
         . . . . w . . .
        . . . . w . . . .
         . . . . . . . .
          . . w . . . .
           . . . . . .
            w . . b b
        """,
        "b",
    )


def test_the_position_in_brackets_is_drawn_from_row_a_to_row_i() -> None:
    drawing = pieces(
        """
            w . . . .
           . . . . . .
          . . . . . . .
         . . . . . . . .
        . . . . b . . . .
         . . . . . . . .
          . . . . . . .
           . . . . . .
            . . . . .
        """,
        "w",
    )
    record = record_in(f"[{drawing}]\r\n1. A2".encode())
    assert record.tag("Position") == drawing
    *_, end = positions(record)
    assert end.text() == "ww3/6/7/8/4b4/8/7/6/5 b"


# Records


def test_the_first_move_once_more_is_the_pie() -> None:
    record = record_in(PIE)
    assert record.moves == ("e5", "swap", "f4", "e6", "h2", "e8", "c1", "e7")
    assert (record.result, record.termination) == ("0-1", "rules")
    assert check(record) == []


def test_the_only_stone_of_a_position_can_be_swapped() -> None:
    record = record_in(b"[5/6/7/8/4w4/8/7/6/5 b]\r\n1. E5 A1")
    assert record.moves == ("swap", "i1")
    assert check(record) == []
    assert written([record]) == (b"[5/6/7/8/4w4/8/7/6/5 b]\r\n1. E5 A1\r\n", [])


def test_a_cell_that_is_taken_later_is_no_swap() -> None:
    record = record_in(f"{EMPTY}\r\n1. E5 A1 2. E5".encode())
    assert record.moves == ("e5", "i1", "e5")
    assert [fault.code for fault in check(record)] == ["illegal-move"]


def test_a_game_that_goes_on_has_no_result() -> None:
    record = record_in(f"{EMPTY}\n1. E5 D4 2. F6".encode())
    assert (record.moves, record.result) == (("e5", "f4", "d5"), "*")
    assert record.tags == (("Game", "yavalath"), ("Result", "*"))


@pytest.mark.parametrize(
    "moves",
    ["1. E5 D4 2. F6", "E5 D4 F6", "1.E5 D4\r\n2. F6 ", "1. E5\n\n  D4 2.\nF6", "1. E5 D4 F6"],
)
def test_numbers_may_be_left_out_and_lines_wrapped(moves: str) -> None:
    assert record_in(f"{EMPTY}\r\n{moves}".encode()).moves == ("e5", "f4", "d5")


@pytest.mark.parametrize("head", [f"{EMPTY}", f"\ufeff{EMPTY}\r\n", f"\n\n  {EMPTY}\n"])
def test_the_moves_may_follow_on_the_same_line(head: str) -> None:
    assert record_in(f"{head}1. E5".encode()).moves == ("e5",)


def test_records_begin_with_a_bracket() -> None:
    content = f"{EMPTY}\r\n1. E5\r\n\r\n{EMPTY}\n{EMPTY}\n1. A1".encode()
    found = entries(content)
    assert [(entry.number, entry.line, entry.text) for entry in found] == [
        (1, 1, f"{EMPTY}\r\n1. E5"),
        (2, 4, EMPTY),
        (3, 5, f"{EMPTY}\n1. A1"),
    ]
    assert [entry.record.moves for entry in found if entry.record] == [("e5",), (), ("i1",)]
    assert entries(b"") == entries(b"\r\n \n") == []


# There and back


def test_what_is_written_is_what_the_program_writes() -> None:
    content, lost = written([record_in(PIE)])
    assert content == PIE.rstrip() + b"\r\n"
    assert lost == []


every_start = pytest.mark.parametrize(
    "position", ["", "5/6/7/8/4w4/8/7/6/5 b", "w4/6/7/8/4b4/8/7/6/5 w"]
)


@every_start
@pytest.mark.parametrize("games", [50])
def test_random_games_come_back_from_ygn(position: str, games: int) -> None:
    played = [bare_game(seed, position) for seed in range(games)]
    content, lost = written(played)
    assert lost == []
    assert [entry.record for entry in entries(content)] == played


@given(st.lists(st.sampled_from(YAVALATH.board.names), min_size=1, max_size=12))
def test_moves_come_back_legal_or_not(moves: list[str]) -> None:
    if moves[1:2] == moves[:1]:
        moves[1] = "swap"
    plies = tuple(Ply(move) for move in moves)
    content, _ = written([Record((("Game", "yavalath"),), plies)])
    assert record_in(content).moves == tuple(moves)


# What YGN cannot hold


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[Event "x"] [First "ann"] 1. e5 *', ["tag Event", "tag First"]),
        ("1. e5! 2. d4 {why} (2. d5) *", ["glyphs", "comments", "variations"]),
        ("{before} 1. e5 *", ["comments"]),
        ('[Termination "resignation"] 1. e5 1-0', ["tag Termination", "result 1-0"]),
        ('[Termination "void"] 1. e5 *', ["tag Termination"]),
        ('[Termination "rules"] 1. e5 *', ["tag Termination"]),
        ("1. e5 2. swap *", []),
        ('[Termination "rules"] 1. e5 2. swap 3. d4 4. e6 5. b2 6. e8 7. g2 8. e7 0-1', []),
        ("1. e5 2. swap 3. d4 4. e6 5. b2 6. e8 7. g2 8. e7 *", ["result *"]),
    ],
)
def test_what_is_lost_is_named(text: str, expected: list[str]) -> None:
    content, lost = written([parse(f'[Game "yavalath"] {text}')])
    assert content.startswith(b"[5/6/7/8/9/8/7/6/5 w]\r\n1. E5")
    assert lost == [(1, field) for field in expected]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('[Game "mammalath"] 1. c3 *', "game mammalath"),
        ('[Game "yavalath"] 1. e5 2. j1 *', "move j1"),
        ('[Game "yavalath"] 1. swap *', "move swap"),
        ('[Game "yavalath"] 1. e5 2. swap 3. swap *', "move swap"),
        ('[Game "yavalath"] 1. e5 2. e5 *', "move e5"),
        ('[Game "yavalath"] [Position "x"] 1. e5 *', "tag Position"),
        ('[Game "yavalath"] [Setup "x"] 1. e5 *', "tag Setup"),
    ],
)
def test_a_record_that_ygn_cannot_hold_is_told_of_and_left_out(text: str, field: str) -> None:
    good = bare_game(1)
    content, lost = written([good, parse(text), good])
    assert [entry.record for entry in entries(content)] == [good, good]
    assert lost == [(2, field), (2, WHOLE)]


@given(RECORDS)
def test_writing_never_fails(record: Record) -> None:
    known = Record((("Game", "yavalath"), *record.tags[1:]), record.plies, record.result)
    content, lost = written([known, record])
    assert content.isascii()
    assert lost


# What is wrong


BAD_RECORDS: Final = [
    ("¦1. E5", "syntax: moves without a position"),
    ("¦[5/6/7/8/9/8/7/6/5 w", "syntax: the position is never closed"),
    (
        '[¦Game "yavalath"]',
        "position: position 'Game \"yavalath\"' must be two fields: board, and w or b to move",
    ),
    (f"{EMPTY} 1. E5 ¦e4", "move: 'e4' is not a cell"),
    (f"{EMPTY} 1. E5 ¦swap", "move: 'swap' is not a cell"),
    (f"{EMPTY} 1. E5 ¦1-0", "move: '1-0' is not a cell"),
    (f"{EMPTY} ¦2. E5", "syntax: the number 2. stands before ply 1"),
    (f"{EMPTY} 1. E5 ¦2. D4", "syntax: the number 2. stands before ply 2"),
    (f"{EMPTY} 1. E5 D4 ¦3. A1", "syntax: the number 3. stands before ply 3"),
]
"""A record, with ¦ where it is at fault, and the code and the message."""


@pytest.mark.parametrize(
    ("marked", "told"), BAD_RECORDS, ids=[told.partition(": ")[2] for _, told in BAD_RECORDS]
)
def test_a_bad_record_is_told_of_and_reading_goes_on(marked: str, told: str) -> None:
    text, column = marked.replace("¦", ""), marked.index("¦") + 1
    bad, good = entries(f"\n{text}\n\n{EMPTY}\n1. E5\n".encode())
    assert good.record is not None
    (problem,) = bad.problems
    assert (problem.file, f"{problem.code}: {problem.message}") == ("f.ygn", told)
    assert (problem.line, problem.column, problem.record) == (2, column, 1)
    assert (bad.record, problem.source) == (None, text)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("F1", "F2 to F9 in this row"),
        ("A6", "A1 to A5 in this row"),
        ("J1", "rows A to I, such as E5"),
    ],
)
def test_a_wrong_cell_is_told_which_there_are(cell: str, expected: str) -> None:
    (entry,) = entries(f"{EMPTY}\n1. E5 {cell}".encode())
    (problem,) = entry.problems
    assert (problem.expected, problem.line, problem.ply) == (expected, 2, 2)


def test_a_byte_that_is_no_utf_8_is_told_of() -> None:
    (entry,) = entries(f"{EMPTY}\n1. E5 ".encode() + b"\xff")
    (problem,) = entry.problems
    assert (problem.code, problem.line, problem.column) == ("encoding", 2, 7)
    assert entry.text.endswith("\N{REPLACEMENT CHARACTER}")


def test_a_record_that_is_too_long_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_RECORD", 10_000)
    long = f"{EMPTY}\n{'E5 ' * 5_000}"
    bad, good = entries(f"{long}\n{EMPTY}\n1. E5".encode())
    assert good.record is not None
    assert good.line == 3
    assert [problem.code for problem in bad.problems] == ["size"]
    assert len(bad.text) == 200


class Line(bytes):
    """A line that counts how often lines are asked for their length."""

    asked = 0

    def __len__(self) -> int:
        Line.asked += 1
        return super().__len__()


class Lines(io.BytesIO):
    """A stream of such lines."""

    def readline(self, size: int | None = -1, /) -> bytes:
        return Line(super().readline(size))


def test_each_line_of_a_record_is_measured_once() -> None:
    Line.asked = 0
    found = list(ygn.read(Lines(f"{EMPTY}\n{'E5' * 300}\n".encode() + b"\n" * 2000), "f.ygn"))
    assert len(found) == 1
    assert Line.asked < 3 * 2002


PIECES: Final = ["[", "]", "\n", "\r\n", " ", EMPTY, "1.", "2.", "E5", "A1", "e5", "*", "\ufeff"]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=12))
def test_reading_anything_ends(words: list[str]) -> None:
    found = entries("".join(words).encode("utf-8", "surrogatepass"))
    assert [entry.number for entry in found] == list(range(1, len(found) + 1))
    for entry in found:
        assert (entry.record is None) == (len(entry.problems) == 1)
