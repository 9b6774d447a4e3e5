"""`arena init`: the bot or the game that it writes works at once, each command of its page too."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

import commands
import pytest
from arena_runs import arena, environment, stored
from commands import refusals
from tools import needs

from lath import games
from lath.arena.site.playing import choices
from lath.games.cards import card_of, variants

if TYPE_CHECKING:
    from golden import Golden


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# A bot

LANGUAGES: Final = {
    "python": ("surikata", needs()),
    "javascript": ("manalath", needs("node")),
    "c": ("yavalath", needs("cc")),
    "cpp": ("surikata", needs("c++")),
    "rust": ("yavalath", needs("rustc")),
    "shell": ("mammalath", needs()),
}


@pytest.mark.parametrize(
    ("language", "games"),
    [pytest.param(name, (game,), marks=mark) for name, (game, mark) in LANGUAGES.items()],
)
def test_what_init_writes_plays_at_once(
    language: str, games: tuple[str, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    written = commands.arena("init", folder, "--bot", language)
    assert written.status == 0, written.err
    steps = [line.strip() for line in written.err.splitlines()[1:]]
    assert steps[0] == f"cd {folder}"
    assert steps[-1] == "arena run tournament.toml --output results"
    # As in an activated virtual environment, which the steps take for granted.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # What else a check looks at in these bots, test_cli_bot_check.py does: they are the examples.
    few = ("--only", "first") if games else ()
    for step in steps[1:-1]:
        if step.startswith("arena bot check "):
            its_own = shlex.split(step)[3:]
            checked = arena("bot", "check", *few, *its_own, cwd=folder, PATH=path)
            assert checked.returncode == 0, checked.stdout
        else:
            subprocess.run(step, shell=True, check=True, cwd=folder, env=environment(PATH=path))
    chosen = [word for game in games for word in ("--game", game)]
    words = [*steps[-1].split()[1:], *chosen, "--rounds", "1", "-q", "--no-report"]
    ended = arena(*words, cwd=folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    endings = stored(folder / "results", "termination")
    assert endings == [("rules",)] * 2 * (len(games) or (1 if language == "c" else 4))


# A game


def test_each_command_of_the_page_works_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert commands.arena("init", "--game", "mine/hex_line").status == 0
    folder = tmp_path / "mine"
    files = {"hex_line.py", "test_hex_line.py", "README.md"}
    assert {path.name for path in folder.iterdir()} == files
    assert "mygame" not in "".join(path.read_text().lower() for path in folder.iterdir())
    page = (folder / "README.md").read_text(encoding="utf-8")
    told = re.findall(r"^\$ arena (.*)$", page, re.MULTILINE)
    assert len(told) > 10
    monkeypatch.chdir(folder)
    for command in told:
        words = shlex.split(command)
        if words[0] == "serve":  # the site is tried in its own tests
            continue
        few = ["--rounds", "1", "--tc", "nodes 5", "--jobs", "1"] if "--rounds" in words else []
        if few:  # mcts has played before, and one run does all that a run does
            words = [word.replace("mcts", "random") for word in words]
            few += ["--openings", "random:0", "--no-report"] * (words[-1] != "played")
        ran = commands.arena(*words, *few)
        assert ran.status == 0, (command, ran.err)
    assert (folder / "variants.html").is_file()
    test = folder / "test_hex_line.py"
    test.write_text(test.read_text().replace("games=100", "games=4"))
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        cwd=folder,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (tested.returncode, "games=4" in test.read_text()) == (0, True), tested.stdout


def test_a_game_is_shown_with_its_card_parameters_and_variants(tmp_path: Path) -> None:
    commands.arena("init", "--game", "hexline")
    told = commands.arena("games", "./hexline.py")
    assert told.status == 0, told.err
    assert told.out.startswith("Hexline, by you, this year.\nOn a hexagon of cells")
    assert "goal=make     whether a line wins or loses; make or avoid" in told.out
    assert "./hexline.py:goal=avoid" in told.out
    assert "Yavalath: four or more" in commands.arena("games", "yavalath").out
    commands.arena("games", "./hexline.py")
    offered = choices(SimpleNamespace(names=("mcts",)))  # type: ignore[arg-type] # it has no others
    text = (tmp_path / "hexline.py").read_text().replace('"hexline"', '"hexlong"')
    (tmp_path / "hexlong.py").write_text(text.replace('"make"', '"makes-a-long-one"'))
    told = commands.arena("games", "./hexlong.py")
    assert "goal=makes-a-long-one  whether a line wins or loses" in told.out, told.err
    assert offered["games"][0]["id"] == "hexline", "what was named is what Play begins with"


NAMES: Final = (
    *("Hex-Line", "class", "random", "yavalath", "manalath_61", "test_it", "''", "a" * 41),
)


def test_a_name_that_cannot_be_and_what_is_there_already_are_refused(
    tmp_path: Path, golden: Golden
) -> None:
    said = refusals(f"init --game {name}" for name in NAMES)
    assert list(tmp_path.iterdir()) == []
    assert commands.arena("init", "--game").status == 0, "a name may be left out"
    assert (tmp_path / "mygame.py").is_file()
    for name in ("mygame.py", "mybot.js"):
        (tmp_path / name).write_text("mine")
    golden(said | refusals(["init --game", "init . --bot javascript"]))
    assert [(tmp_path / name).read_text() for name in ("mygame.py", "mybot.js")] == ["mine"] * 2


COMMANDS: Final = (
    *("games GAME", "games moves GAME", "games perft GAME 1", "play GAME", "solve GAME"),
    *("puzzles make GAME -o out.lath", "puzzles ask GAME", "serve --game GAME"),
    *("run --bot random --bot greedy --game GAME", "match random greedy --game GAME"),
    *("tune mcts --option exploration=5..200 --game GAME", "bot check random --game GAME"),
    *(f"{words} x.lath --game GAME" for words in ("check", "stats", "explore", "explain ann")),
    *(f"{words} x.lath --game GAME" for words in ("show", "report", "rate", "select")),
)


def test_wherever_a_game_is_asked_for_a_file_is_looked_for() -> None:
    Path("x.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    said = refusals(command.replace("GAME", "./none.py") for command in COMMANDS)
    assert {c for c, text in said.items() if "none.py: file not found" not in text} == set()


def test_variants_differ_in_one_parameter_and_can_be_played() -> None:
    for game in games.installed():
        for game_id in variants(game):
            variant = games.get(game_id)
            assert variant.id.count("=") == 1
            assert variant.start(variant.draw_setup(1)).legal_moves()
        assert card_of(game)
    assert variants(games.get("yavalath"))[:2] == ("yavalath:size=3", "yavalath:size=4")
