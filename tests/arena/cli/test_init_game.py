"""`arena init --game`: what it writes works at once, each command of its page included."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from arena_runs import arena
from commands import Ran

from lath import games
from lath.arena.site.playing import choices
from lath.games.cards import card_of, variants


def said(*words: object, cwd: Path) -> Ran:
    """Return what the arena says in a folder."""
    ran = arena(*words, cwd=cwd)
    return Ran(ran.returncode, ran.stdout, ran.stderr, ran.stdout.encode())


def test_each_command_of_the_page_works_in_the_folder(tmp_path: Path) -> None:
    written = said("init", "--game", "mine/hex_line", cwd=tmp_path)
    assert written.status == 0, written.err
    folder = tmp_path / "mine"
    assert {path.name for path in folder.iterdir()} == {
        "hex_line.py",
        "test_hex_line.py",
        "README.md",
    }
    assert "mygame" not in "".join(path.read_text().lower() for path in folder.iterdir())
    page = (folder / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ arena (.*)$", page, re.MULTILINE)
    assert len(commands) > 10
    for command in commands:
        words = shlex.split(command)
        if words[0] == "serve":  # the site is tried in its own tests
            continue
        few = ["--rounds", "2", "--tc", "nodes 10"] if "--rounds" in words else []
        ran = arena(*words, *few, cwd=folder)
        assert ran.returncode == 0, (command, ran.stderr)
    assert (folder / "variants.html").is_file()
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_hex_line.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout


def test_a_game_is_shown_with_its_card_parameters_and_variants(tmp_path: Path) -> None:
    said("init", "--game", "hexline", cwd=tmp_path)
    told = said("games", "./hexline.py", cwd=tmp_path)
    assert told.status == 0, told.err
    assert told.out.startswith("Hexline, by you, this year.\nOn a hexagon of cells")
    assert "goal=make     whether a line wins or loses; make or avoid" in told.out
    assert "./hexline.py:goal=avoid" in told.out
    assert "Yavalath: four or more" in said("games", "yavalath", cwd=tmp_path).out
    offered = choices(SimpleNamespace(names=("mcts",)))  # type: ignore[arg-type] # it has no others
    assert offered["games"][0]["id"] == "hexline", "what was named is what Play begins with"
    text = (tmp_path / "hexline.py").read_text().replace('"hexline"', '"hexlong"')
    (tmp_path / "hexlong.py").write_text(text.replace('"make"', '"makes-a-long-one"'))
    told = said("games", "./hexlong.py", cwd=tmp_path)
    assert "goal=makes-a-long-one  whether a line wins or loses" in told.out, told.err


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Hex-Line", "hint: arena init --game hex_line"),
        ("class", "is a word of Python"),
        ("random", "is a module that Python needs"),
        ("yavalath", "is the id of an installed game"),
        ("manalath_61", "is the id of an installed game"),
        ("test_it", "is the name of a test"),
        ("", "is not a name"),
        ("a" * 41, "40 at most"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name: str, says: str, tmp_path: Path) -> None:
    refused = said("init", "--game", name, cwd=tmp_path)
    assert refused.status == 2
    assert says in refused.err
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten_and_a_name_may_be_left_out(tmp_path: Path) -> None:
    assert said("init", "--game", cwd=tmp_path).status == 0
    assert (tmp_path / "mygame.py").is_file()
    (tmp_path / "mygame.py").write_text("mine")
    refused = said("init", "--game", cwd=tmp_path)
    assert (refused.status, "mygame.py is there already" in refused.err) == (2, True)
    assert "hint: arena init --game mygame/mygame" in refused.err
    assert (tmp_path / "mygame.py").read_text() == "mine"


@pytest.mark.parametrize(
    "command",
    [
        "games GAME",
        "games moves GAME",
        "games perft GAME 1",
        "play GAME",
        "solve GAME",
        "puzzles make GAME -o out.lath",
        "puzzles ask GAME",
        "run --bot random --bot greedy --game GAME",
        "match random greedy --game GAME",
        "tune mcts --option exploration=5..200 --game GAME",
        "bot check random --game GAME",
        *(f"{words} x.lath --game GAME" for words in ("check", "stats", "explore", "explain ann")),
        *(f"{words} x.lath --game GAME" for words in ("show", "report", "rate", "select")),
        "serve --game GAME",
    ],
)
def test_wherever_a_game_is_asked_for_a_file_is_looked_for(command: str, tmp_path: Path) -> None:
    (tmp_path / "x.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    words = ["./none.py" if word == "GAME" else word for word in command.split()]
    told = said(*words, cwd=tmp_path)
    assert told.status == 2
    assert "none.py: there is no such file" in told.err


def test_variants_differ_in_one_parameter_and_can_be_played() -> None:
    for game in games.installed():
        for game_id in variants(game):
            variant = games.get(game_id)
            assert variant.id.count("=") == 1
            assert variant.start(variant.draw_setup(1)).legal_moves()
        assert card_of(game)
    assert variants(games.get("yavalath"))[:2] == ("yavalath:size=3", "yavalath:size=4")
