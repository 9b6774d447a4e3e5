"""Transcripts of the protocol, checked by the rules: `>` is the arena, `<` the bot.

A line `…` omits lines: from there to the next `new` only the form is checked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lath import games
from lath.games.core import RESULTS, Position, Side, read_move
from lath.notation import protocol as wire
from lath.notation.record.tags import Termination


@dataclass
class _Game:
    """The state of the current game."""

    position: Position | None = None
    side: Side = Side.FIRST
    ply: int = 1
    number: int = 0
    asked: bool = False
    """True until the bot has answered `go`."""


@dataclass
class _Check:
    game: _Game = field(default_factory=_Game)
    said_ok: bool = False
    awaited: list[str] = field(default_factory=list)
    """Lines that the bot still has to answer with."""

    kinds: set[str] = field(default_factory=set)

    def arena(self, line: str) -> None:
        word, *rest = line.split()
        self.kinds.add(word)
        assert word in ARENA, f"the arena never says {word}"
        assert not self.awaited, f"{self.awaited} is still to be answered at {line!r}"
        match word:
            case "arena":
                assert line == wire.HELLO
            case "new":
                self._begin(wire.read_new(line))
            case "ping":
                self.awaited.append(f"pong {rest[0]}")
            case "play":
                self._play(int(rest[0]), rest[1], mine=False)
            case "ponder":
                game = self.game
                assert game.position is None or game.position.to_move is not game.side
                assert game.position is None or int(rest[0]) == game.ply
            case "go":
                self._ask(wire.read_go(line))
            case "position" | "legal":
                self._tell(word, line)
            case "result":
                self._end(int(rest[0]), rest[1], " ".join(rest[2:]))

    def _begin(self, new: wire.NewGame) -> None:
        assert self.said_ok
        game = games.get(new.game)
        start = game.position(new.position) if new.position else game.start(new.setup)
        side = Side.FIRST if new.side == "first" else Side.SECOND
        self.game = _Game(start, side, number=new.number)
        self.awaited.append(f"ready {new.number}")

    def _play(self, ply: int, move: str, *, mine: bool) -> None:
        game = self.game
        if game.position is None:
            return
        assert ply == game.ply
        assert (game.position.to_move is game.side) == mine
        game.position = game.position.play(read_move(game.position, move))
        game.ply += 1

    def _ask(self, go: wire.Go) -> None:
        game = self.game
        game.asked = True
        if game.position is not None:
            assert go.ply == game.ply
            assert game.position.to_move is game.side
            assert not game.position.is_over

    def _tell(self, word: str, line: str) -> None:
        position = self.game.position
        if position is None:
            return
        if word == "position":
            assert line == f"position {position.text()}"
            return
        left: list[str] = list(position.legal_moves())
        for move in line.split()[1:]:
            if move != "…":
                del left[: left.index(move) + 1]  # in order, with gaps at the dots
        assert "…" in line or line == f"legal {' '.join(position.legal_moves())}"

    def _end(self, number: int, result: str, why: str) -> None:
        game = self.game
        assert number == game.number
        assert result in RESULTS
        assert why in list(Termination)
        if game.position is not None and why == "rules":
            # A bot does not get the opponent's last move.
            ends = [game.position, *map(game.position.play, game.position.legal_moves())]
            assert result in [outcome.result for end in ends if (outcome := end.outcome())]

    def bot(self, line: str) -> None:
        word, *rest = line.split()
        self.kinds.add(word)
        assert word in BOT, f"a bot never says {word}"
        if self.awaited:
            assert line == self.awaited.pop(0)
        match word:
            case "ok":
                self.said_ok = True
            case "option":
                wire.read_option(line)
            case "want":
                assert set(rest) <= set(wire.WANTS)
            case "info":
                assert wire.read_info(line)
            case "game":
                assert set(rest) <= set(games.builtin_ids())
            case "bestmove":
                assert self.game.asked
                self.game.asked = False
                if rest[1] != wire.RESIGN:
                    self._play(int(rest[0]), rest[1], mine=True)


ARENA = {"arena", "setoption", "new", "play", "position", "legal", "go", "ping", "result", "quit",
          "stop", "ponder"}  # fmt: skip
BOT = {"id", "game", "option", "want", "ok", "ready", "info", "bestmove", "pong", "error"}


def check_transcript(text: str) -> set[str]:
    """Check a transcript; return the first words of its lines. Raises AssertionError."""
    check = _Check()
    for line in text.splitlines():
        if line == "…":
            check.game.position = None
        elif line.startswith("> "):
            check.arena(line[2:])
        else:
            assert line.startswith("< "), f"{line!r} is said by nobody"
            check.bot(line[2:])
    return check.kinds
