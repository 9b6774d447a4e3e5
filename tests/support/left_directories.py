"""Makes `VERSION.tar.xz` of finished, stopped and killed directories of an old version.

    python tests/support/left_directories.py 0.1.0 /mnt/.venv/bin/arena /mnt/cups

The version is `0.1.0` or `0.2.0`. The program is that of a checkout of the version, in a path that
names no machine. The checkout of 0.1.0 is the parent of the commit "house: the folders are imported
as lath.games, lath.notation, ...". That of 0.2.0 is the commit before packages were split.

Next to each unfinished directory are the records of the whole tournament, as that version made them
later. 0.1.0 has made `records.lath` and `records.jsonl` from records with every tag. `answers/` has
the output of 0.2.0 for the directories, with the captions of today.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LEGAL: Final = """set -f
while read -r word rest; do
  case $word in
    arena) printf '%s\\n' 'want legal' 'game yavalath manalath mammalath surikata' ok ;;
    new) seed=${rest#*seed } seed=${seed%% *} turn=0; echo "ready ${rest%% *}" ;;
    legal) legal=$rest ;;
    go) turn=$((turn + 1)); test -e /mnt/slow && sleep 0.02; MISHAP
      set -- $legal
      seed=$(((seed * 1103515245 + 12345) & 2147483647))
      shift $((seed / 65536 % $#))
      echo "info depth 1 eval 0.25 nodes $# text of $# moves pv $1"
      echo "bestmove ${rest%% *} $1" ;;
    ping) echo "pong $rest" ;;
    quit) exit ;;
  esac
done"""
"""A bot that plays any legal move by its seed; it executes MISHAP at each turn first."""

ARCHIVES: Final = Path(__file__).parents[1] / "samples" / "directories"

SLOW: Final = Path("/mnt/slow")
"""While this file exists, bots are slow, so that signals arrive during the games."""

LEAVES: Final = Path("/mnt/leaves")
"""While this file exists, a bot exits as soon as it starts."""

BOOK: Final = """[Game "yavalath"]

1. e5 2. swap 3. d4 4. f6 *

[Game "yavalath"]

1. c3 2. g7 *

[Game "yavalath"]
[Position "5/6/7/8/9/8/7/6/5 w"]

1. e5 *
"""


COMMAND: Final = """['sh', '-c', 'eval "$BOT"']"""
"""The old version refused a longer argument."""


ENDINGS: Final = {
    "1. a1 2. e1 3. b1 4. e2 5. c1 0-1": ("rules",),
    "1. a1! {a [%emt 0.5] [%clk 9.5] [%eval -0.25] [%depth 5] [%nodes 8120] [%pv e1 b1]} (1. b1?! "
    "{b} 2. c1 (2. d1)) 2. e1 1-0": (
        *("resignation", "time", "illegal move", "crash", "flood", "adjudication"),
    ),
    "{The first words.} 1. a1 2. swap 1/2-1/2": ("agreement", "ply limit"),
    "1. a1 *": ("void", "unterminated"),
}
"""Endings by moves and result."""

STARTS: Final = {
    "yavalath": ("", '[Position "5/6/7/8/9/8/7/6/5 w"]'),
    "mammalath": ('[Setup "FABCDE/EFABCD/DEFABC/CDEFAB/BCDEFA/ABCDEF"]',),
    "surikata": ('[Position "5/5/2m2/5/5 - w"]',),
}


def records() -> str:
    """Return records with every tag that has a meaning, and other tags."""
    tags = """[Event "A \\"great\\" cup \\\\ of 2026"]
