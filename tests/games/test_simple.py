"""Games in short files: from three functions follows everything that the contract asks for."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, Final

import pytest
from game_files import forget_games
from places import ROOT

from lath import games
from lath.arena.gamecheck.boards import board_faults
from lath.bots.compiled.searches import CompiledAlphaBeta
from lath.bots.results import SearchBudget, SearchProof
from lath.bots.search import AlphaBeta, blind
from lath.games import files, parameters
from lath.games.board import Board, squares
from lath.games.cards import card_of
from lath.games.core import Game, Outcome, escaped, symmetries
from lath.games.errors import GameError, MoveSyntaxError, PositionError, UnknownGameError
from lath.games.fast import fast_board
from lath.games.lines import LineGame
from lath.games.parameters import id_with
from lath.games.plain_board import PlainBoard
from lath.games.simple import SimpleGame, State
from lath.games.stones import NUMBERS
from lath.games.trial import wrong_with
from lath.notation.tables.planes import Encoding

EXAMPLES: Final = ROOT / "examples" / "games"

SHORT: Final = ("hex", "amazons", "six_mens_morris", "order_and_chaos")


def walked(game: Game, seed: int) -> Iterator[Any]:
    """Yield the positions of a random game."""
    position: Any = game.start()
    chance = Random(seed)
    yield position
    while legal := position.legal_moves():
        yield (position := position.play(chance.choice(legal)))


@pytest.mark.parametrize("name", SHORT)
def test_a_key_names_one_position(name: str) -> None:
    game = games.add(EXAMPLES / f"{name}.py")
    texts: dict[int, str] = {}
    for position in (one for seed in range(4) for one in walked(game, seed)):
        key = PlainBoard(position).key
        assert texts.setdefault(key, position.text()) == position.text()
        assert PlainBoard(game.position(position.text())).key == key
        assert pickle.loads(pickle.dumps(position)) == position
    assert len(texts) > 30


@pytest.mark.parametrize("name", ["hex", "amazons", "six_mens_morris"])
def test_an_illegal_move_has_the_usual_reason_before_the_words_of_the_game(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game: Any = games.add(EXAMPLES / f"{name}.py")
    own: list[str | None] = [None]
    monkeypatch.setattr(type(game), "why", lambda *_: own[0])
    begun = "is only the beginning of a move such as"
    seen = set[str]()
    for position in (one for seed in range(3) for one in walked(game, seed)):
        legal = position.legal_moves()
        halves = {move[:end] for move in legal[::9] for end in range(1, len(move))}
        for move in filter(game.is_move, {*halves, *game.board.names, "a1-a1"} - {*legal}):
            if not legal:
                assert position.why_illegal(move) == "the game is over"
                continue
            own[0] = "words of the game"
            known, own[0] = position.why_illegal(move), None
            told, _, example = position.why_illegal(move).rpartition(" ")
            if known == "words of the game":
                known = f"{move} is not a legal move here, expected a move such as {example}"
            assert known == f"{told} {example}"
            assert example in legal or (told.endswith("already has a") and position.on(move))
            assert (begun in told) == any(one.startswith(move) for one in legal)
            seen.add(told.removeprefix(f"{move} "))
    assert ("already has a" in seen, begun in seen) == (name != "amazons", name != "hex")


@pytest.mark.parametrize("name", SHORT)
def test_a_plain_board_plays_and_takes_back_as_the_positions_do(name: str) -> None:
    game = games.add(EXAMPLES / f"{name}.py")
    assert next(filter(None, board_faults(game, games=2, every=5)), None) is None
    board, chance = PlainBoard(game.start()), Random(1)
    for _ in range(6):
        for _ in range(9):
            if board.winner is None:
                board.play(chance.choice(board.legal()))
        winner, plies = board.playout(chance)
        assert (plies == 0) == (board.winner is not None)
        assert board.winner in (None, winner)
        while board.position() != game.start():
            board.undo()
        with pytest.raises(IndexError, match="no move"):
            board.undo()
        assert len(board.legal()) == len(game.start().legal_moves())


# Lines

LINES_FILE: Final = """
from lath.games.board import hexagon_of, rhombus, squares, triangle
from lath.games.lines import LineGame
from lath.games.points import points

