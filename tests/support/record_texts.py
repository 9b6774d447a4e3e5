"""Texts of records for fuzzing: games by the rules in many spellings, and changed ones.

Must not know how text is read: tests decide whether a text is a valid record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Final, NamedTuple

from sample_records import BUILT_IN, random_game
from walks import walk

from lath import games
from lath.games.core import Position, Result, result_of
from lath.notation import Ply, Record, Variation, format_record, format_records
from lath.notation.record.record import GLYPHS, comment
from lath.notation.record.tags import Termination

GAMES: Final = games.ids()

WALKS: Final = 10
"""The number of games of each kind; each gives many texts."""

DECIDED: Final = ("resignation", "time", "illegal move", "crash", "adjudication", "agreement")
OPEN: Final = ("unterminated", "void", "ply limit", "")

TAME_NOTES: Final = (
    "[%emt 0.5]", "[%emt 12]", "[%emt 0.012] [%eval 0.1]", "[%clk 60]", "[%clk 0]", "[%eval 0.25]",
    "[%eval -1]", "[%eval 1.0]", "[%eval -0]", "[%depth 3]", "[%nodes 123456]", "[%pv e5 swap d4]",
    "[%pv]", "[%mood fine]", "book", "a  b", "line\nbreak", "é☃", "Zürich (1-0)", "!", "1. e5",
)  # fmt: skip
WILD_NOTES: Final = (
    "[%emt 5.]", "[%emt .5]", "[%emt -1]", "[%emt 1e3]", "[%emt nan]", "[%emt inf]", "[%emt  1]",
    "[%emt\n1]", "[%emt]", "[%emt 1 2]", "[%emt +1]", "[%emt 1_0]", "[%emt ٣]", "[%emt 1.5 ]",
    "[%emt 9999999999.5]", "[%clk -0.5]", "[%clk soon]", "[%eval 1.01]", "[%eval 2]", "[%eval --1]",
    "[%eval 1.00001]", "[%eval -1.]", "[%eval .5]", "[%eval 0x1]", "[%eval ]", "[%eval 01]",
    "[%depth 3.0]", "[%depth -1]", "[%depth ²]", "[%depth ٣]", "[%depth]",
    "[%nodes 12345678901234567890]", "[%nodes 1,000]",
    "[%pv {]", "[%pv !]", "[%pv ;a]", "[%]", "[% emt 2]", "[%emt2 x]",
    "[%Eval 2]", "[eval 2]", "[%eval 2", "[[%eval 2]]", "[%eval [0]]", "[%eval 0.5 ;]", "[", "]",
    "(", ")", ";", "[Game", '[Game "x"]', "\u00a0", "\u2028", "\x00", "\t", "\r", "\x0b", "\u202e",
    "1-0", "*", '"', "\\", "{", "x" * 120,
)  # fmt: skip
WILD_TAGS: Final = (
    ("Date", "2026-02-30"), ("Date", "today"), ("Date", ""), ("Date", "20261120"), ("Date", "?"),
    ("TimeControl", "10"), ("TimeControl", "0+1"), ("TimeControl", ""), ("TimeControl", "?"),
    ("Setup", ""), ("Setup", "e5"), ("Setup", "-"), ("Position", ""), ("Position", "x w"),
    ("Result", ""), ("Result", "2-0"), ("Termination", ""), ("Termination", "bored"),
    ("Termination", "rules"), ("Termination", "time"), ("Game", "yavalath"), ("game", "chess"),
    ("Event", '\\"[]{};\u2028'), ("Event", "again"),
)  # fmt: skip
TAME_TAGS: Final = (
    ("Event", 'a "quoted" \\ name'), ("Site", "Zürich"), ("Date", "2026-11-20"), ("Round", "3"),
    ("First", "ann"), ("Second", "bob"), ("TimeControl", "10+0.1"), ("TimeControl", "move 0.5"),
    ("TimeControl", "none"), ("Opening", ""), ("Seed", "7"), ("Mood_2", "unknown"),
)  # fmt: skip

TAG_GAPS: Final = ("\n", "\n", "\r\n", " ", "", "\n  ", "\n\n")
GAPS: Final = ((" ",), (" ", "\n"), ("\n",), ("\r\n", " "), ("  ", "\t", " \n "), (" ", "", "\n"))
WILD_GAPS: Final = ("", "\u00a0", "\x0b", "\x0c", "\u2028", "\r", "\n\n", "\x85", "\ufeff", "%")

SIGNS: Final = (
    "[", "]", "(", ")", "{", "}", ";", "\n", " ", "\r", '"', "\\", "!", "?", "!!", "*", "1-0",
    "0-1", "1/2-1/2", "1.", "2.", "01.", "e5", "swap", "Mc3", "xF", "xb2-b4", "Oe5", "d4", "{a}",
    ";b\n", "[%eval 2]", "{[%eval 2]}", "{[%emt 1]}", '[Game "yavalath"]', '[Game "surikata"]',
    '[Event "a"]', '[Result "*"]', "Game", '"yavalath"', "(1. e5)", "\n\n", "é", "\x00", "\u00a0",
)  # fmt: skip
SEED_FILE: Final = (
    "".join(format_records(random_game(game_id, 1, annotated=True) for game_id in BUILT_IN))
    + '\n[Game "yavalath"]\n[Event "\\"a\\\\"]\n\n{one [%eval 0.1]} 1. e5!? (1. d4 ;two }\n) *\n'
)

PIECES: Final = (
    b"{", b"}", b"(", b")", b";", b'"', b"\\", b"[", b"]", b"\n", b"\n\n", b"\r", b"\x00", b"\xff",
    b"\xc3", b"\xe2\x80\xae", b"1.", b"e5", b"*", b"1-0", b"[%", b"[%emt x]",
    b'[Game "yavalath"]\n', b"\n\n[Game", b"!", b"99999999999.", b" " * 120, b"\xef\xbb\xbf",
)  # fmt: skip

_TOKEN: Final = re.compile(r'\{[^}]*\}?|;[^\n]*|"[^"\n]*"?|[A-Za-z0-9./-]+|\s+|.', re.DOTALL)


class Walked(NamedTuple):
    """A game from its start to its end."""

    positions: tuple[Position, ...]
    moves: tuple[str, ...]
    setup: str | None


@cache
def walked(game_id: str, seed: int) -> Walked:
    """Return the game that `walk` plays."""
    game = games.get(game_id)
    steps = list(walk(game, seed))
    moves = tuple(str(move) for _, move in steps if move is not None)
    return Walked(tuple(position for position, _ in steps), moves, game.draw_setup(seed))


class Hand(NamedTuple):
    """The habits of a writer."""

    chance: Random
    wild: float
    """The share of slips."""
    notes: Sequence[str]
    """The texts of comments."""

    def slips(self, rarity: float = 1) -> bool:
        """Return whether the writer slips now."""
        return self.chance.random() < self.wild / rarity


def some_hand(chance: Random) -> Hand:
    """Return a writer with no slips, some, many, or always the same one."""
    match chance.randrange(5):
        case 0:
            return Hand(chance, 0, TAME_NOTES)
        case 1 | 2:
            return Hand(chance, 0, (*TAME_NOTES, *[chance.choice(WILD_NOTES)] * 5))
        case 3:
            return Hand(chance, 0.03, TAME_NOTES)
        case _:
            return Hand(chance, 0.3, (*TAME_NOTES, *chance.sample(WILD_NOTES, 10)))


def written(chance: Random) -> str:
    """Return a game by the rules, in canonical text or in other spellings."""
    hand = some_hand(chance)
    record = a_record(hand)
    if chance.random() < 0.3:
        return format_record(annotated(record, hand))
    return spelled(record, hand)


def a_record(hand: Hand) -> Record:
    """Return a part of a game, from its start or from a position."""
    chance = hand.chance
    game_id = chance.choice(GAMES)
    game = walked(game_id, chance.randrange(WALKS))
    begin, end = _cut(chance, len(game.moves))
    moves = list(game.moves[begin:end])
    if moves and (hand.slips() or chance.random() < 0.08):
        _spoil(moves, game.moves, chance)
    result, termination = _ending(result_of(game.positions[end]), hand)
    start = ("Position", game.positions[begin].text()) if begin else ("Setup", game.setup or "")
    tags = {"Game": game_id}
    tags |= {
        name: value
        for name, value in (start, ("Termination", termination))
        if value or chance.random() < 0.02
    }
    tags |= {"Result": result} if chance.random() < 0.8 else {}
    tags |= dict(chance.sample(TAME_TAGS, chance.randrange(4)))
    return Record(tuple(tags.items()), tuple(map(Ply, moves)), Result(result))


def _cut(chance: Random, plies: int) -> tuple[int, int]:
    """Return the beginning and the end of a part of a game; most parts are short, for speed."""
    if chance.random() < 0.1:
        return 0, plies
    begin = chance.choice((0, max(0, plies - chance.randrange(1, 9)), chance.randrange(plies)))
    return begin, min(plies, begin + chance.randrange(12))


def _spoil(moves: list[str], others: Sequence[str], chance: Random) -> None:
    at = chance.randrange(len(moves))
    spelled = moves[at].swapcase(), "-".join(moves[at].split("-")[::-1]), f"{moves[at]}+", "resign"
    moves[at : at + chance.randrange(2)] = [chance.choice((*moves, *moves, *others, *spelled))]


def _ending(ruled: str, hand: Hand) -> tuple[str, str]:
    chance = hand.chance
    if hand.slips():
        return chance.choice(list(Result)), chance.choice([word.value for word in Termination])
    if ruled != "*":
        return ruled, chance.choice(("rules", "rules", "", "time"))
    if chance.random() < 0.2:
        return chance.choice(list(Result)[:3]), chance.choice(DECIDED)
    return "*", chance.choice(OPEN)


def annotated(record: Record, hand: Hand) -> Record:
    """Return the record with comments and glyphs, now and then with variations."""
    chance = hand.chance
    share, branches = chance.choice((0, 0.2, 1)), chance.random() < 0.1

    def of_ply(ply: Ply) -> Ply:
        if chance.random() >= share:
            return ply
        said = tuple(filter(None, (comment(_note(hand)) for _ in range(chance.randrange(3)))))
        inner = Variation((Ply(ply.move), *record.plies[:1]))
        variations = (inner,) if branches and chance.random() < 0.2 else ()
        return replace(ply, glyph=_glyph(chance), comments=said, variations=variations)

    before = comment(_note(hand)) if chance.random() < share / 2 else ()
    return replace(
        record, plies=tuple(map(of_ply, record.plies)), comments=(before,) if before else ()
    )


def _glyph(chance: Random) -> str:
    return chance.choice(GLYPHS) if chance.random() < 0.3 else ""


def _note(hand: Hand) -> str:
    parts = [hand.chance.choice(hand.notes) for _ in range(hand.chance.randrange(4))]
    return hand.chance.choice((" ", "  ", "")).join(parts)


def spelled(record: Record, hand: Hand) -> str:
    """Return the record in another spelling than the project's."""
    chance = hand.chance
    gaps = chance.choice(GAPS)
    share, numbers = chance.choice((0, 0.1, 0.6)), chance.choice((1, 1, 0, 0.5))
    words = _comments(hand, share)
    first = chance.choice((0, 2)) if hand.slips(5) else 1
    for number, ply in enumerate(record.plies, first):
        if chance.random() < numbers:
            words.append(_number(number, hand))
        words.append(ply.move + ("!!!" if hand.slips(10) else _glyph(chance)))
        words += _comments(hand, share)
        if chance.random() < share / 40:
            words.append(f"({number}. {ply.move})")
    words.append(record.result)
    movetext = "".join(
        word + chance.choice(WILD_GAPS if hand.slips(10) else gaps) for word in words
    )
    return _tag_lines(record, hand) + chance.choice(("\n", "\r\n", "")) + movetext


