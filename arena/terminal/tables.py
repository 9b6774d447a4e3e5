"""The tables of tournaments: ratings, bots, results, plans, forfeits; and a bot check's lines."""

from __future__ import annotations

import shlex
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, groupby, islice
from typing import TYPE_CHECKING, Final

from rich.text import Text

from lath.arena.botcheck.points import Verdict
from lath.arena.terminal.layout import (
    LEAST,
    LayoutColumn,
    Line,
    Output,
    forfeits,
    laid_out,
    often,
    part,
)
from lath.arena.terminal.plots import drawn
from lath.reports.counting.columns import COLUMNS, likelihood, rows_of, usual, within
from lath.reports.counting.columns import TableColumn as BotColumn
from lath.reports.counting.facts import UNKNOWN
from lath.reports.counting.figures import names_listed
from lath.reports.counting.ranking import COLUMNS as DECIDES
from lath.reports.counting.standings import TRIALS, greatest_gap
from lath.reports.counting.table import Meeting, Standings, Table
from lath.reports.event.background import (
    Background,
    changes_sheet,
    rulings_sheet,
)
from lath.reports.event.export import to_json
from lath.reports.event.seasons import SeasonRow, SeasonView, pairing_words, waiting_words
from lath.reports.event.versions import are_told, regressions, standings_of, versions_sheet
from lath.reports.notes.outcome import EventOutcome, Sheet, SheetColumn
from lath.reports.ratings.numerics import LEAST_CLUSTERS, Z95
from lath.reports.ratings.results import IN_ORDER, GameConditions

if TYPE_CHECKING:
    from lath.arena.tournament.outcome.sources import ForfeitsAlike
    from lath.arena.tournament.store.totals import BotTotals
    from lath.notation.record.record import Forfeit

MOST_NAMES: Final = 8
"""Bots of a group that are named."""

MOST_ROWS: Final = 100
"""Of tables of one kind, such as the rounds of a swiss; the earliest are left out."""

MOST_GROUPS: Final = 6
"""Groups that are named."""


def print_standings(
    standings: Standings,
    output: Output,
    *,
    by_game: bool = False,
    columns: Sequence[BotColumn] = (),
) -> None:
    """Print ratings, with these columns or the usual ones, crosstable, games and remarks.

    `by_game`: each game's own tables come after those of all; a single game has none, since they
    would be the same.
    """
    tables = [standings.overall] if standings.overall.games else []
    if by_game and len(standings.per_game) > 1:
        tables += standings.per_game
    for table in tables:
        events = ": ".join(filter(None, ("Ratings", ", ".join(standings.events))))
        title = f"Ratings at {table.game}" if table.game else events
        output.table(title, ratings_columns(table, columns))
        output.words(*rank_words(table))
        if len(table.rows) > 1:
            print_crosstable(table, output)
        if table is standings.overall:
            output.table("Games", game_lines(standings))
            if few := [line.game for line in table.ratings.conditions if _is_for_few(line)]:
                output.words(
                    f"few openings (*): at {_listed(few)} the interval of the first move holds for "
                    f"those played; from {LEAST_CLUSTERS} on it holds for others of their kind"
                )
        output.words(*remarks(table))
    output.words(*scale_words(standings))
    if not tables:
        output.words("no finished games")
    _print_left_out(standings, output)


def _print_left_out(standings: Standings, output: Output) -> None:
    """Print which records do not count, if any do not."""
    unsound = sum(each.records for each in standings.unsound)
    if reasons_of := {**standings.left_out, **({"not sound": unsound} if unsound else {})}:
        reasons = ", ".join(f"{why} {count}" for why, count in reasons_of.items())
        named = [name for name in standings.unranked if name not in UNKNOWN]
        only = f"; no game of {_listed(named)} counts" if named else ""
        output.words(f"left out: {reasons}{only}")
        if "tuning" in standings.left_out:
            output.words(TRIALS)


