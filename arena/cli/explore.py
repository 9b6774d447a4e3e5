"""`arena explore`: what games made of a position, move by move."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from functools import cached_property
from typing import Annotated, Final

import typer

from lath import games
from lath.arena.cli.files import Files, Quiet, unless_cut
from lath.arena.cli.games import PositionText, SetupText, start_of
from lath.arena.cli.main import App, AsJson, flag, option
from lath.arena.cli.selection import Distinct, Selection, Where, with_progress
from lath.arena.errors import ConfigError
from lath.games.core import Position, read_move
from lath.games.errors import GameError
from lath.reports.explorer import Node, NodeCounter

app = App()

_GAME = "The game that is asked about, or its file; else that of the first record."

OfGame = Annotated[str | None, option("--game", "GAME", _GAME)]
After = Annotated[str, option("--after", "MOVES", "Moves to play first, such as 'e5 swap d4'.")]
All = Annotated[bool, flag("--all", "Show every move, not only the most frequent.")]


@app.command()
def explore(
    files: Files,
    position: PositionText = None,
    setup: SetupText = None,
    after: After = "",
    game: OfGame = None,
    where: Where = None,
    distinct: Distinct = False,
    has_all: All = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say what was played from a position, and what came of it.

    Without --position it is the start of the game. Positions that are the same turned or mirrored
    are one. Exit status 1 if a bad record was left out, 2 if EXPR is no query.

    Example: arena explore games.lath --after 'e5 swap' --where 'player = greedy'
    """
    exploring = _Exploring(Selection(files, where, distinct=distinct), position, setup, after)
    selection = exploring.selection
    if game is not None:
        exploring.begin(games.named(game))
    with unless_cut(lambda: bool(selection.bad)):
        exploring.read(quiet=quiet)
        if as_json:
            exploring.print_json()
        else:
            exploring.print(has_all=has_all)
    if not quiet:
        if not as_json:
            exploring.print_ways_on()
        if where or exploring.others or selection.left_out_words():
            print(exploring.counted_words(), file=sys.stderr)
    raise typer.Exit(1 if selection.bad else 0)


class _Exploring:
    """The games of some files as they are asked about a position."""

    def __init__(
        self, selection: Selection, position: str | None, setup: str | None, after: str
    ) -> None:
        self.selection: Final = selection
        self.others: Final = Counter[str]()
        """Records of other games, by their ids."""
        self._begins: Final = position, setup
        self._line: Final = after.split()
        self._played: list[Position] = []
        """Where the line begins, and the position after each of its moves."""
        self._counter: NodeCounter | None = None

    def begin(self, game_id: str) -> None:
        """Ask about this game; raises GameError for a position or a move that it refuses."""
        self._played = [start_of(game_id, *self._begins)]
        for ply, move in enumerate(self._line, 1):
            before = self._played[-1]
            try:
                self._played.append(before.play(read_move(before, move)))
            except GameError as error:
                raise GameError(f"--after: move {ply}: {error}") from error
        self._counter = NodeCounter(self._played[-1])

    def read(self, *, quiet: bool) -> None:
        """Count all records; raises ConfigError where nobody says which game is asked about."""
        for entry, record in with_progress(self.selection, quiet=quiet):
            if self._counter is None:
                self.begin(record.game)
            assert self._counter is not None
            if record.game != self._played[0].game.id:
                self.others[record.game] += 1
                continue
            try:
                self._counter.add(record, str(self.selection.path), entry.number)
            except GameError as error:
                self.selection.refuse(entry, error)
        if self._counter is None:
            raise ConfigError("there is no record to explore; --game says which game is meant")

    @cached_property
    def node(self) -> Node:
        """Return what they come to, once they are read."""
        assert self._counter is not None
        return self._counter.node()

    def print_json(self) -> None:
        """Print it for programs."""
        left_out = {"duplicates": self.selection.duplicates, "bad": self.selection.bad}
        told = {
            "records": self.selection.records,
            "left_out": {**left_out, "other_games": self.others},
            "after": self._line,
            **self.node.to_json(),
        }
        print(json.dumps(told, indent=2))

    def print(self, *, has_all: bool) -> None:
        """Print the board and a table."""
        from lath.arena.terminal.explorer import print_node  # 100 ms that JSON does not wait for
        from lath.games.drawing.board import changed_cells

        last = changed_cells(*self._played[-2:]) if self._line else ()
        title = " ".join([self.node.game, *(["after"] if self._line else ()), *self._line])
        print_node(self.node, self._played[-1], title=title, last=last, has_all=has_all)

    def print_ways_on(self) -> None:
        """Tell with which options one goes on, and which command shows the games."""
        node = self.node
        if not node.continuations:
            if not self._line and node.games and not node.here.times:
                begins = shlex.quote(node.begins)
                print(f"the first game begins elsewhere: --position {begins}", file=sys.stderr)
            return
        most = node.continuations[0]
        line = shlex.quote(" ".join([*self._line, most.move]))
        print(f"go on: --after {line}", file=sys.stderr)
        for name, game in (("newest", most.newest), ("best", most.best)):
            if game is not None and (name == "newest" or game != most.newest):
                show = f"{shlex.quote(game.source)} --game {game.number} --ply {game.ply}"
                print(f"{name} game of {most.move}: arena show {show}", file=sys.stderr)

    def counted_words(self) -> str:
        """Return how many records counted, and what the others were."""
        words = f"{self.node.games} of {self.selection.records} records counted"
        if self.others:
            listed = (
                f"{count} of {name or 'no game'}" for name, count in self.others.most_common()
            )
            words += f"; other games: {', '.join(listed)} (--game)"
        return words + self.selection.left_out_words()
