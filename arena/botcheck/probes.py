"""What a check asks of a bot: start, manners, games, time, its end.

Must not know which probes there are.

`HELLO` runs in one process, in this order; what comes after depends on its greeting.

`HEARD` tells of what was said in all sessions, so it comes after the games.

Must not know how time is tested: all games here have the time of the terms.

All in one game: what a bot does with its time does not depend on the rules.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lath import games
from lath.arena.botcheck.points import (
    FaultFoundError,
    Finding,
    Verdict,
    duration,
    fault,
    note,
    ok,
    untested,
    warning,
)
from lath.arena.botcheck.session import (
    FLUSH,
    Bout,
    Count,
    Lab,
    Session,
    bounds_of,
    is_word,
    odd_options,
)
from lath.arena.referee.clock import MARGIN_S
from lath.arena.referee.conversation import QUIT_S
from lath.games.core import SEATS, Game, Move, Position, Seat
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record import Termination


@dataclass(frozen=True, slots=True)
class Probe:
    """One point of the protocol, tested once."""

    id: str
    asks: str
    """What a bot has to do, as a sentence without its subject."""

    run: Callable[[Lab], Finding]
    """May raise FaultFoundError."""

    at_worst: Verdict = Verdict.FAULT
    """What it costs when the bot breaks off the session."""


@dataclass(frozen=True, slots=True)
class GameProbe:
    """One point of the protocol, tested in each game."""

    id: str
    asks: str
    run: Callable[[Lab, Game], Finding | None]
    """May raise FaultFoundError; returns None where the game has nothing of the kind."""

    at_worst: Verdict = Verdict.FAULT


OPTION_MEMORY: Final = 4 << 30
"""Bytes for a bot whose options are at their edges: its largest table must not stop the machine."""

VALUES_TRIED: Final = 40


def starts(lab: Lab) -> Finding:
    """Start the bot."""
    lab.open()
    return ok("process started")


def says_ok(lab: Lab) -> Finding:
    """Greet it and wait for `ok`."""
    lab.greet()
    after_s = lab.greeting.after_s
    seen = f"after {duration(after_s)}"
    if after_s > lab.terms.startup_s / 2:
        return warning(
            f"{seen}, of {duration(lab.terms.startup_s)}",
            "say `ok` first and load what takes long before `ready`, which has a limit of its own",
        )
    return ok(seen)


def has_no_banner(lab: Lab) -> Finding:
    """Look for lines that mean nothing before `ok`."""
    banner = lab.greeting.banner
    if not banner:
        return ok("nothing else")
    return note(f"{len(banner)} other lines, which are ignored, such as {banner[0][:60]!r}")


def has_a_name(lab: Lab) -> Finding:
    """Look for `id name`."""
    if name := lab.greeting.name:
        return ok(name)
    return warning("it has no name", "say `id name NAME` before `ok`")


def names_games(lab: Lab) -> Finding:
    """Look for `game` and compare with what is installed."""
    named, known = lab.greeting.games, games.ids()
    if not named:
        return fault("no `game` line", f"say `game ID …` before `ok`; there are {', '.join(known)}")
    unasked = [game for game in lab.terms.games if game not in named]
    if unasked:
        return fault(
            f"it does not name {', '.join(unasked)}, only {', '.join(named)}",
            f"say `game {' '.join(unasked)}` too, or check other games",
        )
    unknown = [game for game in named if game not in known]
    mend = f"name games that are installed here: {', '.join(known)}"
    if len(unknown) == len(named):
        return fault(f"it plays only {', '.join(unknown)}, which are not installed", mend)
    if unknown:
        return warning(f"{', '.join(unknown)} are not installed", mend)
    return ok(", ".join(named))


def names_options(lab: Lab) -> Finding:
    """Look whether the lines of `option` can be read and make sense."""
    greeting = lab.greeting
    wrong = greeting.bad_options + odd_options(greeting.options)
    if wrong:
        return warning(
            "; ".join(wrong)[:300],
            "write `option name N type T default V`, for `spin` with `min` and `max`, for `combo` "
            "with `var` for each choice",
        )
    return ok(", ".join(option.name for option in greeting.options) or "it has none")


def wants_what_there_is(lab: Lab) -> Finding:
    """Look whether it wants what the arena can send."""
    wants = lab.greeting.wants
    unknown = [what for what in wants if what not in wire.WANTS]
    if unknown:
        return warning(
            f"it wants {', '.join(unknown)}, which it will not get",
            f"`want` takes {' and '.join(wire.WANTS)}",
        )
    return ok(", ".join(wants) or "it wants nothing")


def is_ready(lab: Lab) -> Finding:
    """Begin games; the first is not finished, as when the other bot did not start."""
    session = lab.session()  # one for all: a bot that has left after the first game is at fault
    slowest_s = max(ready_s(lab, session, seat) for seat in SEATS)
    lab.has_been_ready = True
    return ok(f"after {duration(slowest_s)}, also when the game before was not finished")


def ready_s(lab: Lab, session: Session, side: Seat) -> float:
    """Return how long the bot takes to be ready for a game; raises FaultFoundError."""
    game = games.get(games_of(lab)[0])
    new = wire.NewGame(
        number=lab.next_number(),
        game=game.id,
        side=side.word,
        time=TimeControl(move_ms=1000),
        seed=lab.terms.seed,
        setup=game.draw_setup(lab.terms.seed),
    )
    session.say(new.line())
    lab.drain()
    wanted = f"ready {new.number}"
    heard = session.hear(is_word(*wanted.split()), lab.terms.startup_s, f"`{wanted}`")
    return heard.after_s


def games_of(lab: Lab) -> tuple[str, ...]:
    """Return the games to play: those the user asked for, else those the bot names."""
    named = [game for game in lab.greeting.games if game in games.ids()]
    return lab.terms.games or tuple(dict.fromkeys(named))


def takes_defaults(lab: Lab) -> Finding:
    """Set each option to its default, and hold the user's options against what the bot has."""
    options = {option.name: option for option in lab.greeting.options}
    for name, value in lab.spec.options.items():
        option = options.get(name)
        if option is None:
            known = ", ".join(options) or "it has none"
            return fault(f"no option {name!r} ({known})", "set options that the bot names")
        if expected := option.wrong_with(value):
            return fault(f"option {name} = {value!r}", f"give {expected}")
    session = lab.session()
    plain = [o for o in options.values() if o.default is not None and o.type != "button"]
    for option in plain:
        if option.name not in lab.spec.options:
            session.say(wire.setoption_line(option.name, option.default))
    if not plain:
        return ok("nothing to set")
    ready_s(lab, session, Seat.FIRST)
    return ok(f"{len(plain)} set, then `ready`")


