"""Configurations: what each key takes, and how a wrong one is named."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from lath.arena.errors import ConfigError
from lath.arena.schedule.openings import BookChoice
from lath.arena.schedule.random_openings import RandomChoice
from lath.arena.schedule.sprt import Sprt
from lath.arena.tournament import config, keys
from lath.arena.tournament.config import build, sprt_table, time_table
from lath.arena.tournament.mistakes import MOST_MISTAKES
from lath.arena.tournament.programs import missing_file
from lath.arena.tournament.resuming import as_begun, fingerprints
from lath.notation.protocol import TimeControl

if TYPE_CHECKING:
    from pydantic import BaseModel

FULL = """\
event = "Autumn bots"
games = ["mammalath", "manalath"]
format = "round-robin"
rounds = 10
seed = 42
jobs = 2

[time]
initial = "10s"
increment = "0.1s"
margin = "20ms"

[[bot]]
name = "greedy"

[[bot]]
name = "mine"
command = ["./mybot", "--threads", "1"]
env = { MYBOT_LOG = "0" }
options = { threads = 1 }
memory = "512MiB"
"""


def read(tmp_path: Path, text: str) -> config.Config:
    path = tmp_path / "t.toml"
    path.write_text(text)
    return config.load(path, tmp_path)


def test_every_key_of_the_example_reaches_the_tournament(tmp_path: Path) -> None:
    got = read(tmp_path, FULL)
    assert (got.event, got.games, got.rounds, got.seed, got.jobs) == (
        "Autumn bots",
        ("mammalath", "manalath"),
        10,
        42,
        2,
    )
    assert (got.limits.time.initial_ms, got.limits.time.increment_ms) == (10_000, 100)
    assert got.limits.margin_s == 0.02
    mine = got.bots[1]
    assert mine.command == (str(tmp_path / "mybot"), "--threads", "1")
    assert (mine.env, mine.options, mine.memory_bytes) == (
        {"MYBOT_LOG": "0"},
        {"threads": 1},
        512 << 20,
    )


def test_a_bundled_bot_needs_only_its_name(tmp_path: Path) -> None:
    greedy = (sys.executable, "-P", "-m", "lath.bots.greedy")
    assert read(tmp_path, FULL).bots[0].command == greedy
    again = FULL.replace('["./mybot", "--threads", "1"]', '"greedy"')
    assert read(tmp_path, again).bots[1].command == greedy, "under another name"


def test_arguments_that_name_files_are_taken_from_the_configurations_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot.js").touch()
    text = FULL.replace('["./mybot", "--threads", "1"]', '["node", "bot.js", "other.js"]')
    assert read(tmp_path, text).bots[1].command == ("node", str(tmp_path / "bot.js"), "other.js")


def test_a_command_may_be_one_text(tmp_path: Path) -> None:
    text = FULL.replace('["./mybot", "--threads", "1"]', "\"node 'my bot.js' -x\"")
    assert read(tmp_path, text).bots[1].command == ("node", "my bot.js", "-x")


def test_cwd_is_where_the_bot_runs_and_where_its_program_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "engines").mkdir()
    got = read(tmp_path, FULL.replace("env =", 'cwd = "engines"\nenv =')).bots[1]
    assert got.cwd == str(tmp_path / "engines")
    assert got.command[0] == str(tmp_path / "engines" / "mybot")


def test_what_is_written_for_a_resume_says_the_same_from_another_folder(tmp_path: Path) -> None:
    got = read(tmp_path, FULL)
    again = config.build(tomllib.loads(tomlkit.dumps(got.as_written)), tmp_path / "elsewhere")
    assert again.identity() == got.identity()
    assert again.bots == got.bots


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rounds = 10", "round = 10", ":4: unknown key 'round', expected one of event, games, "),
        ("rounds = 10", "rounds = 0", ":4: rounds = 0, expected a whole number from 1"),
        ("rounds = 10", "rounds = true", ":4: rounds = true, expected a whole number from 1"),
        ("seed = 42", "seed = -1", ":5: seed = -1, expected a whole number from 0"),
        (
            "seed = 42",
            f"seed = {10**23}",
            f":5: seed = {10**23}, expected a whole number from 0 to 2^63 - 1, or 'secret'",
        ),
        (
            "seed = 42",
            "sead = 42",
            "sprt, tune, openings, anchors, season, league, bot; did you mean 'seed'?",
        ),
        (
            "jobs = 2",
            'jobs = "all"',
            ":6: jobs = \"all\", expected a whole number from 1 to 512, or 'auto'",
        ),
        ('event = "Autumn bots"', "event = 3", ":1: event = 3, expected a text"),
        ('"round-robin"', '"ladder"', ':3: format = "ladder", expected one of round-robin'),
        ('["mammalath", "manalath"]', "[]", ":2: games = [], expected a list of different games"),
        ('["mammalath", "manalath"]', '["go"]', ":2: games: unknown game 'go', expected one of "),
        ('initial = "10s"', 'initial = "soon"', ':9: initial = "soon", expected a duration'),
        ('initial = "10s"', "initial = 0", ":9: initial = 0, expected a duration from 1ms"),
        ('initial = "10s"', "initial = nan", ":9: initial = nan, expected a duration from 1ms"),
        ('initial = "10s"', "depth = 5", ":9: unknown key 'depth' in [time], expected one of "),
        ('margin = "20ms"', "nodes = 5", ":11: time: initial and nodes, expected one of them"),
        ('initial = "10s"', "", ":10: time: increment without initial"),
        (
            "env =",
            "time = { move = 1, nodes = 2 }\nenv =",
            ":19: bot 'mine': time: move and nodes, expected one of them",
        ),
        ('name = "mine"\n', "", ":16: bot: expected a name"),
        (
            'name = "mine"',
            'name = "greedy"',
            ":17: two bots are called 'greedy', expected different",
        ),
        (
            'name = "mine"',
            'name = "\uff27REEDY"',
            ":17: two bots are called 'greedy' and '\uff27REEDY', expected different",
        ),
        (
            'name = "mine"',
            'name = "a\\nb"',
            ':17: name = "a\\nb", expected a text of 1 to 200 printable',
        ),
        ('memory = "512MiB"', 'memory = "512MB"', ':21: memory = "512MB", expected a size'),
        ('{ MYBOT_LOG = "0" }', "{ MYBOT_LOG = 0 }", ':19: env = {"MYBOT_LOG": 0}, expected'),
        ('{ MYBOT_LOG = "0" }', '{ "A=B" = "0" }', ':19: env = {"A=B": "0"}, expected'),
        ("{ threads = 1 }", "{ threads = [1] }", ':20: options = {"threads": [1]}, expected a'),
        ('[[bot]]\nname = "greedy"\n', "", ": expected at least two bots, found 1"),
        (
            'command = ["./mybot", "--threads", "1"]\n',
            "",
            ":17: bot 'mine' has no command, and is not",
        ),
        ('command = ["./mybot", "--threads", "1"]', "command = []", ":18: command = [], expected"),
        ("env =", 'cwd = "gone"\nenv =', ":19: bot 'mine': cwd "),
        ("seed = 42", "seed = ", " is not TOML: Invalid value (at line 5"),
    ],
)
def test_what_is_wrong_is_named_with_file_line_key_and_what_is_allowed(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in FULL
    with pytest.raises(ConfigError) as error:
        read(tmp_path, FULL.replace(old, new))
    assert message in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "t.toml"))


WRONG = """\
event = 3
sead = 1
games = ["go", "yavalath"]
format = "match"
pairs = 2

