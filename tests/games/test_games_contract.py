"""What `lath.games.core` promises of every game, checked on all that are installed, and relatives.

Must not know any particular game, built-in move counts aside: a new file in `games/` or a plugin
is tested without a change here.
"""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache, lru_cache
from itertools import islice
from random import Random

import pytest
from families import ALL, INSTALLED
from places import OURS
from walks import drawn_start, last_of, play_all, playout, some_position, walk

from lath import games
from lath.games import overlays
from lath.games.board import Board
from lath.games.capabilities import bits_of, legal_bits
from lath.games.core import (
    SIDES,
    Game,
    Move,
    Position,
    Side,
    Symmetry,
    follow,
    layers_of,
    least,
    least_line,
    movers,
    perft,
    read_move,
    result_of,
    symmetries,
)
from lath.games.errors import (
    GameError,
    IllegalMoveError,
    MoveSyntaxError,
    PositionError,
    SetupError,
    UnknownGameError,
)

KNOWN_MOVE_COUNTS = {
    # By arithmetic: 36 cells, then 35 cells, 6 types, 80 lines and the swap, 36 * 122 = 4392; on
    # 8x8 63 cells, 8 types, 130 lines, 49 blocks and the swap; 61 * 60 and 61 swaps in Yavalath.
    "manalath": (140, 19320),
    "manalath-61": (122, 14640),
    "mammalath": (36, 4392, 464724),
    "mammalath-plus": (64, 16064),
    "surikata": (25, 600, 13800),
    "yavalath": (61, 3721, 219600),
}
"""Paths of 1, 2, 3... moves from the plainest start."""

MOVE_IN_A_RECORD = re.compile(r"[A-Za-z][A-Za-z0-9+=:@/-]*")
"""What the notation can hold as a move."""

SHORTEST_REFUSAL = 8
"""A reason in the game's words has more letters than that."""

STRANGE_TEXTS = (
    "", " ", "-", "M", "x", "0", "a0", "a1 ", " a1", "A1", "a01", "z9", "j1", "e44", "a1a1", "a1-",
    "-a1", "x-", "xZ", "xz", "xa1", "xa1-", "xa1-a1", "xa1-a9", "Mz9", "MMa1", "ma1", "Oz9", "oa1",
    "Gc3", "SWAP", "swap ", "swap!", "pass", "resign", "a²", "ａ1", "a1\n", "1. a1", "1-0", "*",
)  # fmt: skip
"""What users, bots and broken files send; some of it may be legal in some game."""

STRANGE_SETUPS = ("", " ", "/", "-/-", "zz", "a1 a1", "6/6/6/6/6/6", "99", "A" * 40, "a1,b1", "\n")

# One worker of xdist: the games that many tests look at are played once.
pytestmark = pytest.mark.xdist_group("test_games_contract")

every_game = pytest.mark.parametrize("game", ALL, ids=lambda game: game.id)


@cache
def known_texts(game_id: str) -> tuple[str, ...]:
    """Return every move that was legal in some of 8 random games, and strange texts.

    These have all moves of each game of ours.
    """
    seen: set[str] = set(STRANGE_TEXTS)
    for position in positions_of(games.get(game_id), range(8)):
        seen.update(position.legal_moves())
    return tuple(sorted(seen))


def is_move_somewhere(game: Game, text: str) -> bool:
    """Return whether `text` is a move of the game, legal or not."""
    try:
        game.canonical(text)
    except MoveSyntaxError:
        return False
    return True


@lru_cache(maxsize=100)
def walked(game_id: str, seed: int) -> tuple[tuple[Position, Move | None], ...]:
    """Return what `walk` yields: many tests look at the same few games."""
    return tuple(walk(games.get(game_id), seed))


def positions_of(game: Game, seeds: range) -> Iterator[Position]:
    """Yield all positions of the random games of `seeds`."""
    for seed in seeds:
        for position, _ in walked(game.id, seed):
            yield position


def check_that_a_random_game_keeps_the_laws(game: Game, seed: int) -> None:
    """Check each position of one game, and in the end that none has changed."""
    history = []
    for position, move in walked(game.id, seed):
        check_ending(position)
        check_moves(position)
        check_text(position)
        check_contents(position)
        history.append((position, position.text(), hash(position), position.legal_moves(), move))
    for position, text, number, moves, move in history:
        now = position.text(), hash(position), position.legal_moves()
        assert now == (text, number, moves), "play() changes an old position: return a new one"
        assert move is None or position.play(move) == position.play(move), (
            f"{move} played twice in {text!r} gives two positions: equal states must be equal"
        )


