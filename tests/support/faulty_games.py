"""A small game, and one-line changes that each plant a fault which a check must name.

The game is noughts and crosses with passes. It states all that a game can, so that each part of the
contract has a line to change.
"""

from __future__ import annotations

from typing import Final, NamedTuple

SOUND: Final = '''"""Three in line on a square board win. Two passes are a draw."""

from dataclasses import dataclass, replace

from lath.games.board import squares
from lath.games.core import IDENTITY, SIDES, Lesson, Move, Outcome, Piece, Symmetry, require_legal
from lath.games.errors import PositionError
from lath.games.fast import DRAW, FastBoard
from lath.games.parameters import Parameter
from lath.games.stones import Rules


class Passing(Rules):
    id, title, credit = "passing", "Passing", "for tests"
    colours = ("cross", "nought")
    pieces = (Piece("x", "cross", "disc", "#c0392b"), Piece("o", "nought", "disc", "#2277cc"))
    parameters = (Parameter("size", 3, range(3, 5), "cells on a side"),)
    expected = "expected a cell such as a1, or pass"
    lessons = (
        Lesson(
            title="Three in line win",
            words="Three crosses in line win.",
            moves=("a1", "b1", "a2", "b2", "a3"),
            ending="three in line",
            is_win=True,
        ),
    )

    def __init__(self, size=3):
        self.board = squares(size)
        self.lines = self.board.lines(3)
        self.moves = {name: Move(name) for name in (*self.board.names, "pass")}

    def start(self, setup=None):
        return Place(self, 0, 0, 0, 0) if setup is None else self.canonical_setup(setup)

    def position(self, text):
        rows, _, rest = text.partition(" ")
        if rest not in ("x 0", "x 1", "x 2", "o 0", "o 1", "o 2"):
            raise PositionError("the rows are followed by the side to move and the passes")
        cells = self.board.read_rows(rows, "xo")
        place = Place(self, cells["x"], cells["o"], "xo".index(rest[0]), int(rest[2]))
        if place.text() != text or cells["x"] & cells["o"]:
            raise PositionError("written otherwise")
        return place

    def symmetries(self, position):
        def way(each):
            cells = {**each.cells, "pass": "pass"}
            move = lambda move: Move(cells.get(move, move))
            return Symmetry(move, lambda place: place.turned(each.mask))

        return (IDENTITY, *map(way, self.board.isometries[1:]))

    def fast(self, position):
        return Fast(position)


@dataclass(frozen=True, order=True, slots=True)
class Place:
    game: Passing
    x: int
    o: int
    mover: int
    passes: int

    @property
    def to_move(self):
        return SIDES[self.mover]

    @property
    def extras(self):
        return {"passes": self.passes}

    @property
    def is_over(self):
        return self.outcome() is not None

    def outcome(self):
        board, last = self.game.board, SIDES[self.mover].other
        for stones in (self.x, self.o):
            if lines := board.finished(self.game.lines, stones):
                return Outcome(last, "three in line", board.names_of(lines))
        if self.x | self.o == board.full:
            return Outcome(None, "board full")
        return Outcome(None, "two passes") if self.passes == 2 else None

    def legal_moves(self):
        if self.is_over:
            return ()
        free = self.game.board.full & ~(self.x | self.o)
        return (*map(Move, self.game.board.names_in(free)), Move("pass"))

    def why_illegal(self, move):
        if move in self.legal_moves():
            return None
        return "the game is over" if self.is_over else f"{move} is not a free cell"

    def play(self, move):
        require_legal(self, move)
        if move == "pass":
            return replace(self, mover=1 - self.mover, passes=self.passes + 1)
        bit = self.game.board.bit[move]
        x, o = (self.x | bit, self.o) if self.mover == 0 else (self.x, self.o | bit)
        return Place(self.game, x, o, 1 - self.mover, 0)

    def text(self):
        rows = self.game.board.format_rows({"x": self.x, "o": self.o})
        return f"{rows} {'xo'[self.mover]} {self.passes}"

    def contents(self):
        return self.game.board.contents([("x", self.x), ("o", self.o)])

    def turned(self, mask):
        return replace(self, x=mask(self.x), o=mask(self.o))


class Fast(FastBoard):
    def __init__(self, position):
        self.game = position.game
        self.moves = [*self.game.moves.values()]
        self.line = [position]
        self.look()

    def look(self):
        now = self.line[-1]
        outcome = now.outcome()
        self.to_move = now.mover
        self.winner = None
        if outcome:
            self.winner = DRAW if outcome.winner is None else int(outcome.winner)
        self.key = ((now.x << 32 | now.o) * 4 + now.passes) * 2 + now.mover

    def legal(self):
        return [self.moves.index(move) for move in self.line[-1].legal_moves()]

    def play(self, code):
        self.line.append(self.line[-1].play(self.moves[code]))
        self.look()

    def undo(self):
        if len(self.line) == 1:
            raise IndexError("no move to take back")
        self.line.pop()
        self.look()

    def position(self):
        return self.line[-1]


GAME = Passing()
'''


