"""A bot in one game: what it was told and asked, what it said of its moves, what it used.

Must not know who wins, nor what mishaps cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from lath.arena.referee.bot import Bot
from lath.arena.referee.clock import Limits
from lath.arena.referee.transcript import text_of
from lath.games.core import SEATS, Position, Seat
from lath.notation import wire

DETAIL: Final = 300
"""Characters of a mishap's story, in which a bot may have had its say."""

_COMPLAINTS_KEPT: Final = 20
"""Lines of `error` a game that are kept: the first ones."""

INFO_KEPT: Final = 64
"""Lines of `info` a move that are looked at: the last ones."""

TELLING_KEPT: Final = 1000
"""Letters of a `text` and of a `pv` that go into the record."""

_ODD_CPU_S: Final = 0.2
"""CPU time over that of its own turns from which on a bot is said to use the other's, too."""


class Side:
    """One of the two in a game; the bot runs."""

    def __init__(self, bot: Bot, limits: Limits) -> None:
        self.bot: Final = bot
        self.child: Final = bot.child
        self.time: Final = bot.spec.time or limits.time
        self.wants: Final = bot.wants
        self.news = b""
        """Lines that it has not been told yet."""
        self.go_line: Final = wire.go_writer(self.time)
        self.was_asked = False
        self.is_plain = False
        """Whether nothing but the news has to be sent before `go`."""
        self.infos: list[bytes] = []
        """Its lines of `info` for the present move."""
        self.complaints: list[str] = []
        """What it has said with `error`: the first lines of it."""
        self.stray_lines = 0
        """Lines of it that answer nothing."""
        self.cpu_before_s = 0.0

    def answered(self, line: bytes, ply: int) -> str | None:
        """Return the move if `line` answers `go` for `ply`; keep or count what else it is."""
        match line.split():
            case []:
                return None
            case [b"bestmove", number, *rest] if number == b"%d" % ply:
                return b" ".join(rest).decode("utf-8", "replace")
            case [b"info", *_]:
                self.inform(line)
            case [b"error", *_]:
                self.complain(line)
            case _:
                self.stray_lines += 1
        return None

    def drop_early(self) -> None:
        """Take in what it said before it was asked: none of it is an answer."""
        while self.child.lines:
            self.answered(self.child.lines.popleft(), 0)
        self.infos.clear()

    def complain(self, line: bytes) -> None:
        """Keep a line of `error`."""
        if len(self.complaints) < _COMPLAINTS_KEPT:
            self.complaints.append(line.decode("utf-8", "replace")[:500])

    def told(self) -> dict[str, str]:
        """Return what its lines of `info` say of the move, the last of each; forget them."""
        told: dict[str, str] = {}
        for line in self.infos[-INFO_KEPT:]:
            told |= wire.read_info(line.decode("utf-8", "replace"))
        self.infos.clear()
        return {name: _shortened(value) for name, value in told.items()}

    def inform(self, line: bytes) -> None:
        """Keep a line of `info`, and no more of them than will be looked at."""
        self.infos.append(line)
        if len(self.infos) > 2 * INFO_KEPT:
            del self.infos[:INFO_KEPT]

    def odd_cpu(self, own_turns_s: float) -> str:
        """Return a note if it has thought while the other was to move; empty if not."""
        now_s = self.child.cpu_s
        spent_s = now_s - self.cpu_before_s
        own_s = own_turns_s * self.bot.spec.threads
        if now_s == 0.0 or spent_s <= own_s + max(_ODD_CPU_S, own_s / 2):
            return ""
        return f"{self.bot.name} thinks on the other's turn, or in more threads than it is said to"


def _shortened(value: str) -> str:
    """Return as many words of a bot's comment or line of moves as a record keeps."""
    if len(value) <= TELLING_KEPT:
        return value
    return value[:TELLING_KEPT].rpartition(" ")[0] or value[:TELLING_KEPT]


def seated(both: tuple[Side, Side]) -> Iterable[tuple[Seat, Side]]:
    """Return the sides with their seats."""
    return zip(SEATS, both, strict=True)


def wanted(wants: Iterable[str], position: Position) -> bytes:
    """Return the lines that a bot asked for before each `go`."""
    lines = ""
    if "position" in wants:
        lines = f"{wire.position_line(position.text())}\n"
    if "legal" in wants:
        lines += f"{wire.legal_line(position.legal_moves())}\n"
    return lines.encode()


def last_words(
    both: tuple[Side, Side], *, is_bad: bool, keep_log: bool
) -> tuple[dict[str, str], str]:
    """Return what each bot complained of or wrote to standard error at last, and the game's log.

    Standard error only where the game ended badly; the log is empty where it is not kept. What
    passed is forgotten after this.
    """
    errors: dict[str, str] = {}
    if is_bad or keep_log:
        errors = {side.bot.name: side.child.stderr_text() for side in both}
    said = {}
    for side in both:
        text = errors.get(side.bot.name, "") if is_bad else ""
        if words := "\n".join([*side.complaints, *([text] if text else [])]):
            said[side.bot.name] = words
    log = ""
    if is_bad or keep_log:
        log = text_of(dict(_exchanges(both)), {name: text for name, text in errors.items() if text})
    for side in both:
        side.child.exchange.clear()
    return said, log


def _exchanges(both: tuple[Side, Side]) -> Iterator[tuple[str, list[tuple[float, bool, bytes]]]]:
    for side in both:
        yield side.bot.name, list(side.child.exchange)
