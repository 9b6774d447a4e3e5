"""Rate one bot against the bundled levels of the ladder, as `arena match BOT` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from lath import games as known_games
from lath.arena.entrants import minimum
from lath.arena.entrants.flags import bot_flag
from lath.arena.entrants.origins import in_words, origin_of, sandbox_in
from lath.arena.errors import ConfigError
from lath.arena.flows.ladder import LadderPlace, levels_of, place_in
from lath.arena.flows.matches import (
    MatchTerms,
    both_play,
    clock_of,
    entered,
    folder_of,
    games_of,
    refuse_another,
    shop_for,
    usual_time,
)
from lath.arena.flows.requests import Audience, MatchRequest, jobs_of
from lath.arena.flows.runs import played
from lath.arena.machine import signals
from lath.arena.schedule.budget import Budget
from lath.arena.tournament.configuration.config import Config, build
from lath.arena.tournament.run.progress import Progress, RunSummary, mishaps_words
from lath.arena.tournament.run.results import with_report_of
from lath.reports.notes.outcome import LADDER

MOST_GAMES: Final = 1000
"""Games per game type if the budget is a time; the ladder itself is not measured more precisely."""


class Placed(NamedTuple):
    """A bot's games against the levels of one game type, at the end of a run."""

    bot: str
    game: str
    folder: Path
    summary: RunSummary
    progress: Progress
    clock: str
    """The bot's time control."""

    table: Mapping[str, Any]
    """The bot's `[[bot]]` table."""

    is_lasting: bool
    """True if the files of the bot's command remain after the run."""

    @property
    def place(self) -> LadderPlace | None:
        """The bot's place on the ladder; None if it has not completed a game."""
        if self.summary.standings is None or any(self.summary.unable([self.bot])):
            return None
        return place_in(self.summary.standings.overall, self.bot, self.game, levels_of(self.game))

    def sentences(self, place: LadderPlace | None) -> Iterator[str]:
        """Yield sentences on the bot's strength, or on why it is unknown."""
        unable = list(self.summary.unable([self.bot]))
        if place is not None:
            yield from place.sentences(self.clock, mishaps_words(self.summary.bots, [self.bot]))
        elif unable:
            yield from unable
        else:
            yield f"{self.bot} has played no game at {self.game} to its end"


def _configured(
    table: dict[str, object], game: str, terms: MatchTerms, event: str, jobs: int | str
) -> Config:
    """Return the pool of a bot and the levels of a game type, whose Elo is fixed."""
    levels = levels_of(game)
    # In an unmeasured ladder only random has a fixed Elo.
    given = levels if levels[0].elo is not None else levels[:1]
    return build(
        {
            **terms.table(event, [game], "pool", jobs),
            "anchors": {level.name: float(level.elo or 0) for level in given},
            "bot": [table, *(bot_flag(level.flag) for level in levels)],
        },
        Path.cwd(),
    )


def _shared(budget: Budget, among: int) -> Budget:
    """Return an equal share of a budget for one of several game types."""
    return Budget(
        games=MOST_GAMES if budget.games is None else max(2, budget.games // among),
        seconds=None if budget.seconds is None else budget.seconds / among,
    )


def _with_report(placed: Placed) -> Placed:
    """Write the report of a rated bot, which begins with the sentences on its strength."""
    summary = placed.summary
    if summary.standings is None:
        return placed
    first, *more = placed.sentences(placed.place)
    outcome = replace(
        summary.outcome,
        format=LADDER,
        total=summary.done,  # a budget is not a plan
        verdict=". ".join([first, *(one[:1].upper() + one[1:] for one in more)]),
    )
    reported = with_report_of(placed.folder, replace(summary, outcome=outcome))
    return placed._replace(summary=replace(reported, outcome=summary.outcome))


def held(request: MatchRequest, audience: Audience) -> Iterator[Placed]:
    """Play the levels of one game type after another, and yield the state after each.

    The game types share the budget equally. Raises ArenaError.
    """
    bot, sandbox = in_words(request.old), request.sandbox
    with signals.interruptible():
        origin = origin_of(bot, "bot", sandbox, of_git=minimum.strongest(sandbox, sandbox_in(bot)))
        if origin.note:
            audience.note(origin.note)
        if origin.name.casefold().startswith("level-"):
            origin = origin._replace(name="mine")
        if origin.kind == "command" and (request.build or request.run):
            raise ConfigError("--build and --run: need a folder or git revision")
        terms = MatchTerms.of(request, usual_time([origin]), sprt="")
        digest = terms.digest([origin])
    home = request.folder or folder_of([origin.name, "ladder"], digest)
    with shop_for([origin], home) as shop:
        audience.close()
        on_cluster = request.cluster is not None
        ((table, folder),) = entered(
            [origin], ["bot"], terms, shop, audience.tell, on_cluster=on_cluster
        )
        asked = minimum.for_files(origin.asked, on_cluster=on_cluster)
        named = [] if terms.games else games_of(folder, asked)
        asked_for = terms.games or named
        common = both_play([table], asked_for, home, has_build=bool(request.build) or shop is None)
        if refused := [one for one in terms.games if one not in common]:
            raise ConfigError(f"{origin.name}: does not play {refused[0]}")
        wanted = terms.games or [one for one in named if one in common] or common
        for game in wanted:
            where = home / known_games.get(game).id.replace("/", "_") if len(wanted) > 1 else home
            event = f"{origin.name} on the ladder of {game} ({digest})"
            refuse_another(where, event)
            if levels_of(game)[0].elo is None:
                audience.note(f"{game} has no measured levels; only these games rate them")
            summary, progress = played(
                request,
                _configured(table, game, terms, event, jobs_of(request)),
                where,
                audience,
                force=True,
                budget=_shared(request.allowed, len(wanted)),
                with_report=False,
            )
            clock, is_lasting = clock_of(table, terms.tc), origin.revision is None
            placed = Placed(origin.name, game, where, summary, progress, clock, table, is_lasting)
            yield _with_report(placed)
            if summary.interrupted:
                return
