"""Records say by which file they were played: by another one nothing is called illegal."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pytest
from game_files import FIVE_IN_LINE, OTHER_RULES, write_game

from lath import games
from lath.games.errors import UnknownGameError
from lath.notation.quick_check import sound_plies
from lath.notation.reader import entries_of
from lath.notation.replay import positions, spellings
from lath.notation.scanner import parse

if TYPE_CHECKING:
    from pathlib import Path

    from golden import Golden

    from lath.notation.errors import Problem


def record_of(path: Path) -> str:
    """Return a game played by the rules of a file."""
    game = games.add(path)
    origin = games.origin(game.id)
    assert origin is not None
    return f'[Game "{game.id}"]\n[GameFile "{origin.tag}"]\n\n{FIVE_IN_LINE} 1-0\n'


def problems_of(text: str) -> tuple[Problem, ...]:
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
    assert problems_of(f"{tags}1. a1 *\n") == ()
    (problem,) = problems_of(f"{tags}1. e9 *\n")
    assert problem.message.startswith("'e9' is not a move of mine:size=3,win=5")


def test_a_record_of_a_file_that_is_not_known_says_which_one_it_is(
    golden: Golden, tmp_path: Path
) -> None:
    of_mine = '[Game "mine"]\n[GameFile "{}"]\n\na1 *\n'.format
    said = []
    for name in (f"mygame.py sha256:{'1f3a' * 16}", "my $(game).py", "mygame.py sha256:1f3a"):
        (problem,) = problems_of(of_mine(name))
        assert (problem.code, problem.expected, problem.meant) == ("unknown-game", "", "")
        said.append(problem.message)
        with pytest.raises(UnknownGameError) as refusal:
            next(positions(parse(of_mine(name))))
        said.append(str(refusal.value))
    games.add(write_game(tmp_path))
    said += [problem.message for problem in problems_of(of_mine("mygame.py sha256:1f3a"))]
    golden("\n".join(said))


def test_a_record_that_plays_by_another_version_of_the_file_too_is_sound(tmp_path: Path) -> None:
    text = record_of(write_game(tmp_path))
    assert problems_of(text) == problems_of(by_another(text)) == ()


def test_what_another_file_has_played_is_never_called_illegal(
    golden: Golden, tmp_path: Path
) -> None:
    sound, said = record_of(write_game(tmp_path)), []
    for right, wrong in (
        *(("xa1 oa2", "xa1 xa1"), ("xa1 oa2", "xa1 oz2"), ("1-0", "0-1")),
        *(("\n\n", '\n[Setup "x"]\n\n'), ("\n\n", '\n[Position "x"]\n\n')),
    ):
        text = sound.replace(right, wrong)
        (own,) = problems_of(text)
        (problem,) = problems_of(by_another(text))
        assert own.code != "rules"
        assert problem.code == "rules"
        said.append(re.sub("sha256 1f3a[0-9a-f]*", "sha256 1f3a", problem.message))
    golden("\n".join(said))
    text = by_another(sound).replace("xa1", "1. xa1 {[%eval 7]}")
    assert [problem.code for problem in problems_of(text)] == ["annotation"], "no rules mend it"


def test_a_file_with_other_rules_refuses_in_words(tmp_path: Path) -> None:
    text = f'[Game "order-and-chaos"]\n[GameFile "mygame.py sha256:0"]\n\n{FIVE_IN_LINE} 1-0\n'
    games.add(write_game(tmp_path, OTHER_RULES))
    (problem,) = problems_of(text)
    assert (problem.code, problem.ply) == ("rules", 8)
    assert "whose rules may differ: illegal move xf6: the game is over" in problem.message


def test_a_game_that_is_added_later_is_read_from_then_on(tmp_path: Path) -> None:
    text = '[Game "order-and-chaos"]\n\n1. xa1 *\n'
    assert sound_plies(text) is None
    assert len(spellings("order-and-chaos")) == 0
    games.add(write_game(tmp_path))
    assert sound_plies(text) == 1
    assert spellings("order-and-chaos") is spellings("order-and-chaos")
