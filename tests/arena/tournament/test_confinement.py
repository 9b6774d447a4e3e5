"""What bots may reach by the configuration, and how they are built behind their walls."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from arena_runs import PATIENCE_S, arena, stored
from processes import new_tree
from quick_runs import play_here
from tools import needs

from lath.arena.entrants import builds
from lath.arena.entrants.builds import built, ready
from lath.arena.entrants.confinement import confined, kept
from lath.arena.entrants.programs import advice_on
from lath.arena.errors import NOTHING, ArenaError, ConfigError, Obstacle
from lath.arena.machine.system import machine_bytes
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.process import Child
from lath.arena.sandbox import bubblewrap, users
from lath.notation.text.scanner import parse

walled = needs("bwrap")
needs_users = pytest.mark.skipif(
    not users.can_be_given(), reason="this system grants no other user"
)

Entries = Callable[..., BotSpec]
Workshop = Callable[..., tuple[BotSpec, ...]]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def entries(tmp_path: Path) -> Entries:
    """Make the folder of a bot with a program in it."""

    def make(name: str, **more: object) -> BotSpec:
        home = tmp_path / "entries" / name
        home.mkdir(parents=True)
        (home / "bot").write_text("#!/bin/sh\n")
        values: dict[str, object] = {"cwd": str(home), "sandbox": "bwrap", **more}
        return BotSpec(name=name, command=(str(home / "bot"),), **values)  # type: ignore[arg-type]

    return make


@pytest.fixture
def possible(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the sandbox be possible on any system, for tests that only look at the wall."""
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: NOTHING)


def said_by(bot: BotSpec, *command: str) -> list[bytes]:
    """Return what a program behind a bot's wall writes until it ends."""
    words = command or bot.command
    child = Child.start(words, tree=new_tree(), cwd=bot.cwd, wall=bot.wall)
    assert child.wait(time.monotonic() + PATIENCE_S)
    while not child.out_closed:
        child.take_output()
    child.end_last_line()
    said = [*child.lines]
    child.kill()
    return said


def seen(bot: BotSpec, path: str | Path) -> bool:
    """Return whether a path is shown to a bot."""
    return any(Path(path).is_relative_to(place) for place in bot.wall.view.reads)


@pytest.mark.usefixtures("possible")
def test_a_bot_sees_its_own_folder_and_what_it_reads_and_no_other_bots(
    tmp_path: Path, entries: Entries
) -> None:
    tables, cup = tmp_path / "tables", str(tmp_path / "cup")
    tables.mkdir()
    bots = [entries("ada", reads=(str(tables),)), entries("bob")]
    (ada, bob), said, _ = confined(bots, closed=[cup])
    assert not seen(ada, str(bob.cwd))
    for place in (str(ada.cwd), sys.prefix, os.path.realpath(sys.executable), tables):
        assert seen(ada, place)
    assert ada.wall.kind == "bwrap"
    assert said == []
    with pytest.raises(ConfigError, match=r"reads: .* holds .*cup, which no bot may see"):
        confined([entries("eve", reads=(str(tmp_path),))], closed=[cup])


@pytest.mark.usefixtures("possible")
def test_a_folder_that_others_share_is_nobodys_own(tmp_path: Path) -> None:
    for name in ("ada.py", "bob.py", "tournament.toml"):
        (tmp_path / name).touch()
    both = [
        BotSpec(name=name, command=(sys.executable, str(tmp_path / f"{name}.py")), sandbox="bwrap")
        for name in ("ada", "bob")
    ]
    (ada, _), said, _ = confined(both)
    assert seen(ada, tmp_path / "ada.py")
    assert not seen(ada, tmp_path / "bob.py")
    assert said[0].startswith("ada can only read the files of its command")
    (alone,), said, _ = confined(both[:1], closed=[str(tmp_path / "tournament.toml")])
    assert not seen(alone, tmp_path / "tournament.toml")
    assert len(said) == 1
    (alone,), said, _ = confined(both[:1])
    assert seen(alone, tmp_path / "bob.py")
    # But two bots that run in one folder are versions of one.
    both = [replace(bot, cwd=str(tmp_path)) for bot in both]
    (ada, bob), said, _ = confined(both)
    assert seen(ada, tmp_path / "bob.py")
    assert seen(bob, tmp_path / "ada.py")
    assert said == []


