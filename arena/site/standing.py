"""The standings of the site's tournaments, for lists and pages, read safely from any folder.

Reads are limited in size and time, and kept while the files are unchanged. This module must know
neither pages nor visitors.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import sqlite3
import time
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lath.arena.directory import CONFIG, DATABASE, OUTCOME, RECORDS, STANDINGS
from lath.arena.machine.system import games_at_once
from lath.arena.machine.untrusted_files import plain, read_checked, read_small, reason_of, text_of
from lath.arena.site.shelf import LARGEST_CONFIG, file_fault
from lath.arena.tournament.outcome.notes import is_of_state
from lath.arena.tournament.run.live import glimpses_in, status_in
from lath.arena.tournament.store.database import OUTCOME_STATE, Stamp, is_being_played, stamp_of
from lath.games import builtin_ids, get
from lath.games.core import RESULTS
from lath.games.errors import GameError
from lath.notation.record.tags import Termination
from lath.notation.text.scanner import parts, plies
from lath.reports.counting.ranking import BY_GAMES
from lath.reports.notes.outcome import UNNAMED, EventOutcome, from_json, to_json
from lath.reports.page.number_words import count
from lath.reports.page.summary import summary
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from lath.arena.site.shelf import Item

MOST_BYTES: Final = 8 << 20
"""The largest file with standings, in bytes."""

LOOK_S: Final = 0.5
"""The time limit for a query to a tournament's database, in seconds."""

RECENT: Final = 24
"""The number of last games that are listed."""

MOST_PLACES: Final = 64
"""The largest number of boards that are shown."""

LONGEST: Final = 1 << 16
"""The longest record of which the board is shown, in characters."""

SHOWN_S: Final = 5.0
"""The shortest time between two boards of a game in play in a list, in seconds."""

_FILES: Final = (OUTCOME, STANDINGS, RECORDS, DATABASE, f"{DATABASE}-journal", f"{DATABASE}-wal")
"""The files that give the standing of a tournament that is not being played."""


