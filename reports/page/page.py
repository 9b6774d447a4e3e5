"""The HTML report: one file with all tables, and a replay of as many games as it has room for.

The page loads nothing, and nothing from a record becomes markup or script. The template escapes all
values, the script inserts them as text, and a policy in the file allows no other script or style.
Equal records give equal bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
from lath.games.capabilities import extras_told
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
from lath.reports.page import formats, number_words, views
from lath.reports.page.document import Gathered, ReportDocument, gather
from lath.reports.page.pack import json_letters
from lath.reports.page.sections import groups_of
from lath.reports.page.summary import summary
from lath.reports.ratings.numerics import Z95

if TYPE_CHECKING:
    from jinja2.bccache import Bucket

TEMPLATES: Final = folder_of("lath.reports", "templates")
"""The folder of the bundled templates."""

KINDS: Final = (".j2", ".css", ".js")


def names() -> tuple[str, ...]:
    """Return the bundled files, as sorted paths within the folder."""
    found = (path for path in TEMPLATES.rglob("*") if path.suffix in KINDS)
    return tuple(sorted(path.relative_to(TEMPLATES).as_posix() for path in found))


def in_use(folder: Path) -> tuple[str, ...]:
    """Return the bundled files that also exist in `folder`."""
    return tuple(name for name in names() if (folder / name).is_file())


def copy_to(folder: Path, write: Callable[[Path, bytes], object]) -> Iterator[tuple[str, bool]]:
    """Copy the bundled templates; yield each name and whether it was copied.

    Existing files stay unchanged. Raises OSError.
    """
    for name in names():
        target = folder / name
        is_new = not os.path.lexists(target)
        if is_new:
            target.parent.mkdir(parents=True, exist_ok=True)
            write(target, (TEMPLATES / name).read_bytes())
        yield name, is_new


def fault_of(error: Exception, folder: Path) -> str | None:
    """Return the place and text of a rendering error in a file of `folder`; None for other files.

    The message is `FILE:LINE: problem`, or `FILE: problem` without a line.
    """
    if isinstance(error, jinja2.TemplateSyntaxError) and _is_within(error.filename, folder):
        return f"{error.filename}:{error.lineno}: {error.message}"
    if isinstance(error, UnicodeDecodeError):
        for path in (folder / name for name in in_use(folder)):
            try:
                path.read_text(encoding="utf-8")
            except UnicodeDecodeError as wrong:
                return f"{path}: not UTF-8, {wrong.reason}"
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
        *("open", "theme", "dom", "packed", "geometry", "overlays", "sprites", "board"),
        *("effects", "opened", "records"),
        *("table", "words", "evals", "moves", "copying", "replay", "gif", "share"),
        *("keys", "ways", "versus", "games", "openings", "standings", "downloads", "showpiece"),
        *("start", "contents", "tables", "crosstable", "refresh"),
    ),
}
"""The style and script files, in their order in the page."""

_NO_CODE: Final = re.compile(
    r"^[ \t]*(?://.*|/\*\*.*\*/)?(?:\n|\Z)|^[ \t]+|/\*\* @type \{.*?\} \*/ ", re.MULTILINE
)
"""Parts of a line that CSS and JavaScript do not need: leading spaces, comments, types."""

_NO_STYLE: Final = re.compile(r"\n|;(?=\n})|(?<=\n)([-a-z0-9]+:) | (?={\n)|/\*.*?\*/")
"""Parts that style does not need if each declaration has its own line."""

_NO_SPACE: Final = re.compile(
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|^.*`.*\$\{[^}`\n]*`.*$|`[^`\n]*`"""
    r"""|(?<=[(=,:!&|?>] |.[(!])/(?![/*])(?:\[(?:[^\]\\\n]|\\.)*\]|[^/\\\n\[]|\\.)+/)"""
    r"""| ?([=<>!&|?:,;{}()\[\]*%]+) ?| ([+-]) (?![+-])""",
    re.MULTILINE,
)
"""Spaces around signs of scripts. Texts and patterns come first and keep theirs, as do lines with a
text inside another one."""

