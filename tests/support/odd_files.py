"""Odd files in a served folder, and how the site lists them."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple

RECORD: Final = '[Game "yavalath"]\n[Result "*"]\n\n1. e5 *\n'

CANARY: Final = "canary-outside-the-folder"
"""The player in all records outside the folder."""

SPARSE: Final = 1 << 43
"""The size of a sparse file, which takes no space."""

LISTED: Final = ""
"""The file is readable and listed as what it is."""

PASSED_BY: Final = None
"""The file is ignored and not listed."""


class Odd(NamedTuple):
    """An odd file."""

    make: Callable[[Path, Path], Any]
    """Makes it in the first folder; the second folder is outside of that."""

    reason: str | None
    """Words of the reason for which it is listed as unreadable, or LISTED or PASSED_BY."""


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(SPARSE)


def _socket(path: Path) -> None:
    with (
        chdir(path.parent),
        socket.socket(socket.AF_UNIX) as made,
    ):  # a socket's path can have 107 bytes
        made.bind(path.name)


def _cup(folder: Path, name: str = "odd", /, **files: object) -> Path:
    """Make a tournament's directory with records and other files: text, JSON or a function."""
    cup = folder / name
    (cup / "live").mkdir(parents=True)
    (cup / "games.lath").write_text(RECORD)
    for file, content in files.items():
        path = cup / file.replace("__", "/").replace("_", ".")
        path.unlink(missing_ok=True)
        if callable(content):
            content(path)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
    return cup


def _cup_of(**files: object) -> Callable[[Path, Path], Any]:
    return lambda folder, _: _cup(folder, **files)


def _file(name: str | bytes, content: str | bytes = RECORD) -> Callable[[Path, Path], Any]:
    def make(folder: Path, _: Path) -> None:
        data = content.encode() if isinstance(content, str) else content
        (folder / os.fsdecode(name)).write_bytes(data)

    return make


def _link(name: str, to: str) -> Callable[[Path, Path], Any]:
    """Return a function that makes a link; {out} is a folder outside, {here} the folder itself."""

    def make(folder: Path, out: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(to.format(out=out, here=folder))

    return make


def _linked_cup(name: str, to: str) -> Callable[[Path, Path], Any]:
    def make(folder: Path, out: Path) -> None:
        cup = _cup(folder)
        if name == "live":
            (cup / "live").rmdir()
        (cup / name).unlink(missing_ok=True)
        (cup / name).symlink_to(to.format(out=out, here=folder))

    return make


def _mode(path: str, mode: int, content: str | None = None) -> Callable[[Path, Path], Any]:
    def make(folder: Path, _: Path) -> None:
        if content is None:
            _cup(folder, path)
        else:
            (folder / path).write_text(content)
        (folder / path).chmod(mode)

    return make


def _endless(path: Path) -> None:
    """Make a database in which a query for a note never ends."""
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE VIEW about AS WITH RECURSIVE c(key) AS "
            "(SELECT 'x' UNION ALL SELECT key || '' FROM c) SELECT key, key AS value FROM c"
        )
        database.execute("CREATE TABLE game (number INTEGER PRIMARY KEY)")
    database.close()


def _long_text(path: Path) -> None:
    """Make a database with a note of hundreds of megabytes."""
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT)")
        note = "INSERT INTO about VALUES ('outcome is current', CAST(zeroblob(1 << 27) AS TEXT))"
        database.execute(note)
    database.close()


def _many(folder: Path, _: Path) -> None:
    for number in range(300):
        (folder / f"n{number}.txt").touch()
        (folder / f"d{number}").mkdir()


DEEP: Final = "[" * 100_000 + "]" * 100_000
ROW: Final = {
    "name": "x",
    **dict.fromkeys(("games", "points", "wins", "draws", "losses", "score_rate"), 1),
    "elo": {"value": 0, "low": 0, "high": 0},
}
WRONG: Final[tuple[Any, ...]] = (
    None,
    True,
    -1,
    1e308,
    10**30,
    "9" * 5_000,
    [],
    [[]],
    {},
    {"a": [1]},
)
"""Values of wrong types."""


OUTCOME: Final = {"format": "match", "event": "odd", "done": 1, "total": 1}


def _rows(**more: object) -> dict[str, Any]:
    return {"overall": {"rows": [ROW | more]}}


def _status(**more: object) -> dict[str, Any]:
    told = {"done": 1, "total": 2, "standings": [ROW | {"score": 1}], "event": "x", **more}
    return {"type": "status", "tournament": "match", "words": [], **told}


OUT: Final = "a link that leads out of the folder"

