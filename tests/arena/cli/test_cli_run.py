"""`arena run`: what it says, leaves and returns.

What plays is a process of its own; what only reads or refuses runs in this one.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import bad_bots
import commands
import jsonschema
import pytest
from arena_runs import PATIENCE_S, arena, environment, exported, flags, numbers, sequence, stored
from bad_bots import Good
from commands import refusals
from loaded import Run
from quick_runs import play_nothing

from lath.arena.flows import runs
from lath.arena.flows.requests import RunRequest
from lath.arena.schedule.openings import BookChoice
from lath.arena.schedule.random_openings import RandomChoice
from lath.reports.checksums import checked_bytes
from lath.reports.event import export

if TYPE_CHECKING:
    from golden import Golden

TWO: Final = {"ann": Good, "bob": Good}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# run


def test_run_plays_the_bundled_bots_by_their_names(tmp_path: Path) -> None:
    words = "run --bot random --bot greedy --game yavalath --rounds 1 --tc 10+0.1 --seed 3 --jobs 1"
    ended = arena(*words.split(), cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    for told in ("Tournament", "  greedy  ", "2 games, first player's score"):
        assert (told in ended.stdout, told in ended.stderr) == (True, False)
    assert "report: tournament/report.h" in ended.stderr
    assert numbers(tmp_path / "tournament") == [1, 2]
    kept = tomllib.loads((tmp_path / "tournament" / "tournament.toml").read_text())
    assert (kept["seed"], kept["rounds"], kept["jobs"]) == (3, 1, 1)


def test_a_verbose_run_tells_of_every_game_and_one_without_a_report_writes_all_else(
    tmp_path: Path,
) -> None:
    words = [word for word in flags(TWO, rounds=1, out=tmp_path / "out", jobs=1) if word != "-q"]
    ended = arena(*words, "-v", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    game = r"^(\d+)\. yavalath: (\w+) - \w+ [-01/2]+ \(rules, \d+ plies\)$"
    told = re.findall(game, ended.stderr, re.MULTILINE)
    assert sorted(told) == [("1", "ann"), ("2", "bob")]
    assert "Ratings" in ended.stdout
    assert "report" not in ended.stderr
    names = {path.name for path in (tmp_path / "out").iterdir() if path.is_file()}
    assert {"games.lath", "outcome.json", "standings.json", "standings.csv"} <= names
    assert "report.html" not in names
    assert commands.arena("report", "out", "-o", "out/report.html").status == 0


CONFIG: Final = f"""
event = "Cup"
games = ["yavalath"]
rounds = 2
seed = 5
[time]
move = "5s"
[[bot]]
name = "ann"
command = {json.dumps(bad_bots.command(Good))}
[[bot]]
name = "bob"
command = {json.dumps(bad_bots.command(Good))}
"""


def test_run_plays_what_the_file_says_and_flags_override_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(bad_bots.__file__, tmp_path / "mybot.py")
    mine = 'command = ["python", "-I", "-S", "mybot.py", "Good"]'
    text = CONFIG.splitlines()
    text[-1] = mine  # which is found beside the file
    (tmp_path / "cups").mkdir()
    (tmp_path / "mybot.py").rename(tmp_path / "cups" / "mybot.py")
    (tmp_path / "cups" / "cup.toml").write_text("\n".join(text))
    words = ("run", "cups/cup.toml", "-q", "--no-report", "--output")
    ended = arena(*words, "one", cwd=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert numbers(tmp_path / "one") == exported(tmp_path / "one") == sequence(4)
    assert '[Event "Cup"]' in (tmp_path / "one" / "games.lath").read_text()
    play_nothing(monkeypatch)
    more = ["--rounds", "1", "--seed", "9", "--game", "surikata", "--jobs", "auto", "--tc"]
    assert arena(*words, "two", *more, "move 4", cwd=tmp_path).returncode == 0
    kept = tomllib.loads((tmp_path / "two" / "tournament.toml").read_text())
    assert (kept["rounds"], kept["seed"], kept["games"]) == (1, 9, ["surikata"])
    assert kept["time"] == {"move": "4000ms"}
    assert stored(tmp_path / "two", "game, first") == [("surikata", "ann"), ("surikata", "bob")]
    bots = flags({"eve": Good, "joe": Good}, rounds=1, out=tmp_path / "three", jobs=1)
    assert arena(*words[:-1], *bots[bots.index("--bot") :], cwd=tmp_path).returncode == 0
    assert {first for (first,) in stored(tmp_path / "three", "first")} == {"eve", "joe"}


def test_a_bot_that_does_not_start_makes_status_1_after_the_rest_is_played(tmp_path: Path) -> None:
    words = flags({**TWO, "ill": bad_bots.ExitsAtStart}, rounds=2, out=tmp_path / "out")
    ended = arena(*words, cwd=tmp_path)
    assert ended.returncode == 1
    assert numbers(tmp_path / "out") == [1, 2, 7, 8]
    why = "ill is benched: exited with status 7 before ok"
    assert f"warning: {why}; standard error: " in ended.stderr
    assert f"warning: {why}\n" in ended.stderr
    assert ended.stderr.count("I cannot find my ·[31mweights") == 1
    assert "warning: only 4 of 12 games were played" in ended.stderr
    reading, writing = os.pipe()
    os.close(reading)
    words[words.index("--output") + 1] = str(tmp_path / "gone")
    Run(words, cwd=tmp_path, env=environment(), errors=writing).wait(PATIENCE_S)
    assert numbers(tmp_path / "gone") == [1, 2, 7, 8], "a screen that is gone stops no run"


def test_a_bot_that_cannot_play_is_told_of_with_what_it_needs(tmp_path: Path) -> None:
    words = flags({"ann": Good, "bob": bad_bots.PlaysAnotherGame}, rounds=1, out=tmp_path / "out")
    ended = arena(*words, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (
        2,
        "error: bot 'bob' does not play yavalath: it plays chess\n",
    )
    words = flags({"ann": Good}, rounds=1, out=tmp_path / "other", jobs=1)
    ended = arena(*words, "--bot", "nr=python nosuch.py", cwd=tmp_path)
    assert ended.returncode == 1
    why = f"nosuch.py is not in {tmp_path} (the bot runs in a scratch folder)"
    assert ended.stderr.count(f"nr: exited with status 2 before ok: {why}; standard error:") == 1
    assert ended.stderr.count("nosuch.py") == 2, "and once in what Python says"
    assert "lath-bot-" not in ended.stderr
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "tournament.db").write_text("not a database, but long enough to look")
    refused = commands.arena(*flags(TWO, rounds=1, out=tmp_path / "odd"))
    assert (refused.status, "tournament.db: not a tournament" in refused.err) == (1, True)


# What is changed in a configuration that is wrong, from what to what
WRONG: Final = (
    *("rounds = 2|round = 2", "rounds = 2|rounds = 0", 'rounds = 2|rounds = "2"'),
    *("rounds = 2|rounds = true", "seed = 5|seed = -1", 'rounds = 2|format = "ladder"'),
    *("rounds = 2|jobs = 0", 'games = ["yavalath"]|games = []', 'event = "Cup"|event = ""'),
    *('move = "5s"|move = "5 parsecs"', 'move = "5s"|moves = "5s"', 'name = "bob"|# no name'),
    *('name = "bob"|name = "bob"\ncolour = "red"', 'name = "bob"|name = "bob"\nmemory = "lots"'),
    *('name = "bob"|name = "bob"\nenv = { A = 1 }', 'name = "bob"|name = "bob"\noptions = [1]'),
    *("rounds = 2|rounds = = 2", '"yavalath"|"go"', '"bob"|"ann"', 'move = "5s"|increment = 1'),
    'move = "5s"|move = 5\nnodes = 3',
)


def test_a_wrong_configuration_is_told_by_file_line_key_and_what_is_allowed(golden: Golden) -> None:
    said = {}
    for change in WRONG:
        before, after = change.split("|")
        assert CONFIG.count(before) == 1
        Path("cup.toml").write_text(CONFIG.replace(before, after))
        (said[change.replace("\n", "; ")],) = refusals(["run cup.toml --output out"]).values()
    texts = {
        "byte order mark": f"\ufeff{CONFIG}",
        "no bots": CONFIG.partition("[[bot]]")[0],
        "two mistakes": CONFIG.replace("rounds = 2", "rounds = 0").replace('"5s"', '"soon"'),
    }
    for name, text in texts.items():
        Path("cup.toml").write_text(text)
        (said[name],) = refusals(["run cup.toml --output out"]).values()
    assert not Path("out").exists()
    golden(said)


FLAGS: Final = (
    *("missing.toml", "cup.toml --tc soon", "cup.toml --jobs many", "cup.toml --format ladder"),
    *("cup.toml --rounds 0", "cup.toml --rounds x", "cup.toml --bot nobody --bot greedy"),
    *("cup.toml --bot = --bot greedy", 'cup.toml --bot "x=\'" --bot greedy'),
    *("cup.toml --frobnicate", "--budget 0", "--budget -3", "--budget ten", "--budget 0s"),
    *("--budget 1.5", "--budget '10 days'", f"--budget {'9' * 20}"),
)


def test_wrong_usage_is_refused_with_status_2(golden: Golden) -> None:
    Path("cup.toml").write_text(CONFIG)
    said = refusals(f"run {words} --output out" for words in FLAGS)
    assert not Path("out").exists()
    Path("cup.toml").rename("tournament.toml")
    golden(said | refusals(["run"]))
    assert not Path("tournament").exists(), "no demo is played beside a configuration"


def test_a_run_without_configuration_and_bots_says_that_it_plays_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    says_that_it_plays_the_demo(tmp_path)


def says_that_it_plays_the_demo(tmp_path: Path) -> None:
    words = ("run", "--output", "typo", "--rounds", "1", "--game", "yavalath", "--tc", "nodes 1")
    ended = arena(*words, "--jobs", "1", "--no-report", cwd=tmp_path)
    assert ended.returncode == 0
    first, *_ = ended.stderr.splitlines()
    assert first == "No config or bots given: playing the built-in demo into ./typo"
    assert arena(*words, "-q", "--no-report", cwd=tmp_path).stderr == ""


def test_the_demo_begins_where_it_always_did_and_other_tournaments_at_random() -> None:
    demo, _ = runs.settled(RunRequest())
    bots = RunRequest(bots=("greedy", "random"), games=("yavalath",))
    other, _ = runs.settled(bots)
    assert (demo.openings, other.openings) == (None, RandomChoice(everywhere=False))
    Path("book.lath").write_text("")
    chosen = runs.settled(replace(bots, openings="book.lath:6"))[0].openings
    assert isinstance(chosen, BookChoice)
    assert (chosen.path, chosen.plies) == (Path("book.lath").absolute(), 6)


def test_fewer_rounds_than_before_are_refused_and_none_are_those_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    play_nothing(monkeypatch)
    Path("cup.toml").write_text(CONFIG.replace("rounds = 2\n", ""))
    words = ("run", "cup.toml", "--output", "out", "-q", "--no-report")
    assert arena(*words, "--rounds", "3", cwd=tmp_path).returncode == 0
    golden(refusals([f"{' '.join(words)} --rounds 2"]))
    again = arena(*words, cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert "rounds = 3" in (tmp_path / "out" / "tournament.toml").read_text()
    assert arena(*words, "--rounds", "4", cwd=tmp_path).returncode == 0
    assert numbers(tmp_path / "out") == sequence(8)


def test_a_budget_ends_a_run_for_now_with_status_0_and_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    words = "run --bot random --bot greedy --game yavalath --rounds 50 --tc none --no-report"
    ended = arena(*words.split(), "--budget", "20", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.endswith(
        "note: the budget is spent after 20 of 100 games\n"
        "hint: resume with: arena run --output tournament\n"
    )
    assert exported(tmp_path / "tournament") == sequence(20)
    assert (tmp_path / "tournament/standings.json").is_file()
    again = arena("run", "--output", "tournament", "--budget", "2h", "--no-report", cwd=tmp_path)
    assert again.returncode == 0
    assert "100 of 100 games" in again.stderr
    assert "budget is spent" not in again.stderr


# What is made of a run


def test_rate_and_report_say_of_a_directory_what_its_run_has_written(tmp_path: Path) -> None:
    bots = {**TWO, "cat": bad_bots.PlaysAnIllegalMove}
    out = tmp_path / "out"
    ended = arena(*flags(bots, rounds=2, out=out, jobs=1, with_report=True), cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr.startswith("warning: three games have repeated others move by move")
    assert ended.stderr.count("\n") == 1
    table = commands.arena("rate", "out")
    assert table.status == 0
    told = ("12 games, first player's score", "ann", "bob", "cat", "forfeits")
    assert [words for words in told if words not in table.out] == []
    ended_json = commands.arena("rate", "--json", "out")
    data = json.loads(ended_json.out)
    jsonschema.Draft202012Validator(export.schema()).validate(data)
    assert (ended_json.status, ended_json.err) == (0, "")
    assert data.pop("outcome")["format"] == "round-robin"
    assert [bot["name"] for bot in data.pop("provenance")[0]["bots"]] == ["ann", "bob", "cat"]
    assert data == checked_bytes((out / "standings.json").read_bytes()).value
    sheet = commands.arena("rate", "--csv", "out/games.lath").out
    rows = list(csv.DictReader(io.StringIO(sheet)))
    assert {row["name"] for row in rows} == {"ann", "bob", "cat"}
    of_each = [[row for row in rows if row["game"] == game] for game in ("", "yavalath")]
    assert [sum(int(row["games"]) for row in rows) for rows in of_each] == [24, 24]
    assert sheet == (out / "standings.csv").read_text(encoding="utf-8")
    page = commands.arena("report", "out", "-o", "page.html")
    assert (page.status, page.err.partition(",")[0]) == (0, "page.html: 12 games")
