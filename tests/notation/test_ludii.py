"""Trials of Ludii: which moves, which winner, and what is told of a bad one, where."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from format_files import entries, problem_of, records_in
from hypothesis import given
from hypothesis import strategies as st
from places import SAMPLES
from walks import playout

from lath import games
from lath.notation import format_record, parse
from lath.notation.formats.ludii import LudiiMove
from lath.notation.record.errors import Fault
from lath.notation.record.record import Record
from lath.notation.text.splitting import RecordText

if TYPE_CHECKING:
    from golden import Golden

MANALATH, YAVALATH = (
    f"game=/lud/board/space/{path}.lud" for path in ("group/Manalath", "line/Yavalath")
)
HANDS = tuple(
    f"Move=[Move:mover=0,from={site},to={site},actions=[Add:type=Cell,to={site},what={what}]]"
    for site, what in ((61, 1), (62, 2))
)
FORCED_PASS = "Move=[Move:mover={},actions=[Pass:decision=true,forced=true]]"
SWAP = (
    "Move=[Move:mover=2,actions=[Swap:player1=2,player2=1,decision=true],[SetNextPlayer:player=2]]"
)
DRAW = ("winner=0", "endtype=NaturalEnd", "rankings=0.0,1.5,1.5")


def add(mover: int, site: int) -> str:
    decision = f"[Add:type=Cell,to={site},what={mover},decision=true]"
    return f"Move=[Move:mover={mover},from={site},to={site},actions={decision}]"


def copy(mover: int, hand: int, site: int) -> str:
    decision = f"[Copy:typeFrom=Cell,from={hand},levelFrom=0,typeTo=Cell,to={site},decision=true]"
    return f"Move=[Move:mover={mover},from={hand},to={site},actions={decision}]"


def trial(*lines: str, game: str = YAVALATH, options: Sequence[str] = ()) -> str:
    head = (game, "START GAME OPTIONS", *options, "END GAME OPTIONS", "RNG internal state=1,-2,3")
    return "\n".join((*head, *lines, ""))


def sound(text: str) -> Record:
    (record,) = records_in("ludii", text)
    return record


def sample(name: str) -> Record:
    (record,) = records_in("ludii", (SAMPLES / f"ludii-{name}.trl").read_bytes())
    return record


def test_trials_of_ludii_are_read_with_crlf_counts_of_legal_moves_and_swaps() -> None:
    assert b"\r\nLEGAL MOVES LIST SIZE = 122\r\n" in (SAMPLES / "ludii-manalath.trl").read_bytes()
    record = sample("manalath")
    assert record.moves == ("Oe5", "Pa1", "Oe6", "Oe8", "Oe9", "Pi5", "Oe7")
    assert record.tags == (
        ("Game", "manalath-61"),
        ("LudiiRng", "12,-7,101,0,-128,127,5,66"),
        ("LudiiSandbox", "false"),
        ("LudiiVersion", "1.3.14"),
        ("Termination", "rules"),
        ("Result", "1-0"),
    )
    record = sample("yavalath-swap")  # behind which role two is first
    assert record.moves == ("e5", "swap", "a1", "e6", "a3", "e7")
    assert record.result == "1-0"
    assert record.tag("LudiiOptions") == "Players/2 Players; Board Size/5x5"
    record = sample("yavalath-unfinished")
    assert (record.result, record.termination) == ("*", "unterminated")


def test_site_0_is_the_lower_left_cell_and_rows_follow_upwards() -> None:
    """Ludii numbers cells by 100 y + x, ascending: `Graph.reorder` and `ItemScore.compareTo`."""
    record = sound(trial(*(add(1 + ply % 2, site) for ply, site in enumerate((0, 4, 5, 60)))))
    assert record.moves == ("a1", "a5", "b1", "i5")


def test_a_trial_may_be_of_a_path_of_windows() -> None:
    assert sound(trial(game=r"game=C:\lud\Yavalath.lud")).game == "yavalath"


def test_trials_may_follow_each_other() -> None:
    text = "\n\n" + trial(add(1, 0)) + "\n" + trial("Move=junk") + trial(add(1, 60), game=YAVALATH)
    found = entries("ludii", text)
    assert [(entry.number, entry.line, entry.record and entry.record.moves) for entry in found] == [
        (1, 3, ("a1",)),
        (2, 9, None),
        (3, 14, ("i5",)),
    ]


FORFEIT = "Move=[Move:mover={},actions=[Forfeit:player=P{},decision=true]]"
WON = [add(1, 0), add(2, 30), add(1, 1), add(2, 50), add(1, 2)]
ENDS: list[tuple[list[str], str, str]] = [
    ([FORFEIT.format(2, 2), "winner=1", "endtype=NaturalEnd"], "1-0", "resignation"),
    (["winner=0", "endtype=MoveLimit", "rankings=0.0,1.5,1.5"], "1/2-1/2", "ply limit"),
    (["winner=0", "endtype=TurnLimit", "rankings=0.0,1.5,1.5"], "1/2-1/2", "ply limit"),
    (["winner=-1", "endtype=NaturalEnd", "rankings=0.0,0.0,0.0"], "*", "void"),
]


def test_an_end_of_ludii_is_a_result_and_a_termination() -> None:
    for lines, result, why in ENDS:
        record = sound(trial(add(1, 30), *lines))
        assert (record.moves, record.result, record.termination) == (("e5",), result, why)
    assert sound(trial(*WON, "rankings=0.0,2.0,1.0")).result == "0-1"  # ranks alone say it


def test_forced_passes_on_a_full_board_are_no_plies() -> None:
    full = full_board()
    moves = [add(1 + ply % 2, site) for ply, site in enumerate(full)]
    sizes = [61, 61, *range(59, 0, -1), 1, 1]
    counts = [f"LEGAL MOVES LIST SIZE = {size}" for size in sizes]
    passes = [FORCED_PASS.format(2), FORCED_PASS.format(1)]
    record = sound(trial(*moves, *passes, *counts, *DRAW))
    assert len(record.plies) == 61
    assert record.result == "1/2-1/2"


def full_board() -> list[int]:
    """Return the sites of a game of Yavalath that fills the board without three in line."""
    board = games.get("yavalath").board
    of_colour: tuple[list[int], list[int]] = ([], [])
    for site, name in enumerate(board.names):
        row, column = divmod(board.bit[name].bit_length() - 1, 10)
        of_colour[(row + column) % 4 < 2].append(site)
    second, first = sorted(of_colour, key=len)
    sites = [0] * 61
    sites[::2], sites[1::2] = first, second
    return sites


LEGAL = [add(1, site).removeprefix("Move=") for site in range(61)]
MOVE = "Move=[Move:"
NO_SENSE: dict[str, str] = {
    "no trial": "Move=x\n",
    "another game": trial(game="game=/lud/board/space/connection/Hex.lud"),
    "three players": trial(options=["Players/3 Players"]),
    "another board": trial(game=MANALATH, options=["Board Size/6x6"]),
    "options never closed": f"{YAVALATH}\nSTART GAME OPTIONS\n",
    "an unknown line": trial("what is this?"),
    "a field twice": trial("winner=1", "winner=1"),
    "no count": trial("LEGAL MOVES LIST SIZE = many"),
    "no winner": trial("winner=9"),
    "no endtype": trial("endtype=Boredom"),
    "no rankings": trial("rankings=1.0"),
    "two winners": trial("winner=1", "rankings=0.0,2.0,1.0"),
    "an empty move": trial("Move="),
    "a cell": trial("Move=e5"),
    "no mover": trial(f"{MOVE}from=0]"),
    "a mover in words": trial(f"{MOVE}mover=one,to=0,actions=[Add:to=0]]"),
    "no actions": trial(f"{MOVE}mover=1,to=0]"),
    "no action": trial(f"{MOVE}mover=1,actions=]"),
    "never closed": trial(f"{MOVE}mover=1,actions=[Add:to=0]"),
    "closed twice": trial(f"{MOVE}mover=1,actions=[Add:to=0]]]"),
    "a site beyond": trial(add(1, 61)),
    "a copy in yavalath": trial(add(1, 30), copy(2, 61, 4)),
    "a copy from nowhere": trial(*HANDS, copy(1, 60, 4), game=MANALATH),
    "nobody forfeits": trial(add(1, 30), f"{MOVE}mover=2,actions=[Forfeit:decision=true]]"),
    "not UTF-8": trial("SANDBOX=") + "X=\udcff\n",
    "a swap of manalath": trial(copy(1, 61, 30), SWAP, game=MANALATH),
}
"""Trials that cannot be read."""

AGAINST_THE_RULES: dict[str, str] = {
    "a stone there": trial(add(1, 30), add(2, 30)),
    "not to move": trial(add(1, 30), add(1, 31)),
    "a forced pass": trial(add(1, 30), FORCED_PASS.format(2)),
    "behind a forfeit": trial(FORFEIT.format(1, 1), add(1, 30), "winner=2"),
    "won too early": trial(add(1, 30), "winner=1", "endtype=NaturalEnd"),
    "won by another": trial(*WON, "winner=1"),
    "won by nobody": trial(*WON),
    "wrong counts": trial(
        add(1, 30), add(2, 31), *(f"LEGAL MOVES LIST SIZE = {n}" for n in (61, 60))
    ),
    "too few counts": trial(add(1, 30), add(2, 31), "LEGAL MOVES LIST SIZE = 61"),
    "a list too short": trial(
        add(1, 30), "NEW LEGAL MOVES LIST", *LEGAL[1:], "END LEGAL MOVES LIST"
    ),
    "a setup of yavalath": trial(add(0, 30), "numInitialPlacementMoves=1"),
    "a setup of one move": trial(
        *HANDS, copy(1, 61, 0), "numInitialPlacementMoves=1", game=MANALATH
    ),
}
"""Trials of which the rules, ours or Ludii's, say another thing."""


