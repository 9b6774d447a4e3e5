"""What the page embeds of the records: all of it comes back, and it is as small as is asked."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

import pytest
from different_games import different_games
from hypothesis import given, settings
from record_strategies import RECORDS
from sample_records import (
    BUILT_IN,
    HOSTILE_NAMES,
    bare,
    cut,
    hostile_records,
    random_game,
    tournament,
    with_tags,
)
from unpacking import Unpacked, column, unpacked, unpacked_part

from lath import games
from lath.games.core import Game, Move, Position, Seat
from lath.notation.record import Ply, Record, comment
from lath.notation.replay import positions
from lath.reports.page import replay as effects
from lath.reports.page.pack import DETAILS, EXACT, Pack, Packer, Scale, pack
from lath.reports.page.replay import Column, Dictionary, deflated, inflated, lettered, unlettered

SAMPLE = tournament(("ann", "bob"), 2, annotated=True)


@cache
def packed() -> Pack:
    return pack(SAMPLE)


@cache
def sample() -> list[Unpacked]:
    return unpacked(packed().data)


# What comes back


def test_every_ply_shows_what_the_rules_say_lies_on_the_board() -> None:
    for record, game in zip(SAMPLE, sample(), strict=True):
        assert game.stacks == [position.contents() for position in positions(record)]


def test_every_ply_has_its_mover_and_the_end_has_who_would_go_on() -> None:
    for record, game in zip(SAMPLE, sample(), strict=True):
        assert game.movers == [int(position.to_move) for position in positions(record)]


def test_the_legal_moves_of_every_ply_are_those_of_the_rules() -> None:
    for record, game in zip(SAMPLE, sample(), strict=True):
        assert game.legal == [set(position.legal_moves()) for position in positions(record)]


def test_what_a_legal_move_would_do_is_what_the_rules_say() -> None:
    for game_id in BUILT_IN:
        dictionary = Dictionary(games.get(game_id))
        for seed in range(30):
            dictionary.play(random_game(game_id, seed))
        for position in islice(positions(random_game(game_id, 99)), 0, None, 6):
            for move in position.legal_moves():
                after = position.play(move)
                kind = dictionary.granted(move, position.to_move)
                kind = dictionary.kind(move, position, after) if kind is None else kind
                effect = dictionary.effects[kind][position.to_move]
                assert effect is not None
                before = position.contents()
                assert effects.applied(effect, before, dictionary.shapes) == after.contents()


def test_tags_moves_and_results_come_back() -> None:
    hostile = hostile_records()
    records, found = [*SAMPLE, *hostile], [*sample(), *unpacked(pack(hostile).data)]
    for record, game in zip(records, found, strict=True):
        assert tuple(game.tags) == record.tags
        assert tuple(game.moves) == record.moves
        assert game.head["result"] == record.result


def test_times_and_evaluations_come_back_exactly_while_there_is_room() -> None:
    for record, game in zip(SAMPLE, sample(), strict=True):
        assert game.values["emt"] == [ply.used_s for ply in record.plies if ply.comments]
        assert game.values["eval"] == [ply.eval for ply in record.plies if ply.comments]


@given(RECORDS)
@settings(max_examples=60, deadline=None)
def test_any_record_can_be_packed_and_keeps_tags_and_moves(record: Record) -> None:
    [game] = unpacked(pack([record]).data)
    assert tuple(game.moves) == record.moves
    expected = [(name, value) for name, value in record.tags if name != "Result"]
    assert [tag for tag in game.tags if tag[0] != "Result"] == [
        (name, value.encode("utf-8", "replace").decode()) for name, value in expected
    ]


def test_the_ending_and_the_cells_that_decided_are_those_of_the_outcome() -> None:
    for record, game in zip(SAMPLE, sample(), strict=True):
        *_, last = positions(record)
        outcome = last.outcome()
        assert outcome is not None
        assert game.head["ending"] == outcome.ending
        names = last.game.board.names
        assert tuple(names[cell] for cell in game.deciding) == outcome.cells


def test_a_game_that_was_stopped_has_neither() -> None:
    [game] = unpacked(pack([cut(SAMPLE[0], 2, "resignation", "1-0")]).data)
    assert (game.head["ending"], game.deciding) == ("", [])


def test_a_record_that_begins_from_a_position_has_its_board() -> None:
    for game_id in BUILT_IN:
        record = random_game(game_id, 5)
        middle = list(positions(record))[3]
        tags = [tag for tag in record.tags if tag[0] not in ("Setup", "Result")]
        tags += [("Position", middle.text()), ("Result", record.result)]
        later = replace(record, tags=tuple(tags), plies=record.plies[3:])
        [game] = unpacked(pack([later]).data)
        assert game.stacks == [position.contents() for position in positions(later)]
        assert game.movers == [int(position.to_move) for position in positions(later)]


def test_a_record_without_moves_has_a_replay_of_its_start() -> None:
    [game] = unpacked(pack([bare("ann", "bob", "1-0")]).data)
    assert game.stacks == [games.get("yavalath").start().contents()]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (bare("a", "b", "1-0", game_id="no-such-game"), "unknown game 'no-such-game'"),
        (replace(bare("a", "b", "*"), plies=(Ply("z9"),)), "ply 1: 'z9' is not a move"),
        (replace(bare("a", "b", "*"), plies=(Ply("e5"), Ply("e5"))), "ply 2: illegal move e5"),
        (with_tags(bare("a", "b", "*", game_id="manalath"), Setup="z9"), "setup 'z9'"),
    ],
)
def test_what_cannot_be_replayed_is_told_with_the_reason(record: Record, reason: str) -> None:
    packer = Packer()
    told = packer.add(record)
    assert told.replay is None
    assert told.ending == ""
    assert reason in told.problem
    [game] = unpacked(packer.pack().data)
    assert game.head["problem"] == told.problem
    assert tuple(game.moves) == record.moves


def test_playing_through_tells_the_ending_and_the_movers() -> None:
    record = SAMPLE[0]
    told = Packer().add(record)
    *before, last = positions(record)
    outcome = last.outcome()
    assert outcome is not None
    assert (told.ending, told.problem) == (outcome.ending, "")
    assert told.replay is not None
    assert list(told.replay.movers) == [position.to_move for position in before]


def test_no_records_make_an_empty_pack() -> None:
    empty = pack([])
    assert empty.data["games"] == 0
    assert unpacked(empty.data) == []
    assert (json.loads(inflated(empty.data["boards"])), empty.shards) == ([], {})


# Effects


def test_effects_are_told_as_generally_as_can_be() -> None:
    shapes = {"A": "tile", "B": "tile", "w": "disc", "b": "disc", "k": "marker"}
    told = effects.explained
    assert told(("", ""), ("", "w"), shapes) == "1+w"
    assert told(("bk", ""), ("b", "wk"), shapes) == "!k 1+wk"
    assert told(("A", "Aw", "A", "B"), ("", "w", "", "B"), shapes) == "!A"
    assert told(("A", "Bw", "A"), ("", "w", "A"), shapes) == "0~tile 1~tile"
    assert told(("Aw", "B"), ("Ab", "B"), shapes) == ">wb"
    assert told(("A", "B"), ("A", "B"), shapes) == ""


@given(seed=...)
def test_an_effect_leads_where_it_was_learned(seed: int) -> None:
    chance = random.Random(seed)
    shapes = {"A": "tile", "w": "disc", "b": "disc"}
    before, after = (
        tuple("".join(chance.choices("Awb?", k=chance.randint(0, 3))) for _ in range(4))
        for _ in range(2)
    )
    assert effects.applied(effects.explained(before, after, shapes), before, shapes) == after


def test_a_move_that_does_other_things_elsewhere_is_told_anew(plain_moves: Game) -> None:
    """A move's text says nothing of what it does here: it toggles whatever the last one did."""
    records = [
        Record((("Game", plain_moves.id),), tuple(map(Ply, moves.split())))
        for moves in ("a a a", "b a b a", "b b a a", *["a b"] * 60, "b a a a")
    ]
    dictionary = Dictionary(plain_moves)
    for record in records:
        played = dictionary.play(record)
        stacks = [played.start]
        for kind, seat in zip(played.kinds, played.movers, strict=True):
            effect = dictionary.effects[kind][seat]
            assert effect is not None
            stacks.append(effects.applied(effect, stacks[-1], dictionary.shapes))
        assert stacks == [position.contents() for position in positions(record)]


