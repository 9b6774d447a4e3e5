"""`arena play` as a person meets it: games typed into a pipe, with bots good and bad, and alone.

Bots are scripts (scripted.py) but where the processes themselves are what is looked at.
"""

from __future__ import annotations

import gzip
import os
import random
import re
import shlex
import signal
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import IO

import bad_bots
import pytest
from arena_runs import PATIENCE_S, environment
from bad_bots import Good
from commands import Ran, arena
from loaded import Run
from scripted import ScriptedWatch, scripted
from walks import playout

from lath import games
from lath.arena.terminal.play import card_of
from lath.games.core import SEATS, Position, Seat
from lath.notation.reader import read
from lath.notation.record import Record
from lath.notation.replay import positions
from lath.notation.validation import validate
from lath.notation.writer import diagram


def play(*words: object, typed: str | bytes, cwd: Path) -> Ran:
    """Run `arena play` in this process, against scripts, with these lines typed."""
    with chdir(cwd), scripted(LOG=str(cwd / "heard")):
        return arena("play", *words, stdin=typed)


@contextmanager
def begun(*words: object, cwd: Path) -> Iterator[tuple[Run, IO[str]]]:
    """Give `arena play` and its bot as processes, and what types to it."""
    reading, typing = os.pipe()
    said = list(map(str, words))
    env = environment()
    with (
        os.fdopen(reading) as given,
        os.fdopen(typing, "w", buffering=1) as typed,
        Run(["play", *said], cwd=cwd, env=env, has_output=True, given=given.fileno()) as run,
    ):
        given.close()
        yield run, typed


def play_for_real(*words: object, typed: str, cwd: Path) -> tuple[int, str]:
    """Return how `arena play` and its bot, as processes, ended, and what was told."""
    with begun(*words, cwd=cwd) as (run, types):
        types.write(typed)
        types.close()
        out, _ = run.communicate(timeout=PATIENCE_S)
    return run.returncode, out


def lines(*typed: str) -> str:
    return "".join(f"{line}\n" for line in typed)


def bad(kind: type[Good]) -> tuple[str, str]:
    return "--bot", f"bad={shlex.join(bad_bots.command(kind))}"


def kept(path: Path) -> list[Record]:
    """Return the records of a file, all of which are sound."""
    problems = [str(problem) for found in validate(path) for problem in found.problems]
    assert problems == []
    return list(read(path))


def random_game(game_id: str, seed: int) -> list[str]:
    """Return the moves of a game by chance from the setup of a seed."""
    game = games.get(game_id)
    return list(playout(game.start(game.draw_setup(seed)), random.Random(seed)))


def last_position(record: Record) -> Position:
    *_, last = positions(record)
    return last


# Whole games


def replies(seat: Seat, seed: int) -> list[str]:
    """Return what to type to play Yavalath to its end against `random` with a seed."""
    position = games.get("yavalath").start()
    typed: list[str] = []
    mine, its = random.Random(1), random.Random(seed)
    while legal := position.legal_moves():
        is_mine = position.to_move is seat
        move = (mine if is_mine else its).choice(legal)
        typed += [move] if is_mine else []
        position = position.play(move)
    return typed


@pytest.mark.parametrize("seat", SEATS, ids=lambda seat: seat.word)
def test_a_game_against_a_bot_is_played_to_its_end_by_the_rules(seat: Seat, tmp_path: Path) -> None:
    typed = lines(*replies(seat, 7))
    out = tmp_path / "games.lath"
    flags = ("--bot", "random", "--seed", 7, "--side", seat.word, "-o", out)
    status, told = play_for_real("yavalath", *flags, typed=typed, cwd=tmp_path)
    (record,) = kept(out)
    assert status == 0
    assert record.termination == "rules"
    assert (record.first, record.second)[seat] == "person"
    outcome = last_position(record).outcome()
    assert outcome
    assert outcome.winner is not None
    names = ["white (random)", "black (random)"]
    names[seat] = names[seat].replace("random", "you")
    assert told.endswith(f"\n{record.result}, {outcome.told(*names)}\n")
    # The board stands before each of the person's turns, and at the end.
    own = len(record.plies[seat::2])
    assert told.count("\na ") == own + 1


