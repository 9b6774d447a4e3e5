"""Records changed as text: what an edit does not touch stays byte for byte as it was.

A text is cut into tokens and the gaps between them; an edit takes out or changes tokens, and the
rest is put together again. `arena edit` reads and checks what comes of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from lath.games.core import Result, result_of
from lath.notation.record.errors import NotationError
from lath.notation.record.record import ANNOTATION, Comment, Ply, Record, comment
from lath.notation.record.tags import Termination, place_of
from lath.notation.rules.replay import end_of
from lath.notation.text.scanner import parse
from lath.notation.text.splitting import Chunk, RecordText, cuts, texts_of
from lath.notation.text.writer import WIDTH, format_record, tag_lines
from lath.notation.tokens import inside, unquoted

NAME_TAGS: Final = ("First", "Second", "Annotator")
"""Tags whose values are names of players."""

VARIATION: Final = "VariationOf"
"""The tag of a record that was a variation: of which record, at which ply."""

COMMENTS, ANNOTATIONS, GLYPHS, VARIATIONS = KINDS = (
    *("comments", "annotations"),
    *("glyphs", "variations"),
)
"""What may be stripped besides annotations by their names; `comments` are the words of them."""

KNOWN_ANNOTATIONS: Final = ("emt", "clk", "eval", "depth", "nodes", "pv")


class EditError(NotationError):
    """A record to which an edit cannot be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What is changed, in this order; what does not apply to a record changes nothing there."""

    plies: int | None = None
    """How many plies are kept; a game that is cut is not finished."""

    strip: frozenset[str] = frozenset()
    """Some of KINDS, and names of annotations with a `%` before them."""

    split: bool = False
    """Whether variations become records of their own."""

    drop: frozenset[str] = frozenset()
    """Names of tags."""

    rename: Mapping[str, str] = field(default_factory=dict)
    """Names of tags, the new by the old."""

    set: Mapping[str, str] = field(default_factory=dict)
    """Values of tags by their names; those that are missing are added."""

    players: Mapping[str, str] = field(default_factory=dict)
    """Names of players, the new by the old: in NAME_TAGS, and where it is told how one lost."""


class StreamPart(NamedTuple):
    """A part of a stream: bytes between records, and one record, or what stands in its place."""

    before: bytes
    data: bytes
    text: RecordText | None
    """What `data` says; None at the end of a part, where there is none."""


def pieces(stream: Iterable[Chunk]) -> Iterator[StreamPart]:
    """Yield all bytes of a stream's chunks; raises EditError for a record that is too long."""
    for chunk in stream:
        for line, start, data in cuts(chunk):
            end = 0
            for text in texts_of(Chunk(line, data, chunk.offset + start)):
                if text.fault and text.fault.code == "size":
                    raise EditError(f"line {text.line}: {text.fault.message}")
                is_utf8 = not (text.fault and text.fault.code == "encoding")
                own = text.text.encode() if is_utf8 else data
                begin = data.index(own, end)
                yield StreamPart(data[end:begin], own, text)
                end = begin + len(own)
            if end < len(data):
                yield StreamPart(data[end:], b"", None)


def is_one(text: str) -> bool:
    """Return whether a file with a text that is a record has no other beginning in it."""
    return text.find("[Game", 1) < 0 and next(cuts(Chunk(1, text.encode())))[2] == text.encode()


def edited(text: str, record: Record, edits: Edits, number: int = 0) -> list[str]:
    """Return the text of a record with the edits; behind it those of variations split off.

    `record` is what the text is, the `number`-th of its file. Raises EditError.
    """
    split: list[str] = []
    if edits.strip or edits.split or edits.plies is not None:
        layout = _Layout(text)
        if edits.plies is not None and len(record.plies) > edits.plies:
            _truncate(layout, record, edits.plies)
        if edits.strip:
            _strip(layout, edits.strip)
        if edits.split and "open" in layout.kinds:
            split = _split_off(layout, number)
        text = str(layout)
    return [_with_tags(each, edits) for each in (text, *split)]


def _with_tags(text: str, edits: Edits) -> str:
    """Return the text of a record with other tags."""
    if not (edits.drop or edits.rename or edits.set or edits.players):
        return text
    layout = _Layout(text, only_head=True)
    for name in edits.drop:
        layout.drop(name)
    layout.rename(edits.rename)
    for name, value in edits.set.items():
        layout.set(name, value)
        if name == "Result":
            layout.tokens[-1] = value
    if edits.players:
        _rename_players(layout, edits.players)
    return str(layout)