class Lines(LineGame):
    credit = "a test"

    def __init__(self, name, board, win, lose, has_swap):
        self.colours = ("red", "blue") if has_swap and name != "twin" else ("white", "black")
        self.id = self.title = name + "-swap" * has_swap
        self.has_swap = has_swap
        super().__init__(board, win=win, lose=lose)

CELLS = "a1 a2 a3 b1 b2 b3 c1 c2 c3"
WAYS = ["a1 a2 a3", "c1 c2 c3", "a1 b1 c1", "a3 b3 c3", "a1 b2 c3"]
KINDS = {
    "squava": (squares(5), 4, 3),
    "wins": (squares(4, 3), 3, 0),
    "noughts": (squares(3), 3, 0),
    "loses": (hexagon_of(3), 0, 3),
    "rhombic": (rhombus(5), 4, 3),
    "triangular": (triangle(6), 4, 3),
    "points": (points(CELLS, WAYS), 3, 0),
}

def games():
    twin = Lines("twin", hexagon_of(5), 4, 3, True)
    twin.id = "twin"
    swaps = (False, True)
    return [twin, *(Lines(name, *kind, swap) for name, kind in KINDS.items() for swap in swaps)]
"""
NAMES: Final = ("squava", "wins", "noughts", "loses", "rhombic", "triangular", "points")


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Return games of lines on several boards by id, from one file."""
    path = tmp_path_factory.mktemp("lines") / "lines.py"
    path.write_text(LINES_FILE)
    yield {game.id: game for game in files.add_all(path)}
    forget_games()


@pytest.mark.parametrize("swap", ["", "-swap"])
@pytest.mark.parametrize("name", NAMES)
def test_lines_win_and_lose_as_their_lengths_say(
    lines: dict[str, Any], name: str, swap: str
) -> None:
    game = lines[name + swap]
    board, win, lose = game.board, game.win, game.lose
    assert wrong_with(game, games=6, seconds=9) == ""
    assert next(filter(None, board_faults(game, games=3)), None) is None
    for seed in range(30):
        *_, end = walked(game, seed)
        last = end.stones[1 - end.mover]
        found, outcome = longest(board, last), end.outcome()
        if win and found >= win:
            assert outcome.winner == 1 - end.mover
        elif lose and found >= lose:
            assert (outcome.winner, outcome.is_loss) == (end.mover, True)
        else:
            assert (outcome.ending, outcome.winner) == ("board full", None)


def longest(board: Board, mask: int) -> int:
    """Return the length of the longest line in a set of cells."""
    lengths = (n for n in range(len(board.names), 0, -1) if board.lines(n))
    return next((n for n in lengths if board.finished(board.lines(n), mask)), 0)


def test_compiled_searches_play_games_of_lines_too(lines: dict[str, Any]) -> None:
    game = lines["squava"]
    position = game.start()
    for move in ("a1", "b3", "d1", "e5", "c3", "a5"):
        position = position.play(game.canonical(move))
    found = [
        search.run(fast_board(position), SearchBudget(nodes=20_000), lambda _: None, depth=3)
        for search in (AlphaBeta(), CompiledAlphaBeta())
    ]
    assert found[0].proof == found[1].proof


SIZED: Final = {"squava": 5, "noughts": 3, "loses": 3, "rhombic": 5, "triangular": 6}


@pytest.mark.parametrize("name", NAMES)
def test_lengths_and_the_size_of_the_board_are_parameters(lines: dict[str, Any], name: str) -> None:
    game = lines[f"{name}-swap"]
    defaults = {each.name: each.default for each in parameters.of(game)}
    size = {"size": SIZED[name]} if name in SIZED else {}
    assert defaults == {**size, "win": game.win, "lose": game.lose}
    assert (game.win, game.lose) == (lines[name].win, lines[name].lose)
    changed: dict[str, Any] = {"size": SIZED[name] + 1} if size else {}
    changed["lose" if game.win else "win"] = 0 if game.lose and game.win else 2
    try:
        other: Any = games.get(id_with(game, changed))
    except UnknownGameError:  # a line of 2 that loses, and one of 3 that wins
        other = games.get(id_with(game, {"win": 2, "lose": 0}))
    assert other.colours == game.colours
    assert other.has_swap
    assert wrong_with(other, games=4, seconds=9) == ""
    if size and "size" in other.id:
        assert len(other.board.names) > len(game.board.names)
        assert other.board.shape == game.board.shape
    assert f"{NUMBERS[other.win]} or more" in card_of(other) or not other.win
    assert games.get(game.id) is game


