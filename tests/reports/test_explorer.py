"""What games made of a position: the same as a plain count over every turn of every board."""

from __future__ import annotations

import io
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from places import OURS
from sample_records import with_tags

from lath import games, notation
from lath.games.core import IDENTITY, Move, Position, Result, Side, symmetries
from lath.notation import parse
from lath.notation.database.building import building
from lath.notation.database.columns import columns_of
from lath.notation.database.reading import Database
from lath.notation.record.record import Ply, Record
from lath.notation.rules.replay import positions
from lath.notation.text.splitting import chunks, texts_of
from lath.reports.counting.estimates import wilson
from lath.reports.counting.facts import entry
from lath.reports.exploring.databases import DatabaseGames
from lath.reports.exploring.explorer import (
    Continuation,
    ExploredGames,
    Node,
    NodeCounter,
    ResultTally,
    Source,
)
from lath.reports.exploring.trees import FREE, ReachedPosition, TreeCounter, TreeLine

pytestmark = pytest.mark.slow

Contents = tuple[str, ...]
Counted = tuple[int, ...]


def a_game(moves: str, result: str = "1-0", **tags: str) -> Record:
    words = "".join(f'[{name} "{value}"]' for name, value in {"Game": "yavalath", **tags}.items())
    return parse(f"{words}\n\n{moves} {result}")


def node_of(records: Sequence[Record], asked: Position | None = None) -> Node:
    counter = NodeCounter(asked or games.get(records[0].game).start())
    for number, record in enumerate(records, 1):
        counter.add(record, "", number)
    return counter.node()


def after(line: str, game: str = "yavalath") -> Position:
    position = games.get(game).start()
    for move in line.split():
        position = position.play(Move(move))
    return position


def told(node: Node) -> dict[str, tuple[int, int]]:
    return {row.move: (row.played.times, row.reached.times) for row in node.continuations}


def test_a_move_and_its_image_are_one_line_where_the_position_has_the_symmetry() -> None:
    node = node_of([a_game("a1 e5"), a_game("i5 e5"), a_game("e1", "0-1"), a_game("e5", "*")])
    assert told(node) == {"a1": (3, 3), "e5": (1, 1)}
    corner, middle = node.continuations
    assert (corner.same, middle.same) == (("a5", "e1", "e9", "i1", "i5"), ())
    assert (corner.played.wins, corner.played.losses, middle.played.undecided) == (2, 1, 1)
    both = node_of([a_game("a1 b3"), a_game("i5 e5")], after("e1"))
    assert told(both) == {"d2": (1, 1), "e5": (1, 1)}, "d2 as b3 lies from a1"
    swaps = [a_game("a1 swap e5"), a_game("i5 swap e5"), a_game("i5 e5")]
    assert told(node_of(swaps, after("e1"))) == {"swap": (2, 2), "e5": (1, 1)}
    assert told(node_of(swaps, after("a5 swap"))) == {"e5": (2, 2)}


def test_played_from_here_and_reached_from_anywhere_are_two_counts() -> None:
    records = [a_game("e5 d4 f6"), a_game("f6 d4 e5", "0-1"), a_game("f6 d4 c3", "0-1")]
    node = node_of(records, after("e5 d4"))
    (move,) = [row for row in node.continuations if row.move == "f6"]
    assert (node.here.times, move.played.times, move.reached.times) == (1, 1, 2)
    assert (move.played.score(Side.FIRST), move.reached.score(Side.FIRST)) == (1.0, 0.5)
    node = node_of([a_game("f6 d4 e5"), a_game("e5 d4 a1")], after("e5 d4"))
    assert told(node) == {"a1": (1, 1), "f6": (0, 1)}, "a move that nobody played"
    assert node.continuations[1].newest is node.continuations[1].best is None


