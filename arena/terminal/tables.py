"""The tables that commands print: ratings, archives, bots, results; and a bot check's lines.

Must not know any game or format, nor how a number comes about, nor how wide the terminal is: an
outcome brings its own tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from lath.arena.botcheck.points import Verdict
from lath.arena.terminal.layout import (
    LEAST,
    LEAST_NAME,
    Column,
    Letters,
    Line,
    Output,
    Part,
    forfeits,
    laid_out,
    names,
    often,
    width_of,
)
from lath.reports.figures import OPENINGS, GameCounts, Survey
from lath.reports.outcome import Outcome, Sheet
from lath.reports.ratings.results import Z95, Conditions
from lath.reports.standings import Meeting, Standings, Table, counts, greatest_gap

if TYPE_CHECKING:
    from lath.arena.tournament.store import BotTotals

POOR_FIT: Final = 0.01
"""A fit that comes by chance less often than this is told of."""

MOST_NAMES: Final = 8
"""Bots of a group that are named."""

MOST_GROUPS: Final = 6
"""Groups that are named."""


def print_standings(
    standings: Standings,
    *,
    to_stdout: bool = False,
    is_first: bool = False,
    by_game: bool = False,
) -> None:
    """Print ratings, crosstable, games and remarks; to standard error unless they are the data.

    `is_first`: nothing stands above them. `by_game`: each game's own tables come after those of
    all; a single game has none, since they would be the same.
    """
    output = Output(to_stdout=to_stdout)
    if not standings.overall.games:
        output.words("no finished games")
    else:
        title = ": ".join(filter(None, ("Ratings", ", ".join(standings.events))))
        _print_table(output, standings.overall, title, is_first=is_first)
        output.table("Games", game_lines(standings, output.letters))
        _print_remarks(output, standings.overall)
        for table in standings.per_game if by_game and len(standings.per_game) > 1 else ():
            _print_table(output, table, f"Ratings at {table.game}")
            _print_remarks(output, table)
    if standings.left_out:
        output.words(left_out_words(standings))


def _print_table(output: Output, table: Table, title: str, *, is_first: bool = False) -> None:
    output.table(title, ratings_columns(table, output.letters), is_first=is_first)
    if len(table.rows) > 1:
        print_crosstable(table, output)


def _print_remarks(output: Output, table: Table) -> None:
    for words in (endings_words(table), *remarks(table, output.letters)):
        output.words(words)


def ratings_columns(table: Table, letters: Letters) -> list[Column]:
    """Return the columns of a ratings table, a line for each row."""
    rows = table.rows
    skills = [row.strength.trueskill for row in rows]
    elos = [row.strength.elo for row in rows]
    mus = letters.within([f"{s.mu:.2f}" for s in skills], [f"{Z95 * s.sigma:.2f}" for s in skills])
    within = letters.within(
        [f"{round(elo.value):+d}" for elo in elos], [f"{Z95 * elo.error:.0f}" for elo in elos]
    )
    columns = [
        Column("#", [str(row.rank) for row in rows]),
        names("bot", [row.name for row in rows], letters),
        Column("rating", [f"{skill.exposed:.2f}" for skill in skills]),
        Column(f"mu {letters.plus_minus} 95%", mus, rank=5),
        Column(f"Elo {letters.plus_minus} 95%", within, rank=4),
        Column("games", [str(row.games) for row in rows], rank=2),
        Column("W-D-L", [f"{row.wins}-{row.draws}-{row.losses}" for row in rows], rank=7),
        Column("points", [f"{row.points:g}" for row in rows], rank=1),
        Column("%", [f"{row.score_rate:.1%}" for row in rows], rank=6),
    ]
    if len(table.ratings.groups) > 1:
        columns.insert(1, Column("group", [str(row.strength.group + 1) for row in rows], rank=2))
    if any(row.forfeits for row in rows):
        fair = [row.without_forfeits for row in rows]  # of the games that were lost on the board
        without = ["-" if one is None else f"{one.trueskill.exposed:.2f}" for one in fair]
        columns.append(Column("forfeits", [str(row.forfeits) for row in rows], rank=3))
        columns.append(Column("without", without, rank=8))
    return columns


CROSSTABLE: Final = "Points against each other"
SUPERIORITY: Final = "Likelihood of being the stronger one (LOS)"
BOTH: Final = f"{CROSSTABLE}, and the likelihood of being the stronger one (LOS)"

LONGEST_LIST: Final = 30
"""Meetings that are listed where the crosstable is too wide; eight bots have 28."""


def print_crosstable(table: Table, output: Output) -> None:
    """Print points and likelihoods, the most in one table that fits, or what room they need."""
    together = _matrix(table, output.letters, _point_and_likelihood)
    points = _matrix(table, output.letters, _points)
    likelihoods = _matrix(table, output.letters, _likelihood)
    if _needed(together) <= output.width:
        output.table(BOTH, together)
        return
    is_short = len(table.rows) * (len(table.rows) - 1) // 2 <= LONGEST_LIST
    if is_short and max(_needed(points), _needed(likelihoods)) > output.width:
        output.table(CROSSTABLE, _meetings(table, output.letters))
        return
    for title, columns in ((CROSSTABLE, points), (SUPERIORITY, likelihoods)):
        if (needed := _needed(columns)) <= output.width:
            output.table(title, columns)
        else:
            output.title(title)
            output.words(f"needs {needed} columns: widen the terminal, or see the HTML report")


def _needed(columns: list[Column]) -> int:
    return width_of(columns, least=LEAST)


def _matrix(table: Table, letters: Letters, cell: Callable[[Meeting], str]) -> list[Column]:
    """Return a column for each bot, headed by its rank, of what each row's bot did against it."""
    columns = [
        Column("#", [str(row.rank) for row in table.rows]),
        names("bot", [row.name for row in table.rows], letters),
    ]
    for at, row in enumerate(table.rows):
        cells = [cell(meetings[at]) for meetings in table.crosstable]
        columns.append(Column(str(row.rank), cells))
    return columns


