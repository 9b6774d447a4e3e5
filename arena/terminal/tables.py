"""The tables of tournaments: ratings, bots, results, forfeits, and the report of a bot check."""

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
from lath.games.errors import count_of
from lath.reports.counting.columns import BY_NAME, COLUMNS, likelihood, rows_of, usual, within
from lath.reports.counting.columns import TableColumn as BotColumn
from lath.reports.counting.facts import UNKNOWN
from lath.reports.counting.figures import names_listed
from lath.reports.counting.ranking import BY_GAMES
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
"""The maximum of bots named in a group."""

MOST_ROWS: Final = 100
"""The maximum of rows over tables of one kind, such as swiss rounds; the earliest are left out."""

MOST_GROUPS: Final = 6
"""The maximum of groups named."""


def print_standings(
    standings: Standings,
    output: Output,
    *,
    by_game: bool = False,
    columns: Sequence[BotColumn] = (),
) -> None:
    """Print ratings in the given or the default columns, the crosstable, games and remarks.

    With `by_game`, tables of each game type follow, unless there is a single one.
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
            output.words(
                "the advantage of the first move, expected score and draw rate are for equal "
                "opponents"
            )
            if few := [line.game for line in table.ratings.conditions if _is_for_few(line)]:
                output.words(
                    f"few openings (*): at {_listed(few)} the interval of the first-move advantage "
                    "holds only for the openings played, because there are fewer than "
                    f"{LEAST_CLUSTERS}"
                )
        output.words(*remarks(table))
    output.words(*scale_words(standings))
    if not tables:
        output.words("no finished games")
    _print_left_out(standings, output)


def _print_left_out(standings: Standings, output: Output) -> None:
    """Print the numbers of left-out records with the reasons, if there are any."""
    unsound = sum(each.records for each in standings.unsound)
    if reasons_of := {**standings.left_out, **({"invalid": unsound} if unsound else {})}:
        reasons = ", ".join(f"{why} {count}" for why, count in reasons_of.items())
        named = [name for name in standings.unranked if name not in UNKNOWN]
        only = f"; no game of {_listed(named)} counts" if named else ""
        output.words(f"left out: {reasons}{only}")
        if "tuning" in standings.left_out:
            output.words(TRIALS)


def rank_words(table: Table) -> Iterator[str]:
    """Yield the rule of the ranks, and the current version of each bot with several versions."""
    yield table.says
    if changed := [f"{row.name}: {row.plays_as}" for row in table.rows if row.name != row.plays_as]:
        yield (
            "versions: each bot has the points of all its versions and the rating of its current "
            f"version ({_listed(changed)})"
        )


def scale_words(standings: Standings) -> Iterator[str]:
    """Yield the scale of Elo and the bases of comparison, if they were requested."""
    if standings.anchors:
        held = ", ".join(f"{name} = {value:g}" for name, value in standings.anchors.items())
        yield f"anchors: {held}. Elo is relative to the anchors"
    if standings.relative_to:
        yield (
            f"difference: lead in Elo over {standings.relative_to}, with the 95% interval of this "
            "difference"
        )
    if standings.games_before:
        yield f"changes: since the last event, after {count_of(standings.games_before, 'game')}"


def ratings_columns(table: Table, asked: Sequence[BotColumn] = ()) -> list[LayoutColumn]:
    """Return the columns of a ratings table, one line per bot.

    Columns in `asked` are never left out; without any, the table has the default ones.
    """
    # Only one column needs the crosstable, which is large.
    of_opponents = any(one.name == "draws-by-opponent" for one in asked)
    values = to_json(table if of_opponents else replace(table, crosstable=()))
    rows = rows_of(values)
    decides = DECIDES[table.rule]
    kept = {one.name: 0 if asked or one.name == decides else one.rank for one in COLUMNS}
    if decides != "rating" and not asked:
        kept["rating"] = 1
    shown = list(asked or usual(values))
    if table.rule in BY_GAMES and len(table.ratings.groups) > 1:
        # Without the group, the ranks of several groups would look like one order.
        kept["group"] = 0
        at = next((at for at, one in enumerate(shown, 1) if one.name == "rank"), 0)
        if at and BY_NAME["group"] not in shown:
            shown.insert(at, BY_NAME["group"])
    return [
        LayoutColumn(one.heading, one.cells(rows), rank=kept[one.name], kind=one.kind)
        for one in shown
    ]


CROSSTABLE: Final = "Points against each other"
SUPERIORITY: Final = "Probability of being stronger (LOS)"
BOTH: Final = f"{CROSSTABLE}, and the probability of being stronger (LOS)"


def print_crosstable(table: Table, output: Output) -> None:
    """Print points and LOS in the most complete table that fits, or the width that it needs."""
    rows, cross = table.rows, table.crosstable

    def matrix(cell: Callable[[Meeting], str]) -> tuple[list[LayoutColumn], int]:
        """Return a column per bot with each row's result against it, and the table's width."""
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
    # Up to eight bots have 28 pairs, which fit into a list.
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
            output.words(f"needs {needed} columns: use a wider terminal or the HTML report")


def _points(meeting: Meeting) -> str:
    return f"{meeting.points:g}/{meeting.games}" if meeting.games else "-"


def _likelihood(meeting: Meeting) -> str:
    return likelihood(meeting.superiority)


def _point_and_likelihood(meeting: Meeting) -> str:
    if meeting.superiority is None and not meeting.games:
        return "-"
    return f"{_points(meeting)} {_likelihood(meeting):>4}"


def game_lines(standings: Standings) -> list[LayoutColumn]:
    """Return the columns of a table with one line per game type.

    First-move advantage and draw rate are for equal opponents by the Elo model, as in the report.
    """
    tables = standings.per_game
    found = {line.game: line for line in standings.overall.ratings.conditions}
    lines = [found.get(table.game) for table in tables]  # None for a game type without rated games
    advantages = within([line.advantage.told if line else None for line in lines], " Elo")
    columns = [
        LayoutColumn("game", [table.game for table in tables], kind="name"),
        LayoutColumn("games", [str(table.games) for table in tables]),
        LayoutColumn(
            "first player's score", [f"{table.first_score or 0:.1%}" for table in tables], rank=3
        ),
        LayoutColumn("advantage ± 95%", advantages, rank=1),
        LayoutColumn(
            "expected",
            [f"{line.advantage.score:.1%}" if line else "-" for line in lines],
            rank=5,
        ),
        LayoutColumn("draws", [f"{table.draws / table.games:.1%}" for table in tables], rank=4),
        LayoutColumn(
            "draw rate",
            [f"{line.draw_rate:.1%}" if line else "-" for line in lines],
            rank=2,
        ),
    ]
    if any(line.openings > 1 for line in lines if line):
        starts = [f"{line.openings}{'*' * _is_for_few(line)}" if line else "-" for line in lines]
        columns.append(LayoutColumn("openings", starts, rank=5))
    if any(table.repeated for table in tables):
        columns.append(
            LayoutColumn("duplicates", [str(table.repeated) for table in tables], rank=6)
        )
    together = sum((Counter(table.endings) for table in tables), Counter[str]())
    # A record can have any text as its ending; the remarks below the tables list all.
    for rank, (ending, _) in enumerate(together.most_common(8), 7):
        if len(ending) <= 20:
            cells = [str(table.endings.get(ending, 0)) for table in tables]
            columns.append(LayoutColumn(ending, cells, rank))
    return columns


def _is_for_few(line: GameConditions) -> bool:
    """Return whether the figure gets a star, because it holds only for the openings played."""
    return line.openings > 1 and line.holds_for == "the openings played"


def remarks(table: Table) -> Iterator[str]:
    """Yield the number of games and their endings, then further remarks by importance."""
    endings = ", ".join(f"{ending} {count}" for ending, count in table.endings.items())
    score = table.first_score or 0.0
    yield f"{count_of(table.games, 'game')}, first player's score {score:.1%}, endings: {endings}"
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
            "unbalanced sides: some bots played one side more often than the other. Ratings "
            "correct for this only as far as these games reveal the first-move advantage"
        )
    if table.crossed:
        crossed = "; ".join(f"{other} before {one}" for one, other in table.crossed[:MOST_GROUPS])
        rest = len(table.crossed) - MOST_GROUPS
        yield (
            f"order by Elo differs: {crossed}{f'; and {rest} more' if rest > 0 else ''}"
            + ". The conservative rating is lower for bots with few games"
            * (table.rule in ("rating", "method"))
        )
    between = table.ratings.between
    if between and between.heterogeneous:
        yield (
            f"heterogeneous: strength varies by game type (standard deviation {between.spread:.0f} "
            "Elo), so see the ratings by game type (--by-game)"
        )
    fit = table.ratings.fit
    if fit.p_value < 0.01:  # rarer by chance than 1 in 100
        chance = "p < 0.0001" if fit.p_value < 0.0001 else f"p = {fit.p_value:.4f}"
        yield (
            f"poor fit: one rating per bot does not explain these results (chi square "
            f"{fit.chi_square:.1f}, {fit.degrees} degrees of freedom, {chance}), so intervals may "
            "be too narrow"
        )
    if lost := sum(row.forfeits for row in table.rows):
        yield (
            f"forfeits: {count_of(lost, 'game')} lost by crash, time, illegal move or flood. The "
            "column 'without' has the rating without them"
        )
    if gap := greatest_gap(table.ratings):
        name, mu = gap
        half = Z95 * table.ratings.strengths[name].trueskill.sigma
        yield (
            f"cross-check: in order of play, mu differs by at most {abs(mu):.2f} "
            f"({name}, whose mu has an interval of ±{half:.2f})"
        )


def method_words(table: Table) -> Iterator[str]:
    """Yield sentences on the rating, and on the method of ratings in order of play."""
    how = table.ratings.in_order
    if table.ranked_by != IN_ORDER:
        draws = f"draw probability {table.ratings.draw_rate:.2%}"
        yield f"rating: conservative (mu - 3 sigma), by {table.method}, {draws}"
    if how is None:
        return
    words = (
        f"{how.method}, by {how.by} (mu {how.mu:g}, sigma {how.sigma:.4g}, beta "
        f"{how.beta:.4g}, tau {how.tau:g}, draw probability {how.draw_rate:.2%})"
    )
    yield (
        f"rating: conservative (mu - 3 sigma), by {words}"
        if table.ranked_by == IN_ORDER
        else f"in order: {words}"
    )


def _unusual_games(table: Table) -> Iterator[str]:
    """Yield notes on games that carry less information than others."""
    if table.repeated:
        yield (
            f"duplicates: {count_of(table.repeated, 'game')} (same moves by the same players). "
            "The points count, but only unique games narrow the intervals"
        )
    if table.without_moves:
        number = count_of(table.without_moves, "game")
        yield f"without moves: {number}. Only the results count"
    if table.self_play:
        yield f"self-play: {count_of(table.self_play, 'game')} of a bot against itself, not rated"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return names_listed(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def print_bots(
    bots: Sequence[BotTotals], notes: Mapping[str, int], output: Output, of: str = ""
) -> None:
    """Print each bot's forfeits, its average and longest move times, and notes.

    `of` names the games, if they are not those of the tables above.
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
        output.table(", ".join(filter(None, ("Forfeits and time per move", of))), columns)
    for note, times in notes.items():
        output.console.print(output.text(often(f"note: {note}", times)), soft_wrap=True)


