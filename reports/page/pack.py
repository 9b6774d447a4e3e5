"""The games as the page embeds them, for it to list all and to replay those that it has room for.

Must not know the rules of any game, nor how the page looks.

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
  plays it, if second does, in the words of `lath.reports.page.replay`), `legal`, the kinds that
  may be played at the start of one of its games, and `ends` and `begins`: for each kind, and none
  where nothing was learned, the other kinds that it mostly makes illegal or legal.
- A chunk has a list with an item for each of its games under each name. `tags`: name and value of
  each. `starts`: what was done to the plain board. `kinds` of the plies. `repeats`: the plies
  before which the turn did not pass. `deciding` cells. `said` before the first move and at each
  ply: which of `forms`, where each 1 stands for the next of the game's `digits`.
  `legal`: at each position the kinds that become legal or cease to be, beside that of the ply just
  made and what this one ends and begins; the position where the game is over is left out.
- Kinds that become legal or cease to be stand in order, each as its distance from the last.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from operator import sub
from typing import Any, Final, NamedTuple

from lath.games.core import Game
from lath.games.drawing import board
from lath.games.errors import GameError
from lath.notation.record import RULES, Comment, Record, bare_plies, record_as_read
from lath.notation.replay import game_by
from lath.notation.writer import comment_words, variation_words
from lath.reports.figures import Numbering
from lath.reports.page.replay import Dictionary, Replay

REPLAYED: Final = 10_000
"""Games that a page replays: with times and evaluations they take up to 3 MB."""

CHUNK: Final = 500
"""Games in a chunk: one is there in some milliseconds, and deflate has learned the moves."""

LEARNED: Final = 100
"""Games of a family from which the page learns what its moves make illegal, where it has at least
five times as many: legal moves then take less than half, and these games are played once more."""

COLUMNS: Final = ("family", "first", "second", "round", "result", "termination", "ruling",
                  "setup", "position", "ending", "plies", "problem")  # fmt: skip
"""What the list of all games has of each."""

_DIGIT: Final = re.compile(r"(?!\b0\.)[0-9]")
"""A digit that forms leave open; the 0 of a number below 1 they keep."""


class Numbers(dict[Any, int]):
    """Values by the number under which each is stored, from 0 in order of appearance."""

    def __missing__(self, value: Any) -> int:
        self[value] = number = len(self)
        return number


def json_letters(value: Any) -> str:
    """Return a JSON value deflated, as base64; what UTF-8 cannot say becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=list)  # arrays
    # Much of it are digits that seldom repeat. Level 9 takes five times as long for 4 % less.
    deflate = zlib.compressobj(7, strategy=zlib.Z_FILTERED)
    deflated = deflate.compress(text.encode("utf-8", "replace")) + deflate.flush()
    return base64.b64encode(deflated).decode()


_NOTHING: Final = (frozenset[int](), frozenset[int]())


