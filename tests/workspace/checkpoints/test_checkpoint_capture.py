import asyncio
import os
import socket
from pathlib import Path

import pytest

from mulligan.workspace.checkpoints import CheckpointRefused, capture, list_refs, read_snapshot
from mulligan.workspace.git import NoRepository
from tests.workspace.checkpoints.repositories import Repository, everything

HOOKS = (
    "applypatch-msg", "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-merge",
    "post-rewrite", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman",
)  # fmt: skip


def set_traps(repository: Repository) -> Path:
    """Hooks that leave a mark when they run."""
    mark = repository.home / "a hook ran"
    folder = repository.root / ".git" / "hooks"
    folder.mkdir(exist_ok=True)
    for name in HOOKS:
        (folder / name).write_text(f"#!/bin/sh\ntouch '{mark}'\n")
        (folder / name).chmod(0o755)
    return mark


async def test_a_checkpoint_holds_tracked_and_untracked_files_and_no_ignored_ones(repository: Repository) -> None:
    repository.commit(tracked="1\n")
    repository.write("tracked", "2\n")
    repository.write("untracked")
    repository.write(".gitignore", "*.log\n")
    repository.write("x.log")
    snapshot = await repository.checkpoint()
    assert repository.tree(snapshot) == [".gitignore", "tracked", "untracked"]
    assert repository.content(snapshot, "tracked") == b"2\n"


async def test_a_checkpoint_changes_no_byte_of_the_persons_git_folder(repository: Repository) -> None:
    repository.commit(a="1\n", b="1\n")
    repository.write("a", "2\n")
    repository.git("add", "a")
    repository.write("b", "2\n")
    repository.git("stash")
    repository.write("a", "3\n")
    before = everything(repository.root / ".git")
    await repository.checkpoint()
    ours = "refs/mulligan/checkpoints/c"
    after = everything(repository.root / ".git")
    # `everything` leaves out folders named mulligan, so the ref is not in it either.
    assert after == before
    assert repository.git("rev-parse", ours).strip()


async def test_nothing_of_a_checkpoint_or_a_restore_shows_in_plain_git(repository: Repository) -> None:
    repository.commit(a="1\n")
    mark = set_traps(repository)
    views = [("log", "--oneline"), ("stash", "list"), ("branch", "-a"), ("tag",), ("reflog",)]
    before = [repository.git(*view) for view in views]
    mark.unlink(missing_ok=True)
    snapshot = await repository.checkpoint()
    repository.write("a", "2\n")
    await repository.restore(snapshot)
    assert not mark.exists()
    assert [repository.git(*view) for view in views] == before


async def test_a_snapshot_is_read_back_from_its_ref_alone(repository: Repository) -> None:
    repository.commit(a="1\n")
    (repository.root / "empty").mkdir()
    os.mkfifo(repository.root / "pipe")
    snapshot = await capture(repository.root, checkpoint_id="c", label="Grüße\nand more")
    assert await read_snapshot(repository.root, "c") == snapshot
    assert snapshot.folders == ("empty",)


async def test_a_snapshot_that_is_not_there_is_refused(repository: Repository) -> None:
    with pytest.raises(CheckpointRefused, match="no checkpoint nothing"):
        await read_snapshot(repository.root, "nothing")


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x y", "x.lock", "x\n"])
async def test_an_id_that_is_no_ref_name_is_refused(repository: Repository, name: str) -> None:
    with pytest.raises(CheckpointRefused):
        await read_snapshot(repository.root, name)


async def test_without_an_id_no_ref_is_made(repository: Repository) -> None:
    repository.write("a")
    await capture(repository.root, checkpoint_id=None)
    assert await list_refs(repository.root) == {}


async def test_content_is_kept_byte_for_byte_whatever_git_would_convert(repository: Repository) -> None:
    repository.settings('[core]\nautocrlf = true\n[filter "up"]\nclean = tr a-z A-Z\nsmudge = tr A-Z a-z\n')
    attributes = "*.up filter=up\n*.id ident\n*.u16 working-tree-encoding=UTF-16LE eol=lf text\n*.lf text eol=lf\n"
    contents = {
        "a.txt": b"one\r\ntwo\r\n",
        "b.up": b"quiet\n",
        "c.id": b"$Id: something$\n",
        "d.u16": "wide\n".encode("utf-16-le"),
        "e.lf": b"mixed\r\nends\n",
        "sub/f.up": b"deep\n",
    }
    repository.write(".gitattributes", attributes)
    for path, content in contents.items():
        repository.write(path, content)
    repository.commit()
    for path, content in contents.items():
        repository.write(path, content)
    snapshot = await repository.checkpoint()
    assert {path: repository.content(snapshot, path) for path in contents} == contents
    status = repository.git("status", "--porcelain=v2")
    for path in contents:
        repository.write(path, b"gone")
    await repository.restore(snapshot)
    assert {path: repository.read(path) for path in contents} == contents
    assert repository.git("status", "--porcelain=v2") == status