ODD: Final[dict[str, Odd]] = {
    # names
    "name-not-utf-8": Odd(_file(b"sp\xe4t.lath"), "name is not UTF-8"),
    "configuration-not-utf-8": Odd(_file(b"sp\xe4t.toml", "[[bot]]"), "name is not UTF-8"),
    "tournament-not-utf-8": Odd(
        lambda folder, _: _cup(folder, os.fsdecode(b"c\xfcp")), "name is not UTF-8"
    ),
    "name-of-a-terminal": Odd(_file("a\x1b[2J\n\u202egnp.lath"), LISTED),
    "name-of-markup": Odd(_file('"><script>alert(1)<.lath'), LISTED),
    "name-of-a-path": Odd(_file("..%2f..%2fetc%2fpasswd.lath"), LISTED),
    "longest-name": Odd(_file("n" * 250 + ".lath"), LISTED),
    # not regular files
    "pipe": Odd(lambda folder, _: os.mkfifo(folder / "odd.lath"), "a pipe"),
    "pipe-of-a-configuration": Odd(lambda folder, _: os.mkfifo(folder / "odd.toml"), "a pipe"),
    "pipe-of-a-database": Odd(lambda folder, _: os.mkfifo(folder / "odd.duckdb"), "a pipe"),
    "socket": Odd(lambda folder, _: _socket(folder / "odd.lath"), "a socket"),
    "device": Odd(_link("odd.lath", "/dev/zero"), OUT),
    "folder-as-records": Odd(lambda folder, _: (folder / "odd.lath").mkdir(), PASSED_BY),
    # links
    "link-out": Odd(_link("odd.lath", "{out}/secret.lath"), OUT),
    "link-out-to-a-configuration": Odd(_link("odd.toml", "{out}/secret.toml"), OUT),
    "link-out-by-dots": Odd(_link("odd.lath", "../out/secret.lath"), OUT),
    "link-to-a-tournament-outside": Odd(_link("odd", "{out}/secret"), PASSED_BY),
    "link-to-the-folder": Odd(_link("odd/back", "{here}"), PASSED_BY),
    "broken-link": Odd(_link("odd.lath", "nowhere"), "No such file"),
    "link-to-itself": Odd(_link("odd.lath", "odd.lath"), "symbolic links"),
    "link-within": Odd(_link("odd.lath", "good.lath"), LISTED),
    "begun-by-a-link-out": Odd(
        lambda folder, out: [
            _link("odd", "{out}/secret")(folder, out),
            (folder / "odd.toml").write_text("[[bot]]"),
        ],
        OUT,
    ),
    "begun-by-a-link-to-an-empty-folder": Odd(
        lambda folder, out: [
            _link("odd", "{out}/empty")(folder, out),
            (folder / "odd.toml").write_text("[[bot]]"),
        ],
        OUT,
    ),
    # rights and size
    "unreadable": Odd(_mode("odd.lath", 0, RECORD), "Permission denied"),
    "unreadable-configuration": Odd(_mode("odd.toml", 0, "[[bot]]"), "Permission denied"),
    "folder-without-rights": Odd(_mode("odd", 0), "Permission denied"),
    "folder-that-may-be-listed-only": Odd(_mode("odd", 0o444), "Permission denied"),
    "huge": Odd(lambda folder, _: _sparse(folder / "odd.lath"), "larger than 4 GiB"),
    "huge-database": Odd(lambda folder, _: _sparse(folder / "odd.duckdb"), "larger than 256 GiB"),
    "huge-configuration": Odd(lambda folder, _: _sparse(folder / "odd.toml"), "larger than 1 MiB"),
    "empty": Odd(_file("odd.lath", ""), LISTED),
    "not-compressed": Odd(_file("odd.lath.gz", b"\x1f\x8b\x08rubbish"), LISTED),
    "many": Odd(_many, PASSED_BY),
    # configurations
    "deep-lists": Odd(_file("odd.toml", f"a = {DEEP}"), "nested too deeply"),
    "deep-tables": Odd(_file("odd.toml", "a = " + "{b = " * 9_000), "nested too deeply"),
    "no-toml": Odd(_file("odd.toml", "bot = ["), "not TOML"),
    "toml-not-utf-8": Odd(_file("odd.toml", b'a = "\xff"'), "not TOML"),
    "toml-with-nul": Odd(_file("odd.toml", b"\x00"), "not TOML"),
    "toml-with-a-long-number": Odd(_file("odd.toml", f"a = {'9' * 6_000}"), "not TOML"),
    "other-toml": Odd(_file("odd.toml", "[project]\n"), PASSED_BY),
    # files of a tournament's directory
    **{
        f"pipe-of-{name}": Odd(
            _cup_of(**{name.replace(".", "_"): os.mkfifo}), f"{name}: it is a pipe"
        )
        for name in ("games.lath", "tournament.db", "outcome.json", "standings.json")
    },
    "pipe-of-the-lock": Odd(_cup_of(tournament_lock=os.mkfifo), "tournament.lock: it is a pipe"),
    "pipe-of-the-status": Odd(_cup_of(live__status_json=os.mkfifo), LISTED),
    "pipe-of-a-board": Odd(_cup_of(live__1_json=os.mkfifo), LISTED),
    **{
        f"link-out-for-{name}": Odd(
            _linked_cup(name, f"{{out}}/secret/{name}"), f"{name}: it is {OUT}"
        )
        for name in ("games.lath", "outcome.json", "standings.json", "tournament.toml", "live")
    },
    "link-out-for-a-database": Odd(_linked_cup("tournament.db", "/dev/zero"), OUT),
    "link-out-for-a-lock": Odd(_linked_cup("tournament.lock", "{out}/new"), "No such file"),
    "deep-standings": Odd(_cup_of(standings_json=DEEP), LISTED),
    "deep-outcome": Odd(_cup_of(outcome_json='{"data": ' + DEEP + "}"), LISTED),
    "deep-status": Odd(_cup_of(live__status_json=DEEP), LISTED),
    "huge-standings": Odd(_cup_of(standings_json=_sparse), "larger than 4 GiB"),
    "huge-outcome": Odd(_cup_of(outcome_json=_sparse), "larger than 4 GiB"),
    "huge-status": Odd(_cup_of(live__status_json=_sparse), LISTED),
    "huge-board": Odd(_cup_of(live__1_json=_sparse), LISTED),
    "surrogate-as-a-name": Odd(_cup_of(standings_json=_rows(name="\ud800")), LISTED),
    "surrogate-as-an-event": Odd(_cup_of(live__status_json=_status(event="\udfff")), LISTED),
    "no-numbers": Odd(
        _cup_of(
            standings_json=_rows(points=float("nan"), score_rate=float("inf")),
            live__status_json=_status(done=float("nan"), rate=float("-inf")),
        ),
        LISTED,
    ),
    **{
        f"wrong-value-{at}": Odd(
            _cup_of(
                standings_json=_rows(name=value, games=value, points=value, elo=value),
                outcome_json=dict.fromkeys(("format", "done", "words", "data"), value),
                live__status_json=_status(
                    **dict.fromkeys(("done", "total", "event", "format", "words"), value),
                    **dict.fromkeys(("standings", "recent", "warned", "rate"), value),
                ),
            ),
            LISTED,
        )
        for at, value in enumerate(WRONG)
    },
    # databases
    "empty-database": Odd(_cup_of(tournament_db=b""), LISTED),
    "no-database": Odd(_cup_of(tournament_db=b"rubbish" * 1_000), LISTED),
    "torn-database": Odd(_cup_of(tournament_db=b"SQLite format 3\0" + bytes(4_000)), LISTED),
    "endless-database": Odd(_cup_of(tournament_db=_endless, outcome_json=OUTCOME), LISTED),
    "database-with-a-long-text": Odd(
        _cup_of(tournament_db=_long_text, outcome_json=OUTCOME), LISTED
    ),
}