class _Family:
    """The games of one id, all of which can be replayed, or none."""

    def __init__(self, game_id: str, dictionary: Dictionary | None) -> None:
        self.game_id = game_id
        self.dictionary = dictionary
        """None where none of them can be replayed."""
        self.legal: frozenset[int] = frozenset()
        """The legal moves at the start of one of its games."""
        self.texts = Numbers()
        """Moves that nobody can play."""
        self._learned: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        """By kind, the other kinds that it mostly makes illegal, and legal."""

    def learn(self, games: Iterable[_Kept]) -> None:
        """Learn from games what each kind of move makes legal and illegal."""
        times = Counter[int]()
        before, ended, begun = (defaultdict[int, Counter[int]](Counter) for _ in range(3))
        for game in games:
            for kind, (old, new) in zip(game.kinds, pairwise(self._legal(game)), strict=False):
                times[kind] += 1
                before[kind].update(old)
                ended[kind].update(old - new)
                begun[kind].update(new - old)
        for kind, often in before.items():
            gone = (other for other, count in ended[kind].items() if 2 * count > often[other])
            come = (
                other
                for other, count in begun[kind].items()
                if 2 * count > times[kind] - often[other]
            )
            self._learned[kind] = frozenset(gone) - {kind}, frozenset(come)

    def _legal(self, game: _Kept) -> Iterator[frozenset[int]]:
        """Yield the legal kinds of each position, but not of that where the game is over."""
        if self.dictionary is not None:
            plies = bare_plies(self.dictionary.texts[kind] for kind in game.kinds)
            record = record_as_read(tuple(game.tags), plies)
            yield from takewhile(len, self.dictionary.legal_moves(record))

    def legal_moves(self, game: _Kept) -> Iterator[list[int]]:
        """Yield what is legal in each position of a game and was not foretold, or the reverse."""
        foretold: frozenset[int] | None = None
        for legal, kind in zip(self._legal(game), (*game.kinds, -1), strict=False):
            if foretold is None:
                self.legal = foretold = self.legal or legal
            yield _distances(foretold ^ legal)
            ends, begins = self._learned.get(kind, _NOTHING)
            foretold = (legal - ends - {kind}) | begins

    def to_json(self, boards: Sequence[Game]) -> dict[str, Any]:
        """Return what the page knows of the family."""
        known = self.dictionary
        texts = known.texts if known else list(self.texts)
        nothing: Sequence[Sequence[str | None]] = [[None, None]] * len(texts)
        effects = known.effects if known else nothing
        kinds = range(len(texts) if self._learned else 0)
        learned = [self._learned.get(kind, _NOTHING) for kind in kinds]
        return {
            "id": self.game_id,
            "title": known.game.title if known else self.game_id or "unknown game",
            "board": boards.index(known.game) if known else None,
            "plain": known.plain if known else [],
            "kinds": [[text, *does] for text, does in zip(texts, effects, strict=True)],
            "legal": sorted(self.legal),
            "ends": [_distances(ends) for ends, _ in learned],
            "begins": [_distances(begins) for _, begins in learned],
        }


def _distances(kinds: Iterable[int]) -> list[int]:
    """Return the kinds in order, each as its distance from the last."""
    ordered = sorted(kinds)
    return list(map(sub, ordered, (0, *ordered)))


class _Kept(NamedTuple):
    """A game in little memory; the fields are the columns of a chunk."""

    tags: Sequence[tuple[str, str]]
    starts: str
    kinds: array[int]
    repeats: Sequence[int]
    deciding: Sequence[int]
    said: array[int]
    """Numbers among the forms of all games."""

    digits: str


