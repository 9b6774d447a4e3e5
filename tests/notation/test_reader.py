"""Files of records: every record, header and problem in its place, whatever stands between them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import sys
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st
from record_strategies import RECORDS
from record_texts import PIECES, SEED_FILE, mutant
from sample_records import BUILT_IN, random_game

from lath import notation
from lath.notation import (
    SKIP,
    Annotation,
    Header,
    Ply,
    Record,
    RecordError,
    Visitor,
    format_records,
    read,
    walk,
)
from lath.notation.files.files import write_atomically
from lath.notation.record.record import all_comments, all_plies
from lath.notation.rules.header import headers_of
from lath.notation.rules.reading import entries, entries_of, entry_of
from lath.notation.text import splitting
from lath.notation.text.splitting import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from golden import Golden

    from lath.notation.record.errors import Problem
    from lath.notation.rules.visitor import Answer


ONE = '[Game "yavalath"]\n\n1. e5 2. swap *\n'
TWO = '[Game "surikata"]\n[Event "second"]\n\n1. Mc3 *\n'
ONE_LINE = '[Game "yavalath"] {Zürich} 1. e5 *'
BROKEN = '[Game "yavalath"]\n\n1. e5 2. *swap\n'


def entries_in(text: str | bytes, *, rules: bool = True) -> list[Entry]:
    """Return what stands in a file called f."""
    content = text if isinstance(text, bytes) else text.encode()
    return list(entries_of(io.BytesIO(content), "f", rules=rules))


def moves_of(entry: Entry) -> tuple[str, ...] | None:
    """Return the moves of a record, None for one that could not be read."""
    return None if entry.record is None else entry.record.moves


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


E5: Final = ("e5", "swap")
MC3: Final = ("Mc3",)
FILES: Final[dict[str, tuple[str | bytes, list[tuple[str, ...] | None], list[tuple[int, ...]]]]] = {
    "a byte order mark": (f"\N{BYTE ORDER MARK}{ONE}", [E5], []),
    "a mark before what is wrong": ("\N{BYTE ORDER MARK}[Game 3]\n\n*\n", [None], [(1, 1, 7)]),
    "blanks in the empty line": (f"{ONE} \t\r\n{TWO}", [E5, MC3], []),
    "lines of Windows": (
        f"{ONE}\n{BROKEN}\n{TWO}".replace("\n", "\r\n"), [E5, None, MC3], [(2, 7, 10)],
    ),
    "indented records": (
        '  [Game 3]\n\n*\n\n\n\t [Game "yavalath"]\n\n  1. e5 2. e5 *\n',
        [None, ("e5", "e5")],
        [(1, 1, 9), (2, 8, 12)],
    ),
    "no empty line": (ONE + TWO, [None, MC3], [(1, 3, 16)]),
    "no empty line behind a broken record": (BROKEN + TWO, [None, MC3], [(1, 3, 10)]),
    "junk between records": (f"{ONE}\n[junk]\n\n{TWO}", [E5, None, MC3], [(2, 5, 6)]),
    "text before the first": (f"hello\n\n{ONE}", [None, E5], [(1, 1, 1)]),
    "text after the last": (f"{ONE}\nhello\n", [None], [(1, 5, 1)]),
    "other bytes": (
        f'{ONE}\n[Game "'.encode() + b'\xe4hm"]\n\n*\n\n' + TWO.encode(),
        [E5, None, MC3],
        [(2, 5, 8)],
    ),
    "columns in characters": (
        '[Game "yavalath"]\n\n1. e5 {äöü €} e5 *\n', [("e5", "e5")], [(1, 3, 15)],
    ),
    "a comment over lines": (
        '[Game "yavalath"]\n\n1. e5 {one\ntwo [Event\n\nthree} 2. e5 *\n',
        [("e5", "e5")],
        [(1, 6, 11)],
    ),
    **{
        f"{never} that is never closed": (
            f'[Game "yavalath"]\n\n1. e5 {never}\n\n{TWO}', [None, MC3], [(1, 3, 7)],
        )
        for never in ("{x *", "(2. a1 *", '"')
    },
    "files with a mark that were joined": (
        f"\ufeff{ONE_LINE}\n\n" * 3, [("e5",), ("e5",), ("e5",)], [],
    ),
}  # fmt: skip
"""The moves of each record, and record, line and column of each problem."""


def test_records_and_problems_stand_where_they_are() -> None:
    for name, (text, moves, places) in FILES.items():
        found = entries_in(text)
        assert [moves_of(entry) for entry in found] == moves, name
        assert [place[:3] for place in places_in(text)] == places, name
    lines = [entry.line for entry in entries_in(FILES["files with a mark that were joined"][0])]
    assert lines == [1, 3, 5]
    (entry,) = entries_in(BROKEN.replace("\n", "\r\n"))
    assert entry.problems[0].source == "1. e5 2. *swap", "without the line's end"


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
    assert next(records).moves == E5
    with pytest.raises(RecordError) as refusal:
        next(records)
    problem = refusal.value.problem
    assert (problem.record, problem.line, str(problem)) == (2, 7, str(refusal.value))
    assert problem.file == str(file)
    with pytest.raises(FileNotFoundError):
        list(entries(tmp_path / "none.lath"))


COMPRESSIONS: Final[dict[str, Callable[[bytes], bytes]]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_a_compressed_file_is_read_by_its_suffix_or_damaged(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"games.lath{suffix}"
    first, second = (COMPRESSIONS[suffix](f"{one}\n".encode()) for one in (ONE, TWO))
    damaged = [(ONE.encode(), r"damaged|[Nn]ot a gzip|[Ii]nvalid data"), (first[:-12], "damaged")]
    for zeros in [b"", bytes(512)] if suffix in (".bz2", ".xz") else [b""]:
        file.write_bytes(first + zeros + second + zeros)
        assert [record.moves for record in read(file)] == [E5, MC3]
        damaged.append((first + zeros + b"?" + second[1:], "damaged"))
    for content, words in damaged:
        file.write_bytes(content)
        with pytest.raises(OSError, match=words):
            list(entries(file))


@pytest.mark.parametrize("suffix", ["", *COMPRESSIONS])
def test_a_written_file_reads_back_whatever_its_suffix(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"games.lath{suffix}"
    records = [random_game(game_id, 2) for game_id in BUILT_IN]
    write_atomically(file, map(str.encode, format_records(records)))
    assert list(read(file)) == records
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


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


def test_what_a_link_points_to_is_written_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    file, link, pipe = tmp_path / "games.lath", tmp_path / "link.lath", tmp_path / "pipe.lath"
    link.symlink_to(file)
    write_atomically(link, [ONE.encode()])
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == ONE
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, [ONE.encode()])
    assert os.read(reading, 1000) == ONE.encode()
    os.close(reading)
    assert pipe.is_fifo()


def test_standard_input_is_read_for_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ONE.encode())))
    assert [record.moves for record in read("-")] == [E5]


# Files are read in blocks: these tests make them small, for no file here has a megabyte.


def test_where_blocks_of_a_file_end_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = f"{ONE}\n{BROKEN}\n[junk]\n\n \t[Game 3]\n\n*\n \r\n{TWO}{ONE}\n\n\n{TWO}"
    blanks = TWO.replace("[Game", "\n[ \tGame", 1)  # as a tag may have them
    whole = entries_in(f"\N{BYTE ORDER MARK}{mixed}{blanks}")
    assert len(whole) == 8
    assert whole[-1].problems == whole[-2].problems
    for size in (*range(3, 60), 1000):
        monkeypatch.setattr(splitting, "_BLOCK", size)
        assert entries_in(f"\N{BYTE ORDER MARK}{mixed}{blanks}") == whole, size


def test_a_record_of_endless_size_is_named_and_reading_goes_on(
    golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splitting, "MAX_RECORD", 200)
    said = set()
    for long in (
        "[A" + "x" * 400,
        "[A\n" + "x\n" * 200,
        "[A" + " " * 400 + "\n]",
        '[A "b"]\n' * 50,
    ):
        text = f"{ONE}\n{long}\n\n{TWO}"
        for size in (3, 7, 30, 5000):
            monkeypatch.setattr(splitting, "_BLOCK", size)
            found = entries_in(text)
            assert [moves_of(entry) for entry in found] == [E5, None, MC3]
            assert found[2].line == text[: -len(TWO)].count("\n") + 1
            ((number, _, column, code),) = places_in(text)
            assert (number, column, code) == (2, 1, "size")
            said.add(found[1].problems[0].message)
    golden("\n".join(said))


@pytest.mark.parametrize("beginning", [b"", b"\xef\xbb\xbf", b"\n \n", b"\n" * 50])
def test_a_byte_that_is_not_utf8_is_told_with_its_offset(
    beginning: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = beginning + f"{TWO}\n{ONE_LINE}\n".encode() * 5
    for size in (20, 1000, 1 << 20):
        monkeypatch.setattr(splitting, "_BLOCK", size)
        for at in range(len(beginning), len(content), 19):
            broken = content[:at] + b"\xfe" + content[at:]
            problems = [problem for entry in entries_in(broken) for problem in entry.problems]
            told = next(problem.message for problem in problems if problem.code == "encoding")
            with pytest.raises(UnicodeDecodeError) as refusal:
                broken.decode()
            offset = refusal.value.start
            assert told == f"byte 0x{broken[offset]:02x} at offset {offset} is not UTF-8"


THREE = """\
[Game "yavalath"]
[First "ann \\"A\\""]
[Result "0-1"]