def test_what_is_wrong_with_a_trial_is_told_of_where_it_goes_wrong(golden: Golden) -> None:
    told = {}
    for is_read, cases in ((False, NO_SENSE), (True, AGAINST_THE_RULES)):
        for name, text in cases.items():
            (entry,) = entries("ludii", text.encode("utf-8", "surrogateescape"))
            assert (entry.record is not None) == is_read, name
            told[name] = problem_of(entry)
    golden(told)
    lists = ["NEW LEGAL MOVES LIST", *LEGAL, "END LEGAL MOVES LIST"]
    assert sound(trial(add(1, 30), *lists)).moves == ("e5",)


def test_fields_without_a_meaning_here_are_kept_under_names_of_their_own() -> None:
    text = trial("foo bar=1", "foo_bar=2", "LUDII_VERSION=3", "Version=4", "Options=5")
    record = sound(text.replace("END GAME", "Board Size/5x5\nEND GAME"))
    assert [tag for tag in record.tags if tag[0].startswith("Ludii")] == [
        ("LudiiOptions", "Board Size/5x5"),
        ("LudiiRng", "1,-2,3"),
        ("Ludiifoo_bar", "1"),
        ("Ludiifoo_bar2", "2"),
        ("LudiiVersion", "3"),
        ("LudiiVersion2", "4"),
        ("LudiiOptions2", "5"),
    ]
    assert parse(format_record(record)) == record
    record = sound(trial("SANDBOX=a\rb"))
    assert record.tag("LudiiSandbox") == "a b"
    assert parse(format_record(record)) == record


