"""AbstractPlay's game records: what becomes of each field, there and back; files of many records.

The samples are written by hand to the letter of the schema, of which SCHEMA has what is checked.
"""

from __future__ import annotations

import io
import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from drawn import pieces
from hypothesis import given
from hypothesis import strategies as st
from places import SAMPLES
from record_strategies import RECORDS
from sample_records import random_game, with_tags
from walks import play_all, playout

from lath import games
from lath.notation import Entry, Ply, Record, bounds, check, format_record, parse, positions
from lath.notation.formats import WHOLE, abstractplay, json_text
from lath.notation.formats.abstractplay import from_json, to_json

ONE_EACH: Final = sorted(SAMPLES.glob("abstractplay-*.json"))

TEXT: Final = {"type": "string"}
TIME: Final = {
    "type": "string",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$",
}
SCHEMA: Final = {
    "type": "object",
    "additionalProperties": False,
    "required": ["header", "moves"],
    "properties": {
        "header": {
            "type": "object",
            "additionalProperties": True,
            "required": ["game", "site", "date-start", "date-end", "date-generated", "players"],
            "properties": {
                "game": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["name"],
                    "properties": {
                        "name": TEXT,
                        "variants": {"type": "array", "uniqueItems": True, "items": TEXT},
                    },
                },
                "event": TEXT,
                "round": TEXT,
                "site": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["name"],
                    "properties": {"name": TEXT, "gameid": {"type": ["string", "number"]}},
                },
                "date-start": TIME,
                "date-end": TIME,
                "date-generated": TIME,
                "unrated": {"type": "boolean"},
                "pied": {"type": "boolean"},
                "players": {
                    "type": "array",
                    "minItems": 1,
                    "uniqueItems": True,
                    "items": {
                        "type": "object",
                        "additionalProperties": True,
                        "required": ["name", "result"],
                        "properties": {
                            "name": TEXT,
                            "userid": TEXT,
                            "score": {"type": "number"},
                            "is_ai": {"type": "boolean"},
                            "result": {"type": "integer"},
                        },
                    },
                },
                "startingPosition": TEXT,
            },
        },
        "moves": {
            "type": "array",
            "items": {
                "type": "array",
                "items": {
                    "oneOf": [
                        {"type": "null"},
                        TEXT,
                        {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["move"],
                            "properties": {
                                "sequence": {"type": "integer"},
                                "move": TEXT,
                                "result": {
                                    "anyOf": [
                                        TEXT,
                                        {"type": "array", "items": {"type": "object"}},
                                    ]
                                },
                            },
                        },
                    ]
                },
            },
        },
    },
}
"""AbstractPlay/recranks, src/schemas/gamerecord.json, at 554e265."""


def entries(content: bytes) -> list[Entry]:
    return list(abstractplay.read(io.BytesIO(content), "f.json"))


def records_in(content: bytes) -> list[Record]:
    """Return the records of a file in which nothing is wrong."""
    found = entries(content)
    assert [problem for entry in found for problem in entry.problems] == []
    return [entry.record for entry in found if entry.record]


def sample(name: str) -> list[Record]:
    return records_in((SAMPLES / f"abstractplay-{name}.json").read_bytes())


def written(records: Iterable[Record]) -> tuple[bytes, list[tuple[int, str]]]:
    """Return the file and what was told of as lost."""
    lost: list[tuple[int, str]] = []
    content = b"".join(abstractplay.write(records, lambda *what: lost.append(what)))
    return content, lost


def lost_of(record: Record) -> list[str]:
    return [field for _, field in written([record])[1]]


def bare(*rounds: Sequence[Any], game: str = "Yavalath", **fields: Any) -> dict[str, Any]:
    """Return the least that AbstractPlay tells of a game that the first player won."""
    players = [{"name": "ann", "result": 1}, {"name": "ben", "result": 0}]
    header = {"game": {"name": game}, "site": {"name": "here"}, "players": players, **fields}
    return {"header": header, "moves": list(rounds)}


def the_file(*told: dict[str, Any]) -> bytes:
    return json.dumps(told).encode()


def on_the_empty_board(game_id: str, seed: int, **tags: str) -> Record:
    """Return a random game without blockers."""
    start = games.get(game_id).start()
    moves = playout(start, random.Random(seed))
    outcome = play_all(start, moves).outcome()
    assert outcome is not None
    tags = {"Game": game_id, "Event": "Sample", "First": "ann", "Second": "bob", **tags}
    tags |= {"Termination": "rules", "Result": outcome.result}
    return Record(tuple(tags.items()), tuple(Ply(move) for move in moves), outcome.result)


# Reading


def test_the_pie_is_a_swap_as_the_second_ply_and_the_names_change_places() -> None:
    assert [format_record(record) for record in sample("pie")] == [
        """\
[Game "yavalath"]
[Site "Abstract Play"]
[Date "2026-11-20"]
[StartTime "2026-11-20T10:15:30.125Z"]
[EndTime "2026-11-21T08:00:00.000Z"]
[GeneratedTime "2026-11-22T03:04:05.678Z"]
[First "ann"]
[Second "ben"]
[GameId "yavalath#00000000-0000-4000-8000-000000000001"]
[FirstUserId "00000000-0000-4000-8000-0000000000a0"]
[SecondUserId "00000000-0000-4000-8000-0000000000b0"]
[Termination "rules"]
[Result "0-1"]

1. e5 2. swap 3. d4 4. e6 5. b2 6. e8 7. g2 8. e7 0-1
"""
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("resignation", [("manalath-61", "Oe5 Pd4 Pa1", "resignation", "1-0")]),
        ("draw", [("yavalath", "e5 d4", "agreement", "1/2-1/2")]),
        (
            "timeout",
            [
                ("manalath-61", "Oe5", "time", "1-0"),
                ("manalath-61", "Oe5 Pi1", "unterminated", "*"),
            ],
        ),
    ],
)
def test_the_last_word_of_the_moves_is_the_termination(
    name: str, expected: list[tuple[str, str, str, str]]
) -> None:
    assert [
        (record.game, " ".join(record.moves), record.termination, record.result)
        for record in sample(name)
    ] == expected


