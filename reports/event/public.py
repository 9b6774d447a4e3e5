"""The public part of records and of a tournament.

All published data passes through this module. It lists what is published: names, moves, results,
numbers, and the organiser's statements (events, rulings, snapshots). Everything else is removed:
texts of bots, commands, environments, options with texts, files, the folders and hosts of players,
and unknown tags. It reads and writes no files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from lath.notation.record.record import (
    GLYPHS,
    Annotation,
    Comment,
    Ply,
    Record,
    Variation,
    annotation_as_read,
    is_of_analysis,
    record_as_read,
)
from lath.notation.record.tags import (
    ANALYSIS,
    BY,
    FIRST_OPTIONS,
    FORFEITS,
    GAME_FILE,
    MATCH_DAY,
    MOVES,
    NOT_READ,
    NOT_RECORDED,
    RULES,
    RULING,
    SAID,
    SEASON,
    SECOND_OPTIONS,
    TUNING,
    Termination,
    number_of,
)
from lath.reports.counting.standings import Refused
from lath.reports.event.background import Background
from lath.reports.notes.notes import Change, Entrant, Options, Provenance, Version

NOT_SHOWN: Final = "not shown"
"""The text that replaces a private value."""

_AS_IT_IS: Final = re.compile(r"(?s).*")

_ENDINGS: Final = re.compile("|".join(map(re.escape, Termination)))

TAGS: Final[Mapping[str, re.Pattern[str]]] = {
    **dict.fromkeys(
        ("Game", "Event", SEASON, "Round", "First", "Second", "Setup", "Position"), _AS_IT_IS
    ),
    **dict.fromkeys(("Result", RULING), _AS_IT_IS),
    **dict.fromkeys(("Date", "Number", "Seed", RULES, MATCH_DAY), re.compile(r"[0-9.?-]{1,20}")),
    **dict.fromkeys(
        ("TimeControl", "FirstTimeControl", "SecondTimeControl"),
        re.compile(r"[a-z0-9.+ ]{1,60}|[0-9/:+*?-]{1,40}"),
    ),
    "Opening": re.compile(r"random:[0-9]+(?: [A-Za-z0-9+=:@/% -]+)?"),
    GAME_FILE: re.compile(r"[\w.+-]{1,80}(?: sha256:[0-9a-f]{64})?"),
    "Termination": _ENDINGS,
    MOVES: re.compile(f"{NOT_READ}|{NOT_RECORDED}"),
    TUNING: re.compile(r"pair [0-9]{1,9} of [0-9]{1,9}"),
    **dict.fromkeys(
        (FIRST_OPTIONS, SECOND_OPTIONS),
        re.compile(r"[^=;/\\]+=-?[0-9.]+(?:; [^=;/\\]+=-?[0-9.]+)*"),
    ),
    ANALYSIS: re.compile(r"[\w-]+ (?:[a-z]+ )?[0-9.+]+"),
}
"""The published tags and the form of their values; `_tag` handles the others."""

_BOOK: Final = re.compile(r"(?s).*? (#[0-9]{1,9})(?:: .*)?")
"""The name of an opening from a book, whose file name is private."""

_NUMBERS: Final = frozenset({"emt", "clk", "depth", "eval", "nodes", "nps", SAID})
"""Annotations with numbers."""

_PROVEN: Final = re.compile(r"proven (?:win|loss|draw)(?: in (?:at most )?[0-9]{1,4})?")
"""The texts of moves by the bundled bots that are published."""

_MOVE: Final = re.compile(r"x?[A-Z]?(?:[a-z][0-9]{1,2})?(?:[-=+:x][A-Z]?[a-z][0-9]{1,2})*")
"""The form of moves in most games; words such as `swap` are accepted if the game contains them."""

_RULED: Final = re.compile(
    r"both bots saw at (?:least|most) [0-9.e-]+ for (?:first|second|either side) for [0-9]+ plies"
    r"|no end by ply [0-9]+"
)
"""The arena's texts about games that it ended."""

_FAULTS: Final = {
    Termination.CRASH: "ended before it answered",
    Termination.TIME: "no answer in time",
    Termination.ILLEGAL_MOVE: "an answer that is not a legal move",
    Termination.FLOOD: "exceeded the output limit",
    Termination.RESIGNATION: "resigned",
}
"""The published texts about games that a bot ended; the bot's own words and output are private."""


def public_records(records: Iterable[Record | Refused]) -> Iterator[Record | Refused]:
    """Yield the public part of each record, and the reasons for the records left out."""
    for record in records:
        yield _refused(record) if isinstance(record, Refused) else public_record(record)


def _refused(one: Refused) -> Refused:
    """Return why a record is left out, without its file name and content."""
    found = re.search(r"(?:(game )|:)([0-9]{1,15})$", one.where)
    where = "a record" if found is None else f"{found[1] or 'line '}{found[2]}"
    return Refused(where, one.kind, one.kind)