@dataclass(frozen=True)
class Lamps:
    """Two lamps: `a` switches the first, `b` the second, and puts the first one out."""

    game: Game
    lit: tuple[bool, bool] = (False, False)
    plies: int = 0

    is_over = False

    @property
    def to_move(self) -> Seat:
        return Seat(self.plies % 2)

    def outcome(self) -> None:
        return None

    def legal_moves(self) -> tuple[Move, ...]:
        return (Move("a"), Move("b"))

    def why_illegal(self, move: Move) -> str | None:
        return None if move in self.legal_moves() else "there is no such lamp"

    def play(self, move: Move) -> Lamps:
        first, second = self.lit
        lit = (not first, second) if move == "a" else (False, not second)
        return Lamps(self.game, lit, self.plies + 1)

    def text(self) -> str:
        return str(self.lit)

    def contents(self) -> tuple[str, ...]:
        return tuple("l" if lamp else "" for lamp in self.lit)


@pytest.fixture
def plain_moves(monkeypatch: pytest.MonkeyPatch) -> Game:
    yavalath = games.get("yavalath")

    class LampGame:
        id = "lamps"
        pieces = ()
        board = yavalath.board

        def start(self, _setup: str | None = None) -> Position:
            return Lamps(self)  # type: ignore[arg-type]

        def canonical(self, text: str) -> Move:
            return Move(text)

    game: Game = LampGame()  # type: ignore[assignment]
    known: Callable[[str], Game] = games.get
    monkeypatch.setattr(games, "get", lambda name: game if name == "lamps" else known(name))
    return game


