"""Boards in the terminal: in colour where it shows colour, plain elsewhere, letters always."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from contextlib import redirect_stdout

import pytest
from rich.console import Console
from rich.text import Text
from sample_records import BUILT_IN
from walks import play_all, playout

from lath import games
from lath.arena.terminal.boards import MARK, coloured, drawing
from lath.games.core import Move, Position
from lath.games.drawing.board import changed_cells
from lath.games.drawing.shapes import CELL, LOSING
from lath.notation.writer import diagram


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("COLUMNS", "120")
    return monkeypatch


def shown(position: Position, stream: io.StringIO, last: Sequence[str] = ()) -> str:
    with redirect_stdout(stream):
        return drawing(position, last=last)


def played(game_id: str, *moves: str) -> Position:
    return play_all(games.get(game_id).start(), [Move(move) for move in moves])


def in_the_middle(game_id: str) -> Position:
    game = games.get(game_id)
    start = game.start(game.draw_setup(3))
    moves = playout(start, random.Random(1))
    return play_all(start, moves[: len(moves) * 2 // 3])


def grounds(text: Text, letter: str) -> set[str]:
    """Return the colours behind a letter."""
    found = set()
    for span in text.spans:
        if letter in text.plain[span.start : span.end]:
            colour = Console().get_style(span.style).bgcolor
            assert colour
            found.add(colour.name)
    return found


def test_squares_have_numbers_at_the_left_and_letters_below() -> None:
    drawn = coloured(played("surikata", "Ma1", "Mb2", "Mc3", "Md4", "Me5", "c1")).plain
    assert [line.rstrip() for line in drawn.splitlines()] == [
        "",
        " 5                   m",
        "    ▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀",
        " 4               m",
        "    ▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀",
        " 3           m",
        "    ▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀",
        " 2       m",
        "    ▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀",
        " 1   m      ok",
        "    ▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀",
        "     a   b   c   d   e",
    ]


def test_rows_of_hexagons_are_shifted_by_half_a_cell_and_empty_cells_numbered() -> None:
    lines = coloured(played("manalath-61", "Oa1", "Pi5")).plain.splitlines()
    assert [line.rstrip() for line in lines[1::2]] == [
        "         i   1   2   3   4  ▟p▙",
        "       h   1   2   3   4   5   6",
        "     g   1   2   3   4   5   6   7",
        "   f   1   2   3   4   5   6   7   8",
        " e   1   2   3   4   5   6   7   8   9",
        "   d   1   2   3   4   5   6   7   8",
        "     c   1   2   3   4   5   6   7",
        "       b   1   2   3   4   5   6",
        "         a  ▟o▙  2   3   4   5",
    ]


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_every_letter_of_the_contents_stands_on_the_board(game_id: str) -> None:
    position = in_the_middle(game_id)
    drawn = coloured(position).plain
    board = position.game.board
    names = "".join({name[0] for name in board.names} if board.shape == "square" else "abcdefghi")
    for letter in {letter for content in position.contents() for letter in content}:
        labels = names.count(letter)
        count = sum(content.count(letter) for content in position.contents())
        assert drawn.count(letter) == count + labels, letter


def test_a_token_on_an_animal_leaves_both_to_be_seen() -> None:
    drawn = coloured(played("mammalath", "a6"))
    colours = {piece.code: piece.colour for piece in games.get("mammalath").pieces}
    assert " 6  Aw   B " in drawn.plain
    assert grounds(drawn, "w") == {colours["w"]}
    assert grounds(drawn, "A") == {colours["A"]}


def test_the_last_move_is_in_brackets_and_neighbours_share_a_bar() -> None:
    position = played("yavalath", "e5")
    assert "[▟w▙]" in coloured(position, last=["e5"]).plain
    assert "[▟w▙|" in coloured(position, last=["e5", "e6"]).plain
    assert "| 6 ]" in coloured(position, last=["e6", "e5"]).plain


def test_a_cell_that_only_the_marker_left_is_not_of_the_last_move() -> None:
    mounds = ("Ma1", "Ma5", "Mb2", "Mc2", "Me3")
    before = played("surikata", *mounds, "a4")
    after = before.play(Move("d2"))
    assert {"ok", "wk"}.intersection(before.contents()) == {"ok"}
    assert {"ok", "wk"}.intersection(after.contents()) == {"wk"}
    assert changed_cells(before, after) == ["d2"]


def test_cells_that_won_and_cells_that_lost_have_a_bar_of_their_own_below_them() -> None:
    position = played("yavalath", "e5")
    assert not {MARK, LOSING} & grounds(coloured(position), "▀")
    assert CELL in grounds(coloured(position), "5")
    lost = played("yavalath", "e1", "a1", "e2", "a2", "e3")
    assert {MARK, LOSING} & grounds(coloured(lost), "▀") == {LOSING}
    won = played("yavalath", "e1", "a1", "e2", "a3", "e4", "a5", "e3")
    assert {MARK, LOSING} & grounds(coloured(won), "▀") == {MARK}


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_a_board_fits_into_eighty_columns_and_twenty_four_lines(game_id: str) -> None:
    lines = coloured(in_the_middle(game_id)).plain.splitlines()
    assert max(map(len, lines)) == min(map(len, lines)) <= 80
    assert len(lines) <= 19  # two above and two below, and the shell's


def test_a_terminal_shows_colour(terminal: pytest.MonkeyPatch) -> None:
    drawn = shown(played("yavalath", "e5"), Terminal(), last=["e5"])
    assert "\x1b[38;2;" in drawn
    assert Text.from_ansi(drawn).plain == coloured(played("yavalath", "e5"), last=["e5"]).plain


@pytest.mark.parametrize(
    ("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("COLUMNS", "20"), ("COLORTERM", "")]
)
def test_without_colour_or_room_it_is_plain(
    terminal: pytest.MonkeyPatch, name: str, value: str
) -> None:
    terminal.setenv("TERM", "xterm")
    terminal.setenv(name, value)
    position = played("yavalath", "e5")
    assert shown(position, Terminal()) == diagram(position)
    assert diagram(position).isascii()


def test_what_is_no_terminal_or_speaks_no_unicode_gets_it_plain(
    terminal: pytest.MonkeyPatch,
) -> None:
    position = played("yavalath", "e5")
    assert shown(position, io.StringIO()) == diagram(position)
    terminal.setattr(Terminal, "encoding", "latin-1")
    assert shown(position, Terminal()) == diagram(position)