_NO_CONTROLS: Final = {code: "\ufffd" for code in range(32) if chr(code) not in "\t\n\r"}
"""Control characters are not allowed in HTML."""


@dataclass(frozen=True, slots=True)
class Card:
    """The address of a page on the web, and its preview when it is shared."""

    address: str
    """The address of the page."""

    picture: str = ""
    """The address of a picture; empty without one."""

    shows: str = ""
    """The description of the picture."""


@dataclass(frozen=True, slots=True)
class Home:
    """The page to which a report belongs."""

    title: str
    address: str
    """The address, relative to that of the report."""


@dataclass(frozen=True, slots=True)
class ReportSite:
    """The site that shows a report."""

    links: Sequence[tuple[str, str]]
    """The titles and addresses of its pages."""

    record: str = ""
    """The key of the games' file in the address of an analysis; empty without analyses."""

    where: str = ""
    """The query that the games match."""

    places: Sequence[int] = ()
    """The places of the games in their file; empty if they are 1, 2 and so on."""


@dataclass(frozen=True, slots=True)
class Page:
    """A report as a file on disk."""

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
    """Return the report on `records`, given in the order of the games.

    `background` has the other facts of their tournament, and its outcome comes first. `title`
    defaults to the records' events, or to DEFAULT_TITLE. Without records, the tables are empty.
    Games that cannot be replayed are listed with the reason. Files in the folder `templates`
    replace bundled ones of the same name. With `refresh_s`, the page reloads itself at this
    interval. Raises jinja2's errors for invalid templates.
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
    site: ReportSite | None = None,
    sections: Collection[str] = (),
) -> Page:
    """Return the report on gathered data; other arguments are those of `render`.

    On a `site`, the page has its links. With `sections`, it has only these, and no heading.
    """
    document, packer = gathered
    packed = packer.pack()
    if document["members"]:
        packed["members"] = document["members"]
    chunks = [Markup(letters) for letters in packed.pop("chunks")]  # noqa: S704 - base64 has no <
    standings = document["standings"]
    files = {"json": standings, "csv": to_csv(standings)}
    data = document["outcome"]["data"] if document["outcome"] else {}
    drawn = ("formats",) if data.get("swiss") or data.get("bracket") else ()
    parts = PARTS | {"css": (*PARTS["css"], *drawn)}
    if site:
        parts = {kind: (*names, "site") for kind, names in parts.items()}
    return rendered(
        "page.html.j2",
        parts,
        templates,
        document=document,
        summary=summary(document),
        groups=list(groups_of(document, sections)),
        refresh_s=refresh_s,
        card=card,
        home=home,
        site=site,
        is_part=bool(sections),
        data=Markup(json.dumps(packed, separators=(",", ":")).replace("<", "\\u003c")),  # noqa: S704
        chunks=chunks,
        openings=Markup(json_letters(_openings(document))),  # noqa: S704 - letters
        standings_files=Markup(json_letters(files)),  # noqa: S704 - letters
    )


def _openings(document: ReportDocument) -> list[dict[str, Any]]:
    """Return the setups and tree of each installed game type, in the form of `js/openings.js`."""
    setups = {part["game"]: part for part in document["setups"]}
    trees = {part["game"]: part["lines"] for part in document["trees"]}
    found = []
    for game_id in sorted({*setups, *trees}.intersection(games.ids())):
        game, tree = games.get(game_id), trees.get(game_id, [])
        last = steps(game, (line["text"] for line in tree))
        begun = extras_told(game.start())
        found.append(
            {
                "game": game_id,
                "lines": [
                    step and [*step[:3], *_counts(line), line["chosen"], *_others(line)]
                    for step, line in zip(last, tree, strict=True)
                ],
                **({"extras": [*(step and step.extras for step in last), begun]} if begun else {}),
                "setups": [
                    [line["text"], position.contents(), *_counts(line), *_extras(position)]
                    for line in (setups[game_id]["lines"] if game_id in setups else ())
                    if (position := _begun(game, line["text"]))
                ],
                "different": setups[game_id]["different"] if game_id in setups else 0,
            }
        )
    return found


def _counts(line: OpeningLine) -> tuple[float, ...]:
    return *_scored(line), line["example"]


def _extras(position: Position) -> tuple[str, ...]:
    """Return the state beside the cells in words, if the game has one."""
    return (told,) if (told := extras_told(position)) else ()


def _others(line: TreeLine) -> tuple[float, ...]:
    """Return the results of all games that reach this position, if other games do too."""
    reached = _scored(line["reached"])
    return () if reached == _scored(line) else reached


def _scored(line: OpeningLine | ReachedPosition) -> tuple[float, ...]:
    return line["wins"], line["draws"], line["losses"], line["low"], line["high"]


def _begun(game: Game, text: str) -> Position | None:
    """Return the position of a setup or of a position's text; None if the game refuses it."""
    for read in (game.start, game.position):
        with suppress(GameError):
            return read(text)
    return None


