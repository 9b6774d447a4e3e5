"""A table for one game of two fake bots, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from unittest.mock import patch

import bad_bots
from bad_bots import Good
from processes import new_tree

from lath.arena.referee import conversation, watch
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot
from lath.arena.referee.match import NO_ADJUDICATION, Adjudication, play_game
from lath.arena.referee.record import GamePlan, GameResult
from lath.notation.protocol import TimeControl
from lath.notation.record.record import Record
from lath.notation.rules.validation import check
from lath.notation.text.scanner import parse
from lath.notation.text.writer import format_record

CLOCK: Final = TimeControl(initial_ms=10_000, increment_ms=500)

NOISE: Final = 60.0
"""Oversleeping up to 1.5 s is not a stall here, because the machine may be busy."""

NAMES: Final = ("ann", "bob")


def record_of(game: GameResult) -> Record:
    """Return the record of a game as data."""
    return parse(game.record)


class Table:
    """Game 17 of ann and bob; listeners write their input into `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.watch = watch.Watch()
        self.bots: list[Bot] = []

    def play(
        self,
        first: type[Good] = Good,
        second: type[Good] = Good,
        *,
        time: TimeControl = CLOCK,
        specs: tuple[dict[str, Any], dict[str, Any]] = ({}, {}),
        adjudication: Adjudication = NO_ADJUDICATION,
        keep_log: bool = False,
        ponder: bool = False,
        limits: Mapping[str, float] = MappingProxyType({}),
        bots: Sequence[Bot] = (),
        leave: bool = True,
        **plan: Any,
    ) -> GameResult:
        """Return the game, whose record is valid and canonical.

        `bots` play it, or new ones of these kinds. They end after the game if `leave` is True.
        """
        kinds = zip(NAMES, (first, second), specs, strict=True)
        self.bots = [*bots] or [self.bot(name, kind, spec) for name, kind, spec in kinds]
        names = tuple(bot.name for bot in self.bots)
        values = {"game": "yavalath", "setup": None, "names": names, "seeds": (991, 992)}
        with patch.object(conversation, "NOISE", NOISE):
            played = play_game(
                GamePlan(number=17, round=4, **{**values, **plan}),
                (self.bots[0], self.bots[1]),
                Limits(time=time, ponder=ponder, **limits),
                self.watch,
                adjudication=adjudication,
                keep_log=keep_log,
            )
        assert format_record(record_of(played)) == played.record, "the record is canonical"
        assert check(record_of(played)) == []
        for bot in self.bots if leave else ():
            bot.quit()
        return played

    def bot(self, name: str, kind: type[Good], spec: dict[str, Any]) -> Bot:
        """Return a bot that has not been started."""
        made = BotSpec(
            name=name,
            env={"LOG": str(self.folder / name), **spec.get("env", {})},
            **{"command": bad_bots.command(kind), **{k: spec[k] for k in spec if k != "env"}},
        )
        return Bot(made, self.watch, tree=new_tree())

    def heard(self, name: str, head: str = "") -> list[str]:
        """Return the lines that a listener received and that begin with `head`."""
        lines = (self.folder / name).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith(head)]


@contextmanager
def a_table(folder: Path) -> Iterator[Table]:
    """Give a table, and end the remaining bots."""
    table = Table(folder)
    yield table
    for bot in table.bots:
        bot.kill()
