"""Puzzles have one right move, are kept as records, and are asked as people type."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import commands
import pytest
from game_files import EXAMPLES, forget_games
from judging import compiled_in, judged

from lath import games
from lath.arena import Limit
from lath.arena.engine.puzzle_book import Puzzle, all_built_in, of_record, read_puzzles, written
from lath.arena.engine.puzzle_making import Bots, bots, tempting, wrong_with
from lath.arena.errors import ConfigError
from lath.games.core import Move, least
from lath.notation import parse

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("puzzles")]  # some take long to make, once

ENOUGH = Limit(nodes=20_000)


@pytest.fixture(scope="module")
def prover() -> Iterator[Bots]:
    with bots("alphabeta; option.hash=4000000") as both:
        yield both


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with two puzzles that a command has made."""
    path = tmp_path_factory.mktemp("puzzles") / "surikata.lath"
    words = ("surikata", "-n", "2", "--nodes", 200, "--seed", 3, "-o", path)
    ran = commands.arena("puzzles", "make", *words)
    assert ran.status == 0, ran.err
    return path


def of_another_move(puzzle: Puzzle) -> Puzzle:
    """Return a puzzle with a wrong answer."""
    other = next(move for move in puzzle.position.legal_moves() if move != puzzle.answer)
    return replace(puzzle, line=(Move(other),))


def test_what_is_made_is_different_and_has_one_right_move(file: Path, tmp_path: Path) -> None:
    made = one, two = list(read_puzzles(file))
    assert made == sorted(made, key=lambda one: one.grade)
    assert one.position.text() != two.position.text()
    assert written(reversed(made)) == written(made) == file.read_text()
    for puzzle in made:
        assert puzzle.tempting == len(tempting(puzzle.position)) >= 3
        assert puzzle.position.why_illegal(puzzle.answer) is None
    assert commands.arena("check", file).status == 0
    again = commands.arena("puzzles", "make", "surikata", "-o", file)
    assert (again.status, again.err) == (2, f"error: {file}: already exists\n")
    wrong = of_another_move(one)
    (tmp_path / "wrong.lath").write_text(written([two, wrong]))
    ran = commands.arena("puzzles", "check", tmp_path / "wrong.lath")
    assert (ran.status, ran.err) == (1, "2 puzzles: 1 proven, 1 not\n")
    (tmp_path / "none.lath").touch()
    assert commands.arena("puzzles", "check", tmp_path / "none.lath").status == 0
    assert ran.out.startswith(f"wrong.lath: puzzle 1: {wrong.answer} is ")


def test_puzzles_of_a_plain_game_are_found_and_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, made = str(EXAMPLES / "amazons.py"), tmp_path / "made.lath"
    monkeypatch.setattr("lath.arena.cli.puzzles._EVERY_S", 0)
    ran = commands.arena("puzzles", "make", game, "-n", 1, "-o", made)
    assert ran.status == 0, ran.err
    assert "0 of 1 puzzle; 1 position of 1 game in " in ran.err
    ran = commands.arena("puzzles", "check", made, "--game", game)
    assert (ran.status, ran.err) == (0, "1 puzzle: 1 proven, 0 not\n")
    forget_games()


def test_what_is_no_puzzle_or_has_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="a record of surikata is not a puzzle: no tag Puzzle"):
        of_record(parse('[Game "surikata"] 1. Mc3 *'))
    ran = commands.arena("puzzles", "ask", "yavalath:size=4")
    assert ran.status == 2
    assert "yavalath:size=4: has no puzzles; choose one of " in ran.err


def test_puzzles_and_positions_of_a_game_of_a_file_are_read_once_the_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(EXAMPLES / "konane.py", "konane.py")
    place = games.add("konane.py").start()
    place = place.play(place.game.canonical("c3")).play(place.game.canonical("c4"))
    line = place.legal_moves()[:1]
    Path("p.lath").write_text(written([Puzzle(place, "hold", 0, 1, line)]))
    forget_games()
    for words in (["solve", "p.lath", "--record", "1"], ["puzzles", "check", "p.lath"]):
        ran = commands.arena(*words)
        assert ran.status != 0
        assert "comes from konane.py" in ran.err
        assert "add --game ./konane.py" in ran.err
    ran = commands.arena("puzzles", "ask", "p.lath")
    what, hint = (
        "p.lath: this is a record file, not a game type",
        "arena puzzles ask GAME --file p.lath",
    )
    assert (ran.status, ran.err) == (2, f"error: {what}\nhint: {hint}\n")
    for named in (["./konane.py"], ["konane", "--game", "konane.py"]):
        ran = commands.arena("puzzles", "ask", *named, "--file", "p.lath", stdin="skip\n")
        assert (ran.status, line[0] in ran.out) == (0, True)
        forget_games()
    few = "--nodes", "9", "--game", "konane.py"
    assert commands.arena("solve", "p.lath", "--record", "1", "--ply", "0", *few).status == 12
    forget_games()
    assert commands.arena("puzzles", "check", "p.lath", *few).status == 1