_TOKEN: Final = re.compile(
    r"""
    (?P<number>[0-9]{1,9}\.)
    |(?P<move>[A-Za-z][A-Za-z0-9+=:@/-]*)
    |(?P<tag>\[[ \t\r\n]*(?P<name>[A-Za-z][A-Za-z0-9_]*)[ \t\r\n]*
            (?P<value>"(?:[^"\\\n\r]|\\["\\])*")[ \t\r\n]*\])
    |(?P<comment>\{[^}]*\}|;(?:[^\n]*[^\r\n])?)
    |(?P<open>\()|(?P<close>\))
    |(?P<glyph>[!?]{1,2})
    |(?P<result>1-0|0-1|1/2-1/2|\*)
    """,
    re.VERBOSE,
)
"""The terminals of `grammar.lark` in a text that is known to be a record, tags whole."""


_LAST: Final = re.compile(r"(?:1-0|0-1|1/2-1/2|\*)(?=\s*\Z)")
"""The result at the end of a text."""

_WORDS: Final = ("move", "glyph", "number", "result")
"""Kinds of tokens between which there is a blank at least."""


class _Layout:
    """The text of a record as tokens and the gaps before and after each."""

    def __init__(self, text: str, *, only_head: bool = False) -> None:
        """Read a text; with `only_head` all from the first move to the last is one token."""
        self.tokens: list[str] = []
        self.kinds: list[str] = []
        self.gaps: list[str] = []
        self.tags: list[str] = []
        """The names of the tags: of the first tokens."""
        self.line_end: Final = "\r\n" if "\r\n" in text else "\n"
        end = 0
        for match in _TOKEN.finditer(text):
            self.gaps.append(text[end : match.start()])
            self.tokens.append(match[0])
            kind = match.lastgroup or ""
            self.kinds.append(kind)
            if kind == "tag":
                self.tags.append(match["name"])
            end = match.end()
            if only_head and kind in ("number", "move"):
                last = _LAST.search(text, max(end, len(text.rstrip()) - len(Result.DRAWN)))
                assert last is not None
                self.tokens[-1:] = text[match.start() : last.start()], last[0]
                self.kinds[-1:] = "moves", "result"
                self.gaps.append("")
                end = last.end()
                break
        self.gaps.append(text[end:])

    def __str__(self) -> str:
        pairs = zip(self.gaps, self.tokens, strict=False)
        return "".join([part for pair in pairs for part in pair]) + self.gaps[-1]

    def rewrite(self, start: int, stop: int, left: Callable[[int], tuple[str, int]]) -> None:
        """Write the tokens from `start` to before `stop` anew.

        `left` gives what is left of the token at a place, and the place of the next; where nothing
        is left, a gap goes, too.
        """
        tokens, kinds, gaps = self.tokens[:start], self.kinds[:start], self.gaps[: start + 1]
        at = start
        while at < stop:
            token, end = left(at)
            if token:
                tokens.append(token)
                kinds.append(self.kinds[at])
                gaps.append(self.gaps[end])
            else:
                lines = "\n" in "".join(self.tokens[at:end] + self.gaps[at + 1 : end])
                around = kinds[-1], self.kinds[end]
                gaps[-1] = self._joined(gaps[-1], self.gaps[end], around, lines=lines)
            at = end
        self.tokens = tokens + self.tokens[at:]
        self.kinds = kinds + self.kinds[at:]
        self.gaps = gaps + self.gaps[at + 1 :]

    def _joined(self, before: str, after: str, around: tuple[str, str], *, lines: bool) -> str:
        """Return the gap in the place of two, between which there were several lines or one."""
        if "\n" in before:
            return before
        if lines and "\n" not in after:
            return self.line_end  # what stood on two lines does not come to stand on one
        is_glued = all(kind in _WORDS for kind in around)
        return after or before or (" " if is_glued else "")

    # Tags

    def value(self, name: str) -> str | None:
        """Return the value of a tag; None where it is missing."""
        if name not in self.tags:
            return None
        match = _TOKEN.match(self.tokens[self.tags.index(name)])
        return unquoted(match["value"]) if match else None

    def drop(self, name: str) -> None:
        """Take out a tag, if it is there."""
        if name not in self.tags:
            return
        at = self.tags.index(name)
        is_last = at == len(self.tags) - 1
        around = self.gaps[at : at + 2]
        # behind an empty line a tag would begin the next record
        kept = around[1] if is_last else min(around, key=lambda gap: gap.count("\n"))
        self.gaps[at : at + 2] = [kept]
        del self.tokens[at], self.kinds[at], self.tags[at]

    def rename(self, names: Mapping[str, str]) -> None:
        """Give tags other names, all at once; raises EditError for one that would come twice."""
        renamed = [names.get(name, name) for name in self.tags]
        for at, (old, new) in enumerate(zip(self.tags, renamed, strict=True)):
            if renamed.count(new) > 1:
                raise EditError(f"the tag {new} would stand there twice")
            self.tokens[at] = self.tokens[at].replace(old, new, 1)
        self.tags = renamed

    def set(self, name: str, value: str) -> None:
        """Give a tag its value; one that is missing stands where the arena writes it."""
        if self.value(name) == value:
            return
        tag = tag_lines([(name, value)]).rstrip("\n")
        if name in self.tags:
            at = self.tags.index(name)
            quoted = tag[tag.index('"') : -1]
            before, _, after = self.tokens[at].partition('"')
            blank = after[after.rindex('"') + 1 :]
            self.tokens[at] = f"{before}{quoted}{blank}"
            return
        at, many = place_of(name, self.tags), len(self.tags)
        gap = self.gaps[many - 1] if many > 1 else ""
        if gap.count("\n") != 1:  # not as tags stand on lines of their own
            gap = self.line_end if "\n" in self.gaps[many] else " "
        self.gaps.insert(at, gap)
        self.tokens.insert(at, tag)
        self.kinds.insert(at, "tag")
        self.tags.insert(at, name)


