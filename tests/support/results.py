"""Configurations and results for tests of stores; nothing is played."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from sample_records import random_game

from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.record import GameResult
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.store.store import Store
from lath.games.core import Result
from lath.notation.protocol import TimeControl
from lath.notation.record.record import Record
from lath.notation.text.writer import format_record

NAMES = ("ann", "bob", "cat")


def a_config(names: tuple[str, ...] = NAMES, **more: Any) -> Config:
    """Return a tournament of Yavalath between bots that cannot start."""
    values = {
        "games": ("yavalath",),
        "limits": Limits(time=TimeControl(nodes=1)),
        "pin": "off",
        "bots": tuple(BotSpec(name=name, command=("/nowhere", name)) for name in names),
        **more,
    }
    return Config(**values)


def _a_game(number: int, game: str, result: str = "", termination: str = "rules") -> Record:
    """Return a random game; close numbers give different moves.

    By the rules it ends with `result`, or is unfinished for another termination.
    """
    found = random_game(game, 1 + (number - 1) % 400)
    if termination != "rules":
        return replace(found, plies=found.plies[:-1])
    while result not in ("", "1/2-1/2", found.result):
        number += 400
        found = random_game(game, number)
    return found


@cache
def _a_record(game: Record, **said: str) -> str:
    """Return the text of a game with these tags; its number is 0."""
    tags = [(name, said.get(name, value)) for name, value in game.tags]
    tags.insert(-1, ("Number", "0"))
    text = format_record(replace(game, tags=tuple(tags), result=Result(said["Result"])))
    assert text.count('[Number "0"]') == 1
    return text


def finished(store: Store) -> set[int]:
    """Return the numbers of the games in a store."""
    return {number for number, *_ in store.results()}


def a_result(number: int, names: tuple[str, str] = ("ann", "bob"), **more: Any) -> GameResult:
    """Return a finished game with a random record of its number, ending and players.

    The moves do not fit a draw by the rules.
    """
    end = {key: more[key] for key in ("result", "termination") if key in more}
    game = _a_game(number, more.get("game", "yavalath"), **end)
    values: dict[str, Any] = {
        "number": number,
        "round": 1,
        "game": "yavalath",
        "first": names[0],
        "second": names[1],
        "result": game.result,
        "termination": "rules",
        "plies": len(game.plies),
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
        values["record"] = _a_record(game, **said).replace('[Number "0"]', f'[Number "{number}"]')
    return GameResult(**values)
