"""A file is written whole or not at all, whatever fails, and whenever the power is cut."""

from __future__ import annotations

import errno
import itertools
import os
import random
from typing import TYPE_CHECKING, Final

import pytest
from power_cuts import Remembered
from recorded_disk import Step
from recorded_files import Recorder

from lath.arena.errors import DiskError, StoreError
from lath.arena.tournament.exports import write_records
from lath.notation.files import open_bytes, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from golden import Golden

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


def found_after_cuts(steps: list[Step], name: str) -> Iterator[tuple[bool, bytes | None]]:
    """Yield for cuts at every moment whether all was done by then, and what the file holds."""
    chance = random.Random(1)
    disk = Remembered()
    for step in (Step("open", name), Step("write", name, 0, OLD), Step("sync", name)):
        disk.do(step)
    disk.do(Step("sync folder"))
    for number in range(len(steps) + 1):
        for _ in range(30):
            yield number == len(steps), disk.after_cut(chance).get(name)
        if number < len(steps):
            disk.do(steps[number])


def damage(steps: list[Step], name: str) -> str:
    """Return what power cuts may do to a file: `half` or `old`; empty when all is well."""
    for is_done, found in found_after_cuts(steps, name):
        if found not in (OLD, NEW):
            return "half"
        if is_done and found != NEW:
            return "old"
    return ""


def test_a_power_cut_leaves_the_old_file_or_the_new_one_and_then_the_new_one(folder: Path) -> None:
    steps = steps_of(folder, "games.lath")
    for left_out, found in ("", ""), ("sync", "half"), ("sync folder", "old"):
        done = [step for step in steps if step.kind != left_out]
        assert damage(done, "games.lath") == found, f"without {left_out}"


def test_a_file_that_is_written_in_place_is_half_written_after_a_power_cut(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "games.lath"
    path.write_bytes(OLD)
    recorder = Recorder(folder, monkeypatch)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for piece in PIECES:
        os.write(descriptor, piece)
    os.fsync(descriptor)
    os.close(descriptor)
    assert damage(recorder.steps, "games.lath") == "half"
