"""The data behind the page: described, and in agreement with themselves and with the records."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from places import DOCS
from report_pages import knockout, many_bots, played
from sample_records import bare, cut, hostile_records, random_game

from lath.notation.record import FORFEITS, Ply, Record
from lath.notation.replay import positions
from lath.notation.scanner import parse
from lath.reports.background import Background
from lath.reports.figures import MOST_BINS, Ways
from lath.reports.outcome import Column, Outcome, Sheet
from lath.reports.page import document as data_of_page
from lath.reports.page.document import DEFAULT_TITLE, document
from lath.reports.page.page import render
from lath.reports.standings import why_left_out

PLAYED = played()


@cache
def told_of() -> Any:
    """Return the document of the games played."""
    return document(PLAYED, background=Background(outcome=knockout()))


Score = dict[str, int]

LINES = [tuple(map(Ply, moves)) for moves in (("c3", "xb4-b2"), ("c3", "xb2-b4"))]
"""One opening, spelled in two ways."""


def games_of(score: Score) -> int:
    return score["wins"] + score["draws"] + score["losses"]


def counted(records: tuple[Record, ...] = PLAYED) -> list[Record]:
    return [record for record in records if not why_left_out(record)]


def numbered() -> dict[int, Record]:
    return dict(enumerate(PLAYED, 1))


@pytest.mark.parametrize(
    "records",
    [(), hostile_records(), [bare("ann", "bob", "*", Termination="void")], many_bots(18)],
    ids=["empty", "hostile", "void", "many bots"],
)
def test_the_schema_describes_the_document(records: Iterable[Record]) -> None:
    Draft202012Validator(data_of_page.schema()).validate(document(records))


def test_the_schema_is_one_and_describes_a_whole_document() -> None:
    Draft202012Validator.check_schema(data_of_page.schema())
    Draft202012Validator(data_of_page.schema()).validate(told_of())


def test_a_document_is_plain_json_and_the_same_every_time() -> None:
    text = json.dumps(told_of(), allow_nan=False)
    assert json.loads(text) == told_of()
    assert json.dumps(document(iter(PLAYED), background=Background(outcome=knockout()))) == text


def test_the_title_is_the_callers_or_the_events_or_a_plain_one() -> None:
    assert document(PLAYED[:3], title="Cup")["title"] == "Cup"
    assert told_of()["title"] == "Sample"
    assert document([])["title"] == DEFAULT_TITLE


def test_many_events_make_no_long_title() -> None:
    records = [bare("ann", "bob", "1-0", Event=f"Event {i}") for i in range(9)]
    assert document(records)["title"] == "Event 0 · Event 1 · Event 2 and 6 more"


def test_facts_count_all_records_and_the_rest_those_that_count() -> None:
    void = bare("eve", "ann", "*", Termination="void")
    told = document((*PLAYED, void))
    assert told["facts"]["records"] == len(PLAYED) + 1
    assert sum(line["records"] for line in told["facts"]["games"]) == len(PLAYED) + 1
    for part in ("lengths", "endings", "first_move"):
        assert told[part] == told_of()[part]


def test_each_parts_games_are_those_of_the_standings() -> None:
    per_game = {table["game"]: table["games"] for table in told_of()["standings"]["per_game"]}
    assert {line["game"]: line["games"] for line in told_of()["lengths"]} == per_game
    assert {line["game"]: line["games"] for line in told_of()["endings"]} == per_game
    for line in told_of()["first_move"]:
        games = line["first_wins"] + line["draws"] + line["second_wins"]
        assert games == per_game[line["game"]]
    for line in told_of()["lengths"]:
        assert sum(one["games"] for one in line["bins"]) == line["games"]
    for line in told_of()["endings"]:
        assert sum(one["games"] for one in line["endings"]) == line["games"]


def test_each_bots_results_add_up_to_its_row_by_game_and_by_opponent() -> None:
    for bot, row in zip(told_of()["bots"], told_of()["standings"]["overall"]["rows"], strict=True):
        assert (bot["name"], bot["rank"]) == (row["name"], row["rank"])
        by_seat = [line[seat] for line in bot["games"] for seat in ("first", "second")]
        for scores in (by_seat, bot["opponents"]):
            for word in ("wins", "draws", "losses"):
                assert sum(score[word] for score in scores) == row[word]


def test_what_a_bot_won_against_another_the_other_lost() -> None:
    scores = {
        (bot["name"], one["name"]): one for bot in told_of()["bots"] for one in bot["opponents"]
    }
    for (bot, other), score in scores.items():
        back = scores[other, bot]
        assert (score["wins"], score["draws"]) == (back["losses"], back["draws"])


def test_the_order_of_the_records_changes_only_what_depends_on_it() -> None:
    shuffled = list(PLAYED)
    random.Random(1).shuffle(shuffled)
    told, again = told_of(), document(shuffled, background=Background(outcome=knockout()))
    for part in ("lengths", "endings", "first_move", "outcome"):
        assert told[part] == again[part]
    for one, other in zip(told["bots"], again["bots"], strict=True):
        assert one["games"] == other["games"]
        assert one["opponents"] == other["opponents"]
    assert [line["p95_s"] for line in told["times"]] == [line["p95_s"] for line in again["times"]]


def test_links_lead_to_games_that_are_as_told() -> None:
    records = numbered()
    for bot in told_of()["bots"]:
        for kind in ("best_wins", "worst_losses", "shortest_losses", "forfeits"):
            for one in bot[kind]:
                record = records[one["number"]]
                assert {record.first, record.second} == {bot["name"], one["opponent"]}
                assert (one["game"], one["plies"]) == (record.game, len(record.plies))
                assert (record.termination in FORFEITS) == (kind == "forfeits")


def test_the_shortest_losses_are_the_shortest_on_the_board() -> None:
    for bot in told_of()["bots"]:
        name = bot["name"]
        lost = [
            len(record.plies)
            for record in counted()
            if (record.first, record.result) == (name, "0-1")
            or (record.second, record.result) == (name, "1-0")
            if record.termination not in FORFEITS
        ]
        assert [one["plies"] for one in bot["shortest_losses"]] == sorted(lost)[:3]


def test_best_wins_are_against_the_highest_and_worst_losses_to_the_lowest() -> None:
    ranks = {bot["name"]: bot["rank"] for bot in told_of()["bots"]}
    for bot in told_of()["bots"]:
        beaten = [ranks[one["opponent"]] for one in bot["best_wins"]]
        lost_to = [ranks[one["opponent"]] for one in bot["worst_losses"]]
        assert beaten == sorted(beaten)
        assert lost_to == sorted(lost_to, reverse=True)


def test_endings_are_the_rules_own_words_where_it_was_they() -> None:
    found = {
        (line["game"], one["ending"]): one["games"]
        for line in told_of()["endings"]
        for one in line["endings"]
    }
    wanted = Counter((record.game, _ending(record)) for record in counted())
    assert found == wanted


def _ending(record: Record) -> str:
    if record.termination != "rules":
        return record.termination
    outcome = list(positions(record))[-1].outcome()
    assert outcome
    return outcome.ending


def test_times_are_those_of_who_moved_even_where_seats_do_not_alternate() -> None:
    records = [random_game("surikata", 1, annotated=True)]
    told = {line["name"]: line for line in document(records)["times"]}
    used: dict[str, list[float]] = {"ann": [], "bob": []}
    for position, ply in zip(positions(records[0]), records[0].plies, strict=False):
        if ply.used_s is not None:
            used[("ann", "bob")[position.to_move]].append(ply.used_s)
    for name, times in used.items():
        line = told[name]
        assert line["moves"] == len(times)
        assert line["worst_s"] == pytest.approx(max(times))
        assert line["mean_s"] == pytest.approx(sum(times) / len(times), abs=1e-6)
        assert line["median_s"] == sorted(times)[(len(times) - 1) // 2]
        ply = records[0].plies[line["worst"]["ply"] - 1]
        assert ply.used_s == pytest.approx(line["worst_s"])


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


def test_a_game_lost_on_time_is_the_losers() -> None:
    late = cut(random_game("yavalath", 1, annotated=True), 6, "time", "0-1")
    told = {line["name"]: line["lost_on_time"] for line in document([late])["times"]}
    assert told == {"ann": 1, "bob": 0}


def test_the_rating_over_time_ends_with_all_games_and_has_at_most_a_hundred_points() -> None:
    for records in (PLAYED, [bare("ann", "bob", "1-0", Round=str(i)) for i in range(300)]):
        told = document(records)
        history = told["history"]
        assert history["games"][-1] == told["standings"]["overall"]["rated"]
        assert history["games"] == sorted(set(history["games"]))
        assert len(history["games"]) <= 100
        for line in history["bots"]:
            assert len(line["mu"]) == len(line["sigma"]) == len(history["games"])
            assert line["mu"][-1] is not None


def test_a_bot_has_no_rating_before_its_first_game() -> None:
    records = [
        random_game("yavalath", 1),
        random_game("yavalath", 2, first="ann", second="cat"),
    ]
    lines = {line["name"]: line["mu"] for line in document(records)["history"]["bots"]}
    assert lines["cat"][0] is None
    assert lines["ann"][0] is not None


def test_openings_and_setups_add_up_and_their_examples_are_such_games() -> None:
    records = numbered()
    for part in told_of()["openings"]:
        for line in part["lines"]:
            record = records[line["example"]]
            assert record.game == part["game"]
            assert line["text"].split() == [ply.move for ply in record.plies[:2]]
        assert sum(map(games_of, part["lines"])) <= part["games"]
    setups = {part["game"]: part for part in told_of()["setups"]}
    wanted = Counter(record.game for record in counted() if record.tag("Setup"))
    assert {game: part["games"] for game, part in setups.items()} == wanted


def test_moves_are_counted_however_they_are_spelled() -> None:
    spelled = [
        replace(bare("ann", "bob", "1-0", game_id="mammalath"), plies=plies) for plies in LINES
    ]
    (part,) = document(spelled)["openings"]
    assert [line["text"] for line in part["lines"]] == ["c3 xb2-b4"]
    assert part["lines"][0]["wins"] == len(LINES)


def test_a_histogram_has_few_bins_of_one_width_without_a_gap() -> None:
    for line in told_of()["lengths"]:
        bins = line["bins"]
        assert len(bins) <= MOST_BINS
        assert len({one["to"] - one["from"] for one in bins}) == 1
        assert all(b["from"] == a["to"] + 1 for a, b in pairwise(bins))
        assert bins[0]["from"] <= line["shortest"] <= bins[0]["to"]
        assert bins[-1]["from"] <= line["longest"] <= bins[-1]["to"]


def test_ways_to_begin_are_counted_in_bounded_memory_and_the_frequent_ones_stay() -> None:
    ways = Ways(most=10)
    for number in range(1, 1001):
        ways.add("often" if number % 2 else f"once {number}", 1.0, number)
    told = ways.of_game("yavalath", 3)
    assert told["games"] == 1000
    assert told["different"] <= 10
    assert told["lines"][0]["text"] == "often"
    assert told["lines"][0]["wins"] == 500
    assert told["missed"] > 0


def fields_of(schema: dict[str, Any]) -> set[str]:
    """Return the names of all fields that a schema describes, at any depth."""
    properties = schema.get("properties", {})
    items = [schema["items"]] if "items" in schema else []
    inner = (*properties.values(), *schema.get("anyOf", ()), *items)
    return set(properties).union(*map(fields_of, inner))


def test_the_docs_name_every_field_of_the_data() -> None:
    table = (DOCS / "report.md").read_text(encoding="utf-8").split("| field | is |")[1]
    told = set(re.findall(r"`([a-z0-9_]+)`", table.split("| field of an index")[0]))
    parts = data_of_page.schema()["properties"]
    elsewhere = ("outcome", "standings")  # `arena schema` describes them
    told |= {"title", "game", "1-0", "0-1", "1/2-1/2", "*"}
    for name, part in parts.items():
        assert name in told
        if name not in elsewhere:
            assert fields_of(part) <= told, name


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


def test_the_page_says_that_not_all_games_are_played() -> None:
    for done, progress in ((2, "2 of 8 games"), (8, "")):
        background = Background(outcome=Outcome(format="round-robin", done=done, total=8))
        assert document(PLAYED[:2], background=background)["progress"] == progress
        assert ("So far: 2 of 8" in render(PLAYED[:2], background=background).html) == bool(
            progress
        )


def test_the_page_explains_the_words_of_its_result() -> None:
    path = replace(knockout(), format="match")
    sheet = Sheet((Column("bot", "name"), Column("score"), Column("Elo")), (("ann", "0-2", "-9"),))
    swiss = Outcome(format="swiss", verdict="x", sheets=(sheet,))
    pages = [
        render(PLAYED[:2], background=Background(outcome=one)).html for one in (path, swiss, None)
    ]
    for words, said in (("log-likelihood ratio (LLR)", 0), ("Sonneborn-Berger", 1)):
        assert [words in page for page in pages] == [at == said for at in range(3)]
    assert ">0-2<" in pages[1], "a score keeps its hyphen"
    assert ">−9<" in pages[1]
