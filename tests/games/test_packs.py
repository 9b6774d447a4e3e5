"""Packs: distributions that bring many games by one entry point, each made when it is used."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

import commands
import pytest

from lath import games
from lath.games import plugins
from lath.games.errors import GameFileError, UnknownGameError
from lath.notation import Builder, check, format_record, parse

if TYPE_CHECKING:
    from golden import Golden

PACK: Final = """
from functools import partial
from swarm_pack.rules import made

CALLS = []

def games():
    CALLS.append("games()")
    return {f"swarm-{n}": partial(make, n) for n in range(200)}

def make(n):
    CALLS.append(n)
    return made(n)
"""

RULES: Final = """
from lath.games.yavalath import Yavalath

def made(n):
    class Swarm(Yavalath):
        id = f"swarm-{n}"
        title = f"Swarm {n}"
    return Swarm()
"""

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return a function that installs a distribution with entry points and modules."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)

    def installed(name: str, points: str, **modules: str) -> Path:
        info = site / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(points)
        for module, text in modules.items():
            path = site / f"{module.replace('__', '/')}.py"
            path.parent.mkdir(exist_ok=True)
            (path.parent / "__init__.py").touch()
            path.write_text(text)
        forget_plugins()
        return site

    yield installed
    forget_plugins()
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(site)):
            del sys.modules[name]


def forget_plugins() -> None:
    """Make the registry read the entry points again."""
    invalidate_caches()
    for cached in (
        *(plugins._points, plugins._origin, plugins._loaded),
        *(plugins._read_pack, plugins._made, plugins.pack_ids),
    ):
        cached.cache_clear()


SWARM: Final = "[lath_arena.game_packs]\nswarm = swarm_pack.all:games\n"


@pytest.fixture
def swarm(install: Install) -> Callable[[], ModuleType | None]:
    """Install the pack, and return a function that returns its module once it is imported."""
    install("lath-swarm", SWARM, swarm_pack__all=PACK, swarm_pack__rules=RULES)
    return lambda: sys.modules.get("swarm_pack.all")


def test_two_hundred_games_cost_nothing_until_one_is_asked_for(
    swarm: Callable[[], ModuleType | None], tmp_path: Path
) -> None:
    file = tmp_path / "games.lath"
    file.write_text('[Game "yavalath"]\n\n1. a1 *\n')
    assert commands.arena("--version").status == 0
    assert commands.arena("check", file).status == 0
    assert games.get("yavalath").id == games.named("yavalath")
    assert "swarm-7" not in games.ids()
    assert [game.id for game in games.installed()] == list(games.ids())
    with pytest.raises(UnknownGameError, match=r"one of mammalath, .*, yavalath, swarm-…"):
        games.get("swarming")
    assert plugins.origins()["swarm-"].name == "lath-swarm-1.0"
    assert swarm() is None
    assert games.get("swarm-7:size=4").title == "Swarm 7 (size 4)"
    pack = swarm()
    assert pack is not None
    assert pack.CALLS == ["games()", 7]
    assert games.get("swarm-7") is games.get("swarm-7")
    position = games.get("swarm-7:size=4").start()
    assert pickle.loads(pickle.dumps(position)) == position
    listed = commands.arena("games")
    assert (listed.status, listed.err) == (0, "")
    assert sum(line.startswith("swarm-") for line in listed.out.splitlines()) == 200
    assert "lath-swarm-1.0" in listed.out
    assert pack.CALLS == ["games()", 7], "listing makes no game"
    with pytest.raises(UnknownGameError, match=r"swarm-200.*one of swarm-20,.* lists all"):
        games.get("swarm-200")


def test_a_game_of_a_pack_in_use_is_known_to_child_processes_and_to_lists(
    swarm: Callable[[], ModuleType | None], tmp_path: Path
) -> None:
    games.get("swarm-7")
    assert games.ids()[-1] == "swarm-7"
    assert os.environ["LATH_GAMES"] == "id=swarm-7"
    (tmp_path / "mine.py").write_text(f"{RULES}\nGAME = made(1)\nGAME.id = 'mine'\n")
    games.add(tmp_path / "mine.py")
    games.get("swarm-8")
    words = "import sys; from lath import games; print(*games.ids()); print('swarm_pack' in "
    words += "sys.modules, games.get('swarm-9'), games.ids()[-1])"
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(
        [sys.executable, "-c", words], env=environment, capture_output=True, text=True, check=True
    )
    ids, rest = done.stdout.splitlines()
    assert ids.split()[-3:] == ["mine", "swarm-7", "swarm-8"]
    assert rest == "False <game swarm-9> swarm-9"


def test_a_record_names_the_distribution_and_its_modules(
    swarm: Callable[[], ModuleType | None], tmp_path: Path
) -> None:
    record = Builder("swarm-3:size=4").play("a1").record()
    origin = games.rules_origin("swarm-3:size=4")
    assert origin is not None
    assert record.tag("GameFile") == origin.tag == f"lath-swarm-1.0 sha256:{origin.sha256}"
    assert check(record) == []
    assert games.origin("swarm-3") is None, "it is no file that users name"
    rules = tmp_path / "site" / "swarm_pack" / "rules.py"
    rules.write_text(f"{RULES}# edited\n")
    forget_plugins()
    other = games.rules_origin("swarm-3")
    assert other is not None
    assert (other.name, other.sha256 == origin.sha256) == (origin.name, False)
    path = tmp_path / "old.lath"
    path.write_text(format_record(record))
    ran = commands.arena("check", path)
    assert ran.status == 0
    assert f"1 record of swarm-3 was played by another version of the rules: {origin.name} (" in (
        ran.err
    )
    untold = '[Game "swarm-3"]\n\n1. a1 *\n'
    assert check(parse(untold)) == [], "records of earlier versions do not name it"


FAULTY: Final = {
    "import_module('no_such_module')": "ModuleNotFoundError: No module named 'no_such_module'",
    "games = lambda: 1 // 0": "ZeroDivisionError: integer division or modulo by zero",
    "games = lambda: [1]": "returned list, expected a mapping from id to function",
    "games = lambda: {'hex': print}": "has the id 'hex', expected faulty- and then lowercase",
    "games = lambda: {'faulty-A': print}": "has the id 'faulty-A', expected faulty- and then",
    "games = lambda: {'faulty-a': 1}": "faulty-a is 1, expected a function that makes the game",
    "games = dict": "has no games",
}
"""Texts of packs, and why they cannot be loaded."""


@pytest.mark.parametrize("text", FAULTY)
def test_a_pack_that_cannot_be_loaded_is_one_line(install: Install, text: str) -> None:
    points = "[lath_arena.game_packs]\nfaulty = faulty_pack.all:games\n"
    install("faulty", points, faulty_pack__all=f"from importlib import import_module\n{text}\n")
    ran = commands.arena("games")
    assert ran.status == 0
    assert "yavalath" in ran.out
    (line,) = ran.err.splitlines()
    assert FAULTY[text] in line
    assert "'faulty' (faulty_pack.all:games)" in line
    with pytest.raises(UnknownGameError) as refused:
        games.get("faulty-a")
    assert str(refused.value) in line
    assert games.get("yavalath").id == "yavalath"


NOT_MADE: Final = {
    "1 // 0": "game 'odd-a' of the pack 'odd' cannot be made: ZeroDivisionError",
    "7": "game 'odd-a' of the pack 'odd' lacks id, title",
    "import_module('lath.games.yavalath').GAME": "the pack 'odd' is the game 'yavalath'",
}


@pytest.mark.parametrize("made", NOT_MADE)
def test_a_game_that_cannot_be_made_is_told_of_when_it_is_asked_for(
    install: Install, made: str
) -> None:
    text = f"from importlib import import_module\ngames = lambda: {{'odd-a': lambda: {made}}}\n"
    install("odd", "[lath_arena.game_packs]\nodd = odd_pack.all:games\n", odd_pack__all=text)
    assert commands.arena("games").err == ""
    with pytest.raises(UnknownGameError, match=NOT_MADE[made]):
        games.get("odd-a")


def test_an_id_that_several_games_have_is_told_of(
    install: Install, tmp_path: Path, golden: Golden
) -> None:
    install("lath-swarm", SWARM, swarm_pack__all=PACK, swarm_pack__rules=RULES)
    single = f"{RULES}\nGAME = made(1)\n"
    install("lath-single", "[lath_arena.games]\nswarm-1 = single_swarm:GAME\n", single_swarm=single)
    text = "games = lambda: {'manalath-61': print}\n"
    install("lath-more", "[lath_arena.game_packs]\nmanalath = more:games\n", more=text)
    install("twin-a", "[lath_arena.game_packs]\ntwin = twins:games\n", twins=text)
    install("twin-b", "[lath_arena.game_packs]\ntwin = twins:games\n")
    told = commands.arena("games")
    assert told.status == 0
    said = told.err.splitlines()
    for game_id in ("swarm-1", "twin-a"):
        with pytest.raises(UnknownGameError) as refused:
            games.get(game_id)
        said.append(str(refused.value))
    assert games.get("manalath-61") is import_module("lath.games.manalath_61").GAME
    path = tmp_path / "mine.py"
    path.write_text(f"{RULES}\nGAME = made(2)\n")
    with pytest.raises(
        GameFileError, match="'swarm-2', but another game with this id is installed"
    ):
        games.add(path)
    golden("\n".join(said))
