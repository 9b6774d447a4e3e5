"""Bots of other contests: what their processes hear, recorded, and how their answers are read."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import arena
from processes import new_tree

from lath import games
from lath.arena.entrants.flags import bot_flag
from lath.arena.entrants.origins import spec_of
from lath.arena.errors import ConfigError, GameVoidError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.bridges import KEEP_RUNNING, Botzone, BridgedBot, Codingame, bot_of
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import play_game
from lath.arena.referee.record import GamePlan, GameResult
from lath.arena.referee.watch import Watch
from lath.arena.tournament.configuration.config import build
from lath.games.core import Move, Position
from lath.notation.protocol import NewGame, TimeControl, read_go
from lath.notation.text.scanner import parse

YAVALATH = games.get("yavalath")
GO = read_go("go 1 move 100")


def after(*moves: str) -> Position:
    position = YAVALATH.start()
    for move in moves:
        position = position.play(Move(move))
    return position


def new(side: str, game: str = "yavalath") -> NewGame:
    return NewGame(number=1, game=game, side=side, time=TimeControl(move_ms=100), seed=7)


def answered(talk: Codingame | Botzone, *lines: bytes, is_gone: bool = False) -> str | None:
    return talk.take(deque(lines), is_gone, lambda _: None)


EMPTY = "9\n00000\n000000\n0000000\n00000000\n000000000\n00000000\n0000000\n000000\n00000\n-1 -1\n"
"""A first turn by the statement of CodinGame's Yavalath: rows, top to bottom, and no last move."""

STOLEN = "9\n00000\n000000\n0000000\n00000000\n000020000\n00000000\n0000000\n000000\n00000\n4 4\n"
"""The turn after a first stone at 4 4, of who did not place it and of who lost it."""

LATER = "9\n00000\n000000\n0000000\n00000000\n000010000\n00000000\n0000000\n000000\n20001\n0 8\n"
"""Own stones at 4 4 and 4 8, the other's at 0 8, its last."""


def test_codingame_hears_its_number_and_the_board_as_the_referee_there_writes_them() -> None:
    first, second = Codingame(new("first")), Codingame(new("second"))
    assert (first.greeting, second.greeting) == ("1\n", "2\n")
    assert first.request(after(), [], GO) == EMPTY
    assert second.request(after("e5"), ["e5"], GO) == STOLEN
    assert first.request(after("e5", "swap"), ["swap"], GO) == STOLEN
    assert second.request(after("e5", "swap", "a1", "a5", "i5"), [], GO)[-6:] == "-1 -1\n"
    assert first.request(after("e5", "a1", "a5"), ["a1"], GO) == LATER


@pytest.mark.parametrize(
    ("line", "move"),
    [
        (b"4 4", "swap"),
        (b"0 0\r", "i1"),
        (b"4 8 well played", "a5"),
        (b"9 9", "9 9 (outside)"),
        (b"0 -1", "0 -1 (outside)"),
        (b"a1", "a1 (expected x y)"),
        (b"resign now", "resign now (expected x y)"),
    ],
)
def test_codingame_answers_x_in_the_row_then_the_row_from_the_top(line: bytes, move: str) -> None:
    talk = Codingame(new("second"))
    talk.request(after("e5"), ["e5"], GO)
    assert answered(talk) is None
    assert answered(talk, b"", line) == move


def test_a_stone_on_a_stone_is_a_swap_in_the_second_turn_alone() -> None:
    talk = Codingame(new("first"))
    talk.request(after("e5", "a1"), ["a1"], GO)
    assert answered(talk, b"4 4") == "e5"
    assert after("e5", "a1").why_illegal(Move("e5")) == "e5 already has a stone"


