"""Cases 42 to 45 and 47 to 50 of the fault catalogue: streams, clocks, limits, files, languages."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import bad_bots
from arena_runs import PATIENCE_S, exported, numbers, sequence
from fault_stand import Stand, assert_sound, good, shell
from processes import gone, workers_of
from runner_faults import ROUNDS, SLOWLY, RunnerFault, goes_on, pair_up, stop, until_it_plays

if TYPE_CHECKING:
    from bot_faults import Plain

NODES: Final = {"nodes": 1}

STOPPED_S: Final = 2.0
"""The time for which everything is suspended, with a second per move."""

ENOUGH_S: Final = 1.0
"""The time for which an endless tournament runs."""


def all_is_there(stand: Stand, games: int) -> None:
    assert numbers(stand.out) == exported(stand.out) == sequence(games)
    assert {game.termination for game in stand.games()} == {"rules"}
    assert_sound(stand.games())


# 42


Streams = Callable[[], Mapping[str, int]]


def a_broken_stream(broken: Streams, stand: Stand, _plain: Plain) -> float:
    """Run with standard streams without a reader, or that accept nothing; all games are stored."""
    return _plays_on(stand, streams=broken())


def without(closed: str, stand: Stand, _plain: Plain) -> float:
    """Run with closed standard streams, whose numbers the next opened files get."""
    return _plays_on(stand, under=shell(f'exec "$@" {closed}'))


def _plays_on(stand: Stand, **how: Any) -> float:
    pair_up(stand, rounds=1, jobs=1)
    shown = [word for word in stand.run_words() if word != "-q"]
    ended = stand.play(*shown, "-v", **how)
    assert ended.status == 0, ended.said
    all_is_there(stand, 2)
    return 0.0


def nobody_reads(name: str) -> Mapping[str, int]:
    reading, writing = os.pipe()
    os.close(reading)
    return {name: writing}


STREAMS: Final[dict[str, Streams]] = {
    "standard output that nobody reads": partial(nobody_reads, "output"),
    "standard error that nobody reads": partial(nobody_reads, "errors"),
    "standard error on a full disk": lambda: {"errors": os.open("/dev/full", os.O_WRONLY)},
}

# 43

JUMPS: Final = """
import datetime, random, time
_time, _chance = time.time, random.Random(43)
def jumped():
    return _time() + _chance.choice([-1e8, -3600.0, -1.0, 0.0, 0.5, 86400.0, 1e8])
