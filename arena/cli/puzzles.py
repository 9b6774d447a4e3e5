"""`arena puzzles …`: solve, make and prove puzzles, positions with one right move."""

from __future__ import annotations

import random
import shlex
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Final

import typer

from lath import games
from lath.arena.cli.help import AboutCommand, Printed, Topic
from lath.arena.cli.main import (
    App,
    AsJson,
    CommandGroup,
    DoneAsJson,
    GameFiles,
    GameId,
    OtherGames,
    Quiet,
    add_games,
    argument,
    option,
    print_done,
    refuse_json_beside,
    whole,
)
from lath.arena.cli.one_record import is_of_records
from lath.arena.cli.outputs import RECORDS, Target
from lath.arena.cli.play import EndAsJson
from lath.arena.engine.engine import Engine
from lath.arena.engine.puzzle_book import (
    GRADES,
    Puzzle,
    all_built_in,
    built_in,
    read_puzzles,
    written,
)
from lath.arena.engine.puzzle_making import PLAYER, Bots, Maker, bots, wrong_with
from lath.arena.engine.solving import note_on
from lath.arena.errors import FAULT, INTERRUPTED, ConfigError
from lath.arena.machine import signals
from lath.arena.referee.answers import MOST_NODES, Limit
from lath.arena.terminal.notices import print_note
from lath.arena.terminal.streams import tell_over
from lath.games.errors import UnknownGameError, count_of, hinted
from lath.notation.record.errors import RecordError

_EVERY_S: Final = 2.0
"""Seconds between two reports of progress."""

app = App()

group = App(
    name="puzzles",
    cls=CommandGroup,
    help="Solve, make and verify puzzles.\n\nA puzzle is a position with exactly one solution.",
    about=AboutCommand("arena puzzles ask yavalath"),
    no_args_is_help=True,
)
app.add_typer(group)


Nodes = Annotated[
    int,
    option("--nodes", "N", "Maximum nodes of each proof.", Topic.RESOURCES, **whole(1, MOST_NODES)),
]

Files = Annotated[
    list[Path] | None, argument("FILE", "Files of puzzles.", default="the built-in ones")
]


@group.command(
    "ask", example="arena puzzles ask surikata --grade 3", prints=(Printed("game asked right"),)
)
def ask_puzzles(
    game: GameId,
    file: Annotated[
        Path | None,
        option("--file", "FILE", "File of puzzles.", Topic.RECORDS, default="the built-in one"),
    ] = None,
    grade: Annotated[
        int | None,
        option("--grade", "G", "Difficulty.", Topic.RECORDS, default="all", **whole(1, GRADES[-1])),
    ] = None,
    seed: Annotated[
        int | None,
        option(
            "--seed", "N", "Random seed of the order.", Topic.RECORDS, default="random", **whole(0)
        ),
    ] = None,
    files: OtherGames = None,
    as_json: EndAsJson = False,
) -> None:
    """Solve puzzles in the terminal.

    Easier puzzles come first. Puzzles of the same difficulty come in random order.
    """
    from lath.arena.terminal.puzzles import ask  # start-up time

    add_games(files)
    if file is None and is_of_records(game):
        words = f"{game}: this is a record file, not a game type"
        raise ConfigError(hinted(words, f"arena puzzles ask GAME --file {shlex.quote(game)}"))
    game_id = games.named(game)
    found = _puzzles(file or built_in(game_id))
    chosen = [one for one in found if grade in (None, one.grade)]
    random.Random(seed).shuffle(chosen)
    chosen.sort(key=lambda one: one.grade)
    if not chosen:
        raise ConfigError(f"--grade: {game} has no puzzles of difficulty {grade}")
    with signals.heeded(raises=True):
        try:
            with redirect_stdout(sys.stderr) if as_json else nullcontext():
                right, asked = ask(chosen)
        except KeyboardInterrupt:
            print_note("interrupted")
            raise typer.Exit(INTERRUPTED) from None
    print_done({"game": game_id, "asked": asked, "right": right}, as_json=as_json)


