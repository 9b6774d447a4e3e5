"""Records are checked under the version of the rules that they were played by, or not at all."""

from __future__ import annotations

import io
import pickle
from itertools import product
from typing import TYPE_CHECKING

import pytest
from game_files import THREE_VERSIONS, write_game

from lath import games
from lath.games.core import by_version
from lath.games.errors import RulesVersionError
from lath.notation import canonical, parse
from lath.notation.archive import identity
from lath.notation.quick_check import sound_plies
from lath.notation.reader import entries_of
from lath.notation.replay import end_of, start_of
from lath.reports.openings import line_of

if TYPE_CHECKING:
    from pathlib import Path

    from golden import Golden

    from lath.notation.errors import Problem

FOUR_IN_LINE = "a1 i1 a2 i2 a4 i4 a3"


@pytest.fixture(autouse=True)
def _game(tmp_path: Path) -> None:
    games.add(write_game(tmp_path, THREE_VERSIONS))


def text_of(rules: str, result: str, game_id: str = "of-three-versions") -> str:
    """Return a game in which first makes four in line, by some version of the rules."""
    tag = f'[Rules "{rules}"]\n' if rules else ""
    return f'[Game "{game_id}"]\n{tag}\n{FOUR_IN_LINE} {result}\n'


def problems_of(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a file of one record, which both ways to check agree about."""
    (entry,) = entries_of(io.BytesIO(text.encode()), "games.lath")
    assert (sound_plies(text) is not None) == (not entry.problems)
    return entry.problems


def test_each_version_judges_its_own_records() -> None:
    for rules, result, codes in (
        *(("3", "1-0", []), ("2", "0-1", [])),
        *(("2", "1-0", ["result"]), ("3", "0-1", ["result"])),
    ):
        assert [problem.code for problem in problems_of(text_of(rules, result))] == codes


def test_what_is_not_here_is_refused_and_never_called_illegal(golden: Golden) -> None:
    said = {}
    for rules, moves in product(("", "1", "4"), ("a1 a1", "z9", FOUR_IN_LINE)):
        text = text_of(rules, "*").replace(FOUR_IN_LINE, moves)
        (problem,) = problems_of(text)
        assert (problem.code, problem.line) == ("rules", 2 if rules else 1)
        said[rules] = problem.message
        record = parse(text)
        assert end_of(record) is None
        assert canonical(record) == record
        assert line_of(record, 2) == ("", " ".join(moves.split()[:2]))
        assert identity(record)
    assert problems_of(text_of("1", "1-0", "yavalath")) == (), "the first, as it says none"
    (problem,) = problems_of(text_of("2", "1-0", "yavalath"))
    said["2 of yavalath"] = problem.message
    for rules in ("01", "0", "-1", "two", "²", "1.0"):
        (problem,) = problems_of(text_of(rules, "1-0"))
        assert problem.code == "tag"
        said[rules] = f"{problem.message}; expected {problem.expected}"
    golden("\n".join(said.values()))


def test_games_with_parameters_have_the_versions_of_their_family() -> None:
    game = games.get("of-three-versions:size=4")
    assert (by_version(game, "2").id, by_version(game, "3")) == (game.id, game)
    assert by_version(game, "2").start().text() == "4/5/6/7/6/5/4 w"
    with pytest.raises(RulesVersionError, match="no longer has"):
        by_version(game, "1")


def test_the_same_moves_by_other_rules_are_another_game() -> None:
    first, told, second, third = (
        identity(parse(text_of(rules, "*"))) for rules in ("", "1", "2", "3")
    )
    assert first == told
    assert len({first, second, third}) == 3


def test_positions_of_an_earlier_version_travel_to_other_processes() -> None:
    start = start_of(parse(text_of("2", "0-1")))
    assert start.game is not games.get("of-three-versions")
    assert pickle.loads(pickle.dumps(start)) == start