def rank_words(table: Table) -> Iterator[str]:
    """Yield what ranks go by, and whose rating a member with versions has."""
    yield table.says
    if changed := [f"{row.name}: {row.plays_as}" for row in table.rows if row.name != row.plays_as]:
        yield (
            "versions of a member are one bot: its points are those of all versions, its rating "
            f"that of the version that plays ({_listed(changed)})"
        )


def scale_words(standings: Standings) -> Iterator[str]:
    """Yield on which scale Elo is, and with what ratings are compared, where that was asked for."""
    if standings.anchors:
        held = ", ".join(f"{name} = {value:g}" for name, value in standings.anchors.items())
        yield f"anchors: {held}; Elo and its intervals are relative to them"
    if standings.relative_to:
        yield (
            f"difference: Elo ahead of {standings.relative_to}, with the interval of just that "
            "difference"
        )
    if standings.games_before:
        yield f"changes: since the last event, after {games_in_words(standings.games_before)}"


def ratings_columns(table: Table, asked: Sequence[BotColumn] = ()) -> list[LayoutColumn]:
    """Return the columns of a ratings table, a line for each row.

    Those that are `asked` for stay however short room is; without any it is the usual ones.
    """
    # The crosstable is large, and only one column needs it.
    of_opponents = any(one.name == "draws-by-opponent" for one in asked)
    values = to_json(table if of_opponents else replace(table, crosstable=()))
    rows = rows_of(values)
    decides = DECIDES[table.rule]
    kept = {one.name: 0 if asked or one.name == decides else one.rank for one in COLUMNS}
    if decides != "rating" and not asked:
        kept["rating"] = 1
    return [
        LayoutColumn(one.heading, one.cells(rows), rank=kept[one.name], kind=one.kind)
        for one in asked or usual(values)
    ]


CROSSTABLE: Final = "Points against each other"
SUPERIORITY: Final = "Likelihood of being the stronger one (LOS)"
BOTH: Final = f"{CROSSTABLE}, and the likelihood of being the stronger one (LOS)"


def print_crosstable(table: Table, output: Output) -> None:
    """Print points and likelihoods, the most in one table that fits, or what room they need."""
    rows, cross = table.rows, table.crosstable

    def matrix(cell: Callable[[Meeting], str]) -> tuple[list[LayoutColumn], int]:
        """Return a column for each bot, of what each row's bot did against it, and their width."""
        places = [str(place) for place in range(1, len(rows) + 1)]
        columns = [
            LayoutColumn("#", places),
            LayoutColumn("bot", [row.name for row in rows], kind="name"),
            *(
                LayoutColumn(place, [*map(cell, met)])
                for place, *met in zip(places, *cross, strict=True)
            ),
        ]
        return columns, output.needed(columns, least=LEAST)

    together, needed = matrix(_point_and_likelihood)
    if needed <= output.width:
        output.table(BOTH, together)
        return
    apart = {CROSSTABLE: matrix(_points), SUPERIORITY: matrix(_likelihood)}
    # Eight bots have a list of 28 meetings; of more, it would tell less than where to look.
    if len(rows) <= 8 and any(needed > output.width for _, needed in apart.values()):
        met = [(a, b) for a, b in combinations(range(len(rows)), 2) if cross[a][b].games]
        columns = [
            LayoutColumn("bot", [rows[one].name for one, _ in met], kind="name"),
            LayoutColumn(
                "points", [f"{cross[a][b].points:g}-{cross[b][a].points:g}" for a, b in met]
            ),
            LayoutColumn("opponent", [rows[other].name for _, other in met], kind="name"),
            LayoutColumn("LOS", [_likelihood(cross[a][b]) for a, b in met], rank=1),
        ]
        output.table(CROSSTABLE, columns)
        return
    for title, (columns, needed) in apart.items():
        if needed <= output.width:
            output.table(title, columns)
        else:
            output.title(title)
            output.words(f"needs {needed} columns: widen the terminal, or see the HTML report")


