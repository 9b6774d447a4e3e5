"""YGN: where its cells are, the pie as the first move once more, results that only moves tell."""

from __future__ import annotations

import io
import random
from typing import TYPE_CHECKING, Final

import pytest
from format_files import EMPTY, entries, records_in, told, whole, written
from hypothesis import given
from hypothesis import strategies as st
from walks import play_all, playout

from lath import games
from lath.notation import Ply, Record, check, parse, positions
from lath.notation.formats import WHOLE, ygn

if TYPE_CHECKING:
    from golden import Golden

YAVALATH: Final = games.get("yavalath")

PIE: Final = f"{EMPTY}\r\n1. E5 E5 2. D4 E6 3. B2 E8 4. G3 E7 ".encode()
"""As the program writes it: a blank behind every move, and no end of the last line."""


def record_in(content: bytes | str) -> Record:
    """Return the only record of a file in which nothing is wrong."""
    (record,) = records_in("ygn", content)
    return record


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


def test_the_position_in_brackets_is_drawn_from_row_a_to_row_i() -> None:
    record = record_in("[w4/6/7/8/4b4/8/7/6/5 w]\r\n1. A2")
    assert record.tag("Position") == "w4/6/7/8/4b4/8/7/6/5 w"
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
    assert written("ygn", [record]) == (b"[5/6/7/8/4w4/8/7/6/5 b]\r\n1. E5 A1\r\n", [])


def test_a_cell_that_is_taken_later_is_no_swap() -> None:
    record = record_in(f"{EMPTY}\r\n1. E5 A1 2. E5".encode())
    assert record.moves == ("e5", "i1", "e5")
    assert [fault.code for fault in check(record)] == ["illegal-move"]


def test_a_game_that_goes_on_has_no_result() -> None:
    record = record_in(f"{EMPTY}\n1. E5 D4 2. F6".encode())
    assert (record.moves, record.result) == (("e5", "f4", "d5"), "*")
    assert record.tags == (("Game", "yavalath"), ("Result", "*"))


def test_numbers_may_be_left_out_and_lines_wrapped_or_joined() -> None:
    spellings = ("1. E5 D4 2. F6", "E5 D4 F6", "1.E5 D4\r\n2. F6 ", "1. E5\n\n  D4 2.\nF6")
    for moves in spellings:
        assert record_in(f"{EMPTY}\r\n{moves}").moves == ("e5", "f4", "d5")
    for head in (EMPTY, f"\ufeff{EMPTY}\r\n", f"\n\n  {EMPTY}\n"):
        assert record_in(f"{head}1. E5").moves == ("e5",)


def test_records_begin_with_a_bracket() -> None:
    found = entries("ygn", f"{EMPTY}\r\n1. E5\r\n\r\n{EMPTY}\n{EMPTY}\n1. A1")
    assert [(entry.number, entry.line, entry.text) for entry in found] == [
        (1, 1, f"{EMPTY}\r\n1. E5"),
        (2, 4, EMPTY),
        (3, 5, f"{EMPTY}\n1. A1"),
    ]
    assert [entry.record.moves for entry in found if entry.record] == [("e5",), (), ("i1",)]


# There and back


def test_what_is_written_is_what_the_program_writes() -> None:
    assert whole("ygn", [record_in(PIE)]) == PIE.rstrip() + b"\r\n"


every_start = pytest.mark.parametrize(
    "position", ["", "5/6/7/8/4w4/8/7/6/5 b", "w4/6/7/8/4b4/8/7/6/5 w"]
)


@every_start
@pytest.mark.parametrize("games", [20])
def test_random_games_come_back_from_ygn(position: str, games: int) -> None:
    played = [bare_game(seed, position) for seed in range(games)]
    assert records_in("ygn", whole("ygn", played)) == played


@given(st.lists(st.sampled_from(YAVALATH.board.names), min_size=1, max_size=12))
def test_moves_come_back_legal_or_not(moves: list[str]) -> None:
    if moves[1:2] == moves[:1]:
        moves[1] = "swap"
    content, _ = written("ygn", [Record((("Game", "yavalath"),), tuple(map(Ply, moves)))])
    assert record_in(content).moves == tuple(moves)


# What YGN cannot hold

PIE_WON = "1. e5 2. swap 3. d4 4. e6 5. b2 6. e8 7. g2 8. e7"
LOST: Final = {
    '[Event "x"] [First "ann"] 1. e5 *': ["tag Event", "tag First"],
    "1. e5! 2. d4 {why} (2. d5) *": ["glyphs", "comments", "variations"],
    "{before} 1. e5 *": ["comments"],
    '[Termination "resignation"] 1. e5 1-0': ["tag Termination", "result 1-0"],
    '[Termination "void"] 1. e5 *': ["tag Termination"],
    '[Termination "rules"] 1. e5 *': ["tag Termination"],
    "1. e5 2. swap *": [],
    f'[Termination "rules"] {PIE_WON} 0-1': [],
    f"{PIE_WON} *": ["result *"],
}
LEFT_OUT: Final = {
    '[Game "mammalath"] 1. c3 *': "game mammalath",
    '[Game "yavalath"] 1. e5 2. j1 *': "move j1",
    '[Game "yavalath"] 1. swap *': "move swap",
    '[Game "yavalath"] 1. e5 2. swap 3. swap *': "move swap",
    '[Game "yavalath"] 1. e5 2. e5 *': "move e5",
    '[Game "yavalath"] [Position "x"] 1. e5 *': "tag Position",
    '[Game "yavalath"] [Setup "x"] 1. e5 *': "tag Setup",
}


def test_what_is_lost_is_named_and_what_cannot_be_held_is_left_out() -> None:
    found = {}
    for text in LOST:
        content, lost = written("ygn", [parse(f'[Game "yavalath"] {text}')])
        assert content.startswith(b"[5/6/7/8/9/8/7/6/5 w]\r\n1. E5")
        found[text] = [field for _, field in lost]
    assert found == LOST
    good = bare_game(1)
    for text, field in LEFT_OUT.items():
        content, lost = written("ygn", [good, parse(text), good])
        assert records_in("ygn", content) == [good, good]
        assert lost == [(2, field), (2, WHOLE)]


# What is wrong

BAD_RECORDS: Final = [
    "¦1. E5",
    "¦[5/6/7/8/9/8/7/6/5 w",
    '[¦Game "yavalath"]',
    *(f"{EMPTY} {moves}" for moves in ("1. E5 ¦e4", "1. E5 ¦swap", "1. E5 ¦1-0", "¦2. E5")),
    *(f"{EMPTY} {moves}" for moves in ("1. E5 ¦2. D4", "1. E5 D4 ¦3. A1")),
    *(f"{EMPTY} 1. E5 ¦{cell}" for cell in ("F1", "A6", "J1")),
]
"""Records, with ¦ where they are at fault."""


def test_a_bad_record_is_told_of_in_its_place(golden: Golden) -> None:
    golden(told("ygn", BAD_RECORDS))


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
