"""What the page embeds of the records: all of it comes back."""

from __future__ import annotations

import gc
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, BinaryIO

import pytest
from different_games import different_games
from hypothesis import given
from record_strategies import RECORDS
from report_pages import ANALYSED
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
from unpacking import Unpacked, heads, opened, unpacked

from lath import games
from lath.games.core import Game, Move, Position, Side
from lath.notation.files.files import TemporaryFileError, temporary_file
from lath.notation.record.record import Ply, Record, Variation, comment, ply_as_read
from lath.notation.record.record import annotation_as_read as as_read
from lath.notation.rules import effects
from lath.notation.rules.effects import Dictionary, LegalMoves
from lath.notation.rules.replay import positions, start_of
from lath.notation.text.scanner import parse
from lath.notation.text.writer import comment_words
from lath.reports.page import pack as packing
from lath.reports.page import pending_games
from lath.reports.page.pack import Packer, json_letters

pytestmark = pytest.mark.slow


@cache
def sample() -> list[Record]:
    """Return some games of each game."""
    return tournament(("ann", "bob"), 2, annotated=True)


def pack(records: Iterable[Record]) -> dict[str, Any]:
    """Return what a page on the records embeds of them."""
    packer = Packer()
    for record in records:
        packer.add(record)
    return packer.pack()


@cache
def packed() -> dict[str, Any]:
    return pack(sample())


def as_the_rules_say(game: Unpacked, record: Record, *, legal: bool = True) -> None:
    """See that each ply shows what the rules say lies there, who is to move and may move where."""
    line = list(positions(record))
    assert game.stacks == [position.contents() for position in line]
    assert game.movers == [int(position.to_move) for position in line]
    if legal:
        assert game.legal == [set(position.legal_moves()) for position in line]


def words_of(ply: Ply) -> str:
    return "".join(f" {word}" for said in ply.comments for word in comment_words(said))


# What comes back


def test_boards_movers_moves_words_and_endings_come_back() -> None:
    records = sample()[::2]
    for record, game in zip(records, unpacked(pack(records)), strict=True):
        as_the_rules_say(game, record)
        assert (tuple(game.tags), tuple(game.moves)) == (record.tags, record.moves)
        assert game.said == ["", *map(words_of, record.plies)]
        *_, last = positions(record)
        outcome = last.outcome()
        assert outcome is not None
        assert (game.head["result"], game.head["ending"]) == (record.result, outcome.ending)
        names = last.game.board.names
        assert tuple(names[cell] for cell in game.deciding) == outcome.cells
        assert game.is_loss == outcome.is_loss
        assert Packer().add(record) == outcome.ending, "in the words of the rules"
    stopped = cut(sample()[0], 2, "resignation", "1-0")
    assert Packer().add(stopped) == ""
    [game] = unpacked(pack([stopped]))
    assert (game.head["ending"], game.deciding) == ("", [])


def test_records_of_any_kind_come_back() -> None:
    hostile = hostile_records()
    for record, game in zip(hostile, unpacked(pack(hostile)), strict=True):
        assert (tuple(game.tags), tuple(game.moves)) == (record.tags, record.moves)
    assert {game.head["first"] for game in unpacked(pack(hostile))} >= {*HOSTILE_NAMES}
    for game_id in BUILT_IN:  # from a position
        record = random_game(game_id, 5)
        middle = list(positions(record))[3]
        tags = [tag for tag in record.tags if tag[0] not in ("Setup", "Result")]
        tags += [("Position", middle.text()), ("Result", record.result)]
        later = replace(record, tags=tuple(tags), plies=record.plies[3:])
        [game] = unpacked(pack([later]))
        as_the_rules_say(game, later, legal=False)
    [game] = unpacked(pack([bare("ann", "bob", "1-0")]))
    assert game.stacks == [games.get("yavalath").start().contents()]
    empty = pack([])
    assert (empty["games"], empty["chunks"], unpacked(empty)) == (0, [], [])
    assert opened(empty["head"])["boards"] == []


@given(RECORDS)
def test_any_record_can_be_packed_and_keeps_tags_and_moves(record: Record) -> None:
    [game] = unpacked(pack([record]))
    assert tuple(game.moves) == record.moves
    expected = [(name, value) for name, value in record.tags if name != "Result"]
    assert [tag for tag in game.tags if tag[0] != "Result"] == [
        (name, value.encode("utf-8", "replace").decode()) for name, value in expected
    ]


