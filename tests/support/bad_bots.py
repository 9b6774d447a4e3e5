"""Bots that misbehave on purpose: `python -I -S bad_bots.py KIND` plays as the class KIND.

They follow the protocol without knowing rules. Tests start thousands of them, so they import only
modules that Python has already loaded: pathlib, signal and typing would take most of their time.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import mmap
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, NoReturn

BAD_TURN: Final = 2
"""The turn, counted from 1, in which most bad bots misbehave."""

FOREVER_S: Final = 600.0

FLOOD: Final = (b"info text" + b" again" * 40 + b"\n") * 256
"""The text of an endless flood, about 64 KiB at a time."""


def command(kind: type[Good]) -> tuple[str, ...]:
    """Return the command that starts a bot of this kind."""
    return (sys.executable, "-I", "-S", compiled(__file__), kind.__name__)


def compiled(program: str) -> str:
    """Return the compiled code of a loaded module as a program that starts at once."""
    from importlib.util import cache_from_source

    path = cache_from_source(program)
    is_new = os.path.exists(path) and os.path.getmtime(path) >= os.path.getmtime(program)
    return path if is_new else program


def program() -> str:
    """Return a program that plays as the class in its argument, as fast to start as `compiled`."""
    here = os.path.dirname(__file__)
    return f"""import sys

sys.path.insert(0, {here!r})
sys.dont_write_bytecode = True
import bad_bots

getattr(bad_bots, sys.argv[1])().run()
"""


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def say(*lines: str) -> None:
    write("".join(f"{line}\n" for line in lines).encode())


def complain(data: bytes) -> None:
    """Write all of the data to standard error."""
    while data:
        data = data[os.write(2, data) :]


def write_and_complain(data: bytes) -> None:
    write(data[:64])
    complain(data)


def for_ever(do: Callable[[bytes], object], data: bytes) -> NoReturn:
    while True:
        do(data)


def compute(seconds: float) -> None:
    """Compute for `seconds` of processor time, however busy the machine is."""
    until_s = time.process_time() + seconds
    while time.process_time() < until_s:
        pass


def hang() -> NoReturn:
    """Do nothing until the bot is killed or its parent has ended."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(FOREVER_S)
    sys.exit()


def note_child(pid: int) -> None:
    """Write the number of a child into the file named by the test."""
    if name := os.environ.get("LATH_BOT_PIDS"):
        with open(name, "a") as file:
            file.write(f"{pid}\n")


def note_start() -> None:
    """Append this process's number to the file STARTS."""
    if name := os.environ.get("STARTS"):
        with open(name, "a") as file:
            file.write(f"{os.getpid()}\n")


GREETING: Final = ("id name Bad", "game yavalath surikata mammalath", "want legal", "ok")
ANSWER: Final = "bestmove {ply} {legal[0]}"


class Good:
    """Follows the protocol and plays the first legal move."""

    def __init__(self) -> None:
        self.turn = 0
        self.number = ""
        self.seed = 0
        self.ply = 0
        self.legal: list[str] = []

    def run(self) -> None:
        for line in sys.stdin.buffer:
            self.hear(line)

    def hear(self, line: bytes) -> None:
        self.take(line.decode().split())

    def take(self, words: list[str]) -> None:
        match words:
            case ["arena", _]:
                self.hello()
            case ["new", number, *more]:
                self.number, self.turn = number, 0
                self.seed = int(more[more.index("seed") + 1])
                self.new()
            case ["legal", *moves]:
                self.legal = moves
            case ["go", ply, *_]:
                self.turn += 1
                self.ply = int(ply)
                self.go()
            case ["quit"]:
                self.quit()

    def hello(self) -> None:
        say(*GREETING)

    def new(self) -> None:
        say(f"ready {self.number}")

    def go(self) -> None:
        """Misbehave in the bad turn and answer in the others."""
        if self.turn == BAD_TURN:
            self.misbehave()
        else:
            self.answer()

    def misbehave(self) -> None:
        self.answer()

    def answer(self) -> None:
        say(f"bestmove {self.ply} {self.legal[0]}")

    def quit(self) -> None:
        sys.exit(0)


def does(*deeds: Callable[[Good], object], on: str = "misbehave", of: type[Good] = Good) -> Any:
    """Return a class whose method `on` is replaced by these actions."""

    def method(self: Good) -> None:
        for deed in deeds:
            deed(self)

    return type("", (of,), {on: method})


