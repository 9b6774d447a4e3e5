"""The Python SDK: a function becomes a bot that keeps the protocol."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from talking import LIMIT, greet, play_both_seats, started

from lath import games
from lath.bots.sdk import FALLBACK_S, Choose, Turn, run
from lath.games.core import Move, Position, read_move
from lath.games.errors import IllegalMoveError, MoveSyntaxError


def say(
    *lines: str,
    choose: Choose | None = None,
    plays: Sequence[str] = (),
    options: Sequence[str] = (),
    author: str = "",
    version: str = "",
    line_end: str = "\n",
) -> list[str]:
    """Return what a bot answers to these lines; it plays its first legal move unless told."""
    source = io.StringIO("".join(line + line_end for line in lines), newline="")
    out = io.StringIO()
    run(
        choose or first_move,
        name="Test",
        author=author,
        version=version,
        plays=plays,
        options=options,
        source=source,
        out=out,
    )
    return out.getvalue().splitlines()


def first_move(position: Position, turn: Turn) -> Move:
    """Return the first legal move."""
    return position.legal_moves()[0]


class Notebook:
    """A bot that plays its first legal move and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Position, Turn]] = []

    def __call__(self, position: Position, turn: Turn) -> Move:
        self.asked.append((position, turn))
        return position.legal_moves()[0]

    @property
    def turn(self) -> Turn:
        """Return the turn of the only question."""
        ((_, turn),) = self.asked
        return turn


NEW = "new 1 yavalath side first tc none seed 5"


def test_the_greeting_names_the_bot_and_all_installed_games_with_any_parameters() -> None:
    named = " ".join(f"{game_id}:*" for game_id in games.ids())
    assert say("arena 1") == ["id name Test", f"game {named}", "ok"]


def test_the_greeting_names_author_games_and_options_where_they_are_given() -> None:
    option = "option name depth type spin default 3 min 1 max 9"
    said = say("arena 1", author="Ann", version="2.1", plays=["yavalath"], options=[option])
    assert said == [
        "id name Test",
        "id author Ann",
        "id version 2.1",
        "game yavalath",
        option,
        "ok",
    ]


def test_a_game_goes_from_new_to_result() -> None:
    answers = say(
        "new 17 surikata side first tc none seed 1",
        "go 1",
        "play 2 Mc3",
        "go 3",
        "play 4 Me5",
        "go 5",
        "go 6",
        "play 7 b3",
        "go 8",
        "result 17 * unterminated",
    )
    assert answers == [
        "ready 17",
        "bestmove 1 Ma1",
        "bestmove 3 Ma2",
        "bestmove 5 Ma3",
        "bestmove 6 a4",
        "bestmove 8 a5",
    ]


def test_lines_with_a_cr_are_understood() -> None:
    answers = say(NEW, "play 1 e5", "go 2", "ping 3", line_end="\r\n")
    assert answers == ["ready 1", "bestmove 2 a1", "pong 3"]


def test_a_game_begins_from_its_setup() -> None:
    notebook = Notebook()
    say("new 1 manalath side first tc none seed 5 setup c3 e5", "go 1", choose=notebook)
    ((position, _),) = notebook.asked
    assert position == games.get("manalath").start("c3 e5")


def test_a_game_begins_from_a_position_in_place_of_a_setup() -> None:
    text = "2wom/moo1o/1w1ow/omm1w/wwmo1 d1 w"
    notebook = Notebook()
    answers = say(
        f"new 1 surikata side second tc none seed 5 position {text}", "go 1", choose=notebook
    )
    ((position, _),) = notebook.asked
    assert position.text() == text
    assert answers == ["ready 1", "bestmove 1 a3"]


def test_a_new_game_forgets_the_old_one() -> None:
    answers = say(NEW, "go 1", "play 2 a2", "new 2 yavalath side first tc none seed 5", "go 1")
    assert answers == ["ready 1", "bestmove 1 a1", "ready 2", "bestmove 1 a1"]


def test_moves_of_a_book_may_be_played_for_both_sides() -> None:
    notebook = Notebook()
    say(NEW, "play 1 a1", "play 2 a2", "go 3", choose=notebook)
    ((position, _),) = notebook.asked
    assert position.text() == "5/6/7/8/9/8/7/6/wb3 w"


def test_a_bot_may_resign() -> None:
    assert say(NEW, "go 1", choose=lambda _position, _turn: "resign") == [
        "ready 1",
        "bestmove 1 resign",
    ]


