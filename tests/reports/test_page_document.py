"""The data behind the page: described, and in agreement with themselves and with the records."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from report_pages import knockout, many_bots, played
from sample_records import bare, cut, hostile_records, random_game
from typing_extensions import TypedDict

from lath.notation.record.record import Ply, Record
from lath.notation.record.tags import FORFEITS
from lath.notation.rules.replay import positions
from lath.notation.text.scanner import parse
from lath.reports.counting.figures import MOST_BINS, Ways
from lath.reports.counting.standings import why_left_out
from lath.reports.event import export
from lath.reports.event.background import Background
from lath.reports.notes import outcome
from lath.reports.notes.outcome import EventOutcome, Sheet, SheetColumn
from lath.reports.page import document as data_of_page
from lath.reports.page import index
from lath.reports.page.document import DEFAULT_TITLE, document
from lath.reports.page.page import render
from lath.reports.schema import About, Count, schema_of

PLAYED = played()

COUNTED = [record for record in PLAYED if not why_left_out(record)]

RESULT = Background(outcome=knockout())


@cache
def told_of() -> Any:
    """Return the document of the games played."""
    return document(PLAYED, background=RESULT)


def games_of(score: Any) -> int:
    return int(score["wins"] + score["draws"] + score["losses"])


# Schemas


class Animal(TypedDict):
    """Something that lives."""

    legs: Count
    """how many it walks on;
    none swim"""


class Dog(Animal):
    """A friend."""

    name: Annotated[str, About("what it comes to")]
    weight_kg: Annotated[float, About(gt=0)] | None


@dataclass(frozen=True)
class Kennel:
    """Where dogs live."""

    dogs: tuple[Dog, ...]
    """The oldest first."""

    doors: int = 1


def test_a_schema_has_limits_docstrings_and_what_another_type_has() -> None:
    schema = schema_of(Kennel, "Kennel")
    assert schema["required"] == ["dogs", "doors"], "a field with a default is always written"
    dogs = schema["properties"]["dogs"]
    assert dogs["description"] == "The oldest first."
    legs = {"type": "integer", "minimum": 0, "description": "how many it walks on; none swim"}
    assert dogs["items"] == {
        "type": "object",
        "description": "A friend.",
        "properties": {
            "legs": legs,
            "name": {"type": "string", "description": "what it comes to"},
            "weight_kg": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]},
        },
        "required": ["legs", "name", "weight_kg"],
        "additionalProperties": False,
    }


OPTIONAL = {
    *("outcome", "changes", "versions", "rulings", "snapshot", "season", "provenance", "checksum")
}


def test_in_each_schema_every_object_is_closed_and_nothing_is_elsewhere() -> None:
    for made in (outcome.schema, export.schema, data_of_page.schema, index.schema):
        schema = made()
        Draft202012Validator.check_schema(schema)
        assert schema["title"]
        for part in objects_of(schema):
            assert "$ref" not in part
            if "properties" in part:
                assert part["additionalProperties"] is False
                assert set(part["properties"]) - set(part["required"]) <= OPTIONAL


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return all objects within a JSON value."""
    if isinstance(value, list):
        return [found for inner in value for found in objects_of(inner)]
    if not isinstance(value, dict):
        return []
    return [value, *(found for inner in value.values() for found in objects_of(inner))]