def says(*lines: str, on: str = "misbehave", of: type[Good] = Good) -> Any:
    """Return a class whose method `on` writes these lines; fields such as {ply} are filled in."""
    return does(lambda bot: say(*(line.format(**vars(bot)) for line in lines)), on=on, of=of)


def name_kinds(kinds: dict[str, Any]) -> None:
    """Name unnamed classes after their variables."""
    for name, kind in kinds.items():
        if isinstance(kind, type) and not kind.__name__:
            kind.__name__ = kind.__qualname__ = name
            kind.__module__ = kinds["__name__"]


# Good bots that report to tests


class Listens(Good):
    """Copies its input to the file LOG, and asks for positions."""

    def hello(self) -> None:
        say("want position")
        super().hello()

    def take(self, words: list[str]) -> None:
        with open(os.environ["LOG"], "a") as file:
            file.write(" ".join(words) + "\n")
        super().take(words)


Ponders = says("want ponder", "want position", *GREETING, on="hello", of=Listens)
"""Asks to ponder, but does not."""


class HearsWhileItThinks(Listens):
    """Does not answer in the bad turn, but keeps listening."""

    def misbehave(self) -> None:
        pass


def pace_s() -> float:
    """Return the pause of slow bots in seconds; a long one lets a run last with few games."""
    return float(os.environ.get("LATH_BOT_PACE_S", "0.001"))


class PlaysBySeed(Good):
    """Chooses moves by its seed, slowly enough that a test can kill the run."""

    def new(self) -> None:
        """Append the game's number to the file LOG, if one is named."""
        if name := os.environ.get("LOG"):
            with open(name, "a") as file:
                file.write(f"{self.number}\n")
        super().new()

    def answer(self) -> None:
        time.sleep(pace_s())
        chosen = (self.seed * 2654435761 + self.ply * 40503) >> 4
        say(f"bestmove {self.ply} {self.legal[chosen % len(self.legal)]}")


class HasASkill(Good):
    """Has an option for its skill: the lower, the more games it resigns at once.

    Its seed decides which. It writes each game with its skill to the file LOG.
    """

    skill = 20

    def hello(self) -> None:
        say("option name skill type spin default 20 min 0 max 100")
        say("option name style type combo default calm var calm var wild")
        super().hello()

    def take(self, words: list[str]) -> None:
        if words[:3] == ["setoption", "name", "skill"]:
            self.skill = int(words[4])
        super().take(words)

    def new(self) -> None:
        if name := os.environ.get("LOG"):
            with open(name, "a") as file:
                file.write(f"{self.number} {self.skill}\n")
        super().new()

    def answer(self) -> None:
        time.sleep(pace_s())
        lot = (self.seed * 2654435761 >> 7) % 100
        chosen = (self.seed * 2654435761 + self.ply * 40503) >> 4
        move = "resign" if lot >= self.skill else self.legal[chosen % len(self.legal)]
        say(f"bestmove {self.ply} {move}")


PlaysAnything = says("want legal", "ok", on="hello")
"""Plays every game type."""

Swaps = does(
    lambda bot: say(f"bestmove {bot.ply} {'swap' if 'swap' in bot.legal else bot.legal[0]}"),
    on="answer",
)

SaysInfo = says(
    "info depth 2 eval -0.5 nodes 7", "info depth 3 eval 0.25 pv b1 c1", "info text so so", ANSWER
)

IsSure = says("info eval 0.9", ANSWER, on="answer")
"""Always expects to win."""

IsResigned = says("info eval -0.9", ANSWER, on="answer")
"""Always expects to lose."""

TalksALot = does(
    lambda _: say("info pv " + "b1 " * 20_000, "info text " + "blah " * 12_000), Good.answer
)


# At the start

ExitsAtStart = does(
    lambda _: print("I cannot find my \x1b[31mweights", file=sys.stderr),
    lambda _: sys.exit(7),
    on="run",
)


class StartsTheSecondTime(Good):
    def run(self) -> None:
        if not os.path.exists(os.environ["LOG"]):
            open(os.environ["LOG"], "x").close()
            sys.exit(1)
        super().run()


HangsInHandshake = does(lambda _: hang(), on="hello")
FloodsInHandshake = does(lambda _: for_ever(write, (b"loading " * 31 + b"\n") * 256), on="hello")


class HasABanner(Good):
    def run(self) -> None:
        say("Bad 1.0 (c) me", "", "ready?", "bestmove 1 a1", "\x00\x07")
        super().run()


