"""`arena serve`: the local site."""

from __future__ import annotations

import atexit
import json
import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    App,
    GameFiles,
    Quiet,
    add_games,
    argument,
    flag,
    option,
    print_done,
    whole,
)
from lath.arena.cli.outputs import append_record
from lath.arena.entrants.builds import ready
from lath.arena.entrants.flags import bot_flag
from lath.arena.entrants.origins import spec_of
from lath.arena.entrants.programs import bundled
from lath.arena.errors import ConfigError, MachineError
from lath.arena.referee.bots import BotSpec
from lath.notation.extras import EXTRAS

if TYPE_CHECKING:
    from lath.arena.site.app import Site

app = App()

PORT: Final = 8420
"""The first port to try."""

BACKLOG: Final = 256
"""The maximum of waiting connections."""

_LOOPBACK: Final = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1"}


@app.command(
    example="arena serve results --no-browser",
    statuses={0: "Ended by Ctrl-C"},
    prints=(Printed("address"),),
)
def serve(
    sources: Annotated[
        list[Path] | None,
        argument(
            "DIR|FILE",
            "Folders of tournaments, and record files.",
            default="the current folder",
        ),
    ] = None,
    host: Annotated[
        str,
        option(
            "--host",
            "ADDRESS",
            "Address to listen on. If other machines can reach it, you must add "
            "--public-read-only.",
            Topic.MOST_USED,
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        option(
            "--port",
            "N",
            "Port to listen on.",
            Topic.MOST_USED,
            default=f"{PORT}, or a free one",
            **whole(0),
        ),
    ] = None,
    public_read_only: Annotated[
        bool,
        flag("--public-read-only", "Let anyone read the site without a token.", Topic.MOST_USED),
    ] = False,
    no_browser: Annotated[
        bool, flag("--no-browser", "Do not open a browser.", Topic.MOST_USED)
    ] = False,
    bot: Annotated[
        list[str] | None,
        option(
            "--bot",
            "NAME=CMD",
            "Bot to offer besides the bundled ones. Repeatable.",
            Topic.MOST_USED,
        ),
    ] = None,
    game: GameFiles = None,
    as_json: Annotated[
        bool, flag("--json", "Print a JSON object with the address.", Topic.OUTPUT)
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Serve tournaments, records and bots as a local site.

    The site shows running tournaments, analyses games and sets puzzles. It needs the extra `web`.

    The printed address contains a token. Anyone who knows this address can start and stop the
    tournaments and use the bots.
    """
    for name in EXTRAS["web"].missing:
        raise ConfigError(
            f"arena serve: needs {name}, which is not installed", hint=EXTRAS["web"].install
        )
    add_games(game)
    if host not in _LOOPBACK and not public_read_only:
        raise ConfigError(
            f"--host: others could reach the site at {host} and start programs as you",
            hint="--public-read-only lets them only look",
        )
    if bot and public_read_only:
        raise ConfigError("--bot: cannot be combined with --public-read-only")
    from lath.arena.site.app import Site  # start-up time
    from lath.arena.site.playing import Desk
    from lath.arena.site.shelf import Shelf
    from lath.arena.site.thinking import Thinkers

    served = sources or [Path()]
    # Games are stored in the first served folder, or in the folder of the first file.
    folder = next((one for one in served if one.is_dir()), served[0].parent)
    desk = None if public_read_only else Desk(folder, Thinkers(_bots(bot or [])), append_record)
    site = Site(Shelf(served), desk)
    listener = listening(_LOOPBACK.get(host, host), port)
    _serve(site, listener, host, no_browser, as_json=as_json, quiet=quiet)


def _bots(flags: list[str]) -> dict[str, BotSpec]:
    """Return the bundled bots and the named ones; raises ConfigError."""
    ours = {name: BotSpec(name=name, command=command) for name, command in bundled().items()}
    return ours | {spec.name: spec for spec in (ready(spec_of(bot_flag(text))) for text in flags)}


def listening(address: str, port: int | None) -> socket.socket:
    """Return a listening socket; raises MachineError."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for number in (PORT, 0) if port is None else (port,):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, number))
            listener.listen(BACKLOG)  # connections wait until the site has started
        except OSError as error:
            listener.close()
            wrong = error
        else:
            return listener
    raise MachineError(f"{address}: cannot listen on port {port}: {wrong.strerror or wrong}")


SHOWN_S: Final = 30.0
"""The longest time for a browser to open a page, in seconds."""


def show(address: str) -> None:
    """Open an address in a browser.

    Other users can see the arguments of programs. Therefore the browser gets a file that redirects
    to the address and that only this user can read.
    """
    with suppress(OSError, RuntimeError):  # RuntimeError: no home folder
        # Confined browsers cannot read hidden folders or the system's temporary folder.
        descriptor, name = tempfile.mkstemp(".html", "arena-serve-", Path.home())
        atexit.register(_remove, name)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"<!DOCTYPE html><script>location.replace({json.dumps(address)})</script>")
        webbrowser.open(Path(name).as_uri())
        timer = threading.Timer(SHOWN_S, _remove, [name])
        timer.daemon = True
        timer.start()


def _remove(name: str) -> None:
    Path(name).unlink(missing_ok=True)


def _serve(
    site: Site,
    listener: socket.socket,
    host: str,
    no_browser: bool,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    from lath.arena.site.app import Server  # start-up time
    from lath.arena.site.guard import SiteKeys, names_of

    port = listener.getsockname()[1]
    token = "" if site.is_public else secrets.token_urlsafe(24)
    names = frozenset[str]() if site.is_public else names_of(port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/{'?token=' + token if token else ''}"
    server = Server(site, keys=SiteKeys(token) if token else None, hosts=names)
    if not as_json:
        print(address, flush=True)
    print_done({"address": address}, "Ctrl-C ends it.", as_json=as_json, quiet=quiet)
    if not no_browser and sys.stdout.isatty():
        threading.Timer(0.3, show, [address]).start()
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # the terminal may be closed
        signal.signal(signal.SIGHUP, server.handle_exit)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        raise typer.Exit(0) from None
