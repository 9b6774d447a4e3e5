"""The last tables in terminals of any width: names are cut, not wrapped; numbers stay whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest
from rich.cells import cell_len
from sample_records import HOSTILE_NAMES, bare, random_game, tournament
from schedules import a_schedule, by_strength, outcome, played

from lath.arena.terminal.layout import LEAST, Column, Letters, Output, laid_out
from lath.arena.terminal.tables import (
    BOTH,
    SUPERIORITY,
    game_lines,
    print_bots,
    print_outcome,
    print_standings,
    remarks,
)
from lath.arena.tournament.store import BotTotals
from lath.notation.record import Record
from lath.reports.comparisons import Scale
from lath.reports.ratings.numerics import Z95
from lath.reports.ratings.results import ALL_AT_ONCE, IN_ORDER, Between, Fit, Method
from lath.reports.standings import compute

WIDTHS = (40, 60, 80, 100, 160)

NAMES = ("greedy-two-plies-deep", "greedy", "random", "mcts-a", "mcts-b", "edy", "crasher", "hang")

EVENT = "The autumn cup of bots of all kinds, which has a title longer than most terminals are wide"


def field(names: tuple[str, ...] = NAMES) -> list[Record]:
    """Return a round robin in which the first of two always wins, half of the time by forfeit."""
    return [
        bare(one, other, "1-0", Event=EVENT, Termination=ending)
        for at, one in enumerate(names)
        for other in names[at + 1 :]
        for ending in ("rules", "crash", "illegal move")
    ]


def totals(name: str) -> BotTotals:
    return BotTotals(
        name=name,
        games=1234,
        lost_by={"crash": 123, "time": 12, "illegal move": 3, "flood": 4},
        moves=123456,
        average_s=0.5,
        worst_s=12.5,
    )


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """A terminal so wide."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    return int(request.param)