@pytest.mark.usefixtures("possible")
def test_a_virtual_environment_needs_what_it_was_made_from(tmp_path: Path) -> None:
    base, venv = tmp_path / "base", tmp_path / "ada" / "venv"
    for place in (base, venv):
        (place / "bin").mkdir(parents=True)
        (place / "lib").mkdir()
    (base / "bin" / "python3").touch(0o755)
    (venv / "bin" / "python").symlink_to(base / "bin" / "python3")
    (venv / "pyvenv.cfg").write_text(f"home = {base / 'bin'}\n")
    script = tmp_path / "ada" / "bot.py"
    script.write_text(f"#!{venv}/bin/python\n")
    bot = BotSpec(name="ada", command=(str(script),), sandbox="none")
    assert ready(bot).wall.kind == "limits"
    bot = replace(bot, sandbox="bwrap")
    with pytest.raises(ConfigError, match=r"venv/bin/python leads out of .*/ada to .*/python3"):
        ready(bot)
    ada = ready(replace(bot, reads=(str(base),)))
    assert seen(ada, base / "lib")
    assert seen(ada, script)


def lead(name: str, target: str) -> Callable[[Path, Path], None]:
    """Make a link in a folder, or of all of it."""

    def make(home: Path, secrets: Path) -> None:
        link = home / name
        if name:
            link.parent.mkdir(exist_ok=True)
            link.unlink(missing_ok=True)
        else:
            shutil.rmtree(home)
        link.symlink_to(target.format(secrets=secrets, bob=home.parent / "bob"))

    return make


def say_environment(home: Path, secrets: Path) -> None:
    (home / "lib").mkdir()
    (home / "pyvenv.cfg").write_text(f"home = {secrets}/bin\n")
    (home / "bin").mkdir()
    (home / "bot").rename(home / "bin" / "bot")
    (home / "bot").symlink_to("bin/bot")


def say_first_line(home: Path, secrets: Path) -> None:
    (home / "bot").write_text(f"#!{secrets}/bin/tool\n")


TRICKS: dict[str, Callable[[Path, Path], None]] = {
    "its program is a link to a secret": lead("bot", "{secrets}/bin/tool"),
    "its program is a link to another bot": lead("bot", "{bob}/bot"),
    "its program is a link by way of the system": lead("bot", "/proc/self/root{secrets}/bin/tool"),
    "a link in it leads to a secret": lead("data/net.bin", "{secrets}/key"),
    "a link in it leads to the folder of secrets": lead("data/all", "{secrets}"),
    "a link in it leads up": lead("data/up", "../../../secrets"),
    "a link in it leads to what is not there yet": lead("later", "/var/tmp/not-there-yet"),
    "a link in it leads to the root": lead("root", "/"),
    "it is a link to another bot": lead("", "{bob}"),
    "it is a link to the secrets": lead("", "{secrets}"),
    "it says that it is a virtual environment": say_environment,
    "its first line asks for a secret program": say_first_line,
}
"""What an entrant may do in the folder that it delivers, to see more; by what it is."""


@pytest.mark.usefixtures("possible")
@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("has_cwd", [True, False])
def test_nothing_that_an_entrant_delivers_widens_what_it_sees(
    trick: str, has_cwd: bool, entries: Entries, tmp_path: Path
) -> None:
    secrets = tmp_path / "secrets"
    for name in ("bin/tool", "lib/tool.so", "key", "bot"):
        (secrets / name).parent.mkdir(parents=True, exist_ok=True)
        (secrets / name).touch(0o755)
    bob, eve = (entries(name, **({} if has_cwd else {"cwd": None})) for name in ("bob", "eve"))
    closed = [str(tmp_path / "entries" / "cup")]
    before = confined([bob, eve], closed=closed).bots[0].wall
    TRICKS[trick](tmp_path / "entries" / "eve", secrets)
    try:
        bots = confined([bob, eve], closed=closed).bots
    except ConfigError as refused:
        (told,) = str(refused).splitlines()  # and nothing of bob
        assert told.startswith("bot 'eve': sandbox = 'bwrap': ")
        assert "`reads`" in told
        assert confined([bob], closed=closed).bots[0].wall == before
    else:
        assert not any(seen(bots[1], path) for path in secrets.rglob("*"))
        assert not any(seen(bots[1], path) for path in (tmp_path / "entries" / "bob").iterdir())
        assert bots[0].wall == before


