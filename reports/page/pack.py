"""The games as the page embeds them, for it to list all and to replay those that it has room for.

What the page gets is plain JSON in deflate and base64 (letters), which `js/packed.js` opens:

- `games`: how many records there are; `chunks`: the replayed ones as letters, `chunk` in each; the
  page has each in an element of its own.
- `head`, as letters: `columns`, what the list has of every game, each with its different `texts`
  and `at`, the place among them of each game's; `numbers`, what the games are called, null where
  it is by their place; `replayed`, the places of the replayed ones from 0, null where it is all;
  `boards`, each as `board.to_json` with `credit`, and `drawn`, the plate with all that can lie on
  it; `families`.
- A family are the games of one id: `title`, `board` (its place; null where they cannot be
  replayed), `plain` (the board without a setup), `kinds` of moves (the text, what it does if first
  plays it, if second does, in the words of `lath.notation.rules.effects`), `legal`, the kinds that
  may be played at the start of one of its games, and `ends` and `begins`: for each kind, and none
  where nothing was learned, the other kinds that it mostly makes illegal or legal.
- A chunk has a list with an item for each of its games under each name. `tags`: name and value of
  each. `starts`: what was done to the plain board. `kinds` of the plies. `repeats`: the plies
  before which the turn did not pass. `deciding` cells, -1 before them where the ending is what the
  loser made or had. `said` before the first move and at each ply: which of `forms`, where each 1
  stands for the next of the game's `digits`.
  `legal`: at each position the kinds that become legal or cease to be, beside that of the ply just
  made and what this one ends and begins; the position where the game is over is left out.
- `hints`: at each position the moves that win at once or lose, as what changes since two positions
  before, without moves of the texts that were played: twice the first kind of that text, and 1 more
  for a loss. None where a game has no board of its own in `lath.games.fast`, nor on large pages.
- `better`: for each variation of an analysis the ply that it is to, then for each move of it twice
  the kind, and 1 more where second plays it.
- Kinds that become legal or cease to be stand in order, each as its distance from the last.
"""

from __future__ import annotations

import base64
import json
import marshal
import re
import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from heapq import nsmallest
from itertools import groupby, pairwise, takewhile
from typing import Any, BinaryIO, Final, NamedTuple
from weakref import finalize

from lath.games.board import Board
from lath.games.capabilities import boarded
from lath.games.core import Game
from lath.games.drawing import board
from lath.games.errors import GameError
from lath.games.fast import fast_board
from lath.notation.files.files import temporary_file
from lath.notation.record.record import Comment, Record, bare_plies, is_of_analysis, record_as_read
from lath.notation.record.tags import ANALYSIS, RULES
from lath.notation.rules.effects import Dictionary, LegalMoves, Replay
from lath.notation.rules.replay import game_by, positions, start_of
from lath.notation.text.writer import comment_words, variation_words
from lath.reports.counting.facts import Numbering, of_game

REPLAYED: Final = 10_000
"""Games that a page replays: with times and evaluations they take up to 3 MB."""

HINTED: Final = 2_000
"""A page that replays more has no hints: of 10,000 random games they are a quarter of the bytes."""

CHUNK: Final = 500
"""Games in a chunk: one is there in some milliseconds, and deflate has learned the moves."""

LEARNED: Final = 100
"""Games of a family from which the page learns what its moves make illegal, where it has at least
five times as many: legal moves then take less than half, and these games are played once more."""

BLOCK: Final = 64
"""Games that are packed together until it is known which are replayed."""

MEMORY: Final = 16 << 20
"""Bytes of games so packed that are in memory: more than 100,000 bare games."""

COLUMNS: Final = ("family", "first", "second", "round", "result", "termination", "ruling",
                  "setup", "position", "ending", "plies", "problem")  # fmt: skip
"""What the list of all games has of each."""

_FIRST_ZERO: Final = re.compile(r"0(?<!\w0)(?=\.)")
"""The 0 of a number below 1: forms keep it, and leave every other digit open."""

_END: Final = "\x1f"
_KEPT_ZERO: Final = "\x1e"
"""Between two texts, and for a 0 that is kept; they are blanks, which no text of a comment has."""

_ALL_ONES: Final = bytes.maketrans(b"023456789\x1e", b"1111111110")

_NO_DIGITS: Final = bytes(set(range(256)) - set(b"0123456789"))


class ValueNumbers(dict[Any, int]):
    """Values by the number under which each is stored, from 0 in order of appearance."""

    def __missing__(self, value: Any) -> int:
        self[value] = number = len(self)
        return number


