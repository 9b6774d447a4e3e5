"""A tournament is seen while it is played, whoever started it, and can be started and stopped."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results import a_config
from sample_records import HOSTILE_NAMES, bare
from schedules import a_schedule, outcome, played
from sites import Served, a_long_cup, served

from lath.arena.referee.record import GamePlan, Scorebook
from lath.arena.site.rendering import sheet_of
from lath.arena.site.runs import Runs
from lath.arena.site.shelf import Item, Shelf
from lath.arena.site.standing import SiteStandings
from lath.arena.site.watching import _Seen
from lath.arena.tournament.outcome.notes import event_in, write_outcome
from lath.arena.tournament.run.events import Waiting
from lath.arena.tournament.run.live import LIVE, glimpses_in, shown, status_in
from lath.arena.tournament.run.progress import Progress
from lath.arena.tournament.run.worker import BURST, LiveBoard
from lath.games.core import Move, Side
from lath.notation.protocol import TimeControl
from lath.notation.text.writer import format_record
from lath.reports.counting.scale import Scale
from lath.reports.counting.standings import compute
from lath.reports.event.background import Background
from lath.reports.event.export import to_json
from lath.reports.notes.outcome import UNNAMED, EventOutcome
from lath.reports.notes.outcome import to_json as to_json_of
from lath.reports.page.index import Collector
from lath.reports.page.page import render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from sites import Guest

pytestmark = pytest.mark.slow

CUP = """
event = "Cup of the site"
games = ["yavalath:size=3"]
rounds = 2
openings = "random:0"
[time]
initial = "60s"
[[bot]]
name = "random"
[[bot]]
name = "greedy"
"""

PATIENT = """
import time
from pathlib import Path

from lath.bots.sdk import run

SEEN = Path(__file__).with_name("seen")
moves = iter(range(1_000))


def choose(position, turn):
    while next(moves) and not SEEN.exists():
        time.sleep(0.01)
    return turn.chance.choice(position.legal_moves())


