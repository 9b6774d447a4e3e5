"""Records edited as text, and the diffs that show it: the rest stays byte for byte."""

from __future__ import annotations

import difflib
import io
import re
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest
from exploring import one_in
from hypothesis import assume, given
from hypothesis import strategies as st
from patching import patched
from record_strategies import RECORDS
from record_texts import written

from lath.notation import check, format_record, parse
from lath.notation.edits.changes import KINDS, Edits, retag, split_variations, strip, truncate
from lath.notation.edits.editing import edited, pieces
from lath.notation.edits.unified_diff import unified_diff
from lath.notation.record.errors import RecordSyntaxError, RecordValueError
from lath.notation.text.splitting import chunks

_TAGS = re.compile(r'(?:\s*\[\s*\w+\s*"(?:[^"\\]|\\.)*"\s*\])+')

HEAD = '[Game "yavalath"]\n'
LINE: Final = " ".join(["xe5", *["e5"] * 32])


def after(text: str, **edits: object) -> str:
    """Return the text of a record with these edits."""
    (new,) = edited(text, parse(text), Edits(**edits))  # type: ignore[arg-type]
    return new


def written_record(seed: int) -> str | None:
    """Return the text of a record, in any layout; None where it came out as none."""
    text = written(Random(seed)).strip(" \t\r\n")
    try:
        record = parse(text)
    except RecordSyntaxError:
        return None
    names = [name for name, _ in record.tags]
    return text if names[0] == "Game" and len(set(names)) == len(names) else None


TEXTS = st.one_of(
    RECORDS.map(lambda record: format_record(record).rstrip("\n")),
    RECORDS.map(lambda record: format_record(record).rstrip("\n").replace("\n", "\r\n")),
    st.integers(0, 1 << 32).map(written_record).filter(bool),
)
SOME_KINDS = st.frozensets(st.sampled_from([*KINDS, "%emt", "%clk", "%mood", "%eval"]), min_size=1)


@given(TEXTS, SOME_KINDS)
def test_what_is_stripped_is_gone_and_nothing_else(text: str, kinds: frozenset[str]) -> None:
    new = after(text, strip=kinds)
    signs = iter(text)
    assert all(sign in signs for sign in new if not sign.isspace()), "nothing comes in"
    assert after(text, strip=frozenset({"%nobody"})) == text


NAMES = st.sampled_from(["Round", "Number", "Event", "Site", "Added", "Mood"])
PEOPLE = st.sampled_from(["ann", "b  c", "}", "[%x]"])
EDITS = st.builds(
    Edits,
    plies=st.none() | st.integers(0, 4),
    strip=st.just(frozenset()) | SOME_KINDS,
    split=st.booleans(),
    drop=st.frozensets(NAMES, max_size=2),
    rename=st.dictionaries(NAMES, NAMES, max_size=2),
    set=st.dictionaries(NAMES, st.sampled_from(["", "plain", 'a "b" \\ }]; é']), max_size=3),
    players=st.dictionaries(PEOPLE, PEOPLE, max_size=3),
)


@given(
    TEXTS,
    EDITS,
    PEOPLE,
    st.sampled_from(["", "{%s (first): gone [%%emt 1]} {x}", ";%s (second): x\n"]),
)
def test_an_edit_of_a_text_is_the_same_edit_of_its_record(
    text: str, edits: Edits, name: str, story: str
) -> None:
    tags = Edits(set={"First": name, "Second": name[::-1]}, strip=frozenset({"comments"}))
    (text,) = edited(text, parse(text), tags)
    told = _TAGS.match(text)
    assert told is not None
    assume("{" not in story or "}" not in name)  # which would close it
    text = text[: told.end()] + "\n\n" + (story and story % name) + text[told.end() :]
    record = parse(text)
    try:
        expected = edits.applied(record, 7)
    except RecordValueError as refusal:
        with pytest.raises(RecordValueError, match=re.escape(str(refusal))):
            edited(text, record, edits, 7)
        return
    new = edited(text, record, edits, 7)
    assert [*map(parse, new)] == expected
    if expected == [record]:
        assert new == [text]


def test_public_changes_are_edits() -> None:
    record = parse(HEAD + '[Result "1-0"]\n\n1. a1! {x [%emt 1]} (1. b1) 2. e1 1-0')
    names = ["comments", "annotations", "glyphs", "variations"]
    for kind in names:
        (expected,) = Edits(strip=frozenset({kind})).applied(record)
        assert strip(record, **{kind: True}) == expected != record
    assert strip(record, annotations=["emt"]) == strip(record, annotations=True)
    assert [truncate(record, 1)] == Edits(plies=1).applied(record)


