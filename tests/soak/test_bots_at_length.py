"""Whether bundled bots and examples play legally, and one as well as it claims, in more games."""

from __future__ import annotations

import pytest
from tests.arena.cli import test_cli_bot_check as checks
from tests.bots import test_bots as bots
from tests.bots import test_example_bots as example_bots

from lath.games.core import SIDES, Side

builds = example_bots.builds


@bots.every_module
def test_a_bundled_bot_plays_whole_games_with_legal_moves_only(module: str) -> None:
    bots.test_a_bundled_bot_plays_whole_games_of_legal_moves_the_same_by_seed(module, range(2, 3))


@example_bots.every_example
def test_an_example_plays_whole_games_with_legal_moves_only(
    example: example_bots.Example, request: pytest.FixtureRequest
) -> None:
    example_bots.test_an_example_keeps_the_protocol_and_plays_whole_games_with_legal_moves_only(
        example, range(2, 5), request
    )


@pytest.mark.parametrize("seat", SIDES)
def test_monte_carlo_beats_chance_nearly_always(seat: Side) -> None:
    bots.test_monte_carlo_beats_chance_nearly_always(12, 11, seat)


@pytest.mark.parametrize(("name", "flags"), [("greedy", ()), ("monte-carlo", checks.THINKS)])
def test_a_bundled_bot_has_no_fault_at_any_point(name: str, flags: tuple[str, ...]) -> None:
    checks.assert_good(name, flags=flags)
