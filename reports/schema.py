"""The JSON Schemas (draft 2020-12) of `outcome.json` and `standings.json`.

Must not know how they come about.
"""

from __future__ import annotations

from typing import Any, Final


def _whole(description: str = "", least: int = 0) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer", "minimum": least}
    return schema | {"description": description} if description else schema


def _number(description: str, **limits: float) -> dict[str, Any]:
    return {"type": "number", "description": description, **limits}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _list(items: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": items, "description": description}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """Return an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_COUNTS: Final = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}

_RATE: Final = {"minimum": 0, "maximum": 1}

_RATING: Final = {
    "mu": _number("mean of the TrueSkill rating; that of its group is 25"),
    "sigma": _number("its standard deviation", minimum=0),
    "low": _number("lower end of its 95 % interval"),
    "high": _number("upper end"),
    "exposed": _number("mu - 3 sigma"),
}

_ESTIMATE: Final = _object(
    {
        "value": _number("in Elo points"),
        "error": _number("its standard error", minimum=0),
        "low": _number("lower end of its 95 % interval"),
        "high": _number("upper end"),
    }
)

_STRENGTH: Final = {
    **_RATING,
    "sequential": {
        "anyOf": [_object(_RATING), {"type": "null"}],
        "description": "the same as the package has it game after game, as a cross-check; null "
        "where it was not made",
    },
    "elo": {**_ESTIMATE, "description": "by Davidson's model; the mean of its group is 0"},
}

_ROW: Final = _object(
    {
        "rank": _whole("group by group; by exposed rating, then points, then name", 1),
        "name": _text("as the tags First and Second give it"),
        "games": _whole("seats taken; a game against itself counts two", 1),
        "wins": _whole(),
        "draws": _whole(),
        "losses": _whole(),
        "points": _number("a win 1, a draw 1/2", minimum=0),
        "score_rate": _number("points per game", **_RATE),
        **_STRENGTH,
        "group": _whole("the number of its group, from 1", 1),
        "without_forfeits": {
            "anyOf": [_object(_STRENGTH), {"type": "null"}],
            "description": "ratings without games lost by crash, time, illegal move or flood; "
            "null where the bot is in no other game",
        },
        "lost_by": {
            **_object(
                {
                    "crash": _whole(),
                    "time": _whole(),
                    "illegal move": _whole(),
                    "flood": _whole(),
                }
            ),
            "description": "games lost in this way",
        },
    }
)

_CONDITIONS: Final = _object(
    {
        "game": _text("the game's id"),
        "games": _whole("rated games", 1),
        "advantage": {**_ESTIMATE, "description": "of the first seat"},
        "draw_rate": _number("between equals, on the Elo scale", **_RATE),
    }
)

_FIT: Final = _object(
    {
        "chi_square": _number("Pearson's, of what the Elo model expects and what came", minimum=0),
        "degrees": _whole("of freedom; 0 where nothing can be said"),
        "p_value": _number("chance of a fit as bad or worse if the model were true", **_RATE),
    }
)

_MEETING: Final = _object(
    {
        "wins": _whole("of the row's bot"),
        "draws": _whole(),
        "losses": _whole(),
        "points": _number("of the row's bot", minimum=0),
        "games": _whole(),
        "superiority": {
            "type": ["number", "null"],
            **_RATE,
            "description": "the likelihood that the row's bot is the stronger one (LOS); null "
            "across groups and for a bot and itself",
        },
    }
)

_TABLE: Final = _object(
    {
        "game": _text("the game's id; empty for all games together"),
        "games": _whole("counted games"),
        "first_wins": _whole(),
        "draws": _whole(),
        "second_wins": _whole(),
        "first_score": {
            "type": ["number", "null"],
            **_RATE,
            "description": "first's points per game; null before any game",
        },
        "self_play": _whole("counted games in which a bot met itself"),
        "repeated": _whole("counted games that repeat another move by move, and are not rated"),
        "rated": _whole("games that the ratings are made of"),
        "unbalanced": {
            "type": "boolean",
            "description": "whether some bot had one seat clearly more often than the other",
        },
        "endings": {**_COUNTS, "description": "how many games ended for each reason"},
        "groups": _list(
            _list({"type": "string"}, "by name"),
            "bots that games connect, the largest group first; between groups nothing compares",
        ),
        "draw_rate": _number(
            "between equals on TrueSkill's scale, fitted", exclusiveMinimum=0, exclusiveMaximum=1
        ),
        "conditions": _list(_CONDITIONS, "what the Elo model makes of each game, by its id"),
        "fit": _FIT,
        "rows": _list(_ROW, "the bots by rank"),
        "crosstable": _list(
            {"type": "array", "items": _MEETING},
            "for each row its meetings with each row, both in order of rank",
        ),
    }
)

_COLUMN: Final = _object(
    {
        "heading": _text("what stands above it"),
        "kind": {"enum": ["name", "number", "text"]},
    }
)

_SHEET: Final = _object(
    {
        "columns": _list(_COLUMN, "from left to right"),
        "rows": _list(_list({"type": "string"}, "a cell for each column"), "from the top"),
        "title": _text("such as a round of a knockout; empty where it stands alone"),
    }
)

_OUTCOME: Final = _object(
    {
        "version": {"const": 1, "description": "of this format"},
        "format": _text("of the tournament, such as swiss"),
        "event": _text("its title"),
        "done": _whole("games that were played and count"),
        "total": _whole("games that there will be, as far as one can tell"),
        "verdict": _text("what it came to, in a sentence; empty where that is open"),
        "words": _list({"type": "string"}, "all of it in lines for people"),
        "sheets": _list(_SHEET, "all of it as tables"),
        "data": {"type": "object", "description": "all of it for programs: docs/tournaments.md"},
    }
)

OUTCOME_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "What a Lath Arena tournament came to by the rules of its format",
    **_OUTCOME,
}

STANDINGS_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Standings of a Lath Arena tournament",
    **_object(
        {
            "version": {"const": 2, "description": "of this format"},
            "events": _list({"type": "string"}, "the different event titles"),
            "overall": {**_TABLE, "description": "all games together"},
            "per_game": _list(_TABLE, "each game alone, by its id"),
            "left_out": {**_COUNTS, "description": "records that count for nothing, by reason"},
            "unranked": _list({"type": "string"}, "bots that are named only in records left out"),
        }
    ),
}

STANDINGS_SCHEMA["properties"]["outcome"] = {
    **_OUTCOME,
    "description": "in what `arena rate --json` prints of one tournament: its outcome.json",
}
