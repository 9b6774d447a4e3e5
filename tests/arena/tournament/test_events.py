"""`arena run --json-events`: one JSON object a line, as its schema and events.md say."""

from __future__ import annotations

import io
import json
import os
import re
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_type_hints

import bad_bots
import jsonschema
import pytest
from arena_runs import PATIENCE_S, environment, flags, numbers, sequence
from bad_bots import Good
from commands import arena as here
from loaded import Run
from places import SAMPLES, page_text
from pydantic import TypeAdapter
from reference import TABLES
from results import a_config, a_result
from runs import Told

from lath.arena.errors import Cause
from lath.arena.tournament.run import folder
from lath.arena.tournament.run.events import Event, json_lines, schema
from lath.arena.tournament.run.progress import Progress, RunSummary
from lath.arena.tournament.run.runner import Runner
from lath.arena.tournament.store.jobs import PairResult
from lath.notation.record.tags import FORFEITS

PAGE = page_text("events")
TWO = {"ann": Good, "bob": Good}
SCHEMA = jsonschema.Draft202012Validator(schema())
KINDS = {get_args(get_type_hints(kind)["type"])[0] for kind in get_args(Event)}


def events_of(text: str) -> list[dict[str, Any]]:
    """Return the events on some lines, each as the schema wants it."""
    events = [json.loads(line) for line in text.splitlines()]
    for event in events:
        SCHEMA.validate(event)
    assert [event["time_s"] for event in events] == sorted(event["time_s"] for event in events)
    return events


def test_the_docs_show_every_kind_as_the_schema_has_it() -> None:
    SCHEMA.check_schema(schema())
    block = PAGE.split("```events\n")[1].split("```")[0]
    samples = (SAMPLES / "events.jsonl").read_text(encoding="utf-8").splitlines()
    shown = [json.loads(line) for line in samples]
    for event in shown:
        SCHEMA.validate(event)
    assert set(block.splitlines()) < set(samples)
    rows = re.findall(r"^\| `(\w+)` \|", TABLES.filled(PAGE), re.MULTILINE)
    assert {event["type"] for event in shown} == set(rows) == KINDS


def test_the_schema_describes_every_field() -> None:
    left: list[Any] = [schema()]
    plain = set()
    while left:
        part = left.pop()
        left += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        fields = part.get("properties") if isinstance(part, dict) else None
        if isinstance(fields, dict):
            plain |= {name for name, field in fields.items() if "description" not in field}
    assert plain == {"type", "time_s", *FORFEITS}  # the page says what the first two are


def listening(told: Told) -> io.StringIO:
    """Return where the events go of a run that a test tells."""
    stream = io.StringIO()
    told.progress.listeners.append(json_lines(stream))
    return stream


def test_a_run_that_is_told_by_hand_gives_these_events() -> None:
    told = Told(total=6)
    stream = listening(told)
    told.start()
    told.begin(1, slot=1)
    told.clock.now_s += 4
    told.play("1-0", "1/2-1/2", termination="time")
    told.warn("odd")
    told.stop({"bob", "ann"}, Cause("why"))
    told.begin(2, slot=1, names=("bob", "cat"))
    told.wait(6.0, data={"llr": 1.5})
    told.wait(9.0)
    started, pair, one, other, over, warning, stopped, second, status = events_of(stream.getvalue())
    assert (started["type"], started["done"], started["total"]) == ("started", 0, 6)
    assert (pair["type"], pair["pair"], pair["slot"], pair["numbers"]) == ("pair", 1, 1, [1, 2])
    assert (one["number"], one["result"], one["used_s"]) == (1, "1-0", [1.0, 2.0])
    assert (other["first"], other["termination"], other["time_s"]) == ("bob", "time", 4.0)
    assert (over["type"], over["pair"], over["games"]) == ("pair_ended", 1, 2)
    assert (warning["type"], warning["text"]) == ("warning", "odd")
    assert (stopped["type"], stopped["bots"]) == ("stopped", ["ann", "bob"])
    assert second["bots"] == ["bob", "cat"]
    assert (status["type"], status["time_s"], status["running"]) == ("status", 10.0, [2])
    assert (status["rate"], status["left_s"], status["warnings"]) == (0.2, 20.0, 2)
    assert status["format"] == {"llr": 1.5}
    ann = status["standings"][0]
    # Of one pair with 1.5 of 2 points: (1.5 + 4) / 10, and the squares of points - 1.1:
    # 2 * 0.81 + 2 * 1.21 + 0.16 = 4.2; 0.55 +- 1.959964 * sqrt(4.2) / 10.
    assert (ann["name"], ann["score"], ann["low"], ann["high"]) == (
        "ann",
        0.75,
        pytest.approx(0.148326, abs=2e-6),
        pytest.approx(0.951674, abs=2e-6),
    )
    assert [line["lost_by"]["time"] for line in status["standings"]] == [0, 1, 0]


