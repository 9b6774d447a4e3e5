"""What a tournament came to by its format's rules, as it is kept: `outcome.json`.

Must not know the rules of any format, nor how it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lath.arena.errors import ArenaError, ConfigError
from lath.arena.tournament.config import Config
from lath.arena.tournament.disk import writing_error
from lath.arena.tournament.observer import Summary
from lath.arena.tournament.sources import has_fallen_behind
from lath.notation.files import write_atomically
from lath.reports.outcome import Outcome, from_json, to_json

OUTCOME: Final = "outcome.json"


def outcome_of(config: Config, summary: Summary) -> Outcome:
    """Return what a run, finished or not, has come to."""
    standing = summary.outcome
    return Outcome(
        format=config.format,
        event=config.event,
        done=summary.done,
        total=max(summary.done, summary.total),
        verdict=standing.verdict,
        words=standing.words,
        sheets=standing.sheets,
        data=standing.data,
    )


def text_of(outcome: Outcome) -> str:
    """Return the text of the file."""
    return json.dumps(to_json(outcome), indent=2, ensure_ascii=False) + "\n"


def keep(folder: Path, outcome: Outcome) -> None:
    """Write what a tournament has come to; raises StoreError."""
    try:
        write_atomically(folder / OUTCOME, [text_of(outcome).encode()])
    except OSError as error:
        raise writing_error(folder / OUTCOME, error) from error


def outcome_in(sources: Sequence[Path]) -> Outcome | None:
    """Return what a tournament has come to; None where its directory is not the only source.

    None, too, where no run has ended there, and where the last one was killed: what is there is
    of fewer games then. Raises ArenaError where the file is damaged.
    """
    if len(sources) != 1 or not (path := sources[0] / OUTCOME).is_file():
        return None
    if has_fallen_behind(sources[0]):
        return None
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ArenaError(f"{path} is damaged: {error}; `arena run` writes it again") from error
