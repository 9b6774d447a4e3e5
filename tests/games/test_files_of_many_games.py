"""Files with several games, and files that import modules beside them."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import commands
import pytest
from game_files import forget_games
from hypothesis import given
from hypothesis import strategies as st

from lath import games
from lath.games import files, trial
from lath.games.errors import GameFileError
from lath.games.naming import is_known, lasting
from lath.games.sources import source_of

if TYPE_CHECKING:
    from golden import Golden

    from lath.games.core import Game

THREE: Final = """
from lath.games.yavalath import Yavalath

class Ants(Yavalath):
    id = "ants"

class Bees(Yavalath):
    id = "bees"

class Wasps(Yavalath):
    id = "wasps"
    def start(self, setup=None):
        return 0

GAME = Ants()
GAMES = [GAME, Bees()]
def games():
    yield Wasps()
"""
"""Three games, of which the last is faulty."""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the ids of the games that are put on trial from now on, in any version of a file."""
    ids = []
    wrong_with = trial.wrong_with

    def noted(game: Game) -> str:
        ids.append(game.id)
        return wrong_with(game, games=1)

    monkeypatch.setattr(trial, "wrong_with", noted)
    monkeypatch.setattr(files, "_TRIED", set())
    return ids


def test_a_name_behind_the_file_says_which_of_its_games_is_meant(
    tried: list[str], golden: Golden
) -> None:
    Path("three.py").write_text(THREE)
    assert games.all_named("./three.py") == ("ants", "bees", "wasps")
    assert tried == []
    assert games.named("./three.py:bees:win=5,size=4") == "bees:size=4,win=5"
    assert games.named("three.py:ants") == "ants"
    assert lasting("./three.py:bees:size=4") == f"{Path.cwd()}/three.py:bees:size=4"
    assert tried == ["bees", "bees:size=4,win=5", "ants", "bees:size=4"]
    said = []
    for name in ("three.py", "three.py:hives", "three.py:size=4", "three.py:wasps"):
        with pytest.raises(GameFileError) as refused:
            games.named(name)
        said.append(str(refused.value))
    golden("\n".join(said))
    assert games.ids()[-3:] == ("ants", "bees", "wasps"), "one faulty game leaves the others"


def test_a_game_of_a_file_is_tried_when_it_is_first_used_and_never_again(tried: list[str]) -> None:
    Path("three.py").write_text(THREE)
    os.environ["LATH_GAMES"] = str(Path.cwd() / "three.py")
    assert {"ants", "bees", "wasps"} < set(games.ids())
    assert [game.id for game in games.installed()] == list(games.ids())
    assert games.origin("ants") == games.origin("bees:size=3")
    assert tried == []
    position = games.get("ants").start()
    assert pickle.loads(pickle.dumps(position)) == position
    assert games.get("ants") is games.get("ants")
    assert tried == ["ants"]
    with pytest.raises(GameFileError, match=r"three\.py:wasps: AttributeError"):
        games.get("wasps")
    pinned = os.environ["LATH_GAMES"]
    forget_games()
    os.environ["LATH_GAMES"] = pinned
    tried.clear()
    assert games.get("bees").id == "bees"
    assert tried == [], "the parent process, which has loaded the file, tries its games"


def test_commands_list_the_games_of_a_file_and_read_records_of_all() -> None:
    Path("two.py").write_text(THREE.partition("def games")[0])
    ran = commands.arena("games", "./two.py")
    assert (ran.status, [line.split()[0] for line in ran.out.splitlines() if line[0] != " "]) == (
        0,
        ["ants", "bees"],
    )
    Path("records.lath").write_text('[Game "ants"]\n\n1. a1 *\n\n[Game "bees"]\n\n1. a1 *\n')
    ran = commands.arena("check", "records.lath", "--game", "./two.py")
    assert (ran.status, ran.out.partition(";")[0]) == (
        0,
        "2 records: 2 valid, 0 invalid (0 problems)",
    )
    assert "./two.py:ants:size=4" in commands.arena("games", "./two.py:ants").out


# Own modules.

IMPORTING: Final = """
import util
import shared.lines as lines
from lath.games.yavalath import Yavalath

class Mine(Yavalath):
    id = "ID"
    title = util.TITLE + lines.TITLE

    def card_now(self):
        import late
        from shared import LATER
        return late.WORD + LATER

GAME = Mine()
"""


def write_folder(name: str, word: str, text: str = IMPORTING) -> Path:
    """Write a folder with a file of a game and its modules, which contain a word."""
    folder = Path(name)
    (folder / "shared").mkdir(parents=True, exist_ok=True)
    (folder / "game.py").write_text(text.replace("ID", name))
    (folder / "util.py").write_text(f"import random, late\nTITLE = late.WORD + {word!r}\n")
    (folder / "late.py").write_text(f"WORD = 'late {word} '\n")
    (folder / "shared" / "__init__.py").write_text(f"LATER = {word!r}\n")
    (folder / "shared" / "lines.py").write_text(
        "from .more import TITLE\nfrom ..late import WORD\n"
    )
    (folder / "shared" / "more.py").write_text(f"TITLE = ' lines of {word}'\n")
    (folder / "random.py").write_text("raise ImportError('the standard library comes first')\n")
    (folder / "unused.py").write_text("raise ImportError('nothing imports this')\n")
    return folder / "game.py"


