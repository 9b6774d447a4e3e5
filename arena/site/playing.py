"""The requests of the pages for play, analysis and puzzles, and the files that keep games.

The page holds the game as a start and a tree of moves. Each request contains all it needs, so
nothing is lost when the site ends.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import gzip
import json
import os
import secrets
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from lath import games
from lath.arena.engine.puzzle_book import all_built_in, read_puzzles, refuted
from lath.arena.engine.reviewing import Review
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.referee.answers import Limit
from lath.arena.site.boards import arranged, picture, played, position_json, threats
from lath.arena.site.shelf import file_fault
from lath.arena.site.thinking import BotQuestion, Thinkers
from lath.games.cards import variants
from lath.games.core import FIRST_VERSION, SIDES, follow, read_typed_move, version_of
from lath.games.errors import GameError
from lath.notation import Builder, Ply, Record, Variation, comment, format_record, parse
from lath.notation.protocol import TimeControl
from lath.notation.record.errors import RecordValueError, shortened
from lath.notation.record.tags import GAME_FILE, RULES
from lath.notation.rules.replay import canonical, faults_of, start_of
from lath.reports.explaining.better import SAYS
from lath.reports.explaining.turning import KINDS
from lath.reports.page.number_words import count

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence
    from pathlib import Path

    from starlette.requests import Request

    from lath.arena.engine.puzzle_book import Puzzle
    from lath.notation.record.record import Comment

FILES: Final = {"game": "played.lath", "analysis": "analysed.lath"}
"""The file names for kept games and analyses, in the served folder."""

LONGEST: Final = 10_000
"""The most plies in a request."""

SOLVER: Final = "solver"
"""The bot that refutes wrong moves in puzzles."""

REFUTING: Final = Limit(seconds=1.5)
"""The limit for its answer to one move."""

Text = Annotated[str, Field(max_length=20_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class Asked(BaseModel):
    """The data of a request; an unknown key is an error in the page."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class GameStart(Asked):
    """The start of a game: a setup or a position in the notation. Default: drawn from `seed`."""

    game: Name
    setup: Text = ""
    position: Text = ""
    seed: int | None = Field(default=None, ge=0, le=10**15)
    plain: bool = False
    """True for a start without a setup instead of a drawn one."""


class PlayedLine(Asked):
    """A game from its start to the current position."""

    game: Name
    setup: Text = ""
    position: Text = ""
    moves: list[Name] = Field(default=[], max_length=LONGEST)


class Looked(PlayedLine):
    """A line, with the choice to show the opponent's threats."""

    threats: bool = False


class AskedLine(PlayedLine):
    """A line, the bot to analyse it, and one of three limits."""

    bot: Name
    level: int | None = None
    seconds: float | None = Field(default=None, ge=0.01, le=600)
    nodes: int | None = Field(default=None, ge=1, le=10**9)
    left_s: tuple[float, float] | None = None
    """The clocks of the first and the second player, in seconds."""

    increment_s: float = Field(default=0.0, ge=0, le=3600)


class SaidPly(Asked):
    """A ply with its comments and variations."""

    move: Name
    glyph: str = ""
    before: list[Text] = []
    """Comments before the move, such as at the start of a variation."""

    comments: list[Text] = []
    variations: list[list[SaidPly]] = []


class KeptGame(Asked):
    """A game or an analysis to keep."""

    game: Name
    setup: Text = ""
    position: Text = ""
    kind: Literal["game", "analysis"]
    names: tuple[Name, Name] | None = None
    times: tuple[Name, Name] | None = None
    """The time controls, as texts of `--tc`."""

    tags: dict[Name, Text] = {}
    """Other tags, such as `Event`, that the rest of the data does not give."""

    comments: list[Text] = []
    """The comments before the first move."""

    line: list[SaidPly] = Field(max_length=LONGEST)
    result: str = "*"
    termination: str = ""
    """The termination, if the rules did not end the game."""


class ArrangedBoard(Asked):
    """Pieces that a person has put on a board: the contents of each cell."""

    game: Name
    contents: list[Annotated[str, Field(max_length=20)]] = Field(max_length=LONGEST)
    to_move: Literal[0, 1]


class TriedMove(Asked):
    """A wrong move in a puzzle of this key."""

    game: Name
    puzzle: Name
    move: Name


class GivenRecord(Asked):
    """The text of a record."""

    text: str


_Body = TypeVar("_Body", bound=Asked)


