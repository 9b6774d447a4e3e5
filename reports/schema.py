"""The JSON Schemas (draft 2020-12) of `outcome.json` and `standings.json`.

Must not know how they come about.
"""

from __future__ import annotations

from typing import Final

from lath.reports.json_schema import (
    document,
    exactly,
    list_of,
    number,
    or_null,
    text,
    told,
    whole,
)

_COUNTS: Final = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}

_RATE: Final = {"minimum": 0, "maximum": 1}

_RATING: Final = {
    "mu": number("mean of the TrueSkill rating; that of its group is 25"),
    "sigma": number("its standard deviation", minimum=0),
    "low": number("lower end of its 95 % interval"),
    "high": number("upper end"),
    "exposed": number("mu - 3 sigma"),
}

_ESTIMATE: Final = exactly(
    {
        "value": number("in Elo points"),
        "error": number("its standard error", minimum=0),
        "low": number("lower end of its 95 % interval"),
        "high": number("upper end"),
    }
)

_STRENGTH: Final = {
    **_RATING,
    "sequential": or_null(
        exactly(_RATING),
        "the same as the package has it game after game, as a cross-check; null where it was not "
        "made",
    ),
    "elo": told(_ESTIMATE, "by Davidson's model; the mean of its group is 0"),
}

_ROW: Final = exactly(
    {
        "rank": whole("group by group; by exposed rating, then points, then name", 1),
        "name": text("as the tags First and Second give it"),
        "games": whole("seats taken; a game against itself counts two", 1),
        "wins": whole(),
        "draws": whole(),
        "losses": whole(),
        "points": number("a win 1, a draw 1/2", minimum=0),
        "score_rate": number("points per game", **_RATE),
        **_STRENGTH,
        "group": whole("the number of its group, from 1", 1),
        "without_forfeits": or_null(
            exactly(_STRENGTH),
            "ratings without games lost by crash, time, illegal move or flood; null where the bot "
            "is in no other game",
        ),
        "lost_by": told(
            exactly({way: whole() for way in ("crash", "time", "illegal move", "flood")}),
            "games lost in this way",
        ),
    }
)

_CONDITIONS: Final = exactly(
    {
        "game": text("the game's id"),
        "games": whole("rated games", 1),
        "advantage": told(_ESTIMATE, "of the first seat"),
        "draw_rate": number("between equals, on the Elo scale", **_RATE),
    }
)

_FIT: Final = exactly(
    {
        "chi_square": number("Pearson's, of what the Elo model expects and what came", minimum=0),
        "degrees": whole("of freedom; 0 where nothing can be said"),
        "p_value": number("chance of a fit as bad or worse if the model were true", **_RATE),
    }
)

_MEETING: Final = exactly(
    {
        "wins": whole("of the row's bot"),
        "draws": whole(),
        "losses": whole(),
        "points": number("of the row's bot", minimum=0),
        "games": whole(),
        "superiority": {
            "type": ["number", "null"],
            **_RATE,
            "description": "the likelihood that the row's bot is the stronger one (LOS); null "
            "across groups and for a bot and itself",
        },
    }
)

_TABLE: Final = exactly(
    {
        "game": text("the game's id; empty for all games together"),
        "games": whole("counted games"),
        "first_wins": whole(),
        "draws": whole(),
        "second_wins": whole(),
        "first_score": {
            "type": ["number", "null"],
            **_RATE,
            "description": "first's points per game; null before any game",
        },
        "self_play": whole("counted games in which a bot met itself"),
        "repeated": whole("counted games that repeat another move by move, and are not rated"),
        "rated": whole("games that the ratings are made of"),
        "unbalanced": {
            "type": "boolean",
            "description": "whether some bot had one seat clearly more often than the other",
        },
        "endings": told(_COUNTS, "how many games ended for each reason"),
        "groups": list_of(
            list_of({"type": "string"}, "by name"),
            "bots that games connect, the largest group first; between groups nothing compares",
        ),
        "draw_rate": number(
            "between equals on TrueSkill's scale, fitted", exclusiveMinimum=0, exclusiveMaximum=1
        ),
        "conditions": list_of(_CONDITIONS, "what the Elo model makes of each game, by its id"),
        "fit": _FIT,
        "rows": list_of(_ROW, "the bots by rank"),
        "crosstable": list_of(
            {"type": "array", "items": _MEETING},
            "for each row its meetings with each row, both in order of rank",
        ),
    }
)

_COLUMN: Final = exactly(
    {
        "heading": text("what stands above it"),
        "kind": {"enum": ["name", "number", "text"]},
    }
)

_SHEET: Final = exactly(
    {
        "columns": list_of(_COLUMN, "from left to right"),
        "rows": list_of(list_of({"type": "string"}, "a cell for each column"), "from the top"),
        "title": text("such as a round of a knockout; empty where it stands alone"),
    }
)

_OUTCOME: Final = exactly(
    {
        "version": {"const": 1, "description": "of this format"},
        "format": text("of the tournament, such as swiss"),
        "event": text("its title"),
        "done": whole("games that were played and count"),
        "total": whole("games that there will be, as far as one can tell"),
        "verdict": text("what it came to, in a sentence; empty where that is open"),
        "words": list_of({"type": "string"}, "all of it in lines for people"),
        "sheets": list_of(_SHEET, "all of it as tables"),
        "data": {"type": "object", "description": "all of it for programs: docs/tournaments.md"},
    }
)

OUTCOME_SCHEMA: Final = document(
    "What a Lath Arena tournament came to by the rules of its format", _OUTCOME
)

STANDINGS_SCHEMA: Final = document(
    "Standings of a Lath Arena tournament",
    exactly(
        {
            "version": {"const": 2, "description": "of this format"},
            "events": list_of({"type": "string"}, "the different event titles"),
            "overall": told(_TABLE, "all games together"),
            "per_game": list_of(_TABLE, "each game alone, by its id"),
            "left_out": told(_COUNTS, "records that count for nothing, by reason"),
            "unranked": list_of({"type": "string"}, "bots that are named only in records left out"),
        }
    ),
)

STANDINGS_SCHEMA["properties"]["outcome"] = told(
    _OUTCOME, "in what `arena rate --json` prints of one tournament: its outcome.json"
)