def takes_edges(lab: Lab) -> Finding:
    """Set each option to its lowest, its highest and each of its values, in a process apart."""
    options = lab.greeting.options
    tried = [(option.name, value) for option in options for value in bounds_of(option)]
    if not tried:
        return ok("nothing to set")
    lab.open(memory_bytes=OPTION_MEMORY)
    lab.greet()
    session = lab.session()
    for name, value in tried[:VALUES_TRIED]:
        session.say(wire.setoption_line(name, value))
        ready_s(lab, session, Seat.FIRST)
    lab.drop()
    return ok(f"{min(len(tried), VALUES_TRIED)} values set, then `ready`")


HELLO: Final = (
    Probe("starts", "can be started", starts),
    Probe("hello", "answers `arena 1` with `ok`", says_ok),
    Probe("banner", "says nothing else before `ok`", has_no_banner),
    Probe("name", "says who it is: `id name …`", has_a_name),
    Probe("games", "says which games it plays: `game …`", names_games),
    Probe("options", "names its options so that they can be set", names_options),
    Probe("wants", "wants what there is: `legal`, `position`", wants_what_there_is),
)

READY: Final = (
    Probe("ready", "answers `new ID …` with `ready ID`", is_ready),
    Probe("setoption", "takes its options' defaults", takes_defaults),
    Probe("option-edges", "takes the edges of its options", takes_edges, Verdict.WARNING),
)


