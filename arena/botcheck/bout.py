"""One game of a bot against chance, told line by line and judged by the rules and the clock.

Must not know what a game is played for: who plays it says how far and with which time.
"""

from __future__ import annotations

import random
import time
from typing import Final

from lath.arena.botcheck.allowance import Allowance
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import FaultFoundError, SilenceError, duration
from lath.arena.botcheck.session import FLUSH, Heard, Words, is_word
from lath.games.core import Game, GameError, Move, Seat, read_move
from lath.notation import wire
from lath.notation.record import Termination
from lath.notation.timecontrol import TimeControl

_GRACE_S: Final = 0.5
"""How much longer than allowed an answer is waited for, to tell how late it is."""


class Bout:
    """A game between the bot and a player that picks its moves by chance."""

    def __init__(
        self,
        lab: Lab,
        game: Game,
        side: Seat,
        *,
        time: TimeControl | None = None,
        setup: str | None = None,
        position: str | None = None,
        seed: int | None = None,
        forgiving: Words | None = None,
    ) -> None:
        """Tell the bot of a new game and wait until it is ready; raises FaultFoundError.

        Lines that begin with the words `forgiving` may still come late from the game before.
        """
        self.side: Final = side
        self.time: Final = lab.terms.time if time is None else time
        self.number: Final = lab.next_number()
        self.position = game.start(setup) if position is None else game.position(position)
        self.ply = 1
        """The number of the ply to come."""
        self.turns = 0
        self.resigned = False
        self.last_s = 0.0
        """How long the bot's last answer took."""
        self.slowest_s = 0.0
        self._lab: Final = lab
        self._session: Final = lab.session()
        self._seed: Final = lab.terms.seed if seed is None else seed
        self._chance: Final = random.Random(f"{game.id} {side} {self._seed}")
        self._allowance: Final = Allowance(self.time, side, lab.terms.move_s)
        self._news: Final[list[str]] = []
        self._begin(game.id, setup, position)
        lab.drain(forgiving)

    def _begin(self, game_id: str, setup: str | None, position: str | None) -> None:
        new = wire.NewGame(
            number=self.number,
            game=game_id,
            side=self.side.word,
            time=self.time,
            seed=self._seed,
            setup=setup,
            position=position,
        )
        self._session.say(new.line())
        ready = is_word("ready", str(self.number))
        self._session.hear(ready, self._lab.terms.startup_s, f"`ready {self.number}`")

    @property
    def is_over(self) -> bool:
        """Return whether nobody moves any more."""
        return self.resigned or self.position.is_over

    @property
    def is_bots_turn(self) -> bool:
        """Return whether the bot decides next."""
        return self.position.to_move is self.side

    @property
    def answer(self) -> Words:
        """Return how an answer to `go` begins at this ply."""
        return ["bestmove", str(self.ply)]

    def tell(self, move: Move) -> None:
        """Play a ply that the bot hears of before its next `go`: the other's, or a book's."""
        self._news.append(wire.play_line(self.ply, move))
        self._apply(move)

    def reply(self) -> None:
        """Play a move by chance."""
        self.tell(self._chance.choice(self.position.legal_moves()))

    def ask(self, *, left_ms: int | None = None) -> str:
        """Return the bot's move, or `resign`; `left_ms` in place of what its clock shows.

        Raises FaultFoundError: it ends, is silent, too late, or the move is none or not legal.
        """
        go = self.send_go(left_ms=left_ms)
        allowed_s = self._allowance.allowed_s
        heard = self.hear(go, allowed_s + _GRACE_S if self._allowance.has_limit else allowed_s)
        self._judge_time(go, heard.after_s)
        return self._judge_move(go, " ".join(heard.words[2:]))

    def send_go(self, *, left_ms: int | None = None) -> str:
        """Ask the bot for a move, in one write with the news; return the line of `go`."""
        lines = [*self._news]
        self._news.clear()
        if "position" in self._lab.greeting.wants:
            lines.append(wire.position_line(self.position.text()))
        if "legal" in self._lab.greeting.wants:
            lines.append(wire.legal_line(self.position.legal_moves()))
        go = self._allowance.go_line(self.ply, left_ms)
        self._session.say(*lines, go)
        self._lab.drain()
        return go

    def hear(self, go: str, within_s: float) -> Heard:
        """Return the answer to `go`; raises FaultFoundError."""
        wanted = self.answer
        what = f"`{' '.join(wanted)} MOVE` to `{go}`"
        try:
            return self._session.hear(lambda words: words[:2] == wanted, within_s, what)
        except SilenceError as error:
            raise self._explained(error) from error
        finally:
            self._lab.tally.hear(self._session.unheard, self.position)
            self._session.unheard.clear()

    def _explained(self, error: SilenceError) -> SilenceError:
        """Return the silence with what the bot said in place of an answer, if it said anything."""
        said = [line for line in self._session.unheard if line.split()[:1] == ["bestmove"]]
        if said:
            seen = f"{error.seen}, but {said[-1][:60]!r}"
            mend = "answer `go N …` with the same number: `bestmove N MOVE`"
        else:
            seen, mend = error.seen, f"answer `go N …` with `bestmove N MOVE`; {FLUSH}"
        return SilenceError(seen, mend)

    def forgive(self) -> None:
        """Count no answer to the last `go` that has come already."""
        self._lab.drain(self.answer)

    def _judge_time(self, go: str, used_s: float) -> None:
        self.last_s = used_s
        self.slowest_s = max(self.slowest_s, used_s)
        if used_s > self._allowance.allowed_s:
            had_s = self._allowance.told_s
            raise FaultFoundError(
                f"took {duration(used_s)} for `{go}`, it had {duration(had_s)}",
                "measure the time from `go` and answer before it is up; times are milliseconds",
            )
        self._allowance.charge(used_s)

    def _judge_move(self, go: str, text: str) -> str:
        self.turns += 1
        if text == wire.RESIGN:
            self.resigned = True
            return text
        if not text:
            raise FaultFoundError(
                f"no move after the number (`{go}`)",
                "write `bestmove N MOVE` on one line; N ends at a blank or with the line of `go`",
            )
        try:
            move = read_move(self.position, text)
        except GameError as error:
            raise FaultFoundError(f"{error} (`{go}`)"[:300], self._how_to_be_legal()) from error
        if move != text:
            self._lab.tally.odd_moves.add(f"{text} for {move}")
        self._apply(move)
        return move

    def _how_to_be_legal(self) -> str:
        if "legal" in self._lab.greeting.wants:
            return "answer with a move of the last `legal` line, as it is written there"
        return (
            "begin at the start that `new` tells, play every `play` and your own `bestmove` on "
            "it, write moves as docs/rules.md does; or say `want legal` before `ok`"
        )

    def _apply(self, move: Move) -> None:
        self.position = self.position.play(move)
        self.ply += 1

    def play_on(self, *, seconds: float, turns: int = 10_000) -> None:
        """Play until the game is over, the bot has had its turns, or the time is up."""
        until_s = time.monotonic() + seconds
        while not self.is_over and self.turns < turns and time.monotonic() < until_s:
            if self.is_bots_turn:
                self.ask()
            else:
                self.reply()

    def finish(self) -> None:
        """Tell the bot of the result: by the rules, of a resignation, else of an adjudication."""
        outcome = self.position.outcome()
        if self.resigned:
            self.end(("0-1", "1-0")[self.side], Termination.RESIGNATION)
        elif outcome is not None:
            self.end(outcome.result, Termination.RULES)
        else:
            self.end("1/2-1/2", Termination.ADJUDICATION)

    def end(self, result: str, why: Termination, *before: str) -> None:
        """Tell the bot of this result, after the lines `before`."""
        self._session.say(*before, wire.result_line(self.number, result, why))

    def words(self) -> str:
        """Return how far the game went and how long the bot took."""
        how = f"{self.ply - 1} plies, slowest move {duration(self.slowest_s)}"
        if self.resigned:
            return f"resigned at ply {self.ply}; {how}"
        outcome = self.position.outcome()
        if outcome is None:
            return f"{how}, then broken off"
        won = "drew" if outcome.winner is None else ("lost", "won")[outcome.winner is self.side]
        return f"{won} by {outcome.ending}; {how}"
