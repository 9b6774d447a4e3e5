"""What may change when a tournament goes on: nothing that decides games, and never fewer rounds.

Must not know how games are played. Compares with what is stored, and writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lath.arena.errors import ConfigError
from lath.arena.schedule.formats import FORMATS
from lath.arena.tournament.config import Config
from lath.arena.tournament.fingerprints import Files, changes
from lath.arena.tournament.store import Store


def identity_of(config: Config) -> dict[str, object]:
    """Return what may not change, as the store gives it back."""
    identity: dict[str, object] = json.loads(json.dumps(config.identity()))
    return identity


def resumed(store: Store, config: Config, folder: Path) -> Config:
    """Return the configuration that `folder` goes on with; raises ConfigError.

    Without games that is `config`. Else `config` must play the same games; rounds that it does not
    name are those of before, and others are not fewer.
    """
    ours, theirs = identity_of(config), store.tournament()
    if theirs is None or not (store.finished() or store.walkovers()):
        return config
    if theirs != ours:
        raise _another(ours, theirs, config, folder)
    return _with_rounds(store.rounds(), config, folder)


def _another(
    ours: Mapping[str, object], theirs: Mapping[str, object], config: Config, folder: Path
) -> ConfigError:
    different = [key for key in ours if ours[key] != theirs.get(key)]
    before = theirs.get("openings")
    if different == ["openings"] and config.openings and isinstance(before, dict):
        now = config.openings.identity()
        if {**before, "sha256": now["sha256"]} == now:
            return ConfigError(
                f"{config.openings.path}: what is in the opening book has changed since games were "
                "played; choose another --out, or put the old book back"
            )
    return ConfigError(
        f"{folder} holds a tournament with another configuration ({', '.join(different)}); "
        "choose another --out, or leave these flags out to resume it"
    )


def _with_rounds(before: int | None, config: Config, folder: Path) -> Config:
    """Return the configuration with the rounds of before where it says nothing of them."""
    if before is None or "rounds" not in FORMATS[config.format].settings:
        return config
    if "rounds" not in config.as_written:
        return replace(config, rounds=before, as_written={**config.as_written, "rounds": before})
    if config.rounds < before:
        raise ConfigError(
            f"{folder} holds games of a tournament with rounds = {before}, and rounds = "
            f"{config.rounds} are fewer; choose another --out, or go on with {before} or more"
        )
    return config


def refuse_changed(store: Store, files: Files, *, force: bool) -> list[str]:
    """Return which bots with stored games are not what they were; raises ConfigError instead."""
    changed = changes(store.files(), files) if store.finished() else []
    words = [f"bot {name!r}: {path} has changed since games were played" for name, path in changed]
    if words and not force:
        raise ConfigError(f"{words[0]}; choose another --out, or go on all the same with --force")
    return words
