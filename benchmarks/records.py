"""How fast `arena check` validates records: syntax, legality and result.

    python benchmarks/records.py [--games 2000] [--runs 5]

The corpus is random games of all built-in games, made from a seed. If python-chess is installed
(`pip install chess`), it reads as many plies of random chess games in the same run, with full
legality, and the ratio is printed.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from pathlib import Path

from measure import machine, run, spread

import games
from games.core import playout
from notation import Ply, Record, format_records

_PEER = """
import sys, chess.pgn
plies = 0
with open(sys.argv[1]) as file:
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors
        plies += sum(1 for _ in game.mainline_moves())
print(plies)
"""


def corpus(path: Path, count: int) -> int:
    """Write `count` random games; return how many plies they have."""
    records = []
    ids = games.builtin_ids()
    for number in range(count):
        chance = random.Random(f"records {number}")
        game = games.get(ids[number % len(ids)])
        setup = game.draw_setup(number)
        start = game.start(setup)
        moves = playout(start, chance)
        end = start
        for move in moves:
            end = end.play(move)
        outcome = end.outcome()
        assert outcome is not None
        tags = [("Game", game.id), ("First", "a"), ("Second", "b")]
        tags += [("Setup", setup)] if setup else []
        tags += [("Termination", "rules"), ("Result", outcome.result)]
        records.append(Record(tuple(tags), tuple(map(Ply, moves)), outcome.result))
    path.write_text("".join(format_records(records)), encoding="utf-8")
    return sum(len(record.plies) for record in records)


def chess_corpus(path: Path, plies: int) -> int:
    """Write random chess games of about `plies` plies together; return how many they have."""
    import chess
    import chess.pgn

    chance = random.Random("chess")
    total = 0
    with path.open("w") as file:
        while total < plies:
            board = chess.Board()
            while not board.is_game_over() and board.ply() < 80:
                board.push(chance.choice(list(board.legal_moves)))
            total += board.ply()
            game = chess.pgn.Game.from_board(board)
            print(game, file=file, end="\n\n")
    return total


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--games", type=int, default=2000, help="records (default 2000)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default 5)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.lath"
        plies = corpus(path, options.games)
        size_mb = path.stat().st_size / 1e6
        print(f"{machine()}; {options.games} records, {plies} plies, {size_mb:.1f} MB")
        check: list[str | Path] = [sys.executable, "-m", "arena", "check", path]
        ours = _rates(check, plies, options.runs)
        records_s = statistics.median(ours) * options.games / plies
        print(f"arena check: {spread(ours)} plies/s, {records_s:,.0f} records/s")
        try:
            peer_plies = chess_corpus(Path(folder) / "chess.pgn", plies)
        except ImportError:
            print("python-chess is not installed: no comparison")
            return
        command: list[str | Path] = [sys.executable, "-c", _PEER, Path(folder) / "chess.pgn"]
        theirs = _rates(command, peer_plies, options.runs)
        ratio = statistics.median(ours) / statistics.median(theirs)
        print(f"python-chess: {spread(theirs)} plies/s; ours is {ratio:.2f} times that")


def _rates(command: list[str | Path], plies: int, runs: int) -> list[float]:
    run(command)
    return [plies / run(command).wall_s for _ in range(runs)]


if __name__ == "__main__":
    main()
