"""What a tournament came to by the rules of its format: kept, told first, and in the report."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import bad_bots
import jsonschema
import pytest
from bad_bots import Good
from commands import arena as here
from hypothesis import given
from hypothesis import strategies as st
from results import a_config, a_result
from sample_records import HOSTILE_NAMES, bare, tournament
from schedules import a_schedule, by_strength, outcome, played

from lath.arena.directory import OUTCOME
from lath.arena.errors import ArenaError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.record import GamePlan
from lath.arena.schedule.core import Pair, Schedule
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.sprt import Sprt
from lath.arena.schedule.tuning.spsa import TunedOption, Tuning
from lath.arena.tournament.outcome.notes import outcome_in, write_outcome
from lath.arena.tournament.outcome.outcomes import outcome_of, schema
from lath.arena.tournament.run import folder as directory
from lath.arena.tournament.run.events import Event, PairEnded, Waiting
from lath.arena.tournament.run.progress import Progress
from lath.arena.tournament.store.store import Store
from lath.games.core import Result
from lath.notation.protocol import TimeControl
from lath.notation.text.writer import format_record
from lath.reports.checksums import checked_bytes
from lath.reports.counting.standings import compute
from lath.reports.event import export
from lath.reports.event.background import Background, completed
from lath.reports.notes.outcome import EventOutcome, Sheet, SheetColumn, from_json, to_json
from lath.reports.page.formats import bracket, swiss_sheet
from lath.reports.page.page import render

RESULTS = ("1-0", "0-1", "1/2-1/2")

FIVE = ("A", "B", "C", "D", "E")


def at_the_end(form: str, **terms: Any) -> Schedule:
    schedule = a_schedule(form, **terms)
    assert list(played(schedule, by_strength))
    return schedule


def rows(schedule: Schedule) -> dict[str, list[str]]:
    return {
        sheet.title: [" ".join(row).strip() for row in sheet.rows]
        for sheet in outcome(schedule).sheets
    }


def test_a_swiss_has_a_table_and_its_rounds_with_byes_and_walkovers() -> None:
    schedule = a_schedule("swiss", names=("A", "B", "C"), rounds=3)
    assert rows(schedule)["Round 1"] == ["A 0-0 B not over", "C 2 (bye)"]
    assert "Round 2" not in rows(schedule)
    assert list(played(schedule, by_strength))
    headings = [column.heading for column in outcome(schedule).sheets[0].columns]
    assert headings == ["#", "bot", "points", "byes", "Buchholz", "Sonneborn-Berger"]
    assert rows(schedule) == {
        "": ["1 A 6 1 9 9", "2 B 4 1 11 5", "3 C 2 1 12 2"],
        "Round 1": ["A 2-0 B", "C 2 (bye)"],
        "Round 2": ["A 2-0 C", "B 2 (bye)"],
        "Round 3": ["B 2-0 C", "A 2 (bye)"],
    }
    first = outcome(schedule).data["rounds"][0][0]
    assert first["bots"] == ("A", "B")
    assert (first["points"], first["firsts"]) == ((2, 0), (1, 0))
    assert (first["is_over"], first["walkovers"]) == (True, 0)
    schedule = a_schedule("swiss", names=("A", "B"), rounds=1)
    assert schedule.next() is not None
    schedule.walkover(1, "A")
    assert rows(schedule) == {"": ["1 B 2 0 0", "2 A 0 0 0"], "Round 1": ["A 0-2 B walkover"]}


def test_a_knockout_has_a_table_for_each_round_with_byes_and_who_goes_through() -> None:
    assert rows(a_schedule("knockout", names=FIVE[:3]))["Final"] == ["A - ?"]
    told = outcome(at_the_end("knockout", names=FIVE), "knockout")
    assert {
        sheet.title: [" ".join(row).strip() for row in sheet.rows] for sheet in told.sheets
    } == {
        "Quarter-finals": ["A bye - A", "D 2-0 E D", "B bye - B", "C bye - C"],
        "Semi-finals": ["A 2-0 D A", "B 2-0 C B"],
        "Final": ["A 2-0 B A"],
    }
    assert told.verdict == "Winner: A"
    # An outcome of before brackets has its tables.
    page = render([], background=Background(outcome=replace(told, data={}))).html
    assert "<caption>Semi-finals</caption>" in page
    assert 'class="bracket"' not in page


def test_a_knockout_is_drawn_with_who_goes_through_and_how() -> None:
    schedule = a_schedule("knockout", names=FIVE)
    drawn, met = [bracket(to_json(outcome(schedule)))], set[tuple[str, str]]()
    while (pair := schedule.next()) is not None:
        if pair.names == ("B", "C"):
            schedule.walkover(pair.number, "C")
            continue
        is_level = pair.names == ("B", "E") or pair.names not in {*met, ("D", "E")}
        for game in pair.games:
            decided = Result.FIRST_WON if game.names[0] == "E" else Result.SECOND_WON
            schedule.report(game.number, *game.names, Result.DRAWN if is_level else decided)
        met.add(pair.names)
    drawn.append(bracket(to_json(outcome(schedule))))
    assert [[_words(tie) for tie in each["ties"]] for each in drawn[0][1:]] == [
        ["A , ? ", "B 0, C 0"],
        ["? , ? "],
    ]
    assert {each["title"]: [_words(tie) for tie in each["ties"]] for each in drawn[1]} == {
        "Quarter-finals": ["A* bye", "D 0, E* 2", "B* bye", "C* bye"],
        "Semi-finals": ["A 1, E* 3: 1 tie-break", "B* 2, C 0: walkover"],
        "Final": ["E 6, B* 6: tied: better seed"],
    }
    page = render([], background=Background(outcome=outcome(schedule, "knockout"))).html
    assert page.count(" advances") == 7
    assert '<p class="champion"><bdi class="name">B</bdi></p>' in page


@given(
    size=st.tuples(st.integers(2, 11), st.integers(1, 5), st.integers(1, 2)),
    most=st.none() | st.integers(0, 12),
    benched=st.sets(st.integers(0, 10), max_size=3),
    seed=st.integers(0, 999),
)
def test_a_swiss_sheet_has_each_pairing_twice_and_adds_up_to_the_points(
    size: tuple[int, int, int], most: int | None, benched: set[int], seed: int
) -> None:
    """Also with odd numbers, byes, withdrawn bots, walkovers and games to come."""
    people, rounds, pairs = size
    names = tuple(f"bot {who}" for who in range(people))
    schedule = a_schedule("swiss", names=names, rounds=rounds, pairs=pairs)
    chance = random.Random(seed)
    for at, pair in enumerate(islice(_handed_out(schedule), most)):
        if at == people // 2 and people > 2:  # in the second round, some do not come
            for who in sorted(benched & {*range(people - 2)}):
                schedule.bench(names[who])
        if chance.random() < 0.1:
            schedule.walkover(pair.number, chance.choice(pair.names))
            continue
        for game in pair.games:
            schedule.report(game.number, *game.names, Result(chance.choice(RESULTS)))
    told = to_json(outcome(schedule, "swiss"))
    rows = swiss_sheet(told)
    assert [(row["name"], row["rank"]) for row in rows] == [
        (row["name"], row["rank"]) for row in told["data"]["swiss"]
    ]
    met = 0
    for row in rows:
        cells = [cell for cell in row["cells"] if cell]
        assert sum(_value(cell["points"]) for cell in cells) == row["points"]
        assert sum(cell["other"] is None for cell in cells) == row["byes"]
        for at, cell in enumerate(row["cells"]):
            if cell is None or cell["other"] is None:
                continue
            met += 1
            facing = rows[cell["place"] - 1]
            back = facing["cells"][at]
            assert (facing["name"], back["place"]) == (cell["other"], row["place"])
            assert (back["other"], back["remark"]) == (row["name"], cell["remark"])
            if cell["sides"] and not cell["remark"]:
                first, second = map(_value, cell["sides"])
                assert first + second == _value(cell["points"])
                assert (
                    first + _value(back["sides"][1]) == second + _value(back["sides"][0]) == pairs
                )
    assert met == 2 * sum(
        one["bots"][1] is not None for paired in told["data"]["rounds"] for one in paired
    )


def test_a_page_has_the_whole_sheet_and_no_link_to_games_that_nobody_played() -> None:
    schedule = a_schedule("swiss", names=FIVE, rounds=3)
    for at, pair in enumerate(_handed_out(schedule)):
        if at == 1:
            schedule.walkover(pair.number, pair.names[0])
            continue
        for game in pair.games:
            schedule.report(game.number, *game.names, Result.DRAWN)
    page = render([], background=Background(outcome=outcome(schedule, "swiss"))).html
    shown = page.partition('class="numbers swiss"')[2].partition("</table>")[0]
    assert shown.count("</tr>") == 1 + len(FIVE)
    assert shown.count("#games&amp;a=") == 2 * (3 * 2 - 1)
    assert (shown.count("walkover"), shown.count("bye</span>")) == (2, 3)
    assert "<small>½ + ½</small>" in shown


def _handed_out(schedule: Schedule) -> Iterator[Pair]:
    while (pair := schedule.next()) is not None:
        yield pair


def _value(words: str) -> float:
    return float(words.replace("½", ".5").replace("–", "0"))


@given(people=st.integers(2, 12), seed=st.integers(0, 999))
def test_the_winner_of_a_bracket_is_that_of_the_outcome(people: int, seed: int) -> None:
    schedule = a_schedule("knockout", names=tuple(f"bot {who}" for who in range(people)))
    for pair in _handed_out(schedule):
        for game in pair.games:
            result = random.Random(seed + game.number).choice(RESULTS)
            schedule.report(game.number, *game.names, Result(result))
    told = to_json(outcome(schedule, "knockout"))
    rounds = bracket(told)
    (final,) = rounds[-1]["ties"]
    (winner,) = [side["name"] for side in final["sides"] if side["through"]]
    assert winner == told["data"]["winner"]
    for earlier, later in pairwise(rounds):
        advanced = [s["name"] for tie in earlier["ties"] for s in tie["sides"] if s["through"]]
        assert advanced == [side["name"] for tie in later["ties"] for side in tie["sides"]]
    linked = [tie["games"] for each in rounds for tie in each["ties"] if tie["games"]]
    assert len(linked) == people - 1


def _words(tie: dict[str, Any]) -> str:
    sides = [f"{s['name'] or '?'}{'*' * s['through']} {s['points']}" for s in tie["sides"]]
    return ": ".join(filter(None, (", ".join(sides), tie["how"])))


def test_a_gauntlet_is_ranked_by_what_it_is_for() -> None:
    schedule = a_schedule("gauntlet", names=("A", "B", "C", "D"), rounds=6)
    games = [game for pair in played(schedule) for game in pair.games]
    won = {"B": "A", "C": "C", "D": "A"}

    def result(game: GamePlan) -> str:
        other = next(name for name in game.names if name != "A")
        if game.round > 3 and other == "D":
            return "1/2-1/2"
        return "1-0" if game.names[0] == won[other] else "0-1"

    records = [bare(*game.names, result(game), Number=str(game.number)) for game in games]
    told = completed(outcome(schedule, "gauntlet"), compute(records))
    first, against = told.sheets
    headings = [column.heading for column in first.columns]
    assert headings[:4] == ["#", "challenger", "score", "points"]
    assert [row[:5] for row in first.rows] == [("1", "A", "58.3%", "21", "36")]
    assert against.title == "A by opponent, worst score first"
    assert [row[:4] for row in against.rows] == [
        ("C", "0.0%", "0", "12"),
        ("D", "75.0%", "9", "12"),
        ("B", "100.0%", "12", "12"),
    ]
    (standing,) = told.data["gauntlet"]["standing"]
    assert [each["name"] for each in standing["opponents"]] == ["C", "D", "B"]
    least, middle, most = [each["elo"] for each in standing["opponents"]]
    assert least["high"] < middle["value"] < most["value"]
    assert middle["low"] < middle["value"] < middle["high"]
    assert against.rows[1][4].startswith(f"{round(middle['value']):+d} ±")
    assert completed(outcome(schedule, "gauntlet"), compute([])).sheets == ()


def test_a_match_with_a_test_has_its_numbers_while_it_runs_and_at_the_end() -> None:
    schedule = at_the_end("match", names=("ann", "bob"), rounds=100, sprt=Sprt(elo0=-50, elo1=50))
    told = rows(schedule)
    assert told[""][1:3] == ["H0 -50 Elo, logistic", "H1 50 Elo, logistic"]
    assert list(told)[1] == "Pairs by the points of ann"
    verdict = "ann is stronger than bob: 22 of 22 points (H1 accepted after 11 pairs)"
    assert outcome(schedule).verdict == verdict
    sprt = Sprt(elo0=0, elo1=5, model="normalized")
    schedule = a_schedule("match", names=("ann", "bob"), rounds=100, sprt=sprt)
    for number, result in enumerate(("1-0", "0-1", "1/2-1/2", "0-1"), 1):
        schedule.report(number, *(("ann", "bob") if number % 2 else ("bob", "ann")), Result(result))
    begins = ("Elo so far +", "95%, running test ", "normalized Elo so far +")
    assert all(map(str.startswith, rows(schedule)[""][3:6], begins))
    assert (
        "ann is not significantly different from bob: 3½ of 4 points" in outcome(schedule).verdict
    )
    data = outcome(schedule).data["sprt"]
    assert data["normalized"][0] > data["elo"] > 0
    assert not data["has_stopped"]


# Kept in a file


TEST: dict[str, Any] = {"names": ("A", "B"), "sprt": Sprt(elo0=0, elo1=200)}
TUNING = Tuning(parameters=(TunedOption(name="depth", low=1, high=9, start=3, step=1),), pairs=3)
TERMS: dict[str, dict[str, Any]] = {"match": TEST, "tune": {**TEST, "tuning": TUNING}}


def an_outcome(form: str = "swiss") -> EventOutcome:
    schedule = at_the_end(form, **{"names": FIVE, "rounds": 3, **TERMS.get(form, {})})
    return outcome_of(schedule.standing(), form, event="Tournament", done=8, total=8)


def test_an_outcome_keeps_its_schema_and_is_read_back(tmp_path: Path) -> None:
    keys = set[str]()
    for form in FORMATS:
        outcome = an_outcome(form)
        keys |= outcome.data.keys()
        write_outcome(tmp_path, outcome)
        content = (tmp_path / OUTCOME).read_bytes()
        jsonschema.validate(json.loads(content), schema())
        told = checked_bytes(content).value
        assert from_json(told) == from_json(json.loads(json.dumps(to_json(outcome))))
        assert from_json(told).sheets == outcome.sheets
    assert keys == schema()["properties"]["data"]["properties"].keys()


def test_what_is_no_outcome_is_refused_in_one_line() -> None:
    sound = to_json(EventOutcome(format="swiss"))
    sheet = {"title": "", "columns": [], "rows": []}
    column = {**sheet, "columns": [{"heading": "#", "kind": "x"}]}
    wrong: list[object] = [None, [], {}, {"version": 2}, {**sound, "words": None}]
    for told in (*wrong, {**sound, "done": -1}, {**sound, "sheets": [sheet]}):
        with pytest.raises(ValueError, match=r"outcome|sheet|column"):
            from_json(told)
    place = r"^not a valid event outcome: sheets\.0\.columns\.0\.kind: [^\n]+$"
    with pytest.raises(ValueError, match=place):
        from_json({**sound, "sheets": [column]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament's directory with an outcome that no rating would give: B is last."""
    ended = {"Termination": "resignation"}
    records = [bare("B", "A", "1-0", **ended), bare("A", "B", "0-1", **ended)]
    (tmp_path / "games.lath").write_text("\n".join(map(format_record, records)))
    write_outcome(tmp_path, an_outcome())
    return tmp_path


