"""Records checked against the rules, move by move: the positions of a game, and its faults.

`quick_check` recognises valid records faster. `reading` makes entries from the faults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import starmap
from typing import Final

from lath import games
from lath.games.core import (
    FIRST_VERSION,
    RESULTS,
    Game,
    Outcome,
    Position,
    Result,
    Side,
    by_version,
    follow,
    is_version,
    movers,
    read_move,
)
from lath.games.errors import (
    GameError,
    GameFileError,
    MoveSyntaxError,
    RulesVersionError,
    SetupError,
    UnknownGameError,
)
from lath.games.files import added_ids
from lath.notation.protocol import TimeControl, TimeControlError, meant_time_control, seconds_of
from lath.notation.record.errors import Fault, PlyPlace, shortened
from lath.notation.record.record import (
    Annotation,
    Comment,
    Ply,
    Record,
    Remembered,
    annotation,
    ply_as_read,
    record_as_read,
    require_record,
    variation_as_read,
)
from lath.notation.record.tags import GAME_FILE, RULES, Termination, is_date
from lath.notation.text.suggestions import (
    RESULTS_IN_WORDS,
    about_move,
    meant_date,
    meant_game,
    meant_move,
    meant_result,
    meant_start,
    meant_termination,
)


def wrong_numbers(places: Sequence[PlyPlace], first_number: int) -> dict[int, Fault]:
    """Return the faults of the numbers before plies, by ply.

    A wrong number is reported once. Later numbers that count on from it, or that count pairs of
    moves as it does, are not reported again.
    """
    faults: dict[int, Fault] = {}
    ahead, in_pairs = 0, False
    for ply, place in enumerate(places, first_number):
        number = place.number
        follows = ahead and number == ply + ahead
        if number is None or follows or (in_pairs and number == (ply + 1) // 2):
            continue
        ahead, in_pairs = number - ply, number != ply and number == (ply + 1) // 2
        if ahead:
            why = ", because each ply has its own number" if in_pairs else ""
            message = f"ply number {number}. is written before ply {ply}"
            faults[ply] = Fault("ply-number", message, f"{ply}.{why}", place.number_at, ply=ply)
    return faults


def annotation_faults(
    comments: Sequence[Comment], notes: Sequence[int], at: int | None, number: int | None = None
) -> Iterator[Fault]:
    """Yield the faults of annotations. `notes` are their places; without it, `at` is used."""
    annotations = [part for comment in comments for part in comment if isinstance(part, Annotation)]
    for index, part in enumerate(annotations):
        if wrong := _wrong_with(part):
            message = f"{part} is not {wrong}"
            meant = str(meant_annotation(part) or "")
            place = notes[index] if notes else at
            yield Fault("annotation", message, at=place, ply=number, meant=meant)


def meant_annotation(note: Annotation) -> Annotation | None:
    """Return an annotation with its clock time converted to seconds; None for other annotations."""
    seconds = seconds_of(note.value) if note.name in ("emt", "clk") else ""
    return annotation(note.name, seconds) if seconds else None


def is_right(note: Annotation) -> bool:
    """Return whether an annotation is unknown, or known with a valid value."""
    return _wrong_with(note) is None


def _wrong_with(note: Annotation) -> str | None:
    """Return the expected value of a known annotation; None if it is valid or unknown."""
    number = note.number
    if note.name in ("emt", "clk"):
        return None if number is not None and number >= 0 else "a time in seconds, 0 or more"
    if note.name == "eval":
        return None if number is not None and -1 <= number <= 1 else "a number from -1 to 1"
    if note.name in ("depth", "nodes"):
        return None if note.value.isascii() and note.value.isdigit() else "a whole number"
    return None


def start_of(record: Record) -> Position:
    """Return the position before the record's first ply.

    Raises GameError for an unknown game, or a setup or position that the game refuses.
    """
    require_record(record)
    tag = record.tag
    try:
        return start_from(record.game, tag("Setup"), tag("Position"), tag(RULES))
    except (GameFileError, RulesVersionError):
        raise
    except UnknownGameError as error:
        if file := record.tag(GAME_FILE):
            came = f"game {record.game!r} comes from {file_words(file)}"
            raise UnknownGameError(f"{came}: {_where_to_look(file)}") from error
        raise


_DISTRIBUTION: Final = re.compile(r"(?P<name>[\w.-]+)-(?P<version>[0-9][\w.+!]*)(?<!\.py)")
"""The name and version of a distribution in a tag `GameFile`."""


def _where_to_look(file: str) -> str:
    """Return advice on how to load the unknown game of a file or distribution."""
    from shlex import quote  # the name comes from an untrusted record

    name, _ = _name_and_hash(file)
    if found := _DISTRIBUTION.fullmatch(name):
        return f"install {quote(found['name'])} {quote(found['version'])}"
    origins = {game_id: games.origin(game_id) for game_id in added_ids()}
    same = (game_id for game_id, origin in origins.items() if origin and origin.name == name)
    if game_id := next(same, ""):
        return f"the known file of this name defines the game {game_id!r}"
    return f"add --game {quote(f'./{name}')}"


def game_by(game_id: str, rules: str) -> Game:
    """Return the game under the rules version of the tag `Rules`; an empty text is the first one.

    Raises UnknownGameError, or RulesVersionError if that version is not available.
    """
    return by_version(games.get(game_id), rules or FIRST_VERSION)


def start_from(game_id: str, setup: str, position: str, rules: str = "") -> Position:
    """Return the first position for these values of tags; missing tags are empty."""
    game = game_by(game_id, rules)
    return game.position(position) if position else game.start(setup or None)


def positions(record: Record) -> Iterator[Position]:
    """Yield the first position and the one after each ply. Raises GameError for an illegal move."""
    position = start_of(record)
    yield position
    for ply in record.plies:
        position = position.play(read_move(position, ply.move))
        yield position


def end_of(record: Record) -> Position | None:
    """Return the position after the last ply; None if the rules refuse the start or a move."""
    try:
        end = follow(start_of(record), record.moves)
        if end is None:  # a move is not canonical, or is illegal
            *_, end = positions(record)
    except GameError:
        return None
    return end


def movers_of(record: Record) -> Sequence[Side]:
    """Return the side to move at each ply of a legal record, and after the last one."""
    spelled = spellings(record.game, record.tag(RULES))
    return movers(start_of(record), [spelled[move] for move in record.moves])


def _spellings_of(key: str) -> Remembered[str]:
    game_id, _, rules = key.partition("\n")
    canonical_of = game_by(game_id, rules).canonical

    def read(text: str) -> str:
        try:
            return canonical_of(text)
        except MoveSyntaxError:
            return text

    return Remembered(read, 1 << 16)  # the built-in games have far fewer moves


_SPELLINGS: Final = Remembered(_spellings_of, 256)


def spellings(game_id: str, rules: str = "") -> Mapping[str, str]:
    """Return the canonical text of each move of a game; an unreadable move is its own text.

    `rules` is the value of the tag `Rules`; empty if it is missing.

    >>> spellings("mammalath")["xb4-b2"], spellings("chess")["e4"]
    ('xb2-b4', 'e4')
    """
    try:
        return _SPELLINGS[f"{game_id}\n{rules}" if rules else game_id]
    except GameError:  # an unknown game may still be added
        return Remembered(str, 0)


def canonical(record: Record) -> Record:
    """Return the record with its setup and moves in canonical text, if its game can read them.

    The moves are not played; use `check` for that.
    """
    require_record(record)
    spelled = spellings(record.game, record.tag(RULES))

    def of_tag(name: str, value: str) -> tuple[str, str]:
        if name == "Setup":
            with suppress(GameError):
                value = game_by(record.game, record.tag(RULES)).canonical_setup(value)
        return name, value

    def of_ply(ply: Ply) -> Ply:
        move = spelled[ply.move]
        if move == ply.move and not ply.variations:  # the most frequent case
            return ply
        variations = tuple(
            variation_as_read(tuple(map(of_ply, variation.plies)), variation.comments)
            for variation in ply.variations
        )
        return ply_as_read(move, ply.glyph, ply.comments, variations)

    tags = tuple(starmap(of_tag, record.tags))
    return record_as_read(tags, tuple(map(of_ply, record.plies)), record.result, record.comments)


def faults_of(
    record: Record, places: Sequence[PlyPlace] | None = None, notes: Sequence[int] = ()
) -> list[Fault]:
    """Return the faults of a record by its tags and the rules; the record must have a text.

    A record without moves is not checked against the rules. `places` are those of the plies in the
    text. `notes` are those of annotations before the plies. With both, faults have places.
    """
    first = None if places is None else 0
    faults: list[Fault] = []
    if record.tag("Setup") and record.tag("Position"):
        message = "the record has both a Setup and a Position"
        faults.append(Fault("tag", message, "one of the two", tag="Position"))
    faults += filter(None, starmap(check_tag, record.tags))
    faults += annotation_faults(record.comments, notes, first)
    faults += result_faults(record.tag("Result"), record.result, record.termination)
    if record.is_result_only:  # of a game that need not be known here
        return faults
    return faults + _of_another_file(record, _rules_faults(record, places))


def _rules_faults(record: Record, places: Sequence[PlyPlace] | None) -> list[Fault]:
    """Return what the rules of its game find wrong with a record."""
    try:
        start = start_of(record)
    except RulesVersionError as error:
        version = record.tag(RULES)  # an invalid version is reported elsewhere
        return (
            []
            if check_tag(RULES, version)
            else [Fault("rules", str(error), tag=RULES if version else "Game")]
        )
    except UnknownGameError as error:
        meant = "" if record.tag(GAME_FILE) else meant_game(record.game)
        return [Fault("unknown-game", error.what, error.expected, tag="Game", meant=meant)]
    except SetupError as error:
        return [Fault("setup", *_why_no_start(record, "Setup", error), tag="Setup")]
    except GameError as error:
        return [Fault("position", *_why_no_start(record, "Position", error), tag="Position")]
    end, faults = check_line(start, record.plies, places, 1)
    if end is not None:
        faults += end_faults(record.result, record.termination, end.outcome())
    return faults


_OF_RULES: Final = ("setup", "position", "move", "illegal-move", "result", "termination")
"""Codes of faults that may not exist under other rules."""


def _of_another_file(record: Record, faults: list[Fault]) -> list[Fault]:
    """Return the faults, marked as uncertain if another file's rules were used in the game."""
    tag = record.tag(GAME_FILE)
    if not (tag and faults):
        return faults
    known = games.rules_origin(record.game)
    if known is not None and is_by(tag, known.tag):
        return faults
    name, _ = _name_and_hash(tag)
    by = f"another {file_words(tag)}" if known and known.name == name else file_words(tag)
    words = f"played with {by}, whose rules may differ"
    return [
        replace(fault, code="rules", message=f"{words}: {fault.message}", meant="")
        if fault.code in _OF_RULES
        else fault
        for fault in faults
    ]


