"""Directories that former versions have left, finished, stopped and killed, are still theirs.

They are real ones: `left_directories` says how they were played. Runs go on with them as that
version would have; of those of 0.2.0 all that it was asked is answered as it was.
"""

from __future__ import annotations

import json
import sqlite3
import tarfile
from contextlib import closing, nullcontext
from functools import cache
from pathlib import Path
from typing import Final

import commands
import pytest
from left_directories import ARCHIVES, ASKED, FORMATS, TODAY, Cup
from quick_runs import play_here, play_nothing
from results import finished
from scripted import Bundled, scripted

from lath.arena.directory import DATABASE
from lath.arena.errors import DamagedError
from lath.arena.tournament.outcome.sources import background_of, records_of
from lath.arena.tournament.store.store import Store
from lath.notation.record.record import Record
from lath.notation.rules.reading import read

pytestmark = pytest.mark.slow

PLAYED: Final = {
    "round-robin": 8,
    "begun": 0,
    "swiss": 6,
    "knockout": 4,
    "gauntlet": 4,
    "match": 4,
    "openings": 4,
    "mishaps": 8,
    "alike": 2,
    "finished": 8,
    "walkovers": 6,
}
"""Stored games, by directory."""

KILLED: Final = ("round-robin", "begun")

OVER: Final = ("finished", "walkovers")
"""Where nothing was left to play."""


@cache
def files(version: str) -> dict[str, bytes]:
    """Return what is in the archive of a version, by path."""
    with tarfile.open(ARCHIVES / f"{version}.tar.xz") as tar:
        members = {entry.name: tar.extractfile(entry) for entry in tar}
        return {name: stream.read() for name, stream in members.items() if stream is not None}


