"""A pool lives on: versions have their names, what is edited stays, and what cannot be is refused.

`test_tournament_model.py` has lives of pools, in which no game is lost and none played twice.
"""

from __future__ import annotations

import sqlite3
import sys
import tomllib
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import commands
import pytest
from arena_runs import stored
from quick_runs import play_nothing

from lath.arena.errors import DiskError
from lath.arena.tournament.outcome.sources import background_of
from lath.arena.tournament.outcome.versions import digest_of
from lath.arena.tournament.run import folder
from lath.arena.tournament.run.runner import Runner
from lath.arena.tournament.store import store
from lath.arena.tournament.store.database import SPENT
from lath.arena.tournament.store.store import Store

if TYPE_CHECKING:
    from golden import Golden

GAME: Final = "number, first, second, game, round, result, checksum"


class Life:
    """A pool of bots that are a program and a file that may be edited; they play nothing."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.out = place / "out"
        self.nets = place / "nets"
        self.nets.mkdir()

    def add(self, *names: str) -> list[str]:
        """Return the words that add bots."""
        for name in names:
            (self.nets / name).write_text(f"{name}, as it began")
        return [
            word for name in names for word in ("--add", f"{name}=/bin/cat '{self.nets / name}'")
        ]

    def run(self, *words: object) -> str:
        """Go on with nothing in the way; return what is said."""
        ran = commands.arena("run", self.out, *words, "-q", "--no-report")
        assert ran.status == 0, ran.err
        return ran.err

    def begin(self, *names: str) -> str:
        return self.run(*self.add(*names), "--game", "yavalath")

    def edit(self, before: str, after: str) -> None:
        """Edit the configuration by hand."""
        path = self.out / "tournament.toml"
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    @property
    def toml(self) -> dict[str, Any]:
        return tomllib.loads((self.out / "tournament.toml").read_text())

    @property
    def playing(self) -> list[str]:
        return [one.name for one in background_of([self.out]).versions if not one.retired]


@pytest.fixture
def life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Life:
    play_nothing(monkeypatch)
    return Life(tmp_path)


def test_what_becomes_of_each_bot_is_said(life: Life, golden: Golden) -> None:
    bots = [word.replace("--add", "--bot") for word in life.add("ann", "bob", "cat")]
    begun = ("run", "--output", life.out, *bots, "--game", "yavalath", "--rounds", 1, "-q")
    assert commands.arena(*begun, "--no-report").status == 0
    said = {
        "a round robin": life.run("--format", "pool"),
        "two come": life.run(*life.add("d", "e")),
    }
    (life.nets / "bob").write_text("bob, better")
    said["one is edited"] = life.run()
    said["one goes"] = life.run("--retire", "cat")
    life.add("bob")
    said["one is edited back"] = life.run("--tc", "move 4")
    life.nets = life.nets.rename(life.place / "moved")
    life.edit("/nets/", "/moved/")
    assert life.run() == "", "all of them have moved"
    assert life.playing == ["ann", "bob", "d", "e"]
    golden(said)


def test_what_is_edited_by_hand_and_by_flags_stays_as_it_is_written(life: Life) -> None:
    life.begin("ann", "bob")
    path = life.out / "tournament.toml"
    written = f"# my lab\n{path.read_text()}".replace("rounds = 3", "rounds   =  3  # for now")
    path.write_bytes(written.replace("\n", "\r\n").encode())
    before, file = path.read_bytes(), path.stat().st_ino
    life.run()
    assert (path.read_bytes(), path.stat().st_ino) == (before, file), "it is not even written"
    life.run("--rounds", 4, *life.add("cat"))
    text = path.read_bytes().decode()
    assert text.startswith("# my lab\r\n")
    assert "rounds   =  4  # for now\r\n" in text
    assert text.count("\n") == text.count("\r\n"), "what is new, too"
    life.run("--retire", "cat", "--rounds", 3)
    assert tomllib.loads(path.read_text()) == tomllib.loads(before.decode())


def test_files_of_a_bot_count_wherever_they_are(life: Life) -> None:
    (life.nets / "deep").mkdir()
    for name in ("deep/weights", ".hidden", "__pycache__"):
        path = life.nets / name
        path.mkdir() if name.startswith("__") else path.write_text(name)
    life.begin("ann", "bob")
    life.edit('name = "ann"', 'name = "ann"\nfiles = ["../nets/deep", "../nets"]')
    assert "ann plays as ann v2: " in life.run(), "it says more of what it is"
    (life.nets / ".hidden").write_text("another")
    (life.nets / "__pycache__/mybot.pyc").write_text("new")
    assert life.run() == ""
    life.nets = life.nets.rename(life.place / "moved")
    life.edit("nets/", "moved/")
    life.edit("../nets", "../moved")
    assert life.run() == ""
    (life.nets / "deep/weights").rename(life.nets / "deep/w2")
    assert "ann plays as ann v3: " in life.run()


def test_the_python_that_runs_the_arena_makes_no_version(tmp_path: Path) -> None:
    (link := tmp_path / "python").symlink_to(sys.executable)
    words = ("-m", "lath.bots.greedy")
    here, there = (digest_of((str(path), *words), {}, (), {}) for path in (sys.executable, link))
    assert here == there != digest_of(("node", *words), {}, (), {})


def test_a_name_that_another_bot_has_is_passed_by(life: Life) -> None:
    life.begin("ann", "bob", "ann v2")
    (life.nets / "ann").write_text("better")
    life.run(*life.add("ann v4"))
    (life.nets / "ann").write_text("better still")
    life.run()
    versions = background_of([life.out]).versions
    known = [(one.name, one.number) for one in versions if one.bot == "ann"]
    assert known == [("ann", 1), ("ann v3", 3), ("ann v5", 5)]


def test_a_version_without_games_leaves_its_name_to_the_next(life: Life) -> None:
    def run_of_none(*words: object) -> None:
        with mock.patch.object(Runner, "run", Runner.summary):  # no bot could be started
            commands.arena("run", life.out, *words, "-q", "--no-report")

    run_of_none(*life.add("ann", "bob"), "--game", "yavalath")
    (life.nets / "ann").write_text("mended")
    assert life.run() == ""
    assert sorted(life.playing) == ["ann", "bob"]
    (life.nets / "ann").write_text("better, but broken")
    run_of_none(*life.add("cat"))
    assert sorted(life.playing) == ["ann v2", "bob", "cat"]
    with closing(Store(life.out)) as store:
        store.keep_notes({SPENT: ["ann v2", "bob"]})
    (life.nets / "ann").write_text("better")
    assert "ann plays as ann v2: its program" in life.run("--retire", "cat")
    assert sorted(one.name for one in background_of([life.out]).versions) == [
        "ann",
        "ann v2",
        "bob",
    ]
    with closing(Store(life.out)) as store:
        assert store.note(SPENT) == ["bob"], "the new one has done nothing yet"


REFUSED: Final = (
    *(("--retire", "eve"), ("--retire", "ann"), ("--bot", "greedy", "--bot", "random")),
    *(("--bot", "greedy", "--add", "random"), ("--format", "swiss"), ("--format", "chess")),
    ("--output", "elsewhere"),
)


def test_what_no_pool_does_is_refused_and_changes_nothing(life: Life, golden: Golden) -> None:
    life.out.mkdir()
    said = {"nothing to play": commands.arena("run", life.out).err}
    assert not list(life.out.iterdir())
    life.begin("ann", "bob")
    before = (life.out / "tournament.toml").read_bytes()
    for words in REFUSED:
        refused = commands.arena("run", life.out, *words)
        assert refused.status == 2
        said[" ".join(words)] = refused.err
        assert (life.out / "tournament.toml").read_bytes() == before
    golden(said)


def test_a_full_disk_names_the_command_that_loses_no_flag(life: Life) -> None:
    life.begin("ann", "bob")
    again: dict[tuple[str, ...], str] = {(): f"resume with: arena run --output {life.out}"}
    again[tuple(life.add("cat"))] = "run the same command again to resume"
    for words, said in again.items():
        full = DiskError("the disk is full", is_full=True)
        with mock.patch.object(folder, "_played", side_effect=full):  # whatever it fills
            ran = commands.arena("run", life.out, *words)
        assert ran.status == 5
        assert ran.err.endswith(f"hint: when the disk has recovered, {said}\n")


def test_a_configuration_elsewhere_does_not_take_the_place_of_edits(
    life: Life, golden: Golden
) -> None:
    config = life.place / "lab.toml"
    bots = [f'[[bot]]\nname = "{name}"\n' for name in ("greedy", "random")]
    config.write_text('format = "pool"\ngames = ["yavalath"]\n' + "".join(bots))
    words = ("run", config, "--output", life.out, "-q", "--no-report")
    assert commands.arena(*words).status == 0
    config.write_text(config.read_text() + '[[bot]]\nname = "monte-carlo"\n')
    assert commands.arena(*words).status == 0
    assert life.playing == ["greedy", "random", "monte-carlo"]
    life.edit("games =", "# mine\ngames =")
    refused = commands.arena(*words), commands.arena(*words, "--add", "x=y")
    assert [one.status for one in refused] == [2, 2]
    golden("".join(one.err for one in refused))


def test_what_is_edited_while_a_run_begins_is_not_written_over(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    life.begin("ann", "bob")
    prepare = store.prepare_folder

    def edited(path: Path) -> None:
        prepare(path)
        life.edit("rounds = 3", "rounds = 4")

    monkeypatch.setattr(folder, "prepare_folder", edited)
    refused = commands.arena("run", life.out, "--tc", "nodes 1")
    assert refused.status == 2
    assert "tournament.toml: was edited after this run had read it\nhint: start" in refused.err
    assert life.toml["rounds"] == 4


def test_a_bundled_bot_of_a_new_pool_needs_no_command(life: Life) -> None:
    life.run("--add", "greedy", *life.add("ann"), "--game", "yavalath")
    rows = life.toml["bot"]
    assert (rows[0], rows[1]["command"][-1]) == ({"name": "greedy"}, str(life.nets / "ann"))
    life.run()
    assert life.playing == ["greedy", "ann"]


def test_what_is_valid_of_a_pool_goes_on_elsewhere_with_its_versions(life: Life) -> None:
    life.begin("ann", "bob")
    (life.nets / "bob").write_text("better")
    life.edit(f"{life.nets}/", "../nets/")
    life.run()
    before = stored(life.out, GAME)
    for is_noted, playing in ((True, "bob v2"), (False, "bob")):
        out = life.place / f"deeper {is_noted}" / "sound"
        out.parent.mkdir()
        if not is_noted:
            with closing(sqlite3.connect(life.out / "tournament.db")) as database, database:
                database.execute("DELETE FROM about WHERE key = 'versions'")
        assert commands.arena("check", life.out, "--sound", out).status == int(not is_noted)
        life.out = out
        life.run()
        assert (stored(life.out, GAME), life.playing) == (before, ["ann", playing])
    (life.nets / "bob").write_text("better still")
    life.run()
    assert life.playing == ["ann", "bob v3"], "bob v2 has played"
