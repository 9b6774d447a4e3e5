"""Is it better? `arena match` takes two bots from wherever they are, and says what it came to."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest import mock

import pytest
from commands import Ran, arena, refusals
from processes import gone
from quick_runs import won_by
from sample_records import bare
from tools import needs

from lath.arena.__main__ import run
from lath.arena.cli.match import _losses, _sentences  # counts of pairs that no short match has
from lath.arena.entrants import builds, revisions
from lath.arena.entrants.bot_folders import table_in
from lath.arena.entrants.origins import origin_of
from lath.arena.entrants.revisions import revision, workshop
from lath.arena.errors import (
    NOTHING,
    ArenaError,
    Cause,
    ConfigError,
    GameVoidError,
    InUseError,
    Obstacle,
)
from lath.arena.flows import matches, runs
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.conversation import Bot
from lath.arena.sandbox import bubblewrap
from lath.arena.schedule.fixed import SprtStanding
from lath.arena.schedule.sprt import Sprt, state
from lath.arena.tournament.outcome.outcomes import outcome_of, points
from lath.arena.tournament.outcome.page_files import made_by
from lath.arena.tournament.run import folder as directory

if TYPE_CHECKING:
    from golden import Golden

BOT: Final = Path("examples/bots/legal.sh").resolve()
LIGHT: Final = f"light={BOT}"
"""A bot that starts in no time."""
QUICK: Final = ("--game", "yavalath:size=3", "--budget", "2", "--tc", "nodes 1", "--jobs", "1")
MAKES: Final = "cp source made && chmod +x made && sed -i '1i#!/bin/sh' made"
"""Makes a program of the source of a bot in a folder."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which commands are typed; matches are kept in `state` beside it."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for kind in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{kind}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{kind}_EMAIL", "ann@example.org")
    return home


def played(*words: object) -> Ran:
    return arena("match", "greedy", "new=random", *words)


def kept(tmp_path: Path) -> list[Path]:
    """Return the directories of matches that name none."""
    return list((tmp_path / "state" / "lath-arena" / "matches").iterdir())


def told(ran: Ran) -> str:
    """Return what a match says, but for how long it took and on which machine."""
    offers = ("play longer: ", "analyse its losses: ", "report: ")
    return ran.out + "".join(
        line + "\n" for line in ran.err.splitlines() if line.startswith(offers)
    )


# What it comes to


