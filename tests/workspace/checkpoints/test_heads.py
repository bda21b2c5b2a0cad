"""What HEAD, a branch or an id names is told as git tells it, from files where that is enough."""

from collections.abc import Callable

import pytest

from mulligan.workspace.checkpoints.heads import commit_of
from mulligan.workspace.git import open_repository
from tests.workspace.checkpoints.repositories import Repository


def detach(repository: Repository) -> None:
    repository.git("checkout", "-q", "--detach")


def pack(repository: Repository) -> None:
    repository.git("gc", "-q")
    repository.git("pack-refs", "--all")


def lose_the_commit(repository: Repository) -> None:
    commit = repository.git("rev-parse", "HEAD").strip()
    (repository.root / ".git" / "objects" / commit[:2] / commit[2:]).unlink()


def begin_a_branch(repository: Repository) -> None:
    repository.git("checkout", "-q", "--orphan", "new")


def point_to_a_tree(repository: Repository) -> None:
    tree = repository.git("rev-parse", "HEAD^{tree}").strip()
    (repository.root / ".git" / "refs" / "heads" / "main").write_text(f"{tree}\n")


STATES: list[Callable[[Repository], None]] = [
    lambda _: None, detach, pack, lose_the_commit, begin_a_branch, point_to_a_tree
]  # fmt: skip


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__.replace("<lambda>", "on a branch"))
async def test_it_is_what_git_says(repository: Repository, state: Callable[[Repository], None]) -> None:
    (repository.root / "a.txt").write_text("a\n")
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "Begin")
    repository.git("tag", "-a", "-m", "A tag", "marked")
    names = ["HEAD", "refs/heads/main", "refs/heads/missing", "refs/tags/marked"]
    ids = [repository.git("rev-parse", name).strip() for name in ("HEAD", "refs/tags/marked", "HEAD^{tree}")]
    state(repository)
    git = await open_repository(repository.root)
    for name in (*names, *ids):
        said = await git.run("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}", accept=(0, 1, 128))
        assert await commit_of(git, name) == (said.text or None), name