def test_numbers_and_variations_come_back_as_they_were_written() -> None:
    numbers = (as_read("emt", "0.5000"), as_read("clk", "-0.0"), as_read("pv", "e5 d04"))
    words = comment("[%depth 007] of 3.14.15 or -2 and 1e9-7, all \x00 in all")
    plies = (
        ply_as_read("e5", "!?", (numbers, words)),
        Ply("swap", "", (), (Variation((Ply("d4"),)),)),
    )
    [game] = unpacked(pack([replace(bare("a", "b", "*"), plies=plies)]))
    written = " ".join([*comment_words(numbers), *comment_words(words)])
    assert game.said == ["", f"!? {written}", " (2. d4)"]


def test_words_of_a_record_that_is_read_come_back_as_those_of_one_that_is_made() -> None:
    text = '[Game "yavalath"] 1. e5! {[%eval 0.5] a word} 2. d4 {[%emt 0.250]} 3. c3 *'
    assert any(ply.said for ply in parse(text).plies), "not all of them are looked into"
    plies = [Ply(ply.move, ply.glyph, ply.comments) for ply in parse(text).plies]
    made = Record(parse(text).tags, tuple(plies))
    (read,), (other,) = unpacked(pack([parse(text)])), unpacked(pack([made]))
    assert read.said == other.said == ["", "! {[%eval 0.5] a word}", " {[%emt 0.250]}", ""]


def test_a_better_line_comes_back_with_its_positions_where_the_game_has_it() -> None:
    record = parse(ANALYSED)
    [game] = unpacked(pack([record]))
    [(ply, moves, stacks)] = game.better
    position = start_of(record)
    assert (ply, moves) == (1, ["d3", "a1"])
    for move, reached in zip(moves, stacks, strict=True):
        position = position.play(Move(move))
        assert reached == position.contents()
    for line in ("1. a1 2. a1", "1. zz"):
        [game] = unpacked(pack([parse(ANALYSED.replace("1. d3 2. a1", line))]))
        assert game.better == []
        assert line in game.said[1]
    of_people = parse(ANALYSED.replace("({[%by solver nodes 5000]}", "({mine}"))
    assert unpacked(pack([of_people]))[0].better == []


UNPLAYABLE = {
    "unknown game 'no-such-game'": bare("a", "b", "1-0", game_id="no-such-game"),
    "ply 1: 'z9' is not a move": replace(bare("a", "b", "*"), plies=(Ply("z9"),)),
    "ply 2: illegal move e5": replace(bare("a", "b", "*"), plies=(Ply("e5"), Ply("e5"))),
    "setup 'z9'": with_tags(bare("a", "b", "*", game_id="manalath"), Setup="z9"),
}


def test_what_cannot_be_replayed_is_told_with_the_reason() -> None:
    for reason, record in UNPLAYABLE.items():
        packer = Packer()
        assert packer.add(record) is None
        [game] = unpacked(packer.pack())
        assert (game.head["ending"], tuple(game.moves)) == ("", record.moves)
        assert reason in game.head["problem"]


# What is learned of many games, and where they are kept


def test_legal_moves_are_those_of_the_rules_also_where_what_they_do_is_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records = [random_game(game_id, seed) for game_id in BUILT_IN for seed in range(6)]
    of_one = [random_game("manalath", seed) for seed in range(20)]
    plain = pack(of_one)
    monkeypatch.setattr(packing, "LEARNED", 4)
    learned = pack(of_one)
    assert [game.legal for game in unpacked(learned)] == [game.legal for game in unpacked(plain)]
    corrections = [
        sum(len(ply) for chunk in data["chunks"] for game in opened(chunk)["legal"] for ply in game)
        for data in (learned, plain)
    ]
    assert 3 * corrections[0] < 2 * corrections[1]
    monkeypatch.setattr(effects, "_TRIALS", 1)
    for record, game in zip(records, unpacked(pack(records)), strict=True):
        assert game.legal == [set(position.legal_moves()) for position in positions(record)]
    dictionary = Dictionary(games.get("yavalath"))
    for seed in range(20):
        dictionary.play(random_game("yavalath", seed))
    settled = dictionary.settled()
    assert settled
    assert all(None not in dictionary.effects[kind] for kind in settled.values())


def test_what_a_legal_move_would_do_is_what_the_rules_say() -> None:
    for game_id in BUILT_IN:
        dictionary = Dictionary(games.get(game_id))
        for seed in range(5):
            dictionary.play(random_game(game_id, seed))
        record = random_game(game_id, 99)
        moves = LegalMoves(dictionary)
        for position, legal in zip(positions(record), list(moves.of(record)), strict=True):
            bits = moves.kinds(legal)
            kinds = [kind for kind in range(len(dictionary.texts)) if bits >> kind & 1]
            texts = [dictionary.texts[kind] for kind in kinds]
            assert sorted(texts) == sorted(position.legal_moves())
            for kind, text in zip(kinds, texts, strict=True):
                effect = dictionary.effects[kind][position.to_move]
                assert effect is not None
                after = effects.applied(effect, position.contents(), dictionary.shapes)
                assert after == position.play(Move(text)).contents()


