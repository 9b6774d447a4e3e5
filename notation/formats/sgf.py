"""SGF FF[4], one tree per record, for viewers and archives; it can only be written.

Source: the specification of FF[4] at red-bean.com/sgf. The details that it leaves to a game, and
the meanings of the properties:

- `GM` is the game's title as text, such as `GM[Mammalath]`: SGF has no number for these games.
- A move is one property with the arena's text, `W[c3]` or `B[swap]`. The letter `W` is the side
  whose colour is white. The letter `B` is the side whose colour is black, or the remaining side. If
  neither colour exists (Manalath), the first player is `B`. So Mammalath and Yavalath begin with
  `W`, Surikata and Manalath with `B`.
- The players are `PB` and `PW`. The tags Event, Site, Round, Date, Opening and Annotator are `EV`,
  `PC`, `RO`, `DT`, `ON` and `AN`. The TimeControl is `TM` and `OT` in SGF's form, in seconds.
- The result `RE` is `B+`, `W+`, `Draw` or `?`, with `R` for a resignation and `T` for time. An `F`
  is for a bot that played an illegal move, crashed or exceeded the output limit. A void game is
  `Void`.
- The property `TAG` of this project lists each tag that no other property holds exactly, as name
  and value: `TAG[Game:mammalath][Setup:…][Position:…][Termination:…]` and unknown tags.
- Comments before the first move are in `GC`, and those of a move in `C`, one per line with their
  `[%emt 0.5]`. The time left is also in `BL` and `WL`.
- `!` is `TE[1]`, `!!` `TE[2]`, `?` `BM[1]`, `??` `BM[2]`, `!?` `IT[]`, `?!` `DO[]`.
- Variations are the siblings of the move that they replace. Comments before the first move of a
  variation are in a node before it. Without comments that node is empty, if the move has siblings.

White space other than a space becomes a space in SGF. A tag or comment with such white space is
reported as lost. The side to move is found by playing. After a move that the rules refuse, sides
alternate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Final

from lath import games
from lath.games.core import Move, Position, Side
from lath.games.errors import GameError
from lath.notation.formats import Lost, held
from lath.notation.protocol import TimeControl, in_seconds
from lath.notation.record.record import (
    GLYPHS,
    Comment,
    Ply,
    Record,
    Remembered,
    Variation,
    all_comments,
    all_plies,
)
from lath.notation.record.tags import Termination, date_of
from lath.notation.rules.replay import canonical, start_of

_DIRECT: Final = {
    "Event": "EV",
    "Site": "PC",
    "Date": "DT",
    "Round": "RO",
    "Opening": "ON",
    "Annotator": "AN",
}
"""The properties that hold a tag unchanged."""

_GLYPHS: Final = dict(
    zip(GLYPHS, ("TE[1]", "BM[1]", "TE[2]", "BM[2]", "IT[]", "DO[]"), strict=True)
)

_REASONS: Final[Mapping[str, str]] = {
    Termination.RESIGNATION: "R",
    Termination.TIME: "T",
    **dict.fromkeys((Termination.ILLEGAL_MOVE, Termination.CRASH, Termination.FLOOD), "F"),
}
"""The letters in `RE` for the reason of a loss; other reasons have no letter."""

_BLANKS: Final = re.compile(r"\r\n|\n\r|[\t\v\f\r\n]")
"""White space that SGF replaces by a space, in SimpleText."""


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
    """Yield the records, one game tree each."""
    texts = (f"{text}\n".encode("utf-8", "replace") for text in held(records, lost, _held))
    return ((b"\n" if number else b"") + text for number, text in enumerate(texts))


def _held(record: Record) -> tuple[str, list[str]]:
    """Return the tree, and the fields that SGF changes: white space and values without text."""
    unheld = [f"tag {name}" for name, value in record.tags if not _KEPT[value]]
    plies = list(all_plies(record.plies))
    if not all(_KEPT[ply.move] for ply in plies):
        unheld.append("moves")
    if not {ply.glyph for ply in plies} <= {"", *_GLYPHS}:
        unheld.append("glyphs")
    if not all(_is_kept(_line_of(comment)) for comment in all_comments(record)):
        unheld.append("comments")
    return "".join(_tree(canonical(record))), unheld


def _is_kept(text: str) -> bool:
    return not _BLANKS.search(text) and text.encode("utf-8", "replace").decode() == text


_KEPT: Final = Remembered(_is_kept, 4096)


@dataclass(frozen=True, slots=True)
class _Turn:
    """The side to move at a point of the tree."""

    position: Position | None
    """None after a move that the rules refuse, and in a game that is not installed."""
    seat: Side

    def after(self, move: str) -> _Turn:
        """Return the turn that follows a canonical move."""
        if self.position is not None:
            with suppress(GameError):
                position = self.position.play(Move(move))
                return _Turn(position, position.to_move)
        return _Turn(None, self.seat.other)


@cache
def _version() -> str:
    return version("lath-arena")  # it reads files


def _tree(record: Record) -> Iterator[str]:
    game, turn = None, _Turn(None, Side.FIRST)
    with suppress(GameError):
        game = games.get(record.game)
        start = start_of(record)
        turn = _Turn(start, start.to_move)
    colours = game.colours if game else ("", "")
    is_white_first = colours[0] == "white" or (colours[1] == "black" and colours[0] != "black")
    letters = ("W", "B") if is_white_first else ("B", "W")
    yield "(;FF[4]CA[UTF-8]"
    yield f"AP[lath-arena:{_simple(_version(), composed=True)}]"
    yield f"GM[{_simple(game.title if game else record.game)}]"
    yield from _game_info(record, letters)
    yield from _line(record.plies, turn, letters)
    yield ")"


def _game_info(record: Record, letters: tuple[str, str]) -> Iterator[str]:
    """Yield the properties of the whole game, one per line."""
    known = {**_DIRECT, "First": f"P{letters[0]}", "Second": f"P{letters[1]}"}
    others = []
    for name, value in record.tags:
        fits = value and (name != "Date" or date_of(value))
        if name in known and fits:
            yield f"\n{known[name]}[{_simple(value)}]"
        elif name != "Result" or value != record.result:
            others.append(f"[{_simple(name, composed=True)}:{_simple(value, composed=True)}]")
    yield from _time(record.tag("TimeControl"))
    yield f"\nRE[{_result(record, letters)}]"
    if others:
        yield f"\nTAG{''.join(others)}"
    if record.comments:
        yield f"\nGC[{_text(record.comments)}]"


def _time(value: str) -> Iterator[str]:
    """Yield `TM`, the seconds of each side, and `OT`, the added time; nothing without a limit."""
    try:
        control = TimeControl.read(value)
    except ValueError:
        return
    if control.has_clock:
        yield f"\nTM[{in_seconds(control.initial_ms)}]"
    words = []
    if control.increment_ms:
        words.append(f"{in_seconds(control.increment_ms)} added after each move")
    elif control.move_ms:
        words.append(f"{in_seconds(control.move_ms)} for each move")
    elif control.nodes:
        words.append(f"{control.nodes} nodes for each move")
    if control.first_ms:
        words.append(f"{in_seconds(control.first_ms)} for the first move")
    if words:
        yield f"\nOT[{', '.join(words)}]"


def _result(record: Record, letters: tuple[str, str]) -> str:
    if (winner := record.result.winner) is not None:
        return f"{letters[winner]}+{_REASONS.get(record.termination, '')}"
    if not record.result.is_finished:
        return "Void" if record.termination == Termination.VOID else "?"
    return "Draw"


def _line(plies: Sequence[Ply], turn: _Turn, letters: tuple[str, str]) -> Iterator[str]:
    """Yield the nodes of a line; at variations, the rest of the line is the first branch."""
    branches: list[tuple[Sequence[Variation], _Turn]] = []
    for ply in plies:
        variations = _alternatives(ply)
        yield "\n"
        if variations:
            branches.append((variations, turn))
            yield "("
        yield _node(ply, letters[turn.seat])
        turn = turn.after(ply.move)
    for alternatives, before in reversed(branches):
        yield ")"
        for variation in alternatives:
            yield "\n("
            nodes = _line(variation.plies, before, letters)
            if variation.comments:
                yield f";C[{_text(variation.comments)}]"
            elif _alternatives(variation.plies[0]):
                yield ";"  # a tree begins with a node
            else:
                next(nodes)  # the first node is on the line of its parenthesis
            yield from nodes
            yield ")"


def _alternatives(ply: Ply) -> list[Variation]:
    return [variation for variation in ply.variations if variation.plies or variation.comments]


def _node(ply: Ply, letter: str) -> str:
    parts = [f";{letter}[{_MOVES[ply.move]}]", _GLYPHS.get(ply.glyph, "")]
    clock = ply.annotation("clk")
    left = clock.number if clock else None
    if left is not None and left >= 0:
        parts.append(f"{letter}L[{left:.3f}]")
    if ply.comments:
        parts.append(f"C[{_text(ply.comments)}]")
    return "".join(parts)


def _simple(text: str, *, composed: bool = False) -> str:
    """Return the text as SimpleText; colons are escaped only if one would end the value."""
    return (_COMPOSED_SIGNS if composed else _SIGNS).sub(r"\\\g<0>", _BLANKS.sub(" ", text))


_SIGNS: Final = re.compile(r"[\\\]]")
_COMPOSED_SIGNS: Final = re.compile(r"[\\\]:]")

_MOVES: Final = Remembered(_simple, 4096)


def _text(comments: Sequence[Comment]) -> str:
    return "\n".join(_simple(_line_of(comment)) for comment in comments)


def _line_of(comment: Comment) -> str:
    return " ".join(map(str, comment))