def _points(meeting: Meeting) -> str:
    return f"{meeting.points:g}/{meeting.games}" if meeting.games else "-"


def _likelihood(meeting: Meeting) -> str:
    """Return it in whole per cent, 0 and 100 of which nothing reaches."""
    if meeting.superiority is None:
        return "-"
    share = round(100 * meeting.superiority)
    return "<1%" if share < 1 else ">99%" if share > 99 else f"{share}%"


def _point_and_likelihood(meeting: Meeting) -> str:
    if meeting.superiority is None and not meeting.games:
        return "-"
    return f"{_points(meeting)} {_likelihood(meeting):>4}"


def _meetings(table: Table, letters: Letters) -> list[Column]:
    """Return a line for each two bots that have met, the better one first."""
    cross, rows = table.crosstable, table.rows
    met = [(a, b) for a, b in combinations(range(len(rows)), 2) if cross[a][b].games]
    return [
        names("bot", [rows[one].name for one, _ in met], letters),
        Column("points", [f"{cross[a][b].points:g}-{cross[b][a].points:g}" for a, b in met]),
        names("opponent", [rows[other].name for _, other in met], letters),
        Column("LOS", [_likelihood(cross[a][b]) for a, b in met], rank=1),
    ]


MOST_ENDINGS: Final = 8
"""Columns of endings; a record may call its ending what it likes. The sentence below has all."""

LONGEST_ENDING: Final = 20
"""Letters of an ending that has a column."""


def game_lines(standings: Standings, letters: Letters) -> list[Column]:
    """Return the columns of a table with a line a game.

    What a seat is worth, and how often equals draw by the Elo model, is told as on the page: among
    bots as strong as all games say.
    """
    tables = standings.per_game
    found = {line.game: line for line in standings.overall.ratings.conditions}
    lines = [found.get(table.game) for table in tables]  # None where no game is rated
    columns = [
        names("game", [table.game for table in tables], letters),
        Column("games", [str(table.games) for table in tables]),
        Column("first scored", [f"{table.first_score or 0:.1%}" for table in tables], rank=3),
        Column(f"first move {letters.plus_minus} 95%", _advantages(lines, letters), rank=1),
        Column("draws", [f"{table.draws / table.games:.1%}" for table in tables], rank=4),
        Column("equals draw", [f"{line.draw_rate:.1%}" if line else "-" for line in lines], rank=2),
    ]
    if any(table.repeated for table in tables):
        columns.append(Column("repeated", [str(table.repeated) for table in tables], rank=5))
    return [*columns, *_endings(tables, letters)]