async def test_a_checkpoint_of_an_unchanged_tree_adds_no_object(repository: Repository) -> None:
    repository.commit(a="1\n")
    first = await repository.checkpoint("first")
    before = repository.git("count-objects")
    assert (await repository.checkpoint("again")).commit == first.commit
    assert repository.git("count-objects") == before


@pytest.mark.parametrize("content", ["22\n", "33\n"])
async def test_a_change_of_equal_size_in_the_same_moment_is_seen(repository: Repository, content: str) -> None:
    repository.commit(a="11\n")
    await repository.checkpoint("first")
    moment = (repository.root / ".git/mulligan/index").stat().st_mtime_ns
    full = repository.write("a", content)
    os.utime(full, ns=(moment, moment))
    assert repository.content(await repository.checkpoint(), "a") == content.encode()


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
async def test_a_file_that_git_was_told_not_to_look_at_is_captured_as_it_is(repository: Repository, flag: str) -> None:
    repository.commit(a="committed\n")
    repository.git("update-index", flag, "a")
    repository.write("a", "mine\n")
    snapshot = await repository.checkpoint()
    assert repository.content(snapshot, "a") == b"mine\n"
    repository.write("a", "later\n")
    assert repository.content(await repository.checkpoint("d"), "a") == b"later\n"


async def test_a_file_over_the_limit_is_named_and_no_old_version_stands_for_it(repository: Repository) -> None:
    repository.write("a", "small\n")
    await repository.checkpoint("first")
    repository.write("a", "large" * 100)
    snapshot = await capture(repository.root, checkpoint_id="c", limit_bytes=100)
    assert repository.tree(snapshot) == []
    assert [(apart.path, apart.reason) for apart in snapshot.not_covered] == [("a", "500 bytes, over the limit of 100")]


async def test_what_is_no_file_is_named(repository: Repository) -> None:
    repository.commit(a="1\n", b="1\n")
    (repository.root / "a").unlink()
    os.mkfifo(repository.root / "a")
    (repository.root / "b").unlink()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(repository.root / "b"))
        snapshot = await repository.checkpoint()
    assert repository.tree(snapshot) == []
    assert [apart.path for apart in snapshot.not_covered] == ["a", "b"]


async def test_a_nested_repository_and_a_submodule_are_named_and_not_entered(repository: Repository) -> None:
    repository.commit(a="1\n")
    for name in ("nested", "module"):
        inner = repository.at(repository.root / name)
        inner.root.mkdir()
        inner.git("init", "-q")
        inner.commit(own="1\n")
    repository.git("add", "module")
    snapshot = await repository.checkpoint()
    assert repository.tree(snapshot) == ["a", "module"]
    assert [apart.path for apart in snapshot.not_covered] == ["module", "nested"]


async def test_a_file_that_becomes_ignored_leaves_and_one_that_is_tracked_stays(repository: Repository) -> None:
    repository.write("tracked.log")
    repository.git("add", "tracked.log")
    repository.write("loose.log")
    assert repository.tree(await repository.checkpoint("first")) == ["loose.log", "tracked.log"]
    repository.write(".gitignore", "*.log\n")
    snapshot = await repository.checkpoint()
    assert repository.tree(snapshot) == [".gitignore", "tracked.log"]
    assert snapshot.forced == ("tracked.log",)
    repository.git("rm", "-q", "--cached", "tracked.log")
    assert repository.tree(await repository.checkpoint("last")) == [".gitignore"]


@pytest.mark.parametrize("where", ["settings", "default place", "repository"])
async def test_what_the_person_ignores_elsewhere_is_not_captured(repository: Repository, where: str) -> None:
    if where == "settings":
        repository.settings(f"[core]\nexcludesFile = {repository.home}/mine\n")
    place = {
        "settings": repository.home / "mine",
        "default place": repository.home / ".config" / "git" / "ignore",
        "repository": repository.root / ".git" / "info" / "exclude",
    }[where]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("*.mine\n")
    repository.write("a.mine")
    repository.write("b")
    assert repository.tree(await repository.checkpoint()) == ["b"]


async def test_mulligans_own_folder_is_outside_checkpoints(repository: Repository) -> None:
    repository.write(".mulligan/tmp/x")
    repository.write("sub/.mulligan/y")
    repository.git("add", "-f", "sub/.mulligan/y")
    repository.write("a")
    assert repository.tree(await repository.checkpoint()) == ["a"]