def _points(meeting: Meeting) -> str:
    return f"{meeting.points:g}/{meeting.games}" if meeting.games else "-"


def _likelihood(meeting: Meeting) -> str:
    return likelihood(meeting.superiority)


def _point_and_likelihood(meeting: Meeting) -> str:
    if meeting.superiority is None and not meeting.games:
        return "-"
    return f"{_points(meeting)} {_likelihood(meeting):>4}"


def game_lines(standings: Standings) -> list[LayoutColumn]:
    """Return the columns of a table with a line a game.

    What a seat is worth, and how often equals draw by the Elo model, is told as on the page: among
    bots as strong as all games say.
    """
    tables = standings.per_game
    found = {line.game: line for line in standings.overall.ratings.conditions}
    lines = [found.get(table.game) for table in tables]  # None where no game is rated
    advantages = within([line.advantage.told if line else None for line in lines], " Elo")
    columns = [
        LayoutColumn("game", [table.game for table in tables], kind="name"),
        LayoutColumn("games", [str(table.games) for table in tables]),
        LayoutColumn("first scored", [f"{table.first_score or 0:.1%}" for table in tables], rank=3),
        LayoutColumn("first move ± 95%", advantages, rank=1),
        LayoutColumn(
            "of equals", [f"{line.advantage.score:.1%}" if line else "-" for line in lines], rank=5
        ),
        LayoutColumn("draws", [f"{table.draws / table.games:.1%}" for table in tables], rank=4),
        LayoutColumn(
            "equals draw", [f"{line.draw_rate:.1%}" if line else "-" for line in lines], rank=2
        ),
    ]
    if any(line.openings > 1 for line in lines if line):
        starts = [f"{line.openings}{'*' * _is_for_few(line)}" if line else "-" for line in lines]
        columns.append(LayoutColumn("openings", starts, rank=5))
    if any(table.repeated for table in tables):
        columns.append(LayoutColumn("repeated", [str(table.repeated) for table in tables], rank=6))
    together = sum((Counter(table.endings) for table in tables), Counter[str]())
    # A record may call its ending what it likes; the remarks below the tables have them all.
    for rank, (ending, _) in enumerate(together.most_common(8), 7):
        if len(ending) <= 20:
            cells = [str(table.endings.get(ending, 0)) for table in tables]
            columns.append(LayoutColumn(ending, cells, rank))
    return columns


def _is_for_few(line: GameConditions) -> bool:
    """Return whether there is a star: the figure is for openings played, and for no others."""
    return line.openings > 1 and line.holds_for == "the openings played"


def games_in_words(number: int) -> str:
    """Return a number of games, such as `2 games`."""
    return "1 game" if number == 1 else f"{number} games"


