"""The JSON Schema (draft 2020-12) of the data behind the index page, which templates are given.

Must not know how the data come about.
"""

from __future__ import annotations

from typing import Any, Final

from reports.page.schema import FACTS
from reports.schema import STANDINGS_SCHEMA


def _exactly(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _whole(description: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": 0, "description": description}


_TOURNAMENT: Final = _exactly(
    {
        "name": _text("its folder, as a path from that of all"),
        "title": _text("its event, or its folder"),
        "link": _text("the address of its report; empty where there is none"),
        "facts": FACTS,
        "format": _text("such as swiss; empty where it is not known"),
        "done": _whole("games that are played and count"),
        "total": {
            "type": ["integer", "null"],
            "minimum": 0,
            "description": "games that there will be; null where that is not known",
        },
        "verdict": _text("what it came to by the rules of its format; empty where that is open"),
        "leaders": {
            "type": "array",
            "items": {"type": "string"},
            "description": "who has the most points, by name",
        },
        "points": {"type": "number", "minimum": 0, "description": "of each of them"},
        "of": _whole("games of each of them; the fewest where they differ"),
        "is_playing": {"type": "boolean", "description": "whether it is being played now"},
    }
)

INDEX_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "The data behind a Lath Arena index of tournaments",
    **_exactly(
        {
            "version": {"const": 1, "description": "of this format"},
            "title": _text("of the page"),
            "facts": FACTS,
            "standings": {k: v for k, v in STANDINGS_SCHEMA.items() if k[0] != "$"},
            "tournaments": {
                "type": "array",
                "items": _TOURNAMENT,
                "description": "the newest first, those without a date last",
            },
        }
    ),
}
