"""Git in an entrant's repository: whatever that says, nothing of it runs outside of the sandbox."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from tools import needs

from lath.arena.entrants.repositories import git_in, leading_out, repository_at
from lath.arena.entrants.revisions import Revision, lacks_edits, revision, workshop
from lath.arena.errors import ArenaError
from lath.arena.referee import process_trees

pytestmark = needs("bwrap")

BOT: Final = "#!/bin/sh\necho a bot\n"


def git(home: Path, *words: str, given: str = "") -> str:
    """Run git as a user does, who trusts the repository; return what it says."""
    ran = subprocess.run(
        ["git", *words], cwd=home, input=given, capture_output=True, encoding="utf-8", check=False
    )
    return ran.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a repository of two commits."""
    home = tmp_path_factory.mktemp("made") / "entrant"
    home.mkdir()
    git(home, "init", "-q", "-b", "main")
    for kind in ("user.name=Eve", "user.email=eve@example.org"):
        git(home, "config", *kind.split("="))
    for text in ("#!/bin/sh\n", BOT):
        (home / "bot.sh").write_text(text)
        git(home, "add", "bot.sh")
        git(home, "commit", "-qm", "a bot")
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository of this test alone, in which one stands."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home = shutil.copytree(made, tmp_path / "entrant", symlinks=True)
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def markers(home: Path, tmp_path: Path) -> Path:
    """Return where a file appears when a bait runs where the organiser's files are."""
    markers = tmp_path / "markers"
    markers.mkdir(mode=0o777)
    bait = home / ".git" / "bait"
    # What filters and converts gives back what it got; who fetches waits for no answer.
    bait.write_text(
        f'#!/bin/sh\ntouch "{markers}/${{0##*/}}"\n[ -f "$1" ] && exec cat "$1"\n'
        '[ $# = 0 ] && [ -z "$GIT_EXT_SERVICE" ] && exec cat\n'
    )
    bait.chmod(0o755)
    return markers


def sprung(markers: Path) -> set[str]:
    """Return which baits have run, and forget it."""
    names = {path.name for path in markers.iterdir()}
    for name in names:
        (markers / name).unlink()
    return names


def configure(home: Path, settings: str) -> None:
    """Add settings such as `core.pager=less`; BAIT is a bait that has the name of the setting."""
    for line in settings.split():
        key, _, value = line.partition("=")
        if "BAIT" in value:
            bait = home / ".git" / key
            shutil.copy(home / ".git" / "bait", bait)
            value = value.replace("BAIT", str(bait))
        git(home, "config", "--add", key, value)


# What git can be told to run

Prepare = Callable[[Path], object]


def hooked(home: Path) -> None:
    (home / ".git" / "hooks").mkdir(exist_ok=True)
    shutil.copy(home / ".git" / "bait", home / ".git" / "hooks" / "post-index-change")


def commit(home: Path) -> None:
    git(home, "add", "-A")
    git(home, "commit", "-qm", "more")


def attributes(text: str, told: str) -> Prepare:
    def prepare(home: Path) -> None:
        (home / ".gitattributes").write_text(f"* {text}\n")
        commit(home)
        configure(home, told)

    return prepare


