"""The query language: what each word means, and how what is no query is refused."""

from __future__ import annotations

import re
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import page_text
from query_strategies import TREES, Tree, answer, is_like, printed, quoted, records
from walks import playout

from lath import games
from lath.games.core import Game, Move, Position, follow, least, least_line, symmetries
from lath.games.errors import IllegalMoveError, UnknownGameError
from lath.notation import Record, parse
from lath.notation.archive.archive import key
from lath.notation.query.operators import TAGS, WORDS
from lath.notation.query.query import QueryError, compile_query, doubts, plan_of
from lath.notation.query.texts import like
from lath.notation.record.record import Ply
from lath.notation.tables.tables import GAMES, PLIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golden import Golden


PAGE = page_text("query-language")

RECORD = parse("""\
[Game "mammalath"]
[Event "Autumn bots"]
[Date "2026-11-20"]
[Round "03"]
[First "greedy"]
[Second "monte-carlo"]
[Setup "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE"]
[Termination "illegal move"]
[Mood "calm"]
[Result "0-1"]

1. c3 2. swap {[%emt 0.5]} 3. d4 4. xb4-b2 0-1
""")
BARE = parse('[Game "yavalath"] *')


def matches(query: str, record: Record = RECORD) -> bool:
    return compile_query(query)(record)


HOLDS: Final = (
    *("game = mammalath", "game=mammalath", "first = greedy and second = monte-carlo"),
    *("player = greedy and player = monte-carlo", "winner = monte-carlo and loser = greedy"),
    *("winner != greedy", "result = 0-1 and result != 1/2-1/2", 'termination = "illegal move"'),
    *("event = 'Autumn bots'", "plies = 4 and plies > 3 and plies <= 4 and plies in (1, 4)"),
    "move 1 = c3 and move 2 in (swap, d4) and move 9 != c3",
    "contains move xb2-b4 and contains move xb4-b2 and not contains move xF",
    "Mood = calm and tag.Mood = calm and tag.Mood != wild",
    *("TimeControl != 10+0.1", "not comments and not variations"),
    'Termination = "illegal move" and Result = 0-1',
    # `and` binds closer than `or`, and `not` closest
    "plies = 4 or plies = 5 and plies = 6",
    "not ((plies = 4 or plies = 5) and plies = 6)",
    "not plies = 5 and plies = 4",
    # names are equal letter for letter, but alike in any case
    "not first = Greedy and first ~ GREE* and player ~ *-carlo and not first ~ reed",
    # rounds and tags are compared as numbers where both are some
    "round = 3 and round < 10 and round >= 3.0 and not round > final",
    "not Mood < 10 and Mood > bad",
    # dates as far as the query says them
    "date = 2026 and date = 2026-11 and date = 2026-11-20",
    "date >= 2026-11 and date <= 2026-11 and not date > 2026-11",
    "date > 2026-11-19 and date < 2026-12 and date in (2025, 2026-11)",
    "setup = ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE and setup ~ ABC*",
    # any number of parts, in any number of parentheses
    "(" * 5000 + "plies = 4" + ")" * 5000,
    " or ".join(f"plies = {number}" for number in range(5000)),
)


def test_what_holds_of_a_record_matches() -> None:
    assert [query for query in HOLDS if not matches(query)] == []
    assert [query for query in HOLDS if matches(f"not ({query})")] == []


def test_numbers_are_exact() -> None:
    big = parse('[Game "yavalath"] [Seed "9007199254740993"] *')
    assert matches("Seed > 9007199254740992 and not Seed = 9007199254740992", big)


def test_a_range_is_what_lies_between_its_ends_and_these() -> None:
    for low, high in product(range(6), range(6)):
        if low > high:
            with pytest.raises(QueryError):
                compile_query(f"plies in {low}..{high}")
            continue
        assert matches(f"plies in {low}..{high}") is (low <= 4 <= high)
        assert matches(f"plies not in {low}..{high}") is not (low <= 4 <= high)
        assert matches(f"round in {low}..{high}.0") is (low <= 3 <= high)
        dates = f"2026-{low + 7:02}..2026-{high + 7:02}"
        assert matches(f"date in {dates} and Date in 2026-11-20..2026-12") is (low <= 4 <= high)
        assert not matches(f"date in {dates} or round in {low}..{high}", BARE)


