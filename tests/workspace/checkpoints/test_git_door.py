import asyncio
from pathlib import Path

import pytest

from mulligan.workspace.git import GitError, GitMissing, NoRepository, environment, nul_list, open_repository, run_both
from tests.workspace.checkpoints.repositories import Repository


async def test_a_repository_is_found_from_a_folder_below(repository: Repository) -> None:
    repository.write("sub/a")
    git = await open_repository(repository.root / "sub")
    assert (git.work_tree, git.git_dir) == (repository.root, repository.root / ".git")


async def test_a_linked_work_tree_has_a_git_folder_of_its_own(repository: Repository) -> None:
    repository.commit(a="1\n")
    linked = repository.home / "linked"
    repository.git("worktree", "add", "-q", str(linked))
    git = await open_repository(linked)
    assert git.git_dir == repository.root / ".git/worktrees/linked"
    assert git.common_dir == repository.root / ".git"


async def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoRepository, match="is no folder"):
        await open_repository(tmp_path / "nothing")


async def test_a_missing_git_is_said(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository.home))
    with pytest.raises(GitMissing, match=r"2\.31"):
        await open_repository(repository.root)


async def test_a_failure_tells_the_command_the_code_and_the_reason(repository: Repository) -> None:
    git = await open_repository(repository.root)
    with pytest.raises(GitError, match="git cat-file failed: fatal: Not a valid object name nothing") as raised:
        await git.run("cat-file", "-p", "nothing")
    assert (raised.value.command, raised.value.code) == ("cat-file", 128)


async def test_a_code_that_is_accepted_is_no_failure(repository: Repository) -> None:
    git = await open_repository(repository.root)
    assert (await git.run("rev-parse", "--quiet", "--verify", "nothing", accept=(0, 1))).code == 1


async def test_what_is_set_outside_does_not_reach_git(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = str(repository.home)
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"):
        monkeypatch.setenv(name, elsewhere)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    repository.settings("[core]\npager = false\n[alias]\nlog = !false\n[user]\nname = Somebody\n")
    git = await open_repository(repository.root)
    assert (await git.run("config", "--get", "user.name", accept=(0, 1))).text == ""
    assert (await git.run("var", "GIT_AUTHOR_IDENT")).text.startswith("Mulligan <mulligan@localhost>")
    assert environment(persons_config=False)["LC_ALL"] == "C"
    assert "GIT_DIR" not in environment(persons_config=True)


async def test_input_longer_than_a_pipe_holds_gets_through(repository: Repository) -> None:
    git = await open_repository(repository.root)
    paths = [f"path {number}" for number in range(100_000)]
    answer = await git.run("check-attr", "-z", "--stdin", "text", stdin=nul_list(paths))
    assert answer.fields[::3] == paths


@pytest.mark.parametrize("first", [True, False], ids=["the first", "the second"])
async def test_of_two_at_once_the_other_is_ended_if_one_fails(first: bool) -> None:
    ended = asyncio.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def failing() -> None:
        raise GitError("log", 1, "no")

    with pytest.raises(GitError):
        await run_both(*((failing(), endless()) if first else (endless(), failing())))
    assert ended.is_set()
