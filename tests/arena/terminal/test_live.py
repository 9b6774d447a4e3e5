"""What people see while a tournament runs: it fits, says what is, and nothing in it is markup."""

from __future__ import annotations

import dataclasses
import io
import re
import time

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.segment import SegmentLines
from runs import Told

from lath.arena.schedule.core import seed_digest
from lath.arena.schedule.sprt import Sprt
from lath.arena.terminal import layout, live
from lath.arena.terminal.layout import Column, Letters, laid_out
from lath.arena.terminal.live import picture, share_rows
from lath.arena.tournament.events import BotBenched, Waiting
from lath.arena.tournament.progress import Progress
from lath.arena.tournament.slots import DRAWN_S, GATHER_S, VERDICT_S, longest_wait_s
from lath.arena.tournament.store import PairTally, Tally
from lath.reports.outcome import Outcome
from lath.reports.ranking import SAYS

WIDTHS = (60, 72, 80, 100, 140, 200)

HOSTILE = "[bold]\x1b[31mred\x07 名前名前名前名前名前名前名前\u202e"


def played(**config: object) -> Told:
    """Return a run in which ann has won all of ten pairs, by all kinds of mishap."""
    told = Told(total=60, **config)
    told.start()
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


def test_the_picture_says_it_all() -> None:
    told = played()
    told.warn("bob: 3 void")
    assert [line.rstrip() for line in shown(told.progress).splitlines()] == [
        "Tournament",
        "#  bot  points  games   score        95 %     Elo   W-D-L  crash  time  illegal  flood",
        "1  ann      20     20  100.0%  67.4–100.0  > +126  20-0-0",
        "2  bob       0     20    0.0%    0.0–32.6  < -126  0-0-20      4     4        4      4",
        "-  cat       0      0       -                       0-0-0",
        SAYS["points"],
        "━" * 30 + " 20 of 60 games, 0.91 games/s, 0:44 left",
        "running  pair 11: ann - bob, yavalath, 0:12",
        "         pair 12: bob - cat, yavalath, 0:12",
        "warning  bob: 3 void",
        "Ctrl-C stops; nothing finished is lost",
    ]


def test_a_bot_that_is_benched_has_its_line() -> None:
    told = played()
    told.progress(BotBenched(bot="cat", why="exited with status 3 before ok"))
    (line,) = [line for line in shown(told.progress).splitlines() if "benched" in line]
    assert line.rstrip() == "benched  cat: exited with status 3 before ok"


def test_in_few_columns_forfeits_are_one_number() -> None:
    assert [line.rstrip() for line in shown(played().progress, 60).splitlines()[1:3]] == [
        "#  bot  points  games   score        95 %   W-D-L  forfeits",
        "1  ann      20     20  100.0%  67.4–100.0  20-0-0",
    ]


def test_after_a_minute_both_rates_are_told() -> None:
    told = played()
    told.clock.now_s += 78
    assert "20 of 60 games, 0.20 games/s, 0.20 overall, 3:20 left" in shown(told.progress)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("height", [6, 10, 24, 60])
@pytest.mark.parametrize("bots", [2, 40])
def test_the_picture_fits(width: int, height: int, bots: int) -> None:
    names = (HOSTILE, *(f"a rather long name of bot {n}" for n in range(1, bots)))
    told = Told(total=10**6, names=names, event=HOSTILE * 3)
    told.start()
    told.play("1-0", "0-1", names=(names[0], names[1]), termination="flood")
    for slot in range(20):
        told.begin(slot + 2, slot + 1, names=(names[1], names[0]))
        told.warn(f"{slot} {HOSTILE * 9}\n")
    told.wait(1.0, words=tuple(HOSTILE * number for number in range(1, 9)))
    for ascii_ in (False, True):
        lines = shown(told.progress, width, height, ascii_=ascii_).split("\n")
        assert len(lines) <= height
        assert max(map(cell_len, lines)) <= width
        assert "1 more" not in lines[-1]
        assert any("games/s" in line or " of 1000000 games" in line for line in lines)


def test_of_many_bots_the_first_are_shown_and_the_rest_counted() -> None:
    names = tuple(f"bot{number}" for number in range(40))
    told = Told(names=names)
    told.start()
    text = shown(told.progress, height=12)
    assert re.findall(r"\bbot\d+", text) == [f"bot{number}" for number in range(7)]
    assert "… 33 more bots" in text