def check_ending(position: Position) -> None:
    """Check that outcome, is_over and the legal moves agree."""
    outcome, where = position.outcome(), position.text()
    ends = position.is_over, outcome is not None, not position.legal_moves()
    assert len(set(ends)) == 1, (
        f"{where!r}: is_over, outcome() and legal_moves() must agree on whether the game is over, "
        f"and say {ends}"
    )
    if outcome is not None:
        assert outcome.winner in (Side.FIRST, Side.SECOND, None), f"{where!r}: {outcome}"
        assert outcome.ending.strip() == outcome.ending != "", f"{where!r}: {outcome}"
        names = position.game.board.names
        in_order = [name for name in names if name in outcome.cells]
        assert list(outcome.cells) == in_order, f"{where!r}: cells of an outcome in board order"
        assert outcome.winner is not None or not outcome.is_loss, f"{where!r}: nobody lost a draw"
        contents = dict(zip(names, position.contents(), strict=True))
        owners = {_owner(position.game, contents[cell]) for cell in outcome.cells} - {None}
        if owners and outcome.winner is not None:
            made = outcome.winner.other if outcome.is_loss else outcome.winner
            assert owners == {made}, (
                f"{where!r}: the cells of an outcome are what the winner made, or with "
                f"is_loss=True what the loser made, and these are of {owners}"
            )


def _owner(game: Game, stack: str) -> Side | None:
    """Return whose colour the pieces on a cell have; None where they say nothing of it."""
    words = [piece.name.split()[0] for piece in game.pieces if piece.code in stack]
    return next((seat for seat in SIDES if game.colours[seat] in words), None)


def check_moves(position: Position) -> None:
    """Check that legal moves are canonical, different, fit for a record, and can be played."""
    moves, where = position.legal_moves(), position.text()
    assert len(set(moves)) == len(moves), f"{where!r}: legal_moves() has a move twice"
    for move in moves:
        assert position.game.canonical(move) == move, f"canonical() writes {move} otherwise"
        assert MOVE_IN_A_RECORD.fullmatch(move), f"no record can hold the move {move!r}"
        why = position.why_illegal(move)
        assert why is None, f"{where!r}: legal_moves() has {move}, and why_illegal() says {why!r}"
        assert position.play(move).game is position.game, f"play({move!r}) changes the game"


def check_text(position: Position) -> None:
    """Check that the text is the whole state."""
    text = position.text()
    again = position.game.position(text)
    assert again == position, (
        f"position({text!r}) is another one: the text lacks a part of the state"
    )
    assert hash(again) == hash(position), f"{text!r}: equal positions have two hashes"
    assert (again.to_move, again.outcome()) == (position.to_move, position.outcome()), text
    assert again.legal_moves() == position.legal_moves(), text
    assert again.text() == text, "a position that is read has another text"


def check_contents(position: Position) -> None:
    """Check that there is a text of declared pieces for each cell."""
    codes = {piece.code for piece in position.game.pieces}
    contents, where = position.contents(), position.text()
    assert len(contents) == len(position.game.board.names), f"{where!r}: a text for each cell"
    assert codes.issuperset("".join(contents)), f"{where!r}: contents() has no codes but of pieces"
    layers = layers_of(position)
    told = position.game.board.contents(layers.items())
    assert told == contents, f"{where!r}: layers() and contents() say different things"
    assert codes.issuperset(layers), f"{where!r}: layers() has no codes but of pieces"


def check_refusals(position: Position, texts: tuple[str, ...]) -> None:
    """Check that a text is legal exactly when it is among the legal moves, else refused alike."""
    legal = set(position.legal_moves())
    for text in texts:
        move = Move(text)
        reason = position.why_illegal(move)
        assert (reason is None) == (move in legal), (
            f"{text!r} in {position.text()!r}: legal_moves() and why_illegal() disagree, "
            f"which says {reason!r}"
        )
        if reason is not None:
            assert len(reason) > SHORTEST_REFUSAL
            with pytest.raises(IllegalMoveError) as refusal:
                position.play(move)
            told = refusal.value.move, refusal.value.reason
            assert told == (move, reason), "play() refuses as why_illegal() does: require_legal"


def test_the_first_moves_of_every_game_of_ours_are_as_many_as_known() -> None:
    assert set(KNOWN_MOVE_COUNTS) == set(OURS)
    for game_id, counts in KNOWN_MOVE_COUNTS.items():
        start = games.get(game_id).start()
        found = tuple(perft(start, depth) for depth in range(1, len(counts) + 1))
        assert found == counts, game_id


