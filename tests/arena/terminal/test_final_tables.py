"""The last tables in terminals of any width: names are cut, not wrapped; numbers stay whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from rich.cells import cell_len
from sample_records import HOSTILE_NAMES, bare, random_game, tournament
from schedules import a_schedule, by_strength, outcome, played

from lath.arena.terminal.layout import LEAST, LayoutColumn, Letters, Output, laid_out
from lath.arena.terminal.tables import (
    BOTH,
    SUPERIORITY,
    print_bots,
    print_outcome,
    print_standings,
    remarks,
)
from lath.arena.tournament.store.totals import BotTotals
from lath.notation.record.record import Record
from lath.reports.counting.scale import Scale
from lath.reports.counting.standings import compute
from lath.reports.ratings.numerics import Z95
from lath.reports.ratings.results import ALL_AT_ONCE, IN_ORDER, Fit, Method, SpreadBetweenGames

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


Capture = pytest.CaptureFixture[str]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Callable[..., str]:
    """Return what prints records, or whatever is called, to a terminal of some width."""

    def tell(of: Iterable[Record] | Callable[[], object], width: int = 80, **more: Any) -> str:
        monkeypatch.setenv("COLUMNS", str(width))
        if callable(of):
            of()
        else:
            print_standings(compute(of), Output(to_stdout=True), **more)
        return "".join(capsys.readouterr())

    return tell


def in_words(text: str) -> str:
    """Return a text with blanks and line ends run together."""
    return " ".join(text.split())


Tell = Callable[..., str]


def test_ratings_fit_and_keep_names_and_numbers_and_tables_become_lists(told: Tell) -> None:
    rows = compute(field()).overall.rows
    for width in WIDTHS:
        text = told(field(), width)
        lines = text.splitlines()
        assert in_words(text).startswith(f"Ratings: {EVENT} # bot points")
        assert max(map(cell_len, lines)) <= width
        heading = next(at for at, line in enumerate(lines) if line.startswith("#"))
        for line, row in zip(lines[heading + 1 : heading + 9], rows, strict=True):
            rank, name, points, *_ = line.split()
            assert (rank, points) == (str(row.rank), f"{row.points:g}")
            assert name == row.name or (name[-1] == "…" and row.name.startswith(name[:7]))
            assert line.endswith(tuple("0123456789%"))
        crosstable = text.split("Points against each other")[1].split("Games\n")[0]
        assert ("opponent" in crosstable) == (width < 60)
        assert "3-0" in crosstable if width < 60 else "3/3" in crosstable
        text = told(field(NAMES[:5]), width)
        assert "%" in text.split("Points against each other")[1].split("Games\n")[0]
        assert (f"{SUPERIORITY}\n" in text) == (width <= 60), "likelihoods beside points or below"
        assert (f"{BOTH}\n" in text) == (width > 60)


def test_both_ratings_have_intervals_in_eighty_columns_the_wider_side_where_they_differ(
    told: Tell,
) -> None:
    text = told(field())
    assert {"mu ± 95%", "Elo ± 95%"} == set(re.findall(r"(?:mu|Elo) ± 95%", text))
    best = compute(field()).overall.rows[0].strength
    mu, elo = best.trueskill, best.elo
    assert re.search(rf"{mu.mu:.2f} ± *{Z95 * mu.sigma:.2f}", text)
    assert re.search(rf"\+{elo.value:.0f} ± *{Z95 * elo.error:.0f}", text)
    lopsided = [*[bare("ann", "bob", "1-0"), bare("bob", "ann", "0-1")] * 20]
    lopsided.append(bare("ann", "bob", "0-1"))
    ann, bob = (row.strength.trueskill for row in compute(lopsided).overall.rows)
    widest = Z95 * max(ann.sigma, bob.sigma)
    assert abs(ann.sigma - bob.sigma) > 0.02
    assert re.findall(r"\.\d\d ± *(\d\.\d\d)", told(lopsided)) == [f"{widest:.2f}"] * 2


def test_each_game_has_a_line_with_what_its_first_side_is_worth(told: Tell) -> None:
    records = tournament(("ann", "bob"), 2, game_ids=("surikata", "yavalath"))
    few, many = (
        [
            bare(one, other, "1-0", Game="manalath", Opening=f"{n}")
            for n in range(openings)
            for one, other in permutations(("ann", "bob"))
        ]
        for openings in (5, 6)
    )
    for width in WIDTHS:
        text = in_words(told(records, width))
        assert re.search(r"Games game games .*advantage ± 95%", text)
        for game in ("surikata", "yavalath"):
            assert re.search(rf"{game} 4 (\S+% )?[+-]\d+ ± ?\d+ Elo", text)
        assert ("draw rate" in text.partition("advantage of")[0]) == (width >= 60)
        text = in_words(told(few, width))
        assert (
            "few openings (*): at manalath the interval of the first-move advantage holds" in text
        )
        assert "only for the openings played, because there are fewer than 6" in text
        assert ("5*" in text) == (width >= 100)
        assert "*" not in told(many, width)
    alone = [record for record in records if record.game == "yavalath"]
    assert len(re.findall(r"# +bot +points", told(records))) == 1
    text = told(records, by_game=True)
    assert len(re.findall(r"# +bot +points", text)) == 3
    assert re.findall(r"^Ratings at (\w+)", text, re.MULTILINE) == ["surikata", "yavalath"]
    assert "Ratings at" not in told(alone, by_game=True)


REMARKS = (
    "duplicates: 2 games",
    "forfeits: 20 games lost by crash, time",
    "self-play: 1 game of a bot against itself",
    "not rated against each other: (1) ann, bob; (2) cat, dan",
    "unbalanced sides: some bots played one side more often",
    "cross-check: in order of play, mu differs by at most",
    "left out: no result 1; no game of eve counts",
)


def test_repeats_forfeits_groups_sides_and_what_is_left_out_are_told_of(told: Tell) -> None:
    repeats = [random_game("yavalath", 1)] * 3
    forfeits = [bare("ann", "bob", "1-0", Termination="crash", Round=str(n)) for n in range(20)]
    others = [bare("cat", "dan", "1-0"), bare("cat", "cat", "1-0"), bare("ann", "eve", "*")]
    for width in WIDTHS:
        text = in_words(told([*repeats, *forfeits, *others], width))
        assert [words for words in REMARKS if words not in text] == []
        assert ("without" in text.split("Points")[0]) == (width >= 100)
        text = told([bare("ann", "ann", "1-0")], width)
        assert "1 ann 1 " in in_words(text)
        assert "Points against" not in text


def test_nothing_is_told_of_that_is_not_there(told: Tell) -> None:
    text = told(tournament(("ann", "bob"), 1, game_ids=("yavalath",)))
    for word in ("duplicates", "forfeits", "self-play", "groups", "unbalanced", "left out", "poor"):
        assert word not in text
    assert in_words(told([])) == "no finished games"
    assert in_words(told([bare("ann", "bob", "*")])) == (
        "no finished games left out: no result 1; no game of ann, bob counts"
    )


@pytest.mark.parametrize("method", [ALL_AT_ONCE, IN_ORDER])
def test_the_rating_is_named_with_its_draw_probability(method: Method, told: Tell) -> None:
    standings = compute(field(), Scale(ranked_by=method, rule="method"))
    text = in_words(told(lambda: print_standings(standings, Output(to_stdout=True)), 160))
    table = standings.overall
    assert table.ratings.in_order
    by_package = (
        "TrueSkill (in order of play), by the trueskill package (mu 25, sigma 8.333, beta "
        f"4.167, tau 0, draw probability {table.ratings.in_order.draw_rate:.2%})"
    )
    if method == IN_ORDER:
        assert f"rating: conservative (mu - 3 sigma), by {by_package}" in text
        heading = "# bot rating mu sigma Elo"
    else:
        draws = f"draw probability {table.ratings.draw_rate:.2%}"
        assert (
            f"rating: conservative (mu - 3 sigma), by TrueSkill (all games at once), {draws}"
            in text
        )
        assert f"in order: {by_package}" in text
        heading = "# bot rating mu ± 95% Elo"
    assert heading in text
    ratings = [row.strength.by(method) for row in table.rows]
    assert [one.exposed for one in ratings] == sorted((r.exposed for r in ratings), reverse=True)
    assert f"{table.rows[0].name} {ratings[0].exposed:.2f} {ratings[0].mu:.2f}" in text


def test_a_poor_fit_and_bots_that_differ_from_game_to_game_are_told_of() -> None:
    table = compute(field()).overall
    for chance, words in ((0.0099, ["p = 0.0099"]), (1e-9, ["p < 0.0001"]), (0.011, [])):
        fit = Fit(chi_square=50.0, degrees=20, p_value=chance)
        found = remarks(replace(table, ratings=replace(table.ratings, fit=fit)))
        fits = [line for line in found if line.startswith("poor fit")]
        assert [word for word in words if word in "".join(fits)] == words
        assert len(fits) == len(words)
    for spread in (123.0, 0.0):
        between = SpreadBetweenGames(spread=spread, p_value=0.5)
        found = remarks(replace(table, ratings=replace(table.ratings, between=between)))
        assert any(
            "strength varies by game type (standard deviation 123 Elo)" in line for line in found
        ) == bool(spread)


def test_what_each_bot_did_fits_and_keeps_the_bots(told: Tell) -> None:
    for width in WIDTHS:
        text = told(lambda: print_bots([totals(name) for name in NAMES], {}, Output()), width)
        _, title, *lines = text.splitlines()
        assert title == "Forfeits and time per move"
        assert max(map(cell_len, lines)) <= width
        assert [line.split()[0][:7] for line in lines[1:]] == [name[:7] for name in NAMES]
        assert all(line.endswith("12.5 s") for line in lines[1:])
        counts = {"142"} if width < 60 else {"123", "12", "3", "4"}
        assert all(counts <= set(line.split()) for line in lines[1:])


def test_no_likelihood_reads_as_certain(told: Tell) -> None:
    text = told([bare("ann", "bob", "1-0"), bare("bob", "ann", "0-1")] * 250)
    assert ">99%" in text
    assert "<1%" in text


def test_a_crosstable_of_many_bots_says_how_much_room_it_needs(
    told: Tell, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    many = field(tuple(f"bot-{number:02}" for number in range(20)))
    needs = re.findall(r"needs (\d+) columns: use a wider terminal", told(many))
    assert len(needs) == 2
    assert "3/3" in told(many, max(map(int, needs)))
    monkeypatch.delenv("COLUMNS")
    print_standings(compute(field(("a" * 60, "b" * 60))), Output(to_stdout=True))
    text = capsys.readouterr().out
    assert f"{'a' * 60}   " in text, "a file has room for everything"
    assert "Elo ± 95%" in text


def result_of(form: str, names: Sequence[str], rounds: int) -> Callable[[], object]:
    schedule = a_schedule(form, names=names, rounds=rounds)
    assert list(played(schedule, by_strength))
    return lambda: print_outcome(outcome(schedule, form), Output())


def test_a_result_fits_and_names_every_bot_and_of_many_rounds_the_last_are_shown(
    told: Tell,
) -> None:
    for form in ("swiss", "knockout"):
        shown = result_of(form, NAMES, 3)
        for width in WIDTHS:
            text = told(shown, width)
            assert f"Result: {form}" in text.splitlines()
            assert all(cell_len(line) <= width for line in text.splitlines())
            assert all(name[:7] in text for name in NAMES)
    text = told(result_of("swiss", [f"bot-{n:02}" for n in range(64)], 5))
    assert re.findall(r"^Round \d$", text, re.MULTILINE) == ["Round 3", "Round 4", "Round 5"]
    assert text.endswith("Round 1, Round 2: see the HTML report or outcome.json\n")


def test_no_name_is_cut_below_its_least_and_no_number_at_all() -> None:
    columns = [
        LayoutColumn("bot", ["a" * 30], kind="name"),
        LayoutColumn("points", ["123456"]),
        LayoutColumn("opponent", ["b" * 12], kind="name"),
        LayoutColumn("games", ["789"], rank=1),
    ]
    for room in range(10, 60):
        _, line = laid_out(columns, room, Letters())
        text = "".join(part.text for part in line)
        assert "123456" in text
        assert "789" in text or room < 12 + 6 + 12 + 5 + 6
        assert min(len(name) for name in re.findall(r"[ab]+…?", text)) >= LEAST
        assert len(text) <= max(room, 2 * LEAST + 6 + 4)


def test_a_name_of_any_letters_stays_on_its_line(told: Tell) -> None:
    for name in HOSTILE_NAMES:
        lines = told([bare(name, "bob", "1-0")], 40).splitlines()
        assert "\x1b" not in "".join(lines)
        assert [line.split()[0] for line in lines[2:4]] == ["1", "2"]
