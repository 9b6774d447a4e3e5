"""The table of formats, our own text as one of them, and JSON lines: nothing is lost in either."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import jsonschema
import pytest
from exploring import one_in
from hypothesis import given
from hypothesis import strategies as st
from record_strategies import RECORDS
from sample_records import BUILT_IN, random_game

from lath.notation import Entry, Record, formats, parse
from lath.notation import reader as pieces_module
from lath.notation.data import SCHEMA, FieldError, Twice, from_json, json_path, to_json
from lath.notation.formats import (
    READABLE,
    TABLE,
    WRITABLE,
    FormatError,
    json_text,
    name_for,
    note_of,
    ply_writer,
    reader,
    writer,
)
from lath.notation.formats.json_text import load as load_json
from lath.notation.formats.json_text import offset
from lath.notation.record import MAX_NESTING


def nothing_is_lost(number: int, field: str) -> None:
    raise AssertionError(f"lost {field} of record {number}")


def written(name: str, records: Iterable[Record]) -> bytes:
    """Return a file of this format; nothing may be lost."""
    return b"".join(writer(name)(iter(records), nothing_is_lost))


def entries(name: str, content: bytes) -> list[Entry]:
    """Return what a format reads in a file called f."""
    return list(reader(name)(io.BytesIO(content), "f"))


def records_in(name: str, content: bytes) -> Iterator[Record]:
    """Yield the records of a file without problems."""
    for entry in entries(name, content):
        assert entry.problems == ()
        assert entry.record is not None
        yield entry.record


# The table


@pytest.mark.parametrize("name", TABLE)
def test_the_table_names_functions_that_there_are(name: str) -> None:
    assert (name in READABLE) == (TABLE[name].read is not None)
    assert (name in WRITABLE) == (TABLE[name].write is not None)
    assert name not in READABLE or callable(reader(name))
    assert name not in WRITABLE or callable(writer(name))
    assert TABLE[name].plies is None or callable(ply_writer(name))
    assert (TABLE[name].note is None) == (note_of(name) is None)


def test_every_function_of_a_format_stands_in_the_table() -> None:
    package = import_module("lath.notation.formats")
    (folder,) = package.__path__
    found = {
        f"{file.stem.removeprefix('__init__')}:{name}"
        for file in Path(folder).glob("*.py")
        for name in re.findall(
            r"^def ((?:read|write)(?:_[a-z]+)?)\((?:stream|records): ",
            file.read_text(),
            re.MULTILINE,
        )
    }
    assert found == {
        where for known in TABLE.values() for where in (known.read, known.write) if where
    }


def test_no_suffix_stands_for_two_formats() -> None:
    suffixes = [suffix for known in TABLE.values() for suffix in known.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in suffixes)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("games.lath", "lath"),
        ("games.lath.gz", "lath"),
        ("some/folder.csv/games.json.bz2", "abstractplay"),
        ("games.ndjson.xz", "jsonlines"),
        ("games.parquet.zst", "parquet"),
        ("GAMES.CSV", "csv"),
        ("a.b.trl", "ludii"),
    ],
)
def test_a_format_is_found_by_suffix_and_compression_is_looked_through(
    path: str, name: str
) -> None:
    assert name_for(path) == name


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("games.pdn", "games.pdn: no format has the suffix .pdn; expected one of .lath, .jsonl, "),
        ("games.gz", "games.gz: the name has no suffix of a format; expected one of .lath, "),
        ("games", "games: the name has no suffix of a format; expected one of .lath, "),
        (".lath", ".lath: the name has no suffix of a format; "),
        ("games.csv.gz.gz", "games.csv.gz.gz: no format has the suffix .gz; "),
    ],
)
def test_an_unknown_suffix_is_refused_with_those_that_there_are(path: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        name_for(path)
    assert str(caught.value).startswith(message)
    assert ".parquet" in str(caught.value)


@pytest.mark.parametrize("look_up", [reader, writer])
def test_an_unknown_name_is_refused_with_those_that_there_are(
    look_up: Callable[[str], object],
) -> None:
    with pytest.raises(FormatError) as caught:
        look_up("pdn")
    assert str(caught.value) == (f"there is no format 'pdn'; expected one of {', '.join(TABLE)}")


def test_what_cannot_be_read_or_written_names_what_can() -> None:
    with pytest.raises(FormatError) as no_reader:
        reader("sgf")
    assert str(no_reader.value) == f"sgf is only written; what can be read is {', '.join(READABLE)}"
    with pytest.raises(FormatError) as no_writer:
        writer("ludii")
    assert (
        str(no_writer.value) == f"ludii is only read; what can be written is {', '.join(WRITABLE)}"
    )


def test_finding_a_format_loads_no_other() -> None:
    code = (
        "import sys, lath.notation.formats as formats\n"
        "formats.name_for('games.csv.gz'), formats.writer('csv')\n"
        "print(sorted(m for m in sys.modules if m.startswith('lath.notation.formats.')))\n"
        "print(sorted({'lark', 'pyarrow'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "['lath.notation.formats.tables']",
        "[]",
    ]


# Our own text


def test_our_own_text_is_written_canonically_and_read_without_the_rules() -> None:
    (entry,) = entries("lath", b'[Game "mammalath"] a1 xb4-b2 xb4-b2 *')
    assert entry.problems == ()  # b2 is empty the second time: that is for `arena check`
    assert entry.record is not None
    assert written("lath", [entry.record]) == (
        b'[Game "mammalath"]\n\n1. a1 2. xb2-b4 3. xb2-b4 *\n'
    )


def test_a_bad_record_of_our_own_text_is_an_entry_with_a_problem() -> None:
    bad, good = entries("lath", b'[Game oops]\n\n[Game "yavalath"]\n\n*\n')
    assert bad.record is None
    assert [problem.code for problem in bad.problems] == ["syntax"]
    assert good.problems == ()


# JSON lines


@given(RECORDS)
def test_a_record_comes_back_from_json_lines_whole(record: Record) -> None:
    assert list(records_in("jsonlines", written("jsonlines", [record]))) == [record]


@one_in(2)
@given(st.lists(RECORDS, min_size=1, max_size=2))
def test_our_text_through_json_lines_is_the_same_text(records: list[Record]) -> None:
    text = written("lath", records)
    lines = written("jsonlines", records_in("lath", text))
    assert written("lath", records_in("jsonlines", lines)) == text


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_a_whole_game_through_json_lines_is_the_same_text(game_id: str) -> None:
    text = written("lath", [random_game(game_id, seed, annotated=True) for seed in range(3)])
    lines = written("jsonlines", records_in("lath", text))
    assert written("lath", records_in("jsonlines", lines)) == text


@given(RECORDS)
def test_every_line_validates_against_the_published_schema(record: Record) -> None:
    (line,) = written("jsonlines", [record]).decode().split("\n")[:-1]
    VALIDATOR.validate(json.loads(line))


VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

WHOLE = to_json(
    parse("""\
