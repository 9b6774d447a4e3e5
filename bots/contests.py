"""A bot's side of other contests: their lines become ours, and its answers theirs.

`arena bot pack` puts `speak` before a bot, which then reads and writes as in the arena.
docs/how-to/connect-other-protocols.md has the lines.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Thread
from types import MappingProxyType
from typing import Any, Final, TextIO

from lath import games
from lath.notation import protocol as wire
from lath.notation.protocol import NewGame, TimeControl

KEEP_RUNNING: Final = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"


class Listener:
    """A bot as the arena has it: it is told lines, and its answers are waited for."""

    def __init__(self, to_bot: TextIO, from_bot: TextIO) -> None:
        self._to_bot: Final = to_bot
        self._from_bot: Final = from_bot

    def tell(self, *lines: str) -> None:
        """Write lines."""
        self._to_bot.write("".join(f"{line}\n" for line in lines))
        self._to_bot.flush()

    def hear(self, awaited: str) -> str:
        """Return what follows the words `awaited` at the beginning of a line; raises EOFError."""
        for line in self._from_bot:
            text = " ".join(line.split())
            if f"{text} ".startswith(f"{awaited} "):
                return text[len(awaited) :].strip()
        raise EOFError

    def begin(self, new: NewGame) -> None:
        """Tell of a game; wait until the bot is ready."""
        self.tell(new.line())
        self.hear(f"ready {new.number}")

    def move(self, *news: str, ply: int, go: str) -> str:
        """Return the answer to the line `go`, after `news`."""
        self.tell(*news, go)
        return self.hear(f"bestmove {ply}")


def codingame(bot: Listener, source: TextIO, out: TextIO, tc: TimeControl, seed: int) -> None:
    """Play CodinGame's Yavalath to the end of the input."""
    side = ("first", "second")[int(source.readline()) - 1]
    board = games.get("yavalath").board
    cells = [[board.name[bit] for bit in row] for row in board.rows]
    place = {cell: f"{row.index(cell)} {y}" for y, row in enumerate(cells) for cell in row}
    known: dict[str, str] = {}
    """The stones as they lay after the bot's last move: `1` its own, `2` the other's."""
    ply = 0
    for line in source:
        rows = [source.readline().strip() for _ in range(int(line))]
        if len(source.readline().split()) == 1:  # the statement can be read so, too
            source.readline()
        lying = (zip(*pair, strict=True) for pair in zip(cells, rows, strict=True))
        stones = {cell: stone for row in lying for cell, stone in row if stone != "0"}
        news = []
        if not ply:
            ply = 1
            is_second = side == "second" and list(stones.values()) == ["2"]
            position = None
            if is_second:
                news = [f"play 1 {next(iter(stones))}"]
            elif stones:
                position = _position(board, stones, side)
            bot.begin(
                NewGame(number=1, game="yavalath", side=side, time=tc, seed=seed, position=position)
            )
            time = tc.of_first_go
        else:
            added = [cell for cell in stones if cell not in known]
            news = [f"play {ply} {added[0] if added else 'swap'}"]
            time = tc
        ply += len(news)
        move = bot.move(*news, ply=ply, go=wire.go_line(ply, time, 0, 0))
        ply += 1
        free = (cell for cell in place if cell not in stones)
        cell = next(iter(stones)) if move == "swap" else move if move in place else next(free)
        known = {**stones, cell: "1"}
        print(place[cell], file=out, flush=True)


def _position(board: Any, stones: Mapping[str, str], side: str) -> str:
    """Return the text of a position that is not the beginning of a game."""
    mine, theirs = "wb" if side == "first" else "bw"
    masks = {"w": 0, "b": 0}
    for cell, stone in stones.items():
        masks[mine if stone == "1" else theirs] |= board.bit[cell]
    return f"{board.format_rows(masks)} {mine}"


def botzone(bot: Listener, source: TextIO, out: TextIO, tc: TimeControl, seed: int) -> None:
    """Play by Botzone's JSON to the end of the input; the process asks to be kept."""
    number = ply = 0
    for line in source:
        told = json.loads(line)
        news: list[str] = []
        if "requests" in told:
            number, ply = number + 1, 0
            first, request = told["requests"][0], told["requests"][-1]
            bot.begin(
                NewGame(
                    number=number,
                    game=first["game"],
                    side=first["side"],
                    time=_time(request, tc),
                    seed=first.get("seed", seed),
                    setup=first.get("setup"),
                    position=first.get("position"),
                )
            )
            moves = list(_moves(told["requests"], told["responses"]))
        else:
            request = told
            moves = request["moves"]
        for move in moves:
            ply += 1
            news.append(f"play {ply} {move}")
        ply += 1
        move = bot.move(*news, ply=ply, go=_go(request, ply, tc))
        print(json.dumps({"response": move}), KEEP_RUNNING, sep="\n", file=out, flush=True)


def _moves(requests: Sequence[Any], responses: Sequence[str]) -> Iterator[str]:
    for request, response in zip(requests, (*responses, None), strict=True):
        yield from request["moves"]
        if response is not None:
            yield response


def _time(request: Mapping[str, Any], tc: TimeControl) -> TimeControl:
    go = request.get("go", {})
    clocks = {"initial_ms": max(go.get("first", 0), go.get("second", 0)), "move_ms": 0, "nodes": 0}
    limits = {**clocks, "move_ms": go.get("move", 0), "nodes": go.get("nodes", 0)}
    time = TimeControl(increment_ms=go.get("inc", 0), **limits)
    return tc if time == TimeControl() else time


def _go(request: Mapping[str, Any], ply: int, tc: TimeControl) -> str:
    said = {name: n for name, n in request.get("go", {}).items() if name != "ply"}
    if not said:
        return wire.go_line(ply, tc, 0, 0)
    return " ".join([f"go {ply}", *(f"{name} {n}" for name, n in said.items())])


Contest = Callable[[Listener, TextIO, TextIO, TimeControl, int], None]

CONTESTS: Final[Mapping[str, Contest]] = {"codingame": codingame, "botzone": botzone}


def speak(
    contest: str, *, tc: str, seed: int, options: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Put a contest's lines on standard input and output in the place of the arena's.

    For a bot that begins after this, in the same process. `tc` is its time where the contest does
    not say it, `seed` that of its chance; `options` are set.
    """
    theirs_in, theirs_out = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    bots_in, to_bot = os.pipe()
    from_bot, bots_out = os.pipe()
    for here, there in ((bots_in, 0), (bots_out, 1)):
        os.dup2(here, there)
        os.close(here)

    def serve() -> None:
        with suppress(EOFError, BrokenPipeError), os.fdopen(to_bot, "w") as told:
            # Whatever ends this, the end of its input ends the bot, which has said why it left.
            bot = Listener(told, os.fdopen(from_bot))
            bot.tell(wire.HELLO)
            bot.hear("ok")
            bot.tell(*(wire.setoption_line(*option) for option in options.items()))
            CONTESTS[contest](bot, theirs_in, theirs_out, TimeControl.read(tc), seed)
            bot.tell(wire.QUIT)

    Thread(target=serve, daemon=True).start()
