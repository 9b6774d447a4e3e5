"""One bad entry never stops the others: a bot that cannot play, or only crashes, is benched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import bad_bots
import pytest
from bad_bots import DiesInItsMove, Good, PlaysAnIllegalMove, PlaysAnotherGame, command
from commands import arena as here
from desks import Desk
from quick_runs import play_here
from results import a_result
from scripted import scripted

from lath.arena.errors import ConfigError
from lath.arena.flows.runs import RunResult, tournament
from lath.arena.schedule.core import Absence
from lath.arena.tournament.configuration.config import build
from lath.arena.tournament.outcome.notes import benched_in
from lath.arena.tournament.run.events import BotBenched, Event, GameEnded
from lath.arena.tournament.store.jobs import PairJob, PairResult

pytestmark = pytest.mark.slow

FORMATS: Final = ("round-robin", "gauntlet", "swiss", "knockout", "pool")

NAMES: Final = ("A", "B", "C", "D", "X")

GOODS: Final = ("ann", "bob", "cat")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    desk = Desk(tmp_path, monkeypatch)
    yield desk
    desk.store.close()


def x_crashes(job: PairJob) -> str:
    """Let X crash in each game, and else the bot win whose name comes first."""
    games = []
    for plan in job.games:
        is_first_better = plan.names[0] < plan.names[1]
        crash = {"termination": "crash"} if "X" in plan.names else {}
        result = "1-0" if is_first_better else "0-1"
        games.append(a_result(plan.number, plan.names, result=result, **crash))
    return PairResult(pair=job.pair, games=tuple(games)).as_text()


def games_by_pairing(desk: Desk) -> Counter[frozenset[str]]:
    return Counter(frozenset(game[1:3]) for game in desk.store.results())


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("form", FORMATS)
def test_who_crashes_in_games_in_a_row_is_benched_and_the_others_play_to_the_end(
    desk: Desk, form: str, jobs: int
) -> None:
    told: dict[str, Any] = {"format": form, "names": NAMES, "jobs": jobs, "bench_after": 4}
    told |= {"rounds": 6 if form == "swiss" else 30, "pairs": 2}
    summary = desk.run(x_crashes, **told)
    assert summary.newly_benched == {"X"}
    assert summary.is_done
    assert not summary.is_fine, "a bot is at fault, and that is news"
    of_x = sum(games for both, games in games_by_pairing(desk).items() if "X" in both)
    assert 4 <= of_x < 120, "what was handed out is played, and no more"
    if form in ("round-robin", "pool"):
        goods = {frozenset(both): 60 for both in combinations(NAMES[:-1], 2)}
        played = games_by_pairing(desk)
        assert {both: played[both] for both in goods} == goods
    if form in ("swiss", "knockout"):
        assert summary.is_complete, "what it has left is lost, or not paired"
    words = [text for text in desk.watcher.warnings if text.startswith("X is benched: ")]
    assert len(words) == 1
    assert "crashed in 4 games in a row (see arena bot log " in words[0]
    played_once = desk.played.copy()
    again = desk.run(x_crashes, **told)
    assert (again.is_fine, again.outcome) == (True, summary.outcome)
    assert desk.played == played_once, "the next run plays nothing twice, and X not at all"


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_that_was_cut_benches_the_same_bot_after_the_same_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    def outcomes(cut: int) -> tuple[set[int], object]:
        folder = tmp_path / f"{cut}"
        folder.mkdir()
        desk, left = Desk(folder, monkeypatch), cut

        def play(job: PairJob) -> str:
            nonlocal left
            left -= 1
            if left == 0:
                raise ValueError("cut")
            return x_crashes(job)

        told: dict[str, Any] = {"format": form, "names": NAMES, "jobs": 1, "bench_after": 3}
        told["pairs"] = 2
        if cut:
            with pytest.raises(ValueError, match="cut"):
                desk.run(play, rounds=3, **told)
        summary = desk.run(x_crashes, rounds=3, **told)
        assert {*summary.benched} == {"X"}
        with_x = {game.number for game in desk.store.results() if "X" in game[1:3]}
        desk.store.close()
        return with_x, summary.outcome.words

    whole = outcomes(0)
    for cut in (1, 2, 4, 6):
        with_x, words = outcomes(cut)
        assert words == whole[1]
        assert with_x <= whole[0]


def test_crashes_are_counted_by_the_number_of_the_games_and_a_good_one_ends_the_row(
    desk: Desk,
) -> None:
    def now_and_then(job: PairJob) -> str:
        return x_crashes(job) if job.pair % 4 else x_plays(job)

    def x_plays(job: PairJob) -> str:
        games = tuple(a_result(plan.number, plan.names) for plan in job.games)
        return PairResult(pair=job.pair, games=games).as_text()

    summary = desk.run(now_and_then, names=("A", "B", "X"), rounds=30, bench_after=9, jobs=2)
    assert (summary.is_complete, summary.is_fine) == (True, True)


def test_never_is_nobody_benched_for_crashes_and_never_the_last_two_that_meet(desk: Desk) -> None:
    summary = desk.run(x_crashes, names=("A", "B", "X"), rounds=3, bench_after=0)
    assert (summary.is_complete, summary.benched) == (True, {})
    summary = desk.run(x_crashes, names=("A", "B", "X"), rounds=3, bench_after=5)
    assert {*summary.benched} == {"X"}, "of games that are stored, too"


@pytest.mark.parametrize("form", ["round-robin", "match", "gauntlet"])
def test_who_is_needed_for_every_game_is_not_benched(desk: Desk, form: str) -> None:
    names = ("X", "A", "B") if form == "gauntlet" else ("X", "A")
    summary = desk.run(x_crashes, names=names, format=form, rounds=9, bench_after=2)
    assert (summary.is_complete, summary.benched) == (True, {})


def test_in_a_swiss_nobody_meets_a_benched_bot_and_one_of_an_odd_number_has_a_bye(
    desk: Desk,
) -> None:
    told: dict[str, Any] = {"names": (*NAMES, "Y"), "format": "swiss", "rounds": 4, "pairs": 2}
    summary = desk.run(x_crashes, jobs=1, bench_after=3, **told)
    rounds = summary.outcome.data["rounds"]
    in_round = [[each for each in paired if "X" in each["bots"]] for paired in rounds]
    assert [len(each) for each in in_round] == [1, 0, 0, 0]
    assert [sum(None in each["bots"] for each in paired) for paired in rounds] == [0, 1, 1, 1]
    again = desk.run(x_crashes, jobs=1, bench_after=3, unbench=["X"], **{**told, "rounds": 6})
    back = again.outcome.data["rounds"]
    assert back[:4] == rounds, "what was paired stays so"
    assert any("X" in each["bots"] for paired in back[4:] for each in paired)


def test_an_absence_lasts_from_one_round_to_another() -> None:
    assert [Absence("X", 1, 3).covers(stage) for stage in range(4)] == [False, True, True, False]


# With bots that are started


def cup(*bots: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a round robin of three good bots and others."""
    goods = [{"name": name, "command": list(command(Good))} for name in GOODS]
    return {
        "games": ["yavalath"],
        "rounds": 1,
        "openings": "random:0",
        "jobs": 2,
        "bench_after": 3,
        "time": {"move": "5s"},
        "bot": [*goods, *bots],
        **more,
    }