[Site "Aarhus, Ægir’s hall"]
[Date "2026-11-20"]
[Round "3"]
[First "Ant"]
[Second "ant"]
[Opening "book.lath #12"]
[Annotator "nobody"]
[Number "17"]
[Seed "4f2a-1"]
[Weather "rain"]"""
    times = '[TimeControl "10+0.1"]', '[FirstTimeControl "move 0.5"]\n[SecondTimeControl "none"]'
    texts = []
    for moves, endings in ENDINGS.items():
        for number, why in enumerate(endings):
            result = f'[Termination "{why}"]\n[Result "{moves.split()[-1]}"]'
            head = f'[Game "yavalath"]\n{tags}\n{times[number % 2]}\n{result}'
            texts.append(f"{head}\n\n{moves}\n")
    for game, starts in STARTS.items():
        lines = (f"{start}\n" if start else "" for start in starts)
        texts += [f'[Game "{game}"]\n{line}[Date "?"]\n\n*\n' for line in lines]
    return "\n".join(texts)


def bot(name: str, mishap: str = ":", *, before: str = "", more: str = "", other: str = "") -> str:
    """Return the table of a bot that plays legal moves."""
    variables = f"{{ BOT = {json.dumps(before + LEGAL.replace('MISHAP', mishap))}{more} }}"
    return f"[[bot]]\nname = {json.dumps(name)}\ncommand = {COMMAND}\nenv = {variables}\n{other}"


@dataclass(frozen=True)
class Cup:
    """A tournament, and the end of its first run."""

    settings: str
    bots: tuple[str, ...]
    ends: signal.Signals | None = None
    after: int = 0
    """The number of finished games before the signal."""

    before: tuple[tuple[str, ...], ...] = ()
    """The arguments of earlier runs that end by themselves."""

    words: tuple[str, ...] = ("run",)
    """The arguments that begin it; those of `run` come before the configuration."""

    then: tuple[str, ...] = ()
    """The arguments of a last run, such as rulings."""


FOUR: Final = tuple(map(bot, ("ant", "bee", "cat", "dog")))
ONE_GAME: Final = 'games = ["yavalath"]\n'

CUPS: Final = {
    "finished": Cup(
        'event = "Every game"\ngames = ["yavalath", "manalath", "mammalath", "surikata"]\n',
        ('[[bot]]\nname = "greedy"\n', '[[bot]]\nname = "random"\n'),
    ),
    "round-robin": Cup(f"{ONE_GAME}rounds = 3\njobs = 2\n", FOUR[:3], signal.SIGKILL, 7),
    "begun": Cup(f"{ONE_GAME}rounds = 2\n", FOUR[:2], signal.SIGKILL, 0),
    "swiss": Cup(
        f'{ONE_GAME}format = "swiss"\nrounds = 3\n',
        (*FOUR, bot("elk")),
        signal.SIGINT,
        5,
    ),
    "knockout": Cup(f'{ONE_GAME}format = "knockout"\n', FOUR, signal.SIGKILL, 3),
    "gauntlet": Cup(f'{ONE_GAME}format = "gauntlet"\nrounds = 2\n', FOUR[:3], signal.SIGTERM, 3),
    "match": Cup(
        f'{ONE_GAME}format = "match"\nrounds = 40\n[sprt]\nelo0 = -150\nelo1 = 150\nalpha = 0.2\n'
        "beta = 0.2\n",
        FOUR[:2],
        signal.SIGKILL,
        3,
    ),
    "openings": Cup(
        f'{ONE_GAME}rounds = 4\n[openings]\nfile = "book.lath"\norder = "random"\nstart = 2\n',
        FOUR[:2],
        signal.SIGINT,
        3,
    ),
    "mishaps": Cup(
        f'{ONE_GAME}rounds = 2\nlog = "all"\npin = "off"\n[time]\nmove = "5s"\nmargin = "80ms"\n'
        'startup = "20s"\n[adjudication]\nplies = 16\n',
        (
            bot(
                "good",
                more=', LOG = "0"',
                other='memory = "512MiB"\nthreads = 2\ncwd = "/"\n',
            ),
            bot("crashes", "test $turn = 3 && { echo 'no more' >&2; exit 3; }"),
            bot("cheats", "test $turn = 2 && { echo bestmove ${rest%% *} z9; continue; }"),
            bot("late", "test $turn = 2 && sleep 1", other='time = { move = "100ms" }\n'),
        ),
        signal.SIGINT,
        8,
    ),
    "alike": Cup(f"{ONE_GAME}rounds = 2\n", tuple(map(bot, ("Ant", "ant"))), signal.SIGKILL, 2),
    "walkovers": Cup(
        f'{ONE_GAME}format = "swiss"\nrounds = 3\n',
        (*FOUR[:3], bot("dodo", before=f"test -e {LEAVES} && exit 1\n")),
    ),
}


TODAY: Final = {
    "round-robin": Cup(f"{ONE_GAME}rounds = 3\njobs = 2\n", FOUR[:3], signal.SIGKILL, 7),
    "swiss": Cup(
        f'{ONE_GAME}format = "swiss"\nrounds = 3\n', (*FOUR, bot("elk")), signal.SIGKILL, 5
    ),
    "knockout": Cup(f'{ONE_GAME}format = "knockout"\n', FOUR, signal.SIGKILL, 3),
    "match": CUPS["match"],
    "openings": CUPS["openings"],
    "mishaps": CUPS["mishaps"],
    "pool": Cup(
        f'{ONE_GAME}format = "pool"\nrounds = 2\n',
        FOUR[:3],
        signal.SIGKILL,
        7,
        before=(("--budget", "5"),),
    ),
    "season": Cup(
        f'{ONE_GAME}format = "pool"\nrounds = 2\n',
        FOUR[:3],
        signal.SIGKILL,
        7,
        before=(("--season", "Spring", "--match-day"), ("--season", "Autumn", "--match-day")),
    ),
    "rulings": Cup(
        f"{ONE_GAME}rounds = 2\n",
        FOUR[:3],
        signal.SIGINT,
        6,
        then=("--void", "2", "--disqualify", "cat", "--reason", "It was not theirs."),
    ),
    "cluster": Cup(
        f"{ONE_GAME}rounds = 4\n",
        FOUR[:3],
        signal.SIGKILL,
        7,
        words=("run", "--cluster", "local:2"),
    ),
    "tuning": Cup(
        "",
        (),
        signal.SIGKILL,
        8,
        words=(
            *("tune", "mcts", "--option", "exploration=5..200", "--game", "yavalath"),
            *("--tc", "nodes 5", "--pairs", "6", "--sprt-pairs", "2", "--seed", "3"),
        ),
    ),
    "finished": Cup(
        'event = "Every game"\ngames = ["yavalath", "manalath", "manalath-61", "mammalath", '
        '"mammalath-plus", "surikata"]\nlog = "all"\n[time]\nnodes = 20\n',
        CUPS["finished"].bots,
    ),
}

SETS: Final = {"0.1.0": CUPS, "0.2.0": TODAY}

FORMATS: Final = ("jsonl", "json", "ygn", "sgf", "pgn", "csv", "positions.csv")

ASKED: Final = {
    "rate.txt": ("rate",),
    "rate.json": ("rate", "--json", "--by-game"),
    "rate.csv": ("rate", "--csv", "--columns", "all"),
    "select.lath": ("select", "--where", "plies > 9 and not result = 1/2-1/2"),
    "stats.json": ("stats", "--json"),
    "report.json": ("report", "--data", "-"),
}
"""The commands of 0.2.0 for each directory, by the file of the answer."""


def main(version: str, arena: str, base: Path) -> None:
    """Play all tournaments and pack their directories."""
    shutil.rmtree(base, ignore_errors=True)
    for name, cup in SETS[version].items():
        folder = base / name
        folder.mkdir(parents=True)
        (base / "book.lath").write_text(BOOK)
        time_control = "" if "[time]" in cup.settings else '[time]\ninitial = "10s"\n'
        (base / f"{name}.toml").write_text(f"{cup.settings}{time_control}{''.join(cup.bots)}")
        play(arena, base, name, cup)
        if cup.ends is not None:
            shutil.copytree(folder, base / "later", dirs_exist_ok=True)
            words = [arena, cup.words[0], *(("--output",) if cup.bots else ()), "later", "-q"]
            subprocess.run(words, cwd=base, check=name not in ("mishaps", "tuning"))
            shutil.copy(base / "later/games.lath", folder / "later.lath")
            shutil.rmtree(base / "later")
        for path in folder.glob("report*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        (folder / "tournament.db-shm").unlink(missing_ok=True)
    if version == "0.1.0":
        words = [arena, "format", "-"]
        canonical = subprocess.run(words, input=records(), encoding="utf-8", check=True, stdout=-1)
        (base / "records.lath").write_text(canonical.stdout)
        subprocess.run([arena, "convert", "records.lath", "records.jsonl"], cwd=base, check=True)
        subprocess.run([arena, "check", "records.lath"], cwd=base, check=True)
    else:
        for name in TODAY:
            ask(arena, base, name)
    pack(base, ARCHIVES / f"{version}.tar.xz")


def play(arena: str, base: Path, name: str, cup: Cup) -> None:
    """Run a tournament until its signal, if it has one."""
    SLOW.touch()
    command, *words = cup.words
    config = (f"{name}.toml",) if cup.bots else ()
    for more in cup.before:
        subprocess.run(
            [arena, command, *config, "--output", name, "-q", *more], cwd=base, check=True
        )
    line = [arena, command, *words, *config, "--output", name, "-q"]
    with subprocess.Popen(line, cwd=base, start_new_session=True) as run:
        while run.poll() is None:
            games = stored(base / name)
            if name == "walkovers" and games:
                LEAVES.touch()
            if cup.ends and games >= cup.after:
                if cup.ends == signal.SIGKILL:
                    os.killpg(run.pid, cup.ends)
                else:
                    run.send_signal(cup.ends)
                break
            time.sleep(0.001)
    if cup.then:
        subprocess.run(
            [arena, "run", "--output", name, "-q", *cup.then, "--budget", "1"],
            cwd=base,
            check=False,
        )
    SLOW.unlink()
    LEAVES.unlink(missing_ok=True)


def stored(folder: Path) -> int:
    """Return the number of games in a directory; -1 if it is not a tournament yet."""
    try:
        with closing(sqlite3.connect(f"file:{folder}/tournament.db?mode=ro", uri=True)) as database:
            (count,) = database.execute("SELECT count(*) FROM game").fetchone()
            return int(count)
    except sqlite3.Error:
        return -1


def ask(arena: str, base: Path, name: str) -> None:
    """Store what the commands print and write for a copy of a directory."""
    answers = base / "answers" / name
    answers.mkdir(parents=True)
    shutil.copytree(base / name, base / "asked" / name)
    for file, (command, *words) in ASKED.items():
        with (answers / file).open("wb") as out:
            subprocess.run(
                [arena, command, name, *words], cwd=base / "asked", stdout=out, check=True
            )
    records = "games.lath" if name == "finished" else "later.lath"
    for suffix in FORMATS:
        words = [arena, "convert", f"{name}/{records}", str(answers / f"games.{suffix}"), "-q"]
        more = ["--positions"] if "positions" in suffix else []
        subprocess.run([*words, *more], cwd=base / "asked", check=False)
    shutil.rmtree(base / "asked")


def pack(base: Path, archive: Path) -> None:
    """Write an archive without the time and the user of its creation."""
    with tarfile.open(archive, "w:xz", preset=9) as tar:
        for path in sorted(path for path in base.rglob("*") if path.is_file()):
            if path.parent != base or path.name in KEPT:
                entry = tarfile.TarInfo(path.relative_to(base).as_posix())
                data = path.read_bytes()
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))


KEPT: Final = {"book.lath", "records.lath", "records.jsonl"}
"""Files outside the directories."""


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
