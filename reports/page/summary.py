"""What an event came to, for the first screen: in a sentence, how surely, and who stands where.

Must not know HTML, nor how a rating is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from lath.reports.page.views import count, elo_words, likely, percent, points

SURE: Final = 0.95
"""How likely one bot must be stronger than another for it to be said."""

SHOWN: Final = 3
"""Places of the podium; both losers of semi-finals are third."""

_NAMED: Final = 3
"""Names in a sentence."""

Sentence = tuple[tuple[str, bool], ...]
"""Its parts: text, and whether that is a name."""


class Stand(NamedTuple):
    """One of the podium."""

    place: int
    row: Mapping[str, Any]
    """Of the standings."""


class Summary(NamedTuple):
    """What the first screen says."""

    said: Sentence
    """What happened."""

    sure: Sentence
    """What of it the games do not tell, or how surely they do; may be empty."""

    podium: Sequence[Stand]
    by: str
    """What the podium goes by."""


class _Places(NamedTuple):
    """Who stands where: place and name, the first one first."""

    by: str
    places: Sequence[tuple[int, str]]

    @property
    def first(self) -> tuple[str, ...]:
        return tuple(name for place, name in self.places if place == 1)


def summary(document: Mapping[str, Any]) -> Summary:
    r"""Return what the first screen of a document's page says.

    >>> rows = [{"name": n, "games": 8, "points": p, "score_rate": p / 8, "rank": r}
    ...         for n, p, r in [("ann", 5.5, 1), ("bob", 2.5, 2)]]
    >>> cells = [[{"superiority": None}, {"superiority": 0.8}], []]
    >>> table = {"rows": rows, "crosstable": cells, "groups": [rows], "games": 8}
    >>> found = summary({"standings": {"overall": table}, "outcome": None, "progress": ""})
    >>> print("".join(text for text, _ in found.said))
    ann won with 5½ of 8 points, 3 more than bob.
    >>> print("".join(text for text, _ in found.sure).replace("\N{NO-BREAK SPACE}", " "))
    But it is only 80.0 % likely to be stronger than bob: these games do not tell the two apart.
    """
    table = document["standings"]["overall"]
    rows = {row["name"]: row for row in table["rows"]}
    found = _places(document, table)
    podium = [Stand(place, rows[name]) for place, name in found.places if name in rows]
    said = _said(document, table, found)
    shown = [one for one in podium if one.place <= SHOWN][: SHOWN + 1]
    return Summary(said, _sure(document, table, found), shown, found.by)


def _sentence(words: str, *names: str) -> Sentence:
    """Return a sentence with a name for each {}."""
    texts = words.split("{}")
    parts = [(texts[0], False)]
    for name, text in zip(names, texts[1:], strict=True):
        parts += [(name, True), (text, False)]
    return tuple(part for part in parts if part[0])


def _listed(names: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return words with a {} for each of the first names, and these."""
    rest = len(names) - _NAMED
    if rest > 1:
        return f"{', '.join(['{}'] * _NAMED)} and {rest} others", names[:_NAMED]
    *most, last = ["{}"] * len(names)
    return f"{', '.join(most)} and {last}" if most else last, names


# Who stands where


def _places(document: Mapping[str, Any], table: Mapping[str, Any]) -> _Places:
    rows, outcome = table["rows"], document["outcome"] or {"format": "", "data": {}}
    data = outcome["data"]
    if data.get("winner"):
        return _Places("knockout", _of_bracket(data["winner"], data["bracket"]))
    if data.get("swiss"):
        return _Places("swiss", [(row["rank"], row["name"]) for row in data["swiss"]])
    is_even = len({row["games"] for row in rows}) == 1 and len(table["groups"]) == 1
    if not is_even or outcome["format"] in ("knockout", "gauntlet"):
        by_group = {row["group"]: (1, row["name"]) for row in reversed(rows)}
        if len(by_group) > 1:
            return _Places("groups", [by_group[group] for group in sorted(by_group)])
        return _Places("rating", [(row["rank"], row["name"]) for row in rows])
    ranked = sorted(rows, key=lambda row: -row["points"])  # of equal points by rating
    places: list[tuple[int, str]] = []
    for _, alike in groupby(ranked, key=lambda row: row["points"]):
        place = len(places) + 1
        places += [(place, row["name"]) for row in alike]
    return _Places("points", places)