def _truncate(layout: _Layout, record: Record, plies: int) -> None:
    """Cut a longer game, and keep what it says of its end true."""
    depth = played = start = 0
    for at, kind in enumerate(layout.kinds):
        depth += (kind == "open") - (kind == "close")
        if kind != "move" or depth:
            continue
        played += 1
        if played > plies:
            start = at - (layout.kinds[at - 1] == "number")
            break
    last = len(layout.tokens) - 1
    gap = layout.gaps[start]  # without plies what stands before them ends as it did
    if plies:
        gap = layout.line_end if layout.tokens[start - 1].startswith(";") else " "
    layout.gaps[start : last + 1] = [gap]
    del layout.tokens[start:last], layout.kinds[start:last]
    layout.tokens[-1] = Result.UNFINISHED
    text = str(layout).rstrip()
    if plies and len(text) - text.rfind("\n") - 1 > WIDTH:
        layout.gaps[-2] = layout.line_end
    if "Result" in layout.tags:
        layout.set("Result", Result.UNFINISHED)
    if "Termination" in layout.tags:
        layout.set("Termination", Termination.UNTERMINATED)
    if record.story:
        said = (comment(inside(token)) for token in layout.tokens[len(layout.tags) :])
        story = next(number for number, words in enumerate(said, 1) if words)
        _strip(layout, frozenset({COMMENTS}), len(layout.tags) + story)


def _strip(layout: _Layout, kinds: frozenset[str], stop: int | None = None) -> None:
    """Take out comments, parts of them, glyphs and variations, before token `stop` or anywhere."""

    def left(at: int) -> tuple[str, int]:
        kind, token = layout.kinds[at], layout.tokens[at]
        if kind == "open" and VARIATIONS in kinds:
            return "", _closing(layout, at) + 1
        if kind == "glyph" and GLYPHS in kinds:
            return "", at + 1
        return (_stripped(token, kinds) if kind == "comment" else token), at + 1

    layout.rewrite(len(layout.tags), len(layout.tokens) if stop is None else stop, left)


def _closing(layout: _Layout, at: int) -> int:
    """Return where the variation ends that begins at `at`."""
    depth = 0
    for end in range(at, len(layout.kinds)):
        depth += (layout.kinds[end] == "open") - (layout.kinds[end] == "close")
        if not depth:
            break
    return end


