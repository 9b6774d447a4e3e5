"""A bot's files are known again: who goes on with another program is told, and asked."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bad_bots
import pytest
from arena_runs import arena, numbers, sequence
from quick_runs import play_here, play_nothing

from lath import games
from lath.arena.errors import ConfigError
from lath.arena.flows.runs import RunResult, tournament
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.originals import change_in
from lath.arena.tournament.outcome.notes import changes_in
from lath.arena.tournament.run.resuming import changes, fingerprints, watched

if TYPE_CHECKING:
    from golden import Golden

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
"""SHA-256 of `abc`; FIPS 180-2, appendix B.1."""


def spec(*command: str) -> BotSpec:
    return BotSpec(name="ann", command=command)


def test_program_and_arguments_that_are_files_have_fingerprints(tmp_path: Path) -> None:
    program, weights, link = tmp_path / "bot", tmp_path / "weights", tmp_path / "python"
    for path in (program, weights):
        path.write_text("abc")
    link.symlink_to(sys.executable)
    bot = spec(str(program), "--threads", "2", str(weights), str(tmp_path), "weights")
    assert fingerprints([bot]) == {"ann": {str(program): ABC, str(weights): ABC}}
    for words in ((str(link), "-m", "lath.bots.greedy"), ("node", "-e", "1")):
        assert fingerprints([spec(*words)]) == {"ann": {}}, "of a program of the system"
    if os.geteuid():  # root may read everything
        program.chmod(0)
        with pytest.raises(ConfigError, match="bot cannot be read: Permission denied"):
            fingerprints([bot])


def test_changes_are_other_files_new_ones_and_missing_ones_of_bots_in_both() -> None:
    before = {"ann": {"/a": "1", "/b": "2", "/gone": "3"}, "old": {"/a": "1"}}
    now = {"ann": {"/a": "1", "/b": "9", "/new": "4"}, "new": {"/a": "2"}}
    assert changes(before, now) == [("ann", "/b"), ("ann", "/gone"), ("ann", "/new")]
    assert changes({}, now) == []


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Return the words of a run, one of whose bots is a file that can be changed."""
    (tmp_path / "mybot.py").write_text(bad_bots.program())
    mine = f"mine={shlex.quote(sys.executable)} -I -S mybot.py Good"
    other = f"other={shlex.join(bad_bots.command(bad_bots.Good))}"
    words = ["run", "--game", "yavalath", "--tc", "move 5", "--bot", mine, "--bot", other]
    return [*words, "--output", "out", "--jobs", "1", "--no-report", "-q"]


