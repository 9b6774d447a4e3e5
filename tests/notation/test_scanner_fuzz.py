"""The fast paths say what Lark and the rules say of every text; a planted difference is found.

`make mutants` plants many more.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from reading_campaign import (
    SOURCES,
    DifferenceError,
    by_lark,
    campaign,
    content_of,
    rule_made,
    together,
    totals,
)

from lath import games
from lath.notation import Record, quick_check, reader, scanner, validation
from lath.notation.reader import Chunk
from lath.notation.record import record_as_read
from lath.notation.validation import validate

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

CASES: Final = 450


@pytest.mark.parametrize("source", SOURCES)
def test_the_fast_paths_say_what_the_slow_ones_do(source: str) -> None:
    counts = campaign(source, CASES)
    assert 0 < counts.refused < counts.texts
    assert 0 < counts.told <= min(counts.sound, counts.scanned)
    assert counts.in_files > 0


def test_several_processes_find_what_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "games.lath"
    content = content_of(rule_made(80, 3), Random(3))
    file.write_bytes(content)
    monkeypatch.setattr(reader, "_BLOCK", 4_000)  # as if it were a file of megabytes
    parts = list(validate(file, jobs=2))
    assert list(reader.entries(file, jobs=2)) == by_lark(content, str(file))
    assert len(parts) > 3
    assert together(parts) == totals(by_lark(content, str(file)))


def test_a_plain_record_ends_in_a_result(tmp_path: Path) -> None:
    file = tmp_path / "games.lath"
    for word, bad in (("1-0", 0), ("1/2", 1), ("2.", 1), ("d4", 1)):
        file.write_text(f'[Game "yavalath"]\n[Termination "time"]\n\n1. e5 {word}\n')
        (found,) = validate(file)
        assert found.bad == bad
    assert quick_check.plain_plies([file.read_text().replace("d4", "1-0")]) == [1]


def test_several_processes_read_the_lines_of_windows(tmp_path: Path) -> None:
    file = tmp_path / "games.lath"
    text = '[Game "yavalath"]\n[Termination "agreement"]\n\n1. e5 2. d4\n3. e4 1/2-1/2\n\n'
    for end in ("\n", "\r\n", "\t\n"):
        head, _, moves = text.partition("\n\n")
        file.write_bytes(f"{head}\n\n{moves.replace(chr(10), end, 1)}".encode() * 9)
        found = list(reader.entries(file, jobs=2))
        assert found == list(reader.entries(file))
        assert {entry.record and entry.record.moves for entry in found} == {("e5", "d4", "e4")}


def record_without_its_last_ply(text: str) -> Record | None:
    record = scanner.scan(text)
    return record and record_as_read(record.tags, record.plies[:-1], record.result, record.comments)


KIND: Final[Any] = type(games.get("yavalath").start())
AFTER: Final = KIND.after
SOUND_PLIES: Final = quick_check.sound_plies
FAULTS: Final[dict[str, tuple[object, str, object]]] = {
    "escapes are not read": (scanner, "unquoted", lambda text: text[1:-1]),
    "the reader forgets a ply": (reader, "scan", record_without_its_last_ply),
    "a ply too many is counted": (
        *(validation, "sound_plies"),
        lambda text: (SOUND_PLIES(text) or -1) + 1 or None,
    ),
    "what is not plain is a line further": (
        *(validation, "Chunk"),
        lambda line, data, offset: Chunk(line + 1, data, offset),
    ),
    "a game forgets taken cells": (
        *(KIND, "after"),
        lambda position, moves: AFTER(position, list(dict.fromkeys(moves))),
    ),
    "a game does not look at the last move": (
        *(KIND, "after"),
        lambda position, moves: AFTER(position, moves) or AFTER(position, moves[:-1]),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, value = FAULTS[fault]
    monkeypatch.setattr(module, name, value)
    scanner.cut.cache_clear()
    with pytest.raises(DifferenceError):
        campaign("mutants", 20 * CASES)
