"""Which files make up a bot, and whether they are still what they were.

A tournament that goes on with another program under the same name compares nothing. Must not know
where fingerprints are kept.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lath.arena.errors import ConfigError
from lath.arena.referee.bot import BotSpec

Files = dict[str, dict[str, str]]
"""For each bot, by name, the SHA-256 of its files by their paths."""


def fingerprints(bots: Iterable[BotSpec]) -> Files:
    """Return the fingerprints of every program and argument that is a file; raises ConfigError.

    The Python that runs the arena is none of a bot's files, nor is a program found on PATH.
    """
    return {bot.name: {str(path): _digest(path) for path in _files(bot)} for bot in bots}


def _files(bot: BotSpec) -> Iterator[Path]:
    for word in bot.command:
        path = Path(word)
        if path.is_absolute() and path.is_file() and not _is_interpreter(path):
            yield path


def _is_interpreter(path: Path) -> bool:
    return path.samefile(sys.executable)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error


def changes(
    before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]
) -> list[tuple[str, str]]:
    """Return bots with a file that is another one now, or has come or gone, by name and path."""
    return [
        (name, path)
        for name, files in before.items()
        if name in now
        for path in sorted({*files, *now[name]})
        if files.get(path) != now[name].get(path)
    ]
