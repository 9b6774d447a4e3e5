"""SGF as it is written: to the letter, and read back by a small parser of the grammar of FF[4]."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest
from format_files import whole, written
from hypothesis import given
from record_strategies import RECORDS
from sample_records import BUILT_IN, hostile_records, random_game

from lath.games.core import Result
from lath.notation import parse
from lath.notation.record.record import (
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
from lath.notation.rules.replay import canonical, positions

if TYPE_CHECKING:
    from golden import Golden

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


def sgf(*records: Record | str) -> str:
    """Return the text of records, of which nothing is lost."""
    return whole(
        "sgf", [parse(each) if isinstance(each, str) else each for each in records]
    ).decode()


def root_of(**tags: str) -> Node:
    """Return the first node of a record of Yavalath with these tags, and this result."""
    result = tags.pop("result", "*")
    (tree,) = read(sgf(Record((("Game", "yavalath"), *tags.items()), (), Result(result))))
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
GLYPHS = {"TE1": "!", "TE2": "!!", "BM1": "?", "BM2": "??", "IT": "!?", "DO": "?!"}


def record_of(tree: Tree) -> Record:
    """Return the record that a tree tells of; its tags are sorted."""
    root = tree.nodes[0]
    tags = dict(map(composed, root.get("TAG", [])))
    first, second = ("PW", "PB") if is_white_first(tags["Game"]) else ("PB", "PW")
    names = {**PROPERTIES, "First": first, "Second": second}
    tags |= {tag: plain(root[name][0]) for tag, name in names.items() if name in root}
    results = {"Draw": "1/2-1/2", "?": "*", "Void": "*", f"{first[1]}+": "1-0"}
    result = results.get(re.sub(r"(?<=\+)[RTF]", "", root["RE"][0]), "0-1")
    line = line_of(tree.nodes[1:], tree.trees)
    return record_as_read(
        tuple(sorted(tags.items())), line, Result(result), comments_of(root, "GC")
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
    glyphs = [GLYPHS[name + node[name][0]] for name in ("TE", "BM", "IT", "DO") if name in node]
    assert f"{'BW'.replace(name, '')}L" not in node
    return Ply(plain(move), "".join(glyphs), comments_of(node, "C"))


def with_sorted_tags(record: Record) -> Record:
    tags = [tag for tag in record.tags if tag != ("Result", record.result)]
    return record_as_read(tuple(sorted(tags)), record.plies, record.result, record.comments)


def test_a_record_with_everything_is_written_so_and_whole_in_its_tree(golden: Golden) -> None:
    text = sgf(RECORD)
    golden(text, version=version("lath-arena"))
    (tree,) = read(text)
    assert record_of(tree) == with_sorted_tags(canonical(RECORD))
    two = sgf(RECORD, replace(RECORD, plies=()))
    assert two.startswith(f"{text}\n(;FF[4]")
    assert (len(read(two)), sgf()) == (2, "")


@given(RECORDS)
def test_every_record_is_whole_in_its_tree_or_its_losses_are_told(record: Record) -> None:
    content, lost = written("sgf", [record])
    (tree,) = read(content.decode())
    if not lost:
        assert record_of(tree) == with_sorted_tags(canonical(record))
    else:
        kept = dict(record_of(tree).tags)
        changed = {n for n, v in canonical(record).tags if kept.get(n, record.result) != v}
        assert changed <= {field.removeprefix("tag ") for _, field in lost}


def test_each_move_is_a_property_of_who_decides() -> None:
    for game_id in BUILT_IN:
        record = random_game(game_id, 5)
        (tree,) = read(sgf(record))
        letters = "WB" if is_white_first(game_id) else "BW"
        movers = [letters[position.to_move] for position in positions(record)][:-1]
        assert [next(iter(node)) for node in tree.nodes[1:]] == movers


SIDES = {
    '[Game "surikata"] [First "ann"] [Second "bob"] 1. Ma1 2. Mb2 *': (
        *("PB[ann]\nPW[bob]", ";B[Ma1]\n;W[Mb2])"),
    ),
    '[Game "yavalath"] [Position "w4/6/7/8/9/8/7/6/5 b"] 1. e5 *': (
        "\nTAG[Game:yavalath][Position:w4/6/7/8/9/8/7/6/5 b]\n;B[e5])",
    ),
    '[Game "surikata"] Ma1 nonsense Mb2 Mb3 *': (";B[Ma1]\n;W[nonsense]\n;B[Mb2]\n;W[Mb3])",),
    '[Game "chess"] [First "ann"] e4 e5 1-0': (
        "GM[chess]\nPB[ann]\nRE[B+]\nTAG[Game:chess]\n;B[e4]\n;W[e5])",
    ),
    '[Game "yavalath"] e5 {[%clk -1]} e6 {[%clk soon]} *': (
        ";W[e5]C[[%clk -1.000\\]]\n;B[e6]C[[%clk soon\\]])",
    ),
    '[Game "yavalath"] [Result "1-0"] 0-1': ("\nRE[B+]\nTAG[Game:yavalath][Result:1-0])",),
    '[Game "yavalath"] e5 (e6 (e7)) (e8) *': ("\n(;W[e5])\n(;\n(;W[e6])\n(;W[e7]))\n(;W[e8]))\n",),
}
"""Who has which colour: of a game whose second is white, behind a position, and behind a move that
is refused; games that are not installed, times that are none, and a result that is another."""


def test_sides_times_and_variations_are_written_so() -> None:
    missing = {
        text: parts for text, parts in SIDES.items() if any(p not in sgf(text) for p in parts)
    }
    assert missing == {}


RESULTS = {
    ("1-0", "rules"): "W+",
    ("0-1", ""): "B+",
    ("1-0", "resignation"): "W+R",
    ("0-1", "time"): "B+T",
    ("1-0", "illegal move"): "W+F",
    ("1-0", "crash"): "W+F",
    ("1-0", "flood"): "W+F",
    ("1-0", "adjudication"): "W+",
    ("1/2-1/2", "agreement"): "Draw",
    ("1/2-1/2", "ply limit"): "Draw",
    ("*", "void"): "Void",
    ("*", "unterminated"): "?",
    ("*", ""): "?",
}
CONTROLS = {
    "10+0.1": {"TM": ["10"], "OT": ["0.1 added after each move"]},
    "7200": {"TM": ["7200"]},
    "1234567.25": {"TM": ["1234567.25"]},
    "move 0.5": {"OT": ["0.5 for each move"]},
    "nodes 1000": {"OT": ["1000 nodes for each move"]},
    "none": {},
    "two weeks": {},
}


def test_results_times_and_dates_are_told_in_words_of_sgf_and_kept_to_the_letter() -> None:
    for (result, why), told in RESULTS.items():
        assert root_of(result=result, Termination=why)["RE"] == [told]
    for control, told_so in CONTROLS.items():
        root = root_of(TimeControl=control)
        assert {name: root[name] for name in ("TM", "OT") if name in root} == told_so
        assert root["TAG"] == ["Game:yavalath", f"TimeControl:{control}"]
    for date in ("?", "20 November", ""):
        root = root_of(Date=date)
        assert ("DT" in root, root["TAG"][-1]) == (False, f"Date:{date}")


def yavalath(*plies: Ply, **more: Any) -> Record:
    """Return a record of what reading gives, or would never give."""
    tag = more.pop("tag", None)
    return record_as_read((("Game", "yavalath"), *([tag] if tag else [])), plies, **more)


def test_what_sgf_cannot_hold_is_told_once_a_record() -> None:
    tabbed, glyph = ply_as_read("e5", comments=(("a\tb",),)), ply_as_read("e6", "=")
    words = variation_as_read((Ply("e6"),), (("\v",),))
    unheld = [
        (yavalath(tag=("Event", "a\tb")), "tag Event"),
        (yavalath(tag=("Mood", "a\r\nb")), "tag Mood"),
        (yavalath(tag=("Mood", "\ud800")), "tag Mood"),
        (yavalath(comments=(("a\nb",),)), "comments"),
        (yavalath(tabbed), "comments"),
        (yavalath(Ply("e5", variations=(words,))), "comments"),
        (yavalath(Ply("e5", variations=(Variation((glyph,)),))), "glyphs"),
        (yavalath(*bare_plies(["e 5", "e\n5"])), "moves"),
    ]
    content, lost = written("sgf", [yavalath(), *(record for record, _ in unheld)])
    assert lost == [(number, field) for number, (_, field) in enumerate(unheld, 2)]
    assert len(read(content.decode())) == 1 + len(unheld)


def test_names_that_want_to_break_out_stay_inside() -> None:
    tags = (("Game", "x]RE[W+"), ("First", "a\\"), ("Second", "]);(;"), ("A", ":]\\:"))
    (tree,) = read(sgf(Record(tags)))
    root = tree.nodes[0]
    assert [plain(root[name][0]) for name in ("GM", "PB", "PW")] == ["x]RE[W+", "a\\", "]);(;"]
    assert [composed(value) for value in root["TAG"]] == [("Game", "x]RE[W+"), ("A", ":]\\:")]
    for hostile in hostile_records():
        read(written("sgf", [hostile])[0].decode())


def test_variations_of_words_alone_or_at_each_ply_are_branches() -> None:
    alone = variation_as_read(()), variation_as_read((), (("only words",),))
    assert sgf(yavalath(Ply("e5", variations=alone))).endswith("\n(;W[e5])\n(;C[only words]))\n")
    nested = parse('[Game "yavalath"] e5 (e6 (e7)) (e8) *')
    each = Ply("e5", variations=(Variation((Ply("e6"), Ply("e7"))),))
    for record in (
        nested,
        *(Record((("Game", "yavalath"),), (each,) * count) for count in (1, 60)),
    ):
        (tree,) = read(sgf(record))
        assert record_of(tree) == record
