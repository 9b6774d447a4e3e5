"""A game that somebody brings in a file or a package: how it is known, and what is wrong with it.

A plugin is `examples/plugins/breakthrough`, installed for real, in a place of its own.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple, cast

import commands
import pytest
from families import relatives
from game_files import EXAMPLE, write_game
from places import ROOT

from lath import games
from lath.games.core import least_line
from lath.games.errors import GameFileError, UnknownGameError
from lath.games.trial import wrong_with

ONE_AFTER_THE_OTHER = """
from lath.games.yavalath import Yavalath

class Other(Yavalath):
    id = "other"

GAME = Other()
"""


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file of a game `other`, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.py").write_text(ONE_AFTER_THE_OTHER)
    return Path("other.py")


def test_a_game_of_a_file_is_known_by_its_id_once_it_is_added_and_to_processes_started_later() -> (
    None
):
    assert "order-and-chaos" not in games.ids()
    game = games.add(EXAMPLE)
    assert games.get("order-and-chaos") is game is games.add(EXAMPLE)
    assert games.ids()[-1] == "order-and-chaos"
    position = game.start().play(game.canonical("xa1"))
    assert pickle.loads(pickle.dumps(position)) == position
    words = "from lath import games; print(games.get('order-and-chaos'), games.ids()[-1])"
    assert run(["-c", words], {}) == "<game order-and-chaos> order-and-chaos\n"


def run(arguments: list[str], environment: dict[str, str]) -> str:
    """Return what this Python prints for `arguments`; fails with its output unless it succeeds."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_who_names_a_file_names_its_game_and_parameters_may_follow(
    other: Path, tmp_path: Path
) -> None:
    with pytest.raises(UnknownGameError, match=r"'other'; did you mean \./other\.py\?"):
        games.named("other")
    assert games.named("other.py") == games.named(f"{tmp_path}/other.py") == "other"
    assert games.named("other.py:size=4,win=5", tmp_path) == "other:size=4,win=5"
    assert games.named("other:size=4") == "other:size=4"
    origin = games.origin("other:size=4")
    assert origin is not None
    assert origin == (str(other.absolute()), hashlib.sha256(other.read_bytes()).hexdigest())
    assert origin.tag == f"other.py sha256:{origin.sha256}"
    assert games.origin("yavalath") is games.origin("chess") is None
    other.rename("other")
    assert games.named("./other") == games.named("other") == "other"
    Path("yavalath.py").touch()
    assert games.named("yavalath") == "yavalath"
    Path("other").rename("a:b.py")
    with pytest.raises(
        GameFileError, match=r"a:b\.py': expected a path of printable characters with"
    ):
        games.named("./a:b.py")


NO_GAMES = {
    "": "other.py does not define GAME",
    "\nGAME = lin()": "other.py:2: NameError: name 'lin' is not defined",
    "GAME = (\n": "other.py:1: SyntaxError: '(' was never closed",
    "import sys\nsys.exit('no')": "other.py:2: SystemExit: no",
    "GAME = 1": "other.py: GAME lacks id, title, credit",
    "class Lazy:\n    @property\n    def id(self): return {}['id']\nGAME = Lazy()": (
        "other.py:3: KeyError: 'id'"
    ),
    ONE_AFTER_THE_OTHER[:-3]: "GAME is a class, expected GAME = Other()",
    "from lath.games.yavalath import GAME": "'yavalath', but another game with this id is built in",
    ONE_AFTER_THE_OTHER.replace('"other"', '"My Game"'): "'My Game', expected lowercase letters",
    "import helper": "other.py does not define GAME, GAMES or games()",
    "import importlib\nimportlib.import_module('helper')": (
        "No module named 'helper'; a module in the folder of the file needs an import statement"
    ),
    "GAMES = 7": "other.py: GAMES is int, expected several games, such as (A(), B())",
    f"{ONE_AFTER_THE_OTHER}\nGAMES = GAME, Other": "GAMES[1] is a class, expected Other()",
    f"{ONE_AFTER_THE_OTHER}\ndef games():\n    yield Other()": (
        "games()[0].id is 'other', but another game with this id is in the same file"
    ),
}
"""Texts of files, and why no game is in them."""


def test_a_file_without_a_game_is_refused_in_words(other: Path, tmp_path: Path) -> None:
    Path("helper.py").touch()
    for text, why in NO_GAMES.items():
        other.write_text(text)
        with pytest.raises(GameFileError, match=re.escape(why)):
            games.add(other)
    assert "LATH_GAMES" not in os.environ
    for path in (tmp_path / "none.py", cast("str", b"none.py")):
        with pytest.raises(GameFileError, match=r"none\.py: file not found"):
            games.add(path)
    with pytest.raises(GameFileError, match="a folder, expected a Python file"):
        games.named(f"{tmp_path}/")