@dataclass(slots=True)
class SiteStandings:
    """The standings of tournaments, kept while their files are unchanged."""

    is_public: bool
    """True if the site shows only public values."""

    is_ours: Callable[[Path], bool]
    """A function that returns True if this site can stop the run in a directory."""

    _kept: dict[Path, tuple[tuple[Stamp, ...], dict[str, Any]]] = field(default_factory=dict)
    _plans: dict[Path, tuple[Stamp, dict[str, Any]]] = field(default_factory=dict)
    _elos: dict[Path, tuple[float, Elos]] = field(default_factory=dict)
    """The ratings during a run, with the time from which they are made again."""

    def line(self, item: Item) -> dict[str, Any]:
        """Return the values that a list shows of an item."""
        line: dict[str, Any] = {"key": item.key, "name": item.name, "kind": item.kind}
        if item.kind == "unreadable":
            told = (item.reason, "" if self.is_public else item.detail)
            line["reason"] = ": ".join(filter(None, told))
        if item.kind == "tournament":
            standing = self.of(item.path)
            rows = standing["standings"]
            line |= {name: standing[name] for name in ("done", "total")}
            line["is_playing"] = standing["is_playing"]
            line["is_ours"] = not self.is_public and self.is_ours(item.path)
            line["leader"] = _leader(rows)
            line["has_games"], line["winner"] = standing["has_games"], standing.get("winner", "")
            line["date"] = standing.get("date") or _changed(item)
            line["board"] = self.board_version(item)
            plan = self.planned(item, standing)
            shown = ("title", "tournament", "types", "places", "has_test", "state", "note")
            line |= {name: plan[name] for name in shown}
            line["told"] = _told(standing, line["leader"], plan)
            line["bots"] = len(plan["standings"])
        return line

    def board_version(self, item: Item) -> str:
        """Return a text that changes with the board that stands for a tournament."""
        if is_being_played(item.path):
            stamps: object = time.monotonic() // SHOWN_S
        else:
            stamps = [stamp_of(item.path / name) for name in _FILES]
            stamps = [stamps, item.config and stamp_of(item.config)]
        return hashlib.sha256(repr(stamps).encode()).hexdigest()[:12]

    def lines(self, items: tuple[Item, ...]) -> list[dict[str, Any]]:
        """Return the values that a list shows of items; forget those of all other items."""
        folders = {item.path for item in items}
        self._kept = {path: kept for path, kept in [*self._kept.items()] if path in folders}
        return [self.line(item) for item in items]

    def planned(self, item: Item, standing: Mapping[str, Any]) -> dict[str, Any]:
        """Return the title and state of a tournament, its plan, and the room that a page needs.

        Before the first game, event, format and bots are those of the configuration. Without an
        event, the title is the name of the folder, as in reports.
        """
        paths = (item.path / CONFIG, item.config)
        path = next((path for path in paths if path and path.is_file()), None)
        stamp = stamp_of(path) if path else ()
        if (kept := self._plans.get(item.path)) is None or kept[0] != stamp:
            kept = self._plans[item.path] = (stamp, _plan(path, item) if path else {})
        plan, left = kept[1], standing["total"] - standing["done"]
        places = standing.get("places", plan.get("places", 1))
        if standing["is_playing"] and left > 0:
            places = min(places, -(-left // 2))  # a worker plays both games of a pair
        public: dict[str, Any] = {} if self.is_public else plan
        event = standing["event"] or public.get("event", "")
        rows = standing["standings"] or public.get("standings", [])
        return {
            "title": event if event not in ("", UNNAMED) else item.name.rpartition("/")[2],
            "tournament": standing["tournament"] or public.get("tournament", ""),
            "types": public.get("types", ""),
            "state": _state(item, standing, len(rows), public.get("total", 0)),
            "note": PLAYED_AGAIN if _is_stopped(item, standing) else "",
            "places": min(places, MOST_PLACES),
            "game": public.get("game", ""),
            "has_test": plan.get("has_test", False) or "sprt" in standing["format"],
            "standings": rows,
        }

    def of(self, folder: Path) -> dict[str, Any]:
        """Return the standing of a tournament, live or from the files of its last run."""
        is_playing = is_being_played(folder)
        if is_playing and (status := status_in(folder)) is not None:
            told = _as_told(status, is_public=self.is_public)
            elos = self._elos_of(folder) if told["tournament"] not in UNRATED else {}
            return told | {
                "standings": [row | {"elo": elos.get(row["name"])} for row in told["standings"]]
            }
        stamps = tuple(stamp_of(folder / name) for name in _FILES)
        if (kept := self._kept.get(folder)) is None or kept[0] != stamps:
            kept = self._kept[folder] = (stamps, _as_written(folder, is_public=self.is_public))
        return {**kept[1], "is_playing": is_playing}

    def _elos_of(self, folder: Path) -> Elos:
        """Return the Elo ratings during a run, made at most every few seconds."""
        due_s, elos = self._elos.get(folder, (0.0, {}))
        if (began_s := time.monotonic()) >= due_s:
            elos = _elos(folder) or elos
            cost_s = time.monotonic() - began_s
            self._elos[folder] = began_s + max(ELO_S, ELO_SHARE * cost_s), elos
        return elos


Elos = dict[str, dict[str, float | None]]
"""The Elo rating of each bot: its value and the ends of the interval."""

ELO_S: Final = 3.0
"""The least time between two computations of ratings during a run, in seconds."""

ELO_SHARE: Final = 20
"""That time as a multiple of what a computation takes, at least."""

MOST_RATED: Final = 20_000
"""The largest number of games that are rated during a run."""

UNRATED: Final = ("pool", "tune")
"""The formats without ratings during a run: those of versions, and of trials."""

_RESULTS: Final = "SELECT number, game, first, second, result FROM game LIMIT ?"


def _elos(folder: Path) -> Elos:
    """Return the Elo ratings by the stored games; empty if they cannot be read, or are too many."""
    try:
        rows = _answers(folder, _RESULTS, MOST_RATED + 1)
    except (sqlite3.Error, ValueError):
        return {}
    found = [
        DecidedGame(
            row["first"], row["second"], result.points[0], row["game"], (row["number"] - 1) // 2
        )
        for row in rows
        if (result := RESULTS.get(row["result"])) is not None and result.is_finished
    ]
    if len(rows) > MOST_RATED or not found:
        return {}
    rated = rate(found, in_order=False).strengths.items()
    return {
        name: {"value": of.elo.value, "low": of.elo.low, "high": of.elo.high} for name, of in rated
    }


def _as_told(status: dict[str, Any], *, is_public: bool) -> dict[str, Any]:
    """Return the standing of a run from its live status.

    Public values include results and names. They exclude warnings, which may quote a bot, and
    machines.
    """
    rate, left_s = (_number(status.get(name)) for name in ("rate", "left_s"))
    value = {
        **_heading(status),
        "is_playing": True,
        "has_games": _count(status.get("done")) > 0,
        "rate": rate,
        "left_s": left_s,
        "places": _count(status.get("places", 1)),
        "standings": [
            row | {"rank": _number(one.get("rank")), "group": _count(one.get("group")) or 1}
            for one in _list(status.get("standings"))
            if (row := _row(one, one))
        ],
        "recent": [game for one in _list(status.get("recent")) if (game := _game(one))],
    }
    return value if is_public else value | {"warned": _texts(status.get("warned"))}


def _as_written(folder: Path, *, is_public: bool) -> dict[str, Any]:
    """Return the standing of a tournament from the files of its last run."""
    rows = _last_games(folder, RECENT)
    recent = [game for one in rows if (game := _game(one))]
    has_games = bool(recent) or stamp_of(folder / RECORDS)[1:2] not in ((), (0,))
    overall = _overall(folder)
    value = {**_heading({}), "standings": _rows(overall)}
    value |= {"recent": recent, "has_games": has_games}
    value["date"] = _date_in(text_of(rows[-1]["record"], LONGEST)) if rows else ""
    try:
        kept = read_checked(folder / OUTCOME, MOST_BYTES)
        outcome = from_json(kept.value)
        state = _outcome_state(folder)
        if state != "false" and not is_of_state(kept.checksum, state):
            raise ValueError("it belongs to other games")
    except FileNotFoundError:  # no run has ended
        return value
    except OSError as error:
        fault = f"{OUTCOME}: {reason_of(error)}"
    except (AttributeError, LookupError, TypeError, ValueError):
        fault = f"{OUTCOME} is damaged; `arena run` writes it again"
    else:
        if state == "false":
            return value
        told = {"event": outcome.event, "tournament": outcome.format, "verdict": outcome.verdict}
        counts = {"done": outcome.done, "total": outcome.total}
        value |= told | counts | {"format": outcome.data, "words": list(outcome.words)}
        if "sprt" in outcome.data:
            tests = (plot for plot in outcome.plots if len(plot.bounds) == 2)  # not of an option
            value["way"] = [(2 * pairs, llr) for plot in tests for pairs, llr in plot.points]
        return value | {"winner": _winner(value), "result": _result(overall, outcome)}
    return value | {"words": ["its results could not be read" if is_public else fault]}


def _heading(said: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: text_of(said.get(name)) for name in ("event", "tournament", "verdict")},
        "done": _count(said.get("done")),
        "total": _count(said.get("total")),
        "format": said["format"] if isinstance(said.get("format"), dict) else {},
        "words": _texts(said.get("words")),
    }


def _leader(rows: list[dict[str, Any]]) -> str:
    """Return the sole leader; empty if several are tied, or groups have not met."""
    places = [row.get("rank") or (row["score"], row["points"]) for row in rows]
    return rows[0]["name"] if rows and places.count(places[0]) == 1 else ""


def _winner(standing: dict[str, Any]) -> str:
    """Return the winner of a finished tournament; empty for formats whose ranks name none."""
    is_by_rank = standing["tournament"] in ("round-robin", "swiss", "knockout")
    return _leader(standing["standings"]) if _is_over(standing) and is_by_rank else ""


PLAYED_AGAIN: Final = "A finished game whose return game was missing will be played again."
"""The note on a stopped tournament: pairs are stored whole."""


def _is_over(standing: Mapping[str, Any]) -> bool:
    return bool(0 < standing["total"] <= standing["done"])


def _is_stopped(item: Item, standing: Mapping[str, Any]) -> bool:
    """Return whether the run of a tournament ended before its last game."""
    if standing["is_playing"] or _is_over(standing):
        return False
    return standing["done"] > 0 or (standing["has_games"] and (item.path / DATABASE).is_file())


def _state(item: Item, standing: Mapping[str, Any], bots: int, planned: int) -> str:
    """Return whether a tournament is not started, running, stopped or finished, with its games.

    Empty for records without a known run.
    """
    done, total = standing["done"], standing["total"]
    games = f"{done:,} of {count(total, 'game')}"
    if standing["is_playing"]:
        if not total or (not done and not glimpses_in(item.path)):
            return "The bots are starting"
        return f"Running: {games}"
    if _is_over(standing):
        return f"Finished: {count(total, 'game')}"
    if _is_stopped(item, standing):
        return f"Stopped at {games}" if done else "Stopped"
    if standing["has_games"]:
        return ""
    known = [count(bots, "bot")] * (bots > 0) + [count(planned, "game")] * (planned > 0)
    return ": ".join(filter(None, ("Not started", ", ".join(known))))


def _told(standing: dict[str, Any], leader: str, plan: Mapping[str, Any]) -> str:
    """Return the result of a tournament, or how it stands, in a few words."""
    if winner := standing.get("winner"):
        return f"Winner: {winner}"
    if standing["verdict"]:
        return str(standing["verdict"])
    is_over = _is_over(standing)
    if leader:
        return f"First place: {leader}" if is_over else f"Leader: {leader}"
    if is_over:
        return "No single winner"
    if standing["is_playing"] or standing["done"]:
        return "No single leader"
    return (
        "The report has its standings" if standing["has_games"] else plan["types"] or "No games yet"
    )


_DATE: Final = re.compile(r'\[Date "([0-9]{4}-[0-9]{2}-[0-9]{2})"\]')


def _date_in(record: str) -> str:
    """Return the date of a record's text as `YYYY-MM-DD`; empty if it has none."""
    found = _DATE.search(record.partition("\n\n")[0])
    return found[1] if found else ""


def _changed(item: Item) -> str:
    """Return the date of the last change to a tournament's files; empty if it has none."""
    files = [*(item.path / name for name in _FILES), *filter(None, [item.config])]
    changed_s = 0.0
    for file in files:
        with suppress(OSError):
            changed_s = max(changed_s, file.stat().st_mtime)
    day = dt.datetime.fromtimestamp(changed_s).astimezone().date()
    return day.isoformat() if changed_s else ""


def _result(overall: Mapping[str, Any], outcome: EventOutcome) -> list[tuple[str, bool]]:
    """Return the result in the report's words: texts, each with a flag for names."""
    told = to_json(outcome)
    document = {"standings": {"overall": overall}, "outcome": told, "progress": outcome.progress}
    try:
        if challenge := told["data"].get("gauntlet"):  # its ratings are in the table alone
            challenge["standing"] = [
                {**row, "score": row["score_rate"], "opponents": challenge["opponents"]}
                for row in overall["rows"]
                if row["name"] in challenge["challengers"]
            ]
        said = [(str(text), bool(is_name)) for text, is_name in summary(document).said]
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError):
        return []  # the files may be of any program
    return said


