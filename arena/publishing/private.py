"""The files of a tournament for a bot's owner: the bot's logs and faults, without other bots'."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any, Final

from lath.arena.directory import DATABASE
from lath.arena.entrants.builds import build_log
from lath.arena.errors import ArenaError, ConfigError, reading
from lath.arena.machine.system import reading_database
from lath.arena.referee.log import read_log
from lath.arena.referee.record import GameResult
from lath.arena.tournament.outcome.notes import begun_in, games_of
from lath.arena.tournament.outcome.sources import background_of
from lath.arena.tournament.store.store import LOGS
from lath.notation.record.record import Forfeit, Record
from lath.notation.record.tags import FORFEITS
from lath.notation.text.scanner import parse


def private_files(folder: Path, bot: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file for a bot's owner.

    Yields nothing without a log of the bot. `bot` is a name in the configuration or
    in the records; a pool's bot has one name in the records per version. Raises ConfigError if the
    bot does not exist, and ArenaError.
    """
    names = _names(folder, bot)
    faults, has_logs = list[dict[str, Any]](), False
    for game in _told_of(folder, names):
        with reading_database(folder / DATABASE):
            record = parse(game.record)
            lost = record.forfeit if record.forfeit and record.forfeit.bot in names else None
            own, name = _own(record, names, lost, game.log, game.stderr), f"game-{game.number}.log"
        if own:
            has_logs = True
            yield name, own
        if lost:
            faults.append({**lost._asdict(), "log": name if own else ""})
    for path in (build_log(folder / LOGS, name) for name in names):
        if path.is_file():
            has_logs = True
            with reading(path):
                yield path.name, path.read_text(encoding="utf-8", errors="replace")
    if has_logs:
        for name, value in (("faults.json", faults), ("bot.json", _about(folder, bot, names))):
            yield name, json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _told_of(folder: Path, names: Sequence[str]) -> Iterator[GameResult]:
    """Yield the games of a bot that have a log or that a bot forfeited."""
    for game in games_of(folder):
        is_own = game.first in names or game.second in names
        if is_own and (game.log or game.stderr or game.termination in FORFEITS):
            yield game


def _names(folder: Path, bot: str) -> tuple[str, ...]:
    """Return the bot's names in the records of a tournament; raises ConfigError."""
    if not (folder / DATABASE).is_file():
        raise ArenaError(f"{folder}: has no logs, because it has no {DATABASE}")
    played = sorted({name for game in games_of(folder) for name in (game.first, game.second)})
    versions = background_of([folder]).versions
    bots = dict.fromkeys([*(one.bot for one in versions), *played])
    if own := tuple(one.name for one in versions if one.bot == bot):
        return own
    if bot in bots:
        return (bot,)
    known = ", ".join(bots) or "none, because no game was played"
    raise ConfigError(f"{folder}: has no bot {bot!r}; its bots: {known}")


_LEFT_OUT: Final = re.compile(r"\[\.\.\. [0-9]+ letters \.\.\.\]")


def _own(
    record: Record,
    names: Collection[str],
    lost: Forfeit | None,
    log: str,
    said: Mapping[str, str],
) -> str:
    """Return one bot's part of a game's log, or an empty text.

    The standard error stored for the bot alone comes before that of the log, because another bot's
    text in the log could pretend to be this bot's.
    """
    lines, errors = read_log(log, (record.first, record.second))
    own = []
    for line in lines:
        if line.get("bot") in names:
            way = ">" if line["by"] == "arena" else "<"
            own.append(f"{line['at_s']:12.6f} {way} {line['line']}")
        elif own and _LEFT_OUT.fullmatch(line["line"]):
            own.append(line["line"])
    written = [(said.get(name) or errors.get(name, "")).rstrip("\n") for name in names]
    if not own and not any(written):
        return ""
    head = (
        f"game {record.number}: {record.game}, {record.first} (first) - {record.second} (second), "
        f"{record.result}, {record.termination}"
    )
    fault = [f"ply {lost.ply}: {lost.reason}"] if lost else []
    errs = [part for text in written if text for part in ("", "-- standard error --", text)]
    return "\n".join([head, *fault, "", *own, *errs]) + "\n"


def _about(folder: Path, bot: str, names: Sequence[str]) -> dict[str, Any]:
    """Return how the bot was started: its versions, its provenance and its first command."""
    background = background_of([folder])
    return {
        "bot": bot,
        "names": list(names),
        "versions": [asdict(one) for one in background.versions if one.name in names],
        "played": [
            {"games": played.games, "date": played.date, **asdict(one)}
            for played in background.provenance
            for one in played.bots
            if one.name in names
        ],
        "begun": [one for one in begun_in(folder).get("bots", ()) if one.get("name") in names],
    }


def private_below(
    folders: Sequence[Path], bot: str
) -> Iterator[tuple[Path, Iterator[tuple[str, str]]]]:
    """Yield each tournament with logs of a bot, and its files as from `private_files`.

    Raises ConfigError if no tournament has the bot, and ArenaError if none has logs of it.
    """
    strangers, silent, found = [], [], False
    for folder in folders:
        files = private_files(folder, bot)
        try:
            first = next(files, None)
        except ConfigError as error:
            strangers.append(str(error))
            continue
        if first is None:
            silent.append(str(folder))
            continue
        found = True
        yield folder, chain([first], files)
    if not found and not silent:
        raise ConfigError("\n".join(strangers))
    if not found:
        raise ArenaError(
            f"{', '.join(silent)}: no logs of {bot} are kept, because no build or game failed",
            hint="arena run --log all keeps the logs of all games",
        )