def _advantages(lines: Sequence[Conditions | None], letters: Letters) -> list[str]:
    """Return what the first seat is worth in Elo points, with its interval."""
    values = [f"{round(line.advantage.value):+d}" if line else "-" for line in lines]
    halves = [f"{Z95 * line.advantage.error:.0f}" if line else "-" for line in lines]
    cells = zip(lines, letters.within(values, halves), strict=True)
    return [f"{cell} Elo" if line else "-" for line, cell in cells]


def _endings(tables: Sequence[Table], letters: Letters) -> list[Column]:
    """Return a column for each ending, the most frequent first; the others go first."""
    together = Counter[str]()
    for table in tables:
        together.update(table.endings)
    words = [word for word, _ in together.most_common(MOST_ENDINGS) if len(word) <= LONGEST_ENDING]
    return [
        Column(
            letters.plain(word),
            [str(table.endings.get(word, 0)) for table in tables],
            rank=6 + number,
        )
        for number, word in enumerate(words)
    ]


def endings_words(table: Table) -> str:
    """Return how many games there were and why they ended."""
    words = ", ".join(f"{ending} {count}" for ending, count in table.endings.items())
    score = table.first_score or 0.0
    return f"{_games(table.games)}; endings: {words}; first scored {score:.1%}"


def _games(number: int) -> str:
    return "1 game" if number == 1 else f"{number} games"


def left_out_words(standings: Standings) -> str:
    """Return why records were left out, and who stands only there."""
    reasons = ", ".join(f"{why} {count}" for why, count in standings.left_out.items())
    only = f"; only there: {_listed(standings.unranked)}" if standings.unranked else ""
    return f"left out: {reasons}{only}"


def remarks(table: Table, letters: Letters) -> Iterator[str]:
    """Yield what else is to be said, in the order of its weight."""
    if len(table.ratings.groups) > 1:
        yield _groups_words(table.ratings.groups)
    if table.repeated:
        yield (
            f"repeated: {_games(table.repeated)}, move by move the same as another; counted for "
            "points, but not for ratings and intervals"
        )
    if table.self_play:
        yield f"self-play: {_games(table.self_play)} of a bot with itself, not rated"
    if table.unbalanced:
        yield (
            "unbalanced seats: some bots had one seat clearly more often than the other; rating "
            "and mu know no first-move advantage and favour who had the better one, Elo does not"
        )
    fit = table.ratings.fit
    if fit.p_value < POOR_FIT:
        chance = "p < 0.0001" if fit.p_value < 0.0001 else f"p = {fit.p_value:.4f}"
        yield (
            f"poor fit: results are further from the Elo model than chance has it (chi square "
            f"{fit.chi_square:.1f} at {fit.degrees} degrees of freedom, {chance}); a single number "
            "a bot does not tell all, and intervals may be too narrow"
        )
    if lost := sum(row.forfeits for row in table.rows):
        yield (
            f"forfeits: {_games(lost)} lost by crash, time, illegal move or flood; "
            "where there is room, 'without' is the rating that the others give"
        )
    if gap := greatest_gap(table.ratings):
        yield (
            f"cross-check: rated game after game, mu differs by at most {abs(gap.mu):.2f} "
            f"({gap.name}, whose mu is {letters.plus_minus}{Z95 * gap.sigma:.2f})"
        )


