"""Text as people write it: any record in any of its shapes is read back as the same game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from exploring import MOST
from format_files import entries, problem_of, records_in
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_records import BUILT_IN, random_game

from lath.games.core import Result
from lath.notation.record.record import Record
from lath.notation.rules.replay import faults_of

if TYPE_CHECKING:
    from golden import Golden

read = partial(entries, "text", rules=True)


def only(text: str) -> Record:
    (record,) = records_in("text", text, rules=True)
    return record


SIDES = (("White", "Black"), ("First", "Second"), ("Player1", "Player2"), ("PLAYER 1", "player 2"))
DATES = (
    *("2024-11-03", "2024.11.03", "3 Nov 2024", "November 3, 2024", "2024/11/3"),
    "3. November 2024",
)
RESULTS = {
    "1-0": ("1-0", "1:0", "1 - 0", "1–0"),
    "0-1": ("0-1", "0:1", "0–1"),
    "1/2-1/2": ("1/2-1/2", "½-½", "1/2", "0.5-0.5"),
    "*": ("*",),
}
WORDS = {
    "1-0": ("ann wins", "ann won", "bob resigned", "bob lost on time"),
    "0-1": ("bob wins", "ann resigns"),
    "1/2-1/2": ("draw", "Draw agreed"),
    "*": ("unfinished", "*"),
}


@dataclass(frozen=True)
class Shape:
    """How somebody writes records down."""

    tags: str
    order: int
    seats: tuple[str, str]
    date: str
    moves: str
    case: str
    ends: str
    signs: bool
    newline: str
    bom: bool
    mark: str
    """What mail and forums put before each line."""


Pairs = list[list[str]]


def rows(form: str, between: str, pairs: Pairs) -> str:
    """Return a row for each pair of moves with its number."""
    return "\n".join(form.format(n, between.join(pair)) for n, pair in enumerate(pairs, 1))


def each(form: str, end: str, words: list[str]) -> str:
    """Return all moves, with the number of the pair and of the ply."""
    return end.join(
        form.format(word, n // 2 + 1, n, dots="..." if n % 2 else ".", who=("ann", "bob")[n % 2])
        for n, word in enumerate(words)
    )


MARKDOWN = "| # | White | Black |\n|---|:-----:|-------|\n"
LAYOUTS: dict[str, Callable[[list[str], Pairs], str]] = {
    "pairs": lambda _, pairs: rows("{}. {}", " ", pairs).replace("\n", " "),
    "glued": lambda _, pairs: rows("{}.{}", " ", pairs).replace("\n", " "),
    "plies": lambda words, _: " ".join(f"{n}. {word}" for n, word in enumerate(words, 1)),
    "dots": lambda words, _: each("{1}{dots} {0}", "\n", words),
    "lines": lambda words, _: "\n".join(words),
    "commas": lambda words, _: ", ".join(words),
    "bare": lambda words, _: " ".join(words),
    "columns": lambda _, pairs: rows("{}\t{}", "\t", pairs),
    "cells": lambda _, pairs: MARKDOWN + rows("| {} | {} |", " | ", pairs),
    "semicolons": lambda _, pairs: "No;White;Black\n" + rows("{};{}", ";", pairs),
    "sentences": lambda words, _: each("Move {2}:\n{who} plays {0}", "\n", words).replace(
        "plays swap", "swaps sides"
    ),
    "clocks": lambda words, _: each(
        "{1}{dots} {0} {{ [%eval 2.5] [%clk 0:01:{2:02}] }}", " ", words
    ),
    "html": lambda _, pairs: rows("<tr><td>{}</td><td>{}</td></tr>", "</td><td>", pairs),
    "marked": lambda _, pairs: rows("{}.) {}", " ", pairs),
    "slashed": lambda _, pairs: rows("{}/ {}", " ", pairs),
    "hashed": lambda words, _: "\n".join(f"#{n} {word}" for n, word in enumerate(words, 1)),
    "seconds": lambda words, _: each("{1}{dots} {0} {2}.5s", " ", words),
    "timed": lambda words, _: each("{1}{dots} {0} [12:0{2}]", "\n", words),
    "unseen": lambda _, pairs: rows("{}.\u200b{}", "\u00a0", pairs),
    "times": lambda words, _: each("{0} (0:{2:02})", " ", words),
    "dashes": lambda words, pairs: (
        " ".join(words)
        if any("-" in word for word in words)
        else rows("{}.{}", "–", pairs).replace("\n", " ")
    ),
}


SHAPES = st.builds(
    Shape,
    tags=st.sampled_from(
        [
            *('[{} "{}"]', "[{} '{}']", "[{} {}]", "[{}: {}]", "{}: {}", "{} = {}"),
            *("- {}: {}", "**{}**: {}", "* **{}:** {}", "| {} | {} |", "{}\t{}", "## {}: {}"),
            *("[{} “{}”]", "[{} „{}“]", "[{} «{}»]"),
        ]
    ),
    order=st.integers(0, 5),
    seats=st.sampled_from(SIDES),
    date=st.sampled_from(DATES),
    moves=st.sampled_from(sorted(LAYOUTS)),
    case=st.sampled_from(["as is", "upper"]),
    ends=st.sampled_from(["tag", "behind", "both", "words"]),
    signs=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
    mark=st.sampled_from(["", "", "> ", ">> "]),
)


def moves_in(record: Record, shape: Shape) -> str:
    words = list(record.moves)
    if shape.case == "upper" and record.game == "yavalath":
        words = [word.upper() for word in words]
    if shape.signs and shape.moves not in ("sentences", "dashes"):
        words = [f"{word}!" if i % 3 == 0 else word for i, word in enumerate(words)]
        words = [f"{word} {{so, 1-0}}" if i % 5 == 4 else word for i, word in enumerate(words)]
    return LAYOUTS[shape.moves](words, [words[i : i + 2] for i in range(0, len(words), 2)])


def text_of(record: Record, shape: Shape) -> str:
    choice = shape.order
    result = RESULTS[record.result][choice % len(RESULTS[record.result])]
    tags = [
        ("Game", record.game),
        (shape.seats[0], "ann"),
        (shape.seats[1], "bob"),
        ("Date", shape.date),
        *([("Setup", record.tag("Setup"))] if record.tag("Setup") else []),
        *([("Result", result)] if shape.ends in ("tag", "both") else []),
    ]
    tags = tags[choice % len(tags) :] + tags[: choice % len(tags)]
    head = "\n".join(shape.tags.format(name, value) for name, value in tags)
    end = {"behind": f" {result}", "both": f" {result}"}.get(shape.ends, "")
    if shape.ends == "words":
        end = "\n" + WORDS[record.result][choice % len(WORDS[record.result])]
        if record.termination == "rules":
            end = "\n" + WORDS[record.result][0]
    lines = f"{head}\n\n{moves_in(record, shape)}{end}\n".splitlines()
    return "".join(f"{shape.mark}{line}\n" for line in lines)


@settings(max_examples=max(60, MOST))
@given(
    st.lists(
        st.tuples(st.sampled_from(BUILT_IN), st.integers(0, 9), st.booleans()),
        min_size=1,
        max_size=3,
    ),
    SHAPES,
)
def test_whatever_the_shape_game_moves_result_and_players_come_back(
    games: list[tuple[str, int, bool]], shape: Shape
) -> None:
    records = []
    for game_id, seed, is_cut in games:
        record = random_game(game_id, seed)
        if is_cut:  # somebody resigned, or nobody knows
            plies = record.plies[: min(6, len(record.plies) - 1)]
            result = ("1-0", "0-1", "*")[seed % 3]
            tags = tuple(tag for tag in record.tags if tag[0] not in ("Result", "Termination"))
            record = Record((*tags, ("Result", result)), plies, Result(result))
        records.append(record)
    text = "\n".join(text_of(record, shape) for record in records)
    data = ("\ufeff" * shape.bom + text.replace("\n", shape.newline)).encode()
    found = read(data)
    assert [str(problem) for entry in found for problem in entry.problems] == []
    again = [entry.record for entry in found if entry.record]
    assert [(r.game, r.moves, r.result, r.first, r.second) for r in again] == [
        (r.game, r.moves, r.result, "ann", "bob") for r in records
    ]
    assert all(record.tag("Date") == "2024-11-03" for record in again)
    assert not any(faults_of(record) for record in again)


HEAD = '[Game "yavalath"]\n[White "ann"]\n[Black "bob"]\n'


ENDS = {
    "\nWhite wins on time": ("1-0", "time"),
    "\nbob resigned": ("1-0", "resignation"),
    "\nresigns": ("1-0", "resignation"),
    "\nWinner: bob": ("0-1", "resignation"),
    "\nResult: draw by agreement": ("1/2-1/2", "agreement"),
    "\n0-1 (time)": ("0-1", "time"),
    "\nScore: 1-0\nReason: adjudicated": ("1-0", "adjudication"),
}
TAGS = {"W+Resign": "1-0", "B+T": "0-1", "ann 1, bob 0": "1-0", "bob ½ - ann ½": "1/2-1/2"}
BEHIND = ("ann won", "bob resigned", "Result: 1-0", "Result:1-0", "**Result**: 1:0", "White wins!")


def test_a_result_in_words_letters_or_points_says_who_won_and_why() -> None:
    found = {end: only(f"{HEAD}\n1. e5 d4 2. c3{end}\n") for end in ENDS}
    assert {end: (one.result, one.termination) for end, one in found.items()} == ENDS
    tagged = {end: only(f"{HEAD}Result: {end}\n\n1. e5 d4 2. c3 f6\n").result for end in TAGS}
    assert tagged == TAGS
    for end in BEHIND:  # an empty line, of the game before
        one = f"Game: yavalath\nWhite: ann\nBlack: bob\n\n1. e5 d4 2. c3\n\n{end}\n"
        results = [record.result for record in records_in("text", f"{one}\n{one}", rules=True)]
        assert results == ["1-0", "1-0"], end


def test_all_that_is_wrong_with_a_record_is_told_at_once_and_the_next_is_read() -> None:
    wrong = '[Date "30 Feb 2024"]\n[Result "1-0"]\n\n1. e5 zz 2. k12 {so}) 0-1\n'
    text = f"{HEAD}{wrong}\n{HEAD}\ne5 *\n"
    bad, good = read(text)
    assert [(one.code, one.line, one.column, one.ply) for one in bad.problems] == [
        ("tag", 4, 1, None),
        ("move", 7, 7, 2),
        ("move", 7, 13, 3),
        ("syntax", 7, 21, None),
        ("result", 7, 23, None),
    ]
    assert good.record
    assert not good.problems


CONTRADICTIONS = {
    f"{HEAD}\n1. e5 e5 *\n": "illegal-move",
    f"{HEAD}\n1. e5 d4 2. c3 f6 4. g3 *\n": "ply-number",
    f"{HEAD}\n1. a1 i5 2. b1 i4 3. c1 1-0\n": "result",
    f'{HEAD}[Result "1-0"]\n\n1. e5 d4 0-1\n': "result",
    f'{HEAD}[White "cid"]\n1. e5 *\n': "tag",
    f"{HEAD}\n1. e5 {{so\n": "syntax",
    '[White "ann"]\n\n1. zz qq *\n': "no-game",
}


def test_a_contradiction_or_a_game_that_nobody_names_is_a_problem(golden: Golden) -> None:
    for text, code in CONTRADICTIONS.items():
        (entry,) = read(text)
        assert code in [problem.code for problem in entry.problems], text
    (entry,) = read(f"{HEAD}\n1. e5 d4 2. c3 f6 4. g3 h2 6. i1 *\n")  # of numbers the first
    numbers = [(each.column, each.ply) for each in entry.problems if each.code == "ply-number"]
    assert numbers == [(19, 5)]
    (entry,) = read('[White "ann"]\n\n1. e5 d4 2. c3 Z9 *\n')
    golden(problem_of(entry))


HEADINGS = [
    "Yavalath",
    "Yavalath, club evening",
    "Our game of Yavalath in Rome",
    "Round 3, board 2: ann (W) vs. bob (B), Yavalath",
    "Yavalath game 17: ann (W) vs bob (B)",
    "# Yavalath: ann (W) vs bob (B)",
    "11.3.2024, Yavalath\nbob (B) - ann (W)",
]


def test_a_line_above_the_moves_names_the_game_and_the_players() -> None:
    for line in HEADINGS:
        record = only(f"{line}\n\n1. e5 d4 2. c3 1-0\n")
        assert record.game == "yavalath"
        assert (record.first, record.second) == (("ann", "bob") if "ann" in line else ("?", "?"))
    record = only("Yavalath\nann (1500) – bob (club B) (1612)\n\n1. e5 d4 2. c3 1-0\n")
    assert (record.first, record.second) == ("ann", "bob (club B)")
    assert (record.tag("FirstElo"), record.tag("SecondElo")) == ("1500", "1612")


def test_a_swap_in_brackets_is_a_move() -> None:
    assert only(f"{HEAD}\n1. e5 (swap) 2. d4 c3 *\n").moves == ("e5", "swap", "d4", "c3")


def test_a_piece_and_its_cell_are_a_move_however_they_are_joined() -> None:
    record = random_game("manalath", 3)
    colours = {"O": "orange", "P": "purple"}
    for form in ("{0} {1}", "{0}-{1}", "{1}{0}", "{2} {1}"):
        words = (form.format(m[0], m[1:], colours[m[0]]) for m in record.moves)
        lines = "\n".join(f"{n}. {word}" for n, word in enumerate(words, 1))
        text = f"Game: Manalath\nSetup: {record.tag('Setup')}\n\n{lines}\n"
        assert only(text).moves == record.moves, form


def test_a_record_in_which_no_moves_are_found_is_no_empty_game() -> None:
    scripts = "<script>e5 d4</script>"
    for body in (scripts, "we met and played", "White: e5 c3 g3\nBlack: d4 f6 h2"):
        (entry,) = read(f"Game: yavalath\n\n{body}\n")
        assert "no moves or result found" in [each.message for each in entry.problems]
        (entry,) = read(f"Game: yavalath\nResult: 1-0\n\n{body}\n")
        assert entry.problems or "no moves found: only the result is used" in entry.assumed


def test_words_behind_the_last_game_are_no_game() -> None:
    (entry,) = read(f"{HEAD}\n1. e5 d4 *\n\nBest wishes,\nann\n\nP.S. My dog is well.\n")
    assert not entry.problems
    assert "text after a game is ignored" in entry.assumed


def test_times_on_a_clock_are_seconds_and_evaluations_in_other_units_are_kept_apart() -> None:
    record = only(f"{HEAD}\n1. e5 {{ [%eval 0.3] [%clk 0:05:03] }} d4 {{ [%eval #-3] }} 2. c3 *\n")
    assert [ply.annotations for ply in record.plies[:2]] == [
        [("text_eval", "0.3"), ("clk", "303.000")],
        [("text_eval", "#-3")],
    ]
    ours = only(f"{HEAD}\n1. e5 {{[%eval 0.3]}} d4 *\n")
    assert ours.plies[0].annotations == [("eval", "0.3")]


def test_numbers_in_brackets_are_words_not_the_end_of_what_is_open() -> None:
    record = only(f"{HEAD}\n1. e5 (0:12) d4 (see move 12) 2. c3 *\n")
    assert record.moves == ("e5", "d4", "c3")
    assert [ply.comments for ply in record.plies[:2]] == [(("0:12",),), (("see move 12",),)]


def test_what_people_say_of_a_game_is_no_move_of_it() -> None:
    record = only(f"{HEAD}\n1. e5 d4 2. c3 1-0\nann should have played f6\nWhite plays c3\n")
    assert record.moves == ("e5", "d4", "c3")
    assert [part for each in record.plies[-1].comments for part in each] == [
        "ann should have played f6",
        "White plays c3",
    ]


@given(
    st.sampled_from(
        ["Game: Yavalath\n\n", "Yavalath\n========\n\n", "Yavalath game, played 2024-03-12\n\n"]
    ),
    st.lists(st.integers(0, 9), min_size=2, max_size=4),
    st.integers(0, 3),
)
def test_the_game_at_the_head_of_a_file_is_that_of_its_records(
    head: str, seeds: list[int], cut: int
) -> None:
    seats = "White: ann\nBlack: bob\n\n"
    moves = [random_game("yavalath", seed).moves[: cut + 2] for seed in seeds]
    found = read(head + "\n".join(f"{seats}{' '.join(each)} 1-0\n" for each in moves))
    assert [entry.record and entry.record.game for entry in found] == ["yavalath"] * len(seeds)
    (*_, wrong) = read(f"{head}{seats}e5 d4 1-0\n\n{seats}e5 e5 1-0\n")
    assert [problem.code for problem in wrong.problems] == ["illegal-move"]
    (*_, other) = read(f"{head}{seats}e5 d4 1-0\n\n{seats}Ma1 Mc2 1-0\n")
    assert other.record
    assert other.record.game == "surikata"


def test_what_was_assumed_is_said_of_each_record() -> None:
    (entry,) = read(f'{HEAD}[Date "11.3.2024"]\n\n1. a1 i5 2. b1 i4 3. c1 0-1\n')
    assert entry.assumed == (
        "White is First",
        "ambiguous dates are read as day.month.year",
        "ended by the rules",
    )


def test_text_that_is_not_utf8_is_latin_1_and_says_so() -> None:
    (entry,) = read(f"{HEAD}\n1. e5 *\n".replace("ann", "Jürgen").encode("latin-1"))
    assert entry.record
    assert entry.record.first == "Jürgen"
    assert entry.assumed[0] == "text that is not UTF-8 is read as Latin-1"


def test_comments_unknown_tags_and_other_lines_are_kept() -> None:
    record = only(
        f"{HEAD}Mood: grim\n; At the club.\n\n1. e5! {{so}} (d4) d4 $2 2. c3 ; hm\n;Well played!\n"
    )
    assert record.tag("Mood") == "grim"
    assert record.comments == (("At the club.",),)
    assert [ply.comments for ply in record.plies] == [(("so",),), (), (("hm",), ("Well played!",))]
    assert [ply.glyph for ply in record.plies] == ["!", "?", ""]
    assert [v.plies[0].move for v in record.plies[0].variations] == ["d4"]