def test_two_folders_can_have_modules_of_the_same_names() -> None:
    paths = [write_folder(name, name.upper()) for name in ("one", "two")]
    before = set(sys.modules)
    for name, path in zip(("one", "two"), paths, strict=True):
        game = games.add(path)
        word = name.upper()
        assert game.title == f"late {word} {word} lines of {word}"
        assert game.card_now() == f"late {word} {word}"  # type: ignore[attr-defined]
    assert {name.partition(".")[0][:10] for name in set(sys.modules) - before} == {"lath_game_"}
    with pytest.raises(ModuleNotFoundError):
        __import__("util")
    assert "util" not in sys.modules


OWN: Final = ("late.py", "shared/__init__.py", "shared/lines.py", "shared/more.py", "util.py")


@given(changed=st.sampled_from([*OWN, "game.py", "random.py", "unused.py"]))
def test_the_identity_changes_with_each_own_module_and_with_nothing_else(changed: str) -> None:
    path = write_folder("one", "1").absolute()
    source = source_of(str(path), path.read_bytes())
    assert tuple(source.texts) == OWN
    file = path.parent / changed
    before = file.read_bytes()
    file.write_bytes(before + b"# edited\n")
    after = source_of(str(path), path.read_bytes())
    assert (after.sha256 != source.sha256) is (changed in {*OWN, "game.py"})
    file.write_bytes(before)
    assert source_of(str(path), path.read_bytes()).sha256 == source.sha256
    copy = path.with_name("copy.py")
    copy.write_bytes(path.read_bytes())
    assert source_of(str(copy), copy.read_bytes()).sha256 == source.sha256, "a copy is the same"


@pytest.mark.parametrize("changed", OWN)
def test_a_changed_module_is_refused_here_and_in_child_processes(changed: str) -> None:
    path = write_folder("one", "1")
    games.add(path)
    assert is_known(str(path))
    (path.parent / changed).write_text("WORD = TITLE = LATER = ''\n")
    assert not is_known(str(path))
    why = f"{changed}, which {path} imports, has changed since it was loaded; start the program"
    with pytest.raises(GameFileError, match=why):
        games.add(path)
    pinned = os.environ["LATH_GAMES"]
    forget_games()
    os.environ["LATH_GAMES"] = pinned
    with pytest.raises(GameFileError, match=r"game\.py or a module that it imports has changed"):
        games.ids()


FAULTS: Final[Mapping[str, tuple[str, str]]] = {
    "TITLE = 1 // 0": ("ZeroDivisionError: integer division or modulo by zero", "util.py:1"),
    "TITLE = (": ("SyntaxError: '(' was never closed", "util.py:1"),
    "\nimport shared.none": ("ModuleNotFoundError: No module named 'shared.none'", "util.py:2"),
}


@pytest.mark.parametrize("text", FAULTS)
def test_an_error_in_a_module_is_told_with_its_place_there(text: str) -> None:
    path = write_folder("one", "1")
    path.with_name("util.py").write_text(text)
    what, where = FAULTS[text]
    with pytest.raises(GameFileError) as refused:
        games.add(path)
    assert str(refused.value) == f"one/{where}: {what}"
    path.with_name("util.py").write_text("TITLE = ''")
    assert games.add(path).id == "one", "a corrected module can be loaded"


def test_a_module_and_its_file_can_import_each_other() -> None:
    game = IMPORTING.replace("import util\n", "NAME = 'mine'\nfrom . import util\n")
    path = write_folder("one", "1", game)
    path.with_name("util.py").write_text("from game import NAME\nTITLE = NAME\n")
    assert games.add(path).title == "mine lines of 1"


def test_the_record_of_a_game_says_by_which_modules_it_was_played(golden: Golden) -> None:
    path = write_folder("one", "1")
    game = games.add(path)
    tags = '[Game "{}"]\n[GameFile "{}"]\n\n1. a1 *\n\n'.format
    origin = games.origin("one")
    assert origin is not None
    assert game.id == "one"
    other = f"game.py sha256:{'1f3a' * 16}"
    text = 2 * tags("one", origin.tag) + 3 * tags("one:size=4", other) + tags("one", "old.py")
    Path("old.lath").write_text(text)
    said = []
    for command in (
        "check old.lath",
        "check old.lath --json",
        "show old.lath --record 3",
        "stats old.lath --json",
        "convert old.lath old.jsonl",
        "convert old.lath old.duckdb",
        "select old.jsonl",
        "select old.duckdb",
        "rate old.lath --json",
    ):
        ran = commands.arena(*command.split())
        assert ran.status == 0, (command, ran)
        lines = [line for line in ran.err.splitlines() if "another version" in line]
        said += ["", command, *(line.replace(origin.sha256[:12], "<here>") for line in lines)]
        assert ("other_rules" in ran.out) is ("--json" in command), command
    golden("\n".join(said))
