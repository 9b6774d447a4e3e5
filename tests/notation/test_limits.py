"""Records of more than anybody plays: told at once, with little memory, in every format."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from lath import notation
from lath.notation import formats, scanner
from lath.notation.errors import RecordSyntaxError
from lath.notation.formats import json_text
from lath.notation.scanner import size_fault
from lath.notation.validation import validate_stream

if TYPE_CHECKING:
    from golden import Golden

HEAD = '[Game "yavalath"]\n\n'
SOUND = f"{HEAD}1. e5 *\n"
MAX_PARTS, MAX_WORDS, MAX_VALUES = 1000, 3000, 5000
MANY = MAX_PARTS + 2


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have limits that are reached soon."""
    monkeypatch.setattr(scanner, "MAX_PARTS", MAX_PARTS)
    monkeypatch.setattr(scanner, "MAX_WORDS", MAX_WORDS)
    monkeypatch.setattr(json_text, "MAX_VALUES", MAX_VALUES)


LONG = {
    "moves": "e5 " * MANY,
    "moves with numbers": "".join(f"{ply}.e5 " for ply in range(1, MANY)),
    "variations": "e5 " + "(d4) " * MANY,
    "deep variations": "(e5 " * MANY,
    "comments": "e5 " + "{}" * MANY,
    "lines of comments": "e5 " + ";x\n" * MANY,
    "annotations": "e5 {" + "[%a]" * MANY + "}",
}


def test_a_record_of_too_many_parts_or_words_is_told_before_it_is_read(golden: Golden) -> None:
    for name, moves in LONG.items():
        data = f"{HEAD}{moves} *\n\n{SOUND}".encode()
        (found,) = validate_stream(io.BytesIO(data), "long.lath")
        assert [(one.code, one.line) for one in found.problems] == [("size", 1)], name
        assert (found.records, found.bad, found.plies) == (2, 1, 1)
    tags = "".join(f'[A{number} ""]\n' for number in range(MAX_PARTS))
    said = []
    for text in (f"{HEAD.strip()}\n{tags}\n*\n", f"{HEAD}{{{'a ' * (MAX_WORDS + 1)}}} e5 *"):
        with pytest.raises(RecordSyntaxError) as refused:
            notation.parse(text)
        said.append(str(refused.value))
    golden("\n".join([found.problems[0].message, *said]))


def test_what_a_small_file_holds_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    data = f"{HEAD}{'e5 ' * 1_000_000}*\n".encode()
    tracemalloc.start()
    (found,) = validate_stream(io.BytesIO(data), "long.lath")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [problem.code for problem in found.problems] == ["size"]
    assert peak < 10 * len(data)  # a Ply alone takes more for each move of three letters


def test_a_long_record_within_the_limits_is_read() -> None:
    said = '{(so [it] is) "e5" [%clk 1.000]} '
    plies = MAX_PARTS // 3 - 1
    record = notation.parse(f"{HEAD}{f'e5 {said}' * plies}*")
    assert len(record.plies) == plies
    assert size_fault(notation.format_record(record)) is None


def _as_csv(moves: str) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([("game", "movetext"), ("yavalath", moves), ("yavalath", "e5")])
    return out.getvalue()


EMPTY = {"tags": [["Game", "yavalath"]], "comments": [], "result": "*"}
OTHER_FORMATS = {
    "jsonlines": "".join(
        json.dumps({**EMPTY, "plies": [{"move": "e5"}] * plies}) + "\n"
        for plies in (MAX_VALUES // 2, MAX_PARTS + 1, 1)
    ),
    "ygn": f"[5/6/7/8/9/8/7/6/5 w]\n{'E5 ' * MANY}\n\n[5/6/7/8/9/8/7/6/5 w]\n1. E5\n",
    "csv": _as_csv("e5 " * MANY),
}


def test_other_formats_have_the_same_limits() -> None:
    for name, text in OTHER_FORMATS.items():
        *long, last = formats.entries(io.BytesIO(text.encode()), name, "long", rules=False)
        codes = [problem.code for entry in long for problem in entry.problems]
        assert codes == ["size"] * (2 if name == "jsonlines" else 1), name
        assert last.problems == ()
