"""The rules of a game of OpenSpiel, as a game of Lath Arena.

A move is `escaped(text)` of the text that OpenSpiel has for an action. If two actions of a state
have the same text, ` #` and the number of the action follow.

A position is the list of actions from the start: their numbers with spaces between, or `-`. Some
games depend on earlier states, for example by a rule about repetition, and OpenSpiel does not say
which. Therefore positions are equal if the actions are equal, and two orders of the same moves lead
to two positions.

Source: OpenSpiel, Lanctot and others, 2019, https://github.com/google-deepmind/open_spiel.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import pyspiel

from lath.games.board import Board
from lath.games.core import (
    SIDES,
    Game,
    Move,
    Outcome,
    Piece,
    Side,
    escaped,
    find,
    meant_escape,
    require_legal,
)
from lath.games.drawing.board import html
from lath.games.errors import MoveSyntaxError, PositionError, SetupError
from lath.games.parameters import Parameter, title_of
from lath_openspiel.boards import Drawing, drawing_of

PREFIX: Final = "openspiel-"

COLOURS: Final = ("blue", "red")

SIZES: Final = {
    **dict.fromkeys(("board_size", "size", "rows", "columns", "m", "n"), range(2, 20)),
    **dict.fromkeys(("num_rows", "num_cols", "k", "connect", "x_in_row"), range(1, 20)),
    **dict.fromkeys(("num_houses_per_player", "num_seeds_per_house"), range(1, 13)),
    **dict.fromkeys(("handicap", "insanity", "wall_count"), range(20)),
}
"""The parameters of OpenSpiel that are whole numbers of the rules, and the values offered."""

NOT_RULES: Final = re.compile("ansi_|egocentric|plain_obs|utility_margin")
"""The beginnings of parameters that change only what OpenSpiel prints or returns."""

FIXED: Final = {"ansi_color_output": False, "players": 2}
"""The parameters of OpenSpiel that must have these values, in games that have them."""

LONGEST: Final = 200
"""The most characters of a move."""

_ACTIONS: Final = re.compile("(?:0|[1-9][0-9]{0,8})(?: (?:0|[1-9][0-9]{0,8}))*")


def id_of(kind: Any) -> str:
    """Return the id of a game type of OpenSpiel."""
    return PREFIX + str(kind.short_name).replace("_", "-")


def candidates() -> list[Any]:
    """Return the game types of OpenSpiel that fit, including those that need a file."""
    types = pyspiel.GameType
    return [
        kind
        for kind in pyspiel.registered_games()
        if kind.dynamics == types.Dynamics.SEQUENTIAL
        and kind.chance_mode == types.ChanceMode.DETERMINISTIC
        and kind.information == types.Information.PERFECT_INFORMATION
        and kind.min_num_players <= 2 <= kind.max_num_players
    ]


def fitting() -> list[Any]:
    """Return the game types of OpenSpiel that fit and need no file."""
    return [kind for kind in candidates() if kind.default_loadable]


class OpenSpielGame:
    """A game of OpenSpiel with values of its parameters; OpenSpiel is asked on first use."""

    has_setups: Final = False
    colours: Final = COLOURS
    credit: Final = "OpenSpiel"

    def __init__(
        self, kind: Any, game_id: str = "", values: Mapping[str, int | bool] | None = None
    ) -> None:
        """Take a game type of OpenSpiel; a variant also has an id and values of parameters."""
        self._kind: Final = kind
        self._values: Final = dict(values or {})
        self.id: Final = game_id or id_of(kind)
        self.title: Final = title_of(f"{kind.long_name}, OpenSpiel", self.id)

    def __repr__(self) -> str:
        return f"<game {self.id}>"

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        return find, (self.id,)

    @property
    def card(self) -> str:
        """Return where the rules are."""
        return f"The rules are those of `{self._kind.short_name}` in OpenSpiel."

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters of OpenSpiel that are rules: sizes, and what is on or off."""
        return tuple(
            Parameter(name, default, choices, f"{name.replace('_', ' ')}, as in OpenSpiel")
            for name, default in self._kind.parameter_specification.items()
            if (choices := _choices(name, default))
            and not (name in ("num_rows", "num_cols") and "board_size" in self._names)
        )

    @property
    def _names(self) -> frozenset[str]:
        return frozenset(self._kind.parameter_specification)

    def variant(self, game_id: str, **values: Any) -> OpenSpielGame:
        """Return the game with these values; raises ValueError if OpenSpiel refuses them."""
        game = OpenSpielGame(self._kind, game_id, values)
        try:
            has_moves = bool(game.start().legal_moves())
        except (pyspiel.SpielError, UnicodeDecodeError) as error:  # a cell beyond z has no text
            words = " ".join(str(error).split())
            raise ValueError(f"OpenSpiel refuses these values: {words}") from error
        if not has_moves:
            raise ValueError("OpenSpiel has no first move with these values")
        return game

    @cached_property
    def native(self) -> Any:
        """Return the game as OpenSpiel has it."""
        fixed = {name: value for name, value in FIXED.items() if name in self._names}
        return pyspiel.load_game(self._kind.short_name, {**fixed, **self._values})

    @cached_property
    def first(self) -> int:
        """Return OpenSpiel's number of the player who begins; in chess this is 1."""
        return int(self.native.new_initial_state().current_player())

    @cached_property
    def drawing(self) -> Drawing:
        """Return where the pieces are in the text that OpenSpiel prints of a state."""
        return drawing_of(self.native, self.first, COLOURS)

    @property
    def board(self) -> Board:
        """Return the cells."""
        return self.drawing.board

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Return a piece for each character on the cells."""
        return self.drawing.pieces

    def canonical(self, text: str) -> Move:
        """Return the move; raises MoveSyntaxError for a text that is not escaped, or too long."""
        if not text or len(text) > LONGEST or meant_escape(text) != text:
            such = self.start().legal_moves()[0]
            raise MoveSyntaxError(text, f"expected an action of OpenSpiel, such as {such}")
        return Move(text)

    def draw_setup(self, seed: int) -> None:
        """Return None: the game always begins the same."""

    def canonical_setup(self, setup: str) -> str:
        """Raise SetupError, because the game does not have setups."""
        raise SetupError(f"{self.id} does not have setups, found {setup!r}")

    def start(self, setup: str | None = None) -> OpenSpielPosition:
        """Return the first position; raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return OpenSpielPosition(self, (), SIDES[0], self.native.new_initial_state())

    def position(self, text: str) -> OpenSpielPosition:
        """Return the position after these actions; raises PositionError."""
        position = self.start()
        if text == "-":
            return position
        if not _ACTIONS.fullmatch(text):
            raise PositionError(
                f"position {text[:60]!r}", "the numbers of actions from the start, or -"
            )
        for ply, word in enumerate(text.split(" "), 1):
            if int(word) not in position.state.legal_actions():
                raise PositionError(f"action {word} at ply {ply} is not legal there")
            position = position.after_action(int(word))
        return position


