"""Bots that are started elsewhere: what their commands name, and what a machine makes of that."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import replace
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest
from clusters import HELLO, a_tournament, terms_of
from processes import PATIENCE_S

from lath.arena.cluster import entry_point
from lath.arena.cluster.bundles import BotBundle, is_valid, place_of, take
from lath.arena.cluster.messages import Entered, GameFile, TaskAnswer, WorkerEntry, read, write
from lath.arena.cluster.preparation import Prepared, _spec, prepare, travelling
from lath.arena.entrants import builds
from lath.arena.entrants.builds import built
from lath.arena.errors import ArenaError
from lath.arena.referee.bots import BotSpec


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def a_home(tmp_path: Path, name: str) -> Path:
    home = tmp_path / name
    (home / "include").mkdir(parents=True)
    (home / "include/there").touch()
    (tmp_path / "link").symlink_to(home)
    return home


@pytest.fixture(params=["ada", "my bot", "$(ada)'s+[bot]"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the folder of a bot, by names that a shell and patterns mind."""
    return a_home(tmp_path, str(request.param))


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """Return the folder of a bot whose name nobody minds."""
    return a_home(tmp_path, "ada")


def a_bot(home: Path, **said: Any) -> BotSpec:
    """Return a bot as a configuration beside its folder says it."""
    row = {"name": "ada", "command": ["./bot"], "cwd": home.name, **said}
    return a_tournament(row, {"name": "random"}, folder=home.parent).bots[0]


OWN: tuple[str, ...] = (
    *("{}/bot", "{}/build/bot", "{}/include/there", "{}", "--opt={}/x", "--opt='{}/x'"),
    *("-I{}/include", "-L{}/build/lib", "-Wl,-rpath,{}/lib", "@{}/arguments"),
    'A={}/a:{}/b B="{}/c"',
    "cd {} && ./bot --net '{}/net' >{}/log 2>&1",
    *("{{}/a,{}/b}", "file://{}/x", "{}/*.c"),
)
"""How people write paths below a bot's folder."""


def message(sent: object) -> str:
    """Return what goes to a machine, with the letters that JSON writes otherwise."""
    return json.dumps(json.loads(write(sent)), ensure_ascii=False).replace("\\\\", "\\")


def test_paths_below_the_folder_travel_as_such_there_or_not(home: Path) -> None:
    for form, folder in product(OWN, (str(home), str(home.parent / "link"))):
        text = form.replace("{}", folder)
        said: dict[str, Any] = {"env": {"V": text}, "options": {"o": text}, "build": text}
        (sent,), (digest,) = travelling([a_bot(home, command=["./bot", text], **said)], [])
        told = message(sent)
        assert not {name for name in (str(home), folder) if name in told}
        there, place = _spec(sent, "machine"), str(place_of(digest))
        expected = text.replace(folder, place)
        assert (there.cwd, there.command) == (place, (f"{place}/bot", expected))
        assert [there.build, there.env["V"], there.options["o"]] == [expected] * 3
    escaped = "".join(f"\\{sign}" if sign in " $()'[]" else sign for sign in str(home))
    assert shlex.split(escaped) == [str(home)]
    (sent,), (digest,) = travelling([a_bot(home, build=f"make -C {escaped}/include")], [])
    assert _spec(sent, "machine").build == f"make -C {place_of(digest)}/include"


OTHERS: tuple[str, ...] = (
    *("{}2/x", "{}-old", "{}.c", "/x{}/y", "a{}/b", "../x{}/y", "https://example.org{}/x"),
    *("{}/../other/x", "--opt={}/a/../../x", "$D{}/x", "${D}{}/x"),
    *("./x", "--opt=./x", "-I./include", "build/bot", "/usr/share/x"),
)
"""What is another path, or one that means the same wherever the bot runs."""


def test_what_is_not_below_the_folder_stays_as_it_is(home: Path) -> None:
    for form in OTHERS:
        said = form.replace("{}", str(home))
        (sent,), _ = travelling([a_bot(home, build=said, command=["./bot", said])], [])
        there = _spec(sent, "machine")
        assert (there.build, there.command[1]) == (said, said)


