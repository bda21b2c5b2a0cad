"""A repository whose own settings name programs runs none of them, whatever Mulligan does in it."""

import os
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mulligan.types.errors import MulliganError
from mulligan.workspace.checkout_watch import snapshot_checkout
from mulligan.workspace.checkpoints import capture, diff_text, execute_restore, plan_restore
from mulligan.workspace.checkpoints.housekeeping import disk_use
from mulligan.workspace.git import NoRepository, open_repository
from mulligan.workspace.git_settings import overrides_of
from mulligan.workspace.run_tree import RunTree
from tests.unconfined import free
from tests.workspace.worktrees.conftest import Yard

ATTRIBUTES = "*.txt filter=x diff=x merge=x\n*.odd filter=a=b\n"
HOOKS = ("post-checkout", "post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman")

FILTER = '[filter "x"]\n\tclean = {run}\n\tsmudge = {run}\n\trequired = true\n'
PROMISED = '[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n'

ADD, CHECK_OUT, DIFF, STATUS = ("add", "-A"), ("checkout", "-f", "HEAD", "."), ("diff", "HEAD"), ("status",)
FETCH = ("fetch", "-q", "origin")

SETTINGS: dict[str, tuple[str, tuple[str, ...] | None]] = {
    "a filter": (FILTER, ADD),
    "a filter that goes on running": ('[filter "x"]\n\tprocess = {ends}\n', ADD),
    "a filter with = in its name": ('[filter "a=b"]\n\tclean = {run}\n\tsmudge = {run}\n', ADD),
    "a filter in an included file": ("[include]\n\tpath = {config}\n", ADD),
    "a filter in a file included on a condition": ('[includeIf "gitdir:**"]\n\tpath = {config}\n', ADD),
    "a filter of the work tree": (
        "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n",
        ADD,
    ),
    "a file system monitor": ("[core]\n\tfsmonitor = {run}\n", STATUS),
    "hooks elsewhere": ("[core]\n\thooksPath = {hooks}\n", CHECK_OUT),
    "its own hooks": ("", CHECK_OUT),
    "an external diff": ("[diff]\n\texternal = {run}\n", DIFF),
    "a diff driver": ('[diff "x"]\n\tcommand = {run}\n', DIFF),
    "a text converter": ('[diff "x"]\n\ttextconv = {run}\n', DIFF),
    "a signature's program": (
        "[gpg]\n\tprogram = {run}\n[commit]\n\tgpgSign = true\n[log]\n\tshowSignature = true\n",
        None,
    ),
    "a merge driver": ('[merge "x"]\n\tdriver = {run}\n', None),
    "an editor, a pager, an askpass": ("[core]\n\teditor = {run}\n\tpager = {run}\n\taskPass = {run}\n", None),
    "a credential helper": ("[credential]\n\thelper = !{run}\n", None),
    "an alias": ("[alias]\n\tstatus = !{run}\n\tcapture = !{run}\n", ("capture",)),
    "a submodule's update": (
        '[submodule "s"]\n\tupdate = !{run}\n\tactive = true\n[submodule]\n\trecurse = true\n',
        None,
    ),
    "a trace": ("[trace2]\n\teventTarget = {marker}\n\tnormalTarget = {marker}\n", None),
    "a remote's command": (PROMISED + "\turl = {home}\n\tuploadpack = {ends}\n", FETCH),
    "a remote that is a command": (PROMISED + "\turl = ext::{ends}\n[protocol]\n\tallow = always\n", FETCH),
    "a remote's helper": (PROMISED + "\turl = a\n\tvcs = hostile\n", None),
    "a remote by ssh": (PROMISED + "\turl = ssh://localhost/a\n[core]\n\tsshCommand = {ends}\n", FETCH),
    "a proxy": (PROMISED + "\turl = git://localhost/a\n[core]\n\tgitProxy = {ends}\n", FETCH),
    "commands about other repositories": (
        "[core]\n\talternateRefsCommand = {run}\n[uploadpack]\n\tpackObjectsHook = {run}\n",
        None,
    ),
}


class Trap:
    """A program that leaves a mark, and a repository whose settings name it."""

    def __init__(self, yard: Yard) -> None:
        self.yard = yard
        # Outside of what git looks at, and of what a work tree is made of.
        self.folder = yard.home.parent / "trap"
        self.folder.mkdir()
        self.marker = self.folder / "marker"
        self.program = self.folder / "program"
        self.program.write_text(f"#!/bin/sh\necho ran >> '{self.marker}'\nexec cat\n")
        self.program.chmod(0o755)
        self.ending = self.folder / "ending"
        """For who would wait for an answer of another kind than what it said."""
        self.ending.write_text(f"#!/bin/sh\necho ran >> '{self.marker}'\n")
        self.ending.chmod(0o755)
        (self.folder / "hooks").mkdir()
        for name in HOOKS:
            shutil.copy(self.program, self.folder / "hooks" / name)
        (self.folder / "config").write_text(FILTER.format(run=self.program))

    def set(self, text: str, git_dir: Path) -> None:
        values = {
            "run": self.program,
            "ends": self.ending,
            "hooks": self.folder / "hooks",
            "config": self.folder / "config",
            "marker": self.marker,
            "home": self.yard.root,
        }
        with (git_dir / "config").open("a") as config:
            config.write(text.format(**values))

    def spring(self, *git: str, folder: Path) -> None:
        """As the person would call git there."""
        named = ("-c", "user.name=A", "-c", "user.email=a@localhost")
        subprocess.run(["git", *named, *git], cwd=folder, capture_output=True, check=False, stdin=subprocess.DEVNULL)