class Told:
    """Remembers what a run tells."""

    def __init__(self) -> None:
        self.games: list[int] = []
        self.benched: list[str] = []

    def __call__(self, event: Event) -> None:
        match event:
            case GameEnded():
                self.games.append(event.number)
            case BotBenched():
                self.benched.append(event.bot)


@pytest.fixture
def _play_here(monkeypatch: pytest.MonkeyPatch) -> None:
    play_here(monkeypatch)


in_this_process = pytest.mark.usefixtures("_play_here")


def run(config: dict[str, Any], out: Path, **more: Any) -> tuple[RunResult, Told]:
    told = Told()
    return tournament(config, out=out, report=False, on_event=told, **more), told


@in_this_process
def test_with_bad_bots_of_any_kind_the_good_ones_play_all_and_the_next_run_works(
    tmp_path: Path,
) -> None:
    kinds = {"other": PlaysAnotherGame, "dies": DiesInItsMove, "cheats": PlaysAnIllegalMove}
    bad = [{"name": name, "command": list(command(kind))} for name, kind in kinds.items()]
    bad += [
        {"name": "lost", "command": list(command(Good)), "files": ["gone"]},
        {"name": "ill", "command": ["false"]},
        {"name": "ghost", "command": ["/nowhere/bot"]},
        {"name": "unbuilt", "command": ["./x"], "cwd": str(tmp_path), "build": "exit 3"},
    ]
    config = cup(*bad, bench_after=2)
    result, told = run(config, tmp_path / "out")
    names = {"other", "dies", "lost", "ill", "ghost", "unbuilt"}
    assert {*told.benched} == {*result.summary.benched} == names
    words = [text.partition(" is benched")[0] for text in result.warnings if "is benched" in text]
    assert sorted(words) == sorted(names), "each is told of once"
    assert not result.summary.is_fine
    games = [(game.tag("First"), game.tag("Second"), game.termination) for game in result.games]
    goods = [game for game in games if {*game[:2]} <= {*GOODS}]
    both = Counter(frozenset(game[:2]) for game in goods)
    assert both == {frozenset(pair): 2 for pair in combinations(GOODS, 2)}
    assert {game[2] for game in goods} == {"rules"}
    assert sum("cheats" in game for game in games) >= 6
    again, told_again = run(config, tmp_path / "out")
    assert (told_again.games, {*told_again.benched}) == ([], names)
    assert again.summary.is_fine
    with pytest.raises(ConfigError, match="'other' does not play yavalath"):
        run({**cup(), "bot": [cup()["bot"][0], bad[0]]}, tmp_path / "two")