def test_what_a_machine_may_have_of_its_own_is_left_where_it_is(home: Path) -> None:
    python = home / "env/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    (home / "env/pyvenv.cfg").touch()
    for build in ({}, {"build": "make"}):
        (sent,), (digest,) = travelling([a_bot(home, command=[str(python)], **build)], [])
        found = place_of(digest) / "env/bin/python" if build else python
        assert _spec(sent, "machine").command == (str(found),)


BUILD = (
    "test -e {home}/include/there -a -e ./include/there && mkdir -p out/deep && "
    "cp /bin/true '{home}'/out/bot && cp -r {home}/include out/"
)


def an_entry(*bots: BotSpec, **terms: Any) -> tuple[WorkerEntry, Mapping[str, BotBundle]]:
    """Return what a machine is told of bots, and their bundles."""
    sent, bundles = travelling(bots, [])
    all_terms = terms_of(bots=sent, **terms)
    return WorkerEntry(terms=all_terms, digest="0" * 64, host="machine", first=0, slots=1), bundles


def sent_entry(*bots: BotSpec) -> tuple[WorkerEntry, Mapping[str, BotBundle]]:
    """Do the same, and send the bundles."""
    entry, bundles = an_entry(*bots)
    for digest, bundle in bundles.items():
        for number, chunk in enumerate([*bundle.chunks(), b""]):
            take(digest, "me", number, chunk)
    return entry, bundles


def test_a_program_that_stays_is_named_where_it_is_not(plain: Path, tmp_path: Path) -> None:
    (tmp_path / "bot").write_text("#!/bin/sh\n")
    (tmp_path / "bot").chmod(0o755)
    entry, _ = sent_entry(a_bot(plain, command=["../bot"]))

    def lacks() -> str:
        return read(Prepared, prepare((write(entry), ()))).bots[0].lacks

    assert lacks() == ""
    (tmp_path / "bot").unlink()
    assert lacks() == (
        f"{tmp_path}/bot is neither on this machine nor in the bot's folder, which is sent: put "
        "it there, or name it in the bot's `files`"
    )


def assert_was_built(bot: BotSpec) -> None:
    """Raise AssertionError unless all that a command names is where the bot was built."""
    home = Path(str(bot.cwd))
    program, option, name = bot.command
    assert os.access(program, os.X_OK)
    assert option == f"--net={home}/out/include/there"
    assert (home / name).is_file()
    assert Path(bot.env["NET"]).is_relative_to(home)
    assert Path(program).is_relative_to(home)


def test_what_only_a_build_makes_is_found_here_and_on_a_machine(
    plain: Path, tmp_path: Path
) -> None:
    command = ["./out/bot", f"--net={plain}/out/include/there", "out/include/there"]
    build = BUILD.replace("{home}", str(plain))
    bot = a_bot(plain, build=build, command=command, env={"NET": f"{plain}/out/include"})
    (here,) = built([bot], closed=[], logs=tmp_path / "logs", tell=lambda _: None)
    assert_was_built(here)
    entry, bundles = sent_entry(bot)
    plain.rename(tmp_path / "the runner is elsewhere")
    found = read(Prepared, prepare((write(entry), ())))
    assert not found.refused
    assert_was_built(found.bots[0])
    assert all(map(is_valid, bundles))


