"""The arena writes the version of a game's rules, and refuses records of others in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import arena
from game_files import THREE_VERSIONS, write_game

from lath import games
from lath.arena.referee.record import GamePlan, Scorebook
from lath.notation import parse
from lath.notation.protocol import TimeControl
from lath.notation.record import Termination


@pytest.fixture(autouse=True)
def _game(tmp_path: Path) -> None:
    games.add(write_game(tmp_path, THREE_VERSIONS))


def test_the_arena_writes_the_version_where_it_is_not_the_first() -> None:
    for game_id, version in (("of-three-versions", "3"), ("yavalath", "")):
        plan = GamePlan(
            number=1, round=0, game=game_id, setup=None, names=("ann", "bob"), seeds=(1, 2)
        )
        book = Scorebook(plan, (TimeControl(), TimeControl()))
        record = parse(book.close("1-0", Termination.RESIGNATION).record)
        assert record.tag("Rules") == version


def test_every_command_refuses_in_words(tmp_path: Path) -> None:
    file, out = tmp_path / "old.lath", tmp_path / "out"
    file.write_text('[Game "of-three-versions"]\n\na1 a1 *\n', encoding="utf-8")
    for words in (
        ("check", file),
        ("show", file),
        ("stats", file),
        ("stats", file, "--endings"),
        ("rate", file),
        ("report", file, "-o", out),
        ("convert", file, tmp_path / "out.sgf"),
        ("select", file, "--where", "position '5/6/7/8/9/8/7/6/5 w'"),
    ):
        ran = arena(*words)
        assert "illegal" not in ran.out + ran.err, words
        assert "version 1 of the rules of of-three-versions" in ran.out + ran.err, words