@given(TEXTS, st.data())
def test_a_tag_that_changes_leaves_the_others_and_the_moves_as_they_stand(
    text: str, data: st.DataObject
) -> None:
    record = parse(text)
    names = [name for name, _ in record.tags]
    name = data.draw(st.sampled_from([*names, "Opening", "Added"]))
    value = data.draw(st.sampled_from(["", "plain", 'a "quoted" \\ one', "\t}]; é"]))
    if name == "Result":
        value = record.result
    new = after(text, set={name: value})
    if name in names:
        expected = tuple((known, value if known == name else old) for known, old in record.tags)
        assert parse(new) == replace(record, tags=expected)
    else:
        assert parse(new) == retag(record, {name: value})
    assert new.endswith(text[_TAGS.match(text).end() :])  # type: ignore[union-attr]
    if name in names and name != "Game":
        dropped = after(text, drop=frozenset({name}))
        kept = tuple(tag for tag in record.tags if tag[0] != name)
        assert parse(dropped) == replace(record, tags=kept)
        assert after(text, rename={name: "Renamed"}).replace("Renamed", name, 1) == text


@given(
    st.lists(st.one_of(TEXTS, st.sampled_from(["[Game oops]", "words", "e5 \udcff"])), max_size=6)
)
@one_in(2)
def test_the_parts_of_a_stream_are_all_of_its_bytes(texts: list[str]) -> None:
    data = "\r\n\n \n".join(texts).encode("utf-8", "surrogateescape")
    for stream in (data, b"\xef\xbb\xbf" + data, b"\n\n" + data + b"\n\n "):
        parts = list(pieces(chunks(io.BytesIO(stream))))
        assert b"".join(part.before + part.data for part in parts) == stream


# Cases


CASES: Final[tuple[tuple[str, dict[str, Any], str], ...]] = (
    ("e5{x}d4{} *", {"strip": {"comments"}}, "e5 d4 *"),
    ("e5!{x}(a1)d4 *", {"strip": {"comments", "glyphs"}}, "e5(a1)d4 *"),
    ("e5 {x\ny} d4 *", {"strip": {"comments"}}, "e5\nd4 *"),
    ("\n{first}\n\n1. e5 ;to the end\nd4 *", {"strip": {"comments"}}, "\n1. e5\nd4 *"),
    ("e5 {a [%clk 1] b [%emt 2]} *", {"strip": {"%clk"}}, "e5 {a b [%emt 2]} *"),
    ("e5 {a  [%clk 1] [%emt 2]} *", {"strip": {"comments", "%clk"}}, "e5 {[%emt 2]} *"),
    ("e5 {[%clk [%clk 1] 2]} *", {"strip": {"%clk"}}, "e5 *"),
    ("e5 (a1 (b1)) d4 (c1) *", {"strip": {"variations"}}, "e5 d4 *"),
    ("1.e5 2.d4 ;why\n3.a1 *", {"plies": 2}, "1.e5 2.d4 ;why\n*"),
    ("e5 (a1 b1) d4 *", {"plies": 1}, "e5 (a1 b1) *"),
    ("\n1. e5 *", {"plies": 0}, "\n*"),
    # a long line does not grow over its width by a cut
    (f"\n{LINE} d4 *", {"plies": 33}, f"\n{LINE}\n*"),
    # a result that is set stands at both places
    (
        '[Result "*"]\n\n1. e5 *',
        {"set": {"Result": "1-0", "Termination": "adjudication"}},
        '[Termination "adjudication"]\n[Result "1-0"]\n\n1. e5 1-0',
    ),
    # names that are taken become free
    (
        '[White "a"]\n[First "b"]\n\n*',
        {"drop": {"First"}, "rename": {"White": "First"}},
        '[First "a"]\n\n*',
    ),
    (
        '[White "a"]\n[First "b"]\n\n*',
        {"rename": {"White": "First", "First": "White"}},
        '[First "a"]\n[White "b"]\n\n*',
    ),
)


def test_gaps_are_where_they_were() -> None:
    for text, edits, expected in CASES:
        frozen = {
            name: frozenset(value) if isinstance(value, set) else value
            for name, value in edits.items()
        }
        assert after(HEAD + text, **frozen) == HEAD + expected, text


def test_a_tag_is_added_as_the_others_stand() -> None:
    for head, added in (
        ('[Game "y"]', ' [Mood "x"]'),
        ('[Game "y"]\n', '\n[Mood "x"]'),
        ('[Game "y"]\r\n[Date "?"]\r\n', '\r\n[Mood "x"]'),
        ('[Game "y"] [Date "?"]\n', '\n[Mood "x"]'),
    ):
        end = head.rindex("]") + 1
        assert after(f"{head} e5 *", set={"Mood": "x"}) == f"{head[:end]}{added}{head[end:]} e5 *"


def test_no_tag_comes_to_stand_behind_an_empty_line_where_it_would_begin_a_record() -> None:
    text = HEAD + '\n[ Round "3"]\n[Seed "1"]\n\ne5 *'  # only a [ and a letter begin one
    added = after(text, set={"Event": "x"})
    assert added == text.replace("\n\n[ R", '\n[Event "x"]\n\n[ R')
    assert after(text, drop=frozenset({"Round"})) == HEAD + '[Seed "1"]\n\ne5 *'


