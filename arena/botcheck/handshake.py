"""Before the first game: start, greeting, options, `ready`.

`HELLO` runs in one process, in this order; what comes after depends on its greeting.
"""

from __future__ import annotations

from typing import Final

from lath import games
from lath.arena.botcheck.greeting import bounds_of, odd_options
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import Finding, Verdict, duration, fault, note, ok, warning
from lath.arena.botcheck.probe import Probe
from lath.arena.botcheck.session import Session, is_word
from lath.games.core import SEATS, Seat
from lath.notation import wire
from lath.notation.timecontrol import TimeControl

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
