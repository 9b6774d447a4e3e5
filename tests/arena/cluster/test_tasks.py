"""Tasks for a worker: pairs in, results out, and what is no answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future
from typing import Any

import pytest
from results import a_result
from workers import a_job

from lath.arena.cluster.link import Seen
from lath.arena.cluster.messages import Answer, Task, read, write
from lath.arena.cluster.tasks import Place, Tasks, pair_of
from lath.arena.errors import ArenaError, MachineError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.tournament.slots import PlaceLostError
from lath.arena.tournament.worker import PairJob, PairResult, play_pair
from lath.notation.protocol import TimeControl


def job(pair: int) -> PairJob:
    ann, bob = (BotSpec(name=name, command=("true",)) for name in ("ann", "bob"))
    return a_job(ann, bob, Limits(time=TimeControl(nodes=1)), pair=pair, tree="")


def result(pair: int, *numbers: int) -> str:
    names = {1: ("ann", "bob"), 0: ("bob", "ann")}
    games = tuple(a_result(number, names[number % 2]) for number in numbers)
    return PairResult(pair=pair, games=games).as_text()


class Worker:
    """A worker that answers what the test says."""

    def __init__(self) -> None:
        self.place = Place(Seen("tcp://127.0.0.1:1", 1, "127.0.0.1"))
        self.tasks = Tasks(self.place, self.ask, lambda _, why: self.distrusted.append(why))
        self.asked: list[list[int]] = []
        self.answers: list[Future[str]] = []
        self.distrusted: list[str] = []

    def ask(self, _: Place, jobs: Sequence[PairJob], ahead: int) -> Future[str]:
        self.asked.append([job.pair for job in jobs])
        self.answers.append(Future())
        assert ahead >= len(jobs)
        return self.answers[-1]

    def take(self, *pairs: int, at_once: int = 1) -> list[Future[str]]:
        futures = [self.tasks.submit(play_pair, job(pair)) for pair in pairs]
        self.tasks.send(at_once)
        return futures


@pytest.fixture
def worker() -> Worker:
    return Worker()


def test_short_pairs_go_together_and_each_has_its_result(worker: Worker) -> None:
    futures = worker.take(1, 2, 3, at_once=2)
    assert worker.asked == [[1, 2], [3]]
    worker.answers[0].set_result(write(Answer(results=(result(1, 1, 2), result(2, 3, 4)))))
    assert [future.done() for future in futures] == [True, True, False]
    assert json.loads(futures[1].result())["pair"] == 2


def test_what_died_in_a_pair_has_played_those_before_it(worker: Worker) -> None:
    first, second, third = worker.take(1, 2, 3, at_once=3)
    worker.answers[0].set_result(write(Answer(results=(result(1, 1, 2),), died=True)))
    assert json.loads(first.result())["pair"] == 1
    for future in (second, third):
        with pytest.raises(BrokenExecutor, match="the worker died"):
            future.result()


@pytest.mark.parametrize(
    ("answer", "kind", "why"),
    [
        (write(Answer(lack="no memory")), MachineError, "no memory"),
        (write(Answer(is_unknown=True)), PlaceLostError, "started anew"),
        ("rubbish", PlaceLostError, "expected a message Answer, found 'rubbish'"),
        (write(Answer(results=("{}",))), PlaceLostError, "expected a message PairResult"),
        (write(Answer(results=(result(2, 3, 4),))), PlaceLostError, "pair 1 was asked for"),
        (write(Answer(results=(result(1, 3),))), PlaceLostError, "pair 1 was asked for"),
        (write(Answer(results=(result(1, 1, 1),))), PlaceLostError, "pair 1 was asked for"),
    ],
)
def test_what_is_no_result_of_a_pair_counts_for_nothing(
    worker: Worker, answer: str, kind: type[Exception], why: str
) -> None:
    (future,) = worker.take(1)
    worker.answers[0].set_result(answer)
    with pytest.raises(kind, match=why):
        future.result()
    is_no_answer = kind is PlaceLostError and "anew" not in why
    assert len(worker.distrusted) == is_no_answer


def test_an_answer_that_comes_when_the_place_was_given_up_counts_for_nothing(
    worker: Worker,
) -> None:
    (future,) = worker.take(1)
    (waiting,) = [worker.tasks.submit(play_pair, job(2))]
    worker.tasks.lose("its worker is gone")
    assert worker.answers[0].cancelled()
    for one in (future, waiting):
        with pytest.raises(PlaceLostError, match="its worker is gone"):
            one.result()
    worker.place.is_gone = True
    with pytest.raises(PlaceLostError):
        worker.tasks.submit(play_pair, job(3))


def test_an_answer_on_its_way_when_a_slot_is_given_up_is_nobodys(
    worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    worker.take(1)
    worker.answers[0].set_running_or_notify_cancel()
    worker.tasks.shutdown(wait=False, cancel_futures=True)
    worker.answers[0].set_result(write(Answer(results=(result(1, 1, 2),), seconds=1.0)))
    assert caplog.records == []


def test_whatever_goes_wrong_on_the_way_nobody_waits_for_ever(worker: Worker) -> None:
    (future,) = worker.take(1)
    worker.answers[0].set_exception(RuntimeError("the client is closed"))
    with pytest.raises(PlaceLostError, match="the client is closed"):
        future.result(0)
    assert worker.place.why_lost


def test_a_job_is_the_same_at_the_other_end() -> None:
    task = Task(terms="abc", pairs=(pair_of(job(7)),))
    assert read(Task, write(task)) == task


@pytest.mark.parametrize(
    "change", [{"pairs": 1}, {"terms": None}, {"pairs": [{"pair": "x"}]}, {}], ids=str
)
def test_a_message_of_other_types_is_refused_in_one_line(change: dict[str, Any]) -> None:
    said = json.loads(write(Task(terms="abc", pairs=(pair_of(job(7)),))))
    text = json.dumps(said | change) if change else "{"
    with pytest.raises(ArenaError, match=r"^expected a message Task, found .*: .*$"):
        read(Task, text)


def test_pairs_go_together_as_long_as_a_task_should_take(worker: Worker) -> None:
    worker.take(1, 2)
    assert worker.place.pairs(0.3) == worker.place.fewest(0.3) == 1
    worker.answers[0].set_result(write(Answer(results=(result(1, 1, 2),), seconds=0.1)))
    assert (worker.place.pairs(0.3), worker.place.fewest(0.3)) == (3, 12)
    assert (worker.place.pairs(3.0), worker.place.fewest(3.0)) == (30, 60)


def test_long_pairs_are_a_task_each(worker: Worker) -> None:
    worker.take(1)
    worker.answers[0].set_result(write(Answer(results=(result(1, 1, 2),), seconds=60.0)))
    assert (worker.place.pairs(6.0), worker.place.fewest(6.0)) == (1, 2)