[time]
initial = "10s"
move = "soon"
nodes = 5

[sprt]
elo0 = 9
elo1 = 5

[[bot]]
name = "greedy"
memory = "512MB"
env = { A = 1, B = 2 }

[[bot]]
command = "x"

[[bot]]
name = "greedy"
cwd = "gone"
"""


@pytest.mark.parametrize(
    ("rubbish", "message"),
    [
        ("seed = " + "9" * 5000, "has a number of thousands of digits"),
        ("rounds = " + "9" * 4000, f":1: rounds = {'9' * 200}…, expected"),
        ("event = " + "[" * 3000 + "]" * 3000, "at most 8 deep"),
        ("event = " + "{a=" * 99_000 + "1" + "}" * 99_000, "at most 8 deep"),
        ("event = [[[[[[[[[1]]]]]]]]]", "at most 8 deep"),
        (".".join("a" * 20_000) + " = 1", "at most 8 deep"),
        ("[" + ' . "a"' * 20_000 + "]", "at most 8 deep"),
        ("".join(f"key{i} = 1\n" for i in range(10**6)), "letters, expected at most 1048576"),
        ("event = '" + "a" * 10**6 + "'", ":1: event = "),
    ],
    ids=["digits", "number", "lists", "tables", "just", "dots", "quoted", "keys", "text"],
)
def test_rubbish_is_refused_in_a_line(tmp_path: Path, rubbish: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, rubbish)
    first, *_ = str(error.value).splitlines()
    assert message in first
    assert len(first) < 1000


def test_of_very_many_mistakes_the_first_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, "".join(f"key{i} = 1\n" for i in range(9000)))
    lines = str(error.value).splitlines()
    assert len(lines) <= MOST_MISTAKES + 2
    assert ":1: unknown key 'key0', " in lines[0]


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, WRONG)
    lines = [line.removeprefix(f"{tmp_path}/t.toml:") for line in str(error.value).splitlines()]
    assert [line.partition(",")[0] for line in lines] == [
        "1: event = 3",
        "2: unknown key 'sead'",
        "3: games: unknown game 'go'",
        "4: a match is between 2 bots",
        "5: pairs is for format swiss or knockout",
        '9: move = "soon"',
        "10: time: initial and nodes",
        "13: sprt: elo0 = 9",
        '18: memory = "512MB"',
        '19: env = {"A": 1',
        "21: bot: expected a name",
        "25: two bots are called 'greedy'",
        f"26: bot 'greedy': cwd '{tmp_path}/gone' is not a folder",
    ]


def test_what_follows_from_another_mistake_is_not_told(tmp_path: Path) -> None:
    text = (
        f'format = "ladder"\n[sprt]\nelo1 = 5\n[adjudication]\nwin_eval = 2\nwin_after = 3\n{FORMS}'
    )
    with pytest.raises(ConfigError) as error:
        read(tmp_path, text)
    assert re.findall(r"toml:(\d+: \w+)", str(error.value)) == [
        "1: format",
        "2: sprt",
        "5: win_eval",
    ]


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        ("[sprt]\n", ["2: sprt: expected elo0", "2: sprt: expected elo1"]),
        ('[sprt]\nelo0 = "a"\nelo1 = 5\nbeta = 2\n', ['3: elo0 = "a"', "5: beta = 2"]),
        ("[openings]\nplies = -1\n", ["2: openings: expected a file", "3: plies = -1"]),
        ('[[bot]]\nname = "a "\nmemory = 3\n', ['3: name = "a "', "4: memory = 3"]),
    ],
)
def test_what_cannot_do_without_a_key_is_told_of_once(
    tmp_path: Path, tables: str, told: list[str]
) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, f'format = "match"\n{tables}{FORMS if "bot" not in tables else FORMS[:23]}')
    lines = [line.partition(",")[0].partition("toml:")[2] for line in str(error.value).splitlines()]
    assert lines == told


def test_a_mistake_in_the_file_and_one_of_the_flags_are_both_told(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(f'seed = -1\nrounds = 0\njobs = "all"\n{FORMS}')
    with pytest.raises(ConfigError) as error:
        config.load(path, tmp_path, {"jobs": "many"})
    assert [line.partition(",")[0] for line in str(error.value).splitlines()] == [
        f"{path}:1: seed = -1",
        f"{path}:2: rounds = 0",
        f'{path}:3: jobs = "all"',
        'the command line: jobs = "many"',
    ]


@pytest.mark.parametrize(
    "value", ["time = {}", "time = 3", "time = { depth = 1 }", "time = { move = 0 }"]
)
def test_a_bots_time_that_is_none_is_told_as_the_bots_key(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigError, match=r":19: time = .*, expected a table such as \{ initial"):
        read(tmp_path, FULL.replace("env =", f"{value}\nenv ="))


FORMS = """\
[[bot]]
name = "greedy"
[[bot]]
name = "random"
"""
SPRT = "[sprt]\nelo0 = 0\nelo1 = 10\n"
THIRD = '[[bot]]\nname = "third"\ncommand = "x"\n'


def test_format_test_and_openings_reach_the_tournament(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("yavalath 5/6/7/8/9/8/7/6/5 w\n")
    openings = '[openings]\nfile = "book.txt"\norder = "random"\nplies = 0\nstart = 3\n'
    got = read(tmp_path, f'format = "match"\n{SPRT}alpha = 0.1\n{openings}{FORMS}')
    assert got.sprt == Sprt(elo0=0, elo1=10, alpha=0.1, beta=0.05)
    assert isinstance(got.openings, BookChoice)
    assert (got.openings.path, got.openings.order) == (tmp_path / "book.txt", "random")
    assert (got.openings.plies, got.openings.start) == (0, 3)
    again = config.build(tomllib.loads(tomlkit.dumps(got.as_written)), tmp_path / "elsewhere")
    assert again.identity() == got.identity()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("random:4", RandomChoice(plies=4)),
        ("random:0", None),
        ("book.txt", ("book.txt", None)),
        ("book.txt:6", ("book.txt", 6)),
        ("odd:7", ("odd:7", None)),  # there is such a file
        ("odd:7:6", ("odd:7", 6)),
    ],
)
def test_a_text_says_where_games_begin(tmp_path: Path, text: str, expected: object) -> None:
    for name in ("book.txt", "odd:7"):
        (tmp_path / name).write_text("yavalath 5/6/7/8/9/8/7/6/5 w\n")
    got = read(tmp_path, f'openings = "{text}"\n{FORMS}')
    choice = got.openings
    told = (choice.path.name, choice.plies) if isinstance(choice, BookChoice) else choice
    assert told == expected
    again = config.build(tomllib.loads(tomlkit.dumps(got.as_written)), tmp_path / "elsewhere")
    assert again.identity() == got.identity()
    jsonschema.validate(tomllib.loads(f'openings = "{text}"\n{FORMS}'), keys.schema())


def test_where_nothing_is_said_games_of_one_setup_begin_at_random(tmp_path: Path) -> None:
    got = read(tmp_path, FORMS)
    assert got.openings == RandomChoice(plies=4, everywhere=False)
    assert "openings" not in got.as_written
    assert as_begun(got, {}) == got
    assert as_begun(got, got.identity()) == got
    assert as_begun(got, {"openings": None}).openings is None, "as it was begun"
    asked = read(tmp_path, f'openings = "random:4"\n{FORMS}')
    assert as_begun(asked, {"openings": None}) == asked, "which is refused then"


def test_a_book_of_which_all_entries_were_taken_still_is(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("yavalath 5/6/7/8/9/8/7/6/5 w\n")
    pool = read(tmp_path, f'openings = "book.txt"\nformat = "pool"\n{FORMS}')
    former: Any = pool.identity()
    del former["openings"]["folded"]
    begun = as_begun(pool, former)
    assert begun.identity()["openings"] == former["openings"]
    assert begun.noted[""]["openings"] != pool.noted[""]["openings"], "it is told as it is"


def test_another_book_is_another_tournament_and_the_same_one_elsewhere_is_not(
    tmp_path: Path,
) -> None:
    identities = []
    for name, text in (("a.lath", "one"), ("b.lath", "one"), ("c.lath", "two")):
        (tmp_path / name).write_text(text)
        got = read(tmp_path, f'[openings]\nfile = "{name}"\n{FORMS}')
        identities.append(got.identity())
    assert identities[0] == identities[1] != identities[2]


def test_the_settings_of_each_format_reach_the_tournament(tmp_path: Path) -> None:
    got = read(tmp_path, f'format = "gauntlet"\nchallengers = 2\n{FORMS}{THIRD}')
    assert (got.format, got.challengers) == ("gauntlet", 2)
    got = read(tmp_path, f'format = "knockout"\npairs = 4\n{FORMS}{THIRD}')
    assert (got.format, got.pairs) == ("knockout", 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'format = "match"\n{FORMS}{THIRD}', ":1: a match is between 2 bots, found 3"),
        (f"{SPRT}{FORMS}", ":1: sprt is for format match or tune, not round-robin"),
        (f"challengers = 1\n{FORMS}", ":1: challengers is for format gauntlet, not round-robin"),
        (f"pairs = 2\n{FORMS}", ":1: pairs is for format swiss or knockout, not round-robin"),
        (
            f'format = "gauntlet"\nchallengers = 2\n{FORMS}',
            ":2: challengers = 2, expected fewer than the 2 bots",
        ),
        (f'format = "match"\n[sprt]\nelo0 = 0\n{FORMS}', ":2: sprt: expected elo1"),
        (
            f'format = "match"\n[sprt]\nelo0 = 5\nelo1 = 5\n{FORMS}',
            ":3: sprt: elo0 = 5, expected less than elo1 = 5",
        ),
        (
            f'format = "match"\n{SPRT}alpha = 0.5\n{FORMS}',
            ":5: alpha = 0.5, expected a number over 0 and under 0.5",
        ),
        (f'format = "match"\n{SPRT}elo2 = 1\n{FORMS}', ":5: unknown key 'elo2' in [sprt], expect"),
        (
            f'format = "match"\n{SPRT}model = "bayesian"\n{FORMS}',
            ":5: model = \"bayesian\", expected 'logistic' or 'normalized'",
        ),
        (
            f'format = "match"\n[sprt]\nelo0 = 0\nelo1 = 300\nmodel = "normalized"\n{FORMS}',
            ":4: sprt: expected normalized Elo from -200 to 200",
        ),
        (f"[openings]\nplies = 3\n{FORMS}", ":1: openings: expected a file"),
        (
            f"[adjudication]\nwin_eval = 0.5\n{FORMS}",
            ":2: adjudication: expected both win_eval and win_after, or none",
        ),
        (f"time = {{ increment = 1 }}\n{FORMS}", ":1: time: increment without initial"),
        (f'[openings]\nfile = "gone.lath"\n{FORMS}', "gone.lath cannot be read: No such file"),
        (
            f'[openings]\nfile = "a"\norder = "best"\n{FORMS}',
            ":3: order = \"best\", expected 'sequential' or 'random'",
        ),
        (f"openings = 3\n{FORMS}", ":1: openings = 3, expected a table [openings], or a text"),
        (f'openings = "gone:6"\n{FORMS}', "gone cannot be read: No such file"),
        (f"[openings]\nrandom = 4\nplies = 3\n{FORMS}", ":3: openings: plies and random, expected"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, text)
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["0", "0,x", "0,1,2", "0,1_0", "a"])
def test_a_flag_that_is_no_test_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected elo0,elo1 or elo0,elo1,alpha,beta"):
        sprt_table(text)
    assert sprt_table("0,10,0.1,0.2") == {"elo0": 0, "elo1": 10, "alpha": 0.1, "beta": 0.2}


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        config.load(tmp_path / "gone.toml", tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"event = '\xff'")
    with pytest.raises(ConfigError, match="is not UTF-8: byte 9"):
        config.load(tmp_path / "bytes.toml", tmp_path)


def test_what_a_flag_says_wrongly_is_not_looked_for_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(f'format = "gauntlet"\nchallengers = 1\n{FORMS}{THIRD}')
    with pytest.raises(ConfigError, match=r"^the command line: challengers = 5, expected fewer"):
        config.load(path, tmp_path, {"challengers": 5})
    with pytest.raises(ConfigError, match=r"^the command line: jobs = \"many\", expected"):
        config.load(path, tmp_path, {"jobs": "many"})


@pytest.mark.parametrize(
    ("words", "lacks"),
    [
        (("python", "gone.py"), "gone.py is not in {folder} (the bot runs in a scratch folder)"),
        (
            ("node", "-x", "sub/gone"),
            "sub/gone is not in {folder} (the bot runs in a scratch folder)",
        ),
        (("node", "/nowhere/gone.js"), "/nowhere/gone.js is no file"),
        (("node", "there.js", "sub", "--book=a/b", "-e", "1 / 2"), ""),
        (("gone.py",), "gone.py is not on PATH"),
        (("./gone", "there.js"), "there is no file {folder}/gone"),
        (("python", "there.js"), ""),
        (("greedy",), ""),
    ],
)
def test_an_argument_that_looks_like_a_script_and_is_none_is_known(
    tmp_path: Path, words: tuple[str, ...], lacks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there.js").touch()
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}" * (name == "node"))
    found = missing_file(words, tmp_path, in_scratch=True)
    assert found == lacks.format(folder=tmp_path)


def test_the_demo_is_a_sound_configuration() -> None:
    got = config.build(config.demo(), Path())
    assert len(got.games) == 4
    assert set(got.names) >= {"random", "greedy"}
    assert got.jobs == os.cpu_count()


@pytest.mark.parametrize("told", [tomllib.loads(FULL), config.demo()])
def test_the_schema_accepts_what_the_reader_accepts(told: dict[str, Any]) -> None:
    jsonschema.validate(told, keys.schema(), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "wrong", [{"round": 1}, {"rounds": 0}, {"time": {"depth": 1}}, {"seed": 10**23}]
)
def test_the_schema_refuses_what_the_reader_refuses(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, keys.schema(), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("text", "seconds"), [("50ms", 0.05), ("0.1s", 0.1), ("2m", 120.0), ("1.5 h", 5400.0), (3, 3.0)]
)
def test_durations_have_units(text: object, seconds: float) -> None:
    assert keys.seconds(text) == pytest.approx(seconds)


VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(-2, 10**16), st.floats(), st.text(max_size=3)),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["name", "move", "nodes", "A"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def a_table(kind: type[BaseModel]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw a table with some of the right keys and values of any kind."""
    return st.dictionaries(st.sampled_from([*kind.model_fields, "x"]), VALUES, max_size=4)