@dataclass(slots=True)
class Desk:
    """The requests for play: bots to ask, and a folder for kept games."""

    folder: Path
    thinkers: Thinkers
    append: Callable[[Path, str], None]
    """A function that appends a record to a file atomically; raises ConfigError."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    """A lock, because only one record is written at a time."""

    def routes(self) -> list[Route]:
        """Return the routes of these requests."""
        return [
            Route("/api/start", self._start, methods=["POST"]),
            Route("/api/position", self._position, methods=["POST"]),
            Route("/api/arrange", self._arrange, methods=["POST"]),
            Route("/api/think", self._think, methods=["POST"]),
            Route("/api/review", self._review, methods=["POST"]),
            Route("/api/keep", self._keep, methods=["POST"]),
            Route("/api/read", self._read, methods=["POST"]),
            Route("/api/bots/{name:path}", self._bot, methods=["POST"]),  # starts a program
            Route("/api/puzzles/{game:path}", self._puzzles),
            Route("/api/refute", self._refute, methods=["POST"]),
            Route("/pictures/{game:path}", self._picture),
        ]

    async def _start(self, request: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(begun, await body_of(request, GameStart)))

    async def _position(self, request: Request) -> Response:
        asked = await body_of(request, Looked)

        def look() -> dict[str, Any]:
            positions = played(asked.game, asked.setup, asked.position, asked.moves)
            value = position_json(positions[-1], *positions[-2:-1])
            return value | ({"threats": threats(positions[-1])} if asked.threats else {})

        return JSONResponse(await asyncio.to_thread(look))

    async def _arrange(self, request: Request) -> Response:
        board = await body_of(request, ArrangedBoard)
        return JSONResponse(await asyncio.to_thread(arranged_position, board))

    async def _think(self, request: Request) -> Response:
        asked = await body_of(request, AskedLine)
        positions = await asyncio.to_thread(
            played, asked.game, asked.setup, asked.position, asked.moves
        )
        question = BotQuestion(
            asked.bot, asked.level, positions[0], asked.moves, positions[-1], _limit(asked)
        )
        return _streamed(self.thinkers.thoughts(question))

    async def _review(self, request: Request) -> Response:
        kept = await body_of(request, KeptGame)
        record = await asyncio.to_thread(lambda: parse(record_of(kept)))
        return _streamed(self.thinkers.reviews(record))

    async def _keep(self, request: Request) -> Response:
        kept = await body_of(request, KeptGame)
        text = await asyncio.to_thread(record_of, kept)
        told = {"text": text, "tree": await asyncio.to_thread(lambda: tree_of(parse(text)))}
        file = self.folder / FILES[kept.kind]

        def write() -> None:
            with self.lock:
                if os.path.lexists(file) and (fault := file_fault(file, self.folder.resolve())):
                    raise ConfigError(f"{file.name}: {fault}")
                self.append(file, text)

        try:
            await asyncio.to_thread(write)
        except ArenaError as error:  # the page still has the text
            return JSONResponse({**told, "file": "", "error": str(error)})
        return JSONResponse({**told, "file": file.name})

    async def _read(self, request: Request) -> Response:
        text = (await body_of(request, GivenRecord)).text
        return JSONResponse(await asyncio.to_thread(lambda: tree_of(parse(text))))

    async def _bot(self, request: Request) -> Response:
        return JSONResponse(
            await asyncio.to_thread(self.thinkers.about, request.path_params["name"])
        )

    def _puzzles(self, request: Request) -> Response:
        return JSONResponse(puzzles_of(request.path_params["game"]))

    async def _picture(self, request: Request) -> Response:
        game, key = request.path_params["game"], request.query_params.get("puzzle", "")
        return drawing(request, await asyncio.to_thread(_picture_of, game, key))

    async def _refute(self, request: Request) -> Response:
        tried = await body_of(request, TriedMove)

        def refute() -> dict[str, Any]:
            puzzle = next((one for one in _puzzles(tried.game) if one.key == tried.puzzle), None)
            if puzzle is None:
                raise ConfigError(f"{shortened(tried.puzzle)}: puzzle not found")
            move = read_typed_move(puzzle.position, tried.move)
            found = refuted(puzzle, move, lambda at: self.thinkers.solved(SOLVER, at, REFUTING))
            return {"line": list(found.line), "words": found.words}

        return JSONResponse(await asyncio.to_thread(refute))


def drawing(request: Request, zipped: bytes) -> Response:
    """Return a gzipped SVG, which the browser keeps for its address."""
    headers = {"cache-control": "private, max-age=86400"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
    else:
        zipped = gzip.decompress(zipped)
    return Response(zipped, headers=headers, media_type="image/svg+xml")


def _streamed(parts: AsyncIterator[dict[str, Any]]) -> Response:
    """Return an answer of one line of JSON for each part, as the parts come."""

    async def lines() -> AsyncIterator[str]:
        async for part in parts:
            told = review_json(part["review"]) if part["part"] == "review" else part
            yield json.dumps(told) + "\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


def review_json(review: Review) -> dict[str, Any]:
    """Return a review as the page shows it.

    - `tree`: the analysed game, as in `tree_of`
    - `sides`: of each side, its `accuracy` in per cent or null, and its marks in `words`
    - `marks`: of each ply, empty for most
    - `turns`: the ply, side and kind of a turning point, with `words` about the side
    - `better`: better moves by ply, each with its `line` and `words` about the first move
    """
    return {
        "part": "review",
        "tree": tree_of(review.record),
        "sides": [
            {"accuracy": one and one["accuracy"], "words": _marks_told(review, seat)}
            for seat, one in enumerate(review.accuracies)
        ],
        "marks": review.marks,
        "turns": [
            {"ply": one.ply, "seat": one.seat, "kind": one.kind, "words": KINDS[one.kind]}
            for one in review.turns
        ],
        "better": {
            ply: {"line": list(one.line), "words": SAYS[one.sort]}
            for ply, one in review.better.items()
        },
    }


_MARKS: Final = {"!": "only move", "?": "mistake", "??": "blunder"}


def _marks_told(review: Review, seat: int) -> str:
    """Return the marks of one side in words, such as `2 blunders ??`."""
    found = Counter(
        mark for mover, mark in zip(review.movers, review.marks, strict=True) if mover == seat
    )
    told = [f"{count(found[mark], words)} {mark}" for mark, words in _MARKS.items() if found[mark]]
    judged = review.accuracies[seat]
    of = count(judged["weighed"] if judged else 0, "judged move")
    return ", ".join([of, *(told or ["no mistakes"])])


async def body_of(request: Request, kind: type[_Body]) -> _Body:
    """Return the validated body of a request; raises HTTPException."""
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise HTTPException(400, f"{where}: {first['msg']}" if where else first["msg"]) from error


def begun(start: GameStart) -> dict[str, str]:
    """Return `game`, `setup` and `position` of a start; raises GameError and ConfigError."""
    game = games.get(games.canonical_id(start.game))  # Not by file: a page must not run code.
    if start.setup and start.position:
        raise ConfigError("give a setup or a position, not both")
    if start.position:
        return {"game": game.id, "setup": "", "position": game.position(start.position).text()}
    seed = secrets.randbelow(1_000_000) if start.seed is None else start.seed
    if start.setup:
        setup: str | None = game.canonical_setup(start.setup)
    else:
        setup = None if start.plain else game.draw_setup(seed)
    return {"game": game.id, "setup": setup or "", "position": ""}


def arranged_position(board: ArrangedBoard) -> dict[str, str]:
    """Return the `position` of a board as text, or the `error` with which its game refuses it."""
    game = games.get(board.game)
    codes = {piece.code for piece in game.pieces}
    is_on_board = len(board.contents) == len(game.board.names)
    if not is_on_board or not codes.issuperset("".join(board.contents)):
        raise ConfigError(f"expected the pieces of {game.id} on {len(game.board.names)} cells")
    if (text := arranged(game, board.contents, SIDES[board.to_move])) is None:
        raise ConfigError(f"{game.id}: its pieces cannot be set up one by one. Type the position")
    try:
        return {"position": game.position(text).text(), "error": ""}
    except GameError as error:
        return {"position": "", "error": str(error)}


def _limit(asked: AskedLine) -> Limit:
    try:
        if asked.left_s is None:
            return Limit(seconds=asked.seconds, nodes=asked.nodes)
        first_s, second_s = (max(0.001, one) for one in asked.left_s)
        return Limit(first_s=first_s, second_s=second_s, increment_s=asked.increment_s)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def record_of(kept: KeptGame) -> str:
    """Return a game or an analysis as a record in canonical text; raises NotationError."""
    made = Builder(kept.game, setup=kept.setup, position=kept.position)
    made.tag(**{"Date": dt.datetime.now().astimezone().date().isoformat(), **kept.tags})
    for text in kept.comments:
        made.comment(text)
    if kept.names is not None:
        made.tag(First=kept.names[0], Second=kept.names[1])
    if kept.times is not None:
        try:
            first, second = (str(TimeControl.read(text)) for text in kept.times)
        except ValueError as error:
            raise ConfigError(str(error)) from error
        made.tag(
            **(
                {"TimeControl": first}
                if first == second
                else {"FirstTimeControl": first, "SecondTimeControl": second}
            )
        )
    made.play(*_plies(kept.line))
    if not made.is_over and (kept.termination or kept.result != "*"):
        made.end(kept.result, kept.termination)
    return format_record(made.record())


def _plies(line: Sequence[SaidPly]) -> tuple[Ply, ...]:
    return tuple(
        Ply(
            said.move,
            said.glyph,
            _comments(said.comments),
            tuple(
                Variation(_plies(one), _comments(one[0].before)) for one in said.variations if one
            ),
        )
        for said in line
    )


def _comments(texts: Iterable[str]) -> tuple[Comment, ...]:
    return tuple(comment(text) for text in texts if text.strip())


def tree_of(record: Record) -> dict[str, Any]:
    """Return a record as pages have it; `record_of` makes the same record of it.

    The keys are `game`, `setup`, `position`, `tags`, `comments`, `line`, and also `result` and
    `termination` if the rules did not end the game. Raises NotationError for an invalid record, and
    GameError if its game has other rules here.
    """
    for fault in faults_of(record):
        raise RecordValueError(fault)
    if start_of(record).game is not (game := games.get(record.game)):
        has = f"{record.game} has the rules {version_of(game)} here"
        raise GameError(f"{has}, but the record follows {record.tag(RULES) or FIRST_VERSION}")
    record = canonical(record)
    return {
        "game": record.game,
        "setup": record.tag("Setup"),
        "position": record.tag("Position"),
        "tags": {name: value for name, value in record.tags if name not in _BY_THE_REST},
        "comments": _texts(record.comments),
        "result": record.result,
        "termination": record.termination,
        "line": _line(record.plies),
    }


_BY_THE_REST: Final = frozenset(
    {"Game", GAME_FILE, RULES, "Setup", "Position", "Result", "Termination"}
)
"""Tags that follow from the other values of a page."""


def _line(plies: Iterable[Ply], before: tuple[Comment, ...] = ()) -> list[dict[str, Any]]:
    return [
        {
            "move": ply.move,
            "glyph": ply.glyph,
            "before": [] if number else _texts(before),
            "comments": _texts(ply.comments),
            "variations": [_line(one.plies, one.comments) for one in ply.variations],
        }
        for number, ply in enumerate(plies)
    ]


def _texts(comments: Iterable[Comment]) -> list[str]:
    return [" ".join(map(str, parts)) for parts in comments]


def puzzles_of(game: str) -> list[dict[str, Any]]:
    """Return a game's puzzles, the easiest first; raises ConfigError if it has none."""
    return [
        {
            "number": number,
            "key": puzzle.key,
            "position": puzzle.position.text(),
            "question": puzzle.question,
            "words": puzzle.words,
            "grade": puzzle.grade,
            "plies": puzzle.plies,
            "line": list(puzzle.line),
        }
        for number, puzzle in enumerate(_puzzles(game), 1)
    ]