@pytest.fixture
def trap(yard: Yard) -> Trap:
    for name in ("kept.txt", "edited.txt", "name.odd", "gone.txt"):
        (yard.root / name).write_text(f"{name}\n" * 3)
    (yard.root / ".gitattributes").write_text(ATTRIBUTES)
    yard.commit_all("first")
    (yard.root / "gone.txt").unlink()
    return Trap(yard)


async def do_everything(yard: Yard, attempt: Callable[[Awaitable[object]], Awaitable[object]]) -> None:
    """All that Mulligan asks of git."""
    root = yard.root
    before = await attempt(capture(root, checkpoint_id="before"))
    (root / "edited.txt").write_text("by hand\n")
    (root / "name.odd").write_text("by hand\n")
    os.utime(root / "kept.txt", ns=(1, 1))  # git has to look into it again
    await attempt(snapshot_checkout(root))
    if before:
        await attempt(diff_text(root, before))  # type: ignore[arg-type]
        after = await attempt(capture(root, checkpoint_id="after", before=before))  # type: ignore[arg-type]
        if after:
            plan = await attempt(plan_restore(root, before, after, restore_id="r"))  # type: ignore[arg-type]
            if plan:
                await attempt(execute_restore(root, plan))  # type: ignore[arg-type]
    await attempt(disk_use(root))
    await attempt(run_tree(yard))
    linked = yard.home / "linked"
    await attempt(adopted(yard, linked))
    await attempt(yard.trees.listed())
    await attempt(yard.trees.leftovers())


async def run_tree(yard: Yard) -> None:
    run = await RunTree.make(yard.trees, yard.store, "r1", free)
    snapshot = await run.keep("start")
    (run.folder / "edited.txt").write_text("by the run\n")
    await run.changed_since(snapshot)
    await run.diff_since(snapshot)
    await run.paths_at(snapshot)
    await run.restore_files(snapshot, ["edited.txt"])
    (run.folder / "edited.txt").write_text("by the run\n")
    await yard.apply((await yard.import_work(run.tree)).changes)
    await run.return_to(snapshot)
    await run.remove()


async def adopted(yard: Yard, linked: Path) -> None:
    """A work tree that was made by hand, by a git without the repository's settings."""
    git = await open_repository(yard.root)
    await git.run("worktree", "add", "--detach", str(linked))
    (linked / "edited.txt").write_text("there\n")
    found = await yard.trees.find(str(linked))
    await yard.import_work(found)


async def must(work: Awaitable[object]) -> object:
    return await work


async def may(work: Awaitable[object]) -> object:
    with suppress(MulliganError):
        return await work
    return None


APART = {name for name, (text, _) in SETTINGS.items() if PROMISED in text or "filter" in name} - {"a filter"}
"""Of these, git takes one and passes over the others, or can't go on at all."""
TOGETHER = {
    "all others at once": tuple(name for name in SETTINGS if name not in APART),
    **{name: (name,) for name in SETTINGS if name in APART},
}


@pytest.mark.parametrize("names", TOGETHER.values(), ids=TOGETHER.keys())
async def test_no_program_of_a_repository_is_run(trap: Trap, names: tuple[str, ...]) -> None:
    for name in names:
        lay(trap, name)
    await do_everything(trap.yard, may if any(PROMISED in SETTINGS[name][0] for name in names) else must)
    assert not trap.marker.exists()


@pytest.mark.parametrize("name", [name for name, (_, springs) in SETTINGS.items() if springs])
def test_the_trap_itself_works(trap: Trap, name: str) -> None:
    lay(trap, name)
    (trap.yard.root / "edited.txt").write_text("and again\n")
    (trap.yard.root / "name.odd").write_text("and again\n")
    trap.spring(*(SETTINGS[name][1] or ()), folder=trap.yard.root)
    assert trap.marker.exists()


def lay(trap: Trap, name: str) -> None:
    text, _ = SETTINGS[name]
    git_dir = trap.yard.root / ".git"
    trap.set(text, git_dir)
    if name == "its own hooks":
        shutil.copytree(trap.folder / "hooks", git_dir / "hooks", dirs_exist_ok=True)
    if name == "a filter of the work tree":
        (git_dir / "config.worktree").write_text(FILTER.format(run=trap.program))
    if PROMISED in text:  # what git would fetch
        oid = trap.yard.git("rev-parse", "HEAD:gone.txt").strip()
        (git_dir / "objects" / oid[:2] / oid[2:]).unlink()


