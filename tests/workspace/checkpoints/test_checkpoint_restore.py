import errno
import shutil
from pathlib import Path

import pytest

from mulligan.workspace.checkpoints import CheckpointRefused, WorkChanged, capture, execute_restore, plan_restore
from tests.workspace.checkpoints.repositories import Repository


async def test_files_index_and_head_come_back_and_an_undo_takes_them_away_again(repository: Repository) -> None:
    repository.commit(a="1\n", b="1\n")
    repository.write("a", "staged\n")
    repository.git("add", "a")
    repository.write("a", "unstaged\n")
    repository.write("untracked")
    (repository.root / "empty/inner").mkdir(parents=True)
    snapshot = await repository.checkpoint()
    then = repository.photograph()
    repository.commit(a="later\n", b="later\n", c="later\n")
    (repository.root / "empty/inner").rmdir()
    (repository.root / "new folder").mkdir()
    now = repository.photograph()
    plan = await repository.restore(snapshot)
    assert repository.photograph() == then
    await repository.restore(plan.now, number=2)
    assert repository.photograph() == now


async def test_commits_made_since_are_kept_under_a_ref_and_named(repository: Repository) -> None:
    repository.commit(a="1\n")
    snapshot = await repository.checkpoint()
    repository.commit("second", a="2\n")
    third = repository.commit("third", a="3\n")
    plan = await repository.restore(snapshot)
    (move,) = plan.refs
    assert [commit.subject for commit in move.set_aside] == ["third", "second"]
    assert move.kept_under == "refs/mulligan/kept/r1/main"
    assert repository.git("rev-parse", "refs/mulligan/kept/r1/main").strip() == third


async def test_a_branch_made_since_stays_and_the_old_one_is_checked_out(repository: Repository) -> None:
    first = repository.commit(a="1\n")
    snapshot = await repository.checkpoint()
    repository.git("checkout", "-q", "-b", "topic")
    second = repository.commit(a="2\n")
    await repository.restore(snapshot)
    assert repository.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert repository.git("rev-parse", "main", "topic").split() == [first, second]


async def test_an_undo_moves_back_the_branch_that_the_restore_moved(repository: Repository) -> None:
    repository.commit(a="1\n")
    snapshot = await repository.checkpoint()
    second = repository.commit(a="2\n")
    repository.git("checkout", "-q", "-b", "topic")
    third = repository.commit(a="3\n")
    plan = await repository.restore(snapshot)
    await repository.restore(plan.now, number=2)
    assert repository.git("rev-parse", "main", "topic", "HEAD").split() == [second, third, third]


async def test_an_unborn_branch_is_unborn_again(repository: Repository) -> None:
    repository.write("a")
    repository.git("add", "a")
    snapshot = await repository.checkpoint()
    then = repository.photograph()
    repository.commit()
    plan = await repository.restore(snapshot)
    assert repository.photograph() == then
    await repository.restore(plan.now, number=2)
    assert repository.git("status", "--porcelain") == ""