def test_what_changes_while_it_is_copied_is_not_built(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, copies = builds._copy, count()

    def copied_late(source: Path, home: Path) -> None:
        if (number := next(copies)) < most:
            (source / f"extra {number}").touch()
        copy(source, home)

    bot, most = a_bot(plain, build="touch bot"), sys.maxsize
    monkeypatch.setattr(builds, "_copy", copied_late)
    with pytest.raises(ArenaError, match=f"{plain}: was changed while it was copied"):
        built([bot], closed=[], logs=tmp_path / "logs", tell=lambda _: None)
    most = next(copies) + 2
    (found,) = built([bot], closed=[], logs=tmp_path / "logs", tell=lambda _: None)
    assert (Path(str(found.cwd)) / "bot").exists(), "who saves a file or two is built all the same"


def test_python_writes_nothing_beside_the_files_that_were_sent(plain: Path) -> None:
    (plain / "main.py").write_text("import brain")
    (plain / "brain.py").touch()
    bot = a_bot(plain, command=["python", "main.py"], sandbox="none")
    entry, bundles = sent_entry(bot)
    (bot,) = read(Prepared, prepare((write(entry), ()))).bots
    subprocess.run(bot.command, env=bot.env, check=True, timeout=PATIENCE_S)
    assert all(map(is_valid, bundles))


class Builder:
    """What makes bots ready, while somebody else is at their files."""

    pid = 0
    deed: Callable[[], object] = lambda: None

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, *_: object) -> Future[str]:
        done: Future[str] = Future()
        done.set_result(write(Prepared()))
        Builder.deed()
        return done

    def shutdown(self, *, wait: bool) -> None:
        pass

    def join(self, until_s: float) -> None:
        pass

    def end(self) -> None:
        pass


def test_files_that_appear_before_bots_are_ready_are_not_played_with(
    plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, (digest,) = sent_entry(a_bot(plain))
    extra = place_of(digest) / "extra"
    monkeypatch.setattr(entry_point, "Worker", Builder)
    for is_changed in (False, True):
        monkeypatch.setattr(Builder, "deed", extra.touch if is_changed else lambda: None)
        with ExitStack() as stack:
            entered = entry_point._enter(entry, write(entry), stack)
        assert entered == Entered(missing=(digest,) * is_changed)
        assert bool(entry_point._stays.pop(entry.digest, None)) != is_changed


def test_a_worker_that_imports_from_a_folder_of_others_is_refused(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    daskss = tmp_path / f"{entry_point.DASKS}/worker-x"
    daskss.mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(daskss), *sys.path])
    entry, bundles = an_entry(a_bot(plain))
    with ExitStack() as stack:
        assert entry_point._enter(entry, write(entry), stack).missing == tuple(bundles)
        daskss.parent.chmod(0o777)
        refused = entry_point._enter(entry, write(entry), stack).refused
    assert refused.startswith(f"Dask imports from {daskss}, and other users can change ")
    assert "`--local-directory` of `dask worker`" in refused


NUMBERS = ("cores", "speed", "resolution_ns", "reading_ns", "free_bytes")


def test_no_machine_answers_by_numbers_that_are_none() -> None:
    rows: list[tuple[Any, str]] = [(HELLO, name) for name in NUMBERS]
    rows.append((TaskAnswer(seconds=1.5), "seconds"))
    for (message, name), value in product(rows, ("NaN", "Infinity", "-Infinity", "-1", "1e999")):
        kind, said = type(message), write(message)
        assert read(kind, said)
        number = json.dumps(json.loads(said)[name])
        wrong = f"expected {kind.__name__}, .*: {name}: "
        with pytest.raises(ArenaError, match=wrong):
            read(kind, said.replace(f'"{name}":{number}', f'"{name}":{value}'))


def test_the_file_of_a_game_is_kept_under_its_name_alone(plain: Path) -> None:
    file = GameFile(name="game.py", sha256="a" * 64, source="")
    entry, _ = an_entry(a_bot(plain), game_files=(file,))
    assert read(WorkerEntry, write(entry)) == entry
    for name in ("", ".", "..", "a/b", "../game.py", "/game.py", "a\0"):
        changes: list[dict[str, Any]] = [{"name": name}, {"sha256": name}]
        for change in (*changes, {"modules": {name: ""}}):
            wrong = replace(entry.terms, game_files=(replace(file, **change),))
            with pytest.raises(ArenaError, match="expected WorkerEntry"):
                read(WorkerEntry, write(replace(entry, terms=wrong)))
