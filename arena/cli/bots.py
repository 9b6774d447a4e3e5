"""`arena bot …`: which bots there are, how one keeps the protocol, what one said."""

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
from lath.arena.cli.main import (
    App,
    AsJson,
    CommandGroup,
    DoneAsJson,
    GameFiles,
    Quiet,
    Sandbox,
    SideOption,
    add_games,
    argument,
    flag,
    option,
    print_done,
    print_json,
    refuse_json_beside,
    seconds,
    whole,
)
from lath.arena.cli.outputs import PACKED, Force, Target
from lath.arena.engine.debugging import debugged
from lath.arena.engine.engine import Engine
from lath.arena.entrants.builds import ready
from lath.arena.entrants.compiling import SEARCHERS
from lath.arena.entrants.flag_text import time_of, words_of
from lath.arena.entrants.origins import sandbox_of
from lath.arena.entrants.programs import advice_on, bundled, missing_file, resolve
from lath.arena.errors import INTERRUPTED, ArenaError, ConfigError
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
"""Time of a check's games; of a contest's bots it is the contest's."""

group = App(
    name="bot",
    cls=CommandGroup,
    help="List the bots; check, pack or replay one, read what it said.\n\n"
    "Example: arena bot check -- node mybot.js",
    no_args_is_help=True,
)
app.add_typer(group)


@group.command("list")
def list_bots(
    as_json: AsJson = False,
    verbose: Annotated[
        bool, flag("--verbose -v", "Tell which games have a compiled form.")
    ] = False,
    game: Annotated[
        list[str] | None, option("--game", "FILE", "Another game type to include.")
    ] = None,
) -> None:
    """List the bots that can be entered by their name alone.

    Example: arena bot list -v
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


@group.command()
def check(
    command: Annotated[
        list[str], argument("CMD...", "The bot's command, or a bundled bot's name.")
    ],
    game: Annotated[
        list[str] | None,
        option("--game", "GAME", "A game or file to test; else all it plays."),
    ] = None,
    option_: Annotated[
        list[str] | None, option("--option", "NAME=VALUE", "An option to set.")
    ] = None,
    tc: Annotated[
        str | None,
        option("--tc", "TIME", "Time control: 10+0.1, 'move 0.5' ... Default: 2+0.02."),
    ] = None,
    protocol_: Annotated[
        str | None,
        option("--protocol", "NAME", "Protocol: lath, codingame or botzone. Default: lath."),
    ] = None,
    seconds: Annotated[
        float, option("--seconds", "SECONDS", "For a move that nothing limits.", **seconds(0.01))
    ] = 10.0,
    startup: Annotated[
        float, option("--startup", "SECONDS", "For `ok` and each `ready`.", **seconds(0.01))
    ] = 10.0,
    seed: Annotated[int, option("--seed", "N", "For all chance.", **whole(0))] = 1,
    sandbox: Sandbox = None,
    only: Annotated[
        list[str] | None, option("--only", "POINT", "A point to test, such as ping; else all.")
    ] = None,
    puzzles: Annotated[
        bool, flag("--puzzles", "Score it on the project's puzzles instead, `move 1` each.")
    ] = False,
    cwd: Annotated[Path | None, option("--cwd", "DIR", "Where the bot runs.")] = None,
    as_json: Annotated[bool, flag("--json", "Print each point as an object on a line.")] = False,
    quiet: Quiet = False,
) -> None:
    """Check that a bot follows the protocol, and show how to fix it.

    Exit status 0 if all checks pass, 1 otherwise.
    https://lath-arena.github.io/lath-arena/how-to/check-a-bot/ explains each point.

    Example: arena bot check --game yavalath -- node mybot.js
    """
    from lath.arena.botcheck.check import Report, count_words  # start-up time
    from lath.arena.botcheck.check import check as points_of
    from lath.arena.botcheck.lab import Lab
    from lath.arena.terminal.tables import print_lines

    protocol = OURS if protocol_ is None else protocol_
    _refuse_protocol(protocol)
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
    process_trees.adopt_orphans()  # this process starts nothing but the bot
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
    """Print how a bot does at puzzles; return 1 where it did not answer at all."""
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


@group.command()
def pack(
    bot: Annotated[str, argument("BOT", "A file in Python, or a bundled bot's name.")],
    out: Annotated[
        Path | None, option("--output -o", "FILE", "Where it is written; else it is printed.")
    ] = None,
    protocol: Annotated[
        str, option("--protocol", "NAME", "Protocol: lath, codingame or botzone.")
    ] = OURS,
    game: Annotated[
        list[str] | None, option("--game", "GAME", "Game type. Default: all built-in ones.")
    ] = None,
    tc: Annotated[
        str | None,
        option("--tc", "TIME", "Time where the contest does not say it: 'move 0.1 first 1' ..."),
    ] = None,
    seed: Annotated[int, option("--seed", "N", "The same of its chance.", **whole(0))] = 1,
    option_: Annotated[
        list[str] | None, option("--option", "NAME=VALUE", "An option to set, in a contest.")
    ] = None,
    force: Force = False,
    as_json: DoneAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Bundle a Python bot and its lath dependencies into one file.

    It is under 100,000 characters and runs under `python -I`. The bot is not run.

    Example: arena bot pack mybot.py -o one.py --protocol codingame
    """
    from lath.arena.entrants import packing  # start-up time

    refuse_json_beside(out or Path("-"), as_json=as_json)
    _refuse_protocol(protocol)
    options = _options(option_ or [])
    if protocol == OURS and (options or tc):
        raise ConfigError(
            "--tc and --option: need --protocol with a contest; the arena sets both itself"
        )
    time = time_of(tc or (CONTESTS[protocol].tc if protocol in CONTESTS else "none"))
    if time.has_clock:
        raise ConfigError(f"--tc: {tc!r} is not a time per move, such as 'move 0.5', or nodes")
    text = packing.pack(
        bot, plays=game or (), protocol=protocol, tc=str(time), seed=seed, options=options
    )
    if out is None:
        print(text, end="", file=data_output())
        return
    if out.exists() and Path(bot).exists() and out.samefile(bot):
        raise ConfigError(f"--output: {str(out)!r} is the bot itself; name another file")
    Target(path=out, kind=PACKED, inputs=[Path(bot)], force=force).write([text.encode()])
    done = {"written": [str(out)], "characters": len(text)}
    print_done(done, f"{out}: {len(text)} characters", as_json=as_json, quiet=quiet)