def test_what_is_missing_passes_no_test_but_not_equal() -> None:
    for name in ("first", "winner", "round", "date", "Annotator", "setup", "event"):
        value = "2026" if name == "date" else "x"
        assert not matches(f"{name} = {value} or {name} ~ * or {name} in ({value})", BARE)
        assert matches(f"{name} != {value} and {name} not in ({value})", BARE)
        if name in ("round", "date", "Annotator"):
            assert not matches(f"{name} < {value} or {name} >= {value}", BARE)
    unknown = parse('[Game "yavalath"] [Date "?"] *')
    assert matches('not (date < 9999 or date > 0000) and Date = "?"', unknown)


def test_setups_and_moves_are_compared_as_their_game_reads_them() -> None:
    manalath = parse('[Game "manalath"] [Setup "c4 a1"] *')
    assert matches('setup = "a1 c4" and not setup in ("a1", "c4")', manalath)
    chess = parse('[Game "chess"] 1. e4 2. O-O *')
    assert matches("contains move O-O and move 1 = e4 and not contains move o-o", chess)


def test_comments_are_words_and_not_annotations_wherever_they_stand() -> None:
    ask = compile_query("comments")
    assert not ask(RECORD)
    for text in ("{a} e5", "e5 {a}", "e5 ({a} d4)", "e5 (d4 (c3 {a}))"):
        assert ask(parse(f'[Game "yavalath"] {text} *'))
    assert compile_query("variations")(parse('[Game "yavalath"] e5 (d4) *'))


def test_a_position_is_one_that_the_main_line_comes_to() -> None:
    record = parse('[Game "yavalath"] 1. e5 (1. a1) 2. swap 3. d4 *')
    start, after = "5/6/7/8/9/8/7/6/5 w", "5/6/7/8/4b4/3w4/7/6/5 b"
    assert compile_query(f'plain position "{start}" and plain position "{after}"')(record)
    assert compile_query(f'plain position in ("5/6/7/8/9/8/7/6/w4 b", "{after}")')(record)
    assert not compile_query('plain position "5/6/7/8/9/8/7/6/w4 b"')(record)
    assert not compile_query(f'plain position "{start}"')(RECORD), "no position of mammalath"


def test_a_position_is_looked_for_only_up_to_where_it_is() -> None:
    illegal = parse('[Game "yavalath"] 1. e5 2. e5 *')
    assert compile_query('plain position "5/6/7/8/4w4/8/7/6/5 b"')(illegal)
    with pytest.raises(IllegalMoveError):
        compile_query('plain position "5/6/7/8/9/8/7/6/w4 b"')(illegal)
    with pytest.raises(UnknownGameError):
        compile_query('plain position "5/6/7/8/9/8/7/6/w4 b"')(parse('[Game "chess"] e4 *'))


def test_what_is_cheap_is_asked_first() -> None:
    illegal = parse('[Game "yavalath"] 1. e5 2. e5 *')
    for query in ("{0} and plies > 5", "not ({0} and plies > 5) or plies < 0"):
        matches(query.format('plain position "5/6/7/8/9/8/7/6/w4 b"'), illegal)


@given(TREES, records(), st.data())
def test_compiling_what_is_printed_answers_as_the_tree_does(
    tree: Tree, record: Record, chance: st.DataObject
) -> None:
    assert compile_query(printed(tree, chance))(record) is answer(tree, record)


@given(st.text(min_size=1), st.data())
def test_any_text_can_be_asked_for_in_quotes(text: str, chance: st.DataObject) -> None:
    record = Record((("Game", "yavalath"), ("First", text)))
    assert compile_query(f"first = {quoted(text, chance)}")(record)


@given(st.text("ab*?", max_size=8), st.text("ab", min_size=1, max_size=10))
def test_a_pattern_finds_what_trying_everything_finds(pattern: str, text: str) -> None:
    assert like(pattern)(text) is is_like(pattern, text)


def test_no_pattern_is_slow() -> None:
    assert not like("*a" * 40 + "*b")("a" * 4000)


