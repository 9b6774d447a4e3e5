"""Every message about a broken record, with its line and its caret.

The records stand in `broken_records.txt`, what is said of them in `messages.txt`.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import unicodedata
from itertools import accumulate
from typing import TYPE_CHECKING

import pytest
from places import OURS, OWN_TEXT, ROOT
from problem_cases import CASES, problems_in
from wrong_values import CASES as WRONG_VALUES
from wrong_values import refusal_of

from lath import games
from lath.games.errors import MoveSyntaxError
from lath.notation.text.parser import lark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from golden import Golden

    from lath.notation.record.errors import Problem

PROBLEMS = [problem for case in CASES for problem in problems_in(case.content)]
MESSAGES = [problem.message for problem in PROBLEMS]


def expecting(problem: Problem) -> str:
    return f"{problem.message}; expected {problem.expected}"


def test_a_broken_record_is_answered_word_for_word(golden: Golden) -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    said = {case.name: "\n\n".join(map(str, problems_in(case.content))) for case in CASES}
    assert all(said.values())
    golden(said, GAMES=", ".join(games.ids()))


def test_the_table_has_a_record_for_every_code_but_size() -> None:
    """`test_docs.py` holds that the page lists them."""
    assert {problem.code for problem in PROBLEMS} == {
        *("annotation", "encoding", "illegal-move", "move", "ply-number", "position", "result"),
        *("rules", "setup", "syntax", "tag", "termination", "unknown-game"),
    }


# What the source can say must stand in the table: its texts are read as patterns.

UNREACHABLE = {
    "{self.game.id} does not have this move": "a record's word is refused before that",
    "{game.id} does not have this move": "the same",
    "game {game_id} ({point.value}) cannot be loaded: {error}": "a broken plugin",
    "the entry point {game_id} ({point.value}) is the game {game.id}": "a broken plugin",
    "the record has more than {MAX_RECORD} bytes": "shown in test_reader",
    "the record has more than {MAX_PARTS} {what}": "shown in test_hostile_text",
    "the record has more than {MAX_WORDS} words": "shown in test_hostile_text",
    "the tag {name} is not set here": "a refusal of Builder.tag, shown in test_values",
    "{game} is neither a game id nor a record": "a refusal of Builder, shown in test_values",
    "the tag {name} would appear twice": "a refusal of retag, shown in test_values",
    "the text of the record reads back as a different record": "shown in test_values",
}
"""What no record of the table can be told, and why."""

NOT_FOR = {"the box has no {word} piece left": {"manalath-61"}}
"""Reasons that games of a module cannot have: there is a piece for each cell."""


def texts_in(node: ast.AST | None) -> Iterator[str]:
    """Yield the texts that an expression may be, without quotes: both of `a if x else b`."""
    if isinstance(node, ast.IfExp):
        yield from texts_in(node.body)
        yield from texts_in(node.orelse)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(map(source_of, node.values))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value


def source_of(part: ast.expr) -> str:
    """Return a part of a text as it is written there."""
    value = part.value  # type: ignore[attr-defined]  # a text, or what is put in
    return value if isinstance(value, str) else f"{{{ast.unparse(value)}}}"


def texts_of(path: Path, calls: Mapping[str, int], *functions: str) -> set[str]:
    """Return the texts of a module that functions return, or that calls have at a place.

    A text may have a name, to which the same function gives it.
    """
    found, tree = set[str](), ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        named: dict[str, list[str]] = {}
        texts: list[ast.expr | None] = []
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and function.name in functions:
                texts.append(node.value)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                place = calls.get(node.func.id, len(node.args))
                texts += node.args[place : place + 1]
            for name, value in assigned(node):
                named.setdefault(name, []).extend(texts_in(value))
        for text in texts:
            found |= {*(named.get(text.id, ()) if isinstance(text, ast.Name) else texts_in(text))}
    return found


def assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield names and what they are set to, those of tuples part by part."""
    for target in node.targets if isinstance(node, ast.Assign) else ():
        value = node.value  # type: ignore[attr-defined]  # it is an Assign
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=True))
        yield from ((name.id, part) for name, part in pairs if isinstance(name, ast.Name))


