"""What can go wrong above the rules and the records, and whose fault it is."""

from __future__ import annotations


class ArenaError(Exception):
    """A tournament cannot go on; the message says what, where and what was expected."""


class ConfigError(ArenaError):
    """The configuration is wrong: the user's to mend."""


class StoreError(ArenaError):
    """The tournament's directory cannot be used: busy, foreign, full or damaged."""


class GameVoidError(ArenaError):
    """A game could not take place: a bot did not start, or left before its first turn."""

    def __init__(self, bot: str, reason: str) -> None:
        super().__init__(f"{bot}: {reason}")
        self.bot = bot
        self.reason = reason