@pytest.mark.usefixtures("possible")
def test_links_that_stay_in_the_folder_or_lead_to_the_system_are_an_entrants_own(
    entries: Entries, tmp_path: Path
) -> None:
    ada = entries("ada", reads=(str(tmp_path / "tables"),))
    (tmp_path / "tables").mkdir()
    home = Path(str(ada.cwd))
    (home / "again").symlink_to("bot")
    (home / "sh").symlink_to("/bin/sh")
    (home / "tables").symlink_to(tmp_path / "tables")
    assert seen(confined([ada]).bots[0], home / "again")
    # An organiser may name a bot by a link beside it.
    (home.parent / "current").symlink_to("ada")
    link = home.parent / "current"
    current = replace(ada, cwd=str(link), command=(str(link / "bot"),))
    assert seen(confined([current]).bots[0], home / "bot")


def test_a_sandbox_that_is_asked_for_and_not_possible_is_refused_for_all_bots_at_once(
    entries: Entries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: Obstacle("bwrap is not installed"))
    monkeypatch.setattr(users, "can_be_given", lambda: False)
    with pytest.raises(ConfigError) as refused:
        confined([entries("ada"), entries("bob", sandbox="user"), entries("eve", sandbox="none")])
    ada, bob = str(refused.value).splitlines()
    assert ada == "bot 'ada': sandbox = 'bwrap': bwrap is not installed"
    assert bob.startswith("bot 'bob': sandbox = 'user': only the superuser")


def test_without_asking_a_bot_has_a_user_of_its_own_where_that_can_read_it(
    tmp_path: Path, entries: Entries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(users, "can_be_given", lambda: False)
    ada = entries("ada", sandbox="auto")
    assert confined([ada]).note == ""
    monkeypatch.setattr(users, "can_be_given", lambda: True)
    monkeypatch.setattr(users, "closed_to", lambda _user, _paths: "")
    ((walled_ada,), _, note) = confined([ada])
    assert (walled_ada.wall.kind, note) == ("user", "")
    monkeypatch.setattr(users, "closed_to", lambda _user, _paths: str(tmp_path))
    (bots, _, words) = confined([ada, entries("bob", sandbox="auto")])
    assert [bot.wall.kind for bot in bots] == ["limits", "limits"]
    assert words.startswith(
        f"note: ada, bob run as the superuser with all permissions, because {tmp_path} is"
    )
    with pytest.raises(ConfigError, match="is closed to other users; open it with `chmod o\\+rX`"):
        confined([entries("eve", sandbox="user")])


def test_every_step_on_the_way_has_to_be_open(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path))
    inner = root / "closed" / "open" / "file"
    inner.parent.mkdir(parents=True)
    inner.touch(0o644)
    link = root / "link"
    link.symlink_to("closed/open/file")
    shut = {str(place) for place in root.parents if not place.stat().st_mode & 0o001}
    assert users.closed_to(users.FIRST, [str(link)]) in {"", *shut, str(root)}
    (root / "closed").chmod(0o700)
    found = users.closed_to(users.FIRST, [str(link)])
    assert found in {str(root / "closed"), *shut, str(root)}
    assert users.closed_to(os.getuid(), [str(link)]) == "" or shut


# Builds


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    for name in ("logs", "scratch"):
        (tmp_path / name).mkdir()
    before = process_trees.scratch_root()
    process_trees.settle(str(tmp_path / "scratch"))

    def build(*bots: BotSpec) -> tuple[BotSpec, ...]:
        closed = [str(tmp_path / "cup")]
        return built(bots, closed=closed, logs=tmp_path / "logs", tell=lambda _: None)

    yield build
    process_trees.settle(before)


@pytest.mark.parametrize("sandbox", ["none", pytest.param("bwrap", marks=walled)])
def test_what_is_built_once_is_not_built_again(
    sandbox: str, entries: Entries, workshop: Workshop
) -> None:
    ada = entries("ada", sandbox=sandbox, build="cp bot made")
    (first,) = workshop(ada)
    home = Path(str(first.cwd))
    assert (home / "made").read_text() == "#!/bin/sh\n"
    assert first.command == (str(home / "bot"),)
    assert not (Path(str(ada.cwd)) / "made").exists()
    before = (home / "made").stat().st_mtime_ns
    assert workshop(ada) == (first,)
    assert (home / "made").stat().st_mtime_ns == before
    (home.parent / f"{home.name}.done").unlink()  # as of one that was killed
    (home / "half").touch()
    assert workshop(ada) == (first,)
    assert not (home / "half").exists()
    (Path(str(ada.cwd)) / "bot").write_text("#!/bin/sh\nexit\n")
    (other,) = workshop(ada)
    assert other.cwd != first.cwd