def test_an_unknown_game_is_refused_with_the_games_there_are() -> None:
    with pytest.raises(UnknownGameError, match=r"'chess'.*surikata"):
        games.get("chess")


@every_game
def test_a_game_says_who_it_is_and_its_overlays_name_its_pieces(game: Game) -> None:
    assert games.get(game.id) is game
    assert re.fullmatch(r"[a-z][a-z0-9-]*(:[a-z0-9_=,-]+)?", game.id)
    assert game.title
    assert game.credit
    assert len(set(game.colours)) == 2
    assert len(game.board.names) == len(game.board.centres) == len(set(game.board.centres))
    codes = [piece.code for piece in game.pieces]
    assert len(set(codes)) == len(codes) == len("".join(codes))
    assert all(re.fullmatch(r"#[0-9a-f]{6}", piece.colour) for piece in game.pieces)
    for overlay in overlays.of(game):
        named = [getattr(overlay, field.name) for field in fields(overlay)]
        assert all(named)
        assert {*codes}.issuperset("".join(named))


def check_that_random_games_end(game: Game, seeds: range) -> None:
    """Play quick games and see that each has an outcome."""
    chance = Random(f"{game.id} {seeds}")
    for seed in seeds:
        start = drawn_start(game, seed % 50)
        assert (start.to_move, start.is_over) == (Side.FIRST, False)
        end = play_all(start, playout(start, chance))
        assert end.is_over
        assert end.outcome() is not None


@every_game
def test_random_games_end_with_an_outcome(game: Game) -> None:
    check_that_random_games_end(game, range(50 if game in INSTALLED else 20))


@every_game
def test_random_games_keep_the_laws_of_positions(game: Game) -> None:
    for seed in range(6 if game in INSTALLED else 2):
        check_that_a_random_game_keeps_the_laws(game, seed)
    by_text: dict[str, Position] = {}
    for position in positions_of(game, range(8)):
        by_text[position.text()] = position
        assert game.position(position.text()) == position
    assert len(set(by_text.values())) == len(by_text)


@every_game
def test_a_text_is_legal_exactly_when_it_is_among_the_legal_moves(game: Game) -> None:
    for position in islice(positions_of(game, range(6)), 0, None, 5 if game in INSTALLED else 25):
        check_refusals(position, known_texts(game.id))
    position = some_position(game, seed=2, ply=5)
    for text in known_texts(game.id):
        if is_move_somewhere(game, text):
            once = game.canonical(text)
            assert game.canonical(once) == once, f"canonical({text!r}) is {once!r}, which is no end"
            continue
        assert position.why_illegal(Move(text)) is not None
        with pytest.raises(MoveSyntaxError) as refusal:
            game.canonical(text)
        assert (refusal.value.text, refusal.value.expected != "") == (text, True)


@every_game
def test_reading_a_move_tells_bad_text_from_an_illegal_move(game: Game) -> None:
    start = game.start()
    move = start.legal_moves()[0]
    assert read_move(start, move) == move
    with pytest.raises(MoveSyntaxError, match="'no such move'"):
        read_move(start, "no such move")
    with pytest.raises(IllegalMoveError, match=re.escape(move)):
        read_move(last_of(game, seed=1), move)
    with pytest.raises(IllegalMoveError, match=r"^illegal move 'a\\n\\ud800': "):
        start.play(Move("a\n\ud800"))  # what is told has one line, and can be printed


@every_game
def test_a_position_is_a_value_that_cannot_be_changed_and_travels(game: Game) -> None:
    position = some_position(game, seed=1, ply=4)
    names = [name for name in dir(position) if not name.startswith("__")]
    assert {"to_move", "is_over", "play"}.issubset(names)
    for name in [*names, "an_attribute_of_nobody"]:
        try:
            setattr(position, name, None)
        except (AttributeError, TypeError):  # this of a frozen dataclass with slots, in 3.11
            continue
        pytest.fail(
            f"a position takes another {name}: positions must not be changed, __slots__ = ()"
        )
    assert pickle.loads(pickle.dumps(position)) == copy.deepcopy(position) == position


