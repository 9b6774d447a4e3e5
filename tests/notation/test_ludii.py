"""Trials of Ludii: which moves, which winner, and what is told of a bad one, where."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import SAMPLES
from walks import playout

from lath import games
from lath.notation import format_record, parse, reader
from lath.notation.errors import Fault
from lath.notation.formats import ludii
from lath.notation.formats.ludii import Decision
from lath.notation.reader import Entry, RecordText
from lath.notation.record import Record

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


def entries(text: str | bytes) -> list[Entry]:
    data = text.encode() if isinstance(text, str) else text
    return list(ludii.read(io.BytesIO(data), "games.trl"))


def sample(name: str) -> list[Entry]:
    return entries((SAMPLES / name).read_bytes())


def sound(text: str) -> Record:
    (entry,) = entries(text)
    assert [str(problem) for problem in entry.problems] == []
    assert entry.record is not None
    return entry.record


def only_problem(text: str | bytes) -> str:
    """Return the first line of the one problem of the one trial."""
    (entry,) = entries(text)
    (problem,) = entry.problems
    return str(problem).splitlines()[0]


def test_a_trial_of_manalath_with_crlf_and_counts_of_legal_moves_is_read() -> None:
    (entry,) = sample("ludii-manalath.trl")
    assert b"\r\nLEGAL MOVES LIST SIZE = 122\r\n" in (SAMPLES / "ludii-manalath.trl").read_bytes()
    assert entry.problems == ()
    assert entry.record is not None
    assert entry.record.moves == ("Oe5", "Pa1", "Oe6", "Oe8", "Oe9", "Pi5", "Oe7")
    assert entry.record.tags == (
        ("Game", "manalath-61"),
        ("LudiiRng", "12,-7,101,0,-128,127,5,66"),
        ("LudiiSandbox", "false"),
        ("LudiiVersion", "1.3.14"),
        ("Termination", "rules"),
        ("Result", "1-0"),
    )


def test_after_a_swap_role_two_is_first() -> None:
    (entry,) = sample("ludii-yavalath-swap.trl")
    assert entry.problems == ()
    assert entry.record is not None
    assert entry.record.moves == ("e5", "swap", "a1", "e6", "a3", "e7")
    assert entry.record.result == "1-0"
    assert entry.record.tag("LudiiOptions") == "Players/2 Players; Board Size/5x5"


def test_a_trial_without_a_winner_is_not_finished() -> None:
    (entry,) = sample("ludii-yavalath-unfinished.trl")
    assert entry.problems == ()
    assert entry.record is not None
    assert (entry.record.result, entry.record.termination) == ("*", "unterminated")


def test_site_0_is_the_lower_left_cell_and_rows_follow_upwards() -> None:
    """Ludii numbers cells by 100 y + x, ascending: `Graph.reorder` and `ItemScore.compareTo`."""
    record = sound(trial(*(add(1 + ply % 2, site) for ply, site in enumerate((0, 4, 5, 60)))))
    assert record.moves == ("a1", "a5", "b1", "i5")


def test_a_trial_may_be_of_a_path_of_windows() -> None:
    assert sound(trial(game=r"game=C:\lud\Yavalath.lud")).game == "yavalath"


def test_trials_may_follow_each_other() -> None:
    text = "\n\n" + trial(add(1, 0)) + "\n" + trial("Move=junk") + trial(add(1, 60), game=YAVALATH)
    found = entries(text)
    assert [(entry.number, entry.line) for entry in found] == [(1, 3), (2, 9), (3, 14)]
    assert [entry.record.moves if entry.record else None for entry in found] == [
        ("a1",),
        None,
        ("i5",),
    ]


def test_an_empty_stream_has_no_trials() -> None:
    assert entries("\n \n") == []
    assert entries("") == []


def test_a_player_who_forfeits_resigns() -> None:
    forfeit = "Move=[Move:mover=2,actions=[Forfeit:player=P2,decision=true]]"
    record = sound(trial(add(1, 30), forfeit, "winner=1", "endtype=NaturalEnd"))
    assert record.moves == ("e5",)
    assert (record.result, record.termination) == ("1-0", "resignation")


@pytest.mark.parametrize("limit", ["MoveLimit", "TurnLimit"])
def test_a_limit_of_ludii_is_a_draw_at_the_ply_limit(limit: str) -> None:
    record = sound(trial(add(1, 30), "winner=0", f"endtype={limit}", "rankings=0.0,1.5,1.5"))
    assert (record.result, record.termination) == ("1/2-1/2", "ply limit")


def test_an_abandoned_trial_is_void() -> None:
    record = sound(trial(add(1, 30), "winner=-1", "endtype=NaturalEnd", "rankings=0.0,0.0,0.0"))
    assert (record.result, record.termination) == ("*", "void")


def test_ranks_alone_say_who_won() -> None:
    moves = [add(1, 0), add(2, 30), add(1, 1), add(2, 50), add(1, 2)]
    assert sound(trial(*moves, "rankings=0.0,2.0,1.0")).result == "0-1"


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


def test_lists_of_legal_moves_are_counted() -> None:
    legal = [add(1, site).removeprefix("Move=") for site in range(61)]
    block = ["NEW LEGAL MOVES LIST", *legal, "END LEGAL MOVES LIST"]
    assert sound(trial(add(1, 30), *block)).moves == ("e5",)
    del block[5]
    assert only_problem(trial(add(1, 30), *block)) == (
        "games.trl:6:1: error[legal-moves]: Ludii counts 60 legal moves, our rules 61; "
        "expected 61 (record 1, ply 1)"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Move=x\n",
            "1:1: error[syntax]: no Ludii trial begins here; expected a line that begins game=",
        ),
        (
            trial(game="game=/lud/board/space/connection/Hex.lud"),
            (
                "1:6: error[unknown-game]: the game 'Hex' of Ludii is not known here; "
                "expected Manalath or Yavalath"
            ),
        ),
        (
            trial(options=["Players/3 Players"]),
            (
                "3:1: error[unknown-game]: Yavalath with the option 'Players/3 Players' is not "
                "known here; expected Players/2 Players and Board Size/5x5"
            ),
        ),
        (
            trial(game=MANALATH, options=["Board Size/6x6"]),
            (
                "3:1: error[unknown-game]: Manalath with the option 'Board Size/6x6' is not "
                "known here; expected no options"
            ),
        ),
        (
            f"{YAVALATH}\nSTART GAME OPTIONS\n",
            "2:1: error[syntax]: START GAME OPTIONS is never closed; expected END GAME OPTIONS",
        ),
        (
            trial("what is this?"),
            (
                "5:1: error[syntax]: unknown line 'what is this?'; expected Move=, LEGAL MOVES "
                "LIST SIZE =, winner= or another field of a Ludii trial"
            ),
        ),
        (
            trial("winner=1", "winner=1"),
            "6:1: error[syntax]: winner= stands twice in the trial; expected one of them",
        ),
        (
            trial("LEGAL MOVES LIST SIZE = many"),
            "5:25: error[syntax]: 'many' is no count; expected a number",
        ),
        (trial("winner=9"), "5:8: error[syntax]: unknown winner '9'; expected -1, 0, 1, 2 or 3"),
        (
            trial("endtype=Boredom"),
            (
                "5:9: error[syntax]: unknown endtype 'Boredom'; expected one of NaturalEnd, "
                "MoveLimit, TurnLimit, Unknown, NoEnd"
            ),
        ),
        (
            trial("rankings=1.0"),
            (
                "5:10: error[syntax]: the rankings '1.0' are not those of two players; expected "
                "the form 0.0,1.0,2.0"
            ),
        ),
        (
            trial("winner=1", "rankings=0.0,2.0,1.0"),
            (
                "5:8: error[result]: winner=1 and rankings=0.0,2.0,1.0 do not agree; expected the "
                "same winner twice"
            ),
        ),
    ],
)
def test_a_line_that_makes_no_sense_is_told_of(text: str, told: str) -> None:
    assert only_problem(text) == f"games.trl:{told} (record 1)"


@pytest.mark.parametrize(
    ("line", "column", "wrong"),
    [
        ("Move=", 6, "the move is not complete"),
        ("Move=e5", 6, "'e5' does not belong here"),
        ("Move=[Move:from=0]", 12, "'from=0]' does not belong here"),
        (
            "Move=[Move:mover=one,to=0,actions=[Add:to=0]]",
            12,
            "'mover=one,to=0,actions=[Add:to=0]]' does not belong here",
        ),
        ("Move=[Move:mover=1,to=0]", 24, "']' does not belong here"),
        ("Move=[Move:mover=1,actions=]", 28, "']' does not belong here"),
        ("Move=[Move:mover=1,actions=[Add:to=0]", 38, "the move is not complete"),
        ("Move=[Move:mover=1,actions=[Add:to=0]]]", 39, "']' does not belong here"),
    ],
)
def test_a_move_that_cannot_be_read_is_told_of_where_it_goes_wrong(
    line: str, column: int, wrong: str
) -> None:
    told = only_problem(trial(line))
    begins = f"games.trl:5:{column}: error[syntax]: {wrong}; expected Move=[Move:"
    assert told.startswith(begins)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            trial(add(1, 61)),
            (
                "5:42: error[move]: [Add:type=Cell,to=61,what=1,decision=true] is not a move "
                "of Yavalath; expected Add of piece 1 to a site from 0 to 60, or Swap "
                "(record 1, ply 1)"
            ),
        ),
        (
            trial(add(1, 30), copy(2, 61, 4)),
            (
                "6:41: error[move]: [Copy:typeFrom=Cell,from=61,levelFrom=0,typeTo=Cell,to=4,"
                "decision=true] is not a move of Yavalath; "
                "expected Add of piece 2 to a site from 0 to 60, or Swap (record 1, ply 2)"
            ),
        ),
        (
            trial(*HANDS, copy(1, 60, 4), game=MANALATH),
            (
                "7:41: error[move]: [Copy:typeFrom=Cell,from=60,levelFrom=0,typeTo=Cell,to=4,"
                "decision=true] is not a move of Manalath; "
                "expected Copy from site 61 or 62 to a site from 0 to 60 (record 1, ply 1)"
            ),
        ),
        (
            trial(add(1, 30), "Move=[Move:mover=2,actions=[Forfeit:decision=true]]"),
            (
                "6:28: error[syntax]: [Forfeit:decision=true] does not say who gave up; "
                "expected player=P1 or player=P2 (record 1)"
            ),
        ),
    ],
)
def test_a_decision_that_is_no_move_of_the_game_is_told_of(text: str, told: str) -> None:
    assert only_problem(text) == f"games.trl:{told}"
    assert entries(text)[0].record is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            trial(add(1, 30), add(2, 30)),
            "6:42: error[illegal-move]: illegal move e5: e5 already has a stone (record 1, ply 2)",
        ),
        (
            trial(add(1, 30), add(1, 31)),
            "6:42: error[illegal-move]: mover 1 is not to move; expected mover=2 (record 1, ply 2)",
        ),
        (
            trial(add(1, 30), FORCED_PASS.format(2)),
            (
                "6:28: error[illegal-move]: role 2 passes; expected one of 61 legal moves "
                "(record 1, ply 2)"
            ),
        ),
        (
            trial(add(1, 30), "winner=1", "endtype=NaturalEnd"),
            (
                "6:8: error[result]: the result is 1-0, but the game goes on after the last move; "
                "expected the result *, or a Termination other than rules (record 1)"
            ),
        ),
        (
            trial(add(1, 0), add(2, 30), add(1, 1), add(2, 50), add(1, 2), "winner=1"),
            (
                "10:8: error[result]: the result is 1-0, but second won: three in line; "
                "expected 0-1 (record 1)"
            ),
        ),
        (
            trial(add(1, 0), add(2, 30), add(1, 1), add(2, 50), add(1, 2)),
            (
                "9:40: error[result]: the result is *, but second won: three in line; "
                "expected 0-1 (record 1)"
            ),
        ),
        (
            trial(add(1, 30), add(2, 31), *(f"LEGAL MOVES LIST SIZE = {n}" for n in (61, 60))),
            (
                "8:1: error[legal-moves]: Ludii counts 60 legal moves, our rules 61; expected 61 "
                "(record 1, ply 2)"
            ),
        ),
        (
            trial(add(1, 30), add(2, 31), "LEGAL MOVES LIST SIZE = 61"),
            (
                "7:1: error[legal-moves]: 1 counts of legal moves for 2 moves; expected one a move "
                "(record 1)"
            ),
        ),
        (
            trial(add(0, 30), "numInitialPlacementMoves=1"),
            (
                "5:42: error[setup]: mover 0 did [Add:type=Cell,to=30,what=0,decision=true]; "
                "expected Add of piece 1 to site 61 and of piece 2 to site 62, for Manalath only "
                "(record 1)"
            ),
        ),
        (
            trial(*HANDS, copy(1, 61, 0), "numInitialPlacementMoves=1", game=MANALATH),
            (
                "8:26: error[setup]: numInitialPlacementMoves is '1', but mover 0 did 2 moves; "
                "expected 2 (record 1)"
            ),
        ),
    ],
)
def test_what_the_rules_object_to_is_a_problem_of_the_trial(text: str, told: str) -> None:
    assert only_problem(text) == f"games.trl:{told}"
    assert entries(text)[0].record is not None


def test_nothing_follows_a_forfeit() -> None:
    forfeit = "Move=[Move:mover=1,actions=[Forfeit:player=P1,decision=true]]"
    text = trial(forfeit, add(1, 30), "winner=2")
    assert only_problem(text).startswith("games.trl:6:42: error[illegal-move]: [Add:type=Cell,")


def test_a_swap_is_no_move_of_manalath() -> None:
    told = only_problem(trial(copy(1, 61, 30), SWAP, game=MANALATH))
    assert told.startswith("games.trl:6:28: error[move]: [Swap:player1=2,player2=1,decision=true] ")


def test_fields_without_a_meaning_here_are_kept() -> None:
    record = sound(trial("SANDBOX=true", "new field=7"))
    assert record.tag("LudiiSandbox") == "true"
    assert record.tag("Ludiinew_field") == "7"


def test_fields_that_would_have_the_same_tag_are_numbered() -> None:
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


def test_a_carriage_return_in_a_value_becomes_a_blank() -> None:
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


def test_bytes_that_are_not_utf_8_are_told_of() -> None:
    told = only_problem(trial("SANDBOX=").encode() + b"X=\xff\n")
    assert (
        told
        == "games.trl:6:3: error[encoding]: byte 0xff is not UTF-8; expected UTF-8 text (record 1)"
    )


def test_a_trial_that_is_too_long_is_told_of_and_the_next_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "MAX_RECORD", 400)
    long = trial("SANDBOX=" + "x" * 500) + "SANDBOX=\n" * 100
    first, second = entries(long + trial(add(1, 30)))
    assert first.problems[0].code == "size"
    assert second.line == 106
    assert second.record is not None


GAMES = {"manalath-61": MANALATH, "yavalath": YAVALATH}


def written(record_game: str, seed: int, *, swap: bool) -> tuple[str, tuple[str, ...], str]:
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
    text, moves, result = written(game_id, seed, swap=swap and game_id == "yavalath")
    record = sound(text.replace("\n", "\r\n") if crlf else text)
    assert (record.moves, record.result) == (moves, result)


@given(st.data())
def test_a_damaged_trial_is_read_or_told_of_in_its_place(data: st.DataObject) -> None:
    text, _, _ = written("manalath-61", 723, swap=False)
    at = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 30))
    junk = data.draw(st.text("0123456789=[],:\nMoveP \x00é", max_size=8))
    damaged = text[:at] + junk + text[at + length :]
    lines = damaged.split("\n")
    for entry in entries(damaged):
        assert entry.record is not None or entry.problems
        for problem in entry.problems:
            assert problem.source == lines[problem.line - 1].rstrip("\r")
            assert 1 <= problem.column <= len(problem.source) + 1


def test_a_value_of_a_decision_is_a_number_or_none() -> None:
    decision = Decision(0, 1, "Add", {"to": "12", "what": "x", "from": "-1"})
    assert [decision.number(name) for name in ("to", "what", "from", "state")] == [
        12, None, None, None,
    ]  # fmt: skip
