"""Which values are best? `arena tune` looks for them, tests them, and goes on where it stopped."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from functools import partial
from pathlib import Path
from typing import Any, Final

import commands
import pytest
from arena_runs import Range
from bad_bots import HasASkill, command
from commands import Ran
from quick_runs import play_nothing
from results import a_result

from lath.arena import tuning
from lath.arena.referee.bots import Greeting
from lath.arena.tournament import folder as directory
from lath.arena.tournament.entrants import bot_flag
from lath.arena.tournament.runner import Runner
from lath.arena.tournament.sources import outcome_in, records_of
from lath.arena.tournament.worker import PairJob, PairResult
from lath.notation.protocol import read_option
from lath.notation.record import Record
from lath.reports import standings

BOT: Final = f"able={shlex.join(command(HasASkill))}"
REAL: Final = (
    *("tune", BOT, "--option", "skill=0..100 step 10", "--game", "yavalath"),
    *("--tc", "nodes 1", "--openings", "random:4"),
)


class Follows(Executor):
    """Has games won by the bot whose option says so, else by nobody; may be killed amid them."""

    def __init__(self, worth: Callable[[int], float], killed_after: int) -> None:
        self._worth = worth
        self._left = killed_after

    def submit(self, _play: Callable[..., Any], /, *given: Any, **_: Any) -> Future[Any]:
        (job,) = given
        assert isinstance(job, PairJob)
        if self._left == 0:
            raise Killed
        self._left -= 1
        worth = {bot.name: self._worth(int(str(bot.options["skill"]))) for bot in job.bots}
        played = []
        for plan in job.games:
            first, second = (worth[name] for name in plan.names)
            result = "1/2-1/2" if first == second else "1-0" if first > second else "0-1"
            played.append(a_result(plan.number, names=plan.names, result=result))
        future: Future[Any] = Future()
        future.set_result(PairResult(pair=job.pair, games=tuple(played)).as_text())
        return future


class Killed(BaseException):
    """What ends a run at once, as nothing that it knows of."""


def follows(
    monkeypatch: pytest.MonkeyPatch,
    worth: Callable[[int], float] = float,
    *,
    killed_after: int = -1,
) -> None:
    """Let games in this process follow from the bots' skill; no bot is started."""
    play_nothing(monkeypatch)
    executors = lambda *_: Follows(worth, killed_after)  # noqa: E731
    monkeypatch.setattr(directory, "Runner", partial(Runner, executors=executors))
    monkeypatch.setattr(tuning, "play", partial(directory.run, with_report=False))
    greeting = Greeting(games=["yavalath"])
    for line in (
        "option name skill type spin default 20 min 0 max 100",
        "option name style type combo default calm var calm var wild",
    ):
        option = read_option(line)
        greeting.options[option.name] = option
    monkeypatch.setattr(tuning, "greeting_of", lambda *_: greeting)


def tune(out: Path, *words: object) -> Ran:
    """Run the command on a bot that is never started."""
    told = ("--option", "skill=0..100", "--game", "yavalath", "--pairs", 40, "--sprt-pairs", 60)
    return commands.arena("tune", "greedy; option.style=calm", *told, "--out", out, *words)


# What it comes to


