"""Bots of other contests, which the arena runs in the protocol of their contest.

Sandbox, clocks, logs and penalties are those of every bot. The bridge translates `new`, `play` and
`go` to the contest's requests, and its answers to `bestmove`.
docs/how-to/connect-other-protocols.md lists the lines.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
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
"""The interval at which the arena checks that a process has read its input, in seconds."""

_IDLE_S: Final = 0.05
"""The time that a process may wait after reading everything, until its input ends, in seconds."""

PRELUDE: Final = f"{__file__.rpartition('/')[0]}/codingame.cjs"
"""A script that Node.js loads before the bot, so that it has CodinGame's JavaScript functions."""

_NODE_OPTIONS: Final = "NODE_OPTIONS"
"""The variable that passes options to Node.js, however the bot's command starts it."""


def bot_of(
    spec: BotSpec,
    watch: Watch,
    *,
    tree: str,
    forgives_hold_ups: bool = False,
    at_terminal: bool = False,
) -> Bot:
    """Return a bot of the right class for its protocol, not yet started; see `Bot`."""
    return (Bot if spec.protocol == OURS else BridgedBot)(
        spec, watch, tree=tree, forgives_hold_ups=forgives_hold_ups, at_terminal=at_terminal
    )


class Codingame:
    """The protocol of CodinGame's Yavalath, as in the source of its referee."""

    id: ClassVar = "codingame"
    title: ClassVar = "CodinGame"
    """The contest's name as it writes it."""

    games: ClassVar[Sequence[str]] = ("yavalath",)
    """The ids of the contest's games; empty for all games."""

    takes_any_size: ClassVar = False
    """True if games can have parameters."""

    says: ClassVar[Sequence[str]] = ()
    """The ids of the checks that need more information about a game than the handshake gives."""

    tc: ClassVar = "move 0.1 first 1"
    """The contest's time control."""

    answer_form: ClassVar = "`x y`"
    may_end: ClassVar = False
    """True if a process can be for one turn, with an input that ends after it."""

    prelude: ClassVar = PRELUDE
    """A file that Node.js loads before the bot; empty if the contest adds nothing."""

    is_kept = True
    """True if the process that answered also plays the next turn."""

    def __init__(self, new: wire.NewGame) -> None:
        self._seat: Final = Side.FIRST if new.side == "first" else Side.SECOND
        self._board: Final[Board] = games.get(new.game).board
        self._cells: Final = [[self._board.name[bit] for bit in row] for row in self._board.rows]
        """The names of the cells, by row from the top and then from the left."""
        self._stolen = ""
        """The cell that means a swap, in the second turn; otherwise empty."""

    @property
    def greeting(self) -> str:
        """Return the input of a process before its first turn: the number of the player."""
        return f"{self._seat + 1}\n"

    def request(self, position: Position, moves: Sequence[str], _go: wire.Go) -> str:
        """Return the input of one turn; `moves` are the opponent's since the last turn."""
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
        """Return the move that the process has answered; None before the answer is complete.

        Takes the read lines off `lines`, and passes messages for people to `say`.
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
"""The line with which a process asks to be kept for the next turn; others are started again."""


class Botzone:
    """The JSON protocol of Botzone, one line per turn, with moves in the arena's notation."""

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
        """The lines that the process has written in this turn."""
        self.is_kept = False

    def request(self, _position: Position, moves: Sequence[str], go: wire.Go) -> str:
        """Return the input of one turn: the whole history, or only the turn for a kept process."""
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
        """Return the move; it is complete when the process ends or asks to be kept."""
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
"""The valid values of `protocol`."""


