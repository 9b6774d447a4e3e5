"""What a page counts of games: facts, lengths, endings, beginnings, times, duels.

Must not know what is counted of it.

Must not know what is said of them. A game that ends late in a tournament of several games at a
time comes between others, so that places shift: the tag Number, which the arena gives to each game
once and for all, does not. Where not every record has one of its own, places must do.

Must not know how a histogram is drawn.

Must not know what any of the words mean.

Must not know what a way is: a setup or first moves, a text is a text.

Must not know rules: moves and setups are made canonical by who knows them.

Must not know how it is shown. Times come from the records (`emt`), in whole milliseconds.

Must not know who won.

Must not know ratings: who is strong is told by the order of names.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final

from lath import games as registry
from lath.games.core import Seat
from lath.games.errors import GameError, UnknownGameError
from lath.notation.archive import spellings
from lath.notation.record import RESULTS, Record, Termination
from lath.reports.archive import median
from lath.reports.standings import FORFEITS, POINTS, UNSTATED, counts, why_left_out


@dataclass(frozen=True, slots=True)
class Entry:
    """A record and what its replay says."""

    number: int
    """Its place among all records, from 1; `Numbering` makes a link's `game` of it."""

    record: Record
    ending: str
    """Why the game ended, the rules' own words where it was they."""

    movers: Sequence[Seat]
    """Who decided on each ply; empty where the record cannot be replayed."""

    points: float | None
    """What first scored; None where the record counts for nothing."""

    @property
    def is_forfeit(self) -> bool:
        """Return whether it was lost otherwise than on the board."""
        return self.record.termination in FORFEITS

    @property
    def winner_loser(self) -> tuple[str, str] | None:
        """Return who won and who lost; None for a draw and where nothing was decided."""
        if self.points == 1:
            return self.record.first, self.record.second
        return (self.record.second, self.record.first) if self.points == 0 else None


def entry(number: int, record: Record, ending: str = "", movers: Sequence[Seat] = ()) -> Entry:
    """Return the entry of a record whose rules said `ending` (empty where they said nothing)."""
    by_rules = record.termination in ("", Termination.RULES)
    why = (ending if by_rules else "") or record.termination or UNSTATED
    points = None if why_left_out(record) else POINTS[record.result]
    return Entry(number, record, why, movers, points)


def game_title(game_id: str) -> str:
    """Return a game's title, or its id where it is not installed."""
    try:
        return registry.get(game_id).title
    except UnknownGameError:
        return game_id or "unknown game"


def game_credit(game_id: str) -> str:
    """Return inventor and year; empty where the game is not installed."""
    try:
        return registry.get(game_id).credit
    except UnknownGameError:
        return ""


_TAG: Final = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)

_LINKS: Final = ("number", "example")
"""The fields of the data that name a game by its number."""


class Numbering:
    """Takes records one by one, then knows their numbers; places are from 1."""

    def __init__(self) -> None:
        self._tags = array("L")
        self._all_have_one = True

    def add(self, record: Record) -> None:
        """Add the next record."""
        if self._all_have_one and _TAG.fullmatch(tag := record.tag("Number")):
            self._tags.append(int(tag))
        else:
            self._all_have_one, self._tags = False, array("L")

    @cached_property
    def by_tag(self) -> bool:
        """Return whether the numbers are those of the tags, and others than the places.

        Asked for once all records are there.
        """
        count = len(self._tags)
        is_by_place = all(place == tag for place, tag in enumerate(self._tags, 1))
        return self._all_have_one and not is_by_place and len(set(self._tags)) == count

    def number(self, place: int) -> int:
        """Return the number of the game at a place."""
        return self._tags[place - 1] if self.by_tag else place

    def bounds(self, first: int, games: int) -> list[int]:
        """Return the lowest and the highest number of so many games (at least one) in a row."""
        tags = self._tags[first - 1 : first - 1 + games]
        return [min(tags), max(tags)] if self.by_tag else [first, first + games - 1]

    def linked(self, told: Any) -> Any:
        """Return a part of the data with numbers where it has places to link to."""
        if isinstance(told, list):
            return [self.linked(inner) for inner in told]
        if not isinstance(told, dict):
            return told
        return {
            key: self.number(inner) if key in _LINKS else self.linked(inner)
            for key, inner in told.items()
        }


MOST_BINS: Final = 24
"""Bars of a histogram."""

_WIDTHS: Final = (1, 2, 5)


