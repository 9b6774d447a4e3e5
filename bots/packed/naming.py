"""Replaces `lath.games.naming`; naming a game by its file is refused."""

from lath.games.files import add as all_named
from lath.games.files import add as named

__all__ = ["all_named", "named"]
