"""Records as people write them: PGN-like tags or `White: ann`, moves in pairs or in a list.

The format has these rules:

- Tags come before the moves, in any order and spelling (see `text_header`). Other lines there are
  kept as comments. `White` is First and `Black` is Second.
- Moves can have numbers, in pairs or one per line, with commas, semicolons or spaces between. Case
  is ignored if only one move can be meant. Numbers must count either plies or pairs of plies.
- Comments are `{…}`, and `;…` before words that are not moves. Parentheses `(…)` are a variation if
  it can be played, or else a comment. Glyphs are `!`, `?` and `$1` to `$6`. The characters `+`, `#`
  and `=` after a move are dropped.
- The result is in a tag, after the moves, or both, in figures or words.
- A record begins with tags after moves. It also begins with moves after an empty line, if a result
  came before or if numbers begin again.

Missing data is assumed, and `Entry.assumed` lists the assumptions. The game follows from the file's
name or the moves. A decided game ended by the rules, or else by resignation. The moves are played
to find this, so all problems of a record are reported here.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import PurePath
from typing import BinaryIO, Final, NamedTuple

from lath import games
from lath.games.core import Game, Position, Result, Side, read_move
from lath.games.errors import GameError
from lath.notation.formats import given_game, pgn_headers
from lath.notation.formats.pgn_moves import are_of_pawns, has_chess, look_like_ours
from lath.notation.formats.text_header import (
    ReadEnding,
    coloured,
    day_of,
    ending_of,
    free_name,
    game_meant,
    games_in,
    is_resigning,
    players_in,
    players_of,
    reason_in,
    tag_meant,
)
from lath.notation.formats.text_moves import (
    ENDS,
    Beginning,
    WrittenMove,
    course_of,
    is_movelike,
    number_faults,
    parts_of,
)
from lath.notation.formats.text_titles import cells_of, heading_of, is_turned, named_in_columns
from lath.notation.formats.text_tries import (
    NAMED,
    Tried,
    as_moves,
    example,
    furthest_fault,
    move_in,
    tried,
)
from lath.notation.protocol import meant_time_control
from lath.notation.record.errors import (
    Fault,
    RecordSyntaxError,
    RecordValueError,
    listed,
    shortened,
)
from lath.notation.record.record import (
    Annotation,
    Comment,
    Ply,
    Record,
    Variation,
    annotation,
    comment,
)
from lath.notation.record.tags import KNOWN_TAGS, MOVES, NOT_RECORDED, RULES
from lath.notation.rules.replay import (
    check_line,
    check_tag,
    end_faults,
    is_right,
    meant_annotation,
    start_from,
)
from lath.notation.text.scanner import parse, size_fault
from lath.notation.text.splitting import Entry, RecordText, chunks, texts_by_line, texts_of
from lath.notation.text.suggestions import meant_game

# Reading


class _Known(NamedTuple):
    """The game of a record."""

    game: Game | None
    assumed: str = ""
    fault: Fault | None = None
    other: str = ""
    """The name of the game if it is not installed."""


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the records of a stream lazily; the moves are played."""
    texts = texts_by_line(stream, Beginning(), fallback="cp1252")
    is_pgn = PurePath(name).suffix.lower() == ".pgn"
    above = ""
    last: Entry | None = None
    for number, text in enumerate(texts, 1):
        if fault := text.fault or size_fault(text.text):
            entry = text.entry(name, number, None, [fault])
        else:
            reading = _Reading(text, name, above)
            if is_pgn and reading.is_of_chess:
                entry = pgn_headers.entry_of(text, name, number)
            else:
                entry = _entry(reading, text, name, number)
                above = reading.game_said or above
                if last and reading.is_prose:
                    last = replace(last, assumed=(*last.assumed, "text after a game is ignored"))
                    continue
        if last:
            yield last
        last = entry
    if last:
        yield last


