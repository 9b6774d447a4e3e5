"""Records are checked under the rules they were played by: a version, a file of a game, or none."""

from __future__ import annotations

import io
import pickle
import re
from itertools import product
from typing import TYPE_CHECKING, Final

import pytest
from game_files import FIVE_IN_LINE, OTHER_RULES, THREE_VERSIONS, write_game

from lath import games
from lath.games.core import by_version
from lath.games.errors import RulesVersionError, UnknownGameError
from lath.notation import canonical, parse
from lath.notation.archive.archive import identity
from lath.notation.rules.quick_check import valid_plies
from lath.notation.rules.reading import entries_of
from lath.notation.rules.replay import end_of, positions, spellings, start_of
from lath.reports.counting.openings import line_of

if TYPE_CHECKING:
    from pathlib import Path

    from golden import Golden

    from lath.notation.record.errors import Problem


FOUR_IN_LINE = "a1 i1 a2 i2 a4 i4 a3"


@pytest.fixture
def three_versions(tmp_path: Path) -> None:
    games.add(write_game(tmp_path, THREE_VERSIONS))


VERSIONS: Final = pytest.mark.usefixtures("three_versions")


def text_of(rules: str, result: str, game_id: str = "of-three-versions") -> str:
    """Return a game in which first makes four in line, by some version of the rules."""
    tag = f'[Rules "{rules}"]\n' if rules else ""
    return f'[Game "{game_id}"]\n{tag}\n{FOUR_IN_LINE} {result}\n'


def problems_of(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a file of one record, which both ways to check agree about."""
    (entry,) = entries_of(io.BytesIO(text.encode()), "games.lath")
    assert (valid_plies(text) is not None) == (not entry.problems)
    return entry.problems


@VERSIONS
def test_each_version_judges_its_own_records() -> None:
    for rules, result, codes in (
        *(("3", "1-0", []), ("2", "0-1", [])),
        *(("2", "1-0", ["result"]), ("3", "0-1", ["result"])),
    ):
        assert [problem.code for problem in problems_of(text_of(rules, result))] == codes


@VERSIONS
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


@VERSIONS
def test_games_with_parameters_have_the_versions_of_their_family() -> None:
    game = games.get("of-three-versions:size=4")
    assert (by_version(game, "2").id, by_version(game, "3")) == (game.id, game)
    assert by_version(game, "2").start().text() == "4/5/6/7/6/5/4 w"
    with pytest.raises(RulesVersionError, match="no longer has"):
        by_version(game, "1")


@VERSIONS
def test_the_same_moves_by_other_rules_are_another_game() -> None:
    first, told, second, third = (
        identity(parse(text_of(rules, "*"))) for rules in ("", "1", "2", "3")
    )
    assert first == told
    assert len({first, second, third}) == 3


@VERSIONS
def test_positions_of_an_earlier_version_travel_to_other_processes() -> None:
    start = start_of(parse(text_of("2", "0-1")))
    assert start.game is not games.get("of-three-versions")
    assert pickle.loads(pickle.dumps(start)) == start


def record_of(path: Path) -> str:
    """Return a game played by the rules of a file."""
    game = games.add(path)
    origin = games.origin(game.id)
    assert origin is not None
    return f'[Game "{game.id}"]\n[GameFile "{origin.tag}"]\n\n{FIVE_IN_LINE} 1-0\n'


def problems_in(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a file of one record."""
    (entry,) = entries_of(io.BytesIO(text.encode()), "games.lath")
    return entry.problems


def by_another(text: str) -> str:
    """Return the record as one of another version of the file."""
    return re.sub("sha256:.{4}", "sha256:1f3a", text)


def test_parameters_of_a_game_of_a_file_stand_in_its_id(tmp_path: Path) -> None:
    family = "from lath.games.yavalath import Yavalath\nGAME = Yavalath()\nGAME.id = 'mine'\n"
    path = write_game(tmp_path, family)
    game_id, origin = games.named(f"{path}:win=5,size=3"), games.origin("mine:size=3,win=5")
    assert game_id == "mine:size=3,win=5"
    assert origin is not None
    tags = f'[Game "{game_id}"]\n[GameFile "{origin.tag}"]\n\n'
    assert problems_in(f"{tags}1. a1 *\n") == ()
    (problem,) = problems_in(f"{tags}1. e9 *\n")
    assert problem.message.startswith("'e9' is not a move of mine:size=3,win=5")


def test_a_record_of_a_file_that_is_not_known_says_which_one_it_is(
    golden: Golden, tmp_path: Path
) -> None:
    of_mine = '[Game "mine"]\n[GameFile "{}"]\n\na1 *\n'.format
    said = []
    for name in (f"mygame.py sha256:{'1f3a' * 16}", "my $(game).py", "mygame.py sha256:1f3a"):
        (problem,) = problems_in(of_mine(name))
        assert (problem.code, problem.expected, problem.meant) == ("unknown-game", "", "")
        said.append(problem.message)
        with pytest.raises(UnknownGameError) as refusal:
            next(positions(parse(of_mine(name))))
        said.append(str(refusal.value))
    games.add(write_game(tmp_path))
    said += [problem.message for problem in problems_in(of_mine("mygame.py sha256:1f3a"))]
    golden("\n".join(said))


def test_a_record_that_plays_by_another_version_of_the_file_too_is_valid(tmp_path: Path) -> None:
    text = record_of(write_game(tmp_path))
    assert problems_in(text) == problems_in(by_another(text)) == ()


def test_what_another_file_has_played_is_never_called_illegal(
    golden: Golden, tmp_path: Path
) -> None:
    sound, said = record_of(write_game(tmp_path)), []
    for right, wrong in (
        *(("xa1 oa2", "xa1 xa1"), ("xa1 oa2", "xa1 oz2"), ("1-0", "0-1")),
        *(("\n\n", '\n[Setup "x"]\n\n'), ("\n\n", '\n[Position "x"]\n\n')),
    ):
        text = sound.replace(right, wrong)
        (own,) = problems_in(text)
        (problem,) = problems_in(by_another(text))
        assert own.code != "rules"
        assert problem.code == "rules"
        said.append(re.sub("sha256 1f3a[0-9a-f]*", "sha256 1f3a", problem.message))
    golden("\n".join(said))
    text = by_another(sound).replace("xa1", "1. xa1 {[%eval 7]}")
    assert [problem.code for problem in problems_in(text)] == ["annotation"], "no rules mend it"


def test_a_file_with_other_rules_refuses_in_words(tmp_path: Path) -> None:
    text = f'[Game "order-and-chaos"]\n[GameFile "mygame.py sha256:0"]\n\n{FIVE_IN_LINE} 1-0\n'
    games.add(write_game(tmp_path, OTHER_RULES))
    (problem,) = problems_in(text)
    assert (problem.code, problem.ply) == ("rules", 8)
    assert "whose rules may differ: illegal move xf6: the game is over" in problem.message


def test_a_game_that_is_added_later_is_read_from_then_on(tmp_path: Path) -> None:
    text = '[Game "order-and-chaos"]\n\n1. xa1 *\n'
    assert valid_plies(text) is None
    assert len(spellings("order-and-chaos")) == 0
    games.add(write_game(tmp_path))
    assert valid_plies(text) == 1
    assert spellings("order-and-chaos") is spellings("order-and-chaos")