def make(folder: Path, out: Path, *names: str) -> None:
    """Make a valid file and odd ones in `folder`, and the targets of links in `out`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "good.lath").write_text(RECORD)
    (out / "empty").mkdir(parents=True, exist_ok=True)
    secret = RECORD.replace("[Result", f'[First "{CANARY}"]\n[Result')
    (out / "secret" / "live").mkdir(parents=True, exist_ok=True)
    for name in ("secret.lath", "secret/games.lath"):
        (out / name).write_text(secret)
    (out / "secret.toml").write_text(f'event = "{CANARY}"\n[[bot]]\n')
    (out / "secret/tournament.toml").write_text(f'event = "{CANARY}"\n[[bot]]\n')
    (out / "secret/standings.json").write_text(json.dumps(_rows(name=CANARY)))
    (out / "secret/outcome.json").write_text(json.dumps({"format": "match", "event": CANARY}))
    (out / "secret/live/status.json").write_text(json.dumps(_status(event=CANARY)))
    for name in names:
        ODD[name].make(folder, out)


def either(cup: Path, *, is_played: bool) -> AbstractContextManager[None]:
    """Hold the lock of a tournament's directory if it `is_played`."""
    return _played(cup) if is_played else nullcontext()


@contextmanager
def _played(cup: Path) -> Iterator[None]:
    """Hold the lock of a tournament's directory, as its run does, if possible."""
    lock = cup / "tournament.lock"
    if not cup.is_dir() or (os.path.lexists(lock) and not lock.is_file()):
        yield
        return
    with lock.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