def test_the_lowest_row_is_a_and_w_is_orange() -> None:
    rounds = [["a1w", "a5b"], ["e1w", "e9b"], ["i1w", "i5b"], ["resign"]]
    *_, end = positions(from_json(bare(*rounds, game="Manalath")))
    assert end.text() == pieces(
        """
            o . . . p
           . . . . . .
          . . . . . . .
         . . . . . . . .
        o . . . . . . . p
         . . . . . . . .
          . . . . . . .
           . . . . . .
            o . . . p
        """,
        "o",
    )


@pytest.mark.parametrize("path", ONE_EACH, ids=lambda path: path.stem)
def test_the_samples_are_sound(path: Path) -> None:
    assert [check(record) for record in records_in(path.read_bytes())] in ([[]], [[], []])


def test_a_text_that_a_move_resulted_in_is_its_comment() -> None:
    threat = {"move": "d4", "result": "a  threat [%emt 2]"}
    record = from_json(bare(["e5", threat], ["resign"]))
    assert [ply.comments for ply in record.plies] == [
        (),
        (parse('[Game "x"] {a threat [%emt 2.000]} *').comments[0],),
    ]


def test_sequence_numbers_say_the_order_in_a_round() -> None:
    first, second = {"move": "e5", "sequence": 2}, {"move": "d4", "sequence": 1}
    assert from_json(bare([first, second])).moves == ("d4", "e5")
    assert from_json(bare([first, "d4"])).moves == ("e5", "d4")


def test_capitals_and_blanks_in_a_move_mean_nothing() -> None:
    assert from_json(bare(["E5 W", "a1b"], game="Manalath")).moves == ("Oe5", "Pa1")


def test_pass_is_no_ply() -> None:
    assert from_json(bare(["e5w", "pass"], ["pass"], game="Manalath")).moves == ("Oe5",)


def test_a_starting_position_that_is_one_of_ours_is_where_the_moves_begin() -> None:
    position = "5/6/7/8/4w4/8/7/6/5 b"
    record = from_json(bare([None, "d4"], startingPosition=position))
    assert record.tag("Position") == position
    assert from_json(bare(["d4"], startingPosition="x")).tag("StartingPosition") == "x"


# There and back


@pytest.mark.parametrize("path", ONE_EACH, ids=lambda path: path.stem)
def test_every_field_comes_back(path: Path) -> None:
    told = json.loads(path.read_bytes())
    content, lost = written(records_in(path.read_bytes()))
    assert json.loads(content) == (told if isinstance(told, list) else [told])
    assert lost == []


def test_every_field_comes_back_through_our_own_text() -> None:
    (record,) = sample("every-field")
    told = json.loads((SAMPLES / "abstractplay-every-field.json").read_bytes())
    again = parse(format_record(record))
    assert again == record
    assert to_json(again) == (told, [])


def test_a_field_has_a_readable_tag_if_a_tag_can_hold_it() -> None:
    (record,) = sample("every-field")
    assert format_record(record) == (
        r"""[Game "yavalath"]
[Event "Club evening in two lines"]
[Round "7"]
[Site "The Crown"]
[Date "2026-11-20"]
[StartTime "2026-11-20T19:30:00+01:00"]
[EndTime "2026-11-20T20:00:00+01:00"]
[First "ann"]
[Second "ben�"]
[StartingPosition "as usual"]
[GameId "20261120"]
[Variants "[\"a variant\", \"\\\"another\\\"\"]"]
[Unrated "false"]
[Pie "pied, pie-invoked"]
[FirstUserId "{}"]
[FirstIsAi "true"]
[FirstScore "-2"]
[FirstResult "3"]
[SecondUserId "1"]
[SecondIsAi "false"]
[SecondScore "1.5"]
[SecondResult "100"]
[HeaderExtra "{\"game\": {\"name\": \"yavalath\", """
        r"""\"variants\": [\"a variant\", \"\\\"another\\\"\"]}, """
        r"""\"event\": \"Club evening\\nin two lines\", \"turn-model\": \"sequential\", """
        r"""\"outcome\": {\"reasons\": [null, true, 100.0]}}"]
[SecondExtra "{\"name\": \"ben\\ud83c\", \"rating\": {\"elo\": 1500}}"]
[AbstractPlayMoves "[[null, {\"sequence\": 1, \"move\": \"e5\", """
        r"""\"result\": \"a quiet  beginning\"}], """
        r"""[{\"sequence\": 2, \"move\": \"E6\", \"result\": \"said twice\"}, """
        r"""{\"sequence\": 1, \"move\": \"d4\", """
        r"""\"result\": [{\"type\": \"place\", \"where\": \"d4\"}]}], """
        r"""[{\"move\": \"b2\"}, {\"sequence\": 7, \"move\": \"resign\"}]]"]
[Termination "resignation"]
[Result "0-1"]

1. e5 {a quiet beginning} 2. swap 3. d4 4. e6 {said twice} 5. b2 0-1
"""
    )


