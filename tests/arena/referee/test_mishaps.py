"""Mishaps that only processes show: memory, children, and computing when it is not one's turn."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import bad_bots
import pytest
from bad_bots import Good
from one_game import Table, a_table, record_of
from processes import alive_of, gone
from tools import needs
from workers import play_in_worker

from lath.arena.errors import GameVoidError
from lath.arena.referee import conversation, process, watchdog
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot
from lath.notation.protocol import TimeControl
from lath.notation.record.tags import Termination

RELAXED = Limits(time=TimeControl(move_ms=10_000))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """Give a table, and see to it that nothing is left of the bots that sat there."""
    with a_table(tmp_path) as table:
        yield table
    assert gone(lambda: [pid for bot in table.bots for pid in alive_of(bot.tree)])


OWN_MIB = 0
"""Stands for the arena's own memory, which a bot holds, too, until it is the program it will be."""


@pytest.mark.parametrize(
    ("kind", "grows_mib", "allowed_mib", "is_near"),
    [
        (bad_bots.GrowsAndDies, 150, 256, True),
        (bad_bots.GrowsAndDies, 1, 256, False),
        (bad_bots.GrowsAndDies, 150, None, False),
        (bad_bots.GrowsInItsMoveAndDies, OWN_MIB, None, True),
    ],
)
def test_a_crash_near_the_memory_limit_is_called_that(
    kind: type[Good], grows_mib: int, allowed_mib: int | None, is_near: bool, table: Table
) -> None:
    if grows_mib == OWN_MIB:
        own_mib = process._held_bytes() >> 20  # what a machine's Python holds differs
        grows_mib, allowed_mib = 3 * own_mib, 4 * own_mib
    memory: dict[str, Any] = {"memory_bytes": allowed_mib << 20} if allowed_mib else {}
    played = table.play(kind, specs=({"env": {"MEGABYTES": str(grows_mib)}, **memory}, {}))
    words = record_of(played).story
    assert "was ended by signal SIGSEGV" in words
    found = re.search(r" near its memory limit: it held (\d+) MiB \((\d+) MiB allowed\)", words)
    assert bool(found) is is_near
    if found:
        assert int(found[1]) >= grows_mib
        assert int(found[2]) == allowed_mib


def test_who_may_not_reserve_addresses_is_told_why_and_others_may(table: Table) -> None:
    bot = table.bot("free", bad_bots.ReservesAddresses, {})
    bot.start(RELAXED)
    bound = table.bot("bound", bad_bots.ReservesAddresses, {"memory_bytes": 1 << 30})
    table.bots = [bot, bound]
    with pytest.raises(GameVoidError, match=r"out of memory \(1024 MiB allowed\) before ok"):
        bound.start(RELAXED)


FIRST_MOVES = r"""
#include <stdio.h>
#include <string.h>
int main(void) {
    static char line[65536], move[64], word[64];
    setvbuf(stdout, 0, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "arena", 5)) printf("id name c\ngame yavalath\nwant legal\nok\n");
        else if (sscanf(line, "new %63s", word) == 1) printf("ready %s\n", word);
        else if (sscanf(line, "legal %63s", move) == 1) continue;
        else if (sscanf(line, "go %63s", word) == 1) printf("bestmove %s %s\n", word, move);
        else if (!strncmp(line, "quit", 4)) return 0;
    }
}
"""


@needs("cc")
@pytest.mark.parametrize("sanitizer", ["address", "thread"])
def test_a_build_with_a_sanitizer_plays_where_nobody_limits_its_memory(
    sanitizer: str, table: Table, tmp_path: Path
) -> None:
    source, program = tmp_path / "bot.c", tmp_path / "bot"
    source.write_text(FIRST_MOVES)
    built = ["cc", f"-fsanitize={sanitizer}", "-o", str(program), str(source)]
    if subprocess.run(built, capture_output=True, check=False).returncode:
        pytest.skip(f"this compiler has no library for -fsanitize={sanitizer}")
    mine = {"command": (str(program),)}
    assert table.play(specs=(mine, {})).termination == Termination.RULES
    with pytest.raises(GameVoidError, match="a build with sanitizers starts without `memory`"):
        table.play(specs=({**mine, "memory_bytes": 256 << 20}, {}))


def test_what_a_bot_complains_of_is_kept(table: Table) -> None:
    assert table.play(bad_bots.Complains).stderr == {"ann": "error I do not feel well"}


def test_who_forks_and_exits_all_the_time_ends_with_its_worker(tmp_path: Path) -> None:
    token = f"runs-away-from-{tmp_path.name}-{os.getpid()}"
    runner = BotSpec(
        name="runner", command=bad_bots.command(bad_bots.RunsAway), env={"TOKEN": token}
    )
    play_in_worker(runner, BotSpec(name="good", command=bad_bots.command(Good)), RELAXED)
    for _ in range(100):  # each look may miss it
        assert bearing(token) == []


def bearing(token: str) -> list[str]:
    """Return the command lines of processes that have a word among theirs."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += [text] if token in (text := path.read_bytes().decode()) else []
    return found


def test_a_bot_that_thinks_on_the_others_turn_is_named(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "_ODD_CPU_S", 0.03)  # it does so for 0.05 s a game
    odd_cpu = Bot.odd_cpu
    # Else waiting for a core in its own turns would hide what it computes in the other's.
    monkeypatch.setattr(Bot, "odd_cpu", lambda bot, own_s: odd_cpu(bot, min(0.01, own_s)))
    assert table.play(bad_bots.ThinksOnTheOthersTurn, bad_bots.ThinksABit).notes == (
        "ann thinks on the opponent's turn, or in more threads than allowed",
    )
    assert table.play(Good, bad_bots.ThinksABit).notes == ()


def test_a_bot_whose_processes_compute_on_the_others_turn_is_named_and_stopped(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "TICK_S", 0.05)
    monkeypatch.setattr(watchdog, "ODD_CPU_S", 0.2)
    monkeypatch.setattr(conversation, "_ODD_CPU_S", 0.1)  # it is stopped soon after the 0.2 s
    kinds = bad_bots.ComputesInChildren, bad_bots.ThinksALot
    played = table.play(*kinds, leave=False)
    assert played.termination == Termination.RULES
    (note,) = played.notes
    assert note.startswith("ann thinks on the opponent's turn")
    assert note.endswith("; it was stopped meanwhile")
    words = r"arena: used \d+\.\d\d s of CPU time beyond its own turns"
    assert re.search(words, dict(played.stderr)["ann"])
    # It stays so while nobody plays, in the next game, and while others play.
    thief, watch = table.bots[0], table.watch
    watched = thief.child._watched  # only the system shows it, and not at once
    assert watched is not None
    watch.rest()
    assert watched.turns.is_stopped
    watch.suspects.clear()
    thief.child.resume()
    watch.suspect(thief.child)
    assert watched.turns.is_stopped
    assert watch.suspects == {thief.child}
    former = table.bots
    assert table.play(Good, bad_bots.ThinksABit).termination == Termination.RULES
    assert watched.turns.is_stopped
    again = table.play(bots=(former[1], former[0]))
    assert again.termination == Termination.RULES
