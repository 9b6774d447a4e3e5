"""A bot's side of other contests: what a bot of ours hears there, and what it answers."""

from __future__ import annotations

import io
import json

import pytest

from lath import games
from lath.bots.contests import CONTESTS, Listener
from lath.games.core import Move
from lath.notation.protocol import TimeControl

CODINGAME = TimeControl(move_ms=100, first_ms=1000)


def played(contest: str, theirs: str, answers: str, tc: TimeControl = CODINGAME) -> list[list[str]]:
    """Return what a bot with these answers hears, and what the contest hears."""
    heard, out = io.StringIO(), io.StringIO()
    CONTESTS[contest](Listener(heard, io.StringIO(answers)), io.StringIO(theirs), out, tc, 3)
    return [heard.getvalue().splitlines(), out.getvalue().splitlines()]


def rows(*stones: tuple[str, str], last: str) -> str:
    """Return a turn of CodinGame's Yavalath with stones on these cells."""
    board, on = games.get("yavalath").board, dict(stones)
    lines = ["".join(on.get(board.name[bit], "0") for bit in row) for row in board.rows]
    return "\n".join(["9", *lines, last, ""])


def test_a_game_of_codingame_is_told_as_the_arena_tells_it() -> None:
    turns = rows(last="-1 -1") + rows(("e5", "1"), ("a1", "2"), last="0 8")
    heard, out = played("codingame", f"1\n{turns}", "ready 1\nbestmove 1 e5\nbestmove 3 i5\n")
    assert heard == [
        "new 1 yavalath side first first 1000 tc move 100 seed 3",
        "go 1 move 1000",
        "play 2 a1",
        "go 3 move 100",
    ]
    assert out == ["4 4", "4 0"]


def test_a_swap_is_a_stone_on_the_first_one() -> None:
    offered = f"2\n{rows(('e5', '2'), last='4 4')}"
    heard, out = played("codingame", offered, "ready 1\ninfo depth 1\nbestmove 2 swap\n")
    assert heard[1:] == ["play 1 e5", "go 2 move 1000"]
    assert out == ["4 4"]
    turns = rows(last="-1 -1") + rows(("e5", "2"), last="4 4")
    heard, out = played("codingame", f"1\n{turns}", "ready 1\nbestmove 1 e5\nbestmove 3 a1\n")
    assert heard[2:] == ["play 2 swap", "go 3 move 100"]
    assert out == ["4 4", "0 8"]


def test_who_swapped_goes_on_from_there() -> None:
    turns = rows(("e5", "2"), last="4 4") + rows(("e5", "1"), ("a1", "2"), last="0\n8")
    answers = "ready 1\nbestmove 2 swap\nbestmove 4 a2\n"
    heard, out = played("codingame", f"2\n{turns}", answers)
    assert heard[3:] == ["play 3 a1", "go 4 move 100"]
    assert out == ["4 4", "1 8"]


def test_a_game_that_does_not_begin_at_the_beginning_is_told_as_a_position() -> None:
    turn = rows(("e5", "1"), ("a1", "2"), ("a2", "2"), last="1 8")
    heard, _ = played("codingame", f"2\n{turn}", "ready 1\nbestmove 1 a4\n")
    position = games.get("yavalath").start()
    for move in ("a1", "e5", "a2"):
        position = position.play(Move(move))
    assert heard[0].endswith(f"position {position.text()}")


def test_a_history_of_botzone_is_told_anew() -> None:
    first = {"game": "surikata", "side": "first", "seed": 7, "setup": "x", "moves": []}
    second = {"moves": ["c1"], "go": {"ply": 3, "first": 900, "second": 800, "inc": 10}}
    third = {"moves": ["c2"], "go": {"ply": 5, "move": 50}}
    history = json.dumps({"requests": [first, second], "responses": ["Mc3"]})
    heard, out = played(
        "botzone", f"{history}\n{json.dumps(third)}\n", "ready 1\nbestmove 3 a1\nbestmove 5 a2\n"
    )
    assert heard == [
        "new 1 surikata side first tc 900+10 seed 7 setup x",
        "play 1 Mc3",
        "play 2 c1",
        "go 3 first 900 second 800 inc 10",
        "play 4 c2",
        "go 5 move 50",
    ]
    assert [json.loads(line)["response"] for line in out[::2]] == ["a1", "a2"]


def test_a_bot_that_has_left_is_waited_for_no_more() -> None:
    with pytest.raises(EOFError):
        played("codingame", f"1\n{rows(last='-1 -1')}", "ready 1\n")