def test_a_game_of_lines_has_the_variants_of_yavalath(lines: dict[str, Any]) -> None:
    for values in ("size=3", "size=4,win=5", "size=3,lose=2,win=3"):
        mine, known = (
            games.get(games.canonical_id(f"{one}:{values}")) for one in ("twin", "yavalath")
        )
        assert card_of(mine) == card_of(known)
        for one, other in zip(walked(mine, 3), walked(known, 3), strict=True):
            assert (one.text(), one.legal_moves()) == (other.text(), other.legal_moves())


@pytest.mark.parametrize("search", [AlphaBeta(blind), CompiledAlphaBeta(blind)])
def test_a_draw_is_proven_though_guessed_moves_lose(
    lines: dict[str, Any], search: AlphaBeta
) -> None:
    """The bound of a move that surely loses is no guess, even if its search had guesses."""
    found = search.run(fast_board(lines["noughts"].start()), SearchBudget(nodes=20_000))
    assert found.proof == SearchProof(0)


@pytest.mark.parametrize(("win", "lose"), [(0, 0), (3, 3), (6, 3), (9, 0), (0, 6)])
def test_lengths_that_make_no_game_are_refused(win: int, lose: int) -> None:
    with pytest.raises(GameError, match=r"win|lose"):
        LineGame(squares(5), win=win, lose=lose)


# A game that uses all that there is


class Tokens(SimpleGame):
    """Tokens from a hand; `%` and spaces in moves, a pass, a text, a second move in a row."""

    id, title, credit = "tokens", "Tokens", "a test"
    board = squares(3, 2)
    facts = {"white hand": 3, "black hand": 3, "last": "-"}  # noqa: RUF012 - it never changes
    words = ("pass",)
    escapes = True
    symmetric = "mirror"
    move_count = 7

    def legal(self, state: State) -> Iterable[str]:
        if state.fact(f"{self.colours[state.mover]} hand"):
            yield from (f"{cell} 100%" for cell in state.names(state.empty))
        yield "pass"

    def after(self, state: State, move: str) -> State:
        if move == "pass":
            return state.set("last", "pass")
        hand, cell = f"{self.colours[state.mover]} hand", move[:2]
        found = state.put(cell).add(hand, -1).set("last", "token")
        return found.again() if cell[0] == "b" else found

    def ending(self, state: State) -> Outcome | None:
        if self.board.finished(self.board.lines(3), state.theirs):
            return state.won("three in line", state.theirs)
        return state.drawn("no hand left") if state.facts[:2] == (0, 0) else None

    def index(self, move: str) -> int:
        return 6 if move == "pass" else self.board.names.index(move[:2])


def test_moves_of_any_text_and_state_beside_the_cells_are_kept() -> None:
    game: Any = Tokens()
    seen = {position.text() for seed in range(9) for position in walked(game, seed)}
    assert len(seen) > 50
    for text in seen:
        state = game.position(text)
        assert state.text() == text
        assert len({way.position(state).text() for way in symmetries(state)} | {text}) <= 2
        assert [*state.extras] == ["white hand", "black hand", "last"]
    start = game.start()
    assert start.legal_moves()[0] == escaped("a1 100%") == "a1%20100%25"
    assert start.play(escaped("b1 100%")).to_move == start.to_move
    assert start.play(escaped("a1 100%")).text() == "3/w2 b 2 3 token"
    encoding = Encoding(game)
    hands = ("white hand", "black hand")
    assert encoding.planes == ("white piece", "black piece", *hands, "second to move")
    assert (encoding.moves, encoding.move_count, encoding.index("pass")) == ((), 7, 6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("3/w2 b 2 3", "board"),
        ("3/w2 b two 3 token", "white hand is 'two'"),
        ("3/w2 b 02 3 token", "is written '3/w2 b 2 3 token'"),
        ("3/w2 x 2 3 token", "board"),
        ("3/w3 b 2 3 token", "row"),
    ],
)
def test_a_text_of_no_position_is_refused_with_its_reason(text: str, words: str) -> None:
    with pytest.raises(PositionError, match=words):
        Tokens().position(text)


@pytest.mark.parametrize("text", ["", "a1 100%", "z9%20100%25", "passes", "%61"])
def test_a_text_of_no_move_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(MoveSyntaxError) as caught:
        Tokens().canonical(text)
    assert "such as a1%20100%25" in caught.value.expected
