"""What a process makes of texts of records: rows that say what the records say, and refusals."""

from __future__ import annotations

import io
from operator import itemgetter

from lath import notation
from lath.notation.database.columns import OF_GAMES, ColumnBundle, columns_of
from lath.notation.database.keys import NO_MOVE, _keys_of
from lath.notation.tables.tables import NOTED
from lath.notation.text.splitting import chunks, texts_of

BARE = '[Game "yavalath"]\n[Date "2026-11-20"]\n[First "ann"]\n[Mood "grim"]\n\n'
TEXTS = (
    f"{BARE}1. e5 2. swap 3. d4 *",
    '[Game "mammalath"]\n[First "ann"]\n\nc3 {why} xb4-b2! {[%eval 0.5] [%emt 1.5]} xA *',
    '[Game "surikata"]\n\n1. Ma1 2. Ma2 3. Ma3 4. Ma4 5. Ma5 6. c3 *',
    f"{BARE}1. a1 2. e1 3. b1 4. e2 5. c1 0-1",
    '[Game "mammalath"]\n[Setup "FABCDE/EFABCD/DEFABC/CDEFAB/BCDEFA/ABCDEF"]\n\n1. c3 2. xF *',
)
BAD = '[Game "yavalath"]\n\n1. e5 2. e5 *'


def bundle(*texts: str) -> ColumnBundle:
    """Return the bundle of a file of these records."""
    (chunk,) = chunks(io.BytesIO("\n\n".join(texts).encode()))
    return columns_of(texts_of(chunk), "some.lath", 1)


def test_rows_say_what_the_records_say() -> None:
    found = bundle(*TEXTS)
    records = [notation.canonical(notation.parse(text)) for text in TEXTS]
    assert (found.read, found.refused) == (len(TEXTS), [])
    table = notation.games_table(records)
    columns = found.games.to_pydict()
    for column in OF_GAMES:
        assert columns[column] == table[column], column
    assert columns["ending"] == [None, None, None, "three in line", None]
    plies = notation.plies_table(records)
    noted = [of for of in found.of_games if of.notes is not None]
    assert [of.game for of in noted] == ["mammalath"]
    notes = noted[0].notes.to_pydict()
    of_it = [place for place, game in enumerate(plies["game"]) if game == "mammalath"]
    assert notes == {name: [plies[name][place] for place in of_it] for name in NOTED}


def test_what_is_noted_in_our_own_words_is_read_as_in_any_others() -> None:
    """Annotations that columns hold are read at once: they come to what reading each comes to."""
    said = (
        "1. c3 {[%emt 1.500] [%eval -0.25]} 2. xb2-b4!? {[%depth 3] [%nodes 70]} 3. xA",
        "1. c3 {[%eval 0.5] [%eval 0.1]} 2. xb4-b2! 3. xA? *",
        "1. c3\n{[%eval 1.]\n[%emt 12.000]} 2. xb4-b2 {[%nodes 999999999999999999]} 3. xA",
        "1. c3 {[%emt 1.5]} 2. xb4-b2 {[%pv xA 3. e4] so} 3. xA {1. well}",
        "1. c3 {[%eval 0.5]} {[%emt 1.000]} 2. xb4-b2 3. xA",
        "1. c3 {[%eval 0.5] [%emt 1.000]} 2. xb4-b2 {[%emt 1.000]} 3. xA {[%emt 2.000] [%eval 0]}",
        "1. c3! 2. xb4-b2 3. xA?!",
        "c3 {[%emt 01.500]} xb4-b2 ; so\n xA",
        "{[%eval 0.5]} 1. c3 2. xb4-b2 3. xA",
    )
    texts = [f'[Game "mammalath"]\n\n{each.removesuffix(" *")} *' for each in said]
    records = [notation.canonical(notation.parse(text)) for text in texts]
    found = bundle(*texts)
    assert found.games["movetext"].to_pylist() == notation.games_table(records)["movetext"]
    plies = notation.plies_table(records)
    (of,) = found.of_games
    assert of.notes.to_pydict() == {name: plies[name] for name in NOTED}


def test_what_is_not_valid_is_refused_and_the_rest_is_taken() -> None:
    found = bundle(TEXTS[0], BAD, TEXTS[2], "[Game")
    assert found.read == 4
    assert found.games.num_rows == 2
    places = map(itemgetter(0, 1, 2, 3), found.refused)
    assert list(places) == [("some.lath", 2, 10, "illegal-move"), ("some.lath", 4, 16, "syntax")]
    assert "e5 already has a stone" in found.refused[0].reason


def test_a_game_without_moves_is_taken() -> None:
    """Also the first of its game: nothing is known of moves then."""
    _keys_of.cache_clear()
    found = bundle('[Game "yavalath:size=4"]\n\n*')
    (of,) = found.of_games
    assert (found.games.num_rows, of.images.tolist(), len(of.plies)) == (1, [NO_MOVE], 0)


def test_records_are_the_same_whose_tags_and_moves_are() -> None:
    spelled = TEXTS[1].replace("xb4-b2", "xb2-b4").replace("{why} ", "")
    other = TEXTS[0].replace("grim", "gay")
    found = bundle(TEXTS[1], spelled, TEXTS[0], other).games.select(["high", "low"])
    one, same, zero, different = (tuple(row.values()) for row in found.to_pylist())
    assert one == same
    assert len({one, zero, different}) == 3
