"""The JSON Schema (draft 2020-12) of the data behind the index page: what templates have, `--data`.

Must not know how the data come about.

Must not know how the data come about.
"""

from __future__ import annotations

from typing import Final

from lath.reports.json_schema import (
    Schema,
    document,
    exactly,
    list_of,
    number,
    or_null,
    part_of,
    text,
    told,
    whole,
)
from lath.reports.schema import OUTCOME_SCHEMA, STANDINGS_SCHEMA

_GAME: Final = {"game": text("the game's id"), "title": text("its name for people")}

_LINK: Final = whole(
    "the `game` of a link: the tag Number where each record has one of its own, else the record's "
    "place among all, from 1",
    1,
)

_SCORE: Final = {"wins": whole(), "draws": whole(), "losses": whole()}

FACTS: Final = exactly(
    {
        "records": whole("all records, also those that count for nothing"),
        "plies": whole("of all of them"),
        "bots": whole("different names"),
        "events": list_of(text(), "the different titles, in order of appearance"),
        "sites": list_of(text(), "likewise"),
        "rounds": whole("different values of the tag Round"),
        "dates": exactly(
            {
                "first": text("the earliest, YYYY-MM-DD; empty where no record has one"),
                "last": text("the latest"),
                "undated": whole("records without a date"),
            }
        ),
        "games": list_of(
            exactly({**_GAME, "credit": text("inventor and year"), "records": whole("", 1)}),
            "by game id",
        ),
        "time_controls": list_of(
            exactly({"control": text("such as 10+0.1"), "records": whole("", 1)}),
            "the most frequent first; those without one come last",
        ),
        "results": exactly({result: whole() for result in ("1-0", "0-1", "1/2-1/2", "*")}),
    }
)

HISTORY: Final = exactly(
    {
        "games": list_of(whole("", 1), "after how many rated games each snapshot is; at most 100"),
        "bots": list_of(
            exactly(
                {
                    "rank": whole("", 1),
                    "name": text(),
                    "mu": list_of(
                        {"type": ["number", "null"]},
                        "the sequential rating's mean at each snapshot; null before the first game",
                    ),
                    "sigma": list_of({"type": ["number", "null"]}, "its standard deviation"),
                }
            ),
            "by rank",
        ),
    }
)

FIRST_MOVE: Final = exactly(
    {
        **_GAME,
        "first_wins": whole(),
        "draws": whole(),
        "second_wins": whole(),
        "advantage": or_null(
            exactly({"value": number(), "low": number(), "high": number()}),
            "of the first seat in Elo points with its 95 % interval; null where nothing is rated",
        ),
        "draw_rate": {
            "type": ["number", "null"],
            "description": "between equals by the Elo model; null where nothing is rated",
        },
    }
)

LENGTHS: Final = exactly(
    {
        **_GAME,
        "games": whole("counted games", 1),
        "shortest": whole("in plies"),
        "median": told(number(minimum=0), "exact; between two games it is the mean of both"),
        "mean": number(minimum=0),
        "longest": whole(),
        "bins": list_of(
            exactly({"from": whole("plies"), "to": whole("plies"), "games": whole()}),
            "of one width, without a gap; at most 24",
        ),
    }
)