def test_who_makes_a_report_does_not_import_pydantic() -> None:
    code = (
        "import sys; from lath.reports.page import page, index; "
        "from lath.reports.event import export; "
        "page.render([]); index.render(index.Collector().document()); "
        "print('pydantic' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_documents_keep_their_schema_and_are_the_same_every_time() -> None:
    validator = Draft202012Validator(data_of_page.schema())
    void = [bare("ann", "bob", "*", Termination="void")]
    for records in ((), hostile_records(), void, many_bots(6)):
        validator.validate(document(records))
    validator.validate(told_of())
    text = json.dumps(told_of(), allow_nan=False)
    assert json.loads(text) == told_of()
    assert json.dumps(document(iter(PLAYED), background=RESULT)) == text
    shuffled = random.Random(1).sample(PLAYED, len(PLAYED))
    again = document(shuffled, background=RESULT)
    for part in ("lengths", "endings", "first_move", "outcome"):
        assert told_of()[part] == again[part]
    for one, other in zip(told_of()["bots"], again["bots"], strict=True):
        assert (one["games"], one["opponents"]) == (other["games"], other["opponents"])
    slow = [[line["p95_s"] for line in each["times"]] for each in (told_of(), again)]
    assert slow[0] == slow[1]


def test_the_schemas_describe_every_field() -> None:
    counted_by = {*FORFEITS, "1-0", "0-1", "1/2-1/2", "*"}
    for schema in (data_of_page.schema(), index.schema()):
        fields = [
            each for part in objects_of(schema) for each in part.get("properties", {}).items()
        ]
        assert len(fields) > 100
        assert {name for name, field in fields if not field.get("description")} <= counted_by


# What is told


def test_the_title_is_the_callers_or_the_events_or_a_plain_one() -> None:
    many = [bare("ann", "bob", "1-0", Event=f"Event {i}") for i in range(9)]
    titles = [document(PLAYED[:3], title="Cup")["title"], told_of()["title"]]
    titles += [document(records)["title"] for records in ([], many)]
    assert titles == ["Cup", "Sample", DEFAULT_TITLE, "Event 0, Event 1, Event 2 and 6 more"]


def test_facts_count_all_records_and_the_rest_those_of_the_standings() -> None:
    void = bare("eve", "ann", "*", Termination="void")
    told = document((*PLAYED, void))
    assert told["facts"]["records"] == len(PLAYED) + 1
    assert sum(line["records"] for line in told["facts"]["games"]) == len(PLAYED) + 1
    for part in ("lengths", "endings", "first_move"):
        assert told[part] == told_of()[part]
    per_game = {table["game"]: table["games"] for table in told_of()["standings"]["per_game"]}
    for part, parts in (("lengths", "bins"), ("endings", "endings")):
        lines = told_of()[part]
        assert {line["game"]: line["games"] for line in lines} == per_game
        for line in lines:
            assert sum(one["games"] for one in line[parts]) == line["games"]
    for line in told_of()["first_move"]:
        seats = line["first_wins"] + line["draws"] + line["second_wins"]
        assert seats == per_game[line["game"]]
    for line in told_of()["lengths"]:
        bins = line["bins"]
        assert len(bins) <= MOST_BINS
        assert len({one["to"] - one["from"] for one in bins}) == 1
        assert all(b["from"] == a["to"] + 1 for a, b in pairwise(bins))
        assert bins[0]["from"] <= line["shortest"] <= bins[0]["to"]
        assert bins[-1]["from"] <= line["longest"] <= bins[-1]["to"]


def test_endings_are_the_rules_own_words_where_it_was_they() -> None:
    def ending(record: Record) -> str:
        outcome = list(positions(record))[-1].outcome()
        return outcome.ending if outcome and record.termination == "rules" else record.termination

    assert {
        (line["game"], one["ending"]): one["games"]
        for line in told_of()["endings"]
        for one in line["endings"]
    } == Counter((record.game, ending(record)) for record in COUNTED)


def test_each_bots_results_add_up_to_its_row_and_what_one_won_the_other_lost() -> None:
    rows = told_of()["standings"]["overall"]["rows"]
    scores = {}
    for bot, row in zip(told_of()["bots"], rows, strict=True):
        assert (bot["name"], bot["rank"]) == (row["name"], row["rank"])
        by_seat = [line[seat] for line in bot["games"] for seat in ("first", "second")]
        for parts in (by_seat, bot["opponents"]):
            for word in ("wins", "draws", "losses"):
                assert sum(score[word] for score in parts) == row[word]
        scores.update({(bot["name"], one["name"]): one for one in bot["opponents"]})
    for (bot, other), score in scores.items():
        back = scores[other, bot]
        assert (score["wins"], score["draws"]) == (back["losses"], back["draws"])


def test_games_that_are_linked_to_are_as_told() -> None:
    ranks = {bot["name"]: bot["rank"] for bot in told_of()["bots"]}
    for bot in told_of()["bots"]:
        name = bot["name"]
        for kind in ("best_wins", "worst_losses", "shortest_losses", "forfeits"):
            for one in bot[kind]:
                record = PLAYED[one["number"] - 1]
                assert {record.first, record.second} == {name, one["opponent"]}
                assert (one["game"], one["plies"]) == (record.game, len(record.plies))
                assert (record.termination in FORFEITS) == (kind == "forfeits")
        lost = [
            len(record.plies)
            for record in COUNTED
            if (name, record.result) in ((record.first, "0-1"), (record.second, "1-0"))
            if record.termination not in FORFEITS
        ]
        assert [one["plies"] for one in bot["shortest_losses"]] == sorted(lost)[:3]
        beaten = [ranks[one["opponent"]] for one in bot["best_wins"]]
        lost_to = [ranks[one["opponent"]] for one in bot["worst_losses"]]
        assert beaten == sorted(beaten)
        assert lost_to == sorted(lost_to, reverse=True)


def test_times_are_those_of_who_moved_even_where_sides_do_not_alternate() -> None:
    record = random_game("surikata", 1, annotated=True)
    told = {line["name"]: line for line in document([record])["times"]}
    used: dict[str, list[float]] = {"ann": [], "bob": []}
    for position, ply in zip(positions(record), record.plies, strict=False):
        if ply.used_s is not None:
            used[("ann", "bob")[position.to_move]].append(ply.used_s)
    for name, times in used.items():
        line = told[name]
        assert line["moves"] == len(times)
        assert line["worst_s"] == pytest.approx(max(times))
        assert line["mean_s"] == pytest.approx(sum(times) / len(times), abs=1e-6)
        assert line["median_s"] == sorted(times)[(len(times) - 1) // 2]
        assert record.plies[line["worst"]["ply"] - 1].used_s == pytest.approx(line["worst_s"])
    late = cut(random_game("yavalath", 1, annotated=True), 6, "time", "0-1")
    lost = {line["name"]: line["lost_on_time"] for line in document([late])["times"]}
    assert lost == {"ann": 1, "bob": 0}


def test_depth_and_nodes_are_those_that_bots_told_of_timed_moves() -> None:
    said = (
        "1. a1 {[%emt 0.100] [%depth 3] [%nodes 900]} 2. b2 {[%emt 0.500]} "
        "3. c3 {[%emt 0.300] [%depth 6] [%nodes 500]} "
        "4. d4 {[%emt 0.100] [%depth deep] [%nodes -1]} 5. e5 {[%depth 40]}"
    )
    record = parse(f'[Game "yavalath"]\n[First "ann"]\n[Second "bob"]\n\n{said} 1-0')
    times: Any = document([record])["times"]
    words = ("depth", "deepest", "nodes", "nodes_per_s")
    told = {line["name"]: [line[word] for word in words] for line in times}
    assert told == {"ann": [4.5, 6, 700, 3500], "bob": [None] * 4}


def test_the_rating_over_time_ends_with_all_games_and_has_at_most_a_hundred_points() -> None:
    for records in (PLAYED, [bare("ann", "bob", "1-0", Round=str(i)) for i in range(150)]):
        told = document(records)
        history = told["history"]
        assert history["games"][-1] == told["standings"]["overall"]["rated"]
        assert history["games"] == sorted(set(history["games"]))
        assert len(history["games"]) <= 100
        for line in history["bots"]:
            assert len(line["mu"]) == len(line["sigma"]) == len(history["games"])
            assert line["mu"][-1] is not None
    games = [random_game("yavalath", 1), random_game("yavalath", 2, first="ann", second="cat")]
    begins = {line["name"]: line["mu"][0] for line in document(games)["history"]["bots"]}
    assert (begins["cat"], begins["ann"] is None) == (None, False), "none before its first game"


def test_openings_and_setups_add_up_and_their_examples_are_such_games() -> None:
    for part in told_of()["openings"]:
        for line in part["lines"]:
            record = PLAYED[line["example"] - 1]
            assert record.game == part["game"]
            assert line["text"].split() == [ply.move for ply in record.plies[:2]]
        assert sum(map(games_of, part["lines"])) <= part["games"]
    wanted = Counter(record.game for record in COUNTED if record.tag("Setup"))
    assert {part["game"]: part["games"] for part in told_of()["setups"]} == wanted
    mammalath = bare("ann", "bob", "1-0", game_id="mammalath")
    spelled = [  # one opening, spelled in two ways
        replace(mammalath, plies=(Ply("c3"), Ply(move))) for move in ("xb4-b2", "xb2-b4")
    ]
    (part,) = document(spelled)["openings"]
    assert [(line["text"], line["wins"]) for line in part["lines"]] == [("c3 xb2-b4", 2)]
    ways = Ways(most=10)  # are counted in bounded memory, and the frequent ones stay
    for number in range(1, 1001):
        ways.add("often" if number % 2 else f"once {number}", 1.0, number)
    told = ways.of_game("yavalath", 3)
    assert (told["games"], told["different"] <= 10, told["missed"] > 0) == (1000, True, True)
    assert (told["lines"][0]["text"], told["lines"][0]["wins"]) == ("often", 500)


# On the page


def test_games_that_went_wrong_are_told_of_though_a_ruling_voids_them() -> None:
    ruled = bare("ann", "bob", "1-0", Termination="crash", Ruling="bob disqualified: by hand")
    records = [bare("ann", "cat", "1-0"), ruled]
    (lost,) = document(records)["forfeits"]
    assert (lost["bot"], lost["ending"], lost["games"]) == ("bob", "crash", 1)
    assert [one["ruling"] for one in lost["first"]] == ["bob disqualified"]
    section = re.search(r'<section id="forfeits".*?</section>', render(records).html, re.DOTALL)
    assert section
    assert "· <bdi>bob disqualified</bdi>" in section[0]
    assert "#bot-" not in section[0], "who is not in the standings has nothing to go to"


def test_the_page_says_how_far_the_games_are_and_explains_the_words_of_its_result() -> None:
    for done, progress in ((1, "2 of 8 games"), (2, "2 of 8 games"), (8, "")):
        background = Background(outcome=EventOutcome(format="round-robin", done=done, total=8))
        assert document(PLAYED[:2], background=background)["progress"] == progress
        html = render(PLAYED[:2], background=background).html
        assert ("So far: 2 of 8" in html) == bool(progress)
    path = replace(knockout(), format="match")
    sheet = Sheet(
        (SheetColumn("bot", "name"), SheetColumn("score"), SheetColumn("Elo")),
        (("ann", "0-2", "-9"),),
    )
    swiss = EventOutcome(format="swiss", verdict="x", sheets=(sheet,))
    pages = [
        render(PLAYED[:2], background=Background(outcome=one)).html for one in (path, swiss, None)
    ]
    for words, said in (("log-likelihood ratio (LLR)", 0), ("Sonneborn-Berger", 1)):
        assert [words in page for page in pages] == [at == said for at in range(3)]
    assert ">0-2<" in pages[1], "a score keeps its hyphen"
    assert ">−9<" in pages[1]
