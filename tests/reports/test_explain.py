"""Where points go: each kind of evidence by hand, and weaknesses that are planted and found."""

from __future__ import annotations

import random
from typing import Literal

import pytest
from places import OURS
from sample_records import random_game
from weak_bots import BOT, NONE, Event, weakness

from lath import notation
from lath.notation import parse
from lath.notation.query.query import compile_query
from lath.notation.record.record import Record
from lath.reports.explaining.calibration import Calibration
from lath.reports.explaining.explanation import Explained, Explanation
from lath.reports.explaining.findings import Cost, Finding, ranked, shares
from lath.reports.explaining.repertoire import Novelty, Repertoire, key_of
from lath.reports.explaining.turning import TurningPoint, played_through, turns_of

pytestmark = pytest.mark.slow

RESIGNED = {"Termination": "resignation"}


def a_game(moves: str, result: str, **tags: str) -> Record:
    all_tags = {"Game": "yavalath", "First": "ann", "Second": "bob", "Termination": "rules", **tags}
    words = "".join(f'[{name} "{value}"]' for name, value in all_tags.items())
    return parse(f"{words}\n\n{moves} {result}")


def turns(record: Record) -> list[TurningPoint]:
    return turns_of(record, played_through(record))


# Where games turn

MISSED = "a1 i1 a2 e9 a4 c1 g1"
EVALUATED = " ".join(
    f"{move} {{[%eval {value}]}}"
    for move, value in zip(
        ("e5", "a1", "c3", "i5", "g4", "a5", "e1", "i1"),
        (0.1, 0.0, 0.2, 0.1, -0.4, 0.5, -0.6, 0.7),
        strict=True,
    )
)
GIVEN_UP = "a1 {[%eval 0.1]} e1 i1 {[%eval -1.0]} e2 a5 {[%eval -1.0]} e4 i5 {[%eval -1.0]} e3"
PROVEN = "e5 a1 c3 ? {[%eval -1.0] [%by solver]} ({[%by solver]} 3. d4) 4. i5"


def games_that_turn() -> dict[str, tuple[Record, list[TurningPoint]]]:
    """Return games, and where they turn."""
    return {
        "three in line": (a_game("a1 e1 b1 e2 c1", "0-1"), [TurningPoint(5, 0, "shape")]),
        "four not stopped": (a_game("a1 e1 i1 e2 a5 e4 i5 e3", "0-1"), [TurningPoint(7, 0, "one")]),
        "evaluations, where no proof tells": (
            a_game(EVALUATED, "0-1", **RESIGNED),
            [TurningPoint(5, 0, "evaluation")],
        ),
        "proven by an analysis": (
            a_game(PROVEN, "0-1", **RESIGNED, Analysis="solver"),
            [TurningPoint(3, 0, "proven")],
        ),
        "known to be lost": (a_game(GIVEN_UP, "0-1"), [TurningPoint(1, 0, "more")]),
        **{
            why: (a_game("a1 e1 i1 e2 a5 e4 i5", "0-1", Termination=why), [])
            for why in ("time", "crash", "illegal move", "flood")
        },
    }


def test_games_turn_by_the_move_that_gave_them_away() -> None:
    wanted = games_that_turn()
    found = {name: turns(record) for name, (record, _) in wanted.items()}
    assert found == {name: expected for name, (_, expected) in wanted.items()}
    assert TurningPoint(7, 0, "missed") in turns(a_game(MISSED, "0-1", **RESIGNED))
    assert [one for one in turns(a_game(MISSED, "1-0", **RESIGNED)) if one.seat == 0] == []


def test_boards_are_as_they_were_after_turns_were_looked_for() -> None:
    for game_id in OURS:
        for seed in range(3):
            record = random_game(game_id, seed)
            played = played_through(record)
            found = turns_of(record, played)
            *_, end = notation.positions(record)
            assert played.board.position() == end, game_id
            assert all(0 < turn.ply <= len(record.plies) for turn in found)
            assert all(played.seats[turn.ply - 1] == turn.seat for turn in found)


# What is known


def repertoire_of(*moves: str) -> Repertoire:
    repertoire = Repertoire()
    for one in moves:
        record = a_game(one, "0-1", **RESIGNED)
        repertoire.add(record, played_through(record).seats, 0.0, seat=0)
    return repertoire


def test_a_repertoire_tells_what_is_new_and_what_is_done_again() -> None:
    one, other = (notation.positions(a_game(moves, "*")) for moves in ("a1 e5", "i5 e5"))
    assert [*map(key_of, one)] == [*map(key_of, other)], "images share a key"
    lines = repertoire_of("a1 e5 c3", "i5 e5 g5", "a1 e5 c4", "e1 e5 b1", "a1 d4").lines
    assert [line.novelty for line in lines[:3]] == [None] * 3, "too few had been there"
    assert [line.novelty for line in lines[3:]] == [Novelty(3, 0, 3), Novelty(2, 1, 4)]
    lines = repertoire_of("a1 e5 c3", "a1 e5 c3 d4", "a1 e5 c3 d5").lines
    assert [line.is_again for line in lines] == [False, False, True]
    (met,) = repertoire_of("a1 e5 c3 d4", "a1 e5 c3 d5").met_again()
    assert (met.lines, met.ply) == ((0, 1), 2), "of what the same games met the last counts"


