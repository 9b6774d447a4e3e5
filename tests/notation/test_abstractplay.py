"""AbstractPlay's game records: what becomes of each field, there and back; files of many records.

The samples are written by hand to the letter of the schema, of which SCHEMA has what is checked.
"""

from __future__ import annotations

import copy
import io
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Final, cast

import jsonschema
import pytest
from format_files import (
    abstractplay_text,
    entries,
    problem_of,
    records_in,
    unmarked,
    whole,
    written,
)
from places import SAMPLES
from sample_records import random_game, with_tags
from walks import play_all, playout

from lath import games
from lath.notation import Ply, Record, check, format_record, parse, positions
from lath.notation.files import bounds
from lath.notation.formats import WHOLE, abstractplay, json_text
from lath.notation.formats.abstractplay import from_json, to_json

if TYPE_CHECKING:
    from golden import Golden

ONE_EACH: Final = sorted(SAMPLES.glob("abstractplay-*.json"))

SCHEMA: Final = json.loads((SAMPLES / "gamerecord-schema.json").read_text())
"""AbstractPlay/recranks, src/schemas/gamerecord.json, at 554e265: what is checked of it."""


def sample(name: str) -> list[Record]:
    return records_in("abstractplay", (SAMPLES / f"abstractplay-{name}.json").read_bytes())


def lost_of(record: Record) -> list[str]:
    return [field for _, field in written("abstractplay", [record])[1]]


def bare(*rounds: Sequence[Any], game: str = "Yavalath", **fields: Any) -> dict[str, Any]:
    """Return the least that AbstractPlay tells of a game that the first player won."""
    players = [{"name": "ann", "result": 1}, {"name": "ben", "result": 0}]
    header = {"game": {"name": game}, "site": {"name": "here"}, "players": players, **fields}
    return {"header": header, "moves": list(rounds)}


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


def test_the_samples_are_valid_and_their_last_word_is_the_termination() -> None:
    expected = {
        "resignation": [("manalath-61", "Oe5 Pd4 Pa1", "resignation", "1-0")],
        "draw": [("yavalath", "e5 d4", "agreement", "1/2-1/2")],
        "timeout": [
            ("manalath-61", "Oe5", "time", "1-0"),
            ("manalath-61", "Oe5 Pi1", "unterminated", "*"),
        ],
    }
    for name, ends in expected.items():
        found = sample(name)
        told = [(r.game, " ".join(r.moves), r.termination, r.result) for r in found]
        assert told == ends
    for path in ONE_EACH:
        records = records_in("abstractplay", path.read_bytes())
        assert [fault for record in records for fault in check(record)] == []


def test_the_lowest_row_is_a_and_w_is_orange() -> None:
    rounds = [["a1w", "a5b"], ["e1w", "e9b"], ["i1w", "i5b"], ["resign"]]
    *_, end = positions(from_json(bare(*rounds, game="Manalath")))
    assert end.text() == "o3p/6/7/8/o7p/8/7/6/o3p o"


def test_what_a_move_is_written_as_means_its_ply() -> None:
    threat = {"move": "d4", "result": "a  threat [%emt 2]"}
    record = from_json(bare(["e5", threat], ["resign"]))
    comment = parse('[Game "x"] {a threat [%emt 2.000]} *').comments[0]
    assert [ply.comments for ply in record.plies] == [(), (comment,)]
    first, second = {"move": "e5", "sequence": 2}, {"move": "d4", "sequence": 1}
    assert from_json(bare([first, second])).moves == ("d4", "e5")
    assert from_json(bare([first, "d4"])).moves == ("e5", "d4")
    assert from_json(bare(["E5 W", "a1b"], game="Manalath")).moves == ("Oe5", "Pa1")
    assert from_json(bare(["e5w", "pass"], ["pass"], game="Manalath")).moves == ("Oe5",)
    position = "5/6/7/8/4w4/8/7/6/5 b"
    record = from_json(bare([None, "d4"], startingPosition=position))
    assert record.tag("Position") == position
    assert from_json(bare(["d4"], startingPosition="x")).tag("StartingPosition") == "x"
    for odd in ("x", ""):
        told, _ = to_json(from_json(bare(["d4"], startingPosition=odd)))
        assert told["header"]["startingPosition"] == odd