def is_by(tag: str, known: str) -> bool:
    """Return whether two tags `GameFile` have the same hash; without one, the same name.

    A copy of a file has another name, and the same rules.
    """
    (name, digest), (known_name, known_digest) = _name_and_hash(tag), _name_and_hash(known)
    return digest == known_digest and (bool(digest) or name == known_name)


def _name_and_hash(tag: str) -> tuple[str, str]:
    """Return the name and the hash in a tag `GameFile`; the hash is empty if it is missing."""
    name, _, digest = tag.partition(" sha256:")
    return name, digest


def file_words(tag: str) -> str:
    """Return the name in a tag `GameFile`, and the beginning of its hash."""
    name, digest = _name_and_hash(tag)
    return f"{name} (sha256 {digest[:12]}…)" if digest else name


def _why_no_start(record: Record, tag: str, error: GameError) -> tuple[str, str]:
    """Return the problem of the value of Setup or Position, and what was expected."""
    value = record.tag(tag)
    if other := meant_start(record.game, tag, value):
        what = "a whole position" if other == "Position" else "a setup"
        return f"the {tag} is {what}", f"it in the tag {other}"
    return error.what, error.expected


def check_line(
    position: Position, plies: Sequence[Ply], places: Sequence[PlyPlace] | None, first_number: int
) -> tuple[Position | None, list[Fault]]:
    """Return the position after `plies` (None if one is illegal), and the faults.

    After an illegal ply, a later ply is at fault only if no legal move in its place would allow it.
    """
    faults: list[Fault] = []
    numbers = wrong_numbers(places or (), first_number)
    after: Position | None = position
    behind: _Behind | None = None
    for index, ply in enumerate(plies):
        place = places[index] if places else None
        number, at = first_number + index, place.at if place else None
        if number in numbers:
            faults.append(numbers[number])
        if ply.comments:
            faults += annotation_faults(ply.comments, place.notes if place else (), at, number)
        if after is None:
            if behind and (fault := behind.fault_of(ply.move, at, number)):
                faults.append(fault)
            continue
        for inner, variation in enumerate(ply.variations):
            inner_places = place.variations[inner] if place else None
            notes = inner_places[0].notes_before if inner_places else ()
            faults += annotation_faults(variation.comments, notes, at, number)
            faults += check_line(after, variation.plies, inner_places, number)[1]
        try:
            after = after.play(read_move(after, ply.move))
        except GameError as error:
            faults.append(_move_fault(after, error, at, number))
            behind, after = _Behind(after), None
    return after, faults


