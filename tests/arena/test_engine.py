"""A bot driven from Python: what is asked and answered, and that nothing of it is left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import bad_bots
import numpy as np
import pytest
from bad_bots import Good
from processes import alive_of
from tools import needs

from lath import games
from lath.arena import (
    BotDiedError,
    DeadlineError,
    Engine,
    EngineError,
    IllegalAnswerError,
    Info,
    Limit,
    NotABotError,
)
from lath.arena.errors import ConfigError
from lath.games.core import Move
from lath.games.errors import GameError, IllegalMoveError
from lath.notation.record.tags import Termination

START = games.get("yavalath").start()
AFTER = START.play(Move("e5")).play(Move("swap"))


LONG = Limit(first_s=60, second_s=60)
SOON = Limit(first_s=0.05, second_s=60)


def opened(kind: type[Good], log: Path = Path("nowhere")) -> Engine:
    table = {"command": list(bad_bots.command(kind)), "env": {"LOG": str(log)}}
    return Engine.open(table, margin=0.1)


def once(bot: Engine) -> list[str]:
    """Return the moves of a game in which the bot has moved once, and has to again.

    Bad bots misbehave in their second turn of a game.
    """
    move = bot.play(START, LONG).move
    assert move == START.legal_moves()[0]
    return [move, "e5"]


def tree_of(bot: Engine) -> str:
    return bot._bot.tree


def test_a_bundled_bot_answers_with_a_legal_move_the_same_for_the_same_seed() -> None:
    with Engine.open("random") as bot:
        assert (bot.name, bot.plays("yavalath"), bot.plays("chess")) == ("Random", True, False)
        answers = [bot.play(AFTER, Limit(nodes=1), seed=seed) for seed in (1, 1, 2, 3, 4)]
        tree = tree_of(bot)
    moves = [answer.move for answer in answers]
    assert moves[0] == moves[1]
    assert len(set(moves)) > 1
    assert set(moves) <= set(AFTER.legal_moves())
    assert not answers[0].resigned
    assert alive_of(tree) == set()


@pytest.fixture
def heard(tmp_path: Path) -> Path:
    """Return the file for what a bot hears that `Listens`."""
    return tmp_path / "heard"


def test_a_question_that_goes_on_with_the_last_one_is_the_same_game(heard: Path) -> None:
    with opened(bad_bots.Listens, heard) as bot:
        first = bot.play(START, Limit(nodes=5)).move
        assert first == START.legal_moves()[0]
        bot.play(START, Limit(nodes=5), moves=[first, "e5"])
        bot.play(START, Limit(nodes=5), moves=["e5", "swap"])
        bot.play(AFTER, Limit(nodes=5))
        bot.play(START, Limit(first_s=60, second_s=50, increment_s=0.5))
        later = Limit(first_s=58.5, second_s=49, increment_s=0.5)
        bot.play(START, later, moves=[first, "e5"])  # clocks of one game run down
        seven = Limit(nodes=np.int64(5))  # type: ignore[arg-type]
        assert bot.play(START, seven, seed=np.int64(7)).move  # type: ignore[arg-type]
    lines = heard.read_text().splitlines()
    after = START.play(first).play(Move("e5"))
    new = "yavalath side first tc nodes 5 seed"
    clocks = "yavalath side first tc 60000+500 seed"
    assert [line for line in lines if not line.startswith(("legal", "result"))] == [
        "arena 1",
        *(f"new 1 {new} 1", f"position {START.text()}", "go 1 nodes 5"),
        *("play 2 e5", f"position {after.text()}", "go 3 nodes 5"),
        *(f"new 2 {new} 1", "play 1 e5", "play 2 swap"),
        *(f"position {AFTER.text()}", "go 3 nodes 5"),
        *(f"new 3 {new} 1 position {AFTER.text()}", f"position {AFTER.text()}", "go 1 nodes 5"),
        *(f"new 4 {clocks} 1", f"position {START.text()}"),
        *("go 1 first 60000 second 50000 inc 500", "play 2 e5", f"position {after.text()}"),
        "go 3 first 58500 second 49000 inc 500",
        *(f"new 5 {new} 7", f"position {START.text()}", "go 1 nodes 5"),
        "quit",
    ]
    assert [line for line in lines if line.startswith("result")] == [
        f"result {number} * unterminated" for number in (1, 2, 3, 4)
    ]


def test_what_a_bot_says_of_its_search_comes_as_it_says_it_and_with_its_answer() -> None:
    with opened(bad_bots.SaysInfo) as bot:
        moves = once(bot)
        with bot.analysis(START, LONG, moves=moves) as analysis:
            assert [(info.depth, info.eval, info.text) for info in analysis] == [
                (2, -0.5, ""),
                (3, 0.25, ""),
                (None, None, "so so"),
            ]
            assert analysis.is_over
        assert analysis.info.nodes == 7
        again = bot.play(START, LONG, moves=moves)
        assert analysis.wait().move == again.move
    with opened(bad_bots.SaysInfo) as bot:
        answer = bot.play(START, LONG, moves=once(bot))
    assert answer.info == Info(depth=3, eval=0.25, nodes=7, pv=("b1", "c1"), text="so so")
    assert answer.info.line(START) == ("b1", "c1")
    assert Info(pv=("b1", "b1", "c1")).line(START) == ("b1",)


THINKS_UNTIL_STOPPED = """
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "arena":
        print("id name Thinker", "option name depth type spin default 3 min 1 max 9", sep="\\n")
        print("game yavalath", "ok", sep="\\n", flush=True)
    if words[0] == "setoption":
        depth = words[-1]
    if words[0] == "new":
        print("ready", words[1], flush=True)
    if words[0] == "go":
        ply = words[1]
        print("info depth", depth, "nps 1000 pv e5", flush=True)
    if words[0] == "stop":
        print("bestmove", ply, "e5", flush=True)
    if words[0] == "quit":
        break
