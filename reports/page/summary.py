"""The first screen: the result of an event in a sentence, its confidence, and the podium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from lath.reports.counting.ranking import BY_GAMES
from lath.reports.notes.outcome import LADDER
from lath.reports.page.number_words import count, elo_words, likely, percent, points

SURE: Final = 0.95
"""The least likelihood at which one bot is reported as stronger than another."""

SHOWN: Final = 3
"""The places of the podium; both losers of semi-finals are third."""

_BY: Final = {
    "score": "points per game",
    "swiss": "Swiss points",
    "knockout": "rounds so far",
    "gauntlet": "points per game",
}
"""The ranking number of each rule other than the rating."""

_NAMED: Final = 3
"""The most names in a sentence."""

ROLES: Final = ("challenger", "opponent")
"""The roles in a gauntlet."""

Sentence = tuple[tuple[str, bool], ...]
"""The parts of a sentence: texts, each with a flag for names."""


class Stand(NamedTuple):
    """A place on the podium."""

    place: int
    row: Mapping[str, Any]
    """The row of the standings."""


class EventSummary(NamedTuple):
    """The content of the first screen."""

    said: Sentence
    """The result."""

    sure: Sentence
    """The confidence in the result; may be empty."""

    podium: Sequence[Stand]
    says: str
    """The rule of the podium, in a sentence."""


class _Places(NamedTuple):
    """The places and names, the first place first."""

    by: str
    places: Sequence[tuple[int, str]]

    @property
    def first(self) -> tuple[str, ...]:
        return tuple(name for place, name in self.places if place == 1)


def summary(document: Mapping[str, Any]) -> EventSummary:
    r"""Return the first screen of a document's page.

    >>> rows = [{"name": n, "games": 8, "points": p, "score_rate": p / 8, "rank": r,
    ...          "exposed": p}
    ...         for n, p, r in [("ann", 5.5, 1), ("bob", 2.5, 2)]]
    >>> cells = [[{"superiority": None}, {"superiority": 0.8}], []]
    >>> table = {"rows": rows, "crosstable": cells, "groups": [rows], "games": 8}
    >>> table |= {"rule": "points", "says": "Ranks go by points."}
    >>> found = summary({"standings": {"overall": table}, "outcome": None, "progress": ""})
    >>> print("".join(text for text, _ in found.said))
    ann won with 5½ of 8 points, 3 more than bob.
    >>> print("".join(text for text, _ in found.sure).partition(": ")[2])
    the probability that ann is stronger than bob is 80.0%.
    """
    table = document["standings"]["overall"]
    found = _places(table)
    said = _said(document, table, found)
    says = "The leader of each group of connected bots." if found.by == "groups" else table["says"]
    is_of_one = bool(document["outcome"]) and document["outcome"]["format"] == LADDER
    podium = [] if is_of_one else _podium(table, found)  # levels of a ladder are not rivals
    return EventSummary(said, _sure(document, table, found), podium, says)


def _sentence(words: str, *names: str) -> Sentence:
    """Return a sentence with a name for each {}."""
    texts = words.split("{}")
    parts = [(texts[0], False)]
    for name, text in zip(names, texts[1:], strict=True):
        parts += [(name, True), (text, False)]
    return tuple(part for part in parts if part[0])


def _listed(names: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return words with a {} for each of the first names, and these names."""
    rest = len(names) - _NAMED
    if rest > 1:
        return f"{', '.join(['{}'] * _NAMED)} and {rest} others", names[:_NAMED]
    *most, last = ["{}"] * len(names)
    return f"{', '.join(most)} and {last}" if most else last, names


# Ranks


def _places(table: Mapping[str, Any]) -> _Places:
    """Return the places by the ranks of the overall table."""
    rows, rule = table["rows"], table["rule"]
    if rule in BY_GAMES and len(table["groups"]) > 1:
        first = [row for row in rows if row["rank"] == 1]
        by_group = {row["group"]: (1, row["name"]) for row in reversed(first)}
        return _Places("groups", [by_group[group] for group in sorted(by_group)])
    return _Places(rule, [(row["rank"], row["name"]) for row in rows])


