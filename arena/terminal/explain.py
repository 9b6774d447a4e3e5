"""The output of `arena explain`: tables of lost points, and commands that show the games."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lath.arena.terminal.layout import LayoutColumn, Output, figure, p_value
from lath.games.errors import count_of
from lath.notation.query.query import quoted
from lath.reports.counting.estimates import RATE
from lath.reports.explaining.better import SAYS, Better
from lath.reports.explaining.explanation import SHOWN, Explained
from lath.reports.explaining.findings import Finding, PlyInFile
from lath.reports.explaining.turning import KINDS
from lath.reports.explaining.weaknesses import TIMED

FEW: Final = 5
"""The default maximum of rows in a table."""


def print_explained(
    explained: Explained, files: Sequence[Path], *, games: Sequence[str] = (), every: bool = False
) -> None:
    """Print the findings on standard output; `games` are files of game types."""
    printer = _Printer(Output(to_stdout=True), explained, [*map(str, files)], games, every=every)
    printer.print_scored()
    printer.print_findings()
    printer.print_turned()
    printer.print_timed()
    printer.print_lost_again()
    printer.print_left()
    printer.print_calibration()


class _Printer:
    def __init__(
        self,
        output: Output,
        explained: Explained,
        files: list[str],
        games: Sequence[str],
        *,
        every: bool,
    ) -> None:
        self._output: Final = output
        self._of: Final = explained
        self._files: Final = files
        self._more: Final = [word for game in games for word in ("--game", game)]
        self._every: Final = every

    def print_scored(self) -> None:
        """Print the bot's points by game type and side."""
        of, rows = self._of, self._of.scored
        points = f"{of.points:g} {'point' if of.points == 1 else 'points'}"
        title = f"{of.bot}: {points} of {count_of(of.games, 'game')}"
        columns = [
            LayoutColumn("game", [row.game for row in rows], kind="name"),
            LayoutColumn("side", [("first", "second")[row.seat] for row in rows], kind="name"),
            LayoutColumn("games", [f"{row.games:,}" for row in rows]),
            LayoutColumn("points", [f"{row.points:g}" for row in rows], rank=2),
            LayoutColumn("scored", [f"{row.points / row.games:.1%}" for row in rows]),
        ]
        if any(row.expected is not None for row in rows):
            cells = [
                "-" if row.expected is None else f"{row.expected / row.games:.1%}" for row in rows
            ]
            columns.append(LayoutColumn("expected", cells, rank=1))
        self._output.table(title, columns)
        if of.left_out:
            reasons = ", ".join(f"{many:,} {why}" for why, many in of.left_out.items())
            self._output.words(f"left out: {reasons}")

    def print_findings(self) -> None:
        """Print the significant findings and commands that show them."""
        of, output = self._of, self._output
        if not of.findings:
            output.title("No significant findings")
            output.words(
                f"{count_of(of.tested, 'test')}; no effect is statistically significant"
                if of.tested
                else "there are too few games to test"
            )
            self._print_commonest()
        else:
            output.table("Findings by points lost", _columns(of.findings))
            words = (
                "sorted by the lower end of the interval; different findings may count the same "
                "points"
            )
            if of.tested:
                words += f". {count_of(of.tested, 'test')}; about 1 in {1 / RATE:.0f} reports on "
                words += "bots without weaknesses has a finding by chance"
            output.words(words)
            for number, finding in enumerate(of.findings, 1):
                self._print_finding(number, finding)
        if of.unsure and self._every:
            output.table("Not statistically significant", _columns(of.unsure))
        elif of.unsure:
            output.words(
                f"{len(of.unsure)} more are not statistically significant: --all lists them"
            )

    def _print_commonest(self) -> None:
        """Print the most frequent turning point in lost games, and better moves there."""
        most = max(self._of.turned, key=lambda row: row.own, default=None)
        if most is None or not most.own:
            return
        times = "once" if most.own == 1 else f"in {most.own:,} games"
        self._output.words(
            f"most frequent turning point: the bot {KINDS[most.kind]} {times}, and its opponents "
            f"in {most.others:,}. The difference is not statistically significant"
        )
        found = ((place, self._of.better(place)) for place in most.places)
        examples = [(place, better) for place, better in found if better is not None]
        self._print_better(examples if self._every else examples[:SHOWN])
        if examples:
            self._ask("show", examples[0][0], examples[0][0].ply)

    def _print_finding(self, number: int, finding: Finding) -> None:
        """Print a finding with its games, better moves and a command."""
        of, output = self._of, self._output
        output.title(f"{number}. {finding.says}")
        output.words(finding.because)
        if finding.alternative_to:
            output.words(f"alternative explanation of the same points: {finding.alternative_to}")
        self._print_places(finding.places)
        examples = of.examples(finding, None if self._every else SHOWN)
        self._print_better(examples)
        if finding.position:
            self._explore(finding.game, finding.position)
        elif finding.where:
            self._command("select", *self._files, "--where", finding.where)
        if finding.places:
            self._ask("show", finding.places[0], finding.places[0].ply)
        if examples:
            self._ask("solve", examples[0][0], examples[0][0].ply - 1)

    def _print_places(self, places: Sequence[PlyInFile]) -> None:
        """Print the records and plies of a finding, per file."""
        by_file: defaultdict[str, list[str]] = defaultdict(list)
        shown = places if self._every else places[:SHOWN]
        for place in shown:
            by_file[place.file].append(f"{place.number} ply {place.ply}")
        more = f", and {len(places) - len(shown)} more" if len(places) > len(shown) else ""
        words = "; ".join(
            f"{f'{file} ' if len(self._files) > 1 else ''}record {', '.join(of)}"
            for file, of in by_file.items()
        )
        if words:
            self._output.words(f"{words}{more}")

    def _print_better(self, examples: Sequence[tuple[PlyInFile, Better]]) -> None:
        """Print the move played and the better one, for each place with a known better move."""
        for place, better in examples:
            words = f"{self._such([place])}: played {better.played}"
            if better.is_end:
                words += ", which loses at once"
            elif better.against:
                words += f", which loses to {' '.join(better.against)}"
            if better.sort:
                words += f"; {better.line[0]} {SAYS[better.sort]}"
                words += f": {' '.join(better.line)}" if len(better.line) > 1 else ""
            self._output.words(words)

    def _such(self, places: Sequence[PlyInFile]) -> str:
        """Return the first place, with its file if there are several files."""
        if not places:
            return "-"
        file = f"{places[0].file} " if len(self._files) > 1 else ""
        return f"{file}record {places[0].number} ply {places[0].ply}"

    def _command(self, *words: str, more: Sequence[str] | None = None) -> None:
        if "-" in self._files:  # standard input cannot be read twice
            return
        self._output.command(shlex.join(("arena", *words, *(more or self._more))))

    def _explore(self, game: str, position: str) -> None:
        """Print the command that shows the bot's moves in a position."""
        words = ("--position", position, "--where", f"player = {quoted(self._of.bot)}")
        self._command("explore", *self._files, *words, more=self._more or ["--game", game])

    def _ask(self, command: str, place: PlyInFile, ply: int) -> None:
        """Print a command for one ply of a record."""
        self._command(command, place.file, "--record", str(place.number), "--ply", str(ply))

    def print_turned(self) -> None:
        """Print the turning points of lost games, and for comparison those of other games."""
        of, rows = self._of, self._of.turned
        if not rows:
            return
        columns = [
            LayoutColumn("how", [KINDS[row.kind] for row in rows], kind="name"),
            LayoutColumn(of.bot, [f"{row.own:,}" for row in rows]),
            LayoutColumn("others", [f"{row.others:,}" for row in rows]),
            LayoutColumn("ply", [figure(row.median_ply, ".0f") for row in rows], rank=2),
            LayoutColumn("example", [self._such(row.places) for row in rows], rank=1, kind="name"),
        ]
        self._output.table("Turning points", columns)
        if of.undecided:
            of_lost = count_of(of.undecided, "game")
            self._output.words(f"turning point unknown in {of_lost} that the bot lost")

    def print_timed(self) -> None:
        """Print how fast or late the moves at turning points were."""
        if not (rows := self._of.timed):
            return
        columns = [
            LayoutColumn("how", [TIMED[row.kind] for row in rows], kind="name"),
            LayoutColumn(self._of.bot, [_part(row.own, row.of_own) for row in rows]),
            LayoutColumn("others", [_part(row.others, row.of_others) for row in rows]),
        ]
        self._output.table("Time at turning points", columns)

    def print_lost_again(self) -> None:
        """Print the positions lost every time, if there are more than chance would make."""
        of, every = self._of, self._of.lost_again
        if not every:
            return
        title = "Positions that the bot lost every time (at least twice)"
        many = "one such position" if len(every) == 1 else f"{len(every):,} such positions"
        many += f"; {of.by_chance:.1f} are expected by chance"
        if len(every) <= of.by_chance + 2 * of.by_chance**0.5 and not self._every:
            self._output.title(title)
            self._output.words(f"{many}: --all lists them")
            return
        rows = every if self._every else every[:FEW]
        places = [", ".join(str(place.number) for place in row.places) for row in rows]
        columns = [
            LayoutColumn("game", [row.game for row in rows], rank=2, kind="name"),
            LayoutColumn("lost", [str(row.games) for row in rows]),
            LayoutColumn("by chance", [p_value(row.chance) for row in rows], rank=3),
            LayoutColumn("after ply", [str(row.ply) for row in rows], rank=1),
            LayoutColumn("in games", places, kind="name"),
        ]
        self._output.table(title, columns)
        self._more_rows(len(every), len(rows))
        self._output.words(many)
        self._explore(rows[0].game, rows[0].position)

    def print_left(self) -> None:
        """Print the bot's novelties, with known moves that scored better."""
        if not (every := self._of.left):
            return
        rows = every if self._every else every[:FEW]
        columns = [
            LayoutColumn("in", [self._such([row.place]) for row in rows], kind="name"),
            LayoutColumn("novelty", [row.move for row in rows], kind="name"),
            LayoutColumn("known games", [f"{row.known:,}" for row in rows], rank=2),
            LayoutColumn("usual", [row.usual for row in rows], kind="name"),
            LayoutColumn("scored", [f"{row.score:.0%}" for row in rows]),
            LayoutColumn("in games", [str(row.games) for row in rows], rank=1),
            LayoutColumn(
                "example", [self._such([row.example]) for row in rows], rank=3, kind="name"
            ),
        ]
        self._output.table(f"Losses after a novelty: {len(every)}", columns)
        self._more_rows(len(every), len(rows))
        self._ask("show", rows[0].place, rows[0].place.ply)

    def _more_rows(self, every: int, shown: int) -> None:
        if every > shown:
            self._output.words(f"{every - shown} more: --all lists them")

    def print_calibration(self) -> None:
        """Print the scores that the bot expected and those that it got."""
        of = self._of.calibration
        brier, climatology = of.brier, self._of.climatology
        if brier is None or climatology is None:
            self._output.title("Evaluations")
            self._output.words(f"{self._of.bot} reported none")
            return
        bins = of.bins()
        columns = [
            LayoutColumn("expected", [f"{each.low:.0%} to {each.high:.0%}" for each in bins]),
            LayoutColumn("moves", [f"{each.plies:,}" for each in bins], rank=2),
            LayoutColumn("games", [f"{each.games:,}" for each in bins], rank=1),
            LayoutColumn("mean", [f"{each.expected:.0%}" for each in bins]),
            LayoutColumn("scored", [f"{each.observed:.0%}" for each in bins]),
            LayoutColumn(
                "95%", [f"{each.observed_low:.0%} to {each.observed_high:.0%}" for each in bins]
            ),
        ]
        self._output.table("Accuracy of evaluations", columns)
        than = f"{1 - brier / climatology:.0%} less than" if brier < climatology else "no less than"
        self._output.words(
            f"Brier score (mean squared error) {brier:.3f}, {than} that of a constant forecast "
            f"({climatology:.3f})"
        )


def _columns(findings: Sequence[Finding]) -> list[LayoutColumn]:
    return [
        LayoutColumn("#", [str(number) for number in range(1, len(findings) + 1)]),
        LayoutColumn("finding", [finding.says for finding in findings], kind="name"),
        LayoutColumn("points lost", [f"{finding.cost.points:.1f}" for finding in findings]),
        LayoutColumn(
            "95%",
            [f"{finding.cost.low:.1f} to {finding.cost.high:.1f}" for finding in findings],
            rank=2,
        ),
        LayoutColumn("games", [f"{finding.games:,}" for finding in findings]),
        LayoutColumn(
            "p",
            [
                "sure" if finding.cost.p_value is None else p_value(finding.adjusted)
                for finding in findings
            ],
            rank=1,
        ),
    ]


def _part(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}" if whole else "-"
