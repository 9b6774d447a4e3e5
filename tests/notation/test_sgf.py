"""SGF as it is written: to the letter, and read back by a small parser of the grammar of FF[4]."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_strategies import RECORDS
from sample_records import BUILT_IN, hostile_records, random_game

from lath.notation import parse
from lath.notation.formats import sgf
from lath.notation.record import (
    Comment,
    Ply,
    Record,
    Variation,
    bare_plies,
    comment,
    ply_as_read,
    record_as_read,
    variation_as_read,
)
from lath.notation.replay import canonical, positions

RECORD = parse(
    r"""
[Game "mammalath"]
[Event "Autumn: [bots] \\ more"]
[Site "Here"]
[Date "2026-11-20"]
[Round "3"]
[First "greedy"]
[Second "mcts"]
[Setup "FABCDE/EFABCD/DEFABC/CDEFAB/BCDEFA/ABCDEF"]
[TimeControl "10+0.1"]
[Opening "Corner"]
[Seed "7"]
[Annotator "me"]
[Mood "a:b"]
[Termination "resignation"]
[Result "0-1"]

{Both bots at 2 threads.} {Quiet.}
1. c3 {[%clk 9.5] [%eval 0.1] calm} {slow} (1. d4! 2. swap?!) ({Not so [good].} 1. e5 (1. e4 2. a1))
2. swap?? 3. d4!? 4. xF? 5. xb4-b2!! 6. e5 (6. xA 7. a1) 0-1
""".lstrip()
)

WRITTEN = rf"""(;FF[4]CA[UTF-8]AP[lath-arena:{version("lath-arena")}]GM[Mammalath]
EV[Autumn: [bots\] \\ more]
PC[Here]
DT[2026-11-20]
RO[3]
PW[greedy]
PB[mcts]
ON[Corner]
AN[me]
TM[10]
OT[0.1 added after each move]
RE[B+R]
TAG[Game:mammalath][Setup:FABCDE/EFABCD/DEFABC/CDEFAB/BCDEFA/ABCDEF][TimeControl:10+0.1][Seed:7]%
[Mood:a\:b][Termination:resignation]
GC[Both bots at 2 threads.
Quiet.]
(;W[c3]WL[9.500]C[[%clk 9.500\] [%eval 0.1\] calm
slow]
;B[swap]BM[2]
;W[d4]IT[]
;B[xF]BM[1]
;W[xb2-b4]TE[2]
(;B[e5])
(;B[xA]
;W[a1]))
(;W[d4]TE[1]
;B[swap]DO[])
(;C[Not so [good\].]
(;W[e5])
(;W[e4]
;B[a1])))
""".replace("%\n", "")


def written(*records: Record) -> tuple[str, list[tuple[int, str]]]:
    """Return the text of the records, and what was told of as lost."""
    lost: list[tuple[int, str]] = []
    pieces = sgf.write(records, lambda number, field: lost.append((number, field)))
    return b"".join(pieces).decode(), lost


def root_of(record: Record) -> Node:
    text, lost = written(record)
    assert lost == []
    (tree,) = read(text)
    return tree.nodes[0]


Node = dict[str, list[str]]


class Tree:
    """One game tree of the grammar: a sequence of nodes, then trees."""

    def __init__(self, nodes: Sequence[Node], trees: Sequence[Tree]) -> None:
        self.nodes = nodes
        self.trees = trees


TOKEN = re.compile(r"\s*(?:([();])|([A-Z]+)|\[((?:[^\]\\]|\\.)*)\])\s*", re.DOTALL)


def read(text: str) -> list[Tree]:
    """Return the trees of a text; fails where the grammar of FF[4] does not allow it."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match, text[at:]
        kind = "sign" if match[1] else "name" if match[2] else "value"
        tokens.append((kind, match[1] or match[2] or match[3]))
        at = match.end()
    tokens.append(("sign", "end"))
    feed = iter(tokens)
    trees = []
    while next(feed) == ("sign", "("):
        trees.append(read_tree(feed))
    return trees