def is_ours(head: bytes) -> bool:
    """Return whether a file with this start is the arena's own text, which has First and Second."""
    first = next(
        chunks(io.BytesIO(head[: head.rfind(b"\n\n[Game")] if b"\n\n[Game" in head else head))
    )
    text = next(texts_of(first), None)
    if text is None or text.fault:
        return False
    try:
        record = parse(text.text)
    except RecordSyntaxError:
        return False
    names = {tag_meant(name) for name, _ in record.tags}
    numbers = course_of(parts_of(text.text).body).numbers
    counts_plies = all(number == ply for number, ply, _ in numbers)
    return counts_plies and names.isdisjoint(("White", "Black"))


def is_like(head: bytes, file: str, *, is_sure: bool) -> bool:
    """Return whether a file with this start has moves of an installed game.

    If `is_sure`, its first record must be completely valid; otherwise any one record is enough.
    """
    if not is_sure:
        chess = has_chess(head.decode("utf-8", "replace"))
        return any(
            is_of_ours(text, file, beside_chess=chess)
            for text in texts_by_line(io.BytesIO(head), Beginning(), fallback="cp1252")
        )
    text = next(texts_by_line(io.BytesIO(head), Beginning(), fallback="cp1252"), None)
    if text is None or text.fault or size_fault(text.text):
        return False
    reading = _Reading(text, file)
    return reading.record() is not None and bool(reading.words)


def is_of_ours(text: RecordText, file: str, *, beside_chess: bool) -> bool:
    """Return whether a record of PGN has moves of an installed game, legal or not.

    It must name the game, or have moves of that form that are not chess moves. `beside_chess` means
    that other records of the file are chess.
    """
    if text.fault or size_fault(text.text):
        return False
    reading = _Reading(text, file)
    if not reading.words:
        return False
    if reading.names_game:
        reading.record()
        return not reading.other_game
    if given_game():
        return True
    moves = [word.text for word in reading.words if re.search(r"\w", word.text)]
    if has_chess(text.text) or (are_of_pawns(moves) and (beside_chess or len(moves) <= _FEW)):
        return False
    reading.record()
    return bool(reading.fits) or look_like_ours(moves)


_FEW: Final = 2
"""This many moves of an unnamed game can also be of another game, such as chess."""


def entry_of(text: RecordText, name: str, number: int) -> Entry:
    """Return the entry of one text; the moves are played."""
    if fault := text.fault or size_fault(text.text):
        return text.entry(name, number, None, [fault])
    return _entry(_Reading(text, name), text, name, number)


def _entry(reading: _Reading, text: RecordText, name: str, number: int) -> Entry:
    entry = text.entry(name, number, reading.record(), reading.faults)
    lines = (text.line + text.text.count("\n", 0, at) for at in sorted(reading.kept))
    kept = tuple(f"{name}:{line}" for line in lines)
    return replace(entry, assumed=tuple(reading.assumed), other_game=reading.other_game, kept=kept)