def _stripped(token: str, kinds: frozenset[str]) -> str:
    """Return a comment without what is not wanted; empty where nothing is left of it."""
    said = inside(token)
    while gone := list(_unwanted(said, kinds)):
        for start, end in reversed(gone):
            before, after = said[:start].rstrip(), said[end:].lstrip()
            said = f"{before} {after}" if before and after else before or after
        if not said:
            return ""
    if COMMENTS in kinds and not said.strip():
        return ""
    return token[0] + said + ("}" if token[0] == "{" else "")


def _unwanted(said: str, kinds: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield where words and annotations stand that are not wanted, without blanks round them."""
    end = 0
    for match in (*ANNOTATION.finditer(said), None):
        words = said[end : match.start() if match else None]
        if COMMENTS in kinds and words.strip():
            begin = end + len(words) - len(words.lstrip())
            yield begin, begin + len(words.strip())
        if match and (ANNOTATIONS in kinds or f"%{match[1]}" in kinds):
            yield match.span()
        end = match.end() if match else 0


def _split_off(layout: _Layout, number: int) -> list[str]:
    """Take the variations out; return the texts of records of their own."""
    record = parse(str(layout))
    _strip(layout, frozenset({VARIATIONS}))
    texts = map(format_record, split_variations(record, f"record {number}"))
    return [text.rstrip("\n").replace("\n", layout.line_end) for text in texts]


def split_variations(record: Record, origin: str) -> Iterator[Record]:
    """Yield each variation as a record of its own, those in variations behind the one they are in.

    It has the moves of the game up to it, the tags but `Number`, and `Variation`, which says from
    where it is: of `origin`, at which ply, and where there are several there, which of them. Nobody
    has played it: its Termination is `void`, so that it counts for nobody, and its result is that
    of the rules.
    """
    kept = [tag for tag in record.tags if tag[0] not in _OF_THE_GAME]
    for where, at, before, plies in _lines(record.plies, 0, origin):
        line = [
            *(Ply(ply.move) for ply in plies[:at]),
            *(replace(p, variations=()) for p in plies[at:]),
        ]
        if at:
            line[at - 1] = replace(line[at - 1], comments=before)
        alone = Record(tuple(kept), tuple(line), comments=() if at else before)
        end = end_of(alone)
        result = alone.result if end is None else result_of(end)
        last = (
            (VARIATION, where),
            ("Termination", Termination.VOID.value),
            ("Result", result.value),
        )
        yield replace(alone, tags=(*kept, *last), result=result)


_OF_THE_GAME: Final = ("Number", "Termination", "Result", VARIATION)
"""Tags that a variation does not have from its game."""


def _lines(
    plies: tuple[Ply, ...], begin: int, origin: str
) -> Iterator[tuple[str, int, tuple[Comment, ...], tuple[Ply, ...]]]:
    """Yield the variations of a line from a ply on, and those in them.

    Each with where it is from, where it begins, what is said before it, and all of its plies.
    """
    for at in range(begin, len(plies)):
        variations = plies[at].variations
        for nth, variation in enumerate(variations, 1):
            where = f"{origin}, ply {at + 1}" + (f" ({nth})" if len(variations) > 1 else "")
            line = (*plies[:at], *variation.plies)
            yield where, at, variation.comments, line
            yield from _lines(line, at, where)


def _rename_players(layout: _Layout, players: Mapping[str, str]) -> None:
    """Give players other names, also where it is told how one of them lost."""
    before = [layout.value(name) or "" for name in NAME_TAGS]
    for name, value in zip(NAME_TAGS, before, strict=True):
        if value in players:
            layout.set(name, players[value])
    at = len(layout.tags)
    if layout.kinds[at] != "comment":
        return
    token = layout.tokens[at]
    for old, seat in zip(before, ("first", "second"), strict=False):
        words = r"\s+".join(map(re.escape, [*old.split(), f"({seat}):"]))
        match = re.compile(rf"[{{;]\s*({words})").match(token)
        if match and old in players:
            new = f"{players[old]} ({seat}):"
            token = token[: match.start(1)] + new + token[match.end(1) :]
            if token[0] == "{" and "}" in new:  # one to the end of its line may have it
                token = ";" + " ".join(token[1:-1].split())
                if "\n" not in layout.gaps[at + 1]:
                    layout.gaps[at + 1] = layout.line_end
            layout.tokens[at] = token
            return