class BridgedBot(Bot):
    """A bot that speaks a contest's protocol. Each process plays one game, or one turn."""

    _talk: Codingame | Botzone
    """The conversation of the current game."""

    _is_fresh = False
    """True if the process has not started a game yet."""

    _copy = ""
    """A copy of its contest's prelude that its process can read; empty if it needs none."""

    _is_for_one_turn: bool | None = None
    """True if its processes answer once; None before the first answer."""

    @property
    def contest(self) -> type[Codingame | Botzone]:
        """Return the contest whose protocol the bot speaks."""
        return CONTESTS[self.spec.protocol]

    def open(self, memory_bytes: int | None = None) -> None:
        """Start the process; see `Bot.open`."""
        super().open(memory_bytes)
        self._is_fresh = True
        self.greet(0.0)

    def _variables(self) -> Mapping[str, str]:
        """Return the bot's environment variables, with the one that loads the prelude."""
        own, prelude = self.spec.env, self._prelude()
        if not prelude:
            return own
        # Quoted as Node.js reads it: a path may contain spaces.
        path = prelude.replace("\\", r"\\").replace('"', r"\"")
        before = own.get(_NODE_OPTIONS, "")
        return {**own, _NODE_OPTIONS: f'--require "{path}" {before}'.rstrip()}

    def _prelude(self) -> str:
        """Return a path of the prelude that the next process can read, or an empty string.

        The file is copied if the sandbox's user cannot read the installation, or if that is an
        archive. Processes in bubblewrap do not see such a copy. Raises MachineError.
        """
        path, wall = self.contest.prelude, self.spec.wall
        if not path or _is_open(path, wall):
            return path
        if wall.kind == "bwrap":
            return ""
        import pkgutil  # start-up time of workers

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
        """Fill in the handshake from the contest; the process hears nothing before a game.

        Raises NoAnswerError if a file of its command is missing and the process ends because of
        that.
        """
        if self.spec.lacks and within_s and self.ends_by(signals.awake_s() + min(within_s, 1.0)):
            raise NoAnswerError(self, Termination.CRASH, "ok", within_s)
        named = list(self.contest.games or games.ids())
        self.greeting = Greeting(name=self.name, games=named)
        if self.contest.takes_any_size:
            self.greeting.families.update(named)
        self.greeting.after_s = signals.awake_s() - self._opened_s

    def refuse_unless_it_plays(self, game_ids: Sequence[str]) -> None:
        """Raise ConfigError if the contest does not have all of these games."""
        if missing := [game for game in game_ids if not self.greeting.plays(game)]:
            words = (
                f"does not play {', '.join(missing)}: its protocol {self.contest.id} only has "
                f"{', '.join(self.contest.games)}"
            )
            raise UnfitBotError(self.name, words, f"bot {self.name!r} {words}")

    def _get_ready(self, new: wire.NewGame, within_s: float, *_before: str) -> float:
        """Begin a game in a fresh process, which is ready when it has read its first input."""
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
        """Return the bot's move in the arena's notation, and the time it took; see `Bot.ask`."""
        asked_s = self.begin_to_think(position, ply, left_ms, other)
        asked_s += self._end_input_of_who_waits(asked_s + allowed_s)
        answer = self.await_move(ply, asked_s, allowed_s, other)
        self._is_for_one_turn = not self._talk.is_kept  # of the process that has answered
        return answer

    def overhear(self, ply: int, since_s: float, until_s: float) -> bytes | None:
        """Return None when the bot begins to answer: it writes nothing before that."""
        self._end_input_of_who_waits(until_s)
        while not self.child.lines:
            self._wait_for(f"bestmove {ply}", since_s, until_s)
        return None

    def begin_to_think(
        self, position: Position, ply: int, left_ms: Sequence[int], other: Bot | None = None
    ) -> float:
        """Ask for a move without waiting for the answer; see `Bot.begin_to_think`."""
        self._prepare(position, ply, other)
        words = [line.split() for line in self.news.decode().splitlines()]
        moves = [Move(each[2]) for each in words if each[:1] == ["play"]]
        self.news = b""
        go = wire.read_go(self._go_line(ply, left_ms[0], left_ms[1]).decode())
        if self._asked and (self.child.ends_input or not self._talk.is_kept):
            before = list(self.child.exchange)
            self.open()
            self._is_fresh = self._talk.is_kept = False  # the new process needs the whole history
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
        """End the input of a process that has read its turn and waits for more.

        A process for one turn waits so; one that computes or asks to be kept does not. Returns the
        time that it has waited, in seconds, which does not count for the bot.
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
        """Return True if the process has ended when it should run; it can end between turns."""
        is_kept = self._talk.is_kept and not self.child.ends_input
        return self.child.is_gone and (self.is_thinking or is_kept)

    def say(self, *lines: str, end: str = "\n") -> float:  # noqa: ARG002
        """Send nothing, because contests do not report results.

        A bot that still thinks is killed.
        """
        if self.is_thinking and any(line.split()[:1] == ["result"] for line in lines):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.child.pid, signal.SIGKILL)
        return signals.awake_s()

    def ask_to_leave(self) -> float:
        """End the process at once, as contests do; return the current time."""
        self.kill()
        return signals.awake_s()


def _is_open(path: str, wall: BotSandbox) -> bool:
    """Return True if a sandboxed bot can read this file of the arena.

    No bot can read a file in an archive; another user cannot read one in a private folder.
    """
    if wall.has_own_user:
        return not users.closed_to(users.FIRST, [path])
    return os.access(path, os.R_OK)


def refuse_options(name: str, protocol: str, options: Mapping[str, Any]) -> str:
    """Return an error message if bots of this protocol cannot have options; empty if they can."""
    if protocol == OURS or not options:
        return ""
    return f"bot {name!r}: options with protocol {protocol!r}, which has none"
