"""How strong the bundled bots are: a round robin a game, played by the product itself.

    python benchmarks/strength.py --output strength [--game yavalath]

    python benchmarks/strength.py --output ladder --ladder

All bundled bots meet at equal time. A directory a game is left with records, standings and report;
the same command goes on where it stopped. What is printed is made for docs/explanation/strength.md:
the Elo above random, and each bot's score against each other one in percent, with Wilson's 95 %
interval, which takes games as independent.

With `--ladder` the levels of `arena match BOT` meet in a pool, as often as `--budget` says, where
games tell most; what they are measured at is written to arena/flows/ladder.toml.

One game at a time is played, so that nobody computes while another one's clock runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Final

from measure import machine

from lath import arena, games
from lath.arena import RunResult
from lath.arena.engine.engine import Engine
from lath.arena.flows.ladder import FILE, LOWEST, level_bot, name_of
from lath.arena.referee.answers import Limit
from lath.bots.searcher import levels_of
from lath.reports.counting.estimates import wilson
from lath.reports.counting.table import Meeting, Table
from lath.reports.ratings.results import Elo

BOTS = ("random", "greedy", "monte-carlo", "solver", "alphabeta", "mcts")


def played(game: str, bots: list[str], rounds: int, tc: str, out: Path) -> RunResult:
    """Play a round robin to its end, or what is missing of it."""
    return arena.tournament(
        bots=bots, games=[game], rounds=rounds, tc=tc, jobs=1, out=out, anchors={"random": 0.0}
    )


def share(meeting: Meeting) -> str:
    """Return points in percent with the interval, such as `88.8 % (75-95)`; a dash for none."""
    games_ = meeting.wins + meeting.draws + meeting.losses
    if not games_:
        return "-"
    score = (meeting.wins + meeting.draws / 2) / games_
    low, high = wilson(score, games_)
    return f"{100 * score:.1f} % ({100 * low:.0f}-{100 * high:.0f})"


def by_name(table: Table) -> dict[tuple[str, str], Meeting]:
    """Return how each bot did against each other one."""
    names = [row.name for row in table.rows]
    return {
        (first, second): meeting
        for first, row in zip(names, table.crosstable, strict=True)
        for second, meeting in zip(names, row, strict=True)
    }


def rated(elo: Elo) -> str:
    """Return it with its 95 % interval, such as `+615 ± 108`."""
    return " ± ".join(filter(None, elo.told))


def matrix(result: RunResult) -> str:
    """Return a table of who scored what against whom, the best first."""
    table = result.standings.overall
    names = [row.name for row in table.rows]
    met = by_name(table)
    lines = [
        f"{table.games} games, {table.draws} draws, {faults(table)}",
        "",
        "| | Elo | " + " | ".join(names) + " |",
        "| --- | --- |" + " --- |" * len(names),
    ]
    for row in table.rows:
        elo = row.strength.elo if row.strength is not None else None
        words = "-" if elo is None else rated(elo)
        cells = ["" if name == row.name else share(met[row.name, name]) for name in names]
        lines.append(f"| {row.name} | {words} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def faults(table: Table) -> str:
    """Return who lost games otherwise than by the rules."""
    told = [
        f"{row.name} lost {count} by {reason}"
        for row in table.rows
        for reason, count in row.lost_by.items()
        if count
    ]
    return "; ".join(told) or "none lost otherwise than by the rules"


TOPS: Final[Mapping[str, tuple[str, int]]] = {
    "mammalath": ("alphabeta", 12_000),
    "mammalath-plus": ("alphabeta", 2_500),
    "manalath": ("mcts", 10_000),
    "manalath-61": ("mcts", 10_000),
    "surikata": ("alphabeta", 10_000),
    "yavalath": ("alphabeta", 900),
}
"""The bot at the top of each ladder, and its nodes per move."""

LADDERS: Final[Mapping[str, Sequence[str]]] = {
    game: [LOWEST, *map(level_bot, range(1, len(levels_of(game)) + 1)), f"{bot}; tc=nodes {nodes}"]
    for game, (bot, nodes) in TOPS.items()
}
"""The levels by game type, from the weakest: bots that no clock makes weaker or stronger."""


def play_of(bot: str, game: str) -> str:
    """Return what a level plays in some positions, as a hash: the same on every machine."""
    words, _, nodes = bot.partition("; tc=nodes ")
    with Engine.open(words) as engine:
        return answers_of(engine, int(nodes), game)


def answers_of(engine: Engine, nodes: int, game: str) -> str:
    """Return the same of a bot that is there, with so many nodes a move."""
    moves = []
    for seed in range(1, 25):
        position, chance = games.get(game).start(), Random(seed)
        for _ in range(2 * seed):
            after = position.play(chance.choice(position.legal_moves()))
            position = position if after.is_over else after
        moves.append(str(engine.play(position, Limit(nodes=nodes), seed=seed).move))
    return sha256(" ".join(moves).encode()).hexdigest()[:12]


def measured(game: str, budget: str, out: Path) -> str:
    """Return what the file of the ladder says of a game type, whose levels meet in a pool."""
    levels = LADDERS[game]
    result = arena.tournament(
        bots=[f"{name_of(n)}={bot}" for n, bot in enumerate(levels)],
        games=[game],
        format="pool",
        budget=budget,
        jobs=1,
        anchors={name_of(0): 0.0},
        out=out,
    )
    table = result.standings.overall
    strengths = {row.name: row.strength.elo for row in table.rows}
    print(matrix(result), flush=True)
    lines = [f"[{game}]", f"games = {table.games}", "levels = ["]
    for n, bot in enumerate(levels):
        elo = strengths[name_of(n)]
        ends = [round(elo.value if end is None else end) for end in (elo.low, elo.high)]
        step = table.ratings.difference(name_of(n), name_of(n - 1)) if n else None
        margin = 0 if step is None or step.low is None else round(step.value - step.low)
        play = play_of(bot, game)
        lines.append(
            f'    {{ bot = "{bot}", elo = {round(elo.value)}, low = {ends[0]}, high = {ends[1]}, '
            f'step = {margin}, play = "{play}" }},'
        )
    return "\n".join([*lines, "]", ""])


def measure_ladder(given: argparse.Namespace) -> None:
    """Measure the ladder of each game type and write its file."""
    parts = [measured(game, given.budget, given.output / game) for game in given.game or LADDERS]
    about = (
        "# The levels of `arena match BOT`, from 0, with their Elo; random = 0. Low and high are\n"
        "# the ends of the interval of 95 %, step is half of that of the difference to the level\n"
        "# below, and play is what the level plays in fixed positions, as a hash.\n"
        f"# Measured by the benchmark of strength, with --ladder, on {datetime.now(UTC):%Y-%m-%d}, "
        f"version {version('lath-arena')}.\n"
    )
    FILE.write_text("\n".join([about, *parts]), encoding="utf-8")


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", action="append", choices=games.ids(), help="else all")
    parser.add_argument("--rounds", type=int, default=20, help="of two games for each pairing")
    parser.add_argument("--tc", default="move 0.05", help="as of `arena run`")
    parser.add_argument("--bot", action="append", help="else all that are bundled")
    parser.add_argument("--ladder", action="store_true", help="measure the levels of a match")
    parser.add_argument("--budget", default="800", help="games of each game type, of --ladder")
    parser.add_argument("--output", type=Path, default=Path("strength"))
    given = parser.parse_args()
    if given.ladder:
        measure_ladder(given)
        return
    bots = given.bot or list(BOTS)
    print(f"{machine()}; {given.tc}, {given.rounds} rounds", flush=True)
    for game in given.game or games.ids():
        result = played(game, bots, given.rounds, given.tc, given.output / game)
        print(f"\n## {game}\n\n{matrix(result)}", flush=True)


if __name__ == "__main__":
    main()
