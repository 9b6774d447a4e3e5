"""A pool lives on, whatever comes, goes or is edited: no game is lost, and none is played twice."""

from __future__ import annotations

import json
import sqlite3
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any, Final
from unittest import mock

import bad_bots
import commands
import pytest
from arena_runs import Range, numbers, wait_until_it_plays
from quick_runs import play_nothing

from lath.arena.errors import DiskError
from lath.arena.tournament import folder
from lath.arena.tournament.database import SPENT
from lath.arena.tournament.runner import Runner
from lath.arena.tournament.sources import background_of
from lath.arena.tournament.store import Store
from lath.arena.tournament.versions import digest_of
from lath.reports.background import Version

BOTS: Final = ("ann", "bob", "cat", "dan")

Key = tuple[object, ...]


class Life:
    """A pool, what is known of it from outside, and what must hold after every run."""

    def __init__(self, place: Range) -> None:
        self.place = place
        self.out = place.folder / "out"
        self.nets = place.folder / "nets"
        self.nets.mkdir()
        self.seen: dict[int, Key] = {}
        self.times: dict[int, str] = {}

    def add(self, name: str) -> str:
        """Return what `--add` says of a bot that is a program and a file that may be edited."""
        (self.nets / name).write_text(f"{name}, as it began")
        words = " ".join(bad_bots.command(bad_bots.PlaysBySeed))
        return f"{name}={words} '{self.nets / name}'"

    def run(self, *words: object) -> str:
        """Go on with nothing in the way; return what is said."""
        ran = commands.arena("run", self.out, *words, "-q", "--no-report")
        assert ran.status == 0, ran.err
        self.check(is_complete=True)
        return ran.err

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
    def versions(self) -> tuple[Version, ...]:
        return background_of([self.out]).versions

    @property
    def playing(self) -> list[str]:
        return [version.name for version in self.versions if not version.retired]

    def games(self) -> dict[int, Key]:
        columns = "number, first, second, game, round, result, checksum"
        with closing(sqlite3.connect(self.out / "tournament.db")) as database:
            rows = database.execute(f"SELECT {columns} FROM game ORDER BY number")
            return {number: tuple(rest) for number, *rest in rows}

    def check(self, *, is_complete: bool = False) -> None:
        """Compare what is stored with what was, and with what is wanted."""
        games = self.games()
        assert self.seen.items() <= games.items(), "a game is lost, or another one"
        self.seen = games
        time = json.dumps(self.toml["time"])
        self.times |= {number: self.times.get(number, time) for number in games}
        seats = Counter((*game[:4], self.times[number]) for number, game in games.items())
        assert set(seats.values()) == {1}, "a seat of an opening was played twice"
        if is_complete:
            rounds = range(1, self.toml["rounds"] + 1)
            for one, other in combinations(self.playing, 2):
                for game in self.toml["games"]:
                    for names in ((one, other), (other, one)):
                        played = {seat for seat in rounds if (*names, game, seat, time) in seats}
                        assert played == {*rounds}, (names, game)


@pytest.fixture
def life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Life]:
    with monkeypatch.context() as patch, Range(tmp_path) as place:
        play_nothing(patch)
        yield Life(place)


def killed_after(life: Life, *words: object, games: int) -> None:
    """Let a real run be killed in the middle."""
    with mock.patch.object(
        life.place, "variables", {**life.place.variables, "LATH_BOT_PACE_S": "0.003"}
    ):
        process = life.place.begin("run", life.out, *words, "-q", "--no-report")
    wait_until_it_plays(life.place, process, games=len(numbers(life.out)) + games)
    process.kill()
    process.communicate()
    life.check()


def test_a_pool_of_six_bots_lives_through_ten_changes(life: Life) -> None:
    # 1: a round robin is taken over
    bots = [word for name in BOTS for word in ("--bot", life.add(name))]
    words = ("--game", "yavalath", "--rounds", "2", "--jobs", "2", "--tc", "move 5", "-q")
    begun = ("run", "--out", life.out, *bots, *words, "--no-report", "--budget", "10")
    assert commands.arena(*begun).status == 0
    assert 10 <= len(life.games()) < 24
    assert "a pool from here on" in life.run("--format", "pool")
    # 2, 3: two bots come
    life.run("--add", life.add("eve"), "--add", life.add("fay"))
    assert len(life.games()) == 15 * 4
    # 4: one is edited
    (life.nets / "bob").write_text("bob, better")
    assert "bob plays as bob v2: " in life.run()
    assert len(life.games()) == 20 * 4
    # 5: more rounds, and the run is killed
    killed_after(life, "--rounds", "9", games=5)
    life.run()
    assert len(life.games()) == 20 * 4 + 15 * 14
    # 6: one goes
    life.run("--retire", "cat")
    # 7: another game, by hand
    life.edit('games = ["yavalath"]', 'games = ["yavalath", "surikata"] # both')
    life.edit("rounds = 9", "rounds = 1")
    before = len(life.games())
    life.run()
    assert len(life.games()) == before + 10 * 2
    # 8: another time control
    before = len(life.games())
    life.run("--tc", "move 4")
    assert len(life.games()) == before + 10 * 2 * 2
    # 9: the edited bot is edited back
    (life.nets / "bob").write_text("bob, as it began")
    before = len(life.games())
    assert "bob plays as bob, which it was before" in life.run()
    assert len(life.games()) == before + 4 * 2 * 2
    # 10: all of them move
    life.nets = life.nets.rename(life.place.folder / "moved")
    life.edit("/nets/", "/moved/")
    before = len(life.games())
    assert life.run() == ""
    assert len(life.games()) == before
    assert life.playing == ["ann", "bob", "dan", "eve", "fay"]
    assert [version.name for version in life.versions] == [*BOTS, "eve", "fay", "bob v2"]
    assert "# both" in (life.out / "tournament.toml").read_text()


