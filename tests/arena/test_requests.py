"""What is asked for on the command line and in Python is one description: the requests' fields."""

from __future__ import annotations

import dataclasses
import inspect
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import commands
import pytest
import typer.main

from lath import arena
from lath.arena.cli.main import app
from lath.arena.errors import ConfigError
from lath.arena.flows.requests import (
    MatchRequest,
    Request,
    RunRequest,
    TuneRequest,
    flag_of,
    in_python,
)

REQUESTS: Final[dict[str, type[Request]]] = {
    "run": RunRequest,
    "match": MatchRequest,
    "tune": TuneRequest,
}

OF_PROGRAMS: Final = {"on_event"}
"""What only a program can ask for."""

OF_OUTPUT: Final = {"--json", "--quiet", "--help"}

OF_RUN: Final = {
    *("--plan", "--fail-on", "--json-events", "--json-events-to", "--verbose", "--snapshot"),
    *("--void", "--disqualify", "--reinstate", "--reason"),
}
"""What `arena run` does with games that are played, and how it says so."""


@pytest.mark.parametrize("name", REQUESTS)
def test_the_options_of_a_command_are_the_fields_of_its_request(name: str) -> None:
    command: Any = typer.main.get_command(app).get_command(None, name)  # type: ignore[attr-defined]
    params = {param.name: param for param in command.params}
    fields = {one.name: one for one in dataclasses.fields(REQUESTS[name])}
    flags = {max(param.opts, key=len) for param in params.values() if param.opts[0][0] == "-"}
    given = {one.name for one in fields.values() if not one.kw_only} - {"options"}
    named = {flag_of(name) for name in fields.keys() - given - OF_PROGRAMS}
    assert flags - OF_OUTPUT - (OF_RUN if name == "run" else set()) == named
    arguments = {param.name for param in params.values() if param.param_type_name == "argument"}
    assert arguments == given
    for one in fields.values():
        param = params.get(one.name)
        if param is not None and one.default is not dataclasses.MISSING:
            assert (param.default or None) == (one.default or None), one.name


def test_a_function_takes_the_fields_of_its_request_and_refuses_others() -> None:
    functions: dict[str, Callable[..., Any]] = {"match": arena.match, "tune": arena.tune}
    for name, function in functions.items():
        fields = {one.name for one in dataclasses.fields(REQUESTS[name])}
        assert {*inspect.signature(function).parameters} == fields
        with pytest.raises(TypeError, match="wall"):
            function("greedy", wall=1)


CALLS: Final[dict[str, tuple[Callable[[], object], str]]] = {
    "a budget": (lambda: arena.match("a", "b", budget="soon"), "match a b --budget soon"),
    "a test": (lambda: arena.match("a", "b", sprt="0"), "match a b --sprt 0"),
    "a time": (lambda: arena.tune("greedy", tc="fast"), "tune greedy --tc fast"),
    "a sandbox": (lambda: arena.tune("greedy", sandbox="wall"), "tune greedy --sandbox wall"),
    "games at a time": (
        lambda: arena.tournament(jobs=2, cluster="local:2"),
        "run --jobs 2 --cluster local:2",
    ),
    "machines": (lambda: arena.tournament(hosts_alike=True), "run --hosts-alike"),
    "a cluster": (lambda: arena.tournament(cluster="far"), "run --cluster far"),
    "games": (lambda: arena.tune("greedy", {"x": "1..9"}), "tune greedy --option x=1..9"),
    "a bot": (
        lambda: arena.tournament(bots=["a=b; cdw=x"]),
        "run --bot 'a=b; cdw=x'",
    ),
    "a roster": (lambda: arena.tournament(retire=["a"]), "run --retire a"),
    "two of a kind": (
        lambda: arena.tournament(bots=["random"], add=["greedy"], out="cup"),
        "run --bot random --add greedy --output cup",
    ),
    "a key": (lambda: arena.tournament(rounds=0, bots=["random", "greedy"]), ""),
    "a directory": (lambda: arena.tournament("cup", out="other"), "run cup --output other"),
    "an anchor": (lambda: arena.tournament(anchors=["a=b"]), "run --anchor a=b"),
    "a build": (lambda: arena.match("random", "greedy", build="make"), ""),
}
"""What is wrong, said in Python and on the command line."""


@pytest.mark.parametrize("what", CALLS)
def test_errors_name_what_the_asker_can_change(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup").mkdir()
    call, words = CALLS[what]
    with pytest.raises(ConfigError) as refused:
        call()
    told = re.sub(r"`[^`]*`|\barena [^\n]*", "", str(refused.value))
    assert "--" not in told, told
    assert "command line" not in told, told
    if words:
        ran = commands.arena(*shlex.split(words))
        assert ran.status == 2, ran
        typed = ran.err.rpartition("error: ")[2].strip()
        assert in_python(typed) == str(refused.value)
        assert typed != str(refused.value), "there is a flag in it"
