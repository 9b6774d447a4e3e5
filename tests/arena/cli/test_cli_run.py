"""`arena run`, `init`, `rate` and `report`: what they say, leave and return.

What plays is a process of its own; what only reads or refuses runs in this one.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from contextlib import chdir
from pathlib import Path

import bad_bots
import commands
import jsonschema
import pytest
from arena_runs import (
    PATIENCE_S,
    arena,
    environment,
    exported,
    flags,
    numbers,
    sequence,
    stored,
)
from bad_bots import Good
from commands import Ran
from loaded import Run
from quick_runs import play_nothing
from tools import needs

from lath.arena import runs
from lath.arena.schedule.openings import BookChoice
from lath.arena.schedule.random_openings import RandomChoice
from lath.reports import export
from lath.reports.checksums import checked_bytes

TWO = {"ann": Good, "bob": Good}


def said(*words: object, cwd: Path) -> Ran:
    """Run a command in this process, as if it stood in a folder."""
    with chdir(cwd):
        return commands.arena(*words)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a finished tournament."""
    folder = tmp_path_factory.mktemp("played")
    words = flags(
        {**TWO, "cat": bad_bots.PlaysAnIllegalMove},
        rounds=2,
        out=folder / "out",
        jobs=1,
        with_report=True,
    )
    ended = arena(*words, cwd=folder)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr.startswith("warning: a third game repeats another move by move")
    assert ended.stderr.count("\n") == 1
    return folder / "out"


# run