def test_what_is_edited_by_hand_and_by_flags_stays_as_it_is_written(life: Life) -> None:
    life.run("--add", life.add("ann"), "--add", life.add("bob"), "--game", "yavalath")
    path = life.out / "tournament.toml"
    written = f"# my lab\n{path.read_text()}".replace("rounds = 3", "rounds   =  3  # for now")
    path.write_bytes(written.replace("\n", "\r\n").encode())
    before, file = path.read_bytes(), path.stat().st_ino
    life.run()
    assert (path.read_bytes(), path.stat().st_ino) == (before, file), "it is not even written"
    life.run("--rounds", 4, "--add", life.add("cat"))
    text = path.read_bytes().decode()
    assert text.startswith("# my lab\r\n")
    assert "rounds   =  4  # for now\r\n" in text
    assert text.count("\n") == text.count("\r\n"), "what is new, too"
    life.run("--retire", "cat", "--rounds", 3)
    assert tomllib.loads(path.read_text()) == tomllib.loads(before.decode())


def test_files_of_a_bot_count_wherever_they_are(life: Life) -> None:
    (life.nets / "deep").mkdir()
    for name in ("ann", "deep/weights", ".hidden", "__pycache__"):
        path = life.nets / name
        path.mkdir() if name.startswith("__") else path.write_text(name)
    life.run("--add", life.add("ann"), "--add", life.add("bob"), "--game", "yavalath")
    life.edit('name = "ann"', 'name = "ann"\nfiles = ["../nets/deep", "../nets"]')
    assert "ann plays as ann v2: " in life.run(), "it says more of what it is"
    (life.nets / ".hidden").write_text("another")
    (life.nets / "__pycache__/mybot.pyc").write_text("new")
    assert life.run() == ""
    life.nets = life.nets.rename(life.place.folder / "moved")
    life.edit("nets/", "moved/")
    life.edit("../nets", "../moved")
    assert life.run() == ""
    (life.nets / "deep/weights").rename(life.nets / "deep/w2")
    assert "ann plays as ann v3: " in life.run()
    (life.nets / "bob").write_text("better")
    assert "bob plays as bob v2: " in life.run()


def test_the_python_that_runs_the_arena_makes_no_version(tmp_path: Path) -> None:
    (link := tmp_path / "python").symlink_to(sys.executable)
    words = ("-m", "lath.bots.greedy")
    here, there = (digest_of((str(path), *words), {}, (), {}) for path in (sys.executable, link))
    assert here == there != digest_of(("node", *words), {}, (), {})


def test_a_name_that_another_bot_has_is_passed_by(life: Life) -> None:
    three = [word for name in ("ann", "bob", "ann v2") for word in ("--add", life.add(name))]
    life.run(*three, "--game", "yavalath")
    (life.nets / "ann").write_text("better")
    life.run("--add", life.add("ann v4"))
    (life.nets / "ann").write_text("better still")
    life.run()
    assert [(one.name, one.number) for one in life.versions if one.bot == "ann"] == [
        ("ann", 1),
        ("ann v3", 3),
        ("ann v5", 5),
    ]


def test_a_version_without_games_leaves_its_name_to_the_next(life: Life) -> None:
    def run_of_none(*words: object) -> None:
        with mock.patch.object(Runner, "run", Runner.summary):  # no bot could be started
            commands.arena("run", life.out, *words, "-q", "--no-report")

    run_of_none("--add", life.add("ann"), "--add", life.add("bob"), "--game", "yavalath")
    (life.nets / "ann").write_text("mended")
    assert life.run() == ""
    assert sorted(life.playing) == ["ann", "bob"]
    (life.nets / "ann").write_text("better, but broken")
    run_of_none("--add", life.add("cat"))
    assert sorted(life.playing) == ["ann v2", "bob", "cat"]
    with closing(Store(life.out)) as store:
        store.keep_notes({SPENT: ["ann v2", "bob"]})
    (life.nets / "ann").write_text("better")
    assert "ann plays as ann v2: its program" in life.run("--retire", "cat")
    assert sorted(one.name for one in life.versions) == ["ann", "ann v2", "bob"]
    with closing(Store(life.out)) as store:
        assert store.note(SPENT) == ["bob"], "the new one has done nothing yet"


