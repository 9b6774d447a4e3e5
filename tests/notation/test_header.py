"""Headers: what is known of records whose moves are not read, in any file."""

from __future__ import annotations

import gzip
import io
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_texts import PIECES, SEED_FILE, mutant
from sample_records import BUILT_IN, random_game

from lath import notation
from lath.notation import Header, RecordError, format_records
from lath.notation.header import headers_of
from lath.notation.reader import entries_of

if TYPE_CHECKING:
    from pathlib import Path

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


def told(header: Header) -> tuple[int, int, str, str, list[str]]:
    """Return number, line, first player, result and the codes of what is wrong."""
    codes = [problem.code for problem in header.problems]
    return header.number, header.line, header.first, header.result, codes


def test_a_bad_header_is_told_and_moves_are_not_read(tmp_path: Path) -> None:
    assert [told(header) for header in headers_in(THREE.encode())] == [
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