def json_letters(value: Any) -> str:
    """Return a JSON value deflated, as base64; what UTF-8 cannot say becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=list)  # arrays
    # Much of it are digits that seldom repeat. Level 9 takes five times as long for 4% less.
    deflate = zlib.compressobj(7, strategy=zlib.Z_FILTERED)
    deflated = deflate.compress(text.encode("utf-8", "replace")) + deflate.flush()
    return base64.b64encode(deflated).decode()


class _Family:
    """The games of one id, all of which can be replayed, or none."""

    def __init__(self, number: str, game_id: str, dictionary: Dictionary | None) -> None:
        self.number = number
        """Its place among all, from 0."""
        self.game_id = game_id
        self.dictionary = dictionary
        """None where none of them can be replayed."""
        self._begun = 0
        """The legal moves at the start of one of its games, as bits of `moves`."""
        self.texts = ValueNumbers()
        """Moves that nobody can play."""
        self._learned: dict[int, tuple[int, int]] = {}
        """By kind, the other kinds that it mostly makes illegal, and legal, as bits likewise."""
        self._kinds: dict[str, int] = {}
        """The first kind of each text."""

    def learn(self, games: Iterable[_Shown]) -> None:
        """Learn from games what each kind of move makes legal and illegal."""
        if self.moves is None:
            return
        before = defaultdict[int, list[int]](list)
        ended, begun = (defaultdict[int, Counter[int]](Counter) for _ in range(2))
        for game in games:
            for kind, (old, new) in zip(game.kinds, pairwise(self._legal(game)), strict=False):
                before[kind].append(old)
                ended[kind].update(Board.bits(old & ~new))
                begun[kind].update(Board.bits(new & ~old))
        for kind, legal in before.items():
            ends, begins = self.moves.bit(kind), 0
            for bit, times in ended[kind].items():
                if 2 * times > sum(bool(old & bit) for old in legal):
                    ends |= bit
            for bit, times in begun[kind].items():
                if 2 * times > sum(not old & bit for old in legal):
                    begins |= bit
            self._learned[kind] = ends, begins

    @cached_property
    def moves(self) -> LegalMoves | None:
        """What tells legal moves, first asked when all games have been played; None without one."""
        return None if self.dictionary is None else LegalMoves(self.dictionary)

    def _legal(self, game: _Shown) -> Iterator[int]:
        """Yield the legal moves of each position, not of that where the game is over."""
        if self.dictionary is not None and self.moves is not None:
            yield from takewhile(bool, self.moves.of(game.record(self.dictionary.texts)))

    def legal_moves(self, game: _Shown) -> Iterator[list[int]]:
        """Yield what is legal in each position of a game and was not foretold, or the reverse."""
        moves = self.moves
        if moves is None:
            return
        foretold: int | None = None
        for legal, kind in zip(self._legal(game), (*game.kinds, 0), strict=False):
            if foretold is None:
                self._begun = foretold = self._begun or legal
            yield _distances(moves.kinds(legal ^ foretold)) if legal != foretold else []
            learned = self._learned.get(kind)
            ends, begins = (moves.bit(kind), 0) if learned is None else learned
            foretold = legal & ~ends | begins

    def hints(self, game: _Shown) -> Iterator[list[int]]:
        """Yield which moves win at once or lose in each position, as the page has it.

        All legal moves are known.
        """
        if self.dictionary is None or boarded(self.dictionary.game) is None:
            return
        texts = self.dictionary.texts
        if len(self._kinds) != len(texts):
            self._kinds = {text: kind for kind, text in reversed(list(enumerate(texts)))}
        board = fast_board(start_of(game.record(texts)))
        before = [0, 0]
        for ply, played in enumerate((*game.kinds, None)):
            if board.winner is not None:
                return
            hinted = 0
            for loses, codes in enumerate(board.threats()):
                for code in codes:
                    hinted |= 1 << 2 * self._kinds[board.moves[code]] + loses
            yield _distances(hinted ^ before[ply % 2])
            before[ply % 2] = hinted
            if played is not None:
                board.play(board.code(texts[played]))
                kind = self._kinds[texts[played]]
                before = [hints & ~(3 << 2 * kind) for hints in before]

    def to_json(self, boards: Sequence[Game]) -> dict[str, Any]:
        """Return what the page knows of the family."""
        known = self.dictionary
        texts = known.texts if known else list(self.texts)
        nothing: Sequence[Sequence[str | None]] = [[None, None]] * len(texts)
        effects = known.effects if known else nothing
        told = self.moves.kinds if self.moves else int
        learned = [
            [told(moves) & ~(1 << kind) for moves in self._learned.get(kind, (0, 0))]
            for kind in range(len(texts) if self._learned else 0)
        ]
        return {
            "id": self.game_id,
            "title": of_game(self.game_id)["title"] if known is None else known.game.title,
            "board": boards.index(known.game) if known else None,
            "plain": known.plain if known else [],
            "kinds": [[text, *does] for text, does in zip(texts, effects, strict=True)],
            "legal": [bit.bit_length() - 1 for bit in Board.bits(told(self._begun))],
            "ends": [_distances(ends) for ends, _ in learned],
            "begins": [_distances(begins) for _, begins in learned],
        }


def _distances(bits: int) -> list[int]:
    """Return the places of bits, from 0 and in order, each as its distance from the last."""
    distances: list[int] = []
    while bits:
        distance = (bits & -bits).bit_length()
        distances.append(distance)
        bits >>= distance
    if distances:
        distances[0] -= 1
    return distances


class _Shown(NamedTuple):
    """A game that is replayed, in little memory; the fields are the columns of a chunk."""

    tags: Sequence[tuple[str, str]]
    starts: str
    kinds: array[int]
    repeats: Sequence[int]
    deciding: Sequence[int]
    said: array[int]
    """Numbers among the forms of all games."""

    digits: str
    better: Sequence[Sequence[int]]

    def record(self, texts: Sequence[str]) -> Record:
        """Return what can be played of it; `texts` are the moves of each kind."""
        return record_as_read(tuple(self.tags), bare_plies([texts[kind] for kind in self.kinds]))


class _Told(NamedTuple):
    """What a record tells of its game beside its result, as it is kept until games are chosen.

    Nothing but tuples and texts, which is what `marshal` packs fastest.
    """

    tags: tuple[tuple[str, str], ...]
    moves: tuple[str, ...]
    said: tuple[str, ...]
    """As movetext, before the first move and behind each; empty where nothing is said at all."""

    better: tuple[tuple[int, tuple[str, ...]], ...]
    """The variations of an analysis, each with the ply that it is to."""

    @property
    def record(self) -> Record:
        """Return what can be played of it."""
        return record_as_read(self.tags, bare_plies(self.moves))


class _Store:
    """Games in the order in which they come, packed; what is over MEMORY lies on the disk."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        """The first ones, which are in memory."""
        self._room = MEMORY
        self._file: BinaryIO | None = None
        self._ends = array("Q", [0])
        """Where the other blocks end in the file, after a 0."""
        self._open: list[bytes] = []
        """What is in no block yet."""

    def append(self, game: _Told) -> None:
        """Keep the next game; raises TemporaryFileError."""
        self._open.append(marshal.dumps((*game,)))
        if len(self._open) < BLOCK:
            return
        block = zlib.compress(marshal.dumps(self._open), 1)
        self._open = []
        self._room -= len(block)
        if self._room >= 0:
            self._blocks.append(block)
            return
        self._room = 0  # those that follow are in the file, too, be they smaller
        if self._file is None:
            self._file = temporary_file()
            finalize(self, _closed, self._file)
        self._file.seek(self._ends[-1])
        self._file.write(block)
        self._ends.append(self._ends[-1] + len(block))

    def games(self, places: Iterable[int]) -> Iterator[_Told]:
        """Yield the games of places, from 0 and in order."""
        for number, of_block in groupby(places, key=lambda place: place // BLOCK):
            block = self._games_of(number)
            for place in of_block:
                yield _Told(*marshal.loads(block[place % BLOCK]))  # noqa: S302 - our own

    def _games_of(self, number: int) -> list[bytes]:
        """Return the games of a block; what is in none is that of the last number."""
        at = number - len(self._blocks)
        if at == len(self._ends) - 1:
            return self._open
        if at < 0:
            block = self._blocks[number]
        else:
            assert self._file is not None
            begin, end = self._ends[at : at + 2]
            self._file.seek(begin)
            block = self._file.read(end - begin)
        games: list[bytes] = marshal.loads(zlib.decompress(block))  # noqa: S302 - our own
        return games


def _closed(file: BinaryIO) -> None:
    with suppress(OSError):  # it is full, which has been told
        file.close()


class Packer:
    """Takes records one by one, then gives all that the page has of them."""

    def __init__(self, *, replayed: int = REPLAYED) -> None:
        self.numbering = Numbering()
        self._most = replayed
        self._dictionaries: dict[tuple[str, str], Dictionary] = {}
        self._families: dict[tuple[str, str, bool], _Family] = {}
        """By game, version of its rules, and whether the records could be played through."""
        self._columns = {name: (ValueNumbers(), array("I")) for name in COLUMNS}
        """The different texts of each column, and the place among them of each game's."""
        self._tags: dict[tuple[str, str], tuple[str, str]] = {}
        """Each tag once, however many games that are replayed have it."""
        self._forms = ValueNumbers()
        self._games = _Store()

    def add(self, record: Record) -> str | None:
        """Add the next record and return in the game's words how the rules ended it.

        That is empty where they did not, and None where it cannot be played through. Raises
        TemporaryFileError where there is no room for what is kept of it.
        """
        tags = dict(reversed(record.tags))  # looked up often enough to pay
        ending, problem, rules = None, "", (tags.get("Game", ""), tags.get(RULES, ""))
        if record.is_result_only:
            problem = "only the result is recorded"
        else:
            try:
                if rules not in self._dictionaries:
                    self._dictionaries[rules] = Dictionary(game_by(*rules))
                outcome = self._dictionaries[rules].end(record).outcome()
                ending = outcome.ending if outcome else ""
            except GameError as error:
                problem = str(error)
        key = (*rules, ending is not None)
        if key not in self._families:
            dictionary = None if ending is None else self._dictionaries[rules]
            self._families[key] = _Family(str(len(self._families)), record.game, dictionary)
        self.numbering.add(record)
        row = (
            *(self._families[key].number, tags.get("First") or "?", tags.get("Second") or "?"),
            *(tags.get("Round", ""), record.result, tags.get("Termination", ""), record.ruling),
            *(tags.get("Setup", ""), tags.get("Position", "")),
            *(ending or "", str(len(record.plies)), problem),
        )
        for (texts, at), text in zip(self._columns.values(), row, strict=True):
            at.append(texts[text])
        self._games.append(_Told(record.tags, record.moves, tuple(_said(record)), _better(record)))
        return ending

    def record(self, number: int) -> Record:
        """Return what can be played of the game that the page calls by this number."""
        places = range(len(self._columns["family"][1]))
        place = next(at for at in places if self.numbering.number(at + 1) == number)
        (game,) = self._games.games([place])
        return game.record

    def pack(self) -> dict[str, Any]:
        """Return what the page embeds; the same records give the same bytes.

        The games of `numbering.links`, which the page links to, are replayed first.
        """
        # Games of one pairing and ending are alike.
        alike = (
            self._columns[name][1]
            for name in ("family", "first", "second", "result", "termination", "ending")
        )
        numbers = ValueNumbers()
        groups = array("I", (numbers[group] for group in zip(*alike, strict=True)))
        places = chosen(groups, self.numbering.links, self._most)
        families = list(self._families.values())
        family_of = [families[self._columns["family"][1][place]] for place in places]
        shown = [
            self._shown(game, family)
            for game, family in zip(self._games.games(places), family_of, strict=True)
        ]
        for family in families:
            sample = [game for game, of in zip(shown, family_of, strict=True) if of is family]
            if len(sample) >= 5 * LEARNED:
                family.learn(sample[:LEARNED])
        # Chunks come first: their legal moves may be of kinds that nobody has played.
        chunks = [
            json_letters(
                self._chunk(
                    shown[at : at + CHUNK],
                    family_of[at : at + CHUNK],
                    has_hints=len(shown) <= HINTED,
                )
            )
            for at in range(0, len(shown), CHUNK)
        ]
        boards = [family.dictionary.game for family in families if family.dictionary]
        count = len(groups)
        head = {
            "columns": {
                name: {"texts": list(texts), "at": at}
                for name, (texts, at) in self._columns.items()
            },
            "numbers": [self.numbering.number(place) for place in range(1, count + 1)]
            if self.numbering.by_tag
            else None,
            "replayed": None if len(places) == count else places,
            "boards": [
                {**board.to_json(game), "credit": game.credit, "drawn": board.template(game)}
                for game in boards
            ],
            "families": [family.to_json(boards) for family in families],
        }
        return {"games": count, "chunk": CHUNK, "head": json_letters(head), "chunks": chunks}

    def _shown(self, game: _Told, family: _Family) -> _Shown:
        """Return a game as it is replayed, which is played for that."""
        replay = self._played(game.record)
        movers = (*replay.movers, replay.to_move) if replay else ()
        turns = enumerate(pairwise((1, *movers)))  # before the first ply comes second's turn
        forms, digits = _open_digits(game.said)
        return _Shown(
            tags=tuple(self._tags.setdefault(tag, tag) for tag in game.tags),
            starts=replay.start if replay else "",
            kinds=array("I", replay.kinds if replay else map(family.texts.__getitem__, game.moves)),
            repeats=tuple(i for i, (before, mover) in turns if mover == before),
            deciding=((-1,) * replay.is_loss + replay.deciding) if replay else (),
            said=array("I", map(self._forms.__getitem__, forms))
            or array("I", [self._forms[""]]) * (len(game.moves) + 1),
            digits=digits,
            better=tuple(self._lines(game, family.dictionary)) if replay else (),
        )

    def _lines(self, game: _Told, dictionary: Dictionary | None) -> Iterator[tuple[int, ...]]:
        """Yield the variations of an analysis as they are packed; none that the game refuses."""
        if dictionary is None or not game.better:
            return
        at = list(positions(game.record))
        for ply, moves in game.better:
            with suppress(GameError):
                line = dictionary.line(at[ply - 1], moves)
                yield (ply, *(2 * kind + seat for kind, seat in line))

    def _played(self, record: Record) -> Replay | None:
        """Return the replay of a record; None where its game is unknown or refuses it."""
        with suppress(GameError, KeyError):
            return self._dictionaries[record.game, record.tag(RULES)].play(record)
        return None

    def _chunk(
        self, games: Sequence[_Shown], families: Sequence[_Family], *, has_hints: bool
    ) -> dict[str, Any]:
        all_forms, forms = list(self._forms), ValueNumbers()
        return {
            **{name: [getattr(game, name) for game in games] for name in _Shown._fields},
            "said": [[forms[all_forms[at]] for at in game.said] for game in games],
            "legal": [
                list(family.legal_moves(game)) for family, game in zip(families, games, strict=True)
            ],
            "hints": [
                list(family.hints(game)) if has_hints else ()
                for family, game in zip(families, games, strict=True)
            ],
            "forms": list(forms),
        }