def remarks(table: Table) -> Iterator[str]:
    """Yield how many games there were and why they ended, then the rest in order of its weight."""
    endings = ", ".join(f"{ending} {count}" for ending, count in table.endings.items())
    score = table.first_score or 0.0
    yield f"{games_in_words(table.games)}; endings: {endings}; first scored {score:.1%}"
    yield from method_words(table)
    groups = table.ratings.groups
    if len(groups) > 1:
        listed = "; ".join(f"({n}) {_listed(one)}" for n, one in enumerate(groups[:MOST_GROUPS], 1))
        more = f"; and {len(groups) - MOST_GROUPS} more" if len(groups) > MOST_GROUPS else ""
        words = f"{len(groups)} groups without games between them are not rated against each other"
        yield f"{words}: {listed}{more}"
    yield from _unusual_games(table)
    if table.unbalanced:
        yield (
            "unbalanced sides: some bots played one side clearly more often. The ratings correct "
            "for the advantage of a side only as well as these games measure it"
        )
    if table.crossed:
        crossed = "; ".join(f"{other} before {one}" for one, other in table.crossed[:MOST_GROUPS])
        rest = len(table.crossed) - MOST_GROUPS
        yield (
            f"orders differ: by Elo {crossed}{f'; and {rest} more' if rest > 0 else ''}"
            + "; the conservative rating is lower for bots with few games"
            * (table.rule in ("rating", "method"))
        )
    between = table.ratings.between
    if between and between.heterogeneous:
        yield (
            f"strength varies by game type: standard deviation {between.spread:.0f} Elo. Overall "
            "ratings are means over these game types; use the ratings per game type (--by-game)"
        )
    fit = table.ratings.fit
    if fit.p_value < 0.01:  # so seldom would chance have it
        chance = "p < 0.0001" if fit.p_value < 0.0001 else f"p = {fit.p_value:.4f}"
        yield (
            "poor fit: one rating per bot does not explain these results (chi square "
            f"{fit.chi_square:.1f} at {fit.degrees} degrees of freedom, {chance}). The intervals "
            "may be too narrow"
        )
    if lost := sum(row.forfeits for row in table.rows):
        yield (
            f"forfeits: {games_in_words(lost)} lost by crash, time, illegal move or flood; "
            "the column 'without' is the rating without these games"
        )
    if gap := greatest_gap(table.ratings):
        name, mu = gap
        half = Z95 * table.ratings.strengths[name].trueskill.sigma
        yield (
            f"cross-check: rated in order of play, mu differs by at most {abs(mu):.2f} "
            f"({name}, whose mu is ±{half:.2f})"
        )


def method_words(table: Table) -> Iterator[str]:
    """Yield what the rating is, and how ratings in order of play are computed."""
    how = table.ratings.in_order
    if table.ranked_by != IN_ORDER:
        draws = f"draw probability {table.ratings.draw_rate:.2%}"
        yield f"rating: mu - 3 sigma of {table.method}; {draws}"
    if how is None:
        return
    words = (
        f"{how.method}, by {how.by}: from mu {how.mu:g}, sigma {how.sigma:.4g}, beta "
        f"{how.beta:.4g}, tau {how.tau:g}; draw probability {how.draw_rate:.2%}"
    )
    yield (
        f"rating: mu - 3 sigma of {words}" if table.ranked_by == IN_ORDER else f"in order: {words}"
    )


