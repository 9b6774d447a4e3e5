"""The game that a page shows first: won on the board, between equal bots, and open for long.

Records are read once, and one game per pair of bots is kept.

A game must count, be replayable and be won by the rules. If possible, both bots are from the upper
half of the table (at least three bots). Each game has two figures from 0 to 1:

- its closeness before play: 1 - |2p - 1|, with the first player's expected score p from the Elo
  difference;
- the lateness of its turn: the last ply at which the loser expected to win or the winner to lose,
  by `eval`, as a share of all plies. It is 0 without evaluations.

The game with the highest sum is shown; among equal ones, the longer one, then the earlier one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

from lath import games
from lath.games.capabilities import own_card
from lath.games.cards import card_of
from lath.notation.record.record import Record
from lath.notation.record.tags import Termination
from lath.notation.rules.replay import movers_of
from lath.reports.counting import facts
from lath.reports.counting.table import Row
from lath.reports.ratings.results import score_of
from lath.reports.schema import About, Count, Positive, Share

FEWEST: Final = 3
"""The least number of bots in the upper half, if there are that many."""


class Showpiece(facts.GameFigures):
    """The game that is shown first."""

    number: facts.Link
    first: str
    """The first player."""
    second: str
    """The second player."""
    winner: str
    """The winner."""
    plies: Positive
    """Length of the game."""
    ending: str
    """The reason why it ended, in the rules' words."""
    turned: Annotated[Count, About("the last ply after which its loser was thought to win; or 0")]
    """The last ply after which the loser was expected to win, or 0."""
    expected: Annotated[Share, About("what its winner was expected to score, by the ratings")]
    """The expected score of the winner, by the ratings."""
    rule: Annotated[str, About("the goal of the game, in a sentence; may be empty")]
    """The goal of the game type, in a sentence; may be empty."""


class _Kept(NamedTuple):
    """A game; games are compared by their fields in this order."""

    turned: float
    """The lateness as a share of all plies."""

    plies: int
    earlier: int
    """The negative number of the game."""

    game: str
    winner: str
    loser: str
    is_second: bool
    ending: str
    ply: int


class ShowpieceCounter:
    """Keeps one game per pair of bots: memory grows with pairs, not with games."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], _Kept] = {}

    def add(self, entry: facts.KnownRecord) -> None:
        """Consider one game."""
        record = entry.record
        by_rules = record.termination in ("", Termination.RULES)
        is_won = entry.points in (0, 1) and record.first != record.second
        if not (is_won and by_rules and entry.is_playable and record.plies):
            return
        names = record.first, record.second
        is_second = entry.points == 0
        ply, plies = _turned(record, winner=int(is_second)), len(record.plies)
        found = _Kept(
            turned=ply / plies,
            plies=plies,
            earlier=-entry.number,
            game=record.game,
            winner=names[is_second],
            loser=names[not is_second],
            is_second=is_second,
            ending=entry.ending,
            ply=ply,
        )
        pair = min(names), max(names)
        self._kept[pair] = max(self._kept.get(pair, found), found)

    def showpiece(self, rows: Sequence[Row]) -> Showpiece | None:
        """Return the game to show; `rows` are those of the standings, the strongest first."""
        upper = {row.name for row in rows[: max(FEWEST, (len(rows) + 1) // 2)]}
        known = {row.name: row.strength.elo.value for row in rows}
        kept = [one for one in self._kept.values() if {one.winner, one.loser} <= known.keys()]
        chosen = [one for one in kept if {one.winner, one.loser} <= upper] or kept
        if not chosen:
            return None

        def expected(one: _Kept) -> float:
            return score_of(known[one.winner] - known[one.loser])

        best = max(chosen, key=lambda one: (1 - abs(2 * expected(one) - 1) + one.turned, one))
        players = (best.loser, best.winner) if best.is_second else (best.winner, best.loser)
        return {
            **facts.of_game(best.game),
            "number": -best.earlier,
            "first": players[0],
            "second": players[1],
            "winner": best.winner,
            "plies": best.plies,
            "ending": best.ending,
            "turned": best.ply,
            "expected": round(expected(best), 4),
            "rule": _rule(best.game),
        }


def _rule(game_id: str) -> str:
    """Return the first line of a game's card; empty without a card."""
    game = games.get(game_id)
    line = card_of(game).partition("\n")[0] if own_card(game) else ""
    return line[:1].upper() + line[1:]


def _turned(record: Record, winner: int) -> int:
    """Return the last ply at which the evaluation favoured the loser; 0 without such a ply."""
    plies = record.plies
    if not any(ply.is_commented for ply in plies):
        return 0
    seats = movers_of(record)
    for number in range(len(plies), 0, -1):
        value = plies[number - 1].eval
        if value and (value > 0) == (seats[number - 1] != winner):
            return number
    return 0