PlaysAnotherGame = says("game chess", "ok", on="hello")
HangsAtReady = does(lambda _: hang(), on="new")
ExitsBeforeItsFirstGo = does(Good.new, lambda _: sys.exit(3), on="new")


class LeavesWhereItIsSecond(Good):
    def take(self, words: list[str]) -> None:
        super().take(words)
        if words[0] == "new" and "second" in words:
            sys.exit(4)


NeverReads = does(Good.hello, lambda _: hang(), on="hello")
"""Completes the handshake and then reads nothing."""


class StopsReading(Good):
    """Writes all its lines up to the first move, and reads nothing.

    Its option makes the arena write more than a pipe holds.
    """

    def hello(self) -> None:
        say("option name padding type string default x")
        super().hello()
        while True:
            time.sleep(0.05)
            say(*(f"ready {number}" for number in range(1, 200)))


# In its move

DiesInItsMove = does(
    lambda _: print("segmentation fault, sort of", file=sys.stderr, flush=True),
    lambda _: os.kill(os.getpid(), signal.SIGSEGV),
)

DiesAfterItsMove = does(Good.answer, lambda _: sys.exit(5))
ExitsZeroInAGame = does(lambda _: sys.exit(0))
HangsInItsMove = does(lambda _: hang())
StopsItself = does(lambda _: os.kill(os.getpid(), signal.SIGSTOP))


class ThinksOnFromPlyFour(Good):
    """Stops answering after the opponent's bad turn, on either side, but keeps listening."""

    def go(self) -> None:
        if self.ply < 2 * BAD_TURN:
            self.answer()


class Plods(Good):
    """Pauses before each move, so that a test can stop it during a game.

    It writes the requested plies to the file LOG, if one is named.
    """

    def go(self) -> None:
        if name := os.environ.get("LOG"):
            with open(name, "a") as file:
                file.write(f"{self.ply}\n")
        time.sleep(0.05)
        self.answer()


TakesAMillisecond = does(lambda _: time.sleep(pace_s()), Good.answer, on="go")
"""Plays well, at a pace that does not depend on the machine."""

ThinksABit = does(lambda _: time.sleep(0.3), Good.answer)
"""Answers after 0.3 s."""

ThinksALot = does(lambda _: compute(0.04), Good.answer, on="go")


class OverlooksItsFirstTime(Good):
    """Always uses the clock of `new`, 0.4 s, and ignores the first-move time of `go`."""

    def take(self, words: list[str]) -> None:
        if words[:1] == ["new"]:
            self.has_clock = "+" in words[words.index("tc") + 1]
        if words[:1] == ["go"] and words[2:3] == ["move"] and self.has_clock:
            time.sleep(0.4)
        super().take(words)


AnswersTooLate = does(lambda _: time.sleep(1.0), Good.answer)
AnswersUnasked = does(Good.answer, lambda bot: say(f"bestmove {bot.ply + 2} {bot.legal[-1]}"))
"""Also sends its next answer, before it gets the question."""

AnswersTwice = says(ANSWER, "bestmove {ply} {legal[1]}")
AnswersAnotherNumber = does(lambda bot: say(f"bestmove {bot.ply + 2} {bot.legal[0]}"))
AnswersAnotherNumberFirst = does(
    lambda bot: say(f"bestmove {bot.ply + 2} {bot.legal[0]}", f"bestmove {bot.ply} {bot.legal[0]}")
)

PlaysAnIllegalMove = says("bestmove {ply} a1")
"""Plays on an occupied cell."""

PlaysNoMove = says("bestmove {ply}")
PlaysGarbage = does(
    lambda bot: write(b'bestmove %d \xff\x00 \x1b[31m } { [%%emt -1] ; "\\\n' % bot.ply)
)

PlaysAVeryLongMove = does(lambda bot: say(f"bestmove {bot.ply} {'a' * 65_000}"))
SaysHalfALine = does(lambda bot: write(b"bestmove %d " % bot.ply), lambda _: hang())


class WritesByteByByte(Good):
    def answer(self) -> None:
        for letter in f"bestmove {self.ply} {self.legal[0]}\n".encode():
            write(bytes([letter]))


class LikesBlanks(Good):
    """Writes CRLF, tabs and trailing spaces."""

    def new(self) -> None:
        write(f"\t ready \t{self.number} \t\r\n".encode())

    def answer(self) -> None:
        write(f"  bestmove\t {self.ply}\t\t{self.legal[0]} \t \r\n\r\n".encode())