@in_this_process
def test_a_bench_is_told_at_the_start_in_the_end_and_on_the_page(tmp_path: Path) -> None:
    bots = {"ann": Good, "bob": Good, "bad": DiesInItsMove}
    lines = [
        f'[[bot]]\nname = "{name}"\ncommand = {list(command(kind))}' for name, kind in bots.items()
    ]
    top = 'games = ["yavalath"]\nrounds = 2\nbench_after = 2\njobs = 1\n'
    config = tmp_path / "cup.toml"
    config.write_text("\n".join([top, '[time]\nmove = "5s"', *lines]).replace("'", '"'))
    out = tmp_path / "out"
    with scripted():
        ran = here("run", str(config), "--output", str(out))
        again = here("run", str(out), "-q", "--no-report")
        refused = here("run", str(out), "--unbench", "ann")
        more = ("--unbench", "bad", "--bench-after", "0")
        back = here("run", str(out), "-q", "--no-report", *more)
    assert ran.status == 1
    said = "bad is benched: crashed in 2 games in a row (see arena bot log "
    assert ran.err.count(f"warning: {said}") == 2
    assert f"arena run {out} --unbench bad\n" in ran.err
    assert said in (out / "report.html").read_text()
    assert again.status == 0
    assert f"warning: {said}" in again.err
    assert (refused.status, refused.err) == (
        2,
        "error: --unbench: 'ann' is not benched; benched bots: bad\n",
    )
    assert back.status == 0, back.err
    assert benched_in([out]) == ()


