"""The fast paths say what Lark and the rules say of every text; a planted difference is found."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import pytest
from lark import Lark
from places import OURS
from reading_campaign import (
    SOURCES,
    Counts,
    DifferenceError,
    by_lark,
    campaign,
    compare,
    content_of,
    few_from_grammar,
    finds_a_difference,
    rule_made,
    run,
    together,
    totals,
)

from lath import games
from lath.notation import Record, quick_check, reader, scanner, validation
from lath.notation.reader import Chunk
from lath.notation.record import Comment, Remembered, comment, record_as_read
from lath.notation.scanner import grammar, inside
from lath.notation.validation import validate

if TYPE_CHECKING:
    from pathlib import Path

    from lath.games.core import Position

# One worker of xdist: the texts are drawn and read by the slow path once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("test_scanner_fuzz")]

CASES: Final = 450

PLANTED_CASES: Final = 40_000
"""Cases in which a planted fault must be found; most are found in a few hundred."""


@pytest.mark.parametrize("source", SOURCES)
def test_the_fast_paths_say_what_the_slow_ones_do(source: str) -> None:
    counts = run(few_from_grammar()) if source == "grammar" else campaign(source, CASES)
    # what the grammar makes Lark refuses for its nesting only, if at all
    assert (source != "grammar") <= counts.refused < counts.texts
    assert 0 < counts.told <= min(counts.sound, counts.scanned)


def test_several_processes_find_what_one_does(tmp_path: Path) -> None:
    file = tmp_path / "games.lath"
    content = content_of(rule_made(80, 3), Random(3))
    file.write_bytes(content)
    with mock.patch.object(reader, "_BLOCK", 4_000):
        parts = list(validate(file, jobs=2))
        assert list(reader.entries(file, jobs=2)) == by_lark(content, str(file))
    assert len(parts) > 3
    assert together(parts) == totals(by_lark(content, str(file)))


def test_a_plain_record_ends_in_a_result(tmp_path: Path) -> None:
    file = tmp_path / "games.lath"
    for word, bad in (("1-0", 0), ("1/2", 1), ("2.", 1), ("d4", 1)):
        file.write_text(f'[Game "yavalath"]\n[Termination "time"]\n\n1. e5 {word}\n')
        (found,) = validate(file)
        assert found.bad == bad
    assert quick_check.plain_plies([file.read_text().replace("d4", "1-0")]) == [1]


def test_several_processes_read_the_lines_of_windows(tmp_path: Path) -> None:
    file = tmp_path / "games.lath"
    text = '[Game "yavalath"]\n[Termination "agreement"]\n\n1. e5 2. d4\n3. e4 1/2-1/2\n\n'
    for end in ("\n", "\r\n", "\t\n"):
        head, _, moves = text.partition("\n\n")
        file.write_bytes(f"{head}\n\n{moves.replace(chr(10), end, 1)}".encode() * 9)
        found = list(reader.entries(file, jobs=2))
        assert found == list(reader.entries(file))
        assert {entry.record and entry.record.moves for entry in found} == {("e5", "d4", "e4")}


Plant = Callable[[pytest.MonkeyPatch], None]
"""A fault is planted within the fast paths: into functions that nobody else calls."""


def a_grammar(old: str, new: str) -> Plant:
    """Return what makes the scanner from a changed grammar; Lark keeps the true one."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        assert old in grammar()
        text = grammar().replace(old, new)
        weaker = Lark(text, start="record", parser="lalr", maybe_placeholders=False)
        stored = {"grammar": scanner.digest(grammar()), **scanner.generated(weaker)}
        monkeypatch.setattr(scanner, "stored", stored.copy)
        monkeypatch.setattr(scanner, "patterns", cache(scanner.patterns.__wrapped__))
        tags = Remembered(scanner._tag_of_line, 50_000)
        monkeypatch.setattr(scanner, "TAGS", tags)
        monkeypatch.setattr(quick_check, "TAGS", tags)
        monkeypatch.setattr(scanner, "_comments", lambda text: tuple(filter(None, comments(text))))
        scanner.cut.cache_clear()

    return plant


def instead_of(module: object, name: str, value: object) -> Plant:
    """Return what puts a value in the place of another."""
    return lambda monkeypatch: monkeypatch.setattr(module, name, value)


def more_harmless(old: str, new: str) -> Plant:
    """Return what lets more comments pass as harmless."""
    assert old in quick_check._HARMLESS.pattern
    pattern = quick_check._HARMLESS.pattern.replace(old, new)
    return instead_of(quick_check, "_HARMLESS", re.compile(pattern, re.VERBOSE))


def comments(text: str) -> tuple[Comment, ...]:
    """Return all comments, even empty ones."""
    found = scanner.patterns().comment.findall(text)
    return tuple(comment(inside(braces or line)) for braces, line in found)


def record_without_its_last_ply(text: str) -> Record | None:
    record = scanner.scan(text)
    return record and record_as_read(record.tags, record.plies[:-1], record.result, record.comments)


START: Final = quick_check._start
SOUND_PLIES: Final = quick_check.sound_plies
_without_position = lambda game, setup, _, rules: START(game, setup, None, rules)  # noqa: E731
_ply_too_long = lambda text: (SOUND_PLIES(text) or -1) + 1 or None  # noqa: E731
_unread = lambda text: (found := quick_check.sound_game(text)) and found.record()  # noqa: E731