@given(
    top=a_table(keys.ConfigTable),
    tables=st.fixed_dictionaries(
        {}, optional={name: a_table(kind) for name, kind in keys.TABLES.items() if name != "bot"}
    ),
    bots=st.lists(a_table(keys.BotTable) | VALUES, max_size=3),
)
def test_whatever_a_file_holds_it_is_a_tournament_or_refused_with_places(
    top: dict[str, Any], tables: dict[str, Any], bots: list[Any]
) -> None:
    tables.pop("", None)
    said = ""
    try:
        config.build({**top, **tables, "bot": bots}, Path("/nowhere"), name="t.toml")
    except ConfigError as error:
        said = str(error)
    assert all(line.startswith("t.toml: ") for line in said.splitlines())


@pytest.mark.parametrize("env", ['{ "A=B" = "0" }', '{ A = "\\u0000" }', '{ "" = "0" }'])
def test_variables_that_no_process_can_have_are_refused(tmp_path: Path, env: str) -> None:
    with pytest.raises(ConfigError, match=r"19: env = .*, expected a table of texts"):
        read(tmp_path, FULL.replace('{ MYBOT_LOG = "0" }', env))


def test_the_first_move_has_a_time_for_all_and_for_a_bot_alone(tmp_path: Path) -> None:
    text = """
[time]
move = "50ms"
first = "1s"
[[bot]]
name = "greedy"
time = { initial = 5, first = 2 }
[[bot]]
name = "random"
"""
    got = read(tmp_path, text)
    assert got.limits.time == TimeControl(move_ms=50, first_ms=1000)
    assert got.bots[0].time == TimeControl(initial_ms=5000, first_ms=2000)
    assert got.identity()["time"] == "move 0.05 first 1"
    assert read(tmp_path, text.replace('first = "1s"', "")).identity()["time"] == "move 0.05"


