"""One option has one name in every command, and every command has --json and -q."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from any_commands import leaves
from commands import arena

from lath.arena.cli.main import WITHOUT

EVERYWHERE: Final = ("--json", "--quiet")

NAMES: Final = {
    ("--game",): ("-g", "--games", "--game-type", "--game-id"),
    ("--jobs", "-j"): ("--cores", "--processes", "--threads", "--workers"),
    ("--json",): ("--as-json", "--format-json"),
    ("--output", "-o"): ("--out", "--out-dir", "--outfile", "--write"),
    ("--quiet", "-q"): ("-s", "--silent"),
    ("--record",): ("-r", "--number", "--id", "--index-of", "--nth"),
    ("--seed",): ("--random", "--random-seed"),
}
"""All names of what many commands have, and those that no command has for the same thing."""


def commands() -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield each command that can be typed, and its options."""
    for words, found in leaves().items():
        yield words, [one for one in found.params if one.param_type_name == "option"]


READ: Final = re.compile("SOURCE|GAME|FILE|SRC|DIR|^A$|^N$")
"""In what stands for an argument of a command that reads records or a game."""

READS_NONE: Final = {"doctor", "init"}
"""Commands of a DIR of which they read no record; `init --game` is the name of a new game."""


def test_every_command_that_reads_records_or_a_game_takes_files_of_games() -> None:
    reads = {
        words
        for words, found in leaves().items()
        for one in found.params
        if one.param_type_name == "argument" and READ.search(one.metavar or "")
    }
    has_games = {words for words, options in commands() if ["--game"] in [o.opts for o in options]}
    assert reads - READS_NONE - has_games == set()
    assert READS_NONE - has_games == {"doctor"}


def test_every_command_has_json_and_quiet_and_no_thing_has_two_names() -> None:
    wrong = []
    lacking = {(command, name) for command, _ in commands() for name in EVERYWHERE}
    for command, options in commands():
        for opts in (tuple(option.opts) for option in options):
            lacking -= {(command, name) for name in opts}
            for names, others in NAMES.items():
                is_same = opts == names or not {*names, *others} & {*opts}
                wrong += [] if is_same else [(command, opts, names)]
    assert wrong == []
    assert lacking == set(WITHOUT)
    assert all(why.endswith(".") for why in WITHOUT.values())


def test_a_short_name_means_one_thing() -> None:
    meant: dict[str, set[str]] = {}
    for _, options in commands():
        for option in options:
            long, *short = option.opts
            for letter in short:
                meant.setdefault(letter, set()).add(long)
    assert {letter: names for letter, names in meant.items() if len(names) > 1} == {}


GAMES: Final = """\
[Game "yavalath"]
[First "ann"]
[Second "bob"]

1. e5 2. d4 3. f5 *
"""

QUICK: Final = (
    *("init new", "init --game games/hexline", "bot list", "bot pack random -o packed.py"),
    *("rate a.lath", "report a.lath -o page.html", "report a.lath --data data.json"),
    *("report --copy-templates templates", "check a.lath", "check a.lath --sound sound.lath"),
    *("show a.lath", "convert a.lath a.csv", "convert a.csv a.jsonl --from .csv --to jsonl"),
    *("select a.lath --count", "select a.lath -o b.lath", "select a.lath --split game -o parts"),
    *("edit a.lath --set Event=Cup -o c.lath", "edit b.lath", "edit b.lath --drop First"),
    *("diff a.lath a.lath", "stats a.lath", "stats a.lath --measures", "explore a.lath"),
    *("stats a.lath --measures --html measures.html", "explain ann won.lath"),
    *("games list", "games show yavalath", "games moves yavalath", "games moves yavalath --count"),
    *("games perft surikata 1", "games perft surikata 1 --divide"),
)
"""Commands that start no bot, in this order."""

TALKS: Final = ("play yavalath --bot none -o played.lath", "puzzles ask yavalath")
"""Commands that speak with who sits there, on standard error."""


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.lath").write_text(GAMES)
    won = '[Termination "resignation"]\n[Result "1-0"]\n\n'
    Path("won.lath").write_text(GAMES.replace("\n1.", f"{won}1.").replace(" *", " 1-0"))


@pytest.mark.usefixtures("_files")
def test_with_json_standard_output_is_json_alone_and_names_the_files_that_are_written() -> None:
    for words in (*QUICK, *TALKS):
        ran = arena(*shlex.split(words), "--json", stdin="e5\nquit\n")
        assert ran.status == 0, (words, ran)
        told = _json_of(ran.out)
        written = told.get("written", []) if isinstance(told, dict) else []
        assert written or " -o " not in words, words
        assert [name for name in written if not Path(name).exists()] == [], words


@pytest.mark.usefixtures("_files")
def test_with_quiet_nothing_is_said_beside_what_is_asked_for() -> None:
    for words in QUICK:
        ran = arena(*shlex.split(words), "-q")
        assert (ran.status, ran.err) == (0, ""), words


def _json_of(text: str) -> Any:
    """Return the object, or a list of those on the lines, of an output that is JSON alone."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return list(map(json.loads, text.splitlines()))


@pytest.mark.usefixtures("_files")
def test_json_and_data_do_not_share_standard_output() -> None:
    for words in (
        *("select a.lath", "convert a.lath - --to lath", "analyze a.lath", "bot pack random"),
        *("edit -", "edit a.lath --dry-run", "report a.lath -o -", "show a.lath --svg"),
    ):
        ran = arena(*shlex.split(words), "--json", stdin=GAMES)
        assert (ran.status, ran.out) == (2, ""), words
        assert "--json: both --json and the other output need standard output" in ran.err, words


@pytest.mark.usefixtures("_files")
def test_a_run_says_with_json_what_its_last_event_says() -> None:
    run = "run --bot greedy --bot random --game surikata --rounds 1 --no-report --json"
    ran = arena(*shlex.split(f"{run} --tc 'nodes 5' --json-events-to events"))
    assert ran.status == 0, ran.err
    last = Path("events").read_text().splitlines()[-1]
    assert json.loads(ran.out) == json.loads(last)
    ruled = arena(*shlex.split("run --output tournament --void 1 --reason so --no-report --json"))
    assert json.loads(ruled.out)["ruled"] == ["game 1 is void"]
    mixed = arena(*run.split(), "--json-events")
    assert (mixed.status, "--json: cannot be combined with --json-events" in mixed.err) == (2, True)
