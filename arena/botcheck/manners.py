"""Between and beside the moves: unknown lines, blanks, `ping`, several games, a game cut short.

`HEARD` tells of what was said in all sessions, so it comes after the games.
"""

from __future__ import annotations

from typing import Final

from lath.arena.botcheck.bout import Bout
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import (
    FaultFoundError,
    Finding,
    Verdict,
    duration,
    fault,
    note,
    ok,
    warning,
)
from lath.arena.botcheck.probe import GameProbe, Probe
from lath.arena.botcheck.session import FLUSH, is_word
from lath.arena.botcheck.tally import Count
from lath.games.core import SEATS, Game, Seat
from lath.notation import wire
from lath.notation.timecontrol import TimeControl

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