def test_run_plays_the_bundled_bots_by_their_names(tmp_path: Path) -> None:
    words = "run --bot random --bot greedy --game yavalath --rounds 1 --tc 10+0.1 --seed 3 --jobs 1"
    ended = arena(*words.split(), cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    for told in ("Tournament", "  greedy  ", "2 games; endings: rules 2"):
        assert told in ended.stdout
        assert told not in ended.stderr
    assert "report: tournament/report.h" in ended.stderr
    assert numbers(tmp_path / "tournament") == [1, 2]
    kept = tomllib.loads((tmp_path / "tournament" / "tournament.toml").read_text())
    assert (kept["seed"], kept["rounds"], kept["jobs"]) == (3, 1, 1)


def test_a_run_without_a_report_writes_all_else_and_a_report_can_be_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    out = tmp_path / "out"
    ended = arena(*flags(TWO, rounds=1, out=out, jobs=1)[:-1], "--no-report", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "Ratings" in ended.stdout
    assert "report" not in ended.stderr
    names = {path.name for path in out.iterdir() if path.is_file()}
    assert {"games.lath", "outcome.json", "standings.json", "standings.csv"} <= names
    assert "report.html" not in names
    assert said("report", out, "-o", out / "report.html", cwd=tmp_path).status == 0


CONFIG = f"""
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


def write_config(folder: Path, text: str = CONFIG) -> Path:
    path = folder / "cup.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_run_plays_what_the_file_says(tmp_path: Path) -> None:
    ended = arena("run", write_config(tmp_path), "--out", "out", "-q", "--no-report", cwd=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert numbers(tmp_path / "out") == sequence(4)
    assert '[Event "Cup"]' in (tmp_path / "out" / "games.lath").read_text()


def test_flags_override_the_file(tmp_path: Path) -> None:
    words = [
        "--rounds",
        "1",
        "--seed",
        "9",
        "--game",
        "surikata",
        "--tc",
        "move 4",
        "--jobs",
        "auto",
    ]
    ended = arena(
        "run", write_config(tmp_path), "--out", "out", "-q", "--no-report", *words, cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    kept = tomllib.loads((tmp_path / "out" / "tournament.toml").read_text())
    assert (kept["rounds"], kept["seed"], kept["games"]) == (1, 9, ["surikata"])
    assert kept["time"] == {"move": "4000ms"}
    assert stored(tmp_path / "out", "game, first") == [("surikata", "ann"), ("surikata", "bob")]


def test_bots_of_the_command_line_take_the_place_of_those_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    words = flags({"eve": Good, "joe": Good}, rounds=1, out=tmp_path / "out", jobs=1)
    ended = arena(
        "run", write_config(tmp_path), *words[words.index("--bot") :], "--no-report", cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    assert {first for (first,) in stored(tmp_path / "out", "first")} == {"eve", "joe"}


def test_a_relative_command_is_found_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    shutil.copy(bad_bots.__file__, tmp_path / "sub" / "mybot.py")
    mine = 'command = ["python", "-I", "-S", "mybot.py", "Good"]'
    lines = [mine if line.startswith("command") else line for line in CONFIG.splitlines()]
    config = write_config(tmp_path / "sub", "\n".join(lines))
    ended = arena("run", config, "--out", "out", "--rounds", "1", "-q", "--no-report", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert exported(tmp_path / "out") == [1, 2]


def test_a_bot_that_does_not_start_makes_status_1_after_the_rest_is_played(tmp_path: Path) -> None:
    words = flags({**TWO, "ill": bad_bots.ExitsAtStart}, rounds=2, out=tmp_path / "out")
    ended = arena(*words, cwd=tmp_path)
    assert ended.returncode == 1
    assert numbers(tmp_path / "out") == [1, 2, 7, 8]
    why = "ill is benched: exited with status 7 before ok"
    assert f"warning: {why}; standard error: " in ended.stderr
    assert f"arena: {why}\n" in ended.stderr
    assert ended.stderr.count("I cannot find my ·[31mweights") == 1
    assert "arena: 4 of 12 games are played" in ended.stderr


def test_run_with_a_bot_of_another_game_is_wrong_usage(tmp_path: Path) -> None:
    words = flags({"ann": Good, "bob": bad_bots.PlaysAnotherGame}, rounds=1, out=tmp_path / "out")
    ended = arena(*words, cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr == (
        "arena: bot 'bob' does not play yavalath: it says that it plays chess\n"
    )


def test_a_directory_with_other_files_of_that_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "tournament.db").write_text("not a database, but long enough to look")
    ended = said(*flags(TWO, rounds=1, out=tmp_path / "out"), cwd=tmp_path)
    assert ended.status == 1
    assert "tournament.db is not a tournament" in ended.err


# Configurations that are wrong: what is changed, and what is said of it after `FILE:LINE: `.
WRONG = {
    "rounds = 2|round = 2": (
        4,
        "unknown key 'round', expected one of event, games, format, rounds, pairs, challengers, ",
    ),
    "rounds = 2|rounds = 0": (4, "rounds = 0, expected a whole number from 1"),
    'rounds = 2|rounds = "2"': (4, 'rounds = "2", expected a whole number from 1'),
    "rounds = 2|rounds = true": (4, "rounds = true, expected a whole number from 1"),
    "seed = 5|seed = -1": (5, "seed = -1, expected a whole number from 0"),
    'rounds = 2|format = "ladder"': (4, 'format = "ladder", expected one of round-robin'),
    "rounds = 2|jobs = 0": (4, "jobs = 0, expected a whole number from 1 to 512, or 'auto'"),
    'games = ["yavalath"]|games = []': (3, "games = [], expected a list of different games"),
    'event = "Cup"|event = ""': (2, 'event = "", expected a text of 1 to 200 printable'),
    'move = "5s"|move = "5 parsecs"': (7, 'move = "5 parsecs", expected a duration from 1ms'),
    'move = "5s"|moves = "5s"': (7, "unknown key 'moves' in [time], expected one of initial"),
    'name = "bob"|name = "bob"\ncolour = "red"': (13, "unknown key 'colour' in [bot], expected"),
    'name = "bob"|name = "bob"\nmemory = "lots"': (13, 'memory = "lots", expected a size such as'),
    'name = "bob"|name = "bob"\nenv = { A = 1 }': (13, 'env = {"A": 1}, expected a table of texts'),
    'name = "bob"|name = "bob"\noptions = [1]': (13, "options = [1], expected a table of texts"),
    'name = "bob"|# no name': (11, "bot: expected a name"),
}


@pytest.mark.parametrize("change", WRONG)
def test_a_wrong_configuration_is_told_by_file_line_key_and_what_is_allowed(
    change: str, tmp_path: Path
) -> None:
    before, after = change.split("|")
    assert CONFIG.count(before) == 1
    path = write_config(tmp_path, CONFIG.replace(before, after))
    ended = said("run", path, "--out", "out", cwd=tmp_path)
    line, told = WRONG[change]
    assert ended.status == 2
    assert ended.err.startswith(f"arena: {path}:{line}: {told}")
    assert not (tmp_path / "out").exists()


def test_every_mistake_of_a_file_has_its_line(tmp_path: Path) -> None:
    text = CONFIG.replace("rounds = 2", "rounds = 0").replace('"5s"', '"soon"')
    ended = said("run", write_config(tmp_path, text), "--out", "out", cwd=tmp_path)
    assert [line.partition(" =")[0] for line in ended.err.splitlines()] == [
        f"arena: {tmp_path / 'cup.toml'}:4: rounds",
        f"arena: {tmp_path / 'cup.toml'}:7: move",
    ]


# What is wrong with the file as a whole, or with the flags.
REFUSED = [
    (["cup.toml"], "rounds = = 2", "cup.toml is not TOML: Invalid value (at line 1"),
    (["cup.toml"], f"\ufeff{CONFIG}", "cup.toml begins with a byte order mark: save it as UTF-8"),
    (["cup.toml"], CONFIG.replace('"yavalath"', '"go"'), "cup.toml:3: games: unknown game 'go'"),
    (["cup.toml"], CONFIG.replace('"bob"', '"ann"'), "two bots are called 'ann'"),
    (["cup.toml"], CONFIG.partition("[[bot]]")[0], "expected at least two bots, found 0"),
    (
        ["cup.toml"],
        CONFIG.replace('move = "5s"', "move = 5\nnodes = 3"),
        "move and nodes, expected",
    ),
    (["cup.toml"], CONFIG.replace('move = "5s"', "increment = 1"), "increment without initial"),
    (["missing.toml"], CONFIG, "missing.toml cannot be read: No such file or directory"),
    (["cup.toml", "--tc", "soon"], CONFIG, "--tc: unknown time control 'soon', expected 10+0.1"),
    (["cup.toml", "--jobs", "many"], CONFIG, 'the command line: jobs = "many", expected a whole'),
    (["cup.toml", "--format", "ladder"], CONFIG, 'format = "ladder", expected one of round-robin'),
    (["cup.toml", "--rounds", "0"], CONFIG, "for '--rounds': '0', expected a whole number from 1"),
    (["cup.toml", "--rounds", "x"], CONFIG, ": 'x', expected a whole number from 1\n"),
    (["cup.toml", "--bot", "nobody", "--bot", "greedy"], CONFIG, "'nobody' has no command"),
    (["cup.toml", "--bot", "=", "--bot", "greedy"], CONFIG, 'name = "", expected a text'),
    (
        ["cup.toml", "--bot", "x='", "--bot", "greedy"],
        CONFIG,
        "is not a command: No closing quotation",
    ),
    (["cup.toml", "--frobnicate"], CONFIG, "No such option: --frobnicate"),
]


@pytest.mark.parametrize(("words", "text", "told"), REFUSED)
def test_wrong_usage_is_refused_with_status_2(
    words: list[str], text: str, told: str, tmp_path: Path
) -> None:
    write_config(tmp_path, text)
    ended = said("run", *words, "--out", "out", cwd=tmp_path)
    assert ended.status == 2, ended.err
    assert told in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "out").exists()


def test_a_script_that_is_not_there_is_named_with_the_folder_where_it_was_looked_for(
    tmp_path: Path,
) -> None:
    words = [
        *flags({"ann": Good}, rounds=1, out=tmp_path / "out", jobs=1),
        "--bot",
        "nr=python nosuch.py",
    ]
    ended = arena(*words, cwd=tmp_path)
    assert ended.returncode == 1
    why = f"nosuch.py is not in {tmp_path} (the bot runs in a scratch folder)"
    assert ended.stderr.count(f"nr: exited with status 2 before ok: {why}; standard error:") == 1
    assert ended.stderr.count("nosuch.py") == 2, "and once in what Python says"
    assert "lath-bot-" not in ended.stderr


def test_a_run_without_configuration_and_bots_says_that_it_plays_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    says_that_it_plays_the_demo(tmp_path)


def says_that_it_plays_the_demo(tmp_path: Path) -> None:
    words = ("run", "--out", "typo", "--rounds", "1", "--game", "yavalath", "--tc", "nodes 1")
    ended = arena(*words, "--jobs", "1", "--no-report", cwd=tmp_path)
    assert ended.returncode == 0
    first, *_ = ended.stderr.splitlines()
    assert first == "no CONFIG and no --bot: this is the built-in demo, in typo"
    assert arena(*words, "-q", "--no-report", cwd=tmp_path).stderr == ""


def test_no_demo_is_played_beside_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "tournament.toml").write_text(CONFIG)
    ended = said("run", cwd=tmp_path)
    assert ended.status == 2
    assert ended.err.startswith(
        "arena: there is a tournament.toml here: name it, `arena run tournament.toml`, "
    )
    assert not (tmp_path / "tournament").exists()


def test_fewer_rounds_than_before_are_refused_and_none_are_those_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    config = write_config(tmp_path, CONFIG.replace("rounds = 2\n", ""))
    words = ("run", config, "--out", "out", "-q", "--no-report")
    assert arena(*words, "--rounds", "3", cwd=tmp_path).returncode == 0
    refused = arena(*words, "--rounds", "2", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == (
        "arena: out holds games of a tournament with rounds = 3, and rounds = 2 are fewer; choose "
        "another --out, or go on with 3 or more; "
        "or make a pool of it: `arena run out --format pool`\n"
    )
    again = arena(*words, cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert "rounds = 3" in (tmp_path / "out" / "tournament.toml").read_text()
    assert arena(*words, "--rounds", "4", cwd=tmp_path).returncode == 0
    assert numbers(tmp_path / "out") == sequence(8)


# init


LANGUAGES = {
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
    written = said("init", folder, "--bot", language, cwd=tmp_path)
    assert written.status == 0, written.err
    steps = [line.strip() for line in written.err.splitlines()[1:]]
    assert steps[0] == f"cd {folder}"
    assert steps[-1] == "arena run tournament.toml --out results"
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


def test_init_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "mybot.js").write_text("mine")
    refused = said("init", tmp_path, "--bot", "javascript", cwd=tmp_path)
    assert refused.status == 2
    assert "mybot.js is there already" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["mybot.js"]


# rate and report


def test_rate_prints_a_table_for_people(played: Path) -> None:
    ended = said("rate", played, cwd=played)
    assert ended.status == 0
    assert "12 games; endings:" in ended.out
    assert all(name in ended.out for name in ("ann", "bob", "cat", "forfeits"))


def test_rate_prints_json_that_keeps_its_schema(played: Path) -> None:
    ended = said("rate", "--json", played, cwd=played)
    told = json.loads(ended.out)
    jsonschema.Draft202012Validator(export.schema()).validate(told)
    assert (ended.status, ended.err) == (0, "")
    assert told.pop("outcome")["format"] == "round-robin"
    assert [bot["name"] for bot in told.pop("provenance")[0]["bots"]] == ["ann", "bob", "cat"]
    assert told == checked_bytes((played / "standings.json").read_bytes()).value


def test_rate_prints_csv_with_a_line_for_each_bot_and_table(played: Path) -> None:
    ended = said("rate", "--csv", played / "games.lath", cwd=played)
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert {row["name"] for row in rows} == {"ann", "bob", "cat"}
    games = {game: [row for row in rows if row["game"] == game] for game in ("", "yavalath")}
    assert [sum(int(row["games"]) for row in rows) for rows in games.values()] == [24, 24]
    assert ended.out == (played / "standings.csv").read_text(encoding="utf-8")


def test_rate_takes_one_form_only(played: Path) -> None:
    ended = said("rate", "--csv", "--json", played, cwd=played)
    assert ended.status == 2
    assert "exclude each other" in ended.err


@pytest.mark.parametrize("verb", ["rate", "report"])
@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("nowhere.lath", "cannot be read"),
        ("empty", "is no tournament"),
        (".", "bad.lath"),
        ("bad.lath", "bad.lath"),
    ],
)
def test_a_source_that_is_none_is_the_inputs_fault(
    verb: str, source: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / "bad.lath").write_text('[Game "yavalath"]\n\n1. a1 {')
    (tmp_path / "empty").mkdir()
    ended = said(verb, source, cwd=tmp_path)
    assert ended.status == (2 if source == "nowhere.lath" else 1)
    assert told in ended.err
    assert "Traceback" not in ended.err


def test_report_writes_one_page(played: Path, tmp_path: Path) -> None:
    ended = said("report", played, "-o", "page.html", "--title", "My <cup>", cwd=tmp_path)
    assert ended.status == 0
    assert re.fullmatch(r"page\.html: 12 games, \d+ kB\n", ended.err)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "My &lt;cup&gt;" in page
    assert os.listdir(tmp_path) == ["page.html"]  # noqa: PTH208


def test_a_screen_that_is_gone_does_not_stop_a_run(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = flags({**TWO, "ill": bad_bots.ExitsAtStart}, rounds=2, out=tmp_path / "out", jobs=1)
    Run(words, cwd=tmp_path, env=environment(), errors=writing).wait(PATIENCE_S)
    assert numbers(tmp_path / "out") == [1, 2, 7, 8]


def test_a_verbose_run_tells_of_every_game(tmp_path: Path) -> None:
    words = flags(TWO, rounds=1, out=tmp_path / "out", jobs=1)
    ended = arena(*words, "-v", "--no-report", cwd=tmp_path)
    told = re.findall(
        r"^(\d+)\. yavalath: (\w+) - \w+ [-01/2]+ \(rules, \d+ plies\)$", ended.stderr, re.MULTILINE
    )
    assert sorted(told) == [("1", "ann"), ("2", "bob")]


def test_a_budget_ends_a_run_for_now_with_status_0_and_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    words = "run --bot random --bot greedy --game yavalath --rounds 50 --tc none --no-report"
    ended = arena(*words.split(), "--budget", "20", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    told = "20 of 100 games are played: the budget is spent; go on with: arena run --out tournament"
    assert f"arena: {told}\n" in ended.stderr
    assert exported(tmp_path / "tournament") == sequence(20)
    assert (tmp_path / "tournament/standings.json").is_file()
    again = arena("run", "--out", "tournament", "--budget", "2h", "--no-report", cwd=tmp_path)
    assert again.returncode == 0
    assert "100 of 100 games" in again.stderr
    assert "budget is spent" not in again.stderr


@pytest.mark.parametrize("budget", ["0", "-3", "ten", "0s", "1.5", "10 days", "9" * 20])
def test_a_budget_that_is_none_is_wrong_usage(budget: str, tmp_path: Path) -> None:
    ended = said("run", "--budget", budget, cwd=tmp_path)
    assert ended.status == 2
    assert "expected games such as 200, or a time such as 90s or 10m" in ended.err


def test_the_demo_begins_where_it_always_did_and_other_tournaments_at_random(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    demo = runs.configured(None, Path("out"), {})
    bots = {"bot": [{"name": "greedy"}, {"name": "random"}], "games": ["yavalath"]}
    other = runs.configured(None, Path("out"), bots)
    book = {**bots, "openings": runs.openings_of("../book.lath:6")}
    (tmp_path.parent / "book.lath").write_text("")
    assert (demo.openings, other.openings) == (None, RandomChoice(everywhere=False))
    chosen = runs.configured(None, Path("out"), book).openings
    assert isinstance(chosen, BookChoice)
    assert (chosen.path, chosen.plies) == (tmp_path.parent / "book.lath", 6)