def reasons_of(path: Path) -> set[str]:
    """Return why the game of a module may call a move illegal."""
    return texts_of(path, {}, "why_illegal", "_why_kept")


def refusals_of(path: Path) -> set[str]:
    """Return what a module of games refuses of names, setups and positions."""
    return texts_of(path, {"UnknownGameError": 0, "SetupError": 0, "PositionError": 0})


def faults_of(path: Path) -> set[str]:
    """Return the messages of the faults that a module of the notation makes."""
    return texts_of(path, {"Fault": 1, "_syntax": 1, "_refused": 0})


def missing_from(messages: list[str], texts: set[str]) -> list[str]:
    """Return the texts that match nothing of what is told, with anything for what they put in."""
    patterns = {
        text: re.compile(".*".join(map(re.escape, re.split(r"\{[^{}]*\}", text))))
        for text in texts - UNREACHABLE.keys()
    }
    return sorted(
        text for text, pattern in patterns.items() if not any(map(pattern.search, messages))
    )


def module_of(game_id: str) -> Path:
    name = game_id.removesuffix("-plus").removesuffix("-61")
    return ROOT / "games" / f"{'lines' if name == 'yavalath' else name}.py"


@pytest.mark.parametrize("game_id", OURS)
def test_the_table_has_every_reason_for_which_a_game_calls_a_move_illegal(game_id: str) -> None:
    reasons = reasons_of(module_of(game_id))
    assert len(reasons) >= 4
    messages = [
        problem.message
        for case in CASES
        if case.content.startswith(f'[Game "{game_id}"]'.encode())
        for problem in problems_in(case.content)
        if problem.code == "illegal-move"
    ]
    possible = {reason for reason in reasons if game_id not in NOT_FOR.get(reason, ())}
    assert missing_from(messages, possible) == []
    with pytest.raises(MoveSyntaxError) as refusal:
        games.get(game_id).canonical("zz")
    told = f"is not a move of {game_id}; expected {refusal.value.expected}"
    assert any(expecting(problem).endswith(told) for problem in PROBLEMS)


def test_the_table_has_lines_and_blocks_that_cannot_be_released() -> None:
    for kind in ("line", "block"):
        assert any(f": the {kind} " in message for message in MESSAGES)


def test_the_table_has_every_reason_to_refuse_a_game_a_setup_or_a_position() -> None:
    others = (ROOT / "games" / f"{name}.py" for name in ("__init__", "board", "reach", "stones"))
    refusals = {text for path in (*map(module_of, OURS), *others) for text in refusals_of(path)}
    assert len(refusals) >= 25
    messages = [
        f"{problem.message}, expected {problem.expected}"
        for problem in PROBLEMS
        if problem.code in ("setup", "position", "unknown-game")
    ]
    assert missing_from(messages, refusals) == []


def test_the_table_has_every_message_of_the_notation() -> None:
    faults = {text for path in OWN_TEXT for text in faults_of(path)}
    assert len(faults) >= 50
    assert missing_from([*MESSAGES, *map(str, map(refusal_of, WRONG_VALUES))], faults) == []


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
    assert missing_from(MESSAGES, reasons_of(module)) == ["{move} is a ko"]
    assert missing_from(MESSAGES, refusals_of(module)) == ["{text} has no liberties"]
    assert missing_from(MESSAGES, faults_of(module)) == ["komi {at} is odd"]


# What holds for every message.


def test_every_message_is_one_line_of_english_with_what_was_expected_in_its_place() -> None:
    terminals = re.compile(rf"\b({'|'.join(one.name for one in lark().terminals)})\b|__")
    wrong = [
        problem
        for problem in PROBLEMS
        if "\n" in str(problem).split(" (record ")[0]
        or ", expected " in problem.message
        or problem.message.endswith(".")
        or problem.message.startswith(" ")
        or terminals.search(expecting(problem))
    ]
    assert wrong == []