@every_game
def test_strange_texts_are_no_positions(game: Game) -> None:
    text = some_position(game, seed=4, ply=6).text()
    for strange in (*STRANGE_TEXTS, f"{text} ", f" {text}", f"{text} w", text[:-2], f"{text}\n"):
        with suppress(PositionError):
            read = game.position(strange).text()
            assert read == strange, f"position({strange!r}) must be refused: its text is {read!r}"


def check_that_moves_commute_with(symmetry: Symmetry, position: Position, chance: Random) -> None:
    """Check that what is played in the image of a position is the image of what is played."""
    image: Position = symmetry.position(position)
    where = f"a symmetry that makes {image.text()!r} of {position.text()!r}"
    assert (image.to_move, image.is_over) == (position.to_move, position.is_over), where
    moves = position.legal_moves()
    try:
        images = list(map(symmetry.move, moves))
    except (GameError, LookupError) as error:
        pytest.fail(f"{where} must map every move: {error!r}")
    assert sorted(images) == sorted(image.legal_moves()), (
        f"{where} must map legal moves to legal ones"
    )
    for move in chance.sample(moves, min(2, len(moves))):
        after = symmetry.position(position.play(move))
        assert after == image.play(symmetry.move(move)), f"{where} must map what {move} leads to"
    before, now = position.outcome(), image.outcome()
    if before is not None and now is not None:
        assert (now.winner, now.ending) == (before.winner, before.ending), where
        assert len(now.cells) == len(before.cells), where


def check_symmetries_of(position: Position, chance: Random) -> None:
    """Check all symmetries that are told of at a position, and that its images come to one."""
    first = least(position)
    assert first.game.position(first.text()) == first
    for symmetry in symmetries(position):
        check_that_moves_commute_with(symmetry, position, chance)
    assert least(chance.choice(symmetries(position)).position(position)) == first


@every_game
def test_moves_commute_with_every_symmetry_and_those_that_keep_a_position_are_a_group(
    game: Game,
) -> None:
    """Closed, with the identity and inverses: by what each does to all moves of the game."""
    chance = Random(game.id)
    for position in islice(positions_of(game, range(8)), 0, None, 11):
        check_symmetries_of(position, chance)
    known = {game.canonical(text) for text in known_texts(game.id) if is_move_somewhere(game, text)}
    for start in (game.start(), drawn_start(game, 1)):
        kept = least(start)
        keeping = [each for each in symmetries(kept) if each.position(kept) == kept]
        moves = sorted(known.union(*(map(each.move, known) for each in keeping)))
        place = {move: at for at, move in enumerate(moves)}
        maps = {tuple(place[symmetry.move(move)] for move in moves) for symmetry in keeping}
        assert tuple(range(len(moves))) in maps, "symmetries() lacks the identity"
        for one in maps:
            assert {tuple(one[at] for at in other) for other in maps} == maps, (
                f"symmetries() of {kept.text()!r} lacks what two of its symmetries come to together"
            )


@every_game
def test_images_of_a_position_and_of_a_line_have_one_least_image(game: Game) -> None:
    chance = Random(game.id)
    for seed in range(5):
        start = drawn_start(game, seed)
        position, moves = start, list[Move]()
        for _ in range(4):
            moves.append(chance.choice(position.legal_moves()))
            position = position.play(moves[-1])
            if position.is_over:
                break
        least_start, line = least_line(start, moves)
        folded = "symmetries(): a line and its images must come to the same least line and end"
        assert least(play_all(least_start, line)) == least(position), folded
        for symmetry in symmetries(start):
            image, images = symmetry.position(start), list(map(symmetry.move, moves))
            assert least_line(image, images) == (least_start, line), folded
            assert least(play_all(image, images)) == least(position), folded


@every_game
def test_drawn_setups_are_the_same_for_the_same_seed_and_strange_ones_are_refused(
    game: Game,
) -> None:
    for strange in STRANGE_SETUPS if game.has_setups else ("-", *STRANGE_SETUPS):
        with pytest.raises(SetupError):
            game.canonical_setup(strange)
        with pytest.raises(SetupError if game.has_setups else GameError):
            game.start(strange)
    if not game.has_setups:
        assert game.draw_setup(1) is None
        return
    drawn = [game.draw_setup(seed) for seed in range(300)]
    assert drawn == [game.draw_setup(seed) for seed in range(300)]
    assert len(set(drawn)) > (100 if game.id in OURS else 1)
    for setup in drawn:
        assert setup is not None
        assert game.canonical_setup(setup) == setup
        assert game.position(game.start(setup).text()) == game.start(setup)


# Many moves at once: games may offer it for speed, and it must never differ from one by one.