def returns(value: Any) -> Choose:
    """Return a bot that chooses this, whatever it is."""

    def pick(_position: Position, _turn: Turn) -> Any:
        print("thinking", end="")
        return value

    return pick


@pytest.mark.parametrize("value", ["z9", None, 17, "", "a1\nbestmove 1 a1"])
def test_what_is_no_legal_move_goes_to_the_arena_and_the_reason_to_standard_error(
    value: object, capsys: pytest.CaptureFixture[str]
) -> None:
    said = say(NEW, "go 1", "ping 3", choose=returns(value))
    ready, error, *rest = said
    assert (ready, rest) == ("ready 1", [f"bestmove 1 {' '.join(str(value).split())}", "pong 3"])
    assert error.startswith(f"error ply 1: returns.<locals>.pick returned {value!r}: ")
    assert "in the position" in error
    assert error.removeprefix("error ") in capsys.readouterr().err


def test_what_a_bot_prints_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    run(returns("e5"), name="Prints", source=io.StringIO(f"{NEW}\ngo 1\n"))
    assert capsys.readouterr() == ("ready 1\nbestmove 1 e5\n", "thinking")


def test_ping_is_answered_with_its_own_number() -> None:
    assert say("ping 4", "ping 17") == ["pong 4", "pong 17"]


def test_unknown_lines_and_empty_lines_are_ignored() -> None:
    assert say("", "  ", "hello", "go 1", "play 1 e5", "stop", "legal a1", "ping 1") == ["pong 1"]


def test_nothing_is_read_after_quit() -> None:
    assert say("ping 1", "quit", "ping 2") == ["pong 1"]


def test_the_bot_sees_the_options_that_were_set() -> None:
    notebook = Notebook()
    say(
        "setoption name depth value 3",
        "setoption name book file value my book.lath",
        "setoption name depth value 4",
        NEW,
        "go 1",
        choose=notebook,
    )
    assert dict(notebook.turn.options) == {"depth": "4", "book file": "my book.lath"}


def test_the_same_seed_gives_the_same_chance() -> None:
    def any_move(position: Position, turn: Turn) -> Move:
        return turn.chance.choice(position.legal_moves())

    def game(number: int, seed: int) -> list[str]:
        return [f"new {number} yavalath side first tc none seed {seed}", "go 1", "go 2", "go 3"]

    answers = say(*game(1, 5), *game(2, 6), *game(3, 5), choose=any_move)
    assert answers[1:4] == answers[9:12] != answers[5:8]


@pytest.mark.parametrize(
    ("go", "remaining_s", "increment_s", "move_s", "nodes"),
    [
        ("go 1 first 59400 second 60000 inc 600", 59.4, 0.6, None, None),
        ("go 1 move 500", None, 0.0, 0.5, None),
        ("go 1 nodes 1000", None, 0.0, None, 1000),
        ("go 1", None, 0.0, None, None),
    ],
)
def test_a_turn_tells_the_time_in_seconds(
    go: str,
    remaining_s: float | None,
    increment_s: float,
    move_s: float | None,
    nodes: int | None,
) -> None:
    notebook = Notebook()
    say(NEW, go, choose=notebook)
    turn = notebook.turn
    assert (turn.ply, turn.remaining_s, turn.increment_s) == (1, remaining_s, increment_s)
    assert (turn.move_s, turn.nodes) == (move_s, nodes)


@pytest.mark.parametrize(
    ("tc", "goes", "seen"),
    [
        (
            "first 1000 tc 5000+50",
            ("go 1 move 1000", "go 3 first 5000 second 5000 inc 50"),
            [(1.0, None, None), (None, 5.0, None)],
        ),
        ("first 1000 tc move 50", ("go 1 move 1000", "go 3 move 50"), [(1.0,) + 2 * (None,)]),
        (
            "first 1000 tc nodes 9",
            ("go 1 nodes 9", "go 3 nodes 9"),
            [(1.0, None, 9), (None, None, 9)],
        ),
    ],
)
def test_a_turn_has_the_time_of_a_first_move(
    tc: str, goes: tuple[str, str], seen: list[tuple[float | None, float | None, int | None]]
) -> None:
    turns: list[Turn] = []

    def choose(position: Position, turn: Turn) -> Move:
        turns.append(turn)
        return position.legal_moves()[0]

    say(f"new 1 yavalath side first {tc} seed 1", goes[0], "play 2 i5", goes[1], choose=choose)
    got = [(turn.move_s, turn.remaining_s, turn.nodes) for turn in turns]
    assert got[: len(seen)] == seen
    assert turns[0].budget_s == 0.8