def _of_bracket(winner: str, rounds: Sequence[Mapping[str, Any]]) -> list[tuple[int, str]]:
    """Return the winner, who lost the final, and who lost semi-finals."""
    lost = [
        (place, name)
        for place, each in enumerate(reversed(rounds[-2:]), 2)
        for tie in each["ties"]
        for name in tie["bots"]
        if name not in (None, tie["winner"])
    ]
    return [(1, winner), *lost]


# What is said of it


def _said(document: Mapping[str, Any], table: Mapping[str, Any], found: _Places) -> Sentence:
    rows, outcome = table["rows"], document["outcome"]
    is_over = not document["progress"]
    if told := _told(outcome, found, is_over=is_over):
        return told
    if not rows:
        return _sentence("No game has been decided yet.")
    if found.by == "groups":
        groups = count(len(table["groups"]), "group")
        return _sentence(f"{groups} of bots never met: there is no winner of all.")
    if len(rows) == 1:
        return _sentence("{} played only itself.", rows[0]["name"])
    if found.by == "rating":
        if len(found.first) > 1:
            listed, names = _listed(found.first)
            return _sentence(f"{listed} share first place by rating.", *names)
        best = rows[0]
        words = f"{{}} stands first by rating, with {percent(best['score_rate'])} of its points."
        return _sentence(words, best["name"])
    return _of_points(rows, found, is_over=is_over)


def _told(outcome: Mapping[str, Any] | None, found: _Places, *, is_over: bool) -> Sentence:
    """Return what a tournament came to by the rules of its format; empty where a table says it."""
    if outcome is None:
        return ()
    data = outcome["data"]
    if found.by == "knockout":
        return _of_knockout(found.first[0], data["bracket"][-1]["ties"][0])
    if found.by == "swiss":
        return _of_swiss(data["swiss"], found.first, is_over=is_over)
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
        return _sentence(f"All {len(rows)} bots scored alike, {score} each.")
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
    elo = best["elo"]
    scored = f"{percent(best['score'])} of the points"
    ahead = f"{elo_words(elo)} Elo"
    words = f"{{}} scored {scored} against {count(len(best['opponents']), 'bot')}: {ahead}."
    if len(standing) > 1:
        words = f"{{}} is the first of {len(standing)} challengers, with {scored}: {ahead}."
    return _sentence(words, best["name"])


def _sure(document: Mapping[str, Any], table: Mapping[str, Any], found: _Places) -> Sentence:
    """Return how surely the first one is the strongest, by the ratings over all games."""
    rows, outcome = table["rows"], document["outcome"]
    speaks_for_itself = outcome and outcome["format"] in ("match", "tune", "gauntlet")
    if len(rows) < 2 or found.by == "groups" or speaks_for_itself:
        return ()
    best, (_, *cells) = rows[0]["name"], table["crosstable"][0]
    over = {
        row["name"]: cell["superiority"]
        for row, cell in zip(rows[1:], cells, strict=True)
        if cell["superiority"] is not None
    }
    if best not in found.first or len(found.first) > 1:
        other = next(name for name in (*found.first, rows[1]["name"]) if name != best)
        return _ahead(best, other, over.get(other))
    doubtful = [name for name, better in over.items() if better < SURE]
    if not over:
        return ()
    closest = min(over, key=lambda name: over[name])
    if not doubtful:
        rest = "each of the others, than " if len(over) > 1 else ""
        words = f"It is stronger than {rest}{{}} with a likelihood of {likely(over[closest])}."
        return _sentence(words, closest)
    words = f"But it is only {likely(over[closest])} likely to be stronger than {{}}: "
    if len(doubtful) == 1:
        return _sentence(f"{words}these games do not tell the two apart.", closest)
    listed, names = _listed([best, *doubtful])
    return _sentence(f"{words}these games do not tell {listed} apart.", closest, *names)


def _ahead(best: str, other: str, better: float | None) -> Sentence:
    if better is None:
        return _sentence("By rating {} stands first.", best)
    words = f"By rating {{}} stands before {{}}, stronger with a likelihood of {likely(better)}"
    told = "." if better >= SURE else ": the games do not tell the two apart."
    return _sentence(words + told, best, other)
