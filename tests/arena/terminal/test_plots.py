"""Curves in a terminal: as wide as there is room, in the letters that it has."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from lath.arena.terminal.layout import Letters, Output
from lath.arena.terminal.plots import drawn
from lath.arena.terminal.tables import print_outcome
from lath.reports.outcome import Outcome, Plot

PLOT = Plot(
    title="LLR after so many pairs",
    across="pairs",
    points=((0, 0.0), (200, -2.0), (400, 3.0)),
    bounds=(("H1 accepted", 2.94), ("H0 accepted", -2.94)),
)


def text(width: int, *, is_ascii: bool = False) -> list[str]:
    lines = drawn(PLOT, width, Letters(is_ascii=is_ascii))
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def test_the_curve_goes_from_left_to_right_between_its_bounds() -> None:
    assert text(44, is_ascii=True) == [
        "LLR after so many pairs",
        " H1 accepted 2.94 ------------------------**",
        "                                        **",
        "                                       *",
        "                                     **",
        "                  **               **",
        "                    ****          *",
        "                        *****   **",
        "                             ***",
        "H0 accepted -2.94 --------------------------",
        "                  0               pairs: 400",
    ]


@pytest.mark.parametrize("width", [30, 35, 60, 80, 400])
@pytest.mark.parametrize("is_ascii", [False, True])
def test_it_fits_every_terminal_and_stays_away_where_it_cannot(width: int, is_ascii: bool) -> None:
    lines = text(width, is_ascii=is_ascii)
    assert bool(lines) == (width >= 35)
    assert all(cell_len(line) <= width for line in lines)
    assert all(line.isascii() == is_ascii for line in lines[1:2])


def test_without_colours_there_are_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    print_outcome(Outcome(format="match", verdict="So it is", plots=(PLOT,)), Output())
    told = capsys.readouterr().err
    assert "H1 accepted 2.94 ┄" in told
    assert "\x1b[3" not in told
