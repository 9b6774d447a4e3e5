"""SGF FF[4], a tree a record, for viewers and archives. Only written.

Source: the specification of FF[4] at red-bean.com/sgf. What it leaves to a game, and what stands
where:

- `GM` is the game's title as text, such as `GM[Mammalath]`: SGF has no number for these games.
- A move is one property in our text, `W[c3]` or `B[swap]`. `W` is the seat whose colour is white,
  `B` the one whose colour is black, else the seat that is left; where neither is either (Manalath)
  first is `B`. So Mammalath and Yavalath begin with `W`, Surikata and Manalath with `B`.
- `PB` and `PW` are the players, `EV`, `PC`, `RO`, `DT`, `ON`, `AN` the tags Event, Site, Round,
  Date, Opening and Annotator; `TM` and `OT` say the TimeControl in SGF's way, in seconds.
- `RE` is `B+`, `W+`, `Draw` or `?`, with `R` for a resignation, `T` for time and `F` for a bot that
  played an illegal move, crashed or flooded; `Void` for a void game.
- `TAG`, a property of our own, lists each tag that no other property holds to the letter, composed
  of name and value: `TAG[Game:mammalath][Setup:…][Position:…][Termination:…]`, unknown ones.
- `GC` has the comments before the first move, `C` those of a move, a line each with their
  `[%emt 0.5]`; `BL` and `WL` repeat the time left.
- `!` is `TE[1]`, `!!` `TE[2]`, `?` `BM[1]`, `??` `BM[2]`, `!?` `IT[]`, `?!` `DO[]`.
- Variations are the siblings of the move that they replace. What is said before the first move of
  one stands in a node before it, which is empty where nothing is said and that move has siblings.

White space other than a blank is a blank in SGF: a tag or a comment that has some is told of as
lost. Who moves is found by playing; behind a move that the rules refuse, seats alternate.
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
"""The properties that hold a tag as it is."""

_GLYPHS: Final = dict(
    zip(GLYPHS, ("TE[1]", "BM[1]", "TE[2]", "BM[2]", "IT[]", "DO[]"), strict=True)
)

_REASONS: Final[Mapping[str, str]] = {
    Termination.RESIGNATION: "R",
    Termination.TIME: "T",
    **dict.fromkeys((Termination.ILLEGAL_MOVE, Termination.CRASH, Termination.FLOOD), "F"),
}
"""What `RE` says of why somebody lost; nothing where it has no word for it."""

_BLANKS: Final = re.compile(r"\r\n|\n\r|[\t\v\f\r\n]")
"""White space that SGF makes a blank of, in SimpleText."""


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
    """Yield the records, a game tree each."""
    texts = (f"{text}\n".encode("utf-8", "replace") for text in held(records, lost, _held))
    return ((b"\n" if number else b"") + text for number, text in enumerate(texts))


def _held(record: Record) -> tuple[str, list[str]]:
    """Return the tree, and what SGF changes: white space, and what is no text at all."""
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
    """Who moves at a point of the tree."""

    position: Position | None
    """None behind a move that the rules refuse, and in a game that is not installed."""
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
    return version("lath-arena")  # reads files


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
    """Yield the properties of the whole game, a line each."""
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
    """Yield `TM`, the seconds of each side, and `OT`, what comes on top; nothing for no limit."""
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
    """Yield the nodes of a line; where there are variations, what is left of it is the first."""
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
                next(nodes)  # the first node stands on the line of its bracket
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
    """Return the text as SimpleText; colons are escaped only where one would end the value."""
    return (_COMPOSED_SIGNS if composed else _SIGNS).sub(r"\\\g<0>", _BLANKS.sub(" ", text))


_SIGNS: Final = re.compile(r"[\\\]]")
_COMPOSED_SIGNS: Final = re.compile(r"[\\\]:]")

_MOVES: Final = Remembered(_simple, 4096)


def _text(comments: Sequence[Comment]) -> str:
    return "\n".join(_simple(_line_of(comment)) for comment in comments)


def _line_of(comment: Comment) -> str:
    return " ".join(map(str, comment))
