"""Files of each format for tests, with a valid and an invalid record of each."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from lath.notation import Entry, Record, formats
from lath.notation.formats import TABLE


def named(name: str) -> str:
    """Return the name of a file of a format."""
    return f"f{TABLE[name].suffixes[0]}"


def entries(name: str, content: str | bytes, *, rules: bool = False) -> list[Entry]:
    """Return the entries of a file of a format; with `rules` as commands read it."""
    stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    if rules:
        return list(formats.entries(stream, name, named(name), rules=True))
    return list(formats.reader(name)(stream, named(name)))


def records_in(name: str, content: str | bytes, *, rules: bool = False) -> list[Record]:
    """Return the records of a file, all of which are valid."""
    found = entries(name, content, rules=rules)
    assert [str(problem) for entry in found for problem in entry.problems] == []
    return [entry.record for entry in found if entry.record]


def written(name: str, records: Iterable[Record]) -> tuple[bytes, list[tuple[int, str]]]:
    """Return a file of records, and the reported losses."""
    lost: list[tuple[int, str]] = []
    pieces = formats.writer(name)(iter(records), lambda *what: lost.append(what))
    return b"".join(pieces), lost


def whole(name: str, records: Iterable[Record]) -> bytes:
    """Return a file of records without losses."""
    content, lost = written(name, records)
    assert lost == []
    return content


def problem_of(entry: Entry) -> str:
    """Return the first line of the only problem of an entry."""
    (problem,) = entry.problems
    return str(problem).splitlines()[0]


def told(name: str, cases: Mapping[str, str] | Iterable[str]) -> dict[str, str]:
    """Return the problems of invalid records by name; each record has ¦ at its fault."""
    named_cases = (
        cases if isinstance(cases, Mapping) else {marked[:100]: marked for marked in cases}
    )
    found, elsewhere = {}, {}
    for case, marked in named_cases.items():
        text, line, column = unmarked(marked)
        (entry,) = entries(name, text)
        found[case] = problem_of(entry)
        (problem,) = entry.problems
        if (problem.line, problem.column) != (line, column):
            elsewhere[case] = (problem.line, problem.column)
    assert elsewhere == {}
    return found


def unmarked(text: str) -> tuple[str, int, int]:
    """Return a text without its ¦, and the line and the column of that."""
    before = text[: text.index("¦")]
    return text.replace("¦", ""), before.count("\n") + 1, len(before) - before.rfind("\n")


class Pieces(NamedTuple):
    """Pieces of files of a format."""

    good: str
    """A valid record of yavalath by ann."""
    bad: str
    """An invalid record with ¦ at its fault."""
    code: str
    """The code of its problem."""
    signs: str
    """Words of the format, for texts in random order."""
    before: str = ""
    """The text before the first record."""


def abstractplay_text(moves: str, game: str = "Yavalath", more: str = "") -> str:
    """Return an AbstractPlay record with these moves, and `more` before the players."""
    players = '[{"name": "ann", "result": 1}, {"name": "ben", "result": 0}]'
    header = f'{{"game": {{"name": "{game}"}}, {more}"players": {players}}}'
    return f'{{"header": {header}, "moves": {moves}}}'


JSON_RECORD: Final = json.dumps(
    {
        "tags": [["Game", "yavalath"], ["First", "ann"]],
        "comments": [],
        "plies": [{"move": "e5", "glyph": "!", "comments": [["so"]]}],
        "result": "*",
    }
)
EMPTY: Final = "[5/6/7/8/9/8/7/6/5 w]"
LUDII: Final = (
    "game=/lud/board/space/line/Yavalath.lud\nSTART GAME OPTIONS\nEND GAME OPTIONS\n"
    "RNG internal state=1,-2,3\n{}\n"
)
ADDED: Final = (
    "Move=[Move:mover=1,from=30,to=30,actions=[Add:type=Cell,to=30,what=1,decision=true]]"
)
PEOPLE: Final = "Game: yavalath\nWhite: ann\nBlack: bob\n\n"
PGN: Final = '[White "ann"]\n[Black "bob"]\n[Result {}]\n\n'

PIECES: Final[Mapping[str, Pieces]] = {
    "lath": Pieces(
        '[Game "yavalath"]\n[First "ann"]\n\n1. e5 *\n\n',
        *("[Game ¦oops]\n\n", "syntax", '[ ] " \\ ( ) { } ; ! * [Game "x"] 1. e5'),
    ),
    "jsonlines": Pieces(
        f"{JSON_RECORD}\n", *('{"tags": ¦}\n', "syntax", '{ } [ ] , : " \\ "tags" "plies" null 1')
    ),
    "abstractplay": Pieces(
        abstractplay_text('[["e5", "d4"], ["resign"]]') + "\n",
        *("¦{}\n", "header", '{ } [ ] , : " \\ "header" "moves" null e5'),
    ),
    "ludii": Pieces(
        LUDII.format(ADDED),
        *(
            LUDII.format("¦what is this?"),
            "syntax",
            "game= Move=[Move: [ ] , = : mover=1 winner= x",
        ),
    ),
    "ygn": Pieces(
        f"{EMPTY}\n1. E5\n\n", *(f"{EMPTY}\n1. E5 ¦e4\n\n", "move", f"[ ] {EMPTY} 1. 2. E5 A1 e5 *")
    ),
    "pgn": Pieces(
        PGN.format('"1-0"'),
        *(PGN.format('¦"2-0"'), "result", '[ ] " { } ; % [White "a"] 1-0 1. e4'),
    ),
    "text": Pieces(
        f"{PEOPLE}1. e5 d4 2. c3 *\n\n",
        *(f"{PEOPLE}1. e5 ¦zz 2. c3 *\n\n", "move", "[ ] ( ) { } ; : | 1. e5 White: 1-0 wins"),
    ),
    "csv": Pieces(
        "yavalath,ann,e5\n",
        *("¦yavalath\n", "syntax", "\" , ; ' yavalath e5 ann * \t"),
        before="game,first,moves\n",
    ),
}
"""The pieces of each text format that can be read."""