class _Reading:
    """One record during reading, with all its faults and assumptions."""

    def __init__(self, text: RecordText, name: str, above: str = "") -> None:
        self._text = text.text
        self._above = above
        """The game of the record above, if the text names it."""
        self.game_said = ""
        """The game, if a tag or a line above the moves names it."""
        self._parts = parts_of(text.text)
        self._course = course_of(self._parts.body)
        self.faults = self._course.faults
        self.assumed: list[str] = (
            ["text that is not UTF-8 is read as Latin-1"] if text.value else []
        )
        self.other_game = ""
        self._tags: dict[str, str] = {}
        self._at: dict[str, int] = {}
        """The place of the value of each tag."""
        self._comments: list[str] = []
        self.kept: list[int] = []
        """The places of lines that are not understood and kept as comments."""
        self._name = name
        self.words = self._course.words
        self.fits: list[str] = []
        """The games in which all moves are legal, if the text names no game."""

    def _object(
        self, code: str, message: str, expected: str, at: int, ply: int | None = None
    ) -> None:
        self.faults.append(Fault(code, message, expected, at, ply=ply))

    @property
    def is_prose(self) -> bool:
        """True if the text contains no part of a record."""
        parts, course = self._parts, self._course
        return not (parts.fields or parts.players or course.words or course.ends)

    @property
    def names_game(self) -> bool:
        """True if a tag names the game."""
        return any(tag_meant(one.name) == "Game" for one in self._parts.fields)

    @property
    def is_of_chess(self) -> bool:
        """True if the text names no game and has moves of chess."""
        return not (self.names_game or given_game()) and has_chess(self._text)

    def record(self) -> Record | None:
        """Return the record; None if it is invalid, for the reasons in `faults`."""
        values = self._values()
        known = self._known(values.pop("Game", ""))
        self.other_game = known.other
        if known.fault is not None:
            self.faults.append(known.fault)
        if known.assumed:
            self.assumed.append(known.assumed)
        game = known.game
        colours = players_of(game, {one.name.lower() for one in self._parts.fields})
        self._read_players(values, colours)
        players = self._tags.get("First", ""), self._tags.get("Second", "")
        self._check_headings(players)
        self._read_others(values)
        words = self._take_words_at_end(game, players, colours)
        self._check_sides(words)
        ending = self._ending(values, players, colours)
        return None if game is None else self._built(game, words, ending)

    def _values(self) -> dict[str, str]:
        """Return the values of tags by name; tags with a meaning appear once."""
        values: dict[str, str] = {}
        for one in self._parts.fields:
            name = tag_meant(one.name)
            if name == "Comment":
                self._comments.append(one.value)
            elif one.value in ("", "?", "-") or re.fullmatch(r"[?.\s-]+", one.value):
                continue
            elif name not in values:
                values[name], self._at[name] = one.value, one.at
            elif values[name] != one.value and name in (*KNOWN_TAGS, "White", "Black"):
                both = f"{shortened(values[name])} and {shortened(one.value)}"
                self._object("tag", f"{name} is given twice: {both}", "one of the two", one.at)
            elif values[name] != one.value:
                values[free_name(name, values)] = one.value
        return values

    def _known(self, named: str) -> _Known:
        if named:
            if game_id := game_meant(named):
                self.game_said = game_id
                return self._game(game_id)
            meant = meant_game(named)
            message = f"game {shortened(named)} is not installed"
            expected = f"one of {', '.join(games.ids())}"
            fault = Fault("unknown-game", message, expected, self._at.get("Game", 0), meant=meant)
            return _Known(None, fault=fault, other="" if meant else named)
        if given := given_game():
            return self._game(given)._replace(assumed=f"the game is {given}, given by --game")
        return self._found()

    def _found(self) -> _Known:
        """Return the game of a record that names none: by its file, its lines or its moves."""
        if len(said := games_in(PurePath(self._name).name)) == 1:
            return self._assumed(said.pop(), ", from the file name")
        some = [tried(game, self._course.words) for game in games.installed()]
        self.fits = fits = [one.game_id for one in some if one.stop is None]
        lines = self._text[: self._course.words[0].at if self._course.words else None]
        said = games_in(lines.rpartition("\n")[0])
        if len(said) == 1 and (said <= set(fits) or not fits):
            self.game_said = said.pop()
            return self._assumed(self.game_said, ", from a line above the moves")
        if len(fits) == 1:
            return self._assumed(fits[0], ", the only one where all moves are legal")
        most = max(one.plies for one in some)
        best = fits or [one.game_id for one in some if one.plies == most > 0]
        if self._above in best and self._course.words:
            self.game_said = self._above
            return self._assumed(self._above, ", as in the record above")
        return _Known(None, fault=self._not_found(some))

    def _not_found(self, some: list[Tried]) -> Fault:
        """Return why the game of a record is unknown, and how far its moves are legal."""
        if self._text.lstrip().startswith("(;"):
            return Fault("syntax", "SGF can only be written, not read", "moves such as 1. e5 d4", 0)
        if not self._course.words:
            return Fault("no-game", "no game is named, and no line contains moves", NAMED, 0)
        if self.fits:
            what = f"no game is named, and the moves are legal in {listed(self.fits, 'and')}"
            return Fault("no-game", what, NAMED, 0)
        return furthest_fault(some, self._course.words)

    def _assumed(self, game_id: str, why: str) -> _Known:
        return self._game(game_id)._replace(assumed=f"the game is {game_id}{why}")

    def _game(self, game_id: str) -> _Known:
        try:
            return _Known(games.get(game_id))
        except GameError as error:
            return _Known(None, fault=Fault("unknown-game", str(error), at=self._at.get("Game", 0)))

    def _read_players(self, values: dict[str, str], colours: Mapping[str, Side]) -> None:
        """Take the players' names from the values, and find their sides."""
        given = self._named_together(values)
        by_place = ("First", "Second")
        for tag in [*values]:
            colour = colours.get(tag.lower())
            if tag in by_place or (colour is not None and len(values[tag]) <= 200):
                seat = by_place.index(tag) if tag in by_place else colour or 0
                given.append((values.pop(tag), seat, tag))
                self._note_colours(tag)
            elif values[tag].lower() in colours and tag not in _OF_RECORDS:
                given.append((tag, colours[values.pop(tag).lower()], values.get(tag, "")))
                self._note_colours("White")
        for name, seat, tag in given:
            at = self._at.get(tag, 0)
            if len(words := name.split()) > _FEW and all(map(is_movelike, words)):
                expected = "a name, and the moves of both in turn: 1. e5 d4"
                self._object("tag", f"{tag} is a list of moves, {shortened(name)}", expected, at)
            bare, said = coloured(name, colours)
            if said is not None:
                self._note_colours("White")
            if said is not None and said != seat and tag.lower() in colours and tag not in by_place:
                message = f"{tag} is {shortened(name)}, which names the other colour"
                self._object("tag", message, "one colour", at)
            place = by_place[seat if said is None else said]
            if rated := re.fullmatch(r"(.*\S)\s*\(([0-9]{3,4})\)", bare):
                bare = rated[1]
                self._tags.setdefault(f"{place}Elo", rated[2])
            if self._tags.setdefault(place, bare) != bare:
                both = f"{shortened(self._tags[place])} and {shortened(bare)}"
                self._object("tag", f"{place} is given twice: {both}", "one name", at)
            self._at.setdefault(place, at)

    def _named_together(self, values: dict[str, str]) -> list[tuple[str, int, str]]:
        """Return the name, side and tag of players without a tag of their own."""
        both = values.pop("Players", "")
        pair = players_in(both) or tuple(re.split(r"\s*[,;&]\s*|\s+and\s+", both)) if both else ()
        names: tuple[str, ...] = pair if len(pair) == 2 else self._parts.players or ()
        if not names and values.keys().isdisjoint(("White", "Black", "First", "Second")):
            names = self._parts.tellers or self._above_columns()
            if names and heading_of("  ".join(names)) is not None:
                return []
            if names:
                who = "of the first move" if self._parts.tellers else "above the first column"
                self.assumed.append(f"First is the player {who}")
        return [(name, seat, "") for seat, name in enumerate(names)]

    def _above_columns(self) -> tuple[str, ...]:
        """Return the names above two columns of moves."""
        line, names = self._parts.columns or (None, [])
        first = next((row for row in self._parts.body.split("\n") if row.strip()), "")
        words = [word for word in re.split(r"[\s,;|]+", first) if is_movelike(word)]
        if line is None or len(words) != 2 or any(map(game_meant, names)):
            return ()
        self._parts.before.remove(line)
        return tuple(names)

    def _check_headings(self, players: tuple[str, str]) -> None:
        """Remove headings of the players' columns; one with the second player first is a fault."""
        headings = self._parts.headings
        turned = headings if headings and is_turned(headings[0]) else None
        names = [name.lower() for name in players]
        for line in [*self._parts.before]:
            words = line.text.lower()
            cells = [
                re.sub(r"\s*\(.*", "", one) for one in named_in_columns(words) or cells_of(words)
            ]
            if not all(names) or names[0] == names[1]:
                continue
            if cells == names or words == " ".join(names):
                self._parts.before.remove(line)
            elif cells == names[::-1] or words == " ".join(names[::-1]):
                turned = (names[1], names[0]), line.at
        if turned:
            message = "the second player's column comes before the first player's"
            expected = "the moves of the first player in the first column"
            self._object("syntax", message, expected, turned[1])

    def _check_sides(self, words: list[WrittenMove]) -> None:
        """Add a fault if the same side plays twice in a row."""
        names = self._parts.sides.names
        if any(word.text.lower() in ("swap", "pie") for word in words):
            return
        for (one, _), (other, at) in pairwise(names):
            if one == other:
                self._object(
                    "syntax", f"{other} plays twice in a row", "the moves of both in turn", at
                )
                return

    def _note_colours(self, tag: str) -> None:
        words = "White is First"
        if tag in ("White", "Black") and words not in self.assumed:
            self.assumed.append(words)

    def _read_others(self, values: dict[str, str]) -> None:
        """Take all tags except those of the ending."""
        for given in [name for name in values if name not in ENDS]:
            name, value = given, values.pop(given)
            if name == "Date":
                if (day := day_of(value)) is None:
                    expected = "a day such as 2024-11-03 or 3 Nov 2024"
                    message = f"the Date {shortened(value)} is not a date"
                    self._object("tag", message, expected, self._at[name])
                    continue
                value = day.text
                self.assumed += filter(None, day.assumed.split("; "))
            elif name == "TimeControl" and check_tag(name, value):
                meant = meant_time_control(value)
                name, value = (name, meant) if meant else ("TextTimeControl", value)
            elif name == RULES and check_tag(name, value):
                name = "TextRules"
            self._tags[free_name(name, self._tags)] = value

    def _take_words_at_end(
        self, game: Game | None, players: tuple[str, str], colours: Mapping[str, Side]
    ) -> list[WrittenMove]:
        """Return the moves; words after them that state the result become endings."""
        words = as_moves(game, self._course.words) if game else self._course.words
        if words:
            self._take_bracketed_end(words[-1], players, colours)
        for index, word in enumerate(words):
            if (game and move_in(game, word.text)[0]) or re.search(r"[0-9]", word.text):
                continue
            end = self._parts.body.find("\n", word.at)
            rest = self._parts.body[word.at : end if end >= 0 else None].strip()
            told = re.split(r"[\[{(;]", rest)[0].strip()
            if is_resigning(told):
                told = f"{self._by_resigning(index)} resigns"
            elif ending_of(told, players, colours) is None:
                continue
            self._course.ends.append((told, word.at))
            return words[:index]
        return words

    def _take_bracketed_end(
        self, last: WrittenMove, players: tuple[str, str], colours: Mapping[str, Side]
    ) -> None:
        """Take a result in words in parentheses after the last move, such as `(Bob resigned)`."""
        for line in [*last.lines]:
            text = line[1].strip()
            if not is_movelike(text) and ending_of(text, players, colours):
                self._course.ends.append((text, line[0][0].at if line[0] else last.at))
                last.lines.remove(line)

    @staticmethod
    def _by_resigning(plies: int) -> Result:
        """Return the result if the side to move resigns after this number of plies."""
        return Result.won_by(Side(plies % 2).other)

    def _ending(
        self, values: dict[str, str], players: tuple[str, str], colours: Mapping[str, Side]
    ) -> ReadEnding:
        """Return how the game ended, if the text states it; contradictions are faults."""
        said: list[tuple[ReadEnding, int]] = []
        tag, at = values.get("Result", ""), self._at.get("Result", 0)
        for text, place in [*([(tag, at)] if tag else []), *self._course.ends]:
            if ending := ending_of(text, players, colours):
                said.append((ending, place))
            else:
                expected = "1-0, 0-1, 1/2-1/2, *, or words such as White wins"
                self._object("result", f"{shortened(text)} is not a result", expected, place)
        for text, place, is_marked in self._parts.after:
            if is_resigning(text):
                said.append((ReadEnding(self._by_resigning(len(self.words)), "resignation"), place))
            elif ending := ending_of(text, players, colours):
                said.append((ending, place))
            else:
                self._comments.append(text)
                self.kept += [] if is_marked else [place]
        others = [(one.result, place) for one, place in said if one.result != said[0][0].result]
        for result, place in others[:1]:
            message = f"the result is {result} here, and {said[0][0].result} before"
            self._object("result", message, "the same result", place)
        return self._with_reason(values, said, lambda text: ending_of(text, players, colours))

    def _with_reason(
        self,
        values: dict[str, str],
        said: list[tuple[ReadEnding, int]],
        read: Callable[[str], ReadEnding | None],
    ) -> ReadEnding:
        """Return the stated ending with the reason why the game ended."""
        why = values.get("Termination", "")
        termination = reason_in(why)
        if why and not termination:
            told = read(why)
            termination = told.termination if told else ""
            if told and not said:
                said.append((told, self._at["Termination"]))
            elif told and told.result != said[0][0].result:
                message = f"the Termination says {told.result}, the result is {said[0][0].result}"
                self._object("result", message, "the same result", self._at["Termination"])
            if not termination and why.lower() != "normal":
                self._tags["TextTermination"] = why
        termination = termination or next(
            (one.termination for one, _ in said if one.termination), ""
        )
        return ReadEnding(said[0][0].result if said else None, termination)

    def _built(self, game: Game, words: list[WrittenMove], ending: ReadEnding) -> Record | None:
        """Return the record of a known game, with its moves played."""
        start = self._start(game)
        plies, unread = self._plies(game, start, words)
        self._check_behind(game, words)
        for message, at, ply in number_faults(self._course.numbers):
            self._object("ply-number", *message, at, ply)
        end: Position | None = None
        if start is not None:
            end, faults = check_line(start, plies, None, 1)
            self.faults += [
                replace(one, at=words[(one.ply or 1) - 1].at)
                for one in faults
                if not (one.code == "move" and one.ply and one.ply - 1 in unread)
            ]
        result, termination = self._ended(end, ending, has_moves=bool(plies))
        self._doubt_moves(plies, ending)
        if self.faults:
            return None
        tags = {"Game": game.id}
        tags |= {name: self._tags[name] for name in KNOWN_TAGS if name in self._tags}
        tags |= self._tags
        if not plies and result.is_finished:
            tags[MOVES] = NOT_RECORDED
        if termination:
            tags["Termination"] = termination
        tags["Result"] = result.value
        self.kept += [line.at for line in self._parts.before if not line.is_marked]
        before = [line.text for line in self._parts.before]
        said = [*before, *self._course.before, *([] if plies else self._comments)]
        if plies and self._comments:
            *most, last = plies
            plies = [*most, replace(last, comments=(*last.comments, *_said(self._comments)))]
        try:
            return Record(tuple(tags.items()), tuple(plies), result, _said(said))
        except RecordValueError as error:
            self.faults.append(replace(error.fault, at=error.fault.at or 0))
            return None

    def _doubt_moves(self, plies: list[Ply], ending: ReadEnding) -> None:
        """Note that moves are missing, which is a fault if the result is missing too."""
        if plies:
            return
        if ending.result:
            self.assumed.append("no moves found: only the result is used")
        else:
            self._object("syntax", "no moves or result found", _SHAPE, 0)

    def _start(self, game: Game) -> Position | None:
        setup, position, rules = (self._tags.get(name, "") for name in ("Setup", "Position", RULES))
        given = [("Setup", setup, "")] if setup or not position else []
        given += [("Position", "", position)] if position else []
        if len(given) > 1:
            message = "the record has both a Setup and a Position"
            self._object("tag", message, "one of the two", self._at["Position"])
        starts: list[Position] = []
        for name, one, other in given:
            try:
                starts.append(start_from(game.id, one, other, rules))
            except GameError as error:
                self.faults.append(Fault(name.lower(), str(error), at=self._at.get(name, 0)))
        return starts[0] if len(starts) == len(given) else None

    def _check_behind(self, game: Game, words: list[WrittenMove]) -> None:
        """Add a fault if a move comes after the result."""
        ends = [at for _, at in self._course.ends if words and at > words[0].at]
        for word in words:
            if ends and word.at > ends[0] and move_in(game, word.text)[0]:
                message = f"the move {shortened(word.text)} comes after the result"
                self._object("move", message, "the result after all moves", word.at)
                return

    def _plies(
        self, game: Game, start: Position | None, words: list[WrittenMove]
    ) -> tuple[list[Ply], list[int]]:
        """Return the plies, and the places of words that are not moves, which are faults."""
        plies: list[Ply] = []
        unread: list[int] = []
        position = start
        for index, word in enumerate(words):
            move, dropped = move_in(game, word.text)
            if dropped:
                self.assumed.append("dropped: + # = after moves")
            if not move:
                unread.append(index)
                message = f"{shortened(word.text)} is not a move of {game.id}"
                self._object("move", message, example(game), word.at, index + 1)
                move = "x"
            lines, said = self._variations(game, position, word)
            comments = self._readable(_said([*word.comments, *said]))
            plies.append(Ply(move, word.glyph, comments, tuple(lines)))
            try:
                position = position and position.play(read_move(position, move))
            except GameError:
                position = None
        return plies, unread

    def _readable(self, comments: tuple[Comment, ...]) -> tuple[Comment, ...]:
        """Return comments with annotations of other programs converted, or renamed."""
        return tuple(tuple(map(self._readable_part, each)) for each in comments)

    def _readable_part(self, part: str | Annotation) -> str | Annotation:
        if isinstance(part, str) or (part.name != "eval" and is_right(part)):
            return part
        if meant := meant_annotation(part):
            self.assumed.append("times such as 0:05:03 are read as hours:minutes:seconds")
            return meant
        if part.name == "eval" and self._has_our_evals:
            return part
        self.assumed.append(f"[%{part.name}] in other units is kept as [%text_{part.name}]")
        return annotation(f"text_{part.name}", part.value)

    @cached_property
    def _has_our_evals(self) -> bool:
        """True if all evaluations are from -1 to 1."""
        notes = (note for word in self.words for each in _said(word.comments) for note in each)
        return all(is_right(one) for one in notes if isinstance(one, Annotation))

    def _variations(
        self, game: Game, position: Position | None, word: WrittenMove
    ) -> tuple[list[Variation], list[str]]:
        """Return the variations of a move that can be played, and the text of the others."""
        lines, said = [], []
        for inner, text in word.lines:
            plies = [
                Ply(
                    move_in(game, one.text)[0] or "x",
                    one.glyph,
                    self._readable(_said([*one.comments, *(t for _, t in one.lines)])),
                )
                for one in inner
            ]
            if position and plies and not check_line(position, plies, None, 1)[1]:
                lines.append(Variation(tuple(plies)))
            elif text.strip():
                said.append(text)
        return lines, said

    def _ended(
        self, end: Position | None, ending: ReadEnding, *, has_moves: bool
    ) -> tuple[Result, str]:
        """Return the result and the termination; missing ones follow from the rules."""
        outcome = end.outcome() if end is not None else None
        result, why = ending.result, ending.termination
        if not result:
            result = outcome.result if outcome else Result.UNFINISHED
            why = why or ("rules" if outcome else "")
            if end is not None and has_moves:
                words = (
                    "results by the rules" if outcome else "unfinished, because no result is given"
                )
                self.assumed.append(words)
            return result, why
        if end is None or not has_moves:
            return result, why
        if outcome is None and why == "rules":
            why = why if result.is_finished else ""
        if not why and result.is_finished:
            by_hand = _BY_HAND.get(result, ("resignation", "ended by resignation"))
            why, words = ("rules", "ended by the rules") if outcome else by_hand
            self.assumed.append(words)
        at = self._at.get("Result") or (self._course.ends[0][1] if self._course.ends else 0)
        self.faults += [replace(one, at=at) for one in end_faults(result, why, outcome)]
        return result, why


_BY_HAND: Final = {Result.DRAWN: ("agreement", "drawn by agreement")}


_OF_RECORDS: Final = frozenset({*KNOWN_TAGS, "Winner", "White", "Black"})
"""Tags that are not players' names although their values can be colours."""

_SHAPE: Final = "moves such as 1. e5 d4, or a result"


def _said(texts: Iterable[str]) -> tuple[Comment, ...]:
    """Return the comments of the texts that are not empty."""
    return tuple(filter(None, (comment(text.replace("}", ")")) for text in texts)))
