"""No command destroys what it did not write, and what is killed leaves no half.

Every command that writes is tried with every kind of thing that may be there already, and killed
before each change that it makes to files.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import chdir, closing
from pathlib import Path
from typing import Final

import pytest
from writers import (
    BOT,
    FILES,
    FOLDERS,
    Writer,
    changes_in,
    copied_home,
    is_half,
    killed_at,
    tree_of,
    typed,
)

from lath.arena.engine.analysing import AnswerCache
from lath.arena.engine.solving import Solved
from lath.games.core import Move
from lath.notation.files.files import half_of, remove_halves, write_atomically

pytestmark = pytest.mark.slow

every_file = pytest.mark.parametrize("name", FILES)
every_folder = pytest.mark.parametrize("name", FOLDERS)

FOREIGN: Final[dict[str, bytes]] = {
    "a bot's source": BOT.encode(),
    "a configuration": b'[time]\nnodes = 5\n\n[[bot]]\nname = "a"\n',
    "a database": b"SQLite format 3\0" + bytes(84),
    "words": b"what I have thought of\n",
    "bytes": bytes(range(256)),
    "JSON of another": b'{"name": "lath", "private": true}\n',
    "a page of another": b"<!DOCTYPE html><p>mine",
    "a sheet of another": b"name,points\nann,3\n",
}
"""What may be there that no command has written."""

OF_THE_TOURNAMENT: Final = (
    *("tournament.db", "tournament.db-wal", "tournament.db-journal", "tournament.lock"),
    *("tournament.toml", "games.lath", "outcome.json", "standings.json", "standings.csv"),
    "logs/build-a.log",
)


@every_file
def test_a_file_is_written_over_what_is_its_own_and_nothing_else_but_by_force(name: str) -> None:
    place = list(FILES).index(name)
    foreign(name, [list(FOREIGN)[place % len(FOREIGN)]])
    of_a_tournament(name, OF_THE_TOURNAMENT[place % 3 :: 3])
    of_its_own(name)
    of_its_input(name)


def foreign(name: str, kinds: Iterable[str]) -> None:
    """Have a command write over what is not of its kind, and over a link to such a file."""
    writer = FILES[name]
    out = Path(writer.name)
    for kind in kinds:
        with copied_home() as home:
            out.write_bytes(FOREIGN[kind])
            before = tree_of(home)
            ran = typed(writer, writer.name)
            assert (ran.status, "--force" in ran.err) == (2, True), (kind, ran.err)
            assert tree_of(home) == before, kind
    with copied_home() as home:
        out.symlink_to("bot.py")
        before = tree_of(home)
        assert typed(writer, writer.name).status == 2
        assert tree_of(home) == before
        if name != "analyze":  # which writes to no link
            assert typed(writer, writer.name, "--force").status == 0
            assert changed(before) <= {"bot.py"}, "what it leads to is replaced"


def changed(before: Mapping[str, bytes]) -> set[str]:
    """Return which of the files that were there are not as they were."""
    after = tree_of(Path())
    return {path for path in before if before[path] != after.get(path)}


def of_a_tournament(name: str, parts: Iterable[str]) -> None:
    """Have a command write over files of a tournament, by their names and by links."""
    writer = FILES[name]
    with copied_home() as home:
        Path("away").symlink_to("cup/tournament.db")
        Path("folder").symlink_to("cup")
        before = tree_of(home)
        for out in ("away", "folder/tournament.db", *(f"cup/{part}" for part in parts)):
            ran = typed(writer, out)
            assert ran.status == 2, (out, ran.err)
            assert tree_of(home) == before, out


def of_its_own(name: str) -> None:
    """Have a command write what is missing, its own or empty, and over no folder."""
    writer = FILES[name]
    with copied_home() as home:
        for _ in range(2):
            others = tree_of(home)
            ran = typed(writer, writer.name)
            assert ran.status == 0, ran.err
            # A run that goes on writes its directory anew.
            assert {p for p in changed(others) if not p.startswith("new/")} <= {writer.name}
            assert writer.name in tree_of(home)
        Path(writer.name).write_bytes(b"")
        assert typed(writer, writer.name).status == 0
        if name != "edit -o":  # which takes a folder for several files
            Path("there").mkdir()
            for folder in ("there", ".", "..", "/"):
                assert typed(writer, folder).status == 2, folder


def of_its_input(name: str) -> None:
    """Have a command write over what it reads, which nothing replaces that holds less."""
    writer = FILES[name]
    source = writer.line.split()[1]
    if not source.endswith((".lath", ".csv")):
        return
    with copied_home() as home:
        before = tree_of(home)
        ran = typed(writer, source)
        if ran.status == 0:  # all of it is there again
            assert name == "select" or name.startswith("convert to")
            assert source in tree_of(home)
        else:
            assert tree_of(home) == before, ran.err


def test_a_selection_replaces_what_it_is_of_where_nothing_is_lost() -> None:
    lose = [["--where", "plies > 99999"], ["--limit", "1"], ["--sample", "1"]]
    keep = [["--sort", "round", "--reverse"], ["--distinct"], ["short.lath"]]
    with copied_home():
        before = Path("games.lath").read_bytes()
        for words in lose:
            ran = typed(Writer("select games.lath -o OUT"), "games.lath", *words)
            assert (ran.status, "would be lost\nhint: --force" in ran.err) == (1, True)
            assert Path("games.lath").read_bytes() == before
        for words in keep:
            assert typed(Writer("select games.lath -o OUT"), "games.lath", *words).status == 0
        ran = typed(Writer("select games.lath -o OUT"), "games.lath", "--limit", "1", "--force")
        assert (ran.status, Path("games.lath").read_text().count("[Game")) == (0, 1)


def test_what_appends_edits_or_makes_a_folder_leaves_what_is_there_as_it_is() -> None:
    with copied_home() as home:
        split = Writer("select games.lath --split round -o OUT")
        assert typed(split, "parts").status == 0
        Path("new").mkdir()
        Path("new/mybot.py").write_text("mine")
        before = tree_of(home)
        for line in (
            "edit cup/games.lath --set Event=x",
            "play yavalath --bot random -o cup/games.lath",
            "select games.lath --split round -o cup",
            "select games.lath --split round -o parts",
            "report cup --site cup",
            "report cup --owner greedy -o cup",
            "report --copy-templates cup",
            "init cup",
            "init new",
            "init --game cup/hexline",
            "check cup --sound cup",
            "puzzles make yavalath -n 1 -o cup/games.lath",
        ):
            ran = typed(Writer(line), "")
            assert ran.status in (1, 2), line
            assert tree_of(home) == before, line
        assert ": already exists\nhint: --force replaces it" in typed(split, "parts").err
        assert typed(split, "parts", "--force").status == 0


ANALYZE: Final = "analyze short.lath --bot greedy --nodes 5 -o out.lath"

BESIDE: Final[Mapping[str, str]] = {
    "check games.lath --index": "games.lath.idx",
    "edit games.lath --set Event=x": "games.lath.bak",
    ANALYZE: "out.lath.analysis",
    "convert games.lath more.duckdb": "more.duckdb",
    "report games.lath -o page.html --base-url https://example.org": "page.png",
}
"""By a command, what it writes that nobody names, or that is not written at once."""


def test_what_lies_where_a_command_writes_something_of_its_own_stays() -> None:
    with copied_home() as home:
        database = Path("cup/tournament.db").read_bytes()
        kinds = [(line, FOREIGN[kind]) for line in BESIDE for kind in ("words", "a database")]
        for line, data in (*kinds, (ANALYZE, database)):
            lies = Path(BESIDE[line])
            lies.write_bytes(data)
            before = tree_of(home)
            ran = typed(Writer(line), "")
            assert (ran.status, BESIDE[line] in ran.err) == (2, True), (line, ran.err)
            assert ("it has other tables" in ran.err) == (data is database)
            after = tree_of(home)
            assert {path: after.get(path) for path in before} == before, line
            lies.unlink()


def test_an_answer_that_was_damaged_is_asked_again(tmp_path: Path) -> None:
    file, told = tmp_path / "out.lath.analysis", Solved(value="win", plies=1, line=(Move("e5"),))
    with closing(AnswerCache(file)) as kept:
        kept.put("asked", told)
        assert kept.get("asked") == told
    with closing(sqlite3.connect(file)) as database:
        (text,) = database.execute("select told from exact").fetchone()
        assert text.count("win") == 1
        database.execute("update exact set told = ?", (text.replace("win", "loss"),))
        database.commit()
    with closing(AnswerCache(file)) as kept:
        assert kept.get("asked") is None


# Kills


@pytest.mark.parametrize(
    ("name", "most"), {"select": 99, "report -o": 3, "convert to csv": 99}.items()
)
def test_a_killed_command_leaves_the_old_file_or_the_new_one(name: str, most: int) -> None:
    kill(FILES[name], most=most)


@every_folder
def test_a_killed_command_leaves_a_whole_folder_or_none(name: str) -> None:
    kill(FOLDERS[name], most=3)


def kill(writer: Writer, *, most: int = 10**9) -> None:
    """Kill a command before each of its changes to files, or before some, and do it again."""
    with copied_home() as home:
        start = tree_of(home)
        assert typed(writer, writer.name).status == 0
        whole = tree_of(home)
    assert not any(map(is_half, whole))
    with copied_home():
        steps = changes_in(lambda: typed(writer, writer.name))
    assert steps
    for number in range(1, steps + 1, max(1, steps // most)):
        with copied_home() as home:
            assert killed_at(number, lambda: typed(writer, writer.name))
            left = {path: data for path, data in tree_of(home).items() if not is_half(path)}
            assert sorted(left) in (sorted(start), sorted(whole)), f"killed before {number}"
            assert all(left[path] == start[path] for path in start), "others stay"
            again = typed(writer, writer.name)
            assert again.status == (2 if len(left) > len(start) and _refuses(writer) else 0)
            assert sorted(tree_of(home)) == sorted(whole), f"killed before {number}"


def _refuses(writer: Writer) -> bool:
    """Return whether a command writes over nothing, not even what it has written."""
    return writer.line.startswith(("check", "select games.lath --split"))


def test_an_edit_that_is_killed_leaves_the_file_and_nothing_half() -> None:
    writer = Writer("edit games.lath --set Event=Cup")
    with copied_home() as home:
        start = tree_of(home)
        assert typed(writer, "").status == 0
        whole = tree_of(home)
    number = 0
    while True:
        number += 1
        with copied_home() as home:
            if not killed_at(number, lambda: typed(writer, "")):
                break
            left = tree_of(home)
            assert left["games.lath"] in (start["games.lath"], whole["games.lath"])
            assert left.get("games.lath.bak", start["games.lath"]) == start["games.lath"]
            if left["games.lath"] == start["games.lath"]:
                assert typed(writer, "").status == 0
                assert tree_of(home) == whole, f"killed before {number}"
    assert number > 5


def test_halves_of_the_living_stay(tmp_path: Path) -> None:
    with chdir(tmp_path):
        out, seen = Path("games.lath"), set[str]()

        def pieces() -> Iterator[bytes]:
            remove_halves(tmp_path, out.name)
            seen.update(tree_of(tmp_path))
            yield b"whole"

        write_atomically(out, pieces())
        assert seen == {half_of(out).name}
        dead = (".games.lath.999999999.tmp.lath", ".games.lath.999999999.tmp", ".x.1.tmp-arena")
        mine = (".mine.tmp", ".other.lath.999999999.tmp.lath", "a.tmp-arena")
        for left in (*dead, *mine):
            Path(left).write_text("half")
        remove_halves(tmp_path, out.name)
        assert set(tree_of(tmp_path)) == {out.name, *mine}
