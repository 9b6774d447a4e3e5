"""Every bad bot of the catalogue plays its games and is checked: all that is promised of it holds.

Most are scripts, which take no time; those that take a process play in tournament/test_faults.py.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import bad_bots
import odd_bots
import pytest
from bad_bots import Good
from bot_faults import BAD_BOTS, tournaments
from scripted import scripted

from lath.arena.botcheck.check import check
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import Verdict
from lath.arena.machine import signals
from lath.arena.referee.bots import BotSpec

if TYPE_CHECKING:
    from golden import Golden


def test_the_catalogue_has_every_kind_of_bad_bot_once() -> None:
    kinds = [
        kind
        for module in (bad_bots, odd_bots)
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, Good) and kind.__module__ == module.__name__ and name[0] != "_"
    ]
    listed = [fault.kind for fault in BAD_BOTS if fault.kind is not None]
    assert sorted(map(str, listed)) == sorted(map(str, kinds))


def test_games_of_every_bad_bot_end_as_is_promised(golden: Golden) -> None:
    scripts = [fault for fault in BAD_BOTS if not (fault.is_real or fault.unplayed)]
    played = {fault.name: fault.as_script() for fault in scripts}
    assert {name: wrong for name, (wrong, _) in played.items() if wrong} == {}
    golden({name: short(told) for name, (_, told) in played.items() if told})
    assert len(scripts) + sum(map(len, tournaments())) > 60


@pytest.mark.slow
def test_a_check_of_every_bad_bot_finds_what_is_wrong_soon_and_nothing_else(
    tmp_path: Path, golden: Golden
) -> None:
    wrong, told = {}, {}
    for fault in BAD_BOTS:
        if not (fault.is_real or fault.unchecked):
            log = tmp_path / fault.name
            with scripted(LOG=str(log)):
                found = fault.check_of_it.found(log, signals.awake_s)
            wrong[fault.name] = fault.wrong_check(found)
            told[fault.name] = short(fault.told_of_check(found))
    assert {name: what for name, what in wrong.items() if what} == {}
    told.pop("IgnoresSeeds")  # it plays other moves each time
    golden({name: text for name, text in told.items() if text})
    assert len(wrong) > 70


def short(text: str) -> str:
    """Return a text of which no line is longer than people read."""
    return "\n".join(line if len(line) < 250 else f"{line[:250]}…" for line in text.splitlines())


def test_a_bot_that_is_gone_at_once_after_stop_is_not_started_again_for_the_next_game() -> None:
    spec = BotSpec(name="dies", command=odd_bots.command(odd_bots.DiesOfStop))
    with scripted(line_s=0.0):
        found = {point.id: point for point in check(Lab(spec, ("yavalath",)))}
    assert found["sudden-end"].verdict is Verdict.FAULT
    assert "`stop` and `result`" in found["sudden-end"].seen