def lacking(url: str, told: str = "") -> Prepare:
    """Have the repository be a partial clone of `url`, which lacks its last commit's tree."""

    def prepare(home: Path) -> None:
        tree = git(home, "rev-parse", "HEAD^{tree}").strip()
        (home / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
        configure(home, "core.repositoryFormatVersion=1 extensions.partialClone=origin")
        configure(home, f"remote.origin.promisor=true remote.origin.url={url} {told}")

    return prepare


def included(home: Path) -> None:
    (home / ".git" / "more").write_text(f'[filter "x"]\nsmudge = {home}/.git/bait\n')
    attributes("filter=x", f"includeIf.gitdir:{home}/.path=more")(home)


def of_worktree(home: Path) -> None:
    (home / ".git" / "config.worktree").write_text(f"[core]\nfsmonitor = {home}/.git/bait\n")
    configure(home, "core.repositoryFormatVersion=1 extensions.worktreeConfig=true")


def in_submodule(home: Path) -> None:
    inner = home / "inner"
    shutil.copytree(home, inner)
    head = git(inner, "rev-parse", "HEAD").strip()
    git(home, "update-index", "--add", "--cacheinfo", f"160000,{head},inner")
    (home / ".gitmodules").write_text('[submodule "inner"]\npath = inner\nurl = ./inner\n')
    configure(inner, f"core.fsmonitor={home}/.git/bait")


def signed(home: Path) -> None:
    first, text = git(home, "cat-file", "commit", "HEAD").split("\n\n", 1)
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----"
    words = ("hash-object", "-t", "commit", "-w", "--stdin")
    made = git(home, *words, given=f"{first}\n{signature}\n\n{text}")
    git(home, "reset", "-q", made.strip())
    configure(home, "gpg.program=BAIT")


def merging(home: Path) -> None:
    attributes("merge=x", "merge.x.driver=BAIT")(home)
    for branch in ("other", "main"):
        git(home, "checkout", "-qB", branch, "main")
        (home / "bot.sh").write_text(branch)
        git(home, "commit", "-qam", branch)


ALL: Final = """
core.fsmonitor=BAIT filter.x.smudge=BAIT filter.x.clean=BAIT diff.external=BAIT
diff.x.textconv=BAIT core.pager=BAIT alias.x=!BAIT tar.x.command=BAIT credential.helper=!BAIT
core.editor=BAIT
"""


def full_of_them(home: Path) -> None:
    """Prepare all tricks that go together."""
    attributes("filter=x diff=x", "")(home)
    signed(home)
    configure(home, ALL)
    hooked(home)
    (home / "bot.sh").write_text("edited\n")


CHECKOUT: Final = "checkout-index --all --prefix=.git/out/"
HAS_TREE: Final = "cat-file -p HEAD^{tree}"

TRICKS: Final[dict[str, tuple[Prepare, dict[str, str]]]] = {
    "of all kinds": (
        full_of_them,
        {
            CHECKOUT: "filter.x.smudge",
            "archive --worktree-attributes HEAD": "filter.x.smudge",
            "archive --format=x HEAD": "tar.x.command",
            "status": "core.fsmonitor",
            "diff --no-ext-diff": "filter.x.clean",
            "diff": "diff.external",
            "log -p": "diff.x.textconv",
            "-p log": "core.pager",
            "x": "alias.x",
            "verify-commit HEAD": "gpg.program",
            "credential fill": "credential.helper",
            "commit --amend": "core.editor",
            "read-tree HEAD~1": "post-index-change",
        },
    ),
    "a filter of an included file": (included, {CHECKOUT: "bait"}),
    "a file monitor of a work tree's configuration": (of_worktree, {"status": "bait"}),
    "a file monitor of a submodule": (in_submodule, {"status": "bait"}),
    "a lazy fetch by ssh": (
        lacking("ssh://a/b", "core.sshCommand=BAIT"),
        {HAS_TREE: "core.sshCommand"},
    ),
    "a lazy fetch by ext": (
        lacking("ext::BAIT", "protocol.ext.allow=always"),
        {HAS_TREE: "remote.origin.url"},
    ),
    "a merge driver": (merging, {"merge -q other": "merge.x.driver"}),
}
"""Ways to have git run a program: what is prepared; what a user asks of git, and what runs then."""


def trusting(home: Path, words: list[str]) -> None:
    """Run git as a user who trusts the repository, at a terminal."""
    terminal, other = pty.openpty()
    with subprocess.Popen(
        ["git", *words],
        cwd=home,
        stdin=subprocess.PIPE,
        env={**os.environ, "PAGER": "cat"},
        stdout=other if "log" in words else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        process.communicate("protocol=https\nhost=a\n\n")
    os.close(terminal)
    os.close(other)


def all_asked(home: Path, shop: Path) -> str:
    """Have the arena do all that it does with a revision; return the bot of it, or why not."""
    try:
        if (known := revision("HEAD", home, "bwrap")) is None:
            return "no revision"
        lacks_edits(known, home, "bwrap")
        with workshop(shop) as place:
            return (place.check_out(known, "old", "bwrap") / "bot.sh").read_text()
    except ArenaError as error:
        return str(error)


@pytest.mark.parametrize("name", TRICKS)
def test_what_a_repository_has_git_run_stays_in_the_sandbox(
    name: str, home: Path, markers: Path, tmp_path: Path
) -> None:
    prepare, tricks = TRICKS[name]
    prepare(home)
    sprung(markers)  # some may have been taken to prepare the tricks
    for asked in tricks:
        git_in("bwrap", home / ".git", asked.split(), shown=[str(home)], here=home, files=home)
    said = all_asked(home, tmp_path / "out" / "shop")
    assert sprung(markers) == set()
    assert said == git(home, "show", "HEAD:bot.sh") or "lazy" in name, said
    for asked, bait in tricks.items():
        sprung(markers)
        trusting(home, asked.split())
        assert bait in sprung(markers), f"{asked} is no trick"


def test_a_filter_does_its_work_in_the_sandbox(home: Path, tmp_path: Path) -> None:
    attributes("filter=x", "")(home)
    git(home, "config", "filter.x.smudge", "tr a-z A-Z")
    assert all_asked(home, tmp_path / "out" / "shop") == BOT.upper()


def test_another_user_can_read_what_is_checked_out_whatever_the_umask(
    home: Path, tmp_path: Path
) -> None:
    (home / "deep").mkdir()
    (home / "deep" / "net").touch()
    (home / "bot.sh").chmod(0o755)
    commit(home)
    before = os.umask(0o077)
    try:
        known = revision("HEAD", home, "bwrap")
        assert known is not None
        with workshop(tmp_path / "out" / "shop") as shop:
            place = shop.check_out(known, "old", "bwrap")
            found = {each.name: each.stat().st_mode & 0o777 for each in place.rglob("*")}
            shop.build("touch made", place / "deep", "old", "bwrap")
    finally:
        os.umask(before)
    assert found == {"deep": 0o755, "net": 0o644, "bot.sh": 0o755}


def test_variables_of_git_that_the_organiser_has_are_not_for_an_entrant(
    home: Path, markers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "bot.sh").write_text("edited\n")
    bait = str(home / ".git" / "bait")
    said = {"COUNT": "1", "KEY_0": "core.fsmonitor", "VALUE_0": bait}
    for name, value in said.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", bait)
    monkeypatch.setenv("GIT_TRACE", str(markers / "trace"))
    assert all_asked(home, tmp_path / "out" / "shop") == BOT
    assert sprung(markers) == set()
    trusting(home, ["diff"])
    assert sprung(markers) == {"bait", "trace"}


# Another's repository


@pytest.fixture
def secret(made: Path, tmp_path: Path) -> Path:
    """Return the repository of somebody else, with a commit that the entrant's does not have."""
    secret = shutil.copytree(made, tmp_path / "secret", symlinks=True)
    (secret / "bot.sh").write_text("secret\n")
    git(secret, "commit", "-qam", "secret")
    return secret


def by_alternates(home: Path, secret: Path) -> None:
    (home / ".git" / "objects" / "info" / "alternates").write_text(f"{secret}/.git/objects\n")


def by_link_to_objects(home: Path, secret: Path) -> None:
    shutil.rmtree(home / ".git" / "objects")
    (home / ".git" / "objects").symlink_to(secret / ".git" / "objects")


def by_link_to_head(home: Path, secret: Path) -> None:
    by_alternates(home, secret)
    (home / ".git" / "refs" / "heads" / "main").unlink()
    (home / ".git" / "refs" / "heads" / "main").symlink_to(secret / ".git/refs/heads/main")


def by_common_folder(home: Path, secret: Path) -> None:
    (home / ".git" / "commondir").write_text(f"{secret}/.git\n")


def by_include(home: Path, secret: Path) -> None:
    by_alternates(home, secret)
    configure(home, f"include.path={secret}/.git/config")


def by_file(home: Path, secret: Path, place: str = ".git") -> None:
    shutil.rmtree(home / ".git")
    (home / ".git").write_text(f"gitdir: {secret}/{place}\n")


def by_link(home: Path, secret: Path) -> None:
    shutil.rmtree(home / ".git")
    (home / ".git").symlink_to(secret / ".git")


def by_worktree_of_another(home: Path, secret: Path) -> None:
    git(secret, "worktree", "add", "-q", "--detach", str(secret.parent / "tree"))
    by_file(home, secret, ".git/worktrees/tree")


WAYS: Final = (by_alternates, by_link_to_objects, by_link_to_head, by_common_folder, by_include)
WAYS_ELSEWHERE: Final = (by_file, by_link, by_worktree_of_another)


@pytest.mark.parametrize("lead", [*WAYS, *WAYS_ELSEWHERE], ids=lambda way: way.__name__)
def test_a_repository_does_not_lead_to_another_one(
    lead: Callable[[Path, Path], None], home: Path, secret: Path, tmp_path: Path
) -> None:
    head = git(secret, "rev-parse", "HEAD").strip()
    lead(home, secret)
    git(home, "update-ref", "refs/heads/main", head)
    said = all_asked(home, tmp_path / "out" / "shop")
    assert said != "secret\n"
    assert (f"{home}/.git: leads to {secret}/.git" in said) is (lead in WAYS_ELSEWHERE)
    assert ("\nhint: clone it, or check" in said) is (lead in WAYS_ELSEWHERE)
    assert git(home, "show", f"{head}:bot.sh") == "secret\n", "this is no way to it"
    known = Revision(str(home / ".git"), head, "", (str(home),))
    with workshop(tmp_path / "out" / "shop") as shop, pytest.raises(ArenaError):
        shop.check_out(known, "old", "bwrap")


def test_a_work_tree_that_its_repository_knows_is_read(home: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(home, "worktree", "add", "-q", "--detach", str(tree), "HEAD~1")
    assert revision("HEAD", tree, "bwrap") != revision("HEAD", home, "bwrap")
    assert all_asked(tree, tmp_path / "out" / "shop") == "#!/bin/sh\n"


def test_git_finds_in_the_sandbox_what_it_finds_without(home: Path, tmp_path: Path) -> None:
    inner = home / "inner"
    inner.mkdir()
    (inner / "more.sh").touch()
    commit(home)
    bare = tmp_path / "bare"
    git(home, "clone", "-q", "--bare", str(home), str(bare))
    none = tmp_path / "none"
    none.mkdir()
    names = ("HEAD", "HEAD~1", "main", "nosuch", "HEAD~9", "--all", "")
    for place, some in ((home, names), (inner, names[:2]), (bare, names[1:4]), (none, names[:1])):
        for name in some:
            known, found = revision(name, place), revision(name, place, "bwrap")
            assert (found and found[:3]) == (known and known[:3]), (place, name)
    head = revision("HEAD", inner, "bwrap")
    assert head is not None
    assert not lacks_edits(head, inner, "bwrap")
    (home / "bot.sh").write_text("edited\n")
    assert not lacks_edits(head, inner, "bwrap"), "it is not in that folder"
    (inner / "more.sh").write_text("edited\n")
    assert lacks_edits(head, inner, "bwrap")


# Links of a commit


@pytest.mark.parametrize(
    ("where", "target"),
    [("net", "/etc/hostname"), ("net", "../entrant/.git/config"), ("deep/net", "up/../secret")],
)
def test_a_link_that_leads_out_of_a_revision_is_refused(
    where: str, target: str, home: Path, tmp_path: Path
) -> None:
    link = home / where
    link.parent.mkdir(exist_ok=True)
    (link.parent / "up").symlink_to("deep" if where == "net" else "..")
    link.symlink_to(target)
    commit(home)
    said = all_asked(home, tmp_path / "out" / "shop")
    assert f"{where!r} is a link to " in said
    assert "a link must lead to files of the revision" in said


def test_links_inside_of_a_revision_stay(home: Path, tmp_path: Path) -> None:
    (home / "deep").mkdir()
    for name, target in (("a", "bot.sh"), ("deep/b", "../a"), ("c", "nothing"), ("d", "d")):
        (home / name).symlink_to(target)
    commit(home)
    assert all_asked(home, tmp_path / "out" / "shop") == BOT


def test_links_are_found_however_deep(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    place = os.open(top, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=place)
        place, last = os.open("d", os.O_RDONLY, dir_fd=place), place
        os.close(last)
    os.symlink("/", "out", dir_fd=place)
    os.close(place)
    (tmp_path / "file").touch()
    (top / "other").hardlink_to(tmp_path / "file")
    assert {each.name for each in leading_out(top)} == {"out", "other"}
    process_trees.remove(str(top))  # else pytest tries, by recursion


def test_a_folder_that_is_a_link_in_the_revision_is_not_entered(
    home: Path, tmp_path: Path, secret: Path
) -> None:
    (home / "bot").symlink_to(secret)
    commit(home)
    known = revision("HEAD", home, "bwrap")
    assert known is not None
    with workshop(tmp_path / "out" / "shop") as shop, pytest.raises(ArenaError, match="is a link"):
        shop.check_out(known._replace(folder="bot"), "old", "bwrap")


def test_without_git_or_a_repository_there_are_no_revisions(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert repository_at(tmp_path) is None
    assert revision("HEAD", tmp_path, "bwrap") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert revision("HEAD", home, "bwrap") is None