"""


@pytest.fixture
def thinker(tmp_path: Path) -> Path:
    (tmp_path / "thinker.py").write_text(THINKS_UNTIL_STOPPED)
    return tmp_path / "thinker.py"


def test_an_analysis_is_stopped_when_somebody_has_seen_enough(thinker: Path) -> None:
    with Engine.open(thinker, options={"depth": 5}) as bot:
        option = bot.options["depth"]
        assert (bot.name, option.type, option.initial) == ("Thinker", "spin", 3)
        assert (option.minimum, option.maximum) == (1, 9)
        with bot.analysis(START) as analysis:
            assert next(analysis) == Info(depth=5, nps=1000, pv=("e5",))
            assert analysis.poll(0.001) is None
            assert not analysis.is_over
            analysis.stop()
            assert analysis.wait().move == "e5"
        with bot.analysis(START) as left:
            next(left)
        assert left.wait().move == "e5", "to leave it stops it, too"
        bot.configure({"depth": 2})
        again = bot.analysis(START)
        assert next(again).depth == 2
        other = bot.analysis(START)
        assert again.is_over, "one question at a time"
        assert next(other).depth == 2


def test_wrong_options_are_told_and_set_nothing(thinker: Path) -> None:
    with pytest.raises(ConfigError, match=r"option depth = 12, expected a whole number from 1 to"):
        Engine.open(thinker, options={"depth": 12})
    with Engine.open(thinker, options={"depth": 5}) as bot:
        with pytest.raises(ConfigError, match=r"unknown option 'deep' \(depth\)"):
            bot.configure({"depth": 4, "deep": 4})
        assert bot.settings == {"depth": 5}


MISHAPS: dict[type[Good], tuple[type[EngineError], Termination, str]] = {
    bad_bots.DiesInItsMove: (BotDiedError, Termination.CRASH, "segmentation fault, sort of"),
    bad_bots.ClosesItsOutput: (BotDiedError, Termination.CRASH, "closed its standard output"),
    bad_bots.WritesALongLine: (BotDiedError, Termination.FLOOD, "over 8 MiB per move"),
    bad_bots.HangsInItsMove: (DeadlineError, Termination.TIME, "no answer within 0.150 s at"),
    bad_bots.PlaysAnIllegalMove: (IllegalAnswerError, Termination.ILLEGAL_MOVE, "at ply 3"),
    bad_bots.PlaysGarbage: (IllegalAnswerError, Termination.ILLEGAL_MOVE, "is not a move"),
}


@pytest.mark.parametrize("kind", MISHAPS)
def test_each_mishap_is_an_error_of_its_own_and_the_next_question_is_answered(
    kind: type[Good],
) -> None:
    error, why, says = MISHAPS[kind]
    limit = SOON if error is DeadlineError else LONG
    with opened(kind) as bot:
        moves = once(bot)
        with pytest.raises(error, match=says) as told:
            bot.play(START, limit, moves=moves)
        assert (told.value.why, told.value.bot) == (why, "bot")
        if error is not IllegalAnswerError:
            assert alive_of(tree_of(bot)) == set()
        moves = once(bot)
        with pytest.raises(error, match=says):
            bot.analysis(START, limit, moves=moves).wait()
        tree = tree_of(bot)
    assert alive_of(tree) == set()


def test_what_a_bot_says_of_its_wrong_answer_is_told(tmp_path: Path) -> None:
    wrong = THINKS_UNTIL_STOPPED.replace(
        '"info depth", depth, "nps 1000 pv e5"', '"error I am lost\\nbestmove", ply, "z9"'
    )
    (tmp_path / "lost.py").write_text(wrong)
    with Engine.open(tmp_path / "lost.py") as bot, pytest.raises(IllegalAnswerError) as told:
        bot.play(START)
    assert "'z9' is not a move" in str(told.value)
    assert "it says: I am lost" in str(told.value)


@needs("bwrap")
def test_a_bot_behind_a_sandbox_sees_its_own_files_alone(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "secret").write_text("s")
    seeing = f"import os; depth = int(os.path.exists({str(tmp_path / 'secret')!r}))\n"
    (tmp_path / "bot" / "bot.py").write_text(
        seeing + THINKS_UNTIL_STOPPED.replace('if words[0] == "stop"', 'if words[0] == "go"')
    )
    for sandbox, depth in (("none", 1), ("bwrap", 0)):
        with Engine.open(tmp_path / "bot", sandbox=sandbox) as bot:
            assert bot.play(START).info.depth == depth


@pytest.mark.parametrize(
    "kind", [bad_bots.LeavesAfterEachGame, bad_bots.LeavesWhenTheNextGameBegins]
)
def test_a_bot_for_one_game_is_started_for_each(kind: type[Good]) -> None:
    with opened(kind) as bot:
        assert {bot.play(START).move for _ in range(3)} == {START.legal_moves()[0]}


def test_a_bot_may_resign() -> None:
    with opened(bad_bots.Resigns) as bot:
        answer = bot.play(START, LONG, moves=once(bot))
    assert (answer.resigned, answer.move) == (True, None)


def test_what_says_no_ok_is_no_bot() -> None:
    for bot, startup_s, says in (
        (bad_bots.command(bad_bots.ExitsAtStart), 60, "before ok"),
        (bad_bots.command(bad_bots.HangsInHandshake), 0.1, "did not say ok within 0.1 s"),
        ([sys.executable, "-c", "raise SystemExit('no model')"], 60, "no model"),
    ):
        with pytest.raises(NotABotError, match=says):
            Engine.open(bot, startup=startup_s)


def test_what_describes_no_bot_is_refused_in_words() -> None:
    bot: str | dict[str, Any]
    for bot, says in (
        ("nosuch", "'nosuch' not found"),
        ("greedy; level=3", "unknown part 'level'"),
        ({"name": "x"}, r"x: not found; expected a command or one of the bundled bots .*greedy"),
        ({"command": "sh", "optoins": {}}, "unknown key 'optoins'"),
        ({"command": "sh", "memory": "much"}, "memory = .much., expected a size such as"),
    ):
        with pytest.raises(ConfigError, match=says):
            Engine.open(bot)


def test_a_bot_is_a_name_a_path_a_folder_a_command_its_words_or_a_table(thinker: Path) -> None:
    text = str(thinker)
    for bot in (
        text,
        thinker,
        thinker.parent,
        f"python3 {text}",
        ["python3", text],
        {"command": f"python3 {text}", "options": {"depth": 7}},
    ):
        with Engine.open(bot, options=None) as engine:
            assert engine.name == "Thinker"
            assert engine.settings == ({"depth": 7} if isinstance(bot, dict) else {})


def test_who_asks_wrongly_is_told_and_the_bot_is_not() -> None:
    over = games.get("yavalath").start()
    for move in ("a1", "i1", "a2", "i3", "a4", "i5", "a3"):
        over = over.play(Move(move))
    with opened(bad_bots.Good) as bot:
        with pytest.raises(GameError, match="the game is over: "):
            bot.play(over)
        with pytest.raises(IllegalMoveError):
            bot.play(START, moves=["e5", "e5"])
        with pytest.raises(ConfigError, match="does not play manalath"):
            bot.play(games.get("manalath").start())
        assert bot.play(START).move
    with pytest.raises(BotDiedError, match="was closed"):
        bot.play(START)


WRONG_LIMITS: tuple[dict[str, float], ...] = (
    {"seconds": 0},
    {"nodes": 0},
    {"nodes": 1.5},
    {"nodes": 10**15},
    {"seconds": 1, "nodes": 5},
    {"first_s": 5},
    {"increment_s": 1},
    {"first_s": 5, "second_s": float("nan")},
)


def test_a_limit_or_a_seed_that_no_bot_can_be_told_is_none() -> None:
    for text in ("move 0.5", "nodes 1000", "10+0.1", "none"):
        assert str(Limit.read(text).time) == text
    for wrong in WRONG_LIMITS:
        with pytest.raises(ValueError, match=r"expected|clocks are two"):
            Limit(**wrong)  # type: ignore[arg-type]
    with opened(bad_bots.Good) as bot:
        for seed in (-1, 1.5, "1", 2**63):
            with pytest.raises(ValueError, match="a seed of"):
                bot.play(START, Limit(nodes=1), seed=seed)  # type: ignore[arg-type]


def test_an_interrupt_leaves_no_process(heard: Path) -> None:
    trees = []

    def interrupted() -> None:
        with opened(bad_bots.HearsWhileItThinks, heard) as bot, bot.analysis(START):
            trees.append(tree_of(bot))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    (tree,) = trees
    assert alive_of(tree) == set()


LEFT_OPEN = """
from lath.arena import Engine
bot = Engine.open("random")
print(bot._bot.child.pid, bot._bot.tree)
"""


def test_a_program_that_ends_leaves_no_bot_behind() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LEFT_OPEN], capture_output=True, text=True, check=True, timeout=60
    )
    number, tree = ran.stdout.split()
    assert not Path("/proc", number).exists()
    assert alive_of(tree) == set()


def test_the_package_is_read_piece_by_piece() -> None:
    code = (
        "import sys, lath.arena; before = set(sys.modules); from lath.arena import Engine; "
        "print('lath.arena.referee.conversation' in before, 'pydantic' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False False\n"
