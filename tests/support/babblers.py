"""Bots without processes that follow the protocol but also write random lines, by the million.

Their output passes through a real pipe, in pieces that can split lines; see scripted.py.
"""

from __future__ import annotations

import io
import sys
from collections import deque
from random import Random
from typing import Final

from record_texts import mutant
from scripted import Clock, a_team, scripted

from lath.arena.botcheck.check import Report
from lath.arena.botcheck.check import check as check_bot
from lath.arena.botcheck.lab import Lab
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import Adjudication
from lath.arena.referee.record import GamePlan
from lath.arena.tournament.run.worker import play_pair
from lath.arena.tournament.store.jobs import PairJob, PairResult, read_result
from lath.notation.protocol import MAX_LINE, TimeControl
from lath.notation.rules.validation import check
from lath.notation.text.scanner import parse
from lath.notation.text.writer import format_record

GAMES: Final = ("yavalath", "mammalath", "surikata", "manalath")

GREETING: Final = (
    "id name A bot",
    "id author Nobody",
    "option name hash size type spin default 16 min 1 max 64",
    "option name style type combo default calm var calm var wild",
    f"game {' '.join(GAMES)}",
    "want legal",
)

LINES: Final = (
    *GREETING,
    "want legal position",
    "option name book type check default true",
    "option name file type string default",
    "info depth 3 nodes 100 eval 0.25 pv e5 swap d4",
    "info eval -1 text what {it} thinks [%eval 3] of it",
    "info nodes 999999999999999999 depth 1000000 eval 1e-300",
    "error no such thing",
    "ok",
    "ready 1",
    "ready 17",
    "pong 1",
    "bestmove 1 e5",
    "bestmove 2 swap",
    "bestmove 3 resign",
    "bestmove 18446744073709551616 e5",
    "result 1 1-0 rules",
    "new 1 yavalath side first tc 1000+0 seed 1",
    "play 1 e5",
    "stop",
    "quit",
    "",
)
"""Lines of bots, and lines that only the arena should write."""

SIGNS: Final = (
    " ", "\t", "\r", "\x00", "\x1b[31m", "\x9b", "\xff", "\xc3", "\xe2\x80\xae", "\x0b", "\x0c",
    "\x85", "\xe2\x80\xa8", "ok", "bestmove", "info", "ready", "eval", "text", "pv", "depth",
    "nodes", "option", "name", "type", "spin", "min", "max", "var", "default", "-1", "0", "1", "2",
    "nan", "inf", "1e999", "9" * 30, "9" * 5000, "\xd9\xa3", "{", "}", "[%eval 1]", "e5", "resign",
    "swap", "yavalath", " " * 200, "a" * 3000, "\n", "\n\n",
)  # fmt: skip
"""Pieces of lines: bytes, as Latin-1 characters."""


class Babbler:
    """Answers correctly most of the time, and also writes other lines."""

    def __init__(self, clock: Clock, chance: Random) -> None:
        self.clock: Final = clock
        self.deeds: Final[deque[tuple[float, bytes | int | None]]] = deque()
        self.stderr: Final = io.StringIO()
        self.lines = 0
        """The number of lines written."""
        self._chance: Final = chance
        self._legal = ["e5"]
        self._heard = b""
        self._has_ended = False
        """True if it has exited or closed its output."""
        self._noise: Final = chance.choice((0, 0, 1, 4, 60))
        self._faithful: Final = chance.choice((1.0, 0.98, 0.9, 0.5))

    def hear(self, data: bytes) -> None:
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            if self._has_ended:
                return
            words = line.decode().split()
            if words[:1] == ["legal"]:
                self._legal = words[1:]
            elif answer := self._answer(words):
                self._say(answer)

    def end(self) -> None:
        """Note the end of its input, and continue."""

    def _answer(self, words: list[str]) -> list[str]:
        match words:
            case ["arena", *_]:
                return [*GREETING, "ok"]
            case ["new", number, *_]:
                return [f"ready {number}"]
            case ["go", ply, *_]:
                return [f"bestmove {ply} {self._chance.choice(self._legal)}"]
            case ["ping", number]:
                return [f"pong {number}"]
        return []

    def _say(self, answer: list[str]) -> None:
        chance = self._chance
        if chance.random() > self._faithful:
            answer = [mutant(line, chance.choice(LINES), chance, SIGNS) for line in answer]
        said = [self._noise_line() for _ in range(chance.randint(0, self._noise))]
        at = chance.randint(0, len(said))
        end = "\r\n" if chance.random() < 0.05 else "\n"
        data = "".join(line + end for line in (*said[:at], *answer, *said[at:])).encode("latin-1")
        if chance.random() < 0.003:
            data += b"x" * (MAX_LINE + chance.randint(-1, 1)) + chance.choice((b"", b"\n"))
        if chance.random() < 0.01:
            data = data.removesuffix(b"\n")
        self.lines += data.count(b"\n")
        self._do(data)
        if chance.random() > self._faithful and chance.random() < 0.3:
            self.stderr.write(self._noise_line())
            self._do(chance.choice((None, 0, 1, -9, -11)))

    def _noise_line(self) -> str:
        chance = self._chance
        return mutant(chance.choice(LINES), chance.choice(LINES), chance, SIGNS)

    def _do(self, deed: bytes | int | None) -> None:
        """Perform an action; output may come in two pieces."""
        self._has_ended = not isinstance(deed, bytes)
        at_s = self.clock.now_s + self._chance.choice((0.0, 0.001, 0.3))
        if isinstance(deed, bytes) and self._chance.random() < 0.2:
            cut = self._chance.randint(0, len(deed))
            self.deeds.append((at_s, deed[:cut]))
            at_s, deed = at_s + 0.01, deed[cut:]
        self.deeds.append((at_s, deed))


