"""Edits applied to the text of records: untouched parts stay identical, byte for byte.

A text is split into tokens and the gaps between them. An edit removes or changes tokens, and the
text is joined again. `changes` defines the edits. `arena edit` checks the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from lath.games.core import Result
from lath.notation.edits.changes import (
    COMMENTS,
    GLYPHS,
    VARIATIONS,
    Edits,
    TagChanges,
    left_of,
    retold,
    split_variations,
)
from lath.notation.record.errors import NotationError
from lath.notation.record.record import Record, comment
from lath.notation.text.scanner import parse
from lath.notation.text.splitting import Chunk, RecordText, cuts, texts_of
from lath.notation.text.writer import WIDTH, format_record, tag_lines
from lath.notation.tokens import BEGINNING, COMMENT, GLYPH, MOVE, NUMBER, RESULT, TAG, inside


class EditError(NotationError):
    """An edit cannot be applied to a record."""


class StreamPart(NamedTuple):
    """A part of a stream: bytes between records, and one record or an invalid text."""

    before: bytes
    data: bytes
    text: RecordText | None
    """The text of `data`, or None if a part ends with bytes between records."""


def pieces(stream: Iterable[Chunk]) -> Iterator[StreamPart]:
    """Yield all bytes of a stream's chunks. Raises EditError for a record that is too long."""
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
    """Return whether the valid text of a record contains no second start of a record."""
    return text.find(BEGINNING, 1) < 0 and next(cuts(Chunk(1, text.encode())))[2] == text.encode()


def edited(text: str, record: Record, edits: Edits, number: int = 0) -> list[str]:
    """Return the edited text of a record, followed by the texts of variations split off.

    `text` must be the text of `record`, the `number`-th of its file. Raises RecordValueError for an
    invalid change.
    """
    is_cut = edits.cuts(record)
    layout = _Layout(text, only_head=not (is_cut or edits.strip or edits.split))
    if is_cut:
        layout.truncate(edits.plies or 0)
        if record.story:
            layout.strip(frozenset({COMMENTS}), layout.story() + 1)
    if edits.strip:
        layout.strip(edits.strip)
    split = []
    if edits.split and "open" in layout.kinds:
        others = split_variations(parse(str(layout)), f"record {number}")
        split = [format_record(edits.retagged(each)).rstrip("\n") for each in others]
        layout.strip(frozenset({VARIATIONS}))
    changes = edits.of_tags(record.tags, is_cut=is_cut)
    layout.write(changes, record.tags)
    if "Result" in edits.set:
        layout.tokens[-1] = edits.set["Result"]
    if changes.retold:
        layout.retell(changes)
    return [str(layout), *(each.replace("\n", layout.line_end) for each in split)]


_TOKEN: Final = re.compile(
    rf"(?P<number>{NUMBER})|(?P<move>{MOVE})|(?P<tag>{TAG})|(?P<comment>{COMMENT})"
    rf"|(?P<open>\()|(?P<close>\))|(?P<glyph>{GLYPH})|(?P<result>{RESULT})"
)
"""The words of the valid text of a record, with whole tags."""

_LAST: Final = re.compile(rf"{RESULT}(?=\s*\Z)")
"""The result at the end of a text."""

_WORDS: Final = ("move", "glyph", "number", "result")
"""Kinds of tokens that need a space between them."""