def test_scores_are_of_first_and_of_who_is_to_move_and_pairs_are_one_piece_of_evidence() -> None:
    records = [a_game(f"e5 a{number}", result) for number, result in ((1, "1-0"), (5, "1-0"))]
    (move,) = node_of(records, after("e5")).continuations
    assert (move.played.score(Side.FIRST), move.played.score(Side.SECOND)) == (1.0, 0.0)
    low, high = wilson(1.0, 1)
    assert move.played.interval(Side.FIRST) == (low, high)  # two games of a pair
    assert move.played.interval(Side.SECOND) == (1 - high, 1 - low)
    assert move.played.mean_plies == 2
    pair = [a_game("e5", First="ann", Second="bob"), a_game("e5", First="bob", Second="ann")]
    others = [pair[0], a_game("e5", First="ann", Second="cora")]
    assert [node_of(records).here.worth for records in (pair, others)] == [1, 2]


def test_the_newest_and_the_best_game_of_a_move_are_told() -> None:
    dates = ("2026-11-02", "2026-11-03", "", "2026-11-03", "2025-12-31", "tomorrow")
    (move,) = node_of([with_tags(a_game("e5"), Date=date) for date in dates]).continuations
    assert move.newest is not None
    assert (move.newest.number, move.newest.date, move.newest.ply) == (4, "2026-11-03", 1)
    records = [
        a_game("e5", FirstElo="1500", SecondElo="1510"),
        a_game("e5", FirstElo="1700", SecondElo="1400"),
        a_game("e5", FirstElo="2900"),
    ]
    assert [row.best and row.best.number for row in node_of(records).continuations] == [2]
    # Without ratings it is that of who scored most surely.
    strong = [a_game("a1", First="strong", Second=f"weak {n}") for n in range(9)]
    lucky = [a_game("e5", First="lucky", Second="weak 0")]
    match = [a_game("e5", "0-1", First="weak 1", Second="strong")]
    rows = node_of([*lucky, *match, *strong]).continuations
    assert [(row.move, row.best and row.best.number) for row in rows] == [("a1", 11), ("e5", 2)]


def test_games_that_end_here_and_games_that_do_not_come_here_are_told_apart() -> None:
    node = node_of([a_game("e5"), a_game("e5 d4"), a_game("a1 d4")], after("e5"))
    assert (node.games, node.here.times, node.ended) == (3, 2, 1)
    line = "a1 i1 a2 i3 a3"
    node = node_of([a_game(line, "0-1")], after(line))
    assert (node.here.times, node.ended, node.continuations) == (1, 1, ())
    elsewhere = a_game("a1", Position="5/6/7/8/w8/8/7/6/5 b")
    node = node_of([elsewhere, a_game("e5")])
    assert (node.games, node.here.times) == (2, 1)
    assert node.begins == "5/6/7/8/w8/8/7/6/5 b"
    assert node_of([elsewhere], after("e1")).here.times == 1


# Against a plain count


@cache
def turns_of(game_id: str) -> list[list[int]]:
    """Return for each turn of the board where what lies on each cell comes from."""
    board = games.get(game_id).board
    place = {name: at for at, name in enumerate(board.names)}
    backs = ({to: name for name, to in turn.cells.items()} for turn in board.isometries)
    return [[place[back[name]] for name in board.names] for back in backs]


def turned(contents: Contents, turn: list[int]) -> Contents:
    return tuple([contents[at] for at in turn])


@cache
def all_turned(game_id: str, contents: Contents) -> list[Contents]:
    return [turned(contents, turn) for turn in turns_of(game_id)]


def renaming(one: Contents, other: Contents) -> dict[str, str] | None:
    """Return which letter became which, if one became the other by that; pieces keep theirs."""
    became: dict[str, str] = {}
    for stack, as_stack in zip(one, other, strict=True):
        if len(stack) != len(as_stack):
            return None
        for letter, as_letter in zip(stack, as_stack, strict=True):
            if became.setdefault(letter, as_letter) != as_letter:
                return None
    kept = all(a == b for a, b in became.items() if not (a.isupper() and b.isupper()))
    return became if kept and len(set(became.values())) == len(became) else None