def one_by_one(position: Position, moves: Sequence[str]) -> Position | None:
    """Return the position after `moves`; None where one of them cannot be played."""
    for move in moves:
        if position.why_illegal(Move(move)) is not None:
            return None
        position = position.play(Move(move))
    return position


def spoiled(moves: Sequence[str], chance: Random) -> list[str]:
    """Return the moves with nothing changed, or one left out, doubled, moved or put in."""
    changed = list(moves)
    at, to = chance.randrange(len(moves)), chance.randrange(len(moves))
    match chance.randrange(8):
        case 0:
            del changed[at]
        case 1:
            changed[at], changed[to] = changed[to], changed[at]
        case 2:
            changed[at] = moves[to]
        case 3:
            changed.insert(at, moves[to])
        case 4:
            changed.insert(at, chance.choice(["swap", "Ma1", "xA", "a1", "Oa1", "", "M", "no"]))
        case 5:
            changed = changed[: at + 1]
    return changed


def check_lines(game: Game, seeds: range) -> None:
    """Compare, from the start and from positions on the way, with moves in order and spoiled."""
    refused = 0
    for seed in seeds:
        chance = Random(seed)
        moves = [str(move) for _, move in walk(game, seed) if move is not None]
        begun = chance.randrange(len(moves)) if chance.random() < 0.3 else 0
        base = one_by_one(drawn_start(game, seed), moves[:begun])
        assert base is not None
        line = spoiled(moves[begun:], chance)
        expected = one_by_one(base, line)
        assert follow(base, line) == expected, (
            f"after({line}) at {base.text()!r} ends elsewhere than playing one by one"
        )
        refused += expected is None
        outcome = expected.outcome() if expected else None
        if expected is not None:
            found, told = result_of(expected), outcome.result if outcome else "*"
            assert found == told, f"{expected.text()!r}: result is {found}, outcome() says {told}"
            stages = (one_by_one(base, line[:ply]) for ply in range(len(line) + 1))
            seats = [stage.to_move for stage in stages if stage]
            assert list(movers(base, line)) == seats, (
                f"movers({line}) at {base.text()!r} names others than playing one by one"
            )
    assert len(seeds) * 0.1 < refused < len(seeds) * 0.9


@every_game
def test_moves_played_at_once_end_where_single_moves_do(game: Game) -> None:
    check_lines(game, range(50 if game in INSTALLED else 20))
    start = drawn_start(game, 1)
    moves = [str(move) for _, move in walked(game.id, 1) if move is not None]
    end = follow(start, moves)
    assert end is not None
    assert (follow(start, []), follow(end, [])) == (start, end)
    assert follow(end, moves[:1]) is follow(start, [*moves, moves[0]]) is None


def some_cells(board: Board, chance: Random) -> int:
    """Return a random set of cells."""
    share = chance.random() * 0.6
    return sum(bit for bit in board.name if chance.random() < share)


@every_game
def test_lines_and_the_bits_of_the_legal_moves_are_found_without_looking_at_each(
    game: Game,
) -> None:
    board, chance = game.board, Random(3)
    for _ in range(100):
        one, other = some_cells(board, chance), some_cells(board, chance)
        for length in range(2, 9):
            lines = [line for line in board.lines(length) if one & line == line]
            others = [line for line in board.lines(length) if other & line == line]
            assert board.has_line(one, length) == bool(lines)
            assert board.has_line(one | other << board.apart, length) == bool(lines or others)
    bits = bits_of(game)
    assert bits or game.id.partition(":")[0] not in OURS
    assert len(set(bits.values())) == len(bits)
    assert all(bit.bit_count() == 1 for bit in bits.values())
    for position in positions_of(game, range(8)) if bits else ():
        expected = sum(bits[move] for move in position.legal_moves())
        found = legal_bits(position)
        assert found == expected, (
            f"{position.text()!r}: legal_bits is not the sum of legal moves' bits"
        )


def test_groups_of_four_are_found_without_walking_any() -> None:
    for game_id in ("manalath", "manalath-61", "yavalath"):
        board, chance = games.get(game_id).board, Random(4)
        seen = set()
        for _ in range(2000):
            one, other = some_cells(board, chance), some_cells(board, chance)
            found, both = board.over_three(one), board.over_three(one | other << board.apart)
            for group in board.groups(one):
                assert bool(group & found) == (group.bit_count() > 3)
                seen.add(bool(group & found))
            assert both == found | board.over_three(other) << board.apart
        assert seen == {True, False}