def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(RecordValueError, match="First"):
        after(HEAD + '[White "a"]\n[First "b"]\n\n*', rename={"White": "First"})


def test_players_change_names_at_once_and_where_their_end_is_told() -> None:
    text = (
        HEAD + '[First "a"]\n[Second "b  c"]\n[Annotator "a"]\n[Event "a"]\n[Termination "crash"]\n'
        "\n{b\nc (second): exit status 1; a (first): said}\n1. e5 1-0"
    )
    new = after(text, players={"a": "b  c", "b  c": "}"})
    record = parse(new)
    assert (record.first, record.second) == ("b  c", "}")
    assert (record.tag("Annotator"), record.tag("Event")) == ("b  c", "a")
    assert record.forfeit is not None
    assert (record.forfeit.bot, record.forfeit.reason) == ("}", "exit status 1; a (first): said")


def test_a_cut_game_does_not_tell_how_it_was_lost() -> None:
    text = HEAD + '[First "a"]\n[Termination "crash"]\n\n{a (first): gone [%mood x]}\n{kept}\n'
    new = after(text + "1. e5 2. d4 0-1", plies=1)
    assert parse(new) == truncate(parse(text + "1. e5 2. d4 0-1"), 1)
    assert new.endswith('[Termination "unterminated"]\n\n{[%mood x]}\n{kept}\n1. e5 *')


def test_variations_are_valid_games_of_their_own_that_count_for_nobody() -> None:
    text = HEAD + '[First "a"]\n[Number "7"]\n[Result "*"]\n\n'
    text += (
        "1. a1 (1. b1 {x} 2. swap) 2. e1 3. b1 4. e2 (4. d1! (4. d2 5. a5) 5. c1) (4. c1) 5. i1 *"
    )
    assert [
        (each.tag("VariationOf"), " ".join((*each.moves, each.result)))
        for each in split_variations(parse(text), "record 7")
    ] == [
        ("record 7, ply 1", "b1 swap *"),
        ("record 7, ply 4 (1)", "a1 e1 b1 d1 c1 0-1"),
        ("record 7, ply 4 (1), ply 4", "a1 e1 b1 d2 a5 *"),
        ("record 7, ply 4 (2)", "a1 e1 b1 c1 *"),
    ]
    whole, *others = edited(text, parse(text), Edits(split=True), 7)
    assert whole == text[: text.index("(")] + "2. e1 3. b1 4. e2 5. i1 *"
    for other in map(parse, (whole, *others)):
        assert (check(other), other.first) == ([], "a")
    assert {parse(other).termination for other in others} == {"void"}
    assert "Number" not in "".join(others)


Changes = list[tuple[bytes, bytes]]


def some_changes(chance: Random) -> Changes:
    """Return parts of a text, most of which stay, cut anywhere."""
    signs = [b"a", b"b", b"\n", b"\n", b"\r\n", b"\x85", b"\xff"]

    def text(most: int) -> bytes:
        return b"".join(chance.choices(signs, k=chance.randrange(most)))

    changes = []
    for _ in range(chance.randrange(8)):
        old = text(30)
        changes.append((old, old if chance.random() < 0.7 else text(8)))
    return changes


def test_a_diff_makes_the_new_text_of_the_old_one_wherever_it_is_cut() -> None:
    long = [(b"a\n" * 2000 + b"b\n", b"a\n" * 1999 + b"c\n")]
    for changes in (long, *(some_changes(Random(seed)) for seed in range(150))):
        old, new = (
            (b"".join(side) for side in zip(*changes, strict=True)) if changes else (b"", b"")
        )
        diff = b"".join(unified_diff(changes, "f"))
        assert patched(old, diff) == new
        assert bool(diff) == (old != new)


def test_hunks_have_the_context_that_difflib_gives_them() -> None:
    old = [f"{number}\n" for number in range(60)]
    new = [line if int(line) % 13 else f"changed {line}" for line in old]
    changes = [(a.encode(), b.encode()) for a, b in zip(old, new, strict=True)]
    expected = "".join(difflib.unified_diff(old, new, "f", "f"))
    assert b"".join(unified_diff(changes, "f")).decode() == expected


def test_a_file_is_named_as_patch_reads_names() -> None:
    for name, named in (
        ("games.lath", b"games.lath"),
        ("my games.lath", b"my games.lath\t"),  # else `patch` takes its first word
        (" games.lath", b'"\\040games.lath"'),
        ("a\nb", b'"a\\012b"'),
        ('a"b', b'"a\\042b"'),
        ("\udcff.lath", b"\xff.lath"),
    ):
        lines = b"".join(unified_diff([(b"a\n", b"b\n")], name)).splitlines()
        assert lines[:2] == [b"--- " + named, b"+++ " + named]
