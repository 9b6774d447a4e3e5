"""Files that end too early, at any byte: said once and clearly, and mended where we can."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from commands import arena
from results import a_result

from lath.arena.errors import ArenaError
from lath.arena.tournament.sources import records_of
from lath.arena.tournament.store import DATABASE, RECORDS, Store

RECORD: Final = """\
[Game "yavalath"]
[First "ann"]
[Second "bob"]
[Number "{number}"]
[Termination "resignation"]
[Result "0-1"]

1. e5 2. swap 3. d4 0-1
"""
NUMBERS: Final = (1, 2, 3)
TEXT: Final = "\n".join(RECORD.format(number=number) for number in NUMBERS)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give a store of three short games."""
    with closing(Store(tmp_path)) as store:
        store.add([a_result(number, record=RECORD.format(number=number)) for number in NUMBERS])
        yield store


def test_games_lath_that_is_cut_at_any_byte_is_written_whole_again(store: Store) -> None:
    path = store.folder / RECORDS
    for cut in range(len(TEXT)):
        path.write_text(TEXT[:cut])
        store.export()
        assert path.read_text() == TEXT


ENDS: Final = [place + len(" 0-1") for place in range(len(TEXT)) if TEXT.startswith(" 0-1", place)]
"""Where the records end."""


def read(path: Path) -> tuple[list[str | None], str]:
    """Return the numbers of the records of a file, and what is wrong with it."""
    numbers: list[str | None] = []
    try:
        numbers.extend(record.tag("Number") for record in records_of([path]))
    except ArenaError as error:
        return numbers, str(error)
    return numbers, ""


def test_records_that_are_cut_at_any_byte_are_whole_ones_and_at_most_one_error(
    tmp_path: Path,
) -> None:
    path = tmp_path / RECORDS
    for cut in range(len(TEXT) + 1):
        path.write_text(TEXT[:cut])
        whole = sum(end <= cut for end in ENDS)
        rest = TEXT[ENDS[whole - 1] if whole else 0 : cut].strip()
        whole -= bool(whole) and rest == "["  # that alone begins no record: it ends one badly
        numbers, error = read(path)
        assert numbers == [str(number) for number in NUMBERS[:whole]]
        assert bool(rest) == bool(error)
        if error:
            assert error.startswith(f"{path}:")
            assert "error[syntax]" in error
            assert f"(record {whole + 1})" in error


@pytest.mark.parametrize("cut", range(1, len(TEXT), 23))
def test_arena_check_counts_the_whole_records_of_a_torn_file_and_names_one_problem(
    cut: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(RECORDS).write_text(TEXT[:cut])
    ran = arena("check", RECORDS)
    whole = TEXT[:cut].count(" 0-1")
    assert ran.status == 1
    assert ran.out.count("error[") == 1
    assert f"{whole + 1} records: {whole} sound, 1 bad" in ran.err


class Killed(NamedTuple):
    """What a run that was killed leaves, and the games in it."""

    database: bytes
    log: bytes
    rows: dict[int, Any]


GROUPS: Final = [range(number, number + 2) for number in range(1, 17, 2)]


@pytest.fixture
def killed(tmp_path: Path) -> Killed:
    """Return what a run of eight transactions leaves that is killed in the end."""
    with closing(Store(tmp_path)) as store:
        for numbers in GROUPS:
            store.add([a_result(number) for number in numbers])
        rows = {row[0]: row for row in store._database.execute("SELECT * FROM game")}
        log = (tmp_path / f"{DATABASE}-wal").read_bytes()
        return Killed((tmp_path / DATABASE).read_bytes(), log, rows)


def opened(folder: Path, killed: Killed, log: bytes) -> list[int]:
    """Return the games that a store finds with this log; each must be as it was."""
    folder.mkdir()
    (folder / DATABASE).write_bytes(killed.database)
    (folder / f"{DATABASE}-wal").write_bytes(log)
    with closing(Store(folder)) as store:
        rows = {row[0]: row for row in store._database.execute("SELECT * FROM game")}
        assert store._database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    shutil.rmtree(folder)
    assert rows == {number: killed.rows[number] for number in rows}
    return list(rows)


def prefixes() -> list[list[int]]:
    """Return what may be found: the games of the first transactions."""
    ends = [0, *(numbers[-1] for numbers in GROUPS)]
    return [list(range(1, end + 1)) for end in ends]


def check_cut_logs(folder: Path, killed: Killed, step: int) -> None:
    """Cut the log at every so many bytes; more of it never holds fewer games."""
    cuts = [*range(0, len(killed.log), step), len(killed.log)]
    found = [opened(folder, killed, killed.log[:cut]) for cut in cuts]
    assert [games for games in found if games not in prefixes()] == []
    assert found == sorted(found, key=len), "a longer log has fewer games"
    assert found[0] == []
    assert found[-1] == prefixes()[-1]


def test_a_log_that_is_cut_holds_the_games_of_the_first_transactions(
    tmp_path: Path, killed: Killed
) -> None:
    check_cut_logs(tmp_path / "a", killed, 401)


@pytest.mark.soak
def test_a_log_that_is_cut_at_many_bytes_holds_them_too(tmp_path: Path, killed: Killed) -> None:
    check_cut_logs(tmp_path / "a", killed, int(os.environ.get("LATH_SOAK_STEP", "17")))


def test_a_log_with_a_wrong_byte_holds_the_games_of_the_transactions_before_it(
    tmp_path: Path, killed: Killed
) -> None:
    chance = random.Random(1)
    for _ in range(100):
        log = bytearray(killed.log)
        log[chance.randrange(len(log))] ^= 1 << chance.randrange(8)
        assert opened(tmp_path / "a", killed, bytes(log)) in prefixes()