def ways(one: Position, other: Position) -> Iterator[tuple[list[int], dict[str, str]]]:
    """Yield each turn and renaming that take a position to another."""
    if one.to_move != other.to_move or one.is_over != other.is_over:
        return
    game_id, there = one.game.id, other.contents()
    if sorted(map(len, one.contents())) != sorted(map(len, there)):
        return
    for turn, contents in zip(turns_of(game_id), all_turned(game_id, one.contents()), strict=True):
        became = renaming(contents, there)
        if became is not None and (
            game_id.startswith("mammalath") or all(a == b for a, b in became.items())
        ):
            yield turn, became


def images(one: Position, other: Position, move: str) -> frozenset[Contents]:
    """Return what lies in `other` after the images of a move of `one`, however that is turned."""
    made = one.play(Move(move)).contents()
    return frozenset(
        tuple(
            "".join(became.get(letter, letter) for letter in stack) for stack in turned(made, turn)
        )
        for turn, became in ways(one, other)
    )


def count_of(records: Sequence[Record]) -> Counted:
    results = [record.result for record in records]
    counts = [
        results.count(one)
        for one in (Result.FIRST_WON, Result.DRAWN, Result.SECOND_WON, Result.UNFINISHED)
    ]
    return (*counts, sum(len(one.plies) for one in records if one.result != "*"))


def plainly(
    records: Sequence[Record], asked: Position
) -> tuple[Counted, int, dict[frozenset[Contents], Counted]]:
    """Return what games come here, end here, and were played from here, by all turns."""
    here: list[Record] = []
    ended = 0
    by_move: defaultdict[frozenset[Contents], list[Record]] = defaultdict(list)
    for record in records:
        at = [
            (ply, position)
            for ply, position in enumerate(played(record))
            if next(ways(position, asked), None)
        ]
        here += [record] if at else []
        ended += bool(at and at[-1][0] == len(record.plies))
        moves = {
            images(pos, asked, record.moves[ply]) for ply, pos in at if ply < len(record.plies)
        }
        for each in moves:
            by_move[each].append(record)
    return count_of(here), ended, {each: count_of(of) for each, of in by_move.items()}


@cache
def played(record: Record) -> list[Position]:
    return list(positions(record))


def reached(records: Sequence[Record], position: Position) -> Counted:
    return count_of(
        [one for one in records if any(next(ways(at, position), None) for at in played(one))]
    )


def counted(tally: ResultTally) -> Counted:
    return (tally.wins, tally.draws, tally.losses, tally.undecided, tally.plies)


@cache
def turned_games(game_id: str, count: int = 20) -> list[Record]:
    """Return games of few moves that are likely to meet, each turned as chance has it."""
    chance = random.Random(game_id)
    game = games.get(game_id)
    found = []
    for number in range(count):
        position: Position = game.start(game.draw_setup(number % 2) if game.has_setups else None)
        way = chance.choice(symmetries(position))
        begun = way.position(position)
        moves: list[Move] = []
        for _ in range(chance.randrange(2, 7)):
            legal = position.legal_moves()
            if not legal:
                break
            released = [move for move in legal if move.startswith("x")]
            move = chance.choice([*legal[:2], *legal[-2:], *released[:1], *released[8:9]])
            moves.append(way.move(move))
            position = position.play(move)
        outcome = position.outcome()
        result = outcome.result if outcome else chance.choice(("1-0", "0-1", "*", "1/2-1/2"))
        tags = (("Game", game_id), ("Position", begun.text()), ("First", chance.choice("ab")))
        found.append(Record(tags, tuple(map(Ply, moves)), Result(result)))
    return found


def by_image(rows: Sequence[Continuation], asked: Position) -> dict[frozenset[Contents], Counted]:
    found: dict[frozenset[Contents], Counted] = {}
    for row in rows:
        if row.played.times:
            image = images(asked, asked, row.move)
            added = zip(found.get(image, (0,) * 5), counted(row.played), strict=True)
            found[image] = tuple(map(sum, added))
    return found