REFUSED: Final = (
    (("--retire", "eve"), "--retire 'eve': {out}/tournament.toml has ann, bob"),
    (("--retire", "ann"), "expected at least two bots, found 1"),
    (("--bot", "greedy", "--bot", "random"), "has the bots ann, bob: --add and --retire"),
    (("--bot", "greedy", "--add", "random"), "--bot is not for a roster that --add"),
    (("--format", "swiss"), "{out} is a pool, and stays one: format = "),
    (("--format", "chess"), "the command line: format = "),
    (("--out", "elsewhere"), "is a directory that is gone on with: leave --out elsewhere out"),
)
"""Words, and what is said of them."""


def test_what_no_pool_does_is_refused_and_changes_nothing(life: Life) -> None:
    life.run("--add", life.add("ann"), "--add", life.add("bob"), "--game", "yavalath")
    before = (life.out / "tournament.toml").read_bytes()
    for words, said in REFUSED:
        refused = commands.arena("run", life.out, *words)
        assert refused.status == 2
        assert said.format(out=life.out) in refused.err
        assert (life.out / "tournament.toml").read_bytes() == before


def test_a_full_disk_names_the_command_that_loses_no_flag(life: Life) -> None:
    life.run("--add", life.add("ann"), "--add", life.add("bob"), "--game", "yavalath")
    again = {(): f"arena run --out {life.out}", ("--add", life.add("cat")): "the same command"}
    for words, said in again.items():
        with mock.patch.object(
            folder, "_played", side_effect=DiskError("the disk is full", is_full=True)
        ):
            ran = commands.arena("run", life.out, *words)
        assert ran.status == 5
        assert ran.err.endswith(f"go on with: {said}\n")


def test_a_configuration_elsewhere_does_not_take_the_place_of_edits(life: Life) -> None:
    config = life.place.folder / "lab.toml"
    bots = [f'[[bot]]\nname = "{name}"\n' for name in ("greedy", "random")]
    config.write_text('format = "pool"\ngames = ["yavalath"]\n' + "".join(bots))
    words = ("run", config, "--out", life.out, "-q", "--no-report")
    assert commands.arena(*words).status == 0
    config.write_text(config.read_text() + '[[bot]]\nname = "monte-carlo"\n')
    assert commands.arena(*words).status == 0
    assert life.playing == ["greedy", "random", "monte-carlo"]
    life.edit("games =", "# mine\ngames =")
    refused = commands.arena(*words)
    assert refused.status == 2
    assert (
        "was edited since a run wrote it, and would be lost; go on with `arena run" in refused.err
    )
    refused = commands.arena(*words, "--add", "x=y")
    assert "--add and --retire change what is in a directory: name that instead" in refused.err


def test_what_is_edited_while_a_run_begins_is_not_written_over(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    life.run("--add", life.add("ann"), "--add", life.add("bob"), "--game", "yavalath")
    adopt = folder.prepare_folder

    def edited(path: Path) -> None:
        adopt(path)
        life.edit("rounds = 3", "rounds = 4")

    monkeypatch.setattr(folder, "prepare_folder", edited)
    refused = commands.arena("run", life.out, "--tc", "nodes 1")
    assert refused.status == 2
    assert "tournament.toml was edited since this run has read it: start it again" in refused.err
    assert life.toml["rounds"] == 4


def test_a_bundled_bot_of_a_new_pool_needs_no_command(life: Life) -> None:
    life.run("--add", "greedy", "--add", life.add("ann"), "--game", "yavalath")
    rows = life.toml["bot"]
    assert rows[0] == {"name": "greedy"}
    assert rows[1]["command"][-1] == str(life.nets / "ann")
    life.run()
    assert life.playing == ["greedy", "ann"]


def test_a_folder_that_holds_nothing_to_play_is_refused(life: Life) -> None:
    life.out.mkdir()
    refused = commands.arena("run", life.out)
    assert refused.status == 2
    assert f"{life.out} has no tournament.toml, so nothing to go on with" in refused.err
    assert not list(life.out.iterdir())


def test_what_is_sound_of_a_pool_goes_on_elsewhere_with_its_versions(life: Life) -> None:
    life.run("--add", life.add("ann"), "--add", life.add("bob"), "--game", "yavalath")
    (life.nets / "bob").write_text("better")
    life.edit(f"{life.nets}/", "../nets/")
    life.run()
    before = life.games()
    for is_noted, playing in ((True, "bob v2"), (False, "bob")):
        out = life.place.folder / f"deeper {is_noted}" / "sound"
        out.parent.mkdir()
        if not is_noted:
            with closing(sqlite3.connect(life.out / "tournament.db")) as database, database:
                database.execute("DELETE FROM about WHERE key = 'versions'")
        assert commands.arena("check", life.out, "--sound", out).status == int(not is_noted)
        life.out = out
        life.run()
        assert life.games() == before
        assert life.playing == ["ann", playing]
    (life.nets / "bob").write_text("better still")
    life.run()
    assert life.playing == ["ann", "bob v3"], "bob v2 has played"
