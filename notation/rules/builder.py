"""Records made ply by ply: what the rules refuse is refused at once."""

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
"""Tags that `tag` does not set, and what does."""


class Builder:
    """A record in the making, which knows position, turn, legal moves and result.

    Whatever the rules or the notation refuse raises RecordValueError and changes nothing: it says
    at which ply, what is wrong and what was expected. Each change returns the builder.

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

    `copy.copy` of a builder goes on by itself.
    """

    def __init__(self, game: str | Record, *, setup: str = "", position: str = "") -> None:
        """Begin a game, from a setup or a position as in rules.md; or go on with a sound record."""
        if not isinstance(game, str | Record):
            what, its_id = f"{game!r} is no id of a game, nor a record", getattr(game, "id", None)
            like = its_id if isinstance(its_id, str) else "yavalath"
            raise RecordValueError(Fault("field", what, f"text such as {like!r}, or a Record"))
        given = _tags_of_game(game) if isinstance(game, str) else dict(game.tags)
        given |= {"Setup": setup} if setup else {}
        given |= {"Position": position} if position else {}
        termination = given.pop("Termination", "")
        given.pop("Result", "")
        begun = Record(tuple(given.items()))
        for fault in faults_of(begun):
            if fault.code not in ("result", "termination"):  # a position may be the last one
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
        """Return the game, how far it is, and its result."""
        return f"<Builder of {self._tags['Game']}, {len(self._plies)} plies, {self.result}>"

    # what is known

    @property
    def position(self) -> Position:
        """Return the position after the last ply."""
        return self._positions[-1]

    @property
    def plies(self) -> tuple[Ply, ...]:
        """Return what has been played."""
        return self._plies

    @property
    def to_move(self) -> Side:
        """Return who decides next."""
        return self.position.to_move

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended by the rules; None while they let it go on."""
        return self.position.outcome()

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended, by the rules or otherwise."""
        return self._end is not None or self.position.is_over

    @property
    def result(self) -> Result:
        """Return the result: `*` while the game goes on."""
        return self._end[0] if self._end is not None else result_of(self.position)

    def legal_moves(self) -> tuple[str, ...]:
        """Return every move that may be played now; empty once the game is over."""
        return () if self.is_over else self.position.legal_moves()

    def record(self) -> Record:
        """Return the record as it stands, its moves in canonical text; `check` is silent of it.

        A game that has ended has the tags Termination and Result.
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

    # what changes it

    def play(self, *moves: str | Ply) -> Self:
        """Play moves, all of them or none; a Ply brings along what is said of it."""
        if self._end is not None and moves:
            message = f"the game is over: {self._end[1] or self._end[0]}"
            self._refuse("illegal-move", message, "take_back() before another move")
        plies, positions = _played(self.position, moves, len(self._plies) + 1)
        self._plies += plies
        self._positions += positions
        return self

    def take_back(self, plies: int = 1) -> Self:
        """Take back the last plies with all that is said of them, and how the game ended."""
        if not isinstance(plies, int) or not 0 <= plies <= len(self._plies):
            self._refuse("field", f"cannot take back {plies!r} plies", f"0 to {len(self._plies)}")
        left = len(self._plies) - plies
        self._plies, self._positions = self._plies[:left], self._positions[: left + 1]
        self._end = None
        return self

    def comment(self, text: str) -> Self:
        """Say something of the last ply, or of the game before the first; may have `[%emt 1]`."""
        self._require_text("the comment", text)
        return self._say((*self._said(), comment(text)))

    def annotate(self, /, **values: str | float) -> Self:
        """Add annotations to the last comment there, such as `annotate(emt=0.5, pv="swap d4")`."""
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
        """Mark the last ply with one of GLYPHS, or with none."""
        return self._change_last(glyph=glyph)

    def variation(self, *moves: str | Ply, comment: str = "") -> Self:
        """Add moves that might have been played in the place of the last ply."""
        self._require_text("the comment", comment)
        plies, _ = _played(self._positions[-2:][0], moves, len(self._plies) or 1)
        line = Variation(plies, _comments_of(comment))
        others = self._plies[-1].variations if self._plies else ()
        return self._change_last(variations=(*others, line))

    def tag(self, /, **values: str | None) -> Self:
        """Set tags, such as `tag(First="ann", Date="2026-11-20")`; None takes one away."""
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
        """End the game: a seat gives up, the one to move unless another is named."""
        return self._lose(seat, Termination.RESIGNATION)

    def time(self, seat: Side | None = None) -> Self:
        """End the game: a seat has no time left, the one to move unless another is named."""
        return self._lose(seat, Termination.TIME)

    def draw(self) -> Self:
        """End the game: a draw is agreed."""
        return self.end(Result.DRAWN, Termination.AGREEMENT)

    def end(self, result: str, termination: str) -> Self:
        """End the game otherwise than by the rules: its Result, and why, a Termination."""
        if self.is_over:
            how = self._end[1] if self._end else self.position.outcome()
            words = how.ending if isinstance(how, Outcome) else how
            self._refuse("result", f"the game is over: {words}", "a game that goes on")
        self._require_text("the Termination", termination)
        if result not in RESULTS:
            self._refuse("result", f"{result!r} is no result", listed(RESULTS, "or"))
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
            self._refuse("field", f"{seat!r} is no seat", "Side.FIRST, Side.SECOND, or nothing")
        return self.end(Result.won_by(loser.other), why)

    def _said(self) -> tuple[Comment, ...]:
        return self._plies[-1].comments if self._plies else self._comments

    def _say(self, comments: tuple[Comment, ...]) -> Self:
        """Let these be what is said of the last ply, or before the first one."""
        number = len(self._plies) or None
        for fault in chain(comments_faults(comments), annotation_faults(comments, (), None)):
            raise RecordValueError(replace(fault, ply=number))
        if self._plies:
            return self._change_last(comments=comments)
        self._comments = comments
        return self

    def _change_last(self, **changes: Any) -> Self:
        if not self._plies:
            self._refuse("field", f"no ply has a {next(iter(changes)).rstrip('s')} yet", "play()")
        self._plies = (*self._plies[:-1], replace(self._plies[-1], **changes))
        return self

    def _require_text(self, what: str, text: object) -> None:
        if not isinstance(text, str):
            self._refuse("field", f"{what} is {text!r}", "text")

    def _refuse(self, code: str, message: str, expected: str) -> NoReturn:
        raise RecordValueError(Fault(code, message, expected, ply=len(self._plies) or None))


def _tags_of_game(game_id: str) -> dict[str, str]:
    """Return the tags that follow from a game: its id, its file, the version of its rules."""
    tags = {"Game": game_id}
    with suppress(UnknownGameError):  # which is told of with what was meant
        if file := games.origin(game_id):
            tags[GAME_FILE] = file.tag
        if (version := version_of(games.get(game_id))) != FIRST_VERSION:
            tags[RULES] = version
    return tags


def _comments_of(text: str) -> tuple[Comment, ...]:
    return (comment(text),) if text else ()


def _played(
    position: Position, moves: Iterable[str | Ply], number: int
) -> tuple[tuple[Ply, ...], tuple[Position, ...]]:
    """Return plies from a position on, the first of this number, and the position after each.

    Raises RecordValueError.
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
    """Return in words which moves are legal, those first that look like a text."""
    legal = position.legal_moves()
    near = listed(get_close_matches(text, legal, 3, 0.0) or ("no move",), "or")
    return f"one of {len(legal)} legal moves, such as {near}" if len(legal) > 3 else near