@walled
def test_a_build_that_reads_another_entrants_folder_fails(
    entries: Entries,
    workshop: Workshop,
    tmp_path: Path,
) -> None:
    bob = entries("bob", build="cp bot made")
    thief = entries("eve", build=f"ls -d . && cat {bob.cwd}/bot")
    online = entries("mal", build="cat /proc/net/dev | grep -v 'lo:' | grep : ; exit 7")
    with pytest.raises(ArenaError) as failed:
        workshop(bob, thief, online)
    text = str(failed.value)
    log = tmp_path / "logs" / "build-eve.log"
    assert f"bot 'eve': build = {thief.build!r} exited with status 1 ({log}):" in text
    assert "No such file or directory" in log.read_text()
    assert "'bob'" not in text
    assert (tmp_path / "logs" / "build-mal.log").read_text() == ""  # no interface but its own


@walled
@needs_users
def test_a_build_runs_as_a_user_of_its_own_and_leaves_no_program_with_its_rights(
    entries: Entries, workshop: Workshop, tmp_path: Path
) -> None:
    ada = entries("ada", build="id -u; cp bot made; chmod 4755 made; ln -s /root out; exit 0")
    with pytest.raises(ConfigError, match=r"/out leads out of .* to /root"):
        confined(workshop(ada))
    said = (tmp_path / "logs" / "build-ada.log").read_text().splitlines()
    assert users.FIRST <= int(said[0]) <= users.LAST
    assert "Operation not permitted" in said[1]
    made = next((kept("private-builds")).glob("*/made"))
    assert kept("private-builds").stat().st_mode & 0o777 == 0o700
    assert made.stat().st_uid == os.geteuid()
    assert made.stat().st_mode & 0o6000 == 0


@walled
def test_a_build_that_fills_the_disk_is_ended(
    entries: Entries, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "MOST_FILES", 50)
    ada = entries("ada", build="for n in $(seq 100); do : >$n; done; sleep 600")
    with pytest.raises(
        ArenaError, match=r"'ada': cannot be built: the build wrote more than 2 GiB or 50"
    ):
        workshop(ada)


def test_what_holds_nothing_on_the_disk_takes_nothing_in_a_copy(
    entries: Entries, workshop: Workshop
) -> None:
    ada = entries("ada", sandbox="none", build="true")
    with (Path(str(ada.cwd)) / "hole").open("wb") as file:
        file.truncate(64 << 20)
        file.seek(32 << 20)
        file.write(b"data")
    (copy,) = workshop(ada)
    made = Path(str(copy.cwd)) / "hole"
    assert made.stat().st_size == 64 << 20
    assert made.stat().st_blocks * 512 <= 2 << 20
    assert made.read_bytes()[32 << 20 :].startswith(b"data\0")


@walled
@pytest.mark.parametrize("what", ["its program", "another file", "what its build makes"])
def test_a_pipe_in_a_folder_is_refused_and_waited_for_by_nobody(
    what: str, entries: Entries, workshop: Workshop
) -> None:
    ada = entries("ada", **({"build": "mkfifo pipe"} if what.startswith("what") else {}))
    home = Path(str(ada.cwd))
    if what == "its program":
        (home / "bot").unlink()
        os.mkfifo(home / "bot", 0o755)
    elif what == "another file":
        os.mkfifo(home / "pipe")
    with pytest.raises(ConfigError, match=r"is neither file nor folder nor link; remove it"):
        confined(workshop(ada))
    if what == "its program":
        assert advice_on((str(home / "bot"),), home) is None
    elif what == "another file":
        with pytest.raises(ArenaError, match=r"pipe: not a file, folder or link"):
            workshop(replace(ada, sandbox="none", build="true"))


def test_a_build_that_takes_too_long_is_ended(
    entries: Entries, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "BUILD_S", 0.05)
    ada = entries("ada", sandbox="none", build="echo begun; sleep 600")
    with pytest.raises(ArenaError, match=r"took longer than 0.05 s"):
        workshop(ada)
    assert not [path for path in kept("builds").iterdir() if path.suffix != ".lock"]