async def test_a_detached_head_is_detached_again_and_its_commits_are_kept(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.git("checkout", "-q", "--detach")
    snapshot = await repository.checkpoint()
    then = repository.photograph()
    lonely = repository.commit(a="2\n")
    plan = await repository.restore(snapshot)
    assert repository.photograph() == then
    assert [(move.ref, move.kept_under) for move in plan.refs] == [("HEAD", "refs/mulligan/kept/r1/HEAD")]
    assert repository.git("rev-parse", "refs/mulligan/kept/r1/HEAD").strip() == lonely


async def test_a_merge_under_way_comes_back_with_its_conflicts(repository: Repository) -> None:
    repository.commit(a="base\n", b="base\n")
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit(a="theirs\n", b="theirs\n")
    repository.git("checkout", "-q", "main")
    repository.commit(a="ours\n")
    repository.git("merge", "topic", check=False)
    snapshot = await repository.checkpoint()
    then, stages = repository.photograph(), repository.git("ls-files", "-u")
    assert stages
    repository.write("a", "resolved\n")
    repository.commit("merged")
    now = repository.photograph()
    plan = await repository.restore(snapshot)
    assert repository.photograph() == then
    assert repository.git("ls-files", "-u") == stages
    assert repository.git("rev-parse", "MERGE_HEAD") == repository.git("rev-parse", "topic")
    await repository.restore(plan.now, number=2)
    assert repository.photograph() == now
    assert not (repository.root / ".git/MERGE_HEAD").exists()


async def test_the_contents_of_a_merge_survive_a_sweep_by_git(repository: Repository) -> None:
    repository.commit(a="base\n")
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit(a="theirs\n")
    repository.git("checkout", "-q", "main")
    repository.commit(a="ours\n")
    repository.git("merge", "topic", check=False)
    snapshot = await repository.checkpoint()
    then = repository.photograph()
    repository.git("reset", "-q", "--hard", "HEAD")
    repository.git("branch", "-q", "-D", "topic")
    repository.git("-c", "gc.reflogExpire=now", "-c", "gc.reflogExpireUnreachable=now", "gc", "-q", "--prune=now")
    await repository.restore(snapshot)
    assert repository.photograph() == then


async def test_flags_in_the_index_come_back(repository: Repository) -> None:
    repository.commit(a="1\n", b="1\n", c="1\n")
    repository.git("update-index", "--assume-unchanged", "a")
    repository.git("update-index", "--skip-worktree", "b")
    repository.write("new")
    repository.git("add", "-N", "new")
    snapshot = await repository.checkpoint()
    then = repository.photograph()
    repository.git("update-index", "--no-assume-unchanged", "a")
    repository.git("update-index", "--no-skip-worktree", "b")
    repository.git("add", "-A")
    repository.git("update-index", "--assume-unchanged", "c")
    now = repository.photograph()
    plan = await repository.restore(snapshot)
    assert repository.photograph() == then
    await repository.restore(plan.now, number=2)
    assert repository.photograph() == now


async def test_a_sparse_checkout_is_sparse_again(repository: Repository) -> None:
    for folder in ("in", "out"):
        repository.write(f"{folder}/a", f"{folder}\n")
    repository.commit()
    repository.git("sparse-checkout", "set", "--no-cone", "/in/")
    snapshot = await repository.checkpoint()
    then = repository.photograph()
    assert repository.tree(snapshot) == ["in/a"]
    repository.write("in/a", "later\n")
    await repository.restore(snapshot)
    assert repository.photograph() == then
    repository.git("sparse-checkout", "disable")
    assert repository.read("out/a") == b"out\n"
    await repository.restore(snapshot, number=2)
    assert repository.photograph() == then


async def test_a_linked_work_tree_has_checkpoints_of_its_own(repository: Repository) -> None:
    repository.commit(a="1\n")
    linked = repository.at(repository.home / "linked")
    repository.git("worktree", "add", "-q", str(linked.root), "-b", "linked")
    linked.write("b")
    snapshot = await linked.checkpoint()
    then, main = linked.photograph(), repository.photograph()
    linked.commit(a="2\n")
    await linked.restore(snapshot)
    assert linked.photograph() == then
    assert repository.photograph() == main


async def test_a_branch_that_another_work_tree_uses_is_refused(repository: Repository) -> None:
    repository.commit(a="1\n")
    snapshot = await repository.checkpoint()
    repository.git("checkout", "-q", "-b", "topic")
    repository.git("worktree", "add", "-q", str(repository.home / "linked"), "main")
    before = repository.photograph()
    with pytest.raises(CheckpointRefused, match="main is checked out in another work tree"):
        await repository.restore(snapshot)
    assert repository.photograph() == before


async def test_a_rebase_under_way_is_refused(repository: Repository) -> None:
    repository.commit(a="1\n")
    snapshot = await repository.checkpoint()
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit(a="topic\n")
    repository.git("checkout", "-q", "main")
    repository.commit(a="main\n")
    repository.git("rebase", "topic", check=False)
    with pytest.raises(CheckpointRefused, match="a rebase is under way now"):
        await repository.restore(snapshot)


async def test_a_foreign_lock_on_the_index_is_refused_and_left_there(repository: Repository) -> None:
    repository.commit(a="1\n")
    snapshot = await repository.checkpoint()
    repository.write("a", "2\n")
    lock = repository.root / ".git" / "index.lock"
    lock.touch()
    with pytest.raises(CheckpointRefused, match="Another git command is at work"):
        await repository.restore(snapshot)
    assert lock.exists()
    assert repository.read("a") == b"2\n"


async def test_ignored_files_stay_as_they_are(repository: Repository) -> None:
    repository.write(".gitignore", "*.log\ncache/\n")
    repository.write("x.log", "then\n")
    snapshot = await repository.checkpoint()
    repository.write("x.log", "now\n")
    repository.write("cache/a", "now\n")
    repository.write("b")
    await repository.restore(snapshot)
    assert repository.read("x.log") == b"now\n"
    assert repository.read("cache/a") == b"now\n"
    assert not (repository.root / "b").exists()


async def test_a_captured_file_returns_though_a_new_rule_ignores_it_and_the_undo_brings_back_its_later_content(
    repository: Repository,
) -> None:
    repository.write("x.log", "then\n")
    snapshot = await repository.checkpoint()
    repository.write(".gitignore", "*.log\n")
    await repository.checkpoint("between")
    repository.write("x.log", "now\n")
    plan = await repository.restore(snapshot)
    assert repository.read("x.log") == b"then\n"
    await repository.restore(plan.now, number=2)
    assert repository.read("x.log") == b"now\n"


async def test_a_file_that_the_rules_of_then_ignored_is_not_deleted(repository: Repository) -> None:
    repository.write(".gitignore", "*.log\n")
    snapshot = await repository.checkpoint()
    repository.write(".gitignore", "")
    repository.write("x.log", "precious\n")
    plan = await repository.restore(snapshot)
    assert repository.read("x.log") == b"precious\n"
    assert [apart.path for apart in plan.left_alone] == ["x.log"]


async def test_a_rule_file_that_ignores_itself_protects_too(repository: Repository) -> None:
    repository.write("x.log", "first\n")
    await repository.checkpoint("earlier")
    (repository.root / "x.log").unlink()
    snapshot = await repository.checkpoint()
    repository.write("x.log", "precious\n")
    await repository.checkpoint("between")
    repository.write(".gitignore", ".gitignore\n*.log\n")
    await repository.restore(snapshot)
    assert repository.read("x.log") == b"precious\n"


async def test_a_file_over_the_limit_is_left_alone(repository: Repository) -> None:
    repository.write("a", "small\n")
    snapshot = await capture(repository.root, checkpoint_id="c", limit_bytes=100)
    repository.write("a", "large" * 100)
    safety = await capture(repository.root, checkpoint_id="s", limit_bytes=100, before=snapshot)
    plan = await plan_restore(repository.root, snapshot, safety, restore_id="r")
    await execute_restore(repository.root, plan)
    assert repository.read("a") == b"large" * 100
    assert [apart.path for apart in plan.left_alone] == ["a"]


async def test_a_repository_cloned_where_files_were_is_left_alone(repository: Repository) -> None:
    repository.write("lib/a", "mine\n")
    snapshot = await repository.checkpoint()
    repository.write("lib/a", "theirs\n")
    repository.at(repository.root / "lib").git("init", "-q")
    (repository.root / "lib/.git/precious").touch()
    await repository.restore(snapshot)
    assert (repository.root / "lib/.git/precious").exists()


@pytest.mark.parametrize("back", [False, True], ids=["there", "and back"])
@pytest.mark.parametrize("later", ["file", "folder", "link", "nothing"])
@pytest.mark.parametrize("first", ["file", "folder", "link", "nothing"])
async def test_files_folders_and_links_change_places(
    repository: Repository, first: str, later: str, back: bool
) -> None:
    _place(repository, first, "then\n")
    repository.write("other")
    snapshot = await repository.checkpoint()
    then = repository.photograph()
    _clear(repository.root / "x")
    _place(repository, later, "now\n")
    now = repository.photograph()
    plan = await repository.restore(snapshot)
    assert repository.photograph() == then
    if back:
        await repository.restore(plan.now, number=2)
        assert repository.photograph() == now


async def test_nothing_is_written_through_a_link_that_leads_outside(repository: Repository) -> None:
    outside = repository.home / "outside"
    outside.mkdir()
    repository.write("x/a", "mine\n")
    repository.write(".gitignore", "x\n")
    repository.git("add", "-f", "x/a", ".gitignore")
    snapshot = await repository.checkpoint()
    _clear(repository.root / "x")
    (repository.root / "x").symlink_to(outside)
    plan = await repository.restore(snapshot)
    assert list(outside.iterdir()) == []
    assert [apart.path for apart in plan.left_alone] == ["x/a"]


async def test_a_restored_file_keeps_who_may_read_it(repository: Repository) -> None:
    repository.write("secret", "then\n").chmod(0o600)
    snapshot = await repository.checkpoint()
    repository.write("secret", "now\n")
    await repository.restore(snapshot)
    assert (repository.root / "secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("what", ["a file", "the index", "a commit", "a new file"])
async def test_work_done_after_the_safety_checkpoint_stops_the_restore(repository: Repository, what: str) -> None:
    repository.commit(a="1\n", gone="1\n")
    snapshot = await repository.checkpoint()
    repository.write("a", "2\n")
    (repository.root / "gone").unlink()
    safety = await capture(repository.root, checkpoint_id="s", before=snapshot)
    plan = await plan_restore(repository.root, snapshot, safety, restore_id="r")
    if what == "a file":
        repository.write("a", "3\n")
    elif what == "a new file":
        repository.write("gone", "other\n")
    elif what == "the index":
        repository.git("add", "-A")
    else:
        repository.git("commit", "-q", "--allow-empty", "-m", "meanwhile")
    before = repository.photograph()
    with pytest.raises(WorkChanged):
        await execute_restore(repository.root, plan)
    assert repository.photograph() == before


async def test_after_a_restore_status_has_nothing_to_look_at_again(repository: Repository) -> None:
    repository.commit(a="1\n", b="1\n")
    snapshot = await repository.checkpoint()
    repository.write("a", "2\n")
    repository.git("add", "a")
    await repository.restore(snapshot)
    assert repository.git("diff-files", "--name-only") == ""


async def test_modes_and_links_come_back(repository: Repository) -> None:
    repository.write("program", "#!/bin/sh\n").chmod(0o755)
    (repository.root / "link").symlink_to("program")
    snapshot = await repository.checkpoint()
    then = repository.photograph()
    (repository.root / "program").chmod(0o644)
    (repository.root / "link").unlink()
    (repository.root / "link").symlink_to("elsewhere")
    await repository.restore(snapshot)
    assert repository.photograph() == then


async def test_a_plan_writes_nothing(repository: Repository) -> None:
    repository.commit(a="1\n")
    snapshot = await repository.checkpoint()
    repository.commit(a="2\n", b="2\n")
    before = repository.photograph()
    now = await capture(repository.root, checkpoint_id=None, before=snapshot)
    plan = await plan_restore(repository.root, snapshot, now, restore_id="preview")
    assert [move.path for move in plan.writes] == ["a"]
    assert [move.path for move in plan.deletes] == ["b"]
    assert plan.head_moves
    assert plan.index_changes
    assert repository.photograph() == before
    assert repository.git("for-each-ref", "refs/mulligan/kept") == ""


def _place(repository: Repository, what: str, content: str) -> None:
    if what == "file":
        repository.write("x", content)
    elif what == "folder":
        repository.write("x/inner/a", content)
        repository.write("x/b", content)
        (repository.root / "x" / "empty").mkdir()
    elif what == "link":
        (repository.root / "x").symlink_to(content.strip())


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for inner in path.iterdir():
            _clear(inner)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


async def test_where_there_are_no_hard_links_the_index_is_locked_all_the_same(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(_self: Path, _target: Path) -> None:
        raise OSError(errno.EOPNOTSUPP, "no hard links here")

    monkeypatch.setattr(Path, "hardlink_to", unsupported)
    repository.commit(a="1\n")
    snapshot = await repository.checkpoint()
    repository.write("a", "2\n")
    await repository.restore(snapshot)
    assert repository.read("a") == b"1\n"
    assert not (repository.root / ".git" / "index.lock").exists()


async def test_rules_of_then_count_though_the_rule_file_of_now_is_over_the_limit(repository: Repository) -> None:
    repository.write(".gitignore", "*.log\n")
    snapshot = await capture(repository.root, checkpoint_id="c", limit_bytes=100)
    repository.write(".gitignore", "large\n" * 100)
    repository.write("x.log", "precious\n")
    safety = await capture(repository.root, checkpoint_id="s", limit_bytes=100, before=snapshot)
    await execute_restore(repository.root, await plan_restore(repository.root, snapshot, safety, restore_id="r"))
    assert repository.read("x.log") == b"precious\n"


async def test_a_folder_that_held_only_ignored_things_is_there_again(repository: Repository) -> None:
    repository.write(".gitignore", "cache/\n")
    repository.write("tools/inner/cache/x")
    snapshot = await repository.checkpoint()
    shutil.rmtree(repository.root / "tools")
    await repository.restore(snapshot)
    assert (repository.root / "tools/inner").is_dir()