class Jumping(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(jumped(), tz)
time.time = jumped
time.time_ns = lambda: int(jumped() * 1e9)
datetime.datetime = Jumping
open(f"{__file__}.used", "a").close()
"""
"""A module that Python imports at its start, in the runner and in its workers."""

WALL_CLOCKS: Final = r"\btime\.time(_ns)?\(|from time import .*\btime\b|utcnow|\bgettimeofday"


def a_wall_clock_that_jumps(stand: Stand, _plain: Plain) -> float:
    """Let the time of day jump at every reading: the games and their times stay the same."""
    site = stand.folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(JUMPS)
    bots = dict.fromkeys(("ann", "bob"), good(bad_bots.PlaysBySeed))
    stand.configure(bots, {"initial": "5s", "increment": "10ms"}, rounds=3)
    ended = stand.play(*stand.run_words(), PYTHONPATH=str(site))
    assert ended.status == 0, ended.said
    assert list(site.glob("*.used")), "the clock was patched"
    all_is_there(stand, 6)
    for game in stand.games():
        assert "[%emt -" not in game.text
        assert max(map(float, re.findall(r"\[%emt ([0-9.]+)\]", game.text))) < 5
    return 0.0


def wall_clocks_in(folder: Path) -> list[str]:
    """Return the lines of a package that read the time of day."""
    return [
        f"{path.name}: {line.strip()}"
        for path in sorted(folder.rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(WALL_CLOCKS, line)
    ]


# 44


def signal_all(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def a_suspension(whole: bool, stand: Stand, _plain: Plain) -> float:
    """Suspend all processes, or only the arena's, for longer than a move may take; no bot loses."""
    bots = {name: good(bad_bots.Plods) for name in ("ann", "bob")}
    log = stand.folder / "turns"
    bots["ann"]["env"] = {"LOG": str(log)}
    stand.configure(bots, {"move": "1s"}, rounds=1)
    run = stand.begin(*stand.run_words())
    assert gone(lambda: not log.exists() or log.read_text().count("\n") < 3, PATIENCE_S)
    arenas = {run.pid, *workers_of(run.pid)}
    stopped = stand.alive() if whole else arenas
    signal_all(stopped, signal.SIGSTOP)
    time.sleep(STOPPED_S)  # the fault itself
    signal_all(stopped, signal.SIGCONT)
    ended = stand.finish(run)
    assert ended.status == 0, ended.said
    all_is_there(stand, 2)
    assert "the machine paused" in ended.said
    assert "the arena plays a game again" in ended.said
    return 0.0


# 45


def too_few_descriptors(stand: Stand, plain: Plain) -> float:
    """Allow 20 descriptors for eight workers."""
    pair_up(stand, jobs=8)
    ended = stand.play(*stand.run_words(), under=shell('ulimit -n 20; exec "$@"'))
    assert ended.status in (1, 2), ended.said
    error, hint = [line for line in ended.said.splitlines() if not line.startswith("warning: ")]
    assert "open files, but the limit is 20" in error
    assert hint.startswith("hint: ulimit -n ")
    assert numbers(stand.out) == []
    return ended.seconds - plain.seconds


# 47


def a_changed_bot(stand: Stand, _plain: Plain) -> float:
    """Change a bot's file between two runs: the second is refused, unless forced."""
    program = bad_bots.compiled(bad_bots.__file__)  # starts fast
    mine = Path(shutil.copy(program, stand.folder / f"mine{Path(program).suffix}"))
    stand.variables |= SLOWLY
    command = [sys.executable, "-I", "-S", str(mine), bad_bots.TakesAMillisecond.__name__]
    stand.configure({name: {"command": command} for name in ("ann", "bob")}, rounds=ROUNDS, jobs=2)
    stop(stand, until_it_plays(stand), signal.SIGINT)
    kept = len(numbers(stand.out))
    with mine.open("ab") as file:
        file.write(b"# better\n")
    refused = stand.play("run", "--output", "out", "-q")
    assert refused.status == 2, refused.said
    assert mine.name in refused.said
    assert "--force" in refused.said
    assert len(numbers(stand.out)) == kept
    goes_on(stand, 2 * ROUNDS, "--force")
    return refused.seconds


# 48


def a_lopsided_tournament(stand: Stand, _plain: Plain) -> float:
    """Let one bot lose everything: all numbers of the standings are finite."""
    bots = {"ann": good(), "loser": good(bad_bots.PlaysAnIllegalMove)}
    stand.configure(bots, rounds=50)
    ended = stand.play(*stand.run_words(with_report=True))
    assert ended.status == 0, ended.said

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in standings.json")

    told: Any = json.loads((stand.out / "standings.json").read_text(), parse_constant=refuse)
    assert "100" in json.dumps(told)
    rated = stand.play("rate", "out")
    assert rated.status == 0
    assert not re.search(r"\b(nan|inf)\b", (stand.out / "standings.csv").read_text(), re.IGNORECASE)
    return 0.0


# 49


def a_tournament_without_end(stand: Stand, plain: Plain) -> float:
    """Schedule two thousand million games and play some: the rest is not prepared."""
    pair_up(stand, SLOWLY, rounds=10**9)
    run = until_it_plays(stand)
    time.sleep(ENOUGH_S)  # the fault itself
    run.send_signal(signal.SIGINT)
    ended = stand.finish(run)
    assert ended.status == 3, ended.said
    assert "of 2000000000 games, which are kept" in ended.said
    return ended.seconds - plain.seconds


# 50


def moves_only(path: Path) -> str:
    """Return a record file without the times of its moves and the date."""
    text = path.read_text(encoding="utf-8")
    plain = re.sub(r"\s\{\[%emt [0-9.]+\]\}|\[Date .*\n", "", text)
    return " ".join(plain.split())  # times change the line breaks


def a_comma_locale(folder: Path) -> dict[str, str]:
    """Return the variables of a language that writes 0,5; empty if none can be made."""
    compiler = shutil.which("localedef")
    if compiler is None:
        return {}
    made = [compiler, "-i", "de_DE", "-f", "ISO-8859-1", str(folder / "de_DE")]
    subprocess.run(made, capture_output=True, check=False)
    is_made = (folder / "de_DE" / "LC_NUMERIC").exists()
    return {"LOCPATH": str(folder), "LC_ALL": "de_DE"} if is_made else {}


def a_strange_environment(stand: Stand, _plain: Plain) -> float:
    """Run in other languages, time zones and encodings: the records are the same."""
    locales = stand.folder / "locales"
    locales.mkdir()
    odd = {"TZ": "Pacific/Chatham", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    surroundings = [{}, {**odd, **a_comma_locale(locales)}, plain]
    texts = []
    for number, variables in enumerate(surroundings):
        bots = dict.fromkeys(("Zoë", "β-bot"), good(bad_bots.PlaysBySeed))
        stand.configure(bots, NODES, rounds=1, event="Größe 0,5")
        out = f"out{number}"
        more = ["--no-report"] if variables != plain else []
        ended = stand.play("run", "cup.toml", "--output", out, *more, **dict[str, Any](variables))
        assert ended.status == 0, ended.said
        texts.append(moves_only(stand.folder / out / "games.lath"))
        assert len(numbers(stand.folder / out)) == 2
    assert len(set(texts)) == 1
    return 0.0


BY_NUMBER: Final[dict[int, tuple[RunnerFault, ...]]] = {
    42: (
        *(
            RunnerFault(name=name, act=partial(a_broken_stream, streams))
            for name, streams in STREAMS.items()
        ),
        RunnerFault(name="all streams closed", act=partial(without, "<&- >&- 2>&-")),
        RunnerFault(name="standard output closed", act=partial(without, ">&-")),
        RunnerFault(name="standard error closed", act=partial(without, "2>&-")),
    ),
    43: (RunnerFault(name="a wall clock that jumps", act=a_wall_clock_that_jumps),),
    44: (
        RunnerFault(name="everything stops", act=partial(a_suspension, True)),
        RunnerFault(name="the arena stops, its bots do not", act=partial(a_suspension, False)),
    ),
    45: (RunnerFault(name="20 descriptors", act=too_few_descriptors),),
    47: (RunnerFault(name="a bot's file changed", act=a_changed_bot),),
    48: (RunnerFault(name="one loses all", act=a_lopsided_tournament),),
    49: (RunnerFault(name="a tournament without end", act=a_tournament_without_end),),
    50: (RunnerFault(name="languages, zones, encodings", act=a_strange_environment),),
}
