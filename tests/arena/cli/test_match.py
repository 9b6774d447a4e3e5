"""Is it better? `arena match` takes two bots from wherever they are, and says what it came to."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import product
from pathlib import Path
from typing import Final
from unittest import mock

import commands
import pytest
from commands import Ran
from processes import gone
from quick_runs import won_by
from sample_records import bare
from tools import needs

from lath.arena import matches, runs
from lath.arena.__main__ import run
from lath.arena.cli.match import _losses, _sentences
from lath.arena.errors import ArenaError, ConfigError, GameVoidError, InUseError
from lath.arena.referee import trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.conversation import Bot
from lath.arena.schedule.fixed import SprtStanding
from lath.arena.schedule.sprt import Sprt, state
from lath.arena.tournament import builds, revisions
from lath.arena.tournament import folder as directory
from lath.arena.tournament.entrants import origin_of, table_in
from lath.arena.tournament.outcomes import outcome_of, points
from lath.arena.tournament.pages import made_by
from lath.arena.tournament.revisions import revision, workshop
from lath.arena.walls import bubblewrap

BOT: Final = Path("examples/bots/legal.sh").resolve()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which commands are typed; matches are kept in `state` beside it."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for kind in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{kind}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{kind}_EMAIL", "ann@example.org")
    return home


def played(*words: object) -> Ran:
    return commands.arena("match", "greedy", "new=random", *words)


def process_name(number: int) -> str:
    """Return what a process is called; empty where it is none."""
    with suppress(OSError):
        name, state = Path(f"/proc/{number}/stat").read_text().split()[1:3]
        return "" if state == "Z" else name.strip("()")
    return ""


# What it comes to


@pytest.mark.parametrize(
    ("winner", "status", "said"),
    [
        ("new", 10, r"new is stronger than greedy: 56 of 56 points \(H1 accepted after 28 pairs"),
        ("greedy", 11, r"new is weaker than greedy: 0 of 50 points \(H0 accepted after 25 pairs"),
        (
            "first",
            11,
            r"new is not told apart from greedy: \d+ of \d+ points; a lead of new by 40 ",
        ),
    ],
)
def test_a_verdict_is_said_first_and_has_a_status_of_its_own(
    winner: str, status: int, said: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won_by(monkeypatch, winner)
    ended = played("--budget", "2000", "-q")
    assert (ended.status, ended.err) == (status, "")
    assert re.match(said, ended.out), ended.out
    assert not list(home.iterdir()), "what is kept is kept elsewhere"


COUNTS: Final = (
    *((0,) * 5, (0, 0, 0, 0, 28), (25, 0, 0, 0, 0), (3, 9, 30, 7, 1), (9, 2, 1, 2, 30)),
    *((40, 9, 900, 9, 48), (90, 9, 1, 2, 30), (1, 0, 1, 0, 2)),
)
"""Pairs of 0, ½, 1, 1½ and 2 points of the new bot."""


@pytest.mark.parametrize("sprt", [(0, 40), (-50, 0), (-50, 50), (5, 80), (-80, -5)])
def test_whatever_is_found_it_is_said_of_the_bot_that_was_asked_about(
    sprt: tuple[int, int],
) -> None:
    test, seen = Sprt(elo0=sprt[0], elo1=sprt[1]), set()
    for counts, is_of_old in product(COUNTS, (False, True)):
        now = state(test, counts)
        seen.add(now.verdict)
        standing = SprtStanding(names=("new", "old"), sprt=test, state=now, has_stopped=True)
        outcome = outcome_of(standing, "match")
        summary = mock.Mock(outcome=outcome, bots=(), unable=lambda _: ())
        ended = matches.Played(("old", "new"), is_of_old, Path(), summary, mock.Mock())
        said = list(_sentences(ended))
        mine, other = ("old", "new") if is_of_old else ("new", "old")
        assert is_of_old or outcome.verdict == said[0], "the report says the same"
        if not any(counts):
            assert said == [f"{mine} has played no whole pair of games against {other} yet"]
            continue
        halves = sum(n * count for n, count in enumerate(counts))
        halves = 4 * sum(counts) - halves if is_of_old else halves
        score = f"{points(halves / 2)} of {2 * sum(counts)} points"
        ways = {"stronger than": 1, "weaker than": -1, "not told apart from": 0}
        told = re.match(rf"{mine} (is|seems) ({'|'.join(ways)}) {other}: {score}", said[0])
        assert told, said[0]
        assert " not " not in said[0].removeprefix(f"{mine} is not told apart from ")
        ahead = 2 * halves - 4 * sum(counts)
        assert ways[told[2]] * ahead >= 0, said
        assert "won all" not in said[1] or halves == 4 * sum(counts)
        strength = re.search(r"([+-]\d+) Elo", said[1])
        assert strength, said[1]
        assert ways[told[2]] * int(strength[1]) >= 0, said
    assert seen == {"H0", "H1", None}


def test_nobody_is_stronger_than_a_bot_that_has_made_no_move(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.is_dir()
    won_by(monkeypatch, "greedy", termination="crash")
    ended = played("--budget", "2000", "-q")
    lost = r"new has made no move in \d+ games \(\d+ lost by crash\), so nothing is known of its "
    assert ended.status == 1
    assert re.fullmatch(rf"{lost}strength\n", ended.out), ended.out
    assert json.loads(played("--budget", "2000", "--json").out)["verdict"] is None
    with pytest.raises(ArenaError, match=lost):
        matches.match("greedy", "new=random", budget=8)


def test_a_match_names_its_clock_and_offers_itself_with_all_that_was_said(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.is_dir()
    won_by(monkeypatch, "first")
    ended = played("--budget", "4", "--tc", "move 0.2", "--seed", "5", "--sprt", "0,9")
    assert ", clock move 0.2, of 4 games" in ended.out
    (offer,) = (line for line in ended.err.splitlines() if line.startswith("more surely: "))
    command = "arena match greedy new=random --tc 'move 0.2' --budget 10m --sprt 0,9 --seed 5"
    assert offer == f"more surely: {command}"
    assert "arena explain" not in ended.err
    won_by(monkeypatch, "greedy")
    assert "where it loses: arena explain new " in played("--budget", "4", "--seed", "6").err


def test_the_report_lies_where_the_match_was_typed_and_replaces_nothing_of_others(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won_by(monkeypatch, "first")
    monkeypatch.setattr(matches, "play", directory.run)
    (home / "greedy-new.html").write_text("mine")
    for _ in range(2):
        assert played("--budget", "2").err.splitlines()[-1] == "report: greedy-new-2.html"
    assert (home / "greedy-new.html").read_text() == "mine"
    assert made_by(home / "greedy-new-2.html") == "report"
    last = played("--budget", "2", "--out", "out").err.splitlines()[-1]
    assert last == "report: out/report.html"
    assert len(list(home.iterdir())) == 3


def test_a_match_goes_on_until_it_is_decided_unless_its_terms_are_others(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.is_dir()
    won_by(monkeypatch, "first")
    one, two = played("--budget", "4"), played("--budget", "6")
    assert (one.status, two.status) == (12, 12)
    first, second = one.out.splitlines()[:2]
    assert first == (
        "new is not told apart from greedy: 2 of 4 points "
        "(undecided so far: neither H0 nor H1 accepted after 2 pairs)"
    )
    clock = re.escape("clock 0.5+0.01 first 1")
    assert re.fullmatch(
        rf"expected score 50.0%, \+0 Elo \(95 %: -\d+ to \+\d+\), {clock}, of 4 games", second
    )
    assert "of 10 games" in two.out, "the second goes on"
    assert "more surely: arena match greedy new=random --budget 10m\n" in two.err
    (kept,) = (tmp_path / "state" / "lath-arena" / "matches").iterdir()
    assert f"look further: arena rate {kept}" in two.err
    other = played("--budget", "4", "--tc", "move 1")
    assert "of 4 games" in other.out
    assert len(list(kept.parent.iterdir())) == 2


def test_programs_get_json(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    won_by(monkeypatch, "new")
    ended = played("--budget", "2000", "--json", "--out", home / "out")
    said = json.loads(ended.out)
    assert ended.status == 10
    assert (said["verdict"], said["old"], said["new"]) == ("better", "greedy", "new")
    assert said["games"] > 4
    assert said["folder"] == str(home / "out")
    assert said["lost_by"]["new"] == {"crash": 0, "time": 0, "illegal move": 0, "flood": 0}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_the_status_holds_whoever_reads_the_verdict(
    flags: tuple[str, ...], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.is_dir()
    won_by(monkeypatch, "new")
    reader, writer = os.pipe()
    os.close(reader)
    monkeypatch.setattr(trees, "adopt_orphans", lambda: None)
    for fileno, said in ((writer, ""), (os.open("/dev/full", os.O_WRONLY), "No space left on")):
        err = io.StringIO()
        with open(fileno, "w") as nobody, redirect_stdout(nobody), redirect_stderr(err):  # noqa: PTH123 - a descriptor
            assert run(["match", "greedy", "new=random", "--budget", "2000", *flags]) == 10
        assert ("the verdict could not be written" in err.getvalue()) is bool(said)
        assert said in err.getvalue()


def test_a_directory_that_holds_something_else_is_left_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won_by(monkeypatch, "first")
    assert played("--budget", "2", "--out", home / "out").status == 12
    other = played("--budget", "2", "--out", home / "out", "--seed", "2")
    assert other.status == 2
    assert "which is not this match: its bots, their files or its terms are others" in other.err


def test_where_points_were_lost_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.is_dir()
    won_by(monkeypatch, "first")
    ended = played("--budget", "4")
    assert "new scored 100% as first (2 games), 0% as second (2 games)" in ended.out


def test_where_points_were_lost_is_said_of_the_games_that_the_verdict_counts() -> None:
    kinds = [("new", "old", "1-0"), ("old", "new", "1-0"), ("new", "old", "0-1")]
    records = [
        bare(first, second, result, Number=str(number))
        for number, (first, second, result) in enumerate(kinds, 1)
    ]
    assert list(_losses(records, "new", 2)) == [
        "new scored 100% as first (1 games), 0% as second (1 games)"
    ]


# Where bots come from


def a_repository(home: Path) -> None:
    """Make a repository with a bot in its folder `bot`, in the two revisions `old` and HEAD."""

    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=home, check=True, capture_output=True)

    bot = home / "bot"
    bot.mkdir()
    shutil.copy(BOT, bot / "source")
    (bot / "check").write_text("#!/bin/sh\n")
    (bot / "check").chmod(0o755)
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    git("branch", "old")
    (bot / "added").touch()
    git("add", "-A")
    git("commit", "-qm", "two")
    (bot / "source").write_text("not committed")
    (home / "stray").touch()


def everything(home: Path) -> dict[str, bytes]:
    """Return all files, but for reports and what git notes of the times of others."""
    return {
        str(path): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and path.name != "index" and not made_by(path)
    }


def test_a_word_is_a_path_a_bundled_bot_a_revision_or_a_program(home: Path) -> None:
    a_repository(home)
    (home / "v1").mkdir()
    (home / "my.py").touch()
    shutil.copy(BOT, home / "my.bin")
    (home / "my.bin").chmod(0o755)
    assert origin_of("v1", "old")[:7] == ("v1", "folder", home / "v1", None, (), {}, "")
    assert origin_of("a=./v1; option.x=1", "old").parts == {"options": {"x": 1}}
    assert origin_of("my.py", "old").words == (sys.executable, str(home / "my.py"))
    assert origin_of("./my.bin", "old").words == (str(home / "my.bin"),)
    assert origin_of("greedy", "new").kind == "command"
    assert origin_of("best=sh my.bin -v", "new").words == ("sh", str(home / "my.bin"), "-v")
    head = origin_of("HEAD", "new").revision
    assert head is not None
    assert head == revision("HEAD~0", home)
    assert (head.repository, head.folder, len(head.commit)) == (str(home / ".git"), "", 40)
    assert revision("HEAD", home / "bot") == head._replace(folder="bot")
    assert "NEW is HEAD as committed" in origin_of("HEAD", "new").note
    assert not origin_of("old", "old").note
    shutil.copy(BOT, home / "bot" / "source")
    assert not origin_of("HEAD", "new").note, "what is not in the index is no edit"
    (home / "old").mkdir()
    assert origin_of("old", "old").kind == "folder", "a path wins"
    assert origin_of("old", "old").note == "OLD is old, not the revision of this name"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nowhere", "greedy"), "OLD: 'nowhere' is no folder, file, bundled bot, git revision or"),
        (("greedy", "random; cdw=x"), "NEW new: unknown part 'cdw'"),
        (("greedy", "home=.; cwd=."), "NEW: cwd is for commands: a folder is both itself"),
        (("greedy", "random", "--build", "make"), "--build is for folders and git revisions"),
        (("greedy", "random", "--tc", "soon"), "--tc: unknown time control"),
        (("greedy", "random", "--budget", "soon"), "--budget"),
        (("greedy", "random", "--sprt", "5"), "--sprt '5', expected elo0,elo1"),
        (("greedy", "random", "--sprt", "0,1e2"), "--sprt '0,1e2', expected elo0,elo1"),
        (("greedy", "random", "--openings", "x"), "x cannot be read"),
        (("greedy", "random", "--openings", "random"), "openings: 'random', expected random:N"),
        (("greedy", "random", "--run", "./x"), "--run is for folders and git revisions"),
        (("greedy", "."), "NEW, home: how is its bot started?"),
    ],
)
def test_wrong_usage_names_what_is_wrong(words: tuple[str, ...], told: str, home: Path) -> None:
    ended = commands.arena("match", *words)
    assert ended.status == 2
    assert told in ended.err
    assert not list(home.iterdir())


def test_two_bots_of_one_name_are_old_and_new(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.is_dir()
    won_by(monkeypatch, "first")
    ended = commands.arena("match", "greedy", "greedy; option.x=1", "--budget", "2", "-q")
    assert "new is not told apart from old: 1 of 2 points" in ended.out


def a_folder(home: Path, **files: str) -> Path:
    """Make a folder of files; those whose text is `#!` can be executed."""
    folder = home / "folder"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in files.items():
        path = folder / name.replace("__", ".")
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)
    return folder


CONFIG: Final = """
[[bot]]
name = "greedy"
[[bot]]
name = "mine"
command = ["./deep", "-x"]
options = { threads = 2 }
time = { move = "1s" }
"""


def test_a_folder_says_itself_how_its_bot_is_started(home: Path) -> None:
    program = "#!/bin/sh\n"
    toml = a_folder(home, tournament__toml=CONFIG, deep=program, other=program)
    of_toml = {
        "cwd": str(toml),
        "command": [str(toml / "deep"), "-x"],
        "options": {"threads": 2},
        "time": {"move": "1s"},
    }
    assert table_in(toml, "", set(), "OLD") == of_toml
    assert table_in(toml, "./other", set(), "OLD")["command"] == [str(toml / "other")]
    one = a_folder(home, only=program, README="", a__py="")
    assert table_in(one, "", set(), "OLD") == {"cwd": str(one), "command": [str(one / "only")]}
    script = a_folder(home, bot__js="", README="")
    assert table_in(script, "", set(), "OLD")["command"] == ["node", str(script / "bot.js")]
    named = {"bot__js": "", "util__js": "", "test": program}
    package = a_folder(home, package__json='{"main": "./bot.js"}', **named)
    assert table_in(package, "", set(), "OLD")["command"] == ["node", str(package / "bot.js")]
    index = a_folder(home, package__json='{"type": "module"}', index__js="", **named)
    assert table_in(index, "", set(), "OLD")["command"] == ["node", str(index / "index.js")]
    (home / "away.js").touch()
    named_odd = ['{"main": "../away.js"}', '{"main": "away.js"}', '{"main": "away.txt"}']
    for main in (*named_odd, '{"main": "/bin/sh"}', '{"main": 3}', "[]", "{", "{}"):
        away = a_folder(home, package__json=main, away__txt="", **named)
        (away / "away.js").symlink_to(home / "away.js")
        assert table_in(away, "", set(), "OLD")["command"] == [str(away / "test")], main
    two = a_folder(home, test=program, bot=program)
    assert table_in(two, "", {two / "bot"}, "OLD")["command"] == [str(two / "bot")], "it was made"
    with pytest.raises(ConfigError, match=r"OLD: how is .*\(found: bot, test\); say it with --run"):
        table_in(two, "", set(), "OLD")
    many = a_folder(home, tournament__toml=CONFIG.replace('"greedy"', '"a"\ncommand = "x"'))
    with pytest.raises(ConfigError, match=r"has not one bot with a command \(a, mine\); say which"):
        table_in(many, "", set(), "OLD")
    for odd in ("bot = 3", "[[bot]]\ncommand = 3", "[[bot]]\ncommand = []", "x = " + 99 * "["):
        with pytest.raises(ConfigError):
            table_in(a_folder(home, tournament__toml=odd), "", set(), "OLD")


# In a sandbox


def leaving(home: Path, what: str) -> str:
    """Return a shell's command that leaves a mark beside the bots, if it can, and does more."""
    return f"touch {home}/mark-of-{what}; {what}"


