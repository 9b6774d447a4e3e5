"""What people see while a tournament runs: it fits, says what is, and nothing in it is markup."""

from __future__ import annotations

import dataclasses
import io
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.segment import SegmentLines
from runs import Told

from lath.arena.errors import Cause
from lath.arena.schedule.budget import UNLIMITED, Budget
from lath.arena.schedule.core import seed_digest
from lath.arena.schedule.sprt import Sprt
from lath.arena.terminal import layout, live
from lath.arena.terminal.layout import LayoutColumn, Letters, laid_out
from lath.arena.terminal.live import picture, share_rows
from lath.arena.tournament.run.events import BotBenched, Waiting
from lath.arena.tournament.run.progress import Progress
from lath.arena.tournament.run.slots import DRAWN_S, GATHER_S, VERDICT_S, longest_wait_s
from lath.arena.tournament.store.totals import EndingTally, PairTally
from lath.reports.notes.outcome import EventOutcome

if TYPE_CHECKING:
    import pytest
    from golden import Golden

HOSTILE = "[bold]\x1b[31mred\x07 名前名前名前名前名前名前名前\u202e"


def played(budget: Budget = UNLIMITED, **config: object) -> Told:
    """Return a run in which ann has won all of ten pairs, by all kinds of mishap."""
    told = Told(total=60, **config)
    told.start(budget=budget)
    for ending in ("crash", "time", "illegal move", "flood", "rules") * 2:
        told.clock.now_s += 1
        told.play("1-0", "0-1", termination=ending)
    told.begin(11, slot=1)
    told.begin(12, slot=2, names=("bob", "cat"))
    told.clock.now_s += 12
    return told


def shown(progress: Progress, width: int = 120, height: int = 40, *, ascii_: bool = False) -> str:
    """Return the picture as text."""
    lines = picture(progress, width, height, Letters(is_ascii=ascii_))
    return "\n".join("".join(part.text for part in line) for line in lines)


def test_the_picture_says_it_all(golden: Golden) -> None:
    told = played()
    told.warn("bob: 3 void")
    pictures = {"all": shown(told.progress), "sixty columns": shown(played().progress, 60)}
    told.progress(BotBenched(bot="cat", why="exited with status 3 before ok"))
    for _ in range(2):
        told.warn("bob: 3 void")
    told.clock.now_s += 78
    pictures["a minute later, cat benched, a warning thrice"] = shown(told.progress)
    told = Told(format="match")
    told.start()
    told.wait(words=("SPRT: LLR 1.20 (-2.94, 2.94)", "one two three " * 6 + "LLR 1.20"))
    pictures["lines of the format are broken, not cut"] = shown(told.progress, 60)
    told = played()
    told.warn(HOSTILE)
    told.wait(words=("0, ½, 1",))
    pictures["ASCII"] = shown(told.progress, ascii_=True)
    assert pictures["ASCII"].isascii()
    golden(pictures)


def test_what_is_left_of_a_budget_is_told_of_the_budget() -> None:
    for budget, left in (
        (Budget(seconds=100), "1:18 of the budget left"),
        (Budget(games=50), "30 games of the budget left (about 0:33)"),
    ):
        assert f"20 of 60 games, 0.91 games/s, {left}\n" in shown(played(budget).progress)


def test_the_picture_fits() -> None:
    for bots in (2, 40):
        names = (HOSTILE, *(f"a rather long name of bot {n}" for n in range(1, bots)))
        told = Told(total=10**6, names=names, event=HOSTILE * 3)
        told.start()
        told.play("1-0", "0-1", names=(names[0], names[1]), termination="flood")
        for slot in range(20):
            told.begin(slot + 2, slot + 1, names=(names[1], names[0]))
            told.warn(f"{slot} {HOSTILE * 9}\n")
        told.wait(1.0, words=tuple(HOSTILE * number for number in range(1, 9)))
        sizes = product((60, 72, 80, 100, 140, 200), (6, 10, 24, 60), (False, True))
        for width, height, ascii_ in sizes:
            lines = shown(told.progress, width, height, ascii_=ascii_).split("\n")
            assert len(lines) <= height
            assert max(map(cell_len, lines)) <= width
            assert "1 more" not in lines[-1]
            assert any("games/s" in line or " of 1000000 games" in line for line in lines)