def unpacked(version: str, folder: Path) -> Path:
    """Put the directories into a folder, each as the version has left it."""
    for name, data in files(version).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    config = folder / "openings/tournament.toml"  # the book has moved
    config.write_text(config.read_text().replace("/mnt/cups", str(folder)))
    return folder


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Return where the directories of 0.1.0 are."""
    return unpacked("0.1.0", tmp_path)


@pytest.fixture
def recent(tmp_path: Path) -> Path:
    """Return where the directories of 0.2.0 are, and what it was asked of them."""
    return unpacked("0.2.0", tmp_path)


def played(records: list[Record]) -> list[tuple[object, ...]]:
    """Return what a former run and one of today have in common."""
    tags = ("Number", "Round", "Game", "First", "Second", "Setup", "Position", "Opening", "Seed")
    return [
        (*map(one.tag, tags), *(() if is_timed(one) else (one.result, one.termination, *one.moves)))
        for one in records
    ]


def is_timed(record: Record) -> bool:
    """Return whether the machine may decide how a game ends: a bot has a tenth of a second."""
    return "late" in (record.first, record.second)


BOUNDED: Final = "mishaps"
"""Where a bot may have so much memory: no process of tests is small enough to start it."""


@pytest.mark.parametrize("name", PLAYED)
def test_it_is_read_gone_on_with_rated_and_reported(
    base: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = base / name
    before = list(records_of([out]))
    assert len(before) == PLAYED[name]
    if name in KILLED:
        assert (out / f"{DATABASE}-wal").stat().st_size > 4096
        with closing(Store(out)) as store:
            assert not (out / f"{DATABASE}-wal").exists(), "its log is taken in"
            assert len(finished(store)) == len(list(records_of([out]))) == PLAYED[name]
    later = base / (f"{name}/games.lath" if name in OVER else f"{name}/later.lath")
    expected = list(read(later))
    if name != BOUNDED:
        play_here(monkeypatch)
    ran = commands.arena("run", "--output", out, "-q", "--no-report")
    assert ran.status == 0, ran.err
    assert ran.err == "" or name == "mishaps"
    found = list(records_of([out]))
    after = [record for record in found if isinstance(record, Record)]
    games = min(len(after), len(expected))
    assert games == len(after) == len(expected) or name == "match", "pairs may run beyond its end"
    assert after == found, "none is refused"
    assert played(after)[:games] == played(expected)[:games]
    assert all(record in after for record in before)
    assert list(read(out / "games.lath")) == after
    assert commands.arena("check", out).status == 0
    rated = json.loads(commands.arena("rate", out, "--json").out)
    assert rated["overall"]["games"] == len(after)
    assert rated["outcome"]["verdict"] or name != "match"
    assert "changes" not in rated, "0.1.0 has not noted what it played with"
    reported = commands.arena("report", out, "-o", base / "page.html")
    assert reported.status == 0, reported.err


def test_names_that_differ_in_case_alone_stay_what_they_were_there(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = base / "alike/tournament.toml"
    play_here(monkeypatch)
    for out, status in ((base / "alike", 0), (base / "new", 2)):
        ran = commands.arena("run", config, "--output", out, "-q", "--no-report")
        assert ran.status == status, ran.err
    assert "two bots have the name 'Ant' and 'ant'; expected different names" in ran.err


def test_the_bundled_bots_play_on_there_under_their_new_names(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--output", base / "finished", "--rounds", "2", "-q", "--no-report")
    play_here(monkeypatch)
    with scripted(Bundled):
        ran = commands.arena("run", *words)
    assert ran.status == 0, ran.err
    assert len(list(records_of([base / "finished"]))) == 16


def test_records_with_every_tag_are_what_they_were(base: Path) -> None:
    text = (base / "records.lath").read_text()
    assert commands.arena("check", base / "records.lath").status == 0
    assert commands.arena("edit", "-", stdin=text).out == text, "they are canonical"
    ran = commands.arena("convert", base / "records.lath", base / "now.jsonl")
    assert ran.status == 0, ran.err
    assert (base / "now.jsonl").read_bytes() == (base / "records.jsonl").read_bytes()


def test_its_games_get_checksums_once_they_agree_with_their_records(base: Path) -> None:
    folder = base / "finished"

    def change(question: str) -> None:
        with closing(sqlite3.connect(folder / DATABASE)) as database, database:
            database.execute(question)

    change("UPDATE game SET first = first || 'x' WHERE number = 2")
    with pytest.raises(DamagedError, match=r"game 2: its first is '.*x', and '.*' in its record"):
        Store(folder)
    change("UPDATE game SET first = substr(first, 1, length(first) - 1) WHERE number = 2")
    Store(folder).close()
    change("UPDATE game SET plies = plies + 1 WHERE number = 2")
    with pytest.raises(DamagedError, match="game 2: its checksum does not match"):
        Store(folder)


@pytest.mark.parametrize("name", ["round-robin", "knockout", "alike"])
def test_it_becomes_a_pool_that_loses_no_game(
    base: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    out = base / name
    before, runs = list(records_of([out])), []
    for _ in range(2):
        ran = commands.arena("run", out, "--format", "pool", "-q", "--no-report")
        assert ran.status == 0, ran.err
        runs.append(list(records_of([out])))
    assert all(record in runs[0] for record in before)
    assert runs[1] == runs[0], "nothing is missing"
    assert ran.err == "", "it is a pool, and no other one"
    versions = background_of([out]).versions
    assert [version.name for version in versions] == [version.bot for version in versions]


# 0.2.0


def test_all_that_was_asked_of_them_is_answered_as_it_was(
    recent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(recent)
    monkeypatch.delenv("COLUMNS", raising=False)  # pytest-xdist has set it
    other = []
    for name in TODAY:
        for file, (command, *words) in ASKED.items():
            answer = files("0.2.0")[f"answers/{name}/{file}"].decode()
            if commands.arena(command, name, *words).out != answer:
                other.append((name, file))
        records = f"{name}/games.lath" if TODAY[name].ends is None else f"{name}/later.lath"
        for suffix in FORMATS:
            path = f"answers/{name}/games.{suffix}"
            more = ["--positions"] if "positions" in suffix else []
            commands.arena("convert", records, f"now.{suffix}", "-q", "--force", *more)
            if (recent / f"now.{suffix}").read_bytes() != files("0.2.0")[path]:
                other.append((name, suffix))
    assert other == []


@pytest.mark.parametrize(("name", "cup"), TODAY.items(), ids=TODAY)
def test_what_was_stopped_is_gone_on_with(
    recent: Path, name: str, cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list(records_of([recent / name]))
    place = ("--output", recent / name) if cup.bots else (recent / name,)
    more = ("--no-report",) if cup.words[0] == "run" else ()
    if name != BOUNDED:
        play_here(monkeypatch)
    with scripted(Bundled) if name == "tuning" else nullcontext():
        ran = commands.arena(cup.words[0], *place, "-q", *more)
    assert ran.status in ((0,) if cup.bots else (10, 11, 12)), ran.err
    after = [record for record in records_of([recent / name]) if isinstance(record, Record)]
    assert all(record in after for record in before)
    expected = list(read(recent / name / ("games.lath" if cup.ends is None else "later.lath")))
    games = min(len(after), len(expected))
    assert games == len(after) == len(expected) or name == "match", "pairs may run beyond its end"
    assert played(after)[:games] == played(expected)[:games]
