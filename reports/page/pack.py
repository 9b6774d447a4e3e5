"""The games embedded in a page: a list of all of them, and replays of as many as there is room for.

The page gets plain JSON in deflate and base64 (called letters below), which `js/packed.js` opens:

- The key `games` is the number of records, and `chunk` the number of replayed games per chunk. The
  replayed games are `chunks`, as letters; the page embeds each chunk as an element.
- The list is `head`, as letters. Each of its `columns` has its different `texts`, and the index of
  each game's text, `at`. The numbers of the games are `numbers`, null if they equal the places. The
  places of the replayed games, from 0, are `replayed`, null for all games.
- Further keys of `head` are `families` and `boards`. Each board is `board.to_json` with `credit`,
  `card` (the rules), and `drawn`, a template of the board and all its pieces.
- A family has the games of one id. Its keys are `title`, `board` (an index; null if its games
  cannot be replayed), and `plain` (the board without a setup).
- The moves of a family are its `kinds`: the text, and the effects for the first and the second
  player, in the language of `lath.notation.rules.effects`. The kinds that can be played at the
  start of one of its games are `legal`.
- For each kind, `ends` and `begins` have the other kinds that it mostly makes illegal or legal.
  Both are empty without a prediction.
- A chunk has, under each key, a list with an item per game. The item of `tags` has names and
  values, that of `starts` the changes to the plain board, and that of `kinds` the plies. The plies
  before which the turn did not pass are `repeats`.
- The cells that decided are `deciding`, preceded by -1 if the loser made or had them. An item of
  `said` has, before the first move and at each ply, an index of `forms`. Each 1 of a form stands
  for the next of `digits`.
- An item of `legal` has, for each position, the kinds whose legality differs from the prediction.
  The prediction follows from the kind just played and its `ends` and `begins`. Final positions are
  left out.
- An item of `hints` has, for each position, the moves that win or lose immediately, as changes
  since two positions before, without the moves played since. A number is twice the first kind with
  the move's text, plus 1 for a loss. Large pages and games without a board in `lath.games.fast`
  have no hints.
- An item of `better` has, for each variation of an analysis, its ply. Then comes, for each move,
  twice its kind, plus 1 if the second player plays it.
- An item of `extras` describes the state beside the cells, by indices of `words`. First come those
  of each position, then by ply those after each move of a better line. Most chunks lack both keys.
- Lists of kinds with changed legality are sorted, with each kind as its distance from the last.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from heapq import nsmallest
from itertools import pairwise, takewhile
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from lath.games.board import Board
from lath.games.capabilities import boarded
from lath.games.cards import card_of
from lath.games.core import Game
from lath.games.drawing import board
from lath.games.errors import GameError
from lath.games.fast import fast_board
from lath.notation.files.parallel import MANY, beside
from lath.notation.record.record import Comment, Record, bare_plies, is_of_analysis, record_as_read
from lath.notation.record.tags import ANALYSIS, RULES
from lath.notation.rules.effects import Dictionary, LegalMoves, Replay
from lath.notation.rules.replay import game_by, positions, start_of
from lath.notation.text.writer import comment_words, variation_words
from lath.reports.counting.facts import Numbering, of_game
from lath.reports.page.pending_games import PendingGame, PendingGames

REPLAYED: Final = 10_000
"""The most games that a page replays: with times and evaluations, they take up to 3 MB."""

HINTED: Final = 2_000
"""The most replayed games of a page with hints, a quarter of the bytes in 10,000 random games."""

CHUNK: Final = 500
"""Games per chunk: a chunk opens in a few milliseconds and is long enough to compress well."""

LEARNED: Final = 100
"""The number of games of a family that the predictions of legal moves are learned from, if it has
at least five times as many. Legal moves then take less than half of the bytes."""

COLUMNS: Final = ("family", "first", "second", "round", "result", "termination", "ruling",
                  "setup", "position", "ending", "plies", "problem")  # fmt: skip
"""The columns of the list of all games."""

_FIRST_ZERO: Final = re.compile(r"0(?<!\w0)(?=\.)")
"""The 0 of a number below 1, which forms keep as a digit."""

_END: Final = "\x1f"
_KEPT_ZERO: Final = "\x1e"
"""The separator of texts and the sign for a kept 0; comments do not contain these characters."""

_ALL_ONES: Final = bytes.maketrans(b"023456789\x1e", b"1111111110")

_NO_DIGITS: Final = bytes(set(range(256)) - set(b"0123456789"))


class ValueNumbers(dict[Any, int]):
    """Numbers of values, from 0 in the order of appearance."""

    def __missing__(self, value: Any) -> int:
        self[value] = number = len(self)
        return number


def json_letters(value: Any) -> str:
    """Return a JSON value compressed, as base64; characters without UTF-8 become question marks."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=list)  # arrays
    # Most of it is digits that rarely repeat. Level 9 takes five times as long for 4% less.
    deflate = zlib.compressobj(7, strategy=zlib.Z_FILTERED)
    deflated = deflate.compress(text.encode("utf-8", "replace")) + deflate.flush()
    return base64.b64encode(deflated).decode()