@group.command(
    "make",
    example="arena puzzles make surikata -n 1 -o puzzles.lath",
    prints=(Printed("game puzzles written"),),
)
def make_puzzles(
    game: GameId,
    output: Annotated[Path, option("--output -o", "FILE", "File to write.", Topic.OUTPUT)],
    count: Annotated[
        int, option("--count -n", "N", "Number of puzzles.", Topic.RECORDS, **whole(1))
    ] = 10,
    nodes: Nodes = 3000,
    seed: Annotated[
        int, option("--seed", "N", "Random seed of the games.", Topic.RECORDS, **whole(0))
    ] = 1,
    files: OtherGames = None,
    as_json: DoneAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find and prove new puzzles.

    The arena plays quick games, proves the puzzles in them, and writes each puzzle at once. At most
    a third of the puzzles have the same difficulty.

    A puzzle takes 5 to 60 s, and longer for a game type with slow rules. The command reports its
    progress every few seconds, and Ctrl-C keeps the puzzles found so far.
    """
    add_games(files)
    refuse_json_beside(output, as_json=as_json)
    made = Target(path=output, kind=RECORDS)
    if output.is_file():
        raise ConfigError(f"{output}: already exists")
    made.refuse()
    found: list[Puzzle] = []
    one = games.get(games.named(game))

    began_s = told_s = signals.awake_s()

    def tell() -> None:
        nonlocal told_s
        now_s = signals.awake_s()
        if quiet or now_s - told_s < _EVERY_S:
            return
        told_s = now_s
        left = f"{len(found)} of {count_of(count, 'puzzle')}"
        if found:
            left += f", about {(now_s - began_s) / len(found) * (count - len(found)):.0f} s left"
        tell_over(f"{left}; {_looked_at(maker)} in {now_s - began_s:.0f} s")

    with signals.heeded(raises=True), bots() as both, Engine.open(PLAYER) as player:
        _note(both, quiet=quiet)
        maker = Maker(one, both, player, Limit(nodes=nodes), seed, -(-count // 3))
        try:
            for puzzle in maker.puzzles(tell):
                found.append(puzzle)
                made.write([written(found).encode()])
                if len(found) == count:
                    break
        except KeyboardInterrupt:
            kept = f"{output} has {count_of(len(found), 'puzzle')}" if found else "no puzzle found"
            print_note(f"interrupted; {kept} in {_looked_at(maker)}")
            raise typer.Exit(INTERRUPTED) from None
    print_done({"game": one.id, "puzzles": len(found), "written": [str(output)]}, as_json=as_json)


@group.command(
    "check",
    example="arena puzzles check puzzles.lath",
    statuses={FAULT: "A proof fails"},
    prints=(Printed("puzzles proven failed"),),
)
def check_puzzles(
    files: Files = None,
    nodes: Nodes = 20_000,
    game: GameFiles = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Verify puzzles.

    For each puzzle, the arena proves that the solution is right and that all other moves are wrong.
    """
    add_games(game)
    named = files or all_built_in()
    count = 0
    failed: list[dict[str, object]] = []
    with bots() as both:
        _note(both, quiet=quiet)
        for file in named:
            for number, puzzle in enumerate(_puzzles(file), 1):
                count += 1
                if why := wrong_with(puzzle, both, Limit(nodes=nodes)):
                    failed.append({"file": str(file), "number": number, "why": why})
                    if not as_json:
                        print(f"{file.name}: puzzle {number}: {why}")
    proven = count - len(failed)
    done = {"puzzles": count, "proven": proven, "failed": failed}
    words = f"{count_of(count, 'puzzle')}: {proven} proven, {len(failed)} not"
    print_done(done, words, as_json=as_json, quiet=quiet)
    if failed:
        raise typer.Exit(1)


def _looked_at(maker: Maker) -> str:
    """Return in words what has been searched for puzzles."""
    return f"{count_of(maker.looked_at, 'position')} of {count_of(maker.begun, 'game')}"


def _note(proves: Bots, *, quiet: bool) -> None:
    if (note := note_on(proves.prover)) and not quiet:
        print_note(note)


def _puzzles(file: Path) -> list[Puzzle]:
    try:
        return list(read_puzzles(file))
    except (RecordError, UnknownGameError) as error:
        raise ConfigError(f"{file}: {error}") from error