class _Behind:
    """The possible positions after an illegal ply, reached by any legal move instead.

    Nothing is known if there are too many positions, or if the game is over in all of them.
    """

    def __init__(self, refused: Position) -> None:
        self._before, self._is_at_fault = [refused], True
        """The positions, and whether a move is still to be played in each."""
        self._game = refused.game
        self._left = _MOST_TRIES

    def fault_of(self, move: str, at: int | None, number: int) -> Fault | None:
        """Return the fault of the next move that holds in every possible position, or None."""
        try:
            self._game.canonical(move)
        except MoveSyntaxError as error:
            before, known = self._known(), self._before
            self._before, self._is_at_fault = before, True
            return _move_fault((known or [self._game.start()])[0], error, at, number)
        before = self._known()
        after, refused = [], None
        for position in before:
            try:
                after.append(position.play(read_move(position, move)))
            except GameError as error:
                refused = refused or (position, error)
        self._left -= len(before)
        if after or refused is None or self._left < 0:
            self._before = after
            return None
        self._before, self._is_at_fault = before, True
        return _move_fault(*refused, at, number)

    def _known(self) -> list[Position]:
        """Return the possible positions before the next ply; none if there are too many."""
        known, self._before = self._before, []
        if not self._is_at_fault:
            return known
        self._is_at_fault = False
        moves = [(one, one.legal_moves()) for one in known if one.outcome() is None]
        self._left -= sum(len(legal) for _, legal in moves)
        if self._left < 0:
            return []
        return [one.play(move) for one, legal in moves for move in legal]


