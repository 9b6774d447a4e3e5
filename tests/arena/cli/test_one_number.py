"""Commands that print one figure of one collection print one value, and over which games it is.

A game that is given twice counts once, and that is said. It is the same where event, date, round,
number, players and moves are; moves alone tell nothing, and games of two tournaments are never the
same.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from commands import Ran, arena
from quick_runs import play_nothing
from sample_records import random_game, with_tags

from lath.notation import format_record, format_records, parse
from lath.notation.archive.given import AGAIN, game_key

pytestmark = pytest.mark.slow

TAGS: Final = '[Game "yavalath"]\n[First "ann"]\n[Second "bob"]\n'


def told(*words: object) -> Any:
    return json.loads(arena(*words, "--json").out)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# One number


WITHOUT_MOVES: Final = {
    "a result alone": f'{TAGS}[Moves "not recorded"]\n[Result "1-0"]\n\n1-0\n',
    "results of others alone": '[Game "chess"]\n[First "ann"]\n[Second "eve"]\n'
    '[Moves "not recorded"]\n[Result "0-1"]\n\n0-1\n',
    "a game that was not begun": f'{TAGS}[Event "rain"]\n[Result "*"]\n\n*\n',
    "a crash before the first move": f'{TAGS}[Termination "crash"]\n[Result "0-1"]\n\n0-1\n',
}
"""Records of which nobody knows how they began."""


def collection(*more: str) -> Path:
    """Return a file of games, finished and not, of two kinds, and more records."""
    games = [random_game("yavalath", seed) for seed in range(6)]
    games += [random_game("surikata", seed) for seed in range(3)]
    stopped = f"{TAGS}\n1. e5 2. d4 *\n"
    given_up = f'{TAGS}[Termination "resignation"]\n\n1. e5 2. swap 3. a1 1-0\n'
    path = Path("games.lath")
    path.write_text("\n".join([*format_records(games), stopped, given_up, *more]))
    return path


@pytest.mark.parametrize("more", [[], [*WITHOUT_MOVES.values()] * 2], ids=["none", "each"])
def test_lengths_and_first_moves_are_one_number_in_every_command(more: list[str]) -> None:
    path, data, database = collection(*more), Path("p.json"), Path("g.duckdb")
    assert arena("convert", path, database).status in (0, 1)  # it takes no results alone
    for source in (path, database):
        ways = told("stats", source, "--opening-plies", 1)["by_game"]
        (survey,) = (one for one in ways if one["game"] == "yavalath")
        opened = told("stats", source, "--openings", "--opening-plies", 1)["lines"]
        node = told("explore", source, "--game", "yavalath")
        here = node["here"]
        arena("report", source, "--data", data)
        lengths = json.loads(data.read_text())["lengths"]
        (page,) = (one for one in lengths if one["game"] == "yavalath")
        counts = {
            "stats, openings": survey["openings"]["games"],
            "openings": sum(line["games"] for line in opened if line["game"] == "yavalath"),
            "explore": node["games"],
            "explore, here": here["games"],
            "explore, moves": sum(one["played"]["games"] for one in node["continuations"]),
            "stats": survey["games"] - node["without_moves"],
            "one more than ended": survey["lengths"]["games"] + 1,
            "page": page["games"] + 1,
            "explore, finished": here["games"] - here["unfinished"] + 1,
        }
        assert {what: n for what, n in counts.items() if n != 8} == {}
        assert node["ended"] == 0
        means = {survey["lengths"]["mean"], here["plies"], page["mean"]}
        assert {round(mean, 2) for mean in means} == {page["mean"]}
        assert survey["lengths"]["shortest"] == page["shortest"] == 3
    number = told("explore", path, "--game", "yavalath")["without_moves"]
    assert number == (6 if more else 0), "others are of another game"
    words = f"8 of {11 + len(more)} records counted{f'; {number} without moves' * bool(more)}"
    explored = arena("explore", path, "--game", "yavalath", "--count-again").err
    assert f"{words}; other games: " in explored


def test_what_was_left_out_is_counted_where_the_games_are() -> None:
    """Not on standard error alone: in the JSON, and below the table."""
    skipped = '{"id": "%d", "header": {"game": {"name": "Hex"}, "players": []}, "moves": []}'
    for bad, others in (0, 0), (2, 3):
        path, data = collection(*[f"{TAGS}\n1. e5 2. e5 *\n"] * bad), Path("page.json")
        Path("hex.json").write_text(f"[{','.join(skipped % number for number in range(others))}]")
        sources = [path, "hex.json"] if others else [path]
        for command in ("stats", "stats --openings", "stats --measures", "explore"):
            found = told(*command.split(), *sources)["left_out"]
            assert (found["bad"], sum(found["skipped"].values())) == (bad, others), command
            if command != "explore":
                last = arena(*command.split(), *sources).out.splitlines()[-1]
                assert (f"{bad} invalid records" in last) == bool(bad)
                assert (f"{others} of other games" in last) == bool(others)
        assert arena("report", *sources, "--data", data).status == int(bool(bad))
        for standings in (told("rate", *sources), json.loads(data.read_text())["standings"]):
            assert sum(each["records"] for each in standings["unsound"]) == bad
            assert standings["left_out"].get("other games", 0) == others
        table = arena("rate", *sources).out
        assert ("invalid 2" in table, "other games 3" in table) == (bool(bad), bool(others))


def test_results_of_games_that_are_not_here_are_valid_in_every_question() -> None:
    path = collection(*[WITHOUT_MOVES["results of others alone"]] * 2)
    checked = arena("check", path)
    assert " 0 invalid " in checked.out + checked.err
    where = ["--where", 'not position "5/6/7/8/9/8/7/6/5 w"']
    for flags in (["--endings"], ["--endings", "--distinct"], where):
        ran = arena("stats", path, *flags)
        assert (ran.status, "bad" in ran.out + ran.err) == (0, False)
        assert re.search(r"^chess +2 ", ran.out, re.MULTILINE)


def test_a_title_is_that_of_all_games_or_of_none() -> None:
    games = [random_game("yavalath", seed) for seed in range(2)]
    games = [
        replace(game, tags=tuple(tag for tag in game.tags if tag[0] != "Event")) for game in games
    ]
    path, data = Path("games.lath"), Path("page.json")
    for titled in (0, 1, 2):
        games[:titled] = [with_tags(game, Event="Club evening") for game in games[:titled]]
        path.write_text("\n".join(format_records(games)))
        arena("report", path, "--data", data)
        titles = arena("rate", path).out.splitlines()[0], json.loads(data.read_text())["title"]
        assert ["Club evening" in title for title in titles] == [titled == 2] * 2


# A share says of how many games


LACKING: Final = {
    "nothing": "",
    "moves": WITHOUT_MOVES["a result alone"],
    "a result": f"{TAGS}\n1. e5 2. swap 3. d4 *\n",
    "an answer": f'{TAGS}[Termination "resignation"]\n\n1. e5 1-0\n',
    "evaluations": format_record(random_game("yavalath", 20)),
    "an end by the rules": f'{TAGS}[Termination "time"]\n\n1. e5 2. d4 3. a1 1-0\n',
}
"""By what a game lacks that the others have; games of a swap are few in all of them."""


def text_of(page: Path) -> str:
    """Return what can be read of a page, its blanks run together."""
    bare = re.sub(r"(?s)<(script|style)\b.*?</\1>|<[^>]*>", " ", page.read_text())
    return " ".join(html.unescape(bare).split())


@pytest.mark.parametrize("lacks", LACKING)
def test_a_figure_of_a_part_of_the_games_says_so_wherever_it_is_printed(lacks: str) -> None:
    records = [
        random_game(name, n, annotated=True, Number=str(n + at))
        for name, at in (("yavalath", 1), ("surikata", 30))
        for n in range(8)
    ]
    path, page, data = Path("games.lath"), Path("page.html"), Path("data.json")
    path.write_text("\n\n".join([*map(str.strip, format_records(records)), LACKING[lacks]]))
    measures = ("stats", path, "--measures")
    parts = [
        (of["game"], each["measure"], each["games"], of["games"])
        for of in told(*measures)["by_game"]
        for each in of["measures"]
    ]
    rows = [
        line.split() for line in arena(*measures).out.splitlines() if re.search(r"%?\s+\d+$", line)
    ]
    assert [int(row[-1]) for row in rows] == [used for *_, used, _ in parts]
    assert arena(*measures, "--html", page).status == 0
    sections = re.split(r'<figure class="card" id="of-', page.read_text())[1:]
    shown = {one.partition('"')[0]: one.partition("</figure>")[0] for one in sections}
    assert {measure for _, measure, *_ in parts} == set(shown)
    for measure, drawn in shown.items():
        said = [f"{used} games" for _, m, used, games in parts if m == measure and used < games]
        assert re.findall(r"<small>([0-9]+ games)</small>", drawn) == said, measure
    compared = arena(*measures, "--compare").out
    assert arena(*measures, "--compare", "--html", page).status == 0
    both = set.intersection(
        *({m for g, m, *_ in parts if g == name} for name in ("surikata", "yavalath"))
    )
    for _, measure, used, games in parts:
        if used < games and measure in both:
            assert f"({used} of {games})" in compared
            assert f"<small>{used} of {games} games</small></td>" in page.read_text()

    # The survey's shares and means
    surveyed = arena("stats", path).out
    few = {
        "lengths": "moves a result",
        "first player's score": "a result",
        "openings": "moves an answer",
    }
    for what, kinds in few.items():
        line = f"{what}: 16 of "
        assert (line in surveyed) == (lacks in kinds and lacks != "nothing"), what
        assert ("(yavalath 8 of 9)" in surveyed) or line not in surveyed
        for name in ("yavalath", "surikata"):
            alone = arena("stats", path, "--where", f"game = {name}").out
            is_part = line in surveyed and name == "yavalath"
            assert (f"{what}: 8 of " in alone) == is_part

    # Lengths of a report
    assert arena("report", path, "-o", page, "--data", data, "--force").status == 0
    found, text = json.loads(data.read_text()), text_of(page)
    all_games = {one["game"]: one["games"] for one in found["endings"]}
    for one in found["lengths"]:
        spread = f"{one['shortest']} to {one['longest']}"
        part = f"{spread} plies, {one['games']} of {all_games[one['game']]} games"
        assert spread in text
        assert (part in text) == (one["games"] < all_games[one["game"]])
    assert ("8 of 9 games" in text) == (lacks == "moves")


# A game that is given twice


GAMES: Final = 4


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tournament, its records elsewhere, annotated, and a database of them."""
    folder = tmp_path_factory.mktemp("given")
    bots = [f"--bot={name}=random" for name in ("greedy", "random", "other")]
    words = ("--format", "swiss", "--rounds", 2, "--game", "surikata", "--tc", "nodes 5", "-q")
    with chdir(folder), pytest.MonkeyPatch.context() as patch:
        play_nothing(patch)
        assert arena("run", "--output", "cup", *bots, *words, "--no-report").status == 0
        assert arena("run", "cup", "--void", 2, "--reason", "a cable", "-q").status == 0
        shutil.copyfile("cup/games.lath", "copied.lath")
        text = Path("copied.lath").read_text()
        Path("halves.lath").write_text(f"{text}\n{text}")
        assert arena("edit", "copied.lath", "--set", "Annotator=me", "-o", "noted.lath").status == 0
        assert arena("convert", "copied.lath", "games.duckdb").status == 0
    return folder


