"""The fault catalogue: fifty ways in which a tournament can go wrong, with the expected behaviour.

The wording is that of the research that collected them. The modules bot_faults.py,
runner_faults.py, disk_faults.py and surrounding_faults.py provoke the cases and check the results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import bot_faults
import disk_faults
import runner_faults
import surrounding_faults

if TYPE_CHECKING:
    from bot_faults import Plain
    from fault_stand import Stand


class Fault(Protocol):
    """One way to provoke a case."""

    @property
    def name(self) -> str:
        """Return a name that is unique within the case."""

    @property
    def limit_s(self) -> float:
        """Return the sum of the limits that it reaches, in seconds."""

    def play(self, stand: Stand, plain: Plain) -> float:
        """Provoke it, assert the result, and return the seconds beyond an ordinary run."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case of the catalogue."""

    number: int
    words: str
    outcome: str
    faults: Sequence[Fault]


WORDS: Final = """
1 executable missing | benched, clear message, status not 0
2 exits at start | benched, with exit status and end of standard error
3 handshake hangs | benched, killed
4 banner before the handshake | ignored
5 wrong game | benched before game 1
6 ready hangs, exits before its first go | void once, then loss, time or crash
7 dies in its move | loss, crash
8 dies on the other's turn | noticed at once: loss, crash
9 exits 0 in a game | loss, crash
10 hangs | loss, time, at clock + margin
11 SIGSTOPs itself | loss, time, killed
12 within the margin | accepted, clock 0
13 late | loss, time; the late line harms no other game
14 unasked answer | counted, dropped
15 double answer | second dropped
16 wrong number | dropped
17 illegal move | loss, illegal move; bot kept
18 malformed answer | loss, illegal move; bot kept
19 half a line, silence | loss, time
20 one byte at a time | fine
21 CRLF, tabs, trailing blanks | fine
22 binary, NUL | ignored, escaped in the log
23 line over 64 KiB | loss, flood, killed
24 over 8 MiB a move | loss, flood, killed
25 insane info | stored or dropped
26 standard error flood | drained into a ring
27 closes output | loss, crash
28 closes input | EPIPE handled: loss, crash
29 never reads | never blocks the arena: loss, time
30 ignores quit and SIGTERM | killed within 2 s
31 nonzero exit on quit | harms nobody
32 forks, setsid, double fork | no strays
33 memory bomb | loss, crash, memory
34 fork bomb, descriptor leak | no strays, harms nobody
35 writes in its directory | own scratch directory
36 thinks on the other's turn | harms nobody
37 Ctrl-C, once and twice | games given up, status 3, how to resume; never waits for a bot
38 SIGTERM, SIGHUP | as Ctrl-C
39 kill -9 of the runner | bots die; what was half stored is dropped; each game once
40 kill -9 of a worker | its game void, worker replaced
41 disk full, unwritable, failing | stops loudly, status not 0
42 broken standard streams | records go on
43 wall clock jumps | nothing
44 suspend and resume | void and replayed, no time loss
45 descriptor limit too low | told before the start
46 two runners on one directory | the second is refused
47 a bot's file changed on resume | refused unless forced
48 lopsided results | finite statistics
49 a thousand million games scheduled | constant memory
50 comma locale, odd time zone, non-UTF-8 environment | the same bytes
"""

_FAULTS: Final[Mapping[int, Sequence[Fault]]] = {
    **bot_faults.BY_NUMBER,
    **runner_faults.BY_NUMBER,
    **disk_faults.BY_NUMBER,
    **surrounding_faults.BY_NUMBER,
}


def _case(line: str) -> Case:
    words, _, outcome = line.partition(" | ")
    number, _, name = words.partition(" ")
    return Case(int(number), name, outcome, _FAULTS[int(number)])


CASES: Final = tuple(map(_case, WORDS.strip().splitlines()))