run(choose, name="Patient")
"""
"""A bot that makes one move, and the others when somebody has seen it."""


SEEN: Final = """
is => {
  Object.defineProperty(document, "hidden", {value: is, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
}
"""
"""It makes a page hidden, as in a tab behind another one, or shows it again."""


def a_book(*moves: str, number: int = 7) -> Scorebook:
    plan = GamePlan(
        number=number, round=1, game="yavalath", setup=None, names=("ann", "bob"), seeds=(1, 1)
    )
    book = Scorebook(plan, (TimeControl(), TimeControl()))
    for ply, move in enumerate(moves):
        book.add(Move(move), Side(ply % 2), 0.1, 9.5 - ply, {"eval": f"0.{ply}"})
    return book


def test_a_worker_shows_its_game_some_times_at_once_and_then_not_too_often(tmp_path: Path) -> None:
    live = tmp_path / LIVE
    live.mkdir()
    board, book = LiveBoard(str(live)), a_book()
    for ply in range(BURST + 40):
        book.add(Move(f"m{ply}"), Side(ply % 2))
        board(book)
        assert board.due_s <= time.monotonic() or ply >= BURST - 1
    (file,) = live.iterdir()
    (seen,) = glimpses_in(tmp_path).values()
    assert BURST <= len(seen["moves"]) < BURST + 40
    board = LiveBoard(str(tmp_path / "gone"))
    board(book)  # a folder that cannot be written is no matter
    whole = file.read_bytes()
    board = LiveBoard(str(live))
    board(a_book("e5"))
    (shorter,) = glimpses_in(tmp_path).values()
    assert shorter["moves"] == ["e5"]  # what stands behind it is of longer games
    file.unlink()  # a run that is over takes it away, and the next one may be in this process
    board(a_book("e5"))
    assert glimpses_in(tmp_path) == {file.stem: shorter}
    for wrong in (file.read_bytes()[:9] + whole[9:], whole[:100], b"", b"no sum {}\n"):
        file.write_bytes(wrong)
        assert glimpses_in(tmp_path) == {}


def test_a_run_shows_how_it_stands_and_takes_that_away(tmp_path: Path) -> None:
    progress = Progress(a_config())
    (tmp_path / LIVE).mkdir()
    (tmp_path / LIVE / "1.json").write_text("{}")  # of a run that was killed
    with shown(tmp_path, progress):
        assert glimpses_in(tmp_path) == {}
        LiveBoard(str(tmp_path / LIVE))(a_book("e5", "d4"))
        progress(Waiting(total=12, outcome=progress.outcome))
        status = status_in(tmp_path)
        assert status is not None
        assert (status["done"], status["total"]) == (0, 12)
        (seen,) = glimpses_in(tmp_path).values()
        assert (seen["moves"], seen["left_s"]) == (["e5", "d4"], [9.5, 8.5])
        assert seen["evals"] == ["0.0", "0.1"]
    assert list(tmp_path.iterdir()) == []
    assert progress.listeners == []


def test_a_board_follows_its_game_and_bears_what_is_no_game() -> None:
    seen = _Seen()
    board = seen.follow(a_book("e5", "d4", "e4", "a1", "e3").glimpse())
    assert board is not None
    assert (board["recent"][-1], board["winner"]) == ("e3", 1)
    assert (board["is_over"], board["is_loss"]) == (True, True)
    assert len(board["deciding"]) == 3
    history = seen.history()
    assert history["moves"] == ["e5", "d4", "e4", "a1", "e3"]
    assert history["values"] == [0.0, -0.1, 0.2, -0.3, 0.4]  # as the first player sees them
    assert [sum(map(bool, each["stacks"])) for each in history["boards"]] == [0, 1, 2, 3, 4, 5]
    assert (history["from"], board["value"]) == (0, 0.4)
    other = seen.follow(a_book("a1", number=8).glimpse())
    assert other is not None
    assert (other["ply"], other["is_over"], sum(map(bool, other["stacks"]))) == (1, False, 1)
    for wrong in ({"moves": ["z9"]}, {"game": "chess"}, {"position": "rubbish"}, {"moves": [[1]]}):
        assert seen.follow({**a_book("e5", number=9).glimpse(), **wrong}) is None


def test_what_is_served_is_found_below_folders_and_has_no_path_in_its_key(tmp_path: Path) -> None:
    for name in ("a/cup", "b/cup"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "games.lath").touch()
    (tmp_path / "Old & new.lath.gz").touch()
    items = Shelf([tmp_path]).items()
    assert [item.name for item in items] == ["a/cup", "b/cup", "Old & new.lath.gz"]
    assert len({item.key for item in items}) == 3
    assert all(set(item.key) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for item in items)


WON, LOST, DRAWN = (bare("ann", "bob", result) for result in ("1-0", "0-1", "1/2-1/2"))


def test_a_site_names_who_leads_alone(tmp_path: Path) -> None:
    """Equals lead together, and bots that never met lead nobody; who has won all is listed, too."""
    for games, leader in (
        ([WON, WON], "ann"),
        ([WON, LOST, DRAWN], ""),
        ([WON, bare("x", "y", "1-0")], ""),
    ):
        told = to_json(compute(games))
        (tmp_path / "standings.json").write_text(json.dumps(told))
        standings = SiteStandings(is_public=True, is_ours=lambda _: False)
        line = standings.line(Item(key="cup", name="cup", path=tmp_path, kind="tournament"))
        assert line["leader"] == leader
        rows = standings.of(tmp_path)["standings"]
        assert [row["name"] for row in rows] == [row["name"] for row in told["overall"]["rows"]]


def test_a_tournament_has_one_title_on_all_pages(tmp_path: Path) -> None:
    """Without an event it is the name of the folder; a public site tells no plans."""
    folder = tmp_path / "autumn" / "cup"
    folder.mkdir(parents=True)
    item = Item(key="cup", name="autumn/cup", path=folder, kind="tournament")
    for event, title in (("Night", "Night"), (UNNAMED, "cup"), ("", "cup")):
        (folder / "tournament.toml").write_text(f'event = "{event}"')
        for is_public, expected in ((False, title), (True, "cup")):
            site = SiteStandings(is_public=is_public, is_ours=lambda _: False)
            assert site.line(item)["title"] == expected
        assert (event_in([folder], [event]) or event) == title
        collector = Collector()
        collector.add("cup", outcome=EventOutcome(format="swiss", event=event))
        assert [one["title"] for one in collector.document()["tournaments"]] == [title]


def test_groups_of_a_site_are_those_of_the_table_unless_its_format_ranks_all(
    tmp_path: Path,
) -> None:
    told = to_json(compute([WON, bare("x", "y", "1-0")]))
    for rule, groups in (("rating", [1, 1, 2, 2]), ("swiss", [1, 1, 1, 1])):
        told["overall"]["rule"] = rule
        (tmp_path / "standings.json").write_text(json.dumps(told))
        rows = SiteStandings(is_public=True, is_ours=lambda _: False).of(tmp_path)["standings"]
        assert [row["group"] for row in rows] == groups


def so_far(form: str, most: int, names: tuple[str, ...] = HOSTILE_NAMES[:5]) -> EventOutcome:
    """Return the outcome of a tournament after so many pairs of games."""
    schedule = a_schedule(form, names=names)
    for _ in islice(played(schedule), most):
        pass
    return replace(outcome(schedule, form), event="Cup")


@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_a_sheet_and_a_bracket_are_drawn_as_in_the_report(form: str) -> None:
    for most in (0, 3, 99):
        told = so_far(form, most)
        page = render([], background=Background(outcome=told)).html
        drawn = sheet_of({"format": to_json_of(told)["data"]}, "cup-1")
        heading, _, rest = drawn.partition("</h2>")
        assert heading.strip() in ("<h2>Rounds", "<h2>Bracket")
        assert rest.replace("../report/cup-1#", "#").strip() in page
        assert ("../report/cup-1#games" in drawn) is (most > 0)


ODD: Final[tuple[Any, ...]] = (None, [], {}, "<i>", 1e999, -1, float("nan"), "\ud800", [None] * 2)


@given(data=st.data(), form=st.sampled_from(("swiss", "knockout")))
def test_no_damage_to_an_outcome_breaks_a_page(data: st.DataObject, form: str) -> None:
    told = to_json_of(so_far(form, 4))["data"]
    value: Any = told
    odd = st.sampled_from(ODD)
    while True:
        key = data.draw(
            st.sampled_from(list(value) if isinstance(value, dict) else range(len(value)))
        )
        if not (isinstance(value[key], dict | list) and value[key]) or data.draw(st.booleans()):
            value[key] = data.draw(odd)
            break
        value = value[key]
    drawn = sheet_of({"format": told}, "cup")
    assert "<i>" not in drawn
    drawn.encode()


FINAL: Final[dict[str, Any]] = {
    "bots": ["ann", "bob"],
    "points": [2, 0],
    "winner": "ann",
    "how": "",
}

ENDS: Final[dict[str, tuple[str, Mapping[str, Any]]]] = {
    "round-robin": ("ann won with 2 of 2 points", {}),
    "swiss": (
        "ann won with 2 points, ahead of bob.",
        {"swiss": [{"rank": i + 1, "name": FINAL["bots"][i], "points": 2 - 2 * i} for i in (0, 1)]},
    ),
    "knockout": (
        "ann won the knockout, the final against bob by 2 to 0.",
        {"winner": "ann", "bracket": [{"ties": [{**FINAL, "is_bye": False, "by_seed": False}]}]},
    ),
    "gauntlet": (
        "ann scored 100.0% of the points against 1 bot",
        {"gauntlet": {"challengers": ["ann"], "opponents": ["bob"]}},
    ),
    "match": ("ann is stronger than bob", {"sprt": {}}),
    "ladder": ("ann is stronger than bob", {}),
    "pool": ("ann won with 2 of 2 points", {}),
}
"""How the end of each format begins, and what its outcome has."""


@pytest.mark.parametrize("form", ENDS)
def test_the_end_names_the_winner_in_each_format(tmp_path: Path, form: str) -> None:
    words, data = ENDS[form]
    verdict = words if "stronger" in words else ""
    outcome = EventOutcome(format=form, done=2, total=2, data=data, verdict=verdict)
    table = to_json(compute([WON, WON], Scale(outcome=outcome)))
    (tmp_path / "standings.json").write_text(json.dumps(table))
    write_outcome(tmp_path, outcome)
    standing = SiteStandings(is_public=True, is_ours=lambda _: False).of(tmp_path)
    told = "".join(text for text, _ in standing["result"])
    assert told.lower().startswith(words)
    assert standing["winner"] in ("ann", "")


def until(news: Iterator[Any], part: str, **values: object) -> Any:
    """Return the first of the parts that has these values."""
    return next(
        one
        for one in news
        if one["part"] == part and all(one.get(name) == value for name, value in values.items())
    )


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/patient.py").write_text(PATIENT)
    (tmp_path / "cup.toml").write_text(
        CUP + f'[[bot]]\nname = "patient"\ncommand = ["python", "{tmp_path}/bot/patient.py"]\n'
    )
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    with served(tmp_path) as running:
        yield running


SHIFTS: Final = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value;
}).observe({type: "layout-shift", buffered: true});
"""
"""It adds up how far what is seen moves without being asked to."""

MOST_SHIFTED: Final = 0.05


def test_a_tournament_is_started_from_its_page_and_seen_there_to_its_end(
    site: Served, guest: Guest, tmp_path: Path
) -> None:
    key = site.key("cup")
    early = site.post(f"/t/{key}/stop", {})
    assert (early.status, early.value) == (409, {"error": "the tournament is not running"})
    visit = guest(site, f"/t/{key}")
    page = visit.page
    page.add_init_script(SHIFTS)
    page.reload()
    assert page.locator("#standings tr").count() == 3  # the bots are known before they play
    page.wait_for_selector("#start:visible")
    planned = "Not started: 3 bots, 12 games · round-robin · Yavalath"
    assert page.inner_text("#state").startswith(planned)
    assert page.inner_text("h1") == "Cup of the site"
    page.click("#start")
    page.wait_for_selector("#boards .player .clock")
    shown = page.locator("#boards .live-board")
    names = shown.locator(".player .name").all_inner_texts()
    assert len({*names}) == 2
    assert {*names} < {"random", "greedy", "patient"}
    assert all(":" in clock for clock in shown.locator(".player .clock").all_inner_texts())
    assert shown.locator(".eval-bar[aria-label]").count() == 1
    (tmp_path / "bot/seen").touch()
    page.wait_for_selector("#state:has-text('Finished: 12 games')")
    page.wait_for_selector("#boards-title:has-text('Final boards')")
    for _ in range(2):  # as it ended, and as it is opened later
        page.wait_for_selector("#winner:has-text('greedy won with')")
        page.wait_for_selector("#boards .told a")
        assert page.locator("#boards .live-board").count() == 1  # one game was played at a time
        assert page.locator("#recent li a").count() == 12
        points = page.locator("#standings .points:visible").all_inner_texts()
        assert sum(float(told.replace("½", ".5")) for told in points) == 12
        assert page.locator("#live:visible, #start:visible, #lost:has-text('not')").count() == 0
        assert page.evaluate("window.shifted") <= MOST_SHIFTED
        page.reload()
        page.wait_for_selector(".live-board svg.board")
    assert page.inner_text("h1") == "Cup of the site"
    assert page.locator("#standings tr").count() == 3
    watcher = site.site.watchers[key]
    for is_hidden in (True, False):  # as in a tab behind another one
        page.evaluate(SEEN, is_hidden)
        while watcher.spectators != (0 if is_hidden else 1):
            page.wait_for_timeout(20)
    page.click("#boards .told a")
    page.wait_for_selector("#rows tr")
    assert "Cup of the site" in page.inner_text("h1")
    visit.await_game(12)


def test_a_board_is_enlarged_and_steps_back_while_its_game_goes_on(
    guest: Guest, tmp_path: Path
) -> None:
    with served(a_long_cup(tmp_path)) as site:
        key = site.key("long")
        assert site.post(f"/t/{key}/start", {}).status == 200
        page = guest(site, f"/t/{key}").page
        page.wait_for_selector("#boards .enlarge:visible").press("Enter")
        page.wait_for_selector("#plies button >> nth=2")
        page.keyboard.press("Home")
        page.wait_for_selector("#at:text-matches('^0 of')")
        title = page.inner_text("#large-title")
        assert page.locator("#plies [aria-current]").count() == 0
        stones = page.locator("#large .stacks > g > *")
        assert stones.count() == 0
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("#at:text-matches('^1 of')")
        assert page.locator("#plies [aria-current]").all_inner_texts()[0].startswith("1. ")
        news = site.news(f"/t/{key}/events")
        number = until(news, "board")["number"]
        while until(news, "board")["number"] < number + 2:  # the game has ended
            pass
        news.close()
        assert (page.inner_text("#large-title"), stones.count()) == (title, 1)
        page.click("#again:has-text('Back to live')")
        page.wait_for_function(
            "old => document.getElementById('large-title').textContent !== old", arg=title
        )
        assert page.get_attribute("#again", "aria-disabled") == "true"
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.className") == "enlarge"
        page.click("#recent a >> nth=-1")  # also while others are played
        page.wait_for_selector("#rows tr")
        page.go_back()
        page.wait_for_selector("#state:has-text('Running: ')")
        assert site.post(f"/t/{key}/stop", {}).status == 200
        page.wait_for_selector("#state:has-text('Stopped at ')")
        page.wait_for_selector("#outcome:has-text('return game was missing will be played again')")
        page.wait_for_selector("#boards-title:has-text('Last boards')")
        stopped = page.inner_text("#state").partition(" · ")[0]
        while site.get("/api/items")[0]["state"] != stopped:  # the list is kept for a moment
            time.sleep(0.1)


def test_an_interval_holds_its_estimate_or_says_that_it_has_no_bound(
    site: Served, guest: Guest
) -> None:
    page = guest(site, "/").page
    bodies: list[str] = []
    page.route(
        "**/events", lambda route: route.fulfill(content_type="text/event-stream", body=bodies[-1])
    )
    for value, low, high, ends in (
        (603, 397, None, "at least 397"),
        (-603, None, -397, "at most −397"),
        (None, None, None, "unbounded"),
        (0, -9, 9, "−9 to 9"),
        (-1023, -1242, -804, "−1242 to −804"),
    ):
        elo = {"value": value, "low": low, "high": high}
        test = {
            "elo": value,
            "elo_low": low,
            "elo_high": high,
            "bounds": [-2.94, 2.94],
            "llr": 2.96,
        }
        row = {"name": "ann", "games": 2, "points": 2, "score": 1, "elo": elo, "rank": 1}
        rows = [row, {**row, "name": "bob"}]
        status = {"is_playing": True, "done": 2, "format": {"sprt": test}, "standings": rows}
        bodies.append(f"data: {json.dumps([{'part': 'status', **status}])}\n\n")
        page.goto(f"{site.address}{site.site.root}/t/{site.key('cup')}")
        page.wait_for_selector("#standings tr")
        word = "unbounded" if value is None else f"{value}".replace("-", "−")
        assert page.inner_text("#sprt p").endswith(f"Elo {word} ({ends})")
        assert page.text_content("#standings .elo >> nth=0") == f"{word} ({ends})"
        assert page.inner_text("#outcome") == "Leaders: ann and bob"
        cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
        assert page.locator(".places th, .places td").evaluate_all(cut) == 0


def test_a_sheet_that_grows_keeps_its_place_and_the_focus_and_groups_stand_apart(
    tmp_path: Path, guest: Guest
) -> None:
    folder = tmp_path / "cup"
    folder.mkdir()
    names = ("ann", "bob", "cat", "dan", "eve")
    (folder / "games.lath").write_text(format_record(WON))
    (folder / "standings.json").write_text(
        json.dumps(to_json(compute([WON, bare("x", "y", "1-0")])))
    )
    write_outcome(folder, so_far("swiss", 2, names))
    with served(tmp_path) as site:
        page = guest(site, f"/t/{site.key('cup')}").page
        page.set_viewport_size({"width": 360, "height": 700})
        page.wait_for_selector("#standings .group")
        groups = page.locator("#standings .group").all_inner_texts()
        assert groups == [f"Group {number}: no games against the others" for number in (1, 2)]
        assert page.locator("#standings .group").first.bounding_box()["height"] < 60
        page.locator("#sheet a").nth(1).focus()
        page.evaluate("document.querySelector('#sheet .scroll').scrollLeft = 40")
        write_outcome(folder, so_far("swiss", 99, names))
        page.wait_for_selector("#sheet th:has-text('Round 3')", state="attached")
        now = "document.activeElement === document.querySelectorAll('#sheet a')[1]"
        assert page.evaluate(f"[{now}, document.querySelector('#sheet .scroll').scrollLeft]") == [
            True,
            40,
        ]
        heads = page.locator("#sheet tbody th").evaluate_all(
            "(all) => all.map((one) => one.getBoundingClientRect().left)"
        )
        assert min(heads) >= 0  # the names stay in sight
        page.locator("#sheet a").first.click()
        page.wait_for_url("**/report/*#games&a=eve&b=*")


def test_orders_are_offered_that_can_work(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    old = Item(key="old", name="old", path=tmp_path / "old", kind="tournament")
    new = replace(old, config=tmp_path / "new.toml")
    for item, is_playing, done, total, can_start in (
        (new, False, 0, 0, True),
        (new, False, 3, 4, True),
        (new, False, 4, 4, False),
        (new, True, 3, 4, False),
        (old, False, 0, 0, False),
    ):
        view = Runs().view(item, {"is_playing": is_playing, "done": done, "total": total})
        assert (view["can_start"], view["can_stop"]) == (can_start, False)


def test_a_folder_with_a_configuration_is_listed_and_played_in_place(
    guest: Guest, tmp_path: Path
) -> None:
    (tmp_path / "cup").mkdir()
    (tmp_path / "cup/tournament.toml").write_text(CUP)
    with served(tmp_path) as site:
        visit = guest(site, "/")
        assert visit.page.inner_text(".cards h3") == "Cup of the site"
        assert visit.page.locator(".cards .aside").count() == 0  # nothing is played
        visit.page.click(".cards h3 a")
        visit.page.wait_for_selector("#start:visible")
        assert visit.page.title() == "Cup of the site - Lath Arena"
        assert visit.page.inner_text("#state") == (
            "Not started: 2 bots, 4 games · round-robin · Yavalath (size 3)"
        )
        assert visit.page.locator("#report:visible").count() == 0
        visit.page.click("#start")
        visit.page.wait_for_selector("#winner:has-text('greedy won with')")
        assert visit.page.locator("#report:visible").count() == 1
        assert [item.path for item in Shelf([tmp_path]).items()] == [tmp_path / "cup"]


def test_a_game_of_a_file_is_named_without_the_folders_of_the_machine(tmp_path: Path) -> None:
    rules = 'games = ["/home/ada/rules/mygame.py:size=4", "yavalath"]\n'
    (tmp_path / "next.toml").write_text(f'{rules}[[bot]]\nname = "random"\n')
    for is_public in (False, True):
        with served(tmp_path, is_public=is_public) as site:
            text = site.ask(f"/t/{site.key('next')}", **site.cookie).text
            (line,) = site.get("/api/items")
            assert line["types"] == ("" if is_public else "mygame.py:size=4, Yavalath")
            assert "/home/ada" not in f"{line}{text}"


def test_nothing_is_called_live_while_the_site_does_not_answer(
    guest: Guest, tmp_path: Path
) -> None:
    with served(a_long_cup(tmp_path)) as site:
        key = site.key("long")
        assert site.post(f"/t/{key}/start", {}).status == 200
        for path, asked in ((f"/t/{key}", "**/events"), ("/", "**/api/items")):
            visit = guest(site, path)
            visit.page.wait_for_selector(".live:visible")
            visit.page.route(asked, lambda route: route.fulfill(status=503))
            for is_hidden in (True, False):
                visit.page.evaluate(SEEN, is_hidden)
            visit.page.wait_for_selector("#lost:has-text('does not answer')")
            assert visit.page.locator(".live:visible").count() == 0
            visit.page.unroute(asked)
            visit.page.wait_for_selector(".live:visible")
            assert visit.page.inner_text("#lost") == ""
            visit.complaints.clear()  # a browser's console shows the refusals
        assert site.post(f"/t/{key}/stop", {}).status == 200


def test_a_run_is_stopped_by_the_site_that_started_it_alone(tmp_path: Path) -> None:
    folder = a_long_cup(tmp_path)
    with served(folder) as site, served(folder) as other:
        key = site.key("long")
        assert site.post(f"/t/{key}/start", {}).status == 200
        news = other.news(f"/t/{key}/events")
        assert until(news, "board")["game"] == "yavalath:size=3"
        while not (until(news, "status", is_playing=True, total=100_000)["done"]):
            pass
        answer = other.post(f"/t/{key}/stop", {})
        assert answer.value == {
            "error": "the tournament was started in another terminal. Stop it there with Ctrl-C"
        }
        assert site.post(f"/t/{key}/start", {}).value == {
            "error": "the tournament is already running"
        }
        assert site.post(f"/t/{key}/stop", {}).status == 200
        stopped = until(news, "status", is_playing=False, total=100_000)
        assert 0 < stopped["done"] < 100_000
        news.close()
