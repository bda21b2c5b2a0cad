"""Commands and skills in files, which whoever wrote the repository may have put anywhere."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan.core.secrets import Mask
from mulligan.workspace.files.prompt_files import MAX_LISTED_PATHS, Kind, prompt_files, read_prompt_file

Write = Callable[..., Path]


def names(kind: Kind, root: Path) -> list[str]:
    return [each.name for each in prompt_files(kind, root, root.parent / "home")]


def test_commands_are_found_by_folder_and_skills_by_name(root: Path, write: Write) -> None:
    write(".claude/commands/git/push.md", "Push.")
    write(".claude/skills/tests/SKILL.md", "Test.")
    write("shared/docs/SKILL.md", "Write.")
    (root / ".claude" / "skills" / "docs").symlink_to("../../shared/docs")
    assert names("commands", root) == ["git:push"]
    assert names("skills", root) == ["docs", "tests"]


@pytest.mark.parametrize("link", [".claude/commands", ".claude", ".claude/commands/all", ".claude/skills"])
def test_a_link_out_of_the_project_is_not_followed(root: Path, link: str) -> None:
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to("/")
    assert names("commands", root) == []
    assert names("skills", root) == []


def test_links_that_go_in_circles_are_only_missing(root: Path, write: Write) -> None:
    write(".claude/commands/good.md", "Good.")
    (root / ".claude" / "commands" / "a.md").symlink_to("a.md")
    (root / ".claude" / "skills").symlink_to("skills")
    assert names("skills", root) == []
    circle, good = prompt_files("commands", root, root.parent / "home")
    assert read_prompt_file(good, Mask({}, ())) == "Good."
    with pytest.raises(OSError, match="symbolic links"):
        read_prompt_file(circle, Mask({}, ()))


def test_only_so_much_of_a_folder_is_looked_at(root: Path, write: Write) -> None:
    for number in range(MAX_LISTED_PATHS):
        write(f"many/{number}")
    write("near.md")
    write("next/far.md")
    (root / ".claude").mkdir()
    (root / ".claude" / "commands").symlink_to("..")
    assert names("commands", root) == ["near"]
