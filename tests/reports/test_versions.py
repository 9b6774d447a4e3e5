"""Versions of a pool's bots: how they compare, and that only what is no chance is called worse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_records import bare

from lath.arena.terminal.layout import Output
from lath.arena.terminal.tables import print_background, print_versions
from lath.notation.record.record import Record
from lath.reports.counting.standings import compute
from lath.reports.counting.table import Standings
from lath.reports.event.background import NO_BACKGROUND, Background
from lath.reports.event.export import to_json
from lath.reports.event.versions import Standing, regressions, standings_of, versions_sheet
from lath.reports.notes.notes import Ruling, Version
from lath.reports.notes.outcome import EventOutcome
from lath.reports.page.document import document
from lath.reports.page.page import render

DATE = "2026-11-10T21:06:48+00:00"


def version(name: str, number: int, retired: str = DATE) -> Version:
    return Version(
        name=name,
        bot="mine",
        number=number,
        sha256=f"{number}" * 64,
        command=("mine",),
        since="2026-11-02T20:52:01+00:00",
        retired=retired,
    )


THREE = Background(versions=(version("mine", 1), version("mine v2", 2), version("mine v3", 3, "")))
ONE = Background(versions=(version("mine", 1, ""),))


def games(**wins: int) -> list[Record]:
    """Return forty games of each version against one opponent, of which it won so many."""
    return [
        bare(name.replace("_", " "), "rival", "1-0" if turn < won else "0-1")
        if turn % 2
        else bare("rival", name.replace("_", " "), "0-1" if turn < won else "1-0")
        for name, won in wins.items()
        for turn in range(40)
    ]


def table(**wins: int) -> tuple[Standings, tuple[Standing, ...]]:
    standings = compute(games(**wins))
    return standings, standings_of(THREE, standings)


WORSE = {"mine": 20, "mine_v2": 30, "mine_v3": 10}

SAID: tuple[tuple[dict[str, int], list[str]], ...] = (
    (WORSE, ["mine v3 is worse than mine v2: -340 Elo "]),
    ({"mine": 20, "mine_v2": 24, "mine_v3": 20}, []),  # chance explains it
    ({"mine": 30, "mine_v2": 10, "mine_v3": 12}, []),  # what was worse rests
    ({"mine": 30, "mine_v3": 10}, ["mine v3 is worse than mine: "]),  # mine v2 never played
    ({"mine_v3": 10}, []),
)


def test_only_what_plays_and_is_worse_beyond_chance_is_called_so() -> None:
    for wins, said in SAID:
        standings, rows = table(**wins)
        sentences = regressions(rows)
        assert len(sentences) == len(said)
        assert all(map(str.startswith, sentences, said))
        for row in rows:
            high = row.difference and row.difference.high
            assert row.is_worse == (isinstance(high, float) and high < 0)
    # Each is compared with the one before by the joint covariance.
    standings, rows = table(mine=20, mine_v2=24, mine_v3=22)
    assert [(row.version.name, row.before) for row in rows] == [
        ("mine", ""),
        ("mine v2", "mine"),
        ("mine v3", "mine v2"),
    ]
    ratings = standings.overall.ratings
    for row in rows[1:]:
        assert row.elo
        assert row.difference
        assert row.difference.error == ratings.differences[row.version.name, row.before]
        before = ratings.strengths[row.before].elo
        assert row.difference.value == pytest.approx(row.elo.value - before.value)
        assert row.better == ratings.superiority(row.version.name, row.before)


def test_terminal_page_and_data_show_them(capsys: pytest.CaptureFixture[str]) -> None:
    standings, rows = table(**WORSE)
    cells = versions_sheet(rows).rows
    assert [(row[0], *row[4:]) for row in cells] == [
        ("mine", "40", "20", "20-0-20", "until 2026-11-10", "2026-11-02 20:52"),
        ("mine v2", "40", "30", "30-0-10", "until 2026-11-10", "2026-11-02 20:52"),
        ("mine v3", "40", "10", "10-0-30", "yes", "2026-11-02 20:52"),
    ]
    assert cells[2][1:4] == ("-170 ±101", "-340 ±177", "0.1%")
    print_versions(THREE, standings, Output(to_stdout=True))
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == regressions(rows)[0]
    assert said.startswith("Versions of bots\nversion")
    told = document(games(**WORSE), background=THREE)
    assert told["versions"] == [to_json(row) for row in rows]
    assert told["regressions"] == regressions(rows)
    page = render(games(**WORSE), background=THREE).html
    section = page[page.index('<section id="versions"') :].partition("</table>")[0]
    assert "mine v3 is worse than mine v2: -340 Elo (95%: -516 to -163)" in section
    assert section.count('class="interval"') == 3
    assert "\N{MINUS SIGN}340" in section
    assert page.count("Elo by version") == 1, "in the member's section, and not in the rival's"
    print_versions(ONE, standings, Output(to_stdout=True))
    assert capsys.readouterr().out == "", "nobody has a second one, or rests"
    for nothing_to_tell in (NO_BACKGROUND, ONE):
        assert "#versions" not in render(games(**WORSE), background=nothing_to_tell).html
    for done, so_far in ((2, "so far: 2 of 8 games\n"), (8, "")):
        outcome = EventOutcome(format="pool", done=done, total=8)
        print_background(Background(outcome=outcome), Output(to_stdout=True))
        assert capsys.readouterr().out == so_far


def test_a_disqualified_version_does_not_play(capsys: pytest.CaptureFixture[str]) -> None:
    out = Ruling(kind="disqualified", bot="mine", reason="by hand", date=DATE)
    back = replace(out, lifted=DATE)
    records = [replace(one, tags=(*one.tags, ("Ruling", out.tag))) for one in games(mine=20)]
    for ruling, said in ((out, "disqualified"), (back, "yes")):
        background = replace(ONE, rulings=(ruling,))
        (row,) = standings_of(background, compute(records))
        assert versions_sheet([row]).rows[0][-2] == said
        print_versions(background, compute(records), Output(to_stdout=True))
        page = render(records, background=background).html
        assert (said == "disqualified") == ("disqualified" in capsys.readouterr().out)
        assert (said == "disqualified") == ('<td class="words">disqualified</td>' in page)
