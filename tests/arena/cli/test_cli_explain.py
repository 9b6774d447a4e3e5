"""`arena explain` as a bot's author meets it: the page's examples, its commands, JSON, refusals."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import arena, refusals
from doc_pages import DocPage
from weak_bots import BOT, Event, weakness

from lath.notation.record.record import comment
from lath.notation.text.writer import format_record
from lath.reports.explaining.explanation import Explanation

if TYPE_CHECKING:
    from golden import Golden

pytestmark = pytest.mark.slow

PAGE = DocPage("find-where-a-bot-loses")
KEYS = DocPage("json-output")


@pytest.fixture(autouse=True)
def files_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the page's files and go where they are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    PAGE.make_files(tmp_path)


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def keys_in(told: object) -> set[str]:
    """Return every key of JSON, at any depth."""
    if isinstance(told, dict):
        return {*told, *(key for value in told.values() for key in keys_in(value))}
    return {key for each in told for key in keys_in(each)} if isinstance(told, list) else set()


@pytest.fixture
def planted() -> Path:
    """Return a file with games of a bot that does not see lines along one direction."""
    records = Event(0, 72, weakness("line", 0)).records()
    file = Path("the planted.lath")
    file.write_text("\n".join(map(format_record, records)), encoding="utf-8")
    return file


def test_every_command_that_is_printed_works_and_json_has_the_keys_of_the_page(
    planted: Path,
) -> None:
    for ran in (arena("explain", BOT, planted), arena("explain", "ann", "games.lath")):
        printed = [line for line in lines_of(ran.out) if line.startswith("arena ")]
        kinds = {line.split()[1]: line for line in printed}
        assert kinds.keys() >= {"show"}
        for line in kinds.values():
            is_solved = line.startswith("arena solve ")
            quickly = ["--nodes", "500", "--bot", "solver; option.fast=off"] if is_solved else []
            done = arena(*shlex.split(line)[1:], *quickly)
            assert done.status in ((0, 12) if is_solved else (0,)), line
            assert done.out, line
    ran = arena("explain", BOT, planted, "--json")
    told = json.loads(ran.out)
    explained = set(re.findall(r"\w+", " ".join(re.findall("`([^`]+)`", PAGE.prose + KEYS.prose))))
    assert keys_in(told) - set(told["left_out"]) <= explained
    assert "line" in {each["kind"] for each in told["findings"][:3]}
    assert told["findings"][0]["places"][0]["file"] == str(planted)
    every = told["findings"] + told["unsure"]
    assert {each["kind"].partition(".")[0] for each in every} <= explained


def test_without_a_finding_the_commonest_turn_is_shown_with_a_better_move() -> None:
    few = Path("few.lath")
    few.write_text("\n".join(map(format_record, Event(0, 6, weakness("line", 0)).records())))
    for bot, file in ((BOT, "few.lath"), ("bob", "games.lath")):
        turned = json.loads(arena("explain", bot, file, "--json").out)["turned"]
        most = max((row["own"] for row in turned), default=0)
        ran = arena("explain", bot, file)
        head, _, told = ran.out.partition("No significant findings")
        assert ran.status == 0
        assert told, head
        assert most
        assert "most frequent turning point: the bot " in told
        assert ": played " in told


def test_last_moves_of_a_game_say_nothing_of_speed() -> None:
    explanation = Explanation(BOT)
    every = []
    for number, record in enumerate(Event(0, 8, weakness("line", 0)).records(), 1):
        last = len(record.plies) - 2
        notes = [comment(f"[%emt {took}]") for took in ("5.0", "0.0")]
        plies = tuple(
            replace(ply, comments=(notes[at >= last],)) for at, ply in enumerate(record.plies)
        )
        explanation.add("games.lath", number, replace(record, plies=plies))
        every.append(len(plies))
    times = [took for stage in explanation._used.values() for took in stage]  # nothing lists them
    assert times
    assert set(times) == {5.0}
    assert len(times) <= sum(every) - 2 * len(every)


def test_a_tournaments_directory_is_read_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    Path("results").mkdir()
    Path("games.lath").rename("results/games.lath")
    ran = arena("explain", "ann", "results")
    assert "arena show results/games.lath --record 2 --ply 3" in ran.out
    monkeypatch.chdir("results")
    assert "5 games" in arena("explain", "ann", ".").out
    (said,) = refusals([f"explain ann {tmp_path}"]).values()
    golden(said)


def test_games_are_selected_and_read_from_standard_input() -> None:
    ran = arena("explain", "ann", "games.lath", "--where", "termination = rules")
    assert "ann: 1 point of 3 games" in ran.out
    assert re.fullmatch(r"3 of [0-9]+ records counted\n", ran.err)
    piped = arena("explain", "ann", "-", stdin=Path("games.lath").read_bytes())
    assert piped.status == 0
    assert "arena show" not in piped.out, "nobody can read it again"


def test_who_is_not_there_is_told_with_who_is(golden: Golden) -> None:
    Path("open.lath").write_text('[Game "yavalath"] [First "ann"] [Second "bob"] e5 *')
    asked = ("anne games.lath", "greedy games.lath", "ann open.lath")
    golden(refusals(f"explain {w}" for w in (*asked, "ann games.lath --where 'plies > 99'")))


def test_a_bad_record_is_told_of_and_left_out() -> None:
    text = Path("games.lath").read_text()
    bad = '[Game "yavalath"] [First "ann"] [Second "bob"] e5 e5 *'
    Path("games.lath").write_text(f"{text}\n{bad}\n")
    ran = arena("explain", "ann", "games.lath")
    assert ran.status == 1
    assert "games.lath:" in ran.err
    assert ran.err.endswith(" records counted; 1 invalid record left out\n")
    decided = '[Game "yavalath"] [First "ann"] [Second "bob"] [Termination "rules"] e5 e5 0-1'
    Path("games.lath").write_text(f"{text}\n{decided}\n")
    unchecked = arena("explain", "ann", "games.lath", "--unchecked")
    assert (unchecked.status, unchecked.out) == (1, ran.out), "what cannot be played says nothing"