def test_ratings_fit_and_keep_names_and_numbers(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    print_standings(compute(field()), Output(to_stdout=True))
    told = capsys.readouterr().out
    lines = told.splitlines()
    assert " ".join(told.split()).startswith(f"Ratings: {EVENT} # bot points")
    assert max(map(cell_len, lines)) <= width
    heading = next(at for at, line in enumerate(lines) if line.startswith("#"))
    ratings = lines[heading : heading + 9]
    for line, row in zip(ratings[1:], compute(field()).overall.rows, strict=True):
        rank, name, points, *_ = line.split()
        assert (rank, points) == (str(row.rank), f"{row.points:g}")
        assert name == row.name or (name[-1] == "…" and row.name.startswith(name[:7]))
        assert line.endswith(tuple("0123456789%"))


def test_both_ratings_have_intervals_in_eighty_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    table = compute(field())
    print_standings(table, Output(to_stdout=True))
    told = capsys.readouterr().out
    assert {"mu ± 95%", "Elo ± 95%"} == set(re.findall(r"(?:mu|Elo) ± 95%", told))
    best = table.overall.rows[0].strength
    mu, elo = best.trueskill, best.elo
    assert re.search(rf"{mu.mu:.2f} ± *{Z95 * mu.sigma:.2f}", told)
    assert re.search(rf"\+{elo.value:.0f} ± *{Z95 * elo.error:.0f}", told)


def told_of(
    records: Sequence[Record], capsys: pytest.CaptureFixture[str], *, by_game: bool = False
) -> str:
    """Return what is printed of records, blanks and line ends run together."""
    print_standings(compute(records), Output(to_stdout=True), by_game=by_game)
    return " ".join(capsys.readouterr().out.split())


def test_each_game_has_a_line_with_what_its_first_seat_is_worth(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    told = told_of(tournament(("ann", "bob"), 2, game_ids=("surikata", "yavalath")), capsys)
    assert re.search(r"Games game games .*first move ± 95%", told)
    for game in ("surikata", "yavalath"):
        assert re.search(rf"{game} 4 (\S+% )?[+-]\d+ ± ?\d+ Elo", told)
    assert ("equals draw" in told) == (width >= 60)


def test_a_star_beside_few_openings_is_explained_below_them(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    few, many = (
        [
            bare(one, other, "1-0", Game="manalath", Opening=f"{n}")
            for n in range(openings)
            for one, other in permutations(("ann", "bob"))
        ]
        for openings in (5, 6)
    )
    told = told_of(few, capsys)
    assert "few openings (*): at manalath the interval of the first move holds" in told
    assert "those played; from 6 on" in told
    assert ("5*" in told) == (width >= 100)
    assert "*" not in told_of(many, capsys)


def test_by_game_each_game_has_its_own_tables(capsys: pytest.CaptureFixture[str]) -> None:
    records = tournament(("ann", "bob"), 2, game_ids=("surikata", "yavalath"))
    alone = [record for record in records if record.game == "yavalath"]
    assert told_of(records, capsys).count("# bot points") == 1
    told = told_of(records, capsys, by_game=True)
    assert told.count("# bot points") == 3
    assert "Ratings at surikata #" in told
    assert "Ratings at yavalath #" in told
    assert "Ratings at" not in told_of(alone, capsys, by_game=True)


def test_repeats_forfeits_groups_seats_and_what_is_left_out_are_told_of(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    repeats = [random_game("yavalath", 1)] * 3
    forfeits = [bare("ann", "bob", "1-0", Termination="crash", Round=str(n)) for n in range(20)]
    others = [bare("cat", "dan", "1-0"), bare("cat", "cat", "1-0"), bare("ann", "eve", "*")]
    told = told_of([*repeats, *forfeits, *others], capsys)
    assert "repeated: 2 games, move by move the same as another" in told
    assert "forfeits: 20 games lost by crash, time" in told
    assert "self-play: 1 game of a bot with itself" in told
    assert "not rated against each other: (1) ann, bob; (2) cat, dan" in told
    assert "unbalanced seats: some bots had one seat clearly more often" in told
    assert "cross-check: rated in order of play, mu differs by at most" in told
    assert "left out: no result 1; no game of eve counts" in told
    assert ("without" in told.split("Points")[0]) == (width >= 100)


def test_nothing_is_told_of_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    told = told_of(tournament(("ann", "bob"), 1, game_ids=("yavalath",)), capsys)
    for word in ("repeated", "forfeits", "self-play", "groups", "unbalanced", "left out", "poor"):
        assert word not in told


@pytest.mark.parametrize("method", [ALL_AT_ONCE, IN_ORDER])
def test_the_rating_is_named_with_its_draw_probability(
    method: Method, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    standings = compute(field(), Scale(ranked_by=method, rule="method"))
    print_standings(standings, Output(to_stdout=True))
    told = " ".join(capsys.readouterr().out.split())
    table = standings.overall
    assert table.ratings.in_order
    by_package = (
        "TrueSkill (in order of play), by the trueskill package: from mu 25, sigma 8.333, beta "
        f"4.167, tau 0; draw probability {table.ratings.in_order.draw_rate:.2%}"
    )
    if method == IN_ORDER:
        assert f"rating: mu - 3 sigma of {by_package}" in told
        heading = "# bot rating mu sigma Elo"
    else:
        draws = f"draw probability {table.ratings.draw_rate:.2%}"
        assert f"rating: mu - 3 sigma of TrueSkill (all games at once); {draws}" in told
        assert f"in order: {by_package}" in told
        heading = "# bot rating mu ± 95% Elo"
    assert heading in told
    ratings = [row.strength.by(method) for row in table.rows]
    assert [one.exposed for one in ratings] == sorted((r.exposed for r in ratings), reverse=True)
    assert f"{table.rows[0].name} {ratings[0].exposed:.2f} {ratings[0].mu:.2f}" in told


def test_a_poor_fit_is_told_of() -> None:
    table = compute(field()).overall
    for chance, words in ((0.0099, ["p = 0.0099"]), (1e-9, ["p < 0.0001"]), (0.011, [])):
        fit = Fit(chi_square=50.0, degrees=20, p_value=chance)
        told = remarks(replace(table, ratings=replace(table.ratings, fit=fit)))
        fits = [line for line in told if line.startswith("poor fit")]
        assert [word for word in words if word in "".join(fits)] == words
        assert len(fits) == len(words)


def test_bots_that_differ_from_game_to_game_are_told_of() -> None:
    table = compute(field()).overall
    for spread, expected in ((123.0, True), (0.0, False)):
        between = Between(spread=spread, p_value=0.5)
        told = [*remarks(replace(table, ratings=replace(table.ratings, between=between)))]
        assert (
            any("heterogeneous: at one game a bot is ±123 Elo" in line for line in told) == expected
        )


def test_few_openings_have_a_star() -> None:
    standings = compute(
        bare(*seats, "1-0", Position=f"{n}", Round=f"{n}")
        for n in range(3)
        for seats in (("ann", "bob"), ("bob", "ann"))
    )
    columns = {column.heading: column.cells for column in game_lines(standings)}
    assert columns["openings"] == ["3*"]


def test_without_games_only_what_was_left_out_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert told_of([], capsys) == "no finished games"
    assert told_of([bare("ann", "bob", "*")], capsys) == (
        "no finished games left out: no result 1; no game of ann, bob counts"
    )


def test_one_bot_alone_has_a_rating_and_no_crosstable(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    told = told_of([bare("ann", "ann", "1-0")], capsys)
    assert "1 ann 1 " in told
    assert "Points against" not in told


def test_what_each_bot_did_fits_and_keeps_the_bots(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    print_bots([totals(name) for name in NAMES], {}, Output())
    _, title, *lines = capsys.readouterr().err.splitlines()
    assert title == "Forfeits and time of a move"
    assert max(map(cell_len, lines)) <= width
    assert [line.split()[0][:7] for line in lines[1:]] == [name[:7] for name in NAMES]
    assert all(line.endswith("12.5 s") for line in lines[1:])
    counts = {"142"} if width < 60 else {"123", "12", "3", "4"}
    assert all(counts <= set(line.split()) for line in lines[1:])


def test_a_crosstable_that_does_not_fit_becomes_a_list(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    print_standings(compute(field()), Output(to_stdout=True))
    told = capsys.readouterr().out.split("Points against each other")[1].split("Games\n")[0]
    assert ("opponent" in told) == (width < 60)
    assert "3-0" in told if width < 60 else "3/3" in told


def test_likelihoods_stand_beside_the_points_or_below_them(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    print_standings(compute(field(NAMES[:5])), Output(to_stdout=True))
    told = capsys.readouterr().out
    assert "%" in told.split("Points against each other")[1].split("Games\n")[0]
    assert (f"{SUPERIORITY}\n" in told) == (width == 60)
    assert (f"{BOTH}\n" in told) == (width > 60)


def test_no_likelihood_reads_as_certain(capsys: pytest.CaptureFixture[str]) -> None:
    won = [bare("ann", "bob", "1-0"), bare("bob", "ann", "0-1")] * 250
    print_standings(compute(won), Output(to_stdout=True))
    told = capsys.readouterr().out
    assert ">99%" in told
    assert "<1%" in told


def test_a_crosstable_of_many_bots_says_how_much_room_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = tuple(f"bot-{number:02}" for number in range(20))
    print_standings(compute(field(names)), Output(to_stdout=True))
    told = re.findall(r"needs (\d+) columns: widen the terminal", capsys.readouterr().out)
    assert len(told) == 2
    monkeypatch.setenv("COLUMNS", max(told))
    print_standings(compute(field(names)), Output(to_stdout=True))
    assert "3/3" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_a_result_fits_and_names_every_bot(
    form: str, width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    schedule = a_schedule(form, names=NAMES, rounds=3)
    assert list(played(schedule, by_strength))
    print_outcome(outcome(schedule, form), Output())
    told = capsys.readouterr().err
    assert f"Result: {form}" in told.splitlines()
    assert all(cell_len(line) <= width for line in told.splitlines())
    assert all(name[:7] in told for name in NAMES)


def test_of_many_rounds_the_last_ones_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    schedule = a_schedule("swiss", names=[f"bot-{n:02}" for n in range(64)], rounds=5)
    assert list(played(schedule, by_strength))
    print_outcome(outcome(schedule, "swiss"), Output())
    told = capsys.readouterr().err
    assert re.findall(r"^Round \d$", told, re.MULTILINE) == ["Round 3", "Round 4", "Round 5"]
    assert told.endswith("Round 1, Round 2: in the HTML report and in outcome.json\n")


def test_a_file_has_room_for_everything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    print_standings(compute(field(("a" * 60, "b" * 60))), Output(to_stdout=True))
    told = capsys.readouterr().out
    assert f"{'a' * 60}   " in told
    assert "Elo ± 95%" in told


@pytest.mark.parametrize("room", range(10, 60))
def test_no_name_is_cut_below_its_least_and_no_number_at_all(room: int) -> None:
    columns = [
        Column("bot", ["a" * 30], kind="name"),
        Column("points", ["123456"]),
        Column("opponent", ["b" * 12], kind="name"),
        Column("games", ["789"], rank=1),
    ]
    _, line = laid_out(columns, room, Letters())
    text = "".join(part.text for part in line)
    assert "123456" in text
    assert "789" in text or room < 12 + 6 + 12 + 5 + 6
    assert min(len(name) for name in re.findall(r"[ab]+…?", text)) >= LEAST
    assert len(text) <= max(room, 2 * LEAST + 6 + 4)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_name_of_any_letters_stays_on_its_line(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_standings(compute([bare(name, "bob", "1-0")]), Output(to_stdout=True))
    lines = capsys.readouterr().out.splitlines()
    assert "\x1b" not in "".join(lines)
    assert [line.split()[0] for line in lines[2:4]] == ["1", "2"]