def test_status_comes_every_ten_seconds() -> None:
    told = Told()
    stream = listening(told)
    told.start()
    for _ in range(600):
        told.wait(0.1)
    assert [event["type"] for event in events_of(stream.getvalue())].count("status") in (5, 6)


def test_nothing_in_a_name_breaks_a_line() -> None:
    name = "a\nb\x1b\u2028\ud800"
    told = Told(names=(name, "bob", "cat"))
    stream = listening(told)
    told.start()
    told.warn(name)
    summary = RunSummary(done=0, total=6, stopped={}, interrupted=True)
    told.progress(told.progress.ended(summary, 3, {}))
    assert stream.getvalue().isascii()
    assert events_of(stream.getvalue())[1]["text"] == name


class Crashes(Executor):
    """Has the result of a pair at once: cat crashes, and else first wins."""

    def __init__(self) -> None:
        self.until_ctrl_c = 0
        """Pairs that are played before somebody presses it; 0: nobody does."""

    def submit(self, _play: Callable[..., Any], /, *jobs: Any, **_: Any) -> Future[Any]:
        (job,) = jobs
        games = []
        for plan in job.games:
            result = "0-1" if plan.names[0] == "cat" else "1-0"
            ending = "crash" if "cat" in plan.names else "rules"
            games.append(a_result(plan.number, names=plan.names, result=result, termination=ending))
        future: Future[Any] = Future()
        future.set_result(PairResult(pair=job.pair, games=tuple(games)).as_text())
        self.until_ctrl_c -= 1
        if not self.until_ctrl_c:
            signal.raise_signal(signal.SIGINT)
        return future


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Crashes:
    """Let `arena run` play nothing, in this process and this folder."""
    stub = Crashes()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(folder, "greet_bots", lambda *_: {})
    monkeypatch.setattr(folder, "Runner", partial(Runner, executors=lambda *_: stub))
    return stub


RUN = ["run", "--game", "yavalath", "--tc", "move 5", "--jobs", "1", "--output", "out", "-q"]
RUN += ["--openings", "random:0", "--bench-after", "0"]
ANN_BOB = [*RUN, "--bot", "ann=/nowhere", "--bot", "bob=/nowhere"]


def test_a_run_prints_nothing_but_events_to_standard_output(stub: Crashes) -> None:
    ran = here(*ANN_BOB, "--bot", "cat=/nowhere", "--rounds", "2", "--json-events")
    assert (ran.status, ran.err) == (0, "")
    events = events_of(ran.out)
    assert [events[0]["type"], events[-1]["type"]] == ["started", "ended"]
    games = [event for event in events if event["type"] == "game"]
    assert sorted(game["number"] for game in games) == sequence(12)
    begun = [number for event in events if event["type"] == "pair" for number in event["numbers"]]
    assert sorted(begun) == sequence(12)
    over = [event for event in events if event["type"] == "pair_ended"]
    assert [(event["pair"], event["games"]) for event in over] == [(n, 2) for n in range(1, 7)]
    last = events[-1]
    assert (last["complete"], last["status"], last["done"]) == (True, 0, 12)
    assert {bot["name"]: bot["lost_by"]["crash"] for bot in last["bots"]} == {
        "ann": 0,
        "bob": 0,
        "cat": 8,
    }
    assert {line["name"]: line["lost_by"]["crash"] for line in last["standings"]}["cat"] == 8
    assert set(last["files"]) > {"games.lath", "report.html"}
    assert all(Path(path).is_file() for path in last["files"].values())


