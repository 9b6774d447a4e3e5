"""Boards as people draw them, and their positions.

A drawing has one line per row of the board, from the top, with spaces between the cells; `.` is an
empty cell. Rows of hexagons can be indented.
"""

from __future__ import annotations

from itertools import groupby

from walks import play_all

from lath.games.core import Game, Move, Outcome, Position


def rows(drawing: str) -> str:
    """Return the rows in the syntax of position texts.

    >>> rows('''
    ...     m . .
    ...     . o o
    ... ''')
    'm2/1oo'
    """
    return "/".join(_row("".join(line.split())) for line in drawing.strip().splitlines())


def _row(cells: str) -> str:
    return "".join(
        str(len(list(run))) if letter == "." else "".join(run) for letter, run in groupby(cells)
    )


def layer(drawing: str, number: int) -> str:
    """Return the rows of one character of every cell: `Aw` has an animal and a token on it.

    >>> layer("Aw B. .b", 0), layer("Aw B. .b", 1)
    ('AB1', 'w1b')
    """
    lines = drawing.strip().splitlines()
    return rows("\n".join(" ".join(cell[number] for cell in line.split()) for line in lines))


def animals_and_tokens(drawing: str, mover: str) -> str:
    """Return the position of a Mammalath board such as `Aw B. .b ..`."""
    return f"{layer(drawing, 0)} {layer(drawing, 1)} {mover}"


def pieces(drawing: str, mover: str) -> str:
    """Return the position of a board with one piece per cell."""
    return f"{rows(drawing)} {mover}"


def pieces_and_meerkat(drawing: str, mover: str) -> str:
    """Return the position of a Surikata board; the meerkat stands on the capital letter.

    >>> pieces_and_meerkat("m O . . w", "w")
    'mo2w b1 w'
    """
    lines = [line.split() for line in drawing.strip().splitlines()]
    meerkat = "-"
    for height, line in enumerate(reversed(lines), 1):
        for column, cell in zip("abcde", line, strict=True):
            if cell.isupper():
                meerkat = f"{column}{height}"
    return f"{rows(drawing.lower())} {meerkat} {mover}"


def after(position: Position, moves: str) -> Position:
    """Return the position after moves separated by spaces."""
    return play_all(position, [Move(move) for move in moves.split()])


def ending(position: Position) -> Outcome:
    """Return the outcome of a finished game, whose text must read back the same."""
    outcome = position.outcome()
    assert outcome is not None, f"{position.text()} is not over"
    assert position.game.position(position.text()).outcome() == outcome
    return outcome


def reasons(game: Game, text: str, moves: str) -> list[str | None]:
    """Return the reason why each of `moves` is illegal in the position `text`, or None."""
    position = game.position(text)
    return [position.why_illegal(Move(move)) for move in moves.split()]
