"""The tasks for a cluster's workers, each with several short pairs whose results are futures.

Their interface is `concurrent.futures.Executor`, as for local worker processes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, cast

from lath.arena.cluster.link import SeenWorker
from lath.arena.cluster.messages import Hello, PairTask, TaskAnswer, read
from lath.arena.errors import ArenaError, MachineError
from lath.arena.tournament.run.slots import MOST, WEIGHT, PlaceLostError, Slot
from lath.arena.tournament.store.jobs import PairJob, PairResult

AHEAD_S: Final = 1.2
"""The least work of a slot while its next task is on its way, in seconds."""


@dataclass(slots=True)
class WorkerSlot:
    """A worker that plays, or will play."""

    seen: SeenWorker
    host: str = ""
    """The name of its machine."""

    hello: Hello | None = None
    slots: list[Slot] = field(default_factory=list)
    tasks: set[Tasks] = field(default_factory=set)
    pair_s: float = 0.0
    """The recent time of a pair in seconds; 0 if unknown.

    Measured by the worker: the rate of results is misleading if the runner is too slow.
    """
    making: Future[Any] | None = None
    """The future of its preparation."""

    is_gone: bool = False
    why_lost: str = ""
    """The reason why it must be prepared again; otherwise empty."""

    @property
    def is_given_up(self) -> bool:
        """Return True if its machine has lacked a resource for too long."""
        return any(slot.host.is_given_up for slot in self.slots)

    def pairs(self, task_s: float) -> int:
        """Return the number of pairs in a task of this length."""
        return min(MOST, math.ceil(task_s / self.pair_s)) if self.pair_s else 1

    def fewest(self, task_s: float) -> int:
        """Return the fewest pairs that a slot should have: two tasks, or more short ones.

        It is one while the time of a pair is unknown.
        """
        pairs = self.pairs(task_s)
        tasks = math.ceil(AHEAD_S / max(task_s, pairs * self.pair_s))
        return pairs * max(2, tasks) if self.pair_s else 1


Ask = Callable[[WorkerSlot, Sequence[PairJob], int], Future[str]]
"""A function that sends pairs to a place, with the number on their way; returns the answer."""


class Tasks(Executor):
    """The executor of a slot, which sends its pairs as tasks to the worker."""

    def __init__(
        self, place: WorkerSlot, ask: Ask, distrust: Callable[[WorkerSlot, str], None]
    ) -> None:
        """Prepare; `ask` sends pairs to a place, and `distrust` is called for invalid answers."""
        self._place: Final = place
        self._ask: Final = ask
        self._distrust: Final = distrust
        self._waiting: Final[list[tuple[PairJob, Future[str]]]] = []
        """The jobs that were not sent yet."""
        self._sent: Final[dict[Future[str], list[tuple[PairJob, Future[str]]]]] = {}
        place.tasks.add(self)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_kwargs: Any) -> Future[Any]:  # noqa: ARG002
        """Take a job for the next task; raises PlaceLostError."""
        if self._place.is_gone:
            raise PlaceLostError("its worker has stopped")
        (job,) = args
        future: Future[str] = Future()
        self._waiting.append((job, future))
        return future

    def send(self, pairs: int) -> None:
        """Send the waiting jobs, with this number of pairs per task."""
        while self._waiting:
            chunk = self._waiting[:pairs]
            del self._waiting[:pairs]
            ahead = sum(map(len, list(self._sent.values()))) + len(chunk)  # others may remove some
            answer = self._ask(self._place, [job for job, _ in chunk], ahead)
            self._sent[answer] = chunk
            answer.add_done_callback(self._take)

    def _take(self, answer: Future[str]) -> None:
        """Pass on the results of a task; called by a thread of the link."""
        chunk = self._sent.pop(answer, [])
        if not chunk:  # given up meanwhile
            return
        try:
            said = read(TaskAnswer, answer.result())
            if said.seconds:
                pair_s = said.seconds / len(chunk)
                before_s = self._place.pair_s or pair_s
                self._place.pair_s = before_s + WEIGHT * (pair_s - before_s)
            results = [_checked(text, job) for text, (job, _) in zip(said.results, chunk)]  # noqa: B905
        except PlaceLostError as error:
            self._place.why_lost = str(error)
            _break(chunk, error)
            return
        except ArenaError as error:
            _break(chunk, PlaceLostError(f"{error}"))
            self._distrust(self._place, str(error))
            return
        except Exception as error:  # noqa: BLE001 - Dask may raise anything
            self._place.why_lost = f"{error}" or type(error).__name__
            _break(chunk, PlaceLostError(self._place.why_lost))
            return
        for (_, future), text in zip(chunk, results, strict=False):
            with suppress(InvalidStateError):  # it was lost at this moment
                future.set_result(text)
        left = chunk[len(results) :]
        if said.is_unknown:
            self._place.why_lost = "was started anew"
            _break(left, PlaceLostError("its worker was restarted"))
        elif said.lack:
            _break(left, MachineError(said.lack))
        elif left:
            _break(left, BrokenExecutor("the worker died"))

    def lose(self, why: str) -> None:
        """Give up all jobs, because the worker is lost."""
        chunks = [self._waiting[:], *self._sent.values()]
        self._waiting.clear()
        self._give_up()
        for chunk in chunks:
            _break(chunk, PlaceLostError(why))

    def _give_up(self) -> None:
        for answer in list(self._sent):
            self._sent.pop(answer, None)
            answer.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Leave the place; with `cancel_futures` give up its jobs at once."""
        self._place.tasks.discard(self)
        if cancel_futures:
            self._give_up()


def _checked(text: str, job: PairJob) -> str:
    """Return a result text if it belongs to this job; raises ArenaError."""
    found = read(PairResult, text)
    wanted = {plan.number: (plan.game, plan.names) for plan in job.games}
    numbers = [game.number for game in found.games]
    is_of_job = len(set(numbers)) == len(numbers) and all(
        wanted.get(game.number) == (game.game, (game.first, game.second)) for game in found.games
    )
    if found.pair != job.pair or not is_of_job:
        raise ArenaError(f"cluster: the answer is not about pair {job.pair}")
    return text


def _break(chunk: Iterable[tuple[PairJob, Future[str]]], error: Exception) -> None:
    for _, future in chunk:
        with suppress(InvalidStateError):
            future.set_exception(error)


def pair_of(job: PairJob) -> PairTask:
    """Return a job in the form that is sent."""
    one, other = job.bots
    same = "pair", "games", "spent", "started"
    options = (
        {name: value for name, value in bot.options.items() if not isinstance(value, str)}
        for bot in (one, other)
    )
    return PairTask(
        bots=(one.name, other.name),
        options=cast("Any", tuple(options)),
        **{name: getattr(job, name) for name in same},
    )
