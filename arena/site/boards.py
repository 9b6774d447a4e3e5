"""Positions as pages draw them: contents, legal moves, and moves that win or lose at once."""

from __future__ import annotations

import gzip
import os
import re
import threading
import time
import tomllib
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from lath.arena.directory import CONFIG, RECORDS
from lath.arena.entrants.sizes import DEMO_GAMES
from lath.arena.machine.untrusted_files import opened, read_small
from lath.arena.site.shelf import LARGEST_CONFIG
from lath.arena.site.standing import LONGEST, SiteStandings, last_glimpses
from lath.arena.tournament.run.live import glimpses_in
from lath.arena.tournament.store.database import is_being_played
from lath.games import get, ids, origin
from lath.games.capabilities import extras_told, form_of, lessons_of
from lath.games.cards import credit_told, named_card
from lath.games.core import Move, read_typed_move, version_of
from lath.games.drawing import board
from lath.games.drawing.changes import changed_cells, worded
from lath.games.errors import GameError
from lath.games.fast import fast_board
from lath.notation.rules.replay import start_from
from lath.notation.text.scanner import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from lath.arena.site.shelf import Item
    from lath.games.core import Game, Lesson, Position, Side


def board_json(game_id: str) -> dict[str, Any] | None:
    """Return the values that `lath.makeBoard` needs for a game; None if the game does not exist.

    `card` has the rules in a few sentences that begin with the game's name, or an empty string.
    The text of `credit` is a sentence. With `can_arrange`, a position can be set up piece by piece.
    """
    try:
        game = get(game_id)
    except GameError:
        return None
    start = game.start(game.draw_setup(0))
    more = {
        "id": game.id,
        "credit": credit_told(game),
        "card": named_card(game),
        "can_arrange": arranged(game, start.contents(), start.to_move) is not None,
        "lessons": [lesson_json(game, lesson) for lesson in lessons_of(game)],
    }
    return {**board.to_json(game), **more, "drawn": board.template(game)}


def size_of(board: Mapping[str, Any]) -> tuple[int, int]:
    """Return the width and height of a board of `board_json`, for which a page keeps room."""
    _, _, width, height = re.findall(r"[-\d.]+", board["drawn"].split("viewBox=", 1)[1])[:4]
    return round(float(width)), round(float(height))


def arranged(game: Game, contents: Sequence[str], to_move: Side) -> str | None:
    """Return the text of a position with these pieces, possible or not; None if unknown.

    It is unknown if the game does not write its own first position so.
    """
    start = game.start(game.draw_setup(0))
    for is_told in (True, False):  # some games know the side to move by the pieces
        if _written(game, start.contents(), start.to_move, is_told=is_told) == start.text():
            return _written(game, contents, to_move, is_told=is_told)
    return None


def _written(game: Game, contents: Sequence[str], to_move: Side, *, is_told: bool) -> str:
    """Return the fields of a position, with the first letter of the colour to move if `is_told`."""
    markers = {piece.code for piece in game.pieces if piece.shape == "marker"}
    on_cells = tuple(zip(game.board.name.items(), contents, strict=True))
    fields: list[str] = []
    for codes in form_of(game).split():
        bits = {code: [(bit, name) for (bit, name), on in on_cells if code in on] for code in codes}
        if codes in markers:
            fields.append(next((name for _, name in bits[codes]), "-"))
        else:
            layers = {code: sum(bit for bit, _ in found) for code, found in bits.items()}
            fields.append(game.board.format_rows(layers))
    return " ".join([*fields, game.colours[to_move][0]] if is_told else fields)


