"""Bots of other contests: asked and waited for as ours are, in the lines of their own protocol.

Sandbox, clocks, logs and prices of mishaps are those of every bot; what differs is what its process
hears in place of `new`, `play` and `go`, and what it answers in place of `bestmove`.
docs/how-to/connect-other-protocols.md has the lines.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from lath import games
from lath.arena.errors import UnfitBotError
from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.referee.bots import OURS, BotSpec, Greeting
from lath.arena.referee.conversation import Bot, NoAnswerError
from lath.arena.referee.process import may_start
from lath.arena.referee.watch import Watch
from lath.arena.sandbox import users
from lath.arena.sandbox.kinds import BotSandbox
from lath.games.board import Board
from lath.games.core import Move, Position, Side
from lath.notation import protocol as wire
from lath.notation.files.bounds import read_json
from lath.notation.record.tags import Termination

_LOOK_S: Final = 0.002
"""How often it is looked whether a process has read what it was told."""

_IDLE_S: Final = 0.05
"""How long a process may wait that has read everything; then its input ends."""

PRELUDE: Final = f"{__file__.rpartition('/')[0]}/codingame.cjs"
"""What Node.js reads before a program, so that it has what CodinGame's JavaScript has."""

_NODE_OPTIONS: Final = "NODE_OPTIONS"
"""The variable by which Node.js has options, however a bot's command starts it."""


def bot_of(
    spec: BotSpec,
    watch: Watch,
    *,
    tree: str,
    forgives_hold_ups: bool = False,
    at_terminal: bool = False,
) -> Bot:
    """Return the bot, which does not run yet, in whatever protocol it speaks; see `Bot`."""
    return (Bot if spec.protocol == OURS else BridgedBot)(
        spec, watch, tree=tree, forgives_hold_ups=forgives_hold_ups, at_terminal=at_terminal
    )


class Codingame:
    """CodinGame's Yavalath, as the source of its referee has it."""

    id: ClassVar = "codingame"
    title: ClassVar = "CodinGame"
    """Its name, as it writes it."""

    games: ClassVar[Sequence[str]] = ("yavalath",)
    """What the contest has; empty: everything."""

    takes_any_size: ClassVar = False
    """Whether games may have parameters."""

    says: ClassVar[Sequence[str]] = ()
    """What it says of a game besides, by the ids of the points of a check that ask for it."""

    tc: ClassVar = "move 0.1 first 1"
    """The time that bots have there."""

    answer_form: ClassVar = "`x y`"
    may_end: ClassVar = False
    """Whether there are processes for one turn, whose input ends after it."""

    prelude: ClassVar = PRELUDE
    """A file that Node.js reads before a bot; empty: the contest adds nothing to it."""

    is_kept = True
    """Whether the process that has answered hears the next turn."""

    def __init__(self, new: wire.NewGame) -> None:
        self._seat: Final = Side.FIRST if new.side == "first" else Side.SECOND
        self._board: Final[Board] = games.get(new.game).board
        self._cells: Final = [[self._board.name[bit] for bit in row] for row in self._board.rows]
        """The names of the cells, by row from the top and place in the row from the left."""
        self._stolen = ""
        """The cell that is a swap to answer with, in the second turn; else empty."""

    @property
    def greeting(self) -> str:
        """Return what a process hears before its first turn: the number of the player."""
        return f"{self._seat + 1}\n"

    def request(self, position: Position, moves: Sequence[str], _go: wire.Go) -> str:
        """Return what the process hears of its turn, after the other's `moves` since the last."""
        stones = dict(zip(self._board.names, position.contents(), strict=True))
        last = moves[-1] if moves else ""
        placed = [cell for cell, stone in stones.items() if stone.strip()]
        self._stolen = placed[0] if "swap" in position.legal_moves() else ""
        mine = "wb"[self._seat]
        rows = ["".join(_digit(stones[cell], mine) for cell in row) for row in self._cells]
        where = self._place_of(placed[0] if last == "swap" else last)
        return "\n".join([str(len(rows)), *rows, where, ""])

    def _place_of(self, cell: str) -> str:
        found = [f"{row.index(cell)} {y}" for y, row in enumerate(self._cells) if cell in row]
        return found[0] if found else "-1 -1"

    def take(self, lines: deque[bytes], is_gone: bool, say: Callable[[str], None]) -> str | None:  # noqa: ARG002
        """Return the move that the process has answered; None while there is none.

        Its lines are taken off `lines`; `say` hears what it says to people.
        """
        while lines:
            if words := lines.popleft().decode("utf-8", "replace").split():
                return self._read(words, say)
        return None

    def _read(self, words: Sequence[str], say: Callable[[str], None]) -> str:
        text = " ".join(words[:2])
        if not re.fullmatch(r"[-+]?\d{1,4} [-+]?\d{1,4}", text, re.ASCII):
            return f"{text[:40]} (expected x y)"
        if len(words) > 2:
            say(" ".join(words[2:]))
        x, y = map(int, text.split())
        if not (0 <= y < len(self._cells) and 0 <= x < len(self._cells[y])):
            return f"{x} {y} (outside)"
        cell = self._cells[y][x]
        return "swap" if cell == self._stolen else cell


