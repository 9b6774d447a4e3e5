"""Records as JSON, one or a line each: nothing is lost, and the schema says what is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import jsonschema
from exploring import one_in
from format_files import entries, problem_of, records_in, unmarked, whole
from hypothesis import given
from hypothesis import strategies as st
from record_strategies import RECORDS

from lath.notation import Record, parse
from lath.notation.formats.json_text import load, offset
from lath.notation.record.record import MAX_NESTING
from lath.notation.tables.data import SCHEMA, FieldError, from_json, json_path, to_json

if TYPE_CHECKING:
    from golden import Golden

RECORD: Final = parse("""\
[Game "mammalath"]
[Event "Say \\"hello\\""]

{At last.}
1. c3! {[%emt 0.012] quick [%pv a1 b2]} 2. swap ({why not} 2. d4 (2. e5?) 3. xA) 3. d4 0-1
""")

WHOLE: Final = to_json(RECORD)

LINE: Final = json.dumps(WHOLE)

VALIDATOR: Final = jsonschema.Draft202012Validator(SCHEMA)


@one_in(2)
@given(st.lists(RECORDS, min_size=1, max_size=2))
def test_our_text_through_json_lines_is_the_same_text_by_the_published_schema(
    records: list[Record],
) -> None:
    text = whole("lath", records)
    lines = whole("jsonlines", records_in("lath", text))
    for line in lines.decode().split("\n")[:-1]:
        VALIDATOR.validate(json.loads(line))
    assert whole("lath", records_in("jsonlines", lines)) == text


def test_a_record_is_its_json_and_a_ply_without_more_only_its_move() -> None:
    assert from_json(json.loads(LINE)) == RECORD
    VALIDATOR.validate(WHOLE)
    assert WHOLE["plies"][2] == {"move": "d4"}


def mutants(value: Any) -> Iterator[Any]:
    """Yield a value with one thing in it changed, wherever it can be."""
    yield from (None, True, 7, "", "e5", " ", "e5!", "[x]", "\na", [], {}, [[]], [1], {"move": 1})
    if isinstance(value, dict):
        for key, inner in value.items():
            yield {other: kept for other, kept in value.items() if other != key}
            yield from ({**value, key: changed} for changed in mutants(inner))
        yield {**value, "more": 1}
    if isinstance(value, list):
        for at, inner in enumerate(value):
            yield value[:at] + value[at + 1 :]
            yield [*value[:at], inner, *value[at:]]
            yield from ([*value[:at], changed, *value[at + 1 :]] for changed in mutants(inner))


def is_read(told: Any) -> bool:
    """Return whether an object is taken for a record."""
    try:
        from_json(load(json.dumps(told)))
    except FieldError:
        return False
    return True


def test_the_reader_refuses_what_the_schema_refuses_and_nothing_else() -> None:
    seen = [VALIDATOR.is_valid(told) for told in mutants(WHOLE)]
    assert [is_read(told) for told in mutants(WHOLE)] == seen
    assert min(seen.count(True), seen.count(False)) > 20


GAME: Final = '{"tags": [["Game", "yavalath"]], "comments": [], "plies": [%s], "result": "*"}'

BAD_LINES: Final = [
    '{"tags": ¦}',
    "¦" + "[" * 100_000,
    "¦[1]",
    "¦NaN",
    "¦" + "7" * 5000,
    "¦{}",
    GAME % '{"move": "e5"}, ¦{}',
    GAME % '{"move": "e5"}, {"move": ¦7}',
    GAME % '{"move": ¦"e5 d4"}',
    GAME % '{"move": "e5", "glyph": ¦"!!!"}',
    GAME % '{"move": "e5", "no de": ¦1}',
    GAME % '{"move": ¦"e5", "move": "d4"}',
    GAME % r'{"move": "e5", "comments": [[¦"\ud800"]]}',
    GAME % '{"move": "e5", "variations": [{"comments": [], "plies": ¦[]}]}',
    '{"tags": [¦["Game"]], "comments": [], "plies": [], "result": "*"}',
    r'{"tags": [["Game", ¦"a\nb"]], "comments": [], "plies": [], "result": "*"}',
    '{"tags": [["Game", "x"]], "comments": [], "plies": [], "result": ¦"2-0"}',
    '{"tags": ¦[["Event", "x"]], "comments": [], "plies": [], "result": "*"}',
]
"""Lines, with ¦ where they are at fault."""


def test_a_bad_line_is_told_of_in_its_place_and_reading_goes_on(golden: Golden) -> None:
    told = {}
    for marked in BAD_LINES:
        line, _, column = unmarked(marked)
        before, bad, after = entries("jsonlines", f"{LINE}\n\n{line}\n{LINE}")
        (problem,) = bad.problems
        assert (problem.line, problem.column, problem.record) == (3, column, 2)
        assert before.record == after.record == RECORD
        assert not before.problems + after.problems
        told[marked[:100]] = problem_of(bad)
    (bad,) = entries("jsonlines", GAME % '{"move": "e5"}, {"move": "5"}')
    told["a ply and its line"] = str(bad.problems[0])
    golden(told)


@given(st.binary(max_size=20), st.integers(0, len(LINE)), st.integers(0, 40))
def test_whatever_stands_on_a_line_it_is_one_entry_and_the_next_is_read(
    junk: bytes, at: int, cut: int
) -> None:
    line = (LINE.encode()[:at] + junk + LINE.encode()[at + cut :]).replace(b"\n", b"")
    *found, after = entries("jsonlines", line + b"\n" + LINE.encode())
    assert len(found) == (not line.isspace() and line != b"")
    assert all((entry.record is None) == bool(entry.problems) for entry in found)
    assert (after.record, after.problems) == (RECORD, ())


def nested(depth: int) -> dict[str, Any]:
    """Return a record with variations inside each other."""
    ply: dict[str, Any] = {"move": "e5"}
    for _ in range(depth):
        ply = {"move": "e5", "variations": [{"comments": [], "plies": [ply]}]}
    return {"tags": [["Game", "yavalath"]], "comments": [], "plies": [ply], "result": "*"}


def test_variations_nest_as_deep_as_in_the_text_and_no_deeper() -> None:
    deep, deeper = json.dumps(nested(MAX_NESTING)), json.dumps(nested(MAX_NESTING + 1))
    good, bad = entries("jsonlines", f"{deep}\n{deeper}\n")
    assert good.record is not None
    assert records_in("lath", whole("lath", [good.record])) == [good.record]
    assert "starts variations nested more than 100 deep" in bad.problems[0].message


def test_comments_are_read_as_the_text_would_have_them() -> None:
    comments = [["a  b\n", "[%emt", "1]", "", {"name": "clk", "value": "2"}], ["  "], []]
    record = from_json({**nested(0), "comments": comments})
    assert records_in("lath", whole("lath", [record])) == [record]
    said = [" ".join(map(str, parts)) for parts in record.comments]
    assert said == ["a b [%emt 1.000] [%clk 2.000]"]


def test_a_place_in_json_is_found_by_its_path() -> None:
    text = ' { "a" : [ 1 , {"b\\"]": [true, "x]"] } ] , "c":{} }'
    steps = ("a", 1, 'b"]', 1)
    assert json_path(steps) == '$.a[1]["b\\"]"][1]'
    assert text[offset(text, steps) :].startswith('"x]"')
    assert text[offset(text, ("c", "missing")) :].startswith("{}")
    assert offset(text, ("a", 9)) == text.index("[")
    assert offset(text, ()) == 1


def test_keys_that_come_twice_are_found_in_linear_time() -> None:
    """In quadratic time this test takes minutes."""
    pairs = ",".join(f'"k{number % 30_000}":{number}' for number in range(60_000))
    told = load(f'{{{pairs},"once":7}}')
    assert told.pop("once") == 7
    assert len(told) == 30_000
    assert len({type(value) for value in told.values()}) == 1