def boards_of(position: Position, before: Position | None = None) -> dict[str, Any]:
    """Return the values to draw a position, and the ending of the game.

    - `stacks`: the contents of each cell
    - `extras`: the state beside the cells in words, if the game has one
    - `moved` and `deciding`: indexes of cells
    - `is_loss`: true if the last mover lost by that move
    - `ending`: the ending in the rules' words
    - `winner`: a side, or null if the game is a draw or continues
    """
    names = position.game.board.names
    outcome = position.outcome()
    winner = outcome.winner if outcome else None
    return {
        "stacks": list(position.contents()),
        **({"extras": extras} if (extras := extras_told(position)) else {}),
        "moved": [
            names.index(name) for name in (changed_cells(before, position) if before else ())
        ],
        "deciding": [names.index(name) for name in (outcome.cells if outcome else ())],
        "to_move": int(position.to_move),
        "is_over": outcome is not None,
        "ending": outcome.ending if outcome else "",
        "winner": None if winner is None else int(winner),
        "is_loss": winner is not None and before is not None and before.to_move != winner,
    }


def position_json(position: Position, before: Position | None = None) -> dict[str, Any]:
    """Return a position with its legal moves, for a page on which a person plays.

    The values are those of `boards_of`, and these:

    - `text`: the position in the notation
    - `told`: how the game ended, as a sentence, or an empty text
    - `legal`: each move's text, and the cells that it changes with their new contents
    - `direct`: the moves that no cell stands for, and what they do
    - `wins` and `loses`: the moves that end the game at once with this result for the mover
    """
    value = boards_of(position, before)
    value["text"] = position.text()
    outcome = position.outcome()
    value["told"] = outcome.told(*position.game.colours) if outcome else ""
    contents, mover = position.contents(), position.to_move
    legal: list[tuple[Move, list[tuple[int, str]]]] = []
    wins: list[Move] = []
    loses: list[Move] = []
    for move in position.legal_moves():
        after = position.play(move)
        pairs = enumerate(zip(contents, after.contents(), strict=True))
        legal.append((move, [(cell, new) for cell, (old, new) in pairs if old != new]))
        if (end := after.outcome()) is not None and end.winner is not None:
            (wins if end.winner == mover else loses).append(move)
    direct = list(worded(position).items())
    return {**value, "legal": legal, "direct": direct, "wins": wins, "loses": loses}


def titles() -> list[dict[str, str]]:
    """Return the id and title of each game type, those of files first."""
    found = []
    for game_id in sorted(ids(), key=lambda one: origin(one) is None):
        with suppress(ValueError):
            game = get(game_id)
            found.append({"id": game.id, "title": game.title})
    return found


def lesson_json(game: Game, lesson: Lesson) -> dict[str, Any]:
    """Return a lesson with the positions that its animation steps through.

    - `title` and `words`: the rule, and what to see
    - `steps`: `boards_of` at the beginning and after each move, and that in words as `told`
    - `legal`: as in `position_json`, if the lesson marks the legal moves after its last move
    """
    positions = [game.start()]
    for move in lesson.moves:
        positions.append(positions[-1].play(Move(move)))
    first, second = names = [colour.capitalize() for colour in game.colours]
    told = [f"{names[positions[lesson.begun].to_move]} to move."]
    for ply, move in enumerate(lesson.moves[lesson.begun :], lesson.begun):
        told.append(f"{names[positions[ply].to_move]} plays {move}.")
    if outcome := positions[-1].outcome():
        told[-1] += f" {outcome.told(first, second)}."
    steps = [
        {**boards_of(positions[ply], *positions[max(0, ply - 1) : ply]), "told": words}
        for ply, words in enumerate(told, lesson.begun)
    ]
    legal = position_json(positions[-1])["legal"] if lesson.shows_legal else None
    return {"title": lesson.title, "words": lesson.words, "steps": steps, "legal": legal}


THREATS_S: Final = 0.5
"""The most seconds for the threats of a position."""


def threats(position: Position) -> list[str]:
    """Return the moves with which the opponent would win at once after most of the mover's moves.

    Moves that win or lose at once do not count. The result is empty if it would take more than
    `THREATS_S` seconds, as in games with hundreds of moves.
    """
    fast = fast_board(position)
    if fast.winner is not None:
        return []
    until_s = time.monotonic() + THREATS_S
    found: Counter[str] = Counter()
    wins, losses = fast.threats()
    quiet = sorted(set(fast.legal()).difference(wins, losses))
    for code in quiet:
        if time.monotonic() > until_s:
            return []
        fast.play(code)
        if fast.winner is None and fast.to_move != position.to_move:
            found.update(fast.moves[one] for one in fast.threats()[0])
        fast.undo()
    return sorted(move for move, count in found.items() if 2 * count > len(quiet))