_MOST_TRIES: Final = 10_000
"""The most moves that are played to find further faults of a record."""


def _move_fault(position: Position, error: GameError, at: int | None, number: int) -> Fault:
    """Return the fault of a move that `position` refused with `error`."""
    if isinstance(error, MoveSyntaxError):
        game, text = position.game, error.text
        other, expected = about_move(game, text)
        message = other or f"{shortened(text)} is not a move of {game.id}"
        return Fault(
            "move",
            message,
            expected or error.expected,
            at,
            ply=number,
            meant=meant_move(game, text),
        )
    outcome = position.outcome()
    how = f", {_ending(outcome)}" if outcome else ""
    return Fault("illegal-move", f"{error}{how}", at=at, ply=number)


def result_faults(tag: str, result: Result, termination: str) -> Iterator[Fault]:
    """Yield the faults of the result compared with the tags Result and Termination.

    The values of missing tags are empty.
    """
    if tag and tag not in RESULTS:
        message = f"{shortened(tag)} is not a result"
        yield Fault(
            "result", message, RESULTS_IN_WORDS, tag="Result", meant=meant_result(tag) or ""
        )
    elif tag and tag != result:
        message = f"the Result tag is {tag}, but the moves end with {result}"
        yield Fault("result", message, "equal results", tag="Result")
    if not result.is_finished and termination in _DECIDED:
        message = f"the result is *, but the Termination is {termination}"
        yield Fault("result", message, "a decided result", tag="Termination")


