"""`arena convert` into a database: what it holds, what is added to it, what is refused."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest
from commands import arena
from record_texts import written
from refusals import refusals
from sample_records import random_game
from workers_here import work_here

from lath import games, notation
from lath.notation.database import building, reading, sources
from lath.notation.database.keys import keys_of
from lath.notation.text import splitting

if TYPE_CHECKING:
    from golden import Golden

BAD = '[Game "yavalath"]\n\n1. e5 2. e5 *\n'
SAID = "[%eval 0.5] [%emt 0.058] [%nodes 999999999999999999]"  # of which 18 digits are read
TOLD = f'[Game "yavalath"]\n[First "ann"]\n\ne5 {{{SAID}}} swap *\n'


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of games of all kinds, one with annotations and one not sound, converted."""
    folder = tmp_path_factory.mktemp("kept")
    records = [random_game(name, 1) for name in games.builtin_ids()] + [random_game("yavalath", 2)]
    texts = [*notation.format_records(records), TOLD, BAD]
    (folder / "games.lath").write_text("\n".join(texts))
    ran = arena("convert", folder / "games.lath", folder / "games.duckdb")
    count = len(records) + 1
    assert ran.status == 1
    said = f"{count} of {count + 1} records taken into {folder / 'games.duckdb'};"
    assert ran.err.startswith(said)
    return folder


@pytest.fixture
def source(kept: Path, tmp_path: Path) -> Path:
    """Return a copy of its file, alone in a folder."""
    return Path(shutil.copy(kept / "games.lath", tmp_path))


@pytest.fixture
def out(kept: Path, tmp_path: Path) -> Path:
    """Return a copy of its database."""
    return Path(shutil.copy(kept / "games.duckdb", tmp_path))


def sound(source: Path) -> list[notation.Record]:
    """Return the records that are taken, as they are kept."""
    return [notation.canonical(each) for each in list(notation.read(source))[:-1]]


asker = cache(duckdb.connect)
"""To open one that holds nothing takes longer than most questions."""


def ask(database: Path, query: str) -> list[tuple[Any, ...]]:
    asker().execute(f"ATTACH '{database}' AS asked (READ_ONLY); USE asked")
    try:
        return asker().execute(query).fetchall()
    finally:
        asker().execute("USE memory; DETACH asked")


def test_a_database_holds_games_plies_positions_and_what_was_refused(kept: Path) -> None:
    out, records = kept / "games.duckdb", sound(kept / "games.lath")
    found = ask(out, "SELECT game, plies, result FROM games ORDER BY id")
    assert found == [(each.game, len(each.plies), each.result) for each in records]
    moves = ask(out, "SELECT id, list(move ORDER BY ply) FROM plies GROUP BY id ORDER BY id")
    assert [line for _, line in moves] == [list(each.moves) for each in records]
    keys = ask(out, "SELECT list(key ORDER BY ply) FROM positions GROUP BY id ORDER BY id")
    for record, (of_record,) in zip(records, keys, strict=True):
        known = keys_of(record.game)
        assert of_record == list(map(known.key, notation.positions(record)))
    found = ask(out, "SELECT eval, time_s, nodes FROM plies WHERE eval IS NOT NULL")
    assert found == [(0.5, 0.058, 999_999_999_999_999_999)]
    (refused,) = ask(out, "SELECT file, record, reason FROM refused")
    assert refused[:2] == (str(kept / "games.lath"), len(records) + 1)
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
    words = f"1 of 3 records taken into {out}; 2 left out, equal to a game that is there\n"
    assert (ran.status, ran.err) == (0, words)
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
LAST = '[Game "yavalath"]\n[First "bob"]\n\n1. a1 *\n'

EQUAL = {
    "less, more, else": (BARE, ANALYSED, CLOCKED),
    "more, less": (ANALYSED, BARE),
    "else, less, more": (CLOCKED, BARE, ANALYSED),
    "more, else": (ANALYSED, CLOCKED),
    "the same": (ANALYSED, ANALYSED),
}
"""Records of one game each, by what is said in them."""

KEPT = (
    "8 of 13 records taken into OUT, 2 in the place of an equal game; "
    "5 left out, equal to a game that is there; "
    "annotations of 3 are lost, of which its table refused tells\n"
)