class Planted(NamedTuple):
    """A line of the game, what is there instead, and what a check says of it."""

    right: str
    wrong: str
    point: str
    """The check that names the fault."""

    words: str
    """Part of what it says."""

    verdict: str = "fault"


_END: Final = '        return Outcome(None, "two passes") if self.passes == 2 else None\n'
_FULL: Final = (
    '        if self.x | self.o == board.full:\n            return Outcome(None, "board full")\n'
)
_LAST: Final = "        board, last = self.game.board, SIDES[self.mover].other\n"
_PIECE: Final = 'Piece("o", "nought", "disc", "#2277cc")'
_LEGAL: Final = "        if move in self.legal_moves():\n            return None\n"
_FREE: Final = 'return (*map(Move, self.game.board.names_in(free)), Move("pass"))'
_PLAY: Final = "        require_legal(self, move)\n"
_WON: Final = 'return Outcome(last, "three in line", board.names_of(lines))'
_TEXT: Final = "return f\"{rows} {'xo'[self.mover]} {self.passes}\""
_KEY: Final = "self.key = ((now.x << 32 | now.o) * 4 + now.passes) * 2 + now.mover"

FAULTS: Final = {
    "a title of no text": Planted(
        'id, title, credit = "passing", "Passing", "for tests"',
        'id, title, credit = "passing", None, "for tests"',
        "members",
        "title is None, expected a text",
    ),
    "a member that is missing": Planted(
        "    def contents(self)", "    def content(self)", "members", "which lacks contents"
    ),
    "a crash at the board's edge": Planted(
        "        bit = self.game.board.bit[move]\n",
        "        bit = self.game.board.bit[move]\n"
        "        self.game.board.bit[chr(ord(move[0]) + 1) + move[1]]\n",
        "exceptions",
        "KeyError: 'd",
    ),
    "a start after the second player's turn": Planted(
        "Place(self, 0, 0, 0, 0) if",
        "Place(self, 0, 0, 1, 0) if",
        "start",
        "must have to_move Side",
    ),
    "a setup that is taken and has no meaning": Planted(
        "if setup is None else self.canonical_setup(setup)",
        'if setup in (None, "-") else self.canonical_setup(setup)',
        "start",
        "start('-') must raise SetupError",
    ),
    "a move listed and refused": Planted(
        _LEGAL,
        _LEGAL.replace("legal_moves():", 'legal_moves() and move != "b2":'),
        "legal-moves",
        "b2 is among legal_moves(), but why_illegal says",
    ),
    "a move listed that play refuses": Planted(
        _PLAY,
        '        require_legal(self, Move("no") if move == "c3" else move)\n',
        "legal-moves",
        "c3 is among legal_moves(), but play",
    ),
    "moves in a list": Planted(
        _FREE, _FREE.replace("(*map", "[*map")[:-1] + "]", "legal-moves", "expected a tuple"
    ),
    "a move listed twice": Planted(
        _FREE, _FREE[:-1] + ', Move("pass"))', "legal-moves", "has a move twice"
    ),
    "no reason for an illegal move": Planted(
        'else f"{move} is not a free cell"',
        'else None if move == "a1" else f"{move} is not a free cell"',
        "illegal-moves",
        "'a1' is not among legal_moves(), but why_illegal says None",
    ),
    "moves after the end": Planted(
        'return "the game is over" if self.is_over else',
        "return None if self.is_over else",
        "illegal-moves",
        "but why_illegal says None",
    ),
    "an illegal move that is played": Planted(
        _PLAY,
        "        if self.is_over:\n            require_legal(self, move)\n"
        "        if move not in self.game.moves:\n            require_legal(self, move)\n",
        "illegal-moves",
        "plays an illegal move: call require_legal(self, move) first",
    ),
    "no legal move in a game that is not over": Planted(
        _FREE,
        "return tuple(map(Move, self.game.board.names_in(free)))[1:]",
        "endings",
        "the game is not over, but it has no legal move",
    ),
    "the wrong winner": Planted(
        _WON, _WON.replace("last,", "last.other,"), "endings", "expected cells with pieces of"
    ),
    "a winner who is no side": Planted(
        _WON, _WON.replace("last,", '"cross",'), "endings", "has the winner 'cross'"
    ),
    "the deciding cells out of order": Planted(
        _WON, _WON.replace("(lines))", "(lines)[::-1])"), "endings", "in board order"
    ),
    "a draw that somebody made": Planted(
        'Outcome(None, "two passes")',
        'Outcome(None, "two passes", is_loss=True)',
        "endings",
        "is a draw, but has is_loss=True",
    ),
    "an end that is_over does not know": Planted(
        "return self.outcome() is not None",
        "return self.x | self.o == self.game.board.full",
        "endings",
        "is_over is False, but outcome() is Outcome(",
    ),
    "a position that can be changed": Planted(
        "@dataclass(frozen=True, order=True, slots=True)",
        "@dataclass(order=True, unsafe_hash=True)",
        "positions",
        "of a position can be set, but positions must not change",
    ),
    "a position that is not hashable": Planted(
        "    def turned(self",
        "    __hash__ = None\n\n    def turned(self",
        "positions",
        "a position must be hashable",
    ),
    "a play that changes the position": Planted(
        _PLAY,
        _PLAY + '        object.__setattr__(self, "passes", 1)\n',
        "positions",
        "changed the position that it was played in",
    ),
    "rules that change with each game": Planted(
        "    def start(self, setup=None):\n",
        "    def start(self, setup=None):\n"
        "        self.lines = self.lines[1:] or self.board.lines(3)\n",
        "positions",
        ", later to ",
    ),
    "a play by chance": Planted(
        "        return Place(self.game, x, o, 1 - self.mover, 0)\n",
        "        import random\n\n"
        "        return Place(self.game, x, o, 1 - self.mover, random.randrange(2))\n",
        "positions",
        "twice gives two positions",
    ),
    "positions that are equal and are not": Planted(
        "    passes: int\n",
        "    passes: int = __import__('dataclasses').field(compare=False)\n",
        "positions",
        "are equal positions",
    ),
    "another game after a move": Planted(
        "        return Place(self.game, x, o, 1 - self.mover, 0)\n",
        "        return Place(type(self.game)(), x, o, 1 - self.mover, 0)\n",
        "positions",
        "leads to a position of",
    ),
    "a fast board with another winner": Planted(
        "else int(outcome.winner)",
        "else 1 - int(outcome.winner)",
        "fast-board",
        "winner of the fast board is",
    ),
    "a fast board with other moves": Planted(
        "for move in self.line[-1].legal_moves()]",
        "for move in self.line[-1].legal_moves()[::-1]]",
        "fast-board",
        "legal() of the fast board and legal_moves() have another order",
    ),
    "a fast board with one key for two positions": Planted(
        _KEY, "self.key = (now.x << 32 | now.o) * 2 + now.mover", "fast-board", "have the same key"
    ),
    "a fast board that forgets what was before": Planted(
        "        self.line.pop()\n        self.look()\n",
        "        self.line.pop()\n        self.to_move ^= 1\n",
        "fast-board",
        "undo() leads to",
    ),
    "moves in the order of a set": Planted(
        "(*map(Move, self.game.board.names_in(free)), ",
        "(*map(Move, {*self.game.board.names_in(free)}), ",
        "processes",
        "legal_moves() at '3/3/3 x 0' is",
    ),
    "a variant that crashes": Planted(
        "        self.lines = self.board.lines(3)\n",
        "        self.lines = (3, self.board.lines(3))[size == 3]\n",
        "variants",
        "passing:size=4: TypeError",
    ),
    "a move with a space": Planted(
        _FREE, _FREE.replace('"pass"', '"pass on"'), "move-texts", "'pass on' is not a move that"
    ),
    "two texts of one move": Planted(
        "    def start(self, setup=None):\n",
        "    def canonical(self, text):\n"
        "        return Move(super().canonical(text).replace('a1', 'A1'))\n\n"
        "    def start(self, setup=None):\n",
        "move-texts",
        "canonical('a1') is 'A1', but legal_moves() writes 'a1'",
    ),
    "a text without the passes": Planted(
        _TEXT,
        "return f\"{rows} {'xo'[self.mover]} 0\"",
        "position-texts",
        "its own text, differs from it by ==",
    ),
    "the wrong side in the text": Planted(
        '"xo".index(rest[0])',
        '"ox".index(rest[0])',
        "position-texts",
        "refuses the position's own text()",
    ),
    "other texts that are read": Planted(
        '        rows, _, rest = text.partition(" ")\n',
        '        text = text.strip()\n        rows, _, rest = text.partition(" ")\n',
        "position-texts",
        "must raise PositionError, but returns",
    ),
    "a state beside the board of two kinds": Planted(
        'return {"passes": self.passes}',
        'return {"passes": self.passes or "none"}',
        "position-texts",
        "before: both must be the same",
    ),
    "a reason of one word": Planted(
        'else f"{move} is not a free cell"', 'else "no"', "reasons", "says 'no'", "warning"
    ),
    "an ending without words": Planted(
        '"two passes"', '" "', "ending-words", "outcome() has the ending ' '"
    ),
    "an ending as a sentence": Planted(
        '"two passes"', '"Both players passed."', "ending-words", "reads badly", "note"
    ),
    "rules that nobody can read": Planted(
        '"""Three in line on a square board win. Two passes are a draw."""',
        '"""Passing."""',
        "rule-card",
        "the rule card has 1 words",
        "warning",
    ),
    "a lesson that is not true": Planted(
        '            ending="three in line",', '            ending="a line",', "lessons", "'a line'"
    ),
    "a symmetry that the rules distinguish": Planted(
        _FREE,
        "free &= ~1 if not self.x | self.o else free\n        " + _FREE,
        "declared",
        "is not legal in the symmetric position",
    ),
    "a symmetry of cells and not of moves": Planted(
        "cells.get(move, move)", "move", "declared", "symmetries()[1] of"
    ),
    "symmetries that are not declared": Planted(
        "return (IDENTITY, *map(way, self.board.isometries[1:]))",
        "return (IDENTITY,)",
        "undeclared",
        "symmetric under 7 of 7 rotations and reflections of the board that it does not declare, "
        "such as the one that maps a1 to a3",
        "warning",
    ),
    "one letter for two pieces": Planted(
        _PIECE, _PIECE.replace('"o"', '"x"'), "pieces", "pieces have the codes ['x', 'x']"
    ),
    "a colour by its name": Planted(_PIECE, _PIECE.replace("#2277cc", "blue"), "pieces", "#rrggbb"),
    "a letter that is no piece": Planted(
        'contents([("x", self.x), ("o", self.o)])',
        'contents([("x", self.x), ("n", self.o)])',
        "contents",
        "contents() has 'n', expected codes of pieces: o, x",
    ),
    "a cell that is missing": Planted(
        'contents([("x", self.x), ("o", self.o)])',
        'contents([("x", self.x), ("o", self.o)])[1:]',
        "contents",
        "expected a text for each of 9 cells",
    ),
    "pieces that look alike": Planted(
        _PIECE, _PIECE.replace("#2277cc", "#c43a2c"), "distinct", "look alike: both are a disc"
    ),
    "a piece in the colour of the board": Planted(
        _PIECE, _PIECE.replace("#2277cc", "#ead9c4"), "visible", "has a contrast of", "warning"
    ),
    "an outline that is none": Planted(
        _PIECE, _PIECE[:-1] + ', "circle")', "visible", "has the glyph 'circle'"
    ),
    "a piece of nobody": Planted(
        _PIECE, _PIECE.replace("nought", "ring"), "owners", "no piece is named after nought", "note"
    ),
    "slow rules": Planted(
        _LAST,
        _LAST + "        sum(range(5_000_000))\n",
        "speed",
        "positions per second (play()",
    ),
    "games that never end": Planted(
        "    def outcome(self):\n",
        "    def outcome(self):\n        return None\n\n    def judged(self):\n",
        "length",
        "random games ended within 2,000 plies",
    ),
    "some games that never end": Planted(
        _FULL + _END,
        "        return None\n",
        "length",
        "random games did not end within 2,000 plies",
        "warning",
    ),
    "a game that the first player always wins": Planted(
        _LAST,
        _LAST + "        if self.x and not self.passes:\n"
        '            return Outcome(SIDES[0], "a cross")\n',
        "first-player",
        "the first player scores 9",
        "note",
    ),
}
"""The faults by what they are."""
