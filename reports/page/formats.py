"""The drawings of formats and seasons: the sheet of a swiss, the bracket, changes of ranks.

Report and site draw them with the same templates, from the same stored data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lath.reports.page.number_words import points


def bracket(outcome: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rounds of a knockout for drawing; empty if its bracket was not stored.

    The bots of a tie are in the order of their previous ties.
    """
    drawn: list[dict[str, Any]] = []
    through: list[str | None] = []
    for each in outcome["data"].get("bracket", ()):
        ties = [
            _tie(tie, through[2 * at] if through else tie["bots"][0])
            for at, tie in enumerate(each["ties"])
        ]
        through = [next((s["name"] for s in tie["sides"] if s["through"]), None) for tie in ties]
        drawn.append({"title": each["title"], "ties": ties})
    return drawn


def _tie(tie: Mapping[str, Any], upper: str | None) -> dict[str, Any]:
    """Return a tie for drawing, with `upper` above; unknown bots are None.

    `games` are the two bots, if they have finished a game.
    """
    is_bye, is_known = tie["how"] == "bye", None not in tie["bots"]
    sides = [
        {
            "name": name,
            "points": "bye" if is_bye else points(scored) if is_known else "",
            "through": name is not None and (is_bye or name == tie["winner"]),
        }
        for name, scored in zip(tie["bots"], tie["points"], strict=True)
        if name is not None or not is_bye
    ]
    if sides[0]["name"] != upper and sides[-1]["name"] in (upper, None):
        sides.reverse()
    games = [side["name"] for side in sides] if is_known and _has_games(tie) else []
    return {"sides": sides, "how": "" if is_bye else tie["how"], "games": games}


def _has_games(tie: Mapping[str, Any]) -> bool:
    return bool(sum(tie["points"]) > tie.get("walkovers", 0))


# Swiss


def swiss_sheet(outcome: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a swiss, each with a cell for each round; empty for other formats.

    `place` is the number of the row. A cell has the opponent and its place, and the points: all,
    as first player and as second player. It is None if the bot was absent.
    """
    data = outcome["data"]
    rows, rounds = data.get("swiss") or (), data.get("rounds") or ()
    places = {row["name"]: place for place, row in enumerate(rows, 1)}
    taken: dict[str, list[dict[str, Any] | None]] = {name: [None] * len(rounds) for name in places}
    for at, paired in enumerate(rounds):
        for one in paired:
            for seat, name in enumerate(one["bots"]):
                if name in taken:
                    taken[name][at] = _cell(one, seat, places)
    return [
        {**row, "place": place, "cells": taken[row["name"]]} for place, row in enumerate(rows, 1)
    ]


def _cell(one: Mapping[str, Any], seat: int, places: Mapping[str, int]) -> dict[str, Any]:
    """Return the result of an encounter for one of its bots."""
    other, scored, walkovers = one["bots"][1 - seat], one["points"][seat], one["walkovers"]
    firsts = one.get("firsts") or ()
    is_open = not one["is_over"] and not sum(one["points"])
    remark = "" if one["is_over"] else "to play" if is_open else "so far"
    if walkovers and one["is_over"]:
        remark = "walkover" if sum(one["points"]) <= walkovers else f"{walkovers} by walkover"
    # Older outcomes do not have the sides, and a walkover has none.
    has_sides = firsts and not walkovers and other is not None
    return {
        "other": other,
        "place": places.get(other, 0),
        "points": "–" if is_open else points(scored),
        "has_games": other is not None and remark not in ("to play", "walkover"),
        "sides": [points(firsts[seat]), points(scored - firsts[seat])] if has_sides else [],
        "remark": remark,
    }


# Changes of ranks


def rank_changes(
    groups: Iterable[tuple[str, Sequence[Mapping[str, Any]]]],
    before: Iterable[Mapping[str, Any]],
) -> dict[str, int]:
    """Return by how many ranks each bot rose since the table `before`; new bots are left out.

    >>> now = [("", [{"name": "ann", "rank": 1}, {"name": "bob", "rank": 2}])]
    >>> rank_changes(now, [{"name": "ann", "rank": 3}])
    {'ann': 2}
    """
    former = {row["name"]: row["rank"] for row in before}
    return {
        row["name"]: former[row["name"]] - row["rank"]
        for _, rows in groups
        for row in rows
        if row["name"] in former
    }


def last_table(season: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the table of a season before its last match day; empty before the second one."""
    days = season["days"]
    return days[-2]["table"] if len(days) > 1 else ()


def page_stem(address: str) -> str:
    """Return the name of a page without folder and suffix.

    >>> page_stem("../bots/ann.html")
    'ann'
    """
    return address.rpartition("/")[2].removesuffix(".html")
