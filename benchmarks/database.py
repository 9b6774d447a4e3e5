"""What a database of games takes to make and to ask: time, bytes, memory.

    python benchmarks/database.py [--games 1000000] [--game yavalath] [--folder DIR]

The games are made: players who avoid a move that loses at once, by distinct seeds, of all built-in
games unless one is named. They are kept in DIR, and made once. A database of them is built by one
process and by two, of half of them by two, so that the slope is that of more games, and one per
cent more is added to it. Positions that are drawn from the games are then looked up by SQL, in the
same table in SQLite, and by `arena select`, which plays all records; of the first 20,000 games a
least image of every position, found by the rules alone, says which games have them. The explorer
walks from where each game begins, and tells of the first 2,000 games what their records do. So do
queries, patterns among them, which are asked of the database that is open.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from measure import Run, machine, run
from records import record_of

import lath
from lath import games, notation
from lath.games.core import least
from lath.notation.database.asking import matching
from lath.notation.database.opening import OpenDatabase
from lath.notation.database.reading import Database
from lath.notation.query.query import compile_query, plan_of
from lath.reports.exploring.databases import DatabaseGames, counts_by_game
from lath.reports.exploring.explorer import ExploredGames

PART = 25_000
"""Games of a file."""

CHECKED = 20_000
"""Games in which positions are looked for by the rules alone."""

EXPLORED = 2_000
"""Games of which the nodes of the explorer are compared with those of their records."""

EXPLORED_PLIES = 6
"""Moves that are played from where a game begins."""

ARENA = (sys.executable, "-m", "lath.arena")


def make_part(folder: Path, ids: Sequence[str], first: int, count: int) -> Path:
    """Write a file of games from a number on, unless it is there."""
    path = folder / f"{ids[0] if len(ids) == 1 else 'part'}-{first // PART:04}-{count}.lath"
    if not path.exists():
        records = (
            record_of(games.get(ids[number // 2 % len(ids)]), number, annotated=False)
            for number in range(first, first + count)
        )
        new = path.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            file.writelines(notation.format_records(records))
        new.rename(path)
    return path


def corpus(folder: Path, ids: Sequence[str], first: int, count: int) -> list[Path]:
    """Return files of so many games, which are made by all cores where they are missing."""
    parts = [(at, min(PART, first + count - at)) for at in range(first, first + count, PART)]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        return list(pool.map(partial(make_part, folder, ids), *zip(*parts, strict=True)))


def build(out: Path, files: Sequence[Path], *options: str) -> Run:
    """Make a database by a command, or add to it."""
    return run([*ARENA, "convert", *files, out, "-q", *options])


def quantiles(ask: Callable[[Any], object], asked: Sequence[Any]) -> str:
    """Return the median and the 99th percentile of what questions take, all asked once before."""
    times = []
    for is_timed in (False, True):
        for each in asked:
            began = time.perf_counter()
            ask(each)
            if is_timed:
                times.append(time.perf_counter() - began)
    times.sort()
    p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
    return f"{times[len(times) // 2] * 1e3:.2f} ms, 99 % {p99 * 1e3:.2f} ms"


def drawn(database: OpenDatabase, count: int, among: int) -> list[tuple[str, str]]:
    """Return games and texts of positions, drawn from as many games as there are or fewer."""
    chance = random.Random("positions")
    rows = database.query("SELECT id, game, plies FROM games WHERE id <= ? ORDER BY id", [among])
    chosen = chance.choices(rows.fetchall(), k=count)
    pairs = [(number, chance.randint(0, plies)) for number, _, plies in chosen]
    values = ", ".join(f"({place}, {id_}, {ply})" for place, (id_, ply) in enumerate(pairs))
    found = database.query(
        "SELECT game, lath_position(id, ply)"
        f" FROM (VALUES {values}) asked(place, id, ply) JOIN games USING (id) ORDER BY place"
    )
    return [(game, text) for game, text in found.fetchall()]


_ASK = "SELECT id, ply FROM positions WHERE key = lath_key(?, ?)"


def looked_up(database: OpenDatabase, asked: Sequence[tuple[str, str]]) -> None:
    """Print what an exact position takes by its text, and by its key in DuckDB and in SQLite."""
    by_text = quantiles(lambda each: database.query(_ASK, each).fetchall(), asked)
    print(f"a position by its text, in DuckDB: {by_text}")
    keys = [database.query("SELECT lath_key(?, ?)", each).fetchall()[0][0] for each in asked]
    query = "SELECT id, ply FROM positions WHERE key = ?"
    by_key = quantiles(lambda key: database.query(query, [key]).fetchall(), keys)
    print(f"a position by its key, in DuckDB: {by_key}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "games.sqlite")
        began = time.perf_counter()
        with closing(sqlite3.connect(file)) as other:
            other.execute("PRAGMA journal_mode = OFF")
            other.execute(
                "CREATE TABLE positions (key INT, id INT, ply INT, code INT,"
                " PRIMARY KEY (key, id, ply)) WITHOUT ROWID"
            )
            rows = database.query("SELECT key, id, ply, code FROM positions ORDER BY key, id, ply")
            for some in rows.to_arrow_table().to_batches(100_000):
                columns = [column.to_pylist() for column in some.columns]
                signed = ((key - (1 << 63), *row) for key, *row in zip(*columns, strict=True))
                other.executemany("INSERT INTO positions VALUES (?, ?, ?, ?)", signed)
            other.commit()
            took_s = time.perf_counter() - began
            there = quantiles(lambda key: other.execute(query, [key - (1 << 63)]).fetchall(), keys)
            for key in keys:
                found = other.execute(query, [key - (1 << 63)]).fetchall()
                assert sorted(found) == sorted(database.query(query, [key]).fetchall())
        size = file.stat().st_size
    print(f"the same in SQLite: {there}; its table alone took {took_s:.0f} s and {size:,} bytes")


def checked(
    database: OpenDatabase, files: Sequence[Path], asked: Sequence[tuple[str, str]], most: int
) -> int:
    """Return in how many places of the first games the rules find positions.

    Raises AssertionError where the database has others.
    """
    least_of = [(game, least(games.get(game).position(text)).text()) for game, text in asked]
    wanted = set(least_of)
    found: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    for number, record in enumerate(_records(files, most), 1):
        for ply, position in enumerate(notation.positions(record)):
            each = record.game, least(position).text()
            if each in wanted:
                found[each].add((number, ply))
    for each, by_rules in zip(asked, least_of, strict=True):
        rows = database.query(f"{_ASK} AND id <= {most}", each).fetchall()
        assert set(rows) == found[by_rules], each
    return sum(map(len, found.values()))


def _records(files: Sequence[Path], most: int) -> Iterator[notation.Record]:
    for file in files:
        for record in notation.read(file):
            yield record
            most -= 1
            if not most:
                return


def scanned(out: Path, files: Sequence[Path], asked: tuple[str, str]) -> None:
    """Print what a position takes by `arena select` on all records."""
    game, text = asked
    query = f'game = "{game}" and position "{text}"'
    took = run([*ARENA, "select", *files, "--where", query, "--count"])
    print(f"a position by arena select on the records, all played: {took.wall_s:.1f} s")
    took = run([*ARENA, "select", out, "--where", query, "--count"])
    print(f"the same on the database: {took.wall_s:.1f} s")


QUERIES = {
    "a tag": "player = bot3 and plies > 20",
    "a move": "contains move e5",
    "first moves": 'after "e5 swap d4"',
    "a pattern on a cell": 'pattern "w" on e5',
    "another": 'pattern "ww.w" on c3',
    "a pattern anywhere": 'pattern "ww.w"',
    "one whose owner counts": 'pattern "++-"',
    "one after another": 'pattern "ww.w" then within 3 plies pattern "www"',
}
"""Queries that are timed, by what they ask for."""


def queried(out: Path, files: Sequence[Path], asked: Sequence[tuple[str, str]], most: int) -> None:
    """Print what queries take on a database that is open, and positions asked by them.

    Raises AssertionError where so many first games of the database and their records differ.
    """
    with Database(out) as database:

        def ask(query: str) -> Any:
            return matching(database, plan_of(query))

        exact = [f'position "{text}"' for _, text in asked]
        print(f"a position by a query, replayed: {quantiles(ask, exact)}")
        for name, query in QUERIES.items():
            ask(query)  # first boards of games with setups are kept from then on
            began, used = time.perf_counter(), time.process_time()
            found = ask(query)
            took_s, cpu_s = time.perf_counter() - began, time.process_time() - used
            matches = compile_query(query)
            by_records = [matches(record) for record in _records(files, most)]
            assert found[1 : most + 1].tolist() == by_records, query
            print(
                f"{name}, {query}: {found.sum():,} games in {took_s:.2f} s "
                f"(processors {cpu_s:.2f} s)"
            )


def explored(out: Path, files: Sequence[Path], most: int) -> None:
    """Print what `arena explore` takes from the start of each game on, along its usual moves.

    Raises AssertionError where so many first games of the database and their records differ.
    """
    with Database(out) as database:
        for game, count in sorted(counts_by_game(database).items()):
            began = time.perf_counter()
            source = DatabaseGames(database, game, "")
            position = games.get(game).start()
            begins = source.node(position).begins
            opened_s = time.perf_counter() - began
            position = games.get(game).position(begins)
            took = []
            for _ in range(EXPLORED_PLIES + 1):
                times = []
                for _ in range(5):
                    began = time.perf_counter()
                    node = source.node(position)
                    times.append(time.perf_counter() - began)
                took.append(f"{node.here.times:,} games here in {sorted(times)[2] * 1e3:.0f} ms")
                if not node.continuations:
                    break
                position = position.play(node.continuations[0].move)
            told = ", ".join(took)
            print(f"explore {game}, {count:,} games: opened in {opened_s:.2f} s; {told}")
            among = database.none()
            among[1 : most + 1] = True
            few, kept = DatabaseGames(database, game, "", among), ExploredGames()
            for number, record in enumerate(_records(files, most), 1):
                if record.game == game:
                    kept.add(record, "", number)
            position = games.get(game).position(begins)
            for _ in range(EXPLORED_PLIES + 1):
                node = few.node(position)
                assert node == kept.node(position), position.text()
                if not node.continuations:
                    break
                position = position.play(node.continuations[0].move)
    took_s = run([*ARENA, "explore", out, "--json", "-q"]).wall_s
    print(f"arena explore by itself: {took_s:.1f} s")


def measure(folder: Path, ids: Sequence[str], count: int, questions: int) -> None:
    """Measure and print."""
    files = corpus(folder, ids, 0, count)
    (more,) = corpus(folder, ids, count, max(1, count // 100))[:1]
    out, half = folder / "games.duckdb", folder / "half.duckdb"
    built: dict[str, Run] = {}
    halves = count
    for name, target, some, options in (
        ("one process", out, files, ()),
        ("two processes, half of them", half, files[: len(files) // 2], ("-j", "2")),
        ("two processes", out, files, ("-j", "2")),
    ):
        if target == half and len(files) == 1:
            continue
        target.unlink(missing_ok=True)
        took = built[name] = build(target, some, *options)
        with lath.open(target) as database:
            query = "SELECT count(*), sum(plies)::BIGINT FROM games"
            ((taken, plies),) = database.query(query).fetchall()
        size = target.stat().st_size
        print(
            f"{name}: {taken:,} games, {plies:,} plies in {took.wall_s:.1f} s "
            f"({plies / took.wall_s:,.0f} plies/s; processors {took.cpu_s:.1f} s, "
            f"{plies / took.cpu_s:,.0f} plies/s), {took.peak_mb:.0f} MB, "
            f"{size / taken:.0f} bytes a game of {plies / taken:.1f} plies"
        )
        if target == half:
            halves = taken
            half.unlink()
    if halves < taken:
        fast, slow = built["two processes"], built["two processes, half of them"]
        by_wall, by_cpu = (
            last + (1e7 - taken) * (last - first) / (taken - halves)
            for first, last in ((slow.wall_s, fast.wall_s), (slow.cpu_s, fast.cpu_s))
        )
        print(f"so ten million take {by_wall:.0f} s (processors {by_cpu:.0f} s, shared by two)")
    before = out.stat().st_size
    took = build(out, [more], "--append")
    whole = built["two processes"]
    print(
        f"one per cent more: {took.wall_s:.1f} s, {took.wall_s / whole.wall_s:.1%} of the build "
        f"(processors {took.cpu_s:.1f} s, {took.cpu_s / whole.cpu_s:.1%}), "
        f"{out.stat().st_size - before:,} bytes more"
    )
    with lath.open(out) as database:
        first = min(taken, CHECKED)
        asked = drawn(database, questions, first)
        hits = checked(database, files, asked, first)
        print(f"{questions} positions are in {hits} places of the first games, as the rules say")
        asked = drawn(database, questions, taken)
        looked_up(database, asked)
    queried(out, files, asked, min(taken, EXPLORED))
    explored(out, files, min(taken, EXPLORED))
    scanned(out, files, asked[0])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--games", type=int, default=1_000_000, help="how many (default 1000000)")
    parser.add_argument("--game", help="of this game alone (default: all built-in games)")
    parser.add_argument("--questions", type=int, default=1000, help="positions (default 1000)")
    parser.add_argument("--folder", type=Path, help="where games are kept (default: nowhere)")
    options = parser.parse_args()
    print(f"{machine()}; {options.games:,} games")
    ids = [options.game] if options.game else games.builtin_ids()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        measure(folder, ids, options.games, options.questions)


if __name__ == "__main__":
    main()
