"""What authors of short games write: wrong values are refused, and messages use their words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from game_files import EXAMPLES, forget_games, write_game
from places import ROOT

from lath import games
from lath.arena.botcheck.points import Verdict
from lath.arena.gamecheck.check import IDS, check, loaded
from lath.arena.gamecheck.lab import GameLab
from lath.arena.gamecheck.points import GamePoint
from lath.arena.gamecheck.rules import LAWS
from lath.games.authors import MENDS, OF_LINES, OF_SIMPLE, TERMS
from lath.games.board import squares
from lath.games.contract import HAPPENED, SIDES, Side
from lath.games.core import Outcome
from lath.games.errors import GameError, GameFileError
from lath.games.laws import Law
from lath.games.lines import LineGame
from lath.games.simple import SimpleGame, State
from lath.games.trial import faults_of, wrong_with

# Turns


class Turns(SimpleGame):
    """Stones on empty cells; three in line win. A stone on the edge of column a moves again."""

    id, title, credit = "turns", "Turns", "a test"
    board = squares(4, 3)

    def legal(self, state: State) -> Iterable[str]:
        return state.names(state.empty)

    def after(self, state: State, move: str) -> State:
        return state.put(move).again() if move[0] == "a" else state.put(move)

    def ending(self, state: State) -> Outcome | None:
        lines = self.board.finished(self.board.lines(3), state.theirs)
        return state.won("three in line", lines) if lines else None


class Race(Turns):
    """A stone on c1 wins, whoever moves next."""

    def after(self, state: State, move: str) -> State:
        return state.again().put(move)

    def ending(self, state: State) -> Outcome | None:
        return state.won("a stone on c1") if state.on("c1") else None


class Misere(Turns):
    """Three in line lose, and each player moves again and again."""

    def after(self, state: State, move: str) -> State:
        return state.again().put(move).again()

    def ending(self, state: State) -> Outcome | None:
        lines = self.board.finished(self.board.lines(3), state.theirs)
        return state.lost("three in line", lines) if lines else None


class Pairs(Turns):
    """Two moves a turn; a fact counts those that are left."""

    facts = {"left": 1}  # noqa: RUF012 - it never changes

    def after(self, state: State, move: str) -> State:
        left = state.fact("left")
        found = state.put(move).set("left", 1 - left)
        return found.again() if left else found


class Counts(Turns):
    """More stones on a full board win. A stone in column b turns over its neighbours."""

    def after(self, state: State, move: str) -> State:
        found = state.put(move)
        if move[0] == "b":
            found = found.put(state.near(move) & state.theirs)
        return found.again() if move[1] == "2" else found

    def ending(self, state: State) -> Outcome | None:
        last, other = state.theirs.bit_count(), state.own.bit_count()
        if state.empty or last == other:
            return None if state.empty else state.drawn("as many stones each")
        if last > other:
            return state.won("more stones", state.theirs)
        return state.lost("fewer stones", state.theirs)


TURNING: Final = (Turns, Race, Misere, Pairs, Counts)
FILES: Final = ("hex", "amazons", "six_mens_morris")


@pytest.mark.parametrize("kind", [*TURNING, *FILES])
def test_an_ending_names_the_player_of_the_last_move_whoever_is_next(
    kind: type[SimpleGame] | str,
) -> None:
    game: Any = games.add(EXAMPLES / f"{kind}.py") if isinstance(kind, str) else kind()
    again = ends = 0
    for seed in range(12):
        state, last, chance = game.start(), Side.FIRST, Random(seed)
        while legal := state.legal_moves():
            last = state.to_move
            state = state.play(chance.choice(legal))
            again += state.to_move == last
            read = game.position(state.text())
            assert (read, read.outcome()) == (state, state.outcome())
        assert state.to_move == last.other or not game.ending(state)
        if game.ending(state) and (outcome := state.outcome()).winner is not None:
            ends += 1
            assert outcome.winner == (last.other if outcome.is_loss else last)
            owned = [game.places_of_side[last]] if outcome.cells else []
            codes = {[*game.place_of][place] for places in owned for place in places}
            assert {state.on(cell) for cell in outcome.cells} <= codes
    assert ends or kind == "amazons"
    assert (again > 0) == (not isinstance(kind, str))
    if not isinstance(kind, str):
        assert wrong_with(game, games=8, seconds=9) == ""


def test_again_does_not_depend_on_its_place_and_a_piece_replaces_another() -> None:
    start = Turns().start()
    first = start.put("b2")
    assert first.again() == first.again().again() == start.again().put("b2")
    assert start.again().own == start.own
    turned = first.play(first.legal_moves()[0]).put("b2", "w").put("a1", "w")
    assert (turned.on("b2"), turned.on("a1")) == ("w", "w")
    both = start.put(start.empty, "b")
    assert (both.of("b"), both.of("w")) == (start.empty, 0)


def test_a_piece_stays_under_one_of_another_field() -> None:
    kind: Any = type("Stacked", (Turns,), {"form": "w b"})
    game = kind()
    start = game.start()
    stacked = start.put("a1").put("a1", "b")
    assert (stacked.on("a1"), start.put("a1").put("a1").on("a1")) == ("wb", "w")
    assert game.position(stacked.text()) == stacked


# Attributes

WRONG: Final[dict[str, list[Any]]] = {
    "id": [3],
    "title": [None],
    "credit": [("Ann", 2020)],
    "rules": [2],
    "expected": [("a cell",)],
    "board": ["squares(6)", 6],
    "colours": ["white", ("white", "white"), ("white",), ("dark red", "blue"), ("1st", "2nd")],
    "parameters": [{"size": 5}],
    "pieces": [[("w", "white piece")], {}],
    "side_owners": [0, (0, 2), ("white", "black")],
    "has_swap": ["no", 1],
    "rows": [3, ["3", "3"]],
    "form": [["w", "b"]],
    "stuck_words": [None],
    "escapes": ["no"],
    "facts": [{"n": [1]}, {"n": "a b"}, {"n": True}, {"n": None}, {"n": ""}, [("n", 1)]],
    "move_count": ["7"],
    "stuck": ["loss", "draw", "LOST", None],
    "symmetric": ["diagonal", "mirrors", True],
    "words": ["pass", ("pass", 1), ("",)],
}
NEAR: Final = {"loss": "lost", "draw": "drawn", "mirrors": "mirror"}


class Squava(LineGame):
    id, title, credit = "squava", "Squava", "a test"

    def __init__(self) -> None:
        super().__init__(squares(5), win=4, lose=3)


@pytest.mark.parametrize("base", [Turns, Squava])
def test_a_wrong_attribute_is_refused_with_its_value_and_what_is_expected(base: type) -> None:
    kinds = OF_SIMPLE if base is Turns else OF_LINES
    assert {*OF_SIMPLE, *OF_LINES} == {*WRONG}
    for name, kind in kinds.items():
        for value in WRONG[name]:
            wrong: Any = type("Wrong", (base,), {name: value})
            late: Any = type(
                "Wrong", (base,), {"__init__": lambda game, n=name, v=value: setattr(game, n, v)}
            )
            for made in (wrong, late):
                with pytest.raises(GameError) as caught:
                    made()
                words = f"Wrong.{name} is {value!r:.60}, expected {kind.expected}"
                meant = f"; did you mean {NEAR[value]!r}?" if str(value) in NEAR else ""
                assert str(caught.value) == words + meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Title", ""),
        ("simmetric", "symmetric"),
        ("stuckwords", "stuck_words"),
        ("colors", "colours"),
    ],
)
def test_a_slip_in_a_name_is_refused_unless_both_are_there(name: str, meant: str) -> None:
    known: Any = type("Known", (Turns,), {name: "x"})
    if not meant:  # the base class has it
        assert known().title == "Turns"
        return
    with pytest.raises(
        GameError, match=f"Known has the unknown attribute {name}, expected {meant}"
    ):
        known()
    both = {name: "x", meant: getattr(Turns, meant)}
    assert type("Known", (Turns,), both)().id == "turns"


def test_a_game_without_one_of_its_three_methods_is_refused() -> None:
    for name in ("legal", "after", "ending"):
        own = {other: getattr(Turns, other) for other in ("legal", "after", "ending")}
        kind: Any = type("Half", (SimpleGame,), {key: own[key] for key in own if key != name})
        with pytest.raises(GameError, match=rf"Half lacks {name}\(\)"):
            kind()


# Messages

SOUND: Final = '''"""Three in line on a square board win, and a full board is a draw."""
from lath.games.board import squares
from lath.games.core import Piece
from lath.games.points import points
from lath.games.simple import SimpleGame

class Three(SimpleGame):
    id, title, credit = "three", "Three", "a test"
    board = squares(3)

    def legal(self, state):
        return state.names(state.empty)

    def after(self, state, move):
        return state.put(move)

    def ending(self, state):
        lines = self.board.finished(self.board.lines(3), state.theirs)
        return state.won("three in line", lines) if lines else None

GAME = Three()
'''
PUT: Final = "return state.put(move)"
LEGAL: Final = "return state.names(state.empty)"
ENDING: Final = 'return state.won("three in line", lines) if lines else None'
WON: Final = 'state.won("three in line", lines)'
BOARD: Final = "board = squares(3)"
STONE: Final = 'pieces = (Piece("x", "stone", "disc", "#ffffff"),)'

MISTAKES: Final[dict[str, dict[str, str]]] = {
    "ending() returned True, expected None, state.won(…)": {WON: "True"},
    "ending() returned 'won', expected None, state.won(…)": {WON: "'won'"},
    "after() returned None, expected a position, such as state.put(move)": {PUT: "state.put(move)"},
    "after() returned ['a1'], expected a position": {PUT: "return [move]"},
    "legal() returned 1911, expected texts of moves, such as state.names(state.empty)": {
        LEGAL: "return state.empty"
    },
    "legal() returned 'a1', expected texts": {LEGAL: "return 'a1'"},
    "legal() gave 5, expected texts": {LEGAL: "return [5]"},
    "legal() has a move twice": {LEGAL: "return ['a1', 'a1']"},
    "'pass' is among legal(), but `words` (or is_move, or every_move) does not have it: expected "
    "a move such as a1": {LEGAL: "return ['pass', *state.names(state.empty)]"},
    "state.lost(…) says that first won, with the cells": {WON: 'state.lost("x", state.own)'},
    "state.won(…) says that second won, with the cells": {WON: 'state.won("x", state.own)'},
    "the cells of an ending are ['a1'], expected sets of cells": {WON: 'state.won("x", ["a1"])'},
    "the colours cross and circle begin with the same letter": {
        BOARD: f'{BOARD}; colours = ("cross", "circle")'
    },
    "rows: '3/3' has 2 rows, expected 3": {BOARD: f'{BOARD}; rows = "3/3"'},
    "rows has 1 of the 2 fields of form": {BOARD: f'{BOARD}; rows = "3/3/3"; form = "w b"'},
    "form is 'w', expected each code of a piece once, as in 'wb'": {BOARD: f'{BOARD}; form = "w"'},
    "'z' is not the code of a piece, expected one of w, b": {PUT: 'return state.put(move, "z")'},
    "'n' is not one of the facts, expected one of none": {PUT: 'return state.add("n", 1)'},
    "set('n', [1]), expected a number": {
        BOARD: f'{BOARD}; facts = {{"n": 1}}',
        PUT: 'return state.put(move).set("n", [1])',
    },
    "step('b2', 'a1') begins on an empty cell": {PUT: 'return state.step("b2", move)'},
    "has no code, and no piece is named after white": {BOARD: f"{BOARD}; {STONE}"},
    "the start must have to_move Side.FIRST and is_over False, but ending() says 'over'": {
        ENDING: "return state.drawn('over')"
    },
    "points([('a1', 0, 0)]), expected a mapping from names to x and y": {
        BOARD: 'board = points([("a1", 0, 0)], [])'
    },
}
"""For each message, the mistake that it is about, as changes of lines."""


def found_in(file: Path) -> list[GamePoint]:
    """Return the points of a check from three random games."""
    game_id, unloaded = loaded(str(file))
    if unloaded is not None:
        return [unloaded]
    game = games.get(game_id)
    lab = GameLab(game, str(file), effort=0.01)
    found = faults_of(game, games=3, seconds=60, every=8, tally=lab.tally)
    lab.faults = [fault for fault in found if fault is not None]
    return list(check(lab, {*LAWS} - {"lessons"}))


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_has_one_message_in_the_words_of_its_author(words: str, tmp_path: Path) -> None:
    text = SOUND
    for right, wrong in MISTAKES[words].items():
        assert right in text
        text = text.replace(right, wrong)
    file = write_game(tmp_path, text)
    with pytest.raises(GameFileError, match=re.escape(words)) as caught:
        games.add(file)
    forget_games()
    bad = [point for point in found_in(file) if point.verdict is Verdict.FAULT]
    forget_games()
    assert any(words in point.seen for point in bad)
    for said in (str(caught.value), *(f"{point.seen} {point.mend}" for point in bad)):
        assert not any(member in said for member in TERMS), said


def test_a_sound_game_has_no_fault_and_a_check_that_tests_nothing_says_so(tmp_path: Path) -> None:
    points_found = found_in(write_game(tmp_path, SOUND))
    assert {point.verdict for point in points_found} == {Verdict.OK}
    forget_games()
    for early in ("legal", "ending"):
        head = f"def {early}(self, state):"
        text = SOUND.replace(head, f"{head}\n        {{}}['x']")
        found = {point.id: point for point in found_in(write_game(tmp_path, text))}
        forget_games()
        assert found.pop("exceptions").verdict is Verdict.FAULT
        verdicts = {
            point.verdict for id_, point in found.items() if id_ not in ("members", "pieces")
        }
        assert verdicts == {Verdict.UNTESTED}
        assert {found["members"].verdict, found["pieces"].verdict} == {Verdict.OK}


def test_terms_and_remedies_are_about_laws_and_members_of_a_simple_game() -> None:
    assert {*MENDS} <= {*Law, *IDS}
    named = {name for mend in MENDS.values() for name in re.findall(r"`(\w+)`|\b(\w+)\(", mend)}
    members = {one for pair in named for one in pair if one}
    assert all(hasattr(SimpleGame, one) or hasattr(State, one) for one in members)


# The words of endings


def test_an_ending_is_what_a_player_made_only_with_in_with_or_without() -> None:
    told = {
        "three in line": "bob made three in line and won",
        "four without an animal": "bob made four without an animal and won",
        "group of five": "bob made a group of five and won",
        "no legal move": "bob had no legal move and won",
        "two men left": "bob won: two men left",
        "three stones captured": "bob won: three stones captured",
        "more discs": "bob won: more discs",
    }
    for ending, sentence in told.items():
        assert Outcome(SIDES[1], ending).told("ann", "bob") == sentence
    script = (ROOT / "reports/templates/js/words.js").read_text("utf-8")
    (line,) = re.findall(r"lath.HAPPENED = (.*);", script)
    pages = dict(re.findall(r'"?(\w[\w ]*\w)"?: /\^(.*?)/u', line.replace("(?:", "(")))
    assert pages == {verb: words.pattern for verb, words in HAPPENED.items()}