MOST_FORFEITS: Final = 3
"""The number of games listed per bot and kind of failure after a run."""

MOST_KINDS: Final = 8
"""The maximum of bots and kinds of failures listed."""


def print_forfeits(alike: Sequence[ForfeitsAlike], folder: str, output: Output) -> None:
    """Print the games that bots forfeited, with ply and reason, and a command that shows more.

    `folder` is the tournament's directory, quoted for a shell.
    """
    if not alike:
        return
    output.title("Failures")
    for games, first in alike[:MOST_KINDS]:
        output.words(f"{first[0].bot} lost {count_of(games, 'game')} by {first[0].ending}:")
        before: list[str] = []
        for one in first:
            why, *said = one.lines
            same = ", with the same standard error" if said and said == before else ""
            output.words(f"  game {one.number}, ply {one.ply}: {why}{same}")
            output.words(*(f"    {line}" for line in said if not same))
            before = said
        if games > len(first):
            output.words(f"  and {games - len(first)} more")
    if rest := alike[MOST_KINDS:]:
        more = sum(one.games for one in rest)
        output.words(
            f"and {count_of(more, 'game')} more by other bots: arena bot log {folder} lists all"
        )
    number = alike[0].first[0].number
    for what, command in (("messages of the game", "log"), ("the same game again", "replay")):
        output.words(f"{what}: arena bot {command} {folder} {number}")