@lru_cache(maxsize=16)
def _puzzles(game: str) -> tuple[Puzzle, ...]:
    files = {file.stem: file for file in all_built_in()}
    if game not in files:
        raise ConfigError(f"{shortened(game)} has no puzzles; choose one of {', '.join(files)}")
    return tuple(read_puzzles(files[game]))


def puzzle_of_the_day(day: dt.date) -> dict[str, str]:
    """Return `game`, `title`, `key` and `question` of a puzzle; each day has another."""
    files = all_built_in()
    turn, which = divmod(day.toordinal(), len(files))
    puzzles = _puzzles(files[which].stem)
    puzzle = puzzles[turn % len(puzzles)]
    game = puzzle.position.game
    return {
        "game": game.id,
        "title": game.title,
        "key": puzzle.key,
        "question": puzzle.question,
    }


@lru_cache(maxsize=32)
def _picture_of(game: str, key: str) -> bytes:
    """Return the position of a puzzle, or the end of the puzzle with the fewest pieces, drawn."""
    puzzles = _puzzles(game)
    puzzle = next((one for one in puzzles if one.key == key), None)
    if puzzle is not None:
        return gzip.compress(picture(puzzle.position).encode())
    puzzle = max(puzzles, key=lambda one: one.position.contents().count(""))
    position = follow(puzzle.position, puzzle.line)
    assert position is not None
    return gzip.compress(picture(position).encode())


def choices(thinkers: Thinkers) -> dict[str, Any]:
    """Return the choices on pages: `games`, each with its `variants`, and `bots`."""
    puzzles = {file.stem for file in all_built_in()}
    known = []
    for game_id in sorted(games.ids(), key=lambda one: games.origin(one) is None):  # files first
        with suppress(ValueError):
            game = games.get(game_id)
            others = [games.get(other) for other in variants(game)]
            known.append(
                {
                    "id": game.id,
                    "title": game.title,
                    "has_puzzles": game.id in puzzles,
                    "variants": [{"id": one.id, "title": one.title} for one in others],
                }
            )
    return {"games": known, "bots": list(thinkers.names)}
