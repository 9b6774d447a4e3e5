"""`arena check` on several files, of which some cannot be read: the others are checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from commands import arena

if TYPE_CHECKING:
    from pathlib import Path

GOOD = '[Game "yavalath"]\n\n1. e5 2. swap 3. d4 *\n'
ILLEGAL = '[Game "yavalath"]\n\n1. e5 2. e5 *\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in a folder with a good file, a bad one, a damaged archive and one of another format."""
    (tmp_path / "good.lath").write_text(GOOD)
    (tmp_path / "bad.lath").write_text(ILLEGAL)
    (tmp_path / "cut.lath.gz").write_bytes(b"\x1f\x8b\x08junk")
    (tmp_path / "other.sgf").write_text("(;)")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("unreadable", ["missing.lath", "cut.lath.gz", "other.sgf", "empty"])
def test_a_file_that_cannot_be_read_is_named_and_the_others_are_checked(unreadable: str) -> None:
    for place in range(3):
        files = ["good.lath", "bad.lath"]
        files.insert(place, unreadable)
        ran = arena("check", *files)
        assert ran.status == 2
        assert "bad.lath:3:10: error[illegal-move]" in ran.out
        assert re.findall(r"^arena: ([a-z.]+)", ran.err, re.MULTILINE) == [unreadable]
        assert "2 records: 1 sound, 1 bad (1 problem)" in ran.err


@pytest.mark.usefixtures("folder")
def test_where_nothing_could_be_read_nothing_is_counted() -> None:
    ran = arena("check", "-q", "one", "good.lath", "two")
    assert (ran.status, ran.out) == (2, "")
    assert [line.split()[1] for line in ran.err.splitlines()] == ["one", "two"]
    ran = arena("check", "one", "two")
    assert ran.status == 2
    assert "records" not in ran.err