class Packer:
    """Takes records one by one, then gives all that the page has of them."""

    def __init__(self, *, replayed: int = REPLAYED) -> None:
        self.numbering = Numbering()
        self._most = replayed
        self._dictionaries: dict[tuple[str, str], Dictionary] = {}
        self._families: dict[tuple[str, str, bool], _Family] = {}
        """By game, version of its rules, and whether the records could be played through."""
        self._columns = {name: (Numbers(), array("I")) for name in COLUMNS}
        """The different texts of each column, and the place among them of each game's."""
        self._tags: dict[tuple[str, str], tuple[str, str]] = {}
        """Each tag once, however many games have it."""
        self._forms = Numbers()
        self._games: list[_Kept] = []

    def add(self, record: Record) -> Replay | None:
        """Add the next record and return what playing it through came to; None if nothing can."""
        replay, problem, rules = None, "", (record.game, record.tag(RULES))
        try:
            if rules not in self._dictionaries:
                self._dictionaries[rules] = Dictionary(game_by(*rules))
            replay = self._dictionaries[rules].play(record)
        except GameError as error:
            problem = str(error)
        key = (*rules, replay is not None)
        if key not in self._families:
            dictionary = self._dictionaries[rules] if replay else None
            self._families[key] = _Family(record.game, dictionary)
        family, number = self._families[key], list(self._families).index(key)
        self.numbering.add(record)
        row = (
            *(str(number), record.first, record.second, record.tag("Round"), record.result),
            *(record.termination, record.ruling, record.tag("Setup"), record.tag("Position")),
            *(replay.ending if replay else "", str(len(record.plies)), problem),
        )
        for (texts, at), text in zip(self._columns.values(), row, strict=True):
            at.append(texts[text])
        kinds = replay.kinds if replay else [family.texts[move] for move in record.moves]
        self._games.append(self._kept(record, replay, kinds))
        return replay

    def _kept(self, record: Record, replay: Replay | None, kinds: Iterable[int]) -> _Kept:
        said = list(_said(record))
        movers = (*replay.movers, replay.to_move) if replay else ()
        turns = enumerate(pairwise((1, *movers)))  # before the first ply comes second's turn
        return _Kept(
            tags=tuple(self._tags.setdefault(tag, tag) for tag in record.tags),
            starts=replay.start if replay else "",
            kinds=array("I", kinds),
            repeats=tuple(i for i, (before, mover) in turns if mover == before),
            deciding=replay.deciding if replay else (),
            said=array("I", [self._forms[_DIGIT.sub("1", text)] for text in said]),
            digits="".join(_DIGIT.findall("\n".join(said))),
        )

    def pack(self) -> dict[str, Any]:
        """Return what the page embeds; the same records give the same bytes.

        The games of `numbering.links`, which the page links to, are replayed first.
        """
        # Games of one pairing and ending are alike.
        alike = (
            self._columns[name][1]
            for name in ("family", "first", "second", "result", "termination", "ending")
        )
        links = self.numbering.links
        replayed = chosen(list(zip(*alike, strict=True)), links, self._most)
        families = list(self._families.values())
        family_at, samples = self._columns["family"][1], defaultdict[int, list[_Kept]](list)
        for place in replayed:
            samples[family_at[place]].append(self._games[place])
        for number, sample in samples.items():
            if len(sample) >= 5 * LEARNED:
                families[number].learn(sample[:LEARNED])
        # Chunks come first: their legal moves may be of kinds that nobody has played.
        chunks = [
            json_letters(self._chunk(replayed[at : at + CHUNK], families))
            for at in range(0, len(replayed), CHUNK)
        ]
        boards = [family.dictionary.game for family in families if family.dictionary]
        count = len(self._games)
        head = {
            "columns": {
                name: {"texts": list(texts), "at": at}
                for name, (texts, at) in self._columns.items()
            },
            "numbers": [self.numbering.number(place) for place in range(1, count + 1)]
            if self.numbering.by_tag
            else None,
            "replayed": None if len(replayed) == count else replayed,
            "boards": [
                {**board.to_json(game), "credit": game.credit, "drawn": board.template(game)}
                for game in boards
            ],
            "families": [family.to_json(boards) for family in families],
        }
        return {"games": count, "chunk": CHUNK, "head": json_letters(head), "chunks": chunks}

    def _chunk(self, places: Iterable[int], families: Sequence[_Family]) -> dict[str, Any]:
        kept = [self._games[place] for place in places]
        family_at = self._columns["family"][1]
        all_forms, forms = list(self._forms), Numbers()
        return {
            **{name: [getattr(game, name) for game in kept] for name in _Kept._fields},
            "said": [[forms[all_forms[at]] for at in game.said] for game in kept],
            "legal": [
                list(families[family_at[place]].legal_moves(game))
                for place, game in zip(places, kept, strict=True)
            ],
            "forms": list(forms),
        }


_BREAK: Final = re.compile(r" *\n *")


def _said(record: Record) -> Iterator[str]:
    """Yield as movetext what stands before the first move and behind each, a glyph first."""
    yield _words(record.comments)
    for number, ply in enumerate(record.plies, 1):
        if ply.comments or ply.glyph or ply.variations:
            lines = (word for line in ply.variations for word in variation_words(line, number))
            yield f"{ply.glyph}{_words(ply.comments, lines)}"
        else:
            yield ""


def _words(comments: Iterable[Comment], others: Iterable[str] = ()) -> str:
    """Return words with a blank before each; a line end stands for itself."""
    words = [word for comment in comments for word in comment_words(comment)]
    return _BREAK.sub("\n", "".join([f" {word}" for word in (*words, *others)]))


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
    order = []
    for place in range(count - 1, -1, -1):
        order.append((place + 1 not in links, later[alike[place]], -place))
        later[alike[place]] += 1
    return sorted(-place for _, _, place in sorted(order)[:most])