def _better(record: Record) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return the variations of an analysis, each with the ply that it is to."""
    if not record.tag(ANALYSIS):
        return ()
    return tuple(
        (number, tuple(made.move for made in line.plies))
        for number, ply in enumerate(record.plies, 1)
        for line in ply.variations
        if line.plies and is_of_analysis(line.comments)
    )


def _open_digits(said: Sequence[str]) -> tuple[list[str], str]:
    """Return texts with a 1 for each digit that forms leave open, and these digits in order.

    All texts are gone through at once, which takes a third of the time.
    """
    if not said:
        return [], ""
    marked = _FIRST_ZERO.sub(_KEPT_ZERO, _END.join(said)).encode("utf-8", "surrogatepass")
    forms = marked.translate(_ALL_ONES).decode("utf-8", "surrogatepass").split(_END)
    return forms, marked.translate(None, _NO_DIGITS).decode("ascii")


_BREAK: Final = re.compile(r" *\n *")


def _said(record: Record) -> Iterator[str]:
    """Yield as movetext what stands before the first move and behind each, a glyph first.

    Nothing at all where nothing is said.
    """
    plies = record.plies
    if not (record.comments or any(p.is_commented or p.glyph or p.variations for p in plies)):
        return
    yield _words(record.comments)
    for number, ply in enumerate(plies, 1):
        if ply.said:
            yield f"{ply.glyph} {ply.said}"
        elif ply.comments or ply.glyph or ply.variations:
            lines = (word for line in ply.variations for word in variation_words(line, number))
            yield f"{ply.glyph}{_words(ply.comments, lines)}"
        else:
            yield ""


def _words(comments: Iterable[Comment], others: Iterable[str] = ()) -> str:
    """Return words with a blank before each; a line end stands for itself."""
    words: list[str] = []
    for comment in comments:
        text = " ".join(map(str, comment))
        words += comment_words(comment) if "}" in text or not text else (f"{{{text}}}",)
    joined = "".join([f" {word}" for word in (*words, *others)])
    return _BREAK.sub("\n", joined) if "\n" in joined else joined


def chosen(alike: Sequence[Hashable], links: Collection[int], most: int) -> list[int]:
    """Return the places, from 0 and in order, of the games that are replayed, at most so many.

    `alike` is equal for games that are. All games if that is not too many; else first those of
    `links`, whose places are from 1, then the last game of each kind, the last but one, and so on.

    >>> chosen("aaaab", {1}, 3)
    [0, 3, 4]
    """
    count = len(alike)
    if count <= most:
        return list(range(count))
    later = Counter[Hashable]()

    def order() -> Iterator[tuple[bool, int, int]]:
        for place in range(count - 1, -1, -1):
            yield place + 1 not in links, later[alike[place]], -place
            later[alike[place]] += 1

    return sorted(-place for _, _, place in nsmallest(most, order()))