UNKNOWN: Final = ("weather fine", "go*", "pingpong 3", "x" * 1000)

PING_S: Final = 0.5

BLANKS_S: Final = 2.0

GAMES: Final = 4

SHORT: Final = 2
"""Turns of the bot in each of several games."""


def ignores_unknown_lines(lab: Lab, game: Game) -> Finding:
    """Say what no version of the protocol says, before a game and in it."""
    lab.session().say(*UNKNOWN)
    bout = Bout(lab, game, Seat.FIRST, setup=game.draw_setup(lab.terms.seed))
    while bout.turns < SHORT and not bout.is_over:
        if bout.is_bots_turn:
            lab.session().say(*UNKNOWN)
            bout.ask()
        else:
            bout.reply()
    bout.finish()
    return ok(f"played on after {' and '.join(map(repr, UNKNOWN[:2]))}")


def bears_blanks(lab: Lab, game: Game) -> Finding:
    """Write CRLF, blanks at both ends and two between words, and empty lines."""
    try:
        _widely(lab, game)
    except FaultFoundError as error:
        return warning(
            error.seen,
            "take a line apart at any number of blanks, CR among them, and pass over empty lines; "
            "the arena writes none of these, but people who test a bot by hand do",
        )
    return ok("read a game's first lines all the same")


def _widely(lab: Lab, game: Game) -> None:
    """Begin a game in lines with more blanks; raises FaultFoundError."""
    session = lab.session()
    number = lab.next_number()
    start = game.start()
    time = TimeControl(move_ms=1000)
    new = wire.NewGame(
        number=number, game=game.id, side=Seat.FIRST.word, time=time, seed=lab.terms.seed
    )
    session.say("", _wide(new.line()), "  ", end="\r\n")
    within_s = min(BLANKS_S, lab.terms.startup_s)
    session.hear(is_word("ready", str(number)), within_s, f"`ready {number}`")
    wanted = [wire.position_line(start.text()), wire.legal_line(start.legal_moves())]
    lines = [line for line in wanted if line.split()[0] in lab.greeting.wants]
    session.say("", *map(_wide, [*lines, wire.go_line(1, time, 0, 0)]), end="\r\n")
    session.hear(lambda words: words[:2] == ["bestmove", "1"], BLANKS_S, "`bestmove 1 MOVE`")
    session.say(wire.result_line(number, "1/2-1/2", "adjudication"))
    lab.drain()


def _wide(line: str) -> str:
    return f" {line.replace(' ', '  ')} "


def answers_pings(lab: Lab, game: Game) -> Finding:
    """Ping between two games."""
    bout = Bout(lab, game, Seat.FIRST, setup=game.draw_setup(lab.terms.seed))
    bout.play_on(seconds=2.0, turns=1)
    bout.finish()
    session = lab.session()
    session.say("ping 4711")
    try:
        heard = session.hear(is_word("pong", "4711"), PING_S, "`pong 4711`")
    except FaultFoundError as error:
        return warning(error.seen, f"answer `ping K` with `pong K` between games; {FLUSH}")
    return ok(f"after {duration(heard.after_s)}")


def plays_several_games(lab: Lab, game: Game) -> Finding:
    """Play short games one after the other."""
    pid = lab.session().pid
    for index in range(GAMES):
        bout = Bout(lab, game, SEATS[index % 2], setup=game.draw_setup(index), seed=index)
        bout.play_on(seconds=2.0, turns=SHORT)
        bout.finish()
        lab.session().pause(0.05)
        if lab.session().pid != pid:
            return fault(
                "it ends after a game",
                "wait for the next `new` after `result`: a process plays many games, until `quit`",
            )
    return ok(f"{GAMES} games in one process")