# Detail


def test_a_scale_of_times_is_within_a_quarter() -> None:
    scale = Scale(ratio=1.5)
    for value in (0.001, 0.0042, 0.5, 3.7, 60.0, 399.0):
        back = 1.5 ** (scale.step(value) - 1) / 1000
        assert back / value == pytest.approx(1, abs=0.23)
    assert scale.step(0.0) == 0


def test_a_scale_of_evaluations_is_within_half_a_step() -> None:
    scale = Scale(steps=16)
    for value in (-1.0, -0.37, 0.0, 0.99):
        assert math.isclose(scale.step(value) / 16, value, abs_tol=1 / 32)
    assert scale.step(7.0) == 16


def test_details_go_from_all_to_nothing() -> None:
    assert DETAILS[0].everything
    assert DETAILS[-1].scales == {}
    assert all(scale == EXACT for scale in DETAILS[1].scales.values())


# Streams


@given(data=...)
def test_bytes_come_back(data: bytes) -> None:
    assert inflated(deflated(data)) == data


@given(data=...)
def test_letters_come_back_and_end_no_script(data: bytes) -> None:
    letters = lettered(data)
    assert unlettered(letters) == data
    assert letters.isascii()
    assert not set(letters) & set('"<\\ \n')
    assert len(letters) <= len(data) * 16 / 13 + 2


def test_setups_of_square_boards_are_stored_without_what_parts_their_rows() -> None:
    told = Column()
    for text in ("abc/def/ghi", "", "ab/cd", "/a b3", "ab/cd"):
        told.add(text)
    packed = told.to_json()
    assert json.loads(inflated(packed["squared"])) == ["abcdefghi", "", "abcd", "//a b3"]
    assert column(packed, 5) == ["abc/def/ghi", "", "ab/cd", "/a b3", "ab/cd"]


def test_a_column_of_one_text_is_that_text() -> None:
    told = Column()
    for _ in range(3):
        told.add("same")
    assert told.to_json() == {"all": "same"}


# Size and bytes


def test_the_same_records_give_the_same_bytes() -> None:
    assert json.dumps(pack(SAMPLE).data) == json.dumps(packed().data)


TAKEN = 510_000
"""Bytes of a page beside its games that leave 900 of them too little room for all."""


@cache
def crowded() -> Pack:
    return pack(different_games(900), taken=TAKEN)


def test_fewer_games_keep_more() -> None:
    few, more = (
        found.data["parts"][0]["part"]
        for found in (pack(different_games(30), taken=TAKEN), crowded())
    )
    assert (few["legal"], few["lost"], few["scales"]) == (True, [], {})
    assert not more["legal"]
    assert more["scales"] or more["lost"]


def test_coarse_numbers_are_near_the_exact_ones() -> None:
    records, data = different_games(900), crowded().data
    scales = data["parts"][0]["part"]["scales"]
    assert set(scales) == {"emt", "eval"}
    within = 0.5 / scales["eval"]["steps"] + 1e-9
    for record, game in list(zip(records, unpacked(data), strict=True))[::97]:
        exact = [ply.eval for ply in record.plies]
        assert game.values["eval"] == pytest.approx(exact, abs=within)
        assert game.stacks == [position.contents() for position in positions(record)]


# Shards


def test_very_many_games_lie_in_files_beside_the_page() -> None:
    packer, records = Packer(part_games=5), SAMPLE[::2]
    for record in records:
        packer.add(record)
    whole = packer.pack()
    assert [part["games"] for part in whole.data["parts"]] == [5, 5, 2]
    assert [part["file"] for part in whole.data["parts"]] == list(whole.shards)
    found: list[Unpacked] = []
    for number, text in enumerate(whole.shards.values()):
        before, after = f"lath.shard({number},", ");\n"
        assert text.startswith(before)
        assert text.endswith(after)
        part = json.loads(text.removeprefix(before).removesuffix(after))
        found += unpacked_part(part, json.loads(inflated(whole.data["boards"])))
    for record, game in zip(records, found, strict=True):
        assert game.stacks == [position.contents() for position in positions(record)]


def test_hostile_names_are_packed_as_they_are() -> None:
    found = {game.head["first"] for game in unpacked(pack(hostile_records()).data)}
    assert set(HOSTILE_NAMES) <= found


def test_a_comment_stays_with_its_ply() -> None:
    record = bare("ann", "bob", "*")
    plies = (Ply("e5", "!", (comment("why not"),)), Ply("swap"))
    [part] = pack([replace(record, plies=plies)]).data["parts"]
    [chunk] = part["part"]["families"][0]["chunks"]
    assert json.loads(inflated(chunk["forms"])) == [[""], ["! {why not}"]]
