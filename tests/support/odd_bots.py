"""More bots that misbehave on purpose, each at one point of `arena bot check`.

`python -S odd_bots.py KIND` plays as the class KIND; see bad_bots.py.
"""

from __future__ import annotations

import os
import sys
import time

from bad_bots import ANSWER, GREETING, Good, compute, does, hang, name_kinds, say, says


def command(kind: type[Good]) -> tuple[str, ...]:
    """Return the command that starts a bot of this kind."""
    from pathlib import Path

    # Python stores compiled code of modules, but not of programs.
    folder = str(Path(__file__).parent)
    program = f"import sys; sys.path.insert(0, {folder!r}); import {__name__} as bots; "
    program += "vars(bots)[sys.argv[1]]().run()"
    return (sys.executable, "-I", "-S", "-c", program, kind.__name__)


class Pongs(Good):
    """Follows the whole protocol."""

    def take(self, words: list[str]) -> None:
        if words[:1] == ["ping"]:
            say(f"pong {words[1]}")
        super().take(words)


class HasOptions(Pongs):
    LINES: tuple[str, ...] = (
        "option name hash size type spin default 16 min 1 max 64",
        "option name book type check default true",
        "option name style type combo default calm var calm var wild",
        "option name file type string default",
        "option name clear type button",
    )

    def hello(self) -> None:
        say(*self.LINES)
        super().hello()


# Its handshake

HasNoName = says("game yavalath", "want legal", "ok", on="hello", of=Pongs)
NamesAnUnknownGame = says("game chess", *GREETING, on="hello", of=Pongs)
WantsMore = says("want coffee", *GREETING, on="hello", of=Pongs)


class HasAnOptionWithoutType(HasOptions):
    LINES = ("option name depth default 3",)


class HasADefaultOutOfBounds(HasOptions):
    LINES = ("option name depth type spin default 9 min 1 max 8",)


class DiesOfItsDefault(HasOptions):
    def take(self, words: list[str]) -> None:
        if words[-1:] == ["calm"]:
            sys.exit(1)
        super().take(words)


class DiesAtTheEdge(HasOptions):
    def take(self, words: list[str]) -> None:
        if words[-1:] == ["64"]:
            sys.exit(1)
        super().take(words)


IsSlowToSayOk = does(lambda _: time.sleep(1.2), Good.hello, on="hello", of=Pongs)
IsReadyForOneGameOnly = says("ready 1", on="new", of=Pongs)


# In a game


class DiesOfWhatItReads(Pongs):
    """Exits at the word in `DEADLY`, anywhere in a line."""

    DEADLY = ""

    def take(self, words: list[str]) -> None:
        if self.DEADLY in words:
            sys.exit(1)
        super().take(words)


class DiesOfSetups(DiesOfWhatItReads):
    DEADLY = "setup"

    def hello(self) -> None:
        say("game mammalath", "want legal", "ok")


class DiesOfPositions(DiesOfWhatItReads):
    DEADLY = "position"


class DiesOfASwap(DiesOfWhatItReads):
    DEADLY = "swap"

    def take(self, words: list[str]) -> None:
        super().take(words if words[:1] == ["play"] else [word for word in words if word != "swap"])


class DiesAsSecond(DiesOfWhatItReads):
    DEADLY = "second"

    def take(self, words: list[str]) -> None:
        super().take(words if words[:1] == ["new"] else words[:2])


class CountsItsOwnTurns(Pongs):
    """Assumes that every game begins without an opening."""

    def answer(self) -> None:
        seat = (self.ply - 1) % 2
        say(f"bestmove {2 * self.turn - 1 + seat} {self.legal[0]}")


ResignsAtOnce = says("bestmove {ply} resign", on="answer", of=Pongs)


class ResignsFromItsTwelfthGameOn(Pongs):
    """Never clears its board, so that it finds no moves."""

    games = 0

    def new(self) -> None:
        self.games += 1
        super().new()

    def answer(self) -> None:
        if self.games < 12:
            super().answer()
        else:
            say(f"bestmove {self.ply} resign")


ComputesWhenItIsGreeted = does(lambda _: compute(5.0), on="hello", of=Pongs)
TakesALongTime = does(lambda _: time.sleep(0.4), Good.answer, on="answer", of=Pongs)
"""Thinks so long that three of its moves take more than a second and the margin."""


class WritesLinesBackwards(Pongs):
    """Names the ends of Mammalath's lines in another order than the legal moves."""

    def hello(self) -> None:
        say("id name Backwards", "game mammalath", "want legal", "ok")

    def answer(self) -> None:
        line = next((move for move in self.legal if "-" in move), None)
        if line is None:
            super().answer()
        else:
            begin, end = line[1:].split("-")
            say(f"bestmove {self.ply} x{end}-{begin}")


SaysWrongInfo = says("info eval 25", ANSWER, on="answer", of=Pongs)
SaysAnEmptyVariation = says("info depth 2 pv", ANSWER, on="answer", of=Pongs)
SaysAnImpossibleVariation = says(
    "info depth 2 pv {legal[0]} {legal[0]}", ANSWER, on="answer", of=Pongs
)


class IgnoresSeeds(Pongs):
    def answer(self) -> None:
        import random  # takes as long as all other imports, and few bots need it

        say(f"bestmove {self.ply} {random.choice(self.legal)}")


# Its use of time


class OverstepsMoveTimes(Pongs):
    def take(self, words: list[str]) -> None:
        if words[:1] == ["go"] and words[2:] == ["move", "100"]:
            time.sleep(0.3)
        super().take(words)


class IsSlowWithLittleTime(Pongs):
    def take(self, words: list[str]) -> None:
        if words[:1] == ["go"] and words[2:4] == ["first", "50"]:
            time.sleep(0.25)
        super().take(words)


class IgnoresStop(Pongs):
    """Thinks for nearly a second and does not listen meanwhile."""

    def take(self, words: list[str]) -> None:
        if words[:1] == ["go"] and words[2:] == ["move", "1000"]:
            time.sleep(0.9)
        super().take(words)


class DiesOfStop(DiesOfWhatItReads):
    DEADLY = "stop"


class PondersOn(Pongs):
    """Ponders, and ignores the end of the opponent's turn."""

    def hello(self) -> None:
        say("want ponder")
        super().hello()

    def take(self, words: list[str]) -> None:
        if words[:1] == ["ponder"]:
            time.sleep(0.3)
        super().take(words)


class ComputesOnTheOthersTurn(Pongs):
    def run(self) -> None:
        import select

        rest = b""
        while True:
            if select.select([0], [], [], 0.0)[0]:
                if not (data := os.read(0, 1 << 16)):
                    return
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self.take(line.decode().split())


# Robustness


class DiesOfUnknownLines(Pongs):
    def take(self, words: list[str]) -> None:
        if words[:1] == ["weather"]:
            sys.exit(1)
        super().take(words)


class SplitsAtSingleBlanks(Pongs):
    def hear(self, line: bytes) -> None:
        self.take(line.decode().removesuffix("\n").split(" "))


LogsToItsOutput = says("thinking about {ply}", ANSWER, on="answer", of=Pongs)


# At the end


class OutlivesItsInput(Pongs):
    def run(self) -> None:
        super().run()
        hang()


name_kinds(globals())

if __name__ == "__main__":
    globals()[sys.argv[1]]().run()