@dataclass(frozen=True, eq=False)
class OpenSpielPosition:
    """The actions from the start of a game, and the state to which they lead."""

    game: OpenSpielGame
    actions: tuple[int, ...]
    to_move: Side
    state: Any = field(repr=False)
    """The state of OpenSpiel. Nothing changes it; it is cloned before an action."""

    _repr_html_ = html  # what notebooks show

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpielPosition) and (self.game.id, self.actions) == (
            other.game.id,
            other.actions,
        )

    def __hash__(self) -> int:
        return hash((self.game.id, self.actions))

    def __reduce__(self) -> tuple[Callable[[str], OpenSpielPosition], tuple[str]]:
        return self.game.position, (self.text(),)

    @property
    def is_over(self) -> bool:
        """Return whether OpenSpiel says so."""
        return bool(self.state.is_terminal())

    def outcome(self) -> Outcome | None:
        """Return that the player with the higher return has won; equal returns are a draw."""
        if not self.is_over:
            return None
        returns = self.state.returns()
        first, second = returns[self.game.first], returns[1 - self.game.first]
        if first == second:
            return Outcome(None, "equal returns")
        return Outcome(SIDES[first < second], "higher return")

    @cached_property
    def _by_move(self) -> dict[Move, int]:
        """The legal actions by their moves, in the order of OpenSpiel."""
        if self.is_over:
            return {}
        state, player = self.state, self.state.current_player()
        actions: Sequence[int] = state.legal_actions()
        texts = [state.action_to_string(player, action) for action in actions]
        count = Counter(texts)
        return {
            escaped(text if text and count[text] == 1 else f"{text} #{action}"): action
            for text, action in zip(texts, actions, strict=True)
        }

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves in the order of OpenSpiel."""
        return tuple(self._by_move)

    def why_illegal(self, move: Move) -> str | None:
        """Return why a move is illegal here; None if it is legal."""
        if move in self._by_move:
            return None
        return "the game is over" if self.is_over else "OpenSpiel does not have this action here"

    def play(self, move: Move) -> OpenSpielPosition:
        """Return the position after a move; raises IllegalMoveError."""
        require_legal(self, move)
        return self.after_action(self._by_move[move])

    def after_action(self, action: int) -> OpenSpielPosition:
        """Return the position after a legal action."""
        state = self.state.clone()
        state.apply_action(action)
        mover = self.to_move.other
        if not state.is_terminal():
            mover = SIDES[state.current_player() != self.game.first]
        return OpenSpielPosition(self.game, (*self.actions, action), mover, state)

    def text(self) -> str:
        """Return the numbers of the actions from the start; `-` before the first."""
        return " ".join(map(str, self.actions)) or "-"

    def contents(self) -> tuple[str, ...]:
        """Return the piece on each cell."""
        return self.game.drawing.contents(self.state, self.to_move)


def _choices(name: str, default: object) -> Sequence[int] | Sequence[bool]:
    """Return the values of a parameter that variants can have; none if it cannot be chosen."""
    if isinstance(default, bool):
        return () if NOT_RULES.match(name) else (False, True)
    values = SIZES.get(name, ())
    return values if default in values else ()
