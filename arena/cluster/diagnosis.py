"""The check of a cluster's machines for tournaments, worker by worker.

It uses the same handshake and preparation as a run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

from lath.arena.cluster import entry_point
from lath.arena.cluster.cluster import ALIKE
from lath.arena.cluster.entrance import Entrance, terms_of
from lath.arena.cluster.link import GUIDE, RemoteError, SchedulerLink, SeenWorker, security_of
from lath.arena.cluster.messages import Hello
from lath.arena.directory import CONFIG
from lath.arena.doctor.findings import DoctorFinding, Verdict
from lath.arena.errors import ArenaError
from lath.arena.machine import signals
from lath.arena.referee.memory import size
from lath.arena.tournament.configuration.config import Config, build, demo, load_own
from lath.arena.tournament.run.slots import PlaceLostError
from lath.notation.extras import EXTRAS

ROOM: Final = 1 << 30
"""The bytes that should be free for bots' files."""


@dataclass(slots=True)
class DiagnosedWorker:
    """The results of one worker's check."""

    seen: SeenWorker
    host: str = ""
    hello: Hello | None = None
    unlike: str = ""
    """The forbidden difference from this machine, if any."""

    refused: str = ""
    """The reason why no bot can be prepared there."""

    warnings: Sequence[str] = ()
    bots: dict[str, str] = field(default_factory=dict)
    """The reason why each bot cannot start there; empty if it can."""


def tournament_of(folder: Path) -> tuple[Config, list[str]]:
    """Return the tournament of a folder, or one of the bundled bots, and its private paths.

    Raises ConfigError.
    """
    own = folder if folder.is_file() else folder / CONFIG
    if own.is_file():
        return load_own(own), [str(folder.resolve())] if folder.is_dir() else [str(own.resolve())]
    return build(demo(), Path()), []


def findings(
    address: str, folder: Path, *, workers: int = 1, is_trial: bool = False
) -> Iterator[DoctorFinding]:
    """Yield the findings about a cluster's workers, with the bots of the tournament in `folder`.

    Waits a little for this number of `workers`; see `Cluster` for `is_trial`. Raises ConfigError,
    and ArenaError if no scheduler answers.
    """
    security = security_of(address)
    config, closed = tournament_of(folder)
    is_walled = security is not None and not is_trial
    terms, bundles = terms_of(config, closed, must_be_walled=is_walled)
    with signals.interruptible():
        link = SchedulerLink(address, security)
    try:
        entrance = Entrance(link, terms, bundles)
        with signals.interruptible():
            asked = link.do(_asked(link, entrance, config.names, workers))
            try:
                found = asked.result()
            except PlaceLostError as error:
                raise ArenaError(f"cluster {address}: {error}") from error
            yield from _said(address, found)
    finally:
        for place in link.workers:
            link.do(link.tell(place, entry_point.leave, entrance.digest)).exception(10.0)
        link.close()


async def _asked(
    link: SchedulerLink, entrance: Entrance, names: Sequence[str], workers: int
) -> list[DiagnosedWorker]:
    """Return the results of all workers, by host and address."""
    for _ in range(100):
        if len(link.workers) >= workers:
            break
        await asyncio.sleep(0.1)
    found = [DiagnosedWorker(seen) for seen in link.workers.values()]
    await asyncio.gather(*(_ask(entrance, worker, names) for worker in found))
    return sorted(found, key=lambda worker: (worker.host, worker.seen.address))


async def _ask(entrance: Entrance, worker: DiagnosedWorker, names: Sequence[str]) -> None:
    address = worker.seen.address
    try:
        hello = worker.hello = await entrance.hello(address)
        worker.host = await entrance.name(hello.node, worker.seen.ip)
        worker.unlike = entrance.unlike(hello)
        if worker.unlike:
            return
        entered = await entrance.enter(worker.seen, worker.host)
        worker.refused, worker.warnings = entered.refused, entered.warnings
        if worker.refused:
            return
        for name in names:
            said = await entrance.greet(address, name)
            worker.bots[name] = said.void or said.wrong
    except (ArenaError, BrokenExecutor, RemoteError) as error:
        worker.refused = f"{error}"


