"""Copies of one game: what is planted is found, what only looks like it stays, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Final

from exploring import one_in
from hypothesis import given
from hypothesis import strategies as st
from sample_records import BUILT_IN, random_game, with_tags

from lath import games
from lath.games.core import Result, symmetries
from lath.notation import format_record
from lath.notation.archive.archive import canonical_moves
from lath.notation.archive.duplicates import (
    Copies,
    RecordFacts,
    RecordPlace,
    agree,
    facts_of,
    is_copy,
    is_same_name,
)
from lath.notation.archive.sampling import SampledRecord
from lath.notation.record.record import Annotation, Ply, Record, bare_plies, comment
from lath.notation.rules.replay import start_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def settled(records: Sequence[Record], memory: int = 1 << 20) -> dict[int, int]:
    """Return places, from 0, of records that are left out, each with that of what it copies."""
    with Copies(memory) as copies:
        for place, record in enumerate(records):
            text = format_record(record)
            copies.add(SampledRecord(b"", str(place), text), record, RecordPlace("file", place, 1))
        copies.settle()
        left_out = {copy.place.number: copy.of.number for copy in copies.left_out()}
        kept = [int(row.value) for row in copies.kept()]
    assert kept == [place for place in range(len(records)) if place not in left_out]
    assert copies.copies == len(left_out)
    return left_out


# Names


ONE_NAME: Final = (
    *(("Leela Zero", "leela-zero"), ("LeelaZero", "Leela  Zero."), ("ＧＲＥＥＤＹ", "greedy")),
    *(("Müller, Jörg", "jorg MULLER"), ("greedy", "gredy"), ("greedy", "greeyd")),
    *(("Monte Carlo", "Mnote Calro"), ("mcts-100", "MCTS 100"), ("ann", ""), ("?", "ann")),
)
TWO_NAMES: Final = (
    *(("mcts-100", "mcts-200"), ("engine 1.2", "engine 12"), ("engine A", "engine B")),
    *(("engineA", "engineB"), ("enginea", "engineb"), ("engine", "engines")),
    *(("engine", "x-engine"), ("engine II", "engine III"), ("engine", "engine+")),
    *(("ann", "anna"), ("puct", "puck"), ("greedy", "grids"), ("some-x-engine", "someengine")),
    ("...", "greedy"),
)


def test_names_that_are_spelled_otherwise_are_one_and_versions_are_others() -> None:
    for names, is_one in ((ONE_NAME, True), (TWO_NAMES, False)):
        for a, b in names:
            assert is_same_name(a, b) is is_same_name(b, a) is is_one, (a, b)


# What is against it, and what is enough


def game(moves: str, result: str = "*", **tags: str) -> Record:
    pairs = {"Game": "yavalath", **tags}
    return Record(tuple(pairs.items()), bare_plies(moves.split()), Result(result))


LONG: Final = "a1 e5 b2 d4 c7 f6 a4 g2 h3 i1"
SURE: Final = {"First": "ann", "Second": "bob", "Date": "2026-11-20", "Round": "3"}


def copies(one: Record, other: Record) -> bool:
    return bool(settled([one, other]))


SHORT, LONGER = "a1 e5 b2", "a1 e5 b2 d4"
BEGUN: Final = " ".join(LONG.split()[:9])
NAMES: Final = {"First": "ann", "Second": "bob"}
PAIRS: Final = (
    # short games are one only where their tags say so: any two may begin like this
    (game(SHORT, **SURE), game(LONGER, **SURE), True),
    (game(SHORT, **NAMES), game(LONGER, **NAMES), False),
    (game(SHORT, **NAMES), game(SHORT, **NAMES), True),
    (game(SHORT, **NAMES), game(SHORT, **SURE), False),
    (game(SHORT), game(SHORT), False),
    (game(SHORT, First="ann", Second="greedy"), game(SHORT, First="ann", Second="gredy"), False),
    (game(LONG), game(LONG), True),
    (game("", **SURE), game(SHORT, **SURE), False),
    (game(LONG, **SURE), game(LONG, **{**SURE, "Round": "3.2"}), False),
    (game(LONG, **SURE), game(LONG, **{**SURE, "Date": "2026-10-31"}), False),
    (game(LONG, **SURE), game(LONG, **{**SURE, "First": "ann.1"}), False),
    (game(LONG, **NAMES), game(LONG, First="bob", Second="ann"), False),
    (game(LONG, **NAMES), game(LONG, First="Ann ", Second="BOB"), True),
    (game(LONG, **SURE), game(BEGUN + " h4", **SURE), False),
    # a game that ended is no beginning of another
    (game(BEGUN), game(LONG), True),
    (game(BEGUN, Termination="unterminated"), game(LONG), True),
    (game(BEGUN, "1-0", Termination="time"), game(LONG, "1-0"), False),
    (game(BEGUN, Termination="void"), game(LONG), False),
)


def test_what_its_tags_and_its_length_say_makes_a_copy() -> None:
    for number, game_id in enumerate(BUILT_IN):
        record = random_game(game_id, number)
        moves = len(record.plies) * 2 // 3
        begun = with_tags(replace(record, plies=record.plies[:moves]), Result="*", Termination="?")
        others = [turned(each, Random(number)) for each in (begun, record)]
        assert settled([*others, record, begun]) == {0: 1, 2: 1, 3: 1}, game_id
        if record.tag("Setup"):
            setup = games.get(game_id).draw_setup(999) or ""
            assert not copies(record, with_tags(record, Setup=setup))
    for one, other, is_one in PAIRS:
        assert copies(one, other) is is_one, (one, other)


def test_times_that_differ_tell_two_playings_of_one_line_apart() -> None:
    def timed(seconds: str) -> Record:
        note = ((Annotation("emt", seconds),),)
        record = game(LONG)
        return replace(record, plies=(Ply("a1", comments=note), *record.plies[1:]))

    assert copies(timed("0.500"), timed("0.500"))
    assert copies(timed("0.500"), game(LONG))
    assert not copies(timed("0.500"), timed("0.600"))
    assert len(settled([timed("0.500"), game(LONG), timed("0.600")])) == 1


def test_a_record_without_tags_does_not_make_one_of_two_games() -> None:
    rows = [game(LONG), *(game(BEGUN, Round=number) for number in ("1", "2", "01"))]
    assert settled(rows) == {1: 0, 3: 0}


def test_the_longest_stays_then_the_finished_then_the_most_annotated_then_the_first() -> None:
    noted = replace(game(BEGUN), comments=(comment("why"), comment("not")))
    assert settled([noted, game(LONG)]) == {0: 1}
    assert settled([noted, game(BEGUN, "1-0", Termination="time")]) == {0: 1}
    assert settled([game(BEGUN), noted]) == {0: 1}
    assert settled([game(BEGUN), game(BEGUN)]) == {1: 0}


# Against a plain reading of the rule


def turned(record: Record, chance: Random) -> Record:
    """Return the same game after some symmetry, from a Position as the symmetry makes it."""
    start = start_of(record)
    way = chance.choice(symmetries(start))
    tags = [tag for tag in record.tags if tag[0] != "Setup"]
    tags.insert(1, ("Position", way.position(start).text()))
    moves = canonical_moves(record)
    plies = [
        replace(ply, move=way.move(move))  # type: ignore[arg-type]
        for ply, move in zip(record.plies, moves, strict=True)
    ]
    return replace(record, tags=tuple(tags), plies=tuple(plies))


def preference(facts: RecordFacts) -> tuple[int, bool, int]:
    """Return what is least for what stays: the longest, then with a result, then most said."""
    return -facts.plies, facts.is_cut, -facts.weight


def is_begun_as(one: Record, other: Record) -> bool:
    """Return whether some symmetry takes all of a game to the beginning of another."""
    start, target = start_of(one), start_of(other)
    moves = canonical_moves(other)[: len(one.plies)]
    return any(
        way.position(start) == target and tuple(map(way.move, canonical_moves(one))) == moves  # type: ignore[arg-type]
        for way in symmetries(start)
    )


def plainly(records: Sequence[Record]) -> dict[int, int]:
    """Return what `settled` does, every record beside every other."""
    facts = list(map(facts_of, records))
    groups: list[list[int]] = []
    for place in sorted(range(len(records)), key=lambda place: (preference(facts[place]), place)):

        def belongs(group: list[int], place: int = place) -> bool:
            one, of = facts[place], facts[group[0]]
            return (
                is_begun_as(records[place], records[group[0]])
                and is_copy(one, of)
                and all(agree(without(one, of), facts[each]) for each in group)
            )

        group = next(filter(belongs, groups), None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    return {place: group[0] for group in groups for place in group[1:]}


def without(facts: RecordFacts, of: RecordFacts) -> RecordFacts:
    """Return facts without the names that the record that stays has itself."""
    return facts._replace(
        first="" if of.first else facts.first, second="" if of.second else facts.second
    )


LINES: Final = (
    *(LONG, "a1 e5 b2 d4 c7 f6 a4 g2 i1", "a1 e5 b2 d4 c7 f6 a4 g2 h3 h4", "e5 swap a1 b2"),
)
TAGS: Final = st.fixed_dictionaries(
    {},
    optional={
        "First": st.sampled_from(["greedy", "Greedy", "gredy", "mcts-1", "mcts-2", "?"]),
        "Second": st.sampled_from(["greedy", "other one", "othre-one"]),
        "Date": st.sampled_from(["2026-11-20", "2026-11-??", "2026-12-01"]),
        "Round": st.sampled_from(["1", "01", "2"]),
        "Number": st.sampled_from(["1", "2"]),
        "Event": st.sampled_from(["Autumn", "autumn.", "Winter"]),
    },
)


@st.composite
def some_games(draw: st.DrawFn) -> Record:
    moves = draw(st.sampled_from(LINES)).split()
    plies = draw(st.sampled_from([len(moves), len(moves), 9, 8, 7, 3, 0]))
    record = game(" ".join(moves[:plies]), **draw(TAGS))
    if draw(st.booleans()):
        record = with_tags(
            record, Result="1-0", Termination=draw(st.sampled_from(["time", "crash"]))
        )
    return turned(record, Random(draw(st.integers(0, 20))))


@one_in(1)
@given(st.lists(some_games(), max_size=12))
def test_the_same_is_left_out_as_by_comparing_every_record_with_every_other(
    records: list[Record],
) -> None:
    assert settled(records) == plainly(records)
