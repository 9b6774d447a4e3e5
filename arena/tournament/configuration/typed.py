"""The typed command line, for hints that repeat it with what it lacks."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from lath.arena.directory import CONFIG
from lath.arena.errors import TYPED, ArenaError, ConfigError, ContestBotError
from lath.arena.referee.bridges import CONTESTS
from lath.arena.referee.recognition import added, looks_like

AnyError = TypeVar("AnyError", bound=ArenaError)


def advised(error: AnyError) -> AnyError | ContestBotError:
    """Return the error with a hint of what to type, if the bot is probably made for a contest.

    The hint is the command with the bot's protocol, or the line that its file lacks.
    """
    if not isinstance(error, ContestBotError):
        return error
    arguments, contest = TYPED.get(), error.contest
    for at, argument in enumerate(arguments):
        if _names(argument, error.bot):
            again = [*arguments[:at], f"{argument}{added(contest)}", *arguments[at + 1 :]]
            command = shlex.join(["arena", *_with_game(again, contest)])
            return ContestBotError(error.bot, looks_like(contest), contest, hint=command)
    for path in _files(arguments):
        if lines := _lines(path, error.bot, contest):
            return ContestBotError(
                error.bot, looks_like(contest, f'protocol = "{contest}"'), contest, hint=lines
            )
    return error


def _names(argument: str, bot: str) -> bool:
    """Return whether an argument gives the command of a bot with this name.

    >>> _names("mine=node a.js", "mine"), _names("./a.py; threads=2", "a"), _names("a", "a")
    (True, True, False)
    """
    option, equals, value = argument.partition("=")
    if option.startswith("-"):
        return bool(equals) and _names(value, bot)
    text = argument.partition(";")[0].strip()
    name, equals, _ = text.partition("=")
    if equals and name == bot:
        return True
    with suppress(ValueError):  # an unclosed quotation
        first = next(iter(shlex.split(text)), "")
        is_place = "/" in first or " " in text or Path(first).exists()
        return is_place and bot in (Path(first).stem, Path(first).resolve().name)
    return False


def _with_game(arguments: Sequence[str], contest: str) -> Sequence[str]:
    """Return the arguments of a run, with the contest's game if they choose none."""
    only = CONTESTS[contest].games
    is_said = any(word.partition("=")[0] == "--game" for word in arguments)
    if not only or is_said or arguments[0] != "run" or any(_files(arguments)):
        return arguments
    return [*arguments, *(word for game in only for word in ("--game", game))]


def _files(arguments: Sequence[str]) -> Iterator[Path]:
    """Yield the configurations that the arguments name by file or by directory."""
    for before, argument in pairwise(arguments):
        path = Path(argument)
        if before == "--output":
            continue
        with suppress(OSError):  # a name that is too long
            if path.suffix == ".toml" and path.is_file():
                yield path
            elif (path / CONFIG).is_file():
                yield path / CONFIG


def _lines(path: Path, bot: str, contest: str) -> str:
    """Return which keys a file lacks and where; empty if the file has no such bot."""
    from lath.arena.entrants.toml_text import lines_of, read_toml  # start-up time

    try:
        toml, text = read_toml(path)
    except ConfigError:
        return ""
    rows: list[dict[str, Any]] = toml.get("bot", [])
    at = next((at for at, row in enumerate(rows) if row.get("name") == bot), None)
    if at is None:
        return ""
    line = lines_of(text).get(("bot", at, "name")) or lines_of(text).get(("bot", at))
    place = f"{path}:{line}" if line else str(path)
    only = list(CONTESTS[contest].games)
    words = f'{place}: add the line protocol = "{contest}" to this [[bot]]'
    if only and toml.get("games") != only:
        words += f", and games = {json.dumps(only)} at the top"
    return words
