"""Diffs of a repository, as git prints them, and committing on behalf of the user."""

import asyncio
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mulligan.runtime.search_path import path_outside
from mulligan.types.errors import ConfigurationError
from mulligan.workspace.git import Git, GitError, GitMissing, open_repository

MAX_DIFF_BYTES = 20_000_000
PLAIN = (
    "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--find-renames", "--no-relative", "--submodule=short",
    "--ignore-submodules=dirty", "--inter-hunk-context=0",
)  # fmt: skip
"""Overrides the user's settings for the format of diffs."""
ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""Variables that would redirect a commit to another repository."""


class RepositoryDiff:
    """The diffs of one repository."""

    def __init__(self, git: Git) -> None:
        # The user's settings say how files are converted: without them every line may differ.
        self._git = replace(git, user_config=True)
        self.folder = git.work_tree

    @classmethod
    async def open(cls, folder: Path) -> "RepositoryDiff":
        """Raises `NoRepository` or `GitMissing`."""
        return cls(await open_repository(folder))

    async def to_commit(self, *, all_tracked: bool) -> str:
        """The staged diff; with `all_tracked`, everything that differs from the last commit."""
        return await self._diff(*((await self.newest(),) if all_tracked else ("--cached",)), context=3)

    async def between(self, wanted: Sequence[str], paths: Sequence[str], *, context: int) -> str:
        """The diff of a range for `git diff`; by default the work tree against the last commit. Paths are absolute."""
        for each in wanted:
            if each.startswith("-") and each not in ("--cached", "--staged"):
                raise ConfigurationError(f"{each} is not a range: it begins with a dash")
        try:
            return await self._diff(*(wanted or (await self.newest(),)), context=context, paths=paths)
        except GitError as error:
            if "bad revision" not in error.stderr and "unknown revision" not in error.stderr:
                raise
            raise ConfigurationError(
                f"{' '.join(wanted)} is not a git range: give one that `git diff` accepts, such as main..., HEAD~3 or "
                "v1..v2"
            ) from error

    async def newest(self) -> str:
        """The last commit; before the first, the empty tree."""
        found = await self._git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", accept=(0, 1, 128))
        return found.text or (await self._git.run("hash-object", "-t", "tree", "--stdin", stdin=b"")).text

    async def recent_subjects(self, count: int) -> list[str]:
        log = await self._git.run("log", f"-{count}", "--no-merges", "--format=%s", accept=(0, 128))
        return [line for line in log.text.split("\n") if line]

    async def untracked(self) -> int:
        return len((await self._git.run("ls-files", "-z", "--others", "--exclude-standard")).fields)

    @property
    def is_merging(self) -> bool:
        return (self._git.git_dir / "MERGE_HEAD").exists()

    async def commit(self, message: str, *, all_tracked: bool, edit: bool, quiet: bool) -> int:
        """Commit as the user would: with their name, their hooks, their terminal. Returns git's exit code."""
        env = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
        program = shutil.which("git", path=path_outside(env.get("PATH", os.defpath), self.folder))
        if program is None:
            raise GitMissing("The git command could not be started. Mulligan needs git 2.31 or newer.")
        options = [*(["--all"] if all_tracked else []), *(["--edit"] if edit else []), *(["--quiet"] if quiet else [])]
        process = await asyncio.create_subprocess_exec(
            program, "commit", *options, "-m", message, cwd=self.folder, env=env, stdout=2 if quiet else None
        )
        return await process.wait()

    async def _diff(self, *wanted: str, context: int, paths: Sequence[str] = ()) -> str:
        diff = await self._git.run("diff", *PLAIN, f"--unified={context}", *wanted, "--", *paths)
        if len(diff.stdout) > MAX_DIFF_BYTES:
            size = len(diff.stdout) / 1e6
            raise ConfigurationError(f"the diff has {size:.0f} MB: name a smaller range, or fewer files")
        return diff.stdout.decode("utf-8", "replace")
