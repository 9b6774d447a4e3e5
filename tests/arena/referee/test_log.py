"""The log of a game: what was said by whom and when, within bounds, and steering no screen."""

from __future__ import annotations

from lath.arena.referee.log import MOST_OF_A_LOG, log_of
from lath.arena.referee.process import MOST_OF_A_PIECE, Piece, shortened


def test_each_line_has_its_time_its_bot_and_its_direction() -> None:
    ann: list[Piece] = [(10.0, True, b"play 1 e5\ngo 2\n"), (10.25, False, b"bestmove 2 a1\n")]
    bob: list[Piece] = [(9.5, False, b"bestmove 1 e5\r\n")]
    assert log_of({"ann": ann, "bob": bob}, {"ann": "oh\nno\n"}) == (
        "    0.000000 bob < bestmove 1 e5\n"
        "    0.500000 ann > play 1 e5\n"
        "    0.500000 ann > go 2\n"
        "    0.750000 ann < bestmove 2 a1\n"
        "\n-- ann, standard error --\n"
        "oh\n"
        "no\n"
    )


def test_a_line_that_came_in_pieces_is_one_line_at_the_time_of_the_first() -> None:
    pieces: list[Piece] = [(1.0, False, b"best"), (1.5, False, b"move 2"), (2.0, False, b" a1\nx")]
    assert log_of({"a": pieces}, {}) == ("    0.000000 a < bestmove 2 a1\n    0.000000 a < x ...\n")


def test_what_the_arena_says_in_between_ends_an_unfinished_line() -> None:
    pieces: list[Piece] = [(1.0, False, b"half"), (2.0, True, b"go 3\n")]
    assert log_of({"a": pieces}, {}).splitlines() == [
        "    0.000000 a < half ...",
        "    1.000000 a > go 3",
    ]


def test_control_characters_are_escaped_also_in_standard_error() -> None:
    pieces: list[Piece] = [(1.0, False, b"\x1b[2J \xff \x00 \xc3\xa4\n")]
    text = log_of({"a": pieces}, {"a": "\x1b[31m"})
    assert "\x1b" not in text
    assert "\x00" not in text
    assert "\\x1b[2J" in text
    assert "ä" in text


def test_a_long_piece_keeps_its_beginning_and_its_end() -> None:
    data = b"a" * 5000 + b"b" * 5000 + b"\n"
    kept = shortened(data)
    assert len(kept) < MOST_OF_A_PIECE + 50
    assert kept.startswith(b"aaaa")
    assert kept.endswith(b"bbb\n")
    assert b"[... 7953 bytes ...]" in kept
    assert shortened(b"short") == b"short"


def test_a_long_log_keeps_whole_lines_of_its_beginning_and_its_end() -> None:
    pieces: list[Piece] = [(float(n), n % 2 == 0, b"x" * 1000 + b"\n") for n in range(1000)]
    text = log_of({"a": pieces}, {"a": "the end"})
    assert len(text) < MOST_OF_A_LOG + 100
    assert text.startswith("    0.000000 a > xxx")
    assert text.endswith("-- a, standard error --\nthe end\n")
    (cut,) = [line for line in text.splitlines() if line.startswith("[... ")]
    assert cut.endswith(" letters ...]")


def test_nothing_said_is_an_empty_log() -> None:
    assert log_of({"a": [], "b": []}, {}) == ""