[Game "mammalath"]
[Event "Say \\"hello\\""]

{At last.}
1. c3! {[%emt 0.012] quick} 2. swap ({why not} 2. d4 (2. e5?) 3. xA) 3. d4 0-1
""")
)


def mutants(value: Any) -> Iterator[Any]:
    """Yield a value with one thing in it changed, wherever it can be."""
    yield from (None, True, 7, "", "e5", " ", "e5!", "[x]", "\na", [], {}, [[]], [1], {"move": 1})
    if isinstance(value, dict):
        for key, inner in value.items():
            yield {other: kept for other, kept in value.items() if other != key}
            yield from ({**value, key: changed} for changed in mutants(inner))
        yield {**value, "more": 1}
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield value[:index] + value[index + 1 :]
            yield [*value[:index], inner, *value[index:]]
            yield from (
                [*value[:index], changed, *value[index + 1 :]] for changed in mutants(inner)
            )


def is_read(told: Any) -> bool:
    """Return whether an object is taken for a record."""
    try:
        from_json(load_json(json.dumps(told)))
    except FieldError:
        return False
    return True


def test_the_reader_refuses_what_the_schema_refuses_and_nothing_else() -> None:
    seen = [VALIDATOR.is_valid(told) for told in mutants(WHOLE)]
    assert [is_read(told) for told in mutants(WHOLE)] == seen
    assert min(seen.count(True), seen.count(False)) > 20


LINE = json.dumps(WHOLE).encode()

GAME = b'{"tags": [["Game", "yavalath"]], "comments": [], "plies": [%s], "result": "*"}'

BAD_LINES = [
    (b'{"tags": }', "}", "syntax", "not JSON: expecting value", "a JSON object"),
    (b"[" * 100_000, "[", "syntax", "arrays and objects nested too deep", "a record"),
    (b"[1]", "[1]", "field", "$ is an array", "an object"),
    (b"NaN", "NaN", "field", "$ is a number", "an object"),
    (b"7" * 5000, "7", "field", "$ is a number", "an object"),
    (b"{}", "{}", "field", "$.tags is missing", "an array of names and values"),
    (
        GAME % b'{"move": "e5"}, {}',
        *("{}]", "field", "$.plies[1].move is missing", "a move such as e5"),
    ),
    (
        GAME % b'{"move": "e5"}, {"move": 7}',
        *("7}]", "field", "$.plies[1].move is a number", "a move such as e5"),
    ),
    (
        GAME % b'{"move": "e5 d4"}',
        *('"e5 d4"', "field", "$.plies[0].move is 'e5 d4'", "a move such as e5"),
    ),
    (
        GAME % b'{"move": "e5", "glyph": "!!!"}',
        *('"!!!"', "field", "$.plies[0].glyph is '!!!'", "one of ! ? !! ?? !? ?!"),
    ),
    (
        GAME % b'{"move": "e5", "no de": 1}',
        *("1}]", "field", '$.plies[0]["no de"] is an unknown field'),
        "one of move, glyph, comments, variations",
    ),
    (
        GAME % b'{"move": "e5", "move": "d4"}',
        *('"e5"', "field", "$.plies[0].move stands there twice", "each field once"),
    ),
    (
        GAME % rb'{"move": "e5", "comments": [["\ud800"]]}',
        *(r'"\ud800"', "field"),
        "$.plies[0].comments[0][0] has half a character (a lone surrogate)",
        "Unicode text",
    ),
    (
        GAME % b'{"move": "e5", "variations": [{"comments": [], "plies": []}]}',
        *("[]}]", "field", "$.plies[0].variations[0].plies is empty", "a move at least"),
    ),
    (
        b'{"tags": [["Game"]], "comments": [], "plies": [], "result": "*"}',
        *('["Game"]', "field", "$.tags[0] has 1 values", "a name and a value"),
    ),
    (
        rb'{"tags": [["Game", "a\nb"]], "comments": [], "plies": [], "result": "*"}',
        *(r'"a\nb"', "field", r"$.tags[0][1] is 'a\nb'", "text without line ends"),
    ),
    (
        b'{"tags": [["Game", "x"]], "comments": [], "plies": [], "result": "2-0"}',
        *('"2-0"', "field", "$.result is '2-0'", "one of 1-0 0-1 1/2-1/2 *"),
    ),
    (
        b'{"tags": [["Event", "x"]], "comments": [], "plies": [], "result": "*"}',
        *("[[", "tag", "the tag Game is missing", 'a tag such as [Game "mammalath"]'),
    ),
    (
        '{"tags": "äöü'.encode() + b"\xff",
        *("\N{REPLACEMENT CHARACTER}", "encoding", "byte 0xff is not UTF-8", "UTF-8 text"),
    ),
]


@pytest.mark.parametrize(("line", "place", "code", "message", "expected"), BAD_LINES)
def test_a_bad_line_is_told_of_in_its_place_and_reading_goes_on(
    line: bytes, place: str, code: str, message: str, expected: str
) -> None:
    before, bad, after = entries("jsonlines", LINE + b"\n\n" + line + b"\n" + LINE)
    (problem,) = bad.problems
    assert (problem.file, problem.line, problem.record) == ("f", 3, 2)
    assert problem.source[problem.column - 1 :].startswith(place)
    assert (problem.code, problem.message, problem.expected) == (code, message, expected)
    assert before.record == after.record == from_json(WHOLE)
    assert (before.problems, after.problems) == ((), ())


def test_a_problem_of_a_ply_names_it_and_shows_the_line() -> None:
    (bad,) = entries("jsonlines", GAME % b'{"move": "e5"}, {"move": "5"}')
    assert str(bad.problems[0]) == (
        "f:1:85: error[field]: $.plies[1].move is '5'; expected a move such as e5 "
        "(record 1, ply 2)\n"
        '  …omments": [], "plies": [{"move": "e5"}, {"move": "5"}], "result": "*"}\n'
        "                                                    ^"
    )


@given(st.binary(max_size=20), st.integers(0, len(LINE)), st.integers(0, 40))
def test_whatever_stands_on_a_line_it_is_one_entry_and_the_next_is_read(
    junk: bytes, at: int, cut: int
) -> None:
    line = (LINE[:at] + junk + LINE[at + cut :]).replace(b"\n", b"")
    *found, after = entries("jsonlines", line + b"\n" + LINE)
    assert len(found) == (not line.isspace() and line != b"")
    assert all((entry.record is None) == bool(entry.problems) for entry in found)
    assert (after.record, after.problems) == (from_json(WHOLE), ())


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf", b" \n\t\r\n"])
def test_byte_order_marks_empty_lines_and_both_line_ends_are_accepted(
    begin: bytes, end: bytes
) -> None:
    content = begin + LINE + end + end + LINE
    assert [entry.record for entry in entries("jsonlines", content)] == [from_json(WHOLE)] * 2
    assert entries("jsonlines", begin) == []


def test_a_line_that_is_too_long_is_told_of_and_memory_stays_flat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pieces_module, "MAX_RECORD", len(LINE))
    content = b"%s\r\n%s \n%s" % (LINE, LINE, LINE)
    before, long, after = entries("jsonlines", content)
    (problem,) = long.problems
    assert (problem.line, problem.code) == (2, "size")
    assert problem.message == f"a record of more than {len(LINE)} bytes"
    assert len(problem.source) == 200
    assert before.record == after.record == from_json(WHOLE)


def nested(depth: int) -> dict[str, Any]:
    """Return a record with variations inside each other."""
    ply: dict[str, Any] = {"move": "e5"}
    for _ in range(depth):
        ply = {"move": "e5", "variations": [{"comments": [], "plies": [ply]}]}
    return {"tags": [["Game", "yavalath"]], "comments": [], "plies": [ply], "result": "*"}


def test_variations_nest_as_deep_as_in_the_text_and_no_deeper() -> None:
    deep, deeper = json.dumps(nested(MAX_NESTING)), json.dumps(nested(MAX_NESTING + 1))
    good, bad = entries("jsonlines", f"{deep}\n{deeper}\n".encode())
    assert good.problems == ()
    assert good.record is not None
    assert list(records_in("lath", written("lath", [good.record]))) == [good.record]
    assert "is the beginning of variations more than 100 deep" in bad.problems[0].message


def test_comments_are_read_as_the_text_would_have_them() -> None:
    comments = [["a  b\n", "[%emt", "1]", "", {"name": "clk", "value": "2"}], ["  "], []]
    told = {**nested(0), "comments": comments}
    record = from_json(told)
    assert list(records_in("lath", written("lath", [record]))) == [record]
    assert [" ".join(map(str, parts)) for parts in record.comments] == [
        "a b [%emt 1.000] [%clk 2.000]"
    ]


def test_a_place_in_json_is_found_by_its_path() -> None:
    text = ' { "a" : [ 1 , {"b\\"]": [true, "x]"] } ] , "c":{} }'
    steps = ("a", 1, 'b"]', 1)
    assert json_path(steps) == '$.a[1]["b\\"]"][1]'
    assert text[offset(text, steps) :].startswith('"x]"')
    assert text[offset(text, ("c", "missing")) :].startswith("{}")
    assert offset(text, ("a", 9)) == text.index("[")
    assert offset(text, ()) == 1


class Key(str):
    """A key that counts how often keys are compared."""

    __slots__ = ()
    compared: ClassVar[list[str]] = []

    def __eq__(self, other: object) -> bool:
        self.compared.append(self)
        return super().__eq__(other)

    __hash__ = str.__hash__


def test_keys_that_come_twice_are_found_without_comparing_all_of_them() -> None:
    pairs = [(Key(number % 500), number) for number in range(1000)]
    told = json_text._marking_twice([*pairs, ("once", 7)])
    assert told.pop("once") == 7
    assert {type(value) for value in told.values()} == {Twice}
    assert len(told) == 500
    assert len(Key.compared) < 10_000


@pytest.mark.parametrize("suffix", [".txt", ".pgn", ".csv", ".jsonl", ""])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_text_of_utf_16_is_read_as_that_of_utf_8(
    suffix: str, encoding: str, tmp_path: Path
) -> None:
    record = random_game("yavalath", 3, first="Jürgen", second="Zoë 🎲")
    text = '[Game "yavalath"]\n[White "Jürgen"]\n[Black "Zoë 🎲"]\n\n'
    text += " ".join(record.moves) + "\n"
    if suffix in (".csv", ".jsonl"):
        name = formats.name_for(f"a{suffix}")
        text = b"".join(formats.writer(name)([record], lambda *_: None)).decode()
    path = tmp_path / f"games{suffix}"
    path.write_bytes(("\ufeff" + text).encode(encoding))
    name = formats.recognised(path)
    with path.open("rb") as stream:
        (entry,) = formats.entries(stream, name, str(path), rules=True)
    assert not entry.problems
    assert entry.record
    assert (entry.record.first, entry.record.second) == ("Jürgen", "Zoë 🎲")
    assert entry.record.moves == record.moves
