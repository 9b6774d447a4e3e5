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
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import bad_bots
import pytest
from arena_runs import PATIENCE_S, environment
from bad_bots import Good
from commands import Ran, arena, refusals
from loaded import Run
from scripted import ScriptedWatch, scripted
from walks import playout

from lath import games
from lath.arena.terminal.play import card_of
from lath.games.core import SIDES, Side
from lath.notation.record.record import Record
from lath.notation.rules.reading import read
from lath.notation.rules.replay import positions
from lath.notation.rules.validation import validate
from lath.notation.text.writer import diagram

if TYPE_CHECKING:
    from golden import Golden


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


OUT: Final = Path("games.lath")
KEPT: Final = ("-o", OUT)
ALONE: Final = ("--bot", "none")


def play(*words: object, typed: str | bytes) -> Ran:
    """Run `arena play` in this process, against scripts, with these lines typed."""
    with scripted(LOG=str(Path("heard").absolute())):
        return arena("play", *words, stdin=typed)


@contextmanager
def begun(*words: object, cwd: Path) -> Iterator[tuple[Run, IO[str]]]:
    """Give `arena play` and its bot as processes, and what types to it."""
    reading, typing = os.pipe()
    said = ["play", *map(str, words)]
    with (
        os.fdopen(reading) as given,
        os.fdopen(typing, "w", buffering=1) as typed,
        Run(said, cwd=cwd, env=environment(), has_output=True, given=given.fileno()) as run,
    ):
        given.close()
        yield run, typed


def lines(*typed: str) -> str:
    return "".join(f"{line}\n" for line in typed)


def bad(kind: type[Good]) -> tuple[str, str]:
    return "--bot", f"bad={shlex.join(bad_bots.command(kind))}"


def kept(path: Path = OUT) -> list[Record]:
    """Return the records of a file, all of which are sound, and forget them."""
    problems = [str(problem) for found in validate(path) for problem in found.problems]
    assert problems == []
    records = list(read(path))
    path.unlink()
    return records


def heard(begin: str = "") -> list[str]:
    """Return what a bot that listens was told, by how the lines begin."""
    return [line for line in Path("heard").read_text().splitlines() if line.startswith(begin)]


# Whole games


def replies(seat: Side, seed: int) -> list[str]:
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


@pytest.mark.parametrize("seat", SIDES, ids=lambda seat: seat.word)
def test_a_game_against_a_bot_is_played_to_its_end_by_the_rules(seat: Side, tmp_path: Path) -> None:
    flags = ("--bot", "random", "--seed", 7, "--side", seat.word, *KEPT)
    with begun("yavalath", *flags, cwd=tmp_path) as (run, types):
        types.write(lines(*replies(seat, 7)))
        types.close()
        told, _ = run.communicate(timeout=PATIENCE_S)
    (record,) = kept()
    assert (run.returncode, record.termination) == (0, "rules")
    assert (record.first, record.second)[seat] == "person"
    *_, last = positions(record)
    outcome = last.outcome()
    assert outcome
    assert outcome.winner is not None
    names = ["white (random)", "black (random)"]
    names[seat] = names[seat].replace("random", "you")
    assert told.endswith(f"\n{record.result}, {outcome.told(*names)}\n")
    # The board stands before each of the person's turns, and at the end.
    assert told.count("\na ") == len(record.plies[seat::2]) + 1


def test_the_rules_of_a_game_fit_on_a_card_and_two_people_play_any_at_one_keyboard() -> None:
    for game_id in games.builtin_ids():
        game = games.get(game_id)
        card = card_of(game).splitlines()
        assert max(map(len, card)) < 80
        assert len(card) <= 9
        assert len(diagram(game.start()).splitlines()) + len(card) < 24
        moves = tuple(playout(game.start(game.draw_setup(5)), random.Random(5)))
        ended = play(game_id, *ALONE, "--seed", 5, *KEPT, typed=lines(*moves))
        (record,) = kept()
        assert (ended.status, ended.err) == (0, f"{OUT}: record appended\n")
        assert (record.moves, record.termination) == (moves, "rules")
        assert (record.first, record.second) == ("person 1", "person 2")
        assert (record.tag("TimeControl"), record.tag("Seed")) == ("none", "5")
        assert record.tag("Setup") == (game.draw_setup(5) or "")
        assert all(ply.used_s is not None for ply in record.plies)