class _Family:
    """The games of one id; either all of them can be replayed, or none."""

    def __init__(self, number: str, game_id: str, dictionary: Dictionary | None) -> None:
        self.number = number
        """Its index among all families, from 0."""
        self.game_id = game_id
        self.dictionary = dictionary
        """None if the games cannot be replayed."""
        self._begun = 0
        """The legal moves at the start of one of its games, as bits of `moves`."""
        self.texts = ValueNumbers()
        """The moves of games that cannot be replayed."""
        self._learned: dict[int, tuple[int, int]] = {}
        """By kind, the other kinds that it mostly makes illegal, and those it makes legal, as
        bits."""
        self._kinds: dict[str, int] = {}
        """The first kind of each text."""

    def learn(self, games: Iterable[_Shown]) -> None:
        """Learn from games which kinds each kind of move makes legal and illegal."""
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
        """The calculator of legal moves, used after all games were added; None without replays."""
        return None if self.dictionary is None else LegalMoves(self.dictionary)

    def _legal(self, game: _Shown) -> Iterator[int]:
        """Yield the legal moves of each position except the final one."""
        if self.dictionary is not None and self.moves is not None:
            yield from takewhile(bool, self.moves.of(game.record(self.dictionary.texts)))

    def legal_moves(self, game: _Shown) -> Iterator[list[int]]:
        """Yield the kinds in each position whose legality differs from the prediction."""
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
        """Yield the hints of each position in the page's form.

        All kinds of legal moves must be known.
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
        """Return the family in the page's form."""
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
    """Return the positions of bits, from 0 and in order, each as its distance from the last."""
    distances: list[int] = []
    while bits:
        distance = (bits & -bits).bit_length()
        distances.append(distance)
        bits >>= distance
    if distances:
        distances[0] -= 1
    return distances


class _Shown(NamedTuple):
    """A replayed game in compact form; the fields are the keys of a chunk."""

    tags: Sequence[tuple[str, str]]
    starts: str
    kinds: array[int]
    repeats: Sequence[int]
    deciding: Sequence[int]
    said: array[int]
    """Indices of the forms of all games."""

    digits: str
    better: Sequence[Sequence[int]]
    extras: Sequence[str] = ()
    """The state beside the cells in words at each ply; empty in most games."""

    better_extras: Mapping[int, Sequence[str]] = MappingProxyType({})
    """The state after each move of a better line, by the line's ply."""

    def record(self, texts: Sequence[str]) -> Record:
        """Return a record with the tags and moves; `texts` are the moves of each kind."""
        return record_as_read(tuple(self.tags), bare_plies([texts[kind] for kind in self.kinds]))


