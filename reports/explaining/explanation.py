"""The explanation of a bot's results, from its games and other games in the same files.

`Explanation` takes records one by one; `Explained` has the bot's scores and the findings by rank.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from statistics import median
from typing import Any, ClassVar, Final

from lath.games.core import SIDES
from lath.games.stones import SWAP
from lath.notation.archive.archive import SIZE, SeenRecords
from lath.notation.protocol import TimeControl
from lath.notation.query.query import quoted
from lath.notation.record.record import Record, bare_plies
from lath.notation.record.tags import ANALYSIS, FORFEITS, SAID
from lath.reports.counting.estimates import RATE
from lath.reports.counting.openings import chosen_plies
from lath.reports.counting.rated import digest_of, place_of
from lath.reports.counting.standings import why_left_out
from lath.reports.explaining.better import Better, analysed_lines, better_at
from lath.reports.explaining.calibration import Calibration
from lath.reports.explaining.contrasts import CONDITIONS, ContrastedGame
from lath.reports.explaining.findings import LEAST, Finding, PlyInFile, ranked
from lath.reports.explaining.repertoire import KNOWN, Repertoire, position_after
from lath.reports.explaining.turning import KINDS, PROOF, Kind, played_through, turns_of
from lath.reports.explaining.weaknesses import (
    LOW,
    ClockAtMove,
    TestedGame,
    Timed,
    Weaknesses,
    line_of,
)
from lath.reports.ratings.numerics import by_key
from lath.reports.ratings.results import DecidedGame
from lath.reports.schema import written

OTHERS: Final = 30
"""The least number of games between other bots for an expected score by side."""

SHOWN: Final = 4
"""The number of example games per finding."""

STAGE: Final = 4
"""The plies per stage of a game; within a stage, a player's moves take about as long."""

