"""Seasons of a league: each starts at zero, and has match days that are played one by one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from commands import arena
from quick_runs import play_nothing

from lath.arena.tournament.outcome.sources import background_of
from lath.arena.tournament.run.plan import schema
from lath.arena.tournament.store.database import read_games
from lath.arena.tournament.store.rows import result_of

if TYPE_CHECKING:
    from golden import Golden

BOTS = ("ann", "bob", "cat", "dan")
ADDED = [word for name in BOTS for word in ("--add", f"{name}=random")]
LEAGUE = Path("league")


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)


def begin(*more: object) -> None:
    words = ("--game", "yavalath", "--tc", "move 1", "--rounds", 2, "-q", "--no-report")
    ran = arena("run", LEAGUE, *ADDED, *words, *more)
    assert ran.status == 0, ran.err


def run(*words: object) -> str:
    ran = arena("run", LEAGUE, *words, "-q", "--no-report")
    assert ran.status == 0, ran.err
    return ran.err


def met(after: int = 0) -> Counter[frozenset[str]]:
    """Return how often each two have met after a game."""
    games = map(result_of, read_games(LEAGUE))
    return Counter(frozenset((one.first, one.second)) for one in games if one.number > after)


def test_a_season_goes_on_until_there_is_a_new_one() -> None:
    begin("--season", "Spring 2027")
    run("--season", "Spring 2027")
    run()
    assert set(met().values()) == {4}
    run("--season", "Autumn 2027")
    assert set(met().values()) == {8}, "every pairing is wanted anew"


def test_on_each_day_the_ranks_are_those_of_the_season() -> None:
    begin("--season", "Spring 2027", "--match-day")
    for _ in range(3):
        told = json.loads(arena("rate", LEAGUE, "--json").out)
        rows = [(row["rank"], row["name"], row["points"]) for row in told["overall"]["rows"]]
        season = [(row["rank"], row["name"], row["points"]) for row in told["season"]["table"]]
        assert (told["overall"]["rule"], rows) == ("season", season)
        run("--match-day")


def test_a_match_day_is_one_game_day_of_each_entry() -> None:
    begin("--season", "Spring 2027", "--match-day")
    seen = met()
    for day in (2, 3):
        assert len(seen) == 2 * (day - 1)
        before = max(one.number for one in map(result_of, read_games(LEAGUE)))
        run("--match-day")
        assert set(met(before).values()) == {4}
        assert sorted(name for pairing in met(before) for name in pairing) == [*BOTS]
        seen = met()
    assert len(seen) == 6
    run("--match-day")
    assert met() == seen, "the season has no further match day"
    run("--season", "Autumn 2027", "--match-day")
    assert sum(met().values()) == 24 + 8


def test_a_match_day_that_was_broken_off_is_completed_before_the_next_one() -> None:
    begin("--season", "Spring 2027", "--match-day", "--budget", 3)
    assert sum(met().values()) < 8
    run("--match-day")
    assert (len(met()), set(met().values())) == (2, {4})
    run("--match-day")
    assert len(met()) == 4


def test_an_edited_bot_plays_on_for_its_entry_and_a_newcomer_meets_all() -> None:
    Path("net").write_text("one")
    text = 'name = "ann"\n'
    begin("--season", "Spring 2027", "--match-day")
    toml = LEAGUE / "tournament.toml"
    toml.write_text(toml.read_text().replace(text, f"{text}options = {{ level = 2 }}\n"))
    run("--match-day", "--add", "eve=random")
    run()
    entry = {"ann v2": "ann"}
    games = [result_of(row) for row in read_games(LEAGUE)]
    assert "ann v2" in {one.first for one in games}
    seats = Counter((entry.get(g.first, g.first), entry.get(g.second, g.second)) for g in games)
    assert len(seats) == 20
    assert set(seats.values()) == {2}
    run("--retire", "bob")
    assert len([*read_games(LEAGUE)]) == len(games)


REFUSED = (
    ("--season", "Spring 2027"),
    ("--season", " "),
    ("--match-day", "--format", "swiss"),
    ("--snapshot", "x", "--match-day"),
)

WRONG = (
    *('match_days = ["2026-12-32"]', 'match_days = ["2026-12-05", "2026-12-01"]'),
    *("match_days = [2026-12-05]", "legs = 3", "legs = 0"),
)


def test_what_cannot_be_is_refused_and_plays_nothing(golden: Golden) -> None:
    begin()
    said = {"no season": arena("run", LEAGUE, "--match-day").err}
    run("--season", "Spring 2027")
    toml = LEAGUE / "tournament.toml"
    text = toml.read_text()
    for lines in WRONG:
        toml.write_text(text.replace("[season]", f"[season]\n{lines}"))
        ran = arena("run", LEAGUE)
        assert ran.status == 2
        said[lines] = ran.err
    toml.write_text(text)
    run("--season", "Autumn 2027")
    games = [*read_games(LEAGUE)]
    for words in REFUSED:
        ran = arena("run", LEAGUE, *words)
        assert ran.status == 2
        said[" ".join(words)] = ran.err
    assert [*read_games(LEAGUE)] == games
    golden(said)


def test_dates_of_a_season_are_not_those_of_the_next() -> None:
    begin("--season", "Spring 2027", "--match-day")
    toml = LEAGUE / "tournament.toml"
    dates = 'match_days = ["2027-03-05", "2027-03-12"]\nlegs = 2'
    toml.write_text(toml.read_text().replace("[season]", f"[season]\n{dates}"))
    run("--match-day")
    assert "2027-03-12" in toml.read_text()
    run("--season", "Autumn 2027", "--match-day")
    assert "2027-03-12" not in toml.read_text()
    assert "legs = 2" in toml.read_text()


def test_who_plays_whom_is_known_beforehand_and_planned_days_have_dates() -> None:
    begin("--season", "Spring 2027", "--match-day")
    toml = LEAGUE / "tournament.toml"
    dates = 'match_days = ["2027-03-05", "2027-03-12"]'
    toml.write_text(toml.read_text().replace("[season]", f"[season]\n{dates}"))
    told = arena("run", LEAGUE, "--plan", "--match-day").out
    assert "Season Spring 2027\nmatch day 2, 2027-03-12: " in told
    assert "match day 3: " in told
    planned = json.loads(arena("run", LEAGUE, "--plan", "--json").out)
    jsonschema.validate(planned, schema())
    coming = planned["match_days"]
    before = max(one.number for one in map(result_of, read_games(LEAGUE)))
    run("--match-day")
    assert {*map(frozenset, coming[0]["pairings"])} == met(before).keys()
    season = background_of([LEAGUE]).season
    assert season is not None
    assert [day.date for day in season.days] == ["2027-03-05", "2027-03-12", ""]
    assert "all match days are played" in (run(), arena("run", LEAGUE, "--plan").out)[1]