@pytest.mark.parametrize("game_id", [*OURS, "yavalath:size=3"])
def test_a_node_is_what_a_plain_count_over_all_turns_says(game_id: str) -> None:
    records = turned_games(game_id)
    kept = ExploredGames()
    for number, record in enumerate(records, 1):
        kept.add(record, "", number)
    source: Source = kept
    chance = random.Random(1)
    for ply in (0, 1, 2, 3):
        record = chance.choice([one for one in records if len(one.plies) >= ply])
        asked = played(record)[ply]
        node = node_of(records, asked)
        assert source.node(asked) == node
        here, ended, by_move = plainly(records, asked)
        assert (counted(node.here), node.ended) == (here, ended)
        for row in node.continuations:
            assert asked.play(row.move).text() == row.position
            assert counted(row.reached) == reached(records, asked.play(row.move))
        assert by_image(node.continuations, asked) == by_move
    # The same games turned give the same node.
    way = random.Random(2).choice(symmetries(played(records[0])[0]))
    start = played(records[0])[0]
    one, other = node_of(records, start), node_of(records, way.position(start))
    assert one.here == other.here
    assert sorted(told(one).values()) == sorted(told(other).values())


# In a database


def in_database(records: Sequence[Record], path: Path) -> Database:
    """Return a database of records, which are all different."""
    text = "\n".join(notation.format_records(records)).encode()
    with building(path) as made:
        for part in chunks(io.BytesIO(text)):
            made.add(columns_of(texts_of(part), "", made.counts.read + 1))
    assert made.counts.taken == len(records)
    return Database(path)


def told_apart(records: Sequence[Record]) -> list[Record]:
    """Return records with tags by which no two are the same, and some are a pair or rated."""
    chance = random.Random(len(records))
    found = []
    for number, record in enumerate(records, 1):
        tags = {"Note": f"{number}", "Second": chance.choice(("a", "it's", "c"))}
        tags |= {"Number": f"{number}"} if number % 3 else {}
        tags |= {"Date": f"2026-11-{chance.randrange(1, 9):02}"} if number % 4 else {}
        if record.result != "*" and not played(record)[-1].is_over:
            tags["Termination"] = "adjudication"
        if number % 5 == 0:
            tags |= {"FirstElo": "1500", "SecondElo": chance.choice(("1400.5", "-7", "much"))}
        found.append(with_tags(record, **tags))
    return found


