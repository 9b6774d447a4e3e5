"""The Python SDK: a function becomes a bot that keeps the protocol."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from places import page_text
from talking import LIMIT, PATIENCE_S, greet, play_both_seats, started, wants_of

from lath import games
from lath.bots.options import Declared
from lath.bots.sdk import FALLBACK_S, Check, Choose, Combo, Player, Spin, Start, Text, Turn, run
from lath.games.core import Move, Position, Side, read_move
from lath.games.errors import IllegalMoveError, MoveSyntaxError
from lath.notation import protocol as wire

NEW = "new 1 yavalath side first tc none seed 5"


def say(
    *lines: str,
    choose: Choose | Player | None = None,
    plays: Sequence[str] = (),
    options: Iterable[Declared] = (),
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


def asked(*lines: str, **more: Any) -> tuple[Position, Turn]:
    """Return the only question that a bot hears in these lines."""
    notebook = Notebook()
    say(*lines, choose=notebook, **more)
    ((position, turn),) = notebook.asked
    return position, turn


def test_the_greeting_names_the_bot_its_games_and_options() -> None:
    named = " ".join(f"{game_id}:*" for game_id in games.ids())
    assert say("arena 1") == ["id name Test", f"game {named}", "ok"]
    option = "option name depth type spin default 3 min 1 max 9"
    said = say("arena 1", author="Ann", version="2.1", plays=["yavalath"], options=[option])
    who = ["id name Test", "id author Ann", "id version 2.1"]
    assert said == [*who, "game yavalath", option, "ok"]


SURIKATA = "new 17 surikata side first tc none seed 1"

DIALOGUES: dict[str, tuple[list[str], list[str]]] = {
    "a game goes from new to result": (
        [SURIKATA, "go 1", "play 2 Mc3", "go 3", "play 4 Me5", "go 5", "go 6", "play 7 b3", "go 8",
         "result 17 * unterminated"],
        ["ready 17", "bestmove 1 Ma1", "bestmove 3 Ma2", "bestmove 5 Ma3", "bestmove 6 a4",
         "bestmove 8 a5"],
    ),
    "a new game forgets the old one": (
        [NEW, "go 1", "play 2 a2", NEW.replace("1", "2", 1), "go 1"],
        ["ready 1", "bestmove 1 a1", "ready 2", "bestmove 1 a1"],
    ),
    "ping is answered with its own number": (["ping 4", "ping 17"], ["pong 4", "pong 17"]),
    "other lines are ignored": (
        ["", "  ", "hello", "go 1", "play 1 e5", "stop", "legal a1", "ping 1"], ["pong 1"]
    ),
    "nothing is read after quit": (["ping 1", "quit", "ping 2"], ["pong 1"]),
}  # fmt: skip
"""What a bot hears and says."""


def test_dialogues() -> None:
    for name, (lines, answers) in DIALOGUES.items():
        assert say(*lines) == say(*lines, line_end="\r\n") == answers, name
    assert say(NEW, "go 1", choose=lambda *_: "resign") == ["ready 1", "bestmove 1 resign"]


def test_a_game_begins_from_its_setup_or_a_position_and_a_book_may_move_for_both() -> None:
    position, _ = asked("new 1 manalath side first tc none seed 5 setup c3 e5", "go 1")
    assert position == games.get("manalath").start("c3 e5")
    text = "2wom/moo1o/1w1ow/omm1w/wwmo1 d1 w"
    position, _ = asked(f"new 1 surikata side second tc none seed 5 position {text}", "go 1")
    assert position.text() == text
    position, _ = asked(NEW, "play 1 a1", "play 2 a2", "go 3")
    assert position.text() == "5/6/7/8/9/8/7/6/wb3 w"
    moves = ("play 1 c3", "play 2 xb4-b2", "go 3")  # in another spelling
    position, _ = asked("new 1 mammalath side first tc none seed 1", *moves)
    with pytest.raises(IllegalMoveError):
        read_move(position, "xb2-b4")
    with pytest.raises(MoveSyntaxError):
        read_move(position, "xb2-b5")


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
        lines.append(f"go {len(lines)} {LIMIT}")
        position = position.play(position.legal_moves()[0])
    notebook = Notebook()
    say(*lines, choose=notebook)
    assert [at for at, _ in notebook.asked] == expected


def returns(value: Any) -> Choose:
    """Return a bot that chooses this, whatever it is."""

    def pick(_position: Position, _turn: Turn) -> Any:
        print("thinking", end="")
        return value

    return pick


def test_what_is_no_legal_move_goes_to_the_arena_and_the_reason_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for value in ("z9", None, 17, "", "a1\nbestmove 1 a1"):
        ready, error, *rest = say(NEW, "go 1", "ping 3", choose=returns(value))
        assert ready == "ready 1"
        assert rest == [f"bestmove 1 {' '.join(str(value).split())}", "pong 3"]
        assert error.startswith(f"error ply 1: returns.<locals>.pick returned {value!r}: ")
        assert "in the position" in error
        assert error.removeprefix("error ") in capsys.readouterr().err
    run(returns("e5"), name="Prints", source=io.StringIO(f"{NEW}\ngo 1\n"))
    assert capsys.readouterr() == ("ready 1\nbestmove 1 e5\n", "thinking")


def test_an_exception_is_told_to_the_arena_and_ends_the_bot(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def breaks(position: Position, turn: Turn) -> Move:
        raise ZeroDivisionError("no luck")

    with pytest.raises(ZeroDivisionError):
        run(breaks, name="Breaks", source=io.StringIO(f"{NEW}\ngo 1\n"))
    told, error = capsys.readouterr()
    assert told == f"ready 1\nerror {error}"
    assert error.startswith("ply 1: ")
    assert ".breaks raised ZeroDivisionError('no luck') in the position 5/6/7/8/9/8" in error
    with pytest.raises(TypeError, match=r"not a class: Diary\(\)"):
        say("arena 1", choose=Diary)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_chance() -> None:
    def any_move(position: Position, turn: Turn) -> Move:
        return turn.chance.choice(position.legal_moves())

    def game(number: int, seed: int) -> list[str]:
        return [f"new {number} yavalath side first tc none seed {seed}", "go 1", "go 2", "go 3"]

    answers = say(*game(1, 5), *game(2, 6), *game(3, 5), choose=any_move)
    assert answers[1:4] == answers[9:12] != answers[5:8]


GOES = {
    "go 1 first 60000 second 60000 inc 600": (60.0, 0.6, None, None, 0.6, 6.0),
    "go 1 first 1000 second 60000 inc 600": (1.0, 0.6, None, None, 0.1, 0.8),
    "go 1 first 0 second 60000 inc 600": (0.0, 0.6, None, None, 0.0, 0.0),
    "go 1 move 500": (None, 0.0, 0.5, None, 0.2, 0.49),
    "go 1 nodes 1000": (None, 0.0, None, 1000, 0.0, 1e9),
    "go 1": (None, 0.0, None, None, FALLBACK_S, FALLBACK_S),
}
"""The time that is left, its increment, that of a move, nodes; between what the budget is."""


def test_a_turn_tells_the_time_in_seconds_and_a_budget_that_is_less() -> None:
    for go, (remaining_s, increment_s, move_s, nodes, low, high) in GOES.items():
        _, turn = asked(NEW, go)
        assert (turn.ply, turn.remaining_s, turn.increment_s) == (1, remaining_s, increment_s)
        assert (turn.move_s, turn.nodes) == (move_s, nodes)
        assert low <= turn.budget_s <= high, go
        assert turn.is_late == (remaining_s == 0)
    go = "go 2 first 1000 second 2000 inc 0"
    _, turn = asked("new 1 yavalath side second tc 9000+0 seed 1", "play 1 a1", go)
    assert turn.remaining_s == 2.0, "each side sees its own clock"
    for go, nodes, is_done in (
        ("go 1 nodes 5", 4, False),
        ("go 1 nodes 5", 5, True),
        ("go 1 first 0 second 0 inc 0", 0, True),
        ("go 1 first 99000 second 0 inc 0", 10**9, False),
    ):
        _, turn = asked(NEW, go)
        assert turn.is_done(nodes) is is_done, go


def test_a_turn_has_the_time_of_a_first_move() -> None:
    for tc, goes, seen in (
        ("5000+50", ("go 1 move 1000", "go 3 first 5000 second 5000 inc 50"), (None, 5.0, None)),
        ("move 50", ("go 1 move 1000", "go 3 move 50"), None),
        ("nodes 9", ("go 1 nodes 9", "go 3 nodes 9"), (None, None, 9)),
    ):
        notebook = Notebook()
        new = f"new 1 yavalath side first first 1000 tc {tc} seed 1"
        say(new, goes[0], "play 2 i5", goes[1], choose=notebook)
        turns = [turn for _, turn in notebook.asked]
        got = [(turn.move_s, turn.remaining_s, turn.nodes) for turn in turns]
        assert got[0] == (1.0, None, 9 if "nodes" in tc else None)
        assert seen is None or got[1] == seen
        assert turns[0].budget_s == 0.8


def test_a_bot_of_files_finds_its_own_beside_those_named_like_ours_or_like_the_library(
    tmp_path: Path,
) -> None:
    for folder in ("bots", "games", "arena", "notation", "reports", "lath_arena"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text("raise AssertionError('not ours')\n")
    for file in ("notation.py", "time.py"):
        (tmp_path / file).write_text("raise AssertionError('not the library')\n")
    (tmp_path / "evaluation.py").write_text("def best(moves):\n    return max(moves)\n")
    (tmp_path / "random.py").write_text(
        "from lath.bots.sdk import run\nfrom evaluation import best\n"
        "run(lambda position, turn: best(position.legal_moves()), name='Two files')\n"
    )
    with started([sys.executable, str(tmp_path / "random.py")]) as process:
        assert "id name Two files" in greet(process)
        assert play_both_seats(process, "yavalath", seeds=range(1), wants=set())[0]


# While it thinks


class Piped:
    """A bot of this process that reads a pipe, in a thread of its own."""

    def __init__(self, player: Choose | Player) -> None:
        source, self.input = os.pipe()
        theirs, sink = os.pipe()
        self._heard = os.fdopen(theirs, encoding="utf-8")
        self._thread = threading.Thread(target=self._run, args=(player, source, sink), daemon=True)
        self._thread.start()

    def _run(self, player: Choose | Player, source: int, sink: int) -> None:
        with os.fdopen(source, encoding="utf-8") as lines, os.fdopen(sink, "w") as out:
            run(player, name="Piped", source=lines, out=out)

    def say(self, *lines: str) -> None:
        """Send lines in one write."""
        os.write(self.input, "".join(f"{line}\n" for line in lines).encode())

    def hear(self, lines: int = 1) -> list[str]:
        """Return the next lines; empty at the end."""
        return [self._heard.readline().rstrip("\n") for _ in range(lines)]

    def close(self) -> str:
        """End its input; return what it says after that."""
        os.close(self.input)
        self._thread.join(PATIENCE_S)
        with self._heard:
            return self._heard.read()


def until_stopped(position: Position, turn: Turn) -> Move:
    """Think for ever, of what was suggested."""
    turn.info(text="thinking")
    turn.suggest(position.legal_moves()[-1])
    while True:
        turn.check(0)


def test_what_ends_a_turn_reaches_the_bot_while_it_thinks() -> None:
    for end in ("stop", NEW.replace("1", "2", 1), "result 1 1-0 crash", "quit", ""):
        bot = Piped(until_stopped)
        bot.say(NEW, "go 1 nodes 1000")
        assert bot.hear(2) == ["ready 1", "info text thinking"]
        if not end:
            assert bot.close() == "bestmove 1 i5\n"
            continue
        bot.say("ping 2", "legal a1", end)
        assert bot.hear(2) == ["bestmove 1 i5", "pong 2"], end
        bot.close()


@pytest.mark.parametrize("end", ["quit", ""])
def test_a_bot_that_thinks_in_one_piece_is_ended(end: str) -> None:
    endless = "while True: pass" if end else "time.sleep(1000)"
    code = (
        "import time\nfrom lath.bots.sdk import run\n"
        f"def choose(position, turn):\n    turn.info(depth=1)\n    {endless}\n"
        "run(choose, name='Deaf')\n"
    )
    with started([sys.executable, "-c", code]) as bot:
        bot.tell(NEW, "go 1")
        assert [bot.hear(), bot.hear()] == ["ready 1", "info depth 1"]
        assert (bot.quit()[0] if end else bot.end_input()) == 0


def test_a_line_in_pieces_and_one_without_its_end_are_read() -> None:
    bot = Piped(first_move)
    os.write(bot.input, b"pi")
    os.write(bot.input, b"ng 1\nping 2\npi")
    assert bot.hear(2) == ["pong 1", "pong 2"]
    os.write(bot.input, b"ng 3")
    assert bot.close() == "pong 3\n"


def test_where_there_is_no_thread_left_a_bot_plays_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)  # of the library, as a system refuses
    (tmp_path / "lines").write_text(f"{NEW}\ngo 1\n")
    out = io.StringIO()
    with (tmp_path / "lines").open() as source:
        run(first_move, name="Alone", source=source, out=out)
    assert out.getvalue() == "ready 1\nbestmove 1 a1\n"


def test_late_without_a_suggestion_a_bot_plays_a_legal_move_and_says_so() -> None:
    def late(position: Position, turn: Turn) -> Move:
        turn.check()
        raise AssertionError("it is late")

    said = say(NEW, "go 1 first 0 second 0 inc 0", choose=late)
    assert said[0::2] == ["ready 1", "bestmove 1 a1"]
    assert said[1] == "error ply 1: no move suggested in time; playing a1"


def test_what_a_bot_tells_comes_before_its_move_and_of_much_the_first_and_the_newest() -> None:
    def talkative(position: Position, turn: Turn) -> Move:
        turn.info(depth=3, eval="0.5", nodes=12, pv="e5 swap")
        turn.info(text="nothing more to say")
        return position.legal_moves()[0]

    lines = ["info depth 3 eval 0.5 nodes 12 pv e5 swap", "info text nothing more to say"]
    assert say(NEW, "go 1", choose=talkative) == ["ready 1", *lines, "bestmove 1 a1"]

    def babble(position: Position, turn: Turn) -> Move:
        for depth in range(1000):
            turn.info(pv=["e5", "swap"], depth=depth)
            turn.info(text=f"at {depth}")
        return position.legal_moves()[0]

    said = say(NEW, "go 1", choose=babble)
    assert said[1:3] == ["info depth 0 pv e5 swap", "info text at 0"]
    assert said[-3:] == ["info depth 999 pv e5 swap", "info text at 999", "bestmove 1 a1"]
    assert len(said) < 200


# Objects


class Diary:
    """A bot that writes down what it is told."""

    def __init__(self) -> None:
        self.pages: list[tuple[Any, ...]] = []

    def new_game(self, start: Start) -> None:
        self.pages.append(("new", start.position.text(), start.side, start.time.move_ms))

    def told(self, move: Move, position: Position) -> None:
        self.pages.append(("told", move, position.text()))

    def choose(self, position: Position, turn: Turn) -> Move:
        self.pages.append(("choose", *turn.history))
        return position.legal_moves()[0]

    def ponder(self, position: Position, turn: Turn) -> None:
        self.pages.append(("ponder", position.to_move, turn.is_late, *turn.history))

    def end(self, result: str, why: str) -> None:
        self.pages.append(("end", result, why))


def test_an_object_is_told_of_the_game_the_moves_and_the_end() -> None:
    diary = Diary()
    start = "new 1 yavalath side second tc move 50 seed 5"
    assert say(
        "arena 1", start, "play 1 e5", "go 2 move 50", "ponder 3", "result 1 1-0 time", choose=diary
    )[2:] == ["want ponder", "ok", "ready 1", "bestmove 2 a1"]
    assert diary.pages == [
        ("new", "5/6/7/8/9/8/7/6/5 w", Side.SECOND, 50),
        ("told", "e5", "5/6/7/8/4w4/8/7/6/5 b"),
        ("choose", "e5"),
        ("ponder", Side.FIRST, False, "e5", "a1"),
        ("end", "1-0", "time"),
    ]


def test_the_next_line_ends_pondering() -> None:
    class Ponders:
        choose = staticmethod(first_move)

        def ponder(self, position: Position, turn: Turn) -> None:
            until_stopped(position, turn)

    bot = Piped(Ponders())
    bot.say(NEW, "go 1")
    assert bot.hear(2) == ["ready 1", "bestmove 1 a1"]
    bot.say("ponder 2")
    assert bot.hear() == ["info text thinking"]
    bot.say("play 2 e5", "go 3")
    assert bot.hear() == ["bestmove 3 a2"]
    assert bot.close() == ""


# Options

DECLARED: list[Declared] = [
    Spin("depth", 3, 1, 9),
    Check("book", True),
    Combo("style", "calm", ["calm", "quite wild"]),
    Text("book file"),
    "option name old type spin default 4 min 1 max 9",
]


def options_after(*settings: str) -> tuple[dict[str, Any], list[str]]:
    """Return the options that a bot sees after these lines, and what it said of them."""
    notebook = Notebook()
    lines = [f"setoption name {setting}" for setting in settings]
    said = say(*lines, NEW, "go 1", choose=notebook, options=DECLARED)
    ((_, turn),) = notebook.asked
    return dict(turn.options), said[:-2]


WRONG_SETTINGS = {
    "depth value 10": "option depth: '10', expected a whole number from 1 to 9; keeping 3",
    "book value maybe": "option book: 'maybe', expected true or false; keeping True",
    "style value wild": "option style: 'wild', expected one of calm, quite wild; keeping 'calm'",
    "depht value 3": "unknown option 'depht', expected one of depth, book, style, book file, old",
}


def test_options_have_their_defaults_and_types_and_stay_where_a_value_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, _ = options_after()
    assert first == {"depth": 3, "book": True, "style": "calm", "book file": "", "old": "4"}
    right = ("depth value 4", "depth value 9", "book value false", "style value quite wild")
    then, said = options_after(*right, "book file value my book.lath", "old value 5")
    assert said == []
    assert list(then.values()) == [9, False, "quite wild", "my book.lath", "5"]
    for setting, wrong in WRONG_SETTINGS.items():
        assert options_after(setting) == (first, [f"error {wrong}"])
        assert capsys.readouterr().err == f"{wrong}\n"
    _, turn = asked("setoption name what ever value 3 of", NEW, "go 1")
    assert dict(turn.options) == {"what ever": "3 of"}, "who declares none sees all"


def test_the_greeting_has_a_line_for_each_option_that_the_arena_can_read() -> None:
    lines = [line for line in say("arena 1", options=DECLARED) if line.startswith("option ")]
    read = [wire.read_option(line) for line in lines]
    assert [option.line() for option in read] == lines
    assert read[2] == wire.Option("style", "combo", "calm", choices=("calm", "quite wild"))
    declare: Callable[[], object]
    for declare in (
        lambda: Spin("depth", 0, 1, 9),
        lambda: Combo("style", "loud", ["calm"]),
        lambda: Text("a type of book"),
        lambda: Text("book", "one\ntwo"),
        lambda: say("arena 1", options=[*DECLARED, Text("book")]),
    ):
        with pytest.raises(ValueError, match="option "):
            declare()


HEAVY = ("importlib.metadata", "pathlib", "subprocess", "json", "email", "lath.games.yavalath")
"""What takes long to import, and is needed by no bot before it plays, or by none."""


def test_a_bot_says_ok_without_what_it_does_not_need() -> None:
    code = (
        "import io, sys\nbefore = {*sys.modules}\nfrom lath.bots.sdk import run\n"
        "run(print, name='Quick', source=io.StringIO('arena 1'))\n"
        f"print(sorted({{*{HEAVY}}} & {{*sys.modules}} - before))\n"
    )
    said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert said.stdout.decode().splitlines()[-2:] == ["ok", "[]"]


def bots_of(page: str) -> list[str]:
    """Return the programs of a page of the documentation that run a bot."""
    text = page_text(page)
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for block in blocks if "\n    run(" in block and ">>>" not in block]


@pytest.mark.parametrize("program", bots_of("write-a-python-bot"), ids=["dice", "deeper"])
def test_a_bot_of_the_docs_plays(program: str, tmp_path: Path) -> None:
    (tmp_path / "mybot.py").write_text(program, encoding="utf-8")
    with started([sys.executable, str(tmp_path / "mybot.py")]) as bot:
        wants = wants_of(greet(bot))
        assert play_both_seats(bot, "surikata", seeds=range(1), wants=wants)[0]
        bot.tell(NEW, "go 1 nodes 9", "ponder 2", "play 2 e5", "go 3 nodes 9")
        answers = iter(bot.hear, "")
        assert next(line for line in answers if line.startswith("bestmove 3 "))
        assert bot.quit()[0] == 0
