"""What a configuration says of format, test and openings, and which of it goes together.

Must not know how a schedule is made.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from lath.arena.errors import ConfigError
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.openings import BookTerms, digest
from lath.arena.schedule.sprt import MOST_ELO, Sprt
from lath.arena.tournament.keys import OPENINGS_KEYS, SPRT_KEYS, Key
from lath.arena.tournament.places import Source

SETTINGS = ("pairs", "challengers", "sprt")
"""What only some formats know. All take `rounds`; a knockout ends when it ends."""


def refuse_misfits(name: str, told: Collection[str], source: Source) -> None:
    """Raise ConfigError where a format is told what means nothing to it."""
    for setting in SETTINGS:
        if setting in told and setting not in FORMATS[name].settings:
            fitting = [each for each, format_ in FORMATS.items() if setting in format_.settings]
            raise ConfigError(
                f"{source.place(setting)}: {setting} is for format {' or '.join(fitting)}, "
                f"not {name}"
            )


def refuse_numbers(name: str, bots: int, challengers: int, source: Source) -> None:
    """Raise ConfigError where a format cannot be played by so many bots."""
    most = FORMATS[name].max_bots
    if most is not None and bots > most:
        place = source.place("format")
        raise ConfigError(f"{place}: a {name} is between {most} bots, found {bots}")
    if challengers >= bots:
        raise ConfigError(
            f"{source.place('challengers')}: challengers = {challengers}, expected fewer than the "
            f"{bots} bots"
        )


def sprt_of(told: Mapping[str, Any] | None, source: Source) -> Sprt | None:
    """Return the test of the table `[sprt]`; None without one. Raises ConfigError."""
    if told is None:
        return None
    values = _read(told, SPRT_KEYS)
    for name in ("elo0", "elo1"):
        if name not in values:
            raise ConfigError(f"{source.place(name, 'sprt')}: sprt: expected {name}")
    sprt = Sprt(**values)
    most = MOST_ELO[sprt.model]
    if max(abs(sprt.elo0), abs(sprt.elo1)) > most:
        place = source.place("elo0" if abs(sprt.elo0) > most else "elo1", "sprt")
        raise ConfigError(f"{place}: sprt: expected {sprt.model} Elo from -{most:g} to {most:g}")
    if sprt.elo0 >= sprt.elo1:
        raise ConfigError(
            f"{source.place('elo0', 'sprt')}: sprt: elo0 = {sprt.elo0:g}, expected less than elo1 "
            f"= {sprt.elo1:g}"
        )
    return sprt


def sprt_table(text: str) -> dict[str, Any]:
    """Return the table `[sprt]` of a `--sprt` flag such as `0,10` or `0,10,0.05,0.1`.

    Raises ConfigError.
    """
    words = text.split(",")
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4):
        raise ConfigError(f"--sprt {text!r}, expected elo0,elo1 or elo0,elo1,alpha,beta")
    return dict(zip(("elo0", "elo1", "alpha", "beta"), numbers, strict=False))


def openings_of(told: Mapping[str, Any] | None, folder: Path, source: Source) -> BookTerms | None:
    """Return which book the table `[openings]` names; None without one. Raises ConfigError."""
    if told is None:
        return None
    values = _read(told, OPENINGS_KEYS)
    if "file" not in values:
        raise ConfigError(f"{source.place('file', 'openings')}: openings: expected a file")
    path = (folder / values.pop("file")).resolve()
    return BookTerms(path=path, digest=digest(path), **values)


def _read(told: Mapping[str, Any], keys: Mapping[str, Key]) -> dict[str, Any]:
    return {name: key.read(told[name]) for name, key in keys.items() if name in told}
