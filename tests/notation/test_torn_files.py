"""Files are written whole or not at all; what ends too early is told once, or mended."""

from __future__ import annotations

import errno
import itertools
import os
import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from commands import arena
from power_cuts import Remembered, put
from recorded_disk import Disk, Step
from recorded_files import Recorder
from results import a_result

from lath.arena.directory import DATABASE, RECORDS
from lath.arena.errors import ArenaError, DiskError, StoreError
from lath.arena.tournament.outcome.sources import records_of
from lath.arena.tournament.store.exports import write_records
from lath.arena.tournament.store.store import Store
from lath.games.errors import count_of
from lath.notation.files.files import open_bytes, write_atomically
from lath.reports.counting.standings import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from golden import Golden


RECORD: Final = """\
[Game "yavalath"]
[First "ann"]
[Second "bob"]
[Number "{number}"]
[Termination "resignation"]
[Result "0-1"]

1. e5 2. swap 3. d4 0-1
"""
ENDED: Final[dict[str, Any]] = {"result": "0-1", "termination": "resignation"}
NUMBERS: Final = (1, 2, 3)
TEXT: Final = "\n".join(RECORD.format(number=number) for number in NUMBERS)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give a store of three short games."""
    with closing(Store(tmp_path)) as store:
        store.add(
            [a_result(number, record=RECORD.format(number=number), **ENDED) for number in NUMBERS]
        )
        yield store


@pytest.fixture
def every() -> int:
    """One place in so many at which a file is cut; `make soak` calls these tests with 1."""
    return 17


def test_games_lath_that_is_cut_at_any_byte_is_written_whole_again(
    store: Store, every: int
) -> None:
    path = store.folder / RECORDS
    for cut in range(0, len(TEXT), every):
        path.write_text(TEXT[:cut])
        store.export()
        assert path.read_text() == TEXT


ENDS: Final = [place + len(" 0-1") for place in range(len(TEXT)) if TEXT.startswith(" 0-1", place)]
"""Where the records end."""


def read(path: Path) -> tuple[list[str | None], str]:
    """Return the numbers of the records of a file, and what is wrong with it."""
    numbers: list[str | None] = []
    try:
        for record in records_of([path], rules=False):
            if isinstance(record, Refused):
                return numbers, f"{record.where}: {record.why} ({record.kind})"
            numbers.append(record.tag("Number"))
    except ArenaError as error:
        return numbers, str(error)
    return numbers, ""


def test_records_that_are_cut_at_any_byte_are_whole_ones_and_at_most_one_error(
    tmp_path: Path, every: int
) -> None:
    path = tmp_path / RECORDS
    for cut in [*range(0, len(TEXT), every), len(TEXT)]:
        path.write_text(TEXT[:cut])
        whole = sum(end <= cut for end in ENDS)
        rest = TEXT[ENDS[whole - 1] if whole else 0 : cut].strip()
        whole -= bool(whole) and rest == "["  # that alone begins no record: it ends one badly
        numbers, error = read(path)
        assert numbers == [str(number) for number in NUMBERS[:whole]]
        assert bool(rest) == bool(error)
        if error:
            assert error.startswith(f"{path}:")
            assert "(syntax)" in error


def test_arena_check_counts_the_whole_records_of_a_torn_file_and_names_one_problem(
    tmp_path: Path,
) -> None:
    for cut in range(1, len(TEXT), 61):
        (tmp_path / RECORDS).write_text(TEXT[:cut])
        ran = arena("check", tmp_path / RECORDS)
        whole = TEXT[:cut].count(" 0-1")
        assert (ran.status, ran.out.count("error[")) == (1, 1)
        assert f"{count_of(whole + 1, 'record')}: {whole} valid, 1 invalid" in ran.out


class Killed(NamedTuple):
    """What a run that was killed leaves, and the games in it."""

    files: dict[str, bytes]
    rows: dict[int, Any]


JOURNAL: Final = f"{DATABASE}-journal"
GROUPS: Final = [range(number, number + 2) for number in range(1, 7, 2)]


def rows_of(store: Store) -> dict[int, Any]:
    """Return each stored game, by its number."""
    return {game.number: (game, store.seats(game.number)) for game in store.results()}


@pytest.fixture
def killed(tmp_path: Path) -> Killed:
    """Return what a run of three transactions leaves that is killed after them."""
    with closing(Store(tmp_path)) as store:
        for numbers in GROUPS:
            store.add([a_result(number) for number in numbers])
        files = {name: (tmp_path / name).read_bytes() for name in (DATABASE, JOURNAL)}
        return Killed(files, rows_of(store))


def opened(folder: Path, files: dict[str, bytes]) -> dict[int, Any]:
    """Return the games that a store finds in these files, which are sound."""
    put(files, folder)
    with closing(Store(folder)) as store:
        rows = rows_of(store)
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    shutil.rmtree(folder)
    return rows


def test_a_journal_that_is_cut_or_has_a_wrong_bit_after_a_kill_costs_no_game(
    tmp_path: Path, killed: Killed, every: int
) -> None:
    journal, chance = killed.files[JOURNAL], random.Random(1)
    assert len(journal) > 4096
    harmed = [journal[:cut] for cut in range(0, len(journal), 31 * every)]
    for _ in range(200 // every):
        flipped = bytearray(journal)
        flipped[chance.randrange(len(journal))] ^= 1 << chance.randrange(8)
        harmed.append(bytes(flipped))
    for each in harmed:
        assert opened(tmp_path / "a", {**killed.files, JOURNAL: each}) == killed.rows


def test_a_kill_at_any_step_leaves_the_games_of_the_first_transactions(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    remembered = Remembered()
    found = []
    with Disk() as disk:
        store = Store(tmp_path / "a", connect=disk.connect)
        for numbers in GROUPS:
            store.add([a_result(number) for number in numbers])
            disk.keep(numbers)
        whole = rows_of(store)
        store.close()
    for step in disk.steps:
        remembered.do(step)
        rows = opened(tmp_path / "b", remembered.as_told())
        assert rows == {number: whole[number] for number in rows}
        assert remembered.promised <= rows.keys()
        found.append(len(rows))
    assert found == sorted(found), "what was there is gone"
    assert set(found) == {2 * place for place in range(len(GROUPS) + 1)}


OLD: Final = b"old " * 700
PIECES: Final = [random.Random(number).randbytes(12_000) for number in range(7)]
NEW: Final = b"".join(PIECES)

every_suffix = pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])


def content(path: Path) -> bytes:
    """Return what a file holds, decompressed."""
    with open_bytes(path) as stream:
        return stream.read()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give an empty folder."""
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def steps_of(folder: Path, name: str) -> list[Step]:
    """Return what the system is asked when a file is written that is there already."""
    write_atomically(folder / name, [OLD])
    with pytest.MonkeyPatch.context() as patch:
        recorder = Recorder(folder, patch)
        write_atomically(folder / name, PIECES)
    assert content(folder / name) == NEW
    return recorder.steps


