"""How many records a second each command takes, and in how much memory, at two sizes of archive.

    python benchmarks/throughput.py [--records 75000,300000] [--only WORDS] [--folder FOLDER]
    python benchmarks/throughput.py --round-trips 100000 [--folder FOLDER]

Records are those of `records.py`, with bare moves: 25,000 different games, and again under other
players' names for as long as there are not enough. Rates are by the time of the processor, of all
processes of a command together with their start, because a machine does other things too; beside it
is that on the wall, for commands of two processes. Memory is that of the largest process. Records
are those that a command reads: of `diff` and of a merge those of both files. What is less than half
as fast as the middle one of its group is named in the end, with the reason.

Formats that hold one game alone leave most records out, and are faster for that.

With `--round-trips` so many records, half of them with a time and an evaluation at each ply, go
from our text to every format that is written, and back from each that is read too; what is not
equal then is told of. The formats are those of the table of `lath.notation.formats`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from filecmp import cmp
from pathlib import Path
from statistics import median
from typing import Final

from measure import Run, machine, run
from records import record_of

from lath import games
from lath.notation import format_record
from lath.notation.formats import TABLE

_DIFFERENT: Final = 25_000
"""Games of a corpus that are made; the others are these under other names."""

_LIBRARY: Final = "import sys; from lath import notation; print(sum(1 for _ in notation.{}))"

_ARENA: Final = (sys.executable, "-m", "lath.arena")


@dataclass(frozen=True, slots=True)
class Job:
    """A command over an archive."""

    group: str
    """What it is one of: those of a group do much the same work for a record."""

    command: Sequence[str]
    """Its words, `{all}` being the archive and `{out}` the folder for what is written."""

    times: int = 1
    """How often it reads the archive."""

    statuses: Sequence[int] = (0,)
    """How it may end."""

    why: str = ""
    """Why it is slower than its neighbours."""


_OF_LIBRARY: Final = tuple(
    Job("read", [sys.executable, "-c", _LIBRARY.format(words), "{all}"])
    for words in ("headers(sys.argv[1])", "read(sys.argv[1])")
)

_WHY: Final = {
    "abstractplay": "what is written is read again, to see that it says the same",
    "sgf": "whose turn it is must be known, and so every game is played",
}

JOBS: Final = (
    Job("write", ["edit", "{all}", "-o", "{out}/canonical.lath"]),
    Job(
        "write",
        ["edit", "{all}", "--set", "Event=Another", "-o", "{out}/edited.lath"],
        why="each record is checked by the rules before and after",
    ),
    Job("write", ["select", "{all}", "-o", "{out}/selected.lath"]),
    Job("write", ["select", "-j", "2", "{all}", "-o", "{out}/selected-2.lath"]),
    Job("write", ["select", "{all}", "{all}", "-o", "{out}/merged.lath"], times=2),
    Job("write", ["select", "{all}", "--distinct", "-o", "{out}/distinct.lath"]),
    Job("write", ["select", "{all}", "--sort", "plies", "-o", "{out}/sorted.lath"]),
    Job("write", ["select", "{all}", "--sample", "5000", "-o", "{out}/sample.lath"]),
    Job("write", ["select", "{all}", "--split", "game", "--force", "-o", "{out}/parts"]),
    *_OF_LIBRARY,
    Job("read", ["check", "{all}"]),
    Job("read", ["check", "-j", "2", "{all}"]),
    Job("read", ["select", "{all}", "--count", "--where", "plies > 20 and result = 1-0"]),
    Job("read", ["stats", "{all}"]),
    Job("read", ["stats", "-j", "2", "{all}"]),
    Job("read", ["stats", "--endings", "{all}"]),
    Job(
        "read",
        ["stats", "--openings", "{all}"],
        why="of each setup the least of up to twelve images is looked for",
    ),
    Job("read", ["rate", "{all}"]),
    Job("read", ["rate", "-j", "2", "{all}"]),
    Job("read", ["diff", "{all}", "{all}"], times=2),
    Job(
        "read",
        ["diff", "{all}", "{out}/edited.lath"],
        times=2,
        statuses=(0, 1),
        why="no record is equal to another, all wait in a database and are printed",
    ),
    Job("play", ["show", "{all}", "--json"]),
    Job("play", ["convert", "-q", "--positions", "{all}", "{out}/positions.csv"]),
    Job("play", ["report", "{all}", "-o", "{out}/report.html"]),
    *(
        Job(
            "convert",
            ["convert", "-q", "{all}", f"{{out}}/to{known.suffixes[0]}"],
            statuses=(0, 1),
            why=_WHY.get(name, ""),
        )
        for name, known in TABLE.items()
        if known.write
    ),
    Job("convert", ["convert", "-q", "-j", "2", "{all}", "{out}/to-2.jsonl"]),
    *(
        Job(
            "convert",
            ["convert", "-q", f"{{out}}/to{known.suffixes[0]}", "{out}/back.lath"],
            why="each value is looked at by itself, where a record of our own is as a whole",
        )
        for name, known in TABLE.items()
        if known.read and known.write and name != "lath"
    ),
)


def corpus(path: Path, count: int, *, told: bool = False) -> None:
    """Write `count` records; where much is `told`, half of them have something at each ply."""
    ids = games.builtin_ids()
    texts = [
        format_record(
            record_of(
                games.get(ids[number // 2 % len(ids)]), number, annotated=told and number % 2 == 1
            )
        )
        for number in range(min(count, _DIFFERENT))
    ]
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            again, place = divmod(number, len(texts))
            text = texts[place]
            for name in ("one", "other"):
                text = text.replace(f' "{name}"]', f' "{name}-{again}"]') if again else text
            file.write(("\n" if number else "") + text)


def made(folder: Path, count: int, *, told: bool = False) -> Path:
    """Return a corpus, which is made where it is not there yet."""
    path = folder / f"{'told' if told else 'bare'}-{count}.lath"
    if not path.exists():
        # The memory of a process counts for those that it starts: another one makes it.
        words = f"from throughput import *; corpus(Path({str(path)!r}), {count}, told={told})"
        run([sys.executable, "-c", words], cwd=Path(__file__).parent)
    return path


def measured(job: Job, archive: Path, out: Path) -> Run:
    """Run a command over an archive."""
    words = [word.format(all=archive, out=out) for word in job.command]
    is_ours = words[0] != sys.executable
    return run([*(_ARENA if is_ours else ()), *words], statuses=job.statuses)


def name_of(job: Job) -> str:
    """Return what a command is called in the table."""
    if job.command[0] == sys.executable:
        return f"`notation.{job.command[2].partition('notation.')[2].partition('(')[0]}`"
    words = [Path(word).name if "{out}" in word else word for word in job.command]
    return f"`{' '.join(words).replace('{all}', 'all.lath')}`"


def rows(jobs: Sequence[Job], folder: Path, sizes: Sequence[int]) -> Iterator[str]:
    """Yield the lines of the table."""
    taken: list[tuple[Job, list[Run]]] = [(job, []) for job in jobs]
    for size in sizes:
        archive = made(folder, size)
        for job, runs in taken:
            runs.append(measured(job, archive, folder))
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    yield f"| command | {' | '.join(f'{size:,}: records/s | CPU s | s | MB' for size in sizes)} |"
    yield f"| --- |{' --- | --- | --- | --- |' * len(sizes)}"
    for job, runs in taken:
        cells = [
            f"{size * job.times / one.cpu_s:,.0f} | {one.cpu_s:.1f} | {one.wall_s:.1f}"
            f" | {one.peak_mb:.0f}"
            for size, one in zip(sizes, runs, strict=True)
        ]
        yield f"| {name_of(job)} | {' | '.join(cells)} |"
    yield ""
    for job, runs in taken:
        rate = job.times / runs[-1].cpu_s
        middle = median(
            other.times / others[-1].cpu_s for other, others in taken if other.group == job.group
        )
        if rate < middle / 2:
            why = job.why or "no reason is known"
            yield f"{name_of(job)} has {rate / middle:.2f} of the middle rate: {why}."


def round_trips(folder: Path, count: int) -> Iterator[str]:
    """Yield for each format what records are after having been in it."""
    archive = made(folder, count, told=True)
    yield f"{count:,} records, half of them with a time and an evaluation at each ply:"
    for name, known in TABLE.items():
        if not known.write:
            continue
        there, back = folder / f"trip{known.suffixes[0]}", folder / "back.lath"
        lost = _said("convert", "-q", "--unchecked", archive, there, statuses=(0, 1))
        said = "only written"
        if known.read:
            _said("convert", "-q", "--unchecked", there, back, statuses=(0, 1))
            said = f"{count:,} equal, byte for byte"
        if known.read and not cmp(archive, back, shallow=False):
            said = _said("diff", "--unchecked", archive, back, statuses=(0, 1)).splitlines()[-1]
        yield f"{name}: {said}" + "".join(f"; {line}" for line in lost.splitlines())


def _said(*words: str | Path, statuses: Sequence[int]) -> str:
    """Return what a command says on standard error."""
    done = subprocess.run(
        [*_ARENA, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode not in statuses:
        raise subprocess.CalledProcessError(done.returncode, words, stderr=done.stderr)
    return done.stderr


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--records", default="75000,300000", help="sizes (default 75000,300000)")
    parser.add_argument("--only", default="", help="commands with this in their words")
    parser.add_argument("--round-trips", type=int, default=0, metavar="N", help="records of them")
    parser.add_argument("--folder", type=Path, help="where files are kept, else they are removed")
    options = parser.parse_args()
    sizes = [int(size) for size in options.records.split(",")]
    jobs = [job for job in JOBS if options.only in " ".join(job.command)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        print(machine())
        if options.round_trips:
            print(*round_trips(folder, options.round_trips), sep="\n")
        else:
            print(*rows(jobs, folder, sizes), sep="\n")


if __name__ == "__main__":
    main()