def test_of_many_slots_the_first_are_shown_and_the_rest_counted() -> None:
    told = Told(total=100)
    told.start()
    for slot in range(50):
        told.begin(slot + 1, slot + 1)
    text = shown(told.progress)
    assert "pair 8: ann - bob, yavalath, 0:00 … 42 more" in text
    assert "pair 9:" not in text


def test_of_many_warnings_the_last_are_shown_and_all_are_counted() -> None:
    told = Told()
    for number in range(100):
        told.warn(f"warning {number}")
    told.warn("warning 99")
    text = shown(told.progress)
    assert "warnings warning 97\n" in text
    assert "warning 99 (2 times) (last of 101)" in text


def test_a_warning_that_comes_again_takes_one_line() -> None:
    told = Told()
    for _ in range(3):
        told.warn("bob: 1 void")
    assert "\nwarning  bob: 1 void (3 times)\n" in shown(told.progress)


def test_how_it_stands_by_the_rules_of_the_format_has_its_lines() -> None:
    told = Told(format="match")
    told.start()
    told.wait(words=("SPRT: LLR 1.20 (-2.94, 2.94)", "Elo +12"))
    assert "match    SPRT: LLR 1.20 (-2.94, 2.94)\n         Elo +12\n" in shown(told.progress)


def test_a_long_line_of_the_format_is_broken_not_cut() -> None:
    told = Told(format="match")
    told.start()
    told.wait(words=("one two three " * 6 + "LLR 1.20",))
    assert shown(told.progress, 60).splitlines()[6:8] == [
        "match    one two three one two three one two three one two",
        "         three one two three one two three LLR 1.20",
    ]


def test_a_terminal_of_ascii_is_sent_ascii() -> None:
    told = played(names=("ann", "bob", "cat"))
    told.warn(HOSTILE)
    told.wait(words=("0, ½, 1",))
    text = shown(told.progress, ascii_=True)
    assert text.isascii()
    assert "##########.................... 20 of 60 games" in text
    assert "67.4-100.0" in text


def test_names_and_warnings_are_never_markup_nor_control() -> None:
    told = Told(names=(HOSTILE, "bob", "cat"), event=HOSTILE)
    told.start()
    told.begin(1, 1, names=(HOSTILE, "bob"))
    told.warn(f"{HOSTILE}\nsecond line")
    text = shown(told.progress)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert text.count("[bold]·[31mred·") == 4
    assert "·second line" in text


def drawn(monkeypatch: pytest.MonkeyPatch, progress: Progress, **console: object) -> str:
    """Return what is sent to a terminal of 100 columns while a run has three refreshes."""
    file = io.StringIO()
    values = {"file": file, "force_terminal": True, "width": 100, "height": 30, **console}
    monkeypatch.setattr(layout, "Console", lambda **_: Console(**values))  # type: ignore[arg-type]
    with live.screen(progress, quiet=False):
        for _ in range(3):
            progress.clock.now_s += 1  # type: ignore[attr-defined]
            progress(Waiting(60, lambda: Outcome(format="match")))
    return file.getvalue()


def test_the_live_view_draws_itself_over_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    text = drawn(monkeypatch, played().progress)
    assert text.count("pair 11: ann - bob") == 3 + 1, "and once when the view goes"
    assert "\x1b[2K\x1b[1A" in text
    assert "\x1b[32m━" in text
    assert "\x1b[?25h" in text.split("pair 11")[-1], "the cursor is shown again"


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
    file = io.StringIO()
    monkeypatch.setattr(
        layout, "Console", lambda **_: Console(file=file, force_terminal=True, width=100)
    )
    with live.screen(told.progress, quiet=False, verbose=True):
        told.start()
        for _ in range(100):
            told.play("1-0", "0-1")
        told.wait(1.0)
        told.play("1-0", "0-1")
    assert file.getvalue().count("yavalath: ann - bob") == 101
    assert file.getvalue().count("Ctrl-C stops") <= 3


def test_without_colour_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    colours = re.compile(r"\x1b\[[\d;]*(3[0-7]|9[0-7]|38;[25];[\d;]+)m")
    assert not colours.search(drawn(monkeypatch, played().progress))


