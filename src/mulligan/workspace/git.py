"""The only way to run git: argument lists, a time limit, typed errors, and isolation from the user's configuration.

MulliganError
├── GitError                a git command failed
└── ConfigurationError
    ├── NoRepository        there is no work tree of a repository, or git refuses to open it
    └── GitMissing          there is no git command
"""

import asyncio
import os
import re
import signal
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from mulligan.runtime.regular_files import read_regular
from mulligan.runtime.search_path import path_outside
from mulligan.types.errors import CallRejected, ConfigurationError, MulliganError
from mulligan.types.frozen import frozen, replace
from mulligan.workspace.git_files import Stamp, stamps_above, stamps_of_repository, stamps_of_user
from mulligan.workspace.git_settings import (
    FIXED,
    NO_PROGRAMS,
    VARIABLES,
    Setting,
    as_variables,
    has_includes,
    includes_anything,
    is_work_tree_of,
    overrides_of,
    read_listed,
)
from mulligan.workspace.process import ProcessEnd, run_process

First = TypeVar("First")
Second = TypeVar("Second")

TIME_LIMIT = 600.0
OUTPUT_CAP = 1 << 30

IDENTITY = {
    "GIT_AUTHOR_NAME": "Mulligan",
    "GIT_AUTHOR_EMAIL": "mulligan@localhost",
    "GIT_COMMITTER_NAME": "Mulligan",
    "GIT_COMMITTER_EMAIL": "mulligan@localhost",
}


class GitError(MulliganError):
    """A git command that failed."""

    def __init__(self, command: str, code: int | None, stderr: str) -> None:
        first = next((line for line in stderr.splitlines() if line.strip()), "it gave no reason")
        super().__init__(f"git {command} failed: {first}")
        self.command = command
        self.code = code
        """The exit code; None if it took too long or wrote too much."""
        self.stderr = stderr


class NoRepository(ConfigurationError):
    """No work tree of a git repository, or one that git refuses to open."""


class GitMissing(ConfigurationError):
    """The git command can't be started."""


@frozen
class GitResult:
    code: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        return os.fsdecode(self.stdout).strip("\n")

    @property
    def fields(self) -> list[str]:
        """The fields between NUL bytes."""
        return os.fsdecode(self.stdout).split("\0")[:-1]


@frozen
class Git:
    """A work tree, and the options for running git in it."""

    work_tree: Path
    git_dir: Path
    """The work tree's own git folder; for a linked work tree it is inside the repository's."""
    common_dir: Path
    object_format: str = "sha1"
    objects: Path | None = None
    """Folder of the objects, if not the repository's."""
    index: Path | None = None
    """The index, if not the repository's."""
    settings: tuple[str, ...] = ()
    user_config: bool = False
    """Whether the user's settings apply: what they allow, ignore and convert."""
    overrides: tuple[Setting, ...] = ()
    """Settings that override the programs named in the repository's own settings."""

    async def run(
        self,
        *args: str,
        stdin: bytes | None = None,
        accept: Sequence[int] | None = (0,),
        env: Mapping[str, str] | None = None,
    ) -> GitResult:
        """Raises `GitError` for an exit code that isn't accepted; None accepts all."""
        command = ["git", args[0], *NO_PROGRAMS.get(args[0], ()), *args[1:]]
        end = await _run(command, self.work_tree, {**self._environment(), **(env or {})}, stdin)
        stderr = os.fsdecode(end.stderr)
        if end.code is None:
            raise GitError(args[0], None, "it took too long" if end.how == "timed_out" else "it wrote too much")
        if accept is not None and end.code not in accept:
            raise GitError(args[0], end.code, stderr)
        return GitResult(end.code, end.stdout, stderr)

    def _environment(self) -> dict[str, str]:
        named = {"GIT_DIR": self.git_dir, "GIT_WORK_TREE": self.work_tree}
        if self.objects:
            named["GIT_OBJECT_DIRECTORY"] = self.objects
        if self.index:
            named["GIT_INDEX_FILE"] = self.index
        base = environment((*self.overrides, *(_setting(each) for each in self.settings)), user_config=self.user_config)
        return base | {name: str(path) for name, path in named.items()}


async def open_repository(folder: Path) -> Git:
    """The repository around a folder. Raises `NoRepository` or `GitMissing`.

    Git is asked once, and again if a file that its answer depends on changes.
    """
    folder = _resolved(folder)
    if opened := _opened_before(folder):
        return opened.git
    above = stamps_above(folder)
    git = await _found(folder)
    stamps = (*above, *_stamps_around(git))
    listed = read_listed(await _configured(folder, "--list"))
    git = replace(git, overrides=overrides_of(listed))
    if not has_includes(listed):  # included files may change unnoticed
        _opened[_asked(folder)] = _Opened(git, stamps, listed)
    return git


async def user_settings(folder: Path, pattern: str) -> dict[str, str]:
    """Git settings for a folder, from the user's files and the repository's. A name without a value means true."""
    opened = _opened_before(_resolved(folder))
    if opened is None or includes_anything(opened.settings):
        listed = read_listed(await _configured(folder, "--get-regexp", pattern))
    else:
        listed = [setting for setting in opened.settings if re.search(pattern, setting[1])]
    return {name: value for _, name, value in listed}


