"""`arena convert` into a database: what it holds, what is added to it, what is refused."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import pytest
from commands import arena
from record_texts import written
from sample_records import random_game

from lath import games, notation
from lath.notation import reader
from lath.notation.database import building, reading, sources
from lath.notation.database.keys import keys_of

BAD = '[Game "yavalath"]\n\n1. e5 2. e5 *\n'
TOLD = '[Game "yavalath"]\n[First "ann"]\n\ne5 {[%eval 0.5] [%emt 1.5]} swap *\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a file of games of all kinds, one with annotations and one that is not sound."""
    records = [random_game(name, seed) for seed in (1, 2) for name in games.builtin_ids()]
    path = tmp_path / "games.lath"
    path.write_text("\n".join([*notation.format_records(records), TOLD, BAD]))
    return path


def ask(database: Path, query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(database), read_only=True) as connection:
        return connection.execute(query).fetchall()


def test_a_database_holds_games_plies_positions_and_what_was_refused(
    source: Path, tmp_path: Path
) -> None:
    out = tmp_path / "games.duckdb"
    ran = arena("convert", source, out)
    records = list(notation.read(source))[:-1]
    assert ran.status == 1
    assert ran.err.startswith(f"{len(records)} of {len(records) + 1} records taken into {out};")
    found = ask(out, "SELECT game, plies, result FROM games ORDER BY id")
    assert found == [(each.game, len(each.plies), each.result) for each in records]
    moves = ask(out, "SELECT id, list(move ORDER BY ply) FROM plies GROUP BY id ORDER BY id")
    canonical = [list(notation.canonical(each).moves) for each in records]
    assert [line for _, line in moves] == canonical
    keys = ask(out, "SELECT list(key ORDER BY ply) FROM positions GROUP BY id ORDER BY id")
    for record, (of_record,) in zip(records, keys, strict=True):
        known = keys_of(record.game)
        assert of_record == list(map(known.key, notation.positions(record)))
    annotated = ask(out, "SELECT eval, time_s FROM plies WHERE eval IS NOT NULL")
    assert annotated == [(0.5, 1.5)]
    (refused,) = ask(out, "SELECT file, record, reason FROM refused")
    assert refused[:2] == (str(source), len(records) + 1)
    assert "e5 already has a stone" in refused[2]