def test_who_asks_is_told_what_there_is_and_whose_turn_it_is(
    golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a bot's two turns in a row, moves that are none, and the legal ones."""
    monkeypatch.setattr(
        "lath.arena.terminal.play.COACH", "solver; option.fast=off"
    )  # it loads less
    won = ("--position", "5/6/7/8/1ww1w4/bb1b4/7/6/5 w")
    sees = ("--position", "mm3/2m2/m3m/5/o4 a1 w")
    mounds = ("Ma1", "Mb1", "Mc1", "Md1", "Me1")
    odd = ("e5", "E5", "zz", "\x1b[31m", "", "swap", "board")
    cases: dict[str, tuple[tuple[object, ...], tuple[str, ...]]] = {
        "asks": (("yavalath", *won, *ALONE), ("help", "Rules", "hint", "eval", "e4")),
        "a meerkat": (("surikata", *sees, *ALONE), ("c4",)),
        "alone": (("surikata", *ALONE), (*mounds, "c3", "?")),
        "against": (("surikata", *bad(Good), "--side", "second"), ("Me1", "Md1", "Mc1")),
        "odd moves": (("yavalath", *ALONE), odd),
    }
    told = {}
    for name, (words, typed) in cases.items():
        seeded = (*words, "--seed", 1)
        if name == "asks":  # a hint is the solver's, a process
            told[name] = arena("play", *seeded, stdin=lines(*typed))
        else:
            told[name] = play(*seeded, typed=lines(*typed))
    assert {name: ran.status for name, ran in told.items() if ran.status or ran.err} == {}
    boards = re.compile(r"^(?:[a-i1-5]  .*|   a b c d e)?\n", re.MULTILINE)
    texts = {name: re.sub(r"\d\.\d\d s", "N s", ran.out) for name, ran in told.items()}
    golden({name: text if "odd" in name else boards.sub("", text) for name, text in texts.items()})
    assert "\x1b" not in told["odd moves"].out
    binary = play("yavalath", *ALONE, typed=b"\xff\xfe\n" + 100_000 * b"x" + b"\n")
    assert binary.out.count("is not a move") == 2
    said = [line for line in binary.out.splitlines() if "is not a move" in line]
    assert max(map(len, said)) < 200


def test_the_bots_time_and_what_it_says_stand_in_the_record() -> None:
    flags = (*bad(bad_bots.SaysInfo), "--tc", "60+1", "--side", "second", *KEPT)
    play("yavalath", *flags, typed=lines("h1"))
    (record,) = kept()
    assert (record.tag("FirstTimeControl"), record.tag("SecondTimeControl")) == ("60+1", "none")
    assert record.plies[2].eval == 0.25
    assert [ply.annotation("clk") is not None for ply in record.plies] == [True, False, True]


def test_a_setup_or_a_position_may_be_told() -> None:
    near = "5/6/7/8/1w1ww4/8/7/1b4/b1b1b w"
    drawn = games.get("mammalath").draw_setup(3)
    for words, typed, found in (
        (("manalath", "--setup", "e5 c3", *ALONE), "Oa1", ("c3 e5", "", "*")),
        (("mammalath", "--setup", drawn, *bad(Good)), "c3", (drawn, "", "*")),
        (("yavalath", "--position", near, *ALONE), "e3", ("", near, "1-0")),
        (("yavalath", "--position", near, *bad(Good)), "e3", ("", near, "1-0")),
    ):
        play(*words, *KEPT, typed=lines(typed))
        (record,) = kept()
        assert (record.tag("Setup"), record.tag("Position"), record.result) == found


def test_capitals_blanks_and_the_order_of_ends_are_forgiven() -> None:
    for game_id, typed, moves in (
        ("yavalath", (" E 5 ",), ("e5",)),
        ("surikata", ("mC3",), ("Mc3",)),
        ("manalath", ("pe5",), ("Pe5",)),
        ("mammalath", ("C3",), ("c3",)),
        ("mammalath", ("a1", "X B4 - B2", "XF"), ("a1", "xb2-b4", "xF")),
    ):
        play(game_id, *ALONE, "--seed", 1, *KEPT, typed=lines(*typed))
        assert kept()[0].moves == moves


# Moves taken back


def test_undo_takes_back_the_own_last_move_with_the_bots_answer() -> None:
    typed = lines("e5", "c3", "undo", "i1")
    ended = play("yavalath", *bad(bad_bots.Listens), *KEPT, typed=typed)
    assert "taken back: 2 plies" in ended.out
    assert kept()[0].moves == ("e5", "a1", "i1", "a2")
    again = heard()[heard().index("result 1 * unterminated") :]
    assert again[1].startswith("new 2 yavalath side second tc move 1000 seed ")
    assert again[2:5] == ["play 1 e5", "play 2 a1", "play 3 i1"]
    assert [line.split()[0] for line in again[5:8]] == ["position", "legal", "go"]
    assert again[7] == "go 4 move 1000"
    ended = play("yavalath", *ALONE, *KEPT, typed=lines("e5", "d4", "undo", "swap"))
    assert "taken back: 1 ply" in ended.out, "of two people the last move"
    assert kept()[0].moves == ("e5", "swap")


def test_undo_gives_the_bot_back_the_time_it_had_and_a_first_move() -> None:
    flags = ("yavalath", *bad(bad_bots.Listens), "--tc")
    play(*flags, "60", typed=lines("e5", "undo", "e5", "e6"))
    clocks = heard("go ")
    assert clocks[:2] == ["go 2 first 0 second 60000 inc 0"] * 2
    assert clocks[2] != "go 4 first 0 second 60000 inc 0"
    Path("heard").unlink()
    play(*flags, "60+1 first 50", typed=lines("e5", "c3", "undo", "c3", "i1"))
    assert "first 50000 tc 60000+1000" in heard("new ")[0]
    whole = "first 0 second 60000 inc 1000"
    assert heard("go ")[:4] == [
        f"go {n} {what}"
        for n, what in [(2, "move 50000"), (4, whole), (4, "move 50000"), (6, whole)]
    ]


def test_undo_leaves_the_bots_opening_move_alone_and_starts_again_who_has_died() -> None:
    typed = lines("undo", "h1", "undo", "undo")
    ended = play("yavalath", *bad(Good), "--side", "second", typed=typed)
    assert ended.out.count("you have not moved yet") == 2
    assert ended.out.count("1. white (bad): a1") == 1
    assert ended.out.count("2. black (you): ") == 4
    typed = lines("i1", "i3", "undo", "i5", "quit")
    ended = play("yavalath", *bad(bad_bots.DiesAfterItsMove), typed=typed)
    assert ended.out.count("4. black (bad): a2") == 2
    assert (ended.status, ended.out.endswith("not finished\n")) == (0, True)


# How it ends


def test_a_game_that_is_resigned_or_left_is_kept_as_it_is() -> None:
    ended = play("yavalath", *bad(bad_bots.Listens), *KEPT, typed=lines("e5", "resign"))
    (record,) = kept()
    assert (ended.status, record.result, record.termination) == (0, "0-1", "resignation")
    assert record.comments == (("person (first): resigned at ply 3",),)
    assert ended.out.endswith("\n0-1, black (bad) won: resignation\n")
    assert heard("result ") == ["result 1 0-1 resignation"]
    for typed in (lines("e5", "quit"), lines("e5"), "e5"):
        ended = play("yavalath", *bad(Good), *KEPT, typed=typed)
        (record,) = kept()
        assert (ended.status, record.result, record.termination) == (0, "*", "unterminated")
        assert record.moves == ("e5", "a1")
        assert ended.out.endswith("\nnot finished\n")
    ended = play("yavalath", *ALONE, *KEPT, typed="")
    assert (ended.status, ended.err, OUT.exists()) == (0, "", False), "nothing was played"


def read_until(stream: IO[str] | None, end: str) -> str:
    """Return what is written until it ends so."""
    assert stream
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
        (signal.SIGTERM, bad_bots.HangsInItsMove),
        (signal.SIGHUP, bad_bots.Good),
    ],
)
def test_a_game_that_is_interrupted_is_kept_whoever_thinks(
    number: int, kind: type[Good], tmp_path: Path
) -> None:
    words = ("yavalath", *bad(kind), "--tc", "none", *KEPT)
    with begun(*words, cwd=tmp_path) as (process, types):
        types.write("e5\ne6\n")
        is_good = kind is Good
        read_until(process.stdout, "5. white (you): " if is_good else "4. black (bad): ")
        process.send_signal(number)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, said) == (3, f"{OUT}: record appended\nnote: interrupted\n")
    (record,) = kept()
    assert record.termination == "unterminated"
    assert record.moves == ("e5", "a1", "e6", "a2")[: 4 if is_good else 3]


