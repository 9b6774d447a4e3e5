"""Records built ply by ply; the builder refuses whatever the rules refuse, at once."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from typing import Any, Final, NoReturn, Self

from lath import games
from lath.games.core import (
    FIRST_VERSION,
    RESULTS,
    Outcome,
    Position,
    Result,
    Side,
    result_of,
    version_of,
)
from lath.games.errors import UnknownGameError
from lath.notation.record.errors import Fault, RecordValueError, listed
from lath.notation.record.record import (
    Comment,
    Ply,
    Record,
    Variation,
    annotation,
    comment,
    comments_faults,
    tag_fault,
)
from lath.notation.record.tags import GAME_FILE, RULES, Termination, place_of
from lath.notation.rules.replay import (
    annotation_faults,
    canonical,
    check_line,
    check_tag,
    end_faults,
    faults_of,
    result_faults,
    start_of,
)

_BY_OTHERS: Final = {
    **dict.fromkeys(("Game", "Setup", "Position"), "Builder(game, setup=…, position=…)"),
    **dict.fromkeys((GAME_FILE, RULES), "it from the game alone"),
    **dict.fromkeys(("Result", "Termination"), "resign(), draw(), time() or end()"),
}
"""Tags that `tag` does not set, and the way to set each."""


class Builder:
    """A record that is built ply by ply, with its position, side to move, legal moves and result.

    A call that breaks the rules or the notation raises RecordValueError and changes nothing. The
    error states the ply, the problem and what was expected. Each change returns the builder.

    >>> from lath import notation
    >>> game = notation.Builder("yavalath").tag(First="ann", Second="bob").play("e5", "swap")
    >>> game.to_move.word, len(game.legal_moves()), game.result
    ('first', 60, <Result.UNFINISHED: '*'>)
    >>> game.play("e5")
    Traceback (most recent call last):
    lath.notation.record.errors.RecordValueError: ply 3: illegal move e5: e5 already has a stone; \
