"""How strong the bundled bots are: a round robin a game, played by the product itself.

    python benchmarks/strength.py --out strength [--game yavalath] [--levels alphabeta]

Without `--levels` all bundled bots meet at equal time; with it the eight levels of one bot. A
directory a game is left with records, standings and report; the same command goes on where it
stopped. What is printed is made for docs/strength.md: each bot's score against each other one in
percent, with Wilson's 95 % interval, which takes games as independent.

One game at a time is played, so that nobody computes while another one's clock runs.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

from measure import machine

from lath import arena, games
from lath.arena import Result
from lath.reports.estimates import wilson
from lath.reports.ratings.results import Elo
from lath.reports.standings import Meeting, Table

BOTS = ("random", "greedy", "monte-carlo", "solver", "alphabeta", "mcts")
LEVELS = range(1, 9)


def played(game: str, bots: list[str], rounds: int, tc: str, out: Path) -> Result:
    """Play a round robin to its end, or what is missing of it."""
    return arena.tournament(bots=bots, games=[game], rounds=rounds, tc=tc, jobs=1, out=out)


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


def matrix(result: Result) -> str:
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


def ladder(result: Result, bot: str, game: str) -> str:
    """Return a row with the Elo of each level, and under it what each scored against the next."""
    table = result.standings.overall
    elos = {row.name: row.strength.elo for row in table.rows if row.strength is not None}
    names = [f"{bot}-{level}" for level in LEVELS]
    cells = [rated(elo) if (elo := elos.get(name)) else "-" for name in names]
    steps = [share(by_name(table)[above, below]) for below, above in pairwise(names)]
    return (
        f"| `{bot}`, {game} | {' | '.join(cells)} |\n\n"
        f"each against the one below it: {', '.join(steps)}; {faults(table)}"
    )


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", action="append", choices=games.ids(), help="else all")
    parser.add_argument("--rounds", type=int, default=20, help="of two games for each pairing")
    parser.add_argument("--tc", default="move 0.05", help="as of `arena run`")
    parser.add_argument("--bot", action="append", help="else all that are bundled")
    parser.add_argument("--levels", help="a bot: its eight levels meet instead")
    parser.add_argument("--out", type=Path, default=Path("strength"))
    given = parser.parse_args()
    bots = given.bot or list(BOTS)
    if given.levels:
        bots = [f"{given.levels}-{n}={given.levels}; option.level={n}" for n in LEVELS]
    print(f"{machine()}; {given.tc}, {given.rounds} rounds", flush=True)
    for game in given.game or games.ids():
        result = played(game, bots, given.rounds, given.tc, given.out / game)
        made = ladder(result, given.levels, game) if given.levels else matrix(result)
        print(f"\n## {game}\n\n{made}", flush=True)


if __name__ == "__main__":
    main()