def test_the_result_of_a_directory_comes_first_in_table_json_and_report(folder: Path) -> None:
    told = here("rate", folder).out.splitlines()
    assert told.index("Result: swiss") < told.index("Ratings")
    assert told[told.index("Result: swiss") + 2].split()[:3] == ["1", "A", "6"]
    data = json.loads(here("rate", "--json", folder).out)
    jsonschema.validate(data, export.schema())
    assert data["outcome"] == checked_bytes((folder / OUTCOME).read_bytes()).value
    page = folder / "page.html"
    assert here("report", folder, "-o", page).status == 0
    html = page.read_text(encoding="utf-8")
    assert 0 < html.index('<section id="result"') < html.index('id="standings"')
    # Several sources have no result in common.
    assert "Result" not in here("rate", folder, folder / "games.lath").out
    assert outcome_in([folder / "games.lath"]) is None
    for text in ("{", "[" * 100_000):
        (folder / OUTCOME).write_text(text)
        with pytest.raises(ArenaError, match=r"outcome\.json: damaged"):
            outcome_in([folder])


def test_a_damaged_record_of_a_database_is_named(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.add([a_result(1), a_result(2, record='[Game "yava')])
    ran = here("rate", tmp_path)
    assert ran.status == 1
    place = f"{tmp_path / 'tournament.db'}: damaged: game 2: its record is damaged: "
    assert f"{place}'the value is never closed'; 1 game is valid" in ran.err


def test_a_page_without_an_outcome_has_none_and_a_hostile_one_is_only_text() -> None:
    records = tournament(("ann", "bob"), 1, game_ids=("yavalath",))
    page = render(records)
    assert page == render(
        records, background=Background(outcome=EventOutcome(format="round-robin"))
    )
    assert 'id="result"' not in page.html
    sheet = Sheet((SheetColumn("<b>", "name"),), tuple((name,) for name in HOSTILE_NAMES), "<i>")
    outcome = EventOutcome(format="<u>", sheets=(sheet,), verdict="<script>")
    html = render([], background=Background(outcome=outcome)).html
    assert [tag for tag in ("<b>", "<i>", "<u>") if tag in html] == []
    assert "&lt;script&gt;" in html


# In a run


class StopsSoon(Progress):
    """Presses Ctrl-C when the first game is stored."""

    def __call__(self, event: Event | Waiting) -> None:
        super().__call__(event)
        if isinstance(event, PairEnded):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.slow
def test_a_run_keeps_its_result_or_how_it_stands(tmp_path: Path) -> None:
    command = bad_bots.command(Good)
    config = a_config(
        format="swiss",
        rounds=1,
        limits=Limits(time=TimeControl(move_ms=5000), startup_s=5.0),
        bots=tuple(BotSpec(name=name, command=command) for name in ("ann", "bob", "cat")),
        as_written={"event": "Autumn"},
    )
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    summary = directory.run(config, whole, Progress(config))
    kept = outcome_in([whole])
    assert kept is not None
    assert (kept.format, kept.done, kept.total) == ("swiss", 2, 2)
    assert kept.words == summary.outcome.words
    assert {row[1] for row in kept.sheets[0].rows} == {"ann", "bob", "cat"}, "cat had a bye"
    assert "Result: swiss" in (whole / "report.html").read_text(encoding="utf-8")
    longer = replace(config, pairs=50)
    assert directory.run(longer, stopped, StopsSoon(longer)).interrupted
    kept = outcome_in([stopped])
    assert kept is not None
    assert kept.heading == f"Result so far: swiss, {kept.done} of 100 games"
    assert 0 < kept.done < 100