JSON_VALUES: Final = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(-1e9, 1e9), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)  # fmt: skip

OPEN_TEXTS: Final = st.one_of(
    st.text(st.characters(), max_size=20),
    st.sampled_from(["", "?", "1", "null", '"', "{}", "a\r\nb", "\ud83c", "2026-11-20"]),
)
"""What may stand in a field: also what JSON, a tag or UTF-8 has trouble with."""

NUMBERS: Final = st.one_of(st.integers(-5, 5), st.floats(-5, 5))

PLAYERS: Final = st.fixed_dictionaries(
    {"name": OPEN_TEXTS, "result": NUMBERS},
    optional={
        "userid": st.one_of(OPEN_TEXTS, st.integers()),
        "score": st.one_of(NUMBERS, st.booleans()),
        "is_ai": st.one_of(st.booleans(), st.integers(0, 1)),
        "rating": JSON_VALUES,
    },
)

TIMES: Final = st.one_of(
    st.datetimes().map(lambda when: f"{when.isoformat()}Z"),
    st.dates().map(lambda day: f"{day.isoformat()}T00:00:00.000Z"),
    st.sampled_from(["0001-01-01T00:00:00.000Z", "2026-11-20T00:00:00.000Z"]),
    OPEN_TEXTS,
)

HEADERS: Final = st.fixed_dictionaries(
    {
        "game": st.fixed_dictionaries(
            {"name": st.sampled_from(["Manalath", "Yavalath", "YAVALATH"])},
            optional={"variants": st.lists(OPEN_TEXTS, max_size=2)},
        ),
        "site": st.one_of(
            st.fixed_dictionaries(
                {"name": OPEN_TEXTS}, optional={"gameid": st.one_of(OPEN_TEXTS, NUMBERS)}
            ),
            JSON_VALUES,
        ),
        "date-start": TIMES,
        "date-end": TIMES,
        "date-generated": TIMES,
        "players": st.tuples(PLAYERS, PLAYERS).map(list),
    },
    optional={
        "event": OPEN_TEXTS,
        "round": st.one_of(OPEN_TEXTS, st.integers()),
        "unrated": JSON_VALUES,
        "pied": st.sampled_from([False, 0, 1, None, "true"]),
        "startingPosition": st.one_of(OPEN_TEXTS, st.just("5/6/7/8/9/8/7/6/5 w")),
        "turn-model": JSON_VALUES,
    },
)


@st.composite
def told_games(draw: st.DrawFn) -> dict[str, Any]:
    """Return a record whose moves are read, legal or not, with anything in its other fields."""
    header: dict[str, Any] = draw(HEADERS)
    words = ["e5", "a1", "i5", "E5"]
    if header["game"]["name"] == "Manalath":
        words = ["e5w", "a1b", "i5w", "E 5B"]
    elif draw(st.booleans()):
        header[draw(st.sampled_from(["pied", "pie-invoked"]))] = True
    told = st.one_of(OPEN_TEXTS, st.lists(st.dictionaries(st.text(max_size=3), JSON_VALUES)))
    slots = st.one_of(
        st.sampled_from(words),
        st.none(),
        st.fixed_dictionaries(
            {"move": st.sampled_from(words)},
            optional={"sequence": st.integers(1, 3), "result": told},
        ),
    )
    rounds = draw(st.lists(st.lists(slots, max_size=3), max_size=4))
    endings = st.sampled_from(["", "resign", "timeout", "draw", "abandoned"])
    if ending := draw(endings):
        rounds.append([ending])
    return {"header": header, "moves": [[words[0]], *rounds]}


@given(told_games())
def test_whatever_abstractplay_tells_comes_back(told: dict[str, Any]) -> None:
    record = from_json(told)
    assert parse(format_record(record)) == record
    content, lost = written([record])
    assert json.loads(content) == [told]
    assert lost == []


EDITED: Final = st.one_of(
    OPEN_TEXTS.map(lambda text: " ".join(text.encode("utf-8", "replace").decode().splitlines())),
    HEADERS.map(json.dumps),
    PLAYERS.map(json.dumps),
    st.dictionaries(st.sampled_from(["name", "result", "pied", "header"]), JSON_VALUES).map(
        json.dumps
    ),
    st.sampled_from(["2026-11-21", "5/6/7/8/9/8/7/6/5 w", "1e2", "true", '["a",  "b"]', "NaN"]),
)

TAGS: Final = (
    *("Event", "Round", "Site", "Date", "First", "Second", "Position", "StartTime", "EndTime"),
    *("StartingPosition", "GameId", "Variants", "Unrated", "Pie", "FirstUserId", "SecondIsAi"),
    *("FirstScore", "FirstResult", "RecordExtra", "HeaderExtra", "FirstExtra", "SecondExtra"),
    *("AbstractPlayMoves", "Mood"),
)


@given(told_games(), st.dictionaries(st.sampled_from(TAGS), st.none() | EDITED, max_size=3))
def test_an_edited_tag_is_what_comes_back_or_is_told_of(
    told: dict[str, Any], edits: dict[str, str | None]
) -> None:
    tags = dict(from_json(told).tags) | edits
    kept = tuple((name, value) for name, value in tags.items() if value is not None)
    edited = Record(kept, from_json(told).plies, tags["Result"] or "")
    content, lost = written([edited])
    (again,) = records_in(content)
    assert (again.moves, again.result) == (edited.moves, edited.result)
    named = " ".join(field for _, field in lost)
    for name, value in kept:
        if again.tag(name) != value and name not in abstractplay.EXTRAS and value != "?":
            assert f"tag {name}" in named, (name, value, again.tag(name))