def test_botzone_hears_the_whole_history_each_turn() -> None:
    talk = Botzone(new("second", "surikata"))
    position = games.get("surikata").start()
    assert json.loads(talk.request(position, ["Mc3"], read_go("go 2 nodes 50"))) == {
        "requests": [
            {
                "game": "surikata",
                "side": "second",
                "seed": 7,
                "moves": ["Mc3"],
                "go": {"ply": 2, "nodes": 50},
            }
        ],
        "responses": [],
        "data": "",
        "globaldata": "",
    }
    answer = b'{"response": "c1", "debug": "so", "data": "mine"}'
    assert answered(talk, answer) is None, "it may say that it wants to go on"
    assert answered(talk, is_gone=True) == "c1"
    request = talk.request(position, ["a1"], read_go("go 4 first 90 second 80 inc 5"))
    assert request.count("\n") == 1
    told = json.loads(request)
    clock = {"ply": 4, "first": 90, "second": 80, "inc": 5}
    assert told["requests"][1:] == [{"moves": ["a1"], "go": clock}]
    assert (told["responses"], told["data"]) == (["c1"], "mine")


def test_botzone_hears_the_newest_request_alone_where_it_runs_on() -> None:
    talk = Botzone(new("first"))
    talk.request(after(), [], GO)
    assert answered(talk, b'{"response":"e5"}', KEEP_RUNNING) == "e5"
    assert json.loads(talk.request(after("e5", "a1"), ["a1"], GO)) == {
        "moves": ["a1"],
        "go": {"ply": 1, "move": 100},
    }
    assert answered(talk, b"e4", KEEP_RUNNING) == 'e4 (expected JSON such as {"response": "e5"})'


CODINGAME = """
input()
while True:
    rows = [input() for _ in range(int(input()))]
    x, y = map(int, input().split())
    free = [(x, y) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == "0"]
    print(*free[0], "free:", len(free), flush=True)
"""

BOTZONE = """
import json
cells = [row + str(n) for row in "ihgfedcba" for n in range(5, 0, -1)]
told = json.loads(input())
used = {cell for turn in told["requests"] for cell in turn["moves"]} | {*told["responses"]}
while True:
    move = next(cell for cell in cells if cell not in used)
    print(json.dumps({"response": move, "debug": f"{len(used)} used"}), end="")
    if not KEEPS:
        break
    print("\\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
    used |= {move, *json.loads(input())["moves"]}
"""


def played(first: Sequence[str], second: Sequence[str]) -> GameResult:
    watch, tree = Watch(), new_tree()
    specs = [
        BotSpec(name=name, command=(sys.executable, "-IS", "-c", script), protocol=protocol)
        for name, (protocol, script) in (("ann", first), ("bob", second))
    ]
    one, other = (bot_of(spec, watch, tree=tree) for spec in specs)
    limits = Limits(time=TimeControl(move_ms=20_000))
    plan = GamePlan(
        number=1, round=1, game="yavalath", setup=None, names=("ann", "bob"), seeds=(1, 2)
    )
    try:
        return play_game(plan, (one, other), limits, watch, keep_log=True)
    finally:
        one.quit()
        other.quit()


@pytest.mark.parametrize("keeps", [False, True])
def test_bots_of_two_contests_play_each_other(keeps: bool) -> None:
    game = played(("codingame", CODINGAME), ("botzone", BOTZONE.replace("KEEPS", str(keeps))))
    record = parse(game.record)
    assert record.termination == "rules", record.story
    assert [ply.move for ply in record.plies][:4] == ["i1", "i5", "i2", "i4"]
    assert record.plies[2].comments[0][1:] == ("free: 59",)
    assert record.plies[3].comments[0][1:] == ("3 used",)
    assert "ann > 1\n" in game.log
    assert game.log.count("bob > {") == len(record.plies) // 2


ANSWERS = """
import json, sys, time
def answer(told):
    cells = [row + str(n) for row in "ihgfedcba" for n in range(5, 0, -1)]
    asked = told["requests"]
    used = {cell for turn in asked for cell in turn["moves"]} | {*told["responses"]}
    print(json.dumps({"response": next(cell for cell in cells if cell not in used)}), flush=True)
    return len(asked)
"""

STAYS = BOTZONE.replace("KEEPS", "True")