def public_record(record: Record) -> Record:
    """Return the public part of a record: the same game, without any text of a bot.

    Numbers of the search and variations with moves are kept. If a bot ended the game, the way and
    the ply are stated.
    """
    tags = tuple(
        (name, value) for name, said in record.tags if (value := _tag(name, said)) is not None
    )
    analyst = dict(tags).get(ANALYSIS, "")
    played = frozenset(record.moves)

    def words(comments: Iterable[Comment]) -> tuple[Comment, ...]:
        kept = (
            tuple(said for part in comment if (said := _part(part, played, analyst)))
            for comment in comments
        )
        return tuple(comment for comment in kept if comment)

    plies = tuple(_ply(ply, words) for ply in record.plies)
    return record_as_read(tags, plies, record.result, _story(record))


def _tag(name: str, value: str) -> str | None:
    """Return the public value of a tag; None to remove the tag."""
    form = TAGS.get(name)
    if form is None:
        return None
    if form.fullmatch(value):
        return value
    if name == "Opening" and (number := _BOOK.fullmatch(value)):
        return f"book {number[1]}"
    return {ANALYSIS: "an analyst", "Termination": Termination.UNTERMINATED}.get(name)


def _story(record: Record) -> tuple[Comment, ...]:
    """Return how a bot or the arena ended a game, in the arena's words, as `Record.story`."""
    loser = record.result.loser
    if loser is None or record.termination not in (*FORFEITS, Termination.RESIGNATION):
        said = (part for comment in record.comments[:1] for part in comment)
        ruled = next((part for part in said if isinstance(part, str)), "")
        return ((ruled,),) if _RULED.fullmatch(ruled) else ()
    words = _FAULTS[Termination(record.termination)]
    who = f"{(record.first, record.second)[loser]} ({loser.word}):"
    return ((f"{' '.join(who.split())} {words} at ply {len(record.plies) + 1}",),)


def _ply(ply: Ply, words: Callable[[Iterable[Comment]], tuple[Comment, ...]]) -> Ply:
    comments = words(ply.comments) if ply.comments else ()
    if not ply.variations and comments == ply.comments and ply.glyph in ("", *GLYPHS):
        return ply  # the most frequent case
    variations = tuple(
        Variation(tuple(Ply(one.move, _glyph(one)) for one in line.plies), words(line.comments))
        for line in ply.variations
        if is_of_analysis(line.comments)
    )
    return Ply(ply.move, _glyph(ply), comments, variations)


def _glyph(ply: Ply) -> str:
    return ply.glyph if ply.glyph in GLYPHS else ""


def _part(part: str | Annotation, played: frozenset[str], analyst: str) -> str | Annotation | None:
    """Return the public part of a comment, such as a number or a move; None to remove it."""
    if isinstance(part, str):
        found = _PROVEN.search(part)
        return found[0] if found else None
    if part.name in _NUMBERS:
        return part if number_of(part.value) is not None else None
    if part.name == BY:
        return annotation_as_read(BY, analyst)
    if part.name == "pv":
        line: list[str] = []
        for word in part.value.split():
            if word not in played and not (len(word) <= 12 and _MOVE.fullmatch(word)):
                break
            line.append(word)
        told = " ".join(line)
        return part if told == part.value else annotation_as_read("pv", told) if told else None
    return None


# Facts beside the records


def public_background(background: Background) -> Background:
    """Return the public facts of a tournament, without commands, files, folders, hosts and secrets.

    The outcome, the rulings and the snapshot are unchanged, because the organiser wrote them.
    """
    return replace(
        background,
        changes=tuple(map(_change, background.changes)),
        benches=tuple(replace(one, why=one.in_short) for one in background.benches),
        versions=tuple(map(_version, background.versions)),
        provenance=tuple(map(_provenance, background.provenance)),
    )


_SETTINGS: Final = re.compile(
    r"memory|cache|threads|sandbox|jobs|pin|log|games|rounds|seed|time(?:\.\w+)?"
    r"|adjudication\.\w+|with the rules of [\w-]+"
)
"""Settings whose values are numbers or fixed words."""

_NAMED: Final = frozenset(
    {"command", "cwd", "env", "reads", "hosts", "openings", "files", "build", "a file"}
)
"""Settings that are named in changes, without their values."""


def _change(change: Change) -> Change:
    if _SETTINGS.fullmatch(change.setting):
        return change
    is_file = change.setting.startswith(("file ", "of "))
    setting = "a file" if is_file else "a setting"
    if change.setting in _NAMED:
        setting = change.setting
    return replace(change, setting=setting, before=NOT_SHOWN, now=NOT_SHOWN)


def _options(options: Options) -> Options:
    """Return the options that are numbers or booleans; a text can be a file name or a key."""
    return {name: value for name, value in options.items() if not isinstance(value, str)}


def _version(version: Version) -> Version:
    """Return a version without its command and the hash, from which the command can be guessed."""
    return replace(version, command=(), sha256="", options=_options(version.options))


def _provenance(played: Provenance) -> Provenance:
    hosts = tuple(
        replace(host, name=f"machine {number}") for number, host in enumerate(played.hosts, 1)
    )
    bots = tuple(map(_entrant, played.bots))
    return replace(played, hosts=hosts, bots=bots, configuration="", resolved="")


def _entrant(entrant: Entrant) -> Entrant:
    return replace(entrant, command=(), files={}, options=_options(entrant.options))
