"""Every message about a broken record, word for word, with its line and its caret.

`problem_messages.txt` has them: a name, a file, a line of dashes, the messages. Where the name ends
in [bytes], the file is written as in Python: `\\xff` is a byte.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import OURS, ROOT
from problem_cases import CASES, Case, problems_in
from wrong_values import CASES as WRONG_VALUES

from lath import games
from lath.games.errors import MoveSyntaxError
from lath.notation import reader as pieces_module
from lath.notation.errors import Problem
from lath.notation.parser import lark

CODES = {
    "annotation", "encoding", "illegal-move", "move", "ply-number", "position", "result", "rules",
    "setup", "size", "syntax", "tag", "termination", "unknown-game",
}  # fmt: skip
"""As docs/notation.md lists them."""

TERMINALS = [terminal.name for terminal in lark().terminals]


def told(problem: Problem) -> str:
    """Return message and expectation, as people are told them."""
    return f"{problem.message}; expected {problem.expected}"


PROBLEMS = [problem for case in CASES for problem in problems_in(case.content)]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_broken_record_is_answered_word_for_word(case: Case) -> None:
    assert "\n\n".join(map(str, problems_in(case.content))) == case.messages


def test_no_two_cases_of_the_table_have_the_same_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 200


def test_the_table_has_a_record_for_every_code_but_size() -> None:
    assert {problem.code for problem in PROBLEMS} == CODES - {"size"}


# What the source can say must stand in the table: its texts are read as patterns.

REASONS = {"why_illegal", "_why_kept"}
"""The functions of games that say why a move is not legal."""

UNREACHABLE = {
    "{self.game.id} has no such move": "a record's word is read first, and refused as no move",
    "{game.id} has no such move": "the same",
    "game {game_id} ({point.value}) cannot be loaded: {error}": "a broken plugin",
    "the entry point {game_id} ({point.value}) is the game {game.id}": "a broken plugin",
    "a record of more than {MAX_RECORD} bytes": "shown with a smaller limit below",
    "a record of more than {MAX_PARTS} {what}": "shown in test_limits",
    "a record of more than {MAX_WORDS} words": "shown in test_limits",
    "the tag {name} is not set here": "a refusal of Builder.tag, shown in test_builder",
    "{game} is no id of a game, nor a record": "a refusal of Builder, shown in test_builder",
    "the tag {name} would stand there twice": "a refusal of retag, shown in test_changes",
    "its text is read as another record": "of a value made in Python, shown in test_values",
}
"""What no record of the table can be told, and why."""

NOT_FOR = {
    "no {word} piece is left in the box": {"manalath-61"},
}
"""Reasons that games of a module cannot have: there is a piece for each cell."""


def source_of(node: ast.expr) -> str:
    """Return a text of the source as it is written there, without quotes."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(
        f"{{{ast.unparse(part.value)}}}" if isinstance(part, ast.FormattedValue) else _said(part)
        for part in parts
    )


def _said(node: ast.expr) -> str:
    assert isinstance(node, ast.Constant)
    return str(node.value)


def pattern_of(text: str) -> re.Pattern[str]:
    """Return what matches a text of the source with anything for what it puts in."""
    return re.compile(".*".join(map(re.escape, re.split(r"\{[^{}]*\}", text))))


def texts_in(node: ast.AST | None) -> Iterator[str]:
    """Yield the texts that an expression may be: both of `a if x else b`."""
    if isinstance(node, ast.IfExp):
        yield from texts_in(node.body)
        yield from texts_in(node.orelse)
    elif isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value
    ):
        yield source_of(node)


