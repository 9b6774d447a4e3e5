"""A pool's directory with a secret in each private place."""

from __future__ import annotations

import binascii
import json
import re
import zlib
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from results import a_config, a_result
from sample_records import random_game
from unpacking import opened

from lath.arena.referee.record import GameResult
from lath.arena.tournament.store.database import CHANGES, PROVENANCE, RULINGS, VERSIONS
from lath.arena.tournament.store.store import LOGS, Store
from lath.games.core import Result
from lath.notation.record.record import Annotation, Comment, Record
from lath.notation.text.writer import format_record
from lath.reports.notes.notes import (
    Change,
    Entrant,
    Machine,
    OtherMachine,
    Provenance,
    Ruling,
    Version,
)

PLACES: Final = (
    *("command", "environment", "cwd", "path", "option", "configuration", "file", "digest"),
    *("hosts", "host", "site", "tag", "book", "info", "line", "comment", "annotation"),
    *("variation", "stderr", "complaint", "crash", "log", "change", "setting", "analyst"),
)
"""The private places."""


def secret(place: str) -> str:
    """Return the secret of a place: text that occurs nowhere else."""
    return f"zq{place}qz"


def secrets_in(text: str) -> set[str]:
    """Return the places of the secrets in a text, also within packed data."""
    packed = re.findall(r"[A-Za-z0-9+/]{40,}={0,2}", text)
    inner = "".join(map(_opened, packed))
    return {place for place in PLACES if secret(place) in text or secret(place) in inner}


def _opened(letters: str) -> str:
    """Return the unpacked text of characters; empty if they are not packed, such as a hash."""
    try:
        return json.dumps(opened(letters))
    except (binascii.Error, zlib.error, ValueError):
        return ""


def secrets_below(folder: Path) -> set[str]:
    """Return the places of the secrets in all files of a folder and in their names."""
    found: set[str] = set()
    for path in sorted(folder.rglob("*")):
        found |= secrets_in(path.name)
        found |= secrets_in(path.read_bytes().decode("latin-1")) if path.is_file() else set()
    return found


def _said(number: int) -> Iterator[Comment]:
    """Yield a bot's comments at a ply, with public ones."""
    yield (
        *(Annotation("emt", "0.250"), Annotation("eval", "0.10"), Annotation("depth", f"{number}")),
        *(Annotation("pv", f"e5 {secret('line')}"), Annotation("x", secret("annotation"))),
        f"proven win in 3 {secret('info')}",
    )


def record(number: int, first: str, second: str) -> Record:
    """Return a completed game with secrets."""
    game = random_game("yavalath", number, first=first, second=second)
    tags = (
        *(tag for tag in game.tags if tag[0] not in ("Termination", "Result")),
        *(("Number", f"{number}"), ("Host", secret("host")), ("Site", secret("site"))),
        *(("Note", secret("tag")), ("Opening", f"{secret('book')}.lath #4")),
        *(("Date", "2026-11-22"), ("Analysis", f"python /x/{secret('analyst')}")),
        *(("Termination", "rules"), ("Result", game.result)),
    )
    own, *others = game.plies
    plies = (replace(own, comments=tuple(_said(number))), *others)
    return replace(game, tags=tags, plies=plies, comments=((secret("comment"),),))


def crash(number: int, names: tuple[str, str]) -> Record:
    """Return a game that the second bot broke off, with its standard error."""
    begun = record(number, *names)
    why = f"exited with status 1; standard error: {secret('stderr')} at /home/{secret('crash')}.py"
    tags = {**dict(begun.tags), "Termination": "crash", "Result": "1-0"}
    return replace(
        begun,
        tags=tuple(tags.items()),
        plies=begun.plies[:3],
        result=Result("1-0"),
        comments=((f"{names[1]} (second): {why}",),),
    )