def test_of_many_bots_slots_and_warnings_some_are_shown_and_the_rest_counted() -> None:
    told = Told(names=tuple(f"bot{number}" for number in range(40)))
    told.start()
    text = shown(told.progress, height=12)
    assert re.findall(r"\bbot\d+", text) == [f"bot{number}" for number in range(7)]
    assert "… 33 more bots" in text
    told = Told(total=100)
    told.start()
    for slot in range(50):
        told.begin(slot + 1, slot + 1)
    text = shown(told.progress)
    assert "pair 8: ann - bob, yavalath, 0:00 … 42 more" in text
    assert "pair 9:" not in text
    for number in [*range(100), 99]:
        told.warn(f"warning {number}")
    text = shown(told.progress)
    assert "warnings warning 97\n" in text
    assert "warning 99 (2 times) (last of 101)" in text


def test_names_and_warnings_are_never_markup_nor_control() -> None:
    told = Told(names=(HOSTILE, "bob", "cat"), event=HOSTILE)
    told.start()
    told.begin(1, 1, names=(HOSTILE, "bob"))
    told.warn(f"{HOSTILE}\nsecond line")
    text = shown(told.progress)
    assert [letter for letter in "\x1b\x07\u202e" if letter in text] == []
    assert text.count("[bold]·[31mred·") == 4
    assert "·second line" in text


@contextmanager
def screen(
    monkeypatch: pytest.MonkeyPatch, progress: Progress, *, flags: str = "", **console: object
) -> Iterator[io.StringIO]:
    """Show a run on a terminal of 100 columns, of which a test has what is sent there."""
    file = io.StringIO()
    values = {"file": file, "force_terminal": True, "width": 100, "height": 30, **console}
    # Where rich makes a terminal of standard error, which here is none.
    monkeypatch.setattr(layout, "Console", lambda **_: Console(**values))  # type: ignore[arg-type]
    with live.screen(progress, quiet="quiet" in flags, verbose="verbose" in flags):
        yield file


def drawn(monkeypatch: pytest.MonkeyPatch, progress: Progress, **console: object) -> str:
    """Return what is sent to a terminal while a run has three refreshes."""
    with screen(monkeypatch, progress, **console) as file:  # type: ignore[arg-type]
        for _ in range(3):
            progress.clock.now_s += 1  # type: ignore[attr-defined]
            progress(Waiting(60, lambda: EventOutcome(format="match")))
    return file.getvalue()


COLOURS = re.compile(r"\x1b\[[\d;]*(3[0-7]|9[0-7]|38;[25];[\d;]+)m")


def test_the_live_view_draws_itself_over_itself_in_colour_unless_there_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    text = drawn(monkeypatch, played().progress)
    assert text.count("pair 11: ann - bob") == 3 + 1, "and once when the view goes"
    assert "\x1b[2K\x1b[1A" in text
    assert "\x1b[32m━" in text
    assert "\x1b[?25h" in text.split("pair 11")[-1], "the cursor is shown again"
    assert COLOURS.search(text)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not COLOURS.search(drawn(monkeypatch, played().progress))


