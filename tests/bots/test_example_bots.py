"""The example bots in other languages keep the protocol and play whole games by the rules."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from drawn import rows
from places import OURS, ROOT
from talking import PATIENCE_S, ask, greet, play_both_seats, play_game, started, wants_of
from tools import needs

from lath import games
from lath.games.core import Side

FOLDER = ROOT / "examples" / "bots"


@dataclass(frozen=True)
class Example:
    """One example bot and what it needs to run."""

    file: str
    needs: str
    plays: tuple[str, ...] = OURS

    @property
    def id(self) -> str:
        return f"{self.file}-{Path(self.needs).name}"


JAVASCRIPT = Example("random.js", "node")
SHELL = Example("legal.sh", "sh")
DASH = Example("legal.sh", "dash")
PYTHON = Example("dice.py", sys.executable, games.builtin_ids())
C = Example("four_in_line.c", "cc", ("yavalath",))
CPP = Example("legal.cpp", "c++")
RUST = Example("legal.rs", "rustc")
BUILT = {
    C: ["cc", "-O2", "-std=c99", "-BotSandbox", "-Wextra", "-Wpedantic", "-Werror"],
    CPP: ["c++", "-O1", "-std=c++17", "-BotSandbox", "-Wextra", "-Wpedantic", "-Werror"],
    RUST: ["rustc", "-D", "warnings"],
}
"""How those are built that are, every warning an error."""


def marks_of(example: Example) -> list[pytest.MarkDecorator]:
    return [] if example in (SHELL, PYTHON) else [needs(example.needs)]


EXAMPLES = (JAVASCRIPT, SHELL, DASH, PYTHON, C, CPP, RUST)

pytestmark = pytest.mark.xdist_group("example bots")  # each is built once

every_example = pytest.mark.parametrize(
    "example",
    [pytest.param(example, marks=marks_of(example), id=example.id) for example in EXAMPLES],
)


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Example], Path]:
    """Return what builds a bot, once."""

    @cache
    def build(example: Example) -> Path:
        program = tmp_path_factory.mktemp("bots") / "bot"
        words = [*BUILT[example], "-o", str(program), str(FOLDER / example.file)]
        subprocess.run(words, check=True, timeout=PATIENCE_S)
        return program

    return build


def command_of(example: Example, request: pytest.FixtureRequest) -> list[str]:
    """Return how to start a bot."""
    if example in BUILT:
        return [str(request.getfixturevalue("builds")(example))]
    return [example.needs, str(FOLDER / example.file)]


@every_example
@pytest.mark.parametrize("seeds", [range(1, 2)], ids=["1"])
def test_an_example_keeps_the_protocol_and_plays_whole_games_with_legal_moves_only(
    example: Example, seeds: range, request: pytest.FixtureRequest
) -> None:
    command = command_of(example, request)
    with started(command) as bot:
        greeting = greet(bot)
        assert greeting[0].startswith("id name ")
        (plays,) = (line.split()[1:] for line in greeting if line.startswith("game "))
        assert {game.removesuffix(":*") for game in plays} == set(example.plays)
        wants = wants_of(greeting)
        bot.tell("", "   ", "weather fine", "go*", "pingpong 3", "stop", "x" * 60_000)
        bot.tell("setoption name depth value 3", "ping 1")
        heard = list(iter(bot.hear, "pong 1"))
        assert [line for line in heard if line.startswith(("bestmove", "pong"))] == []
        for game_id in example.plays:
            played = play_both_seats(bot, game_id, seeds=seeds, wants=wants)
            assert len(played) == 2 * len(seeds), game_id
        assert bot.quit() == (0, [])
    with started(command, line_end="\r\n") as bot:
        play_both_seats(bot, "yavalath", seeds=range(1, 2), wants=wants_of(greet(bot)))
        bot.tell("ping 12")
        assert bot.hear() == "pong 12"
        assert bot.end_input() == 0


@every_example
def test_the_same_seed_gives_the_same_moves_and_another_seed_gives_others(
    example: Example, request: pytest.FixtureRequest
) -> None:
    game_id = example.plays[0]
    command = command_of(example, request)
    position = games.get("yavalath").start()
    with started(command) as bot, started(command) as another:
        wants = wants_of(greet(bot))
        greet(another)
        play_game(another, game_id, seed=1, wants=wants)  # what it played before does not matter
        played = [play_game(bot, game_id, seed=seed, wants=wants) for seed in (5, 6)]
        again = [play_game(another, game_id, seed=seed, wants=wants) for seed in (5, 6)]
        firsts = set()
        for seed in range(8):
            bot.tell(f"new {seed} yavalath side first tc none seed {seed * 2**40 + seed}")
            assert bot.hear() == f"ready {seed}"
            firsts.add(ask(bot, position, 1, wants=wants))
    assert played == again
    assert played[0] != played[1]
    assert len(firsts) > 1, "the seed alone decides the first choices"


def test_the_exchange_that_the_readme_shows_is_what_happens_in_less_than_twenty_lines() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    command, *shown = page.split("```console\n$ ")[1].split("\n```")[0].splitlines()
    said = subprocess.run(
        ["sh", "-c", command], cwd=FOLDER, stdout=subprocess.PIPE, timeout=PATIENCE_S, check=True
    )
    assert said.stdout.decode().splitlines() == shown
    assert len((FOLDER / SHELL.file).read_text(encoding="utf-8").splitlines()) < 20


THREE_OF_FOUR = """
       . . . . .
      . . . . . .
     . . . . . . .
    . . w . w w . .
   . . . . . . . . .
    b . . . . . . .
     b . . b . . .
      . . . . . .
       . . . . .
"""
"""White makes four on f4, and three on f7."""


def test_the_c_bot_makes_four_where_it_can_and_no_three_while_another_cell_is_free(
    request: pytest.FixtureRequest,
) -> None:
    text = f"{rows(THREE_OF_FOUR)} w"
    with started(command_of(C, request)) as bot:
        greet(bot)
        bot.tell(f"new 1 yavalath side first tc none seed 3 position {text}")
        assert bot.hear() == "ready 1"
        assert ask(bot, games.get("yavalath").position(text), 1, wants=set()) == "f4"
        for seed in range(40):
            side = Side(seed % 2)
            moves = play_game(bot, "yavalath", seed=seed, side=side, wants=set())
            check_each_choice(moves, side)


def check_each_choice(moves: list[games.core.Move], side: Side) -> None:
    """Check that each move of `side` wins where a move could, and loses only where all did."""
    position = games.get("yavalath").start()
    for move in moves:
        if position.to_move is side:
            winners = {
                choice: outcome.winner
                for choice in position.legal_moves()
                if choice != "swap" and (outcome := position.play(choice).outcome())
            }
            if side in winners.values():
                assert winners.get(move) is side
            elif winners.get(move) is side.other:
                assert len(winners) == len(position.legal_moves())
        position = position.play(move)