class Text(str):
    """A text that counts how many of its letters are gone through for its lines."""

    __slots__ = ()
    seen: ClassVar[list[int]] = []

    def split(self, *_: Any) -> list[str]:
        raise AssertionError("a text of many lines takes much memory when it is split")

    def count(self, sought: Any, start: Any = 0, end: Any = None) -> int:
        self.seen.append((len(self) if end is None else end) - start)
        return super().count(sought, start, end)

    def rfind(self, sought: Any, start: Any = 0, end: Any = None) -> int:
        self.seen.append((len(self) if end is None else end) - start)
        return super().rfind(sought, start, end)


def test_the_lines_of_a_text_are_found_once_for_all_its_faults() -> None:
    faults = [Fault("x", "", at=at) for at in range(0, 3000, 3)]
    text = RecordText(5, Text("ab\n" * 1000), column=3)
    problems = text.entry("f", 1, None, faults).problems
    assert [(one.line, one.column) for one in problems[:3]] == [(5, 3), (6, 1), (7, 1)]
    assert (problems[-1].line, problems[-1].source) == (1004, "ab")
    assert sum(Text.seen) <= 2 * len(text.text)


GAMES = {"manalath-61": MANALATH, "yavalath": YAVALATH}


def as_ludii_writes(record_game: str, seed: int, *, swap: bool) -> tuple[str, tuple[str, ...], str]:
    """Return a random game as Ludii would write it, and its moves and result."""
    game = games.get(record_game)
    position, moves = game.start(), []
    chance = random.Random(seed)
    if swap:
        moves = [game.canonical(chance.choice(game.board.names)), game.canonical("swap")]
    for move in moves:
        position = position.play(move)
    moves += playout(position, chance)
    lines, counts, roles, position = [], [], (1, 2), game.start()
    for move in moves:
        role = roles[position.to_move]
        counts.append(f"LEGAL MOVES LIST SIZE = {len(position.legal_moves())}")
        if move == "swap":
            lines.append(SWAP)
            roles = (2, 1)
        elif record_game == "yavalath":
            lines.append(add(role, game.board.names.index(move)))
        else:
            hand = {"O": 61, "P": 62}[move[0]]
            lines.append(copy(role, hand, game.board.names.index(move[1:])))
        position = position.play(move)
    outcome = position.outcome()
    assert outcome is not None
    winner = 0 if outcome.winner is None else roles[outcome.winner]
    hands = HANDS if record_game == "manalath-61" else ()
    end = (f"winner={winner}", "endtype=NaturalEnd")
    text = trial(*hands, *lines, *counts, *end, game=GAMES[record_game])
    return text, tuple(moves), outcome.result