def played(game: str, setup: str, position: str, moves: Iterable[str]) -> list[Position]:
    """Return the starting position of a game and the position after each ply.

    Raises GameError, with the number of the ply.
    """
    positions = [start_from(game, setup, position, version_of(get(game)))]
    for ply, text in enumerate(moves, 1):
        try:
            positions.append(positions[-1].play(read_typed_move(positions[-1], text)))
        except GameError as error:
            raise GameError(f"ply {ply}: {error}") from error
    return positions


MOST_KEPT: Final = 2_000
"""The number of kept pictures, of 2 kB each."""

NO_BOARD: Final = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'


class Thumbnails:
    """The boards that stand for tournaments in a list, as gzipped SVG."""

    def __init__(self, standings: SiteStandings) -> None:
        self._standings: Final = standings
        self._kept: Final[dict[Path, tuple[str, bytes]]] = {}
        self._lock: Final = threading.Lock()
        """A lock, so that all visitors together have one board drawn at a time."""

    def of(self, item: Item) -> bytes:
        """Return the board of a tournament; an empty picture if no board can be drawn."""
        with self._lock:
            version = self._standings.board_version(item)
            kept = self._kept.get(item.path)
            if kept is None or kept[0] != version:
                if len(self._kept) >= MOST_KEPT:
                    self._kept.clear()
                drawn = NO_BOARD if item.fault() else _drawn(shown_game(item))
                kept = self._kept[item.path] = (version, gzip.compress(drawn.encode(), mtime=0))
            return kept[1]


def shown_game(item: Item) -> dict[str, Any]:
    """Return the game whose board stands for a tournament, like a game in play.

    It is the first of the games in play, or the last game, or the start of a game that will be
    played. Empty if none can be read.
    """
    if is_being_played(item.path) and (live := glimpses_in(item.path)):
        return next(iter(live.values()))
    if stored := last_glimpses(item.path, 1):
        return stored[-1]
    with suppress(OSError, ValueError, TypeError, RecursionError):
        return _last_record(item.path / RECORDS)
    with suppress(OSError, ValueError, TypeError, RecursionError):
        config = read_small(item.config or item.path / CONFIG, LARGEST_CONFIG).decode()
        return {"game": [*tomllib.loads(config).get("games", ()), *DEMO_GAMES][0], "moves": []}
    return {}


def _last_record(path: Path) -> dict[str, Any]:
    """Return the last whole game of a record file; raises OSError and ValueError."""
    with os.fdopen(opened(path), "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - LONGEST))
        texts = re.split(r"\n\n(?=\[)", file.read().decode("utf-8", "replace").strip())
    for text in texts[:-3:-1]:  # a run may be writing the last one
        if (read := parts(text)) is not None:
            tags = dict(read.tags)
            values = {name.lower(): tags.get(name) for name in ("Game", "Setup", "Position")}
            return {**values, "moves": list(read.played())}
    raise ValueError("its last records cannot be read")


def _drawn(game: Mapping[str, Any]) -> str:
    """Return the last position of a game as SVG, with its last move."""
    before = None
    try:
        start = (str(game.get(name) or "") for name in ("game", "setup", "position"))
        position = start_from(*start)
        for move in game["moves"]:
            before, position = position, position.play(move)
    except (GameError, LookupError, TypeError, ValueError):
        return NO_BOARD
    return picture(position, before)


def picture(position: Position, before: Position | None = None) -> str:
    """Return a position as SVG for a list, with the cells that decided the game."""
    outcome = position.outcome()
    return board.svg(
        position,
        highlight=outcome.cells if outcome else (),
        is_loss=bool(outcome and outcome.is_loss),
        last=changed_cells(before, position) if before else (),
    )