def test_a_person_is_asked_corrected_and_told(file: Path) -> None:
    one, two = read_puzzles(file)
    wrong = of_another_move(one).answer
    typed = f"z9\n\n{wrong}\n{one.answer.upper()}\nskip\n"
    ran = commands.arena("puzzles", "ask", "surikata", "--file", file, "--seed", "1", stdin=typed)
    assert ran.status == 0
    for words in (
        one.question,
        "'z9' is not a move",
        f"{wrong} is not the solution",
        f"right: {one.answer}",
    ):
        assert words in ran.out
    assert f"{two.answer} " in ran.out
    assert ran.out.endswith("0 of 2 solved at the first try\n")


def test_a_bot_is_scored_by_game_and_grade(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "lath.arena.engine.puzzle_book.FOLDER", file.parent
    )  # or there are hundreds
    words = ["bot", "check", "--puzzles", "--game", "surikata", "--tc", "nodes 20000"]
    good = commands.arena(*words, "--json", "--", "solver")
    assert good.status == 0
    rows = json.loads(good.out)
    assert [row["asked"] for row in rows] == [row["right"] for row in rows]
    assert sum(row["asked"] for row in rows) == 2
    table = commands.arena(*words, "--", "greedy").out
    assert re.match(r"surikata  [0-2]/2 +[0-9]+%", table.splitlines()[1])
    assert commands.arena(*words, "--", "false").status == 1


# The puzzles of the project.


@pytest.mark.parametrize("file", all_built_in(), ids=lambda file: file.stem)
def test_puzzles_of_the_project_are_records_that_differ_and_the_first_holds(
    file: Path, prover: Bots
) -> None:
    found = list(read_puzzles(file))
    assert written(found) == file.read_text(encoding="utf-8")
    assert {puzzle.position.game.id for puzzle in found} == {file.stem}
    assert len({least(puzzle.position) for puzzle in found}) == len(found)
    assert min(len({*tempting(puzzle.position)}) for puzzle in found) >= 3
    assert [one.tempting for one in found] == [len(tempting(one.position)) for one in found]
    assert len({puzzle.grade for puzzle in found}) >= 3
    assert wrong_with(found[0], prover, Limit(nodes=200_000)) == ""


def test_a_second_program_finds_puzzles_right(tmp_path: Path) -> None:
    """Of each game one of each easy grade and task; `make soak` has all of them looked at."""
    program, files = compiled_in(tmp_path), []
    for file in all_built_in():
        takes_long = 2 if "manalath" in file.stem else 5
        every = [one for one in read_puzzles(file) if one.grade < takes_long]
        some = {(one.task, one.grade): one for one in every}
        files.append(tmp_path / file.name)
        files[-1].write_text(written(some.values()))
    said = judged(program, files)
    assert said.endswith(" puzzles: 0 wrong, 0 not settled\n")
    assert int(said.split()[0]) > 25
    wrong = files[0].read_text().replace('[Plies "5"]', '[Plies "6"]')
    files[0].write_text(wrong)
    assert subprocess.run([program, files[0]], capture_output=True, check=False).returncode == 1


def test_a_win_within_so_many_plies_is_no_puzzle_with_other_plies(prover: Bots) -> None:
    puzzle = next(
        one for file in all_built_in() for one in read_puzzles(file) if one.task == "win-in"
    )
    assert puzzle.question.endswith(f"wins in {puzzle.plies} plies")
    assert wrong_with(puzzle, prover, ENOUGH) == ""
    sooner = replace(puzzle, plies=puzzle.plies - 2)
    told = f"{puzzle.answer} is win in {puzzle.plies} plies, expected win in {sooner.plies} plies"
    assert wrong_with(sooner, prover, ENOUGH) == told
    wrong = of_another_move(puzzle)
    assert wrong_with(wrong, prover, ENOUGH).startswith(f"{wrong.answer} is ")