_DECIDED: Final = (
    *(Termination.RESIGNATION, Termination.TIME, Termination.ILLEGAL_MOVE, Termination.CRASH),
    *(Termination.FLOOD, Termination.ADJUDICATION, Termination.AGREEMENT),
)
"""Terminations that decide a game."""


def end_faults(result: Result, termination: str, outcome: Outcome | None) -> Iterator[Fault]:
    """Yield the faults of the result compared with the outcome by the rules, if there is one."""
    if outcome is not None:
        if outcome.result != result:
            message = f"the result is {result}, but {_ending(outcome)}"
            yield Fault("result", message, outcome.result, tag="Result")
    elif result.is_finished and termination in ("", Termination.RULES):
        message = f"the result is {result}, but the game is not over after the last move"
        yield Fault("result", message, "the result * or another Termination", tag="Result")
    elif termination == Termination.RULES:
        message = "the Termination is rules, but the game is not over after the last move"
        yield Fault("termination", message, "another Termination", tag="Termination")


def _ending(outcome: Outcome) -> str:
    if outcome.winner is None:
        return f"the game ended in a draw: {outcome.ending}"
    return f"{outcome.winner.word} won: {outcome.ending}"


def _tag_fault(name: str, value: str) -> Fault | None:
    if name == "Date" and value != "?" and not is_date(value):
        message, meant = f"the Date {shortened(value)} is not a date", meant_date(value)
        expected = "the form 2026-11-20, or 2026-11-?? if the day is unknown"
        return Fault("tag", message, expected, tag=name, meant=meant)
    if name == "Termination" and value and value not in list(Termination):
        message, expected = f"unknown Termination {shortened(value)}", ", ".join(Termination)
        return Fault(
            "termination", message, f"one of {expected}", tag=name, meant=meant_termination(value)
        )
    if name == "TimeControl" and value != "?":
        try:
            TimeControl.read(value)
        except TimeControlError as error:
            meant = meant_time_control(value)
            message = f"unknown time control {value!r}" if meant else error.what
            return Fault("tag", f"TimeControl: {message}", error.expected, tag=name, meant=meant)
    if name == RULES and value and not is_version(value):
        message = f"Rules: {shortened(value)} is not a version"
        return Fault("tag", message, "a whole number, 1 or more", tag=name)
    return None


_CHECKED_TAGS: Final = {
    name: Remembered(partial(_tag_fault, name), 4096)
    for name in ("Date", "Termination", "TimeControl", RULES)
}


def check_tag(name: str, value: str) -> Fault | None:
    """Return the fault of a single tag; None if its value is valid."""
    return _CHECKED_TAGS[name][value] if name in _CHECKED_TAGS else None
