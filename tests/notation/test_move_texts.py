"""Moves whose texts need escaping: readers, formats and bots keep their one escaped form."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from asked_games import database_of, found_alike
from exploring import one_in
from format_files import entries, records_in, whole
from game_files import forget_games, write_game
from hypothesis import given
from hypothesis import strategies as st
from odd_moves import TEXTS, odd_rules
from sample_records import random_game

from lath.arena.referee.match import read_answer
from lath.arena.terminal.play import read_typed
from lath.bots import sdk
from lath.games import files
from lath.games.core import Game, Move, escaped, meant_escape, plain_move, read_move, unescaped
from lath.games.errors import MoveSyntaxError
from lath.games.trial import wrong_with
from lath.notation import Record, format_record
from lath.notation.rules.quick_check import valid_plies
from lath.notation.text import scanner
from lath.notation.text.parser import parse_closely
from lath.notation.tokens import is_move

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9)


@given(ANY_TEXT | st.text("a1%2Cc ,*#+=:@/-", min_size=1, max_size=9))
@one_in(1)
def test_every_text_has_one_escaped_form_which_is_a_move(text: str) -> None:
    move = escaped(text)
    assert is_move(move)
    assert (unescaped(move), meant_escape(move)) == (text, move)
    assert plain_move(move) == (text if text.isprintable() else move)
    assert (move == text) == (is_move(text) is not None and "%" not in text)


@given(st.from_regex(r"(?:[A-Za-z]|%[0-9A-F]{2})(?:[a-c+=-]|%[0-9A-F]{2})*", fullmatch=True))
@one_in(1)
def test_a_move_is_the_escaped_form_of_its_text_or_refused(move: str) -> None:
    assert is_move(move)
    if (meant := meant_escape(move)) == move:
        assert escaped(unescaped(move)) == move
        return
    with pytest.raises(MoveSyntaxError) as refused:
        unescaped(move)
    assert refused.value.expected == (meant or "a text, or UTF-8 escaped by %XX")


def test_an_empty_text_has_no_escaped_form_and_is_none() -> None:
    with pytest.raises(ValueError, match="at least one character"):
        escaped("")
    with pytest.raises(MoveSyntaxError, match="expected a text"):
        unescaped("")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    yield files.add(write_game(tmp_path_factory.mktemp("odd"), odd_rules()))
    forget_games()


@pytest.fixture(scope="module")
def played(odd: Game) -> list[Record]:
    found = [random_game(odd.id, seed, annotated=seed % 2 == 0) for seed in range(8)]
    assert {unescaped(move) for record in found for move in record.moves} == {*TEXTS}
    return found


def test_such_a_game_keeps_the_contract_and_is_told_how(odd: Game, tmp_path: Path) -> None:
    assert wrong_with(odd, games=5) == ""
    for moves in (f"{list(TEXTS)!r}", "['%61', *map(escaped, 'bcdefg')]", "['', *'bcdefg']"):
        path = write_game(tmp_path, odd_rules(moves).replace("odd-columns", "odder"))
        with pytest.raises(ValueError, match=r"write Move\(escaped\(text\)\)"):
            files.add(path)


def test_every_reader_returns_the_same_record(played: list[Record]) -> None:
    for record in played:
        text = format_record(record)
        assert parse_closely(text).record == record == scanner.scan(text)
        assert valid_plies(text) == len(record.plies)


@pytest.mark.parametrize("name", ["lath", "jsonlines", "csv", "parquet"])
def test_every_format_returns_the_same_records(played: list[Record], name: str) -> None:
    assert records_in(name, whole(name, played), rules=True) == played


def test_an_sgf_has_the_moves_of_the_record(played: list[Record]) -> None:
    for record in played:
        sgf = whole("sgf", [record]).decode()
        assert all(f"[{move}]" in sgf for move in record.moves)


def test_a_database_finds_moves_by_either_spelling(played: list[Record], tmp_path: Path) -> None:
    with database_of(played, tmp_path / "games.duckdb") as database:
        for text in ("0,1", "%30%2c1", "X From (3, 7)", "a#*"):
            assert found_alike(database, played, f"contains move '{text}'")
        first = played[0].moves[0]
        assert found_alike(database, played, f"after '{first}'")


def test_a_bot_receives_and_sends_the_escaped_form(odd: Game, played: list[Record]) -> None:
    moves = [Move(move) for move in played[0].moves]
    lines = ["arena 1", f"new 1 {odd.id} side first tc none seed 5"]
    lines += [f"play {n} {move}" if n % 2 == 0 else f"go {n}" for n, move in enumerate(moves, 1)]
    out = io.StringIO()
    source = io.StringIO("\n".join([*lines, "quit", ""]))
    sdk.run(lambda _, turn: moves[turn.ply - 1], name="odd", source=source, out=out)
    said = [line.split(" ") for line in out.getvalue().splitlines() if "bestmove" in line]
    assert [words[2] for words in said] == moves[::2]
    position = odd.start()
    for ply, move in enumerate(moves, 1):
        assert read_answer(position, position.to_move, move, ply) == (move, position.play(move))
        position = position.play(move)


def test_people_may_type_either_spelling(odd: Game) -> None:
    start = odd.start()
    for text in TEXTS[:-1]:
        move = read_move(start, escaped(text))
        assert read_typed(start, f" {text} ") == read_typed(start, move) == move
    with pytest.raises(MoveSyntaxError):
        read_typed(start, "0,2")


def test_a_record_with_another_spelling_says_the_right_one(odd: Game) -> None:
    for wrong, right in (("%61%23%2A", "a%23%2A"), ("%30%2c1", "%30%2C1")):
        text = f'[Game "{odd.id}"]\n\n1. {wrong} *\n'
        (entry,) = entries("lath", text, rules=True)
        (problem,) = entry.problems
        assert f"did you mean '{right}'?" in str(problem)