def test_builds_that_nobody_has_used_for_long_are_forgotten(
    entries: Entries, workshop: Workshop
) -> None:
    ada = entries("ada", sandbox="none", build="true")
    (old,) = workshop(ada)
    past = time.time() - 40 * 86_400
    os.utime(f"{old.cwd}.done", (past, past))
    workshop(entries("bob", sandbox="none", build=":"))
    assert not Path(str(old.cwd)).exists()


@walled
def test_a_run_behind_bubblewrap_plays_as_one_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_here(monkeypatch)
    moves = []
    for wall in ("bwrap", "none"):
        words = "run --bot random --bot greedy --game yavalath --rounds 1 --seed 3 --no-report -q"
        out = tmp_path / wall
        ended = arena(*words.split(), "--sandbox", wall, "--output", out, cwd=tmp_path)
        assert (ended.returncode, ended.stderr) == (0, "")
        moves.append([parse(str(text)).moves for (text,) in stored(out, "record")])
    assert moves[0] == moves[1]
    assert len(moves[0]) == 2


def test_a_sandbox_that_nobody_has_is_refused_before_the_first_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: Obstacle("bwrap is not installed"))
    words = "run --bot random --bot greedy --game yavalath --no-report --sandbox"
    ended = arena(*words.split(), "bwrap", "--output", "out", cwd=tmp_path)
    assert ended.returncode == 2
    assert "bot 'random': sandbox = 'bwrap': bwrap is not installed" in ended.stderr
    assert stored(tmp_path / "out") == []
    ended = arena(*words.split(), "moat", "--output", "out", cwd=tmp_path)
    assert "sandbox = \"moat\", expected 'auto', 'none', 'user' or 'bwrap'" in ended.stderr
    ended = arena("bot", "check", "--sandbox", "moat", "greedy", cwd=tmp_path)
    assert "--sandbox: 'moat' is not one of auto, none, user, bwrap" in ended.stderr


@pytest.mark.parametrize("sandbox", ["none", pytest.param("bwrap", marks=walled)])
def test_what_a_bot_has_compiled_stays_and_is_its_own(
    sandbox: str, entries: Entries, tmp_path: Path
) -> None:
    bots = [entries(name, sandbox=sandbox, cache_bytes=1 << 20) for name in ("ada", "bob")]
    code = 'echo "$(ls "$XDG_CACHE_HOME")."; echo >"$XDG_CACHE_HOME/$0-compiled"'
    found = []
    for bot in (*bots, bots[0]):
        found += said_by(confined([bot]).bots[0], "/bin/sh", "-c", code, bot.name)
    assert found == [b".", b".", b"ada-compiled."]
    assert len(list((tmp_path / "cache" / "lath-arena" / "bots").iterdir())) == 2