def babbled(number: int) -> tuple[int, list[str]]:
    """Let two babblers play a pair of games; return the number of their lines, and the endings.

    Every pair must end with a verdict or as void. Its records must be valid, and the stored text
    must not control a terminal.
    """
    chance = Random(f"babble {number}")
    babblers: list[Babbler] = []

    def make(_name: str, clock: Clock) -> Babbler:
        babblers.append(Babbler(clock, chance))
        return babblers[-1]

    with scripted(make), a_team():
        text = play_pair(_job(chance))
    result = read_result(text)
    assert result.as_text() == text
    check_pair(result)
    endings = [game.termination for game in result.games] + ["void"] * bool(result.void)
    return sum(babbler.lines for babbler in babblers), endings


def checked(number: int) -> tuple[int, list[str]]:
    """Check a babbler as `arena bot check` does; return the number of its lines, and the verdicts.

    All messages must be safe to print.
    """
    chance = Random(f"check {number}")
    babblers: list[Babbler] = []

    def make(_name: str, clock: Clock) -> Babbler:
        babblers.append(Babbler(clock, chance))
        return babblers[-1]

    with scripted(make):
        found = list(check_bot(Lab(_spec("ann"), ("yavalath",))))
    report = Report()
    told = [line for point in found for line in report.add(point)]
    assert "".join((*told, *report.rest())).replace("\t", "").isprintable(), told
    return sum(babbler.lines for babbler in babblers), [point.verdict for point in found]


def _job(chance: Random) -> PairJob:
    time = chance.choice((TimeControl(move_ms=500), TimeControl(initial_ms=2000), TimeControl()))
    names = ("ann", "bob")
    plan = {"round": 1, "game": chance.choice(GAMES), "setup": None, "seeds": (1, 2)}
    return PairJob(
        pair=1,
        games=tuple(
            GamePlan(number=number, names=seats, **plan)  # type: ignore[arg-type]
            for number, seats in ((1, names), (2, names[::-1]))
        ),
        bots=(_spec("ann"), _spec("bob")),
        limits=Limits(time=time, hard_limit_s=5.0),
        tree="babble.",
        adjudication=Adjudication(plies=40, win_eval=0.5, win_after=4, draw_eval=0.1, draw_after=8),
        keeps_logs=chance.random() < 0.2,
    )


def _spec(name: str) -> BotSpec:
    return BotSpec(name=name, command=(sys.executable, name), options={"hash size": 3})


def check_pair(result: PairResult) -> None:
    """Assert that the games of a pair are valid, and that all messages are safe to print."""
    assert len(result.games) == 2 or result.void
    for game in result.games:
        record = parse(game.record)
        assert format_record(record) == game.record, "the record is canonical"
        assert check(record) == []
        for text in (game.record, game.log or "\n".join(game.stderr.values())):
            assert text.replace("\n", "").replace("\t", "").isprintable(), text
    for line in (str(result.void), *result.notes):
        assert line.replace("\t", "").isprintable(), line
