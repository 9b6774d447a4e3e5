"""Print the table of the games of OpenSpiel, and whether each keeps the contract of Lath Arena.

Each game is tried in a process of its own, because OpenSpiel can end a process.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pyspiel

from lath.games.parameters import written
from lath.games.trial import wrong_with
from lath_openspiel.rules import OpenSpielGame, candidates, id_of

SECONDS = 3.0
"""The CPU time of the trial of a game."""

PATIENCE_S = 60.0
"""The seconds after which the process of a trial is ended."""

TRIED = "tried: "
"""The beginning of the line with the fault of a game; other output is OpenSpiel's own."""


def trial_of(kind: Any) -> str:
    """Return the first fault of a game; empty if it keeps the contract."""
    if not kind.default_loadable:
        return "needs a file"
    command = [sys.executable, "-m", "lath_openspiel.table", str(kind.short_name)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"the trial did not end within {PATIENCE_S:.0f} s"
    found = [line for line in done.stdout.splitlines() if line.startswith(TRIED)]
    if found:
        return found[-1].removeprefix(TRIED)
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return f"the process ended: {last}"


def others() -> Iterator[tuple[str, int]]:
    """Yield why games of OpenSpiel do not fit, and how many; the first reason of each counts."""
    types, left = pyspiel.GameType, pyspiel.registered_games()
    perfect = types.Information.PERFECT_INFORMATION
    for words, is_so in (
        ("not for two players", lambda kind: not kind.min_num_players <= 2 <= kind.max_num_players),
        ("simultaneous moves", lambda kind: kind.dynamics != types.Dynamics.SEQUENTIAL),
        ("chance", lambda kind: kind.chance_mode != types.ChanceMode.DETERMINISTIC),
        (
            "hidden information",
            lambda kind: kind.information != perfect,
        ),
    ):
        out = [kind for kind in left if is_so(kind)]
        left = [kind for kind in left if kind not in out]
        yield words, len(out)


def table() -> Iterator[str]:
    """Yield the lines of the page with the table."""
    kinds = candidates()
    faults = {kind.short_name: trial_of(kind) for kind in kinds}
    passed = sum(not fault for fault in faults.values())
    yield "# Games of OpenSpiel"
    yield ""
    yield (
        f"OpenSpiel has {len(pyspiel.registered_games())} games. {len(kinds)} of them have two "
        f"players, no chance, no hidden information and one mover at a time. {passed} of these "
        "keep the contract of the arena. `python -m lath_openspiel.table` wrote this page."
    )
    yield ""
    yield "| id | cells | parameters | contract |"
    yield "| --- | ---: | --- | --- |"
    for kind in kinds:
        fault = faults[kind.short_name]
        said = ("", "") if fault else _described(OpenSpielGame(kind))
        cells = " | ".join((f"`{id_of(kind)}`", *said, fault.replace("|", "\\|") or "passes"))
        yield f"| {cells} |"
    yield ""
    yield "The other games, by the first reason that applies:"
    yield ""
    yield from (f"- {words}: {count}" for words, count in others())


def _described(game: OpenSpielGame) -> tuple[str, str]:
    cells = str(len(game.board.names)) if game.drawing.places else "not drawn"
    chosen = (f"`{each.name}={written(each.default)}`" for each in game.parameters)
    return cells, " ".join(chosen)


def main() -> None:
    """Print the table; with the name of a game, only its fault."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a text stream
    if len(sys.argv) == 1:
        print(*table(), sep="\n")
        return
    (kind,) = (each for each in candidates() if each.short_name == sys.argv[1])
    try:
        fault = wrong_with(OpenSpielGame(kind), seconds=SECONDS)
    except Exception as error:  # noqa: BLE001 - the table has a line for each fault
        notes = "; ".join(getattr(error, "__notes__", ()))
        fault = f"{type(error).__name__}: {error} ({notes})"
    print(TRIED + " ".join(fault.split())[:300])


if __name__ == "__main__":
    main()