@pytest.fixture
def here(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a copy of it."""
    shutil.copytree(kept, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


COUNTS: Final[Mapping[str, Callable[[Ran], int]]] = {
    "rate SOURCES --json": lambda ran: json.loads(ran.out)["overall"]["games"],
    "report SOURCES --data -": lambda ran: json.loads(ran.out)["facts"]["records"],
    "stats SOURCES --json": lambda ran: json.loads(ran.out)["games"],
    "explore SOURCES --json": lambda ran: json.loads(ran.out)["games"],
    "explain greedy SOURCES --json": lambda ran: json.loads(ran.out)["games"],
    "select SOURCES --count": lambda ran: int(ran.out),
}
"""By a command that counts games, how many it counts."""

TWICE: Final[Sequence[Sequence[str]]] = (
    ("cup/games.lath", "cup/games.lath"),
    ("cup", "cup/games.lath"),
    ("cup", "cup/../cup"),
    ("cup/games.lath", "copied.lath"),
    ("copied.lath", "noted.lath"),
    ("games.duckdb", "copied.lath"),
    ("halves.lath",),
)


@pytest.mark.usefixtures("here")
def test_games_that_are_given_twice_count_once_and_that_is_said() -> None:
    once: dict[tuple[str, str], int] = {}
    for line, sources in product(COUNTS, TWICE):
        takes_files_alone = line.startswith(("stats", "explore", "select"))
        if takes_files_alone and "cup" in sources:
            continue

        def counted(given: Sequence[str], more: str, line: str = line) -> tuple[int, str]:
            ran = arena(*line.replace("SOURCES", f"{' '.join(given)} {more}").split())
            assert ran.status == 0, ran.err
            return COUNTS[line](ran), ran.err

        first = "copied.lath" if sources[0] == "halves.lath" else sources[0]
        if (line, first) not in once:
            once[line, first], said = counted([first], "")
            assert once[line, first]
            assert "read before" not in said
        is_again = sources in (TWICE[0], TWICE[-1]) and not line.startswith("explain")
        for more in ("", AGAIN) if is_again else ("",):
            games, said = counted(sources, more)
            assert f"{GAMES} games were read before" in said, (line, sources)
            assert (games > once[line, first]) == bool(more), (line, sources)
            assert more or games == once[line, first]


def test_a_copied_event_counts_once_in_its_league(here: Path) -> None:
    assert here.is_dir()
    shutil.copytree("cup", "copy")
    for more, games in ((), GAMES), ((AGAIN,), 2 * GAMES):
        ran = arena("report", ".", "--no-reports", "--data", "-", *more)
        data = json.loads(ran.out)
        assert "4 games were read before: 4 in cup" in ran.err
        assert data["facts"]["records"] == games
        assert [one["facts"]["records"] for one in data["tournaments"]] == [GAMES, GAMES]
        ran = arena("report", ".", "--site", "site", *more)
        assert f"2 events, 3 bots, {games - (1 if games == GAMES else 2)} games" in ran.err
        assert "4 games were read before: 4 in cup" in ran.err


def test_games_of_other_tournaments_are_others_and_those_of_copies_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    names = ("one", "two", "three")
    for name in names:
        words = ("--bot", "ann=random", "--bot", "bob=random", "--rounds", 2, "--seed", 1, "-q")
        more = ("--game", "yavalath", "--tc", "move 1", "--no-report")
        assert arena("run", "--output", name, *more, *words).status == 0
    assert Path("one/games.lath").read_text() == Path("two/games.lath").read_text()
    shutil.copytree("two", "copy")
    Path("alone").mkdir()
    shutil.copy("three/games.lath", "alone/games.lath")
    of_all = ("one", "copy", "two", "alone", "three")
    for sources, games in (of_all, 12), (of_all[::-1], 12), (("two", "copy"), 4), (names, 12):
        assert told("rate", *sources)["overall"]["games"] == games, sources
    folder = tmp_path / "league"
    for name in of_all:
        shutil.copytree(name, folder / name)
    data = json.loads(arena("report", folder, "--no-reports", "--data", "-").out)
    assert data["facts"]["records"] == 12
    for given, games in ([folder], 12), (("two", "copy"), 4):
        said = arena("report", *given, "--site", "site", "--force").err
        assert f", {games} games" in said
    files = [f"{name}/games.lath" for name in ("two", "copy", "one")]
    assert told("stats", *files)["games"] == 8


ONE: Final = """[Game "yavalath"]
[Event "Cup"]
[Date "2026-11-20"]
[Round "1"]
[Number "1"]
[First "ann"]
[Second "bob"]
[Termination "resignation"]
[Result "1-0"]

1. e5 2. d4 1-0
"""

OTHERS: Final = {
    '"Cup"': '"Club"',
    "2026-11-20": "2026-11-21",
    '[Round "1"]': '[Round "2"]',
    '[Number "1"]': '[Number "2"]',
    '"ann"': '"ada"',
    "2. d4": "2. d5",
}


def test_games_are_others_where_anything_is_and_of_bare_ones_nobody_knows() -> None:
    Path("a.lath").write_text(ONE)
    for old, new in OTHERS.items():
        Path("b.lath").write_text(ONE.replace(old, new))
        ran = arena("stats", "a.lath", "b.lath", "--json")
        assert (json.loads(ran.out)["games"], ran.err) == (2, ""), new
    bare = '[Game "yavalath"]\n[First "a"]\n[Termination "resignation"]\n\n1. e5 2. d4 1-0\n'
    assert game_key(parse(bare)) is None
    Path("a.lath").write_text(bare + "\n" + bare)
    for sources in (["a.lath"], ["a.lath", "a.lath"]):
        assert told("rate", *sources)["overall"]["games"] == 2, "the file is the same"