@pytest.fixture
def begun(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the words of a run in which every game is won at once; it has played two."""
    play_nothing(monkeypatch)
    assert arena(*words, "--rounds", "1", cwd=tmp_path).returncode == 0
    return words


def test_who_goes_on_with_another_program_is_refused_without_force(
    begun: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    mine = tmp_path / "mybot.py"
    text = mine.read_text()

    def refused(*more: object) -> str:
        ran = arena(*(more or (*begun, "--rounds", "2")), cwd=tmp_path)
        assert ran.returncode == 2
        assert numbers(tmp_path / "out") == [1, 2]
        return ran.stderr

    shutil.copy(mine, tmp_path / "newbot.py")
    said = {}
    for force in ([], ["--force"]):
        other = [word.replace("mybot.py", "newbot.py") for word in begun]
        said["another command"] = refused(*other, *force)
    mine.write_text(f"{text}# better\n")
    said["another file"] = refused()
    assert "rounds = 1" in (tmp_path / "out" / "tournament.toml").read_text()
    mine.unlink()
    said["no file"] = refused("run", "out")
    mine.write_text(text)
    with monkeypatch.context() as patch:
        patch.setattr(games.get("yavalath"), "rules", "2", raising=False)
        said["other rules"] = refused()
    mine.write_text(f"{text}# better\n")
    forced = arena(*begun, "--rounds", "2", "--force", cwd=tmp_path)
    assert forced.returncode == 0
    golden({**said, "with --force": forced.stderr})
    again = arena(*begun, "--rounds", "3", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, ""), "it is known from then on"
    (change_of_file,) = changes_in([tmp_path / "out"])
    assert change_of_file.setting == f"file {mine}"
    assert change_of_file.before != change_of_file.now
    assert (change_of_file.bot, change_of_file.games) == ("mine", 2)
    assert numbers(tmp_path / "out") == sequence(6)


def test_a_bot_may_change_before_its_first_game(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mybot.py").write_text("raise SystemExit(1)")
    play_here(monkeypatch)
    assert arena(*words, "--rounds", "1", cwd=tmp_path).returncode == 1
    (tmp_path / "mybot.py").write_text(bad_bots.program())
    assert arena(*words, "--rounds", "1", cwd=tmp_path).returncode == 0


def test_a_bot_whose_file_changes_while_it_plays_is_refused_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.py").write_text(bad_bots.program())
    mark, new = tmp_path / "started", tmp_path / "new.py"
    new.write_text(f"open({str(mark)!r}, 'w')\n" + bad_bots.program())
    # It is another file while it plays its second game, as where somebody compiles it anew.
    begins = "import os; os.chdir({!r}); starts = open('starts', 'a'); starts.write('x')\n"
    begins += "if starts.tell() == 4: os.replace('new.py', 'mybot.py')\n"
    text = begins.format(str(tmp_path)) + bad_bots.program()
    (tmp_path / "mybot.py").write_text(text)
    kinds = {
        "mine": "mybot.py LeavesAfterEachGame; sandbox=none",
        "ann": "other.py Good",
        "bob": "other.py Good",
    }
    bots = [f"{name}={shlex.quote(sys.executable)} -I -S {kind}" for name, kind in kinds.items()]

    def run(**more: object) -> RunResult:
        settings: Any = {"games": ["yavalath"], "rounds": 8, "tc": "move 5", "jobs": 1, **more}
        return tournament(bots=bots, report=False, **settings)

    result = run()
    assert {*result.summary.stopped} == {frozenset({"mine", other}) for other in ("ann", "bob")}
    for why in result.summary.stopped.values():
        assert f"mine: {tmp_path}/mybot.py has changed since this run began" in str(why)
    played = Counter(frozenset((game.first, game.second)) for game in result.games)
    assert played[frozenset(("ann", "bob"))] == 16
    assert 0 < played[frozenset(("mine", "ann"))] < 16
    assert not mark.exists(), "nobody has started it"
    assert not [bot for bot in result.bots if any(bot.lost_by.values())]
    with pytest.raises(ConfigError, match="has changed since games were played"):
        run()


def test_what_is_written_anew_but_the_same_is_no_change(tmp_path: Path) -> None:
    program, home = tmp_path / "bot", tmp_path / "home"
    (home / "deep").mkdir(parents=True)
    for path in (program, home / "net.bin", home / "deep" / "table"):
        path.write_text("abc")
    bot = BotSpec(name="ann", command=(str(program),), files=(str(home),))
    (bot,) = watched([bot], fingerprints([bot]))
    assert change_in(bot.originals) == ""
    program.unlink()
    program.write_text("abc")
    for name in ("__pycache__/x.pyc", ".hidden", "out/tournament.db", "out/games.lath"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).touch()
    assert change_in(bot.originals) == ""
    (home / "deep" / "new").touch()
    assert change_in(bot.originals) == f"{home}/deep/new is new"
    (home / "deep" / "new").unlink()
    (home / "net.bin").rename(home / "deep" / "net.bin")
    assert " was removed" in change_in(bot.originals)
    (home / "deep" / "net.bin").rename(home / "net.bin")
    assert change_in(bot.originals) == ""
    (home / "net.bin").write_text("abd")
    assert change_in(bot.originals) == f"{home}/net.bin has changed"
    program.unlink()
    assert change_in(bot.originals) == f"{program} was removed"
    program.write_text("abd")  # before the first game
    with pytest.raises(ConfigError, match=f"{program} has just changed; start the run again"):
        watched([spec(str(program))], {"ann": {str(program): ABC}})