def _podium(table: Mapping[str, Any], found: _Places) -> list[Stand]:
    """Return the first places; in a gauntlet those of the challengers, then of their opponents."""
    rows = {row["name"]: row for row in table["rows"]}
    stands = [Stand(place, rows[name]) for place, name in found.places if name in rows]
    shown = [one for one in stands if one.place <= SHOWN]
    if found.by != "gauntlet":
        return shown[: SHOWN + 1]
    sides = [[one for one in shown if one.row["role"] == role] for role in ROLES]
    return [*sides[0][:SHOWN], *sides[1][:SHOWN]]


# Sentences


def _said(document: Mapping[str, Any], table: Mapping[str, Any], found: _Places) -> Sentence:
    rows, outcome = table["rows"], document["outcome"]
    season = document.get("season")
    is_over = not document["progress"] or bool(season and season["waits_for"])
    if told := _told(outcome, found, is_over=is_over):
        return told
    if not rows:
        return _sentence("No game has been decided yet.")
    if found.by == "groups":
        groups = count(len(table["groups"]), "group")
        if not is_over:
            return _sentence(f"{groups} of bots have not met yet, so no bot leads.")
        return _sentence(f"{groups} of bots have never met, so no bot is the overall winner.")
    if len(rows) == 1:
        return _sentence("{} played only against itself.", rows[0]["name"])
    if found.by not in ("points", "season"):
        by = _BY.get(found.by, "conservative rating")
        if len(found.first) > 1:
            listed, names = _listed(found.first)
            return _sentence(f"{listed} share first place by {by}.", *names)
        best = rows[0]
        words = f"{{}} is first by {by}, with a score of {percent(best['score_rate'])}."
        return _sentence(words, best["name"])
    return _of_points(rows, found, is_over=is_over)


def _told(outcome: Mapping[str, Any] | None, found: _Places, *, is_over: bool) -> Sentence:
    """Return the result by the rules of the format; empty if a table shows it."""
    if outcome is None:
        return ()
    data = outcome["data"]
    if found.by == "knockout" and data.get("winner"):
        return _of_knockout(data["winner"], data["bracket"][-1]["ties"][0])
    if found.by == "swiss":
        first = tuple(row["name"] for row in data["swiss"] if row["rank"] == 1)
        return _of_swiss(data["swiss"], first, is_over=is_over)
    if outcome["format"] == "gauntlet":
        standing = data["gauntlet"].get("standing")
        return _of_gauntlet(standing) if standing else ()
    told = outcome["verdict"] or next(iter(outcome["words"]), "")
    return ((f"{told[:1].upper()}{told[1:].rstrip('.')}.", False),) if told else ()


def _of_points(rows: Sequence[Mapping[str, Any]], found: _Places, *, is_over: bool) -> Sentence:
    scored = {row["name"]: row["points"] for row in rows}
    best = max(scored.values())
    score = f"{points(best)} of {count(rows[0]['games'], 'point')}"
    if len(found.first) == len(rows):
        return _sentence(f"All {len(rows)} bots scored the same: {score} each.")
    if len(found.first) > 1:
        listed, names = _listed(found.first)
        verb = "share first place" if is_over else "share the lead"
        return _sentence(f"{listed} {verb} with {score} each.", *names)
    second = next(name for place, name in found.places if place > 1)
    words = f"{{}} {'won' if is_over else 'leads'} with {score}, {points(best - scored[second])}"
    return _sentence(f"{words} more than {{}}.", found.first[0], second)


def _of_knockout(winner: str, final: Mapping[str, Any]) -> Sentence:
    other = next((name for name in final["bots"] if name not in (None, winner)), None)
    if other is None:
        return _sentence("{} won the knockout.", winner)
    scores = dict(zip(final["bots"], final["points"], strict=True))
    score = f"{points(scores[winner])} to {points(scores[other])}"
    how = f" ({final['how']})" if final["how"] else ""
    words = f"{{}} won the knockout, the final against {{}} by {score}{how}."
    return _sentence(words, winner, other)