@pytest.mark.usefixtures("possible")
def test_all_processes_of_a_bot_share_its_memory_and_cores(entries: Entries) -> None:
    plain = entries("ada", sandbox="none")
    said = entries("bob", sandbox="none", memory_bytes=1 << 28)
    asked = entries("cat", memory_bytes=1 << 28, threads=2)
    shared = entries("dan")
    bots = confined([plain, said, asked, shared], at_once=4).bots
    found = [(bot.wall.tree_bytes, bot.wall.cores) for bot in bots]
    assert found == [(0, 0), (1 << 28, 0), (1 << 28, 2), (machine_bytes() // 4, 1)]


@walled
def test_a_cache_is_its_bots_alone_and_no_link_in_it_is_followed(
    entries: Entries, tmp_path: Path
) -> None:
    ada = entries("ada", cache_bytes=1 << 16)
    target = tmp_path / "target"
    target.mkdir()
    (target / "kept").touch(0o644)
    before = (target / "kept").stat()
    code = (
        f"cd /home/cache; ln -s {target} link; ln -s {target}/kept file; id -u; "
        "head -c 99999 /dev/zero >big"
    )
    (ada,) = confined([ada]).bots
    place = Path(ada.wall.view.cache)
    assert place.parent.stat().st_mode & 0o777 == 0o700
    # The second time it is emptied before.
    seen_users = [int(said_by(ada, "/bin/sh", "-c", code)[0]) for _ in range(2)]
    assert (place / "big").stat().st_uid == seen_users[1]
    if users.can_be_given():
        assert all(users.FIRST <= user <= users.LAST for user in seen_users)
        users.give(str(place), users.LAST)
        assert (place / "link").lstat().st_uid == users.LAST
    assert (target / "kept").stat() == before
    assert [path.name for path in target.iterdir()] == ["kept"]


@needs_users
def test_all_processes_of_a_bot_with_a_cache_are_one_user(tmp_path: Path) -> None:
    folder = str(tmp_path / "cache")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "compiled").touch(0o6755)
    mine = users.claim_owner(folder)
    assert users.claim_owner(folder) == mine
    code = f"from lath.arena.sandbox import users; print(users.claim_owner({folder!r}))"
    theirs = [sys.executable, "-c", code]
    assert int(subprocess.check_output(theirs)) == mine  # while it is this process's, too
    status = (tmp_path / "cache" / "compiled").stat()
    assert (status.st_uid, status.st_mode & 0o7777) == (mine, 0o755)
    users.release(mine)
    users.release(mine)
    # Another bot may have become that user meanwhile: then the folder gets a new one.
    code = f"users.FIRST = users.LAST = {mine}; print(users.claim(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", f"from lath.arena.sandbox import users; {code}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdin
        assert other.stdout
        assert int(other.stdout.readline()) == mine
        new = users.claim_owner(folder)
        assert new != mine
        users.release(new)
        other.stdin.close()
    assert (tmp_path / "cache" / "compiled").stat().st_uid == new


@walled
@needs_users
@pytest.mark.parametrize("closed", ["", "data/net.bin"])
def test_a_bot_whose_folder_is_closed_plays_as_a_user_of_its_own_in_a_copy(
    closed: str, entries: Entries, workshop: Workshop
) -> None:
    ada = entries("ada")
    home = Path(str(ada.cwd))
    (home / "data").mkdir()
    (home / "data" / "net.bin").write_text("weights")
    (home / "bot").write_text("#!/bin/sh\nid -u; cat data/net.bin\n")
    (home / "bot").chmod(0o755)
    (home / closed).chmod(0o700 if (home / closed).is_dir() else 0o600)
    (bot,) = confined(workshop(ada)).bots
    user, weights = said_by(bot)
    assert users.FIRST <= int(user) <= users.LAST
    assert weights == b"weights"


@pytest.fixture(params=["plain", "a=b"])
def trap(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the folder of a bot that has programs of its own with names of the system's."""
    home = tmp_path / str(request.param)
    home.mkdir()
    for name in ("bwrap", "setpriv", "prlimit", "env", "bot"):
        (home / name).write_text(f'#!/bin/sh\necho {name} "$(/usr/bin/id -u)" "$A" "$PATH"\n')
        (home / name).chmod(0o755)
    return home


@walled
def test_a_bots_own_variables_steer_nothing_that_makes_its_sandbox(
    trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nor do the organiser's, if they name its folder: the empty part is where a program runs.
    monkeypatch.setenv("PATH", f"{trap}:{os.environ['PATH']}")
    monkeypatch.setenv("LD_LIBRARY_PATH", ":/opt/lib")
    for name in ("libcap-ng.so.0", "libsmartcols.so.1"):  # of setpriv and prlimit
        (trap / name).write_text("no library")
    bot = BotSpec(
        name="eve",
        command=(str(trap / "bot"),),
        cwd=str(trap),
        env={"PATH": str(trap), "LD_PRELOAD": "missing.so", "A": "a b=c", "-i": "x"},
        sandbox="bwrap",
    )
    (tmp_path / "out").mkdir()
    assert builds.run_in(bot, tmp_path / "out", tmp_path / "log") == 0
    said = (tmp_path / "log").read_text().splitlines()
    words = [line.split() for line in said if not line.startswith("ERROR: ld.so")]
    assert [(each[0], each[2:]) for each in words] == [("bot", ["a", "b=c", str(trap)])]
    assert words[0][1] != "0"


def test_programs_that_make_a_sandbox_are_the_systems_whatever_the_path_names(trap: Path) -> None:
    # In a process of its own, which has looked for nothing yet.
    code = "from lath.arena.sandbox import bubblewrap; print(bubblewrap.why_not())"
    there = {**os.environ, "PATH": str(trap)}
    said = subprocess.check_output([sys.executable, "-c", code], env=there, text=True)
    assert said == "bwrap is not installed: install the package bubblewrap\n"