def test_of_equal_games_the_one_stays_of_which_most_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they come together, in several parts, or one after the other by --append."""
    monkeypatch.setattr(sources, "_AT_ONCE", 1)
    monkeypatch.setattr(splitting, "_BLOCK", 20)
    given = [[text.replace("ann", who) for text in texts] for who, texts in EQUAL.items()]
    source = tmp_path / "all.lath"
    source.write_text("\n".join([*chain(*given), LAST]))
    made = [tmp_path / name for name in ("whole.duckdb", "segments.duckdb", "parts.duckdb")]
    for out, segment in zip(made, (1 << 20, 1), strict=False):
        monkeypatch.setattr(building, "SEGMENT", segment)
        assert arena("convert", source, out).err == KEPT.replace("OUT", str(out))
    for number, texts in enumerate([*zip_longest(*given, fillvalue=""), (LAST,)]):
        part = tmp_path / f"{number}.lath"
        part.write_text("\n".join(texts))
        arena("convert", part, made[-1], *(("--append",) if number else ()))
    kept = [*(ANALYSED.replace("ann", who) for who in EQUAL), LAST]
    of_one = [(0.5, None, "!", "e5"), (None, None, None, "d4")]
    for out in made:
        arena("select", out, "-o", source, "--force")
        for place in (out, source):
            assert list(map(notation.format_record, notation.read(place))) == kept
        notes = ask(out, "SELECT eval, clock_s, glyph, move FROM plies ORDER BY id, ply")
        assert notes == [*of_one * len(EQUAL), (None, None, None, "a1")]
        assert ask(out, "SELECT count(*) FROM refused") == [(3,)]


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


def test_files_of_any_format_and_directories_are_sources(
    kept: Path, source: Path, tmp_path: Path
) -> None:
    whole, out = kept / "games.duckdb", tmp_path / "games.duckdb"
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
    assert again.err == f"{words}; 2 invalid records left out, of which its table refused tells\n"
    copy = tmp_path / "COPY.DuckDB"
    assert arena("convert", out, copy, "--to", "duckdb").status == 0
    assert tables(copy)[:3] == tables(out)[:3]


def test_two_processes_make_what_one_makes(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_here(monkeypatch)
    monkeypatch.setattr(splitting, "_BLOCK", 500)  # so that there is work for both
    monkeypatch.setattr(sources, "_AT_ONCE", 1)
    assert arena("convert", kept / "games.lath", tmp_path / "two.duckdb", "-j", "2").status == 1
    assert tables(kept / "games.duckdb") == tables(tmp_path / "two.duckdb")


def press_ctrl_c() -> None:
    raise KeyboardInterrupt


def stopped(
    monkeypatch: pytest.MonkeyPatch, games: int, stop: Callable[[], None] = press_ctrl_c
) -> None:
    """Have somebody stop a command when so many games are written."""
    monkeypatch.setattr(building, "SEGMENT", 100)
    monkeypatch.setattr(sources, "_AT_ONCE", 1)  # a block of a file is a bundle
    monkeypatch.setattr(splitting, "_BLOCK", 500)
    write = building.Building._write  # between two parts, which no user can time

    def write_or_stop(made: building.Building, bundles: Sequence[Any]) -> None:
        if made.counts.taken >= games:
            stop()
        write(made, bundles)

    monkeypatch.setattr(building.Building, "_write", write_or_stop)


def test_who_is_stopped_leaves_what_was_there_and_goes_on(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, more, whole = (tmp_path / name for name in ("games.duckdb", "more.lath", "whole.duckdb"))
    more.write_text(f"{BAD}\n{TOLD.replace('ann', 'bob')}")
    arena("convert", more, out)
    before, there = out.read_bytes(), set(tmp_path.iterdir())
    command = ("convert", more, source, out, "--append")
    with monkeypatch.context() as patch:
        stopped(patch, 5)
        ran = arena(*command)
        assert (ran.status, ran.err) == (
            3,
            "note: interrupted; run the same command again to resume\n",
        )
    assert out.read_bytes() == before
    (kept,) = set(tmp_path.iterdir()) - there
    ran = arena(*command)
    assert ran.err.startswith("note: resuming after ")
    assert 5 <= int(ran.err.split()[3]) < len(list(notation.read(source)))
    assert set(tmp_path.iterdir()) == there
    arena("convert", more, whole)
    arena("convert", more, source, whole, "--append")
    assert ask(out, "SELECT * FROM games") == ask(whole, "SELECT * FROM games")
    assert tables(out)[1:] == tables(whole)[1:]
    assert not kept.exists()


def kill_yourself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_who_is_killed_goes_on(
    kept: Path, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of writing: what was not whole then is not there."""
    out = tmp_path / "games.duckdb"
    there = {*tmp_path.iterdir(), out}
    command = ["convert", str(source), str(out)]
    child = os.fork()
    if child == 0:
        try:
            stopped(monkeypatch, 5, kill_yourself)
            arena(*command)
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert not out.exists()
    again = arena(*command)
    assert again.err.startswith("note: resuming after ")
    assert set(tmp_path.iterdir()) == there
    assert tables(out)[1:4] == tables(kept / "games.duckdb")[1:4]
    assert ask(out, "SELECT * FROM games") == ask(kept / "games.duckdb", "SELECT * FROM games")