@needs("bwrap")
def test_what_a_folder_builds_and_starts_runs_in_the_sandbox_that_is_asked_for(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = a_folder(home, source=BOT.read_text())
    (folder / "tournament.toml").write_text(
        f'[[bot]]\nname = "eve"\ncommand = "./made"\nbuild = "{leaving(home, "make")}"\n'
    )
    start = f"#!/bin/sh\n{leaving(home, 'play')}() {{ sh source; }}; play\n"
    (folder / "Makefile").write_text("all:\n\tcp start made && chmod +x made\n")
    (folder / "start").write_text(start)
    words = ("match", "greedy", folder, "--budget", "2", "--game", "yavalath", "--tc", "nodes 1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home.parent / "cache"))
    assert commands.arena(*words, "--sandbox", "bwrap", "--out", home / "out").status == 12
    assert not list(home.glob("mark*"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home.parent / "another"))  # the build is kept
    assert commands.arena(*words, "--out", home / "other").status == 12
    assert len(list(home.glob("mark*"))) == 2, "without a sandbox it leaves both"


@needs("bwrap")
def test_a_revision_is_built_and_plays_in_the_sandbox_that_is_asked_for(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_repository(home)
    with (home / ".git" / "config").open("a") as config:
        config.write(f'[filter "x"]\nsmudge = "touch {home}/mark-of-git; cat"\n')
    (home / ".git" / "info" / "attributes").write_text("* filter=x\n")
    before = everything(home)
    monkeypatch.chdir(home / "bot")
    made = "cp source made && chmod +x made && sed -i '1i#!/bin/sh' made && ls .. > ../seen"
    build = f"touch {home}/mark; {made}"
    words = ("match", "old", "new=HEAD", "--build", build, "--game", "yavalath", "--budget", "2")
    ended = commands.arena(*words, "--tc", "nodes 1", "--sandbox", "bwrap")
    assert (ended.status, ended.out.split()[:2]) == (12, ["new", "is"]), ended.err
    assert everything(home) == before
    commands.arena("match", "old", "new=HEAD; sandbox=bwrap", *words[3:], "--tc", "nodes 1")
    assert not (home / "mark-of-git").exists(), "they have one repository"
    failed = commands.arena(*words[:3], "--build", "echo broken >&2; exit 7", "--sandbox", "bwrap")
    assert failed.status == 1
    assert failed.err.splitlines()[-2:] == [
        "arena: --build 'echo broken >&2; exit 7' of old exited with status 7:",
        "  broken",
    ]


def test_who_is_greeted_sees_what_it_will_see_when_it_plays(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: "")
    shown: list[str] = []

    def greeted(spec: BotSpec, *_: object, **__: object) -> Bot:
        shown.extend(spec.wall.view.reads)
        raise GameVoidError(spec.name, "it was seen")

    monkeypatch.setattr(runs, "bot_of", greeted)
    outer = a_folder(home, bot__py="")
    (outer / "inner").mkdir()
    (outer / "inner" / "bot.py").touch()
    words = ("match", outer, outer / "inner", "--sandbox", "bwrap", "--out", outer / "out")
    assert "folder: it was seen" in commands.arena(*words).err
    assert str(outer / "bot.py") in shown
    assert str(outer) not in shown, "another bot and the match lie there"


def test_a_sandbox_that_is_not_possible_is_told_before_git_or_a_build_runs(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_repository(home)
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: "bwrap is not installed")
    ended = commands.arena("match", "old", "HEAD", "--build", "touch mark", "--sandbox", "bwrap")
    assert ended.status == 2
    assert "sandbox = 'bwrap': bwrap is not installed" in ended.err


# Git


def test_revisions_are_built_and_play_and_nothing_stays_but_the_match(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_repository(home)
    before = everything(home)
    monkeypatch.chdir(home / "bot")
    build = "cp source made && chmod +x made && sed -i '1i#!/bin/sh' made"
    words = ("old", "new=HEAD", "--build", build, "--game", "yavalath", "--budget", "2")
    ended = commands.arena("match", *words)
    assert (ended.status, ended.out.split()[0]) == (12, "new")
    assert everything(home) == before
    (kept,) = (tmp_path / "state" / "lath-arena" / "matches").iterdir()
    assert not (kept / matches.BUILDS).exists()
    again = commands.arena("match", *words)
    assert "of 4 games" in again.out, again.err
    assert "has changed" not in again.err


MAKES: Final = "cp source made && chmod +x made && sed -i '1i#!/bin/sh' made"
"""Makes a program of the source of a bot in a folder."""


@pytest.mark.parametrize(
    "words",
    [
        ("greedy", "new=./bot", "--build", MAKES),
        ("greedy", f'new=./bot; build="{MAKES}"'),
        ("greedy", f'new=./made; cwd=bot; build="{MAKES}"'),
        ("old", ".", "--build", MAKES),
    ],
    ids=["option", "part", "command", "revision against folder"],
)
def test_a_folder_is_built_in_a_copy(
    words: tuple[str, ...], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(home.parent / "cache"))
    a_repository(home)
    shutil.copy(BOT, home / "bot" / "source")
    before = everything(home)
    if "." in words:
        monkeypatch.chdir(home / "bot")
    ended = commands.arena("match", *words, "--game", "yavalath", "--budget", "2", "--tc", "move 5")
    assert ended.status == 12, ended.err
    assert f": {MAKES}\n" in ended.err
    assert "of 2 games" in ended.out
    assert everything(home) == before


def test_what_is_said_in_a_folder_and_tournaments_there_are_no_sources_of_its_bot(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(home.parent / "cache"))
    (home / "source").write_bytes(BOT.read_bytes())
    (home / "played").mkdir()
    (home / "played" / "tournament.db").touch()
    log = os.open(home / "log", os.O_RDWR | os.O_CREAT)
    monkeypatch.setattr(builds, "_outputs", lambda: iter([os.fstat(log)]))
    made = builds.copy_of(home, "echo built >&2; touch made", "ann", None)
    assert sorted(path.name for path in made.iterdir()) == ["made", "source"]
    os.write(log, b"more")
    assert builds.copy_of(home, "echo built >&2; touch made", "ann", None) == made
    os.close(log)


def test_as_many_games_are_played_at_once_as_jobs_says(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won_by(monkeypatch, "first")
    assert played("--budget", "2", "--out", home / "out", "--jobs", "3").status == 12
    assert tomllib.loads((home / "out" / "tournament.toml").read_text())["jobs"] == 3
    more = played("--budget", "2", "--out", home / "out")
    assert "jobs was 3 and is " in more.err
    assert "of 6 games" not in more.out
    wrong = played("--jobs", "many")
    assert wrong.status == 2
    assert "jobs = \"many\", expected a whole number from 1 to 512, or 'auto'" in wrong.err
    both = played("--jobs", "2", "--cluster", "local:1")
    assert "--jobs is for this machine" in both.err


def test_a_build_that_fails_shows_what_it_said_and_leaves_nothing(
    home: Path, tmp_path: Path
) -> None:
    a_repository(home)
    build = "seq 40; ls bot; echo broken >&2; exit 7"
    ended = commands.arena("match", "old", "greedy", "--build", build)
    assert ended.status == 1
    lines = ended.err.splitlines()
    assert lines[1] == f"arena: --build {build!r} of old exited with status 7:"
    assert lines[2] == "  … 13 lines more"
    assert lines[-3:] == ["  check", "  source", "  broken"]
    assert not list((tmp_path / "state" / "lath-arena" / "matches").iterdir())


def test_a_folder_that_a_revision_does_not_have_is_told(home: Path) -> None:
    a_repository(home)
    (home / "deep").mkdir()
    known = revision("HEAD", home / "deep")
    assert known is not None
    with workshop(home / "out" / "shop") as shop, pytest.raises(ArenaError, match="no folder deep"):
        shop.check_out(known, "old")


def test_what_was_built_goes_with_whoever_is_killed(home: Path) -> None:
    (home / "out").mkdir()
    os.mkfifo(home / "number")
    code = (
        "from pathlib import Path\n"
        "from lath.arena.tournament.revisions import workshop\n"
        "with workshop(Path('out/shop').absolute()) as shop:\n"
        "    Path('out/shop/old').mkdir()\n"
        "    shop.build('echo $$ > ../../../number; exec sleep 600', Path('out/shop/old'), 'old')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=home) as killed:
        number = int((home / "number").read_text())
        shop = workshop(home / "out" / "shop")
        with mock.patch.object(revisions, "PATIENCE_S", 0.0), pytest.raises(InUseError):
            shop.__enter__()
        killed.kill()
    with workshop(home / "out" / "shop"):  # as soon as who clears up has done so
        assert not list((home / "out" / "shop").iterdir())
        assert gone(lambda: process_name(number) == "sleep")
    assert not (home / "out").exists()


def test_a_match_with_a_folder_that_was_edited_begins_anew(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won_by(monkeypatch, "first")
    folder = a_folder(home, bot__py="", net__bin="1")
    words = ("match", "greedy", "folder", "--budget", "2")
    games = [commands.arena(*words).out.splitlines()[1].rpartition(", ")[2] for _ in range(2)]
    (folder / "net.bin").write_text("22")
    games.append(commands.arena(*words).out.splitlines()[1].rpartition(", ")[2])
    assert games == ["of 2 games", "of 4 games", "of 2 games"]


def test_a_match_that_lies_in_the_folder_of_its_bot_goes_on(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won_by(monkeypatch, "first")
    out = a_folder(home, bot__py="") / "deep" / "out"
    words = ("match", "greedy", "folder", "--budget", "2", "--out", out)
    games = [commands.arena(*words).out.splitlines()[1].rpartition(", ")[2] for _ in range(2)]
    assert games == ["of 2 games", "of 4 games"]


def test_another_commit_build_or_part_is_another_match(home: Path) -> None:
    a_repository(home)

    def digest(old: str, build: str = "make", *, part: str = "") -> str:
        both = origin_of(old, "old"), origin_of(f"greedy{part}", "new")
        terms = matches.Terms(
            build=build, run="", games=(), tc="1", sprt="0,5", openings="", seed=1
        )
        return terms.digest(both)

    assert digest("x=HEAD") == digest("x=HEAD~0")
    others = [digest("x=old"), digest("x=HEAD", "make all"), digest("x=HEAD", part="; tc=9")]
    assert len({digest("x=HEAD"), *others}) == 4