# What is believed


def a_finding(
    kind: str,
    points: float,
    adjusted: float,
    *members: int,
    side: Literal["", "first", "second"] = "",
    instead: str = "",
) -> Finding:
    return Finding(
        kind=kind,
        side=side,
        says=f"{kind} {points}",
        because="",
        games=1,
        cost=Cost(points, points / 2, 2 * points, adjusted),
        members=frozenset(members),
        adjusted=adjusted,
        alternative_to=instead,
    )


def test_findings_of_each_topic_come_before_others_of_it_and_alternatives_follow() -> None:
    tested = [
        a_finding("opening", 9, 0.002, 1, 2, 3),
        a_finding("opening", 8, 0.0001, 2, 3, 4),
        a_finding("opening", 7, 0.001, 1, 2, 3, side="first"),
        a_finding("seat", 5, 0.001),
        a_finding("opponent", 4, 0.001, instead="seat 5"),
        a_finding("phase", 6, 0.9),
        a_finding("turn.one", -2, 1.0),
    ]
    found = [(each.kind, each.cost.points, each.is_believed) for each in ranked(tested)]
    assert found == [
        ("opening", 8, True),
        ("seat", 5, True),
        ("opponent", 4, True),
        ("opening", 7, True),
        ("phase", 6, False),
    ], "the surer of two that are mostly the same games; and what costs nothing is no finding"


def test_what_others_do_as_often_is_no_weakness_though_it_is_a_larger_part_of_less() -> None:
    strong = shares(20, 30, 139, 253, worth=0.5)  # it lost 30 games, 20 of them late
    weak = shares(139, 200, 20, 53, worth=0.5)
    assert strong is not None
    assert weak is not None
    assert strong.points == -59.5
    assert strong.p_value is not None
    assert strong.p_value == pytest.approx(1.0)
    assert weak.points == pytest.approx(0.5 * 200 * (139 / 200 - 20 / 53))
    assert weak.p_value is not None
    assert weak.p_value < 0.001
    assert shares(7, 7, 20, 53, worth=0.5) is None, "too few"


def test_a_bot_that_is_right_has_no_gap_and_one_that_boasts_has() -> None:
    chance = random.Random(3)
    right, boasting = Calibration(), Calibration()
    for game in range(200):
        truth = chance.choice((0.2, 0.8))
        points = float(chance.random() < truth)
        right.add(game, [(1, 2 * truth - 1)], points)
        boasting.add(game, [(1, 0.9 if truth > 0.5 else -0.9)], points)
    (promise,) = right.promises(range(200))[-1:]
    assert promise.sure == 0.75
    assert promise.p_value > 0.05
    assert boasting.promises(range(200))[-1].p_value < 0.01
    assert right.brier is not None
    assert boasting.brier is not None
    assert right.brier < 0.25 < 0.16 + boasting.brier
    assert [(each.low, each.games) for each in right.bins()] == [(0.2, 99), (0.8, 101)]


# All of it


def explained(records: list[Record], bot: str = BOT) -> Explained:
    explanation = Explanation(bot)
    for number, record in enumerate(records, 1):
        explanation.add("games.lath", number, record)
    return explanation.explained()


def test_games_that_say_nothing_or_come_again_are_left_out_and_counted() -> None:
    shape = "a1 e1 b1 e2 c1"
    lost = a_game(shape, "0-1")
    others = [
        a_game("a1 e1", "*", Termination="unterminated"),
        a_game(shape, "0-1", Second="ann"),
        a_game(shape, "0-1", Ruling="void by ruling: power cut"),
    ]
    told = explained([lost, *others, lost, a_game("e5", "0-1", Termination="time")], "ann")
    assert (told.games, told.points, sum(told.left_out.values())) == (3, 0.0, 3)
    assert told.left_out["against itself"] == 1
    assert [each.kind for each in told.findings] == ["forfeit.time", "same"]
    assert [(one.kind, one.own) for one in told.turned] == [("shape", 1)], "repeats teach nothing"
    first, again = (a_game(shape, "0-1", Number=number) for number in ("1", "2"))
    told = explained([first, again, first], "ann")
    assert (told.games, told.left_out) == (2, {"there already": 1})
    assert [(each.kind, each.games) for each in told.findings] == [("same", 1)]
    chosen = a_game("a1 e1 i1 e2 a5 e4 i5 e3", "0-1", Opening="random: a1 e1 i1 e2 a5 e4 i5")
    assert explained([chosen], "ann").turned == [], "moves that the arena chose are nobody's"


