"""How to talk to a bot over pipes, with a time limit, and play it against the rules.

Must not know any particular bot or game.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import Queue
from random import Random
from threading import Thread
from typing import IO, Final, Protocol

from lath import games
from lath.games.core import SIDES, Move, Position, Side, read_move

LIMIT: Final = "nodes 8"
"""What bots may use for a move: no time, so that the same seed gives the same moves."""

PATIENCE_S: Final = 120.0
"""How long a test waits for a line of a bot; far longer than any bot here thinks."""


class Talk(Protocol):
    """A bot that takes lines and gives lines."""

    def tell(self, *lines: str) -> None:
        """Send lines, all in one write."""

    def hear(self) -> str:
        """Return the next line; raises queue.Empty and EOFError."""


class PipedBot:
    """A bot as a process."""

    def __init__(self, process: subprocess.Popen[bytes], line_end: str) -> None:
        assert process.stdin
        assert process.stdout
        self._process = process
        self._input = process.stdin
        self._line_end = line_end
        self._heard: Queue[str | None] = Queue()
        self._listener = Thread(target=self._listen, args=(process.stdout,), daemon=True)
        self._listener.start()

    def _listen(self, output: IO[bytes]) -> None:
        for line in output:
            self._heard.put(line.decode().rstrip("\r\n"))
        self._heard.put(None)

    def tell(self, *lines: str) -> None:
        """Send lines, all in one write."""
        self._input.write("".join(line + self._line_end for line in lines).encode())
        self._input.flush()

    def hear(self) -> str:
        """Return the next line; raises queue.Empty (silent too long) and EOFError (closed)."""
        line = self._heard.get(timeout=PATIENCE_S)
        if line is None:
            raise EOFError("the bot closed its output")
        return line

    def end_input(self) -> int:
        """Close its input; return the exit status."""
        self._input.close()
        return self._process.wait(PATIENCE_S)

    def quit(self) -> tuple[int, list[str]]:
        """Send `quit`; return the exit status and the lines that were not heard yet."""
        self.tell("quit")
        status = self._process.wait(PATIENCE_S)
        self._listener.join(PATIENCE_S)
        rest = []
        while (line := self._heard.get(timeout=PATIENCE_S)) is not None:
            rest.append(line)
        return status, rest


@contextmanager
def started(command: Sequence[str], *, line_end: str = "\n") -> Iterator[PipedBot]:
    """Start a bot; it is killed in the end if it still runs."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield PipedBot(process, line_end)
        finally:
            process.kill()


def greet(bot: Talk) -> list[str]:
    """Say hello and return what the bot answers before `ok`."""
    bot.tell("arena 1")
    return list(iter(bot.hear, "ok"))


def wants_of(greeting: Sequence[str]) -> set[str]:
    """Return what a bot asks for in its greeting."""
    return {word for line in greeting if line.startswith("want ") for word in line.split()[1:]}


def play_game(
    bot: Talk,
    game_id: str,
    *,
    seed: int,
    side: Side = Side.FIRST,
    wants: set[str],
    start: str | None = None,
) -> list[Move]:
    """Return the moves of a whole game of the bot against chance.

    `start` is a position's text in place of a setup. Each answer must have the right number and
    be legal; the bot hears every move of the other side.
    """
    game = games.get(game_id)
    chance = Random(f"{game_id} {seed}")
    setup = game.draw_setup(seed) if start is None else None
    position = game.start(setup) if start is None else game.position(start)
    begin = f" position {start}" if start else f" setup {setup}" if setup else ""
    bot.tell(f"new {seed} {game_id} side {side.word} tc {LIMIT} seed {seed}{begin}")
    assert bot.hear() == f"ready {seed}"
    moves: list[Move] = []
    while not position.is_over:
        if position.to_move is side:
            move = ask(bot, position, len(moves) + 1, wants=wants)
        else:
            move = chance.choice(position.legal_moves())
            bot.tell(f"play {len(moves) + 1} {move}")
        moves.append(move)
        position = position.play(move)
    outcome = position.outcome()
    assert outcome is not None
    bot.tell(f"result {seed} {outcome.result} rules")
    return moves


def ask(bot: Talk, position: Position, ply: int, *, wants: set[str]) -> Move:
    """Ask for a move and return it; it must answer the ply and be legal in `position`."""
    lines = []
    if "position" in wants:
        lines.append(f"position {position.text()}")
    if "legal" in wants:
        lines.append(f"legal {' '.join(position.legal_moves())}")
    bot.tell(*lines, f"go {ply} {LIMIT}")
    answer = next(line for line in iter(bot.hear, "") if not line.startswith("info "))
    word, number, text = answer.split()
    assert (word, number) == ("bestmove", str(ply))
    move = read_move(position, text)
    assert move == text, "a bot's move is in canonical text"
    return move


def play_both_seats(bot: Talk, game_id: str, *, seeds: range, wants: set[str]) -> list[list[Move]]:
    """Return the moves of a game in each seat for each seed."""
    return [
        play_game(bot, game_id, seed=seed, side=side, wants=wants)
        for seed in seeds
        for side in SIDES
    ]