class Packer:
    """Collects records one by one, then returns the data that the page embeds."""

    def __init__(self, *, replayed: int = REPLAYED) -> None:
        self.numbering = Numbering()
        self._most = replayed
        self._dictionaries: dict[tuple[str, str], Dictionary] = {}
        self._families: dict[tuple[str, str, bool], _Family] = {}
        """The families by game, version of its rules, and whether the records can be replayed."""
        self._columns = {name: (ValueNumbers(), array("I")) for name in COLUMNS}
        """The different texts of each column, and the index of each game's text."""
        self._tags: dict[tuple[str, str], tuple[str, str]] = {}
        """Each tag once, shared by all replayed games."""
        self._forms = ValueNumbers()
        self._words: dict[str, str] = {}
        """Each text about the state beside the cells once, shared by all replayed games."""
        self._games = PendingGames()
        self._begun: Callable[[], dict[str, Any]] | None = None

    def add(self, record: Record) -> str | None:
        """Add the next record; return the rules' words for its ending.

        They are empty if the rules did not end the game, and None if it cannot be replayed. Raises
        TemporaryFileError if the disk is full.
        """
        tags = dict(reversed(record.tags))  # faster, because several tags are looked up
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
        self._games.append(
            PendingGame(record.tags, record.moves, tuple(_said(record)), _better(record))
        )
        return ending

    def record(self, number: int) -> Record:
        """Return a record with the tags and moves of the game with this number in the page."""
        places = range(len(self._columns["family"][1]))
        place = next(at for at in places if self.numbering.number(at + 1) == number)
        (game,) = self._games.games([place])
        return game.record

    def begin(self, *, is_shared: bool) -> None:
        """Begin to pack many games in another process, if any links give the same page."""
        if is_shared and MANY <= len(self._columns["family"][1]) <= self._most:
            self._begun = beside(self._pack)

    def pack(self) -> dict[str, Any]:
        """Return the data that the page embeds; equal records give equal bytes.

        The games of `numbering.links`, which the page links to, are replayed first.
        """
        begun, self._begun = self._begun, None
        return begun() if begun else self._pack()

    def _pack(self) -> dict[str, Any]:
        # Games with the same pairing and ending count as similar.
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
        # Chunks come first, because their legal moves can be of kinds that were never played.
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
                {
                    **board.to_json(game),
                    "credit": game.credit,
                    "card": card_of(game),
                    "drawn": board.template(game),
                }
                for game in boards
            ],
            "families": [family.to_json(boards) for family in families],
        }
        return {"games": count, "chunk": CHUNK, "head": json_letters(head), "chunks": chunks}

    def _shown(self, game: PendingGame, family: _Family) -> _Shown:
        """Return a game in compact form, after replaying it."""
        replay = self._played(game.record)
        movers = (*replay.movers, replay.to_move) if replay else ()
        turns = enumerate(pairwise((1, *movers)))  # the second player precedes the first ply
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
            extras=self._shared(replay.extras) if replay else (),
            better_extras=dict(self._better_extras(game, family.dictionary)),
        )

    def _better_extras(
        self, game: PendingGame, dictionary: Dictionary | None
    ) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield the state beside the cells after each move of a better line, with its ply."""
        if dictionary is None or not dictionary.has_extras or not game.better:
            return
        at = list(positions(game.record))
        for ply, moves in game.better:
            with suppress(GameError):
                yield ply, self._shared(dictionary.extras(at[ply - 1], moves)[1:])

    def _shared(self, texts: Iterable[str]) -> list[str]:
        """Return equal texts as one object, because many plies have the same."""
        return [self._words.setdefault(text, text) for text in texts]

    def _lines(self, game: PendingGame, dictionary: Dictionary | None) -> Iterator[tuple[int, ...]]:
        """Yield the valid variations of an analysis in packed form."""
        if dictionary is None or not game.better:
            return
        at = list(positions(game.record))
        for ply, moves in game.better:
            with suppress(GameError):
                line = dictionary.line(at[ply - 1], moves)
                yield (ply, *(2 * kind + seat for kind, seat in line))

    def _played(self, record: Record) -> Replay | None:
        """Return the replay of a record; None if its game is unknown or refuses it."""
        with suppress(GameError, KeyError):
            return self._dictionaries[record.game, record.tag(RULES)].play(record)
        return None

    def _chunk(
        self, games: Sequence[_Shown], families: Sequence[_Family], *, has_hints: bool
    ) -> dict[str, Any]:
        all_forms, forms = list(self._forms), ValueNumbers()
        words, fields = ValueNumbers(), _Shown._fields[: -len(_Shown._field_defaults)]
        extras = [
            [
                [words[text] for text in game.extras],
                {ply: [words[text] for text in texts] for ply, texts in game.better_extras.items()},
            ]
            for game in games
        ]
        return {
            **{name: [getattr(game, name) for game in games] for name in fields},
            "said": [[forms[all_forms[at]] for at in game.said] for game in games],
            "legal": [
                list(family.legal_moves(game)) for family, game in zip(families, games, strict=True)
            ],
            "hints": [
                list(family.hints(game)) if has_hints else ()
                for family, game in zip(families, games, strict=True)
            ],
            "forms": list(forms),
            **({"extras": extras, "words": list(words)} if words else {}),
        }


def _better(record: Record) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return the variations of an analysis, each with its ply."""
    if not record.tag(ANALYSIS):
        return ()
    return tuple(
        (number, tuple(made.move for made in line.plies))
        for number, ply in enumerate(record.plies, 1)
        for line in ply.variations
        if line.plies and is_of_analysis(line.comments)
    )


def _open_digits(said: Sequence[str]) -> tuple[list[str], str]:
    """Return texts with each digit replaced by 1, and the replaced digits in order.

    All texts are processed at once, which takes a third of the time.
    """
    if not said:
        return [], ""
    marked = _FIRST_ZERO.sub(_KEPT_ZERO, _END.join(said)).encode("utf-8", "surrogatepass")
    forms = marked.translate(_ALL_ONES).decode("utf-8", "surrogatepass").split(_END)
    return forms, marked.translate(None, _NO_DIGITS).decode("ascii")


_BREAK: Final = re.compile(r" *\n *")


def _said(record: Record) -> Iterator[str]:
    """Yield the movetext before the first move and after each, starting with the glyph.

    It yields nothing if the record has no comments, glyphs and variations.
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
    """Return words with a space before each; line ends stay unchanged."""
    words: list[str] = []
    for comment in comments:
        text = " ".join(map(str, comment))
        words += comment_words(comment) if "}" in text or not text else (f"{{{text}}}",)
    joined = "".join([f" {word}" for word in (*words, *others)])
    return _BREAK.sub("\n", joined) if "\n" in joined else joined


def chosen(alike: Sequence[Hashable], links: Collection[int], most: int) -> list[int]:
    """Return the places of the replayed games, from 0 and in order, at most `most`.

    `alike` is equal for similar games. If there are more games than `most`, the games of `links`,
    whose places are from 1, come first. Then come the last game of each kind, the second to last,
    and so on.

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