def test_a_game_once_in_is_never_in_twice(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, more = tmp_path / "games.duckdb", tmp_path / "more.lath"
    monkeypatch.setattr(building, "SEGMENT", 100)  # several parts
    arena("convert", source, out)
    new = TOLD.replace("ann", "bob")
    more.write_text(f"{new}\n{TOLD}\n{new}")
    ran = arena("convert", more, out, "--append")
    assert (ran.status, ran.err) == (
        0,
        f"1 of 3 records taken into {out}; 2 left out, equal to a game that is there\n",
    )
    count = len(list(notation.read(source)))
    assert ask(out, "SELECT count(*), max(id) FROM games") == [(count, count)]
    (other,) = ask(out, "SELECT first FROM games WHERE id = (SELECT max(id) FROM games)")
    assert other == ("bob",)
    lines = "SELECT count(DISTINCT id), count(*) FROM positions WHERE ply = 0"
    assert ask(out, lines) == [(count, count)]


BARE = '[Game "yavalath"]\n[First "ann"]\n\n1. e5 2. d4 *\n'
ANALYSED = (
    '[Game "yavalath"]\n[First "ann"]\n[Analysis "solver"]\n\n'
    "1. e5! {[%eval 0.5] an idea} 2. d4 (2. swap {better}) *\n"
)
CLOCKED = '[Game "yavalath"]\n[First "ann"]\n\n1. e5 {[%clk 9.000]} 2. d4 *\n'
LEFT_OUT = "1 left out, equal to a game that is there"
LOST = "annotations of 1 are lost, of which its table refused tells"
LAST = '[Game "yavalath"]\n[First "bob"]\n\n1. a1 *\n'


@pytest.mark.parametrize("segment", [1, 1 << 20])
@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ((BARE, ANALYSED), "3 of 3 records taken into OUT, 1 in the place of an equal game"),
        ((ANALYSED, BARE), f"2 of 3 records taken into OUT; {LEFT_OUT}"),
        (
            (CLOCKED, BARE, ANALYSED),
            f"3 of 4 records taken into OUT, 1 in the place of an equal game; {LEFT_OUT}; {LOST}",
        ),
        ((ANALYSED, CLOCKED), f"2 of 3 records taken into OUT; {LEFT_OUT}; {LOST}"),
        ((ANALYSED, ANALYSED), f"2 of 3 records taken into OUT; {LEFT_OUT}"),
    ],
)
def test_of_equal_games_the_one_stays_of_which_most_is_said(
    texts: Sequence[str],
    words: str,
    segment: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether they come together, in several parts, or one after the other by --append."""
    monkeypatch.setattr(building, "SEGMENT", segment)
    monkeypatch.setattr(sources, "_AT_ONCE", 1)
    monkeypatch.setattr(reader, "_BLOCK", 20)
    source, out = tmp_path / "all.lath", tmp_path / "all.duckdb"
    source.write_text("\n".join([*texts, LAST]))
    assert arena("convert", source, out).err == f"{words.replace('OUT', str(out))}\n"
    in_parts = tmp_path / "parts.duckdb"
    for number, text in enumerate((*texts, LAST)):
        part = tmp_path / f"{number}.lath"
        part.write_text(text)
        arena("convert", part, in_parts, *(("--append",) if number else ()))
    for database in (out, in_parts):
        assert arena("select", database).out == f"{ANALYSED}\n{LAST}"
        notes = ask(database, "SELECT eval, clock_s, glyph, move FROM plies ORDER BY id, ply")
        assert notes == [(0.5, None, "!", "e5"), (None, None, None, "d4"), (None, None, None, "a1")]
        assert ask(database, "SELECT count(*) FROM refused") == [(LOST in words,)]


def test_what_a_database_holds_is_canonical(tmp_path: Path) -> None:
    texts = [
        '[Game "mammalath"]\n\n1. a1 {x} 2. xa3-a1 (2. xc1-a1 {y}) 3. xD *\n',
        *map(written, map(Random, range(60))),
    ]
    names = ("games.lath", "games.duckdb", "again.lath")
    source, out, again = map(tmp_path.joinpath, names)
    source.write_text("\n\n".join(texts))
    arena("convert", source, out)
    arena("select", out, "-o", again)
    assert arena("edit", "--check", again).status == 0
    assert len(list(notation.read(again))) > 30


def tables(database: Path) -> list[list[tuple[Any, ...]]]:
    """Return what a database holds, whatever the codes of moves are, and what is said they do.

    A process that has met more moves may say in other words what one of them does.
    """
    queries = (
        "SELECT * FROM games",
        "SELECT * FROM plies",
        "SELECT positions.* EXCLUDE code, move FROM positions LEFT JOIN moves USING (code)",
        "SELECT DISTINCT game, move FROM moves",
        "SELECT * FROM refused",
    )
    return [ask(database, f"{query} ORDER BY ALL") for query in queries]


def test_files_of_any_format_and_directories_are_sources(source: Path, tmp_path: Path) -> None:
    whole, out = tmp_path / "whole.duckdb", tmp_path / "games.duckdb"
    arena("convert", source, whole)
    rest, found = tmp_path / "rest.jsonl", tmp_path / "league" / "games.lath"
    found.parent.mkdir()
    *records, told, bad = source.read_text().split("\n\n[")
    found.write_text("\n\n[".join(records[:5]) + "\n")
    (tmp_path / "rest.lath").write_text("\n\n".join(f"[{each}" for each in records[5:]) + "\n")
    assert arena("convert", tmp_path / "rest.lath", rest).status == 0
    (tmp_path / "bad.ygn").write_text("no games")
    (tmp_path / "last.lath.gz").write_bytes(gzip.compress(f"[{told}\n\n[{bad}".encode()))
    sources = (found.parent, rest, tmp_path / "bad.ygn", tmp_path / "last.lath.gz")
    ran = arena("convert", *sources, out, "-q")
    assert (ran.status, ran.out, ran.err) == (1, "", "")
    assert ask(out, "SELECT * FROM games") == ask(whole, "SELECT * FROM games")
    assert tables(out)[1:3] == tables(whole)[1:3]
    refused = ask(out, "SELECT file, record, line FROM refused")
    assert refused == [(str(sources[2]), 1, 1), (str(sources[3]), 2, 8)]
    again = arena("convert", *sources, out, "--append")
    count = len(records) + 1
    left_out = f"{count} left out, equal to a game that is there"
    words = f"0 of {count + 2} records taken into {out}; {left_out}"
    assert again.err == f"{words}; 2 bad records left out, of which its table refused tells\n"
    copy = tmp_path / "COPY.DuckDB"
    assert arena("convert", out, copy, "--to", "duckdb").status == 0
    assert tables(copy)[:3] == tables(out)[:3]


def test_two_processes_make_what_one_makes(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one.duckdb", tmp_path / "two.duckdb"
    assert arena("convert", source, source.parent / "games.lath", one).status == 1
    assert arena("convert", source, source.parent / "games.lath", two, "-j", "2").status == 1
    assert tables(one) == tables(two)


class Stopped:
    """A user who presses Ctrl-C when so many games are written."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, games: int) -> None:
        monkeypatch.setattr(building, "SEGMENT", 100)
        monkeypatch.setattr(sources, "_AT_ONCE", 1)  # a block of a file is a parcel
        monkeypatch.setattr(reader, "_BLOCK", 500)
        write = building.Building._write

        def stop(made: building.Building, parcels: Sequence[Any]) -> None:
            if made.counts.taken >= games:
                raise KeyboardInterrupt
            write(made, parcels)

        monkeypatch.setattr(building.Building, "_write", stop)


def test_who_is_stopped_leaves_what_was_there_and_goes_on(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, more, whole = (tmp_path / name for name in ("games.duckdb", "more.lath", "whole.duckdb"))
    more.write_text(f"{BAD}\n{TOLD.replace('ann', 'bob')}")
    arena("convert", more, out)
    before, there = out.read_bytes(), set(tmp_path.iterdir())
    command = ("convert", more, source, out, "--append")
    with monkeypatch.context() as patch:
        Stopped(patch, 5)
        ran = arena(*command)
        assert (ran.status, ran.err) == (
            3,
            "interrupted; the same command goes on where it was\n",
        )
    assert out.read_bytes() == before
    (kept,) = set(tmp_path.iterdir()) - there
    ran = arena(*command)
    assert ran.err.startswith("going on after ")
    assert 5 <= int(ran.err.split()[3]) < len(list(notation.read(source)))
    assert set(tmp_path.iterdir()) == there
    arena("convert", more, whole)
    arena("convert", more, source, whole, "--append")
    assert ask(out, "SELECT * FROM games") == ask(whole, "SELECT * FROM games")
    assert tables(out)[1:] == tables(whole)[1:]
    assert not kept.exists()


_KILLED = """
import os, signal, sys
from lath.arena.__main__ import run
from lath.notation import reader
from lath.notation.database import building, sources

building.SEGMENT, sources._AT_ONCE, reader._BLOCK = 100, 1, 500
write = building.Building._write

def killed(made, parcels):
    write(made, parcels)
    if made.counts.taken >= 10:
        os.kill(os.getpid(), signal.SIGKILL)

building.Building._write = killed
run(sys.argv[1:])
"""


def test_who_is_killed_goes_on(source: Path, tmp_path: Path) -> None:
    """In the middle of writing: what was not whole then is not there."""
    out, whole = tmp_path / "games.duckdb", tmp_path / "whole.duckdb"
    arena("convert", source, whole)
    there = {*tmp_path.iterdir(), out}
    command = ["convert", str(source), str(out)]
    ran = subprocess.run([sys.executable, "-c", _KILLED, *command], check=False)
    assert ran.returncode == -signal.SIGKILL
    assert not out.exists()
    again = arena(*command)
    assert again.err.startswith("going on after ")
    assert set(tmp_path.iterdir()) == there
    assert tables(out) == tables(whole)


def test_what_the_dead_have_left_is_cleared_and_the_living_keep_theirs(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, other = tmp_path / "games.duckdb", tmp_path / "other.lath"
    other.write_text(TOLD)
    there = {*tmp_path.iterdir(), out}
    with monkeypatch.context() as patch:
        Stopped(patch, 5)
        assert arena("convert", source, out).status == 3
    (left,) = set(tmp_path.iterdir()) - there
    lock = os.open(left / "lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)  # as its owner has it while he lives
    arena("convert", other, out)
    assert left.exists()
    os.close(lock)
    assert arena("convert", other, out).err.startswith("1 of 1 records taken")
    assert set(tmp_path.iterdir()) == there


def test_two_who_write_do_not_meet(source: Path, tmp_path: Path) -> None:
    """Each has a place of its own; who adds to what another has written since says so."""
    out, more = tmp_path / "games.duckdb", tmp_path / "more.lath"
    more.write_text(TOLD.replace("ann", "bob"))
    arena("convert", source, out)
    with building.building(out):
        assert arena("convert", more, out, "--append").status == 0
    assert ask(out, "SELECT count(*) FROM games") == [(0,)]
    words = "was changed by somebody else meanwhile"
    with pytest.raises(reading.DatabaseError, match=words), building.building(out, append=True):
        arena("convert", source, out)
    assert ask(out, "SELECT count(*) FROM games") == [(len(list(notation.read(source))) - 1,)]


def test_large_numbers_are_held(tmp_path: Path) -> None:
    """Of nodes 18 digits are read; times and evaluations are as they were written."""
    source, out = tmp_path / "games.lath", tmp_path / "games.duckdb"
    source.write_text(TOLD.replace("[%emt 1.5]", "[%emt 0.058] [%nodes 999999999999999999]"))
    assert arena("convert", source, out).status == 0
    found = ask(out, "SELECT nodes, time_s FROM plies WHERE ply = 1")
    assert found == [(999_999_999_999_999_999, 0.058)]


def test_a_folder_that_is_not_there_is_named(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "games.duckdb"
    ran = arena("convert", source, out)
    assert ran.status == 2
    assert ran.err == f"arena: {out} cannot be written: No such file or directory\n"


def test_what_is_no_database_is_not_added_to(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "other.duckdb"
    with duckdb.connect(str(out)) as connection:
        connection.execute("CREATE TABLE about (form UINTEGER)")
    before = out.read_bytes()
    ran = arena("convert", source, out, "--append")
    assert (ran.status, out.read_bytes()) == (2, before)
    assert f"{out} is no database of games: another version has made it" in ran.err
    (tmp_path / "text.duckdb").write_text("no database")
    ran = arena("convert", source, tmp_path / "text.duckdb", "--append")
    assert ran.status == 2
    assert "is no database" in ran.err


def test_flags_that_do_not_go_together_are_refused(source: Path, tmp_path: Path) -> None:
    ran = arena("convert", source, tmp_path / "games.csv", "--append")
    assert (ran.status, "--append is for databases" in ran.err) == (2, True)
    ran = arena("convert", source, tmp_path / "games.duckdb", "--planes")
    assert (ran.status, "--planes is not for databases" in ran.err) == (2, True)
    ran = arena("convert", "games.duckdb", tmp_path / "games.duckdb", "--from", "sgf")
    assert (ran.status, "sgf is only written" in ran.err) == (2, True)
    ran = arena("convert", "-", tmp_path / "games.duckdb", "--from", "duckdb")
    assert (ran.status, "a database is no stream" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("{text}", "{other}", "--to", "duckdb"),
            "{other}: no name of a database; expected {name}",
        ),
        (("{other}", "new.csv", "--from", "duckdb"), "{other}: no name of a database; expected"),
        (("{text}", "x.duckdb.gz"), "x.duckdb.gz: a database is not compressed; expected {name}"),
        (("x.duckdb.gz", "x.lath"), "x.duckdb.gz: a database is not compressed; expected {name}"),
        (
            ("{text}", "x.duckdb", "--to", "lath"),
            "x.duckdb: nothing but a database has that suffix",
        ),
    ],
)
def test_what_nothing_would_read_as_a_database_is_refused(
    source: Path, tmp_path: Path, arguments: Sequence[str], words: str
) -> None:
    names = {"text": source, "other": tmp_path / "games.db", "name": "a name with the suffix"}
    ran = arena("convert", *[each.format(**names) for each in arguments])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"arena: {words.format(**names)}")
    assert list(tmp_path.iterdir()) == [source]


def test_a_database_by_another_name_is_seen_to_be_one(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, other = tmp_path / "games.duckdb", tmp_path / "games.db"
    arena("convert", source, out)
    (tmp_path / "games.duckdb.gz").write_bytes(gzip.compress(out.read_bytes()))
    assert "a database is not compressed" in arena("check", tmp_path / "games.duckdb.gz").err
    out.rename(other)
    words = "it is a database, which is read from a file with the suffix .duckdb"
    ran = arena("check", other)
    assert (ran.status, ran.err) == (2, f"arena: {other} cannot be read: {words}\n")
    with other.open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(OSError, match="it is a database"):
            next(notation.read("-"))


def test_a_database_is_read_as_a_file_of_its_records(source: Path, tmp_path: Path) -> None:
    out, text = tmp_path / "games.duckdb", tmp_path / "text.lath"
    sound = [notation.canonical(each) for each in list(notation.read(source))[:-1]]
    text.write_text("".join(notation.format_records(sound)))
    arena("convert", source, out)
    ran = arena("select", out)
    assert (ran.status, ran.out) == (0, text.read_text())
    for command in (("check",), ("stats",), ("select", "--where", "plies > 20"), ("rate",)):
        of_text, of_database = arena(*command, text), arena(*command, out)
        assert (of_database.status, of_database.out) == (of_text.status, of_text.out)
    assert arena("show", out, "--game", "3").out == arena("show", text, "--game", "3").out
    assert list(notation.read(out)) == sound
    with notation.open_records(out) as records:
        assert (len(records), records[-1], records[0]) == (len(sound), sound[-1], sound[0])


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_database_says_how_many_equal_games_it_has_once(
    times: int, source: Path, tmp_path: Path
) -> None:
    """Record files count them as often as they are given; nobody is told two numbers silently."""
    text, out = tmp_path / "text.lath", tmp_path / "games.duckdb"
    text.write_text(f"{BARE}\n{LAST}\n" + f"{CLOCKED}\n" * (times - 1))
    arena("convert", text, out)
    arena("convert", text, out, "--append")
    more = times - 1 + times + 1
    said = f"{more} records that were given to {out} are equal to another"
    commands = [["stats"], ["explore"], ["rate"], ["check"], ["select", "--count"]]
    for command, *flags in commands:
        assert said in arena(command, out, *flags).err
        assert "equal to another" not in arena(command, text, *flags).err
    once = tmp_path / "once.duckdb"
    assert arena("convert", source, once).status == 1
    assert "equal to another" not in arena("stats", once).err
    for command in ("stats", "explore"):
        found = [json.loads(arena(command, at, "--json").out)["left_out"] for at in (out, once)]
        assert [each["equal"] for each in found] == [more, 0]


def test_a_database_is_not_written_as_text(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "games.duckdb"
    assert "`arena convert` makes duckdb of it" in arena("select", source, "-o", out).err
    arena("convert", source, out)
    before = out.read_bytes()
    ran = arena("check", "--index", out)
    assert (ran.status, "finds its records without an index" in ran.err) == (2, True)
    ran = arena("edit", out, "--set", "Event=x")
    assert (ran.status, "is a database, which is not edited; -o OUT" in ran.err) == (2, True)
    with pytest.raises(OSError, match="`arena convert` alone makes databases"):
        notation.write(out, [])
    assert out.read_bytes() == before
    out.write_text("no database")
    ran = arena("select", out)
    assert ran.status == 2
    assert f"{out} cannot be read: it is no database of games: it is no file" in ran.err
    out.unlink()
    with duckdb.connect(str(out)) as connection:
        connection.execute(f"CREATE TABLE about AS SELECT {reading.FORM} AS form")
        connection.execute(f"CREATE VIEW games AS SELECT content AS id FROM read_text('{source}')")
    ran = arena("select", out)
    assert (ran.status, ran.out) == (2, "")
    assert "it is damaged: Permission Error: Cannot access file" in ran.err


def test_records_come_out_as_they_went_in(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "games.duckdb"
    arena("convert", source, out)
    records = [notation.canonical(each) for each in list(notation.read(source))[:-1]]
    with reading.Database(out) as database:
        found = dict(database.texts())
        assert [notation.parse(text) for text in found.values()] == records
        assert dict(database.texts(database.flags("SELECT 3 AS id"))) == {3: found[3]}
        every = database.steps(np.arange(1, database.games + 1))
        some = database.steps(np.array([2, 4]), 3)
    assert every.lengths.tolist() == [len(each.plies) for each in records]
    assert some.lengths.tolist() == [3, 3]


def test_queries_take_of_a_database_what_they_take_of_its_records(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, text = tmp_path / "games.duckdb", tmp_path / "text.lath"
    arena("convert", source, out)
    assert arena("convert", out, text).status == 0
    for query in ("plies > 20", "game = yavalath and pattern 'ww'", "first = nobody"):
        for flags in (["--distinct"], ["--invert"], ["--count"]):
            found = arena("select", out, "--where", query, *flags)
            assert found == arena("select", text, "--where", query, *flags)
    told = arena("select", out, "--where", "game = yavalat", "--count")
    assert "did you mean 'yavalath'?" in told.err
    stats = [arena("stats", path, "--where", "plies > 20", "--json") for path in (out, text)]
    assert stats[0] == stats[1]
    wrong = arena("select", source.rename(tmp_path / "no.duckdb"), "--where", "plies > 20")
    why = "it is no file of DuckDB; expected what `arena convert` of this version makes"
    named = tmp_path / "no.duckdb"
    assert (wrong.status, wrong.err) == (2, f"arena: {named} is no database of games: {why}\n")


def test_records_that_are_all_refused_make_a_database_of_none(tmp_path: Path) -> None:
    source, out = tmp_path / "bad.lath", tmp_path / "games.duckdb"
    source.write_text(BAD)
    for option in ((), ("--append",)):
        ran = arena("convert", source, out, *option)
        assert (ran.status, "0 of 1 records taken" in ran.err) == (1, True)
    assert ask(out, "SELECT count(*) FROM refused") == [(2,)]
    for query in ('position "5/6/7/8/9/8/7/6/5 w"', 'after "e5"', "pattern 'w'", "not plies > 3"):
        assert arena("select", out, "--where", query, "--count").out == "0\n"


def test_a_damaged_database_is_told_of(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "games.duckdb"
    arena("convert", source, out)
    data = out.read_bytes()
    out.write_bytes(data[: len(data) // 2])
    for words in (("select", "--where", 'reached "e5"'), ("select",), ("explore",), ("show",)):
        ran = arena(words[0], out, *words[1:])
        assert ran.status == 2, words
        assert ran.err.startswith(f"arena: {out} "), words
        assert ran.err.count("\n") == 1, words


def test_games_that_are_not_installed_are_left_out_and_told_of(tmp_path: Path) -> None:
    source, out = tmp_path / "games.lath", tmp_path / "games.duckdb"
    source.write_text('[Game "yavalath"]\n\n1. e5 *\n')
    arena("convert", source, out)
    with duckdb.connect(str(out)) as connection:
        connection.execute("INSERT INTO games BY NAME SELECT 2 AS id, 'go' AS game, 0 AS plies")
    for query, count in (("pattern 'w'", 1), ("not pattern 'w'", 0), ("plies < 3", 1)):
        ran = arena("select", out, "--where", query, "--count")
        assert (ran.status, ran.out) == (1, f"{count}\n")
        assert f"{out}: unknown game 'go'" in ran.err
        assert ran.err.endswith(f"{count} of 1 records selected; 1 bad record left out\n")
    assert arena("explore", out).status == 1


def test_a_game_whose_file_is_not_named_is_told_with_its_file(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "games.duckdb"
    arena("convert", source, out)
    tags = json.dumps(["Game", ("GameFile", f"mygame.py sha256:{'1f3a' * 16}")])
    row = "SELECT 9999 AS id, 'mine' AS game, ? AS tags, 0 AS plies"
    with duckdb.connect(str(out)) as connection:
        (most,) = connection.execute("SELECT max(id) + 1 FROM games").fetchone() or (0,)
        connection.execute(f"INSERT INTO games BY NAME {row.replace('9999', str(most))}", [tags])
    ran = arena("select", out, "--where", "plies > 0", "--count")
    assert ran.status == 1
    words = "game 'mine' comes from mygame.py (sha256 1f3a1f3a1f3a…): add --game ./mygame.py"
    assert f"{out}: {words} (1 records)" in ran.err