FAULTS: Final[dict[str, Plant]] = {
    "a move need not end its word": a_grammar(r"(?![^\s!?(){};])/", "/"),
    "a value has any escape": a_grammar(r'\\["\\]', r"\\."),
    "a value goes on over lines": a_grammar(r"[^\"\\\n\r]".replace(r"\"", '"'), r'[^"\\]'),
    "comments nest": a_grammar(r"\{[^}]*\}", r"\{(?:[^{}]|\{[^{}]*\})*\}"),
    "a line ends at a return": a_grammar(r";[^\n]*", r";[^\n\r]*"),
    "a tag need not be closed": a_grammar('STRING "]"', 'STRING "]"?'),
    "a move has many glyphs": a_grammar("GLYPH?", "GLYPH*"),
    "numbers begin at 0": instead_of(scanner, "NUMBERS", [f"{number}." for number in range(99)]),
    "escapes are not read": instead_of(scanner, "unquoted", lambda text: text[1:-1]),
    "empty comments are kept": instead_of(scanner, "_comments", comments),
    "an eval may be 2": more_harmless(r"-?(?:0(?:\.[0-9]*)?|1(?:\.0*)?)", "-?[0-9.]+"),
    "a time may be anything": more_harmless(r"[0-9]{1,9}(?:\.[0-9]*)?", r"[^\]]*"),
    "a depth may be any script's": more_harmless("[0-9]{1,18}", r"\d{1,18}"),
    "no annotation of a line is looked at": more_harmless(r";[^\n\[", r";[^\n"),
    "dates are not looked at": instead_of(quick_check, "_tags_are_sound", lambda *_: True),
    "endings are not looked at": instead_of(quick_check, "_ends_soundly", lambda *_: True),
    "positions are not looked at": instead_of(quick_check, "_start", _without_position),
    "a line of moves is a ply too long": instead_of(validation, "sound_plies", _ply_too_long),
    "any control divides words": instead_of(
        quick_check, "_words", lambda text: text.split() or [""]
    ),
    "what is not plain is a line further": instead_of(
        validation, "Chunk", lambda line, data, offset: Chunk(line + 1, data, offset)
    ),
    "the reader forgets a ply": instead_of(reader, "scan", record_without_its_last_ply),
    "a chunk ends anywhere": instead_of(
        reader, "_last_record", lambda buffer, _: buffer.rfind(b"\n[") + 1
    ),
    "what is said of moves is not read again": instead_of(reader, "bare_record", _unread),
    "records are not counted from chunk to chunk": instead_of(
        validation, "replace", lambda found, **_: found
    ),
}

RARE: Final = frozenset(
    {
        *("a depth may be any script's", "a line ends at a return", "a chunk ends anywhere"),
        *("a move need not end its word", "a value has any escape", "numbers begin at 0"),
    }
)
"""Faults that take thousands of texts to be found: `make soak` looks for them."""

TELLING: Final = {
    "a depth may be any script's": "1. e5 {[%depth \u0663]} *",
    "a line ends at a return": "1. e5 ; a\rb\n *",
    "a value has any escape": '[Event "a\\nb"]\n\n1. e5 *',
    "numbers begin at 0": "0. e5 *",
}
"""What shows some of them, below the tag of a game."""


@pytest.mark.parametrize("fault", [name for name in FAULTS if name not in RARE])
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[fault](monkeypatch)
    assert finds_a_difference(PLANTED_CASES)


def test_a_rare_fault_is_found_where_it_shows() -> None:
    for fault, moves in TELLING.items():
        text = f'[Game "yavalath"]\n{moves}'
        compare(text, Counts())
        with pytest.MonkeyPatch.context() as patch:
            FAULTS[fault](patch)
            with pytest.raises(DifferenceError):
                compare(text, Counts())


FORGETS: Final[dict[str, Callable[[Any, Position, Sequence[str]], object]]] = {
    "taken cells": lambda after, position, moves: after(position, list(dict.fromkeys(moves))),
    "to look at the last move": lambda after, position, moves: (
        after(position, moves) or after(position, moves[:-1])
    ),
    "the last move": lambda after, position, moves: (
        after(position, moves) and after(position, moves[:-1])
    ),
}


def forgets(game_id: str, kind: str, patch: pytest.MonkeyPatch) -> None:
    """Have a game whose lines forget something."""
    of_game: Any = type(games.get(game_id).start())
    after, forget = of_game.after, FORGETS[kind]
    patch.setattr(of_game, "after", lambda position, moves: forget(after, position, moves))


def test_a_game_whose_lines_forget_something_is_found() -> None:
    unnoticed = []
    for game_id in OURS:
        for kind in FORGETS:
            with pytest.MonkeyPatch.context() as patch:
                forgets(game_id, kind, patch)
                if not finds_a_difference(PLANTED_CASES, about=f'[Game "{game_id}"]'):
                    unnoticed.append((game_id, kind))
    assert unnoticed == []


def test_nothing_is_found_where_nothing_is_planted() -> None:
    assert not finds_a_difference(CASES)
