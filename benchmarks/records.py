"""How fast records are validated and read, beside pgn-extract and python-chess.

    python benchmarks/records.py [--games 100000] [--runs 3]

The corpus is made from a seed: games of all built-in games by players who avoid a move that loses
at once, each setup played twice as in a tournament, once with bare moves and once with a time and
an evaluation at each ply. pgn-extract (Debian's package) and python-chess (`pip install chess`) are
taken along where they are installed: they read as many plies of random chess games in the same
run, with full legality. Their corpus repeats 2,000 games; neither of them remembers any. Every
figure includes the start of its program; all are run by turns, every other time from last to first.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measure import machine, run, spread

from lath import games
from lath.games.core import Game, Move, Position, result_of
from lath.notation import Ply, Record, format_records
from lath.notation.record.record import bare_plies, comment

_CHESS_GAMES = 2000

_TRIES = 6
"""Moves that a player looks at before one that loses at once."""

_PYTHON_CHESS = """
import sys, chess.pgn
plies = 0
with open(sys.argv[1]) as file:
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors
        plies += sum(1 for _ in game.mainline_moves())
print(plies)
"""

_READ = """
import sys
from lath import notation
print(sum(len(record.plies) for record in notation.read(sys.argv[1])))
"""

_LARK = """
import sys
from lath.notation.text.parser import parse_closely
from lath.notation.text.splitting import chunks, texts_of
with open(sys.argv[1], "rb") as file:
    print(sum(len(parse_closely(t.text).record.plies) for c in chunks(file) for t in texts_of(c)))
"""


@dataclass(frozen=True, slots=True)
class Job:
    """One program that reads one file."""

    name: str
    command: Sequence[str | Path]
    plies: int
    size: int
    """Bytes of the file."""


def playing(position: Position, chance: random.Random) -> Iterator[Move]:
    """Yield the moves of a game whose players avoid losing at once; they see no further."""
    while moves := position.legal_moves():
        for _ in range(_TRIES):
            move = chance.choice(moves)
            after = position.play(move)
            if result_of(after) != ("0-1", "1-0")[position.to_move]:
                break
        yield move
        position = after


def record_of(game: Game, number: int, *, annotated: bool) -> Record:
    """Return the `number`-th game of the corpus; two in a row have their setup in common."""
    chance = random.Random(f"records {number}")
    setup = game.draw_setup(number // 2)
    start = game.start(setup)
    moves = list(playing(start, chance))
    end = start
    for move in moves:
        end = end.play(move)
    tags = {"Game": game.id, "Event": "Corpus", "Date": "2026-11-20", "Round": str(number // 24)}
    tags |= {"First": "one", "Second": "other", **({"Setup": setup} if setup else {})}
    tags |= {"TimeControl": "10+0.1", "Termination": "rules", "Result": result_of(end)}
    return Record(tuple(tags.items()), _plies(moves, chance, annotated), result_of(end))


def _plies(moves: Sequence[Move], chance: random.Random, annotated: bool) -> tuple[Ply, ...]:
    if not annotated:
        return bare_plies(moves)
    notes = (f"[%emt {chance.random():.3f}] [%eval {chance.uniform(-1, 1):.2f}]" for _ in moves)
    return tuple(
        Ply(move, comments=(comment(note),)) for move, note in zip(moves, notes, strict=True)
    )


def corpus(path: Path, count: int, *, annotated: bool = False) -> int:
    """Write `count` games, of all built-in games; return how many plies they have."""
    ids = games.builtin_ids()
    plies = 0

    def records() -> Iterator[Record]:
        nonlocal plies
        for number in range(count):
            game = games.get(ids[number // 2 % len(ids)])
            record = record_of(game, number, annotated=annotated)
            plies += len(record.plies)
            yield record

    with path.open("w", encoding="utf-8") as file:
        file.writelines(format_records(records()))
    return plies


def chess_corpus(path: Path, plies: int) -> int:
    """Write random chess games of at least `plies` plies together; return how many they have."""
    import chess
    import chess.pgn

    chance = random.Random("chess")
    texts = []
    for _ in range(_CHESS_GAMES):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 80:
            board.push(chance.choice(list(board.legal_moves)))
        texts.append((f"{chess.pgn.Game.from_board(board)}\n\n", board.ply()))
    total = 0
    with path.open("w") as file:
        while total < plies:
            text, count = texts[total % len(texts)]
            file.write(text)
            total += count
    return total


def jobs(folder: Path, count: int) -> Iterator[Job]:
    """Yield what is measured, ours first; makes the corpora."""
    bare, annotated, few = (folder / f"{name}.lath" for name in ("bare", "annotated", "few"))
    plies = corpus(bare, count)
    check: list[str | Path] = [sys.executable, "-m", "lath.arena", "check"]
    size = bare.stat().st_size
    yield Job("arena check", [*check, bare], plies, size)
    yield Job("arena check -j 2", [*check, "-j", "2", bare], plies, size)
    annotated_plies = corpus(annotated, count, annotated=True)
    annotated_size = annotated.stat().st_size
    yield Job("arena check, annotated", [*check, annotated], annotated_plies, annotated_size)
    yield Job("notation.read", [sys.executable, "-c", _READ, bare], plies, size)
    few_plies = corpus(few, min(count, 2000))
    lark: list[str | Path] = [sys.executable, "-c", _LARK, few]
    yield Job("Lark alone, no legality", lark, few_plies, few.stat().st_size)
    yield from _peers(folder / "chess.pgn", plies)


def _peers(path: Path, plies: int) -> Iterator[Job]:
    try:
        plies = chess_corpus(path, plies)
    except ImportError:
        print("python-chess is not installed: no peers (it makes the chess games)")
        return
    extract = shutil.which("pgn-extract", path=f"{os.environ.get('PATH', '')}:/usr/games")
    if extract is None:
        print("pgn-extract is not installed")
    else:
        yield Job("pgn-extract -r", [extract, "-s", "-r", path], plies, path.stat().st_size)
    python_chess: list[str | Path] = [sys.executable, "-c", _PYTHON_CHESS, path]
    yield Job("python-chess", python_chess, plies, path.stat().st_size)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--games", type=int, default=100_000, help="records (default 100000)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default 3)")
    options = parser.parse_args()
    print(f"{machine()}; {options.games} records; medians of {options.runs} runs (min-max)")
    print(f"{'':26}{'plies/s':>34}{'MB/s':>8}{'plies':>12}{'ours is':>10}")
    with tempfile.TemporaryDirectory() as folder:
        everyone = list(jobs(Path(folder), options.games))
        rates: list[list[float]] = [[] for _ in everyone]
        # By turns, for the machine is quicker at times; there and back, for it may be so after
        # some of the programs.
        for turn in range(options.runs):
            for at in sorted(range(len(everyone)), reverse=bool(turn % 2)):
                job = everyone[at]
                rates[at].append(job.plies / run(job.command).wall_s)
    for job, own in zip(everyone, rates, strict=True):
        _print(job, own, rates[0])


def _print(job: Job, rates: Sequence[float], ours: Sequence[float]) -> None:
    megabytes_s = median(rates) * job.size / job.plies / 1e6
    times = f"{median(own / rate for own, rate in zip(ours, rates, strict=True)):.2f} x"
    print(f"{job.name:26}{spread(rates):>34}{megabytes_s:>8.1f}{job.plies:>12,}{times:>10}")


if __name__ == "__main__":
    main()
