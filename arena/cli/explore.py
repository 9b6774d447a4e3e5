"""`arena explore`: the moves played from a position, with their results."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Final

import typer

from lath import games
from lath.arena.cli.files import CountAgain, Sources, read_database, unless_cut
from lath.arena.cli.games import PositionText, SetupText, start_of
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import App, AsJson, Quiet, Strict, add_games, flag, option
from lath.arena.cli.selection import Distinct, Selection, Where
from lath.arena.errors import FAULT, ConfigError
from lath.arena.terminal.streams import fitted
from lath.games.core import Position, read_typed_move
from lath.games.errors import GameError, count_of
from lath.notation import formats
from lath.notation.archive.given import GivenGames
from lath.notation.files.files import is_database
from lath.notation.tables.data import extras_to_json
from lath.reports.exploring.explorer import Node, NodeCounter

app = App()


All = Annotated[bool, flag("--all", "List all moves, instead of the most frequent.", Topic.OUTPUT)]


@app.command(
    example="arena explore games.lath --game yavalath --where 'player = greedy'",
    statuses={FAULT: "An invalid record was left out"},
    prints=(
        Printed(
            "records left_out after game position to_move games without_moves here ended begins "
            "continuations"
        ),
    ),
)
def explore(
    files: Sources,
    where: Where = None,
    game: Annotated[
        str | None,
        option(
            "--game",
            "GAME",
            "Game type to explore, or its file.",
            Topic.MOST_USED,
            default="that of the first record",
        ),
    ] = None,
    after: Annotated[
        str,
        option("--after", "MOVES", "Moves to play first, such as 'e5 swap d4'.", Topic.POSITION),
    ] = "",
    position: PositionText = None,
    setup: SetupText = None,
    distinct: Distinct = False,
    count_again: CountAgain = False,
    has_all: All = False,
    as_json: AsJson = False,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Show the moves played from a position and their scores.

    The arena starts at the first position of the game type if you give no other position. It counts
    symmetric positions together.
    """
    add_games(None, is_strict=strict)
    exploring = _Exploring(position, setup, after)
    if game is not None:
        exploring.begin(games.named(game))
        formats.give_game(games.named(game))
        exploring.named = game
    given = GivenGames(counts_again=count_again)
    selection = Selection(files, where, distinct=distinct, quiet=quiet, is_asking=True, given=given)
    with unless_cut(lambda: bool(selection.bad)):
        if len(files) == 1 and is_database(files[0]) and not distinct:
            exploring.ask(files[0], selection)
        else:
            exploring.read(selection)
        if as_json:
            exploring.print_json(selection)
        else:
            exploring.print(has_all=has_all)
    if not quiet:
        if not as_json:
            exploring.print_ways_on()
        leaves_out = exploring.others or exploring.node.without_moves
        if where or leaves_out or selection.left_out_words():
            words = exploring.counted_words() + selection.left_out_words()
            print(fitted(words, sys.stderr), file=sys.stderr)
    raise typer.Exit(1 if selection.bad else 0)


class _Exploring:
    """A position and its statistics in files or in a database."""

    node: Node
    """The moves and results found; set by `read` or `ask`."""

    def __init__(self, position: str | None, setup: str | None, after: str) -> None:
        self.records = 0
        """All valid records."""
        self.others: Final = Counter[str]()
        """Records of other game types, by id."""
        self.named = ""
        """The value of --game."""
        self._begins: Final = position, setup
        self._line: Final = after.split()
        self._played: list[Position] = []
        """The first position of the line, and the position after each of its moves."""

    def begin(self, game_id: str) -> None:
        """Start with this game type; raises GameError for an invalid position or move."""
        self._played = [start_of(game_id, *self._begins)]
        for ply, move in enumerate(self._line, 1):
            before = self._played[-1]
            try:
                self._played.append(before.play(read_typed_move(before, move)))
            except GameError as error:
                raise GameError(f"--after: move {ply}: {error}") from error

    def _require_game(self) -> str:
        """Return the id of the game type; raises ConfigError if it is unknown."""
        if not self._played:
            raise ConfigError(
                "SOURCE: no records found", hint="--game GAME shows the start of a game"
            )
        return self._played[0].game.id

    def read(self, selection: Selection) -> None:
        """Count the records of files; raises ConfigError if the game type is unknown."""
        counter: NodeCounter | None = None
        for entry, record in selection:
            if not self._played:
                self.begin(record.game)
            counter = counter or NodeCounter(self._played[-1])
            if record.game != self._played[0].game.id:
                self.others[record.game] += 1
                continue
            try:
                counter.add(record, str(selection.path), entry.number)
            except GameError as error:
                selection.refuse(entry, error)
        self.records = selection.records
        self._require_game()
        self.node = (counter or NodeCounter(self._played[-1])).node()

    def ask(self, path: Path, selection: Selection) -> None:
        """Query a database; raises ConfigError if the game type is unknown."""
        with read_database(path) as database:
            from lath.reports.exploring.databases import (
                DatabaseGames,
                counts_by_game,
            )  # start-up time

            asked = selection.asked(path, database)
            among = None if asked[1:].all() else asked
            counts = counts_by_game(database, among)
            if not self._played and counts:
                self.begin(next(iter(counts)))
            game = self._require_game()
            self.records = selection.records
            self.others.update({name: n for name, n in counts.items() if name != game})
            self.node = DatabaseGames(database, game, str(path), among).node(self._played[-1])
            selection.query.print_doubts()

    def print_json(self, selection: Selection) -> None:
        """Print the result as JSON, with the counts of left-out records."""
        told = {
            "records": self.records,
            "left_out": {**selection.left_out(), "other_games": self.others},
            "after": self._line,
            **self.node.to_json(),
            **extras_to_json(self._played[-1]),
        }
        print(json.dumps(told, indent=2))

    def print(self, *, has_all: bool) -> None:
        """Print the board and a table."""
        from lath.arena.terminal.explorer import print_node  # saves 100 ms with --json
        from lath.games.drawing.changes import changed_cells

        last = changed_cells(*self._played[-2:]) if self._line else ()
        title = " ".join([self.node.game, *(["after"] if self._line else ()), *self._line])
        print_node(self.node, self._played[-1], title=title, last=last, has_all=has_all)

    def print_ways_on(self) -> None:
        """Print the options for the most frequent move, and commands that show its games."""
        node = self.node
        if not node.continuations:
            if not self._line and node.games and not node.here.times:
                begins = shlex.quote(node.begins)
                print(
                    f"the first game begins from another position: --position {begins}",
                    file=sys.stderr,
                )
            return
        most = node.continuations[0]
        line = shlex.quote(" ".join([*self._line, most.move]))
        print(f"next: --after {line}", file=sys.stderr)
        is_of_file = self.named and games.origin(node.game) is not None
        file = f" --game {shlex.quote(self.named)}" if is_of_file else ""
        for name, game in (("newest", most.newest), ("best", most.best)):
            if game is not None and (name == "newest" or game != most.newest):
                show = f"{shlex.quote(game.source)} --record {game.number}{file} --ply {game.ply}"
                print(f"{name} game of {most.move}: arena show {show}", file=sys.stderr)

    def counted_words(self) -> str:
        """Return text on how many records counted, and on the others."""
        words = f"{self.node.games} of {count_of(self.records, 'record')} counted"
        if self.node.without_moves:
            words += f"; {self.node.without_moves} without moves"
        if self.others:
            listed = (
                f"{count} of {name or 'no game'}" for name, count in self.others.most_common()
            )
            words += f"; other games: {', '.join(listed)} (--game)"
        return words