# There and back


def places(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value in a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inner:
        yield (*path, key)
        if isinstance(one, dict | list):
            yield from places(one, *path, key)


def changed(told: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a record with another value there, or without the field where that is MISSING."""
    changed = target = copy.deepcopy(told)
    for step in path[:-1]:
        target = target[step]
    if value is MISSING:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return changed


MISSING: Final = object()
HARD: Final[tuple[Any, ...]] = (
    *("", "?", "1", "null", '"', "{}", "a\r\nb", "\ud83c", "2026-11-20", " x ", "e5", "draw"),
    *("0001-01-01T00:00:00.000Z", "5/6/7/8/9/8/7/6/5 w", None, True, 0, -1.5, 1e2),
    *([], {}, [[None]], {"name": "\n"}, MISSING),
)
"""What may stand in a field: also what JSON, a tag or UTF-8 has trouble with."""


def test_whatever_abstractplay_tells_comes_back_through_our_own_text_too() -> None:
    tells = [json.loads(path.read_bytes()) for path in ONE_EACH]
    assert len(tells) == 5
    every_field = json.loads((SAMPLES / "abstractplay-every-field.json").read_bytes())
    for number, path in enumerate(places(every_field)):  # of the values every fifth
        tells += [changed(every_field, path, hard) for hard in HARD[number % 5 :: 5]]
    read = 0
    for told in tells:
        found = entries("abstractplay", json.dumps(told))
        if any(entry.problems for entry in found):
            continue
        records = [parse(format_record(entry.record)) for entry in found if entry.record]
        assert records == [entry.record for entry in found]
        again = json.loads(whole("abstractplay", records))
        for one, other in zip(told if isinstance(told, list) else [told], again, strict=True):
            if "header" in one:  # fields that must be there are added
                other["header"] = {key: other["header"][key] for key in one["header"]}
            assert json.dumps(other, sort_keys=True) == json.dumps(one, sort_keys=True)
        read += 1
    assert read > 75


def test_a_field_has_a_readable_tag_if_a_tag_can_hold_it(golden: Golden) -> None:
    (record,) = sample("every-field")
    golden(format_record(record))


EDITED: Final = (
    *(None, "", "?", "zoe", "2026-11-21", "5/6/7/8/9/8/7/6/5 w", "1e2", "true", '["a",  "b"]'),
    *("NaN", '{"name": "x"}', '{"header": 7, "pied": true}', '{"result": 0, "elo": null}', "[]"),
)
TAGS: Final = (
    *("Event", "Round", "Site", "Date", "First", "Second", "Position", "StartTime", "EndTime"),
    *("StartingPosition", "GameId", "Variants", "Unrated", "Pie", "FirstUserId", "SecondIsAi"),
    *("FirstScore", "FirstResult", "RecordExtra", "HeaderExtra", "FirstExtra", "SecondExtra"),
    *("AbstractPlayMoves", "Mood"),
)


def test_an_edited_tag_is_what_comes_back_or_is_told_of() -> None:
    for record in (*sample("every-field"), from_json(bare(["e5", "d4"], ["resign"]))):
        for name, value in islice(product(TAGS, EDITED), len(record.tags) % 2, None, 2):
            tags = dict(record.tags) | {name: value}
            kept = tuple((tag, said) for tag, said in tags.items() if said is not None)
            content, lost = written("abstractplay", [Record(kept, record.plies, record.result)])
            (again,) = records_in("abstractplay", content)
            assert (again.moves, again.result) == (record.moves, record.result)
            named = " ".join(field for _, field in lost)
            for tag, said in kept:
                if again.tag(tag) != said and tag not in abstractplay.EXTRAS and said != "?":
                    assert f"tag {tag}" in named, (name, value, tag, again.tag(tag))


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


def test_what_could_not_be_read_is_not_written() -> None:
    record = parse('[Game "yavalath"] [Termination "resignation"] 1. e5 1-0')
    deep, large = "[" * 99 + "]" * 99, json.dumps([{"header": 1}, "x" * 9000])
    for tag, extra in (("HeaderExtra", deep), ("RecordExtra", large)):
        content, lost = written("abstractplay", [with_tags(record, **{tag: f'{{"x": {extra}}}'})])
        assert [again.moves for again in records_in("abstractplay", content)] == [("e5",)]
        assert lost == [(1, f"tag {tag}")]
    content, lost = written("abstractplay", [with_tags(record, HeaderExtra='{"game": 7}')])
    assert [again.moves for again in records_in("abstractplay", content)] == [("e5",)]
    assert lost == [(1, "game of the tag HeaderExtra, which other tags overrule")]


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
    ends += ": 1-0 by AbstractPlay's rules, 0-1 by the arena's"
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
    (again,) = json.loads(whole("abstractplay", [record]))
    assert again["header"]["players"] == told["header"]["players"]
    for moves in (OLD_FIVE[:-1], ["e5w", "a1b"], []):
        record = from_json(bare(moves, ["resign"], game="Manalath"))
        assert abstractplay.note_of(record, "lath") == ""
    assert abstractplay.note_of(on_the_empty_board("manalath-61", 3), "lath") == ""


def test_the_tag_of_a_games_id_comes_back() -> None:
    ids = ["true", "[]", "{}", "null", "7", "1.50", "1e3", '"7"', '"a"', '"\\"7\\""', "a", ""]
    played = [on_the_empty_board("yavalath", 1, GameId=each) for each in ids]
    again = records_in("abstractplay", whole("abstractplay", played))
    assert [record.tag("GameId") for record in again] == ids
    assert not any("Extra" in name for record in again for name, _ in record.tags)


every_kind = pytest.mark.parametrize("game_id", ["manalath-61", "yavalath"])


@every_kind
@pytest.mark.parametrize("games", [15])
def test_random_games_come_back_from_abstractplay(game_id: str, games: int) -> None:
    played = [on_the_empty_board(game_id, seed) for seed in range(games)]
    assert records_in("abstractplay", whole("abstractplay", played)) == played


def test_what_is_written_is_valid_by_the_schema_a_record_a_line() -> None:
    kinds = ("manalath-61", "yavalath")
    records = [on_the_empty_board(k, seed, Date="2026-11-20") for k in kinds for seed in range(9)]
    for path in ONE_EACH:
        records += records_in("abstractplay", path.read_bytes())
    lines = whole("abstractplay", records).decode().splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("[", "]", 2 + len(records))
    validator = jsonschema.Draft7Validator(SCHEMA)
    for line in lines[1:-1]:
        told = json.loads(line.rstrip(","))
        told["header"].pop("pie-invoked", None)
        validator.validate(told)
    assert whole("abstractplay", []) == b"[]\n"
    assert entries("abstractplay", "[]\n") == []


def test_a_setup_with_blockers_is_the_starting_position() -> None:
    record = parse('[Game "manalath-61"] [Setup "e5 a1"] 1. Oe4 *')
    told, unheld = to_json(with_tags(record, Termination="unterminated", Result="*"))
    assert told["header"]["startingPosition"] == "5/6/7/8/4g4/8/7/6/g4 o"
    assert unheld == []
    assert from_json(told).tag("Position") == "5/6/7/8/4g4/8/7/6/g4 o"


STUCK: Final = [
    (
        "Oa1",
        [["a1w", "pass"], ["pass"]],
        "ppp1o/o1oopo/oppopop/p1o1p1po/oopoo1o1o/pop1popo/p1opp1p/opo1op/1ppoo p",
    ),
    (
        "Oc3",
        [["c3w", "pass"]],
        "opppo/o1oo1o/pp1o1pp/o1oppo1o/pppopoopo/oo1o1ppo/pp1poo1/p1p1pp/opooo p",
    ),
]
"""Behind a move neither can go on, or one who has a group of four."""


def test_who_has_no_move_in_manalath_passes() -> None:
    for move, rounds, text in STUCK:
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


LOST: Final[dict[str, list[str]]] = {
    '[Annotator "ann"] 1. e5 2. d4': ["tag Annotator"],
    '[Seed "3"] [TimeControl "10+1"] 1. e5': ["tag Seed", "tag TimeControl"],
    "1. e5! 2. d4": ["glyphs"],
    "1. e5 2. d4 (2. d5 {no})": ["variations"],
    "{before} 1. e5": ["comments"],
    "1. e5 {one} {two}": ["comments"],
    "1. e5 {[%emt 1.000] one}": [],
    "1. e5 2. swap {thanks}": ["comments"],
    '[Setup "x"] 1. e5': ["tag Setup"],
    '[Date "?"] [Site "?"] 1. e5': [],
    '[Date "soon"] 1. e5': ["tag Date"],
    '[Date "2026-11-20"] [StartTime "2026-11-21T00:00:00.000Z"] 1. e5': ["tag StartTime"],
    '[FirstScore "x"] [Unrated "1"] 1. e5': ["tag FirstScore", "tag Unrated"],
    '[Date "2026"] [StartTime "2026-11-20T00:00:00.000Z"] 1. e5': ["tag Date", "tag StartTime"],
    '[StartingPosition "5/6/7/8/9/8/7/6/5 w"] 1. e5': ["tag StartingPosition"],
    '[FirstScore "1e2"] 1. e5': ["tag FirstScore"],
    '[FirstResult "0"] 1. e5': ["tag FirstResult"],
    '[FirstResult "two"] [SecondResult "-1"] 1. e5': ["tag FirstResult"],
    '[Variants "x"] [HeaderExtra "[]"] 1. e5': ["tag Variants", "tag HeaderExtra"],
    '[AbstractPlayMoves "[[]]"] 1. e5': ["tag AbstractPlayMoves"],
    '[AbstractPlayMoves "[[\\"zz\\"]]"] 1. e5': ["tag AbstractPlayMoves"],
    '[Pie "no"] 1. e5 2. swap': ["tag Pie"],
    '[Pie "pied"] 1. e5': ["tag Pie"],
}
"""What is not there behind a record of Yavalath that ends by resignation."""

LEFT_OUT: Final = {
    '[Game "yavalath"] 1. e5 2. zz *': "move zz",
    '[Game "yavalath"] 1. swap 2. e5 *': "move swap",
    '[Game "yavalath"] 1. e5 2. swap 3. swap *': "move swap",
    '[Game "mammalath"] *': "game mammalath",
    '[Game "manalath"] *': "game manalath",
}


def test_what_is_lost_is_named_and_what_cannot_be_held_is_left_out() -> None:
    found = {}
    for text in LOST:
        record = parse(f'[Game "yavalath"] {text} 1-0')
        found[text] = lost_of(with_tags(record, Termination="resignation", Result="1-0"))
    assert found == LOST
    good = random_game("yavalath", 1)
    content, lost = written("abstractplay", [*map(parse, LEFT_OUT), good])
    assert [record.moves for record in records_in("abstractplay", content)] == [good.moves]
    left_out = enumerate(LEFT_OUT.values(), 1)
    assert lost == [(number, what) for number, field in left_out for what in (field, WHOLE)]


ENDS: Final[list[tuple[str, str, str, list[str]]]] = [
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
]


def test_the_nearest_word_is_written_for_an_end() -> None:
    for termination, result, word, lost in ENDS:
        record = parse(f'[Game "yavalath"] [Termination "{termination}"] 1. e5 {result}')
        told, unheld = to_json(record)
        assert (told["moves"][-1][-1], unheld) == (word, lost)
        assert from_json(told).result == result


# Files


GOOD: Final = json.dumps(bare(["e5", "d4"], ["resign"]))

LAYOUTS: Final = {
    "one line": f"[{GOOD},{GOOD}]",
    "a record a line": f"\n[\n  {GOOD},\n\n  {GOOD}\n]\n",
    "lines": f"{GOOD}\n{GOOD}\n",
    "CRLF": f"{GOOD}\r\n{GOOD}",
    "indented": f"[{json.dumps(json.loads(GOOD), indent=4)}, {GOOD}]",
    "byte order mark": f"\ufeff[{GOOD},{GOOD}]",
}


@pytest.mark.parametrize("block", [1, 7, 1 << 18])
def test_records_stand_in_an_array_or_one_after_the_other(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_text, "_BLOCK", block)  # so that objects lie in several blocks
    expected = [from_json(json.loads(GOOD))] * 2
    found = {how: records_in("abstractplay", content) for how, content in LAYOUTS.items()}
    assert found == dict.fromkeys(LAYOUTS, expected)


def test_an_entry_knows_its_place_and_text() -> None:
    found = entries("abstractplay", f"[\n{GOOD},\n  {GOOD}\n]")
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


NO_RESULT = '[{"name": "ann", "result": 1}, {"name": "ben", "result": ¦"1"}]'


def of_players(players: str) -> str:
    """Return a record of these players."""
    return f'{{"header": {{"game": {{"name": "Yavalath"}}, "players": {players}}}}}'


MANALATH: Final = partial(abstractplay_text, game="Manalath")

BAD_RECORDS: Final = {
    "no header": "¦{}",
    "a number": "¦7",
    "a float": "¦9e5",
    "no game": '{"header": {"game": ¦7}}',
    "another game": '{"header": {"game": {"name": ¦"Hex"}}}',
    "no players": '{"header": ¦{"game": {"name": "Yavalath"}}}',
    "three players": of_players("¦[1, 2, 3]"),
    "no name": of_players("[¦1, 2]"),
    "no result": of_players(NO_RESULT),
    "a pie of Manalath": MANALATH('[["e5w"]]', more='"pied": ¦true, '),
    "no rounds": abstractplay_text('¦"e5"'),
    "no round": abstractplay_text('[¦"e5"]'),
    "no move": abstractplay_text('[["e5", ¦{"move": 1}]]'),
    "a cell beyond": abstractplay_text('[["e5", ¦"e10"]]'),
    "a bare cell": MANALATH('[[¦"e5"]]'),
    "a swap": abstractplay_text('[["e5", ¦"swap"]]'),
    "a pass": abstractplay_text('[[¦"pass"]]'),
    "behind the end": abstractplay_text('[["e5", "resign"], [¦"d4"]]'),
    "behind a pass": MANALATH('[["e5w", "pass"], [¦"a1w"]]'),
    "a pie of nothing": abstractplay_text('¦[["resign"]]', more='"pied": true, '),
    "behind the pie": abstractplay_text('[["e5", "d4"], [¦"j1"]]', more='"pied": true, '),
    "no comma": '{"header": {} ¦"moves": []}',
    "a key twice": "¦" + abstractplay_text("[]", more='"a": 1, "a": 1, '),
    "no number": '¦{"header": NaN}',
    "infinity": '¦{"header": 1e999}',
    "nested": f'¦{{"header": {"[" * 200}{"]" * 200}}}',
}
"""Records, with ¦ where they are at fault."""


def test_a_bad_record_is_told_of_and_reading_goes_on(golden: Golden) -> None:
    said = {}
    for name, marked in BAD_RECORDS.items():
        text, _, column = unmarked(marked)
        for separator in (",", ",\n", "\n"):
            line, before = (2, 0) if "\n" in separator else (1, len(GOOD) + 2)
            content = f"[{GOOD}{separator}{text}{separator}{GOOD}]"
            first, bad, last = entries("abstractplay", content)
            assert first.record == last.record == from_json(json.loads(GOOD))
            assert (bad.number, bad.line, bad.record, bad.text) == (2, line, None, text)
            places = {(each.line, each.column, each.record) for each in bad.problems}
            assert (line, before + column, 2) in places
            assert all(problem.source.endswith(text) for problem in bad.problems)
        said[name] = "\n".join(str(problem).splitlines()[0] for problem in bad.problems)
    golden(said)


SLIPS: Final = {
    '"date-start": "2024-11-03': '"date-start": ¦"2024-13-45',
    '"date-end": "2024-11-03': '"date-end": ¦"2024-02-30',
    '"result": 1}': '"result": ¦"won"}',
    '{"name": "ben"': '¦{"name": 7',
    '"d4"': '¦"zz"',
    '"f6"': '¦"f66"',
    '"h2"': '¦"e5"',
    '"resign"]]': '"resign", ¦"a1"]]',
}


def test_all_that_is_wrong_with_a_record_is_told_at_once() -> None:
    dates = ", ".join(f'"date-{key}": "2024-11-03T00:00:00.000Z"' for key in ("start", "end"))
    moves = '[["e5", "d4"], ["c3", "f6"], ["h2"], ["resign"]]'
    for pair in product(SLIPS, repeat=2):
        text = abstractplay_text(moves, more=f"{dates}, ")
        for slip in {*pair, '"date-end": "2024-11-03'}:  # what can be played is judged elsewhere
            assert slip in text
            text = text.replace(slip, SLIPS[slip], 1)
        places = {at - text[:at].count("¦") for at, c in enumerate(text) if c == "¦"}
        (entry,) = entries("abstractplay", text.replace("¦", ""))
        assert {problem.column - 1 for problem in entry.problems} == places


def test_a_name_that_nearly_is_that_of_a_game_is_a_problem_and_no_other_game() -> None:
    for name, is_near in (
        ("Yavalth", True),
        ("manalth", True),
        ("Hex", False),
        ("Yavalanchor", False),
    ):
        (entry,) = entries("abstractplay", abstractplay_text("[]", name))
        (problem,) = entry.problems
        assert (bool(problem.meant), bool(entry.other_game)) == (is_near, not is_near)


def test_a_record_that_is_never_closed_ends_where_the_next_begins() -> None:
    first, bad, last = entries("abstractplay", f"[{GOOD},\n{GOOD[:-14]},\n{GOOD}]")
    assert first.record == last.record is not None
    assert problem_of(bad) == (
        "f.json:2:1: error[syntax]: the record is never closed; expected } (record 2)"
    )
    assert bad.text == GOOD[:-14]
    cut = GOOD.replace("]]}", "]}")
    first, bad, last = entries("abstractplay", f"{GOOD}\n{cut}\n{GOOD}\n")
    assert first.record == last.record is not None
    assert ([problem.code for problem in bad.problems], bad.text) == (["syntax"], cut)


def test_a_file_that_breaks_off_anywhere_is_told_of() -> None:
    for end in range(1, len(GOOD)):
        good, *rest = entries("abstractplay", f"[{GOOD},{GOOD[:end]}")
        assert good.record is not None
        assert [(entry.record, entry.problems[0].message) for entry in rest] == [
            (None, "the record is never closed"),
            (None, "the array is never closed"),
        ]


def test_an_array_that_was_never_opened_cannot_close() -> None:
    for marked in (f"[{GOOD}]¦]]]\n", f"{GOOD}¦]\n[{GOOD}]", f"¦][{GOOD}]"):
        text, line, column = unmarked(marked)
        found = entries("abstractplay", text)
        assert sum(entry.record is not None for entry in found) == text.count(GOOD)
        (problem,) = (problem for entry in found for problem in entry.problems)
        assert (problem.line, problem.column) == (line, column)
        assert problem.message.endswith("]' does not belong here")


def test_what_stands_far_into_a_line_keeps_its_column_without_an_excerpt() -> None:
    many = ",".join([GOOD] * 400)
    *_, bad = entries("abstractplay", f"[{many},{{}}]")
    (problem,) = bad.problems
    assert (problem.column, problem.source) == (len(many) + 3, "{}")


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


def test_small_objects_are_not_searched_to_the_end_of_the_block_each() -> None:
    for last in ("", GOOD):
        begins: Any = Searched(re.compile(r'\{\s*"header"'))
        content = '{"x":1,"y":2}\n' * 3000 + last
        found = list(json_text.objects(io.BytesIO(content.encode()), begins))
        assert len(found) == 3000 + bool(last)
        assert not any(text.fault for text in found)
        # no more than once, and the overlap for each
        assert begins.characters < len(content) + 3001 * 101


@pytest.mark.parametrize("block", [999, 1000])
def test_a_long_object_is_read_in_linear_time_though_it_comes_in_blocks(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_text, "_BLOCK", block)
    for field in (json.dumps('a"b\\' * 20_000), json.dumps(["]", "{"] * 10_000)):
        tokens, begins = Searched(bounds.TOKEN), Searched(re.compile(r'\{"header"'))
        monkeypatch.setattr(json_text, "TOKEN", tokens)
        content = f'{{"x":{field}}}\n' + GOOD
        stream = io.BytesIO(content.encode())
        long, good = json_text.objects(stream, cast("re.Pattern[str]", begins))
        assert (long.value, good.value) == ({"x": json.loads(field)}, json.loads(GOOD))
        assert max(tokens.characters, begins.characters) < 3 * len(content)