@given(st.sampled_from(sorted(GAMES)), st.integers(0, 1 << 30), st.booleans(), st.booleans())
def test_every_game_that_ludii_could_have_written_is_read(
    game_id: str, seed: int, swap: bool, crlf: bool
) -> None:
    text, moves, result = as_ludii_writes(game_id, seed, swap=swap and game_id == "yavalath")
    record = sound(text.replace("\n", "\r\n") if crlf else text)
    assert (record.moves, record.result) == (moves, result)


@given(st.data())
def test_a_damaged_trial_is_read_or_told_of_in_its_place(data: st.DataObject) -> None:
    text, _, _ = as_ludii_writes("manalath-61", 723, swap=False)
    at = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 30))
    junk = data.draw(st.text("0123456789=[],:\nMoveP \x00é", max_size=8))
    damaged = text[:at] + junk + text[at + length :]
    lines = damaged.split("\n")
    for entry in entries("ludii", damaged):
        assert entry.record is not None or entry.problems
        for problem in entry.problems:
            assert problem.source == lines[problem.line - 1].rstrip("\r")
            assert 1 <= problem.column <= len(problem.source) + 1


def test_a_value_of_a_decision_is_a_number_or_none() -> None:
    decision = LudiiMove(0, 1, "Add", {"to": "12", "what": "x", "from": "-1"})
    assert [decision.number(name) for name in ("to", "what", "from", "state")] == [
        12, None, None, None,
    ]  # fmt: skip