def _groups_words(groups: Sequence[Sequence[str]]) -> str:
    listed = "; ".join(f"({n}) {_listed(one)}" for n, one in enumerate(groups[:MOST_GROUPS], 1))
    more = f"; and {len(groups) - MOST_GROUPS} more" if len(groups) > MOST_GROUPS else ""
    words = f"{len(groups)} groups that no game connects are not rated against each other"
    return f"{words}: {listed}{more}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def print_survey(survey: Survey) -> None:
    """Print what the records of an archive come to, to standard output."""
    output = Output(to_stdout=True)
    if not survey.games:
        output.words("no games")
        return
    letters = output.letters
    output.table("Games and their plies", _lengths(survey, letters), is_first=True)
    results = _results(survey, letters, _part)
    is_wide = width_of(results, least=LEAST_NAME) > output.width
    output.table("Results", _results(survey, letters, _rate) if is_wide else results)
    output.table("Endings", _ending_columns(survey, letters))
    if any(counted.openings.games for _, counted in survey.games):
        plies = survey.opening_plies
        title = "Openings" if plies == 1 else f"First {plies} plies"
        output.table(title, _openings(survey, letters))
    for words in _survey_words(survey):
        output.words(words)


def _rows(survey: Survey) -> list[tuple[str, GameCounts]]:
    """Return what stands in a row for each game, and for all of them if there are several."""
    rows = list(survey.games)
    return rows if len(rows) == 1 else [*rows, ("all", survey.together())]


def _lengths(survey: Survey, letters: Letters) -> list[Column]:
    rows, games = _rows(survey), survey.together().games
    spreads = [counted.spread for _, counted in rows]
    return [
        names("game", [game for game, _ in rows], letters),
        Column("games", [f"{counted.games:,}" for _, counted in rows]),
        Column("%", [_rate(counted.games, games) for _, counted in rows], rank=4),
        Column("plies", [f"{counted.plies:,}" for _, counted in rows], rank=3),
        Column("shortest", [f"{spread['shortest']:,}" for spread in spreads], rank=1),
        Column("median", [f"{spread['median']:,g}" for spread in spreads]),
        Column("mean", [f"{spread['mean']:,.1f}" for spread in spreads], rank=2),
        Column("longest", [f"{spread['longest']:,}" for spread in spreads], rank=1),
    ]


def _results(survey: Survey, letters: Letters, shown: Callable[[int, int], str]) -> list[Column]:
    rows = _rows(survey)
    headings = {"1-0": "first won", "0-1": "second won", "1/2-1/2": "draw"}
    if survey.together().results["*"]:
        headings["*"] = "unfinished"
    return [
        names("game", [game for game, _ in rows], letters),
        *(
            Column(heading, [shown(counted.results[result], counted.games) for _, counted in rows])
            for result, heading in headings.items()
        ),
        Column("first scored", [_percent(counted.first_score) for _, counted in rows], rank=1),
    ]


def _ending_columns(survey: Survey, letters: Letters) -> list[Column]:
    rows = [
        ("" if number else game, ending, games, counted.games)
        for game, counted in survey.games
        for number, (ending, games) in enumerate(counts(counted.endings).items())
    ]
    return [
        names("game", [game for game, *_ in rows], letters),
        names("ending", [ending for _, ending, *_ in rows], letters),
        Column("games", [f"{games:,}" for *_, games, _ in rows]),
        Column("%", [_rate(games, of) for *_, games, of in rows], rank=1),
    ]


def _openings(survey: Survey, letters: Letters) -> list[Column]:
    rows = [
        ("" if number else game, moves, way, counted.openings.games)
        for game, counted in survey.games
        for number, (moves, way) in enumerate(counted.openings.ranked()[:OPENINGS])
    ]
    return [
        names("game", [game for game, *_ in rows], letters),
        names("moves", [moves for _, moves, *_ in rows], letters),
        Column("games", [f"{way.times:,}" for *_, way, _ in rows]),
        Column("%", [_rate(way.times, of) for *_, way, of in rows], rank=1),
        Column("first scored", [_percent(way.score_rate) for *_, way, _ in rows], rank=2),
    ]


def _survey_words(survey: Survey) -> Iterator[str]:
    facts = survey.facts
    dates = facts["dates"]
    words = f"{facts['records']:,} games, {facts['plies']:,} plies, {facts['bots']:,} players"
    if dates["first"]:
        words += f"; {dates['first']} to {dates['last']}"
        words += f", {dates['undated']:,} without a date" if dates["undated"] else ""
    yield words
    missed = max(counted.openings.missed for _, counted in survey.games)
    if missed:
        yield f"openings may be counted too low, by up to {missed:,}: rare ones were forgotten"