def _digit(stone: str, mine: str) -> str:
    return "0" if not stone.strip() else "1" if mine in stone else "2"


KEEP_RUNNING: Final = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
"""The line after its answer of a process that waits for the next turn; others are started anew."""


class Botzone:
    """Botzone's JSON, a line a turn, with moves as our texts."""

    id: ClassVar = "botzone"
    title: ClassVar = "Botzone"
    games: ClassVar[Sequence[str]] = ()
    takes_any_size: ClassVar = True
    says: ClassVar[Sequence[str]] = ("nodes", "seed", "resigns")
    tc: ClassVar = "move 1"
    answer_form: ClassVar = '`{"response": MOVE}`'
    greeting: ClassVar = ""
    prelude: ClassVar = ""
    may_end: ClassVar = True

    def __init__(self, new: wire.NewGame) -> None:
        start = {"setup": new.setup, "position": new.position}
        self._first: Final = {
            "game": new.game,
            "side": new.side,
            "seed": new.seed,
            **{name: text for name, text in start.items() if text is not None},
        }
        self._requests: Final[list[object]] = []
        self._responses: Final[list[object]] = []
        self._data = ""
        self._said: list[bytes] = []
        """What the process has written in this turn, line by line."""
        self.is_kept = False

    def request(self, _position: Position, moves: Sequence[str], go: wire.Go) -> str:
        """Return the line of a turn: with all before it, or alone for a process that was kept."""
        names = ("ply", "first", "second", "inc", "move", "nodes")
        said = (go.ply, go.first_ms, go.second_ms, go.increment_ms, go.move_ms, go.nodes)
        limits = {name: n for name, n in zip(names, said, strict=True) if n is not None}
        self._said = []
        start = {} if self._requests else self._first
        self._requests.append({**start, "moves": list(moves), "go": limits})
        if self.is_kept:
            return _compact(self._requests[-1])
        history = {"requests": self._requests, "responses": self._responses}
        return _compact({**history, "data": self._data, "globaldata": ""})

    def take(self, lines: deque[bytes], is_gone: bool, say: Callable[[str], None]) -> str | None:
        """Return the move; it is complete when the process ends, or asks to be kept."""
        self._said += filter(None, map(bytes.strip, lines))
        lines.clear()
        self.is_kept = KEEP_RUNNING in self._said
        if not (self.is_kept or (is_gone and self._said)):
            return None
        return self._read(self._said[0].decode("utf-8", "replace"), say)

    def _read(self, text: str, say: Callable[[str], None]) -> str:
        try:
            answer = read_json(text)
        except ValueError:
            answer = None
        if not (isinstance(answer, dict) and "response" in answer):
            return f'{text[:60]} (expected JSON such as {{"response": "e5"}})'
        self._responses.append(answer["response"])
        if isinstance(data := answer.get("data"), str):
            self._data = data
        if debug := answer.get("debug"):
            say(debug if isinstance(debug, str) else _compact(debug).strip())
        move = answer["response"]
        return move if isinstance(move, str) else _compact(move).strip()


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


CONTESTS: Final[Mapping[str, type[Codingame | Botzone]]] = {
    contest.id: contest for contest in (Codingame, Botzone)
}
PROTOCOLS: Final = (OURS, *CONTESTS)
"""What `protocol` may be."""