BESIDE: Final = (
    GameProbe("unknown-lines", "ignores lines that it does not know", ignores_unknown_lines),
    GameProbe("blanks", "reads lines with CRLF and more blanks", bears_blanks, Verdict.WARNING),
    GameProbe("ping", "answers `ping K` with `pong K` between games", answers_pings),
    GameProbe("many-games", "plays one game after the other", plays_several_games),
)


def says_nothing_else(lab: Lab) -> Finding:
    """Tell of lines that answered nothing."""
    return _counted(
        lab.tally.strays,
        "nothing else",
        "write to standard output only what the protocol knows, one `bestmove` for each `go`, "
        "and all else to standard error or as `info text …`",
    )


def comments_well(lab: Lab) -> Finding:
    """Tell of comments that make no sense."""
    told = lab.tally.infos
    return _counted(
        lab.tally.bad_infos,
        f"{told} lines" if told else "it tells nothing",
        "`info` takes `depth N`, `eval X` from -1 (lost) to 1 (won), `nodes N`, then `pv MOVE …` "
        "from the position it thinks about, or `text …`",
    )


def writes_moves_plainly(lab: Lab) -> Finding:
    """Tell of legal moves that were written in another way."""
    mend = "write moves as docs/rules.md does"
    return _counted(lab.tally.odd_moves, "all moves", mend)


def _counted(count: Count, fine: str, mend: str) -> Finding:
    return warning(count.words(), mend) if count.number else ok(fine)


def complains(lab: Lab) -> Finding:
    """Tell of what the bot itself said was wrong."""
    complaints = lab.tally.complaints
    return note(complaints.words()) if complaints.number else ok("no `error`")


HEARD: Final = (
    Probe("stray-lines", "says nothing that answers nothing", says_nothing_else),
    Probe("info", "comments in the protocol's words: `info …`", comments_well),
    Probe("move-text", "writes moves in their one canonical way", writes_moves_plainly),
    Probe("errors", "reports no errors of its own", complains),
)


GAME_S: Final = 4.0
"""For a whole game; one that takes longer is broken off, as by adjudication."""


BOOK: Final = 4
"""Plies of the book for both sides."""

SWAP: Final = Move("swap")


def plays_first(lab: Lab, game: Game) -> Finding:
    """Play a whole game in which the bot is first."""
    return _whole(lab, game, Seat.FIRST)


def plays_second(lab: Lab, game: Game) -> Finding:
    """Play a whole game in which the bot is second."""
    return _whole(lab, game, Seat.SECOND)


def _whole(lab: Lab, game: Game, side: Seat) -> Finding:
    bout = Bout(lab, game, side, setup=game.draw_setup(lab.terms.seed))
    bout.play_on(seconds=GAME_S)
    bout.finish()
    if bout.resigned and bout.turns == 1:
        return warning(
            bout.words(), "does it know this game and its own turn? It resigned before it played"
        )
    return note(bout.words()) if bout.resigned else ok(bout.words())


def knows_setups(lab: Lab, game: Game) -> Finding | None:
    """Begin with another setup, and with none where the game can: its plainest start."""
    if not game.has_setups:
        return None
    setups = (game.draw_setup(lab.terms.seed + 1), None)
    for setup in setups:
        _short(Bout(lab, game, Seat.FIRST, setup=setup))
    return ok(f"began with the setup {setups[0]} and without any")


def knows_positions(lab: Lab, game: Game) -> Finding:
    """Begin in the middle of a game: with the bot to move, and with the other to move."""
    for plies, is_bots_turn in ((4, True), (5, False), (5, True)):
        position = _in_a_game(game, plies, lab.terms.seed)
        side = position.to_move if is_bots_turn else position.to_move.other
        _short(Bout(lab, game, side, position=position.text()))
    return ok("began in three positions, on its turn and on the other's")


def _in_a_game(game: Game, plies: int, seed: int) -> Position:
    """Return a position that chance has reached; before the end of the game."""
    chance = random.Random(f"{game.id} {seed}")
    start = position = game.start(game.draw_setup(seed))
    for _ in range(plies):
        position = position.play(chance.choice(position.legal_moves()))
        if position.is_over:
            return start
    return position


