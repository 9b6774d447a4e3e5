"""Which game metrics there are: their names, units, bounds, and what each says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from lath.reports.counting.estimates import Kind

Unit = Literal["share", "number"]


class Measure(NamedTuple):
    """What is measured, and how it is read."""

    key: str
    """In JSON and sheets."""
    name: str
    """For people."""
    kind: Kind
    unit: Unit
    """A share is from 0 to 1."""
    evaluated: bool = False
    """Whether it needs evaluations in the records."""


FIRST_EQUAL: Final = Measure("first_equal", "first of equals", "mean", "share")

STONE_EQUAL: Final = Measure("stone_equal", "stone of equals", "mean", "share")

MEASURES: Final = (
    Measure("first_score", "first scored", "share", "share"),
    FIRST_EQUAL,
    Measure("first_stone", "first stone", "share", "share"),
    STONE_EQUAL,
    Measure("swapped", "swapped", "share", "share"),
    Measure("drawn", "drawn", "share", "share"),
    Measure("completion", "completion", "share", "share"),
    Measure("plies", "plies", "mean", "number"),
    Measure("legal_moves", "legal moves", "mean", "number"),
    Measure("choices", "choices", "mean", "share"),
    Measure("coverage", "coverage", "mean", "share"),
    Measure("lead_changes", "lead changes", "mean", "number", evaluated=True),
    Measure("lead_changes_a_ply", "changes a ply", "mean", "share", evaluated=True),
    Measure("drama", "drama", "mean", "share", evaluated=True),
    Measure("greatest_drama", "greatest drama", "mean", "share", evaluated=True),
    Measure("behind", "winner behind", "mean", "share", evaluated=True),
    Measure("time_to_decide", "time to decide", "mean", "share", evaluated=True),
    Measure("decisiveness", "decisiveness", "mean", "share", evaluated=True),
)

SAYS: Final[Mapping[str, str]] = {
    "first_score": "what the first player got, a draw being half a point",
    "first_equal": (
        "what the first player would get between two equal bots: strengths are taken out by the "
        "Elo model of the ratings"
    ),
    "first_stone": (
        "what the owner of the first stone got: the first player, or after a swap the second"
    ),
    "stone_equal": "what the owner of the first stone would get between two equal bots",
    "swapped": "how often the swap was played, where a bot chose",
    "drawn": "games that were drawn, but for the ply limit",
    "completion": (
        "games that a player won by the rules or by resignation; not drawn, adjudicated or stopped"
    ),
    "plies": "plies of a game",
    "legal_moves": "legal moves a ply, on average over a game",
    "choices": "plies with more than one legal move",
    "coverage": "cells that changed during the game; cells that a setup fills do not count",
    "lead_changes": "how often the leader became the other one",
    "lead_changes_a_ply": (
        "how often the leader became the other one, by how often it could have been"
    ),
    "drama": "how far the winner was behind, on average over the game, 0 where ahead",
    "greatest_drama": "how far the winner was behind at worst",
    "behind": "for how much of the game the winner was behind",
    "time_to_decide": (
        "the part of the game after which the winner was ahead for good; 100 % where that was "
        "never so"
    ),
    "decisiveness": (
        "the part of the game after which the winner had first been further ahead than the "
        "loser ever was; 100 % if that never happened"
    ),
}
"""What each is, in half a sentence, by `Measure.key`."""

LEAST_TOLD: Final = 3
"""Of so many plies that players chose at least one must have an evaluation: where one of two bots
tells them, half of the plies have one."""

DECIDED: Final = 0.99
"""From here on an evaluation is a proof: won, or as good as won; below its negative lost."""

LEAST_SPREAD: Final = 0.01
"""By so much of a bot's evaluations between lost and won at least two must differ."""

LEAST_JUDGED: Final = 3
"""So many games must be judged: of fewer nobody can say how much games differ."""

LEAST_SHARE: Final = 0.1
"""This part of the games that count must be judged: fewer are exceptions, not the game."""

Unjudged = Literal["no evaluations", "all level", "proofs alone"]
"""Why a game tells nothing of leads."""

UNJUDGED: Final[Mapping[Unjudged, str]] = {
    "no evaluations": "without evaluations, or with too few",
    "all level": "where each bot gives every position the same",
    "proofs alone": "where bots tell wins and losses that they have proved, and nothing else",
}
"""What a game of each kind is, after its number."""

UNMEASURABLE: Final = "not measurable with these bots"

_BOTS: Final = "let bots play that judge positions: arena run … --bot mcts --bot twin=mcts"

_MORE: Final = "give bots such as mcts more time or nodes, so that they judge before they prove"

HELP: Final[Mapping[Unjudged, str]] = {
    "no evaluations": _BOTS,
    "all level": _BOTS,
    "proofs alone": _MORE,
}
"""What makes games judged, that are not for some reason."""

ANALYSE: Final = "have the records judged: arena analyze FILE --bot mcts"
"""What does so without new games."""

ADVANTAGE: Final = ("first_score", "first_equal", "first_stone", "stone_equal")
"""Keys of what tells how good a seat is."""

ONE_SIDED: Final = 0.9
"""Who scores more against another decides games by being there, whatever the seat is worth. Where
more than this part of the games is of such bots nothing is measured that tells of seats."""

LEAST_ONE_SIDED: Final = 10
"""Of fewer games of two bots nobody can say that one is so much stronger."""

EQUALS: Final = "play equal bots, such as one bot twice: arena run … --bot mcts --bot twin=mcts"
"""What makes seats tell."""

DRAWN_BY_LOT: Final = re.compile("random:[1-9][0-9]*")
"""How the name of an opening begins that the arena has drawn."""

LEAST_OPENINGS: Final = 10
"""From so many openings on, of which none has more than a fifth of the games, games of one opening
count as one piece of evidence, and intervals hold for openings of that kind."""

LEAST_MET: Final = 10
"""Where any two bots have so many pairs or openings, their part of the games is taken as fixed."""

UNLIKE: Final = ("forfeited", "unfinished", "ruled out", "without moves")
"""Why a game does not count."""