class BridgedBot(Bot):
    """A bot that speaks a contest's protocol. Its process is for one game, or for one turn."""

    _talk: Codingame | Botzone
    """What it was told and has said in the present game."""

    _is_fresh = False
    """Whether the process has heard of no game yet."""

    _copy = ""
    """A copy of its contest's prelude that its process can read; empty: it needs none."""

    _is_for_one_turn: bool | None = None
    """Whether its processes answer once; None: none has answered yet."""

    @property
    def contest(self) -> type[Codingame | Botzone]:
        """Return the contest whose protocol it speaks."""
        return CONTESTS[self.spec.protocol]

    def open(self, memory_bytes: int | None = None) -> None:
        """Start the process; see `Bot.open`."""
        super().open(memory_bytes)
        self._is_fresh = True
        self.greet(0.0)

    def _variables(self) -> Mapping[str, str]:
        """Return its own variables, and where Node.js finds what the contest's has."""
        own, prelude = self.spec.env, self._prelude()
        if not prelude:
            return own
        # Quoted as Node.js reads it: a path may have blanks.
        path = prelude.replace("\\", r"\\").replace('"', r"\"")
        before = own.get(_NODE_OPTIONS, "")
        return {**own, _NODE_OPTIONS: f'--require "{path}" {before}'.rstrip()}

    def _prelude(self) -> str:
        """Return the contest's prelude where the next process can read it; empty: there is none.

        It is copied for a user who cannot read the installation, and for everybody if that is an
        archive. Bubblewrap shows no copy. Raises MachineError.
        """
        path, wall = self.contest.prelude, self.spec.wall
        if not path or _is_open(path, wall):
            return path
        if wall.kind == "bwrap":
            return ""
        import pkgutil  # which a worker does without

        content = pkgutil.get_data(__package__, os.path.basename(path)) or b""  # noqa: PTH119
        with may_start:
            self._copy = process_trees.new_file(self.tree, content)
        return self._copy

    def kill(self) -> None:
        """End the process; see `Bot.kill`."""
        super().kill()
        if self._copy:
            process_trees.remove(self._copy)
            self._copy = ""

    def greet(self, within_s: float) -> None:
        """Take for said what the contest says; the process hears nothing before a game.

        Raises NoAnswerError where a file of its command is not there, and it ends of it.
        """
        if self.spec.lacks and within_s and self.ends_by(signals.awake_s() + min(within_s, 1.0)):
            raise NoAnswerError(self, Termination.CRASH, "ok", within_s)
        named = list(self.contest.games or games.ids())
        self.greeting = Greeting(name=self.name, games=named)
        if self.contest.takes_any_size:
            self.greeting.families.update(named)
        self.greeting.after_s = signals.awake_s() - self._opened_s

    def refuse_unless_it_plays(self, game_ids: Iterable[str]) -> None:
        """Raise ConfigError for games that the contest does not have."""
        if missing := [game for game in game_ids if not self.greeting.plays(game)]:
            words = (
                f"does not play {', '.join(missing)}: its protocol {self.contest.id} only has "
                f"{', '.join(self.contest.games)}"
            )
            raise UnfitBotError(self.name, words, f"bot {self.name!r} {words}")

    def _get_ready(self, new: wire.NewGame, within_s: float, *_before: str) -> float:
        """Begin a game in a fresh process; it is ready when it has read what it is greeted with."""
        if not self._is_fresh:
            self.open()
        self._is_fresh = False
        self._talk = self.contest(new)
        child, began_s = self.child, signals.awake_s()
        if greeting := self._talk.greeting:
            child.send(greeting.encode())
        while child.has_unread_input:
            awaited, now_s = f"ready {new.number}", signals.awake_s()
            if child.is_gone:
                raise NoAnswerError(self, Termination.CRASH, awaited, within_s)
            if now_s >= began_s + within_s:
                raise NoAnswerError(self, Termination.TIME, awaited, within_s)
            signals.look()
            self._watch.wait(now_s + _LOOK_S)
        return signals.awake_s() - began_s

    def ask(
        self,
        position: Position,
        ply: int,
        left_ms: Sequence[int],
        allowed_s: float,
        other: Bot | None = None,
    ) -> tuple[str, float]:
        """Return the bot's move for a ply as our text, and the time it took; see `Bot.ask`."""
        asked_s = self.begin_to_think(position, ply, left_ms, other)
        asked_s += self._end_input_of_who_waits(asked_s + allowed_s)
        answer = self.await_move(ply, asked_s, allowed_s, other)
        self._is_for_one_turn = not self._talk.is_kept  # the process that has answered
        return answer

    def overhear(self, ply: int, since_s: float, until_s: float) -> bytes | None:
        """Return None as soon as it has begun to answer: it says nothing before that."""
        self._end_input_of_who_waits(until_s)
        while not self.child.lines:
            self._wait_for(f"bestmove {ply}", since_s, until_s)
        return None

    def begin_to_think(
        self, position: Position, ply: int, left_ms: Sequence[int], other: Bot | None = None
    ) -> float:
        """Ask for a ply, and wait for nothing; see `Bot.begin_to_think`."""
        self._prepare(position, ply, other)
        words = [line.split() for line in self.news.decode().splitlines()]
        moves = [Move(each[2]) for each in words if each[:1] == ["play"]]
        self.news = b""
        go = wire.read_go(self._go_line(ply, left_ms[0], left_ms[1]).decode())
        if self._asked and (self.child.ends_input or not self._talk.is_kept):
            before = list(self.child.exchange)
            self.open()
            self._is_fresh = self._talk.is_kept = False  # it hears everything again
            self.child.exchange.extend(before)
        request = self._talk.request(position, moves, go)
        self._asked = ply
        child = self.child
        child.output_bytes = 0
        child.asked_s = child.send(request.encode())
        if self._is_for_one_turn and self._talk.may_end:
            child.end_input()
        return child.asked_s

    def _end_input_of_who_waits(self, by_s: float) -> float:
        """End the input of a process that has read its turn and waits for more of it.

        That is how one reads that is for one turn. Who asks to be kept, or computes, is no such.
        Return how long it has waited: the time of others.
        """
        child = self.child
        if self._is_for_one_turn is not None or not self._talk.may_end:
            return 0.0
        used_s, since_s = -1.0, signals.awake_s()
        while not (child.is_gone or child.flooded or KEEP_RUNNING in map(bytes.strip, child.lines)):
            now_s, burnt_s = signals.awake_s(), process_trees.cpu_s(child.pid)
            if child.has_unread_input or burnt_s != used_s:
                used_s, since_s = burnt_s, now_s
            elif now_s - since_s >= _IDLE_S:
                child.end_input()
                return now_s - since_s
            if now_s >= by_s:
                break
            signals.look()
            self._watch.wait(min(by_s, now_s + _LOOK_S))
        return 0.0

    def _take_answer(self, wanted: list[bytes], aside: Callable[[bytes], None]) -> str | None:  # noqa: ARG002
        child = self.child
        if child.is_gone and not child.out_closed:
            child.take_output()
        child.end_last_line()
        return self._talk.take(child.lines, child.is_gone, self._comment)

    def _comment(self, text: str) -> None:
        self.asides.take(f"info text {' '.join(text.split())}".encode())

    @property
    def has_left(self) -> bool:
        """Return whether it has ended, and should not have: between turns some do."""
        is_kept = self._talk.is_kept and not self.child.ends_input
        return self.child.is_gone and (self.is_thinking or is_kept)

    def say(self, *lines: str, end: str = "\n") -> float:  # noqa: ARG002
        """Say nothing: no contest tells its bots how a game ended. Who still thinks is killed."""
        if self.is_thinking and any(line.split()[:1] == ["result"] for line in lines):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.child.pid, signal.SIGKILL)
        return signals.awake_s()

    def ask_to_leave(self) -> float:
        """End the process, as contests do; return now."""
        self.kill()
        return signals.awake_s()


def _is_open(path: str, wall: BotSandbox) -> bool:
    """Return whether a bot behind a wall can read a file of the arena's.

    Nobody can in an archive, and other users not in a folder of ours alone.
    """
    if wall.has_own_user:
        return not users.closed_to(users.FIRST, [path])
    return os.access(path, os.R_OK)


def refuse_options(name: str, protocol: str, options: Mapping[str, Any]) -> str:
    """Return why a bot of this protocol cannot have such options; empty where it can."""
    if protocol == OURS or not options:
        return ""
    return f"bot {name!r}: options with protocol {protocol!r}, which has none"