def _short(bout: Bout, turns: int = SHORT) -> None:
    bout.play_on(seconds=GAME_S, turns=turns)
    bout.finish()


def follows_a_book(lab: Lab, game: Game) -> Finding:
    """Play several plies for both sides before the first `go`."""
    for side, plies in ((Seat.FIRST, BOOK), (Seat.SECOND, BOOK + 1)):
        bout = Bout(lab, game, side, setup=game.draw_setup(lab.terms.seed))
        for _ in range(plies):
            if not bout.is_over:
                bout.reply()
        _short(bout)
    return ok(f"went on after {BOOK} and {BOOK + 1} plies that others played for it")


def answers_an_offer(lab: Lab, game: Game) -> Finding | None:
    """Let the bot choose whether it swaps, in several games."""
    swapped = 0
    for index in range(3):
        bout = Bout(lab, game, Seat.SECOND, setup=game.draw_setup(index), seed=index)
        bout.reply()
        if SWAP not in bout.position.legal_moves():
            bout.finish()
            return None
        swapped += bout.ask() == SWAP
        _short(bout, SHORT + 1)
    return ok(f"swapped in {swapped} of 3 games, and played on")


def bears_a_swap(lab: Lab, game: Game) -> Finding | None:
    """Swap against the bot."""
    bout = Bout(lab, game, Seat.FIRST, setup=game.draw_setup(lab.terms.seed))
    bout.ask()
    can_swap = not bout.is_over and SWAP in bout.position.legal_moves()
    if can_swap:
        bout.tell(SWAP)
        _short(bout, SHORT + 1)
    else:
        bout.finish()
    return ok("played on after `play 2 swap`") if can_swap else None


EACH_GAME: Final = (
    GameProbe("first", "plays a whole game as first", plays_first),
    GameProbe("second", "plays a whole game as second", plays_second),
    GameProbe("setup", "begins with any setup", knows_setups),
    GameProbe("position", "begins in any position", knows_positions),
    GameProbe("book", "plays on after a book's moves for both sides", follows_a_book),
    GameProbe("swap-offered", "decides whether to swap", answers_an_offer),
    GameProbe("swap-suffered", "plays on when the other swaps", bears_a_swap),
)


MOVE: Final = TimeControl(move_ms=100)
NODES: Final = TimeControl(nodes=50)
SUDDEN_DEATH: Final = TimeControl(initial_ms=1000)
LONG: Final = TimeControl(move_ms=1000)
"""Long enough to be interrupted."""

LITTLE_MS: Final = 50

STOP_S: Final = 0.3
"""How soon a bot that listens while it thinks answers `stop`."""

IDLE_S: Final = 0.3
BUSY_S: Final = 0.1
"""Time of a processor in IDLE_S that is more than tidying up."""

TURNS: Final = 5


def keeps_move_time(lab: Lab, game: Game) -> Finding:
    """Give a fixed time for each move, in both seats."""
    slowest_s = max(_slowest_s(lab, game, side, MOVE, 1.5) for side in SEATS)
    return ok(f"slowest move {duration(slowest_s)} of {duration(MOVE.move_ms / 1000)}")


def _slowest_s(lab: Lab, game: Game, side: Seat, time: TimeControl, seconds: float) -> float:
    """Return the bot's longest move of a game that ends after `seconds`, if not before."""
    bout = Bout(lab, game, side, time=time, setup=game.draw_setup(lab.terms.seed))
    bout.play_on(seconds=seconds)
    bout.finish()
    return bout.slowest_s


def plays_by_nodes(lab: Lab, game: Game) -> Finding:
    """Give nodes for each move."""
    slowest_s = max(_slowest_s(lab, game, side, NODES, 1.0) for side in SEATS)
    return ok(f"slowest move {duration(slowest_s)}")