WritesBinary = does(lambda _: write(bytes(range(256)) * 8 + b"\n\0\0\0\n\n"), Good.answer)
WritesALongLine = does(lambda _: write(b"x" * (64 * 1024 + 1)), lambda _: hang())
WritesALineOfExactly64KiB = does(lambda _: write(b"x" * (64 * 1024) + b"\n"), Good.answer)
WritesForEver = does(lambda _: for_ever(write, FLOOD))
ComplainsForEver = does(lambda _: for_ever(complain, FLOOD))
WritesAndComplainsForEver = does(lambda _: for_ever(write_and_complain, FLOOD))

WritesForEverOnTheOthersTurn = does(Good.answer, lambda _: for_ever(write, FLOOD))
WritesShortLinesForEverOnTheOthersTurn = does(
    Good.answer, lambda _: for_ever(write, b"ab\n" * 16384)
)
"""Writes lines that are short, but take much memory unless they are counted."""

SaysInsaneInfo = does(
    lambda _: say(
        "info",
        "info depth",
        "info depth -3 eval nan nodes 1e99 pv",
        f"info nodes {'9' * 5000} eval inf depth 2.5",
        'info text } { [%emt -1] [%clk x] ; \x00 \x1b[2J \\ " 1. a1 1-0',
        f"info pv {'} [% ' * 3000}",
    ),
    Good.answer,
)

Complains = says("error I do not feel well", ANSWER)
FloodsStderr = does(lambda _: complain(b"all is well \x00\x1b\n" * 150_000), Good.answer)
ClosesItsOutput = does(lambda _: os.close(1), lambda _: hang())
ClosesItsInput = does(lambda _: os.close(0), Good.answer, lambda _: hang())
NeedsTooMuchMemory = does(lambda _: [bytearray(1 << 24) for _ in range(256)], Good.answer)


class GrowsAndDies(Good):
    """Uses MEGABYTES more after its first turn, and crashes with SIGSEGV in the second."""

    def answer(self) -> None:
        self.table = b"x" * (int(os.environ["MEGABYTES"]) << 20)
        super().answer()

    def misbehave(self) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)


class GrowsInItsMoveAndDies(GrowsAndDies):
    def answer(self) -> None:
        Good.answer(self)

    def misbehave(self) -> None:
        self.table = b"x" * (int(os.environ["MEGABYTES"]) << 20)
        super().misbehave()


class ReservesAddresses(Good):
    """Reserves terabytes of address space and uses little, like builds with sanitizers."""

    def hello(self) -> None:
        import mmap

        private_anonymous_unreserved = 0x2 | 0x20 | 0x4000
        self.shadow = mmap.mmap(-1, 1 << 44, flags=private_anonymous_unreserved)
        self.shadow[1 << 40] = 1
        super().hello()


class WritesInItsDirectory(Good):
    def misbehave(self) -> None:
        os.makedirs("mine", exist_ok=True)
        with open("mine/notes", "w") as file:
            file.write("x" * 1000)
        os.chmod("mine", 0o500)
        self.answer()


class NeedsRoom(Good):
    """Exits if it cannot write 64 KiB."""

    def misbehave(self) -> None:
        with open("table", "wb") as file:
            file.write(bytes(1 << 16))
        self.answer()


class FillsItsDirectory(Good):
    """Fills its disk, up to 64 MiB, and exits."""

    def misbehave(self) -> None:
        with open("table", "wb", buffering=0) as file:
            file.writelines(bytes(1 << 16) for _ in range(1 << 10))
        sys.exit("no room")


LeaksDescriptors = does(lambda _: [os.dup(2) for _ in range(200)], Good.answer)
ThinksOnTheOthersTurn = does(Good.answer, lambda _: compute(0.05))
"""Computes briefly after its answer, which takes time from the opponent."""


class ComputesInChildren(Good):
    """Has two child processes in their own sessions that compute on the opponent's turns.

    They end after ten minutes if they are not stopped.
    """

    def __init__(self) -> None:
        super().__init__()
        self.busy = mmap.mmap(-1, 1)
        for _ in range(2):
            if os.fork() == 0:
                os.setsid()
                until_s = time.monotonic() + 600
                while time.monotonic() < until_s:
                    if self.busy[0] == 0:
                        time.sleep(0.001)
                os._exit(0)

    def new(self) -> None:
        self.busy[0] = 1
        super().new()

    def go(self) -> None:
        self.busy[0] = 0
        self.answer()
        self.busy[0] = 1


Resigns = says("bestmove {ply} resign")
ThinksAndResigns = does(lambda _: time.sleep(0.1), Resigns.misbehave)


