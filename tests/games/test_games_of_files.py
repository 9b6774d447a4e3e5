"""A game of a file that somebody names: known by its id, in processes started later, too."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import commands
import pytest
from game_files import EXAMPLE

from lath import games
from lath.games.core import least_line
from lath.games.errors import GameFileError, UnknownGameError

ONE_AFTER_THE_OTHER = """
from lath.games.yavalath import Yavalath

class Other(Yavalath):
    id = "other"

GAME = Other()
"""


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file of a game `other`, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.py").write_text(ONE_AFTER_THE_OTHER)
    return Path("other.py")


def test_a_game_of_a_file_is_known_by_its_id_once_it_is_added() -> None:
    assert "order-and-chaos" not in games.ids()
    game = games.add(EXAMPLE)
    assert games.get("order-and-chaos") is game is games.add(EXAMPLE)
    assert games.ids()[-1] == "order-and-chaos"
    position = game.start().play(game.canonical("xa1"))
    assert pickle.loads(pickle.dumps(position)) == position


def test_its_origin_is_the_file_and_the_hash_of_what_was_loaded(other: Path) -> None:
    games.add(other)
    origin = games.origin("other:size=4")
    assert origin is not None
    assert origin == (str(other.absolute()), hashlib.sha256(other.read_bytes()).hexdigest())
    assert origin.tag == f"other.py sha256:{origin.sha256}"
    assert games.origin("yavalath") is games.origin("chess") is None


def test_who_names_a_file_names_its_game_and_parameters_may_follow(
    other: Path, tmp_path: Path
) -> None:
    assert games.named("other.py") == games.named(f"{tmp_path}/other.py") == "other"
    assert games.named("other.py:size=4,win=5", tmp_path) == "other:size=4,win=5"
    assert games.named("other:size=4") == "other:size=4"
    other.rename("other")
    assert games.named("./other") == "other"


def test_a_process_that_is_started_later_finds_the_game() -> None:
    games.add(EXAMPLE)
    words = "from lath import games; print(games.get('order-and-chaos'), games.ids()[-1])"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout == "<game order-and-chaos> order-and-chaos\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "other.py defines no GAME"),
        ("\nGAME = lin()", "other.py:2: NameError: name 'lin' is not defined"),
        ("GAME = (\n", r"other.py:1: SyntaxError: '\(' was never closed"),
        ("import sys\nsys.exit('no')", "other.py:2: SystemExit: no"),
        ("GAME = 1", "other.py: GAME has no id, title, credit"),
        (
            "class Lazy:\n    @property\n    def id(self): return {}['id']\nGAME = Lazy()",
            "other.py:3: KeyError: 'id'",
        ),
        (ONE_AFTER_THE_OTHER[:-3], r"GAME is a class, expected GAME = Other\(\)"),
        ("from lath.games.yavalath import GAME", "'yavalath', but the game of this id is built in"),
        (ONE_AFTER_THE_OTHER.replace('"other"', '"My Game"'), "'My Game', expected small letters"),
    ],
)
def test_a_file_without_a_game_is_refused_in_words(other: Path, text: str, why: str) -> None:
    other.write_text(text)
    with pytest.raises(GameFileError, match=why):
        games.add(other)
    assert "LATH_GAMES" not in os.environ


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match=r"none\.py: there is no such file"):
        games.add(tmp_path / "none.py")
    with pytest.raises(GameFileError, match=r"none\.py: there is no such file"):
        games.add(cast("str", b"none.py"))
    with pytest.raises(GameFileError, match="is a folder, expected a Python file"):
        games.named(f"{tmp_path}/")


def test_two_files_cannot_have_one_game_and_a_copy_is_the_same(other: Path) -> None:
    game = games.add(other)
    copy = other.with_name("copy.py")
    copy.write_bytes(other.read_bytes())
    assert games.add(copy) is game
    copy.write_text(f"{ONE_AFTER_THE_OTHER}\n# edited")
    with pytest.raises(GameFileError, match=r"'other', but the game of this id is from .*/oth"):
        games.add(copy)
    other.write_text(f"{ONE_AFTER_THE_OTHER}\n# edited, too")
    with pytest.raises(GameFileError, match=r"other\.py has changed since it was loaded"):
        games.add(other)


def test_a_file_may_ask_for_other_games_and_print(
    other: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asks = "from lath import games\nprint(games.get('yavalath'), games.ids()[-1])\n"
    other.write_text(asks + ONE_AFTER_THE_OTHER)
    games.add(other)
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "<game yavalath> yavalath\n")


def test_a_file_of_the_environment_that_is_gone_is_told_of(
    other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LATH_GAMES", str(other.absolute()))
    assert games.get("other").title == "Yavalath"
    monkeypatch.setenv("LATH_GAMES", "/no/such.py")
    assert games.get("yavalath").title == "Yavalath"
    with pytest.raises(GameFileError, match=r"LATH_GAMES: /no/such\.py: there is no such file"):
        games.ids()


def test_who_names_nearly_a_file_is_told_which(other: Path) -> None:
    with pytest.raises(UnknownGameError, match=r"'other'; did you mean \./other\.py\?"):
        games.named("other")
    games.add(other)
    assert games.named("other") == "other"
    Path("yavalath.py").touch()
    assert games.named("yavalath") == "yavalath"
    other.rename("a:b.py")
    with pytest.raises(GameFileError, match=r"a:b\.py': expected a path of printable letters with"):
        games.named("./a:b.py")


def test_a_file_that_imports_its_neighbour_is_told_how(other: Path) -> None:
    Path("helper.py").touch()
    other.write_text("import helper")
    why = r"No module named 'helper'; a game is one file: what it imports is installed, or on PYTH"
    with pytest.raises(GameFileError, match=why):
        games.add(other)


def test_what_the_rules_of_a_file_raise_is_told_with_its_line(other: Path) -> None:
    slip = "    def draw_setup(self, seed):\n        return 1 // 0\n\n"
    other.write_text(ONE_AFTER_THE_OTHER.replace("    id", f"{slip}    id"))
    with pytest.raises(ZeroDivisionError) as caught:
        games.add(other).draw_setup(1)
    told = f"{other.absolute()}:6: ZeroDivisionError: integer division or modulo by zero"
    assert games.blamed(caught.value) == told
    assert games.blamed(ZeroDivisionError()) == ""
    ran = commands.arena("play", "--game", "other.py")
    assert (ran.status, ran.err) == (2, f"arena: {told}\n")


class Ones(NamedTuple):
    """A position that is a tuple of its stones, as one of another game may be."""

    stones: int


class OfOne(Ones):
    game = SimpleNamespace(id="one")


class OfOther(Ones):
    game = SimpleNamespace(id="other")


def test_positions_of_two_games_may_be_equal_tuples() -> None:
    for kind in (OfOne, OfOther):
        position: Any = kind(0)
        assert isinstance(least_line(position, ())[0], kind)


def test_a_class_that_takes_no_parameters_refuses_them_in_words(other: Path) -> None:
    takes_none = "    def __init__(self):\n        super().__init__()\n\n"
    other.write_text(ONE_AFTER_THE_OTHER.replace("    id", f"{takes_none}    id"))
    games.add(other)
    with pytest.raises(UnknownGameError, match=r"game 'other:size=4': .*unexpected keyword"):
        games.get("other:size=4")