@pytest.mark.parametrize(
    "text", ["5+0.1 first 1", "move 0.5 first 1", "nodes 9 first 1", "none first 1", "none", "3"]
)
def test_a_time_of_the_command_line_is_what_the_table_says(text: str) -> None:
    time = TimeControl.read(text)
    bots = [{"name": "greedy"}, {"name": "random"}]
    assert build({"time": time_table(time), "bot": bots}, Path()).limits.time == time


def test_a_table_of_time_that_says_nothing_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    bots = [{"name": "greedy"}, {"name": "random"}]
    empty = build({"bot": bots, "time": {}}, tmp_path)
    assert empty.limits == build({"bot": bots}, tmp_path).limits
    assert empty.limits.time.has_clock, "as in 0.1.0"


def test_a_word_of_a_command_may_be_longer_than_a_path(tmp_path: Path) -> None:
    words = ["sh", "-c", f"/{'x' * 5000} " + "y" * 5000, f"{'z/' * 500}{'z' * 500}.py"]
    bots = [{"name": "long", "command": words}, {"name": "random"}]
    config = build({"bot": bots}, tmp_path)
    assert list(config.bots[0].command) == words
    assert fingerprints(config.bots)["long"] == {}


def test_names_that_have_played_may_differ_in_case_alone(tmp_path: Path) -> None:
    bots = [{"name": name, "command": ["x"]} for name in ("Ann", "ann", "ANN", "Ann")]
    played = ("Ann", "ann", "ANN")
    assert build({"bot": bots[:3]}, tmp_path, played=played).names == played
    for names in (played, played[:1]):
        with pytest.raises(ConfigError, match="two bots are called "):
            build({"bot": bots}, tmp_path, played=names)


@pytest.mark.parametrize(("ponder", "needed"), [("false", 3), ("true", 5)])
def test_a_game_in_which_both_think_at_once_needs_the_cores_of_both(
    ponder: str, needed: int, tmp_path: Path
) -> None:
    bots = "".join(
        f'[[bot]]\nname = "{name}"\ncommand = ["{name}"]\nthreads = {threads}\n'
        for name, threads in (("a", 1), ("b", 3), ("c", 2))
    )
    got = read(tmp_path, f'games = ["yavalath"]\n[time]\nmove = 1\nponder = {ponder}\n{bots}')
    assert got.cores_of_a_game == needed
    assert got.limits.ponder == (ponder == "true")


def test_a_run_goes_on_with_the_same_time_control_alone() -> None:
    assert config._NOT_NOTED["time"] == {*keys.BotTime.model_fields}
