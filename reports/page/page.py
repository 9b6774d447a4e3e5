"""The HTML report: one file with all tables, and a replay of as many games as it has room for.

Nothing of the file is fetched, and nothing of a record is ever markup or script: the template
escapes all of it, the script brings it out as text, and a policy in the file lets no other script
or style run. The same records give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from inspect import getmembers, isfunction
from itertools import chain
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any, Final

import jinja2
from markupsafe import Markup

from lath import DOCUMENTATION, games
from lath.games.core import Game, Position
from lath.games.errors import GameError
from lath.notation.files.files import folder_of
from lath.notation.files.folders import user_folder
from lath.notation.record.record import Record
from lath.notation.rules.effects import steps
from lath.reports.counting import columns
from lath.reports.counting.openings import OpeningLine
from lath.reports.counting.standings import Refused
from lath.reports.event.background import NO_BACKGROUND, Background
from lath.reports.event.export import to_csv
from lath.reports.event.seasons import waiting_words
from lath.reports.exploring.trees import ReachedPosition, TreeLine
from lath.reports.page import number_words, views
from lath.reports.page.document import Gathered, ReportDocument, gather
from lath.reports.page.pack import json_letters
from lath.reports.page.sections import sections_of
from lath.reports.page.summary import summary
from lath.reports.ratings.numerics import Z95

if TYPE_CHECKING:
    from jinja2.bccache import Bucket

TEMPLATES: Final = folder_of("lath.reports", "templates")
"""Where ours are."""

KINDS: Final = (".j2", ".css", ".js")


def names() -> tuple[str, ...]:
    """Return our files, as paths within the folder, sorted."""
    found = (path for path in TEMPLATES.rglob("*") if path.suffix in KINDS)
    return tuple(sorted(path.relative_to(TEMPLATES).as_posix() for path in found))


def in_use(folder: Path) -> tuple[str, ...]:
    """Return those of `names` that `folder` has, too."""
    return tuple(name for name in names() if (folder / name).is_file())


def copy_to(folder: Path, write: Callable[[Path, bytes], object]) -> Iterator[tuple[str, bool]]:
    """Copy ours to begin from; yield each name and whether it was copied.

    What is there already stays as it is. Raises OSError.
    """
    for name in names():
        target = folder / name
        is_new = not os.path.lexists(target)
        if is_new:
            target.parent.mkdir(parents=True, exist_ok=True)
            write(target, (TEMPLATES / name).read_bytes())
        yield name, is_new


def fault_of(error: Exception, folder: Path) -> str | None:
    """Say where in `folder` an error of a rendering arose, and what it is; None if not there.

    As `FILE:LINE: what`, or `FILE: what` where there is no line.
    """
    if isinstance(error, jinja2.TemplateSyntaxError) and _is_within(error.filename, folder):
        return f"{error.filename}:{error.lineno}: {error.message}"
    if isinstance(error, UnicodeDecodeError):
        for path in (folder / name for name in in_use(folder)):
            try:
                path.read_text(encoding="utf-8")
            except UnicodeDecodeError as wrong:
                return f"{path}: it is not UTF-8: {wrong.reason}"
        return None
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if _is_within(frame.filename, folder)]
    if not places:
        return None
    is_missing = isinstance(error, jinja2.TemplateNotFound)
    what = f"template {error} not found" if is_missing else str(error)
    return f"{places[-1].filename}:{places[-1].lineno}: {what or type(error).__name__}"


def _is_within(name: str | None, folder: Path) -> bool:
    return name is not None and Path(name).resolve().is_relative_to(folder.resolve())


PARTS: Final = {
    "css": (
        *(
            "base",
            "summary",
            "sections",
            "tables",
            "plots",
            "board",
            "replay",
            "games",
            "ways",
            "openings",
            "refresh",
        ),
        *("narrow", "embed", "print"),
    ),
    "js": (
        *("open", "dom", "packed", "geometry", "overlays", "sprites", "board"),
        *("effects", "opened", "records"),
        *("table", "words", "evals", "moves", "copying", "replay", "gif", "share"),
        *("keys", "ways", "versus", "games", "openings", "standings", "downloads", "showpiece"),
        *("start", "contents", "tables", "crosstable", "paper", "refresh"),
    ),
}
"""The files of a kind, in the order in which they stand in the page."""

_NO_CODE: Final = re.compile(
    r"^[ \t]*(?://.*|/\*\*.*\*/)?(?:\n|\Z)|^[ \t]+|/\*\* @type \{.*?\} \*/ ", re.MULTILINE
)
"""What neither CSS nor JavaScript needs of a line: blanks, comments, types."""

_NO_STYLE: Final = re.compile(r"\n|;(?=\n})|(?<=\n)([-a-z0-9]+:) | (?={\n)|/\*.*?\*/")
"""What style does not need besides, where each declaration has a line."""

_NO_CONTROLS: Final = {code: "\ufffd" for code in range(32) if chr(code) not in "\t\n\r"}
"""Control characters are not allowed in HTML."""


@dataclass(frozen=True, slots=True)
class Card:
    """Where a page will lie, for those who send its address to others, who see it as a card."""

    address: str
    """That of the page."""

    picture: str = ""
    """That of a picture; empty where there is none."""

    shows: str = ""
    """What is to be seen on it, in words."""


@dataclass(frozen=True, slots=True)
class Home:
    """The page to which a report belongs."""

    title: str
    address: str
    """From that of the report."""


@dataclass(frozen=True, slots=True)
class Page:
    """A report as it is written to disk."""

    html: str
    """The file; it can be encoded as UTF-8 whatever the records hold."""


def render(
    records: Iterable[Record | Refused],
    *,
    title: str | None = None,
    background: Background = NO_BACKGROUND,
    templates: Path | None = None,
    refresh_s: float | None = None,
) -> Page:
    """Return the report on `records`, whose order is that of the games.

    `background` is what is known of their tournament besides; its outcome comes first.
    Without `title` it is the records' events, or else DEFAULT_TITLE. Without records the tables
    are empty. Games that cannot be replayed are listed with the reason. Files of the folder
    `templates` come before ours of the same name. With `refresh_s` the page loads itself anew
    that often. Raises jinja2's errors for templates of the user's that are wrong.
    """
    gathered = gather(records, title=title, background=background)
    return page_of(gathered, templates=templates, refresh_s=refresh_s)


def page_of(
    gathered: Gathered,
    *,
    templates: Path | None = None,
    refresh_s: float | None = None,
    card: Card | None = None,
    home: Home | None = None,
) -> Page:
    """Return the report on what was gathered, with a link to its `home`; else as `render`."""
    document, packer = gathered
    packed = packer.pack()
    if document["members"]:
        packed["members"] = document["members"]
    chunks = [Markup(letters) for letters in packed.pop("chunks")]  # noqa: S704 - none is <
    standings = document["standings"]
    files = {"json": standings, "csv": to_csv(standings)}
    return rendered(
        "page.html.j2",
        PARTS,
        templates,
        document=document,
        summary=summary(document),
        sections=list(sections_of(document)),
        refresh_s=refresh_s,
        card=card,
        home=home,
        data=Markup(json.dumps(packed, separators=(",", ":")).replace("<", "\\u003c")),  # noqa: S704
        chunks=chunks,
        openings=Markup(json_letters(_openings(document))),  # noqa: S704 - letters
        standings_files=Markup(json_letters(files)),  # noqa: S704 - letters
    )


def _openings(document: ReportDocument) -> list[dict[str, Any]]:
    """Return for each game that is installed its setups and tree, as `js/openings.js` has it."""
    setups = {part["game"]: part for part in document["setups"]}
    trees = {part["game"]: part["lines"] for part in document["trees"]}
    found = []
    for game_id in sorted({*setups, *trees}.intersection(games.ids())):
        game, tree = games.get(game_id), trees.get(game_id, [])
        found.append(
            {
                "game": game_id,
                "lines": [
                    step and [*step, *_counts(line), line["chosen"], *_others(line)]
                    for step, line in zip(
                        steps(game, (line["text"] for line in tree)), tree, strict=True
                    )
                ],
                "setups": [
                    [line["text"], position.contents(), *_counts(line)]
                    for line in (setups[game_id]["lines"] if game_id in setups else ())
                    if (position := _begun(game, line["text"]))
                ],
                "different": setups[game_id]["different"] if game_id in setups else 0,
            }
        )
    return found


def _counts(line: OpeningLine) -> tuple[float, ...]:
    return *_scored(line), line["example"]


def _others(line: TreeLine) -> tuple[float, ...]:
    """Return what came of the games that come to its position, if these are not all of its own."""
    reached = _scored(line["reached"])
    return () if reached == _scored(line) else reached


def _scored(line: OpeningLine | ReachedPosition) -> tuple[float, ...]:
    return line["wins"], line["draws"], line["losses"], line["low"], line["high"]


def _begun(game: Game, text: str) -> Position | None:
    """Return the position that a setup, or a position as text, is; None where it is refused."""
    for read in (game.start, game.position):
        with suppress(GameError):
            return read(text)
    return None


def rendered(
    template: str, files: Mapping[str, Sequence[str]], templates: Path | None, **values: Any
) -> Page:
    """Return what a template makes of the values, with styles and script of these `files`."""
    environment = environment_of(templates)
    css, script = (parts(environment, kind, files[kind]) for kind in ("css", "js"))
    html = environment.get_template(template).render(
        policy=policy(css, script),
        css=Markup(css),  # noqa: S704 - a file of this package or of the user
        script=Markup(script),  # noqa: S704 - likewise
        **values,
    )
    # What HTML or UTF-8 cannot have is replaced.
    return Page(html.translate(_NO_CONTROLS).encode("utf-8", "replace").decode("utf-8"))


class _Compiled(jinja2.FileSystemBytecodeCache):
    """Our templates compiled, in a folder: compiling them takes 0.5 s of every run.

    Those of the site are ours, too. A user's own templates are compiled each time. What is damaged
    or another version's is made anew; where nothing can be written, nothing is.
    """

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return what a template's code is called; empty for a user's template."""
        is_ours = filename is not None and Path(filename).is_relative_to(TEMPLATES.parents[1])
        return super().get_cache_key(name, filename) if is_ours else ""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket if there is sound code for its source."""
        with suppress(OSError, EOFError, UnpicklingError):
            if bucket.key:
                super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a bucket, whole or not at all, whoever else does so at that time."""
        with suppress(OSError):
            if bucket.key:
                super().dump_bytecode(bucket)


