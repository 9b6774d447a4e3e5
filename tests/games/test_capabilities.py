"""What a game can do besides its rules: the powers of the built-in games, and defaults without."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from lath import games
from lath.games import capabilities
from lath.games.cards import card_of
from lath.games.contract import IDENTITY, Game, Move, Position, Result, Side
from lath.games.core import by_version, follow, layers_of, movers, result_of, symmetries
from lath.games.errors import RulesVersionError
from lath.games.fast import fast_board
from lath.games.mammalath import Mammalath
from lath.games.plain_board import PlainBoard
from lath.games.surikata import Surikata
from lath.games.yavalath import Yavalath

if TYPE_CHECKING:
    from lath.games.capabilities import (
        Boarded,
        CountsMoves,
        Formed,
        HasCard,
        KnowsMovers,
        KnowsResult,
        Layered,
        ListsMoves,
        NumbersMoves,
        Overlaid,
        PlaysLines,
        Renamable,
        Revised,
        Symmetric,
        Taught,
        Varied,
    )

    # Type checkers compare these with the protocols.
    game, position = Yavalath(), Yavalath().start()
    symmetric: Symmetric = game
    lists: ListsMoves = game
    numbers: NumbersMoves = game
    revised: Revised = game
    varied: Varied = game
    has_card: HasCard = game
    boarded: Boarded = game
    renamable: Renamable = Mammalath()
    formed: Formed = Mammalath()
    overlaid: Overlaid = Surikata()
    taught: Taught = Surikata()
    knows_result: KnowsResult = position
    counts: CountsMoves = position
    layered: Layered = position
    plays: PlaysLines = position
    knows_movers: KnowsMovers = position


class Bare:
    """A position of Yavalath that has what every position has, and nothing more."""

    MEMBERS = frozenset(
        ("to_move", "is_over", "outcome", "legal_moves", "why_illegal", "text", "contents")
    )

    def __init__(self, position: Any) -> None:
        self.full = position
        self.game = SimpleNamespace(
            id="yavalath", board=position.game.board, pieces=position.game.pieces, fast=None
        )

    def __getattr__(self, name: str) -> Any:
        if name in self.MEMBERS:
            return getattr(self.full, name)
        raise AttributeError(name)

    def play(self, move: Move) -> Bare:
        return Bare(self.full.play(move))


LINE = ("e5", "swap", "d4", "e6")


def test_a_position_without_powers_comes_to_the_same() -> None:
    full = games.get("yavalath").start()
    bare: Any = Bare(full)
    assert not capabilities.knows_movers(bare)
    assert capabilities.knows_movers(full)
    assert movers(bare, LINE) == list(movers(full, LINE))
    ends = follow(bare, LINE), follow(full, LINE)
    assert ends[0] is not None
    assert ends[1] is not None
    assert ends[0].text() == ends[1].text()
    assert layers_of(ends[0]) == layers_of(ends[1])
    assert result_of(ends[0]) == result_of(ends[1]) == Result.UNFINISHED
    assert capabilities.count_legal(ends[0]) == capabilities.count_legal(ends[1]) == 58
    assert capabilities.legal_bits(ends[0]) is None
    assert follow(bare, ("e5", "e5")) is None


def test_a_game_without_powers_has_the_defaults() -> None:
    bare: Any = Bare(games.get("yavalath").start())
    assert symmetries(bare) == (IDENTITY,)
    assert capabilities.alike_of(bare.game) == ""
    assert capabilities.spellings_of(bare.game) == {}
    assert capabilities.bits_of(bare.game) == {}
    assert capabilities.parameters_of(bare.game) == ()
    assert not capabilities.can_vary(bare.game)
    assert capabilities.overlays_of(bare.game) == ()
    assert capabilities.own_card(bare.game) is None
    assert capabilities.lessons_of(bare.game) == ()
    assert card_of(bare.game) != ""  # of its class
    assert by_version(bare.game, "1") is bare.game
    with pytest.raises(RulesVersionError, match="does not have yet"):
        by_version(bare.game, "2")


def test_a_member_that_is_none_is_no_power() -> None:
    bare: Any = Bare(games.get("yavalath").start())
    assert capabilities.boarded(bare.game) is None
    assert isinstance(fast_board(bare), PlainBoard)


def test_no_property_is_computed_only_to_see_whether_it_is_there() -> None:
    asked = []

    class Counting:
        @property
        def legal_bits(self) -> int:
            asked.append(self)
            return 0b101

    position: Any = Counting()
    assert capabilities.count_legal(position) == 2
    assert asked == [position]


def test_what_an_object_lacks_of_a_contract_is_listed_in_its_order() -> None:
    half = SimpleNamespace(to_move=Side.FIRST, text=str, play=None)
    lacking = capabilities.lacking(half, Position)
    assert lacking == ["game", "is_over", "outcome", "legal_moves", "why_illegal", "contents"]
    assert capabilities.lacking(games.get("yavalath"), Game) == []