async def test_an_unborn_branch_and_no_name_are_enough(repository: Repository) -> None:
    repository.write("a")
    snapshot = await repository.checkpoint()
    assert snapshot.head.branch == "refs/heads/main"
    assert snapshot.head.commit is None
    assert repository.tree(snapshot) == ["a"]


async def test_a_checkpoint_from_a_folder_below_covers_the_whole_work_tree(repository: Repository) -> None:
    repository.write("a")
    repository.write("sub/b")
    snapshot = await capture(repository.root / "sub", checkpoint_id="c")
    assert repository.tree(snapshot) == ["a", "sub/b"]


async def test_a_shallow_clone_works(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.commit(a="2\n")
    shallow = repository.at(repository.home / "shallow")
    repository.git("clone", "-q", "--depth=1", f"file://{repository.root}", str(shallow.root))
    snapshot = await shallow.checkpoint()
    then = shallow.photograph()
    shallow.commit(a="3\n")
    await shallow.restore(snapshot)
    assert shallow.photograph() == then


async def test_a_split_index_and_a_compressed_one_are_read(repository: Repository) -> None:
    for number in range(40):
        repository.write(f"folder/{number}")
    repository.commit()
    repository.git("update-index", "--split-index")
    repository.write("folder/new")
    repository.git("add", "folder/new")
    split = await repository.checkpoint("split")
    repository.git("update-index", "--no-split-index", "--index-version", "4")
    compressed = await repository.checkpoint("compressed")
    assert split.index == compressed.index
    assert repository.git("ls-tree", "-r", split.index.tree) == repository.git(
        "ls-tree", "-r", repository.git("write-tree").strip()
    )


async def test_a_repository_of_sha256_works(repository: Repository) -> None:
    other = repository.at(repository.home / "sha256")
    other.root.mkdir()
    other.git("init", "-q", "--object-format=sha256")
    other.commit(a="1\n")
    snapshot = await other.checkpoint()
    then = other.photograph()
    other.commit(a="2\n", b="2\n")
    await other.restore(snapshot)
    assert other.photograph() == then


async def test_two_at_once_wait_for_each_other(repository: Repository) -> None:
    for number in range(200):
        repository.write(f"file{number}", str(number))
    snapshots = await asyncio.gather(*(repository.checkpoint(f"c{number}") for number in range(4)))
    assert len({snapshot.tree for snapshot in snapshots}) == 1
    assert len(await list_refs(repository.root)) == 4


@pytest.mark.parametrize("damage", [b"", b"DIRC", b"nonsense" * 100], ids=["empty", "cut off", "nonsense"])
async def test_a_damaged_private_index_is_thrown_away(repository: Repository, damage: bytes) -> None:
    repository.write("a")
    first = await repository.checkpoint("first")
    (repository.root / ".git/mulligan/index").write_bytes(damage)
    (repository.root / ".git/mulligan/index.lock").touch()
    assert (await repository.checkpoint()).tree == first.tree


async def test_contents_that_git_swept_away_are_captured_anew(repository: Repository) -> None:
    repository.write("a", "only in a checkpoint\n")
    first = await repository.checkpoint("first")
    repository.git("update-ref", "-d", "refs/mulligan/checkpoints/first")
    repository.git("prune", "--expire=now")
    snapshot = await repository.checkpoint()
    assert snapshot.tree == first.tree
    assert repository.content(snapshot, "a") == b"only in a checkpoint\n"


async def test_no_repository_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoRepository, match="not in a git repository"):
        await capture(tmp_path, checkpoint_id="c")


async def test_a_bare_repository_is_said(repository: Repository) -> None:
    bare = repository.home / "bare"
    repository.git("init", "-q", "--bare", str(bare))
    with pytest.raises(NoRepository, match="without a work tree"):
        await capture(bare, checkpoint_id="c")


async def test_a_home_folder_is_refused(repository: Repository) -> None:
    repository.at(repository.home).git("init", "-q")
    with pytest.raises(CheckpointRefused, match="home folder"):
        await capture(repository.home, checkpoint_id="c")
    assert not (repository.home / ".git" / "mulligan").exists()


async def test_a_hundred_checkpoints_of_an_unchanged_tree_add_less_than_a_megabyte(repository: Repository) -> None:
    for number in range(50):
        repository.write(f"file{number}", str(number) * 1000)
    repository.commit()
    await repository.checkpoint("first")
    before = _bytes(repository.root / ".git")
    for number in range(100):
        await repository.checkpoint(f"c{number}")
    assert _bytes(repository.root / ".git") - before < 1_000_000


def _bytes(folder: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))