def test_tables_stand_aside_where_events_have_standard_output(stub: Crashes) -> None:
    loud = [word for word in ANN_BOB if word != "-q"]
    ran = here(*loud, "--rounds", "1", "--json-events", "--no-report")
    assert events_of(ran.out)[-1]["type"] == "ended"
    assert "Forfeits and time per move" in ran.err
    Path("events").write_text('{"type": "began"}\n')
    ran = here(*loud, "--rounds", "2", "--json-events-to", "events", "--no-report")
    assert "Forfeits and time per move" in ran.out
    first, *_, last = events_of(Path("events").read_text())
    assert (first["type"], last["type"]) == ("started", "ended"), "it is written anew"


def test_a_program_that_counts_what_it_reads_has_the_standings_of_the_end(stub: Crashes) -> None:
    words = [*ANN_BOB, "--bot", "cat=/nowhere", "--no-report", "--json-events"]
    here(*words, "--rounds", "1")
    events = events_of(here(*words, "--rounds", "3").out)
    counted, read = Progress(a_config()), TypeAdapter[Any](Event).validate_python
    for event in events[:-1]:
        counted(read(event))
    standings = [asdict(line) for line in counted.ranked()]
    assert events[0]["done"] == 6
    assert standings == events[-1]["standings"]


def test_a_file_that_cannot_be_written_is_wrong_usage(stub: Crashes, tmp_path: Path) -> None:
    ran = here(*ANN_BOB, "--json-events-to", "missing/events.jsonl")
    assert ran.status == 2
    assert "missing/events.jsonl: cannot be written: No such file" in ran.err
    assert not (tmp_path / "out").exists()


def test_a_refused_run_ends_its_events_with_the_reason(tmp_path: Path) -> None:
    words = flags({"ann": Good, "bob": bad_bots.PlaysAnotherGame}, rounds=1, out=tmp_path / "out")
    ran = here(*words, "--json-events")
    (failed,) = events_of(ran.out)
    assert (ran.status, failed["status"]) == (2, 2)
    assert ran.err == f"error: {failed['error']}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("where", ["a reader that goes away", "standard output", "/dev/full"])
def test_events_that_cannot_be_written_stop_no_run_and_are_told_of_once(
    where: str, tmp_path: Path
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    full = os.open("/dev/full", os.O_WRONLY)
    output, other = (writing, full) if where.startswith("a") else (full, writing)
    os.close(other)
    words = flags(TWO, rounds=2, jobs=1, out=tmp_path / "out")
    words += ["--json-events-to", where] if where == "/dev/full" else ["--json-events"]
    run = Run(words, cwd=tmp_path, env=environment(), output=output)
    _, said = run.communicate(timeout=PATIENCE_S)
    wrong = f"warning: events could not be written to {where}: No space left on device\n"
    assert (run.returncode, said) == (0, "" if where.startswith("a") else wrong)
    assert numbers(tmp_path / "out") == sequence(4)


def test_an_interrupted_run_says_so_and_the_next_one_tells_what_is_left(stub: Crashes) -> None:
    words = [*ANN_BOB, "--rounds", "40", "--no-report", "--json-events"]
    stub.until_ctrl_c = 20
    ran = here(*words)
    first = events_of(ran.out)
    assert ran.status == 3
    assert (first[-1]["interrupted"], first[-1]["status"]) == (True, 3)
    assert 0 < first[-1]["done"] < 80
    second = events_of(here(*words).out)
    assert (second[0]["done"], second[0]["total"]) == (first[-1]["done"], 80)
    played = [[e["number"] for e in part if e["type"] == "game"] for part in (first, second)]
    assert sorted(played[0] + played[1]) == sequence(80)