def test_each_side_sees_its_own_clock() -> None:
    notebook = Notebook()
    go = "go 2 first 1000 second 2000 inc 0"
    say("new 1 yavalath side second tc 9000+0 seed 1", "play 1 a1", go, choose=notebook)
    assert notebook.turn.remaining_s == 2.0


@pytest.mark.parametrize(
    ("go", "low", "high"),
    [
        ("go 1 first 60000 second 60000 inc 600", 0.6, 6.0),
        ("go 1 first 1000 second 60000 inc 600", 0.1, 0.8),
        ("go 1 first 0 second 60000 inc 600", 0.0, 0.0),
        ("go 1 move 500", 0.2, 0.49),
        ("go 1", FALLBACK_S, FALLBACK_S),
    ],
)
def test_the_budget_is_less_than_what_there_is(go: str, low: float, high: float) -> None:
    notebook = Notebook()
    say(NEW, go, choose=notebook)
    assert low <= notebook.turn.budget_s <= high


def test_a_turn_without_time_left_is_late() -> None:
    notebook = Notebook()
    say(NEW, "go 1 first 0 second 0 inc 0", choose=notebook)
    assert notebook.turn.is_late


def test_what_a_bot_tells_comes_before_its_move() -> None:
    def talkative(position: Position, turn: Turn) -> Move:
        turn.info(depth=3, eval="0.5", nodes=12, pv="e5 swap")
        turn.info(text="nothing more to say")
        return position.legal_moves()[0]

    assert say(NEW, "go 1", choose=talkative) == [
        "ready 1",
        "info depth 3 eval 0.5 nodes 12 pv e5 swap",
        "info text nothing more to say",
        "bestmove 1 a1",
    ]


@pytest.mark.parametrize("game_id", games.builtin_ids())
def test_the_bot_keeps_the_same_position_as_the_rules_through_a_game(game_id: str) -> None:
    game = games.get(game_id)
    setup = game.draw_setup(3)
    begin = f" setup {setup}" if setup else ""
    lines = [f"new 1 {game_id} side first tc {LIMIT} seed 3{begin}"]
    position = game.start(setup)
    expected = []
    while not position.is_over:
        expected.append(position)
        move = position.legal_moves()[0]
        lines.append(f"go {len(lines)} {LIMIT}")
        position = position.play(move)
    notebook = Notebook()
    say(*lines, choose=notebook)
    assert [asked for asked, _ in notebook.asked] == expected


def test_a_move_of_the_other_side_in_another_spelling_is_understood() -> None:
    notebook = Notebook()
    say(
        "new 1 mammalath side first tc none seed 1",
        "play 1 c3",
        "play 2 xb4-b2",
        "go 3",
        choose=notebook,
    )
    ((position, _),) = notebook.asked
    with pytest.raises(IllegalMoveError):
        read_move(position, "xb2-b4")
    with pytest.raises(MoveSyntaxError):
        read_move(position, "xb2-b5")


def test_a_bot_of_two_files_finds_its_own_beside_folders_and_files_named_like_ours(
    tmp_path: Path,
) -> None:
    for folder in ("bots", "games", "arena", "notation", "reports", "lath_arena"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text("raise AssertionError('not ours')\n")
    for file in ("notation.py", "random.py", "time.py"):
        (tmp_path / file).write_text("raise AssertionError('not the library')\n")
    (tmp_path / "evaluation.py").write_text("def best(moves):\n    return max(moves)\n")
    bot = tmp_path / "mybot.py"
    bot.write_text(
        "from lath.bots.sdk import run\n"
        "from evaluation import best\n"
        "run(lambda position, turn: best(position.legal_moves()), name='Two files')\n"
    )
    with started([sys.executable, str(bot)]) as process:
        assert "id name Two files" in greet(process)
        moves = play_both_seats(process, "yavalath", seeds=range(1), wants=set())
    assert moves[0]


def test_a_bot_that_is_called_like_a_module_of_the_standard_library_plays(tmp_path: Path) -> None:
    bot = tmp_path / "random.py"
    bot.write_text(
        "from lath.bots.sdk import run\n"
        "run(lambda position, turn: turn.chance.choice(position.legal_moves()), name='R')\n"
    )
    with started([sys.executable, str(bot)]) as process:
        assert "id name R" in greet(process)
        assert play_both_seats(process, "surikata", seeds=range(1), wants=set())[0]
