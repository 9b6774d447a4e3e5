"""Directories of 0.2.0 are asked, gone on with and converted as 0.2.0 itself has done it.

`left_directories` says how they were played, and what was asked of them.
"""

from __future__ import annotations

import tarfile
from functools import cache
from pathlib import Path
from typing import Final

import commands
import pytest
from left_directories import ARCHIVES, ASKED, FORMATS, TODAY, Cup

from lath.arena.tournament.sources import records_of
from lath.notation.reader import read
from lath.notation.record import Record

pytestmark = pytest.mark.slow

ARCHIVE: Final = ARCHIVES / "0.2.0.tar.xz"


@cache
def files() -> dict[str, bytes]:
    """Return what is in the archive, by path."""
    with tarfile.open(ARCHIVE) as tar:
        members = {entry.name: tar.extractfile(entry) for entry in tar}
        return {name: stream.read() for name, stream in members.items() if stream is not None}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Return where the directories are, each as 0.2.0 has left it."""
    for name, data in files().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    config = tmp_path / "openings/tournament.toml"  # the book has moved
    config.write_text(config.read_text().replace("/mnt/cups", str(tmp_path)))
    return tmp_path


def test_all_that_was_asked_of_them_is_answered_as_it_was(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(base)
    monkeypatch.delenv("COLUMNS", raising=False)  # pytest-xdist has set it
    other = []
    for name in TODAY:
        for file, (command, *words) in ASKED.items():
            answer = files()[f"answers/{name}/{file}"].decode()
            if commands.arena(command, name, *words).out != answer:
                other.append((name, file))
        records = f"{name}/games.lath" if TODAY[name].ends is None else f"{name}/later.lath"
        for suffix in FORMATS:
            path = f"answers/{name}/games.{suffix}"
            more = ["--positions"] if "positions" in suffix else []
            commands.arena("convert", records, f"now.{suffix}", "-q", "--force", *more)
            if path in files() and (base / f"now.{suffix}").read_bytes() != files()[path]:
                other.append((name, suffix))
    assert other == []


def outcome(record: Record) -> tuple[object, ...]:
    """Return what does not depend on the machine."""
    tags = ("Number", "Round", "Game", "First", "Second", "Setup", "Position", "Opening", "Seed")
    return (*map(record.tag, tags), record.result, record.termination, *record.moves)


@pytest.mark.parametrize(("name", "cup"), TODAY.items(), ids=TODAY)
def test_what_was_stopped_is_gone_on_with(base: Path, name: str, cup: Cup) -> None:
    before = list(records_of([base / name]))
    place = ("--out", base / name) if cup.bots else (base / name,)
    more = ("--no-report",) if cup.words[0] == "run" else ()
    ran = commands.arena(cup.words[0], *place, "-q", *more)
    assert ran.status in ((0,) if cup.bots else (10, 11, 12)), ran.err
    after = [record for record in records_of([base / name]) if isinstance(record, Record)]
    assert all(record in after for record in before)
    expected = list(read(base / name / ("games.lath" if cup.ends is None else "later.lath")))
    games = min(len(after), len(expected))
    assert games == len(after) == len(expected) or name == "match", "pairs may run beyond its end"
    if name != "mishaps":  # its bots run out of time
        assert list(map(outcome, after))[:games] == list(map(outcome, expected))[:games]