def read_tree(feed: Iterator[tuple[str, str]]) -> Tree:
    nodes: list[Node] = []
    trees: list[Tree] = []
    name = ""
    for kind, text in feed:
        if kind == "name":
            assert nodes
            assert not trees
            assert text not in nodes[-1], f"{text} stands twice in a node"
            nodes[-1][text] = []
            name = text
        elif kind == "value":
            nodes[-1][name].append(text)
        elif text == ";":
            assert not trees
            nodes.append({})
        elif text == "(":
            trees.append(read_tree(feed))
        elif text == ")":
            assert nodes, "a tree without a node"
            assert all(values for node in nodes for values in node.values())
            return Tree(nodes, trees)
    pytest.fail("a tree is never closed")


def plain(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def composed(value: str) -> tuple[str, str]:
    match = re.fullmatch(r"((?:[^\\:]|\\.)*):((?:[^\\:]|\\.)*)", value, re.DOTALL)
    assert match
    return plain(match[1]), plain(match[2])


PROPERTIES = {
    "Event": "EV",
    "Site": "PC",
    "Date": "DT",
    "Round": "RO",
    "Opening": "ON",
    "Annotator": "AN",
}
GLYPHS = {
    ("TE", "1"): "!",
    ("TE", "2"): "!!",
    ("BM", "1"): "?",
    ("BM", "2"): "??",
    ("IT", ""): "!?",
    ("DO", ""): "?!",
}


def record_of(tree: Tree) -> Record:
    """Return the record that a tree tells of; its tags are sorted."""
    root = tree.nodes[0]
    tags = dict(map(composed, root.get("TAG", [])))
    first, second = ("PW", "PB") if is_white_first(tags["Game"]) else ("PB", "PW")
    names = {**PROPERTIES, "First": first, "Second": second}
    tags |= {tag: plain(root[name][0]) for tag, name in names.items() if name in root}
    result = {
        "Draw": "1/2-1/2",
        "?": "*",
        "Void": "*",
        f"{first[1]}+": "1-0",
        f"{second[1]}+": "0-1",
    }[re.sub(r"(?<=\+)[RTF]", "", root["RE"][0])]
    comments = comments_of(root, "GC")
    return record_as_read(
        tuple(sorted(tags.items())), line_of(tree.nodes[1:], tree.trees), result, comments
    )


def is_white_first(game_id: str) -> bool:
    return game_id in ("mammalath", "mammalath-plus", "yavalath")


def comments_of(node: Node, name: str) -> tuple[Comment, ...]:
    return tuple(map(comment, plain(node[name][0]).split("\n"))) if name in node else ()


def line_of(nodes: Sequence[Node], trees: Sequence[Tree]) -> tuple[Ply, ...]:
    plies = tuple(map(ply_of, nodes))
    if not trees:
        return plies
    line, *others = trees
    first, *rest = line_of(line.nodes, line.trees)
    return (*plies, replace(first, variations=tuple(map(variation_of, others))), *rest)


def variation_of(tree: Tree) -> Variation:
    nodes, comments = tree.nodes, comments_of(tree.nodes[0], "C")
    if "B" in nodes[0] or "W" in nodes[0]:
        return Variation(line_of(nodes, tree.trees))
    return Variation(line_of(nodes[1:], tree.trees), comments)


def ply_of(node: Node) -> Ply:
    ((name, (move,)),) = [(name, node[name]) for name in ("B", "W") if name in node]
    glyphs = [GLYPHS[name, node[name][0]] for name in ("TE", "BM", "IT", "DO") if name in node]
    assert f"{'BW'.replace(name, '')}L" not in node
    return Ply(plain(move), "".join(glyphs), comments_of(node, "C"))


def with_sorted_tags(record: Record) -> Record:
    tags = [tag for tag in record.tags if tag != ("Result", record.result)]
    return record_as_read(tuple(sorted(tags)), record.plies, record.result, record.comments)


def test_a_record_with_everything_is_written_so() -> None:
    assert written(RECORD) == (WRITTEN, [])


def test_a_record_with_everything_is_still_whole_in_its_tree() -> None:
    (tree,) = read(WRITTEN)
    assert record_of(tree) == with_sorted_tags(canonical(RECORD))


@given(RECORDS)
def test_every_record_is_whole_in_its_tree_or_its_losses_are_told(record: Record) -> None:
    text, lost = written(record)
    (tree,) = read(text)
    if not lost:
        assert record_of(tree) == with_sorted_tags(canonical(record))
    else:
        kept = dict(record_of(tree).tags)
        changed = {n for n, v in canonical(record).tags if kept.get(n, record.result) != v}
        assert changed <= {field.removeprefix("tag ") for _, field in lost}


def test_records_stand_one_after_the_other() -> None:
    text, _ = written(RECORD, replace(RECORD, plies=()))
    assert text.startswith(f"{WRITTEN}\n(;FF[4]")
    assert len(read(text)) == 2
    assert written() == ("", [])


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_each_move_is_a_property_of_who_decides(game_id: str) -> None:
    record = random_game(game_id, 5)
    (tree,) = read(written(record)[0])
    letters = "WB" if is_white_first(game_id) else "BW"
    movers = [letters[position.to_move] for position in positions(record)][:-1]
    assert [next(iter(node)) for node in tree.nodes[1:]] == movers


def test_the_seat_whose_colour_is_white_is_w_also_where_it_is_second() -> None:
    record = parse('[Game "surikata"]\n[First "ann"]\n[Second "bob"]\n\n1. Ma1 2. Mb2 *')
    text, _ = written(record)
    assert "PB[ann]\nPW[bob]" in text
    assert ";B[Ma1]\n;W[Mb2])" in text


def test_a_position_says_who_begins() -> None:
    record = parse('[Game "yavalath"]\n[Position "w4/6/7/8/9/8/7/6/5 b"]\n\n1. e5 *')
    text, lost = written(record)
    assert "\nTAG[Game:yavalath][Position:w4/6/7/8/9/8/7/6/5 b]\n;B[e5])" in text
    assert lost == []


def test_behind_a_move_that_is_refused_seats_alternate() -> None:
    text, _ = written(parse('[Game "surikata"] Ma1 nonsense Mb2 Mb3 *'))
    assert ";B[Ma1]\n;W[nonsense]\n;B[Mb2]\n;W[Mb3])" in text


def test_a_game_that_is_not_installed_is_named_by_its_id() -> None:
    text, lost = written(parse('[Game "chess"] [First "ann"] e4 e5 1-0'))
    assert "GM[chess]\nPB[ann]\nRE[B+]\nTAG[Game:chess]\n;B[e4]\n;W[e5])" in text
    assert lost == []


@pytest.mark.parametrize(
    ("result", "termination", "told"),
    [
        ("1-0", "rules", "W+"),
        ("0-1", "", "B+"),
        ("1-0", "resignation", "W+R"),
        ("0-1", "time", "B+T"),
        ("1-0", "illegal move", "W+F"),
        ("1-0", "crash", "W+F"),
        ("1-0", "flood", "W+F"),
        ("1-0", "adjudication", "W+"),
        ("1/2-1/2", "agreement", "Draw"),
        ("1/2-1/2", "ply limit", "Draw"),
        ("*", "void", "Void"),
        ("*", "unterminated", "?"),
        ("*", "", "?"),
    ],
)
def test_a_result_says_who_won_and_why(result: str, termination: str, told: str) -> None:
    record = Record((("Game", "yavalath"), ("Termination", termination)), (), result)
    assert root_of(record)["RE"] == [told]


@pytest.mark.parametrize(
    ("control", "told"),
    [
        ("10+0.1", {"TM": ["10"], "OT": ["0.1 added after each move"]}),
        ("7200", {"TM": ["7200"]}),
        ("1234567.25", {"TM": ["1234567.25"]}),
        ("move 0.5", {"OT": ["0.5 for each move"]}),
        ("nodes 1000", {"OT": ["1000 nodes for each move"]}),
        ("none", {}),
        ("two weeks", {}),
    ],
)
def test_a_time_control_is_told_in_seconds_and_kept_to_the_letter(control: str, told: Node) -> None:
    root = root_of(Record((("Game", "yavalath"), ("TimeControl", control))))
    assert {name: root[name] for name in ("TM", "OT") if name in root} == told
    assert root["TAG"] == ["Game:yavalath", f"TimeControl:{control}"]


@pytest.mark.parametrize("date", ["?", "20 November", ""])
def test_a_date_that_is_none_is_only_a_tag(date: str) -> None:
    root = root_of(Record((("Game", "yavalath"), ("Date", date))))
    assert "DT" not in root
    assert root["TAG"][-1] == f"Date:{date}"


def test_a_result_among_the_tags_that_is_another_is_kept() -> None:
    root = root_of(Record((("Game", "yavalath"), ("Result", "1-0")), (), "0-1"))
    assert root["RE"] == ["B+"]
    assert root["TAG"] == ["Game:yavalath", "Result:1-0"]


def test_time_left_that_is_no_time_is_only_a_comment() -> None:
    text, _ = written(parse('[Game "yavalath"] e5 {[%clk -1]} e6 {[%clk soon]} *'))
    assert ";W[e5]C[[%clk -1.000\\]]\n;B[e6]C[[%clk soon\\]])" in text


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (Record((("Game", "yavalath"), ("Event", "a\tb"))), "tag Event"),
        (record_as_read((("Game", "yavalath"), ("Mood", "a\r\nb"))), "tag Mood"),
        (record_as_read((("Game", "yavalath"), ("Mood", "\ud800"))), "tag Mood"),
        (record_as_read((("Game", "yavalath"),), comments=(("a\nb",),)), "comments"),
        (Record((("Game", "yavalath"),), (ply_as_read("e5", comments=(("a\tb",),)),)), "comments"),
        (
            Record(
                (("Game", "yavalath"),),
                (Ply("e5", variations=(variation_as_read((Ply("e6"),), (("\v",),)),)),),
            ),
            "comments",
        ),
        (
            Record(
                (("Game", "yavalath"),),
                (Ply("e5", variations=(Variation((ply_as_read("e6", "="),)),)),),
            ),
            "glyphs",
        ),
        (Record((("Game", "yavalath"),), bare_plies(["e 5", "e\n5"])), "moves"),
    ],
)
def test_what_sgf_cannot_hold_is_told_once_a_record(record: Record, field: str) -> None:
    good = Record((("Game", "yavalath"),))
    text, lost = written(good, record)
    assert lost == [(2, field)]
    assert len(read(text)) == 2


