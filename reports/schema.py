"""The JSON Schema (draft 2020-12) of `standings.json`.

Must not know how standings are computed.
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

_ROW: Final = _object(
    {
        "rank": _whole("by exposed rating, then points, then name", 1),
        "name": _text("as the tags First and Second give it"),
        "games": _whole("seats taken; a game against itself counts two", 1),
        "wins": _whole(),
        "draws": _whole(),
        "losses": _whole(),
        "points": _number("a win 1, a draw 1/2", minimum=0),
        "score_rate": _number("points per game", **_RATE),
        "mu": _number("mean of the TrueSkill rating"),
        "sigma": _number("its standard deviation", exclusiveMinimum=0),
        "exposed": _number("mu - 3 sigma"),
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

_GAME: Final = _object(
    {
        "game": _text("the game's id"),
        "games": _whole("", 1),
        "first_wins": _whole(),
        "draws": _whole(),
        "second_wins": _whole(),
        "first_score": _number("first's points per game", **_RATE),
        "endings": {**_COUNTS, "description": "how many games ended for each reason"},
    }
)

_MEETING: Final = _object({"points": _number("of the row's bot", minimum=0), "games": _whole()})

STANDINGS_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Standings of a Lath Arena tournament",
    **_object(
        {
            "version": {"const": 1, "description": "of this format"},
            "events": _list({"type": "string"}, "the different event titles"),
            "games": _whole("counted games"),
            "self_play": _whole("those of them in which a bot met itself"),
            "first_score": {
                "type": ["number", "null"],
                **_RATE,
                "description": "first's points per game over all games; null before any game",
            },
            "draw_probability": _number(
                "draw rate between equals that the ratings use",
                exclusiveMinimum=0,
                exclusiveMaximum=1,
            ),
            "per_game": _list(_GAME, "by game id"),
            "rows": _list(_ROW, "the bots by rank"),
            "crosstable": _list(
                {"type": "array", "items": _MEETING},
                "for each row its meetings with each row, both in order of rank",
            ),
            "endings": {**_COUNTS, "description": "how many games ended for each reason"},
            "left_out": {**_COUNTS, "description": "records that count for nothing, by reason"},
            "unranked": _list({"type": "string"}, "bots that are named only in records left out"),
        }
    ),
}