@every_suffix
def test_data_is_synced_before_the_file_gets_its_name_and_each_step_may_fail(
    suffix: str, folder: Path
) -> None:
    path = folder / f"games.lath{suffix}"
    kinds = [step.kind for step in steps_of(folder, path.name)]
    assert kinds[:2] == ["open", "write"]
    assert set(kinds[1:-3]) == {"write"}
    assert kinds[-3:] == ["sync", "rename", "sync folder"]
    for failing, number in itertools.product(range(1, len(kinds) + 1), (errno.ENOSPC, errno.EIO)):
        write_atomically(path, [OLD])
        with pytest.MonkeyPatch.context() as patch:
            recorder = Recorder(folder, patch)
            recorder.refusal = nth(failing, number)
            with pytest.raises(OSError, match=os.strerror(number)):
                write_atomically(path, PIECES)
        was_renamed = any(step.kind == "rename" for step in recorder.steps)
        assert content(path) == (NEW if was_renamed else OLD)
        assert list(folder.iterdir()) == [path], "a temporary file is left"


def nth(failing: int, number: int) -> Callable[[Step], OSError | None]:
    """Return a refusal of the n-th step, from 1, and of no other."""
    counted = itertools.count(1)
    return lambda _: OSError(number, os.strerror(number)) if next(counted) == failing else None


def test_a_system_that_takes_few_bytes_at_once_gets_all_of_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Recorder(folder, monkeypatch).most = 1000
    write_atomically(folder / "games.lath", PIECES)
    assert (folder / "games.lath").read_bytes() == NEW


def test_a_temporary_file_that_cannot_be_removed_does_not_hide_what_went_wrong(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **_more: object) -> None:
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(os, "unlink", refuse)
    Recorder(folder, monkeypatch).refusal = nth(2, errno.ENOSPC)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(folder / "games.lath", PIECES)


def test_a_name_may_be_as_long_as_a_system_takes_and_permissions_stay(folder: Path) -> None:
    path = folder / f"{'n' * 250}.lath"
    path.write_bytes(OLD)
    path.chmod(0o640)
    write_atomically(path, PIECES)
    assert content(path) == NEW
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(folder.iterdir()) == [path]
    with pytest.raises(FileNotFoundError) as refusal:
        write_atomically(folder / "none" / "games.lath", PIECES)
    assert refusal.value.filename == str(folder / "none" / "games.lath")


def test_why_records_cannot_be_written_is_told_in_one_sentence(
    folder: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, said = Recorder(folder, monkeypatch), []
    for number, kind, is_full in (
        (errno.ENOSPC, DiskError, True),
        (errno.EDQUOT, DiskError, True),
        (errno.EIO, DiskError, False),
        (errno.EACCES, StoreError, None),
    ):
        recorder.refusal = nth(2, number)
        with pytest.raises(StoreError) as caught:
            write_records(folder / "games.lath", ["a record\n"])
        assert type(caught.value) is kind
        assert getattr(caught.value, "is_full", None) is is_full
        said.append(str(caught.value))
    golden("\n".join(said))


def test_files_that_cannot_be_read_are_named_and_the_others_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.lath").write_text('[Game "yavalath"]\n\n1. e5 2. swap 3. d4 *\n')
    Path("bad.lath").write_text('[Game "yavalath"]\n\n1. e5 2. e5 *\n')
    Path("cut.lath.gz").write_bytes(b"\x1f\x8b\x08junk")
    Path("other.sgf").write_text("(;)")
    Path("empty").mkdir()
    named = re.compile(r"^error: ([a-z.]+)", re.MULTILINE)
    for unreadable in ("missing.lath", "cut.lath.gz", "other.sgf", "empty"):
        for place in range(3):
            files = ["good.lath", "bad.lath"]
            files.insert(place, unreadable)
            ran = arena("check", *files)
            assert (ran.status, named.findall(ran.err)) == (2, [unreadable])
            assert "bad.lath:3:10: error[illegal-move]" in ran.out
            assert "2 records: 1 valid, 1 invalid (1 problem)" in ran.out
    ran = arena("check", "one", "two")
    assert (ran.status, ran.out, named.findall(ran.err)) == (2, "", ["one", "two"])
    assert "records" not in ran.err, "nothing is counted"