Stage = tuple[str, str, str, int]
"""Comparable moves: the player, the game type, the time control, and the number of the stage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSide:
    """The bot's score on one side of a game type."""

    game: str
    seat: int
    games: int
    points: float
    expected: float | None
    """The score expected from opponents and side; None if there are too few other games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """The numbers of games with one kind of turning point."""

    WRITTEN: ClassVar = "kind", "says", "own", "others", "median_ply", "places"

    kind: Kind
    own: int
    """Games that the bot lost in this way, or in which it missed a win."""
    others: int
    """Games that it won in this way, or in which its opponents missed a win."""
    median_ply: float | None
    """The median ply of the bot's turning points; None without any."""
    places: tuple[PlyInFile, ...]

    @property
    def says(self) -> str:
        """Return the kind in words."""
        return KINDS[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A position with the bot to move from which it lost every time, at least twice."""

    game: str
    ply: int
    """The number of plies before the position in the first of these games."""
    position: str
    games: int
    chance: float
    """The probability of losing all of them, from the expected scores."""
    where: str
    """The query that selects the games."""
    places: tuple[PlyInFile, ...]
    """The losing moves of the bot in the position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A known position that the bot left first, in a game that it lost."""

    WRITTEN: ClassVar = (
        *("place.file", "place.number", "place.ply"),
        *("move", "known", "usual", "score", "games", "example"),
    )

    place: PlyInFile
    move: str
    known: int
    """The number of earlier games with the position."""
    usual: str
    """The most frequent move in the position, as in the example."""
    score: float
    """The score of this move for its player; at least 1/2."""
    games: int
    example: PlyInFile
    """The ply with this move in an earlier game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """The results of an explanation."""

    bot: str
    games: int
    """The number of games that count."""
    points: float
    left_out: dict[str, int]
    """The number of other games, by reason."""
    scored: list[ScoredSide]
    tested: int
    """The number of tests; facts need no test."""
    findings: list[Finding]
    """The significant findings, by rank."""
    unsure: list[Finding]
    """Findings that may be due to chance, the least likely first."""
    turned: list[Turned]
    undecided: int
    """The number of lost games without a known turning point."""
    timed: list[Timed]
    """The time use at turning points."""
    lost_again: list[Lost]
    by_chance: float
    """The expected number of such positions by chance."""
    left: list[Left]
    calibration: Calibration
    climatology: float | None
    """The Brier score of always expecting the mean score."""

    better: Callable[[PlyInFile], Better | None]
    """Returns the evaluation of a move of the bot; None for other moves."""

    def examples(
        self, finding: Finding, most: int | None = SHOWN
    ) -> list[tuple[PlyInFile, Better]]:
        """Return the first moves that show a finding, with better moves. Default: four moves.

        With None, all moves are returned. Games that were not lost by a move have no such moves.
        """
        if finding.topic in ("forfeit", "same", "line"):
            return []
        found = ((place, self.better(place)) for place in finding.places[:most])
        return [(place, better) for place, better in found if better is not None]

    def _moves(self, finding: Finding) -> list[dict[str, Any]]:
        return [{**written(place), **written(better)} for place, better in self.examples(finding)]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that docs/reference/json-output.md describes."""
        return {
            "bot": self.bot,
            "games": self.games,
            "points": self.points,
            "left_out": self.left_out,
            "scored": [
                {**written(one), "seat": ("first", "second")[one.seat]} for one in self.scored
            ],
            "tested": self.tested,
            "family_error_rate": RATE,
            "findings": [{**written(each), "moves": self._moves(each)} for each in self.findings],
            "unsure": written(self.unsure),
            "turned": written(self.turned),
            "not_known_where": self.undecided,
            "timed": written(self.timed),
            "lost_again": written(self.lost_again),
            "lost_again_by_chance": self.by_chance,
            "left_known": written(self.left),
            "calibration": {**self.calibration.to_json(), "climatology": self.climatology},
        }


class Explanation:
    """Collects the records of some files, in the order of play."""

    def __init__(self, bot: str) -> None:
        self.bot: Final = bot
        self.players: Final = Counter[str]()
        """The number of games of each player, including the bot."""
        self._games: Final[list[TestedGame]] = []
        self._left_out: Final = Counter[str]()
        self._seen: Final = SeenRecords()
        self._numbered: Final = SeenRecords()
        """Games with a number: two records with equal tags are one game."""
        self._clusters: Final[dict[tuple[int, int], int]] = {}
        self._repertoire: Final = Repertoire()
        self._places: Final[list[tuple[str, int]]] = []
        """The file and the record's number of each line of the repertoire."""
        self._others: Final = Counter[str]()
        """Games between other bots that show the first-move advantage, by game type."""
        self._told: Final[list[tuple[ContrastedGame, int]]] = []
        """Games that show the strength of bots, with their lines in the repertoire."""
        self._used: Final[defaultdict[Stage, list[float]]] = defaultdict(list)
        """The seconds of each player's moves, by stage, without proven positions."""
        self._moves: Final[dict[int, tuple[list[tuple[Stage, float]], ...]]] = {}
        """The timed moves of each side, by line."""
        self._analysed: Final[dict[tuple[str, int, int], tuple[str, ...]]] = {}
        """The better lines of an analysis, by file, record and ply."""
        self._timed: Final[list[tuple[TestedGame, dict[int, float], dict[int, bool]]]] = []

    def add(self, file: str, number: int, record: Record) -> None:
        """Add a record of a file; raises GameError if it cannot be replayed."""
        players = record.first, record.second
        self.players.update(set(players))
        if self.bot not in players:
            self._add_other(file, number, record)
            return
        if why := why_left_out(record):
            self._left_out[why] += 1
            return
        if record.is_result_only:
            self._left_out["without moves"] += 1
            return
        if players[0] == players[1]:
            self._left_out["against itself"] += 1
            return
        if record.number and not self._numbered.add(_whole(record)):
            self._left_out["there already"] += 1
            return
        both = record.result.points
        seat = players.index(self.bot)
        key, pair, opening = place_of(record, players)
        cluster = self._clusters.setdefault((key, pair or -len(self._games)), len(self._clusters))
        game = TestedGame(
            file=file,
            number=number,
            record=replace(record, plies=bare_plies(record.moves), comments=()),
            result=DecidedGame(*players, both[0], record.game, cluster, opening),
            seat=seat,
            points=both[seat],
            line=-1,
            cluster=cluster,
        )
        digest = digest_of(record, players, record.termination)
        game.is_same = bool(record.plies) and not self._seen.add(digest)
        if not game.is_same:
            self._play(game, record, both[0])
        self._games.append(game)

    def _add_other(self, file: str, number: int, record: Record) -> None:
        """Add a game between other bots, for advantages and known positions."""
        if why_left_out(record) or record.is_result_only:
            return
        players, first = (record.first, record.second), record.result.points[0]
        if not self._seen.add(digest_of(record, players, record.termination)):
            return
        bare = replace(record, plies=bare_plies(record.moves), comments=())
        played = played_through(record)
        line, chosen = len(self._places), chosen_plies(record)
        self._repertoire.add(bare, played.seats, first, chosen=chosen)
        self._places.append((file, number))
        if players[0] != players[1] and record.termination not in FORFEITS:
            key, pair, opening = place_of(record, players)
            cluster = self._clusters.setdefault((key, pair or -line - 1), len(self._clusters))
            result = DecidedGame(*players, first, record.game, cluster, opening)
            self._others[record.game] += 1
            low = self._take_times(record, line, played.seats, chosen)[1]
            self._tell(record, result, line, played.seats, low)

    def _tell(
        self,
        record: Record,
        result: DecidedGame,
        line: int,
        seats: Sequence[int],
        low: dict[int, bool],
    ) -> None:
        """Add the facts of a game for the comparison of groups."""
        states: tuple[set[str], set[str]] = (set(), set())
        of = self._repertoire.lines[line]
        if of.novelty:
            states[of.novelty.seat].add("novelty")
        if of.is_again:
            states[of.seat].add("again")
        for at, move in enumerate(record.moves):
            if move == SWAP and at < len(seats):
                states[seats[at]].add("swap.own")
                states[1 - seats[at]].add("swap.opponent")
            if low.get(at + 1):
                states[seats[at]].add("clock.low")
        facts = ContrastedGame(
            result=result,
            plies=len(record.plies),
            states=(frozenset(states[0]), frozenset(states[1])),
            conditions={tag: value for tag in CONDITIONS if (value := record.tag(tag))},
        )
        self._told.append((facts, line))

    def _play(self, game: TestedGame, record: Record, first: float) -> None:
        """Find the turning points of a game of the bot, and its evaluations."""
        played = played_through(record)
        game.line = len(self._places)
        chosen = chosen_plies(record)
        self._repertoire.add(game.record, played.seats, first, seat=game.seat, chosen=chosen)
        self._places.append((game.file, game.number))
        used, low = self._take_times(record, game.line, played.seats, chosen)
        if used:
            self._timed.append((game, used, low))
        if game.is_forfeited:
            return
        self._tell(record, game.result, game.line, played.seats, low)
        for number, line in analysed_lines(record).items():
            self._analysed[game.file, game.number, number] = line
        game.turns = tuple(turn for turn in turns_of(record, played) if turn.ply > chosen)
        outcome = played.board.position().outcome()
        if outcome is not None and outcome.cells:
            board = played.board.game.board
            game.direction = line_of(outcome.cells, board.bit, board.directions)
        note = SAID if record.tag(ANALYSIS) else "eval"
        game.told = [
            (at, said.number)
            for at, (ply, seat) in enumerate(zip(record.plies, played.seats, strict=True), 1)
            if seat == game.seat
            if (said := ply.annotation(note)) is not None and said.number is not None
        ]

    def _take_times(
        self, record: Record, line: int, seats: Sequence[int], chosen: int
    ) -> tuple[dict[int, float], dict[int, bool]]:
        """Return the seconds of each move, and the plies at which little time was left."""
        used: dict[int, float] = {}
        low: dict[int, bool] = {}
        moves: tuple[list[tuple[Stage, float]], ...] = ([], [])
        players = record.first, record.second
        initial, control = _initial_s(record), record.tag("TimeControl")
        last = {seat: at for at, seat in enumerate(seats)}  # a win on the board, or a forced move
        for at, ply in enumerate(record.plies):
            if (seconds := ply.used_s) is not None:
                used[at + 1] = seconds
                if at != last[seats[at]] and abs(ply.eval or 0.0) < PROOF:  # proven moves are fast
                    stage = players[seats[at]], record.game, control, (at + 1) // STAGE
                    self._used[stage].append(seconds)
                    if at >= chosen:
                        moves[seats[at]].append((stage, seconds))
            if initial and (left := ply.annotation("clk")) and left.number is not None:
                low[at + 1] = left.number < LOW * initial
        if used:
            self._moves[line] = moves
        return used, low

    @property
    def games(self) -> int:
        """Return the number of counted games of the bot."""
        return len(self._games)

    def facts(self) -> list[tuple[ContrastedGame, int]]:
        """Return the facts of games that show the strength of bots, and their lines."""
        for every in self._used.values():
            every.sort()
        return [
            (replace(facts, quickness=self._quickness(line)), line) for facts, line in self._told
        ]

    def explained(self) -> Explained:
        """Return the results for all added records."""
        games = self._games
        self._set_clocks()
        calibration = Calibration()
        of_board = [game for game in games if game.is_told]
        for number, game in enumerate(of_board):
            calibration.add(number, game.told, game.points)
        weaknesses = Weaknesses(self.bot, games, self._repertoire, calibration, self.facts())
        tested = weaknesses.tested()
        findings = ranked(tested)
        lost = [game for game in of_board if not game.points]
        told = [game.points for game in of_board for _ in game.told]
        mean = math.fsum(told) / len(told) if told else 0.0
        lost_again, by_chance = self._lost_again()
        return Explained(
            bot=self.bot,
            games=len(games),
            points=math.fsum(game.points for game in games),
            left_out=dict(self._left_out),
            scored=self._scored(tested),
            tested=sum(each.cost.p_value is not None for each in tested),
            findings=[each for each in findings if each.is_believed],
            unsure=[each for each in findings if not each.is_believed],
            turned=_turned(of_board),
            undecided=sum(game.turn(own=True) is None for game in lost),
            timed=weaknesses.timed(),
            lost_again=lost_again,
            by_chance=by_chance,
            left=self._left(),
            calibration=calibration,
            climatology=math.fsum((one - mean) ** 2 for one in told) / len(told) if told else None,
            better=self._better,
        )

    def _better(self, place: PlyInFile) -> Better | None:
        """Return the evaluation of a move of the bot; None for other moves and plies."""
        game = next((one for one in self._games if (one.file, one.number) == place[:2]), None)
        if game is None or not 0 < place.ply <= len(game.record.plies):
            return None
        if played_through(game.record).seats[place.ply - 1] != game.seat:
            return None
        return better_at(game.record, place.ply, self._analysed.get(place, ()))

    def _quickness(self, line: int) -> tuple[float | None, float | None]:
        """Return the average share of their own moves that took the two players longer."""
        quick = []
        for moves in self._moves.get(line, ((), ())):
            told = [self._quicker(*move) for move in moves if len(self._used[move[0]]) >= LEAST]
            quick.append(1 - math.fsum(told) / len(told) if told else None)
        return quick[0], quick[1]

    def _quicker(self, stage: Stage, took: float) -> float:
        """Return the share of a player's moves that took less time; equal times count half."""
        every = self._used[stage]
        return (bisect_left(every, took) + bisect_right(every, took)) / 2 / len(every)

    def _set_clocks(self) -> None:
        """Set the time use at turning points, relative to the player's other moves."""
        for every in self._used.values():
            every.sort()
        for game, used, low in self._timed:
            players = game.record.first, game.record.second
            for turn in game.turns:
                if turn.ply not in used:
                    continue
                control = game.record.tag("TimeControl")
                stage = players[turn.seat], game.game, control, turn.ply // STAGE
                quicker = None
                if len(self._used.get(stage, ())) >= LEAST:  # proven moves are left out
                    quicker = self._quicker(stage, used[turn.ply])
                game.clocks = {**game.clocks, turn.ply: ClockAtMove(quicker, low.get(turn.ply))}

    def _scored(self, tested: Sequence[Finding]) -> list[ScoredSide]:
        missing: dict[tuple[str, str], float] = {
            (one.game, one.side): one.cost.points for one in tested if one.topic == "seat"
        }
        groups = by_key(((game.game, game.seat), game) for game in self._games)
        found = []
        for (game_id, seat), of in sorted(groups.items()):
            points = math.fsum(one.points for one in of)
            more = missing.get((game_id, SIDES[seat].word))
            is_known = more is not None and self._others[game_id] >= OTHERS
            expected = min(float(len(of)), max(0.0, points + (more or 0.0))) if is_known else None
            found.append(
                ScoredSide(game=game_id, seat=seat, games=len(of), points=points, expected=expected)
            )
        return found

    def _lost_again(self) -> tuple[list[Lost], float]:
        """Return the positions that were lost every time, and their expected number by chance."""
        lines = self._repertoire.lines
        lost_at = {game.line: 1 - game.expected for game in self._games if game.line >= 0}
        found, by_chance, bot = [], 0.0, quoted(self.bot)
        for one in self._repertoire.met_again():
            chance = math.prod(lost_at[at] for at in one.lines)
            by_chance += chance
            if any(lines[at].points for at in one.lines):
                continue
            line = lines[one.lines[0]]
            seat = SIDES[line.seat].word
            key, record = line.keys[one.ply], line.record
            position = position_after(record, one.ply).text()
            places = [(*self._places[at], lines[at].keys.index(key) + 1) for at in one.lines]
            found.append(
                Lost(
                    game=record.game,
                    ply=one.ply,
                    position=position,
                    games=len(one.lines),
                    chance=chance,
                    where=f'loser = {bot} and {seat} = {bot} and position "{position}"',
                    places=tuple(PlyInFile(*place) for place in places),
                )
            )
        return sorted(found, key=lambda one: (one.chance, -one.ply)), by_chance

    def _left(self) -> list[Left]:
        lines = self._repertoire.lines
        lost = [
            at
            for at, line in enumerate(lines)
            if line.novelty and line.novelty.seat == line.seat and not line.points
        ]
        found = []
        for at, choices in self._repertoire.choices(lost):
            line, usual = lines[at], next(iter(choices), None)
            if not line.novelty or usual is None or usual.games < KNOWN or usual.score < 0.5:
                continue
            ply = line.novelty.ply
            example = lines[usual.example].keys.index(line.keys[ply - 1]) + 1
            found.append(
                Left(
                    place=PlyInFile(*self._places[at], ply),
                    move=line.record.moves[ply - 1],
                    known=line.novelty.games,
                    usual=usual.move,
                    score=usual.score,
                    games=usual.games,
                    example=PlyInFile(*self._places[usual.example], example),
                )
            )
        return sorted(found, key=lambda one: (-one.games, one.place))


def _turned(games: Sequence[TestedGame]) -> list[Turned]:
    found = []
    for kind in KINDS:
        of = [(game, turn) for game in games for turn in game.turns if turn.kind == kind]
        own = [(game, turn) for game, turn in of if turn.seat == game.seat]
        if of:
            found.append(
                Turned(
                    kind=kind,
                    own=len(own),
                    others=len(of) - len(own),
                    median_ply=median(turn.ply for _, turn in own) if own else None,
                    places=tuple(game.place(turn.ply) for game, turn in own),
                )
            )
    return found


def _whole(record: Record) -> bytes:
    """Return 16 bytes that are equal for records with equal tags and moves."""
    return blake2b(ascii((record.tags, record.moves)).encode(), digest_size=SIZE).digest()


def _initial_s(record: Record) -> float:
    """Return the initial time on the clocks in seconds; 0 without clocks."""
    try:
        return TimeControl.read(record.tag("TimeControl")).initial_ms / 1000
    except ValueError:
        return 0.0
