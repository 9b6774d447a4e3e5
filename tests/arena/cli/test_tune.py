"""Which values are best? `arena tune` looks for them, tests them, and goes on where it stopped."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from arena_runs import Range
from bad_bots import HasASkill, command
from commands import Ran, arena, refusals
from decided import decide_games
from results import a_result

from lath.arena.entrants.flags import bot_flag
from lath.arena.flows import runs, tuning
from lath.arena.referee.bots import Greeting
from lath.arena.referee.record import GamePlan, GameResult
from lath.arena.tournament.outcome.notes import outcome_in
from lath.arena.tournament.outcome.sources import records_of
from lath.arena.tournament.run import folder as directory
from lath.arena.tournament.store.jobs import PairJob
from lath.notation.protocol import read_option
from lath.notation.record.record import Record
from lath.reports.counting import standings

if TYPE_CHECKING:
    from golden import Golden

BOT: Final = f"able={shlex.join(command(HasASkill))}"
REAL: Final = (
    *("tune", BOT, "--option", "skill=0..100 step 10", "--game", "yavalath"),
    *("--tc", "nodes 1", "--openings", "random:4"),
)


class Killed(BaseException):
    """What ends a run at once, as nothing that it knows of."""


def follows(
    patch: pytest.MonkeyPatch, worth: Callable[[int], float] = float, *, killed_after: int = -1
) -> None:
    """Let games be won by the bot whose skill is worth more, else by nobody.

    No bot is started; after so many pairs the run is killed.
    """
    left = killed_after

    def decided(plan: GamePlan, job: PairJob) -> GameResult:
        nonlocal left
        if plan is job.games[0]:
            if left == 0:
                raise Killed
            left -= 1
        skills = {bot.name: worth(int(str(bot.options["skill"]))) for bot in job.bots}
        first, second = (skills[name] for name in plan.names)
        result = "1/2-1/2" if first == second else "1-0" if first > second else "0-1"
        return a_result(plan.number, names=plan.names, result=result)

    decide_games(patch, decided)
    patch.setattr(runs, "play", partial(directory.run, with_report=False))
    greeting = Greeting(games=["yavalath"])
    for line in (
        "option name skill type spin default 20 min 0 max 100",
        "option name style type combo default calm var calm var wild",
    ):
        option = read_option(line)
        greeting.options[option.name] = option
    patch.setattr(tuning, "greeting_of", lambda *_: greeting)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def tune(out: str, *words: object) -> Ran:
    """Run the command on a bot that is never started."""
    told = ("--option", "skill=0..100", "--game", "yavalath", "--pairs", 40, "--sprt-pairs", 60)
    return arena("tune", "greedy; option.style=calm", *told, "--output", out, *words)


def data_of(out: Path | str) -> Any:
    """Return all that a tuning has come to."""
    found = outcome_in([Path(out)])
    assert found
    return found.data


# What it comes to


def test_a_verdict_is_said_first_and_what_was_found_is_a_bot_to_be_pasted(
    monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    kinds: dict[str, tuple[Callable[[int], float], int]] = {
        "better": (float, 10),
        # Here everything is alike but for the values of the start, of which no trial is one.
        "not better": (lambda skill: skill == 20, 11),
        "the start": (lambda _: 0.0, 11),
    }
    said = {}
    for name, (worth, status) in kinds.items():
        with monkeypatch.context() as patch:
            follows(patch, worth)
            ended = tune(name, "-q", "--rate", "2")
            assert ended.status == status, name
            said[name] = ended.out
    golden(said)
    (option,) = data_of("better")["tune"]["options"]
    assert option["value"] > 30
    follows(monkeypatch)
    told = json.loads(arena("tune", "better", "--json").out)
    assert (told["verdict"], told["start"], told["folder"]) == ("better", {"skill": 20}, "better")
    assert told["pairs"]["tuning"] == 40
    assert told["values"]["skill"] > 30
    assert told["elo"] is None or told["elo"] > 0


# Going on


def test_undecided_and_a_spent_budget_are_a_status_too_and_more_pairs_go_on(
    monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    follows(monkeypatch)
    ended = tune("out", "--budget", 10, "--sprt-pairs", 4)
    assert ended.status == 12
    assert ended.out.startswith("undecided: nothing is tested yet")
    assert data_of("out")["tune"]["done"] == 5
    plan = arena("run", "out", "--plan").out
    assert plan.startswith("Tuning of greedy, a tune: ")
    assert "10 are played" in plan
    assert "Expected 95% intervals" not in plan
    others = "tune 'greedy; option.style=calm' --option skill=0..100 --game yavalath --output out"
    golden(
        refusals(
            f"{others} --pairs {pairs} --sprt-pairs 4 {more}"
            for pairs, more in ((40, "--seed 2"), (41, ""))
        ),
        case="other terms are another tuning",
    )
    golden(refusals(["tune out --option skill=1..9 --pairs 3"]), case="as it was begun")
    few = arena("tune", "out")
    assert few.status == 12
    assert "continue with: arena tune out --sprt-pairs N, for more" in few.err
    assert arena("tune", "out", "-q").status == 12
    assert arena("tune", "out", "--sprt-pairs", 60, "-q").status == 10


def test_a_tuning_that_was_killed_ends_as_one_that_was_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        follows(patch)
        assert tune("whole", "-q", "--pairs", 20).status == 10
    for pairs in (1, 15, 20):
        with monkeypatch.context() as patch:
            follows(patch, killed_after=pairs)
            with pytest.raises(Killed):
                tune("killed", "-q", "--jobs", 1, "--pairs", 20)
    follows(monkeypatch)
    assert arena("tune", "killed", "-q").status == 10
    assert data_of("killed") == data_of("whole")


OPTIONS: Final = ("skil=1..9", "style=1..9", "skill=1..101", "skill=30..90")


def test_what_cannot_be_tuned_is_refused(monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    follows(monkeypatch)
    words = "tune greedy --game yavalath --output out"
    golden(refusals([words, *(f"{words} --option {option}" for option in OPTIONS)]))
    assert not Path("out").exists()


# With bots that are started


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Range]:
    """Give a folder to run in; nothing that ran there may be left."""
    with Range(tmp_path) as place:
        yield place


def test_bots_play_with_the_options_that_their_records_have_and_a_trial_is_given_again(
    place: Range,
) -> None:
    log = place.folder / "log"
    words = [*REAL[:1], f"{BOT}; env.LOG={log}", *REAL[2:], "--pairs", 6, "--sprt-pairs", 1]
    ran = place.arena(*words, "--jobs", 2, "--output", place.out, "-q")
    assert ran.returncode == 12, ran.stderr
    said = ran.stdout.splitlines()[-1].removeprefix("--bot ")
    assert bot_flag(*shlex.split(said))["options"] == tuning.values_of(data_of(place.out))
    heard = {tuple(line.split()) for line in log.read_text().splitlines()}
    records = [one for one in records_of([place.out]) if isinstance(one, Record)]
    told = {
        (str(record.number), record.tag(f"{seat}Options").removeprefix("skill="))
        for record in records
        for seat in ("First", "Second")
    }
    assert (len(records), heard) == (14, told)
    assert len({skill for _, skill in told}) > 4
    table = standings.compute(records_of([place.out]))
    assert table.left_out == {"tuning": 12}
    assert "Tuning games are not rated" in (place.out / "report.html").read_text()
    log.unlink()
    for side in ("first", "second"):
        place.arena("bot", "replay", place.out, 1, "--side", side)
    again = {tuple(line.split()) for line in log.read_text().splitlines()}
    assert again == {each for each in heard if each[0] == "1"}
    assert len(again) == 2


def test_how_many_are_played_at_a_time_changes_no_value(place: Range) -> None:
    ends = []
    for jobs in (1, 2):
        out = place.folder / f"jobs-{jobs}"
        words = ("--pairs", 5, "--sprt-pairs", 1, "--ahead", 2, "--jobs", jobs)
        assert place.arena(*REAL, *words, "--output", out, "-q").returncode == 12
        ends.append(data_of(out))
    assert ends[0] == ends[1]