def results(broken: Collection[int]) -> Iterator[GameResult]:
    """Yield games of each pairing on both sides, some of which the second bot broke off."""
    names = ("ann", "mine", "mine v2")
    pairs = [(one, other) for one in names for other in names if one != other] * 2
    for number, (first, second) in enumerate(pairs, 1):
        is_broken = number in broken
        game = (crash if is_broken else lambda n, both: record(n, *both))(number, (first, second))
        more: dict[str, Any] = {}
        if is_broken:
            said = {first: "all is well here", second: f"{secret('stderr')} {secret('complaint')}"}
            lines = [
                *(f"    0.000000 {first:7} > go 1", f"    0.100000 {second:7} > go {number}"),
                f"    0.200000 {second:7} < info text {secret('log')}",
                *("", f"-- {first}, standard error --", said[first]),
                *("", f"-- {second}, standard error --", said[second], ""),
            ]
            more = {"termination": "crash", "result": "1-0", "stderr": said}
            more["log"] = "\n".join(lines)
        else:
            more["result"] = game.result
        yield a_result(
            number, (first, second), plies=len(game.plies), record=format_record(game), **more
        )


def versions() -> tuple[Version, ...]:
    """Return two versions of one bot, and one of another."""
    own: Any = {
        "sha256": secret("digest"),
        "command": ("python", f"/home/{secret('path')}/bot.py", secret("command")),
        "options": {"threads": 2, "book": secret("option")},
        "since": "2026-11-20T10:00:00+00:00",
    }
    retired = own["since"]
    return (
        Version(name="ann", bot="ann", number=1, retired="", **own),
        Version(name="mine", bot="mine", number=1, retired=retired, **own),
        Version(name="mine v2", bot="mine", number=2, retired="", **own),
    )


def provenance() -> Provenance:
    """Return the provenance of all bots."""
    configuration = (
        f'[[bot]]\ncommand = "{secret("command")} {secret("configuration")}"\n'
        f'cwd = "/srv/{secret("cwd")}"\nenv = {{ TOKEN = "{secret("environment")}" }}\n'
    )
    files = {f"/srv/{secret('file')}": secret("digest")}
    entrants = (
        Entrant(
            name=one.name,
            says="A Bot",
            command=one.command,
            options=one.options,
            time="10+0.1",
            files=files,
        )
        for one in versions()
    )
    return Provenance(
        games=0,
        date="2026-11-20T10:00:00+00:00",
        arena="0.2.0",
        machine=Machine(cpu="A fast one", cores=4, memory_bytes=1 << 34, system="S", python="3"),
        jobs=2,
        cores=(),
        hosts=(OtherMachine(name=secret("hosts"), cpu="Another one", cores=8, jobs=8),),
        seed=7,
        seed_sha256="7" * 64,
        bots=tuple(entrants),
        configuration=configuration,
        resolved=secret("digest"),
    )


def changes() -> tuple[Change, ...]:
    """Return a public change, and private ones."""
    rows = (
        ("memory", "no limit", "512 MiB"),
        ("cwd", "a scratch folder", f"/srv/{secret('change')}"),
        (f"file /srv/{secret('setting')}", "a", "b"),
    )
    date = "2026-11-21T10:00:00+00:00"
    return tuple(
        Change(setting=setting, before=before, now=now, games=1, date=date, bot="mine")
        for setting, before, now in rows
    )


def pool(folder: Path, broken: Collection[int] = (1, 2)) -> Path:
    """Make the directory and return it; game 3 is void, and the games `broken` ended in a crash."""
    folder.mkdir(parents=True)
    with closing(Store(folder)) as store:
        store.begin(a_config(("ann", "mine", "mine v2")).identity())
        store.add(list(results(broken)))
        void = Ruling(kind="void", game=3, reason="power cut", date="2026-11-22T10:00:00+00:00")
        store.keep_notes(
            {
                VERSIONS: list(map(asdict, versions())),
                PROVENANCE: [asdict(provenance())],
                CHANGES: list(map(asdict, changes())),
                RULINGS: [asdict(void)],
            }
        )
        store.export()
    (folder / LOGS).mkdir()
    (folder / LOGS / "build-mine.log").write_text(f"make: {secret('log')}\n")
    return folder