def test_results_wait_no_longer_than_the_view_does(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = played().progress
    assert longest_wait_s(progress.config, progress) == GATHER_S
    drawn(monkeypatch, progress)
    assert longest_wait_s(progress.config, progress) == DRAWN_S <= live.REFRESH_S
    tested = dataclasses.replace(progress.config, sprt=Sprt(elo0=0, elo1=5))
    assert longest_wait_s(tested, progress) == VERDICT_S


def test_games_are_told_above_the_view_without_drawing_it_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    told = Told(total=1000)
    with screen(monkeypatch, told.progress, flags="verbose") as file:
        told.start()
        for _ in range(100):
            told.play("1-0", "0-1")
        told.wait(1.0)
        told.play("1-0", "0-1")
    assert file.getvalue().count("yavalath: ann - bob") == 101
    assert file.getvalue().count("Ctrl-C stops") <= 3


def test_a_terminal_that_is_none_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    for term, console in (("xterm", {"force_terminal": False}), ("dumb", {})):
        monkeypatch.setenv("TERM", term)
        told = played()
        told.warn("before anybody listens")
        assert drawn(monkeypatch, told.progress, **console).splitlines() == [
            "20 of 60 games, 0.87 games/s, 0:46 left",  # due since ten seconds after the start
            "20 of 60 games, 0.80 games/s, 0:50 left",
        ]


def test_plain_lines_come_at_once_and_then_every_ten_seconds_and_tell_warnings_and_standing(
    monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    told = Told(total=60)
    plain = {"force_terminal": None, "width": None, "height": None}
    with screen(monkeypatch, told.progress, **plain) as file:  # type: ignore[arg-type]
        told.start()
        for _ in range(24):
            told.wait(1.0, words=("SPRT: LLR 1.20",))
        told.play("1-0", "0-1")
        told.warn("bob's [odd]")
        told.stop({"bob", "ann"}, Cause("why"))
    golden(file.getvalue(), seed=seed_digest(told.progress.config.seed))


def test_a_quiet_run_tells_warnings_only(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(total=60)
    with screen(monkeypatch, told.progress, flags="quiet") as file:
        told.start()
        told.wait(100.0)
        told.play("1-0", "0-1")
        told.warn("bob is odd")
    assert re.sub(r"\x1b\[[\d;]*m", "", file.getvalue()) == "warning: bob is odd\n"


def test_warnings_stay_on_the_screen_when_the_live_view_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    told = played()
    for number in range(25):
        told.warn(f"warning number {number}")
    after = drawn(monkeypatch, told.progress).split("\x1b[?25h")[-1]
    assert "warning: 5 earlier warnings are not shown" in after
    assert "warning: warning number 24" in after
    assert "20 of 60 games" in after.splitlines()[-1]


def test_drawing_takes_less_than_a_tenth_of_a_core() -> None:
    """Of a run of forty bots who have all met, by the time that this thread computes."""
    names = tuple(f"bot-number-{number}" for number in range(40))
    told = Told(total=10**5, names=names)
    pairings = [(one, other) for one in names for other in names if one < other]
    told.start(
        *(EndingTally(*pairing, "0-1", "crash", 30) for pairing in pairings),
        pairs=tuple(PairTally(*pairing, 1.0, 2, 20) for pairing in pairings),
    )
    console = Console(file=io.StringIO(), force_terminal=True, width=120, height=60)
    costs = []
    for _ in range(20):
        began_s = time.thread_time()
        console.print(SegmentLines(picture(told.progress, 120, 60, Letters()), new_lines=True))
        costs.append(time.thread_time() - began_s)
    assert sorted(costs)[10] < 0.1 * live.REFRESH_S


def test_a_slow_machine_is_drawn_on_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(range(1000))
    monkeypatch.setattr(time, "thread_time", lambda: next(times) / 10)
    monkeypatch.setenv("TERM", "xterm")
    assert drawn(monkeypatch, played().progress).count("pair 11: ann - bob") == 1 + 1


def test_where_room_is_short_columns_go_by_rank_and_names_are_cut() -> None:
    columns = [
        LayoutColumn("bot", ["a name of many letters"], kind="name"),
        LayoutColumn("score", ["50.0%"]),
        LayoutColumn("Elo", ["+100"], rank=2),
        LayoutColumn("games", ["1000"], rank=1),
    ]

    def text(width: int) -> list[str]:
        return ["".join(p.text for p in line) for line in laid_out(columns, width, Letters())]

    assert text(44)[0] == "bot                     score   Elo  games"
    assert {width: text(width)[1] for width in (44, 36, 30, 24, 15)} == {
        44: "a name of many letters  50.0%  +100   1000",
        36: "a name of many …  50.0%  +100   1000",
        30: "a name of many …  50.0%   1000",
        24: "a name of many l…  50.0%",
        15: "a name …  50.0%",
    }


def test_rows_are_shared_out_by_importance() -> None:
    assert share_rows(20, [(4, 41), (1, 3), (1, 2)]) == [15, 3, 2]
    assert share_rows(20, [(4, 6), (1, 3), (1, 2)]) == [6, 3, 2]
    assert share_rows(4, [(4, 41), (1, 3), (1, 2)]) == [4, 0, 0]
    assert share_rows(2, [(4, 41), (1, 3), (1, 0)]) == [0, 2, 0]
    assert share_rows(0, [(4, 41), (1, 3)]) == [0, 0]