def _part(part: int, whole: int) -> str:
    """Return a number and its share; shares of a column stand below each other."""
    return f"{part:,} {_rate(part, whole):>6}"


def _rate(part: int, whole: int) -> str:
    return _percent(part / whole if whole else None)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.1%}"


SPLIT: Final = 60
"""Columns from which on forfeits are told apart."""


def print_bots(bots: Sequence[BotTotals], notes: Mapping[str, int]) -> None:
    """Print what each bot lost games by, its average and its longest move, and what was noticed."""
    output = Output()
    if bots:
        output.table("Forfeits and time of a move", _bots(bots, output.width, output.letters))
    for note, times in notes.items():
        text = Text(often(f"note: {output.letters.plain(note)}", times))
        output.console.print(text, soft_wrap=True)


def _bots(bots: Sequence[BotTotals], width: int, letters: Letters) -> list[Column]:
    lost = forfeits([bot.lost_by for bot in bots], width, SPLIT)
    return [
        names("bot", [bot.name for bot in bots], letters),
        Column("games", [str(bot.games) for bot in bots], rank=2),
        *(Column(way, list(map(str, games))) for way, games in lost.items()),
        Column("moves", [str(bot.moves) if bot.moves else "-" for bot in bots], rank=3),
        Column("average", [duration(bot.average_s) for bot in bots], rank=1),
        Column("worst", [duration(bot.worst_s if bot.moves else None) for bot in bots]),
    ]


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


STAY: Final = 3
"""Columns from the left that are never left out."""


def print_outcome(outcome: Outcome | None, *, to_stdout: bool = False) -> None:
    """Print it under a heading, where there is anything to say."""
    if outcome is None or not outcome.says_something:
        return
    output = Output(to_stdout=to_stdout)
    output.title(outcome.heading, is_first=to_stdout)
    if outcome.verdict:
        output.words(outcome.verdict)
    for number, (_, alike) in enumerate(groupby(outcome.sheets, key=lambda sheet: sheet.columns)):
        if number or outcome.verdict:
            output.console.line()
        output.lines(_together(list(alike), output.width, output.letters))


def _together(sheets: Sequence[Sheet], width: int, letters: Letters) -> list[Line]:
    """Return tables of the same columns as one, so that their columns stand below each other."""
    lines = iter(laid_out(list(_outcome_columns(sheets, letters)), width, letters))
    heading = next(lines)
    shown: list[Line] = []
    for sheet in sheets:
        if sheet.title:
            shown.append([Part(letters.plain(sheet.title), "cyan")])
        shown += [next(lines) for _ in sheet.rows]
    shown.insert(0 if len(sheets) > 1 or not sheets[0].title else 1, heading)
    return shown


def _outcome_columns(sheets: Sequence[Sheet], letters: Letters) -> Iterator[Column]:
    """Yield the columns, without those that are empty in all sheets."""
    rows = [row for sheet in sheets for row in sheet.rows]
    for at, column in enumerate(sheets[0].columns):
        cells = [letters.plain(row[at]) for row in rows]
        if any(cells):
            yield Column(
                letters.plain(column.heading),
                cells,
                rank=0 if at < STAY else at,
                to_right=column.kind == "number",
                is_elastic=column.kind == "name",
            )


_STYLES: Final = {
    Verdict.OK: "green",
    Verdict.NOTE: "cyan",
    Verdict.UNTESTED: "dim",
    Verdict.WARNING: "yellow",
    Verdict.FAULT: "bold red",
}


def print_lines(lines: Iterable[str]) -> None:
    """Print lines of a report to standard output, as they are but for the colour."""
    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(_styled(line))


def _styled(line: str) -> Text:
    text = Text(line)
    if not line.startswith(" "):
        text.stylize("bold")
    elif line[2:3].isalpha() and (word := line[2:10].rstrip()) in _STYLES:
        text.stylize(_STYLES[Verdict(word)], 2, 2 + len(word))
    elif line.lstrip().startswith(("> ", "< ")):
        text.stylize("dim")
    return text