1. e5 {long ago} 2. swap 0-1

[Event "without a game"]

1. e5 *

[Game "surikata"] [First "bob"]
1. Mc3 *
"""


def headers_in(content: bytes) -> list[Header]:
    """Return the headers of a file called f."""
    return list(headers_of(io.BytesIO(content), "f"))


def about(header: Header) -> tuple[int, int, str, str, list[str]]:
    """Return number, line, first player, result and the codes of what is wrong."""
    codes = [problem.code for problem in header.problems]
    return header.number, header.line, header.first, header.result, codes


def test_a_bad_header_is_told_and_moves_are_not_read(tmp_path: Path) -> None:
    assert [about(header) for header in headers_in(THREE.encode())] == [
        (1, 1, 'ann "A"', "0-1", []),
        (2, 7, "?", "*", ["tag"]),
        (3, 11, "bob", "*", []),
    ]
    (header,) = headers_in(b'[Game "yavalath"]\n[Result "1-0"]\n\n1. ((( 1-0\n')
    assert (header.game, header.result, header.problems) == ("yavalath", "1-0", ())
    file = tmp_path / "three.lath.gz"
    file.write_bytes(gzip.compress(b"\n\n" + THREE.encode()))
    begins = [(b"\n\n" + THREE.encode())[header.offset :][:8] for header in notation.headers(file)]
    assert begins == [b'[Game "y', b'[Event "', b'[Game "s']


def agrees(content: bytes) -> None:
    """Assert that headers are those of the entries; of bad moves nothing need be known."""
    entries = list(entries_of(io.BytesIO(content), "f", rules=False))
    found = headers_in(content)
    assert [(each.number, each.line) for each in found] == [
        (entry.number, entry.line) for entry in entries
    ]
    for header, entry in zip(found, entries, strict=True):
        if header.problems or not entry.problems:
            assert header.problems == entry.problems
        if entry.record and not entry.problems:
            assert (header.tags, header.result) == (entry.record.tags, entry.record.result)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join))
def test_of_any_signs_of_the_notation_headers_are_those_of_entries(content: bytes) -> None:
    agrees(content)
    agrees(b'[Game "yavalath"]\n\n' + content + b' *\n\n[Game "surikata"]\n\n*\n')


def test_of_any_file_headers_are_those_of_entries() -> None:
    texts = list(format_records(random_game(game_id, 1, annotated=True) for game_id in BUILT_IN))
    for gap in ("", "\n", " \n", "\r\n", "\n\n\n"):
        agrees(gap.join(texts).encode())
    for seed in range(30):
        agrees(mutant(SEED_FILE, SEED_FILE, random.Random(seed)).encode())


def test_reading_goes_on_after_what_is_no_record_if_somebody_is_told(tmp_path: Path) -> None:
    file = tmp_path / "three.lath"
    file.write_text(THREE)
    problems: list[notation.Problem] = []
    records = notation.read(file, on_problem=problems.append)
    assert [record.game for record in records] == ["yavalath", "surikata"]
    assert [(problem.record, problem.line) for problem in problems] == [(2, 7)]
    with pytest.raises(RecordError):
        list(notation.read(file))


TEXT = """\
[Game "yavalath"]
[First "ann"]