def test_an_edited_tag_goes_before_what_was_kept_of_its_field_which_is_said() -> None:
    fields = {"event": "two\nlines", "turn-model": "odd"}
    players = [{"name": "ann\ud83c", "result": 1, "elo": 7}, {"name": "ben", "result": 0}]
    record = from_json(bare(["e5"], ["resign"], **fields, players=players))
    assert lost_of(record) == []
    edited = with_tags(record, Event="Autumn", First="zoe")
    told, unheld = to_json(edited)
    assert (told["header"]["event"], told["header"]["turn-model"]) == ("Autumn", "odd")
    assert told["header"]["players"][0] == {"name": "zoe", "result": 1, "elo": 7}
    assert unheld == [
        "event of the tag HeaderExtra, which other tags overrule",
        "name of the tag FirstExtra, which other tags overrule",
    ]


def test_what_was_kept_never_turns_a_result() -> None:
    record = parse(
        '[Game "yavalath"] [FirstExtra "{\\"result\\": 0, \\"elo\\": 7}"]'
        '[SecondExtra "{\\"result\\": 1}"] [Termination "resignation"] 1. e5 1-0'
    )
    told, _ = to_json(record)
    assert [player["result"] for player in told["header"]["players"]] == [1, 0]
    assert told["header"]["players"][0]["elo"] == 7
    assert from_json(told).result == "1-0"


def test_of_a_field_of_fields_all_but_the_edited_one_is_put_back() -> None:
    site = {"name": "The\nCrown", "gameid": 7, "street": "Mill Lane"}
    edited = with_tags(from_json(bare(["e5"], ["resign"], site=site)), Site="The Anchor")
    told, unheld = to_json(edited)
    assert told["header"]["site"] == {**site, "name": "The Anchor"}
    assert unheld == ["name of site of the tag HeaderExtra, which other tags overrule"]


@pytest.mark.parametrize(
    ("tag", "extra"),
    [
        ("HeaderExtra", "[" * 99 + "]" * 99),
        ("RecordExtra", json.dumps([{"header": 1}, "x" * 9000])),
    ],
)
def test_what_could_not_be_read_is_not_written(tag: str, extra: str) -> None:
    record = parse('[Game "yavalath"] [Termination "resignation"] 1. e5 1-0')
    content, lost = written([with_tags(record, **{tag: f'{{"x": {extra}}}'})])
    assert [again.moves for again in records_in(content)] == [("e5",)]
    assert lost == [(1, f"tag {tag}")]


# Rules that are not the same


OLD_FIVE: Final = ["a1w", "i1b", "a2w", "i3b", "a4w", "i5b", "a5w", "h1b", "g1w", "h3b", "g2w",
                   "h5b", "g3w", "a3w", "g4w"]  # fmt: skip
"""Second joins two pairs of first's to a five, who then makes a four."""


def old_five(first: int) -> dict[str, Any]:
    """Return the game, of which first has so many points."""
    rounds = [OLD_FIVE[at : at + 2] for at in range(0, len(OLD_FIVE), 2)]
    players = [{"name": "ann", "result": first}, {"name": "ben", "result": 1 - first}]
    return bare(*rounds, game="Manalath", players=players)


def test_a_new_four_beside_an_old_five_wins_there_and_loses_here() -> None:
    record = from_json(old_five(1))
    assert (record.result, check(record)) == ("0-1", [])
    ends = "a new group of four beside an older one of five"
    ends += ": 1-0 by AbstractPlay's rules, 0-1 by ours"
    assert abstractplay.note_of(record, "lath") == f"{ends}; 0-1 is written"
    assert abstractplay.note_of(record, "abstractplay") == f"{ends}; 1-0 is written"
    told, unheld = to_json(record)
    assert [player["result"] for player in told["header"]["players"]] == [1, 0]
    assert unheld == []
    assert from_json(told) == record


def test_a_file_that_has_our_result_of_such_a_game_keeps_it() -> None:
    told = old_five(0)
    record = from_json(told)
    assert (record.result, record.tag("FirstResult")) == ("0-1", "0")
    content, lost = written([record])
    assert (json.loads(content)[0]["header"]["players"], lost) == (told["header"]["players"], [])


@pytest.mark.parametrize("moves", [OLD_FIVE[:-1], ["e5w", "a1b"], []])
def test_other_games_of_manalath_end_the_same(moves: list[str]) -> None:
    record = from_json(bare(moves, ["resign"], game="Manalath"))
    assert abstractplay.note_of(record, "lath") == ""
    assert abstractplay.note_of(on_the_empty_board("manalath-61", 3), "lath") == ""


@pytest.mark.parametrize(
    "text", ["true", "[]", "{}", "null", "7", "1.50", "1e3", '"7"', '"a"', '"\\"7\\""', "a", ""]
)
def test_the_tag_of_a_games_id_comes_back(text: str) -> None:
    record = on_the_empty_board("yavalath", 1, GameId=text)
    content, lost = written([record])
    assert lost == []
    assert [again.tag("GameId") for again in records_in(content)] == [text]
    assert not any("Extra" in name for again in records_in(content) for name, _ in again.tags)


every_kind = pytest.mark.parametrize("game_id", ["manalath-61", "yavalath"])