def test_a_verdict_is_said_first_and_has_a_status_of_its_own(
    home: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    said = {}
    for seed, (winner, status) in enumerate({"new": 10, "greedy": 11, "first": 11}.items()):
        won_by(monkeypatch, winner)
        ended = played("--budget", "2000", "-q", "--seed", seed)
        assert (ended.status, ended.err) == (status, ""), winner
        # Where nobody leads, a test ends when somebody looks.
        said[f"won by {winner}"] = re.sub(r"\d+", "N", ended.out) * (winner == "first") or ended.out
    assert not list(home.iterdir()), "what is kept is kept elsewhere"
    golden(said)


COUNTS: Final = (
    *((0,) * 5, (0, 0, 0, 0, 28), (25, 0, 0, 0, 0), (3, 9, 30, 7, 1), (9, 2, 1, 2, 30)),
    *((40, 9, 900, 9, 48), (90, 9, 1, 2, 30), (1, 0, 1, 0, 2)),
)
"""Pairs of 0, ½, 1, 1½ and 2 points of the new bot."""


def test_whatever_is_found_it_is_said_of_the_bot_that_was_asked_about() -> None:
    seen = set()
    tests = (0, 40), (-50, 0), (-50, 50), (5, 80), (-80, -5)
    for (elo0, elo1), counts, is_of_old in product(tests, COUNTS, (False, True)):
        test = Sprt(elo0=elo0, elo1=elo1)
        now = state(test, counts)
        seen.add(now.verdict)
        standing = SprtStanding(names=("new", "old"), sprt=test, state=now, has_stopped=True)
        outcome = outcome_of(standing, "match")
        summary = mock.Mock(outcome=outcome, bots=(), unable=lambda _: ())
        said = list(
            _sentences(matches.PlayedMatch(("old", "new"), is_of_old, Path(), summary, mock.Mock()))
        )
        mine, other = ("old", "new") if is_of_old else ("new", "old")
        assert is_of_old or outcome.verdict == said[0], "the report says the same"
        if not any(counts):
            assert said == [f"{mine} has played no whole pair of games against {other} yet"]
            continue
        halves = sum(n * count for n, count in enumerate(counts))
        halves = 4 * sum(counts) - halves if is_of_old else halves
        score = f"{points(halves / 2)} of {2 * sum(counts)} points"
        ways = {"stronger than": 1, "weaker than": -1, "not significantly different from": 0}
        found = re.match(rf"{mine} (is|seems) ({'|'.join(ways)}) {other}: {score}", said[0])
        assert found, said[0]
        assert " not " not in said[0].removeprefix(f"{mine} is not significantly different from ")
        strength = re.search(r"([+-]\d+) Elo", said[1])
        assert strength, said[1]
        for ahead in (2 * halves - 4 * sum(counts), int(strength[1])):
            assert ways[found[2]] * ahead >= 0, said
        assert "won all" not in said[1] or halves == 4 * sum(counts)
    assert seen == {"H0", "H1", None}


def test_nobody_is_stronger_than_a_bot_that_has_made_no_move(
    monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    won_by(monkeypatch, "greedy", termination="crash")
    ended = played("--budget", "2000", "-q")
    assert ended.status == 1
    golden(re.sub(r"\d+", "N", ended.out))
    assert json.loads(played("--budget", "2000", "--json").out)["verdict"] is None
    with pytest.raises(ArenaError, match="new has made no move in "):
        matches.match("greedy", "new=random", budget=8)


def test_a_match_goes_on_until_it_is_decided_unless_its_terms_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    won_by(monkeypatch, "first")
    one, two = played("--budget", "4"), played("--budget", "6")
    (folder,) = kept(tmp_path)
    assert (one.status, two.status) == (12, 12)
    other = played("--budget", "4", "--tc", "move 0.2", "--seed", "5", "--sprt", "0,9")
    golden({"begins": told(one), "goes on": told(two), "other terms": told(other)}, match=folder)
    assert len(kept(tmp_path)) == 2
    won_by(monkeypatch, "greedy")
    assert "analyse its losses: arena explain new " in told(played("--budget", "4", "--seed", "6"))
    look = f"more statistics: arena rate {folder}"
    assert (look in one.err, look in two.err, look in other.err) == (True, True, False)


def test_the_report_lies_where_the_match_was_typed_and_replaces_nothing_of_others(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won_by(monkeypatch, "first")
    monkeypatch.setattr(runs, "play", directory.run)
    (home / "greedy-new.html").write_text("mine")
    for _ in range(2):
        assert played("--budget", "2").err.splitlines()[-1] == "report: greedy-new-2.html"
    assert (home / "greedy-new.html").read_text() == "mine"
    assert made_by(home / "greedy-new-2.html") == "report"
    last = played("--budget", "2", "--output", "out").err.splitlines()[-1]
    assert last == "report: out/report.html"
    assert len(list(home.iterdir())) == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_programs_get_json_and_the_status_whoever_reads_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won_by(monkeypatch, "new")
    ended = played("--budget", "2000", "--json", "--output", home / "out")
    said = json.loads(ended.out)
    assert (ended.status, said["folder"], said["games"]) == (10, str(home / "out"), 56)
    assert (said["verdict"], said["old"], said["new"]) == ("better", "greedy", "new")
    assert said["lost_by"]["new"] == {"crash": 0, "time": 0, "illegal move": 0, "flood": 0}
    monkeypatch.setattr(process_trees, "adopt_orphans", lambda: None)
    for flags in ((), ("--json",)):
        reader, writer = os.pipe()
        os.close(reader)
        full = os.open("/dev/full", os.O_WRONLY)
        for fileno, is_told in ((writer, False), (full, True)):
            err = io.StringIO()
            with open(fileno, "w") as nobody, redirect_stdout(nobody), redirect_stderr(err):  # noqa: PTH123 - a descriptor
                assert run(["match", "greedy", "new=random", "--budget", "2000", *flags]) == 10
            for words in ("the verdict could not be written", "No space left on"):
                assert (words in err.getvalue()) is is_told


def test_where_points_were_lost_is_said_of_the_games_that_the_verdict_counts() -> None:
    kinds = [("new", "old", "1-0"), ("old", "new", "1-0"), ("new", "old", "0-1")]
    records = [bare(*kind, Number=str(number)) for number, kind in enumerate(kinds, 1)]
    assert list(_losses(records, "new", 2)) == [
        "new scored 100% as first (1 game), 0% as second (1 game)"
    ]


def test_a_directory_is_gone_on_with_as_it_was_begun_but_for_jobs(
    home: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    won_by(monkeypatch, "first")
    assert played("--budget", "2", "--output", home / "out", "--jobs", "3").status == 12
    assert tomllib.loads((home / "out" / "tournament.toml").read_text())["jobs"] == 3
    again = played("--budget", "2", "--output", home / "out")
    assert "jobs changed from 3 to " in again.err
    assert "of 6 games" not in again.out
    more = ("--output out --seed 2", "--jobs many", "--jobs 2 --cluster local:1")
    said = refusals(f"match greedy new=random --budget 2 {words}" for words in more)
    golden({words: re.sub(r"\([0-9a-f]{10}\)", "(DIGEST)", text) for words, text in said.items()})
    named = arena("match", "greedy", "greedy; option.x=1", "--budget", "2", "-q")
    assert "new is not significantly different from old: 1 of 2 points" in named.out, (
        "two bots of one name"
    )


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
    (home / "deep").mkdir()
    known = revision("HEAD", home / "deep")
    assert known is not None
    with workshop(home / "out" / "shop") as shop, pytest.raises(ArenaError, match="no folder deep"):
        shop.check_out(known, "old")


WRONG: Final = (
    *("nowhere greedy", "greedy 'random; cdw=x'", "greedy 'home=.; cwd=.'", "greedy ."),
    *("greedy random --build make", "greedy random --run ./x", "greedy random --tc soon"),
    *("greedy random --budget soon", "greedy random --sprt 5", "greedy random --sprt 0,1e2"),
    *("greedy random --openings x", "greedy random --openings random"),
)


def test_wrong_usage_names_what_is_wrong(home: Path, golden: Golden) -> None:
    golden(refusals(f"match {words}" for words in WRONG))
    assert not list(home.iterdir())


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


def test_a_folder_says_itself_how_its_bot_is_started(home: Path, golden: Golden) -> None:
    program = "#!/bin/sh\n"
    named = {"bot__js": "", "util__js": "", "test": program}

    def words(made: str = "", *, run: str = "", **files: str) -> list[str]:
        folder = a_folder(home, **files)
        found = table_in(folder, run, {folder / made} if made else set(), "OLD")
        return [word.replace(f"{folder}/", "") for word in found["command"]]

    toml = a_folder(home, tournament__toml=CONFIG, deep=program, other=program)
    assert table_in(toml, "", set(), "OLD") == {
        "cwd": str(toml),
        "command": [str(toml / "deep"), "-x"],
        "options": {"threads": 2},
        "time": {"move": "1s"},
    }
    one = a_folder(home, only=program, README="", a__py="")
    assert table_in(one, "", set(), "OLD") == {"cwd": str(one), "command": [str(one / "only")]}
    assert words(run="./other", tournament__toml=CONFIG, deep=program, other=program) == ["other"]
    assert words(bot__js="", README="") == ["node", "bot.js"]
    assert words(package__json='{"main": "./bot.js"}', **named) == ["node", "bot.js"]
    assert words(package__json='{"type": "module"}', index__js="", **named) == ["node", "index.js"]
    assert words("bot", test=program, bot=program) == ["bot"], "it was made"
    (home / "away.js").touch()
    named_odd = ['{"main": "../away.js"}', '{"main": "away.js"}', '{"main": "away.txt"}']
    for main in (*named_odd, '{"main": "/bin/sh"}', '{"main": 3}', "[]", "{", "{}"):
        away = a_folder(home, package__json=main, away__txt="", **named)
        (away / "away.js").symlink_to(home / "away.js")
        assert table_in(away, "", set(), "OLD")["command"] == [str(away / "test")], main
    many = CONFIG.replace('"greedy"', '"a"\ncommand = "x"')
    odd = ("bot = 3", "[[bot]]\ncommand = 3", "[[bot]]\ncommand = []", "x = " + 99 * "[")
    refused = {"two programs": {"test": program, "bot": program}}
    refused |= {text[:40]: {"tournament__toml": text} for text in (many, *odd)}
    said = {}
    for name, files in refused.items():
        with pytest.raises(ConfigError) as caught:
            table_in(a_folder(home, **files), "", set(), "OLD")
        said[shlex.quote(name)] = str(caught.value)
    golden(said)


# In a sandbox


def leaving(home: Path, what: str) -> str:
    """Return a shell's command that leaves a mark beside the bots, if it can, and does more."""
    return f"touch {home}/mark-of-{what}; {what}"


@needs("bwrap")
def test_what_a_folder_builds_and_starts_runs_in_the_sandbox_that_is_asked_for(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = a_folder(home, source=BOT.read_text())
    (folder / "tournament.toml").write_text(
        f'[[bot]]\nname = "eve"\ncommand = "./made"\nbuild = "{leaving(home, "make")}"\n'
    )
    start = f"#!/bin/sh\n{leaving(home, 'play')}() {{ sh source; }}; play\n"
    (folder / "Makefile").write_text("all:\n\tcp start made && chmod +x made\n")
    (folder / "start").write_text(start)
    words = ("match", LIGHT, folder, *QUICK)
    assert arena(*words, "--sandbox", "bwrap", "--output", home / "out").status == 12
    assert not list(home.glob("mark*"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))  # the build is kept
    assert arena(*words, "--output", home / "other").status == 12
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
    words = ("--build", f"touch {home}/mark; {MAKES} && ls .. > ../seen", *QUICK)
    ended = arena("match", "old", "new=HEAD", *words, "--sandbox", "bwrap")
    assert (ended.status, ended.out.split()[:2]) == (12, ["new", "is"]), ended.err
    assert everything(home) == before
    won_by(monkeypatch, "first")
    arena("match", "old", "new=HEAD; sandbox=bwrap", *words)
    assert not (home / "mark-of-git").exists(), "they have one repository"
    failed = arena("match", "old", "new=HEAD", "--build", "exit 7", "--sandbox", "bwrap")
    assert (failed.status, "of old exited with status 7" in failed.err) == (1, True)


def test_who_is_greeted_sees_what_it_will_see_when_it_plays(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: NOTHING)
    shown: list[str] = []

    def greeted(spec: BotSpec, *_: object, **__: object) -> Bot:
        shown.extend(spec.wall.view.reads)
        raise GameVoidError(Cause("it was seen", spec.name))

    monkeypatch.setattr(runs, "bot_of", greeted)
    outer = a_folder(home, bot__py="")
    (outer / "inner").mkdir()
    (outer / "inner" / "bot.py").touch()
    words = ("match", outer, outer / "inner", "--sandbox", "bwrap", "--output", outer / "out")
    assert "folder: it was seen" in arena(*words).err
    assert str(outer / "bot.py") in shown
    assert str(outer) not in shown, "another bot and the match lie there"


# Git and builds


def test_revisions_are_built_and_play_and_nothing_stays_but_the_match(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    a_repository(home)
    before = everything(home)
    with monkeypatch.context() as patch:
        patch.setattr(bubblewrap, "why_not", lambda **_: Obstacle("bwrap is not installed"))
        golden(refusals(["match old HEAD --build 'touch mark' --sandbox bwrap"]))
    build = "seq 40; ls bot; echo broken >&2; exit 7"
    (said,) = refusals([f"match old greedy --build {shlex.quote(build)}"], 1).values()
    assert said.splitlines()[1:4] + said.splitlines()[-3:] == [
        f"error: --build: {build!r} of old exited with status 7:",
        *("  … 13 more lines", "  14", "  check", "  source", "  broken"),
    ]
    assert not kept(tmp_path)
    monkeypatch.chdir(home / "bot")
    words = ("old", "new=HEAD", "--build", MAKES, *QUICK)
    ended = arena("match", *words)
    assert (ended.status, ended.out.split()[0]) == (12, "new")
    assert everything(home) == before
    (folder,) = kept(tmp_path)
    assert not (folder / matches.BUILDS).exists()
    again = arena("match", *words)
    assert "of 4 games" in again.out, again.err
    assert "has changed" not in again.err


def test_a_folder_is_built_in_a_copy(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_repository(home)
    shutil.copy(BOT, home / "bot" / "source")
    before = everything(home)
    built = {
        "option": (LIGHT, "new=./bot", "--build", MAKES),
        "part": (LIGHT, f'new=./bot; build="{MAKES}"'),
        "command": (LIGHT, f'new=./made; cwd=bot; build="{MAKES}"'),
        "a revision against a folder": ("old", ".", "--build", MAKES),
    }
    for said_in, words in built.items():
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / said_in))
        if said_in == "command":  # that bots start which were built, two have shown
            won_by(monkeypatch, "first")
        monkeypatch.chdir(home / "bot" if "." in words else home)
        ended = arena("match", *words, *QUICK)
        assert (ended.status, f": {MAKES}\n" in ended.err) == (12, True), (said_in, ended.err)
        assert "of 2 games" in ended.out
        assert everything(home) == before


def test_what_is_said_in_a_folder_and_tournaments_there_are_no_sources_of_its_bot(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "source").write_bytes(BOT.read_bytes())
    (home / "played").mkdir()
    (home / "played" / "tournament.db").touch()
    log = os.open(home / "log", os.O_RDWR | os.O_CREAT)
    monkeypatch.setattr(
        builds, "_outputs", lambda: iter([os.fstat(log)])
    )  # this one's are pytest's
    made = builds.copy_of(home, "echo built >&2; touch made", "ann", None)
    assert sorted(path.name for path in made.iterdir()) == ["made", "source"]
    os.write(log, b"more")
    assert builds.copy_of(home, "echo built >&2; touch made", "ann", None) == made
    os.close(log)


def process_name(number: int) -> str:
    """Return what a process is called; empty where it is none."""
    with suppress(OSError):
        name, state = Path(f"/proc/{number}/stat").read_text().split()[1:3]
        return "" if state == "Z" else name.strip("()")
    return ""


def test_what_was_built_goes_with_whoever_is_killed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "out").mkdir()
    os.mkfifo(home / "number")
    code = (
        "from pathlib import Path\n"
        "from lath.arena.entrants.revisions import workshop\n"
        "with workshop(Path('out/shop').absolute()) as shop:\n"
        "    Path('out/shop/old').mkdir()\n"
        "    shop.build('echo $$ > ../../../number; exec sleep 600', Path('out/shop/old'), 'old')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=home) as killed:
        number = int((home / "number").read_text())
        with monkeypatch.context() as patch:
            patch.setattr(revisions, "PATIENCE_S", 0.0)
            with pytest.raises(InUseError):
                workshop(home / "out" / "shop").__enter__()
        killed.kill()
    with workshop(home / "out" / "shop"):  # as soon as who clears up has done so
        assert not list((home / "out" / "shop").iterdir())
        assert gone(lambda: process_name(number) == "sleep")
    assert not (home / "out").exists()


def test_a_match_with_a_folder_goes_on_until_that_is_edited(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won_by(monkeypatch, "first")
    folder = a_folder(home, bot__py="", net__bin="1")

    def games(*words: object) -> str:
        ended = arena("match", "greedy", "folder", "--budget", "2", *words)
        return ended.out.splitlines()[1].rpartition(", ")[2]

    inside = ("--output", folder / "deep" / "out")
    assert [games(), games()] == ["of 2 games", "of 4 games"]
    assert [games(*inside), games(*inside)] == ["of 2 games", "of 4 games"]
    (folder / "net.bin").write_text("22")
    assert games() == "of 2 games"


def test_another_commit_build_or_part_is_another_match(home: Path) -> None:
    a_repository(home)

    def digest(old: str, build: str = "make", *, part: str = "") -> str:
        terms = matches.MatchTerms(
            build=build, run="", games=(), tc="1", sprt="0,5", openings="", seed=1
        )
        return terms.digest((origin_of(old, "old"), origin_of(f"greedy{part}", "new")))

    assert digest("x=HEAD") == digest("x=HEAD~0")
    others = [digest("x=old"), digest("x=HEAD", "make all"), digest("x=HEAD", part="; tc=9")]
    assert len({digest("x=HEAD"), *others}) == 4