@pytest.mark.parametrize(("memory", "count"), [(0, 6), (3_000, None)])
def test_games_come_back_from_memory_and_from_the_disk(
    monkeypatch: pytest.MonkeyPatch, memory: int, count: int | None
) -> None:
    records = sample()[:count]
    expected = pack(records) if count else packed()  # before anything is another
    monkeypatch.setattr(pending_games, "BLOCK", 3)
    monkeypatch.setattr(pending_games, "MEMORY", memory)
    opened_files = []

    def noted() -> BinaryIO:
        opened_files.append(temporary_file())
        return opened_files[-1]

    monkeypatch.setattr(pending_games, "temporary_file", noted)
    assert pack(records) == expected
    assert [file.closed for file in opened_files] == [True], "nobody needs it any more"


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_no_room_on_the_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_games, "BLOCK", 1)
    monkeypatch.setattr(pending_games, "MEMORY", 0)
    monkeypatch.setattr(tempfile, "TemporaryFile", partial(open, "/dev/full", "r+b", 0))
    with pytest.raises(TemporaryFileError):
        pack(sample())
    gc.collect()


def test_games_of_several_chunks_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "CHUNK", 5)
    records = different_games(8)
    data = pack(records)
    assert len(data["chunks"]) == 2
    for record, game in list(zip(records, unpacked(data), strict=True))[-5:]:
        as_the_rules_say(game, record)


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


def test_lines_of_a_tree_lead_where_the_rules_say() -> None:
    for record in sample():
        game, moves = games.get(record.game), record.moves
        if record.tag("Setup"):
            continue
        lines = [" ".join(moves[:plies]) for plies in range(1, len(moves) + 1)]
        shapes = {piece.code: piece.shape for piece in game.pieces}
        contents = game.start().contents()
        line = zip(effects.steps(game, lines), positions(record), strict=False)
        for step, position in line:
            assert contents == position.contents()
            assert step is not None
            contents = effects.applied(step.effect, contents, shapes)
    steps = effects.steps(games.get("yavalath"), ["e5", "e5 e5", "e5 e5 a1", "e5 swap"])
    assert [step and step.before for step in steps] == [-1, None, None, 0]


def plays_as_the_rules(dictionary: Dictionary, record: Record) -> None:
    played = dictionary.play(record)
    stacks = [effects.applied(played.start, dictionary.plain, dictionary.shapes)]
    for kind, seat in zip(played.kinds, played.movers, strict=True):
        effect = dictionary.effects[kind][seat]
        assert effect is not None
        stacks.append(effects.applied(effect, stacks[-1], dictionary.shapes))
    assert stacks == [position.contents() for position in positions(record)]


def a_line(game_id: str, moves: str, **tags: str) -> Record:
    return Record((("Game", game_id), *tags.items()), tuple(map(Ply, moves.split())))


def test_a_move_that_does_other_things_elsewhere_is_told_anew(plain_moves: Game) -> None:
    """A move's text says nothing of what it does here: it toggles whatever the last one did."""
    dictionary = Dictionary(plain_moves)
    for moves in ("a a a", "b a b a", "b b a a", *["a b"] * 60, "b a a a"):
        plays_as_the_rules(dictionary, a_line(plain_moves.id, moves))


@pytest.mark.parametrize(
    ("game_id", "known", "line"),
    [
        # here the line takes all of a type, in the last game it takes one of each
        (
            "mammalath-plus:size=4",
            ("b2 xa1-d4", "b2 xA", "b2 xB", "b2 xC", "b2 xD", "b2 d2 a1 c2 a3 c4 c1 b4 d3 a4 d1"),
            "b2 xa1-d4 a1 xA a3 xB c1 xC d3 xD d1",
        ),
        # here the first piece brings the meerkat, in the last game it moves it
        (
            "surikata",
            ("Ma1 Ma2 Ma3 Ma4 Ma5 e5", "Ma1 Ma2 Ma3 Ma4 Ma5 c5 b1", "Ma1 Ma2 Ma3 Ma4 Ma5 c5 d1"),
            "Ma1 Ma2 Ma3 Ma4 Ma5 c5 b1 e5 d1",
        ),
    ],
)
def test_what_a_move_always_did_so_far_is_not_all_that_it_may_do(
    game_id: str, known: tuple[str, ...], line: str
) -> None:
    game = games.get(game_id)
    dictionary = Dictionary(game)
    for moves in known * 14:
        dictionary.play(a_line(game.id, moves))
    setup = {"Setup": game.draw_setup(5) or ""} if game.has_setups else {}
    plays_as_the_rules(dictionary, a_line(game.id, line, **setup))


