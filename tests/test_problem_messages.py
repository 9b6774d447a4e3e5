"""Every message about a broken record, word for word, with its line and its caret.

`problem_messages.txt` has them: a name, a file, a line of dashes, the message.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from notation.errors import Problem
from notation.parser import lark
from notation.reader import entries_of

CODES = {
    "annotation", "encoding", "illegal-move", "move", "ply-number", "position", "result", "setup",
    "size", "syntax", "tag", "termination", "unknown-game",
}  # fmt: skip
"""As docs/notation.md lists them."""

TERMINALS = [terminal.name for terminal in lark().terminals]

TABLE = Path(__file__).parent / "problem_messages.txt"


def problems_in(content: bytes) -> list[Problem]:
    """Return everything that is wrong in a file."""
    return [
        problem
        for entry in entries_of(io.BytesIO(content), "games.lath")
        for problem in entry.problems
    ]


def cases() -> Iterator[tuple[str, str, str]]:
    """Yield name, text and message of each broken record of the table."""
    for case in TABLE.read_text(encoding="utf-8").removeprefix("=== ").split("\n=== "):
        name, _, rest = case.partition("\n")
        text, _, message = rest.partition("---\n")
        yield name, text, message.rstrip("\n")


CASES = list(cases())


@pytest.mark.parametrize(
    ("text", "message"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_a_broken_record_is_answered_word_for_word(text: str, message: str) -> None:
    (problem,) = problems_in(text.encode())
    assert str(problem) == message


def test_the_table_has_a_record_for_nearly_every_code() -> None:
    assert len(CASES) >= 40
    shown = {problem.code for _, text, _ in CASES for problem in problems_in(text.encode())}
    assert shown == CODES - {"encoding", "size"}


def test_no_message_shows_the_name_of_a_terminal() -> None:
    for _, text, _ in CASES:
        (problem,) = problems_in(text.encode())
        told = f"{problem.message} {problem.expected}"
        assert not [name for name in TERMINALS if re.search(rf"\b{name}\b", told)]
        assert "__" not in told
        assert "$" not in told


def test_a_byte_that_is_not_utf_8_ends_what_is_shown_of_its_line() -> None:
    (problem,) = problems_in(b'[Game "yavalath"]\n[First "J\xfcrgen"]\n\n*\n')
    assert str(problem) == (
        "games.lath:2:10: error[encoding]: byte 0xfc is not UTF-8; expected UTF-8 text (record 1)\n"
        '  [First "J\N{REPLACEMENT CHARACTER}\n'
        "           ^"
    )


def test_a_letter_that_cannot_be_seen_is_shown_as_a_dot() -> None:
    (problem,) = problems_in('[Game "yavalath"]\n\n1. e5\u202e *\n'.encode())
    assert str(problem) == (
        "games.lath:3:4: error[syntax]: 'e5\\u202e' does not belong here; "
        "expected a move (record 1)\n"
        "  1. e5· *\n"
        "     ^"
    )


def test_a_message_moves_no_terminal() -> None:
    (problem,) = problems_in(b'[Game "yavalath"]\n[Result "\x1b[2J"]\n\n*\n')
    assert str(problem) == (
        "games.lath:2:1: error[result]: the tag says ·[2J, but the moves end in *; "
        "expected the same result twice (record 1)\n"
        '  [Result "·[2J"]\n'
        "  ^"
    )


def test_a_tab_before_the_mistake_keeps_the_caret_in_its_place() -> None:
    (problem,) = problems_in(b'[Game "yavalath"]\n\n1. e5\t2. e5 *\n')
    assert str(problem).splitlines()[1:] == ["  1. e5\t2. e5 *", "       \t   ^"]


def test_of_a_long_line_only_the_part_round_the_mistake_is_shown() -> None:
    movetext = f"1. e5 {{{'a' * 500}}} 2. e5 {{{'b' * 500}}} *"
    (problem,) = problems_in(f'[Game "yavalath"]\n\n{movetext}\n'.encode())
    _, shown, caret = str(problem).splitlines()
    assert (problem.column, len(shown), shown[:3]) == (513, 102, "  …")
    assert shown[len(caret) - 1 :].startswith("e5 {b")
    assert problem.source == movetext


def test_the_number_of_the_record_is_told() -> None:
    text = '[Game "yavalath"]\n\n1. e5 *\n\n[Game "yavalath"]\n\n1. e6x\n'
    (problem,) = problems_in(text.encode())
    assert (problem.record, problem.line) == (2, 7)
    assert "(record 2)" in str(problem)


def test_a_program_gets_the_same_fields_as_json() -> None:
    (problem,) = problems_in(b'[Game "yavalath"]\n\n1. e5 2. e5 *\n')
    assert json.loads(json.dumps(problem.as_json())) == {
        "file": "games.lath",
        "line": 3,
        "column": 10,
        "code": "illegal-move",
        "message": "illegal move e5: e5 already has a stone",
        "expected": "",
        "record": 1,
        "ply": 2,
        "source": "1. e5 2. e5 *",
    }
