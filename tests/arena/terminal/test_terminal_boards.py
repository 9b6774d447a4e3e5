"""Boards and curves in the terminal: in the colours, the room and the letters that it has."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from contextlib import redirect_stdout
from itertools import product
from typing import TYPE_CHECKING

import pytest
from game_files import EXAMPLES
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from sample_records import BUILT_IN
from walks import play_all, playout

from lath import games
from lath.arena.terminal import plots
from lath.arena.terminal.boards import MARK, coloured, drawing
from lath.arena.terminal.layout import Letters, Output
from lath.arena.terminal.tables import print_outcome
from lath.games.core import Move, Position
from lath.games.drawing.changes import changed_cells
from lath.games.drawing.shapes import CELL, LOSING
from lath.notation.text.writer import diagram
from lath.reports.notes.outcome import EventOutcome, Plot

if TYPE_CHECKING:
    from golden import Golden


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


PLOT = Plot(
    title="LLR after so many pairs",
    across="pairs",
    points=((0, 0.0), (200, -2.0), (400, 3.0)),
    bounds=(("H1 accepted", 2.94), ("H0 accepted", -2.94)),
)


def curve(width: int, *, is_ascii: bool = False) -> list[str]:
    lines = plots.drawn(PLOT, width, Letters(is_ascii=is_ascii))
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def test_boards_and_curves_as_they_are_shown(golden: Golden) -> None:
    """Rows of hexagons are shifted by half a cell; the curve goes between its bounds."""
    rectangle = games.add(EXAMPLES / "connect_four.py").position("7/7/7/7/3r3/3y3")
    squares = played("surikata", "Ma1", "Mb2", "Mc3", "Md4", "Me5", "c1")
    hexagons = played("manalath-61", "Oa1", "Pi5")
    plot = "\n".join(curve(44, is_ascii=True))
    golden(
        {
            "squares": coloured(squares).plain,
            "rectangle": coloured(rectangle).plain,
            "rectangle in letters": diagram(rectangle),
            "hexagons": coloured(hexagons).plain,
            "curve": plot,
        }
    )


def test_a_curve_fits_every_terminal_and_stays_away_where_it_cannot() -> None:
    for width, is_ascii in product((30, 35, 60, 80, 400), (False, True)):
        lines = curve(width, is_ascii=is_ascii)
        assert bool(lines) == (width >= 35)
        assert all(cell_len(line) <= width for line in lines)
        assert all(line.isascii() == is_ascii for line in lines[1:2])


def test_a_curve_without_colours_has_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    print_outcome(EventOutcome(format="match", verdict="So it is", plots=(PLOT,)), Output())
    told = capsys.readouterr().err
    assert "H1 accepted 2.94 ┄" in told
    assert "\x1b[3" not in told


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_every_letter_of_the_contents_stands_on_a_board_that_fits_into_a_terminal(
    game_id: str,
) -> None:
    position = in_the_middle(game_id)
    drawn = coloured(position).plain
    lines = drawn.splitlines()
    assert max(map(len, lines)) == min(map(len, lines)) <= 80
    assert len(lines) <= 19  # of 24: two above and two below, and the shell's
    board = position.game.board
    names = "".join({name[0] for name in board.names} if board.shape == "square" else "abcdefghi")
    for letter in {letter for content in position.contents() for letter in content}:
        count = sum(content.count(letter) for content in position.contents())
        assert drawn.count(letter) == count + names.count(letter), letter


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


def test_a_terminal_shows_colour(terminal: pytest.MonkeyPatch) -> None:
    drawn = shown(played("yavalath", "e5"), Terminal(), last=["e5"])
    assert "\x1b[38;2;" in drawn
    assert Text.from_ansi(drawn).plain == coloured(played("yavalath", "e5"), last=["e5"]).plain


def test_without_colour_room_or_unicode_it_is_plain(terminal: pytest.MonkeyPatch) -> None:
    position = played("yavalath", "e5")
    plain = diagram(position)
    assert plain.isascii()
    assert shown(position, io.StringIO()) == plain
    terminal.setenv("TERM", "xterm")
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb"), ("COLUMNS", "20"), ("COLORTERM", "")):
        with terminal.context() as patch:
            patch.setenv(name, value)
            assert shown(position, Terminal()) == plain, name
    terminal.setattr(Terminal, "encoding", "latin-1")
    assert shown(position, Terminal()) == plain