class Lengths:
    """Counts while the records go by: memory grows with the different lengths alone."""

    def __init__(self) -> None:
        self._games: dict[str, Counter[int]] = {}

    def add(self, entry: Entry) -> None:
        """Count one game; one that counts for nothing has no length."""
        if entry.points is not None:
            lengths = self._games.setdefault(entry.record.game, Counter())
            lengths[len(entry.record.plies)] += 1

    def to_json(self) -> list[dict[str, Any]]:
        """Return a line a game id, sorted, as `schema.LENGTHS` describes them."""
        return [_line(game_id, self._games[game_id]) for game_id in sorted(self._games)]


def _line(game_id: str, lengths: Counter[int]) -> dict[str, Any]:
    games = lengths.total()
    return {
        "game": game_id,
        "title": game_title(game_id),
        "games": games,
        "shortest": min(lengths),
        "median": median(lengths),
        "mean": round(sum(length * n for length, n in lengths.items()) / games, 2),
        "longest": max(lengths),
        "bins": bins(lengths),
    }


def bins(lengths: Counter[int]) -> list[dict[str, int]]:
    """Return at most MOST_BINS bins of one width, from the shortest to the longest game.

    The width is 1, 2, 5, 10 … plies, and every bin begins at a multiple of it.

    >>> bins(Counter({3: 1, 5: 2}))[1:]
    [{'from': 4, 'to': 4, 'games': 0}, {'from': 5, 'to': 5, 'games': 2}]
    """
    width = bin_width(min(lengths), max(lengths))
    first, last = min(lengths) // width, max(lengths) // width
    found = Counter[int]()
    for length, n in lengths.items():
        found[length // width] += n
    return [
        {"from": at * width, "to": (at + 1) * width - 1, "games": found[at]}
        for at in range(first, last + 1)
    ]


def bin_width(shortest: int, longest: int) -> int:
    """Return the least of 1, 2, 5, 10, 20 … plies that makes no more than MOST_BINS bins.

    >>> bin_width(7, 30), bin_width(7, 31), bin_width(1, 150)
    (1, 2, 10)
    """
    unit = 1
    while True:
        for factor in _WIDTHS:
            width = unit * factor
            if longest // width - shortest // width < MOST_BINS:
                return width
        unit *= 10


class Endings:
    """Counts while the records go by."""

    def __init__(self) -> None:
        self._games: dict[str, Counter[tuple[str, bool]]] = {}

    def add(self, entry: Entry) -> None:
        """Count one game that counts."""
        if entry.points is not None:
            endings = self._games.setdefault(entry.record.game, Counter())
            endings[entry.ending, entry.is_forfeit] += 1

    def to_json(self) -> list[dict[str, Any]]:
        """Return a line a game id, sorted, as `schema.ENDINGS` describes them."""
        return [_line_endings(game_id, self._games[game_id]) for game_id in sorted(self._games)]


def _line_endings(game_id: str, endings: Counter[tuple[str, bool]]) -> dict[str, Any]:
    words = Counter[str]()
    for (word, _), games in endings.items():
        words[word] += games
    return {
        "game": game_id,
        "title": game_title(game_id),
        "games": endings.total(),
        "endings": [
            {"ending": word, "games": games, "forfeit": (word, True) in endings}
            for word, games in counts(words)
        ],
    }


MOST: Final = 20_000
"""Ways kept of a kind; of more, the rarer half is forgotten, and `missed` says so."""


@dataclass(slots=True)
class _Line:
    """What came of one way, for first or for a bot."""

    example: int
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def add(self, points: float) -> None:
        if points == 1:
            self.wins += 1
        elif points == 0:
            self.losses += 1
        else:
            self.draws += 1


@dataclass(slots=True)
class Lines:
    """Ways to begin, and how often they came."""

    most: int = MOST
    games: int = 0
    missed: int = 0
    """Games a way may have had besides; 0 where the counts are exact."""

    _lines: dict[str, _Line] = field(default_factory=dict)

    def add(self, text: str, points: float, number: int) -> None:
        """Count a game of this number; `points` are those of whom it is about."""
        self.games += 1
        line = self._lines.get(text)
        if line is None:
            if len(self._lines) >= self.most:
                self._forget()
            line = self._lines[text] = _Line(number)
        line.add(points)

    def _forget(self) -> None:
        ranked = self._ranked()
        kept = (len(ranked) + 1) // 2
        self.missed += ranked[kept][1].games
        self._lines = dict(ranked[:kept])

    def _ranked(self) -> list[tuple[str, _Line]]:
        return sorted(self._lines.items(), key=lambda pair: (-pair[1].games, pair[0]))

    def to_json(self, most: int) -> dict[str, Any]:
        """Return the most frequent ways, then by text, as `schema.LINES` describes them."""
        return {
            "games": self.games,
            "different": len(self._lines),
            "missed": self.missed,
            "lines": [_to_json(text, line) for text, line in self._ranked()[:most]],
        }


def _to_json(text: str, line: _Line) -> dict[str, Any]:
    return {
        "text": text,
        "wins": line.wins,
        "draws": line.draws,
        "losses": line.losses,
        "example": line.example,
    }


PLIES: Final = 2
"""Of an opening: a move and its answer."""

SHOWN: Final = 5
"""Lines told of a game."""

SHOWN_OF_A_BOT: Final = 3
"""Lines told of a bot, for each game and seat."""

_MOST_OF_A_BOT: Final = 1_000

SEATS: Final = ("first", "second")


class Beginnings:
    """Counts while the records go by; the counts of setups are first's, those of bots their own."""

    def __init__(self) -> None:
        self._setups: dict[str, Lines] = {}
        self._openings: dict[str, Lines] = {}
        self._bots: dict[tuple[str, str, int], Lines] = {}

    def add(self, entry: Entry) -> None:
        """Count one game that counts."""
        if entry.points is None:
            return
        record, number = entry.record, entry.number
        if start := start_text(record.game, record.tag("Setup"), record.tag("Position")):
            setups = self._setups.setdefault(record.game, Lines())
            setups.add(start, entry.points, number)
        spelled = spellings(record.game)
        moves = [spelled[ply.move] for ply in record.plies[:PLIES]]
        if len(moves) == PLIES:
            openings = self._openings.setdefault(record.game, Lines())
            openings.add(" ".join(moves), entry.points, number)
        self._add_to_bots(entry, entry.points, moves)

    def _add_to_bots(self, entry: Entry, points: float, moves: list[str]) -> None:
        """Count first's first move and second's first answer."""
        record = entry.record
        for seat, name in enumerate((record.first, record.second)):
            if len(moves) > seat:
                key = (name, record.game, seat)
                lines = self._bots.setdefault(key, Lines(_MOST_OF_A_BOT))
                own = 1 - points if seat else points
                lines.add(" ".join(moves[: seat + 1]), own, entry.number)

    def setups(self) -> list[dict[str, Any]]:
        """Return the setups of each game id, sorted; a game without setups has no line."""
        return _by_game(self._setups)

    def openings(self) -> list[dict[str, Any]]:
        """Return the openings of each game id, sorted."""
        return _by_game(self._openings)

    def of_bot(self, name: str) -> list[dict[str, Any]]:
        """Return what a bot began with, by game id and seat."""
        return [
            {
                "game": game,
                "title": game_title(game),
                "seat": SEATS[seat],
                **self._bots[bot, game, seat].to_json(SHOWN_OF_A_BOT),
            }
            for bot, game, seat in sorted(self._bots)
            if bot == name
        ]


def _by_game(lines: dict[str, Lines]) -> list[dict[str, Any]]:
    return [
        {"game": game, "title": game_title(game), **lines[game].to_json(SHOWN)}
        for game in sorted(lines)
    ]


@lru_cache(maxsize=4096)
def start_text(game_id: str, setup: str, position: str) -> str:
    """Return where a game starts in canonical text, as it stands where its game refuses it.

    Empty for the game's own beginning.
    """
    try:
        game = registry.get(game_id)
        if position:
            return game.position(position).text()
        return game.canonical_setup(setup) if setup else ""
    except GameError:
        return position or setup


@dataclass(slots=True)
class _Spent:
    """What one bot used."""

    moves: Counter[int] = field(default_factory=Counter)
    """How many moves took so many milliseconds, to four digits."""

    total_ms: float = 0.0
    worst_ms: float = -1.0
    worst_game: int = 0
    worst_ply: int = 0
    games: int = 0
    lost: int = 0

    def add(self, used_ms: float, number: int, ply: int) -> None:
        self.moves[four_digits(used_ms)] += 1
        self.total_ms += used_ms
        if used_ms > self.worst_ms:
            self.worst_ms, self.worst_game, self.worst_ply = used_ms, number, ply


def four_digits(value: float) -> int:
    """Return a whole number of at most four digits that are not 0: so few that all can be kept.

    >>> four_digits(0.4), four_digits(1234.4), four_digits(123456.0)
    (0, 1234, 123500)
    """
    if value < 10_000:
        return round(value)
    return int(round(value, 3 - math.floor(math.log10(value))))


class Times:
    """Counts while the records go by."""

    def __init__(self) -> None:
        self._bots: dict[str, _Spent] = {}

    def add(self, entry: Entry) -> None:
        """Count one game that counts; where it cannot be replayed, nobody knows who moved."""
        if entry.points is None:
            return
        players = entry.record.first, entry.record.second
        spent = [self._bots.setdefault(name, _Spent()) for name in players]
        for one in spent:
            one.games += 1
        if entry.record.termination == Termination.TIME and entry.points != 0.5:
            spent[entry.points == 1].lost += 1
        for ply, (mover, made) in enumerate(zip(entry.movers, entry.record.plies, strict=False), 1):
            used_s = made.used_s
            if used_s is not None and 0 <= used_s < math.inf:
                spent[mover].add(used_s * 1000, entry.number, ply)

    def to_json(self, names: list[str]) -> list[dict[str, Any]]:
        """Return a line for each bot of `names` whose moves were timed, in their order."""
        return [
            _line_times(name, self._bots[name])
            for name in names
            if name in self._bots and self._bots[name].moves
        ]


def _line_times(name: str, spent: _Spent) -> dict[str, Any]:
    moves = spent.moves.total()
    return {
        "name": name,
        "moves": moves,
        "mean_s": round(spent.total_ms / moves / 1000, 6),
        "median_s": quantile(spent.moves, 0.5) / 1000,
        "p95_s": quantile(spent.moves, 0.95) / 1000,
        "worst_s": round(spent.worst_ms / 1000, 6),
        "worst": {"number": spent.worst_game, "ply": spent.worst_ply},
        "games": spent.games,
        "lost_on_time": spent.lost,
    }


def quantile(values: Counter[int], share: float) -> int:
    """Return the least value that at least this share of them does not exceed.

    >>> quantile(Counter({1: 1, 2: 1, 9: 2}), 0.5), quantile(Counter({1: 99, 7: 1}), 0.95)
    (2, 1)
    """
    left = math.ceil(share * values.total())
    for value in sorted(values):
        left -= values[value]
        if left <= 0:
            return value
    raise ValueError("no values")


_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

UNKNOWN: Final = ("", "?")
"""Names that name nobody."""


class Facts:
    """Counts while the records go by."""

    def __init__(self) -> None:
        self._words: dict[str, Counter[str]] = {
            tag: Counter() for tag in ("Event", "Site", "Round", "TimeControl")
        }
        self._results = Counter[str]()
        self._games = Counter[str]()
        self._bots: set[str] = set()
        self._plies = 0
        self._timed = 0
        self._dates: tuple[str, str] | None = None
        self._undated = 0

    def add(self, entry: Entry) -> None:
        """Count one record, whether it counts for the standings or not."""
        record = entry.record
        for tag, words in self._words.items():
            if word := record.tag(tag):
                words[word] += 1
        self._results[record.result] += 1
        self._games[record.game] += 1
        self._bots |= {record.first, record.second}
        self._plies += len(record.plies)
        self._add_date(record)

    def _add_date(self, record: Record) -> None:
        date = record.tag("Date")
        if _DATE.fullmatch(date) is None:
            self._undated += 1
        else:
            first, last = self._dates or (date, date)
            self._dates = min(first, date), max(last, date)

    @property
    def events(self) -> tuple[str, ...]:
        """Return the different titles, in order of appearance."""
        return tuple(self._words["Event"])

    def to_json(self) -> dict[str, Any]:
        """Return the facts as `schema.FACTS` describes them."""
        first, last = self._dates or ("", "")
        return {
            "records": self._results.total(),
            "plies": self._plies,
            "bots": len(self._bots.difference(UNKNOWN)),
            "events": list(self.events),
            "sites": list(self._words["Site"]),
            "rounds": len(self._words["Round"]),
            "dates": {"first": first, "last": last, "undated": self._undated},
            "games": [self._game(game_id) for game_id in sorted(self._games)],
            "time_controls": self._time_controls(),
            "results": {result: self._results[result] for result in RESULTS},
        }

    def _game(self, game_id: str) -> dict[str, Any]:
        return {
            "game": game_id,
            "title": game_title(game_id),
            "credit": game_credit(game_id),
            "records": self._games[game_id],
        }

    def _time_controls(self) -> list[dict[str, Any]]:
        known = self._words["TimeControl"]
        unstated = self._results.total() - known.total()
        listed = [{"control": word, "records": n} for word, n in counts(known)]
        return [*listed, {"control": UNSTATED, "records": unstated}] if unstated else listed


DUELS_SHOWN: Final = 3
"""Games shown of a kind."""


_Results = Counter[tuple[str, str, int, float]]
"""How often a bot had, against whom, at which game, in which seat, so many points."""


class Duels:
    """Counts while the records go by: memory grows with pairs of bots, not with games."""

    def __init__(self) -> None:
        self._results: dict[str, _Results] = {}
        self._shortest: dict[tuple[str, str], _Told] = {}
        """The shortest game that a bot won on the board against another."""
        self._losses: dict[str, list[_Told]] = {}
        self._forfeits: dict[str, list[_Told]] = {}

    def add(self, entry: Entry) -> None:
        """Count one game that counts."""
        if entry.points is None:
            return
        record = entry.record
        for seat, (bot, other) in enumerate(
            ((record.first, record.second), (record.second, record.first))
        ):
            points = 1 - entry.points if seat else entry.points
            results: _Results = self._results.setdefault(bot, Counter())
            results[other, record.game, seat, points] += 1
        if entry.winner_loser is not None:
            self._keep(entry, *entry.winner_loser)

    def _keep(self, entry: Entry, winner: str, loser: str) -> None:
        told = _Told(len(entry.record.plies), entry.number, winner, loser, entry)
        if entry.is_forfeit:
            forfeits = self._forfeits.setdefault(loser, [])
            if len(forfeits) < DUELS_SHOWN:
                forfeits.append(told)
            return
        pair = winner, loser
        self._shortest[pair] = min(self._shortest.get(pair, told), told)
        losses = self._losses.setdefault(loser, [])
        losses.append(told)
        losses.sort()
        del losses[DUELS_SHOWN:]

    def to_json(self, bot: str, ranked: Sequence[str]) -> dict[str, Any]:
        """Return what `schema.BOT` describes of a bot; `ranked` are all, the strongest first."""
        wins = [self._shortest[bot, other] for other in ranked if (bot, other) in self._shortest]
        lost = [
            self._shortest[other, bot]
            for other in reversed(ranked)
            if (other, bot) in self._shortest
        ]
        return {
            "games": self._by_game(bot),
            "opponents": self._by_opponent(bot, ranked),
            "best_wins": [one.to_json(one.loser) for one in wins[:DUELS_SHOWN]],
            "worst_losses": [one.to_json(one.winner) for one in lost[:DUELS_SHOWN]],
            "shortest_losses": [one.to_json(one.winner) for one in self._losses.get(bot, ())],
            "forfeits": [one.to_json(one.winner) for one in self._forfeits.get(bot, ())],
        }

    def _by_game(self, bot: str) -> list[dict[str, Any]]:
        results = self._results.get(bot, _Results())
        found: dict[str, Counter[tuple[int, float]]] = {}
        for (_, game, seat, points), games in results.items():
            found.setdefault(game, Counter())[seat, points] += games
        return [
            {
                "game": game,
                "title": game_title(game),
                **{word: _score(found[game], seat) for seat, word in enumerate(SEATS)},
            }
            for game in sorted(found)
        ]

    def _by_opponent(self, bot: str, ranked: Sequence[str]) -> list[dict[str, Any]]:
        found: dict[str, Counter[tuple[int, float]]] = {}
        for (other, _, _, points), games in self._results.get(bot, {}).items():
            found.setdefault(other, Counter())[0, points] += games
        return [{"name": other, **_score(found[other], 0)} for other in ranked if other in found]


def _score(counted: Counter[tuple[int, float]], seat: int) -> dict[str, int]:
    wins, draws, losses = (counted[seat, points] for points in (1.0, 0.5, 0.0))
    return {"wins": wins, "draws": draws, "losses": losses}


class _Told:
    """A decided game, in the order of length, then of number."""

    __slots__ = ("ending", "game", "loser", "number", "plies", "winner")

    def __init__(self, plies: int, number: int, winner: str, loser: str, entry: Entry) -> None:
        self.plies, self.number, self.winner, self.loser = plies, number, winner, loser
        self.game, self.ending = entry.record.game, entry.ending

    def __lt__(self, other: _Told) -> bool:
        return (self.plies, self.number) < (other.plies, other.number)

    def to_json(self, opponent: str) -> dict[str, Any]:
        return {
            "number": self.number,
            "plies": self.plies,
            "opponent": opponent,
            "game": self.game,
            "title": game_title(self.game),
            "ending": self.ending,
        }
