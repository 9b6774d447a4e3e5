"""Communication with a bot over pipes, with a time limit, and games against random moves.

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
"""The limit for a bot's move: without time, so that equal seeds give equal moves."""

PATIENCE_S: Final = 120.0
"""The longest wait for a bot's line, in seconds; far longer than any bot here thinks."""


class Talk(Protocol):
    """A bot that reads and writes lines."""

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
        """Return the next line; raises queue.Empty on timeout and EOFError at the end."""
        line = self._heard.get(timeout=PATIENCE_S)
        if line is None:
            raise EOFError("the bot closed its output")
        return line

    def end_input(self) -> int:
        """Close its input; return the exit status."""
        self._input.close()
        return self._process.wait(PATIENCE_S)

    def quit(self) -> tuple[int, list[str]]:
        """Send `quit`; return the exit status and the unread lines."""
        self.tell("quit")
        status = self._process.wait(PATIENCE_S)
        self._listener.join(PATIENCE_S)
        rest = []
        while (line := self._heard.get(timeout=PATIENCE_S)) is not None:
            rest.append(line)
        return status, rest


@contextmanager
def started(command: Sequence[str], *, line_end: str = "\n") -> Iterator[PipedBot]:
    """Start a bot; it is killed at the end if it still runs."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield PipedBot(process, line_end)
        finally:
            process.kill()


def greet(bot: Talk) -> list[str]:
    """Do the handshake and return the bot's lines before `ok`."""
    bot.tell("arena 1")
    return list(iter(bot.hear, "ok"))


def wants_of(greeting: Sequence[str]) -> set[str]:
    """Return the words that a bot asks for in its handshake."""
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
    """Return the moves of a whole game of the bot against random moves.

    `start` is a position's text instead of a setup. Each answer must have the right number and be
    legal; the bot gets every move of the opponent.
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
    """Ask for a move and return it; it must be for this ply and legal in `position`."""
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
    """Return the moves of a game on each side for each seed."""
    return [
        play_game(bot, game_id, seed=seed, side=side, wants=wants)
        for seed in seeds
        for side in SIDES
    ]