@every_kind
@pytest.mark.parametrize("games", [30])
def test_random_games_come_back_from_abstractplay(game_id: str, games: int) -> None:
    played = [on_the_empty_board(game_id, seed) for seed in range(games)]
    content, lost = written(played)
    assert lost == []
    assert records_in(content) == played


@every_kind
def test_what_is_written_is_valid_by_the_schema(game_id: str) -> None:
    content, _ = written(on_the_empty_board(game_id, seed, Date="2026-11-20") for seed in range(9))
    samples = [record for path in ONE_EACH for record in records_in(path.read_bytes())]
    more, _ = written(samples)
    for told in [*json.loads(content), *json.loads(more)]:
        told["header"].pop("pie-invoked", None)
        jsonschema.validate(told, SCHEMA, cls=jsonschema.Draft7Validator)


def test_a_record_stands_on_a_line() -> None:
    content, _ = written([*sample("pie"), *sample("draw")])
    lines = content.decode().splitlines()
    assert lines[0] == "["
    assert [json.loads(line.rstrip(","))["header"]["game"]["name"] for line in lines[1:-1]] == [
        "Yavalath",
        "Yavalath",
    ]
    assert lines[-1] == "]"


def test_a_file_without_records_is_an_empty_array() -> None:
    assert written([]) == (b"[]\n", [])
    assert entries(b"[]\n") == entries(b"") == entries(b" \n") == []


def test_a_setup_with_blockers_is_the_starting_position() -> None:
    record = parse('[Game "manalath-61"] [Setup "e5 a1"] 1. Oe4 *')
    told, unheld = to_json(with_tags(record, Termination="unterminated", Result="*"))
    assert told["header"]["startingPosition"] == "5/6/7/8/4g4/8/7/6/g4 o"
    assert unheld == []
    assert from_json(told).tag("Position") == "5/6/7/8/4g4/8/7/6/g4 o"


STUCK: Final = {
    "neither": (
        "Oa1",
        [["a1w", "pass"], ["pass"]],
        """
            p p p . o
           o . o o p o
          o p p o p o p
         p . o . p . p o
        o o p o o . o . o
         p o p . p o p o
          p . o p p . p
           o p o . o p
            . p p o o
        """,
    ),
    "a group of four": (
        "Oc3",
        [["c3w", "pass"]],
        """
            o p p p o
           o . o o . o
          p p . o . p p
         o . o p p o . o
        p p p o p o o p o
         o o . o . p p o
          p p . p o o .
           p . p . p p
            o p o o o
        """,
    ),
}


@pytest.mark.parametrize(("move", "rounds", "drawing"), STUCK.values(), ids=STUCK)
def test_who_has_no_move_in_manalath_passes(
    move: str, rounds: list[list[str]], drawing: str
) -> None:
    text = pieces(drawing, "p")
    unfinished = parse(f'[Game "manalath-61"] [Position "{text}"] 1. {move} *')
    *_, end = positions(unfinished)
    outcome = end.outcome()
    assert outcome is not None
    record = with_tags(unfinished, Termination="rules", Result=outcome.result)
    told, unheld = to_json(record)
    flat = [slot for each in rounds for slot in each]
    assert [slot for each in told["moves"] for slot in each] == [None, *flat]
    assert unheld == []
    assert from_json(told).plies == record.plies


# What AbstractPlay cannot hold


def test_a_record_of_another_game_is_told_of_and_left_out() -> None:
    played = [random_game(game_id, 1) for game_id in ("mammalath", "yavalath", "manalath")]
    content, lost = written(played)
    assert [record.moves for record in records_in(content)] == [played[1].moves]
    assert lost == [(1, "game mammalath"), (1, WHOLE), (3, "game manalath"), (3, WHOLE)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[Annotator "ann"] 1. e5 2. d4', ["tag Annotator"]),
        ('[Seed "3"] [TimeControl "10+1"] 1. e5', ["tag Seed", "tag TimeControl"]),
        ("1. e5! 2. d4", ["glyphs"]),
        ("1. e5 2. d4 (2. d5 {no})", ["variations"]),
        ("{before} 1. e5", ["comments"]),
        ("1. e5 {one} {two}", ["comments"]),
        ("1. e5 {[%emt 1.000] one}", []),
        ("1. e5 2. swap {thanks}", ["comments"]),
        ('[Setup "x"] 1. e5', ["tag Setup"]),
        ('[Date "?"] [Site "?"] 1. e5', []),
        ('[Date "soon"] 1. e5', ["tag Date"]),
        ('[Date "2026-11-20"] [StartTime "2026-11-21T00:00:00.000Z"] 1. e5', ["tag StartTime"]),
        ('[FirstScore "x"] [Unrated "1"] 1. e5', ["tag FirstScore", "tag Unrated"]),
        (
            '[Date "2026"] [StartTime "2026-11-20T00:00:00.000Z"] 1. e5',
            ["tag Date", "tag StartTime"],
        ),
        ('[StartingPosition "5/6/7/8/9/8/7/6/5 w"] 1. e5', ["tag StartingPosition"]),
        ('[FirstScore "1e2"] 1. e5', ["tag FirstScore"]),
        ('[FirstResult "0"] 1. e5', ["tag FirstResult"]),
        ('[FirstResult "two"] [SecondResult "-1"] 1. e5', ["tag FirstResult"]),
        ('[Variants "x"] [HeaderExtra "[]"] 1. e5', ["tag Variants", "tag HeaderExtra"]),
        ('[AbstractPlayMoves "[[]]"] 1. e5', ["tag AbstractPlayMoves"]),
        ('[AbstractPlayMoves "[[\\"zz\\"]]"] 1. e5', ["tag AbstractPlayMoves"]),
        ('[Pie "no"] 1. e5 2. swap', ["tag Pie"]),
        ('[Pie "pied"] 1. e5', ["tag Pie"]),
    ],
)
def test_what_is_lost_is_named(text: str, expected: list[str]) -> None:
    record = parse(f'[Game "yavalath"] {text} 1-0')
    assert lost_of(with_tags(record, Termination="resignation", Result="1-0")) == expected


