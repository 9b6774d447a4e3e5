"""A second, plain implementation of rules.md: six game types with sets, dicts and loops.

Must not know the `games` package, whose results it checks. A game is one object that changes with
every move. It favours clarity over speed, and does not check for positions that cannot occur.
"""

from __future__ import annotations

from typing import Protocol

from plain_grid import Cell, hexagon, letter_then_number, squares


class PlainGame(Protocol):
    """A game being played; `winner` is 0 or 1, None for a draw or during the game."""

    over: bool
    winner: int | None

    def legal(self) -> list[str]:
        """Return the legal moves in the order of rules.md."""

    def play(self, move: str) -> None:
        """Play a legal move."""

    def text(self) -> str:
        """Return the position as text."""


class PlainMammalath:
    """Mammalath and Mammalath Plus."""

    def __init__(self, setup: str, *, length: int, supply: int, with_blocks: bool) -> None:
        rows = setup.split("/")
        self.grid = squares(len(rows))
        self.kinds = "ABCDEFGH"[: len(rows)]
        self.animals: dict[Cell, str] = {}
        for cells, letters in zip(self.grid.rows, rows, strict=True):
            self.animals |= dict(zip(cells, letters, strict=True))
        self.shapes = self.grid.lines(length) + (self._blocks() if with_blocks else [])
        self.tokens: dict[Cell, int] = {}
        self.left = [supply, supply]
        self.turns_taken = 0
        self.mover = 0
        self.over = False
        self.winner: int | None = None

    def _blocks(self) -> list[list[Cell]]:
        blocks = []
        for cell, (x, y) in self.grid.place.items():
            corners = [(x, y), (x, y + 1), (x + 1, y), (x + 1, y + 1)]
            if all(corner in self.grid.cell_at for corner in corners):
                blocks.append([self.grid.cell_at[corner] for corner in corners])
                assert blocks[-1][0] == cell
        return blocks

    def _releases(self) -> dict[str, list[Cell]]:
        """Return the shapes full of animals, by the text of their release."""
        releases = {}
        for shape in self.shapes:
            if all(cell in self.animals for cell in shape):
                low = min(shape, key=letter_then_number)
                high = max(shape, key=letter_then_number)
                releases[f"x{low}-{high}"] = shape
        return releases

    def legal(self) -> list[str]:
        if self.over:
            return []
        moves = [cell for cell in self.grid.cells if cell not in self.tokens]
        if self.turns_taken == 0:
            return moves
        moves += [f"x{kind}" for kind in self.kinds if kind in self.animals.values()]
        moves += sorted(self._releases())
        return [*moves, "swap"] if self.turns_taken == 1 else moves

    def play(self, move: str) -> None:
        if move == "swap":
            (cell,) = self.tokens
            self.left[0] += 1
            self._place(cell)
        elif move in self.grid.place:
            self._place(move)
        else:
            released = self._releases().get(move)
            for cell, kind in list(self.animals.items()):
                if cell in released if released else f"x{kind}" == move:
                    del self.animals[cell]
        self.turns_taken += 1
        self.mover = 1 - self.mover

    def _place(self, cell: Cell) -> None:
        self.tokens[cell] = self.mover
        self.left[self.mover] -= 1
        mine = {cell for cell, owner in self.tokens.items() if owner == self.mover}
        finished = [shape for shape in self.shapes if mine.issuperset(shape)]
        if any(cell in self.animals for shape in finished for cell in shape):
            self.over, self.winner = True, 1 - self.mover
        elif finished:
            self.over, self.winner = True, self.mover
        elif self.left[self.mover] == 0:
            self.over = True

    def text(self) -> str:
        tokens = {cell: "wb"[owner] for cell, owner in self.tokens.items()}
        return f"{self.grid.text(self.animals)} {self.grid.text(tokens)} {'wb'[self.mover]}"


class PlainManalath:
    """Manalath on either board."""

    def __init__(self, setup: str, *, lengths: list[int], supply: int, win: int) -> None:
        self.grid = hexagon(lengths)
        self.win = win
        self.blockers = set() if setup == "-" else set(setup.split(" "))
        self.pieces: dict[Cell, int] = {}
        self.supply = supply
        self.mover = 0
        self.over = False
        self.winner: int | None = None

    def _of(self, colour: int) -> set[Cell]:
        return {cell for cell, other in self.pieces.items() if other == colour}

    def _is_allowed(self, cell: Cell, colour: int) -> bool:
        mine = self._of(colour)
        if cell in self.pieces or cell in self.blockers or len(mine) == self.supply:
            return False
        return len(self.grid.group(cell, mine | {cell})) <= self.win

    def legal(self) -> list[str]:
        if self.over:
            return []
        return [
            "OP"[colour] + cell
            for cell in self.grid.cells
            for colour in (0, 1)
            if self._is_allowed(cell, colour)
        ]

    def play(self, move: str) -> None:
        self.pieces[move[1:]] = "OP".index(move[0])
        self._examine(self.mover)
        self.mover = 1 - self.mover
        if not self.over and not self.legal():
            self._examine(self.mover)
            self.over = True

    def _examine(self, player: int) -> None:
        mine = self._of(player)
        sizes = {len(self.grid.group(cell, mine)) for cell in mine}
        if self.win - 1 in sizes:
            self.over, self.winner = True, 1 - player
        elif self.win in sizes:
            self.over, self.winner = True, player

    def text(self) -> str:
        letters = {cell: "op"[colour] for cell, colour in self.pieces.items()}
        letters |= dict.fromkeys(self.blockers, "g")
        return f"{self.grid.text(letters)} {'op'[self.mover]}"