def test_two_files_cannot_have_one_game_and_a_copy_is_the_same(other: Path) -> None:
    game = games.add(other)
    copy = other.with_name("copy.py")
    copy.write_bytes(other.read_bytes())
    assert games.add(copy) is game
    copy.write_text(f"{ONE_AFTER_THE_OTHER}\n# edited")
    with pytest.raises(GameFileError, match=r"'other', but another game with this id is from"):
        games.add(copy)
    other.write_text(f"{ONE_AFTER_THE_OTHER}\n# edited, too")
    with pytest.raises(GameFileError, match=r"other\.py has changed since it was loaded"):
        games.add(other)


def test_a_file_may_ask_for_other_games_and_print(
    other: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asks = "from lath import games\nprint(games.get('yavalath'), games.ids()[-1])\n"
    other.write_text(asks + ONE_AFTER_THE_OTHER)
    games.add(other)
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "<game yavalath> yavalath\n")


def test_a_file_of_the_environment_that_is_gone_is_told_of(
    other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LATH_GAMES", str(other.absolute()))
    assert games.get("other").title == "Yavalath"
    monkeypatch.setenv("LATH_GAMES", "/no/such.py")
    assert games.get("yavalath").title == "Yavalath"
    with pytest.raises(GameFileError, match=r"LATH_GAMES: /no/such\.py: file not found"):
        games.ids()


def test_what_the_rules_of_a_file_raise_is_told_with_its_line(other: Path) -> None:
    slip = "    def draw_setup(self, seed):\n        return 1 // 0\n\n"
    takes_none = "    def __init__(self):\n        super().__init__()\n\n"
    other.write_text(ONE_AFTER_THE_OTHER.replace("    id", f"{takes_none}{slip}    id"))
    with pytest.raises(ZeroDivisionError) as caught:
        games.add(other).draw_setup(1)
    told = f"{other.absolute()}:9: ZeroDivisionError: integer division or modulo by zero"
    assert games.blamed(caught.value) == told
    assert games.blamed(ZeroDivisionError()) == ""
    ran = commands.arena("play", "--game", "other.py")
    assert (ran.status, ran.err) == (2, f"error: {told}\n")
    with pytest.raises(UnknownGameError, match=r"game 'other:size=4': .*unexpected keyword"):
        games.get("other:size=4")


class Ones(NamedTuple):
    """A position that is a tuple of its stones, as one of another game may be."""

    stones: int


class OfOne(Ones):
    game = SimpleNamespace(id="one")


class OfOther(Ones):
    game = SimpleNamespace(id="other")


def test_positions_of_two_games_may_be_equal_tuples() -> None:
    for kind in (OfOne, OfOther):
        position: Any = kind(0)
        assert isinstance(least_line(position, ())[0], kind)


# What is wrong with a game: it is tried out when its file is named.

EXAMPLES: Final = (*ROOT.glob("examples/games/*.py"), *ROOT.glob("examples/plugin-*/*.py"))

SLOTS: Final = "    __slots__ = ()\n"
TEXT: Final = "    def text(self) -> str:\n"

FIRST_CAPITAL: Final = """
    def canonical(self, text):
        at = next((at for at, letter in enumerate(text) if letter.isupper()), 0)
        if text.lower() in self.moves:
            return Move(text[:at] + text[at : at + 1].lower() + text[at + 1 :])
        return super().canonical(text)

    def symmetries(self, _: Place)"""

SLIPS: Final[Mapping[str, Sequence[tuple[str, str, str]]]] = {
    "order_and_chaos": (
        ('title: Final = "Order and Chaos"', "title = None", "title is None, expected a text"),
        ('("order", "chaos")', '"oc"', "colours are 'oc', expected two words"),
        ('Piece("o",', 'Piece("x",', "pieces have the codes ['x', 'x'], expected a different"),
        (
            "return State(self, (0, 0), 0, OPEN)",
            "return 0",
            "start() returned 0, which lacks game",
        ),
        (
            'Move(f"{kind}{name}") for',
            'Move(f"{kind} {name}") for',
            "'x a1' is not a move that a rec",
        ),
        ("return tuple(Move", "return list(Move", "legal_moves() is ['xa1', 'oa1', "),
        ("1 - self.mover, verdict", "2, verdict", "IndexError: tuple index out of range"),
        (
            'return Outcome(Side.FIRST, "five in line", board.names_of(lines))',
            "return 7",
            ": outcome() is 7, expected an Outcome or None",
        ),
        (
            "return self.game.board.contents(zip(KINDS, self.kinds, strict=True))",
            "return ('?',) * 36",
            "contents() has '?', expected codes of pieces: o, x",
        ),
        (
            "return self.game.board.format_rows(dict(zip(KINDS, self.kinds, strict=True)))",
            "return '6/6/6/6/6/6'",
            "position('6/6/6/6/6/6'), its own text, is another position",
        ),
        ("require_legal(self, move)", "1 / 0", ":111: ZeroDivisionError: division by zero"),
        (
            "if self.verdict != OPEN:\n            return ()",
            "return ()",
            "not over, but it has no legal move",
        ),
        ("sum(kinds).bit_count() & 1", "0", "its own text, is another position: its to_move is "),
        ("require_legal(self, move)", "pass", ": KeyError: '' (play(''): call require_legal"),
        (
            "require_legal(self, move)",
            "self.game.canonical(move)",
            "MoveSyntaxError: '' is not a m",
        ),
        ('Piece("o", "nought", "tile", "#f3c969")', 'Piece("o", "", "tile", "red")', "#rrggbb"),
    ),
    "connect_four": (
        (
            "if all(end == across[cell[0]] + cell[1:] for cell, end in each.cells.items())",
            'if each.cells["a1"][0] != "a"',
            "symmetries()[1] of '7/7/7/7/7/7': after g the symmetric position is 'y6/7/7/7/7/7'",
        ),
        ("            IDENTITY,\n", "", "symmetries() of '7/7/7/7/7/7' lacks the identity"),
        ("across.__getitem__", "Move", "symmetries()[1] of"),
        ("last = self.to_move.other\n", "last = self.to_move\n", ": result is "),
        ("return tuple(move for", 'return tuple(move for _ in "ab" for', "has a move twice"),
        (
            "in self.game.moves.items()",
            "in [*self.game.moves.items()][1:]",
            "'a' is not among legal",
        ),
        ('"four in line"', '" four in line"', "outcome() has the ending ' four in line'"),
        ("names_of(lines))", "names_of(lines)[::-1])", ": in board order"),
        (
            '(last, "four in line", ',
            '(None, "a line", is_loss=True, cells=',
            "but has is_loss=True",
        ),
        (
            TEXT,
            f"    to_move = property(lambda self: 1 - self.mover)\n\n{TEXT}",
            "the start must have to_move Side.FIRST",
        ),
        ("self.canonical_setup(setup)", "pass", "start('-') must raise SetupError"),
        ('(text, "yr")', '(text.strip(), "yr")', "7 ') must raise PositionError, but returns"),
        ("contents(self.layers())", 'contents(zip("ry", self.discs))', "layers() has 'y' on "),
        ('return tuple(zip("yr"', 'return tuple(zip("y?"', "'?'"),
        (
            "disc = self._free(move)\n",
            "disc = self._free(move)\n        self.game.moves[move] = self.game.moves.pop(move)\n",
            "the position '7/7/7/7/7/7' has changed since: play() must return a new one",
        ),
        (SLOTS, f"{SLOTS}    __hash__ = None\n", "a position must be hashable"),
        (SLOTS, f"{SLOTS}    note = property(id, print)\n", "note of a position can be set"),
        (
            TEXT,
            f"    after = lambda self, moves: self\n\n{TEXT}",
            "differs from playing the moves one",
        ),
        (
            TEXT,
            f"    movers = lambda self, moves: ()\n\n{TEXT}",
            "differs from playing the moves one by",
        ),
    ),
    "konane": (
        (
            SLOTS,
            "",
            " of a position can be set, but positions must not change: use a Named",
        ),
        (
            "            if each.mask(self.filled[BLACK]) == self.filled[BLACK]\n",
            "",
            "(symmetries() fails)",
        ),
        (
            "is_loss=True) if",
            "is_loss=True) if self.mover and",
            ": is_over is True, but outcome() is N",
        ),
        (
            "if move in (legal := self.legal_moves()):",
            'if move in (legal := self.legal_moves()) and move[-1] != "1":',
            "1 is among legal_moves(), but why_illegal says 'black takes off",
        ),
        (
            "\n    def symmetries(self, _: Place)",
            FIRST_CAPITAL,
            "', which is not canonical itself",
        ),
    ),
}
"""Of each example what it has, what is there instead, and what is told of it."""


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_is_told_of_when_the_file_is_named(tmp_path: Path, name: str) -> None:
    text = (ROOT / "examples" / "games" / f"{name}.py").read_text("utf-8")
    for right, wrong, why in SLIPS[name]:
        assert right in text
        path = write_game(tmp_path, text.replace(right, wrong))
        with pytest.raises(GameFileError, match=re.escape(why)) as refusal:
            games.add(path)
        assert str(refusal.value).startswith(f"{path}:")
        assert games.ids() == tuple(game.id for game in games.installed())


SEVEN: Final = """
from dataclasses import dataclass
from lath.games.board import squares
from lath.games.core import Move, Outcome, Piece, Side, require_legal
from lath.games.errors import MoveSyntaxError, PositionError, SetupError

class Seven:
    id, title, credit, colours = "seven", "Seven", "traditional", ("one", "other")
    board, pieces, has_setups = squares(3), (Piece("m", "match", "disc", "#AA3322"),), True

    def draw_setup(self, seed):
        return "7"

    def canonical_setup(self, setup):
        if setup != "7":
            raise SetupError("expected 7")
        return setup

    def start(self, setup=None):
        return Heap(()) if setup is None or self.canonical_setup(setup) else None

    def position(self, text):
        heap = Heap(())
        for move in text.split(" ") if text else ():
            if heap.why_illegal(move):
                raise PositionError("expected moves")
            heap = heap.play(move)
        return heap

    def canonical(self, text):
        if text.lower() not in ("a", "b"):
            raise MoveSyntaxError(text, "expected a or b")
        return Move(text.lower())

@dataclass(frozen=True)
class Heap:
    moves: tuple
    game = property(lambda self: GAME)
    left = property(lambda self: 7 - sum(map(" ab".index, self.moves)))
    to_move = property(lambda self: Side(len(self.moves) % 2))
    is_over = property(lambda self: not self.left)

    def outcome(self):
        return Outcome(self.to_move, "the last match", is_loss=True) if self.is_over else None

    def legal_moves(self):
        return tuple(map(Move, "ab"[: self.left]))

    def why_illegal(self, move):
        return None if move in self.legal_moves() else "so many are not left"

    def play(self, move):
        require_legal(self, move)
        return Heap((*self.moves, move))

    def text(self):
        return " ".join(self.moves)

    def contents(self):
        return ["m"] * self.left + [""] * (9 - self.left)

GAME = Seven()
"""
"""Take one match or two: who takes the last loses. One setup, no power, and no move is a cell."""


def test_a_game_without_a_slip_is_taken(tmp_path: Path) -> None:
    added = [games.add(path) for path in (*EXAMPLES, write_game(tmp_path, SEVEN))]
    found = {one.id: wrong_with(one, games=4) for game in added for one in relatives(game)}
    assert set(found.values()) == {""}, found
    times = iter(range(9))
    assert wrong_with(games.get("yavalath"), seconds=1.5, clock=lambda: next(times)) == ""


# A plugin.

SHOW_GAMES = """
from lath import games
from lath.games.core import follow, perft
game = games.get("breakthrough")
print(*games.ids())
start = game.start()
print(game.title, game.credit, start.text(), perft(start, 2), sep="|")
moves = "a2-a3 h7-h6 a3-a4 h6-h5 a4-a5 h5-h4 a5-a6 h4-h3 a6-b7 h3-g2 b7-c8".split()
print(follow(start, moves).outcome())
print(games.rules_origin("breakthrough").tag)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which pip has installed the plugin from a copy of its source."""
    source = tmp_path_factory.mktemp("source") / "plugin"
    shutil.copytree(ROOT / "examples" / "plugins" / "breakthrough", source)
    target = tmp_path_factory.mktemp("site")
    install = ["install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    run(["-m", "pip", *install, "--target", str(target), str(source)], {})
    return target


def test_an_installed_plugin_is_listed_after_the_builtin_games_and_played_like_them(
    place: Path,
) -> None:
    assert "breakthrough" not in games.ids()
    ids, game, end, tag = run(["-c", SHOW_GAMES], {"PYTHONPATH": str(place)}).splitlines()
    digest = hashlib.sha256((place / "lath_breakthrough.py").read_bytes()).hexdigest()
    assert tag == f"lath-breakthrough-0.1.0 sha256:{digest}"
    assert ids.split() == [*games.ids(), "breakthrough"]
    # 22 moves each: six pieces in front have three steps, the two at the edges two.
    text = "bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w"
    assert game == f"Breakthrough|Dan Troyka, 2000|{text}|484"
    assert end.startswith("Outcome(winner=<Side.FIRST: 0>, ending='last row reached'")


def test_an_installed_plugin_and_the_examples_keep_the_contract_of_games(place: Path) -> None:
    contract = "tests/games/test_games_contract.py"
    without = ["--noconftest", *(f"-pno:{name}" for name in ("cacheprovider", "hypothesispytest"))]
    named = [str(path) for path in EXAMPLES if path.parent.name == "games"]
    found = ["-q", "-k", "breakthrough or order-and-chaos or connect-four or konane"]
    output = run(
        ["-m", "pytest", contract, *without, *found],
        {"PYTHONPATH": str(place), "LATH_GAMES": os.pathsep.join(named)},
    )
    passed = re.search(r"(\d+) passed", output)
    assert passed is not None, output
    assert int(passed[1]) > 40, output