@pytest.mark.parametrize(
    ("moves", "field"),
    [
        ("1. e5 2. zz", "move zz"),
        ("1. swap 2. e5", "move swap"),
        ("1. e5 2. swap 3. swap", "move swap"),
    ],
)
def test_a_record_with_a_move_that_abstractplay_lacks_is_left_out(moves: str, field: str) -> None:
    assert written([parse(f'[Game "yavalath"] {moves} *')]) == (b"[]\n", [(1, field), (1, WHOLE)])


@pytest.mark.parametrize(
    ("termination", "result", "word", "lost"),
    [
        ("resignation", "0-1", "resign", []),
        ("time", "1-0", "timeout", []),
        ("agreement", "1/2-1/2", "draw", []),
        ("unterminated", "*", "abandoned", []),
        ("rules", "1-0", "e5", []),
        ("crash", "1-0", "resign", ["tag Termination"]),
        ("adjudication", "1/2-1/2", "draw", ["tag Termination"]),
        ("void", "*", "abandoned", ["tag Termination"]),
        ("unterminated", "1/2-1/2", "draw", ["tag Termination"]),
        ("time", "*", "abandoned", ["tag Termination"]),
        ("", "*", "abandoned", ["result *"]),
        ("", "1-0", "e5", []),
    ],
)
def test_the_nearest_word_is_written_for_an_end(
    termination: str, result: str, word: str, lost: list[str]
) -> None:
    record = parse(f'[Game "yavalath"] [Termination "{termination}"] 1. e5 {result}')
    told, unheld = to_json(record)
    assert told["moves"][-1][-1] == word
    assert unheld == lost
    assert from_json(told).result == result


@given(RECORDS)
def test_writing_never_fails(record: Record) -> None:
    for game_id in ("yavalath", "manalath-61", record.game):
        known = Record((("Game", game_id), *record.tags[1:]), record.plies, record.result)
        content, _ = written([known])
        json.loads(content)


# Files


GOOD: Final = json.dumps(bare(["e5", "d4"], ["resign"]))


@pytest.mark.parametrize(
    "content",
    [
        f"[{GOOD},{GOOD}]",
        f"\n[\n  {GOOD},\n\n  {GOOD}\n]\n",
        f"{GOOD}\n{GOOD}\n",
        f"{GOOD}\r\n{GOOD}",
        f"[{json.dumps(json.loads(GOOD), indent=4)}, {GOOD}]",
        f"\ufeff[{GOOD},{GOOD}]",
    ],
    ids=["one line", "a record a line", "lines", "CRLF", "indented", "byte order mark"],
)
@pytest.mark.parametrize("block", [1, 7, 1 << 18])
def test_records_stand_in_an_array_or_one_after_the_other(
    content: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_text, "_BLOCK", block)
    first, second = records_in(content.encode())
    assert first == second == from_json(json.loads(GOOD))


def test_an_entry_knows_its_place_and_text() -> None:
    found = entries(f"[\n{GOOD},\n  {GOOD}\n]".encode())
    assert [(entry.number, entry.line, entry.text) for entry in found] == [
        (1, 2, GOOD),
        (2, 3, GOOD),
    ]


