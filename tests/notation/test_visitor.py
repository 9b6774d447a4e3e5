"""Visitors: what they are told of, and what SKIP passes by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from hypothesis import given
from record_strategies import RECORDS

from lath import notation
from lath.notation import SKIP, Annotation, Ply, Record, Visitor, walk
from lath.notation.errors import Problem, RecordError
from lath.notation.reader import entry_of
from lath.notation.record import all_comments, all_plies

if TYPE_CHECKING:
    from pathlib import Path

    from lath.notation.visitor import Answer

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
    with mock.patch("lath.notation.visitor.entry_of", wraps=entry_of) as read:
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