@in_this_process
def test_a_bot_that_is_mended_plays_without_being_asked_for(tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    program.write_text(bad_bots.program())

    def config(kind: type[Good]) -> dict[str, Any]:
        words = [*command(kind)[:3], str(program), kind.__name__]
        return cup({"name": "mine", "command": words})

    _, told = run(config(DiesInItsMove), tmp_path / "out", bench_after=2)
    assert told.benched == ["mine"]
    _, told = run(config(DiesInItsMove), tmp_path / "out", bench_after=2)
    assert told.games == []
    program.write_text(bad_bots.program().replace("sys.argv[1]", "'Good'"))
    mended, told = run(config(DiesInItsMove), tmp_path / "out", bench_after=2)
    assert (told.benched, mended.summary.is_complete, mended.summary.is_fine) == ([], True, True)
    assert "mine was benched and plays again" in mended.warnings


@in_this_process
@pytest.mark.parametrize("form", ["swiss", "pool"])
def test_a_bot_without_a_game_may_be_edited_until_it_plays_and_nothing_untrue_is_said(
    form: str, tmp_path: Path
) -> None:
    program = tmp_path / "mine.py"
    words = [*command(Good)[:3], str(program), Good.__name__]
    config = cup({"name": "mine", "command": words}, format=form)
    for text in ("raise SystemExit(1)", "raise SystemExit(2)"):
        program.write_text(text)
        tried, told = run(config, tmp_path / "out")
        assert [*tried.summary.benched] == ["mine"]
        assert not any("changed" in words for words in tried.warnings), tried.warnings
    program.write_text(bad_bots.program())
    mended, told = run(config, tmp_path / "out")
    assert told.benched == []
    assert [words for words in mended.warnings if "mine" in words and "plays" in words] == [
        "mine was benched and plays now"
    ]
    assert not any("so far were played" in words for words in mended.warnings)


# Before it begins


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("files", ["gone"], "files: "),
        ("reads", ["gone"], "reads: "),
        ("cwd", "gone", "cwd "),
        ("command", ["./main.c"], "./main.c is C source, not a program"),
    ],
)
def test_a_bot_whose_files_are_gone_is_benched_where_others_are_left(
    key: str, value: object, why: str, tmp_path: Path
) -> None:
    (tmp_path / "main.c").write_text("int main() {}\n")
    bad = {"name": "bad", "command": list(command(Good)), key: value}
    config = build(cup(bad), tmp_path)
    assert config.unfit["bad"].startswith(why)
    with pytest.raises(ConfigError, match="bot 'bad': "):
        build({**cup(bad), "bot": [{"name": "greedy"}, bad]}, tmp_path)
    with pytest.raises(ConfigError, match=r"rounds = 0.*\n.*bot 'bad': "):
        build({**cup(bad), "rounds": 0}, tmp_path, name="cup.toml")


def adds(*words: str, out: Path) -> Callable[[], Any]:
    return lambda: here("run", str(out), *words, "--no-report", "-q")


@in_this_process
def test_a_bad_bot_is_not_added_to_a_pool_unless_asked(tmp_path: Path) -> None:
    out = tmp_path / "league"
    good = " ".join(command(Good))
    new = adds("--add", f"ann={good}", "--add", f"bob={good}", "--game", "yavalath", out=out)
    assert new().status == 0
    config = out / "tournament.toml"
    before = config.read_bytes()
    bad = " ".join(command(PlaysAnotherGame))
    words = ("--add", f"cat={good}", "--add", f"bad={bad}", "--add", "ghost=./nosuch")
    refused = adds(*words, out=out)()
    assert refused.status == 1
    assert "--add bad: does not play yavalath: it plays chess\n" in refused.err
    assert "--add ghost: cannot be started: " in refused.err
    assert "\nhint: fix the bot and add it again" in refused.err
    assert config.read_bytes() == before
    entered = adds(*words, "--anyway", out=out)()
    assert entered.status == 1, "who is benched is news"
    assert {one.bot for one in benched_in([out])} == {"bad", "ghost"}
    assert adds(out=out)().status == 0
