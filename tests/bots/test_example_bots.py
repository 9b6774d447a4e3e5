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
from lath.games.core import Seat

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
    C: ["cc", "-O2", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"],
    CPP: ["c++", "-O1", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"],
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
def test_an_example_says_who_it_is_what_it_plays_and_ok(
    example: Example, request: pytest.FixtureRequest
) -> None:
    with started(command_of(example, request)) as bot:
        greeting = greet(bot)
        assert bot.quit() == (0, [])
    assert greeting[0].startswith("id name ")
    (plays,) = (line.split()[1:] for line in greeting if line.startswith("game "))
    assert {game.removesuffix(":*") for game in plays} == set(example.plays)


@pytest.mark.parametrize("seeds", [range(1, 2)], ids=["1"])
@every_example
def test_an_example_plays_whole_games_with_legal_moves_only(
    example: Example, seeds: range, request: pytest.FixtureRequest
) -> None:
    with started(command_of(example, request)) as bot:
        wants = wants_of(greet(bot))
        for game_id in example.plays:
            played = play_both_seats(bot, game_id, seeds=seeds, wants=wants)
            assert len(played) == 2 * len(seeds), game_id
        assert bot.quit() == (0, [])


@every_example
def test_the_same_seed_gives_the_same_moves_and_another_seed_gives_others(
    example: Example, request: pytest.FixtureRequest
) -> None:
    game_id = example.plays[0]
    command = command_of(example, request)
    with started(command) as bot, started(command) as another:
        wants = wants_of(greet(bot))
        greet(another)
        play_game(another, game_id, seed=1, wants=wants)  # what it played before does not matter
        played = [play_game(bot, game_id, seed=seed, wants=wants) for seed in (5, 6)]
        again = [play_game(another, game_id, seed=seed, wants=wants) for seed in (5, 6)]
    assert played == again
    assert played[0] != played[1]


@every_example
def test_the_seed_alone_decides_the_first_choices(
    example: Example, request: pytest.FixtureRequest
) -> None:
    position = games.get("yavalath").start()
    firsts = []
    with started(command_of(example, request)) as bot:
        wants = wants_of(greet(bot))
        for seed in range(8):
            bot.tell(f"new {seed} yavalath side first tc none seed {seed * 2**40 + seed}")
            assert bot.hear() == f"ready {seed}"
            firsts.append(ask(bot, position, 1, wants=wants))
    assert len(set(firsts)) > 1


@every_example
def test_a_cr_before_the_line_end_does_no_harm(
    example: Example, request: pytest.FixtureRequest
) -> None:
    with started(command_of(example, request), line_end="\r\n") as bot:
        wants = wants_of(greet(bot))
        play_both_seats(bot, "yavalath", seeds=range(1, 2), wants=wants)
        bot.tell("ping 12")
        assert bot.hear() == "pong 12"
        assert bot.quit() == (0, [])


@every_example
def test_unknown_lines_are_ignored(example: Example, request: pytest.FixtureRequest) -> None:
    with started(command_of(example, request)) as bot:
        wants = wants_of(greet(bot))
        bot.tell("", "   ", "weather fine", "go*", "pingpong 3", "stop", "x" * 60_000)
        bot.tell("setoption name depth value 3", "ping 1")
        heard = list(iter(bot.hear, "pong 1"))
        assert [line for line in heard if line.startswith(("bestmove", "pong"))] == []
        play_game(bot, "yavalath", seed=1, wants=wants)


@every_example
def test_the_end_of_the_input_ends_the_bot(
    example: Example, request: pytest.FixtureRequest
) -> None:
    ended = subprocess.run(
        command_of(example, request),
        input=b"arena 1\nping 7\n",
        stdout=subprocess.PIPE,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.stdout.decode().splitlines()[-2:] == ["ok", "pong 7"]


def test_the_exchange_that_the_readme_shows_is_what_happens() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    command, *shown = page.split("```console\n$ ")[1].split("\n```")[0].splitlines()
    said = subprocess.run(
        ["sh", "-c", command], cwd=FOLDER, stdout=subprocess.PIPE, timeout=PATIENCE_S, check=True
    )
    assert said.stdout.decode().splitlines() == shown


def test_the_shell_bot_has_fewer_than_twenty_lines() -> None:
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


def first_answer(command: list[str], position: str, side: Seat) -> str:
    """Return the bot's move in a Yavalath position."""
    with started(command) as bot:
        wants = wants_of(greet(bot))
        bot.tell(f"new 1 yavalath side {side.word} tc none seed 3 position {position}")
        assert bot.hear() == "ready 1"
        return ask(bot, games.get("yavalath").position(position), 1, wants=wants)


def test_the_c_bot_makes_four_where_it_can(request: pytest.FixtureRequest) -> None:
    position = f"{rows(THREE_OF_FOUR)} w"
    assert first_answer(command_of(C, request), position, Seat.FIRST) == "f4"


def test_the_c_bot_never_makes_three_while_another_cell_is_free(
    request: pytest.FixtureRequest,
) -> None:
    with started(command_of(C, request)) as bot:
        greet(bot)
        for seed in range(40):
            side = Seat(seed % 2)
            moves = play_game(bot, "yavalath", seed=seed, side=side, wants=set())
            check_each_choice(moves, side)


def check_each_choice(moves: list[games.core.Move], side: Seat) -> None:
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
