"""Games of OpenSpiel for Lath Arena, each under an id such as `openspiel-tic-tac-toe`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from lath_openspiel.rules import OpenSpielGame, fitting, id_of

__all__ = ["games"]


def games() -> Mapping[str, Callable[[], OpenSpielGame]]:
    """Return a function for each game that makes it, by its id; nothing is loaded before.

    The games have two players, perfect information, no chance and one mover at a time.
    """
    return {id_of(kind): partial(OpenSpielGame, kind) for kind in fitting()}