def environment(settings: Sequence[Setting] = (), *, user_config: bool) -> dict[str, str]:
    """Our own environment for git, independent of settings outside."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    from_user = _settings_in(os.environ) if user_config else {}
    fixed = IDENTITY | VARIABLES | {"LC_ALL": "C"} | as_variables((*FIXED, *settings), from_user)
    if user_config:
        return kept | from_user | fixed
    kept.pop("XDG_CONFIG_HOME", None)
    # git before 2.32 does not know GIT_CONFIG_GLOBAL: for it there is no home.
    nobody = {"HOME": os.devnull, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
    return kept | fixed | nobody


async def run_both(first: Coroutine[Any, Any, First], second: Coroutine[Any, Any, Second]) -> tuple[First, Second]:
    """Run two at the same time. If one fails, the other is ended before this raises: no git command outlives its
    lock."""
    tasks = (asyncio.ensure_future(first), asyncio.ensure_future(second))
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        failed = next((task for task in tasks if task.done() and task.exception()), None)
        if failed:
            await failed
        return tasks[0].result(), tasks[1].result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def nul_list(paths: Iterable[str]) -> bytes:
    """Paths in git's `-z` format."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _settings_in(env: Mapping[str, str]) -> dict[str, str]:
    return {name: env[name] for name in env if name.startswith("GIT_CONFIG")}


def _setting(given: str) -> Setting:
    name, _, value = given.partition("=")
    return name, value


@frozen
class _Opened:
    git: Git
    stamps: tuple[Stamp, ...]
    """Stamps of the files that git read."""
    settings: Sequence[tuple[str, str, str]]
    """Scope, name and value of the repository's and the user's settings."""


_opened: dict[tuple[str, ...], _Opened] = {}


def _opened_before(folder: Path) -> _Opened | None:
    """The cached answer, if nothing that it depends on has changed."""
    opened = _opened.get(_asked(folder))
    current = opened and opened.stamps == (*stamps_above(folder), *_stamps_around(opened.git))
    return opened if current else None


def _resolved(folder: Path) -> Path:
    return Path(os.path.realpath(folder))


def _asked(folder: Path) -> tuple[str, ...]:
    """What git's answer depends on besides files."""
    homes = (os.environ.get("HOME", ""), os.environ.get("XDG_CONFIG_HOME", ""))
    return (str(folder), *homes, *(f"{name}={value}" for name, value in _settings_in(os.environ).items()))


def _stamps_around(git: Git) -> tuple[Stamp, ...]:
    return (*stamps_of_repository(git.work_tree, git.git_dir, git.common_dir), *stamps_of_user(os.environ))


async def _found(folder: Path) -> Git:
    asked = ("git", "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
    # The user's settings apply here: they may have allowed a repository of another owner.
    env = environment(user_config=True)
    end = await _run([*asked, "--show-object-format"], folder, env, None)
    if end.code != 0:
        raise _not_opened(folder, os.fsdecode(end.stderr))
    lines = os.fsdecode(end.stdout).split("\n")[:-1]
    if len(lines) != 4:
        raise NoRepository(f"The path of {folder} contains a line break, which git can't report.")
    work_tree, git_dir, common_dir = map(Path, lines[:3])
    if not is_work_tree_of(work_tree, git_dir):
        raise NoRepository(
            f"The repository of {folder} names another folder as its work tree: {work_tree}. Mulligan only works where "
            "`.git` is. Check with: git config --show-origin core.worktree"
        )
    return Git(work_tree, git_dir, common_dir, lines[3])


async def _configured(folder: Path, *args: str) -> str:
    command = ["git", "config", "-z", "--show-scope", *args]
    end = await _run(command, folder, environment(user_config=True), None)
    if end.code not in {0, 1}:
        raise GitError("config", end.code, os.fsdecode(end.stderr))
    return os.fsdecode(end.stdout)


def _not_opened(folder: Path, stderr: str) -> ConfigurationError:
    if "dubious ownership" in stderr or "unsafe repository" in stderr:
        return NoRepository(
            f"The repository of {folder} belongs to another user, so git will not open it. "
            f"If you trust it: git config --global --add safe.directory {folder}"
        )
    if "not a git repository" in stderr:
        return NoRepository(f"{folder} is not in a git repository.")
    if "work tree" in stderr:
        return NoRepository(f"{folder} is in a git repository without a work tree.")
    return NoRepository(f"git can't open {folder}: {stderr.strip() or 'it gave no reason'}")


async def _run(argv: list[str], cwd: Path, env: dict[str, str], stdin: bytes | None) -> ProcessEnd:
    env = {**env, "PATH": path_outside(env.get("PATH", os.defpath), cwd, *_repository_of(cwd))}
    try:
        if stdin is None:
            return await run_process(argv, cwd=cwd, env=env, time_limit=TIME_LIMIT, output_cap=OUTPUT_CAP)
        return await _run_fed(argv, cwd, env, stdin)
    except (CallRejected, FileNotFoundError) as error:
        raise _not_started(cwd) from error


def _repository_of(folder: Path) -> list[Path]:
    """The folder whose repository contains this one, or whose linked work tree it is: its content is the project's."""
    path = str(folder)
    if "/.git/" not in path:
        try:
            path = os.fsdecode(read_regular(folder / ".git")).removeprefix("gitdir:").strip()
        except OSError:  # its own repository, or none
            return []
    before, inside, _ = path.partition("/.git/")
    return [Path(before)] if inside else []


def _not_started(cwd: Path) -> ConfigurationError:
    if not cwd.is_dir():
        return NoRepository(f"{cwd} is not a folder.")
    return GitMissing("The git command could not be started. Mulligan needs git 2.31 or newer.")


async def _run_fed(argv: list[str], cwd: Path, env: dict[str, str], stdin: bytes) -> ProcessEnd:
    """Like `run_process`, for a command with input."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *argv, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
    )
    try:
        async with asyncio.timeout(TIME_LIMIT):
            stdout, stderr = await process.communicate(stdin)
    except TimeoutError:
        return ProcessEnd("timed_out", None, b"", b"")
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return ProcessEnd("exited", process.returncode, stdout, stderr)
