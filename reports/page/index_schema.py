"""The JSON Schema (draft 2020-12) of the data behind the index page: what templates have, `--data`.

Must not know how the data come about.
"""

from __future__ import annotations

from typing import Final

from lath.reports.json_schema import document, exactly, list_of, number, part_of, text, whole
from lath.reports.page.schema import FACTS
from lath.reports.schema import STANDINGS_SCHEMA

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
