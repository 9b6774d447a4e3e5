"""Configurations: what each key takes, and how a wrong one is named."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st
from reference import key_rows

from lath.arena.entrants import bot_table
from lath.arena.entrants.flag_text import time_table
from lath.arena.entrants.programs import bundled, missing_file
from lath.arena.errors import ConfigError
from lath.arena.schedule.openings import BookChoice
from lath.arena.schedule.random_openings import RandomChoice
from lath.arena.schedule.sprt import Sprt
from lath.arena.tournament.configuration import config, keys
from lath.arena.tournament.configuration.config import build, sprt_table
from lath.arena.tournament.configuration.mistakes import MOST_MISTAKES
from lath.arena.tournament.run.resuming import as_begun, fingerprints
from lath.notation.protocol import TimeControl

if TYPE_CHECKING:
    from golden import Golden
    from pydantic import BaseModel

FULL: Final = """\
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
COMMAND: Final = '["./mybot", "--threads", "1"]'
FORMS: Final = '[[bot]]\nname = "greedy"\n[[bot]]\nname = "random"\n'
SPRT: Final = "[sprt]\nelo0 = 0\nelo1 = 10\n"
THIRD: Final = '[[bot]]\nname = "third"\ncommand = "x"\n'
TWO: Final = [{"name": "greedy"}, {"name": "random"}]
ENTRY: Final = "yavalath 5/6/7/8/9/8/7/6/5 w\n"


def read(tmp_path: Path, text: str, flags: dict[str, Any] | None = None) -> config.Config:
    path = tmp_path / "t.toml"
    path.write_text(text)
    return config.load(path, tmp_path, flags or {})


def read_again(got: config.Config, tmp_path: Path) -> config.Config:
    """Return what is written for a resume, as it is read in another folder."""
    return build(tomllib.loads(tomlkit.dumps(got.as_written)), tmp_path / "elsewhere")


# What is right


def test_every_key_of_the_example_reaches_the_tournament(tmp_path: Path) -> None:
    got = read(tmp_path, FULL)
    assert (got.event, got.games) == ("Autumn bots", ("mammalath", "manalath"))
    assert (got.rounds, got.seed, got.jobs) == (10, 42, 2)
    assert (got.limits.time.initial_ms, got.limits.time.increment_ms) == (10_000, 100)
    assert got.limits.margin_s == 0.02
    greedy, mine = got.bots
    assert greedy.command == bundled()["greedy"]
    assert mine.command == (str(tmp_path / "mybot"), "--threads", "1")
    assert (mine.env, mine.options) == ({"MYBOT_LOG": "0"}, {"threads": 1})
    assert mine.memory_bytes == 512 << 20
    again = read_again(got, tmp_path)
    assert again.identity() == got.identity()
    assert again.bots == got.bots


def test_what_a_command_names_is_found(tmp_path: Path) -> None:
    (tmp_path / "bot.js").touch()
    (tmp_path / "engines").mkdir()
    commands: dict[str, tuple[str, ...]] = {
        '"greedy"': bundled()["greedy"],
        '["node", "bot.js", "other.js"]': ("node", str(tmp_path / "bot.js"), "other.js"),
        "\"node 'my bot.js' -x\"": ("node", "my bot.js", "-x"),
    }
    found = {text: read(tmp_path, FULL.replace(COMMAND, text)).bots[1] for text in commands}
    assert {text: bot.command for text, bot in found.items()} == commands
    got = read(tmp_path, FULL.replace("env =", 'cwd = "engines"\nenv =')).bots[1]
    assert got.cwd == str(tmp_path / "engines")
    assert got.command[0] == str(tmp_path / "engines" / "mybot")


def test_a_word_of_a_command_may_be_longer_than_a_path(tmp_path: Path) -> None:
    words = ["sh", "-c", f"/{'x' * 5000} " + "y" * 5000, f"{'z/' * 500}{'z' * 500}.py"]
    long = build({"bot": [{"name": "long", "command": words}, {"name": "random"}]}, tmp_path)
    assert list(long.bots[0].command) == words
    assert fingerprints(long.bots)["long"] == {}


