"""The analysis of records by a bot: evaluations, move marks and better moves.

`Engine` asks the bot, as in `lath.arena.engine.solving`. All answers are stored, so that an
interrupted analysis resumes. Comments and marks by people are kept.

- `??`: the move threw away a proven result. A proven win became a proven draw or loss, or a proven
  draw became a proven loss.
- `?`: the move loses by proof, and another move is not proven to lose.
- `!`: the only move. All others are proven to be worse, and this one is not.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from lath.arena.engine.engine import Engine
from lath.arena.engine.solving import ORDER, Solved, after, solve, value_at_end
from lath.arena.errors import ConfigError
from lath.arena.referee.answers import Limit
from lath.games.core import Move, Position
from lath.notation import Record, positions
from lath.notation.record.record import (
    Annotation,
    Comment,
    Ply,
    Variation,
    annotation,
    is_of_analysis,
)
from lath.notation.record.tags import ANALYSIS, BY, SAID

USUAL_BOT: Final = "solver"
USUAL_NODES: Final = 5000
"""The bot that analyses by default, and its nodes per position."""

_GUESS: Final = 0.99

_MOST_PLIES: Final = 8
"""Maximum length of a variation."""


class AnswerCache:
    """A database of all answers so far, for use by several threads."""

    def __init__(self, file: Path | None) -> None:
        """Open or create a file, or use memory for None. Raises ConfigError for a foreign file."""
        self._lock: Final = threading.Lock()
        self._file: Final = file
        name = ":memory:" if file is None else str(file)
        with self._fault_told(), ExitStack() as undo:
            database = sqlite3.connect(name, check_same_thread=False, isolation_level=None)
            undo.callback(database.close)
            tables = database.execute("select name from sqlite_master where type = 'table'")
            if not {table for (table,) in tables} <= {"answers", "exact"}:
                raise sqlite3.DatabaseError("it has other tables")
            database.execute("pragma synchronous = off")
            # A new table, since earlier versions stored inexact lengths, which must be asked again.
            database.execute("create table if not exists exact (asked text primary key, told)")
            undo.pop_all()
        self._database: Final = database

    @contextmanager
    def _fault_told(self) -> Iterator[None]:
        """Turn SQLite's errors about the file into ConfigError."""
        try:
            yield
        except sqlite3.Error as error:
            raise ConfigError(
                f"{self._file}: was not written by `arena analyze` ({error})",
                hint="remove the file, or write to another one with -o OTHER",
            ) from error

    def get(self, asked: str) -> Solved | None:
        """Return the stored answer to a question, or None."""
        with self._lock, self._fault_told():
            found = self._database.execute(
                "select told from exact where asked = ?", (asked,)
            ).fetchone()
        text, _, checksum = str(found[0]).rpartition("\n") if found else ("", "", "")
        if not text or checksum != _checksum(asked, text):  # from an earlier version, or damaged
            return None
        told = json.loads(text)
        return Solved(**{**told, "line": tuple(map(Move, told["line"]))})

    def put(self, asked: str, answer: Solved) -> None:
        """Store an answer."""
        text = json.dumps({name: getattr(answer, name) for name in Solved.__slots__})
        told = f"{text}\n{_checksum(asked, text)}"
        with self._lock, self._fault_told():
            self._database.execute("insert or replace into exact values (?, ?)", (asked, told))

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _checksum(asked: str, text: str) -> str:
    return blake2b(f"{asked}\n{text}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class JudgedPly:
    """The judgement of one ply."""

    value: float
    """Expected score of the mover after the ply, from -1 to 1; both ends mean a proof."""

    glyph: str = ""
    better: tuple[Move, ...] = ()
    """A better move with its continuation."""


@dataclass
class Analyst:
    """One bot that analyses records."""

    bot: Engine
    name: str
    """Bot and limit, which are part of each stored question."""

    limit: Limit
    kept: AnswerCache
    heed: Callable[[], None] = lambda: None
    """A function called before each question; an error that it raises ends the analysis."""

    def asked(self, position: Position) -> Solved:
        """Return the bot's answer about a position."""
        if position.is_over:
            return value_at_end(position)
        self.heed()
        key = f"{self.name}|{position.game.id}|{position.text()}"
        if (found := self.kept.get(key)) is None:
            found = solve(self.bot, position, self.limit)
            self.kept.put(key, found)
        return found

    def judged(self, before: Position, move: Move, now: Position) -> JudgedPly:
        """Return the judgement of a move."""
        best = self.asked(before)
        played = after(self.asked, before, move, now)
        value = _score(played)
        if ORDER[best.value] < ORDER[played.value] and "unknown" not in (best.value, played.value):
            return JudgedPly(value, "??", best.line)
        if best.value == "unknown" and played.value == "loss" and best.line[:1] != (move,):
            return JudgedPly(value, "?", best.line)
        is_only = played.value != "loss" and self._is_only(before, move, played)
        return JudgedPly(value, "!" if is_only else "")

    def _is_only(self, before: Position, move: Move, played: Solved) -> bool:
        """Return whether there are other legal moves and all are proven to be worse."""
        others = [one for one in before.legal_moves() if one != move]
        for other in others:
            found = after(self.asked, before, other, before.play(other))
            worst = "loss" if played.value == "unknown" else played.value
            if found.value == "unknown" or "loss" == found.value == played.value:
                return False
            if ORDER[found.value] <= ORDER[worst] and found.value != "loss":
                return False
        return bool(others)

    def record(self, record: Record, only: int | None = None) -> Record:
        """Return a record with a judgement of each ply; its moves must be legal.

        With `only`, only the move after that many plies is judged; other judgements stay.
        """
        return self.signed(record, self.plies(record, only))

    def signed(self, record: Record, plies: Iterable[Ply]) -> Record:
        """Return a record with the judged plies and the tag of this analysis."""
        tags = [(name, value) for name, value in record.tags if name != ANALYSIS]
        return replace(record, tags=(*tags, (ANALYSIS, self.name)), plies=tuple(plies))

    def plies(self, record: Record, only: int | None = None) -> Iterator[Ply]:
        """Yield the judged plies of a record, for `signed`; see `record`."""
        at = list(positions(record))
        again = record.tag(ANALYSIS) != ""
        for number, (ply, (before, now)) in enumerate(zip(record.plies, pairwise(at), strict=True)):
            if only not in (None, number):
                yield ply
                continue
            judged = self.judged(before, Move(ply.move), now)
            yield _marked(_bare(ply) if again else ply, judged, self.name)


def _score(found: Solved) -> float:
    if found.value == "unknown":
        return max(-_GUESS, min(found.expected or 0.0, _GUESS))
    return {"win": 1.0, "draw": 0.0, "loss": -1.0}[found.value]


def _without(comments: Sequence[Comment], *names: str) -> tuple[Comment, ...]:
    """Return comments without the annotations of these names."""
    kept = (
        tuple(part for part in comment if not (isinstance(part, Annotation) and part.name in names))
        for comment in comments
    )
    return tuple(comment for comment in kept if comment)


def _bare(ply: Ply) -> Ply:
    """Return a ply without the results of an earlier analysis."""
    variations = tuple(one for one in ply.variations if not is_of_analysis(one.comments))
    comments = _without(ply.comments, BY, SAID, "eval")
    if (said := ply.annotation(SAID)) is not None:
        comments = (*comments, (annotation("eval", said.value),))
    glyph = "" if is_of_analysis(ply.comments) else ply.glyph
    return replace(ply, comments=comments, glyph=glyph, variations=variations)


def _marked(ply: Ply, judged: JudgedPly, name: str) -> Ply:
    """Return a ply with a judgement; a mark by a person or another program stays."""
    own: list[Annotation] = [annotation("eval", f"{judged.value:.3f}")]
    if (said := ply.annotation("eval")) is not None:
        own.append(annotation(SAID, said.value))
    glyph = ply.glyph
    if judged.glyph and not glyph:
        glyph = judged.glyph
        own.append(annotation(BY, name))
    variations = ply.variations
    if judged.better and judged.better[0] != ply.move:
        line = tuple(Ply(move) for move in judged.better[:_MOST_PLIES])
        variations = (*variations, Variation(line, ((annotation(BY, name),),)))
    comments = (*_without(ply.comments, "eval"), tuple(own))
    return replace(ply, glyph=glyph, comments=comments, variations=variations)


def analysed(
    records: Iterator[Record], bots: Sequence[Analyst], only: int | None = None
) -> Iterator[Record]:
    """Yield the analysed records in their order; each bot works on one record at a time.

    `only` is as in `Analyst.record`. Raises the errors of `Engine.play`.
    """
    free: SimpleQueue[Analyst] = SimpleQueue()
    for bot in bots:
        free.put(bot)

    def work(record: Record) -> Record:
        bot = free.get()
        try:
            return bot.record(record, only)
        finally:
            free.put(bot)

    with ThreadPoolExecutor(len(bots)) as pool:
        running = []
        for record in records:
            running.append(pool.submit(work, record))
            if len(running) > 2 * len(bots):
                yield running.pop(0).result()
        while running:
            yield running.pop(0).result()
