"""The preparation of a cluster's worker: it reports its versions and receives the bots."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from lath import games
from lath.arena.cluster import entry_point
from lath.arena.cluster.bundles import BotBundle
from lath.arena.cluster.link import SHORT_S, RemoteError, SchedulerLink, SeenWorker
from lath.arena.cluster.messages import (
    BotSaid,
    Entered,
    GameFile,
    GreetingOf,
    Hello,
    RunTerms,
    WorkerEntry,
    read,
    write,
)
from lath.arena.cluster.preparation import travelling
from lath.arena.errors import ConfigError
from lath.arena.tournament.configuration.config import Config
from lath.games.core import version_of
from lath.games.files import file_of

NAMING_S: Final = 15.0
"""The time that naming a machine waits for the answers of others, in seconds."""

SENDING_S: Final = 600.0
"""The time limit for sending a piece of a bundle, and for unpacking, in seconds."""


def terms_of(
    config: Config, closed: Sequence[str], *, must_be_walled: bool
) -> tuple[RunTerms, Mapping[str, BotBundle]]:
    """Return a run's terms for all machines, and the bots' files by digest; raises ConfigError.

    `closed` are files and folders of the tournament, which are not sent. Bots without a sandbox of
    their own get one; with `must_be_walled`, they do not play on machines where that is not
    possible.
    """
    bots, bundles = travelling(config.bots, closed, keys=entry_point.secrets_here())
    terms = RunTerms(
        tree=f"{secrets.token_hex(12)}.",
        bots=bots,
        games=config.games,
        game_files=tuple(_game_files(config.games)),
        limits=config.limits,
        adjudication=config.adjudication,
        keeps_logs=config.log == "all",
        pins=config.pin == "auto",
        wall="bwrap",
        must_be_walled=must_be_walled,
    )
    return terms, bundles


def _game_files(game_ids: Iterable[str]) -> Iterator[GameFile]:
    found = {file.origin: file.source for file in filter(None, map(file_of, game_ids))}
    for origin, source in found.items():
        try:
            yield GameFile(
                name=origin.name,
                sha256=origin.sha256,
                source=source.text.decode(),  # the digest includes the line ends
                modules={name: text.decode() for name, text in source.texts.items()},
            )
        except UnicodeDecodeError as error:
            raise ConfigError(f"{origin.path}: cannot be sent: {error}") from error


class Entrance:
    """The preparation of workers.

    Its coroutines are for `SchedulerLink.do`, and raise the errors of `SchedulerLink.call`.
    """

    def __init__(
        self, link: SchedulerLink, terms: RunTerms, bundles: Mapping[str, BotBundle]
    ) -> None:
        """Prepare with the files of the bots of `terms`, by their digests."""
        self.digest: Final = hashlib.sha256(write(terms).encode()).hexdigest()
        """The digest of the terms, by which jobs name them."""
        self._link: Final = link
        self._terms: Final = terms
        self._bundles: Final = bundles
        self._names: Final[dict[tuple[str, str], str]] = {}
        """The names of machines, by their own name and address."""
        self._asked: Final[set[str]] = set()
        """The workers that have been asked for their versions."""
        self._all_said: Final = asyncio.Event()
        self._nameless: Final[set[tuple[str, str]]] = set()
        self._locks: Final[dict[str, asyncio.Lock]] = {}
        self._firsts: Final[dict[str, int]] = {}
        """The number of games that others play before each worker on its machine."""

    async def hello(self, address: str) -> Hello:
        """Return a worker's description of itself."""
        self._asked.add(address)
        self._all_said.clear()
        try:
            return read(Hello, await self._link.call(address, entry_point.hello, "", priority=10))
        finally:
            self._asked.discard(address)
            if not self._asked:
                self._all_said.set()

    def unlike(self, hello: Hello) -> str:
        """Return a description of a difference that is not allowed.

        Empty if the machines match.
        """
        ours, theirs = entry_point.versions(), hello.versions
        for name, version in ours.items():
            if theirs.get(name) != version:
                return f"its {name} is {theirs.get(name, 'unknown')}, expected {version}, as here"
        for game_id in self._terms.games:
            base = game_id.partition(":")[0]
            if games.origin(game_id) is not None:
                continue
            if (here := games.rules_origin(base)) is None:
                rules, found = version_of(games.get(game_id)), hello.games.get(base)
                what, expected = f"has the rules {found} there", f"the rules {rules}"
            else:
                rules, found = here.tag, _package_of(base, hello)
                what, expected = f"is from {found} there", rules
            if found != rules:
                what = what if found else "is not installed there"
                return f"the game {base} {what}, expected {expected}, as here"
        return ""

    async def name(self, node: str, ip: str) -> str:
        """Return a unique name for a machine, its own name if possible.

        If machines share a name, the lowest address gets it unchanged.
        """
        self._nameless.add((node, ip))
        with suppress(TimeoutError):
            await asyncio.wait_for(self._all_said.wait(), NAMING_S)
        for one, where in sorted(self._nameless):
            is_new = all(known != one for known, _ in self._names)
            self._names.setdefault((one, where), one if is_new else f"{one}-{where}")
        self._nameless.clear()
        return self._names[node, ip]

    async def enter(self, seen: SeenWorker, host: str) -> Entered:
        """Have a worker prepare the bots, and send it the missing files.

        Workers of one machine take turns, because they share the files.
        """
        async with self._locks.setdefault(host, asyncio.Lock()):
            entered = await self._enter(seen, host)
            for digest in entered.missing:
                if digest not in self._bundles:
                    return Entered(refused=f"it asks for {digest[:12]}, which no bot brings")
                if refused := await self._send(seen.address, self._bundles[digest]):
                    return Entered(refused=refused)
            if entered.missing:
                entered = await self._enter(seen, host)
        return Entered(refused="it does not keep the files of bots") if entered.missing else entered

    async def _enter(self, seen: SeenWorker, host: str) -> Entered:
        first, slots = self._share(seen)
        entry = WorkerEntry(
            terms=self._terms, digest=self.digest, host=host, first=first, slots=slots
        )
        within_s = entry_point.PREPARE_S + SHORT_S
        answer = await self._link.call(
            seen.address, entry_point.enter, write(entry), within_s=within_s, priority=10
        )
        return read(Entered, answer)

    def _share(self, seen: SeenWorker) -> tuple[int, int]:
        """Return the first of a worker's slots on its machine, and the number of all slots there.

        A worker keeps its slots until it leaves.
        """
        there = self._link.workers
        for address in [one for one in self._firsts if one not in there]:
            del self._firsts[address]
        alike = {each.address: each for each in there.values() if each.ip == seen.ip}
        taken = [
            range(self._firsts[one], self._firsts[one] + each.threads)
            for one, each in alike.items()
            if one in self._firsts and one != seen.address
        ]
        first = self._firsts.get(seen.address, 0)
        for other in sorted(taken, key=lambda place: place.start):
            if first < other.stop and other.start < first + seen.threads:
                first = other.stop
        self._firsts[seen.address] = first
        return first, max(first + seen.threads, sum(each.threads for each in alike.values()))

    async def _send(self, address: str, bundle: BotBundle) -> str:
        """Send the files of a bot; return an error message, or an empty string."""
        chunks: Iterator[bytes] = bundle.chunks()
        sender, number = secrets.token_hex(8), 0
        while True:
            chunk = await asyncio.to_thread(next, chunks, b"")
            answer = await self._link.call(
                address,
                entry_point.take,
                bundle.digest,
                sender,
                number,
                chunk,
                within_s=SENDING_S,
                priority=10,
            )
            if refused := read(Entered, answer).refused:
                return refused
            if not chunk:
                return ""
            number += 1

    async def greet(self, address: str, bot: str) -> BotSaid:
        """Return the handshake of a bot, started once by a prepared worker.

        Raises PlaceLostError.
        """
        text = write(GreetingOf(terms=self.digest, bot=bot))
        own = (each.spec.startup_s for each in self._terms.bots if each.spec.name == bot)
        startup_s = next(own, None) or self._terms.limits.startup_s
        call = self._link.call(
            address, entry_point.greet, text, within_s=2 * startup_s + SHORT_S, priority=10
        )
        try:
            return read(BotSaid, await call)
        except RemoteError as error:
            return BotSaid(void=str(error), bot=bot)


def _package_of(game_id: str, hello: Hello) -> str | None:
    """Return the tag of the distribution that brings a game on another machine, or None."""
    packs = [name for name in hello.packages if name.endswith("-") and game_id.startswith(name)]
    return next(filter(None, map(hello.packages.get, (game_id, *packs))), None)