class _Layout:
    """The text of a record as tokens and the gaps around each; tags come first."""

    def __init__(self, text: str, *, only_head: bool = False) -> None:
        """Split a text; with `only_head`, all from the first move to the last is one token."""
        self.tokens: list[str] = []
        self.kinds: list[str] = []
        self.gaps: list[str] = []
        self.line_end: Final = "\r\n" if "\r\n" in text else "\n"
        end = 0
        for match in _TOKEN.finditer(text):
            self.gaps.append(text[end : match.start()])
            self.tokens.append(match[0].rstrip("\r"))  # of a comment that ends with its line
            kind = match.lastgroup or ""
            self.kinds.append(kind)
            end = match.start() + len(self.tokens[-1])
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

    # Moves and their comments

    def truncate(self, plies: int) -> None:
        """Truncate a longer game, whose result becomes unknown."""
        depth = played = start = 0
        for at, kind in enumerate(self.kinds):
            depth += (kind == "open") - (kind == "close")
            if kind != "move" or depth:
                continue
            played += 1
            if played > plies:
                start = at - (self.kinds[at - 1] == "number")
                break
        last = len(self.tokens) - 1
        gap = self.gaps[start]  # without plies, the text before them keeps its end
        if plies:
            gap = self.line_end if self.tokens[start - 1].startswith(";") else " "
        self.gaps[start : last + 1] = [gap]
        del self.tokens[start:last], self.kinds[start:last]
        self.tokens[-1] = Result.UNFINISHED
        text = str(self).rstrip()
        if plies and len(text) - text.rfind("\n") - 1 > WIDTH:
            self.gaps[-2] = self.line_end

    def story(self) -> int:
        """Return the place of the first comment that is not empty; there must be one."""
        return next(
            at
            for at, kind in enumerate(self.kinds)
            if kind == "comment" and comment(inside(self.tokens[at]))
        )

    def strip(self, kinds: frozenset[str], stop: int | None = None) -> None:
        """Remove the parts of `Edits.strip`, before token `stop` or everywhere."""

        def left(at: int) -> tuple[str, int]:
            kind, token = self.kinds[at], self.tokens[at]
            if kind == "open" and VARIATIONS in kinds:
                return "", self._closing(at) + 1
            if kind == "glyph" and GLYPHS in kinds:
                return "", at + 1
            return (_stripped(token, kinds) if kind == "comment" else token), at + 1

        self._rewrite(self.kinds.count("tag"), len(self.tokens) if stop is None else stop, left)

    def _closing(self, at: int) -> int:
        """Return the end of the variation that begins at `at`."""
        depth = 0
        for end in range(at, len(self.kinds)):
            depth += (self.kinds[end] == "open") - (self.kinds[end] == "close")
            if not depth:
                break
        return end

    def _rewrite(self, start: int, stop: int, left: Callable[[int], tuple[str, int]]) -> None:
        """Rewrite the tokens from `start` to before `stop`.

        `left` returns the remainder of the token at a place, and the place of the next token. If
        the remainder is empty, one gap is removed too.
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
        """Return the gap that replaces two; `lines` is True if several lines were between them."""
        if "\n" in before:
            return before
        if lines and "\n" not in after:
            return self.line_end  # separate lines stay separate
        is_glued = all(kind in _WORDS for kind in around)
        return after or before or (" " if is_glued else "")

    # Tags

    def write(self, changes: TagChanges, before: Sequence[tuple[str, str]]) -> None:
        """Write the changed tags; `before` are the original ones."""
        kept = {place for place, *_ in changes.now}
        for at in reversed(range(len(before))):
            if at not in kept:
                self._drop(at)
        for at, (place, name, value) in enumerate(changes.now):
            if place is None:
                self._insert(at, name, value)
            elif before[place] != (name, value):
                self._change(at, before[place], (name, value))

    def _drop(self, at: int) -> None:
        around = self.gaps[at : at + 2]
        is_last = self.kinds[at + 1] != "tag"
        # after an empty line a tag would begin the next record
        kept = around[1] if is_last else min(around, key=lambda gap: gap.count("\n"))
        self.gaps[at : at + 2] = [kept]
        del self.tokens[at], self.kinds[at]

    def _change(self, at: int, old: tuple[str, str], new: tuple[str, str]) -> None:
        token = self.tokens[at].replace(old[0], new[0], 1)
        if old[1] != new[1]:
            tag = tag_lines([new]).rstrip("\n")
            begin, end = token.index('"'), token.rindex('"') + 1
            token = token[:begin] + tag[tag.index('"') : -1] + token[end:]
        self.tokens[at] = token

    def _insert(self, at: int, name: str, value: str) -> None:
        many = self.kinds.count("tag")
        gap = self.gaps[many - 1] if many > 1 else ""
        if gap.count("\n") != 1:  # the gap is not between tags on lines of their own
            gap = self.line_end if "\n" in self.gaps[many] else " "
        self.gaps.insert(at, gap)
        self.tokens.insert(at, tag_lines([(name, value)]).rstrip("\n"))
        self.kinds.insert(at, "tag")

    def retell(self, changes: TagChanges) -> None:
        """Put the players' new names into the comment on how one of them lost."""
        at = self.kinds.count("tag")
        while self.kinds[at] == "comment" and not comment(inside(self.tokens[at])):
            at += 1
        token = self.tokens[at]
        if self.kinds[at] != "comment":
            return
        said = retold(inside(token), changes.retold)
        if token[0] == "{" and "}" in said:  # a comment to the end of its line can contain it
            self.tokens[at] = ";" + " ".join(said.split())
            if "\n" not in self.gaps[at + 1]:
                self.gaps[at + 1] = self.line_end
        else:
            self.tokens[at] = _as_comment(token, said)


def _stripped(token: str, kinds: frozenset[str]) -> str:
    """Return a comment without the stripped parts; empty if nothing remains."""
    said = left_of(inside(token), kinds)
    is_gone = not said.strip() if COMMENTS in kinds else not said and said != inside(token)
    return "" if is_gone else _as_comment(token, said)


def _as_comment(token: str, said: str) -> str:
    return token[0] + said + ("}" if token[0] == "{" else "")