MISTAKES: Final = (
    *("", "gmae = x", "game", "game = ", "game = and x", "game = x plies > 3"),
    *("game = yavalath:size=4", "game = a and event=c=d", "game == x", "game = x && plies = 3"),
    *("game = x || plies = 3", "game = x OR plies = 3", "game = x and NOT comments"),
    *("NOT (game = x)", "plies NOT in (3, 4)", "game IN (x, y)", "CONTAINS move e5", "game <> x"),
    *("plies => 3", "plies ≥ 3", "first =~ x", "game is x", "!comments", "first < a", "plies > x"),
    *("plies~", "plies not 3", "game in x", "game in (a b)", "game = and", "(game = x"),
    *("game = x)", "contains xF", "move 0 = d4", "result = draw", "date > today", "Move = x"),
    *('first = "abc', "first = 'a\\b'", "game = x AND y", "date < 2026-13", "date = 2026-00-01"),
    *("date in (2024-02-29, 2026-02-29)", "date = 2026-11-31", "plies > 3 and or"),
    *("plies in 1.5..2", "plies in 1..1234567890", "plies in 3", "date in 2026..2025-12"),
    *("date in 2026-13..2027", "date in 1..2", "round in 2..2026-01", "round in -1..-2"),
    *("game in 1..2", "position '5/5'", "position in ('5/5')", "position = '5/5'"),
    *("plain position != '5/5'", "position 5/5", "after e5", "after ' '", "reached 'e5", "plain"),
    *("pattern ww", "pattern 'w3'", "not pattern 'w['", "pattern 'wz'", "pattern 'w' on z9"),
    *("pattern '#' on c3", "pattern 'w' at c3", "pattern 'w' in any colour", "patern 'w'"),
    *("eval > x", "eval of losr > 0", "eval of ann > 0", "eval in 1..0", "eval in 1-2..3"),
    *("depth = 4 at ply 0", "depth = 4 at", "move 2 = d4 at ply 2", "comments then move 2 = d4"),
    *("move 2 = d4 then plies > 4", "move 2 = d4 then not eval = 0", "move 2 != d4 then eval = 0"),
    *("move 2 = d4 THEN eval = 0", "(eval = 0 then eval = 1) then eval = 2"),
    *("eval = 0 then within 0 plies eval = 1", "eval < 1000000000000000"),
    *("game = yavalath\nand plies > 3\n\tor first < b", "zzzzz = 3", "termination = lost"),
    *("termination in (rules, lost)", "ply > 10", "length > 10", "plies > 3 and white = Ann"),
    *("first = Lee, Ann", "first = Lee, Ann and plies > 3"),
)


def test_a_mistake_is_told_with_its_place_and_what_was_expected(golden: Golden) -> None:
    said = []
    for query in MISTAKES:
        with pytest.raises(QueryError) as caught:
            compile_query(query)
        said.append(str(caught.value))
        _, line, caret = said[-1].split("\n")
        assert line[2:].lstrip() in query
        before = query[: caught.value.at]
        assert len(caret) == len("  ^") + len(before) - before.rfind("\n") - 1
    with pytest.raises(QueryError, match="nested more than 100 deep"):
        compile_query("not " * 101 + "comments")
    golden("\n\n".join(said))


SLIPS: Final = (
    *("game = yavalat", "not Game in (chess, surikata)", "move 2 = swp"),
    *("contains move E5 and game = yavalath", "game = surikata and contains move zz"),
    *("after 'e5 swp'", "game = yavalath and move 1 = a9", "game = yavalath or move 1 = Mc3"),
    *("game in (yavalath, manalath) and move 1 = Mc3", "White = Ann", "winner = second"),
    *("plies > 3 and not Black ~ 'Bo*'", "WhiteElo > 1500 or BlackElo > 1500"),
    *("winner in (Ann, White)", "loser = second"),
)


def test_what_may_be_a_slip_is_known_though_it_is_no_mistake(golden: Golden) -> None:
    golden({query: "\n".join(doubts(query)) for query in SLIPS})
    for query in (
        *("game = yavalath and move 2 = swap and winner = anybody", "game ~ yav*"),
        *("First = Ann", "winner = Ann", "player = second", "plies > 10"),
    ):
        assert doubts(query) == []