def _of_swiss(
    table: Sequence[Mapping[str, Any]], first: Sequence[str], *, is_over: bool
) -> Sentence:
    score, verb = points(table[0]["points"]), "won" if is_over else "leads"
    level = [row["name"] for row in table if row["points"] == table[0]["points"]]
    listed, names = _listed(level)
    if len(first) > 1:
        return _sentence(f"{listed} share first place with {score} points each.", *names)
    if len(level) > 1:
        words = f"{listed} have {score} points each; {{}} {verb} by the tie-breaks."
        return _sentence(words, *names, first[0])
    return _sentence(f"{{}} {verb} with {score} points, ahead of {{}}.", first[0], table[1]["name"])


def _of_gauntlet(standing: Sequence[Mapping[str, Any]]) -> Sentence:
    best = standing[0]
    scored = f"{percent(best['score'])} of the points"
    ahead = f"{elo_words(best['elo'])} Elo"
    words = f"{{}} scored {scored} against {count(len(best['opponents']), 'bot')}: {ahead}."
    if len(standing) > 1:
        words = f"{{}} leads the {len(standing)} challengers with {scored}: {ahead}."
    return _sentence(words, best["name"])


def _sure(document: Mapping[str, Any], table: Mapping[str, Any], found: _Places) -> Sentence:
    """Return the probability that the first bot is the strongest, by the ratings over all games."""
    rows, outcome = table["rows"], document["outcome"]
    speaks_for_itself = outcome and outcome["format"] in ("match", "tune", "gauntlet", LADDER)
    if len(rows) < 2 or found.by == "groups" or speaks_for_itself:
        return ()
    at = max(range(len(rows)), key=lambda at: (round(rows[at]["exposed"], 6), -at))
    best = rows[at]["name"]
    level = [row["name"] for row in rows if round(row["exposed"] - rows[at]["exposed"], 2) == 0]
    if len(level) > 1 and (best not in found.first or len(found.first) > 1):
        return ()  # several bots share the highest rating
    over = {
        row["name"]: cell["superiority"]
        for row, cell in zip(rows, table["crosstable"][at], strict=True)
        if row["name"] != best and cell["superiority"] is not None
    }
    if best not in found.first or len(found.first) > 1:
        return _of_two([name for _, name in found.places][:2], table)
    doubtful = [name for name, better in over.items() if better < SURE]
    if not over:
        return ()
    closest = min(over, key=lambda name: over[name])
    if not doubtful:
        rest = ", and it is higher for each other bot" if len(over) > 1 else ""
        words = f"The probability that {{}} is stronger than {{}} is {likely(over[closest])}{rest}."
        return _sentence(words, best, closest)
    words = f"the probability that {{}} is stronger than {{}} is {likely(over[closest])}."
    if len(doubtful) == 1:
        words = f"The difference is not statistically significant: {words}"
        return _sentence(words, best, closest)
    listed, names = _listed([best, *doubtful])
    words = f"The differences between {listed} are not statistically significant: {words}"
    return _sentence(words, *names, best, closest)


def _of_two(names: Sequence[str], table: Mapping[str, Any]) -> Sentence:
    """Return the probability that one of the first two is stronger than the other."""
    first, second = names
    at = [next(i for i, row in enumerate(table["rows"]) if row["name"] == name) for name in names]
    over = [table["crosstable"][i][j]["superiority"] for i, j in (at, at[::-1])]
    if over[0] is None or over[0] >= over[1]:
        return _ahead(first, second, over[0])
    return _ahead(second, first, over[1])


def _ahead(best: str, other: str, better: float | None) -> Sentence:
    if better is None:
        return _sentence("{} has the highest rating.", best)
    words = f"By rating, the probability that {{}} is stronger than {{}} is {likely(better)}"
    told = "." if better >= SURE else ", which is not statistically significant."
    return _sentence(words + told, best, other)
