"""Files of records: every record and every problem in its place, whatever stands between them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_records import BUILT_IN, random_game

from lath.notation import RecordError, format_record, format_records, read
from lath.notation import reader as pieces_module
from lath.notation.files import write_atomically
from lath.notation.reader import Entry, entries, entries_of

ONE = '[Game "yavalath"]\n\n1. e5 2. swap *\n'
TWO = '[Game "surikata"]\n[Event "second"]\n\n1. Mc3 *\n'
BROKEN = '[Game "yavalath"]\n\n1. e5 2. *swap\n'


def entries_in(text: str | bytes, *, rules: bool = True) -> list[Entry]:
    """Return what stands in a file called f."""
    content = text if isinstance(text, bytes) else text.encode()
    return list(entries_of(io.BytesIO(content), "f", rules=rules))


def moves_of(entry: Entry) -> tuple[str, ...] | None:
    """Return the moves of a record, None for one that could not be read."""
    return None if entry.record is None else entry.record.moves


def moves_in(text: str | bytes) -> list[tuple[str, ...] | None]:
    """Return the moves of each record."""
    return [moves_of(entry) for entry in entries_in(text)]


def places_in(text: str | bytes) -> list[tuple[int, int, int, str]]:
    """Return record, line, column and code of each problem."""
    return [
        (problem.record, problem.line, problem.column, problem.code)
        for entry in entries_in(text)
        for problem in entry.problems
    ]


def test_a_file_without_anything_has_no_records() -> None:
    assert entries_in("") == entries_in("\n \r\n\t\n") == entries_in("\N{BYTE ORDER MARK}") == []


def test_each_record_has_its_number_and_its_line() -> None:
    found = entries_in(f"{ONE}\n{TWO}\n\n\n{ONE}")
    assert [(entry.number, entry.line) for entry in found] == [(1, 1), (2, 5), (3, 12)]
    assert all(entry.problems == () for entry in found)


def test_a_byte_order_mark_is_no_part_of_the_first_record() -> None:
    assert moves_in(f"\N{BYTE ORDER MARK}{ONE}") == [("e5", "swap")]
    assert places_in("\N{BYTE ORDER MARK}[Game 3]\n\n*\n") == [(1, 1, 7, "syntax")]


def test_lines_may_end_in_cr_lf() -> None:
    text = f"{ONE}\n{BROKEN}\n{TWO}"
    assert moves_in(text.replace("\n", "\r\n")) == moves_in(text)
    assert places_in(text.replace("\n", "\r\n")) == places_in(text) == [(2, 7, 10, "syntax")]


def test_a_problem_shows_its_line_without_the_line_end() -> None:
    (entry,) = entries_in(BROKEN.replace("\n", "\r\n"))
    assert entry.problems[0].source == "1. e5 2. *swap"


def test_blanks_in_the_empty_line_do_no_harm() -> None:
    assert moves_in(f"{ONE} \t\r\n{TWO}") == [("e5", "swap"), ("Mc3",)]


def test_an_indented_record_has_its_columns_counted_from_the_start_of_the_line() -> None:
    text = '  [Game 3]\n\n*\n\n\n\t [Game "yavalath"]\n\n  1. e5 2. e5 *\n'
    assert places_in(text) == [(1, 1, 9, "syntax"), (2, 8, 12, "illegal-move")]


def test_a_missing_empty_line_is_named_and_both_records_are_read() -> None:
    found = entries_in(ONE + TWO)
    assert [moves_of(entry) for entry in found] == [None, ("Mc3",)]
    ((problem,), ()) = (entry.problems for entry in found)
    assert (problem.line, problem.column) == (3, 16)
    assert problem.message == "the next record follows without an empty line"
    assert found[1].line == 4


def test_a_broken_record_without_an_empty_line_after_it_is_told_for_what_breaks_it() -> None:
    assert places_in(BROKEN + TWO) == [(1, 3, 10, "syntax")]
    assert moves_in(BROKEN + TWO) == [None, ("Mc3",)]


def test_junk_between_records_is_a_bad_record_of_its_own() -> None:
    text = f"{ONE}\n[junk]\n\n{TWO}"
    assert moves_in(text) == [("e5", "swap"), None, ("Mc3",)]
    assert places_in(text) == [(2, 5, 6, "syntax")]


def test_text_before_the_first_record_and_after_the_last_is_named() -> None:
    assert places_in(f"hello\n\n{ONE}") == [(1, 1, 1, "syntax")]
    assert moves_in(f"hello\n\n{ONE}") == [None, ("e5", "swap")]
    assert places_in(f"{ONE}\nhello\n") == [(1, 5, 1, "syntax")]


def test_bytes_that_are_not_utf_8_spoil_their_record_only() -> None:
    text = ONE.encode() + b"\n" + b'[Game "\xe4hm"]\n\n*\n\n' + TWO.encode()
    assert moves_in(text) == [("e5", "swap"), None, ("Mc3",)]
    assert places_in(text) == [(2, 5, 8, "encoding")]


def test_columns_are_counted_in_characters() -> None:
    assert places_in('[Game "yavalath"]\n\n1. e5 {äöü €} e5 *\n') == [(1, 3, 15, "illegal-move")]


def test_a_comment_may_span_lines_and_the_lines_after_it_are_counted() -> None:
    text = '[Game "yavalath"]\n\n1. e5 {one\ntwo [Event\n\nthree} 2. e5 *\n'
    assert places_in(text) == [(1, 6, 11, "illegal-move")]


def test_reading_goes_on_after_each_bad_record_and_counts_are_exact() -> None:
    sound = [format_record(random_game(game_id, 1)) for game_id in BUILT_IN]
    text = ""
    lines = []
    for record in sound:
        text += f"{record}\n"
        lines.append(text.count("\n") + 3)
        text += f"{BROKEN}\n"
    found = entries_in(text)
    assert len(found) == 2 * len(sound)
    assert [entry.record is None for entry in found] == [False, True] * len(sound)
    assert [line for _, line, _, _ in places_in(text)] == lines


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ('[Game "yavalath"]\n\n1. e5 {never closed *\n', 7),
        ('[Game "yavalath"]\n\n1. e5 (2. a1 *\n', 7),
        ('[Game "yavalath"]\n\n1. e5 "\n', 7),
    ],
)
def test_what_is_never_closed_ends_with_its_record(text: str, column: int) -> None:
    assert places_in(f"{text}\n{TWO}") == [(1, 3, column, "syntax")]
    assert moves_in(f"{text}\n{TWO}") == [None, ("Mc3",)]


def test_without_rules_only_the_text_is_looked_at() -> None:
    text = '[Game "chess"]\n\n1. e4 2. e5 1-0\n'
    ((entry,), (unruly,)) = (entries_in(text), entries_in(text, rules=False))
    assert [problem.code for problem in entry.problems] == ["unknown-game"]
    assert unruly.problems == ()
    assert unruly.record == entry.record is not None


def test_read_yields_records_and_stops_at_one_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "games.lath"
    file.write_text(f"{ONE}\n{BROKEN}\n{TWO}", encoding="utf-8")
    records = read(file)
    assert next(records).moves == ("e5", "swap")
    with pytest.raises(RecordError) as refusal:
        next(records)
    assert str(refusal.value).startswith(
        f"{file}:7:10: error[syntax]: '*swap' does not belong here"
    )
    assert refusal.value.problem.record == 2


def _zstd(content: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    compressed: bytes = zstd.compress(content)
    return compressed


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": _zstd,
}
every_suffix = pytest.mark.parametrize("suffix", COMPRESSIONS)


@every_suffix
def test_a_compressed_file_is_read_by_its_suffix(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"games.lath{suffix}"
    file.write_bytes(COMPRESSIONS[suffix](f"{ONE}\n{TWO}".encode()))
    assert [record.moves for record in read(file)] == [("e5", "swap"), ("Mc3",)]


@pytest.mark.parametrize("suffix", ["", *COMPRESSIONS])
def test_a_written_file_reads_back_whatever_its_suffix(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"games.lath{suffix}"
    records = [random_game(game_id, 2) for game_id in BUILT_IN]
    write_atomically(file, map(str.encode, format_records(records)))
    assert list(read(file)) == records
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@every_suffix
def test_a_member_that_is_damaged_is_not_the_end_of_the_file(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"games.lath{suffix}"
    first, second = (COMPRESSIONS[suffix](f"{one}\n".encode()) for one in (ONE, TWO))
    for zeros in [b"", bytes(512)] if suffix in (".bz2", ".xz") else [b""]:
        file.write_bytes(first + zeros + second + zeros)
        assert [record.moves for record in read(file)] == [("e5", "swap"), ("Mc3",)]
        file.write_bytes(first + zeros + b"?" + second[1:])
        with pytest.raises(OSError, match="damaged"):
            list(read(file))


@every_suffix
def test_a_file_that_is_not_what_its_suffix_says_raises_os_error(
    suffix: str, tmp_path: Path
) -> None:
    file = tmp_path / f"games.lath{suffix}"
    file.write_text(ONE, encoding="utf-8")
    with pytest.raises(OSError, match=r"damaged|[Nn]ot a gzip|[Ii]nvalid data"):
        list(entries(file))


@every_suffix
def test_a_compressed_file_that_ends_too_early_raises_os_error(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"games.lath{suffix}"
    file.write_bytes(COMPRESSIONS[suffix](f"{ONE}\n{TWO}".encode())[:-12])
    with pytest.raises(OSError, match="damaged"):
        list(entries(file))


def test_a_file_that_is_not_there_raises_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(entries(tmp_path / "none.lath"))


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "games.lath"
    file.write_text("old", encoding="utf-8")

    def pieces() -> Iterator[bytes]:
        yield b"new" * 100_000
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        write_atomically(file, pieces())
    assert file.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["games.lath"]


def test_what_a_link_points_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    file, link = tmp_path / "games.lath", tmp_path / "link.lath"
    link.symlink_to(file)
    write_atomically(link, [ONE.encode()])
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == ONE


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "games.lath"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, [ONE.encode()])
    assert os.read(reader, 1000) == ONE.encode()
    os.close(reader)
    assert pipe.is_fifo()


def test_standard_input_is_read_for_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ONE.encode())))
    assert [record.moves for record in read("-")] == [("e5", "swap")]


MIXED = f"{ONE}\n{BROKEN}\n[junk]\n\n \t[Game 3]\n\n*\n \r\n{TWO}{ONE}\n\n\n{TWO}"


@pytest.mark.parametrize("size", [*range(3, 60), 1000])
def test_where_blocks_of_a_file_end_changes_nothing(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"\N{BYTE ORDER MARK}{MIXED}"
    whole = entries_in(text)
    monkeypatch.setattr(pieces_module, "_BLOCK", size)
    assert entries_in(text) == whole
    assert len(whole) == 7


@given(
    st.lists(
        st.sampled_from([ONE, TWO, BROKEN, "\n", " \n", "\r\n", "junk\n", "[", '[Game "x"]\n', "ä"])
    ),
    st.integers(3, 40),
)
def test_where_blocks_of_any_file_end_changes_nothing(pieces: list[str], size: int) -> None:
    text = "".join(pieces)
    whole = entries_in(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces_module, "_BLOCK", size)
        assert entries_in(text) == whole


@pytest.mark.parametrize("size", [3, 7, 30, 5000])
@pytest.mark.parametrize(
    "long",
    ["[A" + "x" * 400, "[A\n" + "x\n" * 200, "[A" + " " * 400 + "\n]", '[A "b"]\n' * 50],
    ids=["one line", "many lines", "blanks", "tags"],
)
def test_a_record_of_endless_size_is_named_and_reading_goes_on(
    long: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces_module, "MAX_RECORD", 200)
    monkeypatch.setattr(pieces_module, "_BLOCK", size)
    text = f"{ONE}\n{long}\n\n{TWO}"
    assert moves_in(text) == [("e5", "swap"), None, ("Mc3",)]
    ((number, _, column, code),) = places_in(text)
    assert (number, column, code) == (2, 1, "size")
    assert entries_in(text)[2].line == text[: -len(TWO)].count("\n") + 1


@pytest.mark.parametrize("size", [20, 1000, 1 << 20])
@pytest.mark.parametrize("beginning", [b"", b"\xef\xbb\xbf", b"\n \n", b"\n" * 50])
def test_a_byte_that_is_not_utf8_is_told_with_its_offset(
    size: int, beginning: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces_module, "_BLOCK", size)
    content = beginning + f"{TWO}\n{ONE_LINE}\n".encode() * 5
    for at in range(len(beginning), len(content), 7):
        broken = content[:at] + b"\xfe" + content[at:]
        told = [
            problem.message
            for entry in entries_of(io.BytesIO(broken), "f")
            for problem in entry.problems
            if problem.code == "encoding"
        ]
        with pytest.raises(UnicodeDecodeError) as refusal:
            broken.decode()
        offset = refusal.value.start
        assert told[0] == f"byte 0x{broken[offset]:02x} at offset {offset} is not UTF-8"


ONE_LINE = '[Game "yavalath"] {Zürich} 1. e5 *'


def test_files_with_a_mark_may_be_joined() -> None:
    one = f"\ufeff{ONE_LINE}\n\n".encode()
    found = list(entries_of(io.BytesIO(one * 3), "f"))
    assert [entry.problems for entry in found] == [(), (), ()]
    assert {entry.text for entry in found} == {ONE_LINE}
    assert [entry.line for entry in found] == [1, 3, 5]