@group.command()
def log(
    folder: Annotated[Path, argument("DIR", "The tournament's directory.", exists=True)],
    game: Annotated[int | None, argument("N", "A game's number.", **whole(1))] = None,
    file: GameFiles = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """List the games that went wrong, or print what was said in one.

    For one game, print each line with its sender and time, and the end of the bots' standard error.
    The arena keeps logs of games that ended badly, or of all games with `arena run --log all`.

    Example: arena bot log tournament 17
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


@group.command()
def replay(
    source: Annotated[
        Path, argument("DIR", "The tournament's directory, or a record file.", exists=True)
    ],
    game: Annotated[int, argument("N", "The game's number.", **whole(1))],
    command: Annotated[
        list[str] | None,
        argument("CMD...", "Command to start instead of the bot's own, such as a debugger."),
    ] = None,
    side: Annotated[
        SideOption | None,
        option("--side", "first|second", "Which bot; else who broke the game off."),
    ] = None,
    seconds: Annotated[
        float,
        option(
            "--seconds",
            "SECONDS",
            "For a move; else as long as it likes.",
            **seconds(0.01),
            show_default=False,
        ),
    ] = math.inf,
    since: Annotated[
        int, option("--from", "PLY", "Ask from this ply on; it hears of the others.", **whole(1))
    ] = 1,
    pause: Annotated[
        bool, flag("--pause", "Wait for Enter before the last ply: to attach a debugger.")
    ] = False,
    seed: Annotated[
        int | None, option("--seed", "N", "Where nothing tells it.", **whole(0))
    ] = None,
    file: GameFiles = None,
    as_json: Annotated[
        bool, flag("--json", "Print what it came to as a JSON object, all else on standard error.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Give a bot the same game again, under its own debugger if you like.

    It hears what it heard then, in its own time. If it answers with another move, the game follows
    the record. Its standard error is the terminal's. Exit status 1 when it breaks the game off, 0
    when it does not.

    Example: arena bot replay tournament 17 -- gdb --args ./mybot --threads 1
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
    process_trees.adopt_orphans()  # this process starts nothing but the bot
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
    """Play the game and say how it ended; a debugger ends when who sits there ends it."""

    def wait() -> None:
        if pauses:
            print(f"attach a debugger to process {bot.child.pid}, then press Enter", flush=True)
            sys.stdin.readline()

    with signals.heeded(raises=True), ExitStack() as stack:
        stack.callback(bot.kill)
        if is_debugged:  # Ctrl-C is the debugger's
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            bot.start(limits)
            found = rerun.play(since=since, before_last=wait)
        except KeyboardInterrupt:
            if bot.has_process:  # where the same Ctrl-C ends it, it may say why
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
    """Print which game it is, and how a bot broke it off."""
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
    """Return how the bot in a seat is started, and what it was told of a game; raises ConfigError.

    By the log of the game and the directory's configuration, as far as there are such.
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
    """Return the configuration of a directory; None where there is none that can be read."""
    from lath.arena.directory import CONFIG  # start-up time
    from lath.arena.tournament.configuration.config import load
    from lath.arena.tournament.outcome.notes import played_in

    if not (source / CONFIG).is_file():
        return None
    try:
        return load(source / CONFIG, Path(), played=played_in(source))
    except ConfigError as error:  # a bot's file may be gone; another command may do without
        print_warning(str(error))
        return None


def _words(command: list[str], folder: Path, write: str) -> tuple[str, ...]:
    """Return the words that a command has; raises ConfigError with what to `write` for a file."""
    words = words_of(command[0] if len(command) == 1 else shlex.join(command), folder)
    if advice := None if words[0] in bundled() else advice_on(words, folder):
        raise ConfigError(
            f"CMD: {advice.why}", hint=advice.hint(f"{write}{shlex.join(advice.words)}")
        )
    return words


def _spec(command: list[str], cwd: Path | None, options: list[str]) -> BotSpec:
    """Return how the bot is started; raises ConfigError."""
    if cwd is not None and not cwd.is_dir():
        raise ConfigError(f"--cwd: {str(cwd)!r} is not a folder")
    home = (cwd or Path()).resolve()
    words = _words(command, home, "arena bot check -- ")
    return BotSpec(
        name=Path(words[0]).name,
        command=resolve(words, home),
        cwd=None if cwd is None else str(home),
        lacks=missing_file(words, home, in_scratch=cwd is None),
        options=_options(options),
    )


def _options(options: list[str]) -> dict[str, str]:
    """Return what `--option` says; raises ConfigError."""
    settings = [text.partition("=") for text in options]
    for text, (name, equals, _) in zip(options, settings, strict=True):
        if not (name and equals):
            raise ConfigError(f"--option: {text!r} is not NAME=VALUE")
    return {name: value for name, _, value in settings}


def _refuse_protocol(protocol: str) -> None:
    """Raise ConfigError for a protocol that there is not."""
    if protocol not in PROTOCOLS:
        raise ConfigError(f"--protocol: {protocol!r} is not one of {', '.join(PROTOCOLS)}")