def test_records_are_appended_to_those_that_are_there(tmp_path: Path) -> None:
    before = b'[Game "surikata"]\n\n1. Mc3 *'
    for out in (OUT, Path("games.lath.gz")):
        is_packed = out.suffix == ".gz"
        out.write_bytes(gzip.compress(before) if is_packed else before)
        for _ in range(2):
            play("yavalath", *ALONE, "-o", out, typed=lines("e5"))
        text = gzip.decompress(out.read_bytes()) if is_packed else out.read_bytes()
        assert text.startswith(before + b"\n\n[Game")
        assert [path.name for path in tmp_path.iterdir()] == [out.name]
        assert [record.moves for record in kept(out)] == [("Mc3",), ("e5",), ("e5",)]


def test_a_record_that_cannot_be_written_is_printed(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    with begun("yavalath", *ALONE, "-o", folder / OUT, cwd=tmp_path) as (process, types):
        read_until(process.stdout, "1. white: ")
        folder.rmdir()
        types.write(lines("e5"))
        types.close()
        said, wrong = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "games.lath: cannot be written: No such file or directory" in wrong
    assert said.endswith("*\n")
    assert '[Game "yavalath"]' in said


# Bots that break the game off


BROKEN: Final = {
    bad_bots.DiesInItsMove: "crash",
    bad_bots.PlaysGarbage: "illegal move",
    bad_bots.PlaysAVeryLongMove: "illegal move",
    bad_bots.WritesForEverOnTheOthersTurn: "flood",
    bad_bots.AnswersTooLate: "time",
}
"""One of each kind: what else bots do is told in tests/arena/referee."""


def test_a_bot_that_breaks_the_game_off_loses_it(golden: Golden) -> None:
    said = {}
    for kind, why in BROKEN.items():
        tc = "move 0.4" if why == "time" else "none"
        ended = play("yavalath", *bad(kind), "--tc", tc, *KEPT, typed=lines("i1", "i3", "i5", "h1"))
        (record,) = kept()
        assert (ended.status, record.result, record.termination) == (1, "1-0", why), kind
        _, end = ended.out.rsplit("(bad): ", 1)
        mishap, summary = end.splitlines()
        said[kind.__name__] = re.sub("a{40,}", "aaa…", mishap)
        assert summary == f"1-0, white (you) won: {why}"
        assert "\x1b" not in ended.out
        assert str(record.comments[0][0]).startswith("bad (second): ")
    golden(said)


def test_a_bot_that_resigns_is_not_at_fault_and_one_that_left_early_plays_no_game() -> None:
    ended = play("yavalath", *bad(bad_bots.Resigns), *KEPT, typed=lines("i1", "i3"))
    assert (ended.status, kept()[0].termination) == (0, "resignation")
    assert "4. black (bad): resigned at ply 4\n1-0, white (you) won: resignation" in ended.out
    ended = play("yavalath", *bad(bad_bots.ExitsBeforeItsFirstGo), *KEPT, typed=lines("i1"))
    (record,) = kept()
    assert (ended.status, record.result, record.termination) == (1, "*", "void")
    assert "2. black (bad): exited with status 3 before its first turn\n" in ended.out


def test_a_machine_that_stood_still_costs_the_bot_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wait = ScriptedWatch.wait

    def stood_still(watch: ScriptedWatch, until_s: float) -> None:
        if until_s > watch.clock.now_s + 0.2:  # a bot thinks
            watch.clock.now_s += 3.0  # longer than the bot may take
        wait(watch, until_s)

    monkeypatch.setattr(ScriptedWatch, "wait", stood_still)
    ended = play("yavalath", *bad(bad_bots.ThinksABit), "--tc", "move 2", typed=lines("i1", "i3"))
    assert re.search(r"4\. black \(bad\): a2 \(0\.\d\d s\)", ended.out)
    assert ended.status == 0


# Refusals


REFUSED: Final = (
    *("chess", "yavalath --bot deep", "yavalath --bot person=cat", "yavalath --bot mine="),
    *('yavalath --bot "mine=\'"', "yavalath --tc soon", "yavalath --side third"),
    *("yavalath --setup e5 --position 9", "yavalath -o no/games.lath", "yavalath -o games.csv"),
    *("yavalath -o notes.txt", "yavalath -o .", "yavalath --position '{over}'"),
)
IMPOSSIBLE: Final = (
    *("yavalath --bot mine=./no-such-bot", "yavalath --setup e5", "yavalath --position 9"),
)


def test_what_cannot_be_played_or_kept_is_refused_before_the_game(golden: Golden) -> None:
    over = "5/6/7/8/wwww5/8/7/6/b1bb1 b"
    Path("notes.txt").write_text("Buy milk.\n")
    ask = partial(play, typed=lines("e5"))
    golden(refusals((words.format(over=over) for words in REFUSED), ask=ask), case="usage")
    golden(refusals(IMPOSSIBLE, 1, ask), case="input")
    assert Path("notes.txt").read_text() == "Buy milk.\n"
    for kind, status in ((bad_bots.PlaysAnotherGame, 2), (bad_bots.ExitsAtStart, 1)):
        (said,) = refusals([shlex.join(["yavalath", *bad(kind)])], status, ask).values()
        golden(said, case=kind.__name__)
