"""Rulings of an organiser: void games, disqualified bots, and reinstatements.

A ruling is a note; it does not change the stored games.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from lath.arena.errors import ConfigError
from lath.arena.schedule.core import Ruled
from lath.arena.tournament.store.database import OUTCOME_STATE, RULINGS
from lath.arena.tournament.store.store import Store
from lath.reports.notes.notes import Ruling, from_notes


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The rulings that a command asks for."""

    void: tuple[int, ...] = ()
    """Numbers of games to make void."""

    disqualify: tuple[str, ...] = ()
    """Names of bots to disqualify, as in records."""

    reinstate: tuple[str, ...] = ()
    """Numbers and names whose ruling is lifted."""

    reason: str = ""

    def __bool__(self) -> bool:
        """Return whether any ruling is asked for."""
        return bool(self.void or self.disqualify or self.reinstate)

    def check(self) -> None:
        """Raise ConfigError for a ruling without a reason, or a reason without a ruling."""
        if self and not self.reason.strip():
            raise ConfigError("--reason: missing; a ruling needs a reason")
        if self.reason and not self:
            raise ConfigError("--reason: needs --void, --disqualify or --reinstate")


def rulings_of(store: Store) -> tuple[Ruling, ...]:
    """Return all rulings in their order; raises StoreError and ValueError."""
    return from_notes(store.note(RULINGS) or (), Ruling)


def in_force(rulings: Sequence[Ruling]) -> Ruled:
    """Return the games that are void and the bots that are disqualified now."""
    today = [one for one in rulings if not one.lifted]
    return Ruled(
        frozenset(one.game for one in today if one.game),
        frozenset(one.bot for one in today if one.bot),
    )


def given(store: Store, orders: Orders) -> tuple[list[Ruling], list[Ruling]]:
    """Return the new and lifted rulings, then all rulings; raises ConfigError and StoreError."""
    rulings = list(rulings_of(store))
    now = dt.datetime.now().astimezone().isoformat(timespec="seconds")
    lifted = []
    for subject in dict.fromkeys(orders.reinstate):
        one = _reinstated(rulings, subject)
        lifted.append(replace(one, lifted=now, lifted_reason=orders.reason))
        rulings[rulings.index(one)] = lifted[-1]
    new = list(_new(store, orders, now, in_force(rulings)))
    return [*lifted, *new], [*rulings, *new]


def keep(store: Store, rulings: Sequence[Ruling]) -> None:
    """Store all rulings and mark `outcome.json` as outdated; raises StoreError."""
    store.keep_notes({RULINGS: [asdict(one) for one in rulings], OUTCOME_STATE: False})


def _reinstated(rulings: Sequence[Ruling], subject: str) -> Ruling:
    """Return the ruling in force on a bot's name or a game's number; raises ConfigError."""
    for one in rulings:
        if not one.lifted and subject == (one.bot or str(one.game)):
            return one
    raise ConfigError(f"--reinstate: no ruling on {subject!r} is in force")


def _new(store: Store, orders: Orders, now: str, known: Ruled) -> Iterator[Ruling]:
    """Yield new rulings; raises ConfigError for an unknown subject or one ruled on already."""
    names = {name for one in store.tally() for name in (one.first, one.second)}
    numbers = {game.number for game in store.results()} if orders.void else set()
    for game in dict.fromkeys(orders.void):
        if game in known.games or game not in numbers:
            why = "is void already" if game in known.games else "does not exist"
            raise ConfigError(f"--void: game {game} {why}")
        yield Ruling(kind="void", game=game, reason=orders.reason, date=now)
    for bot in dict.fromkeys(orders.disqualify):
        if bot in known.bots or bot not in names:
            why = f"has not played; the bots are {', '.join(sorted(names))}"
            why = "is disqualified already" if bot in known.bots else why
            raise ConfigError(f"--disqualify: {bot!r} {why}")
        yield Ruling(kind="disqualified", bot=bot, reason=orders.reason, date=now)