def functions_of(path: Path) -> list[ast.FunctionDef]:
    """Return the functions of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def calls_in(node: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call with the name of what is called."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            yield call.func.id, call


def reasons_of(path: Path) -> set[str]:
    """Return why the game of a module may call a move illegal."""
    return {
        text
        for function in functions_of(path)
        if function.name in REASONS
        for node in ast.walk(function)
        if isinstance(node, ast.Return)
        for text in texts_in(node.value)
    }


def refusals_of(path: Path) -> set[str]:
    """Return what a module of games refuses of names, setups and positions."""
    errors = {"UnknownGameError", "SetupError", "PositionError"}
    return {
        text
        for function in functions_of(path)
        for name, call in calls_in(function)
        if name in errors
        for text in texts_in(call.args[0])
    }


def faults_of(path: Path) -> set[str]:
    """Return the messages of the faults that a module of the notation makes.

    A message is a text, or a name that stands for one elsewhere in the same function.
    """
    found: set[str] = set()
    for function in functions_of(path):
        named: dict[str, list[str]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target, value in _assigned(node):
                    named.setdefault(target, []).extend(texts_in(value))
        for name, call in calls_in(function):
            second, first = call.args[1:2], call.args[:1]
            for node in {"Fault": second, "_syntax": second, "_refused": first}.get(name, []):
                found.update(
                    named.get(node.id, ()) if isinstance(node, ast.Name) else texts_in(node)
                )
    return found


def _assigned(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    for target in node.targets:
        if isinstance(target, ast.Name):
            yield target.id, node.value
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for part, value in zip(target.elts, node.value.elts, strict=True):
                if isinstance(part, ast.Name):
                    yield part.id, value


def missing_from(told_of: list[str], texts: set[str]) -> list[str]:
    """Return the texts that match nothing of what is told."""
    return sorted(
        text
        for text in texts - UNREACHABLE.keys()
        if not any(pattern_of(text).search(message) for message in told_of)
    )


def module_of(game_id: str) -> Path:
    """Return the module that has the rules of a game."""
    return ROOT / "games" / f"{game_id.removesuffix('-plus').removesuffix('-61')}.py"


def game_of(case: Case) -> str:
    """Return the game of the only record of a case; empty where there is none."""
    named = re.match(rb'\[Game "([a-z0-9-]+)"\]', case.content)
    return named[1].decode() if named else ""


@pytest.mark.parametrize("game_id", OURS)
def test_the_table_has_every_reason_for_which_a_game_calls_a_move_illegal(game_id: str) -> None:
    reasons = reasons_of(module_of(game_id))
    assert len(reasons) >= 4
    messages = [
        problem.message
        for case in CASES
        if game_of(case) == game_id
        for problem in problems_in(case.content)
        if problem.code == "illegal-move"
    ]
    possible = {reason for reason in reasons if game_id not in NOT_FOR.get(reason, ())}
    assert missing_from(messages, possible) == []


@pytest.mark.parametrize("kind", ["line", "block"])
def test_the_table_has_lines_and_blocks_that_cannot_be_released(kind: str) -> None:
    assert any(f": the {kind} " in problem.message for problem in PROBLEMS)


def test_the_table_has_every_reason_to_refuse_a_game_a_setup_or_a_position() -> None:
    ours = {module_of(game_id) for game_id in OURS}
    paths = ours.union(
        ROOT / "games" / f"{name}.py" for name in ("__init__", "board", "reach", "stones")
    )
    refusals = {path.name: refusals_of(path) for path in paths}
    assert sum(map(len, refusals.values())) >= 30
    messages = [
        f"{problem.message}, expected {problem.expected}"
        for problem in PROBLEMS
        if problem.code in ("setup", "position", "unknown-game")
    ]
    assert {name: missing_from(messages, texts) for name, texts in refusals.items()} == {
        name: [] for name in refusals
    }


@pytest.mark.parametrize("game_id", OURS)
def test_the_table_has_what_every_game_expects_instead_of_a_word_that_is_no_move(
    game_id: str,
) -> None:
    with pytest.raises(MoveSyntaxError) as refusal:
        games.get(game_id).canonical("zz")
    expected = refusal.value.expected.removeprefix("expected ")
    message = f" is not a move of {game_id}; expected {expected}"
    assert any(told(problem).endswith(message) for problem in PROBLEMS)


def test_the_table_has_every_message_of_the_notation() -> None:
    faults = {path.name: faults_of(path) for path in (ROOT / "notation").glob("*.py")}
    assert sum(map(len, faults.values())) >= 50
    messages = [problem.message for problem in PROBLEMS] + [wrong.told for wrong in WRONG_VALUES]
    assert {name: missing_from(messages, texts) for name, texts in faults.items()} == {
        name: [] for name in faults
    }


def test_a_reason_that_is_not_in_the_table_would_be_found(tmp_path: Path) -> None:
    module = tmp_path / "go.py"
    module.write_text(
        "class Go:\n"
        "    def why_illegal(self, move):\n"
        "        return f'{move} is a ko' if self.ko else None\n"
        "    def position(self, text):\n"
        "        raise PositionError(f'{text} has no liberties')\n"
        "def check(at):\n"
        "    message = f'komi {at} is odd'\n"
        "    return Fault('tag', message, at=at)\n"
    )
    messages = [problem.message for problem in PROBLEMS]
    assert missing_from(messages, reasons_of(module)) == ["{move} is a ko"]
    assert missing_from(messages, refusals_of(module)) == ["{text} has no liberties"]
    assert missing_from(messages, faults_of(module)) == ["komi {at} is odd"]


# What holds for every message.


def test_no_message_shows_the_name_of_a_terminal() -> None:
    for problem in PROBLEMS:
        assert not [name for name in TERMINALS if re.search(rf"\b{name}\b", told(problem))]
        assert "__" not in told(problem)


def test_every_message_is_one_line_that_says_what_was_expected_in_its_place() -> None:
    for problem in PROBLEMS:
        assert "\n" not in str(problem).split(" (record ")[0]
        assert ", expected " not in problem.message, "this belongs to the field"
        assert not problem.message.endswith(".")
        assert problem.message[:1] != " "


def test_what_was_meant_is_what_the_game_or_the_notation_reads() -> None:
    meant = {problem.meant: problem for problem in PROBLEMS if problem.meant}
    assert len(meant) >= 15
    for word, problem in meant.items():
        assert word != problem.source[problem.column - 1 :].split(" ")[0]
        if problem.code == "move":
            game_id = next(id_ for id_ in OURS if f" {id_}" in f" {problem.message}")
            assert games.get(game_id).canonical(word) == word


def test_the_caret_stands_under_the_column() -> None:
    for problem in PROBLEMS:
        _, shown, caret = str(problem).split("\n")
        widths = [width(letter) for letter in shown]
        room = sum(map(width, caret[:-1]))
        index = next(i for i in range(len(shown) + 1) if sum(widths[:i]) >= room)
        letter = problem.source[problem.column - 1 : problem.column]
        if letter.isprintable() and "…" not in shown:
            assert shown[index : index + 1] == letter, str(problem)


def width(letter: str) -> int:
    """Return how many columns of a terminal a letter takes; a tab as much as in the line above."""
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


# What the table cannot show.


def test_a_record_that_is_too_long_is_named_with_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pieces_module, "MAX_RECORD", 100)
    (problem,) = problems_in(b'[Game "yavalath"]\n[Event "' + b"x" * 200 + b'"]\n\n*\n')
    assert str(problem) == (
        "games.lath:1:1: error[size]: a record of more than 100 bytes (record 1)\n"
        '  [Game "yavalath"]\n'
        "  ^"
    )


def test_a_letter_that_cannot_be_seen_is_named_and_shown_as_a_dot() -> None:
    (problem,) = problems_in('[Game "yavalath"]\n\n1. e5\u202e *\n'.encode())
    assert str(problem) == (
        "games.lath:3:6: error[syntax]: '\\u202e' (right-to-left override) does not belong in the "
        "move 'e5'; expected letters, digits and + - = : @ / only (record 1)\n"
        "  1. e5· *\n"
        "       ^"
    )


def test_a_message_moves_no_terminal() -> None:
    (problem,) = problems_in(b'[Game "yavalath"]\n[Result "\x1b[2J"]\n\n*\n')
    assert str(problem) == (
        "games.lath:2:1: error[result]: '\\x1b[2J' is no result; "
        "expected 1-0, 0-1, 1/2-1/2 or * (record 1)\n"
        '  [Result "·[2J"]\n'
        "  ^"
    )


def test_a_name_of_a_file_moves_no_terminal_either() -> None:
    (problem,) = problems_in(b"hello\n")
    named = dataclasses.replace(problem, file="a\x1b[2J\udcff.lath")
    assert str(named).startswith("a·[2J·.lath:1:1: error[syntax]: ")


def test_of_a_very_long_value_the_message_shows_both_ends() -> None:
    (problem,) = problems_in(b'[Game "' + b"x" * 100_000 + b'"]\n\n*\n')
    first, *_ = str(problem).splitlines()
    assert len(first) < 600
    assert "unknown game 'xxx" in first
    assert "surikata, yavalath (record 1)" in first


def test_of_a_long_line_only_the_part_round_the_mistake_is_shown() -> None:
    movetext = f"1. e5 {{{'a' * 500}}} 2. e5 {{{'b' * 500}}} *"
    (problem,) = problems_in(f'[Game "yavalath"]\n\n{movetext}\n'.encode())
    _, shown, caret = str(problem).splitlines()
    assert (problem.column, len(shown), shown[:3], shown[-1]) == (513, 102, "  …", "…")
    assert shown[len(caret) - 1 :].startswith("e5 {b")
    assert problem.source == movetext


def test_the_number_of_the_record_is_told() -> None:
    text = '[Game "yavalath"]\n\n1. e5 *\n\n[Game "yavalath"]\n\n1. e6x\n'
    (problem,) = problems_in(text.encode())
    assert (problem.record, problem.line) == (2, 7)
    assert "(record 2)" in str(problem)


def test_many_problems_in_one_long_line_take_no_more_than_linear_time_and_room() -> None:
    movetext = "1. e5 " + "{[%emt x]} " * 10_000
    found = problems_in(f'[Game "yavalath"]\n\n{movetext}*\n'.encode())
    assert len(found) == 10_000
    assert len({id(problem.source) for problem in found}) == 1


def test_many_tags_are_read_in_linear_time() -> None:
    tags = "".join(f'[Tag{number} "x"]\n' for number in range(20_000))
    assert problems_in(f'[Game "yavalath"]\n{tags}\n*\n'.encode()) == []


def test_a_tag_in_a_value_or_in_a_comment_is_not_taken_for_the_one_at_fault() -> None:
    text = '[Game "yavalath"]\n[Event "[Date \\"x\\"]"]\n[Date "x"]\n\n{[Date "y"]} *\n'
    (problem,) = problems_in(text.encode())
    assert (problem.line, problem.column) == (3, 1)


def test_a_program_gets_the_same_fields_as_json() -> None:
    (problem,) = problems_in(b'[Game "yavalath"]\n\n1. e5 2. E4 *\n')
    assert json.loads(json.dumps(problem.as_json())) == {
        "file": "games.lath",
        "line": 3,
        "column": 10,
        "code": "move",
        "message": "'E4' is not a move of yavalath",
        "expected": "a cell from a1 to i5, or swap",
        "record": 1,
        "ply": 2,
        "source": "1. e5 2. E4 *",
        "meant": "e4",
    }


@pytest.mark.parametrize("letters", [3, 677])
def test_a_place_beyond_its_line_is_shown_at_the_end(letters: int) -> None:
    place = {"file": "a.json", "line": 1, "column": 729, "source": "x" * letters}
    what = {"code": "syntax", "message": "it ends here", "expected": "a value"}
    problem = Problem(record=1, ply=None, **place, **what)  # type: ignore[arg-type]
    _, shown, caret = str(problem).splitlines()
    assert len(caret.rstrip()) == len(shown) + 1
