"""The reports for tests of pages, each with a peculiarity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import cycle, islice, permutations
from typing import Final
from urllib.parse import quote

import pytest
import schedules
from sample_records import (
    HOSTILE_NAMES,
    cut,
    hostile_records,
    random_game,
    tournament,
    with_tags,
)

from lath.notation.record.record import Record, comment
from lath.reports.event.background import NO_BACKGROUND, Background
from lath.reports.event.league import Event, league_of
from lath.reports.metrics.comparing import compare_groups
from lath.reports.metrics.measures import GameGroup
from lath.reports.notes.notes import Change, Entrant, Machine, Provenance, Version
from lath.reports.notes.outcome import EventOutcome, Plot, Sheet, SheetColumn
from lath.reports.page import pack
from lath.reports.page.document import document
from lath.reports.page.index import Collector
from lath.reports.page.index import render as render_index
from lath.reports.page.league import pages as league_pages
from lath.reports.page.measures import NamedGroup, names_of
from lath.reports.page.measures import render as render_measures
from lath.reports.page.page import Page, render

BOTS: Final = ("ann", "bob", "cat")

MANY_BOTS: Final = 17
"""More bots than a page shows unpacked, and than fit on a phone."""


@cache
def played() -> tuple[Record, ...]:
    """Return a small tournament: all games, evaluations, times, comments and every kind of loss."""
    records = tournament(BOTS, 2, annotated=True)
    dated = [
        with_tags(record, Date=f"2026-11-{1 + i // 4:02}", TimeControl="10+0.1")
        for i, record in enumerate(records)
    ]
    dated[3] = cut(dated[3], 4, "time forfeit", "0-1")
    dated[4] = cut(dated[4], 2, "crash", "1-0")
    dated[5] = cut(dated[5], 1, "illegal move", "0-1")
    dated[6] = cut(dated[6], 3, "adjudication", "1/2-1/2")
    return (_commented(dated[0]), *dated[1:], with_tags(dated[7], Round="3"))


def as_of_many() -> Page:
    """Return the page of the played games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pack, "LEARNED", 1)
        return render(played())


ANALYSED: Final = """[Game "yavalath"]
[First "ann"]
[Second "bob"]
[Position "5/6/7/8/1ww1w4/bb1b4/7/6/5 w"]
[Termination "rules"]
[Result "0-1"]
[Analysis "solver nodes 5000"]

1. a1?? {a hasty one} {[%eval -1.000] [%said 0.25] [%by solver nodes 5000]}
({[%by solver nodes 5000]} 1. d3 2. a1) 2. d3 {[%eval 1.000] [%said -0.5]} 0-1
"""
"""A game with the output of `arena analyze`; the page shows the better line of ply 1."""


def few() -> tuple[Record, ...]:
    """Return some of the played games, of all bots and all kinds."""
    return played()[::5]


def _commented(record: Record) -> Record:
    plies = list(record.plies)
    said = comment("A quiet start, and the last one of its kind in this game.")
    plies[1] = replace(plies[1], comments=(*plies[1].comments, said))
    return replace(record, plies=tuple(plies), comments=(comment("Two old rivals."),))


def many_bots(count: int = MANY_BOTS) -> Iterator[Record]:
    """Yield two games of each pairing."""
    for record, (first, second) in zip(
        cycle(_sample()), permutations([f"bot-{i:02}" for i in range(count)], 2), strict=False
    ):
        yield with_tags(record, First=first, Second=second)


@cache
def _sample() -> Sequence[Record]:
    return tournament(("one", "other"), 6, game_ids=("manalath", "yavalath"), annotated=True)


def knockout() -> EventOutcome:
    """Return the result of a knockout, with long names of bots and a curve."""
    columns = (SheetColumn("bot", "name"), SheetColumn("score"), SheetColumn("opponent", "name"))
    row = (*HOSTILE_NAMES[:1], "2-0", "b" * 99, "")
    sheets = tuple(
        Sheet((*columns, SheetColumn("after", "text")), (row,), title)
        for title in ("Semi-finals", "Final")
    )
    long, odd = "b" * 99, HOSTILE_NAMES[0]
    ties = {
        "Semi-finals": [
            {"bots": (long, None), "points": (0, 0), "how": "bye", "winner": None},
            {"bots": (odd, "ann"), "points": (3.5, 2.5), "how": "2 tie-breaks", "winner": odd},
        ],
        "Final": [{"bots": (odd, long), "points": (1, 1), "how": "level: x", "winner": long}],
    }
    drawn = [{"title": title, "ties": played} for title, played in ties.items()]
    data = {"winner": long, "bracket": drawn}
    path = Plot(
        title="LLR after so many pairs",
        across="pairs",
        points=((0, 0.0), (700, -1.5), (1500, 2.95)),
        bounds=(("H1 accepted", 2.944), ("H0 accepted", -2.944)),
    )
    return EventOutcome(
        format="knockout", verdict=f"Winner: {long}", sheets=sheets, plots=(path,), data=data
    )


def swiss() -> EventOutcome:
    """Return the result of a swiss so far, with long names, a bye, a walkover and a retired bot."""
    names = (*HOSTILE_NAMES[:4], "b" * 99)
    schedule = schedules.make("swiss", names=names, games=("yavalath",), rounds=3)
    for pair in islice(schedules.played(schedule), 5):
        if pair.number == 2:
            schedule.bench(pair.names[1])
    return schedules.outcome(schedule, "swiss")