@pytest.mark.parametrize(
    ("script", "least", "most"),
    [
        (f"{ANSWERS}answer(json.load(sys.stdin))", 6, 6),
        (f"{ANSWERS}answer(json.loads(sys.stdin.read()))", 6, 6),
        (f"{ANSWERS}for line in sys.stdin: answer(json.loads(line))", 6, 6),
        (f"{ANSWERS}answer(json.loads(input()))", 5, 6),  # it may end before anybody looks
        (f"import time; time.sleep(0.3)\n{STAYS}", 0, 1),
        (f"import time\nt = time.time() + 0.3\nwhile time.time() < t: pass\n{STAYS}", 0, 0),
    ],
    ids=["load", "read", "loop", "line", "slow to ask to stay", "busy before it asks to stay"],
)
def test_a_process_for_one_turn_is_told_that_nothing_more_comes(
    script: str, least: int, most: int
) -> None:
    game = played(("botzone", script), ("botzone", STAYS))
    assert parse(game.record).termination == "rules", game.record
    assert game.log.count("ann > {") == 6
    assert least <= game.log.count("ann > (end of the input)") <= most
    assert "bob > (end" not in game.log


def test_who_answers_what_is_no_line_of_the_contest_loses_by_it() -> None:
    script = "[input() for _ in range(12)]; print('e5', flush=True); input()"
    game = played(("codingame", script), ("botzone", BOTZONE))
    record = parse(game.record)
    assert (record.termination, record.result) == ("illegal move", "0-1")
    assert "e5 (expected x y)" in (record.story or "")


def test_who_ends_in_place_of_an_answer_has_crashed() -> None:
    game = played(("codingame", "input(); input(); raise SystemExit(3)"), ("botzone", BOTZONE))
    assert parse(game.record).story == "ann (first): exited with status 3"


def test_a_bot_in_one_text_names_its_protocol() -> None:
    spec = spec_of(bot_flag("ann=python ann.py; protocol=codingame"))
    assert isinstance(bot_of(spec, Watch(), tree="t"), BridgedBot)
    with pytest.raises(ConfigError, match="expected 'lath', 'codingame' or 'botzone'"):
        bot_flag("ann=python ann.py; protocol=uci")
    bots = [{"name": "ann", "command": "a", "protocol": "codingame", "options": {"depth": 2}}]
    with pytest.raises(ConfigError, match="options with protocol 'codingame', which has none"):
        build({"bot": [*bots, {"name": "greedy"}]}, Path())


def test_a_bot_of_a_contest_whose_file_is_not_there_does_not_start() -> None:
    spec = spec_of(bot_flag("ann=python no-such-bot.py; protocol=botzone"))
    bot = bot_of(spec, Watch(), tree=new_tree())
    with pytest.raises(GameVoidError, match=r"exited with status 2 before ok: no-such-bot.py"):
        bot.start(Limits(time=TimeControl()))
    bot.kill()


def test_a_contest_has_its_own_games_alone() -> None:
    bot = bot_of(BotSpec(name="cg", command=("x",), protocol="codingame"), Watch(), tree="t")
    bot.greet(1.0)
    bot.refuse_unless_it_plays(["yavalath"])
    with pytest.raises(ConfigError, match="codingame only has yavalath"):
        bot.refuse_unless_it_plays(["yavalath:size=4"])


def test_a_bot_of_a_contest_is_checked_at_what_the_contest_asks(tmp_path: Path) -> None:
    (tmp_path / "cg.py").write_text(CODINGAME)
    command = ("--", sys.executable, "-IS", tmp_path / "cg.py")
    points = ("starts", "ready", "first", "swap-offered", "stop")
    asked = [f"--only={point}" for point in points]
    ran = arena("bot", "check", "--json", "--protocol", "codingame", *asked, *command)
    found = {point["id"]: point for point in map(json.loads, ran.out.splitlines())}
    verdicts = {id_: point["verdict"] for id_, point in found.items()}
    assert verdicts == {**dict.fromkeys(points, "ok"), "stop": "untested"}, ran.out
    assert found["stop"]["seen"] == "codingame has nothing of the kind"
    refused = arena("bot", "check", "--protocol", "codingame", "--option", "a=1", *command)
    assert "which has none" in refused.err