def test_what_was_lost_again_is_found_where_the_bot_was_to_move_there() -> None:
    back = {"First": "bob", "Second": "ann", **RESIGNED}
    lost = [a_game(f"e5 {move} a1", "1-0", **RESIGNED) for move in ("d4", "d3", "c3")]
    lost += [a_game(f"e5 {move} i5", "0-1", **back) for move in ("d4", "d3")]
    (told,) = explained(lost, "bob").lost_again
    assert told.games == 3 == sum(map(compile_query(told.where), lost))


@pytest.mark.parametrize(
    ("name", "seeds", "games", "least"),
    [("line", 1, 96, 1), ("time", 1, 30, 1), ("trust", 1, 80, 1)],
)
def test_a_planted_weakness_is_among_the_first_three_findings(
    name: str, seeds: int, games: int, least: int
) -> None:
    found = 0
    for seed in range(seeds):
        planted = weakness(name, seed)
        told = explained(Event(seed, games, planted).records())
        found += any(map(planted.is_told, told.findings[:3]))
    assert found >= least


@pytest.mark.parametrize(("seeds", "games", "most"), [(1, 40, 0)])
def test_of_a_bot_without_a_weakness_nothing_stands_out(seeds: int, games: int, most: int) -> None:
    """Of as many runs as the false discovery rate allows something does: 5%, and chance."""
    found = sum(
        bool(explained(Event(seed, games, NONE).records()).findings) for seed in range(seeds)
    )
    assert found <= most


def test_facts_of_games_are_those_that_records_tell() -> None:
    """`ann` swaps and hurries in every second game, and has little time left in the last one."""
    explanation = Explanation("ann")
    cells = ("a1", "a5", "e1", "e9", "i1", "i5", "b1", "c1", "d1", "f1")
    for number, cell in enumerate(cells):
        is_first = number % 2 == 0
        seconds = (0.1, 1.0) if is_first else (2.0, 0.2)
        left = 0.4 if cell == cells[-1] else 5.0
        moves = ("e5", "d4" if is_first else "swap", "g4", "c3", cell, "h3")
        told = " ".join(
            f"{move} {{[%emt {seconds[at % 2]}] [%clk {(5.0, left)[at % 2]}]}}"
            for at, move in enumerate(moves)
        )
        names = {"First": "ann" if is_first else "bob", "Second": "bob" if is_first else "ann"}
        tags = {"TimeControl": "10+0", "Event": "autumn", **RESIGNED}
        explanation.add("games.lath", number + 1, a_game(told, "1-0", **names, **tags))
    facts = [facts for facts, _ in explanation.facts()]
    assert [one.result.first for one in facts] == ["ann", "bob"] * 5
    assert [one.plies for one in facts] == [6] * 10
    assert all(one.conditions == {"TimeControl": "10+0", "Event": "autumn"} for one in facts)
    ann = [one.states[at % 2] for at, one in enumerate(facts)]
    bob = [one.states[1 - at % 2] for at, one in enumerate(facts)]
    assert ["swap.own" in states for states in ann] == [False, True] * 5
    assert ["swap.opponent" in states for states in bob] == [False, True] * 5
    assert ["clock.low" in states for states in ann] == [False] * 9 + [True]
    quick = [one.quickness[at % 2] or 0.0 for at, one in enumerate(facts)]
    assert min(quick[::2]) > max(quick[1::2]), "0.1 s is quicker than 0.2 s"


@pytest.mark.parametrize("kind", ["swap.own", "opponent"])
def test_a_weakness_in_records_is_told_with_the_games_where_it_shows(kind: str) -> None:
    """Half of the games are swapped, a third are against each of three opponents."""

    def shows(record: Record) -> bool:
        if kind == "opponent":
            return {record.first, record.second} == {"ann", "bob"}
        return record.second == "ann" and record.moves[1] == "swap"

    chance = random.Random(3)
    records = []
    for number in range(240):
        first, second = chance.sample(("ann", "bob", "cid", "dan"), 2)
        swapped = "swap" if chance.random() < 0.5 else "d2"
        winner = chance.choice((first, second))
        moves = " ".join(("e5", swapped, *chance.sample(("a1", "a5", "e1", "e9", "i1", "b3"), 4)))
        tags = {"First": first, "Second": second, "Number": str(number + 1), **RESIGNED}
        if shows(a_game(moves, "*", **tags)) and chance.random() < 0.9:
            winner = first if second == "ann" else second
        records.append(a_game(moves, "1-0" if winner == first else "0-1", **tags))
    (finding, *_) = explained(records, "ann").findings
    assert finding.kind == kind
    places = [records[place.number - 1] for place in finding.places]
    assert places
    assert all(map(shows, places))
    if finding.where:
        assert all(map(compile_query(finding.where), places))