def changes() -> list[Change]:
    """Return the possible changes during a tournament, with long words."""
    said = (
        ("time.margin", "", "0.05 s", "0.1 s"),
        ("cwd", "b" * 99, "a scratch folder", f"/{'x' * 300}"),
        ("env", "<b>ann", "KEY", "KEY (another value)"),
    )
    date = "2026-11-22T17:40:05+00:00"
    return [
        Change(setting=setting, bot=bot, before=before, now=now, games=1000, date=date)
        for setting, bot, before, now in said
    ]


def versions() -> tuple[Version, ...]:
    """Return versions of a bot: two that have played, and one with a long name that has not."""
    names = ("ann", "bob", HOSTILE_NAMES[0] + "x" * 190)
    return tuple(
        Version(name=name, bot="ann", number=number, sha256="01" * 32, command=("x" * 300,))
        for number, name in enumerate(names, 1)
    )


def provenance() -> Provenance:
    """Return the provenance of games, with long words."""
    odd = "<b>" * 30
    bot = Entrant(
        name=HOSTILE_NAMES[0],
        says=odd,
        author="x" * 200,
        command=("x" * 300, odd),
        options={odd: True},
        time="10+0.1 first 1",
        files={f"/{'x' * 300}": "0123456789abcdef" * 4},
    )
    machine = Machine(cpu=odd, cores=64, memory_bytes=1 << 37, system="x" * 80, python="CPython")
    return Provenance(
        games=0,
        date="2026-11-22T17:40:05+00:00",
        arena="0.2",
        machine=machine,
        jobs=32,
        cores=tuple((n, n + 1) for n in range(0, 64, 2)),
        seed=1,
        bots=(bot, bot),
        configuration=f'event = "{odd}"\n{"x" * 300}\n',
        resolved="",
    )


def index() -> Page:
    """Return the index of a folder of tournaments, one of which is being played."""
    collector = Collector()
    tournaments = {"autumn": (played(), knockout()), "<b>hostile</b>": (hostile_records(), None)}
    for name, (records, outcome) in tournaments.items():
        link = f"{quote(name)}/report.html"
        collector.add(name, records, outcome, is_playing=name == "autumn", link=link)
    return render_index(collector.document(), refresh_s=3600.0)


@cache
def league() -> dict[str, Page]:
    """Return the pages of a league of three events, one of them a pool, with hostile names."""
    pool = Background(versions=versions())
    rounds = {
        "autumn": (played(), NO_BACKGROUND),
        "<b>hostile</b>": (hostile_records(), NO_BACKGROUND),
        "pool": (few(), pool),
    }
    collector, events = Collector(), {}
    for at, (name, (records, background)) in enumerate(rounds.items()):
        link = f"events/{at}.html"
        collector.add(name, records, background.outcome, link=link)
        told = document(records, background=background)
        events[name] = Event(
            title=name + "x" * 90 * at,
            link=link,
            date="2026-11-22",
            table=told["standings"]["overall"],
            versions=told["versions"],
            regressions=told["regressions"],
        )
    index = collector.document()
    ordered = [events[one["name"]] for one in index["tournaments"]]
    return dict(league_pages(league_of(ordered, index["standings"]["overall"]), index))


def measures_of(*ids: str, compare: bool = False, annotated: bool = True) -> Page:
    """Return the page of metrics of these games, or the comparison of two."""
    groups = []
    for game_id in ids:
        group = GameGroup(game_id)
        for record in tournament(BOTS, 2, game_ids=(game_id,), annotated=annotated):
            group.add(record)
        groups.append(group)
    command = "arena stats a.lath b.lath --measures" + " --compare" * compare
    compared = compare_groups(*groups) if compare else None
    return render_measures(_named(names_of(groups), groups), command, "page.html", compared)


def hostile_measures() -> Page:
    """Return the page of metrics with hostile names of files and in the query."""
    groups = [GameGroup("yavalath"), GameGroup("yavalath")]
    for group, name in zip(groups, BOTS, strict=False):
        for record in tournament((name, *HOSTILE_NAMES[:2]), 1, game_ids=("yavalath",)):
            group.add(record)
    odd = HOSTILE_NAMES[0]
    named = _named((odd, "x" * 300), groups)
    return render_measures(named, f"arena stats {odd}", odd, compare_groups(*groups))


def _named(names: Iterable[str], groups: Iterable[GameGroup]) -> list[NamedGroup]:
    return [NamedGroup(name=name, group=group) for name, group in zip(names, groups, strict=True)]


PAGES: Final[dict[str, Callable[[], Page]]] = {
    "played": as_of_many,
    "hostile": lambda: render(hostile_records()),
    "outcome": lambda: render(
        few()[::3],
        background=Background(
            outcome=knockout(),
            changes=tuple(changes()),
            versions=versions(),
            provenance=(provenance(),),
        ),
    ),
    "empty": lambda: render([]),
    "one game": lambda: render(
        [random_game("manalath", 1)], background=Background(outcome=swiss())
    ),
    "many bots": lambda: render(list(many_bots())),
    "watched": lambda: render(played()[:9], refresh_s=3600.0),
    "index": index,
    "league": lambda: league()["index.html"],
    "entrant": lambda: league()["bots/ann.html"],
    "measures": lambda: measures_of("mammalath", "surikata"),
    "measures compared": hostile_measures,
    "head to head": lambda: league()["head-to-head.html"],
}
"""The function that makes the page of each kind; the fixture `the_page` calls it once per run."""
