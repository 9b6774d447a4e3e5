"""`arena bot …`: list and check bots, and show or replay the games that bots broke off."""

from __future__ import annotations

import json
import math
import secrets
import shlex
import signal
import sys
from contextlib import ExitStack, nullcontext, redirect_stdout
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from lath import games
from lath.arena.cli import bot_pack
from lath.arena.cli.bot_pack import options_of, refuse_protocol
from lath.arena.cli.help import LINES, LIST, AboutCommand, Printed, Topic
from lath.arena.cli.main import (
    TIMES,
    App,
    AsJson,
    CommandGroup,
    GameFiles,
    OtherGames,
    Quiet,
    Sandbox,
    SideOption,
    add_games,
    argument,
    flag,
    option,
    print_done,
    print_json,
    seconds,
    whole,
)
from lath.arena.engine.debugging import debugged
from lath.arena.engine.engine import Engine
from lath.arena.entrants.bot_folders import started
from lath.arena.entrants.builds import ready
from lath.arena.entrants.compiling import SEARCHERS
from lath.arena.entrants.flag_text import time_of, words_of
from lath.arena.entrants.origins import sandbox_of
from lath.arena.entrants.programs import advice_on, bundled, missing_file, resolve
from lath.arena.errors import FAULT, INTERRUPTED, ArenaError, ConfigError
from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.referee.answers import Limit
from lath.arena.referee.bots import OURS, BotSpec
from lath.arena.referee.bridges import CONTESTS, PROTOCOLS, bot_of, refuse_options
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot
from lath.arena.referee.log import read_log
from lath.arena.referee.watch import Watch
from lath.arena.schedule.core import draw, read_options
from lath.arena.terminal.notices import print_note, print_warning
from lath.arena.terminal.streams import data_output
from lath.games.core import Side
from lath.games.errors import GameError
from lath.games.fast import has_compiled_form
from lath.notation.protocol import NewGame, read_new
from lath.notation.record.tags import FIRST_OPTIONS, SECOND_OPTIONS

if TYPE_CHECKING:
    from lath.arena.engine.rerun import Rerun, RerunResult
    from lath.arena.tournament.configuration.config import Config
    from lath.notation.record.record import Record

app = App()

_CHECKED_AT: Final = "2+0.02"
"""The time control of a check's games; for a contest's bot it is the contest's."""

group = App(
    name="bot",
    cls=CommandGroup,
    help="List, check, pack and debug bots.",
    about=AboutCommand("arena bot check greedy --game yavalath"),
    no_args_is_help=True,
)
app.add_typer(group)
group.add_typer(bot_pack.app)


@group.command("list", example="arena bot list -v", prints=(Printed("name command", LIST),))
def list_bots(
    as_json: AsJson = False,
    verbose: Annotated[
        bool,
        flag(
            "--verbose -v",
            "Also list the game types for which the bundled bots have compiled code.",
            Topic.OUTPUT,
        ),
    ] = False,
    game: OtherGames = None,
) -> None:
    """List the bots that you can enter by name.

    These are the bundled bots and those of installed packages.
    """
    add_games(game)
    if as_json:
        print_json([{"name": name, "command": list(words)} for name, words in bundled().items()])
        return
    for name, words in bundled().items():
        print(f"{name:16}{' '.join(words)}")
    if verbose:
        forms = {one.id: has_compiled_form(one) for one in games.installed()}
        without = [game_id for game_id, has_form in forms.items() if not has_form]
        print(
            f"\n{', '.join(SEARCHERS)} have a compiled form for these games, with the extra 'fast':"
        )
        print(f"  {', '.join(game_id for game_id in forms if game_id not in without)}")
        print("They play these games in Python alone, many times slower:")
        print(f"  {', '.join(without) or 'none'}")


