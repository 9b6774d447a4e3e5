"""`arena run` with every format and with openings; and the examples of the docs."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import bad_bots
import jsonschema
from arena_runs import arena, numbers, sequence
from places import page_text
from quick_runs import play_nothing
from reference import toml_page

from lath import notation
from lath.arena.schedule.formats import FORMATS
from lath.arena.tournament.configuration import config, keys
from lath.arena.tournament.run.open_games import book_of, schedule_of

if TYPE_CHECKING:
    import pytest

PAGE = page_text("run-a-tournament")
FORMATS_PAGE = page_text("tournament-formats")
EXAMPLES = re.findall(
    r"^```toml\n(.*?)^```$", PAGE + FORMATS_PAGE + toml_page(), re.MULTILINE | re.DOTALL
)

REAL = ("random", f"legal={Path('examples/bots/legal.sh').resolve()}")
FAKE = tuple(f"{name}={shlex.join(bad_bots.command(bad_bots.Good))}" for name in ("ann", "bob"))


def run(words: str, folder: Path, bots: tuple[str, ...] = FAKE) -> str:
    """Run a tournament of Yavalath and return the tables that it prints."""
    chosen = ("--bot", bots[0], "--bot", bots[1], "--game", "yavalath", "--jobs", 1)
    ended = arena("run", *chosen, "--tc", "none", "--output", "out", *words.split(), cwd=folder)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_swiss_tournament_ends_with_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    said = run("--format swiss --rounds 3 --no-report", tmp_path)
    assert re.search(
        r"^Result: swiss\n# +bot +points .*Buchholz.*\n1 +(ann|bob) ", said, re.MULTILINE
    )
    assert numbers(tmp_path / "out") == sequence(6)


def test_a_knockout_of_real_bots_ends_with_a_winner(tmp_path: Path) -> None:
    said = run("--format knockout --pairs 2 --no-report", tmp_path, REAL)
    assert re.search(r"^Winner: (legal|random)$", said, re.MULTILINE)
    assert numbers(tmp_path / "out")[:4] == sequence(4)


def test_a_match_ends_with_a_verdict_and_may_be_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    said = run("--format match --rounds 200 --sprt -400,0", tmp_path)
    assert "Result: match\nann is " in said
    played = numbers(tmp_path / "out")
    assert len(played) < 400
    again = arena("run", "--output", "out", cwd=tmp_path)
    assert again.returncode == 0
    assert numbers(tmp_path / "out") == played


def test_games_begin_with_the_openings_of_a_book(tmp_path: Path) -> None:
    (tmp_path / "book.lath").write_text('[Game "yavalath"]\n\n1. e5 2. swap 3. d4 *\n')
    run("--rounds 1 --openings book.lath --no-report", tmp_path)
    for record in notation.read(tmp_path / "out" / "games.lath"):
        assert [ply.move for ply in record.plies[:3]] == ["e5", "swap", "d4"]
        assert record.tag("Opening") == "book.lath #1"
    (tmp_path / "book.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    ended = arena("run", "--output", "out", "--rounds", "2", cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr == (
        f"error: {tmp_path / 'book.lath'}: the opening book has changed since games "
        "were played\n"
        "hint: restore the old book, or begin a new tournament with --output OTHER\n"
        "hint: arena run out --format pool turns it into a pool\n"
    )


def test_every_configuration_of_the_pages_is_a_tournament(tmp_path: Path) -> None:
    (book,) = re.findall(r"^```lath\n(.*?)^```$", FORMATS_PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "book.lath").write_text(book)
    (tmp_path / "mybot.py").touch()
    assert len(EXAMPLES) == 2
    bots = '[[bot]]\nname = "greedy"\n[[bot]]\nname = "random"\n'
    others = (
        'format = "swiss"\nrounds = 5\npairs = 2\n',
        'format = "match"\nrounds = 5000\n[sprt]\nelo0 = 0\nelo1 = 20\n',
        'rounds = 2\n[openings]\nfile = "book.lath"\norder = "random"\nplies = 4\n',
    )
    for text in (*EXAMPLES, *(keys_of + bots for keys_of in others)):
        jsonschema.Draft202012Validator(keys.schema()).validate(tomllib.loads(text))
        told = config.build({"games": ["yavalath"], **tomllib.loads(text)}, tmp_path)
        assert schedule_of(told, book_of(told, print)).next() is not None, text
    table = PAGE[PAGE.index("| `format` | who meets whom") :].partition("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == ["format", *FORMATS]
