"""`arena select` and `arena stats` as their users meet them: output, statuses, files."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import arena
from places import SAMPLES, page_text
from refusals import refusals
from sample_records import tournament

from lath.arena.cli import selection
from lath.notation import format_records

if TYPE_CHECKING:
    from golden import Golden

GAMES = (SAMPLES / "queries.lath").read_text(encoding="utf-8")
RECORDS = GAMES.rstrip("\n").replace("]\n\n", "]\n\0").split("\n\n")
FIRST, SECOND, THIRD, FOURTH = (text.replace("\0", "\n") + "\n" for text in RECORDS)

ILLEGAL = """\
[Game "yavalath"]
[Result "*"]

1. e5 2. e5 *
"""


@pytest.fixture(autouse=True)
def games_lath(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the file of the page's examples and go where it is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "games.lath"
    path.write_text(GAMES)
    return path


def test_select_writes_matching_records_as_they_stand() -> None:
    loose = '[Game "yavalath"]\n  e5 ;well\n swap   *\n'
    Path("loose.lath").write_text("\n\n" + loose + "\n\n\n" + FIRST)
    ran = arena("select", "loose.lath", "games.lath", "--where", "plies in (2, 5)")
    assert ran.out == f"{loose}\n{FIRST}\n{FIRST}"
    assert (ran.status, ran.err) == (0, "3 of 6 records selected\n")


def test_select_can_replace_the_file_that_it_reads(games_lath: Path) -> None:
    before = games_lath.read_text()
    words = ("select", games_lath, "--where", "game = mammalath", "-o", games_lath)
    ran = arena(*words)
    assert (ran.status, "3 records would be lost\nhint: --force" in ran.err) == (1, True)
    assert games_lath.read_text() == before
    assert arena(*words, "--force").status == 0
    assert games_lath.read_text() == FOURTH


def test_select_takes_all_records_those_that_match_or_the_others() -> None:
    assert arena("select", "games.lath").out == GAMES
    assert arena("select", "-", "--where", "plies = 5", stdin=GAMES).out == FIRST
    ran = arena("select", "games.lath", "--where", "game = yavalath", "--invert")
    assert ran.out == FOURTH
    assert arena("select", "games.lath", "--invert", "--count").out == "0\n"
    assert arena("select", "games.lath", "-q").err == ""
    assert arena("stats", "games.lath", "--where", "plies = 5", "-q").err == ""
    again = arena("select", "games.lath", "--where", "date >= 2026-12", "--distinct")
    assert again.out == f"{THIRD}\n{FOURTH}"  # what does not match leaves room for what does


def test_a_slip_is_hinted_at_where_the_query_tells_no_records_apart() -> None:
    note = "note: --where: game 'yavalat' is not installed; did you mean 'yavalath'?\n"
    for query in ("game = yavalat", "game != yavalat"):
        ran = arena("select", "games.lath", "--where", query, "--count")
        assert (ran.status, note in ran.err) == (0, True)
        assert note in arena("stats", "games.lath", "--where", query).err
    some = arena("select", "games.lath", "--where", "plies = 5 or game = yavalat")
    assert "note" not in some.err, "it found something"


def test_a_limit_stops_reading() -> None:
    Path("bad.lath").write_text(GAMES + "\n[Game oops]\n")
    ran = arena("select", "bad.lath", "--where", "player = greedy", "--limit", 2)
    assert ran.out == f"{FIRST}\n{SECOND}"
    assert (ran.status, ran.err) == (0, "2 of 2 records selected\n")


def test_distinct_keeps_the_first_of_games_that_only_tags_and_spelling_tell_apart() -> None:
    again = FOURTH.replace("xb4-b2", "xb2-b4").replace("greedy", "someone")
    other = FOURTH.replace("xF", "xE")
    moved = FOURTH.replace("FABCDE/E", "EFABCD/F")
    Path("more.lath").write_text(f"{FOURTH}\n{again}\n{other}\n{moved}")
    ran = arena("select", "more.lath", "--distinct", "--unchecked")
    assert ran.status == 0
    assert ran.out.count("[Game") == 3
    assert ran.err == "3 of 4 records selected; 1 duplicate left out\n"


def test_a_record_that_cannot_be_played_to_the_position_is_told_of_in_its_place() -> None:
    Path("bad.lath").write_text(f"{FIRST}\n{ILLEGAL}\n{THIRD}")
    query = 'position "5/6/7/8/4b4/3w4/7/6/5 b"'
    ran = arena("select", "bad.lath", "--where", query, "--unchecked")
    assert ran.out == THIRD
    assert ran.status == 1
    assert ran.err == (
        "bad.lath:15:10: error[illegal-move]: illegal move e5: e5 already has a stone "
        "(record 2, ply 2)\n"
        "  1. e5 2. e5 *\n"
        "           ^\n"
        "1 of 2 records selected; 1 invalid record left out\n"
    )
    assert (
        arena("select", "bad.lath", "--where", f"plies > 2 and {query}", "--unchecked").status == 0
    )


def test_a_game_that_is_not_installed_has_no_positions() -> None:
    ran = arena(
        "select", "-", "--where", "position '5/6/7/8/9/8/7/6/5 w'", stdin='[Game "go"] d4 *'
    )
    assert ran.status == 1
    assert "-:1:1: error[unknown-game]: unknown game 'go'" in ran.err


WRONG = [
    *("select games.lath --where 'plies >'", "stats games.lath --where 'plies >'"),
    *("select missing.lath", "stats missing.lath", "select games.lath -o nowhere/out.lath"),
    *("select games.lath --count -o out.lath", "select games.lath --limit 0"),
    *("stats games.lath --opening-plies 41", "stats games.lath --csv"),
    "stats games.lath --openings --csv --json",
]


def test_wrong_usage_is_named_with_exit_status_2(golden: Golden) -> None:
    golden(refusals(WRONG))


def test_a_query_is_refused_before_anything_is_read_or_written() -> None:
    assert arena("select", "missing.lath", "--where", "oops", "-o", "out.lath").err.count("\n") == 3
    assert not Path("out.lath").exists()


def test_stats_as_json_has_the_keys_that_the_page_names(golden: Golden) -> None:
    Path("bad.lath").write_text(f"{GAMES}\n[Game oops]\n")
    ran = arena("stats", "bad.lath", "--json", "--distinct", "--opening-plies", 1)
    golden(json.dumps(json.loads(ran.out), indent=1))
    told = json.loads(ran.out)
    by_game = told.pop("by_game")
    table = page_text("json-output").split("## `arena stats`")[1]
    for key in [*told, *by_game[1], *by_game[1]["lengths"], *by_game[1]["results"], "missed"]:
        assert f"`{key}`" in table


def test_stats_are_printed_as_the_sample_says() -> None:
    words = ("--where", 'event = "Autumn bots"', "--opening-plies", 1)
    ran = arena("stats", "games.lath", *words)
    said = [line.rstrip() for line in (ran.out + ran.err).splitlines()]
    assert said == (SAMPLES / "queries-stats.txt").read_text(encoding="utf-8").splitlines()


def test_stats_play_for_the_rules_words_and_tell_of_what_cannot_be_played() -> None:
    Path("bad.lath").write_text(f"{FIRST}\n{SECOND}\n{ILLEGAL}")
    ran = arena("stats", "bad.lath", "--endings", "--json")
    assert ran.status == 1
    assert "bad.lath:26:10: error[illegal-move]" in ran.err
    told = json.loads(ran.out)
    assert told["by_game"][0]["endings"] == {"three in line": 1, "time": 1}
    assert (told["records"], told["left_out"]["bad"]) == (2, 1)
    assert arena("stats", "bad.lath", "--json", "--unchecked").status == 0


def test_stats_of_nothing_say_so() -> None:
    ran = arena("stats", "games.lath", "--where", "game = go")
    assert (ran.out, ran.status) == ("no games\n", 0)
    assert (
        json.loads(arena("stats", "games.lath", "--where", "game = go", "--json").out)["games"] == 0
    )


def test_tables_fit_into_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("many.lath").write_text("".join(format_records(tournament(["ann", "bob"], 2))))
    for columns in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        ran = arena("stats", "many.lath")
        lines = arena("stats", "many.lath", "--openings").out.splitlines()
        assert max(map(len, [*lines, *ran.out.splitlines()])) <= columns
        assert "95%" in lines[1]
        assert "…" not in ran.out or columns < 80
        assert "\x1b" not in ran.out


def test_unfinished_games_have_a_column_only_where_there_are_some() -> None:
    assert "unfinished" not in arena("stats", "games.lath").out
    unfinished = FIRST.replace("rules", "unterminated").replace("0-1", "*")
    assert (
        "1 100.0%                     -" in arena("stats", "-", "--unchecked", stdin=unfinished).out
    )


def test_stats_say_when_rare_openings_were_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lath.reports.counting.figures.Ways.__init__.__defaults__", (2,))
    many = "\n".join(f'[Game "yavalath"]\n\n{cell} *\n' for cell in ("e5", "e5", "a1", "b1"))
    ran = arena("stats", "-", "--opening-plies", 1, stdin=many)
    assert ran.out.endswith("counts of openings are lower bounds and may be up to 1 too low\n")


def test_stats_tell_of_each_opening_as_a_table_for_a_sheet_and_for_programs() -> None:
    ran = arena("stats", "games.lath", "--openings", "--opening-plies", 1)
    assert ran.out.startswith("First ply\ngame ")
    told = json.loads(arena("stats", "games.lath", "--openings", "--json").out)
    assert told["records"] == sum(line["games"] for line in told["lines"]) + told["repeats"]
    sheet = arena("stats", "games.lath", "--openings", "--csv").out.splitlines()
    assert sheet[0].split(",") == list(told["lines"][0])
    assert len(sheet) == 1 + len(told["lines"])
    page = page_text("json-output")
    for key in (*told, *told["lines"][0]):
        assert f"`{key}`" in page or key == "lines"


def test_starts_alone_are_openings_of_no_plies() -> None:
    setups = [f'[Game "manalath"] [Setup "{cell}"]\n\n*\n' for cell in ("c3", "g6", "a1")]
    ran = arena("stats", "-", "--openings", "--opening-plies", 0, "--json", stdin="\n".join(setups))
    told = json.loads(ran.out)
    assert [(line["games"], line["moves"]) for line in told["lines"]] == [(2, []), (1, [])]
    table = arena("stats", "-", "--openings", "--opening-plies", 0, stdin="\n".join(setups)).out
    assert table.startswith("Openings\ngame ")
    assert "from" in table


def test_who_waits_long_is_told_of_what_answers_sooner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "my games.lath"
    source.write_text('[Game "yavalath"]\n\n*\n')
    monkeypatch.setattr(selection, "LONG_S", 0)
    told = arena("select", source, "--where", "plies = 0", "--count")
    note = (
        "note: a database answers faster than record files\n"
        f"hint: arena convert '{source}' games.duckdb\n"
    )
    assert (told.status, told.out, told.err) == (0, "1\n", f"{note}1 of 1 record selected\n")
    assert arena("select", source, "--count").err == "1 of 1 record selected\n"
    screen = Screen()
    monkeypatch.setattr(selection, "EVERY_S", -1)
    with redirect_stderr(screen):
        assert list(selection.Selection([source], quiet=True))
        assert screen.getvalue() == ""
        assert list(selection.Selection([source], quiet=False))
    assert screen.getvalue() == "1 record\r        \r"


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True
