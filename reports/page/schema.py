"""The JSON Schema (draft 2020-12) of the data behind the page: what templates and `--data` have.

Must not know how the data come about.
"""

from __future__ import annotations

from typing import Any, Final

from reports.schema import OUTCOME_SCHEMA, STANDINGS_SCHEMA

Schema = dict[str, Any]


def _told(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description} if description else schema


def _whole(description: str = "", least: int = 0) -> Schema:
    return _told({"type": "integer", "minimum": least}, description)


def _number(description: str = "", **limits: float) -> Schema:
    return _told({"type": "number", **limits}, description)


def _text(description: str = "") -> Schema:
    return _told({"type": "string"}, description)


def _list(items: Schema, description: str = "") -> Schema:
    return _told({"type": "array", "items": items}, description)


def _or_null(schema: Schema, description: str) -> Schema:
    return {"anyOf": [schema, {"type": "null"}], "description": description}


def _object(properties: Schema) -> Schema:
    """Return an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _part_of(schema: Schema, description: str) -> Schema:
    """Return a whole document's schema as that of a part."""
    kept = {key: value for key, value in schema.items() if key not in ("$schema", "title")}
    return {**kept, "description": description}


_GAME: Final = {"game": _text("the game's id"), "title": _text("its name for people")}

_LINK: Final = _whole("the record's place among all, from 1: the `game` of a link", 1)

_SCORE: Final = {"wins": _whole(), "draws": _whole(), "losses": _whole()}

FACTS: Final = _object(
    {
        "records": _whole("all records, also those that count for nothing"),
        "plies": _whole("of all of them"),
        "bots": _whole("different names"),
        "events": _list(_text(), "the different titles, in order of appearance"),
        "sites": _list(_text(), "likewise"),
        "rounds": _whole("different values of the tag Round"),
        "dates": _object(
            {
                "first": _text("the earliest, YYYY-MM-DD; empty where no record has one"),
                "last": _text("the latest"),
                "undated": _whole("records without a date"),
            }
        ),
        "games": _list(
            _object({**_GAME, "credit": _text("inventor and year"), "records": _whole("", 1)}),
            "by game id",
        ),
        "time_controls": _list(
            _object({"control": _text("such as 10+0.1"), "records": _whole("", 1)}),
            "the most frequent first; those without one come last",
        ),
        "results": _object({result: _whole() for result in ("1-0", "0-1", "1/2-1/2", "*")}),
    }
)

HISTORY: Final = _object(
    {
        "games": _list(_whole("", 1), "after how many rated games each snapshot is; at most 100"),
        "bots": _list(
            _object(
                {
                    "rank": _whole("", 1),
                    "name": _text(),
                    "mu": _list(
                        {"type": ["number", "null"]},
                        "the sequential rating's mean at each snapshot; null before the first game",
                    ),
                    "sigma": _list({"type": ["number", "null"]}, "its standard deviation"),
                }
            ),
            "by rank",
        ),
    }
)

FIRST_MOVE: Final = _object(
    {
        **_GAME,
        "first_wins": _whole(),
        "draws": _whole(),
        "second_wins": _whole(),
        "advantage": _or_null(
            _object({"value": _number(), "low": _number(), "high": _number()}),
            "of the first seat in Elo points with its 95 % interval; null where nothing is rated",
        ),
        "draw_rate": {
            "type": ["number", "null"],
            "description": "between equals by the Elo model; null where nothing is rated",
        },
    }
)

LENGTHS: Final = _object(
    {
        **_GAME,
        "games": _whole("counted games", 1),
        "shortest": _whole("in plies"),
        "median": _number("exact; between two games it is the mean of both", minimum=0),
        "mean": _number("", minimum=0),
        "longest": _whole(),
        "bins": _list(
            _object({"from": _whole("plies"), "to": _whole("plies"), "games": _whole()}),
            "of one width, without a gap; at most 24",
        ),
    }
)

ENDINGS: Final = _object(
    {
        **_GAME,
        "games": _whole("counted games", 1),
        "endings": _list(
            _object(
                {
                    "ending": _text("in the rules' own words, or the tag Termination"),
                    "games": _whole("", 1),
                    "forfeit": {
                        "type": "boolean",
                        "description": "whether it is a crash, time, an illegal move or a flood",
                    },
                }
            ),
            "the most frequent first",
        ),
    }
)

TIMES: Final = _object(
    {
        "name": _text(),
        "moves": _whole("with a known time, of games that can be replayed", 1),
        "mean_s": _number("seconds a move", minimum=0),
        "median_s": _number("to the millisecond, and to four digits", minimum=0),
        "p95_s": _number("95 % of moves take no longer; likewise", minimum=0),
        "worst_s": _number("", minimum=0),
        "worst": _object({"number": _LINK, "ply": _whole("of the slowest move", 1)}),
        "games": _whole("counted games", 1),
        "lost_on_time": _whole("those of them that it lost on time"),
    }
)

LINES: Final[Schema] = {
    "games": _whole("all that began in one of these ways", 1),
    "different": _whole("different ways", 1),
    "missed": _whole("games a way may have had besides; 0 where the counts are exact"),
    "lines": _list(
        _object({"text": _text(), **_SCORE, "example": _LINK}),
        "the most frequent first",
    ),
}

_TOLD_GAMES: Final = _list(
    _object(
        {
            "number": _LINK,
            "plies": _whole(),
            "opponent": _text(),
            **_GAME,
            "ending": _text(),
        }
    )
)

BOT: Final = _object(
    {
        "rank": _whole("", 1),
        "name": _text(),
        "games": _list(
            _object({**_GAME, "first": _object(_SCORE), "second": _object(_SCORE)}),
            "its results by game id and seat",
        ),
        "opponents": _list(
            _object({"name": _text(), **_SCORE}), "its results by opponent, the strongest first"
        ),
        "best_wins": _told(_TOLD_GAMES, "the shortest against each of the highest rated it beat"),
        "worst_losses": _told(_TOLD_GAMES, "the shortest to each of the lowest rated it lost to"),
        "shortest_losses": _told(_TOLD_GAMES, "all of these three: without forfeits"),
        "forfeits": _told(_TOLD_GAMES, "the first games that it lost by a forfeit"),
        "openings": _list(
            _object({**_GAME, "seat": {"enum": ["first", "second"]}, **LINES}),
            "its first moves, and its answers to first moves",
        ),
    }
)

DOCUMENT_SCHEMA: Final[Schema] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "The data behind a Lath Arena report",
    **_object(
        {
            "version": {"const": 1, "description": "of this format"},
            "title": _text("of the page"),
            "heading": _text("above the outcome; empty where there is none"),
            "facts": {**FACTS, "description": "of the event"},
            "outcome": _or_null(
                _part_of(OUTCOME_SCHEMA, "as outcome.json has it"),
                "what it came to by the rules of the format; null where that says nothing",
            ),
            "standings": _part_of(STANDINGS_SCHEMA, "as standings.json has them"),
            "history": {**HISTORY, "description": "the rating over time"},
            "first_move": _list(FIRST_MOVE, "by game id"),
            "lengths": _list(LENGTHS, "by game id"),
            "endings": _list(ENDINGS, "by game id"),
            "times": _list(TIMES, "by rank; bots without timed moves are not there"),
            "bots": _list(BOT, "by rank"),
            "setups": _list(_object({**_GAME, **LINES}), "by game id; scores are first's"),
            "openings": _list(
                _object({**_GAME, **LINES}), "by game id, of two plies; scores are first's"
            ),
        }
    ),
}