def rendered(
    template: str, files: Mapping[str, Sequence[str]], templates: Path | None, **values: Any
) -> Page:
    """Return the rendered template with the styles and scripts of these `files`."""
    environment = environment_of(templates)
    css, script = (parts(environment, kind, files[kind]) for kind in ("css", "js"))
    html = environment.get_template(template).render(
        policy=policy(css, script),
        css=Markup(css),  # noqa: S704 - a file of this package or of the user
        script=Markup(script),  # noqa: S704 - a file of this package or of the user
        **values,
    )
    # Replaces characters that HTML or UTF-8 cannot contain.
    return Page(html.translate(_NO_CONTROLS).encode("utf-8", "replace").decode("utf-8"))


class _Compiled(jinja2.FileSystemBytecodeCache):
    """The bundled templates, compiled, in a folder: compiling them takes 0.5 s of every run.

    The site's templates count as bundled. A user's own templates are compiled each time. Damaged
    files and files of other versions are replaced. If the folder is read-only, nothing is written.
    """

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return the name of a template's compiled code; empty for a user's template."""
        is_ours = filename is not None and Path(filename).is_relative_to(TEMPLATES.parents[1])
        return super().get_cache_key(name, filename) if is_ours else ""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket if there is valid code for its source."""
        with suppress(OSError, EOFError, UnpicklingError):
            if bucket.key:
                super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the code of a bucket atomically."""
        with suppress(OSError):
            if bucket.key:
                super().dump_bytecode(bucket)


def _cache_folder() -> Path | None:
    """Return a folder that only this user can write to, or None.

    There is one folder per version of Python and jinja2.
    """
    version = f"{sys.implementation.cache_tag}-{jinja2.__version__}"
    with suppress(OSError, RuntimeError):  # RuntimeError: the user has no home folder
        folder = user_folder("cache") / f"templates-{version}"
        if folder.is_absolute():  # required by the XDG specification
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = folder.stat()
            if status.st_uid == os.getuid() and not status.st_mode & 0o022:
                return folder
    return None


@lru_cache(maxsize=8)
def environment_of(templates: Path | None) -> jinja2.Environment:
    """Return the environment of the user's templates and the bundled ones, from a cache.

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
        **dict(chain(*(getmembers(one, isfunction) for one in (formats, number_words, views)))),
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

    The result has no leading spaces, comment lines or types of scripts, and no line ends of styles,
    because no text has several lines.
    """
    loader = environment.loader
    assert loader is not None
    sources = (loader.get_source(environment, f"{kind}/{name}.{kind}") for name in names)
    return _dense(kind, tuple(text for text, *_ in sources))


@lru_cache(maxsize=32)
def _dense(kind: str, texts: tuple[str, ...]) -> str:
    """Return `parts` of these sources, cached because most pages share them."""
    found = "".join(_NO_CODE.sub("", text) for text in texts)
    return _NO_STYLE.sub(r"\1", found) if kind == "css" else _NO_SPACE.sub(r"\1\2\3", found)


def policy(css: str, script: str) -> str:
    """Return the Content-Security-Policy that allows only these styles and scripts."""
    digests = (hashlib.sha256(text.encode()).digest() for text in (css, script))
    style, code = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; style-src {style}; script-src {code}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
