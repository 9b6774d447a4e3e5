"""Configurations and results for tests of what keeps them; nothing is played."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from sample_records import random_game

from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import BotSpec
from lath.arena.referee.record import GameResult
from lath.arena.tournament.config import Config
from lath.arena.tournament.store import Store
from lath.notation.protocol import TimeControl
from lath.notation.record import Record
from lath.notation.writer import format_record

NAMES = ("ann", "bob", "cat")


def a_config(names: tuple[str, ...] = NAMES, **more: Any) -> Config:
    """Return a tournament of Yavalath between bots that cannot be started."""
    values = {
        "games": ("yavalath",),
        "limits": Limits(time=TimeControl(nodes=1)),
        "pin": "off",
        "bots": tuple(BotSpec(name=name, command=("/nowhere", name)) for name in names),
        **more,
    }
    return Config(**values)


@cache
def _a_game() -> Record:
    return random_game("yavalath", 1)


@cache
def _a_record(**said: str) -> str:
    """Return the text of a random game, always the same, with tags that say so; its number is 0."""
    tags = [(name, said.get(name, value)) for name, value in _a_game().tags]
    tags.insert(-1, ("Number", "0"))
    text = format_record(replace(_a_game(), tags=tuple(tags), result=said["Result"]))
    assert text.count('[Number "0"]') == 1
    return text


def finished(store: Store) -> set[int]:
    """Return the numbers of the games in a store."""
    return {number for number, *_ in store.results()}


def a_result(number: int, names: tuple[str, str] = ("ann", "bob"), **more: Any) -> GameResult:
    """Return a finished game, its record being a random one of the right number, end and players.

    Moves may say otherwise.
    """
    values: dict[str, Any] = {
        "number": number,
        "round": 1,
        "game": "yavalath",
        "first": names[0],
        "second": names[1],
        "result": _a_game().result,
        "termination": "rules",
        "plies": len(_a_game().plies),
        "first_used_s": 1.0,
        "second_used_s": 2.0,
        "first_worst_s": 0.5,
        "second_worst_s": 0.25,
        "stray_lines": 0,
        **more,
    }
    if "record" not in values:
        names_of_tags = ("game", "first", "second", "termination", "result")
        said = {name.title(): values[name] for name in names_of_tags}
        values["record"] = _a_record(**said).replace('[Number "0"]', f'[Number "{number}"]')
    return GameResult(**values)
