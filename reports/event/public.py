"""What of records and of a tournament may be shown to everybody, and nothing else.

All that is public goes through here before anything is made of it. It is a list of what stays:
names, moves, results, numbers, and what an organiser says on purpose (events, rulings, snapshots).
What a bot has said in words, its command, environment, options that are texts, files, the folders
and hosts of those who play are not on it; nor is a tag that nobody knows. Pure.
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
"""What stands in place of a value that is nobody's business."""

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
    "Opening": re.compile(r"random:[0-9]+(?: [A-Za-z0-9+=:@ -]+)?"),
    GAME_FILE: re.compile(r"[\w.-]{1,80} sha256:[0-9a-f]{64}"),
    "Termination": _ENDINGS,
    MOVES: re.compile(f"{NOT_READ}|{NOT_RECORDED}"),
    TUNING: re.compile(r"pair [0-9]{1,9} of [0-9]{1,9}"),
    **dict.fromkeys(
        (FIRST_OPTIONS, SECOND_OPTIONS),
        re.compile(r"[^=;/\\]+=-?[0-9.]+(?:; [^=;/\\]+=-?[0-9.]+)*"),
    ),
    ANALYSIS: re.compile(r"[\w-]+ (?:[a-z]+ )?[0-9.+]+"),
}
"""The tags that stay, and how their values are written; of others, see `_tag`."""

_BOOK: Final = re.compile(r"(?s).* (#[0-9]{1,9})")
"""The name of an opening of a book, whose file has a name of its own."""

_NUMBERS: Final = frozenset({"emt", "clk", "depth", "eval", "nodes", "nps", SAID})
"""Annotations that are numbers."""

_PROVEN: Final = re.compile(r"proven (?:win|loss|draw)(?: in (?:at most )?[0-9]{1,4})?")
"""What our own bots say of a move in words."""

_MOVE: Final = re.compile(r"x?[A-Z]?(?:[a-z][0-9]{1,2})?(?:[-=+:x][A-Z]?[a-z][0-9]{1,2})*")
"""How moves of most games are written; words such as `swap` are known where they were played."""

_RULED: Final = re.compile(
    r"both bots saw at (?:least|most) [0-9.e-]+ for (?:first|second|either side) for [0-9]+ plies"
    r"|no end by ply [0-9]+"
)
"""What the arena says of a game that it ended."""

_FAULTS: Final = {
    Termination.CRASH: "ended before it answered",
    Termination.TIME: "no answer in time",
    Termination.ILLEGAL_MOVE: "an answer that is not a legal move",
    Termination.FLOOD: "exceeded the output limit",
    Termination.RESIGNATION: "resigned",
}
"""What is told of a game that a bot ended: its own words, and what it wrote, are its owner's."""


def public_records(records: Iterable[Record | Refused]) -> Iterator[Record | Refused]:
    """Yield what everybody may see of each record, and of those that are left out why they are."""
    for record in records:
        yield _refused(record) if isinstance(record, Refused) else public_record(record)


def _refused(one: Refused) -> Refused:
    """Return why a record is left out, without its file and what stands there."""
    found = re.search(r"(?:(game )|:)([0-9]{1,15})$", one.where)
    where = "a record" if found is None else f"{found[1] or 'line '}{found[2]}"
    return Refused(where, one.kind, one.kind)


def public_record(record: Record) -> Record:
    """Return what everybody may see of a record: the same game, and nothing that a bot has written.

    Numbers of its search stay, and variations of it that are moves; of who broke a game off it is
    told how, and at which ply.
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
    """Return the value of a tag that stays; None for one that does not."""
    form = TAGS.get(name)
    if form is None:
        return None
    if form.fullmatch(value):
        return value
    if name == "Opening" and (number := _BOOK.fullmatch(value)):
        return f"book {number[1]}"
    return {ANALYSIS: "an analyst", "Termination": Termination.UNTERMINATED}.get(name)


def _story(record: Record) -> tuple[Comment, ...]:
    """Return in our words alone how a bot ended a game, as `Record.story` has it, or the arena."""
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
        return ply  # as most are
    variations = tuple(
        Variation(tuple(Ply(one.move, _glyph(one)) for one in line.plies), words(line.comments))
        for line in ply.variations
        if is_of_analysis(line.comments)
    )
    return Ply(ply.move, _glyph(ply), comments, variations)


def _glyph(ply: Ply) -> str:
    return ply.glyph if ply.glyph in GLYPHS else ""


def _part(part: str | Annotation, played: frozenset[str], analyst: str) -> str | Annotation | None:
    """Return what stays of a part of a comment: a number, moves, a proof, whose mark it is."""
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


# What is known beside the records


def public_background(background: Background) -> Background:
    """Return what everybody may see of a tournament: no command, file, folder, host nor secret.

    What it came to, its rulings and its snapshot are told as they are: an organiser's own words.
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
"""Settings whose values are numbers or words of ours."""

_NAMED: Final = frozenset(
    {"command", "cwd", "env", "reads", "hosts", "openings", "files", "build", "a file"}
)
"""Settings of which is told that they changed, and no more."""


def _change(change: Change) -> Change:
    if _SETTINGS.fullmatch(change.setting):
        return change
    is_file = change.setting.startswith(("file ", "of "))
    setting = "a file" if is_file else "a setting"
    if change.setting in _NAMED:
        setting = change.setting
    return replace(change, setting=setting, before=NOT_SHOWN, now=NOT_SHOWN)


def _options(options: Options) -> Options:
    """Return options that are numbers, or yes and no: a text may be a file, or a key."""
    return {name: value for name, value in options.items() if not isinstance(value, str)}


def _version(version: Version) -> Version:
    """Return a version without its command, and its hash, from which that may be guessed."""
    return replace(version, command=(), sha256="", options=_options(version.options))


def _provenance(played: Provenance) -> Provenance:
    hosts = tuple(
        replace(host, name=f"machine {number}") for number, host in enumerate(played.hosts, 1)
    )
    bots = tuple(map(_entrant, played.bots))
    return replace(played, hosts=hosts, bots=bots, configuration="", resolved="")


def _entrant(entrant: Entrant) -> Entrant:
    return replace(entrant, command=(), files={}, options=_options(entrant.options))