def test_who_asks_is_told_the_rules_a_hint_and_what_a_meerkat_sees() -> None:
    won = ("--position", "5/6/7/8/1ww1w4/bb1b4/7/6/5 w")
    typed = lines("help", "Rules", "hint", "eval", "e4")
    ran = arena("play", "yavalath", *won, "--bot", "none", stdin=typed)
    assert ran.status == 0
    for words in (
        "hint     a good move",
        "Yavalath: four or more of your stones in line win;",
        "1. white: hint\ne4: win in 1 ply\n",
        "1. white: eval\nwin in 1 ply\n",
        "white made four in line and won",
    ):
        assert words in ran.out
    place = ("--position", "mm3/2m2/m3m/5/o4 a1 w")
    seen = arena("play", "surikata", *place, "--bot", "none", stdin=lines("c4"))
    assert "\nmeerkat on a1 sees a2 b1 c1 d1 e1\n" in seen.out


@pytest.mark.parametrize("game_id", games.builtin_ids())
def test_the_rules_of_a_game_fit_on_a_card_beside_its_board(game_id: str) -> None:
    card = card_of(games.get(game_id)).splitlines()
    assert max(map(len, card)) < 80
    assert len(card) <= 9
    assert len(diagram(games.get(game_id).start()).splitlines()) + len(card) < 24


@pytest.mark.parametrize("game_id", games.builtin_ids())
def test_two_people_play_any_game_at_one_keyboard(game_id: str, tmp_path: Path) -> None:
    moves = random_game(game_id, 5)
    out = tmp_path / "games.lath"
    flags = ("--bot", "none", "--seed", 5, "-o", out)
    ended = play(game_id, *flags, typed=lines(*moves), cwd=tmp_path)
    (record,) = kept(out)
    assert (ended.status, ended.err) == (0, f"{out}: record appended\n")
    assert (record.moves, record.termination) == (tuple(moves), "rules")
    assert (record.first, record.second) == ("person 1", "person 2")
    assert (record.tag("TimeControl"), record.tag("Seed")) == ("none", "5")
    assert all(ply.used_s is not None for ply in record.plies)


def test_it_is_told_whose_turn_it_is_and_in_which_colour(tmp_path: Path) -> None:
    ended = play("yavalath", "--bot", "none", typed=lines("e5", "swap"), cwd=tmp_path)
    asked = [line for line in ended.out.splitlines() if line[:1].isdigit()]
    assert asked == ["1. white: e5", "2. black: swap", "3. white: "]
    assert "e  . . . . b . . . .\n" in ended.out


def test_who_has_two_turns_in_a_row_is_asked_twice(tmp_path: Path) -> None:
    mounds = ("Ma1", "Mb1", "Mc1", "Md1", "Me1")
    ended = play("surikata", "--bot", "none", typed=lines(*mounds, "c3"), cwd=tmp_path)
    asked = [line for line in ended.out.splitlines() if line[:1].isdigit() and ". " in line[:3]]
    assert asked[4:7] == ["5. orange: Me1", "6. orange: c3", "7. white: "]
    typed = lines("Me1", "Md1", "Mc1")
    ended = play("surikata", *bad(bad_bots.Good), "--side", "second", typed=typed, cwd=tmp_path)
    assert "5. orange (bad): Ma3" in ended.out
    assert "6. orange (bad): " in ended.out


