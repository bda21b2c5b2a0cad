import asyncio
from pathlib import Path

import pytest

from mulligan.workspace.git import (
    GitError,
    GitMissing,
    NoRepository,
    environment,
    nul_list,
    open_repository,
    run_both,
    user_settings,
)
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


async def test_git_is_asked_once_for_a_repository(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(a="1\n")
    first = await open_repository(repository.root)
    repository.git("checkout", "-q", "-b", "other")
    repository.commit(a="2\n")
    monkeypatch.setenv("PATH", str(repository.home))  # from here on there is no git to ask
    assert await open_repository(repository.root) == first
    assert await user_settings(repository.root, "^core.bare$") == {"core.bare": "false"}


async def test_another_repository_at_the_same_place_is_seen(repository: Repository) -> None:
    repository.commit(a="1\n")
    assert (await open_repository(repository.root)).git_dir == repository.root / ".git"
    (repository.root / ".git").rename(repository.home / "moved")
    with pytest.raises(NoRepository):
        await open_repository(repository.root)
    (repository.root / ".git").write_text(f"gitdir: {repository.home / 'moved'}\n")
    assert (await open_repository(repository.root)).git_dir == repository.home / "moved"


async def test_a_repository_made_in_a_folder_below_is_seen(repository: Repository) -> None:
    repository.write("sub/a")
    await open_repository(repository.root / "sub")
    repository.git("init", "-q", "sub")
    assert (await open_repository(repository.root / "sub")).work_tree == repository.root / "sub"


@pytest.mark.parametrize("missing", ["HEAD", "objects", "refs"])
async def test_a_repository_that_broke_is_seen(repository: Repository, missing: str) -> None:
    repository.commit(a="1\n")
    await open_repository(repository.root)
    (repository.root / ".git" / missing).rename(repository.home / "aside")
    with pytest.raises(NoRepository):
        await open_repository(repository.root)


@pytest.mark.parametrize("where", ["the repository's", "the person's", "the environment's"])
async def test_settings_that_are_changed_are_seen(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    assert await settings_of(repository) == {}
    if where == "the repository's":
        repository.git("config", "core.excludesFile", "here")
    elif where == "the person's":
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(repository.home / "global"))
        assert await settings_of(repository) == {}
        (repository.home / "global").write_text("[core]\n\texcludesFile = here\n")
    else:
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.excludesFile")
        monkeypatch.setenv("GIT_CONFIG_VALUE_0", "here")
    assert await settings_of(repository) == {"core.excludesfile": "here"}


async def test_settings_in_files_that_others_include_are_read_each_time(repository: Repository) -> None:
    included = repository.home / "included"
    repository.git("config", "include.path", str(included))
    assert await settings_of(repository) == {}
    included.write_text("[core]\n\texcludesFile = there\n")
    assert await settings_of(repository) == {"core.excludesfile": "there"}


async def settings_of(repository: Repository) -> dict[str, str]:
    await open_repository(repository.root)
    return await user_settings(repository.root, "^core.excludesfile$")


async def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoRepository, match="is not a folder"):
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
    assert environment(user_config=False)["LC_ALL"] == "C"
    assert "GIT_DIR" not in environment(user_config=True)


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