def _tag_lines(record: Record, hand: Hand) -> str:
    chance, tags = hand.chance, list(record.tags)
    while hand.slips():
        tags.insert(chance.randrange(len(tags) + 1), chance.choice(WILD_TAGS))
    gap = chance.choice(TAG_GAPS)
    form = "[ {}\n{}\t]" if chance.random() < 0.1 else "[{} {}]"
    return "".join(form.format(name, _quoted(value)) + gap for name, value in tags)


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _number(number: int, hand: Hand) -> str:
    if hand.slips(5):
        return hand.chance.choice((f"{number + 1}.", f"0{number}.", f"{number}..", f"{number}"))
    return f"{number}."


def _comments(hand: Hand, share: float) -> list[str]:
    said = []
    while hand.chance.random() < share / 2:
        note = _note(hand)
        said.append(f";{note}\n" if hand.chance.random() < 0.3 else f"{{{note}}}")
    return said


def soup(chance: Random) -> str:
    """Return symbols of the notation in random order, mostly between a tag and a result."""
    signs = "".join(
        chance.choice(SIGNS) + chance.choice(("", " ")) for _ in range(chance.randrange(14))
    )
    head = chance.choice(('[Game "yavalath"]\n\n', '[Game "surikata"] ', ""))
    return f"{head}{signs}{chance.choice((' *', '*', ' 1-0', ''))}"


def mutant(text: str, other: str, chance: Random, signs: Sequence[str] = SIGNS) -> str:
    """Return the text with a few changed characters, words or lines, or spliced with `other`.

    `signs` can be inserted.
    """
    if chance.random() < 0.1:
        return _spliced(text, other, chance)
    units = chance.choice((_characters, _TOKEN.findall, _lines))(text)
    for _ in range(chance.choice((1, 1, 1, 1, 3))):
        _change(units, chance, signs)
    return "".join(units)


def _characters(text: str) -> list[str]:
    return list(text)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _spliced(text: str, other: str, chance: Random) -> str:
    return text[: chance.randrange(len(text) + 1)] + other[chance.randrange(len(other) + 1) :]


def _change(units: list[str], chance: Random, signs: Sequence[str]) -> None:
    at, to = chance.randrange(len(units) + 1), chance.randrange(len(units) + 1)
    match chance.randrange(5):
        case 0:
            del units[at : at + 1]
        case 1:
            units[at:at] = units[at : at + 1]
        case 2:
            units[at : at + 1], units[to : to + 1] = units[to : to + 1], units[at : at + 1]
        case 3:
            units.insert(at, chance.choice(signs))
        case _:
            units[at : at + 1] = [chance.choice(signs)]