def test_the_bots_time_and_what_it_says_stand_in_the_record(tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    flags = (*bad(bad_bots.SaysInfo), "--tc", "60+1", "--side", "second", "-o", out)
    play("yavalath", *flags, typed=lines("h1"), cwd=tmp_path)
    (record,) = kept(out)
    assert (record.tag("FirstTimeControl"), record.tag("SecondTimeControl")) == ("60+1", "none")
    assert record.plies[2].eval == 0.25
    assert [ply.annotation("clk") is not None for ply in record.plies] == [True, False, True]


# Where it starts


def test_the_seed_draws_the_setup(tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    play("mammalath", "--bot", "none", "--seed", 11, "-o", out, typed=lines("c3"), cwd=tmp_path)
    assert kept(out)[0].tag("Setup") == games.get("mammalath").draw_setup(11)


def test_a_setup_or_a_position_may_be_told(tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    near = "5/6/7/8/1w1ww4/8/7/1b4/b1b1b w"
    drawn = games.get("mammalath").draw_setup(3)
    good = bad(bad_bots.Good)
    for words, typed in (
        (("manalath", "--setup", "e5 c3", "--bot", "none"), "Oa1"),
        (("mammalath", "--setup", drawn, *good), "c3"),
        (("yavalath", "--position", near, "--bot", "none"), "e3"),
        (("yavalath", "--position", near, *good), "e3"),
    ):
        play(*words, "-o", out, typed=lines(typed), cwd=tmp_path)
    records = kept(out)
    assert [record.tag("Setup") for record in records] == ["c3 e5", drawn, "", ""]
    assert [record.tag("Position") for record in records] == ["", "", near, near]
    assert [record.result for record in records] == ["*", "*", "1-0", "1-0"]


# What is typed


@pytest.mark.parametrize(
    ("game_id", "text", "move"),
    [
        ("yavalath", " E 5 ", "e5"),
        ("surikata", "mC3", "Mc3"),
        ("manalath", "pe5", "Pe5"),
        ("mammalath", "C3", "c3"),
    ],
)
def test_capitals_and_blanks_are_forgiven(
    game_id: str, text: str, move: str, tmp_path: Path
) -> None:
    out = tmp_path / "games.lath"
    play(game_id, "--bot", "none", "--seed", 1, "-o", out, typed=lines(text), cwd=tmp_path)
    assert kept(out)[0].moves == (move,)


def test_ends_of_a_release_may_be_told_in_either_order(tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    typed = lines("a1", "X B4 - B2", "XF")
    play("mammalath", "--bot", "none", "--seed", 1, "-o", out, typed=typed, cwd=tmp_path)
    assert kept(out)[0].moves == ("a1", "xb2-b4", "xF")


def test_an_illegal_move_says_why_and_asks_again(tmp_path: Path) -> None:
    typed = lines("e5", "E5", "zz", "\x1b[31m", "x" * 100_000, "", "swap")
    ended = play("yavalath", "--bot", "none", typed=typed, cwd=tmp_path)
    told = ended.out.split("2. black: ")
    assert told[1] == "E5\nillegal move e5: e5 already has a stone; ? lists the legal moves\n"
    assert told[2].startswith("zz\n'zz' is not a move: expected a cell from a1 to i5, or swap")
    assert "\x1b" not in ended.out
    assert len(told[4].splitlines()[1]) < 200
    assert told[5] == "\n"
    assert told[6].startswith("swap\n\n")


def test_what_is_no_text_is_no_move(tmp_path: Path) -> None:
    ended = play("yavalath", "--bot", "none", typed=b"\xff\xfe\n", cwd=tmp_path)
    assert (ended.status, ended.err) == (0, "")
    assert "is not a move" in ended.out


def test_a_question_mark_lists_the_legal_moves_in_columns(tmp_path: Path) -> None:
    ended = play("surikata", "--bot", "none", typed=lines("Ma1", "?"), cwd=tmp_path)
    told = ended.out.split("24 legal moves:\n")[1].split("2. white")[0]
    legal = games.get("surikata").position("5/5/5/5/m4 - w").legal_moves()
    assert told.split() == list(legal)
    assert max(map(len, told.splitlines())) <= 100
    assert len(told.splitlines()) == 2


def test_the_board_is_drawn_again_when_asked_for(tmp_path: Path) -> None:
    ended = play("yavalath", "--bot", "none", typed=lines("Board", "board"), cwd=tmp_path)
    assert ended.out.count("e  . . . . . . . . .") == 3


def test_undo_takes_back_the_own_last_move_with_the_bots_answer(tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    typed = lines("e5", "c3", "undo", "i1")
    flags = (*bad(bad_bots.Listens), "-o", out)
    ended = play("yavalath", *flags, typed=typed, cwd=tmp_path)
    assert "taken back: 2 plies" in ended.out
    assert kept(out)[0].moves == ("e5", "a1", "i1", "a2")
    heard = (tmp_path / "heard").read_text().splitlines()
    again = heard[heard.index("result 1 * unterminated") :]
    assert again[1].startswith("new 2 yavalath side second tc move 1000 seed ")
    assert again[2:5] == ["play 1 e5", "play 2 a1", "play 3 i1"]
    assert [line.split()[0] for line in again[5:8]] == ["position", "legal", "go"]
    assert again[7] == "go 4 move 1000"


def test_undo_leaves_the_bots_opening_move_alone(tmp_path: Path) -> None:
    typed = lines("undo", "h1", "undo", "undo")
    flags = (*bad(bad_bots.Good), "--side", "second")
    ended = play("yavalath", *flags, typed=typed, cwd=tmp_path)
    assert ended.out.count("there is no move of yours to take back") == 2
    assert ended.out.count("1. white (bad): a1") == 1
    assert ended.out.count("2. black (you): ") == 4


def test_undo_gives_the_bot_back_the_time_it_had(tmp_path: Path) -> None:
    flags = (*bad(bad_bots.Listens), "--tc", "60")
    play("yavalath", *flags, typed=lines("e5", "undo", "e5", "e6"), cwd=tmp_path)
    heard = (tmp_path / "heard").read_text().splitlines()
    clocks = [line for line in heard if line.startswith("go ")]
    assert clocks[:2] == ["go 2 first 0 second 60000 inc 0"] * 2
    assert clocks[2] != "go 4 first 0 second 60000 inc 0"


def test_undo_gives_the_bot_a_first_move_again_and_the_clock_it_had(tmp_path: Path) -> None:
    flags = (*bad(bad_bots.Listens), "--tc", "60+1 first 50")
    typed = lines("e5", "c3", "undo", "c3", "i1")
    play("yavalath", *flags, typed=typed, cwd=tmp_path)
    heard = (tmp_path / "heard").read_text().splitlines()
    assert "first 50000 tc 60000+1000" in next(line for line in heard if line.startswith("new "))
    clocks = [line for line in heard if line.startswith("go ")]
    assert clocks[0] == "go 2 move 50000"
    assert clocks[1] == "go 4 first 0 second 60000 inc 1000"
    assert clocks[2] == "go 4 move 50000"
    assert clocks[3] == "go 6 first 0 second 60000 inc 1000"


def test_of_two_people_undo_takes_back_the_last_move(tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    typed = lines("e5", "d4", "undo", "swap")
    ended = play("yavalath", "--bot", "none", "-o", out, typed=typed, cwd=tmp_path)
    assert "taken back: 1 ply" in ended.out
    assert kept(out)[0].moves == ("e5", "swap")


# How it ends


def test_to_resign_gives_the_other_the_game(tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    flags = (*bad(bad_bots.Listens), "-o", out)
    ended = play("yavalath", *flags, typed=lines("e5", "resign"), cwd=tmp_path)
    (record,) = kept(out)
    assert (ended.status, record.result, record.termination) == (0, "0-1", "resignation")
    assert record.comments == (("person (first): resigned at ply 3",),)
    assert ended.out.endswith("\n0-1, black (bad) won: resignation\n")
    assert "result 1 0-1 resignation" in (tmp_path / "heard").read_text()


@pytest.mark.parametrize("typed", [lines("e5", "quit"), lines("e5"), "e5"])
def test_a_game_that_is_left_is_kept_as_it_is(typed: str, tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    ended = play("yavalath", *bad(bad_bots.Good), "-o", out, typed=typed, cwd=tmp_path)
    (record,) = kept(out)
    assert (ended.status, record.result, record.termination) == (0, "*", "unterminated")
    assert record.moves == ("e5", "a1")
    assert ended.out.endswith("\nnot finished\n")


def test_of_a_game_in_which_nothing_was_played_no_record_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    ended = play("yavalath", "--bot", "none", "-o", out, typed="", cwd=tmp_path)
    assert (ended.status, ended.err, out.exists()) == (0, "", False)


def read_until(stream: IO[str], end: str) -> str:
    """Return what is written until it ends so."""
    text = ""
    while not text.endswith(end):
        letter = stream.read(1)
        assert letter, text
        text += letter
    return text


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (signal.SIGINT, bad_bots.Good),
        (signal.SIGINT, bad_bots.HangsInItsMove),
        (signal.SIGTERM, bad_bots.HangsInItsMove),
        (signal.SIGHUP, bad_bots.Good),
    ],
)
def test_a_game_that_is_interrupted_is_kept_whoever_thinks(
    number: int, kind: type[Good], tmp_path: Path
) -> None:
    out = tmp_path / "games.lath"
    words = ("yavalath", *bad(kind), "--tc", "none", "-o", out)
    with begun(*words, cwd=tmp_path) as (process, types):
        assert process.stdout
        types.write("e5\ne6\n")
        awaited = "5. white (you): " if kind is bad_bots.Good else "4. black (bad): "
        read_until(process.stdout, awaited)
        process.send_signal(number)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, said) == (3, f"{out}: record appended\ninterrupted\n")
    (record,) = kept(out)
    assert record.termination == "unterminated"
    assert record.moves == (
        ("e5", "a1", "e6", "a2") if kind is bad_bots.Good else ("e5", "a1", "e6")
    )


@pytest.mark.parametrize("name", ["games.lath", "games.lath.gz"])
def test_records_are_appended_to_those_that_are_there(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    before = b'[Game "surikata"]\n\n1. Mc3 *'
    out.write_bytes(gzip.compress(before) if name.endswith("gz") else before)
    for _ in range(2):
        play("yavalath", "--bot", "none", "-o", out, typed=lines("e5"), cwd=tmp_path)
    assert [record.moves for record in kept(out)] == [("Mc3",), ("e5",), ("e5",)]
    text = gzip.decompress(out.read_bytes()) if name.endswith("gz") else out.read_bytes()
    assert text.startswith(before + b"\n\n[Game")
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


# Bots that break the game off


BROKEN = [
    (bad_bots.DiesInItsMove, "crash", "was ended by signal SIGSEGV; standard error: segmentation"),
    (bad_bots.DiesAfterItsMove, "crash", "exited with status 5"),
    (bad_bots.ExitsZeroInAGame, "crash", "exited with status 0"),
    (bad_bots.ClosesItsOutput, "crash", "closed its standard output"),
    (bad_bots.PlaysAnIllegalMove, "illegal move", "illegal move a1: a1 already has a stone"),
    (bad_bots.PlaysNoMove, "illegal move", "'' is not a move"),
    (bad_bots.PlaysGarbage, "illegal move", r"\x1b[31m"),
    (bad_bots.PlaysAVeryLongMove, "illegal move", "illegal move aaaa"),
    (bad_bots.WritesALongLine, "flood", "wrote a line over 64 KiB"),
    (bad_bots.WritesForEver, "flood", "8 MiB for a move"),
    (bad_bots.WritesForEverOnTheOthersTurn, "flood", "8 MiB for a move"),
]

LATE = [bad_bots.HangsInItsMove, bad_bots.AnswersTooLate, bad_bots.AnswersAnotherNumber]


def assert_broken(kind: type[Good], why: str, told: str, cwd: Path) -> None:
    out = cwd / "games.lath"
    flags = (*bad(kind), "--tc", "move 0.4" if why == "time" else "none", "-o", out)
    typed = lines("i1", "i3", "i5", "h1")
    ended = play("yavalath", *flags, typed=typed, cwd=cwd)
    (record,) = kept(out)
    assert (ended.status, record.result, record.termination) == (1, "1-0", why)
    _, end = ended.out.rsplit("(bad): ", 1)
    mishap, summary = end.splitlines()
    assert told in mishap
    assert summary == f"1-0, white (you) won: {why}"
    assert "\x1b" not in ended.out
    assert str(record.comments[0][0]).startswith("bad (second): ")


@pytest.mark.parametrize(("kind", "why", "told"), BROKEN)
def test_a_bot_that_breaks_the_game_off_loses_it(
    kind: type[Good], why: str, told: str, tmp_path: Path
) -> None:
    if kind is bad_bots.PlaysAVeryLongMove:
        told = "'aaaa"
    assert_broken(kind, why, told, tmp_path)


@pytest.mark.parametrize("kind", LATE)
def test_a_bot_that_answers_too_late_loses(kind: type[Good], tmp_path: Path) -> None:
    assert_broken(kind, "time", "no answer within 0.450 s at ply 4", tmp_path)


def test_a_bot_that_resigns_loses_and_is_not_at_fault(tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    flags = (*bad(bad_bots.Resigns), "-o", out)
    ended = play("yavalath", *flags, typed=lines("i1", "i3"), cwd=tmp_path)
    assert (ended.status, kept(out)[0].termination) == (0, "resignation")
    assert "4. black (bad): resigned at ply 4\n1-0, white (you) won: resignation" in ended.out


HARMLESS = [
    bad_bots.HasABanner,
    bad_bots.AnswersUnasked,
    bad_bots.AnswersTwice,
    bad_bots.WritesByteByByte,
    bad_bots.LikesBlanks,
    bad_bots.WritesBinary,
    bad_bots.SaysInsaneInfo,
    bad_bots.FloodsStderr,
    bad_bots.IgnoresQuit,
]


@pytest.mark.parametrize("kind", HARMLESS)
def test_bad_manners_cost_a_bot_nothing(kind: type[Good], tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    flags = (*bad(kind), "--tc", "none", "-o", out)
    ended = play("yavalath", *flags, typed=lines("i1", "i3", "i5"), cwd=tmp_path)
    assert ended.status == 0
    assert kept(out)[0].moves == ("i1", "a1", "i3", "a2", "i5", "a3")


def test_a_bot_that_left_before_its_first_turn_voids_the_game(tmp_path: Path) -> None:
    out = tmp_path / "games.lath"
    flags = (*bad(bad_bots.ExitsBeforeItsFirstGo), "-o", out)
    ended = play("yavalath", *flags, typed=lines("i1"), cwd=tmp_path)
    (record,) = kept(out)
    assert (ended.status, record.result, record.termination) == (1, "*", "void")
    assert "2. black (bad): exited with status 3 before its first turn\n" in ended.out


def test_a_bot_that_has_died_is_started_again_when_moves_are_taken_back(tmp_path: Path) -> None:
    typed = lines("i1", "i3", "undo", "i5", "quit")
    ended = play("yavalath", *bad(bad_bots.DiesAfterItsMove), typed=typed, cwd=tmp_path)
    assert ended.out.count("4. black (bad): a2") == 2
    assert ended.out.endswith("not finished\n")
    assert ended.status == 0


def test_a_machine_that_stood_still_costs_the_bot_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = ScriptedWatch.wait

    def stood_still(watch: ScriptedWatch, until_s: float) -> None:
        if until_s > watch.clock.now_s + 0.2:  # a bot thinks
            watch.clock.now_s += 3.0  # longer than the bot may take
        wait(watch, until_s)

    monkeypatch.setattr(ScriptedWatch, "wait", stood_still)
    flags = (*bad(bad_bots.ThinksABit), "--tc", "move 2")
    ended = play("yavalath", *flags, typed=lines("i1", "i3"), cwd=tmp_path)
    assert re.search(r"4\. black \(bad\): a2 \(0\.\d\d s\)", ended.out)
    assert ended.status == 0


# Refusals


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["chess"], 2, "unknown game 'chess'"),
        (
            ["yavalath", "--bot", "deep"],
            2,
            "unknown bot 'deep' (alphabeta, greedy, mcts, monte-carlo, random, solver, none)",
        ),
        (["yavalath", "--bot", "person=cat"], 2, "'person' cannot be the name of a bot here"),
        (["yavalath", "--bot", "mine="], 2, "the command is empty"),
        (["yavalath", "--bot", "mine='"], 2, "is not a command"),
        (
            ["yavalath", "--bot", "mine=./no-such-bot"],
            1,
            "mine: cannot be started: there is no ",
        ),
        (["yavalath", "--tc", "soon"], 2, "--tc: unknown time control 'soon'"),
        (["yavalath", "--side", "third"], 2, "--side"),
        (["yavalath", "--setup", "e5"], 1, "yavalath has no setup"),
        (["yavalath", "--position", "9"], 1, "position"),
        (["yavalath", "--setup", "e5", "--position", "9"], 2, "exclude each other"),
        (["yavalath", "-o", "no/games.lath"], 2, "there is no folder 'no'"),
        (["yavalath", "-o", "games.csv"], 2, "records are written as text"),
        (["yavalath", "-o", "notes.txt"], 2, "notes.txt is no file of records"),
        (["yavalath", "-o", "."], 2, "cannot be written"),
    ],
)
def test_what_cannot_be_played_or_kept_is_refused_before_the_game(
    words: list[str], status: int, told: str, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("Buy milk.\n")
    ended = play(*words, typed=lines("e5"), cwd=tmp_path)
    assert (ended.status, ended.out) == (status, "")
    assert told in " ".join(ended.err.split())
    assert (tmp_path / "notes.txt").read_text() == "Buy milk.\n"


def test_a_finished_position_is_refused(tmp_path: Path) -> None:
    over = "5/6/7/8/wwww5/8/7/6/b1bb1 b"
    ended = play("yavalath", "--position", over, typed="", cwd=tmp_path)
    assert (ended.status, ended.out) == (2, "")
    assert "the game is over there: four in line" in ended.err


@pytest.mark.parametrize(
    ("kind", "status", "told"),
    [
        (bad_bots.PlaysAnotherGame, 2, "bot 'bad' does not play yavalath: it says that it plays"),
        (bad_bots.ExitsAtStart, 1, "exited with status 7 before ok; standard error: I cannot"),
    ],
)
def test_a_bot_that_cannot_play_is_refused_before_the_game(
    kind: type[Good], status: int, told: str, tmp_path: Path
) -> None:
    ended = play("yavalath", *bad(kind), typed=lines("e5"), cwd=tmp_path)
    assert (ended.status, ended.out) == (status, "")
    assert told in ended.err


def test_a_record_that_cannot_be_written_is_printed(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    words = ("yavalath", "--bot", "none", "-o", folder / "games.lath")
    with begun(*words, cwd=tmp_path) as (process, types):
        assert process.stdout
        read_until(process.stdout, "1. white: ")
        folder.rmdir()
        types.write(lines("e5"))
        types.close()
        said, wrong = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "games.lath cannot be written: No such file or directory" in wrong
    assert said.endswith("*\n")
    assert '[Game "yavalath"]' in said