class PlainSurikata:
    """Surikata."""

    def __init__(self, lose: int = 3) -> None:
        self.lose = lose
        self.grid = squares(5)
        self.mounds: set[Cell] = set()
        self.pieces: dict[Cell, int] = {}
        self.meerkat: Cell | None = None
        self.mover = 0
        self.over = False
        self.winner: int | None = None

    def _seen(self) -> set[Cell]:
        if self.meerkat is None:
            return set()
        seen = set()
        for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            for cell in self.grid.run(self.meerkat, step):
                if cell in self.mounds:
                    break
                seen.add(cell)
        return seen

    def legal(self) -> list[str]:
        if self.over:
            return []
        free = [c for c in self.grid.cells if c not in self.mounds and c not in self.pieces]
        if len(self.mounds) < 5:
            return [f"M{cell}" for cell in free]
        seen = self._seen()
        return [cell for cell in free if cell not in seen]

    def play(self, move: str) -> None:
        if move.startswith("M"):
            self.mounds.add(move[1:])
            if len(self.mounds) < 5:
                self.mover = 1 - self.mover
            return
        self.pieces[move] = self.mover
        self.meerkat = move
        mine = {cell for cell, owner in self.pieces.items() if owner == self.mover}
        self.mover = 1 - self.mover
        if any(mine.issuperset(line) for line in self.grid.lines(self.lose)):
            self.over, self.winner = True, self.mover
        elif len(self.pieces) == 20:
            self.over = True
        elif not self.legal():
            self.over, self.winner = True, 1 - self.mover

    def text(self) -> str:
        letters = {cell: "ow"[owner] for cell, owner in self.pieces.items()}
        letters |= dict.fromkeys(self.mounds, "m")
        return f"{self.grid.text(letters)} {self.meerkat or '-'} {'ow'[self.mover]}"


class PlainYavalath:
    """Yavalath."""

    def __init__(self, size: int, win: int, lose: int) -> None:
        self.grid = hexagon(hexagon_rows(size, size))
        self.win, self.lose = win, lose
        self.stones: dict[Cell, int] = {}
        self.turns_taken = 0
        self.mover = 0
        self.over = False
        self.winner: int | None = None

    def legal(self) -> list[str]:
        if self.over:
            return []
        moves = [cell for cell in self.grid.cells if cell not in self.stones]
        return [*moves, "swap"] if self.turns_taken == 1 else moves

    def play(self, move: str) -> None:
        cell = next(iter(self.stones)) if move == "swap" else move
        self.stones[cell] = self.mover
        mine = {cell for cell, owner in self.stones.items() if owner == self.mover}
        if any(mine.issuperset(line) for line in self.grid.lines(self.win)):
            self.over, self.winner = True, self.mover
        elif any(mine.issuperset(line) for line in self.grid.lines(self.lose)):
            self.over, self.winner = True, 1 - self.mover
        elif len(self.stones) == len(self.grid.cells):
            self.over = True
        self.turns_taken += 1
        self.mover = 1 - self.mover

    def text(self) -> str:
        letters = {cell: "wb"[owner] for cell, owner in self.stones.items()}
        return f"{self.grid.text(letters)} {'wb'[self.mover]}"


def start(game_id: str, setup: str | None) -> PlainGame:
    """Return a new game; raises KeyError for a game type outside rules.md."""
    family, _, parameters = game_id.partition(":")
    said = {name: int(value) for name, value in (p.split("=") for p in parameters.split(",") if p)}
    of = said.get
    if family == "mammalath":
        size, line = of("size", 6), of("line", 3)
        return PlainMammalath(setup or "", length=line, supply=size**2 // 2, with_blocks=False)
    if family == "mammalath-plus":
        supply = of("size", 8) ** 2 // 2
        return PlainMammalath(setup or "", length=4, supply=supply, with_blocks=True)
    if family == "manalath":
        rows = hexagon_rows(of("size", 5) + 1, of("size", 5))
        return PlainManalath(setup or "-", lengths=rows, supply=25, win=of("win", 5))
    if family == "manalath-61":
        return PlainManalath(setup or "-", lengths=hexagon_rows(5, 5), supply=61, win=of("win", 5))
    if family == "surikata":
        return PlainSurikata(of("lose", 3))
    if family == "yavalath":
        return PlainYavalath(of("size", 5), of("win", 4), of("lose", 3))
    raise KeyError(game_id)


def hexagon_rows(lowest: int, count: int) -> list[int]:
    """Return the lengths of a hexagon's rows: `count` rows, growing from the lowest."""
    rising = [lowest + step for step in range(count)]
    return rising + rising[:-1][::-1]
