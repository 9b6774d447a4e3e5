"""Makes `0.1.0.tar.xz`: directories as 0.1.0 has left them, finished, stopped and killed.

    python make.py /mnt/.venv/bin/arena /mnt/cups 0.1.0.tar.xz

The first is the program of a checkout of 0.1.0 (the parent of the commit "house: the folders are
imported as lath.games, lath.notation, ..."), installed where its path says nothing of a machine.
Beside each directory that was not finished lies what 0.1.0 itself has made of it later: the records
of the whole tournament. `records.lath` and `records.jsonl` are what it has made of records with
every tag.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
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
"""A bot that plays any legal move, by its seed alone; MISHAP is what it does at each turn first."""

SLOW: Final = Path("/mnt/slow")
"""While this file is there, bots take their time, so that signals come in the middle."""

LEAVES: Final = Path("/mnt/leaves")
"""While this file is there, a bot ends as soon as it is started."""

BOOK: Final = """[Game "yavalath"]

1. e5 2. swap 3. d4 4. f6 *

[Game "yavalath"]

1. c3 2. g7 *

[Game "yavalath"]
[Position "5/6/7/8/9/8/7/6/5 w"]

1. e5 *
"""


COMMAND: Final = """['sh', '-c', 'eval "$BOT"']"""
"""A longer argument was refused."""


ENDINGS: Final = {
    "1. a1 2. e1 3. b1 4. e2 5. c1 0-1": ("rules",),
    "1. a1! {a [%emt 0.5] [%clk 9.5] [%eval -0.25] [%depth 5] [%nodes 8120] [%pv e1 b1]} (1. b1?! "
    "{b} 2. c1 (2. d1)) 2. e1 1-0": (
        *("resignation", "time", "illegal move", "crash", "flood", "adjudication"),
    ),
    "{The first words.} 1. a1 2. swap 1/2-1/2": ("agreement", "ply limit"),
    "1. a1 *": ("void", "unterminated"),
}
"""By moves and result."""

STARTS: Final = {
    "yavalath": ("", '[Position "5/6/7/8/9/8/7/6/5 w"]'),
    "mammalath": ('[Setup "FABCDE/EFABCD/DEFABC/CDEFAB/BCDEFA/ABCDEF"]',),
    "surikata": ('[Position "5/5/2m2/5/5 - w"]',),
}


def records() -> str:
    """Return records with every tag that has a meaning, and others."""
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
    """A tournament, and how its first run ended."""

    settings: str
    bots: tuple[str, ...]
    ends: signal.Signals | None = None
    after: int = 0
    """How many games had ended when the signal came."""


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


def main(arena: str, base: Path, archive: Path) -> None:
    """Play all of them and pack what they leave."""
    shutil.rmtree(base, ignore_errors=True)
    for name, cup in CUPS.items():
        folder = base / name
        folder.mkdir(parents=True)
        (base / "book.lath").write_text(BOOK)
        time_control = "" if "[time]" in cup.settings else '[time]\ninitial = "10s"\n'
        (base / f"{name}.toml").write_text(f"{cup.settings}{time_control}{''.join(cup.bots)}")
        play(arena, base, name, cup)
        if cup.ends is not None:
            shutil.copytree(folder, base / "later", dirs_exist_ok=True)
            words = [arena, "run", "--out", "later", "-q"]
            subprocess.run(words, cwd=base, check=name != "mishaps")
            shutil.copy(base / "later/games.lath", folder / "later.lath")
            shutil.rmtree(base / "later")
        for path in folder.glob("report*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        (folder / "tournament.db-shm").unlink(missing_ok=True)
    words = [arena, "format", "-"]
    canonical = subprocess.run(words, input=records(), encoding="utf-8", check=True, stdout=-1)
    (base / "records.lath").write_text(canonical.stdout)
    subprocess.run([arena, "convert", "records.lath", "records.jsonl"], cwd=base, check=True)
    subprocess.run([arena, "check", "records.lath"], cwd=base, check=True)
    pack(base, archive)


def play(arena: str, base: Path, name: str, cup: Cup) -> None:
    """Run a tournament to where its signal comes, if one does."""
    SLOW.touch()
    events = base / f"{name}.jsonl"
    words = [arena, "run", f"{name}.toml", "--out", name, "-q", "--json-events-to", str(events)]
    with subprocess.Popen(words, cwd=base, start_new_session=True) as run:
        while run.poll() is None:
            text = events.read_text() if events.exists() else ""
            if name == "walkovers" and '"game", ' in text:
                LEAVES.touch()
            if cup.ends and '"started"' in text and text.count('"game", ') >= cup.after:
                if cup.ends == signal.SIGKILL:
                    os.killpg(run.pid, cup.ends)
                else:
                    run.send_signal(cup.ends)
                break
            time.sleep(0.001)
    SLOW.unlink()
    LEAVES.unlink(missing_ok=True)


def pack(base: Path, archive: Path) -> None:
    """Write an archive that says nothing of when and by whom it was made."""
    with tarfile.open(archive, "w:xz", preset=9) as tar:
        paths = [path for name in CUPS for path in (base / name).rglob("*") if path.is_file()]
        singles = [base / name for name in ("book.lath", "records.lath", "records.jsonl")]
        for path in sorted([*singles, *paths]):
            entry = tarfile.TarInfo(path.relative_to(base).as_posix())
            data = path.read_bytes()
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