async def test_a_git_that_the_repository_brings_is_not_run(trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its environment is active, as when somebody works on it, so its programs come first on the path."""
    programs = trap.yard.root / ".venv" / "bin"
    programs.mkdir(parents=True)
    shutil.copy(trap.ending, programs / "git")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    await do_everything(trap.yard, must)
    assert not trap.marker.exists()
    trap.spring("status", folder=trap.yard.root)
    assert trap.marker.exists(), "the trap itself does not work"


async def test_no_program_of_a_linked_work_trees_repository_is_run(trap: Trap) -> None:
    """The project is the linked work tree, and its settings those of the repository elsewhere."""
    yard, linked = trap.yard, trap.yard.home / "project"
    yard.git("worktree", "add", "-q", "--detach", str(linked))
    trap.set(FILTER, yard.root / ".git")
    await do_everything(Yard(linked, yard.home, yard.store, yard.run_git), must)
    assert not trap.marker.exists()


async def test_no_program_of_a_git_folder_elsewhere_is_run(trap: Trap) -> None:
    yard = trap.yard
    shutil.move(yard.root / ".git", yard.home / "elsewhere")
    (yard.root / ".git").write_text(f"gitdir: {yard.home / 'elsewhere'}\n")
    trap.set(FILTER, yard.home / "elsewhere")
    await do_everything(yard, must)
    assert not trap.marker.exists()


async def test_no_program_of_a_submodule_is_run(trap: Trap) -> None:
    yard = trap.yard
    inner = yard.root / "inner"
    inner.mkdir()
    yard.git("init", "-q", "-b", "main", folder=inner)
    (inner / "edited.txt").write_text("inner\n")
    (inner / ".gitattributes").write_text(ATTRIBUTES)
    yard.commit_all("inner", folder=inner)
    yard.commit_all("with a submodule")
    trap.set(FILTER + "[core]\n\tfsmonitor = {run}\n", inner / ".git")
    (inner / "edited.txt").write_text("changed\n")
    await do_everything(yard, must)
    assert not trap.marker.exists()
    trap.spring("status", folder=yard.root)
    assert trap.marker.exists(), "the trap itself does not work"


async def test_what_lies_in_our_own_folder_names_no_program(trap: Trap) -> None:
    """Somebody may have put it there before Mulligan was ever called."""
    git_dir = trap.yard.root / ".git"
    evil = git_dir / "mulligan" / "evil"
    (evil / "info").mkdir(parents=True)
    for name in ("objects", "refs"):
        (evil / name).mkdir()
    (evil / "info" / "attributes").write_text("* filter=x\n")
    (evil / "config").write_text("[core]\n\trepositoryFormatVersion = 0\n" + FILTER.format(run=trap.program))
    (git_dir / "mulligan" / "commondir").write_text("evil\n")
    await do_everything(trap.yard, must)
    assert not trap.marker.exists()


async def test_no_program_of_the_environment_is_run(trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TRACE", str(trap.marker))
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_PAGER"):
        monkeypatch.setenv(name, str(trap.program))
    await do_everything(trap.yard, must)
    assert not trap.marker.exists()


async def test_a_filter_of_the_persons_own_still_runs(
    trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `git lfs install` sets it, and even where the repository sets another one of that name."""
    own, theirs = Path(trap.folder / "own"), trap.program
    own.write_text(f"#!/bin/sh\necho ran >> '{trap.folder}/own-marker'\nexec cat\n")
    own.chmod(0o755)
    (tmp_path / "gitconfig").write_text(FILTER.format(run=own))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    trap.set(FILTER.format(run=theirs), trap.yard.root / ".git")
    await do_everything(trap.yard, must)
    assert not trap.marker.exists()
    assert (trap.folder / "own-marker").exists()


async def test_settings_that_change_are_looked_at_again(trap: Trap) -> None:
    assert (await open_repository(trap.yard.root)).overrides == ()
    trap.set(FILTER, trap.yard.root / ".git")
    names = {name for name, _ in (await open_repository(trap.yard.root)).overrides}
    assert names == {"filter.x.clean", "filter.x.smudge", "filter.x.required"}


async def test_a_work_tree_elsewhere_is_refused(trap: Trap) -> None:
    trap.yard.git("config", "core.worktree", str(trap.folder))
    with pytest.raises(NoRepository, match=r"core\.worktree"):
        await open_repository(trap.yard.root)


def test_what_a_persons_filter_would_run_for_a_repository_is_taken_back() -> None:
    listed = [
        ("global", "filter.lfs.clean", "git-lfs clean -- %f"),
        ("local", "lfs.extension.x.clean", "evil"),
        ("local", "lfs.customtransfer.x.path", "evil"),
        ("local", "lfs.https://a/b.standalonetransferagent", "x"),
        ("local", "lfs.concurrenttransfers", "3"),
        ("local", "credential.helper", "!evil"),
        ("global", "credential.helper", "store"),
    ]
    assert overrides_of(listed) == (
        ("lfs.extension.x.clean", ""),
        ("lfs.customtransfer.x.path", ""),
        ("lfs.https://a/b.standalonetransferagent", ""),
        ("credential.helper", ""),
        ("credential.helper", "store"),
    )
