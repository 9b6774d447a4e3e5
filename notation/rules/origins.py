"""Records that were played by another version of the rules than the one that is known here.

The tag `GameFile` of a record has the hash of the file or distribution that played it.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from typing import Final

from lath import games
from lath.games.errors import UnknownGameError
from lath.notation.record.record import Record
from lath.notation.record.tags import GAME_FILE
from lath.notation.rules.replay import file_words, is_by
from lath.notation.text.splitting import Chunk, texts_of

_MARK: Final = f"[{GAME_FILE} "
_GAME: Final = re.compile(r'^\[Game "([^"\\\n]+)"\]', re.MULTILINE)
_FILE: Final = re.compile(rf'^\[{GAME_FILE} "([^"\\\n]+)"\]', re.MULTILINE)

HINT: Final = "if the rules differ, keep the old ones in `earlier` of the game"


class OtherRules:
    """Counts of records that other versions of their rules have played."""

    def __init__(self) -> None:
        self.counts: Final = Counter[tuple[str, str]]()
        """The numbers of records by game without parameters, and by tag `GameFile`."""
        self._is_other: Final[dict[tuple[str, str], bool]] = {}

    def see(self, record: Record) -> None:
        """Count a record if other rules have played it."""
        if tag := record.tag(GAME_FILE):
            self.add(record.game, tag)

    def see_text(self, text: str) -> None:
        """Count the record of a text in the same way, from its tags alone."""
        if _MARK in text and (game := _GAME.search(text)) and (tag := _FILE.search(text)):
            self.add(game[1], tag[1])

    def see_chunk(self, chunk: Chunk) -> None:
        """Count the records of a part of a file in the same way."""
        if _MARK.encode() in chunk.data:
            for text in texts_of(chunk):
                self.see_text(text.text)

    def add(self, game: str, tag: str, records: int = 1) -> None:
        """Count records of a game with this tag if other rules have played them."""
        key = game.partition(":")[0], tag
        if key not in self._is_other:
            known = _known_tag(key[0])
            if not known:
                return  # the game is unknown, or may still be added
            self._is_other[key] = not is_by(tag, known)
        self.counts[key] += records * self._is_other[key]

    def lines(self, file: str) -> list[str]:
        """Return a line per version and game, the most records first, about a file."""
        found = []
        counts = sorted((+self.counts).items(), key=lambda one: (-one[1], one[0]))
        for (game, tag), count in counts:
            many = f"{count:,} records of {game} were" if count > 1 else f"1 record of {game} was"
            here = file_words(_known_tag(game)) or "unknown"
            found.append(
                f"{file}: {many} played by another version of the rules: {file_words(tag)}, "
                f"here {here}"
            )
        return found


def _known_tag(game: str) -> str:
    """Return the tag `GameFile` of a game's rules here; empty if it is built in or unknown."""
    with suppress(UnknownGameError):  # reported where the game is used
        if found := games.rules_origin(game):
            return found.tag
    return ""
