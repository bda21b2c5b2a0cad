"""Files that an agent leaves in its work tree and that are not work: caches and histories.

The patterns are stored with the work tree, so that they are known later, without the agent.
"""

from collections.abc import Callable, Sequence

from mulligan.runtime.regular_files import read_regular_text
from mulligan.workspace.checkpoints.scan import parents
from mulligan.workspace.files.gitignore import parse_rule
from mulligan.workspace.git import Git

FILE = "left-behind"


def keep_patterns(git: Git, patterns: Sequence[str]) -> None:
    """Each pattern is a line of a .gitignore, relative to the top of the work tree."""
    folder = git.git_dir / "mulligan"
    folder.mkdir(exist_ok=True)
    (folder / FILE).write_text("".join(f"{pattern}\n" for pattern in patterns), encoding="utf-8")


def is_byproduct(git: Git) -> Callable[[str], bool]:
    """Tells whether a path, relative to the top, matches the stored patterns or lies in a folder that does."""
    file = git.git_dir / "mulligan" / FILE
    lines = read_regular_text(file).splitlines() if file.is_file() else []
    rules = [rule for line in lines if (rule := parse_rule(line)) and rule.ignores]

    def is_left(path: str) -> bool:
        folders = list(parents(path))
        return any(
            rule.fits.fullmatch(place)
            for rule in rules
            for place in (folders if rule.only_folders else [path, *folders])
        )

    return is_left