def _cache_folder() -> Path | None:
    """Return a folder that nobody else may write to; None where there is none.

    It is of one version of Python and of jinja2.
    """
    version = f"{sys.implementation.cache_tag}-{jinja2.__version__}"
    with suppress(OSError, RuntimeError):  # RuntimeError: no home
        folder = user_folder("cache") / f"templates-{version}"
        if folder.is_absolute():  # as the XDG specification wants it
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = folder.stat()
            if status.st_uid == os.getuid() and not status.st_mode & 0o022:
                return folder
    return None


@lru_cache(maxsize=8)
def environment_of(templates: Path | None) -> jinja2.Environment:
    """Return what renders our templates, the user's before them; made once.

    A template that changes is read again.
    """
    folders = [folder for folder in (templates, TEMPLATES) if folder is not None]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(folder) for folder in folders]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_Compiled(str(folder)) if (folder := _cache_folder()) else None,
    )
    shown = {
        **dict(chain(getmembers(number_words, isfunction), getmembers(views, isfunction))),
        "figure_rows": columns.rows_of,
        "more_columns": columns.more,
        "waits_words": waiting_words,
    }
    environment.filters |= shown
    named = {"z95": Z95, "EVIDENCE": views.EVIDENCE, "DOCUMENTATION": DOCUMENTATION}
    environment.globals |= {**shown, **named}
    return environment


def parts(environment: jinja2.Environment, kind: str, names: Iterable[str]) -> str:
    """Return styles (`css`) or scripts (`js`) as one text.

    Blanks before lines, lines that are comments and the types of scripts are left out, and the ends
    of lines of styles: no text goes over several lines.
    """
    loader = environment.loader
    assert loader is not None
    sources = (loader.get_source(environment, f"{kind}/{name}.{kind}") for name in names)
    return _dense(kind, tuple(text for text, *_ in sources))


@lru_cache(maxsize=32)
def _dense(kind: str, texts: tuple[str, ...]) -> str:
    """Return the same of sources, of which most pages have the same."""
    found = "".join(_NO_CODE.sub("", text) for text in texts)
    return _NO_STYLE.sub(r"\1", found) if kind == "css" else found


def policy(css: str, script: str) -> str:
    """Return the Content-Security-Policy that allows exactly these."""
    digests = (hashlib.sha256(text.encode()).digest() for text in (css, script))
    style, code = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; style-src {style}; script-src {code}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