# Children


class _Parent(Good):
    """Leaves children behind: in its group, in their own sessions and with a dead parent."""

    has_children = False

    def new(self) -> None:
        if not self.has_children:
            self.have_children()
        super().new()

    def have_children(self) -> None:
        self.has_children = True
        for detached in (False, True):
            if (pid := os.fork()) == 0:
                if detached:
                    os.setsid()
                time.sleep(FOREVER_S)
            note_child(pid)
        self.fork_twice()

    def fork_twice(self, environment: dict[str, str] | None = None) -> None:
        if (middle := os.fork()) == 0:
            os.setsid()
            if (pid := os.fork()) == 0:
                os.closerange(0, 3)
                if environment is not None:
                    os.execve("/bin/sleep", ["sleep", str(FOREVER_S)], environment)
                time.sleep(FOREVER_S)
            note_child(pid)
            os._exit(0)
        os.waitpid(middle, 0)


LeavesChildren = does(lambda _: os._exit(1), of=_Parent)
HasChildrenAndPlays = does(_Parent.answer, of=_Parent)


class HidesAChild(_Parent):
    """Leaves a daemon without the arena's mark."""

    def have_children(self) -> None:
        self.has_children = True
        self.fork_twice({})


class HidesAChildWhenItIsGreeted(HidesAChild):
    def hello(self) -> None:
        self.have_children()
        super().hello()


RUNS_AWAY: Final = """if 1:
    import os, time
    until_s = time.monotonic() + 60
    while time.monotonic() < until_s:
        os.setsid()
        if os.fork():
            os._exit(0)
"""


class RunsAway(_Parent):
    """Leaves a process that keeps forking and exiting; its name is TOKEN."""

    def have_children(self) -> None:
        self.has_children = True
        if os.fork() == 0:
            os.closerange(0, 3)
            words = [sys.executable, "-I", "-S", "-c", RUNS_AWAY, os.environ["TOKEN"]]
            if os.fork() == 0:
                os.execve(sys.executable, words, {})
            os._exit(0)


class ForksAHundredTimes(_Parent):
    """Forks a hundred children that ignore SIGTERM, half of them in sessions of their own."""

    def have_children(self) -> None:
        self.has_children = True
        for number in range(100):
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                if number % 2:
                    os.setsid()
                time.sleep(FOREVER_S)


ComputesTooLong = does(lambda _: compute(5.0))
"""Computes in its own turn until its time is over."""


class KeepsAllCoresBusy(Good):
    """Starts children that compute, and answers late as if the machine were busy."""

    def misbehave(self) -> None:
        until_s = time.monotonic() + 0.25
        for _ in range(20):
            if os.fork() == 0:
                while time.monotonic() < until_s:
                    pass
                os._exit(0)
        time.sleep(0.25)
        self.answer()


class LeavesAChildAtItsOutput(Good):
    """Writes a line that is not an answer and exits, while its child keeps the output open."""

    def misbehave(self) -> None:
        if (pid := os.fork()) == 0:
            hang()
        note_child(pid)
        say("I had a good life")
        os._exit(1)


# At the end


class LeavesHalfALine(Good):
    """Writes a last line without a line end after each game."""

    def take(self, words: list[str]) -> None:
        super().take(words)
        if words[0] == "result":
            write(b"bye")


WritesALotOnQuit = does(lambda _: say(*["x" * 10_000] * 40), Good.quit, on="quit")


class LeavesAfterEachGame(Good):
    def take(self, words: list[str]) -> None:
        super().take(words)
        if words[0] == "result":
            sys.exit(0)


class LeavesWhenTheNextGameBegins(Good):
    def new(self) -> None:
        if self.ply:
            sys.exit(0)
        super().new()


class StartsUntilAGameIsOver(LeavesAfterEachGame):
    """Cannot start again after its first game, which it notes in the file LOG."""

    def run(self) -> None:
        if os.path.exists(os.environ["LOG"]):
            sys.exit(6)
        super().run()

    def take(self, words: list[str]) -> None:
        if words[0] == "result":
            open(os.environ["LOG"], "x").close()
        super().take(words)


class IgnoresQuit(Good):
    def run(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().run()
        hang()

    def quit(self) -> None:
        hang()


EndsSlowly = does(lambda _: time.sleep(0.3), Good.quit, on="quit")
ExitsOneOnQuit = does(lambda _: sys.exit(1), on="quit")


name_kinds(globals())

if __name__ == "__main__":
    note_start()
    globals()[sys.argv[1]]().run()