def _said(address: str, found: Sequence[DiagnosedWorker]) -> Iterator[DoctorFinding]:
    if not found:
        yield DoctorFinding(
            group=f"cluster {address}",
            name="workers",
            verdict="missing",
            found="none is there",
            remedy=f"start some: dask worker {address} ({GUIDE})",
        )
        return
    slots = sum(worker.seen.threads for worker in found)
    hosts = {worker.host for worker in found}
    yield DoctorFinding(
        group=f"cluster {address}",
        name="workers",
        found=f"{len(found)}, with {slots} games at a time; machines: {len(hosts)}",
        numbers={"workers": len(found), "slots": slots, "hosts": len(hosts)},
    )
    speeds = [worker.hello.speed for worker in found if worker.hello]
    usual = median(speeds) if speeds else 0.0
    for worker in found:
        yield from _of(worker, usual)


def _of(worker: DiagnosedWorker, usual: float) -> Iterator[DoctorFinding]:
    """Yield the findings about one worker."""
    group = f"{worker.host or '?'} {worker.seen.address}"

    def point(
        name: str, found: str, verdict: Verdict = "ok", remedy: str = "", **numbers: float
    ) -> DoctorFinding:
        return DoctorFinding(
            group=group, name=name, verdict=verdict, found=found, remedy=remedy, numbers=numbers
        )

    if (hello := worker.hello) is None:
        yield point("worker", worker.refused, "missing", f"{EXTRAS['dask'].install} there")
        return
    if worker.unlike:
        yield point("versions", worker.unlike, "missing", "install the same versions everywhere")
    else:
        words = ", ".join(f"{name} {version}" for name, version in hello.versions.items())
        yield point("versions", words)
    threads, cores = worker.seen.threads, hello.cores
    many = threads > cores
    yield point(
        "cores",
        f"{cores}, games at a time: {threads}, {hello.cpu}",
        "note" if many else "ok",
        f"--nthreads {cores}, or bots take time from each other" if many else "",
        cores=cores,
        threads=threads,
    )
    yield _speed(point("speed", ""), hello.speed, usual)
    yield point(
        "clock",
        f"resolution {hello.resolution_ns:g} ns, a reading takes {hello.reading_ns:.0f} ns",
        resolution_ns=hello.resolution_ns,
        reading_ns=hello.reading_ns,
    )
    yield point(
        "sandboxes",
        hello.no_bwrap or "bubblewrap is possible",
        "note" if hello.no_bwrap else "ok",
        "without it bots play there with --sandbox none alone" if hello.no_bwrap else "",
    )
    few = hello.free_bytes < ROOM
    yield point(
        "room",
        f"{size(hello.free_bytes)} free for what bots bring",
        "note" if few else "ok",
        "XDG_CACHE_HOME says where else" if few else "",
        free_bytes=hello.free_bytes,
    )
    if worker.refused:
        yield point("bots", worker.refused, "missing", GUIDE)
    yield from (point("bots", words, "note") for words in worker.warnings)
    for name, why in worker.bots.items():
        remedy = f"`hosts` of the bot says where it is ({GUIDE})" if why else ""
        yield point(f"bot {name}", why or "starts", "note" if why else "ok", remedy)


def _speed(point: DoctorFinding, speed: float, usual: float) -> DoctorFinding:
    """Return a finding about speed, compared with that of most machines."""
    part = speed / usual - 1 if usual else 0.0
    is_odd = abs(part) > ALIKE
    how = f"{abs(part):.0%} {'faster' if part > 0 else 'slower'} than" if is_odd else "as"
    return DoctorFinding(
        group=point.group,
        name=point.name,
        verdict="note" if is_odd else "ok",
        found=f"{speed:,.0f} steps a ms of a core, {how} most",
        remedy="--hosts-alike leaves it out; a limit by nodes makes it equal" if is_odd else "",
        numbers={"steps_a_ms": speed},
    )