def queries_of_the_page() -> Iterator[str]:
    for block in re.findall(r"^```query\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        yield from block.strip().splitlines()


NO_FIELD: Final = {"record", "tags", "seat", "glyph"}
"""Columns of tables that no query can test."""


def test_a_column_of_a_table_is_a_field_or_leads_to_one() -> None:
    names = {column.name for column in (*GAMES, *PLIES)} | {"ending"}
    for name in sorted(names - NO_FIELD):
        said = ""
        try:
            plan_of(f"{name} = x")
        except QueryError as error:
            said = str(error)
        if said.startswith("unknown name"):
            meant = re.search("did you mean (?:the tag )?'?([A-Za-z]+)", said)
            assert meant, said
            assert meant[1] in {*WORDS, *TAGS.values()}


@pytest.mark.parametrize(
    ("text", "meant"), [("mana", "manalath"), ("plus", "mammalath-plus"), ("Yava", "yavalath")]
)
def test_a_part_of_a_games_id_leads_to_the_game(text: str, meant: str) -> None:
    assert doubts(f"game = {text}") == [f"game {text!r} is not installed; did you mean {meant!r}?"]
    assert "did you mean" not in doubts("game = chess")[0]


def test_every_query_of_the_page_is_one() -> None:
    queries = list(queries_of_the_page())
    assert len(queries) > 10
    for query in queries:
        compile_query(query)


def test_the_page_lists_the_words_of_every_operator_and_no_others() -> None:
    table = PAGE.partition("| test | is about |\n")[2].partition("\n\n")[0]
    cells = [row.split(" | ")[0] for row in table.splitlines()[1:]]
    words = {text.split()[0] for cell in cells for text in re.findall("`([^`]+)`", cell)}
    assert words - {"contains", "Annotator", "tag.mood", "…"} == set(WORDS) - {"plain"}


def test_a_position_of_a_game_with_parameters_is_found() -> None:
    query = "plain position '4/5/6/7/6/5/w3 b'"
    assert matches(query, parse('[Game "yavalath:size=4,win=5"]\n\na1 b1 *'))
    assert not matches(query, parse('[Game "yavalath:size=4"]\n\nb1 a1 *'))
    assert not matches(query, parse('[Game "yavalath"]\n\na1 b1 *'))


def test_a_tag_in_wrong_case_is_told_of_the_right_one() -> None:
    for tag in TAGS.values():
        compile_query(f"{tag} = x")
        compile_query(f"tag.{tag.lower()} = x")
        for wrong in {tag.lower(), tag.upper(), tag.capitalize()} - {tag}:
            for text in (f"{wrong} = x", f"plies > 3 and not {wrong} in (6, 7)"):
                with pytest.raises(QueryError) as error:
                    compile_query(text)
                assert tag in str(error.value).partition("\n")[0]
            assert key(wrong).name == tag


TEXTS: Final = "'5/6/7/8/9/8/7/6/4w b', '5/6/7/8/4w4/8/7/6/5 b'"
every_game = pytest.mark.parametrize("game", games.installed(), ids=lambda game: game.id)


def record_of(game: Game, setup: str | None, moves: list[Move]) -> Record:
    tags = (("Game", game.id), *((("Setup", setup),) if setup else ()))
    return Record(tags, tuple(map(Ply, moves)))


def line(start: Position, moves: list[Move]) -> list[Position]:
    found = [start]
    for move in moves:
        found.append(found[-1].play(move))
    return found


def answers(query: str, record: Record) -> tuple[bool, bool]:
    return compile_query(query)(record), compile_query(f"plain {query}")(record)


@every_game
def test_a_position_is_found_where_a_position_of_the_line_has_its_least_image(game: Game) -> None:
    chance, found = Random(game.id), set()
    setup = game.draw_setup(1)
    lines = [playout(game.start(setup), chance)[: chance.randrange(1, 9)] for _ in range(8)]
    played = [line(game.start(setup), moves) for moves in lines]
    has_images = False
    for number, positions in enumerate(played):
        sought = chance.choice(positions)
        images = {way.position(sought).text() for way in symmetries(sought)} - {sought.text()}
        if number % 2 and images:
            sought = game.position(chance.choice(sorted(images)))
            has_images = True
        for moves, others in zip(lines, played, strict=True):
            asked = answers(f'position "{sought.text()}"', record_of(game, setup, moves))
            assert asked == (least(sought) in map(least, others), sought in others)
            found.add(asked)
    assert (True, True) in found
    assert ((True, False) in found) is has_images


@every_game
def test_first_moves_are_after_each_other_as_their_least_lines_are_one(game: Game) -> None:
    for setup in (None, game.draw_setup(2)):
        start = game.start(setup)
        moves = start.legal_moves()
        chosen = Random(game.id).sample(moves, min(12, len(moves)))
        for wanted in chosen:
            ask, ask_plainly = (
                compile_query(f'{plain} after "{wanted}"') for plain in ("", "plain")
            )
            same = least_line(start, [wanted])
            for move in moves:
                record = record_of(game, setup, [move])
                assert ask(record) is (least_line(start, [move]) == same)
                assert ask_plainly(record) is (move == wanted)


@every_game
def test_lines_are_after_and_have_reached_what_their_least_images_say(game: Game) -> None:
    chance, found = Random(game.id), set()
    for number in range(24):
        setup = game.draw_setup(number) if number % 2 else None
        start = game.start(setup)
        moves = playout(start, chance)[:6]
        wanted = moves[:3]
        if chance.randrange(2):
            wanted = [*reversed(wanted)]
        ways = [way for way in symmetries(start) if way.position(start) == start]
        if ways:
            wanted = list(map(chance.choice(ways).move, wanted))
        record, text = record_of(game, setup, moves), " ".join(wanted)
        same = least_line(start, moves[: len(wanted)]) == least_line(start, wanted)
        after = answers(f'after "{text}"', record)
        assert after == (same, moves[: len(wanted)] == wanted)
        positions, end = line(start, moves), follow(start, wanted)
        reached = answers(f'reached "{text}"', record)
        if end is None:
            assert reached == (False, False)
        else:
            assert reached == (least(end) in map(least, positions), end in positions)
        found.add((after[0], reached[0]))
    assert (True, True) in found
    assert (False, False) in found or (False, True) in found


YAVALATH: Final = (
    # after asks for the first moves, reached for any way
    ('after "a1 e5"', "a1 e5 c3", True, True),
    ('after "i5 e5"', "a1 e5 c3", True, False),
    ('after "c3 e5 a1"', "a1 e5 c3", False, False),
    ('reached "c3 e5 a1"', "a1 e5 c3 d4", True, True),
    ('after "a1 e5 c3"', "a1 e5", False, False),
    # a swap is a move of an opening
    ('after "e5 swap d4"', "e5 swap d4 a1", True, True),
    ('after "e5 swap d4"', "e5 swap f5 a1", True, False),
    ('reached "e5 swap d4"', "e5 d4 c3", False, False),
    # moves lead from the start of the game wherever a record begins
    ('after "a1 e5"', '[Position "5/6/7/8/9/8/7/6/5 w"] a1 e5', True, True),
    ('after "e5"', '[Position "5/6/7/8/9/8/7/6/w4 b"] e5', False, False),
    ('reached "i5 e5"', '[Position "5/6/7/8/9/8/7/6/w4 b"] e5', True, False),
    # moves that cannot be played lead nowhere, and after plays nothing
    ('after "e5 e5"', "e5 e5", True, True),
    ('reached "e5 e5"', "e5 e5", False, False),
    ('reached "zz"', "e5 e5", False, False),
    # one of several positions is enough
    (f"position in ({TEXTS})", "a1", True, False),
    (f"position in ({TEXTS})", "e5", True, True),
    (f"position in ({TEXTS})", "b1", False, False),
)
OTHER_GAMES: Final = (
    ('after "c3 xb2-b4"', '[Game "mammalath"] c3 xb4-b2', True, True),
    ('reached "c3 xb2-b4"', '[Game "mammalath"] c3 xb4-b2', True, True),
    ('after "e4 e5"', '[Game "chess"] e4 e5', True, True),
    ('after "e5"', '[Game "chess"] e4 e5', False, False),
)


def test_openings_and_positions_are_found_turned_and_plain() -> None:
    rows = [(query, f'[Game "yavalath"] {moves}', *found) for query, moves, *found in YAVALATH]
    for query, text, is_found, is_plainly in (*rows, *OTHER_GAMES):
        asked = answers(str(query), parse(f"{text} *"))
        assert asked == (is_found, is_plainly), (query, text)
