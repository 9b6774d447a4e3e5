"""Files that end too early, at any byte: said once and clearly, and mended where we can."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from commands import arena
from power_cuts import Remembered, put
from recorded_disk import Disk
from results import a_result

from lath.arena.errors import ArenaError
from lath.arena.tournament.database import DATABASE, RECORDS
from lath.arena.tournament.sources import records_of
from lath.arena.tournament.store import Store
from lath.reports.standings import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
        assert f"{whole + 1} records: {whole} sound, 1 bad" in ran.err


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