ENDINGS: Final = exactly(
    {
        **_GAME,
        "games": whole("counted games", 1),
        "endings": list_of(
            exactly(
                {
                    "ending": text("in the rules' own words, or the tag Termination"),
                    "games": whole("", 1),
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

TIMES: Final = exactly(
    {
        "name": text(),
        "moves": whole("with a known time, of games that can be replayed", 1),
        "mean_s": told(number(minimum=0), "seconds a move"),
        "median_s": told(number(minimum=0), "to the millisecond, and to four digits"),
        "p95_s": told(number(minimum=0), "95 % of moves take no longer; likewise"),
        "worst_s": number(minimum=0),
        "worst": exactly({"number": _LINK, "ply": whole("of the slowest move", 1)}),
        "games": whole("counted games", 1),
        "lost_on_time": whole("those of them that it lost on time"),
    }
)

LINES: Final[Schema] = {
    "games": whole("all that began in one of these ways", 1),
    "different": whole("different ways", 1),
    "missed": whole("games a way may have had besides; 0 where the counts are exact"),
    "lines": list_of(
        exactly({"text": text(), **_SCORE, "example": _LINK}),
        "the most frequent first",
    ),
}

_TOLD_GAMES: Final = list_of(
    exactly(
        {
            "number": _LINK,
            "plies": whole(),
            "opponent": text(),
            **_GAME,
            "ending": text(),
        }
    )
)

BOT: Final = exactly(
    {
        "rank": whole("", 1),
        "name": text(),
        "games": list_of(
            exactly({**_GAME, "first": exactly(_SCORE), "second": exactly(_SCORE)}),
            "its results by game id and seat",
        ),
        "opponents": list_of(
            exactly({"name": text(), **_SCORE}), "its results by opponent, the strongest first"
        ),
        "best_wins": told(_TOLD_GAMES, "the shortest against each of the highest rated it beat"),
        "worst_losses": told(_TOLD_GAMES, "the shortest to each of the lowest rated it lost to"),
        "shortest_losses": told(_TOLD_GAMES, "all of these three: without forfeits"),
        "forfeits": told(_TOLD_GAMES, "the first games that it lost by a forfeit"),
        "openings": list_of(
            exactly({**_GAME, "seat": {"enum": ["first", "second"]}, **LINES}),
            "its first moves, and its answers to first moves",
        ),
    }
)

DOCUMENT_SCHEMA: Final = document(
    "The data behind a Lath Arena report",
    exactly(
        {
            "version": {"const": 1, "description": "of this format"},
            "title": text("of the page"),
            "heading": text("above the outcome; empty where there is none"),
            "facts": told(FACTS, "of the event"),
            "outcome": or_null(
                part_of(OUTCOME_SCHEMA, "as outcome.json has it"),
                "what it came to by the rules of the format; null where that says nothing",
            ),
            "standings": part_of(STANDINGS_SCHEMA, "as standings.json has them"),
            "history": told(HISTORY, "the rating over time"),
            "first_move": list_of(FIRST_MOVE, "by game id"),
            "lengths": list_of(LENGTHS, "by game id"),
            "endings": list_of(ENDINGS, "by game id"),
            "times": list_of(TIMES, "by rank; bots without timed moves are not there"),
            "bots": list_of(BOT, "by rank"),
            "setups": list_of(exactly({**_GAME, **LINES}), "by game id; scores are first's"),
            "openings": list_of(
                exactly({**_GAME, **LINES}), "by game id, of two plies; scores are first's"
            ),
        }
    ),
)


_TOURNAMENT: Final = exactly(
    {
        "name": text("its folder, as a path from that of all"),
        "title": text("its event, or its folder"),
        "link": text("the address of its report; empty where there is none"),
        "facts": FACTS,
        "format": text("such as swiss; empty where it is not known"),
        "done": whole("games that are played and count"),
        "total": {
            "type": ["integer", "null"],
            "minimum": 0,
            "description": "games that there will be; null where that is not known",
        },
        "verdict": text("what it came to by the rules of its format; empty where that is open"),
        "leaders": list_of(text(), "who has the most points, by name"),
        "points": number("of each of them", minimum=0),
        "of": whole("games of each of them; the fewest where they differ"),
        "is_playing": {"type": "boolean", "description": "whether it is being played now"},
    }
)

_UNREADABLE: Final = exactly(
    {
        "name": text("its folder, as a path from that of all"),
        "reason": text("what is wrong with its files, in a line"),
    }
)

INDEX_SCHEMA: Final = document(
    "The data behind a Lath Arena index of tournaments",
    exactly(
        {
            "version": {"const": 1, "description": "of this format"},
            "title": text("of the page"),
            "facts": FACTS,
            "standings": part_of(STANDINGS_SCHEMA, "of all their games together"),
            "tournaments": list_of(_TOURNAMENT, "the newest first, those without a date last"),
            "unreadable": list_of(_UNREADABLE, "those that are left out, by folder"),
        }
    ),
)