def test_an_argument_that_looks_like_a_script_and_is_none_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    (tmp_path / "there.js").touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "node").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    lacks = (
        "python gone.py",
        "node -x sub/gone",
        "node /nowhere/gone.js",
        "gone.py",
        "./gone a.js",
    )
    said = {text: missing_file(tuple(text.split()), tmp_path, in_scratch=True) for text in lacks}
    golden(said)
    assert all(said.values())
    for words in (["node", "there.js", "sub", "--book=a/b", "-e", "1 / 2"], ["greedy"]):
        assert missing_file(tuple(words), tmp_path, in_scratch=True) == "", words


def test_format_test_and_openings_reach_the_tournament(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text(ENTRY)
    openings = '[openings]\nfile = "book.txt"\norder = "random"\nplies = 0\nstart = 3\n'
    got = read(tmp_path, f'format = "match"\n{SPRT}alpha = 0.1\n{openings}{FORMS}')
    assert got.sprt == Sprt(elo0=0, elo1=10, alpha=0.1, beta=0.05)
    assert isinstance(got.openings, BookChoice)
    assert (got.openings.path, got.openings.order) == (tmp_path / "book.txt", "random")
    assert (got.openings.plies, got.openings.start) == (0, 3)
    assert read_again(got, tmp_path).identity() == got.identity()
    got = read(tmp_path, f'format = "gauntlet"\nchallengers = 2\n{FORMS}{THIRD}')
    assert (got.format, got.challengers) == ("gauntlet", 2)
    got = read(tmp_path, f'format = "knockout"\npairs = 4\n{FORMS}{THIRD}')
    assert (got.format, got.pairs) == ("knockout", 4)


def test_a_text_says_where_games_begin(tmp_path: Path) -> None:
    for name in ("book.txt", "odd:7"):
        (tmp_path / name).write_text(ENTRY)
    for text, expected in {
        "random:4": RandomChoice(plies=4),
        "random:0": None,
        "book.txt": ("book.txt", None),
        "book.txt:6": ("book.txt", 6),
        "odd:7": ("odd:7", None),  # there is such a file
        "odd:7:6": ("odd:7", 6),
    }.items():
        got = read(tmp_path, f'openings = "{text}"\n{FORMS}')
        choice = got.openings
        told = (choice.path.name, choice.plies) if isinstance(choice, BookChoice) else choice
        assert told == expected
        assert read_again(got, tmp_path).identity() == got.identity()
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


def test_a_book_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    identities = []
    for name, text in (("a.lath", "one"), ("b.lath", "one"), ("c.lath", "two")):
        (tmp_path / name).write_text(text)
        identities.append(read(tmp_path, f'[openings]\nfile = "{name}"\n{FORMS}').identity())
    assert identities[0] == identities[1] != identities[2]
    (tmp_path / "book.txt").write_text(ENTRY)
    pool = read(tmp_path, f'openings = "book.txt"\nformat = "pool"\n{FORMS}')
    former: Any = pool.identity()
    del former["openings"]["folded"]  # all entries were taken
    begun = as_begun(pool, former)
    assert begun.identity()["openings"] == former["openings"]
    assert begun.noted[""]["openings"] != pool.noted[""]["openings"], "it is told as it is"


def test_the_first_move_has_a_time_for_all_and_for_a_bot_alone(tmp_path: Path) -> None:
    own = FORMS.replace('"greedy"\n', '"greedy"\ntime = { initial = 5, first = 2 }\n')
    text = f'[time]\nmove = "50ms"\nfirst = "1s"\n{own}'
    got = read(tmp_path, text)
    assert got.limits.time == TimeControl(move_ms=50, first_ms=1000)
    assert got.bots[0].time == TimeControl(initial_ms=5000, first_ms=2000)
    assert got.identity()["time"] == "move 0.05 first 1"
    assert read(tmp_path, text.replace('first = "1s"', "")).identity()["time"] == "move 0.05"


def test_a_time_of_the_command_line_is_what_the_table_says() -> None:
    for text in (
        "5+0.1 first 1",
        "move 0.5 first 1",
        "nodes 9 first 1",
        "none first 1",
        "none",
        "3",
    ):
        time = TimeControl.read(text)
        assert build({"time": time_table(time), "bot": TWO}, Path()).limits.time == time, text
    empty = build({"bot": TWO, "time": {}}, Path())
    assert empty.limits == build({"bot": TWO}, Path()).limits
    assert empty.limits.time.has_clock, "as in 0.1.0"


def test_durations_have_units() -> None:
    durations = {"50ms": 0.05, "0.1s": 0.1, "2m": 120.0, "1.5 h": 5400.0, 3: 3.0}
    assert {text: bot_table.seconds(text) for text in durations} == pytest.approx(durations)


def test_names_that_have_played_may_differ_in_case_alone(tmp_path: Path) -> None:
    bots = [{"name": name, "command": ["x"]} for name in ("Ann", "ann", "ANN", "Ann")]
    played = ("Ann", "ann", "ANN")
    assert build({"bot": bots[:3]}, tmp_path, played=played).names == played
    for names in (played, played[:1]):
        with pytest.raises(ConfigError, match="two bots have the name "):
            build({"bot": bots}, tmp_path, played=names)


def test_a_game_in_which_both_think_at_once_needs_the_cores_of_both(tmp_path: Path) -> None:
    bots = "".join(
        f'[[bot]]\nname = "{name}"\ncommand = ["{name}"]\nthreads = {threads}\n'
        for name, threads in {"a": 1, "b": 3, "c": 2}.items()
    )
    for ponder, needed in {"false": 3, "true": 5}.items():
        got = read(tmp_path, f'games = ["yavalath"]\n[time]\nmove = 1\nponder = {ponder}\n{bots}')
        assert (got.cores_of_a_game, got.limits.ponder) == (needed, ponder == "true")


def test_the_demo_is_a_valid_configuration() -> None:
    got = build(config.demo(), Path())
    assert len(got.games) == 4
    assert set(got.names) >= {"random", "greedy"}
    assert got.jobs == os.cpu_count()


def test_the_schema_takes_what_the_reader_takes() -> None:
    schema = jsonschema.Draft202012Validator(keys.schema())
    for told in (tomllib.loads(FULL), config.demo()):
        schema.validate(told)
    wrong = ({"round": 1}, {"rounds": 0}, {"time": {"depth": 1}}, {"seed": 10**23})
    assert [told for told in wrong if schema.is_valid(told)] == []


# What the reference says


def test_the_reference_has_every_key_and_the_defaults_of_the_reader() -> None:
    rows = key_rows()
    keys_of = {name: {*table.model_fields} for name, table in keys.TABLES.items()}
    keys_of[""] -= {*keys.TABLES}
    assert {(row.table, row.key) for row in rows} == {
        (name, key) for name, known in keys_of.items() for key in known
    }
    needed: dict[str, dict[str, Any]] = {
        "bot": {"name": "ann"},
        "sprt": {"elo0": 0, "elo1": 1},
        "tune": {"pairs": 1, "options": {"level": "1..9 from 4"}},
        "season": {"name": "Spring"},
    }
    for row in rows:
        table = keys.TABLES[row.table]
        field = table.model_fields[row.key]
        assert len(row.meaning.partition(" Formats: ")[0].split()) <= 30, row
        assert row.value not in ("", "None"), row
        assert (row.default == "required") == field.is_required(), row
        if row.default.startswith("`"):
            stated = tomllib.loads(f"{row.key} = {row.default.strip('`')}")
            told = table.model_validate({**needed.get(row.table, {}), **stated})
            assert getattr(told, row.key) == field.default, row
        elif not field.is_required():  # none, or one that depends on other keys
            assert row.default or not field.default, row


# What is wrong

EDITS: Final[list[tuple[str, str, list[int]]]] = [
    ("rounds = 10", "round = 10", [4]),
    ("rounds = 10", "rounds = 0", [4]),
    ("rounds = 10", "rounds = true", [4]),
    ("seed = 42", "seed = -1", [5]),
    ("seed = 42", f"seed = {10**23}", [5]),
    ("seed = 42", "sead = 42", [5]),
    ("jobs = 2", 'jobs = "all"', [6]),
    ('event = "Autumn bots"', "event = 3", [1]),
    ('"round-robin"', '"ladder"', [3]),
    ('["mammalath", "manalath"]', "[]", [2]),
    ('["mammalath", "manalath"]', '["go"]', [2]),
    ('initial = "10s"', 'initial = "soon"', [9, 10]),
    ('initial = "10s"', "initial = 0", [9, 10]),
    ('initial = "10s"', "initial = nan", [9, 10]),
    ('initial = "10s"', "depth = 5", [9, 10]),
    ('margin = "20ms"', "nodes = 5", [11]),
    ('initial = "10s"', "", [10]),
    ("env =", "time = { move = 1, nodes = 2 }\nenv =", [19]),
    *(
        ("env =", f"time = {value}\nenv =", [19])
        for value in ("{}", "3", "{ depth = 1 }", "{ move = 0 }")
    ),
    ('name = "mine"\n', "", [16]),
    ('name = "mine"', 'name = "greedy"', [17]),
    ('name = "mine"', 'name = "\uff27REEDY"', [17]),
    ('name = "mine"', 'name = "a\\nb"', [17]),
    ('memory = "512MiB"', 'memory = "512MB"', [21]),
    *(
        ('{ MYBOT_LOG = "0" }', env, [19])
        for env in ("{ LOG = 0 }", '{ "A=B" = "0" }', '{ A = "\\u0000" }', '{ "" = "0" }')
    ),
    ("{ threads = 1 }", "{ threads = [1] }", [20]),
    ('[[bot]]\nname = "greedy"\n', "", []),
    (f"command = {COMMAND}\n", "", [17]),
    (f"command = {COMMAND}", "command = []", [17, 18]),
    ("env =", 'cwd = "gone"\nenv =', [19]),
    ("seed = 42", "seed = ", []),
]
"""What stands in the example, what is written in its place, and the lines that are named."""

MANY: Final = """\
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

MATCH: Final = 'format = "match"\n'

TEXTS: Final[dict[str, tuple[str, list[int]]]] = {
    "all at once": (MANY, [1, 2, 3, 4, 5, 9, 10, 13, 18, 19, 21, 25, 26]),
    "what follows from another": (
        'format = "ladder"\n[sprt]\nelo1 = 5\n[adjudication]\nwin_eval = 2\nwin_after = 3\n'
        + FORMS,
        [1, 2, 5],
    ),
    "a test of nothing": (f"{MATCH}[sprt]\n{FORMS}", [2, 2]),
    "a test of rubbish": (f'{MATCH}[sprt]\nelo0 = "a"\nelo1 = 5\nbeta = 2\n{FORMS}', [3, 5]),
    "openings of nothing": (f"{MATCH}[openings]\nplies = -1\n{FORMS}", [2, 3]),
    "a bot of rubbish": (f'{MATCH}[[bot]]\nname = "a "\nmemory = 3\n{FORMS[:23]}', [3, 4]),
    "a match of three": (f"{MATCH}{FORMS}{THIRD}", [1]),
    "a test of all": (f"{SPRT}{FORMS}", [1]),
    "challengers of all": (f"challengers = 1\n{FORMS}", [1]),
    "pairs of all": (f"pairs = 2\n{FORMS}", [1]),
    "only challengers": (f'format = "gauntlet"\nchallengers = 2\n{FORMS}', [2]),
    "half a test": (f"{MATCH}[sprt]\nelo0 = 0\n{FORMS}", [2]),
    "an empty test": (f"{MATCH}[sprt]\nelo0 = 5\nelo1 = 5\n{FORMS}", [3]),
    "alpha": (f"{MATCH}{SPRT}alpha = 0.5\n{FORMS}", [5]),
    "elo2": (f"{MATCH}{SPRT}elo2 = 1\n{FORMS}", [5]),
    "a model": (f'{MATCH}{SPRT}model = "bayesian"\n{FORMS}', [5]),
    "far in a model": (
        f'{MATCH}[sprt]\nelo0 = 0\nelo1 = 300\nmodel = "normalized"\n{FORMS}',
        [4],
    ),
    "plies of no file": (f"[openings]\nplies = 3\n{FORMS}", [1]),
    "half an adjudication": (f"[adjudication]\nwin_eval = 0.5\n{FORMS}", [2]),
    "half a time": (f"time = {{ increment = 1 }}\n{FORMS}", [1]),
    "no book": (f'[openings]\nfile = "gone.lath"\n{FORMS}', [2]),
    "an order": (f'[openings]\nfile = "a"\norder = "best"\n{FORMS}', [2, 3]),
    "no openings": (f"openings = 3\n{FORMS}", [1]),
    "no book of a text": (f'openings = "gone:6"\n{FORMS}', [1]),
    "two openings": (f"[openings]\nrandom = 4\nplies = 3\n{FORMS}", [3]),
    "digits": ("seed = " + "9" * 5000, []),
    "a number": ("rounds = " + "9" * 4000, [1]),
    "a text": ("event = '" + "a" * 10**6 + "'", [1]),
    "deep lists": ("event = " + "[" * 3000 + "]" * 3000, []),
    "deep tables": ("event = " + "{a=" * 99_000 + "1" + "}" * 99_000, []),
    "just too deep": ("event = [[[[[[[[[1]]]]]]]]]", []),
    "deep dots": (".".join("a" * 20_000) + " = 1", []),
    "deep quotes": ("[" + ' . "a"' * 20_000 + "]", []),
    "a long file": ("".join(f"key{i} = 1\n" for i in range(10**6)), []),
}
"""Files with the lines that are named."""


def files() -> Iterator[tuple[str, str, list[int]]]:
    for old, new, lines in EDITS:
        assert old in FULL
        name = " / ".join(new.splitlines()) or f"no {old.splitlines()[0]}"
        yield name, FULL.replace(old, new), lines
    for name, (text, lines) in TEXTS.items():
        yield name, text, lines


def test_what_is_wrong_is_named_with_file_line_key_and_what_is_allowed(
    tmp_path: Path, golden: Golden
) -> None:
    said, wrong = {}, {}
    for name, text, lines in files():
        with pytest.raises(ConfigError) as error:
            read(tmp_path, text)
        said[name] = str(error.value)
        found = re.findall(r"^.*/t\.toml:(\d+): ", said[name], re.MULTILINE)
        if [*map(int, found)] != lines or len(said[name].splitlines()[0]) > 1000:
            wrong[name] = said[name]
        assert str(tmp_path / "t.toml") in said[name]
    assert wrong == {}
    golden(said)


def test_of_very_many_mistakes_the_first_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, "".join(f"key{i} = 1\n" for i in range(9000)))
    lines = str(error.value).splitlines()
    assert len(lines) <= MOST_MISTAKES + 2
    assert lines[0].startswith(f"{tmp_path}/t.toml:1: unknown key 'key0'; ")


def test_what_flags_say_wrongly_is_told_as_theirs_beside_what_the_file_does(
    tmp_path: Path, golden: Golden
) -> None:
    gauntlet = f'format = "gauntlet"\nchallengers = 1\n{FORMS}{THIRD}'
    cases: dict[str, tuple[str, dict[str, Any]]] = {
        "of both": (f'seed = -1\nrounds = 0\njobs = "all"\n{FORMS}', {"jobs": "many"}),
        "of a flag": (gauntlet, {"jobs": "many"}),
        "of a flag whose key is right": (gauntlet, {"challengers": 5}),
    }
    said = {}
    for name, (text, flags) in cases.items():
        with pytest.raises(ConfigError) as error:
            read(tmp_path, text, flags)
        said[name] = str(error.value)
    assert [text.count("the arguments: ") for text in said.values()] == [1, 1, 1]
    assert [text.count("/t.toml:") for text in said.values()] == [3, 0, 0]
    golden(said)
    for text in ("0", "0,x", "0,1,2", "0,1_0", "a"):
        with pytest.raises(ConfigError, match="is not elo0,elo1 or elo0,elo1,alpha,beta"):
            sprt_table(text)
    assert sprt_table("0,10,0.1,0.2") == {"elo0": 0, "elo1": 10, "alpha": 0.1, "beta": 0.2}


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path, golden: Golden) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"event = '\xff'")
    for name in ("gone.toml", "bytes.toml"):
        with pytest.raises(ConfigError) as error:
            config.load(tmp_path / name, tmp_path)
        golden(str(error.value), name)


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
    bots=st.lists(a_table(bot_table.BotTable) | VALUES, max_size=3),
)
def test_whatever_a_file_holds_it_is_a_tournament_or_refused_with_places(
    top: dict[str, Any], tables: dict[str, Any], bots: list[Any]
) -> None:
    tables.pop("", None)
    said = ""
    try:
        build({**top, **tables, "bot": bots}, Path("/nowhere"), name="t.toml")
    except ConfigError as error:
        said = str(error)
    assert all(line.startswith("t.toml: ") for line in said.splitlines())