def test_what_the_dead_have_left_is_cleared_and_the_living_keep_theirs(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, other = tmp_path / "games.duckdb", tmp_path / "other.lath"
    other.write_text(TOLD)
    there = {*tmp_path.iterdir(), out}
    with monkeypatch.context() as patch:
        stopped(patch, 5)
        assert arena("convert", source, out).status == 3
    (left,) = set(tmp_path.iterdir()) - there
    lock = os.open(left / "lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)  # as its owner has it while he lives
    arena("convert", other, out)
    assert left.exists()
    os.close(lock)
    assert arena("convert", other, out).err.startswith("1 of 1 record taken")
    assert set(tmp_path.iterdir()) == there


def test_two_who_write_do_not_meet(source: Path, tmp_path: Path) -> None:
    """Each has a place of its own; who adds to what another has written since says so."""
    out, more = tmp_path / "games.duckdb", tmp_path / "more.lath"
    more.write_text(TOLD.replace("ann", "bob"))
    source.write_text(f"{BARE}\n{BAD}")
    arena("convert", source, out)
    with building.building(out):
        assert arena("convert", more, out, "--append").status == 0
    assert ask(out, "SELECT count(*) FROM games") == [(0,)]
    words = "was changed by another program"
    with pytest.raises(reading.DatabaseError, match=words), building.building(out, append=True):
        arena("convert", source, out)
    assert ask(out, "SELECT count(*) FROM games") == [(len(list(notation.read(source))) - 1,)]


WRONG = [
    *("games.lath nowhere/games.duckdb", "games.lath other.duckdb --append"),
    *("games.lath text.duckdb --append", "games.lath games.csv --append"),
    *("games.lath new.duckdb --planes", "games.duckdb new.duckdb --from sgf"),
    *("- new.duckdb --from duckdb", "games.lath games.db --to duckdb"),
    *("games.db new.csv --from duckdb", "games.lath x.duckdb.gz", "x.duckdb.gz x.lath"),
    "games.lath x.duckdb --to lath",
]


def test_what_makes_no_sense_is_refused_and_changes_nothing(
    source: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(source.parent)
    with duckdb.connect("other.duckdb") as connection:
        connection.execute("CREATE TABLE about (form UINTEGER)")
    Path("text.duckdb").write_text("no database")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    golden(refusals(WRONG, "convert"))
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_a_database_by_another_name_is_seen_to_be_one(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "games.duckdb.gz").write_bytes(gzip.compress(out.read_bytes()))
    assert "a database is not compressed" in arena("check", tmp_path / "games.duckdb.gz").err
    other = out.rename(tmp_path / "games.db")
    words = "it is a database; give it the suffix .duckdb"
    ran = arena("check", other)
    assert (ran.status, ran.err) == (2, f"error: {other}: cannot be read: {words}\n")
    with other.open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(OSError, match="it is a database"):
            next(notation.read("-"))


ASKED = (
    *("check -q", "stats", "rate", "select", "show --record 3"),
    "stats --where 'plies > 20' --json",
    "select --where 'plies > 20' --distinct",
    *(
        f"select --where \"game = yavalath and pattern 'ww'\" {flag}"
        for flag in ("--distinct", "--invert", "--count")
    ),
    "select --where 'first = nobody' --invert",
)


def test_a_database_is_read_as_a_file_of_its_records(kept: Path, tmp_path: Path) -> None:
    out, text = kept / "games.duckdb", tmp_path / "text.lath"
    records = sound(kept / "games.lath")
    text.write_text("".join(notation.format_records(records)))
    for command in map(shlex.split, ASKED):
        of_text, of_database = arena(*command, text), arena(*command, out)
        assert (of_database.status, of_database.out) == (of_text.status, of_text.out), command
    assert arena("select", out).out == text.read_text()
    told = arena("select", out, "--where", "game = yavalat", "--count")
    assert "did you mean 'yavalath'?" in told.err
    assert list(notation.read(out)) == records
    with notation.open_records(out) as opened:
        assert (len(opened), opened[-1], opened[0]) == (len(records), records[-1], records[0])
    with reading.Database(out) as database:
        found = dict(database.texts())
        assert [notation.parse(each) for each in found.values()] == records
        assert dict(database.texts(database.flags("SELECT 3 AS id"))) == {3: found[3]}
        every = database.steps(np.arange(1, database.games + 1))
        some = database.steps(np.array([2, 4]), 3)
    assert every.lengths.tolist() == [len(each.plies) for each in records]
    assert some.lengths.tolist() == [3, 3]


def test_a_database_says_how_many_equal_games_it_has_once(kept: Path, tmp_path: Path) -> None:
    """Record files count them as often as they are given; nobody is told two numbers silently."""
    text, out, once = tmp_path / "text.lath", tmp_path / "games.duckdb", kept / "games.duckdb"
    text.write_text(f"{BARE}\n{LAST}\n{CLOCKED}\n{CLOCKED}")
    arena("convert", text, out)
    arena("convert", text, out, "--append")
    more = 2 + 4
    said = f"{more} records given to {out} are duplicates"
    commands = [["stats"], ["explore"], ["rate"], ["check"], ["select", "--count"]]
    for command, *flags in commands:
        assert said in arena(command, out, *flags).err
        assert "equal to another" not in arena(command, text, *flags).err
    assert "equal to another" not in arena("stats", once).err
    for command in ("stats", "explore"):
        found = [json.loads(arena(command, at, "--json").out)["left_out"] for at in (out, once)]
        assert [each["equal"] for each in found] == [more, 0]


def test_a_database_is_not_written_as_text(
    source: Path, out: Path, tmp_path: Path, golden: Golden
) -> None:
    before, told = out.read_bytes(), {}
    commands = {
        "select -o": ("select", source, "-o", tmp_path / "new.duckdb"),
        "an index": ("check", "--index", out),
        "edit": ("edit", out, "--set", "Event=x"),
    }
    for name, words in commands.items():
        told[name] = re.sub(r"\d+\.\d\d s, .*", "…", arena(*words).err)
    with pytest.raises(OSError, match="only `arena convert` makes databases"):
        notation.write(out, [])
    assert out.read_bytes() == before
    out.write_text("no database")
    told["no database"] = arena("select", out).err
    told["a query of none"] = arena("select", out, "--where", "plies > 20").err
    out.unlink()
    with duckdb.connect(str(out)) as connection:  # of which a view reads another file
        connection.execute(f"CREATE TABLE about AS SELECT {reading.FORM} AS form")
        connection.execute(f"CREATE VIEW games AS SELECT content AS id FROM read_text('{source}')")
    ran = arena("select", out)
    assert (ran.status, ran.out) == (2, "")
    assert "it is damaged: Permission Error: Cannot access file" in ran.err
    golden(told)


def test_records_that_are_all_refused_make_a_database_of_none(tmp_path: Path) -> None:
    source, out = tmp_path / "bad.lath", tmp_path / "games.duckdb"
    source.write_text(BAD)
    for option in ((), ("--append",)):
        ran = arena("convert", source, out, *option)
        assert (ran.status, "0 of 1 record taken" in ran.err) == (1, True)
    assert ask(out, "SELECT count(*) FROM refused") == [(2,)]
    for query in ('position "5/6/7/8/9/8/7/6/5 w"', 'after "e5"', "pattern 'w'", "not plies > 3"):
        assert arena("select", out, "--where", query, "--count").out == "0\n"


def test_a_damaged_database_is_told_of(out: Path) -> None:
    data = out.read_bytes()
    out.write_bytes(data[: len(data) // 2])
    for words in (("select", "--where", 'reached "e5"'), ("select",), ("explore",), ("show",)):
        ran = arena(words[0], out, *words[1:])
        assert ran.status == 2, words
        assert ran.err.startswith(f"error: {out}"), words
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
        assert ran.err.endswith(f"{count} of 1 record selected; 1 invalid record left out\n")
    assert arena("explore", out).status == 1


def test_a_game_whose_file_is_not_named_is_told_with_its_file(out: Path) -> None:
    tags = json.dumps(["Game", ("GameFile", f"mygame.py sha256:{'1f3a' * 16}")])
    row = "SELECT 9999 AS id, 'mine' AS game, ? AS tags, 0 AS plies"
    with duckdb.connect(str(out)) as connection:
        (most,) = connection.execute("SELECT max(id) + 1 FROM games").fetchone() or (0,)
        connection.execute(f"INSERT INTO games BY NAME {row.replace('9999', str(most))}", [tags])
    ran = arena("select", out, "--where", "plies > 0", "--count")
    assert ran.status == 1
    words = "game 'mine' comes from mygame.py (sha256 1f3a1f3a1f3a…): add --game ./mygame.py"
    assert f"{out}: {words} (1 record)" in ran.err