def test_a_game_of_known_moves_is_what_it_is_when_each_move_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(effects, "_TRIALS", 2)
    for game_id in BUILT_IN:
        records = [random_game(game_id, seed % 8) for seed in range(20)]
        closely, at_once = (Dictionary(games.get(game_id)) for _ in range(2))
        monkeypatch.setattr(closely, "at_once", lambda *_: None)
        assert [at_once.play(one) for one in records] == [closely.play(one) for one in records]
        assert any(at_once.at_once(start_of(record), record.moves) for record in records)


def test_what_a_move_does_for_both_sides_is_one_kind() -> None:
    dictionary = Dictionary(games.get("mammalath"))
    for seed in range(40):
        dictionary.play(random_game("mammalath", seed))
    for text in set(dictionary.texts):
        alone: list[set[str]] = [set(), set()]
        for known, effects_of in zip(dictionary.texts, dictionary.effects, strict=True):
            for seat in (0, 1):
                effect = effects_of[seat]
                if known == text and effect is not None and effects_of[1 - seat] is None:
                    alone[seat].add(effect)
        assert not alone[0] & alone[1]


@dataclass(frozen=True)
class Lamps:
    """Two lamps: `a` switches the first, `b` the second, and puts the first one out."""

    game: Game
    lit: tuple[bool, bool] = (False, False)
    plies: int = 0

    is_over = False

    @property
    def to_move(self) -> Side:
        return Side(self.plies % 2)

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
    class LampGame:
        id = "lamps"
        pieces = ()
        board = games.get("yavalath").board

        def start(self, _setup: str | None = None) -> Position:
            return Lamps(self)  # type: ignore[arg-type]

        def canonical(self, text: str) -> Move:
            return Move(text)

    game: Game = LampGame()  # type: ignore[assignment]
    known: Callable[[str], Game] = games.get
    monkeypatch.setattr(games, "get", lambda name: game if name == "lamps" else known(name))
    return game


# Bytes


@given(value=...)
def test_values_come_back_and_end_no_script(value: dict[str, list[int | str]]) -> None:
    letters = json_letters(value)
    assert opened(letters) == json.loads(
        json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    )
    assert re.fullmatch("[A-Za-z0-9+/=]*", letters)


def test_each_text_of_a_column_is_stored_once_and_bytes_are_the_same_every_time() -> None:
    data = pack([bare(name, "eve", "*") for name in ("ann", "bob", "ann")])
    column = opened(data["head"])["columns"]["first"]
    assert column == {"texts": ["ann", "bob"], "at": [0, 1, 0]}
    assert pack(sample()[::8]) == pack(iter(sample()[::8]))


# More games than a page replays


def of_many(count: int, links: tuple[int, ...] = ()) -> dict[str, Any]:
    packer = Packer(replayed=count)
    for record in sample():
        packer.add(record)
    packer.numbering.links.update(links)
    return packer.pack()


def test_the_list_has_all_games_and_replays_the_wanted_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played: list[tuple[str, ...]] = []
    play = Dictionary.play

    def noted(dictionary: Dictionary, record: Record) -> effects.Replay:
        played.append(record.moves)
        return play(dictionary, record)

    monkeypatch.setattr(Dictionary, "play", noted)
    data = of_many(5, links=(1, 8))
    places = opened(data["head"])["replayed"]
    assert (len(places), {0, 7} <= set(places)) == (5, True)
    assert played == [sample()[place].moves for place in places], "no other is played ply by ply"
    assert len(heads(data)) == data["games"] == len(sample())
    assert heads(data) == heads(packed())
    for place, game in zip(places, unpacked(data), strict=True):
        as_the_rules_say(game, sample()[place], legal=False)


def test_every_pairing_and_ending_has_a_replay_before_one_has_two() -> None:
    alike = ("family", "first", "second", "result", "termination", "ending")
    rows = [tuple(row[name] for name in alike) for row in heads(packed())]
    places = opened(of_many(len(set(rows)) + 1)["head"])["replayed"]
    assert set(Counter(rows[place] for place in places)) == set(rows)
    last = {row: place for place, row in enumerate(rows)}
    assert set(last.values()) <= set(places)
