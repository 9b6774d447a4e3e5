"""Record N of a file: the same as by reading up to it, without reading up to it."""

from __future__ import annotations

import gzip
import io
import os
import random
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st
from record_texts import PIECES, SEED_FILE, mutant
from sample_records import BUILT_IN, random_game

from lath import notation
from lath.notation import (
    NoIndexError,
    RecordError,
    StaleIndexWarning,
    open_records,
    write,
    write_index,
)
from lath.notation.archive import index
from lath.notation.files import frames

if TYPE_CHECKING:
    from golden import Golden

GAMES = [random_game(game, seed) for seed in range(8) for game in BUILT_IN]


PROC = Path("/proc/self/io")
MANY = [notation.retag(GAMES[at % len(GAMES)], {"Number": str(at + 1)}) for at in range(900)]
"""Records that can be told apart."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.lath"
    write(path, MANY)
    return path


def bytes_read(records: index.Records, place: int) -> int:
    """Return how many bytes this process reads for a record, which is the right one."""
    read = re.compile(r"rchar: (\d+)")
    before, found, after = PROC.read_text(), records[place], PROC.read_text()
    assert found == MANY[place]
    return int(read.findall(after)[0]) - int(read.findall(before)[0])


def test_any_record_is_read_alone(file: Path) -> None:
    assert write_index(file) == file.with_name("games.lath.idx")
    with open_records(file) as records:
        assert records.has_index
        assert len(records) == len(MANY)
        for place in (0, 899, 450, -1, 451, 17):
            assert records[place] == MANY[place]
        assert records[880:] == MANY[880:]
        assert records[5:800:300] == MANY[5:800:300]
        assert list(records) == MANY
        with pytest.raises(IndexError):
            records[900]


@pytest.mark.skipif(not PROC.exists(), reason="needs /proc")
def test_an_index_is_small_and_spares_the_bytes_before_a_record(file: Path) -> None:
    size = file.stat().st_size
    assert size > 4 << 16
    assert write_index(file).stat().st_size < size // 500
    with open_records(file) as records:
        bytes_read(records, 0)  # what is imported then is read, too
        assert bytes_read(records, 800) < 2 << 16
        assert bytes_read(records, 801) < 2 << 13, "neighbours are read together"


def test_zstandard_of_ours_has_its_index_inside(tmp_path: Path) -> None:
    file = tmp_path / "games.lath.zst"
    write(file, MANY)
    assert write_index(file) == file
    with open_records(file) as records:
        assert (records.has_index, records.is_random) == (True, True)
        if PROC.exists():
            bytes_read(records, 0)
            assert bytes_read(records, 300) < file.stat().st_size // 2
        assert records[-1] == MANY[-1]
    assert zstd.decompress(file.read_bytes()).decode() == "".join(notation.format_records(MANY))
    assert list(notation.read(file)) == MANY


def test_what_can_only_be_read_from_its_beginning_is_read_so(tmp_path: Path) -> None:
    text = "".join(notation.format_records(MANY[:40])).encode()
    for suffix, data in (("gz", gzip.compress(text)), ("zst", zstd.compress(text))):
        file = tmp_path / f"games.lath.{suffix}"
        file.write_bytes(data)
        with pytest.raises(NoIndexError, match=r"expected text, or a \.zst"):
            write_index(file)
        with open_records(file) as records:
            assert (records.has_index, records.is_random) == (False, False)
            assert [records[30], records[3]] == [MANY[30], MANY[3]]
            assert len(records) == 40


def replaced_in_place(file: Path) -> None:
    """Change one byte and nothing that the folder tells of."""
    about = file.stat()
    data = file.read_bytes()
    file.write_bytes(data[:100] + b"#" + data[101:])
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))


def appended(file: Path) -> None:
    with file.open("ab") as stream:
        stream.write(b'\n[Game "yavalath"]\n\n1. a1 *\n')


def damaged_index(file: Path) -> None:
    beside = Path(f"{file}.idx")
    beside.write_bytes(beside.read_bytes()[:-30])


def test_an_index_of_another_state_is_not_used_and_it_is_said(file: Path, golden: Golden) -> None:
    said = {}
    for change in (replaced_in_place, os.utime, appended, damaged_index):
        write(file, MANY)
        os.utime(file, ns=(0, 0))
        write_index(file)
        change(file)
        with pytest.warns(StaleIndexWarning) as warned:
            records = open_records(file)
        said[change.__name__] = str(warned[0].message)
        with records:
            assert not records.has_index
            assert records[899] == MANY[899]
        write_index(file)
        with open_records(file) as records:
            assert records.has_index
    golden(said)


@pytest.mark.filterwarnings("ignore::lath.notation.StaleIndexWarning")
@pytest.mark.parametrize("suffix", ["lath", "lath.zst", "lath.gz"])
def test_damage_is_found_or_does_not_matter(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"games.{suffix}"
    write(file, MANY[:30])
    harmed = write_index(file) if suffix == "lath" else file
    sound = harmed.read_bytes()
    for seed in range(40):
        chance = random.Random(seed)
        data = bytearray(sound)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        harmed.write_bytes(data[: chance.choice((len(data), chance.randrange(1, len(data))))])
        with suppress(OSError), open_records(file) as records:
            assert records[:] == MANY[:30]


def test_a_dash_is_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    write("-", GAMES[:2])
    assert capfdbinary.readouterr().out == "".join(notation.format_records(GAMES[:2])).encode()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(OSError, match="it is closed"):
        write("-", GAMES[:2])


def test_going_through_is_of_the_file_that_was_opened(file: Path) -> None:
    with open_records(file) as records:
        assert records[0] == MANY[0]
        appended(file)
        with pytest.raises(OSError, match="changed since it was opened"):
            records[0]
    write(file, MANY)
    with open_records(file) as records:
        before = list(records)
        write(file, GAMES[:3])  # another file of this name
        assert records[5] == before[5]
        with pytest.raises(OSError, match="it was replaced since it was opened"):
            list(records)
    with pytest.raises(ValueError, match="closed"):
        list(records)
    with open_records(file) as records:
        going = iter(records)
        next(going)
        appended(file)
        with pytest.raises(OSError, match="it has changed since it was opened"):
            list(going)


@pytest.mark.parametrize("suffix", ["", ".zst"])
def test_threads_may_share_the_records_of_a_file(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"games.lath{suffix}"
    write(file, MANY[:600])
    places = [random.Random(seed).sample(range(600), 60) for seed in range(4)]
    with open_records(file) as records, ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda mine: [records[place] for place in mine], places))
    assert found == [[MANY[place] for place in mine] for mine in places]


def test_what_is_no_record_has_its_number_and_line(tmp_path: Path) -> None:
    file = tmp_path / "games.lath"
    good, bad = '[Game "yavalath"]\n\n1. e5 *\n', "[Game]\n\n1. e5 *\n"
    file.write_text(f'{good}\n{bad}\n[Game "surikata"]\n\n1. Mc3 *\n', encoding="utf-8")
    with open_records(file) as records:
        assert len(records) == 3
        assert records[2].game == "surikata"
        with pytest.raises(RecordError) as caught:
            records[1]
        for place in 3, -4:
            with pytest.raises(IndexError, match=f"record {place} does not exist: .* has 3,"):
                records[place]
    problem = caught.value.problem
    assert (problem.record, problem.line) == (2, 5)


def test_a_pipe_and_a_folder_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="Illegal seek"):
        open_records(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError):
        open_records(tmp_path)


def agrees(content: bytes, file: Path) -> None:
    """Assert that each entry is the same whether it is read alone or after all others."""
    file.write_bytes(content)
    expected = list(notation.entries(file, rules=False))
    for group in (1, 1 << 16):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(index, "_GROUP", group)
            write_index(file)
        with open_records(file) as records:
            assert len(records) == len(expected)
            assert [records.entry(place) for place in range(len(expected))][::-1] == expected[::-1]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join))
def test_of_any_signs_of_the_notation_entries_are_those_of_reading(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.mktemp("any") / "games.lath"
    agrees(content, file)
    agrees(b'[Game "yavalath"]\n\n' + content + b' *\n\n[Game "surikata"]\n\n*\n', file)


def test_of_a_file_with_a_few_bytes_changed_entries_are_those_of_reading(tmp_path: Path) -> None:
    for seed in range(12):
        content = mutant(SEED_FILE, SEED_FILE, random.Random(seed)).encode()
        agrees(content, tmp_path / "games.lath")


def test_joined_files_have_no_table_and_are_read_from_the_beginning(tmp_path: Path) -> None:
    one, both = tmp_path / "one.lath.zst", tmp_path / "both.lath.zst"
    write(one, MANY[:5])
    both.write_bytes(one.read_bytes() * 2)
    with open_records(both) as records:
        assert not records.is_random
        assert len(records) == 10
        assert records[7] == MANY[2]


@given(st.lists(st.integers(0, 2000), max_size=6), st.lists(st.integers(0, 9000), max_size=9))
def test_frames_hold_what_was_written_at_every_place(sizes: list[int], places: list[int]) -> None:
    blocks = [random.Random(size).randbytes(size) for size in sizes]
    file = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frames, "FRAME", 700)
        with frames.FramesWriter(file) as writer:
            writer.writelines(blocks)
            writer.note(b"what this is")
            writer.finish()
    content = b"".join(blocks)
    table = frames.table_of(file)
    assert table is not None
    read = frames.Frames(file, table)
    assert (read.note(), read.size) == (b"what this is", len(content))
    stream = io.BufferedReader(read)
    for place in places:
        stream.seek(place)
        assert stream.read(900) == content[place : place + 900]
    assert zstd.decompress(file.getvalue()) == content