expected one of 60 legal moves, such as i5, h5 or g5
    >>> game = game.play("d4").glyph("!").comment("closer").annotate(emt=0.5)
    >>> game = game.variation("a1", "a2")
    >>> print(notation.format_record(game.resign().record()), end="")
    [Game "yavalath"]
    [First "ann"]
    [Second "bob"]
    [Termination "resignation"]
    [Result "1-0"]
    <BLANKLINE>
    1. e5 2. swap 3. d4! {closer [%emt 0.500]} (3. a1 4. a2) 1-0

    `copy.copy` returns an independent builder.
    """

    def __init__(self, game: str | Record, *, setup: str = "", position: str = "") -> None:
        """Begin a game with this id and a setup or position, or continue a valid record."""
        if not isinstance(game, str | Record):
            what, its_id = f"{game!r} is neither a game id nor a record", getattr(game, "id", None)
            like = its_id if isinstance(its_id, str) else "yavalath"
            raise RecordValueError(Fault("field", what, f"text such as {like!r}, or a Record"))
        given = _tags_of_game(game) if isinstance(game, str) else dict(game.tags)
        given |= {"Setup": setup} if setup else {}
        given |= {"Position": position} if position else {}
        termination = given.pop("Termination", "")
        given.pop("Result", "")
        begun = Record(tuple(given.items()))
        for fault in faults_of(begun):
            if fault.code not in (
                "result",
                "termination",
            ):  # a position may be the last one of a game
                raise RecordValueError(fault)
        self._tags = given
        self._comments: tuple[Comment, ...] = ()
        self._plies: tuple[Ply, ...] = ()
        self._positions: tuple[Position, ...] = (start_of(begun),)
        self._end: tuple[Result, str] | None = None
        if isinstance(game, Record):
            self._go_on_with(game, termination)

    def _go_on_with(self, record: Record, termination: str) -> None:
        for fault in faults_of(record):
            raise RecordValueError(fault)
        self._comments = record.comments
        self.play(*record.plies)
        if not self.is_over and (record.result.is_finished or termination):
            self.end(record.result, termination)

    def __repr__(self) -> str:
        """Return the game, the number of plies and the result."""
        return f"<Builder of {self._tags['Game']}, {len(self._plies)} plies, {self.result}>"

    # the state of the game

    @property
    def position(self) -> Position:
        """Return the position after the last ply."""
        return self._positions[-1]

    @property
    def plies(self) -> tuple[Ply, ...]:
        """Return the plies of the main line."""
        return self._plies

    @property
    def to_move(self) -> Side:
        """Return the side to move."""
        return self.position.to_move

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended by the rules; None if they have not ended it."""
        return self.position.outcome()

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended, by the rules or otherwise."""
        return self._end is not None or self.position.is_over

    @property
    def result(self) -> Result:
        """Return the result; `*` while the game is not over."""
        return self._end[0] if self._end is not None else result_of(self.position)

    def legal_moves(self) -> tuple[str, ...]:
        """Return every legal move; empty if the game is over."""
        return () if self.is_over else self.position.legal_moves()

    def record(self) -> Record:
        """Return the record with its moves in canonical text; `check` finds nothing wrong with it.

        If the game is over, the record has the tags Termination and Result.
        """
        tags = dict(self._tags)
        if self.is_over:
            result, why = self._end or (self.result, Termination.RULES.value)
            tags |= {**({"Termination": why} if why else {}), "Result": result.value}
        names: list[str] = []
        for name in tags:
            names.insert(place_of(name, names), name)
        pairs = tuple((name, tags[name]) for name in names)
        return canonical(Record(pairs, self._plies, self.result, self._comments))

    # changes

    def play(self, *moves: str | Ply) -> Self:
        """Play all of these moves, or none if one is illegal.

        A Ply keeps its comments and variations.
        """
        if self._end is not None and moves:
            message = f"the game is over: {self._end[1] or self._end[0]}"
            self._refuse("illegal-move", message, "take_back() before another move")
        plies, positions = _played(self.position, moves, len(self._plies) + 1)
        self._plies += plies
        self._positions += positions
        return self

    def take_back(self, plies: int = 1) -> Self:
        """Take back the last plies, with their comments and variations, and the end of the game."""
        if not isinstance(plies, int) or not 0 <= plies <= len(self._plies):
            self._refuse("field", f"cannot take back {plies!r} plies", f"0 to {len(self._plies)}")
        left = len(self._plies) - plies
        self._plies, self._positions = self._plies[:left], self._positions[: left + 1]
        self._end = None
        return self

    def comment(self, text: str) -> Self:
        """Comment on the last ply, or on the game before the first; `[%emt 1]` is an annotation."""
        self._require_text("the comment", text)
        return self._say((*self._said(), comment(text)))

    def annotate(self, /, **values: str | float) -> Self:
        """Add annotations to the last comment on the last ply, for example `annotate(emt=0.5)`."""
        *before, last = self._said() or ((),)
        for name, value in values.items():
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                self._refuse("annotation", f"the value of %{name} is {value!r}", "a number or text")
        try:
            notes = tuple(annotation(name, str(value)) for name, value in values.items())
        except RecordValueError as error:
            raise RecordValueError(replace(error.fault, ply=len(self._plies) or None)) from None
        return self._say((*before, (*last, *notes)))

    def glyph(self, glyph: str) -> Self:
        """Set the glyph of the last ply to one of GLYPHS, or remove it with an empty text."""
        return self._change_last(glyph=glyph)

    def variation(self, *moves: str | Ply, comment: str = "") -> Self:
        """Add a variation: moves that could have been played instead of the last ply."""
        self._require_text("the comment", comment)
        plies, _ = _played(self._positions[-2:][0], moves, len(self._plies) or 1)
        line = Variation(plies, _comments_of(comment))
        others = self._plies[-1].variations if self._plies else ()
        return self._change_last(variations=(*others, line))

    def tag(self, /, **values: str | None) -> Self:
        """Set tags, such as `tag(First="ann", Date="2026-11-20")`; None removes a tag."""
        for name, value in values.items():
            fault = value is not None and (tag_fault(name, value) or check_tag(name, value))
            if name in _BY_OTHERS:
                fault = Fault("tag", f"the tag {name} is not set here", _BY_OTHERS[name], tag=name)
            if fault:
                raise RecordValueError(fault)
        self._tags = {
            name: value for name, value in (self._tags | values).items() if value is not None
        }
        return self

    def resign(self, seat: Side | None = None) -> Self:
        """End the game by resignation of a side. Default: the side to move."""
        return self._lose(seat, Termination.RESIGNATION)

    def time(self, seat: Side | None = None) -> Self:
        """End the game because a side ran out of time. Default: the side to move."""
        return self._lose(seat, Termination.TIME)

    def draw(self) -> Self:
        """End the game by an agreed draw."""
        return self.end(Result.DRAWN, Termination.AGREEMENT)

    def end(self, result: str, termination: str) -> Self:
        """End the game for another reason than the rules, with this Result and Termination."""
        if self.is_over:
            how = self._end[1] if self._end else self.position.outcome()
            words = how.ending if isinstance(how, Outcome) else how
            self._refuse("result", f"the game is over: {words}", "a game that is not over")
        self._require_text("the Termination", termination)
        if result not in RESULTS:
            self._refuse("result", f"{result!r} is not a result", listed(RESULTS, "or"))
        faults = (
            check_tag("Termination", termination),
            *result_faults("", Result(result), termination),
            *end_faults(Result(result), termination, None),
        )
        for fault in filter(None, faults):
            raise RecordValueError(fault)
        self._end = Result(result), str(termination)
        return self

    def _lose(self, seat: Side | None, why: Termination) -> Self:
        loser = self.to_move if seat is None else seat
        if not isinstance(loser, Side):
            self._refuse("field", f"{seat!r} is not a side", "Side.FIRST, Side.SECOND, or nothing")
        return self.end(Result.won_by(loser.other), why)

    def _said(self) -> tuple[Comment, ...]:
        return self._plies[-1].comments if self._plies else self._comments

    def _say(self, comments: tuple[Comment, ...]) -> Self:
        """Replace the comments on the last ply, or those before the first one."""
        number = len(self._plies) or None
        for fault in chain(comments_faults(comments), annotation_faults(comments, (), None)):
            raise RecordValueError(replace(fault, ply=number))
        if self._plies:
            return self._change_last(comments=comments)
        self._comments = comments
        return self

    def _change_last(self, **changes: Any) -> Self:
        if not self._plies:
            self._refuse(
                "field", f"no move can have a {next(iter(changes)).rstrip('s')} yet", "play()"
            )
        self._plies = (*self._plies[:-1], replace(self._plies[-1], **changes))
        return self

    def _require_text(self, what: str, text: object) -> None:
        if not isinstance(text, str):
            self._refuse("field", f"{what} is {text!r}", "text")

    def _refuse(self, code: str, message: str, expected: str) -> NoReturn:
        raise RecordValueError(Fault(code, message, expected, ply=len(self._plies) or None))


def _tags_of_game(game_id: str) -> dict[str, str]:
    """Return the tags that describe a game: its id, its file and its rules version."""
    tags = {"Game": game_id}
    with suppress(
        UnknownGameError
    ):  # the message about an unknown game comes later, with close matches
        if file := games.rules_origin(game_id):
            tags[GAME_FILE] = file.tag
        if (version := version_of(games.get(game_id))) != FIRST_VERSION:
            tags[RULES] = version
    return tags


def _comments_of(text: str) -> tuple[Comment, ...]:
    return (comment(text),) if text else ()


def _played(
    position: Position, moves: Iterable[str | Ply], number: int
) -> tuple[tuple[Ply, ...], tuple[Position, ...]]:
    """Return the plies played from a position, and the positions after them.

    Raises RecordValueError if a move is illegal. `number` is that of the first ply.
    """
    plies: list[Ply] = []
    positions: list[Position] = []
    for ply_number, move in enumerate(moves, number):
        try:
            ply = move if isinstance(move, Ply) else Ply(move)
        except RecordValueError as error:
            raise RecordValueError(replace(error.fault, ply=ply_number)) from None
        after, faults = check_line(position, (ply,), None, ply_number)
        for fault in faults:
            near = _near(position, ply.move) if after is None else ""
            raise RecordValueError(replace(fault, expected=fault.expected or near))
        assert after is not None
        plies.append(ply)
        positions.append(after)
        position = after
    return tuple(plies), tuple(positions)


def _near(position: Position, text: str) -> str:
    """Return a few legal moves as words, those most similar to a text first."""
    legal = position.legal_moves()
    near = listed(get_close_matches(text, legal, 3, 0.0) or ("no move",), "or")
    return f"one of {len(legal)} legal moves, such as {near}" if len(legal) > 3 else near