def test_what_was_meant_is_what_the_game_or_the_notation_reads() -> None:
    meant = {problem.meant: problem for problem in PROBLEMS if problem.meant}
    assert len(meant) >= 15
    for word, problem in meant.items():
        assert word != problem.source[problem.column - 1 :].split(" ")[0]
        if problem.code == "move":
            game_id = next(id_ for id_ in OURS if f" {id_}" in f" {problem.message}")
            assert games.get(game_id).canonical(word) == word


def width(letter: str) -> int:
    """Return how many columns of a terminal a letter takes; a tab as much as in the line above."""
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def test_the_caret_stands_under_the_column() -> None:
    for problem in PROBLEMS:
        _, shown, caret = str(problem).split("\n")
        room = sum(map(width, caret[:-1]))
        ends = [0, *accumulate(map(width, shown))]
        index = next(at for at, end in enumerate(ends) if end >= room)
        letter = problem.source[problem.column - 1 : problem.column]
        if letter.isprintable() and "…" not in shown:
            assert shown[index : index + 1] == letter, str(problem)


# What the table cannot show.


def test_a_name_of_a_file_moves_no_terminal() -> None:
    named = dataclasses.replace(PROBLEMS[0], file="a\x1b[2J\udcff.lath")
    assert str(named).startswith("a·[2J·.lath:1:1: error[")


def test_of_what_is_very_long_a_part_is_shown() -> None:
    (problem,) = problems_in(b'[Game "' + b"x" * 100_000 + b'"]\n\n*\n')
    first, *_ = str(problem).splitlines()
    assert len(first) < 600, "both ends of a value"
    assert "unknown game 'xxx" in first
    assert "surikata, yavalath (record 1)" in first
    movetext = f"1. e5 {{{'a' * 500}}} 2. e5 {{{'b' * 500}}} *"
    (problem,) = problems_in(f'[Game "yavalath"]\n\n{movetext}\n'.encode())
    _, shown, caret = str(problem).splitlines()
    assert (problem.column, len(shown), shown[:3], shown[-1]) == (513, 102, "  …", "…")
    assert shown[len(caret) - 1 :].startswith("e5 {b")
    assert problem.source == movetext


@pytest.mark.parametrize("letters", [3, 677])
def test_a_place_beyond_its_line_is_shown_at_the_end(letters: int) -> None:
    problem = dataclasses.replace(PROBLEMS[0], column=729, source="x" * letters)
    _, shown, caret = str(problem).splitlines()
    assert len(caret.rstrip()) == len(shown) + 1


def test_many_problems_and_many_tags_take_no_more_than_linear_time_and_room() -> None:
    movetext = "1. e5 " + "{[%emt x]} " * 10_000
    found = problems_in(f'[Game "yavalath"]\n\n{movetext}*\n'.encode())
    assert len(found) == 10_000
    assert len({id(problem.source) for problem in found}) == 1
    tags = "".join(f'[Tag{number} "x"]\n' for number in range(20_000))
    assert problems_in(f'[Game "yavalath"]\n{tags}\n*\n'.encode()) == []


def test_a_program_gets_the_place_as_fields() -> None:
    text = '[Game "yavalath"]\n[Event "[Date \\"x\\"]"]\n[Date "x"]\n\n{[Date "y"]} *\n'
    text += '\n[Game "yavalath"]\n\n1. e5 2. E4 *\n'
    date, move = (problem.as_json() for problem in problems_in(text.encode()))
    assert (date["line"], date["column"]) == (3, 1), "not that in a value or a comment"
    del move["message"], move["expected"]
    assert move == {
        "file": "games.lath",
        "line": 9,
        "column": 10,
        "code": "move",
        "record": 2,
        "ply": 2,
        "source": "1. e5 2. E4 *",
        "meant": "e4",
    }