@group.command(
    example="arena bot check --game yavalath -- python my-bots/mybot.py",
    statuses={0: "All checks pass", FAULT: "A check fails"},
    prints=(
        Printed("id chapter game asks verdict seen mend exchange stderr", LINES),
        Printed("game grade asked right", LIST, "With --puzzles"),
    ),
)
def check(
    command: Annotated[list[str], argument("CMD...", "Command of the bot, or a bundled bot.")],
    game: Annotated[
        list[str] | None,
        option(
            "--game",
            "GAME",
            "Game type to test, or its file. Repeatable.",
            Topic.MOST_USED,
            default="all that the bot plays",
        ),
    ] = None,
    tc: Annotated[
        str | None,
        option("--tc", "TIME", f"Time control: {TIMES}.", Topic.MOST_USED, default=_CHECKED_AT),
    ] = None,
    option_: Annotated[
        list[str] | None,
        option("--option", "NAME=VALUE", "Option of the bot. Repeatable.", Topic.MOST_USED),
    ] = None,
    protocol_: Annotated[
        str | None,
        option(
            "--protocol",
            "NAME",
            "Protocol of the bot.",
            Topic.MOST_USED,
            choices=PROTOCOLS,
            default=OURS,
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        option(
            "--only",
            "CHECK",
            "Name of a check to run, such as ping, as printed in the output. Repeatable.",
            Topic.MOST_USED,
            default="all",
        ),
    ] = None,
    puzzles: Annotated[
        bool,
        flag(
            "--puzzles",
            "Test the bot with puzzles instead of the checks. Default --tc: 'move 1'.",
            Topic.MOST_USED,
        ),
    ] = False,
    seconds: Annotated[
        float,
        option(
            "--seconds",
            "SECONDS",
            "Longest time for a move without a clock.",
            Topic.RESOURCES,
            **seconds(0.01),
        ),
    ] = 10.0,
    startup: Annotated[
        float,
        option(
            "--startup",
            "SECONDS",
            "Longest wait for `ok`, and for each `ready`.",
            Topic.RESOURCES,
            **seconds(0.01),
        ),
    ] = 10.0,
    seed: Annotated[int, option("--seed", "N", "Random seed.", Topic.GAMES, **whole(0))] = 1,
    cwd: Annotated[
        Path | None,
        option(
            "--cwd", "DIR", "Folder in which the bot runs.", Topic.GAMES, default="a scratch folder"
        ),
    ] = None,
    sandbox: Sandbox = None,
    as_json: Annotated[
        bool, flag("--json", "Print a JSON object per check.", Topic.OUTPUT)
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Check that a bot follows the protocol.

    For each failed check, the arena prints how to fix the bot.
    """
    from lath.arena.botcheck.check import Report, count_words  # start-up time
    from lath.arena.botcheck.check import check as points_of
    from lath.arena.botcheck.lab import Lab
    from lath.arena.terminal.tables import print_lines

    protocol = OURS if protocol_ is None else protocol_
    refuse_protocol(protocol)
    named = _spec(command, cwd, option_ or [])
    if why := refuse_options(named.name, protocol, named.options):
        raise ConfigError(why)
    wall, may_be = sandbox_of(sandbox), protocol_ is None
    spec = ready(replace(named, sandbox=wall, protocol=protocol, may_be_of_contest=may_be))
    tested = [games.get(games.named(text)).id for text in game or ()]
    if puzzles:
        try:
            limit = Limit.read(tc or "move 1")
        except ValueError as error:
            raise ConfigError(f"--tc: {error}") from error
        raise typer.Exit(_scored(spec, tested, limit, as_json=as_json))
    asked = None if tc is None else time_of(tc)
    usual = CONTESTS[protocol].tc if protocol in CONTESTS else _CHECKED_AT
    limits = Limits(time=asked or time_of(usual), startup_s=startup, hard_limit_s=seconds)
    lab = Lab(spec, tuple(dict.fromkeys(tested)), limits=limits, asked=asked, seed=seed)
    process_trees.adopt_orphans()  # this process starts no other children
    began_s = signals.awake_s()
    report, points = Report(), []
    with signals.heeded(raises=True):
        for point in points_of(lab, only or []):
            points.append(point)
            if quiet and not point.verdict.is_bad:
                continue
            if as_json:
                print(json.dumps(asdict(point), ensure_ascii=False), file=data_output(), flush=True)
            else:
                print_lines(report.add(point))
    if not as_json:
        print_lines(report.rest())
        if not quiet:
            print(count_words(points, signals.awake_s() - began_s))
    raise typer.Exit(int(any(point.verdict == "fault" for point in points)))


def _scored(spec: BotSpec, tested: list[str], limit: Limit, *, as_json: bool) -> int:
    """Print a bot's score on puzzles; return 1 if the bot answered none."""
    from lath.arena.engine.puzzle_book import all_built_in, built_in, read_puzzles  # start-up time
    from lath.arena.engine.puzzle_scoring import score
    from lath.arena.terminal.play import aligned

    files = [built_in(game) for game in tested] or all_built_in()
    with signals.heeded(raises=True), Engine.of(spec) as engine:
        chosen = [one for file in files if engine.plays(file.stem) for one in read_puzzles(file)]
        found = score(engine, chosen, limit)
    for line in found.failed[:3]:
        print(line, file=sys.stderr)
    if as_json:
        print_json(found.as_json())
    else:
        print(aligned(found.lines()), file=data_output())
    return int(bool(found.failed))


@group.command(
    example="arena bot log tournament",
    prints=(
        Printed("number game bot side opponent ply ending reason", LIST),
        Printed("number forfeit lines stderr", when="With N"),
    ),
)
def log(
    folder: Annotated[Path, argument("DIR", "Directory of the tournament.", exists=True)],
    game: Annotated[int | None, argument("N", "Number of a game.", **whole(1))] = None,
    file: GameFiles = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """List failed games, or print the log of one.

    With N, the arena prints each line of this game with its time and sender, and the end of the
    bots' standard error. Logs exist for games that ended with a failure, or for all games of `arena
    run --log all`.
    """
    from lath.arena.tournament.outcome.sources import (
        forfeits_in,
        record_and_log_of,
    )  # start-up time

    add_games(file)
    if game is None:
        lost = sorted(one for _, first in forfeits_in(folder, sys.maxsize) for one in first)
        if as_json:
            print_json([one._asdict() for one in lost])
        elif lost:
            from lath.arena.terminal.tables import print_forfeit_list  # start-up time

            print_forfeit_list(lost, shlex.quote(str(folder)))
        else:
            print("no game was lost by a crash, the time, an illegal move or a flood")
        return
    record, text = record_and_log_of(folder, game)
    if as_json:
        lines, stderr = read_log(text, (record.first, record.second))
        lost_by = record.forfeit._asdict() if record.forfeit else None
        print_json({"number": game, "forfeit": lost_by, "lines": lines, "stderr": stderr})
        return
    if not text:
        raise ArenaError(
            f"{folder}: no log of game {game} is kept, because it ended by {record.termination}",
            hint="arena run --log all keeps the logs of all games",
        )
    _print_game(game, record)
    print(f"\n{text}", end="")
    if record.forfeit and not quiet:
        command = f"arena bot replay {shlex.quote(str(folder))} {game}"
        print(f"replay this game: {command}", file=sys.stderr)


@group.command(
    example="arena bot replay tournament 1 --side first",
    statuses={0: "The bot plays the whole game", FAULT: "The bot fails again"},
    prints=(Printed("number game bot side is_wrong words"),),
)
def replay(
    source: Annotated[
        Path, argument("DIR", "Directory of the tournament, or a record file.", exists=True)
    ],
    game: Annotated[int, argument("N", "Number of the game.", **whole(1))],
    command: Annotated[
        list[str] | None,
        argument("CMD...", "Command such as a debugger, instead of the bot's own."),
    ] = None,
    side: Annotated[
        SideOption | None,
        option(
            "--side",
            "first|second",
            "Side of the bot to run.",
            Topic.GAMES,
            default="the bot that failed",
        ),
    ] = None,
    seconds: Annotated[
        float,
        option(
            "--seconds",
            "SECONDS",
            "Time limit per move, and for the start.",
            Topic.RESOURCES,
            default="unlimited",
            **seconds(0.01),
        ),
    ] = math.inf,
    since: Annotated[
        int, option("--from", "PLY", "First ply that the bot plays.", Topic.POSITION, **whole(1))
    ] = 1,
    pause: Annotated[
        bool,
        flag(
            "--pause",
            "Wait for Enter before the last ply, so that you can attach a debugger.",
            Topic.GAMES,
        ),
    ] = False,
    seed: Annotated[
        int | None,
        option(
            "--seed", "N", "Random seed of the bot if the record has none.", Topic.GAMES, **whole(0)
        ),
    ] = None,
    file: GameFiles = None,
    as_json: Annotated[
        bool,
        flag(
            "--json",
            "Print the result as a JSON object, and all other output on standard error.",
            Topic.OUTPUT,
        ),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Play a game again with the same bot.

    The bot receives the same lines as in the game. If it plays another move, the game continues
    with the recorded move. To use a debugger, type its command after --.
    """
    from lath.arena.engine.rerun import Rerun  # start-up time
    from lath.arena.tournament.outcome.directories import export_doubt
    from lath.arena.tournament.outcome.sources import game_in

    add_games(file)
    if words := export_doubt(source):
        print_warning(words)
    record, log_text = game_in(source, game)
    where = side or (record.forfeit and SideOption(record.forfeit.side))
    if not where:
        raise ConfigError(
            f"--side: needed, because no bot is at fault in game {game}",
            hint="--side first, or --side second",
        )
    spec, new = _as_then(source, record, log_text, Side[where.name], command, seed)
    spec = ready(spec, closed=[str(source.absolute())])
    under = debugged(spec.command) if command else None
    limits = Limits(time=new.time, startup_s=seconds, hard_limit_s=seconds)
    process_trees.adopt_orphans()  # this process starts no other children
    bot = bot_of(
        spec if under is None else replace(spec, command=under),
        Watch(),
        tree=f"replay-{secrets.token_hex(4)}.",
        forgives_hold_ups=True,
        at_terminal=True,
    )
    try:
        rerun = Rerun(record, new, bot, limits, partial(print, flush=True))
    except GameError as error:
        raise ArenaError(f"{source}: game {game}: {error}") from error
    how = "no time limit" if seconds == math.inf else f"{seconds:g} s for a move"
    how = "type run in its debugger" if under else how
    words = f"{spec.name} ({where}): {shlex.join(spec.command)}; seed {new.seed}; {how}"
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        if not quiet:
            _print_game(game, record)
            print(words, flush=True)
        found = _given_again(rerun, bot, limits, since, pauses=pause, is_debugged=under is not None)
    done = {
        "number": game,
        "game": record.game,
        "bot": spec.name,
        "side": str(where),
        "is_wrong": found.is_wrong,
        "words": found.words,
    }
    print_done(done, as_json=as_json)
    raise typer.Exit(int(found.is_wrong))


def _given_again(
    rerun: Rerun, bot: Bot, limits: Limits, since: int, *, pauses: bool, is_debugged: bool
) -> RerunResult:
    """Replay the game and print how it ended; waits for the user to end a debugger."""

    def wait() -> None:
        if pauses:
            print(f"attach a debugger to process {bot.child.pid}, then press Enter", flush=True)
            sys.stdin.readline()

    with signals.heeded(raises=True), ExitStack() as stack:
        stack.callback(bot.kill)
        if is_debugged:  # leave Ctrl-C to the debugger
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            bot.start(limits)
            found = rerun.play(since=since, before_last=wait)
        except KeyboardInterrupt:
            if bot.has_process:  # the same Ctrl-C may stop the bot, which then may say why
                bot.ends_by(signals.awake_s() + 0.5)
            print_note(f"interrupted; no answer at ply {rerun.ply}")
            raise typer.Exit(INTERRUPTED) from None
        print(found.words, flush=True)
        if is_debugged:
            if bot.is_running:
                print("end the debugger to continue", flush=True)
            bot.ask_to_leave()
            bot.leave(math.inf)
        elif not bot.is_thinking:
            bot.quit()
    return found


def _print_game(number: int, record: Record) -> None:
    """Print the players of a game and the ply at which a bot broke it off."""
    players = f"{record.first} (first) - {record.second} (second)"
    print(f"game {number}: {record.game}, {players}, {record.result}, {record.termination}")
    if record.forfeit:
        print(f"ply {record.forfeit.ply}: {record.story or record.termination}")


def _as_then(
    source: Path,
    record: Record,
    log_text: str,
    seat: Side,
    command: list[str] | None,
    seed: int | None,
) -> tuple[BotSpec, NewGame]:
    """Return a bot's command and the `new` line of its game; raises ConfigError.

    They come from the log of the game and the directory's configuration, as far as these exist.
    """
    from lath.arena.engine.rerun import new_game_of  # start-up time

    name = (record.first, record.second)[seat]
    config = _config_of(source)
    spec = next((bot for bot in config.bots if bot.name == name), None) if config else None
    if command:
        words = resolve(_words(command, Path.cwd(), "-- "), Path.cwd())
        home = Path(spec.cwd) if spec and spec.cwd else Path.cwd()
        spec = replace(
            spec or BotSpec(name=name, command=words),
            command=words,
            cwd=str(home),
            memory_bytes=None,
            sandbox="auto",
            build="",
            lacks=missing_file(words, home, in_scratch=False),
        )
    if spec is None:
        raise ConfigError(
            f"{source}: does not say how {name} is started",
            hint=f"arena bot replay {shlex.quote(str(source))} GAME -- COMMAND",
        )
    if own := read_options(record.tag((FIRST_OPTIONS, SECOND_OPTIONS)[seat])):  # of a tuning
        spec = replace(spec, options={**spec.options, **own})
    lines, _ = read_log(log_text, (record.first, record.second))
    heard = [one["line"] for one in lines if (one.get("bot"), one.get("by")) == (name, "arena")]
    told = [line for line in heard if line.startswith("new ")]
    if told:
        return spec, read_new(told[-1])
    if seed is None and config is not None and record.number:
        seed = draw(config.seed, seat.word, record.number)
    elif seed is None:
        said = record.tag("Seed")
        seed = int(said) if said.isascii() and said.isdigit() and len(said) <= 15 else 0
    return spec, new_game_of(record, seat, seed)


def _config_of(source: Path) -> Config | None:
    """Return the configuration of a directory; None if it is absent or invalid."""
    from lath.arena.directory import CONFIG  # start-up time
    from lath.arena.tournament.configuration.config import load
    from lath.arena.tournament.outcome.notes import played_in

    if not (source / CONFIG).is_file():
        return None
    try:
        return load(source / CONFIG, Path(), played=played_in(source))
    except ConfigError as error:  # a bot's file may be missing; another command can replace the bot
        print_warning(str(error))
        return None


def _typed(command: list[str], folder: Path) -> tuple[str, ...]:
    return words_of(command[0] if len(command) == 1 else shlex.join(command), folder)


def _words(command: list[str], folder: Path, write: str) -> tuple[str, ...]:
    """Return the words that start a command; raises ConfigError, whose hint begins with `write`."""
    words = _typed(command, folder)
    if words[0] in bundled():
        return words
    if (found := started(words, folder, "CMD", write)) is not None:
        return found
    if advice := advice_on(words, folder):
        raise ConfigError(
            f"CMD: {advice.why}", hint=advice.hint(f"{write}{shlex.join(advice.words)}")
        )
    return words


def _spec(command: list[str], cwd: Path | None, options: list[str]) -> BotSpec:
    """Return the description of the bot to start; raises ConfigError."""
    if cwd is not None and not cwd.is_dir():
        raise ConfigError(f"--cwd: {str(cwd)!r} is not a folder")
    home = (cwd or Path()).resolve()
    words = _words(command, home, "arena bot check -- ")
    return BotSpec(
        name=Path(_typed(command, home)[0]).name,
        command=resolve(words, home),
        cwd=None if cwd is None else str(home),
        lacks=missing_file(words, home, in_scratch=cwd is None),
        options=options_of(options),
    )