@pytest.mark.parametrize("game_id", OURS)
def test_a_database_tells_what_its_records_do(
    game_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lath.notation.database.building.SEGMENT", 40)  # several parts
    other = "yavalath" if game_id != "yavalath" else "manalath"
    records = told_apart([*turned_games(game_id), *turned_games(other, 5), *turned_games(game_id)])
    kept = ExploredGames()
    for number, record in enumerate(records, 1):
        if record.game == game_id and number % 7:
            kept.add(record, "games", number)
    with in_database(records, tmp_path / "games.duckdb") as database:
        among = database.none()
        among[1:] = [number % 7 > 0 for number in range(1, len(records) + 1)]
        source: Source = DatabaseGames(database, game_id, "games", among)
        chance = random.Random(1)
        for ply in (0, 1, 2, 3):
            record = chance.choice([one for one in records[:20] if len(one.plies) >= ply])
            asked = played(record)[ply]
            assert source.node(asked) == kept.node(asked)
        nobody = DatabaseGames(database, game_id, "games", database.none())
        assert nobody.node(asked) == ExploredGames().node(asked)


def test_who_has_no_name_is_one_player_in_a_database_too(tmp_path: Path) -> None:
    chance = random.Random(3)
    nameless: list[dict[str, str]] = [{}, {"First": ""}, {"First": "?"}, {"First": "bob"}]
    kept, records = ExploredGames(), []
    for number in range(1, 61):
        first, second = chance.choice(nameless), chance.choice(nameless)
        tags = first | {"Second": second["First"]} if second else first
        result = chance.choice(("1-0", "1-0", "0-1"))
        records.append(a_game("e5", result, **tags, Note=f"{number}", Termination="resignation"))
        kept.add(records[-1], "games", number)
    asked = games.get("yavalath").start()
    with in_database(records, tmp_path / "games.duckdb") as database:
        assert DatabaseGames(database, "yavalath", "games").node(asked) == kept.node(asked)


# The report's trees


def games_that_meet(game_id: str, count: int = 24) -> list[Record]:
    """Return games from the plain start whose few moves come in any order, turned by chance."""
    chance = random.Random(game_id)
    start = games.get(game_id).start()
    kept = [way for way in symmetries(start) if way.position(start) == start] or [IDENTITY]
    found = []
    for number in range(count):
        position: Position = start
        way, moves = chance.choice(kept), list[Move]()
        for _ in range(chance.randrange(1, 7)):
            legal = position.legal_moves()
            if not legal:
                break
            move = chance.choice([*legal[:3], *legal[-1:]])
            moves.append(way.move(move))
            position = position.play(move)
        names = ("ann", "bob") if number % 2 else ("bob", "ann")
        opening = f"random:2 {' '.join(moves[:2])}" if number % 4 > 1 and len(moves) > 1 else ""
        tags = [("Game", game_id), ("First", names[0]), ("Second", names[1]), ("Opening", opening)]
        tags += [("Number", f"{number + 1}")] if number < count // 2 else []
        result = chance.choice(("1-0", "0-1", "1/2-1/2"))
        found.append(Record(tuple(tags), tuple(map(Ply, moves)), Result(result)))
    return found


def tree_of(records: list[Record]) -> list[TreeLine]:
    counter = TreeCounter()
    for number, record in enumerate(records, 1):
        counter.add(entry(number, record, is_playable=True))
    return [line for tree in counter.trees() for line in tree["lines"]]


def as_told(line: TreeLine | ReachedPosition) -> tuple[float, ...]:
    return line["wins"], line["draws"], line["losses"], line["low"], line["high"]


def as_counted(tally: ResultTally) -> tuple[float, ...]:
    low, high = tally.interval(Side.FIRST) or (0.0, 1.0)
    return tally.wins, tally.draws, tally.losses, round(low, 3), round(high, 3)


@pytest.mark.parametrize("game_id", OURS)
def test_each_line_of_a_tree_is_what_the_explorer_tells_of_its_last_move(game_id: str) -> None:
    records = games_that_meet(game_id)
    lines = tree_of(records)
    texts = {line["text"] for line in lines}
    assert max(len(text.split()) for text in texts) == FREE + 2
    assert all(text.rpartition(" ")[0] in {*texts, ""} for text in texts)
    for line in random.Random(1).sample(lines, min(10, len(lines))):
        before, _, last = line["text"].rpartition(" ")
        rows = {row.move: row for row in node_of(records, after(before, game_id)).continuations}
        assert as_told(line) == as_counted(rows[Move(last)].played)
        assert as_told(line["reached"]) == as_counted(rows[Move(last)].reached)
        moves = [move for move, row in rows.items() if row.played.times]
        begun = [text for text in texts if text.rpartition(" ")[0] == before]
        assert len(begun) == len(moves), "of a position that is told every move that was played"


def test_games_that_meet_go_on_together() -> None:
    lines = tree_of([a_game(line) for line in ("e5 d4 f6 a1", "f6 d4 e5 a1", "f6 d4 e5 b1")])
    by_text = {line["text"]: line for line in lines}
    third = by_text["e5 d4 f6"]
    assert (third["wins"], third["reached"]["wins"]) == (1, 3)
    assert [by_text[f"e5 d4 f6 {move}"]["wins"] for move in ("a1", "b1")] == [2, 1]