{before}
1. e5! {book [%emt 1.000]} 2. d4 ({or} 2. swap (2. a1) 3. c3) 1-0
"""


class Told(Visitor):
    """Keeps what it is told; returns SKIP where it shall."""

    def __init__(self, *skips: str) -> None:
        self.skips = skips
        self.told: list[tuple[Any, ...]] = []

    def tell(self, *words: Any) -> Answer:
        self.told.append(words)
        return SKIP if words[0] in self.skips else None

    def begin_record(self) -> Answer:
        return self.tell("begin_record")

    def tag(self, name: str, value: str) -> None:
        self.tell(name, value)

    def begin_moves(self) -> Answer:
        return self.tell("begin_moves")

    def ply(self, ply: Ply, number: int) -> None:
        self.tell(f"{number}. {ply.move}{ply.glyph}")

    def comment(self, text: str) -> None:
        self.tell("comment", text)

    def annotation(self, annotation: Annotation) -> None:
        self.tell(str(annotation))

    def begin_variation(self) -> Answer:
        return self.tell("begin_variation")

    def end_variation(self) -> None:
        self.tell("end_variation")

    def end_record(self, result: str) -> None:
        self.tell("end_record", result)


def told(source: Record | Path, *skips: str) -> str:
    visitor = Told(*skips)
    walk(source, visitor)
    return ", ".join(" ".join(words) for words in visitor.told)


BEGIN = "begin_record, Game yavalath, First ann, begin_moves, "
LINE = "comment before, 1. e5!, comment book, [%emt 1.000], 2. d4, begin_variation, "


def test_a_visitor_is_told_of_everything_but_what_it_skips(tmp_path: Path) -> None:
    path = tmp_path / "one.lath"
    path.write_text(TEXT)
    for source in (path, notation.parse(TEXT)):
        assert told(source) == (
            f"{BEGIN}{LINE}comment or, 2. swap, begin_variation, 2. a1, end_variation, 3. c3, "
            "end_variation, end_record 1-0"
        )
        assert told(source, "begin_variation") == f"{BEGIN}{LINE}end_variation, end_record 1-0"
        assert told(source, "begin_moves") == f"{BEGIN}end_record 1-0"
        assert told(source, "begin_record") == "begin_record, end_record 1-0"


class Mounds(Told):
    """Looks at the moves of Surikata alone."""

    def begin_moves(self) -> Answer:
        return None if ("Game", "surikata") in self.told else SKIP


def test_moves_that_are_skipped_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "many.lath"
    path.write_text("\n".join([TEXT] * 3 + ['[Game "surikata"]\n\n1. Mc3 2. Ma1 *\n']))
    visitor = Mounds()
    with mock.patch("lath.notation.rules.visitor.entry_of", wraps=entry_of) as read:
        walk(path, visitor)
    assert [words[0] for words in visitor.told if words[0][0].isdigit()] == ["1. Mc3", "2. Ma1"]
    assert [call.args[2] for call in read.call_args_list] == [4]


def test_a_walk_stops_at_what_is_no_record_or_tells_of_it_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "bad.lath"
    no_header = '[Game "yavalath]\n\n1. e5 *\n'
    no_moves = '[Game "yavalath"]\n\n1. e5 ) *\n'
    path.write_text(f"{no_header}\n{no_moves}\n{TEXT}")
    with pytest.raises(RecordError) as refusal:
        walk(path, Visitor())
    problems: list[Problem] = []
    visitor = Told("begin_variation")
    walk(path, visitor, on_problem=problems.append)
    places = [(problem.record, problem.line, problem.column) for problem in problems]
    assert (places, refusal.value.problem) == ([(1, 1, 7), (2, 7, 7)], problems[0])
    ends = [words[1] for words in visitor.told if words[0] == "end_record"]
    assert ends == ["*", "1-0"]


@given(RECORDS)
def test_a_visitor_misses_nothing(record: Record) -> None:
    visitor = Told()
    walk(record, visitor)
    plies = [words[0] for words in visitor.told if words[0].partition(".")[0].isdigit()]
    assert [word.partition(" ")[2] for word in plies] == [
        f"{ply.move}{ply.glyph}" for ply in all_plies(record.plies)
    ]
    texts = [words[1] for words in visitor.told if words[0] == "comment"]
    parts = [part for one in all_comments(record) for part in one if isinstance(part, str)]
    assert sorted(texts) == sorted(parts)