def plays_without_limit(lab: Lab, game: Game) -> Finding:
    """Give no limit at all."""
    bout = Bout(lab, game, Seat.FIRST, time=TimeControl(), setup=game.draw_setup(lab.terms.seed))
    bout.play_on(seconds=1.5)
    bout.finish()
    return ok(bout.words())


def bears_sudden_death(lab: Lab, game: Game) -> Finding:
    """Give a clock to which nothing is added."""
    slowest_s = _slowest_s(lab, game, Seat.SECOND, SUDDEN_DEATH, 2.0)
    return ok(f"slowest move {duration(slowest_s)} of {duration(SUDDEN_DEATH.initial_ms / 1000)}")


def answers_in_a_hurry(lab: Lab, game: Game) -> Finding:
    """Show the bot a clock that is nearly empty."""
    bout = Bout(lab, game, Seat.FIRST, time=TimeControl(initial_ms=2000))
    worst_s = 0.0
    while bout.turns < TURNS and not bout.is_over:
        if bout.is_bots_turn:
            bout.ask(left_ms=LITTLE_MS)
            worst_s = max(worst_s, bout.last_s)
        else:
            bout.reply()
    bout.finish()
    seen = f"slowest move {duration(worst_s)} with {LITTLE_MS} ms left"
    if worst_s > LITTLE_MS / 1000 + MARGIN_S:
        return warning(seen, "keep some time in reserve, and answer at once when little is left")
    return ok(seen)


def _interrupted(lab: Lab, game: Game) -> tuple[Bout, str]:
    """Return a game in which the bot has just begun to think, and the `go` that it heard."""
    bout = Bout(lab, game, Seat.FIRST, time=LONG, setup=game.draw_setup(lab.terms.seed))
    go = bout.send_go()
    lab.session().pause(0.05)
    return bout, go


def stops(lab: Lab, game: Game) -> Finding:
    """Say `stop` while it thinks."""
    bout, go = _interrupted(lab, game)
    session = lab.session()
    if any(line.split()[:2] == bout.answer for line in session.unheard):
        bout.forgive()
        bout.finish()
        return ok("it answers before it can be stopped")
    session.say(wire.STOP)
    limit_s = LONG.move_ms / 1000 + MARGIN_S + 1.0
    after_s = bout.hear(go, limit_s).after_s
    bout.finish()
    if after_s <= STOP_S:
        return ok(f"answered {duration(after_s)} after `stop`")
    return warning(
        f"answered {duration(after_s)} after `stop`",
        "read lines while you think and answer `stop` at once; a bot that thinks in one piece "
        "may leave it so, games just end later",
    )


def bears_a_sudden_end(lab: Lab, game: Game) -> Finding:
    """End a game while it thinks, as when the other bot has gone, and begin the next at once."""
    bout, go = _interrupted(lab, game)
    bout.forgive()
    bout.end("1-0", Termination.CRASH, wire.STOP)
    try:
        after = Bout(lab, game, Seat.FIRST, time=LONG, forgiving=bout.answer)
    except FaultFoundError as error:
        raise FaultFoundError(
            f"{error.seen}, after `{go}`, `stop` and `result`",
            "a game can end while you think: go on reading, and answer the next `new`",
            is_costly=error.is_costly,
            stderr=error.stderr,
        ) from error
    after.ask()
    after.finish()
    return ok("ready for the next game, and playing it")


def repeats_itself(lab: Lab, game: Game) -> Finding:
    """Play the same game in two processes."""
    played = []
    for _ in range(2):
        lab.drop()
        bout = Bout(lab, game, Seat.FIRST, time=NODES, setup=game.draw_setup(lab.terms.seed))
        moves: list[str] = []
        while len(moves) < TURNS and not bout.is_over:
            if bout.is_bots_turn:
                moves.append(bout.ask())
            else:
                bout.reply()
        bout.finish()
        played.append(moves)
    if played[0] == played[1]:
        return ok(f"the same {len(played[0])} moves twice")
    return note(
        f"{' '.join(played[0])}, then {' '.join(played[1])}",
        "take all chance from the seed of `new`, if games shall be repeatable",
    )


