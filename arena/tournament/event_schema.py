"""The JSON Schema (draft 2020-12) of one line of `arena run --json-events`.

Must not know how events come about.
"""

from __future__ import annotations

from typing import Any, Final

from lath.arena.tournament.totals import FORFEITS

_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_FLAG: Final = {"type": "boolean"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_NUMBER: Final = {"type": "integer", "minimum": 1}
_NUMBERS: Final = {"type": "array", "items": _NUMBER}
_AMOUNT: Final = {"type": "number", "minimum": 0}
_AMOUNT_OR_NULL: Final = {"type": ["number", "null"], "minimum": 0}
_SHARE: Final = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_TWO: Final = {"type": "array", "items": _AMOUNT, "minItems": 2, "maxItems": 2}
_TWO_BOTS: Final = {"type": "array", "items": _TEXT, "minItems": 2, "maxItems": 2}
_ANYTHING: Final = {"type": "object"}
_COUNTS: Final = {"type": "object", "additionalProperties": _NUMBER}


def _object(**properties: Any) -> dict[str, Any]:
    """Return an object that has these properties; a reader must bear others."""
    return {"type": "object", "properties": properties, "required": list(properties)}


_FORFEITS: Final = dict.fromkeys(FORFEITS, _COUNT)

_LINE: Final = _object(
    name=_TEXT,
    games=_COUNT,
    points=_AMOUNT,
    wins=_COUNT,
    draws=_COUNT,
    losses=_COUNT,
    score=_SHARE,
    low=_SHARE,
    high=_SHARE,
    lost_by=_object(**_FORFEITS),
)

_TOTALS: Final = _object(
    name=_TEXT,
    games=_COUNT,
    moves=_COUNT,
    average_s=_AMOUNT_OR_NULL,
    worst_s=_AMOUNT,
    lost_by=_object(**_FORFEITS),
)

_STOPPED: Final = {"bots": _TWO_BOTS, "why": _TEXT}

KINDS: Final[dict[str, dict[str, Any]]] = {
    "started": {
        "version": {"const": 1},
        "event": _TEXT,
        "format": _TEXT,
        "games": _TEXTS,
        "bots": _TEXTS,
        "jobs": _NUMBER,
        "done": _COUNT,
        "total": _COUNT,
    },
    "pair": {
        "pair": _NUMBER,
        "slot": _NUMBER,
        "game": _TEXT,
        "round": _NUMBER,
        "bots": _TWO_BOTS,
        "numbers": _NUMBERS,
    },
    "game": {
        "pair": _NUMBER,
        "number": _NUMBER,
        "round": _NUMBER,
        "game": _TEXT,
        "first": _TEXT,
        "second": _TEXT,
        "result": {"enum": ["1-0", "0-1", "1/2-1/2"]},
        "termination": _TEXT,
        "plies": _COUNT,
        "used_s": _TWO,
        "worst_s": _TWO,
    },
    "warning": {"text": _TEXT},
    "stopped": _STOPPED,
    "status": {
        "done": _COUNT,
        "total": _COUNT,
        "running": _NUMBERS,
        "rate": _AMOUNT,
        "left_s": _AMOUNT_OR_NULL,
        "warnings": _COUNT,
        "format": _ANYTHING,
        "standings": {"type": "array", "items": _LINE},
    },
    "ended": {
        "complete": _FLAG,
        "interrupted": _FLAG,
        "status": _COUNT,
        "done": _COUNT,
        "total": _COUNT,
        "stopped": {"type": "array", "items": _object(**_STOPPED)},
        "notes": _COUNTS,
        "format": _ANYTHING,
        "standings": {"type": "array", "items": _LINE},
        "bots": {"type": "array", "items": _TOTALS},
        "files": {"type": "object", "additionalProperties": _TEXT},
    },
    "failed": {"error": _TEXT, "status": _NUMBER},
}
"""The fields of each kind of event besides `type` and `time_s`."""

EVENTS_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "One event of a running tournament",
    "type": "object",
    "properties": {"type": {"enum": list(KINDS)}},
    "required": ["type"],
    "oneOf": [
        _object(type={"const": kind}, time_s=_AMOUNT, **fields) for kind, fields in KINDS.items()
    ],
}