def print_forfeit_list(lost: Sequence[Forfeit], folder: str) -> None:
    """Print a line per forfeited game on standard output."""
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
    output.table(f"{count_of(len(lost), 'game')} ended by a failure", columns)
    output.words(f"messages of one game: arena bot log {folder} {lost[0].number}")


def duration(seconds: float | None) -> str:
    """Return a bot's time as text with three digits.

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
    """Print the outcome under a heading, unless it is empty."""
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
            output.words(f"{_listed(earlier)}: see the HTML report or outcome.json")
    for plot in outcome.plots:
        if lines := drawn(plot, output.width, output.letters):
            output.console.line()
            output.lines(lines)


def print_season(season: SeasonView | None, output: Output) -> None:
    """Print the table of a season, its next match day and the all-time list."""
    if season is None:
        return
    output.title(f"Season {season['name']}")
    if season["table"]:
        output.lines(_together([_points_sheet(season["table"])], output))
    else:
        output.words("no games of this season have ended")
    if season["coming"]:
        output.words(f"next: {pairing_words(season['coming'][0])}")
    if season["waits_for"]:
        print_waiting(season["waits_for"], output)
    if season["all_time"] and season["all_time"] != season["table"]:
        output.title("All-time list")
        output.lines(_together([_points_sheet(season["all_time"])], output))


def print_waiting(names: Sequence[str], output: Output) -> None:
    """Print which bots a season waits for, and how to end the wait."""
    flags = " ".join(f"--retire {shlex.quote(name)}" for name in names)
    one = "it" if len(names) == 1 else "them"
    output.words(
        f"{waiting_words(names)}: fix {one}, or end the season with `arena run DIR {flags}`"
    )


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
    """Print a tournament's progress, its rulings and its changes."""
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
    """Print the standings of bots with several versions, and versions that got worse."""
    rows = standings_of(background, standings)
    if are_told(rows):
        table = versions_sheet(rows)
        output.title(table.title)
        output.lines(_together([replace(table, title="")], output))
        output.words(*regressions(rows))


def _together(sheets: Sequence[Sheet], output: Output) -> list[Line]:
    """Return tables with the same columns as one, so that the columns are aligned.

    Columns that are empty in all tables are left out; the first three always stay.
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
"""The styles of the verdicts, from best to worst."""


def print_lines(lines: Iterable[str]) -> None:
    """Print the lines of a check's report on standard output, with colours."""
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