class Endless(io.RawIOBase):
    """An array of records that never ends."""

    def __init__(self) -> None:
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = (GOOD + ",").encode() * (len(buffer) // (len(GOOD) + 1))
        self.given += len(piece)
        buffer[: len(piece)] = piece
        return len(piece)


def test_the_first_records_are_there_before_the_file_is_read() -> None:
    stream = Endless()
    reading = abstractplay.read(io.BufferedReader(stream), "endless")
    assert [next(reading).number for _ in range(10)] == list(range(1, 11))
    assert stream.given < 1 << 20


def told_text(moves: str, game: str = "Yavalath", more: str = "") -> str:
    """Return the text of a record with these moves, and with more before the players."""
    players = '[{"name": "ann", "result": 1}, {"name": "ben", "result": 0}]'
    header = f'{{"game": {{"name": "{game}"}}, {more}"players": {players}}}'
    return f'{{"header": {header}, "moves": {moves}}}'


NO_RESULT = '[{"name": "ann", "result": 1}, {"name": "ben", "result": ¦"1"}]'

BAD_RECORDS: Final = [
    ("¦{}", "header: the record has no header"),
    ("¦7", "syntax: '7' does not belong here"),
    ("¦9e5", "syntax: '9e5' does not belong here"),
    ('{"header": {"game": ¦7}}', "header: the header names no game"),
    ('{"header": {"game": {"name": ¦"Hex"}}}', "unknown-game: 'Hex' is no game that is read"),
    ('{"header": ¦{"game": {"name": "Yavalath"}}}', "header: Yavalath of no players"),
    (
        '{"header": {"game": {"name": "Yavalath"}, "players": ¦[1, 2, 3]}}',
        "header: Yavalath of 3 players",
    ),
    (
        '{"header": {"game": {"name": "Yavalath"}, "players": [¦1, 2]}}',
        "header: a player has no name",
    ),
    (
        f'{{"header": {{"game": {{"name": "Yavalath"}}, "players": {NO_RESULT}}}}}',
        "header: player 'ben' has no result",
    ),
    (
        told_text('[["e5w"]]', "Manalath", '"pied": ¦true, '),
        "header: Manalath has no pie rule",
    ),
    (told_text('¦"e5"'), "move: the moves are no rounds"),
    (told_text('[¦"e5"]'), "move: a round is no array"),
    (told_text('[["e5", ¦{"move": 1}]]'), "move: this is not a move"),
    (told_text('[["e5", ¦"e10"]]'), "move: 'e10' is not a move of Yavalath"),
    (told_text('[[¦"e5"]]', "Manalath"), "move: 'e5' is not a move of Manalath"),
    (told_text('[["e5", ¦"swap"]]'), "move: 'swap' is not a move of Yavalath"),
    (told_text('[[¦"pass"]]'), "move: 'pass' is not a move of Yavalath"),
    (told_text('[["e5", "resign"], [¦"d4"]]'), "move: 'd4' stands after 'resign'"),
    (
        told_text('[["e5w", "pass"], [¦"a1w"]]', "Manalath"),
        "move: 'a1w' stands after 'pass'",
    ),
    (
        told_text('¦[["resign"]]', more='"pied": true, '),
        "move: the pie was taken, but there is no move",
    ),
    ('{"header": {} ¦"moves": []}', "syntax: not JSON: expecting ',' delimiter"),
    (
        "¦" + told_text("[]", more='"a": 1, "a": 1, '),
        "syntax: the key 'a' stands in an object twice",
    ),
    ('¦{"header": NaN}', "syntax: not JSON: NaN is not a number"),
    ('¦{"header": 1e999}', "syntax: not JSON: the number 1e999 is too large"),
    (
        f'¦{{"header": {"[" * 200}{"]" * 200}}}',
        "syntax: arrays and objects are nested more than 100 deep",
    ),
]
"""A record, with ¦ where it is at fault, and the code and the message."""


@pytest.mark.parametrize(
    ("marked", "told"), BAD_RECORDS, ids=[told.partition(": ")[2] for _, told in BAD_RECORDS]
)
@pytest.mark.parametrize("separator", [",", ",\n", "\n"], ids=["array", "lines", "no comma"])
def test_a_bad_record_is_told_of_and_reading_goes_on(
    marked: str, told: str, separator: str
) -> None:
    text, column = marked.replace("¦", ""), marked.index("¦") + 1
    line, before = (2, 0) if "\n" in separator else (1, len(GOOD) + 2)
    first, bad, last = entries(f"[{GOOD}{separator}{text}{separator}{GOOD}]".encode())
    assert first.record == last.record == from_json(json.loads(GOOD))
    assert (bad.number, bad.line, bad.record, bad.text) == (2, line, None, text)
    problem = next(one for one in bad.problems if f"{one.code}: {one.message}" == told)
    assert problem.file == "f.json"
    assert (problem.line, problem.column, problem.record) == (line, before + column, 2)
    assert problem.source.endswith(text)


SLIPS: Final = {
    "a day": ('"date-start": "2024-11-03', '"date-start": ¦"2024-13-45'),
    "an end": ('"date-end": "2024-11-03', '"date-end": ¦"2024-02-30'),
    "a result": ('"result": 1}', '"result": ¦"won"}'),
    "a name": ('{"name": "ben"', '¦{"name": 7'),
    "no move": ('"d4"', '¦"zz"'),
    "no move later": ('"f6"', '¦"f66"'),
    "a move again": ('"h2"', '¦"e5"'),
    "behind the end": ('"resign"]]', '"resign", ¦"a1"]]'),
}


@given(st.sets(st.sampled_from(sorted(SLIPS)), min_size=1))
def test_all_that_is_wrong_with_a_record_is_told_at_once(slips: set[str]) -> None:
    dates = ", ".join(f'"date-{key}": "2024-11-03T00:00:00.000Z"' for key in ("start", "end"))
    moves = '[["e5", "d4"], ["c3", "f6"], ["h2"], ["resign"]]'
    text = told_text(moves, more=f"{dates}, ")
    for slip in slips | {"an end"}:  # what can be played is judged by the rules elsewhere
        assert SLIPS[slip][0] in text
        text = text.replace(*SLIPS[slip], 1)
    places = {at - text[:at].count("¦") for at, c in enumerate(text) if c == "¦"}
    (entry,) = entries(text.replace("¦", "").encode())
    assert {problem.column - 1 for problem in entry.problems} == places


def test_a_name_that_nearly_is_that_of_a_game_is_a_problem_and_no_other_game() -> None:
    for name, is_near in (
        ("Yavalth", True),
        ("manalth", True),
        ("Hex", False),
        ("Yavalanchor", False),
    ):
        (entry,) = entries(told_text("[]", name).encode())
        (problem,) = entry.problems
        assert (bool(problem.meant), bool(entry.other_game)) == (is_near, not is_near)


def test_the_ply_of_a_wrong_move_counts_the_swap() -> None:
    (entry,) = entries(the_file(bare(["e5", "d4"], ["j1"], pied=True)))
    (problem,) = entry.problems
    assert problem.ply == 4
    assert problem.expected == "a cell from a1 to i5 such as e5"


def test_a_record_that_is_never_closed_ends_where_the_next_begins() -> None:
    cut = GOOD[:-14]
    first, bad, last = entries(f"[{GOOD},\n{cut},\n{GOOD}]".encode())
    assert first.record is not None
    assert last.record is not None
    (problem,) = bad.problems
    assert str(problem).startswith(
        "f.json:2:1: error[syntax]: the record is never closed; expected } (record 2)\n"
    )
    assert bad.text == cut


def test_a_record_with_a_bracket_too_few_ends_where_the_next_begins() -> None:
    cut = GOOD.replace("]]}", "]}")
    first, bad, last = entries(f"{GOOD}\n{cut}\n{GOOD}\n".encode())
    assert first.record is not None
    assert last.record is not None
    assert [problem.code for problem in bad.problems] == ["syntax"]
    assert bad.text == cut


@pytest.mark.parametrize("end", range(1, len(GOOD)))
def test_a_file_that_breaks_off_is_told_of(end: int) -> None:
    good, *rest = entries(f"[{GOOD},{GOOD[:end]}".encode())
    assert good.record is not None
    assert [entry.record for entry in rest] == [None, None]
    assert [entry.problems[0].message for entry in rest] == [
        "the record is never closed",
        "the array is never closed",
    ]


@pytest.mark.parametrize("content", [f"[{GOOD}]¦]]]\n", f"{GOOD}¦]\n[{GOOD}]", f"¦][{GOOD}]"])
def test_an_array_that_was_never_opened_cannot_close(content: str) -> None:
    found = entries(content.replace("¦", "").encode())
    assert sum(entry.record is not None for entry in found) == content.count(GOOD)
    (problem,) = (problem for entry in found for problem in entry.problems)
    assert (problem.line, problem.column) == (1, content.index("¦") + 1)
    assert problem.message.endswith("]' does not belong here")


def test_a_byte_that_is_no_utf_8_is_told_of() -> None:
    content = the_file(bare(["e5"])).replace(b"ann", b"\xff\xe9nn")
    bad, good = entries(content + GOOD.encode())
    assert good.record is not None
    (problem,) = bad.problems
    assert (problem.code, problem.message) == ("encoding", "byte 0xff is not UTF-8")
    assert problem.source[problem.column - 1] == "\N{REPLACEMENT CHARACTER}"
    assert bad.text.isprintable()


def test_a_record_that_is_too_long_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MAX_OBJECT", 1000)
    monkeypatch.setattr(json_text, "_BLOCK", 100)
    long = GOOD.replace("ann", "a" * 5000)
    bad, good = entries(f"[{long},\n{GOOD}]".encode())
    assert good.record is not None
    assert good.line == 2
    assert [problem.code for problem in bad.problems] == ["size"]
    assert len(bad.text) == 200


def test_what_stands_far_into_a_line_keeps_its_column_without_an_excerpt() -> None:
    many = ",".join([GOOD] * 400)
    *_, bad = entries(f"[{many},{{}}]".encode())
    (problem,) = bad.problems
    assert problem.column == len(many) + 3
    assert problem.source == "{}"


class Searched:
    """A pattern that counts the characters that it is to look through."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.characters = 0

    def search(self, text: str, begin: int) -> re.Match[str] | None:
        found = self.pattern.search(text, begin)
        self.characters += (found.end() if found else len(text)) - begin
        return found

    def finditer(self, text: str, begin: int = 0, end: int = sys.maxsize) -> Iterator[Any]:
        self.characters += min(end, len(text)) - begin
        return self.pattern.finditer(text, begin, end)


@pytest.mark.parametrize("last", ["", GOOD])
def test_small_objects_are_not_searched_to_the_end_of_the_block_each(last: str) -> None:
    begins: Any = Searched(re.compile(r'\{\s*"header"'))
    content = '{"x":1,"y":2}\n' * 3000 + last
    found = list(json_text.objects(io.BytesIO(content.encode()), begins))
    assert len(found) == 3000 + bool(last)
    assert not any(text.fault for text in found)
    # no more than once, and the overlap for each
    assert begins.characters < len(content) + 3001 * 101


LONG_FIELDS: Final = {
    "one string": json.dumps('a"b\\' * 20_000),
    "many strings": json.dumps(["]", "{"] * 10_000),
}


@pytest.mark.parametrize("field", LONG_FIELDS.values(), ids=LONG_FIELDS)
@pytest.mark.parametrize("block", [999, 1000])
def test_a_long_object_is_read_in_linear_time_though_it_comes_in_blocks(
    field: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_text, "_BLOCK", block)
    looked_through = [Searched(bounds.TOKEN), Searched(re.compile(r'\{"header"'))]
    monkeypatch.setattr(json_text, "TOKEN", looked_through[0])
    begins: Any = looked_through[1]
    content = f'{{"x":{field}}}\n' + GOOD
    long, good = json_text.objects(io.BytesIO(content.encode()), begins)
    assert (long.value, good.value) == ({"x": json.loads(field)}, json.loads(GOOD))
    assert all(each.characters < 3 * len(content) for each in looked_through)


PIECES: Final = ["{", "}", "[", "]", ",", ":", '"', "\\", "\n", '"header"', '"moves"', "null", GOOD]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=12))
def test_reading_anything_ends_and_loses_no_record(words: list[str]) -> None:
    found = entries("".join(words).encode("utf-8", "surrogatepass"))
    assert [entry.number for entry in found] == list(range(1, len(found) + 1))
    for entry in found:
        assert (entry.record is None) == (len(entry.problems) == 1)
        for problem in entry.problems:
            assert re.match(r"f\.json:\d+:\d+: error\[", str(problem))