def rests(lab: Lab, game: Game) -> Finding:
    """Measure how much it computes while the other thinks."""
    if sys.platform != "linux":
        return untested("only Linux tells how much a process computes")
    bout = Bout(lab, game, Seat.FIRST, setup=game.draw_setup(lab.terms.seed))
    bout.ask()
    if bout.is_over:
        bout.finish()
        return untested("the game was over after its first move")
    session = lab.session()
    session.pause(0.05)
    before_s = _computed_s(session.pid)
    session.pause(IDLE_S)
    busy_s = _computed_s(session.pid) - before_s
    bout.finish()
    if busy_s <= BUSY_S:
        return ok(f"computed {duration(busy_s)} of {duration(IDLE_S)}")
    return warning(
        f"computed {duration(busy_s)} in {duration(IDLE_S)} of the other's turn",
        "wait for input without computing: thinking on the other's turn takes its processor, and "
        "waiting is for a read that blocks",
    )


def _computed_s(session: int) -> float:
    """Return the processor time of all processes of a session, in seconds."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


TIMES: Final = (
    GameProbe("move-time", "keeps a fixed time for each move: `tc move MS`", keeps_move_time),
    GameProbe("nodes", "plays with `tc nodes N`", plays_by_nodes),
    GameProbe("no-limit", "plays with `tc none`", plays_without_limit),
    GameProbe("no-increment", "keeps a clock without increment", bears_sudden_death),
    GameProbe(
        "little-time",
        f"answers in time with {LITTLE_MS} ms left",
        answers_in_a_hurry,
        Verdict.WARNING,
    ),
    GameProbe("stop", "answers soon after `stop`", stops, Verdict.WARNING),
    GameProbe("sudden-end", "bears a `result` while it thinks", bears_a_sudden_end),
    GameProbe("seed", "plays the same with the same seed and nodes", repeats_itself),
    GameProbe("rest", "does not compute on the other's turn", rests, Verdict.WARNING),
)


CLEAN: Final = "exited with status 0"

TIDY_S: Final = 0.2
"""For what a bot has started to end after it."""


def quits(lab: Lab) -> Finding:
    """Say `quit`."""
    lab.session().say(wire.QUIT)
    return _ending(lab, "`quit`", "end on `quit`; until then the arena waits, then it kills")


def leaves_with_its_parent(lab: Lab) -> Finding:
    """Close its input, as happens when the arena is killed."""
    lab.drop()
    lab.session().close_input()
    return _ending(lab, "its input has ended", "end where reading a line finds the end of the file")


def _ending(lab: Lab, event: str, mend: str) -> Finding:
    """Return what to think of how the bot ends now."""
    ended = lab.session_as_it_is().ends_within(QUIT_S)
    if ended is None:
        return warning(f"runs on {duration(QUIT_S)} after {event}", mend)
    return ok(ended) if ended == CLEAN else note(ended, f"exit with status 0 after {event}")


def leaves_nothing(lab: Lab) -> Finding:
    """Look for processes of the bot that outlive it, after it was made ready for a game."""
    lab.drop()
    session = lab.session()
    if lab.has_been_ready:
        ready_s(lab, session, Seat.FIRST)
    session.say(wire.QUIT)
    if session.ends_within(QUIT_S) is None:
        return untested("it does not end by itself")
    session.pause(TIDY_S)
    left = session.sweep()
    if left:
        ran = "1 process still ran" if left == 1 else f"{left} processes still ran"
        return warning(
            f"{ran} {duration(TIDY_S)} after it",
            "end what you start; the arena kills what is left",
        )
    return ok("no process is left")


ENDINGS: Final = (
    Probe("quit", f"ends on `quit` within {QUIT_S:g} s", quits),
    Probe("end-of-input", "ends when its input does", leaves_with_its_parent),
    Probe("leaves-nothing", "leaves no process behind", leaves_nothing),
)
