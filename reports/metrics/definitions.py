"""The game metrics: names, units, bounds and definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from lath.reports.counting.estimates import Kind

Unit = Literal["share", "number"]


class Measure(NamedTuple):
    """A game metric and its form."""

    key: str
    """The key in JSON and CSV."""
    name: str
    """The name for people."""
    kind: Kind
    unit: Unit
    """A share is from 0 to 1."""
    says: str
    """The definition, as a phrase."""
    needs: str
    """The condition for a game to count."""
    in_ludii: str = ""
    """The name in Ludii (`Evaluation/src/metrics`), with the difference if there is one."""
    evaluated: bool = False
    """True if the metric uses evaluations in the records."""


_RESULT: Final = "a result"

_BOTS: Final = "games between different bots"

_SWAP: Final = "a swap that could be played"

_WHOLE: Final = "whole games"

_WINNER: Final = "evaluations, a winner"

FIRST_EQUAL: Final = Measure(
    "first_equal",
    "first (equal)",
    "mean",
    "share",
    "points per game of the first player between two equal bots, as expected by the Elo model",
    _BOTS,
)

STONE_EQUAL: Final = Measure(
    "stone_equal",
    "stone (equal)",
    "mean",
    "share",
    "points per game of the owner of the first stone between two equal bots, as expected by the "
    "Elo model",
    f"{_SWAP}, {_BOTS}",
)

MEASURES: Final = (
    Measure(
        "first_score",
        "first score",
        "share",
        "share",
        "points per game of the first player, with a draw as half a point",
        _RESULT,
        in_ludii="AdvantageP1, which counts only wins",
    ),
    FIRST_EQUAL,
    Measure(
        "first_stone",
        "stone score",
        "share",
        "share",
        "points per game of the owner of the first stone (after a swap the second player)",
        _SWAP,
    ),
    STONE_EQUAL,
    Measure(
        "swapped",
        "swap rate",
        "share",
        "share",
        "share of swaps when a bot could choose",
        _SWAP,
    ),
    Measure(
        "drawn",
        "draw rate",
        "share",
        "share",
        "share of drawn games, except draws by the ply limit",
        _RESULT,
        in_ludii="Drawishness",
    ),
    Measure(
        "completion",
        "completion",
        "share",
        "share",
        "share of games that a player won by the rules or by resignation",
        _RESULT,
        in_ludii="Completion",
    ),
    Measure(
        "plies",
        "game length",
        "mean",
        "number",
        "plies per game",
        _WHOLE,
        in_ludii="DurationMoves",
    ),
    Measure(
        "legal_moves",
        "legal moves",
        "mean",
        "number",
        "legal moves per ply, as the average over a game",
        _WHOLE,
        in_ludii="BranchingFactor",
    ),
    Measure(
        "choices",
        "choices",
        "mean",
        "share",
        "share of plies with more than one legal move",
        _WHOLE,
        in_ludii="DecisionMoves",
    ),
    Measure(
        "coverage",
        "coverage",
        "mean",
        "share",
        "share of cells that changed during the game, without the cells of a setup",
        _WHOLE,
        in_ludii="BoardCoverageDefault, which counts setups",
    ),
    Measure(
        "lead_changes",
        "lead changes",
        "mean",
        "number",
        "number of times that the lead changed sides",
        "evaluations",
        evaluated=True,
    ),
    Measure(
        "lead_changes_a_ply",
        "changes/ply",
        "mean",
        "share",
        "number of times that the lead changed sides, as a share of the possible times",
        "evaluations",
        in_ludii="LeadChange, which counts equality as a leader, too",
        evaluated=True,
    ),
    Measure(
        "drama",
        "drama",
        "mean",
        "share",
        "deficit of the winner, as the average over the game (0 while ahead)",
        _WINNER,
        in_ludii="Drama (average), in units half as large",
        evaluated=True,
    ),
    Measure(
        "greatest_drama",
        "maximum drama",
        "mean",
        "share",
        "largest deficit of the winner during the game",
        _WINNER,
        in_ludii="Drama (maximum)",
        evaluated=True,
    ),
    Measure(
        "behind",
        "winner behind",
        "mean",
        "share",
        "share of the game in which the winner was behind",
        _WINNER,
        evaluated=True,
    ),
    Measure(
        "time_to_decide",
        "decision point",
        "mean",
        "share",
        "share of the game after which the winner stayed ahead, or 100% without such a point",
        _WINNER,
        evaluated=True,
    ),
    Measure(
        "decisiveness",
        "decisiveness",
        "mean",
        "share",
        "share of the game after which the winner’s lead first exceeded the loser’s largest lead, "
        "or 100% if it never did",
        _WINNER,
        in_ludii="DecisivenessMoves",
        evaluated=True,
    ),
)

LEAST_TOLD: Final = 3
"""A game is evaluated if at least one in this many plies has an evaluation. If one of two bots
reports them, half of the plies have one."""

DECIDED: Final = 0.99
"""Evaluations from this value on are proofs of a win; below the negative value, of a loss."""

LEAST_SPREAD: Final = 0.01
"""The least difference of two unproven evaluations of a bot that evaluates positions."""

LEAST_JUDGED: Final = 3
"""The least number of evaluated games: fewer do not show their variation."""

LEAST_SHARE: Final = 0.1
"""The least share of evaluated games: fewer are exceptions."""

Unjudged = Literal["no evaluations", "all level", "proofs alone"]
"""The reasons why the evaluations of a game show no leads."""

UNJUDGED: Final[Mapping[Unjudged, str]] = {
    "no evaluations": "with too few evaluations",
    "all level": "with the same evaluation for every position",
    "proofs alone": "with evaluations of proven wins and losses only",
}
"""The description of such games, after their number."""

UNMEASURABLE: Final = "not measurable with these bots"

_USE_BOTS: Final = "use bots that evaluate positions: arena run … --bot mcts --bot twin=mcts"

_MORE: Final = "give bots such as mcts more time or nodes, so that they evaluate unproven positions"

HELP: Final[Mapping[Unjudged, str]] = {
    "no evaluations": _USE_BOTS,
    "all level": _USE_BOTS,
    "proofs alone": _MORE,
}
"""The hint that makes such games measurable."""

ANALYSE: Final = "add evaluations to the records: arena analyze FILE --bot mcts"
"""The hint that works without new games."""

ADVANTAGE: Final = ("first_score", "first_equal", "first_stone", "stone_equal")
"""The keys of metrics about the advantage of a side."""

ONE_SIDED: Final = 0.9
"""A bot that scores more than this share against another decides the games by its strength. If more
than this share of the games is like that, no metric of sides is measured."""

LEAST_ONE_SIDED: Final = 10
"""With fewer games, two bots are not called unequal."""

EQUALS: Final = "use equal bots, for example one bot twice: arena run … --bot mcts --bot twin=mcts"
"""The hint that makes metrics of sides measurable."""

DRAWN_BY_LOT: Final = re.compile("random:[1-9][0-9]*")
"""The start of the tag Opening for openings that the arena chose at random."""

LEAST_OPENINGS: Final = 10
"""With this many openings, if none has more than a fifth of the games, the games of one opening are
one piece of evidence. Intervals then hold for similar openings."""

LEAST_MET: Final = 10
"""If each two bots have this many pairs or openings, their share of the games counts as fixed."""

UNLIKE: Final = ("forfeited", "unfinished", "ruled out", "without moves")
"""The reasons why a game does not count."""