def _overall(folder: Path) -> dict[str, Any]:
    """Return the written table of all games; empty if it cannot be read."""
    try:
        found = read_checked(folder / STANDINGS, MOST_BYTES).value["overall"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _rows(overall: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the written standings, the best first."""
    found, is_apart = [], overall.get("rule") in BY_GAMES
    try:
        for row in _list(overall.get("rows")):
            elo = {name: _number(row["elo"][name]) for name in ("value", "low", "high")}
            shown = _row(row, {"score": row["score_rate"]})
            if shown and elo["value"] is not None:
                group = _count(row.get("group")) or 1 if is_apart else 1
                place = {"rank": _number(row.get("rank")), "group": group}
                found.append(shown | {"elo": elo} | place)
    except (ValueError, LookupError, TypeError, AttributeError):
        return []
    return found


def _plan(path: Path, item: Item) -> dict[str, Any]:
    """Return the values of a configuration that are shown before it is played."""
    if file_fault(path, item.root):
        return {}
    try:
        found = plain(tomllib.loads(read_small(path, LARGEST_CONFIG).decode()))
    except (OSError, ValueError, RecursionError):
        return {}
    names = [name for row in _list(found.get("bot")) if (name := text_of(_name_in(row)))]
    types = [text_of(one) for one in _list(found.get("games"))] or [builtin_ids()[0]]
    game = types[0]
    form = text_of(found.get("format", "round-robin"))
    pairings = len(names) * (len(names) - 1) if form in ("round-robin", "match") else 0
    is_counted = (jobs := _count(found.get("jobs", 1))) > 0
    return {
        "places": jobs if is_counted else games_at_once(1),
        "game": game if game.partition(":")[0] in builtin_ids() else "",
        "has_test": "sprt" in found,
        "event": text_of(found.get("event")),
        "tournament": form,
        "types": ", ".join(_title(one) for one in types[:MOST_TYPES]),
        "total": 0 if "sprt" in found else pairings * len(types) * _count(found.get("rounds", 1)),
        "standings": [_row({"name": name}, {}) for name in names],
    }


MOST_TYPES: Final = 8
"""The number of game types that are named before the start."""


def _title(game: str) -> str:
    """Return the title of a bundled game type; the id of any other, or the name of its file."""
    try:
        return (
            get(game).title if game.partition(":")[0] in builtin_ids() else game.rsplit("/", 1)[-1]
        )
    except GameError:
        return game


def _name_in(row: Any) -> object:
    return row.get("name") if isinstance(row, dict) else ""


def _row(row: Any, score: Any) -> dict[str, Any]:
    """Return a row of standings; empty if it is not valid."""
    if not isinstance(row, dict) or not text_of(row.get("name")):
        return {}
    return {
        "name": text_of(row["name"]),
        **{name: _number(row.get(name)) or 0 for name in ("games", "points")},
        **{name: _number(row.get(name)) or 0 for name in ("wins", "draws", "losses")},
        **{name: _number(score.get(name)) for name in ("score", "low", "high")},
    }


_ENDINGS: Final = frozenset(map(str, Termination))


def _game(game: Any) -> dict[str, Any]:
    """Return a finished game; empty if it is not valid."""
    result = RESULTS.get(text_of(game.get("result"))) if isinstance(game, dict) else None
    if result is None or not result.is_finished:
        return {}
    ending = text_of(game.get("termination"))
    return {
        **{name: _count(game.get(name)) for name in ("number", "plies")},
        **{name: text_of(game.get(name)) for name in ("game", "first", "second", "result")},
        "termination": ending if ending in _ENDINGS else "rules",
    }


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: Any) -> list[str]:
    return [text for one in _list(value)[:200] if (text := text_of(one, 2_000))]


def _count(value: Any) -> int:
    """Return a count; 0 if it is not valid."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return int(value) if is_count else 0


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


_HAS_NOTES: Final = "SELECT 1 FROM sqlite_master WHERE name = 'about' AND type = 'table'"

_LAST_GAMES: Final = (
    "SELECT number, game, first, second, result, termination, plies, record FROM game "
    "ORDER BY number DESC LIMIT ?"
)


def _outcome_state(folder: Path) -> str | None:
    """Return the state of the outcome in the database, as JSON; `false` if a run was killed."""
    try:
        if not _answers(folder, _HAS_NOTES):
            return None
        rows = _answers(folder, "SELECT value FROM about WHERE key = ?", OUTCOME_STATE)
        return str(rows[0]["value"]) if rows else None
    except (sqlite3.Error, ValueError) as error:  # commands that read the games report it
        # A killed run left unfinished changes, which a read-only reader cannot undo.
        is_half = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_ROLLBACK
        return "false" if is_half else None


def _last_games(folder: Path, most: int) -> list[dict[str, Any]]:
    """Return the rows of the last stored games, the last at the end; none if unreadable."""
    try:
        return _answers(folder, _LAST_GAMES, most)[::-1]
    except (sqlite3.Error, ValueError):
        return []


def last_glimpses(folder: Path, most: int) -> list[dict[str, Any]]:
    """Return the last stored games like games in play, at most this many, the last at the end."""
    found = []
    for row in _last_games(folder, most):
        text = row["record"]
        is_short = isinstance(text, str) and len(text) <= LONGEST
        if (game := _game(row)) and is_short and (read := parts(text)) is not None:
            tags = dict(read.tags)
            played = plies(read.moves) or ()
            found.append(
                {
                    **game,
                    "names": [game["first"], game["second"]],
                    "setup": tags.get("Setup"),
                    "position": tags.get("Position"),
                    "moves": [ply.move for ply in played],
                    "said": [ply.eval for ply in played],
                }
            )
    return found


def _answers(folder: Path, question: str, *values: object) -> list[dict[str, Any]]:
    """Return the rows that a tournament's database answers; raises sqlite3.Error or ValueError.

    The database is untrusted: it is opened read-only, for a short time, with a limit on its texts.
    """
    path = folder / DATABASE
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)
    try:
        until_s = time.monotonic() + LOOK_S
        database.set_progress_handler(lambda: time.monotonic() > until_s, 1_000)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 20)
        database.execute("PRAGMA trusted_schema = OFF")
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(question, values)]
    finally:
        database.close()