@pytest.mark.parametrize(
    ("worth", "status", "said"),
    [
        (float, 10, "better: greedy-tuned is stronger than greedy: 56 of 56 points (H1 "),
        # Here everything is alike but for the values of the start, of which no trial is one.
        (lambda skill: skill == 20, 11, "not better: greedy-tuned "),
        (lambda _: 0.0, 11, "not better: greedy-tuned is greedy: its values are those of the "),
    ],
)
def test_a_verdict_is_said_first_and_has_a_status_of_its_own(
    worth: Callable[[int], float],
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    follows(monkeypatch, worth)
    ended = tune(tmp_path / "out", "-q", "--rate", "2")
    assert ended.status == status
    assert ended.out.startswith(said)


def test_what_was_found_is_a_table_and_a_bot_to_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follows(monkeypatch)
    ended = tune(tmp_path / "out")
    values = outcome_in([tmp_path / "out"])
    assert values
    (option,) = values.data["tune"]["options"]
    found = option["value"]
    assert found > 30
    rows = [line.split() for line in ended.out.splitlines() if line.startswith("skill ")]
    assert rows[0] == ["skill", "20", str(found), f"{found - 20:+d}", "0..100", "10"]
    *_, last = ended.out.splitlines()
    assert last == f"--bot 'greedy; option.style=calm; option.skill={found}'"
    assert "they are kept and not rated" in " ".join(ended.out.split())


def test_undecided_is_a_status_too_and_more_pairs_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follows(monkeypatch)
    out = tmp_path / "out"
    few = tune(out, "--sprt-pairs", 4)
    assert few.status == 12
    assert f"go on with: arena tune {out} --sprt-pairs N, for more" in few.err
    assert commands.arena("tune", out, "-q").status == 12
    assert commands.arena("tune", out, "--sprt-pairs", 60, "-q").status == 10


def test_programs_get_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    follows(monkeypatch)
    said = json.loads(tune(tmp_path / "out", "--json").out)
    assert said["verdict"] == "better"
    assert said["start"] == {"skill": 20}
    assert said["values"]["skill"] > 30
    assert said["pairs"]["tuning"] == 40
    assert said["elo"] is None or said["elo"] > 0
    assert said["folder"] == str(tmp_path / "out")


# Going on


def data_of(out: Path) -> Any:
    """Return all that a tuning has come to."""
    found = outcome_in([out])
    assert found
    return found.data


def test_a_tuning_that_was_killed_ends_as_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    with monkeypatch.context() as patch:
        follows(patch)
        assert tune(whole, "-q").status == 10
    for pairs in (1, 30, 2):
        with monkeypatch.context() as patch:
            follows(patch, killed_after=pairs)
            with pytest.raises(Killed):
                tune(killed, "-q", "--jobs", 1)
    follows(monkeypatch)
    assert commands.arena("tune", killed, "-q").status == 10
    assert data_of(killed) == data_of(whole)


def test_a_budget_ends_it_for_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    follows(monkeypatch)
    out = tmp_path / "out"
    ended = tune(out, "--budget", 10)
    assert ended.status == 12
    assert ended.out.startswith("undecided: nothing is tested yet")
    assert data_of(out)["tune"]["done"] == 5
    assert tune(out, "-q").status == 10


def test_other_terms_are_another_tuning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    follows(monkeypatch)
    tune(tmp_path / "out", "-q", "--budget", 2)
    for words, wrong in (("--seed", 2), "(seed)"), (("--pairs", 41), "(tune)"):
        ended = tune(tmp_path / "out", *words)
        assert ended.status == 2
        assert wrong in ended.err


def test_a_directory_is_gone_on_with_as_it_was_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follows(monkeypatch)
    out = tmp_path / "out"
    tune(out, "-q", "--budget", 2)
    ended = commands.arena("tune", out, "--option", "skill=1..9", "--pairs", 3)
    assert ended.status == 2
    assert f"{out} is gone on with as it was begun: leave --option, --pairs out" in ended.err


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["--option", "skil=1..9"], "declares no option 'skil', expected one of skill; did you"),
        (["--option", "style=1..9"], "'style' of the bot 'greedy' is a combo"),
        (["--option", "skill=1..101"], "101 is not for the bot 'greedy'"),
        (["--option", "skill=30..90"], "it starts from 20, which is not in 30..90"),
        ([], "nothing is to be tuned: name an option, such as --option depth=1..9"),
    ],
)
def test_what_cannot_be_tuned_is_refused(
    words: list[str], wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follows(monkeypatch)
    out = tmp_path / "out"
    ended = commands.arena("tune", "greedy", "--game", "yavalath", *words, "--out", out)
    assert ended.status == 2
    assert wrong in ended.err
    assert not out.exists()


# With bots that are started


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Range]:
    """Give a folder to run in; nothing that ran there may be left."""
    with Range(tmp_path) as place:
        yield place


def test_bots_play_with_the_options_that_their_records_have(place: Range) -> None:
    log = place.folder / "log"
    bot = f"{BOT}; env.LOG={log}"
    words = [*REAL[:1], bot, *REAL[2:], "--pairs", 6, "--sprt-pairs", 1, "--jobs", 2]
    ran = place.arena(*words, "--out", place.out, "-q")
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
    assert len(records) == 14
    assert heard == told
    assert len({skill for _, skill in told}) > 4
    table = standings.compute(records_of([place.out]))
    assert table.left_out == {"tuning": 12}
    assert (place.out / "report.html").read_text().count("they are kept and not rated") >= 1


def test_a_bot_is_given_a_trial_again_with_the_options_that_it_had(place: Range) -> None:
    log = place.folder / "log"
    words = [*REAL[:1], f"{BOT}; env.LOG={log}", *REAL[2:], "--pairs", 1, "--sprt-pairs", 1]
    place.arena(*words, "--out", place.out, "-q")
    heard = [line for line in log.read_text().splitlines() if line.startswith("1 ")]
    log.unlink()
    for side in ("first", "second"):
        place.arena("bot", "replay", place.out, 1, "--side", side)
    assert sorted(log.read_text().splitlines()) == sorted(heard)
    assert len(set(heard)) == 2


def test_a_plan_says_how_many_games_and_rates_no_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follows(monkeypatch)
    tune(tmp_path / "out", "--budget", 10)
    said = commands.arena("run", tmp_path / "out", "--plan").out
    assert said.startswith("Tuning of greedy, a tune: ")
    assert "10 are played" in said
    assert "How sure it will be" not in said


def test_how_many_are_played_at_a_time_changes_no_value(place: Range) -> None:
    ends = []
    for jobs in (1, 2):
        out = place.folder / f"jobs-{jobs}"
        words = ("--pairs", 5, "--sprt-pairs", 1, "--ahead", 2, "--jobs", jobs)
        assert place.arena(*REAL, *words, "--out", out, "-q").returncode == 12
        ends.append(data_of(out))
    assert ends[0] == ends[1]
