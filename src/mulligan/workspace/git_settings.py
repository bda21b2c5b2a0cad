"""Settings that a repository may not control in our git calls: no program named in its configuration is run.

Settings of the user's account or the machine stay: `git lfs install` puts its filter there.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

Setting = tuple[str, str]

FIXED: tuple[Setting, ...] = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.splitIndex", "false"),
    ("core.protectNTFS", "false"),  # a file may be named `git~1` here
    ("core.protectHFS", "false"),
    ("index.sparse", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    # Each submodule has its own settings, which were not checked.
    ("submodule.recurse", "false"),
    ("log.showSignature", "false"),
    ("commit.gpgSign", "false"),
    ("protocol.allow", "never"),
)

VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    # If objects are missing, git would fetch them from the repository's remote.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}

NO_PROGRAMS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(
        ("diff", "diff-files", "diff-index", "diff-tree", "log", "show"), ("--no-ext-diff", "--no-textconv")
    ),
    "status": ("--ignore-submodules=dirty",),  # otherwise git runs in each of them
}
"""Options for commands that can run programs which no setting turns off: an empty name would be run, too."""

_PROGRAM = re.compile(
    r"""filter\..*\.(?:clean|smudge|process|required)
      | lfs\..*\.(?:clean|smudge|path) | lfs\.(?:.*\.)?standalonetransferagent
      | core\.(?:sshcommand|gitproxy|askpass) | credential\.(?:.*\.)?helper | gpg\.(?:.*\.)?program""",
    re.DOTALL | re.VERBOSE,
)
"""Settings that make git, or a filter, start a program. Spelled as git lists them: lower case except for the middle."""


def read_listed(listed: str) -> list[tuple[str, str, str]]:
    """Scope, name and value of what `git config --list -z --show-scope` prints."""
    fields = listed.split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    split = ((scope, *field.partition("\n")) for scope, field in pairs)
    return [(scope, name, value if given else "true") for scope, name, given, value in split]


def overrides_of(listed: Sequence[tuple[str, str, str]]) -> tuple[Setting, ...]:
    """Settings that override the programs named by a repository: each gets the user's value, or none."""
    own = dict.fromkeys(name for scope, name, _ in listed if _is_of_repository(scope) and _PROGRAM.fullmatch(name))
    from_user = [(name, value) for scope, name, value in listed if not _is_of_repository(scope)]
    # An empty value also ends a list of several.
    return tuple(setting for name in own for setting in ((name, ""), *(each for each in from_user if each[0] == name)))


def has_includes(listed: Sequence[tuple[str, str, str]]) -> bool:
    """Whether a repository's settings are in more files than its own."""
    return includes_anything([setting for setting in listed if _is_of_repository(setting[0])])


def includes_anything(listed: Sequence[tuple[str, str, str]]) -> bool:
    return any(name.startswith(("include.", "includeif.")) for _, name, _ in listed)


def as_variables(settings: Sequence[Setting], env: Mapping[str, str]) -> dict[str, str]:
    """Settings as environment variables for git, after those already set. As arguments, the name of a filter could not
    contain a `=`."""
    count = env.get("GIT_CONFIG_COUNT", "0")
    first = int(count) if count.isascii() and count.isdigit() else 0
    named: dict[str, str] = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (name, value) in enumerate(settings, first):
        named |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return named


def is_work_tree_of(work_tree: Path, git_dir: Path) -> bool:
    """Whether the work tree belongs to the git folder: `core.worktree` may name any other folder of the user's."""
    dot_git = work_tree / ".git"
    try:
        if not dot_git.is_dir():
            named = dot_git.read_bytes()[:10_000].removeprefix(b"gitdir:").strip()
            dot_git = work_tree / os.fsdecode(named)
        return dot_git.samefile(git_dir)
    except (OSError, ValueError):
        return False


def _is_of_repository(scope: str) -> bool:
    return scope in {"local", "worktree"}
