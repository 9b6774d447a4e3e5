"""`arena match BOT`: the output for one bot that plays against the ladder."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lath.arena.cli.ending import (
    fault_words,
    print_end_words,
    print_faults,
    tell_report,
    unhurt_output,
)
from lath.arena.cli.offers import LONGER, check_command, match_command
from lath.arena.errors import FAULT, INTERRUPTED
from lath.arena.flows.ladder import WIDE_ELO, LadderPlace
from lath.arena.flows.placing import Placed, held
from lath.arena.flows.requests import Audience, MatchRequest
from lath.arena.terminal.layout import Output
from lath.arena.terminal.notices import INTERRUPTION, print_note


def told(request: MatchRequest, audience: Audience, *, as_json: bool, quiet: bool) -> int:
    """Rate a bot, print the result for each game type, and return the exit status."""
    status, found = 0, list[dict[str, Any]]()
    for placed in held(request, audience):
        place = placed.place
        found.append(_data(placed, place))
        if not as_json:
            _print_place(placed, place, quiet=quiet)
        status = _ended(placed, place) or status
        if not quiet:
            for words in _next_steps(request, placed, place):
                print(words, file=sys.stderr)
            name = f"{placed.bot}-{placed.game}"
            tell_report(placed.folder, name, is_named=request.out is not None)
    if as_json:
        with unhurt_output("the place"):
            print(json.dumps(found, indent=2, ensure_ascii=False))
    return status


def _print_place(placed: Placed, place: LadderPlace | None, *, quiet: bool) -> None:
    with unhurt_output("the place"):
        print(*_sentences(placed, place), sep="\n")
    if not quiet:
        print_faults(placed.summary, placed.folder, Output(to_stdout=True, of_run=True))


def _ended(placed: Placed, place: LadderPlace | None) -> int:
    """Print what went wrong, and return the exit status."""
    summary = placed.summary
    print_end_words(summary, placed.progress)
    if summary.unreported is not None:
        raise summary.unreported  # a bug, whose traceback is printed
    if summary.interrupted:
        print_note(INTERRUPTION)
        return INTERRUPTED
    return FAULT if summary.stopped or place is None else 0


def _sentences(placed: Placed, place: LadderPlace | None) -> Iterator[str]:
    """Yield sentences on a bot's strength and on the games that it forfeited."""
    yield from placed.sentences(place)
    yield from fault_words(placed.summary)


def _next_steps(request: MatchRequest, placed: Placed, place: LadderPlace | None) -> Iterator[str]:
    """Yield commands to try next, with the options of this one."""
    folder = shlex.quote(str(placed.folder))
    is_at_fault = any(words.startswith(f"{placed.bot} ") for words in fault_words(placed.summary))
    if is_at_fault and placed.is_lasting:
        yield f"find its faults: {check_command(placed.table, placed.game, request)}"
    if place is None:
        return
    yield f"analyse its losses: arena explain {shlex.quote(placed.bot)} {folder}"
    if place.is_wide:
        yield (
            f"play longer (the interval is wider than {WIDE_ELO} Elo): "
            f"{match_command(request, budget=LONGER)}"
        )
    harder = [level for level in place.levels if (level.elo or 0) > place.elo.value]
    if harder:
        level = harder[0]
        others: dict[str, Any] = {"games": [placed.game]}
        if request.out is not None:
            others["out"] = f"{request.out}-{level.name}"
        command = match_command(replace(request, old=level.flag, new=request.old), **others)
        yield f"test against level {level.number} alone: {command}"


def _data(placed: Placed, place: LadderPlace | None) -> dict[str, Any]:
    low, high = (None, None) if place is None else place.interval
    return {
        "bot": placed.bot,
        "game": placed.game,
        "level": None if place is None or place.level is None else place.level.number,
        "says": list(_sentences(placed, place)),
        "elo": None if place is None or place.elo.unknown else round(place.elo.value, 1),
        "elo_low": low,
        "elo_high": high,
        "clock": placed.clock,
        "is_measured": place is not None and place.is_measured,
        "games": placed.summary.done,
        "lost_by": {one.name: dict(one.lost_by) for one in placed.summary.bots},
        "folder": str(placed.folder),
    }