def test_names_that_want_to_break_out_stay_inside() -> None:
    record = Record((("Game", "x]RE[W+"), ("First", "a\\"), ("Second", "]);(;"), ("A", ":]\\:")))
    root = root_of(record)
    assert [plain(root[name][0]) for name in ("GM", "PB", "PW")] == ["x]RE[W+", "a\\", "]);(;"]
    assert [composed(value) for value in root["TAG"]] == [("Game", "x]RE[W+"), ("A", ":]\\:")]
    for hostile in hostile_records():
        read(written(hostile)[0])


def test_a_variation_of_words_alone_is_a_node_of_its_own() -> None:
    plies = (
        Ply("e5", variations=(variation_as_read(()), variation_as_read((), (("only words",),)))),
    )
    text, _ = written(Record((("Game", "yavalath"),), plies))
    assert text.endswith("\n(;W[e5])\n(;C[only words]))\n")


def test_a_variation_of_the_first_move_of_a_variation_keeps_its_depth() -> None:
    record = parse('[Game "yavalath"] e5 (e6 (e7)) (e8) *')
    text, _ = written(record)
    assert text.endswith("\n(;W[e5])\n(;\n(;W[e6])\n(;W[e7]))\n(;W[e8]))\n")
    assert record_of(read(text)[0]) == record


@given(st.integers(1, 60))
def test_a_variation_at_each_ply_is_a_branch_at_each_node(count: int) -> None:
    ply = Ply("e5", variations=(Variation((Ply("e6"), Ply("e7"))),))
    record = Record((("Game", "yavalath"),), (ply,) * count)
    (tree,) = read(written(record)[0])
    assert record_of(tree) == record
