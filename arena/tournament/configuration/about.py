"""The organiser's own text on a league's pages: its file and the checks of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from lath.arena.errors import ConfigError

KEY: Final = "[league] about"

MOST_BYTES: Final = 64 << 10
"""Bytes of the longest file: some ten thousand words."""


def read_about(file: Path, named_by: str) -> str:
    """Return the text of a file; `named_by` is the key or flag that names it.

    Raises ConfigError if the file is missing, too long or not UTF-8.
    """
    why = f"{named_by}: {file}"
    try:
        if not file.is_file():
            raise ConfigError(f"{why} not found; expected a Markdown file")
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{why} cannot be read: {error.strerror}") from error
    if len(content) > MOST_BYTES:
        raise ConfigError(f"{why} is too large; the limit is {MOST_BYTES >> 10} KiB of Markdown")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ConfigError(f"{why}, line {line}, is not UTF-8 text") from error


def copy_name(named: str) -> str:
    """Return the name of the file's copy in a snapshot.

    >>> copy_name("about.md"), copy_name("../texts/games.lath")
    ('about.md', 'about-games.lath')
    """
    name = Path(named).name
    return name if name.endswith(".md") else f"about-{name}"
