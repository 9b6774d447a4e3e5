"""Words round the moves of loose text: headings, titles and prose change nothing unsaid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from exploring import MOST
from format_files import entries
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sample_records import random_game

read = partial(entries, "text", rules=True)


HEADS = {
    "tags": '[Game "yavalath"]\n[White "Ann"]\n[Black "Bob"]\n',
    "colons": "Game: Yavalath\nWhite: Ann\nBlack: Bob\n",
    "a line": "White: Ann  Black: Bob  Game: Yavalath\n",
    "a title": "Yavalath: Ann vs Bob\n",
    "the game alone": "Yavalath\n",
}
SIDES = [
    *(("White", "Black"), ("WHITE", "BLACK"), ("First", "Second"), ("W", "B"), ("P1", "P2")),
    *(("Player 1", "Player 2"), ("White's move", "Black's move"), ("Weiß", "Schwarz")),
    *(("Ann", "Bob"), ("Ann (White)", "Bob (Black)"), ("White (Ann)", "Black (Bob)")),
]
COLUMNS = [
    *("{0}   {1}", "{0}\t{1}", "  {0}     {1}  ", "   #\t{0}\t{1}", "No.  {0}  {1}"),
    *("| # | {0} | {1} |\n|---|---|---|", "**{0}**   **{1}**", "{0}   {1}\n=====  ====="),
    *("| | {0} | {1} | Time |\n|:-:|---|---|---|", "{0}: \t{1}:"),
]
ROWS = ["{}. {}     {}", "{} {} {}", "{}\t{}\t{}", "| {} | {} | {} |", "{}) {}, {}"]
ENDS = ["{} wins", "{} won", "{} wins (resignation)", "({} won)", "Winner: {}", "\n{} won."]


@dataclass(frozen=True)
class Table:
    """How somebody writes two columns of moves down, and who won."""

    head: str
    is_apart: bool
    seats: tuple[str, str]
    columns: str
    is_turned: bool
    row: str
    end: str
    winner: int


TABLES = st.builds(
    Table,
    head=st.sampled_from(sorted(HEADS)),
    is_apart=st.booleans(),
    seats=st.sampled_from(SIDES),
    columns=st.sampled_from(COLUMNS),
    is_turned=st.booleans(),
    row=st.sampled_from(ROWS),
    end=st.sampled_from(ENDS),
    winner=st.integers(0, 1),
)


@settings(max_examples=max(200, MOST))
@given(TABLES, st.integers(0, 9))
@example(
    Table(
        *("the game alone", True, ("Ann", "Bob"), "{0}   {1}", False),
        *("{}. {}     {}", "Winner: {}", 1),
    ),
    3,
)
def test_headings_of_columns_turn_nothing_round(table: Table, seed: int) -> None:
    head, seats, is_turned = table.head, table.seats, table.is_turned
    moves = random_game("yavalath", seed).moves[:6]
    pairs = zip(moves[::2], moves[1::2], strict=True)
    rows = "\n".join(table.row.format(n, *pair) for n, pair in enumerate(pairs, 1))
    heading = table.columns.format(*(seats[::-1] if is_turned else seats))
    has_names = head != "the game alone" or "Ann" in seats[0]
    end = table.end.format(("White", "Black")[table.winner])
    (entry,) = read(f"{HEADS[head]}{chr(10) * table.is_apart}{heading}\n{rows}\n{end}\n")
    if is_turned and (seats != ("Ann", "Bob") or head != "the game alone"):
        if "(" not in seats[0]:  # which says who is who
            assert any("column comes before" in problem.message for problem in entry.problems)
        return
    assert not entry.problems
    record = entry.record
    assert record
    names = ("Ann", "Bob") if has_names else ("?", "?")
    assert (record.first, record.second) == (names[::-1] if is_turned else names)
    assert (record.moves, record.result) == (moves, ("1-0", "0-1")[table.winner])
    assert not entry.kept
    assert not record.comments


TITLES = [
    *("{a} - {b} {r}", "{a} – {b}, {r}", "{a} vs {b} {r}", "{a} {r} {b}", "{a}-{b} {r}"),
    *("{g}: {a} vs. {b}, {d}, {r}", "{d} {a} - {b} {r}", "{a} (White) - {b} (Black) {r}"),
    *(
        "Round 3: {a} - {b} {r}",
        "{g}, {d}\n{a} - {b} {r}",
        "{g} game, played {d} 19:30\n{a} {r} {b}",
    ),
    *("{g}\nWhite {a}\nBlack {b}\nResult: {r}", "White - {a}\nBlack - {b}\nResult {r}"),
]


@settings(max_examples=max(60, MOST))
@given(
    st.sampled_from(TITLES),
    st.sampled_from([("Ann", "Bob"), ("Ann Lee", "Bob van Dam"), ("Zoë", "O'Neil")]),
    st.sampled_from([("1-0", "1-0"), ("0-1", "0 - 1"), ("1/2-1/2", "½-½"), ("0-1", "0:1")]),
    st.sampled_from(
        ["3 May 2024", "2024-05-03", "May 3, 2024", "3rd of May 2024", "Friday 3 May 2024"]
    ),
    st.integers(0, 9),
)
def test_titles_say_who_played_and_how_it_ended(
    title: str, names: tuple[str, str], result: tuple[str, str], day: str, seed: int
) -> None:
    (one, other) = names
    if "{a}-{b}" in title and " " in one + other:
        return
    head = title.format(a=one, b=other, r=result[1], d=day, g="Yavalath")
    moves = " ".join(random_game("yavalath", seed).moves[:5])
    given_first = head if "{g}" in title else f"Yavalath\n{head}"
    (entry,) = read(f"{given_first}\n\n{moves}\n")
    assert not entry.problems
    record = entry.record
    assert record
    assert (record.first, record.second, record.result) == (one, other, result[0])
    assert ("{d}" not in title) or record.tag("Date") == "2024-05-03"
    assert not entry.kept


WORDS = st.sampled_from(
    [
        *("the", "a", "sharp", "opening", "Ann", "Bob", "white", "black", "then", "resigned"),
        *("almost", "draw", "corner", "we", "lost", "time", "wins", "yavalath", "17", "move"),
    ]
)
PROSE = st.lists(WORDS, min_size=3, max_size=8).map(lambda words: f"So {' '.join(words)} indeed")


@settings(max_examples=max(60, MOST))
@given(
    st.lists(PROSE, max_size=3),
    st.lists(PROSE, max_size=3),
    st.sampled_from(["", "; ", "# ", "("]),
    st.integers(0, 9),
)
def test_what_is_not_understood_is_kept_and_counted_and_changes_no_game(
    above: list[str], below: list[str], mark: str, seed: int
) -> None:
    moves = random_game("yavalath", seed).moves[:5]
    head = "White: Ann\nBlack: Bob\nGame: Yavalath\n"
    close = ")" if mark == "(" else ""
    lines = [f"{mark}{line}{close}" for line in above], [f"{mark}{line}{close}" for line in below]
    text = head + "\n".join([*lines[0], " ".join(moves), *lines[1]]) + "\n0-1\n"
    (entry,) = read(text)
    assert not entry.problems
    record = entry.record
    assert record
    assert (record.first, record.second) == ("Ann", "Bob")
    assert (record.result, record.moves) == ("0-1", moves)
    begin, after = 4, 4 + len(above) + 1
    places = [*range(begin, begin + len(above)), *range(after, after + len(below))]
    assert entry.kept == (() if mark else tuple(f"f.txt:{place}" for place in places))
    said = [part for each in (*record.comments, *record.plies[-1].comments) for part in each]
    assert len(said) == len(above) + len(below)


@given(st.lists(PROSE, min_size=1, max_size=6), st.sampled_from(["\n", "\n\n", "\n- "]))
def test_a_text_without_a_move_or_tag_is_no_record(lines: list[str], between: str) -> None:
    for entry in read(between.join(lines)):
        assert entry.record is None
        assert entry.problems


NAMED_SIDES = [
    *(("White", "Black"), ("white", "black"), ("W", "B"), ("First", "Second"), ("Ann", "Bob")),
    *(("Player 1", "Player 2"), ("WHITE", "BLACK")),
]


@settings(max_examples=max(60, MOST))
@given(
    st.sampled_from(NAMED_SIDES),
    st.tuples(
        st.sampled_from(["{s}: {m}", "{n}. {s}: {m}", "{n}) {s}: {m}", "{s}:{m}"]),
        st.sampled_from(["\n", " / ", ", ", "\n- "]),
    ),
    st.sampled_from(["", "  -- a good idea", " ; a good idea", " {a good idea}"]),
    st.integers(0, 9),
    st.booleans(),
)
def test_the_side_before_each_move_is_no_move(
    sides: tuple[str, str], shape: tuple[str, str], remark: str, seed: int, is_twice: bool
) -> None:
    moves = random_game("yavalath", seed).moves[:6]
    form, between = shape
    who = [sides[n % 2] for n in range(len(moves))]
    if is_twice:
        who[3] = who[2]
    said = [form.format(s=s, m=m, n=n) for n, (s, m) in enumerate(zip(who, moves, strict=True), 1)]
    said[-1] += remark
    (entry,) = read(f"Yavalath game, played 2024-03-12\n\n{between.join(said)}\n\nResult: 1-0\n")
    if is_twice and "swap" not in moves:
        assert any("twice in a row" in problem.message for problem in entry.problems)
        return
    assert not entry.problems
    assert entry.record
    assert (entry.record.moves, entry.record.result) == (moves, "1-0")
    assert entry.record.first == ("Ann" if "Ann" in sides else "?")
    assert not entry.kept
    comments = entry.record.plies[-1].comments
    assert comments == ((("a good idea",),) if remark else ())
