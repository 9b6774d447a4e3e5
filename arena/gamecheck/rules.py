"""The steps about the contract and the texts, from the trial of the rules; with their remedies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from lath.arena.gamecheck.lab import GameLab
from lath.arena.gamecheck.points import GameFinding, GameStep, fault, note, ok, untested, warning
from lath.games.capabilities import boarded, lessons_of, mends_of, terms_of
from lath.games.cards import card_of, variants
from lath.games.errors import UnknownGameError, count_of, error_words
from lath.games.laws import Law, LawFault
from lath.games.registry import get
from lath.games.trial import faults_of

MEND: Final[Mapping[Law, str]] = {
    Law.LOOKS: "give the game a title, a credit and two different words for the players",
    Law.BOARD: "make the board with a function of lath.games.board, such as squares(6)",
    Law.PIECES: "give each Piece its own letter, in one tuple",
    Law.COLOUR: "write the colour as six hexadecimal digits after #, such as #c0392b",
    Law.OVERLAYS: "name only codes of the game's pieces in overlays",
    Law.LESSON: "correct the lesson's moves, its ending or its words",
    Law.SETUP_TEXT: "raise SetupError in canonical_setup, and call it in start",
    Law.SETUP_DRAWN: "use only Random(seed) in draw_setup, and return the canonical text",
    Law.MEMBERS: "add the missing members to the class of positions",
    Law.START: "let start() return a position of the first player in which the game is not over",
    Law.SETTABLE: "make the position a NamedTuple, a frozen dataclass, or a class with slots",
    Law.BITS: "give each move its own power of two, and legal_bits those of the legal moves",
    Law.RAISES: "correct this line; the message shows the moves that lead there",
    Law.TO_MOVE: "return a Side from to_move, such as SIDES[self.mover]",
    Law.LEGAL_TUPLE: "return a tuple of Move from legal_moves()",
    Law.OUTCOME: "return Outcome(winner, ending, cells) or None from outcome()",
    Law.IS_OVER: "let is_over be true exactly if outcome() is not None",
    Law.STUCK: "end the game in outcome(), or add a pass, if no move is left",
    Law.GOES_ON: "return no legal moves if the game is over",
    Law.TWICE: "list each move once in legal_moves()",
    Law.RESULT: "let result follow from outcome()",
    Law.WINNER: "name the winner as a Side, or None for a draw",
    Law.ENDING: "name the ending in a few words without spaces at its ends",
    Law.CELLS: "order the cells as board.names does: board.names_of(lines) does it",
    Law.OWNER: "exchange the winner, or set is_loss=True if the loser made the ending",
    Law.IS_LOSS: "leave out is_loss for a draw",
    Law.WRITTEN: "write moves as the message says, such as a1-b2",
    Law.CANONICAL: "let canonical() return the text that legal_moves() writes",
    Law.EXPECTED: 'raise MoveSyntaxError(text, "expected …") with an example of a move',
    Law.TEXT: "return a text from text()",
    Law.TEXT_REFUSED: "let position() accept each text that text() writes",
    Law.TEXT_DIFFERS: "write the whole state in text(), also whose turn it is and what is beside "
    "the board, and read all of it in position()",
    Law.TEXT_STRANGE: "refuse each text that differs from text() of the position that it describes",
    Law.HASH: "make the position hashable: tuples and numbers instead of lists, sets and dicts",
    Law.EQUAL: "compare all that text() writes in the equality of positions",
    Law.TRAVELS: "let positions be copied: no lambdas, generators or open files in them",
    Law.CONTENTS: "return a text for each cell in the order of board.names, empty for no piece",
    Law.CODES: "use only the codes of the game's pieces, or add a Piece for this letter",
    Law.LAYERS: "let contents() and layers() describe the same pieces",
    Law.EXTRAS: "return the same names in each position, with numbers or words, and write them "
    "in text()",
    Law.LISTED: "let why_illegal return None exactly for the moves in legal_moves()",
    Law.PLAYABLE: "let play() accept exactly the moves in legal_moves()",
    Law.REASON: "return a reason from why_illegal for each move that legal_moves() does not list",
    Law.REFUSED: "call require_legal(self, move) in the first line of play()",
    Law.SAME_REASON: "call require_legal(self, move) in play() instead of a reason of its own",
    Law.GAME: "keep the same game object in the new position",
    Law.CHANGED: "copy the state in play() and change only the copy",
    Law.REPEATABLE: "use no random numbers and no state outside the position in play()",
    Law.LINES: "let after(moves) and movers(moves) agree with play(), or remove them",
    Law.IMAGE: "remove this symmetry, or map the cells and the moves by the same rotation",
    Law.LEAST: "let the images of a position be the same set for each of its images",
    Law.GROUP: "begin with IDENTITY, and add each combination of two symmetries",
    Law.FAST_MOVES: "let legal() list the codes of the legal moves in the order of legal_moves()",
    Law.FAST_STATE: "let the fast board follow the rules of the positions",
    Law.FAST_KEY: "let key depend on the whole state, and on nothing else",
    Law.FAST_UNDO: "restore in undo() all that play() changed",
    Law.FAST_THREATS: "correct threats() and candidates(), or remove your own versions",
    Law.FAST_IMAGES: "let images() follow symmetries(), or remove your own version",
}
"""How to fix a breach of each law."""

_POINTS: Final[Mapping[str, tuple[str, frozenset[Law]]]] = {
    "members": (
        "has the members of a game and of a position",
        frozenset({Law.LOOKS, Law.BOARD, Law.MEMBERS}),
    ),
    "exceptions": ("raises no exception", frozenset({Law.RAISES})),
    "start": (
        "begins with the first player's turn, from any setup",
        frozenset({Law.START, Law.SETUP_TEXT, Law.SETUP_DRAWN}),
    ),
    "legal-moves": (
        "lists each legal move once, and plays it",
        frozenset({Law.LEGAL_TUPLE, Law.TWICE, Law.LISTED, Law.PLAYABLE, Law.BITS}),
    ),
    "illegal-moves": (
        "refuses each other move, with a reason",
        frozenset({Law.REASON, Law.REFUSED, Law.SAME_REASON}),
    ),
    "endings": (
        "ends with an outcome on which all members agree",
        frozenset(
            {
                *(Law.TO_MOVE, Law.OUTCOME, Law.IS_OVER, Law.STUCK, Law.GOES_ON, Law.RESULT),
                *(Law.WINNER, Law.CELLS, Law.OWNER, Law.IS_LOSS),
            }
        ),
    ),
    "positions": (
        "has positions that never change, and that are equal if their states are",
        frozenset(
            {
                *(Law.SETTABLE, Law.HASH, Law.EQUAL, Law.CHANGED, Law.REPEATABLE, Law.GAME),
                *(Law.TRAVELS, Law.LINES),
            }
        ),
    ),
    "fast-board": (
        "has a fast board that does what its positions do",
        frozenset(law for law in Law if law.name.startswith("FAST_")),
    ),
    "move-texts": (
        "writes each move in one way, which records can hold",
        frozenset({Law.WRITTEN, Law.CANONICAL, Law.EXPECTED}),
    ),
    "position-texts": (
        "writes each position as a complete text, and reads no other",
        frozenset({Law.TEXT, Law.TEXT_REFUSED, Law.TEXT_DIFFERS, Law.TEXT_STRANGE, Law.EXTRAS}),
    ),
    "ending-words": ("names endings in a few words", frozenset({Law.ENDING})),
    "lessons": ("has lessons that show what they say", frozenset({Law.LESSON})),
    "declared": (
        "has symmetries that the rules do not distinguish",
        frozenset({Law.IMAGE, Law.LEAST, Law.GROUP}),
    ),
    "pieces": (
        "has a letter and a colour for each piece",
        frozenset({Law.PIECES, Law.COLOUR, Law.OVERLAYS}),
    ),
    "contents": (
        "says which pieces are on each cell",
        frozenset({Law.CONTENTS, Law.CODES, Law.LAYERS}),
    ),
}
"""For each point from the trial: what the game must do, and the laws."""

LAWS: Final = {point: laws for point, (_, laws) in _POINTS.items()}
"""The laws of each point from the trial."""

_STILL: Final = frozenset({"members", "lessons", "pieces"})
"""The points that are also tested without a position."""

CONTRACT: Final = (
    *("members", "exceptions", "start", "legal-moves", "illegal-moves", "endings", "positions"),
    "fast-board",
)
"""The points without which games cannot be played."""


def step_of(point: str) -> GameStep:
    """Return the step of a point from the trial."""
    asks, laws = _POINTS[point]

    def run(lab: GameLab) -> Iterator[GameFinding]:
        found = [one for one in (*lab.faults, *_of_board(lab, point)) if one.law in laws]
        for one in found:
            yield finding_of(lab, one)
        if not found and (first := _hindrance(lab, point)):
            yield untested(f"no position could be tested: see {first}")
        elif not found:
            yield from _fine(lab, point)

    return GameStep(point, asks, run, needs="nothing")


def _hindrance(lab: GameLab, point: str) -> str:
    """Return the point whose fault ended the trial before this point; empty if none did."""
    if not lab.faults or point in _STILL:
        return ""
    is_board = point == "fast-board" and boarded(lab.game) is not None
    if lab.tally.positions and not is_board:
        return ""
    return next(name for name, laws in LAWS.items() if lab.faults[0].law in laws)


def _of_board(lab: GameLab, point: str) -> list[LawFault]:
    has_board = point == "fast-board" and boarded(lab.game) is not None
    return lab.board_faults if has_board and not lab.faults else []


def finding_of(lab: GameLab, one: LawFault) -> GameFinding:
    """Return the finding of a fault of the rules."""
    where = "" if one.error is None else lab.where(one.error)
    mend = mends_of(lab.game).get(one.law, MEND[one.law])
    return fault(one.words, mend, where=where, way=one.where)


def _fine(lab: GameLab, point: str) -> Iterator[GameFinding]:
    """Yield the finding of a point without faults."""
    tally, game = lab.tally, lab.game
    numbers = f"{count_of(tally.games, 'random game')} with {count_of(tally.positions, 'position')}"
    match point:
        case "exceptions":
            yield ok(f"none in {numbers}")
        case "fast-board" if boarded(game) is None:
            return  # the step about speed says so
        case "lessons":
            count = len(lessons_of(game))
            if not count:
                form = f"lessons = ({form_of_a_lesson(lab)},)"
                mend = f"add lessons, which teach the rules by moves: {form} in the class, with "
                yield note("no lessons", f"{mend}Lesson from lath.games.core")
            else:
                yield ok(count_of(count, "lesson"))
        case "start":
            many = len(game.start().legal_moves())
            has = "with setups" if game.has_setups else "without setups"
            yield ok(f"{count_of(many, 'first move')}, {has}")
        case "move-texts":
            yield from _of_moves(lab)
        case "pieces":
            yield ok(", ".join(f"{piece.code} {piece.name}" for piece in game.pieces))
        case "ending-words":
            yield from _of_endings(lab)
        case _:
            yield ok("no fault found")


def _of_moves(lab: GameLab) -> Iterator[GameFinding]:
    """Yield a note about moves that are hard to type, or that they are fine."""
    moves = {move: None for visit in lab.sample for move in visit.position.legal_moves()}
    if escaped := next((move for move in moves if "%" in move), None):
        yield note(
            f"some moves are escaped in records and in the protocol, such as {escaped}",
            "write moves with a letter first, then letters, digits or + - = : @ / to avoid this",
        )
        return
    longest = max(moves, key=len, default="")
    if len(longest) > 24:
        yield note(
            f"the longest move has {len(longest)} letters: {longest[:60]}",
            "shorten moves, because people read and type them",
        )
        return
    yield ok(f"such as {', '.join([*moves][:: max(1, len(moves) // 3)][:3])}")


def _of_endings(lab: GameLab) -> Iterator[GameFinding]:
    """Yield the endings that random games had, and a note about words that read badly."""
    outcomes = (visit.position.outcome() for visit in lab.sample if visit.move is None)
    endings = dict.fromkeys(outcome.ending for outcome in outcomes if outcome)
    for ending in endings:
        is_sentence = ending.endswith((".", "!")) or ending[0].isupper() or len(ending) > 40
        if is_sentence:
            yield note(
                f"the ending {ending!r} reads badly after the player's name",
                "name it in a few words in small letters, such as `four in line`",
            )
            return
    yield ok(", ".join(endings) or "no random game ended")


def form_of_a_lesson(lab: GameLab) -> str:
    """Return a lesson of a game as its author would write it."""
    moves = ("a1",) if lab.faults else tuple(map(str, lab.game.start().legal_moves()[:1]))
    words = f"{lab.game.colours[0].capitalize()} begins."
    return f"Lesson(title='The first move', words={words!r}, moves={moves!r})"


def _has_reasons(lab: GameLab) -> Iterator[GameFinding]:
    """Yield what `why_illegal` says of moves that were legal elsewhere."""
    moves = [*{move: None for visit in lab.sample for move in visit.position.legal_moves()}]
    said = dict[str, str]()
    for at, visit in enumerate(lab.sample[:400]):
        move = moves[at * 7 % len(moves)]
        if (why := visit.position.why_illegal(move)) is not None:
            said.setdefault(why, move)
    poor = [why for why in said if len(why.split()) < 2 or len(why) > 120]
    if poor:
        asked = terms_of(lab.game).get("why_illegal", "why_illegal")
        yield warning(
            f"{asked}({said[poor[0]]!r}) says {poor[0][:60]!r}, expected a few words",
            "say in the game's words what the rules forbid, such as `a1 already has a stone`",
        )
    elif said:
        yield ok(next(iter(said)))
    else:
        yield ok("each move that was tried was legal")


def _has_card(lab: GameLab) -> Iterator[GameFinding]:
    """Yield whether the game states its rules."""
    words = len(card_of(lab.game).split())
    if words < 8:
        yield warning(
            f"the rule card has {words} words" if words else "no rules for people",
            "write the rules as the docstring of the file, or as GAME.card: first the goal, then "
            "the turn",
        )
    else:
        yield ok(f"{words} words")


def _has_variants(lab: GameLab) -> Iterator[GameFinding]:
    """Yield faults of variants with other values of the parameters."""
    others = () if ":" in lab.game.id else variants(lab.game)
    if not others:
        return
    share = lab.seconds(2.0) / len(others)
    is_fine = True
    for game_id in others:
        try:
            one = get(game_id)
            found = [each for each in faults_of(one, games=3, seconds=share) if each is not None]
        except UnknownGameError as error:
            yield fault(f"{game_id}: {error}", "raise ValueError if values cannot be combined")
            is_fine = False
            continue
        except Exception as error:  # noqa: BLE001 - the rules can raise anything
            yield fault(f"{game_id}: {error_words(error)}", MEND[Law.RAISES], lab.where(error))
            is_fine = False
            continue
        for each in found[:1]:
            is_fine = False
            described = finding_of(lab, each)
            yield fault(f"{game_id}: {each.words}", described.mend, described.where, each.where)
    if is_fine:
        yield ok(f"{len(others)} tried, such as {others[0]}")


REASONS: Final = GameStep("reasons", "says in words why a move is illegal", _has_reasons)
CARD: Final = GameStep("rule-card", "states its rules for people", _has_card, needs="nothing")
VARIANTS: Final = GameStep("variants", "plays with other values of its parameters", _has_variants)


def unloaded(words: str) -> Iterator[GameFinding]:
    """Yield the finding of a file that does not define a game."""
    yield fault(words, "correct the file as the message says, then check it again")