@pytest.mark.parametrize("console", [{"force_terminal": False}, {}])
def test_a_terminal_that_is_none_gets_plain_lines(
    console: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm" if console else "dumb")
    told = played()
    told.warn("before anybody listens")
    text = drawn(monkeypatch, told.progress, **console)
    assert text.splitlines() == [
        "20 of 60 games, 0.87 games/s, 0:46 left",  # due since ten seconds after the start
        "20 of 60 games, 0.80 games/s, 0:50 left",
    ]


def test_plain_lines_come_at_once_and_then_every_ten_seconds_and_tell_warnings_and_standing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = Told(total=60)
    file = io.StringIO()
    monkeypatch.setattr(layout, "Console", lambda **_: Console(file=file))
    with live.screen(told.progress, quiet=False):
        told.start()
        for _ in range(24):
            told.wait(1.0, words=("SPRT: LLR 1.20",))
        told.play("1-0", "0-1")
        told.warn("bob's [odd]")
        told.stop({"bob", "ann"}, "why")
    assert file.getvalue().splitlines() == [
        f"seed: SHA-256 {seed_digest(told.progress.config.seed)}",
        *["0 of 60 games"] * 4,  # every two seconds in the first ten
        "0 of 60 games",
        "SPRT: LLR 1.20",
        "0 of 60 games",
        "SPRT: LLR 1.20",
        "warning: bob's [odd]",
        "warning: ann - bob play no more: why",
        "2 of 60 games, 0.083 games/s, 11:36 left",
    ]


def test_a_quiet_run_tells_warnings_only(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(total=60)
    file = io.StringIO()
    monkeypatch.setattr(layout, "Console", lambda **_: Console(file=file, force_terminal=True))
    with live.screen(told.progress, quiet=True):
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
    assert "warning: 5 earlier ones are left out" in after
    assert "warning: warning number 24" in after
    assert "20 of 60 games" in after.splitlines()[-1]


@pytest.fixture
def crowd() -> Progress:
    """Give a run of forty bots who have all met."""
    names = tuple(f"bot-number-{number}" for number in range(40))
    told = Told(total=10**5, names=names)
    pairings = [(one, other) for one in names for other in names if one < other]
    told.start(
        *(Tally(*pairing, "0-1", "crash", 30) for pairing in pairings),
        pairs=tuple(PairTally(*pairing, 1.0, 2, 20) for pairing in pairings),
    )
    return told.progress


def test_drawing_takes_less_than_3_percent_of_a_core(crowd: Progress) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=120, height=60)
    costs = []
    for _ in range(20):
        began_s = time.thread_time()
        console.print(SegmentLines(picture(crowd, 120, 60, Letters()), new_lines=True))
        costs.append(time.thread_time() - began_s)
    assert sorted(costs)[10] < 0.03 * live.REFRESH_S


def test_a_slow_machine_is_drawn_on_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(range(1000))
    monkeypatch.setattr(time, "thread_time", lambda: next(times) / 10)
    monkeypatch.setenv("TERM", "xterm")
    assert drawn(monkeypatch, played().progress).count("pair 11: ann - bob") == 1 + 1


def test_where_room_is_short_columns_go_by_rank_and_names_are_cut() -> None:
    columns = [
        Column("bot", ["a name of many letters"], kind="name"),
        Column("score", ["50.0%"]),
        Column("Elo", ["+100"], rank=2),
        Column("games", ["1000"], rank=1),
    ]

    def text(width: int) -> list[str]:
        return ["".join(p.text for p in line) for line in laid_out(columns, width, Letters())]

    assert text(44) == [
        "bot                     score   Elo  games",
        "a name of many letters  50.0%  +100   1000",
    ]
    assert text(36)[1] == "a name of many …  50.0%  +100   1000"
    assert text(30)[1] == "a name of many …  50.0%   1000"
    assert text(24)[1] == "a name of many l…  50.0%"
    assert text(15)[1] == "a name …  50.0%"


def test_rows_are_shared_out_by_importance() -> None:
    assert share_rows(20, [(4, 41), (1, 3), (1, 2)]) == [15, 3, 2]
    assert share_rows(20, [(4, 6), (1, 3), (1, 2)]) == [6, 3, 2]
    assert share_rows(4, [(4, 41), (1, 3), (1, 2)]) == [4, 0, 0]
    assert share_rows(2, [(4, 41), (1, 3), (1, 0)]) == [0, 2, 0]
    assert share_rows(0, [(4, 41), (1, 3)]) == [0, 0]
