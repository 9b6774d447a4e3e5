"""Each attack in each sandbox where the system makes no control groups, too."""

from __future__ import annotations

import pytest
from tests.arena.sandbox import test_attacks as attacks


@pytest.mark.parametrize("mode", attacks.MODES_HERE)
def test_attacks_go_through_where_the_catalogue_says_so_without_control_groups(mode: str) -> None:
    found = attacks.gone_through(mode, "without-groups")
    expected = attacks.expected_in(mode)
    assert {name: found[name] for name in expected} == expected