def _unusual_games(table: Table) -> Iterator[str]:
    """Yield how many games tell less than others."""
    if table.repeated:
        yield (
            f"repeated: {games_in_words(table.repeated)}, move by move the same as another; the "
            "points count, and intervals are as wide as for the different games alone"
        )
    if table.without_moves:
        number = games_in_words(table.without_moves)
        yield f"without moves: {number}, of which only the results count"
    if table.self_play:
        yield f"self-play: {games_in_words(table.self_play)} of a bot with itself, not rated"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return names_listed(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def print_bots(
    bots: Sequence[BotTotals], notes: Mapping[str, int], output: Output, of: str = ""
) -> None:
    """Print what each bot lost games by, its average and its longest move, and what was noticed.

    `of`: which games these are, where the tables above are of others.
    """
    if bots:
        lost = forfeits([bot.lost_by for bot in bots], apart=output.width >= 60)
        columns = [
            LayoutColumn("bot", [bot.name for bot in bots], kind="name"),
            LayoutColumn("games", [str(bot.games) for bot in bots], rank=2),
            *(LayoutColumn(way, list(map(str, games))) for way, games in lost.items()),
            LayoutColumn("moves", [str(bot.moves) if bot.moves else "-" for bot in bots], rank=3),
            LayoutColumn("average", [duration(bot.average_s) for bot in bots], rank=1),
            LayoutColumn("worst", [duration(bot.worst_s if bot.moves else None) for bot in bots]),
        ]
        output.table(", ".join(filter(None, ("Forfeits and time of a move", of))), columns)
    for note, times in notes.items():
        output.console.print(output.text(often(f"note: {note}", times)), soft_wrap=True)


MOST_FORFEITS: Final = 3
"""Games that a bot lost by one kind of fault that are told of after a run."""

MOST_KINDS: Final = 8
"""Bots and kinds of faults that are."""


def print_forfeits(alike: Sequence[ForfeitsAlike], folder: str, output: Output) -> None:
    """Print which games bots broke off, where and why, and how to see more of that.

    `folder` is the tournament's as a shell takes it.
    """
    if not alike:
        return
    output.title("Where it went wrong")
    for games, first in alike[:MOST_KINDS]:
        output.words(f"{first[0].bot} lost {games_in_words(games)} by {first[0].ending}:")
        output.words(*(f"  game {one.number}, ply {one.ply}: {one.in_short}" for one in first))
        if games > len(first):
            output.words(f"  and {games - len(first)} more")
    if rest := alike[MOST_KINDS:]:
        more = sum(one.games for one in rest)
        output.words(
            f"and {games_in_words(more)} more by others: arena bot log {folder} lists them all"
        )
    number = alike[0].first[0].number
    for what, command in (("what was said", "log"), ("the same game again", "replay")):
        output.words(f"{what}: arena bot {command} {folder} {number}")


def print_forfeit_list(lost: Sequence[Forfeit], folder: str) -> None:
    """Print a line for each of these games, to standard output."""
    output = Output(to_stdout=True)
    columns = [
        LayoutColumn("game", [str(one.number) for one in lost]),
        LayoutColumn("ply", [str(one.ply) for one in lost]),
        LayoutColumn("bot", [one.bot for one in lost], kind="name"),
        LayoutColumn("of", [one.game for one in lost], rank=2, kind="text"),
        LayoutColumn("against", [one.opponent for one in lost], rank=1, kind="name"),
        LayoutColumn("lost by", [one.ending for one in lost], kind="text"),
        LayoutColumn("reason", [one.in_short for one in lost], kind="name"),
    ]
    output.table(f"{games_in_words(len(lost))} went wrong", columns)
    output.words(f"what was said in one: arena bot log {folder} {lost[0].number}")


def duration(seconds: float | None) -> str:
    """Return a bot's time for people, three figures of it.

    >>> duration(0.0000632), duration(0.00123), duration(0.25), duration(12.3456), duration(None)
    ('0.063 ms', '1.23 ms', '250 ms', '12.3 s', '-')
    """
    if seconds is None:
        return "-"
    if seconds < 0.001:
        return f"{1000 * seconds:.3f} ms"
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 100 else f"{seconds:.0f} s"


def print_outcome(outcome: EventOutcome | None, output: Output) -> None:
    """Print it under a heading, where there is anything to say."""
    if outcome is None or not outcome.says_something:
        return
    output.title(outcome.heading)
    if outcome.verdict:
        output.console.print(output.text(outcome.verdict, "bold"))
    for number, (_, alike) in enumerate(groupby(outcome.sheets, key=lambda sheet: sheet.columns)):
        sheets = deque(alike)
        earlier = []
        while len(sheets) > 1 and sum(len(sheet.rows) for sheet in sheets) > MOST_ROWS:
            earlier.append(sheets.popleft().title)
        if number or outcome.verdict:
            output.console.line()
        output.lines(_together(sheets, output))
        if earlier:
            output.words(f"{_listed(earlier)}: in the HTML report and in outcome.json")
    for plot in outcome.plots:
        if lines := drawn(plot, output.width, output.letters):
            output.console.line()
            output.lines(lines)


def print_season(season: SeasonView | None, output: Output) -> None:
    """Print the table of a season, its next match day, and the all-time list beside it."""
    if season is None:
        return
    output.title(f"Season {season['name']}")
    if season["table"]:
        output.lines(_together([_points_sheet(season["table"])], output))
    else:
        output.words("no game of this season has ended")
    if season["coming"]:
        output.words(f"next: {pairing_words(season['coming'][0])}")
    if season["waits_for"]:
        print_waiting(season["waits_for"], output)
    if season["all_time"] and season["all_time"] != season["table"]:
        output.title("All-time list")
        output.lines(_together([_points_sheet(season["all_time"])], output))


def print_waiting(names: Sequence[str], output: Output) -> None:
    """Print for whom a season waits, and what ends it."""
    flags = " ".join(f"--retire {shlex.quote(name)}" for name in names)
    one = "it" if len(names) == 1 else "them"
    output.words(f"{waiting_words(names)}: mend {one}, or `arena run DIR {flags}` ends the season")


def _points_sheet(rows: Iterable[SeasonRow]) -> Sheet:
    columns: tuple[SheetColumn, ...] = (
        *(SheetColumn("#"), SheetColumn("bot", "name"), SheetColumn("games")),
        *(SheetColumn("won"), SheetColumn("drawn"), SheetColumn("lost"), SheetColumn("points")),
    )
    cells = [
        tuple(f"{one:g}" if isinstance(one, float) else f"{one}" for one in row.values())
        for row in rows
    ]
    if any(row["mark"] for row in rows):
        columns = (*columns, SheetColumn("plays", "text"))
    else:
        cells = [row[:-1] for row in cells]
    return Sheet(columns, tuple(cells))


def print_background(background: Background, output: Output) -> None:
    """Print how far a tournament is, what was ruled of its games, and what was changed."""
    outcome = background.outcome
    if outcome and outcome.progress and not outcome.says_something:
        output.words(f"so far: {outcome.progress}")
    if background.snapshot:
        output.words(background.snapshot.words)
    output.words(*(one.words for one in background.benches))
    sheets = rulings_sheet(background.rulings), changes_sheet(background.changes)
    for sheet in filter(lambda sheet: sheet.rows, sheets):
        output.title(sheet.title)
        output.lines(_together([replace(sheet, title="")], output))


def print_versions(background: Background, standings: Standings, output: Output) -> None:
    """Print how the versions of bots stand, where that tells anything, and which are worse."""
    rows = standings_of(background, standings)
    if are_told(rows):
        table = versions_sheet(rows)
        output.title(table.title)
        output.lines(_together([replace(table, title="")], output))
        output.words(*regressions(rows))


def _together(sheets: Sequence[Sheet], output: Output) -> list[Line]:
    """Return tables of the same columns as one, so that their columns stand below each other.

    Columns that are empty in all of them are left out; the first three stay however short room is.
    """
    rows = [row for sheet in sheets for row in sheet.rows]
    columns = [
        LayoutColumn(column.heading, cells, rank=0 if at < 3 else at, kind=column.kind)
        for at, (column, *cells) in enumerate(zip(sheets[0].columns, *rows, strict=True))
        if any(cells)
    ]
    lines = iter(laid_out(columns, output.width, output.letters))
    heading = next(lines)
    shown: list[Line] = []
    for sheet in sheets:
        if sheet.title:
            shown.append([part(output.letters.plain(sheet.title), "cyan")])
        shown += islice(lines, len(sheet.rows))
    shown.insert(0 if len(sheets) > 1 or not sheets[0].title else 1, heading)
    return shown


_STYLES: Final = dict(zip(Verdict, ("green", "cyan", "dim", "yellow", "bold red"), strict=True))
"""Of the verdicts, from best to worst."""


def print_lines(lines: Iterable[str]) -> None:
    """Print lines of a report to standard output, as they are but for the colour."""
    console = Output(to_stdout=True).console
    for line in lines:
        text = Text(line)
        if not line.startswith(" "):
            text.stylize("bold")
        elif line[2:3].isalpha() and (word := line[2:10].rstrip()) in _STYLES:
            text.stylize(_STYLES[Verdict(word)], 2, 2 + len(word))
        elif line.lstrip().startswith(("> ", "< ")):
            text.stylize("dim")
        console.print(text, soft_wrap=True)
