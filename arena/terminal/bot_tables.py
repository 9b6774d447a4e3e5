"""What each bot did in a tournament, as a table in the terminal: its mishaps and its time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rich.text import Text

from lath.arena.terminal.layout import Column, Letters
from lath.arena.terminal.sheets import letters_of, names, print_sheet, roomy, stderr_console
from lath.arena.tournament.totals import BotTotals

TITLE: Final = "Forfeits and time of a move"

SPLIT: Final = 60
"""Columns from which on forfeits are told apart."""


def print_bots(bots: Sequence[BotTotals], notes: Mapping[str, int]) -> None:
    """Print what each bot lost games by, its average and its longest move, and what was noticed."""
    console = roomy(stderr_console())
    letters = letters_of(console)
    if bots:
        print_sheet(console, TITLE, _columns(bots, console.width, letters))
    for note, times in notes.items():
        often = f" ({times} times)" if times > 1 else ""
        console.print(Text(f"note: {letters.plain(note)}{often}"), soft_wrap=True)


def _columns(bots: Sequence[BotTotals], width: int, letters: Letters) -> list[Column]:
    return [
        names("bot", [bot.name for bot in bots], letters),
        Column("games", [str(bot.games) for bot in bots], rank=2),
        *_forfeits(bots, width),
        Column("moves", [str(bot.moves) if bot.moves else "-" for bot in bots], rank=3),
        Column("average", [duration(bot.average_s) for bot in bots], rank=1),
        Column("worst", [duration(bot.worst_s if bot.moves else None) for bot in bots]),
    ]


def _forfeits(bots: Sequence[BotTotals], width: int) -> list[Column]:
    """Return how games were lost by the bots' own fault; one column where room is short."""
    kinds = {
        "crash": [bot.crashes for bot in bots],
        "time": [bot.time_losses for bot in bots],
        "illegal": [bot.illegal_moves for bot in bots],
        "flood": [bot.floods for bot in bots],
    }
    if width < SPLIT:
        kinds = {"forfeits": [sum(counts) for counts in zip(*kinds.values(), strict=True)]}
    return [Column(heading, list(map(str, counts))) for heading, counts in kinds.items()]


def duration(seconds: float | None) -> str:
    """Return a bot's time for people, three figures of it.

    >>> duration(0.0000632), duration(0.00123), duration(0.25), duration(12.3456), duration(None)
    ('0.063 ms', '1.23 ms', '250 ms', '12.3 s', '-')
    """
    if seconds is None:
        return "-"
    if seconds < 0.001:
        return f"{1000 * seconds:.3f} ms"
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 100 else f"{seconds:.0f} s"
