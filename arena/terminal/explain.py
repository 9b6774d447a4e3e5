"""Where a bot's points go, as tables, and beside each finding the commands that show it."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lath.arena.terminal.layout import LayoutColumn, Output, figure, number_of, p_value
from lath.notation.query.query import quoted
from lath.reports.counting.estimates import RATE
from lath.reports.explaining.better import SAYS, Better
from lath.reports.explaining.explanation import SHOWN, Explained
from lath.reports.explaining.findings import Finding, PlyInFile
from lath.reports.explaining.turning import KINDS
from lath.reports.explaining.weaknesses import TIMED

FEW: Final = 5
"""Rows of what there is to look at, unless all are asked for."""


def print_explained(
    explained: Explained, files: Sequence[Path], *, games: Sequence[str] = (), every: bool = False
) -> None:
    """Print what was found in files, to standard output; `games` are files of games."""
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
        """Print what the bot scored, by game and seat."""
        of, rows = self._of, self._of.scored
        points = f"{of.points:g} point{'' if of.points == 1 else 's'}"
        title = f"{of.bot}: {points} of {number_of(of.games, 'game')}"
        columns = [
            LayoutColumn("game", [row.game for row in rows], kind="name"),
            LayoutColumn("seat", [("first", "second")[row.seat] for row in rows], kind="name"),
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
        """Print what stands out, and how each is seen."""
        of, output = self._of, self._output
        if not of.findings:
            output.title("Nothing stands out")
            output.words(
                f"{_things(of.tested)} tested; none costs more points than chance can explain"
                if of.tested
                else "too few games to test anything"
            )
            self._print_commonest()
        else:
            output.table("Findings that cost points", _columns(of.findings))
            words = (
                "sorted by the lower bound of the cost; points are those of these games, and "
                "findings overlap"
            )
            if of.tested:
                words += f". {_things(of.tested)} tested; if nothing is wrong, "
                words += f"1 of {1 / RATE:.0f} such reports still has a finding"
            output.words(words)
            for number, finding in enumerate(of.findings, 1):
                self._print_finding(number, finding)
        if of.unsure and self._every:
            output.table("Possible findings (may be chance)", _columns(of.unsure))
        elif of.unsure:
            output.words(f"{len(of.unsure)} more may be chance; --all lists them")

    def _print_commonest(self) -> None:
        """Print how most games turned against the bot, and what is better there."""
        most = max(self._of.turned, key=lambda row: row.own, default=None)
        if most is None or not most.own:
            return
        times = "once" if most.own == 1 else f"in {most.own:,} games"
        self._output.words(
            f"most games turned because it {KINDS[most.kind]}: {times}, and {most.others:,} of the "
            "others' games. This is not a finding: it may be chance or the opponents' strength"
        )
        found = ((place, self._of.better(place)) for place in most.places)
        examples = [(place, better) for place, better in found if better is not None]
        self._print_better(examples if self._every else examples[:SHOWN])
        if examples:
            self._ask("show", examples[0][0], examples[0][0].ply)

    def _print_finding(self, number: int, finding: Finding) -> None:
        """Print a finding, in which games it shows, what is better there, and what shows it."""
        of, output = self._of, self._output
        output.title(f"{number}. {finding.says}")
        output.words(finding.because)
        if finding.alternative_to:
            output.words(f"may explain the same points: {finding.alternative_to}")
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
        """Print in which games something is seen, file by file."""
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
        """Print what was played, and what is better, where something is known of it."""
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
        """Return the first of places, with its file where there are several."""
        if not places:
            return "-"
        file = f"{places[0].file} " if len(self._files) > 1 else ""
        return f"{file}record {places[0].number} ply {places[0].ply}"

    def _command(self, *words: str, more: Sequence[str] | None = None) -> None:
        if "-" in self._files:  # nobody can read it again
            return
        self._output.command(shlex.join(("arena", *words, *(more or self._more))))

    def _explore(self, game: str, position: str) -> None:
        """Print how to see what was played from a position in games of the bot."""
        words = ("--position", position, "--where", f"player = {quoted(self._of.bot)}")
        self._command("explore", *self._files, *words, more=self._more or ["--game", game])

    def _ask(self, command: str, place: PlyInFile, ply: int) -> None:
        """Print how to ask a command about a ply of a record."""
        self._command(command, place.file, "--record", str(place.number), "--ply", str(ply))

    def print_turned(self) -> None:
        """Print where lost games turned, and those that were won."""
        of, rows = self._of, self._of.turned
        if not rows:
            return
        columns = [
            LayoutColumn("how", [KINDS[row.kind] for row in rows], kind="name"),
            LayoutColumn(of.bot, [f"{row.own:,}" for row in rows]),
            LayoutColumn("others", [f"{row.others:,}" for row in rows]),
            LayoutColumn("ply", [figure(row.median_ply, ".0f") for row in rows], rank=2),
            LayoutColumn("such as", [self._such(row.places) for row in rows], rank=1, kind="name"),
        ]
        self._output.table("Where games turned", columns)
        if of.undecided:
            of_lost = number_of(of.undecided, "game")
            self._output.words(f"it lost {of_lost} besides, in which no move is known as the turn")

    def print_timed(self) -> None:
        """Print how quick or late the moves were by which games turned."""
        if not (rows := self._of.timed):
            return
        columns = [
            LayoutColumn("given away", [TIMED[row.kind] for row in rows], kind="name"),
            LayoutColumn(self._of.bot, [_part(row.own, row.of_own) for row in rows]),
            LayoutColumn("others", [_part(row.others, row.of_others) for row in rows]),
        ]
        self._output.table("Time when games turned", columns)

    def print_lost_again(self) -> None:
        """Print from which positions the bot lost each time, unless chance makes as many."""
        of, every = self._of, self._of.lost_again
        if not every:
            return
        title = "Positions that were lost every time, twice or more"
        many = "one such position" if len(every) == 1 else f"{len(every):,} such positions"
        many += f"; chance alone would make {of.by_chance:.1f}"
        if len(every) <= of.by_chance + 2 * of.by_chance**0.5 and not self._every:
            self._output.title(title)
            self._output.words(f"{many}: --all")
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
        """Print where the bot left what was known, and what had scored better."""
        if not (every := self._of.left):
            return
        rows = every if self._every else every[:FEW]
        columns = [
            LayoutColumn("in", [self._such([row.place]) for row in rows], kind="name"),
            LayoutColumn("left by", [row.move for row in rows], kind="name"),
            LayoutColumn("known", [f"{row.known:,}" for row in rows], rank=2),
            LayoutColumn("usual", [row.usual for row in rows], kind="name"),
            LayoutColumn("scored", [f"{row.score:.0%}" for row in rows]),
            LayoutColumn("in games", [str(row.games) for row in rows], rank=1),
            LayoutColumn("as in", [self._such([row.example]) for row in rows], rank=3, kind="name"),
        ]
        self._output.table(f"Left what was known, and lost: {len(every)}", columns)
        self._more_rows(len(every), len(rows))
        self._ask("show", rows[0].place, rows[0].place.ply)

    def _more_rows(self, every: int, shown: int) -> None:
        if every > shown:
            self._output.words(f"{every - shown} more: --all")

    def print_calibration(self) -> None:
        """Print what the bot expected, and what it got."""
        of = self._of.calibration
        brier, climatology = of.brier, self._of.climatology
        if brier is None or climatology is None:
            self._output.title("Evaluations")
            self._output.words(f"{self._of.bot} told none")
            return
        bins = of.bins()
        columns = [
            LayoutColumn("expected", [f"{each.low:.0%} to {each.high:.0%}" for each in bins]),
            LayoutColumn("moves", [f"{each.plies:,}" for each in bins], rank=2),
            LayoutColumn("games", [f"{each.games:,}" for each in bins], rank=1),
            LayoutColumn("mean", [f"{each.expected:.0%}" for each in bins]),
            LayoutColumn("got", [f"{each.observed:.0%}" for each in bins]),
            LayoutColumn(
                "95 %", [f"{each.observed_low:.0%} to {each.observed_high:.0%}" for each in bins]
            ),
        ]
        self._output.table("Accuracy of its evaluations", columns)
        than = f"{1 - brier / climatology:.0%} less than" if brier < climatology else "no less than"
        self._output.words(
            f"Brier score {brier:.3f}, {than} the {climatology:.3f} of always expecting its "
            "average score"
        )


def _columns(findings: Sequence[Finding]) -> list[LayoutColumn]:
    return [
        LayoutColumn("#", [str(number) for number in range(1, len(findings) + 1)]),
        LayoutColumn("what", [finding.says for finding in findings], kind="name"),
        LayoutColumn("points", [f"{finding.cost.points:.1f}" for finding in findings]),
        LayoutColumn(
            "95 %",
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


def _things(number: int) -> str:
    return f"{number} thing{' was' if number == 1 else 's were'}"
